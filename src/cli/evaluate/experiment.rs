//! A plan with its files read and its options checked: all that can be wrong before anything is masked.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{
    options::Words,
    original::{Original, check_measures},
    places::Places,
};
use crate::{
    cli::{console::Console, provenance},
    error::{Error, Result},
    evaluate::{
        grid::{Row, Setting},
        plan::{MAX_MASKED_FILES, Plan, PlannedFile, PlannedMask, PlannedOption},
        summary,
    },
    jobs::{self, link::LinkRequest, mask::Prepared},
    report::evaluate::{EvaluateReport, FileSummary, PlanSummary},
    table::Table,
};

/// All that is to be done.
#[derive(Debug)]
pub(super) struct Experiment {
    /// Name of the plan, for messages.
    pub plan: String,
    /// The originals.
    pub originals: Vec<Original>,
    /// The settings, in the order of originals, maskings, and values.
    pub settings: Vec<Masking>,
    /// One entry a masked file: the setting, and the run from 0.
    pub cells: Vec<(usize, u32)>,
    /// Keys of the losses.
    pub losses: Vec<String>,
    /// Keys of the risks.
    pub risks: Vec<String>,
    /// Every file that was read beside the plan.
    pub inputs: Vec<PathBuf>,
    /// Originals that are not there, if that is no reason to stop.
    pub missing: Vec<String>,
}

/// A setting, ready to be masked.
#[derive(Debug)]
pub(super) struct Masking {
    /// What reports say of it.
    pub setting: Setting,
    /// Where the plan says so.
    pub line: u64,
    /// The options as the plan has them.
    pub options: Vec<PlannedOption>,
    /// Which original.
    pub original: usize,
    /// Masked files.
    pub runs: u32,
    /// Whether a seed decides anything.
    pub is_random: bool,
    /// The method.
    pub method: Prepared,
    /// The attacks.
    pub attacks: Vec<PreparedAttack>,
}

/// An attack, ready to be run.
#[derive(Debug)]
pub(super) struct PreparedAttack {
    /// Its name in reports.
    pub name: String,
    /// The method of `link`.
    pub method: String,
    /// What is asked for.
    pub request: LinkRequest,
}

impl Experiment {
    /// Reads the files of a plan and checks its options. `seed` is that of the first masked file of each setting.
    ///
    /// # Errors
    /// What the plan or a file of it says that cannot be.
    pub fn new(
        plan: &Plan,
        name: &str,
        places: &Places,
        (seed, skip_missing): (u64, bool),
        console: &Console,
    ) -> anyhow::Result<Self> {
        check_measures(name, plan)?;
        let words = Words { plan: name, places };
        let mut builder = Builder {
            plan,
            words,
            seed,
            console,
            printed: BTreeSet::new(),
            settings: Vec::new(),
        };
        let (mut originals, mut missing) = (Vec::new(), Vec::new());
        for file in &plan.files {
            let Some(original) = Original::read(file, plan, words, seed, console)? else {
                if !skip_missing {
                    // Told as it was found out: with where it could be.
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
            builder.maskings(file, &original, originals.len())?;
            originals.push(original);
        }
        if originals.is_empty() {
            return Err(Error::failed("none of its originals is there")
                .in_file(name)
                .remedy("Say where they are: --data FOLDER")
                .into());
        }
        let settings = builder.settings;
        let masked: u64 = settings.iter().map(|setting| u64::from(setting.runs)).sum();
        if masked > MAX_MASKED_FILES {
            return Err(Error::input(format!(
                "asks for {masked} masked files, settings times repeats, and at most {MAX_MASKED_FILES} are made"
            ))
            .in_file(name)
            .remedy("Give fewer repeats, or split the plan")
            .into());
        }
        let cells = settings.iter().enumerate();
        Ok(Self {
            plan: name.into(),
            cells: cells
                .flat_map(|(place, setting)| (0..setting.runs).map(move |run| (place, run)))
                .collect(),
            originals,
            settings,
            losses: plan.losses.clone(),
            risks: plan.risks.clone(),
            inputs: places.found(),
            missing,
        })
    }

    /// Adds one more setting: a masking of the plan with these options. Returns its number.
    ///
    /// # Errors
    /// What the plan says that cannot be.
    pub fn add(
        &mut self,
        (plan, places, seed): (&Plan, &Places, u64),
        (original, mask): (usize, &PlannedMask),
        options: &[PlannedOption],
    ) -> anyhow::Result<usize> {
        let file = &plan.files[self.originals[original].place];
        let name = self.plan.clone();
        let quiet = Console::quiet();
        let mut builder = Builder {
            plan,
            words: Words {
                plan: &name,
                places,
            },
            seed,
            console: &quiet,
            printed: BTreeSet::new(),
            settings: std::mem::take(&mut self.settings),
        };
        let made = builder.masking(file, &self.originals[original], mask, options, &quiet);
        self.settings = builder.settings;
        self.settings.push(Masking { original, ..made? });
        Ok(self.settings.len() - 1)
    }

    /// What was found of the settings that have rows.
    pub fn report(&self, plan: &Plan, rows: Vec<Row>) -> EvaluateReport {
        let with_rows: BTreeSet<usize> = rows.iter().map(|row| row.setting).collect();
        let settings: Vec<Setting> = (self.settings.iter().map(|masking| &masking.setting))
            .filter(|setting| with_rows.contains(&setting.setting))
            .cloned()
            .collect();
        let settings = summary::summaries(&settings, &rows, &plan.published);
        EvaluateReport::new(
            self.plan_summary(plan),
            self.file_summaries(),
            rows,
            settings,
            provenance::of(&self.tables()),
        )
    }

    /// What was asked for; the plan's file without its folders.
    pub fn plan_summary(&self, plan: &Plan) -> PlanSummary {
        let name = Path::new(&self.plan).file_name();
        let name = name.map_or(self.plan.as_str().into(), |name| name.to_string_lossy());
        PlanSummary::new(&name, plan)
    }

    /// The originals.
    pub fn file_summaries(&self) -> Vec<FileSummary> {
        let summary = |original: &Original| FileSummary {
            name: original.name.clone(),
            records: original.table.n_records(),
            attributes: original
                .table
                .names(&original.table.ids().collect::<Vec<_>>()),
            known: original.known.clone(),
        };
        self.originals.iter().map(summary).collect()
    }

    /// The tables, for provenance.
    pub fn tables(&self) -> Vec<&Table> {
        self.originals
            .iter()
            .map(|original| &original.table)
            .collect()
    }
}

/// An experiment that is being made.
struct Builder<'a> {
    plan: &'a Plan,
    words: Words<'a>,
    seed: u64,
    console: &'a Console,
    /// Notes that were printed: many settings have the same.
    printed: BTreeSet<String>,
    settings: Vec<Masking>,
}

impl Builder<'_> {
    /// The settings of an original, which is the one of this number.
    fn maskings(
        &mut self,
        file: &PlannedFile,
        original: &Original,
        number: usize,
    ) -> anyhow::Result<()> {
        for mask in &self.plan.masks {
            if !mask.files.is_empty() && !mask.files.iter().any(|name| file.is_called(name)) {
                continue;
            }
            // Inside a range settings are made one by one.
            let settings = mask.settings.iter().filter(|_| mask.range.is_none());
            for (place, options) in settings.enumerate() {
                // What is said of attributes that are not masked is the same for all settings.
                let quiet = Console::quiet();
                let console = if place == 0 { self.console } else { &quiet };
                let masking = self.masking(file, original, mask, options, console)?;
                self.settings.push(Masking {
                    original: number,
                    ..masking
                });
            }
        }
        Ok(())
    }

