//! What the intruder knows: which attributes, of which records.

use std::collections::BTreeSet;

use super::request::{Alignment, Known, KnownRecords, LinkRequest, RecordList};
use crate::{
    error::{Difference, Error, Reason, Result},
    evaluate::{
        knowledge::{self, Knowledge},
        link::{self, LeftOut, Shared},
        truth::{self, OriginalRecord, Truth},
        worst,
    },
    rng::{Purpose, Seed},
    table::Table,
};

/// Where no attribute can be compared, the reasons of so many are given.
const MAX_REASONS: usize = 4;

impl LinkRequest {
    /// The sets of attributes that the intruder knows, and the attributes left out of them.
    pub(super) fn cases(
        &self,
        original: &Table,
        masked: &Table,
        truth: &Truth,
        seed: &Seed,
    ) -> Result<(Vec<Vec<Shared>>, Vec<LeftOut>)> {
        check_names(original, masked)?;
        let (sets, attributes) = match &self.known {
            Known::Listed(list) => {
                let named = self.named("--known", list, original, masked)?;
                return Ok((vec![named], Vec::new()));
            }
            Known::Among { sets, attributes } => (sets, attributes),
        };
        let (shared, left_out) = match attributes {
            Some(list) => (
                self.named("--attributes", list, original, masked)?,
                Vec::new(),
            ),
            None => {
                let id = self.alignment.identifier();
                let aside = id.map(|id| truth::id_columns(id, original));
                link::shared_attributes(original, masked, aside)
            }
        };
        if shared.is_empty() && !left_out.is_empty() {
            let reasons = left_out.iter().take(MAX_REASONS);
            let reasons: Vec<String> = reasons
                .map(|left| format!("{} {}", left.attribute, left.why))
                .collect();
            return Err(Error::input(format!(
                "the two files share no attribute that can be compared ({}{})",
                reasons.join("; "),
                if left_out.len() > MAX_REASONS { "; …" } else { "" }
            ))
            .because(Reason::NothingToCompare)
            .remedy("Compare what 'sdcrisk describe' says of both files, or name attributes with --known"));
        }
        let (mut shared, mut left_out) = (shared, left_out);
        shared.retain(|attribute: &Shared| {
            let name = &original.attribute(attribute.original).name;
            let aligns = self.aligns_releases(name);
            if aligns {
                left_out.push(LeftOut {
                    attribute: name.clone(),
                    why: "says which records of the releases are the same person's".into(),
                });
            }
            !aligns
        });
        let cases = match sets {
            &Knowledge::Worst(size) => worst::sets(original, masked, truth, &shared, size)?,
            sets => sets.cases(shared.len(), || seed.streams(Purpose::Knowledge, 0).at(0))?,
        };
        let attributes = |case: Vec<usize>| case.into_iter().map(|k| shared[k]).collect();
        Ok((cases.into_iter().map(attributes).collect(), left_out))
    }

    /// Whether the identifier of the records is this attribute of either file.
    fn identifies(&self, name: &str, original: &Table) -> bool {
        let id = self.alignment.identifier();
        id.is_some_and(|id| truth::id_columns(id, original).contains(&name))
    }

    /// Whether releases are aligned by this attribute.
    fn aligns_releases(&self, name: &str) -> bool {
        self.release_id.as_deref() == Some(name)
    }

    /// The attributes of a list that this option gives, each of which must be fit for comparison.
    fn named(
        &self,
        option: &str,
        list: &str,
        original: &Table,
        masked: &Table,
    ) -> Result<Vec<Shared>> {
        let shared = |id| {
            let name = &original.attribute(id).name;
            if self.identifies(name, original) {
                return Err(Error::usage(
                    "is named by --id: it says who is who, and leaves nothing to be found out",
                )
                .on_attribute(name)
                .remedy(format!("Leave it out of {option}")));
            }
            if self.aligns_releases(name) {
                return Err(Error::usage(
                    "is named by --release-id: it says which records of the releases are the same person's",
                )
                .on_attribute(name)
                .remedy(format!("Leave it out of {option}")));
            }
            link::comparable(original, masked, id).map_err(|why| {
                Error::input(format!("cannot be compared: it {}", why.what()))
                    .for_the_reason_of(&why)
                    .on_attribute(name)
                    .remedy(format!(
                        "Leave it out of {option}; 'sdcrisk describe' shows how files were read"
                    ))
            })
        };
        original.select(list)?.into_iter().map(shared).collect()
    }

