//! The law of fuzzy microaggregation: memberships.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::{
    equality::Agreement,
    pairs::{PairLaw, Pairs},
};
use crate::{
    attack::{Lists, Scenario},
    error::{Error, Result},
    statement::{DistanceScale, FuzzyParameters, Statement},
    stats::{
        membership::Fuzziness,
        moments::{Moments, moments_by_attribute},
    },
    table::{Scale, matrix::Matrix},
};

/// The likelihoods of fuzzy microaggregation.
///
/// ```text
/// P(y | x) = Π over blocks of u_v(x),   v the centre that y shows,  u by the published m2
/// ```
///
/// The centres of a block are the different combinations of its values in the release. (Centres that nobody drew do not show;
/// they are unlikely for everybody.) How many released records share a centre enters by `f(y)`: see `pairs.rs`.
///
/// # What the intruder does not know
/// Distances were taken in units of the original's standard deviations. They are his own records' if he holds as many as were
/// released; else he takes the release's, which are smaller, the more so the fuzzier: in proportion, mostly.
///
/// # Parts of blocks
/// Of a block that is known in part, distances are taken over that part: an approximation, since what is not known decided too.
///
/// # Rounded
/// Memberships were those of the centres before rounding: an approximation where centres are few units apart.
///
/// # Missing
/// A missing value stands at the mean when memberships are computed, as it did. A released record with gaps is taken to have the first
/// centre that agrees with what it shows; where none does, the block says nothing.
///
/// # Errors
/// Usage, when the published m2 is none.
pub(super) fn lists<'a>(
    scenario: &Scenario<'a>,
    published: &Statement,
    stated: &FuzzyParameters,
) -> Result<Box<dyn Lists + 'a>> {
    let masked: Vec<bool> = scenario
        .known
        .iter()
        .zip(scenario.scales)
        .map(|(name, &scale)| scale != Scale::Nominal && published.attributes.contains(name))
        .collect();
    let fuzziness = Fuzziness::new(stated.m2)?;
    let (intruder, released) = (scenario.intruder, scenario.released);
    let moments = match intruder.n_records() >= released.n_records() {
        true => moments_by_attribute(intruder),
        false => moments_by_attribute(released),
    };
    let blocks = stated
        .blocks
        .iter()
        .map(|block| {
            let places: Vec<usize> = (0..masked.len())
                .filter(|&k| masked[k] && block.attributes.contains(&scenario.known[k]))
                .collect();
            places
        })
        .filter(|places| !places.is_empty())
        .map(|places| {
            Block::new(
                scenario,
                Space::new(&places, &moments, stated.scale)?,
                fuzziness,
            )
        })
        .collect::<Result<Vec<Block>>>()?;
    let law = FuzzyLaw {
        intruder,
        released,
        agreement: Agreement {
            masked,
            direction: scenario.direction,
        },
        blocks,
    };
    Ok(Box::new(Pairs::new(scenario, law)))
}

/// In which units distances of a block are taken.
#[derive(Debug)]
struct Space {
    places: Vec<usize>,
    means: Vec<f64>,
    units: Vec<f64>,
}

impl Space {
    fn new(places: &[usize], moments: &[Moments], scale: DistanceScale) -> Result<Self> {
        let sds: Vec<f64> = places.iter().map(|&place| moments[place].sd).collect();
        // One unit for all changes no membership.
        let widest = sds.iter().copied().fold(0.0, f64::max);
        if !widest.is_finite() {
            return Err(
                Error::input("a known attribute has values too large for distances")
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
        let coordinate = |(at, &place): (usize, &usize)| match row.is_missing(place) {
            true => 0.0,
            false => (row.values()[place] - self.means[at]) / self.units[at],
        };
        self.places.iter().enumerate().map(coordinate).collect()
    }
}

/// A block of attributes that were aggregated together.
#[derive(Debug)]
struct Block {
    /// 1/(m2 − 1).
    exponent: f64,
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
    fn new(scenario: &Scenario<'_>, space: Space, fuzziness: Fuzziness) -> Result<Self> {
        let released = scenario.released;
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
            if centre_of[record].is_none() && !blank {
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
        let exponent = 1.0 / (fuzziness.m() - 1.0);
        let intruder = scenario.intruder;
        let people = (0..intruder.n_records())
            .into_par_iter()
            .map(|record| {
                let point = space.point(intruder, record);
                let row = intruder.record(record);
                let takes_part = space.places.iter().any(|&place| !row.is_missing(place));
                Person::new(point, &centres, exponent, takes_part)
            })
            .collect();
        let n = centre_of.iter().flatten().count().max(1) as f64;
        Ok(Self {
            exponent,
            centres,
            shares: counts.iter().map(|&count| f64::from(count) / n).collect(),
            centre_of,
            people,
        })
    }

    /// ln of the membership of one of the intruder's records in the centre that a released record shows.
    fn log_membership(&self, intruder: usize, released: usize) -> f64 {
        let person = &self.people[intruder];
        let Some(centre) = self.centre_of[released].filter(|_| person.takes_part) else {
            return 0.0;
        };
        let distance = squared(&person.point, &self.centres[centre as usize]);
        if distance <= person.nearest {
            return -person.log_sum;
        }
        self.exponent * (person.nearest.ln() - distance.ln()) - person.log_sum
    }
}

impl Person {
    fn new(point: Vec<f64>, centres: &[Vec<f64>], exponent: f64, takes_part: bool) -> Self {
        let distances: Vec<f64> = centres
            .iter()
            .map(|centre| squared(&point, centre))
            .collect();
        let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let sum = distances.iter().fold(0.0, |sum, &distance| {
            let ratio = if distance <= nearest {
                1.0
            } else {
                nearest / distance
            };
            sum + ratio.powf(exponent)
        });
        Self {
            log_sum: f64::ln(sum),
            point,
            nearest,
            takes_part,
        }
    }
}

/// Likelihoods of pairs under fuzzy microaggregation.
#[derive(Debug)]
struct FuzzyLaw<'a> {
    intruder: &'a Matrix,
    released: &'a Matrix,
    agreement: Agreement,
    blocks: Vec<Block>,
}

impl PairLaw for FuzzyLaw<'_> {
    fn log_likelihood(&self, intruder: usize, released: usize) -> f64 {
        if !self
            .agreement
            .admits(self.intruder, (intruder, released), self.released)
        {
            return f64::NEG_INFINITY;
        }
        self.blocks
            .iter()
            .map(|block| block.log_membership(intruder, released))
            .fold(0.0, |sum, term| sum + term)
    }

    fn log_background(&self, intruder: usize, released: usize) -> f64 {
        let share = |block: &Block| match block.centre_of[released] {
            Some(centre) if block.people[intruder].takes_part => block.shares[centre as usize].ln(),
            _ => 0.0,
        };
        self.blocks
            .iter()
            .map(share)
            .fold(0.0, |sum, term| sum + term)
    }

    fn is_complete(&self, intruder: usize) -> bool {
        !self.intruder.has_missing(intruder)
    }
}
