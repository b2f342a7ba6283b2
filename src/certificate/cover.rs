//! How many records hit all conflicts at least: a minimum hitting set, from below.
//!
//! Cheapest first: conflicts that share no record; a fractional packing of conflicts (a dual solution of the linear relaxation, rounded to
//! whole numbers, so that what it proves does not depend on how it was found); a search with a limit of work.

use std::collections::BTreeMap;

/// Units of the fractional packing: each record has so many.
const UNITS: u64 = 1 << 40;

/// Entries looked at by the search, at most.
const MAX_WORK: u64 = 400_000_000;

/// Records that the search goes on to choose, at most: it is recursive.
const DEEPEST: usize = 1000;

/// Cells of a table of the linear relaxation, at most.
const MAX_CELLS: usize = 8_000_000;

/// Whether no fewer than so many records hit all conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    /// Yes: so many conflicts share no record.
    Disjoint,
    /// Yes: by a fractional packing of conflicts.
    Packing,
    /// Yes: all ways to hit them with fewer were tried.
    Search,
    /// No: so many do.
    Fewer(usize),
    /// It was not found out within the limit of work.
    Open,
}

/// Whether no fewer than `wanted` records hit all of these conflicts, which are sets of records.
pub(super) fn cover(conflicts: &[Vec<usize>], wanted: usize) -> Cover {
    if wanted == 0 {
        return Cover::Disjoint;
    }
    let mut problem = Problem::new(conflicts);
    let hitting = problem.greedy();
    if hitting < wanted {
        return Cover::Fewer(hitting);
    }
    let all: Vec<usize> = (0..problem.conflicts.len()).collect();
    let state = vec![Mark::Free; problem.n_records];
    if problem.disjoint(&all, &state, wanted) >= wanted {
        return Cover::Disjoint;
    }
    if problem.packing() >= wanted {
        return Cover::Packing;
    }
    if wanted > DEEPEST {
        return Cover::Open;
    }
    let mut state = state;
    match problem.hit(&all, &mut state, 0, wanted) {
        Found::Hitting(records) => Cover::Fewer(records),
        Found::Nothing => Cover::Search,
        Found::OutOfWork => Cover::Open,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Free,
    /// Not among those that hit.
    Out,
    Hits,
}

enum Found {
    Hitting(usize),
    Nothing,
    OutOfWork,
}

struct Problem {
    /// Sets of records, numbered anew; none holds another; the smallest first.
    conflicts: Vec<Vec<usize>>,
    n_records: usize,
    /// Entries that may still be looked at.
    work: u64,
}

impl Problem {
    fn new(conflicts: &[Vec<usize>]) -> Self {
        let mut number = BTreeMap::new();
        let mut sets: Vec<Vec<usize>> = conflicts
            .iter()
            .map(|conflict| {
                let mut set: Vec<usize> = conflict
                    .iter()
                    .map(|&record| {
                        let next = number.len();
                        *number.entry(record).or_insert(next)
                    })
                    .collect();
                set.sort_unstable();
                set.dedup();
                set
            })
            .collect();
        sets.sort();
        sets.dedup();
        sets.sort_by_key(Vec::len);
        let n_records = number.len();
        Self {
            conflicts: minimal(sets, n_records),
            n_records,
            work: MAX_WORK,
        }
    }

    /// A hitting set: again and again the record that hits most of what is left.
    fn greedy(&self) -> usize {
        let mut left: Vec<usize> = (0..self.conflicts.len()).collect();
        let mut records = 0;
        while !left.is_empty() {
            let mut counts = vec![0_usize; self.n_records];
            for &conflict in &left {
                self.conflicts[conflict]
                    .iter()
                    .for_each(|&record| counts[record] += 1);
            }
            let best = (0..self.n_records)
                .max_by_key(|&record| (counts[record], std::cmp::Reverse(record)));
            let Some(best) = best.filter(|&best| counts[best] > 0) else {
                // An empty conflict cannot be hit at all.
                return usize::MAX;
            };
            left.retain(|&conflict| !self.conflicts[conflict].contains(&best));
            records += 1;
        }
        records
    }

    /// Of these conflicts, some that share no free record: how many, up to what is wanted.
    fn disjoint(&mut self, conflicts: &[usize], state: &[Mark], wanted: usize) -> usize {
        let free = |set: &[usize]| {
            set.iter()
                .filter(|&&record| state[record] == Mark::Free)
                .count()
        };
        let mut order: Vec<(usize, usize)> = conflicts
            .iter()
            .map(|&conflict| (free(&self.conflicts[conflict]), conflict))
            .collect();
        order.sort_unstable();
        let mut taken = vec![false; self.n_records];
        let mut count = 0;
        for (_, conflict) in order {
            let set = &self.conflicts[conflict];
            self.work = self.work.saturating_sub(2 * set.len() as u64);
            let mut records = set.iter().filter(|&&record| state[record] == Mark::Free);
            if records.all(|&record| !taken[record]) {
                set.iter().for_each(|&record| taken[record] = true);
                count += 1;
                if count >= wanted {
                    break;
                }
            }
        }
        count
    }

    /// The least number of records by a fractional packing.
    fn packing(&self) -> usize {
        let n = self.conflicts.len();
        if n.saturating_mul(self.n_records) > MAX_CELLS {
            return 0;
        }
        let weights = relaxation(&self.conflicts, self.n_records);
        // Whole units, given to conflicts as far as their records have them: a packing whatever the weights were.
        let mut left = vec![UNITS; self.n_records];
        let mut packed: u64 = 0;
        for pass in [false, true] {
            for (conflict, weight) in self.conflicts.iter().zip(&weights) {
                let most = conflict
                    .iter()
                    .map(|&record| left[record])
                    .min()
                    .unwrap_or(0);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a weight from 0 to 1, as whole units"
                )]
                let wish = (weight.clamp(0.0, 1.0) * UNITS as f64) as u64;
                let given = if pass { most } else { wish.min(most) };
                conflict.iter().for_each(|&record| left[record] -= given);
                packed += given;
            }
        }
        usize::try_from(packed.div_ceil(UNITS)).unwrap_or(0)
    }

    /// Looks for fewer than `wanted` records that hit all of these conflicts, which nothing hits yet.
    fn hit(
        &mut self,
        conflicts: &[usize],
        state: &mut Vec<Mark>,
        chosen: usize,
        wanted: usize,
    ) -> Found {
        if conflicts.is_empty() {
            return Found::Hitting(chosen);
        }
        if self.work == 0 {
            return Found::OutOfWork;
        }
        if chosen + self.disjoint(conflicts, state, wanted - chosen) >= wanted {
            return Found::Nothing;
        }
        let free = |set: &[usize], state: &[Mark]| -> Vec<usize> {
            let free = set.iter().filter(|&&record| state[record] == Mark::Free);
            free.copied().collect()
        };
        let tightest = conflicts
            .iter()
            .min_by_key(|&&conflict| (free(&self.conflicts[conflict], state).len(), conflict));
        let Some(&tightest) = tightest else {
            return Found::Nothing;
        };
        let mut counts = BTreeMap::new();
        for &conflict in conflicts {
            self.work = self
                .work
                .saturating_sub(2 * self.conflicts[conflict].len() as u64);
            for &record in &self.conflicts[conflict] {
                *counts.entry(record).or_insert(0_usize) += 1;
            }
        }
        let mut records = free(&self.conflicts[tightest], state);
        records.sort_by_key(|record| std::cmp::Reverse(counts.get(record).copied()));
        // One of these records hits the conflict: the first, or not the first but the second, and so on.
        let mut found = Found::Nothing;
        for (place, &record) in records.iter().enumerate() {
            state[record] = Mark::Hits;
            let left: Vec<usize> = conflicts
                .iter()
                .copied()
                .filter(|&conflict| !self.conflicts[conflict].contains(&record))
                .collect();
            found = self.hit(&left, state, chosen + 1, wanted);
            state[record] = Mark::Out;
            if !matches!(found, Found::Nothing) {
                records[..=place]
                    .iter()
                    .for_each(|&tried| state[tried] = Mark::Free);
                return found;
            }
        }
        records.iter().for_each(|&tried| state[tried] = Mark::Free);
        found
    }
}

