use super::*;
use crate::table::Matrix;

/// Twelve points in five dimensions; groups of 3, 4 and 5.
fn district() -> District {
    let values = (0..60_u32).map(|i| f64::from(i * i % 47) - 20.0).collect();
    let points = Matrix::complete(12, 5, values);
    let groups = vec![vec![0, 5, 7], vec![1, 2, 3, 11], vec![4, 6, 8, 9, 10]];
    District::new(&points, groups, 3)
}

fn groups(district: &District) -> Groups<'_> {
    Groups::new(
        district,
        vec![vec![0, 5, 7], vec![1, 2, 3, 11], vec![4, 6, 8, 9, 10]],
    )
}

/// The change of SSE as it was foretold, and as it is from scratch.
fn assert_foretold(change: Change, before: f64, mut after: Groups<'_>) {
    after.refresh_all();
    let after = after.sse();
    assert!(
        (before + change.difference - after).abs() <= 1e-12 * before,
        "{before} {} {after}",
        change.difference
    );
}

#[test]
fn changes_are_foretold_exactly() {
    let district = district();
    let before = groups(&district).sse();
    for (x, y) in [(0, 1), (5, 11), (7, 4), (2, 9), (3, 10)] {
        let mut after = groups(&district);
        let change = after.swap(x, y);
        after.exchange(x, y);
        assert_foretold(change, before, after);
    }
    for (record, to) in [(1, 0), (11, 2), (4, 0), (10, 1)] {
        let mut after = groups(&district);
        let change = after.relocation(record, to);
        after.relocate(record, to);
        assert_foretold(change, before, after);
    }
}

#[test]
fn dissolving_and_founding_are_foretold_exactly_and_keep_the_sizes() {
    let district = district();
    let before = groups(&district).sse();
    // 12 records in two groups of at most 5 cannot be: no room.
    assert!((0..3).all(|group| groups(&district).dissolution(group).is_none()));
    // Spare are one record of the second group and two of the third: three, enough for a new group.
    let mut after = groups(&district);
    let gift = after.foundation(4).unwrap();
    after.found(&gift.pairs);
    assert_eq!(
        after.members.iter().map(Vec::len).collect::<Vec<_>>(),
        [3; 4]
    );
    let founded = after.members[3].clone();
    assert_foretold(gift.change, before, after);

    let mut after = groups(&district);
    after.found(&gift.pairs);
    let before = after.sse();
    let gift = after.dissolution(3).unwrap();
    assert_eq!(gift.pairs.len(), founded.len());
    after.dissolve(3, &gift.pairs);
    assert_foretold(gift.change, before, after);
}

/// Means that are moved along instead of computed anew stay right: a group of ten gives and takes many times.
#[test]
fn means_do_not_drift() {
    let values = (0..80_u32).map(|i| f64::from(i * i % 61) * 0.1).collect();
    let points = Matrix::complete(20, 4, values);
    let halves: Vec<Vec<u32>> = vec![(0..10).collect(), (10..20).collect()];
    let district = District::new(&points, halves.clone(), 9);
    let mut moved = Groups::new(&district, halves);
    for round in 0..1000 {
        let (x, y) = (round % 20, round * 7 % 20);
        let (a, b) = (moved.of(x), moved.of(y));
        if a != b && round % 3 == 0 && moved.can_give(a) && moved.can_take(b) {
            moved.relocate(x, b);
        } else if a != b {
            moved.exchange(x, y);
        }
    }
    let carried = moved.sse();
    moved.refresh_all();
    assert!((carried / moved.sse() - 1.0).abs() < 1e-12);
}
