//! The attacks of one call, one after the other.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    learned::{GivenDistance, Learned},
    methods::{Method, not_run},
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
        link::{Assign, Case, Claim, FurtherRelease, Judging},
        shard::Shard,
    },
    jobs::Observer,
    report::link::{Attempt, Found, LinkResult, Made, Sample},
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
    /// What became of each attack.
    pub(super) attempts: Vec<Attempt>,
    /// Attacks so far that are not cut: a part of the call makes some of these.
    whole: usize,
    /// The links of the last attack.
    pub(super) claims: Vec<Claim>,
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
        standardize: Standardize,
    ) -> Result<Self> {
        Ok(Self {
            request,
            observer,
            methods,
            standardize,
            given: GivenDistance::of(request, standardize)?,
            caveats: BTreeSet::new(),
            attempts: Vec::new(),
            whole: 0,
            claims: Vec::new(),
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

    /// Runs all methods on one case. Of a part of the call, the seekers of its shard alone are judged by attacks that judge each
    /// seeker apart; the others are made whole, each by one part.
    ///
    /// # Errors
    /// What a method objects to, unless all that apply were asked for.
    pub(super) fn run(&mut self, turn: &Turn<'_>) -> Result<()> {
        for (number, method) in self.methods.iter().enumerate() {
            let shard = (self.request.shard).filter(|_| self.judges_apart(turn.case, method));
            let is_own = shard.is_some() || self.is_own_whole(method);
            let made = if is_own {
                Some(self.made(turn, (number, method), shard)?)
            } else {
                None
            };
            let in_parts = shard.is_some();
            self.attempts.push(Attempt { in_parts, made });
        }
        Ok(())
    }

    /// Whether the seekers of a method can be dealt out among parts of the call.
    fn judges_apart(&self, case: &Case<'_>, method: &Method) -> bool {
        let assign = self.request.assign;
        match (method, &self.given) {
            (Method::Attack(attack), _) => case.judges_apart(attack.as_ref(), assign),
            (Method::Learned(_), Some(given)) => case.judges_apart(&given.distance, assign),
            // It is learned from all seekers at the same time.
            (Method::Learned(_), None) => false,
        }
    }

    /// Whether the next attack that is not cut is made here: by one run all are. Notes where a part makes one.
    fn is_own_whole(&mut self, method: &Method) -> bool {
        let number = self.whole;
        self.whole += 1;
        let Some(shard) = self.request.shard else {
            return true;
        };
        let is_own = shard.has(number);
        if is_own && shard.of() > 1 {
            self.note_once(format!(
                "note: {} cannot be cut, since it links all records jointly or learns from all: one part makes it whole",
                method.name()
            ));
        }
        is_own
    }

    /// Says something once a call.
    fn note_once(&mut self, note: String) {
        if !self.caveats.contains(&note) {
            self.observer.note(&note);
            self.caveats.insert(note);
        }
    }

    /// What becomes of one method, the one of this number, on one case.
    fn made(
        &mut self,
        turn: &Turn<'_>,
        (number, method): (usize, &Method),
        shard: Option<Shard>,
    ) -> Result<Made> {
        self.observer.progress(&format!(
            "{} with {} known attributes (case {} of {})",
            method.name(),
            turn.case.known().len(),
            turn.number,
            turn.of
        ));
        let results = match method {
            Method::Attack(attack) => {
                let sample = turn.training.map(|_| Sample::Others);
                match self.attack(turn.case, attack.as_ref(), (sample, turn.split), shard) {
                    Ok(result) => {
                        let of_all = self.attack_all(turn, number, attack.as_ref(), shard)?;
                        std::iter::once(result).chain(of_all).collect()
                    }
                    // All that apply were asked for: this one does not, with these attributes.
                    Err(error)
                        if self.request.attacks.is_whatever_applies()
                            && error.kind() != ErrorKind::Failed =>
                    {
                        return Ok(Made::NotRun(not_run(attack.name(), &error)));
                    }
                    Err(error) => return Err(error),
                }
            }
            Method::Learned(family) => self.learned(turn, *family, shard)?,
        };
        Ok(Made::Results(results))
    }

    /// A learned distance: learns it, unless it is given, and recounts it by linking with it.
    fn learned(
        &mut self,
        turn: &Turn<'_>,
        family: Family,
        shard: Option<Shard>,
    ) -> Result<Vec<Found>> {
        if let Some(given) = &self.given {
            given.check(turn.case.known())?;
            let distance = given.distance.clone();
            let found = self.attack(turn.case, &distance, (None, turn.split), shard)?;
            return Ok(vec![found]);
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
        let mut found = self.attack(source, &lesson.distance, (sample, turn.split), shard)?;
        let alone = if learning.wants_weights {
            Some(alone(source, &lesson.distance)?)
        } else {
            None
        };
        // An assignment may link more: it knows that no two records have the same partner.
        if self.request.assign == Assign::Best {
            check_count(&lesson, found.result.correct.strict)?;
        }
        found.result.learn(&lesson, source.known());
        let (seekers, sought) = source.study().records();
        self.lesson = Some(Learned {
            known: source.known().to_vec(),
            records: found.result.records,
            alone,
            seekers,
            sought,
            lesson: lesson.clone(),
        });
        let mut all = vec![Found::new(found.result, None)];
        if turn.training.is_some() {
            let sample = (Some(Sample::Others), turn.split);
            all.push(self.attack(turn.case, &lesson.distance, sample, shard)?);
        }
        Ok(all)
    }

    /// The same attack on all releases at once, if there are further ones; `number` is that of the method.
    fn attack_all(
        &mut self,
        turn: &Turn<'_>,
        number: usize,
        attack: &dyn Attack,
        shard: Option<Shard>,
    ) -> Result<Option<Found>> {
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
            return Ok(None);
        }
        let judging = self.judging(shard);
        let outcome = (self.observer).stage(attack.name(), || {
            turn.case.attack_all(attack, &further, judging)
        })?;
        let result = LinkResult {
            split: turn.split,
            ..LinkResult::new(attack, turn.case.known(), &outcome, self.request.ties)
                .of_releases(further.len() + 1)
        };
        self.claims = outcome.links;
        Ok(Some(Found::new(result, outcome.findings)))
    }

    fn attack(
        &mut self,
        case: &Case<'_>,
        attack: &dyn Attack,
        (sample, split): (Option<Sample>, Option<usize>),
        shard: Option<Shard>,
    ) -> Result<Found> {
        let judging = self.judging(shard);
        let outcome = (self.observer).stage(attack.name(), || case.judge(attack, judging))?;
        let of_files = outcome.caveats.iter().cloned();
        for caveat in attack.caveats(case.known()).into_iter().chain(of_files) {
            self.note_once(format!("note: {}: {caveat}", attack.name()));
        }
        let result = LinkResult {
            sample,
            split,
            ..LinkResult::new(attack, case.known(), &outcome, self.request.ties)
        };
        self.claims = outcome.links;
        Ok(Found::new(result, outcome.findings))
    }

    fn judging(&self, shard: Option<Shard>) -> Judging {
        Judging {
            assign: self.request.assign,
            with_links: self.request.wants_links,
            shard,
        }
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
