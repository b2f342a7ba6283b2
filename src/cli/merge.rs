//! `sdcrisk merge`: the parts that several machines made of a plan, of a search, of attacks, of risk or of a masking become what one run makes.

use std::{env, path::PathBuf};

use super::{
    Ending,
    console::Console,
    evaluate,
    files::{self, Plan, Privacy, STANDARD, fingerprint, keep_all, read_text},
    link, provenance, risk,
};
use crate::{
    error::{Error, Result},
    jobs::merge::{self, Merged},
    options::{merge::MergeArgs, output::Format},
    report::part::{Columns, Part, PartInput},
    table::pieces,
};

pub fn run(args: &MergeArgs, console: &Console) -> anyhow::Result<Ending> {
    let form = args.form();
    let parts = console.stage("read", || -> Result<Vec<_>> {
        let read = |path: &PathBuf| {
            let name = files::name_of(path);
            let part = Part::parse(&name, &read_text(path)?)?;
            Ok((name, part))
        };
        args.parts.iter().map(read).collect()
    })?;
    warn_of_builds(&parts, console)?;
    // A report of one run that was asked for in a form says so.
    let form_of = args.format.map(Format::word);
    match merge::run(parts, form_of)? {
        Merged::Evaluate(report, inputs) => {
            args.refuse_all_but(&["--format", "--into", "--fail-above"], "a plan")?;
            let into = args.into.as_deref();
            evaluate::write_merged(
                &report,
                inputs,
                (&form, &args.parts, into),
                args.rate_limit()?,
                console,
            )
        }
        Merged::Search(report, grid, inputs) => {
            args.refuse_all_but(&["--format", "--into"], "a search")?;
            let into = args.into.as_deref();
            evaluate::search::write_merged(
                (&report, &grid),
                inputs,
                (&form, &args.parts, into),
                console,
            )
        }
        Merged::Link(mut report, links, origin) => {
            let own = [
                "--format",
                "--fail-above",
                "--fail-above-extremes",
                "--brief",
                "--explain",
                "--links",
            ];
            args.refuse_all_but(&own, "attacks")?;
            link::write_merged(args, (&mut report, links.as_deref()), &origin, console)
        }
        Merged::Risk(report) => {
            let own = ["--format", "--fail-above", "--brief", "--explain"];
            args.refuse_all_but(&own, "measures of risk")?;
            risk::write_merged(args, *report, console)
        }
        Merged::Mask(file) => {
            args.refuse_all_but(&["--statement"], "a masking")?;
            console.stage("write", || args.write_masked(&file))?;
            Ok(Ending::Done)
        }
    }
}

impl MergeArgs {
    /// The parts, which are read, and what is made of them.
    pub(super) fn plan(&self) -> Result<Plan> {
        let mut plan = Plan::default();
        self.parts.iter().try_for_each(|part| plan.input(part))?;
        plan.output(&self.to.output)?;
        Ok(plan)
    }

    /// Writes a masked file, and its statement.
    fn write_masked(&self, file: &Columns) -> Result<()> {
        let to = &self.to.output;
        if files::is_parquet_name(to) {
            return Err(Error::usage("parts are joined as CSV, not as Parquet")
                .in_file(files::name_of(to))
                .remedy("Name a CSV file, or mask in one run: 'mask' writes Parquet"));
        }
        let mut plan = self.plan()?;
        if let Some(path) = &self.statement {
            plan.output(path)?;
        }
        let mut table = plan.open(to, Privacy::Ordinary)?;
        let statement = self.statement.as_deref();
        let mut statement = statement
            .map(|path| plan.open(path, Privacy::Ordinary))
            .transpose()?;
        if let Some(output) = &mut statement {
            output.write_text(&file.statement.to_json())?;
        }
        table.write(|out| pieces::write_joined(&file.frame, &file.columns, out))?;
        keep_all(statement.into_iter().chain([table]))
    }
}

/// A part as text, with the build of this program in it, and what tells its call from others.
pub(super) fn text_of(part: Part) -> String {
    let own = env::current_exe()
        .ok()
        .and_then(|own| files::read(&own).ok());
    Part {
        build: own.map(|bytes| fingerprint(&bytes)),
        words: Some(provenance::fingerprint_of_words()),
        ..part
    }
    .to_json()
}

/// Versions are compared by the job. Development builds have one version, and builds for other processors may round otherwise.
fn warn_of_builds(parts: &[(String, Part)], console: &Console) -> Result<()> {
    let builds = || {
        parts
            .iter()
            .filter_map(|(name, part)| Some((name, part.build.as_ref()?)))
    };
    let Some((first, build)) = builds().next() else {
        return Ok(());
    };
    match builds().find(|(_, other)| *other != build) {
        None => Ok(()),
        Some((name, _)) => console.warn(&format!(
            "{name} was made by another build of version {} of the program than {first}: take one program for all parts, unless \
             you know that both compute the same",
            env!("CARGO_PKG_VERSION")
        )),
    }
}

/// Every file that was read, as parts have it.
pub(super) fn fingerprints(inputs: &[PathBuf]) -> Result<Vec<PartInput>> {
    let of_file = |path: &PathBuf| {
        let name = files::name_of(path);
        if path.as_os_str() == STANDARD {
            return Err(Error::usage(
                "standard input can be read only once, and --shard reads each file again",
            )
            .remedy("Name a file"));
        }
        let sha256 = files::fingerprint_of(path)?;
        Ok(PartInput { name, sha256 })
    };
    inputs.iter().map(of_file).collect()
}
