//! `sdcrisk link`: attacks a masked file and counts the correct links.

pub(super) mod inputs;

use std::path::PathBuf;

use super::{
    Ending,
    console::Console,
    files::{Disk, Output, Plan, Privacy, keep_all},
    merge, pair, provenance,
};
use crate::{
    attack::Direction,
    error::{Error, Result},
    evaluate::{link::Claim, truth},
    jobs::{
        self,
        link::{self, Input, LinkOutcome, Stated},
    },
    options::{
        link::LinkArgs,
        merge::MergeArgs,
        output::{Detail, Format},
    },
    report::{
        limit::LimitReport,
        link::{self as report, LinkLine, LinkReport, MethodNotRun},
        part::{Part, Work},
        provenance::Provenance,
    },
    table::Table,
};

pub fn run(args: &LinkArgs, console: &Console) -> anyhow::Result<Ending> {
    // No table is read for a call that makes no sense.
    let args = &args.settled(!args.published.statement.is_empty(), console)?;
    let detail = args.detail.detail(args.report.format, console)?;
    let outputs = args.outputs()?;
    let request = args.request(&Disk)?;
    let is_crossed = args.recode.is_some();
    let (original, masked) = inputs::read_pair(
        &args.original,
        &args.masked,
        is_crossed,
        &args.read,
        console,
    )?;
    jobs::refuse_empty([&original, &masked], link::NOBODY)?;
    let statement = inputs::read_statements(&args.published.statement)?;
    let stated = (statement.as_ref()).map(|(statement, file)| Stated { statement, file });
    if let Some(stated) = stated {
        // A wrong statement can be why nobody would be found, so that comes first.
        link::check_statement(
            stated.statement,
            stated.file,
            &request.alignment,
            &masked,
            None,
        )?;
    }
    if let Some(stated) = stated
        && !stated.statement.recodes()
        && !(request.attacks.single_attacks()).any(|attack| attack.uses(stated.statement))
    {
        console.unused(
            "--statement has no effect: only rsld, likelihood, involution and microagg use what was published, and prl what was of pram",
        )?;
    }
    let (id, key) = (args.id.as_deref(), args.shuffle_key.as_deref());
    let truth = inputs::truth(id, key, &original, &masked)?;
    let input = Input {
        statement: stated,
        further: &inputs::read_releases(&args.releases, &args.read, console)?,
        ..Input::new(&original, &masked, &truth)
    };
    let mut attacked = link::run(&request, &input, console)?;
    if let (Some(shard), Some(mut attempts)) = (args.shard, attacked.part.take()) {
        if args.links.is_some() {
            let claims = attacked.claims.iter();
            let line = args.link_line([&original, &masked]);
            attempts.links = Some(claims.map(line).collect());
        }
        let inputs = merge::fingerprints(&outputs.inputs)?;
        let provenance = provenance::of(&[&original, &masked]);
        let part = Part::new(shard, inputs, provenance, Work::Link(Box::new(attempts)));
        console.stage("write", || outputs.write_part(&merge::text_of(part)))?;
        return Ok(Ending::Done);
    }
    note_not_run(&attacked.report, args.report.format, console);
    let limits = [args.fail_above, args.fail_above_extremes];
    let ending = ending(&mut attacked.report, limits, console)?;
    console.stage("write", || {
        args.write(outputs, &attacked, detail, [&original, &masked])
    })?;
    Ok(ending)
}

/// What a call writes.
struct Outputs {
    /// The files that are read.
    inputs: Vec<PathBuf>,
    links: Option<Output>,
    weights: Option<Output>,
    certificate: Option<Output>,
    report: Output,
}

impl LinkArgs {
    /// What the call writes, opened before any work is done.
    fn outputs(&self) -> Result<Outputs> {
        let mut plan = Plan::default();
        plan.each_input(self.inputs(&Disk))?;
        plan.output(&self.report.to.output)?;
        let [weights, certificate] = self.learned_outputs();
        // The links of a part stand in it.
        let links = if self.shard.is_none() {
            &self.links
        } else {
            &None
        };
        for path in [links, weights, certificate].into_iter().flatten() {
            plan.output(path)?;
        }
        // Links and certificates say who is who: as private as a key. Weights were made from that.
        let private = |path: &Option<PathBuf>| {
            let open = |path: &PathBuf| plan.open(path, Privacy::Private);
            path.as_ref().map(open).transpose()
        };
        Ok(Outputs {
            links: private(links)?,
            weights: private(weights)?,
            certificate: private(certificate)?,
            report: plan.open(
                &self.report.to.output,
                match self.shard {
                    None => Privacy::Ordinary,
                    // A part says of each record whether it is found.
                    Some(_) => Privacy::Private,
                },
            )?,
            inputs: plan.inputs().to_vec(),
        })
    }

    fn write(
        &self,
        mut outputs: Outputs,
        attacked: &LinkOutcome,
        detail: Detail,
        [original, masked]: [&Table; 2],
    ) -> anyhow::Result<()> {
        let LinkOutcome {
            report,
            claims,
            weights,
            certificate,
            ..
        } = attacked;
        if let Some(output) = &mut outputs.links {
            let line = self.link_line([original, masked]);
            output.write(|out| report::write_links(out, claims.iter().map(line)))?;
        }
        if let (Some(output), Some(weights)) = (&mut outputs.weights, weights) {
            output.write_text(&weights.to_json())?;
        }
        if let (Some(output), Some(certificate)) = (&mut outputs.certificate, certificate) {
            output.write_text(&certificate.to_json())?;
        }
        let provenance = || provenance::of(&[original, masked]);
        let content = content(report, self.report.format, detail, provenance)?;
        outputs.report.write_text(&content)?;
        let Outputs {
            links,
            weights,
            certificate,
            report,
            ..
        } = outputs;
        let others = [links, weights, certificate].into_iter().flatten();
        keep_all(others.chain([report]))?;
        Ok(())
    }

