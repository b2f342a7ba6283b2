//! The most records that each family of learned distances links on the test files: proven, recounted by plain linkage, and the
//! same as what laboratory programs in other languages proved (cone search in C++, hitting sets and HiGHS from Python), where these came to an end.

use std::sync::Arc;

use sdcrisk::{
    attack::{
        distance_based::Standardize,
        learned::{Learner, family::Family},
    },
    evaluate::link::Assign,
    optimize::subsystem::{Patient, portfolio::Engine},
};

use super::{
    learned_files::{NAMES, Set, learned_file},
    study::Files,
};

/// The optima, in the order of the files.
type Optima = [usize; 7];

#[track_caller]
fn proven(set: Set, of: &[(Family, Engine, Optima)]) {
    let Some(census) = super::bytes("census.csv") else {
        return;
    };
    let census = String::from_utf8(census).unwrap();
    for (place, name) in NAMES.into_iter().enumerate() {
        let (original, masked) = learned_file(&census, set, name);
        let files = Files::new(&original, &masked);
        let study = files.study();
        let case = study.case(&files.shared);
        for &(family, engine, optima) in of {
            let what = format!("{name}_{} {} {engine:?}", set.suffix(), family.name());
            let learner = Learner {
                family,
                standardize: Standardize::Own,
                engine,
                keeps_proof: false,
                wants_ranges: false,
                watch: Arc::new(Patient),
            };
            let lesson = case.learn(&learner).unwrap();
            let outcome = case.attack(&lesson.distance, Assign::Best, false).unwrap();
            let recount = outcome.score.strict;
            assert_eq!(recount, optima[place] as u64, "{what}: recount");
            assert_eq!(lesson.bound, optima[place], "{what}: bound");
            assert_eq!(lesson.linked, optima[place], "{what}: linked");
        }
    }
}

const WM_OF_C: Optima = [374, 347, 351, 355, 394, 395, 400];

#[test]
fn weighted_means_of_set_c() {
    use Family::{OrderedWeightedMean, WeightedMean, WeightedMeanMetric};
    let owa = [362, 330, 325, 264, 383, 383, 374];
    proven(
        Set::C,
        &[
            (WeightedMean, Engine::Auto, WM_OF_C),
            (WeightedMean, Engine::Branch, WM_OF_C),
            (WeightedMeanMetric, Engine::Auto, WM_OF_C),
            (OrderedWeightedMean, Engine::Auto, owa),
        ],
    );
}

/// The laboratory has no figure for the submodular measures; theirs lie between WM and CI.
#[test]
fn choquet_integrals_of_set_c() {
    let ci = [376, 353, 356, 358, 394, 396, 400];
    proven(
        Set::C,
        &[
            (Family::Choquet, Engine::Auto, ci),
            (
                Family::ChoquetTwoAdditive,
                Engine::Auto,
                [376, 352, 355, 357, 394, 396, 400],
            ),
            (
                Family::ChoquetMetric,
                Engine::Auto,
                [374, 347, 351, 355, 394, 396, 400],
            ),
        ],
    );
}

/// SB_NC lies between SB_PD and SB, which are equal here.
#[test]
fn bilinear_forms_of_set_c() {
    let sb = [380, 355, 357, 361, 394, 396, 400];
    proven(
        Set::C,
        &[
            (Family::Bilinear, Engine::Auto, sb),
            (Family::BilinearNonNegative, Engine::Auto, sb),
            (Family::BilinearDefinite, Engine::Auto, sb),
        ],
    );
}

/// Strong protection: the laboratory needed up to 18 s for WM, and for CI up to 939 s of HiGHS (176, M5-38).
#[test]
fn strongly_protected_files() {
    proven(
        Set::B,
        &[
            (
                Family::WeightedMean,
                Engine::Auto,
                [325, 280, 312, 166, 336, 364, 373],
            ),
            (
                Family::Choquet,
                Engine::Auto,
                [336, 289, 320, 176, 346, 369, 382],
            ),
        ],
    );
}

/// All 1080 records. The laboratory left CI of M4-28 open (1031 to 1032) and of M5-38 (969 to 987).
#[test]
fn all_records_of_the_census_file() {
    proven(
        Set::Whole,
        &[
            (
                Family::WeightedMean,
                Engine::Auto,
                [1045, 1026, 1053, 966, 1076, 1079, 1080],
            ),
            (
                Family::Choquet,
                Engine::Auto,
                [1049, 1031, 1058, 974, 1078, 1080, 1080],
            ),
        ],
    );
}
