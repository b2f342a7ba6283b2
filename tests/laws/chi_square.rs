//! Were counts drawn by the same law?

/// Fails when counts are too far from what is expected: Pearson's statistic against the 0.9999 quantile of chi-square. Seeds
/// are fixed, so a test that passes keeps passing.
pub fn assert_drawn_by(counts: &[u32], probabilities: &[f64]) {
    let draws: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    let total: f64 = probabilities.iter().sum();
    let mut statistic = 0.0;
    for (&count, probability) in counts.iter().zip(probabilities) {
        let expected = draws * probability / total;
        assert!(expected >= 5.0, "too few draws for a test: {expected}");
        statistic += (f64::from(count) - expected).powi(2) / expected;
    }
    let bound = quantile(counts.len() - 1);
    assert!(
        statistic < bound,
        "{statistic} >= {bound}: {counts:?} by {probabilities:?}"
    );
}

/// Fails when two lists of as many draws each, by class, do not look like draws of one law (two-sample chi-square; classes of
/// fewer than 20 draws together are taken as one).
pub fn assert_same_law(one: &[u32], other: &[u32]) {
    let sum = |counts: &[u32]| counts.iter().sum::<u32>();
    assert_eq!(sum(one), sum(other));
    let (mut statistic, mut classes) = (0.0, 0);
    let mut rest = (0, 0);
    let mut add = |a: u32, b: u32| {
        if a + b > 0 {
            statistic += (f64::from(a) - f64::from(b)).powi(2) / f64::from(a + b);
            classes += 1;
        }
    };
    for (&a, &b) in one.iter().zip(other) {
        if a + b < 20 {
            rest = (rest.0 + a, rest.1 + b)
        } else {
            add(a, b)
        }
    }
    add(rest.0, rest.1);
    assert!(classes > 2, "classes tell nothing: {one:?}");
    let bound = quantile(classes - 1);
    assert!(
        statistic < bound,
        "{statistic} >= {bound}:\n{one:?}\n{other:?}"
    );
}

/// The 0.9999 quantile of chi-square, by the approximation of Wilson and Hilferty (1931); 3.719 is the normal one. For few
/// degrees of freedom it is a little too large.
fn quantile(freedom: usize) -> f64 {
    let d = freedom as f64;
    d * (1.0 - 2.0 / (9.0 * d) + 3.719 * (2.0 / (9.0 * d)).sqrt()).powi(3)
}

/// By tables: 33.72 at 9 degrees of freedom, 15.14 at one.
#[test]
fn the_quantile_is_near_that_of_tables() {
    assert!((33.7..34.5).contains(&quantile(9)), "{}", quantile(9));
    assert!((15.1..16.5).contains(&quantile(1)), "{}", quantile(1));
}
