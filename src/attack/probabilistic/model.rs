//! What the probabilistic attack fitted: parameters, patterns with their weights, and what must be said of them.

use serde::{Deserialize, Serialize};

use super::{
    Fit,
    em::{Fitted, Parameters, kept},
};
use crate::agreement::Pattern;

/// A fitted prior this many times more or less than what is possible is reported.
const FAR: f64 = 10.0;

/// The fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// How it was fitted.
    pub fit: Fit,
    /// The comparator of each known attribute, as it is written on the command line.
    pub comparators: Vec<String>,
    /// Parameters and how they were found.
    pub fitted: Fitted,
    /// The greatest share of pairs that can match: each record at most once.
    pub possible_prior: f64,
    /// Patterns that occur, by descending weight.
    pub patterns: Vec<PatternRow>,
    /// What must be said, each a sentence without full stop.
    pub remarks: Vec<String>,
}

/// The pairs of one pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternRow {
    /// Which attributes agree.
    pub pattern: Pattern,
    /// How many pairs show it.
    pub pairs: u64,
    /// P(pattern | match), what is missing given by its share of all pairs.
    pub m: f64,
    /// P(pattern | no match), likewise.
    pub u: f64,
    /// The weight: log(m/u).
    pub weight: f64,
    /// What becomes of such a pair, if error rates were admitted.
    pub decision: Option<Decision>,
}

/// What becomes of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// It is linked.
    Link,
    /// A clerk decides.
    Clerical,
    /// It is not linked.
    NonLink,
}

impl Decision {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Clerical => "clerical",
            Self::NonLink => "non-link",
        }
    }
}

/// The error rates that are admitted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Admissible {
    /// P(linked | no match).
    pub false_links: f64,
    /// P(not linked | match).
    pub missed_matches: f64,
}

/// All patterns with their weights, and their decisions if error rates are admitted.
pub(super) fn pattern_rows(
    counts: &[(Pattern, u64)],
    parameters: &Parameters,
    weight: impl Fn(Pattern) -> f64,
    admissible: Option<Admissible>,
) -> Vec<PatternRow> {
    let all: u64 = counts.iter().map(|&(_, pairs)| pairs).sum();
    // Patterns of which the same is missing follow each other.
    let of_missing = counts.chunk_by(|a, b| a.0.missing == b.0.missing);
    let share = |alike: &[(Pattern, u64)]| {
        let pairs = alike.iter().map(|&(_, pairs)| pairs).sum::<u64>();
        (alike[0].0.missing, pairs as f64 / all as f64)
    };
    let shares: Vec<(u32, f64)> = of_missing.map(share).collect();
    let mut rows: Vec<PatternRow> = counts
        .iter()
        .map(|&(pattern, pairs)| {
            let at = shares.partition_point(|&(missing, _)| missing < pattern.missing);
            let [m, u] = parameters.of_pattern(pattern).map(|p| p * shares[at].1);
            PatternRow {
                pattern,
                pairs,
                m,
                u,
                weight: weight(pattern),
                decision: None,
            }
        })
        .collect();
    rows.sort_by(|a, b| {
        b.weight
            .total_cmp(&a.weight)
            .then(a.pattern.cmp(&b.pattern))
    });
    if let Some(admissible) = admissible {
        decide(&mut rows, admissible);
    }
    rows
}

/// The rule of Fellegi and Sunter: from the top, patterns are linked while the probability that an unmatched pair shows one of
/// them is admitted; from the bottom, they are not linked while the probability that a match shows one of them is. Patterns of
/// equal weight share their fate. What both would have is linked.
fn decide(rows: &mut [PatternRow], admissible: Admissible) {
    for row in rows.iter_mut() {
        row.decision = Some(Decision::Clerical);
    }
    // So that a sum of shares that is the admitted one on paper is not above it by rounding.
    let within = |sum: f64, admitted: f64| sum <= admitted * (1.0 + 1e-12);
    let equal = |a: &PatternRow, b: &PatternRow| a.weight.total_cmp(&b.weight).is_eq();
    let mut used = 0.0;
    for tied in rows.chunk_by_mut(equal).rev() {
        used += tied.iter().map(|row| row.m).sum::<f64>();
        if !within(used, admissible.missed_matches) {
            break;
        }
        tied.iter_mut()
            .for_each(|row| row.decision = Some(Decision::NonLink));
    }
    used = 0.0;
    for tied in rows.chunk_by_mut(equal) {
        used += tied.iter().map(|row| row.u).sum::<f64>();
        if !within(used, admissible.false_links) {
            break;
        }
        tied.iter_mut()
            .for_each(|row| row.decision = Some(Decision::Link));
    }
}

