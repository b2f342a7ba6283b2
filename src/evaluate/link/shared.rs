//! Which attributes of two files can be compared.

use crate::{
    error::{Error, Result},
    table::{AttrId, Role, Table},
};

/// An attribute that both files have and that can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    /// In the original file.
    pub original: AttrId,
    /// In the masked file.
    pub masked: AttrId,
}

/// An attribute that cannot be compared, and why, in words that follow its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The attribute as the original names it.
    pub attribute: String,
    /// Why.
    pub why: String,
}

/// The quasi-identifiers of the original that can be compared with the masked file's, in file order, and all other
/// attributes but those named `aside`.
pub fn shared_attributes(
    original: &Table,
    masked: &Table,
    aside: Option<[&str; 2]>,
) -> (Vec<Shared>, Vec<LeftOut>) {
    let mut shared = Vec::new();
    let mut left_out = Vec::new();
    for id in original.ids() {
        let attribute = original.attribute(id);
        if aside.is_some_and(|names| names.contains(&attribute.name.as_str())) {
            continue;
        }
        let verdict = match attribute.role {
            Role::QuasiIdentifier => {
                comparable(original, masked, id).map_err(|why| why.what().to_owned())
            }
            Role::Identifier => Err("is an identifier".into()),
            other => Err(format!("is {}, no quasi-identifier", other.word())),
        };
        match verdict {
            Ok(pair) => shared.push(pair),
            Err(why) => left_out.push(LeftOut {
                attribute: attribute.name.clone(),
                why,
            }),
        }
    }
    (shared, left_out)
}

/// This attribute of the original in both files, if it can be compared.
///
/// # Errors
/// Input, in words that follow its name, if it cannot.
pub fn comparable(original: &Table, masked: &Table, id: AttrId) -> Result<Shared> {
    let name = &original.attribute(id).name;
    let other = masked
        .find(name)
        .map_err(|unknown| Error::input("is not in the masked file").for_the_reason_of(&unknown))?;
    let sides = [(original, id, "original"), (masked, other, "masked")];
    let are_numbers = sides.map(|(table, id, _)| table.has_numbers(id));
    if let Some(side) =
        (0..2).find(|&side| are_numbers[side] != are_numbers[1 - side] && !are_numbers[side])
    {
        let what = format!(
            "is not a number in the {} file, but in the other it is",
            sides[side].2
        );
        return Err(Error::input(what).wrong_scale(name));
    }
    for (table, id, file) in sides {
        if is_constant(table, id) {
            let what = format!("has no two different values in the {file} file");
            return Err(Error::input(what).constant(name));
        }
    }
    Ok(Shared {
        original: id,
        masked: other,
    })
}

/// Whether an attribute has no two different values.
pub fn is_constant(table: &Table, id: AttrId) -> bool {
    if let Some(values) = table.values(id) {
        let mut present = values.present().map(|(_, value)| value + 0.0);
        let first = present.next();
        return first.is_none_or(|first| present.all(|value| value.total_cmp(&first).is_eq()));
    }
    let mut present = (0..table.n_records()).filter(|&record| !table.is_missing(record, id));
    let first = present.next().map(|first| table.category(first, id));
    first.is_none_or(|first| present.all(|record| table.category(record, id) == first))
}
