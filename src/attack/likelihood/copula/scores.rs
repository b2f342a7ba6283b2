//! The normal scores that an intruder can compute: of what they know, and of what was released.

use rayon::prelude::*;

use crate::{
    attack::{Release, Scenario},
    statement::CopulaParameters,
    stats::copula::{middle_score, normal_density, normal_quantile, normal_score},
    table::{Scale, matrix::Matrix},
};

/// Equal values that are this share of all are one piece of evidence that says little of the score behind it.
const LARGE_TIE: f64 = 0.05;

/// How well a score is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Not at all.
    Absent,
    /// As it was.
    Exact,
    /// With an error: only a long interval of it is known, a large tie.
    Blurred,
}

/// The scores of the records of one side, records × scores.
#[derive(Debug, Clone)]
pub(super) struct Observed {
    pub width: usize,
    pub values: Vec<f64>,
    pub states: Vec<State>,
}

impl Observed {
    pub fn row(&self, record: usize) -> (&[f64], &[State]) {
        let range = record * self.width..(record + 1) * self.width;
        (&self.values[range.clone()], &self.states[range])
    }
}

/// The scores of both sides.
#[derive(Debug)]
pub(super) struct Scores {
    pub intruder: Observed,
    pub released: Observed,
    /// The variance of the error of each score where it is blurred.
    pub errors: Vec<f64>,
}

/// A score of one attribute, for both sides.
struct Column {
    intruder: Vec<(f64, State)>,
    released: Vec<(f64, State)>,
    error: f64,
}

impl Scores {
    /// Scores of all attributes that were masked, as far as they are known or were released.
    pub fn new(scenario: &Scenario<'_>, stated: &CopulaParameters) -> Self {
        let coded = stated.extremes.as_ref().is_some_and(|e| e.coded > 0.0);
        let columns: Vec<Column> = (stated.values.par_iter())
            .map(|name| {
                let (known, released) = find(scenario, name);
                of_values(scenario, known, released, coded)
            })
            .collect();
        let side = |n: usize, of: fn(&Column) -> &Vec<(f64, State)>| {
            let cells = (0..n).flat_map(|record| columns.iter().map(move |c| of(c)[record]));
            let (values, states) = cells.unzip();
            Observed {
                width: columns.len(),
                values,
                states,
            }
        };
        Self {
            intruder: side(scenario.intruder.n_records(), |column| &column.intruder),
            released: side(scenario.released.n_records(), |column| &column.released),
            errors: columns.iter().map(|column| column.error).collect(),
        }
    }
}

/// A column of a matrix.
type At<'a> = (&'a Matrix, usize);

/// Where an attribute stands among the known ones, and where among the released ones.
fn find<'a>(scenario: &'a Scenario<'_>, name: &String) -> (Option<usize>, Option<At<'a>>) {
    let place = (scenario.known.iter().zip(scenario.scales))
        .position(|(other, &scale)| other == name && scale != Scale::Nominal);
    let beside = |release: &'a Release| {
        let at = release.names.iter().position(|other| other == name)?;
        release.categories[at]
            .is_none()
            .then_some((&release.values, at))
    };
    let released = match place {
        Some(place) => Some((scenario.released, place)),
        None => scenario.beside.and_then(beside),
    };
    (place, released)
}

/// The values of a file by which others are ranked, ascending.
struct Reference {
    sorted: Vec<f64>,
    coded: bool,
    /// The variance of a score inside large ties, on average.
    within: f64,
}

impl Reference {
    fn new((matrix, at): At<'_>, coded: bool) -> Self {
        let mut sorted: Vec<f64> = matrix.present(at).map(|value| value + 0.0).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut new = Self {
            sorted,
            coded,
            within: 0.0,
        };
        let (mut sum, mut count) = (0.0, 0.0);
        let mut below = 0;
        while below < new.sorted.len() {
            let through = new.through(new.sorted[below]);
            if new.is_large(below, through) {
                let size = (through - below) as f64;
                sum += size * interval(below, through, new.sorted.len()).1;
                count += size;
            }
            below = through;
        }
        if count > 0.0 {
            new.within = sum / count;
        }
        new
    }

