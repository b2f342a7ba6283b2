//! Many augmenting paths at once, where they cost nothing: along pairs that are worth as much to a row as what it has.

use super::matching::{Matching, NOBODY};

/// What is known of rows and columns while disjoint paths are looked for.
struct Walk {
    /// Columns that were reached: each is on one path, or leads nowhere.
    reached: Vec<bool>,
    /// The place of the pair that a row tries next.
    next: Vec<u32>,
    /// Rows of the path that is tried, and what their pairs are worth.
    path: Vec<(u32, f64)>,
}

impl Matching {
    /// Gives partners to rows without one along disjoint paths of ties, until no such path is left. No price moves.
    ///
    /// # Complexity
    /// A pass over the pairs finds paths that no other one can be added to; there are seldom more than a few passes, and at
    /// most one for each row.
    ///
    /// # Source
    /// A. Pothen, C.-J. Fan, "Computing the block triangular form of a sparse matrix", ACM Transactions on Mathematical
    /// Software 16, 1990.
    pub(super) fn augment_along_ties(&mut self) {
        let mut walk = Walk {
            reached: vec![false; self.prices.len()],
            next: vec![0; self.pairs.len()],
            path: Vec::new(),
        };
        loop {
            walk.reached.fill(false);
            walk.next.fill(0);
            let mut found = false;
            for row in self.free_rows() {
                found |= self.tied_path(row, &mut walk);
            }
            if !found {
                return;
            }
        }
    }

    /// Looks for a path of ties from a free row to a free column, and turns it over.
    fn tied_path(&mut self, start: u32, walk: &mut Walk) -> bool {
        walk.path.clear();
        walk.path.push((start, self.least(start)));
        while let Some(&(row, worth)) = walk.path.last() {
            let first = walk.next[row as usize];
            let free = match first {
                0 => self.tie(row, 0, worth, |column| self.holders.has_room(column)),
                _ => None,
            };
            let step = free
                .or_else(|| self.tie(row, first, worth, |column| !walk.reached[column as usize]));
            let Some(place) = step else {
                walk.path.pop();
                // Another row that has the same column may lead on.
                self.go_to(self.holders.before(row), walk);
                continue;
            };
            walk.next[row as usize] = place + 1;
            let column = self.pairs[row as usize][place as usize].column;
            walk.reached[column as usize] = true;
            if self.holders.has_room(column) {
                self.turn_over_ties(walk);
                return true;
            }
            self.go_to(self.holders.last(column), walk);
        }
        false
    }

    /// A row that has a column comes next on the path.
    fn go_to(&self, row: u32, walk: &mut Walk) {
        if row != NOBODY {
            let worth = self.worth(row as usize).unwrap_or(f64::NEG_INFINITY);
            walk.path.push((row, worth));
        }
    }

    /// The first pair of a row from a place on that is worth no more to it than this, and whose column is wanted.
    fn tie(&self, row: u32, from: u32, worth: f64, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let pairs = (0..).zip(&self.pairs[row as usize]).skip(from as usize);
        let mut tied = pairs.filter(|&(_, &pair)| self.reduced(pair) <= worth);
        tied.find_map(|(place, pair)| wanted(pair.column).then_some(place))
    }

    /// Each row of the path gets the column that it tried last.
    fn turn_over_ties(&mut self, walk: &Walk) {
        // From the end on: there is room there, and then in the column before.
        for &(row, _) in walk.path.iter().rev() {
            self.leave(row as usize);
            self.enter(row, walk.next[row as usize] - 1);
        }
    }
}
