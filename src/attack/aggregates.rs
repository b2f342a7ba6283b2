//! Linking files that share no attribute, by aggregates: whoever stands high in most attributes of one file is taken for one who
//! stands high in most attributes of the other.

use std::borrow::Cow;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    Attack, Nearest, Preference, Scenario,
    distance_based::{self, Standardize},
};
use crate::{
    error::{Error, Reason, Result},
    stats::{
        covariance::covariance,
        eigen,
        moments::moments_by_attribute,
        quantifier::{Quantifier, ordered_weighted_average},
    },
    table::{Scale, matrix::Matrix},
};

/// Record linkage without common attributes: each file's attributes are made into the same few aggregates, and these are linked
/// by the attribute-standardised distance ([`distance_based::DistanceBased`]).
///
/// ```text
/// z_k = turn_k · (x_k − mean_k) / sd_k,  over the attributes of the record's own file
/// A_q = Σ_i (Q_q(i/m) − Q_q((i−1)/m)) · z_(i),  z_(1) ≥ … ≥ z_(m)
/// d²(a, b) = Σ_q (A_q(a) − A_q(b))², each aggregate standardised within its file
/// ```
///
/// The attributes of the two sides may differ in number and in name; nothing relates one of them to one of the other side. The
/// link rests on both files ranking the same people similarly, and only on that.
///
/// # Direction
/// "High" must mean the same in all attributes of a file. An attribute is turned round (its sign changes) if its loading on the
/// first principal component of its own file's correlations is negative. The component's own sign is the one with the greater sum
/// of loadings, so that as much as possible stays as it is. It takes no knowledge of the other file: if most attributes of
/// one file say "more" and most of the other "less", links are no better than chance, or worse.
///
/// # Units
/// Means and sds (n − 1) over the values that are not missing; correlations over complete records (with fewer than two, nothing is
/// turned). Each aggregate is standardised again.
///
/// # Missing
/// An aggregate is one of the attributes that the record has (m of them); a record without any misses its aggregates.
///
/// # Ties
/// Equal aggregates tie, as everywhere.
///
/// # Complexity
/// O(n · p log p) for each file, then that of nearest neighbours in as many dimensions as there are quantifiers.
///
/// # Source
/// J. Domingo-Ferrer, V. Torra, "Disclosure risk assessment in statistical microdata protection via advanced record linkage",
/// Statistics and Computing 13, 2003 (linkage without common variables by aggregation operators); OWA and quantifiers: R. R.
/// Yager 1988 ([`Quantifier`]). Direction by the principal component is our reading.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Aggregates {
    /// The aggregates, the same for both files.
    pub quantifiers: Vec<Quantifier>,
}

impl Default for Aggregates {
    fn default() -> Self {
        Self {
            quantifiers: vec![
                Quantifier::AtLeastHalf,
                Quantifier::Most,
                Quantifier::AsManyAsPossible,
            ],
        }
    }
}

impl Attack for Aggregates {
    fn name(&self) -> &'static str {
        "aggregates"
    }

    fn has_candidate_sets(&self) -> bool {
        false
    }

    fn formula(&self) -> String {
        format!(
            "d² = Σ (OWA_q(a) - OWA_q(b))² over q = {}",
            self.words().join(", ")
        )
    }

    fn in_words(&self) -> String {
        format!(
            "ranks the people of each file by aggregates of its own attributes ({})",
            self.words().join(", ")
        )
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        let nominal = scenario
            .scales
            .iter()
            .position(|&scale| scale == Scale::Nominal);
        if let Some(name) = nominal.and_then(|place| scenario.known.get(place)) {
            return Err(Error::input("is not a number: nobody is ranked by it")
                .wrong_scale(name)
                .remedy("Leave it out"));
        }
        let intruder = self.of_file(scenario.intruder, "the intruder's file")?;
        let released = self.of_file(scenario.released, "the released file")?;
        let aggregated = Scenario {
            known: &self.words(),
            scales: &vec![Scale::Continuous; self.quantifiers.len()],
            categories: &[],
            intruder: &intruder,
            released: &released,
            direction: scenario.direction,
            aligned: None,
            beside: None,
            unrecoded: None,
        };
        let nearest = distance_based::nearest(&aggregated, Standardize::Own, |_| None)?;
        Ok(Nearest {
            seekers: Cow::Owned(nearest.seekers.into_owned()),
            sought: Cow::Owned(nearest.sought.into_owned()),
            metric: nearest.metric,
            candidates: nearest.candidates,
            decides: None,
        }
        .into())
    }
}

impl Aggregates {
    fn words(&self) -> Vec<String> {
        let words = self.quantifiers.iter();
        words.map(|quantifier| quantifier.word()).collect()
    }

