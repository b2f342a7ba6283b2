//! Masking methods: what an office does to a file before it publishes it.
//!
//! A method sees the original table and writes a masked one. It knows nothing of attacks. What may be published
//! about it is its [`Step`]; who swapped with whom stays inside the table and leaves it by no door.

mod categories;
pub mod copula;
mod draws;
pub mod fuzzy;
pub mod ipso;
pub mod keeping;
pub mod microaggregation;
mod new_numbers;
pub mod noise;
pub mod p_buckets;
pub mod p_distribution;
pub mod pram;
mod rank_order;
pub mod rank_swap;
pub mod recode;
pub mod relations;
mod rules_file;
pub mod sample;
pub mod sums;
pub mod suppress;
mod within_strata;
pub mod zero_patterns;

pub use draws::Secret;
pub use new_numbers::Rounding;

use crate::{
    error::{Error, Result},
    rng::Streams,
    statement::Step,
    table::{AttrId, Table},
};

/// A masking method with checked parameters.
pub trait Mask: std::fmt::Debug + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Why this attribute cannot be masked by this method, an error of usage in words that follow its name; `None` if it can.
    fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error>;

    /// Why this attribute is left alone unless it is named, in words that follow its name; `None` if it is masked unasked.
    fn reluctance(&self, _table: &Table, _attribute: AttrId) -> Option<String> {
        None
    }

    /// Whether it changes values, so that it needs an attribute at least; otherwise it chooses records.
    fn masks_values(&self) -> bool {
        true
    }

    /// Parameters that have no use on these attributes, each in plain words: the method does without them.
    fn idle(&self, _table: &Table, _on: &[AttrId]) -> Vec<String> {
        Vec::new()
    }

    /// The secret that its noise comes from, instead of the streams that it is given.
    fn secret(&self) -> Option<&Secret> {
        None
    }

    /// Whether gaps become those of other records. Hidden zeros ([`Table::hiding_zeros`]) stay in place all the same.
    fn redraws_gaps(&self) -> bool {
        false
    }

    /// Masks the attributes `on` of a table; all others stay as they are.
    ///
    /// First each of these attributes is put into one spelling ([`Table::in_one_spelling`]), so that the bytes of a masked cell are a
    /// function of its value: who had an odd spelling in the original makes no difference.
    ///
    /// # Randomness, errors
    /// As for [`apply`](Self::apply).
    fn mask(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        let (spelled, mixed) = original.in_one_spelling(on);
        let respelled = spelled.names(&mixed);
        Ok(Masked {
            respelled,
            ..self.apply(spelled, on, streams)?
        })
    }

    /// What the method does to attributes that are spelled in one way each; use [`mask`](Self::mask).
    ///
    /// # Randomness
    /// One stream an attribute, by its name: masking fewer attributes changes no other one.
    ///
    /// # Errors
    /// Usage, when the parameters make no sense for this table or an attribute cannot be masked.
    fn apply(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked>;
}

/// A masked table, what may be published about it, and what was done.
#[derive(Debug)]
pub struct Masked {
    /// The masked table.
    pub table: Table,
    /// What may be published.
    pub step: Step,
    /// What was done to each masked attribute, in the order asked for.
    pub effects: Vec<Effect>,
    /// Masked attributes of which the original has several spellings: they are written in one.
    pub respelled: Vec<String>,
    /// The number of records of each stratum within which it was masked, in the order of strata; none if it was masked as a whole.
    pub strata: Vec<usize>,
    /// What only this method can report.
    pub details: Details,
}

impl Masked {
    /// Whether this attribute was masked.
    pub fn masks(&self, attribute: &str) -> bool {
        let mut effects = self.effects.iter();
        effects.any(|effect| effect.attribute == attribute)
    }
}

/// What a method did to one attribute, in numbers of records.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The attribute as the file names it.
    pub attribute: String,
    /// Values that could be masked: all that are not missing.
    pub values: usize,
    /// Values that differ from the original.
    pub changed: usize,
    /// Missing values, left in place.
    pub missing: usize,
    /// SSE/SST of the attribute: the squared differences between new and old values, summed, in units of the squared
    /// differences between the old values and their mean. `None` where the method does not replace numbers by others,
    /// and for an attribute without spread.
    pub squared_error: Option<f64>,
}

impl Effect {
    /// What became of an attribute of numbers, whose values and gaps may have changed places.
    pub(in crate::mask) fn between(before: &Table, after: &Table, attribute: AttrId) -> Self {
        let (Some(old), Some(new)) = (before.numbers(attribute), after.numbers(attribute)) else {
            unreachable!("attributes of numbers stay such")
        };
        new_numbers::effect(&before.attribute(attribute).name, old, new)
    }
}

/// What only one method, or one family of methods, can report of its work. It is for the office, not for the release.
#[derive(Debug)]
pub enum Details {
    /// Nothing beyond the effects.
    None,
    /// Of swapping by rank: for each effect, values for which there was no partner; they stay as they were.
    Swapping {
        /// One number an attribute.
        without_partner: Vec<usize>,
    },
    /// Of masking by minimal information: what was kept.
    Copula(Box<copula::Outcome>),
    /// Of IPSO: what the regression found.
    Ipso(ipso::Fit),
    /// Of recoding: what of it became missing, and which rules met nothing.
    Recoding {
        /// For each effect, values that became missing.
        suppressed: Vec<usize>,
        /// What a person should know: rules without effect, in plain words. No value of a record is in them.
        notes: Vec<String>,
    },
    /// Of local suppression: what was found and what it took.
    Suppression(suppress::Outcome),
    /// Of microaggregation: the groups of each block of attributes.
    Microaggregation(Vec<microaggregation::Block>),
    /// Of fuzzy microaggregation: the clusters of each block of attributes.
    Fuzzy(Vec<fuzzy::Block>),
    /// Of a sample: who is in it.
    Sample {
        /// For each record that was drawn, the one of the original, from 0.
        selected: Vec<u32>,
        /// Number of strata.
        strata: usize,
        /// How many of them are too small to give a record.
        without: usize,
    },
    /// Of a masking within strata, those of each: of methods whose details are not added up.
    Strata(Vec<Details>),
}

/// 100·SSE/SST of a masking: the information loss of the microaggregation literature, on standardised attributes. Attributes
/// without spread do not count, missing values neither; `None` when nothing counts.
pub fn information_loss(effects: &[Effect]) -> Option<f64> {
    // In units of an attribute's variance its SST is n − 1.
    let (mut sse, mut sst) = (0.0, 0.0);
    for effect in effects {
        if let Some(error) = effect.squared_error {
            let weight = effect.values.saturating_sub(1) as f64;
            sse += weight * error;
            sst += weight;
        }
    }
    (sst > 0.0).then(|| 100.0 * sse / sst)
}
