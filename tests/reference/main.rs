//! Figures on the reference files of the literature. They are not part of the project: each test skips with a message
//! where `../shared/data` is absent.
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

use sdcrisk::table::{ReadOptions, Table};

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
    }
    found
}

fn table(file: &str) -> Option<Table> {
    Some(Table::read(file, bytes(file)?, &ReadOptions::default()).unwrap())
}
