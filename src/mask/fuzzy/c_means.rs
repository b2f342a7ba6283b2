//! Fuzzy c-means: centres and memberships, each found from the other until they stay.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::{
    stats::membership::{self, Fuzziness, LANES, Lanes},
    table::Matrix,
};

/// Records that one task works on. Sums of tasks are added up in order, so that threads do not matter; the number is part
/// of the recipe.
const RECORDS_AT_ONCE: usize = 2048;

/// Eights of centres that are worked on at a time, for as many points as that makes: enough for long loops, few enough for
/// the nearest cache. No result depends on it.
const TILES_AT_ONCE: usize = 64;

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

/// Room for what is computed of a few points at a time.
struct Room {
    n_tiles: usize,
    /// The squared distances of one point.
    squared: Vec<Lanes>,
    /// As many for each point.
    nearness: Vec<Lanes>,
    shares: Vec<Lanes>,
    /// The squared distance of the nearest centre of each point.
    nearest: Vec<f64>,
}

impl Room {
    fn new(centres: &Centres) -> Self {
        let n_tiles = centres.n_tiles();
        let n_points = (TILES_AT_ONCE / n_tiles.max(1)).max(1);
        let empty = vec![[0.0; LANES]; n_points * n_tiles];
        Self {
            n_tiles,
            squared: empty[..n_tiles].to_vec(),
            nearness: empty.clone(),
            shares: empty,
            nearest: vec![0.0; n_points],
        }
    }

    /// How many points there is room for.
    fn n_points(&self) -> usize {
        self.nearest.len()
    }

    /// Computes what there is room for.
    #[inline(always)]
    fn fill(
        &mut self,
        points: &Matrix,
        some: Range<usize>,
        centres: &Centres,
        fuzziness: Fuzziness,
    ) {
        let size = some.len() * self.n_tiles;
        let room = self
            .nearness
            .chunks_exact_mut(self.n_tiles)
            .zip(&mut self.nearest);
        for (point, (nearness, nearest)) in some.zip(room) {
            centres.squared_distances(points.row(point), &mut self.squared);
            *nearest = membership::nearness(&self.squared, nearness);
        }
        fuzziness.shares(&self.nearness[..size], &mut self.shares[..size]);
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

    /// Adds one point, of which the room at this place holds what is needed.
    #[inline(always)]
    fn add_point(
        &mut self,
        point: &[f64],
        n_centres: usize,
        fuzziness: Fuzziness,
        room: &Room,
        place: usize,
    ) {
        let tiles = place * room.n_tiles..(place + 1) * room.n_tiles;
        let (nearness, shares) = (&room.nearness[tiles.clone()], &room.shares[tiles]);
        let sum = membership::sum(shares);
        let emphasis = fuzziness.emphasis(n_centres, sum);
        self.objective += room.nearest[place] * sum * emphasis;
        let sums = self.tiles.chunks_exact_mut(point.len() + 1);
        for (sums, (nearness, shares)) in sums.zip(nearness.iter().zip(shares)) {
            // Copies, so that a compiler sees eight numbers and not places that might be the same.
            let (mut weights, shares) = (*nearness, *shares);
            for lane in 0..LANES {
                weights[lane] *= shares[lane] * emphasis;
            }
            // A weight is the sum for a coordinate that is 1.
            for (row, &value) in sums.iter_mut().zip(point.iter().chain(&[1.0])) {
                let mut sums = *row;
                for lane in 0..LANES {
                    sums[lane] = weights[lane].mul_add(value, sums[lane]);
                }
                *row = sums;
            }
        }
    }

    /// Puts the centres where the sums say, and returns the greatest change of a coordinate.
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

/// Adds points to sums, with the widest vectors that the processor has.
struct AddPoints<'a> {
    points: &'a Matrix,
    records: Range<usize>,
    centres: &'a Centres,
    fuzziness: Fuzziness,
    sums: &'a mut Sums,
    room: &'a mut Room,
}

impl WithSimd for AddPoints<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let n_centres = self.centres.n_centres;
        for first in self.records.clone().step_by(self.room.n_points()) {
            let some = first..self.records.end.min(first + self.room.n_points());
            self.room
                .fill(self.points, some.clone(), self.centres, self.fuzziness);
            for (place, record) in some.enumerate() {
                let point = self.points.row(record);
                self.sums
                    .add_point(point, n_centres, self.fuzziness, self.room, place);
            }
        }
    }
}

/// Fills the room.
struct Fill<'a> {
    points: &'a Matrix,
    some: Range<usize>,
    centres: &'a Centres,
    fuzziness: Fuzziness,
    room: &'a mut Room,
}

impl WithSimd for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.room
            .fill(self.points, self.some, self.centres, self.fuzziness);
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
                Arch::new().dispatch(AddPoints {
                    points,
                    records: first..last,
                    centres,
                    fuzziness,
                    sums: &mut part,
                    room: &mut room,
                });
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
    let tasks: Vec<usize> = some.clone().step_by(RECORDS_AT_ONCE).collect();
    let results: Vec<Vec<T>> = tasks
        .into_par_iter()
        .map(|first| {
            let last = some.end.min(first + RECORDS_AT_ONCE);
            let mut room = Room::new(centres);
            let mut results = Vec::with_capacity(last - first);
            for first in (first..last).step_by(room.n_points()) {
                let some = first..last.min(first + room.n_points());
                Arch::new().dispatch(Fill {
                    points,
                    some: some.clone(),
                    centres,
                    fuzziness,
                    room: &mut room,
                });
                for (point, shares) in some.zip(room.shares.chunks_exact(room.n_tiles)) {
                    let shares = &shares.as_flattened()[..centres.n_centres];
                    results.push(use_of(point, shares, shares.iter().sum()));
                }
            }
            results
        })
        .collect();
    results.into_iter().flatten().collect()
}
