//! Small statistics that masking, attacks and reports share.

pub mod checked;
pub mod copula;
pub mod covariance;
pub mod density;
pub mod eigen;
pub mod elementary;
pub mod exact;
pub mod interval;
pub mod keys;
pub mod linear;
pub mod measure;
pub mod membership;
pub mod moments;
pub mod quantifier;
pub mod rank;
pub mod regression;
pub mod scatter;
