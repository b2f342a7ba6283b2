//! A part of the work of `sdcrisk evaluate`, which one of several machines did: with the others it makes the whole (`sdcrisk merge`).

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{evaluate::Asked, provenance::Provenance};
use crate::{
    error::{Error, Result},
    evaluate::grid::Row,
};

/// The schema name and version of a part.
pub const SCHEMA: &str = "sdcrisk.part/1";

/// Work is cut into so many parts at most: more are a slip of the pen.
pub const MAX_PARTS: usize = 10_000;

/// Which part of how many: the pieces of work number `c`, from 0, of which `c mod of = number − 1`. Neighbours, which are often
/// equally expensive, are in different parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    number: usize,
    of: usize,
}

impl Shard {
    /// Which one it is, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// How many there are.
    pub fn of(self) -> usize {
        self.of
    }

    /// The pieces of work in it, of so many.
    pub fn of_all(self, pieces: usize) -> impl Iterator<Item = usize> {
        (self.number - 1..pieces).step_by(self.of)
    }
}

impl Default for Shard {
    /// All of the work.
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(number, of)| {
            let shard = Self {
                number: number.parse().ok()?,
                of: of.parse().ok()?,
            };
            let exists = (1..=shard.of).contains(&shard.number) && shard.of <= MAX_PARTS;
            exists.then_some(shard)
        });
        parsed.ok_or_else(|| {
            format!(
                "it must be a part and the number of parts, such as 2/4 for the second of four; there are {MAX_PARTS} at most"
            )
        })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.of)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

/// A file that was read, or the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartInput {
    /// Its name, as it was called.
    pub name: String,
    /// SHA-256 of its content (decompressed, if it was compressed), in hexadecimal.
    pub sha256: String,
}

/// A part of the masked files of a plan, with what was found on them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Part {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// Which part of how many: `2/4` is the second of four.
    #[cfg_attr(test, schemars(with = "String"))]
    pub shard: Shard,
    /// The plan, and every file that it names, in the order in which they were read.
    pub inputs: Vec<PartInput>,
    /// Where the whole comes from: the command is that of one run.
    pub provenance: Provenance,
    /// What the plan asks for.
    pub evaluate: Asked,
    /// The masked files of this part, in order.
    pub rows: Vec<PartRow>,
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
    /// Input, when it is none, or was made by another version of the program, or does not have just the masked files that its number says.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let refused = |what: String, remedy: &str| {
            Error::input(what).in_file(name).remedy(remedy.to_string())
        };
        let is_none = |_| {
            refused(
                "is no part of sdcrisk".into(),
                "Name what 'sdcrisk evaluate --shard I/N' wrote",
            )
        };
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
        if head.schema != SCHEMA {
            return Err(refused(
                format!("is {}, and no part", head.schema),
                "Name what 'sdcrisk evaluate --shard I/N' wrote",
            ));
        }
        let damaged = || {
            refused(
                "is damaged: it does not hold what a part of its number holds".into(),
                "Make this part again",
            )
        };
        let part: Self = serde_json::from_str(text).map_err(|_| damaged())?;
        let cells = part.rows.iter().map(|row| row.cell);
        let are_its_own = cells.eq(part.shard.of_all(part.evaluate.masked_files));
        let have_settings =
            (part.rows.iter()).all(|row| row.row.setting < part.evaluate.settings.len());
        if are_its_own && have_settings {
            Ok(part)
        } else {
            Err(damaged())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every piece is in one part, whatever their numbers are: also where there are more parts than pieces.
    #[test]
    fn parts_share_all_pieces_and_have_none_in_common() {
        for (pieces, of) in [(0, 3), (1, 1), (7, 2), (8, 3), (3, 7), (20, 7)] {
            let parts = (1..=of).map(|number| Shard { number, of });
            let mut all: Vec<usize> = parts.flat_map(|part| part.of_all(pieces)).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..pieces), "{pieces} in {of}");
        }
        // By hand: of pieces 0 to 7 the second of three parts has 1, 4 and 7.
        let second: Shard = "2/3".parse().unwrap();
        assert_eq!(second.of_all(8).collect::<Vec<_>>(), [1, 4, 7]);
    }

    #[test]
    fn a_shard_is_a_number_of_parts_that_exists() {
        for text in ["1/1", "3/7", "10000/10000"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
        for text in [
            "", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "1/10001", "a/b", "1 /2",
        ] {
            assert!(text.parse::<Shard>().is_err(), "{text:?}");
        }
    }
}
