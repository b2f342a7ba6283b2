//! Attacks: what an intruder does with a released file.
//!
//! An attack sees a [`Scenario`] and nothing else: what the intruder knows and what was released, as two matrices whose
//! records stand in unrelated orders. What the office published are the parameters of the attack itself. How a masking was drawn cannot be
//! named here, and a test checks that no file of it imports a type that holds it; the true matches are shown to attacks only that are a
//! worst case and say so ([`Attack::needs_alignment`]).
//! Claims are judged elsewhere (`evaluate`), against a truth that no attack has seen.

pub mod aggregates;
pub mod balanced;
pub mod by_law;
pub mod distance_based;
pub mod gower;
pub mod intersection;
pub mod involution;
pub mod kernel;
pub mod learned;
pub mod likelihood;
pub mod mahalanobis;
mod nominal;
pub mod of_sample;
pub mod one_to_one;
mod points;
pub mod posterior;
pub mod probabilistic;
pub mod releases;
pub mod steps;
pub mod whole;
pub mod within_strata;

use std::{borrow::Cow, cmp::Ordering};

use serde::{Deserialize, Serialize};

use distance_based::Standardize;
use probabilistic::Agreed;
use whole::ByColumns;

use crate::{
    distance::{
        Doubt, Metric,
        nearest::{Boxes, Link},
        priced::Space,
    },
    error::Result,
    statement::Law,
    table::{
        Scale,
        matrix::{Gaps, Matrix, equal_records::EqualRecords},
    },
};

/// Who looks for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Each record of the intruder looks for its masked record.
    #[default]
    OriginalToMasked,
    /// Each masked record looks for its record in the intruder's file.
    MaskedToOriginal,
}

impl Direction {
    /// Its word in reports, in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::OriginalToMasked => "original-to-masked",
            Self::MaskedToOriginal => "masked-to-original",
        }
    }

    /// A seeker and a sought record as one of the intruder's records and a released one; and the other way round.
    fn turned<T>(self, seeker: T, sought: T) -> (T, T) {
        match self {
            Self::OriginalToMasked => (seeker, sought),
            Self::MaskedToOriginal => (sought, seeker),
        }
    }
}

/// All that an intruder has.
#[derive(Debug)]
pub struct Scenario<'a> {
    /// Names of the attributes that the intruder knows, in the order of the columns of both matrices. Where the files share no attribute
    /// ([`aggregates`]), these are the columns of the intruder's own file only.
    pub known: &'a [String],
    /// What their values allow. A nominal attribute holds codes 0, 1, 2 … that mean the same category in both matrices;
    /// the codes have no order.
    pub scales: &'a [Scale],
    /// Of known attributes without numbers, what their codes stand for, in both matrices. As long as `known`, or empty where none has names.
    pub categories: &'a [Option<Vec<String>>],
    /// His records, original values.
    pub intruder: &'a Matrix,
    /// The released records, in an order unrelated to the intruder's.
    pub released: &'a Matrix,
    /// Who looks for whom.
    pub direction: Direction,
    /// For each seeker, where its true partner stands among the sought records. Only a worst case is given this: an attack
    /// that says so ([`Attack::needs_alignment`]), because its distance is made from the true matches.
    pub aligned: Option<&'a [Option<u32>]>,
    /// More of the released records, for attacks that ask for it ([`Attack::reads`]).
    pub beside: Option<&'a Release>,
    /// More of the intruder's records: the values, before they were recoded, of known attributes of which the law speaks of these, since they were moved
    /// first and recoded then ([`Composed`](crate::statement::Composed)). For the law of post-randomisation, which is never cut into strata.
    pub unrecoded: Option<&'a Release>,
}

/// More attributes of the released records of a [`Scenario`], known or not, or of the intruder's, in the same order.
#[derive(Debug)]
pub struct Release {
    /// Their names.
    pub names: Vec<String>,
    /// Of attributes without numbers, the names of the categories that the codes 0, 1, 2 … stand for.
    pub categories: Vec<Option<Vec<String>>>,
    /// Their values.
    pub values: Matrix,
}

