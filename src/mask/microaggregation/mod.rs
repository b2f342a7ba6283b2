//! Microaggregation: records are grouped by likeness, and each gets the average of its group.

mod centre;
mod groups;
mod mdav;
mod partition;
mod remaining;
mod space;
mod v_mdav;
pub mod exchange;
mod partition;
mod path;
pub mod projection;
mod scale;
mod space;
pub mod tour;
pub mod univariate;

pub use mdav::{mdav, mdav_exhaustive};
pub use partition::{Partition, squared_distance};
pub use space::{Axis, Space};
pub use v_mdav::v_mdav;

/// What was done to a block of attributes that were aggregated together.
#[derive(Debug, Clone)]
pub struct Block {
    /// The attributes.
    pub attributes: Vec<String>,
    /// The least number of records a group.
    pub k: usize,
    /// The groups; private, like a seed.
    pub partition: Partition,
}
