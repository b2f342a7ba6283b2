//! The records of both files as numbers: standardised, with the pairs that are true.
//!
//! The law is that of the distance `am` (docs of the attack), worked out again from the tables:
//!
//! ```text
//! number     diff(a, b) = w (x − b)²      x = (a − mean of a's file) · (sd of b's file / sd of a's file) + mean of b's file,
//!                                         w = 1 / (sd of b's file)²
//! name       diff = 0 if both are the same, else 2 / (1 − Σ p²), p the shares of the names in the masked file
//! gap        diff = variance of a's file + variance of b's file, standardised; of a name 2
//! ```
//!
//! Means, sds, x and w are `f64` numbers and define the problem; everything after them is exact. Where files are not standardised, or by
//! one file for both, x is a and nothing is rounded. Where it is rounded, two competitors that lie on both sides of x, equally
//! far but for the rounding, tie ([`Points::ties`]).

use std::collections::BTreeMap;

use super::{
    exact::Exact,
    fingerprint::Pairing,
    format::{Certificate, Direction, Family, Standardize},
};
use crate::{
    error::{Difference, Error, Reason, Result},
    stats::moments::{Moments, moments},
    table::{AttrId, Table},
};

/// Distances that differ by less than this share of the numbers that they are differences of are equal: sixteen times the rounding
/// of one operation.
const TIE: f64 = 1.0 / (1_u64 << 48) as f64;

/// The values of an attribute, of some records.
type Cells = Vec<Option<f64>>;

/// What the values of an attribute are.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Numbers; if x was rounded, the size of the mean that it was moved to.
    Number { moved_to: Option<f64> },
    /// Codes of names.
    Name,
}

/// An attribute: how differences are weighed.
#[derive(Debug, Clone, Copy)]
struct Attribute {
    kind: Kind,
    weight: f64,
    /// The square root of the weight, for differences with a sign.
    root: f64,
    gap: f64,
}

/// Records as numbers.
#[derive(Debug)]
pub(super) struct Points {
    attributes: Vec<Attribute>,
    /// Record by record.
    seekers: Vec<Option<f64>>,
    sought: Vec<Option<f64>>,
    /// The file record of each seeker and of each sought record, ascending, from 0.
    seeker_records: Vec<u32>,
    sought_records: Vec<u32>,
    /// For each seeker its partner's place among the sought records.
    partners: Vec<Option<u32>>,
}

impl Points {
    /// The records that a certificate speaks of.
    ///
    /// # Errors
    /// Input, when an attribute cannot be standardised, or is no number in one file only, or does not fit the family.
    pub fn new(certificate: &Certificate, files: &Pairing<'_>, held: &[u32]) -> Result<Self> {
        let original = held.to_vec();
        let masked: Vec<u32> = (0_u32..).take(files.masked.n_records()).collect();
        let turned = certificate.direction == Direction::MaskedToOriginal;
        let mut attributes = Vec::new();
        let mut columns: [Vec<Vec<Option<f64>>>; 2] = [Vec::new(), Vec::new()];
        for &ids in files.known {
            let (attribute, values) = column(certificate, files, ids, [&original, &masked], turned)
                .map_err(|error| error.on_attribute(&files.original.attribute(ids.0).name))?;
            attributes.push(attribute);
            for (columns, values) in columns.iter_mut().zip(values) {
                columns.push(values);
            }
        }
        let place_of_masked = |record: u32| files.masked_of.get(record as usize).copied().flatten();
        let of_original: Vec<Option<u32>> = original.iter().map(|&r| place_of_masked(r)).collect();
        let partners = if turned {
            let mut of_masked = vec![None; masked.len()];
            for (place, masked) in (0_u32..).zip(&of_original) {
                if let Some(cell) = masked.and_then(|m| of_masked.get_mut(m as usize)) {
                    *cell = Some(place);
                }
            }
            of_masked
        } else {
            of_original
        };
        let [seekers, sought] = columns;
        let (seeker_records, sought_records) = if turned {
            (masked, original)
        } else {
            (original, masked)
        };
        Ok(Self {
            seekers: by_record(&seekers, seeker_records.len()),
            sought: by_record(&sought, sought_records.len()),
            attributes,
            seeker_records,
            sought_records,
            partners,
        })
    }

