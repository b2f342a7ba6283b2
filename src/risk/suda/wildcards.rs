//! The search where missing values match every value: records that match fall into no groups, so each set is counted.

use std::collections::BTreeMap;

use crate::stats::keys::{Classes, Keys, Set};

/// What [`minimal_uniques`](super::minimal_uniques) says, where a missing value matches every value.
///
/// Only records that nobody matches on the whole key can be unique on a part of it, and only on attributes that they have. Sets are
/// visited in the order of their bits, hence after all their parts, and left when no record is still open on them.
///
/// # Complexity
/// With m different sets of present attributes, O(n + m u) a set that is visited, u the records that are open on it, beside
/// [`Keys::classes`].
pub(super) fn minimal_uniques(keys: &Keys, most: u32) -> Vec<(u32, Vec<Set>)> {
    let sizes = keys.matching();
    let unique: Vec<u32> = (0_u32..)
        .zip(&sizes)
        .filter(|&(_, &size)| size == 1)
        .map(|(record, _)| record)
        .collect();
    let mut search = WildcardSearch {
        keys,
        most,
        members: keys.patterns(),
        classes: Classes::new(keys),
        found: vec![Vec::new(); unique.len()],
        unique: &unique,
    };
    let all: Vec<usize> = (0..unique.len()).collect();
    if most > 0 {
        for top in 0..keys.width() {
            search.add(&all, 0, top);
        }
    }
    let of_record = unique.iter().copied().zip(search.found);
    let mut all: Vec<(u32, Vec<Set>)> = of_record.filter(|(_, sets)| !sets.is_empty()).collect();
    for (_, sets) in &mut all {
        sets.sort_unstable();
    }
    all
}

struct WildcardSearch<'a> {
    keys: &'a Keys,
    most: u32,
    /// The records by the attributes that they have.
    members: BTreeMap<Set, Vec<u32>>,
    classes: Classes<'a>,
    /// The records that are unique on the whole key.
    unique: &'a [u32],
    /// For each of them the sets that were found.
    found: Vec<Vec<Set>>,
}

impl WildcardSearch<'_> {
    /// Adds an attribute to a set, and to what comes of it all that are before that attribute. `open` are places among the unique
    /// records.
    fn add(&mut self, open: &[usize], set: Set, attribute: usize) {
        let set = set | 1 << attribute;
        let can_be = |&place: &usize| {
            let has_all = self.keys.present(self.unique[place] as usize) & set == set;
            has_all && self.found[place].iter().all(|&known| known & set != known)
        };
        let open: Vec<usize> = open.iter().copied().filter(can_be).collect();
        if open.is_empty() {
            return;
        }
        let records: Vec<u32> = open.iter().map(|&place| self.unique[place]).collect();
        let matching = (self.keys).matching_on(set, &records, &self.members, &mut self.classes);
        let mut left = Vec::new();
        for (place, matching) in open.into_iter().zip(matching) {
            match matching {
                1 => self.found[place].push(set),
                _ => left.push(place),
            }
        }
        if set.count_ones() < self.most {
            for before in 0..attribute {
                self.add(&left, set, before);
            }
        }
    }
}
