//! Vector code, in vectors of every length whatever the processor has.

use pulp::{Arch, Scalar, Scalar128b, Scalar256b, Scalar512b, Simd, WithSimd};

use super::super::{
    Neighbours,
    filter::{Closer, Thresholds},
    rough::{Place, Rough},
    tiles::{Axis, LANES, axes_of},
    tree::Tree,
};
use super::{Random, case};

/// Vectors of every length, and those of this processor.
fn in_all_widths<W: WithSimd + Copy>(work: W) -> [W::Output; 5] {
    [
        Scalar.vectorize(work),
        Scalar128b.vectorize(work),
        Scalar256b.vectorize(work),
        Scalar512b.vectorize(work),
        Arch::new().dispatch(work),
    ]
}

/// What the filter says of a box is what the canonical bound says, up to the error that is allowed.
#[test]
fn boxes_are_as_far_in_all_widths() {
    #[derive(Clone, Copy)]
    struct Compare<'a> {
        tree: &'a Tree,
        rough: &'a Rough,
        axes: &'a [Axis],
        place: &'a Place,
        what: &'a str,
    }
    impl WithSimd for Compare<'_> {
        type Output = usize;

        fn with_simd<S: Simd>(self, simd: S) -> usize {
            let mut compared = 0;
            for (node, fan) in self.tree.nodes.iter().enumerate() {
                let exact = self.tree.lower(simd, node, self.axes);
                let lower = self.rough.lower(simd, node, self.place);
                for child in 0..fan.n_children as usize {
                    let bounds = self.rough.bounds(self.place, exact[child]);
                    let is_near = (bounds.edge..=bounds.most).contains(&lower[child]);
                    assert!(is_near, "{}: {} {}", self.what, exact[child], lower[child]);
                    compared += 1;
                }
            }
            compared
        }
    }
    let mut compared = 0;
    for seed in 0..200 {
        let (case, what) = case(&mut Random(3000 + seed));
        let neighbours = Neighbours::build(&case.points, case.metric.clone());
        let Some(rough) = &neighbours.rough else {
            continue;
        };
        let (mut axes, mut place) = (Vec::new(), Place::new());
        for query in 0..case.queries.n_records() {
            axes_of(case.queries.record(query), &case.metric, &mut axes);
            if rough.place(&axes, &mut place) {
                let widths = in_all_widths(Compare {
                    tree: &neighbours.tree,
                    rough,
                    axes: &axes,
                    place: &place,
                    what: &what,
                });
                compared += widths.iter().sum::<usize>();
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}

/// Similarities rule out no run of tiles that has a point within reach, and they do rule out others.
#[test]
fn similarity_rules_out_nobody_within_reach_in_all_widths() {
    const QUERIES: usize = 3;
    #[derive(Clone, Copy)]
    struct Compare<'a> {
        rough: &'a Rough,
        places: [&'a Place; QUERIES],
        tiles: (usize, usize),
    }
    impl WithSimd for Compare<'_> {
        type Output = [f32; QUERIES];

        fn with_simd<S: Simd>(self, simd: S) -> [f32; QUERIES] {
            let tiles = self.tiles.0..self.tiles.1;
            let similarity = self.rough.similarity(simd, tiles, self.places);
            similarity.map(|lanes| simd.reduce_max_f32s(lanes))
        }
    }
    let (mut kept, mut ruled_out) = (0, 0);
    for seed in 0..400 {
        let mut random = Random(4000 + seed);
        let (case, what) = case(&mut random);
        let neighbours = Neighbours::build(&case.points, case.metric.clone());
        let Some(rough) = &neighbours.rough else {
            continue;
        };
        let tiles = &neighbours.tree.tiles;
        let queries: Vec<(Vec<Axis>, Place)> = (0..case.queries.n_records())
            .map(|query| {
                let (mut axes, mut place) = (Vec::new(), Place::new());
                axes_of(case.queries.record(query), &case.metric, &mut axes);
                rough.place(&axes, &mut place);
                (axes, place)
            })
            .collect();
        for few in queries.as_chunks::<QUERIES>().0 {
            let first = random.below(tiles.n_tiles());
            let end = first + 1 + random.below((tiles.n_tiles() - first).min(7));
            let positions = first * LANES..tiles.n_points().min(end * LANES);
            let greatest = in_all_widths(Compare {
                rough,
                places: [&few[0].1, &few[1].1, &few[2].1],
                tiles: (first, end),
            });
            for (query, (axes, place)) in few.iter().enumerate() {
                let nearest = (positions.clone().map(|position| tiles.key(position, axes)))
                    .fold(f64::INFINITY, f64::min);
                for reach in [nearest, 0.9 * nearest, 0.0] {
                    let bounds = rough.bounds(place, reach);
                    let least = rough.least_similarity(first..end, place, bounds);
                    for greatest in greatest {
                        let is_kept = greatest[query] >= least;
                        assert!(is_kept || nearest > reach, "seed {seed}, {what}");
                        kept += usize::from(is_kept);
                        ruled_out += usize::from(!is_kept);
                    }
                }
            }
        }
    }
    assert!(
        kept > 10_000 && ruled_out > 10_000,
        "{kept} kept, {ruled_out} ruled out"
    );
}

/// Who is closer is counted as by plain comparisons, thresholds themselves and padding included.
#[test]
fn who_is_closer_is_counted_in_all_widths() {
    #[derive(Clone, Copy)]
    struct Count<'a>(&'a [f32], Thresholds);
    impl WithSimd for Count<'_> {
        type Output = [u32; 2];

        fn with_simd<S: Simd>(self, simd: S) -> [u32; 2] {
            let mut closer = Closer::nobody(simd);
            for &approximations in S::as_simd_f32s(self.0).0 {
                closer.take(simd, approximations, self.1);
            }
            closer.count(simd)
        }
    }
    let mut random = Random(5);
    let thresholds = [(-2.0, 3.0), (1.0, 1.0), (0.0, f32::MAX)]
        .map(|(certain, possible)| Thresholds { certain, possible });
    for thresholds in thresholds.into_iter().chain([Thresholds::NOBODY]) {
        let mut approximations: Vec<f32> = (0..64).map(|_| random.below(9) as f32 - 4.0).collect();
        approximations.extend([f32::INFINITY; 16]);
        let count = |test: &dyn Fn(f32) -> bool| {
            approximations.iter().filter(|&&of| test(of)).count() as u32
        };
        let expected = [
            count(&|of| of < thresholds.certain),
            count(&|of| of <= thresholds.possible),
        ];
        assert_eq!(
            in_all_widths(Count(&approximations, thresholds)),
            [expected; 5]
        );
    }
}
