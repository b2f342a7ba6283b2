//! What an intruder who has read the history of a release does with their own file before anything is compared.

use super::{Observer, Quiet};
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
    statement::{Composed, Laws, Method, RecodingRule, Statement},
    table::{AttrId, ReadOptions, Roles, Table},
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

/// What laws are made of: the history with one step for several on one attribute, where their law is known ([`Statement::composed`]).
///
/// What rules make of categories is found by the code that masks. `original` is as it was collected: it says whether an attribute has numbers.
pub(super) fn composed(statement: &Statement, original: &Table) -> Composed {
    statement.composed(&|place, rule, categories| {
        let before = Statement {
            steps: statement.steps[..place].to_vec(),
            ..statement.clone()
        };
        let id = original.find(&rule.attribute).ok()?;
        let recoded = recoded(&before, original, &|other| other != id, &Quiet).ok()?;
        merged(rule, categories, recoded.as_ref().unwrap_or(original))
    })
}

/// What a published rule makes of these categories of an attribute which has numbers or text as in this table; `None` where a cell's text
/// decides that is not its category.
fn merged(rule: &RecodingRule, categories: &[String], like: &Table) -> Option<Vec<String>> {
    const NAME: &str = "a";
    let id = like.find(&rule.attribute).ok()?;
    let (has_numbers, are_numerals) = (like.has_numbers(id), like.has_numerals(id));
    // Ordered text and dates are numbers to an attack, and numbers have more than one spelling.
    let is_spelled = |category: &String| category.is_empty() || category.contains(['\n', '\r']);
    if has_numbers && (!are_numerals || rule.digits.is_some()) || categories.iter().any(is_spelled)
    {
        return None;
    }
    let mut text = format!("{NAME}\n");
    for category in categories {
        text += &format!("\"{}\"\n", category.replace('"', "\"\""));
    }
    let scale = if has_numbers { "continuous" } else { "nominal" };
    let options = ReadOptions {
        delimiter: Some(b','),
        decimal_mark: Some('.'),
        thousands_mark: Some(None),
        header: Some(true),
        na: Some(Vec::new()),
        roles: Roles::parse(&format!("{scale} = ['{NAME}']")).ok()?,
        ..ReadOptions::default()
    };
    let table = Table::read("categories", text.into_bytes(), &options).ok()?;
    let id = table.find(NAME).ok()?;
    let is_like = table.has_numbers(id) == has_numbers && table.has_numerals(id) == are_numerals;
    if !is_like || table.n_records() != categories.len() {
        return None;
    }
    let rule = RecodingRule {
        attribute: NAME.into(),
        ..rule.clone()
    };
    let rules = Rules::of_statement(&[rule]).ok()?;
    if rules.is_empty() {
        return Some(categories.to_vec());
    }
    // Nothing is drawn.
    let streams = Seed::from_number(0).streams(Purpose::Mask, 0);
    let masked = Recode::new(rules).apply(table, &[id], &streams).ok()?.table;
    let after: Vec<String> = (0..masked.n_records())
        .map(|record| masked.category(record, id).into_owned())
        .collect();
    if !has_numbers {
        return Some(after);
    }
    let numbers: Option<Vec<String>> = (after.iter())
        .map(|text| Some((text.parse::<f64>().ok()? + 0.0).to_string()))
        .collect();
    // Beside labels, a number that stayed is text, spelled as it was in the file.
    let is_kept = |(before, after): (&String, &String)| before == after;
    let is_mixed = categories.iter().zip(&after).any(is_kept);
    numbers.or_else(|| (!is_mixed).then_some(after))
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
