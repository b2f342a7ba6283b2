//! Tables from text.

use sdcrisk::table::{ReadOptions, Table};

/// The table of a CSV text, read as by default.
pub fn table(text: impl Into<Vec<u8>>) -> Table {
    Table::read("f.csv", text.into(), &ReadOptions::default()).unwrap()
}
