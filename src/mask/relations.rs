//! Relations of the original that a masking may break: sums of attributes, signs, zeros.
//!
//! They are looked for in the original, and counted in the masked file. What is found is for the office; it holds numbers of records only.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::sums::{Held, Sum};
use crate::table::{AttrId, Table, Values};

/// Sums are looked for in so many records, evenly spread.
const SAMPLE: usize = 400;

/// So many records at least must have the numbers of a sum: fewer could agree by chance.
const MIN: usize = 8;

/// A sum holds in nearly all records: in all but one of so many.
const ALL_BUT_ONE_OF: usize = 50;

/// Parts of a sum that are tried in all combinations; sums of more parts are found where they hold everywhere.
const MAX_PARTS_TRIED: usize = 4;

/// So many combinations of one number of parts are tried; where there are more, none of that number.
const MAX_COMBINATIONS: u128 = 2_000_000;

/// Relations of the original.
#[derive(Debug)]
pub struct Relations {
    /// Sums, and where they hold.
    pub sums: Vec<(Sum, Held)>,
    /// Masked attributes of numbers.
    columns: Vec<Relation>,
}

/// What is to be compared of an attribute.
#[derive(Debug)]
struct Relation {
    name: String,
    /// Whether no value is below zero.
    never_negative: bool,
    /// A bit a record.
    zero: Vec<u64>,
}

/// What a masking did to relations of the original.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Broken {
    /// Sums that hold in fewer records: in words, where they held and where they hold.
    pub sums: Vec<(String, Held, Held)>,
    /// Attributes that were never negative, and their negative values now.
    pub signs: Vec<(String, usize)>,
    /// Attributes with their zeros that are other numbers now, and other numbers that are zeros now.
    pub zeros: Vec<(String, usize, usize)>,
}

impl Relations {
    /// Of a table, of which the attributes `on` will be masked, and `totals` worked out anew.
    ///
    /// Sums are looked for among all attributes of numbers: one with two to four parts may fail in 2 % of the records, one with more must hold in
    /// all that are looked at. All have a part that was masked, or the total; of sums that follow from others none is named.
    /// Attributes that are hardly ever other than zero are no parts.
    ///
    /// # Complexity
    /// A few hundred records for each set of attributes; all records for sums that are found.
    pub fn of(table: &Table, on: &[AttrId], totals: &[AttrId]) -> Self {
        let changing: Vec<AttrId> = on.iter().chain(totals).copied().collect();
        let found = sums_among(table, &changing);
        let columns = changing
            .par_iter()
            .filter_map(|&id| Relation::of(table, id))
            .collect();
        let sums = found.into_par_iter().map(|sum| {
            let held = sum.held(table);
            (sum, held)
        });
        let holds = |(_, held): &(Sum, Held)| {
            held.of >= MIN && (held.of - held.holds) * ALL_BUT_ONE_OF <= held.of
        };
        Self {
            sums: sums.filter(holds).collect(),
            columns,
        }
    }

    /// What is no longer so in the masked table, whose records stand in the same order; attributes may have been dropped from it.
    pub fn broken_in(&self, original: &Table, masked: &Table) -> Broken {
        let mut broken = Broken::default();
        for (sum, before) in &self.sums {
            let id = |id: AttrId| masked.find(&original.attribute(id).name).ok();
            let (Some(total), Some(parts)) = (
                id(sum.total),
                sum.parts
                    .iter()
                    .map(|&part| id(part))
                    .collect::<Option<Vec<_>>>(),
            ) else {
                continue;
            };
            let now = Sum { total, parts }.held(masked);
            // Who misses a value says nothing of the sum.
            if now.holds * before.of < before.holds * now.of || now.of == 0 && before.of > 0 {
                broken.sums.push((sum.in_words(original), *before, now));
            }
        }
        let counted = self.columns.par_iter().filter_map(|column| {
            let id = masked.find(&column.name).ok()?;
            let values = masked.numbers_once(id)?;
            let values = Values::new(&values, masked.missing(id));
            let bits = |word: u64| word.count_ones() as usize;
            let negative = values.words(|value| value < 0.0).map(bits).sum();
            let (mut gone, mut come) = (0, 0);
            let others = values.words(|value| value != 0.0);
            for ((was_zero, zero), other) in column.zero.iter().zip(zeros(values)).zip(others) {
                gone += bits(was_zero & other);
                come += bits(!was_zero & zero);
            }
            Some((column, negative, gone, come))
        });
        let counted: Vec<(&Relation, usize, usize, usize)> = counted.collect();
        for (column, negative, gone, come) in counted {
            if column.never_negative && negative > 0 {
                broken.signs.push((column.name.clone(), negative));
            }
            if gone + come > 0 {
                broken.zeros.push((column.name.clone(), gone, come));
            }
        }
        broken
    }
}

