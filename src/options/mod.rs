//! What can be typed, and the request that it means: the options of each command with their help, the
//! values that they take, and how a call becomes the request of a job.
//!
//! Nothing here reads or writes. What a file holds that an option names is given by
//! [`Files`](files::Files); what is to be said of options goes to an [`Observer`].

pub mod console;
pub mod demo;
pub mod describe;
pub mod evaluate;
pub mod explain;
pub mod files;
mod grouping;
pub mod guess;
pub mod link;
pub mod loss;
pub mod mask;
pub mod match_attributes;
pub mod merge;
pub mod output;
pub mod pair;
pub mod plan;
pub mod program;
pub mod read;
pub mod records;
pub mod report;
pub mod risk;
pub mod roles;
pub mod rules;
pub mod score;
pub mod search;
pub mod selftest;
pub mod shown;
pub mod values;
pub mod verify;
pub mod words;

use crate::{error::Result, jobs::Observer};

/// Notes an option that was given and has no effect; `why` follows these words.
///
/// # Errors
/// Usage, under `--strict`.
fn note_idle(given: bool, option: &str, why: &str, observer: &dyn Observer) -> Result<()> {
    if given {
        observer.unused(&format!("{option} has no effect{why}"))
    } else {
        Ok(())
    }
}
