//! Pairs that stand and fall together, and what the other ones say of each.
//!
//! Where a pair is the only one that can be the other side of an exchange, and needs that exchange itself, both are true or both are
//! false. So candidate pairs come in clusters. The exchange between two of them was drawn once, but the likelihood counts it for each.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    balancing::{self, Balancing},
    candidates::Candidates,
    exchanges::Mutual,
};
use crate::{
    attack::{Lists, balanced::Balanced},
    error::Result,
};

/// Rounds, unless it settles sooner.
const ROUNDS: i32 = 30;

/// Rounds of scaling in each, from where the one before it ended: weights move little from one to the next.
const SCALINGS: u32 = 4;

/// The longest step of a logarithm in the first round, and by what it shrinks each time: clusters that exclude each other would take
/// turns for ever.
const FIRST_STEP: f64 = 4.0;
const SHRINKS: f64 = 0.88;

/// It has settled when no logarithm changes by more.
const SETTLED: f64 = 0.03;

/// What others say of a pair is worth at most so much, as a logarithm.
const MAX: f64 = 40.0;

/// Pairs whose odds one task works out.
const AT_ONCE: usize = 1 << 12;

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
    let pairs = &clusters.pairs;
    let first: Vec<f64> = pairs.iter().map(|&pair| candidates.costs[pair]).collect();
    let mut factors = vec![0.0; pairs.len()];
    let mut balancing = Balancing::new(n_sought, SCALINGS);
    for round in 0..ROUNDS {
        let longest = FIRST_STEP * SHRINKS.powi(round);
        let mut own = log_odds(candidates, balancing.balanced(candidates)?, pairs);
        for (own, factor) in own.iter_mut().zip(&factors) {
            *own -= factor;
        }
        let mut change = 0.0_f64;
        for cluster in &clusters.all {
            let together =
                cluster.places.iter().map(|&place| own[place]).sum::<f64>() - cluster.log_events;
            for &place in &cluster.places {
                let said = if cluster.is_possible {
                    (together - own[place]).clamp(-MAX, MAX)
                } else {
                    -MAX
                };
                let step = (said - factors[place]).clamp(-longest, longest);
                factors[place] += step;
                change = change.max(step.abs());
                candidates.costs[pairs[place]] = first[place] - factors[place];
            }
        }
        if change < SETTLED {
            break;
        }
    }
    Ok(())
}

/// ln of the odds of some pairs, ascending: of each against all else that its seeker may have.
fn log_odds(candidates: &Candidates, balanced: &Balanced, pairs: &[usize]) -> Vec<f64> {
    let of_some = |mut pairs: &[usize]| {
        let mut odds = Vec::with_capacity(pairs.len());
        let (mut row, mut after) = (Vec::new(), Vec::new());
        while let Some(&pair) = pairs.first() {
            let seeker = candidates.seeker_of(pair);
            let Range { start: first, end } = candidates.row(seeker);
            let own;
            (own, pairs) = pairs.split_at(pairs.partition_point(|&pair| pair < end));
            row.clear();
            row.extend(balancing::of_pairs(candidates, balanced, seeker));
            // Sums from both ends: 1 − P would have no digits left.
            after.clear();
            after.resize(row.len() + 1, 0.0);
            for (place, p) in row.iter().enumerate().rev() {
                after[place] = after[place + 1] + p;
            }
            let (mut before, mut counted) = (balanced.no_partner(seeker), 0);
            for place in own.iter().map(|pair| pair - first) {
                before = row[counted..place].iter().fold(before, |sum, p| sum + p);
                counted = place;
                let others: f64 = before + after[place + 1];
                odds.push(row[place].max(MIN).ln() - others.max(MIN).ln());
            }
        }
        odds
    };
    let some = pairs.par_chunks(AT_ONCE).with_max_len(1);
    some.flat_map_iter(of_some).collect()
}

/// Pairs that are all true or all false.
struct Cluster {
    /// Places of the pairs among those of all clusters.
    places: Vec<usize>,
    /// ln of the probabilities of their exchanges with each other.
    log_events: f64,
    /// Whether no record is in it twice.
    is_possible: bool,
}

/// The clusters of two pairs and more.
struct Clusters {
    /// The pairs that are in one, ascending: few of all.
    pairs: Vec<usize>,
    all: Vec<Cluster>,
}

impl Clusters {
    fn new(
        candidates: &Candidates,
        mutual: &[Mutual],
        log_event: impl Fn(&Mutual, usize, usize) -> f64,
    ) -> Self {
        let mut pairs: Vec<usize> = mutual.iter().flat_map(|link| link.pairs).collect();
        pairs.par_sort_unstable();
        pairs.dedup();
        let place_of = |pair: usize| pairs.partition_point(|&other| other < pair);
        let mut roots: Vec<usize> = (0..pairs.len()).collect();
        for link in mutual {
            let [one, other] = link.pairs.map(|pair| root(&mut roots, place_of(pair)));
            roots[one.max(other)] = one.min(other);
        }
        let mut number = vec![usize::MAX; roots.len()];
        let mut all: Vec<Cluster> = Vec::new();
        for place in 0..roots.len() {
            let root = root(&mut roots, place);
            if number[root] == usize::MAX {
                number[root] = all.len();
                all.push(Cluster {
                    places: Vec::new(),
                    log_events: 0.0,
                    is_possible: true,
                });
            }
            all[number[root]].places.push(place);
        }
        for link in mutual {
            let pair = link.pairs[0];
            let sought = candidates.records[pair] as usize;
            let event = log_event(link, candidates.seeker_of(pair), sought);
            all[number[root(&mut roots, place_of(pair))]].log_events += event;
        }
        for cluster in &mut all {
            let different = |of: &dyn Fn(usize) -> usize| {
                let named = cluster.places.iter().map(|&place| of(pairs[place]));
                let mut named: Vec<usize> = named.collect();
                named.sort_unstable();
                named.windows(2).all(|two| two[0] != two[1])
            };
            cluster.is_possible = different(&|pair| candidates.seeker_of(pair))
                && different(&|pair| candidates.records[pair] as usize);
        }
        Self { pairs, all }
    }
}

/// The least place known to be in the cluster of this one.
fn root(roots: &mut [usize], mut place: usize) -> usize {
    while roots[place] != place {
        roots[place] = roots[roots[place]];
        place = roots[place];
    }
    place
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
            others: Vec::new(),
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
        let found = Balancing::new(2, 100).posterior(&candidates).unwrap();
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
