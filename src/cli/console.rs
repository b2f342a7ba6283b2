//! What a person reads on standard error: notes, progress, timings, complaints; and how many threads and how much memory a
//! run may take.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    io::{self, IsTerminal, Write},
    sync::Arc,
    time::Instant,
};

use super::{clock::Clock, memory as machine, parts::Parts, progress, watch};
use crate::{
    error::{Error, Result},
    jobs::{self, Observer},
    memory,
    optimize::subsystem::Watch,
    options::console::ConsoleArgs,
    visible,
};

pub use progress::Live;

/// More threads than any machine has processors only wait for each other.
const MAX_THREADS: usize = 1024;

/// Standard error and what may go there.
#[derive(Debug)]
pub struct Console {
    quiet: bool,
    strict: bool,
    verbose: bool,
    timings: bool,
    live: Live,
    /// Whether it is that of the call, not of a part that other threads do.
    whole: bool,
    stages: RefCell<Vec<(String, f64)>>,
    /// The stages that began and did not end yet.
    under_way: RefCell<Vec<(String, Instant)>>,
    /// The notes so far.
    said: RefCell<BTreeSet<String>>,
}

impl Console {
    /// Takes the options and starts the threads.
    pub fn new(args: &ConsoleArgs) -> Result<Self> {
        if args
            .threads
            .is_some_and(|threads| !(1..=MAX_THREADS).contains(&threads))
        {
            return Err(Error::usage(format!(
                "--threads wants a number from 1 to {MAX_THREADS}"
            )));
        }
        if let Some(threads) = args.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build_global()
                .map_err(|error| {
                    Error::failed(format!("cannot start {threads} threads: {error}"))
                })?;
        }
        if let Some(bytes) = args.memory_limit.or_else(machine::free) {
            memory::limit_to(bytes);
        }
        let live = Live::new(!args.quiet && io::stderr().is_terminal());
        watch::start();
        Ok(Self {
            quiet: args.quiet,
            strict: args.strict,
            verbose: args.verbose,
            timings: args.timings,
            live,
            whole: true,
            stages: RefCell::default(),
            under_way: RefCell::default(),
            said: RefCell::default(),
        })
    }

    /// One that says nothing: for work that is a small part of a call.
    pub fn quiet() -> Self {
        Self {
            quiet: true,
            strict: false,
            verbose: false,
            timings: false,
            live: Live::silent(),
            whole: false,
            stages: RefCell::default(),
            under_way: RefCell::default(),
            said: RefCell::default(),
        }
    }

    /// A line for a person. The same line is said once, however many parts of a call have reason to say it.
    pub fn note(&self, text: &str) {
        if !self.quiet && self.said.borrow_mut().insert(text.into()) {
            write_line(text);
        }
    }

    /// Something is almost certainly not as the user believes. Reported as a note that begins with "warning:".
    ///
    /// # Errors
    /// Usage, under `--strict`: outputs that were not kept yet do not appear.
    pub fn warn(&self, text: &str) -> Result<()> {
        self.objection("warning", text)
    }

    /// As [`warn`](Self::warn), but under `--quiet`, too: a result protects less than its name promises, and nothing else
    /// that is written would show it.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    pub fn insist(&self, text: &str) -> Result<()> {
        self.objection("warning", text)?;
        if self.quiet {
            write_line(&format!("warning: {text}"));
        }
        Ok(())
    }

    /// An option has no use in this call. Scripts run over many files, so this is a note; options that contradict each
    /// other are errors and do not come here.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    pub fn unused(&self, text: &str) -> Result<()> {
        self.objection("note", text)
    }

    fn objection(&self, kind: &str, text: &str) -> Result<()> {
        if self.strict {
            return Err(Error::strict(text.trim_end_matches('.'))
                .remedy(format!("Without --strict this is a {kind}")));
        }
        self.note(&format!("{kind}: {text}"));
        Ok(())
    }

    /// What is being done right now; shown on a terminal only, overwritten by the next line.
    pub fn progress(&self, text: &str) {
        if self.whole {
            progress::says(text);
        }
    }

    /// Does a stage of the work, and remembers how long it took. Times of the same stage add up.
    pub fn stage<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        (self as &dyn Observer).stage(name, work)
    }
}

impl Observer for Console {
    fn note(&self, text: &str) {
        self.note(text);
    }

    fn detail(&self, text: &str) {
        if self.verbose {
            self.note(text);
        }
    }

    fn warn(&self, text: &str) -> Result<()> {
        self.warn(text)
    }

    fn unused(&self, text: &str) -> Result<()> {
        self.unused(text)
    }

    fn progress(&self, text: &str) {
        self.progress(text);
    }

    fn begin(&self, stage: &str) {
        self.under_way
            .borrow_mut()
            .push((stage.into(), Instant::now()));
        if self.whole {
            progress::begin(stage);
        }
    }

    fn end(&self) {
        if self.whole {
            progress::end();
        }
        let Some((stage, start)) = self.under_way.borrow_mut().pop() else {
            return;
        };
        let seconds = start.elapsed().as_secs_f64();
        let mut stages = self.stages.borrow_mut();
        match stages.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, total)) => *total += seconds,
            None => stages.push((stage, seconds)),
        }
    }

    fn search(&self, what: &str, seconds: f64) -> Arc<dyn Watch + Send + Sync> {
        Arc::new(Clock::new(what, seconds, self.live))
    }

    fn parts(&self, what: &str, done: usize, all: usize) -> Arc<dyn jobs::Parts> {
        let observer = || Box::new(Self::quiet()) as Box<dyn Observer>;
        Arc::new(Parts::new(what, (done, all), self.live, observer))
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        progress::clear();
        if self.timings {
            for (stage, seconds) in self.stages.borrow().iter() {
                let line = serde_json::json!({"stage": stage, "seconds": seconds});
                let _ = writeln!(io::stderr(), "{line}");
            }
        }
    }
}

/// A line on standard error. A closed one must not stop the work.
fn write_line(text: &str) {
    progress::clear();
    let _ = writeln!(io::stderr(), "{}", visible::lines(text));
}
