//! `mask copula`: options, and what they mean.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{MaskArgs, MethodArgs, keeping::KeepArgs, strata::StrataArgs};
use crate::{
    error::{Error, Result},
    jobs::{
        Observer,
        link::request::Known,
        mask::{
            SecretKey,
            request::{CopulaKeep, CopulaRequest, IntruderRequest, MethodRequest, SecretUse},
        },
    },
    mask::copula::Keep,
    options::{
        files::{Files, name_of},
        records::{NumberOrFile, known_records},
        values::rate_limit,
    },
    statement::CopulaAllocation,
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask copula --risk 5% --statement m.sdc.json in.csv > masked.csv
  sdcrisk mask copula --risk 5% --known worst:7 --known-records 500 in.csv > masked.csv
  sdcrisk mask copula --mu 3 --statement m.sdc.json in.csv > masked.csv
  sdcrisk mask copula --bits 5 --given sex,region --attributes age,income,rent in.csv > m.csv
  sdcrisk mask copula --mu 2 --secret office.key --id person in.csv > masked.csv

Every masked attribute keeps its values: they change places, so its distribution, mean and total stay. Where a value goes is \
drawn for all attributes of a record together, so that their correlations stay, too. Of what single records were, those \
combinations are kept that matter much for users; those are drawn again that say much of who somebody is and little else. \
For what is lost, no other choice of them says less of the originals.

--risk sets how many people may be linked: drafts of the file, masked with other noise, are attacked by the strongest attack known \
(likelihood, balanced), and as much is kept as the limit allows. The limit is for the upper end of the 95 % interval of the mean over drafts, and for the intruder \
of --known and --known-records; without them all attributes of everybody. What is found among people who stand out, with the worst attributes, \
and for how many the attack is sure, is in the summary and in the statement. Drafts take time: about as much as some dozens of attacks.

--mu sets how much is kept: of 10 bits that single one out of 1,000 records, mu = 10 keeps many, 3 some, 1 few. --bits states \
them. Neither is a promise, above all in small files: beside them --known and --known-records measure what an intruder finds.

Amounts and ordered classes are masked, names are not: keep relations to them with --given. Missing values change places, too. \
Extreme records and values are protected more, unless --protect-extremes off says that they need not be.

Amounts of enterprises often need --keep-sums and --keep-zeros: totals are worked out from their masked parts, and zeros change \
places as patterns, before the other values do.

A second release of the same people would let an intruder average over both. With --secret the noise comes from a file of random \
bytes that only the office has and the people's identifiers, and is the same in every release. Keep that file as you keep the originals.";

#[derive(Debug, Args)]
pub struct CopulaArgs {
    /// How much is kept: 10 is much, 3 some, 1 little
    #[arg(
        long,
        value_name = "NUMBER",
        allow_negative_numbers = true,
        required_unless_present_any = ["bits", "risk"],
        conflicts_with = "bits"
    )]
    mu: Option<f64>,
    /// How much is kept: the most bits of information that a masked record has about its original; log2 of the number of records single one out
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    bits: Option<f64>,
    /// Normal laws that the scores are a mixture of: auto (by the size of the file), or a number
    #[arg(long, value_name = "NUMBER|auto", default_value = "auto", value_parser = components)]
    components: Components,
    /// How directions share what is kept
    #[arg(long, value_enum, value_name = "HOW", default_value = "minimal")]
    allocation: AllocationArg,
    /// Attributes that lose less (above 1, which all others have) or more, for example income=10; can be repeated
    #[arg(long, value_name = "NAMES=NUMBER")]
    weight: Vec<String>,
    /// Attributes that stay as they are, and to which relations are kept: names or positions
    #[arg(long, value_name = "LIST")]
    given: Option<String>,
    /// Whether extreme records keep less, and the least and greatest 2 % of values become one value each
    #[arg(long, value_enum, value_name = "on|off", default_value = "on")]
    protect_extremes: Switch,
    /// Whether the noise gets exactly the moments of its law, so that correlations are nearer [auto: from 80 records an attribute on]
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    exact_moments: Sometimes,
    /// Draw the noise from this file of random bytes and the identifiers, so that it is the same in every release
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// The attribute that identifies people, for --secret [default: the identifier, if there is one]
    #[arg(long, value_name = "NAME")]
    id: Option<String>,
    #[command(flatten)]
    keep: KeepArgs,
    #[command(flatten)]
    intruder: IntruderArgs,
    #[command(flatten)]
    strata: StrataArgs,
    #[command(flatten)]
    common: MaskArgs,
}

#[derive(Debug, Clone, Copy)]
struct Components(Option<usize>);

