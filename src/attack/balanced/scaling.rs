//! Rows and columns are scaled in turns; where that settles slowly, by Newton's method.

use rayon::prelude::*;

use super::candidates::{Candidates, Surplus, pieces};

/// Rounds, at most. In each all candidates are gone through once.
pub(super) const ROUNDS: u32 = 2000;

/// Rounds in turns, before Newton's method takes over.
const IN_TURNS: u32 = 40;

/// Rounds after which it is seen how fast scaling settles.
const STRETCH: u32 = 10;

/// Scaling has settled when no more than this share of a seeker's probability will go to other candidates on average, however long it goes on.
const SETTLED: f64 = 1e-4;

/// A step of Newton's method is found when a stretch of rounds moves no more than this share of what it moves,
const SHARE_OF_STEP: f64 = 0.2;

/// or this share of what may be left.
const SHARE_OF_REST: f64 = 0.1;

/// The logarithm of no factor changes by more in a step.
const LONGEST: f64 = 5.0;

/// Columns are balanced that are off by its root on average: rounding alone.
const NOTHING: f64 = 1e-20;

/// Steps that must be shorter are none.
const SHORTEST: f64 = 1e-3;

/// What rows and columns are multiplied by.
#[derive(Debug)]
pub(super) struct Factors {
    pub seekers: Vec<f64>,
    /// Of each sought record, and last of having no partner.
    columns: Vec<f64>,
    /// Of being the record of a stranger.
    unknown: f64,
    pub rounds: u32,
    /// Whether more rounds would change nothing that matters.
    pub settled: bool,
}

/// What comes of the factors of the columns.
struct Sums {
    /// The factors by which rows sum to 1.
    rows: Vec<f64>,
    /// What the columns sum to then; 0 where there is no candidate.
    columns: Vec<f64>,
    /// F: see [`Factors::settle`].
    potential: f64,
}

/// A step of Newton's method.
struct Step {
    /// What the logarithms of the columns' factors change by.
    by: Vec<f64>,
    /// How much of the probability of a seeker goes to other candidates, on average, at most.
    moves: f64,
    /// Whether it was found, before all rounds were used and as far as rounding lets it.
    is_found: bool,
}

impl Factors {
    /// 1 for each sought record, and for having no partner where somebody has none.
    pub(super) fn of(candidates: &Candidates, surplus: &Surplus) -> Self {
        let mut columns = vec![1.0; candidates.n_sought];
        columns.push(f64::from(u8::from(surplus.seekers > 0)));
        let mut factors = Self {
            seekers: Vec::new(),
            columns,
            unknown: 0.0,
            rounds: 0,
            settled: false,
        };
        factors.count_strangers(surplus);
        factors
    }

    /// Scales, from where these factors are, until that changes nothing any more, in so many rounds at most, or a few more: a step
    /// that has begun is finished.
    ///
    /// # In turns
    /// Let d be the mean change of the columns' factors in a round, which shrinks by a factor q a round, as ten rounds show: d q / (1 − q) is
    /// still to come, and probabilities change by about as much at most. That, and not d, must be small: where scaling is slow, d is small long before it has settled.
    ///
    /// # Newton's method
    /// With v the logarithms of the columns' factors c, and t what they are to sum to, balancing minimizes
    ///
    /// ```text
    /// F(v)   = Σ_i ln Σ_j W_ij c_j − Σ_j t_j v_j,     which is convex
    /// F'(v)  = s − t                                  s: what the columns sum to where the rows sum to 1
    /// F''(v) = diag(s) − Pᵀ P                         P: the entries
    /// ```
    ///
    /// with the row of strangers as often as there are of them. A step δ solves `F'' δ = −F'`, by conjugate gradients of which each takes a round, and is
    /// halved until F falls. In turns, it would take about the square of so many rounds. Before each step there is a round in turns, which
    /// uses the logarithm of a sum: that is the better guide far from 1.
    ///
    /// What counts is how probabilities move, `P_ij (δ_j − Σ_k P_ik δ_k)`, and not factors: where somebody is all but certain, these hardly matter, and are
    /// hardly determined. It has settled when a whole step moves little. Each step moves less than half of what the one before it did: an entry that is to
    /// vanish falls by the factor e.
    ///
    /// # Source
    /// P. A. Knight, D. Ruiz, "A fast algorithm for matrix balancing", IMA Journal of Numerical Analysis 33, 2013; what counts is our own.
    pub(super) fn settle(&mut self, candidates: &Candidates, surplus: &Surplus, rounds: u32) {
        (self.rounds, self.settled) = (0, false);
        let mut before = f64::INFINITY;
        while self.rounds < rounds.min(IN_TURNS) && !self.settled {
            let mut change = 0.0;
            for _ in 0..STRETCH.min(rounds - self.rounds) {
                change = self.in_turns(candidates, surplus);
            }
            let shrinks = (change / before).powf(1.0 / f64::from(STRETCH));
            let still = change * shrinks / (1.0 - shrinks);
            // Changes of nothing but rounding shrink no more.
            self.settled =
                change < 1e-12 || (before.is_finite() && shrinks < 1.0 && still < SETTLED);
            before = change;
        }
        while self.rounds < rounds && !self.settled {
            self.in_turns(candidates, surplus);
            self.step(candidates, surplus, rounds);
        }
        self.seekers = self.sums(candidates, surplus).rows;
    }

