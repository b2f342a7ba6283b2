//! Gower's dissimilarity: files of numbers, ordered classes and names, with gaps.

mod filter;
mod priced;
mod search;

use std::borrow::Cow;

use rayon::prelude::*;

use super::{Attack, Closer, Lists, Points, Preference, Scenario, Shown};
use crate::{
    distance::{
        kd_tree::Span,
        priced::{Priced, Space},
    },
    error::Result,
    table::{
        Scale,
        matrix::{Matrix, Row},
    },
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

    fn compares_values(&self) -> bool {
        true
    }

    fn formula(&self) -> String {
        "mean over the attributes that both have of |a - b| / range (names: 0 or 1)".into()
    }

    fn in_words(&self) -> String {
        "compares records by Gower's dissimilarity (gower)".into()
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        Ok(Preference::Lists(Box::new(GowerLists::new(
            scenario.scales,
            [scenario.seekers(), scenario.sought()],
        ))))
    }
}

/// How the values of an attribute are made halves. Halves, because the range of two numbers can be beyond all numbers.
#[derive(Debug)]
struct Halving {
    /// The different values of both files, ascending, where places among them are compared instead of values: of ordered classes and of names.
    places_among: Option<Vec<f64>>,
}

impl Halving {
    /// Of the values of both files.
    fn new(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let places_among = match scale {
            Scale::Continuous => None,
            Scale::Ordinal | Scale::Nominal => {
                let mut values: Vec<f64> = values.map(|value| value + 0.0).collect();
                values.sort_unstable_by(f64::total_cmp);
                values.dedup_by(|a, b| a.total_cmp(b).is_eq());
                Some(values)
            }
        };
        Self { places_among }
    }

    /// Half of a value, or of its place. 0 and -0 are equal.
    fn half(&self, value: f64) -> f64 {
        let value = value + 0.0;
        match &self.places_among {
            None => value / 2.0,
            Some(values) => values.partition_point(|&other| other < value) as f64 / 2.0,
        }
    }
}

/// What the values of an attribute are measured by.
#[derive(Debug, Clone, Copy)]
struct Units {
    /// Of the values of both sides; 1 where these are all the same. Names are not divided by it.
    half_range: f64,
    /// Half of the number in the middle of both sides.
    middle: f64,
    names: bool,
}

impl Units {
    /// Of what the values of both sides span.
    fn new(scale: Scale, halving: &Halving, span: Span) -> Self {
        // Halves are in the order of the values.
        let (least, greatest) = (halving.half(span.low), halving.half(span.high));
        let is_spread = greatest > least;
        Self {
            // Equal differences are divided by the same number, so they stay equal.
            half_range: if is_spread { greatest - least } else { 1.0 },
            middle: f64::midpoint(least, greatest),
            names: scale == Scale::Nominal,
        }
    }

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
    units: Vec<Units>,
    /// Halves.
    seekers: Matrix,
    /// Halves, in the order of the search.
    sought: Matrix,
    filter: Filter,
    /// Where each sought record stands there.
    place_of: Vec<u32>,
}

impl GowerLists {
    /// Of values that are all there, or not.
    fn new(scales: &[Scale], values: [&Matrix; 2]) -> Self {
        let [mut seekers, mut sought] = values.map(Matrix::clone);
        let of_both = |k| values.into_iter().flat_map(move |side| side.present(k));
        let [own, others] = values.map(Span::of_all);
        let scales = scales.par_iter().enumerate();
        let (halvings, units): (Vec<Halving>, Vec<Units>) = scales
            .map(|(k, &scale)| {
                let halving = Halving::new(scale, of_both(k));
                let units = Units::new(scale, &halving, own[k].and(others[k]));
                (halving, units)
            })
            .unzip();
        for side in [&mut seekers, &mut sought] {
            side.map(|k, value| halvings[k].half(value));
        }
        let has_gaps = !(seekers.is_complete() && sought.is_complete());
        let filter = Filter::new(&sought, &units, has_gaps, None);
        Self {
            units,
            seekers,
            sought: sought.reordered(filter.records()),
            place_of: filter.places(),
            filter,
        }
    }

    /// The cost of the record at a place of the search.
    #[inline(always)]
    fn cost(&self, seeker: usize, place: usize) -> f64 {
        let (own, other) = (self.seekers.record(seeker), self.sought.record(place));
        dissimilarity(&self.units, own, other)
    }

    /// The coordinates of a seeker, NaN where there is none.
    fn coordinates(&self, seeker: usize) -> Vec<f64> {
        coordinates_of(&self.units, self.seekers.record(seeker))
    }
}

/// Halves of values, NaN where one is missing.
#[inline(always)]
fn halves(record: Row<'_>) -> impl Iterator<Item = f64> {
    let half = move |(k, &half): (usize, &f64)| if record.is_missing(k) { f64::NAN } else { half };
    record.values().iter().enumerate().map(half)
}

/// The coordinates of a record of halves, NaN where there is none.
fn coordinates_of(units: &[Units], record: Row<'_>) -> Vec<f64> {
    let halves = units.iter().zip(halves(record));
    halves.map(|(units, half)| units.coordinate(half)).collect()
}

/// Gower's dissimilarity of two records of halves.
#[inline(always)]
fn dissimilarity(units: &[Units], own: Row<'_>, other: Row<'_>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (units, (own, other)) in units.iter().zip(halves(own).zip(halves(other))) {
        units.add(own, other, &mut sum, &mut count);
    }
    if count > 0.0 { sum / count } else { 1.0 }
}

impl Lists for GowerLists {
    fn n_seekers(&self) -> usize {
        self.seekers.n_records()
    }

    fn n_sought(&self) -> usize {
        self.sought.n_records()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let records = (0..).zip(&self.place_of);
        list.extend(records.map(|(record, &place)| (record, self.cost(seeker, place as usize))));
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

    fn points(&self) -> Option<Points<'_>> {
        Some(Points {
            seekers: Cow::Borrowed(&self.seekers),
            sought: Cow::Owned(self.sought.reordered(&self.place_of)),
            space: self,
        })
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
        let has_gaps = self.filter.has_gaps();
        Box::new(PricedRecords::new(&self.units, halves, has_gaps))
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

    /// A matrix of these values, of which NaN are missing.
    pub(super) fn with_gaps(
        n_records: usize,
        width: usize,
        mut value: impl FnMut(usize, usize) -> f64,
    ) -> Matrix {
        let cells = (0..n_records * width).map(|cell| value(cell / width, cell % width));
        let mut matrix = Matrix::complete(n_records, width, cells.collect());
        for cell in 0..n_records * width {
            if matrix.values()[cell].is_nan() {
                matrix.set_missing(cell / width, cell % width);
            }
        }
        matrix
    }

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
            let scales: Vec<Scale> = (0..width).map(|k| scales[k % 4]).collect();
            let seekers = with_gaps(60, width, |record, k| value(record * 10, k, 0));
            let sought = with_gaps(n, width, |record, k| value(record, k, 1));
            let lists = GowerLists::new(&scales, [&seekers, &sought]);
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
                let seekers = with_gaps(n_seekers, 3, |record, k| value(record, k, 0));
                let sought = with_gaps(n_sought, 3, |record, k| value(record, k, 1));
                GowerLists::new(&scales, [&seekers, &sought])
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
