//! Additive noise on the Census file, whose attributes PTOTVAL, PEARNVAL and POTHVAL depend on each other exactly: PTOTVAL is
//! the sum of the others.

use sdcrisk::{
    mask::{
        Mask,
        noise::{Noise, Options},
    },
    rng::{Purpose, Seed},
    stats::covariance::{cholesky_semidefinite, covariance},
    table::{Matrix, Table},
};

fn columns(table: &Table) -> Vec<&[f64]> {
    let numbers = table.ids().map(|id| table.numbers(id).unwrap().values);
    numbers.collect()
}

fn matrix(table: &Table) -> Matrix {
    let numbers: Vec<_> = table.ids().map(|id| table.numbers(id).unwrap()).collect();
    let all: Vec<u32> = (0_u32..).take(table.n_records()).collect();
    Matrix::gather(&numbers, &all)
}

fn correlations(table: &Table) -> Vec<f64> {
    let c = covariance(&matrix(table)).unwrap();
    let pairs = c.indexed_iter();
    pairs
        .map(|((j, k), value)| value / (c[[j, j]] * c[[k, k]]).sqrt())
        .collect()
}

#[test]
fn correlated_noise_copes_with_attributes_that_depend_on_each_other() {
    let Some(original) = super::table("census.csv") else {
        return;
    };
    let factor = cholesky_semidefinite(covariance(&matrix(&original)).unwrap().view());
    assert_eq!(factor.rank(), 12, "of 13 attributes");
    let place = |name: &str| {
        let named = |attribute: &sdcrisk::table::Attribute| attribute.name == name;
        original.attributes().iter().position(named).unwrap()
    };
    let (total, earned, other) = (place("PTOTVAL"), place("PEARNVAL"), place("POTHVAL"));
    let sum_holds = |table: &Table, within: f64| {
        let columns = columns(table);
        (0..table.n_records())
            .all(|r| (columns[total][r] - columns[earned][r] - columns[other][r]).abs() <= within)
    };
    assert!(sum_holds(&original, 0.0));
    let options = Options {
        correlated: true,
        ..Options::default()
    };
    let on: Vec<_> = original.ids().collect();
    let masked = Noise::new(0.2, options)
        .unwrap()
        .mask(
            original.clone(),
            &on,
            &Seed::from_number(1).streams(Purpose::Mask, 0),
        )
        .unwrap();
    // An sd of PTOTVAL is about 2·10⁴: a millionth of it.
    assert!(sum_holds(&masked.table, 0.02));
    // Five sds of a correlation's move: (2·sqrt(k) + sqrt(2)·k) / (1 + k) / sqrt(n − 1), as in the laws.
    let bound = 5.0 * (2.0 * 0.2_f64.sqrt() + 2.0_f64.sqrt() * 0.2) / 1.2 / 1079.0_f64.sqrt();
    for (before, after) in correlations(&original)
        .iter()
        .zip(correlations(&masked.table))
    {
        assert!((before - after).abs() < bound, "{before} {after} {bound}");
    }
}
