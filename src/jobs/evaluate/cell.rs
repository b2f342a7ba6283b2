//! One cell of the grid: a file is masked once, measured, and attacked in every way.

use serde_json::{Map, Value};

use super::{Cell, Grid, Masking, PlannedLink};
use crate::{
    error::{ErrorKind, Result},
    evaluate::{
        comparable::{self, Doubt},
        grid::{AttackRow, CaseRow, Row, Setting, overall},
        overall::Overall,
        status::Status,
        truth::{MaskedRecord, OriginalRecord, Truth},
    },
    figure::{self, Figure},
    jobs::{
        Observer, Quiet,
        link::{self, Input, Stated},
        mask::recipe::Release,
    },
    report::link::{LinkReport, LinkResult, Sample},
    rng::Seed,
    statement::{Laws, Statement},
    table::{AttrId, Table},
};

impl Grid {
    /// What is found on one masked file. The row has its seed if the plan states one.
    ///
    /// # Errors
    /// When the file cannot be masked or measured; the row names an attack that does not apply to it.
    pub(super) fn row(&self, cell: Cell, observer: &dyn Observer) -> Result<Row> {
        let masking = &self.settings[cell.setting];
        let Setting { label, file, .. } = &masking.setting;
        let original = self.originals[masking.original].table.clone();
        let seed = self.seed + u64::from(cell.run);
        let release = self.release(masking, original, &Seed::from_number(seed))?;
        let shown = (masking.is_random() && self.plan.seed.is_some()).then_some(seed);
        self.measured((masking, cell.run), &release, shown, observer)
            .map_err(|error| error.during(format_args!("{label} of {file}")))
    }

    /// All steps of a masking. Nothing is noted of them here: of the first it was, when it was prepared.
    fn release(&self, masking: &Masking, original: Table, seed: &Seed) -> Result<Release> {
        let Setting { label, file, .. } = &masking.setting;
        let mut release = Release::new(original);
        (release.mask(&masking.method, seed))
            .map_err(|error| self.passage(masking).blamed([label, file], error))?;
        for step in &masking.later {
            let prepared = release.prepared(&step.request, step.key.as_ref(), &Quiet);
            prepared
                .and_then(|prepared| release.mask(&prepared, seed))
                .map_err(|error| self.passage_of(step).blamed([label, file], error))?;
        }
        Ok(release)
    }

    fn measured(
        &self,
        (masking, run): (&Masking, u32),
        release: &Release,
        seed: Option<u64>,
        observer: &dyn Observer,
    ) -> Result<Row> {
        let original = &self.originals[masking.original];
        let (masked, origin) = (release.table(), release.origin());
        let pairs: Vec<(MaskedRecord, OriginalRecord)> = (0..)
            .zip(origin)
            .map(|(own, of)| (MaskedRecord(own), OriginalRecord(of)))
            .collect();
        let truth = Truth::by_key(original.table.n_records(), masked.n_records(), &pairs)?;
        let measured = original.measured(masked, &truth, &self.plan)?;
        let losses = picked(&measured.losses, &self.plan.losses);
        let risks = picked(&measured.risks, &self.plan.risks);
        let not_in_il = measured.not_in_il;
        let (mut attacks, mut warnings) = (Vec::new(), Vec::new());
        for attack in &masking.attacks {
            let (row, doubts) = attack.run(&original.table, release, &truth, observer)?;
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

impl PlannedLink {
    /// What the attack finds, and what could not be compared in earnest.
    fn run(
        &self,
        original: &Table,
        release: &Release,
        truth: &Truth,
        observer: &dyn Observer,
    ) -> Result<(AttackRow, Vec<Doubt>)> {
        let (masked, statement) = (release.table(), release.statement());
        let is_used = |statement: &&Statement| {
            let mut attacks = self.request.attacks.single_attacks();
            self.request.wants_statement()
                || statement.recodes()
                || attacks.any(|attack| !attack.uses_what_was_published() && attack.uses(statement))
        };
        let input = Input {
            statement: statement.filter(is_used).map(Stated::in_memory),
            ..Input::new(original, masked, truth)
        };
        match link::run(&self.request, &input, observer) {
            Ok(attacked) => {
                // What masking did to numbers is known here, whether the attack uses it or not.
                let doubted = attacked.report.warnings.iter();
                let ids: Vec<AttrId> = doubted
                    .filter_map(|doubt| original.find(&doubt.attribute).ok())
                    .collect();
                let laws = statement.map(Laws::of);
                let doubts = comparable::doubts(original, masked, &ids, laws.as_ref());
                Ok((self.row(&attacked.report), doubts))
            }
            Err(error) if error.kind() != ErrorKind::Failed => {
                let why = match &error.location().attribute {
                    Some(name) => format!("{name} {}", error.what()),
                    None => error.what().to_string(),
                };
                let row = AttackRow::not_run(&self.name, &self.method, why);
                Ok((row, Vec::new()))
            }
            Err(error) => Err(error.during(format_args!("attack {}", self.name))),
        }
    }

    /// Its row. Where a distance was learned from some individuals, the others count: that is what an intruder gains.
    fn row(&self, report: &LinkReport) -> AttackRow {
        let are_others = |result: &LinkResult| result.sample == Some(Sample::Others);
        let some_others = report.results.iter().any(are_others);
        let counts = |result: &&LinkResult| !some_others || are_others(result);
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
                &self.name,
                &self.method,
                report.status == Status::Limit,
                cases.collect(),
            )
        }
    }
}
