//! What a grid of experiments found: a row a masked file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    comparable::Doubt,
    link::AssignRule,
    overall::{Overall, Term},
    plan::{PlannedMask, PlannedOption},
    status::Status,
};
use crate::{loss, risk::interval};

/// Options of more characters that are the same in all settings of a masking are left out of labels.
const MAX_SHOWN: usize = 16;

/// What is masked how: a row of the map. Its masked files differ in their seeds only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Setting {
    /// Its number, from 0.
    pub setting: usize,
    /// What it is called in reports.
    pub label: String,
    /// Name of the original.
    pub file: String,
    /// The masking method.
    pub method: String,
    /// The name that the plan gives the masking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The options of the masking that the plan states.
    pub parameters: Map<String, Value>,
}

impl Setting {
    /// A setting of a planned masking.
    pub fn new(number: usize, file: &str, mask: &PlannedMask, options: &[PlannedOption]) -> Self {
        let varies = |option: &PlannedOption| {
            let same = |other: &PlannedOption| {
                other.step == option.step
                    && other.name == option.name
                    && other.value != option.value
            };
            mask.settings.iter().flatten().any(same)
        };
        // What is the same in all settings of a masking is called by its name; without one, what is short.
        let is_shown = |option: &PlannedOption| {
            let is_short = option.value.to_string().len() <= MAX_SHOWN;
            let has_range = (mask.range.as_ref())
                .is_some_and(|range| range.step == option.step && range.name == option.name);
            varies(option) || has_range || (mask.name.is_none() && is_short)
        };
        Self {
            setting: number,
            label: mask.label(options, is_shown),
            file: file.into(),
            method: mask.method.clone(),
            name: mask.name.clone(),
            parameters: mask.parameters(options),
        }
    }
}

/// What was measured on one masked file. Rates and losses are fractions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Row {
    /// The place of its setting in the grid.
    pub setting: usize,
    /// Name of the original.
    pub file: String,
    /// The masking method.
    pub method: String,
    /// The options of the masking, as the plan has them.
    pub parameters: Map<String, Value>,
    /// Which masked file of the setting it is, from 1.
    pub run: u32,
    /// The `--seed` that masks the same file again; `null` for a method that draws nothing, and where the seed was drawn.
    pub seed: Option<u64>,
    /// Information loss, if the plan asks for it and all that changed is in it; that of the numbers alone stays in `losses`.
    pub il: Option<f64>,
    /// The attributes that changed and are not in IL, because they are no numbers in both files: there is no score then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_in_il: Vec<String>,
    /// Disclosure risk, if all of its terms were measured.
    pub dr: Option<f64>,
    /// The mean of both.
    pub score: Option<f64>,
    /// Disclosure risk in the form of 2001, without the transparency attack.
    pub dr_2001: Option<f64>,
    /// The score with it.
    pub score_2001: Option<f64>,
    /// Disclosure risk by the strongest attack with the known attributes that link the most.
    #[serde(default)]
    pub dr_strongest: Option<f64>,
    /// The measures of information loss that the plan asks for; `null` where one is not defined.
    pub losses: Map<String, Value>,
    /// The measures of risk without linkage.
    pub risks: Map<String, Value>,
    /// What each attack found, in the order of the plan.
    pub attacks: Vec<AttackRow>,
    /// Attributes that could not be compared in earnest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Doubt>,
}

/// What one attack found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AttackRow {
    /// Its name in the plan.
    pub name: String,
    /// The method of `link`.
    pub method: String,
    /// How it assigned records, in the words of `link --assign`; nothing if it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assign: Option<AssignRule>,
    /// Correct links per record, the mean over the cases of known attributes; `null` if it was not run.
    pub rate: Option<f64>,
    /// How many cases there are.
    pub cases: usize,
    /// Records with a candidate set of one, per record: the mean over the cases.
    pub certain_rate: Option<f64>,
    /// Those of them that are true.
    pub certain_correct_rate: Option<f64>,
    /// Correct links per record in the top or bottom 1 % of a known attribute: the mean over the cases that have such records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extremes_rate: Option<f64>,
    /// Correct links per record among the 1 % farthest from the mean in Mahalanobis distance: likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub far_rate: Option<f64>,
    /// The greatest rate that any distance of the family can have: of learned distances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_rate: Option<f64>,
    /// `done`; `limit` if a limit stopped a search before its proof; `not run`.
    pub status: Status,
    /// Why it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// What the attack found while it studied the files, and must be said of its result: each kind once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<String>,
    /// Case by case.
    pub by_case: Vec<CaseRow>,
}

/// What one attack found with certain known attributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaseRow {
    /// What the intruder knew, by name.
    pub known: Vec<String>,
    /// Records that looked for a partner.
    pub records: u64,
    /// Correct links per record.
    pub rate: f64,
    /// Records with a candidate set of one.
    pub certain: u64,
    /// Those of them that are true.
    pub certain_correct: u64,
    /// Correct links per record in the top or bottom 1 % of a known attribute; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extremes_rate: Option<f64>,
    /// Correct links per record among the 1 % farthest from the mean; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub far_rate: Option<f64>,
    /// The proven bound on links, of a learned distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<u64>,
    /// Which draw of the individuals learned from it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<usize>,
}

