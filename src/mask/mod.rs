//! Masking methods: what an office does to a file before it publishes it.
//!
//! A method sees the original table and writes a masked one. It knows nothing of attacks. What may be told to the
//! world about it is its [`Statement`]; who swapped with whom stays inside the table and leaves it by no door.

pub mod rank_swap;

use crate::{
    error::Result,
    rng::Streams,
    statement::Statement,
    table::{AttrId, Table},
};

/// A masking method with checked parameters.
pub trait Mask: std::fmt::Debug + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Why this attribute cannot be masked by this method, in words that follow its name; `None` if it can.
    fn objection(&self, table: &Table, attribute: AttrId) -> Option<String>;

    /// Masks the attributes `on` of a table; all others stay as they are.
    ///
    /// # Randomness
    /// One stream an attribute, by its name: masking fewer attributes changes no other one.
    ///
    /// # Errors
    /// Usage, when the parameters can have no effect on this table or an attribute cannot be masked.
    fn mask(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked>;
}

/// A masked table, what may be published about it, and what was done.
#[derive(Debug)]
pub struct Masked {
    /// The masked table.
    pub table: Table,
    /// What may be published.
    pub statement: Statement,
    /// What was done to each masked attribute, in the order asked for.
    pub effects: Vec<Effect>,
}

/// What a method did to one attribute, in numbers of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The attribute.
    pub attribute: String,
    /// Values that could be masked: all that are not missing.
    pub values: usize,
    /// Values that differ from the original.
    pub changed: usize,
    /// Values for which the method found no partner; they stay as they were.
    pub without_partner: usize,
    /// Missing values, left in place.
    pub missing: usize,
}