    /// Number of attributes.
    pub fn n_attributes(&self) -> usize {
        self.attributes.len()
    }

    /// Number of seekers.
    pub fn n_seekers(&self) -> usize {
        self.seeker_records.len()
    }

    /// Number of sought records.
    pub fn n_sought(&self) -> usize {
        self.sought_records.len()
    }

    /// Where a seeker's partner stands among the sought records.
    pub fn partner(&self, seeker: usize) -> Option<usize> {
        self.partners[seeker].map(|partner| partner as usize)
    }

    /// The seeker that is this record of its file, from 1.
    pub fn seeker(&self, record: u32) -> Option<usize> {
        place(&self.seeker_records, record)
    }

    /// The sought record that is this record of its file, from 1.
    pub fn sought(&self, record: u32) -> Option<usize> {
        place(&self.sought_records, record)
    }

    fn values(
        &self,
        seeker: usize,
        sought: usize,
    ) -> impl Iterator<Item = (&Attribute, Option<(f64, f64)>)> {
        let n = self.attributes.len();
        let a = &self.seekers[seeker * n..][..n];
        let b = &self.sought[sought * n..][..n];
        let both = a.iter().zip(b).map(|(a, b)| Some(((*a)?, (*b)?)));
        self.attributes.iter().zip(both)
    }

    /// `diff` of each attribute.
    pub fn squares(&self, seeker: usize, sought: usize) -> Vec<Exact> {
        self.values(seeker, sought)
            .map(|(attribute, values)| match (values, attribute.kind) {
                (None, _) => Exact::of(attribute.gap),
                (Some((a, b)), Kind::Name) if is_same(a, b) => Exact::default(),
                (Some(_), Kind::Name) => Exact::of(attribute.weight),
                (Some((a, b)), Kind::Number { .. }) => {
                    let difference = &Exact::of(a) - &Exact::of(b);
                    &Exact::of(attribute.weight) * &(&difference * &difference)
                }
            })
            .collect()
    }

    /// `diff` of each attribute to a competitor: that of the partner where both tie.
    pub fn squares_beside(&self, seeker: usize, partner: usize, competitor: usize) -> Vec<Exact> {
        let own = self.squares(seeker, partner);
        let mut squares = self.squares(seeker, competitor);
        for (k, (square, own)) in squares.iter_mut().zip(own).enumerate() {
            if self.ties(seeker, partner, competitor, k) {
                *square = own;
            }
        }
        squares
    }

    /// Differences with their sign; `None` with a gap.
    pub fn signed(&self, seeker: usize, sought: usize) -> Vec<Option<Exact>> {
        self.values(seeker, sought)
            .map(|(attribute, values)| {
                let (a, b) = values?;
                Some(&(&Exact::of(a) - &Exact::of(b)) * &Exact::of(attribute.root))
            })
            .collect()
    }

    /// What the square of each attribute counts where there is a gap.
    pub fn gap(&self, attribute: usize) -> f64 {
        self.attributes[attribute].gap
    }

    /// Whether a competitor lies as far from the seeker as the partner does, on the other side, but for the rounding of x.
    fn ties(&self, seeker: usize, partner: usize, competitor: usize, k: usize) -> bool {
        let n = self.attributes.len();
        let Kind::Number {
            moved_to: Some(mean),
        } = self.attributes[k].kind
        else {
            return false;
        };
        match (
            self.seekers[seeker * n + k],
            self.sought[partner * n + k],
            self.sought[competitor * n + k],
        ) {
            (Some(x), Some(y), Some(z)) => {
                ((x - y) + (x - z)).abs() <= TIE * (x.abs() + y.abs() + z.abs() + mean)
            }
            _ => false,
        }
    }

