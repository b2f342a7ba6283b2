//! Fuzzy c-means beside scikit-fuzzy 0.5.0, from the same start: `fuzzy_c_means.py` in this folder made the files and says how.

use sdcrisk::{
    mask::{
        Details, Mask,
        fuzzy::{Block, Blocks, Clusters, FuzzyMicroaggregation, Settings, StartingCentres},
    },
    rng::{Purpose, Seed},
    statement::DistanceScale,
    table::{ReadOptions, Table},
};

const POINTS: &str = include_str!("data/fuzzy-points.csv");

/// m, starting centres, centres and memberships of scikit-fuzzy.
const CASES: [(f64, &str, &str, &str); 3] = [
    (
        1.3,
        include_str!("data/fuzzy-1.3-start.csv"),
        include_str!("data/fuzzy-1.3-centres.csv"),
        include_str!("data/fuzzy-1.3-memberships.csv"),
    ),
    (
        2.0,
        include_str!("data/fuzzy-2-start.csv"),
        include_str!("data/fuzzy-2-centres.csv"),
        include_str!("data/fuzzy-2-memberships.csv"),
    ),
    (
        3.0,
        include_str!("data/fuzzy-3-start.csv"),
        include_str!("data/fuzzy-3-centres.csv"),
        include_str!("data/fuzzy-3-memberships.csv"),
    ),
];

fn numbers(csv: &str) -> Vec<f64> {
    let lines = csv.lines().skip(1);
    let cells = lines.flat_map(|line| line.split(','));
    cells.map(|cell| cell.parse().unwrap()).collect()
}

fn fitted(m: f64, start: &str, names: [&str; 3]) -> Block {
    let bytes = POINTS.as_bytes().to_vec();
    let table = Table::read("points.csv", bytes, &ReadOptions::default()).unwrap();
    let start = StartingCentres {
        source: "start.csv".into(),
        attributes: names.map(str::to_owned).to_vec(),
        values: numbers(start),
    };
    let settings = Settings {
        scaling: DistanceScale::None,
        tolerance: 1e-13,
        max_iterations: 20_000,
        keep_memberships: true,
        ..Settings::default()
    };
    let blocks = Blocks::One(Clusters::Starting(start));
    let method = FuzzyMicroaggregation::new(m, m, blocks, settings).unwrap();
    let on: Vec<_> = table.ids().collect();
    let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
    let Details::Fuzzy(mut blocks) = method.mask(table, &on, &streams).unwrap().details else {
        panic!("the details of another method");
    };
    blocks.remove(0)
}

#[track_caller]
fn close(ours: &[f64], theirs: &[f64], bound: f64) {
    assert_eq!(ours.len(), theirs.len());
    for (a, b) in ours.iter().zip(theirs) {
        assert!((a - b).abs() <= bound, "{a} {b}");
    }
}

/// The agreement that is asked for is 1e-6; what remains at 1e-9 is where each of the two stops.
#[test]
fn centres_and_memberships_are_those_of_scikit_fuzzy() {
    for (m, start, centres, memberships) in CASES {
        let block = fitted(m, start, ["a", "b", "c"]);
        assert!(block.converged, "{m}");
        close(&block.centres, &numbers(centres), 1e-9);
        close(&block.memberships.unwrap(), &numbers(memberships), 1e-9);
    }
}

/// Columns of starting centres are found by their names: with two names exchanged the same numbers are other points.
#[test]
fn starting_centres_are_read_by_name() {
    let (m, start, centres, _) = CASES[1];
    let lines: Vec<String> = start
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            [cells[2], cells[0], cells[1]].join(",")
        })
        .collect();
    let block = fitted(m, &lines.join("\n"), ["c", "a", "b"]);
    close(&block.centres, &numbers(centres), 1e-9);
}
