//! A look at every pair of a seeker, by weight.

use pulp::NullaryFnOnce;

use super::{blocks::Blocks, lanes::LANES};

/// One seeker's search for the sought records of the greatest weight, and for the place of its rival. A type and not a closure, because
/// only so it is sure to be compiled with the instructions of a processor.
pub(super) struct Places<'a> {
    /// The sought records.
    pub blocks: &'a Blocks<'a>,
    /// For each attribute the weight of an agreement and that of a disagreement.
    pub weights: &'a [[f64; 2]],
    pub seeker: u32,
    /// The greatest weight.
    pub greatest: f64,
    /// At most so many records are listed.
    pub limit: usize,
    /// The weight of the rival.
    pub rival: Option<f64>,
}

impl NullaryFnOnce for Places<'_> {
    /// The records of the greatest weight, ascending, and how many weigh more than the rival.
    type Output = (Vec<u32>, u32);

    #[inline(always)]
    fn call(self) -> (Vec<u32>, u32) {
        let rival = self.rival.unwrap_or(f64::INFINITY);
        let (mut nearest, mut higher) = (Vec::new(), 0);
        let mut left = self.blocks.n_points();
        for (block, first) in (0..left.div_ceil(LANES)).zip((0..).step_by(LANES)) {
            let weights = self.blocks.weigh(block, self.seeker, self.weights);
            let weights = &weights[..LANES.min(left)];
            higher += (weights.iter())
                .map(|&weight| u32::from(weight > rival))
                .sum::<u32>();
            if weights.iter().any(|&weight| weight >= self.greatest) {
                let records = (first..).zip(weights);
                let best = records.filter(|of| *of.1 >= self.greatest).map(|of| of.0);
                nearest.extend(best.take(self.limit - nearest.len()));
            }
            left -= weights.len();
        }
        (nearest, higher)
    }
}
