//! The clock that stops a search.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use super::{
    files::{self, Interruptible},
    progress::Live,
};
use crate::optimize::subsystem::Watch;

/// Progress is shown no more often than this.
const BETWEEN_LINES: Duration = Duration::from_millis(100);

/// Stops a search when its time is over or somebody presses Ctrl-C, and shows how it fares.
#[derive(Debug)]
pub struct Clock {
    what: String,
    limit: Duration,
    live: Live,
    started: Instant,
    shown: Mutex<Option<Instant>>,
    _interruptible: Interruptible,
}

impl Clock {
    /// A search begins; `what` it looks for is shown beside its progress.
    pub fn new(what: &str, seconds: f64, live: Live) -> Self {
        Self {
            what: what.into(),
            limit: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
            live,
            started: Instant::now(),
            shown: Mutex::default(),
            _interruptible: Interruptible::new(),
        }
    }
}

impl Watch for Clock {
    fn stops(&self) -> bool {
        files::is_interrupted() || self.started.elapsed() >= self.limit
    }

    fn seconds_left(&self) -> Option<f64> {
        let left = self.limit.saturating_sub(self.started.elapsed());
        Some(left.as_secs_f64())
    }

    fn progress(&self, satisfied: usize, bound: usize) {
        if !self.live.is_live() {
            return;
        }
        let mut shown = self
            .shown
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if shown.is_some_and(|shown| shown.elapsed() < BETWEEN_LINES) {
            return;
        }
        *shown = Some(Instant::now());
        self.live.show(&format!(
            "{}: {satisfied} linked, at most {bound} (gap {}), {:.0} s; Ctrl-C prints the best so far",
            self.what,
            bound.saturating_sub(satisfied),
            self.started.elapsed().as_secs_f64()
        ));
    }
}
