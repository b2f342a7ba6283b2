//! How two records differ, attribute by attribute: what every learned distance is made of.

use std::borrow::Cow;

use crate::{
    attack::{
        Nearest, Scenario,
        distance_based::{Standardize, nearest},
        nominal::{Column, Holds},
    },
    error::{Error, Result},
    table::matrix::Matrix,
};

/// A seeker is as far from two values if the distances differ by no more than this share of their sizes: the rounding of his own
/// value in the units of the sought file (2⁻⁴⁸, 16 units of the last place). Where it was not brought there, there is none.
const NOTHING: f64 = 3.6e-15;

/// Records that are equal in all columns are of one kind.
struct Kinds {
    /// The kind of each record.
    of: Vec<u32>,
    /// The first record of each kind.
    first: Vec<usize>,
    /// Number of records of each kind.
    sizes: Vec<usize>,
}

/// What bringing the seekers into the units of the sought file may have rounded: the means of a column are subtracted and added.
fn roundings(nearest: &Nearest<'_>) -> Vec<f64> {
    let sought = &nearest.sought;
    (0..sought.n_attributes())
        .map(|column| {
            if matches!(nearest.seekers, Cow::Borrowed(_)) {
                return 0.0;
            }
            let (count, sum) = sought
                .present(column)
                .fold((0_u32, 0.0), |(count, sum), value| {
                    (count + 1, sum + value.abs())
                });
            NOTHING * sum / f64::from(count.max(1))
        })
        .collect()
}

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
    /// For each column, what the seekers' values may be off by: they were brought into the units of the sought file.
    roundings: Vec<f64>,
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
        let roundings = roundings(&nearest);
        Ok(Self {
            nearest,
            columns,
            roundings,
            n_attributes: scenario.known.len(),
        })
    }

    /// The same with each record of the sought file once, and where the partners are then; `None` if no partner has an equal.
    ///
    /// Records that are equal in all known attributes tie at every distance. Without the others of its kind a partner can be told
    /// from the rest.
    pub fn without_twins(&self, partners: &[Option<u32>]) -> Option<(Self, Vec<Option<u32>>)> {
        if self.n_with_twins(partners) == 0 {
            return None;
        }
        let sought = &self.nearest.sought;
        let Kinds { of, first, .. } = self.kinds();
        let width = sought.n_attributes();
        let values = first.iter().flat_map(|&record| sought.row(record).to_vec());
        let mut once = Matrix::complete(first.len(), width, values.collect());
        for (row, &record) in first.iter().enumerate() {
            for column in (0..width).filter(|&column| sought.is_missing(record, column)) {
                once.set_missing(row, column);
            }
        }
        let without = Self {
            nearest: Nearest {
                seekers: self.nearest.seekers.clone(),
                sought: Cow::Owned(once),
                metric: self.nearest.metric.clone(),
                candidates: None,
                form: None,
            },
            columns: self.columns.clone(),
            roundings: self.roundings.clone(),
            n_attributes: self.n_attributes,
        };
        let moved = partners
            .iter()
            .map(|partner| partner.map(|at| of[at as usize]));
        Some((without, moved.collect()))
    }

    /// How many partners have an equal among the sought records.
    pub fn n_with_twins(&self, partners: &[Option<u32>]) -> usize {
        let Kinds { of, sizes, .. } = self.kinds();
        let has_twin = |partner: &&u32| sizes[of[**partner as usize] as usize] > 1;
        partners.iter().flatten().filter(has_twin).count()
    }

    /// Which sought records are equal.
    fn kinds(&self) -> Kinds {
        let sought = &self.nearest.sought;
        let key = |record: usize| {
            let row = sought.record(record);
            (0..sought.n_attributes()).map(move |column| match row.is_missing(column) {
                true => None,
                false => Some((row.values()[column] + 0.0).to_bits()),
            })
        };
        let mut order: Vec<usize> = (0..sought.n_records()).collect();
        order.sort_by(|&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)));
        let mut kinds = Kinds {
            of: vec![0; order.len()],
            first: Vec::new(),
            sizes: Vec::new(),
        };
        for group in order.chunk_by(|&a, &b| key(a).eq(key(b))) {
            for &record in group {
                kinds.of[record] = u32::try_from(kinds.first.len()).unwrap_or(u32::MAX);
            }
            kinds.first.push(group[0]);
            kinds.sizes.push(group.len());
        }
        kinds
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
            .remedy("Leave it out of --known or --attributes, or use wm, owa or ci")),
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
            let moved = f64::from(u8::from(self.roundings[place] > 0.0));
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
                    let towards = (x - y) + (x - z);
                    match towards.abs() <= self.roundings[place] + NOTHING * x.abs() * moved {
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
