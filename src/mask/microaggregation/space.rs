//! The space in which records are compared: one point a record, and what the average of points is there.

use crate::table::Matrix;

/// Points, and the meaning of their coordinates.
///
/// # Missing
/// Points are complete: a missing value stands at the centre of its attribute, so it neither attracts nor repels in any
/// direction. (It stays missing in the masked file.)
#[derive(Debug, Clone)]
pub struct Space {
    /// Records × coordinates; complete and finite.
    pub points: Matrix,
    /// What the coordinates mean, in their order.
    pub axes: Vec<Axis>,
}

/// What one or more coordinates mean, and how they are averaged where the centre of many records is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// One coordinate, averaged by the mean.
    Mean,
    /// One coordinate, averaged by the median (the lower one of two): an ordinal attribute.
    Median,
    /// As many coordinates as a nominal attribute has categories, one of them not zero; averaged by the mode (of several the
    /// first category). All non-zero coordinates of an axis are equal, and a missing value is zero throughout.
    Mode(usize),
}
