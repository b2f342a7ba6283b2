//! `sdcrisk score`: information loss and disclosure risk in one number, every term shown.

use std::path::PathBuf;

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use rand::Rng;

use super::{
    Ending,
    args::{Format, NumberOrFile, ReadArgs, ReportArgs, rate_limit},
    console::Console,
    files::{Output, Plan, Privacy},
    link::{
        self, SEED_IS_UNUSED, inputs,
        probabilistic::{FitArg, ProbabilisticArgs},
        published,
    },
    pair::{self, AlignArgs},
    provenance,
};
use crate::{
    attack::{Direction, intersection::rank_swap::Bound, involution::EPS},
    error::{Error, Result},
    evaluate::{
        link::{Assign, shared_attributes},
        overall::{Overall, Term},
        truth::id_columns,
    },
    figure,
    jobs::{
        self,
        link::{
            Input, LinkRequest, Stated, check_statement,
            request::{AttackRequest, Attacks, KnownRecords, Published, Wanted},
        },
        pair::Files,
    },
    loss,
    report::{
        score::{LinkTerm, Role, ScenarioSummary, ScoreReport},
        text,
    },
    risk,
    rng::{Purpose, Seed},
    statement::{Method, Partner, Statement},
};

/// The most attributes that the intruder knows where nothing else is asked for: as in the papers' table for the Census file.
const USUALLY_KNOWN: usize = 7;

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
    statement: Option<PathBuf>,
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
    #[arg(long, value_name = "DIRECTION", value_parser = ["original-to-masked", "masked-to-original"])]
    direction: Option<String>,
    /// PLD: when values agree, exact, sd:0.1, abs:5, rel:0.05, rank:3%, bins:20 [default: sd:0.1, names exact]
    #[arg(long, value_name = "COMPARATOR")]
    agree: Option<String>,
    /// PLD: one-to-one (default, as in the literature), or best: each record takes its most likely partner, in little time
    #[arg(long, value_name = "HOW", value_parser = ["one-to-one", "best"])]
    assign: Option<String>,
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

