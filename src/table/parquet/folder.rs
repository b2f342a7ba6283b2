//! What the path of a file in a folder says of its records.

use std::collections::BTreeSet;

use super::PartFile;
use crate::error::{Error, Result};

/// What writers of such folders name that of the records without a value.
const MISSING: &str = "__HIVE_DEFAULT_PARTITION__";

/// The attributes that folders make: name and text, empty where it is missing.
///
/// # Errors
/// Input, when a part is not UTF-8 once it is decoded.
pub(super) fn attributes(path: &str) -> Result<Vec<(String, String)>> {
    let mut folders: Vec<&str> = path.split('/').collect();
    folders.pop();
    let parts = folders
        .into_iter()
        .filter_map(|folder| folder.split_once('='));
    parts
        .map(|(name, value)| {
            let value = match value {
                MISSING => String::new(),
                value => decoded(value)?,
            };
            Ok((decoded(name)?, value))
        })
        .collect()
}

/// Text whose `%` and two hexadecimal digits stand for a byte.
fn decoded(text: &str) -> Result<String> {
    let digit = |byte: Option<&u8>| {
        let digit = char::from(*byte?).to_digit(16)?;
        u8::try_from(digit).ok()
    };
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::new(), 0);
    while let Some(&byte) = bytes.get(at) {
        let escaped = match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => Some(high << 4 | low),
            _ => None,
        };
        out.push(escaped.unwrap_or(byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).map_err(|_| {
        Error::input("the name of a folder on the way to it is not UTF-8 once it is decoded")
            .remedy("Rename the folder")
    })
}

/// Checks that the folders on the way to all files make the same attributes, in the same order.
///
/// # Errors
/// Input, naming the first file where they do not.
pub(super) fn check_alike(name: &str, files: &[PartFile]) -> Result<()> {
    let names = |file: &PartFile| -> Result<Vec<String>> {
        let made = attributes(&file.path)?;
        Ok(made.into_iter().map(|(name, _)| name).collect())
    };
    let Some(first) = files.first() else {
        return Ok(());
    };
    let expected = names(first)?;
    let different: BTreeSet<&String> = expected.iter().collect();
    let refuse = |file: &PartFile, what: &str| {
        Err(Error::input(what)
            .in_file(format!("{name}/{}", file.path))
            .remedy("Give a folder in which each file has the same 'name=value' folders above it"))
    };
    if different.len() < expected.len() {
        return refuse(first, "two folders above it make the same attribute");
    }
    for file in files {
        if names(file)? != expected {
            return refuse(
                file,
                "the folders above it make other attributes than those above the first file",
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> PartFile {
        PartFile {
            path: path.into(),
            bytes: Vec::new(),
        }
    }

    /// As Spark and Hive escape what a file system may not take.
    #[test]
    fn folders_make_attributes() {
        let of = |path: &str| {
            let made = attributes(path).unwrap();
            let pairs: Vec<String> = made.iter().map(|(n, v)| format!("{n}|{v}")).collect();
            pairs.join(" ")
        };
        assert_eq!(of("region=03/part-0.parquet"), "region|03");
        assert_eq!(of("a/year=2011/b/z=/x=1.parquet"), "year|2011 z|");
        assert_eq!(of("k=a%2Fb%3D%C3%A9%zz%2/p"), "k|a/b=é%zz%2");
        assert_eq!(of("k=__HIVE_DEFAULT_PARTITION__/p"), "k|");
        assert_eq!(of("plain.parquet"), "");
        assert!(attributes("k=%FF/p").is_err());
    }

    #[test]
    fn all_files_have_the_same_folders() {
        let check = |paths: &[&str]| {
            let files: Vec<PartFile> = paths.iter().map(|path| file(path)).collect();
            check_alike("f", &files)
        };
        assert_eq!(check(&["k=1/p", "k=2/q/p"]), Ok(()));
        for wrong in [&["k=1/p", "p"][..], &["k=1/p", "j=1/p"], &["k=1/k=2/p"]] {
            let error = check(wrong).unwrap_err().to_string();
            assert!(error.starts_with("f/"), "{error}");
        }
    }
}
