//! From Parquet files to the text of a table.

use std::ops::Range;

use bytes::Bytes;
use parquet::{
    basic::{Compression, Type as Physical},
    column::reader::{ColumnReader, get_column_reader},
    file::{
        metadata::RowGroupMetaData,
        reader::{FileReader, SerializedFileReader},
    },
    schema::types::{ColumnDescriptor, Type},
};
use rayon::prelude::*;

use super::{
    PartFile, Text, folder,
    kind::Kind,
    plausible::{self, Checked, Chunk},
    spell::{self, Cells, Trouble},
};
use crate::{
    error::{Error, Result, fenced},
    memory,
    table::{
        ReadOptions,
        encoding::BOM,
        limits::{MAX_ATTRIBUTES, MAX_RECORDS},
    },
    visible,
};

/// Records of a row group that are decoded at a time; groups of no more are decoded side by side. As many are in one that is written.
pub(super) const BATCH: usize = 1 << 17;

/// Row groups that are decoded side by side.
const GROUPS_AT_ONCE: usize = 16;

/// Records that one thread joins to lines at a time.
const BLOCK: usize = 2_048;

/// The least bytes of a cell: in the text, and in the table that is read from it.
const BYTES_OF_CELL: u128 = 11;

/// An attribute.
struct Attribute {
    name: String,
    kind: Option<Kind>,
    from: From,
}

/// Where the cells of an attribute are.
#[derive(Clone, Copy, PartialEq)]
enum From {
    /// In a column of the files: its place in the first one.
    Column(usize),
    /// In the names of folders.
    Folder(usize),
}

/// A file, opened.
struct Part {
    /// Its name in messages.
    name: String,
    file: SerializedFileReader<Bytes>,
    bytes: Bytes,
    /// For each attribute of the table its column, in the order of the file's columns, or the cell that all records have.
    cells: Vec<Source>,
}

enum Source {
    Column { place: usize, kind: Kind },
    Constant(Vec<u8>),
}

/// The text of the table that these files hold, in their order; one without a path is no part of a folder. Of the columns only those that
/// [`ReadOptions::columns`] names are read, if it names any.
///
/// # Errors
/// Input: a file is damaged or no Parquet, holds what is no table, or the files differ in their attributes. Failed, when the text would not
/// fit into memory.
///
/// # Complexity
/// Linear in the text, in parallel; the same for any number of threads. Beside files and text it keeps some row groups.
pub(in crate::table) fn text(
    name: &str,
    files: Vec<PartFile>,
    options: &ReadOptions,
) -> Result<Text> {
    folder::check_alike(name, &files)?;
    let mut parts = Vec::with_capacity(files.len());
    let mut attributes: Vec<Attribute> = Vec::new();
    for file in files {
        let name = match file.path.as_str() {
            "" => name.to_owned(),
            path => format!("{name}/{path}"),
        };
        let part = open(&name, file, &mut attributes, options);
        parts.push(part.map_err(|error| error.in_file(name))?);
    }
    let records: u128 = parts.iter().map(Part::records).sum();
    let cells = records * attributes.len() as u128;
    if records > MAX_RECORDS as u128 {
        return Err(Error::input(format!(
            "it has {records} records, more than {MAX_RECORDS}"
        )));
    }
    memory::check(
        &format!("a table of {cells} cells"),
        cells,
        BYTES_OF_CELL as usize,
        "Leave out attributes that are not needed",
    )?;
    let mut text = Vec::new();
    push_names(&attributes, &mut text);
    for part in &parts {
        (part.append(&attributes, &mut text)).map_err(|error| error.in_file(&part.name))?;
    }
    Ok(Text {
        bytes: text,
        kinds: attributes.iter().map(|attribute| attribute.kind).collect(),
    })
}

/// What is written for a file that is not what it must be. The words of the library are not shown: they may hold a value.
fn damaged() -> Error {
    Error::input("is damaged, or is not as the standard of Parquet has it: what it says of its content does not fit its bytes")
        .remedy("Copy it again, or write it again with the program that made it, in version 1 if there is a choice")
}

