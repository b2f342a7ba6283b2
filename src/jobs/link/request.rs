//! What `link` is asked for.

use serde::{Deserialize, Serialize};

use crate::{
    attack::{
        Direction,
        aggregates::Aggregates,
        distance_based::Standardize,
        kernel::Kernel,
        learned::{family::Family, weights::Weights},
        mahalanobis::Singular,
        probabilistic::Probabilistic,
    },
    error::Result,
    evaluate::{knowledge::Knowledge, link::Assign, score::Ties, shard::Shard},
    jobs::mask::request::RulesFile,
    optimize::subsystem::portfolio::Engine,
    statement::{Grouping, Method, Statement, Step},
};

/// How long a search may take where nothing else is asked for, in seconds.
pub const USUAL_SECONDS: f64 = 60.0;

/// All that a call of `link` means, and nothing of how it was typed. The tables, and the statements about them, are given
/// beside it ([`Input`](super::Input)), so that one request can be made of many masked files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LinkRequest {
    /// Which attacks are made, and whether one that cannot be made is an error.
    pub attacks: Attacks,
    /// By whose means and standard deviations files are standardised; by [`Standardize::usual`] if `None`.
    pub standardize: Option<Standardize>,
    /// Which attributes the intruder knows.
    pub known: Known,
    /// Of which records.
    pub records: KnownRecords,
    /// Who looks for whom.
    pub direction: Direction,
    /// What was published about the masking, where there is no statement.
    pub published: Published,
    /// The rules that bring the original into the terms of the masked file before anything else, where it is not in these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crosswalk: Option<RulesFile>,
    /// How it is known who is who, for the judge.
    pub alignment: Alignment,
    /// The attribute of all releases that says which of their records are the same person's.
    pub release_id: Option<String>,
    /// How a tie counts.
    pub ties: Ties,
    /// How records are linked once all distances are known.
    pub assign: Assign,
    /// How distances are learned.
    pub learning: Learning,
    /// Whether the links of the last attack are wanted.
    pub wants_links: bool,
    /// What decides the random draws; the operating system if `None`.
    pub seed: Option<u64>,
    /// Whose claims are judged, if not those of all seekers: a part, for [`merge`](crate::jobs::merge).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

impl LinkRequest {
    /// These attacks by an intruder who knows all attributes of all records.
    pub fn new(attacks: Attacks) -> Self {
        Self {
            attacks,
            standardize: None,
            known: Known::default(),
            records: KnownRecords::All,
            direction: Direction::OriginalToMasked,
            published: Published::default(),
            crosswalk: None,
            alignment: Alignment::Order,
            release_id: None,
            ties: Ties::Fair,
            assign: Assign::Best,
            learning: Learning::default(),
            wants_links: false,
            seed: None,
            shard: None,
        }
    }

    /// These attacks, in this order.
    pub fn of_attacks(attacks: impl IntoIterator<Item = AttackRequest>) -> Self {
        let attacks = attacks.into_iter().map(Wanted::Attack);
        Self::new(Attacks::Named(attacks.collect()))
    }

    /// The options of the method aggregates, if that is what is asked for.
    pub fn aggregates(&self) -> Option<&AggregatesRequest> {
        match self.attacks.single_attacks().next() {
            Some(AttackRequest::Aggregates(aggregates)) => Some(aggregates),
            _ => None,
        }
    }

    /// Whether what the intruder knows is drawn.
    pub fn draws_knowledge(&self) -> bool {
        matches!(self.records, KnownRecords::Drawn(_))
            || matches!(self.learning.training, Some(Training::Drawn { .. }))
            || self.known.family().is_some_and(Knowledge::is_random)
    }

    /// Whether an attack uses a statement of the masking, and nothing else is known of it.
    pub fn wants_statement(&self) -> bool {
        let mut attacks = self.attacks.single_attacks();
        attacks.any(AttackRequest::uses_what_was_published)
            && self.published.rank_swapping.is_none()
            && self.published.groups.is_none()
    }
}

/// Which attacks are made.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attacks {
    /// These, in this order; one that cannot be made is an error.
    Named(Vec<Wanted>),
    /// Those of these that can be made; the report says of the others why they cannot.
    ThatApply(Vec<AttackRequest>),
}

impl Attacks {
    /// Whether attacks that cannot be made are left out.
    pub fn is_whatever_applies(&self) -> bool {
        matches!(self, Self::ThatApply(_))
    }

    /// All but the learned distances.
    pub fn single_attacks(&self) -> impl Iterator<Item = &AttackRequest> {
        let (named, that_apply) = match self {
            Self::Named(wanted) => (&wanted[..], &[][..]),
            Self::ThatApply(attacks) => (&[][..], &attacks[..]),
        };
        let named = named.iter().filter_map(|wanted| match wanted {
            Wanted::Attack(attack) => Some(attack),
            Wanted::Learned(_) => None,
        });
        named.chain(that_apply)
    }
}

