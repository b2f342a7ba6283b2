//! IPSO: quasi-identifiers are replaced by what a regression on the confidential attributes says of them.

use std::collections::BTreeMap;

use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use super::{
    Details, Mask, Masked, Rounding,
    new_numbers::{for_amounts, write_numbers},
};
use crate::{
    error::{Counted, Error, Reason, Result},
    rng::Streams,
    statement::{IpsoParameters, IpsoVariant, Method, Step},
    stats::{
        elementary::power_of_two,
        moments::moments,
        regression::{Basis, RELATIVE_TOLERANCE, orthonormalise, subtract},
    },
    table::{AttrId, Scale, Table},
};

/// Most cells of the matrix of the kept attributes (categories count one each): about a gigabyte.
const MAX_CELLS: usize = 1 << 27;

/// A record whose leverage is this near to 1 decides its own fitted value.
const OWN_FIT: f64 = 1e-9;

/// What is left of the squares of an attribute that X determines, at most.
const DETERMINED: f64 = 1e-12;

/// Information preserving statistical obfuscation (IPSO), variants A, B and C.
///
/// ```text
/// X: the confidential attributes, kept, with a constant column;  Y: the attributes to replace;  n records
/// B^ = (X'X)^-1 X'Y     Σ^ = (Y - X B^)'(Y - X B^) / n     P = X (X'X)^-1 X'
/// A:  Y' = X B^
/// B:  Y' = X B^ + R,  R = E - P E,  the records of E drawn from N(0, Σ^)
/// C:  the same with R (L_o^-1)' L',  n Σ^ = L L',  R'R = L_o L_o'
/// ```
///
/// A refit of (X, Y') gives B^ in all variants, and Σ^ in C, to rounding (with [`Rounding::None`]; else nearly). A's residuals are zero: it understates every variance.
/// With the constant, B^ holds the means, so these are kept too, and C keeps variances and correlations; without it neither
/// means nor variances nor correlations are kept exactly, only squares and products about the fit.
///
/// X may hold numbers (ordinal ones as they are) and nominal attributes, which become one column a category, the first
/// category left out. Without the constant they are refused: their categories add up to it. Columns that are combinations of others add nothing and are left out by
/// pivoting; [`Fit::added_nothing`] names the attributes. Which of several that are collinear does not matter to Y'.
///
/// # Missing
/// The regression is fitted on the records complete in X and Y, and what is kept is kept on these. A gap in X counts as
/// the mean of the attribute over them (a nominal one: every category at its share). A gap in Y stays a gap. A record that is
/// incomplete gets, in B and C, a residual drawn from N(0, Σ^) that is not adjusted. No value of Y is left as it was because
/// of a gap.
///
/// # Randomness
/// `Purpose::Mask`, one stream an attribute of Y, by its name: one standard normal a record, in the order of the records,
/// incomplete ones included. E = Z L' / √n with L the lower triangle, in the order of `on`; where an attribute adds no
/// residual of its own (Σ^ is singular) its normals have no weight. A draws nothing.
///
/// # Units
/// Σ^ has divisor n (maximum likelihood), n the complete records.
///
/// # Errors
/// Usage, when X has a nominal attribute and there is no constant, or an attribute of Y is in X or not of numbers. Input, when there are too few complete records or too many categories.
///
/// # Complexity
/// O(n (p + q)²) for p columns of X and q attributes; 8 bytes · n · (p + 2q).
///
/// # Source
/// J. Burridge, "Information preserving statistical obfuscation", Statistics and Computing 13, 2003; A. Hundepool et al.,
/// "Statistical Disclosure Control", 2012, on partially synthetic data. The source draws "any" Y~ in B; here its residuals
/// are drawn like those of the data, so that B keeps Σ^ nearly. Since L_o of C is L times the triangle of the normals, C is
/// computed from orthonormal normals without inverting a Σ^ that may be singular.
#[derive(Debug, Clone)]
pub struct Ipso {
    variant: IpsoVariant,
    confidential: Vec<String>,
    intercept: bool,
    rounding: Rounding,
}

