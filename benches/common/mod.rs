//! What the benchmarks share: generated files, runs of whole processes, and how figures are shown.
#![allow(dead_code, reason = "no benchmark uses all of it")]

pub mod data;
pub mod figures;
pub mod minimal;
pub mod process;

/// The words after `--` on the command line, without what `cargo bench` adds.
pub fn words() -> Vec<String> {
    std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect()
}
