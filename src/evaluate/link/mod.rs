//! An attack on a pair of files: what the intruder is given, and what becomes of their claims.

mod alike;
mod apart;
mod assign;
mod judged;
mod outcome;
mod pieces;
mod seen;
mod shared;
mod study;

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
};

pub use assign::{Assign, AssignRule, Judging};
pub use outcome::{Claim, FittedModel, Outcome};
pub use shared::{LeftOut, Shared, comparable, is_constant, shared_attributes};
pub use study::Study;
use study::{MASKED, ORIGINAL};

use super::{beyond::StandingOut, truth::MaskedRecord};
use crate::{
    attack::{
        Attack, Direction, Preference, Release, Scenario,
        learned::{Learner, Lesson},
        of_sample::OfSample,
        releases::{Further, Releases},
        steps::{likelihoods, unlikely},
    },
    distance::nearest::Neighbours,
    error::Result,
    table::{AttrId, Matrix, Scale},
};

/// A study in which the intruder knows certain attributes.
#[derive(Debug)]
pub struct Case<'a> {
    study: &'a Study<'a>,
    known: Vec<String>,
    scales: Vec<Scale>,
    /// Of those without numbers, what their codes stand for.
    categories: Vec<Option<Vec<String>>>,
    /// What these are in either file, unless the files share none.
    pairs: Vec<Shared>,
    /// The intruder's records and the released ones, once they were asked for.
    matrices: [OnceCell<Matrix>; 2],
    /// What the intruder knows of attributes before they were recoded, where laws are about that.
    unrecoded: Option<Release>,
    /// The index of the last attack: attacks with the same distance share it.
    index: RefCell<Option<Rc<Neighbours>>>,
    /// The known attributes in the original.
    attributes: Vec<AttrId>,
    /// Who stands out by them; no attack is shown it.
    standing_out: OnceCell<StandingOut>,
}

/// A further release of the same people, and what the intruder makes of it.
#[derive(Debug, Clone, Copy)]
pub struct FurtherRelease<'a> {
    /// What the intruder sees of it. The same records are held, in the same direction.
    pub case: &'a Case<'a>,
    /// By what law it was made.
    pub attack: &'a dyn Attack,
    /// For each record of the first masked file, the record of this one that is the same person's: the releases say so themselves.
    pub counterpart: &'a [Option<MaskedRecord>],
}

