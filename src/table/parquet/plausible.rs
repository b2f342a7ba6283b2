//! What a Parquet file says of its own sizes, held against its bytes, before anybody takes room for what it says.
//!
//! The footer and the head of each page are structs in Thrift's compact protocol: fields of a number and a type, up to a stop. They are walked
//! here without keeping anything; all sizes that are met must fit into what is left of the bytes.

use bytes::Bytes;
use parquet::{
    basic::Encoding,
    column::page::{Page, PageMetadata, PageReader},
    errors::{ParquetError, Result},
};

/// Structs, lists and groups inside each other.
const MAX_DEPTH: usize = 64;

/// A page up to this size needs no word of its chunk.
const SMALL_PAGE: i64 = 1 << 24;

/// Bytes of the footer's length and of the letters after it.
const END: usize = 8;

/// Types of the compact protocol.
mod kind {
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const I16: u8 = 4;
    pub const I32: u8 = 5;
    pub const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const SET: u8 = 10;
    pub const MAP: u8 = 11;
    pub const STRUCT: u8 = 12;
    pub const UUID: u8 = 13;
}

/// Bytes that are read from front to back.
struct Compact<'a>(&'a [u8]);

impl<'a> Compact<'a> {
    fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|taken| taken[0])
    }

    /// Seven bits a byte, the least first.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// The same with the sign in the last bit.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        let half = i64::try_from(number >> 1).ok()?;
        Some(if number & 1 == 1 { !half } else { half })
    }

    /// How many there are, and of which type; each has a byte at least.
    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.number()?,
            few => few.into(),
        };
        (count <= self.0.len() as u64).then_some((count, head & 15))
    }

    /// Walks over a struct, and shows each field: its number and its type. What is not read by `see`, which says so, is passed over.
    fn fields(
        &mut self,
        depth: usize,
        mut see: impl FnMut(&mut Self, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        let mut id = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            id = match head >> 4 {
                0 => self.signed()?,
                step => id + i64::from(step),
            };
            let of = head & 15;
            if !see(self, id, of)? {
                self.pass(of, depth)?;
            }
        }
    }

    fn pass(&mut self, of: u8, depth: usize) -> Option<()> {
        let deeper = depth + 1;
        if deeper > MAX_DEPTH {
            return None;
        }
        match of {
            kind::TRUE | kind::FALSE => {}
            kind::BYTE => drop(self.byte()?),
            kind::I16 | kind::I32 | kind::I64 => drop(self.number()?),
            kind::DOUBLE => drop(self.take(8)?),
            kind::UUID => drop(self.take(16)?),
            kind::BINARY => {
                let count = self.number()?;
                self.take(count)?;
            }
            kind::LIST | kind::SET => {
                let (count, of) = self.list()?;
                for _ in 0..count {
                    self.pass_element(of, deeper)?;
                }
            }
            kind::MAP => {
                let count = self.number()?;
                if count > 0 {
                    let of = self.byte()?;
                    for _ in 0..count {
                        self.pass_element(of >> 4, deeper)?;
                        self.pass_element(of & 15, deeper)?;
                    }
                }
            }
            kind::STRUCT => self.fields(deeper, |_, _, _| Some(false))?,
            _ => return None,
        }
        Some(())
    }

    /// In a list a truth value has a byte of its own.
    fn pass_element(&mut self, of: u8, depth: usize) -> Option<()> {
        match of {
            kind::TRUE | kind::FALSE => self.byte().map(drop),
            of => self.pass(of, depth),
        }
    }
}

/// Whether the file ends with a footer whose lists fit into it, and whose schema is a tree of a sensible depth.
pub(super) fn footer(file: &[u8]) -> bool {
    read_footer(file).is_some()
}

