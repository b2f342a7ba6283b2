//! Toy files of learned distances with known optima.
//!
//! Source: the authors' own code to the chapter of D. Abril, G. Navarro-Arribas, V. Torra on privacy preserving data mining and disclosure
//! risk. It works on one file of twelve records and one of three.
#![allow(dead_code, reason = "no program uses all of it")]

/// Twelve records, seven attributes.
pub const TWELVE: &str = include_str!("../../data/learned-twelve-original.csv");

/// The same, microaggregated: the attributes of each block have the averages of the groups in [`GROUPS`].
///
/// The best weights link nine records: three are given up (the published objective). That rests on the groups as the authors' program
/// made them: with the MDAV of today the four records of the last group of A and B are two groups, and two records are given up.
/// The plain distance links seven.
pub const TWELVE_MASKED: &str = include_str!("../../data/learned-twelve-masked.csv");

/// The groups behind [`TWELVE_MASKED`]: of A and B (k = 2, four records left at the end), of C, D and E (k = 6), of F and G (k = 4).
/// Records count from 0.
pub const GROUPS: [(&[usize], &[&[usize]]); 3] = [
    (
        &[0, 1],
        &[&[2, 10], &[0, 1], &[5, 8], &[3, 6], &[4, 7, 9, 11]],
    ),
    (&[2, 3, 4], &[&[0, 1, 3, 7, 8, 11], &[2, 4, 5, 6, 9, 10]]),
    (&[5, 6], &[&[1, 3, 7, 11], &[5, 6, 9, 10], &[0, 2, 4, 8]]),
];

/// Three records; A is not masked, so the weights (1, 0, 0) link all of them.
pub const THREE: &str = include_str!("../../data/learned-three-original.csv");

/// The same, masked.
pub const THREE_MASKED: &str = include_str!("../../data/learned-three-masked.csv");