fn open(
    name: &str,
    file: PartFile,
    attributes: &mut Vec<Attribute>,
    options: &ReadOptions,
) -> Result<Part> {
    if file.bytes.starts_with(b"PARE") {
        return Err(
            Error::input("is encrypted").remedy("Write it again without encryption, or as CSV")
        );
    }
    if !super::is_parquet(&file.bytes) {
        return Err(Error::input("is no Parquet file").remedy(
            "Keep other files elsewhere, or give them names that begin with '_' or '.': these are passed over",
        ));
    }
    if !plausible::footer(&file.bytes) {
        return Err(damaged());
    }
    let bytes = Bytes::from(file.bytes);
    let opened = fenced("the library", || SerializedFileReader::new(bytes.clone()));
    let opened = opened
        .ok()
        .and_then(std::result::Result::ok)
        .ok_or_else(damaged)?;
    let schema = opened.metadata().file_metadata().schema_descr();
    let fields = schema.root_schema().get_fields();
    let columns = fields
        .iter()
        .map(|field| column_of(field))
        .collect::<Result<Vec<_>>>()?;
    let wanted = |name: &str| {
        let named = options.columns.as_ref();
        named.is_none_or(|columns| columns.iter().any(|column| column == name))
    };
    let folders = folder::attributes(&file.path)?;
    let is_first = attributes.is_empty();
    if is_first {
        for (place, (name, kind)) in columns.iter().enumerate() {
            attributes.push(Attribute {
                name: name.clone(),
                kind: Some(*kind),
                from: From::Column(place),
            });
        }
        for (place, (name, _)) in folders.iter().enumerate() {
            if !columns.iter().any(|(column, _)| column == name) {
                attributes.push(Attribute {
                    name: name.clone(),
                    kind: Some(Kind::Text),
                    from: From::Folder(place),
                });
            }
        }
        attributes.retain(|attribute| wanted(&visible::name(&attribute.name)));
        if attributes.is_empty() {
            return Err(Error::input("holds no attribute that is asked for")
                .remedy("Give a file with a column at least"));
        }
        if attributes.len() > MAX_ATTRIBUTES {
            return Err(Error::input(format!(
                "has {} attributes, more than {MAX_ATTRIBUTES}",
                attributes.len()
            )));
        }
    }
    let mut cells = Vec::with_capacity(attributes.len());
    for attribute in attributes.iter_mut() {
        cells.push(match attribute.from {
            From::Column(first) => {
                let place = place_of(&columns, &attribute.name, first)?;
                let kind = columns[place].1;
                attribute.kind = attribute.kind.filter(|&known| known == kind);
                Source::Column { place, kind }
            }
            From::Folder(place) => {
                let mut cell = Vec::new();
                spell::push_text(folders[place].1.as_bytes(), &mut cell);
                Source::Constant(cell)
            }
        });
    }
    let in_table = |name: &str| attributes.iter().any(|attribute| attribute.name == name);
    if let Some((name, _)) = columns
        .iter()
        .find(|(name, _)| wanted(&visible::name(name)) && !in_table(name))
    {
        return Err(Error::input("is not in the first file of the folder")
            .on_attribute(visible::name(name))
            .remedy("Give all files of the folder the same columns"));
    }
    let part = Part {
        name: name.to_owned(),
        file: opened,
        bytes,
        cells,
    };
    part.check_codecs()?;
    Ok(part)
}

/// The name of a column, and what it holds.
fn column_of(field: &Type) -> Result<(String, Kind)> {
    let kind = Kind::of(field).map_err(|what| {
        Error::input(format!("holds {what}, which are no cells of a table"))
            .on_attribute(visible::name(field.name()))
            .remedy("Write the file without it, or make it numbers or text first")
    })?;
    Ok((field.name().to_owned(), kind))
}

/// The place of a column in a file: by its name, or, where several have it, by its place in the first file.
fn place_of(columns: &[(String, Kind)], name: &str, first: usize) -> Result<usize> {
    if columns.get(first).is_some_and(|(there, _)| there == name) {
        return Ok(first);
    }
    let mut places = (0..columns.len()).filter(|&place| columns[place].0 == name);
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (None, _) => Err(Error::input("is not in this file, but in the first of the folder")
            .on_attribute(visible::name(name))
            .remedy("Give all files of the folder the same columns")),
        _ => Err(Error::input("several columns have this name, and stand elsewhere than in the first file of the folder")
            .on_attribute(visible::name(name))
            .remedy("Give each column a name of its own")),
    }
}

