//! The report of `sdcrisk describe`.

use serde::Serialize;

use super::text;
use crate::table::{AttributeDescription, BlankLines, Description, LineEnd, MarkerCount, Role};

/// Longer values are cut.
const MAX_VALUE: usize = 20;

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.describe/1";

/// What the JSON of the report holds.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Json<'a> {
    schema: &'static str,
    version: &'static str,
    /// That this holds values of single records.
    private: bool,
    #[serde(flatten)]
    description: &'a Description,
    /// The reading in which the first line is a record, where that is in doubt.
    #[serde(skip_serializing_if = "Option::is_none")]
    without_header: Option<&'a Description>,
}

/// For programs; `as_record` is the reading in which the first line is a record, where that is in doubt.
pub fn to_json(description: &Description, as_record: Option<&Description>) -> String {
    let mut json = serde_json::to_string_pretty(&Json {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        private: true,
        description,
        without_header: as_record,
    })
    .unwrap_or_else(|_| unreachable!("a description holds words and numbers only"));
    json.push('\n');
    json
}

/// For people; `as_record` is the reading in which the first line is a record, where that is in doubt.
pub fn to_text(description: &Description, as_record: Option<&Description>) -> String {
    let reading = match (as_record, &description.first_line_doubt) {
        (Some(as_record), Some(doubt)) => {
            text::paragraph(&format!(
                "The first line may hold names or a record: {doubt}. No other command reads this file before --header or \
                 --no-header says which. Both readings follow; in the first, attributes are called by their places, so that \
                 nothing of what may be a record is shown."
            )) + "\nWith --header (the first line holds names)\n\n"
                + &as_read(description)
                + "\nWith --no-header (the first line is a record)\n\n"
                + &as_read(as_record)
        }
        _ => as_read(description),
    };
    reading
        + "\nTo change a guess: an option (--delimiter, --decimal-mark, --na, ...) or a roles file (--roles FILE;\n\
           'sdcrisk roles --init' writes one). This report holds values of single records: it is private.\n"
}

/// One reading of a file.
fn as_read(description: &Description) -> String {
    let dialect = &description.dialect;
    let reasons = &dialect.reasons;
    let mut out = format!(
        "{}: {} records, {} attributes\n\n",
        description.file,
        description.records,
        description.attributes.len()
    );
    let yes = |is: bool| if is { "yes" } else { "no" }.to_string();
    let rows = [
        (
            "delimiter",
            match dialect.delimiter {
                Some('\t') => "tab".to_string(),
                Some(mark) => mark.to_string(),
                None => "none".into(),
            },
            &reasons.delimiter,
        ),
        (
            "decimal mark",
            dialect.decimal_mark.to_string(),
            &reasons.decimal_mark,
        ),
        (
            "thousands mark",
            match dialect.thousands_mark {
                None => "none".into(),
                Some(mark) if mark.is_whitespace() => "space".into(),
                Some(mark) => mark.to_string(),
            },
            &reasons.thousands_mark,
        ),
        ("encoding", dialect.encoding.clone(), &reasons.encoding),
        ("header line", yes(dialect.header), &reasons.header),
        (
            "line ends",
            line_ends(dialect.line_end).to_string(),
            &String::new(),
        ),
        (
            "blank lines",
            match dialect.blank_lines {
                BlankLines {
                    skipped: 0,
                    records: 0,
                } => "none".into(),
                BlankLines {
                    skipped,
                    records: 0,
                } => format!("{skipped} skipped"),
                BlankLines {
                    skipped: 0,
                    records,
                } => format!("{records} missing"),
                BlankLines { skipped, records } => format!("{records} missing, {skipped} skipped"),
            },
            &String::new(),
        ),
    ]
    .map(|(what, value, why)| vec![what.to_string(), value, why.clone()]);
    let skipped = dialect.skipped_lines;
    let skipped = (skipped > 0).then(|| {
        let lines = skipped.to_string();
        vec!["lines skipped".to_string(), lines, "stated".to_string()]
    });
    let rows: Vec<Vec<String>> = rows.into_iter().chain(skipped).collect();
    out += &text::columns(&["how it is read", "", "why"], &rows, 3);
    out.push('\n');
    let attributes = &description.attributes;
    let rows: Vec<Vec<String>> = attributes.iter().map(attribute_row).collect();
    out += &text::columns(&["", "attribute", "scale", "role", "why"], &rows, 5);
    out.push('\n');
    let rows: Vec<Vec<String>> = attributes.iter().map(values_row).collect();
    out += &text::columns(
        &[
            "",
            "attribute",
            "missing",
            "different",
            "least",
            "greatest",
            "most frequent",
            "share",
        ],
        &rows,
        3,
    );
    let doubts: Vec<String> = attributes.iter().flat_map(doubts).collect();
    if !doubts.is_empty() {
        out += "\nTo be looked at\n";
        for doubt in doubts {
            out += &text::paragraph(&format!("- {doubt}"));
        }
    }
    if !description.notes.is_empty() {
        out += "\nNotes\n";
        for note in &description.notes {
            out += &text::paragraph(&format!("- {note}"));
        }
    }
    out
}

