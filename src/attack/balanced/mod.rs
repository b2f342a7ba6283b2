//! The posterior given that links are one to one: likelihoods balanced (Sinkhorn), and sampled (directed loops).

mod candidates;
mod packed;
mod sampled;
mod scaling;
mod walk;

pub use sampled::{Sampled, Sampling};

use super::Lists;
use crate::error::{Error, Result};
use candidates::{Candidates, Surplus};
use scaling::Factors;

/// Seekers are cut into so many pieces, whatever the number of threads, so that sums do not depend on it.
const PIECES: usize = 16;

/// What it means for a record not to be in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlisted {
    /// That it cannot be the partner.
    Impossible,
    /// That it is very unlikely to be.
    Unlikely,
}

/// Likelihoods balanced so that everybody is linked once.
///
/// ```text
/// W_ij = exp(−cost of j for seeker i) over the candidates that are in some perfect matching
/// P_ij = r_i W_ij c_j,   Σ_j P_ij = 1 for each seeker,   Σ_i P_ij = 1 for each sought record
/// ```
///
/// Scaling rows and columns in turns converges to P, and Newton's method does where that is slow. It approximates the probability that j is the partner of i *given that
/// the files hold the same people*, of which the exact value is a ratio of permanents ([`Sampled`] comes as near as one has
/// time for). A list of it costs −ln P_ij.
///
/// # Candidates that nobody can be
/// Where pair (i, j) leaves the others too few candidates, it is in no perfect matching, and its probability is 0. Scaling
/// would find that only slowly (like 1 / rounds), so such pairs are removed before: their lists do not have them. The candidates of
/// the lists are taken for all that are possible, also where a law has no bound and they end at a billionth of the likelihood.
///
/// # When one side has more records
/// As many pairs as possible are made: the records of the shorter side are taken to have a partner each, and the surplus of the
/// longer side to be strangers. Where
/// seekers are fewer, a row stands for the unknown people that the surplus belongs to: it sums to the surplus, and
/// is equally likely to have become any record, so that columns sum to 1 with it and to at most 1 without. Where
/// seekers are more, a column stands for the records that are not there: of weight 1 in the scale of the likelihoods, which
/// is the likelihood of two unrelated records. Records without any candidate are left out of both.
///
/// Where not even the shorter side can have a partner each ([`Figures::contradicted`]), what is assumed cannot be true of all.
/// As many pairs as possible are made still, and both the row and the column are there: for those who stay alone in some such
/// matching (the parts of Dulmage and Mendelsohn).
///
/// # Ties
/// Seekers take their largest entry; records that are alike have equal entries to the last bit.
///
/// # What is left out, and rounded
/// Where records that are not listed are only unlikely ([`Unlisted`]), so are the least likely ones of each list: those that have less than
/// 10⁻⁹ of its likelihood in sum. If the law is right, at most n · 10⁻⁹ true partners can be expected among them; and so the balanced
/// probabilities of these, which expect the same, come to no more than 10⁻⁹ a seeker on average.
///
/// Likelihoods are rounded to 16 bits (`packed.rs`). P minimizes Σ P ln (P / W) given its sums, so if no W is off by more than the share ε,
/// `Σ_ij |P'_ij − P_ij| ≤ ε n` (by Pinsker's inequality): of the probability of a seeker, ε / 2 goes to other candidates on average, at most. ε is 6.2e-5 times
/// the eighth root of the seeker's largest likelihood divided by the pair's: 1.5e-4 for candidates of a thousandth. Roundings mostly cancel: on
/// files of 1,080 records, and of swapped ones and p-distribution of 10,000 and 20,000, the mean of the stated probabilities moved by 8e-6
/// at most, and one link of 20,000 changed, between candidates whose probabilities have four digits in common. Rounds end when no more than 1e-4 of the
/// probability of a seeker would go to other candidates on average.
///
/// # Complexity
/// 3 to 5 bytes a candidate, 3 where lists are long, of all seekers together; a round costs two multiplications a candidate, and there are as
/// many rounds as it takes, about 2,000 at most.
///
/// # Source
/// R. Sinkhorn, "A relationship between arbitrary positive matrices and doubly stochastic matrices", Annals of Mathematical
/// Statistics 35, 1964; P. A. Knight, D. Ruiz, "A fast algorithm for matrix balancing", IMA Journal of Numerical Analysis 33, 2013. Its use here is our own.
#[derive(Debug)]
pub struct Balanced {
    candidates: Candidates,
    surplus: Surplus,
    factors: Factors,
    figures: Figures,
}

