//! Figures of papers and hand-worked examples, a file a source.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]

mod aggregates_example;
mod analyses;
mod bundled_data;
mod choquet_example;
mod expectation_maximisation;
mod fuzzy_c_means;
mod handbook_example;
mod intersection_example;
mod invariant_matrices;
mod kernel_density;
mod learned_example;
#[path = "../common/learned_toys.rs"]
mod learned_toys;
mod microaggregation_attack_example;
mod microaggregation_example;
mod recoding_example;
#[path = "../common/tables.rs"]
mod tables;
