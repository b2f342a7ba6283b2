//! The posterior given that links are one to one, by balancing the likelihoods (Sinkhorn).

use rayon::prelude::*;

use super::Lists;
use crate::{
    error::{Error, Result},
    memory,
};

/// Bytes of a candidate: who, and how likely.
const CANDIDATE: usize = 8;

/// Rounds of scaling, unless it settles sooner.
const ROUNDS: usize = 40;

/// Scaling has settled when no column's factor changes by more than this share.
const SETTLED: f64 = 1e-4;

/// Seekers are cut into so many pieces, whatever the number of threads, so that sums do not depend on it.
const PIECES: usize = 16;

/// Likelihoods balanced so that everybody is linked once.
///
/// ```text
/// W_ij = exp(−cost of j for seeker i) over the candidates
/// P_ij = r_i W_ij c_j,   Σ_j P_ij = 1 for each seeker,   Σ_i P_ij = 1 for each sought record
/// ```
///
/// Scaling rows and columns in turns converges to P. It approximates the probability that j is the partner of i *given that
/// the files hold the same people*, of which the exact value is a ratio of permanents. A list of it costs −ln P_ij.
///
/// # When one side has more records
/// The records of the shorter side are taken to have a partner each, and the surplus of the longer side to be strangers. Where
/// seekers are fewer, a row stands for the unknown people that the surplus belongs to: it sums to the surplus, and
/// is equally likely to have become any record, so that columns sum to 1 with it and to at most 1 without. Where
/// seekers are more, a column stands for the records that are not there: of weight 1 in the scale of the likelihoods, which
/// is the likelihood of two unrelated records. Records without any candidate are left out of both.
///
/// # Ties
/// Seekers take their largest entry; records that are alike have equal entries to the last bit.
///
/// # Complexity
/// 8 bytes a candidate, of all seekers together; a round costs a multiplication a candidate.
///
/// # Source
/// R. Sinkhorn, "A relationship between arbitrary positive matrices and doubly stochastic matrices", Annals of Mathematical
/// Statistics 35, 1964. Its use here is our own.
#[derive(Debug)]
pub struct Balanced {
    n_sought: usize,
    /// Where the candidates of each seeker begin, and where the last ones end.
    starts: Vec<usize>,
    records: Vec<u32>,
    /// exp(least cost of the seeker − cost).
    weights: Vec<f32>,
    /// The weight of having no partner, in the scale of each seeker; of no use where nobody is a stranger.
    nobody: Vec<f64>,
    factors: Factors,
}

/// What rows and columns are multiplied by.
#[derive(Debug)]
struct Factors {
    seekers: Vec<f64>,
    sought: Vec<f64>,
    nobody: f64,
}

impl Balanced {
    /// Balances lists of likelihoods.
    ///
    /// # Errors
    /// Usage, when the costs are no likelihoods; Failed, when the lists are longer than memory should hold.
    pub fn new(lists: &dyn Lists) -> Result<Self> {
        if !lists.is_likelihood() {
            return Err(no_likelihood());
        }
        let n_seekers = lists.n_seekers();
        refuse_too_long(lists)?;
        let piece = n_seekers.div_ceil(PIECES).max(1);
        let pieces: Vec<Piece> = (0..n_seekers.div_ceil(piece))
            .into_par_iter()
            .map(|number| {
                let seekers = number * piece..((number + 1) * piece).min(n_seekers);
                Piece::of(lists, seekers)
            })
            .collect();
        let total = pieces.iter().map(|piece| piece.records.len()).sum();
        let mut balanced = Self {
            n_sought: lists.n_sought(),
            starts: Vec::with_capacity(n_seekers + 1),
            records: Vec::with_capacity(total),
            weights: Vec::with_capacity(total),
            nobody: Vec::with_capacity(n_seekers),
            factors: Factors {
                seekers: vec![0.0; n_seekers],
                sought: vec![1.0; lists.n_sought()],
                nobody: 0.0,
            },
        };
        for piece in pieces {
            let before = balanced.records.len();
            balanced
                .starts
                .extend(piece.starts.iter().map(|start| before + start));
            balanced.records.extend(piece.records);
            balanced.weights.extend(piece.weights);
            balanced.nobody.extend(piece.nobody);
        }
        balanced.starts.push(balanced.records.len());
        balanced.scale();
        Ok(balanced)
    }

