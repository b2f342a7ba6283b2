//! How two records differ, attribute by attribute: what every learned distance is made of.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::{
    attack::{
        Nearest, Scenario,
        distance_based::{Standardize, nearest},
        nominal::{Column, Holds},
    },
    error::{Error, Result},
    stats::exact::Exact,
    table::matrix::Matrix,
};

/// A seeker is as far from two values if the distances differ by no more than this share of the numbers that they are differences of
/// (16 units of the last place): the rounding of the seeker's own value in the units of the sought file. Where it was not brought there, there is
/// none.
const NOTHING: f64 = 1.0 / (1_u64 << 48) as f64;

/// A difference of two numbers that is no more than this share of them is worked out without rounding.
pub(super) const CANCELLED: f64 = 1e-10;

/// Records that are equal in all columns are of one kind.
struct Kinds {
    /// The kind of each record.
    of: Vec<u32>,
    /// The first record of each kind.
    first: Vec<usize>,
    /// Number of records of each kind.
    sizes: Vec<usize>,
}

/// The mean (its size) that each column of the seekers was moved to, the mean of the sought file; `None` if their values are as they were
/// read, so that nothing was rounded.
fn moved_to(
    scenario: &Scenario<'_>,
    nearest: &Nearest<'_>,
    columns: &[Column],
) -> Vec<Option<f64>> {
    let raw = scenario.seekers();
    let of_column = |(place, column): (usize, &Column)| {
        let seekers = &nearest.seekers;
        let differs = |record: usize| {
            let (now, before) = (
                seekers.row(record)[place],
                raw.row(record)[column.attribute],
            );
            !seekers.is_missing(record, place) && now.total_cmp(&before).is_ne()
        };
        let is_moved = column.holds == Holds::Numbers && (0..seekers.n_records()).any(differs);
        is_moved.then(|| {
            let (count, sum) = nearest
                .sought
                .present(place)
                .fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
            (sum / f64::from(count.max(1))).abs()
        })
    };
    columns.iter().enumerate().map(of_column).collect()
}

/// `(x − y) + (x − z)`, rounded once where most of it cancels.
fn towards(x: f64, y: f64, z: f64) -> f64 {
    let (own, other) = (x - y, x - z);
    let sum = own + other;
    if sum.abs() <= CANCELLED * own.abs().max(other.abs()) {
        (&(&Exact::of_finite(x).twice() - &Exact::of_finite(y)) - &Exact::of_finite(z)).near()
    } else {
        sum
    }
}

