//! The probabilistic loss of a file that sampling alone has changed.
//!
//! Draw the "masked" file from the records of the original with replacement. Its statistics T' then differ from those of the original, θ, as
//! those of a sample differ from its population's: (T' − θ) / sqrt(Var T) is standard normal for many records, if Var T is the
//! sampling variance of the statistic. With Z normal, 2 P(0 <= Z' <= |Z|) is uniform on [0, 1], so each family of probabilistic
//! losses has mean 1/2 over many draws. That checks the variances of all five families without their formulas: one that is off by a
//! factor s² moves the mean to (2/π) arctan s, a factor of 2 to 0.61 or 0.39.

use std::fmt::Write as _;

use sdcrisk::{
    figure, loss,
    table::{AttrId, ReadOptions, Table, pair::Pair},
};

use super::random_files::Dice;

const RECORDS: u32 = 600;
const DRAWS: u32 = 120;

/// Normal to the eye: the sum of twelve uniform numbers.
fn normal(dice: &mut Dice) -> f64 {
    let uniform = |dice: &mut Dice| dice.roll(1 << 24) as f64 / f64::from(1 << 24);
    (0..12).map(|_| uniform(dice)).sum::<f64>() - 6.0
}

/// Attributes of several shapes, dependent on each other: normal, normal and correlated with the first, skewed, flat.
fn original(dice: &mut Dice) -> Table {
    let mut csv = "a,b,c,d\n".to_string();
    for _ in 0..RECORDS {
        let [u, v, w] = [0; 3].map(|_| normal(dice));
        let flat = dice.roll(1 << 20) as f64 / 1e5;
        writeln!(
            csv,
            "{},{},{},{}",
            50.0 + u,
            20.0 + 0.6 * u + 0.8 * v,
            5.0 + 0.5 * v + 0.3 * w * w,
            flat + v
        )
        .unwrap();
    }
    Table::read("t.csv", csv.into_bytes(), &ReadOptions::default()).unwrap()
}

#[test]
fn what_sampling_alone_does_is_uniform() {
    let mut dice = Dice(2005);
    let table = original(&mut dice);
    let attributes: Vec<[AttrId; 2]> = table.ids().map(|id| [id, id]).collect();
    let families = [
        "means",
        "variances",
        "covariances",
        "correlations",
        "quantiles",
    ];
    let mut sums = [0.0; 5];
    for _ in 0..DRAWS {
        let drawn: Vec<[u32; 2]> = (0..RECORDS)
            .map(|record| [record, dice.roll(u64::from(RECORDS)) as u32])
            .collect();
        let pair = Pair::new([&table, &table], &attributes, &drawn);
        let figures = loss::figures(&pair, &[]);
        for (sum, family) in sums.iter_mut().zip(families) {
            *sum += figure::value(&figures, &format!("pil_{family}")).unwrap();
        }
    }
    for (sum, family) in sums.iter().zip(families) {
        let mean = sum / f64::from(DRAWS);
        // The sd of such a mean is 0.29 / sqrt(120) = 0.026 if all members of a family move together, and less otherwise.
        assert!((mean - 0.5).abs() < 0.07, "{family}: {mean}");
    }
}
