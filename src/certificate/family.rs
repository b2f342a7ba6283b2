//! The families, from their definitions: what parameters multiply, and which parameters there are ([`super::format`] has the formulas).

use std::collections::BTreeMap;

use super::{
    exact::{Exact, greatest},
    format::{Family, HalfSpace, Pair},
    points::Points,
};

/// Coefficients that are not 0, by parameter.
pub(super) type Coefficients = BTreeMap<usize, Exact>;

/// The most parameters that are checked.
const MAX_PARAMETERS: usize = 1 << 16;

/// The row of a pair, and its greatest coefficient.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// The seeker's place.
    pub seeker: usize,
    /// What the competitor's features are more than the partner's.
    pub coefficients: Coefficients,
    /// What each coefficient is a difference of: the sizes of both features added. What rounding does to a coefficient is a share of this.
    pub sizes: Coefficients,
    /// The size of the greatest.
    pub greatest: Exact,
}

impl Family {
    /// Whether differences keep their sign.
    pub(super) fn is_bilinear(self) -> bool {
        matches!(
            self,
            Self::Bilinear | Self::BilinearNonNegative | Self::BilinearDefinite
        )
    }

    /// Whether P is the standard simplex.
    pub(super) fn is_simplex(self) -> bool {
        matches!(
            self,
            Self::WeightedMean | Self::WeightedMeanMetric | Self::OrderedWeightedMean
        )
    }

    /// Whether the parameters are a measure, set by set.
    pub(super) fn is_measure(self) -> bool {
        matches!(self, Self::Choquet | Self::ChoquetMetric)
    }

    /// Whether `Σ p = 1` for all parameters.
    pub(super) fn has_plane(self) -> bool {
        self.is_simplex() || self == Self::ChoquetTwoAdditive
    }

    /// Number of parameters of n attributes; `None` if they are more than can be checked.
    pub(super) fn dimension(self, n: usize) -> Option<usize> {
        let dimension = match self {
            _ if self.is_simplex() => n,
            _ if self.is_measure() => 1_usize
                .checked_shl(u32::try_from(n).ok()?)?
                .checked_sub(1)?,
            _ => n.checked_mul(n + 1)? / 2,
        };
        (dimension <= MAX_PARAMETERS).then_some(dimension)
    }

    /// The least and the greatest value of a parameter.
    pub(super) fn bounds(self, n: usize, parameter: usize) -> (f64, f64) {
        match self {
            _ if self.is_bilinear() => (-1.0, 1.0),
            _ if self.is_measure() && Some(parameter + 1) == self.dimension(n) => (1.0, 1.0),
            Self::ChoquetTwoAdditive if parameter >= n => (-1.0, 1.0),
            _ => (0.0, 1.0),
        }
    }

    fn features_of_squares(self, squares: &[Exact]) -> Coefficients {
        let n = squares.len();
        match self {
            Self::OrderedWeightedMean => {
                let mut sorted = squares.to_vec();
                sorted.sort_by(|a, b| b.cmp(a));
                sorted.into_iter().enumerate().collect()
            }
            Self::Choquet | Self::ChoquetMetric => {
                let mut order: Vec<usize> = (0..n).collect();
                order.sort_by(|&k, &l| squares[k].cmp(&squares[l]));
                let (mut features, mut set) = (Coefficients::new(), (1_usize << n) - 1);
                let mut below = Exact::default();
                for k in order {
                    features.insert(set - 1, &squares[k] - &below);
                    below = squares[k].clone();
                    set &= !(1 << k);
                }
                features
            }
            Self::ChoquetTwoAdditive => {
                let least = pairs(n).map(|(k, l)| squares[k].clone().min(squares[l].clone()));
                squares.iter().cloned().chain(least).enumerate().collect()
            }
            _ => squares.iter().cloned().enumerate().collect(),
        }
    }

    fn features_of_signed(points: &Points, seeker: usize, sought: usize) -> Coefficients {
        let signed = points.signed(seeker, sought);
        let n = signed.len();
        let square = |(k, difference): (usize, &Option<Exact>)| match difference {
            Some(difference) => difference * difference,
            None => Exact::of(points.gap(k)),
        };
        let product = |(k, l): (usize, usize)| match (&signed[k], &signed[l]) {
            (Some(a), Some(b)) => (a * b).twice(),
            _ => Exact::default(),
        };
        let squares = signed.iter().enumerate().map(square);
        squares.chain(pairs(n).map(product)).enumerate().collect()
    }

