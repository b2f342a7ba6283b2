//! The laws of rank swapping and of p-distribution: how far a value moves, from how its partner is drawn.
//!
//! Both sweep the ranks upwards. At an unswapped value, the head, the partner is drawn `k` ranks ahead with probability
//! φ(k), and is drawn again where it was swapped already (`skip`: the head stays then). After a while the sweep is in a steady
//! state. Let u(k) be the probability that the value `k` ranks ahead of the sweep is unswapped. Each step of the sweep takes
//! such a value with a probability proportional to φ(k), so
//!
//! ```text
//! u(k − 1) = u(k) (1 − c φ(k)),   u(∞) = 1,   u(0) = Π (1 − c φ(k))
//! P(head takes the value k ahead) = c φ(k) u(k),   in sum 1 − u(0)
//! ```
//!
//! *Drawn again*: every head finds somebody, so half of all values are heads: u(0) = ½, which fixes c. In the limit of long
//! reaches c = ln 2 and u(k) = 2^−F(k), F(k) = Σ_{l > k} φ(l). Of rank swapping with window m, P(k) is proportional to
//! 2^(k/m): P(k) = P(−k) = (1 − 2^(−1/m)) 2^(−(m−k)/m), which is ½ in sum. *Skip*: a head takes whom it draws, so c = u(0): u(0) = 0.567 = e^−0.567, and 2 u(0) − 1 = 13 % stay in place.
//! The partner's displacement is −k, so the law is symmetric.
//!
//! This takes values to be swapped independently of each other. It is right for long reaches; for short ones, where it is
//! not, the steady state is worked out over all states of the window ([`chain`]). At the ends of the file the
//! sweep is not in its steady state. With the law of every rank instead (the same recursion along the file) the attack on
//! Census, p = 10 and 20, finds less than a percentage point more: not enough to give up a law of the displacement alone.

use super::{
    chain::{self, Taken},
    cycle,
    displacement::{Displacement, rounded},
    sum,
};
use crate::statement::{Method, PDistributionParameters, Partner};

/// Rank swapping with a window among n values, of which a share was released.
pub(super) fn rank_swapping(window: usize, partner: Partner, n: usize, share: f64) -> Displacement {
    let window = window.min(n.saturating_sub(1)).max(1);
    if partner == Partner::Cycle {
        return Displacement::new(&logarithms(cycle::displacements(window), n, share), true);
    }
    let mut log = logarithms(in_window(window, partner), n, share);
    if window > chain::LONGEST && share >= 1.0 {
        // ln P grows by the same step from rank to rank. With a step that sums exactly, equal sums of displacements are equal
        // likelihoods: such records tie.
        let step = rounded(log[window] - log[window - 1]);
        for k in 1..window {
            log[k] = rounded(log[window]) - (window - k) as f64 * step;
        }
    }
    Displacement::new(&log, false)
}

/// P(0), P(1), … of rank swapping in pairs.
fn in_window(window: usize, partner: Partner) -> Vec<f64> {
    let taken = match partner {
        Partner::Skip => Taken::Stays,
        Partner::Unswapped | Partner::Cycle => Taken::Redrawn,
    };
    if window <= chain::LONGEST {
        chain::displacements(&vec![1.0; window], taken)
    } else {
        mean_field(&vec![1.0; window], taken)
    }
}

/// Several swaps of the same n values, one after the other, of which a share was released. Each draws anew, by a law that is the same at every
/// rank, so their displacements add up.
///
/// Equal values stand in an order of its own in each swap. So a value is moved inside its tie between two swaps, from anywhere to anywhere:
/// with ties of t values (all taken to be as long as they are on average) by l up or down with probability (t − l) / t². Nothing is impossible.
pub(super) fn swaps(steps: &[Method], tie: usize, n: usize, share: f64) -> Displacement {
    let last = n.saturating_sub(1).max(1);
    let tie = tie.clamp(1, n.max(1));
    let within_tie: Vec<f64> = (0..tie)
        .map(|l| (tie - l) as f64 / (tie as f64 * tie as f64))
        .collect();
    let mut law = Vec::new();
    for step in steps {
        let mut of_step = match step {
            Method::RankSwap(stated) => in_window(stated.window.clamp(1, last), stated.partner),
            Method::PDistribution(stated) => normal(stated, n),
            _ => continue,
        };
        // Somebody may be left without a partner.
        of_step[0] = of_step[0].max(1.0 / n.max(1) as f64);
        law = if law.is_empty() {
            of_step
        } else {
            let again = sum::of_displacements(&law, &within_tie);
            sum::of_displacements(&again, &of_step)
        };
        law.truncate(n.max(1));
    }
    law.resize(n.max(1), 0.0);
    // What was never reckoned with may happen once in a file.
    let least = 1e-3 / (n as f64 * n as f64);
    for p in &mut law {
        *p = p.max(least);
    }
    Displacement::new(&logarithms(law, n, share), true)
}

/// p-distribution among n values, of which a share was released.
pub(super) fn p_distribution(
    stated: &PDistributionParameters,
    n: usize,
    share: f64,
) -> Displacement {
    Displacement::new(&logarithms(normal(stated, n), n, share), true)
}

