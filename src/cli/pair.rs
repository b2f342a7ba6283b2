//! Reading two files that belong together.

use std::path::Path;

use super::{console::Console, files::Disk, link::inputs};
use crate::{
    error::Result,
    jobs::{
        self,
        pair::{Files, PairRequest},
    },
    options::{pair::AlignArgs, read::ReadArgs},
    report::text,
};

/// So many names of a list are shown.
const NAMES_SHOWN: usize = 12;

impl AlignArgs {
    /// Reads both files, and says on the console what is left out.
    pub fn read(
        &self,
        original: &Path,
        masked: &Path,
        read: &ReadArgs,
        console: &Console,
    ) -> Result<Files> {
        self.read_with(&self.request(&Disk)?, [original, masked], read, console)
    }

    /// The same for a request that says more.
    pub fn read_with(
        &self,
        request: &PairRequest,
        [original, masked]: [&Path; 2],
        read: &ReadArgs,
        console: &Console,
    ) -> Result<Files> {
        let (original, masked) =
            inputs::read_pair(original, masked, self.recode.is_some(), read, console)?;
        jobs::refuse_empty([&original, &masked], "nothing to compare")?;
        let (id, key) = (self.id.as_deref(), self.shuffle_key.as_deref());
        let truth = inputs::truth(id, key, &original, &masked)?;
        request.files(original, masked, truth, console)
    }
}

/// A gate that passes although something was not compared has not said much.
///
/// # Errors
/// Usage, under `--strict`.
pub fn warn_of_open_gate<'a>(
    attributes: impl IntoIterator<Item = &'a str>,
    console: &Console,
) -> Result<()> {
    let mut names: Vec<&str> = attributes.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        Ok(())
    } else {
        console.warn(&format!(
            "--fail-above did not fail, but that says little: {} could not be compared",
            text::names(&names, NAMES_SHOWN)
        ))
    }
}
