//! `sdcrisk mask METHOD`: masks a file.

mod copula;
mod drafts;
mod fuzzy;
mod ipso;
mod keeping;
mod microaggregation;
mod noise;
mod outputs;
mod p_buckets;
mod p_distribution;
mod rank_swap;
mod recode;
mod suppress;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand, ValueEnum};
use rand::seq::SliceRandom;

use outputs::Outputs;

use super::{
    Ending,
    args::{self, ReadArgs},
    console::Console,
};
use crate::{
    error::{Error, Result},
    mask::{
        self, Details, Mask, Masked, Rounding,
        keeping::{Keeping, WhatWasKept},
        relations::Relations,
    },
    report::text,
    rng::{Purpose, Seed},
    table::{AttrId, Role, Singling, Table},
};

/// The masking methods.
#[derive(Debug, Subcommand)]
pub enum MaskMethod {
    /// Rank swapping: values change places with values of near rank
    #[command(after_help = rank_swap::HELP)]
    Rankswap(rank_swap::RankSwapArgs),
    /// Minimal information: all attributes change together, so that little says who somebody is and much is kept
    #[command(after_help = copula::HELP)]
    Copula(copula::CopulaArgs),
    /// Fuzzy microaggregation: each record becomes the centre of a cluster drawn by its memberships
    #[command(after_help = fuzzy::HELP)]
    Fuzzy(fuzzy::FuzzyArgs),
    /// Rank swapping p-buckets: values change places with one of a bucket drawn at random, near or far
    #[command(after_help = p_buckets::HELP)]
    Pbuckets(p_buckets::PBucketsArgs),
    /// Rank swapping p-distribution: the rank difference of a swap follows a normal law
    #[command(after_help = p_distribution::HELP)]
    Pdistribution(p_distribution::PDistributionArgs),
    /// Additive noise: a normal number is added to each value
    #[command(after_help = noise::HELP)]
    Noise(noise::NoiseArgs),
    /// IPSO: quasi-identifiers are replaced by predictions from the confidential attributes
    #[command(after_help = ipso::HELP)]
    Ipso(ipso::IpsoArgs),
    /// Microaggregation: records alike get the average of their group
    #[command(after_help = microaggregation::HELP)]
    Microagg(microaggregation::MicroaggregationArgs),
    /// Global recoding: values are grouped, bounded, rounded, by the rules of a file
    #[command(after_help = recode::HELP)]
    Recode(recode::RecodeArgs),
    /// Local suppression: single values become missing, until every record matches k on a key
    #[command(after_help = suppress::HELP)]
    Suppress(suppress::SuppressArgs),
}

/// What all masking methods share.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files and attributes")]
struct MaskArgs {
    /// The file to mask; - is standard input
    #[arg(value_name = "IN.csv")]
    input: PathBuf,
    /// Where the masked file goes; it appears whole or not at all. - is standard output, a terminal too [default: standard
    /// output, unless it is a terminal]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Attributes to mask: names or positions, for example a,b or 1-7 [default: all quasi-identifiers that can be]
    #[arg(long, value_name = "LIST")]
    attributes: Option<String>,
    /// Attributes to leave out of the masked file
    #[arg(long, value_name = "LIST")]
    drop: Option<String>,
    /// Keep identifiers in the masked file: for evaluation only, never for a release
    #[arg(long)]
    keep_identifiers: bool,
    /// Write what may be published about the masking (JSON)
    #[arg(long, value_name = "FILE")]
    statement: Option<PathBuf>,
    /// Put the records in random order, and write the private key of that order (CSV) to this file
    #[arg(long, value_name = "KEYFILE", alias = "shuffle-key")]
    shuffle: Option<PathBuf>,
    /// Repeatable randomness, for experiments only (for methods that draw, and for --shuffle)
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
}

/// How many decimals new numbers have.
#[derive(Debug, Args)]
struct DecimalsArgs {
    /// Decimals of new numbers
    #[arg(long, value_enum, value_name = "WHICH", default_value = "column")]
    decimals: DecimalsArg,
    /// What `--decimals column` does.
    #[arg(long, hide = true, conflicts_with = "decimals")]
    round: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DecimalsArg {
    /// As many as the values of their attribute have: whole numbers stay whole
    Column,
    /// All that were computed: exact, but they show which cells were masked
    Full,
}

impl DecimalsArgs {
    fn rounding(&self) -> Rounding {
        match self.decimals {
            DecimalsArg::Column => Rounding::Column,
            DecimalsArg::Full => Rounding::None,
        }
    }
}

pub fn run(method: &MaskMethod, console: &Console) -> anyhow::Result<Ending> {
    mask(method.args(), console)
}

impl MaskMethod {
    fn args(&self) -> &dyn MethodArgs {
        match self {
            Self::Rankswap(args) => args,
            Self::Copula(args) => args,
            Self::Fuzzy(args) => args,
            Self::Pbuckets(args) => args,
            Self::Pdistribution(args) => args,
            Self::Noise(args) => args,
            Self::Ipso(args) => args,
            Self::Microagg(args) => args,
            Self::Recode(args) => args,
            Self::Suppress(args) => args,
        }
    }

