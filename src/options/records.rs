//! Records that an intruder knows, or that are learned from: how many, or a file that lists them.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::files::{Files, name_of};
use crate::{
    error::Result,
    jobs::link::request::{KnownRecords, RecordList},
};

/// A number, or the name of a file where it is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NumberOrFile {
    /// A number.
    Number(usize),
    /// A file.
    File(PathBuf),
}

impl From<OsString> for NumberOrFile {
    fn from(text: OsString) -> Self {
        match text.to_str().and_then(|text| text.parse().ok()) {
            Some(number) => Self::Number(number),
            None => Self::File(text.into()),
        }
    }
}

impl NumberOrFile {
    /// The number.
    pub fn number(&self) -> Option<usize> {
        match self {
            Self::Number(number) => Some(*number),
            Self::File(_) => None,
        }
    }

    /// The file.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Number(_) => None,
            Self::File(path) => Some(path),
        }
    }
}

/// What `--known-records` says: a number, a file that lists them, or all where it says nothing.
///
/// # Errors
/// What reading the file objects to.
pub fn known_records(wish: Option<&NumberOrFile>, files: &dyn Files) -> Result<KnownRecords> {
    match wish {
        None => Ok(KnownRecords::All),
        Some(NumberOrFile::Number(count)) => Ok(KnownRecords::Drawn(*count)),
        Some(NumberOrFile::File(path)) => read_records(path, files).map(KnownRecords::Listed),
    }
}

/// A file with one record number or identifier a line.
///
/// # Errors
/// What reading objects to; what the lines say is looked at when the records are known.
pub fn read_records(path: &Path, files: &dyn Files) -> Result<RecordList> {
    let text = files.text(path)?;
    Ok(RecordList::of_text(&name_of(path), &text))
}