    /// Of the sought records.
    pub(super) fn sought(&self) -> &[f64] {
        &self.columns[..self.columns.len() - 1]
    }

    /// Of having no partner.
    pub(super) fn nobody(&self) -> f64 {
        self.columns[self.columns.len() - 1]
    }

    /// Scales rows and columns once; the mean change of the columns' factors.
    fn in_turns(&mut self, candidates: &Candidates, surplus: &Surplus) -> f64 {
        let sums = self.sums(candidates, surplus);
        let (mut change, mut columns) = (0.0, 0_u64);
        for (column, sum) in sums.columns.into_iter().enumerate() {
            if sum > 0.0 {
                let times = surplus.of_column(column) / sum;
                self.columns[column] = finite(self.columns[column] * times);
                if column < candidates.n_sought {
                    change += times.ln().abs();
                    columns += 1;
                }
            }
        }
        self.count_strangers(surplus);
        self.rounds += 1;
        change / columns.max(1) as f64
    }

    /// Goes a step of Newton's method, if F falls.
    fn step(&mut self, candidates: &Candidates, surplus: &Surplus, rounds: u32) {
        let sums = self.sums(candidates, surplus);
        self.rounds += 1;
        let of_column = |(column, sum): (usize, &f64)| match *sum {
            sum if sum > 0.0 => sum - surplus.of_column(column),
            _ => 0.0,
        };
        let slope: Vec<f64> = sums.columns.iter().enumerate().map(of_column).collect();
        let step = self.solve(candidates, surplus, (&sums, &slope), rounds);
        let longest = step.by.iter().fold(0.0_f64, |most, by| most.max(by.abs()));
        let falls = dot(&slope, &step.by);
        let from = self.columns.clone();
        let mut share = (LONGEST / longest).min(1.0);
        loop {
            let moved = from.iter().zip(&step.by);
            self.columns = moved
                .map(|(from, by)| finite(from * (share * by).exp()))
                .collect();
            self.count_strangers(surplus);
            let potential = self.sums(candidates, surplus).potential;
            self.rounds += 1;
            let rounding = 1e-13 * sums.potential.abs();
            if potential <= sums.potential + 1e-4 * share * falls + rounding {
                break;
            }
            share /= 2.0;
            if share < SHORTEST {
                self.columns = from;
                self.count_strangers(surplus);
                return;
            }
        }
        self.settled = step.is_found && share >= 1.0 && step.moves < SETTLED;
    }

    /// The step that Newton's method takes.
    fn solve(
        &mut self,
        candidates: &Candidates,
        surplus: &Surplus,
        (sums, slope): (&Sums, &[f64]),
        rounds: u32,
    ) -> Step {
        let over_sums = |residual: &[f64]| -> Vec<f64> {
            let both = residual.iter().zip(&sums.columns);
            both.map(|(of, &sum)| if sum > 0.0 { of / sum } else { 0.0 })
                .collect()
        };
        let mut step = Step {
            by: vec![0.0; slope.len()],
            moves: 0.0,
            is_found: false,
        };
        let mut residual: Vec<f64> = slope.iter().map(|of| -of).collect();
        let mut direction = over_sums(&residual);
        let mut square = dot(&residual, &direction);
        let mut lately = step.by.clone();
        let n_columns = slope.len() as f64;
        let mut taken = 0;
        while self.rounds < rounds && !step.is_found {
            let curved = self.curved(candidates, surplus, sums, &direction);
            self.rounds += 1;
            let curvature = dot(&direction, &curved);
            let of_sums = direction.iter().zip(&sums.columns);
            let of_sums = of_sums.fold(0.0, |all, (by, sum)| all + sum * by * by);
            // What is left is to no avail, or there is nothing but rounding in it.
            if square <= NOTHING * n_columns || curvature <= NOTHING * of_sums {
                step.is_found = square <= NOTHING * n_columns;
                break;
            }
            let length = square / curvature;
            for (column, by) in direction.iter().enumerate() {
                step.by[column] += length * by;
                lately[column] += length * by;
                residual[column] -= length * curved[column];
            }
            taken += 1;
            if taken % STRETCH == 0 {
                let moves = self.moves(candidates, sums, &lately);
                self.rounds += 1;
                step.moves += moves;
                let little = (SHARE_OF_STEP * step.moves).max(SHARE_OF_REST * SETTLED);
                step.is_found = moves <= little;
                lately.fill(0.0);
            }
            let scaled = over_sums(&residual);
            let next = dot(&residual, &scaled);
            for (by, scaled) in direction.iter_mut().zip(&scaled) {
                *by = scaled + next / square * *by;
            }
            square = next;
        }
        if taken % STRETCH != 0 {
            step.moves += self.moves(candidates, sums, &lately);
            self.rounds += 1;
        }
        step
    }

