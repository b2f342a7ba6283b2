//! What a run leaves: its report, and everything in the folder of `--into`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::journal::{self, Found, Header, JournalFile, journal_of};
use crate::{
    cli::files::{self, Output, Plan, Privacy},
    error::{Error, Result},
    evaluate::shard::Shard,
    options::output::{Format, ReportArgs},
    report::{
        evaluate::{EvaluateReport, FileSummary},
        html::{self, Audience, Document},
    },
};

/// The places of all that a run writes.
pub(super) struct Results {
    header: Header,
    output: Output,
    folder: Option<Folder>,
}

impl Results {
    /// Checks the names, and makes nothing: all that can be wrong is looked at before. `inputs` is every file that is read, `into` the
    /// folder of `--into`, `to` the place of the report, `originals` how many originals there are; `header` says what the journal is of.
    ///
    /// # Errors
    /// Usage, when what would be written is an input, or cannot be written there.
    pub fn planned(
        header: Header,
        (inputs, into): (&[PathBuf], Option<&Path>),
        (to, privacy): (&Path, Privacy),
        originals: usize,
    ) -> Result<Self> {
        // Every file that is read, so that none is written.
        let files = || -> Result<Plan> {
            let mut files = Plan::default();
            inputs.iter().try_for_each(|input| files.input(input))?;
            files.output(to)?;
            Ok(files)
        };
        let folder = into
            .map(|into| Folder::planned(into, files()?, originals))
            .transpose()?;
        Ok(Self {
            header,
            output: files()?.open(to, privacy)?,
            folder,
        })
    }

    /// The places of what parts make, and the journal of their folder: while it is held no other run writes it.
    ///
    /// # Errors
    /// Those of [`planned`](Self::planned) and of the journal.
    pub fn of_parts(
        header: Header,
        (parts, into): (&[PathBuf], Option<&Path>),
        form: &ReportArgs,
        originals: usize,
    ) -> Result<(Self, Option<JournalFile>)> {
        let mut found = match into {
            Some(into) => Found::read(&journal_of(into))?,
            None => Found::default(),
        };
        if let Some(into) = into {
            found.check(&journal_of(into), &header)?;
        }
        let results = Self::planned(header, (parts, into), form.of_plan(None), originals)?;
        let journal = results.journal(&mut found)?;
        Ok((results, journal))
    }

    /// Makes the folder and opens its journal, which continues what was found; `None` without a folder.
    ///
    /// # Errors
    /// Those of making a folder and of [`JournalFile::open`].
    pub fn journal(&self, found: &mut Found) -> Result<Option<JournalFile>> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        folder.make()?;
        JournalFile::open(&journal_of(&folder.path), found, &self.header).map(Some)
    }

    /// Writes a part. Its folder keeps its journal and nothing else: what is made of the whole grid is not there yet.
    ///
    /// # Errors
    /// Failed, when it cannot be written.
    pub fn write_part(self, content: &str) -> Result<()> {
        let mut output = self.output;
        output.write_text(content)?;
        output.keep()
    }

    /// Writes the report, and into the folder the journal in order and all that is made of the grid.
    ///
    /// # Errors
    /// Failed, when anything cannot be written: then nothing of it appears.
    pub fn write(self, grid: &EvaluateReport, content: &str) -> anyhow::Result<()> {
        let mut outputs = Vec::new();
        if let Some(folder) = &self.folder {
            journal::in_order(&journal_of(&folder.path), &self.header, &grid.rows)?;
            outputs = folder.write(grid)?;
        }
        let mut output = self.output;
        output.write_text(content)?;
        outputs.push(output);
        Ok(files::keep_all(outputs)?)
    }
}

/// The folder of `--into`.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Checks the names, and makes nothing.
    ///
    /// # Errors
    /// Usage, when the place is a file, or its own folder is not there, or what would be written is an input.
    ///
    /// `plan` has every file that is read, and what else is written; `originals` is how many there are.
    fn planned(path: &Path, mut plan: Plan, originals: usize) -> Result<Self> {
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
    fn make(&self) -> Result<()> {
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
    fn write(&self, report: &EvaluateReport) -> Result<Vec<Output>> {
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

impl ReportArgs {
    /// Where the report of a plan of experiments goes, or a part, and who may read it.
    pub(super) fn of_plan(&self, shard: Option<Shard>) -> (&Path, Privacy) {
        let privacy = match (self.format, shard) {
            (Format::Text, None) => Privacy::Ordinary,
            // They give the seeds, which mask the original the same way again.
            (Format::Json | Format::Csv, _) | (_, Some(_)) => Privacy::Private,
        };
        (&self.to.output, privacy)
    }
}

/// All but the maps hold the seeds, which mask the original the same way again; the page is the internal one.
fn privacy_of(path: &Path) -> Privacy {
    if path.extension().is_some_and(|extension| extension == "svg") {
        Privacy::Ordinary
    } else {
        Privacy::Private
    }
}
