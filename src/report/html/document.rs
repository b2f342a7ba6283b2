//! A result as a report reads it: what it needs and nothing else, so that keys may be added to results.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    Audience,
    claims::{self, Claims},
    files::Described,
    link::Link,
    loss::Loss,
    provenance::Origin,
};
use crate::{
    attack::learned::weights::Weights,
    error::{Error, Result},
    report::{
        evaluate::EvaluateReport, match_attributes::MatchReport, risk::RiskJson, score::ScoreReport,
    },
    statement::{self, Statement, Step},
};

/// A result that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The name of its file.
    pub name: String,
    pub(super) content: Content,
    pub(super) origin: Origin,
}

/// What a result is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Of `link`.
    Link,
    /// Of `loss`.
    Loss,
    /// Of `risk`.
    Risk,
    /// Of `score`.
    Score,
    /// Of `evaluate`.
    Evaluation,
    /// Of `link --weights`.
    Weights,
    /// Of `mask --statement`.
    Statement,
    /// Of `describe`.
    Description,
    /// Of `match-attributes`.
    Matching,
    /// Of `link --links`.
    Claims,
}

/// Reads the content of a result of a schema.
type Reader = fn(&str, &Value) -> Result<Content>;

/// Schemas without their version, the latest version (earlier ones are read, too), how.
const SCHEMAS: [(&str, u32, Reader); 9] = [
    ("sdcrisk.link", 1, |_, value| {
        Ok(Content::Link(Link::new(read(value)?, read(value)?)))
    }),
    ("sdcrisk.loss", 1, |_, value| {
        Ok(Content::Loss(Box::new(Loss::new(read(value)?))))
    }),
    ("sdcrisk.risk", 1, |_, value| {
        Ok(Content::Risk(read(value)?))
    }),
    ("sdcrisk.score", 1, |_, value| {
        Ok(Content::Score(read(value)?))
    }),
    ("sdcrisk.evaluate", 1, |_, value| {
        Ok(Content::Evaluation(read(value)?))
    }),
    ("sdcrisk.statement", 2, |_, value| {
        let is_single_step = value["schema"] == statement::SINGLE_STEP;
        let statement = if is_single_step {
            Statement::from(read::<Step>(value)?)
        } else {
            read(value)?
        };
        match statement.nonsense() {
            Some(nonsense) => Err(Error::input(nonsense).remedy(JSON_HINT)),
            None => Ok(Content::Statement(Box::new(statement))),
        }
    }),
    ("sdcrisk.describe", 1, |_, value| {
        Ok(Content::Description(read(value)?))
    }),
    ("sdcrisk.match-attributes", 1, |_, value| {
        Ok(Content::Matching(read(value)?))
    }),
    ("sdcrisk.weights", 1, |name, value| {
        let weights = Weights::from_json(name, &value.to_string());
        Ok(Content::Weights(Box::new(weights?)))
    }),
];

/// What a result holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Link(Link),
    Loss(Box<Loss>),
    Risk(Box<RiskJson>),
    Score(Box<ScoreReport>),
    Evaluation(EvaluateReport),
    Weights(Box<Weights>),
    Statement(Box<Statement>),
    Description(Described),
    Matching(MatchReport),
    Claims(Claims),
}

const JSON_HINT: &str =
    "Give results that sdcrisk wrote with --format json, statements, weights, or links";