/// The regression behind a masking. It is for the office, not for the release.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Records without a gap in X and Y: the ones that were fitted.
    pub records: usize,
    /// Columns of X, the constant and categories included.
    pub columns: usize,
    /// How many of these add something.
    pub rank: usize,
    /// Attributes of X that add nothing beyond the others.
    pub added_nothing: Vec<String>,
    /// For each attribute of Y, the share of its squared deviations from the mean (without a constant: from 0) that X
    /// explains; `None` when there are none.
    pub r_squared: Vec<Option<f64>>,
    /// For each attribute of Y, whether X and the attributes before it determine it exactly.
    pub residual_follows: Vec<bool>,
    /// Fitted records that nothing in X likens to another: the fit returns their own values.
    pub reproduced: usize,
}

impl Fit {
    /// Whether X determines the attribute of Y at this place, to six digits at least: its new values are the old ones.
    pub fn determines(&self, place: usize) -> bool {
        self.r_squared[place].is_none_or(|share| 1.0 - share <= DETERMINED)
    }
}

impl Ipso {
    /// IPSO with checked parameters; `confidential` names the attributes X.
    ///
    /// # Errors
    /// Usage, when `confidential` is empty.
    pub fn new(
        variant: IpsoVariant,
        confidential: Vec<String>,
        intercept: bool,
        rounding: Rounding,
    ) -> Result<Self> {
        if confidential.is_empty() {
            return Err(Error::usage(
                "ipso has no confidential attributes: there is nothing to predict the others from",
            )
            .remedy(
                "Name them in --confidential, or give them that role in a roles file (--roles)",
            ));
        }
        Ok(Self {
            variant,
            confidential,
            intercept,
            rounding,
        })
    }

    fn kept(&self, table: &Table) -> Result<Vec<AttrId>> {
        self.confidential
            .iter()
            .map(|name| table.find(name))
            .collect()
    }
}

impl Mask for Ipso {
    fn name(&self) -> &'static str {
        "ipso"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error> {
        let name = &table.attribute(attribute).name;
        if self.confidential.contains(name) {
            let what = "is confidential here: it is kept, and cannot be replaced too";
            return Some(Error::usage(what).on_attribute(name));
        }
        match table.numbers(attribute) {
            None => Some(Error::names_not_numbers(
                name,
                "a regression cannot replace it",
            )),
            Some(_) => None,
        }
    }

    fn reluctance(&self, table: &Table, attribute: AttrId) -> Option<String> {
        for_amounts(table, attribute)
    }

    fn idle(&self, table: &Table, _: &[AttrId]) -> Vec<String> {
        let used = self.in_use(table);
        let constant = (self.intercept != used.intercept).then(|| {
            "--no-intercept has no effect: the categories of a confidential attribute add up to a constant".to_string()
        });
        constant.into_iter().collect()
    }

    fn apply(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        self.in_use(&original).masked(original, on, streams)
    }
}

impl Ipso {
    fn masked(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        let kept = self.kept(&original)?;
        for &attribute in on {
            if let Some(why) = self.objection(&original, attribute) {
                return Err(why.remedy("Leave it out of --attributes or of --confidential"));
            }
        }
        let rows = Rows::new(&original, &kept, on);
        let (basis, mut fit) = self.basis(&original, &kept, &rows)?;
        self.check_freedom(&fit, on.len())?;
        let mut predictions = Vec::with_capacity(on.len());
        let mut residuals = Vec::with_capacity(on.len());
        for &attribute in on {
            let (unit, mut y) = self.standardised(&original, attribute, &rows);
            let whole: f64 = y.iter().map(|value| value * value).sum();
            let coefficients = basis.clear(&mut y);
            let left: f64 = y.iter().map(|value| value * value).sum();
            fit.r_squared
                .push((whole > 0.0).then(|| (1.0 - left / whole).clamp(0.0, 1.0)));
            predictions.push((unit, coefficients));
            residuals.push(y);
        }
        // Standardised attributes have a norm of √n: what is left below rounding is no residual.
        let tolerances: Vec<f64> = predictions
            .iter()
            .map(|(unit, _)| unit.noise.max(RELATIVE_TOLERANCE) * (rows.fitted as f64).sqrt())
            .collect();
        let triangle = orthonormalise(&mut residuals, &tolerances);
        drop(residuals);
        fit.residual_follows = triangle
            .iter()
            .map(|row| row.last().is_none_or(|&own| own <= 0.0))
            .collect();
        let scatter = self.scatter(&original, on, streams, &rows, &basis, &triangle);
        let n_records = original.n_records();
        let numbers = (on.iter().zip(predictions))
            .enumerate()
            .map(|(place, (&attribute, (unit, coefficients)))| {
                let mut values = basis.combined(&coefficients, n_records);
                for (&weight, normals) in triangle[place].iter().zip(&scatter) {
                    subtract(&mut values, -weight, normals);
                }
                (attribute, rows.scattered(&values, |value| unit.back(value)))
            })
            .collect();
        let names = |ids: &[AttrId]| original.names(ids);
        let method = Method::Ipso(IpsoParameters {
            variant: self.variant,
            confidential: names(&kept),
            intercept: self.intercept,
            fitted: rows.fitted,
            rounded: self.rounding.is_on(),
        });
        let step = Step::new(method, n_records, names(on));
        let (table, effects) = write_numbers(original, numbers, self.rounding)?;
        Ok(Masked {
            table,
            step,
            effects,
            respelled: Vec::new(),
            strata: Vec::new(),
            details: Details::Ipso(fit),
        })
    }
}

