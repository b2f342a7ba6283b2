//! t-closeness: how far the confidential values of the records with the same key are from those of the file.

use super::{
    classes::KeyClasses,
    confidential::{Confidential, why_not, worst},
};
use crate::figure::{About, Definition, Figure, Group};

const SOURCE: &str = "Li, Li and Venkatasubramanian 2007";

/// The greatest distance of a group.
pub static T_CLOSENESS: Definition = Definition::number(Group::Risk(About::Inference), "t_closeness", "t-closeness", "greatest earth mover's distance between the confidential values of records with the same key and those of the file: with equal steps between the ordered values of numbers, half the sum of differences of shares for names", SOURCE,).at_most(1.0);

/// Records in groups that are too far.
pub static ABOVE_T: Definition = Definition::count(
    Group::Risk(About::Inference),
    "above_t",
    "farther than t",
    "records of classes (all with the same key) that are farther than t from the file in a confidential attribute, for the t of this call",
    SOURCE,
);

/// All figures of closeness.
pub static DEFINITIONS: [&Definition; 2] = [&T_CLOSENESS, &ABOVE_T];

/// t-closeness.
///
/// With P the shares of the m different values of the file in a group of records with the same key, and Q those in the file:
///
/// ```text
/// numbers   1/(m − 1) · Σ_(i = 1..m) | Σ_(j <= i) (P_j − Q_j) |     values in ascending order
/// names     ½ Σ | P_i − Q_i |
/// ```
///
/// The figure is the greatest over all groups, then over the confidential attributes; its parts are the attributes. It is worked out in whole
/// numbers and divided once. An attribute with one value only has distance 0 everywhere.
///
/// # Missing
/// A gap of the key is a value of its own. A gap of a confidential attribute is left out of both distributions; a group without any value
/// counts nowhere. The file is all records, also those with nothing of the key.
///
/// # Complexity
/// O(n log n) an attribute, whatever the number of groups.
///
/// # Source
/// N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007, sections 4.1 and 4.2.
pub fn figures(classes: &KeyClasses, confidential: &[Confidential], t: Option<f64>) -> Vec<Figure> {
    if let Some(why) = why_not(classes, confidential) {
        let all = [&T_CLOSENESS].into_iter().chain(t.map(|_| &ABOVE_T));
        return all.map(|what| Figure::undefined(what, why)).collect();
    }
    let of_groups = |attribute: &Confidential| -> Vec<Option<f64>> {
        let file = FileShares::new(attribute);
        let distance = |group| file.distance(attribute, group);
        classes.groups().map(distance).collect()
    };
    let distances: Vec<Vec<Option<f64>>> = confidential.iter().map(of_groups).collect();
    let greatest: Vec<Option<f64>> = distances
        .iter()
        .map(|of_groups| of_groups.iter().copied().flatten().reduce(f64::max))
        .collect();
    let counted = classes.keyed();
    let mut figures = vec![worst(
        &T_CLOSENESS,
        confidential,
        &greatest,
        counted,
        f64::max,
    )];
    if let Some(t) = t {
        let far = |group: usize| {
            let mut of_group = distances.iter().filter_map(|attribute| attribute[group]);
            of_group.any(|distance| distance > t)
        };
        let groups = classes.groups().enumerate();
        let records: usize = groups
            .filter(|&(group, _)| far(group))
            .map(|(_, group)| group.len())
            .sum();
        figures.push(Figure::new(&ABOVE_T, records as f64, counted));
    }
    figures
}

/// The distribution of an attribute in the file.
struct FileShares {
    /// How many records have a value of at most this code; code 0 has none.
    up_to: Vec<u64>,
    /// The sum of `up_to` before each code.
    sums: Vec<u128>,
}

impl FileShares {
    fn new(attribute: &Confidential) -> Self {
        let mut up_to = vec![0_u64; attribute.n_values as usize + 1];
        for &code in attribute.codes.iter().filter(|&&code| code != 0) {
            up_to[code as usize] += 1;
        }
        for code in 1..up_to.len() {
            up_to[code] += up_to[code - 1];
        }
        let mut sums = vec![0; up_to.len() + 1];
        for (code, &count) in up_to.iter().enumerate() {
            sums[code + 1] = sums[code] + u128::from(count);
        }
        Self { up_to, sums }
    }

    fn records(&self) -> u64 {
        self.up_to.last().copied().unwrap_or(0)
    }

    /// The distance of these records from the file; `None` if they have no value.
    fn distance(&self, attribute: &Confidential, records: &[u32]) -> Option<f64> {
        let codes = attribute.sorted(records);
        if codes.is_empty() {
            return None;
        }
        let scale = codes.len() as f64 * self.records() as f64;
        let (difference, steps) = if attribute.ordered {
            (self.ordered(&codes), attribute.n_values.saturating_sub(1))
        } else {
            (self.nominal(&codes), 2)
        };
        Some(match steps {
            0 => 0.0,
            // Of numbers that a double cannot hold only the last of 53 binary places are lost.
            _ => difference as f64 / scale / f64::from(steps),
        })
    }

