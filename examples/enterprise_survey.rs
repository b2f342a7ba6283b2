//! Writes a survey of 2,000 enterprises that do not exist, the file of the tutorial in `docs/enterprises.md`.
//!
//! ```text
//! cargo run --example enterprise_survey > enterprises.csv
//! ```
//!
//! `sdcrisk demo --enterprises` writes the same.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(&sdcrisk::jobs::demo::enterprise_survey(2_000))
}
