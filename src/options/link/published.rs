//! What the office published about the masking, as options of the command line.

use clap::Args;

use super::microaggregation::MicroaggregationArgs;
use crate::{
    error::{Error, Result},
    jobs::link::request::{OfAttribute, Published, RankSwapping},
    mask::rank_swap::Reach,
};

/// What was published.
#[derive(Debug, Clone, Args)]
pub struct PublishedArgs {
    /// Published percentage of rank swapping (for rsld and involution an upper bound will do, likelihood takes it as exact); by attribute: AGI=2,FICA=5 (a bare number is for the rest)
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', conflicts_with_all = ["window", "statement"], help_heading = "What was published")]
    pub(super) p: Vec<String>,
    /// Published window of rank swapping in ranks (for rsld and involution an upper bound will do); by attribute as in --p
    #[arg(
        long,
        value_name = "RANKS",
        value_delimiter = ',',
        conflicts_with = "statement",
        help_heading = "What was published"
    )]
    pub(super) window: Vec<String>,
    /// The statement that 'mask --statement' wrote; repeatable: of steps that followed each other, in their order
    #[arg(long, value_name = "FILE", help_heading = "What was published")]
    pub statement: Vec<std::path::PathBuf>,
    /// Confirms that a p below 1 is meant in percent
    #[arg(long, value_name = "UNIT", value_parser = ["percent"], help_heading = "What was published")]
    pub(super) p_unit: Option<String>,
    #[command(flatten)]
    pub(super) microaggregation: MicroaggregationArgs,
}

impl PublishedArgs {
    /// The option by which something was said of rank swapping alone, if any was.
    pub(super) fn of_rank_swapping(&self) -> Option<&'static str> {
        [
            (!self.p.is_empty(), "--p"),
            (!self.window.is_empty(), "--window"),
        ]
        .into_iter()
        .find_map(|(given, option)| given.then_some(option))
    }

    /// The same for a request.
    ///
    /// # Errors
    /// Usage, when something is said that cannot be.
    pub(super) fn request(&self) -> Result<Published> {
        Ok(Published {
            rank_swapping: rank_swapping(&self.p, &self.window, self.p_unit.is_some())?,
            groups: self.microaggregation.groups(),
        })
    }
}

/// What `--p`, `--window` and `--p-unit percent` say.
///
/// # Errors
/// Usage, when it cannot be.
pub(in crate::options) fn rank_swapping(
    p: &[String],
    window: &[String],
    in_percent: bool,
) -> Result<Option<RankSwapping>> {
    if !p.is_empty() {
        let percent = entries(p, |text, alone| percent(text, alone, in_percent))?;
        return Ok(Some(RankSwapping::Percent(percent)));
    }
    if window.is_empty() {
        return Ok(None);
    }
    let windows = entries(window, |text, alone| {
        let window = text.parse::<usize>().map_err(|_| {
            Error::usage("--window wants a number of ranks, or NAME=RANKS for single attributes")
                .remedy("For example --window 20, or --window AGI=20,FICA=50")
        })?;
        match (window, alone) {
            (0, true) => Err(Error::usage("--window 0 says that no value was moved")
                .remedy("Give a window of at least 1 rank")),
            (window, _) => Ok(window),
        }
    })?;
    Ok(Some(RankSwapping::Window(windows)))
}

/// Whether one of the entries of `--p` is below 1, which `--p-unit percent` confirms.
pub(in crate::options) fn has_p_below_1(p: &[String]) -> bool {
    let below_1 = |entry: &String| {
        let number = entry.rsplit('=').next().unwrap_or_default();
        number.trim().parse::<f64>().is_ok_and(|p| p < 1.0)
    };
    p.iter().any(below_1)
}

/// Entries `NUMBER` and `NAME=NUMBER`. `number` is given whether no entry names an attribute.
fn entries<T>(
    texts: &[String],
    number: impl Fn(&str, bool) -> Result<T>,
) -> Result<Vec<OfAttribute<T>>> {
    let alone = !texts.iter().any(|text| text.contains('='));
    let entry = |text: &String| {
        Ok(match text.rsplit_once('=') {
            None => OfAttribute {
                name: None,
                number: number(text.trim(), alone)?,
            },
            Some((name, text)) => OfAttribute {
                name: Some(name.trim().into()),
                number: number(text.trim(), false)?,
            },
        })
    };
    texts.iter().map(entry).collect()
}

fn percent(text: &str, alone: bool, in_percent: bool) -> Result<f64> {
    let p: f64 = text.parse().map_err(|_| {
        Error::usage("--p wants a percentage, or NAME=PERCENT for single attributes")
            .remedy("For example --p 5, or --p AGI=2,FICA=5,0")
    })?;
    if !alone && p == 0.0 {
        return Ok(0.0);
    }
    Reach::percent(p)?;
    if p < 1.0 && !in_percent {
        return Err(
            Error::usage(format!("--p {p} looks like a fraction; p is a percentage"))
                .remedy("If it is meant in percent, add --p-unit percent"),
        );
    }
    Ok(p)
}
