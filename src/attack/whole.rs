//! The columns of both files, for attacks that are shown some of the records only.

use rayon::prelude::*;

use super::{GapRule, Nearest, Scenario};
use crate::{
    error::Result,
    stats::moments::{Moments, moments},
    table::Values,
};

/// An attack that prefers the nearest record, by a distance and candidate sets that rest on the columns of both files and on nothing else of them.
pub trait ByColumns {
    /// What the attack prefers for some seekers, all of whose known attributes are numbers: the scenario holds these seekers, and no sought
    /// record.
    ///
    /// # Errors
    /// As for [`prepare`](super::Attack::prepare).
    fn prepare_some<'a>(&self, some: &Scenario<'a>, whole: &Whole<'_>) -> Result<Nearest<'a>>;
}

/// What both files hold, whoever looks for whom.
#[derive(Debug)]
pub struct Whole<'a> {
    /// The intruder's records.
    pub intruder: Columns<'a>,
    /// The released ones.
    pub released: Columns<'a>,
}

/// The known attributes of a file, all of which are numbers.
#[derive(Debug)]
pub struct Columns<'a> {
    values: Vec<Values<'a>>,
    records: Vec<u32>,
}

impl<'a> Columns<'a> {
    /// These records of these attributes. Their order does not matter.
    pub fn new(values: Vec<Values<'a>>, mut records: Vec<u32>) -> Self {
        records.par_sort_unstable();
        Self { values, records }
    }

    /// The values of an attribute that are there.
    pub fn present(&self, attribute: usize) -> impl Iterator<Item = f64> + Clone {
        let values = self.values[attribute];
        let records = self.records.iter().map(|&record| record as usize);
        let present = records.filter(move |&record| !values.missing.contains(record));
        present.map(move |record| values.of(record))
    }

    /// The moments of each attribute, those of [`moments_by_attribute`](crate::stats::moments::moments_by_attribute): they do not depend on
    /// the order of the records.
    pub fn moments(&self) -> Vec<Moments> {
        let of = |attribute| moments(self.present(attribute));
        (0..self.values.len()).into_par_iter().map(of).collect()
    }
}

impl Whole<'_> {
    /// [`Scenario::gap_rules`] of the whole files, of which the scenario holds some records.
    pub fn gap_rules(&self, some: &Scenario<'_>, published: bool) -> Vec<GapRule> {
        let (intruder, released) = (&self.intruder, &self.released);
        let comparable = intruder.records.len() == released.records.len();
        let agree = |k| comparable && intruder.present(k).count() == released.present(k).count();
        let rule = |k| GapRule::of(some.released.gaps(k), some.direction, || agree(k));
        (0..intruder.values.len())
            .map(|k| if published { rule(k) } else { GapRule::NONE })
            .collect()
    }
}
