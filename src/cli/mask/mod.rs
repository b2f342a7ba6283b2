//! `sdcrisk mask METHOD` and `sdcrisk mask RECIPE.toml`: masks a file, in one step or in several.

mod copula;
mod fuzzy;
mod ipso;
mod keeping;
mod microaggregation;
mod noise;
mod outputs;
mod p_buckets;
mod p_distribution;
mod pram;
mod rank_swap;
mod recipe;
mod recode;
mod sample;
mod strata;
mod suppress;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};

use keeping::KeepArgs;
use outputs::Outputs;

use super::{
    Ending,
    args::{self, ReadArgs},
    console::Console,
    files,
    link::inputs::read_statements,
    merge, provenance,
};
use crate::{
    error::{Error, Result},
    evaluate::{plan::Passage, shard::Shard},
    jobs::{
        self,
        link::check_earlier,
        mask::{
            Outcome, SecretKey,
            recipe::{RecipeRequest, Release},
            request::{MaskRequest, MethodRequest},
        },
    },
    mask::{Masked, Rounding},
    report::{
        masking::{self, Line},
        part::{Part, Work},
    },
    rng::Seed,
    table::Table,
};

/// The masking methods.
#[derive(Debug, Subcommand)]
pub enum MaskMethod {
    /// Rank swapping: values change places with values of near rank
    #[command(after_help = rank_swap::HELP)]
    Rankswap(rank_swap::RankSwapArgs),
    /// Minimal information: all attributes change together, which discloses little about identities and keeps much else
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
    /// Microaggregation: similar records are replaced by the average of their group
    #[command(after_help = microaggregation::HELP)]
    Microagg(microaggregation::MicroaggregationArgs),
    /// Post-randomisation (PRAM): categories become others with published probabilities
    #[command(after_help = pram::HELP)]
    Pram(pram::PramArgs),
    /// Global recoding: values are grouped, bounded, rounded, by the rules of a file
    #[command(after_help = recode::HELP)]
    Recode(recode::RecodeArgs),
    /// Local suppression: single values become missing, until every record matches k on a key
    #[command(after_help = suppress::HELP)]
    Suppress(suppress::SuppressArgs),
    /// Sampling: a random part of the records, of the file or of each stratum
    #[command(after_help = sample::HELP)]
    Sample(sample::SampleArgs),
}

/// What `mask` does: one method, or several by a recipe.
#[derive(Debug, Subcommand)]
pub enum MaskCommand {
    #[command(flatten)]
    Method(Box<MaskMethod>),
    /// Several steps by a recipe: 'mask FILE.toml' for short
    #[command(after_help = recipe::HELP)]
    Recipe(Box<recipe::RecipeArgs>),
}

/// Options of a call, whether of a method or of a recipe.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files and attributes")]
struct CallArgs {
    /// The file to mask; - is standard input
    #[arg(value_name = "IN.csv")]
    input: PathBuf,
    /// Where the masked file goes; it appears whole or not at all. NAME.gz and NAME.zst are compressed, NAME.parquet is Parquet, if the
    /// program was built with it. - is standard output, a terminal too [default: standard output, unless it is a terminal]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write what may be published about the masking (JSON)
    #[arg(long, value_name = "FILE")]
    statement: Option<PathBuf>,
    /// The statement of what was done to the input before; --statement then holds all steps. Repeatable, in the order in which they were done
    #[arg(long, value_name = "FILE", requires = "statement")]
    after: Vec<PathBuf>,
    /// The input is not the file as it was collected, and nothing is stated of what was done before
    #[arg(long, conflicts_with = "after")]
    incomplete: bool,
    /// Put the records in random order, and write the private key of that order (CSV) to this file
    #[arg(long, value_name = "KEYFILE", alias = "shuffle-key")]
    shuffle: Option<PathBuf>,
    /// Repeatable randomness, for experiments only (for methods that draw, and for --shuffle)
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
}

