//! Masking by minimal information: all attributes' displacements are drawn together.

mod cells;
mod gaps;
mod given;
mod latent;
mod law;
mod mixture;
mod scores;
mod sums;
mod triangle;

use serde::{Deserialize, Serialize};

use super::{
    Details, Mask, Masked, Secret,
    draws::{self, Draws},
};
use crate::{
    error::{Error, Reason, Result, above},
    rng::Streams,
    statement::{
        CopulaAllocation, CopulaExtremes, CopulaGiven, CopulaParameters, CopulaRisk, Method, Step,
    },
    stats::copula::Allocation,
    table::{AttrId, Scale, Table},
};
use gaps::GapLaw;
use given::Terms;
use law::Law;
use scores::Scores;

/// Records for each score from which on the noise is given exact moments.
const EXACT_FROM: usize = 80;

/// Masking by minimal information: Gaussian copula, or mixture of them.
///
/// ```text
/// z    normal scores of the values;  a mixture of normal laws (m_c, R_c) is fitted to them
/// y    = m_c + A_c (z − m_c) + E_c,  c drawn by its posterior weight given z;  Cov(y | c) = R_c again
/// A_c  = R^½ V ρ Vᵀ R^−½,  ρ_i / (1 − ρ_i²) = mu g_i
/// ```
///
/// Each masked attribute has its own values in the order of its y: a permutation of whole cells, so that all statistics of one
/// attribute are exact, and correlations of ranks are kept in expectation. For what is lost, 2 Σ g (1 − ρ) squared scores, no masking of
/// normal scores says less of the originals than this one's −½ Σ log2(1 − ρ²) bits: directions of little variance, which say
/// much of who somebody is and little of use, are all but drawn again.
///
/// # Components
/// Given, or by the size of the file (`mixture::number`); fitted to at most 10,000 records drawn at random. One component takes the
/// covariance of all.
///
/// # Ties, gaps
/// Scores of equal values whose ranks are far apart, and of missing values, are drawn given the record's other scores
/// (40 sweeps; in files above 20,000 records of a sample, then 8 of the file). Where an attribute has gaps, a score of 0/1 says so, too; who misses
/// it in the masked file is drawn anew, given the masked scores of values: as many as there were, and related to them as before, while nothing
/// else depends on who missed it. Hidden zeros ([`Table::hiding_zeros`]) have a score of a value that is drawn as that of a gap is, and stay
/// where they are: values and gaps change places among the other records.
///
/// # Extremes
/// With [`protect_extremes`](Options::protect_extremes) mu is divided by the square of how far a record lies out, in steps (see
/// [`CopulaExtremes`]), and the least and the greatest 2 % of an attribute's values become one value each.
///
/// # Given attributes
/// Stay as they are. Scores are regressed on theirs (nominal ones as indicators), the residuals masked, and the explained part added back.
///
/// # Exact moments
/// The drawn noise is made uncorrelated with the scores, with the covariance of its law, over the file exactly; unless stated where there are
/// 80 records a score.
///
/// # Randomness
/// `Purpose::Mask`, one stream an attribute, purpose and block of 4,096 records. With a [`Secret`] one a person and purpose, by
/// HMAC-SHA-256 of the identifier: the same noise for the same person in every release.
///
/// # Errors
/// Input, when there are not more records than scores and terms, when no attribute has two different values, when the components alone say more than
/// the bits that are to be kept, or identifiers under a secret are missing or not different.
///
/// # Complexity
/// O(n log n) an attribute, O(n d²) a component. Beside the table some 30 bytes a cell.
///
/// # Source
/// The allocation is that of the rate-distortion function of a Gaussian source under a constraint of perfect realism: Y. Blau, T. Michaeli,
/// "Rethinking lossy compression: the rate-distortion-perception tradeoff", ICML 2019. With ρ = 0 it is data shuffling: K. Muralidhar,
/// R. Sarathy, "Data shuffling", Management Science 52, 2006.
#[derive(Debug, Clone)]
pub struct Copula {
    keep: Keep,
    options: Options,
    risk: Option<CopulaRisk>,
}

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// mu itself: what a unit of squared score is worth.
    Mu(f64),
    /// What a masked record says of its original at most, in bits.
    Bits(f64),
}

