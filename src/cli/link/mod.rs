//! `sdcrisk link`: attacks a masked file and counts the correct links.

mod aggregates;
mod args;
mod certificate;
pub(super) mod inputs;
mod learned;
mod methods;
mod microaggregation;
mod probabilistic;
mod published;
mod releases;
mod words;
mod work;

use std::path::PathBuf;

pub use args::LinkArgs;
use methods::{MethodName, NotRun};
use published::Published;
use work::{Along, Learned, Turn, Work};

use super::{
    Ending,
    args::Format,
    console::Console,
    files::{Output, Plan, Privacy, keep_all},
    pair, provenance,
};
use crate::{
    attack::Direction,
    certificate::Certificate,
    error::{Error, Result},
    evaluate::{
        comparable::{self, Doubt},
        knowledge::Knowledge,
        link::{Claim, LeftOut, Shared, Study},
        status::Status,
        truth::{self, Truth},
    },
    jobs,
    report::{
        link::{
            self as report, LeftOutAttribute, LinkReport, LinkResult, MethodNotRun, ScenarioSummary,
        },
        text,
    },
    statement::Statement,
    table::{AttrId, Role, Table},
};

/// So many names of a list are shown.
const NAMES_SHOWN: usize = 8;

pub fn run(args: &LinkArgs, console: &Console) -> anyhow::Result<Ending> {
    // No file is read for a call that makes no sense.
    let args = &args.settled(args.published.statement.is_some(), console)?;
    let outputs = args.outputs()?;
    let (original, masked) = inputs::read_pair(&args.original, &args.masked, &args.read, console)?;
    refuse_empty(&original, &masked)?;
    let statement = args.statement()?;
    if let Some(statement) = &statement {
        // A wrong statement can be why nobody would be found: it is told before that.
        inputs::check_statement(statement, args, &masked)?;
    }
    let truth = args.truth(&original, &masked)?;
    let attacked = attack_files(
        args,
        &original,
        &masked,
        statement.as_ref(),
        &truth,
        console,
    )?;
    let ending = args.ending(&attacked.report, console)?;
    console.stage("write", || {
        args.write(outputs, &attacked, [&original, &masked])
    })?;
    Ok(ending)
}

/// What the attacks of a call found.
pub(in crate::cli) struct Attacked {
    /// The report.
    pub(in crate::cli) report: LinkReport,
    /// The links of the last attack, if they were asked for.
    claims: Vec<Claim>,
    /// What was learned last.
    lesson: Option<Learned>,
    /// Its proof, if it was asked for.
    certificate: Option<Certificate>,
}

