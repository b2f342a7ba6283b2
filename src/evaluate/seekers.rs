//! The outcomes of seekers, counted: all that the figures of an attack are made of.
//!
//! Figures depend neither on the order of the records nor on how the seekers were dealt out among machines: they are those of the counts,
//! which are in an order of their own.

use std::cmp::Ordering;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{beyond::Beyond, calibration::Calibration, score::Score};
use crate::distance::nearest::Contest;

/// How the true partner of a seeker fares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seeker {
    /// Whether the seeker has a partner among the sought records.
    pub partner: bool,
    /// Whether the original is in the top or bottom 1 % of a known attribute.
    pub extreme: bool,
    /// Whether it is in the 1 % farthest from the mean.
    pub far: bool,
    /// How the partner fares.
    pub contest: Contest,
    /// The least distance or cost; `None` without candidates, and where it was not worked out.
    pub least: Option<f64>,
    /// Candidates at it.
    pub at_least: u32,
    /// The probability that the attack states, if it states any.
    pub stated: Option<f64>,
}

impl Seeker {
    fn marks(&self) -> u32 {
        let Contest { inside, closer, .. } = self.contest;
        let marks = [self.partner, self.extreme, self.far, inside, closer];
        (0..).zip(marks).map(|(bit, is)| u32::from(is) << bit).sum()
    }

    /// The order in which seekers are counted.
    fn order(&self, other: &Self) -> Ordering {
        let whole = |seeker: &Self| {
            let Contest {
                candidates, tied, ..
            } = seeker.contest;
            (candidates, tied, seeker.at_least, seeker.marks())
        };
        let number = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => a.is_some().cmp(&b.is_some()),
        };
        number(self.stated, other.stated)
            .then_with(|| number(self.least, other.least))
            .then_with(|| whole(self).cmp(&whole(other)))
    }
}

/// Seekers with the same outcome. In JSON an array: how many they are, marks (the sum of 1 with a partner among the sought records, 2 in the top
/// or bottom 1 % of a known attribute, 4 in the 1 % farthest from the mean, 8 the partner is a candidate, 16 some candidate is closer), size
/// of the candidate set, candidates at the partner's distance if none is closer, least distance or cost, candidates at it, stated
/// probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "Packed", from = "Packed")]
pub struct SeekerCount {
    /// The outcome of each of them.
    pub seeker: Seeker,
    /// How many they are.
    pub records: u64,
}

/// [`SeekerCount`] in JSON.
type Packed = (u64, u32, u32, u32, Option<f64>, u32, Option<f64>);

impl From<SeekerCount> for Packed {
    fn from(SeekerCount { seeker, records }: SeekerCount) -> Self {
        (
            records,
            seeker.marks(),
            seeker.contest.candidates,
            seeker.contest.tied,
            seeker.least,
            seeker.at_least,
            seeker.stated,
        )
    }
}

impl From<Packed> for SeekerCount {
    fn from((records, marks, candidates, tied, least, at_least, stated): Packed) -> Self {
        let is = |bit: u32| marks & 1 << bit != 0;
        Self {
            seeker: Seeker {
                partner: is(0),
                extreme: is(1),
                far: is(2),
                contest: Contest {
                    candidates,
                    inside: is(3),
                    closer: is(4),
                    tied,
                },
                least,
                at_least,
                stated,
            },
            records,
        }
    }
}

/// What an attack found out of some seekers: how many have each outcome. It does not show who they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Findings {
    /// All seekers, those of other parts included.
    pub of: usize,
    /// Sought records.
    pub sought: u64,
    /// Whether the attack has candidate sets.
    pub candidate_sets: bool,
    /// Whether it worked out least distances or costs.
    pub has_least: bool,
    /// Whether it states probabilities.
    pub has_stated: bool,
    /// The seekers of this part: how many, marks, candidates, tied, least, at least, stated.
    #[cfg_attr(test, schemars(with = "Vec<Packed>"))]
    pub seekers: Vec<SeekerCount>,
}

