//! Sought records that miss the same attributes, and how their pairs are counted: some attributes by scanning windows, the
//! others, which agree too often for that, by totals.

use super::{Agreement, MAX_ATTRIBUTES, code::Span, scan::Scan, totals};

/// The most attributes that totals are taken of, if all are compared for equality.
const MAX_EQUALITIES: usize = 8;

/// The most otherwise.
const MAX_INTERVALS: usize = 2;

/// What a total costs beside the comparison of a pair with one attribute: measured roughly.
const COST_OF_TOTAL: f64 = 200.0;

/// Sought records that miss the same attributes.
#[derive(Debug)]
pub(super) struct Class {
    /// The attributes that they miss.
    pub missing: u32,
    n_records: u32,
    scans: Vec<Scan>,
    /// The attributes that are not scanned, as bits.
    counted: Vec<usize>,
    /// For each seeker and each set of counted attributes, how many records agree on all of them.
    totals: Vec<u32>,
}

impl Class {
    pub fn new(
        agreement: &Agreement,
        is_equality: &[bool],
        missing: u32,
        records: Vec<u32>,
    ) -> Self {
        let present: Vec<usize> = (0..agreement.width)
            .filter(|k| missing >> k & 1 == 0)
            .collect();
        let mut by_window: Vec<(f64, usize)> = present
            .iter()
            .map(|&k| (mean_window(agreement, &records, k), k))
            .collect();
        by_window.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let counted = cheapest(&by_window, is_equality);
        let mut scanned: Vec<usize> = by_window
            .iter()
            .map(|&(_, k)| k)
            .filter(|k| !counted.contains(k))
            .collect();
        // The attribute that agrees least often leads: what it counts, the others skip.
        scanned.reverse();
        let scans = (0..scanned.len())
            .map(|place| {
                let before = scanned[..place].to_vec();
                let others = scanned[place + 1..].iter().chain(&counted).copied();
                Scan::new(
                    agreement,
                    &records,
                    scanned[place],
                    before,
                    others.collect(),
                )
            })
            .collect();
        let all_equalities = counted.iter().all(|&k| is_equality[k]);
        Self {
            missing,
            n_records: u32::try_from(records.len()).unwrap_or(u32::MAX),
            scans,
            totals: totals::totals(agreement, &records, &counted, all_equalities),
            counted,
        }
    }

    /// Adds how many of its records show each set of agreeing attributes with each seeker from `first` on.
    pub fn count(&self, agreement: &Agreement, first: usize, counts: &mut [u32]) {
        for scan in &self.scans {
            scan.count(agreement, first, counts);
        }
        let patterns = 1 << agreement.width;
        let sets = 1 << self.counted.len();
        let mut rest = vec![0_u32; sets];
        for (row, counts) in counts.chunks_exact_mut(patterns).enumerate() {
            // Without totals the remaining records agree on nothing; no need to look at each pattern.
            if self.counted.is_empty() {
                counts[0] += self.n_records - counts.iter().sum::<u32>();
                continue;
            }
            // How many of those that a scan found agree on exactly, then at least, each set of counted attributes.
            rest.fill(0);
            let mut scanned = 0;
            for (agree, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                rest[self.set_of(agree)] += count;
                scanned += count;
            }
            for place in 0..self.counted.len() {
                for set in (0..sets).filter(|set| set >> place & 1 == 0) {
                    rest[set] += rest[set | 1 << place];
                }
            }
            // Of the others: at least, then exactly.
            let totals = &self.totals[(first + row) * sets..][..sets];
            for (rest, total) in rest.iter_mut().zip(totals) {
                *rest = total - *rest;
            }
            for place in 0..self.counted.len() {
                for set in (0..sets).filter(|set| set >> place & 1 == 0) {
                    rest[set] -= rest[set | 1 << place];
                }
            }
            for (set, &count) in rest.iter().enumerate() {
                counts[self.pattern_of(set)] += count;
                scanned += count;
            }
            debug_assert_eq!(scanned, self.n_records, "every record shows one pattern");
        }
    }

    fn set_of(&self, agree: usize) -> usize {
        let bits = self.counted.iter().enumerate();
        bits.fold(0, |set, (place, k)| set | (agree >> k & 1) << place)
    }

    fn pattern_of(&self, set: usize) -> usize {
        let bits = self.counted.iter().enumerate();
        bits.fold(0, |agree, (place, k)| agree | (set >> place & 1) << k)
    }
}

/// How many records agree with a seeker on this attribute, on average over some seekers.
fn mean_window(agreement: &Agreement, records: &[u32], attribute: usize) -> f64 {
    const SAMPLE: usize = 4096;
    let mut codes: Vec<u32> = records
        .iter()
        .map(|&record| agreement.codes[record as usize * agreement.width + attribute])
        .collect();
    codes.sort_unstable();
    let step = agreement.n_seekers.div_ceil(SAMPLE).max(1);
    let (mut sum, mut seekers) = (0.0, 0.0);
    for seeker in (0..agreement.n_seekers).step_by(step) {
        let span = agreement.spans_of(seeker)[attribute];
        if span != Span::NONE {
            let from = codes.partition_point(|&code| code < span.first);
            let to = codes.partition_point(|&code| code <= span.first + span.more);
            sum += (to - from) as f64;
        }
        seekers += 1.0;
    }
    if seekers > 0.0 { sum / seekers } else { 0.0 }
}

/// Which attributes to count by totals, given all by descending window, so that the work a seeker makes is least.
fn cheapest(by_window: &[(f64, usize)], is_equality: &[bool]) -> Vec<usize> {
    let equalities: Vec<usize> = by_window
        .iter()
        .map(|&(_, k)| k)
        .filter(|&k| is_equality[k])
        .collect();
    let all: Vec<usize> = by_window.iter().map(|&(_, k)| k).collect();
    let choices = (0..=MAX_EQUALITIES.min(equalities.len()))
        .map(|n| equalities[..n].to_vec())
        .chain((0..=MAX_INTERVALS.min(all.len())).map(|n| all[..n].to_vec()));
    let cost = |counted: &Vec<usize>| {
        let windows: f64 = by_window
            .iter()
            .filter(|(_, k)| !counted.contains(k))
            .map(|(window, _)| window * by_window.len() as f64 / 4.0)
            .sum();
        let sets = f64::from(1_u32 << counted.len().min(MAX_ATTRIBUTES));
        windows + COST_OF_TOTAL * (sets - 1.0)
    };
    choices
        .min_by(|a, b| cost(a).total_cmp(&cost(b)))
        .unwrap_or_default()
}
