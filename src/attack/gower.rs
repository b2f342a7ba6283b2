//! Gower's dissimilarity: files of numbers, ordered classes and names, with gaps.

use super::{Attack, Lists, Preference, Scenario};
use crate::{
    error::Result,
    table::{Scale, matrix::Matrix},
};

/// Record linkage by Gower's dissimilarity.
///
/// ```text
/// d(a, b) = Σ_k δ_k d_k / Σ_k δ_k        δ_k = 1 if both values are there, else 0
/// numbers:   d_k = |a_k − b_k| / (greatest − least value of both files)
/// ordinal:   the same on the places of the values among the different values of both files
/// nominal:   d_k = 0 for equal names, else 1
/// ```
///
/// # Missing
/// An attribute that one side misses is left out of the mean, as Gower defines it: a record that misses much is compared by
/// little. Two records without any attribute in common are as far apart as can be, 1.
///
/// # Complexity
/// O(n² d) time, all pairs, O(n) memory.
///
/// # Source
/// J. C. Gower, "A general coefficient of similarity and some of its properties", Biometrics 27, 1971; ordered classes by
/// their places as in L. Kaufman, P. J. Rousseeuw, "Finding groups in data", 1990.
#[derive(Debug, Clone)]
pub struct Gower;

impl Attack for Gower {
    fn name(&self) -> &'static str {
        "gower"
    }

    fn has_candidate_sets(&self) -> bool {
        false
    }

    fn formula(&self) -> String {
        "mean over the attributes that both have of |a - b| / range (names: 0 or 1)".into()
    }

    fn in_words(&self) -> String {
        "compares records by Gower's dissimilarity (gower)".into()
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        let (seekers, sought) = (scenario.seekers(), scenario.sought());
        let attributes = scenario.scales.iter().enumerate().map(|(k, &scale)| {
            // 0 and -0 are equal.
            let column = |matrix: &Matrix| -> Vec<Option<f64>> {
                matrix
                    .column(k)
                    .map(|value| value.map(|v| v + 0.0))
                    .collect()
            };
            let mut sides = [column(seekers), column(sought)];
            if scale == Scale::Ordinal {
                sides = places(sides);
            }
            let half_range = match scale {
                Scale::Nominal => 0.0,
                Scale::Continuous | Scale::Ordinal => half_range(&sides),
            };
            // Halves, because the range of two numbers can be beyond all numbers.
            let half = |value: Option<f64>| value.map_or(f64::NAN, |value| value / 2.0);
            let [of_seekers, of_sought] = sides.map(|side| side.into_iter().map(half).collect());
            Compared {
                of_seekers,
                of_sought,
                // Equal differences are divided by the same number, so they stay equal.
                half_range: if half_range > 0.0 { half_range } else { 1.0 },
                names: scale == Scale::Nominal,
            }
        });
        Ok(Preference::Lists(Box::new(GowerLists {
            attributes: attributes.collect(),
            n_seekers: seekers.n_records(),
            n_sought: sought.n_records(),
        })))
    }
}

/// The place of each value among the different values of both sides.
fn places(sides: [Vec<Option<f64>>; 2]) -> [Vec<Option<f64>>; 2] {
    let mut values: Vec<f64> = sides.iter().flatten().copied().flatten().collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup_by(|a, b| a.total_cmp(b).is_eq());
    sides.map(|side| {
        let place = |value: f64| values.partition_point(|&other| other < value) as f64;
        side.into_iter().map(|value| value.map(place)).collect()
    })
}

/// Half of the range of the values of both sides.
fn half_range(sides: &[Vec<Option<f64>>; 2]) -> f64 {
    let values = || sides.iter().flatten().copied().flatten();
    let (least, greatest) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    );
    (greatest / 2.0 - least / 2.0).max(0.0)
}

/// One attribute of both files: half of each value, NaN where it is missing.
#[derive(Debug)]
struct Compared {
    of_seekers: Vec<f64>,
    of_sought: Vec<f64>,
    half_range: f64,
    names: bool,
}

/// All pairs by Gower's dissimilarity.
#[derive(Debug)]
struct GowerLists {
    attributes: Vec<Compared>,
    n_seekers: usize,
    n_sought: usize,
}

/// Sought records that are compared at once: their sums stay in the nearest cache.
const COMPARED_AT_ONCE: usize = 1024;

impl Lists for GowerLists {
    fn n_seekers(&self) -> usize {
        self.n_seekers
    }

    fn n_sought(&self) -> usize {
        self.n_sought
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        list.reserve(self.n_sought);
        let (mut sums, mut counts) = ([0.0; COMPARED_AT_ONCE], [0.0; COMPARED_AT_ONCE]);
        for first in (0..self.n_sought).step_by(COMPARED_AT_ONCE) {
            let last = self.n_sought.min(first + COMPARED_AT_ONCE);
            sums.fill(0.0);
            counts.fill(0.0);
            for attribute in &self.attributes {
                let own = attribute.of_seekers[seeker];
                if own.is_nan() {
                    continue;
                }
                let others = &attribute.of_sought[first..last];
                let cells = sums.iter_mut().zip(&mut counts).zip(others);
                if attribute.names {
                    cells.for_each(|((sum, count), &other)| {
                        // Not so where the other is a gap: that difference is NaN.
                        let differs = (other - own).abs() > 0.0;
                        *sum += if differs { 1.0 } else { 0.0 };
                        *count += if other.is_nan() { 0.0 } else { 1.0 };
                    })
                } else {
                    cells.for_each(|((sum, count), &other)| {
                        let difference = (own - other).abs() / attribute.half_range;
                        *sum += if difference.is_nan() { 0.0 } else { difference };
                        *count += if difference.is_nan() { 0.0 } else { 1.0 };
                    })
                }
            }
            let costs = sums
                .iter()
                .zip(&counts)
                .map(|(sum, count)| if *count > 0.0 { sum / count } else { 1.0 });
            let records = (first..last).filter_map(|record| u32::try_from(record).ok());
            list.extend(records.zip(costs));
        }
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}
