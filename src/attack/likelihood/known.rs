//! What a seeker knows, made ready to be compared with many records.

use super::{
    law::{Law, OfSeeker},
    ranks::Ranks,
    swaps::Swaps,
};

/// Records whose log-likelihoods are worked out together.
pub(super) const AT_ONCE: usize = 64;

/// The log-likelihoods of some sought records, [`AT_ONCE`] at most, in their order; 0 past the last one.
pub(super) fn logs(known: &[Known<'_>], swaps: &Swaps, records: &[u32]) -> [f64; AT_ONCE] {
    let mut logs = [0.0; AT_ONCE];
    // Attribute by attribute: records do not wait for each other.
    for known in known {
        known.add_logs(swaps, records, &mut logs);
    }
    logs
}

/// A value that the seeker has, or misses where that says something.
pub(super) struct Known<'a> {
    pub attribute: usize,
    ranks: Ranks,
    law: &'a Law,
    /// The law for these ranks; `None` of a gap, which leaves no value possible.
    of_seeker: Option<OfSeeker<'a>>,
    /// The log-likelihood of a record that misses the attribute.
    pub of_gap: f64,
}

impl<'a> Known<'a> {
    /// What a seeker has, and what it is known to miss.
    pub fn all(swaps: &'a Swaps, seeker: usize) -> Vec<Self> {
        let attributes = swaps.of_seeker(seeker).iter().zip(&swaps.laws);
        let attributes = attributes.zip(&swaps.gaps);
        let known = attributes
            .enumerate()
            .filter(|&(_, ((ranks, _), gaps))| gaps.gaps_to_gaps || !ranks.is_missing());
        let known = known.map(|(attribute, ((&ranks, law), gaps))| Self {
            attribute,
            ranks,
            law,
            of_seeker: (!ranks.is_missing()).then(|| law.of(ranks)),
            of_gap: if gaps.values_to_values && !ranks.is_missing() {
                f64::NEG_INFINITY
            } else {
                0.0
            },
        });
        known.collect()
    }

    /// The log-likelihood of a record with these ranks, which are not missing.
    pub fn log_mean(&self, ranks: Ranks) -> f64 {
        match self.of_seeker {
            Some(_) => self.law.log_mean(self.ranks, ranks),
            None => f64::NEG_INFINITY,
        }
    }

    /// No less than the log-likelihood of any record with ranks in this interval.
    pub fn most(&self, interval: Ranks) -> f64 {
        match self.of_seeker {
            Some(_) => self.law.most(self.ranks, interval),
            None => f64::NEG_INFINITY,
        }
    }

    /// Adds the log-likelihoods of sought records.
    fn add_logs(&self, swaps: &Swaps, records: &[u32], logs: &mut [f64]) {
        let (width, attribute) = (swaps.laws.len(), self.attribute);
        let ranks = |record: u32| swaps.sought[record as usize * width + attribute];
        let both = records.iter().zip(logs);
        let of_gap = self.of_gap;
        match &self.of_seeker {
            Some(OfSeeker::Displacement(law)) => {
                add(both, ranks, of_gap, |ranks| law.log_mean(ranks));
            }
            Some(OfSeeker::Buckets(law)) => add(both, ranks, of_gap, |ranks| law.log_mean(ranks)),
            Some(OfSeeker::Other(law, own)) => {
                add(both, ranks, of_gap, |ranks| law.log_mean(*own, ranks));
            }
            None => add(both, ranks, of_gap, |_| f64::NEG_INFINITY),
        }
    }
}

#[inline(always)]
fn add<'a>(
    both: impl Iterator<Item = (&'a u32, &'a mut f64)>,
    ranks: impl Fn(u32) -> Ranks,
    of_gap: f64,
    log_mean: impl Fn(Ranks) -> f64,
) {
    for (&record, log) in both {
        let ranks = ranks(record);
        *log += if ranks.is_missing() {
            of_gap
        } else {
            log_mean(ranks)
        };
    }
}
