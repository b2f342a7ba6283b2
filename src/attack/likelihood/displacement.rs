//! The law of the displacement in rank: how far from its original rank a masked value stands.

use std::cell::Cell;

use rayon::prelude::*;

use super::ranks::Ranks;

/// Adding and taking away this number rounds to multiples of 2⁻³⁶, the last place of numbers of its size: 1.5 · 2¹⁶.
const ROUNDS: f64 = 98_304.0;

/// Where a law without bound has fallen so far (10⁻³⁰⁴), all farther displacements are taken to be as likely.
const FLOOR: f64 = -700.0;

/// Means over ties of up to so many ranks are looked up: most ties are that short, and a mean takes five numbers and a logarithm.
const MAX_TIE: usize = 4;

/// Other means that are kept for a seeker; a power of 2.
const MET: usize = 32;

/// Means that are worked out for that, at most: 32 MB.
const MAX_MEANS: usize = 1 << 22;

/// The law of a displacement between ranks, the same up and down and at every rank.
///
/// ```text
/// P(masked rank = j | original rank = i) = P(|j − i|)
/// ```
///
/// P is in the scale in which a rank drawn at random has 1: n times the probability.
#[derive(Debug, Clone)]
pub(super) struct Displacement {
    /// P of the displacement 0, 1, 2, …
    p: Vec<f64>,
    /// Its logarithm.
    log: Vec<f64>,
    /// ln P of all displacements beyond: −∞, or the floor of a law without bound.
    beyond: f64,
    /// All displacements below this are possible.
    sure: u32,
    /// The greatest ln P of a displacement of at least, and of at most, 0, 1, 2, …
    most_from: Vec<f64>,
    most_to: Vec<f64>,
    /// Σ_{l ≥ k} P(l), and the sum of that over all that are not less than k.
    tail: Vec<f64>,
    tail_of_tails: Vec<f64>,
    /// [`log_mean`](Self::log_mean) of a tie of `a` ranks and one of `b` that begins 0, 1, 2, … ranks later, at
    /// `(a − 1) longest + b − 1`.
    means: Vec<Vec<f64>>,
    /// How long ties of these are at most.
    longest: usize,
}

impl Displacement {
    /// The law with these logarithms of P(0), P(1), …, in this scale.
    pub fn new(log: &[f64], unbounded: bool) -> Self {
        let log: Vec<f64> = log.iter().map(|&log| rounded(log)).collect();
        let mut most_from = log.clone();
        let beyond = if unbounded { FLOOR } else { f64::NEG_INFINITY };
        let mut most = beyond;
        for log in most_from.iter_mut().rev() {
            most = most.max(*log);
            *log = most;
        }
        let mut most_to = log.clone();
        let mut most = f64::NEG_INFINITY;
        for log in &mut most_to {
            most = most.max(*log);
            *log = most;
        }
        let sums_from = |terms: &[f64]| {
            let mut sums = terms.to_vec();
            let mut sum = 0.0;
            for term in sums.iter_mut().rev() {
                sum += *term;
                *term = sum;
            }
            sums
        };
        let p: Vec<f64> = log.iter().map(|log| log.exp()).collect();
        let tail = sums_from(&p);
        let tail_of_tails = sums_from(&tail);
        let sure = log.iter().position(|&log| log == f64::NEG_INFINITY);
        let mut law = Self {
            p,
            beyond,
            sure: u32::try_from(sure.unwrap_or(log.len())).unwrap_or(u32::MAX),
            log,
            most_from,
            most_to,
            tail,
            tail_of_tails,
            means: Vec::new(),
            longest: 1,
        };
        while law.longest < MAX_TIE && (law.longest + 1).pow(2) * law.log.len() <= MAX_MEANS {
            law.longest += 1;
        }
        law.means = (0..law.longest.pow(2))
            .into_par_iter()
            .map(|of| law.means_of([of / law.longest + 1, of % law.longest + 1]))
            .collect();
        law
    }

