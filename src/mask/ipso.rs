//! IPSO: synthetic quasi-identifiers from a regression on what is kept.

use std::collections::BTreeMap;

use ndarray::Array2;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use super::{
    Details, Mask, Masked, Rounding,
    new_numbers::{present, refuse_idle_rounding, write_numbers},
};
use crate::{
    error::{Error, Result},
    rng::Streams,
    statement::{IpsoParameters, IpsoVariant, Method, Statement},
    stats::{
        covariance::{SemidefiniteFactor, cholesky_semidefinite},
        moments::moments,
        regression::{Basis, dot},
    },
    table::{AttrId, Table},
};

/// Of an attribute's length, what counts as rounding: with a residual no longer than that it is determined by what is kept.
const ROUNDING: f64 = 1e-9;

/// Information preserving statistical obfuscation: the attributes that are masked (Y) are replaced by values from their
/// linear regression on the attributes that are kept (X).
///
/// ```text
/// B = argmin |Y − X B|²,  S = (Y − X B)'(Y − X B) / n            X has a constant column
/// a:  Y' = X B
/// b:  Y' = X B + (I − P) E,      rows of E normal with covariance S,   P = projection on the columns of X
/// c:  Y' = X B + (I − P) E T,    T such that the residuals have covariance S exactly
/// ```
///
/// Who regresses Y' on X finds the same B (all variants), and the same S (c). Relations that a linear regression does not see
/// are lost, and all relations of Y with attributes that are in neither.
///
/// "Draw any Y~" of the source is read as: draw with the covariance of the residuals.
///
/// # X
/// Numbers enter as they are, categories as a column each. Columns that are combinations of others add nothing and are passed
/// over; so are the dependences within Y (a sum and its parts), which b and c keep.
///
/// # Units
/// S has divisor n, the number of records of the regression.
///
/// # Missing
/// The regression sees the records that miss nothing of X and Y. In others a gap in X counts as the mean of its column, and
/// their residuals are drawn with covariance S without the adjustment of b and c, which holds among the complete records. A gap in Y
/// stays a gap. No original value of Y is written.
///
/// # Randomness
/// `Purpose::Mask`; a: none. b and c: one stream an attribute of Y: a standard normal number for each record of the file in its
/// order, used or not. Attributes whose residuals depend on those of others use none of their own.
///
/// # Errors
/// Usage, when there is no X, or X explains all there is (as many independent columns as records: Y would come out unchanged), or
/// c has fewer records than residuals to fit. Input, when no complete record is left.
///
/// # Complexity
/// O(n (p + q)²) time and O(n (p + q)) memory for p columns of X and q attributes of Y.
///
/// # Source
/// J. Burridge, "Information preserving statistical obfuscation", Statistics and Computing 13, 2003.
#[derive(Debug, Clone)]
pub struct Ipso {
    variant: IpsoVariant,
    kept: Vec<String>,
    intercept: bool,
    rounding: Rounding,
}

/// What a regression on the kept attributes found; for the office.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Records that miss nothing of X and Y.
    pub records: usize,
    /// Independent columns of X, the constant included.
    pub rank: usize,
    /// Attributes of X that are combinations of others and added nothing.
    pub idle: Vec<String>,
    /// For each masked attribute the share of its variance (without a constant: of its squares) that X explains.
    pub explained: Vec<f64>,
    /// Masked attributes that X determines: they come out unchanged.
    pub determined: Vec<String>,
}

impl Ipso {
    /// IPSO that keeps these attributes.
    ///
    /// # Errors
    /// Usage, when none is kept.
    pub fn new(variant: IpsoVariant, kept: Vec<String>) -> Result<Self> {
        if kept.is_empty() {
            return Err(Error::usage(
                "ipso needs attributes to keep: synthetic values are drawn from a regression on them",
            )
            .remedy("Name them with --confidential, or give them the role 'confidential' in a roles file (--roles)"));
        }
        Ok(Self {
            variant,
            kept,
            intercept: true,
            rounding: Rounding::None,
        })
    }

