//! Fuzzy measures (capacities): what each set of attributes is worth, and what that says of the attributes.
//!
//! A set of n attributes is a number with bit k for attribute k, so a set function is 2^n values, that of the empty set first.
//! n is at most [`MAX_ATTRIBUTES`].

/// The most attributes of a set function: 2^n values are kept.
pub const MAX_ATTRIBUTES: usize = 16;

/// A set function μ: a number for each subset of n attributes.
///
/// It is a *fuzzy measure* if μ(∅) = 0 and A ⊆ B implies μ(A) ≤ μ(B). Nothing here requires that; [`SetFunction::is_monotone`] checks it.
///
/// # Source
/// G. Choquet, "Theory of capacities", Annales de l'Institut Fourier 5, 1953; M. Sugeno, 1974.
#[derive(Debug, Clone, PartialEq)]
pub struct SetFunction {
    n_attributes: usize,
    values: Vec<f64>,
}

impl SetFunction {
    /// From its values by set number. `None` unless there are 2^n of them, n ≤ [`MAX_ATTRIBUTES`].
    pub fn new(values: Vec<f64>) -> Option<Self> {
        let n_attributes = values.len().checked_ilog2()? as usize;
        (values.len().is_power_of_two() && n_attributes <= MAX_ATTRIBUTES).then_some(Self {
            n_attributes,
            values,
        })
    }

    /// A 2-additive set function from the masses of attributes and of pairs; all other masses are 0. The pairs k < l are listed row by
    /// row: (0, 1), (0, 2), …, (1, 2), …
    ///
    /// ```text
    /// μ(A) = Σ_{k ∈ A} m_k + Σ_{k < l ∈ A} m_kl
    /// ```
    ///
    /// `None` unless there are n(n−1)/2 pairs.
    ///
    /// # Source
    /// M. Grabisch, "k-order additive discrete fuzzy measures and their representation", Fuzzy Sets and Systems 92, 1997.
    pub fn two_additive(singles: &[f64], pairs: &[f64]) -> Option<Self> {
        let n = singles.len();
        if n > MAX_ATTRIBUTES || pairs.len() != n * n.saturating_sub(1) / 2 {
            return None;
        }
        let mut masses = vec![0.0; 1 << n];
        let mut pairs = pairs.iter();
        for (k, mass) in singles.iter().enumerate() {
            masses[1 << k] = *mass;
            for l in k + 1..n {
                masses[1 << k | 1 << l] = *pairs.next()?;
            }
        }
        Some(Self::new(masses)?.from_mobius())
    }

    /// Number of attributes.
    pub fn n_attributes(&self) -> usize {
        self.n_attributes
    }

    /// Its values by set number.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Its value of a set.
    pub fn of(&self, set: usize) -> f64 {
        self.values[set]
    }

    /// The number of the set of all attributes.
    pub fn all(&self) -> usize {
        self.values.len() - 1
    }

    /// The Möbius transform: what each set adds to what its subsets have already.
    ///
    /// ```text
    /// m(A) = Σ_{B ⊆ A} (−1)^(|A| − |B|) μ(B)
    /// ```
    ///
    /// # Complexity
    /// O(n 2^n).
    #[must_use]
    pub fn mobius(&self) -> Self {
        self.along_each_attribute(|with, without| with - without)
    }

    /// The set function of these masses: the inverse of [`SetFunction::mobius`].
    ///
    /// ```text
    /// μ(A) = Σ_{B ⊆ A} m(B)
    /// ```
    ///
    /// # Complexity
    /// O(n 2^n).
    #[must_use]
    pub fn from_mobius(&self) -> Self {
        self.along_each_attribute(|with, without| with + without)
    }

    /// Replaces the value of each set that has k by what `combine` makes of it and of the set without k, for each k in turn.
    fn along_each_attribute(&self, combine: impl Fn(f64, f64) -> f64) -> Self {
        let mut values = self.values.clone();
        for k in 0..self.n_attributes {
            for set in (0..values.len()).filter(|set| set >> k & 1 == 1) {
                values[set] = combine(values[set], values[set ^ 1 << k]);
            }
        }
        Self {
            n_attributes: self.n_attributes,
            values,
        }
    }

