//! The fixed limits of a table, in one place.

/// Most attributes of a table. More is almost always a wrong delimiter or a file that is no table.
pub const MAX_ATTRIBUTES: usize = 65_536;

/// Most records of a table: a record is named by a `u32`.
pub const MAX_RECORDS: usize = u32::MAX as usize;

/// Most bytes of one record: a cell's end is a `u32` from the start of its record.
pub const MAX_RECORD_BYTES: usize = u32::MAX as usize - 1;

/// Most bytes of a number: every `f64` can be written exactly in fewer. What is longer is text.
pub const MAX_NUMBER_BYTES: usize = 1_200;

/// Records that decide about the delimiter.
pub(super) const DELIMITER_SAMPLE: usize = 100;

/// Records, evenly spread over the file, that decide about decimal and thousands marks.
pub(super) const MARKS_SAMPLE: usize = 20_000;

/// Records whose cells decide whether the first line is written as they are.
pub(super) const SHAPE_SAMPLE: usize = 1_000;

/// An attribute of whole numbers with at most this many different ones holds codes or counts.
pub(super) const FEW_VALUES: usize = 20;

/// From this many records on, an attribute can be an identifier by its values alone.
pub const IDENTIFIER_RECORDS: usize = 20;

/// Groups of records that share a cell, such as households, have this many members on average at most. Larger ones are
/// classes, or an attribute by which the file is sorted.
pub const GROUP_RECORDS: usize = 5;

/// A text of this many letters is more than the name of a category: it is written by somebody.
pub const LONG_TEXT_LETTERS: usize = 40;

/// From this many longer texts on, an attribute holds remarks; fewer may be rare categories with long names.
pub const LONG_TEXTS: usize = 5;

/// So many e-mail addresses or telephone numbers are no accident.
pub const PATTERN_CELLS: usize = 5;

/// Whole numbers of this many digits and one width are numbers of people rather than amounts, if nearly all differ: amounts
/// of this size differ in width, or are rounded.
pub const PERSON_NUMBER_DIGITS: usize = 8;

/// So many cells with one value can be a code for missing values; fewer are somebody's values.
pub const CODE_CELLS: usize = 3;

/// Records worked on at a time by one thread: a multiple of 64, so that a chunk owns its words of a mask.
pub(super) const CHUNK: usize = 4_096;

/// A line number is kept every so many records; those between are counted when asked for.
pub(super) const LINE_STEP: usize = if cfg!(test) { 16 } else { 1_024 };
