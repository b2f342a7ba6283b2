//! Least squares by Householder reflections, written for the tests: another route than the program's.

/// The coefficients and residuals of `y` on independent `columns`.
pub fn least_squares(columns: &[Vec<f64>], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (p, n) = (columns.len(), y.len());
    // Columns in units of their largest entry.
    let units: Vec<f64> = columns
        .iter()
        .map(|column| column.iter().fold(0.0_f64, |most, v| most.max(v.abs())))
        .collect();
    let mut a: Vec<Vec<f64>> = (columns.iter().zip(&units))
        .map(|(column, unit)| column.iter().map(|v| v / unit).collect())
        .collect();
    let mut b = y.to_vec();
    for k in 0..p {
        let norm = a[k][k..].iter().map(|v| v * v).sum::<f64>().sqrt();
        let mut v = a[k][k..].to_vec();
        v[0] += norm.copysign(v[0]);
        let length: f64 = v.iter().map(|v| v * v).sum();
        let reflect = |column: &mut [f64]| {
            let along: f64 = v.iter().zip(column.iter()).map(|(v, c)| v * c).sum();
            for (c, v) in column.iter_mut().zip(&v) {
                *c -= 2.0 * along / length * v;
            }
        };
        a[k..]
            .iter_mut()
            .for_each(|column| reflect(&mut column[k..]));
        reflect(&mut b[k..]);
    }
    let mut coefficients = vec![0.0; p];
    for k in (0..p).rev() {
        let known: f64 = (k + 1..p).map(|j| a[j][k] * coefficients[j]).sum();
        coefficients[k] = (b[k] - known) / a[k][k];
    }
    for (coefficient, unit) in coefficients.iter_mut().zip(&units) {
        *coefficient /= unit;
    }
    let residuals = (0..n)
        .map(|r| y[r] - (0..p).map(|k| coefficients[k] * columns[k][r]).sum::<f64>())
        .collect();
    (coefficients, residuals)
}
