//! Attacks a masked file and counts the correct links.

mod aggregates;
mod cases;
mod certificate;
mod check;
mod learned;
mod methods;
mod published;
mod releases;
pub mod request;
mod rounds;
mod statement;
mod work;

use aggregates::Sides;
use learned::Learned;
use methods::NotRun;
use published::Facts;
use releases::{Release, known_in};
pub use request::LinkRequest;
use request::{AttackRequest, RankSwapping};
use rounds::Round;
pub use statement::check_earlier;
pub(crate) use statement::check_statement;
use work::{Along, Turn, Work};

use super::{Observer, Quiet, crosswalk, history, refuse_empty, warn_of};
use crate::{
    attack::{distance_based::Standardize, learned::weights::Weights},
    certificate::Certificate,
    error::{Error, Result},
    evaluate::{
        comparable::{self, Doubt},
        knowledge::Knowledge,
        link::{Claim, LeftOut, Shared, Study},
        status::Status,
        truth::{MaskedRecord, OriginalRecord, Truth},
    },
    report::{
        link::{
            self as report, LeftOutAttribute, LinkReport, LinkResult, MethodNotRun, ScenarioSummary,
        },
        part::Seekers,
    },
    rng::Seed,
    statement::{Laws, Statement},
    table::{AttrId, Role, Table},
};

/// What there is where a file has no records.
pub(crate) const NOBODY: &str = "nobody to link";

/// The files of a call.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The file of whom the intruder knows something.
    pub original: &'a Table,
    /// The masked file.
    pub masked: &'a Table,
    /// The statement of the masking.
    pub statement: Option<Stated<'a>>,
    /// Who is who in the two files, for the judge.
    pub truth: &'a Truth,
    /// Further releases of the same people.
    pub further: &'a [Further],
}

impl<'a> Input<'a> {
    /// A masked file alone.
    pub fn new(original: &'a Table, masked: &'a Table, truth: &'a Truth) -> Self {
        Self {
            original,
            masked,
            statement: None,
            truth,
            further: &[],
        }
    }
}

/// A statement of a masking.
#[derive(Debug, Clone, Copy)]
pub struct Stated<'a> {
    /// What it says.
    pub statement: &'a Statement,
    /// The name of its file, for messages.
    pub file: &'a str,
}

impl<'a> Stated<'a> {
    /// One that never was in a file.
    pub fn in_memory(statement: &'a Statement) -> Self {
        Self {
            statement,
            file: "the statement",
        }
    }
}

/// A further release of the same people.
#[derive(Debug)]
pub struct Further {
    /// The release, read.
    pub table: Table,
    /// Its statement, and the name of the file; that of the masked file is true of it, too, if `None`.
    pub statement: Option<(Statement, String)>,
}

impl Further {
    fn stated(&self) -> Option<Stated<'_>> {
        let stated = self.statement.as_ref();
        stated.map(|(statement, file)| Stated { statement, file })
    }
}

/// What the attacks of a call found.
#[derive(Debug)]
pub struct LinkOutcome {
    /// What the attacks found, without provenance.
    pub report: LinkReport,
    /// What is found out of the seekers of a shard, if these alone were judged; the report has the figures of nobody then.
    pub part: Option<Seekers>,
    /// The links of the last attack, if they were asked for.
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
    let mut work = Work::new(request, observer, &methods, not_run, facts.standardize)?;
    for (number, round) in rounds.iter().enumerate() {
        scene.attack(&mut work, round, (number, rounds.len()), &releases)?;
    }
    let mut outcome = scene.outcome(work);
    outcome.report.scenario.crosswalk = crossed.map(|crossed| crossed.summary);
    if let Some(part) = &mut outcome.part {
        part.asked.scenario.clone_from(&outcome.report.scenario);
    }
    Ok(outcome)
}

/// Who knows what in a call.
struct Scene<'a> {
    request: &'a LinkRequest,
    input: &'a Input<'a>,
    observer: &'a dyn Observer,
    /// The records that the intruder holds.
    held: Vec<OriginalRecord>,
    /// What is aggregated, where the files share no attribute.
    sides: Option<Sides>,
    /// The sets of attributes that the intruder knows; one empty set where the files share none.
    cases: Vec<Vec<Shared>>,
    /// The attributes that are in none of them, and why.
    left_out: Vec<LeftOut>,
    /// Those that cannot be compared in earnest.
    doubts: Vec<Doubt>,
    /// The original before attributes were recoded of which laws are about that, and these attributes.
    unrecoded: Option<(&'a Table, &'a [String])>,
}

