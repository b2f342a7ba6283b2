//! Works out the decimal mark and the thousands mark of a file.
//!
//! Every reading (a decimal mark, and a thousands mark or none) is tried on a sample of the cells. The reading that
//! makes the most attributes all numbers wins, then the one that reads the most cells; where two do equally well, no
//! thousands mark comes before one, and the decimal point before the decimal comma.
//!
//! A thousands mark is believed only on good evidence, for a wrong one turns 1.5 into 15 or a postal code into a
//! number. An attribute, all of whose cells must be numbers by it, speaks for one if a cell holds both marks; or if a
//! cell holds it where it cannot be a decimal mark, and the numbers differ in length (those of codes such as
//! `12.345.678` do not). Hence the one pattern `1,234` alone is a decimal comma, never a
//! thousands comma; and in a file that is itself delimited by commas, where it is most likely neither, it is no
//! number at all until the user says what it is.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::cell::content;
use super::encoding::Encoding;
use super::limits::MARKS_SAMPLE;
use super::missing::Markers;
use super::number::{self, Syntax, THOUSANDS_MARKS, thousands_bytes};
use super::tokens::Layout;

/// The marks of a file and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marks {
    pub decimal: char,
    pub thousands: Option<char>,
    pub decimal_reason: String,
    pub thousands_reason: String,
    /// Attributes whose only evidence is the ambiguous pattern, in a comma-delimited file.
    pub ambiguous: Vec<usize>,
}

impl Marks {
    /// The grammar of the file's numbers; the thousands mark is one of its encoding.
    pub fn syntax(&self, encoding: Encoding) -> Syntax {
        Syntax {
            decimal: if self.decimal == ',' { b',' } else { b'.' },
            thousands: self
                .thousands
                .and_then(|mark| thousands_bytes(mark, encoding))
                .unwrap_or_default(),
        }
    }
}

/// What the user said about the marks; the outer `None` is "nothing".
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stated {
    pub decimal: Option<char>,
    pub thousands: Option<Option<char>>,
}

/// Digits alone are surely a number up to this length; longer ones can be beyond the range of `f64`.
const PLAIN_LENGTH: usize = 300;

/// One way to read the numbers of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate {
    decimal: char,
    thousands: Option<char>,
    syntax: Syntax,
}

/// The ways that agree with what was stated, the preferred ones first.
fn candidates(encoding: Encoding, stated: Stated) -> Vec<Candidate> {
    let thousands: Vec<Option<char>> = match stated.thousands {
        Some(mark) => vec![mark],
        None => std::iter::once(None)
            .chain(THOUSANDS_MARKS.into_iter().map(Some))
            .collect(),
    };
    let mut all = Vec::new();
    for thousands in thousands {
        for decimal in ['.', ','] {
            let bytes = match thousands {
                Some(mark) => thousands_bytes(mark, encoding),
                None => Some(&b""[..]),
            };
            if let Some(bytes) = bytes
                && thousands != Some(decimal)
                && stated.decimal.is_none_or(|stated| stated == decimal)
            {
                let syntax = Syntax {
                    decimal: decimal as u8,
                    thousands: bytes,
                };
                all.push(Candidate {
                    decimal,
                    thousands,
                    syntax,
                });
            }
        }
    }
    all
}

/// Whether this cell content is a number with any marks at all.
pub(super) fn number_of_any_kind(cell: &[u8], encoding: Encoding) -> bool {
    cell.iter().any(u8::is_ascii_digit)
        && candidates(encoding, Stated::default())
            .iter()
            .any(|candidate| number::read(cell, &candidate.syntax).is_some())
}

/// What the sampled cells of one attribute say about one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Evidence {
    numbers: usize,
    /// A cell holds both marks.
    both: bool,
    /// A cell holds the thousands mark where it cannot be a decimal mark.
    grouped: bool,
    /// Digits of the shortest and of the longest number.
    digits: Option<(usize, usize)>,
    /// A cell holds the decimal mark other than before exactly three digits (or after a zero): it is no thousands mark.
    decimals: bool,
    /// A cell holds the decimal mark at all.
    marked: bool,
}

