//! The space in which records are compared: one point a record, and what the average of points is there.

use std::collections::BTreeMap;

use super::Partition;
use crate::{
    error::{Counted, Error, ErrorKind, Reason, Result},
    mask::new_numbers::present,
    statement::DistanceScale,
    stats::moments::moments as moments_of,
    table::{AttrId, Matrix, Numbers, Scale, Table},
};

/// Points, and the meaning of their coordinates.
///
/// # Missing
/// Points are complete: a missing value stands at the centre of its attribute, so it neither attracts nor repels in any
/// direction. An attribute with gaps has a coordinate more, which marks who misses it and spreads as the attribute does: gaps
/// stay visible in the masked file, so those who share them should be grouped together.
#[derive(Debug, Clone)]
pub struct Space {
    /// Records × coordinates; complete and finite.
    pub points: Matrix,
    /// What the coordinates mean, in their order.
    pub axes: Vec<Axis>,
}

/// What one or more coordinates mean, and how they are averaged where the centre of many records is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// One coordinate, averaged by the mean.
    Mean,
    /// One coordinate, averaged by the median (the lower one of two): an ordinal attribute.
    Median,
    /// As many coordinates as a nominal attribute has categories, one of them not zero; averaged by the mode (of several the
    /// first category). All non-zero coordinates of an axis are equal, and a missing value is zero throughout.
    Mode(usize),
}

/// The largest absolute value whose squared differences can be summed without overflow.
const LARGEST: f64 = 1e150;

/// The most numbers that points may have: 4 GiB of them.
const MAX_COORDINATES: usize = 1 << 29;

impl Space {
    /// The points of all records of a table, by some of its attributes.
    ///
    /// # Errors
    /// Usage, when values are too large to compute with or a nominal attribute has too many categories.
    pub fn of(table: &Table, attributes: &[AttrId], scale: DistanceScale) -> Result<Self> {
        let records = table.n_records();
        let mut axes = Vec::with_capacity(attributes.len());
        let mut coordinates: Vec<Coordinates> = Vec::with_capacity(attributes.len());
        for &id in attributes {
            let (axis, found) = axis(table, id, scale)?;
            axes.push(axis);
            coordinates.push(found);
            if let Some(found) = gaps(table, id, scale) {
                axes.push(Axis::Mean);
                coordinates.push(found);
            }
        }
        let width: usize = coordinates.iter().map(Coordinates::width).sum();
        if width == 0 {
            return Err(Error::input(
                "has no value at all in the attributes that are masked together",
            )
            .because(Reason::Constant { attribute: None })
            .in_file(table.name())
            .remedy("Leave them out of --attributes"));
        }
        if records.saturating_mul(width) > MAX_COORDINATES {
            return Err(Error::too_many(
            ErrorKind::Usage,
            Counted::Coordinates,
            [records as u128 * width as u128, MAX_COORDINATES as u128],
            |_, _| format!("{records} records with {width} coordinates are more than fit in memory: a nominal attribute counts once a category"),
        )
            .remedy("Leave out the nominal attribute with the most categories, or recode it first"));
        }
        let mut values = vec![0.0; records * width];
        let mut from = 0;
        for found in &coordinates {
            found.fill(&mut values, width, from);
            from += found.width();
        }
        Ok(Self {
            points: Matrix::complete(records, width, values),
            axes,
        })
    }
}

/// Where the records are on one axis.
enum Coordinates {
    Numbers(Vec<f64>),
    /// The category of each record, or none; how many there are, and how far each is from none.
    Categories(Vec<Option<u32>>, usize, f64),
}

impl Coordinates {
    fn width(&self) -> usize {
        match self {
            Self::Numbers(_) => 1,
            Self::Categories(_, count, _) => *count,
        }
    }

    fn fill(&self, values: &mut [f64], width: usize, from: usize) {
        match self {
            Self::Numbers(numbers) => {
                for (point, &number) in values.chunks_exact_mut(width).zip(numbers) {
                    point[from] = number;
                }
            }
            Self::Categories(categories, _, height) => {
                for (point, category) in values.chunks_exact_mut(width).zip(categories) {
                    if let Some(category) = category {
                        point[from + *category as usize] = *height;
                    }
                }
            }
        }
    }
}