    /// The means of two ties of so many ranks each.
    fn means_of(&self, lengths: [usize; 2]) -> Vec<f64> {
        if lengths == [1, 1] {
            return self.log.clone();
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "ranks are counted by u32, and lengths are short"
        )]
        let tie = |low: usize, length: usize| Ranks {
            low: low as u32,
            high: (low + length) as u32,
        };
        (0..self.log.len())
            .map(|later| self.log_mean(tie(0, lengths[0]), tie(later, lengths[1])))
            .collect()
    }

    /// The law for one of two ties.
    pub fn of(&self, own: Ranks) -> OfTie<'_> {
        let length = own.high.wrapping_sub(own.low) as usize;
        let looked_up = (1..=self.longest).contains(&length);
        let means = |place: &dyn Fn(usize) -> usize| {
            std::array::from_fn(|other| match other.checked_sub(1) {
                Some(other) if looked_up && other < self.longest => &self.means[place(other)][..],
                _ => &[],
            })
        };
        OfTie {
            law: self,
            own,
            before: means(&|other| (length - 1) * self.longest + other),
            behind: means(&|other| other * self.longest + length - 1),
            met: [const { Cell::new((Ranks::MISSING, 0.0)) }; MET],
        }
    }

    /// Whether some displacements are impossible.
    pub fn is_bounded(&self) -> bool {
        self.beyond == f64::NEG_INFINITY
    }

    /// How many displacements, beginning with 0, have a probability of their own. All others share one, which is 0 where the law is
    /// bounded.
    pub fn n_displacements(&self) -> usize {
        self.log.len()
    }

    /// Whether [`log_mean`](Self::log_mean) is above −∞. Mostly that shows without a look at the tables, which exceed the cache in large
    /// files.
    #[inline]
    pub fn is_possible(&self, one: Ranks, other: Ranks) -> bool {
        let (nearest, _) = one.distances(other);
        nearest < self.sure
            || !self.excludes(one, other) && self.log_mean(one, other) > f64::NEG_INFINITY
    }

    /// Whether every rank of an interval is too far from a tie to be possible. This reads none of the tables.
    #[inline]
    pub fn excludes(&self, one: Ranks, interval: Ranks) -> bool {
        self.is_bounded() && one.distances(interval).0 as usize >= self.log.len()
    }

    /// ln of the mean of P over the pairs of a rank of one tie and a rank of the other.
    pub fn log_mean(&self, one: Ranks, other: Ranks) -> f64 {
        let (one, other) = if one.low <= other.low {
            (one, other)
        } else {
            (other, one)
        };
        if one.is_single() && other.is_single() {
            return self.log(other.low - one.low);
        }
        let (nearest, _) = one.distances(other);
        let pairs = one.count() * other.count();
        // One pair at least is as likely as the nearest, whatever rounding leaves of the rest.
        let least = self.p.get(nearest as usize).copied().unwrap_or(0.0);
        if least > 0.0 {
            return rounded((self.sum(one, other).max(least) / pairs).ln());
        }
        let (nearest, sum) = (self.log(nearest), self.sum(one, other));
        rounded((sum / pairs).ln().max(nearest - pairs.ln()))
    }

    /// The greatest ln P between a rank of a tie and a rank of an interval.
    pub fn most(&self, one: Ranks, interval: Ranks) -> f64 {
        let (nearest, farthest) = one.distances(interval);
        let from = self.most_from.get(nearest as usize);
        let to = self.most_to.get(farthest as usize);
        match (from, to) {
            (Some(from), Some(to)) => from.min(*to),
            (Some(from), None) => *from,
            (None, _) => self.beyond,
        }
    }

    /// ln P of a displacement between two ranks.
    #[inline]
    pub fn log(&self, displacement: u32) -> f64 {
        match self.log.get(displacement as usize) {
            Some(&log) => log,
            None => self.beyond,
        }
    }

    /// Σ P over the pairs of ranks of two ties, of which `one` does not begin later.
    fn sum(&self, one: Ranks, other: Ranks) -> f64 {
        if one.high <= other.low {
            return self.sum_apart(one, other);
        }
        // What both have, and what lies before and behind it.
        let both = Ranks {
            low: other.low,
            high: one.high.min(other.high),
        };
        let before = Ranks {
            low: one.low,
            high: both.low,
        };
        let mut sum = self.sum_within(both.high - both.low) + self.sum_apart(before, other);
        if one.high > both.high {
            let behind = Ranks {
                low: both.high,
                high: one.high,
            };
            sum += self.sum_apart(both, behind);
        } else {
            let behind = Ranks {
                low: both.high,
                high: other.high,
            };
            sum += self.sum_apart(both, behind);
        }
        sum
    }

    /// Σ P over pairs of ranks of which the first is below the second, by sums over quadrants: with
    /// `Q(k) = Σ_{l ≥ k} (l − k + 1) P(l)`, the pairs at least k apart, it is `Q(c−b+1) − Q(c−a+1) − Q(d−b+1) + Q(d−a+1)` for
    /// the ranks a ≤ i < b ≤ c ≤ j < d.
    fn sum_apart(&self, first: Ranks, second: Ranks) -> f64 {
        let (a, b, c, d) = (first.low, first.high, second.low, second.high);
        if a >= b || c >= d {
            return 0.0;
        }
        let quadrant = |k: u32| self.tail_of_tails.get(k as usize).copied().unwrap_or(0.0);
        (quadrant(c + 1 - b) - quadrant(c + 1 - a)) - (quadrant(d + 1 - b) - quadrant(d + 1 - a))
    }

    /// Σ P over the pairs of ranks of one tie of t: `t P(0) + 2 Σ_{0 < l < t} (t − l) P(l)`.
    fn sum_within(&self, t: u32) -> f64 {
        let tail = self.tail.get(1).copied().unwrap_or(0.0);
        let quadrant = |k: usize| self.tail_of_tails.get(k).copied().unwrap_or(0.0);
        let t_ = f64::from(t);
        let off = (t_ * tail - quadrant(1) + quadrant(t as usize + 1)).max(0.0);
        t_ * self.p[0] + 2.0 * off
    }
}

