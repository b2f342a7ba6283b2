//! Cells that are numbers of the same few decimals.

use rayon::prelude::*;

use crate::table::{number, record_set::RecordSet, tokens::Layout};

/// The cells of one attribute, each a number in steps of its last decimal.
pub struct Steps {
    form: Form,
    /// 10 to the power of the decimals.
    in_one: f64,
    steps: Vec<i32>,
}

/// How every cell of an attribute is written.
pub struct Form {
    decimals: usize,
    /// What stands before the decimals.
    mark: u8,
    /// What stands in the cells that hold [`GAP`], if one does.
    gap: Option<Vec<u8>>,
}

impl Form {
    /// The steps that are written as this very cell, if any are.
    #[inline(always)]
    pub fn read(&self, cell: &[u8]) -> Option<i32> {
        let steps = read(cell, self.decimals, self.mark);
        steps.or_else(|| (self.gap.as_deref() == Some(cell)).then_some(GAP))
    }
}

/// A cell without a number.
const GAP: i32 = i32::MIN;

impl Steps {
    /// Those of an attribute of which no cell was read yet: its first number says how many decimals there are, and the first cell that is
    /// missing and no number how a gap is written.
    pub fn begun(
        bytes: &[u8],
        layout: &Layout,
        place: usize,
        mark: u8,
        missing: &RecordSet,
    ) -> Self {
        let cell = |record: usize| layout.cell(bytes, record, place);
        let first = (0..layout.n_records()).find(|&record| !missing.contains(record));
        let decimals = first.map_or(0, |record| {
            let cell = cell(record);
            let whole = cell.iter().position(|&byte| byte == mark);
            whole.map_or(0, |whole| cell.len() - 1 - whole)
        });
        let mut gaps = missing.records().map(cell);
        let gap = gaps.find(|cell| read(cell, decimals, mark).is_none());
        Self {
            form: Form {
                decimals,
                mark,
                gap: gap.map(<[u8]>::to_vec),
            },
            in_one: number::power(decimals),
            steps: Vec::new(),
        }
    }

    /// How every cell is written, and room for the steps of so many.
    pub fn with_room(&mut self, cells: usize) -> (&Form, &mut [i32]) {
        self.steps = vec![0; cells];
        (&self.form, &mut self.steps)
    }

    /// How every cell is written.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The steps of a record, or [`GAP`].
    #[inline(always)]
    pub fn of(&self, record: usize) -> i32 {
        self.steps[record]
    }

    /// Appends a cell that holds these steps.
    pub fn write(&self, steps: i32, out: &mut Vec<u8>) {
        match steps {
            GAP => out.extend(self.form.gap.iter().flatten()),
            steps => print(steps, self.form.decimals, self.form.mark, out),
        }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The number in the cell of this record of the file; 0 where there is none.
    #[inline(always)]
    pub fn value(&self, record: usize) -> f64 {
        self.number(self.steps[record])
    }

    /// The numbers in the cells of these records of the file, or of all.
    pub fn values(&self, records: Option<&[u32]>) -> Vec<f64> {
        match records {
            None => self
                .steps
                .par_iter()
                .map(|&steps| self.number(steps))
                .collect(),
            Some(records) => {
                let value = |&record: &u32| self.value(record as usize);
                records.par_iter().map(value).collect()
            }
        }
    }

    #[inline(always)]
    fn number(&self, steps: i32) -> f64 {
        if steps == GAP {
            return 0.0;
        }
        // As the text of the cell is read: a quotient of two exact numbers.
        f64::from(steps) / self.in_one
    }
}

/// Appends a number of so many decimals.
fn print(steps: i32, decimals: usize, decimal: u8, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    if decimals == 0 {
        out.extend_from_slice(buffer.format(steps).as_bytes());
        return;
    }
    if steps < 0 {
        out.push(b'-');
    }
    let digits = buffer.format(steps.unsigned_abs()).as_bytes();
    let zeros = (decimals + 1).saturating_sub(digits.len());
    let from = out.len();
    out.extend(std::iter::repeat_n(b'0', zeros));
    out.extend_from_slice(digits);
    debug_assert!(
        out.len() > from + decimals,
        "a digit stands before the mark"
    );
    out.insert(out.len() - decimals, decimal);
}

/// The number of which [`print()`] writes this very text, if there is one.
fn read(text: &[u8], decimals: usize, decimal: u8) -> Option<i32> {
    /// More digits are no i32.
    const MOST: usize = 10;
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let whole = match decimals {
        0 => digits.len(),
        _ => digits.len().checked_sub(decimals + 1)?,
    };
    let is_plain = match digits.get(..whole)? {
        [] => false,
        [b'0'] => true,
        [first, ..] => *first != b'0',
    };
    if !is_plain || digits.len() > MOST + 1 {
        return None;
    }
    let mut steps = 0_i64;
    for (place, &byte) in digits.iter().enumerate() {
        if place == whole {
            if byte != decimal {
                return None;
            }
        } else if byte.is_ascii_digit() {
            steps = steps * 10 + i64::from(byte - b'0');
        } else {
            return None;
        }
    }
    if negative && steps == 0 {
        return None;
    }
    let steps = i32::try_from(if negative { -steps } else { steps }).ok()?;
    (steps != GAP).then_some(steps)
}
