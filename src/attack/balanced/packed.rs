//! Lists of records with weights, in three to five bytes a record.

use std::ops::Range;

use rayon::prelude::*;

use crate::optimize::assignment::maximum::Place;

/// Number of codes.
const CODES: f64 = 65_536.0;

/// A weight is this power of its code's share: three squares.
const POWER: f64 = 8.0;

/// Bits of a byte that hold a part of a number; the highest says that more follow.
const BITS: u32 = 7;
const MORE: u8 = 1 << BITS;

/// Lists of ascending records, each record with a weight between 0 and 1.
///
/// ```text
/// record = difference to the one before it, seven bits a byte (LEB128)
/// weight = ((code + 1) / 65536)^8,   code = 0, 1, …, 65535
/// ```
///
/// # Rounding
/// A weight w above 2e-22 changes by no more than the share `6.2e-5 w^(−1/8)`: not at all where w = 1, by 1.5e-4 of itself at a thousandth, by 8e-4
/// at a billionth. What is below 2.9e-39 becomes 2.9e-39. So large weights have four to five digits, and the range is that of an `f32`.
///
/// # Complexity
/// Of long lists three bytes a record: one for the difference, where it is below 128, and two for the weight.
#[derive(Debug, Default)]
pub(super) struct Packed {
    /// Where the codes of each list end.
    ends: Vec<usize>,
    codes: Vec<u16>,
    /// Where the differences of each list end.
    ends_of_gaps: Vec<usize>,
    gaps: Vec<u8>,
}

impl Packed {
    /// Nothing, with room for what some will be appended.
    pub fn for_all(parts: &[Self]) -> Self {
        let room = |length: fn(&Self) -> usize| parts.iter().map(length).sum();
        Self {
            ends: Vec::with_capacity(room(|part| part.ends.len())),
            codes: Vec::with_capacity(room(|part| part.codes.len())),
            ends_of_gaps: Vec::with_capacity(room(|part| part.ends_of_gaps.len())),
            gaps: Vec::with_capacity(room(|part| part.gaps.len())),
        }
    }

    /// Number of lists.
    pub fn n_lists(&self) -> usize {
        self.ends.len()
    }

    /// Number of records of all lists.
    pub fn n_records(&self) -> usize {
        self.codes.len()
    }

    /// Bytes of all records.
    pub fn bytes(&self) -> usize {
        self.gaps.len() + self.codes.len() * size_of::<u16>()
    }

    /// Adds a list of ascending records with logarithms of their weights.
    pub fn push(&mut self, list: impl Iterator<Item = (u32, f64)>) {
        let mut before = 0;
        for (record, log_weight) in list {
            let (bytes, length) = spelled(record - before);
            self.gaps.extend(&bytes[..length]);
            self.codes.push(code(log_weight));
            before = record;
        }
        self.ends.push(self.codes.len());
        self.ends_of_gaps.push(self.gaps.len());
    }

    /// Adds all lists of another.
    pub fn append(&mut self, other: Self) {
        let (codes, gaps) = (self.codes.len(), self.gaps.len());
        self.ends.extend(other.ends.iter().map(|end| codes + end));
        self.codes.extend(other.codes);
        let ends = other.ends_of_gaps.iter();
        self.ends_of_gaps.extend(ends.map(|end| gaps + end));
        self.gaps.extend(other.gaps);
    }

    /// Places of a list's records among those of all lists.
    pub fn range(&self, list: usize) -> Range<usize> {
        start(&self.ends, list)..self.ends[list]
    }

    /// Where the records of a list begin, and what comes at each place: see [`Graph`](crate::optimize::assignment::maximum::Graph).
    pub fn first(&self, list: usize) -> Place {
        Place {
            at: start(&self.ends_of_gaps, list),
            before: 0,
        }
    }

    pub fn at(&self, list: usize, place: Place) -> Option<(u32, Place)> {
        let gaps = self.gaps[..self.ends_of_gaps[list]].get(place.at..)?;
        let (gap, length) = read(gaps)?;
        let record = place.before + gap;
        let next = Place {
            at: place.at + length,
            before: record,
        };
        Some((record, next))
    }