/// What is wrong with the values of a column, counted among those that are read.
fn blame(column: usize, trouble: Trouble, attributes: &[Attribute]) -> Error {
    let error = match trouble {
        Trouble::Damaged => damaged(),
        Trouble::NotText => {
            Error::input("a text is not UTF-8").remedy("Write the file again as UTF-8")
        }
        Trouble::Date => Error::input("a date is not of the years 1 to 9999")
            .remedy("Write the file again with a date of these years, or null, in its place"),
    };
    let of_files = |attribute: &&Attribute| matches!(attribute.from, From::Column(_));
    match attributes.iter().filter(of_files).nth(column) {
        Some(attribute) => error.on_attribute(visible::name(&attribute.name)),
        None => error,
    }
}

/// The line of names. What a reader of text could take for something else than a name is quoted.
fn push_names(attributes: &[Attribute], text: &mut Vec<u8>) {
    for (place, Attribute { name, .. }) in attributes.iter().enumerate() {
        let from = text.len() + usize::from(place > 0);
        if place > 0 {
            text.push(b',');
        }
        spell::push_text(name.as_bytes(), text);
        let bytes = &text[from..];
        let starts_otherwise = place == 0
            && (bytes.starts_with(BOM)
                || bytes
                    .get(..4)
                    .is_some_and(|start| start.eq_ignore_ascii_case(b"sep=")));
        if starts_otherwise || attributes.len() == 1 && bytes.is_empty() {
            text.insert(from, b'"');
            text.push(b'"');
        }
    }
    text.push(b'\n');
}

/// A row group whose columns are being read.
struct Open {
    columns: Vec<(ColumnReader, Kind)>,
    left: usize,
}

impl Part {
    /// Records by its footer.
    fn records(&self) -> u128 {
        let groups = self.file.metadata().row_groups().iter();
        groups
            .map(|group| u128::try_from(group.num_rows()).unwrap_or(0))
            .sum()
    }

    /// # Errors
    /// Input, when a column is compressed in a way that is not built in.
    fn check_codecs(&self) -> Result<()> {
        for group in self.file.metadata().row_groups() {
            for source in &self.cells {
                let Source::Column { place, .. } = source else {
                    continue;
                };
                let column = group.columns().get(*place).ok_or_else(damaged)?;
                let codec = match column.compression() {
                    Compression::BROTLI(_) => "Brotli",
                    Compression::LZO => "LZO",
                    _ => continue,
                };
                return Err(Error::input(format!(
                    "is compressed by {codec}, which is not built in"
                ))
                .on_attribute(visible::name(column.column_descr().name()))
                .remedy(
                    "Write the file with Snappy, Zstandard, gzip, LZ4 or without compression",
                ));
            }
        }
        Ok(())
    }

    /// Appends the lines of its records.
    fn append(&self, attributes: &[Attribute], text: &mut Vec<u8>) -> Result<()> {
        let groups = self.file.metadata().row_groups();
        let is_small = |group: &RowGroupMetaData| group.num_rows() <= BATCH as i64;
        let mut next = 0;
        while next < groups.len() {
            let small = groups[next..].iter().take(GROUPS_AT_ONCE);
            let small = small.take_while(|group| is_small(group)).count();
            let turn = next..next + small.max(1);
            next = turn.end;
            self.append_groups(turn, attributes, text)?;
        }
        Ok(())
    }

