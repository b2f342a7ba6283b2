//! A mixture of normal laws fitted to scores.

use ndarray::{Array1, Array2};
use rand::{RngExt, seq::index};
use rayon::prelude::*;

use super::{
    draws::{BLOCK, Draws},
    sums::{self, Sums},
    triangle::{LANES, Lanes, OnRows, Triangle, on_rows},
};
use crate::stats::{copula::whitening, elementary::exp2};

/// Added to each component's variances.
const RIDGE: f64 = 0.01;

/// Starts, steps of each, and steps at most of the best one.
const STARTS: usize = 3;
const FIRST_STEPS: usize = 15;
const MAX_STEPS: usize = 100;

/// Where a step gains less in log2-likelihood a record, the fit ends.
const MIN_GAIN: f64 = 1e-4;

/// Records that a fit takes at most, drawn at random.
pub(super) const SAMPLE: usize = 10_000;

/// Records of the file that a component keeps at least where their number is not stated.
pub(super) const MIN: f64 = 50.0;

/// Components where their number is not stated: at most.
const MAX_COMPONENTS: usize = 8;

/// Records a component where their number is not stated: so many, and as many as it has parameters.
const RECORDS_EACH: usize = 250;

/// A normal law with its share.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub weight: f64,
    pub mean: Array1<f64>,
    pub covariance: Array2<f64>,
}

/// How many components a file of this size gets: 1 for few records, 4 near a thousand, 8 for many.
pub(super) fn number(n: usize, width: usize) -> usize {
    (n / RECORDS_EACH.max(width * (width + 3))).clamp(1, MAX_COMPONENTS)
}

/// Fits normal laws to n rows of this width.
///
/// One component has the mean and the covariance of all rows. Several are fitted by expectation maximisation with full
/// covariances to at most [`SAMPLE`] rows: the likeliest of three starts goes on to the end. With `components` of `None` their number is
/// [`number`], and a component that is left with fewer than 50 records is taken out.
pub(super) fn fit(
    z: &[f64],
    width: usize,
    components: Option<usize>,
    draws: &Draws<'_>,
) -> Vec<Part> {
    let n = z.len() / width;
    let wanted = components.unwrap_or_else(|| number(n, width)).min(n);
    if wanted < 2 {
        let (mean, covariance) = sums::moments(n, width, |record, row| {
            row.copy_from_slice(&z[record * width..][..width]);
        });
        return vec![Part {
            weight: 1.0,
            mean,
            covariance,
        }];
    }
    let sample = sample(z, width, draws);
    let least = match components {
        None => MIN / n as f64,
        Some(_) => 1.0 / n as f64,
    };
    let rows = Sample {
        rows: sample.as_deref().unwrap_or(z),
        width,
    };
    let best = (0..STARTS)
        .map(|start| {
            let mut parts = rows.start(wanted, &format!("mixture\0{start}"), draws);
            let mut fit = f64::NEG_INFINITY;
            for _ in 0..FIRST_STEPS {
                (parts, fit) = rows.step(&parts);
            }
            (parts, fit)
        })
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    let (mut parts, mut fit) = best.unwrap_or_else(|| unreachable!("there are starts"));
    for _ in 0..MAX_STEPS {
        let (next, gained) = rows.step(&parts);
        parts = next;
        let smallest =
            (0..parts.len()).min_by(|&a, &b| parts[a].weight.total_cmp(&parts[b].weight));
        match smallest {
            Some(place) if parts.len() > 1 && parts[place].weight < least => {
                parts.remove(place);
                let left: f64 = parts.iter().map(|part| part.weight).sum();
                parts.iter_mut().for_each(|part| part.weight /= left);
                fit = f64::NEG_INFINITY;
            }
            _ if gained - fit < MIN_GAIN => break,
            _ => fit = gained,
        }
    }
    parts
}

/// Rows at random, in file order, where there are more than a fit takes.
fn sample(z: &[f64], width: usize, draws: &Draws<'_>) -> Option<Vec<f64>> {
    let n = z.len() / width;
    if n <= SAMPLE {
        return None;
    }
    let mut keys: Vec<(u64, usize)> = (draws.all::<u64>("fitted", n, |rng| rng.random()))
        .into_iter()
        .zip(0..)
        .collect();
    keys.select_nth_unstable(SAMPLE);
    let mut chosen: Vec<usize> = keys[..SAMPLE].iter().map(|&(_, record)| record).collect();
    chosen.sort_unstable();
    let rows = chosen.iter().map(|&record| &z[record * width..][..width]);
    Some(rows.flatten().copied().collect())
}

struct Sample<'a> {
    rows: &'a [f64],
    width: usize,
}

