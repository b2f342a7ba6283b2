//! Blocks of attributes of which every record shows the centre of a group.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::{
    attack::Scenario,
    error::{Error, Reason, Result},
    statement::DistanceScale,
    stats::moments::Moments,
    table::matrix::Matrix,
};

/// In which units distances of a block are taken.
#[derive(Debug)]
pub(super) struct Space {
    places: Vec<usize>,
    means: Vec<f64>,
    units: Vec<f64>,
}

impl Space {
    /// # Errors
    /// Input, when values are too large.
    pub(super) fn new(places: &[usize], moments: &[Moments], scale: DistanceScale) -> Result<Self> {
        let sds: Vec<f64> = places.iter().map(|&place| moments[place].sd).collect();
        // One unit for all changes no membership.
        let widest = sds.iter().copied().fold(0.0, f64::max);
        if !widest.is_finite() {
            return Err(
                Error::input("a known attribute has values too large for distances")
                    .because(Reason::Overflow { attribute: None })
                    .remedy("Rescale it, or leave it out of --known"),
            );
        }
        let unit = |sd: f64| match scale {
            _ if sd <= 0.0 => f64::INFINITY,
            DistanceScale::Z => sd,
            DistanceScale::None => widest,
        };
        Ok(Self {
            places: places.to_vec(),
            means: places.iter().map(|&place| moments[place].mean).collect(),
            units: sds.into_iter().map(unit).collect(),
        })
    }

    fn point(&self, matrix: &Matrix, record: usize) -> Vec<f64> {
        let row = matrix.record(record);
        let coordinate = |(at, &place): (usize, &usize)| {
            if row.is_missing(place) {
                0.0
            } else {
                (row.values()[place] - self.means[at]) / self.units[at]
            }
        };
        self.places.iter().enumerate().map(coordinate).collect()
    }
}

/// A block of attributes that were aggregated together.
#[derive(Debug)]
pub(super) struct Block {
    kernel: Kernel,
    centres: Vec<Vec<f64>>,
    /// The share of the release at each centre.
    shares: Vec<f64>,
    /// The centre of each released record, if it shows.
    centre_of: Vec<Option<u32>>,
    people: Vec<Person>,
}

/// What memberships of one of the intruder's records are made of.
#[derive(Debug)]
struct Person {
    point: Vec<f64>,
    /// The squared distance of the nearest centre.
    nearest: f64,
    /// ln Σ (nearest / distance)^(1/(m−1)); of a record at a centre, ln of how many are there.
    log_sum: f64,
    /// Whether it has any value in the block.
    takes_part: bool,
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
}

impl Block {
    pub(super) fn new(scenario: &Scenario<'_>, space: &Space, kernel: Kernel) -> Self {
        let released = scenario.released;
        // A value that may have been suppressed says nothing of the centre: the true one need not show anywhere.
        let of_attributes = scenario.gaps_in_place(true);
        let in_place = space.places.iter().all(|&place| of_attributes[place]);
        let shown: Vec<Vec<Option<f64>>> = (0..released.n_records())
            .map(|record| {
                let row = released.record(record);
                let cell =
                    |&place: &usize| (!row.is_missing(place)).then(|| row.values()[place] + 0.0);
                space.places.iter().map(cell).collect()
            })
            .collect();
        let mut whole: Vec<u32> = (0..)
            .take(shown.len())
            .filter(|&record: &u32| shown[record as usize].iter().all(Option::is_some))
            .collect();
        let compare = |&a: &u32, &b: &u32| -> Ordering {
            let pairs = shown[a as usize].iter().zip(&shown[b as usize]);
            pairs
                .map(|(a, b)| a.unwrap_or(0.0).total_cmp(&b.unwrap_or(0.0)))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        };
        whole.sort_unstable_by(|a, b| compare(a, b).then(a.cmp(b)));
        let mut firsts: Vec<u32> = Vec::new();
        let mut centre_of = vec![None; shown.len()];
        for (at, &record) in whole.iter().enumerate() {
            if at == 0 || compare(&whole[at - 1], &record).is_ne() {
                firsts.push(record);
            }
            centre_of[record as usize] = u32::try_from(firsts.len() - 1).ok();
        }
        for (record, cells) in shown.iter().enumerate() {
            let blank = cells.iter().all(Option::is_none);
            if centre_of[record].is_none() && !blank && in_place {
                let agrees = |first: &u32| {
                    let pairs = cells.iter().zip(&shown[*first as usize]);
                    let mut present = pairs.filter(|(cell, _)| cell.is_some());
                    present.all(|(cell, centre)| cell == centre)
                };
                centre_of[record] = firsts
                    .iter()
                    .position(agrees)
                    .and_then(|at| u32::try_from(at).ok());
            }
        }
        let mut counts = vec![0_u32; firsts.len()];
        for centre in centre_of.iter().flatten() {
            counts[*centre as usize] += 1;
        }
        let centres: Vec<Vec<f64>> = firsts
            .iter()
            .map(|&first| space.point(released, first as usize))
            .collect();
        let intruder = scenario.intruder;
        let points: Vec<Vec<f64>> = (0..intruder.n_records())
            .into_par_iter()
            .map(|record| space.point(intruder, record))
            .collect();
        let kernel = kernel.fitted(&points, &centres);
        let people = points
            .into_par_iter()
            .enumerate()
            .map(|(record, point)| {
                let row = intruder.record(record);
                let takes_part = space.places.iter().any(|&place| !row.is_missing(place));
                Person::new(point, &centres, kernel, takes_part)
            })
            .collect();
        let n = centre_of.iter().flatten().count().max(1) as f64;
        Self {
            kernel,
            centres,
            shares: counts.iter().map(|&count| f64::from(count) / n).collect(),
            centre_of,
            people,
        }
    }

