//! Reading tables, and what is to be said of how they were read.

use std::path::Path;

use super::{console::Console, files};
use crate::{
    error::{Error, Result},
    report::text,
    table::{ReadOptions, Table},
};

/// So many names of a list are shown.
const NAMES_SHOWN: usize = 12;

/// Reads a table.
///
/// # Errors
/// Whatever reading objects to; and Input, when the first line may hold names or a record and nobody said which.
pub fn read_table(path: &Path, options: &ReadOptions, console: &Console) -> Result<Table> {
    let table = read_in_doubt(path, options, console)?;
    match table.first_line_doubt() {
        None => Ok(table),
        Some(doubt) => Err(Error::input(format!(
            "the first line may hold names or a record: {doubt}"
        ))
        .in_file(table.name())
        .remedy("State --header if it holds names, --no-header if it is a record; 'sdcrisk describe' shows both readings")),
    }
}

/// Reads a table, also where the first line may be a record: for commands that show how a file is read.
pub fn read_in_doubt(path: &Path, options: &ReadOptions, console: &Console) -> Result<Table> {
    let table = console.stage("read", || files::read_table(path, options))?;
    for note in table.notes().iter().filter(|note| note.attribute.is_none()) {
        console.note(&format!("note: {}: {note}", table.name()));
    }
    let unmatched = options.roles.unmatched(&table);
    if !unmatched.is_empty() {
        console.unused(&format!(
            "{} does not have all that the roles file names: {}",
            table.name(),
            text::names(&unmatched, NAMES_SHOWN)
        ))?;
    }
    Ok(table)
}
