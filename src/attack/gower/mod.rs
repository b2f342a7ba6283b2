//! Gower's dissimilarity: files of numbers, ordered classes and names, with gaps.

mod filter;
mod priced;
mod search;

use std::borrow::Cow;

use pulp::Arch;
use rayon::prelude::*;

use super::{Attack, Closer, Lists, Points, Preference, Scenario, Shown};
use crate::{
    distance::priced::{Priced, Space},
    error::Result,
    table::{Scale, matrix::Matrix},
};
use filter::Filter;
use priced::PricedRecords;

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
/// A tree of boxes in single precision finds the nearest records, and exact costs decide: O(log n) per record if the boxes separate near records
/// from far ones, and counts those who are closer than a partner, who are few if the partner is near. Assignments find the records
/// that are cheapest at prices in such a tree, too. O(n d) memory.
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
        let compared = |(k, &scale): (usize, &Scale)| {
            // 0 and -0 are equal.
            let column = |matrix: &Matrix| -> Vec<f64> {
                let values = matrix.column(k);
                values
                    .map(|value| value.map_or(f64::NAN, |v| v + 0.0))
                    .collect()
            };
            Compared::new(scale, [column(seekers), column(sought)])
        };
        let attributes = scenario.scales.par_iter().enumerate().map(compared);
        Ok(Preference::Lists(Box::new(GowerLists::new(
            attributes.collect(),
            [seekers.n_records(), sought.n_records()],
        ))))
    }
}

/// Puts in the place of each value the place that it has among the different values of both sides. NaN, which is none, stays.
fn put_places(sides: &mut [Vec<f64>; 2]) {
    let of_both = sides.iter().flatten().copied();
    let mut values: Vec<f64> = of_both.filter(|value| !value.is_nan()).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup_by(|a, b| a.total_cmp(b).is_eq());
    for value in sides.iter_mut().flatten().filter(|value| !value.is_nan()) {
        *value = values.partition_point(|&other| other < *value) as f64;
    }
}

/// One attribute of both files: half of each value, NaN where it is missing. Halves, because the range of two numbers can be beyond all numbers.
#[derive(Debug)]
struct Compared {
    of_seekers: Vec<f64>,
    /// In the order of the search, once there is one.
    of_sought: Vec<f64>,
    units: Units,
}

/// What the values of an attribute are measured by.
#[derive(Debug, Clone, Copy)]
struct Units {
    /// Of the values of both sides; 1 where these are all the same, or names.
    half_range: f64,
    /// Half of the number in the middle of both sides.
    middle: f64,
    names: bool,
}

impl Compared {
    /// Of the values of both sides, NaN where one is missing.
    fn new(scale: Scale, mut sides: [Vec<f64>; 2]) -> Self {
        let names = scale == Scale::Nominal;
        match scale {
            Scale::Continuous => {}
            Scale::Ordinal | Scale::Nominal => put_places(&mut sides),
        }
        sides.iter_mut().flatten().for_each(|value| *value /= 2.0);
        // The least of a number and of NaN is the number.
        let values = || sides.iter().flatten().copied();
        let (least, greatest) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(f64::NEG_INFINITY, f64::max),
        );
        let is_spread = !names && greatest > least;
        let [of_seekers, of_sought] = sides;
        Self {
            of_seekers,
            of_sought,
            units: Units {
                // Equal differences are divided by the same number, so they stay equal.
                half_range: if is_spread { greatest - least } else { 1.0 },
                middle: f64::midpoint(least, greatest),
                names,
            },
        }
    }
}

impl Units {
    /// Where the search has a value; NaN where it is missing.
    fn coordinate(&self, half: f64) -> f64 {
        if self.names {
            // Two different places are at least 1 from each other.
            half * 2.0
        } else {
            (half - self.middle) / self.half_range
        }
    }

    /// What lies between these two values; NaN where one is missing.
    #[inline(always)]
    fn contribution(self, own: f64, other: f64) -> f64 {
        let difference = (own - other).abs();
        if self.names {
            // Not so where the other is a gap: that difference is NaN.
            if difference > 0.0 { 1.0 } else { difference }
        } else {
            difference / self.half_range
        }
    }

