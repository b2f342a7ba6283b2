//! What the swapping methods share: the values of an attribute in ascending order, and who was not swapped yet.

use std::{borrow::Cow, cmp::Ordering};

use rand::RngExt;
use rayon::prelude::*;

use super::{Details, Effect, Masked};
use crate::{
    error::{Error, Result, in_order},
    rng::{Generator, Streams},
    statement::{Method, Step},
    table::{AttrId, EXACT_INTEGERS, Numbers, Table},
};

/// The positions that change places with each other, drawn for the values of one attribute in ascending order.
pub(super) struct Swaps {
    /// Pairs of positions in ascending order; no position is in two of them.
    pub pairs: Vec<(u32, u32)>,
    /// Values for which there was no partner.
    pub without_partner: usize,
}

impl Swaps {
    /// Adds a pair of positions.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a table holds at most u32::MAX records"
    )]
    pub fn push(&mut self, i: usize, l: usize) {
        self.pairs.push((i as u32, l as u32));
    }
}

/// Where the values of one attribute, in ascending order, go.
pub(super) struct Moves {
    /// For each position, the position whose value it gets.
    pub sources: Vec<u32>,
    /// Values for which there was no partner.
    pub without_partner: usize,
}

impl Moves {
    /// The exchanges of pairs among n positions.
    fn of_swaps(swaps: &Swaps, n: usize) -> Self {
        let mut sources: Vec<u32> = (0..).take(n).collect();
        for &(i, l) in &swaps.pairs {
            sources.swap(i as usize, l as usize);
        }
        Self {
            sources,
            without_partner: swaps.without_partner,
        }
    }
}

/// Why an attribute cannot be swapped by rank.
pub(super) fn objection(table: &Table, attribute: AttrId) -> Option<Error> {
    let has_order = table.has_numbers(attribute);
    (!has_order).then(|| no_order(&table.attribute(attribute).name))
}

fn no_order(name: &str) -> Error {
    Error::usage("has no order: rank swapping needs numbers").wrong_scale(name)
}

/// Refuses a file in which nobody has a partner.
pub(super) fn refuse_fewer_than_two(records: usize) -> Result<()> {
    match records {
        0 | 1 => Err(Error::fewer_than_two_records(
            "rank swapping needs at least two records",
            records,
        )),
        _ => Ok(()),
    }
}

/// The least percentage, to one decimal, of which so many records make a rank at least.
pub(super) fn least_percent(records: usize) -> f64 {
    (1000.0 / records as f64).ceil() / 10.0
}

/// Masks attributes by changing places within each: `draw` gets the number of values and the generator of the attribute,
/// after the ties were put in random order.
///
/// Partners with equal values exchange their cells, too, and are not counted as changed.
pub(super) fn mask_by_swapping(
    original: Table,
    on: &[AttrId],
    streams: &Streams,
    method: Method,
    draw: impl Fn(usize, &mut Generator) -> Swaps + Sync,
) -> Result<Masked> {
    mask_by_moving(original, on, streams, method, |n, rng| {
        Moves::of_swaps(&draw(n, rng), n)
    })
}

/// Masks attributes by permuting each: `draw` as in [`mask_by_swapping`], for permutations of any kind.
pub(super) fn mask_by_moving(
    original: Table,
    on: &[AttrId],
    streams: &Streams,
    method: Method,
    draw: impl Fn(usize, &mut Generator) -> Moves + Sync,
) -> Result<Masked> {
    let step = Step::new(method, original.n_records(), original.names(on));
    let mut table = original;
    let mut effects = Vec::with_capacity(on.len());
    let mut without_partner = Vec::with_capacity(on.len());
    // As many attributes at a time as there are threads, so that the numbers of each can go before the next come.
    for batch in on.chunks(rayon::current_num_threads()) {
        let swapped = batch
            .par_iter()
            .map(|&attribute| move_attribute(&table, attribute, streams, &draw));
        let swapped: Vec<(Vec<u32>, Effect, usize)> = in_order(swapped)?;
        for (&attribute, (donors, effect, lonely)) in batch.iter().zip(swapped) {
            table = table.with_donors(attribute, donors);
            effects.push(effect);
            without_partner.push(lonely);
        }
    }
    Ok(Masked {
        table,
        step,
        effects,
        respelled: Vec::new(),
        strata: Vec::new(),
        details: Details::Swapping { without_partner },
    })
}

