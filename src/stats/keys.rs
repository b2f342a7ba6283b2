//! Keys as codes, and how many records match one.
//!
//! A *key* is a set of attributes that an intruder may know together. Two records match on a key if they agree on all of it;
//! what a missing value matches is a convention, and both that are in use are here: every value ([`Keys::matching`], [`Index`]), or only a missing
//! one ([`Keys::classes`]).

use std::{collections::BTreeMap, ops::AddAssign};

use rayon::prelude::*;

use crate::table::{AttrId, EXACT_INTEGERS, Numbers, Table};

/// A set of attributes of the key, one bit each.
pub type Set = u32;

/// Records that one thread looks at together.
const CHUNK: usize = 4096;

/// Most attributes of a key.
pub const MAX_ATTRIBUTES: usize = Set::BITS as usize;

/// The key of each record: a code a value, equal where values are.
#[derive(Debug)]
pub struct Keys {
    /// Attributes of the key.
    width: usize,
    n_records: usize,
    /// Record after record; 0 is missing.
    codes: Vec<u32>,
    /// For each attribute its greatest code.
    greatest: Vec<u32>,
}

impl Keys {
    /// The keys of a table. Numbers are equal by value, unless some are too large for that; all else by text without
    /// blanks around.
    ///
    /// # Panics
    /// If the key has more than [`MAX_ATTRIBUTES`].
    pub fn of_table(table: &Table, key: &[AttrId]) -> Self {
        let columns: Vec<Vec<u32>> = key
            .par_iter()
            .map(|&attribute| column(table, attribute))
            .collect();
        Self::of_codes(table.n_records(), &columns)
    }

    /// The keys whose attributes have these codes, one a record; 0 is missing.
    ///
    /// # Panics
    /// If an attribute has not one code a record, or there are more than [`MAX_ATTRIBUTES`].
    pub fn of_codes(n_records: usize, columns: &[Vec<u32>]) -> Self {
        let width = columns.len();
        assert!(width <= MAX_ATTRIBUTES, "a key is a set of bits");
        for column in columns {
            assert_eq!(column.len(), n_records, "one code a record");
        }
        let mut codes = vec![0; width * n_records];
        let chunks = codes.par_chunks_mut(width.max(1) * CHUNK).enumerate();
        chunks.for_each(|(chunk, keys)| {
            for (key, record) in keys.chunks_exact_mut(width).zip(chunk * CHUNK..) {
                for (code, column) in key.iter_mut().zip(columns) {
                    *code = column[record];
                }
            }
        });
        let greatest = |column: &Vec<u32>| column.iter().copied().max().unwrap_or(0);
        Self {
            width,
            n_records,
            codes,
            greatest: columns.par_iter().map(greatest).collect(),
        }
    }

    /// Attributes of the key.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many records there are.
    pub fn n_records(&self) -> usize {
        self.n_records
    }

