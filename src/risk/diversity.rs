//! l-diversity: how many confidential values the records with the same key have.

use super::{
    classes::KeyClasses,
    confidential::{Confidential, why_not, worst},
};
use crate::figure::{About, Definition, Figure, Group};

const SOURCE: &str = "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007";

/// Distinct l-diversity.
pub static DISTINCT: Definition = Definition::count(
    Group::Risk(About::Inference),
    "l_diversity",
    "l-diversity, distinct",
    "least number of different confidential values among records with the same key",
    SOURCE,
)
.higher_is_better()
.at_least(1.0);

/// Entropy l-diversity.
pub static ENTROPY: Definition = Definition::number(
    Group::Risk(About::Inference),
    "entropy_l_diversity",
    "l-diversity, entropy",
    "least exp(entropy) of the confidential values among records with the same key",
    SOURCE,
)
.higher_is_better()
.at_least(1.0);

/// Recursive (c, l)-diversity.
pub static RECURSIVE: Definition = Definition::count(
    Group::Risk(About::Inference),
    "recursive_l_diversity",
    "l-diversity, recursive",
    "greatest l with r_1 < c (r_l + ... + r_m) among all records with the same key, r_1 >= ... >= r_m how often their confidential values occur; 0 if there is none",
    SOURCE,
).higher_is_better();

/// Records among too few values.
pub static BELOW_L: Definition = Definition::count(
    Group::Risk(About::Inference),
    "below_l",
    "fewer than l values",
    "records with fewer than l different values of a confidential attribute among all with the same key, for the l of this call",
    SOURCE,
);

/// All figures of diversity.
pub static DEFINITIONS: [&Definition; 4] = [&DISTINCT, &ENTROPY, &RECURSIVE, &BELOW_L];

/// What is asked of diversity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// The c of recursive (c, l)-diversity, above 0.
    pub c: f64,
    /// Count the records with fewer than so many values around them.
    pub l: Option<u32>,
}

/// The three forms of l-diversity.
///
/// For a group of records with the same key, r_1 >= r_2 >= … >= r_m how often the m values of a confidential attribute occur in
/// it, and p_i = r_i / Σ r:
///
/// ```text
/// distinct        m
/// entropy         exp(− Σ p_i ln p_i)
/// recursive       max { l : r_1 < c (r_l + r_(l+1) + … + r_m) },   0 if there is none
/// ```
///
/// Each figure is the least over all groups, then over the confidential attributes; its parts are the attributes.
///
/// # Missing
/// A gap of the key is a value of its own. A gap of a confidential attribute reveals nothing and is left out; a group without any value gives
/// nothing away and counts nowhere.
///
/// # Complexity
/// O(n log n) an attribute.
///
/// # Source
/// A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1, 2007, definitions
/// 4.1 and 4.2.
pub fn figures(classes: &KeyClasses, confidential: &[Confidential], wanted: Wanted) -> Vec<Figure> {
    let below = wanted.l.map(|_| &BELOW_L);
    if let Some(why) = why_not(classes, confidential) {
        let all = [&DISTINCT, &ENTROPY, &RECURSIVE].into_iter().chain(below);
        return all.map(|what| Figure::undefined(what, why)).collect();
    }
    let least = |what, of: &dyn Fn(&[u32]) -> f64| {
        let of_attribute = |attribute| least(classes, attribute, of);
        let values: Vec<Option<f64>> = confidential.iter().map(of_attribute).collect();
        worst(what, confidential, &values, classes.keyed(), f64::min)
    };
    let mut figures = vec![
        least(&DISTINCT, &|counts| counts.len() as f64),
        least(&ENTROPY, &entropy_number),
        least(&RECURSIVE, &|counts| recursive(counts, wanted.c) as f64),
    ];
    figures.extend(wanted.l.map(|l| below_l(classes, confidential, l)));
    figures
}

/// The least of a figure over all groups that have a value; `counts` descend.
fn least(
    classes: &KeyClasses,
    attribute: &Confidential,
    of: &dyn Fn(&[u32]) -> f64,
) -> Option<f64> {
    classes
        .groups()
        .filter_map(|group| {
            let mut counts = attribute.counts(group);
            counts.sort_unstable_by(|a, b| b.cmp(a));
            (!counts.is_empty()).then(|| of(&counts))
        })
        .reduce(f64::min)
}

fn entropy_number(counts: &[u32]) -> f64 {
    let all: f64 = counts.iter().copied().map(f64::from).sum();
    let terms = counts.iter().map(|&count| {
        let share = f64::from(count) / all;
        -share * share.ln()
    });
    // One value only must give 1, not what rounding makes of it.
    terms.sum::<f64>().max(0.0).exp()
}