impl Relation {
    fn of(table: &Table, id: AttrId) -> Option<Self> {
        // Places in an order and days have no zero and no sums.
        let values = table.values(id).filter(|_| table.has_numerals(id))?;
        Some(Self {
            name: table.attribute(id).name.clone(),
            never_negative: values.words(|value| value < 0.0).all(|word| word == 0),
            zero: zeros(values).collect(),
        })
    }
}

/// A bit a record that is there and zero.
fn zeros(values: Values<'_>) -> impl Iterator<Item = u64> {
    values.words(|value| value == 0.0)
}

/// The numbers of a part of the records, in units of a common decimal.
struct Sampled {
    ids: Vec<AttrId>,
    /// One list an attribute; `None` where it is missing.
    units: Vec<Vec<Option<i128>>>,
}

impl Sampled {
    fn of(table: &Table) -> Self {
        let n = table.n_records();
        let size = n.min(SAMPLE);
        let records: Vec<usize> = (0..size).map(|i| i * n / size.max(1)).collect();
        let numeric = |id: &AttrId| table.has_numbers(*id) && table.has_numerals(*id);
        let ids: Vec<AttrId> = table.ids().filter(numeric).collect();
        let decimals = |&id: &AttrId| table.decimals_needed(id, records.clone());
        let decimals = ids.iter().map(decimals).max().unwrap_or(0);
        let column = |&id: &AttrId| -> Vec<Option<i128>> {
            let cells = records.iter();
            cells
                .map(|&record| table.in_units(record, id, decimals))
                .collect()
        };
        let units: Vec<Vec<Option<i128>>> = ids.iter().map(column).collect();
        // An attribute that is zero in nearly all records is a part of every sum; a constant is a part of none.
        let varies = |column: &Vec<Option<i128>>| {
            let others = column.iter().flatten().filter(|&&units| units != 0).count();
            let first = column.iter().flatten().next();
            others * 20 >= column.len().max(1)
                && column.iter().flatten().any(|other| Some(other) != first)
        };
        let (ids, units) = ids
            .into_iter()
            .zip(units)
            .filter(|(_, column)| varies(column))
            .unzip();
        Self { ids, units }
    }

    /// Whether the total is the sum of the parts in nearly all records looked at that have them, and no part could be left out.
    fn holds(&self, total: usize, parts: &[usize]) -> bool {
        let (mut of, mut fails) = (0, 0);
        let most = self.units[total].len() / ALL_BUT_ONE_OF;
        for (record, &wanted) in self.units[total].iter().enumerate() {
            let sum = parts.iter().try_fold(0_i128, |sum, &part| {
                sum.checked_add(self.units[part][record]?)
            });
            let (Some(wanted), Some(sum)) = (wanted, sum) else {
                continue;
            };
            of += 1;
            fails += usize::from(wanted != sum);
            if fails > most {
                return false;
            }
        }
        of >= MIN && fails * ALL_BUT_ONE_OF <= of
    }
}

/// The sums that hold among the records looked at, with a part or total in `changing`.
fn sums_among(table: &Table, changing: &[AttrId]) -> Vec<Sum> {
    let sampled = Sampled::of(table);
    let width = sampled.ids.len();
    let mut span = Span::new(width);
    let mut found = Vec::new();
    let mut keep = |total: usize, parts: Vec<usize>| {
        let mut relation = vec![0; width];
        relation[total] = 1;
        for &part in &parts {
            relation[part] = -1;
        }
        if !span.adds(&relation) {
            return;
        }
        let sum = Sum {
            total: sampled.ids[total],
            parts: parts.iter().map(|&part| sampled.ids[part]).collect(),
        };
        if sum
            .parts
            .iter()
            .chain([&sum.total])
            .any(|id| changing.contains(id))
        {
            found.push(sum);
        }
    };
    for size in 2..=MAX_PARTS_TRIED {
        if width <= size || combinations(width - 1, size) * width as u128 > MAX_COMBINATIONS {
            continue;
        }
        let holding: Vec<Vec<Vec<usize>>> = (0..width)
            .into_par_iter()
            .map(|total| {
                let mut holding = Vec::new();
                for_each_set(width, size, |parts| {
                    if !parts.contains(&total) && sampled.holds(total, parts) {
                        holding.push(parts.to_vec());
                    }
                });
                holding
            })
            .collect();
        for (total, sets) in holding.into_iter().enumerate() {
            for parts in sets {
                keep(total, parts);
            }
        }
    }
    for relation in everywhere(&sampled) {
        let of_sign =
            |sign: i8| -> Vec<usize> { (0..width).filter(|&k| relation[k] == sign).collect() };
        let (plus, minus) = (of_sign(1), of_sign(-1));
        match (plus.len(), minus.len()) {
            (1, 2..) if sampled.holds(plus[0], &minus) => keep(plus[0], minus),
            (2.., 1) if sampled.holds(minus[0], &plus) => keep(minus[0], plus),
            _ => {}
        }
    }
    found
}

