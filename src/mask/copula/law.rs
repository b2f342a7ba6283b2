//! The law by which scores are masked, and the masking of scores.

use std::ops::Range;

use ndarray::{Array1, Array2};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use super::{
    draws::{BLOCK, Draws, records_of},
    mixture::{Densities, Part},
    sums,
    triangle::{Lanes, OnRows, Triangle, on_rows},
};
use crate::{
    statement::CopulaComponent,
    stats::{
        copula::{Allocation, Directions, level, mixture_moments, protected, whitening},
        eigen,
    },
};

/// The highest level of protection: mu / 64.
pub(super) const LEVELS: usize = 12;

/// Eigenvalues of published covariances: no less, so that nine decimals leave them positive.
const MIN_EIGENVALUE: f64 = 1e-6;

/// A number as it is published, and used: with nine decimals.
pub(super) fn published(number: f64) -> f64 {
    (number * 1e9).round() / 1e9 + 0.0
}

/// The law of scores and the directions of its components.
pub(super) struct Law {
    pub parts: Vec<Part>,
    pub allocation: Allocation,
    pub levels: usize,
    densities: Densities,
    directions: Vec<Directions>,
    /// The mean of all scores, and where they are.
    centre: Array1<f64>,
    whole: Triangle,
    pub covariance: Array2<f64>,
    weights: Vec<f64>,
}

/// What the law says of the records of a file.
pub(super) struct Assigned {
    /// The component that each record drew, and its level.
    pub drawn: Vec<(u16, u8)>,
    /// Components × levels: the share of the records, components by their posterior weights.
    shares: Vec<Vec<f64>>,
    /// I(z; component) in bits.
    pub information: f64,
}

/// Of a block of records: what each drew, the shares of components and levels summed, and the entropies of the posteriors.
type OfBlock = (Vec<(u16, u8)>, Vec<Vec<f64>>, f64);

impl Law {
    /// The law with these components, as it is published. `weights` are those of the scores, or none.
    pub fn new(parts: Vec<Part>, weights: Vec<f64>, allocation: Allocation, levels: usize) -> Self {
        let parts: Vec<Part> = parts.into_iter().map(rounded).collect();
        let moments: Vec<_> = (parts.iter())
            .map(|part| (part.weight, part.mean.clone(), part.covariance.clone()))
            .collect();
        let (centre, covariance) = mixture_moments(&moments);
        let (_, white) = whitening(covariance.view());
        Self {
            densities: Densities::of(&parts),
            directions: (parts.iter())
                .map(|part| Directions::of(part.covariance.view(), &weights))
                .collect(),
            parts,
            allocation,
            levels,
            whole: Triangle::new(&centre, &white),
            centre,
            covariance,
            weights,
        }
    }

    /// The components, as they are published.
    pub fn components(&self) -> Vec<CopulaComponent> {
        let rows =
            |matrix: &Array2<f64>| matrix.rows().into_iter().map(|row| row.to_vec()).collect();
        (self.parts.iter())
            .map(|part| CopulaComponent {
                weight: part.weight,
                mean: part.mean.to_vec(),
                covariance: rows(&part.covariance),
            })
            .collect()
    }

