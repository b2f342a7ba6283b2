//! The intersection attack on individual ranking, by hand.
//!
//! Six people, k = 3 (two groups an attribute).
//!
//! ```text
//! age    20 21 25 | 40 44 60   averages 22 and 48        income 10 12 20 | 30 31 50   averages 14 and 37
//!
//!        age  income   masked   lies between   possible
//! Ana     20      30   22 37    <22, 14-37     22 14, 22 37
//! Bob     21      10   22 14    <22, <14       22 14
//! Cleo    25      12   22 14    22-48, <14     22 14, 48 14
//! Dan     40      20   48 14    22-48, 14-37   all four
//! Eva     44      50   48 37    22-48, >37     22 37, 48 37
//! Fay     60      31   48 37    >48, 14-37     48 14, 48 37
//! ```
//!
//! The release holds 22 37 (Ana), 22 14 (Bob, Cleo), 48 14 (Dan), 48 37 (Eva, Fay).

use sdcrisk::{
    attack::{
        Direction,
        distance_based::Standardize,
        intersection::microaggregation::{Groups, MicroaggregationIntersection},
    },
    evaluate::{
        link::{Assign, Study, shared_attributes},
        truth::{OriginalRecord, Truth},
    },
    statement::{DistanceScale, Grouping},
    table::{ReadOptions, Table},
};

const ORIGINAL: &str = "age,income\n20,30\n21,10\n25,12\n40,20\n44,50\n60,31\n";
const MASKED: &str = "age,income\n22,37\n22,14\n22,14\n48,14\n48,37\n48,37\n";

#[test]
fn the_sets_are_those_worked_out_by_hand() {
    let read = |name, text: &str| {
        Table::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    };
    let (original, masked) = (read("original", ORIGINAL), read("masked", MASKED));
    let truth = Truth::by_order(&original, &masked).unwrap();
    let (known, _) = shared_attributes(&original, &masked, None);
    let attack = MicroaggregationIntersection {
        groups: Groups {
            algorithm: Grouping::IndividualRanking,
            blocks: vec![vec!["age".into()], vec!["income".into()]],
            scale: DistanceScale::Z,
            rounded: false,
            stated: false,
        },
        nearest_clusters: 2,
        standardize: Standardize::None,
    };
    let run = |direction| {
        let study = Study::new(
            &original,
            &masked,
            &truth,
            (0..6).map(OriginalRecord).collect(),
            direction,
        );
        study
            .case(&known)
            .attack(&attack, Assign::Best, true)
            .unwrap()
    };
    let outcome = run(Direction::OriginalToMasked);
    let sizes: Vec<u32> = outcome.links.iter().map(|link| link.candidates).collect();
    // Ana: 22 37 and twice 22 14; Bob: twice 22 14; Cleo: these and 48 14; Dan: everybody; Eva: 22 37 and twice 48 37;
    // Fay: 48 14 and twice 48 37.
    assert_eq!(sizes, [3, 2, 3, 6, 3, 3]);
    assert_eq!(outcome.score.contains_true, 6);
    // Without standardisation: Ana at (20, 30) is 53 from (22, 37), 260 from (22, 14). Bob and Cleo tie with each other.
    // Dan at (40, 20) is 100 from (48, 14), 353 from (48, 37). Eva and Fay tie with each other.
    let linked: Vec<Vec<u32>> = outcome
        .links
        .iter()
        .map(|link| link.linked.clone())
        .collect();
    assert_eq!(
        linked,
        [
            vec![0],
            vec![1, 2],
            vec![1, 2],
            vec![3],
            vec![4, 5],
            vec![4, 5]
        ]
    );
    // The other way round: at 22 are ages up to 48, at 48 those from 22; at 14 incomes up to 37, at 37 those from 14.
    // 22 37: Ana, Dan, Eva. 22 14: Ana, Bob, Cleo, Dan. 48 14: Cleo, Dan, Fay. 48 37: Dan, Eva, Fay.
    let back = run(Direction::MaskedToOriginal);
    let sizes: Vec<u32> = back.links.iter().map(|link| link.candidates).collect();
    assert_eq!(sizes, [3, 4, 4, 3, 3, 3]);
    assert_eq!(back.score.contains_true, 6);
}
