//! The options that say how two files belong together.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{files::Files, rules::RecodingRules};
use crate::{
    error::Result,
    jobs::{link::request::Alignment, pair::PairRequest},
};

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
    /// The files that these arguments name.
    pub fn inputs(&self, files: &dyn Files) -> Vec<PathBuf> {
        let rules = self.recode.iter().flat_map(|rules| rules.inputs(files));
        self.shuffle_key.clone().into_iter().chain(rules).collect()
    }

    /// How records and attributes belong together. The rules of a crosswalk are read.
    ///
    /// # Errors
    /// What reading objects to.
    pub fn request(&self, files: &dyn Files) -> Result<PairRequest> {
        let rules = self.recode.as_ref().map(|rules| rules.rules(files));
        Ok(PairRequest {
            attributes: self.attributes.clone(),
            alignment: Alignment::stated(self.id.as_deref(), self.shuffle_key.is_some()),
            weights: None,
            crosswalk: rules.transpose()?,
        })
    }
}
