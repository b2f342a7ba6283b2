//! Where the results of this call come from.

use crate::{report::provenance::Provenance, table::Table};

/// The words of this call and the tables that it read.
pub fn of(tables: &[&Table]) -> Provenance {
    // The name by which the program was called says nothing, and can hold a path of this machine.
    let words = std::env::args_os().skip(1);
    let command = std::iter::once("sdcrisk".to_string())
        .chain(words.map(|word| word.to_string_lossy().into_owned()))
        .collect();
    Provenance::new(command, tables)
}
