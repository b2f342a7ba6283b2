//! What a bilinear form says: its matrix, and the directions in which it stretches.

use ndarray::Array2;
use serde::Serialize;

use super::{Range, range, words};
use crate::{
    attack::learned::{family::pair, weights::Weights},
    report::text,
    stats::eigen,
};

/// A symmetric matrix, and what it does along its axes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bilinear {
    /// The matrix, by row.
    pub matrix: Vec<Vec<f64>>,
    /// In which range each entry on and above the diagonal may vary without a link being lost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<EntryRange>,
    /// Its axes, from the greatest stretch.
    pub axes: Vec<Axis>,
    /// Whether no stretch is negative: its root is then a distance.
    pub is_distance: bool,
    /// The attributes, by row.
    #[serde(skip)]
    pub attributes: Vec<String>,
}

/// In which range an entry may vary.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EntryRange {
    /// Row and column.
    pub attributes: [String; 2],
    /// The values that keep the links.
    pub range: Range,
}

/// An eigenvector.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Axis {
    /// Its eigenvalue: how much a difference of length 1 along it counts.
    pub stretch: f64,
    /// Its components, in the order of the attributes; of length 1 together.
    pub direction: Vec<f64>,
}

/// Eigenvalues above this share of the greatest are not negative but rounded.
const ROUNDING: f64 = 1e-9;

impl Bilinear {
    /// Reads it.
    pub fn new(weights: &Weights, matrix: Array2<f64>) -> Self {
        let n = weights.attributes.len();
        let rows = matrix.rows().into_iter().map(|row| row.to_vec()).collect();
        let eigen = eigen::symmetric(matrix);
        let greatest = eigen
            .values
            .iter()
            .fold(0.0_f64, |most, v| most.max(v.abs()));
        let axes: Vec<Axis> = eigen
            .values
            .iter()
            .zip(eigen.vectors.columns())
            .map(|(&stretch, vector)| Axis {
                stretch,
                direction: vector.to_vec(),
            })
            .collect();
        let ranges = match &weights.ranges {
            None => Vec::new(),
            Some(ranges) => (0..n)
                .flat_map(|k| (k..n).map(move |l| (k, l)))
                .map(|(k, l)| EntryRange {
                    attributes: [weights.attributes[k].clone(), weights.attributes[l].clone()],
                    range: range(Some(ranges), if k == l { k } else { pair(n, k, l) }),
                })
                .collect(),
        };
        Self {
            matrix: rows,
            ranges,
            is_distance: axes.iter().all(|axis| axis.stretch >= -ROUNDING * greatest),
            axes,
            attributes: weights.attributes.clone(),
        }
    }

    /// The matrix and its directions as tables for the terminal.
    pub fn to_text(&self) -> String {
        let header: Vec<&str> = std::iter::once("")
            .chain(self.attributes.iter().map(String::as_str))
            .collect();
        let rows: Vec<Vec<String>> = self
            .attributes
            .iter()
            .zip(&self.matrix)
            .map(|(name, row)| {
                std::iter::once(name.clone())
                    .chain(row.iter().map(|entry| format!("{entry:+.3}")))
                    .collect()
            })
            .collect();
        let mut out = text::columns(&header, &rows, 1);
        out += "\n";
        let rows: Vec<Vec<String>> = self
            .axes
            .iter()
            .map(|axis| vec![format!("{:+.3}", axis.stretch), self.along(axis)])
            .collect();
        out += &text::columns(&["stretch", "along"], &rows, 2);
        if !self.ranges.is_empty() {
            out += "\n";
            let rows: Vec<Vec<String>> = self
                .ranges
                .iter()
                .map(|of| {
                    vec![
                        of.attributes.join(", "),
                        words::range(of.range, |figure| format!("{figure:+.3}")),
                    ]
                })
                .collect();
            out += &text::columns(&["entry", "range"], &rows, 1);
        }
        out
    }