    /// What the parameters multiply in d² of a pair; ties with the partner are settled, where there is one.
    fn features(self, points: &Points, seeker: usize, sought: usize) -> Coefficients {
        match (self.is_bilinear(), points.partner(seeker)) {
            (true, _) => Self::features_of_signed(points, seeker, sought),
            (false, Some(partner)) => {
                self.features_of_squares(&points.squares_beside(seeker, partner, sought))
            }
            (false, None) => self.features_of_squares(&points.squares(seeker, sought)),
        }
    }

    /// The sum of the sizes of the terms of d² of a pair.
    pub(super) fn size(self, points: &Points, pair: (usize, usize), parameters: &[Exact]) -> Exact {
        let features = self.features(points, pair.0, pair.1);
        let terms = features
            .iter()
            .map(|(&k, feature)| (feature * &parameters[k]).size());
        terms.fold(Exact::default(), |sum, term| &sum + &term)
    }

    /// d² of a pair, exactly.
    pub(super) fn value(
        self,
        points: &Points,
        pair: (usize, usize),
        parameters: &[Exact],
    ) -> Exact {
        let features = self.features(points, pair.0, pair.1);
        let terms = features
            .iter()
            .map(|(&k, feature)| feature * &parameters[k]);
        terms.fold(Exact::default(), |sum, term| &sum + &term)
    }

    /// The row of a seeker with a partner, and a competitor.
    pub(super) fn row(
        self,
        points: &Points,
        seeker: usize,
        partner: usize,
        competitor: usize,
    ) -> Row {
        let mut coefficients = self.features(points, seeker, competitor);
        let mut sizes: Coefficients = coefficients
            .iter()
            .map(|(&parameter, value)| (parameter, value.size()))
            .collect();
        for (parameter, own) in self.features(points, seeker, partner) {
            let cell = coefficients.entry(parameter).or_default();
            *cell = &*cell - &own;
            let size = sizes.entry(parameter).or_default();
            *size = &*size + &own.size();
        }
        coefficients.retain(|_, value| !value.is_zero());
        if self.is_measure() {
            // A feature is a difference of two squares by itself.
            let whole = sizes
                .values()
                .fold(Exact::default(), |sum, size| &sum + size);
            sizes.values_mut().for_each(|size| size.clone_from(&whole));
        }
        Row {
            seeker,
            greatest: greatest(coefficients.values()),
            coefficients,
            sizes,
        }
    }

    /// The row of a pair of a certificate.
    ///
    /// # Errors
    /// What is wrong with the pair, in words that follow "it".
    pub(super) fn row_of(self, points: &Points, pair: Pair) -> Result<Row, String> {
        let (seeker, competitor) = places(points, pair)?;
        let partner = points
            .partner(seeker)
            .ok_or_else(|| format!("names record {}, which has no partner", pair.0))?;
        if competitor == partner {
            Err(format!(
                "names record {} as a competitor of its partner, which it is",
                pair.1
            ))
        } else {
            Ok(self.row(points, seeker, partner, competitor))
        }
    }

    /// The coefficients of a half-space.
    ///
    /// # Errors
    /// That P does not lie in it, in words that follow "it".
    pub(super) fn half_space(
        self,
        points: &Points,
        known: &[String],
        half_space: &HalfSpace,
    ) -> Result<Coefficients, String> {
        let foreign = || Err("uses a half-space that the family does not lie in".to_string());
        match half_space {
            HalfSpace::Monotone { grow, by } => {
                let by = attribute(known, by)?;
                let grow = attributes(known, grow)?;
                match self {
                    _ if grow.contains(&by) => Err("lets a set grow by what is in it".into()),
                    Self::Choquet | Self::ChoquetMetric => {
                        let smaller = set(&grow);
                        Ok(measures(&[(smaller | 1 << by, 1.0), (smaller, -1.0)]))
                    }
                    Self::ChoquetTwoAdditive => {
                        let n = known.len();
                        let mut coefficients = Coefficients::from([(by, Exact::of(1.0))]);
                        coefficients.extend(
                            grow.iter()
                                .map(|&l| (pair_parameter(n, by, l), Exact::of(1.0))),
                        );
                        Ok(coefficients)
                    }
                    _ => foreign(),
                }
            }
            HalfSpace::Submodular { beside, of } if self == Self::ChoquetMetric => {
                let (k, l) = (attribute(known, &of.0)?, attribute(known, &of.1)?);
                let beside = attributes(known, beside)?;
                if k == l || beside.contains(&k) || beside.contains(&l) {
                    return Err("names an attribute twice in a half-space".into());
                }
                let s = set(&beside);
                Ok(measures(&[
                    (s | 1 << k, 1.0),
                    (s | 1 << l, 1.0),
                    (s | 1 << k | 1 << l, -1.0),
                    (s, -1.0),
                ]))
            }
            HalfSpace::Direction { direction } if self == Self::BilinearDefinite => {
                if direction.len() != known.len() || !direction.iter().all(|u| u.is_finite()) {
                    return Err("has a direction of another number of attributes".into());
                }
                let u: Vec<Exact> = direction.iter().map(|&u| Exact::of(u)).collect();
                let squares = u.iter().map(|u| u * u);
                let products = pairs(u.len()).map(|(k, l)| (&u[k] * &u[l]).twice());
                Ok(squares.chain(products).enumerate().collect())
            }
            HalfSpace::Pair { pair } if self == Self::BilinearNonNegative => {
                let (seeker, sought) = places(points, *pair)?;
                Ok(Self::features_of_signed(points, seeker, sought))
            }
            _ => foreign(),
        }
    }
}