/// `weight · (x − y)² − gap`, rounded once where most of it cancels.
fn above(weight: f64, x: f64, y: f64, gap: f64) -> f64 {
    let above = weight * ((x - y) * (x - y)) - gap;
    if above.abs() <= CANCELLED * gap {
        let difference = &Exact::of_finite(x) - &Exact::of_finite(y);
        let square = &Exact::of_finite(weight) * &(&difference * &difference);
        (&square - &Exact::of_finite(gap)).near()
    } else {
        above
    }
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
    /// For each column, the size of the mean that the seekers' values were moved to, if they were: what rounding they have follows from it.
    moved_to: Vec<Option<f64>>,
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
        let moved_to = moved_to(scenario, &nearest, &columns);
        Ok(Self {
            nearest,
            columns,
            moved_to,
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
        let without = self.with_sought(Cow::Owned(once));
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
            (0..sought.n_attributes()).map(move |column| {
                if row.is_missing(column) {
                    None
                } else {
                    Some((row.values()[column] + 0.0).to_bits())
                }
            })
        };
        let mut order: Vec<usize> = (0..sought.n_records()).collect();
        order.par_sort_unstable_by(|&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)));
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
            .wrong_scale(&known[column.attribute])
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
            let gap = metric.missing()[place];
            let (x, y, z) = (
                a.values()[place],
                own.values()[place],
                other.values()[place],
            );
            let is_missing = |record: crate::table::matrix::Row<'_>| record.is_missing(place);
            margins[column.attribute] += match (is_missing(a), is_missing(own), is_missing(other)) {
                (true, _, _) | (_, true, true) => 0.0,
                (_, true, false) => above(weight, x, z, gap),
                (_, false, true) => -above(weight, x, y, gap),
                // (x − z)² − (x − y)², without the cancellation.
                (_, false, false) if self.is_midway(place, [x, y, z]) => 0.0,
                (_, false, false) => weight * ((y - z) * towards(x, y, z)),
            };
        }
    }

    /// Whether a seeker's value lies as far from one sought value as from another on its other side, but for the rounding of its own.
    pub(super) fn is_midway(&self, column: usize, [x, y, z]: [f64; 3]) -> bool {
        self.moved_to[column].is_some_and(|mean| {
            ((x - y) + (x - z)).abs() <= NOTHING * (x.abs() + y.abs() + z.abs() + mean)
        })
    }

    /// What may have been rounded of a seeker's values, at most: how far each squared difference can be moved by
    /// [`is_midway`](Self::is_midway), in sum.
    pub(super) fn moved_at_most(&self, seeker: usize, spans: &[(f64, f64)]) -> f64 {
        let values = self.nearest.seekers.record(seeker);
        let weights = self.nearest.metric.weights();
        let of_column = |(place, mean): (usize, &Option<f64>)| match mean {
            Some(mean) if !values.is_missing(place) => {
                let (low, high) = spans[place];
                let greatest = low.abs().max(high.abs());
                let by = NOTHING * (values.values()[place].abs() + 2.0 * greatest + mean);
                2.0 * weights[place] * (high - low).max(0.0) * by
            }
            _ => 0.0,
        };
        self.moved_to.iter().enumerate().map(of_column).sum()
    }

    /// Whether two sought records have the same values and gaps.
    #[expect(clippy::float_cmp, reason = "twins have the very same values")]
    pub(super) fn are_twins(&self, a: usize, b: usize) -> bool {
        let sought = &self.nearest.sought;
        let (one, other) = (sought.record(a), sought.record(b));
        (0..sought.n_attributes()).all(|place| {
            match (one.is_missing(place), other.is_missing(place)) {
                (false, false) => one.values()[place] == other.values()[place],
                (a, b) => a && b,
            }
        })
    }

    /// The columns, each with its attribute.
    pub(super) fn columns(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.attribute_of_columns().enumerate()
    }

    /// The same, for somebody else to hold: what is borrowed stays so.
    pub(super) fn again(&self) -> Self {
        self.with_sought(self.nearest.sought.clone())
    }

    /// The same differences, to other sought records.
    fn with_sought(&self, sought: Cow<'a, Matrix>) -> Self {
        Self {
            nearest: Nearest {
                seekers: self.nearest.seekers.clone(),
                sought,
                metric: self.nearest.metric.clone(),
                candidates: None,
                decides: None,
            },
            columns: self.columns.clone(),
            moved_to: self.moved_to.clone(),
            n_attributes: self.n_attributes,
        }
    }

    /// The same, to a competitor: the partner's with its sign turned where the seeker lies midway.
    pub fn signed_beside(
        &self,
        seeker: usize,
        partner: usize,
        competitor: usize,
        signed: &mut [(Option<f64>, f64)],
    ) {
        self.signed(seeker, competitor, signed);
        let sought = &self.nearest.sought;
        let a = self.nearest.seekers.record(seeker);
        let (own, other) = (sought.record(partner), sought.record(competitor));
        for (place, attribute) in self.columns() {
            if [a, own, other]
                .iter()
                .any(|record| record.is_missing(place))
            {
                continue;
            }
            let of = [a, own, other].map(|record| record.values()[place]);
            let [x, y, z] = of;
            if y.total_cmp(&z).is_ne() && self.is_midway(place, of) {
                let difference = (y - x) * self.nearest.metric.weights()[place].sqrt();
                signed[attribute] = (Some(difference), difference * difference);
            }
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
            signed[column.attribute] = if is_missing {
                (None, metric.missing()[place])
            } else {
                (Some(difference), difference * difference)
            };
        }
    }
}
