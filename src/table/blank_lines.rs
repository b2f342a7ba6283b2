//! Lines of a file that hold nothing but blanks.

use serde::Serialize;

/// Lines that hold nothing but blanks, counted by what they are.
///
/// In a file of one attribute such a line after the header is how a missing value looks, so it is a record: passed over it would
/// set the file one record out of step with another. In other files it is no record. What follows the last line end is no
/// line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BlankLines {
    /// How many are no records.
    pub skipped: u64,
    /// How many are records of one missing value.
    pub records: u64,
}

impl BlankLines {
    /// The counts in words; nothing if there are no such lines.
    pub fn in_words(&self) -> Option<String> {
        let lines = |count, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 blank line {one}")),
            _ => Some(format!("{count} blank lines {many}")),
        };
        let parts = [
            lines(
                self.records,
                "is read as a record with a missing value",
                "are read as records with a missing value",
            ),
            lines(self.skipped, "is skipped", "are skipped"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
