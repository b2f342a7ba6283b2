//! How two records differ, attribute by attribute: what every learned distance is made of.

use crate::{
    attack::{
        Nearest, Scenario,
        distance_based::{Standardize, nearest},
        nominal::{Column, Holds},
    },
    error::{Error, Result},
};

/// A seeker that is as far from two values as this share of their sizes is as far from both: what is left is rounding of his own
/// value in the units of the sought file (2⁻⁴⁸, 16 units of the last place).
const NOTHING: f64 = 3.6e-15;

/// Both files, and the squared standardised difference of each attribute.
///
/// ```text
/// diff_k(a, b) = ( (a_k − mean_k^X) / sd_k^X − (b_k − mean_k^Y) / sd_k^Y )²
/// ```
///
/// It is what `am` adds up ([`crate::attack::distance_based`]): with its standardisation, its law for categories (`2 / (1 − Σ p²)` for two
/// different names), and its law for gaps (2: what two unrelated people differ by on average). A product of two differences
/// (of the bilinear form) with a gap on either side counts 0, its mean over unrelated people.
#[derive(Debug)]
pub struct Differences<'a> {
    /// `am`'s points: one column a number, several a nominal attribute.
    pub nearest: Nearest<'a>,
    /// The attribute behind each column.
    columns: Vec<Column>,
    n_attributes: usize,
}

impl<'a> Differences<'a> {
    /// Standardises both files.
    ///
    /// # Errors
    /// Input, when an attribute cannot be standardised or has too many categories.
    pub fn new(scenario: &Scenario<'a>, standardize: Standardize) -> Result<Self> {
        let mut columns = Vec::new();
        let nearest = nearest(scenario, standardize, |of_points| {
            columns = of_points.to_vec();
            None
        })?;
        Ok(Self {
            nearest,
            columns,
            n_attributes: scenario.known.len(),
        })
    }

    /// That each attribute is a single number, as the bilinear form needs.
    ///
    /// # Errors
    /// Input, when an attribute has more than two categories.
    pub fn check_numbers(&self, known: &[String]) -> Result<()> {
        let names = |column: &&Column| matches!(column.holds, Holds::Indicator { .. });
        match self.columns.iter().find(names) {
            None => Ok(()),
            Some(column) => Err(Error::input(
                "has more than two categories: a bilinear form needs differences with a sign",
            )
            .on_attribute(&known[column.attribute])
            .remedy("Leave it out of --known, or use wm, owa or ci")),
        }
    }

    /// Number of attributes.
    pub fn n_attributes(&self) -> usize {
        self.n_attributes
    }

    /// The attribute behind each column of `nearest`.
    pub fn attribute_of_columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.columns.iter().map(|column| column.attribute)
    }

    /// Number of records that look.
    pub fn n_seekers(&self) -> usize {
        self.nearest.seekers.n_records()
    }

    /// Number of records among which they look.
    pub fn n_sought(&self) -> usize {
        self.nearest.sought.n_records()
    }

    /// The squared difference of each attribute.
    pub fn squares(&self, seeker: usize, sought: usize, squares: &mut [f64]) {
        squares.fill(0.0);
        let (a, b) = (
            self.nearest.seekers.record(seeker),
            self.nearest.sought.record(sought),
        );
        let metric = &self.nearest.metric;
        for (place, column) in self.columns.iter().enumerate() {
            squares[column.attribute] += if a.is_missing(place) || b.is_missing(place) {
                metric.missing()[place]
            } else {
                let difference = a.values()[place] - b.values()[place];
                metric.weights()[place] * (difference * difference)
            };
        }
    }

    /// What each attribute's squared difference is greater to the competitor than to the partner; exactly 0 where both have the
    /// same value.
    pub fn margins(&self, seeker: usize, partner: usize, competitor: usize, margins: &mut [f64]) {
        margins.fill(0.0);
        let a = self.nearest.seekers.record(seeker);
        let own = self.nearest.sought.record(partner);
        let other = self.nearest.sought.record(competitor);
        let metric = &self.nearest.metric;
        for (place, column) in self.columns.iter().enumerate() {
            let weight = metric.weights()[place];
            let gap = metric.missing()[place];
            let (x, y, z) = (
                a.values()[place],
                own.values()[place],
                other.values()[place],
            );
            let is_missing = |record: crate::table::matrix::Row<'_>| record.is_missing(place);
            margins[column.attribute] += match (is_missing(a), is_missing(own), is_missing(other)) {
                (true, _, _) | (_, true, true) => 0.0,
                (_, true, false) => weight * ((x - z) * (x - z)) - gap,
                (_, false, true) => gap - weight * ((x - y) * (x - y)),
                // (x − z)² − (x − y)², without the cancellation.
                (_, false, false) => {
                    let size = x.abs() + y.abs() + z.abs();
                    let towards = (x - y) + (x - z);
                    match towards.abs() <= NOTHING * size {
                        true => 0.0,
                        false => weight * ((y - z) * towards),
                    }
                }
            };
        }
    }

    /// The standardised difference of each attribute with its sign, seeker − sought; `None` where a side is missing, and what its
    /// square counts then.
    pub fn signed(&self, seeker: usize, sought: usize, signed: &mut [(Option<f64>, f64)]) {
        let (a, b) = (
            self.nearest.seekers.record(seeker),
            self.nearest.sought.record(sought),
        );
        let metric = &self.nearest.metric;
        for (place, column) in self.columns.iter().enumerate() {
            let is_missing = a.is_missing(place) || b.is_missing(place);
            let difference =
                (a.values()[place] - b.values()[place]) * metric.weights()[place].sqrt();
            signed[column.attribute] = match is_missing {
                true => (None, metric.missing()[place]),
                false => (Some(difference), difference * difference),
            };
        }
    }
}
