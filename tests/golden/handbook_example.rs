//! The worked example of rank swapping in the Handbook on Statistical Disclosure Control (Hundepool et al.), chapter 3,
//! "Data swapping and rank swapping": ten records, p = 10 %, hence a window of one rank. The letters of its first masked
//! attribute are ordinal; they stand here as their places in the alphabet.
//!
//! What the intersection attack finds on it was worked out by hand from its definition: the masked record links back to
//! {1} {2} {2,3} {4} {4,5} {6,9} {7} {8} {9} {10}.

use sdcrisk::{
    attack::{
        Direction,
        distance_based::Standardize,
        intersection::rank_swap::{Bound, RankSwapIntersection},
    },
    evaluate::{
        link::{Assign, Study, shared_attributes},
        truth::{OriginalRecord, Truth},
    },
    mask::rank_swap::Reach,
    stats::rank::Ranking,
    table::{ReadOptions, Table},
};

/// K L N M L H H F D C, and two amounts.
const ORIGINAL: &str = include_str!("../../data/handbook-swapping-original.csv");
const MASKED: &str = include_str!("../../data/handbook-swapping-masked.csv");

fn records(text: &str) -> Vec<Vec<f64>> {
    let cells = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    text.lines().skip(1).map(cells).collect()
}

fn table(name: &str, text: &str) -> Table {
    Table::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
}

/// Every masked attribute is a permutation of the original one, and no value moved by more than one rank.
#[test]
fn the_printed_file_is_a_rank_swap_of_one_rank() {
    assert_eq!(Reach::Percent(10.0).window(10), 1);
    let (original, masked) = (records(ORIGINAL), records(MASKED));
    for attribute in 0..3 {
        let column = |file: &[Vec<f64>]| {
            let mut values: Vec<f64> = file.iter().map(|record| record[attribute]).collect();
            values.sort_unstable_by(f64::total_cmp);
            values
        };
        assert_eq!(column(&original), column(&masked));
        let ranking = Ranking::new(masked.iter().map(|record| record[attribute]));
        for (original, masked) in original.iter().zip(&masked) {
            let (low, high) = ranking.within(original[attribute], 1);
            assert!((low..=high).contains(&masked[attribute]));
        }
    }
    let changed = |attribute: usize| {
        let differs = |(x, y): &(&Vec<f64>, &Vec<f64>)| x[attribute] != y[attribute];
        original.iter().zip(&masked).filter(differs).count()
    };
    assert_eq!([changed(0), changed(1), changed(2)], [8, 10, 10]);
}

#[test]
fn seven_of_ten_records_are_certain_from_the_masked_side() {
    let (original, masked) = (table("original", ORIGINAL), table("masked", MASKED));
    let truth = Truth::by_order(&original, &masked).unwrap();
    let (known, _) = shared_attributes(&original, &masked, None);
    let everybody = (0..10).map(OriginalRecord).collect();
    let study = Study::new(
        &original,
        &masked,
        &truth,
        everybody,
        Direction::MaskedToOriginal,
    );
    let attack = RankSwapIntersection {
        bound: Bound::Window(1),
        standardize: Standardize::Own,
    };
    let outcome = study
        .case(&known)
        .attack(&attack, Assign::Best, true)
        .unwrap();
    let sizes: Vec<u32> = outcome.links.iter().map(|claim| claim.candidates).collect();
    assert_eq!(sizes, [1, 1, 2, 1, 2, 2, 1, 1, 1, 1]);
    let score = &outcome.score;
    assert_eq!(
        (score.certain, score.certain_correct, score.contains_true),
        (7, 7, 10)
    );
    // Somebody who picks at random inside the set gets 7 + 3/2 right.
    let expected: f64 = sizes.iter().map(|&size| 1.0 / f64::from(size)).sum();
    assert_eq!(expected, 8.5);
}
