//! Distances that are learned from who is whom: the worst case of distance-based record linkage.
//!
//! An intruder who weighs attributes as well as can be done links the most records; no distance of the family links more. Which distance that
//! is, is found and proven by optimisation ([`crate::optimize::subsystem`]): a record is a block, a competitor of its true partner a row.

mod competitors;
pub mod differences;
pub mod family;
pub mod presolve;
pub mod relaxation;
mod starts;
