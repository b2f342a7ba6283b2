//! What is published about masking by minimal information (`copula`).

use serde::{Deserialize, Serialize};

/// The law by which masked normal scores were drawn.
///
/// ```text
/// z    normal scores of the values of a record: Φ⁻¹((rank − ½)/n), ties and gaps by draws given the record's other scores
/// e    = z, or with `given` z − constant − Σ coefficient · term: what the kept attributes do not explain
/// c    a component, drawn by its posterior weight given e;  l a level of protection, by how extreme e is
/// e'   = m_c + A (e − m_c) + E,   E normal with mean 0
/// A    = R^½ V ρ Vᵀ R^−½,  Cov(E) = R^½ V (1 − ρ²) Vᵀ R^½,   R the component's covariance, V and g eigenvectors and eigenvalues of
///        R^½ W R^½, W the weights of the attributes;  ρ / (1 − ρ²) = mu 2^(−l/2) g  (`minimal`), or the mean of g for every
///        direction (`uniform`)
/// z'   = e', or with `given` with the explained part added back
/// ```
///
/// Each masked attribute has its original values in the order of its z'. Where it has gaps, the records that miss it were drawn anew given
/// their z' (as many as there were): who missed it in the original decided nothing. The scores are numbered as in
/// [`values`](Self::values).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CopulaParameters {
    /// What a unit of squared score is worth: great numbers keep much.
    pub mu: f64,
    /// How the directions share what is kept.
    pub allocation: CopulaAllocation,
    /// What a masked record says of its original, at most, under the model: bits, of log2 n that single one record out.
    pub bits: f64,
    /// The attributes whose values have scores: all that were masked and are not constant.
    pub values: Vec<String>,
    /// The attributes whose gaps were drawn anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// The weights of the scores, one each; none if all are 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f64>,
    /// The normal laws of which the law of e is a mixture.
    pub components: Vec<CopulaComponent>,
    /// How extreme records were protected, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extremes: Option<CopulaExtremes>,
    /// The attributes that stayed as they are, and how the scores follow from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<CopulaGiven>,
    /// Whether scores of equal values were drawn given the other scores of their record.
    pub latent: bool,
    /// Whether E was made uncorrelated with e, with the moments of its law, over the whole file exactly.
    pub exact_moments: bool,
    /// Whether E comes from a secret and the records' identifiers, so that it is the same in every release.
    pub secret: bool,
    /// What an intruder found on drafts, if any was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Box<CopulaRisk>>,
}

/// What the strongest attack known found on drafts of the masking: masked with other noise, attacked, thrown away.
///
/// Shares are means over the drafts. Each is of the intruder who knows `known`: the case in which most were linked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CopulaRisk {
    /// The share of links that mu was chosen for, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// The attack whose risk was asked for.
    pub attack: String,
    /// The attributes that the intruder knows.
    pub known: Vec<String>,
    /// Of how many people.
    pub known_records: u64,
    /// Drafts that were attacked.
    pub drafts: u32,
    /// Share of the people that were linked.
    pub measured: f64,
    /// 95 % interval of it, by Student's law over the drafts.
    pub interval: [f64; 2],
    /// The same on planted files: people drawn from the stated law, masked by it.
    pub predicted: f64,
    /// Share linked of those in the top or bottom 1 % of a known attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extremes: Option<f64>,
    /// Share linked of the 1 % farthest from the mean in Mahalanobis distance of the known attributes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub far: Option<f64>,
    /// Share of the people for whom the attack states a probability above 90 %.
    pub sure: f64,
    /// Share of these links that are right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sure_correct: Option<f64>,
    /// The set of as many attributes with the most links, among those that a bound ranks first; none where all are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<CopulaWorst>,
}

/// The attributes that betray most, as many as the intruder knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CopulaWorst {
    /// What the intruder knew, by name.
    pub known: Vec<String>,
    /// Share of the people that were linked.
    pub measured: f64,
}

