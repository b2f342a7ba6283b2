//! The least loss for a risk: the value of an option at which the strongest attack just stays below a limit.
//!
//! Loss falls and risk grows, or the other way round, along the range of an option. So the value with the least loss is where
//! risk crosses the limit, and bisection finds it. Masked files cost time: a value that is clearly above or below the limit
//! after one file is not tried with more seeds, until it is the one to be chosen.

use std::collections::BTreeMap;

use super::grid::Row;
use crate::stats::interval::{resampled_mean, wilson};

/// A search for a release ends when both sides of the crossing are this close, as a share of the larger.
pub const PRECISION: f64 = 0.01;

/// Numbers of masked files after which a value is looked at again, before all of them.
const STAGES: [u32; 3] = [1, 3, 8];

/// One thing that an intruder may do: an attack with certain known attributes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttackCase {
    /// Name of the attack in the plan.
    pub attack: String,
    /// The attributes known, in the order of the plan.
    pub known: Vec<String>,
}

/// The risk of one scenario over the masked files of a setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Risk {
    /// The attack and what it knew.
    pub scenario: AttackCase,
    /// Mean share of correct links.
    pub mean: f64,
    /// 95 % interval: Student's over masked files; of one file drawn at random, Wilson's over its records; of the only file that the
    /// method can give, the share itself.
    pub interval: [f64; 2],
}

/// What is known of one value of an option.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Masked files so far.
    pub runs: u32,
    /// How many there can be.
    pub all: u32,
    /// The scenario with the largest upper end; `None` if no attack applied.
    pub strongest: Option<Risk>,
    /// The mean loss; `None` where it is not defined on every file.
    pub loss: Option<f64>,
}

/// On which side of the limit a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The upper end of the strongest scenario is at most the limit.
    Below,
    /// It is not, and more masked files would hardly change that.
    Above,
    /// More masked files are needed.
    Open,
}

impl Trial {
    /// Of the rows of a setting that has `all` masked files if all are made. `loss` is the key of a measure.
    /// Attacks that were not run count nothing.
    pub fn of(rows: &[&Row], all: u32, loss: &str) -> Self {
        let mut rates = Rates::default();
        for attack in rows.iter().flat_map(|row| &row.attacks) {
            for case in &attack.by_case {
                let scenario = AttackCase {
                    attack: attack.name.clone(),
                    known: case.known.clone(),
                };
                rates.add(scenario, (case.rate, case.records));
            }
        }
        let losses: Option<Vec<f64>> = rows
            .iter()
            .map(|row| match (loss, row.not_in_il.is_empty()) {
                (il, false) if il == crate::loss::IL.key => None,
                _ => row.losses.get(loss)?.as_f64(),
            })
            .collect();
        Self {
            runs: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            all,
            strongest: rates.strongest(all),
            loss: losses
                .filter(|losses| !losses.is_empty())
                .map(|losses| losses.iter().sum::<f64>() / losses.len() as f64),
        }
    }

    /// On which side of a limit it is, as far as can be said.
    pub fn side(&self, limit: f64) -> Side {
        let Some(risk) = &self.strongest else {
            return Side::Above;
        };
        let [low, high] = risk.interval;
        if high <= limit {
            Side::Below
        } else if low > limit || self.runs >= self.all {
            Side::Above
        } else {
            Side::Open
        }
    }

    /// Whether all of its masked files were made.
    pub fn is_whole(&self) -> bool {
        self.runs >= self.all
    }

    /// The number of masked files after which it should be looked at again.
    fn next_stage(&self) -> u32 {
        stage(Some(self.runs), self.all)
    }
}

/// Shares of correct links, and of how many records, by scenario: one a masked file.
#[derive(Debug, Clone, Default)]
pub struct Rates(BTreeMap<AttackCase, Vec<(f64, u64)>>);

impl Rates {
    /// Adds what an attack found on one masked file: the share of correct links, and the records that looked.
    pub fn add(&mut self, scenario: AttackCase, rate: (f64, u64)) {
        self.0.entry(scenario).or_default().push(rate);
    }

    /// The scenario with the largest upper end, if masked files can be `all` in number; `None` without any scenario. Of equal ones the
    /// first by name, so that a search is repeatable.
    pub fn strongest(&self, all: u32) -> Option<Risk> {
        let risks = (self.0.iter()).map(|(scenario, rates)| Risk::of(scenario.clone(), rates, all));
        risks.reduce(|most, risk| {
            let higher = (risk.interval[1], risk.mean) > (most.interval[1], most.mean);
            if higher { risk } else { most }
        })
    }
}

impl Risk {
    fn of(scenario: AttackCase, rates: &[(f64, u64)], all: u32) -> Self {
        let shares: Vec<f64> = rates.iter().map(|&(rate, _)| rate).collect();
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        let interval = match rates {
            [(rate, _)] if all == 1 => [*rate, *rate],
            [(rate, records)] => wilson(rate * *records as f64, *records).into(),
            _ => {
                let [low, high] = resampled_mean(&shares, 0.0);
                [low.max(0.0), high.min(1.0)]
            }
        };
        Self {
            scenario,
            mean,
            interval,
        }
    }
}