/// Seekers that are in memory at once, at least.
const AT_ONCE: usize = 1 << 18;

/// So many seekers, counted.
///
/// # Complexity
/// O(n log n), the sorting in parallel; memory grows with the different outcomes.
pub fn counted(n: usize, seeker: impl Fn(usize) -> Seeker + Sync) -> Vec<SeekerCount> {
    counted_by(AT_ONCE, n, seeker)
}

fn counted_by(
    at_once: usize,
    n: usize,
    seeker: impl Fn(usize) -> Seeker + Sync,
) -> Vec<SeekerCount> {
    let (mut all, mut first) = (Vec::new(), 0);
    while first < n {
        // The more there are already, the more are added to them: each is moved but a few times.
        let end = n.min(first + at_once.max(all.len()));
        let mut own: Vec<Seeker> = (first..end).into_par_iter().map(&seeker).collect();
        own.par_sort_unstable_by(Seeker::order);
        let mut more = Vec::new();
        for seeker in own {
            count(&mut more, SeekerCount { seeker, records: 1 });
        }
        all = merged(all, more);
        first = end;
    }
    all
}

/// Adds seekers behind all who come before them in their order.
fn count(all: &mut Vec<SeekerCount>, more: SeekerCount) {
    match all.last_mut() {
        Some(last) if last.seeker.order(&more.seeker).is_eq() => last.records += more.records,
        _ => all.push(more),
    }
}

/// The seekers of both.
fn merged(a: Vec<SeekerCount>, b: Vec<SeekerCount>) -> Vec<SeekerCount> {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b } else { a };
    }
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    loop {
        let is_first = match (a.peek(), b.peek()) {
            (Some(a), Some(b)) => a.seeker.order(&b.seeker).is_le(),
            (first, _) => first.is_some(),
        };
        let Some(next) = (if is_first { a.next() } else { b.next() }) else {
            return all;
        };
        count(&mut all, next);
    }
}

impl Findings {
    /// What is the same in all parts.
    pub fn about(&self) -> (usize, u64, [bool; 3]) {
        let has = [self.candidate_sets, self.has_least, self.has_stated];
        (self.of, self.sought, has)
    }

    /// How many seekers there are here; `None` of more than can be.
    pub fn n_seekers(&self) -> Option<u64> {
        let mut records = self.seekers.iter().map(|group| group.records);
        records.try_fold(0, u64::checked_add)
    }

    /// The seekers of all parts; `None` of nothing.
    pub fn joined(parts: Vec<Self>) -> Option<Self> {
        parts.into_iter().reduce(|a, b| Self {
            seekers: merged(a.seekers, b.seekers),
            ..a
        })
    }

    /// How these seekers fare in the mean.
    pub fn score(&self) -> Score {
        Score::new(self.seekers.iter(), self.sought, self.candidate_sets)
    }