/// How the directions share what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CopulaAllocation {
    /// The least information for what is lost: the directions of little variance are all but drawn again.
    #[default]
    Minimal,
    /// The same share of every direction.
    Uniform,
}

/// A normal law, and how many of the records follow it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CopulaComponent {
    /// Its share of the records.
    pub weight: f64,
    /// The means of the scores.
    pub mean: Vec<f64>,
    /// The covariances of the scores, row by row.
    pub covariance: Vec<Vec<f64>>,
}

/// How extreme records were protected.
///
/// With M and T the mean and the covariance of the mixture and q = (e − M)ᵀ T⁻¹ (e − M) / number of scores, the level of a record
/// is 2 log2 max(1, q), rounded to a whole number of at most [`levels`](Self::levels).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CopulaExtremes {
    /// The highest level; at level l mu is multiplied by 2^(−l/2).
    pub levels: usize,
    /// This share of the least and of the greatest values of an attribute got one value each: amounts their mean, ordinal
    /// attributes their lower median.
    pub coded: f64,
    /// As many values at least, where an attribute has more than ten times as many.
    pub coded_at_least: usize,
}

/// The attributes that stayed as they are, and how the masked scores follow from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CopulaGiven {
    /// The attributes.
    pub attributes: Vec<String>,
    /// The constants of the regressions, one a score.
    pub constants: Vec<f64>,
    /// What the scores were regressed on.
    pub terms: Vec<CopulaTerm>,
}

/// A number of each record, on which the scores were regressed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CopulaTerm {
    /// The attribute.
    pub attribute: String,
    /// The category of which this is the indicator, 0 where the attribute is missing. Else the number is the normal score of the
    /// attribute's value: of the middle of its ranks where it is tied, 0 where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// One a score.
    pub coefficients: Vec<f64>,
}

/// Most levels of protection that make sense: 2^(−32) of mu is nothing.
const MAX_LEVELS: usize = 64;

impl CopulaParameters {
    /// How many scores a record has.
    pub fn scores(&self) -> usize {
        self.values.len()
    }

    /// What is wrong with them, if no masking of these attributes can have had them.
    pub(super) fn nonsense(&self, masked: &[String]) -> Option<&'static str> {
        let positive = |number: f64| number > 0.0 && number.is_finite();
        if !positive(self.mu) || self.bits < 0.0 || !self.bits.is_finite() {
            return Some("states bits that cannot be kept");
        }
        let scores = self.scores();
        let named = |names: &[String]| {
            let twice = |i: usize| names[..i].contains(&names[i]);
            (0..names.len()).all(|i| masked.contains(&names[i]) && !twice(i))
        };
        if scores == 0 || !named(&self.values) || !named(&self.gaps) {
            return Some("states scores of attributes that were not masked");
        }
        let weights_fit =
            self.weights.is_empty() || self.weights.len() == scores && all(&self.weights, positive);
        if !weights_fit {
            return Some("states weights of attributes that cannot be");
        }
        let total: f64 = self.components.iter().map(|part| part.weight).sum();
        let components_fit = (total - 1.0).abs() < 1e-6
            && (self.components.iter()).all(|part| {
                positive(part.weight)
                    && part.mean.len() == scores
                    && all(&part.mean, f64::is_finite)
                    && is_positive_definite(&part.covariance, scores)
            });
        if !components_fit {
            return Some("states a law of the scores that is none");
        }
        let extremes_fit = self.extremes.as_ref().is_none_or(|extremes| {
            extremes.levels <= MAX_LEVELS && (0.0..0.5).contains(&extremes.coded)
        });
        if !extremes_fit {
            return Some("states a protection of extremes that cannot be");
        }
        let given_fits = self.given.as_ref().is_none_or(|given| {
            let finite = |numbers: &[f64]| numbers.len() == scores && all(numbers, f64::is_finite);
            !given.attributes.iter().any(|name| masked.contains(name))
                && finite(&given.constants)
                && (given.terms.iter()).all(|term| {
                    given.attributes.contains(&term.attribute) && finite(&term.coefficients)
                })
        });
        (!given_fits).then_some("states a regression on given attributes that cannot be")
    }
}