impl Ipso {
    /// The same without an option that has no use on this table. The categories of a nominal attribute add up to the
    /// constant: leaving it out leaves nothing out.
    fn in_use(&self, table: &Table) -> Self {
        let nominal = |&id: &AttrId| table.attribute(id).scale == Scale::Nominal;
        let kept = self.kept(table).unwrap_or_default();
        Self {
            intercept: self.intercept || kept.iter().any(nominal),
            ..self.clone()
        }
    }

    /// The basis of X, and what is known of it.
    fn basis(&self, table: &Table, kept: &[AttrId], rows: &Rows) -> Result<(Basis, Fit)> {
        if rows.fitted == 0 {
            return Err(Error::too_few_records(0, 1, |_, _| {
                "no record has all of the confidential and the replaced attributes: there is nothing to fit".into()
            })
            .remedy("Name attributes with fewer gaps in --confidential and --attributes"));
        }
        let n_records = table.n_records();
        let mut columns = Vec::new();
        let mut noise = Vec::new();
        // For each column its attribute's place in `kept`; the constant has none.
        let mut owners = Vec::new();
        if self.intercept {
            columns.push(vec![1.0; n_records]);
            noise.push(0.0);
            owners.push(None);
        }
        for (place, &attribute) in kept.iter().enumerate() {
            if table.attribute(attribute).scale == Scale::Nominal {
                let categories = Categories::new(table, attribute, rows);
                let more = categories.count.saturating_sub(1) as usize;
                if (columns.len() + more).saturating_mul(n_records) > MAX_CELLS {
                    return Err(Error::input(
                        "has too many categories for a regression on one column each",
                        )
                        .because(Reason::TooMany {
                            of: Counted::Categories,
                            asked: u128::from(categories.count),
                            limit: ((MAX_CELLS / n_records).saturating_sub(columns.len()) + 1) as u128,
                        })
                    .on_attribute(&table.attribute(attribute).name)
                    .remedy("Leave it out of --confidential, or declare it ordinal in a roles file (--roles)"));
                }
                // The constant is there: nominal attributes without it are refused.
                for category in 1..categories.count {
                    let (column, unit) =
                        self.column(rows, |record| categories.value(record, category));
                    columns.push(column);
                    noise.push(unit.noise);
                    owners.push(Some(place));
                }
            } else if let Some(numbers) = table.numbers(attribute) {
                let (column, unit) = self.column(rows, |record| {
                    (!numbers.missing.contains(record)).then(|| numbers.values[record])
                });
                columns.push(column);
                noise.push(unit.noise);
                owners.push(Some(place));
            }
        }
        let n_columns = columns.len();
        let basis = Basis::new(columns, rows.fitted, usize::from(self.intercept), &noise);
        let added_nothing = (0..kept.len())
            .filter(|&place| {
                !basis
                    .chosen()
                    .iter()
                    .any(|&column| owners[column] == Some(place))
            })
            .map(|place| table.attribute(kept[place]).name.clone())
            .collect();
        let reproduced = basis
            .leverages()
            .iter()
            .filter(|&&h| 1.0 - h <= OWN_FIT)
            .count();
        let fit = Fit {
            records: rows.fitted,
            columns: n_columns,
            rank: basis.rank(),
            added_nothing,
            r_squared: Vec::new(),
            residual_follows: Vec::new(),
            reproduced,
        };
        Ok((basis, fit))
    }

