//! The toy files of learned distances: the optima that the authors print, by the engine that works as theirs does.

use sdcrisk::{
    attack::learned::family::Family,
    optimize::{
        milp::Solver,
        subsystem::{
            Patient, Problem, Rows, Start,
            naive::{self, Options},
        },
    },
};

use super::learned_toys::{GROUPS, THREE, THREE_MASKED, TWELVE, TWELVE_MASKED};

fn records(text: &str) -> Vec<Vec<f64>> {
    let cells = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    text.lines().skip(1).map(cells).collect()
}

/// Each attribute less its mean, divided by its sd (n − 1).
fn standardised(mut records: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = records.len() as f64;
    for k in 0..records[0].len() {
        let mean = records.iter().map(|record| record[k]).sum::<f64>() / n;
        let squares: f64 = records
            .iter()
            .map(|record| (record[k] - mean).powi(2))
            .sum();
        let sd = (squares / (n - 1.0)).sqrt();
        records
            .iter_mut()
            .for_each(|record| record[k] = (record[k] - mean) / sd);
    }
    records
}

/// All rows of the weighted mean, without presolve.
fn problem(original: &str, masked: &str) -> Problem {
    let (x, y) = (
        standardised(records(original)),
        standardised(records(masked)),
    );
    let mut rows = Rows::new();
    for (i, record) in x.iter().enumerate() {
        rows.push_block();
        for j in (0..y.len()).filter(|&j| j != i) {
            let margin = |k: usize| (record[k] - y[j][k]).powi(2) - (record[k] - y[i][k]).powi(2);
            let row: Vec<f64> = (0..record.len()).map(margin).collect();
            rows.push_row(0, &row);
        }
    }
    let space = Family::WeightedMean.space(x[0].len()).unwrap();
    Problem { space, rows }
}

#[test]
fn the_masked_file_has_the_averages_of_its_groups() {
    let (original, masked) = (records(TWELVE), records(TWELVE_MASKED));
    for (attributes, groups) in GROUPS {
        let mut grouped: Vec<usize> = groups.concat();
        grouped.sort_unstable();
        assert_eq!(grouped, (0..12).collect::<Vec<_>>());
        for group in groups {
            for &k in attributes {
                let sum: f64 = group.iter().map(|&record| original[record][k]).sum();
                let average = sum / group.len() as f64;
                for &record in *group {
                    assert!((masked[record][k] - average).abs() < 1e-12 * average.abs());
                }
            }
        }
    }
}

#[test]
fn the_published_objectives() {
    let mut solvers = vec![Solver::Microlp, Solver::best()];
    solvers.dedup();
    for solver in solvers {
        let options = Options {
            solver,
            ..Options::default()
        };
        for (original, masked, given_up) in [(TWELVE, TWELVE_MASKED, 3), (THREE, THREE_MASKED, 0)] {
            let problem = problem(original, masked);
            let answer = naive::solve(&problem, &Start::default(), &Patient, options).unwrap();
            let blocks = problem.rows.n_blocks();
            assert_eq!(
                (answer.satisfied, answer.bound),
                (blocks - given_up, blocks - given_up)
            );
        }
    }
}

/// Of all 220 + 66 + 12 + 1 ways to give up three records or fewer, which leave weights for the others? A linear program says.
#[test]
fn no_two_records_are_enough() {
    let problem = problem(TWELVE, TWELVE_MASKED);
    let mut least = 12;
    for set in 0_u32..1 << 12 {
        let given_up = set.count_ones();
        if given_up <= 3 && given_up < least && margin(&problem, set) > 1e-7 {
            least = given_up;
        }
    }
    assert_eq!(least, 3);
}

/// The greatest smallest row of all blocks but those of a set.
fn margin(problem: &Problem, given_up: u32) -> f64 {
    use sdcrisk::optimize::milp::{Column, Limits, Model, Row, solve};
    let column = |lower, upper, cost| Column {
        lower,
        upper,
        cost,
        whole: false,
    };
    let n = problem.space.dimension();
    let mut columns = vec![column(0.0, 1.0, 0.0); n];
    columns.push(column(-1.0, 1.0, -1.0));
    let mut rows = vec![Row {
        entries: (0..n).map(|k| (k, 1.0)).collect(),
        lower: 1.0,
        upper: 1.0,
    }];
    for block in (0..12).filter(|block| given_up >> block & 1 == 0) {
        for row in problem.rows.of_block(block) {
            let row = problem.rows.row(row);
            let pairs = row.columns.iter().zip(row.values);
            let mut entries: Vec<_> = pairs.map(|(&k, &value)| (k as usize, value)).collect();
            entries.push((n, -1.0));
            rows.push(Row {
                entries,
                lower: 0.0,
                upper: f64::INFINITY,
            });
        }
    }
    let model = Model {
        columns,
        rows,
        start: None,
    };
    let limits = Limits {
        seconds: None,
        gap: 0.0,
    };
    -solve(Solver::Microlp, &model, limits).objective
}
