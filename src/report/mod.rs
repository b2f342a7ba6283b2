//! Results for people and for programs: data structures with a versioned schema, and their renderers. No arithmetic on
//! records happens here.

pub mod describe;
pub mod link;
pub mod text;
