//! What an intruder makes of a history: by which law each attribute was moved.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::{Method, Statement, Step};

/// The laws of a history.
///
/// Recoding is applied to the intruder's own values before anything is compared (a class is then equal or not), suppression leaves gaps, which
/// exclude nobody, and of a sample some are missing. What is left are steps that move values at random. Each attribute
/// obeys the law of the one step that moved it; laws of different steps are independent of each other given the original values, so
/// likelihoods multiply and candidate sets intersect. An attribute that no step moved has equal values.
///
/// Several steps on one attribute that have one law together are one step before laws are made ([`Statement::composed`]).
/// Without a law are attributes that two other steps moved (but windows of rank swapping follow each other in any case), that were recoded after they were
/// moved, or that differ from the original although no step moved them ([`Laws::contradict`]): attacks by law do not see them, and say so.
/// Of a history that does not begin with the file as collected, attributes that no step moved have none either. What was masked within
/// strata has a law only where the release shows the strata as the intruder knows them: where no step moved the attributes that make them.
///
/// # Complexity
/// O(steps · attributes · log attributes).
#[derive(Debug, Clone)]
pub struct Laws {
    /// The steps that move values, each with the attributes that its law speaks of. The first speaks of attributes that no step moved, too.
    laws: Vec<Law>,
    /// Where no step moves values: the attributes that are as they were.
    unmoved: Scope,
    /// The windows of rank swapping.
    windows: Option<Windows>,
    /// The attributes without a law, and why, in words that follow their name.
    without: BTreeMap<String, &'static str>,
    /// Whether all attributes that no step names are as they were collected.
    complete: bool,
    /// Number of records of the file that the first step was done to.
    records: usize,
    /// Number of those that samples left out.
    left_out: usize,
    /// What was done, in the names of the methods.
    done: String,
}

/// The windows of the steps that swapped ranks, and what attacks by them see.
#[derive(Debug, Clone)]
pub struct Windows {
    /// For each attribute that was swapped, the window of each step that did.
    pub of_attribute: BTreeMap<String, Vec<usize>>,
    /// The same in each stratum that has windows of its own.
    pub in_strata: BTreeMap<Vec<Option<String>>, BTreeMap<String, Vec<usize>>>,
    /// The first of the steps, with what all of them kept; and the attributes that are seen.
    pub law: Law,
}

/// A step, and the attributes that its law speaks of.
#[derive(Debug, Clone)]
pub struct Law {
    /// The step.
    pub step: Step,
    /// The attributes.
    pub scope: Scope,
}

/// A set of attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// All but these.
    AllBut(BTreeSet<String>),
    /// These.
    Only(BTreeSet<String>),
}

impl Scope {
    /// All attributes.
    pub const ALL: Self = Self::AllBut(BTreeSet::new());

    /// Whether an attribute is in it.
    pub fn has(&self, attribute: &str) -> bool {
        match self {
            Self::AllBut(names) => !names.contains(attribute),
            Self::Only(names) => names.contains(attribute),
        }
    }

    fn add(&mut self, attributes: BTreeSet<String>) {
        match self {
            Self::AllBut(names) => names.retain(|name| !attributes.contains(name)),
            Self::Only(names) => names.extend(attributes),
        }
    }

    fn remove(&mut self, attribute: &str) {
        match self {
            Self::AllBut(names) => {
                names.insert(attribute.to_owned());
            }
            Self::Only(names) => {
                names.remove(attribute);
            }
        }
    }
}

impl Law {
    /// Whether it speaks of an attribute: one in its scope that is no total worked out anew.
    pub fn speaks_of(&self, attribute: &str) -> bool {
        self.scope.has(attribute) && !self.step.kept.is_derived(attribute)
    }

    /// Whether it speaks of an attribute to an intruder who knows these: of what was masked within strata, only to who knows the strata.
    pub fn applies_to(&self, attribute: &str, known: &[String]) -> bool {
        self.speaks_of(attribute) && (self.shows_strata(known) || !self.masks(attribute))
    }

    /// Whether its step masked an attribute, which it speaks of.
    pub fn masks(&self, attribute: &str) -> bool {
        self.step.attributes.iter().any(|name| name == attribute)
    }

