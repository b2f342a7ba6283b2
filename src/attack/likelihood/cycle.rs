//! The law of rank swapping without partners (`cycle`): ranks are moved at random and ranked again.
//!
//! ```text
//! y_i = i + u_i,   u_i uniform between −m and m,   masked rank of i = number of others with a smaller y
//! ```
//!
//! Let M(t) be the expected number of y below t. A value at t comes out near rank M(t), with the variance of that number,
//! `V(t) = Σ p_j (1 − p_j)` over the values j that are below t with probability p_j: m/3 in the middle of the file. So who comes
//! out below rank k are those with y below T(k) = M⁻¹(k), blurred by `s = √V/M'` on the axis of y:
//!
//! ```text
//! P(masked rank < k | i) = E Φ((T(k) − y_i)/s) = (Ψ(T(k) − i + m) − Ψ(T(k) − i − m)) / 2m,   Ψ(x) = x Φ(x/s) + s φ(x/s)
//! ```
//!
//! Differences over k are the law of a rank, or of a run of equal values; a mean over a run of i takes the integral of Ψ. In the
//! middle this is a uniform law of the displacement with blurred ends. At the ends of the file, where everybody is pressed into
//! the ranks that there are, it is another (m U² for the least value, U uniform), and that is worth much: windows are long, and with one law
//! for all ranks the attack on Census, p = 30, 13 attributes, finds 47 % in place of 65 %.
//!
//! The number of others is taken to be normal, which is right for long moves: of moves of m ranks about 0.36/m of the probability stands at
//! another rank. Of short ones in a long file ([`is_short`]) the law in the middle is worked out exactly instead ([`displacements`]), and taken
//! for all ranks.

use super::{displacement::rounded, ranks::Ranks};
use crate::stats::copula::{normal_density as density, normal_distribution as cdf};

/// Whether what the ends of a file of n values add is less than what the normal law blurs.
pub(super) fn is_short(window: usize, n: usize) -> bool {
    const LONGEST: usize = 24;
    window <= LONGEST && window * window <= n
}

/// Nothing is less likely, by more than this factor, than a rank drawn at random.
const MIN: f64 = 1e-12;

/// What approximations may add to a logarithm beyond its bound.
const SLACK: f64 = 0.1;

/// P(0), P(1), … (of one side) in the middle of a file: exact, but for the integral over the moves.
///
/// Given a move of u, the displacement is the number of values that came from above to below u, less those that came from below to above:
/// sums of independent events of probability p_j, of which the law is a convolution.
pub(super) fn displacements(window: usize) -> Vec<f64> {
    /// Points of the integral in each unit.
    const POINTS: usize = 64;
    let m = window as f64;
    let mut law = vec![0.0; 2 * window];
    let moves = 2 * window * POINTS;
    for at in 0..moves {
        let u = (at as f64 + 0.5) / POINTS as f64 - m;
        let below = |j: f64| ((u - j + m) / (2.0 * m)).clamp(0.0, 1.0);
        // counts[c]: c − 2m values more came down than went up.
        let mut counts = vec![0.0; 4 * window + 1];
        counts[2 * window] = 1.0;
        for j in 1..2 * window {
            counts = convolved(&counts, below(j as f64), true);
            counts = convolved(&counts, 1.0 - below(-(j as f64)), false);
        }
        for (count, p) in counts.iter().enumerate() {
            if let Some(sum) = law.get_mut(count.abs_diff(2 * window)) {
                *sum += p / moves as f64;
            }
        }
    }
    for p in &mut law[1..] {
        *p /= 2.0;
    }
    law
}

/// The law of a count and of one more event, which adds one or takes one away.
fn convolved(counts: &[f64], p: f64, adds: bool) -> Vec<f64> {
    let at = |place: Option<usize>| place.and_then(|at| counts.get(at)).copied().unwrap_or(0.0);
    let before = |at: usize| {
        if adds {
            at.checked_sub(1)
        } else {
            Some(at + 1)
        }
    };
    (0..counts.len())
        .map(|c| (1.0 - p) * at(Some(c)) + p * at(before(c)))
        .collect()
}