    /// The same without the constant column: means are then not kept.
    #[must_use]
    pub fn without_intercept(self) -> Self {
        Self {
            intercept: false,
            ..self
        }
    }

    /// The same with whole numbers kept whole: coefficients and covariances are then kept to that rounding only.
    #[must_use]
    pub fn rounding(self, rounding: Rounding) -> Self {
        Self { rounding, ..self }
    }
}

impl Mask for Ipso {
    fn name(&self) -> &'static str {
        "ipso"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<String> {
        if self.kept.contains(&table.attribute(attribute).name) {
            return Some("is one of the attributes that are kept".into());
        }
        match table.numbers(attribute) {
            None => Some("has names, not numbers: a regression cannot replace it".into()),
            Some(_) => None,
        }
    }

    fn mask(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        refuse_idle_rounding(&original, on, self.rounding)?;
        let names: Vec<String> = on
            .iter()
            .map(|&id| original.attribute(id).name.clone())
            .collect();
        let kept: Vec<AttrId> = self
            .kept
            .iter()
            .map(|name| original.find(name))
            .collect::<Result<_>>()?;
        let (numbers, fit) = self.drawn(&original, &kept, on, &names, streams)?;
        let statement = Statement::new(
            Method::Ipso(IpsoParameters {
                variant: self.variant,
                kept: self.kept.clone(),
                intercept: self.intercept,
                rounded: self.rounding == Rounding::Whole,
            }),
            original.n_records(),
            names,
        );
        let numbers = on.iter().copied().zip(numbers).collect();
        let (table, effects) = write_numbers(original, numbers, self.rounding)?;
        Ok(Masked {
            table,
            statement,
            effects,
            details: Details::Ipso(fit),
        })
    }
}

impl Ipso {
    /// New numbers for each attribute `on`, one a record.
    fn drawn(
        &self,
        table: &Table,
        kept: &[AttrId],
        on: &[AttrId],
        names: &[String],
        streams: &Streams,
    ) -> Result<(Vec<Vec<f64>>, Fit)> {
        let complete = complete_records(table, kept.iter().chain(on));
        let columns = self.columns(table, kept);
        let regression = Regression::of(table, &columns, on, &complete, self.intercept)?;
        let rank = regression.basis.rank();
        let factor = cholesky_semidefinite(regression.covariance(complete.len()).view());
        let noise = match self.variant {
            IpsoVariant::A => Vec::new(),
            IpsoVariant::B | IpsoVariant::C => self.normals(table, names, &factor, streams),
        };
        let mut adjusted: Vec<Vec<f64>> = noise
            .par_iter()
            .map(|drawn| {
                complete
                    .iter()
                    .map(|&record| drawn[record as usize])
                    .collect()
            })
            .collect();
        match self.variant {
            IpsoVariant::A => {}
            IpsoVariant::B => {
                for drawn in &mut adjusted {
                    regression.basis.take_out(drawn);
                }
            }
            IpsoVariant::C => adjusted = regression.unit_residuals(adjusted)?,
        }
        let mut new: Vec<Vec<f64>> = vec![vec![0.0; table.n_records()]; on.len()];
        for (place, new) in new.iter_mut().enumerate() {
            let mut fitted = vec![0.0; complete.len()];
            regression
                .basis
                .add_to(&regression.parts[place], &mut fitted);
            let residual = residual_of(&factor, place, &adjusted);
            for (at, &record) in complete.iter().enumerate() {
                new[record as usize] = regression.in_own_units(place, fitted[at] + residual(at));
            }
        }
        regression.fill_incomplete(table, &columns, &complete, &factor, &noise, &mut new);
        let determined = (0..on.len()).filter(|&j| regression.left[j] <= 0.0);
        let fit = Fit {
            records: complete.len(),
            rank,
            idle: regression.idle(table, kept, &columns),
            explained: regression.explained(self.intercept),
            determined: determined.map(|j| names[j].clone()).collect(),
        };
        Ok((new, fit))
    }

