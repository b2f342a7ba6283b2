//! EM beside an independent program: `expectation_maximisation.py` in this folder made the figures and says how.

use sdcrisk::{
    agreement::Pattern,
    attack::probabilistic::em::{self, Held, Parameters},
};

const FIGURES: &str = include_str!("data/expectation-maximisation.csv");

const COUNTS: [u64; 16] = [
    812_345, 40_321, 61_234, 9_876, 70_123, 5_432, 8_765, 4_321, 33_333, 2_222, 4_444, 1_357,
    2_468, 900, 1_100, 5_000,
];

#[test]
fn parameters_after_some_steps_are_those_of_another_program() {
    let patterns = (0..).map(|agree| Pattern { missing: 0, agree });
    let counts: Vec<(Pattern, f64)> = patterns.zip(COUNTS.map(|count| count as f64)).collect();
    let mut lines = 0;
    for line in FIGURES.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let steps: usize = cells[0].parse().unwrap();
        let expected: Vec<f64> = cells[1..]
            .iter()
            .map(|cell| cell.parse().unwrap())
            .collect();
        let start = Parameters {
            m: vec![0.9; 4],
            u: vec![0.1; 4],
            prior: 0.001,
        };
        let free = Held {
            m: 0,
            u: false,
            prior: false,
        };
        let fit = em::fit(&counts, start, free, steps);
        assert_eq!(fit.iterations, steps);
        let found = fit.parameters;
        let found = found.m.iter().chain(&found.u).chain([&found.prior]);
        for (found, expected) in found.zip(&expected) {
            assert!(
                (found - expected).abs() < 1e-9,
                "{steps} steps: {found} {expected}"
            );
        }
        lines += 1;
    }
    assert_eq!(lines, 3);
}
