//! The cells of a grid, on all threads.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicBool, Ordering},
};

use rayon::prelude::*;

use super::{Cell, Grid};
use crate::{
    error::Result,
    evaluate::{grid::Row, shard::Shard},
    jobs::Observer,
};

/// The rows that were found before, by the number of the cell.
pub type Done = BTreeMap<usize, Row>;

/// Where finished cells are kept, so that a run that was stopped continues.
pub trait Journal: Sync {
    /// Keeps a finished cell: once this returns, nothing loses it.
    ///
    /// # Errors
    /// Failed, when it cannot be kept.
    fn note(&self, cell: usize, row: &Row) -> Result<()>;
}

/// Works out the cells of a shard that are not done yet, and gives the rows of all of these in order; `None` if it was interrupted
/// before they were done.
///
/// Which thread does which cell changes nothing in any row.
///
/// # Errors
/// The first failure of those that were met, in the order of the cells.
pub fn run(
    (grid, shard): (&Grid, Shard),
    mut done: Done,
    journal: Option<&dyn Journal>,
    observer: &dyn Observer,
) -> Result<Option<Vec<Row>>> {
    // What a journal says of other cells is no row of this plan.
    done.retain(|&number, row| {
        let cell = grid.cells.get(number);
        cell.is_some_and(|&Cell { setting, run }| row.setting == setting && row.run == run + 1)
    });
    let own: BTreeSet<usize> = shard.of_all(grid.cells.len()).collect();
    done.retain(|number, _| own.contains(number));
    let mut to_do: Vec<usize> = (own.iter().copied())
        .filter(|cell| !done.contains_key(cell))
        .collect();
    // The first masked file of every setting comes first: what cannot be masked is found before others took their time.
    to_do.sort_by_key(|&number| (grid.cells[number].run, number));
    let has_failed = AtomicBool::new(false);
    let mut found: Vec<(usize, Result<Option<Row>>)> = observer.stage("evaluate", || {
        let parts = observer.parts("masked files", done.len(), own.len());
        let one = |number: usize| -> Result<Option<Row>> {
            if has_failed.load(Ordering::Relaxed) || parts.stops() {
                return Ok(None);
            }
            let row = grid.row(grid.cells[number], &*parts.observer());
            let row = row.inspect_err(|_| has_failed.store(true, Ordering::Relaxed))?;
            // A search that was interrupted gave less than it would have.
            if parts.stops() {
                return Ok(None);
            }
            if let Some(journal) = journal {
                journal.note(number, &row)?;
            }
            parts.advance();
            Ok(Some(row))
        };
        // One by one in this order, each to whichever thread is free.
        let in_order = to_do.iter().copied().par_bridge();
        in_order.map(|number| (number, one(number))).collect()
    });
    found.sort_by_key(|&(number, _)| number);
    for (number, row) in found {
        if let Some(row) = row? {
            done.insert(number, row);
        }
    }
    Ok((done.len() == own.len()).then(|| done.into_values().collect()))
}
