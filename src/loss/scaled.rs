//! IL1s: differences of values in units of their standard deviation.

use rayon::prelude::*;

use super::Files;
use crate::figure::{Definition, Figure, Group, Part};

/// Differences of values in units of their spread.
pub static IL1S: Definition = Definition::share(Group::Overall, "il1s", "scaled differences (IL1s)", "mean of |x − x'| / (√2 · sd) over the cells that both files have, sd the original's (divisor n−1)", "W. E. Yancey, W. E. Winkler, R. H. Creecy, 2002; Handbook on Statistical Disclosure Control, 3.5",).unbounded().public();

/// The mean of scaled differences of values.
///
/// ```text
/// IL1s = 1/(n p) Σ |x_ij − x'_ij| / (√2 S_j)         S_j the original's sd (n−1)
/// ```
///
/// Unlike the mean variation it does not depend on where an attribute's 0 is. Cells that one file misses do not count;
/// those of an attribute without spread are counted in `skipped`. Some programs print the sum over all cells instead of the mean.
///
/// # Source
/// W. E. Yancey, W. E. Winkler, R. H. Creecy, "Disclosure risk assessment in perturbative microdata protection", LNCS 2316, 2002.
pub fn figure(files: &Files<'_>) -> Figure {
    let sums: Vec<(u64, f64)> = (0..files.names.len())
        .into_par_iter()
        .map(|attribute| {
            let cells = (files.before.cells(attribute)).zip(files.after.cells(attribute));
            let both = cells.filter_map(|(before, after)| Some((before? - after?).abs()));
            both.fold((0, 0.0), |(count, sum), difference| {
                (count + 1, sum + difference)
            })
        })
        .collect();
    let mut sum = 0.0;
    let (mut counted, mut skipped) = (0, 0);
    let mut parts = Vec::with_capacity(sums.len());
    for ((name, variance), (count, differences)) in files
        .names
        .iter()
        .zip(files.variances_of_before())
        .zip(sums)
    {
        let scaled = variance
            .filter(|&variance| variance > 0.0 && count > 0)
            .map(|variance| differences / (2.0 * variance).sqrt());
        match scaled {
            Some(scaled) => {
                sum += scaled;
                counted += count;
            }
            None => skipped += count,
        }
        parts.push(Part {
            name: name.clone(),
            value: scaled
                .map(|scaled| scaled / count as f64)
                .filter(|value| value.is_finite()),
        });
    }
    if counted > 0 {
        Figure::new(&IL1S, sum / counted as f64, counted)
    } else {
        Figure::undefined(&IL1S, files.no_spread())
    }
    .with_skipped(skipped)
    .with_parts(parts)
}
