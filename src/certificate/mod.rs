//! Certificates: a proof, in a file, of how many records a learned distance can link at most; and their checker.
//!
//! A learned distance is a claim with two sides: these parameters link so many records, and no parameters of the family link more. A
//! [`Certificate`] carries both, with a proof that somebody else can check with another program: [`format`] says what each number means.
//! [`check`] is such a program. It shares no code with the search: it reads the two files, standardises them, builds each row from the
//! definition of the family, and decides in exact arithmetic.
//!
//! | module | what |
//! |---|---|
//! | [`format`] | the file |
//! | [`fingerprint`] | whether two files are the ones that the certificate speaks of |
//!
//! A certificate holds no record's values, but it says who is who: it is as private as a key.

pub mod fingerprint;
pub mod format;

pub use fingerprint::Pairing;
pub use format::Certificate;
