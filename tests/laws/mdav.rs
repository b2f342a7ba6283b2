//! MDAV and V-MDAV against programs that do what the definition says, word for word and slowly.

use sdcrisk::{
    mask::microaggregation::{Axis, Partition, Space, mdav, mdav_exhaustive, v_mdav},
    table::Matrix,
};

use super::random_files::Dice;

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// The centre of some records, afresh. Sums of the coordinates of these tests are exact, or ties do not occur.
fn centre(space: &Space, records: &[u32]) -> Vec<f64> {
    let column = |k: usize| -> Vec<f64> {
        let all = records.iter();
        all.map(|&record| space.points.row(record as usize)[k])
            .collect()
    };
    let mut centre = Vec::new();
    for axis in &space.axes {
        let start = centre.len();
        match axis {
            Axis::Mean => {
                centre.push(column(start).iter().sum::<f64>() / records.len() as f64);
            }
            Axis::Median => {
                let mut values = column(start);
                values.sort_by(f64::total_cmp);
                centre.push(values[(values.len() - 1) / 2]);
            }
            Axis::Mode(width) => {
                let votes: Vec<usize> = (start..start + width)
                    .map(|k| column(k).iter().filter(|&&x| x != 0.0).count())
                    .collect();
                let most = votes.iter().copied().max().unwrap_or(0);
                let first = votes.iter().position(|&votes| votes == most);
                for k in 0..*width {
                    let wins = most > 0 && first == Some(k);
                    let corner = column(start + k).into_iter().find(|&x| x != 0.0);
                    centre.push(if wins { corner.unwrap() } else { 0.0 });
                }
            }
        }
    }
    centre
}

/// A program that looks at everything.
struct Slow<'a> {
    space: &'a Space,
    /// Ascending.
    remaining: Vec<u32>,
    groups: Vec<Vec<u32>>,
}

impl<'a> Slow<'a> {
    fn new(space: &'a Space) -> Self {
        Self {
            space,
            remaining: (0..space.points.n_records() as u32).collect(),
            groups: Vec::new(),
        }
    }

    fn row(&self, record: u32) -> &'a [f64] {
        self.space.points.row(record as usize)
    }

    fn by_distance(&self, point: &[f64], among: &[u32]) -> Vec<(f64, u32)> {
        let all = among.iter();
        let mut sorted: Vec<(f64, u32)> = all
            .map(|&record| (squared(self.row(record), point), record))
            .collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        sorted
    }

    fn farthest(&self, point: &[f64], among: &[u32]) -> u32 {
        let sorted = self.by_distance(point, among);
        let most = sorted.last().unwrap().0;
        sorted.iter().find(|(key, _)| *key == most).unwrap().1
    }

    fn group(&mut self, first: u32, k: usize) {
        let others: Vec<u32> = self
            .remaining
            .iter()
            .copied()
            .filter(|&record| record != first)
            .collect();
        let nearest = self.by_distance(self.row(first), &others);
        let mut group = vec![first];
        group.extend(nearest[..k - 1].iter().map(|&(_, record)| record));
        self.remaining.retain(|record| !group.contains(record));
        self.groups.push(group);
    }

    /// The handbook's order: `s` is sought before the group of `r` is removed, and again if it fell into it.
    fn mdav(mut self, k: usize) -> Partition {
        while self.remaining.len() >= 3 * k {
            let r = self.farthest(&centre(self.space, &self.remaining), &self.remaining);
            let mut s = self.farthest(self.row(r), &self.remaining);
            self.group(r, k);
            if !self.remaining.contains(&s) {
                s = self.farthest(self.row(r), &self.remaining);
            }
            self.group(s, k);
        }
        if self.remaining.len() >= 2 * k {
            let r = self.farthest(&centre(self.space, &self.remaining), &self.remaining);
            self.group(r, k);
        }
        let rest = std::mem::take(&mut self.remaining);
        self.groups.push(rest);
        self.partition()
    }

    fn v_mdav(mut self, k: usize, gamma: f64) -> Partition {
        let middle = centre(self.space, &self.remaining);
        while self.remaining.len() >= k {
            let r = self.farthest(&middle, &self.remaining);
            self.group(r, k);
            while self.groups.last().unwrap().len() < 2 * k - 1 && !self.remaining.is_empty() {
                let group = self.groups.last().unwrap();
                let all = group.iter();
                let (d_in, e) = all
                    .map(|&member| self.by_distance(self.row(member), &self.remaining)[0])
                    .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
                    .unwrap();
                let others: Vec<u32> = self
                    .remaining
                    .iter()
                    .copied()
                    .filter(|&record| record != e)
                    .collect();
                let d_out = self.by_distance(self.row(e), &others).first().copied();
                let d_out = d_out.map_or(f64::INFINITY, |(d_out, _)| d_out);
                let joins = d_in < gamma * gamma * d_out;
                if !joins {
                    break;
                }
                self.groups.last_mut().unwrap().push(e);
                self.remaining = others;
            }
        }
        let rest = std::mem::take(&mut self.remaining);
        if self.groups.is_empty() {
            self.groups.push(rest);
            return self.partition();
        }
        let all = self.groups.iter();
        let centres: Vec<Vec<f64>> = all.map(|group| centre(self.space, group)).collect();
        for record in rest {
            let keys: Vec<f64> = centres
                .iter()
                .map(|centre| squared(self.row(record), centre))
                .collect();
            let least = keys.iter().copied().fold(f64::INFINITY, f64::min);
            let group = keys.iter().position(|&key| key == least).unwrap();
            self.groups[group].push(record);
        }
        self.partition()
    }

    fn partition(self) -> Partition {
        let n_records = self.space.points.n_records();
        let groups = self.groups.iter().map(Vec::as_slice);
        Partition::from_groups(n_records, groups.filter(|group| !group.is_empty()))
    }
}

