//! The search for minimal sample uniques: sets of attributes on which a record is alone, while it is not on any part of them.

use rayon::prelude::*;

use crate::{
    risk::classes::rest_on_gaps,
    statement::MissingMatches,
    stats::keys::{Keys, Set},
};

/// The minimal sample uniques of at most `most` attributes: each record that has some, in order, with its sets of attributes, in order.
///
/// A set of attributes is a minimal sample unique of a record if no other record has the same values on it, while on each proper part of it
/// some record has. The empty set does not count as a part: in a file of one record each attribute is a minimal unique.
///
/// # Missing
/// As in all measures of the key: a missing value matches every value, so a set never holds an attribute that the record misses, or it
/// is a value of its own, and a set may hold it. A record that has nothing of the key matches nobody, and nobody it. So, without a
/// cap, the records with a minimal unique are the unique ones.
///
/// # Search
/// As SUDA2 does, sets grow by one attribute at a time, and only among the records that are not yet alone: what is unique on a set leaves
/// the branch. Records that have an exact double can be unique on nothing; they stand in their group as one that hides others, and a group
/// without anybody else is left. Attributes are ordered by the number of their values, so that groups fall apart early.
///
/// Unlike SUDA2, a group of records that agree on a set is searched to the end, by all attributes that can be added, before the next
/// one is: its records are sorted in place, so groups of one set are searched in parallel. In a group of at most 64 a record holds
/// one bit for each of the others; who agrees on a set with it is then a conjunction of words. For each record sets are visited
/// in the order of their bits, hence after all their parts, and are minimal if no part of them was found.
///
/// # Complexity
/// O(n) for each set of attributes that is visited, with n the records that are not unique on it; 2^V sets without
/// a cap. Memory O(V n) and 4 bytes a minimal unique.
///
/// # Source
/// A. M. Manning, D. J. Haglin, J. A. Keane, "A recursive search algorithm for statistical disclosure assessment", Data Mining and Knowledge
/// Discovery 16, 2008.
pub fn minimal_uniques(keys: &Keys, most: u32, missing: MissingMatches) -> Vec<(u32, Vec<Set>)> {
    if rest_on_gaps(keys, missing) {
        return super::wildcards::minimal_uniques(keys, most);
    }
    let n_records = keys.n_records();
    let (keys, mut rows) = DifferentKeys::new(keys);
    if most > 0 {
        Search { keys: &keys, most }.add(&mut rows, 0, keys.places.len());
    }
    let mut found = vec![Vec::new(); n_records];
    for row in rows {
        found[keys.records[row.number as usize] as usize] = row.found;
    }
    let of_record = found.into_par_iter().zip(0..u32::MAX);
    of_record
        .filter(|(sets, _)| !sets.is_empty())
        .map(|(mut sets, record)| {
            for set in &mut sets {
                *set = keys.renamed(*set);
            }
            sets.sort_unstable();
            (record, sets)
        })
        .collect()
}

/// The different keys, each once.
struct DifferentKeys {
    /// The first record of each.
    records: Vec<u32>,
    /// Key after key, attributes with few values first.
    codes: Vec<u32>,
    /// The place in the key of each attribute.
    places: Vec<usize>,
    /// For each attribute its greatest code.
    greatest: Vec<u32>,
}

/// One of them in a search, which moves it about.
struct Row {
    number: u32,
    /// Whether one record alone has it. Else it is there as one that hides others.
    is_unique: bool,
    /// Its minimal uniques so far.
    found: Vec<Set>,
}

