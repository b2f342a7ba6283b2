//! The classes of a key: which records are unique, and how many have the same key.

use std::collections::BTreeMap;

use crate::{
    figure::{About, Definition, Figure, Group},
    statement::MissingMatches,
    stats::keys::{Keys, Set},
    table::{AttrId, Table},
};

const SOURCE: &str = "Samarati and Sweeney 1998; Hundepool et al. 2012, section 3.2";

/// Records that match nobody but themselves.
pub static UNIQUE: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "unique",
    "unique on the key",
    "records that no other record matches on the key",
    SOURCE,
);

/// Records that match fewer than 2.
pub static BELOW_2: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "below_k_2",
    "fewer than 2 match",
    "records that match fewer than 2 records on the key, themselves among them",
    SOURCE,
);

/// Records that match fewer than 3.
pub static BELOW_3: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "below_k_3",
    "fewer than 3 match",
    "records that match fewer than 3 records on the key, themselves among them",
    SOURCE,
);

/// Records that match fewer than 5.
pub static BELOW_5: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "below_k_5",
    "fewer than 5 match",
    "records that match fewer than 5 records on the key, themselves among them",
    SOURCE,
);

/// Records that match fewer than a number that was asked for.
pub static BELOW_K: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "below_k",
    "fewer than k match",
    "records that match fewer than k records on the key, themselves among them, for the k of this call",
    SOURCE,
);

/// The least number of records that match a record.
pub static K_ANONYMITY: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "k_anonymity",
    "k-anonymity",
    "least number of records that match a record on the key, itself among them",
    SOURCE,
)
.higher_is_better()
.at_least(1.0);

/// Records that are safe only because missing values match.
pub static ON_GAPS: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "on_gaps",
    "reach k by missing values only",
    "records that match k or more only because a missing value matches every value: with missing values as a category of their own they match fewer; k of the call, or 3",
    SOURCE,
);

/// [`UNIQUE`], where a missing value matches only missing ones.
pub static UNIQUE_APART: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "unique_gaps_apart",
    "unique, missing values a category",
    "records that no other record matches on the key if a missing value matches only missing ones",
    SOURCE,
);

/// [`BELOW_K`], where a missing value matches only missing ones.
pub static BELOW_K_APART: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "below_k_gaps_apart",
    "fewer than k, missing values a category",
    "records that match fewer than k records on the key, themselves among them, if a missing value matches only missing ones; k of the call, or 3",
    SOURCE,
);

/// [`K_ANONYMITY`], where a missing value matches only missing ones.
pub static K_ANONYMITY_APART: Definition = Definition::count(
    Group::Risk(About::SinglingOut),
    "k_anonymity_gaps_apart",
    "k-anonymity, missing values a category",
    "least number of records that match a record on the key, itself among them, if a missing value matches only missing ones",
    SOURCE,
)
.higher_is_better()
.at_least(1.0);

/// All figures of classes.
pub static DEFINITIONS: [&Definition; 10] = [
    &UNIQUE,
    &BELOW_2,
    &BELOW_3,
    &BELOW_5,
    &BELOW_K,
    &K_ANONYMITY,
    &ON_GAPS,
    &UNIQUE_APART,
    &BELOW_K_APART,
    &K_ANONYMITY_APART,
];

/// The k of the figures of missing values where none is asked for.
pub const USUAL_K: u32 = 3;

/// Why a figure of a key has no value where no record has anything of the key.
pub(super) const NO_KEY: &str = "no record has a value of the key";

/// The records of a file by their key.
///
/// # Missing
/// What a missing value matches is a convention, [`MissingMatches`]: every value (as in sdcMicro and mu-ARGUS), or only a missing one (as in
/// pyCANON). A record that has nothing of the key cannot be found by it: it matches nobody, nobody matches it, and it is counted nowhere.
///
/// Groups of records with the same key, which diversity and closeness are about, always take a missing value for one of its own: matching
/// every value is no equivalence, and makes no groups.
#[derive(Debug)]
pub struct KeyClasses {
    keys: Keys,
    missing: MissingMatches,
    /// For each record how many match it; 0 where it has nothing of the key.
    sizes: Vec<u32>,
    /// The group of each record among those with the same key.
    alike: Vec<u32>,
    /// The records by their groups, those without a key left out.
    members: Vec<u32>,
    /// Where each group begins in `members`, and the end.
    starts: Vec<usize>,
}

/// Whether some record lacks a value of its key that then matches every value.
pub fn rest_on_gaps(keys: &Keys, missing: MissingMatches) -> bool {
    missing == MissingMatches::Any && keys.have_gaps()
}

