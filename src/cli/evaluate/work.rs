//! The cells of a grid, on all threads.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Instant,
};

use rayon::prelude::*;

use super::{experiment::Experiment, journal::Journal};
use crate::{
    cli::{
        console::{Console, Live},
        files,
    },
    evaluate::grid::Row,
};

/// How the cells are gone through.
pub(super) struct Course<'a> {
    /// The seed of the first masked file of each setting.
    pub seed: u64,
    /// Whether rows show theirs.
    pub shows_seed: bool,
    /// Cells that were done before.
    pub done: BTreeMap<usize, Row>,
    /// Where finished cells are noted.
    pub journal: Option<&'a Journal>,
}

/// The rows of all cells in order; `None` if somebody pressed Ctrl-C before they were done.
///
/// Which thread does which cell changes nothing in any row.
///
/// # Errors
/// The first failure of those that were met, in the order of the cells.
pub(super) fn rows(
    experiment: &Experiment,
    course: Course<'_>,
    console: &Console,
) -> anyhow::Result<Option<Vec<Row>>> {
    let cells = &experiment.cells;
    let mut done = course.done;
    // What a journal says of other cells is no row of this plan.
    done.retain(|&cell, row| {
        cells
            .get(cell)
            .is_some_and(|&(setting, run)| row.setting == setting && row.run == run + 1)
    });
    let mut to_do: Vec<usize> = (0..cells.len())
        .filter(|cell| !done.contains_key(cell))
        .collect();
    // The first masked file of every setting comes first: what cannot be masked is found before others took their time.
    to_do.sort_by_key(|&cell| (cells[cell].1, cell));
    let progress = Progress::new(console.live(), done.len(), cells.len());
    let has_failed = AtomicBool::new(false);
    let one = |cell: usize| -> anyhow::Result<Option<Row>> {
        if has_failed.load(Ordering::Relaxed) || files::is_interrupted() {
            return Ok(None);
        }
        let (_, run) = cells[cell];
        let seed = course.seed + u64::from(run);
        let row = experiment
            .row(cells[cell], seed, course.shows_seed)
            .inspect_err(|_| has_failed.store(true, Ordering::Relaxed))?;
        // A search that was interrupted gave less than it would have.
        if files::is_interrupted() {
            return Ok(None);
        }
        if let Some(journal) = course.journal {
            journal.note(cell, &row)?;
        }
        progress.advance();
        Ok(Some(row))
    };
    let mut found: Vec<(usize, anyhow::Result<Option<Row>>)> = console.stage("evaluate", || {
        files::interruptible(|| {
            // One by one in this order, each to whichever thread is free.
            let in_order = to_do.iter().copied().par_bridge();
            in_order.map(|cell| (cell, one(cell))).collect()
        })
    });
    found.sort_by_key(|&(cell, _)| cell);
    for (cell, row) in found {
        if let Some(row) = row? {
            done.insert(cell, row);
        }
    }
    Ok((done.len() == cells.len()).then(|| done.into_values().collect()))
}

/// How far the work is.
struct Progress {
    live: Live,
    started: Instant,
    before: usize,
    all: usize,
    done: AtomicUsize,
}

impl Progress {
    fn new(live: Live, before: usize, all: usize) -> Self {
        live.show(&format!("{before} of {all} masked files"));
        Self {
            live,
            started: Instant::now(),
            before,
            all,
            done: AtomicUsize::new(0),
        }
    }

    fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let finished = self.before + done;
        let left = self.all.saturating_sub(finished);
        let seconds = self.started.elapsed().as_secs_f64() * left as f64 / done as f64;
        let left = match seconds {
            s if s >= 5400.0 => format!("about {:.1} hours left", s / 3600.0),
            s if s >= 90.0 => format!("about {:.0} minutes left", s / 60.0),
            s => format!("about {s:.0} seconds left"),
        };
        self.live
            .show(&format!("{finished} of {} masked files, {left}", self.all));
    }
}
