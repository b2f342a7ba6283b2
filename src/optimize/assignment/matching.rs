//! Shortest augmenting paths on a sparse graph of pairs.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::Pair;

/// Marks a row or a column without a partner.
pub(super) const NOBODY: u32 = u32::MAX;

/// Rows that change their mind, per row, before paths are looked for.
const CHANGES: usize = 30;

/// Rows that change their mind, per row, in an auction.
const CHANGES_OF_AUCTION: usize = 10;

/// So many times the pairs of all rows are looked at for single paths before ties are tried again.
const PATHS_BETWEEN: usize = 4;

/// A matching of rows with columns, and a price of each column, that fit together.
///
/// Let `u_i` be the least `cost − price` among the pairs of row i. Each matched row has a pair at `u_i`. With
/// fewer rows than there is room for in columns no price is above zero, and a column with room has the price zero. So a matching
/// of all rows is the cheapest.
///
/// # Source
/// R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
/// Computing 38, 1987.
pub(super) struct Matching {
    /// The pairs of each row.
    pub pairs: Vec<Vec<Pair>>,
    /// The price of each column.
    pub prices: Vec<f64>,
    /// The place of each row's partner in its list of pairs, or [`NOBODY`].
    pub chosen: Vec<u32>,
    pub holders: Holders,
    /// How many rows each column can have.
    pub capacities: Vec<u32>,
    /// As many rows as there is room for: a price may have any sign, since no column keeps any.
    square: bool,
    search: PathSearch,
}

/// The rows that have each column.
pub(super) struct Holders {
    /// The one that came last, or [`NOBODY`].
    last: Vec<u32>,
    /// For each row, those who came to its column just before and just after it.
    before: Vec<u32>,
    after: Vec<u32>,
    /// How many more rows a column can have.
    room: Vec<u32>,
}

impl Holders {
    fn new(n_rows: usize, capacities: &[u32]) -> Self {
        Self {
            last: vec![NOBODY; capacities.len()],
            before: vec![NOBODY; n_rows],
            after: vec![NOBODY; n_rows],
            room: capacities.to_vec(),
        }
    }

    pub(super) fn has_room(&self, column: u32) -> bool {
        self.room[column as usize] > 0
    }

    /// The row that came to a column last, or [`NOBODY`].
    pub(super) fn last(&self, column: u32) -> u32 {
        self.last[column as usize]
    }

    /// The row that came to the column of a row just before it, or [`NOBODY`].
    pub(super) fn before(&self, row: u32) -> u32 {
        self.before[row as usize]
    }

    fn of(&self, column: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |row: u32| (row != NOBODY).then_some(row);
        std::iter::successors(some(self.last(column)), move |&row| some(self.before(row)))
    }

    /// A row comes to a column that has room.
    pub(super) fn enter(&mut self, row: u32, column: u32) {
        let column = column as usize;
        let last = std::mem::replace(&mut self.last[column], row);
        self.before[row as usize] = last;
        if last != NOBODY {
            self.after[last as usize] = row;
        }
        self.room[column] -= 1;
    }

    /// A row leaves the column that it has.
    pub(super) fn leave(&mut self, row: u32, column: u32) {
        let row = row as usize;
        let before = std::mem::replace(&mut self.before[row], NOBODY);
        let after = std::mem::replace(&mut self.after[row], NOBODY);
        if before != NOBODY {
            self.after[before as usize] = after;
        }
        match after {
            NOBODY => self.last[column as usize] = before,
            after => self.before[after as usize] = before,
        }
        self.room[column as usize] += 1;
    }
}

/// What a search for a path has found of each column.
struct PathSearch {
    distance: Vec<f64>,
    /// The row from which a column is reached, and the place of the column in the row's list.
    from: Vec<(u32, u32)>,
    /// Columns seen in this search, to forget them afterwards.
    seen: Vec<u32>,
    done: Vec<bool>,
    /// Columns from which no free column can be reached.
    dead: Vec<bool>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// Columns at the distance that has been reached.
    ready: Vec<u32>,
    scanned: Vec<u32>,
    /// How many pairs this search has looked at.
    looked: usize,
}