    /// `F'' x`.
    fn curved(
        &self,
        candidates: &Candidates,
        surplus: &Surplus,
        sums: &Sums,
        x: &[f64],
    ) -> Vec<f64> {
        let weighed: Vec<f64> = self.columns.iter().zip(x).map(|(c, x)| c * x).collect();
        let (_, back) = through(candidates, &weighed, |seeker, sum| {
            sums.rows[seeker] * sums.rows[seeker] * sum
        });
        let of_strangers = match surplus.sought {
            0 => 0.0,
            strangers => {
                let sum = surplus.of_alone(&weighed);
                sum * self.unknown * self.unknown / strangers as f64
            }
        };
        let columns = x.iter().zip(&sums.columns).zip(&self.columns).zip(back);
        columns
            .enumerate()
            .map(|(column, (((x, sum), factor), back))| {
                let strangers = if surplus.may_be_alone(column) {
                    of_strangers
                } else {
                    0.0
                };
                sum * x - factor * (back + strangers)
            })
            .collect()
    }

    /// How much of the probability of a seeker goes to other candidates, on average, where the logarithms of the columns' factors change by x, which is small.
    fn moves(&self, candidates: &Candidates, sums: &Sums, x: &[f64]) -> f64 {
        let pieces: Vec<f64> = pieces(candidates.n_seekers())
            .into_par_iter()
            .map(|seekers| {
                let mut entries = Vec::new();
                seekers.fold(0.0, |moved, seeker| {
                    let row = sums.rows[seeker];
                    let probability = |weight: f64, column: usize| {
                        (row * weight * self.columns[column], x[column])
                    };
                    entries.clear();
                    let list = candidates.lists.list(seeker);
                    entries
                        .extend(list.map(|(record, weight)| probability(weight, record as usize)));
                    entries.push(probability(candidates.nobody[seeker], candidates.n_sought));
                    let mean = entries.iter().fold(0.0, |sum, (p, x)| sum + p * x);
                    let apart = entries.iter().map(|(p, x)| p * (x - mean).abs());
                    moved + apart.sum::<f64>() / 2.0
                })
            })
            .collect();
        let n_rows = sums.rows.iter().filter(|row| **row > 0.0).count();
        pieces.iter().sum::<f64>() / n_rows.max(1) as f64
    }

    /// The factor by which the strangers' row sums to their number.
    fn count_strangers(&mut self, surplus: &Surplus) {
        if surplus.sought > 0 {
            self.unknown = finite(surplus.sought as f64 / surplus.of_alone(&self.columns));
        }
    }

    fn sums(&self, candidates: &Candidates, surplus: &Surplus) -> Sums {
        let (rows, mut columns) = through(candidates, &self.columns, |_, sum| {
            if sum > 0.0 { 1.0 / sum } else { 0.0 }
        });
        let mut potential = 0.0;
        for row in rows.iter().filter(|row| **row > 0.0) {
            potential -= row.ln();
        }
        if surplus.sought > 0 {
            potential -= surplus.sought as f64 * self.unknown.ln();
        }
        for (column, (sum, factor)) in columns.iter_mut().zip(&self.columns).enumerate() {
            if *sum > 0.0 && *factor > 0.0 {
                if surplus.may_be_alone(column) {
                    *sum += self.unknown;
                }
                potential -= surplus.of_column(column) * factor.ln();
            }
            *sum *= factor;
        }
        Sums {
            rows,
            columns,
            potential,
        }
    }
}

/// Goes through all candidates: `of_row` makes a number of Σ_j W_ij x_j for each row i; these numbers, and the sums of W_ij times them for each column j.
fn through(
    candidates: &Candidates,
    x: &[f64],
    of_row: impl Fn(usize, f64) -> f64 + Sync,
) -> (Vec<f64>, Vec<f64>) {
    let n_sought = candidates.n_sought;
    let pieces: Vec<(Vec<f64>, Vec<f64>)> = pieces(candidates.n_seekers())
        .into_par_iter()
        .map(|seekers| {
            let mut sums = vec![0.0; n_sought + 1];
            let mut list = Vec::new();
            let numbers = seekers.map(|seeker| {
                list.clear();
                list.extend(candidates.lists.list(seeker));
                let nobody = candidates.nobody[seeker];
                let sum = list
                    .iter()
                    .fold(nobody * x[n_sought], |sum, &(record, weight)| {
                        sum + weight * x[record as usize]
                    });
                let number = of_row(seeker, sum);
                for &(record, weight) in &list {
                    sums[record as usize] += number * weight;
                }
                sums[n_sought] += number * nobody;
                number
            });
            (numbers.collect(), sums)
        })
        .collect();
    let mut numbers = Vec::with_capacity(candidates.n_seekers());
    let mut sums = vec![0.0; n_sought + 1];
    for (of_piece, sums_of_piece) in pieces {
        numbers.extend(of_piece);
        for (sum, more) in sums.iter_mut().zip(sums_of_piece) {
            *sum += more;
        }
    }
    (numbers, sums)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

/// Likelihoods that differ by hundreds of digits could take factors beyond what numbers hold.
fn finite(factor: f64) -> f64 {
    factor.clamp(1e-250, 1e250)
}