/// Options of all methods.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files and attributes")]
struct MaskArgs {
    /// Attributes to mask: names or positions, for example a,b or 1-7 [default: all quasi-identifiers that can be]
    #[arg(long, value_name = "LIST")]
    attributes: Option<String>,
    #[command(flatten)]
    leave: LeaveArgs,
    /// Mask part I of N of the attributes, and write it (JSON) for 'sdcrisk merge', which makes the masked file: swapping, uncorrelated noise
    #[arg(long, value_name = "I/N", conflicts_with_all = ["statement", "after", "incomplete", "shuffle"])]
    shard: Option<Shard>,
    #[command(flatten)]
    call: CallArgs,
}

/// What is left out of a masked file.
#[derive(Debug, Args)]
struct LeaveArgs {
    /// Attributes to leave out of the masked file
    #[arg(long, value_name = "LIST")]
    drop: Option<String>,
    /// Keep identifiers in the masked file: for evaluation only, never for a release
    #[arg(long)]
    keep_identifiers: bool,
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

pub fn run(command: &MaskCommand, console: &Console) -> anyhow::Result<Ending> {
    match command {
        MaskCommand::Method(method) => {
            let method = method.args();
            let call = Call {
                args: &method.common().call,
                steps: vec![Step::alone(method)],
                recipe: None,
                leave: None,
            };
            call.mask(console)
        }
        MaskCommand::Recipe(args) => args.run(console),
    }
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
            Self::Pram(args) => args,
            Self::Recode(args) => args,
            Self::Suppress(args) => args,
            Self::Sample(args) => args,
        }
    }

    /// Whether options of the method's own name the attributes, so that `--attributes` has no use.
    pub(in crate::cli) fn names_attributes(&self) -> bool {
        self.args().names_attributes()
    }

    /// What the options mean, and the secret that noise comes from: for commands that mask a table many times, in memory.
    ///
    /// # Errors
    /// Options that contradict each other, or that most likely are not meant on this table; options of what is written are not looked at.
    pub(in crate::cli) fn checked(
        &self,
        table: &Table,
        console: &Console,
    ) -> Result<(MaskRequest, Option<SecretKey>)> {
        let args = self.args();
        args.check(console)?;
        let request = args.masking()?;
        request.method.check()?;
        args.doubt(table)
            .map_err(|error| error.in_file(table.name()))?;
        Ok((request, args.secret()?))
    }
}

impl MaskArgs {
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

impl dyn MethodArgs + '_ {
    /// What the call means, but for what it writes. Reads the files that the method wants beside the table.
    fn masking(&self) -> Result<MaskRequest> {
        let args = self.common();
        Ok(MaskRequest {
            method: self.request()?,
            attributes: args.attributes.clone(),
            dropped: args.leave.drop.clone(),
            keeps_identifiers: args.leave.keep_identifiers,
            kept: self.keep().map(KeepArgs::request).unwrap_or_default(),
            strata: self.strata().map(str::to_owned),
            shard: args.shard,
        })
    }
}

/// What the options of one method add to the course that every call takes.
trait MethodArgs {
    fn common(&self) -> &MaskArgs;

    /// Files that the method reads beside the table.
    fn inputs(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Refuses options that contradict each other, and notes those without use, before any file is read.
    fn check(&self, _console: &Console) -> Result<()> {
        Ok(())
    }

    /// Whether options of the method's own name the attributes, so that `--attributes` has no use.
    fn names_attributes(&self) -> bool {
        false
    }

    /// What is kept beside the method, of methods that can.
    fn keep(&self) -> Option<&KeepArgs> {
        None
    }

    /// The attributes that make strata, of methods that are applied to each by itself.
    fn strata(&self) -> Option<&str> {
        None
    }

    /// The decimals of new numbers, of methods that make some.
    fn decimals(&self) -> Option<&DecimalsArgs> {
        None
    }

    /// The method with its parameters. Reads the files that hold some.
    fn request(&self) -> Result<MethodRequest>;

    /// The secret that noise comes from, if there is one.
    fn secret(&self) -> Result<Option<SecretKey>> {
        Ok(None)
    }

    /// Refuses what a person has most likely not meant on this table.
    fn doubt(&self, _table: &Table) -> Result<()> {
        Ok(())
    }

    /// What the method can write beside the masked file, and where to. All of it is private.
    fn extras(&self) -> Vec<(&Path, ExtraWriter)> {
        Vec::new()
    }
}

/// Writes one of the files that a method offers beside the masked one.
type ExtraWriter = fn(&Masked, &mut dyn Write) -> std::io::Result<()>;

/// A step of a call: a method with its options, and where a recipe states them.
struct Step<'a> {
    method: &'a dyn MethodArgs,
    place: Option<Place<'a>>,
}

