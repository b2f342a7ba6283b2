//! Fuzzy c-means: centres and memberships, each found from the other until they stay.

use std::ops::Range;

use rayon::prelude::*;

use crate::{
    stats::membership::{Fuzziness, LANES, Lanes},
    table::Matrix,
};

/// Records that one task works on. Sums of tasks are added up in order, so that threads do not matter; the number is part
/// of the recipe.
const RECORDS_AT_ONCE: usize = 2048;

/// Centres, so laid out that distances to eight of them are computed at once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Centres {
    n_centres: usize,
    width: usize,
    /// For each eight centres `width` rows of eight coordinates. Those beyond the last centre are infinite.
    tiles: Vec<Lanes>,
}

impl Centres {
    /// From coordinates, centre by centre.
    pub fn from_rows(width: usize, rows: &[f64]) -> Self {
        let n_centres = rows.len() / width.max(1);
        let mut tiles = vec![[f64::INFINITY; LANES]; n_centres.div_ceil(LANES) * width];
        for (centre, row) in rows.chunks_exact(width.max(1)).enumerate() {
            let first = centre / LANES * width;
            for (lanes, &value) in tiles[first..first + width].iter_mut().zip(row) {
                lanes[centre % LANES] = value;
            }
        }
        Self {
            n_centres,
            width,
            tiles,
        }
    }

    /// The coordinates, centre by centre.
    pub fn rows(&self) -> Vec<f64> {
        (0..self.n_centres)
            .flat_map(|centre| (0..self.width).map(move |axis| (centre, axis)))
            .map(|(centre, axis)| self.tiles[centre / LANES * self.width + axis][centre % LANES])
            .collect()
    }

    pub fn n_centres(&self) -> usize {
        self.n_centres
    }

    fn n_tiles(&self) -> usize {
        self.n_centres.div_ceil(LANES)
    }

    /// The squared distances of a point from all centres; infinite beyond the last.
    #[inline(always)]
    fn squared_distances(&self, point: &[f64], squared: &mut [Lanes]) {
        for (squared, tile) in squared.iter_mut().zip(self.tiles.chunks_exact(self.width)) {
            let mut sums = [0.0; LANES];
            for (row, &value) in tile.iter().zip(point) {
                for lane in 0..LANES {
                    let difference = value - row[lane];
                    sums[lane] = difference.mul_add(difference, sums[lane]);
                }
            }
            *squared = sums;
        }
    }
}

/// Room for what is computed of one point.
struct Room {
    squared: Vec<Lanes>,
    nearness: Vec<Lanes>,
    shares: Vec<Lanes>,
}

impl Room {
    fn new(centres: &Centres) -> Self {
        let empty = vec![[0.0; LANES]; centres.n_tiles()];
        Self {
            squared: empty.clone(),
            nearness: empty.clone(),
            shares: empty,
        }
    }
}

/// What c-means found.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    pub centres: Centres,
    /// How often memberships and centres were computed.
    pub iterations: usize,
    /// Σ u^m d² at the last memberships.
    pub objective: f64,
    /// The same times (number of centres)^m, which does not vanish for large m.
    pub scaled_objective: f64,
    /// How far a coordinate of a centre moved at most in the last iteration.
    pub movement: f64,
    pub converged: bool,
}

/// When c-means ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    /// It has converged when no coordinate of a centre moves farther.
    pub tolerance: f64,
    pub max_iterations: usize,
}

/// Fuzzy c-means from starting centres: in turns the memberships u of all points, and the centres
/// `v_i = Σ_k u_ik^m x_k / Σ_k u_ik^m`.
///
/// # How it is computed
/// Memberships are never stored. With t and q as in [`Fuzziness`] and `S = Σ q`, `u^m = (q/S)^m = q t S^−m`, because
/// `q^m = t^(m/(m−1)) = t q`; so the weights cost no other power than q does, and the objective is `Σ_k min_j d² S^(1−m)`.
/// Weights are taken relative to c^−m, which leaves the centres alone. Products are fused with sums where the recipe
/// says so, on every machine.
///
/// A centre of which all weights vanish (m near 1, far from everything) stays where it is.
///
/// # Complexity
/// O(n·c·d) an iteration, in parallel; memory O(c·d) a thread.
pub(super) fn c_means(points: &Matrix, start: Centres, fuzziness: Fuzziness, stop: Stop) -> Fit {
    let mut fit = Fit {
        centres: start,
        iterations: 0,
        objective: 0.0,
        scaled_objective: 0.0,
        movement: f64::INFINITY,
        converged: false,
    };
    while !fit.converged && fit.iterations < stop.max_iterations {
        let sums = summed(points, &fit.centres, fuzziness);
        fit.scaled_objective = sums.objective;
        fit.movement = sums.move_centres(&mut fit.centres);
        fit.iterations += 1;
        fit.converged = fit.movement <= stop.tolerance;
    }
    fit.objective = fit.scaled_objective * (fit.centres.n_centres as f64).powf(-fuzziness.m());
    fit
}

