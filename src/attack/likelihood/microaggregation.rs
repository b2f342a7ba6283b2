//! What is likely under microaggregation, which has no random law: what the intruder does not know takes its place.

use super::{
    centres::{Block, Kernel, Space},
    equality::Equality,
    pairs::{PairLaw, Pairs},
};
use crate::{
    attack::{Lists, Scenario},
    error::Result,
    statement::{Grouping, MicroaggregationParameters, Step},
    stats::moments::moments_by_attribute,
    table::{Scale, matrix::Matrix},
};

/// The least probability of a group that is possible, where ranks say which one it is.
const MIN_BY_RANK: f64 = 1e-6;

/// The same where only neighbouring averages are known.
const MIN_BETWEEN: f64 = 1e-2;

/// The likelihoods of microaggregation.
///
/// Microaggregation draws nothing: who holds all records could repeat it. The probabilities here are those of an intruder who
/// does not, and knows of each record what a few attributes say:
///
/// - *Attributes one by one*: a value a with `p_i < a < p_{i+1}` is in one of two groups. Who holds as many values of the attribute
///   as were released knows the rank of a and, since the size of each group shows, which group has that rank: of the ranks that
///   equal values hold, the share that falls into the group is its probability. This is the exact law. Who holds fewer values takes
///   the end of the group to be anywhere between the averages: the probability of the upper group is `(a − p_i)/(p_{i+1} − p_i)`.
///   Possible groups keep a small probability (10⁻⁶ and 10⁻²), for a value may differ from that of the file that was masked.
/// - *Blocks*, whatever the algorithm: the probability of a group falls with the distance of its averages, `exp(−d²/2τ²)` on the
///   published scale. τ² is what the distances of the intruder's records to their nearest averages say, so that a block of large
///   groups weighs less. This is a model, not a law; on a line (pca, zscores) the intersection attack knows more of single blocks.
///   A block that is known in part is taken for what is known of it.
/// - Nominal attributes of blocks are passed over; attributes that were not masked are equal.
///
/// How many released records share averages enters by `f(y)`: see `pairs.rs`.
///
/// # Errors
/// Input, when values are too large for distances.
pub(super) fn lists<'a>(
    scenario: &Scenario<'a>,
    published: &Step,
    stated: &MicroaggregationParameters,
) -> Result<Box<dyn Lists + 'a>> {
    let (intruder, released) = (scenario.intruder, scenario.released);
    let masked: Vec<bool> = scenario
        .known
        .iter()
        .map(|name| published.attributes.contains(name))
        .collect();
    let moments = if scenario.holds_all() {
        moments_by_attribute(intruder)
    } else {
        moments_by_attribute(released)
    };
    let one_by_one = matches!(
        stated.algorithm,
        Grouping::Univariate | Grouping::IndividualRanking
    );
    let mut law = MicroaggregationLaw {
        intruder,
        released,
        agreement: Equality::new(scenario, masked.clone()),
        blocks: Vec::new(),
        axes: Vec::new(),
    };
    for block in &stated.blocks {
        let places: Vec<usize> = (0..masked.len())
            .filter(|&k| block.attributes.contains(&scenario.known[k]))
            .filter(|&k| masked[k] && scenario.scales[k] != Scale::Nominal)
            .collect();
        if one_by_one {
            let axes = places.iter().map(|&place| Axis::new(scenario, place));
            law.axes.extend(axes);
        } else if !places.is_empty() {
            let space = Space::new(&places, &moments, stated.scale)?;
            let kernel = Kernel::Normal { rate: 1.0 };
            law.blocks.push(Block::new(scenario, &space, kernel));
        }
    }
    Ok(Box::new(Pairs::new(scenario, law)))
}

/// An attribute that was aggregated on its own.
#[derive(Debug)]
struct Axis {
    /// The group of each released record, by ascending average; `None` where the value is missing.
    group_of: Vec<Option<u32>>,
    /// ln of the share of the release in each group.
    log_share: Vec<f64>,
    /// For each of the intruder's records the first possible group, and ln of the probabilities of it and the next two.
    possible: Vec<Option<(u32, [f64; 3])>>,
}

