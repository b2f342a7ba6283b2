//! The options of probabilistic record linkage.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};

use crate::{
    agreement::Comparator,
    attack::{
        distance_based::Standardize,
        probabilistic::{Admissible, Agree, Fit, Iterations, Probabilistic},
    },
    error::{Error, Result},
    jobs::Observer,
    options::note_idle,
};

/// Options of `prl`.
#[derive(Debug, Clone, Args)]
pub(in crate::options) struct ProbabilisticArgs {
    /// prl: when values agree: exact, sd:0.1, abs:5, rel:0.05, rank:3%, bins:20; by attribute: AGI=rank:3% [default: sd:0.1, names exact]
    #[arg(
        long,
        value_name = "COMPARATOR",
        value_delimiter = ',',
        help_heading = "Options of methods"
    )]
    pub(in crate::options) agree: Vec<String>,
    /// prl: how m and u are found [default: em-fixed-u]
    #[arg(long, value_enum, help_heading = "Options of methods")]
    pub(in crate::options) fit: Option<FitArg>,
    /// prl: what EM begins with [default: 0.9,0.1 and one match a record]
    #[arg(long, value_name = "M,U[,PRIOR]", help_heading = "Options of methods")]
    pub(in crate::options) em_start: Option<String>,
    /// prl: the most iterations of EM [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Options of methods")]
    pub(in crate::options) em_iterations: Option<usize>,
    /// prl: admitted P(linked | no match) and P(not linked | match), for two thresholds with a clerical region between
    #[arg(long, value_name = "RATE,RATE", help_heading = "Options of methods")]
    pub(in crate::options) admissible: Option<String>,
}

/// How m and u are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::options) enum FitArg {
    /// EM of m, u and the share of matches
    Em,
    /// EM of m; u counted over all pairs, the share of matches held at one a record
    EmFixedU,
    /// Counted from the true pairs: a worst case
    Known,
}

impl ProbabilisticArgs {
    /// Notes the options that have no use, and takes them away; `prl` is whether the method was named.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    pub(in crate::options) fn settle(&mut self, prl: bool, observer: &dyn Observer) -> Result<()> {
        let idle = |option: &str, given: bool, why: &str| {
            note_idle(given, option, &format!(" {why}"), observer)
        };
        if !prl {
            let why = "without the method prl";
            let agree = std::mem::take(&mut self.agree);
            idle("--agree", !agree.is_empty(), why)?;
            idle("--fit", self.fit.take().is_some(), why)?;
            idle("--em-start", self.em_start.take().is_some(), why)?;
            idle("--em-iterations", self.em_iterations.take().is_some(), why)?;
            idle("--admissible", self.admissible.take().is_some(), why)?;
        }
        if self.fit == Some(FitArg::Known) {
            let why = "with --fit known: it counts";
            idle("--em-start", self.em_start.take().is_some(), why)?;
            idle("--em-iterations", self.em_iterations.take().is_some(), why)?;
        }
        Ok(())
    }

    fn fit(&self) -> Fit {
        match self.fit.unwrap_or(FitArg::EmFixedU) {
            FitArg::Em => Fit::Em,
            FitArg::EmFixedU => Fit::EmFixedU,
            FitArg::Known => Fit::Known,
        }
    }

    /// The attack.
    ///
    /// # Errors
    /// Usage, when an option makes no sense.
    pub(in crate::options) fn attack(&self) -> Result<Probabilistic> {
        let fit = self.fit();
        let start = self.start()?;
        let most = self.em_iterations.unwrap_or(1000);
        if most == 0 {
            return Err(Error::usage("--em-iterations 0 fits nothing").remedy("Give 1 or more"));
        }
        Ok(Probabilistic {
            agree: agree(&self.agree)?,
            standardize: Standardize::Own,
            fit,
            iterations: Iterations { start, most },
            admissible: self.admissible()?,
            published: Vec::new(),
        })
    }

    fn start(&self) -> Result<(f64, f64, Option<f64>)> {
        let Some(text) = &self.em_start else {
            return Ok((0.9, 0.1, None));
        };
        let wrong = || {
            Error::usage("--em-start wants two or three probabilities between 0 and 1, m above u: M,U or M,U,PRIOR")
                .remedy("For example --em-start 0.9,0.1,0.001")
        };
        let numbers: Option<Vec<f64>> = text.split(',').map(probability).collect();
        match numbers.as_deref() {
            Some(&[m, u]) if m > u => Ok((m, u, None)),
            Some(&[m, u, prior]) if m > u => Ok((m, u, Some(prior))),
            _ => Err(wrong()),
        }
    }

    fn admissible(&self) -> Result<Option<Admissible>> {
        let Some(text) = &self.admissible else {
            return Ok(None);
        };
        let numbers: Option<Vec<f64>> = text.split(',').map(probability).collect();
        match numbers.as_deref() {
            Some(&[false_links, missed_matches]) => Ok(Some(Admissible {
                false_links,
                missed_matches,
            })),
            _ => Err(Error::usage(
                "--admissible wants two rates between 0 and 1: P(linked | no match),P(not linked | match)",
            )
            .remedy("For example --admissible 0.0001,0.05")),
        }
    }
}

