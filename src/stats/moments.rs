//! Mean and standard deviation, the same for every order of the values.

use rayon::prelude::*;

use crate::table::{
    Values,
    matrix::{Matrix, columns::Columns},
};

/// How many numbers, where they lie, their mean and standard deviation (divisor n−1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// How many numbers.
    pub count: usize,
    /// The least; 0 when there is none.
    pub least: f64,
    /// The greatest; 0 when there is none.
    pub greatest: f64,
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
    moments_of_slices(|add| in_slices(values.clone(), add))
}

/// [`moments`] of the numbers of an attribute that are there.
pub fn moments_of(values: Values<'_>) -> Moments {
    moments_of_slices(|add| values.present_in_slices(add))
}

/// The same of columns.
pub fn moments_of_columns(columns: &Columns) -> Vec<Moments> {
    (0..columns.n_attributes())
        .into_par_iter()
        .map(|attribute| moments_of_slices(|add| add(&columns.present(attribute))))
        .collect()
}

/// [`moments`] of numbers that come in slices, the same ones whenever they are asked for.
fn moments_of_slices(slices: impl Fn(&mut dyn FnMut(&[f64]))) -> Moments {
    let mut location = Location::default();
    slices(&mut |slice| location.add_all(slice));
    let mut spread = Spread::around(&location);
    slices(&mut |slice| spread.add_all(slice));
    spread.moments(&location)
}

/// Gives numbers in slices.
fn in_slices(values: impl Iterator<Item = f64>, mut add: impl FnMut(&[f64])) {
    /// Numbers at once.
    const BLOCK: usize = 64;
    let mut block = [0.0; BLOCK];
    let mut filled = 0;
    values.for_each(|value| {
        block[filled] = value;
        filled += 1;
        if filled == BLOCK {
            add(&block);
            filled = 0;
        }
    });
    add(&block[..filled]);
}

/// The mean of [`moments`], in one pass; 0 when there is no number.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let mut location = Location::default();
    values.for_each(|value| location.add(value));
    location.mean()
}

/// Mean and standard deviation of numbers that have weights, summed as those of [`moments`]; weights of 1 give these to the last bit.
/// Numbers of weight 0 do not count.
///
/// ```text
/// mean = Σ w x / Σ w        sd² = Σ w (x − mean)² / Σ w · n / (n − 1)
/// ```
pub fn weighted_moments(values: impl Iterator<Item = (f64, f64)> + Clone) -> Moments {
    let counted = values.filter(|&(_, weight)| weight > 0.0);
    let (mut count, mut lowest, mut highest) = (0_usize, f64::INFINITY, f64::NEG_INFINITY);
    let (mut products, mut weights) = (WideSum::default(), WideSum::default());
    for (value, weight) in counted.clone() {
        count += 1;
        lowest = lowest.min(value);
        highest = highest.max(value);
        products.add(weight * value);
        weights.add(weight);
    }
    let mean = match count {
        0 => 0.0,
        _ if lowest >= highest => lowest,
        _ => (products.value() / weights.value()).clamp(lowest, highest),
    };
    let mut squares = WideSum::default();
    counted.for_each(|(value, weight)| squares.add(weight * ((value - mean) * (value - mean))));
    let (least, greatest) = match count {
        0 => (0.0, 0.0),
        _ => (lowest, highest),
    };
    Moments {
        count,
        least,
        greatest,
        mean,
        sd: match count {
            0 | 1 => 0.0,
            count => (squares.value() / freedom(weights.value(), count)).sqrt(),
        },
    }
}

/// The divisor of weighted squares: Σ w · (n − 1) / n, which is n − 1 where all weights are 1.
pub fn freedom(weights: f64, count: usize) -> f64 {
    weights * (count as f64 - 1.0) / count as f64
}

/// The sum of some numbers in twice the working precision, the same for every order of them.
pub fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let mut sum = WideSum::default();
    in_slices(values, |slice| sum.add_all(slice.iter().copied()));
    sum.value()
}

/// The moments of every attribute of a matrix, over the values that are not missing: [`moments`], read record by record.
///
/// # Complexity
/// Two passes over the matrix in the order of its memory by each thread, which has some of the attributes.
pub fn moments_by_attribute(matrix: &Matrix) -> Vec<Moments> {
    let attributes: Vec<usize> = (0..matrix.n_attributes()).collect();
    let at_once = attributes.len().div_ceil(rayon::current_num_threads());
    let some = attributes.par_chunks(at_once.max(1));
    some.flat_map_iter(|some| of_attributes(matrix, some))
        .collect()
}

fn of_attributes(matrix: &Matrix, attributes: &[usize]) -> Vec<Moments> {
    fn pass<T>(matrix: &Matrix, all: &mut [T], attributes: &[usize], add: impl Fn(&mut T, f64)) {
        for record in 0..matrix.n_records() {
            let row = matrix.record(record);
            for (one, &attribute) in all.iter_mut().zip(attributes) {
                if !row.is_missing(attribute) {
                    add(one, row.values()[attribute]);
                }
            }
        }
    }
    let mut locations = vec![Location::default(); attributes.len()];
    pass(matrix, &mut locations, attributes, Location::add);
    let mut spreads: Vec<Spread> = locations.iter().map(Spread::around).collect();
    pass(matrix, &mut spreads, attributes, Spread::add);
    let each = spreads.iter().zip(&locations);
    each.map(|(spread, location)| spread.moments(location))
        .collect()
}

/// The first pass: how many numbers, where they lie.
#[derive(Clone)]
struct Location {
    count: usize,
    lowest: f64,
    highest: f64,
    sum: WideSum,
}

impl Default for Location {
    fn default() -> Self {
        Self {
            count: 0,
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            sum: WideSum::default(),
        }
    }
}

