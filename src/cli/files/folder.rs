//! Folders that hold a table in parts.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{cannot, name_of, read_within};
use crate::{
    cli::progress,
    error::{Error, Result},
    memory,
    table::parquet::{PartFile, supported},
};

/// Folders inside each other: links can make a circle.
const MAX_DEPTH: usize = 32;

/// Reads all files of a folder and of the folders in it, but for names that begin with `.` or `_`, which are notes of the programs that
/// write such folders. A folder `_a=1` makes an attribute and is none.
///
/// # Errors
/// Failed, when a file cannot be read, or all together are more than the memory limit, or the program could not use them.
pub fn read_folder(folder: &Path) -> Result<Vec<PartFile>> {
    supported().map_err(|_| {
        Error::failed("cannot read it: it is a folder")
            .in_file(name_of(folder))
            .remedy(
                "Name a file; folders of Parquet files are read by a program that was built with the feature parquet",
            )
    })?;
    progress::says(&format!("reading {}", name_of(folder)));
    let mut paths = Vec::new();
    collect(folder, 0, &mut paths)?;
    let mut left = memory::limit();
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let bytes = read_within(&path, left)?;
        left = left.saturating_sub(bytes.len() as u64);
        let below = path.strip_prefix(folder).unwrap_or(&path);
        let steps: Vec<_> = below.iter().map(|step| step.to_string_lossy()).collect();
        files.push(PartFile {
            path: steps.join("/"),
            bytes,
        });
    }
    progress::forget();
    Ok(files)
}

fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |error| cannot("read", &name_of(folder), &error);
    if depth > MAX_DEPTH {
        return Err(Error::failed(format!(
            "is the last of more than {MAX_DEPTH} folders inside each other"
        ))
        .in_file(name_of(folder))
        .remedy("Look for a link that leads back"));
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_folder = path.is_dir();
        if name.starts_with('.') || name.starts_with('_') && !(is_folder && name.contains('=')) {
            continue;
        }
        if is_folder {
            collect(&path, depth + 1, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}
