//! The folder of `--into`: everything that a run leaves.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::journal_of;
use crate::{
    cli::files::{self, Output, Plan, Privacy},
    error::{Error, Result},
    report::{
        evaluate::{EvaluateReport, FileSummary},
        html::{self, Audience, Document},
    },
};

/// The folder of `--into`.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Checks the names, and makes nothing.
    ///
    /// # Errors
    /// Usage, when the place is a file, or its own folder is not there, or what would be written is an input.
    ///
    /// `plan` has every file that is read, and what else is written; `originals` is how many there are.
    pub fn planned(path: &Path, mut plan: Plan, originals: usize) -> Result<Self> {
        let refuse = |what: &str| {
            Err(Error::usage(format!("will not write there: {what}"))
                .in_file(files::name_of(path))
                .remedy("Name another folder by --into"))
        };
        let folder = Self { path: path.into() };
        if path.is_dir() {
            plan.output(&journal_of(path))?;
            for name in folder.names(originals) {
                plan.output(&folder.path.join(name))?;
            }
            return Ok(folder);
        }
        let parent = path.parent().filter(|parent| *parent != Path::new(""));
        match (path.exists(), parent.is_none_or(Path::is_dir)) {
            (true, _) => refuse("it is no folder"),
            (false, false) => refuse("the folder that it would be in does not exist"),
            (false, true) => Ok(folder),
        }
    }

    /// Everything that is written beside the journal, for so many originals: each has a map of its own.
    fn names(&self, originals: usize) -> Vec<String> {
        let maps = (1..=originals).map(|number| match number {
            1 => "map.svg".to_string(),
            number => format!("map-{number}.svg"),
        });
        let others = ["rows.csv", "results.json", "report.html"].map(String::from);
        others.into_iter().chain(maps).collect()
    }

    /// Makes the folder, unless it is there.
    ///
    /// # Errors
    /// Failed, when it cannot be made.
    pub fn make(&self) -> Result<()> {
        if self.path.is_dir() {
            return Ok(());
        }
        fs::create_dir(&self.path).map_err(|error| {
            Error::failed(format!("cannot make the folder: {error}"))
                .in_file(files::name_of(&self.path))
                .remedy("Check who may write there")
        })
    }

    /// Writes everything; it appears when it is kept.
    ///
    /// # Errors
    /// Failed, when it cannot be written.
    pub fn write(&self, report: &EvaluateReport) -> Result<Vec<Output>> {
        let json = report.to_json();
        let document = Document::parse("results.json", &json)?;
        let page = html::page(std::slice::from_ref(&document), Audience::Internal);
        let maps = html::map_of(&document);
        // A file of whose settings nothing can be drawn has no map; the others keep their numbers.
        let map_of = |file: &FileSummary| {
            let (_, drawing) = maps.iter().find(|(name, _)| *name == file.name)?;
            Some(drawing.standalone())
        };
        let mut contents = vec![Some(report.to_csv()?), Some(json), Some(page)];
        contents.extend(report.files.iter().map(map_of));
        let files: Vec<(PathBuf, String)> = self
            .names(report.files.len())
            .iter()
            .zip(contents)
            .filter_map(|(name, content)| Some((self.path.join(name), content?)))
            .collect();
        let mut plan = Plan::default();
        for (path, _) in &files {
            plan.output(path)?;
        }
        let mut outputs = Vec::new();
        for (path, content) in &files {
            let mut output = plan.open(path, privacy_of(path))?;
            output.write_text(content)?;
            outputs.push(output);
        }
        Ok(outputs)
    }
}

/// All but the maps tell the seeds, which mask the original the same way again; the page is the internal one.
fn privacy_of(path: &Path) -> Privacy {
    match path.extension().is_some_and(|extension| extension == "svg") {
        true => Privacy::Ordinary,
        false => Privacy::Private,
    }
}
