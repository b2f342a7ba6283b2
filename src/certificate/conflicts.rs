//! Conflicts and records that are never linked: one inequality each, decided exactly.
//!
//! They speak of strict links: an inequality `Σ λ v·p ≤ 0` for all p in P says that not all of these rows are positive, however little.
//! One that holds only if each coefficient may be wrong by rounding ([`ROUNDING`] of what it is a difference of, attribute by attribute, so
//! that no attribute's scale matters to another) proves nothing; it is not the same as one that is false.

use rayon::prelude::*;

use super::{
    exact::{Exact, greatest},
    family::{Coefficients, Row},
    format::{Certificate, Conflict, Family, HalfSpace, Pair, Weighted},
    multipliers,
    points::Points,
};

/// What rounding may do to a sum, as a share of the sizes of its terms.
pub(super) const ROUNDING: f64 = 1.0 / (1_u64 << 36) as f64;

/// The same where directions stand for the cone of definite matrices, which no finite number of them is.
const OF_DIRECTIONS: f64 = 1.0 / (1_u64 << 26) as f64;

impl Family {
    /// By what share of their terms the coefficients of a conflict may be wrong without its being false.
    fn rounding(self) -> f64 {
        match self {
            Self::BilinearDefinite => OF_DIRECTIONS,
            _ => ROUNDING,
        }
    }
}

/// How an inequality holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    /// As it is.
    Exactly,
    /// If its coefficients may be wrong by rounding.
    ButForRounding,
}

/// What claims about rows are checked against.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    /// What is claimed, and by which proof.
    pub certificate: &'a Certificate,
    /// The records of both files as standardised points.
    pub points: &'a Points,
}

/// A row with a multiplier of the row as it is, not scaled.
#[derive(Debug)]
pub(super) struct Multiplied {
    pub row: Row,
    pub multiplier: f64,
}

/// `r = Σ λ v + Σ η a + θ 1`, of multipliers that may be others than those of the certificate.
struct Combination {
    family: Family,
    n: usize,
    dimension: usize,
    /// The rows, the half-spaces, and the plane if there is one.
    vectors: Vec<Coefficients>,
    /// What their coefficients are differences of.
    sizes: Vec<Coefficients>,
    n_rows: usize,
    has_plane: bool,
}

impl Combination {
    fn sum(&self, vectors: &[Coefficients], multipliers: &[Exact]) -> Vec<Exact> {
        let mut sum = vec![Exact::default(); self.dimension];
        for (vector, multiplier) in vectors.iter().zip(multipliers) {
            for (&parameter, coefficient) in vector {
                if let Some(cell) = sum.get_mut(parameter) {
                    *cell = &*cell + &(coefficient * multiplier);
                }
            }
        }
        sum
    }

    /// θ.
    fn plane(&self, multipliers: &[Exact]) -> Exact {
        let last = multipliers.last().filter(|_| self.has_plane);
        last.cloned().unwrap_or_default()
    }

    /// No less than `r·p − θ` for any p in P, where each r_k may be less in size by what is allowed: it holds if this is not positive.
    fn most(&self, sum: &[Exact], plane: &Exact, allowed: Option<&[Exact]>) -> Exact {
        let less = |k: usize, value: Exact| match allowed {
            Some(allowed) => &value - &allowed[k],
            None => value,
        };
        if self.family.is_simplex() {
            let all = (0..self.dimension).map(|k| less(k, sum[k].clone()));
            return all.max().unwrap_or_default();
        }
        let zero = Exact::default();
        let mut most = &zero - plane;
        for (k, value) in sum.iter().enumerate() {
            let (lower, upper) = self.family.bounds(self.n, k);
            let at = |end: f64| {
                if end < 0.0 {
                    &less(k, &zero - value) * &Exact::of(-end)
                } else {
                    &less(k, value.clone()) * &Exact::of(end)
                }
            };
            let mut greatest = at(lower).max(at(upper));
            if lower <= 0.0 {
                greatest = greatest.max(zero.clone());
            }
            most = &most + &greatest;
        }
        most
    }

