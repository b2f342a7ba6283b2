//! Weights of attributes, and of places in an order.

use serde::Serialize;

use super::{Range, range, words};
use crate::attack::{
    distance_based::Standardize,
    learned::weights::{Basis, Weights, basis},
};

/// The weights of a weighted mean, or of an ordered one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Weighted {
    /// Attributes from the heaviest; places in their order.
    pub weights: Vec<Weight>,
    /// Of an ordered mean: how much it is like the largest difference (1), the mean (0.5) or the smallest (0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orness: Option<f64>,
}

/// A weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Weight {
    /// Of what.
    pub name: String,
    /// Its share of all weights.
    pub weight: f64,
    /// In which range it may vary without a link being lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Range,
}

/// From this share on an attribute is said to decide nearly alone.
const NEARLY_ALONE: f64 = 0.8;

impl Weighted {
    /// Reads them off.
    pub fn new(weights: &Weights) -> Self {
        let mut all: Vec<Weight> = weights
            .names()
            .into_iter()
            .zip(&weights.parameters)
            .enumerate()
            .map(|(place, (name, &weight))| Weight {
                name,
                weight,
                range: range(weights.ranges.as_ref(), place),
            })
            .collect();
        let ordered = basis(weights.family) == Basis::Order;
        let orness = ordered.then(|| orness(&weights.parameters));
        if !ordered {
            all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        }
        Self {
            weights: all,
            orness,
        }
    }

    /// The weights as a table for the terminal.
    pub fn to_text(&self) -> String {
        let most = self.weights.iter().fold(0.0, |most, w| w.weight.max(most));
        let rows: Vec<Vec<String>> = self
            .weights
            .iter()
            .map(|weight| {
                vec![
                    weight.name.clone(),
                    words::bar(weight.weight / most.max(words::NOTHING)),
                    words::share(weight.weight),
                    words::range(weight.range, words::share),
                ]
            })
            .collect();
        let what = match self.orness {
            None => "attribute",
            Some(_) => "difference",
        };
        words::columns(&[what, "", "weight", "range"], rows, 2)
    }

    /// What they say.
    pub fn in_words(&self, weights: &Weights) -> Vec<String> {
        match self.orness {
            Some(orness) => self.of_places(orness),
            None => self.of_attributes(weights),
        }
    }

    fn of_attributes(&self, weights: &Weights) -> Vec<String> {
        let Some(first) = self.weights.first() else {
            return Vec::new();
        };
        if first.weight >= 1.0 - words::NOTHING {
            return vec![
                if weights.linked == weights.records && weights.records > 0 {
                    words::key(&first.name)
                } else {
                    format!(
                        "{} has all the weight: as they were masked, the other attributes are of no use to this distance. \
                 Masking {0} more is what lowers this risk.",
                        first.name
                    )
                },
            ];
        }
        let mut said = vec![self.leading()];
        said.extend(self.how_sure());
        said.extend(self.all_to_one(weights));
        said.extend(self.exchange(weights.standardize));
        said.extend(self.idle());
        const SMALL: f64 = 0.01;
        if self
            .weights
            .iter()
            .any(|w| w.weight < SMALL && w.weight > words::NOTHING)
        {
            said.push(
                "A small weight still decides between records that hardly differ in the heavy attributes."
                    .into(),
            );
        }
        said
    }

    /// The fewest attributes that carry most of the weight.
    fn leading(&self) -> String {
        let mut sum = 0.0;
        let mut carriers = Vec::new();
        for weight in &self.weights {
            if sum >= NEARLY_ALONE {
                break;
            }
            sum += weight.weight;
            carriers.push(weight.name.as_str());
        }
        let share = words::share(sum.min(1.0));
        match carriers[..] {
            [one] => format!(
                "{one} alone carries {share} of the weight: to tell a person's masked record from others this distance looks \
                 at {one} before all else. It leaks most."
            ),
            _ if carriers.len() == self.weights.len() => format!(
                "No attribute stands out: it takes all of them, {}, to carry the weight.",
                words::list(&carriers)
            ),
            _ => format!(
                "{} carry {share} of the weight together: to tell a person's masked record from others this distance looks at \
                 them before all else. They leak most.",
                words::list(&carriers)
            ),
        }
    }

