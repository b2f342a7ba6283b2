//! Normal scores of a table's values, and in which interval those of equal values and of gaps lie.

use rand::RngExt;
use rayon::prelude::*;

use super::draws::Draws;
use crate::{
    mask::rank_order::{Values, in_file_order},
    stats::copula::{normal_quantile, normal_score},
    table::{AttrId, Table},
};

/// Equal values whose scores differ by less keep them in random order: what their other scores say could not move them visibly.
const NARROW: f64 = 0.05;

/// The interval of a score of which nothing is known.
const ANYWHERE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// The values of an attribute in ascending order.
pub(super) struct Sorted {
    pub attribute: AttrId,
    /// The records that have a value, ascending; equal ones at random.
    pub order: Vec<u32>,
    /// Whether all values are equal: there is nothing to score.
    pub constant: bool,
}

/// Scores to be drawn: those of equal values and of gaps.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    /// Record, ascending, and the place of its interval.
    pub cells: Vec<(u32, u32)>,
    /// Where scores lie; open at an end where it is infinite.
    pub intervals: Vec<(f64, f64)>,
}

/// The scores of a table, and how to draw those that are not settled.
pub(super) struct Scores {
    /// The attributes that are masked.
    pub sorted: Vec<Sorted>,
    /// The places, among these, of those that have scores of their values: all that are not constant.
    pub values: Vec<usize>,
    /// The places of those that have scores of whether they are missing: where some are.
    pub gaps: Vec<usize>,
    /// n × (scores of values, then of gaps), row by row.
    pub z: Vec<f64>,
    /// For each score, what is to be drawn.
    pub cells: Vec<Cells>,
}

impl Scores {
    /// Scores of these attributes of numbers. Equal values stand in random order; gaps are at 0 until they are drawn.
    ///
    /// # Complexity
    /// O(n log n) an attribute; 12 bytes a cell are kept.
    pub fn new(table: &Table, on: &[AttrId], draws: &Draws<'_>) -> Self {
        let n = table.n_records();
        let ranked: Vec<(Sorted, Vec<f64>, Cells)> = on
            .par_iter()
            .map(|&attribute| ranked(table, attribute, draws))
            .collect();
        let mut columns = Vec::new();
        let mut cells = Vec::new();
        let (mut values, mut gaps) = (Vec::new(), Vec::new());
        let mut sorted = Vec::new();
        for (place, (own, column, latent)) in ranked.into_iter().enumerate() {
            if !own.constant {
                values.push(place);
                columns.push(column);
                cells.push(latent);
            }
            sorted.push(own);
        }
        for (place, own) in sorted.iter().enumerate() {
            let hidden = table.hidden_zeros(own.attribute).count();
            if (1..n - hidden).contains(&own.order.len()) {
                let (column, latent) = of_gaps(table, own, draws);
                gaps.push(place);
                columns.push(column);
                cells.push(latent);
            }
        }
        let width = columns.len();
        let mut z = vec![0.0; n * width];
        if width > 0 {
            z.par_chunks_mut(width)
                .enumerate()
                .for_each(|(record, row)| {
                    for (cell, column) in row.iter_mut().zip(&columns) {
                        *cell = column[record];
                    }
                });
        }
        Self {
            sorted,
            values,
            gaps,
            z,
            cells,
        }
    }
}

/// The values of an attribute in ascending order, equal ones at random.
pub(super) fn sorted(table: &Table, attribute: AttrId, draws: &Draws<'_>) -> (Sorted, Vec<bool>) {
    let n = table.n_records();
    let Some(numbers) = table.numbers(attribute) else {
        unreachable!("attributes without numbers were refused")
    };
    let values = Values {
        numbers,
        text: &|record| table.text(record, attribute),
    };
    let mut order = in_file_order(&values);
    let mut starts: Vec<bool> = vec![true; order.len()];
    let mut tied = false;
    for (start, pair) in starts.iter_mut().skip(1).zip(order.windows(2)) {
        *start = values.compare(pair[0], pair[1]).is_ne();
        tied |= !*start;
    }
    if tied {
        let purpose = format!("ties\0{}", table.attribute(attribute).name);
        let keys: Vec<u64> = draws.all(&purpose, n, |rng| rng.random());
        for_each_run(&starts, |from, to| {
            order[from..to].sort_unstable_by_key(|&record| (keys[record as usize], record));
        });
    }
    let constant = starts.iter().filter(|&&start| start).count() < 2;
    let sorted = Sorted {
        attribute,
        order,
        constant,
    };
    (sorted, starts)
}

