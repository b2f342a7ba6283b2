//! Values that many records share since they were averaged.

use std::collections::BTreeMap;

use super::{
    Certainty, Finding, Search,
    columns::{Column, combinations, sizes},
    marginal::Marginal,
    places,
};
use crate::stats::moments::moments;

/// Groups at least that a block must have to be recognised.
const MIN_GROUPS: usize = 3;

/// At most this share of the runs of an attribute may miss the average of its own values: ties that were cut in another way.
const MAX_MISSES: f64 = 0.02;

impl Search<'_> {
    /// Attributes that were aggregated, each by itself or together.
    pub(super) fn aggregations(&mut self, rest: &mut Vec<usize>) {
        let mut by_k: Vec<(usize, Vec<usize>)> = Vec::new();
        let alone: Vec<usize> = rest
            .iter()
            .copied()
            .filter(|&place| self.marginals[place] == Marginal::Changed)
            .collect();
        for place in alone {
            if let Some(k) = by_rank(&self.columns[place]) {
                rest.retain(|&other| other != place);
                match by_k.iter_mut().find(|(other, _)| *other == k) {
                    Some((_, places)) => places.push(place),
                    None => by_k.push((k, vec![place])),
                }
            }
        }
        for (k, places) in by_k {
            let finding = Finding::new(self.names(&places), Some("microagg"), Certainty::Certain)
                .with("algorithm", "individual-ranking")
                .with("k", k)
                .since(format!(
                    "in ascending order the masked values are the averages of {k} or more neighbours, for each attribute by itself"
                ))
                .or("univariate microaggregation of each attribute")
                .attack(format!("--method microagg --k {k}"));
            self.found(&places, finding);
        }
        for block in blocks(self.columns, rest) {
            rest.retain(|place| !block.columns.contains(place));
            let names = self.names(&block.columns);
            let shared = format!(
                "{} different rows, of which each occurs {} times at least",
                block.groups, block.least
            );
            let regular = block.regular >= 0.9 && block.least > 1;
            let finding = match block.means {
                Some(false) if !regular => self.fuzzy(names, &block).since(shared),
                Some(true) if regular => {
                    Self::aggregation(names, &block, Certainty::Certain).since(shared).since(
                        "means are those of the original, and hardly a row occurs more than twice as often as the rarest",
                    )
                }
                _ if regular => Self::aggregation(names, &block, Certainty::Likely)
                    .since(shared)
                    .or("centres of clusters (fuzzy)"),
                _ => {
                    let mut finding = self.fuzzy(names, &block).since(shared);
                    finding.certainty = Certainty::Likely;
                    finding.or("microaggregation, after which records were left out")
                }
            };
            self.found(&block.columns, finding);
        }
    }

    fn aggregation(names: Vec<String>, block: &Block, certainty: Certainty) -> Finding {
        let k = block.least;
        let group = format!("{}:{k}", names.join(","));
        Finding::new(names, Some("microagg"), certainty)
            .with("k", k)
            .with("groups", block.groups)
            .attack(format!("--method microagg --group '{group}'"))
    }

    /// Centres of clusters.
    fn fuzzy(&self, names: Vec<String>, block: &Block) -> Finding {
        // As `mask fuzzy --k` counts them: 1.5 k records a centre.
        let k = self.records_of(1) as f64 / (1.5 * block.groups as f64);
        Finding::new(names, Some("fuzzy"), Certainty::Certain)
            .with("clusters", block.groups)
            .with("k", places::digits(k, 2))
            .since("rows that occur several times, some much more often than others, and means that are not kept: centres to which records were drawn")
    }
}

/// Attributes that were aggregated together.
#[derive(Debug, Clone, PartialEq)]
struct Block {
    /// Their places.
    columns: Vec<usize>,
    /// Different combinations of values: groups, or centres.
    groups: usize,
    /// Records of the smallest group.
    least: usize,
    /// Share of the groups that are smaller than twice the smallest.
    regular: f64,
    /// Whether each attribute of numbers with averages has its mean; `None` where none has averages.
    means: Option<bool>,
}

