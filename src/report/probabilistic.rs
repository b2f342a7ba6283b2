//! What a probabilistic attack fitted, for programs and for people.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{figures, text};
use crate::{
    agreement::Pattern,
    attack::probabilistic::{Decision, Fit, PatternRow},
    evaluate::link::FittedModel,
};

/// Patterns that the text report shows.
const SHOWN: usize = 16;

/// The fitted model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ModelSummary {
    /// How it was fitted.
    pub fit: Fit,
    /// The attributes, in the order of the signs of a pattern.
    pub attributes: Vec<String>,
    /// When each attribute agrees.
    pub agree: BTreeMap<String, String>,
    /// P(agree | match) of each attribute.
    pub m: BTreeMap<String, f64>,
    /// P(agree | no match) of each attribute.
    pub u: BTreeMap<String, f64>,
    /// P(match), as fitted or held.
    pub prior: f64,
    /// The greatest share of pairs that can match.
    pub possible_prior: f64,
    /// Iterations of EM.
    pub iterations: usize,
    /// Whether the last iteration changed no m and u by more than 1e-8, and the prior by no more than 1e-8 of itself.
    pub converged: bool,
    /// Log-likelihood of the pattern counts.
    #[serde(deserialize_with = "figures::or_not_finite")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub loglik: f64,
    /// The patterns that occur, by descending weight.
    pub patterns: Vec<PatternSummary>,
    /// Pairs by what becomes of them, if error rates were admitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Decisions>,
    /// What must be said of it.
    pub remarks: Vec<String>,
}

/// The pairs of one pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternSummary {
    /// A sign an attribute, in the order of `known`: 1 agrees, 0 does not, - is missing.
    pub pattern: String,
    /// How many pairs show it.
    pub pairs: u64,
    /// How many of them are matches.
    pub matches: u64,
    /// P(pattern | match).
    pub m: f64,
    /// P(pattern | no match).
    pub u: f64,
    /// log(m/u).
    #[serde(deserialize_with = "figures::or_not_finite")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub weight: f64,
    /// What becomes of such a pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
}

/// Pairs by what becomes of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Decisions {
    /// A clerk decides.
    pub clerical: DecisionSummary,
    /// They are linked.
    pub link: DecisionSummary,
    /// They are not linked.
    pub non_link: DecisionSummary,
}

impl Decisions {
    fn of(&mut self, decision: Decision) -> &mut DecisionSummary {
        match decision {
            Decision::Clerical => &mut self.clerical,
            Decision::Link => &mut self.link,
            Decision::NonLink => &mut self.non_link,
        }
    }
}

/// Pairs of one fate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DecisionSummary {
    /// How many pairs.
    pub pairs: u64,
    /// How many of them are matches.
    pub matches: u64,
}

impl ModelSummary {
    /// What a report shows of a fitted model.
    pub fn new(known: &[String], fitted: &FittedModel) -> Self {
        let model = &fitted.model;
        let by_name = |values: &[f64]| known.iter().cloned().zip(values.iter().copied()).collect();
        let rows = || model.patterns.iter().zip(&fitted.matches);
        let mut decisions: Option<Decisions> = None;
        for (row, &matches) in rows() {
            if let Some(decision) = row.decision {
                let sum = decisions.get_or_insert_default().of(decision);
                sum.pairs += row.pairs;
                sum.matches += matches;
            }
        }
        let parameters = &model.fitted.parameters;
        Self {
            fit: model.fit,
            attributes: known.to_vec(),
            agree: known
                .iter()
                .cloned()
                .zip(model.comparators.clone())
                .collect(),
            m: by_name(&parameters.m),
            u: by_name(&parameters.u),
            prior: parameters.prior,
            possible_prior: model.possible_prior,
            iterations: model.fitted.iterations,
            converged: model.fitted.converged,
            loglik: model.fitted.loglik,
            patterns: rows()
                .map(|(row, &matches)| PatternSummary::new(row, known.len(), matches))
                .collect(),
            decisions,
            remarks: model.remarks.clone(),
        }
    }

