//! Keys as codes, and how many records match one.

use std::collections::BTreeMap;

use crate::table::{AttrId, EXACT_INTEGERS, Table};

/// A set of attributes of the key, one bit each.
pub(super) type Set = u32;

/// The key of each record: a code a value, equal where values are.
pub(super) struct Keys {
    /// Attributes of the key.
    pub width: usize,
    /// Record after record; 0 is missing.
    codes: Vec<u32>,
}

impl Keys {
    /// The keys of a table. Numbers are equal by value, unless some are too large for that; all else by text without
    /// blanks around.
    pub fn of_table(table: &Table, key: &[AttrId]) -> Self {
        let width = key.len();
        let mut codes = vec![0; width * table.n_records()];
        for (place, &attribute) in key.iter().enumerate() {
            for (record, code) in column(table, attribute).into_iter().enumerate() {
                codes[record * width + place] = code;
            }
        }
        Self { width, codes }
    }

    /// How many records there are.
    pub fn n_records(&self) -> usize {
        self.codes.len() / self.width
    }

    /// The key of one record.
    pub fn of(&self, record: usize) -> &[u32] {
        &self.codes[record * self.width..(record + 1) * self.width]
    }

    /// The attributes that a record has.
    pub fn present(&self, record: usize) -> Set {
        let codes = self.of(record).iter().enumerate();
        codes.fold(0, |set, (place, &code)| set | Set::from(code != 0) << place)
    }
}

fn column(table: &Table, attribute: AttrId) -> Vec<u32> {
    let present = |record: usize| !table.is_missing(record, attribute);
    match table.numbers(attribute) {
        Some(numbers)
            if numbers
                .values
                .iter()
                .all(|value| value.abs() < EXACT_INTEGERS) =>
        {
            let bits = |record: usize| (numbers.values[record] + 0.0).to_bits();
            ranks(table.n_records(), |record| {
                present(record).then(|| bits(record))
            })
        }
        _ => {
            let text = |record: usize| table.category(record, attribute).into_owned();
            let mut codes = BTreeMap::new();
            (0..table.n_records())
                .map(|record| {
                    let next = codes.len() + 1;
                    present(record)
                        .then(|| *codes.entry(text(record)).or_insert(next))
                        .map_or(0, small)
                })
                .collect()
        }
    }
}

/// Codes from 1 in the order of the keys; 0 where there is none.
fn ranks<K: Ord + Copy>(n: usize, key: impl Fn(usize) -> Option<K>) -> Vec<u32> {
    let mut all: Vec<K> = (0..n).filter_map(&key).collect();
    all.sort_unstable();
    all.dedup();
    let rank = |key: K| all.binary_search(&key).map_or(0, |at| small(at + 1));
    (0..n).map(|record| key(record).map_or(0, rank)).collect()
}

/// A number of records, of which a table has at most `u32::MAX`.
fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// For sets of attributes, which records agree on all of them: equal classes. Made when asked for.
///
/// # Complexity
/// A set costs O(n log n) time and 4 bytes a record. Sets are kept while they take less than [`MOST_BYTES`] together; beyond
/// that all but everybody's are forgotten, and made again if they are asked for again.
pub(super) struct Classes<'a> {
    keys: &'a Keys,
    of_set: BTreeMap<Set, Vec<u32>>,
    most_sets: usize,
}

/// Memory for classes that were asked for.
const MOST_BYTES: usize = 3 << 30;

impl<'a> Classes<'a> {
    pub fn new(keys: &'a Keys) -> Self {
        let everybody = vec![0; keys.n_records()];
        Self {
            keys,
            of_set: BTreeMap::from([(0, everybody)]),
            most_sets: (MOST_BYTES / 4 / keys.n_records().max(1)).max(2 * Set::BITS as usize),
        }
    }

