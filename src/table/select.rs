//! From what a user types to attributes.

use super::Table;
use super::attribute::AttrId;
use crate::{
    error::{Error, Reason, Result},
    visible,
};

impl Table {
    /// The attribute of this name.
    ///
    /// # Errors
    /// There is none; the message names those that are alike, or some that exist.
    pub fn find(&self, name: &str) -> Result<AttrId> {
        let name = &visible::name(name);
        self.attributes
            .iter()
            .position(|attribute| attribute.name == *name)
            .map(AttrId::new)
            .ok_or_else(|| {
                Error::unknown_attribute(name, &self.file.name).remedy(alternatives(
                    name,
                    self.attributes
                        .iter()
                        .map(|attribute| attribute.name.as_str()),
                ))
            })
    }

    /// The attributes of a list such as `AGI,FICA`, `1-7` or `1,3-5,AGI`, in the order of the list.
    ///
    /// A number is a place in the file from 1 (that of [`Attribute::position`](super::Attribute::position)), a range holds both its ends. An
    /// exact name wins over a number or a range. A name that holds a comma, a quote or blanks at its ends is quoted: `"a,b"`, with quotes
    /// inside written twice.
    ///
    /// # Errors
    /// An item is empty, names no attribute, or names one that an item before it named.
    pub fn select(&self, list: &str) -> Result<Vec<AttrId>> {
        let mut selected = Vec::new();
        let mut taken = vec![false; self.attributes.len()];
        for item in split(list).map_err(|what| Error::usage(what).in_file(&self.file.name))? {
            for id in self.item(&item)? {
                if std::mem::replace(&mut taken[id.index()], true) {
                    return Err(Error::usage("the attribute is in the list twice")
                        .in_file(&self.file.name)
                        .named_twice(&self.attribute(id).name)
                        .remedy("Name it once"));
                }
                selected.push(id);
            }
        }
        Ok(selected)
    }

    fn item(&self, item: &Item) -> Result<Vec<AttrId>> {
        let by_name = self.find(&item.text);
        if by_name.is_ok() || item.quoted {
            return by_name.map(|id| vec![id]);
        }
        if let Some(position) = number(&item.text) {
            return Ok(vec![self.at_position(position)?]);
        }
        if let Some((from, to)) = item.text.split_once('-')
            && let (Some(from), Some(to)) = (number(from.trim()), number(to.trim()))
        {
            if from > to {
                return Err(
                    Error::usage(format!("the range {from}-{to} runs backwards"))
                        .in_file(&self.file.name)
                        .remedy(format!("Write {to}-{from}")),
                );
            }
            self.at_position(to)?;
            return (from..=to)
                .map(|position| self.at_position(position))
                .collect();
        }
        by_name.map(|id| vec![id])
    }

    fn at_position(&self, position: usize) -> Result<AttrId> {
        self.attributes
            .binary_search_by_key(&position, |attribute| attribute.position)
            .map(AttrId::new)
            .map_err(|_| {
                let last = self
                    .attributes
                    .last()
                    .map_or(0, |attribute| attribute.position);
                Error::usage(format!("there is no attribute number {position}"))
                    .in_file(&self.file.name)
                    .because(Reason::unknown_attribute(
                        &position.to_string(),
                        &self.file.name,
                    ))
                    .remedy(format!("The attributes are numbered from 1 to {last}"))
            })
    }
}

fn number(text: &str) -> Option<usize> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

/// The list that [`Table::select`] takes for these names.
pub fn list_of(names: &[String]) -> String {
    let item = |name: &String| {
        let needs_quotes = name.is_empty() || name.contains([',', '"']) || name.trim() != name;
        if needs_quotes {
            format!("\"{}\"", name.replace('"', "\"\""))
        } else {
            name.clone()
        }
    };
    names.iter().map(item).collect::<Vec<_>>().join(",")
}

/// One item of a list.
#[derive(Debug, PartialEq, Eq)]
struct Item {
    text: String,
    quoted: bool,
}

fn split(list: &str) -> std::result::Result<Vec<Item>, &'static str> {
    let mut items = Vec::new();
    let mut rest = list;
    loop {
        rest = rest.trim_start();
        let (item, after) = if let Some(inner) = rest.strip_prefix('"') {
            quoted(inner)?
        } else {
            let (text, after) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
            (
                Item {
                    text: text.trim_end().to_owned(),
                    quoted: false,
                },
                after,
            )
        };
        if item.text.is_empty() && !item.quoted {
            return Err("the list of attributes has an empty item");
        }
        items.push(item);
        match after.trim_start().strip_prefix(',') {
            Some(more) => rest = more,
            None if after.trim_start().is_empty() => return Ok(items),
            None => return Err("in the list of attributes, text follows a closing quote"),
        }
    }
}

/// The item up to its closing quote, and what follows.
fn quoted(text: &str) -> std::result::Result<(Item, &str), &'static str> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let (before, after) = rest
            .split_once('"')
            .ok_or("in the list of attributes, a quote is not closed")?;
        name.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => {
                return Ok((
                    Item {
                        text: name,
                        quoted: true,
                    },
                    after,
                ));
            }
        }
    }
}

/// What the user may have meant: names that differ in two letters at most.
pub(super) fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let wanted = name.to_lowercase();
    let mut near: Vec<(usize, &str)> = known
        .map(|known| (edits(&wanted, &known.to_lowercase()), known))
        .filter(|&(edits, known)| edits <= 2 && edits < known.chars().count())
        .collect();
    near.sort_by_key(|&(edits, _)| edits);
    let names: Vec<String> = near
        .iter()
        .take(3)
        .map(|(_, known)| format!("{known:?}"))
        .collect();
    (!names.is_empty()).then(|| names.join(" or "))
}

/// What to use instead of a word that is none of the known ones: what may have been meant, and all there are.
pub(crate) fn of_known(word: &str, known: &[&str]) -> String {
    let all = format!("There are: {}", known.join(", "));
    match near(word, known.iter().copied()) {
        Some(near) => format!("Did you mean {near}? {all}"),
        None => all,
    }
}

/// A sentence that names what the user may have meant.
pub(super) fn alternatives<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    const SHOWN: usize = 10;
    if let Some(near) = near(name, known.clone()) {
        return format!("Did you mean {near}?");
    }
    let quoted = |names: &mut dyn Iterator<Item = &'a str>| -> Vec<String> {
        names.map(|name| format!("{name:?}")).collect()
    };
    let names = quoted(&mut known.clone().take(SHOWN));
    let more = match known.count().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("The file has {}{more}", names.join(", "))
}

/// How many letters must be put in, taken out or changed to make one word the other; 3 stands for "more than 2".
fn edits(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    if one.len().abs_diff(other.len()) > 2 || one.len() > 200 {
        return 3;
    }
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            row.push(
                (last[j] + usize::from(a != b))
                    .min(last[j + 1] + 1)
                    .min(row[j] + 1),
            );
        }
        last = row;
    }
    last[other.len()].min(3)
}
