//! The options that say how two files belong together.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use super::{args::ReadArgs, console::Console, files::Plan, link::inputs, rules::RecodingRules};
use crate::{
    error::Result,
    jobs::{
        self,
        link::request::Alignment,
        pair::{Files, PairRequest},
    },
    report::text,
};

/// So many names of a list are shown.
const NAMES_SHOWN: usize = 12;

/// How records and attributes of the two files belong together.
#[derive(Debug, Args)]
pub struct AlignArgs {
    /// Attributes that are compared: names or positions, for example a,b or 1-7 [default: all quasi-identifiers that both files have]
    #[arg(long, value_name = "LIST")]
    pub attributes: Option<String>,
    /// Column that identifies people in both files, A=B where the masked file has another name for it [default: the order of the records]
    #[arg(long, value_name = "COLUMN", conflicts_with = "shuffle_key")]
    pub id: Option<String>,
    /// The key file that mask wrote when it shuffled the records
    #[arg(long, value_name = "KEYFILE", alias = "key")]
    pub shuffle_key: Option<PathBuf>,
    /// Rules that bring the original into the terms of the masked file first: as of 'mask recode', and new attributes (see 'link')
    #[arg(long, value_name = "RULES.toml", value_hint = ValueHint::AnyPath)]
    pub recode: Option<RecodingRules>,
}

impl AlignArgs {
    /// Notes the files that these arguments name.
    pub fn plan(&self, plan: &mut Plan) -> Result<()> {
        let rules = self.recode.iter().flat_map(RecodingRules::inputs);
        let mut inputs = self.shuffle_key.clone().into_iter().chain(rules);
        inputs.try_for_each(|path| plan.input(&path))
    }

    /// How records and attributes belong together. The rules of a crosswalk are read.
    ///
    /// # Errors
    /// What reading objects to.
    pub fn request(&self) -> Result<PairRequest> {
        Ok(PairRequest {
            attributes: self.attributes.clone(),
            alignment: Alignment::stated(self.id.as_deref(), self.shuffle_key.is_some()),
            weights: None,
            crosswalk: self.recode.as_ref().map(RecodingRules::rules).transpose()?,
        })
    }

    /// Reads both files, and says on the console what is left out.
    pub fn read(
        &self,
        original: &Path,
        masked: &Path,
        read: &ReadArgs,
        console: &Console,
    ) -> Result<Files> {
        self.read_with(&self.request()?, [original, masked], read, console)
    }

    /// The same for a request that says more.
    pub fn read_with(
        &self,
        request: &PairRequest,
        [original, masked]: [&Path; 2],
        read: &ReadArgs,
        console: &Console,
    ) -> Result<Files> {
        let (original, masked) =
            inputs::read_pair(original, masked, self.recode.is_some(), read, console)?;
        jobs::refuse_empty([&original, &masked], "nothing to compare")?;
        let (id, key) = (self.id.as_deref(), self.shuffle_key.as_deref());
        let truth = inputs::truth(id, key, &original, &masked)?;
        request.files(original, masked, truth, console)
    }
}

/// A gate that passes although something was not compared has not said much.
///
/// # Errors
/// Usage, under `--strict`.
pub fn warn_of_open_gate<'a>(
    attributes: impl IntoIterator<Item = &'a str>,
    console: &Console,
) -> Result<()> {
    let mut names: Vec<&str> = attributes.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        Ok(())
    } else {
        console.warn(&format!(
            "--fail-above did not fail, but that says little: {} could not be compared",
            text::names(&names, NAMES_SHOWN)
        ))
    }
}
