//! The table layer from outside: bytes in, tables and bytes out.

mod changes;
mod condensed;
mod dialects;
mod errors;
mod guesses;
mod identity;
mod names;
mod numbers;
mod one_column;
mod oracle;
#[cfg(feature = "parquet")]
mod parquet;
mod replacing;
mod rereading;

use sdcrisk::error::Error;
use sdcrisk::table::{AttrId, ReadOptions, Roles, Table};

fn read(text: impl AsRef<[u8]>) -> Table {
    try_read(text).expect("a table")
}

fn try_read(text: impl AsRef<[u8]>) -> Result<Table, Error> {
    Table::read("t.csv", text.as_ref().to_vec(), &ReadOptions::default())
}

fn read_with(text: impl AsRef<[u8]>, roles: &str) -> Result<Table, Error> {
    let options = ReadOptions {
        roles: Roles::parse(roles)?,
        ..ReadOptions::default()
    };
    Table::read("t.csv", text.as_ref().to_vec(), &options)
}

fn written(table: &Table) -> Vec<u8> {
    let mut bytes = Vec::new();
    table.write(&mut bytes).expect("memory");
    bytes
}

fn written_text(table: &Table) -> String {
    String::from_utf8(written(table)).expect("UTF-8")
}

fn id(place: usize) -> AttrId {
    AttrId::new(place)
}

/// The numbers of an attribute, `None` where missing.
fn values(table: &Table, place: usize) -> Vec<Option<f64>> {
    let numbers = table.numbers(id(place)).expect("an attribute of numbers");
    let one = |record: usize| (!numbers.missing.contains(record)).then_some(numbers.values[record]);
    (0..table.n_records()).map(one).collect()
}
