//! Who watches a job.

use std::sync::Arc;

use crate::{
    error::Result,
    optimize::subsystem::{Patient, Watch},
};

/// Hears what a job has to say while it works, and decides how long a search may take. By default nobody listens, and nothing
/// is stopped.
pub trait Observer {
    /// A line for a person.
    fn note(&self, _text: &str) {}

    /// A line for a person who asked for more.
    fn detail(&self, _text: &str) {}

    /// Something is almost certainly not as the user believes.
    ///
    /// # Errors
    /// Where warnings are to end the job.
    fn warn(&self, _text: &str) -> Result<()> {
        Ok(())
    }

    /// A part of the request has no use.
    ///
    /// # Errors
    /// Where this is to end the job.
    fn unused(&self, _text: &str) -> Result<()> {
        Ok(())
    }

    /// What is being done right now.
    fn progress(&self, _text: &str) {}

    /// A stage of the work begins; stages can be nested.
    fn begin(&self, _stage: &str) {}

    /// The stage that began last ends.
    fn end(&self) {}

    /// A search begins for `what`, which may take so many seconds. As long as the returned value exists, an interruption stops the
    /// search and not the job, which goes on with the best that was found.
    fn search(&self, _what: &str, _seconds: f64) -> Arc<dyn Watch + Send + Sync> {
        Arc::new(Patient)
    }

    /// Threads begin with many parts of the job, `all` of them, of which so many were `done` before. As long as the returned value
    /// exists, an interruption ends them, and the job reports that it was stopped.
    fn parts(&self, _what: &str, _done: usize, _all: usize) -> Arc<dyn Parts> {
        Arc::new(Quiet)
    }
}

/// Watches the parts of a job on which threads work.
pub trait Parts: Send + Sync {
    /// Whether no further part shall begin.
    fn stops(&self) -> bool {
        false
    }

    /// One more part is done.
    fn advance(&self) {}

    /// Who watches one part: nobody hears of it, but its searches end in time.
    fn observer(&self) -> Box<dyn Observer> {
        Box::new(Quiet)
    }
}

impl dyn Observer + '_ {
    /// Does a stage of the work.
    pub fn stage<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        self.begin(name);
        let result = work();
        self.end();
        result
    }
}

/// An observer that ignores everything: searches then run to their end.
#[derive(Debug, Clone, Copy)]
pub struct Quiet;

impl Observer for Quiet {}

impl Parts for Quiet {}
