//! The last fence: a panic, which is an error of the program, ends as an error does.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    io::{self, Write},
    panic::{self, AssertUnwindSafe, Location},
    sync::{Mutex, PoisonError},
};

use super::files;
use crate::error::Error;

/// Where the last panic was.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Replaces what is printed of a panic: its message may hold a record's values, so it is shown to nobody. How the program came
/// there is printed if RUST_BACKTRACE asks for it.
pub fn install() {
    panic::set_hook(Box::new(|info| {
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            let _ = writeln!(io::stderr(), "{trace}");
        }
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = info.location().map(short);
    }));
}

/// Does the work of a call. Files that were not finished are removed after a panic.
///
/// # Errors
/// Those of the work; Failed, when it panicked.
pub fn contained<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    // Nothing of it is looked at again: the program ends.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        files::remove_temporary();
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(Error::failed(format!(
            "internal error at {}",
            place.as_deref().unwrap_or("an unknown place")
        ))
        .remedy("This is a fault of the program: please report it, with the command but without the data")
        .into())
    })
}

/// A place in the source, without the folders of the machine that compiled it.
fn short(location: &Location<'_>) -> String {
    let file = location.file().replace('\\', "/");
    let parts: Vec<&str> = file.split('/').collect();
    let source = parts.iter().rposition(|&part| part == "src").unwrap_or(0);
    let from = source.saturating_sub(1);
    format!("{}:{}", parts[from..].join("/"), location.line())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_without_its_message() {
        let before = panic::take_hook();
        install();
        let secret = String::from("738194.62");
        let ended: anyhow::Result<()> = contained(|| panic!("no record has {secret}"));
        panic::set_hook(before);
        let text = format!("{:#}", ended.unwrap_err());
        assert!(text.contains("src/cli/fence.rs:"), "{text}");
        assert!(!text.contains(&secret), "{text}");
        assert_eq!(contained(|| Ok(1)).unwrap(), 1);
    }
}