/// All that [`run`] does between reading the two tables and writing the results: for commands that have the tables in
/// memory. The names of the tables in `args` are not looked at, nor is the name of a statement; other files that `args`
/// name are read.
///
/// # Errors
/// As for [`run`]: Usage for options that can have no effect, Input for a statement that is not of this file, and what
/// the attacks object to.
pub(in crate::cli) fn attack_files(
    args: &LinkArgs,
    original: &Table,
    masked: &Table,
    statement: Option<&Statement>,
    truth: &Truth,
    console: &Console,
) -> Result<Attacked> {
    let args = &args.settled(statement.is_some(), console)?;
    refuse_empty(original, masked)?;
    if let Some(statement) = statement {
        inputs::check_statement(statement, args, masked)?;
    }
    warn_of_strangers(truth, original, masked, console);

    let seed = args.seed()?;
    let held = args.held(original, &seed)?;
    let sides = args.sides(original, masked, &held)?;
    let (cases, left_out) = match &sides {
        Some(sides) => (vec![Vec::new()], sides.left_out.clone()),
        None => args.cases(original, masked, truth, &seed)?,
    };
    if let Some(Knowledge::Worst(size)) = args.knowledge()? {
        console.note(&format!(
            "note: --known worst:{size}: the {} sets of {size} attributes are attacked that betray most by a bound (bits that masked ranks say \
             about original ones)",
            cases.len()
        ));
    }
    for left in &left_out {
        console.note(&format!(
            "note: {} is not compared: it {}",
            left.attribute, left.why
        ));
    }
    let doubts = match &sides {
        Some(_) => Vec::new(),
        None => doubts(original, masked, &cases, &left_out, statement),
    };
    jobs::warn_of(&doubts, console)?;
    let known_records = held.len();
    // A file that was shortened after masking was masked as a whole.
    let records = original.n_records().max(masked.n_records());
    if !args.published.p.is_empty() && original.n_records() != masked.n_records() {
        console.note(&format!(
            "note: --p is taken as a percentage of {records} records, those of the larger file; --window states ranks"
        ));
    }
    let standardize = args.methods.standardize(known_records, masked.n_records());
    if sides.is_some() && known_records < masked.n_records() {
        console.note(
            "note: aggregates ranks the intruder's records among themselves: of fewer records than were released it finds little",
        );
    }
    let published = Published {
        args: &args.published,
        statement,
        records,
        attributes: original.attributes(),
        masked,
        standardize,
        console,
    };
    let (methods, not_run) = args.methods.methods(&published)?;
    let releases = args.further_releases(masked, &published, console)?;
    args.note_unknown_names(original, &cases, console)?;
    let known = cases.iter().map(Vec::len);
    if let Some(unused) = args.methods.probabilistic.unused(known) {
        console.unused(&unused)?;
    }
    if args.methods.names(MethodName::Likelihood)
        && statement.is_none()
        && args.published.of_rank_swapping().is_some()
    {
        console.note(
            "note: likelihood takes rank swapping with this very window, partners drawn among unswapped values; --statement says what was done",
        );
    }
    let rounds = args.rounds(original, masked, truth, held, &seed)?;
    let turns = cases.len() * rounds.len();
    args.refuse_several(methods.len() * turns, turns)?;
    let mut work = Work::new(args, console, &methods, not_run, standardize)?;
    for (number, round) in rounds.iter().enumerate() {
        let study = |held: &[u32], released: Option<&Vec<u32>>| match released {
            None => Study::new(original, masked, truth, held.to_vec(), args.direction()),
            Some(released) => Study::among(
                original,
                masked,
                truth,
                held.to_vec(),
                released.clone(),
                args.direction(),
            ),
        };
        let attacked = study(&round.held, round.released.as_ref());
        let learned_from = round
            .training
            .as_ref()
            .map(|training| study(&training.held, Some(&training.released)));
        work.warn_of_long_assignments(attacked.sizes());
        // Nobody is looked for in a further release, so nobody need be known in it.
        let of_nobody = Truth::of_nobody(original);
        let further: Vec<Study<'_>> = releases
            .iter()
            .map(|release| {
                let held = round.held.clone();
                Study::new(original, &release.table, &of_nobody, held, args.direction())
            })
            .collect();
        for (place, known) in cases.iter().enumerate() {
            let mut along = Vec::with_capacity(releases.len());
            for (release, study) in releases.iter().zip(&further) {
                let known = releases::known_in(&release.table, original, known, console)?;
                along.push(Along {
                    case: study.case(&known),
                    release,
                });
            }
            let case = match &sides {
                Some(sides) => {
                    attacked.case_without_common_attributes(&sides.original, &sides.masked)
                }
                None => attacked.case(known),
            };
            let training = learned_from.as_ref().map(|study| study.case(known));
            work.run(&Turn {
                case: &case,
                training: training.as_ref(),
                along: &along,
                split: (rounds.len() > 1).then_some(number + 1),
                number: number * cases.len() + place + 1,
                of: rounds.len() * cases.len(),
            })?;
        }
    }
    let Work {
        results,
        claims,
        mut not_run,
        lesson,
        ..
    } = work;
    // The same reason may have been met in several cases.
    not_run.dedup();
    // The text report says it itself.
    let told = args.report.format != Format::Text;
    for NotRun { method, why } in not_run.iter().filter(|_| told) {
        console.note(&format!("note: {method} is not run: {why}"));
    }
    let report = LinkReport {
        schema: report::SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        status: Status::limited(results.iter().any(LinkResult::is_unproven)),
        warnings: doubts,
        scenario: ScenarioSummary {
            aggregates: sides.map(|sides| sides.summary),
            ..args.summary(original, masked, known_records, left_out)
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
    let certificate = lesson
        .as_ref()
        .and_then(|learned| learned.certificate(args, [original, masked], truth, &cases[0]));
    Ok(Attacked {
        report,
        claims,
        lesson,
        certificate,
    })
}

/// Checks the options for attacks on masked files of this original, as far as that can be done before masking, and tells the
/// attributes that will not be compared.
///
/// # Errors
/// Usage or Input: what [`attack_files`] would say of every masked file.
pub(in crate::cli) fn check_on(
    args: &LinkArgs,
    original: &Table,
    console: &Console,
) -> Result<Vec<LeftOut>> {
    let args = &args.settled(args.wants_statement(), console)?;
    refuse_empty(original, original)?;
    let seed = args.seed()?;
    let held = args.held(original, &seed)?;
    args.methods.check(original.attributes())?;
    match args.sides(original, original, &held)? {
        Some(sides) => Ok(sides.left_out),
        None => {
            let truth = Truth::by_order(original, original)?;
            let (cases, left_out) = args.cases(original, original, &truth, &seed)?;
            args.note_unknown_names(original, &cases, console)?;
            Ok(left_out)
        }
    }
}

/// Without records there is nobody to link.
fn refuse_empty(original: &Table, masked: &Table) -> Result<()> {
    let empty = [original, masked]
        .into_iter()
        .find(|table| table.n_records() == 0);
    empty.map_or(Ok(()), |table| {
        Err(
            Error::input("has no records, only names: there is nobody to link")
                .in_file(table.name())
                .remedy("Check that this is the file you meant"),
        )
    })
}

/// What a call writes.
struct Outputs {
    links: Option<Output>,
    weights: Option<Output>,
    certificate: Option<Output>,
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
        let learned = &self.methods.learned;
        let train_file = learned.train_file().map(PathBuf::from);
        for path in self.releases.inputs() {
            plan.input(path)?;
        }
        for path in [
            &self.published.statement,
            &self.shuffle_key,
            &records_file,
            &train_file,
            &learned.use_weights,
        ]
        .into_iter()
        .flatten()
        {
            plan.input(path)?;
        }
        plan.output(&self.report.output)?;
        for path in [&self.links, &learned.weights, &learned.certificate]
            .into_iter()
            .flatten()
        {
            plan.output(path)?;
        }
        // Links and certificates say who is who: as private as a key. Weights were made from that.
        let private = |path: &Option<PathBuf>| {
            let open = |path: &PathBuf| plan.open(path, Privacy::Private);
            path.as_ref().map(open).transpose()
        };
        Ok(Outputs {
            links: private(&self.links)?,
            weights: private(&learned.weights)?,
            certificate: private(&learned.certificate)?,
            report: plan.open(&self.report.output, Privacy::Ordinary)?,
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
            direction: self.direction(),
            aligned_by: match (&self.id, &self.shuffle_key) {
                (Some(id), _) => format!("the identifier {id}"),
                (None, Some(_)) => "the key".into(),
                (None, None) => "the order of the records".into(),
            },
            ties: self.ties(),
            assign: self.assign().rule(),
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
        attacked: &Attacked,
        [original, masked]: [&Table; 2],
    ) -> anyhow::Result<()> {
        let Attacked {
            report,
            claims,
            lesson,
            certificate,
        } = attacked;
        if let Some(output) = &mut outputs.links {
            let id = self.id.as_deref().map(|id| truth::id_columns(id, original));
            let [of_original, of_masked] = [(original, 0), (masked, 1)].map(|(table, side)| {
                move |record| label(table, record, id.map(|names| names[side]))
            });
            output.write(|out| match self.direction() {
                Direction::OriginalToMasked => {
                    report::write_claims(out, claims, &of_original, &of_masked)
                }
                Direction::MaskedToOriginal => {
                    report::write_claims(out, claims, &of_masked, &of_original)
                }
            })?;
        }
        if let (Some(output), Some(learned)) = (&mut outputs.weights, lesson) {
            let json = learned.weights(self.direction()).to_json();
            output.write_text(&json)?;
        }
        if let (Some(output), Some(certificate)) = (&mut outputs.certificate, certificate) {
            output.write_text(&certificate.to_json())?;
        }
        let content = match self.report.format {
            Format::Text => report.to_text(),
            Format::Json => report.to_json(&provenance::of(&[original, masked])),
            Format::Csv => report.to_csv()?,
        };
        outputs.report.write_text(&content)?;
        let Outputs {
            links,
            weights,
            certificate,
            report,
        } = outputs;
        let others = [links, weights, certificate].into_iter().flatten();
        keep_all(others.chain([report]))?;
        Ok(())
    }

    /// How the call ended; which figure broke `--fail-above` is noted.
    fn ending(&self, report: &LinkReport, console: &Console) -> Result<Ending> {
        let otherwise = Ending::of(report.status);
        if self.fail_above.is_none() && self.fail_above_extremes.is_none() {
            return Ok(otherwise);
        }
        let mut extremes = report
            .results
            .iter()
            .flat_map(|result| result.beyond.of_extremes());
        if self.fail_above_extremes.is_some() && extremes.next().is_none() {
            return Err(Error::input(
                "--fail-above-extremes has nothing to look at: nobody stands out by the known attributes",
            )
            .remedy("Let the intruder know an attribute of numbers, or leave it out"));
        }
        let mut ending = otherwise;
        let above = |result: &LinkResult, what: &str, rate: f64, limit: f64| {
            console.note(&format!(
                "note: {}, knowing {}: {what} is {}, above {}",
                result.method,
                text::names(&result.known, NAMES_SHOWN),
                text::percent(rate),
                text::percent(limit)
            ));
        };
        for result in &report.results {
            let of_extremes = result.beyond.of_extremes();
            let limit = self.fail_above_extremes.unwrap_or(f64::INFINITY);
            for (rate, what) in of_extremes.filter(|(rate, _)| *rate > limit) {
                ending = Ending::AboveLimit;
                above(result, what, rate, limit);
            }
            let limit = self.fail_above.unwrap_or(f64::INFINITY);
            let figures = [
                (result.rate, "the rate among all records"),
                (
                    result.rate_of_findable,
                    "the rate among the records that have a partner",
                ),
            ];
            let all_findable = result.with_partner == result.records;
            let figures = figures.iter().take(if all_findable { 1 } else { 2 });
            for (rate, what) in figures.filter(|(rate, _)| *rate > limit) {
                // What is above stays above, whatever else a search would have found.
                ending = Ending::AboveLimit;
                above(result, what, *rate, limit);
            }
        }
        if ending != Ending::AboveLimit {
            let names = report.warnings.iter().map(|doubt| &doubt.attribute[..]);
            pair::warn_of_open_gate(names, console)?;
        }
        Ok(ending)
    }
}

/// How a record is called in the list of links: by its identifier, else by its number.
fn label(table: &Table, record: u32, id: Option<&str>) -> String {
    let number = u64::from(record) + 1;
    let column = id.and_then(|id| table.find(id).ok());
    let identifier = column.and_then(|column| truth::identifier(table, record as usize, column));
    match (id, identifier) {
        (_, Some(identifier)) => identifier,
        (Some(_), None) => format!("#{number}"),
        (None, None) => number.to_string(),
    }
}

/// The attributes that the intruder was to know, or would have known, and that cannot be compared in earnest.
fn doubts(
    original: &Table,
    masked: &Table,
    cases: &[Vec<Shared>],
    left_out: &[LeftOut],
    statement: Option<&Statement>,
) -> Vec<Doubt> {
    let known = cases.iter().flatten().map(|shared| shared.original);
    let left = left_out.iter();
    let left = left.filter_map(|left| original.find(&left.attribute).ok());
    let left = left.filter(|&id| original.attribute(id).role == Role::QuasiIdentifier);
    let mut ids: Vec<AttrId> = known.chain(left).collect();
    ids.sort_unstable();
    ids.dedup();
    comparable::doubts(original, masked, &ids, statement)
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
