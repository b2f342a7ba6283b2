//! Attacks by a published law, on files in which sums and zeros were kept.
//!
//! The law of a method speaks of what the method masked. A total that was worked out anew from its parts has no law of its own, and
//! zeros that changed places as patterns have none either: where one of two values is zero, nothing follows. So these attacks see neither:
//! totals are left out, and zeros count as missing, which excludes nobody. What is left obeys the law, since the method saw the same.

use super::{Attack, Preference, Release, Scenario, distance_based::Standardize};
use crate::{
    error::{Error, Result},
    statement::{Kept, Statement},
    table::{Matrix, Scale},
};

/// An attack by a law, which sees only what the law speaks of.
#[derive(Debug)]
pub struct ByLaw {
    /// The attack by the law, on what is left.
    pub attack: Box<dyn Attack>,
    /// What the law does not speak of.
    pub kept: Kept,
    /// Records of the file that was masked.
    pub records: usize,
}

/// What is left of a scenario where a law does not speak of all of it.
#[derive(Debug)]
pub struct Limited {
    known: Vec<String>,
    scales: Vec<Scale>,
    intruder: Matrix,
    released: Matrix,
    beside: Option<Release>,
}

impl Limited {
    /// The scenario without totals that were worked out anew, zeros that changed places being missing.
    ///
    /// # Errors
    /// Usage, when nothing is left.
    pub fn new(scenario: &Scenario<'_>, kept: &Kept) -> Result<Self> {
        let stays: Vec<usize> = (0..scenario.known.len())
            .filter(|&k| !kept.is_derived(&scenario.known[k]))
            .collect();
        if stays.is_empty() {
            return Err(Error::usage(
                "all known attributes are totals that were worked out anew from masked parts: no law of them is known",
            )
            .remedy("Let the intruder know a part of them, or use an attack that needs no law (am)"));
        }
        let known: Vec<String> = stays.iter().map(|&k| scenario.known[k].clone()).collect();
        let hidden: Vec<bool> = known
            .iter()
            .map(|name| kept.has_moved_zeros(name))
            .collect();
        Ok(Self {
            scales: stays.iter().map(|&k| scenario.scales[k]).collect(),
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
    /// The attack as it is, unless the statement says that sums or zeros were kept.
    pub fn around(attack: Box<dyn Attack>, statement: Option<&Statement>) -> Box<dyn Attack> {
        match statement {
            Some(statement) if !statement.kept.is_empty() => Box::new(Self {
                attack,
                kept: statement.kept.clone(),
                records: statement.records,
            }),
            _ => attack,
        }
    }

    fn of_law(&self, known: &[String]) -> Vec<String> {
        let of_law = known.iter().filter(|name| !self.kept.is_derived(name));
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
        // A total can be anywhere.
        let window = |name: &String| {
            if self.kept.is_derived(name) {
                Some(self.records)
            } else {
                windows.next()
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
        let derived = named(&|name| self.kept.is_derived(name));
        if !derived.is_empty() {
            caveats.push(format!(
                "totals that were worked out anew from masked parts have no law, and are left out: {}",
                derived.join(", ")
            ));
        }
        let moved = named(&|name| self.kept.has_moved_zeros(name));
        if !moved.is_empty() {
            caveats.push(format!(
                "zeros changed places by themselves, so a zero excludes nobody: {}",
                moved.join(", ")
            ));
        }
        caveats
    }

    fn beyond_its_law(&self) -> Option<&Kept> {
        Some(&self.kept)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        self.attack.prepare(scenario)
    }
}
