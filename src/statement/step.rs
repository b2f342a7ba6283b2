//! One step: a masking method with its parameters, and what it was done to.

use serde::{Deserialize, Serialize};

use super::{
    CopulaParameters, FuzzyParameters, InStratum, IpsoParameters, Kept, MicroaggregationParameters,
    NoiseParameters, PBucketsParameters, PDistributionParameters, PramParameters,
    RankSwapParameters, RecodeParameters, SampleParameters, SampleSize, SuppressParameters,
};

/// What was published about one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    /// The method and its parameters.
    #[serde(flatten)]
    pub method: Method,
    /// Number of records of the file that the step was done to, if it left some out.
    #[serde(
        rename = "records-before",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub records_before: Option<usize>,
    /// Number of records that it gave.
    pub records: usize,
    /// The attributes that were masked; all others are as this step found them, but for totals that were worked out anew.
    pub attributes: Vec<String>,
    /// The attributes that were left out of its result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// The attributes whose combinations of values are strata, within each of which the method was applied by itself; none if it was
    /// applied to the file as a whole. (Samples and post-randomisation have strata among their parameters.)
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strata: Vec<String>,
    /// The parameters in each stratum, where they differ; those of the step are then of the stratum with most records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<InStratum>,
    /// How sums and zeros were kept.
    #[serde(default, skip_serializing_if = "Kept::is_empty")]
    pub kept: Kept,
    /// What was done with missing values.
    pub missing: String,
    /// Whether it put the records in random order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shuffled: bool,
}

/// A masking method with the parameters that were in effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// A random sample of the records.
    Sample(SampleParameters),
    /// Post-randomisation.
    Pram(PramParameters),
    /// Several swaps of the same values, one after the other: what [`Statement::composed`](super::Statement::composed) makes of them. No
    /// statement says so.
    #[serde(skip)]
    Swaps(Vec<Method>),
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
            Self::Sample(_) => ("sample", "a random sample"),
            Self::Pram(_) => ("pram", "post-randomisation (PRAM)"),
            Self::Swaps(_) => ("several swaps", "rank swapping, several times"),
        }
    }
}

impl Step {
    /// A step that left the order of the records and all of them as they were.
    pub fn new(method: Method, records: usize, attributes: Vec<String>) -> Self {
        Self {
            method,
            records_before: None,
            records,
            attributes,
            dropped: Vec::new(),
            strata: Vec::new(),
            within: Vec::new(),
            kept: Kept::default(),
            missing: "left in place".into(),
            shuffled: false,
        }
    }

    /// The names that it states.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        let of_method: Vec<&String> = match &self.method {
            Method::Recode(stated) => stated.rules.iter().map(|rule| &rule.attribute).collect(),
            Method::Suppress(stated) => stated.key.iter().chain(&stated.suppressed).collect(),
            Method::Sample(stated) => stated.strata.iter().collect(),
            Method::Ipso(stated) => stated.confidential.iter().collect(),
            Method::Microaggregation(stated) => {
                let blocks = stated.blocks.iter();
                blocks.flat_map(|block| &block.attributes).collect()
            }
            Method::Fuzzy(stated) => {
                let blocks = stated.blocks.iter();
                blocks.flat_map(|block| &block.attributes).collect()
            }
            Method::Copula(stated) => stated.values.iter().collect(),
            Method::Pram(stated) => {
                let of_matrices = stated.matrices.iter().map(|matrix| &matrix.attribute);
                of_matrices.chain(&stated.strata).collect()
            }
            Method::RankSwap(_)
            | Method::PBuckets(_)
            | Method::PDistribution(_)
            | Method::Noise(_)
            | Method::Swaps(_) => Vec::new(),
        };
        let sums = self.kept.sums.iter();
        let sums = sums.flat_map(|sum| std::iter::once(&sum.total).chain(&sum.parts));
        (self.attributes.iter())
            .chain(&self.dropped)
            .chain(&self.strata)
            .chain(sums)
            .chain(of_method)
    }

    /// Number of records of the file that it was done to.
    pub fn before(&self) -> usize {
        self.records_before.unwrap_or(self.records)
    }

    /// What is wrong with the parameters, if no masking can have had them.
    pub fn nonsense(&self) -> Option<&'static str> {
        if self.records > self.before() {
            return Some("states a step that gave more records than it was given");
        }
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
        if let Some(nonsense) = self.nonsense_of_strata() {
            return Some(nonsense);
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
            Method::Sample(stated) => {
                let makes_sense = match stated.size {
                    SampleSize::Fraction(share) => share > 0.0 && share <= 1.0,
                    SampleSize::Records(_) => true,
                };
                (!makes_sense).then_some("states a sample that cannot be")
            }
            Method::Ipso(stated) => stated
                .confidential
                .is_empty()
                .then_some("states no attribute that was kept"),
            Method::Copula(stated) => stated.nonsense(&self.attributes),
            Method::Pram(stated) => stated
                .is_nonsense(&self.attributes)
                .then_some("states transition matrices that cannot be"),
            Method::Swaps(_) => None,
            Method::Noise(stated) => {
                (!positive(stated.level)).then_some("states a level of noise that is not above 0")
            }
        }
    }
}
