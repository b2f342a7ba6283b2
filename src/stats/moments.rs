//! Mean and standard deviation, the same for every order of the values.

/// Mean and standard deviation (divisor n−1) of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// How many numbers.
    pub count: usize,
    /// Mean; 0 when there is none.
    pub mean: f64,
    /// Standard deviation with divisor n−1; 0 when there are fewer than two numbers or all are equal.
    pub sd: f64,
}

/// Mean and standard deviation in two passes, each summed in twice the working precision.
///
/// A masking method that permutes values must not move the mean by rounding, else equal distances would stop
/// being equal. The sums carry their rounding errors along, so that their order does not matter (short of
/// a coincidence at the 106th bit).
///
/// # Units
/// sd with divisor n−1.
pub fn moments(values: impl Iterator<Item = f64> + Clone) -> Moments {
    let mut count = 0_usize;
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut sum = WideSum::default();
    for value in values.clone() {
        count += 1;
        lowest = lowest.min(value);
        highest = highest.max(value);
        sum.add(value);
    }
    if count == 0 {
        return Moments {
            count,
            mean: 0.0,
            sd: 0.0,
        };
    }
    let mean = (sum.value() / count as f64).clamp(lowest, highest);
    // The rounding of the mean must not give a constant attribute a spread.
    if count == 1 || lowest >= highest {
        return Moments {
            count,
            mean: lowest,
            sd: 0.0,
        };
    }
    let mut squares = WideSum::default();
    for value in values {
        let deviation = value - mean;
        squares.add(deviation * deviation);
    }
    Moments {
        count,
        mean,
        sd: (squares.value() / (count - 1) as f64).sqrt(),
    }
}

/// A sum kept as an unevaluated pair of doubles (Knuth's two-sum), about 106 bits.
#[derive(Default)]
struct WideSum {
    high: f64,
    low: f64,
}

impl WideSum {
    fn add(&mut self, term: f64) {
        let sum = self.high + term;
        let rest = sum - self.high;
        self.low += (self.high - (sum - rest)) + (term - rest);
        self.high = sum;
    }

    fn value(&self) -> f64 {
        self.high + self.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 2, 4, 4, 4, 5, 5, 7, 9 has mean 5 and squared deviations that sum to 32.
    #[test]
    fn textbook_example() {
        let m = moments([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter());
        assert_eq!(m.mean, 5.0);
        assert_eq!(m.sd, (32.0_f64 / 7.0).sqrt());
    }

    #[test]
    fn order_does_not_matter_to_the_last_bit() {
        let mut values: Vec<f64> = (0..1000)
            .map(|i| f64::from(i * i % 977) * 1.1 + 1e9 / f64::from(i + 1))
            .collect();
        let forward = moments(values.iter().copied());
        values.reverse();
        assert_eq!(forward, moments(values.iter().copied()));
        values.sort_by(f64::total_cmp);
        assert_eq!(forward, moments(values.iter().copied()));
    }

    #[test]
    fn constants_have_no_spread() {
        let m = moments([0.1; 7].into_iter());
        assert_eq!((m.mean, m.sd), (0.1, 0.0));
        assert_eq!(moments([3.0].into_iter()).sd, 0.0);
        assert_eq!(moments(std::iter::empty()).count, 0);
    }

    #[test]
    fn tiny_spread_on_a_large_value_is_not_lost() {
        // 1e15 + {0, 1, 2}: sd is 1 exactly; E[x²] − E[x]² would give 0 or noise.
        let m = moments([1e15, 1e15 + 1.0, 1e15 + 2.0].into_iter());
        assert_eq!(m.sd, 1.0);
    }
}
