use super::*;

/// Wants everything up to, or from, one distance; remembers what it was offered.
struct Within<const NEAR: bool> {
    reach: f64,
    offered: Vec<u32>,
}

impl<const NEAR: bool> Goal for Within<NEAR> {
    const NEAR: bool = NEAR;

    fn reach(&self) -> Option<f64> {
        Some(self.reach)
    }

    fn offer(&mut self, place: u32, _: f64) -> bool {
        self.offered.push(place);
        false
    }
}

fn offered<const NEAR: bool>(tree: &mut Tree, point: &[f64], reach: f64) -> Vec<u32> {
    let offered = Vec::new();
    let mut goal = Within::<NEAR> { reach, offered };
    tree.walk(point, &mut goal);
    goal.offered
}

/// Points whose distances differ clearly, barely, and not at all in single precision.
fn points(width: usize, spread: f64) -> Matrix {
    let mut state = 1_u64;
    let mut unit = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let cells = (0..400 * width).map(|cell| {
        let corner = f64::from((cell / width).is_multiple_of(3));
        3.0 + corner + spread * (unit() - 0.5) * 10.0_f64.powi(-(cell as i32 % 4))
    });
    Matrix::complete(400, width, cells.collect())
}

/// A limit that is the distance of a point itself must let that point through, on every level: that is the bound.
#[test]
fn no_bound_leaves_out_what_is_at_the_limit() {
    for width in [1, 2, 6, 13, 40] {
        for spread in [1.0, 1e-6, 1e-7, 1e-8, 1e-12, 1e-15] {
            let points = points(width, spread);
            let mut places = Places::of(&points);
            let all: Vec<u32> = (0..places.len() as u32).collect();
            let mut tree = Tree::build(&points, &places, all.clone());
            for strike_out in [false, true] {
                if strike_out {
                    let gone = all.iter().filter(|place| *place % 3 == 1);
                    for &place in gone {
                        while let Some(record) = places.first(place) {
                            places.remove(record);
                        }
                        tree.strike_out(place);
                    }
                }
                for query in (0..400).step_by(57) {
                    let point = points.row(query);
                    for &place in &all {
                        let row = points.row(places.witness(place) as usize);
                        let reach = squared_distance(point, row);
                        let near = offered::<true>(&mut tree, point, reach).contains(&place);
                        let far = offered::<false>(&mut tree, point, reach).contains(&place);
                        let there = !places.is_empty(place);
                        assert_eq!((near, far), (there, there), "{width} {spread} {query}");
                    }
                }
            }
        }
    }
}

/// Where distances differ clearly in single precision, few points are looked at: the filter filters.
#[test]
fn most_of_what_is_beyond_the_limit_is_left_out() {
    let points = points(3, 1.0);
    let places = Places::of(&points);
    let mut tree = Tree::build(&points, &places, (0..places.len() as u32).collect());
    let keys = |query| (0..400).map(move |other| (query, other));
    for (query, other) in (0..400).step_by(31).flat_map(keys) {
        let point = points.row(query);
        let distance = |record| squared_distance(point, points.row(record));
        let reach = distance(other);
        let nearer = (0..400).filter(|&record| distance(record) <= reach).count();
        assert!(offered::<true>(&mut tree, point, reach).len() <= nearer + 3);
        let farther = (0..400).filter(|&record| distance(record) >= reach).count();
        assert!(offered::<false>(&mut tree, point, reach).len() <= farther + 3);
    }
}