    /// Adds what lies between two values, where both are there.
    #[inline(always)]
    fn add(self, own: f64, other: f64, sum: &mut f64, count: &mut f64) {
        let difference = self.contribution(own, other);
        *sum += if difference.is_nan() { 0.0 } else { difference };
        *count += if difference.is_nan() { 0.0 } else { 1.0 };
    }
}

/// All pairs by Gower's dissimilarity, and the nearest ones by a search.
#[derive(Debug)]
struct GowerLists {
    attributes: Vec<Compared>,
    filter: Filter,
    /// Where each sought record stands in the order of the search.
    place_of: Vec<u32>,
    n_seekers: usize,
}

/// Sought records that are compared at once: their sums stay in the nearest cache.
const COMPARED_AT_ONCE: usize = 1024;

impl GowerLists {
    fn new(mut attributes: Vec<Compared>, [n_seekers, n_sought]: [usize; 2]) -> Self {
        let is_there = |half: &f64| !half.is_nan();
        let has_gaps = |of: &Compared| !of.of_seekers.iter().chain(&of.of_sought).all(is_there);
        let has_gaps = attributes.iter().any(has_gaps);
        let units = units_of(&attributes);
        let width = attributes.len();
        let sought = halved(n_sought, width, |record, k| attributes[k].of_sought[record]);
        let filter = Filter::new(&coordinates(&units, &sought), &units, has_gaps, None);
        attributes.par_iter_mut().for_each(|attribute| {
            let order = filter.records().iter();
            attribute.of_sought = order
                .map(|&record| attribute.of_sought[record as usize])
                .collect();
        });
        Self {
            attributes,
            place_of: filter.places(),
            filter,
            n_seekers,
        }
    }

    /// Shows `found` the costs of the records, with their places in the order of the search.
    #[inline(always)]
    fn compare(&self, seeker: usize, mut found: impl FnMut(usize, f64)) {
        let (mut sums, mut counts) = ([0.0; COMPARED_AT_ONCE], [0.0; COMPARED_AT_ONCE]);
        let n_sought = self.n_sought();
        for first in (0..n_sought).step_by(COMPARED_AT_ONCE) {
            let last = n_sought.min(first + COMPARED_AT_ONCE);
            let (sums, counts) = (&mut sums[..last - first], &mut counts[..last - first]);
            sums.fill(0.0);
            counts.fill(0.0);
            for attribute in &self.attributes {
                let own = attribute.of_seekers[seeker];
                if own.is_nan() {
                    continue;
                }
                let others = &attribute.of_sought[first..last];
                let cells = sums.iter_mut().zip(counts.iter_mut()).zip(others);
                let units = attribute.units;
                cells.for_each(|((sum, count), &other)| units.add(own, other, sum, count));
            }
            for (place, (sum, count)) in sums.iter().zip(counts.iter()).enumerate() {
                found(first + place, mean(*sum, *count));
            }
        }
    }

    /// The coordinates of a seeker, NaN where there is none.
    fn coordinates(&self, seeker: usize) -> Vec<f64> {
        let coordinate = |of: &Compared| of.units.coordinate(of.of_seekers[seeker]);
        self.attributes.iter().map(coordinate).collect()
    }

    /// The same cost of one record.
    fn cost(&self, seeker: usize, place: usize) -> f64 {
        let halves = |of: &Compared| (of.units, of.of_seekers[seeker], of.of_sought[place]);
        dissimilarity(self.attributes.iter().map(halves))
    }
}

fn units_of(attributes: &[Compared]) -> Vec<Units> {
    attributes.iter().map(|of| of.units).collect()
}

/// Gower's dissimilarity of two records: of each attribute the units and both halves.
#[inline(always)]
fn dissimilarity(attributes: impl Iterator<Item = (Units, f64, f64)>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (units, own, other) in attributes {
        units.add(own, other, &mut sum, &mut count);
    }
    mean(sum, count)
}

/// Halves of values as a matrix: that of a record in an attribute is NaN where it is missing.
fn halved(n_records: usize, width: usize, half: impl Fn(usize, usize) -> f64 + Sync) -> Matrix {
    let cells = (0..n_records * width).into_par_iter();
    let halves: Vec<f64> = cells.map(|cell| half(cell / width, cell % width)).collect();
    // What is missing has a place in the matrix, too.
    let cells = halves
        .par_iter()
        .map(|&half| if half.is_nan() { 0.0 } else { half });
    let mut matrix = Matrix::complete(n_records, width, cells.collect());
    for (cell, _) in halves.iter().enumerate().filter(|(_, half)| half.is_nan()) {
        matrix.set_missing(cell / width, cell % width);
    }
    matrix
}

