//! Judging claims: how many links are correct, and how many were certain.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::seekers::SeekerCount;
use crate::stats::interval::wilson;

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
#[derive(Debug, Clone, Default, PartialEq)]
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
    /// Judges how the true partners of these seekers fared.
    pub fn new<'a>(
        seekers: impl Iterator<Item = &'a SeekerCount>,
        sought: u64,
        candidate_sets: bool,
    ) -> Self {
        let mut score = Self {
            sought,
            ..Self::default()
        };
        // How many have a candidate set of each size, ascending, and how many win in a tie of each.
        let (mut sizes, mut ties) = (BTreeMap::new(), BTreeMap::new());
        for &SeekerCount { seeker, records } in seekers {
            let count = |of: &mut u64, is_one: bool| *of += if is_one { records } else { 0 };
            let contest = seeker.contest;
            let (is_won, is_alone) = (contest.is_won(), candidate_sets && contest.candidates == 1);
            score.records += records;
            count(&mut score.with_partner, seeker.partner);
            count(&mut score.strict, is_won && contest.tied == 1);
            count(&mut score.optimistic, is_won);
            count(&mut score.certain, is_alone);
            count(&mut score.certain_correct, is_alone && contest.inside);
            count(&mut score.empty, contest.candidates == 0);
            count(&mut score.contains_true, contest.inside);
            *sizes.entry(contest.candidates).or_insert(0) += records;
            if is_won {
                *ties.entry(contest.tied.max(1)).or_insert(0) += records;
            }
        }
        score.fair = fair(&ties);
        score.candidates_mean = mean(&sizes, score.records);
        if candidate_sets && score.records > 0 {
            score.candidates_quantiles = Some(quantiles(&sizes, score.records));
            score.candidates_histogram = histogram(&sizes);
        }
        score
    }

    /// The same scenario, linked one to one: links are right where they are so in the score of an assignment, in which records tie that the
    /// attack cannot tell apart.
    #[must_use]
    pub fn with_assignment(self, assigned: &Self) -> Self {
        Self {
            fair: assigned.fair,
            strict: assigned.strict,
            optimistic: assigned.optimistic,
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
fn fair(ties: &BTreeMap<u32, u64>) -> f64 {
    // Not `sum`: that of nothing is -0.0.
    ties.iter().fold(0.0, |sum, (&size, &records)| {
        sum + ratio(records as f64, u64::from(size))
    })
}

fn ratio(part: f64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}

fn mean(sizes: &BTreeMap<u32, u64>, records: u64) -> f64 {
    let sum = |(&size, &records): (&u32, &u64)| u128::from(size) * u128::from(records);
    ratio(sizes.iter().map(sum).sum::<u128>() as f64, records)
}

/// Quantiles as the value at position floor(q · (n − 1)) of the sorted sizes: sizes that really occur.
fn quantiles(sizes: &BTreeMap<u32, u64>, records: u64) -> [u32; 5] {
    let last = u128::from(records.saturating_sub(1));
    [0, 1, 2, 3, 4].map(|quarter| {
        let place = quarter * last / 4;
        let mut up_to = 0;
        let size = sizes.iter().find(|&(_, &records)| {
            up_to += u128::from(records);
            place < up_to
        });
        size.map_or(0, |(&size, _)| size)
    })
}

/// Counts by the greatest power of two that a size reaches.
fn histogram(sizes: &BTreeMap<u32, u64>) -> Vec<(u32, u64)> {
    let mut bins: BTreeMap<u32, u64> = BTreeMap::new();
    for (size, records) in sizes {
        let least = size.checked_ilog2().map_or(0, |power| 1 << power);
        *bins.entry(least).or_insert(0) += records;
    }
    bins.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::seekers::{
            Seeker,
            tests::{each, seeker},
        },
        *,
    };

    fn score(seekers: &[Seeker], sought: u64, candidate_sets: bool) -> Score {
        Score::new(each(seekers).iter(), sought, candidate_sets)
    }

    /// By hand: alone and right; alone and wrong; tied with one other; beaten; nobody there.
    #[test]
    fn counts_by_hand() {
        let score = score(
            &[
                seeker(1, true, false, 1),
                seeker(1, false, false, 0),
                seeker(4, true, false, 2),
                seeker(9, true, true, 0),
                seeker(0, false, false, 0),
            ],
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
        let score = score(&[seeker(1, true, false, 1)], 1, false);
        assert_eq!((score.certain, score.candidates_quantiles), (0, None));
        assert_eq!(score.candidates_histogram, []);
        assert_eq!(score.fair, 1.0);
    }

    #[test]
    fn nobody_looking_finds_nobody() {
        let score = score(&[], 0, true);
        assert_eq!((score.rate(Ties::Fair), score.baseline()), (0.0, 0.0));
        assert_eq!(score.interval(Ties::Fair), (0.0, 1.0));
    }
}