fn line_ends(line_end: LineEnd) -> &'static str {
    match line_end {
        LineEnd::Lf => "LF",
        LineEnd::CrLf => "CRLF",
        LineEnd::Cr => "CR",
        LineEnd::Mixed => "mixed",
        LineEnd::None => "none",
    }
}

fn attribute_row(described: &AttributeDescription) -> Vec<String> {
    let attribute = &described.attribute;
    // That nothing marks an attribute as an identifier needs no saying.
    let is_plain = attribute.role == Role::QuasiIdentifier && !attribute.has_stated_role();
    vec![
        attribute.position.to_string(),
        attribute.name.clone(),
        attribute.scale.word().to_string(),
        attribute.role.word().to_string(),
        if is_plain {
            attribute.scale_reason.to_string()
        } else {
            format!("{}; {}", attribute.scale_reason, attribute.role_reason)
        },
    ]
}

fn values_row(described: &AttributeDescription) -> Vec<String> {
    let none = || "–".to_string();
    let markers: Vec<&str> = described.missing_by.iter().map(marker).collect();
    let [least, greatest] = match &described.range {
        None => [none(), none()],
        Some(range) => [cut(&range[0]), cut(&range[1])],
    };
    let (value, share) = match &described.most_frequent {
        None => (none(), none()),
        Some(frequent) => (cut(&frequent.value), text::percent(frequent.share)),
    };
    vec![
        described.attribute.position.to_string(),
        described.attribute.name.clone(),
        match described.missing {
            0 => none(),
            missing => format!("{missing} ({})", markers.join(", ")),
        },
        described.distinct.to_string(),
        least,
        greatest,
        value,
        share,
    ]
}

fn marker(by: &MarkerCount) -> &str {
    match by.marker.as_str() {
        "" => "empty",
        marker => marker,
    }
}

/// A value in the room of a column.
fn cut(value: &str) -> String {
    match value {
        "" => "(empty)".to_string(),
        _ if value.chars().count() > MAX_VALUE => {
            value.chars().take(MAX_VALUE - 1).chain(['…']).collect()
        }
        _ => value.to_string(),
    }
}

/// What somebody should look at before the file is masked.
fn doubts(described: &AttributeDescription) -> Vec<String> {
    let name = &described.attribute.name;
    let mut doubts = Vec::new();
    if let Some(looks) = &described.looks_like
        && !described.attribute.has_stated_role()
        && described.attribute.role != Role::Identifier
    {
        let refused = if described.wants_role {
            ": 'mask' refuses the file before it is dropped (--drop) or a roles file states its role"
        } else {
            ""
        };
        doubts.push(format!("{name}: {looks}{refused}"));
    }
    if described.perhaps_weights && !described.attribute.has_stated_role() {
        doubts.push(format!(
            "{name}: named like sampling weights. If it is one, make it non-confidential in a roles file"
        ));
    }
    if !described.suspected_missing.is_empty() {
        let codes: Vec<String> = (described.suspected_missing.iter())
            .map(|code| format!("{} ({} cells)", cut(&code.marker), code.cells))
            .collect();
        doubts.push(format!(
            "{name}: may stand for missing values: {}. If so, name them under [missing] in a roles file",
            codes.join(", ")
        ));
    }
    doubts
}
