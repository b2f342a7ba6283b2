//! Several steps moved values: what their laws say of a pair is added up.

use super::{Attack, Lists, Preference, Scenario};
use crate::error::{Error, Result};

/// Record linkage by the likelihoods of several steps, each of which moved other attributes.
///
/// ```text
/// cost of (person, record) = Σ over the steps of −log-likelihood by the law of the step
/// ```
///
/// Given the original values, steps draw independently of each other, so their log-likelihoods add up. Attributes that no step moved have
/// equal values, which the first law says. It is a part of [`likelihood`](super::likelihood) in reports.
///
/// # Candidates
/// Those of a person by every law: a record that is (nearly) impossible by one of them is none.
///
/// # Errors
/// Usage, where a law has no lists of likelihoods for files of this size (noise).
#[derive(Debug)]
pub struct LikelihoodOfSteps {
    factors: Vec<Box<dyn Attack>>,
}

impl LikelihoodOfSteps {
    /// The likelihoods of several laws, each an attack that sees only what its law speaks of.
    pub fn new(factors: Vec<Box<dyn Attack>>) -> Self {
        Self { factors }
    }
}

impl Attack for LikelihoodOfSteps {
    fn name(&self) -> &'static str {
        "likelihood"
    }

    fn has_candidate_sets(&self) -> bool {
        self.factors.iter().all(|law| law.has_candidate_sets())
    }

    fn formula(&self) -> String {
        "sum over the steps of ln(P(masked value | original value) / P(masked value)) by the published laws"
            .into()
    }

    fn in_words(&self) -> String {
        "knows the laws of all steps (likelihood)".into()
    }

    fn caveats(&self, known: &[String]) -> Vec<String> {
        let speaks = |factor: &dyn Attack, name: &String| {
            factor.law().is_none_or(|law| law.applies_to(name, known))
        };
        let mut caveats = Vec::new();
        for factor in &self.factors {
            let own = known.iter().filter(|name| speaks(factor.as_ref(), name));
            caveats.extend(factor.caveats(&own.cloned().collect::<Vec<_>>()));
        }
        let is_unseen = |name: &&String| {
            let mut factors = self.factors.iter();
            !factors.any(|factor| speaks(factor.as_ref(), name))
        };
        let unseen: Vec<&str> = known.iter().filter(is_unseen).map(String::as_str).collect();
        if !unseen.is_empty() {
            caveats.push(format!(
                "no law speaks of {}, so what these say is not used",
                unseen.join(", ")
            ));
        }
        caveats
    }

    fn left_out(&self) -> usize {
        self.factors.first().map_or(0, |law| law.left_out())
    }

    fn factors(&self) -> &[Box<dyn Attack>] {
        &self.factors
    }

    /// The judge prepares each law with what it speaks of, and adds them up ([`Added`]).
    fn prepare<'a>(&self, _scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        Err(Error::usage(
            "laws of several steps are looked at one by one",
        ))
    }
}

/// Lists of likelihoods that are added up, of the same seekers and sought records.
#[derive(Debug)]
pub struct Added<'a> {
    lists: Vec<Box<dyn Lists + 'a>>,
    /// In the order of the steps.
    caveats: Vec<String>,
}

impl<'a> Added<'a> {
    /// Adds up lists; there must be one at least.
    ///
    /// Lists that weigh pairs come last, so that they are asked only for pairs that all others allow, which are few where a law has windows. The
    /// last digit of a sum of three laws and more can depend on it, unless costs are multiples of one step.
    pub fn new(mut lists: Vec<Box<dyn Lists + 'a>>) -> Self {
        let caveats = lists.iter().flat_map(|lists| lists.caveats()).collect();
        lists.sort_by_key(|lists| lists.weighs_pairs());
        Self { lists, caveats }
    }
}

impl Lists for Added<'_> {
    fn n_seekers(&self) -> usize {
        self.lists.first().map_or(0, |lists| lists.n_seekers())
    }

    fn n_sought(&self) -> usize {
        self.lists.first().map_or(0, |lists| lists.n_sought())
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let mut lists = self.lists.iter();
        if let Some(first) = lists.next() {
            first.list(seeker, list);
        }
        for other in lists {
            other.add_to(seeker, list);
        }
    }

    fn unordered(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        match self.lists.split_first() {
            Some((first, others)) if others.iter().all(|other| other.weighs_pairs()) => {
                first.unordered(seeker, list);
                for other in others {
                    other.add_to(seeker, list);
                }
            }
            _ => self.list(seeker, list),
        }
    }

    fn whereabouts(&self, seeker: usize) -> u64 {
        let first = self.lists.first();
        first.map_or(0, |lists| lists.whereabouts(seeker))
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn excludes_others(&self) -> bool {
        self.lists.iter().all(|lists| lists.excludes_others())
    }

    fn caveats(&self) -> Vec<String> {
        self.caveats.clone()
    }
}
