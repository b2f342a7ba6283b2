//! Vector code, in vectors of every length whatever the processor has.

use pulp::{Arch, Scalar, Scalar128b, Scalar256b, Scalar512b, Simd, WithSimd};

use super::super::{
    Neighbours,
    rough::{Closer, Place, Rough, Thresholds},
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

/// Similarities rule out no run of tiles that has a point within reach, and they do rule out others; somebody is as near as the greatest says.
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
            let nobody = [Thresholds::NOBODY; QUERIES];
            let found = (self.rough).compare::<S, QUERIES, false>(simd, tiles, self.places, nobody);
            found.greatest.map(|lanes| simd.reduce_max_f32s(lanes))
        }
    }
    // Of files without gaps, and with some.
    let (mut kept, mut ruled_out) = ([0; 2], [0; 2]);
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
                let radius = rough.radius_of(first..end);
                for greatest in greatest {
                    let farthest = rough.farthest(place, radius, greatest[query]);
                    assert!(nearest <= farthest, "seed {seed}, {what}");
                }
                let has_gaps = usize::from(!neighbours.tree.is_complete());
                for reach in [nearest, 0.9 * nearest, 0.0] {
                    let least = rough.thresholds(place, radius, reach).possible;
                    for greatest in greatest {
                        let is_kept = greatest[query] >= least;
                        assert!(is_kept || nearest > reach, "seed {seed}, {what}");
                        kept[has_gaps] += usize::from(is_kept);
                        ruled_out[has_gaps] += usize::from(!is_kept);
                    }
                }
            }
        }
    }
    let enough = |counts: [usize; 2]| counts.iter().all(|&count| count > 10_000);
    assert!(
        enough(kept) && enough(ruled_out),
        "{kept:?} kept, {ruled_out:?} ruled out"
    );
}

/// Who is closer is counted as by plain comparisons, thresholds themselves and padding included.
#[test]
fn who_is_closer_is_counted_in_all_widths() {
    #[derive(Clone, Copy)]
    struct Count<'a>(&'a [f32], Thresholds);
    impl WithSimd for Count<'_> {
        type Output = Option<u32>;

        fn with_simd<S: Simd>(self, simd: S) -> Option<u32> {
            let mut closer = Closer::nobody(simd);
            for &similarities in S::as_simd_f32s(self.0).0 {
                closer.take(simd, similarities, self.1);
            }
            closer.count(simd, self.1)
        }
    }
    let mut random = Random(5);
    let thresholds = [(3.0, -2.0), (1.0, 1.0), (1.5, 2.0), (-5.0, -f32::MAX)]
        .map(|(certain, possible)| Thresholds { certain, possible });
    for thresholds in thresholds.into_iter().chain([Thresholds::NOBODY]) {
        let mut similarities: Vec<f32> = (0..64).map(|_| random.below(9) as f32 - 4.0).collect();
        similarities.extend([f32::NEG_INFINITY; 16]);
        let count =
            |test: &dyn Fn(f32) -> bool| similarities.iter().filter(|&&of| test(of)).count() as u32;
        let possible = count(&|of| of >= thresholds.possible);
        let doubtful = count(&|of| of >= thresholds.possible && of <= thresholds.certain);
        let expected = (doubtful == 0).then_some(possible);
        assert_eq!(
            in_all_widths(Count(&similarities, thresholds)),
            [expected; 5]
        );
    }
}
