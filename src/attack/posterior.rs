//! What an intruder with a likelihood can say of their own success.

/// The posterior probability of the cheapest candidate of a list, each record having been as likely as any other before:
///
/// ```text
/// P(y | x) = exp(−cost(y)) / (Σ exp(−cost) + no_partner)
/// ```
///
/// It is what the attack says of its success with this seeker, also where candidates tie (it links one of them). 0 for an
/// empty list. Sums run in the order of the list.
pub fn of_best(list: &[(u32, f64)], no_partner: f64) -> f64 {
    let least = list
        .iter()
        .fold(f64::INFINITY, |least, &(_, cost)| least.min(cost));
    if least == f64::INFINITY {
        return 0.0;
    }
    // Of the greatest term, so that nothing overflows.
    let others = list
        .iter()
        .fold(0.0, |sum, &(_, cost)| sum + (least - cost).exp());
    let nobody = if no_partner > 0.0 {
        (no_partner.ln() + least).exp()
    } else {
        0.0
    };
    1.0 / (others + nobody)
}

#[cfg(test)]
mod tests {
    use super::of_best;

    /// By hand: weights 4, 2, 2; then 8 more for nobody; huge costs make no difference.
    #[test]
    fn shares_by_hand() {
        let list = |shift: f64| [(0, shift), (3, shift + 2_f64.ln()), (4, shift + 2_f64.ln())];
        assert!((of_best(&list(0.0), 0.0) - 0.5).abs() < 1e-15);
        assert!((of_best(&list(1e4), 0.0) - 0.5).abs() < 1e-10);
        assert!((of_best(&list(-(4_f64.ln())), 8.0) - 0.25).abs() < 1e-15);
        assert_eq!(of_best(&[], 1.0), 0.0);
        assert_eq!(of_best(&[(7, -3.0)], 0.0), 1.0);
    }
}