    /// Appends the lines of these row groups: one, or several of at most [`BATCH`] records each.
    fn append_groups(
        &self,
        groups: Range<usize>,
        attributes: &[Attribute],
        text: &mut Vec<u8>,
    ) -> Result<()> {
        // Of several errors the first one is shown, whichever thread was faster.
        let open: Vec<Result<Open>> = groups
            .into_par_iter()
            .map(|group| self.open_group(group))
            .collect();
        let mut open = open.into_iter().collect::<Result<Vec<Open>>>()?;
        while open.iter().any(|group| group.left > 0) {
            let decoded: Vec<_> = open.par_iter_mut().map(Open::next).collect();
            let decoded = decoded
                .into_iter()
                .collect::<std::result::Result<Vec<_>, _>>()
                .map_err(|(column, trouble)| blame(column, trouble, attributes))?;
            for (records, cells) in &decoded {
                let size: usize = cells.iter().map(Cells::size).sum();
                let constant: usize = (self.cells.iter())
                    .map(|source| match source {
                        Source::Column { .. } => 1,
                        Source::Constant(cell) => cell.len() + 1,
                    })
                    .sum();
                let size = size as u128 + *records as u128 * constant as u128;
                memory::check(
                    "the text of the table",
                    text.len() as u128 + size,
                    1,
                    "Leave out attributes that are not needed",
                )?;
                text.reserve(usize::try_from(size).unwrap_or(0));
                let blocks: Vec<Vec<u8>> = (0..records.div_ceil(BLOCK))
                    .into_par_iter()
                    .map(|block| {
                        self.lines(block * BLOCK..(*records).min((block + 1) * BLOCK), cells)
                    })
                    .collect();
                for block in &blocks {
                    text.extend_from_slice(block);
                }
            }
        }
        Ok(())
    }

    /// These records as lines.
    fn lines(&self, records: Range<usize>, columns: &[Cells]) -> Vec<u8> {
        let mut out = Vec::new();
        for record in records {
            let (from, mut columns) = (out.len(), columns.iter());
            for (place, source) in self.cells.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                match source {
                    Source::Constant(cell) => out.extend_from_slice(cell),
                    Source::Column { .. } => {
                        out.extend_from_slice(
                            columns.next().map_or(&[], |cells| cells.cell(record)),
                        );
                    }
                }
            }
            if out.len() == from {
                // One attribute, which is missing: a blank line would be counted as such.
                out.extend_from_slice(b"\"\"");
            }
            out.push(b'\n');
        }
        out
    }

    fn open_group(&self, group: usize) -> Result<Open> {
        let opened = fenced("the library", || {
            let reader = self.file.get_row_group(group).ok()?;
            let metadata = reader.metadata();
            let records = usize::try_from(metadata.num_rows()).ok()?;
            let mut columns = Vec::new();
            for source in &self.cells {
                let &Source::Column { place, kind } = source else {
                    continue;
                };
                let chunk = metadata.columns().get(place)?;
                let (from, length) = chunk.byte_range();
                let to = from.checked_add(length)?;
                let descriptor = chunk.column_descr_ptr();
                let chunk = Chunk {
                    bytes: self
                        .bytes
                        .get(usize::try_from(from).ok()?..usize::try_from(to).ok()?)?,
                    decompressed: chunk.uncompressed_size(),
                    records,
                    least_width: least_width(&descriptor),
                };
                if !chunk.is_plausible() {
                    return None;
                }
                let pages = Checked {
                    pages: reader.get_column_page_reader(place).ok()?,
                    optional: descriptor.max_def_level() > 0,
                };
                columns.push((get_column_reader(descriptor, Box::new(pages)), kind));
            }
            Some(Open {
                columns,
                left: records,
            })
        });
        opened.ok().flatten().ok_or_else(damaged)
    }
}

impl Open {
    /// The next records: how many, and the cells of each column. An error names the column by its place.
    fn next(&mut self) -> std::result::Result<(usize, Vec<Cells>), (usize, Trouble)> {
        let records = self.left.min(BATCH);
        self.left -= records;
        let columns = self.columns.par_iter_mut().enumerate();
        let cells = columns.map(|(place, (reader, kind))| {
            fenced("the library", || spell::next(reader, *kind, records))
                .unwrap_or(Err(Trouble::Damaged))
                .map_err(|trouble| (place, trouble))
        });
        let cells: Vec<_> = cells.collect();
        let cells = cells.into_iter().collect::<std::result::Result<_, _>>()?;
        Ok((records, cells))
    }
}

/// Bytes that a value of a column has in a dictionary, at least.
fn least_width(column: &ColumnDescriptor) -> u64 {
    match column.physical_type() {
        Physical::BOOLEAN => 1,
        Physical::INT32 | Physical::FLOAT => 4,
        Physical::INT64 | Physical::DOUBLE => 8,
        Physical::INT96 => 12,
        // Its length, before the bytes.
        Physical::BYTE_ARRAY => 4,
        Physical::FIXED_LEN_BYTE_ARRAY => u64::try_from(column.type_length()).unwrap_or(1).max(1),
    }
}
