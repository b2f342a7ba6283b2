//! Blocks of a cell that cannot all be satisfied: how many must go at least.

use super::{
    super::ROUNDING,
    cell::{Board, Cell, Combination, Signs, clash},
    game::Game,
};

/// Nothing is matched.
const NOBODY: usize = usize::MAX;

/// A game with a value up to this is one that nobody wins.
const NEVER: f64 = 1e-10;

/// Conflicts of which no hitting set has fewer than `at_least` blocks.
#[derive(Debug, Default)]
pub(super) struct Packing {
    pub at_least: usize,
    /// For each undecided block whether no conflict has it.
    pub free: Vec<bool>,
    /// The blocks of each conflict that is disjoint from all others, with its rows.
    disjoint: Vec<(Vec<usize>, Combination)>,
    /// The conflicts of odd cycles.
    cycles: Vec<Combination>,
}

impl Packing {
    /// No conflicts among so many blocks.
    pub fn none(n_blocks: usize) -> Self {
        Self {
            free: vec![true; n_blocks],
            ..Self::default()
        }
    }

    /// Adds two free blocks that clash.
    pub fn add_pair(&mut self, cell: &Cell, board: &Board<'_>, i: usize, j: usize) {
        let rows = if board.records_proof {
            rows_of_clash(cell, board, i, j).unwrap_or_default()
        } else {
            Vec::new()
        };
        self.add(vec![i, j], rows);
    }

    /// The rows of all conflicts.
    pub fn conflicts(self) -> Vec<Combination> {
        let disjoint = self.disjoint.into_iter().map(|(_, rows)| rows);
        disjoint.chain(self.cycles).collect()
    }
}

/// Pairs of blocks with rows that are nowhere positive together.
struct Clashes {
    /// For each undecided block the others, ascending.
    of: Vec<Vec<usize>>,
}

/// Packs pairs of blocks that clash: a half-integral packing of most of them, which is what the relaxation of the vertex cover is worth.
///
/// ```text
/// a largest matching of the doubled graph (each block on either side) = edges, and odd cycles of half edges
/// an edge costs a block, an odd cycle of k blocks (k + 1) / 2
/// ```
///
/// # Source
/// G. Nemhauser, L. Trotter, "Vertex packings: structural properties and algorithms", Mathematical Programming 8, 1975.
///
/// # Complexity
/// O(rows²) at worst for the clashes, but rows whose signs rule it out are never compared; O(blocks · clashes) for the matching.
pub(super) fn pairs(cell: &Cell, board: &Board<'_>) -> Packing {
    let n_blocks = cell.blocks.len();
    let partner = Clashes::find(cell, board).matching();
    // partner[i] = j: the edge i → j of the doubled graph.
    let mut matched_by = vec![NOBODY; n_blocks];
    for (left, &right) in partner.iter().enumerate() {
        if right != NOBODY {
            matched_by[right] = left;
        }
    }
    let mut packing = Packing::none(n_blocks);
    let mut seen = vec![false; n_blocks];
    // Paths begin where nobody comes from; what remains are cycles.
    let begins = (0..n_blocks).filter(|&i| matched_by[i] == NOBODY);
    for start in begins.chain(0..n_blocks) {
        if seen[start] || partner[start] == NOBODY {
            continue;
        }
        let mut walk = vec![start];
        seen[start] = true;
        let mut next = partner[start];
        while next != NOBODY && !seen[next] {
            seen[next] = true;
            walk.push(next);
            next = partner[next];
        }
        let is_odd_cycle = next == start && walk.len() % 2 == 1;
        let edges = (0..walk.len()).step_by(if is_odd_cycle { 1 } else { 2 });
        for k in edges {
            let (i, other) = (walk[k], walk.get(k + 1).or(is_odd_cycle.then_some(&start)));
            let Some(&j) = other else {
                continue;
            };
            packing.free[i] = false;
            packing.free[j] = false;
            let rows = if board.records_proof {
                rows_of_clash(cell, board, i, j).unwrap_or_default()
            } else {
                Vec::new()
            };
            if is_odd_cycle {
                packing.cycles.push(rows)
            } else {
                packing.disjoint.push((vec![i, j], rows))
            }
        }
        packing.at_least += if is_odd_cycle {
            walk.len().div_ceil(2)
        } else {
            walk.len() / 2
        };
    }
    packing
}