/// An attack, or a family of distances of which the best is learned first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// An attack.
    Attack(AttackRequest),
    /// The best distance of a family.
    Learned(Family),
}

/// A single attack with its parameters. What was published, and by what files are standardised, is said once for all attacks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttackRequest {
    /// `am`: the nearest record, attributes standardised.
    #[serde(rename = "am")]
    Nearest,
    /// `dbrl2`: differences divided by their standard deviations over the true pairs; a worst case.
    #[serde(rename = "dbrl2")]
    AlignedVariances(Singular),
    /// `md`: Mahalanobis distance by the covariance of the true pairs' differences; a worst case.
    #[serde(rename = "md")]
    AlignedCovariances(Singular),
    /// `md0`: Mahalanobis distance from the covariances of the two files.
    #[serde(rename = "md0")]
    UnrelatedCovariances(Singular),
    /// `kernel`: the distance in the space of a kernel.
    Kernel {
        /// The kernel whose space the distance is of.
        kernel: Kernel,
        /// What is done where the kernel mahalanobis has no inverse.
        singular: Singular,
    },
    /// `gower`: Gower's dissimilarity.
    Gower,
    /// `prl`: probabilistic record linkage. By what it standardises follows from the request.
    #[serde(rename = "prl")]
    Probabilistic(Probabilistic),
    /// `rsld`: only records within the published window of ranks.
    #[serde(rename = "rsld")]
    RankSwapIntersection,
    /// `aggregates`: files that share no attribute; alone in a request.
    Aggregates(AggregatesRequest),
    /// `microagg`: only records of groups near by.
    #[serde(rename = "microagg")]
    Microaggregation {
        /// How many nearest averages of a block are considered; two if `None`.
        nearest_clusters: Option<usize>,
    },
    /// `likelihood`: the published law.
    Likelihood,
    /// `involution`: the published law, and that a swap has two sides.
    Involution {
        /// The share of values that may have been moved otherwise.
        eps: f64,
    },
}

impl AttackRequest {
    /// Its name in reports and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nearest => "am",
            Self::AlignedVariances(_) => "dbrl2",
            Self::AlignedCovariances(_) => "md",
            Self::UnrelatedCovariances(_) => "md0",
            Self::Kernel { .. } => "kernel",
            Self::Gower => "gower",
            Self::Probabilistic(_) => "prl",
            Self::RankSwapIntersection => "rsld",
            Self::Aggregates(_) => "aggregates",
            Self::Microaggregation { .. } => "microagg",
            Self::Likelihood => "likelihood",
            Self::Involution { .. } => "involution",
        }
    }

    /// Whether it uses what this statement says of the draws: of post-randomisation prl does, too.
    pub fn uses(&self, statement: &Statement) -> bool {
        let is_pram = |step: &Step| matches!(step.method, Method::Pram(_));
        let weighs = matches!(self, Self::Probabilistic(_));
        self.uses_what_was_published() || weighs && statement.steps.iter().any(is_pram)
    }

    /// Whether it uses what was published about the masking, whatever the method.
    pub fn uses_what_was_published(&self) -> bool {
        match self {
            Self::RankSwapIntersection
            | Self::Microaggregation { .. }
            | Self::Likelihood
            | Self::Involution { .. } => true,
            Self::Nearest
            | Self::AlignedVariances(_)
            | Self::AlignedCovariances(_)
            | Self::UnrelatedCovariances(_)
            | Self::Kernel { .. }
            | Self::Gower
            | Self::Probabilistic(_)
            | Self::Aggregates(_) => false,
        }
    }
}

/// The options of `aggregates`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AggregatesRequest {
    /// The aggregates.
    pub attack: Aggregates,
    /// The attributes of the original that are aggregated, a list of names or positions; all numbers if `None`.
    pub attributes: Option<String>,
    /// Those of the masked file.
    pub masked_attributes: Option<String>,
}

/// Which attributes the intruder knows. Lists are of names or positions ([`Table::select`](crate::table::Table::select)).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// These.
    Listed(String),
    /// A number of sets among some attributes.
    Among {
        /// Which sets.
        sets: Knowledge,
        /// The attributes; all quasi-identifiers that can be compared if `None`.
        attributes: Option<String>,
    },
}

impl Default for Known {
    /// All that can be compared.
    fn default() -> Self {
        Self::Among {
            sets: Knowledge::All,
            attributes: None,
        }
    }
}

impl Known {
    /// Reads `a,b,c`, or a family of sets (`first:7`, `sweep:7`, ...) among these attributes; all that can be compared if `None`.
    ///
    /// # Errors
    /// Usage, when it makes no sense.
    pub fn parse(text: Option<&str>, attributes: Option<&str>) -> Result<Self> {
        let sets = match text {
            None => Some(Knowledge::All),
            Some(text) => Knowledge::parse(text)?,
        };
        Ok(match (sets, text) {
            (Some(sets), _) => Self::Among {
                sets,
                attributes: attributes.map(Into::into),
            },
            (None, list) => Self::Listed(list.unwrap_or_default().into()),
        })
    }

