//! V-MDAV: MDAV with groups of variable size.

use super::{
    centre::Centre,
    groups::Groups,
    mdav::take,
    partition::{Partition, squared_distance},
    remaining::{self, Remaining, Task},
    space::Space,
};

/// Groups of `k` to `2k − 1` records by V-MDAV; fewer than `k` records that are left over join them.
///
/// # Law
/// The centre of all records is computed once. While k records or more are in no group: the farthest of them from the centre and
/// the `k − 1` nearest to it are a group. It is extended up to `2k − 1` records: `e` is the record in no group that is
/// closest to any member, at the distance `d_in`; `d_out` is the distance from `e` to the nearest other record in no
/// group, infinite if there is none; `e` joins if `d_in < gamma * d_out`, else the group is done. What is left
/// over at the end, each by itself, joins the group with the closest centre, the centres being those before
/// any of them joined.
///
/// `gamma = 0` never extends. It is compared as `d_in² < gamma² d_out²`.
///
/// # Units
/// Squared Euclidean distances of the space, each computed as [`super::squared_distance`]. Centres as in [`super::mdav()`].
///
/// # Ties
/// The record with the lowest number; of groups, the one made first.
///
/// # Complexity
/// About two searches a record, and one a group where `gamma` is 0, each as in [`super::mdav()`]. O(n d) memory.
///
/// Fewer than `k` records make one group, no records none.
///
/// # Panics
/// If `k` is 0, `gamma` is negative or not finite, or the axes do not fit the points.
///
/// # Source
/// A. Solanas, A. Martínez-Ballesté, "V-MDAV: a multivariate microaggregation with variable group size", COMPSTAT 2006. What
/// `d_out` is where nobody else is left, which centres the leftovers are compared with, and ties are ours.
pub fn v_mdav(space: &Space, k: usize, gamma: f64) -> Partition {
    assert!(k > 0, "a group has a record at least");
    assert!(gamma >= 0.0 && gamma.is_finite(), "gamma is a factor");
    let task = VMdav {
        space,
        k,
        factor: gamma * gamma,
    };
    remaining::of(space, task)
}

struct VMdav<'a> {
    space: &'a Space,
    k: usize,
    /// Of squared distances.
    factor: f64,
}

impl Task for VMdav<'_> {
    type Output = Partition;

    fn run(self, mut remaining: impl Remaining) -> Partition {
        let mut centre = Vec::new();
        Centre::of(self.space, remaining.records().iter().copied()).write(&mut centre);
        let mut groups = Groups::default();
        while remaining.len() >= self.k
            && let Some(outermost) = remaining.farthest_from_centre(&centre)
        {
            take(&mut remaining, outermost, self.k, &mut groups);
            self.extend(&mut remaining, &mut groups);
        }
        self.place(remaining.records(), groups)
    }
}

impl VMdav<'_> {
    fn distance(&self, a: u32, b: u32) -> f64 {
        let points = &self.space.points;
        squared_distance(points.row(a as usize), points.row(b as usize))
    }

    /// Extends the last group.
    fn extend(&self, remaining: &mut impl Remaining, groups: &mut Groups) {
        // By member: the closest in no group, and how close it is.
        let closest = |remaining: &mut _, member| {
            let record = Remaining::nearest(remaining, member, 1).first().copied();
            record.map(|record| (self.distance(member, record), record))
        };
        let mut ways: Vec<Option<(f64, u32)>> = Vec::new();
        while self.factor > 0.0 && groups.last().len() < 2 * self.k - 1 {
            for &member in &groups.last()[ways.len()..] {
                ways.push(closest(remaining, member));
            }
            let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            let Some((d_in, next)) = ways.iter().flatten().copied().min_by(order) else {
                return;
            };
            let others = remaining.nearest(next, 2);
            let other = others.into_iter().find(|&record| record != next);
            let d_out = other.map_or(f64::INFINITY, |other| self.distance(next, other));
            let joins = d_in < self.factor * d_out;
            if !joins {
                return;
            }
            remaining.remove(next);
            for (way, &member) in ways.iter_mut().zip(groups.last()) {
                if way.is_some_and(|(_, record)| record == next) {
                    *way = closest(remaining, member);
                }
            }
            groups.extend_last(next);
        }
    }

    /// Puts leftovers into the groups with the closest centres.
    fn place(&self, leftovers: Vec<u32>, mut groups: Groups) -> Partition {
        let n_records = self.space.points.n_records();
        if groups.last().is_empty() {
            groups.push(leftovers);
            return groups.into_partition(n_records);
        }
        if leftovers.is_empty() {
            return groups.into_partition(n_records);
        }
        let mut best = vec![(f64::INFINITY, 0); leftovers.len()];
        let mut centre = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            Centre::of(self.space, group.iter().copied()).write(&mut centre);
            for (best, &record) in best.iter_mut().zip(&leftovers) {
                let key = squared_distance(self.space.points.row(record as usize), &centre);
                if key < best.0 {
                    *best = (key, number);
                }
            }
        }
        let mut joined: Vec<Vec<u32>> = groups.iter().map(<[u32]>::to_vec).collect();
        for ((_, number), record) in best.into_iter().zip(leftovers) {
            joined[number].push(record);
        }
        Partition::from_groups(n_records, joined.iter().map(Vec::as_slice))
    }
}
