//! From bytes to a table.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::blank_lines::BlankLines;
use super::build::Source;
use super::columns;
use super::condensed::Text;
use super::dialect::{self, Dialect, LineEnd, Reasons};
use super::encoding::{self, Encoding};
use super::lexicon::Lexicon;
use super::limits::CHUNK;
use super::marks::{self, Marks};
use super::missing::Markers;
use super::names::FirstLine;
use super::number::thousands_bytes;
use super::parquet::{self, PartFile};
use super::roles::{Empty, FileSection, Roles};
use super::tokens::{Layout, NO_DELIMITER, Tokenizer, cut};
use super::{Attribute, Column, File, Kinds, Note, ReadOptions, RecordSet, Table, names, sha256};
use crate::{
    error::{Error, Result},
    memory,
};

/// Its number; beside it the table keeps where the cell is ([`Layout::bytes_of_cell`]).
const BYTES_OF_NUMBER: u128 = 8;

/// What is kept of it where the text is let go.
const BYTES_OF_KEPT: u128 = 4;

/// Where it is.
const BYTES_OF_RECORD: u128 = 8;

/// The records of a file before anything is known about their cells.
struct Cut {
    table_start: usize,
    header: Vec<u32>,
    /// Why there is a header, or none.
    header_reason: String,
    layout: Layout,
    quoted_cells: u64,
    blank_lines: BlankLines,
}