    /// Which sets, unless the attributes are listed.
    pub fn family(&self) -> Option<&Knowledge> {
        match self {
            Self::Listed(_) => None,
            Self::Among { sets, .. } => Some(sets),
        }
    }
}

/// Of which records the intruder knows attributes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnownRecords {
    /// All of the original.
    #[default]
    All,
    /// So many, drawn at random.
    Drawn(usize),
    /// These.
    Listed(RecordList),
}

/// Records by number or identifier, as a file lists them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RecordList {
    /// The name of the file, for messages.
    pub file: String,
    /// The lines that are not empty, with their numbers from 1.
    pub lines: Vec<(u64, String)>,
}

impl RecordList {
    /// The lines of a file.
    pub fn of_text(file: &str, text: &str) -> Self {
        let lines = (1..).zip(text.lines().map(str::trim));
        let lines = lines.filter(|(_, line)| !line.is_empty());
        Self {
            file: file.into(),
            lines: lines.map(|(number, line)| (number, line.into())).collect(),
        }
    }
}

/// What was published about the masking without a statement.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Published {
    /// About rank swapping.
    pub rank_swapping: Option<RankSwapping>,
    /// About microaggregation.
    pub groups: Option<Groups>,
}

/// What was published about rank swapping.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankSwapping {
    /// The greatest rank difference of a swap, in percent of the records.
    Percent(Vec<OfAttribute<f64>>),
    /// The greatest rank difference of a swap.
    Window(Vec<OfAttribute<usize>>),
}

impl RankSwapping {
    /// The option that says it.
    pub fn option(&self) -> &'static str {
        match self {
            Self::Percent(_) => "--p",
            Self::Window(_) => "--window",
        }
    }

    /// The attributes that it names.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Percent(entries) => OfAttribute::names(entries).collect(),
            Self::Window(entries) => OfAttribute::names(entries).collect(),
        }
    }
}

/// A number for an attribute.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OfAttribute<T> {
    /// The attribute; all that are not named elsewhere if `None`.
    pub name: Option<String>,
    /// What holds for these attributes: a percentage or a window.
    pub number: T,
}

impl<T> OfAttribute<T> {
    fn names(entries: &[Self]) -> impl Iterator<Item = &str> {
        entries.iter().filter_map(|entry| entry.name.as_deref())
    }
}

/// What was published about microaggregation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Groups {
    /// Attributes that were aggregated together: a list of names or positions, with or without `:k` behind it.
    pub groups: Vec<String>,
    /// How records were grouped.
    pub algorithm: Grouping,
}

/// How it is known who is who.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// By the order of the records.
    #[default]
    Order,
    /// By an identifier: `NAME`, or `A=B` where the masked file has another name for it.
    Identifier(String),
    /// By the key that masking wrote.
    Key,
}

impl Alignment {
    /// By this identifier, if there is one; else by the key, if there is one; else by order.
    pub fn stated(identifier: Option<&str>, by_key: bool) -> Self {
        match identifier {
            Some(id) => Self::Identifier(id.into()),
            None if by_key => Self::Key,
            None => Self::Order,
        }
    }

    /// In words, as reports have it.
    pub fn in_words(&self) -> String {
        match self {
            Self::Identifier(id) => format!("the identifier {id}"),
            Self::Key => "the key".into(),
            Self::Order => "the order of the records".into(),
        }
    }

    /// The identifier, if there is one.
    pub fn identifier(&self) -> Option<&str> {
        match self {
            Self::Identifier(id) => Some(id),
            Self::Order | Self::Key => None,
        }
    }
}

/// How distances are learned.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Learning {
    /// How long the search for one distance may take, in seconds.
    pub seconds: f64,
    /// How it is searched.
    pub engine: Engine,
    /// Whether the proof is wanted, as a certificate.
    pub wants_certificate: bool,
    /// Whether what was learned is wanted, for `explain` and later calls.
    pub wants_weights: bool,
    /// What another call learned: nothing is learned then.
    pub given: Option<GivenWeights>,
    /// From whom is learned; from those who are attacked if `None`.
    pub training: Option<Training>,
}

impl Default for Learning {
    fn default() -> Self {
        Self {
            seconds: USUAL_SECONDS,
            engine: Engine::Auto,
            wants_certificate: false,
            wants_weights: false,
            given: None,
            training: None,
        }
    }
}

/// A distance that another call learned.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GivenWeights {
    /// The name of its file, for messages.
    pub file: String,
    /// What was learned.
    pub weights: Weights,
}

/// From whom a distance is learned, when others are attacked with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Training {
    /// So many, drawn at random.
    Drawn {
        /// How many.
        records: usize,
        /// How often.
        splits: usize,
    },
    /// These.
    Listed(RecordList),
}
