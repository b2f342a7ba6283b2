//! What an attack comes to: whom each seeker prefers.

use std::{borrow::Cow, cmp::Ordering};

use super::{posterior, probabilistic::Agreed, within_strata};
use crate::{
    distance::{
        Doubt, Metric,
        nearest::{Boxes, Link},
        priced::Space,
    },
    error::Result,
    table::matrix::{Matrix, equal_records::EqualRecords},
};

/// What an attack comes to: for each seeker, which sought records are possible and which of these it prefers.
///
/// The judge searches it and asks about the true partners. Lists are worked out seeker by seeker meanwhile, but an
/// attack never learns whom the question is about, so none can profit from it.
#[derive(Debug)]
pub enum Preference<'a> {
    /// The nearest point.
    Nearest(Box<Nearest<'a>>),
    /// The cheapest candidate of a list.
    Lists(Box<dyn Lists + 'a>),
    /// The greatest weight of an agreement pattern.
    Agreed(Box<Agreed>),
    /// What is preferred within each of several strata, not all of it by lists.
    Strata(Box<within_strata::Joined<'a>>),
}

/// A preference for the nearest point.
#[derive(Debug)]
pub struct Nearest<'a> {
    /// The records that look, in the units of the sought ones.
    pub seekers: Cow<'a, Matrix>,
    /// The records among which they look.
    pub sought: Cow<'a, Matrix>,
    /// Which of two sought records is nearer.
    pub metric: Metric,
    /// The candidate set of each seeker; `None` if every sought record is a candidate.
    pub candidates: Option<Boxes>,
    /// Who decides where rounding could; `None` if the metric's number itself is what counts. Without candidate sets only.
    pub decides: Option<Box<dyn Decides + 'a>>,
}

/// Both files as points.
pub struct Points<'a> {
    /// The records that look.
    pub seekers: Cow<'a, Matrix>,
    /// The records among which they look.
    pub sought: Cow<'a, Matrix>,
    /// By what they are compared.
    pub space: &'a dyn Space,
}

/// Counts candidates, of lists that leave nobody out.
pub trait Closer: Sync {
    /// How many sought records cost the seeker less than this one.
    fn count(&self, seeker: usize, record: u32) -> u32;
}

/// Which of two sought records is nearer, where their costs are so close that rounding could have changed their order, or made them
/// tie.
pub trait Decides: std::fmt::Debug + Send + Sync {
    /// How close costs of this seeker must be for that.
    fn doubt(&self, seeker: usize) -> Doubt;

    /// The order of two sought records by their distance from the seeker, without rounding.
    fn compare(&self, seeker: usize, a: u32, b: u32) -> Ordering;

    /// The order of two sought records with these costs; `doubt` is that of the seeker.
    fn order(&self, seeker: usize, doubt: Doubt, a: (u32, f64), b: (u32, f64)) -> Ordering {
        if doubt.covers(a.1, b.1) {
            self.compare(seeker, a.0, b.0)
        } else {
            by_cost(a.1, b.1)
        }
    }
}

/// The order of two costs, which are numbers; −0 is 0.
pub fn by_cost(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// Whom the candidates of some seekers are shown to: the place of one among the seekers, and its candidates with their costs.
pub type Shown<'a> = dyn FnMut(usize, &[(u32, f64)]) + 'a;

/// The records of a file, in groups of equal ones.
#[derive(Debug)]
pub struct Kinds {
    /// The records of each kind.
    pub records: EqualRecords,
    /// The kind of each record.
    pub of: Vec<u32>,
    /// Number of records of each kind.
    pub sizes: Vec<u32>,
}

impl Kinds {
    /// Equal records of a file are of one kind.
    pub fn of(file: &Matrix) -> Self {
        let records = EqualRecords::of(file);
        Self {
            of: records.numbers(),
            sizes: records.sizes(),
            records,
        }
    }
}

/// What a list comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The least cost; infinite without candidates.
    pub least: f64,
    /// Number of candidates at it.
    pub tied: u32,
    /// Number of all candidates.
    pub candidates: u32,
    /// [`Lists::stated`].
    pub stated: f64,
}

impl Summary {
    /// Of a list without candidates.
    pub const NOBODY: Self = Self {
        least: f64::INFINITY,
        tied: 0,
        candidates: 0,
        stated: 0.0,
    };
}

