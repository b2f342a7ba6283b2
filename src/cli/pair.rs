//! The two files of a call and who is who in them: what loss, risk and score are measured on.

use std::path::PathBuf;

use clap::Args;

use super::{args::ReadArgs, console::Console, files::Plan, link::inputs};
use crate::{
    error::{Error, Result},
    evaluate::{
        comparable::{self, Doubt},
        link::{LeftOut, Shared},
        truth::Truth,
    },
    jobs,
    report::{link::LeftOutAttribute, text},
    statement::Statement,
    table::{AttrId, Table, pair::Pair},
};

/// So many names of a list are shown.
const NAMES_SHOWN: usize = 12;

/// How records and attributes of the two files belong together.
#[derive(Debug, Args)]
pub struct AlignArgs {
    /// Attributes that are compared: names or positions, for example a,b or 1-7 [default: all quasi-identifiers that both files have]
    #[arg(long, value_name = "LIST")]
    pub attributes: Option<String>,
    /// Column that says who is who in both files, A=B where the masked file has another name for it [default: the order of the records]
    #[arg(long, value_name = "COLUMN", conflicts_with = "shuffle_key")]
    pub id: Option<String>,
    /// The key file that mask wrote when it shuffled the records
    #[arg(long, value_name = "KEYFILE", alias = "key")]
    pub shuffle_key: Option<PathBuf>,
}

/// The two files of a call, side by side.
#[derive(Debug)]
pub struct Files {
    /// The original.
    pub original: Table,
    /// The masked one.
    pub masked: Table,
    /// Who is who.
    pub truth: Truth,
    /// The attributes that are compared, in the order of the original.
    pub attributes: Vec<Shared>,
    /// Those that are not, and why.
    pub left_out: Vec<LeftOut>,
}

impl AlignArgs {
    /// Notes the files that these arguments name.
    pub fn plan(&self, plan: &mut Plan) -> Result<()> {
        self.shuffle_key
            .as_deref()
            .map_or(Ok(()), |key| plan.input(key))
    }

    /// Whether it is said who is who, so that the order of the records need not.
    pub fn is_named(&self) -> bool {
        self.id.is_some() || self.shuffle_key.is_some()
    }

    /// How records were aligned, in words.
    pub fn aligned_by(&self) -> String {
        match (&self.id, &self.shuffle_key) {
            (Some(id), _) => format!("the identifier {id}"),
            (None, Some(_)) => "the key".into(),
            (None, None) => "the order of the records".into(),
        }
    }

    /// Reads both files, and says on the console what is left out.
    pub fn read(
        &self,
        original: &std::path::Path,
        masked: &std::path::Path,
        read: &ReadArgs,
        console: &Console,
    ) -> Result<Files> {
        let (original, masked) = inputs::read_pair(original, masked, read, console)?;
        for table in [&original, &masked] {
            if table.n_records() == 0 {
                return Err(Error::input(
                    "has no records, only names: there is nothing to compare",
                )
                .in_file(table.name())
                .remedy("Check that this is the file you meant"));
            }
        }
        let truth = inputs::truth(
            self.id.as_deref(),
            self.shuffle_key.as_deref(),
            &original,
            &masked,
        )?;
        if truth.pairs() == 0 {
            return Err(Error::input("no record of one file is in the other")
                .in_file(masked.name())
                .remedy("Check --id or --shuffle-key: they say who is who"));
        }
        let (attributes, left_out) = self.compared(&original, &masked)?;
        for left in &left_out {
            console.note(&format!(
                "note: {} is not compared: it {}",
                left.attribute, left.why
            ));
        }
        let without = original.n_records() - truth.pairs();
        if without > 0 {
            console.note(&format!(
                "note: {without} of {} original records have no masked record; they are not compared",
                original.n_records()
            ));
        }
        Ok(Files {
            original,
            masked,
            truth,
            attributes,
            left_out,
        })
    }

    /// The attributes that are compared.
    pub fn compared(
        &self,
        original: &Table,
        masked: &Table,
    ) -> Result<(Vec<Shared>, Vec<LeftOut>)> {
        comparable::compared(
            [original, masked],
            self.attributes.as_deref(),
            self.id.as_deref(),
        )
    }
}

impl Files {
    /// The attributes that cannot be compared in earnest, each of which is said on the console.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    pub fn doubts(&self, statement: Option<&Statement>, console: &Console) -> Result<Vec<Doubt>> {
        let ids: Vec<AttrId> = (self.attributes.iter())
            .map(|shared| shared.original)
            .collect();
        let doubts = comparable::doubts(&self.original, &self.masked, &ids, statement);
        jobs::warn_of(&doubts, console)?;
        Ok(doubts)
    }

    /// The records that both files have, side by side.
    pub fn pair(&self) -> Pair {
        let ids: Vec<_> = self
            .attributes
            .iter()
            .map(|shared| [shared.original, shared.masked])
            .collect();
        Pair::new([&self.original, &self.masked], &ids, &self.truth.records())
    }

    /// The attributes that both files have and that are not compared although they differ.
    pub fn differ_unseen(&self) -> Vec<String> {
        let is_compared = |id: &AttrId| self.attributes.iter().any(|shared| shared.original == *id);
        let unseen: Vec<[AttrId; 2]> = (self.original.ids())
            .filter(|id| !is_compared(id))
            .filter_map(|id| {
                Some([
                    id,
                    self.masked.find(&self.original.attribute(id).name).ok()?,
                ])
            })
            .collect();
        let tables = [&self.original, &self.masked];
        let pair = Pair::new(tables, &unseen, &self.truth.records());
        pair.differing().into_iter().map(String::from).collect()
    }

    /// The attributes that are not compared, for a report.
    pub fn left_out(&self) -> Vec<LeftOutAttribute> {
        self.left_out
            .iter()
            .map(|left| LeftOutAttribute {
                attribute: left.attribute.clone(),
                why: left.why.clone(),
            })
            .collect()
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
