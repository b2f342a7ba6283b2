//! The attacks of one call, one after the other.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    learned::{GivenDistance, Learned},
    methods::{Method, NotRun},
    releases::Release,
    request::LinkRequest,
};
use crate::{
    attack::{
        Attack,
        distance_based::Standardize,
        learned::{LearnedDistance, Learner, Lesson, family::Family},
    },
    error::{Error, ErrorKind, Result},
    evaluate::{
        link::{Assign, Case, Claim, FurtherRelease},
        shard::Findings,
    },
    jobs::Observer,
    report::link::{LinkResult, Sample},
};

/// Records from which on an assignment takes long enough to say so.
const MANY_TO_ASSIGN: usize = 30_000;

/// What the attacks of a call found so far.
pub(super) struct Work<'a> {
    request: &'a LinkRequest,
    observer: &'a dyn Observer,
    methods: &'a [Method],
    /// By what files are standardised.
    standardize: Standardize,
    /// A distance that was learned by another call.
    given: Option<GivenDistance>,
    caveats: BTreeSet<String>,
    pub(super) results: Vec<LinkResult>,
    /// What was found out of the seekers of a shard, for each result.
    pub(super) findings: Vec<Findings>,
    /// The links of the last attack.
    pub(super) claims: Vec<Claim>,
    pub(super) not_run: Vec<NotRun>,
    /// What was learned last.
    pub(super) lesson: Option<Learned>,
}

/// A further release, with what the intruder knows of one case.
pub(super) struct Along<'a> {
    pub(super) case: Case<'a>,
    pub(super) release: &'a Release<'a>,
}

/// One round of attacks: all methods on one case.
pub(super) struct Turn<'a> {
    /// What is attacked.
    pub(super) case: &'a Case<'a>,
    /// What is learned from, if not from what is attacked.
    pub(super) training: Option<&'a Case<'a>>,
    /// Further releases of the same people.
    pub(super) along: &'a [Along<'a>],
    /// Which of several draws of the individuals learned from this is.
    pub(super) split: Option<usize>,
    /// Which turn of the call this is, counted from 1.
    pub(super) number: usize,
    /// How many there are.
    pub(super) of: usize,
}

impl<'a> Work<'a> {
    /// Nothing done yet.
    pub(super) fn new(
        request: &'a LinkRequest,
        observer: &'a dyn Observer,
        methods: &'a [Method],
        not_run: Vec<NotRun>,
        standardize: Standardize,
    ) -> Result<Self> {
        Ok(Self {
            request,
            observer,
            methods,
            standardize,
            given: GivenDistance::of(request, standardize)?,
            caveats: BTreeSet::new(),
            results: Vec::new(),
            findings: Vec::new(),
            claims: Vec::new(),
            not_run,
            lesson: None,
        })
    }

    /// Says that a one-to-one assignment can take long.
    pub(super) fn warn_of_long_assignments(&self, (seekers, sought): (usize, usize)) {
        if self.request.assign == Assign::OneToOne && seekers.max(sought) >= MANY_TO_ASSIGN {
            self.observer.note(&format!(
                "note: --assign one-to-one of {seekers} to {sought} records can take minutes, and much longer where \
                 many records compete for the same ones; --assign best does not"
            ));
        }
    }

    /// Runs all methods on one case.
    ///
    /// # Errors
    /// What a method objects to, unless all that apply were asked for.
    pub(super) fn run(&mut self, turn: &Turn<'_>) -> Result<()> {
        for (number, method) in self.methods.iter().enumerate() {
            let known = turn.case.known().len();
            self.observer.progress(&format!(
                "{} with {known} known attributes (case {} of {})",
                method.name(),
                turn.number,
                turn.of
            ));
            match method {
                Method::Attack(attack) => {
                    let sample = turn.training.map(|_| Sample::Others);
                    match self.attack(turn.case, attack.as_ref(), sample, turn.split) {
                        Ok(()) => self.attack_all(turn, number, attack.as_ref())?,
                        // All that apply were asked for: this one does not, with these attributes.
                        Err(error)
                            if self.request.attacks.is_whatever_applies()
                                && error.kind() != ErrorKind::Failed =>
                        {
                            self.not_run.push(NotRun::because(attack.name(), &error));
                        }
                        Err(error) => return Err(error),
                    }
                }
                Method::Learned(family) => {
                    self.learned(turn, *family)?;
                }
            }
        }
        Ok(())
    }

