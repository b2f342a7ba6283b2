//! A table of microdata in memory: its records, its attributes, and the very bytes that its file holds.
//!
//! ```text
//! bytes -> encoding -> dialect (delimiter, header) -> tokens (where each cell is)
//!       -> marks (decimal, thousands) -> columns (numbers, missing) -> guess (scale, role) -> Table
//! Table -> change (swap, new numbers, drop, reorder), replace (new text, new gaps) -> write -> bytes
//! ```
//!
//! The text of a cell is never copied: a table keeps its file and remembers where each cell is, so what no method
//! touched is written back byte for byte. Numbers are kept beside it; or instead of it, where it can be written from them again
//! (`condensed`). Nothing here knows paths, standard streams,
//! clocks or the environment.
//!
//! # Missing
//! A missing cell is marked in a [`RecordSet`]; no number stands for it. The empty cell, `NA`, `.` and `*` are missing
//! unless other markers are stated, and the words `NaN`, `nan`, `-nan`, `N/A`, `#N/A`, `NULL`, `null` and `None` in an
//! attribute of which every other cell is a number. If the stated markers leave out the empty cell, it is missing in
//! an attribute of numbers only; an attribute whose own list of codes is empty misses nothing. In a file of one attribute a blank line is an empty
//! cell; elsewhere blank lines are skipped and counted ([`BlankLines`]).

mod attribute;
mod blank_lines;
mod build;
mod categories;
mod cell;
mod change;
mod columns;
mod condensed;
mod dates;
mod describe;
mod dialect;
mod distinct_cells;
mod encoding;
mod further;
mod guess;
mod hidden;
mod identifier_name;
mod lexicon;
pub mod limits;
mod marks;
pub mod matrix;
mod missing;
mod missing_codes;
mod names;
mod number;
mod options;
pub mod pair;
pub mod parquet;
pub mod pieces;
mod read;
mod record_set;
mod replace;
mod roles;
mod select;
mod singling;
mod spelling;
mod template;
mod tokens;
mod units;
mod values;
mod write;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock, Weak};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use attribute::{AttrId, Attribute, Reason, Role, Scale};
pub use blank_lines::BlankLines;
pub use categories::Categories;
pub use change::Part;
pub use dates::{DateFormat, first_day};
pub use describe::{AttributeDescription, Description, DialectDescription, Frequent, MarkerCount};
pub use dialect::{Dialect, LineEnd, Reasons};
pub use encoding::Encoding;
pub use further::Further;
pub use matrix::Matrix;
pub use number::{EXACT_INTEGERS, rounded};
pub use options::ReadOptions;
pub use record_set::RecordSet;
pub use roles::Roles;
pub use select::list_of;
pub(crate) use select::of_known;
pub use singling::Singling;
pub use values::{Numbers, Values};

use condensed::{Kept, Steps, Text};
use lexicon::Lexicon;
use missing::Markers;
use replace::Replaced;
use spelling::{Plain, Spelling};

/// Blanks around the text of a cell mean nothing.
pub const BLANKS: [char; 2] = [' ', '\t'];

/// Microdata: records × attributes, and the file they came from.
///
/// Records are named by their place from 0. A clone shares the file's bytes and all columns.
///
/// # Complexity
/// The file itself, 8 bytes a record, 2 bytes a cell (4 where a record has more than 65,535 bytes), and 8 bytes a cell that is a number:
/// some 17 bytes a cell of amounts. 4 bytes a cell of a file whose text was let go ([`ReadOptions::condense_from`]).
#[derive(Clone)]
pub struct Table {
    file: Arc<File>,
    attributes: Vec<Attribute>,
    /// As long as `attributes`.
    columns: Vec<Column>,
    /// The file's record of each record, unless it is the same.
    order: Option<Arc<Vec<u32>>>,
}