/// The sets that hold no other; they come smallest first and stay so.
fn minimal(sets: Vec<Vec<usize>>, n_records: usize) -> Vec<Vec<usize>> {
    let mut kept: Vec<Vec<usize>> = Vec::new();
    // The kept sets by their first record.
    let mut by_first: Vec<Vec<usize>> = vec![Vec::new(); n_records];
    for set in sets {
        let holds =
            |other: &Vec<usize>| other.iter().all(|record| set.binary_search(record).is_ok());
        let mut others = set.iter().flat_map(|&record| &by_first[record]);
        if others.any(|&other| holds(&kept[other])) {
            continue;
        }
        if let Some(&first) = set.first() {
            by_first[first].push(kept.len());
        }
        kept.push(set);
    }
    kept
}

/// Weights of conflicts: `max Σ y` where each record has at most 1, by the simplex method on a condensed table. Rounding, and an early end,
/// cost nothing but sharpness.
fn relaxation(conflicts: &[Vec<usize>], n_records: usize) -> Vec<f64> {
    const MAX_WORK: usize = 4_000_000_000;
    const SMALL: f64 = 1e-9;
    let n = conflicts.len();
    let width = n + 1;
    // A row a record: its slack = 1 − Σ y; the last column is the right side, a little apart so that no two rows tie.
    let mut table: Vec<f64> = vec![0.0; n_records * width];
    for (column, conflict) in conflicts.iter().enumerate() {
        for &record in conflict {
            table[record * width + column] = 1.0;
        }
    }
    for record in 0..n_records {
        table[record * width + n] = 1.0 + 1e-7 * (1.0 + (record * 7919 % 1009) as f64 / 1009.0);
    }
    let mut gains: Vec<f64> = vec![1.0; n];
    // Which conflict a row's basic variable is, and which variable a column holds: conflicts first, then slacks.
    let mut basic: Vec<usize> = (n..n + n_records).collect();
    let mut columns: Vec<usize> = (0..n).collect();
    let pivots = MAX_WORK / (n_records * width).max(1);
    for _ in 0..pivots.min(20 * (n_records + 10)) {
        let Some(enters) = (0..n).max_by(|&a, &b| gains[a].total_cmp(&gains[b]).then(b.cmp(&a)))
        else {
            break;
        };
        if gains[enters] <= SMALL {
            break;
        }
        let ratio = |row: usize| {
            let slope = table[row * width + enters];
            (slope > SMALL).then(|| table[row * width + n] / slope)
        };
        let leaves = (0..n_records)
            .filter_map(|row| Some((ratio(row)?, row)))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((_, leaves)) = leaves else {
            break;
        };
        pivot(&mut table, &mut gains, width, leaves, enters);
        std::mem::swap(&mut basic[leaves], &mut columns[enters]);
    }
    let mut weights = vec![0.0; n];
    for (row, &variable) in basic.iter().enumerate() {
        if variable < n {
            weights[variable] = table[row * width + n];
        }
    }
    weights
}

