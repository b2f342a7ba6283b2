//! Orders of equal things that look like chance and are none: each who chooses has one of its own.
//!
//! Where many may choose among many equals, all would take the first few if they went by one order.

/// An odd number with scattered bits: products with it order numbers as good as at random.
const SCATTER: u32 = 0x9E37_79B1;

/// What makes the order of a chooser its own.
pub fn turn(chooser: u32) -> u32 {
    let scattered = chooser.wrapping_add(1).wrapping_mul(0x85EB_CA6B);
    scattered ^ (scattered >> 15)
}

/// The place of a thing in the order of a chooser with this [`turn`]. No two things have the same.
#[inline(always)]
pub fn place(thing: u32, turn: u32) -> u32 {
    thing.wrapping_mul(SCATTER) ^ turn
}
