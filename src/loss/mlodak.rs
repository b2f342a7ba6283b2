//! Młodak's bounded measure of what happened to the connections between attributes.

use ndarray::Array2;

use super::{Files, columns::lower_triangle, statistics::Statistics};
use crate::{
    figure::{Better, Definition, Figure, Unit},
    stats::covariance::{SemidefiniteFactor, cholesky_semidefinite},
};

static MLODAK: Definition = Definition {
    key: "mlodak",
    name: "connections of attributes (Mlodak)",
    says: "distance of the diagonals of the inverse correlation matrices, each brought to length 1, divided by √2",
    source: "A. Mlodak, 2020; Handbook on Statistical Disclosure Control, 3.5",
    better: Better::Lower,
    least: 0.0,
    most: Some(1.0),
    unit: Unit::Share,
};

/// Młodak's measure.
///
/// ```text
/// (1/√2) · ‖ d/‖d‖ − d'/‖d'‖ ‖          d, d' the diagonals of the inverse correlation matrices
/// ```
///
/// An entry of d is 1/(1 − R²), R² of the regression of an attribute on all others: the measure tells whether attributes depend
/// on each other as before. All entries are positive, so it is at most 1. It is not defined where a correlation is
/// missing or attributes determine each other.
///
/// # Complexity
/// O(p³) after the correlations.
///
/// # Source
/// A. Młodak, "Information loss resulting from statistical disclosure control of output data", Wiadomości Statystyczne 65, 2020.
pub fn figure(files: &Files<'_>) -> Figure {
    let diagonal = |statistics, file: &str| {
        inverse_diagonal(statistics, files.names).map_err(|why| format!("in the {file} file {why}"))
    };
    let both = diagonal(&files.of_before, "original")
        .and_then(|before| Ok([before, diagonal(&files.of_after, "masked")?]));
    match both {
        _ if files.names.is_empty() => Figure::undefined(&MLODAK, super::NO_NUMBERS),
        Err(why) => Figure::undefined(&MLODAK, why),
        Ok([before, after]) => {
            let squares = before.iter().zip(&after).map(|(a, b)| (a - b) * (a - b));
            let distance = (squares.sum::<f64>() / 2.0).sqrt();
            Figure::new(&MLODAK, distance.min(1.0), before.len() as u64)
        }
    }
}

/// The diagonal of the inverse correlation matrix, of length 1; or why there is none.
fn inverse_diagonal(of: &Statistics, names: &[String]) -> Result<Vec<f64>, String> {
    let p = names.len();
    let mut correlations = Array2::zeros((p, p));
    for ([j, k], value) in lower_triangle(p).zip(&of.correlations) {
        let Some(value) = value.filter(|value| value.is_finite()) else {
            return Err(match j == k {
                true => format!("{} does not vary", names[j]),
                false => format!("{} and {} have no correlation", names[k], names[j]),
            });
        };
        correlations[[j, k]] = value;
        correlations[[k, j]] = value;
    }
    let factor = cholesky_semidefinite(correlations.view());
    if factor.rank() < p {
        let left = &names[factor.order[factor.rank()]];
        return Err(format!("{left} follows from the other attributes"));
    }
    let mut diagonal = diagonal_of_inverse(&factor);
    let length = diagonal.iter().map(|d| d * d).sum::<f64>().sqrt();
    for entry in &mut diagonal {
        *entry /= length;
    }
    Ok(diagonal)
}

/// C = L Lᵀ with the rows of L in another order: the diagonal of C⁻¹ = L⁻ᵀ L⁻¹ is made of the squares of the columns of L⁻¹.
fn diagonal_of_inverse(factor: &SemidefiniteFactor) -> Vec<f64> {
    let p = factor.rank();
    let lower = &factor.lower;
    let mut diagonal = vec![0.0; p];
    for column in 0..p {
        // Column of L⁻¹, from its diagonal entry downwards.
        let mut entries = vec![0.0; p];
        for row in column..p {
            let known: f64 = (column..row).map(|k| lower[[row, k]] * entries[k]).sum();
            let wanted = if row == column { 1.0 } else { 0.0 };
            entries[row] = (wanted - known) / lower[[row, row]];
        }
        diagonal[factor.order[column]] = entries.iter().map(|entry| entry * entry).sum();
    }
    diagonal
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: the correlations 0.6, 0, 0 of three attributes. The inverse of [1 0.6; 0.6 1] has 1/(1 − 0.36) on its diagonal.
    #[test]
    fn the_diagonal_of_an_inverse_by_hand() {
        let of = Statistics {
            means: Vec::new(),
            variances: Vec::new(),
            covariances: Vec::new(),
            correlations: [1.0, 0.6, 1.0, 0.0, 0.0, 1.0].map(Some).to_vec(),
            quantiles: Vec::new(),
        };
        let names = ["a", "b", "c"].map(String::from);
        let by_hand = [1.5625, 1.5625, 1.0];
        let length = by_hand.iter().map(|d| d * d).sum::<f64>().sqrt();
        for (got, expected) in inverse_diagonal(&of, &names).unwrap().iter().zip(by_hand) {
            assert!((got - expected / length).abs() < 1e-15);
        }
        let dependent = Statistics {
            correlations: [1.0, 1.0, 1.0, 0.5, 0.5, 1.0].map(Some).to_vec(),
            ..of.clone()
        };
        let why = inverse_diagonal(&dependent, &names).unwrap_err();
        assert!(why.contains("follows from"), "{why}");
        let constant = Statistics {
            correlations: vec![Some(1.0), None, None, Some(0.5), None, Some(1.0)],
            ..of
        };
        assert!(inverse_diagonal(&constant, &names).is_err());
    }
}
