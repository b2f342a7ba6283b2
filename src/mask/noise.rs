//! Additive noise: each value gets a normal number added.

use std::borrow::Cow;

use ndarray::Array2;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    Details, Effect, Mask, Masked,
    new_numbers::{Rounding, present, write_numbers},
};
use crate::{
    error::{Error, Result, above, in_order},
    rng::Streams,
    statement::{Method, NoiseLaw, NoiseParameters, Step},
    stats::{
        covariance::{cholesky_semidefinite, covariance},
        elementary::power_of_two,
        moments::{Moments, moments},
    },
    table::{AttrId, Matrix, Numbers, Scale, Table, Values},
};

/// Cells that one task computes: enough to be worth a task.
const CELLS_AT_ONCE: usize = 16_384;

/// Additive noise.
///
/// ```text
/// X' = X + e,  e normal with mean 0
/// independent:  Var(e_j) = level · Var(X_j),  e_j independent of e_k
/// correlated:   Cov(e) = level · Cov(X)
/// ```
///
/// In expectation means are kept and Var(X') = (1 + level) Var(X). Independent noise keeps the covariances of different
/// attributes, so their correlations shrink by the factor 1 / (1 + level). Correlated noise multiplies all covariances by
/// 1 + level and keeps correlations; linear relations between attributes (a sum and its parts) stay, to one part in a
/// million of the standard deviations, where no value is missing. Values can leave their range: an amount can become negative.
///
/// # Restored
/// With [`restore`](Options::restore) a linear transformation of each masked attribute gives it the mean and the standard
/// deviation of the original, to rounding:
///
/// ```text
/// X'' = mean(X) + (X' − mean(X')) · sd(X) / sd(X')
/// ```
///
/// Linear relations between attributes are then no longer kept by correlated noise. [`Rounding::Column`] comes last of all:
/// what is restored and what is related is so up to what was rounded.
///
/// # Units
/// `level` is a share of the variance: noise with level 0.1 has a standard deviation of 0.316 of the attribute's. Var and
/// Cov have divisor n−1.
///
/// # Missing
/// Left in place. Var(X) comes from all values of the attribute that are present. Correlated noise takes the correlations
/// from the records that miss no masked attribute, which must be more than the attributes; an attribute that is constant
/// among these, but not overall, gets noise that is independent of the others'.
///
/// # Constant attributes
/// Have no variance and get no noise.
///
/// # Randomness
/// `Purpose::Mask`, one stream an attribute: a standard normal number for each record of the file in its order, whether its
/// value is missing or not. Independent noise is this number times the standard deviation of the noise. Correlated noise
/// mixes the numbers of the attributes by the factor of their covariances
/// ([`cholesky_semidefinite`]): attributes that depend on those before them use no number of their own.
///
/// # Errors
/// Usage, when correlations are asked for and there is one attribute. Input,
/// when there are fewer than two records to take variances from, not more complete records than attributes to take
/// correlations from, or only two different values to restore the moments of (these would give them back), and when squares of values are beyond the range of numbers
/// (from about 10^154 on).
///
/// # Complexity
/// One normal number a cell; correlated noise as many multiplications a record as there are pairs of attributes. Beside the
/// table 8 bytes a record for each thread; correlated noise 8 bytes a cell.
///
/// # Source
/// J. J. Kim, "A method for limiting disclosure in microdata based on random noise and transformation", Proceedings of the
/// ASA Section on Survey Research Methods, 1986; R. Brand, "Microdata protection through noise addition", LNCS 2316, 2002
/// (both kinds and the linear transformation).
#[derive(Debug, Clone)]
pub struct Noise {
    level: f64,
    options: Options,
}

/// The kinds of additive noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Options {
    /// Whether noise has the covariances of the attributes, or is independent between them.
    pub correlated: bool,
    /// Whether the mean and the standard deviation of each attribute are restored.
    pub restore: bool,
    /// Whether values are rounded to the decimals of their attribute.
    pub rounding: Rounding,
}

impl Noise {
    /// Noise with so much of the variance of each attribute.
    ///
    /// # Errors
    /// Usage, unless the level is finite and above 0.
    pub fn new(level: f64, options: Options) -> Result<Self> {
        if level > 0.0 && level.is_finite() {
            Ok(Self { level, options })
        } else {
            Err(Error::option_out_of_range(
                "level",
                above(0.0),
                "is the variance of the noise in units of the attribute's variance: a number above 0",
            )
        .remedy("For example --level 0.1 adds a tenth of the variance"))
        }
    }

    /// The same without the options that have no use on these attributes.
    fn in_use(&self, on: &[AttrId]) -> Self {
        Self {
            options: Options {
                correlated: self.options.correlated && on.len() > 1,
                ..self.options
            },
            ..*self
        }
    }
}

