//! What users take for granted of an attribute, before and after: its total, its signs, its zeros, its range, its categories.

use serde::{Deserialize, Serialize};

use crate::{
    stats::moments::sum,
    table::pair::{Pair, PairedCategories, PairedNumbers},
};

/// What became of an attribute. All counts are of values that are there; pairs are of the original and the masked file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AttributeIntegrity {
    /// The attribute.
    pub attribute: String,
    /// Values that are there.
    pub values: [usize; 2],
    /// The sum of the values; null for names, dates and places in an order, and where it is beyond the range of numbers.
    pub total: Option<[f64; 2]>,
    /// Values below 0; null for names, dates and places in an order.
    pub negative: Option<[usize; 2]>,
    /// Values that are 0; null for names, dates and places in an order.
    pub zero: Option<[usize; 2]>,
    /// Masked values below the least, and above the greatest one of the original; null for names.
    pub outside: Option<[usize; 2]>,
    /// Masked values of categories that the original does not have; null for numbers.
    pub unknown: Option<usize>,
}

impl AttributeIntegrity {
    /// Whether anything that users take for granted is not as it was; sums may differ by the rounding of numbers.
    pub fn is_kept(&self) -> bool {
        let same = |pair: Option<[usize; 2]>| pair.is_none_or(|[before, after]| before == after);
        let near = |[before, after]: [f64; 2]| {
            (before - after).abs() <= 1e-12 * before.abs().max(after.abs())
        };
        same(Some(self.values))
            && self.total.is_none_or(near)
            && same(self.negative)
            && same(self.zero)
            && self.outside.is_none_or(|outside| outside == [0, 0])
            && self.unknown.is_none_or(|unknown| unknown == 0)
    }
}

/// What became of every attribute, numbers first.
///
/// # Missing
/// What is missing counts nowhere: a total is the sum of the values that are there.
///
/// # Complexity
/// A pass over both files for each attribute.
pub fn integrity(pair: &Pair) -> Vec<AttributeIntegrity> {
    let numbers = &pair.numbers;
    let of_numbers =
        (numbers.names.iter().enumerate()).map(|(place, name)| of_numbers(name, numbers, place));
    let of_names = pair.categories.iter().map(of_names);
    of_numbers.chain(of_names).collect()
}

fn of_numbers(name: &str, numbers: &PairedNumbers, place: usize) -> AttributeIntegrity {
    let files = [&numbers.original, &numbers.masked].map(|file| file.present(place));
    let values = |side: usize| files[side].iter().copied();
    let is_amount = numbers.are_amounts[place];
    let count = |is_one: &dyn Fn(f64) -> bool| {
        [0, 1].map(|side| values(side).filter(|&value| is_one(value)).count())
    };
    let totals = [0, 1].map(|side| sum(values(side)));
    let least = values(0).fold(f64::INFINITY, f64::min);
    let greatest = values(0).fold(f64::NEG_INFINITY, f64::max);
    let [_, below] = count(&|value| value < least);
    let [_, above] = count(&|value| value > greatest);
    AttributeIntegrity {
        attribute: name.into(),
        values: count(&|_| true),
        total: (is_amount && totals.iter().all(|total| total.is_finite())).then_some(totals),
        negative: is_amount.then(|| count(&|value| value < 0.0)),
        zero: is_amount.then(|| count(&|value| value == 0.0)),
        outside: Some([below, above]),
        unknown: None,
    }
}

fn of_names(attribute: &PairedCategories) -> AttributeIntegrity {
    let mut occurs = vec![false; attribute.labels.len()];
    for &code in attribute.original.iter().flatten() {
        occurs[code as usize] = true;
    }
    let masked = attribute.masked.iter().flatten();
    let present = |side: &[Option<u32>]| side.iter().flatten().count();
    AttributeIntegrity {
        attribute: attribute.name.clone(),
        values: [present(&attribute.original), present(&attribute.masked)],
        total: None,
        negative: None,
        zero: None,
        outside: None,
        unknown: Some(masked.filter(|&&code| !occurs[code as usize]).count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ReadOptions, Table};

    /// By hand. pay: 5 + 0 + 7 = 12 before, −1 + 9 + 0 = 8 after, one value missing in both; below the least (0) lies −1, above the
    /// greatest (7) lies 9. town: Hull is not in the original, twice.
    #[test]
    fn by_hand() {
        let read = |csv: &str| {
            Table::read("t.csv", csv.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
        };
        let before = read("pay,town\n5,York\n0,Leeds\n,York\n7,\n");
        let after = read("pay,town\n-1,Hull\n9,Leeds\n,Hull\n0,York\n");
        let ids: Vec<_> = before.ids().map(|id| [id, id]).collect();
        let records: Vec<[u32; 2]> = (0..4).map(|record| [record, record]).collect();
        let found = integrity(&Pair::new([&before, &after], &ids, &records));
        let pay = AttributeIntegrity {
            attribute: "pay".into(),
            values: [3, 3],
            total: Some([12.0, 8.0]),
            negative: Some([0, 1]),
            zero: Some([1, 1]),
            outside: Some([1, 1]),
            unknown: None,
        };
        let town = AttributeIntegrity {
            attribute: "town".into(),
            values: [3, 4],
            total: None,
            negative: None,
            zero: None,
            outside: None,
            unknown: Some(2),
        };
        assert_eq!(found, [pay, town]);
        assert!(found.iter().all(|attribute| !attribute.is_kept()));
        let same = integrity(&Pair::new([&before, &before], &ids, &records));
        assert!(same.iter().all(AttributeIntegrity::is_kept));
    }
}
