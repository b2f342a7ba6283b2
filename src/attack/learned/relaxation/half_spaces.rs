//! The half-spaces of `sb-nc`: a form that may not be negative on any pair of records.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::growing::Growing;
use crate::{
    attack::learned::{
        competitors::{Competitors, Room},
        differences::Differences,
        family::{Family, Scratch},
        starts::identity,
    },
    optimize::subsystem::{MARGIN, SparseRow},
};

/// Half-spaces that are added at once.
const MAX_HALF_SPACES: usize = 500;

impl Growing<'_> {
    /// Pairs whose form is negative, the most negative first, and how much of the identity makes all forms of pairs not negative.
    pub(super) fn negative_pairs(&self, parameters: &[f64]) -> (Vec<(u32, u32)>, f64) {
        let n = self.differences.n_attributes();
        let identity = identity(n);
        let of_seekers: Vec<Option<(f64, u32, u32)>> = (0..self.differences.n_seekers())
            .into_par_iter()
            .map_init(
                || Room::new(n),
                |room, seeker| {
                    let mut worst: Option<(f64, u32, u32)> = None;
                    for (sought, place) in (0_u32..).zip(0..self.differences.n_sought()) {
                        let form = self.competitors.form(seeker, place, parameters, room);
                        if form < 0.0 {
                            let size = self.competitors.form(seeker, place, &identity, room);
                            let share = form / size;
                            if worst.is_none_or(|(least, ..)| share < least) {
                                worst = Some((share, u32::try_from(seeker).ok()?, sought));
                            }
                        }
                    }
                    worst
                },
            )
            .collect();
        let mut negative: Vec<(f64, u32, u32)> = of_seekers.into_iter().flatten().collect();
        negative.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let lift = negative.first().map_or(0.0, |worst| -worst.0);
        negative.retain(|&(share, ..)| share < -MARGIN);
        negative.truncate(MAX_HALF_SPACES);
        let pairs = negative
            .into_iter()
            .map(|(_, seeker, sought)| (seeker, sought));
        (pairs.collect(), lift)
    }

    /// Adds the half-spaces of pairs that are not listed yet. Whether there were such: an engine may come so near to a listed one that
    /// it stays negative by rounding.
    pub(super) fn list_half_spaces(&mut self, mut pairs: Vec<(u32, u32)>) -> bool {
        let listed: BTreeSet<(u32, u32)> = self.pairs.iter().copied().collect();
        pairs.retain(|pair| !listed.contains(pair));
        let grew = !pairs.is_empty();
        if grew && self.proven.is_none() {
            self.proven = Some(self.problem.clone());
        }
        let mut scratch = Scratch::new(self.differences.n_attributes());
        let mut features = Vec::new();
        for pair in pairs {
            let (seeker, sought) = (pair.0 as usize, pair.1 as usize);
            self.family.features(
                self.differences,
                seeker,
                sought,
                &mut scratch,
                &mut features,
            );
            self.problem.space.half_spaces.push(sparse(&features));
            self.pairs.push(pair);
        }
        grew
    }
}

/// The least value of a form on a pair, as a share of the sum of the pair's squared differences; pairs without any difference do not count.
///
/// # Complexity
/// O(seekers · sought · n²).
pub(in super::super) fn least_share(
    differences: &Differences<'_>,
    family: Family,
    parameters: &[f64],
) -> f64 {
    let n = differences.n_attributes();
    let competitors = Competitors::new(differences, family);
    let identity = identity(n);
    let of_seekers: Vec<f64> = (0..differences.n_seekers())
        .into_par_iter()
        .map_init(
            || Room::new(n),
            |room, seeker| {
                (0..differences.n_sought()).fold(f64::INFINITY, |least, sought| {
                    let size = competitors.form(seeker, sought, &identity, room);
                    if size > 0.0 {
                        least.min(competitors.form(seeker, sought, parameters, room) / size)
                    } else {
                        least
                    }
                })
            },
        )
        .collect();
    of_seekers.into_iter().fold(f64::INFINITY, f64::min)
}

/// A form with so much of the identity that none of its pairs is negative, and within the bounds.
pub(in super::super) fn lifted(parameters: &[f64], lift: f64, n_attributes: usize) -> Vec<f64> {
    let identity = identity(n_attributes);
    let lift = lift * (1.0 + 1e-9) + f64::MIN_POSITIVE;
    let mut lifted: Vec<f64> = parameters
        .iter()
        .zip(&identity)
        .map(|(p, one)| p + lift * one)
        .collect();
    let greatest = lifted.iter().fold(1.0_f64, |most, p| most.max(p.abs()));
    for value in &mut lifted {
        *value /= greatest;
    }
    lifted
}

fn sparse(features: &[f64]) -> SparseRow {
    let greatest = features
        .iter()
        .fold(f64::MIN_POSITIVE, |most, v| most.max(v.abs()));
    (0_u32..)
        .zip(features)
        .filter(|(_, value)| **value != 0.0)
        .map(|(parameter, value)| (parameter, value / greatest))
        .collect()
}
