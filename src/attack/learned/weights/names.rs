//! What parameters are called in files and reports.

use serde::{Deserialize, Serialize};

use crate::{attack::learned::family::Family, stats::measure::members};

/// What the parameters of a family are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// A weight for each attribute.
    Attributes,
    /// A weight for each place in the order of the squared differences, the largest first.
    Order,
    /// A measure: what each set of attributes is worth.
    Measure,
    /// The Möbius masses of attributes and of pairs.
    #[serde(rename = "moebius")]
    Mobius,
    /// The entries of a symmetric matrix, on and above its diagonal.
    Matrix,
}

impl Basis {
    /// Its word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Attributes => "attributes",
            Self::Order => "order",
            Self::Measure => "measure",
            Self::Mobius => "moebius",
            Self::Matrix => "matrix",
        }
    }
}

/// What the parameters of a family are.
pub fn basis(family: Family) -> Basis {
    match family {
        Family::WeightedMean | Family::WeightedMeanMetric => Basis::Attributes,
        Family::OrderedWeightedMean => Basis::Order,
        Family::Choquet | Family::ChoquetMetric => Basis::Measure,
        Family::ChoquetTwoAdditive => Basis::Mobius,
        Family::Bilinear | Family::BilinearNonNegative | Family::BilinearDefinite => Basis::Matrix,
    }
}

/// The name of each parameter, in the order of [`Family::features`], all different if the attributes are.
///
/// ```text
/// attributes         AGI                    the attribute's name as it is
/// order              1st (largest), 2nd, …, 4th (smallest)
/// measure, moebius   AGI+FICA               the attributes of a set, in their order
/// matrix             AGI*AGI, AGI*FICA      row and column
/// ```
///
/// Within sets and entries a `+`, `*` or `\` of a name has a `\` before it.
///
/// # Complexity
/// Time and memory O(n · parameters): ask [`Family::dimension`] first whether there are too many.
pub fn parameter_names(family: Family, attributes: &[String]) -> Vec<String> {
    let n = attributes.len();
    let pairs = (0..n).flat_map(|k| (k + 1..n).map(move |l| (k, l)));
    match basis(family) {
        Basis::Attributes => attributes.to_vec(),
        Basis::Order => (1..=n).map(|place| place_name(place, n)).collect(),
        Basis::Measure => (1..1_usize << n)
            .map(|set| set_name(set, attributes))
            .collect(),
        Basis::Mobius => (0..n)
            .map(|k| 1 << k)
            .chain(pairs.map(|(k, l)| 1 << k | 1 << l))
            .map(|set: usize| set_name(set, attributes))
            .collect(),
        Basis::Matrix => (0..n)
            .map(|k| (k, k))
            .chain(pairs)
            .map(|(k, l)| format!("{}*{}", escaped(&attributes[k]), escaped(&attributes[l])))
            .collect(),
    }
}

/// The name of a set of attributes: bit k for attribute k; empty for the empty set.
pub fn set_name(set: usize, attributes: &[String]) -> String {
    let names: Vec<String> = members(set).map(|k| escaped(&attributes[k])).collect();
    names.join("+")
}

fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\")
        .replace('+', "\\+")
        .replace('*', "\\*")
}

/// `3rd`, and what the first and the last place hold.
fn place_name(place: usize, n: usize) -> String {
    let ending = match (place % 10, place % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    let holds = match place {
        1 => " (largest)",
        _ if place == n => " (smallest)",
        _ => "",
    };
    format!("{place}{ending}{holds}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn attributes(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_follow_the_order_of_parameters() {
        let abc = attributes(&["a", "b", "c"]);
        for (family, expected) in [
            (Family::WeightedMean, vec!["a", "b", "c"]),
            (
                Family::OrderedWeightedMean,
                vec!["1st (largest)", "2nd", "3rd (smallest)"],
            ),
            (
                Family::Choquet,
                vec!["a", "b", "a+b", "c", "a+c", "b+c", "a+b+c"],
            ),
            (
                Family::ChoquetTwoAdditive,
                vec!["a", "b", "c", "a+b", "a+c", "b+c"],
            ),
            (
                Family::Bilinear,
                vec!["a*a", "b*b", "c*c", "a*b", "a*c", "b*c"],
            ),
        ] {
            assert_eq!(parameter_names(family, &abc), expected, "{family:?}");
        }
        assert_eq!(place_name(11, 30), "11th");
        assert_eq!(place_name(22, 30), "22nd");
    }

    /// `a`, `b` and `a+b` are three attributes here; without escapes the set of the first two would be called as the third.
    #[test]
    fn names_with_marks_stay_apart() {
        let odd = attributes(&["a", "b", "a+b", "a*b", "\\", "a\\"]);
        for family in Family::ALL {
            let names = parameter_names(family, &odd);
            assert_eq!(Some(names.len()), family.dimension(odd.len()));
            let different: BTreeSet<&String> = names.iter().collect();
            assert_eq!(different.len(), names.len(), "{family:?}");
        }
    }
}
