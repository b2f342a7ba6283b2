//! What stands for Parquet in a program that was built without it.

use std::io::{self, Write};

use super::{PartFile, Text, unsupported};
use crate::{
    error::Result,
    table::{ReadOptions, Table},
};

/// There is no type of anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::table) enum Kind {}

/// Refuses.
pub(in crate::table) fn text(_: &str, _: Vec<PartFile>, _: &ReadOptions) -> Result<Text> {
    Err(unsupported())
}

/// Refuses.
pub(in crate::table) fn write(_: &Table, _: &[String], _: &mut dyn Write) -> io::Result<()> {
    Err(io::Error::other(unsupported()))
}
