//! Files of recoding rules, which name files of codes beside them.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use super::files::{Files, name_of};
use crate::{error::Result, jobs::mask::request::RulesFile, mask::recode::Rules};

/// A file of rules that a command line names. It is read once, however often it is asked for.
#[derive(Debug, Clone)]
pub struct RecodingRules {
    path: PathBuf,
    read: OnceLock<Result<RulesFile>>,
}

impl From<OsString> for RecodingRules {
    fn from(path: OsString) -> Self {
        Self {
            path: path.into(),
            read: OnceLock::new(),
        }
    }
}

impl RecodingRules {
    /// The file, and those that it names. What is wrong with it is for [`rules`](Self::rules) to say.
    pub fn inputs(&self, files: &dyn Files) -> Vec<PathBuf> {
        let rules = self.text(files).ok();
        let named = rules.map(|rules| Rules::files(&rules.file, &rules.text));
        let beside = named.unwrap_or_default();
        let beside = beside.iter().map(|name| self.beside(name));
        std::iter::once(self.path.clone()).chain(beside).collect()
    }

    /// The rules with the files that they name.
    ///
    /// # Errors
    /// What reading objects to.
    pub fn rules(&self, files: &dyn Files) -> Result<RulesFile> {
        let mut rules = self.text(files)?;
        for name in Rules::files(&rules.file, &rules.text) {
            let text = files.text(&self.beside(&name))?;
            rules.files.insert(name, text);
        }
        Ok(rules)
    }

    /// The file itself.
    fn text(&self, files: &dyn Files) -> Result<RulesFile> {
        let read = self.read.get_or_init(|| read_rules(&self.path, files));
        read.clone()
    }

    /// A file that the rules name, in their folder.
    fn beside(&self, name: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(name)
    }
}

/// A file of rules or of a matrix, as a request holds it.
///
/// # Errors
/// What reading objects to.
pub fn read_rules(path: &Path, files: &dyn Files) -> Result<RulesFile> {
    Ok(RulesFile {
        file: name_of(path),
        text: files.text(path)?,
        files: BTreeMap::new(),
    })
}
