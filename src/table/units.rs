//! Numbers as whole units of their last decimal: sums that are exact, as the file writes them.
//!
//! 1,10 + 2,20 is 3,30 in a file, but 3.3000000000000003 in binary. In units of a hundredth it is 110 + 220 = 330.

use rayon::prelude::*;

use super::cell::content;
use super::number::{self, rounded};
use super::spelling::Decimal;
use super::{AttrId, Table};
use crate::error::{Error, Result};

/// Below this many units a number has at most 15 digits, and the nearest `f64` stands for no other number of 15 digits.
const DIGITS_OF_F64: f64 = 1e15;

/// More decimals than this are looked for in the text of a cell only.
const EASY_DECIMALS: usize = 6;

/// More than this would not leave room for sums in 128 bits.
const MAX_DIGITS: usize = 36;

impl Table {
    /// The decimals that the number in this cell needs; 0 where there is none.
    fn decimals_of_cell(&self, record: usize, id: AttrId) -> usize {
        let Some(values) = self.values(id).filter(|of| !of.missing.contains(record)) else {
            return 0;
        };
        let value = values.of(record);
        let easy = |&decimals: &usize| {
            value.abs() * number::power(decimals) < DIGITS_OF_F64
                && rounded(value, decimals).total_cmp(&value).is_eq()
        };
        (0..=EASY_DECIMALS)
            .find(easy)
            .unwrap_or_else(|| self.decimal(record, id).decimals())
    }

    /// The most decimals that a number of this attribute needs, among these records.
    ///
    /// # Complexity
    /// Reads each of the cells once, in parallel.
    pub fn decimals_needed(
        &self,
        id: AttrId,
        records: impl IntoParallelIterator<Item = usize>,
    ) -> usize {
        let needed = records
            .into_par_iter()
            .map(|record| self.decimals_of_cell(record, id));
        needed.max().unwrap_or(0)
    }

    /// The number in this cell in units of 10^-`decimals`, exactly: from the digits of its text where it has more than 15. `None`
    /// where it is missing, needs more decimals, or has more than 36 digits in these units.
    pub fn in_units(&self, record: usize, id: AttrId, decimals: usize) -> Option<i128> {
        let values = self.values(id).filter(|of| !of.missing.contains(record))?;
        let value = values.of(record);
        let units = value * number::power(decimals);
        if units.abs() < DIGITS_OF_F64 && rounded(value, decimals).total_cmp(&value).is_eq() {
            #[expect(clippy::cast_possible_truncation, reason = "of at most 15 digits")]
            return Some(units.round() as i128);
        }
        self.decimal(record, id).in_units(decimals)
    }

    /// The number of this cell as it is written.
    fn decimal(&self, record: usize, id: AttrId) -> Decimal {
        let raw = self.raw(record, id);
        Decimal::of(content(&raw), &self.file.syntax)
    }

    /// The table with these numbers, in units of 10^-`decimals`, in the cells of this attribute, written to the last digit; who
    /// has `None` misses it from now on.
    ///
    /// # Missing
    /// A cell that was missing stays so.
    ///
    /// # Errors
    /// Input, when a number stands for a missing value in this attribute, or nothing does where a cell becomes missing.
    ///
    /// # Panics
    /// If the attribute is nominal, or there is not one number a record.
    pub fn with_units(self, id: AttrId, units: &[Option<i128>], decimals: usize) -> Result<Self> {
        let n_records = self.n_records();
        assert_eq!(units.len(), n_records, "one number a record");
        let gone: Vec<u32> = (0..)
            .zip(units)
            .filter(|(_, units)| units.is_none())
            .map(|(record, _)| record)
            .collect();
        let table = if gone.is_empty() {
            self
        } else {
            self.with_missing(id, &gone)?
        };
        #[expect(
            clippy::cast_precision_loss,
            reason = "compared with a bound, or of at most 15 digits"
        )]
        let number = |units: Option<i128>| units.unwrap_or(0) as f64;
        let present = |record: &usize| !table.is_missing(*record, id);
        let values: Vec<f64> = units
            .par_iter()
            .map(|&units| number(units) / number::power(decimals))
            .collect();
        let clash = (0..n_records)
            .filter(present)
            .any(|record| table.missing_codes(id).contains(&values[record]));
        if clash {
            return Err(Error::input(
                "a number that was worked out for it is a code for missing values, and would be read back as one",
            )
            .on_attribute(&table.attribute(id).name)
            .remedy("State another code for missing values (--na, or a roles file)"));
        }
        let short = units
            .par_iter()
            .all(|&units| number(units).abs() < DIGITS_OF_F64);
        if short && decimals <= number::EXACT_POWERS {
            return Ok(table.with_numbers(id, values));
        }
        let texts: Vec<String> = units
            .par_iter()
            .map(|&units| written(units.unwrap_or(0), decimals, table.dialect().decimal_mark))
            .collect();
        let codes = (0..).take(n_records).collect();
        table.with_texts(id, codes, &texts)
    }
}

