//! Both ways of counting pairs against a look at every pair.

use super::*;

/// A small generator of its own.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn random(dice: &mut Dice, n: usize, width: usize, gap: u64) -> Matrix {
    let values = (0..n * width).map(|_| dice.roll(12) as f64).collect();
    let mut matrix = Matrix::complete(n, width, values);
    for record in 0..n {
        // The last attribute has no gap, or nobody has one.
        for attribute in 0..width.saturating_sub(1) {
            if gap > 0 && dice.roll(gap) == 0 {
                matrix.set_missing(record, attribute);
            }
        }
    }
    matrix
}

fn by_every_pair(agreement: &Agreement) -> BTreeMap<Pattern, u64> {
    let mut counts = BTreeMap::new();
    for seeker in 0..agreement.n_seekers {
        for sought in 0..agreement.n_sought {
            *counts.entry(agreement.pattern(seeker, sought)).or_insert(0) += 1;
        }
    }
    counts
}

fn standings_by_every_pair(weighted: &Weighted, rivals: &[Option<u32>]) -> Vec<Standing> {
    let of_seeker = |(seeker, rival): (usize, &Option<u32>)| {
        let weights: Vec<f64> = (0..weighted.agreement.n_sought)
            .map(|sought| weighted.of_pair(seeker, sought))
            .collect();
        let rival = rival.map(|rival| weights[rival as usize]);
        let of = |order: Ordering, than: f64| {
            let those = weights.iter().filter(|w| w.total_cmp(&than) == order);
            those.count() as u32
        };
        let best = weights.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        Standing {
            rival,
            higher: rival.map_or(0, |rival| of(Ordering::Greater, rival)),
            tied: rival.map_or(0, |rival| of(Ordering::Equal, rival)),
            best,
            best_tied: of(Ordering::Equal, best),
        }
    };
    rivals.iter().enumerate().map(of_seeker).collect()
}

/// Sizes about a block and a tile of blocks, no gaps and many, no record and no attribute: classes and pairs count the same, which
/// is what there is.
#[test]
fn classes_and_pairs_count_what_there_is() {
    let mut dice = Dice(1);
    let sizes = [
        [0, 5],
        [5, 0],
        [1, 1],
        [70, 63],
        [64, 64],
        [33, 65],
        [129, 530],
        [200, 90],
    ];
    for (round, [n, n_sought]) in sizes.into_iter().cycle().take(56).enumerate() {
        let width = [0, 1, 3, 5, 7, 9, 11][round % 7];
        let gap = [0, 3, 8][round % 3];
        let seekers = random(&mut dice, n, width, [gap, 0][round / 7 % 2]);
        let sought = random(&mut dice, n_sought, width, [gap, 0][round / 14 % 2]);
        let comparators: Vec<Comparator> = (0..width)
            .map(|k| [Comparator::Exact, Comparator::Absolute(2.0)][(round + k) % 2])
            .collect();
        let mut agreement =
            Agreement::new(&seekers, &sought, &comparators, true, Reference::Original);
        let rivals: Vec<Option<u32>> = (0..n)
            .map(|_| (n_sought > 0).then(|| dice.roll(n_sought as u64 + 1) as u32))
            .map(|rival| rival.filter(|&rival| (rival as usize) < n_sought))
            .collect();
        let weights: Vec<[f64; 2]> = (0..width)
            .map(|_| [dice.roll(4) as f64 * 0.7, -(dice.roll(3) as f64) / 3.0])
            .collect();
        let mut results = Vec::new();
        for by_classes in [true, false] {
            agreement.way = if by_classes {
                agreement.by_classes(agreement.by_missing())
            } else {
                Way::Pairs(Pairs::new(&agreement))
            };
            assert_eq!(agreement.counts(), by_every_pair(&agreement), "{round}");
            let weighted = Weighted {
                agreement,
                weights: weights.clone(),
            };
            let standings = weighted.standings(&rivals);
            let right = standings_by_every_pair(&weighted, &rivals);
            assert_eq!(format!("{standings:?}"), format!("{right:?}"), "{round}");
            results.push(standings);
            agreement = weighted.agreement;
            agreement.kept = OnceLock::new();
        }
        assert_eq!(format!("{:?}", results[0]), format!("{:?}", results[1]));
    }
}

/// Pairs are looked at where a seeker's counts would be more than the sought records, and only there.
#[test]
fn many_combinations_of_gaps_are_counted_pair_by_pair() {
    let mut dice = Dice(2);
    let comparators = vec![Comparator::Exact; 8];
    for (n, gap, by_pairs) in [(255, 0, true), (256, 0, false), (2000, 3, true)] {
        let records = random(&mut dice, n, 8, gap);
        let agreement = Agreement::new(&records, &records, &comparators, true, Reference::Original);
        assert_eq!(matches!(agreement.way, Way::Pairs(_)), by_pairs, "{n}");
    }
}
