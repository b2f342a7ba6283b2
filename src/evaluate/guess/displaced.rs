//! How far values went from the records that they most likely belong to.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::{
    stats::{moments::moments, rank::Ranking},
    table::{AttrId, Numbers, Table},
};

/// Masked records that are looked at, at most.
const MAX_SEEKERS: usize = 400;

/// Pairs of cells that are compared, at most, unless that leaves too few seekers.
const MAX_CELLS: usize = 60_000_000;

/// Masked records that are looked at, at least, if there are as many.
const MIN_SEEKERS: usize = 60;

/// The shape of displacements is compared at these shares of them.
pub const SHARES: [f64; 7] = [0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95];

/// In what displacements are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum In {
    /// Ranks of the original file: 0 between equal values, else one more than there are values between them.
    Ranks,
    /// Standard deviations of the original file.
    Deviations,
}

/// The original as a yardstick for masked files.
#[derive(Debug)]
pub struct Yardstick {
    /// For each attribute where its values are.
    scales: Vec<Scale>,
    unit: In,
    /// Records × attributes, in an order that depends on nothing but values.
    rows: Vec<Span>,
    /// For each record of the original its row.
    row_of: Vec<u32>,
    /// The rows with each key.
    keys: BTreeMap<u32, Vec<u32>>,
    width: usize,
}

/// Where the values of an attribute are.
#[derive(Debug)]
enum Scale {
    Ranks(Ranking),
    Deviations(f64),
}

/// From where to where a value is; not a number where it is missing.
type Span = [f64; 2];

/// What was seen of a masked file.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The displacements at [`SHARES`], as logarithms.
    pub shape: Vec<f64>,
    /// The mean of their logarithms.
    pub size: f64,
    /// The least reach within which every masked record that was looked at has an original one.
    pub reach: f64,
    /// Records that were looked at.
    pub seekers: usize,
    /// Share of them linked to their own record; of drafts and of files of which it is known who is who.
    pub right: f64,
    /// How correlations of displacements follow those of values: 0 not at all, 1 wholly.
    pub together: f64,
    /// Masked records without any original one with the same unmoved attributes.
    pub strangers: usize,
    /// The mean logarithm of displacements by attribute.
    pub by_attribute: Vec<f64>,
}

