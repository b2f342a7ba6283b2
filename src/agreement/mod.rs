//! Agreement of records: which attributes of a pair agree, and how many pairs show each pattern, without looking at all pairs.
//!
//! ```text
//! comparator ── code ──► for each seeker an interval of codes, for each sought record a code
//!                                │
//!                     classes of sought records that miss the same attributes
//!                                │
//!          scan: windows of records that agree on an attribute      totals: how many agree on all of a set
//!                                └──────────────┬──────────────────────────┘
//!                              how many sought records show each pattern, for each seeker
//! ```

mod code;
mod lanes;
mod pairs;
mod plan;
pub mod priced;
mod scan;
mod totals;

use std::{cmp::Ordering, collections::BTreeMap, sync::OnceLock};

use rayon::prelude::*;

use crate::{
    distance::nearest::{Contest, Link},
    table::matrix::Matrix,
};
pub use code::Comparator;
use code::{Coded, Span};
use pairs::Pairs;
use plan::Class;

/// The most attributes of a pattern: patterns are counted in tables of 2^attributes.
pub const MAX_ATTRIBUTES: usize = 16;

/// What one task may hold of pattern counts, in numbers.
const COUNTS_AT_ONCE: usize = 1 << 20;

/// The most counts that are kept, 1 GB.
const MAX_KEPT: usize = 1 << 28;

/// The most seekers that one task takes.
const SEEKERS_AT_ONCE: usize = 8192;

/// Which attributes of a pair agree, as bits; those that a side misses neither agree nor disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// Attributes that one side misses, or both.
    pub missing: u32,
    /// Attributes that agree.
    pub agree: u32,
}

impl Pattern {
    /// Whether this attribute agrees; `None` if it is missing.
    pub fn of(self, attribute: usize) -> Option<bool> {
        match self.missing >> attribute & 1 {
            1 => None,
            _ => Some(self.agree >> attribute & 1 == 1),
        }
    }
}

/// Of which file comparators take what they need of a file: standard deviations, bins and ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// Standard deviations and bins of the original records that are held; ranks each in its own file.
    Original,
    /// All of the released records: where few original ones are held.
    Released,
}

/// All pairs of seekers and sought records, by which of their attributes agree.
///
/// # Complexity
/// With w_k the share of pairs that agree on attribute k, counting all patterns takes about `n² Σ w_k` steps of one bit
/// operation each, over all attributes but some that agree most often, which are counted without looking at pairs. If all
/// comparators are equality of few categories, O(n 2^d). Memory O(n d²) and what is kept of the counts; each set of attributes that
/// some sought record misses is counted on its own. Where the counts of a seeker, 2^d for each such set, would be more than the
/// sought records, pairs are looked at one by one: O(n² d), with O(n d + 3^d) memory.
#[derive(Debug)]
pub struct Agreement {
    width: usize,
    n_seekers: usize,
    n_sought: usize,
    /// Which codes of the sought records agree, `width` a seeker.
    spans: Vec<Span>,
    seekers_missing: Vec<u32>,
    /// `width` a sought record.
    codes: Vec<u32>,
    sought_missing: Vec<u32>,
    way: Way,
    /// Which comparators are equality of categories.
    is_equality: Vec<bool>,
    /// Pattern counts chunk by chunk, once they were needed.
    kept: OnceLock<Vec<Vec<u32>>>,
}

/// How pairs are counted.
#[derive(Debug)]
enum Way {
    /// By classes of sought records that miss the same attributes.
    Classes(Vec<Class>),
    /// One by one.
    Pairs(Pairs),
}