fn recursive(descending: &[u32], c: f64) -> usize {
    let first = f64::from(descending.first().copied().unwrap_or(0));
    let mut rest = 0.0;
    for (place, &count) in descending.iter().enumerate().rev() {
        rest += f64::from(count);
        if first < c * rest {
            return place + 1;
        }
    }
    0
}

fn below_l(classes: &KeyClasses, confidential: &[Confidential], l: u32) -> Figure {
    let few = |group: &&[u32]| {
        confidential.iter().any(|attribute| {
            let values = attribute.counts(group).len();
            values > 0 && values < l as usize
        })
    };
    let records: usize = classes.groups().filter(few).map(<[u32]>::len).sum();
    Figure::new(&BELOW_L, records as f64, classes.keyed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{figure::value, statement::MissingMatches, stats::keys::Keys};

    /// A key of one attribute and the confidential values.
    fn file(key: &[u32], codes: &[u32]) -> (KeyClasses, Confidential) {
        let keys = Keys::of_codes(key.len(), &[key.to_vec()]);
        let confidential = Confidential {
            name: "disease".into(),
            ordered: false,
            codes: codes.to_vec(),
            n_values: codes.iter().copied().max().unwrap_or(0),
        };
        (KeyClasses::of_keys(keys, MissingMatches::Any), confidential)
    }

    const ALL: Wanted = Wanted { c: 2.0, l: Some(3) };

    /// Machanavajjhala et al., figure 3: the 3-diverse table of 12 inpatients; conditions 1 = heart disease, 2 = viral infection, 3 = cancer.
    /// Groups: {1, 2, 3, 3}, {3, 1, 2, 2}, {1, 2, 3, 3}: each has counts 2, 1, 1. Entropy: ½ ln 2 + ½ ln 4 = 1.5 ln 2, exp of it 2^1.5.
    /// With c = 2: l = 3 wants 2 < 2 · 1, no; l = 2 wants 2 < 2 · 2, yes.
    #[test]
    fn the_three_diverse_inpatients() {
        let key = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3];
        let (classes, disease) = file(&key, &[1, 2, 3, 3, 3, 1, 2, 2, 1, 2, 3, 3]);
        let figures = figures(&classes, &[disease], ALL);
        assert_eq!(value(&figures, "l_diversity"), Some(3.0));
        let entropy = value(&figures, "entropy_l_diversity").unwrap();
        assert!((entropy - 2_f64.powf(1.5)).abs() < 1e-12, "{entropy}");
        assert_eq!(value(&figures, "recursive_l_diversity"), Some(2.0));
        assert_eq!(value(&figures, "below_l"), Some(0.0));
    }

    /// The same paper, figure 2: the 4-anonymous table of these inpatients has a group of four with cancer, which it gives away.
    #[test]
    fn four_anonymous_and_not_diverse() {
        let key = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3];
        let (classes, disease) = file(&key, &[1, 1, 2, 2, 3, 1, 2, 2, 3, 3, 3, 3]);
        let figures = figures(&classes, &[disease], ALL);
        assert_eq!(value(&figures, "l_diversity"), Some(1.0));
        assert_eq!(value(&figures, "entropy_l_diversity"), Some(1.0));
        assert_eq!(value(&figures, "recursive_l_diversity"), Some(1.0));
        // The first group has two values, the last one.
        assert_eq!(value(&figures, "below_l"), Some(8.0));
    }

    /// Counts 5, 3, 1, 1. Tails: 10, 5, 2, 1. c = 1: 5 < 10 only; c = 2: 5 < 2 · 5, not < 2 · 2; c = 3: 5 < 6; c = 6: 5 < 6. With c = 1
    /// and one value, 4 < 4 fails.
    #[test]
    fn recursive_by_hand() {
        let counts = [5, 3, 1, 1];
        let found = [1.0, 2.0, 3.0, 6.0].map(|c| recursive(&counts, c));
        assert_eq!(found, [1, 2, 3, 4]);
        assert_eq!(recursive(&[4], 1.0), 0);
    }

    #[test]
    fn gaps_are_no_values() {
        let (classes, disease) = file(&[1, 1, 2, 2, 0], &[1, 0, 0, 0, 2]);
        let figures = figures(&classes, &[disease], ALL);
        // The second group has no value, the fifth record no key: only {1, gap} is left.
        assert_eq!(value(&figures, "l_diversity"), Some(1.0));
        assert_eq!(value(&figures, "below_l"), Some(2.0));
        let (classes, nothing) = file(&[1, 1], &[0, 0]);
        let undefined = super::figures(&classes, &[nothing], ALL);
        assert!(undefined.iter().all(|figure| figure.why_not.is_some()));
    }
}
