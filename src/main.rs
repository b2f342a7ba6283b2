//! The `sdcrisk` program: parse, run, turn the outcome into an exit status. All else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    sdcrisk::cli::main()
}