    /// The records of a list.
    #[inline]
    pub fn records(&self, list: usize) -> Records<'_> {
        records(&self.gaps, &self.ends_of_gaps, list)
    }

    /// The records of a list with their weights.
    #[inline]
    pub fn list(&self, list: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let mut records = self.records(list);
        let codes = &self.codes[self.range(list)];
        codes.iter().map(move |&code| (records.on(), weight(code)))
    }

    /// Gives the records other weights, in pieces that are all lists in their order. `logs` is shown each list by its number and its records, and adds
    /// the logarithm of the weight of each, beside room for whatever it needs; what it answers comes back, list by list.
    pub fn reweigh<T: Send, R: Default>(
        &mut self,
        pieces: &[Range<usize>],
        logs: impl Fn(usize, Records<'_>, &mut Vec<f64>, &mut R) -> T + Sync,
    ) -> Vec<T> {
        let mut rest = &mut self.codes[..];
        let mut of_pieces = Vec::with_capacity(pieces.len());
        for lists in pieces {
            let length = start(&self.ends, lists.end) - start(&self.ends, lists.start);
            let (own, behind) = rest.split_at_mut(length);
            of_pieces.push((lists.clone(), own));
            rest = behind;
        }
        let (ends, gaps, ends_of_gaps) = (&self.ends, &self.gaps, &self.ends_of_gaps);
        let answered = of_pieces.into_par_iter().with_max_len(1);
        let answered = answered.map(|(lists, mut codes)| {
            let (mut own, mut room) = (Vec::new(), R::default());
            let of_list = |list| {
                own.clear();
                let answer = logs(list, records(gaps, ends_of_gaps, list), &mut own, &mut room);
                let length = ends[list] - start(ends, list);
                let (of_list, behind) = std::mem::take(&mut codes).split_at_mut(length);
                codes = behind;
                for (code, &log) in of_list.iter_mut().zip(&own) {
                    *code = self::code(log);
                }
                answer
            };
            lists.map(of_list).collect::<Vec<T>>()
        });
        let answered: Vec<Vec<T>> = answered.collect();
        answered.into_iter().flatten().collect()
    }

    /// Keeps some records of each list.
    pub fn retain(&mut self, keeps: impl Fn(usize, u32) -> bool) {
        let (mut from, mut to, mut to_gap) = (0, 0, 0);
        let mut place = Place::default();
        for list in 0..self.n_lists() {
            place.before = 0;
            let mut before = 0;
            while let Some((record, next)) = self.at(list, place) {
                place = next;
                if keeps(list, record) {
                    // A sum is never spelled in more bytes than its parts: nothing is overwritten that was not read.
                    let (bytes, length) = spelled(record - before);
                    self.gaps[to_gap..to_gap + length].copy_from_slice(&bytes[..length]);
                    to_gap += length;
                    self.codes[to] = self.codes[from];
                    to += 1;
                    before = record;
                }
                from += 1;
            }
            self.ends[list] = to;
            self.ends_of_gaps[list] = to_gap;
        }
        self.codes.truncate(to);
        self.gaps.truncate(to_gap);
    }
}

/// The records of a list, one after the other.
pub(super) struct Records<'a> {
    gaps: &'a [u8],
    record: u32,
}

impl Records<'_> {
    /// The next one; the last one again behind the end.
    #[inline]
    fn on(&mut self) -> u32 {
        if let Some((gap, length)) = read(self.gaps) {
            self.record += gap;
            self.gaps = &self.gaps[length..];
        }
        self.record
    }
}

impl Iterator for Records<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        (!self.gaps.is_empty()).then(|| self.on())
    }
}

#[inline]
fn records<'a>(gaps: &'a [u8], ends: &[usize], list: usize) -> Records<'a> {
    Records {
        gaps: &gaps[start(ends, list)..ends[list]],
        record: 0,
    }
}

