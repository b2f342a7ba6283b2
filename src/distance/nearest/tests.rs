mod widths;

use super::{Boxes, Contest, Finish, GAP, Least, Link, Neighbours, Rival, Rivals, exhaustive};
use crate::distance::{Doubt, Metric};
use crate::table::matrix::Matrix;

/// A splitmix64 generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// The laws by which test values are drawn.
#[derive(Debug, Clone, Copy)]
enum Law {
    /// Few integers: ties and duplicates.
    Few,
    /// Normal.
    Normal,
    /// Integers with heavy tails.
    Heavy,
    /// All the same.
    Constant,
    /// Huge and tiny magnitudes together.
    Wild,
    /// Far from the origin, close to each other.
    Offset,
    /// Differences whose squares overflow.
    Overflowing,
    /// Many that are one number in single precision, and a few far away.
    Alike,
}

const LAWS: [Law; 8] = [
    Law::Few,
    Law::Normal,
    Law::Heavy,
    Law::Constant,
    Law::Wild,
    Law::Offset,
    Law::Alike,
    Law::Overflowing,
];

fn draw(law: Law, random: &mut Random) -> f64 {
    match law {
        Law::Few => random.below(3) as f64,
        Law::Normal => random.normal(),
        Law::Heavy => (2.0 * random.normal() + 8.0).exp().round(),
        Law::Constant => 7.0,
        Law::Wild => random.normal() * 10f64.powi(random.below(60) as i32 - 30),
        Law::Offset => 1e9 + random.below(1000) as f64,
        Law::Overflowing => random.normal() * 10f64.powi(random.below(600) as i32 - 300),
        Law::Alike if random.below(8) == 0 => 1e6 * random.normal(),
        Law::Alike => 1.0 + random.below(40) as f64 * 1e-6,
    }
}

fn matrix(laws: &[Law], n: usize, missing: f64, random: &mut Random) -> Matrix {
    let values = (0..n)
        .flat_map(|_| laws)
        .map(|&law| draw(law, random))
        .collect::<Vec<_>>();
    let mut matrix = Matrix::complete(n, laws.len(), values);
    for record in 0..n {
        for attribute in 0..laws.len() {
            if random.unit() < missing {
                matrix.set_missing(record, attribute);
            }
        }
    }
    matrix
}

fn boxes(queries: &Matrix, points: &Matrix, random: &mut Random) -> Boxes {
    let bound = |attribute: usize, infinite: f64, random: &mut Random| {
        if points.n_records() == 0 || random.below(4) == 0 {
            return infinite;
        }
        points.row(random.below(points.n_records()))[attribute]
    };
    let (mut lo, mut hi) = (Vec::new(), Vec::new());
    for _ in 0..queries.n_records() {
        let constrained = random.below(3);
        for attribute in 0..queries.n_attributes() {
            let (mut a, mut b) = (f64::NEG_INFINITY, f64::INFINITY);
            if random.below(3) < constrained {
                (a, b) = (bound(attribute, a, random), bound(attribute, b, random));
                if a > b && random.below(8) > 0 {
                    (a, b) = (b, a);
                }
                if random.below(8) == 0 {
                    (a, b) = GAP;
                }
            }
            lo.push(a);
            hi.push(b);
        }
    }
    let admits_gaps = (0..queries.n_attributes()).map(|_| random.below(2) == 0);
    Boxes::new(queries.n_records(), queries.n_attributes(), lo, hi)
        .admitting_gaps(admits_gaps.collect())
}

fn same(a: &Link, b: &Link) -> bool {
    a == b && a.key.to_bits() == b.key.to_bits()
}

/// None, that of rounding, and so much that several are in doubt.
const DOUBTS: [Doubt; 3] = [
    Doubt::NONE,
    Doubt {
        share: 1e-13,
        absolute: 1e-20,
    },
    Doubt {
        share: 0.2,
        absolute: 1e-3,
    },
];