    /// A learned distance: learns it, unless it is given, and recounts it by linking with it.
    fn learned(&mut self, turn: &Turn<'_>, family: Family) -> Result<()> {
        if let Some(given) = &self.given {
            given.check(turn.case.known())?;
            let distance = given.distance.clone();
            return self.attack(turn.case, &distance, None, turn.split);
        }
        let source = turn.training.unwrap_or(turn.case);
        let learning = &self.request.learning;
        // Until the links were counted, an interruption is for the search.
        let watch = self.observer.search(family.name(), learning.seconds);
        let learner = Learner {
            family,
            standardize: self.standardize,
            engine: learning.engine,
            keeps_proof: learning.wants_certificate,
            wants_ranges: learning.wants_weights,
            watch: Arc::clone(&watch),
        };
        let lesson = self
            .observer
            .stage(family.name(), || source.learn(&learner))?;
        let sample = turn.training.map(|_| Sample::Training);
        self.attack(source, &lesson.distance, sample, turn.split)?;
        let alone = if learning.wants_weights {
            Some(alone(source, &lesson.distance)?)
        } else {
            None
        };
        if let Some(result) = self.results.last_mut() {
            // An assignment may link more: it knows that no two records have the same partner.
            if self.request.assign == Assign::Best {
                check_count(&lesson, result.correct.strict)?;
            }
            result.learn(&lesson, source.known());
            let (seekers, sought) = source.study().records();
            self.lesson = Some(Learned {
                known: source.known().to_vec(),
                records: result.records,
                alone,
                seekers,
                sought,
                lesson: lesson.clone(),
            });
        }
        if turn.training.is_some() {
            self.attack(
                turn.case,
                &lesson.distance,
                Some(Sample::Others),
                turn.split,
            )?;
        }
        Ok(())
    }

    /// The same attack on all releases at once, if there are further ones; `number` is that of the method.
    fn attack_all(&mut self, turn: &Turn<'_>, number: usize, attack: &dyn Attack) -> Result<()> {
        let further = turn.along.iter().filter_map(|along| {
            let Method::Attack(attack) = along.release.methods.get(number)? else {
                return None;
            };
            Some(FurtherRelease {
                case: &along.case,
                attack: attack.as_ref(),
                counterpart: &along.release.counterpart,
            })
        });
        let further: Vec<FurtherRelease<'_>> = further.collect();
        if further.is_empty() {
            return Ok(());
        }
        let outcome = self.observer.stage(attack.name(), || {
            let links = self.request.wants_links;
            turn.case
                .attack_all(attack, &further, self.request.assign, links)
        })?;
        self.results.push(LinkResult {
            split: turn.split,
            ..LinkResult::new(attack, turn.case.known(), &outcome, self.request.ties)
                .of_releases(further.len() + 1)
        });
        self.claims = outcome.links;
        Ok(())
    }

    fn attack(
        &mut self,
        case: &Case<'_>,
        attack: &dyn Attack,
        sample: Option<Sample>,
        split: Option<usize>,
    ) -> Result<()> {
        let outcome = self.observer.stage(attack.name(), || {
            case.attack(attack, self.request.assign, self.request.wants_links)
        })?;
        let of_files = outcome.caveats.iter().cloned();
        for caveat in attack.caveats(case.known()).into_iter().chain(of_files) {
            let caveat = format!("note: {}: {caveat}", attack.name());
            if self.caveats.insert(caveat.clone()) {
                self.observer.note(&caveat);
            }
        }
        self.results.push(LinkResult {
            sample,
            split,
            ..LinkResult::new(attack, case.known(), &outcome, self.request.ties)
        });
        self.findings.extend(outcome.findings);
        self.claims = outcome.links;
        Ok(())
    }
}

/// That the plain linkage counts what is proven possible.
///
/// # Errors
/// Failed, when it counts more: then the program is wrong, and nothing of this is fit to be reported.
fn check_count(lesson: &Lesson, strict: u64) -> Result<()> {
    let (family, bound) = (lesson.distance.family.name(), lesson.bound);
    if strict <= bound as u64 {
        return Ok(());
    }
    Err(Error::failed(format!(
        "internal error: {family} links {strict} records where no more than {bound} are proven possible"
    ))
    .remedy("Please report this, with the files if they may be given away; there is no result"))
}

/// How many records each attribute links on its own.
fn alone(case: &Case<'_>, of: &LearnedDistance) -> Result<Vec<usize>> {
    let n = case.known().len();
    let links = |attribute: usize| {
        let mut parameters = vec![0.0; n];
        parameters[attribute] = 1.0;
        let attack = LearnedDistance {
            family: Family::WeightedMean,
            parameters,
            standardize: of.standardize,
        };
        let score = case.attack(&attack, Assign::Best, false)?.score;
        Ok(usize::try_from(score.strict).unwrap_or(usize::MAX))
    };
    (0..n).map(links).collect()
}