/// The law of moves among the ranks of n released values.
#[derive(Debug, Clone)]
pub(super) struct Cycle {
    /// The longest move, in released ranks.
    reach: f64,
    /// T(k), where the k lowest ranks end, for k = 0 … n.
    borders: Vec<f64>,
    /// s(k).
    blurs: Vec<f64>,
    /// The longest blur.
    longest: f64,
    /// Whether it is the seeker who was masked.
    from_masked: bool,
}

impl Cycle {
    /// The law of `window` among the values of a file, of which n were released, a share of all. `from_masked`: masked records seek.
    pub fn new(window: usize, n: usize, share: f64, from_masked: bool) -> Self {
        let reach = window as f64 * share;
        let (mut borders, mut blurs) = (Vec::with_capacity(n + 1), Vec::with_capacity(n + 1));
        // Of values between two ranks each was released with the same probability: that blurs the ends of the moves, too.
        let thinning = reach * (1.0 - share);
        let whole = Whole { n: n as f64, reach };
        let mut t = -reach;
        for k in 0..=n {
            t = whole.border(k as f64, t);
            let (_, slope, variance) = whole.at(t);
            let blur = variance * share / (slope * slope).max(f64::MIN_POSITIVE) + thinning;
            borders.push(t);
            blurs.push(blur.max(0.0).sqrt());
        }
        // At the very ends both variance and slope are nothing; their ratio is that of the next rank.
        if n > 1 {
            (blurs[0], blurs[n]) = (blurs[1], blurs[n - 1]);
        }
        Self {
            reach,
            longest: blurs.iter().copied().fold(0.0, f64::max),
            borders,
            blurs,
            from_masked,
        }
    }

    /// ln of the mean of n P over the pairs of a rank of one tie and a rank of the other.
    pub fn log_mean(&self, seeker: Ranks, sought: Ranks) -> f64 {
        let (original, masked) = if self.from_masked {
            (sought, seeker)
        } else {
            (seeker, sought)
        };
        let share = self.below(original, masked.high) - self.below(original, masked.low);
        let n = (self.borders.len() - 1) as f64;
        rounded((n * share / masked.count()).max(MIN).ln())
    }

    /// No less than [`log_mean`](Self::log_mean) of any ranks inside an interval.
    pub fn most(&self, seeker: Ranks, interval: Ranks) -> f64 {
        let (original, masked) = if self.from_masked {
            (interval, seeker)
        } else {
            (seeker, interval)
        };
        // Where ranks lie closest on the axis of y, at its ends, they are most likely.
        let density = |rank: u32| {
            let rank = rank as usize;
            (self.borders[rank + 1] - self.borders[rank]) / (2.0 * self.reach)
        };
        let most = density(masked.low).max(density(masked.high - 1));
        let (from, to) = (f64::from(original.low), f64::from(original.high - 1));
        let (low, high) = (
            self.borders[masked.low as usize],
            self.borders[masked.high as usize],
        );
        let beyond = (low - to).max(from - high) - self.reach;
        let within = if beyond > 0.0 {
            cdf(-beyond / self.longest)
        } else {
            1.0
        };
        let n = (self.borders.len() - 1) as f64;
        (n * most * within).max(MIN).ln() + SLACK
    }

    /// The probability of a masked rank below k, on average over the original ranks of a tie.
    fn below(&self, original: Ranks, k: u32) -> f64 {
        let last = self.borders.len() - 1;
        let k = k as usize;
        if k == 0 || k >= last {
            return f64::from(u8::from(k > 0));
        }
        let (t, s) = (self.borders[k], self.blurs[k]);
        let at = |i: f64, reach: f64| t - i + reach;
        if original.is_single() {
            let i = f64::from(original.low);
            let (far, near) = (at(i, self.reach), at(i, -self.reach));
            return (excess(far, s) - excess(near, s)) / (2.0 * self.reach);
        }
        // Ranks low … high − 1 as the interval from half a rank below to half a rank above.
        let (from, to) = (
            f64::from(original.low) - 0.5,
            f64::from(original.high) - 0.5,
        );
        let far = areas(at(from, self.reach), s) - areas(at(to, self.reach), s);
        let near = areas(at(from, -self.reach), s) - areas(at(to, -self.reach), s);
        (far - near) / (2.0 * self.reach * (to - from))
    }
}

