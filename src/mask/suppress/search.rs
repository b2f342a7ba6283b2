//! Which cells to suppress.

use std::collections::BTreeMap;

use super::planes::Planes;
use crate::stats::keys::{Classes, Index, Keys, Set};

/// Up to this width all subsets of a key are tried; in wider ones those of at most [`FEW`] attributes, then one after
/// the other is added.
const ALL_SUBSETS: usize = 8;

const FEW: u32 = 3;

/// Comparisons of keys that the restoring of cells may take. Beyond it the rest stays suppressed: in files of nearly
/// unique keys, where almost nothing could be restored anyway.
const MAX_COMPARISONS: usize = 4_000_000_000;

/// What is asked for.
#[derive(Clone, Copy)]
pub(super) struct Goal<'a> {
    pub k: usize,
    /// How unwillingly a value of each attribute is suppressed.
    pub importance: &'a [f64],
}

impl Goal<'_> {
    /// What suppressing a value of each of these attributes costs.
    fn cost(&self, set: Set) -> f64 {
        members(set).map(|place| self.importance[place]).sum()
    }
}

/// What the search found.
pub(super) struct Found {
    /// For each record the attributes to suppress.
    pub suppressed: Vec<Set>,
    /// Records that were not safe in the file as it was.
    pub violators: usize,
}

/// The places of a set.
pub(super) fn members(set: Set) -> impl Iterator<Item = usize> {
    (0..Set::BITS as usize).filter(move |place| set >> place & 1 == 1)
}

/// Sets of attributes by ascending cost, fewer attributes first among equals, then those that come first in the key.
fn subsets(width: usize, goal: Goal<'_>) -> Vec<(f64, Set)> {
    let full: Set = (1 << width) - 1;
    let mut sets: Vec<(f64, Set)> = if width <= ALL_SUBSETS {
        (1..=full).map(|set| (goal.cost(set), set)).collect()
    } else {
        let few = (1..=full).filter(|set| set.count_ones() <= FEW);
        let chain = chain(width, goal, 0)
            .into_iter()
            .filter(|set| set.count_ones() > FEW);
        few.chain(chain).map(|set| (goal.cost(set), set)).collect()
    };
    sets.sort_by(|a, b| {
        let fewer = a.1.count_ones().cmp(&b.1.count_ones());
        a.0.total_cmp(&b.0).then(fewer).then(a.1.cmp(&b.1))
    });
    sets
}

/// The set, and one attribute after the other added to it, the least important first, of equals the last of the key.
fn chain(width: usize, goal: Goal<'_>, set: Set) -> Vec<Set> {
    let mut places: Vec<usize> = (0..width).filter(|place| set >> place & 1 == 0).collect();
    places.sort_by(|&a, &b| {
        goal.importance[a]
            .total_cmp(&goal.importance[b])
            .then(b.cmp(&a))
    });
    let mut sets = vec![set];
    let mut set = set;
    for place in places {
        set |= 1 << place;
        sets.push(set);
    }
    sets
}

/// Suppression where a missing value matches every value.
pub(super) fn any(keys: &Keys, goal: Goal<'_>) -> Found {
    let mut search = SuppressionSearch::new(keys, goal);
    let mut violators = search.violators();
    let found = violators.len();
    // Who gives up all hides nobody any more, so others may have become violators.
    while !violators.is_empty() {
        search.suppress(&violators);
        violators = search.violators();
    }
    let mut comparisons = 0;
    while search.restore(&mut comparisons) {}
    Found {
        suppressed: search.suppressed(),
        violators: found,
    }
}

/// The state of a search where a missing value matches every value.
struct SuppressionSearch<'a> {
    keys: &'a Keys,
    goal: Goal<'a>,
    classes: Classes<'a>,
    /// The attributes that each record still has.
    present: Vec<Set>,
    everybody: Index,
}

impl<'a> SuppressionSearch<'a> {
    fn new(keys: &'a Keys, goal: Goal<'a>) -> Self {
        let present: Vec<Set> = (0..keys.n_records())
            .map(|record| keys.present(record))
            .collect();
        let everybody = Index::new(present.clone());
        Self {
            keys,
            goal,
            classes: Classes::new(keys),
            present,
            everybody,
        }
    }

