//! Certificates: a proof, in a file, of how many records a learned distance can link at most; and their checker.
//!
//! A learned distance is a claim with two sides: these parameters link so many records, and no parameters of the family link more. A
//! [`Certificate`] carries both, with a proof that somebody else can check with another program: [`mod@format`] says what each number means.
//! [`check()`] is such a program. It shares no code with the search but sums and products without
//! rounding ([`crate::stats::exact`]): it reads the two files, standardises them, builds each row from the
//! definition of the family, and decides in exact arithmetic.
//!
//! | module | what |
//! |---|---|
//! | [`mod@format`] | the file |
//! | [`fingerprint`] | whether two files are the ones that the certificate speaks of |
//! | [`mod@check`] | the checker |
//! | `points`, `family`, `parameters` | standardised records, rows and parameters, from their definitions |
//! | `recount`, `conflicts`, `cells`, `cover` | what is counted and proven again |
//!
//! A certificate holds no record's values, but it says who is who: it is as private as a key.

mod cells;
pub mod check;
mod conflicts;
mod cover;
mod family;
pub mod fingerprint;
pub mod format;
mod multipliers;
mod parameters;
mod points;
mod recount;

use crate::stats::exact;
pub use check::check;
pub use fingerprint::Pairing;
pub use format::Certificate;
