//! Rank swapping: each value changes places with another whose rank is near.

use std::{borrow::Cow, cmp::Ordering};

use rand::RngExt;
use rayon::prelude::*;

use super::{Effect, Mask, Masked};
use crate::{
    error::{Error, Result},
    rng::{Generator, Streams},
    statement::{Method, Partner, RankSwapParameters, Statement},
    table::{AttrId, Numbers, Table},
};

/// How far apart in rank two values may be that are swapped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reach {
    /// Percent of the number of records, 0 < p ≤ 100.
    Percent(f64),
    /// A number of ranks, at least 1.
    Window(usize),
}

impl Reach {
    /// A percentage of the number of records.
    ///
    /// # Errors
    /// Usage, unless 0 < p ≤ 100.
    pub fn percent(p: f64) -> Result<Self> {
        match p > 0.0 && p <= 100.0 {
            true => Ok(Self::Percent(p)),
            false => Err(Error::usage(
                "--p is a percentage of the records: more than 0, at most 100",
            )
            .remedy("For example --p 5 swaps values at most 5 % of the records apart in rank")),
        }
    }

    /// The greatest rank difference of a swap among `records` records: `floor(p · records / 100)`, or the window.
    ///
    /// The records of the *file* are counted, missing values or not, so that one window holds for all attributes.
    pub fn window(self, records: usize) -> usize {
        match self {
            Self::Window(window) => window,
            Self::Percent(p) => {
                // p is a decimal number that binary cannot hold: 0.57 · 10,000 / 100 must be 57, not 56.999…
                let exact = p * records as f64 / 100.0;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "p is in 0..=100, so the window is at most the number of records"
                )]
                let window = (exact * (1.0 + 4.0 * f64::EPSILON)).floor() as usize;
                window
            }
        }
    }
}

/// Rank swapping with a reach and a rule for taken partners.
///
/// ```text
/// sort the attribute ascending;  m = window
/// for i = 1..n:  if a_i is unswapped: draw l from i+1 ..= min(n, i+m); swap a_i and a_l; mark both
/// undo the sort
/// ```
///
/// Each attribute is masked on its own, so its distribution is kept exactly and its correlations are not.
///
/// # Ties
/// Equal values stand in random order, so that the place of a record in the file says nothing about its partner.
/// Two equal values may be partners: nothing moves then, and both count as unchanged. Whole numbers beyond 2^53, which
/// an `f64` cannot tell apart, are compared by their digits.
///
/// # Missing
/// Left in place; the other values are ranked among themselves.
///
/// # Randomness
/// `Purpose::Mask`, one stream an attribute. Drawn in this order: the shuffle of each run of ties, ascending; then a
/// partner for each value in ascending order.
///
/// # Source
/// R. A. Moore, "Controlled data-swapping techniques for masking public use microdata sets", US Bureau of the Census,
/// 1996; the pseudo-code of J. Nin, J. Herranz, V. Torra, "Rethinking rank swapping to decrease disclosure risk",
/// Data & Knowledge Engineering 64, 2008. The sources do not say what to do when a_l was swapped already: see
/// [`Partner`].
#[derive(Debug, Clone)]
pub struct RankSwap {
    reach: Reach,
    partner: Partner,
}

impl RankSwap {
    /// Rank swapping with checked parameters.
    ///
    /// # Errors
    /// Usage, when p is not in 0 < p ≤ 100 or the window is 0.
    pub fn new(reach: Reach, partner: Partner) -> Result<Self> {
        match reach {
            Reach::Percent(p) => Reach::percent(p).map(|reach| Self { reach, partner }),
            Reach::Window(0) => {
                Err(Error::usage("--window 0 swaps nothing")
                    .remedy("Give a window of at least 1 rank"))
            }
            Reach::Window(_) => Ok(Self { reach, partner }),
        }
    }
}