impl Agreement {
    /// Compares the attributes of two files, one comparator an attribute. The seekers are the original records if
    /// `original_seeks`, else the released ones.
    ///
    /// # Panics
    /// If the matrices do not have as many attributes as there are comparators, or more than [`MAX_ATTRIBUTES`].
    pub fn new(
        seekers: &Matrix,
        sought: &Matrix,
        comparators: &[Comparator],
        original_seeks: bool,
        reference: Reference,
    ) -> Self {
        let width = comparators.len();
        assert!(width <= MAX_ATTRIBUTES, "patterns have so many bits only");
        let coded: Vec<Coded> = comparators
            .par_iter()
            .enumerate()
            .map(|(k, comparator)| comparator.code([seekers, sought], k, original_seeks, reference))
            .collect();
        let by_record = |n: usize, cell: &dyn Fn(usize, usize) -> u32| -> Vec<u32> {
            (0..n)
                .flat_map(|record| (0..width).map(move |k| cell(record, k)))
                .collect()
        };
        let missing = |matrix: &Matrix| -> Vec<u32> {
            (0..matrix.n_records())
                .map(|record| {
                    (0..width).fold(0, |bits, k| {
                        bits | u32::from(matrix.is_missing(record, k)) << k
                    })
                })
                .collect()
        };
        let agreement = Self {
            width,
            n_seekers: seekers.n_records(),
            n_sought: sought.n_records(),
            spans: (0..seekers.n_records())
                .flat_map(|record| coded.iter().map(move |coded| coded.spans[record]))
                .collect(),
            seekers_missing: missing(seekers),
            codes: by_record(sought.n_records(), &|record, k| coded[k].codes[record]),
            sought_missing: missing(sought),
            way: Way::Classes(Vec::new()),
            is_equality: comparators.iter().map(Comparator::is_equality).collect(),
            kept: OnceLock::new(),
        };
        let way = agreement.cheapest_way();
        Self { way, ..agreement }
    }

    /// By classes, unless their counts are longer than the list of sought records.
    fn cheapest_way(&self) -> Way {
        let records = self.by_missing();
        if records.len() << self.width > self.n_sought {
            Way::Pairs(Pairs::new(self))
        } else {
            self.by_classes(records)
        }
    }

    /// The sought records by the attributes that they miss.
    fn by_missing(&self) -> BTreeMap<u32, Vec<u32>> {
        let mut records: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (record, &missing) in (0..).zip(&self.sought_missing) {
            records.entry(missing).or_default().push(record);
        }
        records
    }

    /// Classes, whose totals are those of the seekers.
    fn by_classes(&self, records: BTreeMap<u32, Vec<u32>>) -> Way {
        let class = |(missing, records)| Class::new(self, &self.is_equality, missing, records);
        Way::Classes(records.into_iter().map(class).collect())
    }

    /// The pairs of some seekers, in this order, with all sought records. They agree by the same comparators: those of all seekers.
    pub fn only(&self, seekers: &[usize]) -> Self {
        let spans = seekers.iter().flat_map(|&seeker| self.spans_of(seeker));
        let agreement = Self {
            width: self.width,
            n_seekers: seekers.len(),
            n_sought: self.n_sought,
            spans: spans.copied().collect(),
            seekers_missing: seekers
                .iter()
                .map(|&seeker| self.seekers_missing[seeker])
                .collect(),
            codes: self.codes.clone(),
            sought_missing: self.sought_missing.clone(),
            way: Way::Classes(Vec::new()),
            is_equality: self.is_equality.clone(),
            kept: OnceLock::new(),
        };
        let way = agreement.cheapest_way();
        Self { way, ..agreement }
    }

    /// Number of attributes.
    pub fn n_attributes(&self) -> usize {
        self.width
    }

    /// Number of records that look.
    pub fn n_seekers(&self) -> usize {
        self.n_seekers
    }

    /// Number of records among which they look.
    pub fn n_sought(&self) -> usize {
        self.n_sought
    }

    /// The pattern of one pair.
    pub fn pattern(&self, seeker: usize, sought: usize) -> Pattern {
        let codes = &self.codes[sought * self.width..][..self.width];
        let agree = self.spans_of(seeker).iter().zip(codes).enumerate();
        Pattern {
            missing: self.seekers_missing[seeker] | self.sought_missing[sought],
            agree: agree.fold(0, |bits, (k, (span, &code))| {
                bits | u32::from(span.holds(code)) << k
            }),
        }
    }

    fn spans_of(&self, seeker: usize) -> &[Span] {
        &self.spans[seeker * self.width..][..self.width]
    }

    /// How many pairs show each pattern that occurs.
    pub fn counts(&self) -> BTreeMap<Pattern, u64> {
        let classes = match &self.way {
            Way::Classes(classes) => classes,
            Way::Pairs(pairs) => return pairs.counts(self),
        };
        let all = self.walk(
            classes,
            BTreeMap::new,
            |counts: &mut BTreeMap<u32, Vec<u64>>, _, missing, of_seeker| {
                let sums = counts
                    .entry(missing)
                    .or_insert_with(|| vec![0; of_seeker.len()]);
                for (sum, &count) in sums.iter_mut().zip(of_seeker) {
                    *sum += u64::from(count);
                }
            },
            |mut all, more| {
                for (missing, more) in more {
                    let sums = all.entry(missing).or_insert_with(|| vec![0; more.len()]);
                    sums.iter_mut()
                        .zip(more)
                        .for_each(|(sum, more)| *sum += more);
                }
                all
            },
        );
        let mut counts = BTreeMap::new();
        for (missing, sums) in all {
            let agreeing = (0..).zip(sums).filter(|&(_, sum)| sum > 0);
            counts.extend(agreeing.map(|(agree, sum)| (Pattern { missing, agree }, sum)));
        }
        counts
    }