    /// Whether a seed decides anything.
    pub(in crate::cli) fn is_random(&self) -> bool {
        self.args().is_random()
    }

    /// Whether options of the method's own name the attributes, so that `--attributes` has no use.
    pub(in crate::cli) fn names_attributes(&self) -> bool {
        self.args().names_attributes()
    }

    /// The options, checked against a table: for commands that mask it many times, in memory.
    ///
    /// # Errors
    /// As for [`run`]; options of what is written are not looked at.
    pub(in crate::cli) fn prepared(&self, table: &Table, console: &Console) -> Result<Prepared> {
        self.args().check(console)?;
        prepared(self.args(), table, console)
    }
}

/// A method with its parameters, and what of a table it masks.
#[derive(Debug)]
pub(in crate::cli) struct Prepared {
    method: Box<dyn Mask>,
    keeping: Keeping,
    chosen: Vec<AttrId>,
    dropped: Vec<AttrId>,
}

impl Prepared {
    /// Masks the table, and leaves out of it what does not reach the masked file. The records stay in order.
    ///
    /// # Errors
    /// What the method objects to.
    pub(in crate::cli) fn mask(&self, table: Table, seed: &Seed) -> Result<Masked> {
        self.kept_and_masked(table, seed).map(|(masked, _)| masked)
    }

    fn kept_and_masked(&self, table: Table, seed: &Seed) -> Result<(Masked, WhatWasKept)> {
        let name = table.name().to_owned();
        let streams = seed.streams(Purpose::Mask, 0);
        let (mut masked, kept) = self
            .keeping
            .mask(self.method.as_ref(), table, &self.chosen, &streams)
            .map_err(|error| error.in_file(name))?;
        masked = self.released(masked);
        Ok((masked, kept))
    }

    /// Without what does not reach the masked file, of which nothing is said.
    fn released(&self, mut masked: Masked) -> Masked {
        let table = masked.table.without(&self.dropped);
        let released = |name: &String| table.find(name).is_ok();
        masked
            .statement
            .kept
            .sums
            .retain(|sum| released(&sum.total));
        masked.table = table;
        masked
    }
}

impl MaskArgs {
    /// A statement that says attributes are kept is about a file that has them: they cannot be left out of it. `what` they are, by
    /// `option`.
    fn refuse_dropped(
        &self,
        table: &Table,
        kept: &[AttrId],
        what: &str,
        option: &str,
    ) -> Result<()> {
        let listed = match &self.drop {
            Some(list) => table.select(list)?,
            None => Vec::new(),
        };
        for &id in kept {
            let attribute = table.attribute(id);
            let remedy = if listed.contains(&id) {
                format!("Take it out of --drop, or out of {option}")
            } else if attribute.role == Role::Identifier && !self.keep_identifiers {
                format!(
                    "It was taken for an identifier: take it out of {option}, or declare its role in a roles file (--roles)"
                )
            } else {
                continue;
            };
            return Err(Error::usage(format!(
                "{what}, so it is kept: it cannot be left out of the masked file"
            ))
            .on_attribute(&attribute.name)
            .remedy(remedy));
        }
        Ok(())
    }

    /// Notes `--attributes` of a method whose attributes are named by `rules`.
    fn note_attributes(&self, method: &str, rules: &str, console: &Console) -> Result<()> {
        if self.attributes.is_some() {
            console.unused(&format!(
                "--attributes has no effect on {method}: {rules} names the attributes"
            ))
        } else {
            Ok(())
        }
    }
}

/// What the options of one method add to the course that every call takes.
trait MethodArgs {
    fn common(&self) -> &MaskArgs;

    /// Files that the method reads beside the table.
    fn inputs(&self) -> Vec<&Path> {
        Vec::new()
    }

    /// Whether a seed decides what becomes of the records, by the method or by what is kept beside it.
    fn is_random(&self) -> bool {
        true
    }

    /// Refuses options that contradict each other, and notes those without use, before any file is read.
    fn check(&self, console: &Console) -> Result<()>;

    /// Whether options of the method's own name the attributes, so that `--attributes` has no use.
    fn names_attributes(&self) -> bool {
        false
    }

