//! `sdcrisk loss`: what masking took from a file.

mod analyses;

use std::path::PathBuf;

use clap::Args;

use super::{
    Ending,
    args::{Format, ReadArgs, ReportArgs, read_text},
    console::Console,
    files::{Output, Plan, Privacy, name_of},
    pair::{self, AlignArgs},
    provenance,
};
use crate::{
    error::{Error, Result},
    evaluate::link::Shared,
    figure::Figure,
    jobs::link::check_statement,
    loss::{
        self,
        analyses::Analysis,
        corrected::{Corrected, Correction},
    },
    report::loss::{LossReport, Measured, Scenario},
    statement::Statement,
    table::pair::Pair,
};
use analyses::AnalysesArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk loss orig.csv masked.csv
  sdcrisk loss --measures il,pil,sse_sst orig.csv masked.csv
  sdcrisk loss --by-attribute --attributes 1-7 orig.csv masked.csv
  sdcrisk loss --statement noise.sdc.json orig.csv noise.csv
  sdcrisk loss --clusters 3 --classify region --regress 'income~age,hours' orig.csv masked.csv
  sdcrisk loss --shuffle-key key.csv --format json orig.csv shuffled.csv

Values and statistics of the masked file are compared with those of the original; lower is better everywhere, and
two equal files lose nothing. Attributes that are numbers in both files are compared as numbers, all others
(names, and numbers that became classes) as categories. What would be divided by 0 is left out and counted.

With --statement the report has the loss, too, that remains for users who correct their statistics by what was published:
noise of a known level makes variances larger and correlations smaller by known factors.

With --clusters, --classify and --regress an analysis that users could make is made on both files and compared.

A loss says what users of the file will miss, not whether the file is safe: see 'sdcrisk link' and 'sdcrisk risk'.")]
pub struct LossArgs {
    /// The original file
    #[arg(value_name = "ORIGINAL.csv")]
    original: PathBuf,
    /// The masked file; one of both can be - for standard input
    #[arg(value_name = "MASKED.csv")]
    masked: PathBuf,
    #[command(flatten)]
    align: AlignArgs,
    /// What was published about the masking: adds the loss that remains after the correction that it allows (noise)
    #[arg(long, value_name = "FILE", help_heading = "What was published")]
    statement: Option<PathBuf>,
    /// Measures to report, by key: for example il,pil,sse_sst [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    measures: Vec<String>,
    /// Tell each measure attribute by attribute too
    #[arg(long)]
    by_attribute: bool,
    #[command(flatten)]
    analyses: AnalysesArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub fn run(args: &LossArgs, console: &Console) -> anyhow::Result<Ending> {
    args.analyses.check(console)?;
    let mut output = args.output()?;
    let statement = args.statement()?;
    let files = args
        .align
        .read(&args.original, &args.masked, &args.read, console)?;
    if let Some((name, statement)) = &statement {
        check_statement(statement, name, args.align.is_named(), &files.masked)?;
    }
    let doubts = files.doubts(statement.as_ref().map(|(_, statement)| statement), console)?;
    let pair = files.pair();
    loss::check_memory(&pair)?;
    console.progress("comparing values and statistics");
    let (data, correction) = console.stage("loss", || match &statement {
        None => (loss::figures(&pair), None),
        Some((_, statement)) => {
            let (figures, correction) = loss::figures_and_correction(&pair, statement);
            (figures, Some(correction))
        }
    });
    let data = args.wanted(data)?;
    args.note_no_parts(&data, console)?;
    let correction = match correction {
        None => None,
        Some(Ok(correction)) => args.wanted_of(correction, console)?,
        Some(Err(why)) => {
            console.unused(&format!("--statement has no effect: {why}"))?;
            None
        }
    };
    let analyses = if args.analyses.is_wanted() {
        args.analyses.measure(&pair, &files, console)?
    } else {
        Analysis::default()
    };
    let report = LossReport {
        warnings: doubts,
        scenario: args.scenario(&files, &pair),
        measured: Measured {
            data,
            correction,
            analyses,
        },
        by_attribute: args.by_attribute,
        provenance: (args.report.format == Format::Json)
            .then(|| provenance::of(&[&files.original, &files.masked])),
    };
    let content = match args.report.format {
        Format::Text => report.to_text(),
        Format::Json => report.to_json(),
        Format::Csv => report.to_csv()?,
    };
    console.stage("write", || -> Result<()> {
        output.write_text(&content)?;
        output.keep()
    })?;
    Ok(Ending::Done)
}

impl LossArgs {
    fn output(&self) -> Result<Output> {
        let mut plan = Plan::default();
        plan.input(&self.original)?;
        plan.input(&self.masked)?;
        self.read.plan(&mut plan)?;
        self.align.plan(&mut plan)?;
        if let Some(statement) = &self.statement {
            plan.input(statement)?;
        }
        plan.output(&self.report.to.output)?;
        plan.open(&self.report.to.output, Privacy::Ordinary)
    }

