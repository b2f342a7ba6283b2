//! The settings of a plan: its maskings and attacks, checked against the originals.

use crate::{
    cli::{console::Console, files::Disk},
    error::{Error, Result},
    evaluate::{
        grid::Setting,
        plan::{Passage, PlannedAttack, PlannedMask, PlannedOption},
    },
    jobs::{
        evaluate::{Grid, LaterStep, Masking, Original, PlannedLink},
        link, mask,
        search::Maker,
    },
    options::words::Words,
};

impl Words<'_> {
    /// All settings of one of the grid's originals, but of maskings that have a range.
    ///
    /// # Errors
    /// What the plan says that cannot be.
    pub(super) fn settings(
        self,
        grid: &Grid,
        original: usize,
        console: &Console,
    ) -> Result<Vec<Masking>> {
        let file = &grid.plan.files[grid.originals[original].place];
        let quiet = Console::quiet();
        let mut made = Vec::new();
        let masks = grid.plan.masks.iter();
        for mask in masks.filter(|mask| mask.is_for(file) && mask.range.is_none()) {
            for (place, options) in mask.settings.iter().enumerate() {
                // What is said of attributes that are not masked is the same for all settings.
                let of_method = if place == 0 { console } else { &quiet };
                let number = grid.settings.len() + made.len();
                let setting = (number, mask, &options[..]);
                made.push(self.setting(grid, original, setting, [of_method, console])?);
            }
        }
        Ok(made)
    }

    /// A setting of an original with its number: a masking with these options. What is to be said of the method, and of the attacks, goes
    /// to a console each.
    fn setting(
        self,
        grid: &Grid,
        original: usize,
        (number, mask, options): (usize, &PlannedMask, &[PlannedOption]),
        [of_method, of_attacks]: [&Console; 2],
    ) -> Result<Masking> {
        let Original { place, name, table } = &grid.originals[original];
        let file = &grid.plan.files[*place];
        let setting = Setting::new(number, name, mask, options);
        let mut later = Vec::new();
        let mut first = None;
        for (place, step) in mask.steps.iter().enumerate() {
            let own = PlannedOption::of_step(options, place);
            let method = self.step(step, &own, file.attributes.as_deref())?;
            let checked = method
                .checked(table, &Disk, of_method)
                .and_then(|(request, key)| {
                    if place == 0 {
                        let prepared = mask::prepare(&request, table, key.as_ref(), of_method)?;
                        first = Some(prepared);
                    } else {
                        later.push(LaterStep {
                            request,
                            key,
                            line: step.line,
                            options: own.clone(),
                        });
                    }
                    Ok(())
                });
            checked.map_err(|error| {
                let passage = Passage {
                    plan: self.plan,
                    line: step.line,
                    options: &own,
                };
                passage.blamed([&setting.label, &setting.file], error)
            })?;
        }
        let Some(method) = first else {
            unreachable!("a masking has a step at least")
        };
        let known = mask.known.as_ref().unwrap_or(&file.known);
        let mut attacks = Vec::new();
        for attack in &grid.plan.attacks {
            let known = attack.known.as_ref().unwrap_or(known);
            attacks.extend(self.links(attack, known, (grid, original), of_attacks)?);
        }
        let masking = Masking {
            line: mask.steps.first().map_or(mask.line, |step| step.line),
            options: options.to_vec(),
            original,
            runs: 1,
            method,
            later,
            attacks,
            setting,
        };
        Ok(Masking {
            runs: file.repeats.filter(|_| masking.is_random()).unwrap_or(1),
            ..masking
        })
    }

    /// An attack on the masked files of a setting, with each thing that the intruder may know.
    fn links(
        self,
        attack: &PlannedAttack,
        known: &[String],
        (grid, original): (&Grid, usize),
        console: &Console,
    ) -> Result<Vec<PlannedLink>> {
        let Original { place, name, table } = &grid.originals[original];
        let attributes = grid.plan.files[*place].attributes.as_deref();
        let passage = Passage {
            plan: self.plan,
            line: attack.line,
            options: &attack.options,
        };
        let at = |error: Error| passage.blamed([&format!("attack {}", attack.name), name], error);
        let link = |known: Option<&str>| -> Result<PlannedLink> {
            let request = self
                .attack(attack, &grid.plan.scenario, known, attributes)
                .and_then(|args| args.seeded(grid.seed))
                .and_then(|args| args.settled(args.wants_statement(), console))
                .and_then(|args| args.request(&Disk))
                .map_err(at)?;
            for left in link::check_on(&request, table, console).map_err(at)? {
                console.note(&format!(
                    "note: {} of {name} is not compared: it {}",
                    left.attribute, left.why
                ));
            }
            Ok(PlannedLink {
                name: attack.name.clone(),
                method: attack.method.clone(),
                request,
            })
        };
        match known {
            [] => Ok(vec![link(None)?]),
            [known] => Ok(vec![link(Some(known))?]),
            several => several
                .iter()
                .map(|known| {
                    Ok(PlannedLink {
                        name: format!("{} ({known})", attack.name),
                        ..link(Some(known))?
                    })
                })
                .collect(),
        }
    }
}

impl Maker for Words<'_> {
    fn masking(
        &self,
        grid: &Grid,
        original: usize,
        mask: &PlannedMask,
        options: &[PlannedOption],
    ) -> Result<Masking> {
        let quiet = Console::quiet();
        let setting = (grid.settings.len(), mask, options);
        self.setting(grid, original, setting, [&quiet, &quiet])
    }

    fn accepts(
        &self,
        grid: &Grid,
        original: usize,
        mask: &PlannedMask,
        options: &[PlannedOption],
    ) -> bool {
        let file = &grid.plan.files[grid.originals[original].place];
        let mut steps = mask.steps.iter().enumerate();
        steps.all(|(place, step)| {
            let own = PlannedOption::of_step(options, place);
            self.step(step, &own, file.attributes.as_deref()).is_ok()
        })
    }
}
