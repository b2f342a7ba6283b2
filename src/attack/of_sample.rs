//! A release that is a sample: a partner may not be there.

use super::{Decides, Lists};

/// Likelihoods on a sample of n of N records, of which a seeker's partner is one with probability n/N.
///
/// ```text
/// F(y)             = mean of L(x, y) over the seekers x                    (how likely y is for anybody; L = exp(−cost))
/// P(y | x)         = (L(x, y) / F(y)) / (Σ L(x, ·) / F(·) + N − n)
/// P(nobody | x)    = (N − n)          / (Σ L(x, ·) / F(·) + N − n)
/// ```
///
/// F is needed because attributes go together: people who are not there find records that could be theirs nearly as often as those who are. Who is
/// linked is not changed, only the probability that is stated for it.
///
/// # Ties
/// Of candidates of the same least cost, the mean of their probabilities.
///
/// # Complexity
/// One pass over all lists.
#[derive(Debug)]
pub struct OfSample<'a> {
    lists: Box<dyn Lists + 'a>,
    /// N − n.
    left_out: f64,
    /// ln F of each sought record.
    anybody: Vec<f64>,
}

impl<'a> OfSample<'a> {
    /// The same lists, of a sample that left so many records out.
    pub fn new(lists: Box<dyn Lists + 'a>, left_out: usize) -> Self {
        let mut anybody = vec![f64::NEG_INFINITY; lists.n_sought()];
        let mut list = Vec::new();
        for seeker in 0..lists.n_seekers() {
            lists.unordered(seeker, &mut list);
            for &(record, cost) in &list {
                let sum = &mut anybody[record as usize];
                let (more, less) = (sum.max(-cost), sum.min(-cost));
                *sum = more + (less - more).exp().ln_1p();
            }
        }
        let seekers = (lists.n_seekers().max(1) as f64).ln();
        for sum in &mut anybody {
            *sum -= seekers;
        }
        Self {
            lists,
            left_out: left_out as f64,
            anybody,
        }
    }
}

impl Lists for OfSample<'_> {
    fn n_seekers(&self) -> usize {
        self.lists.n_seekers()
    }

    fn n_sought(&self) -> usize {
        self.lists.n_sought()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.lists.list(seeker, list);
    }

    fn unordered(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.lists.unordered(seeker, list);
    }

    fn has_cheapest_only(&self) -> bool {
        false
    }

    fn decides(&self) -> Option<&dyn Decides> {
        self.lists.decides()
    }

    fn is_likelihood(&self) -> bool {
        self.lists.is_likelihood()
    }

    fn stated(&self, _seeker: usize, list: &[(u32, f64)]) -> f64 {
        let least = list.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
        let (mut all, mut best, mut tied) = (0.0, 0.0, 0.0);
        for &(record, cost) in list {
            let weight = (-cost - self.anybody[record as usize]).exp();
            all += weight;
            if cost <= least {
                best += weight;
                tied += 1.0;
            }
        }
        if tied > 0.0 {
            best / tied / (all + self.left_out)
        } else {
            0.0
        }
    }

    fn excludes_others(&self) -> bool {
        self.lists.excludes_others()
    }

    fn caveats(&self) -> Vec<String> {
        self.lists.caveats()
    }
}
