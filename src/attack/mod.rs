//! Attacks: what an intruder does with a released file.
//!
//! An attack sees a [`Scenario`] and nothing else: what the intruder knows and what was released, as two matrices whose
//! records stand in unrelated orders. What the office published are the parameters of the attack itself. Who is whom, and how a masking was drawn, cannot
//! be named here: no type of this module holds it, and a test checks that no file of it imports one that does.
//! Claims are judged elsewhere (`evaluate`), against a truth that no attack has seen.

pub mod distance_based;
pub mod intersection;
pub mod one_to_one;

use crate::{
    distance::nearest::{Contest, Link},
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

    /// Studies a scenario.
    ///
    /// # Errors
    /// Usage or Input, when the attack does not apply to this scenario.
    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Box<dyn Linker + 'a>>;
}

/// An attack made ready for one scenario: it can be asked for its claims.
///
/// The judge asks about `rivals`: one sought record a seeker, any he likes. The linker answers how that record fares
/// with the seeker; that it may be the true one is nothing that the linker could know.
pub trait Linker: Sync {
    /// How each seeker's rival fares, found out with as little work as possible.
    fn contests(&self, rivals: &[Option<u32>]) -> Vec<Contest>;

    /// Whom each seeker links (at most `limit` of those that tie are listed), and the place of its rival.
    fn links(&self, rivals: &[Option<u32>], limit: usize) -> Vec<Link>;

    /// The distance as people know it, of a key that orders links.
    fn distance(&self, key: f64) -> f64;

    /// The cost of linking this pair, to be minimised in sum by a one-to-one assignment; `None` if the pair cannot be.
    fn cost(&self, seeker: usize, sought: usize) -> Option<f64>;
}
