//! `sdcrisk mask METHOD`: masks a file.

mod fuzzy;
pub(in crate::cli) mod groups;
mod ipso;
mod microaggregation;
mod noise;
mod p_buckets;
mod p_distribution;
mod rank_swap;
mod recode;
mod suppress;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use rand::seq::SliceRandom;

use super::{
    Ending,
    args::{self, ReadArgs},
    console::Console,
    files::{Output, Plan, Privacy},
};
use crate::{
    error::{Error, Result},
    mask::{self, Details, Mask, Masked},
    report::{io_error, text},
    rng::{Purpose, Seed},
    table::{AttrId, Role, Table},
};

/// The masking methods.
#[derive(Debug, Subcommand)]
pub enum MaskMethod {
    /// Rank swapping: values change places with values of near rank
    #[command(after_help = "Examples:
  sdcrisk mask rankswap --p 2 in.csv > masked.csv
  sdcrisk mask rankswap --p 5 --statement masked.sdc.json -o masked.csv in.csv
  sdcrisk mask rankswap --window 10 --attributes income,taxes in.csv > masked.csv

Each attribute keeps its distribution exactly; relations between attributes are blurred, the more the larger p. Publish \
the statement with the file: users can then judge what was done. Keep the seed, if you gave one, and the key of --shuffle \
to yourself.")]
    Rankswap(rank_swap::RankSwapArgs),
    /// Fuzzy microaggregation: each record becomes the centre of a cluster drawn by its memberships
    #[command(after_help = "Examples:
  sdcrisk mask fuzzy --k 5 --m1 1.5 --m2 1.5 in.csv > masked.csv
  sdcrisk mask fuzzy --clusters 50 --m1 2 --m2 2 --starts 5 --statement m.sdc.json in.csv > m.csv
  sdcrisk mask fuzzy --m1 1.5 --m2 1.5 --group income,tax:5 --group age,rent:10 in.csv > m.csv
  sdcrisk mask fuzzy --k 5 --m1 1.5 --m2 1.2 --centres v.csv --partition c.csv in.csv > m.csv

Records are clustered, and each belongs to every cluster to some degree, the more the nearer its centre is. A cluster is \
drawn by these degrees, and the record gets the values of its centre. Who knows the method still cannot say which \
centre a record had to get. The larger m1, m2 or k, the more is lost and the less is told; near 1, m2 gives every \
record its nearest centre. Records share a centre with k others on average only: see the smallest group in the remarks.

Ordinal attributes are left as they are unless --attributes or --group names them: averages of codes are no codes.

Publish the statement with the file; keep the seed, the partition and the memberships to yourself.")]
    Fuzzy(fuzzy::FuzzyArgs),
    /// Rank swapping p-buckets: values change places with one of a bucket drawn at random, near or far
    #[command(after_help = "Examples:
  sdcrisk mask pbuckets --p 10 in.csv > masked.csv
  sdcrisk mask pbuckets --p 50 --statement masked.sdc.json -o masked.csv in.csv

The sorted values of each attribute are cut into p buckets of equal size. A value changes places with another of \
its own bucket with probability 1/2, with one of the next bucket with 1/4, then 1/8, and so on, upwards. Any two values \
can meet: unlike rankswap, what is published rules nobody out, and no intruder can confine a value to a window \
(link --method rsld).

p is a number of buckets, NOT a percentage: more buckets are smaller, so a larger p moves values less and protects \
LESS. With --p 1 every value may meet every other alike; p may be as large as the number of records.

Each attribute keeps its distribution exactly; relations between attributes are blurred, the more the smaller p. \
Publish the statement with the file; keep the seed, if you gave one, and the key of --shuffle to yourself.")]
    Pbuckets(p_buckets::PBucketsArgs),
    /// Rank swapping p-distribution: the rank difference of a swap follows a normal law
    #[command(after_help = "Examples:
  sdcrisk mask pdistribution --p 5 in.csv > masked.csv
  sdcrisk mask pdistribution --p 2 --attributes income,taxes --statement m.sdc.json in.csv > m.csv

A value changes places with one whose rank is r higher; r follows the normal law with mean and standard deviation \
p/2 percent of the number of records, and is drawn again until there is such a partner: swaps go farther on average \
than the law says. Nearly all swaps stay within 2p percent, and none is ruled out: unlike rankswap, \
what is published confines no value to a window (link --method rsld). A larger p moves values farther and protects more.

Each attribute keeps its distribution exactly; relations between attributes are blurred, the more the larger p. \
Publish the statement with the file; keep the seed, if you gave one, and the key of --shuffle to yourself.")]
    Pdistribution(p_distribution::PDistributionArgs),
    /// Additive noise: a normal number is added to each value
    #[command(after_help = "Examples:
  sdcrisk mask noise --level 0.1 in.csv > masked.csv
  sdcrisk mask noise --level 0.05 --correlated --restore --statement m.sdc.json in.csv > m.csv
  sdcrisk mask noise --level 0.2 --round --attributes income,taxes in.csv > masked.csv

Noise with mean 0 and level times the variance of the attribute: level 0.1 is a standard deviation of 32 % of the \
attribute's. A larger level protects more. Means are kept on average; variances grow by the factor 1 + level, which \
--restore takes back. Without --correlated the correlations shrink by the factor 1/(1 + level); with it they stay, and \
so do sums of attributes (--restore and --round keep sums only roughly).

Only amounts get noise: codes and classes are left as they are, and missing values stay missing. Amounts can become \
negative and, without --round, get decimals.

Publish the statement with the file: users can then correct their estimates for the noise. Keep the seed, if you gave \
one, and the key of --shuffle to yourself.")]
    Noise(noise::NoiseArgs),
    /// IPSO: quasi-identifiers are replaced by predictions from the confidential attributes
    #[command(after_help = "Examples:
  sdcrisk mask ipso --variant c --confidential income,tax in.csv > masked.csv
  sdcrisk mask ipso --variant a --roles roles.toml --statement m.sdc.json in.csv > m.csv
  sdcrisk mask ipso --variant b --confidential 4-6 --attributes age,rent --round in.csv > m.csv

Confidential attributes stay as they are; the others are predicted from them by linear regression.
  a  predictions alone: whoever repeats the regression finds the same coefficients; variances are too small
  b  with random scatter: the same coefficients exactly, variances nearly
  c  with random scatter: the same coefficients, variances and correlations exactly

With --no-intercept neither means nor, by c, variances and correlations are kept exactly: only squares and products \
about the fit are.

The predictions of a hold no chance: the better the regression, the nearer they are to the old values, and the easier \
people are found. b and c blur them by what the regression does not explain.

Ordinal attributes are left as they are unless --attributes names them: averages of codes are no codes.")]
    Ipso(ipso::IpsoArgs),
    /// Microaggregation: records alike get the average of their group
    #[command(after_help = "Examples:
  sdcrisk mask microagg --k 3 in.csv > masked.csv
  sdcrisk mask microagg --group 'age,income:5' --group 'tax,rent:3' -o masked.csv in.csv
  sdcrisk mask microagg --k 5 --algorithm exchange --statement masked.sdc.json in.csv > masked.csv
  sdcrisk mask microagg --k 3 --algorithm individual-ranking in.csv > masked.csv

Every record equals at least k-1 others in the attributes that were aggregated together, where nothing is missing: gaps \
stay, and a warning says what that costs. The larger k, and the more attributes together, the better hidden and the more \
is lost. The information loss (100 SSE/SST) on standard error says how much: 0 is nothing, 100 is as if everybody had the \
mean.

Attributes aggregated in several groups, or each on its own, lose less and hide less: an intruder who knows several of \
them can intersect the groups.")]
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
    /// Where the masked file goes; it appears whole or not at all
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
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
    #[arg(long, value_name = "KEYFILE")]
    shuffle: Option<PathBuf>,
    /// Repeatable randomness, for experiments only (for methods that draw, and for --shuffle)
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
}