struct Case {
    points: Matrix,
    queries: Matrix,
    metric: Metric,
    rivals: Vec<Option<u32>>,
    boxes: Boxes,
}

impl Case {
    /// What is found in some of the points, and in the others, makes what is found in all.
    fn check_pieces(&self, contests: &[Contest], links: &[Link], within: Option<&Boxes>) {
        let Self {
            points,
            queries,
            metric,
            rivals,
            ..
        } = self;
        let rival = |query: usize| {
            let row = points.record(rivals[query]? as usize);
            Some(Rival {
                key: metric.key(queries.record(query), row),
                inside: within.is_none_or(|boxes| boxes.admits(query, row)),
            })
        };
        let known: Vec<Option<Rival>> = (0..rivals.len()).map(rival).collect();
        let half = |parity: u32| {
            let n = u32::try_from(points.n_records()).unwrap();
            let of_half: Vec<u32> = (0..n).filter(|point| point % 2 == parity).collect();
            Neighbours::build(&points.reordered(&of_half), metric.clone())
        };
        let [even, odd] = [half(0), half(1)];
        let rivals = Rivals::Known(&known);
        let found = even.contests(queries, rivals, within).into_iter();
        let others = odd.contests(queries, rivals, within);
        let found: Vec<Contest> = found.zip(others).map(|(a, b)| a.and(b)).collect();
        assert_eq!(found, contests);
        for doubt in DOUBTS {
            let found = even.least(queries, rivals, within, |_| doubt).into_iter();
            let others = odd.least(queries, rivals, within, |_| doubt);
            for (query, (a, b)) in found.zip(others).enumerate() {
                let least = (&links[query], contests[query]);
                self.check_least(a.and(b), query, least, doubt, within);
            }
        }
    }

    /// The least distance, how many tie at it, and the contest are those of the oracle; so is the next distance.
    fn check_least(
        &self,
        found: Least,
        query: usize,
        (link, contest): (&Link, Contest),
        doubt: Doubt,
        within: Option<&Boxes>,
    ) {
        let Link { key, tied, .. } = *link;
        assert_eq!((found.key, found.tied), (key, tied), "query {query}");
        assert_eq!(found.contest, contest, "query {query}");
        self.check_next(found.next, query, key, doubt, within);
    }

    /// The distance after the least is that of the oracle wherever it is in doubt.
    fn check_next(&self, found: f64, query: usize, key: f64, doubt: Doubt, within: Option<&Boxes>) {
        let candidates = (0..self.points.n_records())
            .map(|point| self.points.record(point))
            .filter(|&point| within.is_none_or(|boxes| boxes.admits(query, point)));
        let record = self.queries.record(query);
        let mut keys: Vec<f64> = candidates
            .map(|point| self.metric.key(record, point))
            .collect();
        keys.sort_by(f64::total_cmp);
        let next = keys.get(1).copied().unwrap_or(f64::INFINITY);
        if next <= doubt.above(key) {
            assert_eq!(found, next, "query {query}");
        } else {
            assert!(
                found > doubt.above(key) || key == f64::INFINITY,
                "query {query}"
            );
        }
    }