/// What else there is to choose.
#[derive(Debug, Clone)]
pub struct Options {
    /// How the directions share what is kept.
    pub allocation: CopulaAllocation,
    /// Attributes that shall lose less (above 1) or more, by name; 1 for all others.
    pub weights: Vec<(String, f64)>,
    /// How many components the mixture has; by the size of the file if not stated.
    pub components: Option<usize>,
    /// Whether records and values far out are protected more.
    pub protect_extremes: bool,
    /// Attributes that stay as they are, and whose relations to the masked ones are kept.
    pub given: Vec<String>,
    /// Whether the noise gets exact moments; by the size of the file if not stated.
    pub exact_moments: Option<bool>,
    /// Where the noise comes from, instead of the seed.
    pub secret: Option<Secret>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            allocation: CopulaAllocation::default(),
            weights: Vec::new(),
            components: None,
            protect_extremes: true,
            given: Vec::new(),
            exact_moments: None,
            secret: None,
        }
    }
}

/// What the masking found and kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Of the bits that a masked record says of its original, those that its component says.
    pub bits_of_components: f64,
    /// What is kept along the axes of the scores, that of the greatest variance first.
    pub directions: Vec<Direction>,
    /// Records that the mixture was fitted to, where it was not all.
    pub fitted: Option<usize>,
    /// Attributes of one value, which stay as they are.
    pub constant: Vec<String>,
    /// Scores of equal values that were drawn given the other scores.
    pub latent: usize,
}

/// An axis of the scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Direction {
    /// Its share of the variance of all scores.
    pub variance: f64,
    /// The correlation of masked and original scores along it.
    pub kept: f64,
    /// The attributes of which most of it is made, greatest weight first.
    pub attributes: Vec<String>,
}

impl Copula {
    /// Masking that keeps so much.
    ///
    /// # Errors
    /// Usage, when mu, bits or a weight is not a finite number above 0, or there are 0 or more than 1000 components.
    pub fn new(keep: Keep, options: Options) -> Result<Self> {
        let (name, value) = match keep {
            Keep::Mu(mu) => ("mu", mu),
            Keep::Bits(bits) => ("bits", bits),
        };
        if !(value > 0.0 && value.is_finite()) {
            return Err(
                Error::option_out_of_range(name, above(0.0), "is a number above 0")
                    .remedy("For example --mu 3: more keeps more, and protects less"),
            );
        }
        let wrong = |&&(_, weight): &&(String, f64)| !(weight > 0.0 && weight.is_finite());
        if let Some((attribute, _)) = options.weights.iter().find(wrong) {
            return Err(Error::out_of_range(
                "weight",
                above(0.0),
                "has a --weight that is not a number above 0",
            )
            .on_attribute(attribute)
            .remedy("1 is that of all others; 10 keeps much more of an attribute"));
        }
        if options
            .components
            .is_some_and(|count| !(1..=1000).contains(&count))
        {
            return Err(Error::option_out_of_range(
                "components",
                1.0..=1000.0,
                "is auto, or a number from 1 to 1000",
            )
            .remedy("auto takes 4 near 1,000 records and 8 from 2,000 on"));
        }
        Ok(Self {
            keep,
            options,
            risk: None,
        })
    }

    /// The same masking, which states this risk.
    #[must_use]
    pub fn stating(self, risk: CopulaRisk) -> Self {
        Self {
            risk: Some(risk),
            ..self
        }
    }

    fn given(&self, table: &Table) -> Result<Vec<AttrId>> {
        let mut given: Vec<AttrId> = Vec::new();
        for name in &self.options.given {
            let id = table.find(name)?;
            if !given.contains(&id) {
                given.push(id);
            }
        }
        Ok(given)
    }
}

impl Mask for Copula {
    fn name(&self) -> &'static str {
        "copula"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error> {
        let name = &table.attribute(attribute).name;
        if self.options.given.contains(name) {
            let what = "is given here: it stays as it is, and cannot be masked too";
            return Some(Error::usage(what).on_attribute(name));
        }
        match table.attribute(attribute).scale {
            Scale::Continuous | Scale::Ordinal => None,
            Scale::Nominal => Some(
                Error::usage(
                    "has names without an order: it can be kept in --given, or left as it is",
                )
                .wrong_scale(name),
            ),
        }
    }