fn combinations(n: usize, k: usize) -> u128 {
    (0..k.min(n) as u128).fold(1, |product, i| {
        product.saturating_mul(n as u128 - i) / (i + 1)
    })
}

/// Calls for every set of `size` of the numbers `0..n`, each ascending.
fn for_each_set(n: usize, size: usize, mut call: impl FnMut(&[usize])) {
    let mut set: Vec<usize> = (0..size).collect();
    loop {
        call(&set);
        let Some(movable) = (0..size).rev().find(|&i| set[i] < n - size + i) else {
            return;
        };
        set[movable] += 1;
        for i in movable + 1..size {
            set[i] = set[i - 1] + 1;
        }
    }
}

/// A prime: arithmetic by its residues is exact, and a relation of whole numbers is one of residues.
const PRIME: i128 = (1 << 61) - 1;

fn inverse(of: i128) -> i128 {
    // Fermat: a^(p-2).
    let (mut base, mut exponent, mut result) = (of.rem_euclid(PRIME), PRIME - 2, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        exponent >>= 1;
    }
    result
}

/// Linear relations with coefficients 1, 0 and -1 that hold in all records that have every attribute: one for each attribute that depends on those before it,
/// where it has such coefficients.
fn everywhere(sampled: &Sampled) -> Vec<Vec<i8>> {
    let width = sampled.ids.len();
    let records = sampled.units.first().map_or(0, Vec::len);
    let rows: Vec<Vec<i128>> = (0..records)
        .filter_map(|record| sampled.units.iter().map(|column| column[record]).collect())
        .collect();
    if rows.len() < width + MIN {
        return Vec::new();
    }
    // Reduced row echelon form.
    let mut reduced: Vec<(usize, Vec<i128>)> = Vec::new();
    for mut row in rows {
        for cell in &mut row {
            *cell = cell.rem_euclid(PRIME);
        }
        for (pivot, other) in &reduced {
            subtract(&mut row, other, *pivot);
        }
        let Some(pivot) = row.iter().position(|&cell| cell != 0) else {
            continue;
        };
        let scale = inverse(row[pivot]);
        for cell in &mut row {
            *cell = *cell * scale % PRIME;
        }
        for (_, other) in &mut reduced {
            subtract(other, &row, pivot);
        }
        reduced.push((pivot, row));
        if reduced.len() == width {
            return Vec::new();
        }
    }
    let pivots: BTreeSet<usize> = reduced.iter().map(|&(pivot, _)| pivot).collect();
    let relation = |free: usize| -> Option<Vec<i8>> {
        let mut relation = vec![0; width];
        relation[free] = 1;
        for (pivot, row) in &reduced {
            relation[*pivot] = match row[free] {
                0 => 0,
                1 => -1,
                other if other == PRIME - 1 => 1,
                _ => return None,
            };
        }
        Some(relation)
    };
    (0..width)
        .filter(|k| !pivots.contains(k))
        .filter_map(relation)
        .collect()
}

/// Subtracts the multiple of `other`, whose cell at `pivot` is 1, that clears the cell there.
fn subtract(row: &mut [i128], other: &[i128], pivot: usize) {
    let factor = row[pivot];
    if factor != 0 {
        for (cell, &theirs) in row.iter_mut().zip(other) {
            *cell = (*cell - factor * theirs % PRIME).rem_euclid(PRIME);
        }
    }
}

