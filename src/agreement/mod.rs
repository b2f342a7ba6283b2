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

mod blocks;
mod code;
mod lanes;
mod maximal;
mod pairs;
mod places;
mod plan;
pub mod priced;
mod scan;
mod totals;

use std::{cmp::Ordering, collections::BTreeMap, sync::OnceLock};

use pulp::Arch;
use rayon::prelude::*;

use crate::{
    distance::nearest::{Contest, Link},
    table::matrix::Matrix,
};
use blocks::{Blocks, Chosen};
pub use code::Comparator;
use code::{Coded, Span};
use maximal::{Maximal, maximal};
use pairs::Pairs;
use places::Places;
use plan::Class;

/// The most attributes of a pattern: patterns are counted in tables of 2^attributes.
pub const MAX_ATTRIBUTES: usize = 16;

/// What one task may hold of pattern counts, in numbers.
const COUNTS_AT_ONCE: usize = 1 << 20;

/// Differences of weights that are a smaller part of all weights together may be lost in sums.
const SHOWN: f64 = 1e-9;

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
/// comparators are equality of few categories, O(n 2^d). Memory O(n d²) and the patterns of each seeker that no other contains; each set of attributes that
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
    /// Of each seeker's patterns those that no other contains, once pairs were counted by classes.
    maximal: OnceLock<Vec<Maximal>>,
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
            maximal: OnceLock::new(),
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
        type Sums = BTreeMap<u32, Vec<u64>>;
        let (all, of_seekers) = self.walk(
            classes,
            || (Sums::new(), Vec::new()),
            |(sums, of_seekers), seeker, missing, counts| {
                let sums = sums.entry(missing).or_insert_with(|| vec![0; counts.len()]);
                for (sum, &count) in sums.iter_mut().zip(counts) {
                    *sum += u64::from(count);
                }
                of_seekers.extend(maximal(counts).map(|agree| Maximal {
                    seeker,
                    pattern: Pattern { missing, agree },
                    pairs: counts[agree as usize],
                }));
            },
            |(mut all, mut of_seekers), (more, of_others)| {
                for (missing, more) in more {
                    let sums = all.entry(missing).or_insert_with(|| vec![0; more.len()]);
                    sums.iter_mut()
                        .zip(more)
                        .for_each(|(sum, more)| *sum += more);
                }
                of_seekers.extend(of_others);
                (all, of_seekers)
            },
        );
        self.maximal.get_or_init(|| of_seekers);
        let mut counts = BTreeMap::new();
        for (missing, sums) in all {
            let agreeing = (0..).zip(sums).filter(|&(_, sum)| sum > 0);
            counts.extend(agreeing.map(|(agree, sum)| (Pattern { missing, agree }, sum)));
        }
        counts
    }

    /// Shows every seeker's pattern counts, class by class: the seeker, the attributes missing in the pairs, and how many sought
    /// records show each set of agreeing attributes. Seekers are accumulated in chunks, and these joined in their order.
    fn walk<A: Send>(
        &self,
        classes: &[Class],
        start: impl Fn() -> A + Sync + Send,
        visit: impl Fn(&mut A, u32, u32, &[u32]) + Sync,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> A {
        let patterns = 1 << self.width;
        let at_once =
            (COUNTS_AT_ONCE / (classes.len().max(1) * patterns)).clamp(1, SEEKERS_AT_ONCE);
        let chunks: Vec<usize> = (0..self.n_seekers).step_by(at_once).collect();
        let shown = |&first: &usize| {
            let mut accumulator = start();
            let seekers = at_once.min(self.n_seekers - first);
            let counts = self.counts_of(classes, first, seekers);
            for (class, counts) in classes.iter().zip(counts.chunks_exact(seekers * patterns)) {
                for (seeker, of_seeker) in (0..).skip(first).zip(counts.chunks_exact(patterns)) {
                    let missing = self.seekers_missing[seeker as usize] | class.missing;
                    visit(&mut accumulator, seeker, missing, of_seeker);
                }
            }
            accumulator
        };
        chunks.par_iter().map(shown).reduce(&start, join)
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
        let contest = |((seeker, greatest), rival): ((usize, &Greatest), &Option<u32>)| {
            let rival = rival.map(|rival| self.of_pair(seeker, rival as usize));
            let compared = rival.map(|rival| rival.total_cmp(&greatest.weight));
            Contest {
                candidates,
                inside: rival.is_some(),
                closer: compared == Some(Ordering::Less),
                tied: match compared {
                    Some(Ordering::Equal) => greatest.pairs,
                    _ => 0,
                },
            }
        };
        let greatest = self.greatest();
        let contests = greatest.iter().enumerate().zip(rivals).map(contest);
        let contests = contests.collect();
        let least = |greatest: Greatest| (-greatest.weight, greatest.pairs);
        (contests, greatest.into_iter().map(least).collect())
    }

    /// For each seeker, the sought records of the greatest weight (the first `limit` of them), and the place of its rival.
    /// The key of a link is the weight with its sign turned.
    ///
    /// # Complexity
    /// Beside [`contests`](Self::contests), one look at every pair.
    pub fn links(&self, rivals: &[Option<u32>], limit: usize) -> Vec<Link> {
        let blocks = Blocks::new(&self.agreement, Chosen::Sought);
        let link = |((seeker, greatest), rival): ((u32, &Greatest), &Option<u32>)| {
            let rival = rival.map(|rival| self.of_pair(seeker as usize, rival as usize));
            let (nearest, higher) = Arch::new().dispatch(Places {
                blocks: &blocks,
                weights: &self.weights,
                seeker,
                greatest: greatest.weight,
                limit,
                rival,
            });
            Link {
                nearest,
                tied: greatest.pairs,
                key: -greatest.weight,
                candidates: u32::try_from(blocks.n_points()).unwrap_or(u32::MAX),
                place: rival.map(|_| 1 + higher),
            }
        };
        let greatest = self.greatest();
        let seekers: Vec<(u32, &Greatest)> = (0..).zip(&greatest).collect();
        seekers.into_par_iter().zip(rivals).map(link).collect()
    }

    /// For each seeker the greatest weight of its pairs, and how many have it.
    ///
    /// # How it is found
    /// Where agreement weighs more than disagreement, each pattern weighs more than those it contains, and [`Agreement::counts`] has
    /// left those that no other contains. Else all pairs are counted once more.
    fn greatest(&self) -> Vec<Greatest> {
        let mut greatest = vec![Greatest::default(); self.agreement.n_seekers];
        if let (Some(maximal), true) = (self.agreement.maximal.get(), self.agreement_weighs_more())
        {
            for of in maximal {
                greatest[of.seeker as usize].add(self.weight(of.pattern), of.pairs);
            }
            return greatest;
        }
        let classes = match &self.agreement.way {
            Way::Classes(classes) => classes,
            Way::Pairs(pairs) => {
                let weight = |pattern| self.weight(pattern);
                pairs.weigh(&self.agreement, &mut greatest, weight);
                return greatest;
            }
        };
        type Tables = BTreeMap<u32, Vec<f64>>;
        let (found, _) = self.agreement.walk(
            classes,
            || (BTreeMap::<u32, Greatest>::new(), Tables::new()),
            |(found, tables), seeker, missing, counts| {
                let table = tables.entry(missing).or_insert_with(|| {
                    (0..)
                        .take(counts.len())
                        .map(|agree| self.weight(Pattern { missing, agree }))
                        .collect()
                });
                let greatest = found.entry(seeker).or_default();
                for (&weight, &count) in table.iter().zip(counts).filter(|of| *of.1 > 0) {
                    greatest.add(weight, count);
                }
            },
            |(mut found, tables), (more, _)| {
                found.extend(more);
                (found, tables)
            },
        );
        for (seeker, of_seeker) in found {
            greatest[seeker as usize] = of_seeker;
        }
        greatest
    }

    /// Whether agreement weighs more than disagreement on each attribute, and by so much that the sum of a pattern shows it.
    fn agreement_weighs_more(&self) -> bool {
        let most: f64 = self
            .weights
            .iter()
            .flatten()
            .map(|weight| weight.abs())
            .sum();
        let shown = |[agree, disagree]: &[f64; 2]| agree - disagree > most * SHOWN;
        self.weights.iter().all(shown)
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

/// The greatest weight of a seeker's pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Greatest {
    weight: f64,
    /// How many pairs have it.
    pairs: u32,
}

impl Default for Greatest {
    fn default() -> Self {
        Self {
            weight: f64::NEG_INFINITY,
            pairs: 0,
        }
    }
}

impl Greatest {
    /// Some more pairs of this weight.
    #[inline(always)]
    fn add(&mut self, weight: f64, pairs: u32) {
        match weight.total_cmp(&self.weight) {
            Ordering::Greater => *self = Self { weight, pairs },
            Ordering::Equal => self.pairs += pairs,
            Ordering::Less => {}
        }
    }
}

#[cfg(test)]
mod tests;
