//! What a call of `sdcrisk mask` writes: the masked file, its statement, its key, and what else a method reports.

use std::path::PathBuf;

use super::Call;
use crate::{
    cli::files::{self, Disk, Output, Plan, Privacy, keep_all},
    error::{Error, Result},
    jobs::mask::recipe::Release,
    mask::Masked,
    options::mask::{CallArgs, Extra},
    report::masking::private,
};

/// What a call writes, opened before any work is done.
pub(super) struct Outputs {
    /// The files that are read.
    pub inputs: Vec<PathBuf>,
    key: Option<Output>,
    statement: Option<Output>,
    extras: Vec<(Output, Extra)>,
    table: Output,
}

impl Outputs {
    pub fn planned(call: &Call<'_>) -> Result<Self> {
        let args = call.args;
        let mut plan = Plan::default();
        plan.input(&args.input)?;
        plan.each_input(args.read.input())?;
        let recipe = call.recipe.map(|recipe| recipe.file.as_path());
        let after = args.after.iter().map(PathBuf::as_path);
        let steps = call.steps.iter();
        let of_steps: Vec<PathBuf> = steps.flat_map(|step| step.method.inputs(&Disk)).collect();
        let of_steps = of_steps.iter().map(PathBuf::as_path);
        plan.each_input(recipe.into_iter().chain(of_steps).chain(after))?;
        let extras = call.extras();
        let masked = args.masked_file()?;
        plan.table_output(&masked)?;
        for path in [&args.statement, &args.shuffle].into_iter().flatten() {
            plan.output(path)?;
        }
        for (path, _) in &extras {
            plan.output(path)?;
        }
        // Who tries seeds can tell by a part which one it was.
        let is_part = call
            .steps
            .iter()
            .any(|step| step.method.common().shard.is_some());
        let privacy = if is_part {
            Privacy::Private
        } else {
            Privacy::Ordinary
        };
        let open = |path: &Option<PathBuf>, privacy| {
            path.as_deref()
                .map(|path| plan.open(path, privacy))
                .transpose()
        };
        Ok(Self {
            key: open(&args.shuffle, Privacy::Private)?,
            statement: open(&args.statement, Privacy::Ordinary)?,
            extras: extras
                .into_iter()
                .map(|(path, extra)| Ok((plan.open(path, Privacy::Private)?, extra)))
                .collect::<Result<_>>()?,
            table: plan.open(&masked, privacy)?,
            inputs: plan.inputs().to_vec(),
        })
    }

    /// Writes a part of the masked file where that would go.
    pub fn write_part(self, text: &str) -> Result<()> {
        let mut output = self.table;
        output.write_text(text)?;
        output.keep()
    }

    /// Writes everything, then lets it appear: the masked file last, never without its statement and key.
    /// `masked` is what the last step made, in the order in which it was made.
    pub fn write(
        mut self,
        masked: &Masked,
        release: &Release,
        is_complete: bool,
    ) -> anyhow::Result<()> {
        if let Some(key) = &mut self.key {
            key.write(|out| private::write_key(out, &release.origin()))?;
        }
        if let (Some(output), Some(statement)) = (&mut self.statement, release.statement()) {
            let mut statement = statement.clone();
            statement.complete &= is_complete;
            output.write_text(&statement.to_json())?;
        }
        for (output, extra) in &mut self.extras {
            let write = match extra {
                Extra::Partition => private::write_partition,
                Extra::Centres => private::write_centres,
                Extra::Memberships => private::write_memberships,
            };
            output.write(|out| write(masked, out))?;
        }
        self.table.write_table(release.table(), None)?;
        let extras = self.extras.into_iter().map(|(output, _)| output);
        let others = [self.key, self.statement].into_iter().flatten();
        keep_all(others.chain(extras).chain([self.table]))?;
        Ok(())
    }
}

impl CallArgs {
    /// Where the masked file goes.
    ///
    /// # Errors
    /// Usage, when that would be a terminal and nobody said so: a file of records is no message.
    fn masked_file(&self) -> Result<PathBuf> {
        match &self.output {
            Some(path) => Ok(path.clone()),
            None if files::is_terminal() => Err(Error::usage(
                "will not write the masked file to a terminal",
            )
            .remedy("Name a file by -o FILE, or send it on ('> FILE', '| COMMAND'); -o - writes it here")),
            None => Ok(PathBuf::from(files::STANDARD)),
        }
    }
}
