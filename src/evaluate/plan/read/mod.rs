//! From the keys of a plan to what they stand for.

mod attack;
mod file;
pub(super) mod mask;
mod published;

use super::{
    Plan, PlannedAttack, PlannedFile, PlannedMask, PlannedOption, PlannedStep, Published, READING,
    source::{Entry, Source},
};
use crate::{error::Result, figure::Definition, loss, risk::interval};
use file::{FILE_KEYS, FileKeys};

/// What makes up IL, unless the plan says which losses are measured.
static USUAL_LOSS: &Definition = &loss::IL;
/// What makes up DR beside the attacks, unless the plan says which risks are measured.
static USUAL_RISK: &Definition = &interval::BY_RANK;

/// Keys at the top that are about no single original.
const OTHERS: [&str; 8] = [
    "title",
    "seed",
    "losses",
    "risks",
    "attacks",
    "file",
    "mask",
    "published",
];
const SCENARIO: [&str; 3] = ["known-records", "direction", "ties"];

/// The keys of a plan.
#[derive(Default)]
pub(super) struct Keys {
    title: Option<String>,
    /// Keys at the top that are about an original.
    only: FileKeys,
    files: Vec<FileKeys>,
    masks: Vec<PlannedMask>,
    attacks: Vec<PlannedAttack>,
    losses: Option<Vec<String>>,
    risks: Option<Vec<String>>,
    seed: Option<u64>,
    scenario: Vec<PlannedOption>,
    published: Vec<Published>,
}

impl PlannedOption {
    fn read(source: Source<'_>, entry: &Entry<'_, '_>) -> Result<Self> {
        Ok(Self {
            step: 0,
            name: entry.key.clone(),
            value: source.value(&entry.key, entry.value)?,
            line: entry.line,
        })
    }
}

impl Keys {
    /// Takes a key of the plan.
    pub fn take<'a>(&mut self, source: Source<'a>, entry: &Entry<'_, 'a>) -> Result<()> {
        match entry.key.as_str() {
            "title" => self.title = Some(source.text(entry)?),
            "seed" => self.seed = Some(source.whole(entry)?),
            "losses" => self.losses = Some(source.texts(entry)?),
            "risks" => self.risks = Some(source.texts(entry)?),
            "attacks" => self.attacks = attack::all(source, entry)?,
            "file" => self.files.extend(source.tables(entry, FileKeys::read)?),
            "mask" => self.masks.extend(source.tables(entry, PlannedMask::read)?),
            "published" => {
                let tables = source.tables(entry, published::read)?;
                self.published.extend(tables.into_iter().flatten());
            }
            key if SCENARIO.contains(&key) => {
                self.scenario.push(PlannedOption::read(source, entry)?);
            }
            _ => {
                let known = [&FILE_KEYS[..], &OTHERS, &SCENARIO, &READING].concat();
                self.only.take(source, entry, "a plan", &known)?;
            }
        }
        Ok(())
    }

    /// The plan, once all keys were taken.
    ///
    /// # Errors
    /// Input, for a plan that does nothing, or whose parts do not fit each other.
    pub fn plan(self, source: Source<'_>) -> Result<Plan> {
        let plan = Plan {
            title: self.title,
            files: file::planned(source, self.only, self.files)?,
            masks: self.masks,
            attacks: self.attacks,
            losses: self.losses.unwrap_or_else(|| vec![USUAL_LOSS.key.into()]),
            risks: self.risks.unwrap_or_else(|| vec![USUAL_RISK.key.into()]),
            seed: self.seed,
            scenario: self.scenario,
            published: self.published,
        };
        (plan.masks.iter()).try_for_each(|mask| mask.check_files(source, &plan.files))?;
        source.ensure(
            !plan.masks.is_empty(),
            None,
            "has no [[mask]]: nothing would be masked",
            "Add [[mask]], method = \"rankswap\", p = [2, 5, 10]",
        )?;
        source.ensure(
            !(plan.losses.is_empty() && plan.risks.is_empty() && plan.attacks.is_empty()),
            None,
            "measures nothing",
            "Add attacks = [\"am\"], losses = [\"il\"] or risks = [\"interval_disclosure_rank\"]",
        )?;
        check_once(source, "losses", &plan.losses)?;
        check_once(source, "risks", &plan.risks)?;
        Ok(plan)
    }
}

/// That no measure is named twice.
fn check_once(source: Source<'_>, what: &str, keys: &[String]) -> Result<()> {
    let twice = (1..keys.len()).find(|&place| keys[..place].contains(&keys[place]));
    let name = twice.map_or("", |place| &keys[place]);
    source.ensure(
        twice.is_none(),
        None,
        format!("names {name:?} twice in {what}"),
        "Name each once",
    )
}
