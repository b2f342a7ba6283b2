//! A survey of enterprises that do not exist: few records, skewed amounts, many zeros, totals that add up, and some giants.
//!
//! Semicolons, decimal commas, amounts in euros and cents, a hierarchical code of industry, `.` for what was not answered. Persons employed
//! are men and women, turnover is that at home and abroad, costs are materials, energy, wages and services; one enterprise in twenty did not
//! state its energy, and then its costs are missing, too. The same file comes out on every machine: the seed is fixed, and no
//! logarithm or power is taken of a random number.

use std::fmt::Write;

use rand::{Rng, RngExt};

use crate::rng::{Purpose, Seed};

/// The names of the attributes.
const HEADER: &str = "enterprise;industry;state;employed;men;women;turnover;home;abroad;costs;materials;energy;wages;services;investment;research";

/// Industries (division and group): turnover a head in thousands, the share of it that materials take, and how many of ten enterprises
/// export.
const INDUSTRIES: [(&str, i64, i64, u32); 10] = [
    ("C10.7", 130, 48, 3),
    ("C13.9", 110, 45, 6),
    ("C20.5", 310, 55, 8),
    ("C25.6", 150, 40, 6),
    ("C26.5", 240, 38, 9),
    ("C28.9", 230, 46, 9),
    ("F41.2", 160, 42, 1),
    ("G46.7", 420, 74, 5),
    ("H49.4", 120, 22, 4),
    ("J62.0", 140, 8, 5),
];

/// The survey as bytes, with so many enterprises.
pub fn enterprise_survey(enterprises: usize) -> Vec<u8> {
    let mut text = format!("{HEADER}\n");
    for (number, record) in (0..enterprises).zip(0..) {
        let rng = &mut Seed::from_number(2026)
            .streams(Purpose::Shuffle, 3)
            .at(record);
        write(number, rng, &mut text);
    }
    text.into_bytes()
}

/// How many persons an enterprise employs: most few, one in a hundred a thousand and more.
fn employed(rng: &mut impl Rng) -> i64 {
    let mut persons = rng.random_range(1..10);
    for chance in [0.55, 0.45, 0.3, 0.25] {
        if !rng.random_bool(chance) {
            break;
        }
        persons = persons * rng.random_range(20..60) / 10;
    }
    persons.max(1)
}

/// A share of an amount in cents, in thousandths, give or take a third of it.
fn share(amount: i64, thousandths: i64, rng: &mut impl Rng) -> i64 {
    amount / 1000 * thousandths / 100 * rng.random_range(67..134) + rng.random_range(0..100)
}

fn write(number: usize, rng: &mut impl Rng, text: &mut String) {
    let (industry, a_head, materials, exporters) =
        INDUSTRIES[rng.random_range(0..INDUSTRIES.len())];
    let persons = employed(rng);
    let women = persons * rng.random_range(5..60) / 100;
    let turnover = share(persons * a_head * 100_000, 1000, rng);
    // Larger enterprises export more often.
    let exports = rng.random_range(0..10) < exporters && (persons > 9 || rng.random_bool(0.25));
    let abroad = if exports {
        share(turnover, rng.random_range(20..700), rng)
    } else {
        0
    };
    let home = (turnover - abroad).max(0);
    let materials = share(turnover, materials * 10, rng);
    let energy = (!rng.random_bool(0.05)).then(|| share(turnover, 25, rng));
    // Who employs only the owner pays no wages.
    let wages = if persons > 1 {
        share((persons - 1) * 3_800_000, 1000, rng)
    } else {
        0
    };
    let services = share(turnover, 90, rng);
    let investment = if rng.random_bool(0.45) {
        0
    } else {
        share(turnover, 60, rng)
    };
    let research = if exports && rng.random_bool(0.35) {
        share(turnover, 30, rng)
    } else {
        0
    };
    let costs = energy.map(|energy| materials + energy + wages + services);
    let amount = |cents: i64| format!("{},{:02}", cents / 100, cents % 100);
    let stated = |cents: Option<i64>| cents.map_or(".".into(), amount);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{};{industry};{};{persons};{};{women};{};{};{};{};{};{};{};{};{};{}",
        700_000 + number * 37 % 99_991,
        1 + rng.random_range(0..9),
        persons - women,
        amount(home + abroad),
        amount(home),
        amount(abroad),
        stated(costs),
        amount(materials),
        stated(energy),
        amount(wages),
        amount(services),
        amount(investment),
        amount(research),
    );
}