    fn secret(&self) -> Option<&Secret> {
        self.options.secret.as_ref()
    }

    fn redraws_gaps(&self) -> bool {
        true
    }

    fn idle(&self, table: &Table, on: &[AttrId]) -> Vec<String> {
        let masked = table.names(on);
        (self.options.weights.iter())
            .filter(|(name, _)| !masked.contains(name))
            .map(|(name, _)| format!("--weight has no effect on {name}: it is not masked"))
            .collect()
    }

    fn apply(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        for &attribute in on {
            if let Some(why) = self.objection(&original, attribute) {
                return Err(why.remedy("Leave it out of --attributes"));
            }
        }
        let draws = Draws::new(streams, self.options.secret.as_ref(), &original)?;
        let model = Model::of(&original, on, self, &draws)?;
        let mu = match self.keep {
            Keep::Mu(mu) => mu,
            Keep::Bits(bits) => model.mu_for_bits(bits)?,
        };
        model.masked(original, on, mu, self, &draws)
    }
}

/// A file's scores and their law: all that does not depend on mu.
struct Model {
    scores: Scores,
    /// n × values, what kept attributes explain taken off.
    z: Vec<f64>,
    names: Vec<String>,
    gap_law: Option<GapLaw>,
    terms: Terms,
    given: Option<CopulaGiven>,
    law: Law,
    assigned: law::Assigned,
    exact: bool,
    outcome: Outcome,
}

impl Model {
    fn of(table: &Table, on: &[AttrId], method: &Copula, draws: &Draws<'_>) -> Result<Self> {
        let options = &method.options;
        let n = table.n_records();
        let mut scores = Scores::new(table, on, draws);
        let terms = Terms::new(table, &method.given(table)?, draws);
        let width = scores.values.len();
        if width == 0 {
            return Err(Error::input(
                "has only one value in each attribute to be masked: nothing can change places",
            )
            .because(Reason::Constant { attribute: None })
            .remedy("Check that this is the file you meant"));
        }
        if n <= width + terms.count() {
            let others = match terms.count() {
                0 => String::new(),
                count => format!(", and {count} that stay"),
            };
            return Err(Error::too_few_records(n, width + terms.count() + 1, |n, _| {
                format!("has {n} records for {width} numbers each to be masked{others}: too few to say how these go together, which needs more records than numbers")
            })
            .remedy("Mask fewer attributes, or take rankswap, which masks each on its own"));
        }
        let name = |&place: &usize| &table.attribute(on[place]).name;
        let mut names: Vec<String> = scores.values.iter().map(name).cloned().collect();
        let of_gaps = (scores.gaps.iter()).map(|place| format!("gaps of {}", name(place)));
        names.extend(of_gaps);
        let latent = (scores.cells[..width].iter())
            .map(|cells| cells.cells.len())
            .sum();
        let all = names.len();
        let rows = latent::Rows {
            z: &mut scores.z,
            width: all,
            terms: &terms.values,
            n_terms: terms.count(),
        };
        latent::draw(rows, &scores.cells, &names, draws);
        let mut z = std::mem::take(&mut scores.z);
        let of_gaps = names.split_off(width);
        let gap_law = (all > width).then(|| GapLaw::new(&z, width, &of_gaps, &terms));
        if all > width {
            z = (z.chunks_exact(all).flat_map(|row| &row[..width]).copied()).collect();
        }
        let given = (!options.given.is_empty()).then(|| terms.regress(&mut z, width));
        let parts = mixture::fit(&z, width, options.components, draws);
        let weights: Vec<f64> = if options.weights.is_empty() {
            Vec::new()
        } else {
            (names.iter())
                .map(|name| {
                    let stated = options.weights.iter().rfind(|(other, _)| other == name);
                    stated.map_or(1.0, |&(_, weight)| weight)
                })
                .collect()
        };
        let allocation = match options.allocation {
            CopulaAllocation::Minimal => Allocation::Minimal,
            CopulaAllocation::Uniform => Allocation::Uniform,
        };
        let levels = if options.protect_extremes {
            law::LEVELS
        } else {
            0
        };
        let several = parts.len() > 1;
        let law = Law::new(parts, weights, allocation, levels);
        let assigned = law.assign(&z, draws);
        let constant = (scores.sorted.iter())
            .filter(|sorted| sorted.constant)
            .map(|sorted| table.attribute(sorted.attribute).name.clone())
            .collect();
        let outcome = Outcome {
            bits_of_components: assigned.information,
            directions: Vec::new(),
            fitted: (several && n > mixture::SAMPLE).then_some(mixture::SAMPLE),
            constant,
            latent,
        };
        Ok(Self {
            exact: options.exact_moments.unwrap_or(n >= EXACT_FROM * width),
            scores,
            z,
            names,
            gap_law,
            terms,
            given,
            law,
            assigned,
            outcome,
        })
    }