/// What must be said of a fit.
pub(super) fn remarks(
    (known, stated): (&[String], &[Option<f64>]),
    fit: Fit,
    fitted: &Fitted,
    possible_prior: f64,
    prior_was_held: bool,
) -> Vec<String> {
    let mut remarks = Vec::new();
    let of_matrices: Vec<&str> = (known.iter().zip(stated))
        .filter(|(_, m)| m.is_some())
        .map(|(name, _)| name.as_str())
        .collect();
    if !of_matrices.is_empty() {
        remarks.push(format!(
            "m of {} follows from the published transition matrix and was not fitted; likelihood goes by the whole matrix",
            of_matrices.join(", ")
        ));
    }
    if !fitted.converged {
        remarks.push(format!(
            "the fit had not converged after {} iterations: --em-iterations allows more",
            fitted.iterations
        ));
    }
    let prior = fitted.parameters.prior;
    if prior > FAR * possible_prior || prior < possible_prior / FAR {
        remarks.push(format!(
            "the fitted share of matches is {prior:.3e}, where at most {possible_prior:.3e} of the pairs can match: the two \
             classes that it found are not matches and others, so its weights are not those of a linkage; \
             --fit em-fixed-u holds what is known"
        ));
    }
    if prior_was_held && fit == Fit::Em {
        remarks.push(
            "the share of matches was held at one match a record: fewer than three attributes, or such as agree independently of each \
             other, tell nothing of it"
                .into(),
        );
    }
    let at_limit: Vec<&str> = known
        .iter()
        .zip(fitted.parameters.m.iter().zip(stated))
        .filter(|(_, (m, stated))| **m >= kept(1.0) && stated.is_none())
        .map(|(name, _)| name.as_str())
        .collect();
    if !at_limit.is_empty() && fit != Fit::Known {
        remarks.push(format!(
            "m of {} went to its limit: a pair that disagrees there is as good as excluded, which masked values rarely bear out",
            at_limit.join(", ")
        ));
    }
    let turned: Vec<&str> = known
        .iter()
        .zip(fitted.parameters.m.iter().zip(&fitted.parameters.u))
        .filter(|(_, (m, u))| m < u)
        .map(|(name, _)| name.as_str())
        .collect();
    if !turned.is_empty() {
        remarks.push(format!(
            "m of {} is below u: agreement there counts against a match in this fit",
            turned.join(", ")
        ));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, m = (0.9, 0.8), u = (0.1, 0.2): weights fall 11, 10, 01, 00; P(γ|U) = .02 .08 .18 .72; P(γ|M) = .72 .18 .08 .02.
    #[test]
    fn thresholds_by_hand() {
        let counts = [0b00, 0b01, 0b10, 0b11].map(|agree| (Pattern { missing: 0, agree }, 1));
        let parameters = Parameters {
            m: vec![0.9, 0.8],
            u: vec![0.1, 0.2],
            prior: 0.5,
        };
        let weight = |pattern: Pattern| {
            let [m, u] = parameters.of_pattern(pattern);
            (m / u).ln()
        };
        let decided = |false_links, missed_matches| -> Vec<(u32, Decision)> {
            let admissible = Admissible {
                false_links,
                missed_matches,
            };
            let rows = pattern_rows(&counts, &parameters, weight, Some(admissible));
            let decision = |row: &PatternRow| (row.pattern.agree, row.decision.unwrap());
            rows.iter().map(decision).collect()
        };
        use Decision::{Clerical, Link, NonLink};
        let all = |decisions: [Decision; 4]| -> Vec<(u32, Decision)> {
            [0b11, 0b01, 0b10, 0b00]
                .into_iter()
                .zip(decisions)
                .collect()
        };
        assert_eq!(
            decided(0.05, 0.05),
            all([Link, Clerical, Clerical, NonLink])
        );
        assert_eq!(decided(0.101, 0.05), all([Link, Link, Clerical, NonLink]));
        assert_eq!(
            decided(0.01, 0.15),
            all([Clerical, Clerical, NonLink, NonLink])
        );
        assert_eq!(decided(0.5, 0.5), all([Link, Link, Link, NonLink]));
    }
}
