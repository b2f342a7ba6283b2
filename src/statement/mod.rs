//! What an office publishes about a masking, as the transparency principle asks: method and parameters, never the
//! seed, never who swapped with whom.
//!
//! The statement is the only thing that passes from a masking to an intruder. It lives below both, so that neither
//! needs to see the other.

mod aggregation;
mod copula;
mod kept;
mod recoding;
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
pub use copula::{
    CopulaAllocation, CopulaComponent, CopulaExtremes, CopulaGiven, CopulaParameters, CopulaRisk,
    CopulaTerm, CopulaWorst,
};
pub use kept::{DerivedTotal, Kept, MovedZeros};
pub use recoding::{MissingMatches, RecodeParameters, RecodingRule, SuppressParameters};
pub use swapping::{
    Exhausted, PBucketsParameters, PDistributionParameters, Partner, RankSwapParameters, Taken,
};
pub use synthesis::{IpsoParameters, IpsoVariant, NoiseLaw, NoiseParameters};

/// The schema name and version of a statement.
pub const SCHEMA: &str = "sdcrisk.statement/1";

/// What was published about a masked file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program that masked.
    pub version: String,
    /// The method and its parameters.
    #[serde(flatten)]
    pub method: Method,
    /// Number of records of the masked file.
    pub records: usize,
    /// The attributes that were masked; all others are as this step found them, but for totals that were worked out anew.
    pub attributes: Vec<String>,
    /// How sums and zeros were kept.
    #[serde(default, skip_serializing_if = "Kept::is_empty")]
    pub kept: Kept,
    /// What was done with missing values.
    pub missing: String,
    /// Whether the records of the file are in random order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shuffled: bool,
}

/// A masking method with the parameters that were in effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", content = "parameters", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// Rank swapping.
    RankSwap(RankSwapParameters),
    /// Microaggregation.
    #[serde(rename = "microagg")]
    Microaggregation(MicroaggregationParameters),
    /// Fuzzy microaggregation.
    Fuzzy(FuzzyParameters),
    /// Rank swapping p-buckets.
    PBuckets(PBucketsParameters),
    /// Rank swapping p-distribution.
    PDistribution(PDistributionParameters),
    /// Additive noise.
    Noise(NoiseParameters),
    /// Information preserving statistical obfuscation.
    Ipso(IpsoParameters),
    /// Masking by minimal information.
    Copula(CopulaParameters),
    /// Global recoding.
    Recode(RecodeParameters),
    /// Local suppression.
    Suppress(SuppressParameters),
}

impl Method {
    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        self.names().0
    }

    /// What the literature calls it.
    pub fn in_words(&self) -> &'static str {
        self.names().1
    }

    /// Its name on the command line, and what the literature calls it.
    fn names(&self) -> (&'static str, &'static str) {
        match self {
            Self::RankSwap(_) => ("rankswap", "rank swapping"),
            Self::Microaggregation(_) => ("microagg", "microaggregation"),
            Self::Fuzzy(_) => ("fuzzy", "fuzzy microaggregation"),
            Self::PBuckets(_) => ("pbuckets", "rank swapping, p-buckets"),
            Self::PDistribution(_) => ("pdistribution", "rank swapping, p-distribution"),
            Self::Noise(_) => ("noise", "additive noise"),
            Self::Ipso(_) => ("ipso", "synthetic values (IPSO)"),
            Self::Copula(_) => ("copula", "masking by minimal information"),
            Self::Recode(_) => ("recode", "global recoding"),
            Self::Suppress(_) => ("suppress", "local suppression"),
        }
    }
}

impl Statement {
    /// A statement by this version of the program.
    pub fn new(method: Method, records: usize, attributes: Vec<String>) -> Self {
        Self {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            method,
            records,
            attributes,
            kept: Kept::default(),
            missing: "left in place".into(),
            shuffled: false,
        }
    }

