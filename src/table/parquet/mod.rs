//! Parquet files, one alone or many in a folder: read as text, and written.
//!
//! A Parquet file is read as the CSV file that would hold it, so that roles, statements and every method meet the table that they know: comma,
//! decimal point, UTF-8, a line of names, quotes where a cell needs them. An attribute has the same spelling for the same value throughout:
//!
//! | type | as text |
//! |---|---|
//! | null | the empty cell, as the empty text |
//! | integer | its digits |
//! | float, double | the shortest digits that give this very number back (23.5; 23 without `.0`); NaN is missing |
//! | decimal | all its decimals (12.50) |
//! | boolean | `true`, `false` |
//! | date | 2011-02-03 |
//! | timestamp | 2011-02-03T04:05:06, with 3, 6 or 9 decimals of the second where these are not 0, and `Z` where it is of UTC |
//! | time | 04:05:06, likewise |
//! | text, also in dictionaries | as it is |
//!
//! Lists, records, maps and plain bytes are refused.
//!
//! # Folders
//! The records of a folder are those of its files, in the order of their paths, byte by byte and folder by folder. Names that begin with `.` or
//! `_` are passed over. A folder `region=03` on the way to a file makes an attribute of text, whose cell is `03` in all records of the file;
//! `%` escapes are decoded, `__HIVE_DEFAULT_PARTITION__` is missing. An attribute that the files have themselves is taken from there.
//!
//! # Trust
//! A file may be damaged. What the library `parquet` would take room for on a file's word (children of the schema, dictionaries, pages, lengths
//! of texts) is checked before, and a panic of it is an error.

use std::fmt;

#[cfg(feature = "parquet")]
mod folder;
#[cfg(feature = "parquet")]
mod kind;
#[cfg(feature = "parquet")]
mod plausible;
#[cfg(feature = "parquet")]
mod read;
#[cfg(feature = "parquet")]
mod spell;
#[cfg(feature = "parquet")]
mod write;

#[cfg(feature = "parquet")]
pub(super) use {kind::Kind, read::text, write::write};

#[cfg(not(feature = "parquet"))]
mod absent;
#[cfg(not(feature = "parquet"))]
pub(super) use absent::{Kind, text, write};

use super::sha256;
use crate::error::{Error, Result};

/// A file of a folder that holds a table in parts.
#[derive(Clone, PartialEq, Eq)]
pub struct PartFile {
    /// Where it is below the folder: `region=03/part-0.parquet`.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The path only: content is records.
impl fmt::Debug for PartFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartFile")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// What Parquet files became.
pub(super) struct Text {
    /// The table as CSV.
    pub bytes: Vec<u8>,
    /// The type of each attribute; `None` where the parts of a folder differ.
    pub kinds: Vec<Option<Kind>>,
}

/// Whether these are the bytes of a Parquet file, whole or cut off. Text never is: after the letters `PAR1` comes a byte that no text has.
pub(super) fn is_parquet(bytes: &[u8]) -> bool {
    let binary = |byte: &u8| byte.is_ascii_control() && !b"\t\n\r".contains(byte);
    bytes.starts_with(b"PAR1") && bytes.get(4).is_some_and(binary)
        || bytes.starts_with(b"PARE") && bytes.ends_with(b"PARE") && bytes.contains(&0)
}

/// Puts the files of a folder in the order of their records, and gives SHA-256 of what `sha256sum` prints of them in this order.
pub fn sum_of_folder(files: &mut [PartFile]) -> String {
    files.sort_by(|a, b| a.path.split('/').cmp(b.path.split('/')));
    let lines = files
        .iter()
        .map(|file| format!("{}  {}\n", sha256(&file.bytes), file.path));
    sha256(lines.collect::<String>().as_bytes())
}

/// Whether the program can read and write Parquet.
///
/// # Errors
/// Usage, with what to do, when it was built without.
pub fn supported() -> Result<()> {
    if cfg!(feature = "parquet") {
        Ok(())
    } else {
        Err(unsupported())
    }
}

fn unsupported() -> Error {
    Error::usage("this program was built without Parquet").remedy(
        "Build it with 'cargo build --release', without --no-default-features, or convert the file to CSV, as DuckDB does: \
         duckdb -c \"copy 'in.parquet' to 'in.csv'\"",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parquet_is_known_by_its_bytes_and_text_is_not_taken_for_it() {
        for bytes in [
            &b"PAR1\x15\x04\x15"[..],
            b"PAR1\x15\x02\x19\x00PAR1",
            b"PARE\x1c\0\0\0PARE",
        ] {
            assert!(is_parquet(bytes), "{bytes:?}");
        }
        for text in [
            "",
            "PAR1",
            "PAR1,PAR2\n1,2\n",
            "PAR1\n5\n",
            "PAR1\r\n5",
            "PAR1\t2\n",
            "PAREN\nPARE",
            "x,PAR1\n",
            "PAR1é\n",
        ] {
            assert!(!is_parquet(text.as_bytes()), "{text:?}");
        }
    }

    /// `printf x > a-b/z; printf y > a/z; sha256sum a/z a-b/z | sha256sum`
    #[test]
    fn files_follow_each_other_by_folder_and_their_sum_is_that_of_sha256sum() {
        let file = |path: &str, bytes: &[u8]| PartFile {
            path: path.into(),
            bytes: bytes.into(),
        };
        let mut files = [file("a-b/z", b"x"), file("a/z", b"y")];
        let sum = sum_of_folder(&mut files);
        assert_eq!(files.each_ref().map(|file| &*file.path), ["a/z", "a-b/z"]);
        assert_eq!(
            sum,
            "ee2cd7e354f302d416a4e2b56fee28e8b6c18ef0910a1c2daadbb77a9df4601b"
        );
    }
}