impl Mask for RankSwap {
    fn name(&self) -> &'static str {
        "rankswap"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<String> {
        match table.numbers(attribute) {
            None => Some("has no order: rank swapping needs numbers".into()),
            Some(_) => None,
        }
    }

    fn mask(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        let records = original.n_records();
        // No two of n values are more than n − 1 ranks apart.
        let window = self.reach.window(records).min(records.saturating_sub(1));
        if window == 0 {
            return Err(self.no_window(records));
        }
        let name_of = |attribute: AttrId| original.attribute(attribute).name.clone();
        let statement = Statement::new(
            Method::RankSwap(RankSwapParameters {
                p: match self.reach {
                    Reach::Percent(p) => Some(p),
                    Reach::Window(_) => None,
                },
                window,
                partner: self.partner,
            }),
            records,
            on.iter().map(|&attribute| name_of(attribute)).collect(),
        );
        let mut table = original;
        let mut effects = Vec::with_capacity(on.len());
        // As many attributes at a time as there are threads, so that the numbers of each can go before the next come.
        for batch in on.chunks(rayon::current_num_threads()) {
            let swaps: Vec<Swapped> = batch
                .par_iter()
                .map(|&attribute| self.swap_attribute(&table, attribute, window, streams))
                .collect::<Result<_>>()?;
            for (&attribute, swapped) in batch.iter().zip(swaps) {
                table = table.with_donors(attribute, swapped.donors);
                effects.push(swapped.effect);
            }
        }
        Ok(Masked {
            table,
            statement,
            effects,
        })
    }
}

impl RankSwap {
    fn swap_attribute(
        &self,
        table: &Table,
        attribute: AttrId,
        window: usize,
        streams: &Streams,
    ) -> Result<Swapped> {
        let name = &table.attribute(attribute).name;
        let numbers = table.numbers(attribute).ok_or_else(|| {
            Error::usage("has no order: rank swapping needs numbers")
                .on_attribute(name)
                .remedy("Leave it out of --attributes, or declare its scale in the roles file")
        })?;
        let values = Values {
            numbers,
            text: &|record| table.text(record, attribute),
        };
        let mut swapped = swap(
            &values,
            window,
            self.partner,
            &mut streams.of_attribute(name),
        );
        swapped.effect.attribute.clone_from(name);
        Ok(swapped)
    }

    fn no_window(&self, records: usize) -> Error {
        match self.reach {
            Reach::Percent(p) if records > 1 => Error::usage(format!(
                "p = {p} percent of {records} records is a window of 0 ranks: nothing would be swapped"
            ))
            .remedy(format!(
                "Give --p {} or more, or --window 1",
                (1000.0 / records as f64).ceil() / 10.0
            )),
            _ => Error::input(format!("rank swapping needs at least two records; there is {records}"))
                .remedy("Check that this is the file you meant"),
        }
    }
}

/// The values of one attribute, compared as exactly as they are written.
struct Values<'a> {
    numbers: Numbers<'a>,
    text: &'a dyn Fn(usize) -> Cow<'a, str>,
}

/// From here on not every whole number is an `f64`: 2^53.
const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;