/// Points of a few axes of all kinds: `levels` values a coordinate, so few that nearly everything ties, or so many that
/// hardly anything does. Coordinates are multiples of 1/8, so that sums are exact.
fn random_space(dice: &mut Dice, n_records: usize, n_axes: usize, levels: u64) -> Space {
    let axes: Vec<Axis> = (0..n_axes)
        .map(|_| match dice.roll(6) {
            0 => Axis::Median,
            1 => Axis::Mode(1 + dice.roll(4) as usize),
            _ => Axis::Mean,
        })
        .collect();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for record in 0..n_records {
        if record > 0 && dice.roll(5) == 0 {
            rows.push(rows[dice.roll(record as u64) as usize].clone());
            continue;
        }
        let mut row = Vec::new();
        for axis in &axes {
            if let Axis::Mode(width) = *axis {
                let mut corner = vec![0.0; width];
                // One record in a few misses the category.
                if let Some(one) = corner.get_mut(dice.roll(width as u64 + 1) as usize) {
                    *one = 0.75;
                }
                row.extend(corner);
            } else {
                row.push(dice.roll(levels) as f64 / 8.0 - (levels / 16) as f64);
            }
        }
        rows.push(row);
    }
    let width = rows.first().map_or(0, Vec::len);
    Space {
        points: Matrix::complete(n_records, width, rows.concat()),
        axes,
    }
}

fn assert_covers(partition: &Partition, n_records: usize) {
    assert_eq!(partition.group_of().len(), n_records);
    assert_eq!(partition.sizes().iter().sum::<usize>(), n_records);
}

#[test]
fn mdav_is_what_the_definition_says() {
    let mut dice = Dice(11);
    for round in 0..600 {
        let n_records = 1 + dice.roll(if round % 10 == 0 { 400 } else { 60 }) as usize;
        let n_axes = 1 + dice.roll(6) as usize;
        let levels = [2, 3, 8, 1000, 1 << 30][dice.roll(5) as usize];
        let space = random_space(&mut dice, n_records, n_axes, levels);
        let k = 1 + dice.roll(n_records.min(12) as u64) as usize;
        let fast = mdav(&space, k);
        assert_eq!(
            fast,
            Slow::new(&space).mdav(k),
            "round {round}: {space:?} k={k}"
        );
        assert_eq!(fast, mdav_exhaustive(&space, k), "round {round}");
        assert_covers(&fast, n_records);
        if n_records >= k {
            let sizes = fast.sizes();
            assert!(sizes.iter().all(|size| (k..2 * k).contains(size)));
        }
    }
}

