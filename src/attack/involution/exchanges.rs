//! The exchanges that candidate pairs imply, and what follows from each having two sides.

use rayon::prelude::*;

use super::{
    candidates::Candidates,
    values::{Column, MISSING, Values},
};

/// No exchange, or none that anybody could have made.
const NONE: u32 = u32::MAX;

/// Bytes of a pair in an attribute: its exchange, its place among those of it, and what sorting takes for a while.
pub(super) const BYTES_IN_ATTRIBUTE: usize = 12;

/// The candidate pairs by the exchange that each implies in each attribute.
#[derive(Debug)]
pub(super) struct Exchanges {
    attributes: Vec<OfAttribute>,
}

/// The exchanges of an attribute: from value `a` to value `b`, of all pairs (i, j) in which i has `a` and j has `b`.
#[derive(Debug)]
struct OfAttribute {
    /// The exchange of each pair; NONE where a value is missing, or where neither it nor its other side decides anything.
    of_pair: Vec<u32>,
    /// The pairs by exchange.
    starts: Vec<u32>,
    pairs: Vec<u32>,
    /// For each exchange, the one from `b` to `a`; NONE if no pair implies it.
    other_side: Vec<u32>,
    /// Whether an exchange is impossible without the other side ([`Column::is_seen`]).
    needs_other_side: Vec<bool>,
}

impl OfAttribute {
    fn new(candidates: &Candidates, column: &Column) -> Self {
        // For each value that is sought with: the other values, each with a pair.
        let of_value = |a: u32| {
            let seekers = column.seekers_with(a).iter();
            let rows = seekers.map(|&seeker| candidates.row(seeker as usize));
            let mut others = Vec::with_capacity(rows.clone().map(|row| row.len()).sum());
            for row in rows {
                for (pair, &sought) in row.clone().zip(&candidates.records[row]) {
                    let b = column.sought[sought as usize];
                    if b != MISSING {
                        others.push(key(b, to_u32(pair)));
                    }
                }
            }
            sort_by_upper_half(&mut others, column.n_values());
            others
        };
        let values = 0..to_u32(column.n_values());
        let of_values: Vec<Vec<u64>> = values.into_par_iter().map(of_value).collect();
        let mut of_pair = vec![NONE; candidates.len()];
        let (mut starts, mut keys, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        let decides = |a, b| column.occur(a, b) && column.is_seen(a, b);
        for (a, others) in (0_u32..).zip(of_values) {
            for same in others.chunk_by(|one, other| one >> 32 == other >> 32) {
                let b = to_low(same[0] >> 32);
                if !(decides(a, b) || decides(b, a)) {
                    continue;
                }
                for pair in same.iter().map(|&other| to_low(other)) {
                    of_pair[pair as usize] = to_u32(keys.len());
                }
                starts.push(to_u32(pairs.len()));
                keys.push(key(a, b));
                pairs.extend(same.iter().map(|&other| to_low(other)));
            }
        }
        starts.push(to_u32(pairs.len()));
        let sides = |key: u64| (to_low(key >> 32), to_low(key));
        Self {
            of_pair,
            starts,
            pairs,
            other_side: keys
                .par_iter()
                .map(|&one| {
                    let (a, b) = sides(one);
                    keys.binary_search(&key(b, a)).map_or(NONE, to_u32)
                })
                .collect(),
            needs_other_side: keys
                .iter()
                .map(|&key| {
                    let (a, b) = sides(key);
                    column.is_seen(a, b)
                })
                .collect(),
        }
    }

    /// The probability of each exchange: of its pairs together.
    fn sums(&self, probabilities: &[f64]) -> Vec<f64> {
        let sum = |exchange| {
            let pairs = self.pairs_of(exchange).iter();
            pairs.fold(0.0, |sum, &pair| sum + probabilities[pair as usize])
        };
        (0..self.n_exchanges()).into_par_iter().map(sum).collect()
    }

    fn n_exchanges(&self) -> usize {
        self.other_side.len()
    }

    fn pairs_of(&self, exchange: usize) -> &[u32] {
        &self.pairs[self.starts[exchange] as usize..self.starts[exchange + 1] as usize]
    }
}

impl Exchanges {
    /// Orders the pairs by exchange.
    ///
    /// # Complexity
    /// O(pairs) for each attribute of few values, O(pairs · log pairs) where they are many.
    pub fn new(candidates: &Candidates, values: &Values) -> Self {
        let columns: Vec<&Column> = values.columns().collect();
        let columns = columns.into_par_iter();
        Self {
            attributes: columns
                .map(|column| OfAttribute::new(candidates, column))
                .collect(),
        }
    }

    /// Which pairs are left when every pair goes that implies an exchange of which no pair left is the other side, until none goes
    /// any more.
    ///
    /// What is left does not depend on the order in which pairs go: it is the largest set of pairs that needs none from outside.
    ///
    /// # Complexity
    /// O(pairs · attributes).
    pub fn possible(&self, n_pairs: usize) -> Vec<bool> {
        let mut possible = vec![true; n_pairs];
        let mut left: Vec<Vec<u32>> = Vec::new();
        // Exchanges without another side, of which the pairs have not gone yet.
        let mut falling: Vec<(usize, u32)> = Vec::new();
        for (place, attribute) in self.attributes.iter().enumerate() {
            let counts = attribute.starts.windows(2).map(|ends| ends[1] - ends[0]);
            left.push(counts.collect());
            let alone = |&exchange: &usize| {
                attribute.needs_other_side[exchange] && attribute.other_side[exchange] == NONE
            };
            let exchanges = (0..attribute.n_exchanges()).filter(alone);
            falling.extend(exchanges.map(|exchange| (place, to_u32(exchange))));
        }
        while let Some((place, exchange)) = falling.pop() {
            for &pair in self.attributes[place].pairs_of(exchange as usize) {
                if !std::mem::replace(&mut possible[pair as usize], false) {
                    continue;
                }
                for (number, attribute) in self.attributes.iter().enumerate() {
                    let exchange = attribute.of_pair[pair as usize];
                    if exchange == NONE {
                        continue;
                    }
                    let count = &mut left[number][exchange as usize];
                    *count -= 1;
                    if *count > 0 {
                        continue;
                    }
                    let other = attribute.other_side[exchange as usize];
                    if other != NONE && attribute.needs_other_side[other as usize] {
                        falling.push((number, other));
                    }
                }
            }
        }
        possible
    }