impl Matching {
    pub(super) fn new(pairs: Vec<Vec<Pair>>, capacities: Vec<u32>) -> Self {
        let n_columns = capacities.len();
        let square = pairs.len() as u64 == room_of(&capacities);
        let mut prices = vec![0.0; n_columns];
        if square {
            prices.fill(f64::INFINITY);
            for pair in pairs.iter().flatten() {
                let price = &mut prices[pair.column as usize];
                *price = price.min(pair.cost);
            }
            for price in prices.iter_mut().filter(|price| price.is_infinite()) {
                *price = 0.0;
            }
        }
        Self {
            chosen: vec![NOBODY; pairs.len()],
            holders: Holders::new(pairs.len(), &capacities),
            capacities,
            pairs,
            prices,
            square,
            search: PathSearch {
                distance: vec![f64::INFINITY; n_columns],
                from: vec![(NOBODY, NOBODY); n_columns],
                seen: Vec::new(),
                done: vec![false; n_columns],
                dead: vec![false; n_columns],
                heap: BinaryHeap::new(),
                ready: Vec::new(),
                scanned: Vec::new(),
                looked: 0,
            },
        }
    }

    /// The beginning again, with the first pairs of each row, so many.
    pub(super) fn begin_anew(&mut self, lengths: &[usize]) {
        let mut pairs = std::mem::take(&mut self.pairs);
        for (list, &length) in pairs.iter_mut().zip(lengths) {
            list.truncate(length);
        }
        *self = Self::new(pairs, std::mem::take(&mut self.capacities));
    }

    /// The pair that a row has, if any.
    pub(super) fn pair(&self, row: usize) -> Option<Pair> {
        self.pairs[row].get(self.chosen[row] as usize).copied()
    }

    /// Cost less price of the pair that a row has.
    pub(super) fn worth(&self, row: usize) -> Option<f64> {
        self.pair(row).map(|pair| self.reduced(pair))
    }

    /// The least cost less price among the pairs of a row.
    pub(super) fn least(&self, row: u32) -> f64 {
        let worths = self.pairs[row as usize]
            .iter()
            .map(|&pair| self.reduced(pair));
        worths.fold(f64::INFINITY, f64::min)
    }

    pub(super) fn reduced(&self, pair: Pair) -> f64 {
        pair.cost - self.prices[pair.column as usize]
    }

    /// Takes partners from rows that would rather have another one, by more than rounding, after pairs were added.
    /// Returns whether some price had to rise.
    pub(super) fn repair(&mut self, rounding: f64) -> bool {
        for row in 0..self.pairs.len() {
            self.let_go_if_unhappy(row, rounding);
        }
        let mut risen = false;
        if self.square {
            return risen;
        }
        // A column with room costs nothing; that may make other rows want it.
        loop {
            let mut changed = false;
            for (price, &room) in self.prices.iter_mut().zip(&self.holders.room) {
                if room > 0 && *price < 0.0 {
                    *price = 0.0;
                    changed = true;
                }
            }
            if !changed {
                return risen;
            }
            risen = true;
            for row in 0..self.pairs.len() {
                self.let_go_if_unhappy(row, rounding);
            }
        }
    }

    fn let_go_if_unhappy(&mut self, row: usize, rounding: f64) {
        let Some(pair) = self.pair(row) else { return };
        let worth = self.reduced(pair) - rounding;
        if self.pairs[row]
            .iter()
            .any(|&other| self.reduced(other) < worth)
        {
            self.leave(row);
        }
    }

    /// A row leaves its column, if it has one, which is returned.
    pub(super) fn leave(&mut self, row: usize) -> Option<u32> {
        let column = self.pair(row)?.column;
        #[expect(clippy::cast_possible_truncation, reason = "rows are counted by u32")]
        self.holders.leave(row as u32, column);
        self.chosen[row] = NOBODY;
        Some(column)
    }

    /// A row without a column gets the one at this place of its list, which has room.
    pub(super) fn enter(&mut self, row: u32, place: u32) {
        let column = self.pairs[row as usize][place as usize].column;
        self.holders.enter(row, column);
        self.chosen[row as usize] = place;
    }

    /// Rows without a partner take their cheapest column, also from another row, at the price at which they would
    /// change to their second cheapest. Where several rows have a column, its price is that of all of them and stays.
    pub(super) fn bid(&mut self) {
        let mut budget = CHANGES * self.pairs.len();
        let mut waiting = self.free_rows();
        for _ in 0..2 {
            let mut next = Vec::new();
            for &first in &waiting {
                let mut row = first;
                loop {
                    if budget == 0 {
                        return;
                    }
                    budget -= 1;
                    let Some((place, gain)) = self.offer(row) else {
                        break;
                    };
                    let column = self.pairs[row as usize][place as usize].column;
                    if self.capacities[column as usize] > 1 {
                        if self.holders.has_room(column) {
                            self.enter(row, place);
                        }
                        break;
                    }
                    let price = self.prices[column as usize] - gain;
                    let before = self.come(row, place, price, &mut Vec::new());
                    if before == NOBODY {
                        break;
                    }
                    if gain > 0.0 {
                        row = before;
                    } else {
                        next.push(before);
                        break;
                    }
                }
            }
            waiting = next;
        }
    }