fn read_footer(file: &[u8]) -> Option<()> {
    let (content, end) = file.split_at_checked(file.len().checked_sub(END)?)?;
    let length = u32::from_le_bytes(end.first_chunk().copied()?);
    if !end.ends_with(b"PAR1") {
        return None;
    }
    let from = content.len().checked_sub(usize::try_from(length).ok()?)?;
    Compact(&content[from..]).fields(0, |footer, id, of| {
        if (id, of) != (2, kind::LIST) {
            return Some(false);
        }
        let (elements, of) = footer.list()?;
        if of != kind::STRUCT {
            return None;
        }
        // How many children are still to come, of each group that is open.
        let mut open = vec![1_u64];
        for place in 0..elements {
            while open.last() == Some(&0) {
                open.pop();
            }
            *open.last_mut()? -= 1;
            let mut children = 0;
            footer.fields(1, |element, id, of| {
                if (id, of) != (5, kind::I32) {
                    return Some(false);
                }
                children = u64::try_from(element.signed()?).ok()?;
                Some(true)
            })?;
            if children > elements - 1 - place {
                return None;
            }
            open.push(children);
            if open.len() > MAX_DEPTH {
                return None;
            }
        }
        open.iter().all(|&children| children == 0).then_some(true)
    })
}

/// What the chunk of a column says of its pages.
pub(super) struct Chunk<'a> {
    pub bytes: &'a [u8],
    /// Bytes of all its pages when they are decompressed.
    pub decompressed: i64,
    pub records: usize,
    /// Bytes of a value in a dictionary, at least.
    pub least_width: u64,
}

impl Chunk<'_> {
    /// Whether its pages follow each other to its end, none is larger than the chunk says, each dictionary has room for its values, and
    /// all pages together have a value for each record.
    pub fn is_plausible(&self) -> bool {
        self.values() == Some(self.records as u64)
    }

    fn values(&self) -> Option<u64> {
        let mut pages = Compact(self.bytes);
        let mut values = 0_u64;
        while !pages.0.is_empty() {
            let (mut stored, mut decompressed, mut in_dictionary, mut in_page) = (None, None, 0, 0);
            pages.fields(0, |head, id, of| {
                match (id, of) {
                    (2, kind::I32) => decompressed = Some(head.signed()?),
                    (3, kind::I32) => stored = Some(head.signed()?),
                    (5 | 8, kind::STRUCT) => in_page = count(head)?,
                    (7, kind::STRUCT) => in_dictionary = count(head)?,
                    _ => return Some(false),
                }
                Some(true)
            })?;
            let decompressed = u64::try_from(decompressed?)
                .ok()
                .filter(|&size| size <= self.decompressed.max(SMALL_PAGE).unsigned_abs())?;
            if in_dictionary.checked_mul(self.least_width)? > decompressed {
                return None;
            }
            values = values.checked_add(in_page)?;
            pages.take(u64::try_from(stored?).ok()?)?;
        }
        Some(values)
    }
}

/// The first field of the head of a page of one kind: how many values it has.
fn count(head: &mut Compact<'_>) -> Option<u64> {
    let mut count = None;
    head.fields(1, |head, id, of| {
        if (id, of) != (1, kind::I32) {
            return Some(false);
        }
        count = u64::try_from(head.signed()?).ok();
        Some(true)
    })?;
    count
}

