//! `sdcrisk link`: attacks a masked file and counts the correct links.

mod aggregates;
mod args;
pub(super) mod inputs;
mod methods;
mod microaggregation;
mod probabilistic;
mod published;

use std::{collections::BTreeSet, path::PathBuf};

pub use args::LinkArgs;
use args::{AssignArg, FormatArg, TiesArg};
use methods::{MethodName, NotRun};
use published::Published;

use super::{
    Ending,
    args::read_table,
    console::Console,
    files::{Output, Plan, Privacy},
};
use crate::{
    attack::Direction,
    error::{Error, ErrorKind, Result},
    evaluate::{
        link::{Claim, LeftOut, Study},
        truth::{self, Truth},
    },
    report::link::{
        self as report, LeftOutAttribute, LinkReport, LinkResult, MethodNotRun, ScenarioSummary,
    },
    table::{ReadOptions, Table},
};

/// Records from which on an assignment takes long enough to say so.
const MANY_TO_ASSIGN: usize = 30_000;

pub fn run(args: &LinkArgs, console: &Console) -> anyhow::Result<Ending> {
    args.refuse_without_effect()?;
    let outputs = args.outputs()?;
    let options = args.read.options()?;
    let original = read_table(&args.original, &options, console)?;
    let options = ReadOptions {
        roles: options.roles.for_another_file(),
        ..options
    };
    let masked = read_table(&args.masked, &options, console)?;
    let masked = inputs::as_the_original(masked, &original, &options)?;
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
    let statement = args.statement()?;
    if let Some(statement) = &statement {
        inputs::check_statement(statement, args, &masked)?;
    }
    let truth = args.truth(&original, &masked)?;
    warn_of_strangers(&truth, &original, &masked, console);

    let seed = args.seed()?;
    let held = args.held(&original, &seed)?;
    let sides = args.sides(&original, &masked, &held)?;
    let (cases, left_out) = match &sides {
        Some(sides) => (vec![Vec::new()], sides.left_out.clone()),
        None => args.cases(&original, &masked, &seed)?,
    };
    for left in &left_out {
        console.note(&format!(
            "note: {} is not compared: it {}",
            left.attribute, left.why
        ));
    }
    let known_records = held.len();
    let study = Study::new(&original, &masked, &truth, held, args.direction());
    // A file that was shortened after masking was masked as a whole.
    let records = original.n_records().max(masked.n_records());
    if !args.published.p.is_empty() && original.n_records() != masked.n_records() {
        console.note(&format!(
            "note: --p is taken as a percentage of {records} records, those of the larger file; --window states ranks"
        ));
    }
    let (attacks, mut not_run) = args.methods.attacks(&Published {
        args: &args.published,
        statement: statement.as_ref(),
        records,
        attributes: original.attributes(),
        masked: &masked,
    })?;
    args.refuse_unknown_names(&original, &cases)?;
    if args.methods.names(MethodName::Likelihood)
        && statement.is_none()
        && args.published.of_rank_swapping().is_some()
    {
        console.note(
            "note: likelihood takes rank swapping with this very window, partners drawn among unswapped values; --statement says what was done",
        );
    }
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
        if seekers.max(sought) >= MANY_TO_ASSIGN {
            console.note(&format!(
                "note: --assign one-to-one of {seekers} to {sought} records can take minutes, and much longer where \
                 many records compete for the same ones"
            ));
        }
    }

    let mut results = Vec::new();
    let mut claims = Vec::new();
    let mut caveats = BTreeSet::new();
    for (number, known) in cases.iter().enumerate() {
        let case = match &sides {
            Some(sides) => study.case_without_common_attributes(&sides.original, &sides.masked),
            None => study.case(known),
        };
        for attack in &attacks {
            console.progress(&format!(
                "{} with {} known attributes (case {} of {})",
                attack.name(),
                case.known().len(),
                number + 1,
                cases.len()
            ));
            let outcome = console.stage(attack.name(), || {
                case.attack(attack.as_ref(), args.assign(), args.links.is_some())
            });
            match outcome {
                Ok(outcome) => {
                    for caveat in attack.caveats(case.known()) {
                        let caveat = format!("note: {}: {caveat}", attack.name());
                        if caveats.insert(caveat.clone()) {
                            console.note(&caveat);
                        }
                    }
                    results.push(LinkResult::new(
                        attack.as_ref(),
                        case.known(),
                        &outcome,
                        args.ties(),
                    ));
                    claims = outcome.links;
                }
                // All that apply were asked for: this one does not, with these attributes.
                Err(error) if args.methods.takes_all() && error.kind() != ErrorKind::Failed => {
                    not_run.push(NotRun::because(attack.name(), &error));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    // The same reason may have been met in several cases.
    not_run.dedup();
    // The text report says it itself.
    let told = args.format != FormatArg::Text;
    for NotRun { method, why } in not_run.iter().filter(|_| told) {
        console.note(&format!("note: {method} is not run: {why}"));
    }
    let report = LinkReport {
        schema: report::SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        status: "done",
        scenario: ScenarioSummary {
            aggregates: sides.map(|sides| sides.summary),
            ..args.summary(&original, &masked, known_records, left_out)
        },
        means: report::means(
            &results,
            args.knowledge()?.is_some_and(|known| known.is_family()),
        ),
        results,
        not_run: not_run
            .into_iter()
            .map(|NotRun { method, why }| MethodNotRun { method, why })
            .collect(),
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

impl LinkArgs {
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
        for path in [&self.published.statement, &self.key, &records_file]
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
                AssignArg::Balanced => "balanced",
            },
            left_out: left_out
                .into_iter()
                .map(|left| LeftOutAttribute {
                    attribute: left.attribute,
                    why: left.why,
                })
                .collect(),
            aggregates: None,
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
            let label = |table: &Table, record: u32| self.label(table, record);
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

    /// How a record is called in the list of links: by its identifier, else by its number.
    fn label(&self, table: &Table, record: u32) -> String {
        let number = u64::from(record) + 1;
        let column = self.id.as_ref().and_then(|id| table.find(id).ok());
        let identifier =
            column.and_then(|column| truth::identifier(table, record as usize, column));
        match (&self.id, identifier) {
            (_, Some(identifier)) => identifier,
            (Some(_), None) => format!("#{number}"),
            (None, None) => number.to_string(),
        }
    }

    fn ending(&self, report: &LinkReport) -> Ending {
        let above = |rate: f64| self.fail_above.is_some_and(|limit| rate > limit);
        let rates = report
            .results
            .iter()
            .flat_map(|result| [result.rate, result.rate_of_findable]);
        match rates.into_iter().any(above) {
            true => Ending::AboveLimit,
            false => Ending::Done,
        }
    }
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