/// The coordinates of records, from their halves.
fn coordinates(units: &[Units], halves: &Matrix) -> Matrix {
    let mut points = halves.clone();
    points.map(|k, half| units[k].coordinate(half));
    points
}

/// The mean of what so many attributes contribute.
fn mean(sum: f64, count: f64) -> f64 {
    if count > 0.0 { sum / count } else { 1.0 }
}

impl Lists for GowerLists {
    fn n_seekers(&self) -> usize {
        self.n_seekers
    }

    fn n_sought(&self) -> usize {
        self.filter.records().len()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let records = self.filter.records();
        list.clear();
        list.resize(records.len(), (0, 0.0));
        Arch::new().dispatch(|| {
            self.compare(seeker, |place, cost| {
                let record = records[place];
                list[record as usize] = (record, cost);
            });
        });
    }

    fn whereabouts(&self, seeker: usize) -> u64 {
        search::home(&self.filter, &self.coordinates(seeker)).into()
    }

    fn is_searched(&self) -> bool {
        true
    }

    fn cheapest(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        self.cheapest_of(&[seeker], &mut |_, found| list.extend_from_slice(found));
    }

    fn cheapest_of(&self, seekers: &[usize], found: &mut Shown<'_>) {
        let coordinates = |seeker: usize| self.coordinates(seeker);
        let cost = |seeker, place| self.cost(seeker, place);
        search::run(&self.filter, seekers, coordinates, cost, found);
    }

    fn points(&self) -> Result<Option<Points<'_>>> {
        let width = self.attributes.len();
        let seekers = |record: usize, k: usize| self.attributes[k].of_seekers[record];
        let sought = |record, k: usize| {
            let place: u32 = self.place_of[record];
            self.attributes[k].of_sought[place as usize]
        };
        Ok(Some(Points {
            seekers: Cow::Owned(halved(self.n_seekers, width, seekers)),
            sought: Cow::Owned(halved(self.n_sought(), width, sought)),
            space: self,
        }))
    }

    fn closer(&self) -> Option<&dyn Closer> {
        Some(self)
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}

impl Space for GowerLists {
    fn priced<'a>(&'a self, halves: &'a Matrix) -> Box<dyn Priced + 'a> {
        let units = units_of(&self.attributes);
        Box::new(PricedRecords::new(units, halves, self.filter.has_gaps()))
    }
}