/// The runs of equal values of more than one record.
pub(super) fn for_each_run(starts: &[bool], mut each: impl FnMut(usize, usize)) {
    let mut from = 0;
    for place in 1..=starts.len() {
        if starts.get(place).copied().unwrap_or(true) {
            if place > from + 1 {
                each(from, place);
            }
            from = place;
        }
    }
}

fn ranked(table: &Table, attribute: AttrId, draws: &Draws<'_>) -> (Sorted, Vec<f64>, Cells) {
    let (sorted, starts) = sorted(table, attribute, draws);
    let count = sorted.order.len();
    let mut column = vec![0.0; table.n_records()];
    let scores: Vec<f64> = (0..count).map(|rank| normal_score(rank, count)).collect();
    for (&record, &score) in sorted.order.iter().zip(&scores) {
        column[record as usize] = score;
    }
    let mut latent = Cells::default();
    let mut interval = |cells: Vec<u32>, bounds: (f64, f64)| {
        let place = u32::try_from(latent.intervals.len()).unwrap_or(u32::MAX);
        latent.intervals.push(bounds);
        latent
            .cells
            .extend(cells.into_iter().map(|record| (record, place)));
    };
    for_each_run(&starts, |from, to| {
        if scores[to - 1] - scores[from] >= NARROW {
            let bound = |ranks: usize| normal_quantile(ranks as f64 / count as f64);
            interval(sorted.order[from..to].to_vec(), (bound(from), bound(to)));
        }
    });
    let missing = table.missing(attribute).records();
    let missing: Vec<u32> = missing.filter_map(|r| u32::try_from(r).ok()).collect();
    if !missing.is_empty() {
        interval(missing, ANYWHERE);
    }
    latent.cells.sort_unstable();
    (sorted, column, latent)
}

/// The records that miss an attribute, hidden zeros not among them.
pub(super) fn gaps(table: &Table, attribute: AttrId) -> Vec<u32> {
    let hidden = table.hidden_zeros(attribute);
    (table.missing(attribute).records())
        .filter(|&record| !hidden.contains(record))
        .filter_map(|record| u32::try_from(record).ok())
        .collect()
}

/// Scores of whether an attribute is missing: the greater part is. Those of hidden zeros can be anywhere.
fn of_gaps(table: &Table, own: &Sorted, draws: &Draws<'_>) -> (Vec<f64>, Cells) {
    let n = table.n_records();
    let hidden = table.hidden_zeros(own.attribute);
    let visible = n - hidden.count();
    let bound = normal_quantile(own.order.len() as f64 / visible as f64);
    let is_gap = |record: usize| table.is_missing(record, own.attribute);
    let purpose = format!("gaps\0{}", table.attribute(own.attribute).name);
    let mut ranks: Vec<(u64, u32)> = (draws.all::<u64>(&purpose, n, |rng| rng.random()))
        .into_iter()
        .zip(0_u32..)
        .filter(|&(_, record)| !hidden.contains(record as usize))
        .collect();
    ranks.sort_unstable_by_key(|&(key, record)| (is_gap(record as usize), key, record));
    let mut column = vec![0.0; n];
    for (rank, &(_, record)) in ranks.iter().enumerate() {
        column[record as usize] = normal_score(rank, visible);
    }
    let interval = |record: usize| {
        if hidden.contains(record) {
            2
        } else {
            u32::from(is_gap(record))
        }
    };
    let cells = (0..n).zip(0_u32..);
    let cells = Cells {
        cells: cells
            .map(|(record, name)| (name, interval(record)))
            .collect(),
        intervals: vec![(f64::NEG_INFINITY, bound), (bound, f64::INFINITY), ANYWHERE],
    };
    (column, cells)
}