impl Values<'_> {
    fn compare(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (a as usize, b as usize);
        let (x, y) = (self.numbers.values[a] + 0.0, self.numbers.values[b] + 0.0);
        x.total_cmp(&y).then_with(|| match x.abs() < FIRST_INEXACT {
            true => Ordering::Equal,
            false => compare_whole(&(self.text)(a), &(self.text)(b)),
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

/// The outcome for one attribute: record `r` gets the cell of record `donors[r]`.
struct Swapped {
    donors: Vec<u32>,
    effect: Effect,
}

/// Swaps one attribute.
///
/// # Complexity
/// O(n log n) for the sort. A partner costs O(1) draws while enough of the window is unswapped, else O(window / 64).
fn swap(values: &Values<'_>, window: usize, partner: Partner, rng: &mut Generator) -> Swapped {
    let order = ascending(values, rng);
    let n = order.len();
    let records = values.numbers.values.len();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a table holds at most u32::MAX records"
    )]
    let mut donors: Vec<u32> = (0..records as u32).collect();
    let mut unswapped = Unswapped::new(n);
    let mut without_partner = 0;
    for i in 0..n {
        if !unswapped.contains(i) {
            continue;
        }
        unswapped.remove(i);
        let last = i.saturating_add(window).min(n - 1);
        let drawn = match partner {
            _ if i == last => None,
            Partner::Skip => {
                Some(rng.random_range(i + 1..=last)).filter(|&l| unswapped.contains(l))
            }
            Partner::Unswapped => unswapped.draw(i + 1, last, rng),
        };
        match drawn {
            Some(l) => {
                unswapped.remove(l);
                // Equal values written differently (1 and 1.0) keep their places and so their bytes.
                if values.compare(order[i], order[l]).is_ne() {
                    donors.swap(order[i] as usize, order[l] as usize);
                }
            }
            None => without_partner += 1,
        }
    }
    let changed = donors
        .iter()
        .zip(0_u32..)
        .filter(|&(&donor, record)| donor != record)
        .count();
    Swapped {
        donors,
        effect: Effect {
            attribute: String::new(),
            values: n,
            changed,
            without_partner,
            missing: records - n,
        },
    }
}

/// The records that have a value, by ascending value; equal values in random order.
fn ascending(values: &Values<'_>, rng: &mut Generator) -> Vec<u32> {
    let number = |record: u32| values.numbers.values[record as usize] + 0.0;
    let mut order = sorted(values.numbers);
    for run in order.chunk_by_mut(|&a, &b| number(a).total_cmp(&number(b)).is_eq()) {
        if run.len() > 1 && number(run[0]).abs() >= FIRST_INEXACT {
            run.sort_by(|&a, &b| values.compare(a, b));
        }
        for ties in run.chunk_by_mut(|&a, &b| values.compare(a, b).is_eq()) {
            for last in (1..ties.len()).rev() {
                ties.swap(last, rng.random_range(0..=last));
            }
        }
    }
    order
}

/// The records that have a value, by ascending value, equal values in file order.
///
/// # Complexity
/// O(n log n) time; 8 bytes a value for whole numbers that lie within 2^32 of each other (most amounts), else 16.
fn sorted(numbers: Numbers<'_>) -> Vec<u32> {
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
                && least.abs() < FIRST_INEXACT
                && f64::from(whole).total_cmp(&above).is_eq();
            exact.then_some(u64::from(whole) << 32 | u64::from(record))
        })
        .collect();
    match compact {
        Some(mut keys) => {
            keys.sort_unstable();
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the low half is the record"
            )]
            let records = keys.into_iter().map(|key| key as u32).collect();
            records
        }
        None => {
            let mut keyed: Vec<(f64, u32)> = present()
                .map(|(&value, record)| (value + 0.0, record))
                .collect();
            keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            keyed.into_iter().map(|(_, record)| record).collect()
        }
    }
}

/// The positions not swapped yet, as one bit each.
struct Unswapped {
    words: Vec<u64>,
}

impl Unswapped {
    fn new(n: usize) -> Self {
        Self {
            words: vec![u64::MAX; n.div_ceil(64)],
        }
    }

    fn contains(&self, position: usize) -> bool {
        self.words[position / 64] >> (position % 64) & 1 == 1
    }

    fn remove(&mut self, position: usize) {
        self.words[position / 64] &= !(1 << (position % 64));
    }

    /// One of the positions in `first..=last` (a non-empty range), uniformly; `None` if all are swapped.
    ///
    /// Drawing from the whole range until an unswapped one comes is uniform among those, and so is counting them and
    /// drawing one; so a few quick tries, then the count, is uniform too.
    fn draw(&self, first: usize, last: usize, rng: &mut Generator) -> Option<usize> {
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
