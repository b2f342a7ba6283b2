//! Further attributes, made of those that a table has.

use rayon::prelude::*;

use super::{ReadOptions, Table};
use crate::error::{Error, Result, in_order};

/// Records that one thread makes into text at a time.
const BLOCK: usize = 2_048;

/// An attribute that is made of others of the same table.
#[derive(Clone, Copy)]
pub struct Further<'a> {
    /// Its name.
    pub name: &'a str,
    /// The text of a record's cell, none where it is missing. An empty text is missing, too.
    pub cell: &'a (dyn Fn(usize) -> Option<String> + Sync),
}

/// Some records as text, and which of them miss each of the further attributes.
struct Block {
    text: Vec<u8>,
    missing: Vec<Vec<bool>>,
}

impl Table {
    /// The table with further attributes behind its own, as if the file had them: it is written, and read again by what was stated and
    /// found out of the file. Scales and roles of the further ones are those that a roles file states for their names, or guessed.
    ///
    /// # Missing
    /// A gap is written as the file's gaps are: as an empty cell or, where these are no gaps, as the first code that was stated.
    ///
    /// # Errors
    /// Input, when the file has no delimiter or no names of its own, a text cannot be written in its encoding, or a cell would not be
    /// read as it is meant: a gap as a value, or a value as a gap.
    ///
    /// # Complexity
    /// Linear in the bytes, in parallel; the file is in memory twice.
    pub fn with_further(&self, further: &[Further<'_>]) -> Result<Self> {
        let dialect = self.dialect();
        let Some(delimiter) = dialect.delimiter.filter(|_| self.has_own_names()) else {
            return Err(Error::input(
                "has no line of different names, or no delimiter between attributes: no attribute can be added",
            )
            .in_file(self.name())
            .remedy("Give the file names in its first line, or state the delimiter (--delimiter)"));
        };
        let names: Vec<&str> = (self.attributes.iter())
            .map(|attribute| attribute.name.as_str())
            .chain(further.iter().map(|further| further.name))
            .collect();
        let mut bytes = Vec::new();
        for (place, name) in names.iter().enumerate() {
            if place > 0 {
                bytes.push(delimiter);
            }
            bytes.extend(self.new_cell(name)?);
        }
        bytes.push(b'\n');
        let gap = self.gap()?;
        let n_records = self.n_records();
        let blocks = (0..n_records.div_ceil(BLOCK)).into_par_iter().map(|block| {
            let records = block * BLOCK..n_records.min((block + 1) * BLOCK);
            self.extended(further, delimiter, &gap, records)
        });
        let blocks: Vec<Block> = in_order(blocks)?;
        for block in &blocks {
            bytes.extend_from_slice(&block.text);
        }
        let said = &self.file.options;
        let options = ReadOptions {
            delimiter: Some(delimiter),
            decimal_mark: Some(dialect.decimal_mark),
            thousands_mark: Some(dialect.thousands_mark),
            encoding: Some(dialect.encoding),
            header: Some(true),
            ..said.clone().for_another_file()
        };
        let table = Self::read(self.name(), bytes, &options)?;
        for (place, further) in further.iter().enumerate() {
            let id = table.find(further.name)?;
            let meant = (blocks.iter()).flat_map(|block| block.missing[place].iter().copied());
            let otherwise = meant
                .zip(0..)
                .filter(|&(meant, record)| table.is_missing(record, id) != meant);
            let otherwise = otherwise.count();
            if otherwise > 0 {
                return Err(Error::input(format!(
                    "has {otherwise} {} that would not be read as meant: a gap as a value, or a value as a code for missing values",
                    if otherwise == 1 { "cell" } else { "cells" }
                ))
                .on_attribute(further.name)
                .in_file(self.name())
                .remedy("State what stands for missing values (--na, or [missing] in a roles file)"));
            }
        }
        Ok(table)
    }

    fn extended(
        &self,
        further: &[Further<'_>],
        delimiter: u8,
        gap: &[u8],
        records: std::ops::Range<usize>,
    ) -> Result<Block> {
        let mut text =
            Vec::with_capacity(records.len() * 16 * (further.len() + self.n_attributes()));
        let mut missing = vec![Vec::with_capacity(records.len()); further.len()];
        for record in records {
            for id in self.ids() {
                text.extend_from_slice(&self.raw(record, id));
                text.push(delimiter);
            }
            for (place, further) in further.iter().enumerate() {
                if place > 0 {
                    text.push(delimiter);
                }
                let cell = (further.cell)(record).filter(|cell| !cell.is_empty());
                missing[place].push(cell.is_none());
                match cell {
                    Some(cell) => text.extend(
                        self.new_cell(&cell)
                            .map_err(|error| error.on_attribute(further.name))?,
                    ),
                    None => text.extend_from_slice(gap),
                }
            }
            text.push(b'\n');
        }
        Ok(Block { text, missing })
    }

    /// A text as the bytes of a cell.
    fn new_cell(&self, text: &str) -> Result<Vec<u8>> {
        let dialect = self.dialect();
        match dialect.encoding.encode(text) {
            Some(bytes) => Ok(self.quoted(bytes)),
            None => Err(Error::input(format!(
                "cannot be written in {}: it lacks a character of the new text",
                dialect.encoding.word()
            ))
            .in_file(self.name())
            .remedy("Use another separator or name, or give the file in UTF-8")),
        }
    }

    /// What stands for a missing value among text.
    fn gap(&self) -> Result<Vec<u8>> {
        let stated = self.file.options.merged()?.na.unwrap_or_default();
        match stated.first() {
            Some(first) if !stated.iter().any(String::is_empty) => self.new_cell(first),
            _ => Ok(Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Role, Roles, Scale};

    fn read(text: &[u8], options: &ReadOptions) -> Table {
        Table::read("t.csv", text.to_vec(), options).unwrap()
    }

    fn both(table: &Table) -> impl Fn(usize) -> Option<String> + Sync {
        let ids: Vec<_> = table.ids().collect();
        move |record| {
            let cell = |place: usize| {
                let id = ids[place];
                (!table.is_missing(record, id)).then(|| table.category(record, id).into_owned())
            };
            Some(format!("{};{}", cell(0)?, cell(1)?))
        }
    }

    /// The old cells keep their bytes, the new ones are quoted where they must be: they hold the delimiter, here.
    #[test]
    fn further_attributes_stand_behind_the_others() {
        let table = read(
            b"a;b\r\n\"x\";007\r\n;1,5\r\n y ;2\r\n",
            &ReadOptions::default(),
        );
        let cell = both(&table);
        let wider = table
            .with_further(&[Further {
                name: "c",
                cell: &cell,
            }])
            .unwrap();
        let mut out = Vec::new();
        wider.write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "a;b;c\n\"x\";007;\"x;007\"\n;1,5;\n y ;2;\"y;2\"\n"
        );
        let id = wider.find("c").unwrap();
        assert_eq!(wider.attribute(id).scale, Scale::Nominal);
        assert_eq!(wider.missing(id).records().collect::<Vec<_>>(), [1]);
        assert_eq!(wider.category(0, id), "x;007");
    }

    #[test]
    fn roles_of_further_attributes_can_be_stated_and_codes_are_kept_in_mind() {
        let options = ReadOptions {
            roles: Roles::parse("confidential = ['c']\n[file]\nna = ['-9']\n").unwrap(),
            ..ReadOptions::default()
        };
        let table = read(b"a,b\n1,2\n-9,3\n", &options);
        let sum = |record: usize| (record == 0).then(|| "12".to_owned());
        let wider = table
            .with_further(&[Further {
                name: "c",
                cell: &sum,
            }])
            .unwrap();
        let id = wider.find("c").unwrap();
        assert_eq!(wider.attribute(id).role, Role::Confidential);
        assert_eq!(wider.raw(1, id).as_ref(), b"-9");
        let code = |_: usize| Some("-9".to_owned());
        let error = table
            .with_further(&[Further {
                name: "c",
                cell: &code,
            }])
            .unwrap_err();
        assert!(error.what().starts_with("has 2 cells"), "{error}");
    }

    #[test]
    fn a_file_without_names_or_delimiter_is_refused() {
        let nothing = |_: usize| None;
        for text in ["1,2\n3,4\n", "a\nx\ny\n"] {
            let table = read(text.as_bytes(), &ReadOptions::default());
            let error = table.with_further(&[Further {
                name: "c",
                cell: &nothing,
            }]);
            assert!(
                error
                    .unwrap_err()
                    .what()
                    .contains("no attribute can be added")
            );
        }
    }
}
