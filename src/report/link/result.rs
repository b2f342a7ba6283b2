//! What one attack found in one case.

use serde::{Deserialize, Serialize};

use super::beyond::BeyondSummary;
use crate::{
    attack::{
        Attack,
        distance_based::Standardize,
        learned::{Lesson, weights::ProofStatus},
    },
    evaluate::{
        beyond::Beyond,
        calibration::Calibration,
        link::Outcome,
        score::{Score, Ties},
    },
    report::{
        calibration::{self, CalibrationBand},
        figures,
        learned::LearnedSummary,
        limit::Judged,
        posterior::PosteriorSummary,
        probabilistic::ModelSummary,
        text,
    },
};

/// What one method found in one case. Rates are fractions, counts are numbers of records.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkResult {
    /// The attack, as the command line calls it.
    pub method: String,
    /// The distance, weight or law that it goes by.
    pub formula: String,
    /// Whether it was made from the true matches, which no intruder knows.
    pub worst_case: bool,
    /// What it does, in words that follow "an intruder who".
    #[serde(skip)]
    pub in_words: String,
    /// The attributes that the intruder knew.
    pub known: Vec<String>,
    /// Records that looked for a partner.
    pub records: u64,
    /// Those of them that have one.
    pub with_partner: u64,
    /// Correct links under each rule for ties.
    pub correct: Correct,
    /// Correct links per record under the rule asked for.
    pub rate: f64,
    /// Correct links per record that has a partner: the same, unless some have none.
    pub rate_of_findable: f64,
    /// Wilson interval of that rate at 95 %.
    pub interval_of_findable: [f64; 2],
    /// Wilson interval of the rate at 95 %.
    pub interval: [f64; 2],
    /// The rate of random guessing.
    pub baseline: f64,
    /// Records with a candidate set of one.
    pub certain: u64,
    /// Those of them that are true.
    pub certain_correct: u64,
    /// Records with an empty candidate set.
    pub empty: u64,
    /// Mean size of the candidate set.
    pub candidates_mean: f64,
    /// Least, quartiles, greatest size of the candidate set; null for methods without such sets.
    pub candidates_quantiles: Option<[u32; 5]>,
    /// Records by the size of their candidate set: of each bin the least size (0, or a power of two; it reaches to below the
    /// next) and the number of records. Bins without records are left out, and all for methods without such sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates_histogram: Vec<(u32, u64)>,
    /// Records whose true partner is among the candidates.
    pub contains_true: u64,
    /// By what files were standardised; null for methods without such units.
    pub standardize: Option<Standardize>,
    /// The window of ranks assumed for each known attribute; null for methods that assume none.
    pub windows: Option<Vec<usize>>,
    /// Of a one-to-one assignment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignment: Option<AssignmentSummary>,
    /// Of whom the rate is, where distances were learned from some individuals and others attacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
    /// Which draw of these individuals it is, counted from 1; null if there is one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<usize>,
    /// What was learned and proven; only of distances that were learned from these records.
    #[serde(flatten)]
    pub learned: Option<LearnedSummary>,
    /// The rate that the attack expected, from the probabilities that it stated for its links; only of attacks that state any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// Records for whose link it stated more than 90 %; only of attacks that state any probability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure: Option<u64>,
    /// Those of these links that are correct, a tie of t counted 1/t.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure_correct: Option<f64>,
    /// How many releases of the same people were used; only where it is more than the masked file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub releases: Option<usize>,
    /// How the posterior given one-to-one links was come by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posterior: Option<PosteriorSummary>,
    /// What was fitted; only of attacks that fit a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSummary>,
    /// How it fared among people who stand out, and with the links that it is surest of.
    #[serde(default)]
    pub beyond: BeyondSummary,
    /// What became of links by their stated probability, a tie of t counted 1/t.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<CalibrationBand>,
    /// What the attack found while it studied these files, and must be said of its result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<String>,
}

/// Whose records a rate is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Sample {
    /// Those that the distance was learned from.
    Training,
    /// All others.
    Others,
}

impl Sample {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Training => "learned from",
            Self::Others => "others",
        }
    }
}

/// Correct links under each rule for ties.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Correct {
    /// A tie of t that holds the true record counts 1/t.
    pub fair: f64,
    /// It counts 0.
    pub strict: u64,
    /// It counts 1.
    pub optimistic: u64,
}

/// What a one-to-one assignment cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AssignmentSummary {
    /// Sum of the costs of the pairs (squared distances, where the attack is by distance).
    #[serde(deserialize_with = "figures::or_not_finite")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub cost: f64,
    /// Number of pairs.
    pub pairs: u64,
    /// How near it is known to be to the least cost.
    pub proof: AssignmentProof,
    /// No assignment of as many pairs costs less than this, up to rounding.
    #[serde(deserialize_with = "figures::or_not_finite")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub bound: f64,
}

