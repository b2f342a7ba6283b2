//! Small statistics that masking, attacks and reports share.

pub mod covariance;
pub mod elementary;
pub mod eigen;
pub mod interval;
pub mod membership;
pub mod moments;
pub mod rank;
