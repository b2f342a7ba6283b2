//! Groups under exchange: who is where, the means, and what a change would do to SSE.

#[cfg(test)]
mod tests;

use super::district::{District, Quad, distance, number, total};

/// A change must lower SSE by this share of the numbers that it is computed from: anything less could be rounding.
const MIN_GAIN: f64 = 1e-11;

/// Rounds in which every record is offered to its near groups, at most.
const MAX_ROUNDS: usize = 200;

/// Up to this size a changed group's mean is computed anew.
const ALWAYS_ANEW: usize = 8;

/// The groups of a district.
pub struct Groups<'a> {
    pub district: &'a District,
    /// The group of each record.
    group_of: Vec<u32>,
    /// The place of each record among the members of its group.
    place_of: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// The means, as many quads each as a point has.
    means: Vec<Quad>,
    /// Changes of each group since its mean was last computed anew.
    changes: Vec<u32>,
    /// Groups without members, to be used again.
    empty: Vec<u32>,
    /// When each group last changed, and when each record was last offered to its near groups.
    changed_at: Vec<u64>,
    offered_at: Vec<u64>,
    /// Changes so far.
    clock: u64,
}

/// What a change does to SSE.
#[derive(Clone, Copy)]
pub struct Change {
    /// SSE after less SSE before.
    pub difference: f64,
    /// The magnitude of the numbers whose difference it is.
    magnitude: f64,
}

impl Change {
    /// Nothing changes.
    const NONE: Self = Self {
        difference: 0.0,
        magnitude: 0.0,
    };

    /// Whether SSE falls by more than rounding could feign. False where a number is not finite.
    pub fn lowers(self) -> bool {
        self.difference < -MIN_GAIN * self.magnitude
    }
}

/// How records would be given to other groups.
pub struct Gift {
    /// Groups and records, grouped by the group.
    pub pairs: Vec<(u32, u32)>,
    /// What it does to SSE.
    pub change: Change,
}

impl<'a> Groups<'a> {
    /// These groups.
    pub fn new(district: &'a District, members: Vec<Vec<u32>>) -> Self {
        let n = district.n_records();
        let mut groups = Self {
            district,
            group_of: vec![0; n],
            place_of: vec![0; n],
            means: vec![[0.0; 4]; members.len() * district.width()],
            changes: vec![0; members.len()],
            empty: Vec::new(),
            changed_at: vec![1; members.len()],
            offered_at: vec![0; n],
            clock: 1,
            members,
        };
        for (group, members) in (0..).zip(&groups.members) {
            for (place, &record) in (0..).zip(members) {
                groups.group_of[record as usize] = group;
                groups.place_of[record as usize] = place;
            }
        }
        groups.refresh_all();
        groups
    }

    /// How many groups there are, empty ones too.
    pub fn n_groups(&self) -> usize {
        self.members.len()
    }

    /// The groups that have members.
    pub fn into_members(self) -> Vec<Vec<u32>> {
        let mut members = self.members;
        members.retain(|group| !group.is_empty());
        members
    }

    /// The group of a record.
    pub fn of(&self, record: u32) -> u32 {
        self.group_of[record as usize]
    }

    /// The members of a group.
    pub fn members(&self, group: u32) -> &[u32] {
        &self.members[group as usize]
    }

    /// Whether a group can give a record away.
    pub fn can_give(&self, group: u32) -> bool {
        self.members(group).len() > self.district.k
    }

    /// Whether a group can take a record.
    pub fn can_take(&self, group: u32) -> bool {
        self.members(group).len() < 2 * self.district.k - 1
    }

    /// SSE, with the means as they are.
    pub fn sse(&self) -> f64 {
        (0..number(self.members.len()))
            .map(|group| self.sse_of(group))
            .sum()
    }

    /// Computes all means anew.
    pub fn refresh_all(&mut self) {
        (0..number(self.members.len())).for_each(|group| self.refresh(group));
    }

    /// What going over to another group does.
    pub fn relocation(&self, record: u32, to: u32) -> Change {
        let from = self.of(record);
        let point = self.district.point(record);
        let gain = joining(self.size(to)) * distance(point, self.mean(to));
        let relief = leaving(self.size(from)) * distance(point, self.mean(from));
        Change {
            difference: gain - relief,
            magnitude: gain + relief,
        }
    }