/// The number of masked files of the next stage, after so many.
fn stage(done: Option<u32>, all: u32) -> u32 {
    let done = done.unwrap_or(0);
    let stages = STAGES.into_iter().find(|&stage| stage > done);
    stages.unwrap_or(all).min(all)
}

/// The range of an option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// One end.
    pub from: f64,
    /// The other, greater.
    pub to: f64,
    /// Whether only whole numbers make sense.
    pub is_whole: bool,
    /// The search ends when both sides of the crossing are this close, as a share of the larger.
    pub precision: f64,
}

impl Range {
    /// A value about halfway between two others, in as few digits as people would type; `None` if the two are close enough.
    ///
    /// Of positive numbers that differ by more than a factor of 4 it is the geometric mean.
    fn between(self, a: f64, b: f64) -> Option<f64> {
        let (low, high) = (a.min(b), a.max(b));
        let middle = if low > 0.0 && high > 4.0 * low {
            (low * high).sqrt()
        } else {
            f64::midpoint(low, high)
        };
        let middle = match self.is_whole {
            true => middle.floor(),
            false if high - low <= self.precision * high.abs().max(low.abs()) => return None,
            false => three_digits(middle),
        };
        (low < middle && middle < high).then_some(middle)
    }
}

/// Rounded to three significant digits.
fn three_digits(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

/// A value of the option, and how many masked files it should have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// The value to be tried.
    pub value: f64,
    /// Masked files in all, those that are there included.
    pub runs: u32,
}

/// How the search for one masking goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// More masked files are needed.
    Look(Vec<Request>),
    /// This value has the least loss among those that stay below the limit.
    Found(f64),
    /// Neither end of the range stays below the limit.
    Nowhere,
}

/// What to look at next, in view of all that was tried: `tried` finds the trial of a value. The answer depends on nothing else, so that
/// a search that was stopped continues where it was.
///
/// Both ends come first. If both stay below the limit, the one with the smaller loss is the answer; otherwise the crossing is
/// between them, and the value on its safe side is confirmed with all masked files before it is the answer.
pub fn next<'t>(
    range: Range,
    all: u32,
    limit: f64,
    tried: impl Fn(f64) -> Option<&'t Trial>,
) -> Next {
    let first = |value| Request {
        value,
        runs: stage(None, all),
    };
    let more = |value, trial: &Trial| Request {
        value,
        runs: trial.next_stage(),
    };
    let mut wanted = Vec::new();
    let mut ends = Vec::new();
    for value in [range.from, range.to] {
        match tried(value) {
            None => wanted.push(first(value)),
            Some(trial) if trial.side(limit) == Side::Open => wanted.push(more(value, trial)),
            Some(trial) => ends.push((value, trial)),
        }
    }
    let &[(from, at_from), (to, at_to)] = &ends[..] else {
        return Next::Look(wanted);
    };
    let (mut safe, mut unsafe_) = match (at_from.side(limit), at_to.side(limit)) {
        (Side::Below, Side::Below) => {
            let least = |trial: &Trial| trial.loss.unwrap_or(f64::INFINITY);
            let best = if least(at_from) <= least(at_to) {
                from
            } else {
                to
            };
            return confirmed(best, &tried);
        }
        (Side::Below, _) => (from, to),
        (_, Side::Below) => (to, from),
        _ => return Next::Nowhere,
    };
    while let Some(middle) = range.between(safe, unsafe_) {
        match tried(middle) {
            None => return Next::Look(vec![first(middle)]),
            Some(trial) => match trial.side(limit) {
                Side::Below => safe = middle,
                Side::Above => unsafe_ = middle,
                Side::Open => return Next::Look(vec![more(middle, trial)]),
            },
        }
    }
    confirmed(safe, &tried)
}

/// How it goes on where there is one setting only, at the value 0.
pub fn only(all: u32, limit: f64, tried: Option<&Trial>) -> Next {
    let runs = match tried {
        None => stage(None, all),
        Some(trial) => match trial.side(limit) {
            Side::Above => return Next::Nowhere,
            Side::Below if trial.is_whole() => return Next::Found(0.0),
            Side::Below => all,
            Side::Open => trial.next_stage(),
        },
    };
    Next::Look(vec![Request { value: 0.0, runs }])
}