/// How a posterior was come by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Candidates of all seekers.
    pub candidates: u64,
    /// Those of them that are in no matching with as many pairs as possible.
    pub removed: u64,
    /// Records of the shorter side that cannot have a partner of their own: the candidates contradict that everybody is there once.
    pub contradicted: u64,
    /// Rounds of scaling.
    pub rounds: u32,
    /// Whether more rounds would change nothing that matters.
    pub settled: bool,
    /// Of a posterior that was sampled.
    pub sampling: Option<Sampling>,
}

impl Balanced {
    /// Balances lists of likelihoods.
    ///
    /// # Errors
    /// Usage, when the costs are no likelihoods; Failed, when the lists are longer than memory should hold.
    pub fn new(lists: &dyn Lists, unlisted: Unlisted) -> Result<Self> {
        Self::in_rounds(lists, unlisted, scaling::ROUNDS)
    }

    /// Balances lists of likelihoods in about so many rounds at most.
    ///
    /// # Errors
    /// As for [`Balanced::new`].
    pub fn in_rounds(lists: &dyn Lists, unlisted: Unlisted, rounds: u32) -> Result<Self> {
        if !lists.is_likelihood() {
            return Err(no_likelihood());
        }
        let mut candidates = Candidates::of(lists, unlisted)?;
        let all = candidates.lists.n_records() as u64;
        let surplus = candidates.prune();
        let mut factors = Factors::of(&candidates, &surplus);
        factors.settle(&candidates, &surplus, rounds);
        let matched = surplus.partners.iter().flatten().count();
        Ok(Self {
            figures: Figures {
                candidates: all,
                removed: all - candidates.lists.n_records() as u64,
                contradicted: (lists.n_seekers().min(lists.n_sought()) - matched) as u64,
                rounds: factors.rounds,
                settled: factors.settled,
                sampling: None,
            },
            candidates,
            surplus,
            factors,
        })
    }

    /// Balances the same candidates by the likelihoods of other lists of the same records, in about so many rounds at most, from where it was: for who
    /// balances them again and again on the way to something else. Which of them are in a matching is not asked once more, so the lists must hold the
    /// candidates of the first ones; others that they hold are none.
    pub fn again(&mut self, lists: &dyn Lists, rounds: u32) {
        self.candidates.reweigh(lists);
        (self.factors).settle(&self.candidates, &self.surplus, rounds);
        self.figures.rounds = self.factors.rounds;
        self.figures.settled = self.factors.settled;
    }

    /// How it was come by.
    pub fn figures(&self) -> Figures {
        self.figures
    }

    /// What the candidates of all seekers take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.candidates.lists.bytes() as u64
    }

    /// The probability that a seeker has no partner.
    fn absent(&self, seeker: usize) -> f64 {
        self.factors.seekers[seeker] * self.factors.nobody() * self.candidates.nobody[seeker]
    }

    /// The probabilities of a seeker's candidates, in their order.
    pub fn probabilities(&self, seeker: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let factor = self.factors.seekers[seeker];
        let list = self.candidates.lists.list(seeker);
        list.map(move |(record, weight)| {
            (
                record,
                factor * weight * self.factors.sought()[record as usize],
            )
        })
    }
}

/// The error of whoever wants to balance what is no likelihood.
pub fn no_likelihood() -> Error {
    Error::usage("--assign balanced needs likelihoods, which this method does not have")
        .remedy("Use --method likelihood, or --assign one-to-one")
}

impl Lists for Balanced {
    fn n_seekers(&self) -> usize {
        self.candidates.n_seekers()
    }

    fn n_sought(&self) -> usize {
        self.candidates.n_sought
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let probabilities = self.probabilities(seeker);
        list.extend(probabilities.map(|(record, probability)| (record, -probability.ln())));
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn no_partner(&self, seeker: usize) -> f64 {
        self.absent(seeker)
    }
}