impl DifferentKeys {
    /// The keys, and a row for each.
    fn new(keys: &Keys) -> (Self, Vec<Row>) {
        let alike = keys.classes(Set::MAX);
        let n_keys = alike.iter().max().map_or(0, |&most| most as usize + 1);
        // The class of those with nothing of the key stays without members.
        let mut classes = vec![(0_u32, 0_u32); n_keys];
        let keyed = |&(_, record): &(&u32, u32)| keys.present(record as usize) != 0;
        for (&class, record) in alike.iter().zip(0_u32..).filter(keyed) {
            let (members, first) = &mut classes[class as usize];
            if *members == 0 {
                *first = record;
            }
            *members += 1;
        }
        classes.retain(|&(members, _)| members > 0);
        let mut places: Vec<usize> = (0..keys.width()).collect();
        places.sort_by_key(|&place| keys.greatest()[place]);
        let codes = |&(_, record): &(u32, u32)| {
            let codes = keys.of(record as usize);
            places.iter().map(|&place| codes[place])
        };
        let rows = classes.iter().zip(0_u32..);
        let rows = rows.map(|(&(members, _), number)| Row {
            number,
            is_unique: members == 1,
            found: Vec::new(),
        });
        let rows = rows.collect();
        let keys = Self {
            codes: classes.iter().flat_map(codes).collect(),
            greatest: places.iter().map(|&place| keys.greatest()[place]).collect(),
            records: classes.iter().map(|&(_, first)| first).collect(),
            places,
        };
        (keys, rows)
    }

    fn code(&self, row: &Row, attribute: usize) -> u32 {
        self.codes[row.number as usize * self.places.len() + attribute]
    }

    /// A set of the search as a set of the key.
    fn renamed(&self, set: Set) -> Set {
        let members = self.places.iter().enumerate();
        members.fold(0, |renamed, (bit, &place)| {
            renamed | (set >> bit & 1) << place
        })
    }
}

/// Groups of more rows are searched by several threads.
const MANY: usize = 4096;

/// Groups of so many rows are searched row by row: one bit for each of the others.
const FEW: usize = u64::BITS as usize;

/// Most groups of few have so many rows at most.
const VERY_FEW: usize = 8;

/// A search for uniques.
struct Search<'a> {
    keys: &'a DifferentKeys,
    most: u32,
}

impl Search<'_> {
    /// Adds each attribute before one to a set on which these rows agree, and so on.
    fn add(&self, group: &mut [Row], set: Set, before: usize) {
        for attribute in 0..before {
            let set = set | 1 << attribute;
            let is_large = group.len() > MANY;
            let sizes = self.sort(group, attribute);
            let mut rest = &mut *group;
            let groups = sizes
                .into_iter()
                .map(|size| rest.split_off_mut(..size).unwrap_or_default());
            if is_large {
                let groups: Vec<&mut [Row]> = groups.collect();
                groups
                    .into_par_iter()
                    .for_each(|group| self.look_at(group, set, attribute));
            } else {
                groups.for_each(|group| self.look_at(group, set, attribute));
            }
        }
    }

    /// Looks at a group that agrees on a set whose last attribute was added.
    fn look_at(&self, group: &mut [Row], set: Set, attribute: usize) {
        let can_grow = set.count_ones() < self.most && group.iter().any(|row| row.is_unique);
        match group {
            [] => {}
            [row] if row.is_unique => row.add_if_minimal(set),
            _ if !can_grow => {}
            few if few.len() <= VERY_FEW => self.add_to_few::<VERY_FEW>(few, set, attribute),
            few if few.len() <= FEW => self.add_to_few::<FEW>(few, set, attribute),
            many => self.add(many, set, attribute),
        }
    }

    /// Brings the rows together that agree on an attribute, and says how many do, run by run.
    fn sort(&self, group: &mut [Row], attribute: usize) -> Vec<usize> {
        let code = |row: &Row| self.keys.code(row, attribute);
        let n_codes = self.keys.greatest[attribute] as usize + 1;
        if n_codes > 4 * group.len() {
            group.sort_unstable_by_key(code);
            let runs = group.chunk_by(|a, b| code(a) == code(b));
            return runs.map(<[Row]>::len).collect();
        }
        // Where each row belongs: its code at first.
        let place = |row: &Row| code(row) as usize;
        let mut to: Vec<usize> = if group.len() > MANY {
            group.par_iter().map(place).collect()
        } else {
            group.iter().map(place).collect()
        };
        let mut sizes = vec![0; n_codes];
        for &code in &to {
            sizes[code] += 1;
        }
        let starts = sizes.iter().scan(0, |end, size| {
            *end += size;
            Some(*end - size)
        });
        let mut next: Vec<usize> = starts.collect();
        for to in &mut to {
            let next = &mut next[*to];
            *to = *next;
            *next += 1;
        }
        for at in 0..group.len() {
            while to[at] != at {
                let there = to[at];
                group.swap(at, there);
                to.swap(at, there);
            }
        }
        sizes
    }

    /// The same as [`Self::add`] for `MOST` rows and fewer, each for itself: those that are like it are bits.
    fn add_to_few<const MOST: usize>(&self, group: &mut [Row], set: Set, before: usize) {
        let mut agree = [[0_u64; Set::BITS as usize]; MOST];
        for attribute in 0..before {
            let mut codes = [0; MOST];
            for (code, row) in codes.iter_mut().zip(&*group) {
                *code = self.keys.code(row, attribute);
            }
            let codes = &codes[..group.len()];
            for (agree, code) in agree.iter_mut().zip(codes) {
                let others = codes.iter().enumerate();
                agree[attribute] = others.fold(0, |bits, (bit, other)| {
                    bits | u64::from(other == code) << bit
                });
            }
        }
        let everybody = u64::MAX >> (FEW - group.len());
        for (place, (row, agree)) in group.iter_mut().zip(&agree).enumerate() {
            if row.is_unique {
                row.add(&agree[..before], (1 << place, everybody), set, self.most);
            }
        }
    }
}

