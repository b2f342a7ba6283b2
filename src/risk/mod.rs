//! Risk without linkage: what a file, or a pair of files, gives away by counting and comparing values.

pub mod interval;
