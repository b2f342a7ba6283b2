//! The report of `sdcrisk score`.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{
    crosswalk::{CrosswalkSummary, crossed},
    figures::{self, FigureRow},
    link::{LeftOutAttribute, LinkReport},
    provenance::Provenance,
    spreadsheet, text,
};
use crate::{
    attack::{Direction, probabilistic::Fit},
    evaluate::{
        comparable::Doubt,
        link::AssignRule,
        overall::{self, DR, DR_2001, Overall, SCORE, SCORE_2001, STRONGEST, Term},
    },
    figure::{self, Definition, Figure, Part},
    loss::IL,
};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.score/1";

/// Cases of which each is shown to people.
const CASES_SHOWN: usize = 12;

/// The score of a masked file, with all its terms. Rates are fractions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScoreReport {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// Attributes that could not be compared in earnest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Doubt>,
    /// Who attacked what.
    #[serde(default)]
    pub scenario: ScenarioSummary,
    /// Which form comes first.
    pub form: Form,
    /// Information loss.
    pub il: Option<f64>,
    /// Disclosure risk with RSLD.
    pub dr: Option<f64>,
    /// (IL + DR)/2.
    pub score: Option<f64>,
    /// Disclosure risk in the form of 2001.
    pub dr_2001: Option<f64>,
    /// The score with it.
    pub score_2001: Option<f64>,
    /// Disclosure risk by the strongest attack.
    pub dr_strongest: Option<f64>,
    /// Information loss of all attributes, numbers or not.
    #[serde(default)]
    pub il_all: Option<f64>,
    /// The score with it, and the form of DR that comes first.
    #[serde(default)]
    pub score_all: Option<f64>,
    /// The terms of disclosure risk.
    #[serde(default)]
    pub terms: Terms,
    /// The attacks behind RSLD, DLD and PLD, and those that may be stronger, case by case.
    #[serde(default)]
    pub links: Vec<LinkTerm>,
    /// All of it with definition, range and direction.
    #[serde(default)]
    pub figures: Vec<FigureRow>,
    /// The same in words.
    #[serde(default)]
    pub reading: Vec<String>,
    /// Where it comes from; in JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    #[serde(skip)]
    measured: Vec<Figure>,
}

/// The terms of disclosure risk; null where one was not measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Terms {
    /// Linked by the window of rank swapping.
    pub rsld: Option<f64>,
    /// Linked by distance.
    pub dld: Option<f64>,
    /// Linked by agreement.
    pub pld: Option<f64>,
    /// Interval disclosure.
    pub id: Option<f64>,
    /// Linked by the strongest attack in its worst case.
    pub strongest: Option<f64>,
}

/// Who attacked what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ScenarioSummary {
    /// Name of the original file.
    pub original: String,
    /// Name of the masked file.
    pub masked: String,
    /// Records of the original file.
    pub original_records: usize,
    /// Those that both files have: loss and interval disclosure are measured on them.
    pub compared_records: usize,
    /// The attributes on which these are measured.
    pub attributes: Vec<String>,
    /// Those of them that changed and are not in IL, because they are no numbers in both files.
    pub not_in_il: Vec<String>,
    /// What the intruder knows, as `--known` says it.
    pub known: String,
    /// Who looks for whom.
    pub direction: Direction,
    /// How the records of both files were aligned.
    pub aligned_by: String,
    /// Attributes that were not compared, and why.
    pub left_out: Vec<LeftOutAttribute>,
    /// What brought the original into the terms of the masked file before anything was compared, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crosswalk: Option<CrosswalkSummary>,
}

/// The form of DR and of the score that comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Form {
    /// With RSLD.
    #[serde(rename = "rsld")]
    Rsld,
    /// Without it, as first published.
    #[serde(rename = "2001")]
    Of2001,
}

/// What an attack is in the score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(into = "String", from = "String")]
pub enum Role {
    /// A term of the published forms.
    Term(Term),
    /// None of them, by its name: it may be the strongest.
    Other(String),
}

impl Role {
    /// Its word for programs.
    pub fn word(&self) -> &str {
        match self {
            Self::Term(term) => term.definition().key,
            Self::Other(attack) => attack,
        }
    }

    /// Its name for people.
    fn name(&self) -> String {
        match self {
            Self::Term(term) => term.name(),
            Self::Other(attack) => attack.clone(),
        }
    }
}

impl From<Role> for String {
    fn from(role: Role) -> Self {
        role.word().into()
    }
}

impl From<String> for Role {
    fn from(word: String) -> Self {
        let mut terms = Term::ALL.into_iter();
        match terms.find(|term| term.definition().key == word) {
            Some(term) => Self::Term(term),
            None => Self::Other(word),
        }
    }
}

