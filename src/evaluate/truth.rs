//! The true matches: which masked record belongs to which original record.

use std::collections::BTreeMap;

use crate::{
    error::{Difference, Error, Reason, Result},
    table::{AttrId, Table},
};

/// A record of the original, by its place in the file from 0. The same place of the masked file is somebody else, unless the files are in
/// the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OriginalRecord(pub u32);

/// A record of the masked file, by its place in it from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaskedRecord(pub u32);

impl OriginalRecord {
    /// All records of a file that is the original, in file order.
    pub fn all(original: &Table) -> Vec<Self> {
        (0..).map(Self).take(original.n_records()).collect()
    }

    /// The place as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl MaskedRecord {
    /// All records of a file that is the masked one, in file order.
    pub fn all(masked: &Table) -> Vec<Self> {
        (0..).map(Self).take(masked.n_records()).collect()
    }

    /// The place as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The masked record of each original record, as far as there is one. No attack ever sees this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    masked_of: Vec<Option<u32>>,
}

impl Truth {
    /// Record i of the one file is record i of the other.
    ///
    /// # Errors
    /// Input, when the files differ in length.
    pub fn by_order(original: &Table, masked: &Table) -> Result<Self> {
        let (left, right) = (original.n_records(), masked.n_records());
        if left != right {
            return Err(Error::files_of_other_lengths(right, left, |right, left| {
                format!("has {right} records, the original has {left}: they cannot be the same people line by line")
            })
            .in_file(masked.name())
            .remedy("Name a column that identifies a record in both files with --id"));
        }
        Ok(Self {
            masked_of: (0..left).map(|record| u32::try_from(record).ok()).collect(),
        })
    }

    /// Nothing is said of anybody: of a file in which nobody is looked for.
    pub fn of_nobody(original: &Table) -> Self {
        Self {
            masked_of: vec![None; original.n_records()],
        }
    }

    /// Records with the same text in an identifying attribute, by its names in the two files, are the same person. Files may differ in
    /// length and order.
    ///
    /// # Missing
    /// A record without an identifier has no counterpart.
    ///
    /// # Errors
    /// Input, when an identifier occurs twice in a file, or no identifier occurs in both.
    pub fn by_identifier(original: &Table, masked: &Table, ids: [&str; 2]) -> Result<Self> {
        let mut masked_records = identifiers(masked, masked.find(ids[1])?)?;
        let column = original.find(ids[0])?;
        // Asked for its own sake: a duplicate in the original is an error too.
        identifiers(original, column)?;
        let masked_of: Vec<Option<u32>> = (0..original.n_records())
            .map(|record| {
                let key = identifier(original, record, column)?;
                masked_records.remove(&key)
            })
            .collect();
        if masked_of.iter().all(Option::is_none) {
            return Err(
                Error::input("no identifier of it occurs in the original file")
                    .because(Reason::FilesDiffer {
                        by: Difference::People,
                    })
                    .in_file(masked.name())
                    .on_attribute(ids[1])
                    .remedy(
                        "Check that --id names the column that identifies a record in both files",
                    ),
            );
        }
        Ok(Self { masked_of })
    }

    /// As a key says, line by line.
    ///
    /// # Errors
    /// Input, when a record is named twice or does not exist, or none is named.
    pub fn by_key(
        n_original: usize,
        n_masked: usize,
        pairs: &[(MaskedRecord, OriginalRecord)],
    ) -> Result<Self> {
        let mut masked_of = vec![None; n_original];
        let mut seen = vec![false; n_masked];
        for (line, &(masked, original)) in pairs.iter().enumerate() {
            let fits = masked.index() < n_masked
                && original.index() < n_original
                && !seen[masked.index()]
                && masked_of[original.index()].is_none();
            if !fits {
                return Err(Error::input(
                    "names a record that does not exist in these files, or that it named before",
                )
                .because(Reason::FilesDiffer {
                    by: Difference::People,
                })
                .at_line(line as u64 + 2)
                .remedy("Give the key that 'mask --shuffle' wrote with this masked file"));
            }
            seen[masked.index()] = true;
            masked_of[original.index()] = Some(masked.0);
        }
        if pairs.is_empty() {
            return Err(
                Error::too_few_records(0, 1, |_, _| "names no record at all".into())
                    .remedy("Give the key that 'mask --shuffle' wrote with this masked file"),
            );
        }
        Ok(Self { masked_of })
    }

