//! The involution attack against a slow program of its own: dense matrices, plain loops, a fixed point by going round.

use sdcrisk::{
    attack::{
        Attack, Direction, Lists, Preference, Scenario,
        balanced::Balanced,
        involution::{EPS, Involution},
        likelihood::Likelihood,
    },
    evaluate::{
        link::{Assign, Study, shared_attributes},
        score::Ties,
        truth::Truth,
    },
    mask::{
        Mask,
        copula::{Copula, Keep, Options},
        p_buckets::PBuckets,
        p_distribution::PDistribution,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::{Partner, Statement},
    table::{Scale, matrix::Matrix},
};

use crate::random_files::{self, Cells, Dice, table};

fn lists<'a>(attack: &dyn Attack, scenario: &Scenario<'a>) -> Box<dyn Lists + 'a> {
    match attack.prepare(scenario).unwrap() {
        Preference::Lists(lists) => lists,
        Preference::Nearest(_) | Preference::Agreed(_) => panic!("likelihoods are lists"),
    }
}

fn matrix(cells: &Cells) -> Matrix {
    let width = cells[0].len();
    let numbers = cells.iter().flatten();
    let values = numbers.map(|cell| cell.unwrap_or(0) as f64).collect();
    let mut matrix = Matrix::complete(cells.len(), width, values);
    for (record, row) in cells.iter().enumerate() {
        for k in (0..width).filter(|&k| row[k].is_none()) {
            matrix.set_missing(record, k);
        }
    }
    matrix
}

/// Masks some attributes, by position.
fn masked(cells: &Cells, method: &dyn Mask, on: &[usize], seed: u64) -> (Cells, Statement) {
    let original = table(cells);
    let ids: Vec<_> = original.ids().collect();
    let ids: Vec<_> = on.iter().map(|&k| ids[k]).collect();
    let streams = Seed::from_number(seed).streams(Purpose::Mask, 0);
    let masked = method.mask(original, &ids, &streams).unwrap();
    let mut text = Vec::new();
    masked.table.write(&mut text).unwrap();
    (
        random_files::parse(&String::from_utf8(text).unwrap()),
        masked.statement,
    )
}

/// What the intruder has and what was published, and who is whom.
struct Case {
    held: Cells,
    released: Cells,
    /// For each record held, where its masked one stands.
    partner: Vec<Option<usize>>,
    /// 0 where an attribute was not masked.
    windows: Vec<usize>,
    masked_records: usize,
    stated: bool,
    attack: Involution,
    likelihood: Likelihood,
}

impl Case {
    fn with(&self, direction: Direction, mut check: impl FnMut(&Scenario<'_>)) {
        let (intruder, released) = (matrix(&self.held), matrix(&self.released));
        let known: Vec<String> = (0..self.windows.len()).map(|k| format!("a{k}")).collect();
        check(&Scenario {
            known: &known,
            scales: &vec![Scale::Continuous; known.len()],
            intruder: &intruder,
            released: &released,
            direction,
            aligned: None,
            beside: None,
        });
    }
}

/// Small files: ties, gaps, repeated records, part of the people or of the release, an attribute that was not masked, windows by
/// attribute.
fn case(number: u64, dice: &mut Dice) -> Case {
    let n = 8 + dice.roll(17) as usize;
    let width = 2 + dice.roll(3) as usize;
    let gap = [0, 0, 8][dice.roll(3) as usize];
    let original = random_files::cells(dice, n, width, gap);
    let partner = [Partner::Unswapped, Partner::Skip][dice.roll(2) as usize];
    let swap = |window| RankSwap::new(Reach::Window(window), partner).unwrap();
    let first = dice.roll(2) as usize;
    let on: Vec<usize> = (first..width).collect();
    let mut windows = vec![0; width];
    let stated = dice.roll(2) == 0;
    let (whole, likelihood) = if stated {
        let window = 1 + dice.roll(6) as usize;
        windows[first..].fill(window);
        let (whole, statement) = masked(&original, &swap(window), &on, number);
        (whole, Likelihood::new(statement).unwrap())
    } else {
        let mut cells = original.clone();
        for &k in &on {
            windows[k] = 1 + dice.roll(6) as usize;
            cells = masked(&cells, &swap(windows[k]), &[k], number).0;
        }
        let by_name = windows
            .iter()
            .enumerate()
            .map(|(k, &w)| (format!("a{k}"), w));
        (cells, Likelihood::of_windows(by_name.collect(), n))
    };
    let part = |dice: &mut Dice, share: u64| -> Vec<usize> {
        (0..n)
            .filter(|_| share == 0 || dice.roll(share) > 0)
            .collect()
    };
    let shares = [[0, 0], [2, 0], [5, 0], [0, 4], [4, 5]][dice.roll(5) as usize];
    let people = part(dice, shares[0]);
    let mut shown = part(dice, shares[1]);
    shown.reverse();
    Case {
        partner: people
            .iter()
            .map(|one| shown.iter().position(|other| one == other))
            .collect(),
        held: people.iter().map(|&i| original[i].clone()).collect(),
        released: shown.iter().map(|&i| whole[i].clone()).collect(),
        windows,
        masked_records: n,
        stated,
        attack: Involution::new(likelihood.clone(), EPS).unwrap(),
        likelihood,
    }
}

/// The slow program.
mod slow {
    use super::{Case, Cells};

