use super::{super::polynomial::PolynomialLists, *};
use crate::{distance::wide_tree::Below, table::matrix::Matrix};

/// No record costs less than the filter says of it, or of a box that it is in, or more, but for what is allowed; and bounds of records are near: where the degree
/// is even, of those across the mean, too.
#[test]
fn bounds_are_no_costs_of_less() {
    /// The bounds of the boxes of a fan, or of the records of a leaf.
    struct Of<'a>(&'a Seeker<'a>, Below);
    impl WithSimd for Of<'_> {
        type Output = Vec<f32>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Vec<f32> {
            let Self(seeker, below) = self;
            match (below, seeker.looks_across) {
                (Below::Fan(fan), _) => OfFan { simd, seeker }.least(fan as usize).to_vec(),
                (Below::Leaf(leaf), _) => {
                    let of_leaf = OfLeaf::new::<S, true>(simd, seeker, leaf as usize);
                    [of_leaf.least, of_leaf.greatest].concat()
                }
            }
        }
    }
    let bounds = |seeker: &Seeker<'_>, below| Arch::new().dispatch(Of(seeker, below));
    let mut not_across = 0;
    for degree in [1, 2, 3, 6] {
        for scale in [0.01, 0.5, 3.0, 300.0] {
            let value = |cell: usize| {
                let mixed = (cell + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                scale * ((mixed % 1000) as f64 / 250.0 - 2.0)
            };
            let n = 1200;
            // Three numbers, and every other time the indicators of five categories.
            let width = if degree == 2 || scale == 3.0 { 8 } else { 3 };
            let row = |number: usize, of_cell: &dyn Fn(usize) -> f64| -> Vec<f64> {
                let numbers = (3 * number..3 * number + 3).map(of_cell);
                let indicator = |k: usize| {
                    let share = [0.4, 0.3, 0.2, 0.08, 0.02][k];
                    let is_it = f64::from(u8::from(number * number % 7 % 5 == k));
                    scale * (is_it - share) / f64::sqrt(share * (1.0 - share))
                };
                let all = numbers.chain((0..5).map(indicator));
                all.take(width).collect()
            };
            let matrix = |n: usize, of_cell: &dyn Fn(usize) -> f64| {
                let rows = (0..n).flat_map(|number| row(number, of_cell));
                Matrix::complete(n, width, rows.collect())
            };
            let sought = matrix(n, &value);
            // Some are across the mean from a record.
            let of_seeker = |cell| {
                if cell < 45 {
                    value(11 * cell)
                } else {
                    -value(cell)
                }
            };
            let seekers = matrix(30, &of_seeker);
            let lists = PolynomialLists::new(degree, seekers, (&sought, None)).unwrap();
            let coded = usize::from(width > 3);
            assert_eq!(lists.seeker(0).sums.len(), coded);
            for number in 0..30 {
                let mut seeker = lists.seeker(number);
                let fans = 0..seeker.filter.tree.n_fans() as u32;
                let fans: Vec<Vec<f32>> =
                    fans.map(|fan| bounds(&seeker, Below::Fan(fan))).collect();
                let leaves = 0..n.div_ceil(LEAF) as u32;
                let leaves: Vec<Vec<f32>> = leaves
                    .map(|leaf| bounds(&seeker, Below::Leaf(leaf)))
                    .collect();
                let costs: Vec<f64> = (0..n).map(|place| lists.cost(number, place)).collect();
                let (mut near, mut not_far) = (0, 0);
                for (place, &cost) in costs.iter().enumerate() {
                    seeker.follow(cost);
                    let least = leaves[place / LEAF][place % LEAF];
                    assert!(least <= seeker.most, "{degree}, {scale}: {least}, {cost}");
                    let greatest = leaves[place / LEAF][LEAF + place % LEAF];
                    assert!(
                        greatest >= seeker.fewest,
                        "{degree}, {scale}: {greatest}, {cost}"
                    );
                    not_far += usize::from(f64::from(greatest) <= 1.5 * cost * seeker.scale);
                    if !seeker.looks_across {
                        let least = bounds(&seeker, Below::Leaf((place / LEAF) as u32));
                        assert!(
                            least[place % LEAF] <= seeker.most,
                            "{degree}, {scale}: {cost}"
                        );
                        not_across += 1;
                    }
                    near += usize::from(f64::from(least) >= 0.5 * cost * seeker.scale);
                }
                let most = if degree % 2 == 0 { n * 9 / 10 } else { n / 3 };
                assert!(near > most, "{degree}, {scale}: {near}");
                assert!(not_far > n / 4, "{degree}, {scale}: {not_far}");
                // From the bottom: what is below a fan comes after it.
                let mut least_of = vec![f64::INFINITY; fans.len()];
                for fan in (0..fans.len()).rev() {
                    for (at, &below) in seeker.filter.tree.below(fan).iter().enumerate() {
                        let least = match below {
                            Below::Fan(fan) => least_of[fan as usize],
                            Below::Leaf(leaf) => {
                                let costs = costs[seeker.filter.tree.run(leaf as usize)].iter();
                                costs.copied().fold(f64::INFINITY, f64::min)
                            }
                        };
                        seeker.follow(least);
                        let bound = fans[fan][at];
                        assert!(bound <= seeker.most, "{degree}, {scale}: {bound}, {least}");
                        if !seeker.looks_across {
                            let bound = bounds(&seeker, Below::Fan(fan as u32))[at];
                            assert!(bound <= seeker.most, "{degree}, {scale}: {least}");
                        }
                        least_of[fan] = least_of[fan].min(least);
                    }
                }
            }
        }
    }
    assert!(not_across > 100_000, "{not_across}");
}
