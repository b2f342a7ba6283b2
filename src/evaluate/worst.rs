//! Which attributes an intruder should know: the sets that betray most, ranked by a bound.
//!
//! The bound is how much the masked values of a set of attributes say about the original ones, in bits, were their ranks normal:
//!
//! ```text
//! bits(S) = −½ log₂( det R(S, S') / (det R(S) · det R(S')) )   numbers: R correlations of middle ranks, original and masked
//!         + Σ I(x; x')                                         names: mutual information of each attribute
//! ```
//!
//! No direction says more than log₂ n bits. Worked out by the judge, who knows the true matches; the attacks on the sets do not.

use std::collections::BTreeMap;

use ndarray::Array2;
use rayon::prelude::*;

use super::{link::Shared, truth::Truth};
use crate::{
    error::Result,
    stats::eigen,
    table::{AttrId, Table},
};

/// So many sets are attacked: those with the most bits.
pub const ATTACKED: usize = 5;

/// More sets than this are not all ranked: sets grow by the attribute that adds most, and are improved by exchanges.
const MAX_RANKED: u128 = 50_000;

/// The `ATTACKED` sets of `size` of the attributes with the most bits (fewer, if there are not as many), the most first, each
/// ascending.
///
/// Up to 50,000 sets are all ranked. Beyond that a set is grown attribute by attribute and improved by exchanging one at a time; it and
/// the best of its neighbours are returned.
///
/// # Ties
/// The set that comes first in lexicographic order.
///
/// # Missing
/// A missing value stands at the mean rank; names that are missing are a name.
///
/// # Errors
/// Usage, when there are not as many attributes.
pub fn sets(
    original: &Table,
    masked: &Table,
    truth: &Truth,
    shared: &[Shared],
    size: usize,
) -> Result<Vec<Vec<usize>>> {
    if size > shared.len() {
        return Err(super::knowledge::too_many_attributes(size, shared.len()));
    }
    let bits = Bits::of(original, masked, truth, shared);
    let all = super::knowledge::binomial(shared.len(), size);
    let candidates = if all <= MAX_RANKED {
        super::knowledge::subsets(shared.len(), size)
    } else {
        grown(&bits, shared.len(), size)
    };
    let mut ranked: Vec<(f64, Vec<usize>)> = candidates
        .into_par_iter()
        .map(|set| (bits.of_set(&set), set))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    ranked.dedup();
    ranked.truncate(ATTACKED);
    Ok(ranked.into_iter().map(|(_, set)| set).collect())
}

/// A set that grows by what adds most, exchanged until no exchange gains, and all sets that one exchange makes of it.
fn grown(bits: &Bits, n: usize, size: usize) -> Vec<Vec<usize>> {
    let with = |set: &[usize], more: usize| {
        let mut set: Vec<usize> = set.iter().copied().chain([more]).collect();
        set.sort_unstable();
        set
    };
    let best = |sets: Vec<Vec<usize>>| -> Option<(f64, Vec<usize>)> {
        let ranked = sets.into_par_iter().map(|set| (bits.of_set(&set), set));
        ranked.reduce_with(|a, b| {
            if b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)).is_gt() {
                b
            } else {
                a
            }
        })
    };
    let mut set = Vec::new();
    while set.len() < size {
        let longer = (0..n).filter(|k| !set.contains(k)).map(|k| with(&set, k));
        match best(longer.collect()) {
            Some((_, longer)) => set = longer,
            None => break,
        }
    }
    let exchanges = |set: &[usize]| -> Vec<Vec<usize>> {
        let others: Vec<usize> = (0..n).filter(|k| !set.contains(k)).collect();
        let mut made = Vec::new();
        for &out in set {
            let rest: Vec<usize> = set.iter().copied().filter(|&k| k != out).collect();
            made.extend(others.iter().map(|&other| with(&rest, other)));
        }
        made
    };
    let mut value = bits.of_set(&set);
    loop {
        let around = exchanges(&set);
        match best(around.clone()) {
            Some((more, better)) if more > value => (value, set) = (more, better),
            _ => return around.into_iter().chain([set]).collect(),
        }
    }
}

/// What sets of attributes say.
struct Bits {
    /// For each attribute its column in the correlations, or the bits of a name.
    of: Vec<std::result::Result<usize, f64>>,
    /// Correlations of ranks: originals first, then masked.
    correlations: Array2<f64>,
    numbers: usize,
    /// The least share of variance that stays open.
    least: f64,
}

