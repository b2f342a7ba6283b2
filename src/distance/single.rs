//! Single precision: what filters in front of exact numbers compute in.

/// Half an ulp of 1 in `f32`.
pub const U: f64 = 1.0 / 16_777_216.0;

/// To the nearest number of single precision.
#[expect(clippy::cast_possible_truncation, reason = "what it is for")]
#[inline(always)]
pub fn rounded(number: f64) -> f32 {
    number as f32
}
