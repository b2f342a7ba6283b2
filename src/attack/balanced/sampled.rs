//! The posterior by drawing permutations.

use std::sync::atomic::{AtomicU16, Ordering};

use rand::Rng;
use rayon::prelude::*;

use super::{
    Balanced, Figures, Unlisted,
    walk::{Odds, Walk},
};
use crate::{attack::Lists, error::Result, memory};

/// Chains, whatever the number of threads: half of them choose the links, the others say how likely these are.
const CHAINS: usize = 8;

/// Permutations that a chain draws.
const SAMPLES: usize = 256;

/// Draws between two permutations, for each record whose owner is not settled.
const SWEEPS: f64 = 10.0;

/// Permutations that a chain lets pass first.
const PASSED: usize = 16;

/// What the balanced posterior counts for, in permutations.
const PRIOR: f64 = 4.0;

/// Bytes that sampling takes for each candidate, beside those of balancing.
const COUNTED: usize = 12;

/// The posterior given that links are one to one, from permutations drawn with their probability.
///
/// ```text
/// P(permutation) ∝ Π_i W_{i, permutation(i)}         P_ij = share of the permutations in which j is the partner of i
/// ```
///
/// # Law
/// A permutation is moved by a *directed loop*: one record, the hole, is taken from its owner; whoever is without a record draws one
/// with the probabilities of its row of W; if it is the hole, the loop is closed, else its owner is without one next. Each draw is as likely
/// as the one that would undo it, in the product of W over all who have a record and of the row's sum of who has none; so no
/// loop is ever refused, and closed permutations come with their probability in the limit. Rows of the balanced matrix serve for W
/// ([`Balanced`]): that multiplies all permutations by one number. They are rounded to 2⁻³².
///
/// Where one side has more records, strangers and places of nobody make the matrix square, with the weights that balancing gives them.
///
/// # What is linked, and what is stated
/// The candidate with the largest share of the permutations that the first half of the chains drew is linked; the second half says how
/// likely that is. So a share that is large by chance is not stated. To either count the balanced posterior is added as if it were 4
/// permutations, which settles ties of counts and matters nowhere else. A list costs −ln of the first half's shares.
///
/// # Randomness
/// Eight chains with a generator each; what they count is added up in whole numbers, so any number of threads gives the same. Chains start
/// from a matching, and let 16 permutations pass. Between two that are counted lie as many loops as make 10 draws for each
/// unsettled record, by the mean length of the loops that were let pass. Of 1,024 permutations a share has a standard error of .016 at most,
/// more where they depend on each other ([`Sampling::effective`]).
///
/// # Ties
/// Records that are alike have equal probabilities, of which the counts are off by chance: one of them is linked.
///
/// # Complexity
/// 12 bytes a candidate more than balancing, and some 20,000 draws a record, each by a search in a seeker's list.
///
/// # Source
/// Worm and directed-loop updates: N. Prokof'ev, B. Svistunov, "Worm algorithms for classical statistical models", Physical
/// Review Letters 87, 2001; O. Syljuåsen, A. Sandvik, "Quantum Monte Carlo with directed loops", Physical Review E 66, 2002. Their use
/// for permutations of records is our own.
#[derive(Debug)]
pub struct Sampled {
    balanced: Balanced,
    /// How often each candidate was drawn by the chains that choose, and by those that state.
    counts: [Vec<AtomicU16>; 2],
    figures: Figures,
}

/// How a posterior was sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Permutations that were counted, of all chains.
    pub permutations: u64,
    /// How many independent ones would be as sure: by how much more the chains differ from each other in the share of the
    /// permutations in which seekers have their likeliest record.
    pub effective: f64,
    /// Mean number of draws of a loop.
    pub draws_of_loop: f64,
    /// Share of the loops that were too long, and taken back.
    pub taken_back: f64,
}

/// What a chain counted.
struct Tally {
    /// How often each seeker had its likeliest record.
    likeliest: Vec<u16>,
    loops: u64,
    draws: u64,
    taken_back: u64,
}

impl Sampled {
    /// Draws permutations. `draws` gives the generator of a chain, by its number.
    ///
    /// # Errors
    /// Those of [`Balanced::new`].
    pub fn new<R: Rng>(
        lists: &dyn Lists,
        unlisted: Unlisted,
        draws: impl Fn(u64) -> R + Sync,
    ) -> Result<Self> {
        let balanced = Balanced::new(lists, unlisted)?;
        let candidates = balanced.candidates.lists.n_records();
        memory::check(
            &format!("to sample the posterior, {candidates} candidates"),
            candidates as u128,
            COUNTED,
            "Use --posterior scaled, or let the intruder know more attributes",
        )?;
        let odds = Odds::of(&balanced);
        let zeros = || (0..candidates).map(|_| AtomicU16::new(0)).collect();
        let counts: [Vec<AtomicU16>; 2] = [zeros(), zeros()];
        let tallies: Vec<Tally> = (0..CHAINS)
            .into_par_iter()
            .map(|chain| {
                let walk = Walk::new(&balanced, &odds, draws(chain as u64));
                run(&balanced, walk, odds.restless(), &counts[chain % 2])
            })
            .collect();
        let [loops, drawn, taken_back] = tallies.iter().fold([0, 0, 0], |sum, tally| {
            [
                sum[0] + tally.loops,
                sum[1] + tally.draws,
                sum[2] + tally.taken_back,
            ]
        });
        let sampling = Sampling {
            permutations: (CHAINS * SAMPLES) as u64,
            effective: effective(&tallies),
            draws_of_loop: drawn as f64 / loops.max(1) as f64,
            taken_back: taken_back as f64 / loops.max(1) as f64,
        };
        Ok(Self {
            figures: Figures {
                sampling: Some(sampling),
                ..balanced.figures
            },
            balanced,
            counts,
        })
    }

