//! A release that is a sample: a partner may not be there.

use super::{ByKinds, Decides, Kinds, Lists, posterior};

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
/// One pass over all lists.
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
        let by_kinds = lists.by_kinds();
        let n = by_kinds.map_or(lists.n_sought(), |(kinds, _)| kinds.sizes.len());
        let mut anybody = vec![f64::NEG_INFINITY; n];
        let mut list = Vec::new();
        for seeker in 0..lists.n_seekers() {
            match by_kinds {
                Some((_, by_kinds)) => by_kinds.list(seeker, &mut list),
                None => lists.unordered(seeker, &mut list),
            }
            for &(record, cost) in &list {
                let sum = &mut anybody[record as usize];
                let (more, less) = (sum.max(-cost), sum.min(-cost));
                *sum = more + (less - more).exp().ln_1p();
            }
        }
        Self {
            lists,
            left_out: left_out as f64,
            anybody,
        }
    }

    /// What is stated of the best of a list, of which each is at this place in `anybody`, and stands for so many records.
    fn stated_of(
        &self,
        list: &[(u32, f64)],
        place: impl Fn(u32) -> u32,
        size: impl Fn(u32) -> f64,
    ) -> f64 {
        let least = list.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
        let seekers = self.lists.n_seekers() as f64;
        let (mut all, mut best, mut tied) = (0.0, 0.0, 0.0);
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

impl ByKinds for OfSample<'_> {
    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        if let Some((_, by_kinds)) = self.lists.by_kinds() {
            by_kinds.list(seeker, list);
        }
    }

    fn stated(&self, _seeker: usize, list: &[(u32, f64)]) -> f64 {
        let Some((kinds, _)) = self.lists.by_kinds() else {
            return 0.0;
        };
        let size = |kind: u32| f64::from(kinds.sizes[kind as usize]);
        self.stated_of(list, |kind| kind, size)
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

    fn by_kinds(&self) -> Option<(&Kinds, &dyn ByKinds)> {
        let (kinds, _) = self.lists.by_kinds()?;
        Some((kinds, self))
    }

    fn decides(&self) -> Option<&dyn Decides> {
        self.lists.decides()
    }

    fn is_likelihood(&self) -> bool {
        self.lists.is_likelihood()
    }

    fn stated(&self, _seeker: usize, list: &[(u32, f64)]) -> f64 {
        match self.lists.by_kinds() {
            Some((kinds, _)) => {
                let kind = |record: u32| kinds.of[record as usize];
                self.stated_of(list, kind, posterior::one)
            }
            None => self.stated_of(list, |record| record, posterior::one),
        }
    }

    fn excludes_others(&self) -> bool {
        self.lists.excludes_others()
    }

    fn caveats(&self) -> Vec<String> {
        self.lists.caveats()
    }
}
