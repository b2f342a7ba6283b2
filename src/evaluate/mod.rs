//! Running attacks and judging their claims: the side that knows the truth.
//!
//! The intruder (`attack`) never sees what is here. What the intruder gets is built in [`link`]: their own records, and
//! the released ones in an unrelated order.

pub mod beyond;
pub mod calibration;
pub mod comparable;
pub mod grid;
pub mod guess;
mod judge;
pub mod knowledge;
pub mod link;
pub mod measures;
pub mod overall;
pub mod plan;
pub mod score;
pub mod search;
pub mod seekers;
pub mod shard;
pub mod status;
pub mod summary;
pub mod truth;
pub mod worst;
