//! Schema matching: which attribute of one file is which of another, by how their values are distributed.
//!
//! ```text
//! two tables ─► profiles (numbers: sorted and standardised; names: shares) ─► distances ─► matching, situation
//! ```
//!
//! Records are never aligned: the files may differ in length, in order, and in whom they are about. Attributes of numbers are
//! compared by smooth densities, those of names by the shares of their categories, and never one with the other.

mod matching;
mod pair;
mod profile;
mod shape;
mod situation;

pub use matching::{LeftOut, Matching, Options, Relation, match_attributes};
pub use pair::{Pair, Rival};
pub use profile::ScaleBy;
pub use shape::{ComparedBy, Distance};
pub use situation::{Family, Situation};
