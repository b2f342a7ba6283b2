//! `sdcrisk link`: attacks a masked file and counts the correct links.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};

use super::{
    Ending,
    args::{self, ReadArgs},
    console::Console,
    files::{self, Output, Plan, Privacy},
};
use crate::{
    attack::{
        Attack, Direction,
        distance_based::{DistanceBased, Standardize},
        intersection::rank_swap::{Bound, RankSwapIntersection},
    },
    error::{Error, Result},
    evaluate::{
        knowledge::{self, Knowledge},
        link::{self, Assign, Claim, LeftOut, Shared, Study},
        score::Ties,
        truth::Truth,
    },
    mask::rank_swap::Reach,
    optimize::assignment,
    report::link::{self as report, LeftOutAttribute, LinkReport, LinkResult, ScenarioSummary},
    rng::{Purpose, Seed},
    statement::{Method, Statement},
    table::{ReadOptions, Table},
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk link --method am,rsld --p 5 orig.csv masked.csv
  sdcrisk mask rankswap --p 5 f.csv | sdcrisk link --method am,rsld --p 5 f.csv -
  sdcrisk link --method rsld --statement masked.sdc.json --known sweep:7 orig.csv masked.csv
  sdcrisk link --method am --id person --known age,income --known-records 400 orig.csv masked.csv
  sdcrisk link --method am --known first:3 --format json --fail-above 5% orig.csv masked.csv

Methods: am (= dbrl, dbrl1) links each record with the nearest one, attributes standardised.
rsld uses what was published about rank swapping: only masked records within the window of ranks are possible.")]
pub struct LinkArgs {
    /// The original file: what the intruder could know
    #[arg(value_name = "ORIGINAL.csv")]
    original: PathBuf,
    /// The masked file; - is standard input
    #[arg(value_name = "MASKED.csv")]
    masked: PathBuf,
    /// Attacks, comma-separated: am (dbrl, dbrl1), rsld
    #[arg(long, value_name = "LIST", required = true, value_delimiter = ',')]
    method: Vec<MethodName>,
    /// What the intruder knows: a,b,c | first:7 | sweep:7 | subsets:3 | random:5x20 [default: all that can be compared]
    #[arg(long, value_name = "KNOWN", help_heading = "The intruder")]
    known: Option<String>,
    /// The attributes that --known counts among: names or positions [default: all quasi-identifiers]
    #[arg(long, value_name = "LIST", help_heading = "The intruder")]
    attributes: Option<String>,
    /// How many records the intruder holds (drawn at random), or a file with one record number (or identifier) a line
    #[arg(long, value_name = "N|FILE", help_heading = "The intruder")]
    known_records: Option<String>,
    /// Who looks for whom
    #[arg(
        long,
        value_enum,
        default_value = "original-to-masked",
        help_heading = "The intruder"
    )]
    direction: DirectionArg,
    /// Published percentage of rank swapping (or an upper bound of it)
    #[arg(long, value_name = "PERCENT", conflicts_with_all = ["window", "statement"], help_heading = "What was published")]
    p: Option<f64>,
    /// Published window of rank swapping in ranks (or an upper bound of it)
    #[arg(
        long,
        value_name = "RANKS",
        conflicts_with = "statement",
        help_heading = "What was published"
    )]
    window: Option<usize>,
    /// The statement that 'mask --statement' wrote
    #[arg(long, value_name = "FILE", help_heading = "What was published")]
    statement: Option<PathBuf>,
    /// Confirms that a p below 1 is meant in percent
    #[arg(long, value_name = "UNIT", value_parser = ["percent"], help_heading = "What was published")]
    p_unit: Option<String>,
    /// How a tie of t records counts that holds the true one: 1/t, 0, or 1
    #[arg(long, value_enum, default_value = "fair", help_heading = "Counting")]
    ties: TiesArg,
    /// Each record its best, or all at once one to one
    #[arg(long, value_enum, default_value = "best", help_heading = "Counting")]
    assign: AssignArg,
    /// By what each file is standardised: its own means and sds, the original's, or not at all
    #[arg(long, value_enum, default_value = "own", help_heading = "Counting")]
    standardize: StandardizeArg,
    /// Column that says who is who in both files [default: the order of the records]
    #[arg(
        long,
        value_name = "COLUMN",
        conflicts_with = "key",
        help_heading = "Counting"
    )]
    id: Option<String>,
    /// The key that 'mask --shuffle' wrote
    #[arg(long, value_name = "KEYFILE", help_heading = "Counting")]
    key: Option<PathBuf>,
    /// Write one line a record: whom it is linked with (CSV)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    links: Option<PathBuf>,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    format: FormatArg,
    /// Where the report goes
    #[arg(
        long,
        short,
        value_name = "FILE",
        default_value = "-",
        help_heading = "Output"
    )]
    output: PathBuf,
    /// End with exit status 10 when a rate is above this: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    fail_above: Option<f64>,
    /// Repeatable random choices of --known random: and --known-records N
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    #[value(aliases = ["dbrl", "dbrl1"])]
    Am,
    Rsld,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DirectionArg {
    /// Each record of the intruder looks for its masked record
    OriginalToMasked,
    /// Each masked record looks for its record in the intruder's file
    MaskedToOriginal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TiesArg {
    Fair,
    Strict,
    Optimistic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AssignArg {
    Best,
    OneToOne,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StandardizeArg {
    Own,
    Original,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    Text,
    Json,
    Csv,
}

fn rate_limit(text: &str) -> std::result::Result<f64, String> {
    let number = |digits: &str| digits.trim().parse::<f64>().ok();
    match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text).filter(|&share| share <= 1.0),
    }
    .filter(|share| (0.0..=1.0).contains(share))
    .ok_or_else(|| "it must be a percentage such as 5%, or a share from 0 to 1 such as 0.05".into())
}

pub fn run(args: &LinkArgs, console: &Console) -> anyhow::Result<Ending> {
    args.refuse_without_effect()?;
    let outputs = args.outputs()?;
    let options = args.read.options()?;
    let original = args::read_table(&args.original, &options, console)?;
    let options = ReadOptions {
        roles: options.roles.for_another_file(),
        ..options
    };
    let masked = args::read_table(&args.masked, &options, console)?;
    if original.n_records() == 0 || masked.n_records() == 0 {
        let empty = if original.n_records() == 0 {
            &original
        } else {
            &masked
        };
        return Err(
            Error::input("has no records, only names: there is nobody to link")
                .in_file(empty.name())
                .remedy("Check that this is the file you meant")
                .into(),
        );
    }
    let statement = args.published()?;
    if let Some(statement) = &statement {
        check_statement(statement, args, &masked)?;
    }
    let truth = args.truth(&original, &masked)?;
    warn_of_strangers(&truth, &original, &masked, console);

    let seed = args.seed()?;
    let (cases, left_out) = args.cases(&original, &masked, &seed)?;
    for left in &left_out {
        console.note(&format!(
            "note: {} is not compared: it {}",
            left.attribute, left.why
        ));
    }
    let held = args.held(&original, &seed)?;
    let study = Study::new(&original, &masked, &truth, held.clone(), args.direction());
    let attacks = args.attacks(statement.as_ref(), masked.n_records())?;
    if args.links.is_some() && (attacks.len() > 1 || cases.len() > 1) {
        return Err(Error::usage(format!(
            "--links writes the links of one attack; this call makes {}",
            attacks.len() * cases.len()
        ))
        .remedy("Name one method and one set of known attributes")
        .into());
    }
    if args.assign == AssignArg::OneToOne {
        let (seekers, sought) = study.sizes();
        console.note(&format!(
            "note: --assign one-to-one needs {:.1} MB for the distances of {seekers} x {sought} records, and time that grows with the cube",
            assignment::bytes(seekers, sought) as f64 / 1e6
        ));
    }

    let mut results = Vec::new();
    let mut claims = Vec::new();
    for (number, known) in cases.iter().enumerate() {
        let case = study.case(known);
        for attack in &attacks {
            console.progress(&format!(
                "{} with {} known attributes (case {} of {})",
                attack.name(),
                known.len(),
                number + 1,
                cases.len()
            ));
            let outcome = console.stage(attack.name(), || {
                case.attack(attack.as_ref(), args.assign(), args.links.is_some())
            })?;
            results.push(LinkResult::new(
                attack.name(),
                case.known(),
                &outcome,
                args.ties(),
                attack.windows(case.known()),
            ));
            claims = outcome.links;
        }
    }
    let report = LinkReport {
        schema: report::SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        status: "done",
        scenario: args.summary(&original, &masked, held.len(), left_out),
        means: report::means(&results),
        results,
    };
    console.stage("write", || {
        args.write(outputs, &report, &claims, &original, &masked)
    })?;
    Ok(args.ending(&report))
}

/// What a call writes.
struct Outputs {
    links: Option<Output>,
    report: Output,
}

/// The attacks, and what reports say of them beside their claims.
trait Described: Attack {
    /// The window assumed for each known attribute.
    fn windows(&self, _known: &[String]) -> Option<Vec<usize>> {
        None
    }
}

impl Described for DistanceBased {}

impl Described for RankSwapIntersection {
    fn windows(&self, known: &[String]) -> Option<Vec<usize>> {
        Some(
            known
                .iter()
                .map(|name| self.bound.window_of(name))
                .collect(),
        )
    }
}

impl LinkArgs {
    /// An option that can have no effect is refused, not ignored.
    fn refuse_without_effect(&self) -> Result<()> {
        let has = |method| self.method.contains(&method);
        let published = [
            (self.p.is_some(), "--p"),
            (self.window.is_some(), "--window"),
            (self.statement.is_some(), "--statement"),
        ];
        if let Some((_, option)) = published.iter().find(|(given, _)| *given)
            && !has(MethodName::Rsld)
        {
            return Err(Error::usage(format!(
                "{option} has no effect: only rsld uses what was published"
            ))
            .remedy("Add rsld to --method, or leave the option out"));
        }
        if has(MethodName::Rsld) && !published.iter().any(|(given, _)| *given) {
            return Err(
                Error::usage("rsld needs to know what was published about rank swapping")
                    .remedy("Give --p, --window, or --statement FILE"),
            );
        }
        if self.p_unit.is_some() && self.p.is_none() {
            return Err(Error::usage("--p-unit has no effect without --p").remedy("Leave it out"));
        }
        let mut seen = Vec::new();
        for &method in &self.method {
            if seen.contains(&method) {
                return Err(Error::usage("--method names a method twice")
                    .remedy("am, dbrl and dbrl1 are one method"));
            }
            seen.push(method);
        }
        if self.assign == AssignArg::OneToOne && self.ties != TiesArg::Fair {
            return Err(Error::usage(
                "--ties has no effect with --assign one-to-one: an assignment leaves no ties",
            )
            .remedy("Leave --ties out"));
        }
        Ok(())
    }

    /// What the call writes, opened before any work is done.
    fn outputs(&self) -> Result<Outputs> {
        let mut plan = Plan::default();
        plan.input(&self.original)?;
        plan.input(&self.masked)?;
        self.read.plan(&mut plan)?;
        let records_file = match self.record_count() {
            Some(_) => None,
            None => self.known_records.as_ref().map(PathBuf::from),
        };
        for path in [&self.statement, &self.key, &records_file]
            .into_iter()
            .flatten()
        {
            plan.input(path)?;
        }
        plan.output(&self.output)?;
        if let Some(links) = &self.links {
            plan.output(links)?;
        }
        // Links say who is who: as private as a key.
        let links = self
            .links
            .as_deref()
            .map(|path| plan.open(path, Privacy::Private));
        Ok(Outputs {
            links: links.transpose()?,
            report: plan.open(&self.output, Privacy::Ordinary)?,
        })
    }

    fn published(&self) -> Result<Option<Statement>> {
        let Some(path) = &self.statement else {
            return Ok(None);
        };
        Statement::from_json(&files::name_of(path), &args::read_text(path)?).map(Some)
    }

    fn truth(&self, original: &Table, masked: &Table) -> Result<Truth> {
        if let Some(id) = &self.id {
            return Truth::by_identifier(original, masked, id);
        }
        match &self.key {
            None => Truth::by_order(original, masked),
            Some(path) => {
                let name = files::name_of(path);
                let pairs = read_key(&name, &args::read_text(path)?)?;
                Truth::by_key(original.n_records(), masked.n_records(), &pairs)
                    .map_err(|error| error.in_file(name))
            }
        }
    }

    /// The seed of the random choices of this call.
    fn seed(&self) -> Result<Seed> {
        let random = self.record_count().is_some()
            || self
                .known
                .as_deref()
                .map(Knowledge::parse)
                .transpose()?
                .is_some_and(|knowledge| knowledge.is_random());
        match self.seed {
            Some(number) if random => Ok(Seed::from_number(number)),
            Some(_) => Err(
                Error::usage("--seed has no effect: nothing in this call is random")
                    .remedy("It decides --known random:... and --known-records N"),
            ),
            None if random => Seed::from_system(),
            None => Ok(Seed::from_number(0)),
        }
    }

    fn cases(
        &self,
        original: &Table,
        masked: &Table,
        seed: &Seed,
    ) -> Result<(Vec<Vec<Shared>>, Vec<LeftOut>)> {
        let knowledge = self
            .known
            .as_deref()
            .map_or(Ok(Knowledge::All), Knowledge::parse)?;
        if let (Knowledge::List(_), Some(_)) = (&knowledge, &self.attributes) {
            return Err(Error::usage(
                "--attributes has no effect beside a list of known attributes",
            )
            .remedy("Leave it out, or count among them: --attributes a,b,c --known first:2"));
        }
        let explicit = |list: &str| -> Result<Vec<Shared>> {
            original
                .select(list)?
                .into_iter()
                .map(|id| {
                    link::comparable(original, masked, id).map_err(|why| {
                        Error::input(format!("cannot be compared: it {why}"))
                            .on_attribute(&original.attribute(id).name)
                            .remedy("Leave it out of what the intruder knows; 'sdcrisk describe' shows how files were read")
                    })
                })
                .collect()
        };
        if let Knowledge::List(list) = &knowledge {
            return Ok((vec![explicit(list)?], Vec::new()));
        }
        let (shared, left_out) = match &self.attributes {
            Some(list) => (explicit(list)?, Vec::new()),
            None => {
                let among: Vec<_> = original.ids().collect();
                link::shared_attributes(original, masked, &among, self.id.as_deref())
            }
        };
        let cases = knowledge.cases(
            shared.len(),
            |_| Ok(Vec::new()),
            || seed.streams(Purpose::Knowledge, 0).at(0),
        )?;
        Ok((
            cases
                .into_iter()
                .map(|case| case.into_iter().map(|position| shared[position]).collect())
                .collect(),
            left_out,
        ))
    }

    /// `--known-records` as a number, if it is one.
    fn record_count(&self) -> Option<usize> {
        self.known_records.as_ref()?.parse().ok()
    }

    fn held(&self, original: &Table, seed: &Seed) -> Result<Vec<u32>> {
        let all = original.n_records();
        let to_u32 = |records: Vec<usize>| -> Vec<u32> {
            records
                .into_iter()
                .filter_map(|record| u32::try_from(record).ok())
                .collect()
        };
        let Some(wish) = &self.known_records else {
            return Ok(to_u32((0..all).collect()));
        };
        let Some(count) = self.record_count() else {
            return self.held_by_file(Path::new(wish), original).map(to_u32);
        };
        if count == 0 || count > all {
            return Err(Error::usage(format!(
                "--known-records {count}: the original file has {all} records"
            ))
            .remedy(format!("Give a number from 1 to {all}")));
        }
        let mut rng = seed.streams(Purpose::Knowledge, 0).at(1);
        Ok(to_u32(knowledge::sample(all, count, &mut rng)))
    }

    fn held_by_file(&self, path: &Path, original: &Table) -> Result<Vec<usize>> {
        let name = files::name_of(path);
        let content = args::read_text(path)?;
        let lines: Vec<(u64, &str)> = (1..)
            .zip(content.lines().map(str::trim))
            .filter(|(_, line)| !line.is_empty())
            .collect();
        let by_id = match &self.id {
            None => None,
            Some(id) => {
                let column = original.find(id)?;
                let records: BTreeMap<String, usize> = (0..original.n_records())
                    .filter(|&record| !original.is_missing(record, column))
                    .map(|record| (original.text(record, column).trim().to_string(), record))
                    .collect();
                Some(records)
            }
        };
        let mut held = BTreeSet::new();
        for (line, text) in lines {
            let record = match &by_id {
                Some(records) => records.get(text).copied(),
                None => text
                    .parse::<usize>()
                    .ok()
                    .filter(|&number| number >= 1 && number <= original.n_records())
                    .map(|number| number - 1),
            };
            let remedy = "Write one record number (with --id: one identifier) a line, each once";
            let wrong = |what: String| {
                Error::input(what)
                    .in_file(&name)
                    .at_line(line)
                    .remedy(remedy)
            };
            let record = record.ok_or_else(|| {
                wrong(match by_id {
                    Some(_) => "names no record of the original file".into(),
                    None => format!("is not a record number from 1 to {}", original.n_records()),
                })
            })?;
            if !held.insert(record) {
                return Err(wrong("names a record that an earlier line named".into()));
            }
        }
        if held.is_empty() {
            return Err(Error::input("names no record")
                .in_file(name)
                .remedy("Write one record number (with --id: one identifier) a line"));
        }
        Ok(held.into_iter().collect())
    }

    fn attacks(
        &self,
        statement: Option<&Statement>,
        records: usize,
    ) -> Result<Vec<Box<dyn Described>>> {
        let standardize = match self.standardize {
            StandardizeArg::Own => Standardize::Own,
            StandardizeArg::Original => Standardize::Original,
            StandardizeArg::None => Standardize::None,
        };
        self.method
            .iter()
            .map(|method| -> Result<Box<dyn Described>> {
                Ok(match method {
                    MethodName::Am => Box::new(DistanceBased { standardize }),
                    MethodName::Rsld => Box::new(RankSwapIntersection {
                        bound: self.bound(statement, records)?,
                        standardize,
                    }),
                })
            })
            .collect()
    }

    fn bound(&self, statement: Option<&Statement>, records: usize) -> Result<Bound> {
        if let Some(statement) = statement {
            return Ok(Bound::of_statement(statement));
        }
        let Some(p) = self.p else {
            return match self.window.unwrap_or(0) {
                0 => Err(Error::usage("--window 0 says that no value was moved")
                    .remedy("Give a window of at least 1 rank")),
                window => Ok(Bound::Window(window)),
            };
        };
        if !(p > 0.0 && p <= 100.0) {
            return Err(Error::usage(
                "--p is a percentage of the records: more than 0, at most 100",
            ));
        }
        if p < 1.0 && self.p_unit.is_none() {
            return Err(
                Error::usage(format!("--p {p} looks like a fraction; p is a percentage"))
                    .remedy("If it is meant in percent, add --p-unit percent"),
            );
        }
        match Reach::Percent(p).window(records) {
            0 => Err(Error::usage(format!(
                "p = {p} percent of {records} records is a window of 0 ranks: nothing was swapped"
            ))
            .remedy("Give the p that was published, or --window 1")),
            window => Ok(Bound::Window(window)),
        }
    }

    fn direction(&self) -> Direction {
        match self.direction {
            DirectionArg::OriginalToMasked => Direction::OriginalToMasked,
            DirectionArg::MaskedToOriginal => Direction::MaskedToOriginal,
        }
    }

    fn ties(&self) -> Ties {
        match self.ties {
            TiesArg::Fair => Ties::Fair,
            TiesArg::Strict => Ties::Strict,
            TiesArg::Optimistic => Ties::Optimistic,
        }
    }

    fn assign(&self) -> Assign {
        match self.assign {
            AssignArg::Best => Assign::Best,
            AssignArg::OneToOne => Assign::OneToOne,
        }
    }

    fn summary(
        &self,
        original: &Table,
        masked: &Table,
        known_records: usize,
        left_out: Vec<LeftOut>,
    ) -> ScenarioSummary {
        ScenarioSummary {
            original: original.name().into(),
            masked: masked.name().into(),
            original_records: original.n_records(),
            masked_records: masked.n_records(),
            known_records,
            direction: report::direction_word(self.direction()),
            aligned_by: match (&self.id, &self.key) {
                (Some(id), _) => format!("the identifier {id}"),
                (None, Some(_)) => "the key".into(),
                (None, None) => "the order of the records".into(),
            },
            ties: match self.ties {
                TiesArg::Fair => "fair",
                TiesArg::Strict => "strict",
                TiesArg::Optimistic => "optimistic",
            },
            assign: match self.assign {
                AssignArg::Best => "best",
                AssignArg::OneToOne => "one-to-one",
            },
            left_out: left_out
                .into_iter()
                .map(|left| LeftOutAttribute {
                    attribute: left.attribute,
                    why: left.why,
                })
                .collect(),
        }
    }

    fn write(
        &self,
        mut outputs: Outputs,
        report: &LinkReport,
        claims: &[Claim],
        original: &Table,
        masked: &Table,
    ) -> anyhow::Result<()> {
        if let Some(output) = &mut outputs.links {
            let label = |table: &Table, record: u32| match &self.id {
                Some(id) => table
                    .find(id)
                    .map(|column| table.text(record as usize, column).trim().to_string())
                    .unwrap_or_default(),
                None => (u64::from(record) + 1).to_string(),
            };
            let (seekers, sought) = match self.direction() {
                Direction::OriginalToMasked => (original, masked),
                Direction::MaskedToOriginal => (masked, original),
            };
            output.write(|out| {
                report::write_claims(out, claims, &|r| label(seekers, r), &|r| label(sought, r))
            })?;
        }
        let content = match self.format {
            FormatArg::Text => report.to_text(),
            FormatArg::Json => report.to_json(),
            FormatArg::Csv => report.to_csv()?,
        };
        outputs
            .report
            .write(|out| out.write_all(content.as_bytes()))?;
        for output in [outputs.links, Some(outputs.report)].into_iter().flatten() {
            output.keep()?;
        }
        Ok(())
    }

    fn ending(&self, report: &LinkReport) -> Ending {
        let Some(limit) = self.fail_above else {
            return Ending::Done;
        };
        let rates = report.results.iter().map(|result| result.rate);
        if rates
            .chain(report.means.iter().map(|mean| mean.rate))
            .any(|rate| rate > limit)
        {
            return Ending::AboveLimit;
        }
        Ending::Done
    }
}

fn check_statement(statement: &Statement, args: &LinkArgs, masked: &Table) -> Result<()> {
    let file = args
        .statement
        .as_deref()
        .map(files::name_of)
        .unwrap_or_default();
    let Method::RankSwap(parameters) = &statement.method;
    if parameters.window == 0 {
        return Err(Error::input("states a window of 0 ranks").in_file(file));
    }
    if let Some(stranger) = statement
        .attributes
        .iter()
        .find(|name| masked.find(name).is_err())
    {
        return Err(Error::input(format!(
            "names an attribute {stranger:?} that {} does not have",
            masked.name()
        ))
        .in_file(file)
        .remedy("Give the statement of this masked file"));
    }
    if statement.records != masked.n_records() {
        return Err(Error::input(format!(
            "is about a file of {} records; {} has {}",
            statement.records,
            masked.name(),
            masked.n_records()
        ))
        .in_file(file)
        .remedy("Give the statement of this masked file"));
    }
    Ok(())
}

fn warn_of_strangers(truth: &Truth, original: &Table, masked: &Table, console: &Console) {
    let without = original.n_records() - truth.pairs();
    if without > 0 {
        console.note(&format!(
            "note: {without} of {} original records have no masked record; their links cannot be correct",
            original.n_records()
        ));
    }
    let strangers = masked.n_records() - truth.pairs();
    if strangers > 0 {
        console.note(&format!(
            "note: {strangers} of {} masked records belong to nobody in the original file",
            masked.n_records()
        ));
    }
}

/// Reads a key: lines `masked,original`, records counted from 1.
fn read_key(name: &str, content: &str) -> Result<Vec<(usize, usize)>> {
    let wrong = |line: u64| {
        Error::input("is not a line of two record numbers (masked,original)")
            .in_file(name)
            .at_line(line)
            .remedy("Give the file that 'mask --shuffle' wrote")
    };
    let mut reader = csv::ReaderBuilder::new().from_reader(content.as_bytes());
    if reader.headers().map_err(|_| wrong(1))? != vec!["masked", "original"] {
        return Err(wrong(1));
    }
    (2..)
        .zip(reader.deserialize::<(usize, usize)>())
        .map(|(line, pair)| match pair {
            Ok((masked, original)) if masked > 0 && original > 0 => Ok((masked - 1, original - 1)),
            _ => Err(wrong(line)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_percentages_or_shares() {
        assert_eq!(rate_limit("5%"), Ok(0.05));
        assert_eq!(rate_limit("0.05"), Ok(0.05));
        assert_eq!(rate_limit("1"), Ok(1.0));
        for text in ["5", "-1%", "101%", "x", "", "nan"] {
            assert!(rate_limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn keys_are_read_line_by_line() {
        assert_eq!(
            read_key("k.csv", "masked,original\n1,2\n2,1\n").unwrap(),
            [(0, 1), (1, 0)]
        );
        let error = read_key("k.csv", "masked,original\n1,2\n0,1\n").unwrap_err();
        assert!(error.to_string().starts_with("k.csv, line 3"), "{error}");
        assert!(read_key("k.csv", "a,b\n1,2\n").is_err());
    }
}