/// Who is linked with whom.
#[derive(Debug, Clone, Copy)]
pub enum Links<'a> {
    /// Each masked record with the nearest original one; which is its own is known of drafts.
    Nearest(Option<&'a [u32]>),
    /// The original record of each masked one.
    Known(&'a [u32]),
}

impl Yardstick {
    /// Of attributes of numbers. Only records with the same key are compared.
    pub fn new(original: &Table, on: &[AttrId], keys: &[u32], unit: In) -> Option<Self> {
        let numbers: Vec<Numbers<'_>> = on
            .iter()
            .map(|&id| original.numbers(id))
            .collect::<Option<_>>()?;
        let scales: Vec<Scale> = numbers
            .iter()
            .map(|numbers| {
                let present = present(*numbers);
                match unit {
                    In::Ranks => Scale::Ranks(Ranking::new(present)),
                    In::Deviations => {
                        let sd = moments(present.collect::<Vec<_>>().into_iter()).sd;
                        Scale::Deviations(if sd > 0.0 { sd } else { 1.0 })
                    }
                }
            })
            .collect();
        let mut yardstick = Self {
            width: scales.len(),
            scales,
            unit,
            rows: Vec::new(),
            row_of: Vec::new(),
            keys: BTreeMap::new(),
        };
        let rows = yardstick.spans(&numbers);
        let order = sorted(&rows, yardstick.width, keys);
        yardstick.row_of = vec![0; order.len()];
        for (row, &record) in (0..).zip(&order) {
            yardstick.row_of[record as usize] = row;
            let key = keys.get(record as usize).copied().unwrap_or(0);
            yardstick.keys.entry(key).or_default().push(row);
        }
        let width = yardstick.width;
        let row = |&record: &u32| &rows[record as usize * width..][..width];
        yardstick.rows = order.iter().flat_map(row).copied().collect();
        Some(yardstick)
    }

    fn spans(&self, numbers: &[Numbers<'_>]) -> Vec<Span> {
        let records = numbers.first().map_or(0, |numbers| numbers.values.len());
        let span = |(numbers, scale): (&Numbers<'_>, &Scale), record: usize| {
            let value = numbers.values[record];
            match scale {
                _ if numbers.missing.contains(record) => [f64::NAN; 2],
                Scale::Ranks(ranking) => {
                    let (below, through) = ranking.ranks(value);
                    // A value that does not occur stands between two.
                    let last = through.max(below + 1) - 1;
                    [below as f64, last as f64]
                }
                Scale::Deviations(sd) => [value / sd; 2],
            }
        };
        (0..records)
            .into_par_iter()
            .flat_map_iter(|record| {
                let cells = numbers.iter().zip(&self.scales);
                cells.map(move |cell| span(cell, record))
            })
            .collect()
    }

    /// What is seen of a masked file, whose attributes `on` are those of the yardstick.
    ///
    /// Each of up to 400 masked records, evenly spread in an order that depends on values only, is compared with all original ones of its key.
    pub fn see(
        &self,
        masked: &Table,
        on: &[AttrId],
        keys: &[u32],
        links: Links<'_>,
    ) -> Option<Seen> {
        let numbers: Vec<Numbers<'_>> = on
            .iter()
            .map(|&id| masked.numbers(id))
            .collect::<Option<_>>()?;
        let rows = self.spans(&numbers);
        let order = sorted(&rows, self.width, keys);
        let seekers = self.seekers(order.len());
        let step = order.len() as f64 / seekers.max(1) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "places of records"
        )]
        let chosen = (0..seekers).map(|place| order[((place as f64 + 0.5) * step) as usize]);
        let chosen: Vec<u32> = chosen.collect();
        let key_of = |record: u32| keys.get(record as usize).copied().unwrap_or(0);
        let found: Vec<Option<(f64, bool, Vec<f64>)>> = chosen
            .par_iter()
            .map(|&record| {
                let seeker = &rows[record as usize * self.width..][..self.width];
                match links {
                    Links::Known(own) => {
                        let row = self.row_of[own[record as usize] as usize];
                        let differences = self.differences(seeker, row);
                        let farthest = differences
                            .iter()
                            .fold(0.0, |most: f64, d| most.max(d.abs()));
                        Some((farthest, true, differences))
                    }
                    Links::Nearest(own) => {
                        let (row, reach) = self.nearest(seeker, key_of(record))?;
                        let is_own = own.is_some_and(|own| {
                            let own = self.row_of[own[record as usize] as usize];
                            own == row
                                || self.differences(seeker, own) == self.differences(seeker, row)
                        });
                        Some((reach, is_own, self.differences(seeker, row)))
                    }
                }
            })
            .collect();
        let linked: Vec<&(f64, bool, Vec<f64>)> = found.iter().flatten().collect();
        if linked.is_empty() {
            return None;
        }
        let least = match self.unit {
            In::Ranks => 0.5,
            In::Deviations => 1e-4,
        };
        let log = |difference: &f64| (difference.abs() + least).ln();
        let mut all: Vec<f64> = linked
            .iter()
            .flat_map(|(.., d)| d.iter().map(log))
            .collect();
        let size = all.iter().sum::<f64>() / all.len() as f64;
        all.sort_unstable_by(f64::total_cmp);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in the list"
        )]
        let at = |share: f64| all[(share * (all.len() - 1) as f64).round() as usize];
        let by_attribute = (0..self.width).map(|place| {
            let logs = linked.iter().map(|(.., d)| log(&d[place]));
            logs.sum::<f64>() / linked.len() as f64
        });
        Some(Seen {
            shape: SHARES.map(at).to_vec(),
            size,
            reach: linked
                .iter()
                .fold(0.0, |most, (reach, ..)| most.max(*reach)),
            seekers: chosen.len(),
            right: linked.iter().filter(|(_, right, _)| *right).count() as f64
                / chosen.len() as f64,
            together: self.together(&linked),
            strangers: chosen.len() - linked.len(),
            by_attribute: by_attribute.collect(),
        })
    }

    fn seekers(&self, records: usize) -> usize {
        let cells = (self.row_of.len() * self.width).max(1);
        (MAX_CELLS / cells)
            .clamp(MIN_SEEKERS, MAX_SEEKERS)
            .min(records)
    }

    /// The row of the key with the least sum of squared differences, and the least of all greatest differences.
    fn nearest(&self, seeker: &[Span], key: u32) -> Option<(u32, f64)> {
        let missing = self.row_of.len() as f64;
        let mut nearest: Option<u32> = None;
        let (mut least, mut reach) = (f64::INFINITY, f64::INFINITY);
        for &row in self.keys.get(&key)? {
            let spans = &self.rows[row as usize * self.width..][..self.width];
            let (mut sum, mut most) = (0.0_f64, 0.0_f64);
            for (a, b) in seeker.iter().zip(spans) {
                let distance = apart(*a, *b, missing).abs();
                sum += distance * distance;
                if distance > most {
                    most = distance;
                }
                if sum > least && most >= reach {
                    break;
                }
            }
            if sum < least || nearest.is_none() {
                least = sum;
                nearest = Some(row);
            }
            reach = reach.min(most);
        }
        Some((nearest?, reach))
    }

    fn differences(&self, seeker: &[Span], row: u32) -> Vec<f64> {
        let spans = &self.rows[row as usize * self.width..][..self.width];
        let missing = self.row_of.len() as f64;
        let both = seeker.iter().zip(spans);
        both.map(|(a, b)| apart(*a, *b, missing)).collect()
    }

    /// The slope of the correlations of displacements on the correlations of the values.
    fn together(&self, linked: &[&(f64, bool, Vec<f64>)]) -> f64 {
        let displaced = |j: usize| linked.iter().map(move |(.., d)| d[j]);
        let of_values = |j: usize| {
            self.rows
                .iter()
                .skip(j)
                .step_by(self.width.max(1))
                .map(|s| s[0])
        };
        let (mut products, mut squares) = (0.0, 0.0);
        for j in 0..self.width {
            for k in 0..j {
                let values = correlation(of_values(j), of_values(k));
                products += values * correlation(displaced(j), displaced(k));
                squares += values * values;
            }
        }
        if squares > 0.0 {
            products / squares
        } else {
            0.0
        }
    }
}

