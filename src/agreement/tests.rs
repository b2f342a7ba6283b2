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

/// For each seeker its link with all records of the greatest weight, and what a contest says of its rival.
fn by_weight(weighted: &Weighted, rivals: &[Option<u32>]) -> Vec<(Link, Contest)> {
    let of_seeker = |(seeker, rival): (usize, &Option<u32>)| {
        let weights: Vec<f64> = (0..weighted.agreement.n_sought)
            .map(|sought| weighted.of_pair(seeker, sought))
            .collect();
        let best = weights.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let nearest = (0..).zip(&weights).filter(|of| *of.1 >= best);
        let nearest: Vec<u32> = nearest.map(|(record, _)| record).collect();
        let rival = rival.map(|rival| weights[rival as usize]);
        let higher = |rival: f64| weights.iter().filter(|&&weight| weight > rival).count() as u32;
        let (candidates, tied) = (weights.len() as u32, nearest.len() as u32);
        let is_best = rival.is_some_and(|rival| rival >= best);
        let contest = Contest {
            candidates,
            inside: rival.is_some(),
            closer: rival.is_some() && !is_best,
            tied: if is_best { tied } else { 0 },
        };
        let link = Link {
            nearest,
            tied,
            key: -best,
            candidates,
            place: rival.map(|rival| 1 + higher(rival)),
        };
        (link, contest)
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
        for by_classes in [true, false] {
            agreement.way = if by_classes {
                agreement.by_classes(agreement.by_missing())
            } else {
                Way::Pairs(Pairs::new(&agreement))
            };
            agreement.maximal = OnceLock::new();
            // Weights that are asked for before pairs are counted, and after.
            for counted in [false, true] {
                if counted {
                    assert_eq!(agreement.counts(), by_every_pair(&agreement), "{round}");
                    assert_eq!(agreement.maximal.get().is_some(), by_classes);
                }
                let weighted = Weighted {
                    agreement,
                    weights: weights.clone(),
                };
                let right = by_weight(&weighted, &rivals);
                let (links, contests): (Vec<Link>, Vec<Contest>) = right.into_iter().unzip();
                let least: Vec<(f64, u32)> = links.iter().map(|of| (of.key, of.tied)).collect();
                let found = weighted.contests(&rivals);
                assert_eq!(found, (contests, least), "{round}");
                assert_eq!(weighted.links(&rivals, usize::MAX), links, "{round}");
                agreement = weighted.agreement;
            }
        }
    }
}

/// What no other set of attributes contains, by comparing each set with each other.
#[test]
fn a_pattern_is_maximal_if_no_other_contains_it() {
    let mut dice = Dice(3);
    for round in 0..200 {
        let width = round % 10;
        let often = 1 + dice.roll(40);
        let counts: Vec<u32> = (0..1 << width)
            .map(|_| u32::from(dice.roll(often) == 0))
            .collect();
        let occurring = || (0..).zip(&counts).filter(|of| *of.1 > 0).map(|of| of.0);
        let is_maximal = |&set: &u32| !occurring().any(|other| other != set && other & set == set);
        let right: Vec<u32> = occurring().filter(is_maximal).collect();
        assert_eq!(maximal(&counts).collect::<Vec<_>>(), right, "{round}");
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
