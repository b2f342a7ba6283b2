//! What the user says about how a file is written.

use super::dialect::can_delimit;
use super::encoding::Encoding;
use super::number::thousands_bytes;
use super::roles::{FileSection, Roles, THOUSANDS_WORDS, check_decimal_mark};
use crate::error::{Error, Result};

/// What the user says about a file; whatever is `None` is worked out. The options win over the roles file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadOptions {
    /// The byte between two cells.
    pub delimiter: Option<u8>,
    /// `.` or `,`.
    pub decimal_mark: Option<char>,
    /// What separates groups of three digits; `Some(None)` says that nothing does.
    pub thousands_mark: Option<Option<char>>,
    /// How characters are written as bytes.
    pub encoding: Option<Encoding>,
    /// What stands for a missing value, instead of the default markers, of which the empty cell is one. An empty cell that is not
    /// listed is a value of its own in an attribute of text; where every other cell is a number it is missing all the same.
    pub na: Option<Vec<String>>,
    /// Whether the first record holds the names.
    pub header: Option<bool>,
    /// So many lines stand above the table (a title, a date): they are no part of it, and are not written.
    pub skip_lines: Option<u64>,
    /// Of a Parquet file, the attributes to read; those that it lacks are passed over. Nothing else of it is decoded. Of no use for text.
    pub columns: Option<Vec<String>>,
    /// A text of at least so many bytes is let go once it was read, if it can be written again: where every attribute has plain
    /// numbers of few digits, or few different cells. Nothing else changes; whoever asks for a cell, or for all numbers at once, gets them. `None`: it stays.
    pub condense_from: Option<usize>,
    /// What a roles file says.
    pub roles: Roles,
}

impl ReadOptions {
    /// Texts of so many bytes are worth the look at every cell that it takes to let them go.
    pub const LARGE: usize = 1 << 28;

    /// The same options for a file beside this one, such as its masked file: names that it lacks are passed over
    /// ([`Roles::for_another_file`]), and no lines above its table are skipped, since the program writes none.
    #[must_use]
    pub fn for_another_file(self) -> Self {
        Self {
            skip_lines: None,
            roles: self.roles.for_another_file(),
            ..self
        }
    }

    /// The options, and where they say nothing the roles file.
    pub(super) fn merged(&self) -> Result<FileSection> {
        let file = &self.roles.file;
        let merged = FileSection {
            delimiter: self.delimiter.or(file.delimiter),
            decimal_mark: self.decimal_mark.or(file.decimal_mark),
            thousands_mark: self.thousands_mark.or(file.thousands_mark),
            encoding: self.encoding.or(file.encoding),
            header: self.header.or(file.header),
            skip_lines: self.skip_lines.or(file.skip_lines),
            na: self.na.clone().or_else(|| file.na.clone()),
        };
        if merged
            .delimiter
            .is_some_and(|delimiter| !can_delimit(delimiter))
        {
            return Err(Error::usage(
                "the delimiter must be one ASCII sign; letters, digits, quotes, line ends and \"+-.\" cannot delimit",
            ));
        }
        if let Some(mark) = merged.decimal_mark {
            check_decimal_mark(mark).map_err(Error::usage)?;
        }
        if let Some(Some(mark)) = merged.thousands_mark {
            if thousands_bytes(mark, Encoding::Utf8).is_none() {
                return Err(Error::usage(format!(
                    "the thousands mark must be {THOUSANDS_WORDS}"
                )));
            }
            if merged.decimal_mark == Some(mark) {
                return Err(Error::usage(
                    "the decimal mark and the thousands mark are the same",
                ));
            }
        }
        Ok(merged)
    }
}
