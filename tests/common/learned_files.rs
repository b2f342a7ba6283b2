//! The test files of learned distances: attributes of the Census file, microaggregated group by group with MDAV.
//!
//! The names are those of the literature: `M4-82` has four attributes, the first two aggregated with k = 8, the next two with
//! k = 2; `M7-999` has groups of three, three and one attribute, all with k = 3. The literature does not say which 400 records
//! and which attributes it used; these were drawn once (`data/plans/learned-records.txt`: places in the file, 1 for the first).
//!
//! Source of the groups: D. Abril, G. Navarro-Arribas, V. Torra, "Improving record linkage with supervised learning for
//! disclosure risk assessment", Information Fusion 13, 2012.
#![allow(dead_code, reason = "no program uses all of it")]

use sdcrisk::{
    mask::{
        Mask,
        microaggregation::{BlockOf, Blocks, Microaggregation},
    },
    rng::{Purpose, Seed},
    statement::{DistanceScale, Grouping},
    table::{ReadOptions, Table},
};

/// The records of the sets of 400.
const RECORDS: &str = include_str!("../../data/plans/learned-records.txt");

/// Which attributes and records, and how they were masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// 400 records; attributes chosen so that the plain distance links as many as in the literature; MDAV on standardised
    /// values. Protection is strong here, and proofs are hard.
    B,
    /// 400 records; the first attributes of the file; MDAV on the values as they are.
    C,
    /// The same as C with all 1080 records.
    Whole,
}

impl Set {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::B, Self::C, Self::Whole];

    /// The end of its files' names.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::B => "B_400",
            Self::C => "C_400",
            Self::Whole => "C_1080",
        }
    }
}

/// The files of a set, in the order of the literature.
pub const NAMES: [&str; 7] = [
    "M4-33", "M4-28", "M4-82", "M5-38", "M6-385", "M6-853", "M7-999",
];

/// The groups of attributes of a file: how many attributes, and k.
fn groups(name: &str) -> &'static [(usize, usize)] {
    match name {
        "M4-33" => &[(2, 3), (2, 3)],
        "M4-28" => &[(2, 2), (2, 8)],
        "M4-82" => &[(2, 8), (2, 2)],
        "M5-38" => &[(3, 3), (2, 8)],
        "M6-385" => &[(2, 3), (2, 8), (2, 5)],
        "M6-853" => &[(2, 8), (2, 5), (2, 3)],
        "M7-999" => &[(3, 3), (3, 3), (1, 3)],
        _ => panic!("there is no file {name}"),
    }
}

/// The attributes of a file, by their place in the Census file.
fn attributes(set: Set, name: &str) -> Vec<usize> {
    if set != Set::B {
        return (0..groups(name).iter().map(|group| group.0).sum()).collect();
    }
    match &name[..2] {
        "M4" => vec![3, 11, 8, 6],
        "M5" => vec![3, 11, 7, 12, 6],
        "M6" => vec![11, 10, 5, 6, 9, 12],
        _ => vec![6, 10, 3, 1, 9, 11, 8],
    }
}

/// A test file: the original and the masked table, record by record. `census` is the text of the Census file.
///
/// # Panics
/// If there is no such file.
pub fn learned_file(census: &str, set: Set, name: &str) -> (Table, Table) {
    let text = original(census, set, name);
    let original = Table::read(name, text.into_bytes(), &ReadOptions::default()).unwrap();
    let masked = masked(&original, set, name);
    (original, masked)
}

/// The chosen attributes of the chosen records, as text.
fn original(census: &str, set: Set, name: &str) -> String {
    let attributes = attributes(set, name);
    let lines: Vec<&str> = census.lines().collect();
    let records: Vec<usize> = match set {
        Set::Whole => (1..lines.len()).collect(),
        _ => RECORDS
            .split_whitespace()
            .map(|place| place.parse().unwrap())
            .collect(),
    };
    let mut text = String::new();
    // The header is line 0.
    for line in std::iter::once(0).chain(records) {
        let cells: Vec<&str> = lines[line].split(',').collect();
        let chosen: Vec<&str> = attributes.iter().map(|&place| cells[place]).collect();
        text.push_str(&chosen.join(","));
        text.push('\n');
    }
    text
}

fn masked(original: &Table, set: Set, name: &str) -> Table {
    let mut names = original
        .attributes()
        .iter()
        .map(|attribute| attribute.name.clone());
    let blocks = groups(name).iter().map(|&(size, k)| BlockOf {
        attributes: names.by_ref().take(size).collect(),
        k,
    });
    let scale = match set {
        Set::B => DistanceScale::Z,
        Set::C | Set::Whole => DistanceScale::None,
    };
    let method = Microaggregation::new(Grouping::Mdav, Blocks::Named(blocks.collect()))
        .unwrap()
        .scale(scale);
    let on: Vec<_> = original.ids().collect();
    // Microaggregation draws nothing.
    let streams = Seed::from_number(0).streams(Purpose::Mask, 0);
    method.mask(original.clone(), &on, &streams).unwrap().table
}
