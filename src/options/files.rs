//! The files that options name: what they are called, and who reads them. Nothing here opens one.

use std::path::Path;

use crate::{
    error::{Error, Result},
    visible,
};

/// The name of standard input and output.
pub const STANDARD: &str = "-";

/// How a path is called in messages.
pub fn name_of(path: &Path) -> String {
    if path == Path::new(STANDARD) {
        "standard input".into()
    } else {
        visible::name(&path.display().to_string()).into_owned()
    }
}

/// Reads what options name and a request holds: rules, roles, lists of records, weights, secrets.
pub trait Files {
    /// The content of a file.
    ///
    /// # Errors
    /// What reading objects to.
    fn read(&self, path: &Path) -> Result<Vec<u8>>;
}

/// No files at all: where options name none.
#[cfg(test)]
#[derive(Debug, Clone, Copy)]
pub struct NoFiles;

#[cfg(test)]
impl Files for NoFiles {
    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        Err(Error::failed("there is no such file").in_file(name_of(path)))
    }
}

impl dyn Files + '_ {
    /// The content of a small file that must be UTF-8.
    ///
    /// # Errors
    /// What reading objects to; Input, when it is no UTF-8.
    pub fn text(&self, path: &Path) -> Result<String> {
        String::from_utf8(self.read(path)?).map_err(|_| {
            Error::input("is not UTF-8 text")
                .in_file(name_of(path))
                .remedy("Save it as UTF-8")
        })
    }
}
