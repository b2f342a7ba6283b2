//! Kernel densities against scipy's, recorded by `kernel_density.py` beside this file.

use sdcrisk::stats::{
    density::{Grid, kernel_density, quantile, silverman},
    moments::moments,
};

fn numbers(text: &str) -> Vec<Vec<f64>> {
    text.lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect()
}

/// The densities of 60 numbers, 15 of them 0, at 81 points. Binning costs (step/h)²/12 at most where the density bends as the
/// kernel does: with a step of 1/1024 that is below 1e-5 of the greatest density for both bandwidths.
#[test]
fn densities_are_those_of_scipy() {
    let mut values: Vec<f64> = numbers(include_str!("data/density-values.csv"))
        .into_iter()
        .flatten()
        .collect();
    let recorded = numbers(include_str!("data/density-at.csv"));
    values.sort_unstable_by(f64::total_cmp);
    let sd = moments(values.iter().copied()).sd;
    let range = quantile(&values, 0.75) - quantile(&values, 0.25);
    let grid = Grid {
        first: -16.0,
        step: 1.0 / 1024.0,
        points: 48 * 1024,
    };
    for (column, bandwidth) in [(1, silverman(values.len(), sd, range)), (2, 1.5)] {
        let density = kernel_density(&values, 1.0, bandwidth, &grid);
        let greatest = recorded
            .iter()
            .fold(0.0_f64, |most, row| most.max(row[column]));
        for row in &recorded {
            let place = ((row[0] - grid.first) / grid.step).round() as usize;
            let error = (density[place] - row[column]).abs();
            assert!(error < 1e-5 * greatest, "{} {bandwidth}: {error}", row[0]);
        }
    }
}