    /// The figures of these seekers.
    pub fn figures(&self) -> (Score, Beyond, Option<Calibration>) {
        let seekers = &self.seekers;
        let beyond = Beyond::new(seekers, self.sought, self.has_least, self.has_stated);
        let calibration = self.has_stated.then(|| Calibration::new(seekers));
        (self.score(), beyond, calibration)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A seeker with a partner who fares so.
    pub fn seeker(candidates: u32, inside: bool, closer: bool, tied: u32) -> Seeker {
        Seeker {
            partner: true,
            extreme: false,
            far: false,
            contest: Contest {
                candidates,
                inside,
                closer,
                tied,
            },
            least: None,
            at_least: 0,
            stated: None,
        }
    }

    /// These seekers, one after the other as they are.
    pub fn each(seekers: &[Seeker]) -> Vec<SeekerCount> {
        let alone = |&seeker: &Seeker| SeekerCount { seeker, records: 1 };
        seekers.iter().map(alone).collect()
    }

    /// Who fares how: few kinds, or all different.
    fn fares(seeker: usize, kinds: usize) -> Seeker {
        // 7,919 is a prime: all kinds occur, in no order.
        let kind = seeker * 7_919 % kinds;
        Seeker {
            partner: !kind.is_multiple_of(3),
            extreme: kind.is_multiple_of(5),
            least: (!kind.is_multiple_of(4)).then_some(kind as f64 / 7.0),
            at_least: u32::try_from(kind).unwrap(),
            stated: Some((kind % 100) as f64 / 99.0),
            ..self::seeker(20, kind > 2, kind % 7 > 1, u32::from(kind % 7 < 2))
        }
    }

    /// Against the list of all seekers, which counts each by itself; and the parts of any cut come to the same.
    #[test]
    fn counts_are_those_of_the_list_however_it_is_cut() {
        for (n, kinds) in [(0, 1), (1, 1), (1_000, 6), (40_000, 23), (40_000, 40_000)] {
            let all = counted(n, |seeker| fares(seeker, kinds));
            assert_eq!(all.len(), n.min(kinds));
            for at_once in [7, 1_000] {
                assert_eq!(counted_by(at_once, n, |seeker| fares(seeker, kinds)), all);
            }
            assert!(all.is_sorted_by(|a, b| a.seeker.order(&b.seeker).is_lt()));
            for group in all.iter().take(50) {
                let same = (0..n).filter(|&seeker| fares(seeker, kinds) == group.seeker);
                assert_eq!(group.records, same.count() as u64);
            }
            let findings = |seekers: Vec<SeekerCount>| Findings {
                of: n,
                sought: 20,
                candidate_sets: true,
                has_least: true,
                has_stated: true,
                seekers,
            };
            let whole = findings(all);
            assert_eq!(whole.n_seekers(), Some(n as u64));
            for of in [2, 3, 7] {
                let part = |number: usize| {
                    let own: Vec<usize> = (number..n).step_by(of).collect();
                    findings(counted(own.len(), |place| fares(own[place], kinds)))
                };
                let joined = Findings::joined((0..of).rev().map(part).collect());
                assert_eq!(joined.as_ref(), Some(&whole));
            }
        }
    }

    /// Figures of counts are those of a list with each seeker by itself, in any order, but for the rounding of sums of probabilities.
    #[test]
    fn figures_of_counts_are_those_of_each() {
        let list: Vec<Seeker> = (0..5_000).map(|seeker| fares(seeker, 700)).collect();
        let findings = |seekers: Vec<SeekerCount>| Findings {
            of: list.len(),
            sought: 20,
            candidate_sets: true,
            has_least: true,
            has_stated: false,
            seekers,
        };
        let of_each = findings(each(&list));
        let of_counts = findings(counted(list.len(), |seeker| list[seeker]));
        assert_eq!(of_counts.seekers.len(), 700);
        assert_eq!(of_counts.figures(), of_each.figures());
        let stated = |findings: Findings| {
            let findings = Findings {
                has_stated: true,
                ..findings
            };
            findings.figures()
        };
        let (a, b) = (stated(of_counts), stated(of_each));
        assert_eq!((a.0, a.1), (b.0, b.1));
        let (a, b) = (a.2.unwrap(), b.2.unwrap());
        assert_eq!((a.sure, a.sure_correct), (b.sure, b.sure_correct));
        assert!((a.expected - b.expected).abs() < 1e-12);
    }

    #[test]
    fn counts_beyond_all_numbers_are_none() {
        let group = SeekerCount {
            seeker: seeker(1, true, false, 1),
            records: u64::MAX,
        };
        let findings = Findings {
            of: 1,
            sought: 1,
            candidate_sets: false,
            has_least: false,
            has_stated: false,
            seekers: vec![group, group],
        };
        assert_eq!(findings.n_seekers(), None);
    }
}
