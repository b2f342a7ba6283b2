//! What `evaluate` and `search` begin with: a plan, the files that it names, and what an earlier run left.

use std::path::Path;

use anyhow::Context;

use super::{
    journal::{Found, Header, JournalFile, journal_of},
    original,
    outputs::Results,
};
use crate::{
    cli::{
        console::Console,
        files::{self, Privacy, read_text},
        places::Places,
    },
    error::{Error, Result},
    evaluate::plan::Plan,
    jobs::evaluate::{Done, Grid, Masking},
    options::{
        plan::PlanArgs,
        words::{Places as _, Words},
    },
    report::part::PartInput,
    rng::Seed,
};

/// A plan as it was read.
pub(super) struct Written {
    /// The name of its file, for messages.
    pub(super) name: String,
    /// SHA-256 of its text.
    pub(super) sha256: String,
    pub(super) plan: Plan,
}

/// What a command makes of the maskings of a plan.
pub(super) enum Course {
    /// All their settings; an original that is not there can be left out.
    AllSettings { skip_missing: bool },
    /// Single settings, while it goes on.
    OneByOne,
}

/// A plan whose files were read.
pub(super) struct Opened<'a> {
    args: &'a PlanArgs,
    places: &'a Places,
    found: Found,
    /// Originals that are not there, if that is no reason to stop.
    pub(super) missing: Vec<String>,
}

/// A run whose outputs are open.
pub(super) struct Started {
    pub(super) results: Results,
    pub(super) journal: Option<JournalFile>,
    /// What the journal held.
    pub(super) done: Done,
}

impl PlanArgs {
    /// Reads the plan.
    ///
    /// # Errors
    /// Those of reading, and Input for what makes no sense in it.
    pub(super) fn read(&self) -> Result<Written> {
        let name = files::name_of(&self.plan);
        let text = read_text(&self.plan)?;
        let plan = Plan::parse(&name, &text)?;
        Ok(Written {
            name,
            sha256: files::fingerprint(text.as_bytes()),
            plan,
        })
    }

    /// Where the files of the plan are looked for.
    ///
    /// # Errors
    /// Failed, when `--data` is no folder.
    pub(super) fn places(&self) -> Result<Places> {
        Places::new(&self.plan, self.data.as_deref())
    }

    /// Looks for the journal of an earlier run, and reads the originals.
    ///
    /// # Errors
    /// What the plan or a file of it says that cannot be.
    pub(super) fn open<'a>(
        &'a self,
        words: Words<'a>,
        places: &'a Places,
        plan: Plan,
        course: &Course,
        console: &Console,
    ) -> anyhow::Result<(Opened<'a>, Grid)> {
        let name = words.plan;
        let found = match &self.into {
            Some(into) => Found::read(&journal_of(into))?,
            None => Found::default(),
        };
        let seed = first_seed(&plan, &found).context("a random seed is needed")?;
        let mut grid = Grid::new(name, plan, seed)?;
        let mut missing = Vec::new();
        for (place, file) in grid.plan.files.iter().enumerate() {
            let Some(original) =
                original::read((place, &grid.plan), (words, places), seed, console)?
            else {
                if !matches!(course, Course::AllSettings { skip_missing: true }) {
                    // The error of the search says where it could be.
                    let error = places.find(&file.original).map(|_| ());
                    error.map_err(|error| error.in_file(name).at_line(file.line))?;
                }
                console.note(&format!(
                    "note: {} is not there: it is left out",
                    file.original
                ));
                missing.push(file.original.clone());
                continue;
            };
            grid.originals.push(original);
            if let Course::AllSettings { .. } = course {
                let settings = words.settings(&grid, grid.originals.len() - 1, console)?;
                grid.settings.extend(settings);
            }
        }
        if grid.originals.is_empty() {
            return Err(Error::failed("none of its originals is there")
                .in_file(name)
                .remedy("Say where they are: --data FOLDER")
                .into());
        }
        grid.ask_for_all()?;
        let opened = Opened {
            args: self,
            places,
            found,
            missing,
        };
        Ok((opened, grid))
    }

    /// A run was stopped before its end.
    pub(super) fn note_stopped(&self, console: &Console) {
        console.note(&match &self.into {
            Some(into) => format!(
                "stopped; what is done is in {}: the same call continues",
                into.display()
            ),
            None => "stopped; nothing is kept (--into FOLDER would have)".into(),
        });
    }
}

impl Opened<'_> {
    /// What the journal of this run is of: `asked` is the SHA-256 of all that was asked for.
    ///
    /// # Errors
    /// Usage, when the journal that was found is of something else.
    pub(super) fn header(&self, asked: String, grid: &Grid) -> Result<Header> {
        let contents = self.places.found();
        let files = contents.iter().map(|path| files::fingerprint_of(path));
        let header = Header::new(asked, files.collect::<Result<_>>()?, grid.seed);
        if let Some(into) = &self.args.into {
            self.found.check(&journal_of(into), &header)?;
        }
        grid.check_seeds()?;
        Ok(header)
    }

    /// The plan, by its name and its SHA-256, and the files that it names, as its parts have them.
    pub(super) fn inputs(&self, (name, sum): (&str, &String), header: &Header) -> Vec<PartInput> {
        let plan = (name.to_string(), sum);
        let files = self.places.found();
        let files = files.iter().map(|path| files::name_of(path));
        let all = [plan].into_iter().chain(files.zip(&header.files));
        all.map(|(name, sha256)| PartInput {
            name,
            sha256: sha256.clone(),
        })
        .collect()
    }

    /// Checks where results go, and opens the journal.
    ///
    /// # Errors
    /// Usage or Failed, when something cannot be written.
    pub(super) fn start(
        mut self,
        header: Header,
        grid: &Grid,
        to: (&Path, Privacy),
        console: &Console,
    ) -> Result<Started> {
        let into = self.args.into.as_deref();
        warn_of_drawn_seeds(grid, into.is_some(), console);
        let inputs = [vec![self.args.plan.clone()], self.places.found()].concat();
        let results = Results::planned(header, (&inputs, into), to, grid.originals.len())?;
        let journal = results.journal(&mut self.found)?;
        Ok(Started {
            results,
            journal,
            done: self.found.rows,
        })
    }
}

/// The seed of the first masked file: that of the plan, of the journal that is continued, or a new one.
fn first_seed(plan: &Plan, found: &Found) -> Result<u64> {
    match (plan.seed, &found.header) {
        (Some(seed), _) => Ok(seed),
        (None, Some(header)) => Ok(header.seed),
        (None, None) => Seed::number_from_system(),
    }
}

/// Masked files whose seeds nobody knows cannot be made again.
fn warn_of_drawn_seeds(grid: &Grid, is_kept: bool, console: &Console) {
    if grid.plan.seed.is_none() && grid.settings.iter().any(Masking::is_random) {
        console.note(&format!(
            "note: the plan states no seed: seeds are drawn, and kept {}; seed = 1 at the top of the plan makes the masked files repeatable",
            if is_kept { "in the journal only" } else { "nowhere" }
        ));
    }
}