    /// Whether an intruder who knows these attributes knows the strata, too.
    pub fn shows_strata(&self, known: &[String]) -> bool {
        self.step.strata.iter().all(|name| known.contains(name))
    }
}

impl From<Step> for Law {
    /// The law of a step that was all that was done.
    fn from(step: Step) -> Self {
        Self {
            step,
            scope: Scope::ALL,
        }
    }
}

impl Step {
    /// Whether it moves values at random, rather than by a map that the intruder can apply.
    pub fn moves_values(&self) -> bool {
        match self.method {
            Method::Recode(_) | Method::Suppress(_) | Method::Sample(_) => false,
            Method::RankSwap(_)
            | Method::PBuckets(_)
            | Method::PDistribution(_)
            | Method::Swaps(_)
            | Method::Noise(_)
            | Method::Fuzzy(_)
            | Method::Microaggregation(_)
            | Method::Copula(_)
            | Method::Pram(_)
            | Method::Ipso(_) => true,
        }
    }

    /// Whether its law of other attributes depends on this one, and needs it as it was: an attribute to which relations were kept, or by
    /// which there were strata.
    pub(super) fn was_given(&self, attribute: &str) -> bool {
        let given = match &self.method {
            Method::Copula(stated) => (stated.given.as_ref())
                .is_some_and(|given| given.attributes.iter().any(|name| name == attribute)),
            _ => false,
        };
        given || (self.strata_of_any_kind().iter()).any(|name| name == attribute)
    }

    /// Whether another step is the same as if this one had masked its attributes, too: each attribute is masked by itself, by the same law.
    fn continues_with(&self, other: &Self) -> bool {
        let one_by_one = match &self.method {
            Method::RankSwap(_)
            | Method::PBuckets(_)
            | Method::PDistribution(_)
            | Method::Swaps(_) => true,
            Method::Noise(noise) => !noise.correlated,
            _ => false,
        };
        let plain = |step: &Self| step.kept.is_empty();
        one_by_one
            && self.method == other.method
            && self.records == other.records
            && self.strata == other.strata
            && self.within == other.within
            && plain(self)
            && plain(other)
    }

    /// The attributes that it changed: those that it masked, and totals that were worked out anew.
    pub(super) fn changed(&self) -> impl Iterator<Item = &String> {
        let totals = self.kept.sums.iter().map(|sum| &sum.total);
        self.attributes.iter().chain(totals)
    }
}