/// Exchanges the basic variable of a row with that of a column.
fn pivot(table: &mut [f64], gains: &mut [f64], width: usize, row: usize, column: usize) {
    let by = 1.0 / table[row * width + column];
    let mut pivot_row = table[row * width..][..width].to_vec();
    for value in &mut pivot_row {
        *value *= by;
    }
    pivot_row[column] = by;
    for (number, other) in table.chunks_exact_mut(width).enumerate() {
        if number == row {
            other.copy_from_slice(&pivot_row);
            continue;
        }
        let factor = other[column];
        if factor == 0.0 {
            continue;
        }
        other[column] = 0.0;
        for (value, pivot) in other.iter_mut().zip(&pivot_row) {
            *value -= factor * pivot;
        }
    }
    let factor = gains[column];
    gains[column] = 0.0;
    for (gain, pivot) in gains.iter_mut().zip(&pivot_row) {
        *gain -= factor * pivot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A circle of five conflicts of two: two share no record, the relaxation says 5/2, and three records are needed.
    #[test]
    fn a_circle_of_five() {
        let circle: Vec<Vec<usize>> = (0..5).map(|k| vec![k, (k + 1) % 5]).collect();
        assert_eq!(cover(&circle, 2), Cover::Disjoint);
        assert_eq!(cover(&circle, 3), Cover::Packing);
        assert_eq!(cover(&circle, 4), Cover::Fewer(3));
    }

    /// The Fano plane: lines of three points, any two of which meet; the relaxation says 7/3, and three points are needed. All pairs of
    /// six: the relaxation says 3, and five are needed.
    #[test]
    fn what_only_a_search_finds() {
        let all: Vec<Vec<usize>> = (0..6)
            .flat_map(|k| (k + 1..6).map(move |l| vec![k, l]))
            .collect();
        assert_eq!(cover(&all, 3), Cover::Disjoint);
        assert_eq!(cover(&all, 5), Cover::Search);
        assert_eq!(cover(&all, 6), Cover::Fewer(5));
        let fano = [
            [0, 1, 2],
            [0, 3, 4],
            [0, 5, 6],
            [1, 3, 5],
            [1, 4, 6],
            [2, 3, 6],
            [2, 4, 5],
        ];
        let fano: Vec<Vec<usize>> = fano.iter().map(|line| line.to_vec()).collect();
        assert_eq!(cover(&fano, 1), Cover::Disjoint);
        assert_eq!(cover(&fano, 3), Cover::Packing);
        assert_eq!(cover(&fano, 4), Cover::Fewer(3));
    }

    #[test]
    fn conflicts_that_nothing_hits_and_no_conflicts() {
        assert_eq!(cover(&[], 0), Cover::Disjoint);
        assert_eq!(cover(&[], 1), Cover::Fewer(0));
        assert_eq!(cover(&[vec![4, 4], vec![4, 2]], 1), Cover::Disjoint);
        assert_eq!(cover(&[vec![4, 4], vec![4, 2]], 2), Cover::Fewer(1));
    }

    proptest! {
        /// Against all subsets of nine records.
        #[test]
        fn it_is_the_least_number_of_all_subsets(sets in prop::collection::vec(prop::collection::vec(0..9_usize, 1..5), 0..12)) {
            let hits = |subset: u32| sets.iter().all(|set| set.iter().any(|&record| subset >> record & 1 == 1));
            let least = (0..512_u32).filter(|&subset| hits(subset)).map(u32::count_ones).min().unwrap() as usize;
            for wanted in 0..=least {
                prop_assert!(matches!(cover(&sets, wanted), Cover::Disjoint | Cover::Packing | Cover::Search));
            }
            for wanted in least + 1..least + 3 {
                prop_assert!(matches!(cover(&sets, wanted), Cover::Fewer(found) if found >= least && found < wanted));
            }
        }
    }
}
