//! Where c-means starts: centres drawn among the records, or given.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::{c_means::Centres, space::Space};
use crate::{
    error::{Error, Reason, Result},
    rng::Generator,
};

/// How far from the mean (the origin) a starting centre is, in parts of the way to the record it was drawn from: the golden
/// section. A centre at the very place of a record would be held there by it, the more the larger m is.
const PART_OF_THE_WAY: f64 = 0.618_033_988_749_894_9;

/// Coordinates up to which squared distances are safe.
const FARTHEST: f64 = 1e100;

/// Starting centres from a file: points in the file's units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartingCentres {
    /// Where they come from, for messages.
    pub source: String,
    /// The attributes, in any order.
    pub attributes: Vec<String>,
    /// Finite numbers, centre by centre, in the order of `attributes`.
    pub values: Vec<f64>,
}

impl StartingCentres {
    /// How many there are.
    pub fn n_centres(&self) -> usize {
        self.values.len() / self.attributes.len().max(1)
    }

    /// In the coordinates of a block.
    ///
    /// # Errors
    /// Input, when an attribute of the block is not among theirs or one of theirs not in the block, two centres coincide, or one
    /// lies too far away to compute with.
    pub(super) fn in_space(&self, names: &[String], space: &Space) -> Result<Centres> {
        let wrong = |error: Error, remedy: &str| Err(error.in_file(&self.source).remedy(remedy));
        if let Some(name) = self.attributes.iter().find(|name| !names.contains(name)) {
            let error = Error::input("is not among the attributes that are masked");
            return wrong(
                error.on_attribute(name).because(Reason::UnknownAttribute {
                    name: name.clone(),
                    file: None,
                }),
                "Starting centres have one column for each attribute that is masked, and no other",
            );
        }
        let mut places = Vec::with_capacity(names.len());
        for name in names {
            match self.attributes.iter().position(|other| other == name) {
                Some(place) => places.push(place),
                None => {
                    let error = Error::input("the starting centres have no such column");
                    return wrong(
                        error.lacking(name, &self.source),
                        "Starting centres have one column for each attribute that is masked",
                    );
                }
            }
        }
        let mut rows = Vec::with_capacity(self.values.len());
        for centre in self.values.chunks_exact(self.attributes.len()) {
            let axes = space.axes.iter().zip(&places);
            rows.extend(axes.map(|(axis, &place)| axis.coordinate(centre[place])));
        }
        if rows
            .iter()
            .any(|value| value.is_nan() || value.abs() > FARTHEST)
        {
            return wrong(
                Error::input("a starting centre lies too far from the records to compute with")
                    .because(Reason::Overflow { attribute: None }),
                "Starting centres are in the units of the file that is masked",
            );
        }
        let mut sorted: Vec<&[f64]> = rows.chunks_exact(names.len()).collect();
        sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return wrong(
                Error::input("two starting centres are the same point, and would stay together"),
                "Leave one of them out",
            );
        }
        Ok(Centres::from_rows(names.len(), &rows))
    }
}

/// Starting centres from `n_centres` records that are different points, `point_of` being the number of each record's point.
///
/// Records come in random order, each drawn uniformly among those not drawn yet; one whose point was there already is passed
/// over. The centre is at the golden section between the mean and the record.
pub(super) fn draw(
    space: &Space,
    point_of: &[u32],
    n_centres: usize,
    rng: &mut Generator,
) -> Centres {
    let width = space.axes.len();
    let mut order: Vec<u32> = (0..).take(point_of.len()).collect();
    let mut drawn = vec![false; point_of.len()];
    let mut rows = Vec::with_capacity(n_centres * width);
    for place in 0..order.len() {
        if rows.len() == n_centres * width {
            break;
        }
        let other = rng.random_range(place..order.len());
        order.swap(place, other);
        let record = order[place] as usize;
        if !std::mem::replace(&mut drawn[point_of[record] as usize], true) {
            let point = space.points.row(record);
            rows.extend(point.iter().map(|value| PART_OF_THE_WAY * value));
        }
    }
    Centres::from_rows(width, &rows)
}
