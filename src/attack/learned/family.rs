//! The families of distances that are learned: each is linear in its parameters.

use serde::{Deserialize, Serialize};

use super::differences::{CANCELLED, Differences};
use crate::{
    error::{Counted, Error, ErrorKind, Result},
    optimize::subsystem::{Semidefinite, Space, SparseRow},
};

/// The most parameters that a distance may have.
const MAX_PARAMETERS: usize = 1 << 10;

/// The most half-spaces that may be listed.
const MAX_HALF_SPACES: usize = 1 << 16;

/// A family of distances d²(a, b) = C_p(diff_1, …, diff_n), where diff_k are squared standardised differences.
///
/// ```text
/// wm      Σ p_k diff_k                                      p ≥ 0, Σ p = 1
/// wm-m    the same                                          p > 0, Σ p = 1
/// owa     Σ p_k diff_(k)   diff_(1) ≥ diff_(2) ≥ …           p ≥ 0, Σ p = 1
/// ci      Σ_k (diff_(k) − diff_(k+1)) μ({(1) … (k)})         μ(∅) = 0, μ(V) = 1, A ⊆ B ⇒ μ(A) ≤ μ(B)     (Choquet integral)
/// ci-m    the same                                          and μ(A) + μ(B) ≥ μ(A ∪ B) + μ(A ∩ B)
/// ci-2    Σ_k m_k diff_k + Σ_{k<l} m_kl min(diff_k, diff_l)  the same as ci, μ 2-additive
/// sb      (z_a − z_b)ᵀ S (z_a − z_b)                         S symmetric, |S_kl| ≤ 1                       (bilinear form)
/// sb-nc   the same                                          and not negative on any pair of the two files
/// sb-pd   the same                                          and S positive definite
/// ```
///
/// # Source
/// D. Abril, G. Navarro-Arribas, V. Torra, "Improving record linkage with supervised learning for disclosure risk
/// assessment", Information Fusion 13, 2012; "Choquet integral for record linkage", Annals of Operations Research 195, 2012;
/// "Supervised learning using a symmetric bilinear form for record linkage", Information Fusion 26, 2015. That the scale of S is fixed by
/// its greatest entry is a reading: the papers fix it by the margin alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Family {
    /// The weighted mean.
    #[serde(rename = "wm")]
    WeightedMean,
    /// The weighted mean with positive weights: its root is a metric.
    #[serde(rename = "wm-m")]
    WeightedMeanMetric,
    /// The ordered weighted mean.
    #[serde(rename = "owa")]
    OrderedWeightedMean,
    /// The Choquet integral.
    #[serde(rename = "ci")]
    Choquet,
    /// The Choquet integral of a submodular measure: its root is a metric.
    #[serde(rename = "ci-m")]
    ChoquetMetric,
    /// The Choquet integral of a 2-additive measure.
    #[serde(rename = "ci-2")]
    ChoquetTwoAdditive,
    /// The symmetric bilinear form.
    #[serde(rename = "sb")]
    Bilinear,
    /// The bilinear form that is not negative on the pairs of the two files.
    #[serde(rename = "sb-nc")]
    BilinearNonNegative,
    /// The positive definite bilinear form.
    #[serde(rename = "sb-pd")]
    BilinearDefinite,
}

