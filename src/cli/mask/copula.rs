//! `mask copula`: options, and what they mean.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{
    MaskArgs, MethodArgs, Prepared,
    drafts::{self, Drafts, IntruderArgs},
    keeping::KeepArgs,
};
use crate::{
    cli::{console::Console, files},
    error::{Error, Result},
    mask::{
        Details, Mask, Masked, Secret,
        copula::{Copula, Direction, Keep, Options},
    },
    report::text,
    statement::{CopulaAllocation, CopulaParameters, Method},
    table::{Role, Table},
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

--risk says how many people may be linked: drafts of the file, masked with other noise, are attacked by the strongest attack known \
(likelihood, balanced), and as much is kept as the limit allows. The limit is for the upper end of the 95 % interval of the mean over drafts, and for the intruder \
of --known and --known-records; without them all attributes of everybody. What is found among people who stand out, with the worst attributes, \
and for how many the attack is sure, is in the summary and in the statement. Drafts take time: about as much as some dozens of attacks.

--mu says how much is kept: of 10 bits that single one out of 1,000 records, mu = 10 keeps many, 3 some, 1 few. --bits states \
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
    /// How much is kept, in bits that a masked record says of its original at most; log2 of the number of records single one out
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
    /// The attribute that says who somebody is, for --secret [default: the identifier, if there is one]
    #[arg(long, value_name = "NAME")]
    id: Option<String>,
    #[command(flatten)]
    keep: KeepArgs,
    #[command(flatten)]
    intruder: IntruderArgs,
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

impl CopulaArgs {
    /// How much is kept, unless `--risk` decides.
    fn stated(&self) -> Option<Keep> {
        self.mu.map(Keep::Mu).or(self.bits.map(Keep::Bits))
    }

    /// What does not depend on the risk.
    fn of_table(&self, table: &Table) -> Result<Options> {
        let given = match &self.given {
            Some(list) => table.select(list)?,
            None => Vec::new(),
        };
        (self.common).refuse_dropped(table, &given, "is given here", "--given")?;
        let totals = self.keep.totals(table)?;
        if let Some(total) = totals.iter().find(|id| given.contains(id)) {
            return Err(Error::usage(
                "is given here, so it stays as it is: it cannot be worked out anew too",
            )
            .on_attribute(&table.attribute(*total).name)
            .remedy("Take it out of --given, or leave its --keep-sums out"));
        }
        Ok(Options {
            weights: self.weights(table)?,
            given: table.names(&given),
            secret: self.secret(table)?,
            ..self.options()
        })
    }

    /// What does not depend on a table.
    fn options(&self) -> Options {
        Options {
            allocation: match self.allocation {
                AllocationArg::Minimal => CopulaAllocation::Minimal,
                AllocationArg::Uniform => CopulaAllocation::Uniform,
            },
            weights: Vec::new(),
            components: self.components.0,
            protect_extremes: self.protect_extremes == Switch::On,
            given: Vec::new(),
            exact_moments: match self.exact_moments {
                Sometimes::Auto => None,
                Sometimes::On => Some(true),
                Sometimes::Off => Some(false),
            },
            secret: None,
        }
    }

    /// The weights by attribute.
    fn weights(&self, table: &Table) -> Result<Vec<(String, f64)>> {
        if self.allocation == AllocationArg::Uniform {
            return Ok(Vec::new());
        }
        let mut weights = Vec::new();
        for stated in &self.weight {
            let (names, number) = weight(stated)?;
            let ids = table.select(names)?;
            weights.extend(table.names(&ids).into_iter().map(|name| (name, number)));
        }
        Ok(weights)
    }

    fn secret(&self, table: &Table) -> Result<Option<Secret>> {
        let Some(path) = &self.secret else {
            return Ok(None);
        };
        let identifier = match &self.id {
            Some(name) => table.find(name)?,
            None => {
                let mut identifiers = table
                    .ids()
                    .filter(|&id| table.attribute(id).role == Role::Identifier);
                match (identifiers.next(), identifiers.next()) {
                    (Some(id), None) => id,
                    _ => {
                        return Err(Error::usage(
                            "--secret needs to know who is who: name the attribute that identifies people",
                        )
                        .remedy("Give it with --id; it need not reach the masked file"));
                    }
                }
            }
        };
        let name = table.attribute(identifier).name.clone();
        let secret = Secret::new(files::read(path)?, name);
        secret
            .map(Some)
            .map_err(|error| error.in_file(files::name_of(path)))
    }
}

/// Names and number of a `--weight`.
fn weight(stated: &str) -> Result<(&str, f64)> {
    let parsed = (stated.rsplit_once('='))
        .and_then(|(names, number)| Some((names, number.trim().parse().ok()?)));
    parsed.ok_or_else(|| {
        Error::usage(format!("--weight {stated} is not of the form NAMES=NUMBER"))
            .remedy("For example --weight income=10")
    })
}

impl MethodArgs for CopulaArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn inputs(&self) -> Vec<&Path> {
        (self.secret.as_deref().into_iter())
            .chain(self.intruder.input())
            .collect()
    }

    fn keep(&self) -> Option<&KeepArgs> {
        Some(&self.keep)
    }

    fn is_random(&self) -> bool {
        self.secret.is_none()
    }

    fn check(&self, console: &Console) -> Result<()> {
        Copula::new(self.stated().unwrap_or(Keep::Mu(1.0)), self.options())?;
        self.intruder.check()?;
        for stated in &self.weight {
            weight(stated)?;
        }
        if self.id.is_some() && self.secret.is_none() {
            console
                .unused("--id has no effect without --secret: nothing else asks who somebody is")?;
        }
        if !self.weight.is_empty() && self.allocation == AllocationArg::Uniform {
            console.unused(
                "--weight has no effect on --allocation uniform, which keeps the same of everything",
            )?;
        }
        Ok(())
    }

    fn method(&self, table: &Table, _: &Console) -> Result<Box<dyn Mask>> {
        // What --risk allows is not known yet; what is masked does not depend on it.
        let keep = self.stated().unwrap_or(Keep::Mu(1.0));
        Ok(Box::new(Copula::new(keep, self.of_table(table)?)?))
    }

    fn settled(
        &self,
        prepared: &Prepared,
        table: &Table,
        console: &Console,
    ) -> Result<Option<Box<dyn Mask>>> {
        if !self.intruder.is_asked() {
            return Ok(None);
        }
        let drafts = Drafts {
            prepared,
            table,
            intruder: &self.intruder,
            request: self.intruder.request()?,
            options: self.of_table(table)?,
            console,
        };
        let method = console.stage("risk", || drafts.settled(self.stated()))?;
        Ok(Some(Box::new(method)))
    }

    fn headline(&self, masked: &Masked) -> String {
        let Method::Copula(parameters) = &masked.statement.method else {
            return String::new();
        };
        let records = masked.statement.records as f64;
        format!(
            "mu = {:.4}, {} component{}: a masked record says {:.2} bits of its original at most, of {:.2} that single one out",
            parameters.mu,
            parameters.components.len(),
            if parameters.components.len() == 1 {
                ""
            } else {
                "s"
            },
            parameters.bits,
            records.log2()
        )
    }

    fn remarks(&self, masked: &Masked) -> Vec<String> {
        let (Details::Copula(outcome), Method::Copula(parameters)) =
            (&masked.details, &masked.statement.method)
        else {
            return Vec::new();
        };
        let mut remarks = match &parameters.risk {
            Some(risk) => drafts::remarks(risk),
            None => vec![
                "note: bits are no risk: what an intruder finds is measured with --known (a list, first:7, worst:7 ...), or set with --risk".into(),
            ],
        };
        remarks.extend([kept(&outcome.directions), exact(parameters)]);
        if outcome.bits_of_components > 0.005 {
            remarks.push(format!(
                "of the bits, {:.2} say which component of the law somebody is of",
                outcome.bits_of_components
            ));
        }
        if let Some(fitted) = outcome.fitted {
            remarks.push(format!(
                "note: the law of the scores was fitted to {fitted} records drawn at random"
            ));
        }
        if !outcome.constant.is_empty() {
            remarks.push(format!(
                "note: one value only, which stays: {}",
                text::names(&outcome.constant, 12)
            ));
        }
        if !parameters.gaps.is_empty() {
            remarks.push(format!(
                "note: missing values are as many as before, of other records: {}",
                text::names(&parameters.gaps, 12)
            ));
        }
        if let Some(given) = &parameters.given {
            remarks.push(format!(
                "kept as they are, with their relations to the masked attributes: {}",
                text::names(&given.attributes, 12)
            ));
        }
        remarks.push(if parameters.secret { format!(
            "note: the noise comes from the secret: the same in every release with it. Keep it as you keep the originals, and mask every \
             further release with --mu {}: noise that is the same with another mu would give the originals away",
            parameters.mu
        ) } else { "warning: another release of the same people would have other noise, and whoever can link both by an identifier sees \
              through much of it; --secret FILE draws the same noise each time"
        .into() });
        remarks
    }
}

