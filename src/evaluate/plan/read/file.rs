//! What a plan says of its originals.

use toml::de::DeTable;

use super::{PlannedFile, PlannedOption, READING, Source};
use crate::{
    error::Result,
    evaluate::plan::{PlannedRecords, source::Entry},
};

/// The keys of an original, beside those of how it is read.
pub(super) const FILE_KEYS: [&str; 5] = ["original", "attributes", "known", "repeats", "records"];

/// What a plan says of an original, or of all.
#[derive(Default)]
pub(super) struct FileKeys {
    /// Its name, and where it is named.
    original: Option<(String, u64)>,
    attributes: Option<String>,
    known: Option<Vec<String>>,
    repeats: Option<u32>,
    records: Option<PlannedRecords>,
    reading: Vec<PlannedOption>,
}

impl FileKeys {
    /// The keys of `[[file]]`.
    pub fn read<'a>(source: Source<'a>, line: u64, table: &DeTable<'a>) -> Result<Self> {
        let known = [&FILE_KEYS[..], &READING].concat();
        let mut keys = Self::default();
        for entry in source.entries(table) {
            keys.take(source, &entry, "[[file]]", &known)?;
        }
        source.ensure(
            keys.original.is_some(),
            Some(line),
            "[[file]] names no original",
            "Write original = \"FILE.csv\"",
        )?;
        Ok(keys)
    }

    /// Takes a key of a `place` that has these `known` ones.
    pub fn take(
        &mut self,
        source: Source<'_>,
        entry: &Entry<'_, '_>,
        place: &str,
        known: &[&str],
    ) -> Result<()> {
        match entry.key.as_str() {
            "original" => self.original = Some((source.text(entry)?, entry.line)),
            "attributes" => self.attributes = Some(source.text(entry)?),
            "known" => self.known = Some(source.texts(entry)?),
            "repeats" => self.repeats = Some(source.repeats(entry)?),
            "records" => self.records = Some(source.records(entry)?),
            key if READING.contains(&key) => {
                self.reading.push(PlannedOption::read(source, entry)?);
            }
            _ => return Err(source.unknown(entry, place, known)),
        }
        Ok(())
    }

    /// The file, with what is said of all where it says nothing itself; `None` for keys that name no original.
    fn planned(self, all: &Self) -> Option<PlannedFile> {
        let (original, line) = self.original?;
        Some(PlannedFile {
            original,
            line,
            attributes: self.attributes.or_else(|| all.attributes.clone()),
            known: self.known.or_else(|| all.known.clone()).unwrap_or_default(),
            repeats: self.repeats.or(all.repeats),
            records: self.records.or_else(|| all.records.clone()),
            reading: if self.reading.is_empty() {
                all.reading.clone()
            } else {
                self.reading
            },
        })
    }
}

/// The originals: the `only` one, or those of `[[file]]`, of all of which the keys at the top speak.
///
/// # Errors
/// Input, when there is none, or one is named twice.
pub(super) fn planned(
    source: Source<'_>,
    only: FileKeys,
    files: Vec<FileKeys>,
) -> Result<Vec<PlannedFile>> {
    let both = (only.original.as_ref()).filter(|_| !files.is_empty());
    source.ensure(
        both.is_none(),
        both.map(|(_, line)| *line),
        "original and [[file]] both name files",
        "Name all originals by [[file]]",
    )?;
    let mut planned: Vec<PlannedFile> = (files.into_iter())
        .filter_map(|file| file.planned(&only))
        .collect();
    planned.extend(only.planned(&FileKeys::default()));
    source.ensure(
        !planned.is_empty(),
        None,
        "names no original",
        "Write original = \"FILE.csv\"",
    )?;
    for (place, file) in planned.iter().enumerate() {
        let is_same = |other: &PlannedFile| other.original == file.original;
        if planned[..place].iter().any(is_same) {
            return Err(source.error(file.line, "names a file that was named before"));
        }
    }
    Ok(planned)
}