/// P(0), P(1), … of p-distribution among n values.
fn normal(stated: &PDistributionParameters, n: usize) -> Vec<f64> {
    let weights = rounded_normal(stated.mean, stated.sd, n.saturating_sub(1).max(1));
    let mut law = mean_field(&weights, Taken::Redrawn);
    // What lies beyond the reach of the chain hardly ever happens, and not to two at once.
    let total: f64 = weights.iter().sum();
    let near = &weights[..weights.len().min(chain::LONGEST)];
    if near.iter().sum::<f64>() > (1.0 - 1e-4) * total {
        let exact = chain::displacements(near, Taken::Redrawn);
        law[..exact.len()].copy_from_slice(&exact);
    }
    law
}

/// P(0), P(1), … (of one side) in the steady state of independent values; `weights` are proportional to φ(1), φ(2), …
pub(super) fn mean_field(weights: &[f64], taken: Taken) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let greatest = weights.iter().fold(0.0_f64, |most, &w| most.max(w)) / total;
    let unswapped = |c: f64| -> f64 {
        let logs = weights.iter().map(|w| (-c * w / total).ln_1p());
        logs.sum::<f64>().exp()
    };
    // Both sides are monotone in c: halving finds where they meet.
    let (mut low, mut high) = (0.0, (1.0 / greatest).min(1.0));
    for _ in 0..100 {
        let c = 0.5 * (low + high);
        let wanted = match taken {
            Taken::Redrawn => 0.5,
            Taken::Stays => c,
        };
        if unswapped(c) > wanted {
            low = c;
        } else {
            high = c;
        }
    }
    let c = 0.5 * (low + high);
    let mut law = vec![0.0; weights.len() + 1];
    let mut unswapped = 1.0;
    for (k, weight) in weights.iter().enumerate().rev() {
        let hazard = c * weight / total;
        law[k + 1] = hazard * unswapped;
        unswapped *= 1.0 - hazard;
    }
    law[0] = (2.0 * unswapped - 1.0).max(0.0);
    law
}

/// The weights of 1, 2, … of a normal law that is rounded to whole numbers, as far as they matter and up to `longest`.
fn rounded_normal(mean: f64, sd: f64, longest: usize) -> Vec<f64> {
    /// Beyond so many standard deviations nothing was ever drawn.
    const REACH: f64 = 36.0;
    /// Parts of Simpson's rule in the interval of numbers that are rounded to one.
    const PARTS: u32 = 16;
    let density = |x: f64| (-0.5 * ((x - mean) / sd).powi(2)).exp();
    let mut weights = Vec::new();
    for k in 1..=longest {
        if k as f64 > mean + REACH * sd && k > 1 {
            break;
        }
        let step = 1.0 / f64::from(PARTS);
        let at = |part: u32| density(k as f64 - 0.5 + f64::from(part) * step);
        let inner: f64 = (1..PARTS)
            .map(|part| at(part) * if part % 2 == 1 { 4.0 } else { 2.0 })
            .sum();
        weights.push((at(0) + inner + at(PARTS)) * step / 3.0);
    }
    // A mean far below 1 leaves next to nothing above it: the partner is the next value.
    if weights.iter().sum::<f64>() < f64::MIN_POSITIVE.sqrt() {
        return vec![1.0];
    }
    weights
}

/// ln of P(0), P(1), … among n values of which a share was released, in the scale in which a released rank drawn at random has 1.
fn logarithms(mut law: Vec<f64>, n: usize, share: f64) -> Vec<f64> {
    if share < 1.0 {
        law = thinned(&law, share);
    }
    let n = n.max(1) as f64;
    // Somebody may be left without a partner at the top of the file.
    law[0] = law[0].max(1.0 / n);
    law.iter().map(|p| (p * n * share).ln()).collect()
}

/// The law between released values only: of the k − 1 values between two that are k ranks apart, each was released with
/// probability `share`.
fn thinned(law: &[f64], share: f64) -> Vec<f64> {
    let mut thin = vec![0.0; law.len()];
    thin[0] = law[0];
    let mut k = 1;
    while k < law.len() {
        // Far apart, neighbours scatter alike: as many at once as are few beside their scatter.
        let scatter = ((k - 1) as f64 * share * (1.0 - share)).sqrt();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number, not negative"
        )]
        let block = ((scatter / 16.0) as usize).clamp(1, law.len() - k);
        let p: f64 = law[k..k + block].iter().sum();
        let between = (k + block / 2 - 1) as f64;
        k += block;
        let mean = between * share;
        let spread = (between * share * (1.0 - share)).sqrt();
        // The binomial law by its ratios, from its mode outwards, as far as it matters.
        let (from, to) = (
            (mean - 10.0 * spread - 10.0).max(0.0),
            (mean + 10.0 * spread + 10.0).min(between),
        );
        let mode = ((between + 1.0) * share).floor().clamp(0.0, between);
        let odds = share / (1.0 - share);
        let mut terms = vec![(mode, 1.0)];
        let (mut x, mut term) = (mode, 1.0);
        while x < to {
            term *= (between - x) / (x + 1.0) * odds;
            x += 1.0;
            terms.push((x, term));
        }
        let (mut x, mut term) = (mode, 1.0);
        while x > from {
            term *= x / (between - x + 1.0) / odds;
            x -= 1.0;
            terms.push((x, term));
        }
        let total: f64 = terms.iter().map(|(_, term)| term).sum();
        for (x, term) in terms {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number from 0 to k − 1"
            )]
            let released = x as usize;
            thin[released + 1] += p * term / total;
        }
    }
    thin
}