    /// Shows every seeker's pattern counts, class by class: the seeker, the attributes missing in the pairs, and how many sought
    /// records show each set of agreeing attributes. Seekers are accumulated in chunks, and these joined in their order.
    ///
    /// The counts are kept for the next time if they are not too many.
    fn walk<A: Send>(
        &self,
        classes: &[Class],
        start: impl Fn() -> A + Sync + Send,
        visit: impl Fn(&mut A, usize, u32, &[u32]) + Sync,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> A {
        let patterns = 1 << self.width;
        let counts_of_a_seeker = classes.len().max(1) * patterns;
        let at_once = (COUNTS_AT_ONCE / counts_of_a_seeker).clamp(1, SEEKERS_AT_ONCE);
        let show = |first: usize, counts: &[u32]| {
            let mut accumulator = start();
            let seekers = at_once.min(self.n_seekers - first);
            let of_classes = counts.chunks_exact(seekers * patterns);
            for (class, counts) in classes.iter().zip(of_classes) {
                for (seeker, of_seeker) in (first..).zip(counts.chunks_exact(patterns)) {
                    let missing = self.seekers_missing[seeker] | class.missing;
                    visit(&mut accumulator, seeker, missing, of_seeker);
                }
            }
            accumulator
        };
        let chunks: Vec<usize> = (0..self.n_seekers).step_by(at_once).collect();
        let count = |&first: &usize| {
            let seekers = at_once.min(self.n_seekers - first);
            self.counts_of(classes, first, seekers)
        };
        let all = self.n_seekers.saturating_mul(counts_of_a_seeker);
        if all > MAX_KEPT {
            let shown = |first: &usize| show(*first, &count(first));
            return chunks.par_iter().map(shown).reduce(&start, join);
        }
        let kept = self
            .kept
            .get_or_init(|| chunks.par_iter().map(count).collect());
        let shown = |(first, counts): (&usize, &Vec<u32>)| show(*first, counts);
        chunks.par_iter().zip(kept).map(shown).reduce(&start, join)
    }

    /// The pattern counts of some seekers, class by class.
    fn counts_of(&self, classes: &[Class], first: usize, seekers: usize) -> Vec<u32> {
        let size = seekers << self.width;
        let mut counts = vec![0; size * classes.len()];
        for (class, counts) in classes.iter().zip(counts.chunks_exact_mut(size.max(1))) {
            class.count(self, first, counts);
        }
        counts
    }
}

/// Pairs with the weight of their pattern: a sum over the attributes that nobody misses.
#[derive(Debug)]
pub struct Weighted {
    /// The pairs.
    pub agreement: Agreement,
    /// For each attribute the weight of an agreement and that of a disagreement.
    pub weights: Vec<[f64; 2]>,
}

impl Weighted {
    /// The pairs of some seekers, in this order, with the same weights.
    pub fn only(&self, seekers: &[usize]) -> Self {
        Self {
            agreement: self.agreement.only(seekers),
            weights: self.weights.clone(),
        }
    }

    /// The weight of a pattern.
    pub fn weight(&self, pattern: Pattern) -> f64 {
        weight(&self.weights, pattern)
    }

    /// The weight of a pair.
    pub fn of_pair(&self, seeker: usize, sought: usize) -> f64 {
        self.weight(self.agreement.pattern(seeker, sought))
    }

    /// For each seeker, how its rival's weight compares with those of all sought records: the greatest is best. Then the greatest
    /// weight with its sign turned, and how many have it.
    pub fn contests(&self, rivals: &[Option<u32>]) -> (Vec<Contest>, Vec<(f64, u32)>) {
        let candidates = u32::try_from(self.agreement.n_sought).unwrap_or(u32::MAX);
        let contest = |standing: Standing| Contest {
            candidates,
            inside: standing.rival.is_some(),
            closer: standing.rival.is_some() && standing.higher > 0,
            tied: match standing.higher {
                0 if standing.rival.is_some() => standing.tied,
                _ => 0,
            },
        };
        let standings = self.standings(rivals).into_iter();
        standings
            .map(|standing| (contest(standing), (-standing.best, standing.best_tied)))
            .unzip()
    }

