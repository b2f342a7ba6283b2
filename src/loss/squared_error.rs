//! SSE/SST: the loss of the microaggregation literature.

use rayon::prelude::*;

use super::Files;
use crate::figure::{Definition, Figure, Group, Part};

/// Squared differences in units of the variance.
pub static SSE_SST: Definition = Definition::share(Group::Overall, "sse_sst", "SSE/SST", "squared differences of values in units of the squared differences from the means, on standardised attributes; 1 is what replacing every value by its mean loses", "J. Domingo-Ferrer, J. M. Mateo-Sanz, 2002",).unbounded().public();

/// SSE/SST on standardised attributes.
///
/// ```text
/// Σ_j SSE_j / s²_j  /  Σ_j (n_j − 1)        SSE_j = Σ (x_j − x'_j)²,  s_j the original's sd (n−1)
/// ```
///
/// n_j counts the records that have a value in both files. Attributes without spread in the original do not count; their
/// cells are counted in `skipped`. The literature prints it times 100.
///
/// # Parts
/// SSE_j / (s²_j (n_j − 1)).
///
/// # Source
/// J. Domingo-Ferrer, J. M. Mateo-Sanz, "Practical data-oriented microaggregation for statistical disclosure control", IEEE TKDE 14,
/// 2002.
pub fn figure(files: &Files<'_>) -> Figure {
    let errors: Vec<(u64, f64)> = (0..files.names.len())
        .into_par_iter()
        .map(|attribute| {
            let cells = (files.before.cells(attribute)).zip(files.after.cells(attribute));
            let both = cells.filter_map(|(before, after)| Some(before? - after?));
            both.fold((0, 0.0), |(count, sum), difference| {
                (count + 1, sum + difference * difference)
            })
        })
        .collect();
    let (mut error, mut total) = (0.0, 0.0);
    let (mut counted, mut skipped) = (0, 0);
    let mut parts = Vec::with_capacity(errors.len());
    for ((name, variance), (count, squares)) in files
        .names
        .iter()
        .zip(files.variances_of_before())
        .zip(errors)
    {
        let freedom = count.saturating_sub(1) as f64;
        let standardised = variance
            .filter(|&variance| variance > 0.0 && freedom > 0.0)
            .map(|variance| squares / variance);
        match standardised {
            Some(sum) => {
                error += sum;
                total += freedom;
                counted += count;
            }
            None => skipped += count,
        }
        parts.push(Part {
            name: name.clone(),
            value: standardised
                .map(|sum| sum / freedom)
                .filter(|value| value.is_finite()),
        });
    }
    if total > 0.0 {
        Figure::new(&SSE_SST, error / total, counted)
    } else {
        Figure::undefined(&SSE_SST, files.no_spread())
    }
    .with_skipped(skipped)
    .with_parts(parts)
}