    pub type Pairs = Vec<Vec<bool>>;

    /// The least difference between ranks of two values among the released ones. What does not occur is between two.
    fn apart(column: &[i64], one: i64, other: i64) -> usize {
        let ranks = |value: i64| -> Vec<usize> {
            let below = column.iter().filter(|&&v| v < value).count();
            let equal = column.iter().filter(|&&v| v == value).count();
            match equal {
                0 => [
                    below.checked_sub(1),
                    Some(below).filter(|&r| r < column.len()),
                ]
                .into_iter()
                .flatten()
                .collect(),
                _ => (below..below + equal).collect(),
            }
        };
        let (one, other) = (ranks(one), ranks(other));
        let all = one
            .iter()
            .flat_map(|i| other.iter().map(move |j| i.abs_diff(*j)));
        all.min().unwrap()
    }

    /// Held × released.
    pub fn in_windows(case: &Case) -> Pairs {
        let columns: Vec<Vec<i64>> = (0..case.windows.len())
            .map(|k| case.released.iter().filter_map(|row| row[k]).collect())
            .collect();
        let gaps = |cells: &Cells, k: usize| cells.iter().filter(|row| row[k].is_none()).count();
        let in_place = |k: usize| {
            case.stated
                && case.held.len() == case.released.len()
                && gaps(&case.held, k) == gaps(&case.released, k)
        };
        let admits = |x: &[Option<i64>], y: &[Option<i64>]| {
            (0..x.len()).all(|k| match (x[k], y[k]) {
                (Some(a), Some(b)) if case.windows[k] == 0 => a == b,
                (Some(a), Some(b)) => apart(&columns[k], a, b) <= case.windows[k],
                (None, None) => true,
                _ => !in_place(k),
            })
        };
        let row = |x: &Vec<Option<i64>>| case.released.iter().map(|y| admits(x, y)).collect();
        case.held.iter().map(row).collect()
    }

    /// Whether everybody who can have gone from y to x in this attribute stands in both files.
    pub fn is_seen(case: &Case, k: usize, x: i64, y: i64) -> bool {
        let (people, release) = (
            case.held.len() >= case.masked_records,
            case.released.len() >= case.masked_records,
        );
        let count =
            |cells: &Cells, value: i64| cells.iter().filter(|r| r[k] == Some(value)).count();
        let held = |value| count(&case.held, value);
        let shown = |value| count(&case.released, value);
        let all = || {
            case.held
                .iter()
                .chain(&case.released)
                .filter_map(|row| row[k])
        };
        let part_fits = match (people, release) {
            (false, false) => return false,
            (true, true) => true,
            (false, true) => all().all(|v| held(v) <= shown(v)),
            (true, false) => all().all(|v| shown(v) <= held(v)),
        };
        let different = all().all(|v| held(v) <= 1 && shown(v) <= 1);
        (part_fits || different) && held(y) >= shown(y) && shown(x) >= held(x)
    }

