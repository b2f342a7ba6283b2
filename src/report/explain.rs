//! The report of `sdcrisk explain`: what a learned distance says about each attribute.

mod bars;
mod heat_map;
mod lattice;
mod matrix;
mod measure;
mod weighted;
mod words;

use serde::Serialize;

use super::chart::picture::Drawing;
use crate::attack::learned::{
    family::Family,
    weights::{Basis, ProofStatus, Weights, basis},
};
use matrix::Bilinear;
use measure::Measured;
use weighted::Weighted;

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.explain/1";

/// What a learned distance says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Explanation {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// The family of the distance.
    pub family: &'static str,
    /// The attributes, in the order of the file.
    pub attributes: Vec<String>,
    /// By what each file was standardised.
    pub standardize: &'static str,
    /// Who looked for whom.
    pub direction: &'static str,
    /// How many records it links.
    pub linked: usize,
    /// Of how many.
    pub records: usize,
    /// No distance of the family links more.
    pub bound: usize,
    /// `optimal` or `limit`.
    pub proof: &'static str,
    /// Whether it is the only distance of its family that links these records; `None` if that was not worked out.
    pub unique: Option<bool>,
    /// How many records each attribute links on its own; empty if that was not counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<Alone>,
    /// What it says, one sentence or a few each.
    pub in_words: Vec<String>,
    /// What is explained, by kind of parameters.
    #[serde(flatten)]
    figures: Figures,
}

/// What an attribute links on its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Alone {
    /// The attribute as the intruder's file names it.
    pub attribute: String,
    /// Records that it links, ties not counted.
    pub linked: usize,
}

/// The figures of a kind of distance.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Figures {
    Weighted(Weighted),
    Measured(Measured),
    Bilinear(Bilinear),
}

/// The least and the greatest value over all distances that link the same records.
type Range = Option<(f64, f64)>;

/// The range of the parameter at this place, if ranges are known.
fn range(ranges: Option<&Vec<(f64, f64)>>, place: usize) -> Range {
    ranges.and_then(|ranges| ranges.get(place).copied())
}

impl Explanation {
    /// Reads what is to be said off the weights.
    pub fn new(weights: &Weights) -> Self {
        let figures = match (basis(weights.family), weights.measure(), weights.matrix()) {
            (_, Some(measure), _) => Figures::Measured(Measured::new(weights, &measure)),
            (Basis::Matrix, _, Some(matrix)) => Figures::Bilinear(Bilinear::new(weights, matrix)),
            _ => Figures::Weighted(Weighted::new(weights)),
        };
        let mut in_words = words::keys(weights);
        if weights.linked == 0 {
            in_words = vec![words::links_nobody()];
        } else {
            in_words.extend(match &figures {
                Figures::Weighted(weighted) => weighted.in_words(weights),
                Figures::Measured(measured) => measured.in_words(weights),
                Figures::Bilinear(bilinear) => bilinear.in_words(weights),
            });
            in_words.extend(words::alone(weights));
        }
        in_words.extend(words::of_units(weights));
        in_words.push(words::of_uniqueness(weights));
        let alone = weights.alone.iter().flatten().zip(&weights.attributes);
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            family: weights.family.name(),
            attributes: weights.attributes.clone(),
            standardize: weights.standardize.word(),
            direction: weights.direction.word(),
            linked: weights.linked,
            records: weights.records,
            bound: weights.bound,
            proof: weights.proof.word(),
            unique: weights.is_unique(),
            alone: alone
                .map(|(&linked, attribute)| Alone {
                    attribute: attribute.clone(),
                    linked,
                })
                .collect(),
            in_words,
            figures,
        }
    }

    /// For programs.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self)
            .unwrap_or_else(|_| unreachable!("an explanation is words and finite numbers"));
        json.push('\n');
        json
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let headline = words::headline(self);
        let mut out = format!("{}: {}\n\n", headline.links, headline.kind);
        out += &match &self.figures {
            Figures::Weighted(weighted) => weighted.to_text(),
            Figures::Measured(measured) => measured.to_text(),
            Figures::Bilinear(bilinear) => bilinear.to_text(),
        };
        out += "\nWhat it says\n";
        for sentence in &self.in_words {
            out += &super::text::paragraph(&format!("- {sentence}"));
        }
        out
    }

    /// As a picture (SVG): bars of weights, the lattice of a measure, the heat map of a matrix.
    pub fn to_svg(&self) -> String {
        self.drawing().standalone()
    }

    /// The picture, to be a file or a part of a page.
    pub fn drawing(&self) -> Drawing {
        let headline = words::headline(self);
        match &self.figures {
            Figures::Weighted(weighted) => bars::draw(weighted, &headline, &self.in_words),
            Figures::Measured(measured) => lattice::draw(measured, &headline, &self.in_words),
            Figures::Bilinear(bilinear) => heat_map::draw(bilinear, &headline, &self.in_words),
        }
    }
}

/// What kind of distance a family is.
fn kind(family: &str) -> &'static str {
    let family = Family::ALL.into_iter().find(|one| one.name() == family);
    match family {
        Some(Family::WeightedMean) | None => "a weighted mean of squared differences",
        Some(Family::WeightedMeanMetric) => {
            "a weighted mean of squared differences, all weights positive"
        }
        Some(Family::OrderedWeightedMean) => "an ordered weighted mean of squared differences",
        Some(Family::Choquet) => "a Choquet integral of squared differences",
        Some(Family::ChoquetMetric) => {
            "a Choquet integral of squared differences by a submodular measure"
        }
        Some(Family::ChoquetTwoAdditive) => {
            "a Choquet integral of squared differences by a 2-additive measure"
        }
        Some(Family::Bilinear) => "a bilinear form of differences",
        Some(Family::BilinearNonNegative) => {
            "a bilinear form of differences, not negative on the two files"
        }
        Some(Family::BilinearDefinite) => {
            "a bilinear form of differences without negative eigenvalue"
        }
    }
}

/// Whether the bound is known to be reached.
fn is_optimal(weights: &Weights) -> bool {
    weights.proof == ProofStatus::Optimal
}

#[cfg(test)]
mod tests;