fn axis(table: &Table, id: AttrId, scale: DistanceScale) -> Result<(Axis, Coordinates)> {
    let attribute = table.attribute(id);
    Ok(match (attribute.scale, table.numbers(id)) {
        (Scale::Continuous, Some(numbers)) => {
            let points = centred(numbers, numbers.values, scale)
                .map_err(|error| error.on_attribute(&attribute.name))?;
            (Axis::Mean, Coordinates::Numbers(points))
        }
        (Scale::Ordinal, Some(numbers)) => {
            let places = places(numbers);
            let points = centred(numbers, &places, scale)
                .map_err(|error| error.on_attribute(&attribute.name))?;
            (Axis::Median, Coordinates::Numbers(points))
        }
        _ => {
            let (categories, shares) = categories(table, id);
            let concentration: f64 = shares.iter().map(|share| share * share).sum();
            let height = match scale {
                DistanceScale::None => f64::sqrt(0.5),
                // All of one category: it tells nobody apart.
                DistanceScale::Z if shares.len() < 2 => 0.0,
                DistanceScale::Z => (1.0 / (1.0 - concentration)).sqrt(),
            };
            let width = shares.len();
            (
                Axis::Mode(width),
                Coordinates::Categories(categories, width, height),
            )
        }
    })
}

/// Values minus their mean, divided by their sd if distances are standardised; the missing ones at zero.
fn centred(numbers: Numbers<'_>, values: &[f64], scale: DistanceScale) -> Result<Vec<f64>> {
    let present = || {
        let all = values.iter().enumerate();
        all.filter(|&(record, _)| !numbers.missing.contains(record))
    };
    let moments = moments_of(present().map(|(_, &value)| value));
    let divisor = match scale {
        DistanceScale::None => 1.0,
        DistanceScale::Z => moments.sd,
    };
    let mut points = vec![0.0; values.len()];
    if divisor == 0.0 {
        return Ok(points);
    }
    for (record, &value) in present() {
        let point = (value - moments.mean) / divisor;
        // Also where it is no number at all.
        if point.abs().is_nan() || point.abs() > LARGEST {
            return Err(Error::input(
                "holds values too large or too close together to compute distances",
            )
            .because(Reason::Overflow { attribute: None })
            .remedy("Leave it out of --attributes, or write it in other units"));
        }
        points[record] = point;
    }
    Ok(points)
}

/// Whether an attribute is missing, as a number with the spread of its values (1 when standardised): records with the same
/// gaps are near each other. `None` where nothing, or everything, is missing.
fn gaps(table: &Table, id: AttrId, scale: DistanceScale) -> Option<Coordinates> {
    let missing = table.missing(id);
    let indicator =
        (0..table.n_records()).map(|record| f64::from(u8::from(missing.contains(record))));
    let moments = moments_of(indicator.clone());
    let spread = match (scale, table.numbers(id)) {
        (DistanceScale::None, Some(numbers)) => {
            moments_of(present(numbers).map(|(_, value)| value)).sd
        }
        _ => 1.0,
    };
    (moments.sd > 0.0).then(|| {
        let place = |value: f64| (value - moments.mean) / moments.sd * spread;
        Coordinates::Numbers(indicator.map(place).collect())
    })
}

/// The place of each value among the different ones, from 0.
fn places(numbers: Numbers<'_>) -> Vec<f64> {
    let mut distinct: Vec<f64> = present(numbers).map(|(_, value)| value).collect();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    let mut places = vec![0.0; numbers.values.len()];
    for (record, value) in present(numbers) {
        places[record] = distinct.partition_point(|&other| other < value) as f64;
    }
    places
}

/// The category of each record, numbered in the order in which they first occur, and the share of each.
fn categories(table: &Table, id: AttrId) -> (Vec<Option<u32>>, Vec<f64>) {
    let mut number_of: BTreeMap<String, u32> = BTreeMap::new();
    let mut counts: Vec<usize> = Vec::new();
    let categories: Vec<Option<u32>> = (0..table.n_records())
        .map(|record| {
            if table.is_missing(record, id) {
                return None;
            }
            let text = table.category(record, id);
            let category = match number_of.get(text.as_ref()) {
                Some(&category) => category,
                None => {
                    #[expect(clippy::cast_possible_truncation, reason = "at most one a record")]
                    let category = counts.len() as u32;
                    number_of.insert(text.into_owned(), category);
                    counts.push(0);
                    category
                }
            };
            counts[category as usize] += 1;
            Some(category)
        })
        .collect();
    let present: usize = counts.iter().sum();
    let shares = counts
        .iter()
        .map(|&count| count as f64 / present as f64)
        .collect();
    (categories, shares)
}

/// Groups the records that have a value of one attribute; the others are in no group.
pub fn of_present(
    table: &Table,
    id: AttrId,
    group: impl FnOnce(&[f64]) -> Partition,
) -> Result<Partition> {
    let attribute = table.attribute(id);
    let numbers = table.numbers(id).ok_or_else(|| {
        Error::names_not_numbers(&attribute.name, "this algorithm cannot group it")
    })?;
    let points = centred(numbers, numbers.values, DistanceScale::None)
        .map_err(|error| error.on_attribute(&attribute.name))?;
    let (records, values): (Vec<usize>, Vec<f64>) = present(numbers)
        .map(|(record, _)| (record, points[record]))
        .unzip();
    Ok(group(&values).among(table.n_records(), &records))
}
