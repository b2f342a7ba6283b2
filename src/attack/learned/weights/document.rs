//! The JSON form of a learned distance.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};

use super::{ProofStatus, Weights, basis, parameter_names};
use crate::{
    attack::{Direction, distance_based::Standardize, learned::family::Family},
    error::{Error, Reason, Result},
    statement::without_values,
    visible,
};

/// The schema name and version.
pub const SCHEMA: &str = "sdcrisk.weights/1";

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Document {
    schema: String,
    version: String,
    family: String,
    attributes: Vec<String>,
    standardize: String,
    direction: String,
    linked: usize,
    records: usize,
    bound: usize,
    proof: String,
    /// What the weights are weights of.
    basis: String,
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, f64>"))]
    weights: Entries<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unique: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        test,
        schemars(with = "Option<std::collections::BTreeMap<String, (f64, f64)>>")
    )]
    ranges: Option<Entries<(f64, f64)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        test,
        schemars(with = "Option<std::collections::BTreeMap<String, (f64, f64)>>")
    )]
    shapley_ranges: Option<Entries<(f64, f64)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        test,
        schemars(with = "Option<std::collections::BTreeMap<String, usize>>")
    )]
    alone: Option<Entries<usize>>,
}

/// An object in the order in which it stands in the file, with keys that are there twice.
struct Entries<T>(Vec<(String, T)>);

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Reader<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Entries<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Reader(std::marker::PhantomData))
    }
}

pub fn to_json(weights: &Weights) -> String {
    let names = weights.names();
    let named = |values: &Vec<(f64, f64)>, names: &[String]| {
        Entries(names.iter().cloned().zip(values.iter().copied()).collect())
    };
    let document = Document {
        schema: SCHEMA.into(),
        version: weights.version.clone(),
        family: weights.family.name().into(),
        attributes: weights.attributes.clone(),
        standardize: weights.standardize.word().into(),
        direction: weights.direction.word().into(),
        linked: weights.linked,
        records: weights.records,
        bound: weights.bound,
        proof: weights.proof.word().into(),
        basis: basis(weights.family).word().into(),
        weights: Entries(
            names
                .iter()
                .cloned()
                .zip(weights.parameters.iter().copied())
                .collect(),
        ),
        unique: weights.is_unique(),
        ranges: weights.ranges.as_ref().map(|ranges| named(ranges, &names)),
        shapley_ranges: weights
            .shapley_ranges
            .as_ref()
            .map(|ranges| named(ranges, &weights.attributes)),
        alone: weights.alone.as_ref().map(|alone| {
            let names = weights.attributes.iter().cloned();
            Entries(names.zip(alone.iter().copied()).collect())
        }),
    };
    let mut text = serde_json::to_string_pretty(&document)
        .unwrap_or_else(|_| unreachable!("weights are strings and finite numbers"));
    text.push('\n');
    text
}

pub fn from_json(text: &str) -> Result<Weights> {
    let document: Document = serde_json::from_str(text).map_err(|error| {
        Error::input(format!(
            "is not a file of learned weights ({})",
            without_values(&error)
        ))
    })?;
    if document.schema != SCHEMA {
        return Err(Error::input(format!("is not of the schema {SCHEMA}")));
    }
    let family = one_of(&Family::ALL, &document.family, "family", Family::name)?;
    let attributes = document.attributes;
    if attributes.is_empty() {
        return Err(Error::input("names no attributes"));
    }
    if let Some(hidden) = attributes.iter().find(|name| visible::name(name) != **name) {
        return Err(Error::input("has control characters in its name").on_attribute(hidden));
    }
    let mut sorted: Vec<&String> = attributes.iter().collect();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::input("is named twice").named_twice(twice[0]));
    }
    if family.dimension(attributes.len()).is_none() {
        return Err(Error::input(format!(
            "has {} attributes, more than {} can have",
            attributes.len(),
            family.name()
        )));
    }
    if document.basis != basis(family).word() {
        return Err(Error::input(format!(
            "has another basis than {:?}, which {} has",
            basis(family).word(),
            family.name()
        )));
    }
    let names = parameter_names(family, &attributes);
    let parameters = by_name(document.weights, &names, "weights")?;
    if !parameters.iter().all(|value| value.is_finite()) {
        return Err(Error::input("has a weight that is no number").because(Reason::NotANumber));
    }
    let ranges = |ranges: Option<Entries<(f64, f64)>>, names: &[String], what: &str| {
        let ranges = ranges
            .map(|ranges| by_name(ranges, names, what))
            .transpose()?;
        if ranges.as_deref().is_none_or(in_order) {
            Ok(ranges)
        } else {
            Err(Error::input(format!(
                "has {what:?} whose least value is above the greatest"
            )))
        }
    };
    Ok(Weights {
        version: document.version,
        family,
        standardize: one_of(
            &[
                Standardize::Own,
                Standardize::Release,
                Standardize::Original,
                Standardize::None,
            ],
            &document.standardize,
            "standardize",
            Standardize::word,
        )?,
        direction: one_of(
            &[Direction::OriginalToMasked, Direction::MaskedToOriginal],
            &document.direction,
            "direction",
            Direction::word,
        )?,
        parameters,
        linked: document.linked,
        records: document.records,
        bound: document.bound,
        proof: one_of(
            &[ProofStatus::Optimal, ProofStatus::Limit],
            &document.proof,
            "proof",
            ProofStatus::word,
        )?,
        ranges: ranges(document.ranges, &names, "ranges")?,
        shapley_ranges: ranges(document.shapley_ranges, &attributes, "shapley_ranges")?,
        alone: document
            .alone
            .map(|alone| by_name(alone, &attributes, "alone"))
            .transpose()?,
        attributes,
    })
}

