//! `sdcrisk score`: information loss and disclosure risk in one number, every term shown.

use std::{ffi::OsString, path::PathBuf};

use clap::Args;
use rand::Rng;

use super::{
    Ending,
    args::{Format, ReadArgs, ReportArgs, rate_limit, read_text},
    console::Console,
    files::{Output, Plan, Privacy, name_of},
    link::{LinkArgs, attack_files, inputs},
    pair::{self, AlignArgs, Files},
    provenance,
};
use crate::{
    attack::intersection::rank_swap::Bound,
    error::{Error, Result},
    evaluate::{
        knowledge::Knowledge, link::shared_attributes, overall::Overall, truth::id_columns,
    },
    figure, loss,
    report::{
        score::{LinkTerm, ScenarioSummary, ScoreReport},
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
    /// The statement that was written when the file was masked; of another method than rankswap it tells why there is no RSLD
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
    known_records: Option<OsString>,
    /// Who looks for whom: original-to-masked (default) or masked-to-original
    #[arg(long, value_name = "DIRECTION", value_parser = ["original-to-masked", "masked-to-original"])]
    direction: Option<String>,
    /// PLD: when values agree, exact, sd:0.1, abs:5, rel:0.05, rank:3%, bins:20 [default: sd:0.1, names exact]
    #[arg(long, value_name = "COMPARATOR")]
    agree: Option<String>,
    /// PLD: one-to-one (default, as in the literature), or best: each record takes its most likely partner, in little time
    #[arg(long, value_name = "HOW", value_parser = ["one-to-one", "best"])]
    assign: Option<String>,
    /// PLD: how m and u are found: em (default), em-fixed-u, or known (a worst case)
    #[arg(long, value_name = "FIT", value_parser = ["em", "em-fixed-u", "known"])]
    fit: Option<String>,
    /// PLD: the most iterations of EM [default: 1000]
    #[arg(long, value_name = "N")]
    em_iterations: Option<usize>,
    /// Repeatable random choices of --known random: and --known-records N
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

pub fn run(args: &ScoreArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut output = args.output()?;
    let statement = args.statement()?;
    let files = args
        .align
        .read(&args.original, &args.masked, &args.read, console)?;
    let report = args.report(&files, statement.as_ref(), console)?;
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
        if let Some(file) = self.records_file() {
            plan.input(file.as_ref())?;
        }
        plan.output(&self.report.output)?;
        plan.open(&self.report.output, Privacy::Ordinary)
    }

    fn statement(&self) -> Result<Option<Statement>> {
        let Some(path) = &self.published.statement else {
            return Ok(None);
        };
        Statement::from_json(&name_of(path), &read_text(path)?).map(Some)
    }

    fn report(
        &self,
        files: &Files,
        statement: Option<&Statement>,
        console: &Console,
    ) -> Result<ScoreReport> {
        let doubts = files.doubts(statement, console)?;
        let known = match &self.intruder.known {
            Some(known) => known.clone(),
            None => format!("sweep:{}", self.usually_known(files)?),
        };
        let seed = self.seed(&known)?;
        let options = |of_attack: &[OsString]| {
            let mut words = self.options(&known, seed);
            words.extend_from_slice(of_attack);
            LinkArgs::of_options(words)
        };
        let attacked = |args: &LinkArgs, statement: Option<&Statement>| -> Result<_> {
            let (original, masked) = (&files.original, &files.masked);
            attack_files(args, original, masked, statement, &files.truth, console)
                .map(|attacked| attacked.report)
        };
        let (published, no_rsld) = self.of_rank_swapping(statement, console)?;
        let rsld = match no_rsld {
            Some(_) => {
                // The windows have no use then, but the statement must still be of this file.
                if let Some(statement) = statement {
                    let args = options(&["--method=rsld".into(), self.statement_word()])?;
                    inputs::check_statement(statement, &args, &files.masked)?;
                }
                None
            }
            None => {
                let args = options(&[&["--method=rsld".into()], &published[..]].concat())?;
                Some(LinkTerm::new("rsld", &attacked(&args, statement)?))
            }
        };
        let dld = LinkTerm::new("dld", &attacked(&options(&["--method=am".into()])?, None)?);
        let probabilistic = self.of_probabilistic();
        let pld = LinkTerm::new("pld", &attacked(&options(&probabilistic)?, None)?);
        let mut links: Vec<LinkTerm> = [rsld, Some(dld), Some(pld)].into_iter().flatten().collect();
        for words in self.stronger(statement, &published) {
            match attacked(&options(&words)?, statement) {
                Ok(report) => {
                    let name = report.results.first().map_or("", |result| result.method);
                    links.push(LinkTerm::new(name, &report));
                }
                // What was published has no use for this attack, or the file is too large for it.
                Err(error) => console.note(&format!(
                    "note: {} is not among the attacks: {}",
                    words[0].to_string_lossy().trim_start_matches("--method="),
                    error.what()
                )),
            }
        }

        console.progress("measuring information loss and interval disclosure");
        let pair = files.pair();
        loss::check_memory(&pair)?;
        let losses = console.stage("loss", || loss::figures(&pair));
        let intervals = console.stage("risk", || risk::interval::figures(&pair.numbers));
        let id = figure::find(&intervals, "interval_disclosure_rank");
        let not_in_il = loss::not_in_il(&pair);
        let rate = |term: &str| {
            let of = links.iter().find(|link| link.term == term);
            of.map(|link| link.rate)
        };
        let overall = Overall {
            il: figure::value(&losses, "il"),
            il_is_partial: !not_in_il.is_empty(),
            rsld: rate("rsld"),
            dld: rate("dld"),
            pld: rate("pld"),
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
            figure::find(&losses, "il").cloned(),
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

    /// What every attack of this call is told.
    fn options(&self, known: &str, seed: Option<u64>) -> Vec<OsString> {
        let mut words = vec![
            format!("--known={known}").into(),
            format!("--direction={}", self.direction()).into(),
        ];
        let mut add = |option: &str, value: Option<OsString>| {
            if let Some(value) = value {
                let mut word = OsString::from(format!("--{option}="));
                word.push(value);
                words.push(word);
            }
        };
        let text = |text: &Option<String>| text.as_ref().map(OsString::from);
        // Beside a list of names they would say twice what is known.
        if !matches!(Knowledge::parse(known), Ok(None)) {
            add("attributes", text(&self.align.attributes));
        }
        add("id", text(&self.align.id));
        add(
            "shuffle-key",
            self.align.shuffle_key.as_ref().map(OsString::from),
        );
        add("known-records", self.intruder.known_records.clone());
        add("seed", seed.map(|seed| seed.to_string().into()));
        words
    }

    /// The options of the attack on rank swapping, and why there is none.
    fn of_rank_swapping(
        &self,
        statement: Option<&Statement>,
        console: &Console,
    ) -> Result<(Vec<OsString>, Option<String>)> {
        let published = &self.published;
        let mut words: Vec<OsString> = Vec::new();
        if let Some(p) = &published.p {
            words.push(format!("--p={p}").into());
        }
        match (&published.p, &published.p_unit) {
            (Some(_), Some(_)) => words.push("--p-unit=percent".into()),
            (None, Some(_)) => console.unused("--p-unit has no effect without a --p below 1")?,
            _ => {}
        }
        if let Some(window) = &published.window {
            words.push(format!("--window={window}").into());
        }
        match statement.map(Bound::of_statement) {
            Some(Ok(_)) => words.push(self.statement_word()),
            Some(Err(_)) => {
                let method = statement.map_or("another method", |of| of.method.name());
                let why =
                    format!("the statement is of {method}, and RSLD is the attack on rankswap");
                return Ok((words, Some(why)));
            }
            None if words.is_empty() => {
                let why = "nothing was told of rank swapping";
                return Ok((words, Some(why.into())));
            }
            None => {}
        }
        Ok((words, None))
    }

    /// The options of attacks that use all that was published; of these, the ones that have a use for it.
    fn stronger(
        &self,
        statement: Option<&Statement>,
        published: &[OsString],
    ) -> Vec<Vec<OsString>> {
        let published = match statement {
            Some(_) => vec![self.statement_word()],
            None => published.to_vec(),
        };
        if published.is_empty() {
            return Vec::new();
        }
        // Where records shall be linked quickly, this is quick, too.
        let assign = match self.intruder.assign.as_deref() {
            Some("best") => "--assign=best",
            _ => "--assign=balanced",
        };
        let method = statement.map_or("rankswap", |statement| statement.method.name());
        // Ranks that were moved and ranked again have no partners.
        let is_mutual = !matches!(
            statement.map(|statement| &statement.method),
            Some(Method::RankSwap(stated)) if stated.partner == Partner::Cycle
        );
        let mut attacks: Vec<Vec<OsString>> = match method {
            "microagg" => vec![
                vec!["--method=likelihood".into(), assign.into()],
                vec!["--method=microagg".into()],
            ],
            "recode" | "suppress" | "ipso" => Vec::new(),
            "rankswap" | "pbuckets" | "pdistribution" if is_mutual => vec![
                vec!["--method=likelihood".into(), assign.into()],
                vec!["--method=involution".into()],
            ],
            _ => vec![vec!["--method=likelihood".into(), assign.into()]],
        };
        for words in &mut attacks {
            words.extend_from_slice(&published);
        }
        attacks
    }

    fn statement_word(&self) -> OsString {
        let mut word = OsString::from("--statement=");
        word.push(self.published.statement.as_deref().unwrap_or("".as_ref()));
        word
    }

    /// The options of probabilistic linkage.
    fn of_probabilistic(&self) -> Vec<OsString> {
        // One to one, as in the papers that define the score.
        let assign = self.intruder.assign.as_deref().unwrap_or("one-to-one");
        let mut words: Vec<OsString> =
            vec!["--method=prl".into(), format!("--assign={assign}").into()];
        if let Some(agree) = &self.intruder.agree {
            words.push(format!("--agree={agree}").into());
        }
        if let Some(fit) = &self.intruder.fit {
            words.push(format!("--fit={fit}").into());
        }
        if let Some(most) = self.intruder.em_iterations {
            words.push(format!("--em-iterations={most}").into());
        }
        words
    }

    fn records_file(&self) -> Option<&OsString> {
        let wish = self.intruder.known_records.as_ref()?;
        let is_number = wish
            .to_str()
            .is_some_and(|text| text.parse::<usize>().is_ok());
        (!is_number).then_some(wish)
    }

    /// One seed for all attacks, so that they meet the same intruder.
    fn seed(&self, known: &str) -> Result<Option<u64>> {
        let draws_records = self.intruder.known_records.is_some() && self.records_file().is_none();
        let draws =
            draws_records || Knowledge::parse(known)?.is_some_and(|known| known.is_random());
        match self.intruder.seed {
            None if draws => {
                let streams = Seed::from_system()?.streams(Purpose::Knowledge, 0);
                Ok(Some(streams.at(0).next_u64()))
            }
            // One without use is noted by the first attack.
            given => Ok(given),
        }
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
