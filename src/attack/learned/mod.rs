//! Distances that are learned from the true matches: the worst case of distance-based record linkage.
//!
//! An intruder who weighs attributes as well as can be done links the most records; no distance of the family links more. Which
//! distance that is, is found and proven by optimisation ([`crate::optimize::subsystem`]): a record is a block, a competitor of
//! its true partner a row. Two steps are kept apart:
//!
//! 1. a [`Learner`] sees the true matches and finds a distance, with a bound for all distances of its family: a [`Lesson`];
//! 2. a [`LearnedDistance`] is an attack like any other: it links by a distance that is given, and knows nothing of where it comes from.
//!
//! So the second recounts what the first claims, over all pairs, and can be used on records that nothing was learned from.

mod competitors;
pub mod differences;
mod exactly;
pub mod family;
mod linkage;
mod members;
pub mod presolve;
pub mod ranges;
pub mod relaxation;
mod reserve;
pub mod weights;

use std::sync::Arc;

use competitors::Competitors;
use differences::Differences;
use family::Family;
use ranges::Ranges;
use relaxation::Learned;
use reserve::Reserve;

use super::{Attack, Preference, Scenario, distance_based::Standardize};
use crate::{
    error::{Error, Result},
    optimize::subsystem::{
        Answer, Problem, Proof, Watch,
        portfolio::{self, Engine},
    },
};

/// Files of more records keep the distance that was found, without a look for one in the middle.
const CENTRED_UP_TO: usize = 5_000;

/// Finds the distance of a family that links the most records.
#[derive(Clone)]
pub struct Learner {
    /// The family of whose distances the best is looked for.
    pub family: Family,
    /// By what each file is standardised.
    pub standardize: Standardize,
    /// Which engine searches.
    pub engine: Engine,
    /// Whether the proof is kept ([`Lesson::evidence`]).
    pub keeps_proof: bool,
    /// Whether the range of each parameter is worked out ([`Lesson::ranges`]).
    pub wants_ranges: bool,
    /// Who may stop the search, and hears how it fares. Of a limit of time as much is kept as the counts take that follow a search, where one
    /// was done before.
    pub watch: Arc<dyn Watch + Send + Sync>,
}

/// What was learned.
#[derive(Debug, Clone)]
pub struct Lesson {
    /// The distance that links most, to be applied.
    pub distance: LearnedDistance,
    /// How many seekers it links strictly, rounding aside; the attack with `distance` recounts it.
    pub linked: usize,
    /// No distance of the family links more, by a margin above [`crate::optimize::subsystem::MARGIN`].
    pub bound: usize,
    /// Of the seekers' partners, those that equal another sought record in all known attributes: no distance tells them apart.
    pub with_twins: usize,
    /// The smallest difference between a competitor's distance and the partner's among the linked seekers, rows scaled to a greatest
    /// coefficient of 1.
    pub margin: f64,
    /// What else links the same seekers, if it was asked for.
    pub ranges: Option<Ranges>,
    /// Why the bound holds, if it was kept.
    pub evidence: Option<Evidence>,
}

/// Why no distance links more.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// Seekers that no distance of the family links, and the competitor that is nowhere farther than the partner.
    pub never: Vec<(u32, u32)>,
    /// Seekers that have no partner.
    pub without_partner: usize,
    /// Seekers that every distance links.
    pub always: Vec<u32>,
    /// The seeker of each block of the problem.
    pub seekers: Vec<u32>,
    /// Of `sb-nc`: the pair (seeker, sought) of each half-space.
    pub pairs: Vec<(u32, u32)>,
    /// The problem: its rows are called by the competitor, a sought record.
    pub problem: Problem,
    /// Why no parameters satisfy more blocks.
    pub proof: Proof,
}

impl std::fmt::Debug for Learner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learner")
            .field("family", &self.family)
            .field("standardize", &self.standardize)
            .field("engine", &self.engine)
            .finish_non_exhaustive()
    }
}