fn in_order(ranges: &[(f64, f64)]) -> bool {
    ranges.iter().all(|(least, greatest)| least <= greatest)
}

/// The values of these names, in their order: each must be there once, and no other.
fn by_name<T: Copy>(entries: Entries<T>, names: &[String], what: &str) -> Result<Vec<T>> {
    let mut entries = entries.0;
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(
            Error::input(format!("has {:?} twice in {what:?}", pair[0].0)).because(
                Reason::NamedTwice {
                    name: pair[0].0.clone(),
                },
            ),
        );
    }
    let values = names
        .iter()
        .map(|name| {
            let place = entries.binary_search_by(|entry| entry.0.cmp(name));
            place
                .map(|place| entries[place].1)
                .map_err(|_| Error::input(format!("lacks {name:?} in {what:?}")))
        })
        .collect::<Result<Vec<T>>>()?;
    let known = |name: &String| names.contains(name);
    match entries.iter().find(|(name, _)| !known(name)) {
        None => Ok(values),
        Some((name, _)) => Err(Error::input(format!(
            "has {name:?} in {what:?}, which fits none of its attributes"
        ))),
    }
}

fn one_of<T: Copy>(all: &[T], word: &str, key: &str, words: fn(T) -> &'static str) -> Result<T> {
    all.iter()
        .copied()
        .find(|&one| words(one) == word)
        .ok_or_else(|| {
            let all: Vec<&str> = all.iter().map(|&one| words(one)).collect();
            Error::input(format!("has another {key:?} than {}", all.join(", ")))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parameters inside the space of each family, with digits that only an exact reader keeps.
    fn example(family: Family) -> Weights {
        let attributes: Vec<String> = ["AGI", "a+b", "x*\"<y>\"\\"].map(String::from).to_vec();
        let parameters = match family {
            Family::WeightedMean | Family::WeightedMeanMetric | Family::OrderedWeightedMean => {
                vec![0.1 + 0.2, 1.0 / 3.0, 1.0 - (0.1 + 0.2) - 1.0 / 3.0]
            }
            // √(1/3), √(2/3), 1: a concave function of the size.
            Family::Choquet | Family::ChoquetMetric => {
                let (one, two) = ((1.0_f64 / 3.0).sqrt(), (2.0_f64 / 3.0).sqrt());
                vec![one, one, two, one, two, two, 1.0]
            }
            Family::ChoquetTwoAdditive => {
                let pair = -0.1 / 3.0;
                vec![0.4, 0.4, 0.2 - 3.0 * pair, pair, pair, pair]
            }
            _ => vec![1.0, 0.7, 1.0 / 7.0, -0.1, 0.3e-17, 0.1],
        };
        let ranges = parameters.iter().map(|p| (p - 1e-3, p + 1e-17)).collect();
        Weights {
            version: "1.2.3".into(),
            family,
            attributes,
            standardize: Standardize::Own,
            direction: Direction::OriginalToMasked,
            parameters,
            linked: 374,
            records: 400,
            bound: 376,
            proof: ProofStatus::Limit,
            ranges: Some(ranges),
            shapley_ranges: None,
            alone: Some(vec![300, 0, 12]),
        }
    }

    #[test]
    fn reads_what_it_wrote_to_the_last_bit() {
        for family in Family::ALL {
            let weights = example(family);
            let text = weights.to_json();
            assert_eq!(
                Weights::from_json("w.json", &text).unwrap(),
                weights,
                "{text}"
            );
            let json: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(json["unique"], false);
        }
    }

    /// 500 numbers of all magnitudes, made by a multiplicative sequence: nothing is lost on the way through decimals.
    #[test]
    fn decimals_keep_every_bit() {
        let n = 500;
        let mut state = 1_u64;
        let mut parameters: Vec<f64> = (0..n)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 11) as f64 / (1_u64 << 60) as f64 / n as f64
            })
            .collect();
        parameters[0] += 1.0 - parameters.iter().sum::<f64>();
        let weights = Weights {
            attributes: (0..n).map(|k| format!("V{k}")).collect(),
            parameters,
            ranges: None,
            alone: None,
            ..example(Family::WeightedMean)
        };
        assert_eq!(
            Weights::from_json("w", &weights.to_json()).unwrap(),
            weights
        );
        assert_eq!(weights.is_unique(), None);
    }

    #[test]
    fn says_what_is_wrong() {
        let wm = example(Family::WeightedMean).to_json();
        let of = |family: Family, change: &dyn Fn(&mut Weights)| {
            let mut weights = example(family);
            change(&mut weights);
            weights.to_json()
        };
        for (text, says) in [
            (String::new(), "is not a file of learned weights"),
            ("[]".into(), "is not a file of learned weights"),
            (wm.replace("weights/1", "weights/2"), "is not of the schema"),
            (
                wm.replace("\"wm\"", "\"vm\""),
                "another \"family\" than wm, wm-m",
            ),
            (
                wm.replace("\"own\"", "\"mine\""),
                "another \"standardize\" than own",
            ),
            (
                wm.replace("\"limit\"", "\"maybe\""),
                "another \"proof\" than optimal",
            ),
            (wm.replace("\"wm\"", "\"ci\""), "another basis"),
            (wm.replacen("\"AGI\"", "\"a+b\"", 1), "is named twice"),
            (wm.replacen("\"AGI\"", "\"FICA\"", 1), "lacks \"FICA\""),
            (
                wm.replacen("\"AGI\":", "\"AGI\": 0.1, \"AGI\":", 1),
                "has \"AGI\" twice",
            ),
            (
                wm.replacen("\"AGI\":", "\"more\": 0.1, \"AGI\":", 1),
                "\"more\"",
            ),
            (
                wm.replace("\"linked\": 374", "\"linked\": 401"),
                "more links than records",
            ),
            (
                of(Family::WeightedMean, &|w| w.parameters[0] += 1e-6),
                "do not sum to 1",
            ),
            (
                of(Family::WeightedMean, &|w| w.parameters[0] = -0.5),
                "not between 0 and 1",
            ),
            (
                of(Family::Choquet, &|w| w.parameters[2] = 0.5),
                "no fuzzy measure",
            ),
            (
                of(Family::ChoquetMetric, &|w| w.parameters[0] = 0.0),
                "not submodular",
            ),
            (
                of(Family::Choquet, &|w| w.parameters[6] = 0.99),
                "not between 1 and 1",
            ),
            (
                of(Family::BilinearDefinite, &|w| w.parameters[3] = 0.9),
                "negative eigenvalue",
            ),
            (
                of(Family::Bilinear, &|w| w.ranges.as_mut().unwrap()[1].0 = 2.0),
                "least value is above",
            ),
        ] {
            let error = Weights::from_json("w.json", &text).unwrap_err().to_string();
            assert!(
                error.starts_with("w.json") && error.contains(says),
                "{says}: {error}"
            );
        }
    }

    #[test]
    fn measures_and_matrices_come_from_parameters() {
        // m_k = 0.4, 0.4, 0.3, m_kl = −1/30: the pair of the first two is worth 0.8 − 1/30.
        let measure = example(Family::ChoquetTwoAdditive).measure().unwrap();
        assert!((measure.of(0b011) - (0.8 - 0.1 / 3.0)).abs() < 1e-15);
        assert!((measure.of(0b111) - 1.0).abs() < 1e-15);
        let matrix = example(Family::Bilinear).matrix().unwrap();
        assert_eq!(
            (matrix[[0, 1]], matrix[[1, 0]], matrix[[1, 2]]),
            (-0.1, -0.1, 0.1)
        );
        assert_eq!(matrix[[2, 2]], 1.0 / 7.0);
        assert_eq!(example(Family::WeightedMean).measure(), None);
        assert_eq!(example(Family::Choquet).matrix(), None);
    }
}
