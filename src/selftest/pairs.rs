//! What examples share: bundled files, and an attack on a pair of them.

use crate::{
    attack::{Attack, Direction},
    error::Result,
    evaluate::{
        link::{self, Assign, Case, Outcome, Shared, Study},
        truth::{OriginalRecord, Truth},
    },
    table::{ReadOptions, Table, pair},
};

/// A bundled file.
pub fn table(name: &str, text: &str) -> Result<Table> {
    Table::read(name, text.as_bytes().to_vec(), &ReadOptions::default())
}

/// An original and its masked file, records in the same order.
pub struct Pair {
    pub original: Table,
    pub masked: Table,
}

impl Pair {
    pub fn new(original: &str, masked: &str) -> Result<Self> {
        Ok(Self {
            original: table("original", original)?,
            masked: table("masked", masked)?,
        })
    }

    /// All attributes.
    pub fn shared(&self) -> Result<Vec<Shared>> {
        self.original
            .ids()
            .map(|id| link::comparable(&self.original, &self.masked, id))
            .collect()
    }

    /// The values of both files, side by side.
    pub fn side_by_side(&self) -> Result<pair::Pair> {
        let shared = self.shared()?;
        let ids: Vec<_> = shared
            .iter()
            .map(|ids| [ids.original, ids.masked])
            .collect();
        let records = Truth::by_order(&self.original, &self.masked)?.records();
        Ok(pair::Pair::new(
            [&self.original, &self.masked],
            &ids,
            &records,
        ))
    }

    /// What an intruder who holds all original records and knows these attributes does.
    pub fn with_case<T>(
        &self,
        known: &[Shared],
        direction: Direction,
        work: impl FnOnce(&Case<'_>) -> Result<T>,
    ) -> Result<T> {
        let truth = Truth::by_order(&self.original, &self.masked)?;
        let everybody = OriginalRecord::all(&self.original);
        let study = Study::new(&self.original, &self.masked, &truth, everybody, direction);
        work(&study.case(known))
    }

    /// An attack with its links.
    pub fn attacked(
        &self,
        attack: &dyn Attack,
        known: &[Shared],
        direction: Direction,
    ) -> Result<Outcome> {
        self.with_case(known, direction, |case| {
            case.attack(attack, Assign::Best, true)
        })
    }
}

/// A record of a file, as it is printed.
pub fn record(text: &str, number: usize) -> &str {
    text.lines().nth(number).unwrap_or_default()
}