pub fn run(method: &MaskMethod, console: &Console) -> anyhow::Result<Ending> {
    match method {
        MaskMethod::Rankswap(args) => mask(args, console),
        MaskMethod::Fuzzy(args) => mask(args, console),
        MaskMethod::Pbuckets(args) => mask(args, console),
        MaskMethod::Pdistribution(args) => mask(args, console),
        MaskMethod::Noise(args) => mask(args, console),
        MaskMethod::Ipso(args) => mask(args, console),
        MaskMethod::Microagg(args) => mask(args, console),
        MaskMethod::Recode(args) => mask(args, console),
        MaskMethod::Suppress(args) => mask(args, console),
    }
}

impl MaskArgs {
    /// Refuses `--attributes` for a method whose attributes are named by `rules`.
    fn refuse_attributes(&self, method: &str, rules: &str) -> Result<()> {
        match self.attributes.is_some() {
            true => Err(Error::usage(format!(
                "--attributes has no effect on {method}: {rules} names the attributes"
            ))
            .remedy("Leave it out")),
            false => Ok(()),
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

    /// Whether the method draws at random.
    fn is_random(&self) -> bool {
        true
    }

    /// Refuses options that contradict each other, before any file is read.
    fn check(&self) -> Result<()>;

    /// The attributes that the method's own options name; `None` where `--attributes` or the roles decide.
    fn attributes(&self, _table: &Table) -> Result<Option<Vec<AttrId>>> {
        Ok(None)
    }

    /// The method with its parameters, checked against the table.
    fn method(&self, table: &Table) -> Result<Box<dyn Mask>>;

    /// What the method can write beside the masked file, and where to. All of it is private.
    fn extras(&self) -> Vec<(&Path, ExtraWriter)> {
        Vec::new()
    }

    /// The parameters that were in effect, for a person.
    fn headline(&self, masked: &Masked) -> String;

    /// What a person should know of the result: warnings, and what only this method can tell.
    fn remarks(&self, _masked: &Masked) -> Vec<String> {
        Vec::new()
    }
}

/// Writes one of the files that a method offers beside the masked one.
type ExtraWriter = fn(&Masked, &mut dyn Write) -> std::io::Result<()>;

fn mask(method_args: &dyn MethodArgs, console: &Console) -> anyhow::Result<Ending> {
    let args = method_args.common();
    method_args.check()?;
    if args.seed.is_some() && args.shuffle.is_none() && !method_args.is_random() {
        return Err(Error::usage(
            "--seed has no effect: this method draws nothing, and nothing is shuffled",
        )
        .remedy("Leave it out")
        .into());
    }
    let outputs = Outputs::planned(method_args)?;
    let options = args.read.options()?;
    let table = args::read_table(&args.input, &options, console)?;
    if table.n_records() == 0 {
        return Err(
            Error::input("has no records, only names: there is nothing to mask")
                .in_file(table.name())
                .remedy("Check that this is the file you meant")
                .into(),
        );
    }
    let method = method_args
        .method(&table)
        .map_err(|error| error.in_file(table.name()))?;
    let dropped = dropped(&table, args, console)?;
    let named = match method_args.attributes(&table)? {
        None => args
            .attributes
            .as_deref()
            .map(|list| table.select(list))
            .transpose()?,
        named => named,
    };
    let chosen = masked_attributes(method.as_ref(), &table, named, args, &dropped, console)?;
    for &id in &chosen {
        let attribute = table.attribute(id);
        console.detail(&format!(
            "  {}: {:?}, {}",
            attribute.name, attribute.scale, attribute.scale_reason
        ));
    }
    let seed = args::seed_or_system(args.seed, console)?;
    console.progress(&format!("masking {}", table.name()));
    let name = table.name().to_owned();
    let mut masked = console
        .stage(method.name(), || {
            method.mask(table, &chosen, &seed.streams(Purpose::Mask, 0))
        })
        .map_err(|error| error.in_file(name))?;
    console.note(&format!(
        "{}: {} records, {}",
        method.name(),
        masked.statement.records,
        method_args.headline(&masked)
    ));
    console.note(&effects(&masked));
    for remark in method_args.remarks(&masked) {
        console.note(&remark);
    }
    for (path, _) in method_args.extras() {
        console.note(&format!(
            "warning: {} is private, like a seed: it helps to undo the masking",
            path.display()
        ));
    }
    let order;
    (masked.table, order) = {
        let released = masked.table.without(&dropped);
        match args.shuffle {
            Some(_) => {
                masked.statement.shuffled = true;
                shuffled(released, &seed)
            }
            None => (released, Vec::new()),
        }
    };

    console.progress("writing");
    console.stage("write", || outputs.write(&masked, &order))?;
    Ok(Ending::Done)
}

/// What a call writes, opened before any work is done.
struct Outputs {
    key: Option<Output>,
    statement: Option<Output>,
    extras: Vec<(Output, ExtraWriter)>,
    table: Output,
}

impl Outputs {
    fn planned(method_args: &dyn MethodArgs) -> Result<Self> {
        let args = method_args.common();
        let mut plan = Plan::default();
        plan.input(&args.input)?;
        args.read.plan(&mut plan)?;
        for input in method_args.inputs() {
            plan.input(input)?;
        }
        let extras = method_args.extras();
        let fixed = [
            Some(&args.output),
            args.statement.as_ref(),
            args.shuffle.as_ref(),
        ];
        for path in fixed.into_iter().flatten() {
            plan.output(path)?;
        }
        for (path, _) in &extras {
            plan.output(path)?;
        }
        let open = |path: &Option<PathBuf>, privacy| {
            path.as_deref()
                .map(|path| plan.open(path, privacy))
                .transpose()
        };
        Ok(Self {
            key: open(&args.shuffle, Privacy::Private)?,
            statement: open(&args.statement, Privacy::Ordinary)?,
            extras: extras
                .into_iter()
                .map(|(path, writer)| Ok((plan.open(path, Privacy::Private)?, writer)))
                .collect::<Result<_>>()?,
            table: plan.open(&args.output, Privacy::Ordinary)?,
        })
    }

    /// Writes everything, then lets it appear: the masked file last, never without its statement and key.
    fn write(mut self, masked: &Masked, order: &[u32]) -> anyhow::Result<()> {
        if let Some(key) = &mut self.key {
            key.write(|out| write_key(out, order))?;
        }
        if let Some(output) = &mut self.statement {
            output.write(|out| out.write_all(masked.statement.to_json().as_bytes()))?;
        }
        for (output, writer) in &mut self.extras {
            output.write(|out| writer(masked, out))?;
        }
        self.table.write(|mut out| masked.table.write(&mut out))?;
        let extras = self.extras.into_iter().map(|(output, _)| output);
        let others = [self.key, self.statement].into_iter().flatten();
        for output in others.chain(extras).chain([self.table]) {
            output.keep()?;
        }
        Ok(())
    }
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
            return Err(Error::usage(
                "--keep-identifiers has no effect: no attribute is an identifier",
            )
            .in_file(table.name())
            .remedy("Leave it out; 'sdcrisk describe' shows the roles"));
        }
        console.note(&format!(
            "note: identifiers stay in the masked file ({}): it is for evaluation and must not be released",
            names(table, &identifiers).join(", ")
        ));
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
    method: &dyn Mask,
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
        let why_not = method.objection(table, id).or_else(|| match by_name {
            true => None,
            false => method.reluctance(table, id),
        });
        match why_not {
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

fn names(table: &Table, ids: &[AttrId]) -> Vec<String> {
    ids.iter()
        .map(|&id| table.attribute(id).name.clone())
        .collect()
}

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
    header.extend(["missing, kept", ""]);
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
            row.extend(lonely.map(|lonely| lonely[index].to_string()));
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

/// Which group or cluster each record is in, for attributes that were masked together.
struct Assignment<'a> {
    attributes: &'a [String],
    /// From 0, one a record of the original file.
    of_record: &'a [u32],
}

/// Writes a line for each record of the original file: its number, and those of its groups, all counted from 1, nothing where it
/// is in `none`. The columns are named by `word`, and by their attributes where there are several.
fn write_assignments(
    word: &str,
    columns: &[Assignment<'_>],
    none: u32,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let mut header = vec!["record".to_owned()];
    header.extend(columns.iter().map(|column| match columns.len() {
        1 => word.to_owned(),
        _ => format!("{word} of {}", column.attributes.join("+")),
    }));
    writer.write_record(&header).map_err(io_error)?;
    let records = columns.first().map_or(0, |column| column.of_record.len());
    for record in 0..records {
        let mut line = vec![(record + 1).to_string()];
        line.extend(columns.iter().map(|column| match column.of_record[record] {
            number if number == none => String::new(),
            number => (u64::from(number) + 1).to_string(),
        }));
        writer.write_record(&line).map_err(io_error)?;
    }
    writer.flush()
}

fn shuffled(table: Table, seed: &Seed) -> (Table, Vec<u32>) {
    let mut order: Vec<u32> = (0..table.n_records())
        .filter_map(|r| u32::try_from(r).ok())
        .collect();
    order.shuffle(&mut seed.streams(Purpose::Shuffle, 0).at(0));
    (table.reordered(order.clone()), order)
}

/// The key of a shuffled file: which original record each masked record is, both counted from 1.
fn write_key(out: &mut dyn Write, order: &[u32]) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer
        .write_record(["masked", "original"])
        .map_err(io_error)?;
    for (masked, &original) in order.iter().enumerate() {
        writer
            .serialize((masked + 1, u64::from(original) + 1))
            .map_err(io_error)?;
    }
    writer.flush()
}
