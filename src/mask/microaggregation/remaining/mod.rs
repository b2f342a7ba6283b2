//! The records that are in no group yet, and the searches among them.
//!
//! Two ways lead to the same answers: comparing everything (`exhaustive`), and three structures that avoid it (`fast`).
//! Duplicates are one place with a list of records (`places`). The farthest record from the centre, which moves
//! little, is near the head of a list sorted by the distance from where the centre was (`shells`). The nearest and the farthest
//! record of another one are sought in a tree of boxes in single precision (`tree`) from which records are struck out,
//! and which is built anew when half of them are.
//!
//! Both ways decide by [`super::squared_distance`] alone; bounds only say what need not be looked at.
#![allow(
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    reason = "a tie is equality of the canonical number; records are counted by u32, which the caller checks"
)]

mod exhaustive;
mod fast;
mod places;
mod shells;
mod tree;

pub(super) use exhaustive::Exhaustive;
pub(super) use fast::Fast;

use super::space::Space;

/// Records that are in no group yet.
pub(super) trait Remaining {
    /// How many there are.
    fn len(&self) -> usize;

    /// All of them, ascending.
    fn records(&self) -> Vec<u32>;

    /// The farthest from a centre; of several the lowest.
    fn farthest_from_centre(&mut self, centre: &[f64]) -> Option<u32>;

    /// The farthest from a record; of several the lowest.
    fn farthest(&mut self, from: u32) -> Option<u32>;

    /// The nearest to a record, nearest first, ties ascending. A record that remains is nearest to itself.
    fn nearest(&mut self, to: u32, count: usize) -> Vec<u32>;

    /// Takes a record away. Of duplicates, the one with the lowest number goes first.
    fn remove(&mut self, record: u32);
}

/// What is done with the records that remain, however they are searched.
pub(super) trait Task {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run(self, remaining: impl Remaining) -> Self::Output;
}

/// Does a task with the fast searches, where their bounds are right.
pub(super) fn of<T: Task>(space: &Space, task: T) -> T::Output {
    assert!(
        u32::try_from(space.points.n_records()).is_ok(),
        "records are numbered by u32"
    );
    match Fast::new(&space.points) {
        Some(fast) => task.run(fast),
        None => task.run(Exhaustive::new(&space.points)),
    }
}