    /// A direction as a sum, its greatest parts first; small ones are left out.
    fn along(&self, axis: &Axis) -> String {
        const SMALL: f64 = 0.1;
        const MAX: usize = 4;
        let mut order: Vec<usize> = (0..axis.direction.len()).collect();
        order.sort_by(|&k, &l| axis.direction[l].abs().total_cmp(&axis.direction[k].abs()));
        let parts: Vec<String> = order
            .iter()
            .copied()
            .filter(|&k| axis.direction[k].abs() >= SMALL)
            .take(MAX)
            .map(|k| {
                let part = axis.direction[k];
                let sign = if part < 0.0 { '−' } else { '+' };
                format!("{sign} {:.2} {}", part.abs(), self.attributes[k])
            })
            .collect();
        if let ([_], Some(&k)) = (&parts[..], order.first()) {
            return self.attributes[k].clone();
        }
        let sum = parts.join(" ");
        sum.strip_prefix("+ ").map_or(sum.clone(), String::from)
    }

    /// What it says.
    pub fn in_words(&self, weights: &Weights) -> Vec<String> {
        let mut said = Vec::new();
        let (first, others) = match &self.axes[..] {
            [first, others @ ..] => (first, others),
            [] => return said,
        };
        let alone = |axis: &Axis| {
            let place = axis
                .direction
                .iter()
                .position(|part| part.abs() >= 1.0 - ROUNDING);
            place.filter(|_| axis.stretch > 0.0)
        };
        let no_other = others
            .iter()
            .all(|axis| axis.stretch.abs() <= ROUNDING * first.stretch.abs());
        match alone(first) {
            Some(place) if no_other && words::shows_key(weights) => {
                said.push(words::key(&self.attributes[place]));
            }
            _ => said.push(format!(
                "It stretches most ({:.2}) along {}: records that differ so are farthest apart, and to tell a person's masked \
                 record from others it looks there before all else.",
                first.stretch,
                self.along(first)
            )),
        }
        said.push(self.of_distance());
        said.extend(self.of_products());
        said
    }

    fn of_distance(&self) -> String {
        let negative = self.axes.iter().filter(|axis| axis.stretch < 0.0).count();
        match (self.is_distance, self.axes.last()) {
            (true, _) | (_, None) => {
                "It has no negative eigenvalue: its root is a distance (which may be 0 between records that differ).".into()
            }
            (false, Some(last)) => format!(
                "It is no distance: {negative} of its {} eigenvalues {} negative, the least {:.2} along {}. Records that differ so \
                 count as nearer than records that agree. That may link more, but says less of what an intruder would do: \
                 compare it with sb-pd.",
                self.axes.len(),
                if negative == 1 { "is" } else { "are" },
                last.stretch,
                self.along(last)
            ),
        }
    }

    /// The strongest product of two attributes.
    fn of_products(&self) -> Option<String> {
        let n = self.attributes.len();
        let size = |k: usize, l: usize| self.matrix[k][l].abs();
        let (k, l) = (0..n).flat_map(|k| (k + 1..n).map(move |l| (k, l))).fold(
            None,
            |best: Option<(usize, usize)>, (k, l)| match best {
                Some((i, j)) if size(i, j) >= size(k, l) => best,
                _ => Some((k, l)),
            },
        )?;
        const NOTABLE: f64 = 0.05;
        let greatest = self
            .matrix
            .iter()
            .flatten()
            .fold(0.0_f64, |most, s| most.max(s.abs()));
        if size(k, l) < NOTABLE * greatest {
            return Some(
                "Products of two attributes hardly count: this is nearly a weighted mean.".into(),
            );
        }
        let (first, second) = (&self.attributes[k], &self.attributes[l]);
        Some(if self.matrix[k][l] > 0.0 {
            format!(
                "The strongest product is of {first} and {second} (+): records that are higher in both, or lower in both, are far \
             apart; what is higher in one and lower in the other is partly forgiven, as masking often leaves it."
            )
        } else {
            format!(
                "The strongest product is of {first} and {second} (−): records that are higher in one and lower in the other are far \
             apart; what is higher in both, or lower in both, is partly forgiven, as masking often leaves it."
            )
        })
    }
}
