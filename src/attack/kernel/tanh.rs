//! `tanh(x·y + b)`.

use super::product;
use crate::{
    attack::{Closer, Lists},
    distance::kd_tree::{BoxTree, Leaves, Length, Waiting, length_of_square},
    table::matrix::Matrix,
};

/// 1 − tanh(t). Most kernels of a standardised file are so near 1 that only this tells them apart.
fn short_of_one(t: f64) -> f64 {
    2.0 / ((2.0 * t).exp() + 1.0)
}

/// Records of a leaf.
const LEAF: usize = 32;

/// What the exponential function, and what is done to its result, may add to a kernel or take from it, as a share of it: some ulps.
const ROUNDING: f64 = 1e-14;

/// Records by the tanh kernel.
#[derive(Debug)]
pub(super) struct TanhLists {
    seekers: Matrix,
    boxes: BoxTree,
    /// In the order of the tree.
    sought: Matrix,
    /// Where each record stands there.
    place_of: Vec<u32>,
    /// 1 − K(a, a).
    own_of_seekers: Vec<f64>,
    /// 1 − K(b, b), in the order of the tree.
    own_of_sought: Vec<f64>,
    /// The greatest of these in each node.
    greatest_own: Vec<f64>,
    offset: f64,
}

impl TanhLists {
    /// Of standardised values. `by`: what the tree is halved by, with weights, if not by these values.
    pub(super) fn new(
        seekers: Matrix,
        (sought, by): (&Matrix, Option<(&Matrix, Vec<f64>)>),
        offset: f64,
    ) -> Self {
        let own = |matrix: &Matrix| -> Vec<f64> {
            let rows = (0..matrix.n_records()).map(|record| matrix.row(record));
            rows.map(|row| short_of_one(product(row, row) + offset))
                .collect()
        };
        let (own_of_records, weights) = (own(sought), vec![1.0; sought.n_attributes()]);
        let prices: (&[f64], Length<'_>) = (&own_of_records, &length_of_square);
        let leaves = Leaves::UpTo(LEAF);
        let boxes = match by {
            Some((by, of)) => {
                BoxTree::build_priced(by, prices, &of, leaves).spanning(sought, &weights)
            }
            None => BoxTree::build_priced(sought, prices, &weights, leaves),
        };
        let order = boxes.tree.points();
        let own_of_sought: Vec<f64> = order
            .iter()
            .map(|&record| own_of_records[record as usize])
            .collect();
        Self {
            greatest_own: boxes.tree.greatest(&own_of_sought),
            own_of_seekers: own(&seekers),
            own_of_sought,
            seekers,
            place_of: boxes.tree.places(),
            sought: sought.reordered(order),
            boxes,
            offset,
        }
    }

    /// d² of a seeker and the record at a place of the tree.
    fn cost(&self, seeker: usize, place: usize) -> f64 {
        let product = product(self.seekers.row(seeker), self.sought.row(place));
        let kernel = short_of_one(product + self.offset);
        2.0 * kernel - self.own_of_sought[place] - self.own_of_seekers[seeker]
    }

    /// No record of the node costs less: its product with the seeker is not above the greatest of the box, and neither is what rounding makes
    /// of it, since both are added up in the same order.
    fn least(&self, seeker: usize, node: usize) -> f64 {
        let ends = self.boxes.spans(node).iter().zip(self.seekers.row(seeker));
        let greatest: f64 = ends
            .map(|(span, x)| (x * span.low).max(x * span.high))
            .sum();
        let kernel = short_of_one(greatest + self.offset) * (1.0 - ROUNDING);
        2.0 * kernel - self.greatest_own[node] - self.own_of_seekers[seeker]
    }
}

impl Lists for TanhLists {
    fn n_seekers(&self) -> usize {
        self.seekers.n_records()
    }

    fn n_sought(&self) -> usize {
        self.sought.n_records()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        list.resize(self.n_sought(), (0, 0.0));
        for (place, &record) in self.boxes.tree.points().iter().enumerate() {
            list[record as usize] = (record, self.cost(seeker, place));
        }
    }