    /// Drops pairs without another side until none is dropped.
    pub fn mutual(case: &Case, mut pairs: Pairs) -> Pairs {
        let swapped: Vec<usize> = (0..case.windows.len())
            .filter(|&k| case.windows[k] > 0)
            .collect();
        loop {
            let before = pairs.clone();
            for &k in &swapped {
                let of = |i: usize, j: usize| case.held[i][k].zip(case.released[j][k]);
                let left: Vec<(usize, usize)> = (0..before.len())
                    .flat_map(|i| (0..case.released.len()).map(move |j| (i, j)))
                    .filter(|&(i, j)| before[i][j])
                    .collect();
                let taken: Vec<(i64, i64)> = left.iter().filter_map(|&(i, j)| of(i, j)).collect();
                for (i, j) in left {
                    if let Some((x, y)) = of(i, j)
                        && !taken.contains(&(y, x))
                        && is_seen(case, k, x, y)
                    {
                        pairs[i][j] = false;
                    }
                }
            }
            if pairs == before {
                return pairs;
            }
        }
    }
}

/// The pairs of a scenario's lists, held × released.
fn listed(lists: &dyn Lists, direction: Direction, [held, released]: [usize; 2]) -> slow::Pairs {
    let mut pairs = vec![vec![false; released]; held];
    let mut list = Vec::new();
    for seeker in 0..lists.n_seekers() {
        lists.list(seeker, &mut list);
        assert!(list.is_sorted_by(|a, b| a.0 < b.0), "by ascending record");
        for &(other, _) in &list {
            let (person, record) = match direction {
                Direction::OriginalToMasked => (seeker, other as usize),
                Direction::MaskedToOriginal => (other as usize, seeker),
            };
            pairs[person][record] = true;
        }
    }
    pairs
}

const DIRECTIONS: [Direction; 2] = [Direction::OriginalToMasked, Direction::MaskedToOriginal];

/// The pairs that are left are those of the slow program, with the costs of the likelihood attack; and the true ones are among them.
#[test]
fn what_is_left_is_what_the_slow_program_leaves() {
    let mut dice = Dice(13);
    let (mut excluded, mut parts) = (0, 0);
    for number in 0..200 {
        let case = case(number, &mut dice);
        if case.held.is_empty() || case.released.is_empty() {
            continue;
        }
        let sizes = [case.held.len(), case.released.len()];
        let windows = slow::in_windows(&case);
        let slow = slow::mutual(&case, windows.clone());
        let total = |pairs: &slow::Pairs| pairs.iter().flatten().filter(|&&p| p).count();
        excluded += total(&windows) - total(&slow);
        parts += usize::from(sizes[0] != sizes[1]);
        for direction in DIRECTIONS {
            case.with(direction, |scenario| {
                let fast = lists(&case.attack, scenario);
                assert!(fast.excludes_others(), "{number}: {:?}", fast.caveats());
                assert_eq!(
                    listed(fast.as_ref(), direction, sizes),
                    slow,
                    "{number} {direction:?}"
                );
                let likelihood = lists(&case.likelihood, scenario);
                let (mut left, mut all) = (Vec::new(), Vec::new());
                for seeker in 0..fast.n_seekers() {
                    fast.list(seeker, &mut left);
                    likelihood.list(seeker, &mut all);
                    assert!(left.iter().all(|pair| all.contains(pair)), "{number}");
                }
            });
        }
        for (one, partner) in case.partner.iter().enumerate() {
            if let Some(partner) = *partner {
                assert!(
                    slow[one][partner],
                    "{number}: the true record of {one} is excluded"
                );
            }
        }
    }
    assert!(
        excluded > 500 && parts > 60,
        "{excluded} excluded, {parts} of parts"
    );
}

/// Dense matrices: all pairs are possible, and the posterior is scaled until it no longer changes.
fn slow_soft(likelihoods: &[Vec<f64>], original: &Cells, released: &Cells) -> Vec<Vec<f64>> {
    let n = original.len();
    let scaled = |w: &[Vec<f64>]| {
        let mut w = w.to_vec();
        for _ in 0..500 {
            for row in &mut w {
                let sum: f64 = row.iter().sum();
                row.iter_mut().for_each(|x| *x /= sum);
            }
            for j in 0..n {
                let sum: f64 = w.iter().map(|row| row[j]).sum();
                w.iter_mut().for_each(|row| row[j] /= sum);
            }
        }
        w
    };
    let mut w = likelihoods.to_vec();
    for _ in 0..25 {
        let p = scaled(&w);
        let went = |k: usize, from: i64, to: i64| -> f64 {
            let mut sum = 0.0;
            for (one, row) in original.iter().zip(&p) {
                for (other, p) in released.iter().zip(row) {
                    if one[k] == Some(from) && other[k] == Some(to) {
                        sum += p;
                    }
                }
            }
            sum
        };
        for i in 0..n {
            for j in 0..n {
                let mut product = likelihoods[i][j];
                for k in 0..original[0].len() {
                    let (x, y) = (original[i][k].unwrap(), released[j][k].unwrap());
                    product *= went(k, y, x).clamp(EPS, 1.0);
                }
                w[i][j] = product;
            }
        }
    }
    scaled(&w)
}

/// Laws without a window: the posterior after all rounds is that of dense matrices.
#[test]
fn the_soft_form_weighs_as_the_slow_program_does() {
    let mut dice = Dice(29);
    let mut weighed = 0;
    for number in 0..16 {
        let n = 8 + dice.roll(5) as usize;
        let original = random_files::cells(&mut dice, n, 3, 0);
        let method: Box<dyn Mask> = match number % 2 {
            0 => Box::new(PDistribution::new(30.0).unwrap()),
            _ => Box::new(PBuckets::new(3).unwrap()),
        };
        let (mut released, statement) = masked(&original, method.as_ref(), &[0, 1, 2], number);
        released.reverse();
        let likelihood = Likelihood::new(statement).unwrap();
        let case = Case {
            partner: Vec::new(),
            windows: vec![1; 3],
            masked_records: n,
            stated: true,
            attack: Involution::new(likelihood.clone(), EPS).unwrap(),
            held: original,
            released,
            likelihood,
        };
        case.with(Direction::OriginalToMasked, |scenario| {
            let dense = |lists: &dyn Lists, rest: f64| -> Vec<Vec<f64>> {
                let mut list = Vec::new();
                let row = |seeker| {
                    let mut row = vec![rest; n];
                    lists.list(seeker, &mut list);
                    for &(j, cost) in &list {
                        row[j as usize] = (-cost).exp();
                    }
                    row
                };
                (0..n).map(row).collect()
            };
            let likelihoods = dense(lists(&case.likelihood, scenario).as_ref(), 1e-300);
            let soft = lists(&case.attack, scenario);
            // Tiny files need not show that values were exchanged.
            if !soft.caveats().is_empty() {
                return;
            }
            weighed += 1;
            let found = dense(&Balanced::new(soft.as_ref()).unwrap(), 0.0);
            let slow = slow_soft(&likelihoods, &case.held, &case.released);
            // The program stops scaling sooner.
            let both = found.iter().flatten().zip(slow.iter().flatten());
            let off: f64 = both.clone().map(|(found, slow)| (found - slow).abs()).sum();
            assert!(off / (n as f64) < 0.05, "{number}: off by {off}");
            for (found, slow) in both {
                assert!((found - slow).abs() < 0.1, "{number}: {found} {slow}");
            }
        });
    }
    assert!(weighed > 3, "{weighed} of 16 files");
}

/// A window that is too narrow: somebody is left with nobody, and nothing is said to be certain.
#[test]
fn a_wrong_window_is_found_out() {
    let mut dice = Dice(3);
    for number in 0..20 {
        let original = random_files::cells(&mut dice, 60, 4, 0);
        let swap = RankSwap::new(Reach::Window(20), Partner::Unswapped).unwrap();
        let (released, _) = masked(&original, &swap, &[0, 1, 2, 3], number);
        let windows = (0..4).map(|k| (format!("a{k}"), 10)).collect();
        let likelihood = Likelihood::of_windows(windows, 60);
        let case = Case {
            partner: Vec::new(),
            windows: vec![10; 4],
            masked_records: 60,
            stated: false,
            attack: Involution::new(likelihood.clone(), EPS).unwrap(),
            held: original,
            released,
            likelihood,
        };
        for direction in DIRECTIONS {
            case.with(direction, |scenario| {
                let lists = lists(&case.attack, scenario);
                assert!(!lists.excludes_others(), "{number}");
                assert!(lists.caveats()[0].starts_with("the assumption does not hold"));
            });
        }
    }
}

/// Four attributes that go together, as a file.
fn amounts(dice: &mut Dice, n: usize) -> Cells {
    let record = |_| {
        let size = dice.roll(3000) as i64;
        (0..4)
            .map(|k| Some(size * k + dice.roll(4000) as i64))
            .collect()
    };
    (0..n).map(record).collect()
}

/// Releases in which nothing was exchanged: columns that are shuffled each by itself, ranks that were moved and ranked again, scores drawn
/// together. Told that ranks were swapped, the attack says that this does not hold and that nothing shows exchanges, is certain of nothing, and finds what the
/// likelihood of that law finds when it is balanced, to within 3 points.
#[test]
fn where_nothing_was_exchanged_nothing_is_undone() {
    const N: usize = 150;
    let mut dice = Dice(11);
    for seed in 0..2 {
        let cells = amounts(&mut dice, N);
        let mut shuffled = cells.clone();
        for k in [0, 1, 2, 3] {
            for left in (1..N).rev() {
                let other = dice.roll(left as u64 + 1) as usize;
                let held = shuffled[left][k];
                shuffled[left][k] = shuffled[other][k];
                shuffled[other][k] = held;
            }
        }
        let cycle = RankSwap::new(Reach::Window(15), Partner::Cycle).unwrap();
        let copula = Copula::new(Keep::Mu(10.0), Options::default()).unwrap();
        let by = |method: &dyn Mask| masked(&cells, method, &[0, 1, 2, 3], seed).0;
        for (what, released) in [
            ("shuffled columns", shuffled),
            ("cycle", by(&cycle)),
            ("copula", by(&copula)),
        ] {
            let (original, release) = (table(&cells), table(&released));
            let truth = Truth::by_order(&original, &release).unwrap();
            let everybody = (0..).take(N).collect();
            let study = Study::new(&original, &release, &truth, everybody, DIRECTIONS[0]);
            let (shared, _) = shared_attributes(&original, &release, None);
            let case = study.case(&shared);
            let windows = (0..4).map(|k| (format!("a{k}"), 29)).collect();
            let law = Likelihood::of_windows(windows, N);
            let attack = Involution::new(law.clone(), EPS).unwrap();
            let undone = case.attack(&attack, Assign::Best, false).unwrap();
            let balanced = case.attack(&law, Assign::Balanced, false).unwrap();
            let [found, expected] =
                [&undone, &balanced].map(|outcome| outcome.score.rate(Ties::Fair));
            assert!(
                (found - expected).abs() <= 0.03,
                "{what}: {found} {expected}"
            );
            assert_eq!(undone.score.certain, 0, "{what}");
            let caveats = undone.caveats.join(" ");
            for part in [
                "the assumption does not hold",
                "nothing in these files shows",
            ] {
                assert!(caveats.contains(part), "{what}: {caveats}");
            }
        }
    }
}