fn components(text: &str) -> std::result::Result<Components, String> {
    match (text, text.parse()) {
        ("auto", _) => Ok(Components(None)),
        (_, Ok(number @ 1..=1000)) => Ok(Components(Some(number))),
        _ => Err("neither auto nor a number from 1 to 1000".into()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AllocationArg {
    /// The least information for what is lost
    Minimal,
    /// The same share of each
    Uniform,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    /// They do
    On,
    /// They do not
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sometimes {
    /// Where there are enough records
    Auto,
    /// Always
    On,
    /// Never
    Off,
}

/// The intruder whose success is measured.
#[derive(Debug, Args)]
#[command(next_help_heading = "The risk")]
struct IntruderArgs {
    /// The most that may be linked, 5% or 0.05: how much is kept is found by attacking drafts of the file
    #[arg(long, value_name = "RATE", value_parser = limit, conflicts_with_all = ["mu", "bits"])]
    risk: Option<f64>,
    /// What the intruder of --risk knows: a,b,c | first:7 | sweep:7 | worst:7, as in 'sdcrisk link'; with --mu or --bits, the risk is measured
    /// [default: all that can be compared]
    #[arg(long, value_name = "KNOWN")]
    known: Option<String>,
    /// How many records the intruder knows (drawn at random), or a file with one record number a line [default: of all]
    #[arg(long, value_name = "N|FILE")]
    known_records: Option<NumberOrFile>,
}

fn limit(text: &str) -> std::result::Result<f64, String> {
    match rate_limit(text)? {
        limit if limit > 0.0 => Ok(limit),
        _ => Err("no masked file has no risk at all: it must be above 0".into()),
    }
}

impl IntruderArgs {
    /// The file of known records, if one was named.
    fn input(&self) -> Option<&Path> {
        self.known_records.as_ref()?.file()
    }

    /// The intruder, if one was described.
    ///
    /// # Errors
    /// What reading the file of known records objects to.
    fn request(&self, files: &dyn Files) -> Result<Option<IntruderRequest>> {
        if self.known.is_none() && self.known_records.is_none() {
            return Ok(None);
        }
        Ok(Some(IntruderRequest {
            known: Known::parse(self.known.as_deref(), None)?,
            records: known_records(self.known_records.as_ref(), files)?,
        }))
    }
}

/// The attributes and the number of a `--weight`.
fn weight(stated: &str) -> Result<(String, f64)> {
    let parsed = (stated.rsplit_once('='))
        .and_then(|(names, number)| Some((names.to_owned(), number.trim().parse().ok()?)));
    parsed.ok_or_else(|| {
        Error::usage(format!("--weight {stated} is not of the form NAMES=NUMBER"))
            .remedy("For example --weight income=10")
    })
}

impl MethodArgs for CopulaArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn strata(&self) -> Option<&str> {
        self.strata.list()
    }

    fn inputs(&self, _: &dyn Files) -> Vec<PathBuf> {
        (self.secret.clone().into_iter())
            .chain(self.intruder.input().map(Path::to_path_buf))
            .collect()
    }

    fn keep(&self) -> Option<&KeepArgs> {
        Some(&self.keep)
    }

    fn check(&self, observer: &dyn Observer) -> Result<()> {
        self.keep.check(observer)?;
        if self.id.is_some() && self.secret.is_none() {
            observer
                .unused("--id has no effect without --secret: nothing else asks who somebody is")?;
        }
        if !self.weight.is_empty() && self.allocation == AllocationArg::Uniform {
            observer.unused(
                "--weight has no effect on --allocation uniform, which keeps the same of everything",
            )?;
        }
        Ok(())
    }

    fn request(&self, files: &dyn Files) -> Result<MethodRequest> {
        let stated = self.mu.map(Keep::Mu).or(self.bits.map(Keep::Bits));
        let intruder = self.intruder.request(files)?;
        let keep = match (stated, self.intruder.risk) {
            (Some(keep), _) => CopulaKeep::Stated(keep, intruder),
            (None, Some(limit)) => CopulaKeep::Risk(limit, intruder.unwrap_or_default()),
            (None, None) => return Err(Error::usage("copula needs --risk, --mu or --bits")),
        };
        let weights = self.weight.iter().map(|stated| weight(stated));
        let weights = weights.collect::<Result<_>>()?;
        Ok(MethodRequest::Copula(CopulaRequest {
            keep,
            components: self.components.0,
            allocation: match self.allocation {
                AllocationArg::Minimal => CopulaAllocation::Minimal,
                AllocationArg::Uniform => CopulaAllocation::Uniform,
            },
            weights: match self.allocation {
                AllocationArg::Minimal => weights,
                AllocationArg::Uniform => Vec::new(),
            },
            given: self.given.clone(),
            protect_extremes: self.protect_extremes == Switch::On,
            exact_moments: match self.exact_moments {
                Sometimes::Auto => None,
                Sometimes::On => Some(true),
                Sometimes::Off => Some(false),
            },
            secret: self.secret.as_ref().map(|_| SecretUse {
                identifier: self.id.clone(),
            }),
        }))
    }

    fn secret(&self, files: &dyn Files) -> Result<Option<SecretKey>> {
        let Some(path) = &self.secret else {
            return Ok(None);
        };
        Ok(Some(SecretKey {
            file: name_of(path),
            bytes: files.read(path)?,
        }))
    }
}
