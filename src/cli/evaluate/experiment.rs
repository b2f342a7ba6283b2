//! A plan with its files read and its options checked: all that can be wrong before anything is masked.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::Context;

use super::{options::Words, places::Places};
use crate::{
    cli::{
        args::{read_table, read_text},
        console::Console,
        files,
        link::{self, LinkArgs},
        mask::Prepared,
        pair::AlignArgs,
    },
    error::{Error, Result},
    evaluate::{
        grid::Setting,
        knowledge,
        link::Shared,
        plan::{Plan, PlannedFile},
    },
    figure::Figure,
    rng::{Purpose, Seed},
    table::{Table, pair::Pair},
};

/// All that is to be done.
#[derive(Debug)]
pub(super) struct Experiment {
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
    /// Every file that was read beside the plan, originals first.
    pub inputs: Vec<PathBuf>,
    /// Originals that are not there, if that is no reason to stop.
    pub missing: Vec<String>,
}

/// An original.
#[derive(Debug)]
pub(super) struct Original {
    /// Its name in reports.
    pub name: String,
    /// Its records.
    pub table: Table,
    /// What the intruder knows of it, as the plan has it.
    pub known: Vec<String>,
    /// What is compared.
    pub align: AlignArgs,
}

/// A setting, ready to be masked.
#[derive(Debug)]
pub(super) struct Masking {
    /// What reports say of it.
    pub setting: Setting,
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
    /// Its options.
    pub args: LinkArgs,
}

impl Experiment {
    /// Reads the files of a plan and checks its options. `first_seed` is that of the first masked file of each setting.
    ///
    /// # Errors
    /// What the plan or a file of it says that cannot be.
    pub fn new(
        plan: &Plan,
        name: &str,
        places: &Places,
        (first_seed, skip_missing): (u64, bool),
        console: &Console,
    ) -> anyhow::Result<Self> {
        let words = Words { plan: name, places };
        let mut experiment = Self {
            originals: Vec::new(),
            settings: Vec::new(),
            cells: Vec::new(),
            losses: plan.losses.clone(),
            risks: plan.risks.clone(),
            inputs: Vec::new(),
            missing: Vec::new(),
        };
        let mut others = BTreeSet::new();
        let mut of_mask = vec![0; plan.masks.len()];
        for file in &plan.files {
            let at = |error: Error| error.in_file(name).at_line(file.line);
            let path = match places.find(&file.original) {
                Err(_) if skip_missing => {
                    experiment.missing.push(file.original.clone());
                    continue;
                }
                path => path.map_err(at)?,
            };
            let read = words.reading(&file.reading, file.line)?;
            let table = read_table(&path, &read.options()?, console)?;
            let table = chosen_records(table, file, places, &mut others, first_seed).map_err(at)?;
            experiment.inputs.push(path);
            let original = Original {
                name: short_name(file, &plan.files),
                table,
                known: file.known.clone(),
                align: AlignArgs {
                    attributes: file.attributes.clone(),
                    id: None,
                    key: None,
                },
            };
            original.check_measures(name, plan)?;
            let number = experiment.originals.len();
            for (place, mask) in plan.masks.iter().enumerate() {
                let is_for = |name: &String| *name == file.original || *name == original.name;
                if !mask.files.is_empty() && !mask.files.iter().any(is_for) {
                    continue;
                }
                of_mask[place] += 1;
                for options in &mask.settings {
                    let setting =
                        Setting::new(experiment.settings.len(), &original.name, mask, options);
                    let method = words.masking(mask, options, file.attributes.as_deref())?;
                    others.extend(method.inputs().iter().map(|path| path.to_path_buf()));
                    let said = |error: Error| error.in_file(name).at_line(mask.line);
                    let prepared = method
                        .prepared(&original.table, &Console::quiet())
                        .map_err(said)
                        .with_context(|| format!("{} of {}", setting.label, setting.file))?;
                    let known = mask.known.as_ref().unwrap_or(&file.known);
                    let is_random = method.is_random();
                    experiment.settings.push(Masking {
                        original: number,
                        runs: if is_random { file.repeats } else { 1 },
                        is_random,
                        method: prepared,
                        attacks: attacks(plan, words, known, file, &original.table, first_seed)?,
                        setting,
                    });
                }
            }
            experiment.originals.push(original);
        }
        if experiment.originals.is_empty() {
            return Err(Error::failed("none of its originals is there")
                .in_file(name)
                .remedy("Say where they are: --data FOLDER")
                .into());
        }
        if experiment.missing.is_empty()
            && let Some(place) = of_mask.iter().position(|&count| count == 0)
        {
            let mask = &plan.masks[place];
            return Err(
                Error::input("[[mask]] is for a file that the plan does not name")
                    .in_file(name)
                    .at_line(mask.line)
                    .remedy("Give the name as the plan has it: file = \"...\"")
                    .into(),
            );
        }
        experiment.inputs.extend(others);
        experiment.cells = experiment
            .settings
            .iter()
            .enumerate()
            .flat_map(|(place, setting)| (0..setting.runs).map(move |run| (place, run)))
            .collect();
        Ok(experiment)
    }

    /// The tables, for provenance.
    pub fn tables(&self) -> Vec<&Table> {
        self.originals
            .iter()
            .map(|original| &original.table)
            .collect()
    }
}

