//! How far two distributions are apart, and how far apart chance alone would put two samples of one.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::profile::CategoryProfile;

/// How the difference of two distributions is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Distance {
    /// `∫ |f − g|`, twice the total variation: 0 to 2.
    L1,
    /// `√(½ ∫ (√f − √g)²)`: 0 to 1.
    Hellinger,
}

impl Distance {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::Hellinger => "hellinger",
        }
    }

    /// What two distributions without anything in common have.
    pub fn greatest(self) -> f64 {
        match self {
            Self::L1 => 2.0,
            Self::Hellinger => 1.0,
        }
    }

    /// The distance whose terms sum to this.
    fn of_sum(self, sum: f64) -> f64 {
        let distance = match self {
            Self::L1 => sum,
            Self::Hellinger => (0.5 * sum).sqrt(),
        };
        // Densities on a grid sum to 1 up to rounding.
        distance.min(self.greatest())
    }

    fn term(self, f: f64, g: f64) -> f64 {
        match self {
            Self::L1 => (f - g).abs(),
            Self::Hellinger => (f.sqrt() - g.sqrt()).powi(2),
        }
    }
}

/// By what two attributes were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ComparedBy {
    /// Densities of numbers.
    Density,
    /// Shares of the categories of one name.
    Categories,
    /// Shares of categories, the largest with the largest, because they have other names.
    Shares,
}

impl ComparedBy {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Density => "density",
            Self::Categories => "categories",
            Self::Shares => "shares",
        }
    }
}

/// A distance, and what chance would make of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    pub distance: f64,
    /// What is to be expected of two samples of these sizes from one distribution.
    pub chance: f64,
    pub by: ComparedBy,
}

/// Two densities of numbers, each with the share of records that miss the value as one point more.
///
/// Chance: a kernel density of n values has the variance `f · R / (n h)` with `R = 1/(2√π)`, so that for two of them
/// `E|f − g| ≈ √(2/π · f · R/h · (1/n + 1/m))` and `E(√f − √g)² ≈ R/(4h) · (1/n + 1/m)`, the latter no more than the former.
pub(super) fn densities(
    (f, g): (&[f64], &[f64]),
    missing: (f64, f64),
    step: f64,
    bandwidth: f64,
    sizes: (usize, usize),
    distance: Distance,
) -> Difference {
    let per_record = 1.0 / sizes.0.max(1) as f64 + 1.0 / sizes.1.max(1) as f64;
    let roughness = 0.5 / std::f64::consts::PI.sqrt() / bandwidth * per_record;
    let mut sum = 0.0;
    let mut chance = 0.0;
    for (&f, &g) in f.iter().zip(g) {
        sum += distance.term(f, g);
        let l1 = (std::f64::consts::FRAC_2_PI * 0.5 * (f + g) * roughness).sqrt();
        chance += match distance {
            Distance::L1 => l1,
            Distance::Hellinger => l1.min(0.25 * roughness),
        };
    }
    let (gap, chance_of_gap) = point(missing, per_record, distance);
    Difference {
        distance: distance.of_sum(sum * step + gap),
        chance: distance.of_sum(chance * step + chance_of_gap),
        by: ComparedBy::Density,
    }
}

/// The term of one category (or of the missing ones), and what chance makes of it: binomial, `p(1 − p)/n`.
fn point((p, q): (f64, f64), per_record: f64, distance: Distance) -> (f64, f64) {
    let mean = 0.5 * (p + q);
    let variance = mean * (1.0 - mean) * per_record;
    let l1 = (std::f64::consts::FRAC_2_PI * variance).sqrt();
    let chance = match distance {
        Distance::L1 => l1,
        Distance::Hellinger => l1.min(0.25 * (1.0 - mean) * per_record),
    };
    (distance.term(p, q), chance)
}

/// The share of records whose category the other file has too, the lesser of both sides.
pub(super) fn common_terms(a: &CategoryProfile, b: &CategoryProfile) -> f64 {
    let known = |one: &CategoryProfile, other: &CategoryProfile| {
        let all: f64 = one.shares.values().sum();
        let shared = one
            .shares
            .iter()
            .filter(|(name, _)| other.shares.contains_key(*name));
        shared.map(|(_, share)| share).sum::<f64>() / all
    };
    known(a, b).min(known(b, a))
}

/// From this share of common terms on, categories of one name are taken for one category.
pub(super) const HALF: f64 = 0.5;

