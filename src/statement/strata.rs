//! What is published about maskings that were done within strata.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Method, Step};

/// The parameters of a method in one of its strata, where they depend on the stratum: percentages of its records, say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InStratum {
    /// The values of the attributes of the strata, in their order; none where it is missing. Numbers have a decimal point.
    pub stratum: Vec<Option<String>>,
    /// The method with its parameters.
    #[serde(flatten)]
    pub method: Method,
}

impl Step {
    /// The attributes whose combinations of values were strata, whether the method has strata of its own or was applied to each by itself.
    pub fn strata_of_any_kind(&self) -> &[String] {
        match &self.method {
            Method::Pram(stated) => &stated.strata,
            Method::Sample(stated) => &stated.strata,
            _ => &self.strata,
        }
    }

    /// The method with the parameters that it had in a stratum.
    pub fn method_in(&self, stratum: &[Option<String>]) -> &Method {
        let own = self.within.iter().find(|own| own.stratum == stratum);
        own.map_or(&self.method, |own| &own.method)
    }

    /// The step as it was done to the so many records of a stratum.
    #[must_use]
    pub fn in_stratum(&self, stratum: &[Option<String>], records: usize) -> Self {
        Self {
            method: self.method_in(stratum).clone(),
            records,
            records_before: None,
            strata: Vec::new(),
            within: Vec::new(),
            ..self.clone()
        }
    }

    /// What is wrong with its strata, if no masking can have had them.
    pub(super) fn nonsense_of_strata(&self) -> Option<&'static str> {
        let masked = |name: &String| self.changed().any(|changed| changed == name);
        if self.strata.iter().any(masked) {
            return Some("states strata of an attribute that was masked within them");
        }
        let chooses = |method: &Method| matches!(method, Method::Pram(_) | Method::Sample(_));
        if !self.strata.is_empty() && (!self.moves_values() || chooses(&self.method)) {
            return Some("states strata of a method that is not done within strata");
        }
        let mut strata: Vec<&Vec<Option<String>>> =
            self.within.iter().map(|own| &own.stratum).collect();
        strata.sort_unstable();
        let is_twice = strata.windows(2).any(|pair| pair[0] == pair[1]);
        let fits = |own: &InStratum| {
            own.stratum.len() == self.strata.len() && own.method.name() == self.method.name()
        };
        let no_strata = self.strata.is_empty() && !self.within.is_empty();
        if is_twice || no_strata || !self.within.iter().all(fits) {
            return Some("states parameters of strata that cannot be");
        }
        let alone = |own: &InStratum| self.in_stratum(&own.stratum, self.records).nonsense();
        self.within.iter().find_map(alone)
    }
}

/// What the category of a value is called in a statement: the name that a code stands for, or the number with a decimal point.
pub fn called(value: f64, names: Option<&[String]>) -> Cow<'_, str> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a code is a place in the list"
    )]
    let name = names.and_then(|names| names.get(value as usize));
    match name {
        Some(name) => name.into(),
        None => (value + 0.0).to_string().into(),
    }
}
