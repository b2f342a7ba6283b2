//! Laws that hold for every file: checked on files that chance makes, against slow and obvious programs.

mod architecture;
mod attacks_agree_with_oracle;
mod degenerate;
mod metamorphic;
mod oracle;
mod random_files;
mod rank_swapping;