impl Laws {
    /// The laws of a history.
    pub fn of(statement: &Statement) -> Self {
        let mut movers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut without = BTreeMap::new();
        for (number, step) in statement.steps.iter().enumerate() {
            if step.moves_values() {
                for name in step.changed() {
                    let of_attribute = movers.entry(name).or_default();
                    if of_attribute.last() != Some(&number) {
                        of_attribute.push(number);
                    }
                }
            } else if matches!(step.method, Method::Recode(_)) {
                for name in &step.attributes {
                    if movers.contains_key(name.as_str()) {
                        without.insert(name.clone(), "was recoded after its values had been moved");
                    }
                    for earlier in &statement.steps[..number] {
                        if earlier.was_given(name) {
                            let moved = earlier.attributes.iter();
                            without.extend(moved.map(|name| {
                                (
                                    name.clone(),
                                    "was masked given an attribute that was recoded later",
                                )
                            }));
                        }
                    }
                }
            }
        }
        for step in statement.steps.iter().filter(|step| step.moves_values()) {
            let is_moved = |name: &String| movers.contains_key(name.as_str());
            let why = match (statement.complete, step.strata.iter().any(is_moved)) {
                (_, true) => "was masked within strata of an attribute that was moved, too",
                (false, _) if !step.strata.is_empty() => {
                    "was masked within strata, and the statement does not say whether these are those that were collected"
                }
                _ => continue,
            };
            without.extend(step.changed().map(|name| (name.clone(), why)));
        }
        let is_derived = |name: &str| {
            statement
                .steps
                .iter()
                .any(|step| step.kept.is_derived(name))
        };
        // Attacks by windows look at one way of making strata: that of the first swap of which there is a law.
        let is_swap = |step: &&Step| matches!(step.method, Method::RankSwap(_));
        let has_law = |name: &String| !without.contains_key(name) && !is_derived(name);
        let mut swaps = statement.steps.iter().filter(is_swap);
        let first_swap = (swaps.clone())
            .find(|step| step.attributes.iter().any(has_law))
            .or_else(|| swaps.next());
        let strata = first_swap.map_or(&[][..], |step| &step.strata);
        let window_in = |number: usize, stratum: &[Option<String>]| {
            let step = &statement.steps[number];
            match step.method_in(stratum) {
                Method::RankSwap(stated) if step.strata == strata => {
                    Some(stated.greatest_difference())
                }
                _ => None,
            }
        };
        let mut swapped: BTreeMap<&str, &[usize]> = BTreeMap::new();
        let mut not_swapped = BTreeSet::new();
        for (&name, numbers) in &movers {
            let is_swap = |&number: &usize| window_in(number, &[]).is_some();
            if numbers.iter().all(is_swap) && has_law(&name.to_owned()) {
                swapped.insert(name, numbers);
            } else {
                not_swapped.insert(name.to_owned());
            }
        }
        let windows_in = |stratum: &[Option<String>]| -> BTreeMap<String, Vec<usize>> {
            let of_steps = swapped.iter().map(|(&name, numbers)| {
                let windows = numbers
                    .iter()
                    .filter_map(|&number| window_in(number, stratum));
                (name.to_owned(), windows.collect())
            });
            of_steps.collect()
        };
        let (windows, in_strata) = {
            let steps = statement.steps.iter().filter(is_swap);
            let own = steps.flat_map(|step| &step.within);
            let in_strata: BTreeMap<_, _> = own
                .map(|own| (own.stratum.clone(), windows_in(&own.stratum)))
                .collect();
            (windows_in(&[]), in_strata)
        };
        for (&name, numbers) in &movers {
            if numbers.len() > 1 {
                without
                    .entry(name.to_owned())
                    .or_insert("was moved by more than one step");
            }
        }
        let unmoved = if statement.complete {
            let mut unmoved = Scope::ALL;
            for name in without.keys() {
                unmoved.remove(name);
            }
            unmoved
        } else {
            Scope::Only(BTreeSet::new())
        };
        let own = |number: usize| -> BTreeSet<String> {
            let names = movers.iter().filter(|(_, numbers)| **numbers == [number]);
            names
                .map(|(&name, _)| name.to_owned())
                .filter(|name| !without.contains_key(name))
                .collect()
        };
        let mut laws: Vec<Law> = Vec::new();
        for (number, step) in statement.steps.iter().enumerate() {
            if !step.moves_values() {
                continue;
            }
            let own = own(number);
            let same = laws.iter_mut().find(|law| law.step.continues_with(step));
            if let Some(law) = same {
                law.step.attributes.extend(step.attributes.iter().cloned());
                law.scope.add(own);
                continue;
            }
            let scope = if laws.is_empty() && statement.complete {
                let others = movers.keys().filter(|&&name| !own.contains(name));
                Scope::AllBut(others.map(|&name| name.to_owned()).collect())
            } else {
                Scope::Only(own)
            };
            laws.push(Law {
                step: step.clone(),
                scope,
            });
        }
        let scope = if statement.complete {
            Scope::AllBut(not_swapped)
        } else {
            Scope::Only(windows.keys().cloned().collect())
        };
        let windows = first_swap.map(|first| {
            let mut step = first.clone();
            for other in statement.steps.iter().filter(is_swap) {
                if !std::ptr::eq(other, first) {
                    step.kept.join(&other.kept);
                }
            }
            step.attributes = windows.keys().cloned().collect();
            Windows {
                of_attribute: windows,
                in_strata,
                law: Law { step, scope },
            }
        });
        Self {
            laws,
            unmoved,
            windows,
            without,
            complete: statement.complete,
            records: statement.steps.first().map_or(0, Step::before),
            left_out: (statement.steps.iter())
                .map(|step| step.before().saturating_sub(step.records))
                .fold(0, usize::saturating_add),
            done: statement.methods(),
        }
    }