#[test]
fn v_mdav_is_what_the_definition_says() {
    let mut dice = Dice(12);
    for round in 0..600 {
        let n_records = 1 + dice.roll(if round % 10 == 0 { 250 } else { 60 }) as usize;
        let n_axes = 1 + dice.roll(6) as usize;
        let levels = [2, 3, 8, 1000, 1 << 30][dice.roll(5) as usize];
        let space = random_space(&mut dice, n_records, n_axes, levels);
        let k = 1 + dice.roll(n_records.min(12) as u64) as usize;
        let gamma = [0.0, 0.2, 0.5, 1.0, 1.1, 3.0, 1e200][dice.roll(7) as usize];
        let fast = v_mdav(&space, k, gamma);
        let slow = Slow::new(&space).v_mdav(k, gamma);
        assert_eq!(fast, slow, "round {round}: {space:?} k={k} gamma={gamma}");
        assert_covers(&fast, n_records);
        if n_records >= k {
            // Leftovers, fewer than k, may all join one group.
            let sizes = fast.sizes();
            assert!(sizes.iter().all(|size| (k..3 * k).contains(size)));
        }
    }
}

/// Coordinates that no filter in single precision can tell apart, that span hundreds of powers of ten, or whose
/// squares overflow or vanish.
#[test]
fn extreme_coordinates() {
    let mut dice = Dice(13);
    let bases: [fn(f64) -> f64; 6] = [
        |x| 1.0 + x * 1e-15,
        |x| x * 1e-310,
        |x| x * 1e-170,
        |x| x * 1e149,
        |x| x * 1e300,
        |x| (x * 40.0).exp(),
    ];
    for round in 0..120 {
        let (n_records, width) = (1 + dice.roll(80) as usize, 1 + dice.roll(3) as usize);
        let stretch = bases[round % bases.len()];
        let cells = (0..n_records * width).map(|_| stretch(dice.roll(64) as f64 / 8.0 - 4.0));
        // Medians: the oracle's plain sums would round, and not only where nothing ties.
        let space = Space {
            points: Matrix::complete(n_records, width, cells.collect()),
            axes: vec![Axis::Median; width],
        };
        let k = 1 + dice.roll(5) as usize;
        assert_eq!(
            mdav(&space, k),
            Slow::new(&space).mdav(k),
            "{space:?} k={k}"
        );
        let (fast, slow) = (v_mdav(&space, k, 0.7), Slow::new(&space).v_mdav(k, 0.7));
        assert_eq!(fast, slow, "{space:?} k={k}");
    }
}

/// Files large enough that trees are built several times and have several levels.
#[test]
fn larger_files_agree_with_the_exhaustive_search() {
    let mut dice = Dice(14);
    for (n_records, n_axes, levels) in [
        (6000, 2, 1 << 30),
        (6000, 6, 1 << 30),
        (4000, 13, 1 << 30),
        (6000, 3, 12),
        (6000, 8, 2),
    ] {
        let space = random_space(&mut dice, n_records, n_axes, levels);
        for k in [3, 10] {
            assert_eq!(
                mdav(&space, k),
                mdav_exhaustive(&space, k),
                "{n_records} {n_axes}"
            );
        }
    }
}

/// Where nothing ties, it does not matter in which order the records stand.
#[test]
fn groups_do_not_depend_on_the_order_of_the_records() {
    let mut dice = Dice(15);
    let normal = |dice: &mut Dice| (0..12).map(|_| dice.roll(1 << 31) as f64).sum::<f64>() / 1e9;
    for k in [2, 3, 7] {
        let (n_records, width) = (500, 4);
        let cells: Vec<f64> = (0..n_records * width).map(|_| normal(&mut dice)).collect();
        let mut order: Vec<usize> = (0..n_records).collect();
        for i in (1..n_records).rev() {
            order.swap(i, dice.roll(i as u64 + 1) as usize);
        }
        let shuffled = order
            .iter()
            .flat_map(|&r| &cells[r * width..(r + 1) * width]);
        let space = |cells| Space {
            points: Matrix::complete(n_records, width, cells),
            axes: vec![Axis::Mean; width],
        };
        let (one, other) = (space(cells.clone()), space(shuffled.copied().collect()));
        let back = |partition: &Partition| {
            let mut group_of = vec![0; n_records];
            for (&record, &group) in order.iter().zip(partition.group_of()) {
                group_of[record] = group;
            }
            group_of
        };
        assert_eq!(mdav(&one, k).group_of(), back(&mdav(&other, k)));
        let (one, other) = (v_mdav(&one, k, 0.6), v_mdav(&other, k, 0.6));
        assert_eq!(one.group_of(), back(&other));
    }
}