/// Pages, of which those that hold the lengths of their texts apart are looked at first: a decoder takes room for as many as they say.
pub(super) struct Checked {
    pub pages: Box<dyn PageReader>,
    /// Whether a value may be null.
    pub optional: bool,
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page
            && lengths_fit(page, self.optional).is_none()
        {
            return Err(ParquetError::General("lengths beyond the page".into()));
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

fn lengths_fit(page: &Page, optional: bool) -> Option<()> {
    let lists = match page.encoding() {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        // Those of what a text shares with the one before it, and those of the rest.
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => return Some(()),
    };
    let mut rest = Compact(values_of(page, optional)?);
    for _ in 0..lists {
        pass_deltas(&mut rest, page.num_values().into())?;
    }
    Some(())
}

/// The values of a data page, behind what says which records have one.
fn values_of(page: &Page, optional: bool) -> Option<&[u8]> {
    let bytes: &Bytes = page.buffer();
    let levels = match page {
        Page::DataPageV2 {
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len),
        Page::DataPage {
            def_level_encoding: Encoding::RLE,
            ..
        } if optional => 4 + u64::from(u32::from_le_bytes(bytes.first_chunk().copied()?)),
        Page::DataPage { num_values, .. } if optional => u64::from(num_values.div_ceil(8)),
        _ => 0,
    };
    bytes.get(usize::try_from(levels).ok()?..)
}

/// Passes over whole numbers that are stored by their differences, in blocks of small blocks of one width each: at most so many.
fn pass_deltas(bytes: &mut Compact<'_>, most: u64) -> Option<()> {
    let (block, small_blocks, count) = (bytes.number()?, bytes.number()?, bytes.number()?);
    bytes.number()?;
    let in_small_block = block.checked_div(small_blocks)?;
    if count > most || in_small_block == 0 {
        return None;
    }
    let mut left = count.saturating_sub(1);
    while left > 0 {
        bytes.number()?;
        for &width in bytes.take(small_blocks)? {
            if left > 0 {
                bytes.take(in_small_block.checked_mul(width.into())? / 8)?;
                left = left.saturating_sub(in_small_block);
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer of these bytes of Thrift, in a file of nothing else.
    fn file(thrift: &[u8]) -> Vec<u8> {
        let length = u32::try_from(thrift.len()).unwrap().to_le_bytes();
        [b"PAR1", thrift, &length, b"PAR1"].concat()
    }

    /// A schema (field 2, a list of structs) of groups with so many children each: field 5 of each, then the stop.
    fn schema(children: &[u8]) -> Vec<u8> {
        let head = u8::try_from(children.len()).unwrap() << 4 | kind::STRUCT;
        let elements = children
            .iter()
            .flat_map(|children| [5 << 4 | kind::I32, children * 2, 0]);
        let list = [2 << 4 | kind::LIST, head].into_iter().chain(elements);
        list.chain([0]).collect()
    }

    #[test]
    fn a_schema_is_a_tree() {
        assert!(footer(&file(&schema(&[2, 0, 0]))));
        assert!(footer(&file(&schema(&[1, 2, 0, 0]))));
        for wrong in [&[3, 0, 0][..], &[1, 0, 0], &[2, 0], &[60]] {
            assert!(!footer(&file(&schema(wrong))), "{wrong:?}");
        }
        // A list of 2^28 - 1 elements, of which none is there; a file shorter than its footer; no file.
        let endless = [2 << 4 | kind::LIST, 0xfc, 0xff, 0xff, 0xff, 0x7f];
        assert!(!footer(&file(&endless)));
        let mut short = file(&schema(&[0]));
        short[4 + schema(&[0]).len()] = 200;
        assert!(!footer(&short));
        assert!(!footer(b"PAR1"));
    }

    /// Groups in groups, as deep as a list of 15 goes at a time: structs in structs end, too.
    #[test]
    fn depth_ends() {
        let deep = vec![1 << 4 | kind::STRUCT; 10_000];
        assert!(!footer(&file(&deep)));
        let few = [vec![1 << 4 | kind::STRUCT; 20], vec![0; 21]].concat();
        assert!(footer(&file(&few)));
    }

    #[test]
    fn a_dictionary_has_room_for_its_values() {
        // Fields 1 to 3 are a type, the decompressed and the stored size; 7 is the head of a dictionary, whose first field is a count.
        let page = |count: u8| {
            [
                &[0x15, 4, 0x15, 16, 0x15, 16, 0x4c, 0x15, count * 2, 0, 0][..],
                &[7; 8],
            ]
            .concat()
        };
        let values = |bytes: &[u8]| {
            Chunk {
                bytes,
                decompressed: 8,
                records: 0,
                least_width: 4,
            }
            .values()
        };
        assert_eq!(values(&page(2)), Some(0));
        assert_eq!(values(&page(3)), None, "3 values of 4 bytes in 8");
        assert_eq!(values(&page(2)[..18]), None, "a page cut off");
    }

    /// Two lengths in a block of 128 in 4 small blocks: the first, and one difference of width 8.
    #[test]
    fn lengths_are_as_many_as_values() {
        let mut lengths = vec![0x80, 1, 4, 2, 6, 0, 8, 0, 0, 0];
        lengths.extend([1; 32]);
        let left = |bytes: &[u8], most| {
            let mut rest = Compact(bytes);
            pass_deltas(&mut rest, most).map(|()| rest.0.len())
        };
        assert_eq!(left(&lengths, 2), Some(0));
        assert_eq!(left(&lengths, 1), None, "more lengths than values");
        assert_eq!(left(&lengths[..20], 2), None, "cut off");
        assert_eq!(left(&[0, 4, 2, 6], 2), None, "blocks of nothing");
    }
}
