//! Młodak's bounded measure of what happened to the connections between attributes.

use ndarray::Array2;

use crate::{
    figure::{Definition, Figure, Group},
    stats::covariance::{SemidefiniteFactor, cholesky_semidefinite, covariance},
    table::{matrix::columns::Columns, pair::PairedNumbers},
};

/// How far attributes follow from each other.
pub static MLODAK: Definition = Definition::share(
    Group::Overall,
    "mlodak",
    "connections of attributes (Mlodak)",
    "distance of the diagonals of the inverse correlation matrices, each brought to length 1, divided by √2",
    "A. Mlodak, 2020; Handbook on Statistical Disclosure Control, 3.5",
).public();

/// Młodak's measure.
///
/// ```text
/// (1/√2) · ‖ d/‖d‖ − d'/‖d'‖ ‖          d, d' the diagonals of the inverse correlation matrices
/// ```
///
/// An entry of d is 1/(1 − R²), R² of the regression of an attribute on all others: the measure shows whether attributes depend
/// on each other as before. All entries are positive, so it is at most 1. It is not defined where an attribute does not vary
/// or follows from others (one part in 10¹² of its variance at most is its own).
///
/// # Missing
/// Correlations of each file are taken over its records that miss nothing: of pairs of attributes with gaps of their own
/// they may be no matrix of correlations, with nothing to invert.
///
/// # Complexity
/// O(n p² + p³).
///
/// # Source
/// A. Młodak, "Information loss resulting from statistical disclosure control of output data", Wiadomości Statystyczne 65, 2020.
pub fn figure(numbers: &PairedNumbers) -> Figure {
    let names = &numbers.names;
    if names.is_empty() {
        return Figure::undefined(&MLODAK, super::NO_NUMBERS);
    }
    let diagonal = |side: &Columns, file: &str| {
        inverse_diagonal(covariance(&side.to_matrix()), names)
            .map_err(|why| format!("in the {file} file {why}"))
    };
    let both = diagonal(&numbers.original, "original")
        .and_then(|before| Ok([before, diagonal(&numbers.masked, "masked")?]));
    match both {
        Err(why) => Figure::undefined(&MLODAK, why),
        Ok([before, after]) => {
            let squares = before.iter().zip(&after).map(|(a, b)| (a - b) * (a - b));
            let distance = (squares.sum::<f64>() / 2.0).sqrt();
            Figure::new(&MLODAK, distance.min(1.0), before.len() as u64)
        }
    }
}

/// The diagonal of the inverse correlation matrix of these covariances, of length 1; or why there is none.
fn inverse_diagonal(
    covariances: Option<Array2<f64>>,
    names: &[String],
) -> Result<Vec<f64>, String> {
    let covariances =
        covariances.ok_or("fewer than two records have a value of every attribute of numbers")?;
    if !covariances.iter().all(|covariance| covariance.is_finite()) {
        return Err("values are so large that their squares are not finite (overflow)".into());
    }
    let sd = covariances.diag().map(|variance| variance.sqrt());
    if let Some(place) = sd.iter().position(|&sd| sd <= 0.0) {
        return Err(format!(
            "{} does not vary among the records without gaps",
            names[place]
        ));
    }
    let correlations = Array2::from_shape_fn(covariances.dim(), |(j, k)| {
        if j == k {
            1.0
        } else {
            covariances[[j, k]] / sd[j] / sd[k]
        }
    });
    let factor = cholesky_semidefinite(correlations.view());
    if factor.rank() < names.len() {
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

    /// By hand: variances 4, 1, 9 and a correlation of 0.6 of the first two. The inverse of [1 0.6; 0.6 1] has 1/(1 − 0.36) on
    /// its diagonal.
    #[test]
    fn the_diagonal_of_an_inverse_by_hand() {
        let names = ["a", "b", "c"].map(String::from);
        let of = |entries: [f64; 9]| {
            let covariances = Array2::from_shape_vec((3, 3), entries.to_vec()).unwrap();
            inverse_diagonal(Some(covariances), &names)
        };
        let by_hand = [1.5625, 1.5625, 1.0];
        let length = by_hand.iter().map(|d| d * d).sum::<f64>().sqrt();
        let got = of([4.0, 1.2, 0.0, 1.2, 1.0, 0.0, 0.0, 0.0, 9.0]).unwrap();
        for (got, expected) in got.iter().zip(by_hand) {
            assert!((got - expected / length).abs() < 1e-15);
        }
        let dependent = of([4.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 9.0]).unwrap_err();
        assert!(dependent.starts_with("b follows from"), "{dependent}");
        let constant = of([4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0]).unwrap_err();
        assert!(constant.starts_with("b does not vary"), "{constant}");
        assert!(inverse_diagonal(None, &names).is_err());
    }
}