/// An attack behind a term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkTerm {
    /// What it is in the score.
    pub term: Role,
    /// The attack, as the command line calls it.
    pub method: String,
    /// By what it links.
    pub formula: String,
    /// How records were assigned.
    pub assign: AssignRule,
    /// How the model was fitted; of probabilistic linkage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// Mean of the rates.
    pub rate: f64,
    /// Case by case.
    pub cases: Vec<LinkCase>,
    /// What must be said of the fitted models, and what the attack found out about what it assumes; each kind once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// An attack with one set of known attributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkCase {
    /// The known attributes.
    pub known: Vec<String>,
    /// Records that looked.
    pub records: u64,
    /// Correct links, a tie of t counted 1/t.
    pub correct: f64,
    /// Correct links per record.
    pub rate: f64,
    /// Its Wilson interval at 95 %.
    pub interval: [f64; 2],
    /// The rate of random guessing.
    pub baseline: f64,
}

impl LinkTerm {
    /// What an attack by one method found.
    pub fn new(term: Role, report: &LinkReport) -> Self {
        let results = &report.results;
        let first = results.first();
        let rates = results.iter().map(|result| result.rate);
        let models = || results.iter().filter_map(|result| result.model.as_ref());
        let of_models: Vec<&[String]> = models().map(|model| &model.remarks[..]).collect();
        let mut remarks = text::kinds(&of_models, "cases", meaning);
        remarks.extend(report.caveats());
        Self {
            term,
            method: first.map_or_else(String::new, |result| result.method.clone()),
            formula: first.map_or_else(String::new, |result| result.formula.clone()),
            assign: report.scenario.assign,
            fit: models().next().map(|model| model.fit),
            rate: rates.sum::<f64>() / results.len().max(1) as f64,
            cases: results
                .iter()
                .map(|result| LinkCase {
                    known: result.known.clone(),
                    records: result.records,
                    correct: result.correct.fair,
                    rate: result.rate,
                    interval: result.interval,
                    baseline: result.baseline,
                })
                .collect(),
            remarks,
        }
    }

    /// Its figure: the mean, counted over the cases' records, with a part a case.
    fn figure(&self, what: &'static Definition) -> Figure {
        let records = self.cases.iter().map(|case| case.records).sum();
        let part = |case: &LinkCase| Part {
            name: case.known.join("+"),
            value: Some(case.rate),
        };
        Figure::new(what, self.rate, records).with_parts(self.cases.iter().map(part).collect())
    }
}

/// What a remark on a model means, which is what stands after its last colon: two that mean the same are of one kind, whatever their
/// figures and attributes.
fn meaning(remark: &str) -> String {
    let meaning = remark.rsplit_once(": ");
    meaning.map_or(remark, |(_, meaning)| meaning).to_string()
}

impl ScoreReport {
    /// The report of these terms, with IL and IL_all. `no_rsld` is why there is no RSLD, if there is none.
    pub fn new(
        scenario: ScenarioSummary,
        overall: Overall,
        [il, il_all]: [Option<Figure>; 2],
        id: Option<Figure>,
        links: Vec<LinkTerm>,
        no_rsld: Option<String>,
    ) -> Self {
        let figure = |term: Term| {
            let of = links.iter().find(|link| link.term == Role::Term(term));
            of.map(|link| link.figure(term.definition()))
        };
        let absent = |what| {
            let why = no_rsld
                .clone()
                .unwrap_or_else(|| "it was not measured".into());
            Figure::undefined(what, why)
        };
        let [dr, score, dr_2001, score_2001, dr_strongest] = overall.figures();
        let terms = Term::ALL.map(|term| figure(term).unwrap_or_else(|| absent(term.definition())));
        // The same number under the name that it has in the score.
        let id = id.map(|figure| Figure {
            what: &overall::ID,
            ..figure
        });
        let form = match overall.rsld {
            Some(_) => Form::Rsld,
            None => Form::Of2001,
        };
        let (first, second) = match form {
            Form::Rsld => ([score, dr], [score_2001, dr_2001]),
            Form::Of2001 => ([score_2001, dr_2001], [score, dr]),
        };
        let [first_score, first_dr] = first;
        let mut measured = vec![first_score];
        measured.extend(il);
        measured.push(first_dr);
        measured.extend(terms);
        measured.extend(id);
        measured.extend(second);
        if overall.needs_mixed() {
            // What takes the place of IL and score.
            measured.push(overall.mixed());
            measured.extend(il_all);
        }
        measured.push(match overall.strongest {
            Some(rate) => Figure::new(&overall::STRONGEST, rate, links.len() as u64),
            None => Figure::undefined(&overall::STRONGEST, "no attack was run"),
        });
        measured.push(dr_strongest);
        let mut report = Self {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            warnings: Vec::new(),
            scenario,
            form,
            il: overall.il,
            dr: overall.dr(),
            score: overall.score(),
            dr_2001: overall.dr_2001(),
            score_2001: overall.score_2001(),
            dr_strongest: overall.dr_strongest(),
            il_all: overall.il_all,
            score_all: overall.score_all(),
            terms: Terms {
                rsld: overall.rsld,
                dld: overall.dld,
                pld: overall.pld,
                id: overall.id,
                strongest: overall.strongest,
            },
            links,
            figures: figures::rows(&measured),
            reading: Vec::new(),
            provenance: None,
            measured,
        };
        report.reading = report.read();
        report
    }

