//! What `sdcrisk risk` measures, or what one of several parts of a call measures of it.

use serde::{Deserialize, Serialize};

use super::{
    figures::Measured,
    risk::{ClassSize, RecordRow, RiskReport, RiskScope},
};
use crate::{
    error::{Error, Result},
    evaluate::{comparable::Doubt, shard::Shard},
    figure::{Definition, Figure},
    risk,
};

/// What is measured as a whole: who shares a key is known from all records only, so parts of a call share these pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// The file that people will see, by its key.
    Released,
    /// Two files, side by side.
    Compared,
    /// The original by its key, where there is a masked file.
    Before,
}

impl Piece {
    /// All of them, in the order in which they are dealt out among parts.
    pub const ALL: [Self; 3] = [Self::Released, Self::Compared, Self::Before];

    /// What it is of, in words that follow "measures".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Released => "the released file by its key",
            Self::Compared => "both files side by side",
            Self::Before => "the original by its key",
        }
    }

    /// Whether it belongs to what this part measures of this.
    pub fn is_of(self, shard: Shard, scenario: &RiskScope) -> bool {
        let exists = match self {
            Self::Released => true,
            Self::Compared => scenario.pair.is_some(),
            // Without a key nothing of a single file is measured.
            Self::Before => scenario.pair.is_some() && !scenario.key.is_empty(),
        };
        exists && shard.has(self as usize)
    }
}

/// The measures of a call, or the pieces of them that one part made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Measurements {
    /// Attributes that could not be compared in earnest.
    pub warnings: Vec<Doubt>,
    /// Of what, and how.
    pub scenario: RiskScope,
    /// The file that people will see, by its key; null where another part measures it.
    pub released: Option<OfReleased>,
    /// How much the masked values reveal of the original ones; null where another part measures it, and of one file.
    pub compared: Option<Vec<Measured>>,
    /// The original by its key; null where another part measures it, and of one file.
    pub before: Option<Vec<Measured>>,
}

/// What is measured of the file that people will see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OfReleased {
    /// The figures.
    pub figures: Vec<Measured>,
    /// Records by how many match them.
    pub classes: Vec<ClassSize>,
    /// The records most at risk.
    pub most_at_risk: Vec<RecordRow>,
}

impl Measurements {
    /// Whether it holds what a part of this number holds.
    pub(super) fn are_of(&self, shard: Shard) -> bool {
        let is_known = |measured: &Measured| definition(&measured.key).is_some();
        Piece::ALL.into_iter().all(|piece| {
            let figures = self.figures(piece);
            figures.is_some() == piece.is_of(shard, &self.scenario)
                && figures.is_none_or(|figures| figures.iter().all(is_known))
        })
    }

    /// The figures of a piece, if it was made here.
    pub fn figures(&self, piece: Piece) -> Option<&[Measured]> {
        match piece {
            Piece::Released => self.released.as_ref().map(|of_file| &of_file.figures[..]),
            Piece::Compared => self.compared.as_deref(),
            Piece::Before => self.before.as_deref(),
        }
    }

    /// Whether these are parts of one call.
    pub(crate) fn fit(&self, other: &Self) -> bool {
        self.warnings == other.warnings && self.scenario == other.scenario
    }

    /// The report of all parts, in any order; without limits and provenance.
    ///
    /// # Errors
    /// Input, unless they are all there.
    pub fn joined(parts: Vec<Self>) -> Result<RiskReport> {
        Self::report_of(parts).ok_or_else(|| {
            Error::input("a piece of the measures is missing").remedy("Make all parts again")
        })
    }

    fn report_of(parts: Vec<Self>) -> Option<RiskReport> {
        let mut parts = parts.into_iter();
        let mut all = parts.next()?;
        for part in parts {
            all.released = all.released.or(part.released);
            all.compared = all.compared.or(part.compared);
            all.before = all.before.or(part.before);
        }
        let OfReleased {
            figures,
            classes,
            most_at_risk,
        } = all.released?;
        let mut figures = restored(figures)?;
        if all.scenario.pair.is_some() {
            figures.extend(restored(all.compared?)?);
        }
        let before = match all.before {
            Some(figures) => Some(restored(figures)?),
            None => None,
        };
        Some(RiskReport {
            warnings: all.warnings,
            scenario: all.scenario,
            figures,
            before,
            classes,
            most_at_risk,
            limits: Vec::new(),
            provenance: None,
        })
    }
}

/// The figures, unless there is one that this program does not know.
fn restored(figures: Vec<Measured>) -> Option<Vec<Figure>> {
    let figure = |measured: Measured| {
        let what = definition(&measured.key)?;
        Some(measured.figure(what))
    };
    figures.into_iter().map(figure).collect()
}

fn definition(key: &str) -> Option<&'static Definition> {
    risk::definitions().find(|what| what.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Part;

    /// Each figure that risk has, with a value and without: what a part carries is the same figure again, to the last bit.
    #[test]
    fn parts_carry_every_figure_of_risk() {
        let value = 0.1 + 0.2;
        let part = Part {
            name: "a".into(),
            value: Some(1.0 / 3.0),
        };
        let figures: Vec<Figure> = risk::definitions()
            .flat_map(|what| {
                let whole = Figure::new(what, value, 7).with_parts(vec![part.clone()]);
                [
                    whole.with_skipped(2),
                    Figure::undefined(what, "nobody is there"),
                ]
            })
            .collect();
        let carried: Vec<Measured> = figures.iter().cloned().map(Measured::from).collect();
        let text = serde_json::to_string(&carried).unwrap();
        let read: Vec<Measured> = serde_json::from_str(&text).unwrap();
        assert_eq!(restored(read.clone()), Some(figures));
        let unknown = Measured {
            key: "no such figure".into(),
            ..read[0].clone()
        };
        assert_eq!(restored(vec![unknown]), None);
    }
}
