//! What can be typed, and the request that it means: the options of each command with their help, the values that they take, and how a
//! call becomes the request of a job.
//!
//! Nothing here reads or writes: what needs a file is given by [`Files`](files::Files), what is to be said of options goes to an
//! [`Observer`](crate::jobs::Observer).

pub mod files;
pub mod link;
pub mod loss;
pub mod mask;
pub mod output;
pub mod pair;
pub mod read;
pub mod records;
pub mod risk;
pub mod rules;
pub mod score;
pub mod values;