    fn mu_for_bits(&self, bits: f64) -> Result<f64> {
        self.law.mu_for_bits(bits, &self.assigned).ok_or_else(|| {
            let least = self.assigned.information;
            let what = format!(
                "{bits} is less than the components of the law say by themselves: {least:.2} bits"
            );
            Error::option_out_of_range("bits", above(least), &what)
                .remedy("Keep more bits, or fit fewer components (--components 1)")
        })
    }

    fn masked(
        mut self,
        original: Table,
        on: &[AttrId],
        mu: f64,
        method: &Copula,
        draws: &Draws<'_>,
    ) -> Result<Masked> {
        let width = self.names.len();
        let mut y = self
            .law
            .masked(&self.z, &self.assigned, mu, self.exact, &self.names, draws);
        if let Some(given) = &self.given {
            self.terms.add(given, &mut y, width, 1.0);
        }
        self.outcome.directions = self.directions(mu);
        let protect = method.options.protect_extremes;
        let gaps = match &self.gap_law {
            Some(law) => law.draw(&y, width, &self.terms, draws),
            None => Vec::new(),
        };
        let of_gaps: Vec<AttrId> = (self.scores.gaps.iter().map(|&place| on[place])).collect();
        let parameters = CopulaParameters {
            mu,
            allocation: method.options.allocation,
            bits: self.law.bits(mu, &self.assigned),
            values: self.names.clone(),
            gaps: original.names(&of_gaps),
            weights: self.law.weights().to_vec(),
            components: self.law.components(),
            extremes: protect.then_some(CopulaExtremes {
                levels: self.law.levels,
                coded: cells::CODED,
                coded_at_least: cells::CODED_AT_LEAST,
            }),
            given: self.given.clone(),
            latent: self.outcome.latent > 0,
            exact_moments: self.exact,
            secret: method.options.secret.is_some(),
            risk: method.risk.clone().map(Box::new),
        };
        let redrawn = !parameters.gaps.is_empty();
        let names = original.names(on);
        let mut step = Step::new(Method::Copula(parameters), original.n_records(), names);
        if redrawn {
            step.missing = "drawn again: as many in each attribute, of other records".into();
        }
        let (table, effects) = cells::place(original, &self.scores, &y, &gaps, protect)?;
        Ok(Masked {
            table,
            step,
            effects,
            respelled: Vec::new(),
            strata: Vec::new(),
            details: Details::Copula(Box::new(self.outcome)),
        })
    }

    /// What is kept along each axis of the scores.
    fn directions(&self, mu: f64) -> Vec<Direction> {
        (self.law.of_directions(mu).into_iter())
            .map(|(variance, kept, vector)| {
                let mut order: Vec<usize> = (0..vector.len()).collect();
                order.sort_by(|&a, &b| vector[b].abs().total_cmp(&vector[a].abs()));
                let most = vector[order[0]].abs();
                let attributes = (order.into_iter())
                    .filter(|&j| vector[j].abs() >= 0.5 * most)
                    .map(|j| self.names[j].clone())
                    .collect();
                Direction {
                    variance,
                    kept,
                    attributes,
                }
            })
            .collect()
    }
}
