//! Options that several commands share.

pub use super::{
    files::read_text,
    tables::{read_in_doubt, read_table},
};
pub use crate::options::{
    output::{DetailArgs, Format, OutputArgs, ReportArgs, TextFormatArgs, TextOrJson},
    read::ReadArgs,
    values::rate_limit,
};
