//! Small programmes worked by hand, and duality.

use super::*;

fn assert_near(x: &[f64], expected: &[f64]) {
    for (x, expected) in x.iter().zip(expected) {
        assert!((x - expected).abs() < 1e-12, "{x} is not {expected}");
    }
}

#[test]
fn a_programme_worked_by_hand_and_its_multipliers() {
    // min 2x + 3y, x + y ≥ 4, x + 3y ≥ 6, 0 ≤ x, y ≤ 10: both rows are tight at (3, 1), and (2, 3) = 3/2 (1, 1) + 1/2 (1, 3).
    let mut vertex = Vertex::new(vec![2.0, 3.0], vec![0.0; 2], vec![10.0; 2]);
    vertex.push_row([(0, 1.0), (1, 1.0)].into_iter(), 4.0, false);
    vertex.push_row([(0, 1.0), (1, 3.0)].into_iter(), 6.0, false);
    assert_eq!(vertex.solve(f64::INFINITY, 100), End::Optimal);
    assert_near(vertex.x(), &[3.0, 1.0]);
    assert!((vertex.objective() - 9.0).abs() < 1e-12);
    for (tight, multiplier) in vertex.multipliers() {
        let expected = match tight {
            Tight::Row(0) => 1.5,
            Tight::Row(1) => 0.5,
            _ => 0.0,
        };
        assert!((multiplier - expected).abs() < 1e-12);
    }
    // x ≤ 1 moves along the first row's cheaper neighbour: y = 3, and 2 + 9 = 11.
    vertex.set_bounds(0, 0.0, 1.0);
    vertex.locate();
    assert_eq!(vertex.solve(10.5, 100), End::Cutoff);
    assert_eq!(vertex.solve(f64::INFINITY, 100), End::Optimal);
    assert_near(vertex.x(), &[1.0, 3.0]);
    // Relaxed, the first row says nothing, and y is the cheaper way to the second: y = 2.
    vertex.relax(0, -100.0);
    vertex.locate();
    assert_eq!(vertex.solve(f64::INFINITY, 100), End::Optimal);
    assert_near(vertex.x(), &[0.0, 2.0]);
}

#[test]
fn equations_and_new_variables() {
    // min x + z with x + y = 1, then z ≥ 2 − y: y = 1, x = 0, z = 1.
    let mut vertex = Vertex::new(vec![1.0, 0.0], vec![0.0; 2], vec![1.0; 2]);
    vertex.push_row([(0, 1.0), (1, 1.0)].into_iter(), 1.0, true);
    assert_eq!(vertex.solve(f64::INFINITY, 100), End::Optimal);
    assert_near(vertex.x(), &[0.0, 1.0]);
    let z = vertex.push_variable(1.0, 0.0, 5.0);
    vertex.push_row([(1, 1.0), (z as u32, 1.0)].into_iter(), 2.0, false);
    vertex.locate();
    assert_eq!(vertex.solve(f64::INFINITY, 100), End::Optimal);
    assert_near(vertex.x(), &[0.0, 1.0, 1.0]);
}

#[test]
fn contradictions_are_infeasible() {
    let mut vertex = Vertex::new(vec![1.0, 1.0], vec![0.0; 2], vec![1.0; 2]);
    vertex.push_row([(0, 1.0), (1, 1.0)].into_iter(), 1.5, false);
    vertex.push_row([(0, -1.0), (1, -1.0)].into_iter(), -1.0, false);
    assert_eq!(vertex.solve(f64::INFINITY, 100), End::Infeasible);
}