/// Ψ(x) = x Φ(x/s) + s φ(x/s), the expected excess of a normal number over 0.
fn excess(x: f64, s: f64) -> f64 {
    let tail = |x: f64| s * density(x / s) - x * cdf(-x / s);
    x.max(0.0) + tail(x.abs())
}

/// ∫ Ψ up to x.
fn areas(x: f64, s: f64) -> f64 {
    let tail = |x: f64| 0.5 * ((x * x + s * s) * cdf(-x / s) - x * s * density(x / s));
    if x > 0.0 {
        0.5 * (x * x + s * s) - tail(x)
    } else {
        tail(-x)
    }
}

/// Everybody together: values 0 … n − 1, each moved by up to `reach`.
struct Whole {
    n: f64,
    reach: f64,
}

impl Whole {
    /// M(t), its slope and V(t), the values being spread evenly from −½ to n − ½.
    fn at(&self, t: f64) -> (f64, f64, f64) {
        let reach = self.reach;
        // Of values with x = (t − j + m)/2m from `from` to `to`, x is the probability of being below t; those above 1 are certain.
        let scale = 2.0 * reach;
        let from = ((t + 0.5 - self.n + reach) / scale).clamp(0.0, 1.0);
        let to = ((t + 0.5 + reach) / scale).clamp(0.0, 1.0);
        let certain = (t - reach + 0.5).clamp(0.0, self.n);
        let integral = |power: i32| (to.powi(power) - from.powi(power)) / f64::from(power);
        let mean = certain + scale * integral(2);
        (mean, integral(1), scale * (integral(2) - integral(3)))
    }

    /// Where M is k, at `from` or above.
    fn border(&self, k: f64, from: f64) -> f64 {
        let (mut low, mut high) = (from.max(-self.reach - 0.5), self.n - 0.5 + self.reach);
        // M is monotone.
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if self.at(middle).0 < k {
                low = middle
            } else {
                high = middle
            }
        }
        0.5 * (low + high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of ranks: the mean over their pairs by plain loops, and never more than the bound of an interval around them.
    #[test]
    fn means_over_ties_and_bounds() {
        for from_masked in [false, true] {
            let law = Cycle::new(30, 120, 1.0, from_masked);
            let run = |low: u32, count: u32| Ranks {
                low,
                high: low + count,
            };
            for (a, b) in [(1, 1), (1, 4), (3, 1), (7, 12), (40, 30)] {
                for low in (0..80).step_by(7) {
                    for other in (0..80).step_by(5) {
                        let (one, two) = (run(low, a), run(other, b));
                        let mut sum = 0.0;
                        for i in one.low..one.high {
                            for k in two.low..two.high {
                                sum += law.log_mean(run(i, 1), run(k, 1)).exp();
                            }
                        }
                        let mean = sum / (one.count() * two.count());
                        let fast = law.log_mean(one, two).exp();
                        assert!(
                            (fast - mean).abs() < 0.01 + 0.01 * mean,
                            "{one:?} {two:?} {from_masked}: {fast} {mean}"
                        );
                        let around = run(other.saturating_sub(3), b + 6);
                        assert!(law.log_mean(one, two) <= law.most(one, around));
                    }
                }
            }
        }
    }

    /// By hand, window 1: two neighbours change places if u_i − u_(i + 1) > 1, which two uniform numbers of length 2 do with
    /// probability 1/8; and no rank can go further.
    #[test]
    fn a_window_of_one_by_hand() {
        let law = displacements(1);
        assert_eq!(law.len(), 2);
        assert!((law[1] - 0.125).abs() < 1e-3, "{law:?}");
        assert!((law[0] - 0.75).abs() < 1e-3);
    }
}
