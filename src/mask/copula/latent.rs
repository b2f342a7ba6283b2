//! Scores of equal values and of gaps, drawn given the other scores of their record.

use ndarray::{Array1, Array2};
use rand::RngExt;
use rayon::prelude::*;

use super::{
    draws::{BLOCK, Draws},
    scores::Cells,
    sums,
};
use crate::stats::copula::{normal_distribution, normal_quantile, whitening};

/// Sweeps over all attributes, with covariances estimated again before each.
const SWEEPS: usize = 40;

/// In larger files, sweeps over a sample of so many records, by whose covariances the whole file is then swept a few times.
const SAMPLE: usize = 20_000;
const SWEEPS_OF_ALL: usize = 8;

/// Added to the variances, so that attributes which depend on each other can still be drawn one by one.
const RIDGE: f64 = 1e-3;

/// Numbers that the scores of a record go with: the scores themselves, and what is known of kept attributes.
pub(super) struct Rows<'a> {
    pub z: &'a mut [f64],
    pub width: usize,
    pub terms: &'a [f64],
    pub n_terms: usize,
}

/// Draws the scores of all cells (Gibbs).
///
/// ```text
/// z_j | others ~ normal with mean β z_others and the residual's variance, inside the interval of its tie
/// ```
///
/// The extended rank likelihood's sampler, with the covariances of the last draws in place of a draw of them.
///
/// # Randomness
/// One draw a cell and sweep, each with streams of its own.
///
/// # Source
/// P. D. Hoff, "Extending the rank likelihood for semiparametric copula estimation", Annals of Applied Statistics 1, 2007.
pub(super) fn draw(mut rows: Rows<'_>, cells: &[Cells], names: &[String], draws: &Draws<'_>) {
    if cells.iter().all(|cells| cells.cells.is_empty()) {
        return;
    }
    let n = rows.z.len() / rows.width;
    if n <= SAMPLE {
        let records: Vec<u32> = (0_u32..).take(n).collect();
        sweep_sample(&mut rows, cells, names, &records, draws);
        return;
    }
    let mut keys: Vec<(u64, u32)> = (draws.all::<u64>("sample", n, |rng| rng.random()))
        .into_iter()
        .zip(0_u32..)
        .collect();
    keys.select_nth_unstable(SAMPLE);
    let mut records: Vec<u32> = keys[..SAMPLE].iter().map(|&(_, record)| record).collect();
    records.sort_unstable();
    let gathered = |from: &[f64], width: usize| -> Vec<f64> {
        let row = |&record: &u32| &from[record as usize * width..][..width];
        records.iter().flat_map(row).copied().collect()
    };
    let mut z = gathered(rows.z, rows.width);
    let terms = gathered(rows.terms, rows.n_terms);
    let chosen: Vec<Cells> = cells.iter().map(|all| all.of(&records)).collect();
    let mut sample = Rows {
        z: &mut z,
        width: rows.width,
        terms: &terms,
        n_terms: rows.n_terms,
    };
    let moments = sweep_sample(&mut sample, &chosen, names, &records, draws);
    let records: Vec<u32> = (0_u32..).take(n).collect();
    for sweep in 0..SWEEPS_OF_ALL {
        one_sweep(
            &mut rows,
            cells,
            names,
            &records,
            draws,
            &moments,
            SWEEPS + sweep,
        );
    }
}

/// All sweeps over some records, and the moments after them.
fn sweep_sample(
    rows: &mut Rows<'_>,
    cells: &[Cells],
    names: &[String],
    records: &[u32],
    draws: &Draws<'_>,
) -> (Array1<f64>, Array2<f64>) {
    for sweep in 0..SWEEPS {
        let moments = rows.moments();
        one_sweep(rows, cells, names, records, draws, &moments, sweep);
    }
    rows.moments()
}

impl Rows<'_> {
    fn moments(&self) -> (Array1<f64>, Array2<f64>) {
        let (width, terms) = (self.width, self.n_terms);
        sums::moments(self.z.len() / width, width + terms, |record, row| {
            row[..width].copy_from_slice(&self.z[record * width..][..width]);
            row[width..].copy_from_slice(&self.terms[record * terms..][..terms]);
        })
    }
}

