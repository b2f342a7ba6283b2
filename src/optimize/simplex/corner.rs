//! A corner: as many tight constraints as variables, and the inverse of their matrix.

/// Marks a constraint that is not tight.
const NOWHERE: u32 = u32::MAX;

/// A pivot must not be smaller when a corner is rebuilt.
const SMALLEST_PIVOT: f64 = 1e-9;

/// Tight constraints and the inverse of their matrix.
///
/// Column k of the inverse is the direction in which constraint k grows by 1 while the other tight ones stay.
#[derive(Debug, Clone)]
pub(super) struct Corner {
    n: usize,
    /// The tight constraints: numbers below n are variables, the others rows.
    pub tight: Vec<usize>,
    /// The place of each constraint among the tight ones.
    places: Vec<u32>,
    /// Variable by variable.
    inverse: Vec<f64>,
    scratch: Vec<f64>,
}

impl Corner {
    /// All variables at bounds.
    pub(super) fn new(n: usize) -> Self {
        let mut corner = Self {
            n,
            tight: Vec::new(),
            places: vec![NOWHERE; n],
            inverse: Vec::new(),
            scratch: vec![0.0; n],
        };
        corner.reset();
        corner
    }

    fn reset(&mut self) {
        self.places.fill(NOWHERE);
        self.tight = (0..self.n).collect();
        for (place, slot) in self.places[..self.n].iter_mut().enumerate() {
            *slot = to_u32(place);
        }
        self.inverse.clear();
        self.inverse.resize(self.n * self.n, 0.0);
        for k in 0..self.n {
            self.inverse[k * self.n + k] = 1.0;
        }
    }

    /// Makes room for one more constraint.
    pub(super) fn push(&mut self) {
        self.places.push(NOWHERE);
    }

    /// Forgets all constraints from this number on, which must not be tight.
    pub(super) fn truncate(&mut self, n_constraints: usize) {
        self.places.truncate(n_constraints);
    }

    pub(super) fn is_tight(&self, constraint: usize) -> bool {
        self.places[constraint] != NOWHERE
    }

    /// The direction in which the tight constraint at a place grows.
    pub(super) fn edge(&self, place: usize) -> impl Iterator<Item = f64> + '_ {
        self.inverse[place..].iter().step_by(self.n).copied()
    }

    /// The squared lengths of the edges.
    pub(super) fn lengths(&self, out: &mut [f64]) {
        out.fill(0.0);
        for row in self.inverse.chunks_exact(self.n) {
            for (sum, entry) in out.iter_mut().zip(row) {
                *sum += entry * entry;
            }
        }
    }

    /// How fast a sum of variables grows along each edge.
    pub(super) fn along_edges(&self, row: impl Iterator<Item = (u32, f64)>, out: &mut [f64]) {
        out.fill(0.0);
        for (variable, coefficient) in row {
            let start = variable as usize * self.n;
            for (sum, entry) in out.iter_mut().zip(&self.inverse[start..start + self.n]) {
                *sum += coefficient * entry;
            }
        }
    }

    /// The point at which the tight constraints have these values.
    pub(super) fn point(&self, values: &[f64], out: &mut [f64]) {
        for (slot, row) in out.iter_mut().zip(self.inverse.chunks_exact(self.n)) {
            *slot = row.iter().zip(values).map(|(a, b)| a * b).sum();
        }
    }

    /// Constraint `entering`, which grows by `along` on the edges, takes the place of the tight one there.
    pub(super) fn exchange(&mut self, place: usize, entering: usize, along: &[f64]) {
        let pivot = along[place];
        self.scratch.clear();
        self.scratch.extend(along.iter().map(|a| a / pivot));
        for row in self.inverse.chunks_exact_mut(self.n) {
            let lead = row[place];
            if lead != 0.0 {
                for (entry, share) in row.iter_mut().zip(&self.scratch) {
                    *entry -= lead * share;
                }
                row[place] = lead / pivot;
            }
        }
        self.places[self.tight[place]] = NOWHERE;
        self.places[entering] = to_u32(place);
        self.tight[place] = entering;
    }

    /// Works the inverse out anew. A row that depends on others gives way to the bound of a variable, whose number is returned.
    pub(super) fn rebuild<'a>(&mut self, row: impl Fn(usize) -> &'a [(u32, f64)]) -> Vec<usize> {
        let n = self.n;
        let mut rows: Vec<usize> = self.tight.iter().copied().filter(|&t| t >= n).collect();
        // Short rows first: they fill the inverse least.
        rows.sort_by_key(|&constraint| (row(constraint).len(), constraint));
        let mut open: Vec<usize> = (0..n).filter(|&j| !self.is_tight(j)).collect();
        self.reset();
        let mut along = vec![0.0; n];
        for constraint in rows {
            self.along_edges(row(constraint).iter().copied(), &mut along);
            let best = (0..open.len()).max_by(|&a, &b| {
                let (a, b) = (open[a], open[b]);
                along[a].abs().total_cmp(&along[b].abs()).then(b.cmp(&a))
            });
            if let Some(best) = best
                && along[open[best]].abs() > SMALLEST_PIVOT
            {
                self.exchange(open.swap_remove(best), constraint, &along);
            }
        }
        open.sort_unstable();
        open
    }
}

fn to_u32(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(NOWHERE)
}
