//! The search beside the plain scan of all pairs: equal to the last bit.

use rayon::ThreadPoolBuilder;

use super::{LEFT_OUT_OF_LARGE, Pairs};
use crate::{
    attack::{Direction, Lists, Release, Scenario},
    statement::{
        CopulaAllocation, CopulaComponent, CopulaExtremes, CopulaGiven, CopulaParameters,
        CopulaTerm, Method, Step,
    },
    table::{Scale, matrix::Matrix},
};

/// Numbers that look like chance.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// Nearly normal.
    fn normal(&mut self) -> f64 {
        (0..12)
            .map(|_| self.roll(1 << 20) as f64 / f64::from(1 << 20))
            .sum::<f64>()
            - 6.0
    }
}

type Cells = Vec<Vec<Option<f64>>>;

fn matrix(cells: &Cells, columns: &[usize]) -> Matrix {
    let values = (cells.iter()).flat_map(|row| columns.iter().map(|&k| row[k].unwrap_or(0.0)));
    let mut matrix = Matrix::complete(cells.len(), columns.len(), values.collect());
    for (record, row) in cells.iter().enumerate() {
        for (at, &k) in columns.iter().enumerate() {
            if row[k].is_none() {
                matrix.set_missing(record, at);
            }
        }
    }
    matrix
}

fn component(weight: f64, shift: f64, loadings: &[f64]) -> CopulaComponent {
    let d = loadings.len();
    let cell = |i: usize, j: usize| {
        if i == j {
            1.0
        } else {
            loadings[i] * loadings[j]
        }
    };
    CopulaComponent {
        weight,
        mean: (0..d).map(|k| shift * (k as f64 - 0.7)).collect(),
        covariance: (0..d)
            .map(|i| (0..d).map(|j| cell(i, j)).collect())
            .collect(),
    }
}

/// What a case is about.
#[derive(Debug, Clone, Copy)]
struct Case {
    mu: f64,
    components: usize,
    levels: usize,
    /// How many of the four masked attributes are known, and how many were released.
    known: usize,
    /// One cell in so many is missing; 0 for none.
    gap: u64,
    /// Whether values are coarse, and a quarter of the first attribute is equal.
    ties: bool,
    /// Whether an attribute of three values was not masked.
    unmasked: bool,
    /// How many values an attribute has that was kept; 0 for none.
    given: u64,
    direction: Direction,
}

const MASKED: usize = 4;

/// People, and what was released of them: correlated values with noise, in another order; the last attribute was not masked.
fn files(case: &Case, n: usize) -> (Cells, Cells) {
    let mut dice = Dice(7 + case.known as u64);
    let coarse = |x: f64| if case.ties { (x * 4.0).round() } else { x };
    let (mut people, mut shown) = (Cells::new(), Cells::new());
    for _ in 0..n {
        let common = dice.normal();
        let class = dice.roll(case.given.max(3)) as f64;
        let both: Vec<(f64, f64)> = (0..MASKED)
            .map(|k| {
                let x = 0.8 * common + 0.6 * dice.normal();
                let x = if k == 0 && case.ties { x.max(-0.6) } else { x };
                (coarse(x), coarse(0.9 * x + 0.4 * dice.normal()))
            })
            .collect();
        let mut cells = |which: fn(&(f64, f64)) -> f64| -> Vec<Option<f64>> {
            let gaps = (both.iter()).map(|pair| {
                let missing = case.gap > 0 && dice.roll(case.gap) == 0;
                (!missing).then_some(which(pair))
            });
            gaps.chain([Some(class)]).collect()
        };
        let (person, record) = (cells(|pair| pair.0), cells(|pair| pair.1));
        people.push(person);
        shown.push(record);
    }
    shown.rotate_left(n / 3);
    (people, shown)
}

fn parameters(case: &Case) -> CopulaParameters {
    let loadings = [
        [0.8, 0.7, -0.5, 0.6],
        [0.2, 0.4, 0.7, -0.3],
        [0.9, 0.9, 0.9, 0.9],
    ];
    let weights = match case.components {
        1 => vec![1.0],
        2 => vec![0.3, 0.7],
        _ => vec![0.2, 0.5, 0.3],
    };
    let parts = weights.iter().zip(&loadings).zip([0.0, -0.4, 0.8]);
    CopulaParameters {
        mu: case.mu,
        allocation: CopulaAllocation::Minimal,
        bits: 1.0,
        values: (0..MASKED).map(|k| format!("a{k}")).collect(),
        gaps: Vec::new(),
        weights: Vec::new(),
        components: (parts)
            .map(|((&weight, loadings), shift)| component(weight, shift, loadings))
            .collect(),
        extremes: (case.levels > 0).then_some(CopulaExtremes {
            levels: case.levels,
            coded: 0.0,
            coded_at_least: 0,
        }),
        given: (case.given > 0).then(|| CopulaGiven {
            attributes: vec!["a4".into()],
            constants: vec![0.1, -0.1, 0.0, 0.2],
            terms: vec![CopulaTerm {
                attribute: "a4".into(),
                category: None,
                coefficients: vec![0.4, 0.0, -0.3, 0.1],
            }],
        }),
        latent: true,
        exact_moments: false,
        secret: false,
        risk: None,
    }
}

