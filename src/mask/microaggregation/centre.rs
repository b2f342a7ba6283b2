//! The centre of the records that remain, kept up to date as they leave.

use super::space::{Axis, Space};
use crate::stats::elementary::binary_exponent;

/// Bits that a coordinate may take before the binary point of its sum: with them 2^32 records fit into an `i128`.
const BITS: i32 = 93;

/// The centre of some points of a space, axis by axis.
///
/// # Law
/// `Mean`: the mean of the coordinate. `Median`: the lower median. `Mode`: the corner of the most frequent category, of several
/// the first; a point that is zero throughout votes for none, and where none votes the centre is zero.
///
/// The centre depends on which points remain, not on the order in which the others left: sums are kept in whole numbers.
///
/// # Complexity
/// Removing a point takes O(d), and O(log n) a median. Memory: O(n) a median, O(1) any other coordinate.
#[derive(Debug, Clone)]
pub(super) struct Centre {
    parts: Vec<Part>,
    remaining: usize,
}

/// One axis.
#[derive(Debug, Clone)]
enum Part {
    Mean(FixedSum),
    Median(Median),
    Mode(Votes),
}

impl Centre {
    /// The centre of these records.
    pub(super) fn of(space: &Space, records: impl Iterator<Item = u32> + Clone) -> Self {
        let mut first = 0;
        let parts = space.axes.iter().map(|axis| {
            let start = first;
            first += width(axis);
            let values = |coordinate: usize| {
                let records = records.clone();
                records.map(move |record| space.points.row(record as usize)[coordinate])
            };
            match axis {
                Axis::Mean => Part::Mean(FixedSum::of(values(start))),
                Axis::Median => Part::Median(Median::of(values(start))),
                Axis::Mode(width) => Part::Mode(Votes::of(
                    *width,
                    records
                        .clone()
                        .map(|record| &space.points.row(record as usize)[start..start + width]),
                )),
            }
        });
        Self {
            parts: parts.collect(),
            remaining: records.clone().count(),
        }
    }

    /// Takes a point away that is still among them.
    pub(super) fn remove(&mut self, point: &[f64]) {
        let mut rest = point;
        for part in &mut self.parts {
            let own;
            (own, rest) = rest.split_at(part.width());
            match part {
                Part::Mean(sum) => sum.subtract(own[0]),
                Part::Median(median) => median.remove(own[0]),
                Part::Mode(votes) => votes.remove(own),
            }
        }
        self.remaining -= 1;
    }

    /// Writes the coordinates of the centre; zero throughout where nothing remains.
    pub(super) fn write(&self, to: &mut Vec<f64>) {
        to.clear();
        for part in &self.parts {
            match part {
                _ if self.remaining == 0 => to.extend(std::iter::repeat_n(0.0, part.width())),
                Part::Mean(sum) => to.push(sum.mean(self.remaining)),
                Part::Median(median) => to.push(median.lower(self.remaining)),
                Part::Mode(votes) => votes.write(to),
            }
        }
    }
}

impl Part {
    fn width(&self) -> usize {
        match self {
            Self::Mean(_) | Self::Median(_) => 1,
            Self::Mode(votes) => votes.counts.len(),
        }
    }
}

/// How many coordinates an axis has.
fn width(axis: &Axis) -> usize {
    match axis {
        Axis::Mean | Axis::Median => 1,
        Axis::Mode(width) => *width,
    }
}

/// A sum in whole multiples of a power of two, from which terms can be taken away without a trace.
///
/// # Law
/// Terms are cut to multiples of `1 / scale`, which is at most 2^-92 of the largest one; so they are exact unless
/// they are 2^39 times smaller than it.
#[derive(Debug, Clone)]
struct FixedSum {
    sum: i128,
    /// A power of two.
    scale: f64,
}

impl FixedSum {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let largest = values.clone().fold(0.0_f64, |most, x| most.max(x.abs()));
        let scale = 2.0_f64.powi((BITS - 1 - binary_exponent(largest)).min(1000));
        let mut sum = Self { sum: 0, scale };
        values.for_each(|value| sum.sum += sum.whole(value));
        sum
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "what is below a unit is meant to be cut off; nothing is too large"
    )]
    fn whole(&self, value: f64) -> i128 {
        (value * self.scale) as i128
    }

    fn subtract(&mut self, value: f64) {
        self.sum -= self.whole(value);
    }

    fn mean(&self, count: usize) -> f64 {
        self.sum as f64 / count as f64 / self.scale
    }
}

/// Numbers of which the median is wanted: how many there are of each distinct value, as a Fenwick tree.
#[derive(Debug, Clone)]
struct Median {
    values: Vec<f64>,
    /// Place `i` (from 1) holds the numbers of the last `i & -i` values up to it.
    counts: Vec<usize>,
}

