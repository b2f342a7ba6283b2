//! Who misses a value in the masked file: drawn anew, given the masked scores.

use ndarray::{Array1, Array2};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use super::{
    draws::{BLOCK, Draws, records_of},
    given::Terms,
    sums,
};
use crate::stats::copula::{symmetric_root, whitening};

/// The law of scores of gaps, given the scores of values and the terms of kept attributes: normal.
pub(super) struct GapLaw {
    names: Vec<String>,
    /// Means of values, gaps and terms, in this order.
    mean: Array1<f64>,
    /// Gaps × (values and terms).
    slopes: Array2<f64>,
    root: Array2<f64>,
}

impl GapLaw {
    /// By the covariances of `z`: n × (values, then gaps), row by row.
    pub fn new(z: &[f64], width: usize, names: &[String], terms: &Terms) -> Self {
        let gaps = names.len();
        let all = width + gaps;
        let count = terms.count();
        // Values and terms first, then gaps.
        let known = width + count;
        let (mean, covariance) = sums::moments(z.len() / all, known + gaps, |record, row| {
            let own = &z[record * all..][..all];
            row[..width].copy_from_slice(&own[..width]);
            row[width..known].copy_from_slice(terms.row(record));
            row[known..].copy_from_slice(&own[width..]);
        });
        let across = sums::part(&covariance, known..known + gaps, 0..known);
        let (_, white) = whitening(sums::part(&covariance, 0..known, 0..known).view());
        let slopes = across.dot(&white.t()).dot(&white);
        let left = sums::part(&covariance, known..known + gaps, known..known + gaps)
            - slopes.dot(&across.t());
        Self {
            names: names.to_vec(),
            mean,
            slopes,
            root: symmetric_root(left),
        }
    }

    /// Scores of gaps, n × gaps, for masked scores of values.
    ///
    /// # Randomness
    /// A normal number a gap's score and record, each score with streams of its own.
    pub fn draw(&self, y: &[f64], width: usize, terms: &Terms, draws: &Draws<'_>) -> Vec<f64> {
        let gaps = self.names.len();
        let known = width + terms.count();
        let n = y.len() / width;
        let mut scores = vec![0.0; n * gaps];
        let blocks = scores.par_chunks_mut(BLOCK * gaps).enumerate();
        blocks.for_each(|(block, rows)| {
            for (j, name) in self.names.iter().enumerate() {
                let purpose = format!("noise\0{name}");
                draws.each(&purpose, block, records_of(block, n), |record, rng| {
                    rows[(record - block * BLOCK) * gaps + j] = StandardNormal.sample(rng);
                });
            }
            for (place, row) in rows.chunks_exact_mut(gaps).enumerate() {
                let record = block * BLOCK + place;
                let noise = row.to_vec();
                let values = &y[record * width..][..width];
                for (j, score) in row.iter_mut().enumerate() {
                    let mut sum = self.mean[known + j];
                    for (k, value) in values.iter().chain(terms.row(record)).enumerate() {
                        sum += self.slopes[[j, k]] * (value - self.mean[k]);
                    }
                    for (k, noise) in noise.iter().enumerate() {
                        sum += self.root[[j, k]] * noise;
                    }
                    *score = sum;
                }
            }
        });
        scores
    }
}