impl Decimal {
    /// In units of 10^-`decimals`, if it is a whole number of these with at most 36 digits.
    pub(super) fn in_units(&self, decimals: usize) -> Option<i128> {
        let zeros =
            self.point() - i64::try_from(self.n_digits()).ok()? + i64::try_from(decimals).ok()?;
        let zeros = usize::try_from(zeros).ok()?;
        if self.is_zero() {
            return Some(0);
        }
        if self.n_digits() + zeros > MAX_DIGITS {
            return None;
        }
        let digits = self
            .digits()
            .iter()
            .chain(std::iter::repeat_n(&b'0', zeros));
        let size = digits.fold(0_i128, |size, digit| 10 * size + i128::from(digit - b'0'));
        Some(if self.is_negative() { -size } else { size })
    }
}

/// A number of units, with so many decimals and this mark.
fn written(units: i128, decimals: usize, mark: char) -> String {
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    let sign = if units < 0 { "-" } else { "" };
    if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}{mark}{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    fn table(text: &str) -> Table {
        Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn units_by_hand() {
        let table = table("a;b\n1,10;x\n-0,05;y\n;z\n3;x\n1.000,5;y\n");
        let id = table.find("a").unwrap();
        assert_eq!(table.decimals_needed(id, 0..5), 2);
        let units: Vec<Option<i128>> = (0..5).map(|r| table.in_units(r, id, 2)).collect();
        assert_eq!(units, [Some(110), Some(-5), None, Some(300), Some(100_050)]);
        assert_eq!(table.in_units(1, id, 1), None, "it needs two decimals");
    }

    /// Beyond 2^53, where neighbours share an `f64`, and beyond 15 digits after the mark.
    #[test]
    fn long_numbers_are_read_from_their_digits() {
        let table = table("a,b\n9007199254740993,0.12345678901234567\n1,1e-20\n");
        let (a, b) = (table.find("a").unwrap(), table.find("b").unwrap());
        assert_eq!(table.in_units(0, a, 0), Some(9_007_199_254_740_993));
        assert_eq!(table.in_units(0, b, 17), Some(12_345_678_901_234_567));
        assert_eq!(table.decimals_needed(b, 0..2), 20);
        assert_eq!(table.in_units(1, b, 20), Some(1));
    }

    #[test]
    fn what_is_written_reads_back_to_the_last_digit() {
        for (units, decimals) in [
            (330, 2),
            (-5, 2),
            (0, 2),
            (9_007_199_254_740_993, 0),
            (-12_345_678_901_234_567, 17),
            (10_i128.pow(30) + 1, 4),
        ] {
            let original = table("a,b\n0.25,7\n,8\n1.5,9\n");
            let id = original.find("a").unwrap();
            let (spelled, _) = original.in_one_spelling(&[id]);
            let new = spelled.with_units(id, &[Some(units); 3], decimals).unwrap();
            assert_eq!(new.in_units(0, id, decimals), Some(units), "{units}");
            assert!(new.is_missing(1, id));
            let mut bytes = Vec::new();
            new.write(&mut bytes).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            let line = text.lines().nth(1).unwrap();
            let back = table(&format!("a,b\n{line}\n"));
            assert_eq!(back.in_units(0, id, decimals), Some(units), "{line}");
        }
    }

    #[test]
    fn a_number_that_means_missing_is_refused_without_its_value() {
        let options = ReadOptions {
            na: Some(vec![String::new(), "99".into()]),
            ..ReadOptions::default()
        };
        let table = Table::read("t.csv", b"a,b\n1,2\n3,4\n".to_vec(), &options).unwrap();
        let id = table.find("a").unwrap();
        let error = table
            .with_units(id, &[Some(99), Some(1)], 0)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("code for missing values") && !error.contains("99"),
            "{error}"
        );
    }
}
