//! Clashing pairs of blocks in cells with many rows: one after the other, the hardest first.

use super::{
    cell::{Board, Cell, Signs},
    packing::{Packing, is_clash},
};

/// Partners that are tried for a row.
const TRIED: usize = 24;

/// Packs clashing pairs until there are `enough`, or no more are found.
///
/// ```text
/// u, w with positive places K, L clash  ⟺  u_k w_l ≤ |u_l| |w_k| for all k ∈ K, l ∈ L
/// hence Φ(u) ≥ Φ(w) with  Φ(u) = mean_l ln |u_l| − mean_k ln u_k,   Φ(w) = mean_l ln w_l − mean_k ln |w_k|
/// ```
///
/// Rows are grouped by their signs; groups that leave no generator to both go first. In a pair of groups each u, by ascending Φ, gets the
/// first w that it clashes with by descending Φ(w) ≤ Φ(u).
///
/// # Complexity
/// O(rows · log rows) for each pair of groups.
pub(super) fn pairs(cell: &Cell, board: &Board<'_>, enough: usize) -> Packing {
    let width = board.width;
    let mut packing = Packing::none(cell.blocks.len());
    let mut rows: Vec<Entry> = Vec::with_capacity(cell.rows.len());
    for place in 0..cell.blocks.len() {
        for row in cell.rows_of(place) {
            rows.push(Entry {
                signs: Signs::of(cell.row(row, board)),
                place,
                row,
            });
        }
    }
    rows.sort_unstable_by_key(|entry| (entry.signs.positive, entry.signs.negative, entry.row));
    let logs: Vec<f64> = cell.values.iter().map(|value| value.abs().ln()).collect();
    let groups: Vec<&[Entry]> = rows.chunk_by(|a, b| a.signs == b.signs).collect();
    let mut order = Vec::new();
    for (first, some) in groups.iter().enumerate() {
        for (second, others) in groups.iter().enumerate().skip(first + 1) {
            if some[0].signs.may_clash(others[0].signs) {
                let taken = some[0].signs.positive | others[0].signs.positive;
                order.push((width - taken.count_ones() as usize, first, second));
            }
        }
    }
    order.sort_unstable();
    let mut room = Room::default();
    for (_, first, second) in order {
        if packing.at_least >= enough {
            break;
        }
        let of = [groups[first], groups[second]];
        room.match_groups(of, &logs, cell, board, enough, &mut packing);
    }
    packing
}

/// A row with its signs and its block's place.
#[derive(Debug, Clone, Copy)]
struct Entry {
    signs: Signs,
    place: usize,
    row: usize,
}

#[derive(Debug, Default)]
struct Room {
    of_first: Vec<(f64, Entry)>,
    of_second: Vec<(f64, Entry)>,
    /// For each place of `of_second` the nearest one before it, or itself, that may be free; 0 is before all.
    before: Vec<usize>,
}

impl Room {
    fn match_groups(
        &mut self,
        of: [&[Entry]; 2],
        logs: &[f64],
        cell: &Cell,
        board: &Board<'_>,
        enough: usize,
        packing: &mut Packing,
    ) {
        let width = board.width;
        let [k, l] = of.map(|group| group[0].signs.positive);
        let mean = |row: usize, of: u32| -> f64 {
            let logs = &logs[row * width..(row + 1) * width];
            let sum: f64 = (0..width)
                .filter(|place| of >> place & 1 == 1)
                .map(|place| logs[place])
                .sum();
            sum / f64::from(of.count_ones())
        };
        for (rated, group) in [&mut self.of_first, &mut self.of_second]
            .into_iter()
            .zip(of)
        {
            rated.clear();
            let free = group.iter().filter(|entry| packing.free[entry.place]);
            rated.extend(free.map(|&entry| (mean(entry.row, l) - mean(entry.row, k), entry)));
            rated.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.row.cmp(&b.1.row)));
        }
        self.before.clear();
        self.before.extend(0..=self.of_second.len());
        for &(rate, u) in &self.of_first {
            if packing.at_least >= enough {
                return;
            }
            if !packing.free[u.place] {
                continue;
            }
            let of_u = cell.row(u.row, board);
            let mut at = self.of_second.partition_point(|&(other, _)| other <= rate);
            for _ in 0..TRIED {
                at = nearest(&mut self.before, at);
                if at == 0 {
                    break;
                }
                let w = self.of_second[at - 1].1;
                if !packing.free[w.place] {
                    self.before[at] = at - 1;
                } else if w.place != u.place
                    && is_clash(of_u, cell.row(w.row, board), u.signs.positive)
                {
                    self.before[at] = at - 1;
                    packing.add_pair(cell, board, u.place, w.place);
                    break;
                }
                at -= 1;
            }
        }
    }
}

/// The nearest place at or before this one that may be free; the way there is shortened.
fn nearest(before: &mut [usize], at: usize) -> usize {
    let mut found = at;
    while before[found] != found {
        found = before[found];
    }
    let mut at = at;
    while before[at] != at {
        at = std::mem::replace(&mut before[at], found);
    }
    found
}
