//! `sdcrisk link --method aggregates`: two files that share no attribute.

use clap::Args;

use super::{args::LinkArgs, methods::MethodName};
use crate::{
    attack::aggregates::{self, Aggregates},
    cli::console::Console,
    error::{Error, Result},
    evaluate::link::{self, LeftOut},
    report::link::AggregatesSummary,
    schema::{self, Distance, Relation, ScaleBy},
    stats::quantifier::Quantifier,
    table::{AttrId, Matrix, Numbers, Role, Table},
};

/// The options of the method aggregates.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct AggregatesArgs {
    /// The attributes of the masked file that are aggregated; --attributes names those of the original [default: all numbers]
    #[arg(long, value_name = "LIST", help_heading = "Options of methods")]
    pub(super) attributes_masked: Option<String>,
    /// The aggregates: exists, at-least-half, most, as-many-as-possible, for-all, power:A for x^A [default: at-least-half,most,as-many-as-possible]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = quantifier,
        help_heading = "Options of methods"
    )]
    pub(super) quantifiers: Vec<Quantifier>,
}

fn quantifier(text: &str) -> std::result::Result<Quantifier, String> {
    Quantifier::parse(text).ok_or_else(|| {
        "it must be exists, at-least-half, most, as-many-as-possible, for-all, or power:A with a number A above 0"
            .into()
    })
}

impl AggregatesArgs {
    pub(super) fn attack(&self) -> Aggregates {
        match self.quantifiers.is_empty() {
            true => Aggregates::default(),
            false => Aggregates {
                quantifiers: self.quantifiers.clone(),
            },
        }
    }

    /// The option that was given, if one was.
    fn given(&self) -> Option<&'static str> {
        [
            (self.attributes_masked.is_some(), "--attributes-masked"),
            (!self.quantifiers.is_empty(), "--quantifiers"),
        ]
        .into_iter()
        .find_map(|(given, option)| given.then_some(option))
    }
}

/// The attributes of either file that are aggregated.
pub(super) struct Sides {
    pub(super) original: Vec<AttrId>,
    pub(super) masked: Vec<AttrId>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) summary: AggregatesSummary,
}

impl LinkArgs {
    /// Whether the files are linked by aggregates.
    pub(super) fn aggregates(&self) -> bool {
        self.methods.method.contains(&MethodName::Aggregates)
    }

    /// What cannot go together with aggregates, or within them.
    pub(super) fn refuse_beside_aggregates(&self) -> Result<()> {
        if !self.aggregates() {
            return Ok(());
        }
        if self.methods.method.len() > 1 {
            return Err(Error::usage(
                "aggregates cannot be named with other methods: it relates no attribute of one file to one of the other",
            )
            .remedy("Run it by itself"));
        }
        let args = &self.methods.aggregates;
        let words: Vec<String> = args.quantifiers.iter().map(|q| q.word()).collect();
        if (1..words.len()).any(|place| words[..place].contains(&words[place])) {
            return Err(Error::usage("--quantifiers names one twice")
                .remedy("Name each once; a second one adds nothing"));
        }
        Ok(())
    }

    /// Notes the options that have no use with or without the method aggregates, and takes them away.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    pub(super) fn settle_aggregates(&mut self, console: &Console) -> Result<()> {
        if self.aggregates() {
            if self.known.take().is_some() {
                console.unused(
                    "--known has no effect with the method aggregates: --attributes names those of the original, --attributes-masked those of the masked file",
                )?;
            }
            return Ok(());
        }
        if let Some(option) = self.methods.aggregates.given() {
            console.unused(&format!(
                "{option} has no effect without the method aggregates"
            ))?;
            self.methods.aggregates = AggregatesArgs::default();
        }
        Ok(())
    }

    /// What the method aggregates compares; `None` for other methods.
    pub(super) fn sides(
        &self,
        original: &Table,
        masked: &Table,
        held: &[u32],
    ) -> Result<Option<Sides>> {
        if !self.aggregates() {
            return Ok(None);
        }
        let mut left_out = Vec::new();
        let lists = [&self.attributes, &self.methods.aggregates.attributes_masked];
        let [of_original, of_masked] = [
            (original, lists[0], "original"),
            (masked, lists[1], "masked"),
        ]
        .map(|(table, list, file)| self.rankable(table, list.as_deref(), file, &mut left_out));
        let (of_original, of_masked) = (of_original?, of_masked?);
        let all: Vec<u32> = (0_u32..).take(masked.n_records()).collect();
        let situation = schema::match_attributes(
            [original, masked],
            [Some(&of_original), Some(&of_masked)],
            &schema::Options {
                scale: ScaleBy::Z,
                distance: Distance::Hellinger,
                relation: Relation::OneToOne,
                within: None,
            },
        )
        .map(|matching| matching.situation.into());
        let summary = AggregatesSummary {
            masked_attributes: names(masked, &of_masked),
            turned: turned(original, &of_original, held)?,
            masked_turned: turned(masked, &of_masked, &all)?,
            situation: situation.ok(),
        };
        Ok(Some(Sides {
            original: of_original,
            masked: of_masked,
            left_out,
            summary,
        }))
    }

    /// The attributes of a file by which its people can be ranked.
    fn rankable(
        &self,
        table: &Table,
        list: Option<&str>,
        file: &str,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<Vec<AttrId>> {
        let obstacle = |id: AttrId| {
            let attribute = table.attribute(id);
            if self.identifies(&attribute.name, table) {
                Some("is named by --id".to_string())
            } else if table.numbers(id).is_none() {
                Some(format!("is not a number in the {file} file"))
            } else if link::is_constant(table, id) {
                Some(format!("has no two different values in the {file} file"))
            } else {
                None
            }
        };
        let Some(list) = list else {
            let mut usable = Vec::new();
            for id in table.ids() {
                let attribute = table.attribute(id);
                let why = match attribute.role {
                    Role::QuasiIdentifier => obstacle(id),
                    Role::Identifier => Some(format!("is an identifier of the {file} file")),
                    role => Some(format!("is {} in the {file} file", role.word())),
                };
                match why {
                    None => usable.push(id),
                    Some(why) => left_out.push(LeftOut {
                        attribute: attribute.name.clone(),
                        why,
                    }),
                }
            }
            if usable.is_empty() {
                return Err(Error::input(
                    "has no attribute of numbers by which people could be ranked",
                )
                .in_file(table.name())
                .remedy("'sdcrisk describe' shows how it is read"));
            }
            return Ok(usable);
        };
        let ids = table.select(list)?;
        match ids.iter().find_map(|&id| Some((id, obstacle(id)?))) {
            Some((id, why)) => Err(Error::input(format!("cannot rank people: it {why}"))
                .on_attribute(&table.attribute(id).name)
                .remedy("Leave it out of the list")),
            None => Ok(ids),
        }
    }
}

fn names(table: &Table, ids: &[AttrId]) -> Vec<String> {
    ids.iter()
        .map(|&id| table.attribute(id).name.clone())
        .collect()
}

/// The attributes that the attack turns round.
fn turned(table: &Table, ids: &[AttrId], records: &[u32]) -> Result<Vec<String>> {
    let columns: Vec<Numbers<'_>> = ids.iter().filter_map(|&id| table.numbers(id)).collect();
    let turned = aggregates::turned(&Matrix::gather(&columns, records))
        .map_err(|error| error.in_file(table.name()))?;
    let turned = ids.iter().zip(turned).filter(|(_, turned)| *turned);
    Ok(turned
        .map(|(&id, _)| table.attribute(id).name.clone())
        .collect())
}
