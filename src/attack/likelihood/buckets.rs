//! The law of p-buckets: from which bucket to which a value moves.
//!
//! The sweep goes through the buckets upwards; uniform inside a bucket is all that is said of places. Of bucket r a share u(r)
//! is unswapped when the sweep comes to it. A head of it stays in r with probability π(r, r), and goes to s > r with π(r, s),
//! proportional to 2^−(s − r + 1) among the buckets that have somebody left. With h(r) heads
//!
//! ```text
//! heads and those whom they take: h(r) (1 + π(r, r)) = u(r) b(r)      (b = size of the bucket)
//! flow from r to s:               h(r) π(r, s), which leaves u(s) b(s) less it
//! ```
//!
//! This takes buckets to hold what they hold on average. In small buckets the last one unswapped finds nobody of its own
//! bucket; the number of own pairs is therefore worked out for each number of unswapped values.

use super::{displacement::rounded, ranks::Ranks};

/// Buckets farther away are not chosen (their share is below 2^−63).
const BAND: usize = 64;

/// Of buckets up to this size, the number of unswapped values is taken to be binomial; of larger ones, its mean.
const SMALL: usize = 64;

/// The law of p-buckets among the values of an attribute.
#[derive(Debug, Clone)]
pub(super) struct Buckets {
    n: u64,
    p: u64,
    /// The bucket of each rank.
    bucket: Vec<u32>,
    /// P(masked rank = j | original rank = i) for i in bucket r and j in bucket r + k, at r · [`BAND`] + k; empty once it is
    /// not needed any more.
    density: Vec<f64>,
    /// ln n P: in the scale in which a rank drawn at random has 1.
    log: Vec<f64>,
    /// The greatest logarithm between buckets at least so far apart.
    most_from: Vec<f64>,
    /// That of staying at the very rank, which happens to one value of a file at most.
    stays: f64,
}

impl Buckets {
    /// p buckets among n values; more buckets than values are taken to be as many.
    ///
    /// # Complexity
    /// O(n + 64 p).
    pub fn new(p: usize, n: usize) -> Self {
        let p = p.min(n);
        let mut law = Self {
            n: n.max(1) as u64,
            p: p.max(1) as u64,
            bucket: Vec::new(),
            density: vec![0.0; p.max(1) * BAND],
            log: Vec::new(),
            most_from: Vec::new(),
            stays: 0.0,
        };
        law.bucket = (0..law.n)
            .map(|rank| u32::try_from(rank * law.p / law.n).unwrap_or(u32::MAX))
            .collect();
        law.flow();
        // What was never reckoned with may happen once in a file.
        let least = 1e-3 / (law.n as f64 * law.n as f64);
        for density in &mut law.density {
            *density = density.max(least);
        }
        law.log = law
            .density
            .iter()
            .map(|p| rounded((p * law.n as f64).ln()))
            .collect();
        law.density = Vec::new();
        law.most_from = (0..BAND)
            .map(|k| {
                let of_distance = law.log.iter().skip(k).step_by(BAND);
                of_distance.fold(f64::NEG_INFINITY, |most, &log| most.max(log))
            })
            .collect();
        for k in (1..BAND).rev() {
            law.most_from[k - 1] = law.most_from[k - 1].max(law.most_from[k]);
        }
        law
    }

    /// Fills the densities.
    fn flow(&mut self) {
        let p = self.n_buckets();
        let sizes: Vec<usize> = (0..p).map(|r| self.start(r + 1) - self.start(r)).collect();
        let mut unswapped: Vec<f64> = sizes.iter().map(|&size| size as f64).collect();
        let mut own = OwnPairs::default();
        for r in 0..p {
            if unswapped[r] <= 0.0 {
                continue;
            }
            let others = r + 1..(r + BAND).min(p);
            // 2^−(s − r + 1), less where s is likely to be empty.
            let chance: Vec<f64> = others
                .clone()
                .map(|s| {
                    let share = unswapped[s] / sizes[s].max(1) as f64;
                    let empty = (1.0 - share).max(0.0).powf(sizes[s] as f64);
                    0.5_f64.powf((s - r + 1) as f64) * (1.0 - empty)
                })
                .collect();
            let elsewhere: f64 = chance.iter().sum();
            let stay = 0.5 / (0.5 + elsewhere);
            let pairs = own.mean(sizes[r], unswapped[r], stay);
            let leave = (unswapped[r] - 2.0 * pairs).max(0.0);
            let size = sizes[r] as f64;
            self.density[r * BAND] = 2.0 * pairs / (size * (size - 1.0).max(1.0));
            if elsewhere <= 0.0 {
                continue;
            }
            for (s, chance) in others.zip(chance) {
                let flow = (leave * chance / elsewhere).min(unswapped[s]);
                unswapped[s] -= flow;
                self.density[r * BAND + s - r] = flow / (size * sizes[s] as f64);
            }
        }
    }

    /// ln of the mean of P over the pairs of a rank of one tie and a rank of the other.
    #[inline]
    pub fn log_mean(&self, one: Ranks, other: Ranks) -> f64 {
        if one.is_single() && other.is_single() {
            if one == other {
                return rounded(self.stays);
            }
            return self.log_between(self.bucket(one.low), self.bucket(other.low));
        }
        self.log_mean_of_ties(one, other)
    }

