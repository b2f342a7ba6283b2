//! Writes a household survey of 20,000 people who do not exist, the file of the tutorial in `docs/survey.md`.
//!
//! ```text
//! cargo run --example household_survey > survey.csv
//! ```
//!
//! `sdcrisk demo --survey` writes the same.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(&sdcrisk::jobs::demo::household_survey(20_000))
}
