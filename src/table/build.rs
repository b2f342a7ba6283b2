//! From cells that were read to an attribute: what the user states, what is guessed, what is worth a note.

use std::sync::{Arc, OnceLock, Weak};

use rayon::prelude::*;

use super::attribute::{Attribute, Reason, Scale};
use super::cell::content;
use super::columns::{Cells, Tally};
use super::guess;
use super::lexicon::Lexicon;
use super::marks::Marks;
use super::roles::{Roles, Stated};
use super::tokens::Layout;
use super::{Column, Note};
use crate::error::{Error, Result};

/// What attributes are made from.
pub(super) struct Source<'a> {
    pub bytes: &'a [u8],
    pub layout: &'a Layout,
    pub roles: &'a Roles,
}

impl Source<'_> {
    fn line_of(&self, record: usize) -> u64 {
        self.layout.line_of(self.bytes, record)
    }

    /// The attribute of these cells: scale and role as stated, or as guessed.
    pub fn attribute(
        &self,
        place: usize,
        name: String,
        (cells, lexicon): (Cells, Option<Arc<Lexicon>>),
        marks: &Marks,
        notes: &mut Vec<Note>,
    ) -> Result<(Attribute, Column)> {
        let stated = self.roles.attributes.get(&name);
        let Cells {
            values,
            mut missing,
            words,
            mut tally,
            plain,
        } = cells;
        if tally.texts.count == 0 && tally.numbers + tally.codes.count > 0 {
            missing = missing.joined(&words);
            tally.missing += tally.words.count;
        } else {
            tally.texts.join(tally.words);
        }
        if let (Some(lexicon), Some(record)) = (&lexicon, tally.texts.first) {
            return Err(Error::input(lexicon.refusal(tally.texts.count))
                .at_line(self.line_of(record))
                .on_attribute(name)
                .remedy("Correct the roles file, or name what stands for missing values under [missing]"));
        }
        let (scale, mut scale_reason) = match stated.and_then(Stated::scale) {
            Some(scale) => {
                self.check_scale(scale, &name, &tally)?;
                (scale, Reason::Stated)
            }
            None => {
                let (scale, why) = guess::scale(&tally, |record| self.line_of(record));
                (scale, Reason::Guessed(why))
            }
        };
        if marks.ambiguous.contains(&place) && scale == Scale::Nominal {
            scale_reason = Reason::Guessed(format!(
                "{scale_reason}; commas before three digits may be decimal or thousands: state --decimal-mark or --thousands-mark"
            ));
        }
        let (role, role_reason) = match stated.and_then(|stated| stated.role) {
            Some(role) => (role, Reason::Stated),
            None => {
                let contents = guess::Contents {
                    n_records: self.layout.n_records(),
                    keys: &|records| {
                        let present = records
                            .into_par_iter()
                            .filter(|&record| !missing.contains(record));
                        let cell = |record| self.layout.cell(self.bytes, record, place);
                        present
                            .map(|record| guess::key(content(cell(record))))
                            .collect()
                    },
                };
                let (role, why) = guess::role(&name, &tally, scale, &contents);
                (role, Reason::Guessed(why))
            }
        };
        self.cell_notes(&name, scale, &tally, notes);
        let attribute = Attribute {
            name,
            position: place + 1,
            scale,
            role,
            scale_reason,
            role_reason,
        };
        let column = Column {
            place,
            numeric: scale != Scale::Nominal,
            values: match scale {
                Scale::Nominal => OnceLock::new(),
                _ if values.len() < self.layout.n_records() => OnceLock::new(),
                _ => OnceLock::from(Arc::new(values)),
            },
            unmoved: Weak::new(),
            missing,
            hidden: super::RecordSet::default(),
            donors: None,
            printed: false,
            lexicon,
            replaced: None,
            spelling: None,
            by_number: false,
            plain,
            singling: OnceLock::new(),
        };
        Ok((attribute, column))
    }

    fn check_scale(&self, scale: Scale, name: &str, tally: &Tally) -> Result<()> {
        match tally.texts.first {
            Some(record) if scale != Scale::Nominal => Err(Error::input(format!(
                "the roles file makes the attribute {}, and {} of its cells are not numbers, here the first",
                scale.word(),
                tally.texts.count
            )).at_line(self.line_of(record))
            .wrong_scale(name)
            .remedy("Name what stands for missing values under [missing], or make the attribute nominal")),
            _ => Ok(()),
        }
    }

    fn cell_notes(&self, name: &str, scale: Scale, tally: &Tally, notes: &mut Vec<Note>) {
        let mut add = |first: Option<usize>, text: String| {
            notes.push(Note::new(
                Some(name),
                first.map(|record| self.line_of(record)),
                text,
            ));
        };
        let numbers = tally.numbers + tally.codes.count;
        if tally.texts.count > 0 && numbers > tally.texts.count {
            add(
                tally.texts.first,
                format!(
                    "{} cells are not numbers and {numbers} are: the attribute is nominal. If they stand for missing values, state them",
                    tally.texts.count
                ),
            );
        }
        if tally.inexact.count > 0 && scale != Scale::Nominal {
            add(
                tally.inexact.first,
                format!(
                    "{} whole numbers are beyond 2^53: neighbours among them count as equal, their text is kept",
                    tally.inexact.count
                ),
            );
        }
        if tally.missing == self.layout.n_records() && tally.missing > 0 {
            add(None, "every cell is missing".to_owned());
        }
    }
}