fn all(numbers: &[f64], is: impl Fn(f64) -> bool) -> bool {
    numbers.iter().all(|&number| is(number))
}

/// Whether a matrix of this width is symmetric and positive definite: its factor has a positive diagonal.
fn is_positive_definite(matrix: &[Vec<f64>], width: usize) -> bool {
    let square = matrix.len() == width && matrix.iter().all(|row| row.len() == width);
    if !square || !matrix.iter().all(|row| all(row, f64::is_finite)) {
        return false;
    }
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(width);
    for (i, stated) in matrix.iter().enumerate() {
        let mut row: Vec<f64> = Vec::with_capacity(i + 1);
        for j in 0..=i {
            if (stated[j] - matrix[j][i]).abs() > 1e-9 * stated[i].abs() {
                return false;
            }
            let other = if j < i { &factor[j] } else { &row };
            let explained: f64 = row[..j].iter().zip(&other[..j]).map(|(a, b)| a * b).sum();
            let rest = stated[j] - explained;
            row.push(match j < i {
                true => rest / factor[j][j],
                false if rest > 0.0 => rest.sqrt(),
                false => return false,
            });
        }
        factor.push(row);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::{Method, Statement, Step};

    fn example() -> CopulaParameters {
        CopulaParameters {
            mu: 3.0,
            allocation: CopulaAllocation::Minimal,
            bits: 2.5,
            values: vec!["a".into(), "b".into()],
            gaps: Vec::new(),
            weights: Vec::new(),
            components: vec![CopulaComponent {
                weight: 1.0,
                mean: vec![0.0, 0.0],
                covariance: vec![vec![1.0, 0.5], vec![0.5, 1.0]],
            }],
            extremes: None,
            given: None,
            latent: true,
            exact_moments: false,
            secret: false,
            risk: None,
        }
    }

    fn stated(parameters: CopulaParameters) -> Statement {
        let names = vec!["a".into(), "b".into()];
        Statement::from(Step::new(Method::Copula(parameters), 100, names))
    }

    #[test]
    fn reads_what_it_wrote() {
        let statement = stated(example());
        let text = statement.to_json();
        assert_eq!(Statement::from_json("s.json", &text).unwrap(), statement);
        assert_eq!(statement.nonsense(), None);
        let unknown = text.replace(r#""mu": 3.0"#, r#""mu": 3.0, "seed": 1"#);
        assert!(Statement::from_json("s.json", &unknown).is_err());
    }

    #[test]
    fn what_no_masking_can_have_had_is_nonsense() {
        let changes: [fn(&mut CopulaParameters); 11] = [
            |p| p.mu = 0.0,
            |p| p.bits = -1.0,
            |p| p.values[1] = "a".into(),
            |p| p.gaps = vec!["c".into()],
            |p| p.weights = vec![1.0, 0.0],
            |p| p.components.clear(),
            |p| p.components[0].weight = 0.9,
            // A correlation of 1: singular.
            |p| p.components[0].covariance = vec![vec![1.0, 1.0], vec![1.0, 1.0]],
            |p| p.components[0].covariance[0][1] = 0.4,
            |p| {
                p.extremes = Some(CopulaExtremes {
                    levels: 12,
                    coded: 0.5,
                    coded_at_least: 3,
                });
            },
            |p| {
                p.given = Some(CopulaGiven {
                    attributes: vec!["b".into()],
                    constants: vec![0.0, 0.0],
                    terms: Vec::new(),
                });
            },
        ];
        for (place, change) in changes.iter().enumerate() {
            let mut parameters = example();
            change(&mut parameters);
            assert!(stated(parameters).nonsense().is_some(), "change {place}");
        }
    }
}