fn move_attribute(
    table: &Table,
    attribute: AttrId,
    streams: &Streams,
    draw: &(impl Fn(usize, &mut Generator) -> Moves + Sync),
) -> Result<(Vec<u32>, Effect, usize)> {
    let name = &table.attribute(attribute).name;
    let numbers = table.numbers_once(attribute).ok_or_else(|| {
        no_order(name)
            .remedy("Leave it out of --attributes, or declare its scale in the roles file")
    })?;
    let numbers = Numbers {
        values: &numbers,
        missing: table.missing(attribute),
    };
    let values = Values {
        numbers,
        text: &|record| table.text(record, attribute),
    };
    let mut rng = streams.of_attribute(name);
    let ranked = ascending(&values, &mut rng);
    let (order, first) = (&ranked.order, &ranked.first);
    let moves = draw(order.len(), &mut rng);
    let records = numbers.values.len();
    let mut donors: Vec<u32> = (0..to_u32(records)).collect();
    let mut changed = 0;
    for ((&to, &own), &source) in order.iter().zip(first).zip(&moves.sources) {
        // Also where the values are equal: what may differ in their texts, digits beyond those of a number, moves, too.
        donors[to as usize] = order[source as usize];
        changed += usize::from(first[source as usize] != own);
    }
    let effect = Effect {
        attribute: name.clone(),
        values: order.len(),
        changed,
        missing: records - order.len(),
        squared_error: None,
    };
    Ok((donors, effect, moves.without_partner))
}

/// The values of one attribute, compared as exactly as they are written.
pub(super) struct Values<'a> {
    pub numbers: Numbers<'a>,
    pub text: &'a dyn Fn(usize) -> Cow<'a, str>,
}

impl Values<'_> {
    pub fn compare(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (a as usize, b as usize);
        let (x, y) = (self.numbers.values[a] + 0.0, self.numbers.values[b] + 0.0);
        x.total_cmp(&y).then_with(|| {
            if x.abs() < EXACT_INTEGERS {
                Ordering::Equal
            } else {
                compare_whole(&(self.text)(a), &(self.text)(b))
            }
        })
    }
}

/// Compares whole numbers by their digits; whatever else is written counts as equal.
fn compare_whole(a: &str, b: &str) -> Ordering {
    let parts = |text: &str| -> Option<(bool, String)> {
        let text = text.trim();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        whole.then(|| {
            (
                text.starts_with('-'),
                digits.trim_start_matches('0').to_string(),
            )
        })
    };
    let (Some((a_negative, a)), Some((b_negative, b))) = (parts(a), parts(b)) else {
        return Ordering::Equal;
    };
    let size = a.len().cmp(&b.len()).then_with(|| a.cmp(&b));
    match (a_negative, b_negative) {
        (false, false) => size,
        (true, true) => size.reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

/// Records that have a value, by ascending value.
struct Ranked {
    order: Vec<u32>,
    /// For each place in the order the first place of an equal value.
    first: Vec<u32>,
}

/// The records that have a value, by ascending value; equal values in random order.
fn ascending(values: &Values<'_>, rng: &mut Generator) -> Ranked {
    let Ranked { mut order, first } = ranked(values);
    let mut ties = order.as_mut_slice();
    for run in first.chunk_by(|a, b| a == b) {
        let (run, rest) = ties.split_at_mut(run.len());
        for last in (1..run.len()).rev() {
            run.swap(last, rng.random_range(0..=last));
        }
        ties = rest;
    }
    Ranked { order, first }
}

/// The records that have a value, by ascending value as exactly as it is written; equal values in file order.
pub(super) fn in_file_order(values: &Values<'_>) -> Vec<u32> {
    ranked(values).order
}

/// [`in_file_order`], with the places of equal values.
fn ranked(values: &Values<'_>) -> Ranked {
    let Ranked {
        mut order,
        mut first,
    } = sorted(values.numbers);
    let number = |record: u32| values.numbers.values[record as usize] + 0.0;
    // Whole numbers of more digits than a number holds stand at the ends.
    let is_long = |&record: &u32| number(record).abs() >= EXACT_INTEGERS;
    if !order.first().is_some_and(is_long) && !order.last().is_some_and(is_long) {
        return Ranked { order, first };
    }
    let mut start = 0;
    while start < order.len() {
        let length = first[start..].partition_point(|&place| place == first[start]);
        let run = start..start + length;
        if length > 1 && is_long(&order[start]) {
            order[run.clone()].sort_by(|&a, &b| values.compare(a, b));
            for place in run.skip(1) {
                let equal = values.compare(order[place - 1], order[place]).is_eq();
                first[place] = if equal {
                    first[place - 1]
                } else {
                    to_u32(place)
                };
            }
        }
        start += length;
    }
    Ranked { order, first }
}

/// The records that have a value, by ascending value, equal values in file order.
///
/// # Complexity
/// O(n log n) time; 8 bytes a value for whole numbers that lie within 2^32 of each other (most amounts), else 16.
fn sorted(numbers: Numbers<'_>) -> Ranked {
    let present = || {
        let all = numbers.values.iter().zip(0_u32..);
        all.filter(|&(_, record)| !numbers.missing.contains(record as usize))
    };
    let least = present().fold(f64::INFINITY, |least, (&value, _)| least.min(value));
    // Above the least value a whole number of at most 32 bits leaves room for the record in one word.
    let compact: Option<Vec<u64>> = present()
        .map(|(&value, record)| {
            let above = value - least;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "compared with the number it came from"
            )]
            let whole = above as u32;
            // Differences of whole numbers below 2^53 are exact; others could round to the same one.
            let exact = value.trunc().total_cmp(&value).is_eq()
                && least.abs() < EXACT_INTEGERS
                && f64::from(whole).total_cmp(&above).is_eq();
            exact.then_some(u64::from(whole) << 32 | u64::from(record))
        })
        .collect();
    match compact {
        Some(mut keys) => {
            keys.sort_unstable();
            Ranked {
                first: first_places(&keys, |a, b| a >> 32 == b >> 32),
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "the low half is the record"
                )]
                order: keys.into_iter().map(|key| key as u32).collect(),
            }
        }
        None => {
            let mut keyed: Vec<(f64, u32)> = present()
                .map(|(&value, record)| (value + 0.0, record))
                .collect();
            keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            Ranked {
                first: first_places(&keyed, |a, b| a.0.total_cmp(&b.0).is_eq()),
                order: keyed.into_iter().map(|(_, record)| record).collect(),
            }
        }
    }
}