fn places(points: &Points, pair: Pair) -> Result<(usize, usize), String> {
    let nobody = |record: u32| format!("names a record {record} that does not take part");
    Ok((
        points.seeker(pair.0).ok_or_else(|| nobody(pair.0))?,
        points.sought(pair.1).ok_or_else(|| nobody(pair.1))?,
    ))
}

fn attribute(known: &[String], name: &str) -> Result<usize, String> {
    known
        .iter()
        .position(|known| known == name)
        .ok_or_else(|| "names an attribute that is not known".to_string())
}

fn attributes(known: &[String], names: &[String]) -> Result<Vec<usize>, String> {
    let mut places = Vec::new();
    for name in names {
        let place = attribute(known, name)?;
        if places.contains(&place) {
            return Err("names an attribute twice in a half-space".into());
        }
        places.push(place);
    }
    Ok(places)
}

fn set(members: &[usize]) -> usize {
    members.iter().map(|k| 1 << k).sum()
}

/// Coefficients by sets; the measure of the empty set is 0.
fn measures(of_sets: &[(usize, f64)]) -> Coefficients {
    let of_sets = of_sets.iter().filter(|(set, _)| *set > 0);
    of_sets
        .map(|&(set, coefficient)| (set - 1, Exact::of(coefficient)))
        .collect()
}

/// All k < l, row by row.
pub(super) fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |k| (k + 1..n).map(move |l| (k, l)))
}

/// The parameter of a pair, which come after n single ones.
pub(super) fn pair_parameter(n: usize, k: usize, l: usize) -> usize {
    let (k, l) = (k.min(l), k.max(l));
    // Before row k stand (n−1) + (n−2) + … + (n−k) pairs.
    n + (0..k).map(|above| n - 1 - above).sum::<usize>() + (l - k - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_their_parameters_agree() {
        for n in 0..7 {
            for (place, (k, l)) in pairs(n).enumerate() {
                assert_eq!(pair_parameter(n, k, l), n + place);
                assert_eq!(pair_parameter(n, l, k), n + place);
            }
        }
    }

    /// By hand, squares 5, 2, 7. Ascending: 2 (attribute 2), 5 (1), 7 (3). The set of all three (number 7) gets 2, {1, 3} (number 5)
    /// gets 5 − 2 = 3, {3} (number 4) gets 7 − 5 = 2.
    #[test]
    fn features_by_hand() {
        let squares = [5.0, 2.0, 7.0].map(Exact::of);
        let features = |family: Family| -> Vec<(usize, f64)> {
            let features = family.features_of_squares(&squares);
            features
                .into_iter()
                .map(|(k, value)| (k, value.near()))
                .collect()
        };
        assert_eq!(features(Family::Choquet), [(3, 2.0), (4, 3.0), (6, 2.0)]);
        assert_eq!(
            features(Family::OrderedWeightedMean),
            [(0, 7.0), (1, 5.0), (2, 2.0)]
        );
        // min(5, 2), min(5, 7), min(2, 7).
        assert_eq!(
            features(Family::ChoquetTwoAdditive),
            [(0, 5.0), (1, 2.0), (2, 7.0), (3, 2.0), (4, 5.0), (5, 2.0)]
        );
    }
}