/// The difference of two spans: 0 where they meet.
fn apart(a: Span, b: Span, missing: f64) -> f64 {
    match [a[0].is_nan(), b[0].is_nan()] {
        [false, false] if a[0] > b[1] => a[0] - b[1],
        [false, false] if b[0] > a[1] => a[1] - b[0],
        [true, false] | [false, true] => missing,
        _ => 0.0,
    }
}

fn present(numbers: Numbers<'_>) -> impl Iterator<Item = f64> + '_ {
    let all = numbers.values.iter().enumerate();
    all.filter(move |&(record, _)| !numbers.missing.contains(record))
        .map(|(_, &value)| value)
}

/// Records in an order that their values decide.
fn sorted(rows: &[Span], width: usize, keys: &[u32]) -> Vec<u32> {
    let records = rows.len() / width.max(1);
    let mut order: Vec<u32> = (0..records).filter_map(|r| u32::try_from(r).ok()).collect();
    let row = |record: u32| rows[record as usize * width..][..width].iter().flatten();
    let key = |record: u32| keys.get(record as usize).copied();
    order.par_sort_by(|&a, &b| {
        let by_values = || {
            row(a)
                .zip(row(b))
                .map(|(x, y)| x.total_cmp(y))
                .find(|o| o.is_ne())
        };
        let by_key = key(a).cmp(&key(b));
        by_key.then_with(|| by_values().unwrap_or(std::cmp::Ordering::Equal))
    });
    order
}

/// The correlation of pairs of numbers, 0 where one does not vary; what is not a number does not count.
fn correlation(x: impl Iterator<Item = f64>, y: impl Iterator<Item = f64>) -> f64 {
    let pairs = x.zip(y).filter(|(x, y)| x.is_finite() && y.is_finite());
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let n = pairs.len() as f64;
    let (mut of_x, mut of_y) = (0.0, 0.0);
    for (x, y) in &pairs {
        of_x += x / n;
        of_y += y / n;
    }
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in &pairs {
        let (x, y) = (x - of_x, y - of_y);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    let product = (xx * yy).sqrt();
    if product > 0.0 { xy / product } else { 0.0 }
}