    /// The same as [`squares_beside`](Self::squares_beside), rounded: each number is wrong by four units in the last place at most.
    pub fn rounded_squares(
        &self,
        seeker: usize,
        partner: usize,
        competitor: usize,
        squares: &mut [f64],
    ) {
        let pair = self.values(seeker, competitor);
        for (square, (attribute, values)) in squares.iter_mut().zip(pair) {
            *square = attribute.rounded(values);
        }
        if competitor != partner {
            for (k, square) in squares.iter_mut().enumerate() {
                if self.ties(seeker, partner, competitor, k) {
                    let own = self.values(seeker, partner).nth(k);
                    *square = own.map_or(0.0, |(attribute, values)| attribute.rounded(values));
                }
            }
        }
    }

    /// The same as [`signed`](Self::signed), rounded, with 0 for a gap; and the square of each.
    pub fn rounded_signed(
        &self,
        seeker: usize,
        sought: usize,
        signed: &mut [f64],
        squares: &mut [f64],
    ) {
        let pair = self
            .values(seeker, sought)
            .zip(signed.iter_mut().zip(squares));
        for ((attribute, values), (difference, square)) in pair {
            (*difference, *square) = match values {
                Some((a, b)) => {
                    let difference = (a - b) * attribute.root;
                    (difference, difference * difference)
                }
                None => (0.0, attribute.gap),
            };
        }
    }
}

impl Attribute {
    fn rounded(&self, values: Option<(f64, f64)>) -> f64 {
        match (values, self.kind) {
            (None, _) => self.gap,
            (Some((a, b)), Kind::Name) if is_same(a, b) => 0.0,
            (Some(_), Kind::Name) => self.weight,
            (Some((a, b)), Kind::Number { .. }) => self.weight * ((a - b) * (a - b)),
        }
    }
}

fn is_same(a: f64, b: f64) -> bool {
    a.total_cmp(&b).is_eq()
}

fn place(records: &[u32], record: u32) -> Option<usize> {
    records.binary_search(&record.checked_sub(1)?).ok()
}

fn by_record(columns: &[Vec<Option<f64>>], n_records: usize) -> Vec<Option<f64>> {
    let record = |record: usize| columns.iter().map(move |column| column[record]);
    (0..n_records).flat_map(record).collect()
}

/// An attribute, and the values of the seekers and of the sought records.
fn column(
    certificate: &Certificate,
    files: &Pairing<'_>,
    ids: (AttrId, AttrId),
    [held, all]: [&[u32]; 2],
    turned: bool,
) -> Result<(Attribute, [Cells; 2])> {
    let numbers = (
        files.original.has_numbers(ids.0),
        files.masked.has_numbers(ids.1),
    );
    let (attribute, original, masked) = match numbers {
        (true, true) => {
            let of = |table: &Table, id: AttrId, records: &[u32]| -> Vec<Option<f64>> {
                let numbers = table.numbers(id);
                let value = |&record: &u32| {
                    let record = record as usize;
                    numbers
                        .filter(|numbers| !numbers.missing.contains(record))
                        .map(|numbers| numbers.values[record])
                };
                records.iter().map(value).collect()
            };
            let original = of(files.original, ids.0, held);
            let masked = of(files.masked, ids.1, all);
            return of_numbers(certificate.standardize, original, masked, turned);
        }
        (false, false) => of_names(certificate.family, files, ids, [held, all])?,
        _ => {
            return Err(Error::input("is a number in one file and not in the other")
                .because(Reason::FilesDiffer {
                    by: Difference::Values,
                })
                .remedy("Read both files as 'link' did; 'sdcrisk describe' shows how"));
        }
    };
    Ok(if turned {
        (attribute, [masked, original])
    } else {
        (attribute, [original, masked])
    })
}