    /// For each attribute its greatest code: as many as it has different values.
    pub fn greatest(&self) -> &[u32] {
        &self.greatest
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

    /// The class of each record among those that agree on these attributes, where missing values agree with each other:
    /// 0, 1, 2, … in the order of the codes, the first attribute first.
    ///
    /// # Complexity
    /// O(n) an attribute while the combinations of codes are fewer than a few times n, else O(n log n).
    pub fn classes(&self, set: Set) -> Vec<u32> {
        let mut places = (0..self.width)
            .filter(|place| set >> place & 1 == 1)
            .peekable();
        let (mut classes, mut possible) = (Vec::new(), 1_u64);
        loop {
            // As many attributes at a time as a number has room for.
            let mut some = Vec::new();
            while let Some(&place) = places.peek() {
                let values = u64::from(self.greatest[place]) + 1;
                let Some(product) = possible.checked_mul(values) else {
                    break;
                };
                possible = product;
                some.push((place, values));
                places.next();
            }
            let before = classes;
            let class = |record: usize| {
                let class = before.get(record).copied().unwrap_or(0);
                let key = self.of(record);
                let add =
                    |class, &(place, values): &(usize, u64)| class * values + u64::from(key[place]);
                some.iter().fold(class, add)
            };
            let records = (0..self.n_records).into_par_iter().with_min_len(CHUNK);
            classes = records.map(class).collect();
            if places.peek().is_none() {
                break;
            }
            (classes, possible) = renumbered(&classes, possible);
        }
        let (classes, _) = renumbered(&classes, possible);
        classes.into_par_iter().map(small_class).collect()
    }

    /// For each record how many records match it, itself among them, where a missing value matches every value. A record that has nothing
    /// of the key matches nobody, and nobody it.
    ///
    /// # Complexity
    /// With m different sets of present attributes, O(m n) and, for each set that two of them share, [`classes`](Self::classes).
    pub fn matching(&self) -> Vec<u32> {
        self.over_matching(|_| 1)
    }

    /// The same with a weight for each record: the sum over those that match it, in the order of the records.
    pub fn matching_weight(&self, weights: &[f64]) -> Vec<f64> {
        self.over_matching(|record| weights[record])
    }

    /// The records by the attributes that they have; those with nothing of the key are left out.
    pub fn patterns(&self) -> BTreeMap<Set, Vec<u32>> {
        let mut patterns: BTreeMap<Set, Vec<u32>> = BTreeMap::new();
        for (record, name) in (0..self.n_records).zip(0_u32..) {
            let present = self.present(record);
            if present != 0 {
                patterns.entry(present).or_default().push(name);
            }
        }
        patterns
    }

    /// Whether a record that has something of the key misses something of it.
    pub fn have_gaps(&self) -> bool {
        let whole = (1_u64 << self.width) - 1;
        (0..self.n_records).any(|record| {
            let present = u64::from(self.present(record));
            present != 0 && present != whole
        })
    }

    /// For each of these records, which have all attributes of `set`, how many match it on these, itself among them, where a missing
    /// value matches every value. `patterns` are [those of the keys](Self::patterns).
    pub fn matching_on(
        &self,
        set: Set,
        records: &[u32],
        patterns: &BTreeMap<Set, Vec<u32>>,
        classes: &mut Classes<'_>,
    ) -> Vec<u32> {
        let mut sums = vec![0; records.len()];
        for (&pattern, members) in patterns {
            let classes = classes.of(set & pattern);
            let totals = Totals::of_members(members, classes, |_| 1);
            for (sum, &record) in sums.iter_mut().zip(records) {
                *sum += totals.of(classes[record as usize]);
            }
        }
        sums
    }

    fn over_matching<T: Count>(&self, amount: impl Fn(usize) -> T) -> Vec<T> {
        let patterns = self.patterns();
        let mut classes = Classes::new(self);
        let mut sums = vec![T::default(); self.n_records];
        for (&set, seekers) in &patterns {
            for (&pattern, members) in &patterns {
                let classes = classes.of(set & pattern);
                let totals = Totals::of_members(members, classes, &amount);
                for &seeker in seekers {
                    sums[seeker as usize] += totals.of(classes[seeker as usize]);
                }
            }
        }
        sums
    }
}

/// Classes below `possible`, renumbered from 0 without gaps in the same order, and how many there are.
fn renumbered(classes: &[u64], possible: u64) -> (Vec<u64>, u64) {
    const ROOM: u64 = 4;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "few times the number of records"
    )]
    let place = |class: u64| class as usize;
    if possible <= ROOM * classes.len() as u64 + 64 {
        let mut number = vec![0_u32; place(possible)];
        for &class in classes {
            number[place(class)] = 1;
        }
        let mut used = 0;
        for entry in &mut number {
            let next = used + *entry;
            *entry = used;
            used = next;
        }
        let number = |&class: &u64| u64::from(number[place(class)]);
        return (classes.par_iter().map(number).collect(), used.into());
    }
    let mut all = classes.to_vec();
    all.par_sort_unstable();
    all.dedup();
    let rank = |class: &u64| all.partition_point(|other| other < class) as u64;
    (classes.par_iter().map(rank).collect(), all.len() as u64)
}