    /// The masked record of an original one, if there is one.
    pub fn masked_of(&self, original: OriginalRecord) -> Option<MaskedRecord> {
        let masked = self.masked_of.get(original.index()).copied().flatten();
        masked.map(MaskedRecord)
    }

    /// The place of the masked record of each original record, for the checker of proofs, which has types of its own.
    pub fn places(&self) -> &[Option<u32>] {
        &self.masked_of
    }

    /// The places of the records that both files have, as [original, masked], by original record.
    pub fn records(&self) -> Vec<[u32; 2]> {
        (0..)
            .zip(&self.masked_of)
            .filter_map(|(original, masked)| Some([original, (*masked)?]))
            .collect()
    }

    /// How many original records have a masked one.
    pub fn pairs(&self) -> usize {
        self.masked_of.iter().flatten().count()
    }
}

/// The names of the identifier in the original and in the masked file: `NAME`, or `A=B` where the original has no column `A=B`.
pub fn id_columns<'a>(id: &'a str, original: &Table) -> [&'a str; 2] {
    match id.split_once('=') {
        Some((original_name, masked_name)) if original.find(id).is_err() => {
            [original_name.trim(), masked_name.trim()]
        }
        _ => [id, id],
    }
}

/// The text that identifies a record, without blanks around it; `None` where it is missing.
pub fn identifier(table: &Table, record: usize, id: AttrId) -> Option<String> {
    if table.is_missing(record, id) {
        return None;
    }
    Some(table.text(record, id).trim().to_string())
}

/// The record of each identifier.
///
/// # Errors
/// Input, when an identifier occurs twice.
pub fn identifiers(table: &Table, id: AttrId) -> Result<BTreeMap<String, u32>> {
    let mut records = BTreeMap::new();
    for record in 0..table.n_records() {
        let Some(key) = identifier(table, record, id) else {
            continue;
        };
        let index = u32::try_from(record).unwrap_or(u32::MAX);
        if records.insert(key, index).is_some() {
            return Err(Error::input(
                "identifies a record that an earlier line identified already",
            )
            .in_file(table.name())
            .at_line(table.line_of(record))
            .not_unique(&table.attribute(id).name)
            .remedy("--id wants a column whose values are all different"));
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    fn table(name: &str, text: &str) -> Table {
        Table::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn identifiers_align_files_of_different_length_and_order() {
        let original = table("o.csv", "id,x\nanna,1\nbert,2\n,3\ncleo,4\n");
        let masked = table("m.csv", "x,id\n9,cleo\n8,anna\n7,dora\n6,\n");
        let truth = Truth::by_identifier(&original, &masked, ["id"; 2]).unwrap();
        assert_eq!(truth.places(), [Some(1), None, None, Some(0)]);
        assert_eq!(truth.masked_of(OriginalRecord(3)), Some(MaskedRecord(0)));
        assert_eq!(
            truth.masked_of(OriginalRecord(4)),
            None,
            "nobody of this file"
        );
        assert_eq!(truth.pairs(), 2);
    }

    #[test]
    fn a_repeated_identifier_is_an_error_with_its_line() {
        let original = table("o.csv", "id,x\na,1\nb,2\na,3\n");
        let masked = table("m.csv", "id,x\na,1\nb,2\n");
        let error = Truth::by_identifier(&original, &masked, ["id"; 2]).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("o.csv, line 4, attribute \"id\""),
            "{error}"
        );
        let error = Truth::by_identifier(&masked, &original, ["id"; 2]).unwrap_err();
        assert!(error.to_string().starts_with("o.csv, line 4"), "{error}");
    }

    #[test]
    fn files_of_different_length_need_an_identifier() {
        let error =
            Truth::by_order(&table("o.csv", "x\n1\n2\n"), &table("m.csv", "x\n1\n")).unwrap_err();
        assert!(error.to_string().contains("--id"), "{error}");
    }

    #[test]
    fn a_key_must_fit() {
        let by_key = |pairs: [(u32, u32); 2]| {
            let pairs =
                pairs.map(|(masked, original)| (MaskedRecord(masked), OriginalRecord(original)));
            Truth::by_key(2, 2, &pairs)
        };
        assert_eq!(
            by_key([(0, 1), (1, 0)]).unwrap().places(),
            [Some(1), Some(0)]
        );
        for pairs in [[(0, 1), (0, 0)], [(0, 1), (1, 1)], [(0, 2), (1, 0)]] {
            assert!(by_key(pairs).is_err());
        }
    }
}
