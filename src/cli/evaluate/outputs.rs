//! The folder of `--into`: everything that a run leaves.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{EvaluateArgs, experiment::Experiment, journal_of};
use crate::{
    cli::files::{self, Plan, Privacy},
    error::{Error, Result},
    report::evaluate::EvaluateReport,
};

/// What is written, in this order.
const FILES: [&str; 2] = ["rows.csv", "results.json"];

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
    pub fn planned(path: &Path, args: &EvaluateArgs, experiment: &Experiment) -> Result<Self> {
        let refuse = |what: &str| {
            Err(Error::usage(format!("will not write there: {what}"))
                .in_file(files::name_of(path))
                .remedy("Name another folder by --into"))
        };
        let folder = Self { path: path.into() };
        if path.is_dir() {
            let mut plan = args.inputs(experiment)?;
            plan.output(&args.output)?;
            for file in folder.files() {
                plan.output(&file)?;
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

    fn files(&self) -> Vec<PathBuf> {
        let named = FILES.iter().map(|name| self.path.join(name));
        named.chain([journal_of(&self.path)]).collect()
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

    /// Writes everything, then lets it appear.
    ///
    /// # Errors
    /// Failed, when it cannot be written.
    pub fn write(&self, report: &EvaluateReport) -> Result<()> {
        let contents = [report.to_csv()?, report.to_json()];
        let mut plan = Plan::default();
        let paths: Vec<PathBuf> = FILES.iter().map(|name| self.path.join(name)).collect();
        for path in &paths {
            plan.output(path)?;
        }
        let mut outputs = Vec::new();
        for (path, content) in paths.iter().zip(&contents) {
            let mut output = plan.open(path, Privacy::Ordinary)?;
            output.write(|out| out.write_all(content.as_bytes()))?;
            outputs.push(output);
        }
        outputs.into_iter().try_for_each(files::Output::keep)
    }
}
