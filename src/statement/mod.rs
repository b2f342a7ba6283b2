//! What an office publishes about a masking, as the transparency principle asks: methods and parameters, never the
//! seed, never who swapped with whom.
//!
//! Offices seldom mask once: they recode, perturb, suppress, and draw a sample. So a [`Statement`] is a history, a list of
//! [`Step`]s in the order in which they were done, and [`Laws`] is what an intruder makes of it.
//!
//! The statement is the only thing that passes from a masking to an intruder. It lives below both, so that neither
//! needs to see the other.

mod aggregation;
mod composed;
mod copula;
mod kept;
mod laws;
mod pram;
mod recoding;
mod sampling;
mod step;
mod strata;
mod swapping;
mod synthesis;

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result},
    visible,
};

pub use aggregation::{
    AggregatedBlock, ArcCost, Average, DistanceScale, FuzzyBlock, FuzzyParameters, Grouping,
    MicroaggregationParameters,
};
pub use composed::Composed;
pub use copula::{
    CopulaAllocation, CopulaComponent, CopulaExtremes, CopulaGiven, CopulaParameters, CopulaRisk,
    CopulaTerm, CopulaWorst,
};
pub use kept::{DerivedTotal, Kept, MovedZeros};
pub use laws::{Law, Laws, Scope, Windows};
pub use pram::{PramParameters, ROW_SUM, TransitionMatrix};
pub use recoding::{MissingMatches, Period, RecodeParameters, RecodingRule, SuppressParameters};
pub use sampling::{SampleParameters, SampleSize};
pub use step::{Method, Step};
pub use strata::{InStratum, called};
pub use swapping::{
    Exhausted, PBucketsParameters, PDistributionParameters, Partner, RankSwapParameters, Taken,
};
pub use synthesis::{IpsoParameters, IpsoVariant, NoiseLaw, NoiseParameters};

/// The schema name and version of a statement.
pub const SCHEMA: &str = "sdcrisk.statement/2";

/// The schema of statements of a single step, which are read as such.
pub const SINGLE_STEP: &str = "sdcrisk.statement/1";

/// What was published about a masked file: the steps that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Statement {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program that masked.
    pub version: String,
    /// Whether the steps begin with the file as it was collected, so that an attribute that none of them names is as it was there.
    pub complete: bool,
    /// The steps, in the order in which they were done.
    pub steps: Vec<Step>,
}

impl From<Step> for Statement {
    /// A history that begins and ends with this step.
    fn from(step: Step) -> Self {
        Self {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            complete: true,
            steps: vec![step],
        }
    }
}

impl Statement {
    /// Adds what was done after all these steps.
    pub fn append(&mut self, later: impl IntoIterator<Item = Step>) {
        self.steps.extend(later);
    }

    /// What is wrong with the steps, if no masking can have had them.
    pub fn nonsense(&self) -> Option<&'static str> {
        if self.steps.is_empty() {
            return Some("states no step");
        }
        let mut pairs = self.steps.windows(2);
        if pairs.any(|pair| pair[0].records != pair[1].before()) {
            return Some(
                "states steps that do not follow each other: one gives more or fewer records than the next one takes",
            );
        }
        self.steps.iter().find_map(Step::nonsense)
    }

    /// Number of records of the file that the last step gave.
    pub fn records(&self) -> usize {
        self.steps.last().map_or(0, |step| step.records)
    }

    /// Whether a step put the records in random order.
    pub fn is_shuffled(&self) -> bool {
        self.steps.iter().any(|step| step.shuffled)
    }

    /// Whether a key of the one step that put the records in random order leads to the file that the first step was done to. `records`
    /// is the greatest number of a record that the key names: beyond the file that this step was given, the key is one that a recipe
    /// wrote, which leads to the file that its first step was given.
    pub fn has_a_key_to_the_first_file(&self, records: usize) -> bool {
        let Some(place) = self.steps.iter().position(|step| step.shuffled) else {
            // No step says so: a key that somebody has is of something else.
            return true;
        };
        let (before, after) = (&self.steps[..place], &self.steps[place + 1..]);
        let same_records = |step: &Step| step.before() == step.records;
        (before.iter().all(same_records) || records > self.steps[place].before())
            && after
                .iter()
                .all(|step| same_records(step) && !step.shuffled)
    }

    /// Whether a step recoded attributes.
    pub fn recodes(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| matches!(step.method, Method::Recode(_)))
    }

    /// Whether a step recoded this attribute.
    pub fn recodes_attribute(&self, name: &str) -> bool {
        let recodes = |step: &Step| matches!(step.method, Method::Recode(_));
        let named = |step: &Step| step.attributes.iter().any(|attribute| attribute == name);
        self.steps.iter().any(|step| recodes(step) && named(step))
    }

    /// The attributes that steps masked, each once; not those that were left out afterwards.
    pub fn attributes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for step in &self.steps {
            for name in &step.attributes {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
            names.retain(|name| !step.dropped.iter().any(|dropped| dropped == name));
        }
        names
    }

    /// What was done, in the names of the methods: `recode, rankswap, suppress`.
    pub fn methods(&self) -> String {
        let names: Vec<&str> = self.steps.iter().map(|step| step.method.name()).collect();
        names.join(", ")
    }

    /// As JSON text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self)
            .unwrap_or_else(|_| unreachable!("a statement holds strings and finite numbers only"));
        text.push('\n');
        text
    }

    /// From JSON text; one of the schema `sdcrisk.statement/1` is a complete history of one step.
    ///
    /// # Errors
    /// Input, when it is not a statement.
    pub fn from_json(name: &str, text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let wrong = |what: String| {
            Error::input(what)
                .in_file(name)
                .remedy("Give the file that 'sdcrisk mask --statement FILE' wrote")
        };
        let unreadable = |error: serde_json::Error| {
            let why = without_values(&error);
            wrong(format!("is not a statement of a masking ({why})"))
        };
        let head: Head = serde_json::from_str(text).map_err(unreadable)?;
        let statement = match head.schema.as_str() {
            SCHEMA => serde_json::from_str(text).map_err(unreadable)?,
            SINGLE_STEP => Self::from(serde_json::from_str::<Step>(text).map_err(unreadable)?),
            _ => return Err(wrong(format!("is not of the schema {SCHEMA}"))),
        };
        let is_invisible = |name: &String| visible::name(name) != **name;
        if statement
            .steps
            .iter()
            .flat_map(Step::names)
            .any(is_invisible)
        {
            return Err(wrong("names an attribute with control characters".into()));
        }
        Ok(statement)
    }
}

