//! The categories of an attribute that its rules do not name: refused where a file must name all, or shortened to so many digits.

use std::collections::{BTreeMap, BTreeSet};

use super::texts::Texts;
use crate::{
    error::{Error, Result},
    mask::categories::Categories,
    table::{AttrId, BLANKS, Table},
};

/// The categories of an attribute that the rules do not name.
fn not_named<F>(table: &Table, attribute: AttrId, named: &Categories<F>) -> BTreeSet<String> {
    let mut strangers = BTreeSet::new();
    for record in 0..table.n_records() {
        let is_stranger = !table.is_missing(record, attribute)
            && named.of_record(table, record, attribute).is_none();
        if !is_stranger {
            continue;
        }
        // Looked up before it is copied: there are far fewer categories than records.
        let category = table.category(record, attribute);
        if !strangers.contains(&*category) {
            strangers.insert(category.into_owned());
        }
    }
    strangers
}

/// Refuses an attribute with categories that a file of codes lacks.
pub(super) fn refuse_strangers<F>(
    table: &Table,
    attribute: AttrId,
    named: &Categories<F>,
    file: &str,
) -> Result<()> {
    let what = match not_named(table, attribute, named).len() {
        0 => return Ok(()),
        1 => format!("has 1 category that {file} does not name"),
        several => format!("has {several} categories that {file} does not name"),
    };
    Err(Error::input(what)
        .remedy("Add them to the file, or say what becomes of them: others = \"...\""))
}

/// The text of each category that has more characters than `digits`.
///
/// # Errors
/// What is wrong: the attribute is one of numbers that are no codes.
pub(super) fn shortened<F>(
    table: &Table,
    attribute: AttrId,
    named: &Categories<F>,
    digits: usize,
    texts: &mut Texts,
) -> std::result::Result<BTreeMap<String, u32>, String> {
    let are_numbers = table.has_numerals(attribute);
    let mut shortened = BTreeMap::new();
    for category in not_named(table, attribute, named) {
        if are_numbers && !category.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(
                "digits is for codes, and the attribute has numbers with signs or decimals".into(),
            );
        }
        if let Some((end, _)) = category.char_indices().nth(digits) {
            let text = texts.add(category[..end].trim_end_matches(BLANKS));
            shortened.insert(category, text);
        }
    }
    Ok(shortened)
}
