//! `sdcrisk mask METHOD` and `sdcrisk mask RECIPE.toml`: masks a file, in one step or in several.

mod outputs;
mod recipe;

use std::path::Path;

use anyhow::Context;

use super::{
    Ending,
    console::Console,
    files::{self, Disk},
    link::inputs::read_statements,
    merge, provenance,
    tables::read_table,
};
use crate::{
    error::{Error, Result},
    evaluate::plan::Passage,
    jobs::{
        self,
        link::check_earlier,
        mask::{
            Outcome,
            recipe::{RecipeRequest, Release},
        },
    },
    mask::Masked,
    options::mask::{CallArgs, Extra, LeaveArgs, MaskCommand, MethodArgs},
    report::{
        masking::{self, Line},
        part::{Part, Work},
    },
    rng::Seed,
    table::ReadOptions,
};
use outputs::Outputs;

pub fn run(command: &MaskCommand, console: &Console) -> anyhow::Result<Ending> {
    match command {
        MaskCommand::Method(method) => {
            let method = method.args();
            let call = Call {
                args: &method.common().call,
                steps: vec![Step::alone(method)],
                recipe: None,
                leave: None,
            };
            call.mask(console)
        }
        MaskCommand::Recipe(args) => recipe::run(args, console),
    }
}

/// A step of a call: a method with its options, and where a recipe states them.
struct Step<'a> {
    method: &'a dyn MethodArgs,
    place: Option<Place<'a>>,
}

/// Where a recipe states a step.
struct Place<'a> {
    /// What it is called in messages: `step 2 of 3`.
    name: String,
    passage: Passage<'a>,
}

impl<'a> Step<'a> {
    fn alone(method: &'a dyn MethodArgs) -> Self {
        Self {
            method,
            place: None,
        }
    }

    /// An objection to it, at its place.
    fn blamed(&self, file: &str, error: Error) -> Error {
        match &self.place {
            Some(place) => place.passage.blamed([&place.name, file], error),
            None => error,
        }
    }

    /// Prints what was done. The notes of a step of a recipe are one, which begins with the step.
    fn say(&self, lines: Vec<Line>, console: &Console) -> Result<()> {
        let Some(place) = &self.place else {
            return say(lines, console);
        };
        let (mut notes, mut others) = (Vec::new(), Vec::new());
        for line in lines {
            match line {
                Line::Note(text) => notes.push(text),
                Line::Warning(text) => {
                    others.push(Line::Warning(format!("{}: {text}", place.name)))
                }
                Line::Insisted(text) => {
                    others.push(Line::Insisted(format!("{}: {text}", place.name)))
                }
            }
        }
        console.note(&format!("{}, {}", place.name, notes.join("\n")));
        say(others, console)
    }
}

/// Prints lines of a summary.
fn say(lines: impl IntoIterator<Item = Line>, console: &Console) -> Result<()> {
    lines.into_iter().try_for_each(|line| match line {
        Line::Note(text) => {
            console.note(&text);
            Ok(())
        }
        Line::Warning(text) => console.warn(&text),
        Line::Insisted(text) => console.insist(&text),
    })
}

/// The seed given, or 256 bits from the operating system.
fn seed_or_system(seed: Option<u64>, console: &Console) -> anyhow::Result<Seed> {
    match seed {
        Some(number) => {
            console.note(
                "note: --seed is for experiments; who can guess the seed can undo a masking, so never release such a file",
            );
            Ok(Seed::from_number(number))
        }
        None => Seed::from_system().context("a random seed is needed"),
    }
}

/// A call of `mask`: steps on a file.
struct Call<'a> {
    args: &'a CallArgs,
    /// One at least.
    steps: Vec<Step<'a>>,
    /// The recipe that states them.
    recipe: Option<&'a recipe::Written>,
    /// What a recipe is to leave out, as its steps do not say.
    leave: Option<&'a LeaveArgs>,
}

