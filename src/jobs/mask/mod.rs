//! `mask` as a job: a request and a table go in, the masked table and what is to be said of it come out.

mod drafts;
mod methods;
pub mod recipe;
pub mod request;

use request::{CopulaKeep, MaskRequest, MethodRequest};

use super::{Observer, refuse_empty, shell_word};
use crate::{
    error::{Error, Result},
    evaluate::shard::Shard,
    mask::{
        Mask, Masked,
        keeping::{Keeping, WhatWasKept},
        relations::{Broken, Relations},
    },
    report::{part::Columns, text},
    rng::{Purpose, Seed},
    table::{AttrId, Role, Singling, Table, list_of},
};

/// The bytes that noise is drawn from with [`SecretUse`](request::SecretUse), and where they were read.
pub struct SecretKey {
    /// The name of the file, for messages.
    pub file: String,
    /// The key itself; never printed.
    pub bytes: Vec<u8>,
}

/// A secret is never printed.
impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecretKey")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// What a masking made.
#[derive(Debug)]
pub struct Outcome {
    /// The masked table, what may be published about it, and what was done.
    pub masked: Masked,
    /// What was kept beside the method.
    pub kept: WhatWasKept,
    /// What was broken of the original's relations.
    pub broken: Broken,
}

/// A method with its parameters, and what of a table it masks.
#[derive(Debug)]
pub struct Prepared {
    method: Box<dyn Mask>,
    keeping: Keeping,
    /// Within which attributes' equal values it is applied, if there are any.
    strata: Vec<AttrId>,
    chosen: Vec<AttrId>,
    /// Of a part, the names of all attributes that all parts mask.
    chosen_by_all: Option<Vec<String>>,
    dropped: Vec<AttrId>,
    is_random: bool,
    /// Steps that were done before it.
    steps_before: u32,
}

/// The columns of this part of a masked file, which was made by a request for that part: with those of the other parts they are the file of one
/// run, and it has the same statement. `None` of a file that nothing was done to.
///
/// # Panics
/// If the file has a single attribute, which a request for a part does not make.
pub fn part(release: &recipe::Release, shard: Shard) -> Option<Columns> {
    let table = release.table();
    let own = shard.of_all(table.n_attributes()).map(AttrId::new);
    Some(Columns {
        statement: release.statement()?.clone(),
        columns: own.map(|id| table.column_text(id)).collect(),
        frame: table.frame(),
    })
}

/// Checks a request against a table. The options of `copula` that ask for a risk are settled here, by attacks on drafts.
///
/// # Errors
/// Usage and Input, when the request makes no sense for the table.
pub fn prepare(
    request: &MaskRequest,
    table: &Table,
    key: Option<&SecretKey>,
    observer: &dyn Observer,
) -> Result<Prepared> {
    refuse_empty([table], "nothing to mask")?;
    request.method.check()?;
    let method = request
        .method(table, key, observer)
        .map_err(|error| error.in_file(table.name()))?;
    let dropped = request.dropped(table, observer)?;
    let keeping = Keeping::new(table, &request.kept.sums, request.kept.zeros_within)?;
    for exception in keeping.exceptions(table) {
        observer.warn(&exception)?;
    }
    let strata = request.strata(table)?;
    let what = (method.as_ref(), &keeping, strata.as_slice());
    let chosen = request.attributes(what, table, &dropped, observer)?;
    keeping
        .refuse_strata(table, &strata, &chosen)
        .map_err(|error| error.in_file(table.name()))?;
    let own = request.own(table, &dropped)?;
    let chosen_by_all = own.as_ref().map(|_| table.names(&chosen));
    let mut chosen = chosen;
    chosen.retain(|id| own.as_ref().is_none_or(|own| own.contains(id)));
    let idle = method.idle(table, &chosen).into_iter();
    for idle in idle.chain(keeping.idle(table, &chosen)) {
        observer.unused(&idle)?;
    }
    for &id in &chosen {
        let attribute = table.attribute(id);
        observer.detail(&format!(
            "  {}: {:?}, {}",
            attribute.name, attribute.scale, attribute.scale_reason
        ));
    }
    let mut prepared = Prepared {
        method,
        keeping,
        strata,
        chosen,
        chosen_by_all,
        dropped,
        is_random: request.is_random(),
        steps_before: 0,
    };
    if let MethodRequest::Copula(copula) = &request.method
        && !matches!(copula.keep, CopulaKeep::Stated(_, None))
    {
        let options = request.copula_options(copula, table, key)?;
        prepared.method = observer
            .stage("risk", || {
                drafts::settled(&copula.keep, &options, &prepared, table, observer)
            })
            .map(Box::new)
            .map_err(|error| error.in_file(table.name()))?;
    }
    Ok(prepared)
}

