//! Standard output, with its failures: a closed one is not taken for one that everything was written to.

use std::{
    io::{self, IsTerminal, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use crate::error::{Error, Result};

/// Whether standard output was closed when the program was started (`>&-` in a shell).
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks at standard output before the standard library does, which puts /dev/null in the place of one that is closed.
/// From then on it cannot be distinguished from a standard output that the caller sent to /dev/null.
#[cfg(unix)]
#[ctor::ctor]
fn look_at_standard_output() {
    use std::os::fd::AsFd;
    let closed = io::stdout().as_fd().try_clone_to_owned().is_err();
    WAS_CLOSED.store(closed, Ordering::Relaxed);
}

/// Refuses to go on where something will be written to a standard output that is closed.
///
/// # Errors
/// Failed, when it is.
pub(super) fn check_open() -> Result<()> {
    if WAS_CLOSED.load(Ordering::Relaxed) {
        Err(Error::failed("standard output is closed").remedy(
        "Name a file by -o where the command has it, or send the output to a file, a pipe or /dev/null",
    ))
    } else {
        Ok(())
    }
}

/// Whether a person would see what is written there.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Where bytes to standard output go. The standard library's own handle says that all is well when the system refuses
/// them because nothing can be written there, as in `1< file`.
pub(super) fn writer() -> io::Result<Box<dyn Write>> {
    check_open().map_err(io::Error::other)?;
    #[cfg(unix)]
    {
        use std::{fs::File, os::fd::AsFd};
        let descriptor = io::stdout().as_fd().try_clone_to_owned()?;
        Ok(Box::new(File::from(descriptor)))
    }
    #[cfg(not(unix))]
    Ok(Box::new(io::stdout()))
}