impl<'a> Scene<'a> {
    /// Works it out, and notes what is not compared.
    fn new(
        request: &'a LinkRequest,
        input: &'a Input<'a>,
        seed: &Seed,
        laws: Option<&mut Laws>,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let &Input {
            original,
            masked,
            truth,
            ..
        } = input;
        let held = request.held(original, seed)?;
        let sides = Sides::of(request, original, masked, &held)?;
        let (cases, left_out) = match &sides {
            Some(sides) => (vec![Vec::new()], sides.left_out.clone()),
            None => request.cases(original, masked, truth, seed)?,
        };
        if let Some(Knowledge::Worst(size)) = request.known.family() {
            observer.note(&format!(
                "note: --known worst:{size}: the {} sets of {size} attributes are attacked that disclose most by a bound (bits that masked ranks give \
                 about original ones)",
                cases.len()
            ));
        }
        for left in &left_out {
            observer.note(&format!(
                "note: {} is not compared: it {}",
                left.attribute, left.why
            ));
        }
        let doubts = match &sides {
            Some(_) => Vec::new(),
            None => {
                let files = [original, masked];
                let mut doubts = doubts(files, &cases, &left_out, laws.as_deref());
                if let Some(laws) = laws {
                    let known = all_known(&cases);
                    let goes_by_law = (request.attacks.single_attacks())
                        .any(AttackRequest::uses_what_was_published);
                    if goes_by_law {
                        let names = known.iter().map(|pair| original.attribute(pair.original));
                        let names: Vec<&str> = names.map(|of| of.name.as_str()).collect();
                        history::note_without_law(laws, &names, observer);
                    }
                    doubts.extend(history::contradictions(laws, files, &known, truth, &doubts));
                }
                doubts
            }
        };
        warn_of(&doubts, observer)?;
        Ok(Self {
            request,
            input,
            observer,
            held,
            sides,
            cases,
            left_out,
            doubts,
            unrecoded: None,
        })
    }

    /// Notes what is assumed of files of different length.
    fn note_what_was_assumed(&self, facts: &Facts<'_>) {
        let Input {
            original, masked, ..
        } = self.input;
        let in_percent = matches!(
            facts.published.rank_swapping,
            Some(RankSwapping::Percent(_))
        );
        if in_percent && original.n_records() != masked.n_records() {
            self.observer.note(&format!(
                "note: --p is taken as a percentage of {} records, those of the larger file; --window states ranks",
                facts.records
            ));
        }
        if self.sides.is_some() && self.held.len() < masked.n_records() {
            self.observer.note(
                "note: aggregates ranks the intruder's records among themselves: of fewer records than were released it finds little",
            );
        }
    }

    /// The study where laws are about attributes as they were before they were recoded, if some are.
    fn before_recoding<'s>(&'s self, study: Study<'s>) -> Study<'s> {
        match self.unrecoded {
            Some((table, attributes)) => study.with_unrecoded(table, attributes),
            None => study,
        }
    }