fn bits(list: &[(u32, f64)]) -> Vec<(u32, u64)> {
    let mut bits: Vec<(u32, u64)> = (list.iter())
        .map(|&(record, cost)| (record, cost.to_bits()))
        .collect();
    bits.sort_unstable();
    bits
}

/// Asks both programs about every seeker; the mean share of the pairs that are listed.
fn compare(case: &Case, n: usize) -> f64 {
    let (people, shown) = files(case, n);
    let mut columns: Vec<usize> = (0..case.known).collect();
    if case.unmasked {
        columns.push(MASKED);
    }
    let known: Vec<String> = columns.iter().map(|k| format!("a{k}")).collect();
    let all: Vec<usize> = (0..=MASKED).collect();
    let (intruder, released) = (matrix(&people, &columns), matrix(&shown, &columns));
    let beside = Release {
        names: all.iter().map(|k| format!("a{k}")).collect(),
        categories: vec![None; all.len()],
        values: matrix(&shown, &all),
    };
    let scenario = Scenario {
        known: &known,
        scales: &vec![Scale::Continuous; known.len()],
        categories: &[],
        intruder: &intruder,
        released: &released,
        direction: case.direction,
        aligned: None,
        beside: Some(&beside),
        unrecoded: None,
    };
    let stated = parameters(case);
    let statement = Step::new(Method::Copula(stated.clone()), n, stated.values.clone());
    let plain = Pairs::unprepared(&scenario, &statement, &stated, false);
    let made = |is_large: bool| Pairs::sized(&scenario, &statement, &stated, is_large);
    let (quick, large) = (made(false), made(true));
    let has_index = |pairs: &Pairs<'_>| {
        let all = pairs.meetings.iter().flatten().flatten();
        all.filter(|meeting| meeting.is_indexed()).count() > 0
    };
    // With groups beside gaps and ties, classes may be too small for an index.
    let is_simple = case.gap == 0 && !case.ties;
    if case.given == 0 || case.given > 64 || is_simple {
        assert_eq!(has_index(&quick), case.given < 64, "{case:?}");
    }
    let (mut expected, mut got) = (Vec::new(), Vec::new());
    let mut listed = 0;
    for seeker in 0..n {
        plain.list(seeker, &mut expected);
        quick.list(seeker, &mut got);
        assert_eq!(bits(&got), bits(&expected), "{case:?}, {seeker}");
        listed += got.len();
        let least = expected
            .iter()
            .fold(f64::INFINITY, |least, of| least.min(of.1));
        large.cheapest(seeker, &mut got);
        let best: Vec<(u32, f64)> = (expected.iter().copied())
            .filter(|&(_, cost)| cost <= least)
            .collect();
        assert_eq!(bits(&got), bits(&best), "{case:?}, {seeker}");
        // In large files: the likeliest, with equals, and all but a thousandth of the posterior.
        large.list(seeker, &mut got);
        let sum = |list: &[(u32, f64)]| list.iter().map(|of| (least - of.1).exp()).sum::<f64>();
        let greatest = got
            .iter()
            .fold(f64::NEG_INFINITY, |most, of| most.max(of.1));
        let kept: Vec<(u32, f64)> = (expected.iter().copied())
            .filter(|&(_, cost)| cost <= greatest)
            .collect();
        assert_eq!(bits(&got), bits(&kept), "{case:?}, {seeker}");
        assert!(
            sum(&got) >= (1.0 - LEFT_OUT_OF_LARGE) * sum(&expected),
            "{case:?}, {seeker}"
        );
    }
    listed as f64 / (n * n) as f64
}

#[test]
fn the_search_finds_what_the_scan_of_all_pairs_finds() {
    let case = |number: u64, direction| {
        let at = |choices: u64, salt: u64| ((number + 1).wrapping_mul(salt) >> 4) % choices;
        Case {
            mu: [1.0, 6.0, 400.0][at(3, 7919) as usize],
            components: 1 + at(3, 104_729) as usize,
            levels: [0, 5][at(2, 15_485_863) as usize],
            known: 1 + at(MASKED as u64, 32_452_843) as usize,
            gap: [0, 0, 12][at(3, 49_979_687) as usize],
            ties: at(2, 67_867_967) == 0,
            unmasked: at(3, 86_028_121) == 0,
            given: [0, 0, 0, 2, 0, 0, 0, 5000][(number % 8) as usize],
            direction,
        }
    };
    for number in 0..24 {
        for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
            compare(&case(number, direction), 110);
        }
    }
}

/// Where masked records say much of their originals, lists are short, and several levels of the trees are left out.
#[test]
fn likelihoods_that_say_much_leave_most_pairs_out() {
    let case = Case {
        mu: 1e4,
        components: 2,
        levels: 0,
        known: 4,
        gap: 0,
        ties: false,
        unmasked: false,
        given: 0,
        direction: Direction::OriginalToMasked,
    };
    for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
        let share = compare(&Case { direction, ..case }, 300);
        assert!(share < 0.2, "{direction:?}: {share}");
    }
}

#[test]
fn threads_make_no_difference() {
    let case = Case {
        mu: 3.0,
        components: 3,
        levels: 5,
        known: 2,
        gap: 12,
        ties: true,
        unmasked: false,
        given: 0,
        direction: Direction::OriginalToMasked,
    };
    for threads in [1, 3] {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        // The plain scan is the same program on one record after the other.
        pool.install(|| compare(&case, 120));
    }
}
