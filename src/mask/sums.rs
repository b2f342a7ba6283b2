//! Sums of attributes: whether a total is the sum of its parts, and how it becomes so again.
//!
//! All of it is counted in whole units of the last decimal ([`Table::in_units`]): 1,10 + 2,20 is 3,30.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::Effect;
use crate::{
    error::{Error, Result},
    table::{AttrId, Scale, Table},
};

/// A total and its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// The attribute that is the sum of the others.
    pub total: AttrId,
    /// Its parts: two or more, all different, none the total. One is enough for a total that was written twice.
    pub parts: Vec<AttrId>,
}

/// In how many records a sum holds, of those that have the total and all its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Records in which the total is the sum of its parts, to the last decimal.
    pub holds: usize,
    /// Records that have all of them.
    pub of: usize,
}

/// Which totals are missing in the end, beside those of which a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gaps {
    /// Those that were missing.
    Stay,
    /// None: the parts' gaps are others' now, and those of the total would reveal whose they were.
    OfParts,
}

impl Sum {
    /// Reads `total=a+b`. A name may hold `=` and `+`: the text is cut where names result.
    ///
    /// # Errors
    /// Usage, when it is no such text, names no attribute or one without numbers, or one twice.
    pub fn parse(table: &Table, text: &str) -> Result<Self> {
        let number = |name: &str| -> Result<AttrId> {
            let id = table.find(name.trim())?;
            match table.attribute(id).scale {
                Scale::Nominal => Err(Error::names_not_numbers(
                    name.trim(),
                    "--keep-sums adds numbers",
                )
                .remedy("Leave it out of the sum, or declare its scale in a roles file (--roles)")),
                _ => Ok(id),
            }
        };
        let cuts = text.match_indices('=').map(|(at, _)| at);
        let cut = cuts
            .clone()
            .find(|&at| {
                table.find(text[..at].trim()).is_ok() && parts_of(table, &text[at + 1..]).is_some()
            })
            .or_else(|| cuts.clone().next())
            .ok_or_else(|| {
                Error::usage(format!("--keep-sums {text:?} is not a sum"))
                    .remedy("Write it as 'total=a+b', with the names of attributes")
            })?;
        let total = number(&text[..cut])?;
        let right = &text[cut + 1..];
        let names =
            parts_of(table, right).unwrap_or_else(|| right.split('+').map(str::trim).collect());
        let parts: Vec<AttrId> = names.into_iter().map(number).collect::<Result<_>>()?;
        let mut seen = BTreeSet::from([total]);
        if let Some(twice) = parts.iter().find(|&&part| !seen.insert(part)) {
            return Err(Error::usage("is in one sum twice")
                .named_twice(&table.attribute(*twice).name)
                .remedy("Name each part of --keep-sums once, and the total on the left only"));
        }
        Ok(Self { total, parts })
    }

    /// The sums in an order in which each total comes after the totals that are parts of it.
    ///
    /// # Errors
    /// Usage, when an attribute is the total of two sums, or totals are parts of each other.
    pub fn in_order(table: &Table, sums: Vec<Self>) -> Result<Vec<Self>> {
        let mut totals = BTreeSet::new();
        for sum in &sums {
            if !totals.insert(sum.total) {
                return Err(Error::usage("is the total of two --keep-sums")
                    .named_twice(&table.attribute(sum.total).name)
                    .remedy("Give one of them"));
            }
        }
        let (mut rest, mut ordered) = (sums, Vec::new());
        while !rest.is_empty() {
            let open: BTreeSet<AttrId> = rest.iter().map(|sum| sum.total).collect();
            let (ready, later): (Vec<Self>, Vec<Self>) = rest
                .into_iter()
                .partition(|sum| !sum.parts.iter().any(|part| open.contains(part)));
            if ready.is_empty() {
                return Err(Error::usage("is a part of a total that is a part of it")
                    .on_attribute(&table.attribute(later[0].total).name)
                    .remedy("Give --keep-sums that can be worked out one after the other"));
            }
            ordered.extend(ready);
            rest = later;
        }
        Ok(ordered)
    }

    /// As it is written: `total = a + b`.
    pub fn in_words(&self, table: &Table) -> String {
        format!(
            "{} = {}",
            table.attribute(self.total).name,
            table.names(&self.parts).join(" + ")
        )
    }

    /// The most decimals among all its numbers.
    fn decimals(&self, table: &Table) -> usize {
        let all = self.parts.iter().chain([&self.total]);
        let decimals = all.map(|&id| table.decimals_needed(id, 0..table.n_records()));
        decimals.max().unwrap_or(0)
    }

    /// The sum of the parts of a record in units; `None` where one is missing or has too many digits.
    fn of_parts(&self, table: &Table, record: usize, decimals: usize) -> Option<i128> {
        let mut parts = self.parts.iter();
        parts.try_fold(0_i128, |sum, &part| {
            sum.checked_add(table.in_units(record, part, decimals)?)
        })
    }

    /// Whether it holds in this record; `None` where a number is missing.
    pub(super) fn holds_in(&self, table: &Table, record: usize, decimals: usize) -> Option<bool> {
        let all = self.parts.iter().chain([&self.total]);
        if all.into_iter().any(|&id| table.is_missing(record, id)) {
            return None;
        }
        let total = table.in_units(record, self.total, decimals);
        Some(total.is_some() && total == self.of_parts(table, record, decimals))
    }

