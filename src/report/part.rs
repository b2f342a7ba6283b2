//! A part of the work of `sdcrisk evaluate`, `search`, `link`, `risk` or `mask`, which one of several machines did: with the others it makes the whole
//! (`sdcrisk merge`).

use serde::{Deserialize, Serialize};

use super::{
    evaluate::Asked,
    link::Attempts,
    measurements::Measurements,
    provenance::Provenance,
    search::{Searched, Wanted},
};
use crate::{
    error::{Error, Result},
    evaluate::{grid::Row, shard::Shard},
    statement::Statement,
    table::pieces::{ColumnText, Frame},
};

/// The schema name and version of a part.
pub const SCHEMA: &str = "sdcrisk.part/3";

/// How the schema names of parts of all builds begin.
const ANY_PART: &str = "sdcrisk.part/";

/// What to do about a file that is no part.
const WHAT_IS_NAMED: &str =
    "Name what 'sdcrisk evaluate', 'search', 'link', 'risk' or 'mask' wrote with --shard I/N";

/// A file that was read, or the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartInput {
    /// Its name, as it was called.
    pub name: String,
    /// SHA-256 of its content (decompressed, if it was compressed), in hexadecimal.
    pub sha256: String,
}

/// A part of the work, with what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Part {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// SHA-256 of the program itself, in hexadecimal: which build of the version it was; null where the program could not read itself.
    #[serde(default)]
    pub build: Option<String>,
    /// SHA-256 of the words of the call, those included whose values no report shows, such as a seed.
    #[serde(default)]
    pub words: Option<String>,
    /// Which part of how many: `2/4` is the second of four.
    #[cfg_attr(test, schemars(with = "String"))]
    pub shard: Shard,
    /// Every file that was read, in order; of a plan, the plan first.
    pub inputs: Vec<PartInput>,
    /// Where the whole comes from: the command is that of one run.
    pub provenance: Provenance,
    /// What was done.
    pub work: Work,
}

/// What a part is of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// Masked files of a plan.
    Evaluate(Box<Cells>),
    /// Maskings of a plan whose values are looked for.
    Search(Box<Searches>),
    /// Attacks, or seekers of them.
    Link(Box<Attempts>),
    /// Pieces of the measures of risk.
    Risk(Box<Measurements>),
    /// Columns of a masked file.
    Mask(Box<Columns>),
}

/// A part of the columns of a masked file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Columns {
    /// What may be published about the whole masking: the same in all parts.
    pub statement: Statement,
    /// The masked file without its records.
    pub frame: Frame,
    /// The columns of this part, in order.
    pub columns: Vec<ColumnText>,
}

/// A part of the masked files of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cells {
    /// What the plan asks for.
    pub asked: Asked,
    /// The masked files of this part, in order.
    pub rows: Vec<PartRow>,
}

/// A part of the maskings of a plan whose values are looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Searches {
    /// What is looked for.
    pub wanted: Wanted,
    /// The maskings of this part, in order.
    pub maskings: Vec<Searched>,
}

/// What was found on one masked file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartRow {
    /// Its number among all masked files of the plan, from 0.
    pub cell: usize,
    /// What was found.
    pub row: Row,
}

/// What every version of a part says of itself.
#[derive(Deserialize)]
struct Head {
    schema: String,
    version: String,
}

impl Part {
    /// A part that this version of the program made.
    pub fn new(shard: Shard, inputs: Vec<PartInput>, provenance: Provenance, work: Work) -> Self {
        Self {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            build: None,
            words: None,
            shard,
            inputs,
            provenance,
            work,
        }
    }

    /// For programs.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string(self)
            .unwrap_or_else(|_| unreachable!("a part holds strings and finite numbers only"));
        json.push('\n');
        json
    }

    /// Reads a part; `name` is for messages.
    ///
    /// # Errors
    /// Input, when it is none, or was made by another version of the program, or does not have just the work that its number says.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let refused = |what: String, remedy: &str| {
            Error::input(what).in_file(name).remedy(remedy.to_string())
        };
        let is_none = |_| refused("is no part of sdcrisk".into(), WHAT_IS_NAMED);
        let head: Head = serde_json::from_str(text).map_err(is_none)?;
        if head.version != env!("CARGO_PKG_VERSION") {
            return Err(refused(
                format!(
                    "was made by version {} of the program, and this is version {}",
                    head.version,
                    env!("CARGO_PKG_VERSION")
                ),
                "Make all parts, and merge them, with one version",
            ));
        }
        if head.schema != SCHEMA && head.schema.starts_with(ANY_PART) {
            return Err(refused(
                format!(
                    "is {}, and this build of the program reads {SCHEMA}",
                    head.schema
                ),
                "Make all parts, and merge them, with one build",
            ));
        }
        if head.schema != SCHEMA {
            return Err(refused(
                format!("is {}, and no part", head.schema),
                WHAT_IS_NAMED,
            ));
        }
        let damaged = || {
            refused(
                "is damaged: it does not hold what a part of its number holds".into(),
                "Make this part again",
            )
        };
        let part: Self = serde_json::from_str(text).map_err(|_| damaged())?;
        let is_whole = match &part.work {
            Work::Evaluate(cells) => cells.are_of(part.shard),
            Work::Search(searches) => searches.are_of(part.shard),
            Work::Link(attempts) => attempts.are_of(part.shard),
            Work::Risk(measurements) => measurements.are_of(part.shard),
            Work::Mask(columns) => columns.are_of(part.shard),
        };
        if is_whole { Ok(part) } else { Err(damaged()) }
    }
}

impl Cells {
    fn are_of(&self, shard: Shard) -> bool {
        let cells = self.rows.iter().map(|row| row.cell);
        let have_settings =
            (self.rows.iter()).all(|row| row.row.setting < self.asked.settings.len());
        have_settings && cells.eq(shard.of_all(self.asked.masked_files))
    }
}

impl Searches {
    fn are_of(&self, shard: Shard) -> bool {
        let numbers = self.maskings.iter().map(|one| one.masking);
        let originals = self.wanted.files.len();
        numbers.eq(shard.of_all(self.wanted.maskings))
            && self.maskings.iter().all(|one| one.is_whole(originals))
    }
}

impl Columns {
    fn are_of(&self, shard: Shard) -> bool {
        let places = self.columns.iter().map(|column| column.place);
        let mut columns = self.columns.iter();
        places.eq(shard.of_all(self.frame.names.len()))
            && columns.all(|column| column.has(self.frame.records))
            && self.statement.nonsense().is_none()
    }
}
