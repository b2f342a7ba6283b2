//! The original as it is compared with a masked file whose history is known.

use super::RiskRequest;
use crate::{
    error::Result,
    evaluate::{comparable::Doubt, link::Shared},
    jobs::{
        Observer, Quiet, history,
        link::{Stated, check_statement},
        pair,
    },
    statement::Statement,
    table::{AttrId, Table},
};

/// The original beside the masked file, recoded as the steps of the history say; as it is where there is no history.
///
/// Measures of the original by itself are of the file as it was collected, so that before and after show what recoding did.
pub(super) struct Recoded<'a> {
    /// What is known of a person, recoded throughout: an intruder recodes what they know.
    pub known: Table,
    /// What masked values disclose. Numbers that are still numbers are those that were collected, since it is these that a rounded or a
    /// top-coded value is near to or far from; what became classes or shorter codes is recoded, so that a class is right or wrong.
    pub values: Table,
    statement: Option<&'a Statement>,
}

impl<'a> Recoded<'a> {
    /// # Errors
    /// Usage and Input, when the statement is of another file, or a rule of it could be of none.
    pub fn new(
        request: &RiskRequest,
        pair: &pair::Files,
        stated: Option<Stated<'a>>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let original = &pair.original;
        let Some(Stated { statement, file }) = stated else {
            return Ok(Self {
                known: original.clone(),
                values: original.clone(),
                statement: None,
            });
        };
        let (alignment, masked) = (&request.alignment, &pair.masked);
        check_statement(statement, file, alignment, masked, Some(&pair.truth))?;
        let are_numbers_in_both = |id: AttrId| {
            let other = masked.find(&original.attribute(id).name);
            original.has_numbers(id) && other.is_ok_and(|id| masked.has_numbers(id))
        };
        let recoded = |stays: &dyn Fn(AttrId) -> bool, observer: &dyn Observer| {
            history::recoded(statement, original, stays, observer)
                .map(|recoded| recoded.unwrap_or_else(|| original.clone()))
                .map_err(|error| error.in_file(file))
        };
        Ok(Self {
            known: recoded(&|_| false, observer)?,
            // What could not be recoded was noted once.
            values: recoded(&are_numbers_in_both, &Quiet)?,
            statement: Some(statement),
        })
    }

    /// The attributes that cannot be compared in earnest, whatever the history explains.
    pub fn doubts(&self, pair: &pair::Files) -> Vec<Doubt> {
        pair.doubts_beside(&self.known, self.statement)
    }

    /// Those of the confidential attributes that were masked, and that are not among the compared ones.
    pub fn masked_confidential(&self, pair: &pair::Files, confidential: &[AttrId]) -> Vec<Shared> {
        pair.masked_among(
            &self.values,
            |id| confidential.contains(&id),
            self.statement,
        )
    }

    /// The attributes of the original that the history recodes.
    pub fn names(&self, original: &Table) -> Vec<String> {
        let Some(statement) = self.statement else {
            return Vec::new();
        };
        let names = original.ids().map(|id| &original.attribute(id).name);
        let names = names.filter(|name| statement.recodes_attribute(name));
        names.cloned().collect()
    }
}
