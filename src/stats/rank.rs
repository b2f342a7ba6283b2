//! Ranks, with ties as ranges.

use rayon::prelude::*;

/// The values of an attribute in ascending order, to be asked for ranks.
#[derive(Debug, Clone)]
pub struct Ranking {
    sorted: Vec<f64>,
    /// The last value of each full run of [`RUN`]: few enough to stay near the processor while many ranks are asked for.
    ends: Vec<f64>,
}

/// Values of a run that is searched after its end was found.
const RUN: usize = 256;

impl Ranking {
    /// Sorts the values. `-0.0` counts as `0.0`.
    ///
    /// # Complexity
    /// O(n log n) time, in parallel; n numbers of memory and a 256th of them.
    pub fn new(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.map(|value| value + 0.0).collect();
        sorted.par_sort_unstable_by(f64::total_cmp);
        let ends = sorted.iter().skip(RUN - 1).step_by(RUN).copied();
        Self {
            ends: ends.collect(),
            sorted,
        }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// With how many values one of them ties on average, itself included.
    pub fn mean_tie(&self) -> f64 {
        let ties = self.sorted.chunk_by(|a, b| a.total_cmp(b).is_eq());
        let squares: f64 = ties.map(|tie| (tie.len() * tie.len()) as f64).sum();
        squares / self.sorted.len().max(1) as f64
    }

    /// How many values are less, and how many are not greater: the ties of `value` are what lies between.
    pub fn ranks(&self, value: f64) -> (usize, usize) {
        let start = self.ends.partition_point(|&end| end < value) * RUN;
        let run = &self.sorted[start..self.sorted.len().min(start + RUN)];
        let below = start + run.partition_point(|&other| other < value);
        // Ties are short as a rule: leaps that double find their end faster than halving all the rest.
        let rest = &self.sorted[below..];
        let mut leap = 1;
        while rest.get(leap - 1).is_some_and(|&other| other <= value) {
            leap *= 2;
        }
        let end = leap.min(rest.len());
        let ties = leap / 2 + rest[leap / 2..end].partition_point(|&other| other <= value);
        (below, below + ties)
    }

    /// What [`ranks`](Self::ranks) says of each of many numbered values, in no particular order: where values outnumber what a processor keeps
    /// near, going through both in ascending order is several times as fast as looking for each.
    ///
    /// # Complexity
    /// O(m log m + n) time for m values, in parallel; 24 bytes a value.
    pub fn ranks_of(&self, values: impl Iterator<Item = (u32, f64)>) -> Vec<(u32, (usize, usize))> {
        const AT_ONCE: usize = 1 << 12;
        let numbered = values.map(|(number, value)| (value + 0.0, number));
        let mut numbered: Vec<(f64, u32)> = numbered.collect();
        numbered.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let ranks = numbered.par_chunks(AT_ONCE).flat_map_iter(|ascending| {
            let (mut below, mut through) = self.ranks(ascending[0].0);
            ascending.iter().map(move |&(value, number)| {
                let passed = self.sorted[below..].iter();
                below += passed.take_while(|&&other| other < value).count();
                through = through.max(below);
                let passed = self.sorted[through..].iter();
                through += passed.take_while(|&&other| other <= value).count();
                (number, (below, through))
            })
        });
        ranks.collect()
    }

    /// The values that lie within `window` ranks of `value`, as a closed interval of values: whom a seeker with this
    /// value can meet among the ranked ones.
    ///
    /// # Ties
    /// A value that occurs several times has a range of ranks, `lowest..=highest`; the window reaches from
    /// `lowest − window` to `highest + window`, and every value equal to one inside is inside. A value that does
    /// not occur stands in a gap: the window reaches `window` ranks down and up from the gap.
    ///
    /// Empty (`lo > hi`) when there is nothing within reach: no values, or a window of 0 around an absent value.
    pub fn within(&self, value: f64, window: usize) -> (f64, f64) {
        let (below, through) = self.ranks(value);
        let first = below.saturating_sub(window);
        let end = (through.saturating_add(window)).min(self.sorted.len());
        if first < end {
            (self.sorted[first], self.sorted[end - 1])
        } else {
            (f64::INFINITY, f64::NEG_INFINITY)
        }
    }
}

impl Ranking {
    /// The values that have `value` within their reach, as a closed interval: who, ranked or not, can meet somebody with
    /// this ranked value. It answers [`within`](Self::within) from the other side.
    ///
    /// Where the window reaches beyond the least or greatest ranked value, it is open: a value further out that is not
    /// ranked itself stands in the last gap.
    ///
    /// # Ties
    /// As in [`within`](Self::within). A value in a gap reaches one rank less to the far side than a ranked one, which a
    /// closed interval of values expresses exactly: the far end is a ranked value, and no value in a gap equals it.
    pub fn reaching(&self, value: f64, window: usize) -> (f64, f64) {
        let (below, through) = self.ranks(value);
        if below == through {
            return (f64::INFINITY, f64::NEG_INFINITY);
        }
        let low = below
            .checked_sub(window)
            .map_or(f64::MIN, |first| self.sorted[first]);
        let high = (through - 1)
            .checked_add(window)
            .and_then(|last| self.sorted.get(last))
            .map_or(f64::MAX, |&last| last);
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::Ranking;

    fn ranking(values: &[f64]) -> Ranking {
        Ranking::new(values.iter().copied())
    }

    /// Seed example: values 1..10, window 2; 10 reaches three values, 2 reaches four, 6 and 7 reach five.
    #[test]
    fn the_worked_example_of_the_literature() {
        let r = ranking(&[10., 5., 8., 9., 7., 4., 3., 2., 6., 1.]);
        assert_eq!(r.within(10.0, 2), (8.0, 10.0));
        assert_eq!(r.within(2.0, 2), (1.0, 4.0));
        assert_eq!(r.within(6.0, 2), (4.0, 8.0));
        assert_eq!(r.within(7.0, 2), (5.0, 9.0));
    }

    /// Plain counts, of values that fill several runs, some of them with one value alone.
    #[test]
    fn ranks_are_counts() {
        for n in [0, 1, 255, 256, 257, 511, 512, 513, 2000_u32] {
            for values in [1, 3, 100, 10_000] {
                let values: Vec<f64> = (0..n)
                    .map(|i| f64::from(i.wrapping_mul(2_654_435_761) % values))
                    .collect();
                let ranking = ranking(&values);
                for asked in values
                    .iter()
                    .flat_map(|&value| [value - 0.5, value, value + 0.5])
                {
                    let count = |test: fn(f64, f64) -> bool| {
                        values.iter().filter(|&&value| test(value, asked)).count()
                    };
                    let counts = (count(|a, b| a < b), count(|a, b| a <= b));
                    assert_eq!(ranking.ranks(asked), counts, "{n} {asked}");
                }
            }
        }
    }

    #[test]
    fn a_tie_reaches_from_its_lowest_to_its_highest_rank() {
        // ranks: 1 | 2 2 2 | 5 | 9 ; window 1 around 2 reaches 1..=5
        let r = ranking(&[2., 9., 2., 1., 5., 2.]);
        assert_eq!(r.within(2.0, 1), (1.0, 5.0));
        assert_eq!(r.within(2.0, 0), (2.0, 2.0));
    }

    #[test]
    fn an_absent_value_stands_in_a_gap() {
        let r = ranking(&[1., 3., 7., 9.]);
        assert_eq!(r.within(5.0, 1), (3.0, 7.0));
        let (lo, hi) = r.within(5.0, 0);
        assert!(lo > hi);
        assert_eq!(r.within(0.0, 1), (1.0, 1.0));
        assert_eq!(r.within(10.0, 2), (7.0, 9.0));
    }

    /// A gap of 5 between 3 and 7 reaches 3 and 7 with a window of 1; 3 and 7 must be reached by it, and 1 must not.
    #[test]
    fn reaching_is_within_from_the_other_side() {
        let ranked = [1., 3., 3., 7., 9., 9., 20.];
        let r = ranking(&ranked);
        let values: Vec<f64> = (-2..25).map(f64::from).collect();
        for window in 0..8 {
            for &x in &values {
                let (low, high) = r.within(x, window);
                for &y in &ranked {
                    let (from, to) = r.reaching(y, window);
                    assert_eq!(
                        (low..=high).contains(&y),
                        (from..=to).contains(&x),
                        "{x} {y} {window}"
                    );
                }
            }
        }
    }

    #[test]
    fn nobody_is_within_reach_of_no_values() {
        let (lo, hi) = ranking(&[]).within(1.0, 5);
        assert!(lo > hi);
        assert!(ranking(&[]).is_empty());
    }
}