    /// How many records match this one on a set of attributes; counted up to k.
    fn matching(&mut self, record: usize, set: Set) -> usize {
        self.everybody
            .matching(&mut self.classes, record, set, self.goal.k)
    }

    fn is_safe(&mut self, record: usize, set: Set) -> bool {
        set == 0 || self.matching(record, set) >= self.goal.k
    }

    fn suppressed(&self) -> Vec<Set> {
        (self.present.iter().enumerate())
            .map(|(record, &present)| self.keys.present(record) & !present)
            .collect()
    }

    /// The records that match fewer than k: the rarest first, then by place. What they give up helps the others.
    fn violators(&mut self) -> Vec<usize> {
        let mut violators: Vec<(usize, usize)> = Vec::new();
        for record in 0..self.present.len() {
            let present = self.present[record];
            let matching = self.matching(record, present);
            if present != 0 && matching < self.goal.k {
                violators.push((matching, record));
            }
        }
        violators.sort_unstable();
        violators.into_iter().map(|(_, record)| record).collect()
    }

    /// Gives a record another set of attributes.
    fn keep(&mut self, record: usize, set: Set) {
        self.present[record] = set;
        if let Ok(place) = u32::try_from(record) {
            self.everybody.shift(&mut self.classes, place, set);
        }
    }

    /// Makes one violator after the other safe at the least cost; each makes others match more.
    fn suppress(&mut self, violators: &[usize]) {
        let sets = subsets(self.keys.width(), self.goal);
        let mut waiting = vec![0; self.present.len()];
        for &record in violators {
            waiting[record] = self.present[record];
        }
        let mut waiting = Index::new(waiting);
        for &record in violators {
            let before = self.present[record];
            if !self.is_safe(record, before) {
                let set = self.cheapest(record, &sets, &mut waiting);
                self.keep(record, before & !set);
            }
            if let Ok(place) = u32::try_from(record) {
                waiting.shift(&mut self.classes, place, 0);
            }
        }
    }

    /// The cheapest set whose suppression makes a record safe; of equal cost, the one after which it matches most records
    /// that wait to be made safe, then most records.
    fn cheapest(&mut self, record: usize, sets: &[(f64, Set)], waiting: &mut Index) -> Set {
        let present = self.present[record];
        // What is too rare by itself must go, whatever else goes.
        let needed = members(present)
            .filter(|&place| !self.is_safe(record, 1 << place))
            .fold(0, |set: Set, place| set | 1 << place);
        let mut best: Option<(f64, (usize, usize), Set)> = None;
        for &(cost, set) in sets {
            if set & needed != needed || set & !present != 0 {
                continue;
            }
            if best.is_some_and(|(least, ..)| least < cost) {
                break;
            }
            let left = present & !set;
            if self.is_safe(record, left) {
                let helped = waiting.matching(&mut self.classes, record, left, usize::MAX);
                let merit = (helped, self.all_matching(record, left));
                if best.is_none_or(|(_, most, _)| merit > most) {
                    best = Some((cost, merit, set));
                }
            }
        }
        best.map_or_else(
            || {
                let sets = chain(self.keys.width(), self.goal, needed);
                let enough = |&set: &Set| self.is_safe(record, present & !set);
                sets.into_iter().find(enough).unwrap_or(present) & present
            },
            |(.., set)| set,
        )
    }

