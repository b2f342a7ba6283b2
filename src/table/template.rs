//! A roles file that says what was guessed, to be corrected.

use std::fmt::Write;

use super::roles::Empty;
use super::{AttributeDescription, ReadOptions, Table};

/// The column at which comments begin, where there is room.
const COMMENTS_FROM: usize = 34;

impl Table {
    /// A roles file of this table: how the file is written, and scale and role of each attribute, with the reasons as comments. Read by it,
    /// the file gives the same table, the reasons aside.
    ///
    /// The role of an attribute that singles out records ([`singling`](Self::singling)) is a comment unless it was stated: to state
    /// it is to answer for it, which a file that nobody corrected must not do. Suspected codes for missing values are comments, too. No value
    /// of a single record is in it.
    ///
    /// `options` are those by which the table was read.
    pub fn roles_template(&self, options: &ReadOptions) -> String {
        let description = self.describe();
        // Names hold no control characters, and a comment is one line.
        let mut out = format!(
            "# Roles of {}: {} records, {} attributes.\n\
             # All of this was guessed, for the reasons given, unless it says \"stated\". Correct what is wrong.\n\
             # What a line leaves out, or begins with a #, is guessed again whenever the file is read.\n\n",
            crate::visible::name(self.name()),
            description.records,
            description.attributes.len()
        );
        self.write_file_section(options, &mut out);
        for described in &description.attributes {
            self.write_attribute(described, options, &mut out);
        }
        out
    }

    fn write_file_section(&self, options: &ReadOptions, out: &mut String) {
        out.push_str("[file]\n");
        if self.is_parquet() {
            // The same roles may be read beside a text file with other marks.
            out.push_str("# It is Parquet: delimiter, marks, encoding and names are known\n");
        } else {
            self.write_dialect(out);
        }
        match options.na.as_ref().or(options.roles.file.na.as_ref()) {
            Some(markers) => line(out, "na", &list(markers), "stated"),
            None => line(
                out,
                "# na",
                "[\"\", \"NA\", \".\", \"*\"]",
                "what stands for missing values, and words such as NaN among numbers",
            ),
        }
    }

    fn write_dialect(&self, out: &mut String) {
        let dialect = self.dialect();
        let reasons = &dialect.reasons;
        if let Some(delimiter) = dialect.delimiter {
            let value = quoted(&char::from(delimiter).to_string());
            line(out, "delimiter", &value, &reasons.delimiter);
        }
        let decimal = quoted(&dialect.decimal_mark.to_string());
        line(out, "decimal-mark", &decimal, &reasons.decimal_mark);
        let thousands = dialect.thousands_mark.map(String::from);
        let thousands = quoted(thousands.as_deref().unwrap_or("none"));
        line(out, "thousands-mark", &thousands, &reasons.thousands_mark);
        let encoding = quoted(dialect.encoding.word());
        line(out, "encoding", &encoding, &reasons.encoding);
        let header = dialect.header.to_string();
        line(out, "header", &header, &reasons.header);
        if dialect.skipped_lines > 0 {
            let lines = dialect.skipped_lines.to_string();
            line(out, "skip-lines", &lines, "stated");
        }
    }

    fn write_attribute(
        &self,
        described: &AttributeDescription,
        options: &ReadOptions,
        out: &mut String,
    ) {
        let attribute = &described.attribute;
        let _ = writeln!(out, "\n[attributes.{}]", quoted(&attribute.name));
        let missing = match described.missing {
            0 => "none missing".to_owned(),
            missing => format!("{missing} missing"),
        };
        let values = match described.distinct {
            1 => "1 value".to_owned(),
            distinct => format!("{distinct} different values"),
        };
        let _ = writeln!(out, "# {values}, {missing}");
        if let Some(looks) = described
            .looks_like
            .as_ref()
            .filter(|_| attribute.lacks_role())
        {
            let _ = writeln!(out, "# It looks like this: {looks}");
        }
        if described.perhaps_weights {
            out.push_str("# It is named like sampling weights, which are \"non-confidential\"\n");
        }
        let is_open = described.looks_like.is_some() && attribute.lacks_role();
        let role = quoted(attribute.role.word());
        let reason = attribute.role_reason.to_string();
        if is_open {
            let remark = if described.wants_role {
                "not stated: 'mask' refuses the file until it is. \"identifier\" leaves it out"
            } else {
                "not stated: 'mask' warns until it is"
            };
            line(out, "# role", &role, remark);
        } else {
            line(out, "role", &role, &reason);
        }
        let scale = quoted(attribute.scale.word());
        line(out, "scale", &scale, &attribute.scale_reason.to_string());
        let stated = options.roles.attributes.get(&attribute.name);
        if let Some(order) = stated.and_then(|stated| stated.order.as_ref()) {
            line(out, "order", &list(order), "stated");
        }
        if let Some(format) = stated.and_then(|stated| stated.date.as_ref()) {
            line(out, "date", &quoted(format.pattern()), "stated");
        }
        if let Some(Empty::Category) = stated.and_then(|stated| stated.empty) {
            line(out, "empty", "\"category\"", "stated");
        }
        if let Some(codes) = stated.and_then(|stated| stated.na.as_ref()) {
            line(out, "na", &list(codes), "stated");
        } else if !described.suspected_missing.is_empty() {
            let codes: Vec<String> = (described.suspected_missing.iter())
                .map(|code| code.marker.clone())
                .collect();
            let cells: usize = described
                .suspected_missing
                .iter()
                .map(|code| code.cells)
                .sum();
            let remark = format!("may stand for missing values ({cells} cells)");
            line(out, "# na", &list(&codes), &remark);
        }
    }
}

/// A line with a comment.
fn line(out: &mut String, key: &str, value: &str, comment: &str) {
    let begin = format!("{key} = {value}");
    let comment = crate::visible::name(comment);
    let _ = writeln!(out, "{begin:COMMENTS_FROM$}  # {comment}");
}

fn list(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("[{}]", words.join(", "))
}

/// A basic string of TOML, which is a key, too.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for sign in text.chars() {
        match sign {
            '"' | '\\' => out.extend(['\\', sign]),
            _ if sign.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04X}", u32::from(sign));
            }
            _ => out.push(sign),
        }
    }
    out.push('"');
    out
}