/// A class, of which a table has at most one a record.
fn small_class(class: u64) -> u32 {
    u32::try_from(class).unwrap_or(u32::MAX)
}

/// The values of an attribute as codes: 0 is missing, equal values have equal codes, and codes ascend with numbers that
/// [are ordered](is_ordered).
pub fn column(table: &Table, attribute: AttrId) -> Vec<u32> {
    let present = |record: usize| !table.is_missing(record, attribute);
    match table.numbers(attribute) {
        Some(numbers) if are_exact(numbers) => ranks(table.n_records(), |record| {
            present(record).then(|| ascending(numbers.values[record]))
        }),
        _ => table.categories(attribute).codes,
    }
}

/// Whether an attribute holds numbers whose order can be relied on.
pub fn is_ordered(table: &Table, attribute: AttrId) -> bool {
    table.numbers(attribute).is_some_and(are_exact)
}

/// Whether equal numbers were equal in the file, too: whole numbers beyond that were rounded.
fn are_exact(numbers: Numbers<'_>) -> bool {
    let small = |value: &f64| value.abs() < EXACT_INTEGERS;
    numbers.values.iter().all(small)
}

/// A whole number for each number, in the same order.
fn ascending(number: f64) -> u64 {
    // -0.0 is 0.0.
    let bits = (number + 0.0).to_bits();
    match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
    }
}

/// Codes from 1 in the order of the keys; 0 where there is none.
fn ranks(n: usize, key: impl Fn(usize) -> Option<u64> + Sync) -> Vec<u32> {
    let mut all: Vec<u64> = (0..n).filter_map(&key).collect();
    all.sort_unstable();
    all.dedup();
    let rank = |key: u64| all.binary_search(&key).map_or(0, |at| small(at + 1));
    let code = |record: usize| key(record).map_or(0, rank);
    (0..n).into_par_iter().map(code).collect()
}

/// A number of records, of which a table has at most `u32::MAX`.
fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// For sets of attributes, which records agree on all of them: equal classes. Made when asked for.
///
/// # Complexity
/// A set costs what [`Keys::classes`] does, and 4 bytes a record. Sets are kept while they take less than 3 GiB together; beyond
/// that all but everybody's are forgotten, and made again if they are asked for again.
#[derive(Debug)]
pub struct Classes<'a> {
    keys: &'a Keys,
    of_set: BTreeMap<Set, Vec<u32>>,
    most_sets: usize,
}

/// Memory for classes that were asked for.
const MAX_BYTES: usize = 3 << 30;

impl<'a> Classes<'a> {
    /// Nothing is made yet.
    pub fn new(keys: &'a Keys) -> Self {
        let everybody = vec![0; keys.n_records()];
        Self {
            keys,
            of_set: BTreeMap::from([(0, everybody)]),
            most_sets: (MAX_BYTES / 4 / keys.n_records().max(1)).max(2 * Set::BITS as usize),
        }
    }

    /// The class of each record among those that agree on this set.
    pub fn of(&mut self, set: Set) -> &[u32] {
        if !self.of_set.contains_key(&set) {
            if self.of_set.len() >= self.most_sets {
                self.of_set.retain(|&set, _| set == 0);
            }
            self.of_set.insert(set, self.keys.classes(set));
        }
        &self.of_set[&set]
    }
}

/// Counts of the records that match a key, where a missing value matches everything.
///
/// Records are kept by the set P of attributes that they have. One with the set P matches a record on the set T if both
/// agree on what P and T share; so for each P in use there is a table of counts by class over P ∩ T. Records that have
/// nothing of the key are not in it.
#[derive(Debug)]
pub struct Index {
    /// The set of each record; empty for those that are not in the index.
    sets: Vec<Set>,
    /// The records of each set, perhaps with some that left it.
    members: BTreeMap<Set, Vec<u32>>,
    counts: BTreeMap<(Set, Set), Totals<u32>>,
}

