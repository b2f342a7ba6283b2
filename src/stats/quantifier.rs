//! Linguistic quantifiers, and the ordered weighted averages (OWA) that they make.

use serde::{Deserialize, Serialize};

use super::elementary::{exp2, log2};

/// How many of some values a statement speaks of: a non-decreasing function Q from shares to 0..=1, with Q(0) = 0 and Q(1) = 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantifier {
    /// "There is one": 1 for every share above 0. Its OWA is the maximum.
    Exists,
    /// "At least half": `min(1, 2x)`. The mean of the upper half.
    AtLeastHalf,
    /// "Most": `(x − 0.3) / 0.5`, cut to 0..=1. Both ends count nothing.
    Most,
    /// "As many as possible": `max(0, 2x − 1)`. The mean of the lower half.
    AsManyAsPossible,
    /// "For all": 1 for the whole only. Its OWA is the minimum.
    ForAll,
    /// `x^α`, α > 0: from "there is one" (α near 0) over the mean (α = 1) to "for all" (large α).
    Power(f64),
}

impl Quantifier {
    /// Q at a share from 0 to 1.
    ///
    /// # Source
    /// R. R. Yager, "On ordered weighted averaging aggregation operators in multicriteria decisionmaking", IEEE Transactions on
    /// Systems, Man, and Cybernetics 18, 1988; the bounds of the words (0, 0.5), (0.3, 0.8), (0.5, 1) after J. Kacprzyk, "Group
    /// decision making with a fuzzy linguistic majority", Fuzzy Sets and Systems 18, 1986, and F. Herrera and others.
    pub fn at(self, share: f64) -> f64 {
        let ramp = |from: f64, to: f64| ((share - from) / (to - from)).clamp(0.0, 1.0);
        if share >= 1.0 {
            return 1.0;
        }
        if share <= 0.0 {
            return 0.0;
        }
        match self {
            Self::Exists => 1.0,
            Self::AtLeastHalf => ramp(0.0, 0.5),
            Self::Most => ramp(0.3, 0.8),
            Self::AsManyAsPossible => ramp(0.5, 1.0),
            Self::ForAll => 0.0,
            Self::Power(alpha) => exp2(alpha * log2(share)),
        }
    }

    /// The weights of an OWA of `n` values, that of the greatest value first:
    ///
    /// ```text
    /// w_i = Q(i/n) − Q((i−1)/n),  i = 1 … n
    /// ```
    ///
    /// They are not negative and sum to 1.
    pub fn weights(self, n: usize) -> Vec<f64> {
        let at = |i: usize| self.at(i as f64 / n as f64);
        (1..=n).map(|i| at(i) - at(i - 1)).collect()
    }

    /// Its name on the command line and in reports.
    pub fn word(self) -> String {
        match self {
            Self::Exists => "exists".into(),
            Self::AtLeastHalf => "at-least-half".into(),
            Self::Most => "most".into(),
            Self::AsManyAsPossible => "as-many-as-possible".into(),
            Self::ForAll => "for-all".into(),
            Self::Power(alpha) => format!("power:{alpha}"),
        }
    }

    /// The quantifier of this name; `power:0.5` is x^0.5. `None` for another word, or an α that is not a positive number.
    pub fn parse(text: &str) -> Option<Self> {
        let words = [
            Self::Exists,
            Self::AtLeastHalf,
            Self::Most,
            Self::AsManyAsPossible,
            Self::ForAll,
        ];
        if let Some(alpha) = text.strip_prefix("power:") {
            let alpha: f64 = alpha.parse().ok()?;
            return (alpha > 0.0 && alpha.is_finite()).then_some(Self::Power(alpha));
        }
        words
            .into_iter()
            .find(|quantifier| quantifier.word() == text)
    }
}

/// The ordered weighted average of some values: the weights go to them from the greatest to the least. `values` is sorted so
/// on return. Without values it is 0.
///
/// # Panics
/// If there is not one weight a value.
pub fn ordered_weighted_average(values: &mut [f64], weights: &[f64]) -> f64 {
    assert_eq!(values.len(), weights.len(), "one weight a value");
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    values
        .iter()
        .zip(weights)
        .fold(0.0, |sum, (value, weight)| sum + value * weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, n = 4. At least half: Q = ½, 1, 1, 1. Most: Q(¼) = 0, Q(½) = 0.4, Q(¾) = 0.9, 1. As many as possible: Q = 0, 0,
    /// ½, 1. Squares: 1/16, 4/16, 9/16, 1.
    #[test]
    fn weights_by_hand() {
        for (quantifier, expected) in [
            (Quantifier::Exists, [1.0, 0.0, 0.0, 0.0]),
            (Quantifier::AtLeastHalf, [0.5, 0.5, 0.0, 0.0]),
            (Quantifier::Most, [0.0, 0.4, 0.5, 0.1]),
            (Quantifier::AsManyAsPossible, [0.0, 0.0, 0.5, 0.5]),
            (Quantifier::ForAll, [0.0, 0.0, 0.0, 1.0]),
            (Quantifier::Power(1.0), [0.25; 4]),
            (Quantifier::Power(2.0), [0.0625, 0.1875, 0.3125, 0.4375]),
        ] {
            let weights = quantifier.weights(4);
            for (weight, by_hand) in weights.iter().zip(expected) {
                assert!(
                    (weight - by_hand).abs() < 1e-14,
                    "{quantifier:?} {weights:?}"
                );
            }
        }
    }

    /// By hand: most of (7, 1, 3, 2), sorted 7, 3, 2, 1, is 0.4·3 + 0.5·2 + 0.1·1 = 2.3; the mean of the upper half is 5, that
    /// of the lower 1.5.
    #[test]
    fn averages_by_hand() {
        let of = |quantifier: Quantifier| {
            ordered_weighted_average(&mut [7.0, 1.0, 3.0, 2.0], &quantifier.weights(4))
        };
        assert!((of(Quantifier::Most) - 2.3).abs() < 1e-14);
        assert_eq!(of(Quantifier::AtLeastHalf), 5.0);
        assert_eq!(of(Quantifier::AsManyAsPossible), 1.5);
        assert_eq!(of(Quantifier::Exists), 7.0);
        assert_eq!(of(Quantifier::ForAll), 1.0);
    }

    #[test]
    fn words_are_read_back() {
        for text in [
            "exists",
            "at-least-half",
            "most",
            "as-many-as-possible",
            "for-all",
            "power:0.5",
        ] {
            assert_eq!(Quantifier::parse(text).unwrap().word(), text);
        }
        for text in [
            "",
            "few",
            "power:",
            "power:0",
            "power:-1",
            "power:inf",
            "power:nan",
        ] {
            assert_eq!(Quantifier::parse(text), None, "{text}");
        }
    }
}