/// Where a recipe states a step.
struct Place<'a> {
    /// What it is called in messages: `step 2 of 3`.
    name: String,
    passage: Passage<'a>,
}

impl<'a> Step<'a> {
    fn alone(method: &'a dyn MethodArgs) -> Self {
        Self {
            method,
            place: None,
        }
    }

    /// An objection to it, at its place.
    fn blamed(&self, file: &str, error: Error) -> Error {
        match &self.place {
            Some(place) => place.passage.blamed([&place.name, file], error),
            None => error,
        }
    }

    /// Prints what was done. The notes of a step of a recipe are one, which begins with the step.
    fn say(&self, lines: Vec<Line>, console: &Console) -> Result<()> {
        let Some(place) = &self.place else {
            return say(lines, console);
        };
        let (mut notes, mut others) = (Vec::new(), Vec::new());
        for line in lines {
            match line {
                Line::Note(text) => notes.push(text),
                Line::Warning(text) => {
                    others.push(Line::Warning(format!("{}: {text}", place.name)))
                }
                Line::Insisted(text) => {
                    others.push(Line::Insisted(format!("{}: {text}", place.name)))
                }
            }
        }
        console.note(&format!("{}, {}", place.name, notes.join("\n")));
        say(others, console)
    }
}

/// Prints lines of a summary.
fn say(lines: impl IntoIterator<Item = Line>, console: &Console) -> Result<()> {
    lines.into_iter().try_for_each(|line| match line {
        Line::Note(text) => {
            console.note(&text);
            Ok(())
        }
        Line::Warning(text) => console.warn(&text),
        Line::Insisted(text) => console.insist(&text),
    })
}

/// The seed given, or 256 bits from the operating system.
fn seed_or_system(seed: Option<u64>, console: &Console) -> anyhow::Result<Seed> {
    match seed {
        Some(number) => {
            console.note(
                "note: --seed is for experiments; who can guess the seed can undo a masking, so never release such a file",
            );
            Ok(Seed::from_number(number))
        }
        None => Seed::from_system().context("a random seed is needed"),
    }
}

/// A call of `mask`: steps on a file.
struct Call<'a> {
    args: &'a CallArgs,
    /// One at least.
    steps: Vec<Step<'a>>,
    /// The recipe that states them.
    recipe: Option<&'a recipe::Written>,
    /// What a recipe is to leave out, as its steps do not say.
    leave: Option<&'a LeaveArgs>,
}

