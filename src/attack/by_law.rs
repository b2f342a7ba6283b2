//! Attacks by a published law see what the law speaks of, and no more.
//!
//! Where several steps moved values, each has a law of its attributes: the attack by the law of a step does not see the others, nor what
//! has no law ([`crate::statement::Laws`]). The same is true of files in which sums and zeros were kept.
//! The law of a method speaks of what the method masked. A total that was worked out anew from its parts has no law of its own, and
//! zeros that changed places as patterns have none either: where one of two values is zero, nothing follows. So these attacks see neither:
//! totals are left out, and zeros count as missing, which excludes nobody. What is left obeys the law, since the method saw the same.

use super::{
    Attack, Preference, Release, Scenario,
    distance_based::Standardize,
    steps::{self, OtherLaw},
    within_strata::{self, Strata, Stratum},
};
use crate::{
    error::{Error, Result},
    statement::{Kept, Law, Scope},
    table::{
        Scale,
        matrix::{Gaps, Matrix},
    },
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
    /// Its strata, where the law holds within such, and something that was masked within them is known.
    strata: Option<Box<Strata>>,
}

impl Limited {
    /// The scenario without attributes that the law does not speak of and totals that were worked out anew, zeros that changed places being
    /// missing; cut into strata, where the law holds within such.
    ///
    /// # Errors
    /// Usage, when nothing is left.
    pub fn new(scenario: &Scenario<'_>, law: &Law) -> Result<Self> {
        let kept = &law.step.kept;
        let stays: Vec<usize> = (0..scenario.known.len())
            .filter(|&k| law.applies_to(&scenario.known[k], scenario.known))
            .collect();
        if stays.is_empty() {
            let are_totals = scenario.known.iter().all(|name| kept.is_derived(name));
            let in_strata = scenario.known.iter().any(|name| law.speaks_of(name));
            return Err(Error::usage(if in_strata {
                format!(
                    "the known attributes were masked within strata of {}, which the intruder does not know all of: no law of them is known",
                    law.step.strata.join(", ")
                )
            } else if are_totals {
                "all known attributes are totals that were worked out anew from masked parts: no law of them is known".into()
            } else {
                "the law that was published speaks of none of the known attributes".into()
            })
            .remedy(if in_strata {
                "Let the intruder know what makes the strata, too, or use an attack that needs no law (am)"
            } else {
                "Let the intruder know a part of them, or use an attack that needs no law (am)"
            }));
        }
        let known: Vec<String> = stays.iter().map(|&k| scenario.known[k].clone()).collect();
        let hidden: Vec<bool> = known
            .iter()
            .map(|name| kept.has_moved_zeros(name))
            .collect();
        let cuts = !law.step.strata.is_empty() && known.iter().any(|name| law.masks(name));
        let mut limited = Self {
            scales: stays.iter().map(|&k| scenario.scales[k]).collect(),
            categories: (stays.iter())
                .filter_map(|&k| scenario.categories.get(k).cloned())
                .collect(),
            intruder: scenario.intruder.hiding_zeros(&stays, &hidden),
            released: scenario.released.hiding_zeros(&stays, &hidden),
            beside: scenario.beside.map(|release| hiding(release, kept)),
            known,
            strata: None,
        };
        if cuts {
            limited.strata = Some(Box::new(Strata::new(scenario, &limited, law)));
        }
        Ok(limited)
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

    /// What an attack by the law comes to, stratum by stratum where the law holds within such; with what other laws say.
    ///
    /// # Errors
    /// What the attack objects to.
    pub fn preference<'a>(
        &'a self,
        attack: &dyn Attack,
        law: &Law,
        whole: &Scenario<'a>,
        others: Vec<OtherLaw<'a>>,
    ) -> Result<Preference<'a>> {
        match &self.strata {
            Some(strata) => {
                let own = strata.preference(attack, law, whole)?;
                steps::with((attack.name(), attack.is_balanced()), own, others)
            }
            None => attack.prepare_with(&self.scenario(whole), others),
        }
    }

    /// The same without these attributes; `None` if nothing is left.
    pub(super) fn without(&self, names: &[String]) -> Option<Self> {
        let stays: Vec<usize> = (0..self.known.len())
            .filter(|&k| !names.contains(&self.known[k]))
            .collect();
        if stays.is_empty() {
            return None;
        }
        let side = |matrix: &Matrix| matrix.hiding_zeros(&stays, &vec![false; stays.len()]);
        Some(Self {
            known: stays.iter().map(|&k| self.known[k].clone()).collect(),
            scales: stays.iter().map(|&k| self.scales[k]).collect(),
            categories: (stays.iter())
                .filter_map(|&k| self.categories.get(k).cloned())
                .collect(),
            intruder: side(&self.intruder),
            released: side(&self.released),
            beside: (self.beside.as_ref())
                .map(|release| within_strata::released(release, &all(&self.released))),
            strata: None,
        })
    }

    /// The same of these records of either side.
    pub(super) fn of_records(&self, intruder: &[u32], released: &[u32]) -> Self {
        Self {
            known: self.known.clone(),
            scales: self.scales.clone(),
            categories: self.categories.clone(),
            intruder: self.intruder.reordered(intruder),
            released: self.released.reordered(released),
            beside: (self.beside.as_ref())
                .map(|release| within_strata::released(release, released)),
            strata: None,
        }
    }

    /// Hides these attributes of some records of the intruder, and of some that were released: they count as missing.
    pub(super) fn blank(&mut self, names: &[String], [intruder, released]: [&Vec<u32>; 2]) {
        let hide = |matrix: &mut Matrix, known: &[String], records: &[u32]| {
            for (k, _) in (known.iter().enumerate()).filter(|(_, name)| names.contains(name)) {
                for &record in records {
                    matrix.set_missing(record as usize, k);
                }
            }
        };
        hide(&mut self.intruder, &self.known, intruder);
        hide(&mut self.released, &self.known, released);
        if let Some(Release { names, values, .. }) = &mut self.beside {
            hide(values, names, released);
        }
    }

    /// Marks all gaps as such that need not stand where values are missing.
    pub(super) fn blur(&mut self) {
        self.blur_gaps(|_| false);
        for k in 0..self.known.len() {
            self.released.set_gaps(k, Gaps::Elsewhere);
        }
    }

    /// The same of attributes that have gaps, unless these are in place.
    pub(super) fn blur_gaps(&mut self, in_place: impl Fn(&String) -> bool) {
        for (k, name) in self.known.iter().enumerate() {
            let has_gaps = |matrix: &Matrix| matrix.present(k).count() < matrix.n_records();
            if !in_place(name) && (has_gaps(&self.intruder) || has_gaps(&self.released)) {
                self.released.set_gaps(k, Gaps::Elsewhere);
            }
        }
    }
}