impl KeyClasses {
    /// The classes of a key in a table.
    ///
    /// # Complexity
    /// O(n log n); with gaps that match every value O(m n), m the number of different sets of gaps.
    ///
    /// # Panics
    /// If the key has more than [`MAX_ATTRIBUTES`](crate::stats::keys::MAX_ATTRIBUTES).
    pub fn new(table: &Table, key: &[AttrId], missing: MissingMatches) -> Self {
        Self::of_keys(Keys::of_table(table, key), missing)
    }

    /// The classes of keys.
    pub fn of_keys(keys: Keys, missing: MissingMatches) -> Self {
        let alike = keys.classes(Set::MAX);
        let keyed: Vec<bool> = (0..keys.n_records())
            .map(|record| keys.present(record) != 0)
            .collect();
        let (members, starts) = grouped(&alike, &keyed);
        let sizes = match missing {
            MissingMatches::Any => keys.matching(),
            MissingMatches::Missing => {
                let mut sizes = vec![0; alike.len()];
                for group in starts.windows(2) {
                    let group = &members[group[0]..group[1]];
                    for &record in group {
                        sizes[record as usize] = u32::try_from(group.len()).unwrap_or(u32::MAX);
                    }
                }
                sizes
            }
        };
        Self {
            keys,
            missing,
            sizes,
            alike,
            members,
            starts,
        }
    }

    /// What a missing value matches.
    pub fn missing(&self) -> MissingMatches {
        self.missing
    }

    /// Whether a missing value makes records match that would be apart with missing values as a category of their own.
    pub fn rest_on_gaps(&self) -> bool {
        rest_on_gaps(&self.keys, self.missing)
    }

    /// The keys as codes.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// For each record how many match it, itself among them; 0 where it has nothing of the key.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// For each record the sum of these weights over the records that match it; 0 where it has nothing of the key.
    pub fn weights(&self, weights: &[f64]) -> Vec<f64> {
        match self.missing {
            MissingMatches::Any => self.keys.matching_weight(weights),
            MissingMatches::Missing => {
                let mut sums = vec![0.0; weights.len()];
                for group in self.groups() {
                    let sum = group.iter().map(|&record| weights[record as usize]).sum();
                    for &record in group {
                        sums[record as usize] = sum;
                    }
                }
                sums
            }
        }
    }

    /// The groups of records with the same key, gaps included; those with nothing of the key are in none. Within a group
    /// records ascend.
    pub fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let bounds = self.starts.windows(2);
        bounds.map(|bounds| &self.members[bounds[0]..bounds[1]])
    }

    /// The group of each record: equal numbers where records have the same key.
    pub fn alike(&self) -> &[u32] {
        &self.alike
    }

    /// Records that have something of the key.
    pub fn keyed(&self) -> u64 {
        self.members.len() as u64
    }

    /// How many records match so many, by that number; those with nothing of the key are left out.
    pub fn histogram(&self) -> BTreeMap<u32, u64> {
        let greatest = self.sizes.iter().max().map_or(0, |&size| size as usize);
        let mut records = vec![0; greatest + 1];
        for &size in &self.sizes {
            records[size as usize] += 1;
        }
        let counted = (0..).zip(records).skip(1);
        counted.filter(|&(_, records)| records > 0).collect()
    }

    /// Uniqueness, k-anonymity, and the records that match fewer than 2, 3, 5 and, if that is asked for, k.
    ///
    /// ```text
    /// f_i = #{ j : j matches i on the key },  j = i included
    /// unique = #{ i : f_i = 1 },   k_anonymity = min f_i,   below_k = #{ i : f_i < k }
    /// ```
    pub fn figures(&self, k: Option<u32>) -> Vec<Figure> {
        let histogram = self.histogram();
        let counted = self.keyed();
        let below = |k: u32| {
            histogram
                .range(..k)
                .map(|(_, &records)| records)
                .sum::<u64>()
        };
        let count = |what: &'static Definition, records: u64| match counted {
            0 => Figure::undefined(what, NO_KEY),
            _ => Figure::new(what, records as f64, counted),
        };
        let least = match histogram.first_key_value() {
            None => Figure::undefined(&K_ANONYMITY, NO_KEY),
            Some((&least, _)) => Figure::new(&K_ANONYMITY, f64::from(least), counted),
        };
        let mut figures = vec![
            count(&UNIQUE, below(2)),
            least,
            count(&BELOW_2, below(2)),
            count(&BELOW_3, below(3)),
            count(&BELOW_5, below(5)),
        ];
        figures.extend(k.map(|k| count(&BELOW_K, below(k))));
        figures
    }

    /// How many records reach k (3 if none is asked for) only because a missing value matches every value, beside what the
    /// figures are with missing values as a category of their own. The records counted are the same.
    pub fn gap_figures(&self, k: Option<u32>) -> Vec<Figure> {
        let k = k.unwrap_or(USUAL_K);
        let counted = self.keyed();
        if counted == 0 {
            let all = [&ON_GAPS, &UNIQUE_APART, &BELOW_K_APART, &K_ANONYMITY_APART];
            return all.map(|what| Figure::undefined(what, NO_KEY)).into();
        }
        let (mut on_gaps, mut unique, mut below, mut least) = (0_u64, 0_u64, 0_u64, u32::MAX);
        for group in self.groups() {
            let size = u32::try_from(group.len()).unwrap_or(u32::MAX);
            least = least.min(size);
            unique += u64::from(size == 1);
            if size < k {
                below += u64::from(size);
                let safe = |&&record: &&u32| self.sizes[record as usize] >= k;
                on_gaps += group.iter().filter(safe).count() as u64;
            }
        }
        vec![
            Figure::new(&ON_GAPS, on_gaps as f64, counted),
            Figure::new(&UNIQUE_APART, unique as f64, counted),
            Figure::new(&BELOW_K_APART, below as f64, counted),
            Figure::new(&K_ANONYMITY_APART, f64::from(least), counted),
        ]
    }
}

