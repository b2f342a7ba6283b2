//! Whether parameters are some of a family.

use num_bigint::{BigInt, Sign};

use super::{
    exact::{Exact, whole_numbers},
    family::{pair_parameter, pairs},
    format::Family,
};

/// What rounding may do to parameters.
pub(super) const TOLERANCE: f64 = 1e-9;

/// By how much parameters of n attributes miss the family at worst; 0 if they do not. A definite form is tested exactly: it misses by 0, by
/// [`TOLERANCE`] at most (if so much on the diagonal makes it definite), or by more.
///
/// Where weights must be positive, or a form definite, 0 will do: what is linked strictly stays linked under a small enough change.
pub(super) fn violation(family: Family, n: usize, p: &[f64]) -> f64 {
    let bounds = p.iter().enumerate().map(|(parameter, &p)| {
        let (lower, upper) = family.bounds(n, parameter);
        (lower - p).max(p - upper)
    });
    let sum: f64 = p.iter().sum();
    let plane = match family.has_plane() {
        true => (sum - 1.0).abs(),
        false => 0.0,
    };
    let shape = match family {
        Family::Choquet => of_measure(n, p),
        Family::ChoquetMetric => of_measure(n, p).max(of_submodular(n, p)),
        Family::ChoquetTwoAdditive => of_interactions(n, p),
        Family::BilinearDefinite => of_definite(n, p),
        _ => 0.0,
    };
    // The last digits of a sum of parameters that were scaled to it are rounding.
    let rounding = f64::EPSILON * (p.len() + 1) as f64;
    let worst = bounds.fold(plane.max(shape), f64::max);
    if worst <= rounding { 0.0 } else { worst }
}

fn measure(p: &[f64], set: usize) -> f64 {
    match set {
        0 => 0.0,
        set => p[set - 1],
    }
}

fn of_measure(n: usize, p: &[f64]) -> f64 {
    let sets = 0..1_usize << n;
    let grown = sets.flat_map(|set| (0..n).map(move |k| (set, set | 1 << k)));
    grown
        .map(|(set, more)| measure(p, set) - measure(p, more))
        .fold(0.0, f64::max)
}

fn of_submodular(n: usize, p: &[f64]) -> f64 {
    let of = |set| measure(p, set);
    let mut worst: f64 = 0.0;
    for set in 0..1_usize << n {
        for (k, l) in pairs(n).filter(|(k, l)| set & (1 << k | 1 << l) == 0) {
            let (with_k, with_l) = (set | 1 << k, set | 1 << l);
            worst = worst.max(of(with_k | with_l) + of(set) - of(with_k) - of(with_l));
        }
    }
    worst
}

/// `m_k + Σ_{l ∈ T} m_kl ≥ 0` for all T: for the T of all negative m_kl.
fn of_interactions(n: usize, p: &[f64]) -> f64 {
    let least = |k: usize| {
        let others = (0..n).filter(|&l| l != k);
        let negative = others.map(|l| p[pair_parameter(n, k, l)].min(0.0));
        p[k] + negative.sum::<f64>()
    };
    (0..n).map(|k| -least(k)).fold(0.0, f64::max)
}

fn of_definite(n: usize, p: &[f64]) -> f64 {
    let tests = [(0.0, 0.0), (TOLERANCE, TOLERANCE)];
    let passed = tests.iter().find(|(more, _)| is_definite(n, p, *more));
    passed.map_or(f64::INFINITY, |passed| passed.1)
}

/// Whether S + more · I is positive definite: all leading minors are positive, by elimination without fractions (Bareiss, Mathematics of
/// Computation 22, 1968), in which each pivot is a leading minor.
fn is_definite(n: usize, p: &[f64], more: f64) -> bool {
    let entry = |k: usize, l: usize| match k == l {
        true => &Exact::of(p[k]) + &Exact::of(more),
        false => Exact::of(p[pair_parameter(n, k, l)]),
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

    #[test]
    fn means() {
        assert_eq!(violation(Family::WeightedMean, 3, &[0.2, 0.3, 0.5]), 0.0);
        assert_eq!(violation(Family::WeightedMean, 2, &[-0.25, 1.25]), 0.25);
        assert_eq!(
            violation(Family::OrderedWeightedMean, 2, &[0.5, 0.25]),
            0.25
        );
    }

    /// Sets by number: {1}, {2}, {1, 2}. A measure that falls by 1/4 from {2} to {1, 2}; one whose parts are less than the whole by 1/2.
    #[test]
    fn measures() {
        assert_eq!(violation(Family::Choquet, 2, &[0.25, 0.5, 1.0]), 0.0);
        assert_eq!(violation(Family::Choquet, 2, &[0.25, 1.25, 1.0]), 0.25);
        assert_eq!(violation(Family::Choquet, 2, &[0.25, 0.25, 0.5]), 0.5);
        assert_eq!(violation(Family::ChoquetMetric, 2, &[0.25, 0.25, 1.0]), 0.5);
        assert_eq!(violation(Family::ChoquetMetric, 2, &[0.5, 0.75, 1.0]), 0.0);
        // m_1 + m_12 = 1/4 − 1/2.
        assert_eq!(
            violation(Family::ChoquetTwoAdditive, 2, &[0.25, 1.0, -0.25]),
            0.0
        );
        assert_eq!(
            violation(Family::ChoquetTwoAdditive, 2, &[0.25, 1.25, -0.5]),
            0.25
        );
    }

    /// [1 c; c 1] is definite for |c| < 1, semidefinite for |c| = 1: so much is 1 on the diagonal.
    #[test]
    fn forms() {
        let of = |c: f64| violation(Family::BilinearDefinite, 2, &[1.0, 1.0, c]);
        assert_eq!(of(0.999_999_999_999_999_9), 0.0);
        assert_eq!(of(-1.0), TOLERANCE);
        assert!(violation(Family::BilinearDefinite, 2, &[0.5, 0.5, 0.75]) > TOLERANCE);
        assert_eq!(violation(Family::Bilinear, 2, &[0.5, 0.5, -1.5]), 0.5);
        // Leading minors 2, 3, 4 and 2, 3, −6 (in quarters of the entries).
        let path = [0.5, 0.5, 0.5, -0.25, 0.0, -0.25];
        assert_eq!(violation(Family::BilinearDefinite, 3, &path), 0.0);
        let broken = [0.5, 0.5, 0.5, -0.25, 0.0, -0.5];
        assert!(violation(Family::BilinearDefinite, 3, &broken) > TOLERANCE);
    }
}
