//! What was done to the file, as its statement publishes it.

use maud::html;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Section,
    document::{Content, Document},
    parts::{base_name, list, names, text},
};

/// A statement.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Stated {
    pub method: String,
    #[serde(default)]
    pub parameters: Map<String, Value>,
    pub records: u64,
    pub attributes: Vec<String>,
    #[serde(default)]
    pub missing: String,
    #[serde(default)]
    pub shuffled: bool,
}

pub(super) fn section(documents: &[Document]) -> Option<Section> {
    let stated: Vec<(&Document, &Stated)> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Statement(stated) => Some((document, stated)),
            _ => None,
        })
        .collect();
    if stated.is_empty() {
        return None;
    }
    Some(Section {
        id: "masking",
        title: "What was done to the file",
        content: html! { @for (document, stated) in stated {
            @let name = base_name(&document.name);
            h3 { (text(name)) }
            (list(&[
                ("Method", format!("{} ({})", in_words(&stated.method), stated.method)),
                ("Parameters", parameters(&stated.parameters)),
                ("Records", stated.records.to_string()),
                ("Attributes that were masked", names(&stated.attributes)),
                ("Missing values", stated.missing.clone()),
                ("Order of the records", if stated.shuffled { "random".into() } else { "as in the original".into() }),
            ]))
            p { "All other attributes are as they were collected. Method and parameters may be published; the seed may not, and this \
                 statement does not hold it." }
        } },
    })
}

/// What a method is called in words.
pub(super) fn in_words(method: &str) -> &str {
    match method {
        "rankswap" => "rank swapping",
        "microagg" => "microaggregation",
        "fuzzy" => "fuzzy microaggregation",
        "pbuckets" => "rank swapping, p-buckets",
        "pdistribution" => "rank swapping, p-distribution",
        "noise" => "additive noise",
        "ipso" => "synthetic values (IPSO)",
        "recode" => "global recoding",
        "suppress" => "local suppression",
        other => other,
    }
}

/// Parameters for reading: `p = 5, window = 54`.
pub(super) fn parameters(parameters: &Map<String, Value>) -> String {
    let each: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("{name} = {}", plain(value)))
        .collect();
    each.join(", ")
}

/// A value for reading.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => format!("{value:.0}"),
            _ => number.to_string(),
        },
        Value::Bool(is) => if *is { "yes" } else { "no" }.into(),
        Value::Array(values) => {
            let each: Vec<String> = values.iter().map(plain).collect();
            match values.iter().any(Value::is_object) {
                true => each.join("; "),
                false => each.join(", "),
            }
        }
        Value::Object(entries) => format!("({})", parameters(entries)),
    }
}