    /// Draws the component of each record, and finds its level.
    pub fn assign(&self, z: &[f64], draws: &Draws<'_>) -> Assigned {
        let width = self.centre.len();
        let n = z.len() / width;
        let count = self.parts.len();
        let none = || vec![vec![0.0; self.levels + 1]; count];
        let blocks: Vec<OfBlock> = (0..n.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut drawn = Vec::with_capacity(BLOCK);
                let mut shares = none();
                let mut left = 0.0;
                let records = records_of(block, n);
                let rows = &z[records.start * width..records.end * width];
                let levels = self.levels(rows);
                let mut posteriors = vec![1.0; records.len() * count];
                if count > 1 {
                    self.densities.posteriors(rows, width, &mut posteriors);
                }
                draws.each("component", block, records.clone(), |record, rng| {
                    let place = record - records.start;
                    let posterior = &posteriors[place * count..][..count];
                    let level = levels[place];
                    let uniform: f64 = rng.random();
                    if count > 1 {
                        left += entropy(posterior);
                    }
                    for (share, weight) in shares.iter_mut().zip(posterior) {
                        share[level] += weight;
                    }
                    drawn.push((
                        by_share(posterior, uniform),
                        u8::try_from(level).unwrap_or(u8::MAX),
                    ));
                });
                (drawn, shares, left)
            })
            .collect();
        let mut all = none();
        let mut left = 0.0;
        let mut drawn = Vec::with_capacity(n);
        for (who, shares, more) in blocks {
            drawn.extend(who);
            left += more;
            for (sum, share) in all.iter_mut().flatten().zip(shares.iter().flatten()) {
                *sum += share / n as f64;
            }
        }
        let weights: Vec<f64> = self.parts.iter().map(|part| part.weight).collect();
        Assigned {
            drawn,
            shares: all,
            information: (entropy(&weights) - left / n.max(1) as f64).max(0.0),
        }
    }

    /// The level of protection of each of these rows.
    fn levels(&self, rows: &[f64]) -> Vec<usize> {
        let width = self.centre.len();
        let mut levels = Levels {
            whole: &self.whole,
            levels: self.levels,
            found: Vec::with_capacity(rows.len() / width),
        };
        match self.levels {
            0 => vec![0; rows.len() / width],
            _ => {
                on_rows(rows, width, &mut levels);
                levels.found
            }
        }
    }

    /// What a masked record says of its original, at most, in bits: of its component, and inside it.
    pub fn bits(&self, mu: f64, assigned: &Assigned) -> f64 {
        let mut bits = assigned.information;
        for (directions, shares) in self.directions.iter().zip(&assigned.shares) {
            for (level, share) in shares.iter().enumerate() {
                bits += share * directions.bits(protected(mu, level), self.allocation);
            }
        }
        bits
    }

    /// The mu with these bits; `None` if the components alone say more.
    pub fn mu_for_bits(&self, bits: f64, assigned: &Assigned) -> Option<f64> {
        let (mut low, mut high) = (1e-6_f64.ln(), 1e12_f64.ln());
        if self.bits(low.exp(), assigned) > bits {
            return None;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if self.bits(middle.exp(), assigned) > bits {
                high = middle
            } else {
                low = middle
            }
        }
        Some(low.exp())
    }

    /// The share of each direction of all scores that is kept (ρ) as far as a whole file of one component keeps it, with its share of
    /// the variance and its weights; greatest variance first.
    pub fn of_directions(&self, mu: f64) -> Vec<(f64, f64, Vec<f64>)> {
        let own = eigen::symmetric(self.covariance.clone());
        let total = own.values.sum();
        (own.values.iter().zip(own.vectors.columns()))
            .map(|(&value, vector)| {
                // Across components: between them all is kept, inside each what its masking keeps.
                let kept: f64 = (self.parts.iter().zip(&self.directions))
                    .map(|(part, directions)| {
                        let off = &part.mean - &self.centre;
                        let a = directions.transfer(mu, self.allocation).a;
                        let inside = vector.dot(&a.dot(&part.covariance).dot(&vector));
                        part.weight * (vector.dot(&off).powi(2) + inside)
                    })
                    .sum();
                (value / total, kept / value, vector.to_vec())
            })
            .collect()
    }

    /// Masked scores.
    ///
    /// # Randomness
    /// A normal number a score and record, each score with streams of its own.
    pub fn masked(
        &self,
        z: &[f64],
        assigned: &Assigned,
        mu: f64,
        exact: bool,
        names: &[String],
        draws: &Draws<'_>,
    ) -> Vec<f64> {
        let width = self.centre.len();
        let n = z.len() / width;
        let mut y = noise(n, names, draws);
        if exact {
            make_exact(&mut y, z, width);
        }
        let transfers: Vec<Vec<(Vec<f64>, Vec<f64>)>> = (self.directions.iter())
            .map(|directions| {
                (0..=self.levels)
                    .map(|level| {
                        let transfer = directions.transfer(protected(mu, level), self.allocation);
                        let flat = |matrix: &Array2<f64>| matrix.iter().copied().collect();
                        (flat(&transfer.a), flat(&transfer.noise_root))
                    })
                    .collect()
            })
            .collect();
        y.par_chunks_mut(BLOCK * width)
            .enumerate()
            .for_each(|(block, rows)| {
                let mut noise = vec![0.0; width];
                let mut off = vec![0.0; width];
                for (place, row) in rows.chunks_exact_mut(width).enumerate() {
                    let record = block * BLOCK + place;
                    let (component, level) = assigned.drawn[record];
                    let mean = &self.parts[usize::from(component)].mean;
                    let (a, root) = &transfers[usize::from(component)][usize::from(level)];
                    noise.copy_from_slice(row);
                    for (j, off) in off.iter_mut().enumerate() {
                        *off = z[record * width + j] - mean[j];
                    }
                    let lines = a.chunks_exact(width).zip(root.chunks_exact(width));
                    for ((masked, (a, root)), mean) in row.iter_mut().zip(lines).zip(mean) {
                        let mut sum = *mean;
                        let kept = a.iter().zip(&off).zip(root.iter().zip(&noise));
                        for ((a, off), (root, noise)) in kept {
                            sum += a * off + root * noise;
                        }
                        *masked = sum;
                    }
                }
            });
        y
    }

    /// The weights of the scores; none if all are 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
}

