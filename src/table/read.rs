//! From bytes to a table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::attribute::{Attribute, Scale};
use super::columns::{self, Column as Cells, Tally};
use super::dialect::{self, Dialect, LineEnd, Reasons, can_delimit};
use super::encoding::{self, Encoding};
use super::guess;
use super::marks::{self, Marks};
use super::missing::Markers;
use super::number::thousands_bytes;
use super::roles::{self, FileSection, Roles, THOUSANDS_WORDS};
use super::select::alternatives;
use super::tokens::{Layout, NO_DELIMITER, Start, Tokenizer, cut};
use super::{Column, File, Note, Table, cell};
use crate::error::{Error, Result};

/// What the user says about a file; whatever is `None` is worked out. The options win over the roles file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadOptions {
    /// The byte between two cells.
    pub delimiter: Option<u8>,
    /// `.` or `,`.
    pub decimal_mark: Option<char>,
    /// What separates groups of three digits; `Some(None)` says that nothing does.
    pub thousands_mark: Option<Option<char>>,
    /// How characters are written as bytes.
    pub encoding: Option<Encoding>,
    /// What stands for a missing value, instead of the default markers. The empty cell always does.
    pub na: Option<Vec<String>>,
    /// Whether the first record holds the names.
    pub header: Option<bool>,
    /// What a roles file says.
    pub roles: Roles,
}

impl ReadOptions {
    /// The options, and where they say nothing the roles file.
    fn merged(&self) -> Result<FileSection> {
        let file = &self.roles.file;
        let merged = FileSection {
            delimiter: self.delimiter.or(file.delimiter),
            decimal_mark: self.decimal_mark.or(file.decimal_mark),
            thousands_mark: self.thousands_mark.or(file.thousands_mark),
            encoding: self.encoding.or(file.encoding),
            header: self.header.or(file.header),
            na: self.na.clone().or_else(|| file.na.clone()),
        };
        if merged
            .delimiter
            .is_some_and(|delimiter| !can_delimit(delimiter))
        {
            return Err(Error::usage(
                "the delimiter must be one ASCII sign; letters, digits, quotes, line ends and \"+-.\" cannot delimit",
            ));
        }
        if let Some(mark) = merged.decimal_mark {
            roles::check_decimal_mark(mark).map_err(Error::usage)?;
        }
        if let Some(Some(mark)) = merged.thousands_mark {
            if thousands_bytes(mark, Encoding::Utf8).is_none() {
                return Err(Error::usage(format!(
                    "the thousands mark must be {THOUSANDS_WORDS}"
                )));
            }
            if merged.decimal_mark == Some(mark) {
                return Err(Error::usage(
                    "the decimal mark and the thousands mark are the same",
                ));
            }
        }
        Ok(merged)
    }
}

/// The records of a file before anything is known about their cells.
struct Cut {
    table_start: usize,
    header: Vec<u32>,
    /// Why there is a header, or none.
    header_reason: String,
    layout: Layout,
    quoted_cells: u64,
    blank_lines: u64,
}

