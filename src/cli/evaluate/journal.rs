//! The journal of a grid: what is done of it, so that a run that was stopped, or killed, continues.
//!
//! A line of JSON first says what the journal is of; then each finished cell is a line, appended and synced. What a kill leaves
//! unfinished is the last line at most: it is dropped. The journal holds the seed that was drawn where the plan gives none, so it is
//! private. While a run goes on it holds a lock on its journal, from before it reads it: a second run would mix its lines with these.
//! The system lets go of the lock when the run ends in any way, so a killed one stands in nobody's way.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

use fs4::{FileExt, TryLockError};
use serde::{Deserialize, Serialize};

use crate::{
    cli::files::{Plan, Privacy, name_of},
    error::{Error, Result},
    evaluate::grid::Row,
    jobs::evaluate::{Done, Journal},
    report::{evaluate::PlanSummary, part::PartInput},
};

const SCHEMA: &str = "sdcrisk.journal/1";

/// What the first line of every journal begins with, whatever it is of.
const BEGINNING: &str = r#"{"schema":"sdcrisk.journal/1","version":""#;

/// The journal in the folder of `--into`.
pub(super) fn journal_of(folder: &Path) -> PathBuf {
    folder.join("journal.jsonl")
}

/// What a journal is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// SHA-256 of the plan.
    pub plan: String,
    /// SHA-256 of each file that was read, in order.
    pub files: Vec<String>,
    /// The seed of the first masked file of each setting.
    pub seed: u64,
}

impl Header {
    pub fn new(plan: String, files: Vec<String>, seed: u64) -> Self {
        Self {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            plan,
            files,
            seed,
        }
    }

    /// That of one run, of the inputs of its parts: the plan first, of which `asked` makes the SHA-256 of all that was asked for.
    pub fn of_parts(
        inputs: Vec<PartInput>,
        plan: &PlanSummary,
        asked: impl FnOnce(String) -> String,
    ) -> Self {
        let mut sums = inputs.into_iter().map(|input| input.sha256);
        let first = sums.next().unwrap_or_default();
        Self::new(asked(first), sums.collect(), plan.seed.unwrap_or_default())
    }
}

/// A finished cell.
#[derive(Serialize, Deserialize)]
struct Line {
    cell: usize,
    row: Row,
}

/// What a journal held when it was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub header: Option<Header>,
    pub rows: Done,
    /// The journal itself, locked; `None` where there was none.
    file: Option<File>,
    /// The bytes of its whole lines.
    whole: u64,
    /// Whether a torn line follows them.
    is_torn: bool,
}

/// A journal that is being written.
#[derive(Debug)]
pub(super) struct JournalFile {
    path: PathBuf,
    file: Mutex<File>,
}

impl Found {
    /// Locks and reads a journal, if there is one.
    ///
    /// # Errors
    /// Usage, when another run writes it, or its name is a link that leads nowhere; Input, when it is none; Failed, when it cannot be
    /// read.
    pub fn read(path: &Path) -> Result<Self> {
        let Some(mut file) = locked(path)? else {
            return Ok(Self::default());
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|error| cannot("read", path, &error))?;
        let mut found = Self::of_bytes(&bytes, path)?;
        found.file = Some(file);
        Ok(found)
    }

    fn of_bytes(bytes: &[u8], path: &Path) -> Result<Self> {
        let wrong = |line: usize| {
            Error::input("is not a journal of sdcrisk evaluate")
                .in_file(name_of(path))
                .at_line(line as u64 + 1)
                .remedy("Name another folder by --into, or delete this file to begin again")
        };
        let mut found = Self::default();
        let mut lines = bytes
            .split_inclusive(|&byte| byte == b'\n')
            .enumerate()
            .peekable();
        while let Some((number, line)) = lines.next() {
            let is_last = lines.peek().is_none();
            let is_whole = line.ends_with(b"\n");
            if is_whole && found.take(number, line) {
                found.whole += line.len() as u64;
                continue;
            }
            // A kill tears the line that was being written, and no other. A first line that is no header is another's file.
            let can_be_torn = match number {
                0 => !is_whole && begins_as_ours(line),
                _ => is_last,
            };
            if !can_be_torn {
                return Err(wrong(number));
            }
            found.is_torn = true;
        }
        Ok(found)
    }

    fn take(&mut self, number: usize, line: &[u8]) -> bool {
        if number == 0 {
            self.header = serde_json::from_slice(line)
                .ok()
                .filter(|header: &Header| header.schema == SCHEMA);
            return self.header.is_some();
        }
        match serde_json::from_slice::<Line>(line) {
            Ok(line) => {
                self.rows.insert(line.cell, line.row);
                true
            }
            Err(_) => false,
        }
    }

    /// Whether what was found is of this plan and these files.
    ///
    /// # Errors
    /// Usage, when it is of others.
    pub fn check(&self, path: &Path, now: &Header) -> Result<()> {
        let Some(then) = &self.header else {
            return Ok(());
        };
        let differs = if then.version != now.version {
            "another version of the program"
        } else if then.plan != now.plan {
            "another plan, or of another search"
        } else if then.files != now.files {
            "files that have changed since"
        } else {
            return Ok(());
        };
        Err(Error::usage(format!(
            "is the journal of {differs}: its figures would not fit the others"
        ))
        .in_file(name_of(path))
        .remedy("Name another folder by --into, or delete this file to begin again"))
    }
}