impl Evidence {
    /// Adds so many cells of one shape.
    fn add(&mut self, cell: &[u8], cells: usize, candidate: &Candidate) {
        if number::read(cell, &candidate.syntax).is_none() {
            return;
        }
        self.numbers += cells;
        self.add_digits(cell.iter().filter(|byte| byte.is_ascii_digit()).count());
        if !candidate.syntax.thousands.is_empty() {
            let marks = memchr::memmem::find_iter(cell, candidate.syntax.thousands).count();
            let point = cell.contains(&candidate.syntax.decimal);
            let unlike_decimal = !matches!(candidate.thousands, Some('.' | ','));
            self.both |= marks > 0 && point;
            self.grouped |= marks > 1 || marks == 1 && unlike_decimal;
        } else if cell.contains(&candidate.syntax.decimal) {
            self.marked = true;
            let swapped = Syntax {
                decimal: if candidate.decimal == ',' { b'.' } else { b',' },
                thousands: if candidate.decimal == ',' { b"," } else { b"." },
            };
            self.decimals |= number::read(cell, &swapped).is_none();
        }
    }

    /// A number of digits alone: every candidate reads it, and it speaks for none.
    fn add_plain(&mut self, digits: usize) {
        self.numbers += 1;
        self.add_digits(digits);
    }

    fn add_digits(&mut self, digits: usize) {
        let (low, high) = self.digits.unwrap_or((digits, digits));
        self.digits = Some((low.min(digits), high.max(digits)));
    }

    fn join(&mut self, plain: Self) {
        self.numbers += plain.numbers;
        for digits in plain.digits.into_iter().flat_map(|(low, high)| [low, high]) {
            self.add_digits(digits);
        }
    }

    fn varied(&self) -> bool {
        self.digits.is_some_and(|(low, high)| low != high)
    }
}

/// What the sample says about one attribute.
struct Sampled {
    present: usize,
    evidence: Vec<Evidence>,
}

/// The marks of the file, from a sample of its records, and why.
///
/// # Complexity
/// Linear in the bytes of at most [`MARKS_SAMPLE`] records.
pub(super) fn sniff(
    bytes: &[u8],
    layout: &Layout,
    comma_delimited: bool,
    encoding: Encoding,
    markers: &[Markers],
    stated: Stated,
) -> Marks {
    let candidates = candidates(encoding, stated);
    let sampled = sample(bytes, layout, markers, &candidates);
    let believed = |place: usize| {
        candidates[place].thousands.is_none()
            || stated.thousands.is_some()
            || sampled.iter().any(|attribute| {
                let evidence = attribute.evidence[place];
                evidence.numbers == attribute.present
                    && (evidence.both || evidence.grouped && evidence.varied())
            })
    };
    let merit = |place: usize| {
        let full = sampled
            .iter()
            .filter(|attribute| {
                attribute.present > 0 && attribute.evidence[place].numbers == attribute.present
            })
            .count();
        let cells: usize = sampled
            .iter()
            .map(|attribute| attribute.evidence[place].numbers)
            .sum();
        (full, cells)
    };
    // The last of equals is taken, and the preferred ones are first.
    let best = (0..candidates.len())
        .rev()
        .filter(|&place| believed(place))
        .max_by_key(|&place| merit(place))
        .unwrap_or(0);
    let mut marks = Marks {
        decimal: candidates[best].decimal,
        thousands: candidates[best].thousands,
        decimal_reason: String::new(),
        thousands_reason: String::new(),
        ambiguous: Vec::new(),
    };
    if comma_delimited && stated.decimal.is_none() && stated.thousands.is_none() {
        forgo_ambiguous(&mut marks, &sampled, best);
    }
    explain(&mut marks, &sampled, best, stated);
    marks
}

fn sample(
    bytes: &[u8],
    layout: &Layout,
    markers: &[Markers],
    candidates: &[Candidate],
) -> Vec<Sampled> {
    let n_records = layout.n_records();
    let n_sampled = n_records.min(MARKS_SAMPLE);
    let of_attribute = |(place, markers): (usize, &Markers)| {
        let records = (0..n_sampled).map(|turn| turn * n_records / n_sampled);
        let cells = records.map(|record| content(layout.cell(bytes, record, place)));
        Sampled::of(cells.filter(|cell| !markers.is_marker(cell)), candidates)
    };
    markers.par_iter().enumerate().map(of_attribute).collect()
}

