//! One cell of the grid: a file is masked once, measured, and attacked in every way.

use anyhow::Context;
use serde_json::{Map, Value};

use super::{
    experiment::{Experiment, Masking, PreparedAttack},
    options::blamed,
};
use crate::{
    cli::console::Console,
    error::ErrorKind,
    evaluate::{
        comparable::{self, Doubt},
        grid::{AttackRow, CaseRow, Row, Setting, overall},
        overall::Overall,
        status::Status,
        truth::Truth,
    },
    figure::{self, Figure},
    jobs::{
        self,
        link::{Input, Stated},
    },
    mask::Masked,
    report::link::{LinkReport, LinkResult, Sample},
    rng::Seed,
    table::{AttrId, Table},
};

impl Experiment {
    /// What is found on one masked file. `seed` is that of the masking; the row has it if `shows_seed`.
    ///
    /// # Errors
    /// When the file cannot be masked or measured; the row names an attack that does not apply to it.
    pub fn row(
        &self,
        (place, run): (usize, u32),
        seed: u64,
        shows_seed: bool,
    ) -> anyhow::Result<Row> {
        let masking = &self.settings[place];
        let Setting { label, file, .. } = &masking.setting;
        let original = self.originals[masking.original].table.clone();
        let masked = masking.method.mask(original, &Seed::from_number(seed));
        let masked = masked.map_err(|error| {
            let place = (masking.line, &masking.options[..]);
            blamed(&self.plan, place, [label, file], error)
        })?;
        let shown = (masking.is_random && shows_seed).then_some(seed);
        self.measured(masking, run, &masked, shown)
            .with_context(|| format!("{label} of {file}"))
    }

    fn measured(
        &self,
        masking: &Masking,
        run: u32,
        masked: &Masked,
        seed: Option<u64>,
    ) -> anyhow::Result<Row> {
        let original = &self.originals[masking.original];
        let wanted = [!self.losses.is_empty(), !self.risks.is_empty()];
        let measured = original.figures(&masked.table, wanted)?;
        let ([losses, risks], not_in_il) = (measured.figures, measured.not_in_il);
        let losses = picked(&losses, &self.losses);
        let risks = picked(&risks, &self.risks);
        let truth = Truth::by_order(&original.table, &masked.table)?;
        let (mut attacks, mut warnings) = (Vec::new(), Vec::new());
        for attack in &masking.attacks {
            let (row, doubts) = attacked(attack, &original.table, masked, &truth)?;
            attacks.push(row);
            warnings.extend(doubts);
        }
        warnings.sort_by(|a: &Doubt, b| a.attribute.cmp(&b.attribute));
        warnings.dedup();
        let overall = Overall {
            il_is_partial: !not_in_il.is_empty(),
            ..overall(&attacks, &losses, &risks)
        };
        let setting = &masking.setting;
        Ok(Row {
            setting: setting.setting,
            file: setting.file.clone(),
            method: setting.method.clone(),
            parameters: setting.parameters.clone(),
            run: run + 1,
            seed,
            il: overall.whole_il(),
            not_in_il,
            dr: overall.dr(),
            score: overall.score(),
            dr_2001: overall.dr_2001(),
            score_2001: overall.score_2001(),
            dr_strongest: overall.dr_strongest(),
            losses,
            risks,
            attacks,
            warnings,
        })
    }
}

/// The figures of these keys, in their order.
fn picked(figures: &[Figure], keys: &[String]) -> Map<String, Value> {
    keys.iter()
        .map(|key| (key.clone(), figure::value(figures, key).into()))
        .collect()
}

fn attacked(
    attack: &PreparedAttack,
    original: &Table,
    masked: &Masked,
    truth: &Truth,
) -> anyhow::Result<(AttackRow, Vec<Doubt>)> {
    let stated = Stated::in_memory(&masked.statement);
    let input = Input {
        statement: attack.request.wants_statement().then_some(stated),
        ..Input::new(original, &masked.table, truth)
    };
    match jobs::link::run(&attack.request, &input, &Console::quiet()) {
        Ok(attacked) => {
            // What masking did to numbers is known here, whether the attack uses it or not.
            let doubted = attacked.report.warnings.iter();
            let ids: Vec<AttrId> = doubted
                .filter_map(|doubt| original.find(&doubt.attribute).ok())
                .collect();
            let stated = Some(&masked.statement);
            let doubts = comparable::doubts(original, &masked.table, &ids, stated);
            Ok((row(attack, &attacked.report), doubts))
        }
        Err(error) if error.kind() != ErrorKind::Failed => {
            let why = match &error.location().attribute {
                Some(name) => format!("{name} {}", error.what()),
                None => error.what().to_string(),
            };
            let row = AttackRow::not_run(&attack.name, &attack.method, why);
            Ok((row, Vec::new()))
        }
        Err(error) => Err(error).context(format!("attack {}", attack.name)),
    }
}

/// The row of an attack. Where a distance was learned from some individuals, the others count: that is what an intruder gains.
fn row(attack: &PreparedAttack, report: &LinkReport) -> AttackRow {
    let others = report
        .results
        .iter()
        .any(|result| result.sample == Some(Sample::Others));
    let counts = |result: &&LinkResult| !others || result.sample == Some(Sample::Others);
    let cases = report.results.iter().filter(counts).map(|result| CaseRow {
        known: result.known.clone(),
        records: result.records,
        rate: result.rate,
        certain: result.certain,
        certain_correct: result.certain_correct,
        extremes_rate: result.beyond.extremes.map(|part| part.rate),
        far_rate: result.beyond.far.map(|part| part.rate),
        bound: result.learned.as_ref().map(|learned| learned.bound),
        split: result.split,
    });
    AttackRow {
        assign: Some(report.scenario.assign),
        caveats: report.caveats(),
        ..AttackRow::new(
            &attack.name,
            &attack.method,
            report.status == Status::Limit,
            cases.collect(),
        )
    }
}
