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

    /// For each record the attributes whose codes are in their spans, as bits; and the records that have any, as bits. `spans` are those of all
    /// attributes, `attributes` those that the blocks are of.
    fn patterns(self, blocks: &[Codes], attributes: &[usize], spans: &[Span]) -> (Codes, u64);
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

    #[inline(always)]
    fn patterns(self, blocks: &[Codes], attributes: &[usize], spans: &[Span]) -> (Codes, u64) {
        let mut patterns = [0; LANES];
        for (codes, &k) in blocks.iter().zip(attributes) {
            let span = spans[k];
            for (pattern, code) in patterns.iter_mut().zip(codes) {
                *pattern |= u32::from(code.wrapping_sub(span.first) <= span.more) << k;
            }
        }
        let mut some = 0;
        for (lane, &pattern) in patterns.iter().enumerate() {
            some |= u64::from(pattern != 0) << lane;
        }
        (patterns, some)
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

    #[inline(always)]
    fn patterns(self, blocks: &[Codes], attributes: &[usize], spans: &[Span]) -> (Codes, u64) {
        let simd = self.avx512f;
        let none = simd._mm512_setzero_si512();
        let mut quarters = [none; LANES / 16];
        for (codes, &k) in blocks.iter().zip(attributes) {
            #[expect(clippy::cast_possible_wrap, reason = "the bits are meant")]
            let (first, more) = (
                simd._mm512_set1_epi32(spans[k].first as i32),
                simd._mm512_set1_epi32(spans[k].more as i32),
            );
            let bit = simd._mm512_set1_epi32(1 << k);
            for (quarter, codes) in quarters.iter_mut().zip(codes.as_chunks::<16>().0) {
                let above = simd._mm512_sub_epi32(pulp::cast(*codes), first);
                let agree = simd._mm512_cmple_epu32_mask(above, more);
                *quarter = simd._mm512_mask_or_epi32(*quarter, agree, *quarter, bit);
            }
        }
        let mut some = 0;
        for (at, &quarter) in quarters.iter().enumerate() {
            some |= u64::from(simd._mm512_test_epi32_mask(quarter, quarter)) << (16 * at);
        }
        (pulp::cast(quarters), some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each way finds of random codes, values that are missing among them, is what spans hold.
    #[test]
    fn lanes_agree_where_spans_hold_their_codes() {
        fn agrees<C: Compare>(compare: C) {
            let mut state: u64 = 3;
            let mut dice = |n: u32| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as u32 % n
            };
            for round in 0..200 {
                let mut code = |at: u32| match dice(at) {
                    0 => super::super::code::MISSING,
                    _ => dice(40),
                };
                let blocks: Vec<Codes> = (0..round % 13)
                    .map(|_| [0; LANES].map(|_| code(9)))
                    .collect();
                let spans: Vec<Span> = (0..16)
                    .map(|_| match dice(6) {
                        0 => Span::NONE,
                        _ => Span {
                            first: dice(40),
                            more: dice(12),
                        },
                    })
                    .collect();
                let attributes: Vec<usize> = (0..16).rev().take(blocks.len()).collect();
                let (patterns, some) = compare.patterns(&blocks, &attributes, &spans);
                let mut right = [0; LANES];
                for (codes, &k) in blocks.iter().zip(&attributes) {
                    let holds = codes.map(|code| spans[k].holds(code));
                    let within = compare.within(codes, spans[k]);
                    for lane in 0..LANES {
                        assert_eq!(within >> lane & 1 == 1, holds[lane], "{round}");
                        right[lane] |= u32::from(holds[lane]) << k;
                    }
                }
                assert_eq!(patterns, right, "{round}");
                for (lane, &pattern) in patterns.iter().enumerate() {
                    assert_eq!(some >> lane & 1 == 1, pattern != 0, "{round}");
                }
            }
        }
        agrees(Plain);
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V4::try_new() {
            agrees(simd);
        }
    }
}