impl Bits {
    fn of(original: &Table, masked: &Table, truth: &Truth, shared: &[Shared]) -> Self {
        let pairs = truth.records();
        let n = pairs.len();
        let (mut of, mut numeric) = (Vec::new(), Vec::new());
        for attribute in shared {
            of.push(match original.numbers(attribute.original) {
                Some(_) => {
                    numeric.push(*attribute);
                    Ok(numeric.len() - 1)
                }
                None => Err(mutual_information(original, masked, &pairs, attribute)),
            });
        }
        let numbers = numeric.len();
        let columns: Vec<Vec<f64>> = (0..2 * numbers)
            .into_par_iter()
            .map(|k| {
                if k < numbers {
                    rank_scores(
                        original,
                        numeric[k].original,
                        pairs.iter().map(|pair| pair[0]),
                    )
                } else {
                    rank_scores(
                        masked,
                        numeric[k - numbers].masked,
                        pairs.iter().map(|pair| pair[1]),
                    )
                }
            })
            .collect();
        let product = |j: usize, k: usize| {
            let products = columns[j].iter().zip(&columns[k]).map(|(x, y)| x * y);
            products.fold(0.0, |sum, product| sum + product)
        };
        let cells: Vec<f64> = (0..4 * numbers * numbers)
            .into_par_iter()
            .map(|cell| match (cell / (2 * numbers), cell % (2 * numbers)) {
                (j, k) if j == k => 1.0,
                (j, k) => product(j.min(k), j.max(k)),
            })
            .collect();
        Self {
            of,
            correlations: Array2::from_shape_vec((2 * numbers, 2 * numbers), cells)
                .unwrap_or_else(|_| Array2::zeros((0, 0))),
            numbers,
            least: 1.0 / (n.max(2) as f64 * n.max(2) as f64),
        }
    }

    fn of_set(&self, set: &[usize]) -> f64 {
        let names: f64 = set
            .iter()
            .filter_map(|&k| self.of[k].err())
            .fold(0.0, |sum, bits| sum + bits);
        let numbers: Vec<usize> = set.iter().filter_map(|&k| self.of[k].ok()).collect();
        let masked: Vec<usize> = numbers.iter().map(|&k| k + self.numbers).collect();
        let both: Vec<usize> = numbers.iter().chain(&masked).copied().collect();
        let of = |columns: &[usize]| self.log_det(columns);
        names + (0.5 * (of(&numbers) + of(&masked) - of(&both))).max(0.0)
    }

    /// log₂ of the determinant, no direction being narrower than `least`.
    fn log_det(&self, columns: &[usize]) -> f64 {
        let width = columns.len();
        let part = Array2::from_shape_fn((width, width), |(j, k)| {
            self.correlations[[columns[j], columns[k]]]
        });
        let values = eigen::symmetric(part).values;
        values
            .iter()
            .fold(0.0, |sum, &value| sum + value.max(self.least).log2())
    }
}

/// Middle ranks of these records' values, centred, of length 1; 0 where a value is missing.
fn rank_scores(table: &Table, id: AttrId, records: impl Iterator<Item = u32>) -> Vec<f64> {
    let Some(numbers) = table.numbers(id) else {
        return Vec::new();
    };
    let records: Vec<usize> = records.map(|record| record as usize).collect();
    let mut order: Vec<(f64, usize)> = records
        .iter()
        .enumerate()
        .filter(|&(_, &record)| !numbers.missing.contains(record))
        .map(|(place, &record)| (numbers.values[record] + 0.0, place))
        .collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let centre = (order.len() as f64 - 1.0) / 2.0;
    let mut scores = vec![0.0; records.len()];
    let mut before = 0;
    for ties in order.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let middle = before as f64 + (ties.len() as f64 - 1.0) / 2.0;
        for &(_, place) in ties {
            scores[place] = middle - centre;
        }
        before += ties.len();
    }
    let length = scores.iter().fold(0.0, |sum, x| sum + x * x).sqrt();
    if length > 0.0 {
        scores.iter_mut().for_each(|score| *score /= length);
    }
    scores
}

