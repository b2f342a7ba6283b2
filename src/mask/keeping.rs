//! What a masking keeps beside its method: sums of attributes and joint zeros.
//!
//! It goes around any [`Mask`], and within its strata: zero patterns change places first ([`zero_patterns`]), the method masks the values that are not zero
//! among themselves, and totals are worked out anew from their masked parts ([`sums`](super::sums)). What of it may be
//! published is the statement's [`Kept`](crate::statement::Kept).

use super::{
    Effect, Mask, Masked,
    draws::Draws,
    sums::{Gaps, Held, Sum},
    within_strata,
    zero_patterns::{self, ZerosMoved},
};
use crate::{
    error::{Error, Result},
    rng::Streams,
    statement::DerivedTotal,
    table::{AttrId, Table},
};

/// A sum that holds in a smaller share of the original's records is a mistake.
const MIN_HELD: f64 = 0.95;

/// What is to be kept.
#[derive(Debug, Clone, Default)]
pub struct Keeping {
    /// In an order in which they can be worked out.
    sums: Vec<Sum>,
    /// How far zero patterns move, in percent of the records.
    zeros: Option<f64>,
}

/// What was kept, for the office.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WhatWasKept {
    /// For each total its name, and the records that miss it now though they had it: a part of it was missing.
    pub now_missing: Vec<(String, usize)>,
    /// How zeros moved.
    pub zeros: Option<ZerosMoved>,
}

impl Keeping {
    /// What is to be kept of this table: sums such as `total=a+b`, and whether zero patterns move, by how many percent of the records.
    ///
    /// # Errors
    /// Usage, when a sum makes no sense, or the percentage does not. Input, when a sum holds in less than 95 % of the records that have its numbers, or
    /// no record has them.
    pub fn new(table: &Table, sums: &[String], zeros: Option<f64>) -> Result<Self> {
        if let Some(percent) = zeros
            && !(percent > 0.0 && percent <= 100.0)
        {
            return Err(Error::no_percentage("zeros-within").remedy("For example --zeros-within 5"));
        }
        let parsed = sums.iter().map(|text| Sum::parse(table, text));
        let sums = Sum::in_order(table, parsed.collect::<Result<_>>()?)?;
        for sum in &sums {
            let Held { holds, of } = sum.held(table);
            let what = match of {
                0 => "no record has the total and all its parts".to_owned(),
                _ if (holds as f64) < MIN_HELD * of as f64 => {
                    format!(
                        "it holds in {holds} of the {of} records that have the total and all its parts"
                    )
                }
                _ => continue,
            };
            return Err(Error::input(format!(
                "{} is not a sum of this file: {what}",
                sum.in_words(table)
            ))
            .in_file(table.name())
            .remedy("Check --keep-sums 'total=a+b': masking would make it hold in every record"));
        }
        Ok(Self { sums, zeros })
    }

    /// Sums that do not hold everywhere in the original, each in words: after masking they do.
    pub fn exceptions(&self, table: &Table) -> Vec<String> {
        let exception = |sum: &Sum| {
            let Held { holds, of } = sum.held(table);
            (holds < of).then(|| {
                format!(
                    "{} does not hold in {} of {of} records of the original; in the masked file it will",
                    sum.in_words(table),
                    of - holds
                )
            })
        };
        self.sums.iter().filter_map(exception).collect()
    }

    /// Why an attribute is not masked by itself, in words that follow its name.
    pub fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error> {
        let sum = self.sums.iter().find(|sum| sum.total == attribute)?;
        Some(Error::usage(format!(
            "is a total that is worked out anew (--keep-sums {})",
            sum.in_words(table)
        )))
    }

    /// What has no use on these attributes, each in words.
    pub fn idle(&self, table: &Table, on: &[AttrId]) -> Vec<String> {
        let mut changing = on.to_vec();
        let mut idle = Vec::new();
        for sum in &self.sums {
            if sum.parts.iter().any(|part| changing.contains(part)) {
                changing.push(sum.total)
            } else {
                idle.push(format!(
                    "--keep-sums '{}' has no effect: no part of it is masked",
                    sum.in_words(table)
                ))
            }
        }
        if self.zeros.is_some() && zero_patterns::with_zeros(table, on).is_empty() {
            idle.push(
                "--keep-zeros has no effect: no masked attribute has zeros beside other numbers"
                    .into(),
            );
        }
        idle
    }

    /// Why an attribute cannot make strata: it is worked out anew where these are masked.
    ///
    /// # Errors
    /// Usage.
    pub fn refuse_strata(&self, table: &Table, strata: &[AttrId], on: &[AttrId]) -> Result<()> {
        let totals = self.totals(on);
        match strata.iter().find(|id| totals.contains(id)) {
            Some(&id) => Err(within_strata::moved(table, id)),
            None => Ok(()),
        }
    }

    /// Masks the file as a whole, as the method does, keeping sums and zeros.
    ///
    /// # Errors
    /// As for [`mask_within`](Self::mask_within).
    pub fn mask(
        &self,
        method: &dyn Mask,
        original: Table,
        on: &[AttrId],
        streams: &Streams,
    ) -> Result<(Masked, WhatWasKept)> {
        self.mask_within(method, (original, &[]), on, streams)
    }