    fn check_freedom(&self, fit: &Fit, attributes: usize) -> Result<()> {
        // With one record more than columns, C could only keep the residuals or turn their signs.
        let needed = match self.variant {
            IpsoVariant::A | IpsoVariant::B => 1,
            IpsoVariant::C => attributes.max(2),
        };
        if fit.records - fit.rank >= needed {
            return Ok(());
        }
        let few = Error::too_few_records(fit.records, fit.rank + needed, |have, need| {
            format!(
                "{have} complete record{} cannot be fitted by {} column{} for {attributes} replaced attribute{}: variant {} needs at least {need}",
                plural(have),
                fit.rank,
                plural(fit.rank),
                plural(attributes),
                self.variant.word(),
            )
        });
        Err(few.remedy("Name fewer attributes in --confidential or --attributes, or ones with fewer gaps or categories",
        ))
    }

    /// A column of X in record order of `rows`, standardised; a gap stands at the mean.
    fn column(&self, rows: &Rows, value: impl Fn(usize) -> Option<f64> + Sync) -> (Vec<f64>, Unit) {
        let fitted: Vec<f64> = (0..rows.fitted)
            .into_par_iter()
            .map(|row| value(rows.record(row)).unwrap_or(0.0))
            .collect();
        let unit = Unit::of(&fitted, self.intercept);
        let gap = unit.mean_standardised();
        let mut column = fitted;
        column.par_iter_mut().for_each(|v| *v = unit.forth(*v));
        column.extend((rows.fitted..rows.count).map(|row| {
            value(rows.record(row)).map_or(gap, |v| {
                // Only fitted records decide the unit; one far outside must not overflow it.
                let v = unit.forth(v);
                if v.is_finite() { v } else { gap }
            })
        }));
        (column, unit)
    }

    /// An attribute of Y over the fitted records, standardised.
    fn standardised(&self, table: &Table, attribute: AttrId, rows: &Rows) -> (Unit, Vec<f64>) {
        let values = table.numbers(attribute).map_or(&[][..], |n| n.values);
        let mut y: Vec<f64> = (0..rows.fitted)
            .map(|row| values[rows.record(row)])
            .collect();
        let unit = Unit::of(&y, self.intercept);
        y.par_iter_mut().for_each(|v| *v = unit.forth(*v));
        (unit, y)
    }

    /// The normals behind the residuals, one column an attribute: with the weights of the triangle they make residuals
    /// that are orthogonal to X on the fitted records, and in C of exactly the covariance of the data.
    fn scatter(
        &self,
        table: &Table,
        on: &[AttrId],
        streams: &Streams,
        rows: &Rows,
        basis: &Basis,
        triangle: &[Vec<f64>],
    ) -> Vec<Vec<f64>> {
        if self.variant == IpsoVariant::A {
            return Vec::new();
        }
        let root = (rows.fitted as f64).sqrt();
        let mut normals: Vec<Vec<f64>> = on
            .par_iter()
            .map(|&attribute| {
                let mut rng = streams.of_attribute(&table.attribute(attribute).name);
                let in_order: Vec<f64> = (0..table.n_records())
                    .map(|_| StandardNormal.sample(&mut rng))
                    .collect();
                // The triangle has the norms of n records: a record's share is one in √n.
                rows.gathered(&in_order, |z: f64| z / root)
            })
            .collect();
        for (column, row) in normals.iter_mut().zip(triangle) {
            match row.last() {
                Some(&own) if own > 0.0 => {
                    basis.clear(&mut column[..rows.fitted]);
                }
                _ => column.fill(0.0),
            }
        }
        if self.variant == IpsoVariant::C {
            let mut fitted: Vec<Vec<f64>> = normals
                .iter()
                .map(|column| column[..rows.fitted].to_vec())
                .collect();
            orthonormalise(&mut fitted, &vec![0.0; on.len()]);
            for (column, fitted) in normals.iter_mut().zip(fitted) {
                column[..rows.fitted].copy_from_slice(&fitted);
            }
        }
        normals
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// The records in the order in which they are computed with: complete ones first.
struct Rows {
    /// Which record each row is, unless all are complete.
    records: Option<Vec<u32>>,
    count: usize,
    fitted: usize,
}

impl Rows {
    fn new(table: &Table, kept: &[AttrId], on: &[AttrId]) -> Self {
        let count = table.n_records();
        let gaps: Vec<_> = kept.iter().chain(on).map(|&id| table.missing(id)).collect();
        if gaps.iter().all(|gaps| gaps.is_empty()) {
            return Self {
                records: None,
                count,
                fitted: count,
            };
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a table holds at most u32::MAX records"
        )]
        let (mut complete, incomplete): (Vec<u32>, Vec<u32>) = (0..count as u32)
            .partition(|&record| !gaps.iter().any(|gaps| gaps.contains(record as usize)));
        let fitted = complete.len();
        complete.extend(incomplete);
        Self {
            records: Some(complete),
            count,
            fitted,
        }
    }

    fn record(&self, row: usize) -> usize {
        self.records
            .as_ref()
            .map_or(row, |records| records[row] as usize)
    }

    /// Numbers of records, as numbers of rows.
    fn gathered(&self, of_records: &[f64], change: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..self.count)
            .map(|row| change(of_records[self.record(row)]))
            .collect()
    }