    /// The columns of X.
    fn columns(&self, table: &Table, kept: &[AttrId]) -> Vec<Column> {
        let mut columns = Vec::new();
        if self.intercept {
            columns.push(Column {
                source: None,
                values: ColumnValues::Constant,
                centre: 0.0,
                of_missing: 1.0,
            });
        }
        for &id in kept {
            columns.extend(Column::of(table, id, self.intercept));
        }
        columns
    }

    /// A standard normal number for each record of the file, for each attribute with a residual of its own.
    fn normals(
        &self,
        table: &Table,
        names: &[String],
        factor: &SemidefiniteFactor,
        streams: &Streams,
    ) -> Vec<Vec<f64>> {
        factor.order[..factor.rank()]
            .par_iter()
            .map(|&attribute| {
                let mut rng = streams.of_attribute(&names[attribute]);
                (0..table.n_records())
                    .map(|_| StandardNormal.sample(&mut rng))
                    .collect()
            })
            .collect()
    }
}

/// The residual of attribute `place` at a complete record: a row of L times the independent residuals.
fn residual_of<'a>(
    factor: &'a SemidefiniteFactor,
    place: usize,
    independent: &'a [Vec<f64>],
) -> impl Fn(usize) -> f64 + 'a {
    let row = factor
        .order
        .iter()
        .position(|&attribute| attribute == place);
    move |at| {
        let terms = independent.iter().enumerate();
        terms
            .map(|(k, values)| row.map_or(0.0, |row| factor.lower[[row, k]]) * values[at])
            .sum()
    }
}

/// The records that miss none of these attributes.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a table holds at most u32::MAX records"
)]
fn complete_records<'a>(table: &Table, ids: impl Iterator<Item = &'a AttrId> + Clone) -> Vec<u32> {
    (0..table.n_records())
        .filter(|&record| ids.clone().all(|&id| !table.is_missing(record, id)))
        .map(|record| record as u32)
        .collect()
}

/// One column of X.
struct Column {
    /// The attribute; none for the constant.
    source: Option<AttrId>,
    values: ColumnValues,
    /// What is taken off: the mean if there is a constant column. A small spread around a large mean is then not lost.
    centre: f64,
    /// What stands for a missing value, after that: the mean.
    of_missing: f64,
}

enum ColumnValues {
    Constant,
    /// The attribute's numbers times this power of two, so that squares stay in range.
    Numbers(f64),
    /// 1 for the records of a category, 0 for others.
    Category(Vec<bool>),
}

impl Column {
    fn of(table: &Table, id: AttrId, centred: bool) -> Vec<Self> {
        let column = |values, mean| {
            let (centre, of_missing) = if centred { (mean, 0.0) } else { (0.0, mean) };
            Self {
                source: Some(id),
                values,
                centre,
                of_missing,
            }
        };
        match table.numbers(id) {
            Some(numbers) => {
                let values = || present(numbers).map(|(_, value)| value);
                let scale = 1.0 / power_of_two(values());
                let mean = moments(values().map(|value| value * scale)).mean;
                vec![column(ColumnValues::Numbers(scale), mean)]
            }
            None => {
                let present = table.n_records() - table.missing(id).count();
                let members = categories(table, id).into_iter();
                members
                    .map(|members| {
                        let count = members.iter().filter(|&&member| member).count();
                        let share = count as f64 / present.max(1) as f64;
                        column(ColumnValues::Category(members), share)
                    })
                    .collect()
            }
        }
    }