    /// What makes the line of a claim.
    fn link_line<'a>(&'a self, [original, masked]: [&'a Table; 2]) -> impl Fn(&Claim) -> LinkLine {
        let id = self.id.as_deref().map(|id| truth::id_columns(id, original));
        let direction = self.direction();
        move |claim| {
            let [of_original, of_masked] = [(original, 0), (masked, 1)].map(|(table, side)| {
                move |record| label(table, record, id.map(|names| names[side]))
            });
            match direction {
                Direction::OriginalToMasked => LinkLine::new(claim, &of_original, &of_masked),
                Direction::MaskedToOriginal => LinkLine::new(claim, &of_masked, &of_original),
            }
        }
    }
}

impl Outputs {
    fn write_part(self, content: &str) -> Result<()> {
        let mut output = self.report;
        output.write_text(content)?;
        output.keep()
    }
}

/// Writes the report that parts make, and the links if these are asked for, and says how one run would have ended.
pub(super) fn write_merged(
    args: &MergeArgs,
    (report, links): (&mut LinkReport, Option<&[LinkLine]>),
    provenance: &Provenance,
    console: &Console,
) -> anyhow::Result<Ending> {
    let form = args.form();
    let detail = args.detail.detail(form.format, console)?;
    let mut plan = args.plan()?;
    let links = match (&args.links, links) {
        (None, _) => None,
        (Some(path), Some(lines)) => {
            plan.output(path)?;
            Some((path, lines))
        }
        (Some(_), None) => {
            return Err(
                Error::usage("--links has nothing to write: these parts hold no links")
                    .remedy("Make the parts with --links FILE, too")
                    .into(),
            );
        }
    };
    let mut output = plan.open(&form.to.output, Privacy::Ordinary)?;
    let links =
        links.map(|(path, lines)| -> Result<_> { Ok((plan.open(path, Privacy::Private)?, lines)) });
    let links = links.transpose()?;
    note_not_run(report, form.format, console);
    let limits = [args.rate_limit()?, args.fail_above_extremes];
    let ending = ending(report, limits, console)?;
    let content = content(report, form.format, detail, || provenance.clone())?;
    console.stage("write", || -> Result<()> {
        let links = links.map(|(mut links, lines)| -> Result<_> {
            links.write(|out| report::write_links(out, lines.iter()))?;
            Ok(links)
        });
        output.write_text(&content)?;
        keep_all(links.transpose()?.into_iter().chain([output]))
    })?;
    Ok(ending)
}

/// Says which attacks do not apply, where the report does not say it in words.
fn note_not_run(report: &LinkReport, format: Format, console: &Console) {
    if format != Format::Text {
        for MethodNotRun { method, why } in &report.not_run {
            console.note(&format!("note: {method} is not run: {why}"));
        }
    }
}

fn content(
    report: &LinkReport,
    format: Format,
    detail: Detail,
    provenance: impl FnOnce() -> Provenance,
) -> anyhow::Result<String> {
    Ok(match format {
        Format::Text => match detail {
            Detail::Brief => report.to_brief(),
            Detail::Usual => report.to_text(),
            Detail::Explained => report.to_text() + &report.definitions(),
        },
        Format::Json => report.to_json(&provenance()),
        Format::Csv => report.to_csv()?,
    })
}

/// How the call ended. Which figures broke `--fail-above` is noted, and the report says what became of the limits.
fn ending(
    report: &mut LinkReport,
    [fail_above, fail_above_extremes]: [Option<f64>; 2],
    console: &Console,
) -> Result<Ending> {
    let otherwise = Ending::of(report.status);
    if fail_above.is_none() && fail_above_extremes.is_none() {
        return Ok(otherwise);
    }
    let rates_by = |limit| report.rates_judged_by(limit);
    let extremes_by = |limit| report.extremes_judged_by(limit);
    let of_rates = fail_above.map_or_else(Vec::new, rates_by);
    let of_extremes = fail_above_extremes.map_or_else(Vec::new, extremes_by);
    if fail_above_extremes.is_some() && of_extremes.is_empty() {
        return Err(Error::input(
                "--fail-above-extremes has nothing to look at: nobody stands out by the known attributes",
            )
            .remedy("Let the intruder know an attribute of numbers, or leave it out"));
    }
    report.limits = [("rate", &of_rates), ("extremes", &of_extremes)]
        .into_iter()
        .filter_map(|(of, judged)| LimitReport::new(of, judged))
        .collect();
    // What is above stays above, whatever else a search would have found.
    let mut ending = otherwise;
    for judged in of_rates
        .iter()
        .chain(&of_extremes)
        .filter(|judged| judged.is_above())
    {
        console.note(&format!("note: {}", judged.sentence()));
        ending = Ending::AboveLimit;
    }
    if ending != Ending::AboveLimit {
        let names = report.warnings.iter().map(|doubt| &doubt.attribute[..]);
        pair::warn_of_open_gate(names, console)?;
    }
    Ok(ending)
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
