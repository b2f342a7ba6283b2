//! Further releases of the same people: `--also`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::methods::{AttackName, MethodName};
use crate::{
    error::{Error, Result},
    jobs::Observer,
};

/// What was released beside the masked file.
#[derive(Debug, Clone, Default, Args)]
pub struct ReleasesArgs {
    /// A further release of the same people, masked independently (several: once each); methods likelihood and involution
    #[arg(long, value_name = "SECOND.csv", help_heading = "Further releases")]
    pub also: Vec<PathBuf>,
    /// Its statement, one for each --also in their order [default: the same statement for all]
    #[arg(long, value_name = "FILE", help_heading = "Further releases")]
    pub also_statement: Vec<PathBuf>,
    /// Column of all releases by which their records are the same person's
    #[arg(long, value_name = "COLUMN", help_heading = "Further releases")]
    pub(super) release_id: Option<String>,
}

impl ReleasesArgs {
    /// # Errors
    /// Usage, when options contradict each other.
    pub(super) fn refuse_contradictions(&self, methods: &[MethodName]) -> Result<()> {
        if self.also.is_empty() {
            return Ok(());
        }
        let can = |method: &MethodName| {
            matches!(
                method,
                MethodName::Attack(AttackName::Likelihood | AttackName::Involution)
            )
        };
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
    pub(super) fn settle(&mut self, observer: &dyn Observer) -> Result<()> {
        if !self.also.is_empty() {
            return Ok(());
        }
        if !self.also_statement.is_empty() {
            observer.unused("--also-statement has no effect without --also")?;
            self.also_statement.clear();
        }
        if self.release_id.is_some() {
            observer.unused("--release-id has no effect without --also")?;
            self.release_id = None;
        }
        Ok(())
    }

    /// The files that are read.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Path> {
        let files = self.also.iter().chain(&self.also_statement);
        files.map(PathBuf::as_path)
    }
}
