//! Writes the test files of learned distances into a folder: `M4-33_C_400_original.csv`, `M4-33_C_400_masked.csv` and so on.
//!
//! ```text
//! cargo run --release --example learned_files -- ../shared/data/census.csv target/learned
//! ```
//!
//! The Census file of the literature is not part of the project; this needs a copy of it.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "this program makes files to try things on"
)]

#[path = "../tests/common/learned_files.rs"]
mod learned_files;

use std::{
    fs::{self, File},
    io::BufWriter,
    path::Path,
    process::ExitCode,
};

use learned_files::{NAMES, Set, learned_file};
use sdcrisk::table::Table;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [census, folder] = words.as_slice() else {
        eprintln!("give the Census file and a folder to write to");
        return ExitCode::from(2);
    };
    let census = fs::read_to_string(census).unwrap();
    fs::create_dir_all(folder).unwrap();
    for set in Set::ALL {
        for name in NAMES {
            let (original, masked) = learned_file(&census, set, name);
            for (table, what) in [(original, "original"), (masked, "masked")] {
                let file = format!("{name}_{}_{what}.csv", set.suffix());
                write(&table, &Path::new(folder).join(file));
            }
        }
    }
    ExitCode::SUCCESS
}

fn write(table: &Table, path: &Path) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    table.write(&mut out).unwrap();
}
