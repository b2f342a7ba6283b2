//! Several steps moved values: what their laws say of a pair is added up.

use super::{Attack, Lists, Preference, Scenario};
use crate::error::{Error, Result};

/// Record linkage by the laws of several steps, each of which moved other attributes.
///
/// ```text
/// cost of (person, record) = Σ over the steps of −log-likelihood by the law of the step
/// ```
///
/// Given the original values, steps draw independently of each other, so their log-likelihoods add up. Attributes that no step moved have
/// equal values, which the first law says. In reports it has the name of the attack by the first law: [`likelihood`](super::likelihood), or
/// [`involution`](super::involution), which weighs the pairs that it leaves by all of this before it looks for those that stand and fall
/// together (where values were swapped within strata, afterwards).
///
/// # Candidates
/// Those of a person by every law: a record that is (nearly) impossible by one of them is none.
///
/// # Errors
/// Usage, where a law has no lists of likelihoods for files of this size (noise); beside involution, which has its own evidence, a law that cannot be
/// used is left out, and the report says so.
#[derive(Debug)]
pub struct OfSteps {
    factors: Vec<Box<dyn Attack>>,
    goes_by: GoesBy,
}

/// What the first law is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GoesBy {
    Likelihoods,
    Swaps,
}

impl OfSteps {
    /// The likelihoods of several laws, each an attack that sees only what its law speaks of.
    pub fn likelihoods(factors: Vec<Box<dyn Attack>>) -> Self {
        Self {
            factors,
            goes_by: GoesBy::Likelihoods,
        }
    }

    /// The attack on swaps, and the likelihoods of the laws of other steps.
    pub fn swaps(involution: Box<dyn Attack>, others: Vec<Box<dyn Attack>>) -> Self {
        Self {
            factors: std::iter::once(involution).chain(others).collect(),
            goes_by: GoesBy::Swaps,
        }
    }

    fn of_swaps(&self) -> Option<&dyn Attack> {
        let first = self.factors.first().map(AsRef::as_ref);
        first.filter(|_| self.goes_by == GoesBy::Swaps)
    }
}

impl Attack for OfSteps {
    fn name(&self) -> &'static str {
        self.of_swaps().map_or("likelihood", |swaps| swaps.name())
    }

    fn has_candidate_sets(&self) -> bool {
        match self.of_swaps() {
            // Where another law takes them away, the lists say so.
            Some(swaps) => swaps.has_candidate_sets(),
            None => self.factors.iter().all(|law| law.has_candidate_sets()),
        }
    }

    fn is_balanced(&self) -> bool {
        self.of_swaps().is_some_and(|swaps| swaps.is_balanced())
    }

    fn formula(&self) -> String {
        match self.of_swaps() {
            None => {
                "sum over the steps of ln(P(masked value | original value) / P(masked value)) by the published laws"
                    .into()
            }
            Some(swaps) => format!("{} (likelihood by the laws of all steps)", swaps.formula()),
        }
    }

    fn in_words(&self) -> String {
        match self.of_swaps() {
            None => "knows the laws of all steps (likelihood)".into(),
            Some(swaps) => format!(
                "knows the laws of all steps and that swaps are mutual ({})",
                swaps.name()
            ),
        }
    }

    fn windows(&self, known: &[String]) -> Option<Vec<usize>> {
        self.of_swaps().and_then(|swaps| swaps.windows(known))
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

    fn needs_first_factor(&self) -> bool {
        self.goes_by == GoesBy::Swaps
    }

    /// The judge prepares each law with what it speaks of, the first one last ([`Attack::prepare_with`]).
    fn prepare<'a>(&self, _scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        Err(Error::usage(
            "laws of several steps are looked at one by one",
        ))
    }
}

/// What the law of another step says of all pairs.
#[derive(Debug)]
pub struct OtherLaw<'a> {
    /// The method of the step.
    pub method: &'static str,
    /// The name of the attack by its law.
    pub attack: &'static str,
    /// What that comes to.
    pub preference: Result<Preference<'a>>,
    /// Whether pairs that it does not list are impossible; else they are only very unlikely.
    pub excludes: bool,
}