    fn check(&self, limit: usize, what: &str) {
        let Self {
            points,
            queries,
            metric,
            rivals,
            boxes,
        } = self;
        for within in [None, Some(boxes)] {
            let oracle = |query: usize| {
                let (rival, query) = (rivals[query], (queries, query));
                let contest = exhaustive::contest(points, metric, query, rival, within);
                let link = exhaustive::link(points, metric, query, rival, within, limit);
                (contest, link)
            };
            let (contests, links): (Vec<Contest>, Vec<Link>) =
                (0..queries.n_records()).map(oracle).unzip();
            self.check_pieces(&contests, &links, within);
            for budget in [
                None,
                Some((Finish::Scan, u64::MAX)),
                Some((Finish::Scan, 0)),
                Some((Finish::Scan, 3)),
                Some((Finish::Together, 0)),
                Some((Finish::Together, 3)),
            ] {
                let mut neighbours = Neighbours::build(points, metric.clone());
                neighbours.forced = budget;
                let found = neighbours.contests(queries, rivals.as_slice(), within);
                for (query, (found, expected)) in found.iter().zip(&contests).enumerate() {
                    assert_eq!(found, expected, "{what}, query {query}, budget {budget:?}");
                }
                for doubt in DOUBTS {
                    let found = neighbours.least(queries, rivals.as_slice(), within, |_| doubt);
                    for (query, found) in found.into_iter().enumerate() {
                        let least = (&links[query], contests[query]);
                        self.check_least(found, query, least, doubt, within);
                    }
                }
                for doubt in DOUBTS {
                    let found = neighbours.links(queries, rivals, within, limit, |_| doubt);
                    for (query, ((found, next), expected)) in found.iter().zip(&links).enumerate() {
                        let place = format!("{what}, query {query}, budget {budget:?}");
                        assert!(
                            same(found, expected),
                            "{place}: {found:?}, not {expected:?}"
                        );
                        self.check_next(*next, query, found.key, doubt, within);
                    }
                }
            }
        }
    }
}

/// Points, queries near some of them or apart, and rivals of all kinds.
fn case(random: &mut Random) -> (Case, String) {
    let d = [1, 2, 3, 5, 8, 13, 20, 33, 50][random.below(9)];
    let n = [0, 1, 2, 15, 16, 17, 40, 130, 600, 1200][random.below(10)];
    let pure = random.below(LAWS.len() + 3);
    let laws: Vec<Law> = (0..d)
        .map(|_| {
            LAWS.get(pure)
                .copied()
                .unwrap_or(LAWS[random.below(LAWS.len() - 1)])
        })
        .collect();
    let missing = [0.0, 0.0, 0.03, 0.3][random.below(4)];
    let points = matrix(&laws, n, missing, random);
    let mut queries = matrix(&laws, 40, [0.0, missing][random.below(2)], random);
    if n > 0 && random.below(2) == 0 {
        // Copies of points, one cell changed.
        let mut values = Vec::new();
        for _ in 0..40 {
            let mut row = points.row(random.below(n)).to_vec();
            let attribute = random.below(d);
            row[attribute] = draw(laws[attribute], random);
            values.extend(row);
        }
        queries = Matrix::complete(40, d, values);
    }
    let weights = (0..d)
        .map(|_| match random.below(8) {
            0 => 0.0,
            1 => 10f64.powi(random.below(40) as i32 - 20),
            2 => random.unit(),
            _ => 1.0,
        })
        .collect();
    let constants = (0..d).map(|_| [0.0, 1.0, 2.5][random.below(3)]).collect();
    let rivals = (0..40)
        .map(|_| (n > 0 && random.below(5) > 0).then(|| random.below(n.max(1)) as u32))
        .collect();
    let boxes = boxes(&queries, &points, random);
    let what = format!("n {n}, laws {laws:?}, missing {missing}");
    (
        Case {
            points,
            queries,
            metric: Metric::new(weights, constants),
            rivals,
            boxes,
        },
        what,
    )
}

#[test]
fn every_way_answers_as_the_oracle_does() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let (case, what) = case(&mut random);
        case.check(
            [0, 1, 3, 1000][random.below(4)],
            &format!("seed {seed}, {what}"),
        );
    }
}

