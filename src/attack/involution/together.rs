//! Pairs that stand and fall together, and what the other ones say of each.
//!
//! Where a pair is the only one that can be the other side of an exchange, and needs that exchange itself, both are true or both are
//! false. So candidate pairs come in clusters. The exchange between two of them was drawn once, but the likelihood counts it for each.

use rayon::prelude::*;

use super::{
    balancing::{Balancing, Posterior},
    candidates::Candidates,
    exchanges::Mutual,
};
use crate::error::Result;

/// Rounds, unless it settles sooner.
const ROUNDS: i32 = 30;

/// Rounds of scaling in each: weights move little from one to the next.
const SCALINGS: u32 = 8;

/// The longest step of a logarithm in the first round, and by what it shrinks each time: clusters that exclude each other would take
/// turns for ever.
const FIRST_STEP: f64 = 4.0;
const SHRINKS: f64 = 0.88;

/// It has settled when no logarithm changes by more.
const SETTLED: f64 = 0.03;

/// What others say of a pair is worth at most so much, as a logarithm.
const MAX: f64 = 40.0;

/// No probability is taken to be less.
const MIN: f64 = 1e-35;

/// Weighs each pair by the other ones of its cluster:
///
/// ```text
/// odds_e    = W_e / Σ of the others that its seeker may have, as they are weighed and balanced       (by itself)
/// W_e      <- W_e · Π_{f ≠ e in the cluster} odds_f · Π over its exchanges of 1 / P(exchange)
/// ```
///
/// `log_event` is ln P of an exchange, by a seeker and a sought record that show it. Clusters that would link a record twice are all but impossible.
///
/// # Errors
/// Failed, when balancing would take too much memory.
pub(super) fn weigh(
    candidates: &mut Candidates,
    n_sought: usize,
    mutual: &[Mutual],
    log_event: impl Fn(&Mutual, usize, usize) -> f64,
) -> Result<()> {
    let clusters = Clusters::new(candidates, mutual, log_event);
    if clusters.all.is_empty() {
        return Ok(());
    }
    let first = candidates.costs.clone();
    let mut factors = vec![0.0; first.len()];
    let mut balancing = Balancing::new(n_sought, SCALINGS);
    for round in 0..ROUNDS {
        let longest = FIRST_STEP * SHRINKS.powi(round);
        let own = by_themselves(candidates, &balancing.posterior(candidates)?, &factors);
        let mut change = 0.0_f64;
        for cluster in &clusters.all {
            let together =
                cluster.pairs.iter().map(|&pair| own[pair]).sum::<f64>() - cluster.log_events;
            for &pair in &cluster.pairs {
                let said = if cluster.is_possible {
                    (together - own[pair]).clamp(-MAX, MAX)
                } else {
                    -MAX
                };
                let step = (said - factors[pair]).clamp(-longest, longest);
                factors[pair] += step;
                change = change.max(step.abs());
                candidates.costs[pair] = first[pair] - factors[pair];
            }
        }
        if change < SETTLED {
            break;
        }
    }
    Ok(())
}

/// ln of the odds of each pair without what others of its cluster say.
fn by_themselves(candidates: &Candidates, posterior: &Posterior, factors: &[f64]) -> Vec<f64> {
    let of_seeker = |(seeker, nobody): (usize, &f64)| {
        let pairs = candidates.starts[seeker]..candidates.starts[seeker + 1];
        let row = &posterior.of_pairs[pairs.clone()];
        // Sums from both ends: 1 − P would have no digits left.
        let mut after = vec![0.0; row.len() + 1];
        for (place, p) in row.iter().enumerate().rev() {
            after[place] = after[place + 1] + p;
        }
        let mut before = *nobody;
        let own = row
            .iter()
            .zip(after.into_iter().skip(1))
            .zip(&factors[pairs]);
        own.map(move |((p, after), factor)| {
            let others = (before + after).max(MIN);
            before += p;
            p.max(MIN).ln() - others.ln() - factor
        })
    };
    let seekers = posterior.of_nobody.par_iter().enumerate();
    seekers.flat_map_iter(of_seeker).collect()
}