/// What was read and never changes.
struct File {
    name: String,
    text: Text,
    /// SHA-256 of the file, where the text was converted from it.
    sha256: Option<String>,
    /// The lines above the table that were skipped, and are not written.
    title: Range<usize>,
    /// Where the first cell of the header begins, or that of the first record.
    table_start: usize,
    /// Where the cells of the header end, from `table_start`; empty when there is none.
    header: Vec<u32>,
    /// Whether the header gives each attribute a name that no other has.
    own_names: bool,
    /// Why the first line, taken for names, may be a record.
    doubt: Option<String>,
    dialect: Dialect,
    syntax: number::Syntax,
    /// What stands for a missing value, one an attribute of the file.
    markers: Vec<Markers>,
    notes: Vec<Note>,
    /// The types of its attributes, if it was Parquet: then the text is what it became.
    parquet: Option<Kinds>,
    /// What the user said about it.
    options: ReadOptions,
}

/// The type of each attribute of a Parquet file, where its parts agree on one.
type Kinds = Vec<Option<parquet::Kind>>;

/// The cells of one attribute.
#[derive(Clone)]
struct Column {
    /// Which cell of the file's records it is.
    place: usize,
    /// Whether the attribute is one of numbers.
    numeric: bool,
    /// One number a record; 0.0 where missing. After cells changed places they are read again when they are asked for:
    /// who only writes the table never needs them.
    values: OnceLock<Arc<Vec<f64>>>,
    /// The numbers of the file's records, of which `donors` took theirs, for as long as another table has them.
    unmoved: Weak<Vec<f64>>,
    missing: RecordSet,
    /// Zeros among `missing` that are hidden for a while.
    hidden: RecordSet,
    /// The file's record that each cell is taken from, unless it is the record's own.
    donors: Option<Arc<Vec<u32>>>,
    /// Whether `values` are new: a cell whose number is not that of its text is printed.
    printed: bool,
    /// What the texts of the cells mean as numbers, if they are no numerals.
    lexicon: Option<Arc<Lexicon>>,
    /// Cells that were given new text, if there are any.
    replaced: Option<Arc<Replaced>>,
    /// The one spelling of all cells, if the attribute was put into one.
    spelling: Option<Arc<Spelling>>,
    /// Whether every cell of the file with a number is what this spelling prints for it, to the last byte. Then values that change places
    /// are printed in the new ones: to fetch their texts from all over the file takes several times as long.
    by_number: bool,
    /// How the numbers of the file are spelled; of no use where texts stand for numbers.
    plain: Plain,
    /// How the cells of the file single out records, once somebody asked.
    singling: OnceLock<Option<Singling>>,
}

/// Something worth knowing about how a file was read. It never holds a value of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Note {
    /// The attribute it is about, if it is about one.
    pub attribute: Option<String>,
    /// The line that it is about, or the first of them.
    pub line: Option<u64>,
    /// What was found.
    pub text: String,
}

impl Note {
    fn new(attribute: Option<&str>, line: Option<u64>, text: String) -> Self {
        let attribute = attribute.map(str::to_owned);
        Self {
            attribute,
            line,
            text,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(attribute) = &self.attribute {
            write!(f, "attribute {attribute:?}: ")?;
        }
        f.write_str(&self.text)
    }
}

/// Names and counts only: what is printed when a program fails must not hold a record.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("name", &self.file.name)
            .field("n_records", &self.n_records())
            .field("n_attributes", &self.n_attributes())
            .finish_non_exhaustive()
    }
}

impl Column {
    /// Whether every cell is as the file has it, if the records stand in their order.
    fn is_as_read(&self) -> bool {
        self.donors.is_none() && !self.printed && self.replaced.is_none() && self.hidden.is_empty()
    }

    /// What stands in a cell instead of the file's bytes.
    fn new_cell(&self, record: usize) -> Option<&[u8]> {
        self.replaced.as_deref()?.cell(record)
    }

    /// The number that a cell of this content stands for.
    fn reading(&self, content: &[u8], syntax: &number::Syntax) -> Option<number::Reading> {
        match &self.lexicon {
            Some(lexicon) => lexicon.read(content),
            None => number::read(content, syntax),
        }
    }
}

impl Table {
    /// The name of the file, as it was given.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// How many records there are.
    pub fn n_records(&self) -> usize {
        self.order
            .as_ref()
            .map_or(self.file.text.n_records(), |order| order.len())
    }

    /// How many bytes the file has, as text.
    pub fn n_bytes(&self) -> usize {
        self.file.text.n_bytes()
    }

