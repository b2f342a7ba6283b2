//! The options of `sdcrisk mask METHOD` and `sdcrisk mask RECIPE.toml`, and what they mean.

mod copula;
mod fuzzy;
mod ipso;
mod keeping;
mod microaggregation;
mod noise;
mod p_buckets;
mod p_distribution;
mod pram;
mod rank_swap;
mod recipe;
mod recode;
mod sample;
mod strata;
mod suppress;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::{files::Files, note_idle, read::ReadArgs};
use crate::{
    error::Result,
    evaluate::shard::Shard,
    jobs::{
        Observer,
        mask::{
            SecretKey,
            request::{MaskRequest, MethodRequest},
        },
    },
    mask::Rounding,
    table::Table,
};
use keeping::KeepArgs;
pub use recipe::RecipeArgs;

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
    Recipe(Box<RecipeArgs>),
}

/// Options of a call, whether of a method or of a recipe.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files and attributes")]
pub struct CallArgs {
    /// The file to mask; - is standard input
    #[arg(value_name = "IN.csv")]
    pub input: PathBuf,
    /// Where the masked file goes; it appears whole or not at all. NAME.gz and NAME.zst are compressed, NAME.parquet is Parquet, if the
    /// program was built with it. - is standard output, a terminal too [default: standard output, unless it is a terminal]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write what may be published about the masking (JSON)
    #[arg(long, value_name = "FILE")]
    pub statement: Option<PathBuf>,
    /// The statement of what was done to the input before; --statement then holds all steps. Repeatable, in the order in which they were done
    #[arg(long, value_name = "FILE", requires = "statement")]
    pub after: Vec<PathBuf>,
    /// The input is not the file as it was collected, and nothing is stated of what was done before
    #[arg(long, conflicts_with = "after")]
    pub incomplete: bool,
    /// Put the records in random order, and write the private key of that order (CSV) to this file
    #[arg(long, value_name = "KEYFILE", alias = "shuffle-key")]
    pub shuffle: Option<PathBuf>,
    /// Repeatable randomness, for experiments only (for methods that draw, and for --shuffle)
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// Options of all methods.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files and attributes")]
pub struct MaskArgs {
    /// Attributes to mask: names or positions, for example a,b or 1-7 [default: all quasi-identifiers that can be]
    #[arg(long, value_name = "LIST")]
    attributes: Option<String>,
    #[command(flatten)]
    leave: LeaveArgs,
    /// Mask part I of N of the attributes, and write it (JSON) for 'sdcrisk merge', which makes the masked file: swapping, uncorrelated noise
    #[arg(long, value_name = "I/N", conflicts_with_all = ["statement", "after", "incomplete", "shuffle"])]
    pub shard: Option<Shard>,
    #[command(flatten)]
    pub call: CallArgs,
}

/// What is left out of a masked file.
#[derive(Debug, Args)]
pub struct LeaveArgs {
    /// Attributes to leave out of the masked file
    #[arg(long, value_name = "LIST")]
    pub drop: Option<String>,
    /// Keep identifiers in the masked file: for evaluation only, never for a release
    #[arg(long)]
    pub keep_identifiers: bool,
}

/// How many decimals new numbers have.
#[derive(Debug, Args)]
pub struct DecimalsArgs {
    /// Decimals of new numbers
    #[arg(long, value_enum, value_name = "WHICH", default_value = "column")]
    decimals: DecimalsArg,
    /// What `--decimals column` does.
    #[arg(long, hide = true, conflicts_with = "decimals")]
    pub round: bool,
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

impl MaskMethod {
    /// The options of the method.
    pub fn args(&self) -> &dyn MethodArgs {
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
    pub(super) fn names_attributes(&self) -> bool {
        self.args().names_attributes()
    }

    /// What the options mean, and the secret that noise comes from: for commands that mask a table many times, in memory.
    ///
    /// # Errors
    /// Options that contradict each other, or that most likely are not meant on this table; options of what is written are not looked at.
    pub fn checked(
        &self,
        table: &Table,
        files: &dyn Files,
        observer: &dyn Observer,
    ) -> Result<(MaskRequest, Option<SecretKey>)> {
        let args = self.args();
        args.check(observer)?;
        let request = args.masking(files)?;
        request.method.check()?;
        args.doubt(table)
            .map_err(|error| error.in_file(table.name()))?;
        Ok((request, args.secret(files)?))
    }
}

impl MaskArgs {
    /// Notes `--attributes` of a method whose attributes are named by `rules`.
    fn note_attributes(&self, method: &str, rules: &str, observer: &dyn Observer) -> Result<()> {
        let why = format!(" on {method}: {rules} names the attributes");
        note_idle(self.attributes.is_some(), "--attributes", &why, observer)
    }
}

impl dyn MethodArgs + '_ {
    /// What the call means, but for what it writes. Reads the files that the method wants beside the table.
    pub fn masking(&self, files: &dyn Files) -> Result<MaskRequest> {
        let args = self.common();
        Ok(MaskRequest {
            method: self.request(files)?,
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
pub trait MethodArgs {
    /// The options of all methods.
    fn common(&self) -> &MaskArgs;

    /// Files that the method reads beside the table.
    fn inputs(&self, _files: &dyn Files) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Refuses options that contradict each other, and notes those without use, before any file is read.
    fn check(&self, _observer: &dyn Observer) -> Result<()> {
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
    fn request(&self, files: &dyn Files) -> Result<MethodRequest>;

    /// The secret that noise comes from, if there is one.
    fn secret(&self, _files: &dyn Files) -> Result<Option<SecretKey>> {
        Ok(None)
    }

    /// Refuses what a person has most likely not meant on this table.
    fn doubt(&self, _table: &Table) -> Result<()> {
        Ok(())
    }

    /// What the method can write beside the masked file, and where to. All of it is private.
    fn extras(&self) -> Vec<(&Path, Extra)> {
        Vec::new()
    }
}

/// What a method can write beside the masked file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// The group of each record.
    Partition,
    /// The centres that a clustering found.
    Centres,
    /// The memberships by which clusters were drawn.
    Memberships,
}
