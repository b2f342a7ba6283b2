//! `sdcrisk score`: information loss and disclosure risk in one number, every term shown.

use std::path::PathBuf;

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};

use super::{
    Ending,
    args::{
        DEFINITIONS, Detail, DetailArgs, Format, NumberOrFile, ReadArgs, ReportArgs, rate_limit,
    },
    console::Console,
    files::{Disk, Output, Plan, Privacy},
    link::inputs,
    pair, provenance,
};
use crate::{
    attack::Direction,
    error::{Error, Result},
    jobs::{
        self,
        link::{Stated, request::RankSwapping},
        score::{PldAssign, ScoreRequest},
    },
    options::{
        link::{self, FitArg, ProbabilisticArgs, SEED_IS_UNUSED},
        pair::AlignArgs,
        records,
    },
    report::{score::ScoreReport, text},
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
    original: PathBuf,
    /// The masked file; one of both can be - for standard input
    #[arg(value_name = "MASKED.csv")]
    masked: PathBuf,
    #[command(flatten)]
    align: AlignArgs,
    #[command(flatten)]
    published: PublishedArgs,
    #[command(flatten)]
    intruder: IntruderArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    detail: DetailArgs,
    /// End with exit status 10 when DR, in the form that is shown first, is above this: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    fail_above: Option<f64>,
    #[command(flatten)]
    read: ReadArgs,
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
    #[arg(long, value_name = "DIRECTION", value_parser = direction())]
    direction: Option<Direction>,
    /// PLD: when values agree, exact, sd:0.1, abs:5, rel:0.05, rank:3%, bins:20 [default: sd:0.1, names exact]
    #[arg(long, value_name = "COMPARATOR")]
    agree: Option<String>,
    /// PLD: one-to-one (default, as in the literature), or best: each record takes its most likely partner, in little time
    #[arg(long, value_name = "HOW", value_parser = assign())]
    assign: Option<PldAssign>,
    /// PLD: how m and u are found: em-fixed-u (default), em, or known (a worst case)
    #[arg(long, value_name = "FIT", value_parser = fit())]
    fit: Option<FitArg>,
    /// PLD: the most iterations of EM [default: 1000]
    #[arg(long, value_name = "N")]
    em_iterations: Option<usize>,
    /// Repeatable random choices of --known random: and --known-records N
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

/// The words of `link --fit`, without its sentences about them.
fn fit() -> impl TypedValueParser<Value = FitArg> {
    let words = PossibleValuesParser::new(["em", "em-fixed-u", "known"]);
    words.try_map(|word| FitArg::from_str(&word, false))
}

/// Who looks for whom.
fn direction() -> impl TypedValueParser<Value = Direction> {
    let words = [Direction::OriginalToMasked, Direction::MaskedToOriginal].map(Direction::word);
    PossibleValuesParser::new(words).map(|word| {
        if word == Direction::MaskedToOriginal.word() {
            Direction::MaskedToOriginal
        } else {
            Direction::OriginalToMasked
        }
    })
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

pub fn run(args: &ScoreArgs, console: &Console) -> anyhow::Result<Ending> {
    let detail = args.detail.detail(args.report.format, console)?;
    let mut output = args.output()?;
    let request = args.request(console)?;
    let statement = inputs::read_statements(&args.published.statement)?;
    let stated = (statement.as_ref()).map(|(statement, file)| Stated { statement, file });
    let files = args
        .align
        .read(&args.original, &args.masked, &args.read, console)?;
    let report = jobs::score::run(&request, &files, stated, console)?;
    let ending = args.ending(&report, console)?;
    let content = match args.report.format {
        Format::Text => match detail {
            Detail::Brief => report.to_brief(),
            Detail::Usual => report.to_text() + DEFINITIONS,
            Detail::Explained => report.to_text() + &report.definitions(),
        },
        Format::Json => report.to_json(provenance::of(&files.tables())),
        Format::Csv => report.to_csv()?,
    };
    console.stage("write", || -> Result<()> {
        output.write_text(&content)?;
        output.keep()
    })?;
    Ok(ending)
}

impl ScoreArgs {
    fn output(&self) -> Result<Output> {
        let mut plan = Plan::default();
        plan.input(&self.original)?;
        plan.input(&self.masked)?;
        plan.each_input(self.read.input())?;
        plan.each_input(self.align.inputs(&Disk))?;
        for statement in &self.published.statement {
            plan.input(statement)?;
        }
        if let Some(list) = (self.intruder.known_records.as_ref()).and_then(NumberOrFile::file) {
            plan.input(list)?;
        }
        plan.output(&self.report.to.output)?;
        plan.open(&self.report.to.output, Privacy::Ordinary)
    }

    /// The call as it is meant. Options without use are noted; the list of known records is read.
    ///
    /// # Errors
    /// Usage, when an option makes no sense.
    fn request(&self, console: &Console) -> Result<ScoreRequest> {
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
        let rank_swapping = self.published.rank_swapping(console)?;
        let mut request = ScoreRequest {
            pair: self.align.request(&Disk)?,
            known: known.clone(),
            records: records::known_records(known_records.as_ref(), &Disk)?,
            direction: direction.unwrap_or(Direction::OriginalToMasked),
            rank_swapping,
            probabilistic: {
                probabilistic.settle(true, console)?;
                probabilistic.attack()?
            },
            assign: assign.unwrap_or_default(),
            seed: *seed,
        };
        if request.seed.is_some() && !request.draws_knowledge()? {
            console.unused(SEED_IS_UNUSED)?;
            request.seed = None;
        }
        Ok(request)
    }

    fn ending(&self, report: &ScoreReport, console: &Console) -> Result<Ending> {
        let Some(limit) = self.fail_above else {
            return Ok(Ending::Done);
        };
        match report.first_dr() {
            Some(dr) if dr > limit => {
                console.note(&format!(
                    "note: DR is {}, above {}",
                    text::percent(dr),
                    text::percent(limit)
                ));
                Ok(Ending::AboveLimit)
            }
            Some(_) => {
                let names = report.warnings.iter().map(|doubt| &doubt.attribute[..]);
                pair::warn_of_open_gate(names, console)?;
                Ok(Ending::Done)
            }
            None => Err(Error::input(
                "DR is not defined for these files, so --fail-above has nothing to look at",
            )
            .remedy("Leave it out to see what is absent; 'sdcrisk link --fail-above' looks at linkage alone")),
        }
    }
}

impl PublishedArgs {
    /// What was published of rank swapping without a statement.
    ///
    /// # Errors
    /// Usage, when it makes no sense.
    fn rank_swapping(&self, console: &Console) -> Result<Option<RankSwapping>> {
        let split = |entries: &Option<String>| -> Vec<String> {
            let entries = entries.iter().flat_map(|entries| entries.split(','));
            entries.map(Into::into).collect()
        };
        let (p, window) = (split(&self.p), split(&self.window));
        let in_percent = self.p_unit.is_some();
        if in_percent && !link::has_p_below_1(&p) {
            console.unused("--p-unit has no effect without a --p below 1")?;
        }
        link::rank_swapping(&p, &window, in_percent)
    }
}