fn all(matrix: &Matrix) -> Vec<u32> {
    (0..).take(matrix.n_records()).collect()
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
        let is_of_all = law.scope == Scope::ALL && law.step.strata.is_empty();
        if is_of_all && law.step.kept.is_empty() {
            attack
        } else {
            Box::new(Self { attack, law })
        }
    }

    fn kept(&self) -> &Kept {
        &self.law.step.kept
    }

    fn of_law(&self, known: &[String]) -> Vec<String> {
        let of_law = known.iter().filter(|name| self.law.applies_to(name, known));
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

    fn compares_values(&self) -> bool {
        // Of whoever is in another stratum, it says something else.
        self.attack.compares_values() && self.law.step.strata.is_empty()
    }

    fn needs_alignment(&self) -> bool {
        self.attack.needs_alignment()
    }

    fn is_balanced(&self) -> bool {
        self.attack.is_balanced()
    }

    fn is_fitted_to_pairs(&self) -> bool {
        self.attack.is_fitted_to_pairs()
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
        let reads = self.attack.reads();
        let of_law = reads.iter().filter(|name| self.law.speaks_of(name));
        of_law.cloned().collect()
    }

    fn windows(&self, known: &[String]) -> Option<Vec<usize>> {
        let mut windows = self.attack.windows(&self.of_law(known))?.into_iter();
        // What it does not speak of can be anywhere.
        let window = |name: &String| {
            if self.law.applies_to(name, known) {
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
        if !self.law.shows_strata(known) {
            let masked = named(&|name| self.law.speaks_of(name) && self.law.masks(name));
            if !masked.is_empty() {
                caveats.push(format!(
                    "{} masked within strata of {}, which the intruder does not know all of, so what {} is not used: {}",
                    if masked.len() == 1 { "an attribute was" } else { "attributes were" },
                    self.law.step.strata.join(", "),
                    if masked.len() == 1 { "it says" } else { "these say" },
                    masked.join(", ")
                ));
            }
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

    fn in_stratum(&self, stratum: Stratum<'_>) -> Option<Box<dyn Attack>> {
        self.attack.in_stratum(stratum)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        self.attack.prepare(scenario)
    }

    fn prepare_with<'a>(
        &self,
        scenario: &Scenario<'a>,
        others: Vec<OtherLaw<'a>>,
    ) -> Result<Preference<'a>> {
        self.attack.prepare_with(scenario, others)
    }
}