/// The law of a displacement for one of two ties.
#[derive(Debug)]
pub(super) struct OfTie<'a> {
    law: &'a Displacement,
    own: Ranks,
    /// By the length of the other tie: means, if the own one begins no later, and if it does.
    before: [&'a [f64]; MAX_TIE + 1],
    behind: [&'a [f64]; MAX_TIE + 1],
    /// Means that are not looked up, as they were worked out: of few values, most records have one that was met before.
    met: [Cell<(Ranks, f64)>; MET],
}

impl OfTie<'_> {
    /// [`Displacement::log_mean`] of this tie and another, which is not missing.
    #[inline(always)]
    pub fn log_mean(&self, other: Ranks) -> f64 {
        let means = if self.own.low <= other.low {
            &self.before
        } else {
            &self.behind
        };
        let apart = self.own.low.abs_diff(other.low) as usize;
        let of_length = means.get((other.high - other.low) as usize);
        match of_length.and_then(|means| means.get(apart)) {
            Some(&log) => log,
            None => self.not_looked_up(other),
        }
    }

    #[inline]
    fn not_looked_up(&self, other: Ranks) -> f64 {
        let place = other.low.wrapping_mul(0x9E37_79B9) >> (u32::BITS - MET.ilog2());
        let met = &self.met[place as usize];
        let (last, log) = met.get();
        if last == other {
            return log;
        }
        let log = self.law.log_mean(self.own, other);
        met.set((other, log));
        log
    }
}

/// The nearest multiple of 2⁻³⁶, not below the floor; −∞ stays. Sums of such logarithms are exact, so that equal likelihoods
/// are equal numbers.
pub(super) fn rounded(log: f64) -> f64 {
    if log == f64::NEG_INFINITY {
        return log;
    }
    to_grid(log.max(FLOOR))
}

/// The nearest multiple of 2⁻³⁶, of numbers between −2¹⁵ and 2¹⁵; beyond, multiples are a little coarser or finer. Infinity stays.
pub(super) fn to_grid(number: f64) -> f64 {
    (number + ROUNDS) - ROUNDS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean over all pairs of ranks, by plain loops.
    fn slow(law: &Displacement, one: Ranks, other: Ranks) -> f64 {
        let mut sum = 0.0;
        for i in one.low..one.high {
            for j in other.low..other.high {
                sum += law.log(i.abs_diff(j)).exp();
            }
        }
        sum / (one.count() * other.count())
    }

    #[test]
    fn means_over_ties_are_those_of_plain_loops() {
        let log: Vec<f64> = (0..9)
            .map(|k| f64::from(k * k % 7 + 1).ln() - 3.0)
            .collect();
        for unbounded in [false, true] {
            let law = Displacement::new(&log, unbounded);
            let ranges = |width: u32| {
                (0..20).flat_map(move |low| (1..=width).map(move |t| Ranks { low, high: low + t }))
            };
            for one in ranges(5) {
                for other in ranges(14) {
                    let (fast, slow) = (law.log_mean(one, other).exp(), slow(&law, one, other));
                    assert!(
                        (fast - slow).abs() < 1e-9,
                        "{one:?} {other:?} {fast} {slow}"
                    );
                    assert_eq!(fast == 0.0, slow == 0.0, "{one:?} {other:?}");
                    assert_eq!(law.log_mean(other, one), law.log_mean(one, other));
                    assert_eq!(law.of(other).log_mean(one), law.log_mean(one, other));
                    assert!(law.log_mean(one, other) <= law.most(one, other) + 1e-9);
                }
                // More ties than are kept, met again and again.
                let of = law.of(one);
                for other in ranges(14).chain(ranges(14)) {
                    for _ in 0..2 {
                        assert_eq!(of.log_mean(other), law.log_mean(one, other));
                    }
                }
            }
        }
    }
}