impl Median {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        // Adding zero makes one zero of both.
        let mut all: Vec<f64> = values.map(|value| value + 0.0).collect();
        all.sort_unstable_by(f64::total_cmp);
        let mut median = Self {
            values: Vec::new(),
            counts: vec![0],
        };
        for equal in all.chunk_by(|a, b| a.total_cmp(b).is_eq()) {
            median.values.push(equal[0]);
            median.counts.push(equal.len());
        }
        for place in 1..median.counts.len() {
            let parent = place + (place & place.wrapping_neg());
            if parent < median.counts.len() {
                median.counts[parent] += median.counts[place];
            }
        }
        median
    }

    fn remove(&mut self, value: f64) {
        let mut place = 1 + self.values.partition_point(|&other| other < value);
        while place < self.counts.len() {
            self.counts[place] -= 1;
            place += place & place.wrapping_neg();
        }
    }

    /// The lower median of the `count` numbers that are left.
    fn lower(&self, count: usize) -> f64 {
        let mut before = count.div_ceil(2) - 1;
        let (mut place, mut leap) = (0, self.values.len().next_power_of_two());
        while leap > 0 {
            let next = place + leap;
            if next < self.counts.len() && self.counts[next] <= before {
                before -= self.counts[next];
                place = next;
            }
            leap /= 2;
        }
        self.values[place]
    }
}

/// How many points stand at each corner.
#[derive(Debug, Clone)]
struct Votes {
    counts: Vec<u32>,
    /// The coordinate that is not zero.
    corner: f64,
}

impl Votes {
    fn of<'a>(width: usize, points: impl Iterator<Item = &'a [f64]>) -> Self {
        let mut votes = Self {
            counts: vec![0; width],
            corner: 0.0,
        };
        for point in points {
            if let Some(category) = category(point) {
                votes.counts[category] += 1;
                votes.corner = point[category];
            }
        }
        votes
    }

    fn remove(&mut self, point: &[f64]) {
        if let Some(category) = category(point) {
            self.counts[category] -= 1;
        }
    }

    fn write(&self, to: &mut Vec<f64>) {
        let start = to.len();
        to.resize(start + self.counts.len(), 0.0);
        let most = self.counts.iter().copied().max().unwrap_or(0);
        if let Some(first) = self.counts.iter().position(|&count| count == most)
            && most > 0
        {
            to[start + first] = self.corner;
        }
    }
}

fn category(point: &[f64]) -> Option<usize> {
    point.iter().position(|&coordinate| coordinate != 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Matrix;

    fn space(width: usize, cells: Vec<f64>, axes: Vec<Axis>) -> Space {
        let points = Matrix::complete(cells.len() / width, width, cells);
        Space { points, axes }
    }

    fn written(centre: &Centre) -> Vec<f64> {
        let mut to = Vec::new();
        centre.write(&mut to);
        to
    }

    /// By hand: of 1, 2, 4 and 9 the mean is 4, the lower median 2; two of the second category, one of the first, one missing.
    #[test]
    fn mean_median_and_mode() {
        let cells = [
            [1.0, 1.0, 0.0, 0.5],
            [2.0, 2.0, 0.5, 0.0],
            [4.0, 4.0, 0.0, 0.5],
            [9.0, 9.0, 0.0, 0.0],
        ];
        let axes = vec![Axis::Mean, Axis::Median, Axis::Mode(2)];
        let space = space(4, cells.concat(), axes);
        let mut centre = Centre::of(&space, 0..4);
        assert_eq!(written(&centre), [4.0, 2.0, 0.0, 0.5]);
        // 2, 4 and 9 remain; the categories tie: the first.
        centre.remove(space.points.row(0));
        assert_eq!(written(&centre), [5.0, 4.0, 0.5, 0.0]);
        centre.remove(space.points.row(1));
        centre.remove(space.points.row(2));
        assert_eq!(written(&centre), [9.0, 9.0, 0.0, 0.0]);
        centre.remove(space.points.row(3));
        assert_eq!(written(&centre), [0.0; 4]);
    }

    /// Whoever left, and in whatever order: the centre is that of those who remain, to the last bit.
    #[test]
    fn it_forgets_who_left() {
        let value = |i: u32| f64::from(i * 7919 % 1013).sin() * 1e3_f64.powi(i as i32 % 3 - 1);
        let space = space(
            2,
            (0..600).flat_map(|i| [value(i), value(i)]).collect(),
            vec![Axis::Mean, Axis::Median],
        );
        let leave = |mut order: Vec<u32>, by: fn(&u32) -> u32| {
            order.sort_by_key(by);
            let mut centre = Centre::of(&space, 0..600);
            for record in order {
                centre.remove(space.points.row(record as usize));
            }
            written(&centre)
        };
        let gone: Vec<u32> = (0..600).filter(|i| i % 7 != 0).collect();
        let one = leave(gone.clone(), |i| *i);
        assert_eq!(one, leave(gone, |i| i * 389 % 600));
        let rest = (0..600).filter(|i| i % 7 == 0);
        let fresh = Centre::of(&space, rest.clone());
        // The quantum is that of all records, or of the rest: the sum is exact in both.
        assert_eq!(one, written(&fresh));
        let plain = rest.clone().map(value).sum::<f64>() / rest.count() as f64;
        assert!((one[0] - plain).abs() < 1e-9);
    }
}
