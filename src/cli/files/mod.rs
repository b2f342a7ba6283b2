//! Opening inputs and writing outputs, so that nothing is ever lost: an output appears whole or not at all, the outputs
//! of one call together, and an input is never overwritten.

mod folder;
mod output;
mod standard;
mod temporary;

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::progress::{self, Hush};
pub use folder::read_folder;
pub use output::{Output, keep_all};
pub use standard::is_terminal;
pub use temporary::{Interruptible, is_interrupted, left_by_killed_runs, remove_temporary};

pub use crate::options::files::{STANDARD, name_of};
use crate::{
    error::{Error, Result},
    memory, options,
    table::{ReadOptions, Table, parquet},
    visible,
};

/// Reads a whole file, or standard input for `-`; `.gz` and `.zst` content is recognised by its first bytes.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    progress::says(&format!("reading {}", name_of(path)));
    let bytes = read_within(path, memory::limit());
    progress::forget();
    bytes
}

/// The files of this machine, for options that name some.
#[derive(Debug, Clone, Copy)]
pub struct Disk;

impl options::files::Files for Disk {
    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        read(path)
    }
}

/// Reads a small text file that must be UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    (&Disk as &dyn options::files::Files).text(path)
}

/// Reads a table: from a file, from standard input, or from a folder of Parquet files.
///
/// # Errors
/// Whatever reading objects to.
pub fn read_table(path: &Path, options: &ReadOptions) -> Result<Table> {
    let name = name_of(path);
    if path.is_dir() {
        let parts = read_folder(path)?;
        progress::says(&format!("reading {name}"));
        return Table::read_parts(&name, parts, options);
    }
    let bytes = read(path)?;
    progress::says(&format!("reading {name}"));
    Table::read(&name, bytes, options)
}

/// Reads a whole file, and no more than so many bytes: a device has no end, and a small file can be large once it is decompressed.
fn read_within(path: &Path, most: u64) -> Result<Vec<u8>> {
    let name = name_of(path);
    let mut bytes = Vec::new();
    let read = if path == Path::new(STANDARD) {
        up_to(most, io::stdin().lock(), &mut bytes)
    } else {
        open(path).and_then(|mut file| {
            if let Ok(metadata) = file.metadata()
                && metadata.len() < most
                && let Ok(length) = usize::try_from(metadata.len())
                && bytes.try_reserve_exact(length + 1).is_ok()
                && length > PART
                && let Some(known) = in_parts(&file, length)
            {
                // What was appended meanwhile follows.
                file.seek(SeekFrom::Start(metadata.len()))?;
                bytes = known;
            }
            up_to(most - bytes.len() as u64, file, &mut bytes)
        })
    };
    read.map_err(|error| cannot("read", &name, &error))?;
    let too_much = |what: &str| {
        let most = memory::in_words(most.into());
        Err(
            Error::failed(format!("{what} more than the memory limit of {most}"))
                .in_file(name_of(path))
                .remedy("Check that this is the file you meant, or raise --memory-limit"),
        )
    };
    if bytes.len() as u64 > most {
        return too_much("it has");
    }
    let compressed = bytes.len() as u64;
    let plain = decompressed(bytes, most).map_err(|error| {
        Error::input(format!(
            "is compressed, but cannot be decompressed: {}",
            reason(&error)
        ))
        .in_file(name)
        .remedy("Decompress it with the program that made it, to see whether it is whole")
    })?;
    if plain.len() as u64 > most {
        let compressed = memory::in_words(compressed.into());
        return too_much(&format!("it has {compressed}, and decompressed"));
    }
    Ok(plain)
}

/// Bytes that one thread reads in one go.
const PART: usize = if cfg!(test) { 1 << 10 } else { 4 << 20 };

/// So many bytes of a file, from its first on, read by all threads; nothing where it has become shorter, or cannot be read so.
#[cfg(unix)]
fn in_parts(file: &File, length: usize) -> Option<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let mut bytes = vec![0; length];
    let parts = bytes.par_chunks_mut(PART).enumerate();
    let read = |(part, bytes)| file.read_exact_at(bytes, (part * PART) as u64);
    parts.try_for_each(read).ok().map(|()| bytes)
}

#[cfg(not(unix))]
fn in_parts(_: &File, _: usize) -> Option<Vec<u8>> {
    None
}

/// Reads to the end, or one byte more than so many.
fn up_to(most: u64, source: impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    source.take(most.saturating_add(1)).read_to_end(bytes)?;
    Ok(())
}

fn open(path: &Path) -> io::Result<File> {
    if path.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    File::open(path)
}

fn decompressed(bytes: Vec<u8>, most: u64) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    match bytes.as_slice() {
        [0x1f, 0x8b, ..] => {
            let decoder = flate2::read::MultiGzDecoder::new(bytes.as_slice());
            up_to(most, decoder, &mut plain)?;
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            up_to(most, zstd::Decoder::new(bytes.as_slice())?, &mut plain)?;
        }
        _ => return Ok(bytes),
    };
    Ok(plain)
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        // The error's own text can name a temporary file.
        io::ErrorKind::Other => error.to_string(),
        kind => kind.to_string(),
    }
}

