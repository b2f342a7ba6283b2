//! The journal of a grid: what is done of it, so that a run that was stopped, or killed, continues.
//!
//! A line of JSON first says what the journal is of; then each finished cell is a line, appended and synced. What a kill leaves
//! unfinished is the last line at most: it is dropped. The journal holds the seed that was drawn where the plan gives none, so it is
//! private.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{Seek, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

use serde::{Deserialize, Serialize};

use crate::{
    cli::files::{self, Plan, Privacy},
    error::{Error, Result},
    evaluate::grid::Row,
};

const SCHEMA: &str = "sdcrisk.journal/1";

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
    pub rows: BTreeMap<usize, Row>,
    /// The bytes of its whole lines; what follows them is a torn line.
    whole: usize,
}

/// A journal that is being written.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Found {
    /// Reads a journal, if there is one.
    ///
    /// # Errors
    /// Input, when it is none; Failed, when it cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let bytes = files::read(path)?;
        let name = files::name_of(path);
        let wrong = |line: usize| {
            Error::input("is not a journal of sdcrisk evaluate")
                .in_file(&name)
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
            let is_read = line.ends_with(b"\n") && found.take(number, line);
            match is_read {
                true => found.whole += line.len(),
                // A kill tears the line that was being written, and no other. A first line that is no header is another's file.
                false if is_last && (number > 0 || !line.ends_with(b"\n")) => break,
                false => return Err(wrong(number)),
            }
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
            "another plan"
        } else if then.files != now.files {
            "files that have changed since"
        } else {
            return Ok(());
        };
        Err(Error::usage(format!(
            "is the journal of {differs}: its figures would not fit the others"
        ))
        .in_file(files::name_of(path))
        .remedy("Name another folder by --into, or delete this file to begin again"))
    }
}

impl Journal {
    /// Continues what was found, or begins.
    ///
    /// # Errors
    /// Failed, when it cannot be written.
    pub fn open(path: &Path, found: &Found, header: &Header) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let open = || -> std::io::Result<File> {
            let mut file = options.open(path)?;
            file.set_len(found.whole as u64)?;
            file.seek(std::io::SeekFrom::End(0))?;
            if found.header.is_none() {
                file.write_all(&line_of(header)?)?;
            }
            file.sync_all()?;
            Ok(file)
        };
        Ok(Self {
            file: Mutex::new(open().map_err(|error| cannot(path, &error))?),
            path: path.into(),
        })
    }

    /// Notes a finished cell; when this returns, it is on the disk.
    ///
    /// # Errors
    /// Failed, when it cannot be written.
    pub fn note(&self, cell: usize, row: &Row) -> Result<()> {
        let write = || -> std::io::Result<()> {
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
        write().map_err(|error| cannot(&self.path, &error))
    }
}

/// Writes a journal anew, its cells in order: so that it does not tell which thread was faster, nor where a run was killed.
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

fn line_of(value: &impl Serialize) -> std::io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value).map_err(std::io::Error::other)?;
    line.push(b'\n');
    Ok(line)
}

fn cannot(path: &Path, error: &std::io::Error) -> Error {
    Error::failed(format!("cannot write the journal: {error}"))
        .in_file(files::name_of(path))
        .remedy("Check the disk, and who may write there; what it holds already is kept")
}
