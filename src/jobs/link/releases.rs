//! Further releases of the same people.

use super::{
    Further,
    methods::{Method, methods},
    published::Facts,
    request::{Alignment, AttackRequest, LinkRequest},
    statement::check_statement,
};
use crate::{
    error::{Difference, Error, Reason, Result},
    evaluate::{
        link::{self, Shared},
        truth::{self, MaskedRecord},
    },
    jobs::Observer,
    statement::{Laws, Method as StatedMethod},
    table::Table,
};

/// A further release, ready to be attacked.
#[derive(Debug)]
pub(super) struct Release<'a> {
    pub(super) table: &'a Table,
    /// What is assumed of it.
    pub(super) methods: Vec<Method>,
    /// Whether it has the history of the masked file.
    pub(super) shares_history: bool,
    /// For each record of the masked file, the record of the same person.
    pub(super) counterpart: Vec<Option<MaskedRecord>>,
}

/// Aligns the further releases with the masked file, which `facts` are of.
///
/// # Errors
/// Input, when a release has no such column, names a record twice, or shares none with the masked file; Usage or Input of
/// what was published about it.
pub(super) fn aligned<'a>(
    request: &LinkRequest,
    further: &'a [Further],
    facts: &Facts<'_>,
) -> Result<Vec<Release<'a>>> {
    if further.is_empty() {
        return Ok(Vec::new());
    }
    let Some(id) = &request.release_id else {
        return Err(Error::usage(
            "further releases need an attribute that says which of their records are the same person's",
        ));
    };
    let adds_up = |attack: &AttackRequest| {
        matches!(
            attack,
            AttackRequest::Likelihood | AttackRequest::Involution { .. }
        )
    };
    if !request.attacks.single_attacks().all(adds_up) {
        return Err(Error::usage(
            "likelihoods of several releases are added up, which only likelihood and involution have",
        ));
    }
    let masked = facts.masked;
    let ids = truth::identifiers(masked, masked.find(id)?)?;
    let align = |release: &'a Further| -> Result<Release<'a>> {
        let table = &release.table;
        let mut records = truth::identifiers(table, table.find(id)?)?;
        let mut counterpart = vec![None; masked.n_records()];
        for (key, &record) in &ids {
            counterpart[record as usize] = records.remove(key).map(MaskedRecord);
        }
        let both = counterpart.iter().flatten().count();
        if both == 0 {
            return Err(Error::input("no identifier of it occurs in the masked file")
                .because(Reason::FilesDiffer { by: Difference::People })
                .in_file(table.name())
                .on_attribute(id)
                .remedy("Check that --release-id names the column by which the releases can be aligned"));
        }
        let [without, beside] = [masked.n_records() - both, table.n_records() - both];
        if without + beside > 0 {
            facts.observer.note(&format!(
                "note: {}: {both} records are in the masked file too; of {without} masked records it says nothing, and {beside} of its own are not looked for",
                table.name()
            ));
        }
        if let Some(stated) = release.stated() {
            check_statement(
                stated.statement,
                stated.file,
                &Alignment::Identifier(id.clone()),
                table,
                None,
            )?;
        }
        let own = release.stated().map(|own| own.statement);
        let own = own.map(|own| {
            // A recoding after values were moved is no part of a law here: the study has the original as the masked file's history recodes it.
            let composed = own.composed(&|_, _, _| None).statement;
            let mut laws = Laws::of_composed(own, &composed);
            for name in facts.recoded_otherwise(own) {
                facts.observer.note(&format!(
                    "note: {}: {name} was recoded otherwise than in the masked file: attacks by law do without it here",
                    table.name()
                ));
                laws.contradict(name);
            }
            laws
        });
        let laws = own.as_ref().or(facts.laws);
        if draws_from_secret(laws) && draws_from_secret(facts.laws) {
            facts.observer.note(&format!(
                "note: {}: its noise and that of the masked file come from a secret. If it is the same one, this release says \
                 little new, and probabilities stated for all releases together are too high",
                table.name()
            ));
        }
        let (methods, _) = methods(
            request,
            &Facts {
                laws,
                records: facts.records.max(table.n_records()),
                masked: table,
                ..*facts
            },
        )?;
        Ok(Release {
            table,
            methods,
            shares_history: own.is_none(),
            counterpart,
        })
    };
    further.iter().map(align).collect()
}

/// Whether a masking drew its noise from a secret, so that another one could draw the same.
fn draws_from_secret(laws: Option<&Laws>) -> bool {
    let is_secret =
        |method: &StatedMethod| matches!(method, StatedMethod::Copula(copula) if copula.secret);
    laws.is_some_and(|laws| laws.find(is_secret).is_some())
}

/// The known attributes that a further release has, too.
///
/// # Errors
/// Input, when it has none of them.
pub(super) fn known_in(
    release: &Table,
    original: &Table,
    known: &[Shared],
    observer: &dyn Observer,
) -> Result<Vec<Shared>> {
    let mut shared = Vec::new();
    for attribute in known {
        match link::comparable(original, release, attribute.original) {
            Ok(pair) => shared.push(pair),
            Err(why) => observer.note(&format!(
                "note: {}: {} is not compared: it {}",
                release.name(),
                original.attribute(attribute.original).name,
                why.what().replace("the masked file", "this release")
            )),
        }
    }
    if shared.is_empty() {
        Err(
            Error::input("has no attribute that the intruder knows and that can be compared")
                .because(Reason::NothingToCompare)
                .in_file(release.name())
                .remedy("Leave it out of --also, or name attributes that it has with --known"),
        )
    } else {
        Ok(shared)
    }
}
