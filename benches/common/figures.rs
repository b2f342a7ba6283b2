//! Figures: how they are condensed, and how they are shown.

use std::{
    io::{self, Write},
    time::Instant,
};

/// Shows a line. Benchmarks that nobody reads any more end quietly.
pub fn say(line: &str) {
    if writeln!(io::stdout(), "{line}").is_err() {
        std::process::exit(0);
    }
}

/// What some work came to, and its seconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// The median: of an even number of figures, the mean of the middle two.
pub fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    }
}

/// The median of the ratios, each of two figures of the same round: rounds in which the machine was slow for both do
/// not disturb it.
pub fn median_ratio(figures: &[f64], baseline: &[f64]) -> f64 {
    let ratios: Vec<f64> = figures.iter().zip(baseline).map(|(a, b)| a / b).collect();
    median(&ratios)
}

/// The exponent `e` of `seconds = c * size^e`, fitted by least squares on logarithms.
pub fn growth_exponent(points: &[(usize, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .map(|&(size, seconds)| ((size as f64).ln(), seconds.ln()))
        .collect();
    let n = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / n;
    let sum_xy: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let sum_xx: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    sum_xy / sum_xx
}
