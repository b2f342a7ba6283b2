//! `sdcrisk mask METHOD`: masks a file.

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
mod recode;
mod sample;
mod suppress;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand, ValueEnum};

use keeping::KeepArgs;
use outputs::Outputs;

use super::{
    Ending,
    args::{self, ReadArgs},
    console::Console,
    files,
    link::inputs::read_statements,
};
use crate::{
    error::{Error, Result},
    jobs::{
        link::check_earlier,
        mask::{
            self, Prepared, SecretKey,
            request::{MaskRequest, MethodRequest, RulesFile},
        },
    },
    mask::{Masked, Rounding},
    report::masking::{self, Line},
    statement::Statement,
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

    /// The options, checked against a table: for commands that mask it many times, in memory.
    ///
    /// # Errors
    /// As for [`run`]; options of what is written are not looked at.
    pub(in crate::cli) fn prepared(&self, table: &Table, console: &Console) -> Result<Prepared> {
        if let Self::Sample(_) = self {
            return Err(Error::usage(
                "a sample has fewer records than its original, which are compared line by line here",
            )
            .remedy("Leave it out: mask the file once with it, and attack that with 'link'"));
        }
        let args = self.args();
        args.check(console)?;
        prepared(args, &args.masking()?, table, console)
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
            dropped: args.drop.clone(),
            keeps_identifiers: args.keep_identifiers,
            kept: self.keep().map(KeepArgs::request).unwrap_or_default(),
        })
    }
}

/// What the options of one method add to the course that every call takes.
trait MethodArgs {
    fn common(&self) -> &MaskArgs;

    /// Files that the method reads beside the table.
    fn inputs(&self) -> Vec<&Path> {
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

fn mask(method_args: &dyn MethodArgs, console: &Console) -> anyhow::Result<Ending> {
    let args = method_args.common();
    method_args.check(console)?;
    let outputs = Outputs::planned(method_args)?;
    let request = method_args.masking()?;
    request.method.check()?;
    if args.seed.is_some() && args.shuffle.is_none() && !request.is_random() {
        console
            .unused("--seed has no effect: this method draws nothing, and nothing is shuffled")?;
    }
    if args.incomplete && args.statement.is_none() {
        console.unused("--incomplete has no effect without --statement, which would say so")?;
    }
    let earlier = read_statements(&args.after)?;
    let options = args.read.options()?;
    let table = args::read_table(&args.input, &options, console)?;
    if let Some((statement, file)) = &earlier {
        check_earlier(statement, file, &table)?;
    }
    if method_args
        .decimals()
        .is_some_and(|decimals| decimals.round)
    {
        console.unused("--round has no effect: new numbers have the decimals of their attribute unless --decimals full is given")?;
    }
    let prepared = prepared(method_args, &request, &table, console)?;
    let seed = args::seed_or_system(args.seed, console)?;
    let mut outcome = prepared.run(table, &seed, console)?;
    let masked = &mut outcome.masked;
    let rules = request.method.rules_file();
    let summary = masking::summary(masked, &outcome.kept, &outcome.broken, rules);
    let history = earlier.as_ref().map(|(statement, _)| statement);
    let singling = masking::singling(masked, history).filter(|_| !args.keep_identifiers);
    for line in summary.iter().chain(&singling) {
        match line {
            Line::Note(text) => console.note(text),
            Line::Warning(text) => console.warn(text)?,
            Line::Insisted(text) => console.insist(text)?,
        }
    }
    for (path, _) in method_args.extras() {
        console.note(&format!(
            "note: {} is private, like a seed: it helps to undo the masking",
            path.display()
        ));
    }
    let order = (args.shuffle.as_ref()).map(|_| mask::shuffle(masked, &seed));
    console.progress("writing");
    let mut statement = match earlier {
        Some((mut earlier, _)) => {
            earlier.append([masked.step.clone()]);
            earlier
        }
        None => Statement::from(masked.step.clone()),
    };
    statement.complete &= !args.incomplete;
    console.stage("write", || {
        outputs.write(masked, &statement, &order.unwrap_or_default())
    })?;
    Ok(Ending::Done)
}

/// A file of rules or of a matrix, as a request holds it.
fn read_rules(path: &Path) -> Result<RulesFile> {
    Ok(RulesFile {
        file: files::name_of(path),
        text: args::read_text(path)?,
    })
}

/// The options of a call, checked against its table.
fn prepared(
    method_args: &dyn MethodArgs,
    request: &MaskRequest,
    table: &Table,
    console: &Console,
) -> Result<Prepared> {
    method_args
        .doubt(table)
        .map_err(|error| error.in_file(table.name()))?;
    mask::prepare(request, table, method_args.secret()?.as_ref(), console)
}