/// Records sorted by class, and where each class begins; records that do not take part are left out, classes without members too.
fn grouped(classes: &[u32], takes_part: &[bool]) -> (Vec<u32>, Vec<usize>) {
    let n_classes = classes.iter().max().map_or(0, |&most| most as usize + 1);
    let mut ends = vec![0_usize; n_classes];
    let of_record = || (0_u32..).zip(classes.iter().zip(takes_part));
    for (_, (&class, _)) in of_record().filter(|&(_, (_, &part))| part) {
        ends[class as usize] += 1;
    }
    let mut end = 0;
    for count in &mut ends {
        end += std::mem::replace(count, end);
    }
    let mut members = vec![0; end];
    let mut starts = ends.clone();
    for (record, (&class, _)) in of_record().filter(|&(_, (_, &part))| part) {
        members[ends[class as usize]] = record;
        ends[class as usize] += 1;
    }
    starts.push(end);
    starts.dedup();
    (members, starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::value;

    fn classes(columns: &[&[u32]], missing: MissingMatches) -> KeyClasses {
        let columns: Vec<Vec<u32>> = columns.iter().map(|column| column.to_vec()).collect();
        let keys = Keys::of_codes(columns.first().map_or(0, Vec::len), &columns);
        KeyClasses::of_keys(keys, missing)
    }

    /// Records (1,1), (1,1), (1,-), (2,1), (-,-). A gap matches every value: the first three match each other, (2,1) itself; the last has
    /// nothing. A gap of its own: pairs 1 and 2 are a class of two, (1,-) and (2,1) are alone.
    #[test]
    fn both_conventions_by_hand() {
        let columns: [&[u32]; 2] = [&[1, 1, 1, 2, 0], &[1, 1, 0, 1, 0]];
        let any = classes(&columns, MissingMatches::Any);
        assert_eq!(any.sizes(), [3, 3, 3, 1, 0]);
        let figures = any.figures(Some(4));
        let values: Vec<_> = figures.iter().map(|figure| figure.value).collect();
        assert_eq!(values, [1.0, 1.0, 1.0, 1.0, 4.0, 4.0].map(Some));
        assert!(figures.iter().all(|figure| figure.counted == 4));
        assert_eq!(
            any.weights(&[1.0, 2.0, 4.0, 8.0, 16.0]),
            [7.0, 7.0, 7.0, 8.0, 0.0]
        );

        // Of the three that match three with gaps, none does without.
        let gaps = any.gap_figures(None);
        let values: Vec<_> = gaps.iter().map(|figure| figure.value).collect();
        assert_eq!(values, [3.0, 2.0, 4.0, 1.0].map(Some));
        let gaps = any.gap_figures(Some(2));
        assert_eq!((gaps[0].value, gaps[2].value), (Some(1.0), Some(2.0)));

        let own = classes(&columns, MissingMatches::Missing);
        assert_eq!(own.sizes(), [2, 2, 1, 1, 0]);
        assert_eq!(
            own.weights(&[1.0, 2.0, 4.0, 8.0, 16.0]),
            [3.0, 3.0, 4.0, 8.0, 0.0]
        );
        let groups: Vec<&[u32]> = own.groups().collect();
        assert_eq!(groups, [&[2][..], &[0, 1], &[3]]);
        assert_eq!(own.histogram(), BTreeMap::from([(1, 2), (2, 2)]));
    }

    #[test]
    fn nothing_to_count_says_why() {
        for columns in [&[&[0, 0][..]][..], &[&[]], &[]] {
            for missing in [MissingMatches::Any, MissingMatches::Missing] {
                let classes = classes(columns, missing);
                assert_eq!(classes.groups().count(), 0);
                let figures = classes.figures(None);
                assert_eq!(value(&figures, "k_anonymity"), None);
                assert!(figures.iter().all(|figure| figure.why_not.is_some()));
            }
        }
    }
}
