//! What the commands do, one job each: a request and tables go in, a report comes out.
//!
//! A job knows nothing of how its request was made: no command line, no terminal, no files. What it has to say while it
//! works goes to an [`Observer`], which also decides how long a search may take. Whoever writes another front end (a
//! binding, a recipe, a service) starts here.
//! The [crate page](crate#examples) has an example of each.

mod crosswalk;
pub mod demo;
pub mod evaluate;
pub(crate) mod groups;
pub mod guess;
mod history;
pub mod link;
pub mod loss;
pub mod mask;
pub mod match_attributes;
pub mod merge;
mod observer;
pub mod pair;
pub mod report;
pub mod risk;
pub mod score;
pub mod search;

pub use observer::{Observer, Parts, Quiet};

use crate::{
    error::{Error, Result},
    evaluate::comparable::Doubt,
    table::Table,
};

/// Refuses files that have no records, and so nothing for the work that is wanted: `there is` what then.
///
/// # Errors
/// Input.
pub(crate) fn refuse_empty<'a>(
    tables: impl IntoIterator<Item = &'a Table>,
    there_is: &str,
) -> Result<()> {
    let mut tables = tables.into_iter();
    match tables.find(|table| table.n_records() == 0) {
        None => Ok(()),
        Some(empty) => Err(Error::no_records(empty.name(), Some(there_is))),
    }
}

/// Warns of the attributes of two files that cannot be compared in earnest.
///
/// # Errors
/// What the observer makes of a warning.
pub(crate) fn warn_of(doubts: &[Doubt], observer: &dyn Observer) -> Result<()> {
    let mut doubts = doubts.iter();
    doubts.try_for_each(|doubt| observer.warn(&doubt.text()))
}

/// A word as a shell takes it.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,/:%+~@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