impl Table {
    /// Reads a table from the bytes of a file; `name` is used in messages only.
    ///
    /// # Missing
    /// See the head of this module.
    ///
    /// # Errors
    /// [`Input`](crate::error::ErrorKind::Input), with the line where there is one: the file is empty, not text or
    /// not of the stated encoding, a quote is not closed or followed by text, a record has not as many cells as the
    /// first, a limit is exceeded, or the roles file names an attribute that is not there or makes an attribute of
    /// text one of numbers. [`Usage`](crate::error::ErrorKind::Usage): an option makes no sense. No message
    /// holds a value of a record.
    ///
    /// # Complexity
    /// Linear in the bytes; the same result for any number of threads.
    pub fn read(name: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Self> {
        let stated = options.merged()?;
        read(name, bytes, &stated, &options.roles).map_err(|error| error.in_file(name))
    }
}

fn read(name: &str, bytes: Vec<u8>, stated: &FileSection, roles: &Roles) -> Result<Table> {
    let (encoding, encoding_reason) = encoding::detect(&bytes, stated.encoding)?;
    if let Some(Some(mark)) = stated.thousands_mark
        && thousands_bytes(mark, encoding).is_none()
    {
        return Err(Error::input(format!(
            "{} has no such thousands mark",
            encoding.word()
        )));
    }
    let (from, bom, sep) = dialect::preamble(&bytes);
    let (delimiter, delimiter_reason) = match (stated.delimiter, sep) {
        (Some(delimiter), _) => (Some(delimiter), "stated".to_owned()),
        (None, Some(delimiter)) => (Some(delimiter), "the first line states it".to_owned()),
        (None, None) => dialect::sniff_delimiter(&bytes, from, encoding),
    };
    let cut_file = cut_records(
        &bytes,
        from,
        delimiter.unwrap_or(NO_DELIMITER),
        encoding,
        stated.header,
    )?;
    let Cut {
        table_start,
        header,
        header_reason,
        layout,
        quoted_cells,
        blank_lines,
    } = cut_file;

    let mut notes = Vec::new();
    if blank_lines > 0 {
        notes.push(note(
            None,
            None,
            format!("{blank_lines} lines hold only blanks and are no records"),
        ));
    }
    let names = names(
        &bytes[table_start..],
        &header,
        layout.n_cells(),
        encoding,
        &mut notes,
    );
    check_roles(roles, &names)?;
    let markers: Vec<Markers> = names
        .iter()
        .map(|name| {
            let codes = roles
                .attributes
                .get(name)
                .and_then(|stated| stated.na.as_deref());
            Markers::new(stated.na.as_deref(), codes.unwrap_or_default(), encoding)
        })
        .collect();
    let marks = marks::sniff(
        &bytes,
        &layout,
        delimiter == Some(b','),
        encoding,
        &markers,
        marks::Stated {
            decimal: stated.decimal_mark,
            thousands: stated.thousands_mark,
        },
    );
    let syntax = marks.syntax(encoding);
    let markers: Vec<Markers> = markers
        .into_iter()
        .map(|markers| markers.with_syntax(&syntax))
        .collect();
    let cells = columns::read_all(&bytes, &layout, &syntax, &markers);

    let file = Source {
        bytes: &bytes,
        layout: &layout,
        roles,
    };
    let mut attributes = Vec::with_capacity(names.len());
    let mut columns = Vec::with_capacity(names.len());
    for (place, (name, cells)) in names.into_iter().zip(cells).enumerate() {
        let (attribute, column) = file.attribute(place, name, cells, &marks, &mut notes)?;
        attributes.push(attribute);
        columns.push(column);
    }
    let dialect = Dialect {
        delimiter,
        decimal_mark: marks.decimal,
        thousands_mark: marks.thousands,
        encoding,
        header: !header.is_empty(),
        bom,
        line_end: line_end(&bytes, table_start, &header, &layout),
        final_line_end: matches!(bytes.last(), Some(b'\n' | b'\r')),
        quoted_cells,
        reasons: Reasons {
            delimiter: delimiter_reason,
            decimal_mark: marks.decimal_reason,
            thousands_mark: marks.thousands_reason,
            encoding: encoding_reason,
            header: header_reason,
        },
    };
    let name = name.to_owned();
    let file = File {
        name,
        bytes,
        table_start,
        header,
        layout,
        dialect,
        syntax,
        notes,
    };
    Ok(Table {
        file: Arc::new(file),
        attributes,
        columns,
        order: None,
    })
}

fn cut_records(
    bytes: &[u8],
    from: usize,
    delimiter: u8,
    encoding: Encoding,
    stated_header: Option<bool>,
) -> Result<Cut> {
    let mut tokens = Tokenizer::new(bytes, from, delimiter);
    let mut first = Vec::new();
    let Some(start) = tokens.next(&mut first)? else {
        return Err(
            Error::input("the file holds no table: it is empty or has only blank lines")
                .remedy("Give a file with a line of attribute names and a line for each record"),
        );
    };
    let (has_header, header_reason) = match stated_header {
        Some(header) => (header, "stated".to_owned()),
        None => {
            let record = &bytes[start.byte..];
            let cells = (0..first.len()).map(|place| cut(record, &first, place));
            dialect::sniff_header(cells, encoding)
        }
    };
    let mut layout = Layout::new(first.len());
    if !has_header {
        layout.push_record(start, &first)?;
        first.clear();
    }
    let blank_lines = layout.fill(&mut tokens)?;
    let Start {
        byte: table_start, ..
    } = start;
    let quoted_cells = tokens.quoted_cells();
    Ok(Cut {
        table_start,
        header: first,
        header_reason,
        layout,
        quoted_cells,
        blank_lines,
    })
}

/// A name for each attribute: those of the header, each made unique; `V1`, `V2` ... where it has none.
fn names(
    table: &[u8],
    header: &[u32],
    n_attributes: usize,
    encoding: Encoding,
    notes: &mut Vec<Note>,
) -> Vec<String> {
    let written: Vec<String> = (0..n_attributes)
        .map(|place| match header {
            [] => String::new(),
            ends => {
                let text = cell::unquoted(cut(table, ends, place));
                encoding.decode(&text).trim().to_owned()
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
            let what = if name.is_empty() {
                "has no name in the header"
            } else {
                "has a name that another has"
            };
            notes.push(note(
                Some(&unique),
                None,
                format!(
                    "attribute {} {what}; it is called {unique:?} here, and written unchanged",
                    place + 1
                ),
            ));
        }
        used.insert(unique.clone());
        names.push(unique);
    }
    names
}

fn check_roles(roles: &Roles, names: &[String]) -> Result<()> {
    let known: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    match roles
        .attributes
        .keys()
        .find(|name| !known.contains(name.as_str()))
    {
        None => Ok(()),
        Some(name) => Err(Error::input(format!(
            "the roles file names an attribute {name:?} that this file does not have"
        ))
        .remedy(alternatives(name, names.iter().map(String::as_str)))),
    }
}

/// What attributes are made from.
struct Source<'a> {
    bytes: &'a [u8],
    layout: &'a Layout,
    roles: &'a Roles,
}

impl Source<'_> {
    fn line_of(&self, record: usize) -> u64 {
        self.layout.line_of(self.bytes, record)
    }