    /// The Shapley value of each attribute: what it adds on average over all orders in which attributes can come together.
    ///
    /// ```text
    /// φ_k = Σ_{S ⊆ V∖{k}}  |S|! (n − |S| − 1)! / n!  · (μ(S ∪ {k}) − μ(S))
    /// ```
    ///
    /// They sum to μ(V) − μ(∅).
    ///
    /// # Complexity
    /// O(n 2^n).
    ///
    /// # Source
    /// L. S. Shapley, "A value for n-person games", 1953.
    pub fn shapley(&self) -> Vec<f64> {
        let n = self.n_attributes;
        let shares = shares(n);
        (0..n)
            .map(|k| {
                self.sets_without(1 << k).fold(0.0, |sum, set| {
                    sum + shares[size(set)] * (self.of(set | 1 << k) - self.of(set))
                })
            })
            .collect()
    }

    /// The interaction index of two attributes: what they add together beyond what each adds alone, on average over the company
    /// they can be in.
    ///
    /// ```text
    /// I_kl = Σ_{S ⊆ V∖{k,l}}  |S|! (n − |S| − 2)! / (n − 1)!  · (μ(S ∪ {k,l}) − μ(S ∪ {k}) − μ(S ∪ {l}) + μ(S))
    /// ```
    ///
    /// Positive: the two are worth more together (both are needed). Negative: either will do. 0 for every pair of an additive measure.
    /// Between −1 and 1 for a fuzzy measure with μ(V) = 1.
    ///
    /// # Complexity
    /// O(2^n).
    ///
    /// # Source
    /// T. Murofushi, S. Soneda, "Techniques for reading fuzzy measures (III): interaction index", 9th Fuzzy System Symposium, 1993.
    ///
    /// # Panics
    /// If k and l are the same or not below n.
    pub fn interaction(&self, k: usize, l: usize) -> f64 {
        assert!(
            k != l && k.max(l) < self.n_attributes,
            "an interaction is of two attributes"
        );
        let shares = shares(self.n_attributes - 1);
        let (k, l) = (1 << k, 1 << l);
        self.sets_without(k | l).fold(0.0, |sum, set| {
            let together =
                (self.of(set | k | l) - self.of(set | k)) - (self.of(set | l) - self.of(set));
            sum + shares[size(set)] * together
        })
    }

    /// Whether no attribute ever takes something away by more than the tolerance: `μ(S ∪ {k}) − μ(S) ≥ −tolerance`.
    pub fn is_monotone(&self, tolerance: f64) -> bool {
        (0..self.n_attributes).all(|k| {
            self.sets_without(1 << k)
                .all(|set| self.of(set | 1 << k) - self.of(set) >= -tolerance)
        })
    }

    /// Whether what an attribute adds never grows with the company, by more than the tolerance:
    ///
    /// ```text
    /// μ(S ∪ {k}) + μ(S ∪ {l}) − μ(S ∪ {k,l}) − μ(S) ≥ −tolerance      for all S without k and l
    /// ```
    ///
    /// That is μ(A) + μ(B) ≥ μ(A ∪ B) + μ(A ∩ B) for all sets. The root of the Choquet integral of squares is then a metric.
    ///
    /// # Complexity
    /// O(n² 2^n).
    pub fn is_submodular(&self, tolerance: f64) -> bool {
        (0..self.n_attributes).all(|l| {
            (0..l).all(|k| {
                let (k, l) = (1 << k, 1 << l);
                self.sets_without(k | l).all(|set| {
                    let less = (self.of(set | k) - self.of(set))
                        - (self.of(set | k | l) - self.of(set | l));
                    less >= -tolerance
                })
            })
        })
    }

    /// The Choquet integral of values c ≥ 0, one an attribute.
    ///
    /// ```text
    /// C_μ(c) = Σ_i (c_(i) − c_(i−1)) μ({(i), …, (n)})        c_(0) = 0 ≤ c_(1) ≤ … ≤ c_(n)
    /// ```
    ///
    /// Equal values may come in any order: their difference is 0.
    ///
    /// # Complexity
    /// O(n log n).
    ///
    /// # Panics
    /// If there is not one value an attribute.
    pub fn choquet(&self, values: &[f64]) -> f64 {
        assert_eq!(values.len(), self.n_attributes, "one value an attribute");
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&k, &l| values[k].total_cmp(&values[l]));
        let (mut set, mut below, mut sum) = (self.all(), 0.0, 0.0);
        for k in order {
            sum += (values[k] - below) * self.of(set);
            below = values[k];
            set ^= 1 << k;
        }
        sum
    }

    /// The Choquet integral again, when `self` is the Möbius transform of the measure: slower, and written down differently.
    ///
    /// ```text
    /// C_μ(c) = Σ_{A ≠ ∅} m(A) min_{k ∈ A} c_k
    /// ```
    ///
    /// # Complexity
    /// O(n 2^n).
    ///
    /// # Panics
    /// If there is not one value an attribute.
    pub fn choquet_of_masses(&self, values: &[f64]) -> f64 {
        assert_eq!(values.len(), self.n_attributes, "one value an attribute");
        (1..self.values.len()).fold(0.0, |sum, set| {
            let least = members(set).fold(f64::INFINITY, |least, k| least.min(values[k]));
            sum + self.of(set) * least
        })
    }

    fn sets_without(&self, excluded: usize) -> impl Iterator<Item = usize> {
        (0..self.values.len()).filter(move |set| set & excluded == 0)
    }
}

