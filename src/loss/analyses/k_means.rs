//! k-means: centres and the nearest centre of each point, each found from the other until they stay.

use rand::RngExt;
use rayon::prelude::*;

use crate::{rng::Generator, table::Matrix};

/// Points that one task works on: fixed, so that sums do not depend on the number of threads.
const POINTS_AT_ONCE: usize = 4096;

/// k-means ends when no coordinate of a centre moves farther (in standard deviations, where attributes are standardised).
const TOLERANCE: f64 = 1e-4;

/// Centres move this often at most.
const MAX_ITERATIONS: usize = 300;

/// Centres of which the distances are computed at once.
const LANES: usize = 8;

/// A partition of points around centres.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// The cluster of each point, 0 to k − 1. There may be empty ones.
    pub of_point: Vec<u32>,
    /// The sum of the squared distances of points from the centres of their clusters.
    pub within: f64,
}

/// k-means from one random start (k-means++): the first centre is a point drawn at random, each further one a point drawn
/// with a probability that is proportional to its squared distance from the nearest centre so far. Then, in turns, each
/// point goes to its nearest centre (the first of several), and each centre to the mean of its points; an empty cluster's
/// centre stays.
///
/// # Shapes
/// `points` is complete, its attributes in comparable units; `k` is at least 1 and there is a point.
///
/// # Randomness
/// k numbers of the generator. Results are the same for every number of threads.
///
/// # Complexity
/// O(points · k · attributes) a turn, 300 turns at most.
///
/// # Source
/// S. P. Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28, 1982; D. Arthur,
/// S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.
pub fn k_means(points: &Matrix, k: usize, rng: &mut Generator) -> Clusters {
    let mut centres = start(points, k, rng);
    let mut turn = Turn::new(points, &centres);
    for _ in 0..MAX_ITERATIONS {
        let movement = centres.move_to(&turn);
        turn = Turn::new(points, &centres);
        if movement <= TOLERANCE {
            break;
        }
    }
    Clusters {
        of_point: turn.nearest,
        within: turn.within,
    }
}

/// Centres, so laid out that the distances to eight of them are computed at once.
struct Centres {
    k: usize,
    width: usize,
    /// For each eight centres `width` rows of eight coordinates. Those beyond the last centre are infinite.
    tiles: Vec<[f64; LANES]>,
}

impl Centres {
    fn none(k: usize, width: usize) -> Self {
        Self {
            k,
            width,
            tiles: vec![[f64::INFINITY; LANES]; k.div_ceil(LANES) * width],
        }
    }

    fn put(&mut self, centre: usize, axis: usize, value: f64) -> f64 {
        let place = &mut self.tiles[centre / LANES * self.width + axis][centre % LANES];
        let movement = (value - *place).abs();
        *place = value;
        movement
    }

    /// Puts each centre at the mean of its points, and returns the greatest change of a coordinate.
    fn move_to(&mut self, turn: &Turn) -> f64 {
        let mut movement = 0.0_f64;
        for centre in 0..self.k {
            if turn.counts[centre] > 0 {
                let count = turn.counts[centre] as f64;
                for axis in 0..self.width {
                    let mean = turn.sums[centre * self.width + axis] / count;
                    movement = movement.max(self.put(centre, axis, mean));
                }
            }
        }
        movement
    }

    /// The nearest centre, the first of several, and its squared distance.
    #[inline]
    fn nearest(&self, point: &[f64]) -> (u32, f64) {
        let mut best = (0, f64::INFINITY);
        let tiles = self.tiles.chunks_exact(self.width);
        for (tile, first) in tiles.zip((0..).step_by(LANES)) {
            let mut squared = [0.0; LANES];
            for (row, &value) in tile.iter().zip(point) {
                for lane in 0..LANES {
                    let difference = value - row[lane];
                    squared[lane] += difference * difference;
                }
            }
            for (centre, &squared) in (first..).zip(&squared) {
                if squared < best.1 {
                    best = (centre, squared);
                }
            }
        }
        best
    }
}

/// What one look at all points finds.
struct Turn {
    nearest: Vec<u32>,
    within: f64,
    /// Points of each cluster.
    counts: Vec<u64>,
    /// Sums of their coordinates, cluster by cluster.
    sums: Vec<f64>,
}

impl Turn {
    fn new(points: &Matrix, centres: &Centres) -> Self {
        let width = centres.width;
        let parts: Vec<Self> = points
            .values()
            .par_chunks(POINTS_AT_ONCE * width)
            .map(|values| {
                let mut part = Self::empty(centres);
                for point in values.chunks_exact(width) {
                    let (centre, squared) = centres.nearest(point);
                    part.nearest.push(centre);
                    part.within += squared;
                    let centre = centre as usize;
                    part.counts[centre] += 1;
                    let sums = &mut part.sums[centre * width..][..width];
                    sums.iter_mut()
                        .zip(point)
                        .for_each(|(s, value)| *s += value);
                }
                part
            })
            .collect();
        let mut all = Self::empty(centres);
        for part in parts {
            all.nearest.extend(part.nearest);
            all.within += part.within;
            add(&mut all.counts, &part.counts);
            add(&mut all.sums, &part.sums);
        }
        all
    }