    /// Σ over codes of |size · up_to − n · (records of the group up to this code)|.
    fn ordered(&self, codes: &[u32]) -> u128 {
        let (size, n) = (codes.len() as u64, self.records());
        let mut total = 0;
        let mut from = 1;
        let last = self.up_to.len();
        for (place, &code) in codes.iter().enumerate() {
            total += self.stretch(size, u128::from(n) * place as u128, from..code as usize);
            from = code as usize;
        }
        total + self.stretch(size, u128::from(n) * u128::from(size), from..last)
    }

    /// Σ over a range of codes of |size · up_to − level|. The terms change their sign once.
    fn stretch(&self, size: u64, level: u128, codes: std::ops::Range<usize>) -> u128 {
        if codes.is_empty() {
            return 0;
        }
        let size = u128::from(size);
        let below = |&count: &u64| size * u128::from(count) < level;
        let turn = codes.start + self.up_to[codes.clone()].partition_point(below);
        let sum = |from: usize, to: usize| size * (self.sums[to] - self.sums[from]);
        let low = level * (turn - codes.start) as u128 - sum(codes.start, turn);
        let high = sum(turn, codes.end) - level * (codes.end - turn) as u128;
        low + high
    }

    /// Σ over codes of |size · (records of the file) − n · (records of the group)|.
    fn nominal(&self, codes: &[u32]) -> u128 {
        let (size, n) = (codes.len() as u128, u128::from(self.records()));
        let mut total = 0;
        let mut met = 0;
        for equal in codes.chunk_by(|a, b| a == b) {
            let code = equal[0] as usize;
            let in_file = u128::from(self.up_to[code] - self.up_to[code - 1]);
            met += in_file;
            total += (size * in_file).abs_diff(n * equal.len() as u128);
        }
        total + size * (n - met)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{figure::value, statement::MissingMatches, stats::keys::Keys};

    fn confidential(codes: &[u32], ordered: bool) -> Confidential {
        Confidential {
            name: "salary".into(),
            ordered,
            codes: codes.to_vec(),
            n_values: codes.iter().copied().max().unwrap_or(0),
        }
    }

    fn classes(key: &[u32]) -> KeyClasses {
        let keys = Keys::of_codes(key.len(), &[key.to_vec()]);
        KeyClasses::of_keys(keys, MissingMatches::Any)
    }

    /// Li et al., example 3: salaries 3k..11k; {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} 0.167.
    #[test]
    fn the_salaries_of_the_paper() {
        let salary = confidential(&[1, 2, 3, 4, 5, 6, 7, 8, 9], true);
        let file = FileShares::new(&salary);
        // Records by place: 3k, 4k, 5k are 0, 1, 2; 6k, 8k, 11k are 3, 5, 8.
        let low = file.distance(&salary, &[0, 1, 2]).unwrap();
        assert!((low - 0.375).abs() < 1e-15, "{low}");
        let spread = file.distance(&salary, &[3, 5, 8]).unwrap();
        assert!((spread - 1.0 / 6.0).abs() < 1e-15, "{spread}");
    }

    /// Names a, a, b, c: the group {a} has shares 1, 0, 0 against ½, ¼, ¼: ½ (½ + ¼ + ¼) = ½; {a, b, c} ⅓ each: ½ (1/6 + 1/12 + 1/12) = 1/6.
    #[test]
    fn names_by_hand() {
        let name = confidential(&[1, 1, 2, 3], false);
        let figures = figures(&classes(&[1, 2, 2, 2]), &[name], Some(0.2));
        assert_eq!(value(&figures, "t_closeness"), Some(0.5));
        assert_eq!(value(&figures, "above_t"), Some(1.0));
    }

    /// Slow and obvious: cumulative shares value by value.
    #[test]
    fn ordered_distances_are_those_of_the_definition() {
        let mut state = 1_u64;
        let mut roll = |sides: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            u32::try_from((state >> 33) % sides).unwrap()
        };
        for _ in 0..200 {
            let n = 2 + roll(40) as usize;
            let raw: Vec<u32> = (0..n).map(|_| roll(12)).collect();
            let mut values: Vec<u32> = raw.iter().copied().filter(|&code| code > 0).collect();
            values.sort_unstable();
            values.dedup();
            let code = |raw: &u32| {
                values
                    .binary_search(raw)
                    .map_or(0, |at| u32::try_from(at + 1).unwrap())
            };
            let codes: Vec<u32> = raw.iter().map(code).collect();
            let attribute = confidential(&codes, true);
            let file = FileShares::new(&attribute);
            let group: Vec<u32> = (0..u32::try_from(n).unwrap())
                .filter(|_| roll(3) == 0)
                .collect();
            let chosen = attribute.sorted(&group);
            let all = codes.iter().filter(|&&code| code > 0).count() as f64;
            let mut sum = 0.0;
            for value in 1..=attribute.n_values {
                let p = chosen.iter().filter(|&&code| code <= value).count() as f64;
                let q = codes
                    .iter()
                    .filter(|&&code| (1..=value).contains(&code))
                    .count() as f64;
                sum += (p / chosen.len() as f64 - q / all).abs();
            }
            match file.distance(&attribute, &group) {
                None => assert!(chosen.is_empty()),
                Some(found) => {
                    let expected = match attribute.n_values {
                        1 => 0.0,
                        m => sum / f64::from(m - 1),
                    };
                    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
                }
            }
        }
    }
}