    /// The records of the original that the intruder holds, ascending.
    ///
    /// # Errors
    /// Usage or Input, when there are no such records.
    pub(super) fn held(&self, original: &Table, seed: &Seed) -> Result<Vec<OriginalRecord>> {
        let all = original.n_records();
        let count = match &self.records {
            KnownRecords::All => return Ok(OriginalRecord::all(original)),
            KnownRecords::Listed(list) => {
                return list.records(&self.alignment, original);
            }
            &KnownRecords::Drawn(count) => count,
        };
        if count == 0 || count > all {
            return Err(Error::option_out_of_range(
                "known-records",
                1.0..=all as f64,
                &format!("{count}: the original file has {all} records"),
            )
            .remedy(format!("Give a number from 1 to {all}")));
        }
        let mut rng = seed.streams(Purpose::Knowledge, 0).at(1);
        let drawn = knowledge::sample(all, count, &mut rng).into_iter();
        Ok(drawn.filter_map(record_at).collect())
    }
}

/// The record of the original at a place.
fn record_at(place: usize) -> Option<OriginalRecord> {
    u32::try_from(place).ok().map(OriginalRecord)
}

impl RecordList {
    /// The records of the original, ascending.
    ///
    /// # Errors
    /// Input, when a line names no record, or one that another line names, or when there is no line.
    pub(super) fn records(
        &self,
        alignment: &Alignment,
        original: &Table,
    ) -> Result<Vec<OriginalRecord>> {
        let by_id = match alignment.identifier() {
            None => None,
            Some(id) => {
                let [name, _] = truth::id_columns(id, original);
                Some(truth::identifiers(original, original.find(name)?)?)
            }
        };
        let mut held = BTreeSet::new();
        for (line, text) in &self.lines {
            let record = match &by_id {
                Some(records) => records.get(text).copied().map(OriginalRecord),
                None => text
                    .parse::<usize>()
                    .ok()
                    .filter(|&number| number >= 1 && number <= original.n_records())
                    .and_then(|number| record_at(number - 1)),
            };
            let remedy = "Write one record number (with --id: one identifier) a line, each once";
            let wrong = |what: String| {
                Error::input(what)
                    .in_file(&self.file)
                    .at_line(*line)
                    .remedy(remedy)
            };
            let record = record.ok_or_else(|| {
                wrong(match by_id {
                    Some(_) => "names no record of the original file".into(),
                    None => format!("is not a record number from 1 to {}", original.n_records()),
                })
            })?;
            if !held.insert(record) {
                return Err(wrong("names a record that an earlier line named".into()));
            }
        }
        if held.is_empty() {
            return Err(
                Error::too_few_records(0, 1, |_, _| "names no record".into())
                    .in_file(&self.file)
                    .remedy("Write one record number (with --id: one identifier) a line"),
            );
        }
        Ok(held.into_iter().collect())
    }
}

/// Names that were made from places differ between files of different width: nobody would know which is which.
fn check_names(original: &Table, masked: &Table) -> Result<()> {
    let own = original.has_own_names() && masked.has_own_names();
    if own || original.n_attributes() == masked.n_attributes() {
        return Ok(());
    }
    let (have, expected) = (masked.n_attributes(), original.n_attributes());
    Err(Error::input(format!(
            "has {have} attributes, {} has {expected}, and not all have names of their own: which is which is not known",
            original.name(),
        ))
        .because(Reason::FilesDiffer { by: Difference::Attributes { have, expected } })
    .in_file(masked.name())
    .remedy("Give both files a header with different names, or mask with --keep-identifiers for the evaluation"))
}