impl Row {
    /// Adds each attribute to a set on which the rows `alike` agree, and so on. For each attribute `agree` has the rows that agree with
    /// this one, whose own bit is `itself`.
    fn add(&mut self, agree: &[u64], (itself, alike): (u64, u64), set: Set, most: u32) {
        for (attribute, agreeing) in agree.iter().enumerate() {
            let alike = alike & agreeing;
            let set = set | 1 << attribute;
            if alike == itself {
                self.add_if_minimal(set);
            } else if set.count_ones() < most {
                self.add(&agree[..attribute], (itself, alike), set, most);
            }
        }
    }

    /// A unique is minimal if no part of it was found: parts come before the whole.
    fn add_if_minimal(&mut self, set: Set) {
        if !self.found.iter().any(|known| known & set == *known) {
            self.found.push(set);
        }
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::classes::KeyClasses;
    use std::collections::BTreeMap;

    fn pairs(found: Vec<(u32, Vec<Set>)>) -> Vec<(u32, Set)> {
        let of_record =
            |(record, sets): (u32, Vec<Set>)| sets.into_iter().map(move |set| (record, set));
        found.into_iter().flat_map(of_record).collect()
    }

    fn columns(rows: &[&[u32]]) -> Vec<Vec<u32>> {
        let column = |place| rows.iter().map(|row| row[place]).collect();
        (0..rows[0].len()).map(column).collect()
    }

    fn keys(rows: &[&[u32]]) -> Keys {
        Keys::of_codes(rows.len(), &columns(rows))
    }

    /// The definition: unique on the set, not unique on it without any one of its attributes (nor on nothing).
    fn slow(keys: &Keys, most: u32, missing: MissingMatches) -> Vec<(u32, Set)> {
        let n = keys.n_records();
        let keyed = |record: usize| keys.of(record).iter().any(|&code| code != 0);
        let unique = |record: usize, set: Set| {
            let has = |other: usize| {
                (0..keys.width())
                    .filter(|place| set >> place & 1 == 1)
                    .all(|place| {
                        let (mine, theirs) = (keys.of(record)[place], keys.of(other)[place]);
                        let gap = mine == 0 || theirs == 0;
                        mine == theirs || gap && missing == MissingMatches::Any
                    })
            };
            (0..n).all(|other| other == record || !keyed(other) || !has(other))
        };
        let mut all = Vec::new();
        for record in (0..n).filter(|&record| keyed(record)) {
            for set in 1..1 << keys.width() {
                let parts = (0..keys.width()).filter(|place| set >> place & 1 == 1);
                let mut parts = parts.map(|place| set & !(1 << place));
                let minimal = parts.all(|part| part == 0 || !unique(record, part));
                if set.count_ones() <= most && unique(record, set) && minimal {
                    all.push((u32::try_from(record).unwrap(), set));
                }
            }
        }
        all
    }

    /// The same by counting who agrees on each set, where a missing value is one of its own.
    fn by_counting(keys: &Keys, most: u32) -> Vec<(u32, Set)> {
        let n = keys.n_records();
        let on = |record: usize, set: Set| -> Vec<u32> {
            let codes = keys.of(record).iter().enumerate();
            codes
                .map(|(place, &code)| if set >> place & 1 == 1 { code } else { 0 })
                .collect()
        };
        let unique: Vec<Vec<bool>> = (0..1 << keys.width())
            .map(|set| {
                let mut counts: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
                for record in 0..n {
                    *counts.entry(on(record, set)).or_default() += 1;
                }
                (0..n)
                    .map(|record| set != 0 && counts[&on(record, set)] == 1)
                    .collect()
            })
            .collect();
        let is_minimal = |record: usize, set: Set| {
            let mut parts = (0..keys.width()).filter(|place| set >> place & 1 == 1);
            unique[set as usize][record]
                && parts.all(|place| !unique[(set & !(1 << place)) as usize][record])
        };
        let sets = |record: usize| {
            (1..1_u32 << keys.width())
                .filter(|&set| set.count_ones() <= most && is_minimal(record, set))
                .collect::<Vec<Set>>()
                .into_iter()
                .map(move |set| (u32::try_from(record).unwrap(), set))
        };
        (0..n).flat_map(sets).collect()
    }

    /// Groups of all sizes: very few, few, many and enough for several threads; with codes close together and far apart.
    #[test]
    fn groups_of_all_sizes_are_searched() {
        for (case, (n, sides, step)) in [
            (300, 3, 1),
            (300, 3, 5000),
            (20_000, 4, 1),
            (20_000, 9, 9000),
        ]
        .into_iter()
        .enumerate()
        {
            let mut state = 11 + case as u64;
            let mut roll = |sides: u32| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                u32::try_from((state >> 33) % u64::from(sides)).unwrap()
            };
            let column = |_| {
                (0..n)
                    .map(|_| 1 + step * roll(sides).min(roll(sides)))
                    .collect()
            };
            let columns: Vec<Vec<u32>> = (0..7).map(column).collect();
            let keys = Keys::of_codes(n, &columns);
            for most in [3, 7] {
                let found = pairs(minimal_uniques(&keys, most, MissingMatches::Missing));
                assert!(
                    most < 7 || found.len() > 100,
                    "{n} {sides}: {}",
                    found.len()
                );
                assert!(
                    found == by_counting(&keys, most),
                    "{n} {sides} {step}, {most}"
                );
            }
        }
    }