    /// Rows without a partner, and those that would gain more than `step` by another one, take their cheapest column, also from
    /// another row, at a price `step` below that at which they would change to their second cheapest. So nobody gains more
    /// than `step` by a change, and prices of columns for which many compete fall fast. Where several rows have a column, each has it at a price
    /// of its own: whoever comes takes the highest, which is the price of the column. Those who have it at a lower one would not change
    /// even at that. Returns whether every row has a partner in the end: it stops after [`CHANGES_OF_AUCTION`] changes a row.
    ///
    /// # Source
    /// D. Bertsekas, "The auction algorithm: a distributed relaxation method for the assignment problem", Annals of
    /// Operations Research 14, 1988. Of several rows: D. Bertsekas, D. Castañon, "The auction algorithm for the
    /// transportation problem", Annals of Operations Research 20, 1989.
    pub(super) fn auction(&mut self, step: f64) -> bool {
        for row in 0..self.pairs.len() {
            self.let_go_if_unhappy(row, step);
        }
        // By ascending price, of columns for several rows.
        let mut levels: Vec<Vec<(f64, u32)>> = vec![Vec::new(); self.prices.len()];
        for (column, levels) in (0..).zip(&mut levels) {
            if self.capacities[column as usize] > 1 {
                let price = self.prices[column as usize];
                levels.extend(self.holders.of(column).map(|row| (price, row)));
            }
        }
        let mut budget = CHANGES_OF_AUCTION * self.pairs.len();
        for first in self.free_rows() {
            let mut row = first;
            while row != NOBODY {
                let Some((place, gain)) = self.offer(row).filter(|_| budget > 0) else {
                    return false;
                };
                budget -= 1;
                let column = self.pairs[row as usize][place as usize].column as usize;
                let level = self.prices[column] - (gain + step);
                row = self.come(row, place, level, &mut levels[column]);
            }
        }
        true
    }

    /// A row comes to a column, which it has at the price `level`; whoever leaves for it is returned. `levels` has those who have the column,
    /// if it is for several, with their prices, which ascend.
    fn come(&mut self, row: u32, place: u32, level: f64, levels: &mut Vec<(f64, u32)>) -> u32 {
        let column = self.pairs[row as usize][place as usize].column;
        let mut before = NOBODY;
        if !self.holders.has_room(column) {
            let last = self.holders.last(column);
            before = levels.pop().map_or(last, |(_, row)| row);
        }
        if before != NOBODY {
            self.leave(before as usize);
        }
        self.enter(row, place);
        let column = column as usize;
        if self.capacities[column] > 1 {
            let at = levels.partition_point(|&(other, _)| other < level);
            levels.insert(at, (level, row));
        }
        if self.holders.room[column] == 0 {
            self.prices[column] = levels.last().map_or(level, |&(highest, _)| highest);
        }
        before
    }

    /// The place of the column that a row takes, and by how much its price falls.
    fn offer(&self, row: u32) -> Option<(u32, f64)> {
        let (mut best, mut second) = ((f64::INFINITY, NOBODY), (f64::INFINITY, NOBODY));
        for (place, &pair) in (0..).zip(&self.pairs[row as usize]) {
            let reduced = self.reduced(pair);
            if reduced < best.0 {
                (second, best) = (best, (reduced, place));
            } else if reduced < second.0 {
                second = (reduced, place);
            }
        }
        let is_free = |place: u32| {
            let pair = self.pairs[row as usize].get(place as usize);
            pair.is_some_and(|pair| self.holders.has_room(pair.column))
        };
        if second.1 == NOBODY {
            return is_free(best.1).then_some((best.1, 0.0));
        }
        let gain = second.0 - best.0;
        if gain <= 0.0 && !is_free(best.1) && is_free(second.1) {
            return Some((second.1, 0.0));
        }
        Some((best.1, gain.max(0.0)))
    }

    pub(super) fn free_rows(&self) -> Vec<u32> {
        (0..)
            .zip(&self.chosen)
            .filter_map(|(row, &chosen)| (chosen == NOBODY).then_some(row))
            .collect()
    }