    /// How the inequality holds with these multipliers, or others near them; `None` if it does not.
    fn holds(&self, near: &[f64]) -> Option<Holds> {
        let zero = Exact::default();
        let given: Vec<Exact> = near
            .iter()
            .map(|&multiplier| Exact::of(multiplier))
            .collect();
        let sum = self.sum(&self.vectors, &given);
        let plane = self.plane(&given);
        if self.most(&sum, &plane, None) <= zero {
            return Some(Holds::Exactly);
        }
        let sizes: Vec<Exact> = given.iter().map(Exact::size).collect();
        let rounding = Exact::of(self.family.rounding());
        let allowed: Vec<Exact> = (self.sum(&self.sizes, &sizes).iter())
            .map(|size| size * &rounding)
            .collect();
        let of_plane = &plane.size() * &rounding;
        let beyond = self.most(&sum, &plane, Some(&allowed));
        if beyond > of_plane {
            return None;
        }
        let found = multipliers::exact(&self.zeros(&sum, &allowed, &plane), near);
        let is_strict = found.is_some_and(|found| {
            let n_signed = found.len() - usize::from(self.has_plane);
            let has_sign = found[..n_signed]
                .iter()
                .all(|multiplier| *multiplier >= zero);
            let is_some = found[..self.n_rows]
                .iter()
                .any(|multiplier| *multiplier > zero);
            let sum = self.sum(&self.vectors, &found);
            has_sign && is_some && self.most(&sum, &self.plane(&found), None) <= zero
        });
        Some(if is_strict {
            Holds::Exactly
        } else {
            Holds::ButForRounding
        })
    }

    /// What is to be exactly 0: each r_k that is 0 but for rounding, and then the rest of the inequality, if it is.
    fn zeros(&self, sum: &[Exact], allowed: &[Exact], plane: &Exact) -> Vec<Vec<Exact>> {
        let coefficient = |vector: &Coefficients, k: usize| vector.get(&k).cloned();
        let of_parameter = |k: usize| -> Vec<Exact> {
            let vectors = self.vectors.iter();
            vectors
                .map(|vector| coefficient(vector, k).unwrap_or_default())
                .collect()
        };
        let is_zero = |k: usize| {
            let (lower, upper) = self.family.bounds(self.n, k);
            sum[k].size() <= allowed[k] && lower < upper
        };
        let used = |k: &usize| !allowed[*k].is_zero();
        let mut zeros: Vec<Vec<Exact>> = (0..self.dimension)
            .filter(|&k| is_zero(k))
            .filter(used)
            .map(of_parameter)
            .collect();
        if self.family.is_simplex() {
            return zeros;
        }
        let mut rest = vec![Exact::default(); self.vectors.len()];
        let (mut value, mut room) = (
            &Exact::default() - plane,
            &plane.size() * &Exact::of(self.family.rounding()),
        );
        if let Some(last) = rest.last_mut().filter(|_| self.has_plane) {
            *last = Exact::of(-1.0);
        }
        for k in (0..self.dimension).filter(|&k| !is_zero(k)) {
            let (lower, upper) = self.family.bounds(self.n, k);
            let end = Exact::of(if sum[k] > Exact::default() {
                upper
            } else {
                lower
            });
            value = &value + &(&sum[k] * &end);
            room = &room + &(&allowed[k] * &end.size());
            for (cell, vector) in rest.iter_mut().zip(&self.vectors) {
                if let Some(coefficient) = vector.get(&k) {
                    *cell = &*cell + &(coefficient * &end);
                }
            }
        }
        if value.size() <= room {
            zeros.push(rest);
        }
        zeros
    }
}

