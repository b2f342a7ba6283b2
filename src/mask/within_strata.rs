//! Masking within strata: a method is applied to each stratum by itself, so that nothing moves from one to another.

use super::{
    Details, Effect, Masked,
    categories::{self, Stratum},
    keeping::WhatWasKept,
    microaggregation::{Block, Gaps, Partition},
};
use crate::{
    error::{Error, Result},
    rng::Streams,
    statement::{InStratum, Step},
    table::{AttrId, Part, Table},
};

/// A stratum has so many records at least: nobody is masked alone.
const LEAST: usize = 2;

/// A stratum that was masked.
struct Done {
    stratum: Stratum,
    records: Vec<u32>,
    masked: Masked,
    kept: WhatWasKept,
}

/// Masks each stratum of equal values of some attributes by itself, and joins what came of it in the order of the file.
///
/// `masked` masks the records of one stratum as if they were a file; `changing` are all attributes that it changes. They are in one
/// spelling already, that of the whole file, so what is written in a cell does not tell of which stratum it is.
///
/// # Strata
/// Numbers are equal by value, names by text. A missing value is a category of its own, as in samples and post-randomisation. The order of
/// the strata is that of their names, so the order of the file decides nothing.
///
/// # Randomness
/// Each stratum has streams of its own, by its place in that order.
///
/// # Errors
/// Usage, where an attribute of the strata is masked or worked out anew. Input, where a stratum has one record only. What the method objects
/// to in a stratum, with its number of records.
pub(super) fn mask(
    (original, strata): (Table, &[AttrId]),
    changing: &[AttrId],
    streams: &Streams,
    masked: impl Fn(Table, &Streams) -> Result<(Masked, WhatWasKept)>,
) -> Result<(Masked, WhatWasKept)> {
    let names = original.names(strata);
    if let Some(&id) = strata.iter().find(|id| changing.contains(id)) {
        return Err(moved(&original, id));
    }
    let parts = categories::strata(&original, strata);
    refuse_single(parts.values().map(Vec::len), &names)?;
    let mut done = Vec::with_capacity(parts.len());
    for (place, (stratum, records)) in (0..).zip(parts) {
        let part = original.clone().reordered(records.clone());
        let n = records.len();
        let (masked, kept) = masked(part, &streams.of_stratum(place))
            .map_err(|error| in_stratum(error, n, &names))?;
        done.push(Done {
            stratum,
            records,
            masked,
            kept,
        });
    }
    Ok(joined(original, names, changing, done))
}

/// The error of an attribute that makes the strata and is to be changed.
pub(super) fn moved(table: &Table, id: AttrId) -> Error {
    Error::usage("makes the strata, which stay as they are: it cannot be masked within them")
        .on_attribute(&table.attribute(id).name)
        .remedy("Take it out of --strata, or out of what is masked")
}

fn refuse_single(sizes: impl Iterator<Item = usize> + Clone, names: &[String]) -> Result<()> {
    let all = sizes.clone().count();
    match sizes.filter(|&size| size < LEAST).count() {
        0 => Ok(()),
        single => Err(Error::input(format!(
            "{single} of the {all} strata of {} {} a single record, which would be masked alone",
            names.join(", "),
            if single == 1 { "has" } else { "have" }
        ))
        .remedy(
            "Recode what makes the strata into fewer categories (mask recode), or name fewer attributes; missing values are a category",
        )),
    }
}

/// What a method objects to in a stratum of so many records.
fn in_stratum(error: Error, records: usize, names: &[String]) -> Error {
    error.of_part(
        format_args!("in a stratum of {records} records"),
        &format!(
            "recode {} into fewer categories, or name fewer attributes in --strata",
            names.join(", ")
        ),
    )
}

/// The file made of its strata.
fn joined(
    original: Table,
    strata: Vec<String>,
    changing: &[AttrId],
    done: Vec<Done>,
) -> (Masked, WhatWasKept) {
    let sizes: Vec<usize> = done.iter().map(|one| one.records.len()).collect();
    let step = step(strata, &done, original.n_records());
    let kept = kept(&done);
    let mut parts: Vec<Part> = Vec::with_capacity(done.len());
    let (mut effects, mut details) = (Vec::new(), Vec::new());
    for one in done {
        effects.push(one.masked.effects);
        details.push((one.records.clone(), one.masked.details));
        parts.push((one.records, one.masked.table));
    }
    let n_records = original.n_records();
    let table = original.clone().with_parts(changing, &parts);
    let masked = Masked {
        effects: self::effects(effects, [&original, &table]),
        table,
        step,
        respelled: Vec::new(),
        strata: sizes,
        details: self::details(details, n_records),
    };
    (masked, kept)
}

