//! Small statistics that masking, attacks and reports share.

pub mod interval;
pub mod moments;
pub mod rank;
pub mod regression;
