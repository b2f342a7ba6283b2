//! The worked example of the intersection attack on rank swapping: V. Torra, "La lluita contra el Big Brother" (2007),
//! and again in "Transparency and disclosure risk in data privacy" (PAIS 2015). Ten records, four attributes, a window
//! of two ranks.

use sdcrisk::{
    attack::{
        Direction,
        distance_based::Standardize,
        intersection::rank_swap::{Bound, RankSwapIntersection},
    },
    evaluate::{
        link::{Assign, Outcome, Study, shared_attributes},
        truth::{OriginalRecord, Truth},
    },
    stats::rank::Ranking,
    table::{ReadOptions, Table},
};

const ORIGINAL: &str = include_str!("../../data/rank-swapping-original.csv");
const MASKED: &str = include_str!("../../data/rank-swapping-masked.csv");
const WINDOW: usize = 2;

fn rows(text: &str) -> Vec<[i32; 4]> {
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<i32> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            cells.try_into().unwrap()
        })
        .collect()
}

/// B_j(x): the masked records within the window of ranks of one value of attribute j.
fn possible(attribute: usize, value: i32) -> Vec<[i32; 4]> {
    let masked = rows(MASKED);
    let ranking = Ranking::new(masked.iter().map(|record| f64::from(record[attribute])));
    let (low, high) = ranking.within(f64::from(value), WINDOW);
    let mut inside: Vec<[i32; 4]> = masked
        .into_iter()
        .filter(|record| (low..=high).contains(&f64::from(record[attribute])))
        .collect();
    inside.sort_unstable();
    inside
}

fn attacked() -> Outcome {
    let read = |name, text: &str| {
        Table::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    };
    let (original, masked) = (read("original", ORIGINAL), read("masked", MASKED));
    let truth = Truth::by_order(&original, &masked).unwrap();
    let (known, _) = shared_attributes(&original, &masked, None);
    let study = Study::new(
        &original,
        &masked,
        &truth,
        (0..10).map(OriginalRecord).collect(),
        Direction::OriginalToMasked,
    );
    let attack = RankSwapIntersection {
        bound: Bound::Window(WINDOW),
        standardize: Standardize::Own,
    };
    study
        .case(&known)
        .attack(&attack, Assign::Best, true)
        .unwrap()
}

/// The four sets that the slides print for x_2 = (6, 7, 10, 2).
#[test]
fn the_printed_sets_of_the_second_record() {
    let sorted = |mut records: Vec<[i32; 4]>| {
        records.sort_unstable();
        records
    };
    assert_eq!(
        possible(0, 6),
        sorted(vec![
            [4, 1, 10, 10],
            [5, 5, 8, 1],
            [6, 7, 6, 3],
            [7, 3, 5, 6],
            [8, 4, 2, 2]
        ])
    );
    assert_eq!(
        possible(1, 7),
        sorted(vec![
            [5, 5, 8, 1],
            [2, 6, 9, 8],
            [6, 7, 6, 3],
            [1, 8, 7, 9],
            [3, 9, 1, 7]
        ])
    );
    assert_eq!(
        possible(2, 10),
        sorted(vec![[5, 5, 8, 1], [2, 6, 9, 8], [4, 1, 10, 10]])
    );
    assert_eq!(
        possible(3, 2),
        sorted(vec![[5, 5, 8, 1], [8, 4, 2, 2], [6, 7, 6, 3], [9, 2, 4, 4]])
    );
}

/// "La intersecció d'aquests conjunts és un únic registre (5, 5, 8, 1); és l'enllaç correcte."
#[test]
fn their_intersection_is_one_record_and_the_right_one() {
    let outcome = attacked();
    let second = &outcome.links[1];
    assert_eq!(
        (second.candidates, second.linked.as_slice()),
        (1, &[1_u32][..])
    );
    assert_eq!(rows(MASKED)[1], [5, 5, 8, 1]);
    assert_eq!(second.rank_of_true, Some(1));
}

/// The other nine records, by hand from the same definition: for record i the masked records all of whose values lie
/// within two of x_i (the values of each attribute are 1 to 10, so ranks are values).
#[test]
fn the_candidate_sets_of_all_ten_records() {
    let masked = rows(MASKED);
    let outcome = attacked();
    for (x, claim) in rows(ORIGINAL).iter().zip(&outcome.links) {
        let by_hand = masked
            .iter()
            .filter(|y| x.iter().zip(*y).all(|(a, b)| (a - b).abs() <= 2))
            .count();
        assert_eq!(claim.candidates as usize, by_hand, "{x:?}");
    }
    let score = outcome.score;
    assert_eq!(
        (
            score.certain,
            score.certain_correct,
            score.empty,
            score.contains_true
        ),
        (7, 7, 0, 10)
    );
    // Records 5, 9 and 10 have the sets {4, 5}, {5, 9} and {8, 10}, and in each the wrong record is the nearer one:
    // squared distances 8 < 10, 9 < 10 and 2 < 16 in units of the common variance.
    assert_eq!(score.fair, 7.0);
    let linked = |record: usize| outcome.links[record - 1].linked.as_slice();
    assert_eq!(
        (linked(5), linked(9), linked(10)),
        (&[3_u32][..], &[4_u32][..], &[7_u32][..])
    );
}
