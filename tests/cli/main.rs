//! The program as users call it.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on must fail where it stands"
)]

mod aggregates;
mod analyses;
mod atomic;
mod bad_input;
mod beyond;
mod brief;
mod browser;
mod calls;
mod copula;
mod crosswalk;
mod demo;
mod dialects;
mod enterprises;
mod evaluate;
mod explain;
mod few_records;
mod figures;
mod further_releases;
mod fuzz;
mod fuzzy;
mod guess;
mod histories;
mod idle_options;
mod ipso;
mod keeping;
mod learned;
mod link_counts;
mod loss;
mod manual;
mod maskings;
mod match_attributes;
mod memory;
mod merge;
mod microaggregation;
mod mixed_files;
mod not_compared;
mod office_file;
mod parquet;
mod permissions;
mod pipeline;
mod readme;
mod recipes;
mod recoding;
mod releases;
mod report;
mod reports;
#[path = "../common/results.rs"]
mod results;
mod risk;
mod sandbox;
mod schemas;
mod score;
mod search;
mod selftest;
mod singling;
mod standard_output;
mod survey;
mod unseen_signs;
mod verify;