/// The linear relations that follow from those found.
struct Span {
    width: usize,
    rows: Vec<(usize, Vec<i128>)>,
}

impl Span {
    fn new(width: usize) -> Self {
        Self {
            width,
            rows: Vec::new(),
        }
    }

    /// Takes a relation in, unless it follows from those taken in before.
    fn adds(&mut self, relation: &[i128]) -> bool {
        debug_assert_eq!(relation.len(), self.width);
        let mut row: Vec<i128> = relation.iter().map(|cell| cell.rem_euclid(PRIME)).collect();
        for (pivot, other) in &self.rows {
            subtract(&mut row, other, *pivot);
        }
        let Some(pivot) = row.iter().position(|&cell| cell != 0) else {
            return false;
        };
        let scale = inverse(row[pivot]);
        for cell in &mut row {
            *cell = *cell * scale % PRIME;
        }
        self.rows.push((pivot, row));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    fn table(text: &str) -> Table {
        Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    fn found(table: &Table) -> Vec<String> {
        let on: Vec<AttrId> = table.ids().collect();
        let relations = Relations::of(table, &on, &[]);
        relations
            .sums
            .iter()
            .map(|(sum, _)| sum.in_words(table))
            .collect()
    }

    /// Cents, in a file of decimal commas: a = b + c, and e = a + d, of which e = b + c + d follows.
    fn people(wrong: usize) -> Table {
        let mut text = String::from("a;b;c;d;e;f\n");
        let comma = |cents: usize| format!("{},{:02}", cents / 100, cents % 100);
        for i in 0..100_usize {
            let (b, c, d) = (i * i * 31 % 1009 + 10, i * 17 % 223 + 20, i * 7 % 31 + 1);
            let a = b + c + usize::from(i < wrong);
            text += &format!(
                "{};{};{};{};{};{}\n",
                comma(a),
                comma(b),
                comma(c),
                comma(d),
                comma(a + d),
                comma(i * 97 % 501)
            );
        }
        table(&text)
    }

    #[test]
    fn sums_are_found_by_their_decimals() {
        assert_eq!(found(&people(0)), ["a = b + c", "e = a + d"]);
        assert_eq!(found(&people(2)), ["a = b + c", "e = a + d"], "nearly all");
        assert_eq!(found(&people(3)), ["e = a + d"], "3 % fail");
    }

    /// Seven parts: more than are tried one by one.
    #[test]
    fn long_sums_are_found_where_they_hold_everywhere() {
        let mut text = String::from("total,a,b,c,d,e,f,g\n");
        for i in 0..60_u64 {
            let parts: Vec<u64> = (1..8)
                .map(|k| (i + 3) * (i + k * k) * 7919 % (1009 + k))
                .collect();
            let words: Vec<String> = parts.iter().map(u64::to_string).collect();
            text += &format!("{},{}\n", parts.iter().sum::<u64>(), words.join(","));
        }
        assert_eq!(found(&table(&text)), ["total = a + b + c + d + e + f + g"]);
    }

    #[test]
    fn what_is_hardly_ever_there_is_no_part() {
        // b is a in all records; c is zero but for one.
        let mut text = String::from("a,b,c\n");
        for i in 0..60 {
            text += &format!("{},{},{}\n", i * 7 % 61, i * 7 % 61, i32::from(i == 59));
        }
        assert_eq!(found(&table(&text)), [""; 0]);
    }

    #[test]
    fn what_was_broken_is_counted() {
        let mut text = String::from("t,a,b\n");
        for i in 0..20 {
            text += &format!("{},{},{}\n", i + i % 3, i, i % 3);
        }
        let original = table(&text);
        let on: Vec<AttrId> = original.ids().collect();
        let relations = Relations::of(&original, &on, &[]);
        let a = original.find("a").unwrap();
        let mut values: Vec<f64> = (0..20).map(f64::from).collect();
        // One zero becomes -1, and a 7 becomes zero.
        (values[0], values[7]) = (-1.0, 0.0);
        let masked = original.clone().with_numbers(a, values);
        let held = |holds| Held { holds, of: 20 };
        assert_eq!(
            relations.broken_in(&original, &masked),
            Broken {
                sums: vec![("t = a + b".into(), held(20), held(18))],
                signs: vec![("a".into(), 1)],
                zeros: vec![("a".into(), 1, 1)],
            }
        );
        let same = relations.broken_in(&original, &original);
        assert_eq!(same, Broken::default());
    }
}