impl Sample<'_> {
    fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    fn row(&self, record: usize) -> &[f64] {
        &self.rows[record * self.width..][..self.width]
    }

    /// Components around some rows, drawn so that they are far from each other, with the rows nearest to each.
    fn start(&self, wanted: usize, purpose: &str, draws: &Draws<'_>) -> Vec<Part> {
        let mut rng = draws.of_file(purpose);
        let n = self.len();
        let mut centres: Vec<Vec<f64>> = vec![self.row(rng.random_range(0..n)).to_vec()];
        let mut far: Vec<f64> = (0..n)
            .map(|record| distance(self.row(record), &centres[0]))
            .collect();
        while centres.len() < wanted {
            let total: f64 = far.iter().sum();
            let mut left = rng.random::<f64>() * total;
            let next = far.iter().position(|&distance| {
                left -= distance;
                left <= 0.0 && distance > 0.0
            });
            // Where all rows are centres already, the components share them.
            let next = next.unwrap_or_else(|| index::sample(&mut rng, n, 1).index(0));
            let centre = self.row(next).to_vec();
            for (record, far) in far.iter_mut().enumerate() {
                *far = far.min(distance(self.row(record), &centre));
            }
            centres.push(centre);
        }
        for _ in 0..10 {
            let sums = self.sums(centres.len(), to_nearest(&centres));
            for (centre, sums) in centres.iter_mut().zip(&sums.0) {
                if sums.weight > 0.0 {
                    *centre = sums.moments().0.to_vec();
                }
            }
        }
        let sums = self.sums(centres.len(), to_nearest(&centres));
        self.parts(&sums.0)
    }

    /// One step of expectation maximisation, and the mean log2-likelihood before it.
    fn step(&self, parts: &[Part]) -> (Vec<Part>, f64) {
        let densities = Densities::of(parts);
        let (sums, fit) = self.sums(parts.len(), |rows, weights| {
            densities.posteriors(rows, self.width, weights)
        });
        (self.parts(&sums), fit / self.len() as f64)
    }

    /// Weighted sums for each component, and the sum of what `weigh` returns, which writes weights (rows × components); in blocks, summed in
    /// order.
    fn sums(
        &self,
        components: usize,
        weigh: impl Fn(&[f64], &mut [f64]) -> f64 + Sync,
    ) -> (Vec<Sums>, f64) {
        let n = self.len();
        let none = || vec![Sums::none(self.width); components];
        // Blocks of a quarter: a sample has few.
        let blocks: Vec<(Vec<Sums>, f64)> = (0..n.div_ceil(BLOCK / 4))
            .into_par_iter()
            .map(|block| {
                let mut sums = none();
                let records = block * (BLOCK / 4)..n.min((block + 1) * (BLOCK / 4));
                let rows = &self.rows[records.start * self.width..records.end * self.width];
                let mut weights = vec![0.0; records.len() * components];
                let total = weigh(rows, &mut weights);
                let of_rows = weights.chunks_exact(components);
                for (row, weights) in rows.chunks_exact(self.width).zip(of_rows) {
                    for (sums, &weight) in sums.iter_mut().zip(weights) {
                        if weight > 1e-12 {
                            sums.add(row, weight);
                        }
                    }
                }
                (sums, total)
            })
            .collect();
        let mut all = none();
        let mut total = 0.0;
        for (sums, more) in &blocks {
            all = all
                .into_iter()
                .zip(sums)
                .map(|(a, b)| a.joined(b))
                .collect();
            total += more;
        }
        (all, total)
    }

    fn parts(&self, sums: &[Sums]) -> Vec<Part> {
        let ridge = Array2::<f64>::eye(self.width) * RIDGE;
        let n = self.len() as f64;
        let part = |sums: &Sums| {
            let (mean, covariance) = sums.moments();
            Part {
                weight: sums.weight / n,
                mean,
                covariance: covariance + &ridge,
            }
        };
        sums.iter()
            .map(part)
            .filter(|part| part.weight > 0.0)
            .collect()
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Gives each row a weight of 1 for the nearest centre.
fn to_nearest(centres: &[Vec<f64>]) -> impl Fn(&[f64], &mut [f64]) -> f64 + Sync {
    |rows, weights| {
        let rows = rows.chunks_exact(centres[0].len());
        for (row, weights) in rows.zip(weights.chunks_exact_mut(centres.len())) {
            weights.fill(0.0);
            weights[nearest(row, centres)] = 1.0;
        }
        0.0
    }
}

fn nearest(row: &[f64], centres: &[Vec<f64>]) -> usize {
    let far = |&place: &usize| distance(row, &centres[place]);
    (0..centres.len())
        .min_by(|a, b| far(a).total_cmp(&far(b)))
        .unwrap_or(0)
}

/// The densities of the components of a mixture.
pub(super) struct Densities {
    /// log2 of weight / √determinant, and where the component is.
    parts: Vec<(f64, Triangle)>,
}

impl Densities {
    pub fn of(parts: &[Part]) -> Self {
        let of = |part: &Part| {
            let (logarithm, white) = whitening(part.covariance.view());
            (
                libm::log2(part.weight) - 0.5 * logarithm,
                Triangle::new(&part.mean, &white),
            )
        };
        Self {
            parts: parts.iter().map(of).collect(),
        }
    }

    /// How likely each component is to have made each of these rows (rows × components); the sum of log2 of the densities, but for a
    /// constant.
    pub fn posteriors(&self, rows: &[f64], width: usize, weights: &mut [f64]) -> f64 {
        let mut work = Posteriors {
            densities: self,
            weights,
            total: 0.0,
        };
        on_rows(rows, width, &mut work);
        work.total
    }
}

struct Posteriors<'a> {
    densities: &'a Densities,
    weights: &'a mut [f64],
    total: f64,
}

impl OnRows for Posteriors<'_> {
    #[inline(always)]
    fn work(&mut self, from: usize, count: usize, rows: &[Lanes], off: &mut [Lanes]) {
        let parts = &self.densities.parts;
        let weights = &mut self.weights[from * parts.len()..][..count * parts.len()];
        let mut most = [f64::NEG_INFINITY; LANES];
        for (part, (constant, triangle)) in parts.iter().enumerate() {
            let squares = triangle.squares(rows, off);
            for (lane, most) in most[..count].iter_mut().enumerate() {
                let log = constant - 0.5 * std::f64::consts::LOG2_E * squares[lane];
                *most = most.max(log);
                weights[lane * parts.len() + part] = log;
            }
        }
        for (own, most) in weights.chunks_exact_mut(parts.len()).zip(most) {
            let mut total = 0.0;
            for weight in own.iter_mut() {
                *weight = exp2(*weight - most);
                total += *weight;
            }
            own.iter_mut().for_each(|weight| *weight /= total);
            self.total += most + libm::log2(total);
        }
    }
}
