//! Parameters that are of their family exactly, not but for rounding.
//!
//! A search ends a few units of the last place outside: weights whose sum is not 1, a measure that falls by 5e-20. What is reported must be a
//! member, so that a checker needs no tolerance. Sums are made of whole units, 2⁻⁵³ of weights and 2⁻⁵⁰ of measures, where floating-point
//! arithmetic is exact; what then still violates a condition goes towards a point well inside, by as little as helps. Links are counted after it.

use super::{
    differences::Differences,
    family::{Family, pair},
    relaxation, starts,
};
use crate::optimize::subsystem::Semidefinite;

/// So many units are a weight of 1.
const UNITS: f64 = (1_u64 << 53) as f64;

/// So many units are a measure of 1: fewer, so that sums of four are exact.
const UNITS_OF_MEASURE: f64 = (1_u64 << 50) as f64;

/// The least eigenvalue of a definite form, and the least share of a form that must not be negative, a parameter: far above rounding.
const ABOVE_ROUNDING: f64 = 1e-13;

/// Parameters of the family, near these.
///
/// # Complexity
/// O(parameters · n) for measures, times n if they are submodular; of `sb-nc` all pairs of records are looked at.
pub(super) fn exact(family: Family, differences: &Differences<'_>, parameters: &[f64]) -> Vec<f64> {
    let n = differences.n_attributes();
    match family {
        Family::WeightedMean | Family::OrderedWeightedMean => weights(parameters, 0.0),
        Family::WeightedMeanMetric => weights(parameters, 1.0),
        Family::Choquet => monotone(n, within(parameters, 0.0)),
        Family::ChoquetMetric => submodular(n, parameters),
        Family::ChoquetTwoAdditive => two_additive(n, parameters),
        Family::Bilinear => within(parameters, -1.0),
        Family::BilinearNonNegative => non_negative(differences, within(parameters, -1.0)),
        Family::BilinearDefinite => definite(n, within(parameters, -1.0)),
    }
}

fn within(parameters: &[f64], least: f64) -> Vec<f64> {
    parameters.iter().map(|p| p.clamp(least, 1.0)).collect()
}

/// Shares of the way to a point inside: none, then 2⁻⁴⁶, four times as much, and so on.
fn shares() -> impl Iterator<Item = f64> {
    let some = (0..20).map(|k| 2.0_f64.powi(2 * k - 46));
    std::iter::once(0.0).chain(some)
}

fn mixed(parameters: &[f64], inside: &[f64], share: f64) -> Vec<f64> {
    let pairs = parameters.iter().zip(inside);
    pairs.map(|(p, c)| (1.0 - share) * p + share * c).collect()
}

/// Weights in whole units, as many as are 1; the greatest takes what is missing. Each has `least` units at least.
fn weights(parameters: &[f64], least: f64) -> Vec<f64> {
    let sum: f64 = parameters.iter().map(|p| p.max(0.0)).sum();
    let units = parameters
        .iter()
        .map(|p| (p.max(0.0) / sum * UNITS).round());
    let mut units: Vec<f64> = units.map(|units| units.max(least)).collect();
    complete(&mut units, parameters.len());
    units.iter().map(|units| units / UNITS).collect()
}

/// Lets the greatest of the first numbers take what all lack to [`UNITS`].
///
/// Numbers are whole and at most 2⁵³ in size; one after the other is taken from what is left, which stays so.
fn complete(units: &mut [f64], first: usize) {
    let order = |a: &usize, b: &usize| units[*a].total_cmp(&units[*b]).then(b.cmp(a));
    if let Some(greatest) = (0..first).max_by(order) {
        let others = (0..units.len()).filter(|&k| k != greatest);
        units[greatest] = others.fold(UNITS, |left, k| left - units[k]);
    }
}

fn worth(measure: &[f64], set: usize) -> f64 {
    set.checked_sub(1).map_or(0.0, |place| measure[place])
}

/// Each set is worth at least as much as those with one element less; all together 1.
fn monotone(n: usize, mut measure: Vec<f64>) -> Vec<f64> {
    for set in 1..=measure.len() {
        let parts = (0..n).filter(|k| set >> k & 1 == 1);
        measure[set - 1] = parts.fold(measure[set - 1], |most, k| {
            most.max(worth(&measure, set & !(1 << k)))
        });
    }
    if let Some(whole) = measure.last_mut() {
        *whole = 1.0;
    }
    measure
}

/// In whole units, towards `1 − (1 − |A| / n)²`, which is strictly submodular.
fn submodular(n: usize, parameters: &[f64]) -> Vec<f64> {
    let inside: Vec<f64> = (1..=parameters.len())
        .map(|set| {
            let rest = 1.0 - f64::from(set.count_ones()) / n as f64;
            1.0 - rest * rest
        })
        .collect();
    let tried = shares().map(|share| {
        let mixed = mixed(parameters, &inside, share);
        let units = mixed
            .iter()
            .map(|p| (p * UNITS_OF_MEASURE).round() / UNITS_OF_MEASURE);
        monotone(n, within(&units.collect::<Vec<_>>(), 0.0))
    });
    let mut last = inside.clone();
    for measure in tried {
        if is_submodular(n, &measure) {
            return measure;
        }
        last = measure;
    }
    last
}