    /// How many attributes there are.
    pub fn n_attributes(&self) -> usize {
        self.attributes.len()
    }

    /// All attributes, in the order of the file.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// All attributes' names for [`attribute`](Self::attribute) and its like.
    pub fn ids(&self) -> impl Iterator<Item = AttrId> + use<> {
        (0..self.attributes.len()).map(AttrId::new)
    }

    /// One attribute.
    pub fn attribute(&self, id: AttrId) -> &Attribute {
        &self.attributes[id.index()]
    }

    /// How the file is written.
    pub fn dialect(&self) -> &Dialect {
        &self.file.dialect
    }

    /// What is worth knowing about how the file was read.
    pub fn notes(&self) -> &[Note] {
        &self.file.notes
    }

    /// The numbers of a continuous or ordinal attribute; `None` for a nominal one.
    pub fn numbers(&self, id: AttrId) -> Option<Numbers<'_>> {
        let column = &self.columns[id.index()];
        column.numeric.then(|| Numbers {
            values: self.kept_numbers(column),
            missing: &column.missing,
        })
    }

    /// The numbers of a column, from now on kept. They are worked out before the cell is locked: that is done in parallel, and a thread that
    /// waits for it may be given somebody else's work that asks for the same column. Several may work them out, and one result is kept: tasks that look at single cells take [`values`](Self::values).
    fn kept_numbers<'a>(&self, column: &'a Column) -> &'a [f64] {
        match column.values.get() {
            Some(values) => values,
            None => {
                let numbers = Arc::new(self.read_numbers(column));
                column.values.get_or_init(|| numbers)
            }
        }
    }

    /// The numbers of an attribute for somebody who looks at them once, or wants them changed: those that are not there are worked out, and not kept.
    pub fn numbers_once(&self, id: AttrId) -> Option<Cow<'_, [f64]>> {
        let column = &self.columns[id.index()];
        column.numeric.then(|| match column.values.get() {
            Some(values) => Cow::Borrowed(values.as_slice()),
            None => Cow::Owned(self.read_numbers(column)),
        })
    }

    /// The numbers of an attribute, which are shared with the table; `None` where they are not kept as numbers.
    pub(in crate::table) fn shared_numbers(&self, id: AttrId) -> Option<Arc<Vec<f64>>> {
        let column = &self.columns[id.index()];
        column.values.get().filter(|_| column.numeric).cloned()
    }

    /// Whether an attribute has numbers: it is continuous or ordinal.
    pub fn has_numbers(&self, id: AttrId) -> bool {
        self.columns[id.index()].numeric
    }

    /// The numbers of a continuous or ordinal attribute as they are kept, for somebody who reads them one by one; `None` for a nominal one.
    pub fn values(&self, id: AttrId) -> Option<Values<'_>> {
        let column = &self.columns[id.index()];
        let steps = self.steps(column).filter(|_| column.values.get().is_none());
        match steps {
            Some(steps) if column.numeric => {
                let sources = self.sources(column);
                Some(Values::of_steps(steps, sources, &column.missing))
            }
            _ => self.numbers(id).map(Values::from),
        }
    }

    /// Whether the text of the file is not in memory ([`ReadOptions::condense_from`]).
    pub fn is_condensed(&self) -> bool {
        self.file.text.is_condensed()
    }

    /// The attributes with a role, in the order of the file.
    pub fn with_role(&self, role: Role) -> Vec<AttrId> {
        let has_it = |id: &AttrId| self.attribute(*id).role == role;
        self.ids().filter(has_it).collect()
    }

    /// The names of some attributes.
    pub fn names(&self, ids: &[AttrId]) -> Vec<String> {
        ids.iter()
            .map(|&id| self.attribute(id).name.clone())
            .collect()
    }

    /// The records that miss this attribute.
    pub fn missing(&self, id: AttrId) -> &RecordSet {
        &self.columns[id.index()].missing
    }

    /// Whether this cell is missing.
    pub fn is_missing(&self, record: usize, id: AttrId) -> bool {
        self.missing(id).contains(record)
    }

    /// The bytes of this cell as they stand in the file, quotes and blanks included, or as they will be written.
    pub fn raw(&self, record: usize, id: AttrId) -> Cow<'_, [u8]> {
        let column = &self.columns[id.index()];
        let raw = self.file_cell(record, column);
        match self.new_number(record, column) {
            Some(value) if !self.is_said(value, &raw, column) => {
                let mut text = Vec::new();
                self.print(value, column, &mut text);
                Cow::Owned(text)
            }
            _ => raw,
        }
    }

    /// The text of this cell without its quotes; blanks stay.
    pub fn text(&self, record: usize, id: AttrId) -> Cow<'_, str> {
        let encoding = self.file.dialect.encoding;
        match self.raw(record, id) {
            Cow::Borrowed(raw) => match cell::unquoted(raw) {
                Cow::Borrowed(text) => encoding.decode(text),
                Cow::Owned(text) => Cow::Owned(encoding.decode(&text).into_owned()),
            },
            Cow::Owned(raw) => Cow::Owned(encoding.decode(&cell::unquoted(&raw)).into_owned()),
        }
    }

    /// The category of this cell: its text without blanks around it.
    pub fn category(&self, record: usize, id: AttrId) -> Cow<'_, str> {
        match self.text(record, id) {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches(BLANKS)),
            Cow::Owned(text) => Cow::Owned(text.trim_matches(BLANKS).to_owned()),
        }
    }

    /// Whether this cell holds the very bytes that [`with_numbers`](Self::with_numbers) would write for this number. `text` is where
    /// they are put: whoever asks for many cells keeps it.
    pub fn is_written_as(
        &self,
        record: usize,
        id: AttrId,
        number: f64,
        text: &mut Vec<u8>,
    ) -> bool {
        text.clear();
        self.print(number, &self.columns[id.index()], text);
        *self.raw(record, id) == *text
    }

    /// The line of the file on which this record begins, from 1. A line end inside a quoted cell counts.
    ///
    /// # Complexity
    /// Reads the bytes of up to [`LINE_STEP`](limits) records: for messages, not for loops.
    pub fn line_of(&self, record: usize) -> u64 {
        self.file.text.line_of(self.file_record(record))
    }

    /// Whether the header gives each attribute a name that no other has; if not, some names were made from places, and
    /// they differ in a file with other attributes.
    pub fn has_own_names(&self) -> bool {
        self.file.own_names
    }

    /// Why the first line of the file, which was taken for names, may be a record; `None` where it surely holds names or surely
    /// none, or where [`ReadOptions::header`] or a roles file that names an attribute says so. The words hold nothing of that line.
    ///
    /// While there is doubt, the attributes are called by their places (`attribute 3`), so that no message, report or statement can
    /// show a record as if it were names. [`write`](Self::write) would still publish the line: state what it is first.
    pub fn first_line_doubt(&self) -> Option<&str> {
        self.file.doubt.as_deref()
    }

    /// Whether the file is Parquet.
    pub fn is_parquet(&self) -> bool {
        self.file.parquet.is_some()
    }

    /// The type that an attribute has in the Parquet file that the table was read from.
    #[cfg_attr(
        not(feature = "parquet"),
        expect(dead_code, reason = "for writing Parquet")
    )]
    fn kind(&self, id: AttrId) -> Option<parquet::Kind> {
        let kinds = self.file.parquet.as_ref()?;
        *kinds.get(self.columns[id.index()].place)?
    }

    /// SHA-256 of the content of the file as it was read (decompressed, if it was compressed), in hexadecimal; of a folder that of the
    /// lines that `sha256sum` prints of its files, in their order.
    pub fn sha256(&self) -> String {
        match &self.file.sha256 {
            Some(of_original) => of_original.clone(),
            None => self.file.text.sha256(),
        }
    }

    /// The bytes of the file, to be read in another way: UTF-8 where it is UTF-16.
    pub fn into_bytes(self) -> Vec<u8> {
        match Arc::try_unwrap(self.file) {
            Ok(file) => file.text.into_bytes(),
            Err(shared) => shared.text.bytes().to_vec(),
        }
    }

    /// The record of the file that this record is.
    fn file_record(&self, record: usize) -> usize {
        self.order
            .as_ref()
            .map_or(record, |order| order[record] as usize)
    }

    /// What stands in this cell if no number was put into it: bytes of the file, or those in their place.
    #[inline(always)]
    fn kept_cell<'a>(&'a self, record: usize, column: &'a Column) -> Kept<'a> {
        match column.new_cell(record) {
            Some(cell) => Kept::Bytes(cell),
            None => (self.file.text).kept(self.source(record, column), column.place),
        }
    }

    /// The bytes of [`kept_cell`](Self::kept_cell).
    fn file_cell<'a>(&'a self, record: usize, column: &'a Column) -> Cow<'a, [u8]> {
        self.kept_cell(record, column).into_bytes()
    }

    /// The record of the file from which each cell is taken, unless it is the record's own.
    fn sources<'a>(&'a self, column: &'a Column) -> Option<&'a [u32]> {
        let sources = column.donors.as_ref().or(self.order.as_ref())?;
        Some(sources.as_slice())
    }

    /// The record of the file from which this cell is taken.
    fn source(&self, record: usize, column: &Column) -> usize {
        match &column.donors {
            Some(donors) => donors[record] as usize,
            None => self.file_record(record),
        }
    }

    /// The numbers of the file from which these cells are taken, where its text is condensed and no cell has other text.
    fn steps(&self, column: &Column) -> Option<&Steps> {
        let is_numeral = column.lexicon.is_none() && column.replaced.is_none();
        let steps = self.file.text.steps(column.place);
        steps.filter(|_| is_numeral)
    }

    /// The numbers of the cells as they stand in the file. Where the table that they were moved in is still there, its numbers are
    /// moved: bytes from all over the file would have to be read else.
    fn read_numbers(&self, column: &Column) -> Vec<f64> {
        if let (Some(donors), Some(unmoved)) = (&column.donors, column.unmoved.upgrade()) {
            let number = |(record, &donor): (usize, &u32)| {
                if column.missing.contains(record) {
                    0.0
                } else {
                    unmoved[donor as usize]
                }
            };
            return donors.par_iter().enumerate().map(number).collect();
        }
        if let Some(steps) = self.steps(column) {
            let mut numbers = steps.values(self.sources(column));
            for record in column.missing.records() {
                numbers[record] = 0.0;
            }
            return numbers;
        }
        (0..self.n_records())
            .into_par_iter()
            .map(|record| {
                if column.missing.contains(record) {
                    return 0.0;
                }
                let cell = self.file_cell(record, column);
                let content = cell::content(&cell);
                (column.reading(content, &self.file.syntax)).map_or(0.0, |reading| reading.value)
            })
            .collect()
    }

    /// The number that stands in this cell whatever its bytes in the file say, if there is one.
    fn new_number(&self, record: usize, column: &Column) -> Option<f64> {
        let values = column.values.get().filter(|_| column.printed)?;
        let is_number = !column.missing.contains(record) && column.new_cell(record).is_none();
        is_number.then(|| values[record])
    }

    /// Whether these bytes of a cell already say a number in the way of its attribute.
    fn is_said(&self, value: f64, raw: &[u8], column: &Column) -> bool {
        let in_file = column.reading(cell::content(raw), &self.file.syntax);
        in_file.is_some_and(|reading| reading.value.total_cmp(&value).is_eq())
            && (column.spelling.as_deref()).is_none_or(|spelling| spelling.is_number_of_it(raw))
    }

    /// Prints a number as a cell of the attribute: in its spelling, if it was put into one; else quoted only if it holds the
    /// delimiter.
    fn print(&self, value: f64, column: &Column, out: &mut Vec<u8>) {
        if let Some(spelling) = &column.spelling {
            return spelling.print(value, out);
        }
        let decimal = self.file.syntax.decimal;
        if let Some(lexicon) = &column.lexicon {
            return spelling::wrap(&lexicon.text(value), self.file.dialect.delimiter, out);
        }
        let from = out.len();
        number::print(value, decimal, out);
        if let Some(delimiter) = self.file.dialect.delimiter
            && out[from..].contains(&delimiter)
        {
            out.insert(from, b'"');
            out.push(b'"');
        }
    }
}

/// SHA-256 in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
