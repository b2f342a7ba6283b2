//! Writes `data/synthetic-census.csv`: people who do not exist, with the difficulties that real files have.
//!
//! ```text
//! cargo run --example synthetic_census > data/synthetic-census.csv
//! ```
//!
//! Skewed and correlated amounts, one exact identity (income = earnings + self_employed + interest + transfers), ties
//! (amounts rounded to tens, a capped contribution, many zeros), categories with leading zeros, missing values, a row
//! identifier. The same file comes out on every machine: the seed is fixed and amounts are rounded to tens.

#![allow(
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    reason = "amounts are small, and this program prints a file"
)]

use rand::{Rng, RngExt};
use sdcrisk::rng::{Purpose, Seed};

fn main() {
    print!("{}", synthetic_census(1000));
}

/// The file as text, with `records` records.
pub fn synthetic_census(records: usize) -> String {
    let mut text = String::from(
        "person,region,sex,age,education,earnings,self_employed,interest,transfers,income,tax,contribution,rent\n",
    );
    for record in 0..records as u64 {
        let rng = &mut Seed::from_number(1998)
            .streams(Purpose::Shuffle, 1)
            .at(record);
        let age = 18 + (normal(rng).abs() * 19.0).min(72.0) as i64;
        let education = (1.0 + 2.2 + normal(rng) * 1.4).clamp(1.0, 6.0) as i64;
        let standing = normal(rng);
        let works = age < 66 && rng.random_bool(0.8);
        let earnings = if works {
            tens(
                (9.6 + 0.14 * education as f64
                    + 0.012 * (age.min(50) - 18) as f64
                    + 0.55 * standing)
                    .exp(),
            )
        } else {
            0
        };
        let self_employed = if rng.random_bool(0.12) {
            tens((8.4 + 0.3 * standing + 0.9 * normal(rng)).exp())
        } else {
            0
        };
        let interest = if rng.random_bool(0.55) {
            tens((4.2 + 0.02 * age as f64 + 0.7 * standing + 1.2 * normal(rng)).exp())
        } else {
            0
        };
        let transfers = if age >= 66 {
            tens((9.3 + 0.1 * education as f64 + 0.25 * normal(rng)).exp())
        } else if rng.random_bool(0.2) {
            tens((7.6 + 0.5 * normal(rng)).exp())
        } else {
            0
        };
        let income = earnings + self_employed + interest + transfers;
        let taxable = (income - 9000).max(0);
        let tax = taxable / 5 + (taxable - 30_000).max(0) / 6 - taxable % 10 / 5;
        let contribution = earnings.min(55_000) * 93 / 1000;
        let rent = match rng.random_range(0..10) {
            0..4 => String::new(),
            4 => "0".into(),
            _ => (tens((6.1 + 0.2 * standing + 0.35 * normal(rng)).exp())).to_string(),
        };
        let interest = if rng.random_bool(0.015) {
            "NA".into()
        } else {
            interest.to_string()
        };
        text += &format!(
            "P{:04},{:02},{},{age},{education},{earnings},{self_employed},{interest},{transfers},{income},{tax},{contribution},{rent}\n",
            1000 + record * 7 % 8999,
            1 + rng.random_range(0..19) * rng.random_range(0..19) / 19,
            1 + rng.random_range(0..2),
        );
    }
    text
}

/// About a standard normal number: the sum of twelve uniform ones, less six. No logarithm, so no machine rounds it
/// differently.
fn normal(rng: &mut impl Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

fn tens(amount: f64) -> i64 {
    (amount / 10.0).round() as i64 * 10
}