/// Exact of whole units: sums of two are below 2⁵³ of them.
fn is_submodular(n: usize, measure: &[f64]) -> bool {
    let of = |set: usize| worth(measure, set);
    (0..=measure.len()).all(|set| {
        let mut outside = (0..n).filter(|k| set >> k & 1 == 0);
        outside.all(|k| {
            let mut others = (k + 1..n).filter(|l| set >> l & 1 == 0);
            others.all(|l| {
                let (with_k, with_l) = (set | 1 << k, set | 1 << l);
                of(with_k) + of(with_l) >= of(with_k | with_l) + of(set)
            })
        })
    })
}

/// In whole units, towards equal weights without interactions.
fn two_additive(n: usize, parameters: &[f64]) -> Vec<f64> {
    let inside: Vec<f64> = (0..parameters.len())
        .map(|k| if k < n { 1.0 / n as f64 } else { 0.0 })
        .collect();
    let mut last = inside.clone();
    for share in shares() {
        let mixed = mixed(parameters, &inside, share);
        // Coarser ones: weights above 1 and interactions below 0 make sums larger than 1 on the way.
        let units = mixed.iter().map(|p| (p * UNITS / 64.0).round() * 64.0);
        let mut units: Vec<f64> = units.collect();
        complete(&mut units, n);
        let is_within = (units.iter().enumerate())
            .all(|(k, p)| (if k < n { 0.0 } else { -UNITS }..=UNITS).contains(p));
        let grows = (0..n).all(|k| {
            let others = (0..n).filter(|&l| l != k);
            let least = others.fold(units[k], |left, l| {
                left + units[pair(n, k.min(l), k.max(l))].min(0.0)
            });
            least >= 0.0
        });
        last = units.iter().map(|units| units / UNITS).collect();
        if is_within && grows {
            break;
        }
    }
    last
}

/// With so much of the identity that rounding cannot make the form of a pair negative.
fn non_negative(differences: &Differences<'_>, mut parameters: Vec<f64>) -> Vec<f64> {
    let enough = ABOVE_ROUNDING * parameters.len() as f64;
    // Once more for the scaling of the first.
    for _ in 0..3 {
        let family = Family::BilinearNonNegative;
        let least = relaxation::least_share(differences, family, &parameters);
        if least >= enough {
            break;
        }
        let n = differences.n_attributes();
        parameters = relaxation::lifted(&parameters, 2.0 * enough - least, n);
    }
    parameters
}

/// Towards the identity, until no eigenvalue is 0 by rounding.
fn definite(n: usize, parameters: Vec<f64>) -> Vec<f64> {
    let enough = ABOVE_ROUNDING * parameters.len() as f64;
    let form = Semidefinite { order: n };
    let identity = starts::identity(n);
    let mut tried = shares().map(|share| mixed(&parameters, &identity, share));
    let found = tried.find(|mixed| form.least(mixed).0 >= enough);
    found.unwrap_or(identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thirds, and a weight below half a unit: whole units whose sum is 1 in any order, as sums of floating-point numbers are then exact.
    #[test]
    fn sums_are_one() {
        for parameters in [
            vec![1.0 / 3.0; 3],
            vec![0.1, 0.2, 0.7],
            vec![1.0 - 1e-13, 1e-17, 1e-13],
        ] {
            for least in [0.0, 1.0] {
                let mut found = weights(&parameters, least);
                for (p, q) in parameters.iter().zip(&found) {
                    assert!((p - q).abs() < 1e-15 && *q >= least / UNITS);
                }
                assert_eq!(found.iter().sum::<f64>(), 1.0);
                found.reverse();
                assert_eq!(found.iter().sum::<f64>(), 1.0);
            }
        }
        let two = two_additive(3, &[0.3, 0.3, 0.1, 0.2, 0.2, -0.1]);
        assert_eq!(two.iter().sum::<f64>(), 1.0);
        // m_3 + m_23 = −1e-16 before.
        let edge = two_additive(3, &[0.3, 0.4 + 1e-16, 0.1, 0.2, 0.1, -0.1 - 1e-16]);
        assert!(edge[2] + edge[5] >= 0.0 && edge.iter().sum::<f64>() == 1.0);
    }

    #[test]
    fn measures_grow_and_flatten() {
        // {1} is worth more than {1, 2} by 5e-20; {1, 3} 1 and a little.
        let p = [1e-5 + 5e-20, 0.0, 1e-5, 0.0, 1.0 + 1e-16, 0.5, 1.0 - 1e-16];
        let found = monotone(3, within(&p, 0.0));
        assert!(found[2] >= found[0] && found[6] == 1.0 && found[4] <= 1.0);
        // Additive but for rounding: 0.1 + 0.2 < 0.3 in units of the last place or not.
        let additive = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 1.0];
        assert!(is_submodular(3, &submodular(3, &additive)));
        let found = submodular(3, &[0.1 - 1e-12, 0.2, 0.3, 0.7, 0.8, 0.9, 1.0]);
        assert!(is_submodular(3, &found) && (found[0] - 0.1).abs() < 1e-10);
    }

    /// [1 1; 1 1] has the eigenvalue 0.
    #[test]
    fn forms_become_definite() {
        let found = definite(2, vec![1.0, 1.0, 1.0]);
        assert!(found[0] * found[1] > found[2] * found[2] && found[2] > 1.0 - 1e-10);
        let kept = vec![1.0, 0.5, 0.25];
        assert_eq!(definite(2, kept.clone()), kept);
    }
}