impl JournalFile {
    /// Continues what was found, or begins.
    ///
    /// # Errors
    /// Usage, when another run began meanwhile; Failed, when it cannot be written.
    pub fn open(path: &Path, found: &mut Found, header: &Header) -> Result<Self> {
        let mut file = match found.file.take() {
            Some(file) => file,
            None => created(path)?,
        };
        let mut begin = || -> io::Result<()> {
            if found.is_torn {
                file.set_len(found.whole)?;
            }
            if found.header.is_none() {
                file.write_all(&line_of(header)?)?;
            }
            file.sync_all()
        };
        begin().map_err(|error| cannot("write", path, &error))?;
        Ok(Self {
            file: Mutex::new(file),
            path: path.into(),
        })
    }
}

impl Journal for JournalFile {
    fn note(&self, cell: usize, row: &Row) -> Result<()> {
        let write = || -> io::Result<()> {
            let line = line_of(&Line {
                cell,
                row: row.clone(),
            })?;
            let mut file = self
                .file
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            file.write_all(&line)?;
            file.sync_data()
        };
        write().map_err(|error| cannot("write", &self.path, &error))
    }
}

/// Whether a line without its end can be the torn header of a journal of ours.
fn begins_as_ours(line: &[u8]) -> bool {
    line.starts_with(BEGINNING.as_bytes()) || BEGINNING.as_bytes().starts_with(line)
}

/// How a journal is opened: lines are added at its end, wherever that is.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

/// The journal that is there, for this run alone.
fn locked(path: &Path) -> Result<Option<File>> {
    loop {
        let file = match options().open(path) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => {
                // What a link to nowhere names would be made, out of sight.
                return if fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) {
                    Err(Error::usage("is a link that leads nowhere")
                        .in_file(name_of(path))
                        .remedy("Remove the link, or name another folder by --into"))
                } else {
                    Ok(None)
                };
            }
            Err(error) => return Err(cannot("read", path, &error)),
        };
        lock(&file, path)?;
        // A run that ended between the two has renamed its journal over the one that was opened.
        if is_still_there(&file, path) {
            return Ok(Some(file));
        }
    }
}

/// Where the folder is a file there is no journal either; the folder's own check says so.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// A new journal, for this run alone.
fn created(path: &Path) -> Result<File> {
    match options().create_new(true).open(path) {
        Ok(file) => lock(&file, path).map(|()| file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(in_use(path)),
        Err(error) => Err(cannot("write", path, &error)),
    }
}

fn lock(file: &File, path: &Path) -> Result<()> {
    // By its full name: newer standard libraries have a method of the same name.
    match FileExt::try_lock(file) {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(in_use(path)),
        // Some network disks know no locks; a run that is alone needs none.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(cannot("lock", path, &error)),
    }
}

#[cfg(unix)]
fn is_still_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(opened), Ok(there)) => (opened.dev(), opened.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_still_there(_: &File, _: &Path) -> bool {
    // An open file cannot be renamed over there.
    true
}

fn in_use(path: &Path) -> Error {
    Error::usage("another run is writing this journal now")
        .in_file(name_of(path))
        .remedy("Wait until it has ended, or name another folder by --into")
}

/// Writes a journal anew, its cells in order: so that it does not depend on which thread was faster, nor where a run was killed.
///
/// # Errors
/// Failed, when it cannot be written.
pub(super) fn in_order(path: &Path, header: &Header, rows: &[Row]) -> Result<()> {
    let mut plan = Plan::default();
    plan.output(path)?;
    let mut output = plan.open(path, Privacy::Private)?;
    output.write(|out| {
        out.write_all(&line_of(header)?)?;
        for (cell, row) in rows.iter().enumerate() {
            out.write_all(&line_of(&Line {
                cell,
                row: row.clone(),
            })?)?;
        }
        Ok(())
    })?;
    output.keep()
}

fn line_of(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::other)?;
    line.push(b'\n');
    Ok(line)
}

fn cannot(verb: &str, path: &Path, error: &io::Error) -> Error {
    Error::failed(format!("cannot {verb} the journal: {error}"))
        .in_file(name_of(path))
        .remedy("Check the disk, and who may write there; what it holds already is kept")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Found> {
        Found::of_bytes(bytes, Path::new("journal.jsonl"))
    }

    /// A kill can leave any beginning of the header.
    #[test]
    fn a_torn_header_is_one_that_begins_as_ours() {
        let header = line_of(&Header::new("plan".into(), vec!["file".into()], 1)).unwrap();
        for end in 1..header.len() {
            let found = read(&header[..end]).unwrap();
            assert!(
                found.is_torn && found.header.is_none() && found.whole == 0,
                "{end}"
            );
        }
        let found = read(&header).unwrap();
        assert!(!found.is_torn && found.header.is_some());
        for foreign in [
            "x",
            "{\"cell\":1}",
            "{\"schema\":\"other/1\"",
            "{\"schema\":\"sdcrisk.journal/1\"}\n",
        ] {
            let error = read(foreign.as_bytes()).unwrap_err();
            assert!(
                error.to_string().contains("is not a journal"),
                "{foreign}: {error}"
            );
        }
    }
}
