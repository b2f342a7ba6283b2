//! A step before a masking: which attributes of a record are zero changes places between records, as a whole.

use std::collections::BTreeMap;

use rand::RngExt;
use rayon::prelude::*;

use crate::{
    error::Result,
    mask::{draws::Draws, new_numbers::present, rank_swap::Reach},
    statement::MovedZeros,
    table::{AttrId, Table},
};

/// What the step did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZerosMoved {
    /// What may be published of it.
    pub published: MovedZeros,
    /// Records whose zeros are others now than before.
    pub records: usize,
}

/// Of these attributes, those with numbers of which some but not all are zero.
pub fn with_zeros(table: &Table, on: &[AttrId]) -> Vec<AttrId> {
    let mixed = |id: &AttrId| {
        table.numbers(*id).is_some_and(|numbers| {
            let mut values = present(numbers).map(|(_, value)| value == 0.0);
            let first = values.next();
            values.any(|zero| Some(zero) != first)
        })
    };
    on.iter().copied().filter(mixed).collect()
}

/// The table in which zero patterns have moved, as [`MovedZeros`] has it; `None` beside it where no attribute has zeros.
///
/// Each attribute keeps its values (a permutation of its cells), and every pattern as many records as it had. Who is zero
/// in an attribute before and after, or neither before nor after, keeps the cell.
///
/// # Units
/// `percent` of the records of the file is the window, rounded down, at least 1.
///
/// # Missing
/// Gaps stay. Records that miss different attributes of those with zeros have orders of their own.
///
/// # Randomness
/// For each record a number that breaks ties of size, and a uniform number by which it moves: in file order, or of each person
/// under a secret.
///
/// # Errors
/// Usage, unless 0 < percent ≤ 100.
///
/// # Complexity
/// O(n log n) an attribute.
pub(super) fn moved(
    table: Table,
    on: &[AttrId],
    percent: f64,
    draws: &Draws<'_>,
) -> Result<(Table, Option<ZerosMoved>)> {
    let reach = Reach::percent(percent)?;
    let n = table.n_records();
    let zeros = with_zeros(&table, on);
    if zeros.is_empty() || n < 2 {
        return Ok((table, None));
    }
    let window = reach.window(n).clamp(1, n - 1);
    // No attribute can be called so: names hold no control characters.
    let ties: Vec<u64> = draws.all("zeros\0ties", n, |rng| rng.random());
    let shifts: Vec<f64> = draws.all("zeros\0shifts", n, |rng| rng.random());
    let order = by_size(&table, on, &classes(&table, &zeros), &ties);
    let source = jittered(&order, window, &shifts);
    let mut changed = vec![false; n];
    let mut published = MovedZeros {
        attributes: table.names(&zeros),
        window,
    };
    let mut table = table;
    for id in zeros {
        let donors = donors(&table, id, &order, &source, &mut changed);
        table = table.with_donors(id, donors);
    }
    published.attributes.sort_unstable();
    let records = changed.iter().filter(|&&changed| changed).count();
    Ok((table, Some(ZerosMoved { published, records })))
}

/// For each record a number that says which of these attributes it misses.
fn classes(table: &Table, zeros: &[AttrId]) -> Vec<u32> {
    let mut classes = vec![0_u32; table.n_records()];
    for &id in zeros.iter().filter(|&&id| !table.missing(id).is_empty()) {
        let mut names: BTreeMap<(u32, bool), u32> = BTreeMap::new();
        for (record, class) in classes.iter_mut().enumerate() {
            let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
            *class = *names
                .entry((*class, table.is_missing(record, id)))
                .or_insert(next);
        }
    }
    classes
}

/// The records by class, then by size, ties by these numbers.
fn by_size(table: &Table, on: &[AttrId], classes: &[u32], ties: &[u64]) -> Vec<(u32, u32)> {
    let n = classes.len();
    let shares: Vec<Vec<f64>> = on.par_iter().map(|&id| rank_shares(table, id)).collect();
    let mut keyed: Vec<(u32, f64, u64, u32)> = (0..)
        .zip(classes)
        .map(|(record, &class)| {
            let own = shares.iter().map(|shares| shares[record as usize]);
            let (sum, count) = own
                .filter(|share| !share.is_nan())
                .fold((0.0, 0_u32), |(sum, count), share| (sum + share, count + 1));
            let size = if count == 0 {
                0.0
            } else {
                sum / f64::from(count)
            };
            (class, size, ties[record as usize], record)
        })
        .collect();
    debug_assert_eq!(keyed.len(), n);
    keyed.sort_unstable_by(|a, b| {
        (a.0.cmp(&b.0))
            .then(a.1.total_cmp(&b.1))
            .then(a.2.cmp(&b.2))
            .then(a.3.cmp(&b.3))
    });
    keyed
        .into_iter()
        .map(|(class, _, _, record)| (class, record))
        .collect()
}

/// For each record the middle rank of its value as a share of the values; NaN where it is missing.
fn rank_shares(table: &Table, id: AttrId) -> Vec<f64> {
    let mut shares = vec![f64::NAN; table.n_records()];
    let Some(numbers) = table.numbers(id) else {
        return shares;
    };
    let mut order: Vec<(f64, usize)> = present(numbers)
        .map(|(record, value)| (value, record))
        .collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let values = order.len() as f64;
    let mut before = 0;
    for ties in order.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let middle = before as f64 + 0.5 * ties.len() as f64;
        for &(_, record) in ties {
            shares[record] = middle / values;
        }
        before += ties.len();
    }
    shares
}

