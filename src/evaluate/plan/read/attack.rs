//! What a plan says of its attacks.

use toml::de::{DeTable, DeValue};

use super::{PlannedAttack, PlannedOption, Source};
use crate::{error::Result, evaluate::plan::source::Entry};

/// The list of attacks: names of methods, and tables.
pub(super) fn all<'a>(source: Source<'a>, entry: &Entry<'_, 'a>) -> Result<Vec<PlannedAttack>> {
    let wrong = |line| {
        source
            .error(
                line,
                "attacks must be a list of methods of link, or of tables",
            )
            .remedy(
                "Write for example attacks = [\"am\", { method = \"prl\", agree = \"sd:0.1\" }]",
            )
    };
    let list = entry.value.get_ref().as_array();
    let list = list.ok_or_else(|| wrong(entry.line))?;
    let mut attacks: Vec<PlannedAttack> = Vec::new();
    for item in list.iter() {
        let line = source.line(&item.span());
        let attack = match item.get_ref() {
            DeValue::String(method) => PlannedAttack {
                name: method.to_string(),
                method: method.to_string(),
                line,
                known: None,
                options: Vec::new(),
            },
            DeValue::Table(table) => PlannedAttack::read(source, line, table)?,
            _ => return Err(wrong(line)),
        };
        source.ensure(
            attacks.iter().all(|other| other.name != attack.name),
            Some(line),
            format!("there are two attacks {:?}", attack.name),
            "Give one of them a name of its own: name = \"...\"",
        )?;
        attacks.push(attack);
    }
    Ok(attacks)
}

impl PlannedAttack {
    fn read<'a>(source: Source<'a>, line: u64, table: &DeTable<'a>) -> Result<Self> {
        let (mut name, mut method, mut known) = (None, None, None);
        let mut options = Vec::new();
        for entry in source.entries(table) {
            match entry.key.as_str() {
                "method" => method = Some(source.text(&entry)?),
                "name" => name = Some(source.text(&entry)?),
                "known" => known = Some(source.texts(&entry)?),
                _ => options.push(PlannedOption::read(source, &entry)?),
            }
        }
        let method = source.required(
            method,
            line,
            "an attack names no method",
            "Write for example { method = \"prl\", agree = \"sd:0.1\" }",
        )?;
        Ok(Self {
            name: name.unwrap_or_else(|| method.clone()),
            method,
            line,
            known,
            options,
        })
    }
}
