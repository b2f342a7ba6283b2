//! How far the parts of a job are on which threads work.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

use super::{
    files::{self, Interruptible},
    progress::Live,
};
use crate::jobs::{self, Observer};

/// Shows how many parts are done and how long the others will take, and ends them when somebody presses Ctrl-C.
#[derive(Debug)]
pub struct Parts {
    what: String,
    live: Live,
    started: Instant,
    before: usize,
    all: usize,
    done: AtomicUsize,
    /// Makes the observers of parts.
    observer: fn() -> Box<dyn Observer>,
    _interruptible: Interruptible,
}

impl Parts {
    /// So many of `all` parts were done `before`.
    pub fn new(
        what: &str,
        (before, all): (usize, usize),
        live: Live,
        observer: fn() -> Box<dyn Observer>,
    ) -> Self {
        live.show(&format!("{before} of {all} {what}"));
        Self {
            what: what.into(),
            live,
            started: Instant::now(),
            before,
            all,
            done: AtomicUsize::new(0),
            observer,
            _interruptible: Interruptible::new(),
        }
    }
}

impl jobs::Parts for Parts {
    fn stops(&self) -> bool {
        files::is_interrupted()
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
        let (what, all) = (&self.what, self.all);
        self.live
            .show(&format!("{finished} of {all} {what}, {left}"));
    }

    fn observer(&self) -> Box<dyn Observer> {
        (self.observer)()
    }
}
