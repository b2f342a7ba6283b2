//! Results for people and for programs: data structures with a versioned schema, and their renderers. No arithmetic on
//! records happens here.

/// The I/O error behind an error of the CSV writer: a closed pipe must stay one.
pub fn io_error(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

pub mod calibration;
pub mod chart;
pub mod crosswalk;
pub mod describe;
pub mod evaluate;
pub mod explain;
pub mod figures;
pub mod guess;
pub mod html;
pub mod learned;
pub mod limit;
pub mod link;
pub mod loss;
pub mod masking;
pub mod match_attributes;
pub mod measurements;
pub mod part;
pub mod posterior;
pub mod probabilistic;
pub mod provenance;
pub mod risk;
mod schemas;
pub mod score;
pub mod search;
pub mod selftest;
pub mod spreadsheet;
pub mod text;
pub mod verify;