/// For each place of a sorted list the first place of an equal element.
fn first_places<T>(sorted: &[T], equal: impl Fn(&T, &T) -> bool) -> Vec<u32> {
    let mut first = 0;
    let place = |place: usize| {
        if place > 0 && !equal(&sorted[place - 1], &sorted[place]) {
            first = place;
        }
        to_u32(first)
    };
    (0..sorted.len()).map(place).collect()
}

fn to_u32(place: usize) -> u32 {
    u32::try_from(place).unwrap_or_else(|_| unreachable!("a table holds at most u32::MAX records"))
}

/// The positions not swapped yet, as one bit each.
pub(super) struct Unswapped {
    words: Vec<u64>,
}

impl Unswapped {
    pub fn new(n: usize) -> Self {
        let mut words = vec![u64::MAX; n.div_ceil(64)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), n % 64) {
            *last = (1 << rest) - 1;
        }
        Self { words }
    }

    pub fn contains(&self, position: usize) -> bool {
        self.words[position / 64] >> (position % 64) & 1 == 1
    }

    pub fn remove(&mut self, position: usize) {
        self.words[position / 64] &= !(1 << (position % 64));
    }

    /// The first unswapped position after this one.
    pub fn next(&self, position: usize) -> Option<usize> {
        let (word, bit) = (position / 64, position % 64);
        let here = self.words[word] & (u64::MAX << bit << 1);
        if here != 0 {
            return Some(word * 64 + here.trailing_zeros() as usize);
        }
        let rest = &self.words[word + 1..];
        let skipped = rest.iter().position(|&bits| bits != 0)?;
        Some((word + 1 + skipped) * 64 + rest[skipped].trailing_zeros() as usize)
    }

    /// One of the positions in `first..=last` (a non-empty range), uniformly; `None` if all are swapped.
    ///
    /// Drawing from the whole range until an unswapped one comes is uniform among those, and so is counting them and
    /// drawing one; so a few quick tries, then the count, is uniform too.
    pub fn draw(&self, first: usize, last: usize, rng: &mut Generator) -> Option<usize> {
        const QUICK_TRIES: usize = 16;
        for _ in 0..QUICK_TRIES {
            let position = rng.random_range(first..=last);
            if self.contains(position) {
                return Some(position);
            }
        }
        let masked = |word: usize| {
            let mut bits = self.words[word];
            if word == first / 64 {
                bits &= u64::MAX << (first % 64);
            }
            if word == last / 64 {
                bits &= u64::MAX >> (63 - last % 64);
            }
            bits
        };
        let range = first / 64..=last / 64;
        let left: usize = range
            .clone()
            .map(|word| masked(word).count_ones() as usize)
            .sum();
        if left == 0 {
            return None;
        }
        let mut nth = rng.random_range(0..left);
        for word in range {
            let mut bits = masked(word);
            let here = bits.count_ones() as usize;
            if nth >= here {
                nth -= here;
                continue;
            }
            for _ in 0..nth {
                bits &= bits - 1;
            }
            return Some(word * 64 + bits.trailing_zeros() as usize);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Unswapped;

    #[test]
    fn the_next_unswapped_position_is_the_one_that_a_search_finds() {
        for n in [1, 2, 63, 64, 65, 128, 200] {
            let mut unswapped = Unswapped::new(n);
            for position in (0..n).filter(|position| position * position % 7 != 2) {
                unswapped.remove(position);
            }
            for position in 0..n {
                let searched = (position + 1..n).find(|&later| unswapped.contains(later));
                assert_eq!(unswapped.next(position), searched, "{position} of {n}");
            }
        }
    }
}