fn of_numbers(
    standardize: Standardize,
    original: Vec<Option<f64>>,
    masked: Vec<Option<f64>>,
    turned: bool,
) -> Result<(Attribute, [Cells; 2])> {
    let of = |values: &[Option<f64>]| moments(values.iter().copied().flatten());
    let released = of(&masked);
    // Too few records have no sd: the release's is used.
    let held = Some(of(&original))
        .filter(|held| held.sd > 0.0 && standardize != Standardize::Masked)
        .unwrap_or(released);
    let by = match standardize {
        Standardize::Own | Standardize::Masked => Some([held, released]),
        Standardize::Original => Some([held, held]),
        Standardize::None => None,
    };
    let cannot = || {
        Error::input("cannot be standardised: its values do not differ, or are out of range")
            .because(Reason::Constant { attribute: None })
            .remedy("Give the files and options with which the certificate was made")
    };
    let scale = |side: usize| by.map_or(1.0, |by: [Moments; 2]| by[side].sd);
    let origin = |side: usize| by.map_or(0.0, |by| by[side].mean);
    let variance = |side: usize| {
        let sd = [held, released][side].sd / scale(side);
        sd * sd
    };
    if !(scale(0) > 0.0 && scale(1) > 0.0) {
        return Err(cannot());
    }
    let (from, to) = if turned { (1, 0) } else { (0, 1) };
    let is_moved = !is_same(origin(from), origin(to)) || !is_same(scale(from), scale(to));
    let (mut seekers, sought) = if turned {
        (masked, original)
    } else {
        (original, masked)
    };
    if is_moved {
        let factor = scale(to) / scale(from);
        for value in seekers.iter_mut().flatten() {
            *value = (*value - origin(from)) * factor + origin(to);
        }
    }
    let weight = 1.0 / (scale(to) * scale(to));
    let attribute = Attribute {
        kind: Kind::Number {
            moved_to: is_moved.then_some(origin(to).abs()),
        },
        weight,
        root: weight.sqrt(),
        gap: variance(from) + variance(to),
    };
    let values = seekers.iter().chain(&sought).copied().flatten();
    let mut all = values.chain([attribute.weight, attribute.gap, origin(to)]);
    if all.all(f64::is_finite) {
        Ok((attribute, [seekers, sought]))
    } else {
        Err(cannot())
    }
}

/// Names as codes: 0, 1, 2 … in the order in which they first stand in the original file, then in the masked one.
fn of_names(
    family: Family,
    files: &Pairing<'_>,
    ids: (AttrId, AttrId),
    [held, all]: [&[u32]; 2],
) -> Result<(Attribute, Cells, Cells)> {
    let mut code_of: BTreeMap<String, f64> = BTreeMap::new();
    let mut codes = |table: &Table, id: AttrId| -> Vec<Option<f64>> {
        let code = |record: usize| {
            (!table.is_missing(record, id)).then(|| {
                let next = code_of.len() as f64;
                let name = table.category(record, id).into_owned();
                *code_of.entry(name).or_insert(next)
            })
        };
        (0..table.n_records()).map(code).collect()
    };
    let original = codes(files.original, ids.0);
    let masked = codes(files.masked, ids.1);
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for code in masked.iter().flatten() {
        *counts.entry(code.to_bits()).or_insert(0) += 1;
    }
    // 2 / (1 − Σ p²) = 2 n² / (n² − Σ count²): whole numbers up to the division.
    let n: u64 = counts.values().sum();
    let equal: u64 = counts.values().map(|count| count * count).sum();
    let weight = 2.0 * (n * n) as f64 / (n * n - equal) as f64;
    let gather = |codes: &[Option<f64>], records: &[u32]| -> Vec<Option<f64>> {
        records
            .iter()
            .map(|&record| codes[record as usize])
            .collect()
    };
    let (original, masked) = (gather(&original, held), gather(&masked, all));
    if !weight.is_finite() {
        return Err(
            Error::input("has no two different names in the masked file")
                .because(Reason::Constant { attribute: None })
                .remedy("Give the files and options with which the certificate was made"),
        );
    }
    let is_signed = matches!(
        family,
        Family::Bilinear | Family::BilinearNonNegative | Family::BilinearDefinite
    );
    if is_signed
        && original
            .iter()
            .chain(&masked)
            .flatten()
            .any(|&code| code > 1.0)
    {
        return Err(Error::input(
            "has more than two names: a bilinear form needs differences with a sign",
        )
        .because(Reason::FilesDiffer {
            by: Difference::Values,
        })
        .remedy("Give the files and options with which the certificate was made"));
    }
    let attribute = Attribute {
        kind: Kind::Name,
        weight,
        root: weight.sqrt(),
        gap: 2.0,
    };
    Ok((attribute, original, masked))
}