    /// The statement, and the name of its file.
    fn statement(&self) -> Result<Option<(String, Statement)>> {
        let Some(path) = &self.statement else {
            return Ok(None);
        };
        let name = name_of(path);
        let statement = Statement::from_json(&name, &read_text(path)?)?;
        Ok(Some((name, statement)))
    }

    fn scenario(&self, files: &pair::Files, pair: &Pair) -> Scenario {
        let name = |shared: &Shared| files.original.attribute(shared.original);
        Scenario {
            original: files.original.name().into(),
            masked: files.masked.name().into(),
            records: pair.n_records,
            attributes: (files.attributes.iter())
                .map(|shared| name(shared).name.clone())
                .collect(),
            numbers: pair.numbers.names.clone(),
            not_in_il: loss::not_in_il(pair),
            aligned_by: self.align.aligned_by(),
            left_out: files.left_out(),
            differ_unseen: files.differ_unseen(),
        }
    }

    /// Of a correction the measures that were asked for.
    fn wanted_of(&self, correction: Correction, console: &Console) -> Result<Option<Correction>> {
        if self.measures.is_empty() {
            return Ok(Some(correction));
        }
        let is_asked_for = |corrected: &Corrected| {
            let key = corrected.naive.what.key;
            self.measures.iter().any(|asked| asked.trim() == key)
        };
        let figures: Vec<Corrected> = (correction.figures.into_iter())
            .filter(is_asked_for)
            .collect();
        if figures.is_empty() {
            console.unused(
                "--statement has no effect: no correction changes the measures that were asked for",
            )?;
            return Ok(None);
        }
        Ok(Some(Correction {
            figures,
            ..correction
        }))
    }

    /// Notes `--by-attribute` where no measure has parts.
    fn note_no_parts(&self, figures: &[Figure], console: &Console) -> Result<()> {
        let have_parts = figures.iter().any(|figure| !figure.parts.is_empty());
        if self.by_attribute && !have_parts && self.statement.is_none() {
            console.unused(
            "--by-attribute has no effect: none of the measures that were asked for is reported by attribute",
        )
        } else {
            Ok(())
        }
    }

    /// The measures that were asked for.
    fn wanted(&self, all: Vec<Figure>) -> Result<Vec<Figure>> {
        if self.measures.is_empty() {
            return Ok(all);
        }
        let keys: Vec<&str> = all.iter().map(|figure| figure.what.key).collect();
        let asked: Vec<&str> = self.measures.iter().map(|key| key.trim()).collect();
        if let Some(twice) = (1..asked.len()).find(|&place| asked[..place].contains(&asked[place]))
        {
            return Err(
                Error::usage(format!("--measures names {:?} twice", asked[twice]))
                    .remedy("Name each measure once"),
            );
        }
        if let Some(unknown) = asked.iter().find(|key| !keys.contains(key)) {
            return Err(
                Error::usage(format!("--measures: there is no measure {unknown:?}"))
                    .remedy(format!("There are: {}", keys.join(", "))),
            );
        }
        Ok(all
            .into_iter()
            .filter(|figure| asked.contains(&figure.what.key))
            .collect())
    }
}