#[test]
fn strong_duality_holds_on_many_rows_that_meet_in_one_point() {
    // Degenerate: 60 rows through (1, 1, 1, 1); multipliers and rows prove the optimum.
    let mut state = 9_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut vertex = Vertex::new(vec![1.0, 2.0, 1.5, 0.5], vec![0.0; 4], vec![3.0; 4]);
    let mut rows = Vec::new();
    for _ in 0..60 {
        let row: Vec<f64> = (0..4).map(|_| next()).collect();
        let right: f64 = row.iter().sum();
        vertex.push_row((0_u32..).zip(row.iter().copied()), right, false);
        rows.push((row, right));
    }
    assert_eq!(vertex.solve(f64::INFINITY, 1000), End::Optimal);
    for (row, right) in &rows {
        let value: f64 = row.iter().zip(vertex.x()).map(|(a, x)| a * x).sum();
        assert!(value >= right - 1e-9);
    }
    let dual: f64 = vertex
        .multipliers()
        .map(|(tight, multiplier)| match tight {
            Tight::Row(row) => multiplier * rows[row].1,
            Tight::Bound(k) if multiplier < 0.0 => multiplier * vertex.bounds(k).1,
            Tight::Bound(k) => multiplier * vertex.bounds(k).0,
        })
        .sum();
    assert!((dual - vertex.objective()).abs() < 1e-9);
}

#[test]
fn a_cutoff_that_worn_sums_exceed_is_no_cutoff() {
    // The first programme above: nothing costs less than 9. A point that has drifted costs 2 · 50 + 3 = 103.
    let mut vertex = Vertex::new(vec![2.0, 3.0], vec![0.0; 2], vec![10.0; 2]);
    vertex.push_row([(0, 1.0), (1, 1.0)].into_iter(), 4.0, false);
    vertex.push_row([(0, 1.0), (1, 3.0)].into_iter(), 6.0, false);
    assert_eq!(vertex.solve(f64::INFINITY, 100), End::Optimal);
    assert!((vertex.bound() - 9.0).abs() < 1e-12);
    vertex.x[0] = 50.0;
    vertex.age = 1;
    assert_eq!(vertex.solve(20.0, 100), End::Optimal);
    assert_near(vertex.x(), &[3.0, 1.0]);
    assert_eq!(vertex.solve(8.5, 100), End::Cutoff);
    // Whatever the directions are, what is shown is below the optimum.
    for worn in [-0.3, 0.01, 0.4, 2.0] {
        let mut vertex = vertex.clone();
        vertex.directions[1] += worn;
        vertex.directions[2] -= worn;
        assert!(vertex.bound() <= 9.0 + 1e-12);
    }
}

#[test]
fn a_row_too_small_to_pivot_on_is_no_contradiction() {
    // 1e-10 x ≥ 5e-11 where 0 ≤ x ≤ 1: x = 1/2 does. The multiplier 1 shows 5e-11 − 1e-10 < 0, which is nothing.
    let mut vertex = Vertex::new(vec![1.0], vec![0.0], vec![1.0]);
    vertex.push_row([(0, 1e-10)].into_iter(), 5e-11, false);
    assert_eq!(vertex.solve(f64::INFINITY, 100), End::Unknown);
    // 1e-10 x ≥ 2e-10: 2e-10 − 1e-10 > 0.
    let mut vertex = Vertex::new(vec![1.0], vec![0.0], vec![1.0]);
    vertex.push_row([(0, 1e-10)].into_iter(), 2e-10, false);
    assert_eq!(vertex.solve(f64::INFINITY, 100), End::Infeasible);
}

#[test]
fn equations_that_contradict_each_other_are_infeasible() {
    // x + y = 1 and x + y = 1.5; the difference is worth 0.5 whatever the signs.
    for (first, second) in [(1.0, 1.5), (1.5, 1.0)] {
        let mut vertex = Vertex::new(vec![1.0, -1.0], vec![0.0; 2], vec![1.0; 2]);
        vertex.push_row([(0, 1.0), (1, 1.0)].into_iter(), first, true);
        vertex.push_row([(0, 1.0), (1, 1.0)].into_iter(), second, true);
        assert_eq!(vertex.solve(f64::INFINITY, 100), End::Infeasible);
    }
}
