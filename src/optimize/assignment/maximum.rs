//! As many pairs as possible.

use super::matching::NOBODY;

/// The possible columns of each row, however they are stored.
pub trait Graph: Copy {
    /// Number of rows.
    fn n_rows(self) -> usize;

    /// Number of columns.
    fn n_columns(self) -> usize;

    /// Where the columns of a row begin.
    fn first(self, row: usize) -> Place;

    /// The column at a place of a row, and the place of the next one; `None` behind the last.
    fn at(self, row: usize, place: Place) -> Option<(u32, Place)>;

    /// All columns of a row.
    fn columns(self, row: usize) -> impl Iterator<Item = u32> {
        let mut place = self.first(row);
        std::iter::from_fn(move || {
            let (column, next) = self.at(row, place)?;
            place = next;
            Some(column)
        })
    }
}

/// A place among the columns of a row.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    /// Where it is in the storage of the graph.
    pub at: usize,
    /// The column before it, for a graph that stores differences; 0 for the first.
    pub before: u32,
}

impl Place {
    /// Behind the last column of any row.
    pub(super) const END: Self = Self {
        at: usize::MAX,
        before: 0,
    };
}

/// A graph in plain arrays.
#[derive(Debug, Clone, Copy)]
pub struct Plain<'a> {
    /// Number of columns.
    pub n_columns: usize,
    /// Row i has the candidates `starts[i]..starts[i + 1]`.
    pub starts: &'a [usize],
    /// The columns of all rows; each below `n_columns`.
    pub columns: &'a [u32],
}

impl Graph for Plain<'_> {
    fn n_rows(self) -> usize {
        self.starts.len() - 1
    }

    fn n_columns(self) -> usize {
        self.n_columns
    }

    fn first(self, row: usize) -> Place {
        Place {
            at: self.starts[row],
            before: 0,
        }
    }

    fn at(self, row: usize, place: Place) -> Option<(u32, Place)> {
        let column = *self.columns[..self.starts[row + 1]].get(place.at)?;
        let next = Place {
            at: place.at + 1,
            before: column,
        };
        Some((column, next))
    }
}

/// The rows and columns of a graph in which as many pairs as possible cannot be all rows.
///
/// In every matching with the most pairs, each scarce column has a row, which is a crowding one; and each other row
/// has a column, which is not scarce. So both parts are matched by themselves.
///
/// # Source
/// A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canadian Journal of Mathematics 10, 1958.
pub(super) struct Parts {
    /// Whether a row can stay alone in some matching with the most pairs.
    pub crowding: Vec<bool>,
    /// Whether a column is a candidate of a crowding row.
    pub scarce: Vec<bool>,
}

/// Splits a graph by a matching with the most pairs.
///
/// # Complexity
/// That of [`Maximum::of`].
pub(super) fn parts(graph: impl Graph) -> Parts {
    let matching = Maximum::of(graph);
    // The last layering reached no free column: it went along all alternating paths.
    let mut scarce = vec![false; graph.n_columns()];
    for row in (0..graph.n_rows()).filter(|&row| matching.level[row] != NOBODY) {
        for column in graph.columns(row) {
            scarce[column as usize] = true;
        }
    }
    Parts {
        crowding: matching
            .level
            .iter()
            .map(|&level| level != NOBODY)
            .collect(),
        scarce,
    }
}

/// How many pairs a matching has at most.
///
/// # Complexity
/// O(m √n) time for m candidates.
pub fn most_pairs(graph: impl Graph) -> usize {
    let columns = Maximum::of(graph).column_of;
    columns.iter().filter(|&&column| column != NOBODY).count()
}

/// A matching with the most pairs.
pub(super) struct Maximum<G> {
    graph: G,
    /// The column of each row, or [`NOBODY`].
    pub column_of: Vec<u32>,
    /// The row of each column, or [`NOBODY`].
    pub row_of: Vec<u32>,
    /// Number of pairs on the shortest alternating path from a free row; [`NOBODY`] where there is none, and beyond where the last layering ended.
    level: Vec<u32>,
    /// The candidate that a row tries next.
    next: Vec<Place>,
}

impl<G: Graph> Maximum<G> {
    /// Finds one.
    ///
    /// # Complexity
    /// O(m √n) time for m candidates.
    ///
    /// # Source
    /// J. E. Hopcroft, R. M. Karp, "An n^5/2 algorithm for maximum matchings in bipartite graphs", SIAM Journal on
    /// Computing 2, 1973.
    pub(super) fn of(graph: G) -> Self {
        let mut matching = Self {
            column_of: vec![NOBODY; graph.n_rows()],
            row_of: vec![NOBODY; graph.n_columns()],
            level: vec![NOBODY; graph.n_rows()],
            next: vec![Place::END; graph.n_rows()],
            graph,
        };
        matching.take_free_columns();
        while matching.layer() {
            for row in 0..graph.n_rows() {
                if matching.column_of[row] == NOBODY {
                    matching.path(row);
                }
            }
        }
        matching
    }

    fn take_free_columns(&mut self) {
        for row in 0..self.column_of.len() {
            let free =
                (self.graph.columns(row)).find(|&column| self.row_of[column as usize] == NOBODY);
            if let Some(column) = free {
                self.pair(row, column);
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "rows are counted by u32")]
    fn pair(&mut self, row: usize, column: u32) {
        self.column_of[row] = column;
        self.row_of[column as usize] = row as u32;
    }

    /// Works out the levels, up to those of rows next to a free column; whether there is such a column.
    #[expect(clippy::cast_possible_truncation, reason = "rows are counted by u32")]
    fn layer(&mut self) -> bool {
        self.level.fill(NOBODY);
        for (row, next) in self.next.iter_mut().enumerate() {
            *next = self.graph.first(row);
        }
        let mut queue: Vec<u32> = Vec::new();
        for (row, &column) in self.column_of.iter().enumerate() {
            if column == NOBODY {
                self.level[row] = 0;
                queue.push(row as u32);
            }
        }
        // The level of the first row with a free column. Until there is one, no level is too far.
        let mut found = NOBODY;
        let mut at = 0;
        while let Some(&row) = queue.get(at)
            && self.level[row as usize] <= found
        {
            at += 1;
            for column in self.graph.columns(row as usize) {
                let owner = self.row_of[column as usize];
                if owner == NOBODY {
                    found = self.level[row as usize];
                } else if self.level[owner as usize] == NOBODY {
                    self.level[owner as usize] = self.level[row as usize] + 1;
                    queue.push(owner);
                }
            }
        }
        found != NOBODY
    }

    /// Looks for a free column along growing levels, and hands columns on along the path.
    fn path(&mut self, start: usize) {
        let mut path = vec![start];
        while let Some(&row) = path.last() {
            let Some((column, next)) = self.graph.at(row, self.next[row]) else {
                path.pop();
                continue;
            };
            self.next[row] = next;
            let owner = self.row_of[column as usize];
            if owner == NOBODY {
                let mut column = column;
                for &row in path.iter().rev() {
                    let before = self.column_of[row];
                    self.pair(row, column);
                    column = before;
                }
                return;
            }
            if self.level[owner as usize] == self.level[row] + 1 {
                path.push(owner as usize);
            }
        }
    }
}
