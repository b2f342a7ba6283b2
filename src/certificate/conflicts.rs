//! Conflicts and records that are never linked: one inequality each, decided exactly.

use rayon::prelude::*;

use super::{
    exact::{Exact, greatest},
    family::{Coefficients, Row},
    format::{Certificate, Conflict, HalfSpace, Pair, Weighted},
    points::Points,
};

/// What claims about rows are checked against.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    /// The claims.
    pub certificate: &'a Certificate,
    /// The records.
    pub points: &'a Points,
    /// The margin of the bound.
    pub margin: Exact,
}

/// A row with a multiplier of the row as it is, not scaled.
#[derive(Debug)]
pub(super) struct Multiplied {
    pub row: Row,
    pub multiplier: f64,
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

    /// The seekers of a conflict, ascending, if it is one.
    ///
    /// # Errors
    /// Why it is none, in words that follow "it".
    pub fn conflict(&self, conflict: &Conflict) -> Result<Vec<usize>, String> {
        let rows = self.multiplied(&conflict.rows)?;
        let family = self.certificate.family;
        let n = self.points.n_attributes();
        let mut sum = Coefficients::new();
        let mut allowed = Exact::default();
        for Multiplied { row, multiplier } in &rows {
            let multiplier = Exact::of(*multiplier);
            add(&mut sum, &row.coefficients, &multiplier);
            allowed = &allowed + &(&multiplier * &row.greatest);
        }
        allowed = &allowed * &self.margin;
        for (half_space, multiplier) in &conflict.half_spaces {
            let known = &self.certificate.known;
            let coefficients = family.half_space(self.points, known, half_space)?;
            let multiplier = match half_space {
                HalfSpace::Pair { .. } => unscaled(*multiplier, &greatest(coefficients.values()))?,
                _ => unscaled(*multiplier, &Exact::of(1.0))?,
            };
            add(&mut sum, &coefficients, &Exact::of(multiplier));
        }
        if !conflict.plane.is_finite() || (conflict.plane != 0.0 && !family.has_plane()) {
            return Err("has a multiplier of a plane that the family does not lie in".into());
        }
        let plane = Exact::of(conflict.plane);
        let mut most = &Exact::default() - &plane;
        let dimension = family.dimension(n).unwrap_or(0);
        for parameter in 0..dimension {
            let coefficient = sum.get(&parameter).cloned().unwrap_or_default();
            let coefficient = match family.has_plane() {
                true => &coefficient + &plane,
                false => coefficient,
            };
            let (lower, upper) = family.bounds(n, parameter);
            let [at_lower, at_upper] = [lower, upper].map(|end| &coefficient * &Exact::of(end));
            most = &most + &at_lower.max(at_upper);
        }
        match most <= allowed {
            true => {
                let mut seekers: Vec<usize> = rows.iter().map(|row| row.row.seeker).collect();
                seekers.sort_unstable();
                seekers.dedup();
                Ok(seekers)
            }
            false => Err("is no conflict: its inequality does not hold".into()),
        }
    }

    /// The seekers of all conflicts.
    ///
    /// # Errors
    /// The first that is none, from 1, and why.
    pub fn conflicts(&self, conflicts: &[Conflict]) -> Result<Vec<Vec<usize>>, String> {
        let checked: Vec<Result<Vec<usize>, String>> = conflicts
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

    /// The seekers that are never linked, ascending.
    ///
    /// # Errors
    /// The first claim that does not hold, from 1, and why.
    pub fn never(&self) -> Result<Vec<usize>, String> {
        let claims = &self.certificate.never;
        let checked: Vec<Result<usize, String>> =
            claims.par_iter().map(|&pair| self.is_never(pair)).collect();
        let mut seekers = (1..)
            .zip(checked)
            .map(|(number, seeker)| {
                seeker.map_err(|why| format!("entry {number} of the records never linked {why}"))
            })
            .collect::<Result<Vec<usize>, String>>()?;
        seekers.sort_unstable();
        match seekers.windows(2).all(|two| two[0] < two[1]) {
            true => Ok(seekers),
            false => Err("the records never linked name one twice".into()),
        }
    }

    fn is_never(&self, pair: Pair) -> Result<usize, String> {
        let row = self.row(pair)?;
        let family = self.certificate.family;
        let most = if family.is_simplex() {
            row.coefficients.values().max().cloned()
        } else if family.is_bilinear() {
            Some(row.greatest.clone())
        } else {
            self.most_of_squares(pair)
        };
        let allowed = &self.margin * &row.greatest;
        match most.unwrap_or_default() <= allowed {
            true => Ok(row.seeker),
            false => Err("is not shown by its competitor".into()),
        }
    }

    /// How much a competitor is farther than the partner where it is so most: no integral of a measure is more.
    fn most_of_squares(&self, pair: Pair) -> Option<Exact> {
        let (seeker, competitor) = (self.points.seeker(pair.0)?, self.points.sought(pair.1)?);
        let partner = self.points.partner(seeker)?;
        let own = self.points.squares(seeker, partner);
        let other = self.points.squares_beside(seeker, partner, competitor);
        other.iter().zip(&own).map(|(a, b)| a - b).max()
    }
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
    match multiplier > 0.0 && multiplier.is_finite() {
        true => Ok(multiplier),
        false => out_of_range(),
    }
}

fn add(sum: &mut Coefficients, coefficients: &Coefficients, multiplier: &Exact) {
    for (&parameter, coefficient) in coefficients {
        let cell = sum.entry(parameter).or_default();
        *cell = &*cell + &(coefficient * multiplier);
    }
}
