//! `demo` as a job: a file is rank-swapped at several strengths, and attacked.

mod enterprises;
mod survey;

pub use enterprises::enterprise_survey;
pub use survey::household_survey;

use crate::{
    attack::{
        Attack, Direction,
        distance_based::{DistanceBased, Standardize},
        intersection::rank_swap::{Bound, RankSwapIntersection},
        involution::{self, Involution},
        likelihood::Likelihood,
    },
    error::Result,
    evaluate::{
        link::{self, Assign, Study},
        score::Score,
        truth::{OriginalRecord, Truth},
    },
    mask::{
        Mask,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::Partner,
    table::{Role, Table},
};

/// The strengths of masking that are compared, in percent.
pub const PERCENTAGES: [f64; 5] = [1.0, 2.0, 5.0, 10.0, 20.0];

/// What happened at one strength, to an intruder who knows all that was masked of everybody.
#[derive(Debug)]
pub struct Row {
    /// The strength in percent.
    pub p: f64,
    /// The same in ranks.
    pub window: usize,
    /// How many attributes the intruder knows.
    pub known: usize,
    /// The nearest record is taken.
    pub am: Score,
    /// The published window is used.
    pub rsld: Score,
    /// The swaps are undone.
    pub involution: Score,
}

/// Masks and attacks a file at one strength. `to_mask` is the same file once more.
///
/// # Errors
/// Those of masking and of the attacks.
pub fn run(p: f64, original: &Table, to_mask: Table) -> Result<Row> {
    let method = RankSwap::new(Reach::Percent(p), Partner::Unswapped)?;
    let on: Vec<_> = to_mask
        .ids()
        .filter(|&id| to_mask.attribute(id).role == Role::QuasiIdentifier)
        .filter(|&id| method.objection(&to_mask, id).is_none())
        .collect();
    // A fixed seed: whoever reads about the demo sees the same figures.
    let masked = method.mask(
        to_mask,
        &on,
        &Seed::from_number(1).streams(Purpose::Mask, 0),
    )?;
    let truth = Truth::by_order(original, &masked.table)?;
    let everybody = OriginalRecord::all(original);
    let study = Study::new(
        original,
        &masked.table,
        &truth,
        everybody,
        Direction::OriginalToMasked,
    );
    let (known, _) = link::shared_attributes(original, &masked.table, None);
    let case = study.case(&known);
    let standardize = Standardize::Own;
    let attack = |attack: &dyn Attack| -> Result<Score> {
        Ok(case.attack(attack, Assign::Best, false)?.score)
    };
    Ok(Row {
        p,
        window: Reach::Percent(p).window(original.n_records()),
        known: known.len(),
        am: attack(&DistanceBased { standardize })?,
        rsld: attack(&RankSwapIntersection {
            bound: Bound::of_step(&masked.step)?,
            standardize,
        })?,
        involution: attack(&Involution::new(
            Likelihood::new(masked.step.clone())?,
            involution::EPS,
        )?)?,
    })
}