/// What a JSON error says of place and kind: its full text could quote the content.
pub(crate) fn without_values(error: &serde_json::Error) -> String {
    let kind = match error.classify() {
        serde_json::error::Category::Syntax => "no JSON",
        serde_json::error::Category::Eof => "ends too early",
        serde_json::error::Category::Data => "a key is missing, unknown or of the wrong kind",
        serde_json::error::Category::Io => "unreadable",
    };
    if error.line() == 0 {
        kind.into()
    } else {
        format!("{kind}, line {}", error.line())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Statement {
        Statement::from(Step::new(
            Method::RankSwap(RankSwapParameters {
                p: Some(2.0),
                window: 21,
                partner: Partner::Unswapped,
            }),
            1080,
            vec!["AGI".into(), "FICA".into()],
        ))
    }

    #[test]
    fn reads_what_it_wrote() {
        let text = example().to_json();
        assert_eq!(Statement::from_json("s.json", &text).unwrap(), example());
        assert!(text.contains(r#""method": "rankswap""#), "{text}");
        assert!(!text.contains("seed"));
    }

    #[test]
    fn fuzzy_microaggregation_tells_its_law_and_no_more() {
        let block = |k, clusters| FuzzyBlock {
            attributes: vec!["AGI".into()],
            k,
            clusters,
        };
        let method = Method::Fuzzy(FuzzyParameters {
            m1: 1.5,
            m2: 2.0,
            scale: DistanceScale::Z,
            rounded: false,
            blocks: vec![block(Some(3), 200), block(None, 10)],
        });
        let statement = Statement::from(Step::new(method, 1080, vec!["AGI".into()]));
        let text = statement.to_json();
        assert_eq!(Statement::from_json("s.json", &text).unwrap(), statement);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let keys: Vec<&String> = json["steps"][0]["parameters"]
            .as_object()
            .unwrap()
            .keys()
            .collect();
        assert_eq!(keys, ["m1", "m2", "scale", "rounded", "blocks"]);
        assert_eq!(json["steps"][0]["method"], "fuzzy");
        assert_eq!(json["steps"][0]["parameters"]["scale"], "z");
        assert_eq!(json["steps"][0]["parameters"]["blocks"][0]["k"], 3);
        assert!(
            json["steps"][0]["parameters"]["blocks"][1]
                .get("k")
                .is_none()
        );
    }

    #[test]
    fn refuses_what_is_no_statement() {
        for text in ["", "{", "[]", r#"{"schema":"sdcrisk.statement/1"}"#] {
            let error = Statement::from_json("s.json", text).unwrap_err();
            assert!(
                error.to_string().starts_with("s.json: is not a statement"),
                "{error}"
            );
        }
        let other = example().to_json().replace("statement/2", "statement/9");
        let error = Statement::from_json("s.json", &other).unwrap_err();
        assert!(error.to_string().contains("schema"), "{error}");
    }

    #[test]
    fn a_single_step_of_the_first_schema_is_a_history() {
        let text = r#"{"schema": "sdcrisk.statement/1", "version": "0.1.0", "method": "rankswap",
            "parameters": {"p": 2.0, "window": 21, "partner": "unswapped"}, "records": 1080,
            "attributes": ["AGI", "FICA"], "missing": "left in place"}"#;
        assert_eq!(Statement::from_json("s.json", text).unwrap(), example());
    }

    #[test]
    fn steps_follow_each_other() {
        let mut history = example();
        let mut sample = Step::new(
            Method::Sample(SampleParameters {
                size: SampleSize::Records(100),
                strata: Vec::new(),
            }),
            100,
            Vec::new(),
        );
        sample.records_before = Some(1080);
        history.append([sample.clone()]);
        assert_eq!(history.nonsense(), None);
        assert_eq!(
            (history.records(), history.methods().as_str()),
            (100, "rankswap, sample")
        );
        history.append([sample]);
        assert!(history.nonsense().unwrap().contains("do not follow"));
    }

    #[test]
    fn attributes_that_were_left_out_later_are_not_named() {
        let mut history = example();
        let mut later = history.steps[0].clone();
        later.attributes = vec!["FICA".into(), "TAX".into()];
        later.dropped = vec!["AGI".into()];
        history.append([later]);
        assert_eq!(history.attributes(), ["FICA", "TAX"]);
    }
}