    /// The class of each record among those that agree on this set.
    pub fn of(&mut self, set: Set) -> &[u32] {
        if !self.of_set.contains_key(&set) {
            if self.of_set.len() >= self.most_sets {
                self.of_set.retain(|&set, _| set == 0);
            }
            let last = set.ilog2() as usize;
            let rest = set & !(1 << last);
            self.of(rest);
            let coarser = &self.of_set[&rest];
            let code = |record: usize| self.keys.of(record)[last];
            let classes = ranks(coarser.len(), |record| {
                Some(u64::from(coarser[record]) << 32 | u64::from(code(record)))
            });
            self.of_set.insert(set, classes);
        }
        &self.of_set[&set]
    }
}

/// Counts of the records that match a key, where a missing value matches everything.
///
/// Records are kept by the set P of attributes that they have. One with the set P matches a record on the set T if both
/// agree on what P and T share; so for each P in use there is a table of counts by class over P ∩ T. Records that have
/// nothing of the key are not in it.
pub(super) struct Index {
    /// The set of each record; empty for those that are not in the index.
    sets: Vec<Set>,
    /// The records of each set, perhaps with some that left it.
    members: BTreeMap<Set, Vec<u32>>,
    counts: BTreeMap<(Set, Set), Counts>,
}

/// How many members each class has.
enum Counts {
    /// One number a class.
    All(Vec<u32>),
    /// Those that have members.
    Some(BTreeMap<u32, u32>),
}

impl Counts {
    fn of(&self, class: u32) -> u32 {
        match self {
            Self::All(counts) => counts.get(class as usize).copied().unwrap_or(0),
            Self::Some(counts) => counts.get(&class).copied().unwrap_or(0),
        }
    }

    fn at(&mut self, class: u32) -> &mut u32 {
        match self {
            Self::All(counts) => &mut counts[class as usize],
            Self::Some(counts) => counts.entry(class).or_insert(0),
        }
    }
}

impl Index {
    /// The index of the records with these sets of attributes.
    pub fn new(sets: Vec<Set>) -> Self {
        let mut members: BTreeMap<Set, Vec<u32>> = BTreeMap::new();
        for (&set, record) in sets.iter().zip(0_u32..).filter(|&(&set, _)| set != 0) {
            members.entry(set).or_default().push(record);
        }
        Self {
            sets,
            members,
            counts: BTreeMap::new(),
        }
    }

    /// How many records match this one on `set`; stops counting at `enough`.
    pub fn matching(
        &mut self,
        classes: &mut Classes<'_>,
        record: usize,
        set: Set,
        enough: usize,
    ) -> usize {
        let mut count = 0;
        for (&pattern, members) in &mut self.members {
            let shared = pattern & set;
            let class = classes.of(shared)[record];
            let counts = self.counts.entry((pattern, shared)).or_insert_with(|| {
                members.retain(|&record| self.sets[record as usize] == pattern);
                members.sort_unstable();
                members.dedup();
                tabulate(members, classes.of(shared))
            });
            count += counts.of(class) as usize;
            if count >= enough {
                break;
            }
        }
        count
    }

    /// Gives a record another set of attributes; with none it leaves the index.
    pub fn shift(&mut self, classes: &mut Classes<'_>, record: u32, to: Set) {
        let from = std::mem::replace(&mut self.sets[record as usize], to);
        self.count(classes, record, from, false);
        if to != 0 {
            self.members.entry(to).or_default().push(record);
            self.count(classes, record, to, true);
        }
    }

    fn count(&mut self, classes: &mut Classes<'_>, record: u32, pattern: Set, more: bool) {
        for (&(_, shared), counts) in self.counts.range_mut((pattern, 0)..=(pattern, Set::MAX)) {
            let count = counts.at(classes.of(shared)[record as usize]);
            *count = if more {
                *count + 1
            } else {
                count.saturating_sub(1)
            };
        }
    }
}

fn tabulate(members: &[u32], classes: &[u32]) -> Counts {
    let of_members = || members.iter().map(|&record| classes[record as usize]);
    if members.len() * 8 < classes.len() {
        let mut counts = BTreeMap::new();
        for class in of_members() {
            *counts.entry(class).or_insert(0) += 1;
        }
        return Counts::Some(counts);
    }
    let most = classes.iter().copied().max().unwrap_or(0);
    let mut counts = vec![0; most as usize + 1];
    for class in of_members() {
        counts[class as usize] += 1;
    }
    Counts::All(counts)
}
