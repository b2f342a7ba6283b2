//! Blocks of a cell that cannot all be satisfied: how many must go at least.

use super::{
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
    pub conflicts: Vec<Combination>,
    /// For each undecided block whether no conflict has it.
    pub free: Vec<bool>,
}

/// Pairs of blocks of which no two rows are positive together, and the rows.
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
/// O(rows²) for the clashes, O(blocks · clashes) at worst for the matching.
pub(super) fn pairs(cell: &Cell, board: &Board<'_>) -> Packing {
    let n_blocks = cell.blocks.len();
    let signs: Vec<Signs> = cell
        .values
        .chunks_exact(board.width)
        .map(Signs::of)
        .collect();
    let clashes = Clashes::find(cell, board, &signs);
    let partner = clashes.matching();
    // partner[i] = j: the edge i → j of the doubled graph.
    let mut matched_by = vec![NOBODY; n_blocks];
    for (left, &right) in partner.iter().enumerate() {
        if right != NOBODY {
            matched_by[right] = left;
        }
    }
    let mut packing = Packing {
        free: vec![true; n_blocks],
        ..Packing::default()
    };
    let mut seen = vec![false; n_blocks];
    let mut edges = Vec::new();
    // Paths begin where nobody comes from; what remains are cycles.
    let begins = (0..n_blocks).filter(|&i| matched_by[i] == NOBODY && partner[i] != NOBODY);
    for start in begins.collect::<Vec<_>>().into_iter().chain(0..n_blocks) {
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
        let is_odd_cycle = next == start && walk.len() % 2 == 1 && walk.len() > 1;
        if is_odd_cycle {
            packing.at_least += walk.len().div_ceil(2);
            edges.extend((0..walk.len()).map(|k| (walk[k], walk[(k + 1) % walk.len()])));
        } else {
            packing.at_least += walk.len() / 2;
            edges.extend(walk.chunks_exact(2).map(|pair| (pair[0], pair[1])));
        }
    }
    for (i, j) in edges {
        packing.free[i] = false;
        packing.free[j] = false;
        if board.records_proof {
            packing
                .conflicts
                .extend(rows_of_clash(cell, board, &signs, i, j));
        }
    }
    packing
}

impl Clashes {
    fn find(cell: &Cell, board: &Board<'_>, signs: &[Signs]) -> Self {
        let n_blocks = cell.blocks.len();
        let mut of = vec![Vec::new(); n_blocks];
        for i in 0..n_blocks {
            for j in i + 1..n_blocks {
                if clash_of(cell, board, signs, i, j).is_some() {
                    of[i].push(j);
                    of[j].push(i);
                }
            }
        }
        Self { of }
    }

    /// A largest matching of the doubled graph: for each block on the left its partner on the right.
    fn matching(&self) -> Vec<usize> {
        let n = self.of.len();
        let (mut partner, mut matched_by) = (vec![NOBODY; n], vec![NOBODY; n]);
        for left in 0..n {
            if let Some(&right) = self.of[left].iter().find(|&&j| matched_by[j] == NOBODY) {
                partner[left] = right;
                matched_by[right] = left;
            }
        }
        let mut visited = vec![NOBODY; n];
        for left in 0..n {
            if partner[left] == NOBODY {
                self.augment(left, left, &mut partner, &mut matched_by, &mut visited);
            }
        }
        partner
    }

    /// Finds an augmenting path from `left` by breadth first search.
    fn augment(
        &self,
        left: usize,
        turn: usize,
        partner: &mut [usize],
        matched_by: &mut [usize],
        visited: &mut [usize],
    ) {
        let mut came_from = vec![NOBODY; self.of.len()];
        let mut waiting = std::collections::VecDeque::from([left]);
        while let Some(at) = waiting.pop_front() {
            for &right in &self.of[at] {
                if visited[right] == turn {
                    continue;
                }
                visited[right] = turn;
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

/// Rows (places) of two blocks that are nowhere positive together, and the factor.
fn clash_of(
    cell: &Cell,
    board: &Board<'_>,
    signs: &[Signs],
    i: usize,
    j: usize,
) -> Option<(usize, usize, f64)> {
    cell.rows_of(i).find_map(|a| {
        cell.rows_of(j).find_map(|b| {
            let other = || cell.row(b, board);
            clash(cell.row(a, board), signs[a], other, signs[b]).map(|factor| (a, b, factor))
        })
    })
}

fn rows_of_clash(
    cell: &Cell,
    board: &Board<'_>,
    signs: &[Signs],
    i: usize,
    j: usize,
) -> Option<Combination> {
    let (a, b, factor) = clash_of(cell, board, signs, i, j)?;
    Some(vec![
        (cell.rows[a] as usize, 1.0),
        (cell.rows[b] as usize, factor),
    ])
}

/// What asking whether some blocks can be satisfied together has come to.
pub(super) enum Together {
    /// They can: shares of the generators of such a point.
    At(Vec<f64>),
    /// They cannot: the blocks (places) of these rows.
    Never(Vec<usize>, Combination),
    /// Arithmetic came to no end.
    Unknown,
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
            match blocks.is_empty() {
                true => Together::Unknown,
                false => Together::Never(blocks, game.support.iter().map(number).collect()),
            }
        }
    }
}

/// Adds conflicts of free blocks until their number is `enough`, or none is left.
pub(super) fn extend(
    packing: &mut Packing,
    enough: usize,
    cell: &Cell,
    board: &Board<'_>,
    game: &mut Game,
) {
    while packing.at_least < enough {
        let Together::Never(blocks, combination) = together(cell, board, &packing.free, game)
        else {
            break;
        };
        packing.at_least += 1;
        for block in blocks {
            packing.free[block] = false;
        }
        if board.records_proof {
            packing.conflicts.push(combination);
        }
    }
}