    /// What is kept beside the method, of methods that can.
    fn keep(&self) -> Option<&keeping::KeepArgs> {
        None
    }

    /// The decimals of new numbers, of methods that make some.
    fn decimals(&self) -> Option<&DecimalsArgs> {
        None
    }

    /// The attributes that the method's own options name; `None` where `--attributes` or the roles decide.
    fn attributes(&self, _table: &Table) -> Result<Option<Vec<AttrId>>> {
        Ok(None)
    }

    /// The method with its parameters, checked against the table.
    fn method(&self, table: &Table, console: &Console) -> Result<Box<dyn Mask>>;

    /// The method with what only the risk of drafts can say, if anything was asked about it.
    fn settled(
        &self,
        _prepared: &Prepared,
        _table: &Table,
        _console: &Console,
    ) -> Result<Option<Box<dyn Mask>>> {
        Ok(None)
    }

    /// What the method can write beside the masked file, and where to. All of it is private.
    fn extras(&self) -> Vec<(&Path, ExtraWriter)> {
        Vec::new()
    }

    /// The parameters that were in effect, for a person.
    fn headline(&self, masked: &Masked) -> String;

    /// Why the result may protect less than its name promises, if it does: reported under `--quiet`, too.
    fn warning(&self, _masked: &Masked) -> Option<String> {
        None
    }