impl Cells {
    /// The cells of some records, ascending, by their places among these.
    fn of(&self, records: &[u32]) -> Self {
        let place = |record: u32| {
            let found = records.binary_search(&record).ok()?;
            u32::try_from(found).ok()
        };
        let cells = (self.cells.iter())
            .filter_map(|&(record, interval)| Some((place(record)?, interval)))
            .collect();
        Self {
            cells,
            intervals: self.intervals.clone(),
        }
    }
}

fn one_sweep(
    rows: &mut Rows<'_>,
    cells: &[Cells],
    names: &[String],
    records: &[u32],
    draws: &Draws<'_>,
    (mean, covariance): &(Array1<f64>, Array2<f64>),
    sweep: usize,
) {
    let all = rows.width + rows.n_terms;
    let (_, white) = whitening((covariance + &(Array2::<f64>::eye(all) * RIDGE)).view());
    let precision = white.t().dot(&white);
    for (j, own) in cells.iter().enumerate() {
        if own.cells.is_empty() {
            continue;
        }
        let slopes: Vec<f64> = (0..all)
            .map(|k| {
                if k == j {
                    0.0
                } else {
                    -precision[[j, k]] / precision[[j, j]]
                }
            })
            .collect();
        let constant = mean[j] - (0..all).map(|k| slopes[k] * mean[k]).sum::<f64>();
        let sd = (1.0 / precision[[j, j]]).sqrt();
        let purpose = format!("latent\0{sweep}\0{}", names[j]);
        let (width, n_terms, terms) = (rows.width, rows.n_terms, rows.terms);
        let of_scores = &slopes[..width];
        let of_terms = &slopes[width..];
        let blocks = rows.z.par_chunks_mut(BLOCK * width).enumerate();
        blocks.for_each(|(block, z)| {
            let first = block * BLOCK;
            let place =
                |record: usize| (own.cells).partition_point(|&(cell, _)| (cell as usize) < record);
            let inside = &own.cells[place(first)..place(first + BLOCK)];
            let mut next = inside.iter();
            let who = inside
                .iter()
                .map(|&(cell, _)| records[cell as usize] as usize);
            draws.each(&purpose, block, who, |_, rng| {
                let Some(&(cell, interval)) = next.next() else {
                    return;
                };
                let row = (cell as usize - first) * width;
                let terms = &terms[cell as usize * n_terms..][..n_terms];
                let centre =
                    constant + product(of_scores, &z[row..row + width]) + product(of_terms, terms);
                let bounds = own.intervals[interval as usize];
                z[row + j] = truncated(centre, sd, bounds, rng.random());
            });
        });
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Scores beyond this do not occur: one in 10^15 would.
const FARTHEST: f64 = 8.0;

/// A normal number inside an interval, by a uniform one.
fn truncated(mean: f64, sd: f64, (low, high): (f64, f64), uniform: f64) -> f64 {
    let (a, b) = ((low - mean) / sd, (high - mean) / sd);
    // In the upper half Φ has lost its digits; the lower half is its mirror image.
    let drawn = if a > 0.0 {
        -between(-b, -a, 1.0 - uniform)
    } else {
        between(a, b, uniform)
    };
    (mean + sd * drawn)
        .clamp(low, high)
        .clamp(-FARTHEST, FARTHEST)
}

fn between(a: f64, b: f64, uniform: f64) -> f64 {
    let (below, through) = (normal_distribution(a), normal_distribution(b));
    let p = below + uniform * (through - below);
    match p > 0.0 && p < 1.0 {
        true => normal_quantile(p),
        // So far out that nothing is left of the law: the nearest end.
        false if p <= 0.0 => b,
        false => b.min(FARTHEST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By quantiles: of N(0, 1) in (0, ∞) the median is Φ⁻¹(¾); far out, in (10, ∞), it is 10.0682 (R, truncnorm).
    #[test]
    fn truncated_numbers() {
        let open = f64::INFINITY;
        assert!((truncated(0.0, 1.0, (0.0, open), 0.5) - 0.674_489_750_196_082).abs() < 1e-12);
        assert!((truncated(-10.0, 1.0, (0.0, open), 0.5) - 0.0682).abs() < 1e-3);
        assert!((truncated(10.0, 1.0, (-open, 0.0), 0.5) + 0.0682).abs() < 1e-3);
        for centre in [-1e6, -100.0, 100.0, 1e6] {
            let drawn = truncated(centre, 1e-3, (-0.5, 0.25), 0.3);
            assert!((-0.5..=0.25).contains(&drawn), "{drawn}");
        }
    }
}