/// The step of all strata: with the parameters of the greatest, the first of several, and those of each if they differ.
fn step(strata: Vec<String>, done: &[Done], records: usize) -> Step {
    let greatest = done.iter().rev().max_by_key(|one| one.records.len());
    let Some(greatest) = greatest.map(|one| &one.masked.step) else {
        unreachable!("a file that is masked has records")
    };
    let mut step = Step {
        records,
        strata,
        ..greatest.clone()
    };
    if done.iter().any(|one| one.masked.step.method != step.method) {
        let of_stratum = |one: &Done| InStratum {
            stratum: one.stratum.clone(),
            method: one.masked.step.method.clone(),
        };
        step.within = done.iter().map(of_stratum).collect();
    }
    for one in done {
        step.kept.join_parts(&one.masked.step.kept);
    }
    step
}

fn kept(done: &[Done]) -> WhatWasKept {
    let mut all = WhatWasKept::default();
    for one in done {
        for (total, missing) in &one.kept.now_missing {
            match all.now_missing.iter_mut().find(|(name, _)| name == total) {
                Some((_, sum)) => *sum += missing,
                None => all.now_missing.push((total.clone(), *missing)),
            }
        }
        match (&mut all.zeros, &one.kept.zeros) {
            (Some(all), Some(zeros)) => {
                all.records += zeros.records;
                all.published.join_parts(&zeros.published);
            }
            (all @ None, Some(zeros)) => *all = Some(zeros.clone()),
            (_, None) => {}
        }
    }
    all
}

/// What was done to each attribute in all strata. Squared errors are in units of its variance in the file.
fn effects(of_strata: Vec<Vec<Effect>>, [before, after]: [&Table; 2]) -> Vec<Effect> {
    let mut all: Vec<Effect> = Vec::new();
    for effect in of_strata.into_iter().flatten() {
        match all.iter_mut().find(|sum| sum.attribute == effect.attribute) {
            Some(sum) => {
                sum.values += effect.values;
                sum.changed += effect.changed;
                sum.missing += effect.missing;
                sum.squared_error = sum.squared_error.or(effect.squared_error);
            }
            None => all.push(effect),
        }
    }
    for sum in all.iter_mut().filter(|sum| sum.squared_error.is_some()) {
        let id = before.find(&sum.attribute).ok();
        let id = id.filter(|&id| before.has_numbers(id) && after.has_numbers(id));
        sum.squared_error = id.and_then(|id| Effect::between(before, after, id).squared_error);
    }
    all
}

/// What is added up of the details, or those of each stratum.
fn details(of_strata: Vec<(Vec<u32>, Details)>, n_records: usize) -> Details {
    let mut lonely: Option<Vec<usize>> = None;
    let mut blocks: Option<Vec<Block>> = None;
    let mut others = Vec::new();
    for (records, details) in of_strata {
        match details {
            Details::Swapping { without_partner } => match &mut lonely {
                None => lonely = Some(without_partner),
                Some(lonely) => {
                    for (sum, more) in lonely.iter_mut().zip(without_partner) {
                        *sum += more;
                    }
                }
            },
            Details::Microaggregation(own) => {
                let own = own.into_iter().map(|block| {
                    let records: Vec<usize> = records.iter().map(|&r| r as usize).collect();
                    Block {
                        partition: block.partition.among(n_records, &records),
                        ..block
                    }
                });
                match &mut blocks {
                    None => blocks = Some(own.collect()),
                    Some(blocks) => {
                        for (block, more) in blocks.iter_mut().zip(own) {
                            join(block, more);
                        }
                    }
                }
            }
            Details::None => {}
            other => others.push(other),
        }
    }
    match (lonely, blocks) {
        (Some(without_partner), _) => Details::Swapping { without_partner },
        (None, Some(blocks)) => Details::Microaggregation(blocks),
        (None, None) if others.is_empty() => Details::None,
        (None, None) => Details::Strata(others),
    }
}

/// Adds the groups that a block has in another stratum.
fn join(block: &mut Block, more: Block) {
    block.partition = Partition::joined(&block.partition, &more.partition);
    let Gaps { rare, thin, alone } = more.gaps;
    block.gaps.rare += rare;
    block.gaps.thin += thin;
    block.gaps.alone += alone;
}