/// The attributes of a set, in ascending order.
pub fn members(set: usize) -> impl Iterator<Item = usize> {
    (0..usize::BITS as usize).filter(move |&k| set >> k & 1 == 1)
}

/// How many attributes a set has.
pub fn size(set: usize) -> usize {
    set.count_ones() as usize
}

/// `s! (n − s − 1)! / n!` for s = 0 … n − 1: how likely it is that exactly a given set of s stands before a given other one in a random
/// order of n.
fn shares(n: usize) -> Vec<f64> {
    let mut shares = Vec::with_capacity(n);
    let mut share = 1.0 / n.max(1) as f64;
    for s in 0..n {
        shares.push(share);
        share *= (s + 1) as f64 / (n - s).saturating_sub(1).max(1) as f64;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(values: &[f64]) -> SetFunction {
        SetFunction::new(values.to_vec()).unwrap()
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    /// Measures that are no special case: powers of a weighted share, and their like, made without chance.
    fn examples() -> Vec<SetFunction> {
        let mut examples = vec![function(&[0.0]), function(&[0.0, 1.0])];
        for n in 2..=6_usize {
            for exponent in [0.5, 1.0, 2.5] {
                let weights: Vec<f64> = (0..n).map(|k| 1.0 + (k * k % 5) as f64).collect();
                let total: f64 = weights.iter().sum();
                let of = |set: usize| {
                    let share = members(set).map(|k| weights[k]).sum::<f64>() / total;
                    share.powf(exponent) * if set % 7 == 3 { 1.01 } else { 1.0 }
                };
                examples.push(function(&(0..1 << n).map(of).collect::<Vec<_>>()));
            }
        }
        examples
    }

    /// By hand. n = 2, μ = 0, 0.3, 0.5, 1: masses 0.3, 0.5, 1 − 0.3 − 0.5 = 0.2. Shapley: ½·0.3 + ½·(1 − 0.5) = 0.4 and 0.6. The
    /// interaction is the mass of the pair. Integral of (2, 5): 2·1 + (5 − 2)·0.5 = 3.5; of (5, 2): 2 + 3·0.3 = 2.9.
    #[test]
    fn two_attributes_by_hand() {
        let measure = function(&[0.0, 0.3, 0.5, 1.0]);
        let masses = measure.mobius();
        assert!(close(masses.values(), &[0.0, 0.3, 0.5, 0.2]));
        assert!(close(&measure.shapley(), &[0.4, 0.6]));
        assert!((measure.interaction(0, 1) - 0.2).abs() < 1e-15);
        assert!((measure.choquet(&[2.0, 5.0]) - 3.5).abs() < 1e-15);
        assert!((measure.choquet(&[5.0, 2.0]) - 2.9).abs() < 1e-15);
        assert!((masses.choquet_of_masses(&[5.0, 2.0]) - 2.9).abs() < 1e-15);
        assert!(measure.is_monotone(0.0) && !measure.is_submodular(1e-9));
    }

    /// By hand. Gloves: 0 has a left one, 1 and 2 right ones; a set is worth 1 if it has a pair. Of the six orders 0 completes a pair
    /// in four (when it comes second or third), 1 and 2 in one each. Interaction of 1 and 2: alone 0, in the company of 0
    /// 1 − 1 − 1 + 0 = −1, each weighed ½. Of 0 and 1: alone 1, in the company of 2 1 − 1 − 0 + 0 = 0.
    #[test]
    fn gloves_by_hand() {
        let measure = function(&[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        assert!(close(
            &measure.shapley(),
            &[4.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0]
        ));
        assert!((measure.interaction(1, 2) + 0.5).abs() < 1e-15);
        assert!((measure.interaction(1, 0) - 0.5).abs() < 1e-15);
        assert!((measure.interaction(0, 2) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn mobius_and_back() {
        for measure in examples() {
            assert!(close(
                measure.mobius().from_mobius().values(),
                measure.values()
            ));
        }
    }

    /// The sum of the definition, over all subsets of each set.
    #[test]
    fn mobius_is_the_alternating_sum() {
        for measure in examples() {
            let by_definition: Vec<f64> = (0..measure.values().len())
                .map(|set| {
                    (0..=set)
                        .filter(|subset| subset & set == *subset)
                        .map(|subset| {
                            let odd = (size(set) - size(subset)) % 2 == 1;
                            if odd {
                                -measure.of(subset)
                            } else {
                                measure.of(subset)
                            }
                        })
                        .sum()
                })
                .collect();
            assert!(close(measure.mobius().values(), &by_definition));
        }
    }

    /// Grabisch 1997: φ_k = Σ_{A ∋ k} m(A) / |A| and I_kl = Σ_{A ⊇ {k,l}} m(A) / (|A| − 1).
    #[test]
    fn indices_follow_from_masses() {
        for measure in examples() {
            let (n, masses) = (measure.n_attributes(), measure.mobius());
            let sum = |with: usize, less: usize| -> f64 {
                (1..masses.values().len())
                    .filter(|set| set & with == with)
                    .map(|set| masses.of(set) / (size(set) - less) as f64)
                    .sum()
            };
            let shapley: Vec<f64> = (0..n).map(|k| sum(1 << k, 0)).collect();
            assert!(close(&measure.shapley(), &shapley));
            assert!((shapley.iter().sum::<f64>() - measure.of(measure.all())).abs() < 1e-12);
            for l in 0..n {
                for k in 0..l {
                    assert!((measure.interaction(k, l) - sum(1 << k | 1 << l, 1)).abs() < 1e-12);
                }
            }
        }
    }

    /// An additive measure is its weights: they are the Shapley values, nothing interacts, the integral is the weighted sum.
    #[test]
    fn an_additive_measure_is_a_weighted_mean() {
        let weights = [0.1, 0.4, 0.0, 0.3, 0.2];
        let measure = SetFunction::two_additive(&weights, &[0.0; 10]).unwrap();
        assert!(close(&measure.shapley(), &weights));
        for l in 0..5 {
            for k in 0..l {
                assert!(measure.interaction(k, l).abs() < 1e-15);
            }
        }
        let values = [3.0, 0.5, 7.0, 2.0, 0.0];
        let sum: f64 = weights.iter().zip(values).map(|(w, c)| w * c).sum();
        assert!((measure.choquet(&values) - sum).abs() < 1e-14);
        assert!(measure.is_monotone(1e-12) && measure.is_submodular(1e-12));
    }

    #[test]
    fn both_forms_of_the_integral_agree() {
        for measure in examples() {
            let n = measure.n_attributes();
            let masses = measure.mobius();
            for turn in 0..20 {
                let values: Vec<f64> = (0..n).map(|k| ((k * 37 + turn * 11) % 13) as f64).collect();
                let integral = measure.choquet(&values);
                assert!((integral - masses.choquet_of_masses(&values)).abs() < 1e-10);
                // Between the least and the greatest value, for a monotone measure of total 1.
                if measure.is_monotone(1e-12) && n > 0 {
                    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
                    let most = values.iter().copied().fold(0.0, f64::max);
                    assert!(integral >= least - 1e-12 && integral <= most + 1e-12);
                }
            }
        }
    }

    /// A concave function of an additive measure is submodular, a convex one is not; checked against μ(A) + μ(B) ≥ μ(A∪B) + μ(A∩B).
    #[test]
    fn submodular_is_what_all_pairs_of_sets_say() {
        for measure in examples() {
            let sets = 0..measure.values().len();
            let of_all_pairs = sets.clone().all(|a| {
                sets.clone().all(|b| {
                    measure.of(a) + measure.of(b) - measure.of(a | b) - measure.of(a & b) >= -1e-9
                })
            });
            assert_eq!(measure.is_submodular(1e-9), of_all_pairs);
        }
    }

    #[test]
    fn what_is_no_set_function() {
        for length in [0, 3, 6, 1 << 17] {
            assert_eq!(SetFunction::new(vec![0.0; length]), None);
        }
        assert_eq!(SetFunction::two_additive(&[0.5, 0.5], &[]), None);
    }
}