impl Mask for Noise {
    fn name(&self) -> &'static str {
        "noise"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error> {
        let name = &table.attribute(attribute).name;
        match table.attribute(attribute).scale {
            Scale::Continuous => None,
            Scale::Ordinal => Some(
                Error::usage("is ordinal: noise needs amounts, not codes or classes")
                    .wrong_scale(name),
            ),
            Scale::Nominal => Some(Error::names_not_numbers(name, "noise needs amounts")),
        }
    }

    fn idle(&self, _: &Table, on: &[AttrId]) -> Vec<String> {
        (self.options.correlated && !self.in_use(on).options.correlated)
            .then(|| "--correlated has no effect: one attribute has no correlations".to_string())
            .into_iter()
            .collect()
    }

    fn apply(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        self.in_use(on).masked(original, on, streams)
    }
}

impl Noise {
    fn masked(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        let records = original.n_records();
        if records < 2 {
            return Err(Error::fewer_than_two_records(
                "noise needs at least two records to take variances from",
                records,
            ));
        }
        let names = original.names(on);
        let method = Method::Noise(NoiseParameters {
            law: NoiseLaw::Normal,
            level: self.level,
            correlated: self.options.correlated,
            restored: self.options.restore,
            rounded: self.options.rounding.is_on(),
            rounded_before: 0,
        });
        let step = Step::new(method, records, names);
        let at_once = if self.options.correlated {
            on.len().max(1)
        } else {
            // As many as there are threads, so that the noise of each can go before the next comes.
            rayon::current_num_threads()
        };
        let mut table = original;
        let mut effects = Vec::with_capacity(on.len());
        for batch in on.chunks(at_once) {
            let (masked, more) = self.mask_batch(table, batch, streams)?;
            table = masked;
            effects.extend(more);
        }
        Ok(Masked {
            table,
            step,
            effects,
            respelled: Vec::new(),
            strata: Vec::new(),
            details: Details::None,
        })
    }
}

impl Noise {
    /// Masks some attributes: for correlated noise all of them.
    fn mask_batch(
        &self,
        table: Table,
        on: &[AttrId],
        streams: &Streams,
    ) -> Result<(Table, Vec<Effect>)> {
        let sources: Vec<Source<'_>> = in_order(on.par_iter().map(|&id| Source::new(&table, id)))?;
        let mut numbers = if self.options.correlated {
            correlated(self.level, &sources, streams)?
        } else {
            independent(self.level, &sources, streams)
        };
        if self.options.restore {
            sources.iter().try_for_each(refuse_two)?;
        }
        numbers
            .par_iter_mut()
            .zip(&sources)
            .for_each(|(noise, source)| {
                add(source.numbers, noise);
                if self.options.restore {
                    restore(source, noise);
                }
            });
        let numbers = on.iter().copied().zip(numbers).collect();
        write_numbers(table, numbers, self.options.rounding)
    }
}

/// An attribute that gets noise.
struct Source<'a> {
    name: &'a str,
    numbers: Numbers<'a>,
    /// A power of two: in steps of it the squares of small values are within the range of numbers. 1 where all are.
    step: f64,
}

/// Below this, squares of values or of their differences may vanish: they are computed with in steps.
const SMALL: f64 = 1e-100;

/// The greatest power of two up to the largest value, if that is small; else 1.
fn step(numbers: Numbers<'_>) -> f64 {
    let largest = present(numbers).fold(0.0_f64, |most, (_, value)| most.max(value.abs()));
    if largest < SMALL {
        power_of_two(largest)
    } else {
        1.0
    }
}

impl<'a> Source<'a> {
    fn new(table: &'a Table, id: AttrId) -> Result<Self> {
        let name = &table.attribute(id).name;
        let numbers = table.numbers(id).ok_or_else(|| {
            Error::names_not_numbers(name, "noise needs amounts")
                .remedy("Leave it out of --attributes, or declare its scale in the roles file")
        })?;
        let step = step(numbers);
        Ok(Self {
            name,
            numbers,
            step,
        })
    }

    /// The moments of the values that are present, in steps.
    fn moments(&self) -> Moments {
        moments(present(self.numbers).map(|(_, value)| value / self.step))
    }

    /// The values in steps.
    fn in_steps(&self) -> Cow<'a, [f64]> {
        if self.step < 1.0 {
            self.numbers.values.iter().map(|v| v / self.step).collect()
        } else {
            Cow::Borrowed(self.numbers.values)
        }
    }

    /// A standard normal number for each record.
    fn normals(&self, streams: &Streams) -> Vec<f64> {
        let mut rng = streams.of_attribute(self.name);
        let draw = |_| StandardNormal.sample(&mut rng);
        (0..self.numbers.values.len()).map(draw).collect()
    }
}

