//! How a posterior given one-to-one links was come by.

use serde::{Deserialize, Serialize};

use super::text;
use crate::attack::balanced::Figures;

/// The figures of a posterior.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PosteriorSummary {
    /// How it was come by.
    pub by: PosteriorBy,
    /// Candidates of all records.
    pub candidates: u64,
    /// Those of them that are in no way to link as many as possible one to one.
    pub removed: u64,
    /// Records that cannot have a partner of their own, though they should.
    pub contradicted: u64,
    /// Rounds of scaling.
    pub rounds: u32,
    /// Whether more rounds would change nothing that matters.
    pub settled: bool,
    /// Permutations that were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permutations: Option<u64>,
    /// How many independent permutations would be as sure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective: Option<f64>,
}

/// How a posterior is come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PosteriorBy {
    /// By scaling the likelihoods until each record is linked once.
    Scaled,
    /// By drawing permutations.
    Sampled,
}

impl PosteriorSummary {
    /// The figures for a report.
    pub fn new(figures: Figures) -> Self {
        Self {
            by: match figures.sampling {
                Some(_) => PosteriorBy::Sampled,
                None => PosteriorBy::Scaled,
            },
            candidates: figures.candidates,
            removed: figures.removed,
            contradicted: figures.contradicted,
            rounds: figures.rounds,
            settled: figures.settled,
            permutations: figures.sampling.map(|sampling| sampling.permutations),
            effective: figures.sampling.map(|sampling| sampling.effective),
        }
    }

    /// What they mean, in sentences.
    pub fn reading(&self, method: &str) -> String {
        let mut line = format!(
            "That everybody is there once leaves {} of the {} candidates of {method}",
            self.candidates - self.removed,
            self.candidates
        );
        line += &match (self.permutations, self.effective) {
            (Some(permutations), Some(effective)) => format!(
                "; how likely each is was counted in {permutations} permutations, drawn with their probability (as sure as {} independent \
                 ones). One half of them chose the links, the other says how likely these are",
                text::count(effective.round())
            ),
            _ => "; how likely each is was worked out by scaling".into(),
        };
        line += ".";
        if self.permutations.is_none() && !self.settled {
            line += &format!(
                " After {} rounds it had not settled: --posterior sampled says more surely how likely they are.",
                self.rounds
            );
        }
        if self.contradicted > 0 {
            line += &format!(
                " But {} records cannot have a partner of their own among the candidates: what is assumed (the law, its parameters, \
                 that everybody is there) does not hold of all.",
                self.contradicted
            );
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_is_wrong() {
        let summary = PosteriorSummary {
            by: PosteriorBy::Scaled,
            candidates: 12,
            removed: 2,
            contradicted: 3,
            rounds: 2000,
            settled: false,
            permutations: None,
            effective: None,
        };
        let line = summary.reading("likelihood");
        assert!(
            line.contains("leaves 10 of the 12 candidates of likelihood"),
            "{line}"
        );
        assert!(
            line.contains("had not settled") && line.contains("But 3 records"),
            "{line}"
        );
        let sampled = PosteriorSummary {
            permutations: Some(2048),
            effective: Some(1276.4),
            contradicted: 0,
            ..summary
        };
        let line = sampled.reading("likelihood");
        assert!(
            line.contains("2048 permutations") && line.contains("as sure as 1276"),
            "{line}"
        );
        assert!(!line.contains("settled") && !line.contains("But"), "{line}");
    }
}