    /// The attack and the case that link the most.
    fn strongest(&self) -> Option<(&LinkTerm, &LinkCase)> {
        let cases =
            (self.links.iter()).flat_map(|term| term.cases.iter().map(move |case| (term, case)));
        // Of equal ones the first.
        cases.reduce(|most, next| {
            if next.1.rate > most.1.rate {
                next
            } else {
                most
            }
        })
    }

    /// DR in the form that is shown first.
    pub fn first_dr(&self) -> Option<f64> {
        match self.form {
            Form::Of2001 => self.dr_2001,
            Form::Rsld => self.dr,
        }
    }

    fn first_score(&self) -> Option<f64> {
        match self.form {
            Form::Of2001 => self.score_2001,
            Form::Rsld => self.score,
        }
    }

    /// The report as JSON.
    pub fn to_json(&self, provenance: Provenance) -> String {
        let report = Self {
            provenance: Some(provenance),
            ..self.clone()
        };
        serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
    }

    /// One line a figure, and one a case of known attributes, for the next program. A value that is not defined is empty.
    ///
    /// # Errors
    /// Never in fact: it writes to memory.
    pub fn to_csv(&self) -> Result<String, csv::Error> {
        let mut writer = spreadsheet::writer(Vec::new());
        writer.write_record([
            "original", "masked", "measure", "known", "value", "counted", "skipped",
        ])?;
        let (original, masked) = (&self.scenario.original, &self.scenario.masked);
        for row in &self.figures {
            let (counted, skipped) = (row.counted, row.skipped);
            writer.serialize((original, masked, &row.key, "", row.value, counted, skipped))?;
        }
        for term in &self.links {
            for case in &term.cases {
                let known = case.known.join("+");
                let records = case.records;
                writer.serialize((
                    original,
                    masked,
                    term.term.word(),
                    known,
                    case.rate,
                    records,
                    0,
                ))?;
            }
        }
        spreadsheet::text(writer)
    }

    /// The report for people.
    pub fn to_text(&self) -> String {
        let scenario = &self.scenario;
        let mut out = text::warnings(self.warnings.iter().map(Doubt::text));
        out += &format!(
            "The score of {}, masked from {}: {} records, {}\n",
            scenario.masked,
            scenario.original,
            scenario.compared_records,
            match scenario.attributes.len() {
                1 => "1 attribute".into(),
                n => format!("{n} attributes"),
            }
        );
        out += &crossed(scenario.crosswalk.as_ref());
        out.push('\n');
        out += &figures::table(&self.measured);
        out += "\nCorrect links per record, by what the intruder knows (mean: the term above; in brackets 95 %):\n\n";
        out += &self.cases();
        out += "\nHow to read it:\n";
        for line in &self.reading {
            out += &text::paragraph(line);
        }
        out
    }

    /// What each figure is, and where it was published: for people who ask.
    pub fn definitions(&self) -> String {
        format!(
            "\nWhat the figures are:\n{}",
            figures::definitions(&self.measured)
        )
    }

    /// The score and what it is the mean of, in the form that comes first, with the strongest attack: for pipelines and logs.
    pub fn to_brief(&self) -> String {
        let (risk, score) = match self.form {
            Form::Rsld => (DR.key, SCORE.key),
            Form::Of2001 => (DR_2001.key, SCORE_2001.key),
        };
        let headline = [score, IL.key, risk, STRONGEST.key];
        let chosen = |key: &&str| figure::find(&self.measured, key).cloned();
        let figures: Vec<Figure> = headline.iter().filter_map(chosen).collect();
        text::warnings(self.warnings.iter().map(Doubt::text))
            + &format!(
                "{} against {}\n",
                self.scenario.original, self.scenario.masked
            )
            + &crossed(self.scenario.crosswalk.as_ref())
            + &figures::lines(&figures)
    }

