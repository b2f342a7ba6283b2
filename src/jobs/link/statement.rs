//! Whether a statement and a masked file belong together.

use super::request::Alignment;
use crate::{
    error::{Error, Reason, Result},
    evaluate::truth::Truth,
    statement::Statement,
    table::Table,
};

/// Whether a statement can be about a masked file of which it is said who is who. With `truth`, a key that gave it is looked at, too.
///
/// # Errors
/// Input or Usage, when it cannot.
pub(crate) fn check_statement(
    statement: &Statement,
    file: &str,
    alignment: &Alignment,
    masked: &Table,
    truth: Option<&Truth>,
) -> Result<()> {
    check_attributes(statement, file, masked)?;
    let is_aligned = *alignment != Alignment::Order;
    let leads_elsewhere = |truth: &Truth| {
        let last = truth
            .records()
            .last()
            .map_or(0, |[original, _]| original + 1);
        !statement.has_a_key_to_the_first_file(last as usize)
    };
    if *alignment == Alignment::Key && truth.is_some_and(leads_elsewhere) {
        return Err(Error::usage(
            "says that records changed places or were left out in several steps: the key of one step does not lead to the original",
        )
        .in_file(file)
        .remedy("Keep an identifier (--keep-identifiers) and give it (--id), or shuffle in the first such step only; the key of a recipe leads to the original"));
    }
    if statement.is_shuffled() && !is_aligned {
        return Err(Error::usage(
            "says that the masked file is in random order: by place, nobody would be found again",
        )
        .in_file(file)
        .remedy(
            "Give the private key that 'mask --shuffle' wrote (--shuffle-key), or an identifier (--id)",
        ));
    }
    // A release can be shorter than the file that was masked, if it is known who is who.
    if statement.records() != masked.n_records()
        && !(is_aligned && statement.records() > masked.n_records())
    {
        return Err(other_length(statement, file, masked));
    }
    Ok(())
}

/// Whether a statement can be about a file that is masked once more.
///
/// # Errors
/// Input, when it cannot.
pub fn check_earlier(statement: &Statement, file: &str, table: &Table) -> Result<()> {
    check_attributes(statement, file, table)?;
    if statement.records() == table.n_records() {
        Ok(())
    } else {
        Err(other_length(statement, file, table))
    }
}

fn other_length(statement: &Statement, file: &str, masked: &Table) -> Error {
    Error::files_of_other_lengths(masked.n_records(), statement.records(), |have, stated| {
        format!(
            "is about a file of {stated} records; {} has {have}",
            masked.name()
        )
    })
    .in_file(file)
    .remedy("Give the statement of this masked file")
}

/// Whether a statement makes sense, and the masked file has what it names.
fn check_attributes(statement: &Statement, file: &str, masked: &Table) -> Result<()> {
    if let Some(nonsense) = statement.nonsense() {
        return Err(Error::input(nonsense)
            .in_file(file)
            .remedy("Give the file that 'sdcrisk mask --statement FILE' wrote"));
    }
    if let Some(stranger) = statement
        .attributes()
        .into_iter()
        .find(|name| masked.find(name).is_err())
    {
        return Err(Error::input(format!(
            "names an attribute {stranger:?} that {} does not have",
            masked.name()
        ))
        .because(Reason::unknown_attribute(stranger, masked.name()))
        .in_file(file)
        .remedy("Give the statement of this masked file"));
    }
    Ok(())
}
