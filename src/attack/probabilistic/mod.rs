//! Probabilistic record linkage: pairs are weighed by which of their attributes agree.

pub mod em;
mod model;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Attack, Direction, Lists, Preference, Scenario, distance_based::Standardize, likelihood,
};
use crate::{
    agreement::{Agreement, Comparator, MAX_ATTRIBUTES, Pattern, Reference, Weighted},
    error::{Counted, Error, ErrorKind, Result},
    statement::{Law, Method},
    stats::moments::moments_by_attribute,
    table::Scale,
};
use em::{Fitted, Held, Parameters, kept};
pub use model::{Admissible, Decision, Model, PatternRow};

/// From so many attributes on the share of matches can be fitted: two that agree or not have three free shares for five
/// parameters.
pub const IDENTIFIED_FROM: usize = 3;

/// How the parameters are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// Expectation–maximisation of all parameters.
    Em,
    /// u counted over all pairs, nearly all of which are no matches, and the prior at one match a record; both held while
    /// m is fitted.
    EmFixedU,
    /// m and u counted from the true pairs and all others: a worst case.
    Known,
}

/// When attributes agree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agree {
    /// The comparator of numbers that are not named.
    pub numbers: Comparator,
    /// Of named attributes.
    pub named: BTreeMap<String, Comparator>,
}

/// Where the fit starts and ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Iterations {
    /// m, u and the prior to begin with; without a prior at one match a record.
    pub start: (f64, f64, Option<f64>),
    /// The most iterations.
    pub most: usize,
}

/// Probabilistic record linkage (Fellegi and Sunter).
///
/// ```text
/// m_k = P(attribute k agrees | the pair is a match)        u_k = P(attribute k agrees | it is not)
/// R(pair) = Σ_k  log(m_k / u_k) where k agrees,  log((1 − m_k) / (1 − u_k)) where it does not
/// ```
///
/// Each record is linked with the record of the greatest R; a one-to-one assignment maximises the sum of R.
///
/// # How it is fitted
/// To the counts of all agreement patterns over all n² pairs, exactly, under independence of the attributes within each class
/// ([`em::fit`]). Plain EM over all pairs finds the two classes that explain the patterns best, which need not be matches and
/// others; its prior shows it, and [`Model::remarks`] say it. With fewer than three attributes, or where attributes agree
/// independently of each other, the prior is held at one match a record: nothing could be learned of it.
///
/// # Post-randomised attributes
/// Of an attribute that agrees by equality, whose transition matrix was published and that nothing else moved, m is known and not fitted: the
/// mean of P(x | x) over the values x of the intruder's records ([`Probabilistic::published`]). EM fits the others beside it. Weights are of agreement
/// still, whatever the category: a law of each pair of categories is what [`likelihood`] goes by.
///
/// # Missing
/// A value that one side misses is a level of its own that says nothing: it counts in neither sum, and m and u are those of
/// values that are there.
///
/// # Ties
/// Few patterns mean many ties, which the usual rules count.
///
/// # Complexity
/// [`Agreement`]; O(2^d) an iteration.
///
/// # Source
/// I. P. Fellegi, A. B. Sunter, "A theory for record linkage", JASA 64, 1969; M. A. Jaro, JASA 84, 1989. For disclosure risk:
/// V. Torra, J. Domingo-Ferrer, 2003; tolerances for numbers are a reading (the sources do not say when numbers agree).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Probabilistic {
    /// When attributes agree.
    pub agree: Agree,
    /// Whose standard deviations, bins and ranks comparators use: with [`Standardize::Release`] the release's, otherwise sds
    /// and bins of the intruder's records, ranks each in its own file.
    pub standardize: Standardize,
    /// How parameters are found.
    pub fit: Fit,
    /// Where the fit starts and ends.
    pub iterations: Iterations,
    /// Error rates for the two thresholds, if these are wanted.
    pub admissible: Option<Admissible>,
    /// Laws of post-randomisation that were published; not of `--fit known`, which counts what it needs. Part of no request.
    #[serde(skip)]
    pub published: Vec<Law>,
}

impl Default for Probabilistic {
    /// Numbers agree within a tenth of a standard deviation; u is counted over all pairs and the prior held at one match a record,
    /// EM finds m from 0.9 in at most 1000 iterations.
    fn default() -> Self {
        Self {
            agree: Agree {
                numbers: Comparator::Sd(0.1),
                named: BTreeMap::new(),
            },
            standardize: Standardize::Own,
            fit: Fit::EmFixedU,
            iterations: Iterations {
                start: (0.9, 0.1, None),
                most: 1000,
            },
            admissible: None,
            published: Vec::new(),
        }
    }
}

