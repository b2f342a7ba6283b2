//! What `link` found, as its JSON says it.

use serde::Deserialize;

use crate::{
    evaluate::score::Ties,
    report::{
        html::{
            document::{Content, Document},
            parts::{base_name, names},
        },
        link::{LinkReport, LinkResult, MeanRate, Sample},
    },
};

/// What `link` found, with the sentences that its JSON has beside the report.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub report: LinkReport,
    pub reading: Vec<String>,
}

/// The sentences of a result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Sentences {
    #[serde(default)]
    reading: Vec<String>,
}

impl Link {
    pub fn new(report: LinkReport, sentences: Sentences) -> Self {
        Self {
            report,
            reading: sentences.reading,
        }
    }

    /// What could not be compared in earnest, a sentence an attribute.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let warnings = self.report.warnings.iter();
        warnings.map(|warning| format!("{} {}.", warning.attribute, warning.what))
    }

    /// The attack that linked most, apart from what was learned from the very people.
    pub fn worst(&self) -> Option<&LinkResult> {
        let others = self
            .report
            .results
            .iter()
            .filter(|attack| attack.sample != Some(Sample::Training));
        others.max_by(|a, b| a.rate.total_cmp(&b.rate))
    }

    /// Of several draws of the individuals that are learned from, the highest mean rate, with its interval.
    pub fn highest_of_draws(&self) -> Option<(&MeanRate, [f64; 2])> {
        let drawn = self
            .report
            .means
            .iter()
            .filter_map(|mean| Some((mean, mean.interval?)));
        drawn
            .filter(|(mean, _)| mean.sample != Some(Sample::Training))
            .max_by(|(a, _), (b, _)| a.rate.total_cmp(&b.rate))
    }

    /// Correct links under the rule for ties that was asked for.
    pub fn correct(&self, attack: &LinkResult) -> f64 {
        match self.report.scenario.ties {
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
            base_name(&self.report.scenario.masked),
            base_name(&document.name)
        )
    }

    /// What the intruder knew in a case: all names, or the ends of the list where each case goes on from the last.
    pub fn case(&self, attack: &LinkResult) -> String {
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
            .report
            .results
            .iter()
            .map(|attack| &attack.known)
            .max_by_key(|known| known.len());
        longest.is_some_and(|longest| {
            self.report
                .results
                .iter()
                .all(|attack| longest.starts_with(&attack.known))
        })
    }

    pub fn methods(&self) -> Vec<&str> {
        let mut methods: Vec<&str> = Vec::new();
        for attack in &self.report.results {
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
