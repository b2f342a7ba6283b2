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
    /// Totals that were worked out anew, and zeros that changed places.
    #[serde(default)]
    pub kept: Map<String, Value>,
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
        content: html! { @for (document, stated) in &stated {
            @let name = base_name(&document.name);
            h3 { (text(name)) }
            (list(&rows(stated)))
        }
        p { (text(&of_all(&stated))) }
        p { "Methods and parameters may be published; the seeds may not, and statements do not hold them." }
        },
    })
}

/// What a statement says, a line each.
fn rows(stated: &Stated) -> Vec<(&'static str, String)> {
    let method = format!("{} ({})", in_words(&stated.method), stated.method);
    let mut rows = vec![
        ("Method", method),
        ("Parameters", parameters(&stated.parameters)),
        ("Records", stated.records.to_string()),
        ("Attributes that were masked", names(&stated.attributes)),
    ];
    if !stated.kept.is_empty() {
        rows.push(("Sums and zeros that were kept", parameters(&stated.kept)));
    }
    rows.push(("Missing values", stated.missing.clone()));
    rows
}

/// What is true of all statements together. A statement speaks of one step: that it does not name an attribute says nothing of
/// other steps, and one random order is the order of the file.
fn of_all(stated: &[(&Document, &Stated)]) -> String {
    let (steps, none_names) = match stated.len() {
        1 => ("The step described here", "it does not name"),
        _ => ("The steps described here", "none of them names"),
    };
    let order = if stated.iter().any(|(_, stated)| stated.shuffled) {
        "put the records in random order"
    } else {
        "kept the order of the records"
    };
    format!(
        "{steps} {order}, and left alone every attribute of the file that {none_names}. Whether anything else was done to the file is not stated."
    )
}

/// What a method is called in words; of one that only a later version knows, its name.
pub(super) fn in_words(method: &str) -> &str {
    match method {
        "rankswap" => "rank swapping",
        "microagg" => "microaggregation",
        "fuzzy" => "fuzzy microaggregation",
        "pbuckets" => "rank swapping, p-buckets",
        "pdistribution" => "rank swapping, p-distribution",
        "noise" => "additive noise",
        "ipso" => "synthetic values (IPSO)",
        "copula" => "masking by minimal information",
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
            if values.iter().any(Value::is_object) {
                each.join("; ")
            } else {
                each.join(", ")
            }
        }
        Value::Object(entries) => format!("({})", parameters(entries)),
    }
}