/// What the attack comes to.
#[derive(Debug)]
pub struct Agreed {
    /// All pairs and their weights.
    pub weighted: Weighted,
    /// The model behind them.
    pub model: Model,
}

impl Attack for Probabilistic {
    fn name(&self) -> &'static str {
        "prl"
    }

    fn has_candidate_sets(&self) -> bool {
        false
    }

    fn needs_alignment(&self) -> bool {
        self.fit == Fit::Known
    }

    fn is_fitted_to_pairs(&self) -> bool {
        true
    }

    fn formula(&self) -> String {
        let fit = match self.fit {
            Fit::Em => "m, u and prior by EM",
            Fit::EmFixedU => "m by EM, u over all pairs, prior held",
            Fit::Known => "m and u from the true pairs",
        };
        format!(
            "sum of log(m/u) of agreeing and log((1-m)/(1-u)) of other attributes; {fit}{}; numbers agree by {}{}{}",
            if self.published.is_empty() || self.fit == Fit::Known {
                ""
            } else {
                " (of post-randomised attributes m by the published matrix)"
            },
            self.agree.numbers.word(),
            match self.agree.named.len() {
                0 => String::new(),
                named => format!(" ({named} by their own comparator)"),
            },
            match self.reference() {
                Reference::Original => "",
                Reference::Released => ", sds and ranks of the release",
            }
        )
    }

    fn in_words(&self) -> String {
        match self.fit {
            Fit::Known => {
                "weighs which attributes agree (prl, fitted to the true pairs: a worst case)".into()
            }
            _ => "weighs which attributes agree (prl)".into(),
        }
    }

    fn standardize(&self) -> Option<Standardize> {
        Some(self.standardize)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        let comparators = self.comparators(scenario)?;
        let reference = self.reference();
        let measured = match reference {
            Reference::Original => scenario.intruder,
            Reference::Released => scenario.released,
        };
        for (k, moments) in moments_by_attribute(measured).iter().enumerate() {
            if matches!(comparators[k], Comparator::Sd(_)) && !moments.sd.is_finite() {
                return Err(
                    Error::input("has values too large for a standard deviation")
                        .overflow(&scenario.known[k])
                        .remedy("Rescale it, or let it agree by ranks: --agree rank:3%"),
                );
            }
        }
        let agreement = Agreement::new(
            scenario.seekers(),
            scenario.sought(),
            &comparators,
            scenario.direction == Direction::OriginalToMasked,
            reference,
        );
        let counts: Vec<(Pattern, u64)> = agreement.counts().into_iter().collect();
        let pairs: u64 = counts.iter().map(|&(_, pairs)| pairs).sum();
        let possible = agreement.n_seekers().min(agreement.n_sought()) as f64 / pairs.max(1) as f64;
        let stated = self.stated(scenario, &comparators);
        let (fitted, prior_was_held) =
            self.fitted(scenario, &agreement, (&counts, possible), &stated);
        let weighted = Weighted {
            weights: fitted.parameters.weights(),
            agreement,
        };
        let model = Model {
            fit: self.fit,
            comparators: comparators.iter().map(Comparator::word).collect(),
            patterns: model::pattern_rows(
                &counts,
                &fitted.parameters,
                |pattern| weighted.weight(pattern),
                self.admissible,
            ),
            remarks: model::remarks(
                (scenario.known, &stated),
                self.fit,
                &fitted,
                possible,
                prior_was_held,
            ),
            possible_prior: possible,
            fitted,
        };
        Ok(Preference::Agreed(Box::new(Agreed { weighted, model })))
    }
}

impl Probabilistic {
    fn reference(&self) -> Reference {
        match self.standardize {
            Standardize::Release => Reference::Released,
            Standardize::Own | Standardize::Original | Standardize::None => Reference::Original,
        }
    }

    fn comparators(&self, scenario: &Scenario<'_>) -> Result<Vec<Comparator>> {
        if scenario.known.len() > MAX_ATTRIBUTES {
            return Err(Error::too_many(
                ErrorKind::Usage,
                Counted::Attributes,
                [scenario.known.len() as u128, MAX_ATTRIBUTES as u128],
                |known, limit| {
                    format!("prl takes at most {limit} known attributes; there are {known}")
                },
            )
            .remedy("Let the intruder know fewer: --known first:16, or a list"));
        }
        let of_attribute = |(name, scale): (&String, &Scale)| {
            let named = self.agree.named.get(name);
            match (scale, named) {
                (Scale::Nominal, Some(comparator)) if *comparator != Comparator::Exact => {
                    Err(Error::usage(format!(
                        "is nominal: names are equal or they are not, and do not agree by {}",
                        comparator.word()
                    ))
                    .wrong_scale(name)
                    .remedy("Leave it out of --agree, or say exact"))
                }
                (Scale::Nominal, _) => Ok(Comparator::Exact),
                (_, named) => Ok(*named.unwrap_or(&self.agree.numbers)),
            }
        };
        scenario
            .known
            .iter()
            .zip(scenario.scales)
            .map(of_attribute)
            .collect()
    }