impl Family {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 9] = [
        Self::WeightedMean,
        Self::WeightedMeanMetric,
        Self::OrderedWeightedMean,
        Self::Choquet,
        Self::ChoquetMetric,
        Self::ChoquetTwoAdditive,
        Self::Bilinear,
        Self::BilinearNonNegative,
        Self::BilinearDefinite,
    ];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::WeightedMean => "wm",
            Self::WeightedMeanMetric => "wm-m",
            Self::OrderedWeightedMean => "owa",
            Self::Choquet => "ci",
            Self::ChoquetMetric => "ci-m",
            Self::ChoquetTwoAdditive => "ci-2",
            Self::Bilinear => "sb",
            Self::BilinearNonNegative => "sb-nc",
            Self::BilinearDefinite => "sb-pd",
        }
    }

    /// The distance, as a formula of a line.
    pub fn formula(self) -> &'static str {
        match self {
            Self::WeightedMean => {
                "sum of p_k diff_k, p >= 0, sum 1; diff = squared difference of z-scores"
            }
            Self::WeightedMeanMetric => {
                "sum of p_k diff_k, p > 0, sum 1; diff = squared difference of z-scores"
            }
            Self::OrderedWeightedMean => {
                "sum of p_k diff_(k), the differences in descending order, p >= 0, sum 1"
            }
            Self::Choquet => "Choquet integral of the squared differences, monotone measure",
            Self::ChoquetMetric => {
                "Choquet integral of the squared differences, monotone and submodular measure"
            }
            Self::ChoquetTwoAdditive => {
                "Choquet integral of the squared differences, monotone and 2-additive measure"
            }
            Self::Bilinear => "(z_a - z_b)' S (z_a - z_b), S symmetric",
            Self::BilinearNonNegative => {
                "(z_a - z_b)' S (z_a - z_b), S symmetric, not negative on any pair of the files"
            }
            Self::BilinearDefinite => "(z_a - z_b)' S (z_a - z_b), S positive definite",
        }
    }

    /// What it is, in words that follow "the best".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::WeightedMean | Self::WeightedMeanMetric => "a weighting of the attributes",
            Self::OrderedWeightedMean => "a weighting of the ordered differences",
            Self::Choquet | Self::ChoquetMetric | Self::ChoquetTwoAdditive => {
                "a weighting of sets of attributes"
            }
            Self::Bilinear | Self::BilinearNonNegative | Self::BilinearDefinite => {
                "a weighting of attributes and their products"
            }
        }
    }

    /// Whether it is a weighted mean of the differences, and so a distance between points.
    pub fn is_weighted_mean(self) -> bool {
        matches!(self, Self::WeightedMean | Self::WeightedMeanMetric)
    }

    /// Whether it is a mean of the differences, with weights that sum to 1.
    pub fn is_mean(self) -> bool {
        self.is_weighted_mean() || self == Self::OrderedWeightedMean
    }

    /// Whether it is a bilinear form.
    pub fn is_bilinear(self) -> bool {
        matches!(
            self,
            Self::Bilinear | Self::BilinearNonNegative | Self::BilinearDefinite
        )
    }

    /// Number of parameters for this many attributes; `None` if that is too many to be learned.
    pub fn dimension(self, n_attributes: usize) -> Option<usize> {
        let n = n_attributes;
        let dimension = match self {
            Self::WeightedMean | Self::WeightedMeanMetric | Self::OrderedWeightedMean => n,
            Self::Choquet | Self::ChoquetMetric => {
                (1_usize.checked_shl(u32::try_from(n).ok()?)?).checked_sub(1)?
            }
            Self::ChoquetTwoAdditive
            | Self::Bilinear
            | Self::BilinearNonNegative
            | Self::BilinearDefinite => n * (n + 1) / 2,
        };
        let listed = match self {
            Self::Choquet => n << (n.max(1) - 1),
            Self::ChoquetMetric => (n * n) << n,
            Self::ChoquetTwoAdditive if n < 40 => n << (n.max(1) - 1),
            Self::ChoquetTwoAdditive => usize::MAX,
            _ => 0,
        };
        (dimension <= MAX_PARAMETERS && listed <= MAX_HALF_SPACES).then_some(dimension)
    }

    /// The parameters among which to choose.
    ///
    /// # Errors
    /// Usage, when there are too many.
    pub fn space(self, n_attributes: usize) -> Result<Space> {
        let n = n_attributes;
        let dimension = self.dimension(n).ok_or_else(|| {
            let most = (1..n).rev().find(|&fewer| self.dimension(fewer).is_some());
            let asked = [n as u128, most.unwrap_or(0) as u128];
            Error::too_many(ErrorKind::Usage, Counted::Attributes, asked, |n, _| {
                format!(
                    "{} of {n} attributes has too many parameters to be learned",
                    self.name()
                )
            })
            .remedy("Let the intruder know fewer attributes (--known), or use wm, owa or sb")
        })?;
        Ok(match self {
            Self::WeightedMean | Self::WeightedMeanMetric | Self::OrderedWeightedMean => {
                Space::simplex(dimension)
            }
            Self::Choquet | Self::ChoquetMetric => {
                let mut lower = vec![0.0; dimension];
                lower[dimension - 1] = 1.0;
                let mut half_spaces = monotone(n);
                if self == Self::ChoquetMetric {
                    half_spaces.extend(submodular(n));
                }
                Space {
                    lower,
                    upper: vec![1.0; dimension],
                    half_spaces,
                    ..Space::default()
                }
            }
            Self::ChoquetTwoAdditive => Space {
                lower: (0..dimension)
                    .map(|parameter| if parameter < n { 0.0 } else { -1.0 })
                    .collect(),
                half_spaces: monotone_two_additive(n),
                ..Space {
                    is_simplex: false,
                    ..Space::simplex(dimension)
                }
            },
            Self::Bilinear | Self::BilinearNonNegative | Self::BilinearDefinite => Space {
                lower: vec![-1.0; dimension],
                upper: vec![1.0; dimension],
                semidefinite: (self == Self::BilinearDefinite).then_some(Semidefinite { order: n }),
                ..Space::default()
            },
        })
    }

    /// Whether more of every squared difference is always more distance: then a competitor that is nowhere farther than the
    /// partner is never beaten.
    pub fn is_monotone(self) -> bool {
        !self.is_bilinear()
    }
}