impl Location {
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.lowest = self.lowest.min(value);
        self.highest = self.highest.max(value);
        self.sum.add(value);
    }

    /// Many at once, of which none waits for another.
    fn add_all(&mut self, values: &[f64]) {
        let (mut least, mut greatest) = ([self.lowest; LANES], [self.highest; LANES]);
        let lanes = values.as_chunks::<LANES>();
        for values in lanes.0 {
            for (lane, &value) in values.iter().enumerate() {
                least[lane] = least[lane].min(value);
                greatest[lane] = greatest[lane].max(value);
            }
        }
        let all = |ends: [f64; LANES]| ends.into_iter().chain(lanes.1.iter().copied());
        self.lowest = all(least).fold(f64::INFINITY, f64::min);
        self.highest = all(greatest).fold(f64::NEG_INFINITY, f64::max);
        self.count += values.len();
        self.sum.add_all(values.iter().copied());
    }

    fn mean(&self) -> f64 {
        match self.count {
            0 => 0.0,
            // The rounding of the mean must not give a constant attribute a spread.
            _ if self.lowest >= self.highest => self.lowest,
            count => (self.sum.value() / count as f64).clamp(self.lowest, self.highest),
        }
    }
}

/// The second pass: how far the numbers lie from their mean.
struct Spread {
    count: usize,
    mean: f64,
    squares: WideSum,
}

impl Spread {
    fn around(location: &Location) -> Self {
        Self {
            count: location.count,
            mean: location.mean(),
            squares: WideSum::default(),
        }
    }

    fn add(&mut self, value: f64) {
        let deviation = value - self.mean;
        self.squares.add(deviation * deviation);
    }

    /// Many at once, of which none waits for another.
    fn add_all(&mut self, values: &[f64]) {
        let mean = self.mean;
        self.squares
            .add_all(values.iter().map(|value| (value - mean) * (value - mean)));
    }

    fn moments(&self, location: &Location) -> Moments {
        let (least, greatest) = match self.count {
            0 => (0.0, 0.0),
            _ => (location.lowest, location.highest),
        };
        Moments {
            count: self.count,
            least,
            greatest,
            mean: self.mean,
            sd: match self.count {
                0 | 1 => 0.0,
                count => (self.squares.value() / (count - 1) as f64).sqrt(),
            },
        }
    }
}

/// Sums that are added up side by side.
const LANES: usize = 8;

/// A sum kept as an unevaluated pair of doubles (Knuth's two-sum), about 106 bits.
#[derive(Clone, Default)]
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

    /// Many at once: each addition waits for the one before, so every eighth number has a sum of its own.
    fn add_all(&mut self, terms: impl ExactSizeIterator<Item = f64>) {
        let (mut high, mut low) = ([0.0; LANES], [0.0; LANES]);
        let mut terms = terms;
        for _ in 0..terms.len() / LANES {
            let eight: [f64; LANES] = std::array::from_fn(|_| terms.next().unwrap_or(0.0));
            for (lane, term) in eight.into_iter().enumerate() {
                let sum = high[lane] + term;
                let rest = sum - high[lane];
                low[lane] += (high[lane] - (sum - rest)) + (term - rest);
                high[lane] = sum;
            }
        }
        for (high, low) in high.into_iter().zip(low) {
            self.add(high);
            self.low += low;
        }
        terms.for_each(|term| self.add(term));
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

    /// By hand: 2 three times and 6 once have mean 3 and squares 3 · 1 + 9 = 12; of the four weights (n − 1)/n = 1/2 divides.
    #[test]
    fn weights_by_hand_and_weights_of_one() {
        let m = weighted_moments([(2.0, 3.0), (6.0, 1.0), (99.0, 0.0)].into_iter());
        assert_eq!((m.count, m.mean, m.sd), (2, 3.0, 6.0_f64.sqrt()));
        let values: Vec<f64> = (1..200).map(|i| 1e7 / f64::from(i)).collect();
        let with_ones = weighted_moments(values.iter().map(|&value| (value, 1.0)));
        assert_eq!(with_ones, moments(values.iter().copied()));
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

    /// 3 · (1/3) and its like: a plain sum of a million thirds is off by more than 1e-6.
    #[test]
    fn shares_sum_up_to_whole_numbers() {
        assert_eq!(sum(std::iter::repeat_n(1.0 / 3.0, 999_999)), 333_333.0);
        assert_eq!(sum(std::iter::empty()).to_bits(), 0);
    }

    #[test]
    fn constants_have_no_spread() {
        let m = moments([0.1; 7].into_iter());
        assert_eq!((m.mean, m.sd), (0.1, 0.0));
        assert_eq!(moments([3.0].into_iter()).sd, 0.0);
        assert_eq!(moments(std::iter::empty()).count, 0);
    }

    #[test]
    fn by_attribute_is_attribute_by_attribute() {
        let mut matrix = Matrix::complete(4, 2, vec![1.0, 8.0, 2.0, 9.0, 4.0, 7.0, 0.5, 1.0]);
        matrix.set_missing(1, 0);
        let expected = [
            moments([1.0, 4.0, 0.5].into_iter()),
            moments([8.0, 9.0, 7.0, 1.0].into_iter()),
        ];
        assert_eq!(moments_by_attribute(&matrix), expected);
    }

    #[test]
    fn tiny_spread_on_a_large_value_is_not_lost() {
        // 1e15 + {0, 1, 2}: sd is 1 exactly; E[x²] − E[x]² would give 0 or noise.
        let m = moments([1e15, 1e15 + 1.0, 1e15 + 2.0].into_iter());
        assert_eq!(m.sd, 1.0);
    }
}
