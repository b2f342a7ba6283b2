//! Attacks by a published law see what the law speaks of, and no more.
//!
//! Where several steps moved values, each has a law of its attributes: the attack by the law of a step does not see the others, nor what
//! has no law ([`crate::statement::Laws`]). The same is true of files in which sums and zeros were kept.
//! The law of a method speaks of what the method masked. A total that was worked out anew from its parts has no law of its own, and
//! zeros that changed places as patterns have none either: where one of two values is zero, nothing follows. So these attacks see neither:
//! totals are left out, and zeros count as missing, which excludes nobody. What is left obeys the law, since the method saw the same.

use super::{Attack, Preference, Release, Scenario, distance_based::Standardize};
use crate::{
    error::{Error, Result},
    statement::{Kept, Law, Scope},
    table::{Matrix, Scale},
};

/// An attack by a law, which sees only what the law speaks of.
#[derive(Debug)]
pub struct ByLaw {
    /// The attack by the law, on what is left.
    pub attack: Box<dyn Attack>,
    /// The step, and the attributes that its law speaks of.
    pub law: Law,
}

/// What is left of a scenario where a law does not speak of all of it.
#[derive(Debug)]
pub struct Limited {
    known: Vec<String>,
    scales: Vec<Scale>,
    categories: Vec<Option<Vec<String>>>,
    intruder: Matrix,
    released: Matrix,
    beside: Option<Release>,
}

impl Limited {
    /// The scenario without attributes that the law does not speak of and totals that were worked out anew, zeros that changed places being
    /// missing.
    ///
    /// # Errors
    /// Usage, when nothing is left.
    pub fn new(scenario: &Scenario<'_>, law: &Law) -> Result<Self> {
        let kept = &law.step.kept;
        let stays: Vec<usize> = (0..scenario.known.len())
            .filter(|&k| law.speaks_of(&scenario.known[k]))
            .collect();
        if stays.is_empty() {
            let are_totals = scenario.known.iter().all(|name| kept.is_derived(name));
            return Err(Error::usage(if are_totals {
                "all known attributes are totals that were worked out anew from masked parts: no law of them is known"
            } else {
                "the law that was published speaks of none of the known attributes"
            })
            .remedy("Let the intruder know a part of them, or use an attack that needs no law (am)"));
        }
        let known: Vec<String> = stays.iter().map(|&k| scenario.known[k].clone()).collect();
        let hidden: Vec<bool> = known
            .iter()
            .map(|name| kept.has_moved_zeros(name))
            .collect();
        Ok(Self {
            scales: stays.iter().map(|&k| scenario.scales[k]).collect(),
            categories: (stays.iter())
                .filter_map(|&k| scenario.categories.get(k).cloned())
                .collect(),
            intruder: scenario.intruder.hiding_zeros(&stays, &hidden),
            released: scenario.released.hiding_zeros(&stays, &hidden),
            beside: scenario.beside.map(|release| hiding(release, kept)),
            known,
        })
    }

    /// What the attack sees.
    pub fn scenario<'a>(&'a self, whole: &Scenario<'a>) -> Scenario<'a> {
        Scenario {
            known: &self.known,
            scales: &self.scales,
            categories: &self.categories,
            intruder: &self.intruder,
            released: &self.released,
            beside: self.beside.as_ref(),
            ..*whole
        }
    }
}

/// The release with zeros that changed places missing.
fn hiding(release: &Release, kept: &Kept) -> Release {
    let names = release.names.iter();
    let hidden: Vec<bool> = names.map(|name| kept.has_moved_zeros(name)).collect();
    let all: Vec<usize> = (0..hidden.len()).collect();
    Release {
        names: release.names.clone(),
        categories: release.categories.clone(),
        values: release.values.hiding_zeros(&all, &hidden),
    }
}

impl ByLaw {
    /// The attack as it is, if the law speaks of everything.
    pub fn around(attack: Box<dyn Attack>, law: Law) -> Box<dyn Attack> {
        if law.scope == Scope::ALL && law.step.kept.is_empty() {
            attack
        } else {
            Box::new(Self { attack, law })
        }
    }

    fn kept(&self) -> &Kept {
        &self.law.step.kept
    }

    fn of_law(&self, known: &[String]) -> Vec<String> {
        let of_law = known.iter().filter(|name| self.law.speaks_of(name));
        of_law.cloned().collect()
    }
}

impl Attack for ByLaw {
    fn name(&self) -> &'static str {
        self.attack.name()
    }

    fn has_candidate_sets(&self) -> bool {
        self.attack.has_candidate_sets()
    }

    fn needs_alignment(&self) -> bool {
        self.attack.needs_alignment()
    }

    fn is_balanced(&self) -> bool {
        self.attack.is_balanced()
    }

    fn formula(&self) -> String {
        self.attack.formula()
    }

    fn in_words(&self) -> String {
        self.attack.in_words()
    }

    fn standardize(&self) -> Option<Standardize> {
        self.attack.standardize()
    }

    fn reads(&self) -> Vec<String> {
        self.of_law(&self.attack.reads())
    }

    fn windows(&self, known: &[String]) -> Option<Vec<usize>> {
        let mut windows = self.attack.windows(&self.of_law(known))?.into_iter();
        // What it does not speak of can be anywhere.
        let window = |name: &String| {
            if self.law.speaks_of(name) {
                windows.next()
            } else {
                Some(self.law.step.records)
            }
        };
        known.iter().map(window).collect()
    }

    fn caveats(&self, known: &[String]) -> Vec<String> {
        let mut caveats = self.attack.caveats(&self.of_law(known));
        let named = |test: &dyn Fn(&str) -> bool| -> Vec<&str> {
            known
                .iter()
                .map(String::as_str)
                .filter(|name| test(name))
                .collect()
        };
        let unseen = named(&|name| !self.law.scope.has(name) && !self.kept().is_derived(name));
        if !unseen.is_empty() {
            caveats.push(format!(
                "the law of {} does not speak of {}, so what these say is not used",
                self.law.step.method.name(),
                unseen.join(", ")
            ));
        }
        let derived = named(&|name| self.kept().is_derived(name));
        if !derived.is_empty() {
            caveats.push(format!(
                "totals that were worked out anew from masked parts have no law, and are left out: {}",
                derived.join(", ")
            ));
        }
        let moved = named(&|name| self.kept().has_moved_zeros(name));
        if !moved.is_empty() {
            caveats.push(format!(
                "zeros changed places by themselves, so a zero excludes nobody: {}",
                moved.join(", ")
            ));
        }
        caveats
    }

    fn left_out(&self) -> usize {
        self.attack.left_out()
    }

    fn law(&self) -> Option<&Law> {
        Some(&self.law)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        self.attack.prepare(scenario)
    }
}