/// Lists in which records of a kind are one candidate that counts as many. How many candidates there are, what the cheapest costs and what is stated
/// of it is known without making the list.
pub trait Summed: Sync {
    /// What the list of each of these seekers comes to; what is stated, in thirty binary digits.
    fn summaries(&self, seekers: &[usize]) -> Vec<Summary>;

    /// The link of each of these seekers, which `link` makes of their places and of the beginnings of their lists of kinds: those up
    /// to this cost, in any order.
    fn links(&self, seekers: &[usize], most: &[f64], link: &LinkOf<'_>) -> Vec<Link>;

    /// The cost of a pair in the seeker's list; infinite if it is not there.
    fn cost(&self, seeker: usize, sought: u32) -> f64;
}

/// The link of the seeker in a place, of whose list this is a beginning.
pub type LinkOf<'a> = dyn Fn(usize, &[(u32, f64)]) -> Link + Sync + 'a;

/// What is stated of a part of a list, and of what the others add.
pub type StatedOfParts<'a> = dyn Fn(&[(u32, f64)], f64) -> f64 + Sync + 'a;

/// The same where it is also known what they come to on a sample ([`of_sample`](super::of_sample)).
pub trait SummedOfSample: Summed {
    /// [`Summed::summaries`] with what is stated on a sample. `stated` is given a part of a list of kinds, in which the cheapest candidates are, and
    /// of the others `Σ r / (1 − r)`, where `r = exp(−cost) / (1 + exp(anybody))`, each kind counting as many as it has records.
    fn summaries_of_sample(
        &self,
        seekers: &[usize],
        anybody: &[f64],
        stated: &StatedOfParts<'_>,
    ) -> Vec<Summary>;

    /// ln Σ exp(−cost) of each kind of sought records, over all seekers.
    fn over_seekers(&self) -> Vec<f64>;
}

/// A preference for the cheapest candidate of a list, which is worked out one seeker at a time.
pub trait Lists: std::fmt::Debug + Sync {
    /// Number of records that look.
    fn n_seekers(&self) -> usize;

    /// Number of records among which they look.
    fn n_sought(&self) -> usize;

    /// Puts the candidates of a seeker into `list` (which it clears first), each with its cost, in ascending order of the
    /// sought record. Less is preferred; equal costs are a tie.
    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>);

    /// Adds what these lists say of each pair of a seeker to its cost in `list`, which ascends by sought records unless these lists [weigh
    /// pairs](Self::weighs_pairs); pairs that they do not hold go.
    fn add_to(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let mut own = Vec::new();
        self.list(seeker, &mut own);
        let mut rest = own.iter().peekable();
        list.retain_mut(|(record, cost)| {
            while rest.next_if(|(other, _)| other < record).is_some() {}
            match rest.next_if(|(other, _)| other == record) {
                Some((_, more)) => {
                    *cost += more;
                    true
                }
                None => false,
            }
        });
    }

    /// Whether [`add_to`](Self::add_to) looks at the pairs that it is shown alone, in any order, and not at everybody.
    fn weighs_pairs(&self) -> bool {
        false
    }

    /// Where the candidates of a seeker are: lists of seekers with similar numbers are best asked for one after the other, since they are made
    /// from the same records. All the same where that makes no difference.
    fn whereabouts(&self, _seeker: usize) -> u64 {
        0
    }

    /// The same list in any order: whoever sorts for `list` need not here.
    fn unordered(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.list(seeker, list);
    }

    /// What lists come to, where that is had without them: by these kinds of sought records. Then costs are what counts.
    fn summed(&self) -> Option<(&Kinds, &dyn Summed)> {
        None
    }

    /// The same of what is stated on a sample.
    fn summed_of_sample(&self) -> Option<(&Kinds, &dyn SummedOfSample)> {
        None
    }

    /// Whether lists are so long that whoever wants the cheapest candidates only should ask for these ([`cheapest`](Self::cheapest)).
    fn has_cheapest_only(&self) -> bool {
        false
    }

    /// Whether the cheapest candidates are found without the others, although these can be had: worth asking for where nobody wants to know
    /// in which place the partner is.
    fn is_searched(&self) -> bool {
        false
    }

    /// Who counts the candidates that are closer than another one, without a list of all; `None` if nobody does.
    fn closer(&self) -> Option<&dyn Closer> {
        None
    }

    /// The candidates of least cost, in any order: what [`unordered`](Self::unordered) gives, without the others.
    fn cheapest(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.unordered(seeker, list);
        let least = list.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
        list.retain(|&(_, cost)| cost <= least);
    }

