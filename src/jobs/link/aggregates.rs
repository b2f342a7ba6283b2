//! The method aggregates: two files that share no attribute.

use super::request::{AggregatesRequest, LinkRequest};
use crate::{
    attack::aggregates,
    error::{Error, Reason, Result},
    evaluate::{
        link::{self, LeftOut},
        truth::{self, OriginalRecord},
    },
    report::link::AggregatesSummary,
    schema::{self, Distance, Relation, ScaleBy},
    table::{AttrId, Matrix, Role, Table, Values},
};

/// The attributes of either file that are aggregated.
pub(super) struct Sides {
    pub(super) original: Vec<AttrId>,
    pub(super) masked: Vec<AttrId>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) summary: AggregatesSummary,
}

impl Sides {
    /// What the method aggregates compares; `None` for other methods.
    pub(super) fn of(
        request: &LinkRequest,
        original: &Table,
        masked: &Table,
        held: &[OriginalRecord],
    ) -> Result<Option<Self>> {
        let Some(AggregatesRequest {
            attributes,
            masked_attributes,
            ..
        }) = request.aggregates()
        else {
            return Ok(None);
        };
        let identifier = request.alignment.identifier();
        let aside = identifier.map(|id| truth::id_columns(id, original));
        let mut left_out = Vec::new();
        let mut rankable = |table, list: &Option<String>, file| {
            rankable(table, list.as_deref(), file, (aside, &mut left_out))
        };
        let of_original = rankable(original, attributes, "original");
        let of_masked = rankable(masked, masked_attributes, "masked");
        let (of_original, of_masked) = (of_original?, of_masked?);
        let held: Vec<u32> = held.iter().map(|record| record.0).collect();
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
            turned: turned(original, &of_original, &held)?,
            masked_turned: turned(masked, &of_masked, &all)?,
            situation: situation.ok(),
        };
        Ok(Some(Self {
            original: of_original,
            masked: of_masked,
            left_out,
            summary,
        }))
    }
}

/// The attributes of a file by which its people can be ranked.
fn rankable(
    table: &Table,
    list: Option<&str>,
    file: &str,
    (aside, left_out): (Option<[&str; 2]>, &mut Vec<LeftOut>),
) -> Result<Vec<AttrId>> {
    let obstacle = |id: AttrId| {
        let attribute = table.attribute(id);
        if aside.is_some_and(|names| names.contains(&attribute.name.as_str())) {
            Some(Error::input("is named by --id"))
        } else if !table.has_numbers(id) {
            Some(
                Error::input(format!("is not a number in the {file} file"))
                    .wrong_scale(&attribute.name),
            )
        } else if link::is_constant(table, id) {
            Some(
                Error::input(format!("has no two different values in the {file} file"))
                    .constant(&attribute.name),
            )
        } else {
            None
        }
    };
    let Some(list) = list else {
        let mut usable = Vec::new();
        for id in table.ids() {
            let attribute = table.attribute(id);
            let why = match attribute.role {
                Role::QuasiIdentifier => obstacle(id).map(|why| why.what().to_owned()),
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
            .because(Reason::NothingToCompare)
            .in_file(table.name())
            .remedy("'sdcrisk describe' shows how it is read"));
        }
        return Ok(usable);
    };
    let ids = table.select(list)?;
    match ids.iter().find_map(|&id| Some((id, obstacle(id)?))) {
        Some((id, why)) => Err(
            Error::input(format!("cannot rank people: it {}", why.what()))
                .for_the_reason_of(&why)
                .on_attribute(&table.attribute(id).name)
                .remedy("Leave it out of the list"),
        ),
        None => Ok(ids),
    }
}

fn names(table: &Table, ids: &[AttrId]) -> Vec<String> {
    ids.iter()
        .map(|&id| table.attribute(id).name.clone())
        .collect()
}

/// The attributes that the attack turns round.
fn turned(table: &Table, ids: &[AttrId], records: &[u32]) -> Result<Vec<String>> {
    let columns: Vec<Values<'_>> = ids.iter().filter_map(|&id| table.values(id)).collect();
    let turned = aggregates::turned(&Matrix::gather(&columns, records))
        .map_err(|error| error.in_file(table.name()))?;
    let turned = ids.iter().zip(turned).filter(|(_, turned)| *turned);
    Ok(turned
        .map(|(&id, _)| table.attribute(id).name.clone())
        .collect())
}
