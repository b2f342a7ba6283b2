//! The search for minimal sample uniques: sets of attributes on which a record is alone, while it is not on any part of them.

use rayon::prelude::*;

use crate::{
    statement::MissingMatches,
    stats::keys::{Keys, Set},
};

/// All minimal sample uniques of at most `most` attributes: (record, set of attributes) pairs, by record, then by set.
///
/// A set of attributes is a minimal sample unique of a record if no other record has the same values on it, while on each proper part of it
/// some record has. The empty set does not count as a part: in a file of one record each attribute is a minimal unique.
///
/// # Missing
/// As in all measures of the key: a missing value matches every value, so a set never holds an attribute that the record misses, or it
/// is a value of its own, and a set may hold it. A record that has nothing of the key matches nobody, and nobody it. So, without a
/// cap, the records with a minimal unique are the unique ones.
///
/// # SetSearch
/// As SUDA2 does, sets grow by one attribute at a time, and only among the records that are not yet alone: what is unique on a set leaves
/// the branch. Records that have an exact double can be unique on nothing; they stand in their group as one that hides others, and a group
/// without anybody else is left. Attributes are ordered by the number of their values, so that groups fall apart early.
/// Branches (by the attribute with most values) run in parallel; sets are visited in the order of their bits, hence after all
/// their parts, and are minimal if no part of them was found.
///
/// # Complexity
/// O(n) for each set of attributes that is visited, with n the records that are not unique on it; 2^V sets without
/// a cap. Memory O(V n) and 8 bytes a minimal unique.
///
/// # Source
/// A. M. Manning, D. J. Haglin, J. A. Keane, "A recursive search algorithm for statistical disclosure assessment", Data Mining and Knowledge
/// Discovery 16, 2008.
pub fn minimal_uniques(keys: &Keys, most: u32, missing: MissingMatches) -> Vec<(u32, Set)> {
    if missing == MissingMatches::Any && keys.have_gaps() {
        return super::wildcards::minimal_uniques(keys, most);
    }
    let rows = Rows::new(keys);
    let branches: Vec<Found> = (0..rows.codes.len())
        .into_par_iter()
        .rev()
        .map(|top| rows.branch(top, most))
        .collect();
    let mut all = Vec::new();
    let mut of_row = Vec::new();
    for row in (0..rows.records.len()).filter(|&row| rows.alone[row]) {
        of_row.clear();
        for branch in branches.iter().rev() {
            let lower = of_row.len();
            for set in branch.of(row) {
                let part = |known: &Set| known & set == *known;
                if !of_row[..lower].iter().any(part) {
                    of_row.push(set);
                }
            }
        }
        all.extend(
            of_row
                .iter()
                .map(|&set| (rows.records[row], rows.renamed(set))),
        );
    }
    all.sort_unstable();
    all
}

/// The different keys, each once, with attributes in the order of the search.
struct Rows {
    /// The first record of each key.
    records: Vec<u32>,
    /// Whether it is the only one.
    alone: Vec<bool>,
    /// Attribute by attribute, those with few values first.
    codes: Vec<Vec<u32>>,
    /// The place in the key of each attribute.
    places: Vec<usize>,
    greatest: u32,
}

/// Groups of rows that agree on a set of attributes.
#[derive(Default)]
struct Groups {
    rows: Vec<u32>,
    /// Where each group begins, and the end.
    starts: Vec<usize>,
}

impl Rows {
    fn new(keys: &Keys) -> Self {
        let alike = keys.classes(Set::MAX);
        let n_keys = alike.iter().max().map_or(0, |&most| most as usize + 1);
        let mut members = vec![0_u32; n_keys];
        let mut first = vec![0_u32; n_keys];
        let keyed = |&(_, record): &(&u32, u32)| keys.present(record as usize) != 0;
        for (&class, record) in alike.iter().zip(0_u32..).filter(keyed) {
            if members[class as usize] == 0 {
                first[class as usize] = record;
            }
            members[class as usize] += 1;
        }
        // The class of those with nothing of the key has no members.
        let (members, first): (Vec<u32>, Vec<u32>) = (members.into_iter().zip(first))
            .filter(|&(members, _)| members > 0)
            .unzip();
        let mut places: Vec<usize> = (0..keys.width()).collect();
        places.sort_by_key(|&place| keys.greatest()[place]);
        let column = |&place: &usize| -> Vec<u32> {
            let code = |&record: &u32| keys.of(record as usize)[place];
            first.iter().map(code).collect()
        };
        Self {
            alone: members.iter().map(|&members| members == 1).collect(),
            codes: places.iter().map(column).collect(),
            greatest: keys.greatest().iter().copied().max().unwrap_or(0),
            records: first,
            places,
        }
    }