/// The least number of records that share a value, if all values of the attribute are averages of as many neighbours in order.
///
/// The original values in ascending order are cut where the masked values in ascending order change: each of these must be the mean (or
/// the median) of its part. So it is if each attribute was aggregated on its own, along its order.
fn by_rank(column: &Column) -> Option<usize> {
    let [before, after] = [column.sorted(0)?, column.sorted(1)?];
    if before.len() != after.len() || before.is_empty() {
        return None;
    }
    let half = half_unit(&after);
    let (mut runs, mut misses, mut least) = (0_usize, 0_usize, usize::MAX);
    for run in after.chunk_by(|a, b| a.total_cmp(b).is_eq()) {
        let first = after.partition_point(|value| value < &run[0]);
        let part = &before[first..first + run.len()];
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        let tolerance = half + 1e-9 * mean.abs();
        let middle = (part[(part.len() - 1) / 2] + part[part.len() / 2]) / 2.0;
        let is_average = [mean, middle, part[(part.len() - 1) / 2]]
            .iter()
            .any(|average| (average - run[0]).abs() <= tolerance);
        runs += 1;
        misses += usize::from(!is_average);
        least = least.min(run.len());
    }
    let fits = misses as f64 <= MAX_MISSES * runs as f64;
    (fits && least > 1 && runs >= MIN_GROUPS).then_some(least)
}

/// Half a unit of the last decimal of some numbers.
fn half_unit(values: &[f64]) -> f64 {
    let decimals = (0..=9).find(|&decimals| {
        let power = 10_f64.powi(decimals);
        let is_whole = |value: &f64| (value * power - (value * power).round()).abs() < 1e-6;
        values.iter().all(is_whole)
    });
    decimals.map_or(0.0, |decimals| 0.500_001 / 10_f64.powi(decimals))
}

/// The blocks of attributes among these whose combinations of values are shared by many records, although they were not in the
/// original.
fn blocks(columns: &[Column], among: &[usize]) -> Vec<Block> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut open: Vec<usize> = among.to_vec();
    // With the most values first: what has few fits to everything.
    open.sort_by_key(|&place| (std::cmp::Reverse(columns[place].different(1)), place));
    for place in open {
        let fits = |block: &&mut Vec<usize>| {
            let mut with = block.to_vec();
            with.push(place);
            joined(columns, block, &with)
        };
        match blocks.iter_mut().find(fits) {
            Some(block) => block.push(place),
            None => blocks.push(vec![place]),
        }
    }
    let mut found: Vec<Block> = blocks
        .into_iter()
        .filter_map(|mut block| {
            block.sort_unstable();
            Block::of(columns, block)
        })
        .collect();
    found.sort_by_key(|block| block.columns.first().copied());
    found
}

/// Whether one attribute more hardly splits the groups of a block.
fn joined(columns: &[Column], block: &[usize], with: &[usize]) -> bool {
    let count = |places: &[usize]| groups_of(columns, places, 1).len();
    let [alone, together] = [block, with].map(count);
    // Centres that are rounded to the same value in one attribute differ in another one.
    together <= alone + alone / 4 + 1
}

/// The sizes of the groups of records with the same values, in one of the files.
fn groups_of(columns: &[Column], places: &[usize], side: usize) -> Vec<usize> {
    let of: Vec<&Column> = places.iter().map(|&place| &columns[place]).collect();
    let [before, after] = combinations(&of);
    let mut groups = sizes(if side == 0 { before } else { after });
    groups.retain(|&size| size > 0);
    groups
}

impl Block {
    fn of(columns: &[Column], places: Vec<usize>) -> Option<Self> {
        let [before, groups] = [0, 1].map(|side| groups_of(columns, &places, side));
        let records: usize = groups.iter().sum();
        // As many values as before are no averages, and few values before can be shared by chance.
        let is_shared = groups.len() >= MIN_GROUPS
            && groups.len() * 2 <= records
            && groups.len() * 3 <= before.len() * 2
            && before.len() * 3 >= records;
        if !is_shared {
            return None;
        }
        let least = *groups.iter().min()?;
        let regular = groups.iter().filter(|&&size| size < 2 * least).count();
        Some(Self {
            means: means_kept(columns, &places),
            groups: groups.len(),
            least,
            regular: regular as f64 / groups.len() as f64,
            columns: places,
        })
    }
}

/// Whether each attribute with new numbers has its mean, as far as rounding allows.
fn means_kept(columns: &[Column], places: &[usize]) -> Option<bool> {
    let mut answers = BTreeMap::new();
    for &place in places {
        let column = &columns[place];
        let Some([before, after]) = column.sorted(0).zip(column.sorted(1)).map(<[_; 2]>::from)
        else {
            continue;
        };
        let new = (column.counts[0].iter().zip(&column.counts[1]))
            .filter(|&(&before, &after)| before == 0 && after > 0)
            .count();
        if new == 0 || before.len() != after.len() {
            continue;
        }
        let half = half_unit(&after);
        let [of_before, of_after] = [before, after].map(|side| moments(side.into_iter()));
        let tolerance = half + 1e-9 * of_before.mean.abs();
        answers.insert(place, (of_before.mean - of_after.mean).abs() <= tolerance);
    }
    (!answers.is_empty()).then(|| answers.values().all(|&kept| kept))
}