fn cannot(verb: &str, name: &str, error: &io::Error) -> Error {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => "Check the name",
        io::ErrorKind::PermissionDenied => "Check who may read and write there",
        io::ErrorKind::StorageFull => {
            "Make room, or write elsewhere; what was there before is untouched"
        }
        _ => "Check the file and the disk",
    };
    Error::failed(format!("cannot {verb} it: {}", reason(error)))
        .in_file(name)
        .remedy(remedy)
}

/// SHA-256, in hexadecimal.
pub fn fingerprint(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// SHA-256 of what is at this place, as [`Table::sha256`] has it of a table that is read from there.
///
/// # Errors
/// Failed, when it cannot be read.
pub fn fingerprint_of(path: &Path) -> Result<String> {
    if path.is_dir() {
        return Ok(parquet::sum_of_folder(&mut read_folder(path)?));
    }
    Ok(fingerprint(&read(path)?))
}

/// Text for people to standard output, all in one go.
pub fn print(text: &str) -> anyhow::Result<()> {
    let _hush = Hush::new();
    let text = visible::lines(text);
    let written = standard::writer().and_then(|mut out| out.write_all(text.as_bytes()));
    written.context("cannot write to standard output")
}

/// A file that comes with the program to standard output, as it is.
pub fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let _hush = Hush::new();
    let written = standard::writer().and_then(|mut out| out.write_all(bytes));
    written.context("cannot write to standard output")
}

/// Who may read a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privacy {
    /// As the user's settings say.
    Ordinary,
    /// The user only: it could undo a masking.
    Private,
}

/// All that one call reads and writes, checked before any work: no output is an input, no output is written twice.
#[derive(Debug, Default)]
pub struct Plan {
    inputs: Vec<PathBuf>,
    outputs: Vec<PathBuf>,
}

impl Plan {
    /// Notes an input.
    ///
    /// # Errors
    /// Usage, when standard input is named twice.
    pub fn input(&mut self, path: &Path) -> Result<()> {
        if path == Path::new(STANDARD) && self.inputs.iter().any(|other| other == path) {
            return Err(Error::usage("standard input ('-') can be read only once"));
        }
        self.inputs.push(path.into());
        Ok(())
    }

    /// Notes several inputs, in this order.
    ///
    /// # Errors
    /// Usage, when standard input is named twice.
    pub fn each_input<P: AsRef<Path>>(&mut self, paths: impl IntoIterator<Item = P>) -> Result<()> {
        let mut paths = paths.into_iter();
        paths.try_for_each(|path| self.input(path.as_ref()))
    }

    /// The inputs that were noted, in that order.
    pub fn inputs(&self) -> &[PathBuf] {
        &self.inputs
    }

    /// Notes an output; `-` is standard output.
    ///
    /// # Errors
    /// Usage, when it is an input (by any name, link or hard link), a folder, or another output.
    pub fn output(&mut self, path: &Path) -> Result<()> {
        let refuse = |what: &str| {
            Err(Error::usage(format!("will not write there: {what}"))
                .in_file(name_of(path).replace("standard input", "standard output"))
                .remedy("Name another file"))
        };
        if path != Path::new(STANDARD) {
            if path.is_dir()
                || path
                    .as_os_str()
                    .to_string_lossy()
                    .ends_with(std::path::is_separator)
            {
                return refuse("it is a folder");
            }
            match resolved(path) {
                Ok(target) if target.parent().is_some_and(Path::is_dir) => {}
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    return refuse("permission denied");
                }
                _ => return refuse("its folder does not exist"),
            }
        }
        if self
            .inputs
            .iter()
            .any(|input| same_file(&place(input, "/dev/stdin"), &place(path, "/dev/stdout")))
        {
            return refuse("it is an input of this call, and inputs are never overwritten");
        }
        let is_in = |folder: &PathBuf| {
            let folder = fs::canonicalize(folder)
                .ok()
                .filter(|folder| folder.is_dir());
            folder.is_some_and(|folder| resolved(path).is_ok_and(|to| to.starts_with(folder)))
        };
        if path != Path::new(STANDARD) && self.inputs.iter().any(is_in) {
            return refuse("it is in a folder that this call reads");
        }
        let target = place(path, "/dev/stdout");
        if self
            .outputs
            .iter()
            .any(|other| other == path || same_file(&place(other, "/dev/stdout"), &target))
        {
            return refuse("another output of this call goes to the same place");
        }
        self.outputs.push(path.into());
        Ok(())
    }

    /// Notes an output that is a table.
    ///
    /// # Errors
    /// As for [`output`](Self::output); and Usage, when its name asks for Parquet and the program was built without.
    pub fn table_output(&mut self, path: &Path) -> Result<()> {
        if is_parquet_name(path) {
            parquet::supported().map_err(|error| error.in_file(name_of(path)))?;
        }
        self.output(path)
    }

    /// Starts an output that was noted, once all are.
    ///
    /// # Errors
    /// Failed, when the place cannot be written.
    pub fn open(&self, path: &Path, privacy: Privacy) -> Result<Output> {
        let name = if path == Path::new(STANDARD) {
            "standard output".into()
        } else {
            name_of(path)
        };
        Output::open(path, name, privacy, self.outputs.len() == 1)
    }
}

