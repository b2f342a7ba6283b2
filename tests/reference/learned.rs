//! The test files of learned distances are what they are said to be.
//!
//! The figures were counted by another program (numpy: masking, standardisation and plain linkage over all pairs).

use std::sync::Arc;

use sdcrisk::{
    attack::{
        distance_based::{DistanceBased, Standardize},
        learned::{Learner, family::Family},
    },
    evaluate::{link::Assign, score::Ties},
    optimize::subsystem::{Patient, portfolio::Engine},
    table::Table,
};

use super::{
    learned_files::{NAMES, Set, learned_file},
    study::Files,
};

/// Records linked by the plain distance, ties counted as wrong, in the order of the names.
const LINKED: [(Set, [f64; 7]); 3] = [
    (Set::C, [330.0, 289.0, 262.0, 137.0, 314.0, 318.0, 181.0]),
    (Set::B, [315.0, 274.0, 289.0, 157.0, 315.0, 347.0, 352.0]),
    (
        Set::Whole,
        [973.0, 886.0, 871.0, 341.0, 927.0, 961.0, 461.0],
    ),
];

/// Records that a monotone distance can link at all: no other masked record is at least as near to them as their own in every
/// attribute.
const LINKABLE: [(Set, [usize; 7]); 3] = [
    (Set::C, [379, 359, 357, 361, 394, 396, 400]),
    (Set::B, [347, 305, 336, 194, 365, 375, 386]),
    (Set::Whole, [1053, 1040, 1061, 997, 1078, 1080, 1080]),
];

fn census() -> Option<String> {
    Some(String::from_utf8(super::bytes("census.csv")?).unwrap())
}

#[test]
fn the_plain_distance_links_what_another_program_links() {
    let Some(census) = census() else { return };
    for (set, linked) in LINKED {
        for (name, linked) in NAMES.into_iter().zip(linked) {
            let (original, masked) = learned_file(&census, set, name);
            let files = Files::new(&original, &masked);
            let study = files.study();
            let attack = DistanceBased {
                standardize: Standardize::Own,
            };
            let outcome = study
                .case(&files.shared)
                .attack(&attack, Assign::Best, false);
            let correct = outcome.unwrap().score.correct(Ties::Strict);
            assert_eq!(correct, linked, "{name}_{}", set.suffix());
        }
    }
}

#[test]
fn as_many_records_can_be_linked_at_all_as_another_program_says() {
    let Some(census) = census() else { return };
    for (set, linkable) in LINKABLE {
        for (name, linkable) in NAMES.into_iter().zip(linkable) {
            let (original, masked) = learned_file(&census, set, name);
            let (x, y) = (standardised(&original), standardised(&masked));
            let never =
                (0..x.len()).filter(|&i| (0..y.len()).any(|j| j != i && shadows(&x, &y, i, j)));
            assert_eq!(x.len() - never.count(), linkable, "{name}_{}", set.suffix());
        }
    }
}

/// 374 of M4-33's 400 records: the optimum that a search over cones and one over hitting sets proved, each in another program.
#[test]
fn the_program_of_the_literature_ends_at_the_proven_optimum() {
    let Some(census) = census() else { return };
    let (original, masked) = learned_file(&census, Set::C, "M4-33");
    let files = Files::new(&original, &masked);
    let study = files.study();
    let learner = Learner {
        family: Family::WeightedMean,
        standardize: Standardize::Own,
        engine: Engine::Milp,
        keeps_proof: false,
        wants_ranges: false,
        watch: Arc::new(Patient),
    };
    let lesson = study.case(&files.shared).learn(&learner).unwrap();
    assert_eq!((lesson.linked, lesson.bound), (374, 374));
}

/// Whether masked record j is in no attribute farther from original record i than masked record i. Equal masked values are
/// equally far, whatever rounding says.
fn shadows(x: &[Vec<f64>], y: &[Vec<f64>], i: usize, j: usize) -> bool {
    let mut attributes = x[i].iter().zip(&y[i]).zip(&y[j]);
    attributes.all(|((x, own), other)| own == other || (x - other).abs() <= (x - own).abs())
}

/// The records, each attribute less its mean and divided by its sd (n − 1).
fn standardised(table: &Table) -> Vec<Vec<f64>> {
    let mut records = vec![Vec::new(); table.n_records()];
    for id in table.ids() {
        let values = table.numbers(id).unwrap().values;
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let sd = (squares / (n - 1.0)).sqrt();
        for (record, value) in records.iter_mut().zip(values) {
            record.push((value - mean) / sd);
        }
    }
    records
}