    /// A set of the search as a set of the key.
    fn renamed(&self, set: Set) -> Set {
        let members = self.places.iter().enumerate();
        members.fold(0, |renamed, (bit, &place)| {
            renamed | (set >> bit & 1) << place
        })
    }

    /// The uniques on sets whose last attribute is `top`, none of them part of another.
    fn branch(&self, top: usize, most: u32) -> Found {
        let everybody = Groups {
            rows: (0_u32..).take(self.records.len()).collect(),
            starts: vec![0, self.records.len()],
        };
        let mut search = SetSearch {
            rows: self,
            most,
            of_code: vec![OfCode::default(); self.greatest as usize + 1],
            met: Vec::new(),
            found: Found {
                last: vec![NONE; self.records.len()],
                sets: Vec::new(),
            },
        };
        if most > 0 {
            search.add(&everybody, 0, top);
        }
        search.found
    }
}

/// The uniques that were found, each with the one before it of the same row.
struct Found {
    last: Vec<u32>,
    sets: Vec<(Set, u32)>,
}

const NONE: u32 = u32::MAX;

impl Found {
    /// The sets of a row, the last first.
    fn of(&self, row: usize) -> impl Iterator<Item = Set> {
        let mut at = self.last[row];
        std::iter::from_fn(move || {
            let &(set, before) = self.sets.get(at as usize)?;
            at = before;
            Some(set)
        })
    }

    fn add_if_minimal(&mut self, row: usize, set: Set) {
        if self.of(row).any(|known| known & set == known) {
            return;
        }
        // Beyond four thousand million sets nothing could be kept.
        if let Ok(next) = u32::try_from(self.sets.len()) {
            self.sets.push((set, self.last[row]));
            self.last[row] = next;
        }
    }
}

/// The rows of a group with one value.
#[derive(Clone, Copy, Default)]
struct OfCode {
    rows: u32,
    alone: u32,
    next: usize,
}

/// A search through one branch.
struct SetSearch<'a> {
    rows: &'a Rows,
    most: u32,
    /// Scratch space, one entry a code; empty between groups.
    of_code: Vec<OfCode>,
    met: Vec<u32>,
    found: Found,
}

impl SetSearch<'_> {
    /// Adds an attribute to a set, and to what comes of it all that are before that attribute.
    fn add(&mut self, groups: &Groups, set: Set, attribute: usize) {
        let set = set | 1 << attribute;
        let grows = set.count_ones() < self.most && attribute > 0;
        let groups = self.split(groups, set, attribute, grows);
        if groups.rows.is_empty() {
            return;
        }
        for before in 0..attribute {
            self.add(&groups, set, before);
        }
    }

    /// Splits groups by an attribute. Who is alone then is unique; the groups that can still have a unique are given back if they are
    /// `wanted`.
    fn split(&mut self, groups: &Groups, set: Set, attribute: usize, wanted: bool) -> Groups {
        let rows = self.rows;
        let codes = &rows.codes[attribute];
        let mut finer = Groups::default();
        for bounds in groups.starts.windows(2) {
            let group = &groups.rows[bounds[0]..bounds[1]];
            for &row in group {
                let of_code = &mut self.of_code[codes[row as usize] as usize];
                if of_code.rows == 0 {
                    self.met.push(codes[row as usize]);
                }
                of_code.rows += 1;
                of_code.alone += u32::from(rows.alone[row as usize]);
            }
            let mut end = finer.rows.len();
            for &code in &self.met {
                let of_code = &mut self.of_code[code as usize];
                if wanted && of_code.rows > 1 && of_code.alone > 0 {
                    finer.starts.push(end);
                    of_code.next = end;
                    end += of_code.rows as usize;
                }
            }
            finer.rows.resize(end, 0);
            for &row in group {
                let of_code = &mut self.of_code[codes[row as usize] as usize];
                if of_code.rows == 1 && of_code.alone == 1 {
                    self.found.add_if_minimal(row as usize, set);
                } else if wanted && of_code.rows > 1 && of_code.alone > 0 {
                    finer.rows[of_code.next] = row;
                    of_code.next += 1;
                }
            }
            for code in self.met.drain(..) {
                self.of_code[code as usize] = OfCode::default();
            }
        }
        finer.starts.push(finer.rows.len());
        finer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::classes::KeyClasses;

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
                    let found = minimal_uniques(&keys, most, missing);
                    assert_eq!(found, slow(&keys, most, missing), "{missing:?} {cells:?}");
                }
                // One reading for all: who is unique on the key is whoever has a minimal unique.
                let classes = KeyClasses::of_keys(Keys::of_codes(n, &columns(&rows)), missing);
                let mut stand_out = minimal_uniques(&keys, 6, missing);
                stand_out.dedup_by_key(|(record, _)| *record);
                let unique = classes.sizes().iter().filter(|&&size| size == 1);
                assert_eq!(stand_out.len(), unique.count(), "{missing:?} {cells:?}");
            }
        }
    }
}
