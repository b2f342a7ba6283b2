//! Judging claims: how many links are correct, and how many were certain.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{distance::nearest::Contest, stats::interval::wilson};

/// What a link counts whose record ties with others at the same distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// 1/t in a tie of t: the expected number of correct links when a tie is broken at random.
    Fair,
    /// 0: only links without any rival count.
    Strict,
    /// 1: a tie that holds the true record counts as found.
    Optimistic,
}

/// The outcome of one attack in one scenario, in numbers of seekers.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Records that looked for a partner.
    pub records: u64,
    /// Those of them that have one among the sought records.
    pub with_partner: u64,
    /// Sought records.
    pub sought: u64,
    /// Correct links, ties counted 1/t.
    pub fair: f64,
    /// Correct links without a tie.
    pub strict: u64,
    /// Correct links, ties counted as found.
    pub optimistic: u64,
    /// Records with exactly one candidate. Zero for attacks without candidate sets.
    pub certain: u64,
    /// Those of them whose candidate is the true record.
    pub certain_correct: u64,
    /// Records without any candidate.
    pub empty: u64,
    /// Mean size of the candidate set; all sought records where the attack has none.
    pub candidates_mean: f64,
    /// Least, lower quartile, median, upper quartile and greatest size of the candidate set, if the attack has such
    /// sets.
    pub candidates_quantiles: Option<[u32; 5]>,
    /// Records by the size of their candidate set, if the attack has such sets: the least size of a bin (0, or a power of two;
    /// it reaches to below the next) and the number of its records, by ascending size, without empty bins.
    pub candidates_histogram: Vec<(u32, u64)>,
    /// Records whose true partner is among the candidates.
    pub contains_true: u64,
}

impl Score {
    /// Judges how the true partners fared.
    pub fn of_contests(
        contests: &[Contest],
        with_partner: u64,
        sought: u64,
        candidate_sets: bool,
    ) -> Self {
        let count =
            |test: &dyn Fn(&Contest) -> bool| contests.iter().filter(|c| test(c)).count() as u64;
        let won = |c: &Contest| c.inside && !c.closer;
        let alone = |c: &Contest| candidate_sets && c.candidates == 1;
        Self {
            records: contests.len() as u64,
            with_partner,
            sought,
            fair: fair(contests.iter().filter(|c| won(c)).map(|c| c.tied.max(1))),
            strict: count(&|c| won(c) && c.tied == 1),
            optimistic: count(&won),
            certain: count(&alone),
            certain_correct: count(&|c| alone(c) && c.inside),
            empty: count(&|c| c.candidates == 0),
            candidates_mean: mean(contests),
            candidates_quantiles: (candidate_sets && !contests.is_empty())
                .then(|| quantiles(contests)),
            candidates_histogram: if candidate_sets {
                histogram(contests)
            } else {
                Vec::new()
            },
            contains_true: count(&|c| c.inside),
        }
    }

    /// The same scenario, linked one to one: `correct` pairs are right, and no tie is left open.
    #[must_use]
    pub fn with_assignment(self, correct: u64) -> Self {
        Self {
            fair: correct as f64,
            strict: correct,
            optimistic: correct,
            ..self
        }
    }

    /// Correct links under a rule for ties.
    pub fn correct(&self, ties: Ties) -> f64 {
        match ties {
            Ties::Fair => self.fair,
            Ties::Strict => self.strict as f64,
            Ties::Optimistic => self.optimistic as f64,
        }
    }

    /// Share of correct links among the records that looked, 0..=1; 0 when nobody looked.
    pub fn rate(&self, ties: Ties) -> f64 {
        ratio(self.correct(ties), self.records)
    }

    /// Wilson interval of the rate at 95 %.
    pub fn interval(&self, ties: Ties) -> (f64, f64) {
        wilson(self.correct(ties), self.records)
    }

    /// Correct links among the records that have a partner to be found; 0 when none has.
    pub fn rate_of_findable(&self, ties: Ties) -> f64 {
        ratio(self.correct(ties), self.with_partner)
    }