    /// For each known attribute, m where it follows from what was published.
    fn stated(&self, scenario: &Scenario<'_>, comparators: &[Comparator]) -> Vec<Option<f64>> {
        let of_attribute = |(k, name): (usize, &String)| {
            let law = self
                .published
                .iter()
                .find(|law| law.applies_to(name, scenario.known) && law.masks(name))?;
            match &law.step.method {
                Method::Pram(stated) if comparators[k] == Comparator::Exact => {
                    likelihood::pram::agreement(scenario, k, stated).map(kept)
                }
                _ => None,
            }
        };
        let known = scenario.known.iter().enumerate();
        if self.fit == Fit::Known {
            known.map(|_| None).collect()
        } else {
            known.map(of_attribute).collect()
        }
    }

    /// The parameters, and whether the prior was held.
    fn fitted(
        &self,
        scenario: &Scenario<'_>,
        agreement: &Agreement,
        (counts, possible): (&[(Pattern, u64)], f64),
        stated: &[Option<f64>],
    ) -> (Fitted, bool) {
        let width = agreement.n_attributes();
        let numbers: Vec<(Pattern, f64)> = counts
            .iter()
            .map(|&(pattern, pairs)| (pattern, pairs as f64))
            .collect();
        let (m, u, prior) = self.iterations.start;
        let held = Held {
            m: (stated.iter().enumerate())
                .fold(0, |bits, (k, m)| bits | u32::from(m.is_some()) << k),
            u: self.fit != Fit::Em,
            prior: self.fit != Fit::Em || width < IDENTIFIED_FROM || em::is_of_rank_one(&numbers),
        };
        let prior = if held.prior {
            possible
        } else {
            prior.unwrap_or(possible)
        };
        let all = shares(width, numbers.iter().copied());
        let of_matches = stated.iter().map(|stated| stated.unwrap_or(m)).collect();
        let start = match self.fit {
            Fit::Em => Parameters {
                m: of_matches,
                u: vec![u; width],
                prior,
            },
            Fit::EmFixedU => Parameters {
                m: of_matches,
                u: all,
                prior,
            },
            Fit::Known => known(scenario.aligned.unwrap_or_default(), agreement, &numbers),
        };
        let most = match self.fit {
            Fit::Known => 0,
            _ => self.iterations.most,
        };
        let mut fitted = em::fit(&numbers, start, held, most);
        fitted.converged |= self.fit == Fit::Known;
        (fitted, held.prior)
    }
}

/// For each attribute, the share of pairs that agree among those that have it.
fn shares(width: usize, counts: impl Iterator<Item = (Pattern, f64)>) -> Vec<f64> {
    let mut sums = vec![[0.0; 2]; width];
    for (pattern, pairs) in counts {
        for (k, sums) in sums.iter_mut().enumerate() {
            if let Some(agrees) = pattern.of(k) {
                sums[0] += if agrees { pairs } else { 0.0 };
                sums[1] += pairs;
            }
        }
    }
    let share = |[agree, there]: [f64; 2]| if there > 0.0 { agree / there } else { 0.5 };
    sums.into_iter().map(|sums| kept(share(sums))).collect()
}

/// The parameters counted from the true pairs and all others.
fn known(aligned: &[Option<u32>], agreement: &Agreement, counts: &[(Pattern, f64)]) -> Parameters {
    let width = agreement.n_attributes();
    let matches = || {
        let pairs = aligned.iter().enumerate();
        pairs.filter_map(|(seeker, sought)| {
            Some((agreement.pattern(seeker, (*sought)? as usize), 1.0))
        })
    };
    let others = counts.iter().copied();
    // Taken away one by one: counts are whole numbers, so nothing is lost.
    let others = others.chain(matches().map(|(pattern, one): (Pattern, f64)| (pattern, -one)));
    let pairs: f64 = counts.iter().map(|&(_, pairs)| pairs).sum();
    Parameters {
        m: shares(width, matches()),
        u: shares(width, others),
        prior: matches().count() as f64 / pairs.max(1.0),
    }
}

impl Lists for Weighted {
    fn n_seekers(&self) -> usize {
        self.agreement.n_seekers()
    }

    fn n_sought(&self) -> usize {
        self.agreement.n_sought()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let sought = (0..).take(self.agreement.n_sought());
        list.extend(sought.map(|record| (record, -self.of_pair(seeker, record as usize))));
    }

    fn is_likelihood(&self) -> bool {
        true
    }
}
