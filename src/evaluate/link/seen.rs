//! What an attack sees of a case, and what it comes to there.

use super::Case;
use crate::{
    attack::{Attack, Lists, Preference, Release, by_law::Limited, steps::Added},
    error::{Error, Result},
};

impl Case<'_> {
    /// What an attack sees of this case; of one that adds up the laws of several steps, what each of those sees that speak of something.
    pub(super) fn seen<'s>(&'s self, attack: &'s dyn Attack) -> Result<Vec<Seen<'s>>> {
        let speaks = |factor: &&dyn Attack| {
            let law = factor.law();
            law.is_none_or(|law| {
                self.known
                    .iter()
                    .any(|name| law.applies_to(name, &self.known))
            })
        };
        let factors = attack.factors().iter().map(AsRef::as_ref).filter(speaks);
        let factors: Vec<&dyn Attack> = factors.collect();
        match (factors.as_slice(), attack.factors().first()) {
            ([], None) => Ok(vec![Seen::new(self, attack)?]),
            // Which says that nothing is left.
            ([], Some(first)) => Ok(vec![Seen::new(self, first.as_ref())?]),
            (factors, _) => (factors.iter())
                .map(|&factor| Seen::new(self, factor))
                .collect(),
        }
    }
}

/// What an attack sees of a case.
pub(super) struct Seen<'s> {
    attack: &'s dyn Attack,
    case: &'s Case<'s>,
    /// Released attributes that it reads.
    beside: Option<Release>,
    /// What its law speaks of, where that is not all.
    limited: Option<Limited>,
}

impl<'s> Seen<'s> {
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

    /// What the attack comes to.
    fn preference(&self) -> Result<Preference<'_>> {
        let worst_case = self.attack.needs_alignment();
        let whole = self.case.scenario(worst_case, self.beside.as_ref());
        match (&self.limited, self.attack.law()) {
            (Some(limited), Some(law)) => limited.preference(self.attack, law, &whole),
            _ => self.attack.prepare(&whole),
        }
    }
}

/// What an attack comes to on what it sees, or several whose likelihoods are added up.
pub(super) fn preference<'a>(seen: &'a [Seen<'_>]) -> Result<Preference<'a>> {
    if let [one] = seen {
        return one.preference();
    }
    let lists = (seen.iter()).map(|one| likelihoods(one.attack, one.preference()?));
    let added = Added::new(lists.collect::<Result<_>>()?);
    Ok(Preference::Lists(Box::new(added)))
}

/// Lists of likelihoods, to be added up.
///
/// # Errors
/// Usage, when the preference is no such thing.
pub(super) fn likelihoods<'a>(
    attack: &dyn Attack,
    preference: Preference<'a>,
) -> Result<Box<dyn Lists + 'a>> {
    match preference {
        Preference::Lists(lists) if lists.is_likelihood() => Ok(lists),
        _ => Err(unlikely(attack)),
    }
}

/// The error of adding up what is no likelihood.
pub(super) fn unlikely(attack: &dyn Attack) -> Error {
    Error::usage(format!(
        "several releases or steps are added up by likelihoods, which {} does not have in lists for these files",
        attack.name()
    ))
}