impl Closer for GowerLists {
    fn count(&self, seeker: usize, record: u32) -> u32 {
        let own = self.cost(seeker, self.place_of[record as usize] as usize);
        let cost = |place| self.cost(seeker, place);
        search::count_below(&self.filter, own, &self.coordinates(seeker), cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::one_to_one;

    /// The cheapest candidates, asked for one seeker at a time and for all seekers at once, are those of the whole list. The files have numbers of
    /// all magnitudes, ordered classes, names and gaps, clustered or not, and some have more attributes than one part of a box. Those with 6,000
    /// records are searched together; in the last one all records tie.
    #[test]
    fn the_cheapest_are_those_of_all() {
        for (n, gaps, spread, width) in [
            (0, 0, 9, 4),
            (1, 3, 5, 4),
            (700, 0, 1000, 4),
            (700, 7, 40, 4),
            (2000, 2, 3, 4),
            (900, 1, 9, 4),
            (6000, 0, 1 << 20, 19),
            (6000, 5, 1 << 20, 19),
            (6000, 3, 2, 18),
            (6000, 0, 0, 3),
        ] {
            let value = |record: usize, k: usize, side: usize| -> f64 {
                let mixed =
                    (record * 64 + k * 2 + side + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
                if gaps > 0 && mixed % 97 % (gaps + 1) == gaps {
                    return f64::NAN;
                }
                // Neighbours in the file are neighbours in all attributes, but for a little.
                let value = (record / 10 * spread / 100 + mixed % spread.max(1)) / 2;
                value as f64 * [1e300, 1.0, 1.0, 1e-318][k % 4]
            };
            let scales = [
                Scale::Continuous,
                Scale::Ordinal,
                Scale::Nominal,
                Scale::Continuous,
            ];
            let attributes = (0..width).map(|k| {
                let of_seekers = (0..60).map(|record| value(record * 10, k, 0));
                let of_sought = (0..n).map(|record| value(record, k, 1));
                Compared::new(scales[k % 4], [of_seekers.collect(), of_sought.collect()])
            });
            let lists = GowerLists::new(attributes.collect(), [60, n]);
            let seekers: Vec<usize> = (0..60).rev().collect();
            let mut together = vec![None; 60];
            lists.cheapest_of(&seekers, &mut |place, list| {
                assert!(together[seekers[place]].replace(list.to_vec()).is_none());
            });
            let (mut all, mut cheapest) = (Vec::new(), Vec::new());
            for (seeker, together) in together.into_iter().enumerate() {
                lists.list(seeker, &mut all);
                assert!(all.iter().enumerate().all(|(at, of)| of.0 as usize == at));
                for &(record, own) in all.iter().step_by(n / 30 + 1) {
                    let closer = all.iter().filter(|of| of.1 < own).count();
                    assert_eq!(lists.count(seeker, record) as usize, closer);
                }
                let least = all.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
                all.retain(|of| of.1 <= least);
                lists.cheapest(seeker, &mut cheapest);
                for mut cheapest in [cheapest.clone(), together.expect("each is shown")] {
                    cheapest.sort_unstable_by_key(|of| of.0);
                    assert_eq!(cheapest, all, "{n}, {gaps}, {spread}: {seeker}");
                }
            }
        }
    }

    /// Lists alone, which an assignment works out in full.
    #[derive(Debug)]
    struct Listed(GowerLists);

    impl Lists for Listed {
        fn n_seekers(&self) -> usize {
            self.0.n_seekers()
        }

        fn n_sought(&self) -> usize {
            self.0.n_sought()
        }

        fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
            self.0.list(seeker, list);
        }

        fn is_likelihood(&self) -> bool {
            false
        }
    }

    /// An assignment by searches costs what one by lists of all pairs does: files of one size and of two, with gaps, names, and many equal records.
    #[test]
    fn assignments_cost_what_those_of_whole_lists_do() {
        for (n_seekers, n_sought, gaps, values) in [
            (300, 300, 0, 1 << 20),
            (300, 300, 5, 60),
            (200, 310, 3, 1000),
            (310, 200, 0, 1000),
            (400, 400, 0, 4),
            (400, 400, 4, 3),
        ] {
            let lists = || {
                let value = |record: usize, k: usize, side: usize| {
                    let mixed = ((record * 8 + k + 1) * (side + 7_919))
                        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                        >> 20;
                    let is_gap = gaps > 0 && mixed % 97 % (gaps + 1) == gaps;
                    if is_gap {
                        f64::NAN
                    } else {
                        (mixed % values) as f64
                    }
                };
                let scales = [Scale::Continuous, Scale::Nominal, Scale::Ordinal];
                let attributes = (0..3).map(|k| {
                    let of_seekers = (0..n_seekers).map(|record| value(record, k, 0));
                    let of_sought = (0..n_sought).map(|record| value(record, k, 1));
                    Compared::new(scales[k], [of_seekers.collect(), of_sought.collect()])
                });
                GowerLists::new(attributes.collect(), [n_seekers, n_sought])
            };
            let assigned =
                |lists: Box<dyn Lists>| one_to_one::assign(&Preference::Lists(lists)).unwrap();
            let (searched, listed) = (
                assigned(Box::new(lists())),
                assigned(Box::new(Listed(lists()))),
            );
            assert!(searched.total.is_proven && listed.total.is_proven);
            assert_eq!(searched.total.pairs, n_seekers.min(n_sought) as u64);
            assert_eq!(searched.total.pairs, listed.total.pairs);
            let off = searched.total.cost - listed.total.cost;
            assert!(
                off.abs() < 1e-9 * listed.total.cost,
                "{n_seekers} {n_sought}: {off}"
            );
            let (whole, mut list) = (lists(), Vec::new());
            for (seeker, partner) in searched.partners.iter().enumerate() {
                whole.list(seeker, &mut list);
                let cost = partner.map(|record| list[record as usize].1);
                assert_eq!(cost, searched.costs[seeker]);
            }
        }
    }
}