/// `μ(A ∪ {k}) − μ(A) ≥ 0` for all non-empty A. A set is a number with bit k for attribute k; its parameter is that number − 1.
fn monotone(n: usize) -> Vec<SparseRow> {
    let mut rows = Vec::new();
    for set in 1_u32..1 << n {
        for k in (0..n).filter(|k| set >> k & 1 == 0) {
            rows.push(vec![(set - 1, -1.0), ((set | 1 << k) - 1, 1.0)]);
        }
    }
    rows
}

/// `μ(S ∪ {k}) + μ(S ∪ {l}) − μ(S ∪ {k, l}) − μ(S) ≥ 0` for all S without k and l.
fn submodular(n: usize) -> Vec<SparseRow> {
    let mut rows = Vec::new();
    for set in 0_u32..1 << n {
        for k in (0..n).filter(|k| set >> k & 1 == 0) {
            for l in (k + 1..n).filter(|l| set >> l & 1 == 0) {
                let (with_k, with_l) = (set | 1 << k, set | 1 << l);
                let mut row = vec![
                    (with_k - 1, 1.0),
                    (with_l - 1, 1.0),
                    ((with_k | with_l) - 1, -1.0),
                ];
                if set > 0 {
                    row.push((set - 1, -1.0));
                }
                row.sort_unstable_by_key(|entry| entry.0);
                rows.push(row);
            }
        }
    }
    rows
}

/// `m_k + Σ_{l ∈ T} m_kl ≥ 0` for each k and each non-empty set T of others.
fn monotone_two_additive(n: usize) -> Vec<SparseRow> {
    let mut rows = Vec::new();
    for k in 0..n {
        let others: Vec<usize> = (0..n).filter(|&l| l != k).collect();
        for set in 1_u32..1 << others.len() {
            let mut row = vec![(to_u32(k), 1.0)];
            for (place, &l) in others.iter().enumerate() {
                if set >> place & 1 == 1 {
                    row.push((to_u32(pair(n, k.min(l), k.max(l))), 1.0));
                }
            }
            row.sort_unstable_by_key(|entry| entry.0);
            rows.push(row);
        }
    }
    rows
}

/// The parameter of the pair k < l: after the n single ones, row by row.
pub fn pair(n: usize, k: usize, l: usize) -> usize {
    n + k * (2 * n - k - 1) / 2 + (l - k - 1)
}

fn to_u32(parameter: usize) -> u32 {
    u32::try_from(parameter).unwrap_or(u32::MAX)
}

/// Room for the work of one thread.
#[derive(Debug, Clone)]
pub struct Scratch {
    squares: Vec<f64>,
    others: Vec<f64>,
    signed: Vec<(Option<f64>, f64)>,
    order: Vec<usize>,
    partner: Vec<f64>,
}

impl Scratch {
    /// For this many attributes.
    pub fn new(n_attributes: usize) -> Self {
        Self {
            squares: vec![0.0; n_attributes],
            others: vec![0.0; n_attributes],
            signed: vec![(None, 0.0); n_attributes],
            order: (0..n_attributes).collect(),
            partner: Vec::new(),
        }
    }
}

impl Family {
    /// What the parameters multiply: d² of the pair is their product with `features`.
    pub fn features(
        self,
        differences: &Differences<'_>,
        seeker: usize,
        sought: usize,
        scratch: &mut Scratch,
        features: &mut Vec<f64>,
    ) {
        if self.is_bilinear() {
            differences.signed(seeker, sought, &mut scratch.signed);
            of_signed(&scratch.signed, features);
        } else {
            differences.squares(seeker, sought, &mut scratch.squares);
            self.of_squares(&scratch.squares, &mut scratch.order, features);
        }
    }

    /// The distance d² of a pair at these parameters, straight from its definition.
    pub fn distance(
        self,
        differences: &Differences<'_>,
        (seeker, sought): (usize, usize),
        parameters: &[f64],
        scratch: &mut Scratch,
    ) -> f64 {
        if !matches!(self, Self::Choquet | Self::ChoquetMetric) {
            let mut features = std::mem::take(&mut scratch.partner);
            self.features(differences, seeker, sought, scratch, &mut features);
            let distance = features.iter().zip(parameters).map(|(f, p)| f * p).sum();
            scratch.partner = features;
            return distance;
        }
        differences.squares(seeker, sought, &mut scratch.squares);
        let (squares, order) = (&scratch.squares, &mut scratch.order);
        order.sort_by(|&k, &l| squares[k].total_cmp(&squares[l]));
        // Σ s_(k) (μ(A_k) − μ(A_(k+1))): where two sets are worth the same, what tells them apart drops out exactly.
        let worth = |set: usize| set.checked_sub(1).map_or(0.0, |place| parameters[place]);
        let (mut set, mut distance) = (parameters.len(), 0.0);
        for &k in order.iter() {
            let rest = set & !(1 << k);
            distance += squares[k] * (worth(set) - worth(rest));
            set = rest;
        }
        distance
    }

