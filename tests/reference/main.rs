//! Figures on the reference files of the literature. Not all of them are part of the project: a test skips where its file is
//! neither in `data` nor in `../shared/data`, and the last line says how many did.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests may fail loudly, say that they skip, and show their figures"
)]

mod aggregates;
mod analyses;
mod copula;
mod distances;
mod evaluate;
mod evaluation;
mod involution;
mod ipso;
mod learned;
#[path = "../common/learned_files.rs"]
mod learned_files;
mod learned_optima;
#[path = "../common/least_squares.rs"]
mod least_squares;
mod likelihood;
mod likelihood_of_values;
mod local_suppression;
mod loss;
mod loss_and_risk;
mod main_job;
mod match_attributes;
mod microaggregation;
mod microaggregation_attack;
mod microaggregation_loss;
mod noise;
mod one_to_one;
mod peers;
mod posterior;
mod probabilistic;
mod rank_swapping_table;
mod reading;
mod refinement;
mod risk;
mod study;

use std::{
    collections::BTreeSet,
    io::Write,
    sync::{Mutex, PoisonError},
    thread,
};

use sdcrisk::table::{ReadOptions, Table};

/// The tests that found no file to work on.
static SKIPPED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// After the last test, and after what the test harness says of them: what passes by being skipped must not look like what passed.
#[cfg(unix)]
#[ctor::dtor]
fn say_what_was_skipped() {
    let skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
    if !skipped.is_empty() {
        let names: Vec<&str> = skipped.iter().map(String::as_str).collect();
        // An error can no longer be reported.
        let _ = writeln!(
            std::io::stderr(),
            "reference tests: {} of those that passed were skipped, at least in part, for want of files in ../shared/data: {}",
            skipped.len(),
            names.join(", ")
        );
    }
}

/// A reference file, if it is there.
fn bytes(file: &str) -> Option<Vec<u8>> {
    std::fs::read(path(file)?).ok()
}

/// Where a reference file is: in the project if it is in the public domain, else beside it, if it is there.
fn path(file: &str) -> Option<std::path::PathBuf> {
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = ["data", "../shared/data"]
        .map(|folder| project.join(folder).join(file))
        .into_iter()
        .find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: there is no ../shared/data/{file} beside the project");
        let name = thread::current().name().unwrap_or("a test").to_owned();
        let mut skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
        skipped.insert(name);
    }
    found
}

fn table(file: &str) -> Option<Table> {
    Some(Table::read(file, bytes(file)?, &ReadOptions::default()).unwrap())
}