impl Learner {
    /// Learns from a scenario that comes with the true matches.
    ///
    /// # Missing
    /// As [`Differences`] says.
    ///
    /// # Errors
    /// Usage, when the family has too many parameters for so many attributes; Input, when an attribute cannot be standardised, or has
    /// categories and the family needs numbers; Failed, when the engine asked for cannot take the problem.
    pub fn learn(&self, scenario: &Scenario<'_>) -> Result<Lesson> {
        let family = self.family;
        let partners = scenario.aligned.unwrap_or_default();
        if scenario.known.is_empty() {
            return Err(Error::usage("there is no attribute to learn from"));
        }
        family.space(scenario.known.len())?;
        let differences = Differences::new(scenario, self.standardize)?;
        if family.is_bilinear() {
            differences.check_numbers(scenario.known)?;
        }
        let competitors = Competitors::new(&differences, family);
        let strict = self.search(&competitors, partners, self.keeps_proof)?;
        let with_twins = differences.n_with_twins(partners);
        let (mut parameters, mut linked) = self.in_the_middle(&competitors, partners, &strict);
        let mut source = &strict;
        // Where most true records have equals, few links are strict or none, and by these one distance is as good as another: then
        // the one is taken that finds the right kind of record most often, if no strict link is lost by it.
        let of_kinds;
        if 2 * with_twins > partners.len()
            && let Some((kinds, places)) = differences.without_twins(partners)
        {
            let among_kinds = Competitors::new(&kinds, family);
            of_kinds = self.search(&among_kinds, &places, false)?;
            let (found, _) = self.in_the_middle(&among_kinds, &places, &of_kinds);
            let links = relaxation::count(&competitors, partners, &found);
            if links >= linked {
                (parameters, linked, source) = (found, links, &of_kinds);
            }
        }
        let ranges = self.wants_ranges.then(|| {
            let blocks = satisfied_blocks(&source.problem, &parameters);
            ranges::ranges(
                family,
                scenario.known.len(),
                &source.problem,
                &blocks,
                &parameters,
                &*self.watch,
            )
        });
        let margin = source.problem.margin(&parameters);
        let with_partner = partners.iter().flatten().count();
        // A bound speaks of links by more than rounding. Where there are others, only the records that are never linked bound the number of all.
        let (bound, proof) = if linked <= strict.bound {
            (strict.bound, strict.proof)
        } else {
            (
                with_partner - strict.never.len().min(with_partner),
                Proof::Search("the records that are never linked".into()),
            )
        };
        Ok(Lesson {
            margin,
            distance: LearnedDistance {
                family,
                parameters,
                standardize: self.standardize,
            },
            linked,
            bound,
            with_twins,
            ranges,
            evidence: self.keeps_proof.then(|| Evidence {
                never: strict.never,
                without_partner: partners.len() - with_partner,
                always: strict.always,
                seekers: strict.block_seekers,
                pairs: strict.pairs,
                problem: strict.problem,
                proof,
            }),
        })
    }

    /// The best distance that strictly links most, and its bound.
    fn search(
        &self,
        competitors: &Competitors<&Differences<'_>>,
        partners: &[Option<u32>],
        keeps_proof: bool,
    ) -> Result<Learned> {
        let mut failure = None;
        let watch = Reserve::of(&*self.watch);
        let mut engine = |problem: &Problem, start| {
            let solved = portfolio::solve(problem, start, self.engine, keeps_proof, &watch);
            solved.unwrap_or_else(|error| {
                failure = Some(error);
                Answer::unknown(problem)
            })
        };
        let learned = relaxation::learn(competitors, partners, &mut engine, &watch)?;
        failure.map_or(Ok(learned), Err)
    }