/// Nobody in a box is left out or comes twice; where there is no filter in single precision, nobody else comes.
#[test]
fn those_in_a_box_are_those_it_admits() {
    let (mut found, mut left_out, mut others) = (0, 0, 0);
    for seed in 0..400 {
        let (case, what) = case(&mut Random(2000 + seed));
        let neighbours = Neighbours::build(&case.points, case.metric.clone());
        for query in 0..case.queries.n_records() {
            let constraints: Vec<_> = case.boxes.constraints(query).collect();
            let mut places = Vec::new();
            neighbours.inside(&constraints, &mut places);
            let mut is_there = vec![false; case.points.n_records()];
            for place in places {
                let point = neighbours.points()[place as usize] as usize;
                assert!(!is_there[point], "seed {seed}, {what}: twice");
                is_there[point] = true;
            }
            for (point, is_there) in is_there.into_iter().enumerate() {
                let admitted = case.boxes.admits(query, case.points.record(point));
                assert!(is_there || !admitted, "seed {seed}, {what}: left out");
                if is_there && !admitted {
                    assert!(neighbours.rough.is_some(), "seed {seed}, {what}");
                    others += 1;
                }
                found += usize::from(admitted);
                left_out += usize::from(!is_there);
            }
        }
    }
    assert!(found > 100_000 && left_out > 100_000, "{found} {left_out}");
    assert!(others < found / 10, "{others} beside {found}");
}

#[test]
fn the_tree_computes_the_canonical_number() {
    for seed in 0..50 {
        let (case, what) = case(&mut Random(1000 + seed));
        let neighbours = Neighbours::build(&case.points, case.metric.clone());
        let mut axes = Vec::new();
        for query in 0..case.queries.n_records() {
            super::tiles::axes_of(case.queries.record(query), &case.metric, &mut axes);
            for (point, &position) in neighbours.tree.positions.iter().enumerate() {
                let key = case
                    .metric
                    .key(case.queries.record(query), case.points.record(point));
                assert!(!key.is_nan());
                let found = neighbours.tree.tiles.key(position as usize, &axes);
                assert_eq!(found.to_bits(), key.to_bits(), "seed {seed}, {what}");
            }
        }
    }
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let mut random = Random(7);
    let laws = [Law::Normal, Law::Heavy, Law::Few, Law::Normal];
    let points = matrix(&laws, 3000, 0.02, &mut random);
    let queries = matrix(&laws, 3000, 0.02, &mut random);
    let rivals: Vec<Option<u32>> = (0..3000).map(Some).collect();
    let answers = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let metric = Metric::new(vec![1.0, 1e-6, 1.0, 1.0], vec![1.0; 4]);
            let neighbours = Neighbours::build(&points, metric);
            let contests = neighbours.contests(&queries, rivals.as_slice(), None);
            (
                contests,
                neighbours.links(&queries, &rivals, None, 2, |_| Doubt::NONE),
            )
        })
    };
    assert_eq!(answers(1), answers(3));
}

#[test]
fn a_file_of_equal_records_ties_without_taking_quadratic_memory() {
    let n = 20_000;
    let points = Matrix::complete(n, 3, vec![1.0; 3 * n]);
    let rivals: Vec<Option<u32>> = (0..n as u32).map(Some).collect();
    let neighbours = Neighbours::build(&points, Metric::new(vec![1.0; 3], vec![1.0; 3]));
    let tied = n as u32;
    let contest = Contest {
        candidates: tied,
        inside: true,
        closer: false,
        tied,
    };
    assert!(
        neighbours
            .contests(&points, rivals.as_slice(), None)
            .iter()
            .all(|found| *found == contest)
    );
    let link = Link {
        nearest: vec![0, 1, 2],
        tied,
        key: 0.0,
        candidates: tied,
        place: Some(1),
    };
    assert!(
        neighbours
            .links(&points, &rivals, None, 3, |_| Doubt::NONE)
            .iter()
            .all(|(found, next)| *found == link && *next == 0.0)
    );
}

#[test]
#[should_panic(expected = "one rival a query")]
fn rivals_must_fit() {
    let points = Matrix::complete(2, 1, vec![0.0, 1.0]);
    let neighbours = Neighbours::build(&points, Metric::new(vec![1.0], vec![1.0]));
    neighbours.contests(&points, [None].as_slice(), None);
}
