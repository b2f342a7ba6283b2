//! Further releases of the same people: `--also`.

use std::path::PathBuf;

use clap::Args;

use super::{
    args::LinkArgs,
    inputs,
    methods::{Method, MethodName},
    published::Published,
};
use crate::{
    cli::{
        args::{self, read_table},
        console::Console,
        files,
    },
    error::{Error, Result},
    evaluate::{
        link::{self, Shared},
        truth,
    },
    statement::Statement,
    table::{ReadOptions, Table},
};

/// What was released beside the masked file.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ReleasesArgs {
    /// A further release of the same people, masked independently (several: once each); methods likelihood and involution
    #[arg(long, value_name = "SECOND.csv", help_heading = "Further releases")]
    pub(super) also: Vec<PathBuf>,
    /// Its statement, one for each --also in their order [default: the same statement for all]
    #[arg(long, value_name = "FILE", help_heading = "Further releases")]
    pub(super) also_statement: Vec<PathBuf>,
    /// Column of all releases by which their records are the same person's
    #[arg(long, value_name = "COLUMN", help_heading = "Further releases")]
    pub(super) release_id: Option<String>,
}

/// A further release, read.
#[derive(Debug)]
pub(super) struct Release {
    pub(super) table: Table,
    /// What is assumed of it.
    pub(super) methods: Vec<Method>,
    /// For each record of the masked file, the record of the same person.
    pub(super) counterpart: Vec<Option<u32>>,
}

impl ReleasesArgs {
    /// # Errors
    /// Usage, when options contradict each other.
    pub(super) fn refuse_contradictions(&self, methods: &[MethodName]) -> Result<()> {
        if self.also.is_empty() {
            return Ok(());
        }
        let can =
            |method: &MethodName| matches!(method, MethodName::Likelihood | MethodName::Involution);
        if !methods.iter().all(can) {
            return Err(Error::usage(
                "--also adds up likelihoods of several releases, which only the methods likelihood and involution have",
            )
            .remedy("Use --method likelihood or --method involution"));
        }
        if self.release_id.is_none() {
            return Err(Error::usage(
                "--also needs to know which records of the releases are the same person's",
            )
            .remedy("Name the column that all releases have with --release-id"));
        }
        let (releases, statements) = (self.also.len(), self.also_statement.len());
        if statements != 0 && statements != releases {
            return Err(Error::usage(format!(
                "there are {releases} further releases (--also), and {statements} statements of them (--also-statement)"
            ))
            .remedy("Give one --also-statement for each --also, or none if --statement is true of all"));
        }
        Ok(())
    }

    /// Notes what has no use without `--also`, and takes it away.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    pub(super) fn settle(&mut self, console: &Console) -> Result<()> {
        if !self.also.is_empty() {
            return Ok(());
        }
        if !self.also_statement.is_empty() {
            console.unused("--also-statement has no effect without --also")?;
            self.also_statement.clear();
        }
        if self.release_id.is_some() {
            console.unused("--release-id has no effect without --also")?;
            self.release_id = None;
        }
        Ok(())
    }

    /// Whether releases are aligned by this attribute.
    pub(super) fn aligns(&self, name: &str) -> bool {
        self.release_id.as_deref() == Some(name)
    }

    /// The files that are read.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.also.iter().chain(&self.also_statement)
    }
}

impl LinkArgs {
    /// Reads the further releases, and aligns them with the masked file.
    ///
    /// # Errors
    /// Input, when a release has no such column, names a record twice, or shares none with the masked file; Usage or Input of
    /// what was published about it.
    pub(super) fn further_releases(
        &self,
        masked: &Table,
        published: &Published<'_>,
        console: &Console,
    ) -> Result<Vec<Release>> {
        let Some(id) = &self.releases.release_id else {
            return Ok(Vec::new());
        };
        let options = self.read.options()?;
        let options = ReadOptions {
            roles: options.roles.for_another_file(),
            ..options
        };
        let ids = truth::identifiers(masked, masked.find(id)?)?;
        let mut releases = Vec::new();
        for (number, path) in self.releases.also.iter().enumerate() {
            let table = read_table(path, &options, console)?;
            let column = table.find(id)?;
            let mut records = truth::identifiers(&table, column)?;
            let mut counterpart = vec![None; masked.n_records()];
            for (key, &record) in &ids {
                counterpart[record as usize] = records.remove(key);
            }
            let both = counterpart.iter().flatten().count();
            if both == 0 {
                return Err(Error::input("no identifier of it occurs in the masked file")
                    .in_file(table.name())
                    .on_attribute(id)
                    .remedy("Check that --release-id names the column by which the releases can be aligned"));
            }
            let [without, beside] = [masked.n_records() - both, table.n_records() - both];
            if without + beside > 0 {
                console.note(&format!(
                    "note: {}: {both} records are in the masked file too; of {without} masked records it says nothing, and {beside} of its own are not looked for",
                    table.name()
                ));
            }
            let own = match self.releases.also_statement.get(number) {
                None => None,
                Some(path) => {
                    let name = files::name_of(path);
                    let statement = Statement::from_json(&name, &args::read_text(path)?)?;
                    inputs::check_statement_of(&statement, &name, true, &table)?;
                    Some(statement)
                }
            };
            let statement = own.as_ref().or(published.statement);
            let (methods, _) = self.methods.methods(&Published {
                args: published.args,
                statement,
                records: published.records.max(table.n_records()),
                attributes: published.attributes,
                masked: &table,
                standardize: published.standardize,
                console,
            })?;
            releases.push(Release {
                table,
                methods,
                counterpart,
            });
        }
        Ok(releases)
    }
}

/// The known attributes that a further release has, too.
///
/// # Errors
/// Input, when it has none of them.
pub(super) fn known_in(
    release: &Table,
    original: &Table,
    known: &[Shared],
    console: &Console,
) -> Result<Vec<Shared>> {
    let mut shared = Vec::new();
    for attribute in known {
        match link::comparable(original, release, attribute.original) {
            Ok(pair) => shared.push(pair),
            Err(why) => console.note(&format!(
                "note: {}: {} is not compared: it {}",
                release.name(),
                original.attribute(attribute.original).name,
                why.replace("the masked file", "this release")
            )),
        }
    }
    match shared.is_empty() {
        false => Ok(shared),
        true => Err(Error::input(
            "has no attribute that the intruder knows and that can be compared",
        )
        .in_file(release.name())
        .remedy("Leave it out of --also, or name attributes that it has with --known")),
    }
}
