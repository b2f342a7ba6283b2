//! Attacks a masked file and counts the correct links.

mod aggregates;
mod cases;
mod certificate;
mod check;
mod input;
mod learned;
mod methods;
mod published;
mod releases;
pub mod request;
mod rounds;
mod scene;
mod statement;
mod unused;
mod work;

use aggregates::Sides;
pub use input::{Further, Input, Stated};
use published::Facts;
use request::AttackRequest;
pub use request::LinkRequest;
use scene::Scene;
pub use statement::check_earlier;
pub(crate) use statement::check_statement;
use unused::{note_unknown_names, note_unused};
use work::Work;

use super::{Observer, Quiet, crosswalk, history, refuse_empty};
use crate::{
    attack::{distance_based::Standardize, learned::weights::Weights},
    certificate::Certificate,
    error::{Error, Result},
    evaluate::{
        link::{Claim, LeftOut},
        truth::Truth,
    },
    report::link::{Attempts, LinkReport},
    rng::Seed,
    statement::Laws,
    table::Table,
};

/// What there is where a file has no records.
pub(crate) const NOBODY: &str = "nobody to link";

/// What the attacks of a call found.
#[derive(Debug)]
pub struct LinkOutcome {
    /// What the attacks found, without provenance.
    pub report: LinkReport,
    /// What a part of the call found, if that is what was asked for: the report has no results then.
    pub part: Option<Attempts>,
    /// The links of the last attack, if they were asked for; of a part, those that it found.
    pub claims: Vec<Claim>,
    /// What was learned last.
    pub weights: Option<Weights>,
    /// Its proof, if it was asked for.
    pub certificate: Option<Certificate>,
}

/// Attacks a masked file as the request says.
///
/// # Errors
/// Usage, where the request makes no sense for these files; Input for a statement that is not of the masked file, and what the
/// attacks object to.
pub fn run(
    request: &LinkRequest,
    input: &Input<'_>,
    observer: &dyn Observer,
) -> Result<LinkOutcome> {
    let &Input {
        original,
        masked,
        truth,
        ..
    } = input;
    request.check()?;
    refuse_empty([original, masked], NOBODY)?;
    if let Some(stated) = input.statement {
        check_statement(
            stated.statement,
            stated.file,
            &request.alignment,
            masked,
            Some(truth),
        )?;
    }
    let crossed = match &request.crosswalk {
        Some(rules) => Some(crosswalk::crossed(rules, original, observer)?),
        None => None,
    };
    let original = crossed.as_ref().map_or(original, |crossed| &crossed.table);
    let recoded = match input.statement {
        Some(stated) => history::recoded(stated.statement, original, &|_| false, observer)
            .map_err(|error| error.in_file(stated.file))?,
        None => None,
    };
    let composed = (input.statement).map(|stated| history::composed(stated.statement, original));
    // Laws that include a recoding are about values before it; everything else compares values after it.
    let unrecoded = match (&composed, input.statement) {
        (Some(composed), Some(stated)) if !composed.unrecoded.is_empty() => {
            let table = history::recoded(&composed.statement, original, &|_| false, &Quiet)
                .map_err(|error| error.in_file(stated.file))?;
            let table = table.unwrap_or_else(|| original.clone());
            Some((table, composed.unrecoded.as_slice()))
        }
        _ => None,
    };
    if crossed.is_some() && request.learning.wants_certificate {
        return Err(Error::usage(
            "a certificate is checked against the files as they are, but a crosswalk changes the original first",
        )
        .remedy("Write the original as the crosswalk makes it, and give that; or leave --certificate out"));
    }
    if recoded.is_some() && request.learning.wants_certificate {
        return Err(Error::usage(
            "a certificate is checked against the files as they are, but the statement says that the original must be recoded first",
        )
        .remedy("Recode the original (sdcrisk mask recode), give that as the original, and the statement of the later steps"));
    }
    let input = &Input {
        original: recoded.as_ref().unwrap_or(original),
        ..*input
    };
    let original = input.original;
    warn_of_strangers(truth, original, masked, observer);

    let seed = request.seed()?;
    let mut laws = composed
        .as_ref()
        .zip(input.statement)
        .map(|(composed, stated)| Laws::of_composed(stated.statement, &composed.statement));
    let mut scene = Scene::new(request, input, &seed, laws.as_mut(), observer)?;
    scene.unrecoded = (unrecoded.as_ref()).map(|(table, attributes)| (table, *attributes));
    let laws = laws.as_ref();
    let facts = Facts {
        published: &request.published,
        statement: input.statement.map(|stated| stated.statement),
        laws,
        // A file that was shortened after masking was masked as a whole.
        records: original.n_records().max(masked.n_records()),
        attributes: original.attributes(),
        masked,
        standardize: request
            .standardize
            .unwrap_or_else(|| Standardize::usual(scene.held.len(), masked.n_records())),
        observer,
    };
    scene.note_what_was_assumed(&facts);
    let (methods, not_run) = methods::methods(request, &facts)?;
    let releases = releases::aligned(request, input.further, &facts)?;
    note_unused(request, original, &scene.cases, observer)?;
    let by_likelihood = (request.attacks.single_attacks())
        .any(|attack| matches!(attack, AttackRequest::Likelihood));
    if by_likelihood && laws.is_none() && request.published.rank_swapping.is_some() {
        observer.note(
            "note: likelihood takes rank swapping with this very window, partners drawn among unswapped values; --statement says what was done",
        );
    }
    let held = scene.held.clone();
    let rounds = request.rounds(original, masked, truth, held, &seed)?;
    let turns = scene.cases.len() * rounds.len();
    request.refuse_several(methods.len() * turns, turns)?;
    let mut work = Work::new(request, observer, &methods, facts.standardize)?;
    for (number, round) in rounds.iter().enumerate() {
        scene.attack(&mut work, round, (number, rounds.len()), &releases)?;
    }
    let crosswalk = crossed.as_ref().map(|crossed| crossed.summary.clone());
    Ok(scene.outcome(work, not_run, crosswalk))
}