impl Clashes {
    fn find(cell: &Cell, board: &Board<'_>) -> Self {
        let n_blocks = cell.blocks.len();
        // Rows by their signs, with their owners.
        let mut rows: Vec<(Signs, usize, usize)> = Vec::with_capacity(cell.rows.len());
        for place in 0..n_blocks {
            for row in cell.rows_of(place) {
                rows.push((Signs::of(cell.row(row, board)), place, row));
            }
        }
        rows.sort_unstable_by_key(|&(signs, _, row)| (signs.positive, signs.negative, row));
        let alike: Vec<&[(Signs, usize, usize)]> = rows.chunk_by(|a, b| a.0 == b.0).collect();
        let mut clash_at = vec![false; n_blocks * n_blocks];
        for (place, some) in alike.iter().enumerate() {
            for others in &alike[place + 1..] {
                if !some[0].0.may_clash(others[0].0) {
                    continue;
                }
                for &(signs, i, a) in *some {
                    let of_a = cell.row(a, board);
                    for &(_, j, b) in *others {
                        let at = i.min(j) * n_blocks + i.max(j);
                        if i != j
                            && !clash_at[at]
                            && is_clash(of_a, cell.row(b, board), signs.positive)
                        {
                            clash_at[at] = true;
                        }
                    }
                }
            }
        }
        let mut of = vec![Vec::new(); n_blocks];
        for i in 0..n_blocks {
            for j in (i + 1..n_blocks).filter(|j| clash_at[i * n_blocks + j]) {
                of[i].push(j);
                of[j].push(i);
            }
        }
        Self { of }
    }

    /// A largest matching of the doubled graph: for each block on the left its partner on the right.
    fn matching(&self) -> Vec<usize> {
        let n = self.of.len();
        let (mut partner, mut matched_by) = (vec![NOBODY; n], vec![NOBODY; n]);
        // Both directions of an edge, as long as there are free ones; those with few choices first.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| self.of[i].len());
        for &i in &order {
            if partner[i] != NOBODY {
                continue;
            }
            let free = |&&j: &&usize| partner[j] == NOBODY;
            if let Some(&j) = self.of[i]
                .iter()
                .filter(free)
                .min_by_key(|&&j| self.of[j].len())
            {
                partner[i] = j;
                partner[j] = i;
                matched_by[i] = j;
                matched_by[j] = i;
            }
        }
        let mut visited = vec![NOBODY; n];
        let mut came_from = vec![NOBODY; n];
        for left in 0..n {
            if partner[left] == NOBODY && !self.of[left].is_empty() {
                self.augment(
                    left,
                    &mut partner,
                    &mut matched_by,
                    &mut visited,
                    &mut came_from,
                );
            }
        }
        partner
    }

    /// Finds an augmenting path from `left`, breadth first.
    fn augment(
        &self,
        left: usize,
        partner: &mut [usize],
        matched_by: &mut [usize],
        visited: &mut [usize],
        came_from: &mut [usize],
    ) {
        let mut waiting = std::collections::VecDeque::from([left]);
        while let Some(at) = waiting.pop_front() {
            for &right in &self.of[at] {
                if visited[right] == left {
                    continue;
                }
                visited[right] = left;
                came_from[right] = at;
                if matched_by[right] != NOBODY {
                    waiting.push_back(matched_by[right]);
                    continue;
                }
                let mut right = right;
                loop {
                    let at = came_from[right];
                    let before = std::mem::replace(&mut partner[at], right);
                    matched_by[right] = at;
                    if at == left {
                        return;
                    }
                    right = before;
                }
            }
        }
    }
}

/// Whether rows u and w, whose signs allow it, are nowhere positive together: u + c·w ≤ 0 at all generators for a c > 0.
pub(super) fn is_clash(u: &[f64], w: &[f64], positive_of_u: u32) -> bool {
    let mut most = f64::INFINITY;
    for (a, b) in u.iter().zip(w) {
        if *b > 0.0 {
            most = most.min(-a / b);
        }
    }
    let most = most * (1.0 + 1e-12);
    let mut left = positive_of_u;
    while left != 0 {
        let k = left.trailing_zeros() as usize;
        if u[k] > -w[k] * most {
            return false;
        }
        left &= left - 1;
    }
    true
}

/// The rows of two blocks that are nowhere positive together, with multipliers.
fn rows_of_clash(cell: &Cell, board: &Board<'_>, i: usize, j: usize) -> Option<Combination> {
    cell.rows_of(i).find_map(|a| {
        let of_a = cell.row(a, board);
        cell.rows_of(j).find_map(|b| {
            let of_b = cell.row(b, board);
            let factor = clash(of_a, Signs::of(of_a), || of_b, Signs::of(of_b))?;
            Some(vec![
                (cell.rows[a] as usize, 1.0),
                (cell.rows[b] as usize, factor),
            ])
        })
    })
}