    /// What changing places does to two records of different groups.
    pub fn swap(&self, x: u32, y: u32) -> Change {
        let (a, b) = (self.of(x), self.of(y));
        let (mut products, mut squares) = ([0.0; 4], [0.0; 4]);
        let points = self.district.point(x).iter().zip(self.district.point(y));
        let means = self.mean(a).iter().zip(self.mean(b));
        for ((x, y), (a, b)) in points.zip(means) {
            for lane in 0..4 {
                let step = y[lane] - x[lane];
                products[lane] += step * (b[lane] - a[lane]);
                squares[lane] += step * step;
            }
        }
        let product = 2.0 * total(products);
        let square = total(squares) * (1.0 / self.size(a) + 1.0 / self.size(b));
        Change {
            difference: product - square,
            magnitude: product.abs() + square,
        }
    }

    /// What it does to give all members of a group away, each to the nearest group of its neighbours that has room.
    /// `None` if some member finds no room, or the group has more members than a record has neighbours: then it is as
    /// wide as its surroundings.
    pub fn dissolution(&self, group: u32) -> Option<Gift> {
        if self.members(group).len() > self.district.n_neighbours() {
            return None;
        }
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(self.members(group).len());
        for &record in self.members(group) {
            let point = self.district.point(record);
            let mut best = (f64::INFINITY, None);
            for &neighbour in self.district.neighbours(record) {
                let to = self.of(neighbour);
                let coming = pairs.iter().filter(|pair| pair.0 == to).count();
                if to == group || self.members(to).len() + coming >= 2 * self.district.k - 1 {
                    continue;
                }
                let gain = joining(self.size(to)) * distance(point, self.mean(to));
                if gain < best.0 {
                    best = (gain, Some(to));
                }
            }
            pairs.push((best.1?, record));
        }
        pairs.sort_unstable();
        let relief = self.sse_of(group);
        let gain: f64 = pairs
            .chunk_by(|a, b| a.0 == b.0)
            .map(|joining| self.gain_of_joining(joining))
            .sum();
        Some(Gift {
            pairs,
            change: Change {
                difference: gain - relief,
                magnitude: gain + relief,
            },
        })
    }

    /// What it does to make a new group of a record and the nearest of its neighbours that their groups can spare.
    /// `None` if there are too few.
    pub fn foundation(&self, record: u32) -> Option<Gift> {
        let k = self.district.k;
        if k > self.district.n_neighbours() || !self.can_give(self.of(record)) {
            return None;
        }
        let mut pairs = Vec::with_capacity(k);
        for &near in std::iter::once(&record).chain(self.district.neighbours(record)) {
            let from = self.of(near);
            let going = pairs.iter().filter(|&&(group, _)| group == from).count();
            if self.members(from).len() - going > k {
                pairs.push((from, near));
            }
            if pairs.len() == k {
                break;
            }
        }
        if pairs.len() < k {
            return None;
        }
        pairs.sort_unstable();
        let together: Vec<u32> = pairs.iter().map(|&(_, record)| record).collect();
        let gain = self.sse_of_records(together.iter().copied());
        let mut relief = 0.0;
        for leaving in pairs.chunk_by(|a, b| a.0 == b.0) {
            let from = leaving[0].0;
            let stay = self.members(from).iter().copied();
            let stay = stay.filter(|record| !together.contains(record));
            relief += self.sse_of(from) - self.sse_of_records(stay);
        }
        Some(Gift {
            pairs,
            change: Change {
                difference: gain - relief,
                magnitude: gain + relief,
            },
        })
    }

    /// Moves a record to another group.
    pub fn relocate(&mut self, record: u32, to: u32) {
        let from = self.of(record);
        self.take(record, from);
        self.put(record, to);
        self.pull(from, record, -1.0 / self.size(from));
        self.pull(to, record, 1.0 / self.size(to));
    }

    /// Lets two records change places.
    pub fn exchange(&mut self, x: u32, y: u32) {
        let (a, b) = (self.of(x), self.of(y));
        let (at_x, at_y) = (self.place_of[x as usize], self.place_of[y as usize]);
        self.members[a as usize][at_x as usize] = y;
        self.members[b as usize][at_y as usize] = x;
        self.group_of.swap(x as usize, y as usize);
        self.place_of.swap(x as usize, y as usize);
        for (group, gone, come) in [(a, x, y), (b, y, x)] {
            self.stamp(group);
            self.shift(group, gone, come);
        }
    }