/// What each direction keeps, in words.
fn kept(directions: &[Direction]) -> String {
    const SHOWN: usize = 3;
    let shown = |direction: &Direction| {
        format!(
            "{} of the variance ({}) keeps {}",
            text::percent(direction.variance),
            text::names(&direction.attributes, 4),
            text::percent(direction.kept)
        )
    };
    let lines = |some: &[Direction]| some.iter().map(shown).collect::<Vec<_>>().join("; ");
    if directions.len() <= 2 * SHOWN {
        format!(
            "correlation with the original scores, by direction: {}",
            lines(directions)
        )
    } else {
        let (first, rest) = directions.split_at(SHOWN);
        let (middle, last) = rest.split_at(rest.len() - SHOWN);
        format!(
            "correlation with the original scores, by direction: {}; {} others; the last: {}",
            lines(first),
            middle.len(),
            lines(last)
        )
    }
}

/// What of the original statistics is kept.
fn exact(parameters: &CopulaParameters) -> String {
    let marginals = match parameters.extremes {
        None => "the values of each attribute are the original ones".to_string(),
        Some(_) => format!(
            "the values of each attribute are the original ones, but for the least and the greatest {}, which became one value each (their mean; the median of classes)",
            text::percent(
                parameters
                    .extremes
                    .as_ref()
                    .map_or(0.0, |extremes| extremes.coded)
            )
        ),
    };
    let correlations = if parameters.exact_moments {
        "correlations of normal scores are kept nearly exactly"
    } else {
        "correlations of normal scores are kept on average"
    };
    format!(
        "{marginals}; {correlations}; what is not linear in scores, and groups finer than the components, is blurred"
    )
}
