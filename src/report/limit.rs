//! Limits that an office sets for rates (`--fail-above`), and whether they were kept.

use serde::{Deserialize, Serialize};

use super::text;

/// A rate that a limit looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Which rate, in words: "am, knowing AGI: the rate among all records is", "unique is".
    pub what: String,
    /// The rate, a fraction.
    pub rate: f64,
    /// The greatest rate that is still good enough.
    pub limit: f64,
}

impl Judged {
    /// Whether the rate is above its limit.
    pub fn is_above(&self) -> bool {
        self.rate > self.limit
    }

    /// That it is, in words.
    pub fn sentence(&self) -> String {
        format!(
            "{} {}, above {}",
            self.what,
            text::percent(self.rate),
            text::percent(self.limit)
        )
    }
}

/// A limit, and the highest of the rates that it looks at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LimitReport {
    /// What it is set for: `rate`, `extremes`, `shares`, or the key of a measure.
    pub of: String,
    /// The greatest rate that is still good enough, a fraction.
    pub limit: f64,
    /// The highest rate that it looked at.
    pub highest: f64,
    /// Which rate that is, in words.
    pub what: String,
    /// Whether all rates that it looked at keep it.
    pub kept: bool,
}

impl LimitReport {
    /// What became of one limit; `None` if it looked at nothing.
    pub fn new(of: &str, judged: &[Judged]) -> Option<Self> {
        let highest = judged.iter().max_by(|a, b| a.rate.total_cmp(&b.rate))?;
        Some(Self {
            of: of.into(),
            limit: highest.limit,
            highest: highest.rate,
            what: highest.what.clone(),
            kept: !judged.iter().any(Judged::is_above),
        })
    }

    /// In a sentence for people.
    pub fn sentence(&self) -> String {
        let kept = if self.kept { "kept" } else { "broken" };
        format!(
            "The limit of {} is {kept}: {} {}.",
            text::percent(self.limit),
            self.what,
            text::percent(self.highest)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rate that equals its limit keeps it; one rate above breaks it, whichever it is.
    #[test]
    fn a_limit_is_kept_up_to_itself_and_by_every_rate() {
        let judged = |rate| Judged {
            what: "unique is".into(),
            rate,
            limit: 0.05,
        };
        let of = |rates: &[f64]| {
            let judged: Vec<Judged> = rates.iter().map(|&rate| judged(rate)).collect();
            LimitReport::new("shares", &judged)
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[0.01, 0.05]).map(|limit| limit.kept), Some(true));
        let broken = of(&[0.051, 0.01]).map(|limit| (limit.kept, limit.sentence()));
        let sentence = "The limit of 5.0 % is broken: unique is 5.1 %.";
        assert_eq!(broken, Some((false, sentence.into())));
    }
}
