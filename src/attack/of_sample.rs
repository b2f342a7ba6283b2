//! A release that is a sample: a partner may not be there.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;

use super::{Decides, Kinds, LinkOf, Lists, Summary, Summed, posterior};
use crate::distance::nearest::Link;

/// Entries from which on lists are added up, and not kept any more: each thread can still be at one list then.
const ENTRIES_AT_ONCE: usize = 1 << 22;

/// Likelihoods on a sample of n of N records, of which a seeker's partner is one with probability n/N.
///
/// ```text
/// F(x, y)       = (1 + Σ L(x', y) over the other seekers x') / m         (how likely y is for anybody else; L = exp(−cost))
/// P(y | x)      = (L(x, y) / F(x, y)) / (Σ L(x, ·) / F(x, ·) + N − n)
/// P(nobody | x) = (N − n)             / (Σ L(x, ·) / F(x, ·) + N − n)
/// ```
///
/// for m seekers. F is needed because attributes go together: people who are not there find records that could be theirs nearly as often as those who
/// are. The seeker's own likelihood is no evidence about others, and those who are not held count as one of likelihood 1, that of
/// unrelated records. Who is linked is not changed, only the probability that is stated for it.
///
/// # Ties
/// Of candidates of the same least cost, the mean of their probabilities.
///
/// # Complexity
/// One pass over all lists, by all threads; none where lists are summed ([`SummedOfSample`](super::SummedOfSample)).
#[derive(Debug)]
pub struct OfSample<'a> {
    lists: Box<dyn Lists + 'a>,
    /// N − n.
    left_out: f64,
    /// ln Σ L of each sought record, or of those of each kind, over the seekers.
    anybody: Vec<f64>,
}

impl<'a> OfSample<'a> {
    /// The same lists, of a sample that left so many records out.
    pub fn new(lists: Box<dyn Lists + 'a>, left_out: usize) -> Self {
        Self {
            left_out: left_out as f64,
            anybody: match lists.summed_of_sample() {
                Some((_, summed)) => summed.over_seekers(),
                None => over_seekers(lists.as_ref(), ENTRIES_AT_ONCE),
            },
            lists,
        }
    }

    /// What is stated of the best of a list, of which each is at this place in `anybody`, and stands for so many records. Those who are not listed
    /// add `rest`, the sum of their L / F without the number of seekers.
    fn stated_of(
        &self,
        (list, rest): (&[(u32, f64)], f64),
        place: impl Fn(u32) -> u32,
        size: impl Fn(u32) -> f64,
    ) -> f64 {
        let least = list.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
        let seekers = self.lists.n_seekers() as f64;
        let (mut all, mut best, mut tied) = (rest * seekers, 0.0, 0.0);
        for &(of, cost) in list {
            // L / F, both divided by L; rounding leaves no less than nobody else.
            let others = (self.anybody[place(of) as usize] + cost).exp() - 1.0;
            let weight = size(of) * (seekers / (others.max(0.0) + cost.exp()));
            all += weight;
            if cost <= least {
                best += weight;
                tied += size(of);
            }
        }
        if tied > 0.0 {
            best / tied / (all + self.left_out)
        } else {
            0.0
        }
    }
}

/// ln Σ L of each sought record over the seekers, whose likelihoods are added in their order. Lists are kept until they have so many entries.
fn over_seekers(lists: &dyn Lists, at_once: usize) -> Vec<f64> {
    let n = lists.n_sought();
    let mut anybody = vec![f64::NEG_INFINITY; n];
    let share = n.div_ceil(rayon::current_num_threads()).max(1);
    let (mut next, n_seekers) = (0, lists.n_seekers());
    while next < n_seekers {
        let entries = AtomicUsize::new(0);
        // Threads take seekers in their order, until there is enough to add up.
        let found = (next..n_seekers).par_bridge().map(|seeker| {
            let is_wanted = seeker == next || entries.load(Relaxed) < at_once;
            is_wanted.then(|| {
                let mut list = Vec::new();
                lists.unordered(seeker, &mut list);
                entries.fetch_add(list.len() + 1, Relaxed);
                (seeker, list)
            })
        });
        let mut found: Vec<(usize, Vec<(u32, f64)>)> = found.while_some().collect();
        found.sort_unstable_by_key(|of| of.0);
        let in_order = found.iter().zip(next..);
        let without_gap = in_order.take_while(|(of, seeker)| of.0 == *seeker).count();
        found.truncate(without_gap);
        next += without_gap;
        // Each record's sum is one thread's, in the order of the seekers.
        let shares = anybody.par_chunks_mut(share).enumerate();
        shares.for_each(|(number, sums)| {
            for &(record, cost) in found.iter().flat_map(|of| &of.1) {
                let place = (record as usize).wrapping_sub(number * share);
                if let Some(sum) = sums.get_mut(place) {
                    let (more, less) = (sum.max(-cost), sum.min(-cost));
                    *sum = more + (less - more).exp().ln_1p();
                }
            }
        });
    }
    anybody
}

