//! Kernel distances: distances between records as they look in the space of a kernel.

use std::{borrow::Cow, num::NonZeroU32};

use serde::{Deserialize, Serialize};

use super::{
    Attack, Closer, Lists, Nearest, Preference, Scenario,
    distance_based::{Standardize, nearest, nearest_of},
    mahalanobis::{Mahalanobis, Scatter, Singular},
    points::{Points, by_record},
    whole::{ByColumns, Whole},
};
use crate::{
    distance::{
        Metric,
        kd_tree::{BoxTree, Leaves, Waiting, length_of_square},
    },
    error::{Counted, Error, ErrorKind, Reason, Result},
    memory,
    stats::checked::Finite,
    table::matrix::Matrix,
};

/// The most coordinates that a polynomial may have.
const MAX_MONOMIALS: usize = 4096;

/// Monomials below this have squares, and sums of these, within the range of numbers.
const MAX: f64 = 1e120;

/// A kernel `K(x, y)`, on standardised values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// `exp(−λ |x − y|²)`: for every λ the order of pairs is that of `am`.
    Rbf,
    /// `exp(−½ (x − y)ᵀ Σ⁻¹ (x − y))`, Σ the covariance of the aligned differences: the order of pairs is that of `md`.
    Mahalanobis,
    /// `(1 + x·y)^d`.
    Polynomial {
        /// d.
        degree: NonZeroU32,
    },
    /// `tanh(x·y + b)`. It is no positive definite kernel: squared distances can be negative, which still orders pairs.
    Tanh {
        /// b.
        offset: Finite,
    },
}

/// Distance-based record linkage by a kernel distance (KDBRL).
///
/// ```text
/// d²(a, b) = K(a, a) − 2 K(a, b) + K(b, b)
/// ```
///
/// # How it is computed
/// `rbf` and `mahalanobis` grow with the Euclidean and the Mahalanobis distance, so these are searched, and reported
/// as distances. The polynomial is the Euclidean distance between vectors of monomials, `Π x_k^{α_k}` times the root of
/// `d! / ((d − |α|)! Π α_k!)`, so the same index searches it. `tanh` has a tree of boxes, in which the greatest `x·y` bounds.
///
/// # Missing
/// `rbf` as `am`, `mahalanobis` as `md`; the others put a missing value at the mean of its file.
///
/// # Categories
/// `rbf` as `am`, `mahalanobis` as `md`; the others take indicators of all categories but one, standardised.
///
/// # Source
/// V. Torra, slides on re-identification methods (KDBRL, kernels K₁ to K₄), where d = 2.
#[derive(Debug, Clone)]
pub struct KernelDistance {
    /// The kernel whose space the distance is of.
    pub kernel: Kernel,
    /// By what each file is standardised.
    pub standardize: Standardize,
    /// What `mahalanobis` does where there is no inverse.
    pub singular: Singular,
}