/// Weighted sums of points.
struct Sums {
    /// For each eight centres `width` rows of sums of weighted coordinates, and one of weights.
    tiles: Vec<Lanes>,
    objective: f64,
}

impl Sums {
    fn new(centres: &Centres) -> Self {
        Self {
            tiles: vec![[0.0; LANES]; centres.n_tiles() * (centres.width + 1)],
            objective: 0.0,
        }
    }

    fn add(&mut self, other: &Self) {
        let others = other.tiles.as_flattened();
        for (sum, other) in self.tiles.as_flattened_mut().iter_mut().zip(others) {
            *sum += other;
        }
        self.objective += other.objective;
    }

    /// Adds one point.
    #[inline(always)]
    fn add_point(
        &mut self,
        point: &[f64],
        centres: &Centres,
        fuzziness: Fuzziness,
        room: &mut Room,
    ) {
        centres.squared_distances(point, &mut room.squared);
        let found = fuzziness.shares(&room.squared, &mut room.nearness, &mut room.shares);
        let emphasis = fuzziness.emphasis(centres.n_centres, found.sum);
        self.objective += found.nearest * found.sum * emphasis;
        let factors = room.nearness.iter().zip(&room.shares);
        for (tile, (nearness, share)) in self.tiles.chunks_exact_mut(centres.width + 1).zip(factors)
        {
            let mut weights = [0.0; LANES];
            for lane in 0..LANES {
                weights[lane] = nearness[lane] * share[lane] * emphasis;
            }
            let (last, rows) = tile
                .split_last_mut()
                .unwrap_or_else(|| unreachable!("a row of weights"));
            for (row, &value) in rows.iter_mut().zip(point) {
                for lane in 0..LANES {
                    row[lane] = weights[lane].mul_add(value, row[lane]);
                }
            }
            for lane in 0..LANES {
                last[lane] += weights[lane];
            }
        }
    }

    /// Puts the centres where the sums say, and tells the greatest change of a coordinate.
    fn move_centres(&self, centres: &mut Centres) -> f64 {
        let mut movement = 0.0_f64;
        let width = centres.width;
        for centre in 0..centres.n_centres {
            let (tile, lane) = (centre / LANES, centre % LANES);
            let sums = &self.tiles[tile * (width + 1)..][..=width];
            let places = &mut centres.tiles[tile * width..][..width];
            let weight = sums[width][lane];
            // Otherwise it stays.
            if weight > 0.0 {
                for (place, sum) in places.iter_mut().zip(sums) {
                    let value = sum[lane] / weight;
                    movement = movement.max((value - place[lane]).abs());
                    place[lane] = value;
                }
            }
        }
        movement
    }
}

fn summed(points: &Matrix, centres: &Centres, fuzziness: Fuzziness) -> Sums {
    let tasks: Vec<usize> = (0..points.n_records()).step_by(RECORDS_AT_ONCE).collect();
    let mut sums = Sums::new(centres);
    // A few tasks at a time: their sums are the memory that this takes.
    for tasks in tasks.chunks(4 * rayon::current_num_threads()) {
        let parts: Vec<Sums> = tasks
            .par_iter()
            .map(|&first| {
                let last = points.n_records().min(first + RECORDS_AT_ONCE);
                let (mut part, mut room) = (Sums::new(centres), Room::new(centres));
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        for record in first..last {
                            part.add_point(points.row(record), centres, fuzziness, &mut room);
                        }
                    },
                );
                part
            })
            .collect();
        parts.iter().for_each(|part| sums.add(part));
    }
    sums
}

/// What `use_of` makes of each of some points: its number, its shares `q` in all centres, and their sum in the order of the
/// centres.
pub(super) fn map_shares<T: Send>(
    points: &Matrix,
    some: Range<usize>,
    centres: &Centres,
    fuzziness: Fuzziness,
    use_of: impl Fn(usize, &[f64], f64) -> T + Sync,
) -> Vec<T> {
    let mut results = Vec::new();
    some.into_par_iter()
        .with_min_len(RECORDS_AT_ONCE / 8)
        .map_init(
            || Room::new(centres),
            |room, record| {
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        centres.squared_distances(points.row(record), &mut room.squared);
                        fuzziness.shares(&room.squared, &mut room.nearness, &mut room.shares);
                    },
                );
                let shares = &room.shares.as_flattened()[..centres.n_centres];
                use_of(record, shares, shares.iter().sum())
            },
        )
        .collect_into_vec(&mut results);
    results
}