/// What is added up: records, or their weights.
trait Count: Copy + Default + AddAssign {}

impl Count for u32 {}

impl Count for f64 {}

/// What the members of each class add up to.
#[derive(Debug)]
enum Totals<T> {
    /// One number a class.
    All(Vec<T>),
    /// Those that have members.
    Some(BTreeMap<u32, T>),
}

impl<T: Count> Totals<T> {
    /// Adds up what each of these records counts for, by their classes.
    fn of_members(members: &[u32], classes: &[u32], amount: impl Fn(usize) -> T) -> Self {
        let mut totals = if members.len() * 8 < classes.len() {
            Self::Some(BTreeMap::new())
        } else {
            let most = classes.iter().copied().max().unwrap_or(0);
            Self::All(vec![T::default(); most as usize + 1])
        };
        for &record in members {
            *totals.at(classes[record as usize]) += amount(record as usize);
        }
        totals
    }

    fn of(&self, class: u32) -> T {
        match self {
            Self::All(totals) => totals.get(class as usize).copied(),
            Self::Some(totals) => totals.get(&class).copied(),
        }
        .unwrap_or_default()
    }

    fn at(&mut self, class: u32) -> &mut T {
        match self {
            Self::All(totals) => &mut totals[class as usize],
            Self::Some(totals) => totals.entry(class).or_default(),
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
                Totals::of_members(members, classes.of(shared), |_| 1)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    fn keys(csv: &str) -> Keys {
        let options = ReadOptions::default();
        let table = Table::read("t.csv", csv.as_bytes().to_vec(), &options).unwrap();
        let key: Vec<AttrId> = table.ids().collect();
        Keys::of_table(&table, &key)
    }

    /// Records 0 and 1 agree; 2 misses b, so it matches every record with a = 1, and they it; 3 is alone; 4 has nothing.
    #[test]
    fn a_gap_matches_everything_or_only_a_gap() {
        let keys = keys("a,b\n1,x\n1.0, x\n1,NA\n2,x\nNA,NA\n");
        assert_eq!(keys.matching(), [3, 3, 3, 1, 0]);
        let weights = [1.0, 10.0, 100.0, 1000.0, 10_000.0];
        assert_eq!(
            keys.matching_weight(&weights),
            [111.0, 111.0, 111.0, 1000.0, 0.0]
        );
        // In the order of codes: 0 is missing, numbers ascend.
        assert_eq!(keys.classes(0b11), [2, 2, 1, 3, 0]);
        assert_eq!(keys.classes(0b10), [1, 1, 0, 1, 0]);
        assert_eq!(keys.classes(0), [0; 5]);
    }

    /// Codes so many that their products need more than 64 bits: the classes are those of whole records.
    #[test]
    fn wide_keys_are_told_apart() {
        let columns: Vec<Vec<u32>> = (0..8)
            .map(|place| {
                (0..50)
                    .map(|record| (record / 2 * (7 + place) + 3) % 1_000_003 * 4000)
                    .collect()
            })
            .collect();
        let classes = Keys::of_codes(50, &columns).classes(0xff);
        for (i, a) in classes.iter().enumerate() {
            for (j, b) in classes.iter().enumerate() {
                assert_eq!(a == b, i / 2 == j / 2);
            }
        }
        assert_eq!(classes.iter().max(), Some(&24));
    }

    #[test]
    fn keys_of_nothing() {
        assert_eq!(Keys::of_codes(2, &[]).matching(), [0, 0]);
        assert_eq!(Keys::of_codes(0, &[Vec::new()]).matching(), [0; 0]);
        assert_eq!(Keys::of_codes(0, &[Vec::new()]).classes(1), [0; 0]);
    }
}