    fn attribute(
        &self,
        place: usize,
        name: String,
        cells: Cells,
        marks: &Marks,
        notes: &mut Vec<Note>,
    ) -> Result<(Attribute, Column)> {
        let stated = self.roles.attributes.get(&name);
        let Cells {
            values,
            mut missing,
            words,
            mut tally,
        } = cells;
        if tally.texts.count == 0 && tally.numbers + tally.codes.count > 0 {
            missing = missing.joined(&words);
            tally.missing += tally.words.count;
        } else {
            tally.texts.join(tally.words);
        }
        let (scale, mut scale_reason) = match stated.and_then(|stated| stated.scale) {
            Some(scale) => {
                self.check_scale(scale, &name, &tally)?;
                (scale, "stated".to_owned())
            }
            None => guess::scale(&tally, |record| self.line_of(record)),
        };
        if marks.ambiguous.contains(&place) && scale == Scale::Nominal {
            scale_reason.push_str(
                "; commas before three digits may be decimal or thousands: state --decimal-mark or --thousands-mark",
            );
        }
        let (role, role_reason) = match stated.and_then(|stated| stated.role) {
            Some(role) => (role, "stated".to_owned()),
            None => guess::role(&name, &tally, scale, || {
                let present =
                    (0..self.layout.n_records()).filter(|&record| !missing.contains(record));
                guess::distinct_keys(
                    present.map(|record| self.layout.cell(self.bytes, record, place).into()),
                )
            }),
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
            values: (scale != Scale::Nominal).then(|| Arc::new(values)),
            missing,
            donors: None,
            printed: false,
        };
        Ok((attribute, column))
    }

    fn check_scale(&self, scale: Scale, name: &str, tally: &Tally) -> Result<()> {
        match tally.texts.first {
            Some(record) if scale != Scale::Nominal => Err(Error::input(format!(
                "the roles file makes the attribute {}, and {} of its cells are not numbers, here the first",
                scale.word(),
                tally.texts.count
            ))
            .at_line(self.line_of(record))
            .on_attribute(name)
            .remedy("Name what stands for missing values under [missing], or make the attribute nominal")),
            _ => Ok(()),
        }
    }

    fn cell_notes(&self, name: &str, scale: Scale, tally: &Tally, notes: &mut Vec<Note>) {
        let mut add = |first: Option<usize>, text: String| {
            notes.push(note(
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

fn note(attribute: Option<&str>, line: Option<u64>, text: String) -> Note {
    Note {
        attribute: attribute.map(str::to_owned),
        line,
        text,
    }
}

fn line_end(bytes: &[u8], table_start: usize, header: &[u32], layout: &Layout) -> LineEnd {
    let mut seen = LineEnd::of(&bytes[..table_start], LineEnd::None);
    let mut end = table_start + header.last().map_or(0, |&end| end as usize);
    for record in 0..layout.n_records() {
        seen = LineEnd::of(&bytes[end..layout.start(record)], seen);
        end = layout.end(record);
    }
    LineEnd::of(&bytes[end..], seen)
}
