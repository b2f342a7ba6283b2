//! What the commands do, one job each: a request and tables go in, a report comes out.
//!
//! A job knows nothing of how its request was made: no command line, no terminal, no files. What it has to say while it
//! works goes to an [`Observer`], which also decides how long a search may take. Whoever writes another front end (a
//! binding, a recipe, a service) starts here.

pub(crate) mod groups;
pub mod link;
mod observer;

pub use observer::{Observer, Quiet};

use crate::{error::Result, evaluate::comparable::Doubt};

/// Warns of the attributes of two files that cannot be compared in earnest.
///
/// # Errors
/// What the observer makes of a warning.
pub(crate) fn warn_of(doubts: &[Doubt], observer: &dyn Observer) -> Result<()> {
    let mut doubts = doubts.iter();
    doubts.try_for_each(|doubt| observer.warn(&doubt.text()))
}