    /// The parameters and the patterns that matter most, for people.
    pub fn to_text(&self) -> String {
        let parameters: Vec<Vec<String>> = self
            .attributes
            .iter()
            .map(|name| {
                vec![
                    name.clone(),
                    self.agree[name].clone(),
                    format!("{:.6}", self.m[name]),
                    format!("{:.6}", self.u[name]),
                    format!("{:+.2}", (self.m[name] / self.u[name]).ln()),
                    format!("{:+.2}", ((1.0 - self.m[name]) / (1.0 - self.u[name])).ln()),
                ]
            })
            .collect();
        let mut out = text::columns(
            &[
                "attribute",
                "agrees by",
                "m",
                "u",
                "weight if it agrees",
                "if not",
            ],
            &parameters,
            2,
        );
        out.push('\n');
        let shown = self.patterns.iter().take(SHOWN);
        let rows: Vec<Vec<String>> = shown
            .map(|row| {
                let mut cells = vec![
                    row.pattern.clone(),
                    row.pairs.to_string(),
                    row.matches.to_string(),
                    format!("{:.3e}", row.m),
                    format!("{:.3e}", row.u),
                    format!("{:+.2}", row.weight),
                ];
                cells.extend(row.decision.map(|decision| decision.word().into()));
                cells
            })
            .collect();
        let mut header = vec!["pattern", "pairs", "matches", "m", "u", "weight"];
        if self.decisions.is_some() {
            header.push("decision");
        }
        out += &text::columns(&header, &rows, 1);
        if self.patterns.len() > SHOWN {
            out += &format!(
                "  … {} more patterns with less weight (all are in the JSON)\n",
                self.patterns.len() - SHOWN
            );
        }
        out
    }

    /// What the model stands for, in sentences.
    pub fn reading(&self) -> Vec<String> {
        let fitted = |what: &str| {
            format!(
                "{what} ({} after {} iterations; {:.3e} of all pairs as matches, where at most {:.3e} can match)",
                if self.converged {
                    "converged"
                } else {
                    "not converged"
                },
                self.iterations,
                self.prior,
                self.possible_prior
            )
        };
        let how = match self.fit {
            Fit::Known => "m and u were counted from the true pairs, a worst case".to_string(),
            Fit::Em => fitted("m, u and the share of matches were fitted by EM"),
            Fit::EmFixedU => {
                fitted("m was fitted by EM, u counted over all pairs and the share of matches held")
            }
        };
        let mut lines = vec![format!(
            "What the figure of prl stands for: {how}. A pattern has a sign for each attribute, in the order of the \
             table: 1 if it agrees, 0 if not, - if a side misses it."
        )];
        lines.extend(
            self.remarks
                .iter()
                .map(|remark| format!("Beware: {remark}.")),
        );
        if let Some(decisions) = &self.decisions {
            let Decisions {
                link,
                clerical,
                non_link,
            } = decisions;
            lines.push(format!(
                "At the admitted error rates {} pairs are linked ({} of them matches), {} go to a clerk ({}), and {} are not \
                 linked ({}).",
                link.pairs, link.matches, clerical.pairs, clerical.matches, non_link.pairs, non_link.matches
            ));
        }
        lines
    }
}

impl PatternSummary {
    fn new(row: &PatternRow, width: usize, matches: u64) -> Self {
        Self {
            pattern: signs(row.pattern, width),
            pairs: row.pairs,
            matches,
            m: row.m,
            u: row.u,
            weight: row.weight,
            decision: row.decision,
        }
    }
}

fn signs(pattern: Pattern, width: usize) -> String {
    (0..width)
        .map(|k| match pattern.of(k) {
            None => '-',
            Some(true) => '1',
            Some(false) => '0',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An attribute on which no pair of strangers agrees has an infinite weight, for which JSON has no number.
    #[test]
    fn a_weight_that_is_not_finite_is_written_and_read() {
        let row = PatternSummary {
            pattern: "1".into(),
            pairs: 3,
            matches: 3,
            m: 1.0,
            u: 0.0,
            weight: f64::INFINITY,
            decision: None,
        };
        let json = serde_json::to_value(&row).unwrap();
        assert!(json["weight"].is_null());
        let read: PatternSummary = serde_json::from_value(json).unwrap();
        assert!(read.weight.is_nan());
        assert_eq!(read.pairs, 3);
    }
}