/// The mean, summed in order; `None` of nothing.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

impl AttackRow {
    /// An attack with its cases.
    pub fn new(name: &str, method: &str, is_limited: bool, by_case: Vec<CaseRow>) -> Self {
        let per_record = |count: u64, case: &CaseRow| match case.records {
            0 => 0.0,
            records => count as f64 / records as f64,
        };
        let bounds: Option<Vec<f64>> = by_case
            .iter()
            .map(|case| Some(per_record(case.bound?, case)))
            .collect();
        Self {
            name: name.into(),
            method: method.into(),
            assign: None,
            rate: mean(by_case.iter().map(|case| case.rate)),
            cases: by_case.len(),
            certain_rate: mean(by_case.iter().map(|case| per_record(case.certain, case))),
            certain_correct_rate: mean(
                (by_case.iter()).map(|case| per_record(case.certain_correct, case)),
            ),
            extremes_rate: mean(by_case.iter().filter_map(|case| case.extremes_rate)),
            far_rate: mean(by_case.iter().filter_map(|case| case.far_rate)),
            bound_rate: bounds.and_then(|bounds| mean(bounds.into_iter())),
            status: Status::limited(is_limited),
            why_not: None,
            caveats: Vec::new(),
            by_case,
        }
    }

    /// An attack that does not apply to this masked file.
    pub fn not_run(name: &str, method: &str, why: String) -> Self {
        Self {
            status: Status::NotRun,
            why_not: Some(why),
            ..Self::new(name, method, false, Vec::new())
        }
    }
}

/// The attack that is a term of DR: that which the plan calls by the term or by the attack of the literature, else the first by its method.
fn term(attacks: &[AttackRow], term: Term) -> Option<&AttackRow> {
    let names = [term.definition().key, term.method()];
    let named = attacks
        .iter()
        .find(|attack| names.contains(&attack.name.as_str()));
    named.or_else(|| attacks.iter().find(|attack| attack.method == term.method()))
}

/// How the attack that is PLD assigned records, if that was not one to one as in the literature and in `score`: a note for people.
/// `None` too where it enters no DR.
pub fn pld_assigned_otherwise(rows: &[Row]) -> Option<String> {
    rows.iter().find_map(|row| {
        let enters = row.dr.is_some() || row.dr_2001.is_some();
        let pld = term(&row.attacks, Term::Pld).filter(|_| enters)?;
        let assign = (pld.assign).filter(|&rule| rule != AssignRule::OneToOne)?;
        Some(format!(
            "note: PLD in DR is the attack {} with assign = \"{}\"; the literature and 'sdcrisk score' assign one to one: {{ \
             method = \"prl\", assign = \"one-to-one\" }}",
            pld.name,
            assign.word()
        ))
    })
}

/// The terms of DR and of the score, as far as they were measured: the attack of this name, else the first with this method.
pub fn overall(
    attacks: &[AttackRow],
    losses: &Map<String, Value>,
    risks: &Map<String, Value>,
) -> Overall {
    let linked = |of| term(attacks, of)?.rate;
    Overall {
        il: losses.get(loss::IL.key).and_then(Value::as_f64),
        il_is_partial: false,
        il_all: losses.get(loss::IL_ALL.key).and_then(Value::as_f64),
        rsld: linked(Term::Rsld),
        dld: linked(Term::Dld),
        pld: linked(Term::Pld),
        id: risks.get(interval::BY_RANK.key).and_then(Value::as_f64),
        strongest: (attacks.iter().flat_map(|attack| &attack.by_case))
            .map(|case| case.rate)
            .max_by(f64::total_cmp),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pld_by_the_best_partner_is_told_where_it_enters_dr() {
        let attack = |name: &str, assign| AttackRow {
            assign: Some(assign),
            ..AttackRow::new(name, "prl", false, Vec::new())
        };
        let row = |attacks: Vec<AttackRow>, dr| Row {
            setting: 0,
            file: "a.csv".into(),
            method: "rankswap".into(),
            parameters: Map::new(),
            run: 1,
            seed: None,
            il: None,
            not_in_il: Vec::new(),
            dr,
            score: None,
            dr_2001: None,
            score_2001: None,
            dr_strongest: None,
            losses: Map::new(),
            risks: Map::new(),
            attacks,
            warnings: Vec::new(),
        };
        let note_of = |attacks, dr| pld_assigned_otherwise(&[row(attacks, dr)]);
        let note = note_of(vec![attack("prl", AssignRule::Best)], Some(0.1)).unwrap();
        assert!(note.contains("prl with assign = \"best\""), "{note}");
        assert_eq!(note_of(vec![attack("prl", AssignRule::Best)], None), None);
        assert_eq!(
            note_of(vec![attack("prl", AssignRule::OneToOne)], Some(0.1)),
            None
        );
        // The one that is named pld is PLD, wherever it stands.
        let both = vec![
            attack("p", AssignRule::Best),
            attack("pld", AssignRule::OneToOne),
        ];
        assert_eq!(note_of(both, Some(0.1)), None);
    }
}