/// Only of lists that are summed.
impl Summed for OfSample<'_> {
    fn summaries(&self, seekers: &[usize]) -> Vec<Summary> {
        let Some((kinds, summed)) = self.lists.summed_of_sample() else {
            return vec![Summary::NOBODY; seekers.len()];
        };
        let size = |kind: u32| f64::from(kinds.sizes[kind as usize]);
        summed.summaries_of_sample(seekers, &self.anybody, &|list, rest| {
            self.stated_of((list, rest), |kind| kind, size)
        })
    }

    fn links(&self, seekers: &[usize], most: &[f64], link: &LinkOf<'_>) -> Vec<Link> {
        let summed = self.lists.summed();
        summed.map_or_else(Vec::new, |(_, summed)| summed.links(seekers, most, link))
    }

    fn cost(&self, seeker: usize, sought: u32) -> f64 {
        let summed = self.lists.summed();
        summed.map_or(f64::INFINITY, |(_, summed)| summed.cost(seeker, sought))
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

    fn summed(&self) -> Option<(&Kinds, &dyn Summed)> {
        let (kinds, _) = self.lists.summed_of_sample()?;
        Some((kinds, self))
    }

    fn decides(&self) -> Option<&dyn Decides> {
        self.lists.decides()
    }

    fn is_likelihood(&self) -> bool {
        self.lists.is_likelihood()
    }

    fn stated(&self, _seeker: usize, list: &[(u32, f64)]) -> f64 {
        match self.lists.summed_of_sample() {
            Some((kinds, _)) => {
                let kind = |record: u32| kinds.of[record as usize];
                posterior::rounded(self.stated_of((list, 0.0), kind, posterior::one))
            }
            None => self.stated_of((list, 0.0), |record| record, posterior::one),
        }
    }

    fn excludes_others(&self) -> bool {
        self.lists.excludes_others()
    }

    fn caveats(&self) -> Vec<String> {
        self.lists.caveats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeker s has s % 7 entries, of which no two are of the same likelihood.
    #[derive(Debug)]
    struct Few;

    impl Lists for Few {
        fn n_seekers(&self) -> usize {
            200
        }

        fn n_sought(&self) -> usize {
            13
        }

        fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
            list.clear();
            let entry = |k: usize| {
                let record = u32::try_from((seeker + 2 * k) % 13).unwrap();
                (record, ((seeker * 31 + k * 17) as f64).sqrt())
            };
            list.extend((0..seeker % 7).map(entry));
        }

        fn is_likelihood(&self) -> bool {
            true
        }
    }

    #[test]
    fn sums_are_those_of_one_seeker_after_the_other() {
        let mut expected = vec![f64::NEG_INFINITY; 13];
        let mut list = Vec::new();
        for seeker in 0..200 {
            Few.list(seeker, &mut list);
            for &(record, cost) in &list {
                let sum: &mut f64 = &mut expected[record as usize];
                let (more, less) = (sum.max(-cost), sum.min(-cost));
                *sum = more + (less - more).exp().ln_1p();
            }
        }
        for at_once in [1, 2, 50, 1 << 20] {
            assert_eq!(over_seekers(&Few, at_once), expected, "{at_once}");
        }
    }
}