impl Axis {
    fn new(scenario: &Scenario<'_>, place: usize) -> Self {
        let of = |matrix: &Matrix| -> Vec<Option<f64>> {
            (0..matrix.n_records())
                .map(|record| {
                    (!matrix.is_missing(record, place)).then(|| matrix.row(record)[place] + 0.0)
                })
                .collect()
        };
        let (values, averages) = (of(scenario.intruder), of(scenario.released));
        let sorted = |values: &[Option<f64>]| -> Vec<f64> {
            let mut sorted: Vec<f64> = values.iter().copied().flatten().collect();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted
        };
        let (own, all) = (sorted(&values), sorted(&averages));
        let mut groups = all.clone();
        groups.dedup_by(|a, b| a.total_cmp(b).is_eq());
        // The ranks of a group are from the first to before the second.
        let ranks = |value: f64, among: &[f64]| {
            (
                among.partition_point(|&other| other < value),
                among.partition_point(|&other| other <= value),
            )
        };
        let by_rank = own.len() == all.len();
        let ranks_of: Vec<(usize, usize)> =
            groups.iter().map(|&group| ranks(group, &all)).collect();
        let probability = |value: f64, group: usize, first: usize, last: usize| -> f64 {
            if by_rank {
                let (from, to) = ranks(value, &own);
                let (start, end) = ranks_of[group];
                let shared = to.min(end).saturating_sub(from.max(start));
                return (shared as f64 / (to - from).max(1) as f64).max(MIN_BY_RANK);
            }
            let share = match last - first {
                0 => 1.0,
                1 if value < groups[first] || value > groups[last] => 1.0,
                1 => {
                    let up = (value - groups[first]) / (groups[last] - groups[first]);
                    if group == first { 1.0 - up } else { up }
                }
                _ => f64::from(u8::from(group == first + 1)),
            };
            share.max(MIN_BETWEEN)
        };
        let possible = |value: f64| {
            let (below, through) = ranks(value, &groups);
            let first = below.saturating_sub(1);
            let last = through.min(groups.len().checked_sub(1)?);
            let mut logs = [f64::NEG_INFINITY; 3];
            for (group, log) in (first..=last).zip(&mut logs) {
                *log = probability(value, group, first, last).ln();
            }
            Some((u32::try_from(first).ok()?, logs))
        };
        let group_of = |average: f64| {
            let at = groups.partition_point(|&group| group < average);
            u32::try_from(at).ok()
        };
        Self {
            group_of: averages.iter().map(|&a| a.and_then(group_of)).collect(),
            log_share: ranks_of
                .iter()
                .map(|&(start, end)| ((end - start) as f64 / all.len().max(1) as f64).ln())
                .collect(),
            possible: values.iter().map(|&v| v.and_then(possible)).collect(),
        }
    }

    fn log_probability(&self, intruder: usize, released: usize) -> f64 {
        match (self.possible[intruder], self.group_of[released]) {
            (Some((first, logs)), Some(group)) => group
                .checked_sub(first)
                .and_then(|at| logs.get(at as usize).copied())
                .unwrap_or(f64::NEG_INFINITY),
            _ => 0.0,
        }
    }

    fn log_share(&self, intruder: usize, released: usize) -> f64 {
        match (self.possible[intruder], self.group_of[released]) {
            (Some(_), Some(group)) => self.log_share[group as usize],
            _ => 0.0,
        }
    }
}

/// Likelihoods of pairs under microaggregation.
#[derive(Debug)]
struct MicroaggregationLaw<'a> {
    intruder: &'a Matrix,
    released: &'a Matrix,
    agreement: Equality,
    blocks: Vec<Block>,
    axes: Vec<Axis>,
}

impl PairLaw for MicroaggregationLaw<'_> {
    fn log_likelihood(&self, intruder: usize, released: usize) -> f64 {
        let pair = (intruder, released);
        if !self.agreement.admits(self.intruder, pair, self.released) {
            return f64::NEG_INFINITY;
        }
        let mut sum = 0.0;
        for axis in &self.axes {
            sum += axis.log_probability(intruder, released);
            if sum == f64::NEG_INFINITY {
                return sum;
            }
        }
        let blocks = self.blocks.iter();
        blocks.fold(sum, |sum, block| {
            sum + block.log_probability(intruder, released)
        })
    }

    fn log_background(&self, intruder: usize, released: usize) -> f64 {
        let axes = self
            .axes
            .iter()
            .map(|axis| axis.log_share(intruder, released));
        let blocks = self
            .blocks
            .iter()
            .map(|block| block.log_share(intruder, released));
        axes.chain(blocks).fold(0.0, |sum, term| sum + term)
    }

    fn is_complete(&self, intruder: usize) -> bool {
        !self.intruder.has_missing(intruder)
    }
}