    /// Gives the records to the groups that they are paired with, and leaves their own group empty.
    pub fn dissolve(&mut self, group: u32, pairs: &[(u32, u32)]) {
        for &(to, record) in pairs {
            self.take(record, group);
            self.put(record, to);
        }
        for receivers in pairs.chunk_by(|a, b| a.0 == b.0) {
            self.refresh(receivers[0].0);
        }
        self.empty.push(group);
    }

    /// Takes the records from the groups that they are paired with, and makes a group of them.
    pub fn found(&mut self, pairs: &[(u32, u32)]) {
        let group = self.empty.pop().unwrap_or_else(|| {
            self.members.push(Vec::new());
            self.changes.push(0);
            self.changed_at.push(self.clock);
            let quads = self.means.len() + self.district.width();
            self.means.resize(quads, [0.0; 4]);
            number(self.members.len() - 1)
        });
        for &(from, record) in pairs {
            self.take(record, from);
            self.put(record, group);
        }
        for givers in pairs.chunk_by(|a, b| a.0 == b.0) {
            self.refresh(givers[0].0);
        }
        self.refresh(group);
    }

    /// Relocates, swaps, dissolves and founds as long as that lowers SSE.
    pub fn descend(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mut improved = false;
            for record in 0..number(self.district.n_records()) {
                improved |= self.settle(record);
            }
            if !improved {
                break;
            }
        }
    }

    /// Offers a record to each of its near groups, and its own group for dissolution; false if nothing lowers SSE.
    ///
    /// Groups that have not changed since the last offer are passed over.
    fn settle(&mut self, record: u32) -> bool {
        let before = self.clock;
        let since = self.offered_at[record as usize];
        self.offered_at[record as usize] = self.clock;
        let district = self.district;
        let mut tried: Vec<u32> = Vec::with_capacity(8);
        for &neighbour in district.neighbours(record) {
            let (from, to) = (self.of(record), self.of(neighbour));
            let changed = |group: u32| self.changed_at[group as usize] > since;
            if from != to && (changed(from) || changed(to)) && !tried.contains(&to) {
                tried.push(to);
                self.offer(record, to);
            }
        }
        if self.changed_at[self.of(record) as usize] > since {
            self.rebuild(record);
        }
        self.clock > before
    }

    /// Lets a record go over to a group, or change places with a member of it, whatever lowers SSE most.
    fn offer(&mut self, record: u32, to: u32) {
        let mut best = Change::NONE;
        let mut partner = None;
        if self.can_give(self.of(record)) && self.can_take(to) {
            let change = self.relocation(record, to);
            if change.lowers() {
                best = change;
            }
        }
        for &other in self.members(to) {
            let change = self.swap(record, other);
            if change.lowers() && change.difference < best.difference {
                best = change;
                partner = Some(other);
            }
        }
        match partner {
            Some(other) => self.exchange(record, other),
            None if best.lowers() => self.relocate(record, to),
            None => {}
        }
    }

    /// Makes a group around a record, or dissolves the group of which it is the first, if that lowers SSE.
    fn rebuild(&mut self, record: u32) {
        if let Some(gift) = self.foundation(record)
            && gift.change.lowers()
        {
            self.found(&gift.pairs);
        }
        let group = self.of(record);
        if self.members(group).first() == Some(&record)
            && let Some(gift) = self.dissolution(group)
            && gift.change.lowers()
        {
            self.dissolve(group, &gift.pairs);
        }
    }

    fn size(&self, group: u32) -> f64 {
        self.members(group).len() as f64
    }

    fn mean(&self, group: u32) -> &[Quad] {
        let width = self.district.width();
        &self.means[group as usize * width..][..width]
    }

    fn sse_of(&self, group: u32) -> f64 {
        let mean = self.mean(group);
        let members = self.members(group).iter();
        members
            .map(|&record| distance(self.district.point(record), mean))
            .sum()
    }

    /// The SSE of some records as a group.
    fn sse_of_records(&self, records: impl Iterator<Item = u32>) -> f64 {
        let mut mean = vec![[0.0; 4]; self.district.width()];
        let mut sse = 0.0;
        for (size, record) in records.enumerate() {
            sse += join(&mut mean, size as f64, self.district.point(record));
        }
        sse
    }

    /// What records add to the SSE of the group that they join, one after the other.
    fn gain_of_joining(&self, pairs: &[(u32, u32)]) -> f64 {
        let to = pairs[0].0;
        let mut mean = self.mean(to).to_vec();
        let mut gain = 0.0;
        for (&(_, record), before) in pairs.iter().zip(self.members(to).len()..) {
            gain += join(&mut mean, before as f64, self.district.point(record));
        }
        gain
    }

    /// Notes that a group has changed.
    fn stamp(&mut self, group: u32) {
        self.clock += 1;
        self.changed_at[group as usize] = self.clock;
    }

    fn take(&mut self, record: u32, from: u32) {
        let place = self.place_of[record as usize];
        let members = &mut self.members[from as usize];
        members.swap_remove(place as usize);
        if let Some(&moved) = members.get(place as usize) {
            self.place_of[moved as usize] = place;
        }
        self.stamp(from);
    }

    fn put(&mut self, record: u32, to: u32) {
        let members = &mut self.members[to as usize];
        self.group_of[record as usize] = to;
        self.place_of[record as usize] = number(members.len());
        members.push(record);
        self.stamp(to);
    }

    /// Moves the mean of a group in which a record was replaced by another.
    fn shift(&mut self, group: u32, gone: u32, come: u32) {
        if self.is_due(group) {
            return self.refresh(group);
        }
        let share = 1.0 / self.size(group);
        let district = self.district;
        let step = district.point(come).iter().zip(district.point(gone));
        for (mean, (come, gone)) in self.mean_mut(group).iter_mut().zip(step) {
            for lane in 0..4 {
                mean[lane] += (come[lane] - gone[lane]) * share;
            }
        }
    }

    /// Moves the mean of a group towards a record that has come (share 1/n, n the members now), or away from one that has
    /// gone (share −1/n).
    fn pull(&mut self, group: u32, record: u32, share: f64) {
        if self.is_due(group) {
            return self.refresh(group);
        }
        let point = self.district.point(record);
        for (mean, point) in self.mean_mut(group).iter_mut().zip(point) {
            for lane in 0..4 {
                mean[lane] += (point[lane] - mean[lane]) * share;
            }
        }
    }

    fn mean_mut(&mut self, group: u32) -> &mut [Quad] {
        let width = self.district.width();
        &mut self.means[group as usize * width..][..width]
    }

    /// Counts a change, and says whether the mean is to be computed anew: after as many changes as the group has members, so
    /// that rounding errors do not pile up and a change of a large group stays cheap.
    fn is_due(&mut self, group: u32) -> bool {
        let changes = &mut self.changes[group as usize];
        *changes += 1;
        let size = self.members[group as usize].len();
        size <= ALWAYS_ANEW || *changes as usize >= size
    }

    fn refresh(&mut self, group: u32) {
        self.changes[group as usize] = 0;
        let width = self.district.width();
        let mean = &mut self.means[group as usize * width..][..width];
        mean.fill([0.0; 4]);
        let members = &self.members[group as usize];
        for &record in members {
            for (sum, point) in mean.iter_mut().zip(self.district.point(record)) {
                for lane in 0..4 {
                    sum[lane] += point[lane];
                }
            }
        }
        let share = 1.0 / members.len().max(1) as f64;
        mean.iter_mut().flatten().for_each(|sum| *sum *= share);
    }
}

/// A record at squared distance d from the mean of a group of this size adds this times d to its SSE.
fn joining(size: f64) -> f64 {
    size / (size + 1.0)
}

/// A record at squared distance d from the mean of its group of this size takes this times d off its SSE.
fn leaving(size: f64) -> f64 {
    size / (size - 1.0)
}

/// Lets a point join a group of this size and mean; returns what it adds to SSE.
fn join(mean: &mut [Quad], size: f64, point: &[Quad]) -> f64 {
    let gain = joining(size) * distance(point, mean);
    for (mean, point) in mean.iter_mut().zip(point) {
        for lane in 0..4 {
            mean[lane] += (point[lane] - mean[lane]) / (size + 1.0);
        }
    }
    gain
}