    /// Whether the heaviest attribute is so in all distances that link the same records.
    fn how_sure(&self) -> Option<String> {
        let (first, others) = self.weights.split_first()?;
        let (least, _) = first.range?;
        let (other, most) = others
            .iter()
            .filter_map(|weight| Some((&weight.name, weight.range?.1)))
            .reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        Some(if least > most {
            format!(
                "{} has the greatest weight, {} at least, in every distance of this family that links these records.",
                first.name,
                words::share(least)
            )
        } else {
            format!(
                "Others that link the same records give {} as little as {}, or {other} as much as {}.",
                first.name,
                words::share(least),
                words::share(most)
            )
        })
    }

    /// Attributes that could have all the weight at no loss, where every record is linked.
    fn all_to_one(&self, weights: &Weights) -> Option<String> {
        let shows_key = words::shows_key(weights);
        let whole = |weight: &&Weight| {
            shows_key
                && weight
                    .range
                    .is_some_and(|(_, most)| most >= 1.0 - words::NOTHING)
        };
        let names: Vec<&str> = self
            .weights
            .iter()
            .filter(whole)
            .map(|weight| weight.name.as_str())
            .collect();
        (!names.is_empty()).then(|| {
            format!(
                "All records stay linked however much of the weight is moved to {}: as good as a key.",
                words::either(&names)
            )
        })
    }

    /// What a weight means, as an exchange between the two heaviest attributes.
    fn exchange(&self, standardize: Standardize) -> Option<String> {
        let [first, second, ..] = &self.weights[..] else {
            return None;
        };
        if second.weight <= words::NOTHING {
            return None;
        }
        let ratio = (first.weight / second.weight).sqrt();
        let unit = match standardize {
            Standardize::None => "unit",
            _ => "standard deviation",
        };
        Some(format!(
            "A difference of one {unit} in {} counts as much as one of {ratio:.1} {unit}s in {}: weights are of squares.",
            first.name, second.name
        ))
    }

    fn idle(&self) -> Option<String> {
        let idle: Vec<&str> = self
            .weights
            .iter()
            .filter(|weight| weight.weight <= words::NOTHING)
            .map(|weight| weight.name.as_str())
            .collect();
        let (have, are) = match idle[..] {
            [] => return None,
            [_] => ("has no weight", "it is"),
            _ => ("have no weight", "they are"),
        };
        Some(format!(
            "{} {have}: this distance does without. That does not show that {are} safe: another attribute may say the same.",
            words::list(&idle)
        ))
    }

    fn of_places(&self, orness: f64) -> Vec<String> {
        let like = match orness {
            o if o > 0.8 => {
                "it is close to the largest difference: a masked record is near only if all its attributes agree, so all of them \
                 must be masked badly for a link"
            }
            o if o < 0.2 => {
                "it is close to the smallest difference: one attribute that agrees is enough, so whichever one a record kept \
                 gives it away"
            }
            o if o > 0.6 => "it leans to the large differences: most attributes must agree",
            o if o < 0.4 => {
                "it leans to the small differences: some attributes that agree are enough"
            }
            _ => "it is about as the plain mean: large and small differences count the same",
        };
        vec![
            format!("Its orness is {orness:.2} (1: the largest difference, 0: the smallest); {like}."),
            "An ordered mean treats all attributes alike: it says how many of them must agree, not which of them leak. wm and \
             ci say that."
                .into(),
        ]
    }
}

/// ```text
/// orness(w) = Σ_i (n − i) / (n − 1) · w_i        i = 1 for the largest value
/// ```
///
/// Of a single value it is ½.
///
/// # Source
/// R. R. Yager, "On ordered weighted averaging aggregation operators in multicriteria decisionmaking", 1988.
fn orness(weights: &[f64]) -> f64 {
    let n = weights.len();
    if n < 2 {
        return 0.5;
    }
    let place = |i: usize| (n - 1 - i) as f64 / (n - 1) as f64;
    weights
        .iter()
        .enumerate()
        .fold(0.0, |sum, (i, weight)| sum + place(i) * weight)
}
