//! Intersection attacks: what was published about the method confines the masked record to a set for each known
//! attribute; it lies in the intersection of these sets.

pub mod rank_swap;
