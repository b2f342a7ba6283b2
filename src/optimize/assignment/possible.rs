//! Pairs that are in some matching with the most pairs.

use super::{
    matching::NOBODY,
    maximum::{Graph, Maximum, Place},
};

/// Which pairs of a graph are in some matching with the most pairs, and who can stay alone in one.
///
/// # Law
/// Take one such matching. Let each column without a row belong to *strangers*, who may take any column, and let each row
/// without a column, and any row in its stead, take a *place of nobody*: then everybody is matched, and another matching of as many
/// pairs differs from this one by cycles along which each row takes what the next one has. So a pair is in one if and
/// only if its row and whoever has its column are in one strongly connected part of the graph "row → who has a column
/// that the row could take".
///
/// # Source
/// A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canadian Journal of Mathematics 10, 1958; J.-C. Régin, "A
/// filtering algorithm for constraints of difference in CSPs", AAAI 1994; R. Tarjan, "Depth-first search and linear graph
/// algorithms", SIAM Journal on Computing 1, 1972.
#[derive(Debug)]
pub struct Possible {
    column_of: Vec<u32>,
    row_of: Vec<u32>,
    /// The connected part of each row, of the strangers and of nobody's places.
    part: Vec<u32>,
}

impl Possible {
    /// Looks at all pairs of a graph.
    ///
    /// # Complexity
    /// O(m √n) time for the matching of m candidates (mostly a few passes over them), a pass for the parts; O(n) memory.
    pub fn of(graph: impl Graph) -> Self {
        let Maximum {
            column_of, row_of, ..
        } = Maximum::of(graph);
        let part = Parts::of(graph, &column_of, &row_of);
        Self {
            column_of,
            row_of,
            part,
        }
    }

    /// The column of a row in one matching with the most pairs.
    pub fn column_of(&self, row: usize) -> Option<u32> {
        Some(self.column_of[row]).filter(|&column| column != NOBODY)
    }

    /// The row of a column in the same matching.
    pub fn row_of(&self, column: usize) -> Option<u32> {
        Some(self.row_of[column]).filter(|&row| row != NOBODY)
    }

    /// Whether some matching with the most pairs has this candidate of the row.
    pub fn is_possible(&self, row: usize, column: u32) -> bool {
        self.part[row] == self.part[self.holder(column as usize)]
    }

    /// Whether a row that has candidates stays alone in some matching with the most pairs.
    pub fn row_may_be_alone(&self, row: usize) -> bool {
        self.column_of[row] == NOBODY || self.part[row] == self.part[self.column_of.len() + 1]
    }

    /// Whether a column that is a candidate stays alone in some matching with the most pairs.
    pub fn column_may_be_alone(&self, column: usize) -> bool {
        self.part[self.holder(column)] == self.part[self.column_of.len()]
    }

    /// The row that has a column, or the strangers.
    fn holder(&self, column: usize) -> usize {
        match self.row_of[column] {
            NOBODY => self.column_of.len(),
            row => row as usize,
        }
    }
}

/// Depth-first search for strongly connected parts. Nodes are the rows, the strangers (after them) and nobody's places (last).
struct Parts<'a, G> {
    graph: G,
    column_of: &'a [u32],
    row_of: &'a [u32],
    /// The order in which nodes were met.
    met: Vec<u32>,
    /// The earliest node that is known to be reached back to.
    back: Vec<u32>,
    part: Vec<u32>,
    /// Nodes whose part is not complete.
    open: Vec<u32>,
    count: u32,
}

impl<'a, G: Graph> Parts<'a, G> {
    #[expect(clippy::cast_possible_truncation, reason = "rows are counted by u32")]
    fn of(graph: G, column_of: &'a [u32], row_of: &'a [u32]) -> Vec<u32> {
        let nodes = graph.n_rows() + 2;
        let mut parts = Self {
            graph,
            column_of,
            row_of,
            met: vec![NOBODY; nodes],
            back: vec![0; nodes],
            part: vec![NOBODY; nodes],
            open: Vec::new(),
            count: 0,
        };
        for node in 0..nodes as u32 {
            if parts.met[node as usize] == NOBODY {
                parts.search(node);
            }
        }
        parts.part
    }

    /// Where the nodes begin that a node leads to: places of columns, or numbers of rows.
    fn first(&self, node: u32) -> Place {
        let row = node as usize;
        if row < self.graph.n_rows() {
            self.graph.first(row)
        } else {
            Place::default()
        }
    }

    /// The node at a place of those that a node leads to, or one after it: with the place after.
    #[expect(clippy::cast_possible_truncation, reason = "rows are counted by u32")]
    fn next(&self, node: u32, place: Place) -> Option<(u32, Place)> {
        let n = self.graph.n_rows();
        let (strangers, nobody) = (n as u32, n as u32 + 1);
        if node >= strangers {
            // Strangers may take what any row has; nobody's places are those of the rows that stay alone.
            let matched = node == strangers;
            let row = (place.at..n).find(|&row| (self.column_of[row] != NOBODY) == matched)?;
            let next = Place {
                at: row + 1,
                before: 0,
            };
            return Some((row as u32, next));
        }
        match self.graph.at(node as usize, place) {
            Some((column, next)) => Some((
                match self.row_of[column as usize] {
                    NOBODY => strangers,
                    row => row,
                },
                next,
            )),
            None if place.at != Place::END.at && self.column_of[node as usize] != NOBODY => {
                Some((nobody, Place::END))
            }
            None => None,
        }
    }

    fn meet(&mut self, node: u32) {
        self.met[node as usize] = self.count;
        self.back[node as usize] = self.count;
        self.count += 1;
        self.open.push(node);
    }

    fn search(&mut self, start: u32) {
        self.meet(start);
        let mut path = vec![(start, self.first(start))];
        while let Some(&(node, place)) = path.last() {
            if let Some((next, after)) = self.next(node, place) {
                if let Some(last) = path.last_mut() {
                    last.1 = after;
                }
                if self.met[next as usize] == NOBODY {
                    self.meet(next);
                    path.push((next, self.first(next)));
                } else if self.part[next as usize] == NOBODY {
                    let back = &mut self.back[node as usize];
                    *back = (*back).min(self.met[next as usize]);
                }
                continue;
            }
            path.pop();
            let back = self.back[node as usize];
            if let Some(&(before, _)) = path.last() {
                let of_before = &mut self.back[before as usize];
                *of_before = (*of_before).min(back);
            }
            if back == self.met[node as usize] {
                while let Some(member) = self.open.pop() {
                    self.part[member as usize] = node;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
}