/// Checks a request for attacks on masked files of this original, as far as that can be done before masking, and gives the
/// attributes that will not be compared.
///
/// # Errors
/// Usage or Input: what [`run`] would object to in every masked file.
pub fn check_on(
    request: &LinkRequest,
    original: &Table,
    observer: &dyn Observer,
) -> Result<Vec<LeftOut>> {
    request.check()?;
    refuse_empty([original], NOBODY)?;
    let seed = request.seed()?;
    let held = request.held(original, &seed)?;
    methods::check(request, original.attributes())?;
    match Sides::of(request, original, original, &held)? {
        Some(sides) => Ok(sides.left_out),
        None => {
            let truth = Truth::by_order(original, original)?;
            let (cases, left_out) = request.cases(original, original, &truth, &seed)?;
            note_unknown_names(request, original, &cases, observer)?;
            Ok(left_out)
        }
    }
}

impl LinkRequest {
    /// The seed of what the intruder knows.
    fn seed(&self) -> Result<Seed> {
        match self.seed {
            Some(number) => Ok(Seed::from_number(number)),
            None if self.draws_knowledge() => Seed::from_system(),
            None => Ok(Seed::from_number(0)),
        }
    }
}

fn warn_of_strangers(truth: &Truth, original: &Table, masked: &Table, observer: &dyn Observer) {
    let without = original.n_records() - truth.pairs();
    if without > 0 {
        observer.note(&format!(
            "note: {without} of {} original records have no masked record; their links cannot be correct",
            original.n_records()
        ));
    }
    let strangers = masked.n_records() - truth.pairs();
    if strangers > 0 {
        observer.note(&format!(
            "note: {strangers} of {} masked records belong to nobody in the original file",
            masked.n_records()
        ));
    }
}
