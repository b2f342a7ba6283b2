//! The Census file cut into two files that share no attribute: people are found again by aggregates more often than by chance.

use sdcrisk::{
    attack::{Direction, aggregates::Aggregates},
    evaluate::{
        link::{Assign, Study},
        score::Ties,
        truth::{OriginalRecord, Truth},
    },
};

/// Three ways to cut 13 attributes in two: the first seven and the rest, every other one, and totals against taxes. A program in
/// numpy (argmin over all pairs) counts 5, 14 and 18 correct links of 1080; guessing gets 1.
#[test]
fn halves_of_census_are_linked_better_than_by_chance() {
    let Some(census) = super::table("census.csv") else {
        return;
    };
    let truth = Truth::by_order(&census, &census).unwrap();
    let everybody = (0..1080).map(OriginalRecord).collect();
    let study = Study::new(
        &census,
        &census,
        &truth,
        everybody,
        Direction::OriginalToMasked,
    );
    for (one, other, by_numpy) in [
        ("1-7", "8-13", 5.0),
        ("1,3,5,7,9,11,13", "2,4,6,8,10,12", 14.0),
        ("2,5,10,12,1,8", "3,4,6,7,9,11,13", 18.0),
    ] {
        let (one, other) = (census.select(one).unwrap(), census.select(other).unwrap());
        let case = study.case_without_common_attributes(&one, &other);
        let attack = Aggregates::default();
        let score = case.attack(&attack, Assign::Best, false).unwrap().score;
        assert_eq!(score.fair, by_numpy);
        let (low, _) = score.interval(Ties::Fair);
        assert!(low > score.baseline(), "{low} {}", score.baseline());
    }
}