impl Case<'_> {
    /// The study that this is a case of.
    pub fn study(&self) -> &Study<'_> {
        self.study
    }

    /// Names of the known attributes.
    pub fn known(&self) -> &[String] {
        &self.known
    }

    /// Learns a distance from the true matches.
    ///
    /// # Errors
    /// Whatever the learner objects to.
    pub fn learn(&self, learner: &Learner) -> Result<Lesson> {
        learner.learn(&self.scenario(true, None))
    }

    /// What the intruder has; the true matches only in a worst case.
    fn scenario<'s>(&'s self, worst_case: bool, beside: Option<&'s Release>) -> Scenario<'s> {
        let gathered = |side: usize| {
            let columns = || self.study.columns(side, &self.pairs);
            self.matrices[side].get_or_init(|| {
                let records = self.study.places(side);
                (self.study).gathered(side, &columns(), &records, &self.pairs)
            })
        };
        Scenario {
            aligned: worst_case.then_some(self.study.partners()),
            beside,
            unrecoded: self.unrecoded.as_ref(),
            ..self.scenario_of([ORIGINAL, MASKED].map(gathered))
        }
    }

    /// What the intruder has who sees these records alone.
    fn scenario_of<'s>(&'s self, [intruder, released]: [&'s Matrix; 2]) -> Scenario<'s> {
        Scenario {
            known: &self.known,
            scales: &self.scales,
            categories: &self.categories,
            intruder,
            released,
            direction: self.study.direction,
            aligned: None,
            beside: None,
            unrecoded: None,
        }
    }

    /// Runs an attack and judges it: all seekers.
    ///
    /// # Errors
    /// Whatever the attack objects to; Usage when it has no likelihoods to balance; Failed when an assignment does not
    /// fit into memory.
    pub fn attack(&self, attack: &dyn Attack, assign: Assign, with_links: bool) -> Result<Outcome> {
        let judging = Judging {
            assign,
            with_links,
            shard: None,
        };
        self.judge(attack, judging)
    }

    /// Whether an attack judges each seeker as if there were no other, so that a shard can be judged by itself. Links of an assignment
    /// depend on each other, and so do those by a model that is fitted to all pairs.
    pub fn judges_apart(&self, attack: &dyn Attack, assign: Assign) -> bool {
        self.assign_of(attack, assign) == Assign::Best && !attack.is_fitted_to_pairs()
    }

    /// Runs an attack and judges it.
    ///
    /// # Errors
    /// Those of [`Case::attack`]; Usage, where a shard is to be judged by an attack that does not judge each seeker apart.
    pub fn judge(&self, attack: &dyn Attack, judging: Judging) -> Result<Outcome> {
        if let (Some(shard), Assign::Best, false) =
            (judging.shard, judging.assign, judging.with_links)
            && let Some(judged) = self.in_pieces(attack, shard)?
        {
            return Ok(self.of_shard(shard, judged, attack.has_candidate_sets()));
        }
        let seen = self.seen(attack)?;
        let mut preference = seen.preference()?;
        if attack.left_out() > 0
            && self.study.direction == Direction::OriginalToMasked
            && judging.assign == Assign::Best
            && !attack.is_balanced()
        {
            preference = match preference {
                Preference::Lists(lists) if lists.is_likelihood() => {
                    Preference::Lists(Box::new(OfSample::new(lists, attack.left_out())))
                }
                other => other,
            };
        }
        // All that the attack sees of each record, if that is all.
        let values = (self.unrecoded.is_none() && !reads_more(attack)).then(|| {
            let scenario = self.scenario(false, None);
            [scenario.seekers(), scenario.sought()]
        });
        self.judged(attack, preference, values, judging)
    }

    /// Runs an attack with likelihoods on several releases at once ([`Releases`]), and judges it by the records of the first.
    ///
    /// # Errors
    /// Those of [`Case::judge`]; Usage, when an attack has no lists of likelihoods.
    pub fn attack_all(
        &self,
        attack: &dyn Attack,
        further: &[FurtherRelease<'_>],
        judging: Judging,
    ) -> Result<Outcome> {
        let cases = further.iter().map(|release| (release.attack, release.case));
        let cases: Vec<(&dyn Attack, &Case<'_>)> =
            std::iter::once((attack, self)).chain(cases).collect();
        let seen = (cases.iter())
            .map(|(attack, case)| case.seen(*attack))
            .collect::<Result<Vec<_>>>()?;
        let mut lists = Vec::with_capacity(seen.len());
        for ((attack, _), seen) in cases.iter().zip(&seen) {
            lists.push(likelihoods(attack.name(), seen.preference()?)?);
        }
        let mut added = Vec::with_capacity(further.len());
        for (release, lists) in further.iter().zip(lists.drain(1..)) {
            let study = release.case.study;
            let place_of = study::places(&study.shown, study.masked);
            let counterpart = (self.study.shown.iter())
                .map(|&record| place_of[release.counterpart[record.index()]?.index()]);
            added.push(Further::new(
                lists,
                study.shown.len(),
                counterpart.collect(),
            ));
        }
        let first = lists.pop().ok_or_else(|| unlikely(attack.name()))?;
        let all = Releases::new(first, added, self.study.direction)?;
        // Who is alike in one release need not be so in another.
        self.judged(attack, Preference::Lists(Box::new(all)), None, judging)
    }
}

/// Whether an attack looks at more than the known attributes.
fn reads_more(attack: &dyn Attack) -> bool {
    !attack.reads().is_empty()
        || attack
            .factors()
            .iter()
            .any(|factor| reads_more(factor.as_ref()))
}
