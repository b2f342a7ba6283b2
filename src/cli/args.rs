//! Options that several commands share.

pub use super::{files::read_text, tables::read_table};
pub use crate::options::{
    output::{Format, ReportArgs},
    read::ReadArgs,
    values::rate_limit,
};
