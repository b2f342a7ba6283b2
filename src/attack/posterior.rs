//! What an intruder with a likelihood can say of their own success.

/// The posterior probability of the cheapest candidate of a list, each record having been as likely as any other before:
///
/// ```text
/// P(y | x) = exp(−cost(y)) / (Σ exp(−cost) + no_partner)
/// ```
///
/// It is what the attack says of its success with this seeker, also where candidates tie (it links one of them). 0 for an
/// empty list. Sums run in the order of the list, of which each stands for so many records as `size` says.
pub fn of_best(list: &[(u32, f64)], size: impl Fn(u32) -> f64, no_partner: f64) -> f64 {
    let least = list
        .iter()
        .fold(f64::INFINITY, |least, &(_, cost)| least.min(cost));
    if least == f64::INFINITY {
        return 0.0;
    }
    // Of the greatest term, so that nothing overflows.
    let others = list.iter().fold(0.0, |sum, &(of, cost)| {
        sum + size(of) * (least - cost).exp()
    });
    let nobody = if no_partner > 0.0 {
        (no_partner.ln() + least).exp()
    } else {
        0.0
    };
    1.0 / (others + nobody)
}

/// The same of costs that are relative to how often a record is met among `n`, the seeker's own likelihood included:
///
/// ```text
/// cost(y) = ln f(y) − ln L(x, y),   f(y) = (L(x, y) + o(y)) / n       o(y) = what the others add
/// P(y | x) = (L(x, y) / o(y)) / Σ L(x, ·) / o(·),   L(x, y) / o(y) = 1 / (n exp(cost) − 1)
/// ```
///
/// The seeker's own likelihood is no evidence that y is somebody else's: with it, strong links are stated too low, by up to ten points. The
/// order of candidates is the same. Where nobody else can have become y, it is certain; such records share what there is. Candidates that are not
/// listed have a sum of `rest`.
pub fn of_best_among_others(
    list: &[(u32, f64)],
    size: impl Fn(u32) -> f64,
    rest: f64,
    n: usize,
) -> f64 {
    let least = list
        .iter()
        .fold(f64::INFINITY, |least, &(_, cost)| least.min(cost));
    if least == f64::INFINITY {
        return 0.0;
    }
    // What rounding leaves of nothing.
    const NOTHING: f64 = 1e-12;
    let others = |cost: f64| (n as f64 * cost.exp() - 1.0).max(NOTHING);
    if others(least) > 1e300 {
        // What the seeker adds to f is nothing.
        return of_best(list, size, rest * n as f64);
    }
    let weights = list.iter().map(|&(of, cost)| size(of) / others(cost));
    let all = weights.sum::<f64>() + rest;
    1.0 / (others(least) * all)
}

/// A probability by its first 30 binary digits: people of whom the formula says the same, by sums in another order, are as likely then, but for the
/// few whose probability is in the middle between two such numbers.
pub fn rounded(stated: f64) -> f64 {
    const BEYOND: f64 = (1_u32 << 23) as f64 + 1.0;
    let shifted = BEYOND * stated;
    shifted - (shifted - stated)
}

/// Each stands for itself.
pub fn one(_record: u32) -> f64 {
    1.0
}

#[cfg(test)]
mod tests {
    use super::{of_best, of_best_among_others, one, rounded};

    /// By hand: of two people and two records, likelihoods 3 and 1 on both sides. Either both are themselves (3 · 3) or they are each other
    /// (1 · 1): 9 in 10. With shares of f it would be 3 in 4.
    #[test]
    fn of_two_people_it_is_bayes() {
        let f = (3.0 + 1.0) / 2.0;
        let list = [(0, f64::ln(f / 3.0)), (1, f64::ln(f / 1.0))];
        assert!((of_best_among_others(&list, one, 0.0, 2) - 0.9).abs() < 1e-12);
        assert!((of_best(&list, one, 0.0) - 0.75).abs() < 1e-12);
        // Nobody else can have become record 0.
        let list = [(0, f64::ln(0.5)), (1, f64::ln(2.0))];
        assert!((of_best_among_others(&list, one, 0.0, 2) - 1.0).abs() < 1e-9);
        assert_eq!(of_best_among_others(&[], one, 0.0, 2), 0.0);
        // By hand, far beyond what a number holds: 1 to 1/3.
        let list = [(0, 900.0), (1, 900.0 + 3_f64.ln())];
        assert!((of_best_among_others(&list, one, 0.0, 2) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn thirty_digits_are_left() {
        for stated in [0.0, 1.0, 0.5, 0.75, 0.1, 1.0 / 3.0, 1e-7, 5e-300] {
            let near = rounded(stated * (1.0 + 1e-13));
            assert!((near - stated).abs() <= stated / f64::from(1_u32 << 30));
            assert_eq!(near, rounded(stated * (1.0 - 1e-13)), "{stated}");
            assert_eq!(near.to_bits() << 41, 0, "{stated}");
        }
    }

    /// By hand: weights 4, 2, 2; then 8 more for nobody; huge costs make no difference.
    #[test]
    fn shares_by_hand() {
        let list = |shift: f64| [(0, shift), (3, shift + 2_f64.ln()), (4, shift + 2_f64.ln())];
        assert!((of_best(&list(0.0), one, 0.0) - 0.5).abs() < 1e-15);
        assert!((of_best(&list(1e4), one, 0.0) - 0.5).abs() < 1e-10);
        assert!((of_best(&list(-(4_f64.ln())), one, 8.0) - 0.25).abs() < 1e-15);
        assert_eq!(of_best(&[], one, 1.0), 0.0);
        assert_eq!(of_best(&[(7, -3.0)], one, 0.0), 1.0);
        // The two that weigh the same as one that stands for both.
        let list = [(0, 0.0), (3, 2_f64.ln())];
        let size = |of| if of == 3 { 2.0 } else { 1.0 };
        assert!((of_best(&list, size, 0.0) - 0.5).abs() < 1e-15);
    }
}