impl Attack for KernelDistance {
    fn name(&self) -> &'static str {
        "kernel"
    }

    fn has_candidate_sets(&self) -> bool {
        false
    }

    fn needs_alignment(&self) -> bool {
        self.kernel == Kernel::Mahalanobis
    }

    fn formula(&self) -> String {
        match self.kernel {
            Kernel::Rbf => "kernel exp(-λ|x - y|²): the order of am for every λ".into(),
            Kernel::Mahalanobis => "kernel exp(-(x - y)' S^-1 (x - y) / 2): the order of md".into(),
            Kernel::Polynomial { degree } => format!("kernel (1 + x.y)^{degree}, on z-scores"),
            Kernel::Tanh { offset } => format!("kernel tanh(x.y + {}), on z-scores", offset.get()),
        }
    }

    fn in_words(&self) -> String {
        if self.needs_alignment() {
            "compares records by a kernel distance (kernel, a worst case)".into()
        } else {
            "compares records by a kernel distance (kernel)".into()
        }
    }

    fn standardize(&self) -> Option<Standardize> {
        Some(self.standardize)
    }

    fn by_columns(&self) -> Option<&dyn ByColumns> {
        (self.kernel == Kernel::Rbf).then_some(self)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        match self.kernel {
            Kernel::Rbf => nearest(scenario, self.standardize, |_| None).map(Preference::from),
            Kernel::Mahalanobis => Mahalanobis {
                scatter: Scatter::AlignedCovariances,
                standardize: self.standardize,
                singular: self.singular,
            }
            .prepare(scenario),
            Kernel::Polynomial { degree } => {
                let (seekers, sought) = Points::new(scenario, self.standardize)?.at_means();
                let monomials = Monomials::new(sought.n_attributes(), degree.get())?;
                let cells = monomials.factors.len() * (seekers.n_records() + sought.n_records());
                memory::check(
                    &format!(
                        "polynomials of {} coordinates for all records",
                        monomials.factors.len()
                    ),
                    cells as u128,
                    size_of::<f64>(),
                    "Lower --degree, let the intruder know fewer attributes or records",
                )?;
                let (seekers, sought) = (
                    monomials.of_records(&seekers),
                    monomials.of_records(&sought),
                );
                let fits = |value: &f64| value.abs() < MAX;
                if !seekers.values().iter().chain(sought.values()).all(fits) {
                    return Err(Error::input(
                        "the polynomials of some records are too large to be compared",
                    )
                    .because(Reason::Overflow { attribute: None })
                    .remedy("Lower --degree, or leave attributes with outliers out of --known"));
                }
                let width = monomials.factors.len();
                Ok(Nearest {
                    seekers: Cow::Owned(seekers),
                    sought: Cow::Owned(sought),
                    metric: Metric::new(vec![1.0; width], vec![0.0; width]),
                    candidates: None,
                    decides: None,
                }
                .into())
            }
            Kernel::Tanh { offset } => {
                let offset = offset.get();
                let (seekers, sought) = Points::new(scenario, self.standardize)?.at_means();
                Ok(Preference::Lists(Box::new(TanhLists::new(
                    seekers, &sought, offset,
                ))))
            }
        }
    }
}

