//! What an attack sees of a case, and what it comes to there.

use super::Case;
use crate::{
    attack::{Attack, Preference, Release, by_law::Limited, steps::OtherLaw},
    error::Result,
    statement::Method,
};

impl Case<'_> {
    /// What an attack sees of this case; of one by the laws of several steps, what each of those sees that speak of something.
    pub(super) fn seen<'s>(&'s self, attack: &'s dyn Attack) -> Result<Seen<'s>> {
        let speaks = |factor: &&dyn Attack| {
            let law = factor.law();
            law.is_none_or(|law| {
                self.known
                    .iter()
                    .any(|name| law.applies_to(name, &self.known))
            })
        };
        let all = attack.factors().iter().map(AsRef::as_ref).enumerate();
        let needed = |place: usize| place == 0 && attack.needs_first_factor();
        let parts = all.filter(|(place, factor)| needed(*place) || speaks(factor));
        let mut parts = parts.map(|(_, factor)| factor);
        // The first law is asked where none speaks of anything, too: it says so.
        let first = attack.factors().first().map(AsRef::as_ref);
        let first = parts.next().or(first).unwrap_or(attack);
        Ok(Seen {
            first: Part::new(self, first)?,
            others: parts
                .map(|factor| Part::new(self, factor))
                .collect::<Result<_>>()?,
        })
    }
}

/// What an attack sees of a case.
pub(super) struct Seen<'s> {
    first: Part<'s>,
    /// What the laws of further steps speak of.
    others: Vec<Part<'s>>,
}

impl Seen<'_> {
    /// What the attack comes to.
    pub(super) fn preference(&self) -> Result<Preference<'_>> {
        let others = self.others.iter().map(Part::as_other_law);
        self.first.preference(others.collect())
    }
}

/// What an attack, or one of those that it is made of, sees of a case.
struct Part<'s> {
    attack: &'s dyn Attack,
    case: &'s Case<'s>,
    /// Released attributes that it reads.
    beside: Option<Release>,
    /// What its law speaks of, where that is not all.
    limited: Option<Limited>,
}

impl<'s> Part<'s> {
    fn new(case: &'s Case<'s>, attack: &'s dyn Attack) -> Result<Self> {
        let beside = case.study.release(&attack.reads());
        let limited = {
            let whole = case.scenario(attack.needs_alignment(), beside.as_ref());
            let law = attack.law();
            law.map(|law| Limited::new(&whole, law)).transpose()?
        };
        Ok(Self {
            attack,
            case,
            beside,
            limited,
        })
    }

    /// What the attack comes to, with what other laws say.
    fn preference<'a>(&'a self, others: Vec<OtherLaw<'a>>) -> Result<Preference<'a>> {
        let worst_case = self.attack.needs_alignment();
        let whole = self.case.scenario(worst_case, self.beside.as_ref());
        match (&self.limited, self.attack.law()) {
            (Some(limited), Some(law)) => limited.preference(self.attack, law, &whole, others),
            _ => self.attack.prepare_with(&whole, others),
        }
    }

    /// What it says beside the first law.
    fn as_other_law(&self) -> OtherLaw<'_> {
        let law = self.attack.law();
        // The law of averages is a model, by which the right record can be one of those left out.
        let is_model =
            law.is_some_and(|law| matches!(law.step.method, Method::Microaggregation(_)));
        OtherLaw {
            method: law.map_or("another step", |law| law.step.method.name()),
            attack: self.attack.name(),
            preference: self.preference(Vec::new()),
            excludes: self.attack.has_candidate_sets() && !is_model,
        }
    }
}