#[test]
fn threads_do_not_matter() {
    let space = random_space(&mut Dice(16), 20_000, 4, 1 << 30);
    let groups = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| (mdav(&space, 4), v_mdav(&space, 4, 0.4)))
    };
    let one = groups(1);
    assert_eq!(one, groups(2));
    assert_eq!(one, groups(4));
}

/// By hand, k = 2, on a line: 0, 1, 2, 9, 10, 10, 10. The mean is 6: record 0 is the farthest, with 1. From 0 the farthest are the
/// 10s, the first of which is record 4, with its duplicate 5. Three remain, 2, 9 and 10: fewer than 2k, one group.
#[test]
fn ties_go_to_the_first_record() {
    let space = Space {
        points: Matrix::complete(7, 1, vec![0.0, 1.0, 2.0, 9.0, 10.0, 10.0, 10.0]),
        axes: vec![Axis::Mean],
    };
    let groups = mdav(&space, 2).groups();
    assert_eq!(groups, [vec![0, 1], vec![4, 5], vec![2, 3, 6]]);
}

/// By hand, k = 2, on a line: 0, 1, 2.5, 10, 11, 30 has mean 9.08. 30 is the farthest, with 11. Gamma 2: the closest is 10 at 1
/// from 11; the nearest other to 10 is 2.5, at 7.5; 1 < 15: it joins, and three are all that may. Of 0, 1 and 2.5
/// the first is the farthest, with 1. 2.5 is at 1.5 from 1, and nobody else is left: it joins. With gamma 0 there
/// are the groups of 30, of 0, and of 10 with 2.5.
#[test]
fn v_mdav_extends() {
    let space = Space {
        points: Matrix::complete(6, 1, vec![0.0, 1.0, 2.5, 10.0, 11.0, 30.0]),
        axes: vec![Axis::Mean],
    };
    let groups = v_mdav(&space, 2, 2.0).groups();
    assert_eq!(groups, [vec![3, 4, 5], vec![0, 1, 2]]);
    let groups = v_mdav(&space, 2, 0.0).groups();
    assert_eq!(groups, [vec![4, 5], vec![0, 1], vec![2, 3]]);
}

#[test]
fn no_records_and_no_coordinates() {
    let space = |n_records| Space {
        points: Matrix::complete(n_records, 0, Vec::new()),
        axes: Vec::new(),
    };
    assert_eq!(mdav(&space(0), 3).n_groups(), 0);
    assert_eq!(v_mdav(&space(0), 3, 1.0).n_groups(), 0);
    // All records stand in one place: they are taken as they come.
    let groups = mdav(&space(7), 3).groups();
    assert_eq!(groups, [vec![0, 1, 2], vec![3, 4, 5, 6]]);
    assert_eq!(
        v_mdav(&space(7), 3, 0.0).groups(),
        [vec![0, 1, 2, 6], vec![3, 4, 5]]
    );
}

/// A k beyond all bounds is one that the file does not reach.
#[test]
fn k_may_be_any_number() {
    let space = random_space(&mut Dice(17), 20, 2, 8);
    assert_eq!(mdav(&space, usize::MAX).sizes(), [20]);
    assert_eq!(v_mdav(&space, usize::MAX, 1.0).sizes(), [20]);
    assert_eq!(mdav(&space, 1).sizes(), [1; 20]);
    assert_eq!(v_mdav(&space, 1, 0.5).sizes(), [1; 20]);
}