/// For each place of the order the record whose pattern comes there: of the same class, at most `window` places away. `shifts` are
/// shares of the window, one a record.
fn jittered(order: &[(u32, u32)], window: usize, shifts: &[f64]) -> Vec<u32> {
    let mut source = Vec::with_capacity(order.len());
    for class in order.chunk_by(|a, b| a.0 == b.0) {
        let mut keyed: Vec<(f64, usize, u32)> = class
            .iter()
            .enumerate()
            .map(|(place, &(_, record))| {
                let shift = shifts[record as usize] * (window + 1) as f64;
                (place as f64 + shift, place, record)
            })
            .collect();
        keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        source.extend(keyed.into_iter().map(|(_, _, record)| record));
    }
    source
}

/// Whose cell of an attribute each record gets.
fn donors(
    table: &Table,
    id: AttrId,
    order: &[(u32, u32)],
    source: &[u32],
    changed: &mut [bool],
) -> Vec<u32> {
    let n = u32::try_from(order.len()).unwrap_or(u32::MAX);
    let mut donors: Vec<u32> = (0..n).collect();
    let Some(numbers) = table.numbers(id) else {
        return donors;
    };
    let is_zero = |record: u32| {
        !numbers.missing.contains(record as usize) && numbers.values[record as usize] == 0.0
    };
    let (mut becoming, mut ceasing) = (Vec::new(), Vec::new());
    for (&(_, record), &from) in order.iter().zip(source) {
        match (is_zero(record), is_zero(from)) {
            (false, true) => becoming.push(record),
            (true, false) => ceasing.push(record),
            _ => {}
        }
    }
    // Patterns are permuted within a class, so in each class as many become zero as cease to be.
    for (&one, &other) in becoming.iter().zip(&ceasing) {
        donors.swap(one as usize, other as usize);
        changed[one as usize] = true;
        changed[other as usize] = true;
    }
    donors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        rng::{Purpose, Seed, Streams},
        table::ReadOptions,
    };

    fn table(text: &str) -> Table {
        Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    fn streams(seed: u64) -> Streams {
        Seed::from_number(seed).streams(Purpose::Mask, 0)
    }

    /// Two hundred records of two amounts with joint zeros, some gaps.
    fn people() -> Table {
        let mut text = String::from("a,b,c\n");
        for i in 0..200_usize {
            let a = if i % 3 == 0 { 0 } else { 10 + i };
            let b = match i % 7 {
                0 => String::new(),
                1 | 3 => "0".into(),
                _ => (1000 + i * 37 % 211).to_string(),
            };
            text += &format!("{a},{b},{}\n", 5 + i * 13 % 17);
        }
        table(&text)
    }

    fn patterns(table: &Table, record: usize) -> Vec<Option<bool>> {
        let cell = |id: AttrId| {
            let numbers = table.numbers(id).unwrap();
            (!numbers.missing.contains(record)).then(|| numbers.values[record] == 0.0)
        };
        table.ids().map(cell).collect()
    }

    fn counted(table: &Table) -> BTreeMap<Vec<Option<bool>>, usize> {
        let mut counts = BTreeMap::new();
        for record in 0..table.n_records() {
            *counts.entry(patterns(table, record)).or_default() += 1;
        }
        counts
    }

    #[test]
    fn each_pattern_keeps_its_number_of_records_and_each_attribute_its_values() {
        let original = people();
        let on: Vec<AttrId> = original.ids().collect();
        for (seed, percent) in [(1, 1.0), (2, 5.0), (3, 100.0)] {
            let (new, step) = moved(
                original.clone(),
                &on,
                percent,
                &Draws::Seeded(&streams(seed)),
            )
            .unwrap();
            let step = step.unwrap();
            assert_eq!(counted(&new), counted(&original));
            let differ = (0..200).filter(|&r| patterns(&new, r) != patterns(&original, r));
            assert_eq!(differ.count(), step.records);
            assert!(step.records > 0);
            assert_eq!(step.published.attributes, ["a", "b"], "c has no zeros");
            for id in original.ids() {
                let sorted = |table: &Table| {
                    let mut values: Vec<f64> = present(table.numbers(id).unwrap())
                        .map(|(_, v)| v)
                        .collect();
                    values.sort_by(f64::total_cmp);
                    values
                };
                assert_eq!(sorted(&new), sorted(&original));
                let (old, now) = (original.numbers(id).unwrap(), new.numbers(id).unwrap());
                for (record, value) in present(old) {
                    let stays = (value == 0.0) == (now.values[record] == 0.0);
                    assert!(
                        !stays || now.values[record].total_cmp(&value).is_eq(),
                        "{record}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_pattern_moves_by_more_than_the_window() {
        let order: Vec<(u32, u32)> = (0..500)
            .map(|record| (u32::from(record >= 300), record))
            .collect();
        for window in [1, 7, 60] {
            let mut rng = streams(4).at(window as u64);
            let shifts: Vec<f64> = (0..500).map(|_| rng.random()).collect();
            let source = jittered(&order, window, &shifts);
            let farthest = (0..500_i64)
                .zip(&source)
                .map(|(place, &record)| (place - i64::from(record)).unsigned_abs())
                .max()
                .unwrap();
            assert!(
                0 < farthest && farthest <= window as u64,
                "{window}: {farthest}"
            );
            assert!(
                source[..300].iter().all(|&record| record < 300),
                "classes stay apart"
            );
        }
    }

    #[test]
    fn without_zeros_nothing_moves() {
        let original = table("a,b\n1,0\n2,0\n3,0\n");
        let on: Vec<AttrId> = original.ids().collect();
        let (new, step) = moved(original.clone(), &on, 50.0, &Draws::Seeded(&streams(1))).unwrap();
        assert_eq!(step, None, "a has no zeros, b nothing else");
        assert_eq!(new.numbers(on[0]).unwrap().values, [1.0, 2.0, 3.0]);
    }
}