    fn is_searched(&self) -> bool {
        true
    }

    fn closer(&self) -> Option<&dyn Closer> {
        Some(self)
    }

    fn cheapest(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let tree = &self.boxes.tree;
        let mut least = f64::INFINITY;
        let mut waiting = Waiting::begun(tree);
        while let Some(leaf) = waiting.next(tree, least, |node| self.least(seeker, node)) {
            for place in tree.run(leaf) {
                let cost = self.cost(seeker, place);
                if cost < least {
                    least = cost;
                    list.clear();
                }
                if cost <= least {
                    list.push((tree.points()[place], cost));
                }
            }
        }
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}

impl Closer for TanhLists {
    fn count(&self, seeker: usize, record: u32) -> u32 {
        let tree = &self.boxes.tree;
        let own = self.cost(seeker, self.place_of[record as usize] as usize);
        let mut closer = 0;
        let mut waiting = Waiting::begun(tree);
        while let Some(leaf) = waiting.next(tree, own, |node| self.least(seeker, node)) {
            let costs = tree.run(leaf).map(|place| self.cost(seeker, place));
            closer += costs.map(|cost| u32::from(cost < own)).sum::<u32>();
        }
        closer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The search by tanh finds the cheapest of all records, and the costs are those of the formula: clouds of records at and off the mean, files in which
    /// many tie, and values so large that kernels are 0 or 2.
    #[test]
    fn the_cheapest_by_tanh_are_those_of_all() {
        for (n, scale, step, offset) in [
            (0, 1.0, 1, 0.0),
            (1, 1.0, 1, 0.5),
            (500, 1.0, 1, 0.0),
            (500, 0.05, 1, -1.0),
            (400, 2.0, 250, 0.5),
            (300, 0.3, 500, 0.0),
            (300, 1e4, 1, 0.0),
            (300, 1e-4, 1, 2.0),
        ] {
            let value = |cell: usize| {
                let mixed = (cell + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                scale * ((mixed % 1000 / step * step) as f64 / 250.0 - 1.5)
            };
            let seekers = Matrix::complete(40, 3, (0..120).map(|k| value(7 * k)).collect());
            let sought = Matrix::complete(n, 3, (0..3 * n).map(value).collect());
            let lists = TanhLists::new(seekers.clone(), (&sought, None), offset);
            // Halved by something else, as files of categories are, the tree has other boxes.
            let coarse = (0..n).map(|record| (2.0 * value(3 * record)).floor());
            let coarse = Matrix::complete(n, 1, coarse.collect());
            let halved = (&sought, Some((&coarse, vec![1.0])));
            let halved = TanhLists::new(seekers.clone(), halved, offset);
            let (mut all, mut cheapest) = (Vec::new(), Vec::new());
            for seeker in 0..40 {
                lists.list(seeker, &mut all);
                for (record, &(at, cost)) in all.iter().enumerate() {
                    assert_eq!(at as usize, record);
                    let (x, y) = (seekers.row(seeker), sought.row(record));
                    let k = |a: &[f64], b: &[f64]| (product(a, b) + offset).tanh();
                    let expected = k(x, x) - 2.0 * k(x, y) + k(y, y);
                    assert!((cost - expected).abs() < 1e-14, "{cost} and {expected}");
                }
                for &(record, own) in all.iter().step_by(7) {
                    let closer = all.iter().filter(|of| of.1 < own).count();
                    assert_eq!(lists.count(seeker, record) as usize, closer);
                }
                let least = all.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
                all.retain(|of| of.1 <= least);
                for lists in [&lists, &halved] {
                    lists.cheapest(seeker, &mut cheapest);
                    cheapest.sort_unstable_by_key(|of| of.0);
                    assert_eq!(cheapest, all, "{n}, {scale}, {offset}: {seeker}");
                }
            }
        }
    }
}