impl Sampled {
    /// Of the cells that are there.
    fn of<'a>(cells: impl Iterator<Item = &'a [u8]>, candidates: &[Candidate]) -> Self {
        let (mut present, mut plain) = (0, Evidence::default());
        let mut evidence = vec![Evidence::default(); candidates.len()];
        // Cells of one shape say the same, and there are few shapes.
        let mut shapes: BTreeMap<Shape, usize> = BTreeMap::new();
        for cell in cells {
            present += 1;
            if !cell.iter().any(u8::is_ascii_digit) {
                continue;
            }
            if cell.len() < PLAIN_LENGTH && cell.iter().all(u8::is_ascii_digit) {
                plain.add_plain(cell.len());
                continue;
            }
            match shape(cell) {
                Some(shape) => *shapes.entry(shape).or_default() += 1,
                None => {
                    for (evidence, candidate) in evidence.iter_mut().zip(candidates) {
                        evidence.add(cell, 1, candidate);
                    }
                }
            }
        }
        for (evidence, candidate) in evidence.iter_mut().zip(candidates) {
            for (shape, &cells) in &shapes {
                let length = shape.iter().take_while(|&&byte| byte != 0).count();
                evidence.add(&shape[..length], cells, candidate);
            }
            evidence.join(plain);
        }
        Self { present, evidence }
    }
}

/// A cell in which every digit but the first is 1, and so is the first unless it is 0; zero bytes follow.
type Shape = [u8; 16];

/// The shape of a cell: whether it is a number, and where its marks are, does not depend on the digits that it leaves out. Nothing of longer
/// cells, and of those with an exponent, whose digits decide whether a number is too large.
fn shape(cell: &[u8]) -> Option<Shape> {
    let mut shape = Shape::default();
    let mut is_first = true;
    for (byte, kept) in cell.iter().zip(shape.get_mut(..cell.len())?) {
        *kept = match byte {
            b'e' | b'E' | 0 => return None,
            b'1'..=b'9' => b'1',
            b'0' if !is_first => b'1',
            &other => other,
        };
        is_first &= !byte.is_ascii_digit();
    }
    Some(shape)
}

/// In a comma-delimited file, decimal commas need a cell that cannot be thousands; else the point is the mark.
fn forgo_ambiguous(marks: &mut Marks, sampled: &[Sampled], best: usize) {
    let evidence = |place: usize| sampled[place].evidence[best];
    if marks.decimal == '.'
        || marks.thousands.is_some()
        || (0..sampled.len()).any(|place| evidence(place).decimals)
    {
        return;
    }
    marks.ambiguous = (0..sampled.len())
        .filter(|&place| evidence(place).marked)
        .collect();
    marks.decimal = '.';
}

fn explain(marks: &mut Marks, sampled: &[Sampled], best: usize, stated: Stated) {
    let full = sampled
        .iter()
        .filter(|attribute| {
            attribute.present > 0 && attribute.evidence[best].numbers == attribute.present
        })
        .count();
    let so = format!("so the cells of {full} attributes are all numbers");
    let certain = sampled
        .iter()
        .any(|attribute| attribute.evidence[best].decimals);
    marks.decimal_reason = if stated.decimal.is_some() {
        "stated".to_owned()
    } else if !marks.ambiguous.is_empty() {
        "commas stand only before exactly three digits, in a file delimited by commas: not guessed"
            .to_owned()
    } else if marks.decimal == ',' && marks.thousands.is_none() && !certain {
        format!(
            "commas stand only before exactly three digits; without other evidence they are decimal: {so}"
        )
    } else if marks.decimal == '.' && full == 0 {
        "no attribute is all numbers".to_owned()
    } else {
        so.clone()
    };
    marks.thousands_reason = if stated.thousands.is_some() {
        "stated".to_owned()
    } else if marks.thousands.is_some() {
        format!("numbers of different length hold it where only it can stand: {so}")
    } else {
        "no number needs one to be read".to_owned()
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Cells counted by their shapes say for each way to read them what they say one by one.
        #[test]
        fn cells_of_one_shape_say_the_same(
            cells in prop::collection::vec("[-+]?[0-9]{0,4}[.,' ]?[0-9]{0,4}[.,' ]?[0-9]{0,4}(e-?[0-9]{1,3})?", 0..40)
        ) {
            let candidates = candidates(Encoding::Utf8, Stated::default());
            let cells = || cells.iter().map(|cell| content(cell.as_bytes()));
            let sampled = Sampled::of(cells(), &candidates);
            prop_assert_eq!(sampled.present, cells().count());
            for (evidence, candidate) in sampled.evidence.iter().zip(&candidates) {
                let mut one_by_one = Evidence::default();
                for cell in cells() {
                    one_by_one.add(cell, 1, candidate);
                }
                prop_assert_eq!(evidence, &one_by_one, "{:?}", candidate);
            }
        }
    }
}
