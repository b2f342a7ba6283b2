//! Single precision: what filters in front of exact numbers compute in.

/// Half an ulp of 1 in `f32`.
pub const U: f64 = 1.0 / 16_777_216.0;

/// To the nearest number of single precision.
#[expect(clippy::cast_possible_truncation, reason = "what it is for")]
#[inline(always)]
pub fn rounded(number: f64) -> f32 {
    number as f32
}

/// Points of a leaf, but for the last one.
pub const LEAF: usize = 64;

/// Attributes in a part of a box: as many numbers as the widest vectors hold.
pub const WIDTH: usize = 16;

/// One attribute of the points of a leaf.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Strip(pub [f32; LEAF]);

/// Some attributes of the box of a node.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Part {
    /// From here.
    pub low: [f32; WIDTH],
    /// To here.
    pub high: [f32; WIDTH],
    /// What the attribute adds at most.
    pub cap: [f32; WIDTH],
}

impl Part {
    /// No bounds.
    pub const EVERYWHERE: Self = Self {
        low: [f32::NEG_INFINITY; WIDTH],
        high: [f32::INFINITY; WIDTH],
        cap: [f32::INFINITY; WIDTH],
    };
}