    /// Gives back values that need not be suppressed, the most important first. What is given back makes records match
    /// fewer others, so one pass is enough; unless a record has something again that had nothing: then `true`.
    fn restore(&mut self, comparisons: &mut usize) -> bool {
        let n_records = self.keys.n_records();
        let mut cells: Vec<(usize, usize)> = Vec::new();
        for (record, set) in self.suppressed().into_iter().enumerate() {
            cells.extend(members(set).map(|place| (place, record)));
        }
        if cells.is_empty() {
            return false;
        }
        let importance = |place: usize| self.goal.importance[place];
        cells.sort_by(|a, b| importance(b.0).total_cmp(&importance(a.0)).then(a.cmp(b)));
        let mut matching: Vec<usize> = (0..n_records)
            .map(|record| self.all_matching(record, self.present[record]))
            .collect();
        let mut planes = Planes::new(self.keys, &self.present);
        let (mut again, mut lost) = (false, Vec::new());
        for (place, record) in cells {
            let before = self.present[record];
            let after = before | 1 << place;
            // A record that has nothing is in no index, not even as its own match.
            let left = self.all_matching(record, after) + usize::from(before == 0);
            if left < self.goal.k {
                continue;
            }
            *comparisons += n_records;
            if *comparisons > MAX_COMPARISONS {
                return false;
            }
            let codes = self.keys.of(record);
            if before == 0 {
                planes.agreeing(codes[place], place, |other| {
                    matching[other] += 1;
                    true
                });
            } else {
                lost.clear();
                let mut needed = false;
                planes.contradicting(codes, before, place, |other| {
                    needed = matching[other] <= self.goal.k;
                    lost.push(other);
                    !needed
                });
                if needed {
                    continue;
                }
                lost.iter().for_each(|&other| matching[other] -= 1);
            }
            planes.show(record, place, codes[place]);
            matching[record] = left;
            self.keep(record, after);
            again |= before == 0;
        }
        again
    }

    /// How many records match this one on a set of attributes.
    fn all_matching(&mut self, record: usize, set: Set) -> usize {
        self.everybody
            .matching(&mut self.classes, record, set, usize::MAX)
    }
}

/// The codes of a record without those of a set.
fn without(keys: &Keys, record: usize, set: Set) -> Vec<u32> {
    let codes = keys.of(record).iter().enumerate();
    codes
        .map(|(place, &code)| if set >> place & 1 == 1 { 0 } else { code })
        .collect()
}

/// How many records have a value left and agree with fewer than k on the whole key, gaps included.
pub(super) fn rare(keys: &Keys, suppressed: &[Set], k: usize) -> usize {
    let left = |(record, &set): (usize, &Set), place: usize| match set >> place & 1 {
        1 => 0,
        _ => keys.of(record)[place],
    };
    let column = |place| {
        let records = suppressed.iter().enumerate();
        records.map(|of| left(of, place)).collect()
    };
    let columns: Vec<Vec<u32>> = (0..keys.width()).map(column).collect();
    let masked = Keys::of_codes(suppressed.len(), &columns);
    let classes = masked.classes((1 << keys.width()) - 1);
    let mut sizes = vec![0_usize; suppressed.len()];
    for &class in &classes {
        sizes[class as usize] += 1;
    }
    let is_rare = |&(record, &class): &(usize, &u32)| {
        sizes[class as usize] < k && masked.present(record) != 0
    };
    classes.iter().enumerate().filter(is_rare).count()
}

/// Suppression where a missing value matches only missing values.
///
/// Violators that agree on what a set leaves them join, with those that have just that already, as soon as they are k.
/// Sets are tried by ascending cost, so nobody gives up more than they must to join; whoever joins nobody gives up all.
/// Records that were safe are not touched.
pub(super) fn own_category(keys: &Keys, goal: Goal<'_>) -> Found {
    let masked = |record, set| without(keys, record, set);
    let mut sizes: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    for record in 0..keys.n_records() {
        *sizes.entry(masked(record, 0)).or_default() += 1;
    }
    let mut suppressed = vec![0; keys.n_records()];
    let mut safe = vec![false; keys.n_records()];
    let mut violators: Vec<usize> = (0..keys.n_records())
        .filter(|&record| keys.present(record) != 0 && sizes[keys.of(record)] < goal.k)
        .collect();
    let found = violators.len();
    sizes.retain(|_, size| *size >= goal.k);
    for (_, set) in subsets(keys.width(), goal) {
        if violators.is_empty() {
            break;
        }
        let mut groups: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for &record in &violators {
            groups.entry(masked(record, set)).or_default().push(record);
        }
        for (key, records) in groups {
            let size = sizes.get(&key).copied().unwrap_or(0) + records.len();
            // Who has nothing left of the key cannot be found by it.
            if size < goal.k && key.iter().any(|&code| code != 0) {
                continue;
            }
            for record in records {
                suppressed[record] = set & keys.present(record);
                safe[record] = true;
            }
            sizes.insert(key, size);
        }
        violators.retain(|&record| !safe[record]);
    }
    Found {
        suppressed,
        violators: found,
    }
}