    #[test]
    fn the_search_finds_what_the_definition_says() {
        let mut state = 7_u64;
        let mut roll = |sides: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            u32::try_from((state >> 33) % u64::from(sides)).unwrap()
        };
        for case in 0..150 {
            let (n, width) = (1 + roll(40) as usize, 1 + roll(6) as usize);
            let sides = 2 + roll(5);
            let gaps = case % 3 == 0;
            let cells: Vec<Vec<u32>> = (0..n)
                .map(|_| {
                    let cell = |place: u32, roll: &mut dyn FnMut(u32) -> u32| {
                        let code = 1 + roll(sides + place);
                        if gaps && roll(5) == 0 { 0 } else { code }
                    };
                    (0..u32::try_from(width).unwrap())
                        .map(|place| cell(place, &mut roll))
                        .collect()
                })
                .collect();
            let rows: Vec<&[u32]> = cells.iter().map(Vec::as_slice).collect();
            let keys = keys(&rows);
            for missing in [MissingMatches::Any, MissingMatches::Missing] {
                for most in [1, 2, 6] {
                    let found = pairs(minimal_uniques(&keys, most, missing));
                    assert_eq!(found, slow(&keys, most, missing), "{missing:?} {cells:?}");
                }
                // One reading for all: who is unique on the key is whoever has a minimal unique.
                let classes = KeyClasses::of_keys(Keys::of_codes(n, &columns(&rows)), missing);
                let stand_out = minimal_uniques(&keys, 6, missing);
                let unique = classes.sizes().iter().filter(|&&size| size == 1);
                assert_eq!(stand_out.len(), unique.count(), "{missing:?} {cells:?}");
            }
        }
    }
}