    /// One round of attacks, the one of this number from 0: all methods in all cases.
    fn attack(
        &self,
        work: &mut Work<'_>,
        round: &Round,
        (number, of): (usize, usize),
        releases: &[Release<'_>],
    ) -> Result<()> {
        let &Input {
            original,
            masked,
            truth,
            ..
        } = self.input;
        let direction = self.request.direction;
        let study = |held: &[OriginalRecord], released: Option<&Vec<MaskedRecord>>| {
            self.before_recoding(match released {
                None => Study::new(original, masked, truth, held.to_vec(), direction),
                Some(released) => {
                    let (held, released) = (held.to_vec(), released.clone());
                    Study::among(original, masked, truth, held, released, direction)
                }
            })
        };
        let attacked = study(&round.held, round.released.as_ref()).in_shard(self.request.shard);
        let training = round.training.as_ref();
        let learned_from = training.map(|of| study(&of.held, Some(&of.released)));
        work.warn_of_long_assignments(attacked.sizes());
        // Nobody is looked for in a further release, so nobody need be known in it.
        let of_nobody = Truth::of_nobody(original);
        let further: Vec<Study<'_>> = releases
            .iter()
            .map(|release| {
                let held = round.held.clone();
                let study = Study::new(original, release.table, &of_nobody, held, direction);
                if release.shares_history {
                    self.before_recoding(study)
                } else {
                    study
                }
            })
            .collect();
        for (place, known) in self.cases.iter().enumerate() {
            let mut along = Vec::with_capacity(releases.len());
            for (release, study) in releases.iter().zip(&further) {
                let known = known_in(release.table, original, known, self.observer)?;
                along.push(Along {
                    case: study.case(&known),
                    release,
                });
            }
            let case = match &self.sides {
                Some(sides) => {
                    attacked.case_without_common_attributes(&sides.original, &sides.masked)
                }
                None => attacked.case(known),
            };
            let training = learned_from.as_ref().map(|study| study.case(known));
            work.run(&Turn {
                case: &case,
                training: training.as_ref(),
                along: &along,
                split: (of > 1).then_some(number + 1),
                number: number * self.cases.len() + place + 1,
                of: of * self.cases.len(),
            })?;
        }
        Ok(())
    }

    /// What was found.
    fn outcome(self, work: Work<'_>) -> LinkOutcome {
        let Self {
            request,
            input:
                Input {
                    original,
                    masked,
                    truth,
                    ..
                },
            ..
        } = self;
        let Work {
            results,
            findings,
            claims,
            mut not_run,
            lesson,
            ..
        } = work;
        // The same reason may have been met in several cases.
        not_run.dedup();
        let direction = request.direction;
        let certificate = lesson.as_ref().and_then(|learned: &Learned| {
            learned.certificate(direction, [original, masked], truth, &self.cases[0])
        });
        let of_family = request.known.family().is_some_and(Knowledge::is_family);
        let report = LinkReport {
            schema: report::SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            status: Status::limited(results.iter().any(LinkResult::is_unproven)),
            warnings: self.doubts,
            scenario: ScenarioSummary {
                aggregates: self.sides.map(|sides| sides.summary),
                ..summary(request, [original, masked], self.held.len(), self.left_out)
            },
            means: report::means(&results, of_family),
            results,
            not_run: not_run
                .into_iter()
                .map(|NotRun { method, why }| MethodNotRun {
                    method: method.into(),
                    why,
                })
                .collect(),
            limits: Vec::new(),
        };
        let part = request.shard.map(|_| Seekers {
            in_words: (report.results.iter())
                .map(|result| result.in_words.clone())
                .collect(),
            asked: LinkReport {
                means: Vec::new(),
                ..report.clone()
            },
            of_family,
            results: findings,
        });
        LinkOutcome {
            report,
            part,
            claims,
            weights: lesson.map(|learned| learned.weights(direction)),
            certificate,
        }
    }
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

/// Notes what of the request has no use where the intruder knows these attributes.
///
/// # Errors
/// What the observer makes of it.
fn note_unused(
    request: &LinkRequest,
    original: &Table,
    cases: &[Vec<Shared>],
    observer: &dyn Observer,
) -> Result<()> {
    note_unknown_names(request, original, cases, observer)?;
    match methods::unused_prior(request, cases.iter().map(Vec::len)) {
        Some(unused) => observer.unused(&unused),
        None => Ok(()),
    }
}

/// Notes what speaks of an attribute that the intruder never knows.
///
/// # Errors
/// What the observer makes of it.
fn note_unknown_names(
    request: &LinkRequest,
    original: &Table,
    cases: &[Vec<Shared>],
    observer: &dyn Observer,
) -> Result<()> {
    let swapping = request.published.rank_swapping.as_ref();
    let swapped = swapping.map(|published| (published.option(), published.names()));
    let mut attacks = request.attacks.single_attacks();
    let agree = attacks.find_map(|attack| match attack {
        AttackRequest::Probabilistic(attack) => {
            let names = attack.agree.named.keys();
            Some(("--agree", names.map(String::as_str).collect()))
        }
        _ => None,
    });
    let known = |name: &str| {
        let mut all = cases.iter().flatten();
        all.any(|shared| original.attribute(shared.original).name == name)
    };
    for (option, names) in swapped.into_iter().chain(agree) {
        // What no file has is an error elsewhere.
        let exists = |name: &str| original.find(name).is_ok();
        for name in names {
            if exists(name) && !known(name) {
                observer.unused(&format!(
                    "{option} has no effect on {name}: the intruder does not know it"
                ))?;
            }
        }
    }
    Ok(())
}

fn summary(
    request: &LinkRequest,
    [original, masked]: [&Table; 2],
    known_records: usize,
    left_out: Vec<LeftOut>,
) -> ScenarioSummary {
    ScenarioSummary {
        original: original.name().into(),
        masked: masked.name().into(),
        original_records: original.n_records(),
        masked_records: masked.n_records(),
        known_records,
        direction: request.direction,
        aligned_by: request.alignment.in_words(),
        ties: request.ties,
        assign: request.assign.rule(),
        left_out: left_out
            .into_iter()
            .map(|left| LeftOutAttribute {
                attribute: left.attribute,
                why: left.why,
            })
            .collect(),
        crosswalk: None,
        aggregates: None,
    }
}

/// The attributes that the intruder was to know, or would have known, and that cannot be compared in earnest.
fn doubts(
    [original, masked]: [&Table; 2],
    cases: &[Vec<Shared>],
    left_out: &[LeftOut],
    laws: Option<&Laws>,
) -> Vec<Doubt> {
    let known = cases.iter().flatten().map(|shared| shared.original);
    let left = left_out.iter();
    let left = left.filter_map(|left| original.find(&left.attribute).ok());
    let left = left.filter(|&id| original.attribute(id).role == Role::QuasiIdentifier);
    let mut ids: Vec<AttrId> = known.chain(left).collect();
    ids.sort_unstable();
    ids.dedup();
    comparable::doubts(original, masked, &ids, laws)
}

/// The attributes that are known in any case, each once.
fn all_known(cases: &[Vec<Shared>]) -> Vec<Shared> {
    let mut all: Vec<Shared> = cases.iter().flatten().copied().collect();
    all.sort_unstable_by_key(|shared| shared.original);
    all.dedup_by_key(|shared| shared.original);
    all
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
