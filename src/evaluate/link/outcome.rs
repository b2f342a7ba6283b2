//! What becomes of an attack: its figures, its claims, and what it fitted.

use std::collections::BTreeMap;

use crate::{
    agreement::Pattern,
    attack::{
        balanced,
        one_to_one::Total,
        probabilistic::{Agreed, Model, PatternRow},
    },
    evaluate::{beyond::Beyond, calibration::Calibration, score::Score, seekers::Findings},
};

/// What an attack achieved.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it fared among people who stand out, and with its surest links.
    pub beyond: Beyond,
    /// How its claims were judged.
    pub score: Score,
    /// Of a one-to-one assignment.
    pub assignment: Option<Total>,
    /// What an attack with likelihoods says of its own success; not of a one-to-one assignment, which states nothing.
    pub calibration: Option<Calibration>,
    /// How the posterior given one-to-one links was come by, if it was asked for.
    pub posterior: Option<balanced::Figures>,
    /// What was fitted, if the attack fits a model.
    pub fitted: Option<FittedModel>,
    /// Its claims, if they were asked for: one a seeker, by ascending file record.
    pub links: Vec<Claim>,
    /// What must be said of it, found while these files were attacked; each a sentence without full stop.
    pub caveats: Vec<String>,
    /// What was found out of the seekers of a shard, where these alone are judged; all figures are then those of nobody.
    pub findings: Option<Findings>,
}

/// What an attack claims about one record. Records are numbered from 0 as in their files.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The record that looked.
    pub record: u32,
    /// The records it is linked with, ascending; several if they tie, none if there was no candidate.
    pub linked: Vec<u32>,
    /// Their distance.
    pub distance: Option<f64>,
    /// Size of the candidate set.
    pub candidates: u32,
    /// Number of records that tie.
    pub tied: u32,
    /// The place of the true record in the order of distance, ties at the best place; `None` outside the candidates.
    pub rank_of_true: Option<u32>,
}

/// A fitted model, and what the truth says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedModel {
    /// What EM fitted to the pairs: shares and weights of the patterns.
    pub model: Model,
    /// True pairs of each of its patterns.
    pub matches: Vec<u64>,
}

impl FittedModel {
    /// Counts the true pairs of each pattern.
    pub(super) fn new(agreed: &Agreed, partners: &[Option<u32>]) -> Self {
        let mut matches: BTreeMap<Pattern, u64> = BTreeMap::new();
        for (seeker, sought) in partners.iter().enumerate() {
            if let Some(sought) = sought {
                let pattern = agreed.weighted.agreement.pattern(seeker, *sought as usize);
                *matches.entry(pattern).or_insert(0) += 1;
            }
        }
        let of_row = |row: &PatternRow| matches.get(&row.pattern).copied().unwrap_or(0);
        Self {
            matches: agreed.model.patterns.iter().map(of_row).collect(),
            model: agreed.model.clone(),
        }
    }
}
