//! Linkage by aggregates against a slow program, and what must not change it.

use sdcrisk::{
    attack::{
        Direction,
        aggregates::{Aggregates, turned},
        distance_based::{DistanceBased, Standardize},
    },
    evaluate::{
        link::{Assign, Outcome, Study, shared_attributes},
        score::Ties,
        truth::{OriginalRecord, Truth},
    },
    table::{AttrId, Matrix, Table},
};

use crate::tables::table;

/// People with a standing that all attributes follow in their own way; every 17th cell misses if `gaps`.
fn people(width: usize, salt: u64, gaps: bool) -> Vec<Vec<Option<f64>>> {
    let mut state = salt;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    (0..150)
        .map(|i| {
            let standing = f64::from(i * 37 % 150);
            (0..width)
                .map(|k| {
                    let sign = if k == 1 { -1.0 } else { 1.0 };
                    let value = sign * (standing + 40.0 * random()) * (k + 1) as f64;
                    let gap = gaps && (i as usize * width + k).is_multiple_of(17);
                    (!gap).then_some((value * 8.0).round() / 8.0)
                })
                .collect()
        })
        .collect()
}

fn text(rows: &[Vec<Option<f64>>], name: &str) -> String {
    let names: Vec<String> = (0..rows[0].len()).map(|k| format!("{name}{k}")).collect();
    let mut text = names.join(",") + "\n";
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .map(|cell| cell.map_or(String::new(), |value| format!("{value:?}")))
            .collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

fn ids(table: &Table) -> Vec<AttrId> {
    table.ids().collect()
}

fn by_aggregates(a: &Table, b: &Table, direction: Direction) -> Outcome {
    let truth = Truth::by_order(a, b).unwrap();
    let everybody = (0..u32::try_from(a.n_records()).unwrap())
        .map(OriginalRecord)
        .collect();
    let study = Study::new(a, b, &truth, everybody, direction);
    let case = study.case_without_common_attributes(&ids(a), &ids(b));
    case.attack(&Aggregates::default(), Assign::Best, true)
        .unwrap()
}

/// The mean of the upper half, "most", and the mean of the lower half of sorted values, each written out: weights are the overlap
/// of [(i−1)/m, i/m] with the quantifier's range, by its length.
fn aggregates(rows: &[Vec<Option<f64>>], turn: &[bool]) -> Vec<Vec<Option<f64>>> {
    let width = turn.len();
    let columns: Vec<Vec<f64>> = (0..width)
        .map(|k| rows.iter().filter_map(|row| row[k]).collect())
        .collect();
    let moments: Vec<(f64, f64)> = columns
        .iter()
        .map(|column| {
            let n = column.len() as f64;
            let mean = column.iter().sum::<f64>() / n;
            let squares: f64 = column.iter().map(|x| (x - mean).powi(2)).sum();
            (mean, (squares / (n - 1.0)).sqrt())
        })
        .collect();
    rows.iter()
        .map(|row| {
            let mut z: Vec<f64> = (0..width)
                .filter_map(|k| {
                    let value = (row[k]? - moments[k].0) / moments[k].1;
                    Some(if turn[k] { -value } else { value })
                })
                .collect();
            z.sort_by(f64::total_cmp);
            z.reverse();
            let m = z.len() as f64;
            [(0.0, 0.5), (0.3, 0.8), (0.5, 1.0)]
                .iter()
                .map(|&(from, to)| {
                    let weight = |i: usize| {
                        let (low, high) = (i as f64 / m, (i + 1) as f64 / m);
                        (high.min(to) - low.max(from)).max(0.0) / (to - from)
                    };
                    (m > 0.0).then(|| z.iter().enumerate().map(|(i, z)| z * weight(i)).sum())
                })
                .collect()
        })
        .collect()
}

fn turned_of(table: &Table) -> Vec<bool> {
    let numbers: Vec<_> = ids(table)
        .iter()
        .map(|&id| table.numbers(id).unwrap())
        .collect();
    let all: Vec<u32> = (0..u32::try_from(table.n_records()).unwrap()).collect();
    turned(&Matrix::gather(&numbers, &all)).unwrap()
}

/// The attack is `am` on the aggregates: made by the slow program, written to files of three attributes of one name, and linked as
/// files that share attributes are.
#[test]
fn it_is_distance_based_linkage_of_the_aggregates() {
    for gaps in [false, true] {
        let (of_a, of_b) = (people(5, 1, gaps), people(4, 2, gaps));
        let (a, b) = (table(text(&of_a, "a")), table(text(&of_b, "b")));
        let turns = (turned_of(&a), turned_of(&b));
        assert_eq!(turns.0, [false, true, false, false, false]);
        assert_eq!(turns.1, [false, true, false, false]);
        let slow = [(&of_a, &turns.0), (&of_b, &turns.1)]
            .map(|(rows, turn)| table(text(&aggregates(rows, turn), "q")));
        let truth = Truth::by_order(&slow[0], &slow[1]).unwrap();
        let (known, _) = shared_attributes(&slow[0], &slow[1], None);
        assert_eq!(known.len(), 3);
        for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
            let study = Study::new(
                &slow[0],
                &slow[1],
                &truth,
                (0..150).map(OriginalRecord).collect(),
                direction,
            );
            let am = DistanceBased {
                standardize: Standardize::Own,
            };
            let expected = study.case(&known).attack(&am, Assign::Best, true).unwrap();
            let found = by_aggregates(&a, &b, direction);
            assert_eq!(found.score, expected.score);
            for (claim, slow) in found.links.iter().zip(&expected.links) {
                assert_eq!(claim.linked, slow.linked);
                let (d, e) = (claim.distance.unwrap(), slow.distance.unwrap());
                assert!((d - e).abs() < 1e-9 * (1.0 + e), "{d} {e}");
            }
        }
        // Both files follow one standing: better than 1 in 150.
        let score = by_aggregates(&a, &b, Direction::OriginalToMasked).score;
        assert!(
            score.interval(Ties::Fair).0 > score.baseline(),
            "{}",
            score.fair
        );
    }
}

/// Consensus: a file against itself is at distance 0 everywhere.
#[test]
fn a_file_finds_itself() {
    let a = table(text(&people(4, 3, true), "a"));
    let score = by_aggregates(&a, &a, Direction::OriginalToMasked).score;
    assert_eq!(score.optimistic, 150);
}

/// Names, order, units and zero points of attributes play no part, and threads neither. Factors are powers of 2, so that rounding
/// plays none.
#[test]
fn units_order_and_threads_change_nothing() {
    let (of_a, of_b) = (people(5, 4, true), people(4, 5, true));
    let (a, b) = (table(text(&of_a, "a")), table(text(&of_b, "b")));
    let expected = by_aggregates(&a, &b, Direction::OriginalToMasked);
    let other: Vec<Vec<Option<f64>>> = of_b
        .iter()
        .map(|row| {
            row.iter()
                .rev()
                .map(|cell| cell.map(|x| x * 4.0 + 1024.0))
                .collect()
        })
        .collect();
    let other = table(text(&other, "other"));
    let same = by_aggregates(&a, &other, Direction::OriginalToMasked);
    assert_eq!(same.score, expected.score);
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let found = pool
            .unwrap()
            .install(|| by_aggregates(&a, &b, Direction::OriginalToMasked));
        assert_eq!(found, expected, "{threads} threads");
    }
}
