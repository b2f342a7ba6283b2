//! Whether parameters are some of a family.

use num_bigint::{BigInt, Sign};

use super::{
    exact::{Exact, whole_numbers},
    family::{pair_parameter, pairs},
    format::Family,
};

/// What parameters of n attributes miss of the family, in words; `None` if they are some of it. There is no tolerance: comparisons are of the
/// numbers as they are, and sums are exact.
///
/// Weights of `wm-m` must be positive, and the form of `sb-pd` definite; that no pair has a negative d² (`sb-nc`) is for the recount.
pub(super) fn violated(family: Family, n: usize, p: &[f64]) -> Option<&'static str> {
    let outside = |(parameter, &p): (usize, &f64)| {
        let (lower, upper) = family.bounds(n, parameter);
        !(lower..=upper).contains(&p) || (family == Family::WeightedMeanMetric && p <= 0.0)
    };
    if p.iter().enumerate().any(outside) {
        return Some("one is out of its range");
    }
    if family.has_plane() && sum(p.iter().copied()) != Exact::of(1.0) {
        return Some("their sum is not 1");
    }
    match family {
        Family::Choquet | Family::ChoquetMetric if !is_monotone(n, p) => {
            Some("the measure is not monotone")
        }
        Family::ChoquetMetric if !is_submodular(n, p) => Some("the measure is not submodular"),
        Family::ChoquetTwoAdditive if !grows(n, p) => Some("the measure is not monotone"),
        Family::BilinearDefinite if !is_definite(n, p) => Some("the form is not positive definite"),
        _ => None,
    }
}

fn sum(numbers: impl Iterator<Item = f64>) -> Exact {
    numbers.fold(Exact::default(), |sum, p| &sum + &Exact::of(p))
}

fn measure(p: &[f64], set: usize) -> f64 {
    match set {
        0 => 0.0,
        set => p[set - 1],
    }
}

fn is_monotone(n: usize, p: &[f64]) -> bool {
    let sets = 0..1_usize << n;
    let mut grown = sets.flat_map(|set| (0..n).map(move |k| (set, set | 1 << k)));
    grown.all(|(set, more)| measure(p, set) <= measure(p, more))
}

fn is_submodular(n: usize, p: &[f64]) -> bool {
    let of = |set| measure(p, set);
    (0..1_usize << n).all(|set| {
        let mut outside = pairs(n).filter(|(k, l)| set & (1 << k | 1 << l) == 0);
        outside.all(|(k, l)| {
            let (with_k, with_l) = (set | 1 << k, set | 1 << l);
            let terms = [of(with_k), of(with_l), -of(with_k | with_l), -of(set)];
            sum(terms.into_iter()) >= Exact::default()
        })
    })
}

/// `m_k + Σ_{l ∈ T} m_kl ≥ 0` for all T: for the T of all negative m_kl.
fn grows(n: usize, p: &[f64]) -> bool {
    (0..n).all(|k| {
        let others = (0..n).filter(|&l| l != k);
        let negative = others.map(|l| p[pair_parameter(n, k, l)].min(0.0));
        sum(negative.chain([p[k]])) >= Exact::default()
    })
}

