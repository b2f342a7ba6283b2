//! Linkage by aggregates, small enough for a hand: files of three people that share no attribute.

use sdcrisk::{
    attack::{Direction, aggregates::Aggregates},
    evaluate::{
        link::{Assign, Outcome, Study},
        truth::{OriginalRecord, Truth},
    },
    table::{ReadOptions, Table},
};

fn linked(a: &str, b: &str) -> Outcome {
    let read = |text: &str| {
        Table::read("f.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    };
    let (a, b) = (read(a), read(b));
    let truth = Truth::by_order(&a, &b).unwrap();
    let everybody = (0..3).map(OriginalRecord).collect();
    let study = Study::new(&a, &b, &truth, everybody, Direction::OriginalToMasked);
    let of_a: Vec<_> = a.ids().collect();
    let of_b: Vec<_> = b.ids().collect();
    let case = study.case_without_common_attributes(&of_a, &of_b);
    case.attack(&Aggregates::default(), Assign::Best, true)
        .unwrap()
}

const A: &str = "pay,tax\n0,0\n1,2\n2,4\n";

/// Both attributes of A have z = −1, 0, 1. Of B, `rent` and `cars` rise and `debt` falls with the people: debt loads −1/√3 on the
/// component, the others 1/√3, so it is turned, and z = −1, 0, 1 in all three. Every aggregate of equal values is that value:
/// each person's are (−1, −1, −1), (0, 0, 0) or (1, 1, 1) on both sides, the true pairs are at distance 0.
#[test]
fn people_who_stand_alike_in_both_files_are_linked() {
    let outcome = linked(A, "rent,debt,cars\n10,30,1\n20,20,2\n30,10,3\n");
    assert_eq!(outcome.score.strict, 3);
    for claim in &outcome.links {
        assert_eq!(claim.linked, [claim.record]);
        assert!(claim.distance.unwrap() < 1e-12);
    }
}

/// Where two of three fall, the third is turned: B's people stand in the opposite order, and only the middle one is found. The
/// method rests on "more" meaning the same in most attributes of both files.
#[test]
fn files_of_opposite_meaning_are_linked_the_wrong_way_round() {
    let outcome = linked(A, "rent,debt,age\n10,30,9\n20,20,6\n30,10,3\n");
    let links: Vec<_> = outcome
        .links
        .iter()
        .map(|claim| claim.linked.clone())
        .collect();
    assert_eq!(links, [vec![2], vec![1], vec![0]]);
    assert_eq!(outcome.score.strict, 1);
}
