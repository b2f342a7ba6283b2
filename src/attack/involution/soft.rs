//! The soft form: other sides weigh by how likely they are.

use super::{balancing::Balancing, candidates::Candidates, exchanges::Exchanges, values::Values};
use crate::error::Result;

/// Rounds, unless it settles sooner.
const ROUNDS: usize = 25;

/// It has settled when no logarithm changes by more.
const SETTLED: f64 = 1e-3;

/// From this share of exchanges with another side on, it is sure that values were exchanged: chance comes to a fifth at most.
const SHOWN: f64 = 0.5;

/// Rounds of scaling in each, unless they settle sooner: what is left out of balance would be taken for what other sides say.
const SCALINGS: u32 = 200;

/// Pairs below this probability are dropped on the way, a quarter of all at once or more.
const NEGLIGIBLE: f64 = 1e-8;

/// Weighs each pair by how likely the other sides are that it needs:
///
/// ```text
/// P     = balanced(W)
/// log W = log W₀ + Σ_k ln max(eps, min(1, G_k))             (see [`Exchanges::log_factors`])
/// ```
///
/// Answers whether the files show that values were exchanged; if not, nothing is weighed.
///
/// # Errors
/// Failed, when balancing would take too much memory.
pub(super) fn soften(
    candidates: &mut Candidates,
    n_sought: usize,
    values: &Values,
    eps: f64,
) -> Result<bool> {
    let unweighed = candidates.clone();
    let soft = Soft {
        n_sought,
        values,
        eps,
    };
    let (probabilities, exchanges) = soft.weigh(candidates, None)?;
    let attributes = exchanges.n_attributes();
    if attributes < 2 {
        // One attribute alone says nothing; it does no harm either.
        *candidates = unweighed;
        return Ok(false);
    }
    let shares = (0..attributes).map(|k| exchanges.share_mutual(k, &probabilities));
    if shares.sum::<f64>() / attributes as f64 >= SHOWN {
        return Ok(true);
    }
    let left_out = attributes - 1;
    let mut without = unweighed.clone();
    let before = Balancing::new(n_sought, SCALINGS).posterior(&without)?;
    let by_chance = Exchanges::new(&without, values).share_mutual(left_out, &before);
    let (probabilities, exchanges) = soft.weigh(&mut without, Some(left_out))?;
    let found = exchanges.share_mutual(left_out, &probabilities);
    let shown = found >= 1.5 * by_chance + 0.01;
    if !shown {
        *candidates = unweighed;
    }
    Ok(shown)
}

struct Soft<'a> {
    n_sought: usize,
    values: &'a Values,
    eps: f64,
}

impl Soft<'_> {
    /// All rounds. Answers the last probabilities and exchanges, of the pairs that are left.
    fn weigh(
        &self,
        candidates: &mut Candidates,
        left_out: Option<usize>,
    ) -> Result<(Vec<f64>, Exchanges)> {
        let mut first = candidates.costs.clone();
        let mut before = vec![0.0; first.len()];
        let mut exchanges = Exchanges::new(candidates, self.values);
        let mut balancing = Balancing::new(self.n_sought, SCALINGS);
        let mut round = 0;
        loop {
            let mut probabilities = balancing.posterior(candidates)?;
            let keeps: Vec<bool> = probabilities.iter().map(|&p| p > NEGLIGIBLE).collect();
            if 4 * keeps.iter().filter(|&&keep| keep).count() <= 3 * keeps.len() {
                candidates.retain(&keeps);
                balancing.forget();
                for numbers in [&mut first, &mut before, &mut probabilities] {
                    let mut keeps = keeps.iter();
                    numbers.retain(|_| keeps.next().is_some_and(|&keep| keep));
                }
                exchanges = Exchanges::new(candidates, self.values);
            }
            let factors = exchanges.log_factors(&probabilities, self.eps, left_out);
            let change = (factors.iter().zip(&before))
                .fold(0.0_f64, |most, (new, old)| most.max((new - old).abs()));
            round += 1;
            if change < SETTLED || round > ROUNDS {
                return Ok((probabilities, exchanges));
            }
            for ((cost, first), factor) in candidates.costs.iter_mut().zip(&first).zip(&factors) {
                *cost = first - factor;
            }
            before = factors;
        }
    }
}
