//! Laws that hold for every file: checked on files that chance makes, against slow and obvious programs.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]

mod architecture;
mod attacks_agree_with_oracle;
mod degenerate;
mod ipso;
#[path = "../common/least_squares.rs"]
mod least_squares;
mod metamorphic;
mod oracle;
mod random_files;
mod rank_swapping;