    /// Shows `found` the [`cheapest`](Self::cheapest) candidates of each of some seekers, with its place among these, in no order of places. Seekers
    /// whose [`whereabouts`](Self::whereabouts) are similar are best asked for together.
    fn cheapest_of(&self, seekers: &[usize], found: &mut Shown<'_>) {
        let mut list = Vec::new();
        for (place, &seeker) in seekers.iter().enumerate() {
            self.cheapest(seeker, &mut list);
            found(place, &list);
        }
    }

    /// Both files as points, where each pair is possible and costs what they are compared by: then those that are cheapest at
    /// prices are found without the others.
    fn points(&self) -> Option<Points<'_>> {
        None
    }

    /// Who decides where rounding could; `None` if costs are what counts.
    fn decides(&self) -> Option<&dyn Decides> {
        None
    }

    /// Whether a cost is the square of a distance, which is what people are shown.
    fn has_distances(&self) -> bool {
        false
    }

    /// Whether a cost is −log of a likelihood (natural logarithm), up to a constant of the seeker.
    fn is_likelihood(&self) -> bool;

    /// Of likelihoods: how likely it is, in the scale of `exp(−cost)`, that the seeker's partner is not among the sought
    /// records. Where nothing is known of that, 0.
    fn no_partner(&self, _seeker: usize) -> f64 {
        0.0
    }

    /// Of likelihoods: the probability of the cheapest candidate. `list` is that of the seeker.
    fn stated(&self, seeker: usize, list: &[(u32, f64)]) -> f64 {
        posterior::of_best(list, posterior::one, self.no_partner(seeker))
    }

    /// Whether records that are not listed are impossible, of an attack with candidate sets ([`Attack::has_candidate_sets`](super::Attack::has_candidate_sets)). It is not
    /// so where what the attack assumes turned out to be wrong.
    fn excludes_others(&self) -> bool {
        true
    }

    /// Whether pairs can fall because others have fallen.
    fn pairs_need_each_other(&self) -> bool {
        false
    }

    /// Of lists in which [pairs need each other](Self::pairs_need_each_other): what is left of them when pairs for which `keeps` is false
    /// have gone, and those that fall with them; `None` if that cannot be. Only the `last` look at them needs costs.
    ///
    /// # Errors
    /// Failed, when that would take too much memory.
    fn only(
        &self,
        _keeps: &dyn Fn(usize, u32) -> bool,
        _last: bool,
    ) -> Result<Option<Box<dyn Lists>>> {
        Ok(None)
    }

    /// What the study of these files found that must be said of the results, each a sentence without full stop.
    fn caveats(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<'a> From<Nearest<'a>> for Preference<'a> {
    fn from(nearest: Nearest<'a>) -> Self {
        Self::Nearest(Box::new(nearest))
    }
}

impl Preference<'_> {
    /// Number of records that look.
    pub fn n_seekers(&self) -> usize {
        match self {
            Self::Nearest(nearest) => nearest.seekers.n_records(),
            Self::Lists(lists) => lists.n_seekers(),
            Self::Agreed(agreed) => agreed.weighted.agreement.n_seekers(),
            Self::Strata(joined) => joined.n_seekers(),
        }
    }

    /// Number of records among which they look.
    pub fn n_sought(&self) -> usize {
        match self {
            Self::Nearest(nearest) => nearest.sought.n_records(),
            Self::Lists(lists) => lists.n_sought(),
            Self::Agreed(agreed) => agreed.weighted.agreement.n_sought(),
            Self::Strata(joined) => joined.n_sought(),
        }
    }

    /// The preference as lists, if it is one of costs and not of points.
    pub fn as_lists(&self) -> Option<&dyn Lists> {
        match self {
            Self::Nearest(_) | Self::Strata(_) => None,
            Self::Lists(lists) => Some(lists.as_ref()),
            Self::Agreed(agreed) => Some(&agreed.weighted),
        }
    }
}

impl Nearest<'_> {
    /// The cost of linking this pair, to be minimised in sum by a one-to-one assignment: the squared distance; `None` if
    /// the pair is impossible.
    pub fn cost(&self, seeker: usize, sought: usize) -> Option<f64> {
        let record = self.sought.record(sought);
        self.candidates
            .as_ref()
            .is_none_or(|boxes| boxes.admits(seeker, record))
            .then(|| self.metric.key(self.seekers.record(seeker), record))
    }
}