    /// The row of a competitor: what its features are more than the partner's.
    pub fn row(
        self,
        differences: &Differences<'_>,
        seeker: usize,
        partner: usize,
        competitor: usize,
        scratch: &mut Scratch,
        row: &mut Vec<f64>,
    ) {
        let of = [seeker, partner, competitor];
        if self.is_bilinear() {
            let mut own = std::mem::take(&mut scratch.partner);
            self.features(differences, seeker, partner, scratch, &mut own);
            differences.signed_beside(seeker, partner, competitor, &mut scratch.signed);
            of_signed(&scratch.signed, row);
            self.subtract(differences, of, row, &own);
            scratch.partner = own;
            return;
        }
        differences.margins(seeker, partner, competitor, &mut scratch.others);
        if matches!(self, Self::WeightedMean | Self::WeightedMeanMetric) {
            row.clear();
            row.extend_from_slice(&scratch.others);
            return;
        }
        differences.squares(seeker, partner, &mut scratch.squares);
        let mut own = std::mem::take(&mut scratch.partner);
        self.of_squares(&scratch.squares, &mut scratch.order, &mut own);
        // Where both have the same value, so have the squares: exactly.
        for (square, margin) in scratch.squares.iter_mut().zip(&scratch.others) {
            *square += margin;
        }
        self.of_squares(&scratch.squares, &mut scratch.order, row);
        self.subtract(differences, of, row, &own);
        scratch.partner = own;
    }

    /// What a competitor's features are more than the partner's. A coefficient of which little is left is worked out without rounding:
    /// 0 must be 0, and nothing else may be.
    fn subtract(self, differences: &Differences<'_>, of: [usize; 3], row: &mut [f64], own: &[f64]) {
        let greatest = row
            .iter()
            .chain(own)
            .fold(0.0_f64, |most, v| most.max(v.abs()));
        let mut is_cancelled = false;
        for (value, own) in row.iter_mut().zip(own) {
            let other = *value;
            *value -= own;
            // Features of measures are differences of squares themselves.
            let size = match self {
                Self::Choquet | Self::ChoquetMetric => greatest,
                _ => own.abs().max(other.abs()),
            };
            is_cancelled |= *value != 0.0 && value.abs() <= CANCELLED * size;
        }
        let [_, partner, competitor] = of;
        let nothing = || row.iter().all(|value| *value == 0.0);
        if is_cancelled || (nothing() && !differences.are_twins(partner, competitor)) {
            let exact = self.exact_row(differences, of);
            for (value, exact) in row.iter_mut().zip(exact) {
                *value = exact.near();
            }
        }
    }

    fn of_squares(self, squares: &[f64], order: &mut [usize], features: &mut Vec<f64>) {
        let n = squares.len();
        features.clear();
        match self {
            Self::OrderedWeightedMean => {
                features.extend_from_slice(squares);
                features.sort_unstable_by(|a, b| b.total_cmp(a));
            }
            Self::Choquet | Self::ChoquetMetric => {
                features.resize((1 << n) - 1, 0.0);
                for (place, k) in order.iter_mut().enumerate() {
                    *k = place;
                }
                order.sort_by(|&k, &l| squares[k].total_cmp(&squares[l]));
                let (mut set, mut below) = ((1_usize << n) - 1, 0.0);
                for &k in order.iter() {
                    features[set - 1] += squares[k] - below;
                    below = squares[k];
                    set &= !(1 << k);
                }
            }
            Self::ChoquetTwoAdditive => {
                features.extend_from_slice(squares);
                for (k, a) in squares.iter().enumerate() {
                    features.extend(squares[k + 1..].iter().map(|b| a.min(*b)));
                }
            }
            _ => features.extend_from_slice(squares),
        }
    }
}

/// Squares, and twice the products: `d_k²`, then `2 d_k d_l` for k < l.
fn of_signed(signed: &[(Option<f64>, f64)], features: &mut Vec<f64>) {
    features.clear();
    features.extend(signed.iter().map(|&(_, square)| square));
    for (k, (a, _)) in signed.iter().enumerate() {
        features.extend(signed[k + 1..].iter().map(|(b, _)| match (a, b) {
            (Some(a), Some(b)) => 2.0 * (a * b),
            _ => 0.0,
        }));
    }
}