impl<'a> Scenario<'a> {
    /// The records that look for a partner.
    pub fn seekers(&self) -> &'a Matrix {
        match self.direction {
            Direction::OriginalToMasked => self.intruder,
            Direction::MaskedToOriginal => self.released,
        }
    }

    /// The records among which they look.
    pub fn sought(&self) -> &'a Matrix {
        match self.direction {
            Direction::OriginalToMasked => self.released,
            Direction::MaskedToOriginal => self.intruder,
        }
    }

    /// Whether the intruder can be taken to hold everybody: as many records as were released, or more. Only then do means,
    /// standard deviations, covariances and ranks of these records stand for those of the file that was masked; otherwise
    /// the release's are used.
    pub fn holds_all(&self) -> bool {
        self.intruder.n_records() >= self.released.n_records()
    }

    /// For each known attribute, what gaps say of pairs. `published`: a statement says that the method leaves gaps in place; then nobody who
    /// misses it is a record's who has it, nor the other way round.
    ///
    /// That alone is not enough: cells may have been suppressed after masking, or the intruder's file has gaps of its own, and then the true
    /// record would be excluded. An intruder may know whether something of the kind was done; so this one makes of gaps what holds for all true
    /// pairs ([`Gaps::Compared`]: whoever judges the attack knows). After suppression, say, who misses a value is still nobody's who shows it. Where
    /// that is not known, the intruder must hold as many records as were released, with as many gaps in this attribute. Everywhere else a gap
    /// excludes nobody.
    pub fn gap_rules(&self, published: bool) -> Vec<GapRule> {
        let comparable = self.intruder.n_records() == self.released.n_records();
        let present = |matrix: &Matrix, k: usize| matrix.present(k).count();
        let agree = |k| comparable && present(self.intruder, k) == present(self.released, k);
        let rule = |k: usize| match self.released.gaps(k) {
            _ if !published || self.intruder.hides(k) => GapRule::NONE,
            gaps => GapRule::of(gaps, self.direction, || agree(k)),
        };
        (0..self.known.len()).map(rule).collect()
    }

    /// For each known attribute, whether gaps stand where they stood before masking, so that a record that misses it is nobody's who has
    /// it, and one that has it nobody's who misses it ([`gap_rules`](Self::gap_rules)).
    pub fn gaps_in_place(&self, published: bool) -> Vec<bool> {
        let rules = self.gap_rules(published).into_iter();
        rules.map(|rule| rule == GapRule::IN_PLACE).collect()
    }
}

/// What gaps of an attribute say of pairs of a seeker and a sought record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GapRule {
    /// The record of a seeker who misses the attribute misses it, too.
    pub gaps_to_gaps: bool,
    /// The record of a seeker who has it has it, too.
    pub values_to_values: bool,
}

impl GapRule {
    /// Gaps say nothing.
    pub const NONE: Self = Self {
        gaps_to_gaps: false,
        values_to_values: false,
    };

    /// Both records miss it, or none.
    pub const IN_PLACE: Self = Self {
        gaps_to_gaps: true,
        values_to_values: true,
    };

    /// Both rules, or none.
    pub fn in_place_if(in_place: bool) -> Self {
        if in_place { Self::IN_PLACE } else { Self::NONE }
    }

    /// By what is known of the gaps of the release; `agree` says whether both files have as many.
    fn of(gaps: Gaps, direction: Direction, agree: impl Fn() -> bool) -> Self {
        match gaps {
            Gaps::Unknown => Self::in_place_if(agree()),
            Gaps::Elsewhere => Self::NONE,
            Gaps::Compared { kept, none_added } => {
                let (gaps_to_gaps, values_to_values) = match direction {
                    Direction::OriginalToMasked => (kept, none_added),
                    Direction::MaskedToOriginal => (none_added, kept),
                };
                Self {
                    gaps_to_gaps,
                    values_to_values,
                }
            }
        }
    }