    /// The law for one of two ties.
    pub fn of(&self, own: Ranks) -> OfTie<'_> {
        let bucket = self.bucket(own.low);
        OfTie {
            law: self,
            own,
            // A value of an attribute that nobody has holds no rank.
            bucket: (own.high.checked_sub(1))
                .is_some_and(|last| self.bucket(last) == bucket)
                .then_some(bucket),
        }
    }

    fn log_mean_of_ties(&self, one: Ranks, other: Ranks) -> f64 {
        let (r, s) = (self.bucket(one.low), self.bucket(other.low));
        if r == self.bucket(one.high - 1) && s == self.bucket(other.high - 1) {
            return self.log_between(r, s);
        }
        let pieces = |ranks: Ranks| {
            let (first, last) = (self.bucket(ranks.low), self.bucket(ranks.high - 1));
            (first..=last).map(move |r| {
                let from = self.start(r).max(ranks.low as usize);
                let to = self.start(r + 1).min(ranks.high as usize);
                (r, to.saturating_sub(from) as f64)
            })
        };
        let mut sum = 0.0;
        for (r, many) in pieces(one) {
            for (s, as_many) in pieces(other) {
                sum += many * as_many * self.log_between(r, s).exp();
            }
        }
        rounded((sum / (one.count() * other.count())).ln())
    }

    /// The greatest ln P between a rank of a tie and a rank of an interval.
    pub fn most(&self, one: Ranks, interval: Ranks) -> f64 {
        let (first, last) = (self.bucket(one.low), self.bucket(one.high - 1));
        let (from, to) = (self.bucket(interval.low), self.bucket(interval.high - 1));
        let apart = from.saturating_sub(last).max(first.saturating_sub(to));
        self.most_from[apart.min(BAND - 1)].max(if apart == 0 {
            rounded(self.stays)
        } else {
            f64::NEG_INFINITY
        })
    }

    fn log_between(&self, r: usize, s: usize) -> f64 {
        let apart = r.abs_diff(s).min(BAND - 1);
        self.log[r.min(s) * BAND + apart]
    }

    fn n_buckets(&self) -> usize {
        usize::try_from(self.p).unwrap_or(usize::MAX)
    }

    fn bucket(&self, rank: u32) -> usize {
        self.bucket[rank as usize] as usize
    }

    /// The first rank of a bucket: ceil(bucket · n / p).
    fn start(&self, bucket: usize) -> usize {
        usize::try_from((bucket as u64 * self.n).div_ceil(self.p)).unwrap_or(usize::MAX)
    }
}

/// The law of p-buckets for one of two ties.
#[derive(Debug)]
pub(super) struct OfTie<'a> {
    law: &'a Buckets,
    own: Ranks,
    /// The bucket that has all of it, if there is one.
    bucket: Option<usize>,
}

impl OfTie<'_> {
    /// [`Buckets::log_mean`] of this tie and another.
    #[inline(always)]
    pub fn log_mean(&self, other: Ranks) -> f64 {
        match self.bucket {
            Some(r) if other != self.own => {
                let s = self.law.bucket(other.low);
                if s == self.law.bucket(other.high - 1) {
                    return self.law.log_between(r, s);
                }
            }
            _ => {}
        }
        self.law.log_mean(self.own, other)
    }
}

/// The mean number of own pairs of a bucket.
#[derive(Debug, Default)]
struct OwnPairs {
    /// The probability to stay that the numbers below are for.
    stay: f64,
    /// Own pairs of 0, 1, 2, … unswapped values.
    of: Vec<f64>,
}

impl OwnPairs {
    /// Of a bucket of this size with so many unswapped values on average.
    ///
    /// Of t unswapped values the first pairs with another with probability `stay`, which leaves t − 2, else leaves t − 1:
    /// e(t) = stay (1 + e(t − 2)) + (1 − stay) e(t − 1), e(0) = e(1) = 0.
    fn mean(&mut self, size: usize, unswapped: f64, stay: f64) -> f64 {
        if self.stay.to_bits() != stay.to_bits() {
            self.stay = stay;
            self.of.clear();
        }
        while self.of.len() <= size + 1 {
            let t = self.of.len();
            self.of.push(match t {
                0 | 1 => 0.0,
                _ => stay * (1.0 + self.of[t - 2]) + (1.0 - stay) * self.of[t - 1],
            });
        }
        let share = (unswapped / size as f64).clamp(0.0, 1.0);
        if size > SMALL {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 0 and the size of the bucket"
            )]
            let whole = (share * size as f64).floor() as usize;
            let part = share * size as f64 - whole as f64;
            return (1.0 - part) * self.of[whole] + part * self.of[whole + 1];
        }
        let mut binomial = vec![0.0; size + 1];
        binomial[0] = 1.0;
        for _ in 0..size {
            for t in (0..size).rev() {
                binomial[t + 1] = binomial[t + 1] * (1.0 - share) + binomial[t] * share;
            }
            binomial[0] *= 1.0 - share;
        }
        binomial.iter().zip(&self.of).map(|(b, e)| b * e).sum()
    }
}
