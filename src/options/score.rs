//! The options of `sdcrisk score`, and what they mean.

use std::path::{Path, PathBuf};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};

use super::{
    files::Files,
    link::{self, DirectionArg, FitArg, ProbabilisticArgs},
    output::{DetailArgs, ReportArgs},
    pair::AlignArgs,
    read::ReadArgs,
    records::{self, NumberOrFile},
    values::{bare, rate_limit},
};
use crate::{
    attack::Direction,
    error::Result,
    jobs::{
        Observer,
        link::request::RankSwapping,
        score::{PldAssign, ScoreRequest},
    },
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk score --statement masked.sdc.json orig.csv masked.csv
  sdcrisk score --p 5 orig.csv masked.csv
  sdcrisk score --known sweep:5 --attributes 1-10 orig.csv masked.csv
  sdcrisk score --assign best large.csv masked.csv
  sdcrisk score --format json --fail-above 20% orig.csv masked.csv

The score of the literature: (IL + DR) / 2, both as shares; lower is better. It compares maskings of one file.
  IL    information loss: the measure 'il' of 'sdcrisk loss'
  DR    0.166 (RSLD + DLD + PLD) + 0.5 ID; without RSLD the form of 2001, 0.5 (DLD + PLD)/2 + 0.5 ID
  RSLD  links of 'link --method rsld': for files that were rank swapped, by --p, --window or --statement
  DLD   links of 'link --method am'
  PLD   links of 'link --method prl --assign one-to-one'; --assign best is quicker on many records, and is another figure
  DR strongest   0.5 (highest rate) + 0.5 ID: of all these attacks, of likelihood (balanced), involution and microagg where a statement
        has what they need, in the worst case of what the intruder knows
  ID    interval disclosure by ranks: 'interval_disclosure_rank' of 'sdcrisk risk'
RSLD, DLD and PLD are means over what the intruder may know: --known, by default the first attribute, the first two, and so
on to half of them, but to 7 at most.")]
pub struct ScoreArgs {
    /// The original file
    #[arg(value_name = "ORIGINAL.csv")]
    pub original: PathBuf,
    /// The masked file; one of both can be - for standard input
    #[arg(value_name = "MASKED.csv")]
    pub masked: PathBuf,
    #[command(flatten)]
    pub align: AlignArgs,
    #[command(flatten)]
    published: PublishedArgs,
    #[command(flatten)]
    intruder: IntruderArgs,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub detail: DetailArgs,
    /// End with exit status 10 when DR, in the form that is shown first, is above this: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    pub fail_above: Option<f64>,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// What was published of rank swapping.
#[derive(Debug, Args)]
#[command(next_help_heading = "What was published")]
struct PublishedArgs {
    /// Published percentage of rank swapping; by attribute: AGI=2,FICA=5 (a bare number is for the rest)
    #[arg(long, value_name = "PERCENT", conflicts_with_all = ["window", "statement"])]
    p: Option<String>,
    /// Published window of rank swapping in ranks; by attribute as in --p
    #[arg(long, value_name = "RANKS", conflicts_with = "statement")]
    window: Option<String>,
    /// The statement that was written when the file was masked; if of another method than rankswap, the report says why there is no RSLD
    #[arg(long, value_name = "FILE")]
    statement: Vec<PathBuf>,
    /// Confirms that a p below 1 is meant in percent
    #[arg(long, value_name = "UNIT", value_parser = ["percent"])]
    p_unit: Option<String>,
}

/// Who attacks.
#[derive(Debug, Args)]
#[command(next_help_heading = "The intruder")]
struct IntruderArgs {
    /// What the intruder knows: a,b,c | first:7 | sweep:7 | subsets:3 | random:5x20 [default: sweep of half the attributes, 7 at most]
    #[arg(long, value_name = "KNOWN")]
    known: Option<String>,
    /// How many records the intruder holds (drawn at random), or a file with one record number (or identifier) a line
    #[arg(long, value_name = "N|FILE")]
    known_records: Option<NumberOrFile>,
    /// Who looks for whom: original-to-masked (default) or masked-to-original
    #[arg(long, value_name = "DIRECTION", value_parser = bare::<DirectionArg>())]
    direction: Option<DirectionArg>,
    /// PLD: when values agree, exact, sd:0.1, abs:5, rel:0.05, rank:3%, bins:20 [default: sd:0.1, names exact]
    #[arg(long, value_name = "COMPARATOR")]
    agree: Option<String>,
    /// PLD: one-to-one (default, as in the literature), or best: each record takes its most likely partner, in little time
    #[arg(long, value_name = "HOW", value_parser = assign())]
    assign: Option<PldAssign>,
    /// PLD: how m and u are found: em-fixed-u (default), em, or known (a worst case)
    #[arg(long, value_name = "FIT", value_parser = bare::<FitArg>())]
    fit: Option<FitArg>,
    /// PLD: the most iterations of EM [default: 1000]
    #[arg(long, value_name = "N")]
    em_iterations: Option<usize>,
    /// Repeatable random choices of --known random: and --known-records N
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

/// How PLD assigns records.
fn assign() -> impl TypedValueParser<Value = PldAssign> {
    PossibleValuesParser::new(["one-to-one", "best"]).map(|word| {
        if word == "best" {
            PldAssign::Best
        } else {
            PldAssign::OneToOne
        }
    })
}

impl ScoreArgs {
    /// The statements of the masking.
    pub fn statements(&self) -> &[PathBuf] {
        &self.published.statement
    }

    /// The list of known records, if there is one.
    pub fn list(&self) -> Option<&Path> {
        self.intruder.known_records.as_ref()?.file()
    }

    /// The call as it is meant. Options without use are noted; the list of known records is read.
    ///
    /// # Errors
    /// Usage, when an option makes no sense.
    pub fn request(&self, files: &dyn Files, observer: &dyn Observer) -> Result<ScoreRequest> {
        let IntruderArgs {
            known,
            known_records,
            direction,
            agree,
            assign,
            fit,
            em_iterations,
            seed,
        } = &self.intruder;
        let agree = agree.as_deref();
        let mut probabilistic = ProbabilisticArgs {
            agree: agree.map_or_else(Vec::new, |list| list.split(',').map(Into::into).collect()),
            fit: *fit,
            em_start: None,
            em_iterations: *em_iterations,
            admissible: None,
        };
        let rank_swapping = self.published.rank_swapping(observer)?;
        let mut request = ScoreRequest {
            pair: self.align.request(files)?,
            known: known.clone(),
            records: records::known_records(known_records.as_ref(), files)?,
            direction: direction.map_or(Direction::OriginalToMasked, Direction::from),
            rank_swapping,
            probabilistic: {
                probabilistic.settle(true, observer)?;
                probabilistic.attack()?
            },
            assign: assign.unwrap_or_default(),
            seed: *seed,
        };
        if request.seed.is_some() && !request.draws_knowledge()? {
            observer.unused(link::SEED_IS_UNUSED)?;
            request.seed = None;
        }
        Ok(request)
    }
}

impl PublishedArgs {
    /// What was published of rank swapping without a statement.
    ///
    /// # Errors
    /// Usage, when it makes no sense.
    fn rank_swapping(&self, observer: &dyn Observer) -> Result<Option<RankSwapping>> {
        let split = |entries: &Option<String>| -> Vec<String> {
            let entries = entries.iter().flat_map(|entries| entries.split(','));
            entries.map(Into::into).collect()
        };
        let (p, window) = (split(&self.p), split(&self.window));
        let in_percent = self.p_unit.is_some();
        if in_percent && !link::has_p_below_1(&p) {
            observer.unused("--p-unit has no effect without a --p below 1")?;
        }
        link::rank_swapping(&p, &window, in_percent)
    }
}