    /// Whether a pair is possible of which the seeker, or the sought record, misses the attribute.
    pub fn admits(self, seeker: bool, sought: bool) -> bool {
        match (seeker, sought) {
            (true, false) => !self.gaps_to_gaps,
            (false, true) => !self.values_to_values,
            _ => true,
        }
    }
}

/// A way to link records.
pub trait Attack: std::fmt::Debug + Sync {
    /// Its name on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Whether it narrows the sought records down to a candidate set.
    fn has_candidate_sets(&self) -> bool;

    /// Whether what it says of a pair of records follows from their values, the files being what they are: then it says the same of equal records.
    fn compares_values(&self) -> bool {
        false
    }

    /// Whether it is a worst case: made from the true matches, which no intruder knows.
    fn needs_alignment(&self) -> bool {
        false
    }

    /// Whether records take their most likely partner given that all are linked one to one ([`balanced`]), unless an assignment is
    /// asked for: for attacks with likelihoods.
    fn is_balanced(&self) -> bool {
        false
    }

    /// Whether it goes by a model that is fitted to all pairs: nearly all of its work, which parts of a call could not share.
    fn is_fitted_to_pairs(&self) -> bool {
        false
    }

    /// The distance, weight or law that it goes by, as a formula of a line.
    fn formula(&self) -> String {
        String::new()
    }

    /// What it does, in words that follow "an intruder who".
    fn in_words(&self) -> String {
        format!("uses the attack {}", self.name())
    }

    /// By what it standardises the files, if it compares values in such units.
    fn standardize(&self) -> Option<Standardize> {
        None
    }

    /// The window of ranks that it assumes for each known attribute, if it assumes any.
    fn windows(&self, _known: &[String]) -> Option<Vec<usize>> {
        None
    }

    /// The released attributes that it looks at, whether the intruder knows them of anybody or not; none if it takes the known ones only.
    fn reads(&self) -> Vec<String> {
        Vec::new()
    }

    /// What must be said of its results when these attributes are known, each a sentence without full stop.
    fn caveats(&self, _known: &[String]) -> Vec<String> {
        Vec::new()
    }

    /// The law that it goes by, if that does not speak of everything: it is given what the law speaks of ([`by_law::Limited`]).
    fn law(&self) -> Option<&Law> {
        None
    }

    /// The attacks of which it is made, if it adds up likelihoods of several laws ([`steps::LikelihoodOfSteps`]).
    fn factors(&self) -> &[Box<dyn Attack>] {
        &[]
    }

    /// The same attack by the law of one stratum, of attacks by a law that can hold within strata; `None` where it is the same in all.
    fn in_stratum(&self, _stratum: within_strata::Stratum<'_>) -> Option<Box<dyn Attack>> {
        None
    }

    /// Records that samples left out, of attacks that state likelihoods: whoever holds part of the people cannot be sure that these have a
    /// partner. Those that do not count with it by themselves are given to [`of_sample::OfSample`].
    fn left_out(&self) -> usize {
        0
    }

    /// Studies a scenario, and says whom each seeker prefers.
    ///
    /// # Errors
    /// Usage or Input, when the attack does not apply to this scenario.
    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>>;

    /// The attack as one for which both files need not be there as a whole, if it is one.
    fn by_columns(&self) -> Option<&dyn ByColumns> {
        None
    }
}

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

/// Which of two sought records is nearer, where their costs are so close that rounding could have told them apart, or made a tie of
/// them.
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

/// The same where it is also known what they come to on a sample ([`of_sample`]).
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

    /// Adds what these lists say of each pair of a seeker to its cost in `list`, which ascends by sought records; pairs that they do not hold go.
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

    /// Whether [`add_to`](Self::add_to) looks at the pairs that it is shown alone, and not at everybody.
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
    ///
    /// # Errors
    /// Failed, when the points would take too much memory.
    fn points(&self) -> Result<Option<Points<'_>>> {
        Ok(None)
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

    /// Whether records that are not listed are impossible, of an attack with candidate sets ([`Attack::has_candidate_sets`]). It is not
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