/// Where a list begins: where the one before it ends.
fn start(ends: &[usize], list: usize) -> usize {
    match list {
        0 => 0,
        list => ends[list - 1],
    }
}

/// The first of some differences, and how many bytes it takes.
#[inline]
fn read(gaps: &[u8]) -> Option<(u32, usize)> {
    if let &[first, second, ..] = gaps
        && first & second < MORE
    {
        // One byte or two, without a branch: which it is cannot be foreseen.
        let two = first >> BITS;
        let high = u32::from(second & two.wrapping_neg()) << BITS;
        return Some((u32::from(first & !MORE) | high, 1 + usize::from(two)));
    }
    let (mut gap, mut shift) = (0, 0);
    for (at, byte) in gaps.iter().enumerate() {
        gap |= u32::from(byte & !MORE) << shift;
        if byte & MORE == 0 {
            return Some((gap, at + 1));
        }
        shift += BITS;
    }
    None
}

/// The bytes of a difference, and how many there are.
#[expect(clippy::cast_possible_truncation, reason = "seven bits")]
fn spelled(mut gap: u32) -> ([u8; 5], usize) {
    let (mut bytes, mut length) = ([0; 5], 0);
    while gap >= u32::from(MORE) {
        bytes[length] = gap as u8 | MORE;
        gap >>= BITS;
        length += 1;
    }
    bytes[length] = gap as u8;
    (bytes, length + 1)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number from 0 to 65535"
)]
fn code(log_weight: f64) -> u16 {
    let step = ((log_weight / POWER).exp() * CODES).round();
    (step.clamp(1.0, CODES) - 1.0) as u16
}

#[inline]
fn weight(code: u16) -> f64 {
    let share = (f64::from(code) + 1.0) / CODES;
    let square = share * share;
    let fourth = square * square;
    fourth * fourth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_keep_the_digits_that_are_stated() {
        assert!((weight(code(0.0)) - 1.0).abs() < f64::EPSILON);
        for step in 0..=5_000 {
            let log = -f64::from(step) / 100.0;
            let off = (weight(code(log)) / log.exp() - 1.0).abs();
            assert!(off <= 6.2e-5 * (-log / 8.0).exp(), "{log}: {off}");
        }
        for log in [-700.0, f64::NEG_INFINITY] {
            assert!((2.9e-39..3e-39).contains(&weight(code(log))));
        }
    }

    #[test]
    fn lists_come_back_and_some_of_them_are_kept() {
        let records = |list: u32| {
            let gaps = [0, 1, 127, 128, 16_383, 16_384, 2_097_152, 300_000_000];
            let end = gaps.len() as u32 * (list % 3);
            (0..end).scan(0, move |record, k| {
                *record += gaps[(k * (list + 1)) as usize % gaps.len()] + u32::from(k > 0);
                Some(*record)
            })
        };
        let mut parts = [Packed::default(), Packed::default()];
        for list in 0..10 {
            let weighed = records(list).map(|record| (record, -1.0));
            parts[list as usize / 6].push(weighed);
        }
        let mut all = Packed::for_all(&parts);
        for part in parts {
            all.append(part);
        }
        let check = |all: &Packed, keeps: &dyn Fn(u32) -> bool| {
            let mut sum = 0;
            for list in 0..10 {
                let exact: Vec<u32> = records(list).filter(|&record| keeps(record)).collect();
                let found: Vec<(u32, f64)> = all.list(list as usize).collect();
                let found_records: Vec<u32> = found.iter().map(|of| of.0).collect();
                assert_eq!(found_records, exact);
                assert!(found.iter().all(|of| (of.1.ln() + 1.0).abs() < 1e-4));
                assert_eq!(all.range(list as usize), sum..sum + exact.len());
                sum += exact.len();
            }
            assert_eq!(all.n_records(), sum);
        };
        check(&all, &|_| true);
        all.retain(|_, record| record % 3 > 0);
        check(&all, &|record| record % 3 > 0);
        all.retain(|_, _| false);
        check(&all, &|_| false);
        assert_eq!((all.n_lists(), all.bytes()), (10, 0));
    }
}