    /// The aggregates of every record: records × quantifiers.
    fn of_file(&self, file: &Matrix, whose: &str) -> Result<Matrix> {
        let width = file.n_attributes();
        let moments = moments_by_attribute(file);
        if let Some(place) = moments.iter().position(|moments| moments.sd <= 0.0) {
            return Err(Error::input(format!(
                "attribute {} of those used of {whose} does not differ between the records: it cannot be standardised, and ranks nobody",
                place + 1
            )).because(Reason::Constant { attribute: None })
            .remedy("Leave it out, or let the intruder know more records"));
        }
        let turned = turned(file)?;
        let standardised = |k: usize, value: f64| {
            let z = (value - moments[k].mean) / moments[k].sd;
            if turned[k] { 0.0 - z } else { z }
        };
        // weights[q][m]: those of quantifier q for records that have m values.
        let weights: Vec<Vec<Vec<f64>>> = self
            .quantifiers
            .iter()
            .map(|quantifier| (0..=width).map(|m| quantifier.weights(m)).collect())
            .collect();
        let rows: Vec<Option<Vec<f64>>> = (0..file.n_records())
            .into_par_iter()
            .map(|record| {
                let row = file.record(record);
                let mut values: Vec<f64> = (0..width)
                    .filter(|&k| !row.is_missing(k))
                    .map(|k| standardised(k, row.values()[k]))
                    .collect();
                let m = values.len();
                let mut aggregate =
                    |weights: &Vec<Vec<f64>>| ordered_weighted_average(&mut values, &weights[m]);
                (m > 0).then(|| weights.iter().map(&mut aggregate).collect())
            })
            .collect();
        let count = self.quantifiers.len();
        let values: Vec<f64> = rows
            .iter()
            .flat_map(|row| row.clone().unwrap_or_else(|| vec![0.0; count]))
            .collect();
        if values.iter().any(|value| !value.is_finite()) {
            return Err(out_of_range(whose));
        }
        let mut matrix = Matrix::complete(rows.len(), count, values);
        for (record, _) in rows.iter().enumerate().filter(|(_, row)| row.is_none()) {
            (0..count).for_each(|q| matrix.set_missing(record, q));
        }
        for (quantifier, moments) in self.quantifiers.iter().zip(moments_by_attribute(&matrix)) {
            if moments.sd <= 0.0 {
                return Err(Error::input(format!(
                    "the aggregate {} is the same for every record of {whose}: it cannot be standardised",
                    quantifier.word()
                )).because(Reason::Constant { attribute: None })
                .remedy("Leave it out of --quantifiers, or use more attributes"));
            }
        }
        Ok(matrix)
    }
}

fn out_of_range(whose: &str) -> Error {
    Error::input(format!(
        "{whose} has values too large or too close together to be standardised"
    ))
    .because(Reason::Overflow { attribute: None })
    .remedy("Rescale them, or leave the attribute out")
}

/// Whether each attribute of a file is turned round: its loading on the first principal component of the correlations is
/// negative, after the component was given the sign with the greater sum of loadings (of two equal ones, that which makes the
/// greatest loading positive).
///
/// # Missing
/// Records that miss a value do not count. With fewer than two complete records nothing is turned; nor is an attribute that
/// does not differ among these.
///
/// # Errors
/// Input, when values are beyond the range in which they can be multiplied.
pub fn turned(file: &Matrix) -> Result<Vec<bool>> {
    let width = file.n_attributes();
    let Some(covariance) = covariance(file) else {
        return Ok(vec![false; width]);
    };
    if covariance.iter().any(|entry| !entry.is_finite()) {
        return Err(out_of_range("a file"));
    }
    let sd: Vec<f64> = (0..width).map(|k| covariance[[k, k]].sqrt()).collect();
    let correlation = ndarray::Array2::from_shape_fn((width, width), |(j, k)| {
        if sd[j] > 0.0 && sd[k] > 0.0 {
            covariance[[j, k]] / sd[j] / sd[k]
        } else {
            0.0
        }
    });
    let component = eigen::symmetric(correlation).vectors;
    let loadings: Vec<f64> = component
        .columns()
        .into_iter()
        .take(1)
        .flatten()
        .copied()
        .collect();
    let sign = if loadings.iter().sum::<f64>() < -1e-9 {
        -1.0
    } else {
        1.0
    };
    // Rounding leaves traces of attributes that have nothing to do with the component.
    Ok(loadings
        .iter()
        .map(|loading| sign * loading < -1e-9)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: b falls as a and c rise, so it is turned; with two of three turned, the sign of the component changes and only
    /// the other is.
    #[test]
    fn attributes_against_the_others_are_turned() {
        let values = |signs: [f64; 3]| {
            let record = move |i: i32| signs.map(|sign| sign * f64::from(i * i % 11));
            Matrix::complete(9, 3, (0..9).flat_map(record).collect())
        };
        assert_eq!(
            turned(&values([1.0, -2.0, 3.0])).unwrap(),
            [false, true, false]
        );
        assert_eq!(
            turned(&values([-1.0, 2.0, -3.0])).unwrap(),
            [false, true, false]
        );
        assert_eq!(turned(&values([1.0, 1.0, 1.0])).unwrap(), [false; 3]);
    }

    /// By hand: two attributes, records (0, 0), (1, 2), (2, 4): both have mean at the second and sd 1 and 2, so z = −1, 0, 1 in
    /// both, and every aggregate of equal values is that value. The third misses its second value and keeps its first.
    #[test]
    fn aggregates_by_hand() {
        let mut file = Matrix::complete(4, 2, vec![0.0, 0.0, 1.0, 2.0, 2.0, 4.0, 0.0, 0.0]);
        file.set_missing(3, 0);
        file.set_missing(3, 1);
        let aggregates = Aggregates::default().of_file(&file, "file").unwrap();
        assert_eq!(aggregates.row(0), [-1.0; 3]);
        assert_eq!(aggregates.row(1), [0.0; 3]);
        assert_eq!(aggregates.row(2), [1.0; 3]);
        assert!(aggregates.is_missing(3, 0) && aggregates.is_missing(3, 2));
    }
}
