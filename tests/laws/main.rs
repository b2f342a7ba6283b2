//! Laws that hold for every file: checked on files that chance makes, against slow and obvious programs.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::print_stdout,
    reason = "tests, which show their figures"
)]

mod aggregates;
mod analyses;
mod architecture;
mod attacks_agree_with_oracle;
mod beyond;
mod bounds;
mod certificate_oracle;
mod certificates;
mod certificates_mutated;
mod certificates_of_files;
mod chi_square;
mod copula;
mod degenerate;
mod fuzzy_microaggregation;
mod guess;
mod history;
mod involution;
mod ipso;
mod keeping;
mod learned;
mod learned_optima;
#[path = "../common/least_squares.rs"]
mod least_squares;
mod likelihood;
mod likelihood_of_copula;
mod likelihood_of_values;
mod local_suppression;
mod loss;
mod mdav;
mod measures;
mod metamorphic;
mod microaggregation;
mod microaggregation_attack;
mod minimal_information;
mod mirror_images;
mod noise;
mod one_to_one;
mod oracle;
mod p_buckets;
mod p_distribution;
mod posterior;
mod pram;
mod probabilistic;
mod probabilistic_loss;
mod random_files;
mod rank_swapping;
mod reasons;
mod recoding;
mod refinement;
mod report;
mod requests;
#[path = "../common/results.rs"]
mod results;
mod risk;
mod schema;
mod slow_posterior;
mod spelling;
mod suppressed_cells;
mod swapping;
#[path = "../common/tables.rs"]
mod tables;
mod weights;
mod within_strata;