    /// What the candidates of all seekers take, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.records.len() * CANDIDATE) as u64
    }

    fn candidates(&self, seeker: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.starts[seeker]..self.starts[seeker + 1];
        let records = &self.records[range.clone()];
        let weights = self.weights[range].iter().map(|&weight| f64::from(weight));
        records.iter().copied().zip(weights)
    }

    fn scale(&mut self) {
        let seekers = self
            .starts
            .windows(2)
            .filter(|ends| ends[0] < ends[1])
            .count() as f64;
        let mut found = vec![false; self.n_sought];
        for &record in &self.records {
            found[record as usize] = true;
        }
        let sought = found.iter().filter(|&&found| found).count() as f64;
        let strangers_sought = (sought - seekers).max(0.0);
        let strangers_seeking = (seekers - sought).max(0.0);
        self.factors.nobody = f64::from(u8::from(strangers_seeking > 0.0));
        let mut unknown = strangers_sought / sought.max(1.0);
        for _ in 0..ROUNDS {
            let (factors, sums) = self.rows();
            self.factors.seekers = factors;
            if strangers_seeking > 0.0 {
                let absent = self.factors.seekers.iter().zip(&self.nobody);
                let sum = absent.fold(0.0, |sum, (factor, nobody)| sum + factor * nobody);
                self.factors.nobody = strangers_seeking / sum;
            }
            let mut change = 0.0_f64;
            for (factor, sum) in self.factors.sought.iter_mut().zip(sums) {
                if sum > 0.0 {
                    let new = 1.0 / (sum + unknown);
                    change = change.max((new / *factor - 1.0).abs());
                    *factor = new;
                }
            }
            if strangers_sought > 0.0 {
                let known = self.factors.sought.iter().zip(&found);
                let sum = known
                    .filter(|(_, found)| **found)
                    .fold(0.0, |sum, (factor, _)| sum + factor);
                unknown = strangers_sought / sum;
            }
            if change < SETTLED {
                break;
            }
        }
        self.factors.seekers = self.rows().0;
    }

    /// The factors by which rows sum to 1, and the sums of the columns that they leave.
    fn rows(&self) -> (Vec<f64>, Vec<f64>) {
        let n_seekers = self.nobody.len();
        let piece = n_seekers.div_ceil(PIECES).max(1);
        let pieces: Vec<(Vec<f64>, Vec<f64>)> = (0..n_seekers.div_ceil(piece))
            .into_par_iter()
            .map(|number| {
                let mut sums = vec![0.0; self.n_sought];
                let factors = (number * piece..((number + 1) * piece).min(n_seekers))
                    .map(|seeker| {
                        let absent = self.factors.nobody * self.nobody[seeker];
                        let row = self.candidates(seeker);
                        let sum = row.fold(absent, |sum, (record, weight)| {
                            sum + weight * self.factors.sought[record as usize]
                        });
                        if sum <= 0.0 {
                            return 0.0;
                        }
                        let factor = 1.0 / sum;
                        for (record, weight) in self.candidates(seeker) {
                            sums[record as usize] += factor * weight;
                        }
                        factor
                    })
                    .collect();
                (factors, sums)
            })
            .collect();
        let mut factors = Vec::with_capacity(n_seekers);
        let mut sums = vec![0.0; self.n_sought];
        for (of_piece, sums_of_piece) in pieces {
            factors.extend(of_piece);
            for (sum, more) in sums.iter_mut().zip(sums_of_piece) {
                *sum += more;
            }
        }
        (factors, sums)
    }
}

/// The lists of some seekers.
struct Piece {
    starts: Vec<usize>,
    records: Vec<u32>,
    weights: Vec<f32>,
    nobody: Vec<f64>,
}

impl Piece {
    fn of(lists: &dyn Lists, seekers: std::ops::Range<usize>) -> Self {
        let mut piece = Self {
            starts: Vec::new(),
            records: Vec::new(),
            weights: Vec::new(),
            nobody: Vec::new(),
        };
        let mut list = Vec::new();
        for seeker in seekers {
            lists.list(seeker, &mut list);
            let least = list
                .iter()
                .fold(f64::INFINITY, |least, &(_, cost)| least.min(cost));
            piece.starts.push(piece.records.len());
            // The likelihood of two unrelated records is 1. Who has no better candidate than e^-600 has none.
            piece.nobody.push(if list.is_empty() {
                0.0
            } else {
                least.min(600.0).exp()
            });
            for &(record, cost) in &list {
                piece.records.push(record);
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a share between 0 and 1, of which seven digits are enough"
                )]
                let weight = (least - cost).exp() as f32;
                piece.weights.push(weight.max(f32::MIN_POSITIVE));
            }
        }
        piece
    }
}

/// The error of whoever wants to balance what is no likelihood.
pub fn no_likelihood() -> Error {
    Error::usage("--assign balanced needs likelihoods, which this method does not have")
        .remedy("Use --method likelihood, or --assign one-to-one")
}

/// Refuses lists that are too long in all, by the lengths of some.
fn refuse_too_long(lists: &dyn Lists) -> Result<()> {
    const ASKED: usize = 512;
    let n = lists.n_seekers();
    if n == 0 {
        return Ok(());
    }
    let step = n.div_ceil(ASKED);
    let asked: Vec<usize> = (0..n).step_by(step).collect();
    let lengths: Vec<u64> = asked
        .par_iter()
        .map_init(Vec::new, |list, &seeker| {
            lists.unordered(seeker, list);
            list.len() as u64
        })
        .collect();
    let (all, asked) = (
        lengths
            .iter()
            .map(|&length| u128::from(length))
            .sum::<u128>(),
        asked.len() as u128,
    );
    memory::check(
        &format!(
            "to be balanced, the candidates of {n} records, about {} for each,",
            all / asked
        ),
        all * n as u128 / asked,
        CANDIDATE,
        "Use --assign best, let the intruder know more attributes, or fewer records (--known-records)",
    )
}

impl Lists for Balanced {
    fn n_seekers(&self) -> usize {
        self.nobody.len()
    }

    fn n_sought(&self) -> usize {
        self.n_sought
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let factor = self.factors.seekers[seeker];
        list.extend(self.candidates(seeker).map(|(record, weight)| {
            let probability = factor * weight * self.factors.sought[record as usize];
            (record, -probability.ln())
        }));
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn no_partner(&self, seeker: usize) -> f64 {
        self.factors.seekers[seeker] * self.factors.nobody * self.nobody[seeker]
    }
}