    fn masking(
        &mut self,
        file: &PlannedFile,
        original: &Original,
        mask: &PlannedMask,
        options: &[PlannedOption],
        console: &Console,
    ) -> anyhow::Result<Masking> {
        let setting = Setting::new(self.settings.len(), &original.name, mask, options);
        let method = self
            .words
            .masking(mask, options, file.attributes.as_deref())?;
        let prepared = method.prepared(&original.table, console).map_err(|error| {
            let what = [&setting.label[..], &setting.file[..]];
            self.words.blamed(mask.line, options, what, error)
        })?;
        let is_random = prepared.is_random();
        let known = mask.known.as_ref().unwrap_or(&file.known);
        Ok(Masking {
            line: mask.line,
            options: options.to_vec(),
            original: 0,
            runs: file.repeats.filter(|_| is_random).unwrap_or(1),
            is_random,
            method: prepared,
            attacks: self.attacks(known, file, original)?,
            setting,
        })
    }

    /// The attacks on the masked files of a setting: each with each thing that the intruder may know.
    fn attacks(
        &mut self,
        known: &[String],
        file: &PlannedFile,
        original: &Original,
    ) -> Result<Vec<PreparedAttack>> {
        let mut attacks = Vec::new();
        for attack in &self.plan.attacks {
            let at = |error: Error| {
                let what = [&format!("attack {}", attack.name)[..], &original.name[..]];
                self.words.blamed(attack.line, &attack.options, what, error)
            };
            let known = attack.known.as_deref().unwrap_or(known);
            let choices: Vec<Option<&str>> = match known {
                [] => vec![None],
                known => known.iter().map(|known| Some(known.as_str())).collect(),
            };
            for known in &choices {
                let attributes = file.attributes.as_deref();
                let request = self
                    .words
                    .attack(attack, &self.plan.scenario, *known, attributes)
                    .and_then(|args| args.seeded(self.seed))
                    .and_then(|args| args.settled(args.wants_statement(), self.console))
                    .and_then(|args| args.request())
                    .map_err(at)?;
                let left_out = jobs::link::check_on(&request, &original.table, self.console);
                for left in left_out.map_err(at)? {
                    let note = format!(
                        "note: {} of {} is not compared: it {}",
                        left.attribute, original.name, left.why
                    );
                    if self.printed.insert(note.clone()) {
                        self.console.note(&note);
                    }
                }
                attacks.push(PreparedAttack {
                    name: match (known, choices.len()) {
                        (Some(known), 2..) => format!("{} ({known})", attack.name),
                        _ => attack.name.clone(),
                    },
                    method: attack.method.clone(),
                    request,
                });
            }
        }
        Ok(attacks)
    }
}