impl Document {
    /// Reads a result from JSON text.
    ///
    /// # Errors
    /// Input, when it is not JSON, of no schema that reports know, or not what its schema says; with the place.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let in_file = |error: Error| error.in_file(name);
        if claims::are_in(text) {
            return Ok(Self {
                name: name.into(),
                content: Content::Claims(claims::read(text).map_err(in_file)?),
                origin: Origin::default(),
            });
        }
        let value: Value = serde_json::from_str(text).map_err(|error| {
            let line = u64::try_from(error.line()).unwrap_or(u64::MAX);
            in_file(
                Error::input("is not JSON")
                    .at_line(line.max(1))
                    .remedy(JSON_HINT),
            )
        })?;
        let content = reader(&value)
            .and_then(|read| read(name, &value))
            .map_err(in_file)?;
        Ok(Self {
            name: name.into(),
            content,
            origin: read(&value).map_err(in_file)?,
        })
    }

    /// What it is of.
    pub fn kind(&self) -> Kind {
        match self.content {
            Content::Link(_) => Kind::Link,
            Content::Loss(_) => Kind::Loss,
            Content::Risk(_) => Kind::Risk,
            Content::Score(_) => Kind::Score,
            Content::Evaluation(_) => Kind::Evaluation,
            Content::Weights(_) => Kind::Weights,
            Content::Statement(_) => Kind::Statement,
            Content::Description(_) => Kind::Description,
            Content::Matching(_) => Kind::Matching,
            Content::Claims(_) => Kind::Claims,
        }
    }

    /// That something of it may be shown to an audience.
    ///
    /// # Errors
    /// Usage, when nothing may.
    pub fn check_for(&self, audience: Audience) -> Result<()> {
        let what = match (audience, self.kind()) {
            (Audience::External, Kind::Weights) => {
                "holds learned weights, which were computed from the true pairs"
            }
            (Audience::External, Kind::Claims) => "holds links, which say who is who",
            _ => return Ok(()),
        };
        Err(
            Error::usage(format!("{what}: they have no place in a report for others"))
                .in_file(&self.name)
                .remedy("Leave the file out, or leave --external out"),
        )
    }
}

/// How a result is read, by its schema.
fn reader(value: &Value) -> Result<Reader> {
    let Some(schema) = value.get("schema").and_then(Value::as_str) else {
        return Err(
            Error::input("has no \"schema\": it is no result of sdcrisk").remedy(JSON_HINT),
        );
    };
    let (name, version) = schema.rsplit_once('/').unwrap_or((schema, ""));
    if name == "sdcrisk.certificate" {
        return Err(Error::input(
            "is a certificate: it identifies people, and no report shows it",
        )
        .remedy("Keep it private; 'sdcrisk verify' checks it, and results of 'link' say what is proven"));
    }
    let Some(&(_, read, reader)) = SCHEMAS.iter().find(|(known, ..)| *known == name) else {
        let known: Vec<&str> = SCHEMAS
            .iter()
            .filter_map(|(known, ..)| known.strip_prefix("sdcrisk."))
            .collect();
        return Err(Error::input("is of a schema that reports do not know")
            .remedy(format!("There are reports of: {}", known.join(", "))));
    };
    match version.parse() {
        Ok(version) if (1..=read).contains(&version) => Ok(reader),
        Ok(version) if version > read => Err(Error::input(format!(
            "is of version {version} of its schema; this program reads version {read}"
        ))
        .remedy("Use the version of sdcrisk that wrote it, or a later one")),
        Ok(0..) | Err(_) => Err(Error::input(format!(
            "states no version of its schema that this program reads, which is {read}"
        ))
        .remedy("Run the command again with this version")),
    }
}

/// Reads a value, and says where it is not as its schema says. The content is not repeated: it can be anything.
fn read<T: DeserializeOwned>(value: &Value) -> Result<T> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let message = error.inner().to_string();
        let place = error.path().to_string();
        let what = match message.strip_prefix("missing field ") {
            Some(field) => format!("lacks {} {}", field.replace('`', "\""), within(&place)),
            None => format!("is not as its schema says {}", within(&place)),
        };
        Error::input(what).remedy("Give the file as sdcrisk wrote it, or run the command again")
    })
}

fn within(place: &str) -> String {
    match place {
        "." => "at its top".into(),
        place => format!("at {place}"),
    }
}

/// What is absent or null is nothing.
pub(super) fn or_none<'de, D, T>(deserializer: D) -> std::result::Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