/// What asking whether some blocks can be satisfied together has come to.
pub(super) enum Together {
    /// They can: shares of the generators of such a point.
    At(Vec<f64>),
    /// They cannot: the blocks (places) of these rows.
    Never(Vec<usize>, Combination),
    /// Arithmetic came to no end, or to one that does not bear looking at.
    Unknown,
}

/// Whether a combination of rows (by their place in the cell) is nowhere positive in the cell but for rounding: at no generator does it exceed
/// [`ROUNDING`] times the sizes of its terms there. What is large at one generator hides nothing at another.
///
/// A tableau says so too, but after hundreds of pivots.
pub(super) fn is_nowhere_positive(
    cell: &Cell,
    board: &Board<'_>,
    combination: impl Iterator<Item = (usize, f64)>,
) -> bool {
    let mut sums = vec![0.0; board.width];
    let mut sizes = vec![0.0; board.width];
    for (row, multiplier) in combination {
        let values = cell.row(row, board);
        for ((sum, size), value) in sums.iter_mut().zip(&mut sizes).zip(values) {
            *sum += multiplier * value;
            *size += multiplier * value.abs();
        }
    }
    let mut at_generators = sums.iter().zip(&sizes);
    at_generators.all(|(&sum, &size)| sum <= ROUNDING * size)
}

/// Whether the blocks with `active` can be satisfied together in the cell.
pub(super) fn together(
    cell: &Cell,
    board: &Board<'_>,
    active: &[bool],
    game: &mut Game,
) -> Together {
    let mut rows = Vec::new();
    let mut owners = Vec::new();
    for place in (0..active.len()).filter(|&place| active[place]) {
        for row in cell.rows_of(place) {
            rows.push(row);
            owners.push(place);
        }
    }
    if rows.is_empty() {
        return Together::At(vec![1.0; board.width]);
    }
    match game.play(board.width, rows.iter().map(|&row| cell.row(row, board))) {
        None => Together::Unknown,
        Some(value) if value > NEVER => Together::At(game.point.clone()),
        Some(_) => {
            let mut blocks: Vec<usize> = game.support.iter().map(|&(q, _)| owners[q]).collect();
            blocks.dedup();
            let number =
                |&(q, multiplier): &(usize, f64)| (cell.rows[rows[q]] as usize, multiplier);
            let of_cell = game.support.iter().map(|&(q, m)| (rows[q], m));
            if blocks.is_empty() || !is_nowhere_positive(cell, board, of_cell) {
                return Together::Unknown;
            }
            Together::Never(blocks, game.support.iter().map(number).collect())
        }
    }
}

/// Adds conflicts of free blocks until their number is `enough`, or none is left; then exchanges one conflict for two, where that is possible.
pub(super) fn extend(
    packing: &mut Packing,
    enough: usize,
    cell: &Cell,
    board: &Board<'_>,
    game: &mut Game,
    swaps: usize,
) {
    while packing.at_least < enough {
        let Together::Never(blocks, rows) = together(cell, board, &packing.free, game) else {
            break;
        };
        packing.add(blocks, rows);
    }
    let mut place = 0;
    while packing.at_least < enough
        && enough - packing.at_least <= swaps
        && place < packing.disjoint.len()
    {
        if packing.exchange(place, cell, board, game) {
            place = 0;
        } else {
            place += 1;
        }
    }
}

impl Packing {
    fn add(&mut self, blocks: Vec<usize>, rows: Combination) {
        self.at_least += 1;
        for &block in &blocks {
            self.free[block] = false;
        }
        self.disjoint.push((blocks, rows));
    }

    /// Replaces a conflict by two: one of some of its blocks and free ones, and one of the others.
    fn exchange(&mut self, place: usize, cell: &Cell, board: &Board<'_>, game: &mut Game) -> bool {
        let blocks = self.disjoint[place].0.clone();
        for &chosen in &blocks {
            let mut active = self.free.clone();
            active[chosen] = true;
            let Together::Never(first, rows) = together(cell, board, &active, game) else {
                continue;
            };
            for &block in &blocks {
                active[block] = block != chosen;
            }
            for &block in &first {
                active[block] = false;
            }
            let Together::Never(second, more) = together(cell, board, &active, game) else {
                continue;
            };
            for &block in &blocks {
                self.free[block] = true;
            }
            self.disjoint.swap_remove(place);
            self.at_least -= 1;
            self.add(first, rows);
            self.add(second, more);
            return true;
        }
        false
    }
}