    /// For each seeker, the sought records of the greatest weight (the first `limit` of them), and the place of its rival.
    /// The key of a link is the weight with its sign turned.
    ///
    /// # Complexity
    /// Beside [`contests`](Self::contests), one look at every pair.
    pub fn links(&self, rivals: &[Option<u32>], limit: usize) -> Vec<Link> {
        let standings = self.standings(rivals);
        let n_sought = self.agreement.n_sought;
        standings
            .into_par_iter()
            .enumerate()
            .map(|(seeker, standing)| {
                let best = (0..n_sought)
                    .filter(|&sought| self.of_pair(seeker, sought) >= standing.best)
                    .take(limit);
                Link {
                    nearest: best
                        .filter_map(|sought| u32::try_from(sought).ok())
                        .collect(),
                    tied: standing.best_tied,
                    key: -standing.best,
                    candidates: u32::try_from(n_sought).unwrap_or(u32::MAX),
                    place: standing.rival.map(|_| 1 + standing.higher),
                }
            })
            .collect()
    }

    /// How the sought records stand with each seeker.
    fn standings(&self, rivals: &[Option<u32>]) -> Vec<Standing> {
        let start = |(seeker, rival): (usize, &Option<u32>)| Standing {
            rival: rival.map(|rival| self.of_pair(seeker, rival as usize)),
            ..Standing::default()
        };
        let mut standings: Vec<Standing> = rivals.iter().enumerate().map(start).collect();
        let classes = match &self.agreement.way {
            Way::Classes(classes) => classes,
            Way::Pairs(pairs) => {
                let weight = |pattern| self.weight(pattern);
                pairs.weigh(&self.agreement, &mut standings, weight);
                return standings;
            }
        };
        type Tables = BTreeMap<u32, Vec<f64>>;
        let (found, _) = self.agreement.walk(
            classes,
            || (BTreeMap::<usize, Standing>::new(), Tables::new()),
            |(found, tables), seeker, missing, counts| {
                let table = tables.entry(missing).or_insert_with(|| {
                    (0..)
                        .take(counts.len())
                        .map(|agree| self.weight(Pattern { missing, agree }))
                        .collect()
                });
                let standing = found.entry(seeker).or_insert(standings[seeker]);
                for (&weight, &count) in table.iter().zip(counts).filter(|of| *of.1 > 0) {
                    standing.add(weight, count);
                }
            },
            |(mut found, tables), (more, _)| {
                found.extend(more);
                (found, tables)
            },
        );
        for (seeker, standing) in found {
            standings[seeker] = standing;
        }
        standings
    }
}

/// The weight of a pattern, summed in the order of the attributes.
fn weight(weights: &[[f64; 2]], pattern: Pattern) -> f64 {
    let of_attribute = |(k, [agree, disagree]): (usize, &[f64; 2])| match pattern.of(k) {
        None => 0.0,
        Some(true) => *agree,
        Some(false) => *disagree,
    };
    weights
        .iter()
        .enumerate()
        .map(of_attribute)
        .fold(0.0, |sum, weight| sum + weight)
}

/// How the sought records stand with one seeker.
#[derive(Debug, Clone, Copy)]
struct Standing {
    /// The weight of the rival, if there is one.
    rival: Option<f64>,
    /// Sought records with a greater weight than the rival.
    higher: u32,
    /// With the same.
    tied: u32,
    /// The greatest weight.
    best: f64,
    /// Sought records that have it.
    best_tied: u32,
}

impl Default for Standing {
    fn default() -> Self {
        Self {
            rival: None,
            higher: 0,
            tied: 0,
            best: f64::NEG_INFINITY,
            best_tied: 0,
        }
    }
}

impl Standing {
    /// Some more sought records of this weight.
    #[inline(always)]
    fn add(&mut self, weight: f64, count: u32) {
        if let Some(rival) = self.rival {
            match weight.total_cmp(&rival) {
                Ordering::Greater => self.higher += count,
                Ordering::Equal => self.tied += count,
                Ordering::Less => {}
            }
        }
        match weight.total_cmp(&self.best) {
            Ordering::Greater => (self.best, self.best_tied) = (weight, count),
            Ordering::Equal => self.best_tied += count,
            Ordering::Less => {}
        }
    }
}

#[cfg(test)]
mod tests;