    /// How it was come by.
    pub fn figures(&self) -> Figures {
        self.figures
    }

    /// The probability of each candidate of a seeker, in the order of its list, by the chains that state (1) or choose (0).
    fn shares(&self, seeker: usize, half: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let counts = &self.counts[half][self.balanced.candidates.lists.range(seeker)];
        let all = (CHAINS / 2 * SAMPLES) as f64 + PRIOR;
        let balanced = self.balanced.probabilities(seeker).zip(counts);
        balanced.map(move |((record, probability), count)| {
            let count = f64::from(count.load(Ordering::Relaxed));
            (record, (count + PRIOR * probability) / all)
        })
    }
}

/// Lets a chain draw its permutations.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of loops"
)]
fn run<R: Rng>(
    balanced: &Balanced,
    mut walk: Walk<'_, R>,
    restless: usize,
    counts: &[AtomicU16],
) -> Tally {
    let candidates = &balanced.candidates;
    let n = candidates.n_seekers();
    let likeliest: Vec<usize> = (0..n)
        .map(|seeker| {
            let list = balanced.probabilities(seeker).enumerate();
            let best = list.fold((0, 0.0), |best, (place, (_, probability))| {
                if probability > best.1 {
                    (place, probability)
                } else {
                    best
                }
            });
            best.0
        })
        .collect();
    let mut tally = Tally {
        likeliest: vec![0; n],
        loops: 0,
        draws: 0,
        taken_back: 0,
    };
    let wanted = SWEEPS * restless as f64;
    if restless > 0 {
        while (tally.draws as f64) < wanted * PASSED as f64 {
            tally.draws += walk.turn();
            tally.loops += 1;
        }
    }
    let length = tally.draws as f64 / tally.loops.max(1) as f64;
    let loops = (wanted / length.max(1.0)).ceil() as u64;
    for _ in 0..SAMPLES {
        for _ in 0..loops {
            tally.draws += walk.turn();
        }
        tally.loops += loops;
        for (seeker, place) in walk.places().enumerate() {
            let Some(place) = place else { continue };
            counts[candidates.lists.range(seeker).start + place].fetch_add(1, Ordering::Relaxed);
            tally.likeliest[seeker] += u16::from(place == likeliest[seeker]);
        }
    }
    tally.taken_back = walk.taken_back;
    tally
}

/// The variance that counts of independent permutations would have, against the one that the chains' counts have.
fn effective(tallies: &[Tally]) -> f64 {
    let chains = tallies.len() as f64;
    let n = tallies.first().map_or(0, |tally| tally.likeliest.len());
    let (mut independent, mut found) = (0.0, 0.0);
    for seeker in 0..n {
        let shares = tallies
            .iter()
            .map(|tally| f64::from(tally.likeliest[seeker]) / SAMPLES as f64);
        let mean = shares.clone().sum::<f64>() / chains;
        let off = shares.map(|share| (share - mean).powi(2)).sum::<f64>();
        let of_mean = off / (chains - 1.0) / chains;
        independent += mean * (1.0 - mean) + of_mean;
        found += of_mean;
    }
    let all = (CHAINS * SAMPLES) as f64;
    if found > 0.0 {
        (independent / found).min(all)
    } else {
        all
    }
}

impl Lists for Sampled {
    fn n_seekers(&self) -> usize {
        self.balanced.n_seekers()
    }

    fn n_sought(&self) -> usize {
        self.balanced.n_sought()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let shares = self.shares(seeker, 0);
        list.extend(shares.map(|(record, share)| (record, -share.ln())));
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn no_partner(&self, seeker: usize) -> f64 {
        let all = self.shares(seeker, 0).map(|(_, share)| share).sum::<f64>();
        (1.0 - all).max(0.0)
    }

    fn stated(&self, seeker: usize, _list: &[(u32, f64)]) -> f64 {
        let chosen = self.shares(seeker, 0).zip(self.shares(seeker, 1));
        let best = chosen.fold((0.0, 0.0), |best, ((_, chosen), (_, stated))| {
            if chosen > best.0 {
                (chosen, stated)
            } else {
                best
            }
        });
        best.1
    }
}