    /// Numbers of rows, as numbers of records.
    fn scattered(&self, of_rows: &[f64], change: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut of_records = vec![0.0; self.count];
        for (row, &value) in of_rows.iter().enumerate() {
            of_records[self.record(row)] = change(value);
        }
        of_records
    }
}

/// The unit in which an attribute is computed with: v = step · (centre + spread · z), step a power of two that keeps squares
/// of the largest and the smallest numbers within range.
struct Unit {
    step: f64,
    centre: f64,
    spread: f64,
    /// Mean of the fitted records in steps.
    mean: f64,
    /// The share of the spread that the rounding of the numbers themselves may make up.
    noise: f64,
}

impl Unit {
    /// Centred at the mean and scaled to the standard deviation; without a constant, at 0 and to the root mean square.
    fn of(values: &[f64], centred: bool) -> Self {
        let largest = values.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let step = power_of_two(largest);
        let in_steps = values.iter().map(|v| v / step);
        let spread = moments(in_steps.clone());
        let (centre, size) = if centred {
            (spread.mean, spread.sd)
        } else {
            let squares: f64 = in_steps.map(|v| v * v).sum();
            (0.0, (squares / values.len().max(1) as f64).sqrt())
        };
        let size = if size > 0.0 { size } else { 1.0 };
        Self {
            step,
            centre,
            spread: size,
            mean: spread.mean,
            noise: 2.0 * f64::EPSILON * (largest / step) / size,
        }
    }

    fn forth(&self, value: f64) -> f64 {
        (value / self.step - self.centre) / self.spread
    }

    fn back(&self, z: f64) -> f64 {
        self.step * (self.centre + self.spread * z)
    }

    fn mean_standardised(&self) -> f64 {
        (self.mean - self.centre) / self.spread
    }
}

/// The categories of a nominal attribute, numbered in the order of their text.
struct Categories {
    /// One number a record; `u32::MAX` where it is missing, or where no fitted record has the category.
    codes: Vec<u32>,
    count: u32,
}

impl Categories {
    fn new(table: &Table, attribute: AttrId, rows: &Rows) -> Self {
        let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
        for row in 0..rows.fitted {
            let text = table.text(rows.record(row), attribute);
            if !numbers.contains_key(text.as_ref()) {
                numbers.insert(text.into_owned(), 0);
            }
        }
        let mut count = 0;
        for number in numbers.values_mut() {
            *number = count;
            count += 1;
        }
        let codes = (0..table.n_records())
            .into_par_iter()
            .map(|record| {
                if table.is_missing(record, attribute) {
                    u32::MAX
                } else {
                    *numbers
                        .get(table.text(record, attribute).as_ref())
                        .unwrap_or(&u32::MAX)
                }
            })
            .collect();
        Self { codes, count }
    }

    fn value(&self, record: usize, category: u32) -> Option<f64> {
        match self.codes[record] {
            u32::MAX => None,
            code => Some(f64::from(u8::from(code == category))),
        }
    }
}