    fn value(&self, table: &Table, record: usize) -> f64 {
        match (&self.values, self.source) {
            (ColumnValues::Constant, _) | (_, None) => 1.0,
            (_, Some(id)) if table.is_missing(record, id) => self.of_missing,
            (ColumnValues::Numbers(scale), Some(id)) => {
                let numbers = table.numbers(id);
                numbers.map_or(0.0, |numbers| numbers.values[record]) * scale - self.centre
            }
            (ColumnValues::Category(members), _) => {
                f64::from(u8::from(members[record])) - self.centre
            }
        }
    }
}

/// For each category of an attribute the records that have it.
fn categories(table: &Table, id: AttrId) -> Vec<Vec<bool>> {
    let mut members: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    let records = table.n_records();
    for record in (0..records).filter(|&record| !table.is_missing(record, id)) {
        let text = table.text(record, id);
        match members.get_mut(text.as_ref()) {
            Some(members) => members[record] = true,
            None => {
                let mut own = vec![false; records];
                own[record] = true;
                members.insert(text.into_owned(), own);
            }
        }
    }
    members.into_values().collect()
}

/// The power of two that the largest magnitude is once to twice; 1 for zeros. Dividing by it rounds nothing that matters.
fn power_of_two(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold(0.0, |most: f64, value| most.max(value.abs()));
    match largest > 0.0 {
        true => 2.0_f64.powf(largest.log2().floor().clamp(-1000.0, 1000.0)),
        false => 1.0,
    }
}

/// The regression of some attributes on some columns, over the complete records, in units that keep squares in range.
struct Regression {
    basis: Basis,
    /// Which of the columns the basis was made of.
    used: Vec<usize>,
    /// For each attribute its parts of the basis: what X explains.
    parts: Vec<Vec<f64>>,
    /// For each attribute what X does not explain, record by record; zero throughout if that is rounding.
    residuals: Vec<Vec<f64>>,
    /// For each attribute the squared length of its residual.
    left: Vec<f64>,
    /// The unit of each attribute: a power of two.
    scales: Vec<f64>,
    /// What was taken off each attribute, in that unit: its mean if there is a constant column.
    centres: Vec<f64>,
}