/// Whether S is positive definite: all leading minors are positive, by elimination without fractions (Bareiss, Mathematics of
/// Computation 22, 1968), in which each pivot is a leading minor.
fn is_definite(n: usize, p: &[f64]) -> bool {
    let entry = |k: usize, l: usize| {
        if k == l {
            Exact::of(p[k])
        } else {
            Exact::of(p[pair_parameter(n, k, l)])
        }
    };
    let entries: Vec<Exact> = (0..n * n)
        .map(|place| entry(place / n, place % n))
        .collect();
    let mut matrix = whole_numbers(&entries);
    let mut before = BigInt::from(1);
    for k in 0..n {
        let pivot = matrix[k * n + k].clone();
        if pivot.sign() != Sign::Plus {
            return false;
        }
        for i in k + 1..n {
            for j in k + 1..n {
                let product = &matrix[i * n + j] * &pivot - &matrix[i * n + k] * &matrix[k * n + j];
                matrix[i * n + j] = product / &before;
            }
        }
        before = pivot;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_of(family: Family, n: usize, p: &[f64]) -> bool {
        violated(family, n, p).is_none()
    }

    #[test]
    fn means() {
        let of = |p: &[f64]| violated(Family::WeightedMean, p.len(), p);
        assert_eq!(of(&[0.25, 0.25, 0.5]), None);
        // The three numbers nearest to them add up to 1 − 2⁻⁵⁴ · 3/5 or so: they are not multiples of 2⁻⁵³ that could be 1.
        assert_eq!(of(&[0.1, 0.2, 0.7]), Some("their sum is not 1"));
        assert_eq!(of(&[-0.25, 1.25]), Some("one is out of its range"));
        assert!(!is_of(Family::OrderedWeightedMean, 2, &[0.5, 0.25]));
        assert!(is_of(Family::WeightedMean, 2, &[1.0, 0.0]));
        assert!(!is_of(Family::WeightedMeanMetric, 2, &[1.0, 0.0]));
    }

    /// Sets by number: {1}, {2}, {1, 2}.
    #[test]
    fn measures() {
        assert!(is_of(Family::Choquet, 2, &[0.25, 0.5, 1.0]));
        assert!(!is_of(Family::Choquet, 2, &[0.25, 1.25, 1.0]));
        assert!(!is_of(Family::Choquet, 2, &[0.25, 0.25, 0.5]));
        // {1} is more than {1, 2} by the least that numbers of this size can be.
        let p = [0.25, f64::from_bits(0.25_f64.to_bits() + 1)];
        assert!(!is_of(
            Family::Choquet,
            3,
            &[p[1], 0.0, p[0], 0.0, 0.5, 0.5, 1.0]
        ));
        assert!(is_of(
            Family::Choquet,
            3,
            &[p[0], 0.0, p[1], 0.0, 0.5, 0.5, 1.0]
        ));
        assert!(!is_of(Family::ChoquetMetric, 2, &[0.25, 0.25, 1.0]));
        assert!(is_of(Family::ChoquetMetric, 2, &[0.5, 0.75, 1.0]));
        // μ({1}) + μ({2}) is 1, and then less by 2⁻⁵⁴.
        assert!(is_of(Family::ChoquetMetric, 2, &[0.25, 0.75, 1.0]));
        let less = f64::from_bits(0.25_f64.to_bits() - 1);
        assert!(!is_of(Family::ChoquetMetric, 2, &[less, 0.75, 1.0]));
        // m_1 + m_12 = 1/4 − 1/2.
        assert!(is_of(Family::ChoquetTwoAdditive, 2, &[0.25, 1.0, -0.25]));
        assert!(!is_of(Family::ChoquetTwoAdditive, 2, &[0.25, 1.25, -0.5]));
        assert!(!is_of(Family::ChoquetTwoAdditive, 2, &[0.25, 1.0, -0.5]));
    }

    /// [1 c; c 1] is definite for |c| < 1, semidefinite for |c| = 1.
    #[test]
    fn forms() {
        let of = |c: f64| is_of(Family::BilinearDefinite, 2, &[1.0, 1.0, c]);
        assert!(of(0.999_999_999_999_999_9) && !of(-1.0));
        assert!(!is_of(Family::Bilinear, 2, &[0.5, 0.5, -1.5]));
        // Leading minors 2, 3, 4 and 2, 3, −6 (in quarters of the entries).
        let path = [0.5, 0.5, 0.5, -0.25, 0.0, -0.25];
        assert!(is_of(Family::BilinearDefinite, 3, &path));
        let broken = [0.5, 0.5, 0.5, -0.25, 0.0, -0.5];
        assert!(!is_of(Family::BilinearDefinite, 3, &broken));
    }
}
