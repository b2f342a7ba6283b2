//! Parameters of each family to begin with.

use super::{
    differences::Differences,
    family::{Family, pair},
};

/// Parameters in the inside of the family's space: every squared difference counts alike (as for `am`).
pub(super) fn inside(family: Family, n: usize) -> Vec<f64> {
    additive(family, &vec![1.0 / n as f64; n])
}

/// The identity as parameters of a bilinear form.
pub(super) fn identity(n: usize) -> Vec<f64> {
    let mut form = vec![0.0; n * (n + 1) / 2];
    form[..n].fill(1.0);
    form
}

/// The distance that is a weighted mean of the squared differences; for `owa` these weights of the ordered ones.
pub(super) fn additive(family: Family, weights: &[f64]) -> Vec<f64> {
    let n = weights.len();
    match family {
        Family::WeightedMean | Family::WeightedMeanMetric | Family::OrderedWeightedMean => {
            weights.to_vec()
        }
        Family::Choquet | Family::ChoquetMetric => {
            let all = (1_usize << n) - 1;
            let sum = |set: usize| -> f64 {
                let members = (0..n).filter(|k| set >> k & 1 == 1);
                members.map(|k| weights[k]).sum()
            };
            let mut measure: Vec<f64> = (1..=all).map(|set| sum(set).min(1.0)).collect();
            measure[all - 1] = 1.0;
            measure
        }
        Family::ChoquetTwoAdditive => {
            let mut measure = vec![0.0; n * (n + 1) / 2];
            measure[..n].copy_from_slice(weights);
            measure
        }
        Family::Bilinear | Family::BilinearNonNegative | Family::BilinearDefinite => {
            // Half of what is allowed, so that it can grow.
            let greatest = weights
                .iter()
                .fold(f64::MIN_POSITIVE, |most, w| most.max(*w));
            let mut form = vec![0.0; n * (n + 1) / 2];
            for (entry, weight) in form.iter_mut().zip(weights) {
                *entry = weight / (2.0 * greatest);
            }
            form
        }
    }
}

/// Where line searches begin, and in which directions they look: all alike; weights by how little each attribute was masked; each attribute
/// alone, and for measures the least and the greatest difference of a pair or of all.
pub(super) fn starts(
    family: Family,
    differences: &Differences<'_>,
    pairs: &[(u32, u32)],
) -> Vec<Vec<f64>> {
    let n = differences.n_attributes();
    let mut found = vec![
        inside(family, n),
        additive(family, &by_masking(differences, pairs)),
    ];
    if family == Family::OrderedWeightedMean {
        found.pop();
    }
    if !matches!(family, Family::BilinearDefinite) {
        for k in 0..n {
            let mut alone = vec![0.0; n];
            alone[k] = 1.0;
            found.push(additive(family, &alone));
        }
    }
    match family {
        Family::Choquet | Family::ChoquetMetric => {
            let all = (1_usize << n) - 1;
            // The greatest of all is submodular, the least is not.
            found.push(vec![1.0; all]);
            if family == Family::Choquet {
                let mut least = vec![0.0; all];
                least[all - 1] = 1.0;
                found.push(least);
            }
        }
        Family::ChoquetTwoAdditive => {
            for k in 0..n {
                for l in k + 1..n {
                    let mut least = vec![0.0; n * (n + 1) / 2];
                    let mut greatest = least.clone();
                    least[pair(n, k, l)] = 1.0;
                    greatest[k] = 1.0;
                    greatest[l] = 1.0;
                    greatest[pair(n, k, l)] = -1.0;
                    found.extend([least, greatest]);
                }
            }
        }
        _ => {}
    }
    found
}

/// Weights 1 / the mean squared difference of true pairs: an attribute that was masked strongly says little.
fn by_masking(differences: &Differences<'_>, pairs: &[(u32, u32)]) -> Vec<f64> {
    let n = differences.n_attributes();
    let (mut sums, mut squares) = (vec![0.0; n], vec![0.0; n]);
    for &(seeker, sought) in pairs {
        differences.squares(seeker as usize, sought as usize, &mut squares);
        for (sum, square) in sums.iter_mut().zip(&squares) {
            *sum += square;
        }
    }
    let least = sums.iter().fold(0.0_f64, |most, sum| most.max(*sum)) * 1e-4;
    let mut weights: Vec<f64> = sums
        .iter()
        .map(|sum| 1.0 / sum.max(least).max(1e-12))
        .collect();
    let total: f64 = weights.iter().sum();
    for weight in &mut weights {
        *weight /= total;
    }
    weights
}

/// The `turn`-th point around parameters: simplex weights and entries of a form are multiplied by factors of different size, measures are mixed
/// with additive ones.
pub(super) fn around(family: Family, parameters: &[f64], turn: usize) -> Vec<f64> {
    let n = parameters.len();
    let factor = |k: usize| {
        // Multiples of the golden ratio fill the interval evenly.
        let u = (0.5 + ((turn * n + k + 1) as f64) * 0.618_033_988_749_894_9).fract();
        (1.6 * (2.0 * u - 1.0)).exp()
    };
    let mut around: Vec<f64> = parameters
        .iter()
        .enumerate()
        .map(|(k, p)| p * factor(k))
        .collect();
    match family {
        Family::WeightedMean | Family::WeightedMeanMetric | Family::OrderedWeightedMean => {
            let sum: f64 = around.iter().sum();
            for value in &mut around {
                *value /= sum;
            }
            around
        }
        // Factors of entries would leave the space.
        _ => parameters.to_vec(),
    }
}