    /// In how many records it holds.
    pub fn held(&self, table: &Table) -> Held {
        // Who became names, or lost all numbers, holds nowhere.
        let numeric = self.parts.iter().chain([&self.total]);
        if numeric.into_iter().any(|&id| !table.has_numbers(id)) {
            return Held { holds: 0, of: 0 };
        }
        let decimals = self.decimals(table);
        let (holds, of) = (0..table.n_records())
            .into_par_iter()
            .filter_map(|record| self.holds_in(table, record, decimals))
            .map(|holds| (usize::from(holds), 1))
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        Held { holds, of }
    }

    /// The table in which the total is the sum of its parts, and what that did to it.
    ///
    /// # Missing
    /// A total of which a part is missing becomes missing: it would be the original's. Of others, see [`Gaps`].
    ///
    /// # Errors
    /// Input, when a sum has more digits than can be counted, or would be read back as missing.
    pub(super) fn worked_out(
        &self,
        table: Table,
        original: &Table,
        gaps: Gaps,
    ) -> Result<(Table, Effect)> {
        let name = table.attribute(self.total).name.clone();
        let needed =
            (self.parts.iter()).map(|&part| table.decimals_needed(part, 0..table.n_records()));
        let decimals = needed.max().unwrap_or(0);
        let incomplete = |record: usize| {
            self.parts
                .iter()
                .any(|&part| table.is_missing(record, part))
        };
        let units: Vec<Option<i128>> = (0..table.n_records())
            .into_par_iter()
            .map(|record| if incomplete(record) { Ok(None) } else { self.of_parts(&table, record, decimals).map(Some).ok_or(()) })
            .collect::<std::result::Result<_, ()>>()
            .map_err(|()| {
                Error::input("has parts with too many digits: their sum cannot be written exactly")
                .overflow(&name)
                    .remedy("Leave its --keep-sums out, or write the parts with fewer decimals (--decimals column)")
            })?;
        let table = match gaps {
            Gaps::Stay => table,
            Gaps::OfParts => filled(table, self.total),
        };
        let table = table.with_units(self.total, &units, decimals)?;
        let effect = Effect {
            squared_error: None,
            ..Effect::between(original, &table, self.total)
        };
        Ok((table, effect))
    }
}

/// The table in which nobody misses this attribute: some cell stands where a gap was, to be written anew.
fn filled(table: Table, id: AttrId) -> Table {
    let (n, missing) = (table.n_records(), table.missing(id));
    let Some(some) = (0..n).find(|&record| !missing.contains(record)) else {
        return table;
    };
    let donor = |record: usize| {
        if missing.contains(record) {
            some
        } else {
            record
        }
    };
    let donors = (0..n).filter_map(|record| u32::try_from(donor(record)).ok());
    let donors = donors.collect();
    table.with_donors(id, donors)
}

/// The names that a text joined by `+` holds: cut at the first signs at which names result.
fn parts_of<'a>(table: &Table, text: &'a str) -> Option<Vec<&'a str>> {
    let ends = text.match_indices('+').map(|(at, _)| at);
    for end in ends.chain([text.len()]) {
        let name = text[..end].trim();
        if table.find(name).is_err() {
            continue;
        }
        if end == text.len() {
            return Some(vec![name]);
        }
        if let Some(mut rest) = parts_of(table, &text[end + 1..]) {
            rest.insert(0, name);
            return Some(rest);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    fn table(text: &str) -> Table {
        Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    /// 1,10 + 2,20 = 3,30 in decimals, not in binary; one record is wrong by a hundredth, one has a gap.
    #[test]
    fn sums_hold_by_decimals() {
        let table =
            table("t;a;b\n3,30;1,10;2,20\n0,30;0,10;0,20\n0,31;0,10;0,20\n0,30;;0,20\n-1;-3;2\n");
        let sum = Sum::parse(&table, "t = a + b").unwrap();
        assert_eq!(sum.held(&table), Held { holds: 3, of: 4 });
    }

    #[test]
    fn names_may_hold_the_signs() {
        let table = table("a+b,a,b,x=y,c\n3,1,2,3,0\n5,2,3,5,0\n1,2,3,5,1\n");
        let read = |text: &str| Sum::parse(&table, text).map(|sum| sum.in_words(&table));
        let same = "the left is one name, the right two";
        assert_eq!(read("a+b=a+b").unwrap(), "a+b = a + b", "{same}");
        assert_eq!(read("x=y=a+b").unwrap(), "x=y = a + b");
        assert_eq!(read("x=y=b+a").unwrap(), "x=y = b + a");
        for (text, part) in [
            ("a", "is not a sum"),
            ("", "is not a sum"),
            ("a=", "no attribute"),
            ("a=b+", "no attribute"),
            ("z=a+b", "no attribute"),
            ("a=a", "twice"),
            // Cut at every sign where names result.
            ("c=a+b+b", "twice"),
            ("a=b+c+b", "twice"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn totals_of_totals_come_later_and_circles_are_refused() {
        let table = table("a,b,c,d,e\n1,2,3,4,5\n2,2,3,4,5\n");
        let order = |texts: &[&str]| -> Result<Vec<String>> {
            let sums = texts.iter().map(|text| Sum::parse(&table, text));
            let ordered = Sum::in_order(&table, sums.collect::<Result<_>>()?)?;
            Ok(ordered.iter().map(|sum| sum.in_words(&table)).collect())
        };
        assert_eq!(
            order(&["e=c+d", "c=a+b"]).unwrap(),
            ["c = a + b", "e = c + d"]
        );
        assert!(
            order(&["e=c+d", "c=e+b"])
                .unwrap_err()
                .to_string()
                .contains("part of")
        );
        assert!(
            order(&["e=c+d", "e=a+b"])
                .unwrap_err()
                .to_string()
                .contains("two")
        );
    }
}