    /// What a person should know of the result: notes, and what only this method reports.
    fn remarks(&self, _masked: &Masked) -> Vec<String> {
        Vec::new()
    }
}

/// Writes one of the files that a method offers beside the masked one.
type ExtraWriter = fn(&Masked, &mut dyn Write) -> std::io::Result<()>;

fn mask(method_args: &dyn MethodArgs, console: &Console) -> anyhow::Result<Ending> {
    let args = method_args.common();
    method_args.check(console)?;
    if args.seed.is_some() && args.shuffle.is_none() && !method_args.is_random() {
        console
            .unused("--seed has no effect: this method draws nothing, and nothing is shuffled")?;
    }
    let outputs = Outputs::planned(method_args)?;
    let options = args.read.options()?;
    let table = args::read_table(&args.input, &options, console)?;
    if method_args
        .decimals()
        .is_some_and(|decimals| decimals.round)
    {
        console.unused("--round has no effect: new numbers have the decimals of their attribute unless --decimals full is given")?;
    }
    let prepared = prepared(method_args, &table, console)?;
    let seed = args::seed_or_system(args.seed, console)?;
    console.progress(&format!("masking {}", table.name()));
    // A clone shares the file and its columns.
    let original = table.clone();
    let relations = console.stage("relations", || {
        Relations::of(
            &original,
            &prepared.chosen,
            &prepared.keeping.totals(&prepared.chosen),
        )
    });
    let (mut masked, kept) = console.stage(prepared.method.name(), || {
        prepared.kept_and_masked(table, &seed)
    })?;
    console.note(&format!(
        "{}: {} records, {}",
        prepared.method.name(),
        masked.statement.records,
        method_args.headline(&masked)
    ));
    console.note(&effects(&masked));
    for line in keeping::kept(&kept, masked.statement.records) {
        console.note(&line);
    }
    if let Some(broken) = keeping::broken(&relations.broken_in(&original, &masked.table)) {
        console.note(&broken);
    }
    drop((relations, original));
    spellings(&masked, console)?;
    if let Some(warning) = method_args.warning(&masked) {
        console.insist(&warning)?;
    }
    for remark in method_args.remarks(&masked) {
        console.remark(&remark)?;
    }
    for (path, _) in method_args.extras() {
        console.note(&format!(
            "note: {} is private, like a seed: it helps to undo the masking",
            path.display()
        ));
    }
    if !args.keep_identifiers {
        warn_of_singling(&masked, console)?;
    }
    let mut order = Vec::new();
    if args.shuffle.is_some() {
        masked.statement.shuffled = true;
        (masked.table, order) = shuffled(masked.table, &seed);
    }

    console.progress("writing");
    console.stage("write", || outputs.write(&masked, &order))?;
    Ok(Ending::Done)
}

/// Names what reaches the masked file and singles out records as it stands. A stated role answers whether an attribute is
/// an identifier; numbers that nobody shares single out records in any role but *non-confidential*, unless they are masked.
///
/// # Errors
/// Usage, under `--strict`.
fn warn_of_singling(masked: &Masked, console: &Console) -> Result<()> {
    let table = &masked.table;
    let is_masked = |name: &str| masked.effects.iter().any(|effect| effect.attribute == name);
    let found: Vec<String> = table
        .singling()
        .into_iter()
        .filter_map(|(id, singling)| {
            let attribute = table.attribute(id);
            let as_collected = table.numbers(id).is_none() || !is_masked(&attribute.name);
            let open = if !attribute.has_stated_role() {
                true
            } else {
                singling == Singling::WholeNumbers && attribute.role != Role::NonConfidential
            };
            (as_collected && open).then(|| format!("{} ({})", attribute.name, singling.words()))
        })
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    console.warn(&format!(
        "these attributes can single out records of the masked file as they stand: {}. Mask them, or leave them out (--drop); \
         a roles file (--roles) that makes one non-confidential ends this warning of it",
        text::names(&found, 12)
    ))
}

/// The options of a call, checked against its table.
fn prepared(method_args: &dyn MethodArgs, table: &Table, console: &Console) -> Result<Prepared> {
    let args = method_args.common();
    if table.n_records() == 0 {
        return Err(
            Error::input("has no records, only names: there is nothing to mask")
                .in_file(table.name())
                .remedy("Check that this is the file you meant"),
        );
    }
    let method = method_args
        .method(table, console)
        .map_err(|error| error.in_file(table.name()))?;
    let dropped = dropped(table, args, console)?;
    let named = match method_args.attributes(table)? {
        None => args
            .attributes
            .as_deref()
            .map(|list| table.select(list))
            .transpose()?,
        named => named,
    };
    let keeping = match method_args.keep() {
        Some(keep) => keep.keeping(table, console)?,
        None => Keeping::default(),
    };
    let chosen = masked_attributes(
        (method.as_ref(), &keeping),
        table,
        named,
        args,
        &dropped,
        console,
    )?;
    let idle = method.idle(table, &chosen).into_iter();
    for idle in idle.chain(keeping.idle(table, &chosen)) {
        console.unused(&idle)?;
    }
    for &id in &chosen {
        let attribute = table.attribute(id);
        console.detail(&format!(
            "  {}: {:?}, {}",
            attribute.name, attribute.scale, attribute.scale_reason
        ));
    }
    let mut prepared = Prepared {
        method,
        keeping,
        chosen,
        dropped,
    };
    let settled = method_args
        .settled(&prepared, table, console)
        .map_err(|error| error.in_file(table.name()))?;
    if let Some(method) = settled {
        prepared.method = method;
    }
    Ok(prepared)
}

/// The attributes that do not reach the masked file: those of `--drop`, and identifiers.
fn dropped(table: &Table, args: &MaskArgs, console: &Console) -> Result<Vec<AttrId>> {
    let mut dropped = match &args.drop {
        Some(list) => table.select(list)?,
        None => Vec::new(),
    };
    let identifiers: Vec<AttrId> = table
        .ids()
        .filter(|&id| table.attribute(id).role == Role::Identifier && !dropped.contains(&id))
        .collect();
    if args.keep_identifiers {
        if identifiers.is_empty() {
            console.unused("--keep-identifiers has no effect: no attribute is an identifier")?;
        } else {
            console.note(&format!(
                "note: identifiers stay in the masked file ({}): it is for evaluation and must not be released",
                table.names(&identifiers).join(", ")
            ));
        }
    } else {
        for &id in &identifiers {
            let attribute = table.attribute(id);
            console.note(&format!(
                "note: {} is left out of the masked file: identifier ({})",
                attribute.name, attribute.role_reason
            ));
        }
        dropped.extend(identifiers);
    }
    if dropped.len() == table.attributes().len() {
        let error = match args.drop {
            Some(_) => Error::usage("no attribute would be left in the masked file")
                .remedy("Drop fewer, or declare roles in a roles file (--roles)"),
            None => Error::input("has identifiers only: nothing would be left in the masked file")
                .remedy("See 'sdcrisk describe' for how it was read; --delimiter or a roles file (--roles) override that"),
        };
        return Err(error.in_file(table.name()));
    }
    Ok(dropped)
}

fn masked_attributes(
    (method, keeping): (&dyn Mask, &Keeping),
    table: &Table,
    named: Option<Vec<AttrId>>,
    args: &MaskArgs,
    dropped: &[AttrId],
    console: &Console,
) -> Result<Vec<AttrId>> {
    let mut chosen = Vec::new();
    let by_name = named.is_some();
    for id in named.map_or_else(|| args::chosen_attributes(table, None), Ok)? {
        let name = &table.attribute(id).name;
        if dropped.contains(&id) {
            if by_name {
                return Err(Error::usage("cannot be masked and left out of the masked file at once")
                    .on_attribute(name)
                    .remedy(match args.drop {
                        Some(_) => "Mask it or drop it",
                        None => "It was taken for an identifier: say --keep-identifiers (evaluation), or declare its role in --roles",
                    }));
            }
            continue;
        }
        let why_not = method.objection(table, id).or_else(|| {
            if by_name {
                None
            } else {
                method.reluctance(table, id)
            }
        });
        match keeping.objection(table, id).or(why_not) {
            None => chosen.push(id),
            Some(why) if by_name => {
                return Err(Error::usage(why)
                    .in_file(table.name())
                    .on_attribute(name)
                    .remedy("Leave it out of --attributes, or declare its scale in a roles file (--roles)"));
            }
            Some(why) => console.note(&format!("note: {name} is not masked: it {why}")),
        }
    }
    if chosen.is_empty() {
        return Err(Error::input(format!("has no attribute that {} can mask", method.name()))
            .in_file(table.name())
            .remedy("'sdcrisk describe' shows how its attributes were read; a roles file (--roles) overrides that"));
    }
    Ok(chosen)
}

/// What of the spellings of the original is not in the masked file, and what still is.
fn spellings(masked: &Masked, console: &Console) -> Result<()> {
    const SHOWN: usize = 12;
    if !masked.respelled.is_empty() {
        console.note(&format!(
            "note: written in one spelling, since quotes, blanks, zeros or marks would say whose value it was: {}",
            text::names(&masked.respelled, SHOWN)
        ));
    }
    let table = &masked.table;
    let is_masked = |name: &str| masked.effects.iter().any(|effect| effect.attribute == name);
    let odd: Vec<String> = table
        .ids()
        .filter(|&id| !is_masked(&table.attribute(id).name))
        .filter_map(|id| {
            let odd = table.oddly_spelled(id);
            (odd > 0 && (odd < FEW || odd * FEW_IN <= table.n_records()))
                .then(|| format!("{} ({odd})", table.attribute(id).name))
        })
        .collect();
    if odd.is_empty() {
        return Ok(());
    }
    console.warn(&format!(
        "attributes that were not masked spell few records otherwise than the rest (quotes, blanks, zeros, marks), which singles these out: {}. \
         Mask them, leave them out (--drop), or write them in one way",
        text::names(&odd, SHOWN)
    ))
}

/// Fewer records than this are few, and so is one in so many.
const FEW: usize = 10;
const FEW_IN: usize = 20;

/// What was done to each attribute, for a person, with the information loss where one is defined.
fn effects(masked: &Masked) -> String {
    let lonely = match &masked.details {
        Details::Swapping { without_partner } => Some(without_partner),
        _ => None,
    };
    let loss = mask::information_loss(&masked.effects);
    let mut header = vec!["masked", "values", "changed"];
    header.extend(lonely.map(|_| "without partner"));
    header.extend(loss.map(|_| "SSE/SST"));
    let gaps = match &masked.details {
        Details::Copula(_) => "missing, redrawn",
        _ => "missing, kept",
    };
    header.extend([gaps, ""]);
    let rows: Vec<Vec<String>> = masked
        .effects
        .iter()
        .enumerate()
        .map(|(index, effect)| {
            let mut row = vec![
                effect.attribute.clone(),
                effect.values.to_string(),
                format!(
                    "{} ({})",
                    effect.changed,
                    text::percent(effect.changed as f64 / effect.values.max(1) as f64)
                ),
            ];
            // A total that was worked out anew looks for no partner.
            let alone =
                |lonely: &Vec<usize>| lonely.get(index).map_or("-".into(), usize::to_string);
            row.extend(lonely.map(alone));
            row.extend(loss.map(|_| {
                effect
                    .squared_error
                    .map_or("-".into(), |error| format!("{:.6} %", 100.0 * error))
            }));
            row.push(effect.missing.to_string());
            row.push(match (effect.changed, lonely) {
                (0, Some(_)) => {
                    "no value changed: all values are equal, or none found a partner".into()
                }
                (0, None) => "no value changed".into(),
                _ => String::new(),
            });
            row
        })
        .collect();
    let mut out = text::columns(&header, &rows, 1);
    if let Some(loss) = loss {
        out += &format!(
            "information loss, 100 SSE/SST on standardised attributes: {loss:.6} (0 = nothing lost)"
        );
    }
    out.trim_end().to_string()
}

fn shuffled(table: Table, seed: &Seed) -> (Table, Vec<u32>) {
    let mut order: Vec<u32> = (0..table.n_records())
        .filter_map(|r| u32::try_from(r).ok())
        .collect();
    order.shuffle(&mut seed.streams(Purpose::Shuffle, 0).at(0));
    (table.reordered(order.clone()), order)
}
