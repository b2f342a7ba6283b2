//! The names of attributes, and how sure it is that the first line holds names.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::cell::content;
use super::columns::Cells;
use super::encoding::Encoding;
use super::limits::SHAPE_SAMPLE;
use super::marks::number_of_any_kind;
use super::missing::is_default_marker;
use super::roles::Roles;
use super::tokens::{Layout, cut};
use super::{Note, cell};
use crate::visible;

/// A name for each attribute: those of the header, each made unique; `V1`, `V2` ... where it has none.
///
/// The second answer: whether each attribute has a name in the header that no other has.
pub(super) fn unique(
    table: &[u8],
    header: &[u32],
    n_attributes: usize,
    encoding: Encoding,
    notes: &mut Vec<Note>,
) -> (Vec<String>, bool) {
    let written: Vec<String> = (0..n_attributes)
        .map(|place| match header {
            [] => String::new(),
            ends => {
                let text = cell::unquoted(cut(table, ends, place));
                visible::name(encoding.decode(&text).trim()).into_owned()
            }
        })
        .collect();
    let mut used: BTreeSet<String> = written.iter().cloned().collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = Vec::with_capacity(n_attributes);
    for (place, name) in written.iter().enumerate() {
        let seen = counts.entry(name).or_default();
        *seen += 1;
        if *seen == 1 && !name.is_empty() {
            names.push(name.clone());
            continue;
        }
        let unique = if name.is_empty() {
            // A `V3` that the header itself has for another attribute gets out of the way by underscores.
            let mut unique = format!("V{}", place + 1);
            while used.contains(&unique) {
                unique.push('_');
            }
            unique
        } else {
            loop {
                let unique = format!("{name}_{seen}");
                if !used.contains(&unique) {
                    break unique;
                }
                *seen += 1;
            }
        };
        if !header.is_empty() {
            let why = if name.is_empty() {
                "has no name in the header"
            } else {
                "has a name that another has"
            };
            let text = format!(
                "attribute {} {why}; it is called {unique:?} here, and written unchanged",
                place + 1
            );
            notes.push(Note::new(Some(&unique), None, text));
        }
        used.insert(unique.clone());
        names.push(unique);
    }
    let own = written.iter().all(|name| !name.is_empty()) && names == written;
    (names, own)
}

/// The first line of a file, taken for names although nobody stated that it holds names, and the records below it.
pub(super) struct FirstLine<'a> {
    /// The file from the first line on.
    pub table: &'a [u8],
    /// Where the cells of the first line end.
    pub header: &'a [u32],
    /// The file.
    pub bytes: &'a [u8],
    /// Where the records below are.
    pub layout: &'a Layout,
    /// The same records, read.
    pub cells: &'a [Cells],
    pub encoding: Encoding,
}

impl FirstLine<'_> {
    /// Why this line may be a record, in words that hold nothing of it; `None` when it holds names for all that can be known.
    ///
    /// It may be a record if any of its cells, blank ones and the usual markers of missing values aside,
    /// - is a number, and at least half of the cells below it are numbers, or there are no records;
    /// - stands in its attribute again, as the same text;
    /// - holds a digit, is no number, and is written as nine in ten of the cells below it are: the same kinds of
    ///   characters in the same order (dates, codes such as `K-17`).
    ///
    /// So names above numbers are names, and so are the names of a file of text if none of them occurs below. A first line of
    /// words that differ from all others cannot be told from a record of such words; it is taken for names.
    ///
    /// # Complexity
    /// Compares each cell of text once, in parallel.
    pub fn doubt(&self) -> Option<String> {
        (0..self.header.len())
            .into_par_iter()
            .find_map_first(|place| self.doubt_of(place))
    }

    fn doubt_of(&self, place: usize) -> Option<String> {
        let name = content(cut(self.table, self.header, place));
        if is_default_marker(name) {
            return None;
        }
        let tally = &self.cells[place].tally;
        let numbers = tally.numbers + tally.codes.count;
        let present = numbers + tally.texts.count + tally.words.count;
        let at = format!("attribute {}", place + 1);
        if number_of_any_kind(name, self.encoding) {
            if self.layout.n_records() == 0 {
                return Some(format!("the name of {at} would be a number"));
            }
            if numbers > 0 && numbers * 2 >= present {
                return Some(format!(
                    "the name of {at} would be a number, as the cells below it are"
                ));
            }
        }
        if tally.texts.count + tally.words.count + tally.codes.count == 0 {
            return None;
        }
        let below = |record: usize| content(self.layout.cell(self.bytes, record, place));
        let again = (0..self.layout.n_records()).any(|record| below(record) == name);
        if again {
            return Some(format!(
                "the name of {at} would be a text that stands below it, too"
            ));
        }
        self.is_shaped_as_below(name, below)
            .then(|| format!("the name of {at} would be written as the cells below it are"))
    }

    fn is_shaped_as_below<'b>(&self, name: &[u8], below: impl Fn(usize) -> &'b [u8]) -> bool {
        if !name.iter().any(u8::is_ascii_digit) {
            return false;
        }
        let shape = shape(name);
        let (mut present, mut same) = (0_usize, 0_usize);
        for record in 0..self.layout.n_records().min(SHAPE_SAMPLE) {
            let cell = below(record);
            if !is_default_marker(cell) {
                present += 1;
                same += usize::from(self::shape(cell) == shape);
            }
        }
        present > 0 && same * 10 >= present * 9
    }
}

/// The kinds of characters of a cell: runs of digits, of small and of capital letters are one sign each.
fn shape(cell: &[u8]) -> Vec<u8> {
    let mut shape: Vec<u8> = cell
        .iter()
        .map(|byte| match byte {
            b'0'..=b'9' => b'9',
            b'A'..=b'Z' => b'A',
            b'a'..=b'z' | 0x80.. => b'a',
            _ => *byte,
        })
        .collect();
    shape.dedup_by(|next, last| next == last && last.is_ascii_alphanumeric());
    shape
}

/// Names for the attributes of a file whose first line may be a record: their places. So nothing of that line is shown or matched
/// as a name.
pub(super) fn places(n_attributes: usize) -> Vec<String> {
    (1..=n_attributes)
        .map(|place| format!("attribute {place}"))
        .collect()
}

/// Whether the roles file names one of these attributes: then somebody knows them by name.
pub(super) fn known(roles: &Roles, names: &[String]) -> bool {
    names.iter().any(|name| roles.attributes.contains_key(name))
}