impl Table {
    /// Reads a table from the bytes of a file; `name` is used in messages only. A Parquet file is known by its first bytes, and read as the
    /// CSV file that [`parquet`] describes: what is stated of delimiter, marks, encoding, names and lines above the table
    /// is of no use for it.
    ///
    /// # Missing
    /// See the head of this module.
    ///
    /// # Errors
    /// [`Input`](crate::error::ErrorKind::Input), with the line where there is one: the file is empty, not text or
    /// not of the stated encoding, a quote is not closed or followed by text, a record has not as many cells as the
    /// first, a limit is exceeded, or the roles file names an attribute that is not there or makes an attribute of
    /// text one of numbers; a Parquet file is damaged or holds lists, records or bytes.
    /// [`Usage`](crate::error::ErrorKind::Usage): an option makes no sense, or the program was built without Parquet. No message
    /// holds a value of a record.
    ///
    /// # Complexity
    /// Linear in the bytes; the same result for any number of threads.
    pub fn read(name: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Self> {
        let stated = options.merged()?;
        let read = if parquet::is_parquet(&bytes) {
            let sum = sha256(&bytes);
            let path = String::new();
            read_parquet(name, vec![PartFile { path, bytes }], sum, &stated, options)
        } else {
            read(name, bytes, None, (&stated, options), Vec::new())
        };
        read.map_err(|error| error.in_file(name))
    }

    /// Reads a table from the Parquet files of a folder, in the order of their paths ([`parquet`]).
    ///
    /// # Errors
    /// As for [`read`](Self::read); and Input, when there is no file, one is no Parquet, or their attributes differ.
    ///
    /// # Complexity
    /// As for [`read`](Self::read).
    pub fn read_parts(name: &str, mut files: Vec<PartFile>, options: &ReadOptions) -> Result<Self> {
        let stated = options.merged()?;
        if files.is_empty() {
            return Err(Error::input("is a folder without a file of a table")
                .in_file(name)
                .remedy("Name a file, or a folder of Parquet files; names that begin with '_' or '.' are passed over"));
        }
        let sum = parquet::sum_of_folder(&mut files);
        read_parquet(name, files, sum, &stated, options).map_err(|error| error.in_file(name))
    }

    /// Makes it the table that the next program gets: written, and read from these bytes with the same options. Roles and scales that nobody
    /// stated are worked out anew. How the file is written stays as it was first read, so that a file of which little is left is not
    /// taken for one with other marks; and a stated scale of numbers is passed over where an attribute holds names by now.
    ///
    /// # Errors
    /// As for [`read`](Self::read); and Input, where attributes would have other names, because their places gave them their names
    /// and some were left out. Nothing is left of the table then.
    ///
    /// # Complexity
    /// Linear in the bytes. What nobody shares of the table is let go before the new one is made.
    pub fn reread(&mut self) -> Result<()> {
        let mut bytes = Vec::new();
        if self.write(&mut bytes).is_err() {
            unreachable!("a vector takes all bytes")
        }
        let (dialect, said) = (self.dialect(), &self.file.options);
        let of_numbers = |name: &str| {
            self.find(name)
                .is_ok_and(|attribute| self.has_numbers(attribute))
        };
        let options = ReadOptions {
            delimiter: dialect.delimiter,
            decimal_mark: Some(dialect.decimal_mark),
            thousands_mark: Some(dialect.thousands_mark),
            encoding: Some(dialect.encoding),
            na: said.na.clone(),
            header: Some(dialect.header),
            skip_lines: None,
            columns: None,
            condense_from: said.condense_from,
            roles: said.roles.clone().for_names(|name| !of_numbers(name)),
        };
        let names = |table: &Self| -> Vec<String> { table.names(&table.ids().collect::<Vec<_>>()) };
        let (file, before) = (self.name().to_owned(), names(self));
        let kinds = self.file.parquet.as_ref().map(|kinds| -> Kinds {
            let kind = |column: &Column| kinds.get(column.place).copied().flatten();
            self.columns.iter().map(kind).collect()
        });
        let attributes = self.attributes.drain(..);
        let in_order = self.order.is_none();
        // What would be read again from the same cells stays as it is.
        let known: Vec<Option<Known>> = (attributes.zip(self.columns.drain(..)))
            .map(|known| (in_order && known.1.is_as_read()).then_some(known))
            .collect();
        self.order = None;
        if let Some(file) = Arc::get_mut(&mut self.file) {
            file.text = Text::new(Vec::new(), Layout::default());
        }
        let stated = options.merged()?;
        let mut read = read(&file, bytes, None, (&stated, &options), known)
            .map_err(|error| error.in_file(&file))?;
        if let Some(file) = Arc::get_mut(&mut read.file) {
            file.parquet = kinds;
        }
        if names(&read) != before {
            return Err(Error::input(
                "attributes were left out of a file in which others are called by their places: the next step would take one for another",
            )
            .in_file(file)
            .remedy(
                "Give the file a header with a name for each attribute, or leave attributes out in the last step only",
            ));
        }
        *self = read;
        Ok(())
    }
}

/// An attribute of which every cell was read before.
type Known = (Attribute, Column);

/// Reads the text that Parquet files become.
fn read_parquet(
    name: &str,
    files: Vec<PartFile>,
    sum: String,
    stated: &FileSection,
    options: &ReadOptions,
) -> Result<Table> {
    let text = parquet::text(name, files, options)?;
    let stated = FileSection {
        delimiter: Some(b','),
        decimal_mark: Some('.'),
        thousands_mark: Some(None),
        encoding: Some(Encoding::Utf8),
        header: Some(true),
        skip_lines: None,
        ..stated.clone()
    };
    let bytes = text.bytes;
    let parquet = Some((text.kinds, sum));
    read(name, bytes, parquet, (&stated, options), Vec::new())
}

/// Reads text; `parquet` has the types and the sum of the file that it was made of, and `known` those attributes that need not be read, by
/// their places, or nothing.
fn read(
    name: &str,
    bytes: Vec<u8>,
    parquet: Option<(Kinds, String)>,
    (stated, options): (&FileSection, &ReadOptions),
    mut known: Vec<Option<Known>>,
) -> Result<Table> {
    let roles = &options.roles;
    let mut notes = Vec::new();
    let (parquet, parquet_sum) = parquet.unzip();
    let utf_16 = match &parquet {
        Some(_) => None,
        None => encoding::from_utf_16(&bytes, stated.encoding)?,
    };
    let (bytes, converted) = match utf_16 {
        None => (bytes, None),
        Some((text, order)) => {
            let what = format!("the file is UTF-16 ({order}): it is written as UTF-8");
            notes.push(Note::new(None, None, what));
            let reason = format!("it is UTF-16 ({order}) by its mark, and is written as UTF-8");
            (text, Some((sha256(&bytes), reason)))
        }
    };
    let (sha256, utf_16_reason) = converted.unzip();
    let sha256 = parquet_sum.or(sha256);
    let (encoding, reason) = encoding::detect(&bytes, stated.encoding)?;
    let encoding_reason = utf_16_reason.unwrap_or(reason);
    let lines = stated.skip_lines.unwrap_or(0);
    let (bom, title) = dialect::title(&bytes, lines)?;
    if lines > 0 {
        let what = match lines {
            1 => "the first line is skipped, and not written".to_owned(),
            _ => format!("the first {lines} lines are skipped, and not written"),
        };
        notes.push(Note::new(None, None, what));
    }
    let (from, sep) = dialect::preamble(&bytes, title.end);
    let (delimiter, delimiter_reason) = match (stated.delimiter, sep) {
        (Some(delimiter), _) => (Some(delimiter), "stated".to_owned()),
        (None, Some(delimiter)) => (Some(delimiter), "the first line states it".to_owned()),
        (None, None) => dialect::sniff_delimiter(&bytes, from, encoding),
    };
    let Cut {
        table_start,
        header,
        header_reason,
        layout,
        quoted_cells,
        blank_lines,
    } = cut_records(
        &bytes,
        tokens(&bytes, from, delimiter, sep).on_line(1 + lines),
        encoding,
        stated.header,
    )?;
    if let Some(text) = blank_lines.in_words() {
        notes.push(Note::new(None, None, text));
    }
    let table = &bytes[table_start..];
    let notes_of_records = notes.len();
    let (mut names, mut own_names) =
        names::unique(table, &header, layout.n_cells(), encoding, &mut notes);

    let lexicons: Vec<Option<Arc<Lexicon>>> = names
        .iter()
        .map(|name| Ok(roles.lexicon(name, encoding)?.map(Arc::new)))
        .collect::<Result<_>>()?;
    if known.len() != names.len() {
        known = names.iter().map(|_| None).collect();
    }
    let unknown: Vec<bool> = known.iter().map(Option::is_none).collect();
    let (marks, markers) = read_marks(
        &bytes,
        &layout,
        delimiter,
        encoding,
        &names,
        (stated, roles),
    )?;
    let syntax = marks.syntax(encoding);
    let may_condense = (options.condense_from).is_some_and(|least| bytes.len() >= least)
        && Text::may_condense(&bytes, &layout, &syntax, delimiter);
    let bytes_of_number = if may_condense {
        BYTES_OF_KEPT
    } else {
        BYTES_OF_NUMBER
    };
    let n_cells = layout.n_records() as u128 * layout.n_cells() as u128;
    memory::check(
        &format!("a table of {n_cells} cells"),
        bytes.len() as u128
            + n_cells * (bytes_of_number + layout.bytes_of_cell())
            + layout.n_records() as u128 * BYTES_OF_RECORD,
        1,
        "Leave out attributes that are not needed",
    )?;
    let by_name = (markers.as_slice(), lexicons.as_slice());
    let wanted = (unknown.as_slice(), !may_condense);
    let cells = columns::read_all(&bytes, &layout, &syntax, by_name, wanted);
    let first_line = FirstLine {
        table,
        header: &header,
        bytes: &bytes,
        layout: &layout,
        cells: &cells,
        encoding,
    };
    let doubt = if stated.header.is_some() || header.is_empty() || names::known(roles, &names) {
        None
    } else {
        first_line.doubt()
    };
    if doubt.is_some() {
        // What may be a record is no name, and not to be shown.
        names = names::places(layout.n_cells());
        own_names = false;
        notes.truncate(notes_of_records);
    }
    let source = Source {
        bytes: &bytes,
        layout: &layout,
        roles,
    };
    let mut attributes = Vec::with_capacity(names.len());
    let mut columns = Vec::with_capacity(names.len());
    let named_cells = names.into_iter().zip(cells.into_iter().zip(lexicons));
    for (place, ((name, meant), known)) in named_cells.zip(known).enumerate() {
        let (attribute, column) = match known {
            Some((attribute, column)) => (
                Attribute {
                    name,
                    position: place + 1,
                    ..attribute
                },
                Column {
                    place,
                    spelling: None,
                    ..column
                },
            ),
            None => source.attribute(place, name, meant, &marks, &mut notes)?,
        };
        attributes.push(attribute);
        columns.push(column);
    }
    let mut reasons = Reasons {
        delimiter: delimiter_reason,
        decimal_mark: marks.decimal_reason,
        thousands_mark: marks.thousands_reason,
        encoding: encoding_reason,
        header: header_reason,
    };
    if parquet.is_some() {
        reasons = Reasons::all("it is Parquet, read as text");
    }
    let dialect = Dialect {
        delimiter,
        decimal_mark: marks.decimal,
        thousands_mark: marks.thousands,
        encoding,
        header: !header.is_empty(),
        bom,
        skipped_lines: lines,
        line_end: line_end(&bytes, title.end..table_start, &header, &layout),
        final_line_end: matches!(bytes.last(), Some(b'\n' | b'\r')),
        quoted_cells,
        blank_lines,
        reasons,
    };
    let name = name.to_owned();
    let mut text = Text::new(bytes, layout);
    if may_condense {
        let missing = columns.iter().map(|column: &Column| &column.missing);
        let missing: Vec<&RecordSet> = missing.collect();
        text.condense(&syntax, delimiter, &missing);
    }
    let file = File {
        name,
        text,
        sha256,
        title,
        table_start,
        header,
        own_names,
        doubt,
        dialect,
        syntax,
        markers,
        notes,
        parquet,
        options: options.clone(),
    };
    Ok(Table {
        file: Arc::new(file),
        attributes,
        columns,
        order: None,
    })
}

/// The marks of the file's numbers, and what stands for missing values.
fn read_marks(
    bytes: &[u8],
    layout: &Layout,
    delimiter: Option<u8>,
    encoding: Encoding,
    names: &[String],
    (stated, roles): (&FileSection, &Roles),
) -> Result<(Marks, Vec<Markers>)> {
    let stated_marks = marks::Stated {
        decimal: stated.decimal_mark,
        thousands: stated.thousands_mark,
    };
    if let Some(Some(mark)) = stated_marks.thousands
        && thousands_bytes(mark, encoding).is_none()
    {
        let what = format!("the thousands mark is no character of {}", encoding.word());
        return Err(Error::input(what).remedy("State another mark or another encoding"));
    }
    let markers: Vec<Markers> = names
        .iter()
        .map(|name| {
            let of_name = roles.attributes.get(name);
            let codes = of_name.and_then(|stated| stated.na.as_deref());
            let markers = Markers::new(stated.na.as_deref(), codes, encoding);
            match of_name.and_then(|stated| stated.empty) {
                Some(Empty::Category) => markers.without_empty(),
                Some(Empty::Missing) | None => markers,
            }
        })
        .collect();
    let comma_delimited = delimiter == Some(b',');
    let marks = marks::sniff(
        bytes,
        layout,
        comma_delimited,
        encoding,
        &markers,
        stated_marks,
    );
    let syntax = marks.syntax(encoding);
    let markers: Vec<Markers> = markers
        .into_iter()
        .map(|markers| markers.with_syntax(&syntax))
        .collect();
    Ok((marks, markers))
}

/// The records from here on, after the line that states the delimiter if there is one.
fn tokens(bytes: &[u8], from: usize, delimiter: Option<u8>, sep: Option<u8>) -> Tokenizer<'_> {
    let mut tokens = Tokenizer::new(bytes, from, delimiter.unwrap_or(NO_DELIMITER));
    if sep.is_some() {
        tokens.skip_line_end();
    }
    tokens
}

