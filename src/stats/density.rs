//! Smooth densities of numbers on a common grid.

/// Kernel widths beyond which a Gaussian kernel is nothing in double precision beside its middle.
const REACH: f64 = 8.0;

/// Grid steps to a bandwidth: what binning adds to the variance of the kernel is then below a thousandth of it.
const STEPS_PER_BANDWIDTH: f64 = 16.0;

/// Points of a grid at most: 512 kB for each density.
const MAX_POINTS: usize = 1 << 16;

/// Points at equal distances, on which densities are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// The first point.
    pub first: f64,
    /// The distance between neighbours; positive.
    pub step: f64,
    /// How many points.
    pub points: usize,
}

impl Grid {
    /// A grid on which kernels of this bandwidth around values from `lowest` to `highest` can be drawn whole. Its step is a
    /// sixteenth of the bandwidth, unless that would make more than 65 536 points.
    pub fn covering(lowest: f64, highest: f64, bandwidth: f64) -> Self {
        let first = lowest - REACH * bandwidth;
        let length = highest + REACH * bandwidth - first;
        let wanted = (length / bandwidth * STEPS_PER_BANDWIDTH).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to a small range of whole numbers; NaN becomes 0"
        )]
        let steps = wanted.clamp(1.0, (MAX_POINTS - 1) as f64) as usize;
        Self {
            first,
            step: length / steps as f64,
            points: steps + 1,
        }
    }
}

/// Silverman's rule of thumb for the bandwidth of a Gaussian kernel:
///
/// ```text
/// h = 0.9 · min(sd, IQR / 1.34) · n^(−1/5)
/// ```
///
/// Where the quartiles are equal (half of the values are), the sd alone counts. 0 if there is no spread.
///
/// # Source
/// B. W. Silverman, "Density Estimation for Statistics and Data Analysis", 1986, equation 3.31.
pub fn silverman(n: usize, sd: f64, interquartile_range: f64) -> f64 {
    let from_quartiles = interquartile_range / 1.34;
    let spread = if from_quartiles > 0.0 {
        sd.min(from_quartiles)
    } else {
        sd
    };
    0.9 * spread * (n.max(1) as f64).powf(-0.2)
}

/// The quantile of a share of sorted values, interpolated between neighbours (type 7 of Hyndman and Fan, the default of R and
/// numpy).
///
/// # Panics
/// If there is no value.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place among the values"
    )]
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let part = place - place.floor();
    // Not low + part * (high - low): the difference of two finite numbers may be infinite.
    sorted[below] * (1.0 - part) + sorted[above] * part
}

/// The Gaussian kernel density of some values at the points of a grid, times `share`.
///
/// ```text
/// f(x) = share / n · Σ_i φ((x − x_i) / h) / h
/// ```
///
/// Each value is first divided among its two neighbours on the grid (linear binning), so the law holds up to an error
/// of the order (step/h)². Values outside of the grid count at its ends. No values: 0 everywhere.
///
/// # Complexity
/// One pass over the values; then points · bandwidth/step.
///
/// # Source
/// M. P. Wand, "Fast computation of multivariate kernel estimators", Journal of Computational and Graphical Statistics 3,
/// 1994 (linear binning).
pub fn kernel_density(values: &[f64], share: f64, bandwidth: f64, grid: &Grid) -> Vec<f64> {
    let binned = linear_bins(values, grid);
    let steps = bandwidth / grid.step;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most the points of a grid"
    )]
    let reach = (REACH * steps).ceil().min(grid.points as f64) as usize;
    let kernel: Vec<f64> = (0..=reach)
        .map(|place| {
            let u = place as f64 / steps;
            (-0.5 * u * u).exp()
        })
        .collect();
    // The kernel sums to 1 on the grid, also where the grid is coarse.
    let whole = kernel[0] + 2.0 * kernel[1..].iter().sum::<f64>();
    let scale = share / (values.len().max(1) as f64 * whole * grid.step);
    let mut density = vec![0.0; grid.points];
    for (place, &mass) in binned.iter().enumerate().filter(|&(_, &mass)| mass > 0.0) {
        let mass = mass * scale;
        let (left, right) = density.split_at_mut(place);
        for (cell, weight) in right.iter_mut().zip(&kernel) {
            *cell += mass * weight;
        }
        for (cell, weight) in left.iter_mut().rev().zip(&kernel[1..]) {
            *cell += mass * weight;
        }
    }
    density
}

/// How many values there are at each point, those between two points divided by nearness.
fn linear_bins(values: &[f64], grid: &Grid) -> Vec<f64> {
    let mut bins = vec![0.0; grid.points];
    let last = grid.points - 1;
    for &value in values {
        let place = ((value - grid.first) / grid.step).clamp(0.0, last as f64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to the places of the grid"
        )]
        let below = place as usize;
        let part = place - below as f64;
        bins[below] += 1.0 - part;
        bins[(below + 1).min(last)] += part;
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: the density of one value 0 with h = 1 is that of the standard normal, 1/√(2π) at 0 and e^(−1/2)/√(2π) at ±1.
    #[test]
    fn one_value_is_one_bell() {
        let grid = Grid::covering(0.0, 0.0, 1.0);
        let density = kernel_density(&[0.0], 1.0, 1.0, &grid);
        let at = |x: f64| density[((x - grid.first) / grid.step).round() as usize];
        let peak = 1.0 / (2.0 * std::f64::consts::PI).sqrt();
        for (x, expected) in [(0.0, peak), (1.0, peak * (-0.5_f64).exp())] {
            assert!((at(x) - expected).abs() < 1e-6, "{x}: {}", at(x));
            assert!((at(-x) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn a_density_sums_to_its_share() {
        let values: Vec<f64> = (0..500).map(|i| f64::from(i * i % 97) * 0.31).collect();
        for bandwidth in [0.01, 0.5, 20.0] {
            let grid = Grid::covering(0.0, 97.0 * 0.31, bandwidth);
            let density = kernel_density(&values, 0.8, bandwidth, &grid);
            let sum = density.iter().sum::<f64>() * grid.step;
            assert!((sum - 0.8).abs() < 1e-9, "{bandwidth}: {sum}");
        }
        let grid = Grid::covering(0.0, 1.0, 0.1);
        assert!(
            kernel_density(&[], 1.0, 0.1, &grid)
                .iter()
                .all(|&f| f == 0.0)
        );
    }

    /// By hand: n = 32 = 2⁵ gives n^(−1/5) = 1/2; sd 2 and IQR 1.34 give a spread of 1; no IQR leaves the sd.
    #[test]
    fn the_rule_of_thumb_by_hand() {
        assert!((silverman(32, 2.0, 1.34) - 0.45).abs() < 1e-15);
        assert!((silverman(32, 2.0, 0.0) - 0.9).abs() < 1e-15);
        assert_eq!(silverman(5, 0.0, 0.0), 0.0);
    }

    /// By hand: among 1, 2, 4, 8 the place of the first quartile is 0.75, hence 1.75.
    #[test]
    fn quantiles_by_hand() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&sorted, 0.25), 1.75);
        assert_eq!(quantile(&sorted, 0.5), 3.0);
        assert_eq!(quantile(&sorted, 1.0), 8.0);
        assert_eq!(quantile(&[5.0], 0.3), 5.0);
    }
}