    /// Wilson interval of that rate at 95 %.
    pub fn interval_of_findable(&self, ties: Ties) -> (f64, f64) {
        wilson(self.correct(ties), self.with_partner)
    }

    /// The rate of somebody who links at random: 1/n for those who have a partner among n sought records.
    pub fn baseline(&self) -> f64 {
        ratio(ratio(self.with_partner as f64, self.records), self.sought)
    }
}

/// The sum of 1/t over ties of t, each size at once: thirds of 3 records are 1.
fn fair(ties: impl Iterator<Item = u32>) -> f64 {
    let mut records_by_size: BTreeMap<u32, u64> = BTreeMap::new();
    for size in ties {
        *records_by_size.entry(size).or_insert(0) += 1;
    }
    records_by_size
        .into_iter()
        // Not `sum`: that of nothing is -0.0.
        .fold(0.0, |sum, (size, records)| {
            sum + ratio(records as f64, u64::from(size))
        })
}

fn ratio(part: f64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}

fn mean(contests: &[Contest]) -> f64 {
    let sum: u64 = contests.iter().map(|c| u64::from(c.candidates)).sum();
    ratio(sum as f64, contests.len() as u64)
}

/// Quantiles as the value at position floor(q · (n − 1)) of the sorted sizes: sizes that really occur.
fn quantiles(contests: &[Contest]) -> [u32; 5] {
    let mut sizes: Vec<u32> = contests.iter().map(|c| c.candidates).collect();
    sizes.sort_unstable();
    [0, 1, 2, 3, 4].map(|quarter| sizes[quarter * (sizes.len() - 1) / 4])
}

/// Counts by the greatest power of two that a size reaches.
fn histogram(contests: &[Contest]) -> Vec<(u32, u64)> {
    let mut bins: BTreeMap<u32, u64> = BTreeMap::new();
    for contest in contests {
        let least = contest
            .candidates
            .checked_ilog2()
            .map_or(0, |power| 1 << power);
        *bins.entry(least).or_insert(0) += 1;
    }
    bins.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contest(candidates: u32, inside: bool, closer: bool, tied: u32) -> Contest {
        Contest {
            candidates,
            inside,
            closer,
            tied,
        }
    }

    /// By hand: alone and right; alone and wrong; tied with one other; beaten; nobody there.
    #[test]
    fn counts_by_hand() {
        let score = Score::of_contests(
            &[
                contest(1, true, false, 1),
                contest(1, false, false, 0),
                contest(4, true, false, 2),
                contest(9, true, true, 0),
                contest(0, false, false, 0),
            ],
            5,
            9,
            true,
        );
        assert_eq!((score.fair, score.strict, score.optimistic), (1.5, 1, 2));
        assert_eq!(
            (score.certain, score.certain_correct, score.empty),
            (2, 1, 1)
        );
        assert_eq!((score.contains_true, score.candidates_mean), (3, 3.0));
        assert_eq!(score.candidates_quantiles, Some([0, 1, 1, 4, 9]));
        // Sizes 1, 1, 4, 9 and 0: in the bins 1, 1, 4 to 7, 8 to 15, and none.
        assert_eq!(score.candidates_histogram, [(0, 1), (1, 2), (4, 1), (8, 1)]);
        assert_eq!(score.rate(Ties::Fair), 0.3);
        assert_eq!(score.baseline(), 1.0 / 9.0);
        assert!(score.interval(Ties::Fair).0 < 0.3 && 0.3 < score.interval(Ties::Fair).1);
    }

    #[test]
    fn without_candidate_sets_nothing_is_certain() {
        let score = Score::of_contests(&[contest(1, true, false, 1)], 1, 1, false);
        assert_eq!((score.certain, score.candidates_quantiles), (0, None));
        assert_eq!(score.candidates_histogram, []);
        assert_eq!(score.fair, 1.0);
    }

    #[test]
    fn nobody_looking_finds_nobody() {
        let score = Score::of_contests(&[], 0, 0, true);
        assert_eq!((score.rate(Ties::Fair), score.baseline()), (0.0, 0.0));
        assert_eq!(score.interval(Ties::Fair), (0.0, 1.0));
    }
}
