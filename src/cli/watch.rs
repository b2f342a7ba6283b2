//! A thread that looks after a run: it shows what is being done when nothing was heard for a while, and ends a run that takes
//! more memory than it may.

use std::{thread, time::Duration};

use super::{files, memory as machine, progress, status};
use crate::memory;

/// How often it looks: what is allocated in so short a time is less than the tenth that the usual limit leaves.
const EVERY: Duration = Duration::from_millis(50);

/// Starts it. Without it, the run goes on as well.
pub fn start() {
    let watching = thread::Builder::new().name("watch".into());
    let _ = watching.spawn(|| {
        loop {
            thread::sleep(EVERY);
            progress::tick();
            if let Some(held) = machine::held()
                && held > memory::limit()
            {
                end(held);
            }
        }
    });
}

/// Requests are refused before they are granted where their size is known ([`memory::check`]); this is for all others.
fn end(held: u64) -> ! {
    let _ = progress::complain(&format!(
        "stopped: it took {} of memory, more than the limit of {}, while doing this: {}. Use fewer records or attributes, or \
         raise --memory-limit",
        memory::in_words(held.into()),
        memory::in_words(memory::limit().into()),
        progress::doing(),
    ));
    files::remove_temporary();
    std::process::exit(i32::from(status::FAILED));
}