impl Ground<'_> {
    /// The row of a pair.
    pub fn row(&self, pair: Pair) -> Result<Row, String> {
        self.certificate.family.row_of(self.points, pair)
    }

    /// The rows of a conflict. A multiplier λ of a scaled row is λ divided by the greatest coefficient of the row as it is; that
    /// division is rounded, which is as good: whatever the multipliers are, they are those that are checked.
    pub fn multiplied(&self, rows: &[Weighted]) -> Result<Vec<Multiplied>, String> {
        if rows.is_empty() {
            return Err("has no rows".into());
        }
        rows.iter()
            .map(|&Weighted(record, competitor, multiplier)| {
                let row = self.row(Pair(record, competitor))?;
                let multiplier = unscaled(multiplier, &row.greatest)?;
                Ok(Multiplied { row, multiplier })
            })
            .collect()
    }

    /// The seekers of a conflict, ascending, if it is one, and how its inequality holds.
    ///
    /// # Errors
    /// Why it is none, in words that follow "it".
    pub fn conflict(&self, conflict: &Conflict) -> Result<(Vec<usize>, Holds), String> {
        let rows = self.multiplied(&conflict.rows)?;
        let family = self.certificate.family;
        let n = self.points.n_attributes();
        let dimension = family.dimension(n).unwrap_or(0);
        if !conflict.plane.is_finite() || (conflict.plane != 0.0 && !family.has_plane()) {
            return Err("has a multiplier of a plane that the family does not lie in".into());
        }
        let mut seekers: Vec<usize> = rows.iter().map(|row| row.row.seeker).collect();
        seekers.sort_unstable();
        seekers.dedup();
        let mut near: Vec<f64> = rows.iter().map(|row| row.multiplier).collect();
        let (mut vectors, mut sizes): (Vec<_>, Vec<_>) = rows
            .into_iter()
            .map(|row| (row.row.coefficients, row.row.sizes))
            .unzip();
        let n_rows = vectors.len();
        for (half_space, multiplier) in &conflict.half_spaces {
            let known = &self.certificate.known;
            let coefficients = family.half_space(self.points, known, half_space)?;
            near.push(match half_space {
                HalfSpace::Pair { .. } => unscaled(*multiplier, &greatest(coefficients.values()))?,
                _ => unscaled(*multiplier, &Exact::of(1.0))?,
            });
            sizes.push(of_sizes(&coefficients));
            vectors.push(coefficients);
        }
        // On the simplex the plane says nothing that p ≥ 0 does not.
        let has_plane = family.has_plane() && !family.is_simplex();
        if has_plane {
            let ones: Coefficients = (0..dimension).map(|k| (k, Exact::of(1.0))).collect();
            sizes.push(ones.clone());
            vectors.push(ones);
            near.push(conflict.plane);
        }
        let combination = Combination {
            family,
            n,
            dimension,
            vectors,
            sizes,
            n_rows,
            has_plane,
        };
        let mut holds = combination.holds(&near);
        if has_plane && conflict.plane != 0.0 && holds != Some(Holds::Exactly) {
            // A θ that is rounding is one too many: without it the same may hold.
            near.pop();
            near.push(0.0);
            holds = match (holds, combination.holds(&near)) {
                (_, Some(Holds::Exactly)) => Some(Holds::Exactly),
                (with, without) => with.or(without),
            };
        }
        match holds {
            Some(holds) => Ok((seekers, holds)),
            None => Err("is no conflict: its inequality does not hold".into()),
        }
    }

    /// The seekers of all conflicts, and how the inequality of each holds.
    ///
    /// # Errors
    /// The first that is none, from 1, and why.
    pub fn conflicts(&self, conflicts: &[Conflict]) -> Result<Vec<(Vec<usize>, Holds)>, String> {
        let checked: Vec<Result<(Vec<usize>, Holds), String>> = conflicts
            .par_iter()
            .map(|conflict| self.conflict(conflict))
            .collect();
        (1..)
            .zip(checked)
            .map(|(number, seekers)| {
                seekers.map_err(|why: String| format!("conflict {number} {why}"))
            })
            .collect()
    }

    /// The seekers that are never linked, ascending, and how many of them are shown but for rounding only.
    ///
    /// # Errors
    /// The first claim that does not hold, from 1, and why.
    pub fn never(&self) -> Result<(Vec<usize>, usize), String> {
        let claims = &self.certificate.never;
        let checked: Vec<Result<(usize, Holds), String>> =
            claims.par_iter().map(|&pair| self.is_never(pair)).collect();
        let shown = (1..)
            .zip(checked)
            .map(|(number, seeker)| {
                seeker.map_err(|why| format!("entry {number} of the records never linked {why}"))
            })
            .collect::<Result<Vec<(usize, Holds)>, String>>()?;
        let rounded = shown.iter().filter(|of| of.1 == Holds::ButForRounding);
        let rounded = rounded.count();
        let mut seekers: Vec<usize> = shown.into_iter().map(|(seeker, _)| seeker).collect();
        seekers.sort_unstable();
        if seekers.windows(2).all(|two| two[0] < two[1]) {
            Ok((seekers, rounded))
        } else {
            Err("the records never linked name one twice".into())
        }
    }

    fn is_never(&self, pair: Pair) -> Result<(usize, Holds), String> {
        let row = self.row(pair)?;
        let family = self.certificate.family;
        // Numbers that must not be positive, and what they are differences of.
        let shown: Vec<(Exact, Exact)> = if family.is_bilinear() {
            let size = |k: &usize| row.sizes.get(k).cloned().unwrap_or_default();
            let all = row.coefficients.iter();
            all.map(|(k, value)| (value.size(), size(k))).collect()
        } else if family.is_simplex() {
            let size = |k: &usize| row.sizes.get(k).cloned().unwrap_or_default();
            let all = row.coefficients.iter();
            all.map(|(k, value)| (value.clone(), size(k))).collect()
        } else {
            self.squares_more(pair)
                .ok_or_else(|| "names a record that does not take part".to_string())?
        };
        let zero = Exact::default();
        let rounding = Exact::of(ROUNDING);
        if shown.iter().all(|(value, _)| *value <= zero) {
            return Ok((row.seeker, Holds::Exactly));
        }
        if shown.iter().all(|(value, size)| *value <= size * &rounding) {
            Ok((row.seeker, Holds::ButForRounding))
        } else {
            Err("is not shown by its competitor".into())
        }
    }

    /// How much each squared difference of a competitor is more than the partner's, and the sum of both: where none is more, no integral of a
    /// measure is.
    fn squares_more(&self, pair: Pair) -> Option<Vec<(Exact, Exact)>> {
        let (seeker, competitor) = (self.points.seeker(pair.0)?, self.points.sought(pair.1)?);
        let partner = self.points.partner(seeker)?;
        let own = self.points.squares(seeker, partner);
        let other = self.points.squares_beside(seeker, partner, competitor);
        let both = other.iter().zip(&own);
        Some(both.map(|(a, b)| (a - b, a + b)).collect())
    }
}

/// The sizes of coefficients.
fn of_sizes(coefficients: &Coefficients) -> Coefficients {
    let all = coefficients.iter();
    all.map(|(&parameter, value)| (parameter, value.size()))
        .collect()
}

/// A multiplier of a vector as it is, from that of the vector scaled to a greatest coefficient of 1.
fn unscaled(multiplier: f64, greatest: &Exact) -> Result<f64, String> {
    let out_of_range = || Err("has a multiplier that is not positive or out of range".to_string());
    if !(multiplier > 0.0 && multiplier.is_finite()) {
        return out_of_range();
    }
    if greatest.is_zero() {
        return Ok(multiplier);
    }
    let multiplier = multiplier / greatest.near();
    if multiplier > 0.0 && multiplier.is_finite() {
        Ok(multiplier)
    } else {
        out_of_range()
    }
}
