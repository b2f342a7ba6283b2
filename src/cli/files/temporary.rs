//! The temporary files beside the outputs: what a signal does to them, how they replace their targets together, and what is
//! found of runs that were killed.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use fs4::FileExt;
use tempfile::NamedTempFile;

use super::{cannot, name_of};
use crate::{cli::status, error::Result};

const PREFIX: &str = ".sdcrisk-";
const SUFFIX: &str = ".partial";

/// What stands between the name of the target and the random letters.
const BEFORE_LETTERS: char = '-';

/// Letters of the target's name in that of its temporary file: names have 255 bytes at most, and a letter has up to four.
const MAX_LETTERS: usize = 50;

/// Temporary files that exist right now: a run that is asked to stop (Ctrl-C, the end of a batch job) removes them. Who makes
/// one or renames one holds the lock, so that no signal comes between.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The folders that were looked through for what killed runs left.
static LOOKED_AT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// What was found there.
static LEFT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How many pieces of work are under way that can be asked to stop; one can be part of another.
static SEARCHING: AtomicUsize = AtomicUsize::new(0);

/// Whether it was asked to.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// While this exists, Ctrl-C asks for what there is instead of ending the program; a second time ends it.
#[derive(Debug)]
pub struct Interruptible(());

impl Interruptible {
    /// From now on, until it is dropped.
    pub fn new() -> Self {
        watch_signals();
        SEARCHING.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        SEARCHING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether interruptible work was asked to stop, now or before.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

fn watch_signals() {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // Without a handler a stopped run leaves a temporary file behind: a blemish, no reason not to work.
        let _ = ctrlc::set_handler(|| {
            // A search gives what it has; who asks twice means it.
            if SEARCHING.load(Ordering::Relaxed) > 0 && !INTERRUPTED.swap(true, Ordering::Relaxed) {
                return;
            }
            // Held to the end: nothing is made or renamed any more.
            let files = locked(&TEMPORARY);
            remove(&files);
            std::process::exit(i32::from(status::STOPPED));
        });
    });
}

/// Removes the outputs that are being written: for a run that ends here.
pub fn remove_temporary() {
    remove(&locked(&TEMPORARY));
}

fn remove(files: &[PathBuf]) {
    for path in files {
        let _ = fs::remove_file(path);
    }
}

fn locked<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a temporary file beside `target`, which has the mode `mode` less what the user's settings take away.
pub(super) fn create(target: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let folder = target.parent().unwrap_or(Path::new("."));
    look_for_leftovers(folder);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(MAX_LETTERS).collect();
    let prefix = format!("{PREFIX}{name}{BEFORE_LETTERS}");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    watch_signals();
    let mut files = locked(&TEMPORARY);
    let temporary = builder.tempfile_in(folder)?;
    files.push(temporary.path().to_path_buf());
    // The system frees the lock of a process that is killed. Where disks know no locks, no leftovers are found.
    let _ = FileExt::try_lock(temporary.as_file());
    Ok(temporary)
}

/// A temporary file whose content is complete, and what it replaces.
pub(super) struct Ready {
    /// How the target is called in messages.
    pub name: String,
    pub temporary: NamedTempFile,
    pub target: PathBuf,
}

/// Lets all of them appear under their names, in this order: after a sync of all, and with nothing between. A signal comes
/// before the first or after the last.
pub(super) fn appear(all: Vec<Ready>) -> Result<()> {
    for Ready {
        name, temporary, ..
    } in &all
    {
        let synced = temporary.as_file().sync_all();
        synced.map_err(|error| cannot("write", name, &error))?;
    }
    let mut files = locked(&TEMPORARY);
    let mut in_place: Vec<String> = Vec::new();
    for Ready {
        name,
        temporary,
        target,
    } in all
    {
        let path = temporary.path().to_path_buf();
        if let Err(error) = temporary.persist(&target) {
            let error = cannot("write", &name, &error.error);
            return Err(match in_place[..] {
                [] => error,
                _ => error.remedy(format!(
                    "Of the same call {} is in place already: make all of them again",
                    in_place.join(", ")
                )),
            });
        }
        files.retain(|other| *other != path);
        in_place.push(name);
    }
    Ok(())
}

/// Finds the temporary files of runs that are no more. Those of runs that go on are locked.
fn look_for_leftovers(folder: &Path) {
    if !locked(&LOOKED_AT).insert(folder.to_path_buf()) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !name.starts_with(PREFIX) || !name.ends_with(SUFFIX) {
            continue;
        }
        let path = entry.path();
        if File::open(&path).is_ok_and(|file| FileExt::try_lock(&file).is_ok()) {
            locked(&LEFT).push(path);
        }
    }
}

/// What runs that were killed left in the folders that this call writes to, a sentence each.
pub fn left_by_killed_runs() -> Vec<String> {
    let mut left = locked(&LEFT).clone();
    left.sort();
    left.iter().map(|path| left_behind(path)).collect()
}

fn left_behind(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let target = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.rsplit_once(BEFORE_LETTERS))
        .map_or("its file", |(target, _)| target)
        .to_string();
    format!(
        "note: a run was killed before {} was in place: other files that it was to write may be new already, and do not \
         belong to what is there. Make them again together, and delete {}",
        name_of(Path::new(&target)),
        name_of(path)
    )
}