/// Bits that a masked name says about the original one.
fn mutual_information(
    original: &Table,
    masked: &Table,
    pairs: &[[u32; 2]],
    attribute: &Shared,
) -> f64 {
    let mut joint: BTreeMap<(String, String), usize> = BTreeMap::new();
    for [old, new] in pairs {
        let old = original
            .category(*old as usize, attribute.original)
            .into_owned();
        let new = masked
            .category(*new as usize, attribute.masked)
            .into_owned();
        *joint.entry((old, new)).or_default() += 1;
    }
    let (mut left, mut right): (BTreeMap<&str, usize>, BTreeMap<&str, usize>) = Default::default();
    for ((old, new), &count) in &joint {
        *left.entry(old).or_default() += count;
        *right.entry(new).or_default() += count;
    }
    let n = pairs.len().max(1) as f64;
    joint.iter().fold(0.0, |sum, ((old, new), &count)| {
        let share = count as f64 / n;
        sum + share * (count as f64 * n / (left[&old[..]] as f64 * right[&new[..]] as f64)).log2()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{evaluate::link::shared_attributes, table::ReadOptions};

    fn table(text: &str) -> Table {
        Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    /// Attribute k of six is masked by noise that grows with k; the last is a name that was kept.
    fn files(n: usize) -> (Table, Table) {
        let mut state = 5_u64;
        let mut roll = |sides: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % sides
        };
        let mut texts = [String::from("a,b,c,d,e,f\n"), String::from("a,b,c,d,e,f\n")];
        for _ in 0..n {
            let values: Vec<u64> = (0..5).map(|_| roll(1000)).collect();
            let name = ["x", "y", "z"][roll(3) as usize];
            let masked: Vec<u64> = values
                .iter()
                .zip([30, 3000, 200, 700, 90])
                .map(|(v, noise)| v + roll(noise))
                .collect();
            for (text, values) in texts.iter_mut().zip([values, masked]) {
                let words: Vec<String> = values.iter().map(u64::to_string).collect();
                *text += &format!("{},{name}\n", words.join(","));
            }
        }
        let [original, masked] = texts;
        (table(&original), table(&masked))
    }

    fn ranked(size: usize) -> Vec<Vec<usize>> {
        let (original, masked) = files(300);
        let truth = Truth::by_order(&original, &masked).unwrap();
        let (shared, _) = shared_attributes(&original, &masked, None);
        assert_eq!(shared.len(), 6);
        sets(&original, &masked, &truth, &shared, size).unwrap()
    }

    /// Independent attributes: bits add up, and noise orders them: a, e, c, then f (log2 3 bits), d, b.
    #[test]
    fn what_says_most_comes_first() {
        let order: Vec<usize> = ranked(1).into_iter().map(|set| set[0]).collect();
        assert_eq!(order, [0, 4, 2, 5, 3]);
        assert_eq!(ranked(2)[0], [0, 4]);
        assert_eq!(ranked(3)[0], [0, 2, 4]);
        assert_eq!(ranked(6).len(), 1, "there is one set of all");
    }

    /// Growing and exchanging finds the set that ranking them all finds.
    #[test]
    fn growing_finds_the_best() {
        let (original, masked) = files(300);
        let truth = Truth::by_order(&original, &masked).unwrap();
        let (shared, _) = shared_attributes(&original, &masked, None);
        let bits = Bits::of(&original, &masked, &truth, &shared);
        for size in 1..6 {
            let made = grown(&bits, 6, size);
            let best = made
                .iter()
                .max_by(|a, b| bits.of_set(a).total_cmp(&bits.of_set(b)))
                .unwrap();
            assert_eq!(*best, ranked(size)[0], "{size}");
        }
    }

    /// One attribute of correlation r of ranks: -½ log2(1 - r²), by plain sums of differences of ranks (Spearman's formula).
    #[test]
    fn bits_of_one_attribute_by_spearmans_formula() {
        let original = table("a\n1\n2\n3\n4\n5\n6\n");
        let masked = table("a\n2\n1\n3\n6\n4\n5\n");
        let truth = Truth::by_order(&original, &masked).unwrap();
        let id = original.find("a").unwrap();
        let shared = [Shared {
            original: id,
            masked: masked.find("a").unwrap(),
        }];
        let bits = Bits::of(&original, &masked, &truth, &shared).of_set(&[0]);
        // Differences of ranks 1, 1, 0, 2, 1, 1: r = 1 - 6 · 8 / (6 · 35).
        let r: f64 = 1.0 - 48.0 / 210.0;
        assert!((bits + 0.5 * (1.0 - r * r).log2()).abs() < 1e-9, "{bits}");
    }

    #[test]
    fn kept_names_say_their_entropy() {
        let text = "a,b\n1,x\n2,x\n3,y\n4,y\n";
        let original = table(text);
        let truth = Truth::by_order(&original, &original).unwrap();
        let id = original.find("b").unwrap();
        let shared = [Shared {
            original: id,
            masked: id,
        }];
        let bits = Bits::of(&original, &original, &truth, &shared).of_set(&[0]);
        assert!(
            (bits - 1.0).abs() < 1e-12,
            "two names of two records each are one bit"
        );
    }
}