/// What `--agree` says.
///
/// # Errors
/// Usage, when it cannot be.
fn agree(entries: &[String]) -> Result<Agree> {
    let mut numbers = None;
    let mut named = BTreeMap::new();
    for entry in entries {
        let twice = match entry.rsplit_once('=') {
            None => numbers.replace(comparator(entry)?).is_some(),
            Some((name, text)) => named
                .insert(name.trim().to_string(), comparator(text)?)
                .is_some(),
        };
        if twice {
            return Err(
                Error::usage("--agree says two things of the same attributes")
                    .remedy("Give each attribute once, and one comparator for all others"),
            );
        }
    }
    Ok(Agree {
        numbers: numbers.unwrap_or(Comparator::Sd(0.1)),
        named,
    })
}

fn probability(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number > 0.0 && number < 1.0).then_some(number)
}

fn comparator(text: &str) -> Result<Comparator> {
    let wrong = |what: &str| {
        Err(Error::usage(format!("--agree {text:?}: {what}"))
            .remedy("Comparators are exact, sd:0.1, abs:5, rel:0.05, rank:3%, bins:20"))
    };
    let text = text.trim();
    if text == "exact" {
        return Ok(Comparator::Exact);
    }
    let Some((kind, value)) = text.split_once(':') else {
        return wrong("there is no such comparator");
    };
    let number = value
        .strip_suffix('%')
        .filter(|_| kind == "rank")
        .unwrap_or(value)
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite() && *number > 0.0);
    match (kind, number) {
        ("bins", _) => match value.trim().parse::<u32>() {
            Ok(bins) if bins >= 2 => Ok(Comparator::Bins(bins)),
            _ => wrong("wants a whole number of bins, 2 or more"),
        },
        ("sd", Some(t)) => Ok(Comparator::Sd(t)),
        ("abs", Some(t)) => Ok(Comparator::Absolute(t)),
        ("rel", Some(t)) if t < 1.0 => Ok(Comparator::Relative(t)),
        ("rank", Some(percent)) if percent < 100.0 => Ok(Comparator::Rank(percent)),
        ("rel", _) => wrong("wants a share above 0 and below 1"),
        ("rank", _) => wrong("wants a percentage above 0 and below 100"),
        ("sd" | "abs", None) => wrong("wants a number above 0; equality is exact"),
        _ => wrong("there is no such comparator"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparators_are_read_as_they_are_written() {
        for text in ["exact", "sd:0.1", "abs:5", "rel:0.05", "rank:3%", "bins:20"] {
            assert_eq!(comparator(text).unwrap().word(), text);
        }
        assert_eq!(comparator("rank:3").unwrap(), Comparator::Rank(3.0));
        for text in [
            "",
            "equal",
            "sd",
            "sd:",
            "sd:0",
            "sd:-1",
            "sd:nan",
            "sd:inf",
            "rel:1",
            "rank:100%",
            "bins:1",
            "bins:2.5",
            "sd:3%",
            "other:1",
        ] {
            assert!(comparator(text).is_err(), "{text}");
        }
    }
}