impl Call<'_> {
    fn mask(&self, console: &Console) -> anyhow::Result<Ending> {
        let args = self.args;
        let file = files::name_of(&args.input);
        for step in &self.steps {
            (step.method.check(console)).map_err(|error| step.blamed(&file, error))?;
        }
        let outputs = Outputs::planned(self)?;
        let recipe = self.request(&file)?;
        let shard = recipe.steps.iter().find_map(|step| step.shard);
        if shard.is_some() && args.seed.is_none() && recipe.is_random() {
            return Err(Error::usage(
                "without a seed each part of --shard would draw its own, and not mask the file as one run does",
            )
            .remedy("State the same --seed for all parts, and keep it to yourself: it undoes the masking")
            .into());
        }
        if args.seed.is_some() && args.shuffle.is_none() && !recipe.is_random() {
            console.unused(
                "--seed has no effect: this method draws nothing, and nothing is shuffled",
            )?;
        }
        if args.incomplete && args.statement.is_none() {
            console.unused("--incomplete has no effect without --statement, which would say so")?;
        }
        let earlier = read_statements(&args.after)?;
        let roles = self.recipe.map(recipe::Written::roles).transpose()?;
        let mut options = args.read.options_with(roles.flatten(), &Disk)?;
        let looks_at_text = recipe.steps.iter().any(|step| step.method.looks_at_text());
        options.condense_from = (!looks_at_text).then_some(ReadOptions::LARGE);
        let table = read_table(&args.input, &options, console)?;
        args.read.settle(&[&table], console)?;
        if let Some((statement, file)) = &earlier {
            check_earlier(statement, file, &table)?;
        }
        for step in &self.steps {
            let decimals = step.method.decimals();
            if decimals.is_some_and(|decimals| decimals.round) {
                console.unused("--round has no effect: new numbers have the decimals of their attribute unless --decimals full is given")?;
            }
            let doubt = step.method.doubt(&table);
            doubt.map_err(|error| step.blamed(&file, error.in_file(table.name())))?;
        }
        let seed = seed_or_system(args.seed, console)?;
        let mut release = match earlier {
            Some((earlier, _)) => Release::after(table, earlier),
            None => Release::new(table),
        };
        let Some(masked) = self.steps_of(&recipe, &mut release, &seed, console)? else {
            unreachable!("a call has a step at least")
        };
        for (path, _) in self.extras() {
            console.note(&format!(
                "note: {} is private, like a seed: it helps to undo the masking",
                path.display()
            ));
        }
        if args.shuffle.is_some() {
            release.shuffle(&seed);
        }
        console.progress("writing");
        if let Some(shard) = shard {
            let Some(columns) = jobs::mask::part(&release, shard) else {
                unreachable!("a call has a step at least")
            };
            let inputs = merge::fingerprints(&outputs.inputs)?;
            // The masked table has another content in each part.
            let provenance = provenance::of(&[]);
            let part = Part::new(shard, inputs, provenance, Work::Mask(Box::new(columns)));
            console.stage("write", || outputs.write_part(&merge::text_of(part)))?;
            return Ok(Ending::Done);
        }
        console.stage("write", || {
            outputs.write(&masked, &release, !args.incomplete)
        })?;
        Ok(Ending::Done)
    }

    /// What is asked for. What the call leaves out is left out in the first step; what it keeps, all steps keep.
    fn request(&self, file: &str) -> Result<RecipeRequest> {
        let mut recipe = RecipeRequest::default();
        for step in &self.steps {
            let request = step.method.masking(&Disk).and_then(|request| {
                request.method.check()?;
                Ok(request)
            });
            let request = request.map_err(|error| step.blamed(file, error))?;
            recipe.steps.push(request);
        }
        if let Some(leave) = self.leave {
            for step in &mut recipe.steps {
                step.keeps_identifiers |= leave.keep_identifiers;
            }
            if let (Some(drop), Some(first)) = (&leave.drop, recipe.steps.first_mut()) {
                let own = first.dropped.iter().map(String::as_str);
                let all: Vec<&str> = own.chain([drop.as_str()]).collect();
                first.dropped = Some(all.join(","));
            }
        }
        Ok(recipe)
    }

    /// Does all steps, and says what they did: what the last one made.
    fn steps_of(
        &self,
        recipe: &RecipeRequest,
        release: &mut Release,
        seed: &Seed,
        console: &Console,
    ) -> Result<Option<Masked>> {
        let file = release.table().name().to_owned();
        let mut last = None;
        for (step, request) in self.steps.iter().zip(&recipe.steps) {
            // What the step before made is let go: its table is as large as the file.
            drop(last.take());
            let before = release.statement().cloned();
            let done = step.method.secret(&Disk).and_then(|secret| {
                let outcome = release.then(request, secret.as_ref(), seed, console)?;
                let Outcome {
                    masked,
                    kept,
                    broken,
                } = outcome;
                let rules = request.method.rules_file();
                step.say(masking::summary(&masked, &kept, &broken, rules), console)?;
                Ok(masked)
            });
            last = Some((done.map_err(|error| step.blamed(&file, error))?, before));
        }
        let Some((masked, before)) = last else {
            return Ok(None);
        };
        let is_private = recipe.steps.iter().all(|step| step.keeps_identifiers);
        say(
            masking::unmasked(&masked, before.as_ref(), is_private),
            console,
        )?;
        Ok(Some(masked))
    }

    /// What its steps write beside the masked file.
    fn extras(&self) -> Vec<(&Path, Extra)> {
        self.steps
            .iter()
            .flat_map(|step| step.method.extras())
            .collect()
    }
}