pub fn run(args: &ScoreArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut output = args.output()?;
    let statement = args.published.statement.as_deref();
    let statement = statement.map(inputs::read_statement).transpose()?;
    let stated = (statement.as_ref()).map(|(statement, file)| Stated { statement, file });
    let files = args
        .align
        .read(&args.original, &args.masked, &args.read, console)?;
    let report = args.report(&files, stated, console)?;
    let ending = args.ending(&report, console)?;
    let content = match args.report.format {
        Format::Text => report.to_text(),
        Format::Json => report.to_json(provenance::of(&[&files.original, &files.masked])),
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
        self.read.plan(&mut plan)?;
        self.align.plan(&mut plan)?;
        if let Some(statement) = &self.published.statement {
            plan.input(statement)?;
        }
        if let Some(list) = (self.intruder.known_records.as_ref()).and_then(NumberOrFile::file) {
            plan.input(list)?;
        }
        plan.output(&self.report.to.output)?;
        plan.open(&self.report.to.output, Privacy::Ordinary)
    }

    fn report(
        &self,
        files: &Files,
        stated: Option<Stated<'_>>,
        console: &Console,
    ) -> Result<ScoreReport> {
        let statement = stated.map(|stated| stated.statement);
        let doubts = files.doubts(statement, console)?;
        let known = match &self.intruder.known {
            Some(known) => known.clone(),
            None => format!("sweep:{}", self.usually_known(files)?),
        };
        let (published, no_rsld) = self.of_rank_swapping(statement, console)?;
        let intruder = self.intruder(&known, console)?;
        let of = |attack: AttackRequest| LinkRequest {
            attacks: Attacks::Named(vec![Wanted::Attack(attack)]),
            ..intruder.clone()
        };
        let attacked = |request: &LinkRequest, stated: Option<Stated<'_>>| -> Result<_> {
            let input = Input {
                statement: stated,
                ..Input::new(&files.original, &files.masked, &files.truth)
            };
            jobs::link::run(request, &input, console).map(|attacked| attacked.report)
        };
        let rsld = match no_rsld {
            Some(_) => {
                // The windows have no use then, but the statement must still be of this file.
                if let Some(Stated { statement, file }) = stated {
                    check_statement(statement, file, self.align.is_named(), &files.masked)?;
                }
                None
            }
            None => {
                let request = LinkRequest {
                    published: published.clone(),
                    ..of(AttackRequest::RankSwapIntersection)
                };
                Some(LinkTerm::new(
                    Role::Term(Term::Rsld),
                    &attacked(&request, stated)?,
                ))
            }
        };
        let dld = LinkTerm::new(
            Role::Term(Term::Dld),
            &attacked(&of(AttackRequest::Nearest), None)?,
        );
        let pld = LinkRequest {
            assign: self.assign(),
            ..of(self.probabilistic(console)?)
        };
        let pld = LinkTerm::new(Role::Term(Term::Pld), &attacked(&pld, None)?);
        let mut links: Vec<LinkTerm> = [rsld, Some(dld), Some(pld)].into_iter().flatten().collect();
        for (attack, assign) in self.stronger(statement, &published) {
            let name = attack.name();
            let request = LinkRequest {
                published: published.clone(),
                assign,
                ..of(attack)
            };
            match attacked(&request, stated) {
                Ok(report) => links.push(LinkTerm::new(Role::Other(name), &report)),
                // What was published has no use for this attack, or the file is too large for it.
                Err(error) => console.note(&format!(
                    "note: {name} is not among the attacks: {}",
                    error.what()
                )),
            }
        }

        console.progress("measuring information loss and interval disclosure");
        let pair = files.pair();
        loss::check_memory(&pair)?;
        let losses = console.stage("loss", || loss::figures(&pair));
        let intervals = console.stage("risk", || risk::interval::figures(&pair.numbers));
        let id = figure::find(&intervals, risk::interval::BY_RANK.key);
        let not_in_il = loss::not_in_il(&pair);
        let rate = |term: Term| {
            let of = links.iter().find(|link| link.term == Role::Term(term));
            of.map(|link| link.rate)
        };
        let overall = Overall {
            il: figure::value(&losses, loss::IL.key),
            il_is_partial: !not_in_il.is_empty(),
            rsld: rate(Term::Rsld),
            dld: rate(Term::Dld),
            pld: rate(Term::Pld),
            id: id.and_then(|id| id.value),
            strongest: (links.iter().flat_map(|term| &term.cases))
                .map(|case| case.rate)
                .max_by(f64::total_cmp),
        };
        let scenario = ScenarioSummary {
            original: files.original.name().into(),
            masked: files.masked.name().into(),
            original_records: files.original.n_records(),
            compared_records: pair.n_records,
            attributes: self.names(files),
            not_in_il,
            known,
            direction: self.direction().into(),
            aligned_by: self.align.aligned_by(),
            left_out: files.left_out(),
        };
        let mut report = ScoreReport::new(
            scenario,
            overall,
            figure::find(&losses, loss::IL.key).cloned(),
            id.cloned(),
            links,
            no_rsld,
        );
        report.warnings = doubts;
        Ok(report)
    }

    fn direction(&self) -> &str {
        let direction = self.intruder.direction.as_deref();
        direction.unwrap_or("original-to-masked")
    }

    fn names(&self, files: &Files) -> Vec<String> {
        let name = |id| files.original.attribute(id).name.clone();
        let ids = files.attributes.iter().map(|shared| shared.original);
        ids.map(name).collect()
    }

    /// Half of the attributes that can be compared, rounded up, but not more than usual.
    fn usually_known(&self, files: &Files) -> Result<usize> {
        let attributes = match &self.align.attributes {
            Some(list) => files.original.select(list)?.len(),
            None => {
                let id = self.align.id.as_deref();
                let aside = id.map(|id| id_columns(id, &files.original));
                shared_attributes(&files.original, &files.masked, aside)
                    .0
                    .len()
            }
        };
        // Where there is none, the attack says why.
        Ok(attributes.div_ceil(2).clamp(1, USUALLY_KNOWN))
    }

    /// The intruder of this call, without an attack. One seed for all attacks, so that they meet the same intruder.
    fn intruder(&self, known: &str, console: &Console) -> Result<LinkRequest> {
        let IntruderArgs {
            known_records,
            direction,
            seed,
            ..
        } = &self.intruder;
        let align = &self.align;
        let records = known_records.as_ref().map(link::known_records);
        let mut request = LinkRequest {
            known: link::known(Some(known), align.attributes.as_deref())?,
            records: records.unwrap_or(Ok(KnownRecords::All))?,
            direction: match direction.as_deref() {
                Some("masked-to-original") => Direction::MaskedToOriginal,
                _ => Direction::OriginalToMasked,
            },
            alignment: link::alignment(align.id.as_deref(), align.shuffle_key.is_some()),
            ..LinkRequest::of_attacks([])
        };
        request.seed = match (seed, request.draws_knowledge()) {
            (Some(_), false) => {
                console.unused(SEED_IS_UNUSED)?;
                None
            }
            (None, true) => {
                let streams = Seed::from_system()?.streams(Purpose::Knowledge, 0);
                Some(streams.at(0).next_u64())
            }
            (given, _) => *given,
        };
        Ok(request)
    }

    /// What was published of rank swapping without a statement, and why there is no attack on it.
    fn of_rank_swapping(
        &self,
        statement: Option<&Statement>,
        console: &Console,
    ) -> Result<(Published, Option<String>)> {
        let split = |entries: &Option<String>| -> Vec<String> {
            let entries = entries.iter().flat_map(|entries| entries.split(','));
            entries.map(Into::into).collect()
        };
        let PublishedArgs { p, window, .. } = &self.published;
        let (p, window) = (split(p), split(window));
        let in_percent = self.published.p_unit.is_some();
        if in_percent && !published::has_p_below_1(&p) {
            console.unused("--p-unit has no effect without a --p below 1")?;
        }
        let rank_swapping = published::rank_swapping(&p, &window, in_percent)?;
        let no_rsld = match statement.map(|of| (of, Bound::of_statement(of))) {
            Some((_, Ok(_))) => None,
            Some((statement, Err(_))) => Some(format!(
                "the statement is of {}, and RSLD is the attack on rankswap",
                statement.method.name()
            )),
            None if rank_swapping.is_none() => {
                Some("nothing was published about rank swapping".into())
            }
            None => None,
        };
        let published = Published {
            rank_swapping,
            groups: None,
        };
        Ok((published, no_rsld))
    }

    /// The attacks that use all that was published; of these, the ones that have a use for it.
    fn stronger(
        &self,
        statement: Option<&Statement>,
        published: &Published,
    ) -> Vec<(AttackRequest, Assign)> {
        if statement.is_none() && published.rank_swapping.is_none() {
            return Vec::new();
        }
        // Where records shall be linked quickly, this is quick, too.
        let assign = match self.assign() {
            Assign::Best => Assign::Best,
            _ => Assign::Balanced,
        };
        let likelihood = (AttackRequest::Likelihood, assign);
        let swaps = (AttackRequest::Involution { eps: EPS }, Assign::Best);
        match statement.map(|statement| &statement.method) {
            Some(Method::Microaggregation(_)) => {
                let nearest_clusters = None;
                let groups = AttackRequest::Microaggregation { nearest_clusters };
                vec![likelihood, (groups, Assign::Best)]
            }
            Some(Method::Recode(_) | Method::Suppress(_) | Method::Ipso(_)) => Vec::new(),
            // Ranks that were moved and ranked again have no partners.
            Some(Method::RankSwap(stated)) if stated.partner == Partner::Cycle => vec![likelihood],
            None | Some(Method::RankSwap(_) | Method::PBuckets(_) | Method::PDistribution(_)) => {
                vec![likelihood, swaps]
            }
            Some(Method::Fuzzy(_) | Method::Noise(_) | Method::Copula(_)) => vec![likelihood],
        }
    }

    /// How probabilistic linkage assigns: one-to-one unless asked otherwise, as in the papers that define the score.
    fn assign(&self) -> Assign {
        match self.intruder.assign.as_deref() {
            Some("best") => Assign::Best,
            _ => Assign::OneToOne,
        }
    }

    fn probabilistic(&self, console: &Console) -> Result<AttackRequest> {
        let IntruderArgs {
            agree,
            fit,
            em_iterations,
            ..
        } = &self.intruder;
        let agree = agree.as_deref();
        let mut options = ProbabilisticArgs {
            agree: agree.map_or_else(Vec::new, |list| list.split(',').map(Into::into).collect()),
            fit: *fit,
            em_start: None,
            em_iterations: *em_iterations,
            admissible: None,
        };
        options.settle(true, console)?;
        options.attack().map(AttackRequest::Probabilistic)
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