/// Whether a name asks for Parquet.
pub fn is_parquet_name(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

/// Where a name leads: standard input and output can be files too, as in `sdcrisk ... - < in.csv`.
fn place(path: &Path, standard: &str) -> PathBuf {
    if path == Path::new(STANDARD) {
        PathBuf::from(standard)
    } else {
        path.to_path_buf()
    }
}

/// Whether two inputs are the same file.
pub fn is_same_input(a: &Path, b: &Path) -> bool {
    same_file(&place(a, "/dev/stdin"), &place(b, "/dev/stdin"))
}

/// Whether two names lead to the same file, through links of either kind.
fn same_file(a: &Path, b: &Path) -> bool {
    if let (Ok(a), Ok(b)) = (fs::metadata(a), fs::metadata(b)) {
        return is_same(&a, &b);
    }
    // A file that is not there yet can still be named in two ways.
    matches!((resolved(a), resolved(b)), (Ok(a), Ok(b)) if a == b)
}

#[cfg(unix)]
fn is_same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let kind = a.file_type();
    (a.dev(), a.ino()) == (b.dev(), b.ino()) && (kind.is_file() || kind.is_dir())
}

#[cfg(not(unix))]
fn is_same(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    // Hard links cannot be recognised there; names can, through `resolved`.
    false
}

/// Where a name leads once links are followed, for a file that may not exist yet.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    if let Ok(target) = fs::canonicalize(path) {
        return Ok(target);
    }
    // A link to nowhere, perhaps through other links: what the last one names would be made.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    let parent = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let file_name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?;
    Ok(fs::canonicalize(parent)?.join(file_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(path: &Path) -> Output {
        let mut plan = Plan::default();
        plan.output(path).unwrap();
        plan.open(path, Privacy::Ordinary).unwrap()
    }

    #[test]
    fn an_output_that_is_not_kept_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").unwrap();
        let mut output = planned(&path);
        output.write(|out| out.write_all(b"new")).unwrap();
        drop(output);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no litter");
        let mut output = planned(&path);
        output.write(|out| out.write_all(b"new")).unwrap();
        output.keep().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    /// Of every length about that of a part, and files without a length, of which there is more than their metadata say.
    #[test]
    fn files_are_read_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        for length in [0, 1, PART - 1, PART, PART + 1, 5 * PART, 7 * PART + 3] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            fs::write(&path, &bytes).unwrap();
            assert_eq!(read(&path).unwrap(), bytes, "{length}");
            assert_eq!(read_within(&path, length as u64 + 1).unwrap(), bytes);
            assert_eq!(read_within(&path, length as u64).unwrap(), bytes);
            if length > 0 {
                assert!(read_within(&path, length as u64 - 1).is_err());
            }
        }
        #[cfg(target_os = "linux")]
        assert_eq!(
            read(Path::new("/proc/version")).unwrap(),
            fs::read("/proc/version").unwrap()
        );
    }

    #[test]
    fn compressed_outputs_read_back() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.csv.gz", "a.csv.zst", "a.csv"] {
            let path = folder.path().join(name);
            let mut output = planned(&path);
            output.write(|out| out.write_all(b"x,y\n1,2\n")).unwrap();
            output.keep().unwrap();
            assert_eq!(read(&path).unwrap(), b"x,y\n1,2\n");
        }
        assert_ne!(
            fs::read(folder.path().join("a.csv.gz")).unwrap(),
            b"x,y\n1,2\n"
        );
    }

    #[cfg(unix)]
    #[test]
    fn an_input_is_recognised_by_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("in.csv");
        fs::write(&input, "x\n").unwrap();
        let link = folder.path().join("link.csv");
        std::os::unix::fs::symlink(&input, &link).unwrap();
        let hard = folder.path().join("hard.csv");
        fs::hard_link(&input, &hard).unwrap();
        let mut plan = Plan::default();
        plan.input(&input).unwrap();
        for path in [&input, &link, &hard, &folder.path().join("./in.csv")] {
            let error = plan.output(path).unwrap_err();
            assert!(error.to_string().contains("never overwritten"), "{error}");
        }
        let fresh = folder.path().join("fresh.csv");
        plan.output(&fresh).unwrap();
        assert!(plan.output(&folder.path().join("./fresh.csv")).is_err());
    }
}
