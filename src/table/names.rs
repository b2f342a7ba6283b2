//! The names of attributes.

use std::collections::{BTreeMap, BTreeSet};

use super::encoding::Encoding;
use super::roles::Roles;
use super::select::alternatives;
use super::tokens::cut;
use super::{Note, cell};
use crate::error::{Error, Result};

/// A name for each attribute: those of the header, each made unique; `V1`, `V2` ... where it has none.
///
/// The second answer: whether each attribute has a name in the header that no other has.
pub(super) fn unique(
    table: &[u8],
    header: &[u32],
    n_attributes: usize,
    encoding: Encoding,
    notes: &mut Vec<Note>,
) -> (Vec<String>, bool) {
    let written: Vec<String> = (0..n_attributes)
        .map(|place| match header {
            [] => String::new(),
            ends => {
                let text = cell::unquoted(cut(table, ends, place));
                encoding.decode(&text).trim().to_owned()
            }
        })
        .collect();
    let mut used: BTreeSet<String> = written.iter().cloned().collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = Vec::with_capacity(n_attributes);
    for (place, name) in written.iter().enumerate() {
        let seen = counts.entry(name).or_default();
        *seen += 1;
        if *seen == 1 && !name.is_empty() {
            names.push(name.clone());
            continue;
        }
        let unique = if name.is_empty() {
            // A `V3` that the header itself has for another attribute gets out of the way by underscores.
            let mut unique = format!("V{}", place + 1);
            while used.contains(&unique) {
                unique.push('_');
            }
            unique
        } else {
            loop {
                let unique = format!("{name}_{seen}");
                if !used.contains(&unique) {
                    break unique;
                }
                *seen += 1;
            }
        };
        if !header.is_empty() {
            let why = if name.is_empty() {
                "has no name in the header"
            } else {
                "has a name that another has"
            };
            let text = format!(
                "attribute {} {why}; it is called {unique:?} here, and written unchanged",
                place + 1
            );
            notes.push(Note::new(Some(&unique), None, text));
        }
        used.insert(unique.clone());
        names.push(unique);
    }
    let own = written.iter().all(|name| !name.is_empty()) && names == written;
    (names, own)
}

/// Whether every attribute that the roles file names is there.
pub(super) fn check_roles(roles: &Roles, names: &[String]) -> Result<()> {
    let known: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    if roles.of_another_file {
        return Ok(());
    }
    match roles
        .attributes
        .keys()
        .find(|name| !known.contains(name.as_str()))
    {
        None => Ok(()),
        Some(name) => Err(Error::input(format!(
            "the roles file names an attribute {name:?} that this file does not have"
        ))
        .remedy(alternatives(name, names.iter().map(String::as_str)))),
    }
}
