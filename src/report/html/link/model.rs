//! What `link` found, as its JSON says it.

use serde::Deserialize;

use crate::{
    attack::{Direction, learned::weights::ProofStatus},
    evaluate::{comparable::Doubt, link::AssignRule, score::Ties},
    report::{
        calibration::CalibrationBand,
        html::{
            document::{Content, Document, or_none},
            parts::{base_name, names},
        },
        link::{BeyondSummary, Correct, LeftOutAttribute, Sample},
    },
};

/// What `link` found.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Link {
    #[serde(default)]
    pub warnings: Vec<Doubt>,
    pub scenario: Scenario,
    pub results: Vec<Attack>,
    #[serde(default)]
    pub means: Vec<Mean>,
    #[serde(default)]
    pub not_run: Vec<NotRun>,
    #[serde(default)]
    pub reading: Vec<String>,
}

/// Who attacked what.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Scenario {
    pub original: String,
    pub masked: String,
    #[serde(default)]
    pub original_records: u64,
    #[serde(default)]
    pub masked_records: u64,
    #[serde(default)]
    pub known_records: u64,
    #[serde(default)]
    pub direction: Option<Direction>,
    #[serde(default)]
    pub aligned_by: String,
    #[serde(default)]
    pub ties: Option<Ties>,
    #[serde(default)]
    pub assign: Option<AssignRule>,
    #[serde(default)]
    pub left_out: Vec<LeftOutAttribute>,
}

/// An attack on one set of known attributes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Attack {
    pub method: String,
    #[serde(default)]
    pub formula: String,
    #[serde(default)]
    pub worst_case: bool,
    pub known: Vec<String>,
    pub records: u64,
    #[serde(default)]
    pub with_partner: Option<u64>,
    #[serde(default)]
    pub rate_of_findable: Option<f64>,
    pub correct: Correct,
    pub rate: f64,
    pub interval: [f64; 2],
    pub baseline: f64,
    #[serde(default)]
    pub certain: u64,
    #[serde(default)]
    pub certain_correct: u64,
    #[serde(default)]
    pub empty: u64,
    #[serde(default)]
    pub candidates_mean: f64,
    #[serde(default)]
    pub candidates_quantiles: Option<[u64; 5]>,
    #[serde(default)]
    pub contains_true: u64,
    #[serde(default)]
    pub windows: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "or_none")]
    pub candidates_histogram: Vec<[u64; 2]>,
    /// Beyond the mean.
    #[serde(default)]
    pub beyond: BeyondSummary,
    #[serde(default)]
    pub sample: Option<Sample>,
    #[serde(default)]
    pub bound: Option<u64>,
    #[serde(default)]
    pub proof: Option<ProofStatus>,
    #[serde(default)]
    pub expected: Option<f64>,
    #[serde(default, deserialize_with = "or_none")]
    pub calibration: Vec<CalibrationBand>,
}

/// The mean over cases.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Mean {
    pub method: String,
    pub cases: u64,
    pub rate: f64,
    #[serde(default)]
    pub sample: Option<Sample>,
    #[serde(default)]
    pub interval: Option<[f64; 2]>,
}

/// An attack that does not apply.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct NotRun {
    pub method: String,
    pub why: String,
}

impl Link {
    /// The attack that linked most, apart from what was learned from the very people.
    pub fn worst(&self) -> Option<&Attack> {
        let others = self
            .results
            .iter()
            .filter(|attack| attack.sample != Some(Sample::Training));
        others.max_by(|a, b| a.rate.total_cmp(&b.rate))
    }

    /// Of several draws of the individuals that are learned from, the highest mean rate, with its interval.
    pub fn highest_of_draws(&self) -> Option<(&Mean, [f64; 2])> {
        let drawn = self
            .means
            .iter()
            .filter_map(|mean| Some((mean, mean.interval?)));
        drawn
            .filter(|(mean, _)| mean.sample != Some(Sample::Training))
            .max_by(|(a, _), (b, _)| a.rate.total_cmp(&b.rate))
    }

    /// Correct links under the rule for ties that was asked for.
    pub fn correct(&self, attack: &Attack) -> f64 {
        match self.scenario.ties.unwrap_or(Ties::Fair) {
            Ties::Strict => attack.correct.strict as f64,
            Ties::Optimistic => attack.correct.optimistic as f64,
            Ties::Fair => attack.correct.fair,
        }
    }

    /// What a part of the page about these attacks is called.
    pub fn title(&self, document: &Document) -> String {
        format!(
            "{} on {} ({})",
            self.methods().join(", "),
            base_name(&self.scenario.masked),
            base_name(&document.name)
        )
    }

    /// What the intruder knew in a case: all names, or the ends of the list where each case goes on from the last.
    pub fn case(&self, attack: &Attack) -> String {
        const NAMES_IN_FULL: usize = 3;
        match attack.known.as_slice() {
            [first, .., last] if self.is_nested() && attack.known.len() > NAMES_IN_FULL => {
                format!("{first} … {last} ({})", attack.known.len())
            }
            known => names(known),
        }
    }

    /// Whether each case goes on from the last.
    pub fn is_nested(&self) -> bool {
        let longest = self
            .results
            .iter()
            .map(|attack| &attack.known)
            .max_by_key(|known| known.len());
        longest.is_some_and(|longest| {
            self.results
                .iter()
                .all(|attack| longest.starts_with(&attack.known))
        })
    }

    pub fn methods(&self) -> Vec<&str> {
        let mut methods: Vec<&str> = Vec::new();
        for attack in &self.results {
            if !methods.contains(&attack.method.as_str()) {
                methods.push(&attack.method);
            }
        }
        methods
    }
}

/// The results of `link`.
pub fn of(documents: &[Document]) -> Vec<(&Document, &Link)> {
    documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Link(link) => Some((document, link)),
            _ => None,
        })
        .collect()
}