    /// A line a case, a column a term.
    fn cases(&self) -> String {
        let terms: Vec<String> = self
            .links
            .iter()
            .map(|term| term.term.word().to_uppercase())
            .collect();
        let mut header = vec!["known", ""];
        header.extend(terms.iter().map(String::as_str));
        header.push("by chance");
        let cases = self.links.first().map_or(&[][..], |term| &term.cases);
        let shown = |case: &LinkCase| {
            let [low, high] = case.interval;
            let digits = |share: f64| text::percent(share).replace(" %", "");
            format!(
                "{} ({} to {})",
                text::percent(case.rate),
                digits(low),
                digits(high)
            )
        };
        let row = |(place, case): (usize, &LinkCase)| {
            let before = place.checked_sub(1).map(|place| &cases[place].known[..]);
            let known = match before.and_then(|before| case.known.strip_prefix(before)) {
                Some(added) => format!("+ {}", text::names(added, 3)),
                None => text::names(&case.known, 3),
            };
            let mut row = vec![case.known.len().to_string(), known];
            let of_terms = self.links.iter().map(|term| term.cases.get(place));
            row.extend(of_terms.map(|case| case.map_or("-".into(), shown)));
            row.push(text::percent(case.baseline));
            row
        };
        let rows: Vec<Vec<String>> = cases
            .iter()
            .enumerate()
            .take(CASES_SHOWN)
            .map(row)
            .collect();
        let mut table = text::columns(&header, &rows, 2);
        if let rest @ 1.. = cases.len().saturating_sub(CASES_SHOWN) {
            let _ = writeln!(table, "  and {rest} more; --format json has all");
        }
        table
    }

    fn read(&self) -> Vec<String> {
        let percent = |share: Option<f64>| share.map_or("not defined".into(), text::percent);
        let mut lines = vec![format!(
            "Score {}: the mean of what masking cost (IL {}) and of what an intruder still finds (DR {}). Lower is better. Compare it \
             with the score of other maskings of the same file, measured in the same way; by itself it says little.",
            percent(self.first_score()),
            percent(self.il),
            percent(self.first_dr())
        )];
        if let Some((term, case)) = self.strongest() {
            lines.push(format!(
                "The strongest attack, {} with {}, links {}. The published forms of DR average over attacks and over what the intruder                  knows; 'DR, strongest attack' does not ({}).",
                term.method,
                match case.known.len() {
                    1 => "1 known attribute".into(),
                    n => format!("{n} known attributes"),
                },
                text::percent(case.rate),
                percent(self.dr_strongest)
            ));
        }
        let missed = &self.scenario.not_in_il;
        if !missed.is_empty() {
            let names: Vec<&str> = missed.iter().map(String::as_str).collect();
            lines.push(format!(
                "IL is of numbers only: what was lost of {} ({} of {} compared attributes, changed, and not numbers in both files) is \
                 not in it, so there is no score. IL_all ({}) takes their entropy loss for it, and the score with it ({}) is for comparing \
                 maskings of this file; 'sdcrisk loss' has both parts, and changed cells and frequencies.",
                text::names(&names, 6),
                missed.len(),
                self.scenario.attributes.len(),
                percent(self.il_all),
                percent(self.score_all)
            ));
        }
        let why = |key| {
            let figure = figure::find(&self.measured, key)?;
            figure.why_not.clone()
        };
        if let Some(why) = why(overall::RSLD.key) {
            lines.push(format!(
                "The form of 2001 comes first, because RSLD is absent: {why}. For a file that was rank swapped, give --p, --window or --statement."
            ));
        }
        if self.il.is_some_and(|il| il > 1.0) {
            lines.push(
                "IL is above 100 %: it divides differences by original values, and some of these are near zero. It has no upper bound; \
                 'sdcrisk loss' has measures that have one (il1s, pil)."
                    .into(),
            );
        }
        if let Some(pld) = self
            .links
            .iter()
            .find(|link| link.term == Role::Term(Term::Pld))
        {
            let assigned = match pld.assign {
                AssignRule::OneToOne => "records assigned one to one",
                AssignRule::Best | AssignRule::Balanced => "each record with its best",
            };
            lines.push(format!("PLD: {}; {assigned}.", pld.formula));
        }
        for term in &self.links {
            let name = term.term.name();
            lines.extend(
                term.remarks
                    .iter()
                    .map(|remark| format!("{name}: {remark}")),
            );
        }
        lines
    }
}
