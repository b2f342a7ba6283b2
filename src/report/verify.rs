//! The report of `sdcrisk verify`.

use serde::{Serialize, Serializer};

use super::text;
use crate::certificate::{
    Certificate,
    check::{Outcome, Verdict},
    format::Direction,
};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.verify/1";

/// What became of a certificate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VerifyReport {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// Name of the certificate.
    pub certificate: String,
    /// Name of the original file.
    pub original: String,
    /// Name of the masked file.
    pub masked: String,
    /// The family of distances.
    pub family: &'static str,
    /// The known attributes.
    pub known: Vec<String>,
    /// Who looks for whom.
    pub direction: &'static str,
    /// Of all parts together.
    #[serde(serialize_with = "as_word")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub verdict: Outcome,
    /// Records that look for a partner that is there.
    pub records: usize,
    /// Records that the parameters link, recounted.
    pub linked: usize,
    /// The bound that is claimed.
    pub bound: usize,
    /// Part by part.
    pub parts: Vec<PartSummary>,
}

/// A part of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartSummary {
    /// What is claimed.
    pub part: &'static str,
    /// What became of the claim.
    #[serde(serialize_with = "as_word")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub outcome: Outcome,
    /// Why.
    pub detail: String,
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Proved => "proved",
        Outcome::Named => "not proved",
        Outcome::Wrong => "wrong",
    }
}

fn as_word<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(word(*outcome))
}

impl VerifyReport {
    /// The report of a check of the certificate of this name against the original and the masked file of these names.
    pub fn new(
        name: &str,
        [original, masked]: [&str; 2],
        certificate: &Certificate,
        verdict: &Verdict,
    ) -> Self {
        let parts = verdict.parts.iter().map(|part| PartSummary {
            part: part.claim.word(),
            outcome: part.outcome,
            detail: part.detail.clone(),
        });
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            certificate: name.into(),
            original: original.into(),
            masked: masked.into(),
            family: certificate.family.name(),
            known: certificate.known.clone(),
            direction: match certificate.direction {
                Direction::OriginalToMasked => "original-to-masked",
                Direction::MaskedToOriginal => "masked-to-original",
            },
            verdict: verdict.outcome(),
            records: verdict.records,
            linked: verdict.linked,
            bound: certificate.bound,
            parts: parts.collect(),
        }
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The report for people.
    pub fn to_text(&self) -> String {
        let mut content = format!(
            "{} of {} with {}, {}, {}\n\n",
            self.family,
            self.original,
            self.masked,
            match self.known.len() {
                1 => "1 known attribute".to_string(),
                n => format!("{n} known attributes"),
            },
            self.direction
        );
        for part in &self.parts {
            let lines = text::paragraph(&format!(
                "{} {}: {}",
                word(part.outcome),
                part.part,
                part.detail
            ));
            content.push_str(&lines);
        }
        content.push('\n');
        content.push_str(&text::paragraph(&self.reading()));
        content
    }

    fn reading(&self) -> String {
        let of = |count: usize| {
            let share = count as f64 / self.records.max(1) as f64;
            format!(
                "{count} of {} records ({})",
                self.records,
                text::percent(share)
            )
        };
        let (linked, bound) = (of(self.linked), of(self.bound.min(self.records)));
        let claim = if self.linked == self.bound {
            format!("these parameters link {linked}, and no parameters of the family link more")
        } else {
            format!(
                "these parameters link {linked}, and no parameters of the family link more than {bound}"
            )
        };
        match self.verdict {
            Outcome::Proved => format!(
                "Verdict: proved. {}. A link is strict: every other record is farther away, by however little.",
                capital(&claim)
            ),
            Outcome::Named => format!(
                "Verdict: not proved, and not refuted. It is claimed that {claim}; what was not proven again is named above."
            ),
            Outcome::Wrong => "Verdict: wrong. Do not rely on this certificate: what is wrong with it stands above.".into(),
        }
    }
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