impl Regression {
    fn of(
        table: &Table,
        columns: &[Column],
        on: &[AttrId],
        complete: &[u32],
        intercept: bool,
    ) -> Result<Self> {
        if complete.is_empty() {
            return Err(Error::input("no record has values in all attributes that are kept and masked")
                .in_file(table.name())
                .remedy("Leave out the attributes with the most missing values ('sdcrisk describe' shows them)"));
        }
        let mut basis = Basis::new(complete.len());
        let mut used = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            let values: Vec<f64> = complete
                .par_iter()
                .map(|&record| column.value(table, record as usize))
                .collect();
            if basis.add(values) {
                used.push(place);
            }
        }
        if basis.rank() >= complete.len() {
            return Err(Error::usage(format!(
                "what is kept gives {} independent columns for {} complete records: every value would come out unchanged",
                basis.rank(),
                complete.len()
            ))
            .in_file(table.name())
            .remedy("Keep fewer attributes, or recode those with many categories"));
        }
        let mut regression = Self {
            basis,
            used,
            parts: Vec::with_capacity(on.len()),
            residuals: Vec::with_capacity(on.len()),
            left: Vec::with_capacity(on.len()),
            scales: Vec::with_capacity(on.len()),
            centres: Vec::with_capacity(on.len()),
        };
        for &id in on {
            let values = table.numbers(id).map_or(&[][..], |numbers| numbers.values);
            let at = complete.iter().map(|&record| values[record as usize]);
            let scale = power_of_two(at.clone());
            let centre = match intercept {
                true => moments(at.clone().map(|y| y / scale)).mean,
                false => 0.0,
            };
            let mut residual: Vec<f64> = at.map(|y| y / scale - centre).collect();
            let length = dot(&residual, &residual).sqrt();
            let parts = regression.basis.take_out(&mut residual);
            let mut left = dot(&residual, &residual);
            if left.sqrt() <= ROUNDING * length {
                residual.fill(0.0);
                left = 0.0;
            }
            regression.parts.push(parts);
            regression.residuals.push(residual);
            regression.left.push(left);
            regression.scales.push(scale);
            regression.centres.push(centre);
        }
        Ok(regression)
    }

    /// A value of an attribute in the file's units.
    fn in_own_units(&self, place: usize, value: f64) -> f64 {
        (self.centres[place] + value) * self.scales[place]
    }

    /// S, in the units of the attributes' scales.
    fn covariance(&self, records: usize) -> Array2<f64> {
        let q = self.residuals.len();
        let mut covariance = Array2::zeros((q, q));
        for j in 0..q {
            for k in 0..=j {
                let value = dot(&self.residuals[j], &self.residuals[k]) / records as f64;
                covariance[[j, k]] = value;
                covariance[[k, j]] = value;
            }
        }
        covariance
    }

    /// Columns made orthogonal to X and to each other, each with mean square 1.
    fn unit_residuals(&self, drawn: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>> {
        let records = drawn.first().map_or(0, Vec::len);
        let wanted = drawn.len();
        let free = records.saturating_sub(self.basis.rank());
        if wanted > free {
            return Err(Error::usage(format!(
                "variant c must fit {wanted} residuals, and {records} complete records less {} columns leave {free}",
                self.basis.rank()
            ))
            .remedy("Mask or keep fewer attributes, or take variant b"));
        }
        let mut own = Basis::new(records);
        let mut units = Vec::with_capacity(wanted);
        for mut column in drawn {
            // Twice in turn: what one projection leaves of the other is rounding of rounding.
            for _ in 0..2 {
                self.basis.take_out(&mut column);
                own.take_out(&mut column);
            }
            let scale = (records as f64 / dot(&column, &column)).sqrt();
            own.add(column.clone());
            column.iter_mut().for_each(|value| *value *= scale);
            units.push(column);
        }
        Ok(units)
    }

    /// The values of the records that miss something of X or Y.
    fn fill_incomplete(
        &self,
        table: &Table,
        columns: &[Column],
        complete: &[u32],
        factor: &SemidefiniteFactor,
        noise: &[Vec<f64>],
        new: &mut [Vec<f64>],
    ) {
        let mut next = complete.iter().peekable();
        for record in 0..table.n_records() {
            if next.next_if(|&&other| other as usize == record).is_some() {
                continue;
            }
            let values: Vec<f64> = self
                .used
                .iter()
                .map(|&place| columns[place].value(table, record))
                .collect();
            let there = self.basis.place_of(&values);
            for (place, new) in new.iter_mut().enumerate() {
                let fitted: f64 = there
                    .iter()
                    .zip(&self.parts[place])
                    .map(|(q, part)| q * part)
                    .sum();
                new[record] =
                    (fitted + residual_of(factor, place, noise)(record)) * self.scales[place];
            }
        }
    }

    /// The kept attributes of which no column was used.
    fn idle(&self, table: &Table, kept: &[AttrId], columns: &[Column]) -> Vec<String> {
        let used = |id: AttrId| {
            self.used
                .iter()
                .any(|&place| columns[place].source == Some(id))
        };
        kept.iter()
            .filter(|&&id| !used(id))
            .map(|&id| table.attribute(id).name.clone())
            .collect()
    }

    /// The share of each attribute's variance that X explains; 1 for one without variance.
    fn explained(&self, intercept: bool) -> Vec<f64> {
        let skipped = usize::from(intercept);
        self.parts
            .iter()
            .zip(&self.left)
            .map(|(parts, &left)| {
                let explained: f64 = parts[skipped..].iter().map(|part| part * part).sum();
                match explained + left > 0.0 {
                    true => explained / (explained + left),
                    false => 1.0,
                }
            })
            .collect()
    }
}
