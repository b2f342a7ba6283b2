//! One output, and all outputs of a call.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use super::{
    Privacy, STANDARD, cannot, is_parquet_name, resolved, standard,
    temporary::{self, Ready},
};
use crate::{cli::progress::Hush, error::Result, table::Table, visible};

/// An output that is being written. It appears under its name when it is kept, whole; if it is dropped before that, or
/// the program dies, what was there before stays.
#[derive(Debug)]
pub struct Output {
    name: String,
    /// Whether the call has no other output.
    alone: bool,
    /// Whether a table is written as Parquet.
    parquet: bool,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Standard,
    /// A pipe or device: there is nothing that could be renamed.
    Stream(File),
    File {
        temporary: tempfile::NamedTempFile,
        target: PathBuf,
    },
}

impl Output {
    /// Starts an output; `alone` if the call has no other.
    pub(super) fn open(path: &Path, name: String, privacy: Privacy, alone: bool) -> Result<Self> {
        if path == Path::new(STANDARD) {
            standard::check_open()?;
        }
        let sink = Self::sink(path, privacy).map_err(|error| cannot("write", &name, &error))?;
        Ok(Self {
            name,
            alone,
            parquet: is_parquet_name(path),
            sink,
        })
    }

    fn sink(path: &Path, privacy: Privacy) -> io::Result<Sink> {
        if path == Path::new(STANDARD) {
            return Ok(Sink::Standard);
        }
        let existing = fs::metadata(path).ok();
        if existing
            .as_ref()
            .is_some_and(|metadata| !metadata.is_file())
        {
            return Ok(Sink::Stream(File::options().write(true).open(path)?));
        }
        let target = resolved(path)?;
        // The user's settings take away from a new file's mode, as they do everywhere.
        let mode = match privacy {
            Privacy::Private => 0o600,
            Privacy::Ordinary => 0o666,
        };
        let temporary = temporary::create(&target, mode)?;
        if let (Privacy::Ordinary, Some(metadata)) = (privacy, existing) {
            temporary
                .as_file()
                .set_permissions(metadata.permissions())?;
        }
        Ok(Sink::File { temporary, target })
    }

    /// Writes the content, compressed if the name ends in `.gz` or `.zst`.
    ///
    /// # Errors
    /// Failed, when it cannot be written. A closed pipe is no failure, if it is the call's only output.
    pub fn write(&mut self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        const BUFFER: usize = 1 << 18;
        let _hush = matches!(self.sink, Sink::Standard | Sink::Stream(_)).then(Hush::new);
        let (file, target): (Box<dyn Write + '_>, Option<&Path>) = match &mut self.sink {
            Sink::Standard => {
                let out =
                    standard::writer().map_err(|error| cannot("write", &self.name, &error))?;
                (out, None)
            }
            Sink::Stream(file) => (Box::new(file), None),
            Sink::File { temporary, target } => (Box::new(temporary.as_file_mut()), Some(target)),
        };
        let buffered = BufWriter::with_capacity(BUFFER, file);
        let written = match target.and_then(Path::extension).and_then(|e| e.to_str()) {
            Some("gz") => gzip(buffered, content),
            Some("zst") => zstandard(buffered, content),
            _ => plain(buffered, content),
        };
        match written {
            // Whoever reads it has had enough. Where it is one output of several, something is lost.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe && self.alone => Ok(()),
            other => other.map_err(|error| cannot("write", &self.name, &error)),
        }
    }

    /// Writes a table, as Parquet if the name ends in `.parquet`, else as its file was written; under other names where there are some.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_table(&mut self, table: &Table, names: Option<&[String]>) -> Result<()> {
        let parquet = self.parquet;
        self.write(|mut out| match names {
            names if parquet => table.write_parquet(names, out),
            Some(names) => table.write_renamed(names, &mut out),
            None => table.write(&mut out),
        })
    }

    /// Writes a report, in which nothing is hidden ([`visible::lines`]).
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_text(&mut self, text: &str) -> Result<()> {
        self.write(|out| out.write_all(visible::lines(text).as_bytes()))
    }

    /// Makes the output of a call that has no other appear.
    ///
    /// # Errors
    /// Failed, when the disk does not take it.
    pub fn keep(self) -> Result<()> {
        keep_all([self])
    }
}

/// Makes all outputs of a call appear, in this order, once all are written: a run that ends before leaves none of them.
///
/// # Errors
/// Failed, when the disk does not take one.
pub fn keep_all(outputs: impl IntoIterator<Item = Output>) -> Result<()> {
    let ready = outputs.into_iter().filter_map(|output| match output.sink {
        Sink::File { temporary, target } => Some(Ready {
            name: output.name,
            temporary,
            target,
        }),
        Sink::Standard | Sink::Stream(_) => None,
    });
    temporary::appear(ready.collect())
}

fn plain(
    mut out: impl Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    content(&mut out)?;
    out.flush()
}

fn gzip(out: impl Write, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::default());
    content(&mut encoder)?;
    encoder.finish()?.flush()
}

fn zstandard(
    out: impl Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    content(&mut encoder)?;
    encoder.finish()?.flush()
}
