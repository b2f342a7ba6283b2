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
mod preference;
pub mod probabilistic;
pub mod releases;
pub mod steps;
pub mod whole;
pub mod within_strata;

use serde::{Deserialize, Serialize};

use distance_based::Standardize;
use steps::OtherLaw;
use whole::ByColumns;

use crate::{
    error::Result,
    statement::Law,
    table::{
        Scale,
        matrix::{Gaps, Matrix},
    },
};
pub use preference::{
    Closer, Decides, Kinds, LinkOf, Lists, Nearest, Points, Preference, Shown, StatedOfParts,
    Summary, Summed, SummedOfSample, by_cost,
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

    /// The attacks of which it is made, if it goes by the laws of several steps ([`steps::OfSteps`]).
    fn factors(&self) -> &[Box<dyn Attack>] {
        &[]
    }

    /// Whether the first of these takes part even where its law speaks of no known attribute: the attack is nothing without it.
    fn needs_first_factor(&self) -> bool {
        false
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

    /// The same where the laws of other steps speak of the same pairs: what they say is added up.
    ///
    /// # Errors
    /// Those of [`prepare`](Self::prepare); Usage, when the attack has no lists of likelihoods.
    fn prepare_with<'a>(
        &self,
        scenario: &Scenario<'a>,
        others: Vec<OtherLaw<'a>>,
    ) -> Result<Preference<'a>> {
        let own = self.prepare(scenario)?;
        steps::with((self.name(), self.is_balanced()), own, others)
    }

    /// The attack as one for which both files need not be there as a whole, if it is one.
    fn by_columns(&self) -> Option<&dyn ByColumns> {
        None
    }
}
