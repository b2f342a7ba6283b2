//! What a call of `sdcrisk mask` writes: the masked file, its statement, its key, and what else a method reports.

use std::{io::Write, path::PathBuf};

use super::{ExtraWriter, MaskArgs, MethodArgs};
use crate::{
    cli::files::{self, Output, Plan, Privacy, keep_all},
    error::{Error, Result},
    mask::Masked,
    report::{io_error, spreadsheet},
};

/// What a call writes, opened before any work is done.
pub(super) struct Outputs {
    key: Option<Output>,
    statement: Option<Output>,
    extras: Vec<(Output, ExtraWriter)>,
    table: Output,
}

impl Outputs {
    pub fn planned(method_args: &dyn MethodArgs) -> Result<Self> {
        let args = method_args.common();
        let mut plan = Plan::default();
        plan.input(&args.input)?;
        args.read.plan(&mut plan)?;
        for input in method_args.inputs() {
            plan.input(input)?;
        }
        let extras = method_args.extras();
        let masked = args.masked_file()?;
        let fixed = [
            Some(&masked),
            args.statement.as_ref(),
            args.shuffle.as_ref(),
        ];
        for path in fixed.into_iter().flatten() {
            plan.output(path)?;
        }
        for (path, _) in &extras {
            plan.output(path)?;
        }
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
                .map(|(path, writer)| Ok((plan.open(path, Privacy::Private)?, writer)))
                .collect::<Result<_>>()?,
            table: plan.open(&masked, Privacy::Ordinary)?,
        })
    }

    /// Writes everything, then lets it appear: the masked file last, never without its statement and key.
    pub fn write(mut self, masked: &Masked, order: &[u32]) -> anyhow::Result<()> {
        if let Some(key) = &mut self.key {
            key.write(|out| write_key(out, order))?;
        }
        if let Some(output) = &mut self.statement {
            output.write_text(&masked.statement.to_json())?;
        }
        for (output, writer) in &mut self.extras {
            output.write(|out| writer(masked, out))?;
        }
        self.table.write(|mut out| masked.table.write(&mut out))?;
        let extras = self.extras.into_iter().map(|(output, _)| output);
        let others = [self.key, self.statement].into_iter().flatten();
        keep_all(others.chain(extras).chain([self.table]))?;
        Ok(())
    }
}

impl MaskArgs {
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

/// The key of a shuffled file: which original record each masked record is, both counted from 1.
fn write_key(out: &mut dyn Write, order: &[u32]) -> std::io::Result<()> {
    let mut writer = spreadsheet::writer(out);
    writer
        .write_record(["masked", "original"])
        .map_err(io_error)?;
    for (masked, &original) in order.iter().enumerate() {
        writer
            .serialize((masked + 1, u64::from(original) + 1))
            .map_err(io_error)?;
    }
    writer.flush()
}

/// Which group or cluster each record is in, for attributes that were masked together.
pub(super) struct Assignment<'a> {
    pub attributes: &'a [String],
    /// From 0, one a record of the original file.
    pub of_record: &'a [u32],
}

/// Writes a line for each record of the original file: its number, and those of its groups, all counted from 1, nothing where it
/// is in `none`. The columns are named by `word`, and by their attributes where there are several.
pub(super) fn write_assignments(
    word: &str,
    columns: &[Assignment<'_>],
    none: u32,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut writer = spreadsheet::writer(out);
    let mut header = vec!["record".to_owned()];
    header.extend(columns.iter().map(|column| match columns.len() {
        1 => word.to_owned(),
        _ => format!("{word} of {}", column.attributes.join("+")),
    }));
    writer.write_record(&header).map_err(io_error)?;
    let records = columns.first().map_or(0, |column| column.of_record.len());
    for record in 0..records {
        let mut line = vec![(record + 1).to_string()];
        line.extend(columns.iter().map(|column| match column.of_record[record] {
            number if number == none => String::new(),
            number => (u64::from(number) + 1).to_string(),
        }));
        writer.write_record(&line).map_err(io_error)?;
    }
    writer.flush()
}