    /// The laws of a history that was composed. Windows are those of the history as it was, since they follow each other.
    pub fn of_composed(history: &Statement, composed: &Statement) -> Self {
        Self {
            windows: Self::of(history).windows,
            ..Self::of(composed)
        }
    }

    /// Takes an attribute out of all laws: it differs from the original in a way that the history does not explain.
    pub fn contradict(&mut self, attribute: &str) {
        self.drop(attribute, "differs from the original, and no step says why");
        let windows = self.windows.iter().map(|windows| &windows.law);
        let steps = self.laws.iter().chain(windows).map(|law| &law.step);
        let within = steps.filter(|step| step.strata.iter().any(|name| name == attribute));
        let masked: BTreeSet<String> = within.flat_map(Step::changed).cloned().collect();
        for name in masked {
            self.drop(
                &name,
                "was masked within strata of an attribute that differs from the original",
            );
        }
    }

    fn drop(&mut self, attribute: &str, why: &'static str) {
        let windows = self.windows.as_mut().map(|windows| &mut windows.law.scope);
        let scopes = self.laws.iter_mut().map(|law| &mut law.scope);
        for scope in scopes.chain(windows).chain([&mut self.unmoved]) {
            scope.remove(attribute);
        }
        self.without.entry(attribute.to_owned()).or_insert(why);
    }

    /// Whether a step moved this attribute.
    pub fn moves(&self, attribute: &str) -> bool {
        let mut steps = self.laws.iter().map(|law| &law.step);
        steps.any(|step| step.changed().any(|name| name == attribute))
    }

    /// The steps that move values, each with the attributes that its law speaks of; none where no step does.
    pub fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// Where no step moves values: the attributes that are as they were.
    pub fn unmoved(&self) -> &Scope {
        &self.unmoved
    }

    /// The law of the step that is of this kind, if there is one; of several, the first.
    pub fn find(&self, is: impl Fn(&Method) -> bool) -> Option<Law> {
        let place = self.laws.iter().position(|law| is(&law.step.method))?;
        let mut law = self.laws[place].clone();
        if place > 0 && self.complete {
            // What speaks alone speaks of attributes that no step moved, too.
            let Scope::Only(own) = &law.scope else {
                return Some(law);
            };
            let steps = self.laws.iter().flat_map(|law| law.step.changed());
            let moved = steps.chain(self.without.keys());
            let others = moved.filter(|name| !own.contains(*name)).cloned();
            law.scope = Scope::AllBut(others.collect());
        }
        Some(law)
    }

    /// The law that [`find`](Self::find) gives, and those of the other steps, which speak of what these moved alone: so no attribute is spoken
    /// of twice.
    pub fn led_by(&self, is: impl Fn(&Method) -> bool) -> Option<(Law, Vec<Law>)> {
        let place = self.laws.iter().position(|law| is(&law.step.method))?;
        let first = self.find(is)?;
        let others = self.laws.iter().enumerate();
        let others = others.filter(|&(other, _)| other != place).map(|(_, law)| {
            let own = law.step.changed().filter(|name| law.scope.has(name));
            Law {
                scope: Scope::Only(own.cloned().collect()),
                ..law.clone()
            }
        });
        Some((first, others.collect()))
    }

    /// The windows of rank swapping; `None` where nothing was swapped.
    pub fn windows(&self) -> Option<&Windows> {
        self.windows.as_ref()
    }

    /// The attributes without a law, and why, in words that follow their name.
    pub fn without(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.without.iter().map(|(name, &why)| (name.as_str(), why))
    }

    /// Whether attributes that no step names are as they were collected.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Number of records of the file that the first step was done to.
    pub fn records(&self) -> usize {
        self.records
    }

    /// Number of records that samples left out.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// What was done, in the names of the methods, whether it moved values or not.
    pub fn done(&self) -> &str {
        &self.done
    }

    /// What moved values, in the names of the methods; `None` where nothing did.
    pub fn methods(&self) -> Option<String> {
        let names: Vec<&str> = self.laws.iter().map(|law| law.step.method.name()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}
