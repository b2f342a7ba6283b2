//! Information loss: what masking took from a file, and from the analyses that users will make of it.

pub mod analyses;