    /// Masks as the method does, keeping sums and zeros, within strata of equal values of some attributes, if there are any.
    ///
    /// # Strata
    /// First each attribute that changes is put into one spelling, that of the file. Then each stratum is masked as if it were a file, with
    /// all that is kept beside the method: so zeros stay in their stratum, too, and windows in percent are of its records. Totals are
    /// worked out record by record, where strata make no difference.
    ///
    /// # Zeros, missing, errors, randomness
    /// Those of [`Keeping`] in each stratum; each has streams of its own.
    pub fn mask_within(
        &self,
        method: &dyn Mask,
        (original, strata): (Table, &[AttrId]),
        on: &[AttrId],
        streams: &Streams,
    ) -> Result<(Masked, WhatWasKept)> {
        let changing: Vec<AttrId> = on.iter().copied().chain(self.totals(on)).collect();
        let (spelled, mixed) = original.in_one_spelling(&changing);
        let respelled = spelled.names(&mixed);
        let (masked, kept) = if strata.is_empty() {
            self.spelled(method, spelled, on, streams)?
        } else {
            within_strata::mask((spelled, strata), &changing, streams, |part, streams| {
                self.spelled(method, part, on, streams)
            })?
        };
        let masked = Masked {
            respelled,
            ..masked
        };
        Ok((masked, kept))
    }

    /// Masks attributes that are in one spelling as the method does, keeping sums and zeros. Sums of which no part is masked, and zeros where there are none, are left
    /// alone.
    ///
    /// # Zeros
    /// Exactly those records are zero in an attribute that the step of zero patterns made so: a new number that happens to be 0
    /// becomes one unit of the last decimal, away from the codes for missing values.
    ///
    /// # Missing, errors
    /// A total becomes missing where a part of it is missing. Where the method gives gaps to other records
    /// ([`Mask::redraws_gaps`]), it is missing nowhere else. Input, when a total cannot be written exactly.
    ///
    /// # Randomness
    /// That of the method, and streams more for zeros, which come from its secret if it has one.
    fn spelled(
        &self,
        method: &dyn Mask,
        spelled: Table,
        on: &[AttrId],
        streams: &Streams,
    ) -> Result<(Masked, WhatWasKept)> {
        let sums = self.sums_in_use(on);
        let zeros = match self.zeros {
            Some(_) => zero_patterns::with_zeros(&spelled, on),
            None => Vec::new(),
        };
        if sums.is_empty() && zeros.is_empty() {
            let masked = method.apply(spelled, on, streams)?;
            return Ok((masked, WhatWasKept::default()));
        }
        let mut kept = WhatWasKept::default();
        let mut masked = match self.zeros {
            Some(percent) if !zeros.is_empty() => {
                let draws = Draws::new(streams, method.secret(), &spelled)?;
                let (moved, step) = zero_patterns::moved(spelled.clone(), on, percent, &draws)?;
                kept.zeros = step;
                let masked = method.apply(moved.hiding_zeros(&zeros), on, streams)?;
                let table = off_zero(masked.table, &zeros).showing_zeros();
                Masked { table, ..masked }
            }
            _ => method.apply(spelled.clone(), on, streams)?,
        };
        if kept.zeros.is_some() {
            recount(&mut masked.effects, &spelled, &masked.table);
        }
        let gaps = if method.redraws_gaps() {
            Gaps::OfParts
        } else {
            Gaps::Stay
        };
        for sum in sums {
            let (table, effect) = sum.worked_out(masked.table, &spelled, gaps)?;
            let now_missing = (table.missing(sum.total).count()).saturating_sub(effect.missing);
            kept.now_missing
                .push((effect.attribute.clone(), now_missing));
            masked.table = table;
            masked.effects.push(effect);
            masked.step.kept.sums.push(DerivedTotal {
                total: spelled.attribute(sum.total).name.clone(),
                parts: spelled.names(&sum.parts),
            });
        }
        masked.step.kept.zeros = kept.zeros.as_ref().map(|zeros| zeros.published.clone());
        Ok((masked, kept))
    }

    /// The totals that are worked out anew where these attributes are masked.
    pub fn totals(&self, on: &[AttrId]) -> Vec<AttrId> {
        let used = self.sums_in_use(on).into_iter();
        used.map(|sum| sum.total).collect()
    }

    /// The sums of which a part is masked, by itself or as a total.
    fn sums_in_use(&self, on: &[AttrId]) -> Vec<&Sum> {
        let mut changing = on.to_vec();
        let mut used = Vec::new();
        for sum in &self.sums {
            if sum.parts.iter().any(|part| changing.contains(part)) {
                changing.push(sum.total);
                used.push(sum);
            }
        }
        used
    }
}

/// The table in which no value of these attributes that is not hidden is zero.
fn off_zero(mut table: Table, zeros: &[AttrId]) -> Table {
    for &id in zeros {
        let Some(numbers) = table.numbers(id) else {
            continue;
        };
        let hit = |record: usize, value: f64| value == 0.0 && !numbers.missing.contains(record);
        if !(numbers.values.iter().enumerate()).any(|(record, &value)| hit(record, value)) {
            continue;
        }
        let decimals = table.decimals(id).unwrap_or(0);
        let unit = 0.1_f64.powi(i32::try_from(decimals).unwrap_or(0));
        let codes = table.missing_codes(id);
        let step = (1..=1 + codes.len())
            .map(|units| crate::table::rounded(units as f64 * unit, decimals))
            .find(|step| !codes.contains(step))
            .unwrap_or(unit);
        let values = numbers.values.iter().enumerate();
        let values = values
            .map(|(record, &value)| if hit(record, value) { step } else { value })
            .collect();
        table = table.with_numbers(id, values);
    }
    table
}

/// Counts again what was done to each attribute: the method saw a table in which zeros had moved, and were hidden.
fn recount(effects: &mut [Effect], before: &Table, after: &Table) {
    for counted in effects {
        let Ok(id) = before.find(&counted.attribute) else {
            continue;
        };
        if before.has_numbers(id) && after.has_numbers(id) {
            let squared_error = counted.squared_error;
            *counted = Effect::between(before, after, id);
            counted.squared_error = squared_error.and(counted.squared_error);
        }
    }
}