/// Pairs that are all true or all false.
struct Cluster {
    pairs: Vec<usize>,
    /// ln of the probabilities of their exchanges with each other.
    log_events: f64,
    /// Whether no record is in it twice.
    is_possible: bool,
}

/// The clusters of two pairs and more.
struct Clusters {
    all: Vec<Cluster>,
}

impl Clusters {
    fn new(
        candidates: &Candidates,
        mutual: &[Mutual],
        log_event: impl Fn(&Mutual, usize, usize) -> f64,
    ) -> Self {
        let mut roots: Vec<usize> = (0..candidates.len()).collect();
        for link in mutual {
            let [one, other] = link.pairs.map(|pair| root(&mut roots, pair));
            roots[one.max(other)] = one.min(other);
        }
        let mut number = vec![usize::MAX; roots.len()];
        let mut all: Vec<Cluster> = Vec::new();
        for pair in 0..roots.len() {
            let root = root(&mut roots, pair);
            if number[root] == usize::MAX {
                number[root] = all.len();
                all.push(Cluster {
                    pairs: Vec::new(),
                    log_events: 0.0,
                    is_possible: true,
                });
            }
            all[number[root]].pairs.push(pair);
        }
        let seekers: Vec<usize> = candidates.seekers().collect();
        for link in mutual {
            let pair = link.pairs[0];
            let event = log_event(link, seekers[pair], candidates.records[pair] as usize);
            all[number[root(&mut roots, pair)]].log_events += event;
        }
        all.retain(|cluster| cluster.pairs.len() > 1);
        for cluster in &mut all {
            let different = |of: &dyn Fn(usize) -> usize| {
                let mut named: Vec<usize> = cluster.pairs.iter().map(|&pair| of(pair)).collect();
                named.sort_unstable();
                named.windows(2).all(|two| two[0] != two[1])
            };
            cluster.is_possible = different(&|pair| seekers[pair])
                && different(&|pair| candidates.records[pair] as usize);
        }
        Self { all }
    }
}

/// The least pair known to be in the cluster of this one.
fn root(roots: &mut [usize], mut pair: usize) -> usize {
    while roots[pair] != pair {
        roots[pair] = roots[roots[pair]];
        pair = roots[pair];
    }
    pair
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighed(rows: &[&[u32]], n_sought: usize, pairs: [usize; 2]) -> Candidates {
        let mut starts = vec![0];
        for row in rows {
            starts.push(starts[starts.len() - 1] + row.len());
        }
        let records = rows.concat();
        let mut candidates = Candidates {
            costs: vec![0.0; records.len()],
            starts,
            records,
        };
        let mutual = [Mutual {
            attribute: 0,
            pairs,
        }];
        weigh(&mut candidates, n_sought, &mutual, |_, _, _| 0.1_f64.ln()).unwrap();
        candidates
    }

    /// Two ways to link two seekers, both as likely, but one of them is an exchange of probability 1/10 that was counted twice: 1 to 10.
    #[test]
    fn an_exchange_is_counted_once_by_hand() {
        let candidates = weighed(&[&[0, 1], &[0, 1]], 2, [0, 3]);
        let found = Balancing::new(2, 100).posterior(&candidates);
        let found = found.unwrap().of_pairs;
        for (p, expected) in found.iter().zip([10.0, 1.0, 1.0, 10.0]) {
            assert!((p - expected / 11.0).abs() < 0.01, "{found:?}");
        }
    }

    #[test]
    fn nobody_is_linked_twice() {
        let candidates = weighed(&[&[0, 1], &[0, 2]], 3, [0, 2]);
        assert!(candidates.costs[0] > 25.0 && candidates.costs[2] > 25.0);
        assert_eq!([candidates.costs[1], candidates.costs[3]], [0.0, 0.0]);
    }
}
