//! Likelihoods of noise and fuzzy microaggregation on the Census file: what the right law adds to a distance.

use sdcrisk::{
    attack::{
        Attack, Direction,
        distance_based::{DistanceBased, Standardize},
        likelihood::Likelihood,
    },
    evaluate::{
        link::{Assign, Outcome},
        score::Ties,
    },
    mask::{
        Mask, Rounding,
        fuzzy::{Blocks, Clusters, FuzzyMicroaggregation, Settings},
        noise::{Noise, Options},
    },
    table::AttrId,
};

use super::study::{Files, masked};

const FILES: u32 = 5;
const BOTH: [Direction; 2] = [Direction::OriginalToMasked, Direction::MaskedToOriginal];

/// Means over the masked files.
#[derive(Debug, Default, Clone, Copy)]
struct Rates {
    am: f64,
    likelihood: f64,
    /// The success that the likelihood expects of itself.
    says: f64,
}

/// All records are known, and the first `v` attributes, which are those that were masked.
fn rates(method: &dyn Mask, v: usize, direction: Direction) -> Option<Rates> {
    let original = super::table("census.csv")?;
    let on: Vec<AttrId> = original.ids().take(v).collect();
    let mut mean = Rates::default();
    for replicate in 0..FILES {
        let masked = masked(method, &original, &on, (2026, replicate));
        let files = Files::new(&original, &masked.table);
        let study = files.towards(direction);
        let case = study.case(&files.shared[..v]);
        let likelihood = Likelihood::new(masked.step.clone()).unwrap();
        let run = |attack: &dyn Attack| -> (f64, Outcome) {
            let outcome = case.attack(attack, Assign::Best, false).unwrap();
            (outcome.score.rate(Ties::Fair), outcome)
        };
        let says = |outcome: &Outcome| outcome.calibration.as_ref().unwrap().expected;
        let standardize = Standardize::Own;
        mean.am += run(&DistanceBased { standardize }).0;
        let (rate, outcome) = run(&likelihood);
        mean.likelihood += rate;
        mean.says += says(&outcome);
    }
    let files = f64::from(FILES);
    Some(Rates {
        am: mean.am / files,
        likelihood: mean.likelihood / files,
        says: mean.says / files,
    })
}

#[test]
fn the_law_of_noise_finds_more_than_the_distance() {
    let v = 7;
    for (level, correlated, restore) in [
        (0.1, false, false),
        (0.5, false, false),
        (0.1, true, false),
        (0.1, false, true),
    ] {
        for direction in BOTH {
            let rounding = Rounding::None;
            let options = Options {
                correlated,
                restore,
                rounding,
            };
            let method = Noise::new(level, options).unwrap();
            let Some(found) = rates(&method, v, direction) else {
                return;
            };
            println!("noise {level} {correlated} {restore}, {v} known, {direction:?}: {found:.3?}");
            assert!(found.likelihood > found.am, "{found:?}");
            // What it says of itself is near what it does. That the release is a permutation it cannot know: who seeks among
            // masked records finds more than it says.
            assert!((found.likelihood - found.says).abs() < 0.12, "{found:?}");
            if direction == Direction::MaskedToOriginal {
                assert!((found.likelihood - found.says).abs() < 0.02, "{found:?}");
            }
        }
    }
    // Three attributes hide more.
    let method = Noise::new(0.1, Options::default()).unwrap();
    if let Some(found) = rates(&method, 3, BOTH[0]) {
        assert!(
            found.likelihood > found.am && found.likelihood < 0.2,
            "{found:?}"
        );
    }
}

#[test]
fn the_law_of_memberships_finds_more_than_the_distance() {
    for (k, v) in [(3, 3), (10, 3), (3, 7)] {
        for direction in BOTH {
            let clusters = Blocks::One(Clusters::Occupancy(k));
            let method =
                FuzzyMicroaggregation::new(2.0, 2.0, clusters, Settings::default()).unwrap();
            let Some(found) = rates(&method, v, direction) else {
                return;
            };
            println!("fuzzy k = {k}, {v} known, {direction:?}: {found:.3?}");
            assert!(found.likelihood > found.am, "{found:?}");
            // The law is exact, and so is what it says of itself: five files of 1080 records leave a standard error below 0.006.
            assert!((found.likelihood - found.says).abs() < 0.02, "{found:?}");
        }
    }
}