impl Prepared {
    /// The same as a step after so many others: it draws from streams of its own, so that two steps with one seed do not draw the same.
    #[must_use]
    pub fn after(self, steps: u32) -> Self {
        Self {
            steps_before: steps,
            ..self
        }
    }

    /// Whether a seed decides what becomes of the records.
    pub fn is_random(&self) -> bool {
        self.is_random
    }

    /// Masks the table, and leaves out of it what does not reach the masked file. The records stay in order.
    ///
    /// # Errors
    /// What the method objects to.
    pub fn mask(&self, table: Table, seed: &Seed) -> Result<Masked> {
        self.kept_and_masked(table, seed).map(|(masked, _)| masked)
    }

    /// The same, with all that is to be said of it.
    ///
    /// # Errors
    /// What the method objects to.
    pub fn run(&self, table: Table, seed: &Seed, observer: &dyn Observer) -> Result<Outcome> {
        observer.progress(&format!("masking {}", table.name()));
        // A clone shares the file and its columns.
        let original = table.clone();
        let totals = self.keeping.totals(&self.chosen);
        let relations = observer.stage("relations", || {
            Relations::of(&original, &self.chosen, &totals)
        });
        let name = self.method.name();
        let (masked, kept) = observer.stage(name, || self.kept_and_masked(table, seed))?;
        Ok(Outcome {
            broken: relations.broken_in(&original, &masked.table),
            masked,
            kept,
        })
    }

    fn kept_and_masked(&self, table: Table, seed: &Seed) -> Result<(Masked, WhatWasKept)> {
        let name = table.name().to_owned();
        let streams = seed.streams(Purpose::Mask, self.steps_before);
        let (masked, kept) = self
            .keeping
            .mask_within(
                self.method.as_ref(),
                (table, &self.strata),
                &self.chosen,
                &streams,
            )
            .map_err(|error| error.in_file(name))?;
        Ok((self.released(masked), kept))
    }

    /// Without what does not reach the masked file, of which nothing is said.
    fn released(&self, mut masked: Masked) -> Masked {
        masked.step.dropped = masked.table.names(&self.dropped);
        if let Some(all) = &self.chosen_by_all {
            masked.step.attributes.clone_from(all);
        }
        if self.strata.iter().any(|id| self.dropped.contains(id)) {
            // Who cannot see the strata has no use for what is true in each, and nobody needs to read which there are.
            masked.step.within.clear();
        }
        let table = masked.table.without(&self.dropped);
        let released = |name: &String| table.find(name).is_ok();
        masked.step.kept.sums.retain(|sum| released(&sum.total));
        masked.table = table;
        masked
    }
}

/// What looks like an identifier is neither masked nor released before somebody says what it is.
fn refuse_likely(table: &Table, likely: &[(AttrId, Singling)]) -> Result<()> {
    const SHOWN: usize = 12;
    if likely.is_empty() {
        return Ok(());
    }
    let ids: Vec<AttrId> = likely.iter().map(|&(id, _)| id).collect();
    let names = table.names(&ids);
    let looks: Vec<String> = (names.iter().zip(likely))
        .map(|(name, (_, singling))| format!("{name} ({})", singling.words()))
        .collect();
    let list = shell_word(&list_of(&names));
    let looks = text::names(&looks, SHOWN);
    Err(Error::likely_identifiers(names, &looks, &list).in_file(table.name()))
}