    /// What the other sides say of each pair, as logarithms, from the probability of each pair:
    ///
    /// ```text
    /// Σ_k ln max(eps, min(1, G_k(b, a)))      G_k(b, a) = Σ P over the pairs that imply the exchange from b to a
    /// ```
    ///
    /// over the attributes in which the pair implies an exchange from a to b that needs another side.
    /// `left_out` is an attribute that is not looked at.
    pub fn log_factors(
        &self,
        probabilities: &[f64],
        eps: f64,
        left_out: Option<usize>,
    ) -> Vec<f64> {
        let mut factors = vec![0.0; probabilities.len()];
        for (number, attribute) in self.attributes.iter().enumerate() {
            if left_out == Some(number) {
                continue;
            }
            let sums = attribute.sums(probabilities);
            let logs: Vec<f64> = (0..attribute.n_exchanges())
                .into_par_iter()
                .map(|exchange| {
                    if !attribute.needs_other_side[exchange] {
                        return 0.0;
                    }
                    let other = sums.get(attribute.other_side[exchange] as usize);
                    other.map_or(0.0, |&sum| sum).min(1.0).max(eps).ln()
                })
                .collect();
            factors
                .par_iter_mut()
                .zip(&attribute.of_pair)
                .for_each(|(factor, &exchange)| {
                    *factor += logs.get(exchange as usize).copied().unwrap_or(0.0);
                });
        }
        factors
    }
}

/// Two pairs of which each is the only other side that the other one can have, in an attribute by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mutual {
    pub attribute: usize,
    pub pairs: [usize; 2],
}

impl Exchanges {
    /// The pairs that stand and fall together, each two once an attribute.
    pub fn mutual(&self) -> Vec<Mutual> {
        let of_attribute = |(attribute, of): (usize, &OfAttribute)| {
            let only = |exchange: u32| match of.pairs_of(exchange as usize) {
                &[pair] if of.needs_other_side[exchange as usize] => Some(pair as usize),
                _ => None,
            };
            let sides = (0_u32..).zip(&of.other_side);
            let mutual = sides.filter_map(|(exchange, &other)| {
                // Each two are met from both sides; an exchange of equal values is its own.
                let both = other != NONE && exchange < other;
                let pairs = both.then(|| Some([only(exchange)?, only(other)?]))??;
                Some(Mutual { attribute, pairs })
            });
            mutual.collect::<Vec<_>>()
        };
        let attributes = self.attributes.iter().enumerate();
        attributes.flat_map(of_attribute).collect()
    }

    /// Number of attributes.
    pub fn n_attributes(&self) -> usize {
        self.attributes.len()
    }

    /// Of the exchanges of an attribute that need another side, weighed by their probability: how much of an other side they have, 0 to 1.
    pub fn share_mutual(&self, attribute: usize, probabilities: &[f64]) -> f64 {
        let attribute = &self.attributes[attribute];
        let sums = attribute.sums(probabilities);
        let (mut mutual, mut all) = (0.0, 0.0);
        for (exchange, &sum) in sums.iter().enumerate() {
            if attribute.needs_other_side[exchange] {
                let other = sums.get(attribute.other_side[exchange] as usize);
                mutual += sum * other.map_or(0.0, |&other| other.min(1.0));
                all += sum;
            }
        }
        if all > 0.0 { mutual / all } else { 0.0 }
    }
}

/// Sorts by the upper halves, which are below `n`, of numbers whose lower halves ascend.
///
/// # Complexity
/// O(length) where there are `n` or more, else O(length · log length).
fn sort_by_upper_half(numbers: &mut Vec<u64>, n: usize) {
    if numbers.len() < n {
        numbers.sort_unstable();
        return;
    }
    let mut places = vec![0_usize; n + 1];
    let upper = |number: u64| to_low(number >> 32) as usize;
    for &number in &*numbers {
        places[upper(number) + 1] += 1;
    }
    for value in 0..n {
        places[value + 1] += places[value];
    }
    let mut sorted = vec![0; numbers.len()];
    for &number in &*numbers {
        let place = &mut places[upper(number)];
        sorted[*place] = number;
        *place += 1;
    }
    *numbers = sorted;
}

fn key(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the lower half is what is wanted"
)]
fn to_low(key: u64) -> u32 {
    key as u32
}

fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways sort as sorting does: of as many numbers as there may be upper halves, and of fewer.
    #[test]
    fn counted_or_not_they_are_sorted() {
        for n in [1, 7, 40, 200, 201, 1000] {
            let upper = (0_u32..).map(|k| k.wrapping_mul(2_654_435_761) % n);
            let mut numbers: Vec<u64> = upper.zip(0..200).map(|(a, b)| key(a, b)).collect();
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            sort_by_upper_half(&mut numbers, n as usize);
            assert_eq!(numbers, sorted, "{n}");
        }
    }
}
