//! The space in which records are clustered: from the file's units and back.

use crate::{
    mask::new_numbers::present,
    statement::DistanceScale,
    stats::{elementary::power_of_two, moments::moments},
    table::{AttrId, Matrix, Numbers, Table},
};

/// One attribute of a block, and what its coordinate means.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    /// What values are divided by before anything is computed, so that squares neither overflow nor vanish.
    unit: f64,
    /// The mean, in units.
    mean: f64,
    /// What a coordinate of 1 is, in units; 0 where the attribute has no spread.
    scale: f64,
    /// The least and the greatest value.
    range: (f64, f64),
}

impl Axis {
    /// The coordinate of a value.
    pub fn coordinate(&self, value: f64) -> f64 {
        if self.scale > 0.0 {
            (value / self.unit - self.mean) / self.scale
        } else {
            0.0
        }
    }

    /// The value of a coordinate, in the file's units; never outside the values that there are.
    pub fn value(&self, coordinate: f64) -> f64 {
        let value = self.scale.mul_add(coordinate, self.mean) * self.unit;
        value.clamp(self.range.0, self.range.1)
    }
}

/// The points of a block.
#[derive(Debug)]
pub(super) struct Space {
    pub axes: Vec<Axis>,
    /// The records that have a value in the block, ascending.
    pub records: Vec<u32>,
    /// Their coordinates; a missing value stands at the mean.
    pub points: Matrix,
}

impl Space {
    /// The points of these attributes; all must be numbers.
    pub fn of(table: &Table, attributes: &[AttrId], scaling: DistanceScale) -> Self {
        let numbers: Vec<Numbers<'_>> = attributes
            .iter()
            .filter_map(|&attribute| table.numbers(attribute))
            .collect();
        let axes = axes(&numbers, scaling);
        let records: Vec<u32> = (0..)
            .take(table.n_records())
            .filter(|&record| {
                let has = |numbers: &Numbers<'_>| !numbers.missing.contains(record as usize);
                numbers.iter().any(has)
            })
            .collect();
        let mut values = Vec::with_capacity(records.len() * axes.len());
        for &record in &records {
            let record = record as usize;
            for (axis, numbers) in axes.iter().zip(&numbers) {
                values.push(if numbers.missing.contains(record) {
                    0.0
                } else {
                    axis.coordinate(numbers.values[record])
                });
            }
        }
        Self {
            points: Matrix::complete(records.len(), axes.len(), values),
            axes,
            records,
        }
    }

    /// The number of each record's point, equal for equal points, and how many different points there are.
    ///
    /// # Complexity
    /// O(n log n).
    pub fn distinct(&self) -> (Vec<u32>, usize) {
        let mut order: Vec<u32> = (0..).take(self.records.len()).collect();
        let compare = |&a: &u32, &b: &u32| {
            let (a, b) = (self.points.row(a as usize), self.points.row(b as usize));
            let mut pairs = a.iter().zip(b);
            pairs
                .find_map(|(x, y)| Some((x + 0.0).total_cmp(&(y + 0.0))).filter(|o| o.is_ne()))
                .unwrap_or(std::cmp::Ordering::Equal)
        };
        order.sort_by(|a, b| compare(a, b).then(a.cmp(b)));
        let mut number = vec![0; order.len()];
        let mut n_points = 0;
        for (place, record) in order.iter().enumerate() {
            if place > 0 && compare(&order[place - 1], record).is_ne() {
                n_points += 1;
            }
            number[*record as usize] = n_points;
        }
        let n_points = if order.is_empty() {
            0
        } else {
            n_points as usize + 1
        };
        (number, n_points)
    }
}

fn axes(numbers: &[Numbers<'_>], scaling: DistanceScale) -> Vec<Axis> {
    let ranges: Vec<(f64, f64)> = numbers.iter().map(|&numbers| range(numbers)).collect();
    let common = ranges.iter().map(|&range| unit(range)).fold(0.0, f64::max);
    let mut axes: Vec<Axis> = numbers
        .iter()
        .zip(ranges)
        .map(|(&numbers, range)| {
            let unit = match scaling {
                DistanceScale::Z => unit(range),
                DistanceScale::None => common,
            };
            let moments = moments(present(numbers).map(|(_, value)| value / unit));
            Axis {
                unit,
                mean: moments.mean,
                scale: moments.sd,
                range,
            }
        })
        .collect();
    if scaling == DistanceScale::None {
        let largest = axes.iter().map(|axis| axis.scale).fold(0.0, f64::max);
        for axis in &mut axes {
            if axis.scale > 0.0 {
                axis.scale = largest;
            }
        }
    }
    axes
}

fn range(numbers: Numbers<'_>) -> (f64, f64) {
    let values = present(numbers).map(|(_, value)| value);
    values
        .map(|value| (value, value))
        .reduce(|(lo, hi), (value, _)| (lo.min(value), hi.max(value)))
        .unwrap_or((0.0, 0.0))
}

/// A power of two near the values, by which they can be divided without rounding.
fn unit((lo, hi): (f64, f64)) -> f64 {
    power_of_two(lo.abs().max(hi.abs()))
}