impl MaskRequest {
    /// The attributes that do not reach the masked file: those that the request names, and identifiers.
    fn dropped(&self, table: &Table, observer: &dyn Observer) -> Result<Vec<AttrId>> {
        let mut dropped = match &self.dropped {
            Some(list) => table.select(list)?,
            None => Vec::new(),
        };
        let mut identifiers = table.with_role(Role::Identifier);
        identifiers.retain(|id| !dropped.contains(id));
        let mut likely = table.wanting_roles();
        likely.retain(|(id, _)| !dropped.contains(id));
        if self.keeps_identifiers {
            identifiers.extend(likely.iter().map(|&(id, _)| id));
            identifiers.sort_unstable();
            if identifiers.is_empty() {
                observer
                    .unused("--keep-identifiers has no effect: no attribute is an identifier")?;
            } else {
                observer.note(&format!(
                    "note: identifiers stay in the masked file ({}): it is for evaluation and must not be released",
                    table.names(&identifiers).join(", ")
                ));
            }
        } else {
            refuse_likely(table, &likely)?;
            for &id in &identifiers {
                let attribute = table.attribute(id);
                observer.note(&format!(
                    "note: {} is left out of the masked file: identifier ({})",
                    attribute.name, attribute.role_reason
                ));
            }
            dropped.extend(identifiers);
        }
        if dropped.len() == table.attributes().len() {
            let error = match self.dropped {
                Some(_) => Error::usage("no attribute would be left in the masked file")
                    .remedy("Drop fewer, or declare roles in a roles file (--roles)"),
                None => Error::input("has identifiers only: nothing would be left in the masked file")
                    .remedy("See 'sdcrisk describe' for how it was read; --delimiter or a roles file (--roles) override that"),
            };
            return Err(error.in_file(table.name()));
        }
        Ok(dropped)
    }

    /// The attributes that are masked.
    fn attributes(
        &self,
        (method, keeping, strata): (&dyn Mask, &Keeping, &[AttrId]),
        table: &Table,
        dropped: &[AttrId],
        observer: &dyn Observer,
    ) -> Result<Vec<AttrId>> {
        let listed = self.attributes.as_deref();
        let named = match self.method.attributes(table)? {
            None => listed.map(|list| table.select(list)).transpose()?,
            named => named,
        };
        let by_name = named.is_some();
        let mut chosen = Vec::new();
        for id in named.unwrap_or_else(|| table.with_role(Role::QuasiIdentifier)) {
            let name = &table.attribute(id).name;
            if dropped.contains(&id) {
                if by_name {
                    return Err(Error::usage("cannot be masked and left out of the masked file at once")
                        .on_attribute(name)
                        .remedy(match self.dropped {
                            Some(_) => "Mask it or drop it",
                            None => "It was taken for an identifier: say --keep-identifiers (evaluation), or declare its role in --roles",
                        }));
                }
                continue;
            }
            let reluctance = || {
                let why = method.reluctance(table, id).filter(|_| !by_name);
                why.map(Error::usage)
            };
            let makes_strata = strata.contains(&id);
            let of_strata =
                || makes_strata.then(|| Error::usage("makes the strata, which stay as they are"));
            let why_not = of_strata()
                .or_else(|| keeping.objection(table, id))
                .or_else(|| method.objection(table, id))
                .or_else(reluctance);
            match why_not {
                None => chosen.push(id),
                Some(why) if by_name => {
                    let remedy = if makes_strata {
                        "Take it out of --strata, or name what is masked without it (--attributes)"
                    } else {
                        "Leave it out of --attributes, or declare its scale in a roles file (--roles)"
                    };
                    return Err(why.in_file(table.name()).on_attribute(name).remedy(remedy));
                }
                Some(why) => {
                    observer.note(&format!("note: {name} is not masked: it {}", why.what()))
                }
            }
        }
        if chosen.is_empty() && method.masks_values() {
            return Err(Error::input(format!("has no attribute that {} can mask", method.name()))
                .in_file(table.name())
                .remedy("'sdcrisk describe' shows how its attributes were read; a roles file (--roles) overrides that"));
        }
        Ok(chosen)
    }
}