fn confirmed<'t>(value: f64, tried: &impl Fn(f64) -> Option<&'t Trial>) -> Next {
    match tried(value) {
        Some(trial) if !trial.is_whole() => Next::Look(vec![Request {
            value,
            runs: trial.all,
        }]),
        _ => Next::Found(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(mean: f64, half: f64, runs: u32, all: u32, loss: f64) -> Trial {
        Trial {
            runs,
            all,
            strongest: Some(Risk {
                scenario: AttackCase {
                    attack: "am".into(),
                    known: vec!["a".into()],
                },
                mean,
                interval: [mean - half, mean + half],
            }),
            loss: Some(loss),
        }
    }

    /// Runs a search on a made-up law of risk; returns its answer and the masked files it took.
    fn searched(
        range: Range,
        all: u32,
        limit: f64,
        law: impl Fn(f64, u32) -> Trial,
    ) -> (Next, u32) {
        let mut tried: Vec<(f64, Trial)> = Vec::new();
        for _ in 0..1000 {
            let find = |value: f64| tried.iter().find(|(v, _)| *v == value).map(|(_, t)| t);
            let Next::Look(requests) = next(range, all, limit, find) else {
                let answer = next(range, all, limit, find);
                return (answer, tried.iter().map(|(_, trial)| trial.runs).sum());
            };
            for request in requests {
                assert!((range.from..=range.to).contains(&request.value));
                let before = tried.iter().position(|(v, _)| *v == request.value);
                if let Some(place) = before {
                    assert!(
                        request.runs > tried[place].1.runs,
                        "nothing new is asked for"
                    );
                    tried.remove(place);
                }
                tried.push((request.value, law(request.value, request.runs)));
            }
        }
        panic!("the search does not end");
    }

    /// Risk 1/x crosses 5 % at x = 20: the answer is the first value of three digits from 20 on that is within 1 % of the last one
    /// above the limit.
    #[test]
    fn the_crossing_is_found_on_its_safe_side() {
        let range = Range {
            from: 1.0,
            to: 1000.0,
            is_whole: false,
            precision: PRECISION,
        };
        let (answer, files) = searched(range, 5, 0.05, |x, runs| trial(1.0 / x, 0.0, runs, 5, x));
        let Next::Found(x) = answer else {
            panic!("{answer:?}")
        };
        assert!((20.0..20.3).contains(&x), "{x}");
        // One file each, until the last, which has all five: log2(7 doublings beyond 1 %) steps.
        assert!(files < 25, "{files}");
    }

    #[test]
    fn whole_numbers_are_found_exactly_in_either_direction() {
        for crossing in 3..50 {
            let range = Range {
                from: 3.0,
                to: 50.0,
                is_whole: true,
                precision: PRECISION,
            };
            let falls = |x: f64, runs| {
                let risk = if x >= f64::from(crossing) { 0.04 } else { 0.06 };
                trial(risk, 0.0, runs, 1, x)
            };
            let grows = |x: f64, runs| {
                let risk = if x <= f64::from(crossing) { 0.04 } else { 0.06 };
                trial(risk, 0.0, runs, 1, -x)
            };
            let limit = 0.05;
            let found = Next::Found(f64::from(crossing));
            assert_eq!(searched(range, 1, limit, falls).0, found);
            assert_eq!(searched(range, 1, limit, grows).0, found);
        }
    }

    /// Where the interval still holds the limit more files are made; with all of them it must be below.
    #[test]
    fn doubt_asks_for_more_files_and_ends_above() {
        let doubtful = |runs, all| trial(0.05, 0.02 / f64::from(runs), runs, all, 1.0);
        assert_eq!(doubtful(1, 5).side(0.055), Side::Open);
        assert_eq!(doubtful(5, 5).side(0.055), Side::Below);
        assert_eq!(doubtful(5, 5).side(0.052), Side::Above);
        assert_eq!(doubtful(5, 5).side(0.04), Side::Above);
        let range = Range {
            from: 1.0,
            to: 2.0,
            is_whole: true,
            precision: PRECISION,
        };
        let (answer, files) = searched(range, 9, 0.05, |_, runs| doubtful(runs, 9));
        assert_eq!((answer, files), (Next::Nowhere, 18));
    }

    /// A value that one file let through and five do not is given up for the next safer one.
    #[test]
    fn what_all_files_refute_is_given_up() {
        let range = Range {
            from: 1.0,
            to: 64.0,
            is_whole: true,
            precision: PRECISION,
        };
        let law = |x: f64, runs| {
            let risk = match (x, runs) {
                (x, _) if x < 20.0 => 0.5,
                (x, 5) if x < 24.0 => 0.06,
                _ => 0.01,
            };
            trial(risk, 0.0, runs, 5, x)
        };
        assert_eq!(searched(range, 5, 0.05, law).0, Next::Found(24.0));
    }

    /// Where both ends are below the limit, the smaller loss decides; where no attack applies, nothing is below.
    #[test]
    fn ends() {
        let range = Range {
            from: 1.0,
            to: 2.0,
            is_whole: true,
            precision: PRECISION,
        };
        let below = |x: f64, runs| trial(0.01, 0.0, runs, 3, x);
        assert_eq!(searched(range, 3, 0.05, below).0, Next::Found(1.0));
        let unattacked = |_: f64, runs| Trial {
            strongest: None,
            ..trial(0.0, 0.0, runs, 3, 1.0)
        };
        assert_eq!(searched(range, 3, 0.05, unattacked).0, Next::Nowhere);
    }
}