    /// Of the distances that link the same seekers, one in the middle: weights are rarely unique, and those of a corner would say more
    /// than is known.
    ///
    /// It is an exact member of the family ([`members`]), and taken only if it then links as many over all pairs, which the problem need not
    /// list: of large files the distance that the search found is kept. Conditions that are open (p > 0, positive definite) are met by a small
    /// step inside. With it comes how many records it links, rounding aside.
    fn in_the_middle(
        &self,
        competitors: &Competitors<&Differences<'_>>,
        partners: &[Option<u32>],
        learned: &Learned,
    ) -> (Vec<f64>, usize) {
        let differences = competitors.differences;
        let problem = &learned.problem;
        // What its half-spaces leave open can be negative on pairs that nobody listed.
        let is_listed = self.family != Family::BilinearNonNegative;
        let mut centres = Vec::new();
        if differences.n_seekers() <= CENTRED_UP_TO && is_listed {
            let blocks = satisfied_blocks(problem, &learned.parameters);
            centres.extend(ranges::centre(problem, &blocks, &*self.watch));
            // In the middle of the rows that are listed others may tie: those that are nowhere negative.
            if self.family.is_monotone() {
                centres.extend(ranges::centre_inside(problem, &blocks, &*self.watch));
            }
        }
        let centres = centres.into_iter().map(|(centre, _)| centre);
        let n = differences.n_attributes();
        let mut best: Option<(Vec<f64>, usize)> = None;
        for candidate in centres.chain([learned.parameters.clone()]) {
            // The smaller the step, the less it can cost.
            for share in [1e-4, 1e-6, 1e-8, 0.0] {
                let inside = self.inside(n, &candidate, share);
                let is_last = inside == candidate;
                let member = members::exact(self.family, differences, &inside);
                let linked = relaxation::count(competitors, partners, &member);
                if best.as_ref().is_none_or(|(_, most)| linked > *most) {
                    best = Some((member, linked));
                }
                if linked >= learned.satisfied || is_last {
                    break;
                }
            }
            if best
                .as_ref()
                .is_some_and(|(_, most)| *most >= learned.satisfied)
            {
                break;
            }
        }
        best.unwrap_or_default()
    }

    /// Parameters moved by this share towards the inside of a family whose conditions are open; others as they are.
    fn inside(&self, n: usize, parameters: &[f64], share: f64) -> Vec<f64> {
        let towards = match self.family {
            Family::WeightedMeanMetric => vec![1.0 / n as f64; n],
            Family::BilinearDefinite => starts::identity(n),
            _ => return parameters.to_vec(),
        };
        let pairs = parameters.iter().zip(&towards);
        pairs
            .map(|(p, inside)| (1.0 - share) * p + share * inside)
            .collect()
    }
}

/// The blocks that parameters satisfy.
fn satisfied_blocks(problem: &Problem, parameters: &[f64]) -> Vec<usize> {
    (0..problem.rows.n_blocks())
        .filter(|&block| problem.satisfies(block, parameters))
        .collect()
}

/// A distance of a family with given parameters: an attack like any other.
///
/// # Ties
/// A tie is equality of the distances that the definition gives from standardised values and parameters as they are, floating-point
/// numbers, without any rounding after that. Where the seeker's value was brought into the units of the sought file, and so was rounded, two
/// sought values at its two sides are equally far if they are so but for that rounding.
///
/// # Source
/// See [`Family`].
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedDistance {
    /// The family that the parameters are of.
    pub family: Family,
    /// Its parameters, in the family's order.
    pub parameters: Vec<f64>,
    /// By what each file is standardised.
    pub standardize: Standardize,
}

impl Attack for LearnedDistance {
    fn name(&self) -> &'static str {
        self.family.name()
    }

    fn has_candidate_sets(&self) -> bool {
        false
    }

    fn compares_values(&self) -> bool {
        true
    }

    fn formula(&self) -> String {
        self.family.formula().into()
    }

    fn in_words(&self) -> String {
        format!(
            "compares records by {} learned beforehand ({})",
            self.family.in_words(),
            self.name()
        )
    }

    fn standardize(&self) -> Option<Standardize> {
        Some(self.standardize)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        let differences = Differences::new(scenario, self.standardize)?;
        if self.family.is_bilinear() {
            differences.check_numbers(scenario.known)?;
        }
        let expected = self.family.dimension(scenario.known.len());
        if expected != Some(self.parameters.len()) {
            return Err(Error::usage(format!(
                "the parameters of this {} are for another number of attributes",
                self.name()
            )));
        }
        Ok(linkage::preference(
            differences,
            self.family,
            &self.parameters,
        ))
    }
}
mod starts;