    fn empty(centres: &Centres) -> Self {
        Self {
            nearest: Vec::new(),
            within: 0.0,
            counts: vec![0; centres.k],
            sums: vec![0.0; centres.k * centres.width],
        }
    }
}

fn add<T: Copy + std::ops::AddAssign>(sums: &mut [T], others: &[T]) {
    for (sum, &other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}

/// The starting centres of k-means++.
fn start(points: &Matrix, k: usize, rng: &mut Generator) -> Centres {
    let (n, width) = (points.n_records(), points.n_attributes());
    let mut centres = Centres::none(k, width);
    let mut nearest = vec![f64::INFINITY; n];
    let mut chosen = rng.random_range(0..n);
    for centre in 0..k {
        let row = points.row(chosen).to_vec();
        for (axis, &value) in row.iter().enumerate() {
            centres.put(centre, axis, value);
        }
        nearest
            .par_iter_mut()
            .zip(points.values().par_chunks_exact(width))
            .with_min_len(POINTS_AT_ONCE)
            .for_each(|(nearest, point)| {
                let squares = point.iter().zip(&row).map(|(a, b)| (a - b) * (a - b));
                *nearest = nearest.min(squares.sum());
            });
        if centre + 1 < k {
            chosen = drawn(&nearest, rng.random());
        }
    }
    centres
}

/// The place at which the running sum of the weights passes this share of their sum. Where all weights are 0 (fewer different
/// points than centres), the first.
fn drawn(weights: &[f64], share: f64) -> usize {
    let total: f64 = weights.iter().sum();
    let wanted = share * total;
    let mut sum = 0.0;
    for (place, weight) in weights.iter().enumerate() {
        sum += weight;
        if sum > wanted {
            return place;
        }
    }
    // Rounding at the end: the last point that can be drawn.
    weights
        .iter()
        .rposition(|&weight| weight > 0.0)
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    fn generator(index: u64) -> Generator {
        Seed::from_number(1).streams(Purpose::Analysis, 0).at(index)
    }

    /// Three groups far from each other: 0, 1 | 10, 11 | 20, 21 and the like. Within: each point is 1/2 from the mean, 6/4.
    #[test]
    fn separated_groups_are_found_from_every_start() {
        let points = Matrix::complete(6, 1, vec![0.0, 10.0, 1.0, 20.0, 11.0, 21.0]);
        let mut found = 0;
        for index in 0..20 {
            let clusters = k_means(&points, 3, &mut generator(index));
            let c = &clusters.of_point;
            if (clusters.within - 1.5).abs() < 1e-12 {
                assert!(c[0] == c[2] && c[1] == c[4] && c[3] == c[5], "{c:?}");
                found += 1;
            }
        }
        // A start inside two groups only has a chance below 2 % (1 of 1 + 100 + 100 or so), for one draw each.
        assert!(found >= 17, "{found}");
    }

    /// The definition itself, point by point, from the same start.
    #[test]
    fn more_centres_than_lanes_and_more_points_than_a_task() {
        let values: Vec<f64> = (0..5000_u32)
            .flat_map(|i| [f64::from(i * 7919 % 1009), f64::from(i * i % 499)])
            .collect();
        let points = Matrix::complete(5000, 2, values);
        let clusters = k_means(&points, 11, &mut generator(3));
        let mut sums = vec![[0.0; 3]; 11];
        for (record, &cluster) in clusters.of_point.iter().enumerate() {
            let row = points.row(record);
            let sum = &mut sums[cluster as usize];
            *sum = [sum[0] + row[0], sum[1] + row[1], sum[2] + 1.0];
        }
        let distance = |record: usize, sum: &[f64; 3]| {
            let row = points.row(record);
            (row[0] - sum[0] / sum[2]).powi(2) + (row[1] - sum[1] / sum[2]).powi(2)
        };
        for (record, &cluster) in clusters.of_point.iter().enumerate() {
            let own = distance(record, &sums[cluster as usize]);
            for sum in &sums {
                // Centres stopped moving by less than the tolerance; coordinates reach 1000.
                assert!(own <= distance(record, sum) + 1.0, "{record}");
            }
        }
    }

    /// Two different points and three centres: one cluster stays empty or shares, and nothing is undefined.
    #[test]
    fn fewer_different_points_than_centres() {
        let points = Matrix::complete(4, 1, vec![1.0, 1.0, 2.0, 2.0]);
        let clusters = k_means(&points, 3, &mut generator(0));
        assert_eq!(clusters.within, 0.0);
        assert_eq!(clusters.of_point[0], clusters.of_point[1]);
        assert_ne!(clusters.of_point[1], clusters.of_point[2]);
    }

    #[test]
    fn draws_follow_the_weights_and_skip_those_of_none() {
        assert_eq!(drawn(&[0.0, 1.0, 0.0, 3.0], 0.0), 1);
        assert_eq!(drawn(&[0.0, 1.0, 0.0, 3.0], 0.24), 1);
        assert_eq!(drawn(&[0.0, 1.0, 0.0, 3.0], 0.26), 3);
        assert_eq!(drawn(&[0.0, 0.0], 0.5), 0);
    }
}