/// How near an assignment is known to be to the least cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AssignmentProof {
    /// Cost and bound agree to nine digits.
    Optimal,
    /// They do not: rounding leaves it open.
    Bounded,
}

impl AssignmentSummary {
    /// What is left unproven of the cost, as a share of it.
    pub(super) fn gap(&self) -> f64 {
        match self.cost - self.bound {
            gap if gap > 0.0 => gap / self.cost.abs().max(self.bound.abs()),
            _ => 0.0,
        }
    }
}

impl LinkResult {
    /// A rate of this attack, to be held against a limit.
    pub(super) fn judged(&self, rate: f64, what: &str, limit: f64) -> Judged {
        const NAMES_SHOWN: usize = 8;
        let known = text::names(&self.known, NAMES_SHOWN);
        Judged {
            what: format!("{}, knowing {known}: {what} is", self.method),
            rate,
            limit,
        }
    }

    /// Joins what is known of one attack on one case.
    pub fn new(attack: &dyn Attack, known: &[String], outcome: &Outcome, ties: Ties) -> Self {
        let assignment = outcome.assignment.map(|total| AssignmentSummary {
            cost: total.cost,
            pairs: total.pairs,
            proof: if total.is_proven {
                AssignmentProof::Optimal
            } else {
                AssignmentProof::Bounded
            },
            bound: total.bound,
        });
        let fitted = outcome.fitted.as_ref();
        Self {
            method: attack.name().into(),
            formula: attack.formula(),
            worst_case: attack.needs_alignment(),
            in_words: attack.in_words(),
            known: known.to_vec(),
            standardize: attack.standardize(),
            windows: attack.windows(known),
            assignment,
            model: fitted.map(|fitted| ModelSummary::new(known, fitted)),
            posterior: outcome.posterior.map(PosteriorSummary::new),
            caveats: outcome.caveats.clone(),
            ..Self::default()
        }
        .judged_to_be(
            &outcome.score,
            &outcome.beyond,
            outcome.calibration.as_ref(),
            ties,
        )
    }

    /// The same attack with what became of its claims.
    #[must_use]
    pub fn judged_to_be(
        self,
        score: &Score,
        beyond: &Beyond,
        said: Option<&Calibration>,
        ties: Ties,
    ) -> Self {
        Self {
            records: score.records,
            with_partner: score.with_partner,
            correct: Correct {
                fair: score.fair,
                strict: score.strict,
                optimistic: score.optimistic,
            },
            rate: score.rate(ties),
            rate_of_findable: score.rate_of_findable(ties),
            interval_of_findable: score.interval_of_findable(ties).into(),
            interval: score.interval(ties).into(),
            baseline: score.baseline(),
            certain: score.certain,
            certain_correct: score.certain_correct,
            empty: score.empty,
            candidates_mean: score.candidates_mean,
            candidates_quantiles: score.candidates_quantiles,
            candidates_histogram: score.candidates_histogram.clone(),
            contains_true: score.contains_true,
            beyond: BeyondSummary::new(beyond, ties),
            expected: said.map(|said| said.expected),
            sure: said.map(|said| said.sure),
            sure_correct: said.map(|said| said.sure_correct),
            calibration: said.map(calibration::bands).unwrap_or_default(),
            ..self
        }
    }

    /// The same of an attack on several releases at once, which goes by another name.
    #[must_use]
    pub fn of_releases(self, releases: usize) -> Self {
        Self {
            method: format!("{}, all releases", self.method),
            releases: Some(releases),
            in_words: format!("{}, of {releases} releases together,", self.in_words),
            ..self
        }
    }

    /// Whether a better distance of its kind could not be ruled out.
    pub fn is_unproven(&self) -> bool {
        self.learned
            .as_ref()
            .is_some_and(|learned| learned.proof == ProofStatus::Limit)
    }

    /// Adds what was learned from these records, on these attributes: this result is then the recount of it.
    pub fn learn(&mut self, lesson: &Lesson, known: &[String]) {
        self.worst_case = true;
        self.in_words = format!(
            "compares records by {} that links the most of them ({}, a worst case)",
            lesson.distance.family.in_words(),
            self.method
        );
        self.learned = Some(LearnedSummary::new(
            lesson,
            known,
            self.correct.strict,
            self.records,
        ));
    }

    pub(super) fn correct_of(&self, ties: Ties) -> f64 {
        match ties {
            Ties::Fair => self.correct.fair,
            Ties::Strict => self.correct.strict as f64,
            Ties::Optimistic => self.correct.optimistic as f64,
        }
    }
}
