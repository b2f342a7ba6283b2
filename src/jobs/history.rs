//! What an intruder who has read the history of a release does with their own file before anything is compared.

use super::Observer;
use crate::{
    error::Result,
    evaluate::{
        comparable::{self, Doubt},
        link::Shared,
        truth::Truth,
    },
    mask::{
        Mask,
        recode::{Recode, Rules},
    },
    rng::{Purpose, Seed},
    statement::{Laws, Method, Statement},
    table::{AttrId, Table},
};

/// The original as the steps of recoding make it, in their order; `None` where no step recodes an attribute that it has.
///
/// Rules that were published are a map of values, so whoever has read them applies it to what they know: classes, top codes and merged
/// categories are then equal or not. Categories that became missing are not published, and stay as they are here; a gap excludes nobody.
/// An attribute to which a rule cannot be applied (classes of numbers, of which the original has text) stays as it is, and is noted. So does
/// one that `stays`, without a note.
///
/// # Errors
/// Input, when a rule of a statement could be of no file.
pub(super) fn recoded(
    statement: &Statement,
    original: &Table,
    stays: &dyn Fn(AttrId) -> bool,
    observer: &dyn Observer,
) -> Result<Option<Table>> {
    let mut recoded: Option<Table> = None;
    for step in &statement.steps {
        let Method::Recode(stated) = &step.method else {
            continue;
        };
        for rule in &stated.rules {
            // One by one: of an attribute that the original does not have nothing need be known.
            let rules = Rules::of_statement(std::slice::from_ref(rule))?;
            if rules.is_empty() {
                continue;
            }
            let table = recoded.as_ref().unwrap_or(original);
            let Some(attribute) = (table.find(&rule.attribute).ok()).filter(|&id| !stays(id))
            else {
                continue;
            };
            // Nothing is drawn.
            let streams = Seed::from_number(0).streams(Purpose::Mask, 0);
            match Recode::new(rules).apply(table.clone(), &[attribute], &streams) {
                Ok(masked) => recoded = Some(masked.table),
                Err(error) => observer.note(&format!(
                    "note: {} is not recoded as the statement says: {}",
                    rule.attribute,
                    error.what()
                )),
            }
        }
    }
    Ok(recoded)
}

/// The attributes, of those that are compared, in which the files differ although no step moved them. Attacks by law would exclude the
/// right people by them, so the laws lose them.
///
/// `original` is recoded already, and attributes that are in doubt for another reason are not looked at.
pub(super) fn contradictions(
    laws: &mut Laws,
    [original, masked]: [&Table; 2],
    shared: &[Shared],
    truth: &Truth,
    doubts: &[Doubt],
) -> Vec<Doubt> {
    for doubt in doubts {
        if !laws.moves(&doubt.attribute) {
            laws.contradict(&doubt.attribute);
        }
    }
    let name = |pair: &Shared| original.attribute(pair.original).name.as_str();
    let is_unexplained = |pair: &&Shared| {
        let name = name(pair);
        !laws.moves(name) && doubts.iter().all(|doubt| doubt.attribute != name)
    };
    let unmoved: Vec<Shared> = shared.iter().filter(is_unexplained).copied().collect();
    let differing = comparable::differing([original, masked], &unmoved, truth);
    let mut found = Vec::new();
    for (id, records) in differing {
        let name = &original.attribute(id).name;
        laws.contradict(name);
        found.push(Doubt {
            attribute: name.clone(),
            what: format!(
                "differs from the original in {records} of {} records, and no step of the statement says why",
                truth.pairs()
            ),
            remedy: "Give the statements of all steps in their order (--statement FILE for each, or one that 'mask --after' wrote); until \
                     then attacks by law do without it, and the figures say less than an intruder finds"
                .into(),
        });
    }
    found
}

/// Notes which of these attributes attacks by law do not see, and why.
pub(super) fn note_without_law(laws: &Laws, known: &[&str], observer: &dyn Observer) {
    for (name, why) in laws.without() {
        if known.contains(&name) {
            observer.note(&format!(
                "note: {name} {why}: attacks by law do without it, others compare it as it is"
            ));
        }
    }
    if !laws.is_complete() {
        let unmoved: Vec<&str> = (known.iter().copied())
            .filter(|name| !laws.moves(name) && laws.without().all(|(without, _)| without != *name))
            .collect();
        if !unmoved.is_empty() {
            observer.note(&format!(
                "note: the statement does not begin with the file as it was collected, so nothing is known of what it does not name: attacks by \
                 law do without {}",
                unmoved.join(", ")
            ));
        }
    }
}
