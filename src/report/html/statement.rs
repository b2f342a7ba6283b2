//! What was done to the file, as its statement publishes it.

use maud::html;
use serde_json::{Map, Value};

use super::{
    Section,
    document::{Content, Document},
    parts::{base_name, list, names, text},
};
use crate::{
    report::masking::pram,
    statement::{Method, PramParameters, Statement, Step},
};

pub(super) fn section(documents: &[Document]) -> Option<Section> {
    let stated: Vec<(&Document, &Statement)> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Statement(stated) => Some((document, &**stated)),
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
            @for (number, step) in (1..).zip(&stated.steps) {
                @if stated.steps.len() > 1 { h4 { "Step " (number) } }
                (list(&rows(step)))
            }
        }
        p { (text(&of_all(&stated))) }
        p { "Methods and parameters may be published; the seeds may not, and statements do not hold them." }
        },
    })
}

/// What a statement says of a step, a line each.
fn rows(step: &Step) -> Vec<(&'static str, String)> {
    let method = &step.method;
    let json = serde_json::to_value(step).unwrap_or_default();
    let entries = |key: &str| json[key].as_object().map_or_else(String::new, parameters);
    let mut rows = vec![
        (
            "Method",
            format!("{} ({})", method.in_words(), method.name()),
        ),
        (
            "Parameters",
            match method {
                Method::Pram(stated) => in_words(stated, &step.attributes),
                _ => entries("parameters"),
            },
        ),
        (
            "Records",
            match step.records_before {
                Some(before) => format!("{} of {before}", step.records),
                None => step.records.to_string(),
            },
        ),
    ];
    if !step.attributes.is_empty() || step.moves_values() {
        rows.push(("Attributes that were masked", names(&step.attributes)));
    }
    if !step.strata.is_empty() {
        let own = if step.within.is_empty() {
            ""
        } else {
            "; the parameters above are those of the stratum with most records, others have their own"
        };
        rows.push(("Masked within strata of", names(&step.strata) + own));
    }
    if !step.dropped.is_empty() {
        rows.push(("Attributes that were left out", names(&step.dropped)));
    }
    if !step.kept.is_empty() {
        rows.push(("Sums and zeros that were kept", entries("kept")));
    }
    rows.push(("Missing values", step.missing.clone()));
    rows
}

/// What post-randomisation comes to: its matrices are too long to be read here.
fn in_words(stated: &PramParameters, attributes: &[String]) -> String {
    let strata = match stated.strata.as_slice() {
        [] => String::new(),
        strata => format!("; matrices of their own in strata of {}", names(strata)),
    };
    let invariant = if stated.invariant {
        "; frequencies are kept on average (invariant)"
    } else {
        ""
    };
    pram::matrices(stated, attributes).join("; ") + &strata + invariant
}

/// What is true of all statements together. That a step does not name an attribute says nothing of other steps, and one random order is the
/// order of the file.
fn of_all(stated: &[(&Document, &Statement)]) -> String {
    let steps: usize = stated.iter().map(|(_, stated)| stated.steps.len()).sum();
    let (subject, none_names) = match steps {
        1 => ("The step described here", "it does not name"),
        _ => ("The steps described here", "none of them names"),
    };
    let order = if stated.iter().any(|(_, stated)| stated.is_shuffled()) {
        "put the records in random order"
    } else {
        "kept the order of the records"
    };
    let before = if stated.iter().all(|(_, stated)| stated.complete) {
        "Whether anything else was done to the file is not stated."
    } else {
        "Something was done to the file before, which is not stated."
    };
    format!(
        "{subject} {order}, and left alone every attribute of the file that {none_names}. {before}"
    )
}

/// Parameters for reading: `p = 5, window = 54`.
pub(super) fn parameters(parameters: &Map<String, Value>) -> String {
    let each: Vec<String> = parameters
        .iter()
        .map(|(name, value)| match value {
            Value::Object(map) if name == "map" && map.len() > MAX_SHOWN => {
                format!("map = {}", folded(map))
            }
            value => format!("{name} = {}", plain(value)),
        })
        .collect();
    each.join(", ")
}

/// Categories of a map that are read one by one, at most.
const MAX_SHOWN: usize = 12;

/// A long map in short: `615 categories to 21`.
fn folded(map: &Map<String, Value>) -> String {
    let mut new: Vec<&str> = map.values().filter_map(Value::as_str).collect();
    new.sort_unstable();
    new.dedup();
    format!("{} categories to {}", map.len(), new.len())
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