/// Likelihoods by the laws of other steps.
#[derive(Debug, Default)]
pub(super) struct Others<'a> {
    /// In the order of the steps, each with whether pairs that it does not list are impossible.
    lists: Vec<(Box<dyn Lists + 'a>, bool)>,
    /// What the lists say of themselves, and which laws have none.
    pub caveats: Vec<String>,
    /// The methods of the steps.
    pub methods: Vec<&'static str>,
}

impl<'a> Others<'a> {
    /// Those that have likelihoods. The others are errors, or if they `may_lack` are left out, which is said.
    ///
    /// # Errors
    /// What an attack by one of the laws objects to.
    pub fn new(others: Vec<OtherLaw<'a>>, may_lack: bool) -> Result<Self> {
        let mut all = Self::default();
        for other in others {
            let lists =
                (other.preference).and_then(|preference| likelihoods(other.attack, preference));
            match lists {
                Ok(lists) => {
                    all.methods.push(other.method);
                    all.caveats.extend(lists.caveats());
                    let excludes = other.excludes && lists.excludes_others();
                    all.lists.push((lists, excludes));
                }
                Err(error) if may_lack => all.caveats.push(format!(
                    "what the law of {} says is not used: {}",
                    other.method,
                    error.what()
                )),
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// Whether nobody says anything.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Those by which pairs that are not listed are impossible.
    pub fn certain(&self) -> Vec<&(dyn Lists + 'a)> {
        self.that(true)
    }

    /// Those by which such pairs are only very unlikely.
    pub fn likely(&self) -> Vec<&(dyn Lists + 'a)> {
        self.that(false)
    }

    fn that(&self, exclude: bool) -> Vec<&(dyn Lists + 'a)> {
        let lists = self.lists.iter().filter(|of| of.1 == exclude);
        lists.map(|(lists, _)| lists.as_ref()).collect()
    }
}

/// What an attack of this name comes to, and what other laws say.
///
/// # Errors
/// Usage, when one of them has no lists of likelihoods to be added up, unless other laws `may_lack` them.
pub(super) fn with<'a>(
    (attack, may_lack): (&str, bool),
    own: Preference<'a>,
    others: Vec<OtherLaw<'a>>,
) -> Result<Preference<'a>> {
    if others.is_empty() {
        return Ok(own);
    }
    let own = likelihoods(attack, own)?;
    let others = Others::new(others, may_lack)?;
    // Of likelihoods alone, the attack itself says whether any law is so vague.
    let exclude = !may_lack || others.likely().is_empty();
    Ok(Preference::Lists(Box::new(Added::new(
        own, others, exclude,
    ))))
}

/// Lists of likelihoods, to be added up, of the attack of this name.
///
/// # Errors
/// Usage, when the preference is no such thing.
pub fn likelihoods<'a>(attack: &str, preference: Preference<'a>) -> Result<Box<dyn Lists + 'a>> {
    match preference {
        Preference::Lists(lists) if lists.is_likelihood() => Ok(lists),
        _ => Err(unlikely(attack)),
    }
}

/// The error of adding up what is no likelihood.
pub fn unlikely(attack: &str) -> Error {
    Error::usage(format!(
        "several releases or steps are added up by likelihoods, which {attack} does not have in lists for these files"
    ))
}

/// Lists of likelihoods that are added up, of the same seekers and sought records.
#[derive(Debug)]
struct Added<'a> {
    lists: Vec<Box<dyn Lists + 'a>>,
    /// Whether what others than the first leave out is impossible.
    exclude: bool,
    /// In the order of the steps.
    caveats: Vec<String>,
}

impl<'a> Added<'a> {
    /// Adds up the lists of an attack and those of other laws.
    ///
    /// Lists that weigh pairs come last, so that they are asked only for pairs that all others allow, which are few where a law has windows. The
    /// last digit of a sum of three laws and more can depend on it, unless costs are multiples of one step.
    fn new(own: Box<dyn Lists + 'a>, others: Others<'a>, exclude: bool) -> Self {
        let mut caveats = own.caveats();
        caveats.extend(others.caveats);
        let mut lists = vec![own];
        lists.extend(others.lists.into_iter().map(|(lists, _)| lists));
        lists.sort_by_key(|lists| lists.weighs_pairs());
        Self {
            lists,
            exclude,
            caveats,
        }
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
        self.exclude && self.lists.iter().all(|lists| lists.excludes_others())
    }

    fn caveats(&self) -> Vec<String> {
        self.caveats.clone()
    }
}