impl Call<'_> {
    fn mask(&self, console: &Console) -> anyhow::Result<Ending> {
        let args = self.args;
        let file = files::name_of(&args.input);
        for step in &self.steps {
            (step.method.check(console)).map_err(|error| step.blamed(&file, error))?;
        }
        let outputs = Outputs::planned(self)?;
        let recipe = self.request(&file)?;
        let shard = recipe.steps.iter().find_map(|step| step.shard);
        if shard.is_some() && args.seed.is_none() && recipe.is_random() {
            return Err(Error::usage(
                "without a seed each part of --shard would draw its own, and not mask the file as one run does",
            )
            .remedy("State the same --seed for all parts, and keep it to yourself: it undoes the masking")
            .into());
        }
        if args.seed.is_some() && args.shuffle.is_none() && !recipe.is_random() {
            console.unused(
                "--seed has no effect: this method draws nothing, and nothing is shuffled",
            )?;
        }
        if args.incomplete && args.statement.is_none() {
            console.unused("--incomplete has no effect without --statement, which would say so")?;
        }
        let earlier = read_statements(&args.after)?;
        let roles = self.recipe.map(recipe::Written::roles).transpose()?;
        let options = args.read.options_with(roles.flatten(), &files::Disk)?;
        let table = args::read_table(&args.input, &options, console)?;
        args.read.settle(&[&table], console)?;
        if let Some((statement, file)) = &earlier {
            check_earlier(statement, file, &table)?;
        }
        for step in &self.steps {
            let decimals = step.method.decimals();
            if decimals.is_some_and(|decimals| decimals.round) {
                console.unused("--round has no effect: new numbers have the decimals of their attribute unless --decimals full is given")?;
            }
            let doubt = step.method.doubt(&table);
            doubt.map_err(|error| step.blamed(&file, error.in_file(table.name())))?;
        }
        let seed = seed_or_system(args.seed, console)?;
        let mut release = match earlier {
            Some((earlier, _)) => Release::after(table, earlier),
            None => Release::new(table),
        };
        let Some(masked) = self.steps_of(&recipe, &mut release, &seed, console)? else {
            unreachable!("a call has a step at least")
        };
        for (path, _) in self.extras() {
            console.note(&format!(
                "note: {} is private, like a seed: it helps to undo the masking",
                path.display()
            ));
        }
        if args.shuffle.is_some() {
            release.shuffle(&seed);
        }
        console.progress("writing");
        if let Some(shard) = shard {
            let Some(columns) = jobs::mask::part(&release, shard) else {
                unreachable!("a call has a step at least")
            };
            let inputs = merge::fingerprints(&outputs.inputs)?;
            // The masked table has another content in each part.
            let provenance = provenance::of(&[]);
            let part = Part::new(shard, inputs, provenance, Work::Mask(Box::new(columns)));
            console.stage("write", || outputs.write_part(&merge::text_of(part)))?;
            return Ok(Ending::Done);
        }
        console.stage("write", || {
            outputs.write(&masked, &release, !args.incomplete)
        })?;
        Ok(Ending::Done)
    }

    /// What is asked for. What the call leaves out is left out in the first step; what it keeps, all steps keep.
    fn request(&self, file: &str) -> Result<RecipeRequest> {
        let mut recipe = RecipeRequest::default();
        for step in &self.steps {
            let request = step.method.masking().and_then(|request| {
                request.method.check()?;
                Ok(request)
            });
            let request = request.map_err(|error| step.blamed(file, error))?;
            recipe.steps.push(request);
        }
        if let Some(leave) = self.leave {
            for step in &mut recipe.steps {
                step.keeps_identifiers |= leave.keep_identifiers;
            }
            if let (Some(drop), Some(first)) = (&leave.drop, recipe.steps.first_mut()) {
                let own = first.dropped.iter().map(String::as_str);
                let all: Vec<&str> = own.chain([drop.as_str()]).collect();
                first.dropped = Some(all.join(","));
            }
        }
        Ok(recipe)
    }

    /// Does all steps, and says what they did: what the last one made.
    fn steps_of(
        &self,
        recipe: &RecipeRequest,
        release: &mut Release,
        seed: &Seed,
        console: &Console,
    ) -> Result<Option<Masked>> {
        let file = release.table().name().to_owned();
        let mut last = None;
        for (step, request) in self.steps.iter().zip(&recipe.steps) {
            // What the step before made is let go: its table is as large as the file.
            drop(last.take());
            let before = release.statement().cloned();
            let done = step.method.secret().and_then(|secret| {
                let outcome = release.then(request, secret.as_ref(), seed, console)?;
                let Outcome {
                    masked,
                    kept,
                    broken,
                } = outcome;
                let rules = request.method.rules_file();
                step.say(masking::summary(&masked, &kept, &broken, rules), console)?;
                Ok(masked)
            });
            last = Some((done.map_err(|error| step.blamed(&file, error))?, before));
        }
        let Some((masked, before)) = last else {
            return Ok(None);
        };
        let is_private = recipe.steps.iter().all(|step| step.keeps_identifiers);
        say(
            masking::unmasked(&masked, before.as_ref(), is_private),
            console,
        )?;
        Ok(Some(masked))
    }

    /// What its steps write beside the masked file.
    fn extras(&self) -> Vec<(&Path, ExtraWriter)> {
        self.steps
            .iter()
            .flat_map(|step| step.method.extras())
            .collect()
    }
}