    /// ln of the probability that one of the intruder's records got the centre that a released record shows.
    pub(super) fn log_probability(&self, intruder: usize, released: usize) -> f64 {
        let person = &self.people[intruder];
        let Some(centre) = self.centre_of[released].filter(|_| person.takes_part) else {
            return 0.0;
        };
        let distance = squared(&person.point, &self.centres[centre as usize]);
        self.kernel.log_ratio(distance, person.nearest) - person.log_sum
    }

    /// ln of the share of the release at the centre that a released record shows; 0 if the intruder's record misses the block.
    pub(super) fn log_share(&self, intruder: usize, released: usize) -> f64 {
        match self.centre_of[released] {
            Some(centre) if self.people[intruder].takes_part => self.shares[centre as usize].ln(),
            _ => 0.0,
        }
    }
}

/// How the probability of a centre falls with its squared distance.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kernel {
    /// `d^(−2·exponent)`: memberships with exponent 1/(m − 1).
    Power {
        /// The exponent of 1/d².
        exponent: f64,
    },
    /// `exp(−d²/2τ²)`, with τ² such that the nearest centres are as far as on average: `p τ² = mean of the least d²`.
    Normal {
        /// 1/2τ².
        rate: f64,
    },
}

impl Kernel {
    /// The kernel with what it takes from the records.
    fn fitted(self, points: &[Vec<f64>], centres: &[Vec<f64>]) -> Self {
        let Self::Normal { .. } = self else {
            return self;
        };
        let least: Vec<f64> = points
            .par_iter()
            .map(|point| nearest(point, centres))
            .collect();
        let sum = least
            .iter()
            .filter(|d| d.is_finite())
            .fold(0.0, |sum, d| sum + d);
        let width = points.first().map_or(1, Vec::len).max(1);
        let variance = sum / least.len().max(1) as f64 / width as f64;
        Self::Normal {
            rate: 0.5 / variance.max(f64::MIN_POSITIVE.sqrt()),
        }
    }

    /// ln of the ratio between the centre at this distance and the nearest one.
    fn log_ratio(self, distance: f64, nearest: f64) -> f64 {
        match self {
            _ if distance <= nearest => 0.0,
            Self::Power { exponent } => exponent * (nearest.ln() - distance.ln()),
            Self::Normal { rate } => rate * (nearest - distance),
        }
    }
}

fn nearest(point: &[f64], centres: &[Vec<f64>]) -> f64 {
    let distances = centres.iter().map(|centre| squared(point, centre));
    distances.fold(f64::INFINITY, f64::min)
}

impl Person {
    fn new(point: Vec<f64>, centres: &[Vec<f64>], kernel: Kernel, takes_part: bool) -> Self {
        let nearest = nearest(&point, centres);
        let sum = centres.iter().fold(0.0, |sum, centre| {
            sum + kernel.log_ratio(squared(&point, centre), nearest).exp()
        });
        Self {
            log_sum: f64::ln(sum),
            point,
            nearest,
            takes_part,
        }
    }
}
