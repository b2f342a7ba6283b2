//! The inner loop: which of 64 codes lie in a span, as bits.

use super::code::Span;

/// Records that are compared at once.
pub(super) const LANES: usize = 64;

/// The codes of so many records.
pub(super) type Codes = [u32; LANES];

/// A way to compare codes.
pub(super) trait Compare: Copy {
    /// The codes in the span, the first of them as the lowest bit.
    fn within(self, codes: &Codes, span: Span) -> u64;
}

/// On every processor.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Compare for Plain {
    #[inline(always)]
    fn within(self, codes: &Codes, span: Span) -> u64 {
        let mut bits = 0;
        for (lane, code) in codes.iter().enumerate() {
            bits |= u64::from(code.wrapping_sub(span.first) <= span.more) << lane;
        }
        bits
    }
}

#[cfg(target_arch = "x86_64")]
impl Compare for pulp::x86::V4 {
    #[inline(always)]
    fn within(self, codes: &Codes, span: Span) -> u64 {
        let simd = self.avx512f;
        #[expect(clippy::cast_possible_wrap, reason = "the bits are meant")]
        let (first, more) = (
            simd._mm512_set1_epi32(span.first as i32),
            simd._mm512_set1_epi32(span.more as i32),
        );
        let mut bits = 0;
        for (quarter, codes) in codes.as_chunks::<16>().0.iter().enumerate() {
            let above = simd._mm512_sub_epi32(pulp::cast(*codes), first);
            bits |= u64::from(simd._mm512_cmple_epu32_mask(above, more)) << (16 * quarter);
        }
        bits
    }
}