fn cut_records(
    bytes: &[u8],
    mut tokens: Tokenizer<'_>,
    encoding: Encoding,
    stated_header: Option<bool>,
) -> Result<Cut> {
    let from_the_start = tokens.clone();
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
        tokens = from_the_start;
    }
    if first.len() == 1 {
        tokens.keep_blank_lines();
    }
    let blank_lines = layout.fill(&mut tokens)?;
    let quoted_cells = tokens.quoted_cells();
    let table_start = if has_header {
        start.byte
    } else {
        first.clear();
        layout.start(0)
    };
    Ok(Cut {
        table_start,
        header: first,
        header_reason,
        layout,
        quoted_cells,
        blank_lines,
    })
}

fn line_end(bytes: &[u8], before: Range<usize>, header: &[u32], layout: &Layout) -> LineEnd {
    let n_records = layout.n_records();
    let start = |record: usize| match record {
        record if record < n_records => layout.start(record),
        _ => bytes.len(),
    };
    let header_end = before.end + header.last().map_or(0, |&end| end as usize);
    let above = LineEnd::of(&bytes[before], LineEnd::None);
    let above = LineEnd::of(&bytes[header_end..start(0)], above);
    let of_chunk = |chunk: usize| {
        let records = chunk * CHUNK..n_records.min((chunk + 1) * CHUNK);
        records.fold(LineEnd::None, |seen, record| {
            LineEnd::of(&bytes[layout.end(record)..start(record + 1)], seen)
        })
    };
    let of_chunks = (0..n_records.div_ceil(CHUNK)).into_par_iter().map(of_chunk);
    of_chunks
        .reduce(|| LineEnd::None, LineEnd::joined)
        .joined(above)
}