    /// What is wrong with the parameters, if no masking can have had them.
    pub fn nonsense(&self) -> Option<&'static str> {
        let positive = |number: f64| number > 0.0 && number.is_finite();
        let masked = |name: &String| self.attributes.contains(name);
        if self.kept.sums.iter().any(|sum| masked(&sum.total)) {
            return Some(
                "states of an attribute that it was masked, and that it is the total of others",
            );
        }
        if let Some(zeros) = &self.kept.zeros
            && (zeros.window == 0 || !zeros.attributes.iter().all(masked))
        {
            return Some("states zeros that changed places where nothing was masked");
        }
        match &self.method {
            Method::RankSwap(stated) => {
                (stated.window == 0).then_some("states a window of 0 ranks")
            }
            Method::Microaggregation(stated) => {
                let makes_sense = !stated.blocks.is_empty()
                    && stated.blocks.iter().all(|block| {
                        block.k > 1 && block.k <= self.records && !block.attributes.is_empty()
                    });
                (!makes_sense).then_some("states groups of attributes or records that cannot be")
            }
            Method::Fuzzy(stated) => {
                let makes_sense = stated.m1 > 1.0
                    && stated.m2 > 1.0
                    && !stated.blocks.is_empty()
                    && stated
                        .blocks
                        .iter()
                        .all(|block| block.clusters > 0 && !block.attributes.is_empty());
                (!makes_sense).then_some("states clusters that cannot be")
            }
            Method::PBuckets(stated) => (stated.buckets == 0 || stated.buckets > self.records)
                .then_some("states a number of buckets that this many records cannot fill"),
            Method::PDistribution(stated) => {
                let makes_sense = positive(stated.p)
                    && stated.p <= 100.0
                    && positive(stated.mean)
                    && positive(stated.sd)
                    && stated.tries > 0;
                (!makes_sense).then_some("states a law of rank differences that is none")
            }
            Method::Recode(stated) => stated
                .rules
                .is_empty()
                .then_some("states no rule of recoding"),
            Method::Suppress(stated) => (stated.k < 2 || stated.key.is_empty())
                .then_some("states a key or a k that protects nobody"),
            Method::Ipso(stated) => stated
                .confidential
                .is_empty()
                .then_some("states no attribute that was kept"),
            Method::Copula(stated) => stated.nonsense(&self.attributes),
            Method::Noise(stated) => {
                (!positive(stated.level)).then_some("states a level of noise that is not above 0")
            }
        }
    }

    /// As JSON text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self)
            .unwrap_or_else(|_| unreachable!("a statement holds strings and finite numbers only"));
        text.push('\n');
        text
    }

    /// From JSON text.
    ///
    /// # Errors
    /// Input, when it is not a statement of this schema.
    pub fn from_json(name: &str, text: &str) -> Result<Self> {
        let wrong = |what: String| {
            Error::input(what)
                .in_file(name)
                .remedy("Give the file that 'sdcrisk mask --statement FILE' wrote")
        };
        let statement: Self = serde_json::from_str(text).map_err(|error| {
            wrong(format!(
                "is not a statement of a masking ({})",
                without_values(&error)
            ))
        })?;
        if statement.schema != SCHEMA {
            return Err(wrong(format!("is not of the schema {SCHEMA}")));
        }
        let mut names = statement.attributes.iter();
        if names.any(|name| visible::name(name) != **name) {
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
        Statement::new(
            Method::RankSwap(RankSwapParameters {
                p: Some(2.0),
                window: 21,
                partner: Partner::Unswapped,
            }),
            1080,
            vec!["AGI".into(), "FICA".into()],
        )
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
        let statement = Statement::new(method, 1080, vec!["AGI".into()]);
        let text = statement.to_json();
        assert_eq!(Statement::from_json("s.json", &text).unwrap(), statement);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let keys: Vec<&String> = json["parameters"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["m1", "m2", "scale", "rounded", "blocks"]);
        assert_eq!(json["method"], "fuzzy");
        assert_eq!(json["parameters"]["scale"], "z");
        assert_eq!(json["parameters"]["blocks"][0]["k"], 3);
        assert!(json["parameters"]["blocks"][1].get("k").is_none());
    }

    #[test]
    fn refuses_what_is_no_statement() {
        for text in ["", "{", "[]", r#"{"schema":"other/1"}"#] {
            let error = Statement::from_json("s.json", text).unwrap_err();
            assert!(
                error.to_string().starts_with("s.json: is not a statement"),
                "{error}"
            );
        }
        let other = example().to_json().replace("statement/1", "statement/9");
        let error = Statement::from_json("s.json", &other).unwrap_err();
        assert!(error.to_string().contains("schema"), "{error}");
    }
}