impl Original {
    /// The measures of loss and of risk, of a masked file or of the original itself.
    ///
    /// # Errors
    /// Usage or Input, when the files share no attribute that is compared.
    pub fn figures(&self, masked: &Table, wanted: [bool; 2]) -> Result<[Vec<Figure>; 2]> {
        if wanted == [false, false] {
            return Ok([Vec::new(), Vec::new()]);
        }
        let (compared, _) = self.align.compared(&self.table, masked)?;
        let ids: Vec<_> = compared
            .iter()
            .map(|Shared { original, masked }| [*original, *masked])
            .collect();
        // Masked in memory, the records are in their order.
        let records: Vec<[u32; 2]> = (0..)
            .map(|record| [record; 2])
            .take(masked.n_records())
            .collect();
        let pair = Pair::new([&self.table, masked], &ids, &records);
        Ok([
            if wanted[0] {
                crate::loss::figures(&pair)
            } else {
                Vec::new()
            },
            if wanted[1] {
                crate::risk::interval::figures(&pair.numbers)
            } else {
                Vec::new()
            },
        ])
    }

    /// Whether the measures that a plan names exist.
    fn check_measures(&self, name: &str, plan: &Plan) -> Result<()> {
        let wanted = [&plan.losses, &plan.risks];
        let figures = self.figures(&self.table, wanted.map(|keys| !keys.is_empty()))?;
        for ((keys, figures), what) in wanted.into_iter().zip(&figures).zip(["losses", "risks"]) {
            let exists = |key: &String| figures.iter().any(|figure| figure.what.key == key);
            if let Some(key) = keys.iter().find(|key| !exists(key)) {
                let known: Vec<&str> = figures.iter().map(|figure| figure.what.key).collect();
                return Err(Error::input(format!("{what} names {key:?}, which is none"))
                    .in_file(name)
                    .remedy(format!("There are: {}", known.join(", "))));
            }
        }
        Ok(())
    }
}

/// The attacks on the masked files of a setting: each with each thing that the intruder may know.
fn attacks(
    plan: &Plan,
    words: Words<'_>,
    known: &[String],
    file: &PlannedFile,
    original: &Table,
    seed: u64,
) -> Result<Vec<PreparedAttack>> {
    let mut attacks = Vec::new();
    for attack in &plan.attacks {
        let at = |error: Error| error.in_file(words.plan).at_line(attack.line);
        let known = attack.known.as_deref().unwrap_or(known);
        let choices: Vec<Option<&str>> = match known {
            [] => vec![None],
            known => known.iter().map(|known| Some(known.as_str())).collect(),
        };
        for known in &choices {
            let attributes = file.attributes.as_deref();
            let args = words
                .attack(attack, &plan.scenario, *known, attributes)
                .and_then(|args| args.seeded(seed))
                .map_err(at)?;
            link::check_on(&args, original).map_err(at)?;
            attacks.push(PreparedAttack {
                name: match (known, choices.len()) {
                    (Some(known), 2..) => format!("{} ({known})", attack.name),
                    _ => attack.name.clone(),
                },
                method: attack.method.clone(),
                args,
            });
        }
    }
    Ok(attacks)
}

/// The records that a plan uses of an original.
fn chosen_records(
    table: Table,
    file: &PlannedFile,
    places: &Places,
    inputs: &mut BTreeSet<PathBuf>,
    seed: u64,
) -> Result<Table> {
    let Some(wish) = &file.records else {
        return Ok(table);
    };
    let all = table.n_records();
    let to_u32 = |records: Vec<usize>| records.into_iter().filter_map(|r| u32::try_from(r).ok());
    if let Ok(count) = wish.parse::<usize>() {
        if count == 0 || count > all {
            return Err(
                Error::input(format!("records = {count}: the file has {all} records"))
                    .remedy(format!("Give a number from 1 to {all}")),
            );
        }
        let mut rng = Seed::from_number(seed)
            .streams(Purpose::Knowledge, 0)
            .at(u64::MAX);
        let drawn = knowledge::sample(all, count, &mut rng);
        return Ok(table.reordered(to_u32(drawn).collect()));
    }
    let path = places.find(wish)?;
    let text = read_text(&path)?;
    let wrong = || {
        Error::input(format!("is not a list of different record numbers from 1 to {all}"))
            .in_file(files::name_of(&path))
            .remedy("Write the numbers of the records, in the order wanted, with blanks or line ends between them")
    };
    let numbers: Vec<usize> = text
        .split_whitespace()
        .map(|word| {
            word.parse()
                .ok()
                .filter(|number| (1..=all).contains(number))
        })
        .collect::<Option<_>>()
        .ok_or_else(wrong)?;
    let different: BTreeSet<usize> = numbers.iter().copied().collect();
    if numbers.is_empty() || different.len() < numbers.len() {
        return Err(wrong());
    }
    inputs.insert(path);
    let places = numbers.into_iter().map(|number| number - 1).collect();
    Ok(table.reordered(to_u32(places).collect()))
}

/// What a file is called in reports: without its folders, unless another is called so too.
fn short_name(file: &PlannedFile, all: &[PlannedFile]) -> String {
    let short = |file: &PlannedFile| file.original.rsplit(['/', '\\']).next().map(str::to_string);
    let own = short(file).unwrap_or_default();
    let is_clear = all
        .iter()
        .filter(|other| short(other).as_deref() == Some(&own))
        .count()
        == 1;
    if is_clear { own } else { file.original.clone() }
}