    fn through(&self, value: f64) -> usize {
        self.sorted.partition_point(|other| *other <= value)
    }

    fn is_large(&self, below: usize, through: usize) -> bool {
        through - below > 1 && (through - below) as f64 >= LARGE_TIE * self.sorted.len() as f64
    }

    /// The ranks of a value. Where tails were coded and the value does not occur, one beyond all but the last run of equal values is
    /// in that run.
    fn ranks(&self, value: f64) -> (usize, usize) {
        let n = self.sorted.len();
        let below = |value: f64| self.sorted.partition_point(|other| *other < value);
        let (from, to) = (below(value), self.through(value));
        if from < to || !self.coded || n == 0 {
            return (from, to);
        }
        let (first, last) = (self.through(self.sorted[0]), below(self.sorted[n - 1]));
        match from {
            _ if from >= last => (last, n),
            _ if to <= first => (0, first),
            _ => (from, to),
        }
    }

    /// The score of a value. That of a large tie is the mean of its scores divided by 1 − the variance inside: it is the score with an
    /// error of [`error`](Self::error) then, as the rules of linear prediction want it.
    fn score(&self, value: f64) -> (f64, State) {
        let n = self.sorted.len();
        let (below, through) = self.ranks(value);
        match through - below {
            _ if n == 0 => (0.0, State::Absent),
            0 => (middle_score(below, through, n), State::Exact),
            1 => (normal_score(below, n), State::Exact),
            _ if self.is_large(below, through) => {
                let mean = interval(below, through, n).0;
                (mean / (1.0 - self.within), State::Blurred)
            }
            _ => (interval(below, through, n).0, State::Exact),
        }
    }

    fn error(&self) -> f64 {
        self.within / (1.0 - self.within)
    }
}

/// The mean and the variance of the normal scores of ranks `below..through` among n.
fn interval(below: usize, through: usize, n: usize) -> (f64, f64) {
    let end = |rank: usize| {
        let quantile = normal_quantile(rank as f64 / n as f64);
        if quantile.is_finite() {
            (
                normal_density(quantile),
                quantile * normal_density(quantile),
            )
        } else {
            (0.0, 0.0)
        }
    };
    let share = (through - below) as f64 / n as f64;
    let ((low, of_low), (high, of_high)) = (end(below), end(through));
    let mean = (low - high) / share;
    // A tie of everybody would say nothing at all.
    let variance = 1.0 + (of_low - of_high) / share - mean * mean;
    (mean, variance.clamp(0.0, 0.99))
}

fn absent(n: usize) -> Vec<(f64, State)> {
    vec![(0.0, State::Absent); n]
}

fn of_values(
    scenario: &Scenario<'_>,
    known: Option<usize>,
    released: Option<At<'_>>,
    coded: bool,
) -> Column {
    let n_intruder = scenario.intruder.n_records();
    let Some(of_release) = released else {
        return Column {
            intruder: absent(n_intruder),
            released: absent(scenario.released.n_records()),
            error: 0.0,
        };
    };
    let among_released = Reference::new(of_release, coded);
    let scores = |(matrix, at): At<'_>, reference: &Reference| -> Vec<(f64, State)> {
        (0..matrix.n_records())
            .map(|record| {
                if matrix.is_missing(record, at) {
                    (0.0, State::Absent)
                } else {
                    reference.score(matrix.row(record)[at] + 0.0)
                }
            })
            .collect()
    };
    let error = among_released.error();
    let intruder = match known {
        None => absent(n_intruder),
        Some(place) => {
            let own = (scenario.intruder, place);
            // Who holds everybody ranks among their own: there tails are as they were.
            let as_many =
                scenario.holds_all() && own.0.present(place).count() >= among_released.sorted.len();
            if as_many {
                let mut reference = Reference::new(own, false);
                reference.within = among_released.within;
                scores(own, &reference)
            } else {
                scores(own, &among_released)
            }
        }
    };
    Column {
        intruder,
        released: scores(of_release, &among_released),
        error,
    }
}
