//! Attacks: what an intruder does with a released file.
//!
//! An attack sees a [`Scenario`] and nothing else: what the intruder knows and what was released, as two matrices whose
//! records stand in unrelated orders. What the office published are the parameters of the attack itself. Who is whom, and how a masking was drawn, cannot
//! be named here: no type of this module holds it, and a test checks that no file of it imports one that does.
//! Claims are judged elsewhere (`evaluate`), against a truth that no attack has seen.

pub mod distance_based;
pub mod intersection;
pub mod one_to_one;

use std::borrow::Cow;

use crate::{
    distance::{Metric, nearest::Boxes},
    error::Result,
    table::matrix::Matrix,
};

/// Who looks for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Each record of the intruder looks for its masked record.
    OriginalToMasked,
    /// Each masked record looks for its record in the intruder's file.
    MaskedToOriginal,
}

/// All that an intruder has.
#[derive(Debug)]
pub struct Scenario<'a> {
    /// Names of the attributes that he knows, in the order of the columns of both matrices.
    pub known: &'a [String],
    /// His records, original values.
    pub intruder: &'a Matrix,
    /// The released records, in an order unrelated to his.
    pub released: &'a Matrix,
    /// Who looks for whom.
    pub direction: Direction,
}

impl<'a> Scenario<'a> {
    /// The records that look for a partner.
    pub fn seekers(&self) -> &'a Matrix {
        match self.direction {
            Direction::OriginalToMasked => self.intruder,
            Direction::MaskedToOriginal => self.released,
        }
    }

    /// The records among which they look.
    pub fn sought(&self) -> &'a Matrix {
        match self.direction {
            Direction::OriginalToMasked => self.released,
            Direction::MaskedToOriginal => self.intruder,
        }
    }
}

/// A way to link records.
pub trait Attack: std::fmt::Debug + Sync {
    /// Its name on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Whether it narrows the sought records down to a candidate set.
    fn has_candidate_sets(&self) -> bool;

    /// Studies a scenario, and says whom each seeker prefers.
    ///
    /// # Errors
    /// Usage or Input, when the attack does not apply to this scenario.
    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>>;
}

/// What an attack comes to: for each seeker, which sought records are possible and which of these are nearer.
///
/// It is data, complete before anybody asks about a record. The judge searches it and may ask about the true partners
/// while he does; no code of an attack runs any more, so none can profit from the question.
#[derive(Debug)]
pub struct Preference<'a> {
    /// The records that look, in the units of the sought ones.
    pub seekers: Cow<'a, Matrix>,
    /// The records among which they look.
    pub sought: &'a Matrix,
    /// Which of two sought records is nearer.
    pub metric: Metric,
    /// The candidate set of each seeker; `None` if every sought record is a candidate.
    pub candidates: Option<Boxes>,
}

impl Preference<'_> {
    /// The cost of linking this pair, to be minimised in sum by a one-to-one assignment: the squared distance; `None` if
    /// the pair is impossible.
    pub fn cost(&self, seeker: usize, sought: usize) -> Option<f64> {
        let record = self.sought.record(sought);
        self.candidates
            .as_ref()
            .is_none_or(|boxes| boxes.admits(seeker, record))
            .then(|| self.metric.key(self.seekers.record(seeker), record))
    }
}
