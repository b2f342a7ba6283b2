//! Simulated annealing of the groups of a district.

use super::{
    district::number,
    groups::{Change, Groups},
};

/// Temperatures between hot and cold, and the last one, which is zero.
const STAGES: usize = 200;

/// Of so many proposals one makes or dissolves a group, unless groups are large.
const PROPOSALS_A_REBUILD: usize = 32;

/// How a round of annealing goes.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// Proposals a record.
    pub proposals: usize,
    /// The first temperature, in units of what a record costs.
    pub hot: f64,
    /// The last temperature but zero.
    pub cold: f64,
    /// The share of groups on the lower side where districts are cut apart.
    pub cut: (usize, usize),
}

impl Schedule {
    /// No proposals: only the descent that follows.
    pub const COLD: Self = Self {
        proposals: 0,
        hot: 1.0,
        cold: 1.0,
        cut: (1, 2),
    };

    /// The rounds for a file of n records: one where it is a single district, else a second one, less hot, with other
    /// borders.
    pub fn rounds(n: usize, districts: bool) -> Vec<Self> {
        let proposals = (20_000_000 / n.max(1)).clamp(500, 8000);
        let (hot, cold) = (4.0, 0.02);
        let first = Self {
            proposals,
            hot,
            cold,
            cut: (1, 2),
        };
        if !districts {
            return vec![first];
        }
        let first = Self {
            proposals: proposals * 3 / 5,
            ..first
        };
        let second = Self {
            proposals: proposals * 2 / 5,
            hot: 0.5,
            cut: (1, 3),
            ..first
        };
        vec![first, second]
    }

    /// The factor from one temperature to the next.
    fn cooling(&self) -> f64 {
        let steps = STAGES as f64 - 2.0;
        // ln and exp would differ between platforms in the last bit, and one bit leads to another partition: bisect.
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for _ in 0..60 {
            let middle = low.midpoint(high);
            let reached = self.hot * power(middle, steps);
            if reached < self.cold {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

/// A whole power, by multiplications in a fixed order.
fn power(base: f64, exponent: f64) -> f64 {
    let mut result = 1.0;
    let mut done = 0.0;
    while done < exponent {
        result *= base;
        done += 1.0;
    }
    result
}

/// Proposes changes at random places of the fixed sequence, and accepts what lowers SSE or, while it is warm, raises it
/// a little.
pub fn anneal(groups: &mut Groups<'_>, schedule: &Schedule) {
    if schedule.proposals == 0 {
        return;
    }
    let n = groups.district.n_records();
    let warmth = warmth(groups.district.scales());
    let cooling = schedule.cooling();
    let rebuild = PROPOSALS_A_REBUILD.max(4 * groups.district.k);
    let mut sequence = Sequence(n as u64);
    let mut temperature = schedule.hot;
    for stage in 0..STAGES {
        if stage == STAGES - 1 {
            temperature = 0.0;
        }
        let proposals = schedule.proposals * n / STAGES;
        for proposal in 0..proposals {
            let record = number(sequence.below(n));
            let mut judge = Judge {
                sequence: &mut sequence,
                temperature: temperature * warmth[record as usize],
            };
            if proposal % rebuild == 0 {
                propose_rebuild(groups, record, &mut judge);
            } else {
                propose_exchange(groups, record, &mut judge);
            }
        }
        temperature *= cooling;
    }
}

/// The unit of temperature at each record: between the scale there (to three quarters) and the mean of all scales.
fn warmth(scales: &[f64]) -> Vec<f64> {
    let mean = scales.iter().sum::<f64>() / scales.len().max(1) as f64;
    let root = mean.sqrt().sqrt();
    let local = |scale: &f64| {
        let scale = (scale + 1e-6 * mean).sqrt();
        root * scale * scale.sqrt()
    };
    scales.iter().map(local).collect()
}

/// Either dissolves the record's group or makes a new one around the record.
fn propose_rebuild(groups: &mut Groups<'_>, record: u32, judge: &mut Judge<'_>) {
    if judge.sequence.below(2) == 0 {
        let group = groups.of(record);
        if let Some(gift) = groups.dissolution(group)
            && judge.accepts(gift.change)
        {
            groups.dissolve(group, &gift.pairs);
        }
    } else if let Some(gift) = groups.foundation(record)
        && judge.accepts(gift.change)
    {
        groups.found(&gift.pairs);
    }
}

/// Lets the record go over to the group of a neighbour, or change places with one of its members.
fn propose_exchange(groups: &mut Groups<'_>, record: u32, judge: &mut Judge<'_>) {
    let neighbours = groups.district.neighbours(record);
    let sequence = &mut *judge.sequence;
    // The lesser of two: nearer neighbours are taken more often.
    let nth = sequence
        .below(neighbours.len())
        .min(sequence.below(neighbours.len()));
    let Some(&neighbour) = neighbours.get(nth) else {
        return;
    };
    let (from, to) = (groups.of(record), groups.of(neighbour));
    if from == to {
        return;
    }
    let members = groups.members(to);
    match members.get(sequence.below(members.len() + 1)) {
        Some(&other) if judge.accepts(groups.swap(record, other)) => {
            groups.exchange(record, other);
        }
        None if groups.can_give(from)
            && groups.can_take(to)
            && judge.accepts(groups.relocation(record, to)) =>
        {
            groups.relocate(record, to);
        }
        _ => {}
    }
}

/// Decides about changes at one temperature.
struct Judge<'a> {
    sequence: &'a mut Sequence,
    temperature: f64,
}

impl Judge<'_> {
    /// Accepts what lowers SSE, and a rise d at temperature t with probability (1 + d/16t)^-16: nearly exp(−d/t), in
    /// operations that every platform rounds alike.
    fn accepts(&mut self, change: Change) -> bool {
        if change.lowers() {
            return true;
        }
        if self.temperature <= 0.0 {
            return false;
        }
        let rise = change.difference.max(0.0) / self.temperature;
        let to_the_2 = (1.0 + rise / 16.0) * (1.0 + rise / 16.0);
        let to_the_4 = to_the_2 * to_the_2;
        let to_the_8 = to_the_4 * to_the_4;
        self.sequence.unit() * (to_the_8 * to_the_8) < 1.0
    }
}

/// A fixed sequence of numbers without visible pattern: Weyl's sequence of multiples of the golden ratio, mixed
/// (SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
///
/// It is not drawn: it decides where the search looks, never what anybody could have to guess.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number of `0..end` (0 if that is empty).
    fn below(&mut self, end: usize) -> usize {
        (((self.next() >> 32) * end as u64) >> 32) as usize
    }

    /// A number of `0..1`, of 53 bits.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64 from seed 0: the first outputs that its authors' reference program prints.
    #[test]
    fn the_sequence_is_the_published_one() {
        let mut sequence = Sequence(0);
        assert_eq!(sequence.next(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(sequence.next(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn the_last_temperature_but_zero_is_the_cold_one() {
        for schedule in Schedule::rounds(1_000_000, true) {
            let last = schedule.hot * schedule.cooling().powi(STAGES as i32 - 2);
            assert!((last / schedule.cold - 1.0).abs() < 1e-9, "{last}");
        }
    }
}