/// Two attributes of names. If at least half of the records of each file hold a name that the other has too, categories of
/// one name are compared; else the largest with the largest, which is the least distance that any translation of the
/// names could have.
pub(super) fn categories(
    (a, b): (&CategoryProfile, &CategoryProfile),
    missing: (f64, f64),
    sizes: (usize, usize),
    distance: Distance,
) -> Difference {
    let by_name = common_terms(a, b) >= HALF;
    let mut pairs = if by_name {
        let names: BTreeSet<&String> = a.shares.keys().chain(b.shares.keys()).collect();
        let share = |profile: &CategoryProfile, name: &String| {
            profile.shares.get(name).copied().unwrap_or(0.0)
        };
        names
            .into_iter()
            .map(|name| (share(a, name), share(b, name)))
            .collect()
    } else {
        largest_first(a, b)
    };
    pairs.push(missing);
    let per_record = 1.0 / sizes.0.max(1) as f64 + 1.0 / sizes.1.max(1) as f64;
    let (mut sum, mut chance) = (0.0, 0.0);
    for pair in pairs {
        let (term, by_chance) = point(pair, per_record, distance);
        sum += term;
        chance += by_chance;
    }
    Difference {
        distance: distance.of_sum(sum),
        chance: distance.of_sum(chance),
        by: if by_name {
            ComparedBy::Categories
        } else {
            ComparedBy::Shares
        },
    }
}

fn largest_first(a: &CategoryProfile, b: &CategoryProfile) -> Vec<(f64, f64)> {
    let sorted = |profile: &CategoryProfile| {
        let mut shares: Vec<f64> = profile.shares.values().copied().collect();
        shares.sort_unstable_by(|x, y| y.total_cmp(x));
        shares
    };
    let (a, b) = (sorted(a), sorted(b));
    let at = |shares: &[f64], place: usize| shares.get(place).copied().unwrap_or(0.0);
    (0..a.len().max(b.len()))
        .map(|place| (at(&a, place), at(&b, place)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(shares: &[(&str, f64)]) -> CategoryProfile {
        CategoryProfile {
            shares: shares
                .iter()
                .map(|&(name, share)| (name.to_owned(), share))
                .collect(),
        }
    }

    /// By hand. Same names: |0.5−0.25| + |0.5−0.5| + |0−0.25| = 0.5. Other names: sorted (0.5, 0.5) against
    /// (0.5, 0.25, 0.25): 0 + 0.25 + 0.25 = 0.5 again; and ½·Σ(√p−√q)² = ½·((√.5−.5)² + .25).
    #[test]
    fn categories_by_hand() {
        let a = profile(&[("m", 0.5), ("f", 0.5)]);
        let b = profile(&[("m", 0.25), ("f", 0.5), ("x", 0.25)]);
        let same = categories((&a, &b), (0.0, 0.0), (10, 10), Distance::L1);
        assert_eq!((same.distance, same.by), (0.5, ComparedBy::Categories));
        let c = profile(&[("1", 0.25), ("2", 0.5), ("3", 0.25)]);
        let other = categories((&a, &c), (0.0, 0.0), (10, 10), Distance::L1);
        assert_eq!((other.distance, other.by), (0.5, ComparedBy::Shares));
        let hellinger = categories((&a, &c), (0.0, 0.0), (10, 10), Distance::Hellinger);
        let by_hand = (0.5 * ((0.5_f64.sqrt() - 0.5).powi(2) + 0.25)).sqrt();
        assert!((hellinger.distance - by_hand).abs() < 1e-15);
    }

    /// Missing is one point more: all else equal, shares missing of 0.2 and 0 differ by 0.2 + 0.2 in L1.
    #[test]
    fn missing_shares_count() {
        let a = profile(&[("m", 0.4), ("f", 0.4)]);
        let b = profile(&[("m", 0.5), ("f", 0.5)]);
        let found = categories((&a, &b), (0.2, 0.0), (10, 10), Distance::L1);
        assert!((found.distance - 0.4).abs() < 1e-15);
    }

    #[test]
    fn the_extremes_are_0_and_the_greatest() {
        for distance in [Distance::L1, Distance::Hellinger] {
            let f = [1.0, 1.0, 0.0, 0.0];
            let g = [0.0, 0.0, 1.0, 1.0];
            let of =
                |pair: (&[f64], &[f64])| densities(pair, (0.0, 0.0), 0.5, 1.0, (9, 9), distance);
            assert_eq!(of((&f, &g)).distance, distance.greatest());
            assert_eq!(of((&f, &f)).distance, 0.0);
        }
    }
}