impl ByColumns for KernelDistance {
    fn prepare_some<'a>(&self, some: &Scenario<'a>, whole: &Whole<'_>) -> Result<Nearest<'a>> {
        nearest_of((some, Some(whole)), self.standardize, |_| None)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The monomials of a polynomial kernel but the constant one, in an order in which each follows from one before.
struct Monomials {
    /// Each is an earlier one (`None`: 1) times a variable.
    steps: Vec<(Option<usize>, usize)>,
    /// Its factor.
    factors: Vec<f64>,
}

impl Monomials {
    fn new(variables: usize, degree: u32) -> Result<Self> {
        let mut monomials = Self {
            steps: Vec::new(),
            factors: Vec::new(),
        };
        let mut exponents = vec![0_u32; variables];
        monomials.grow(None, 0, 0, degree, &mut exponents);
        if monomials.factors.len() > MAX_MONOMIALS {
            return Err(Error::too_many(
                ErrorKind::Usage,
                Counted::Coordinates,
                [monomials.factors.len() as u128, MAX_MONOMIALS as u128],
                |_, limit| format!("a polynomial of degree {degree} in {variables} values has more than {limit} coordinates"),
            )
            .remedy("Lower --degree, or let the intruder know fewer attributes"));
        }
        Ok(monomials)
    }

    fn grow(
        &mut self,
        from: Option<usize>,
        first: usize,
        total: u32,
        degree: u32,
        exponents: &mut [u32],
    ) {
        if total == degree {
            return;
        }
        for variable in first..exponents.len() {
            if self.factors.len() > MAX_MONOMIALS {
                return;
            }
            exponents[variable] += 1;
            // d! / ((d − |α|)! Π α_k!), as a product of small quotients.
            let mut multinomial = 1.0;
            let mut chosen = 0;
            for &exponent in exponents.iter() {
                for part in 1..=exponent {
                    multinomial *= f64::from(degree - chosen) / f64::from(part);
                    chosen += 1;
                }
            }
            let place = self.steps.len();
            self.steps.push((from, variable));
            self.factors.push(multinomial.sqrt());
            self.grow(Some(place), variable, total + 1, degree, exponents);
            exponents[variable] -= 1;
        }
    }

    fn of_records(&self, matrix: &Matrix) -> Matrix {
        by_record(matrix.n_records(), self.steps.len(), |record, row| {
            let values = matrix.row(record);
            for (place, &(from, variable)) in self.steps.iter().enumerate() {
                row[place] = from.map_or(1.0, |from| row[from]) * values[variable];
            }
            for (cell, factor) in row.iter_mut().zip(&self.factors) {
                *cell *= factor;
            }
        })
    }
}

/// 1 − tanh(t). Most kernels of a standardised file are so near 1 that only this tells them apart.
fn short_of_one(t: f64) -> f64 {
    2.0 / ((2.0 * t).exp() + 1.0)
}

/// Records of a leaf.
const LEAF: usize = 32;

/// What the exponential function, and what is done to its result, may add to a kernel or take from it, as a share of it: some ulps.
const ROUNDING: f64 = 1e-14;

/// Records by the tanh kernel.
#[derive(Debug)]
struct TanhLists {
    seekers: Matrix,
    boxes: BoxTree,
    /// In the order of the tree.
    sought: Matrix,
    /// Where each record stands there.
    place_of: Vec<u32>,
    /// 1 − K(a, a).
    own_of_seekers: Vec<f64>,
    /// 1 − K(b, b), in the order of the tree.
    own_of_sought: Vec<f64>,
    /// The greatest of these in each node.
    greatest_own: Vec<f64>,
    offset: f64,
}

impl TanhLists {
    fn new(seekers: Matrix, sought: &Matrix, offset: f64) -> Self {
        let own = |matrix: &Matrix| -> Vec<f64> {
            let rows = (0..matrix.n_records()).map(|record| matrix.row(record));
            rows.map(|row| short_of_one(dot(row, row) + offset))
                .collect()
        };
        let (own_of_records, weights) = (own(sought), vec![1.0; sought.n_attributes()]);
        let boxes = BoxTree::build_priced(
            sought,
            (&own_of_records, &length_of_square),
            &weights,
            Leaves::UpTo(LEAF),
        );
        let order = boxes.tree.points();
        let own_of_sought: Vec<f64> = order
            .iter()
            .map(|&record| own_of_records[record as usize])
            .collect();
        Self {
            greatest_own: boxes.tree.greatest(&own_of_sought),
            own_of_seekers: own(&seekers),
            own_of_sought,
            seekers,
            place_of: boxes.tree.places(),
            sought: sought.reordered(order),
            boxes,
            offset,
        }
    }

    /// d² of a seeker and the record at a place of the tree.
    fn cost(&self, seeker: usize, place: usize) -> f64 {
        let product = dot(self.seekers.row(seeker), self.sought.row(place));
        let kernel = short_of_one(product + self.offset);
        2.0 * kernel - self.own_of_sought[place] - self.own_of_seekers[seeker]
    }

    /// No record of the node costs less: its product with the seeker is not above the greatest of the box, and neither is what rounding makes
    /// of it, since both are added up in the same order.
    fn least(&self, seeker: usize, node: usize) -> f64 {
        let ends = self.boxes.spans(node).iter().zip(self.seekers.row(seeker));
        let greatest: f64 = ends
            .map(|(span, x)| (x * span.low).max(x * span.high))
            .sum();
        let kernel = short_of_one(greatest + self.offset) * (1.0 - ROUNDING);
        2.0 * kernel - self.greatest_own[node] - self.own_of_seekers[seeker]
    }
}

impl Lists for TanhLists {
    fn n_seekers(&self) -> usize {
        self.seekers.n_records()
    }

    fn n_sought(&self) -> usize {
        self.sought.n_records()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        list.resize(self.n_sought(), (0, 0.0));
        for (place, &record) in self.boxes.tree.points().iter().enumerate() {
            list[record as usize] = (record, self.cost(seeker, place));
        }
    }

    fn is_searched(&self) -> bool {
        true
    }

    fn closer(&self) -> Option<&dyn Closer> {
        Some(self)
    }

    fn cheapest(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let tree = &self.boxes.tree;
        let mut least = f64::INFINITY;
        let mut waiting = Waiting::begun(tree);
        while let Some(leaf) = waiting.next(tree, least, |node| self.least(seeker, node)) {
            for place in tree.run(leaf) {
                let cost = self.cost(seeker, place);
                if cost < least {
                    least = cost;
                    list.clear();
                }
                if cost <= least {
                    list.push((tree.points()[place], cost));
                }
            }
        }
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}

impl Closer for TanhLists {
    fn count(&self, seeker: usize, record: u32) -> u32 {
        let tree = &self.boxes.tree;
        let own = self.cost(seeker, self.place_of[record as usize] as usize);
        let mut closer = 0;
        let mut waiting = Waiting::begun(tree);
        while let Some(leaf) = waiting.next(tree, own, |node| self.least(seeker, node)) {
            let costs = tree.run(leaf).map(|place| self.cost(seeker, place));
            closer += costs.map(|cost| u32::from(cost < own)).sum::<u32>();
        }
        closer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: (1 + xy)² = 1 + 2xy + x²y², so x maps to (√2 x, x²) beside the constant; in two values there are
    /// √2 x₁, x₁², √2 x₁x₂, √2 x₂, x₂².
    #[test]
    fn degree_two_by_hand() {
        let of = |values: Vec<f64>| {
            let monomials = Monomials::new(values.len(), 2).unwrap();
            let width = values.len();
            monomials
                .of_records(&Matrix::complete(1, width, values))
                .row(0)
                .to_vec()
        };
        let root = 2.0_f64.sqrt();
        assert_eq!(of(vec![3.0]), [3.0 * root, 9.0]);
        assert_eq!(
            of(vec![3.0, 5.0]),
            [3.0 * root, 9.0, 15.0 * root, 5.0 * root, 25.0]
        );
    }

    /// The inner product of the monomials is the kernel less its constant 1.
    #[test]
    fn monomials_reproduce_the_kernel() {
        let (x, y) = (vec![0.5, -1.25, 2.0], vec![1.5, 0.75, -0.5]);
        for degree in 1..=4 {
            let monomials = Monomials::new(3, degree).unwrap();
            let of =
                |values: &[f64]| monomials.of_records(&Matrix::complete(1, 3, values.to_vec()));
            let (a, b) = (of(&x), of(&y));
            let expected = (1.0 + dot(&x, &y)).powi(i32::try_from(degree).unwrap()) - 1.0;
            assert!(
                (dot(a.row(0), b.row(0)) - expected).abs() < 1e-12,
                "degree {degree}"
            );
        }
        assert!(Monomials::new(13, 12).is_err());
    }

    /// The search by tanh finds the cheapest of all records, and the costs are those of the formula: clouds of records at and off the mean, files in which
    /// many tie, and values so large that kernels are 0 or 2.
    #[test]
    fn the_cheapest_by_tanh_are_those_of_all() {
        for (n, scale, step, offset) in [
            (0, 1.0, 1, 0.0),
            (1, 1.0, 1, 0.5),
            (500, 1.0, 1, 0.0),
            (500, 0.05, 1, -1.0),
            (400, 2.0, 250, 0.5),
            (300, 0.3, 500, 0.0),
            (300, 1e4, 1, 0.0),
            (300, 1e-4, 1, 2.0),
        ] {
            let value = |cell: usize| {
                let mixed = (cell + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                scale * ((mixed % 1000 / step * step) as f64 / 250.0 - 1.5)
            };
            let seekers = Matrix::complete(40, 3, (0..120).map(|k| value(7 * k)).collect());
            let sought = Matrix::complete(n, 3, (0..3 * n).map(value).collect());
            let lists = TanhLists::new(seekers.clone(), &sought, offset);
            let (mut all, mut cheapest) = (Vec::new(), Vec::new());
            for seeker in 0..40 {
                lists.list(seeker, &mut all);
                for (record, &(at, cost)) in all.iter().enumerate() {
                    assert_eq!(at as usize, record);
                    let (x, y) = (seekers.row(seeker), sought.row(record));
                    let k = |a: &[f64], b: &[f64]| (dot(a, b) + offset).tanh();
                    let expected = k(x, x) - 2.0 * k(x, y) + k(y, y);
                    assert!((cost - expected).abs() < 1e-14, "{cost} and {expected}");
                }
                for &(record, own) in all.iter().step_by(7) {
                    let closer = all.iter().filter(|of| of.1 < own).count();
                    assert_eq!(lists.count(seeker, record) as usize, closer);
                }
                let least = all.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
                all.retain(|of| of.1 <= least);
                lists.cheapest(seeker, &mut cheapest);
                cheapest.sort_unstable_by_key(|of| of.0);
                assert_eq!(cheapest, all, "{n}, {scale}, {offset}: {seeker}");
            }
        }
    }
}
