//! The involution attack against a slow program of its own: dense matrices, plain loops, a fixed point by going round.

use sdcrisk::{
    attack::{
        Attack, Direction, Lists, Preference, Scenario,
        balanced::{Balanced, Unlisted},
        involution::{EPS, Involution},
        likelihood::Likelihood,
        releases::{Further, Releases},
        steps::OtherLaw,
    },
    evaluate::{
        link::{Assign, Study, shared_attributes},
        score::Ties,
        truth::{OriginalRecord, Truth},
    },
    mask::{
        Mask,
        copula::{Copula, Keep, Options},
        p_buckets::PBuckets,
        p_distribution::PDistribution,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::{Partner, Step},
    table::{Scale, matrix::Matrix},
};

use crate::{
    random_files::{self, Cells, Dice, table},
    slow_posterior,
};

fn lists<'a>(attack: &dyn Attack, scenario: &Scenario<'a>) -> Box<dyn Lists + 'a> {
    match attack.prepare(scenario).unwrap() {
        Preference::Lists(lists) => lists,
        Preference::Nearest(_) | Preference::Agreed(_) | Preference::Strata(_) => {
            panic!("likelihoods are lists")
        }
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
fn masked(cells: &Cells, method: &dyn Mask, on: &[usize], seed: u64) -> (Cells, Step) {
    let original = table(cells);
    let ids: Vec<_> = original.ids().collect();
    let ids: Vec<_> = on.iter().map(|&k| ids[k]).collect();
    let streams = Seed::from_number(seed).streams(Purpose::Mask, 0);
    let masked = method.mask(original, &ids, &streams).unwrap();
    let mut text = Vec::new();
    masked.table.write(&mut text).unwrap();
    (
        random_files::parse(&String::from_utf8(text).unwrap()),
        masked.step,
    )
}

/// What the intruder has and what was published, and the true matches.
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
            categories: &[],
            intruder: &intruder,
            released: &released,
            direction,
            aligned: None,
            beside: None,
            unrecoded: None,
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
                    let all: Vec<u32> = all.iter().map(|&(record, _)| record).collect();
                    assert!(
                        left.iter().all(|(record, _)| all.contains(record)),
                        "{number}"
                    );
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

/// What the law of another step says of pairs of people and records: nothing of those that are impossible.
#[derive(Debug, Clone)]
struct Said {
    costs: Vec<Vec<Option<f64>>>,
    direction: Direction,
}

impl Said {
    /// Dice, of multiples of a quarter; the true pairs are possible.
    fn by(dice: &mut Dice, case: &Case, direction: Direction) -> Self {
        let row = |partner: &Option<usize>| {
            let record = |record: usize| {
                let is_possible = dice.roll(5) > 0 || *partner == Some(record);
                is_possible.then(|| dice.roll(40) as f64 / 4.0)
            };
            (0..case.released.len()).map(record).collect()
        };
        Self {
            costs: case.partner.iter().map(row).collect(),
            direction,
        }
    }

    fn beside<'a>(&self, excludes: bool) -> Vec<OtherLaw<'a>> {
        vec![OtherLaw {
            method: "pram",
            attack: "likelihood",
            preference: Ok(Preference::Lists(Box::new(self.clone()))),
            excludes,
        }]
    }

    fn holds(&self, pairs: &slow::Pairs) -> slow::Pairs {
        let rows = pairs.iter().zip(&self.costs);
        let row = |(pairs, costs): (&Vec<bool>, &Vec<Option<f64>>)| {
            let both = pairs.iter().zip(costs);
            both.map(|(&pair, cost)| pair && cost.is_some()).collect()
        };
        rows.map(row).collect()
    }
}

impl Lists for Said {
    fn n_seekers(&self) -> usize {
        match self.direction {
            Direction::OriginalToMasked => self.costs.len(),
            Direction::MaskedToOriginal => self.costs[0].len(),
        }
    }

    fn n_sought(&self) -> usize {
        match self.direction {
            Direction::OriginalToMasked => self.costs[0].len(),
            Direction::MaskedToOriginal => self.costs.len(),
        }
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        for sought in 0..self.n_sought() {
            let cost = match self.direction {
                Direction::OriginalToMasked => self.costs[seeker][sought],
                Direction::MaskedToOriginal => self.costs[sought][seeker],
            };
            list.extend(cost.map(|cost| (sought as u32, cost)));
        }
    }

    fn is_likelihood(&self) -> bool {
        true
    }
}

/// What another law excludes falls before other sides are looked for, and makes others fall; what it only finds unlikely goes afterwards. Costs
/// add up, but where pairs stand and fall together.
#[test]
fn laws_of_other_steps_are_heard() {
    let mut dice = Dice(71);
    let (mut fallen, mut pairs, mut added) = (0, 0, 0);
    for number in 0..200 {
        let case = case(number, &mut dice);
        if case.held.is_empty() || case.released.is_empty() {
            continue;
        }
        let sizes = [case.held.len(), case.released.len()];
        let windows = slow::in_windows(&case);
        for direction in DIRECTIONS {
            let said = Said::by(&mut dice, &case, direction);
            case.with(direction, |scenario| {
                let heard = |excludes: bool| {
                    let both = case.attack.prepare_with(scenario, said.beside(excludes));
                    match both.unwrap() {
                        Preference::Lists(lists) => lists,
                        other => panic!("{other:?}"),
                    }
                };
                let before = slow::mutual(&case, said.holds(&windows));
                let after = said.holds(&slow::mutual(&case, windows.clone()));
                let total = |pairs: &slow::Pairs| pairs.iter().flatten().filter(|&&p| p).count();
                fallen += total(&after) - total(&before);
                for (excludes, slow) in [(true, &before), (false, &after)] {
                    let fast = heard(excludes);
                    assert_eq!(fast.excludes_others(), excludes, "{:?}", fast.caveats());
                    assert_eq!(&listed(fast.as_ref(), direction, sizes), slow, "{number}");
                }
                let both = heard(true);
                let likelihood = lists(&case.likelihood, scenario);
                let (mut left, mut own, mut other) = (Vec::new(), Vec::new(), Vec::new());
                for seeker in 0..both.n_seekers() {
                    both.list(seeker, &mut left);
                    likelihood.list(seeker, &mut own);
                    said.list(seeker, &mut other);
                    let cost = |list: &[(u32, f64)], record: u32| {
                        list.iter().find(|of| of.0 == record).map(|of| of.1)
                    };
                    pairs += left.len();
                    added += (left.iter())
                        .filter(|&&(record, found)| {
                            let sum = cost(&own, record).zip(cost(&other, record));
                            sum.map(|(own, other)| own + other) == Some(found)
                        })
                        .count();
                }
            });
        }
    }
    assert!(fallen > 200, "{fallen}");
    assert!(2 * added > pairs, "{added} of {pairs}");
}

/// The soft form from its definition, on dense matrices.
fn slow_soft(likelihoods: &slow_posterior::Dense, case: &Case) -> slow_posterior::Dense {
    let mut w = likelihoods.clone();
    for _ in 0..25 {
        let (p, _) = slow_posterior::balanced(&w, 60);
        let went = |k: usize, from: i64, to: i64| -> f64 {
            let mut sum = 0.0;
            for (one, row) in case.held.iter().zip(&p) {
                for (other, p) in case.released.iter().zip(row) {
                    if one[k] == Some(from) && other[k] == Some(to) {
                        sum += p;
                    }
                }
            }
            sum
        };
        for (i, one) in case.held.iter().enumerate() {
            for (j, other) in case.released.iter().enumerate() {
                let mut product = likelihoods[i][j];
                for k in 0..one.len() {
                    if let Some((x, y)) = one[k].zip(other[k])
                        && slow::is_seen(case, k, x, y)
                    {
                        product *= went(k, y, x).clamp(EPS, 1.0);
                    }
                }
                w[i][j] = product;
            }
        }
    }
    slow_posterior::balanced(&w, 2_000).0
}

/// Laws without a window: the posterior after all rounds is that of dense matrices, with ties, gaps, and part of the people or of the
/// release. The program scales a little less in each round.
#[test]
fn the_soft_form_weighs_as_the_slow_program_does() {
    let mut dice = Dice(29);
    let (mut weighed, mut worst) = (0, 0.0_f64);
    for number in 0..200 {
        let n = 8 + dice.roll(5) as usize;
        let original = random_files::cells(&mut dice, n, 3, [0, 0, 9][number as usize % 3]);
        let method: Box<dyn Mask> = match number % 2 {
            0 => Box::new(PDistribution::new(30.0).unwrap()),
            _ => Box::new(PBuckets::new(3).unwrap()),
        };
        let (mut released, statement) = masked(&original, method.as_ref(), &[0, 1, 2], number);
        released.reverse();
        let mut held = original;
        match number % 5 {
            3 => held.truncate(n - 2),
            4 => released.truncate(n - 2),
            _ => {}
        }
        let likelihood = Likelihood::new(statement).unwrap();
        let case = Case {
            partner: vec![None; held.len()],
            windows: vec![1; 3],
            masked_records: n,
            stated: true,
            attack: Involution::new(likelihood.clone(), EPS).unwrap(),
            held,
            released,
            likelihood,
        };
        case.with(Direction::OriginalToMasked, |scenario| {
            let dense = |lists: &dyn Lists| -> slow_posterior::Dense {
                let mut list = Vec::new();
                let row = |seeker| {
                    let mut row = vec![0.0; case.released.len()];
                    lists.list(seeker, &mut list);
                    for &(j, cost) in &list {
                        row[j as usize] = (-cost).exp();
                    }
                    row
                };
                (0..case.held.len()).map(row).collect()
            };
            let mut likelihoods = dense(lists(&case.likelihood, scenario).as_ref());
            let soft = if number % 3 == 0 {
                let mut said = Said::by(&mut Dice(number), &case, Direction::OriginalToMasked);
                for (row, costs) in likelihoods.iter_mut().zip(&mut said.costs) {
                    for (w, cost) in row.iter_mut().zip(costs) {
                        // Not so much that rounds go from one solution to another, and nobody is impossible: plain scaling would take long.
                        let cost = cost.insert(cost.unwrap_or(8.0) / 16.0);
                        *w *= (-*cost).exp();
                    }
                }
                match case
                    .attack
                    .prepare_with(scenario, said.beside(false))
                    .unwrap()
                {
                    Preference::Lists(lists) => lists,
                    other => panic!("{other:?}"),
                }
            } else {
                lists(&case.attack, scenario)
            };
            // Tiny files need not show that values were exchanged.
            if !soft.caveats().is_empty() {
                return;
            }
            weighed += 1;
            let found = dense(&Balanced::new(soft.as_ref(), Unlisted::Impossible).unwrap());
            let off = |one: &slow_posterior::Dense, other: &slow_posterior::Dense| {
                let both = one.iter().flatten().zip(other.iter().flatten());
                both.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
            };
            worst = worst.max(off(&found, &slow_soft(&likelihoods, &case)));
        });
    }
    println!("{weighed} of 200 files, off by {worst:.4} at most");
    assert!(weighed > 60, "{weighed} of 200 files");
    assert!(worst < 0.1, "{worst}");
}

/// Two releases of the same people, of which the second may lack some records; each is a case of its own. Also, for each record of the
/// first, the second one's of the same person.
fn two_releases(number: u64, dice: &mut Dice) -> ([Case; 2], Vec<Option<u32>>) {
    let n = 8 + dice.roll(13) as usize;
    let width = 2 + dice.roll(2) as usize;
    let gap = [0, 0, 9][dice.roll(3) as usize];
    let original = random_files::cells(dice, n, width, gap);
    let on: Vec<usize> = (0..width).collect();
    let all: Vec<usize> = (0..n).collect();
    let some = |dice: &mut Dice, lacks: bool| -> Vec<usize> {
        (all.iter().copied())
            .filter(|_| !lacks || dice.roll(4) > 0)
            .collect()
    };
    // Of people and records, at most one is a part.
    let lacks = dice.roll(3);
    let people = some(dice, lacks == 1);
    let orders = [
        all.iter().rev().copied().collect::<Vec<_>>(),
        some(dice, lacks == 2),
    ];
    let mut case = |release: u64| {
        let shown = &orders[release as usize];
        let window = 1 + dice.roll(6) as usize;
        let swap = RankSwap::new(Reach::Window(window), Partner::Unswapped).unwrap();
        let (whole, statement) = masked(&original, &swap, &on, 2 * number + release);
        let likelihood = Likelihood::new(statement).unwrap();
        Case {
            partner: (people.iter())
                .map(|one| shown.iter().position(|other| one == other))
                .collect(),
            held: people.iter().map(|&i| original[i].clone()).collect(),
            released: shown.iter().map(|&i| whole[i].clone()).collect(),
            windows: vec![window; width],
            masked_records: n,
            stated: true,
            attack: Involution::new(likelihood.clone(), EPS).unwrap(),
            likelihood,
        }
    };
    let cases = [case(0), case(1)];
    let counterpart = |one: &usize| orders[1].iter().position(|other| one == other);
    let counterpart = orders[0].iter().map(counterpart);
    let counterpart = counterpart.map(|place| place.map(|place| u32::try_from(place).unwrap()));
    (cases, counterpart.collect())
}

/// Pairs fall in both releases by turns: what is left of the first is what the slow program leaves, and the true ones are among it.
#[test]
fn pairs_of_two_releases_fall_together() {
    let mut dice = Dice(71);
    let mut fallen = 0;
    for number in 0..200 {
        let ([first, second], counterpart) = two_releases(number, &mut dice);
        if first.held.is_empty() || second.released.is_empty() {
            continue;
        }
        let mut one = slow::mutual(&first, slow::in_windows(&first));
        let mut two = slow::mutual(&second, slow::in_windows(&second));
        let alone = one.clone();
        loop {
            let before = (one.clone(), two.clone());
            for i in 0..first.held.len() {
                for (j, other) in counterpart.iter().enumerate() {
                    let Some(other) = other.map(|other| other as usize) else {
                        continue;
                    };
                    let both = one[i][j] && two[i][other];
                    (one[i][j], two[i][other]) = (both, both);
                }
            }
            one = slow::mutual(&first, one);
            two = slow::mutual(&second, two);
            if (&one, &two) == (&before.0, &before.1) {
                break;
            }
        }
        let total = |pairs: &slow::Pairs| pairs.iter().flatten().filter(|&&p| p).count();
        fallen += total(&alone) - total(&one);
        for (person, partner) in first.partner.iter().enumerate() {
            assert!(
                partner.is_none_or(|partner| one[person][partner]),
                "{number}"
            );
        }
        let sizes = [first.held.len(), first.released.len()];
        {
            let direction = DIRECTIONS[number as usize % 2];
            first.with(direction, |of_first| {
                second.with(direction, |of_second| {
                    let further = Further::new(
                        lists(&second.attack, of_second),
                        second.released.len(),
                        counterpart.clone(),
                    );
                    let own = lists(&first.attack, of_first);
                    let all = Releases::new(own, vec![further], direction).unwrap();
                    assert!(all.excludes_others(), "{number}: {:?}", all.caveats());
                    assert_eq!(
                        listed(&all, direction, sizes),
                        one,
                        "{number} {direction:?}"
                    );
                });
            });
        }
    }
    assert!(fallen > 500, "{fallen}");
}

/// Who knows half of the people: links are right as often as the attack says, and more often than by likelihood alone. Five files of
/// 200 people, 3 attributes, p = 20; a rate has a standard error below .02.
#[test]
fn who_knows_half_of_the_people_is_told_how_sure_to_be() {
    let (mut does, mut says, mut likely) = (0.0, 0.0, 0.0);
    let mut dice = Dice(7);
    for number in 0..5 {
        let original: Cells = (0..200)
            .map(|_| (0..3).map(|_| Some(dice.roll(1 << 30) as i64)).collect())
            .collect();
        let swap = RankSwap::new(Reach::Percent(20.0), Partner::Unswapped).unwrap();
        let (released, statement) = masked(&original, &swap, &[0, 1, 2], number);
        let likelihood = Likelihood::new(statement).unwrap();
        let case = Case {
            partner: Vec::new(),
            windows: vec![40; 3],
            masked_records: 200,
            stated: true,
            attack: Involution::new(likelihood.clone(), EPS).unwrap(),
            held: original[..100].to_vec(),
            released,
            likelihood,
        };
        case.with(Direction::OriginalToMasked, |scenario| {
            let linked = |attack: &dyn Attack| {
                let posterior =
                    Balanced::new(lists(attack, scenario).as_ref(), Unlisted::Impossible).unwrap();
                let (mut right, mut said) = (0.0, 0.0);
                let mut list = Vec::new();
                for person in 0..100 {
                    posterior.list(person, &mut list);
                    let best = list
                        .iter()
                        .copied()
                        .reduce(|a, b| if b.1 < a.1 { b } else { a });
                    let (record, cost) = best.unwrap();
                    right += f64::from(u8::from(record as usize == person)) / 500.0;
                    said += (-cost).exp() / 500.0;
                }
                (right, said)
            };
            let (right, said) = linked(&case.attack);
            does += right;
            says += said;
            likely += linked(&case.likelihood).0;
        });
    }
    println!("does {does:.3} says {says:.3}; likelihood, balanced {likely:.3}");
    assert!((does - says).abs() < 0.1, "{does} {says}");
    assert!(does > 0.5 && does > 3.0 * likely, "{does} {likely}");
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
            let everybody = (0..).take(N).map(OriginalRecord).collect();
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