struct Levels<'a> {
    whole: &'a Triangle,
    levels: usize,
    found: Vec<usize>,
}

impl OnRows for Levels<'_> {
    #[inline(always)]
    fn work(&mut self, _: usize, count: usize, rows: &[Lanes], off: &mut [Lanes]) {
        let squares = self.whole.squares(rows, off);
        let of_rows = squares[..count].iter();
        (self.found).extend(of_rows.map(|square| level(square / rows.len() as f64, self.levels)));
    }
}

/// Standard normal numbers, row by row.
fn noise(n: usize, names: &[String], draws: &Draws<'_>) -> Vec<f64> {
    let width = names.len();
    let purposes: Vec<String> = names.iter().map(|name| format!("noise\0{name}")).collect();
    let mut noise = vec![0.0; n * width];
    noise
        .par_chunks_mut(BLOCK * width)
        .enumerate()
        .for_each(|(block, rows)| {
            for (j, purpose) in purposes.iter().enumerate() {
                draws.each(purpose, block, records_of(block, n), |record, rng| {
                    rows[(record - block * BLOCK) * width + j] = StandardNormal.sample(rng);
                });
            }
        });
    noise
}

/// Makes noise uncorrelated with the scores, with mean 0 and covariance 1, over the whole file exactly: the residual of its
/// regression on them, whitened.
fn make_exact(noise: &mut [f64], z: &[f64], width: usize) {
    let n = noise.len() / width;
    let (mean, covariance) = sums::moments(n, 2 * width, |record, row| {
        row[..width].copy_from_slice(&noise[record * width..][..width]);
        row[width..].copy_from_slice(&z[record * width..][..width]);
    });
    let of = |rows: Range<usize>, columns: Range<usize>| sums::part(&covariance, rows, columns);
    let (_, white) = whitening(of(width..2 * width, width..2 * width).view());
    let slopes = of(0..width, width..2 * width).dot(&white.t().dot(&white));
    let left = of(0..width, 0..width) - slopes.dot(&of(width..2 * width, 0..width));
    let unit = {
        let own = eigen::symmetric(left);
        let roots = own.values.mapv(|value| value.max(1e-12).sqrt().recip());
        (&own.vectors * &roots).dot(&own.vectors.t())
    };
    let across = unit.dot(&slopes);
    noise
        .par_chunks_mut(width)
        .enumerate()
        .for_each(|(record, row)| {
            let own: Vec<f64> = row.iter().zip(&mean).map(|(x, m)| x - m).collect();
            let scores = &z[record * width..][..width];
            for (j, value) in row.iter_mut().enumerate() {
                *value = (0..width)
                    .map(|k| unit[[j, k]] * own[k] - across[[j, k]] * (scores[k] - mean[width + k]))
                    .sum();
            }
        });
}

/// A component as it is published: positive definite, with nine decimals.
fn rounded(part: Part) -> Part {
    let least = eigen::symmetric(part.covariance.clone())
        .values
        .iter()
        .fold(f64::INFINITY, |least, &value| least.min(value));
    let ridge = Array2::<f64>::eye(part.mean.len()) * (MIN_EIGENVALUE - least).max(0.0);
    let covariance = part.covariance + ridge;
    let covariance = Array2::from_shape_fn(covariance.dim(), |(i, j)| {
        published(covariance[[i.max(j), i.min(j)]])
    });
    Part {
        weight: published(part.weight),
        mean: part.mean.mapv(published),
        covariance,
    }
}

fn entropy(shares: &[f64]) -> f64 {
    let each = shares.iter().filter(|&&share| share > 0.0);
    each.map(|&share| -share * libm::log2(share)).sum()
}

/// The place that a uniform number chooses by shares.
fn by_share(shares: &[f64], uniform: f64) -> u16 {
    let mut left = uniform;
    let chosen = shares.iter().position(|&share| {
        left -= share;
        left < 0.0
    });
    let last = shares.iter().rposition(|&share| share > 0.0).unwrap_or(0);
    u16::try_from(chosen.unwrap_or(last)).unwrap_or(u16::MAX)
}