/// Independent noise, an attribute a list.
fn independent(level: f64, attributes: &[Source<'_>], streams: &Streams) -> Vec<Vec<f64>> {
    attributes
        .par_iter()
        .map(|attribute| {
            let sd = level.sqrt() * attribute.moments().sd;
            let mut noise = attribute.normals(streams);
            for number in &mut noise {
                *number = *number * sd * attribute.step;
            }
            noise
        })
        .collect()
}

/// Two values are given back by their mean and their standard deviation, in one of two orders.
fn refuse_two(source: &Source<'_>) -> Result<()> {
    match source.moments() {
        Moments { count: 2, sd, .. } if sd > 0.0 => Err(Error::input(
            "has two values only: --restore would give them back, since their mean and standard deviation determine them",
        )
        .on_attribute(source.name)
        .remedy("Leave it out of --attributes, or leave --restore out")),
        _ => Ok(()),
    }
}

/// The covariances of the attributes in their steps: correlations of the complete records, variances of all values.
fn covariances(attributes: &[Source<'_>]) -> Result<Array2<f64>> {
    let in_steps: Vec<Cow<'_, [f64]>> = attributes.iter().map(Source::in_steps).collect();
    let numbers: Vec<Values<'_>> = (attributes.iter().zip(&in_steps))
        .map(|(source, values)| Values::new(values, source.numbers.missing))
        .collect();
    let records = in_steps.first().map_or(0, |values| values.len());
    let every: Vec<u32> = (0_u32..).take(records).collect();
    let matrix = Matrix::gather(&numbers, &every);
    let complete = (0..records).filter(|&r| !matrix.has_missing(r)).count();
    // Of so few records every combination of the attributes may be constant: fewer numbers would give the noise away.
    let too_few = || {
        Error::too_few_records(complete, attributes.len() + 1, |complete, need| {
                format!(
                    "{complete} of {records} records have a value of every masked attribute: correlations of {} attributes need more records than attributes",
                    need - 1
                )
            })
        .remedy("Mask fewer attributes together, or leave --correlated out")
    };
    if complete <= attributes.len() {
        return Err(too_few());
    }
    let mut covariance = covariance(&matrix).ok_or_else(too_few)?;
    if complete < records {
        for (j, source) in attributes.iter().enumerate() {
            let (sd, among_complete) = (source.moments().sd, covariance[[j, j]].sqrt());
            if among_complete > 0.0 {
                let stretch = sd / among_complete;
                covariance.row_mut(j).mapv_inplace(|v| v * stretch);
                covariance.column_mut(j).mapv_inplace(|v| v * stretch);
            }
            covariance[[j, j]] = sd * sd;
        }
    }
    Ok(covariance)
}

/// Noise with covariances in proportion to those of the attributes, an attribute a list.
fn correlated(level: f64, attributes: &[Source<'_>], streams: &Streams) -> Result<Vec<Vec<f64>>> {
    let records = attributes
        .first()
        .map_or(0, |source| source.numbers.values.len());
    let covariance = covariances(attributes)?;
    for (source, variance) in attributes.iter().zip(covariance.diag()) {
        if !variance.is_finite() {
            return Err(
                Error::input("holds values too large to compute with: their squares are beyond the range of numbers")
                        .overflow(source.name)
                    .remedy("Leave it out of --attributes, or write it in larger units"),
            );
        }
    }
    let factor = cholesky_semidefinite(covariance.view());
    let weights = factor.lower * level.sqrt();
    // In the order of the factor: who depends on those before needs no numbers of its own.
    let mut noise: Vec<Vec<f64>> = factor
        .order
        .par_iter()
        .enumerate()
        .map(|(place, &attribute)| {
            if place < weights.ncols() {
                attributes[attribute].normals(streams)
            } else {
                vec![0.0; records]
            }
        })
        .collect();
    // From the last on, so that each finds the numbers of those before it as they were drawn.
    for place in (0..noise.len()).rev() {
        let (before, from_here) = noise.split_at_mut(place);
        let row = weights.row(place);
        let own = row.get(place).copied().unwrap_or(0.0);
        let step = attributes[factor.order[place]].step;
        from_here[0]
            .par_iter_mut()
            .enumerate()
            .with_min_len(CELLS_AT_ONCE)
            .for_each(|(record, cell)| {
                let mixed = before
                    .iter()
                    .zip(row)
                    .fold(0.0, |sum, (normals, weight)| sum + weight * normals[record]);
                *cell = (mixed + own * *cell) * step;
            });
    }
    let mut placed: Vec<(usize, Vec<f64>)> = factor.order.into_iter().zip(noise).collect();
    placed.sort_unstable_by_key(|&(attribute, _)| attribute);
    Ok(placed.into_iter().map(|(_, noise)| noise).collect())
}

/// Makes noise a masked attribute.
fn add(old: Numbers<'_>, noise: &mut [f64]) {
    for (number, value) in noise.iter_mut().zip(old.values) {
        *number += value;
    }
}

/// Gives a masked attribute the mean and the standard deviation of the original.
fn restore(old: &Source<'_>, new: &mut [f64]) {
    let before = old.moments();
    let after = moments(present(old.numbers).map(|(record, _)| new[record] / old.step));
    if after.sd > 0.0 {
        let stretch = before.sd / after.sd;
        for number in new {
            *number = old.step * (before.mean + (*number / old.step - after.mean) * stretch);
        }
    }
}