    /// Finds a partner for every row that can have one. Returns the rows among which some must stay alone, because
    /// all of their pairs lead to too few columns; and marks those columns.
    pub(super) fn augment(&mut self) -> (Vec<u32>, Vec<bool>) {
        self.search.dead.fill(false);
        let mut crowd = Vec::new();
        // Where many pairs tie, many paths cost nothing and are found together; where none do, looking for them takes little of
        // the time.
        let all: usize = self.pairs.iter().map(Vec::len).sum();
        let mut looked = usize::MAX;
        for row in self.free_rows() {
            if looked / PATHS_BETWEEN >= all {
                self.augment_along_ties();
                looked = 0;
            }
            if self.chosen[row as usize] != NOBODY {
                continue;
            }
            let path = self.path_from(row);
            looked += self.search.looked;
            if let Some(end) = path {
                self.turn_over(end);
            } else {
                crowd.push(row);
                for &column in &self.search.scanned {
                    self.search.dead[column as usize] = true;
                    crowd.extend(self.holders.of(column));
                }
            }
            self.search.forget();
        }
        (crowd, self.search.dead.clone())
    }

    /// The free column at the end of the shortest path from a free row.
    fn path_from(&mut self, start: u32) -> Option<(u32, f64)> {
        let (mut row, mut reached, mut worth) = (start, 0.0_f64, self.least(start));
        let search = &mut self.search;
        let mut end: Option<(u32, f64)> = None;
        loop {
            let limit = end.map_or(f64::INFINITY, |(_, distance)| distance);
            search.looked += self.pairs[row as usize].len();
            for (place, pair) in (0..).zip(&self.pairs[row as usize]) {
                let column = pair.column as usize;
                if search.done[column] || search.dead[column] {
                    continue;
                }
                // Rounding can take it below zero.
                let step = (pair.cost - self.prices[column] - worth).max(0.0);
                let distance = reached + step;
                if distance >= search.distance[column] || distance >= limit {
                    continue;
                }
                if search.distance[column].is_infinite() {
                    search.seen.push(pair.column);
                }
                search.distance[column] = distance;
                search.from[column] = (row, place);
                if self.holders.has_room(pair.column) {
                    if end.is_none_or(|(_, least)| distance < least) {
                        end = Some((pair.column, distance));
                    }
                    if distance <= reached {
                        return end;
                    }
                } else if distance <= reached {
                    search.ready.push(pair.column);
                } else {
                    let key = (distance + 0.0).to_bits();
                    search.heap.push(Reverse((key, pair.column)));
                }
            }
            row = self.holders.before(row);
            if row == NOBODY {
                let Some(column) = search.next() else {
                    return end;
                };
                let distance = search.distance[column as usize];
                if end.is_some_and(|(_, least)| least <= distance) {
                    return end;
                }
                search.done[column as usize] = true;
                search.scanned.push(column);
                reached = distance;
                row = self.holders.last(column);
            }
            let pair = self.pairs[row as usize][self.chosen[row as usize] as usize];
            worth = pair.cost - self.prices[pair.column as usize];
        }
    }

    /// Gives the columns on the path to the rows before them, and moves prices so that nobody minds.
    fn turn_over(&mut self, (end, length): (u32, f64)) {
        let search = &self.search;
        for &column in &search.scanned {
            let rest = length - search.distance[column as usize];
            if rest > 0.0 {
                self.prices[column as usize] -= rest;
            }
        }
        let mut column = end;
        loop {
            let (row, place) = self.search.from[column as usize];
            let before = self.leave(row as usize);
            self.enter(row, place);
            match before {
                Some(before) => column = before,
                None => return,
            }
        }
    }
}

/// How many rows all columns together can have.
pub(super) fn room_of(capacities: &[u32]) -> u64 {
    capacities.iter().map(|&room| u64::from(room)).sum()
}

impl PathSearch {
    /// The nearest column that was not yet looked at.
    fn next(&mut self) -> Option<u32> {
        while let Some(column) = self.ready.pop() {
            if !self.done[column as usize] {
                return Some(column);
            }
        }
        while let Some(Reverse((key, column))) = self.heap.pop() {
            let stale = self.distance[column as usize].to_bits() != key;
            if !stale && !self.done[column as usize] {
                return Some(column);
            }
        }
        None
    }

    fn forget(&mut self) {
        for column in self.seen.drain(..) {
            self.distance[column as usize] = f64::INFINITY;
            self.done[column as usize] = false;
        }
        self.heap.clear();
        self.ready.clear();
        self.scanned.clear();
        self.looked = 0;
    }
}
