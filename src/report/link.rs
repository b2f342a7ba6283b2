//! The report of `sdcrisk link`.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    calibration::{self, CalibrationBand},
    io_error,
    learned::{LearnedSummary, OPTIMAL},
    match_attributes::SituationSummary,
    probabilistic::ModelSummary,
    text,
};
use crate::{
    attack::{Attack, learned::Lesson},
    evaluate::{
        link::{Claim, Outcome},
        score::Ties,
    },
    stats::interval::resampled_mean,
};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.link/1";

/// What `sdcrisk link` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkReport {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// `done`, or `limit` if a limit stopped the work.
    pub status: &'static str,
    /// Who attacked what.
    pub scenario: ScenarioSummary,
    /// One entry a method and set of known attributes.
    pub results: Vec<LinkResult>,
    /// One entry a method with more than one case.
    pub means: Vec<MeanRate>,
    /// The attacks that do not apply, where all were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<MethodNotRun>,
}

/// An attack that does not apply, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MethodNotRun {
    /// The attack.
    pub method: &'static str,
    /// Why.
    pub why: String,
}

/// Who attacked what, and how links were counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScenarioSummary {
    /// Name of the original file.
    pub original: String,
    /// Name of the masked file.
    pub masked: String,
    /// Records of the original file, all told.
    pub original_records: usize,
    /// Records of the masked file.
    pub masked_records: usize,
    /// Records that the intruder holds.
    pub known_records: usize,
    /// Who looks for whom.
    pub direction: &'static str,
    /// How the records of both files were aligned to judge the links.
    pub aligned_by: String,
    /// How a tie counts in `rate`.
    pub ties: &'static str,
    /// How records were assigned.
    pub assign: &'static str,
    /// Attributes that were not compared, and why.
    pub left_out: Vec<LeftOutAttribute>,
    /// Of an attack without common attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregates: Option<AggregatesSummary>,
}

/// What was aggregated where the files share no attribute.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AggregatesSummary {
    /// The attributes of the masked file; those of the original are the known ones.
    pub masked_attributes: Vec<String>,
    /// Attributes of the original that were turned round, because they fall where the others rise.
    pub turned: Vec<String>,
    /// Those of the masked file.
    pub masked_turned: Vec<String>,
    /// Which of the four situations of linkage the files are in; null if it cannot be told.
    pub situation: Option<SituationSummary>,
}

impl AggregatesSummary {
    /// What was done, and what it rests on.
    fn reading(&self) -> Vec<String> {
        let turned: Vec<&str> = [&self.turned, &self.masked_turned]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let mut lines = vec![format!(
            "No attribute was compared with another: the masked file's {} ({}) were aggregated as the intruder's were. It works as far \
             as both files rank the same people alike{}.",
            match self.masked_attributes.len() {
                1 => "attribute".to_string(),
                n => format!("{n} attributes"),
            },
            text::names(&self.masked_attributes, 8),
            match turned.len() {
                0 => String::new(),
                _ => format!(
                    "; turned round, because they fall where the others of their file rise: {}",
                    text::names(&turned, 8)
                ),
            }
        )];
        lines.extend(self.situation.as_ref().map(SituationSummary::sentence));
        lines
    }
}

/// An attribute that was not compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOutAttribute {
    /// Its name.
    pub attribute: String,
    /// Why.
    pub why: String,
}

/// What one method found in one case. Rates are fractions, counts are numbers of records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkResult {
    /// The attack.
    pub method: &'static str,
    /// The distance, weight or law that it goes by.
    pub formula: String,
    /// Whether it was made from who is whom, which no intruder knows.
    pub worst_case: bool,
    /// What it does, in words that follow "an intruder who".
    #[serde(skip)]
    pub in_words: String,
    /// The attributes that the intruder knew.
    pub known: Vec<String>,
    /// Records that looked for a partner.
    pub records: u64,
    /// Those of them that have one.
    pub with_partner: u64,
    /// Correct links under each rule for ties.
    pub correct: Correct,
    /// Correct links per record under the rule asked for.
    pub rate: f64,
    /// Correct links per record that has a partner: the same, unless some have none.
    pub rate_of_findable: f64,
    /// Wilson interval of the rate at 95 %.
    pub interval: [f64; 2],
    /// The rate of random guessing.
    pub baseline: f64,
    /// Records with a candidate set of one.
    pub certain: u64,
    /// Those of them that are true.
    pub certain_correct: u64,
    /// Records with an empty candidate set.
    pub empty: u64,
    /// Mean size of the candidate set.
    pub candidates_mean: f64,
    /// Least, quartiles, greatest size of the candidate set; null for methods without such sets.
    pub candidates_quantiles: Option<[u32; 5]>,
    /// Records whose true partner is among the candidates.
    pub contains_true: u64,
    /// The window of ranks assumed for each known attribute; null for methods that assume none.
    pub windows: Option<Vec<usize>>,
    /// Of a one-to-one assignment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignment: Option<AssignmentSummary>,
    /// Of whom the rate is, where distances were learned from some individuals and others attacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
    /// Which draw of these individuals it is, counted from 1; null if there is one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<usize>,
    /// What was learned and proven; only of distances that were learned from these records.
    #[serde(flatten)]
    pub learned: Option<LearnedSummary>,
    /// The rate that the attack expected, from the probabilities that it stated for its links; only of attacks that state any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// What was fitted; only of attacks that fit a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSummary>,
    /// What became of links by their stated probability, a tie of t counted 1/t.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<CalibrationBand>,
}

/// Whose records a rate is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sample {
    /// Those that the distance was learned from.
    Training,
    /// All others.
    Others,
}

impl Sample {
    fn word(self) -> &'static str {
        match self {
            Self::Training => "learned from",
            Self::Others => "others",
        }
    }
}

/// Correct links under each rule for ties.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correct {
    /// A tie of t that holds the true record counts 1/t.
    pub fair: f64,
    /// It counts 0.
    pub strict: u64,
    /// It counts 1.
    pub optimistic: u64,
}

/// What a one-to-one assignment cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssignmentSummary {
    /// Sum of the costs of the pairs (squared distances, where the attack is by distance).
    pub cost: f64,
    /// Number of pairs.
    pub pairs: u64,
    /// `optimal` if cost and bound agree to nine digits, else `bounded`.
    pub proof: &'static str,
    /// No assignment of as many pairs costs less than this, up to rounding.
    pub bound: f64,
}

impl AssignmentSummary {
    /// What is left unproven of the cost, as a share of it.
    fn gap(&self) -> f64 {
        match self.cost - self.bound {
            gap if gap > 0.0 => gap / self.cost.abs().max(self.bound.abs()),
            _ => 0.0,
        }
    }
}

/// The mean rate of a method over the cases of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanRate {
    /// The attack.
    pub method: &'static str,
    /// Whose records, where distances were learned from some individuals and others attacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
    /// Number of cases, or of draws of the individuals.
    pub cases: usize,
    /// Mean of their rates.
    pub rate: f64,
    /// Of draws: an interval for the rate of another draw's mean at 95 %, by the corrected resampled t statistic (draws overlap).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

impl LinkResult {
    /// Joins what is known of one attack on one case.
    pub fn new(attack: &dyn Attack, known: &[String], outcome: &Outcome, ties: Ties) -> Self {
        let score = &outcome.score;
        let (low, high) = score.interval(ties);
        Self {
            method: attack.name(),
            formula: attack.formula(),
            worst_case: attack.needs_alignment(),
            in_words: attack.in_words(),
            known: known.to_vec(),
            records: score.records,
            with_partner: score.with_partner,
            correct: Correct {
                fair: score.fair,
                strict: score.strict,
                optimistic: score.optimistic,
            },
            rate: score.rate(ties),
            rate_of_findable: match score.with_partner {
                0 => 0.0,
                findable => score.correct(ties) / findable as f64,
            },
            interval: [low, high],
            baseline: score.baseline(),
            certain: score.certain,
            certain_correct: score.certain_correct,
            empty: score.empty,
            candidates_mean: score.candidates_mean,
            candidates_quantiles: score.candidates_quantiles,
            contains_true: score.contains_true,
            windows: attack.windows(known),
            sample: None,
            split: None,
            learned: None,
            assignment: outcome.assignment.map(|total| AssignmentSummary {
                cost: total.cost,
                pairs: total.pairs,
                proof: match total.is_proven {
                    true => "optimal",
                    false => "bounded",
                },
                bound: total.bound,
            }),
            model: outcome
                .fitted
                .as_ref()
                .map(|fitted| ModelSummary::new(known, fitted)),
            expected: outcome.calibration.as_ref().map(|said| said.expected),
            calibration: outcome
                .calibration
                .as_ref()
                .map(calibration::bands)
                .unwrap_or_default(),
        }
    }

    /// Whether a better distance of its kind could not be ruled out.
    pub fn is_unproven(&self) -> bool {
        self.learned
            .as_ref()
            .is_some_and(|learned| learned.proof != OPTIMAL)
    }

    /// Adds what was learned from these records, on these attributes: this result is then the recount of it.
    pub fn learn(&mut self, lesson: &Lesson, known: &[String]) {
        self.worst_case = true;
        self.in_words = format!(
            "compares records by {} that links the most of them ({}, a worst case)",
            lesson.distance.family.in_words(),
            self.method
        );
        self.learned = Some(LearnedSummary::new(
            lesson,
            known,
            self.correct.strict,
            self.records,
        ));
    }

    fn correct_of(&self, ties: &str) -> f64 {
        match ties {
            "strict" => self.correct.strict as f64,
            "optimistic" => self.correct.optimistic as f64,
            _ => self.correct.fair,
        }
    }
}

/// The means over the cases of each method; none unless the cases are a family, of which a mean is of interest, or several draws.
pub fn means(results: &[LinkResult], family: bool) -> Vec<MeanRate> {
    let is_drawn = results.iter().any(|result| result.split.is_some());
    if !family && !is_drawn {
        return Vec::new();
    }
    let mut kinds: Vec<(&'static str, Option<Sample>)> = Vec::new();
    for result in results {
        if !kinds.contains(&(result.method, result.sample)) {
            kinds.push((result.method, result.sample));
        }
    }
    let mean = |(method, sample): (&'static str, Option<Sample>)| {
        let of_kind: Vec<&LinkResult> = results
            .iter()
            .filter(|result| result.method == method && result.sample == sample)
            .collect();
        let rates: Vec<f64> = of_kind.iter().map(|result| result.rate).collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        // Who is attacked in a draw is whoever is not learned from.
        let learned_from = |records: u64| match sample {
            Some(Sample::Others) => of_others_to_training(results, records),
            _ => 0.0,
        };
        MeanRate {
            method,
            sample,
            cases: rates.len(),
            rate: mean,
            interval: (is_drawn && !family && rates.len() > 1)
                .then(|| {
                    of_kind
                        .first()
                        .map_or(0.0, |first| learned_from(first.records))
                })
                .map(|ratio| resampled_mean(&rates, ratio).map(|rate| rate.clamp(0.0, 1.0))),
        }
    };
    kinds.into_iter().map(mean).collect()
}

/// How many others are attacked for each individual that is learned from.
fn of_others_to_training(results: &[LinkResult], others: u64) -> f64 {
    let training = results
        .iter()
        .find(|result| result.sample == Some(Sample::Training))
        .map_or(others, |result| result.records);
    others as f64 / training.max(1) as f64
}

impl LinkReport {
    /// For programs.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self)
            .unwrap_or_else(|_| unreachable!("a report holds strings and finite numbers only"));
        json.push('\n');
        json
    }

    /// One line a method and case, for the next program.
    ///
    /// # Errors
    /// Never in fact: it writes to memory.
    pub fn to_csv(&self) -> Result<String, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record([
            "method",
            "known",
            "n_known",
            "records",
            "correct_fair",
            "correct_strict",
            "correct_optimistic",
            "rate",
            "interval_low",
            "interval_high",
            "baseline",
            "certain",
            "certain_correct",
            "empty",
            "candidates_mean",
            "contains_true",
            "with_partner",
            "rate_of_findable",
            "known_records",
            "masked_records",
            "direction",
            "ties",
            "assign",
            "worst_case",
            "expected",
            "assignment_cost",
            "formula",
            "sample",
            "split",
            "bound",
            "gap",
            "proof",
        ])?;
        for r in &self.results {
            let scenario = &self.scenario;
            let counts = (
                r.method,
                r.known.join("+"),
                r.known.len(),
                r.records,
                r.correct.fair,
                r.correct.strict,
                r.correct.optimistic,
                r.rate,
                r.interval[0],
                r.interval[1],
                r.baseline,
                r.certain,
                r.certain_correct,
                r.empty,
            );
            writer.serialize((
                counts,
                r.candidates_mean,
                r.contains_true,
                r.with_partner,
                r.rate_of_findable,
                scenario.known_records,
                scenario.masked_records,
                scenario.direction,
                scenario.ties,
                scenario.assign,
                r.worst_case,
                r.expected,
                r.assignment.as_ref().map(|assignment| assignment.cost),
                &r.formula,
                r.sample,
                (
                    r.split,
                    r.learned.as_ref().map(|learned| learned.bound),
                    r.learned.as_ref().map(|learned| learned.gap),
                    r.learned.as_ref().map(|learned| learned.proof),
                ),
            ))?;
        }
        let bytes = writer
            .into_inner()
            .map_err(csv::IntoInnerError::into_error)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let scenario = &self.scenario;
        let mut out = format!(
            "Who links whom: {} against {}\n",
            scenario.original, scenario.masked
        );
        let (seekers, sought) = match scenario.direction {
            "masked-to-original" => (
                format!("each of {} masked records", scenario.masked_records),
                format!("{} records of the intruder", scenario.known_records),
            ),
            _ => (
                format!("each of {} records of the intruder", scenario.known_records),
                format!("{} masked records", scenario.masked_records),
            ),
        };
        out += &text::paragraph(&format!(
            "{seekers} looks for its own among {sought}{} (judged by {}; ties count {}; {}).",
            match self
                .results
                .iter()
                .find(|r| r.sample == Some(Sample::Training))
            {
                Some(training) => format!(
                    ", but for the {} individuals that distances are learned from: these look among themselves, all others \
                     among the others' masked records, each part standardised by itself",
                    training.records
                ),
                None => String::new(),
            },
            scenario.aligned_by,
            match scenario.ties {
                "strict" => "0",
                "optimistic" => "as found",
                _ => "1/t",
            },
            match scenario.assign {
                "one-to-one" => "all assigned at once, one to one",
                "balanced" => "each takes the most likely, given that all are linked one to one",
                _ => "each takes its nearest",
            }
        ));
        if !scenario.left_out.is_empty() {
            let reasons: Vec<String> = scenario
                .left_out
                .iter()
                .map(|left| format!("{} {}", left.attribute, left.why))
                .collect();
            out += &text::paragraph(&format!("Not compared: {}.", reasons.join("; ")));
        }
        out.push('\n');
        out += &self.rates_table();
        out.push('\n');
        if let Some(result) = self.best_calibrated() {
            out += &format!(
                "What {} said of its links{}\n",
                result.method,
                self.case_of(result)
            );
            out += &calibration::table(&result.calibration);
            out.push('\n');
        }
        if let Some((result, model)) = self.best_fitted() {
            out += &format!("What {} fitted{}\n", result.method, self.case_of(result));
            out += &model.to_text();
            out.push('\n');
        }
        for line in self.reading() {
            out += &text::paragraph(&line);
        }
        out
    }

    /// Of the results of attacks that state probabilities, the one with the highest rate.
    fn best_calibrated(&self) -> Option<&LinkResult> {
        self.results
            .iter()
            .filter(|r| r.expected.is_some() && r.records > 0)
            .max_by(|a, b| a.rate.total_cmp(&b.rate))
    }

    /// Of the results of attacks that fit a model, the one with the highest rate.
    fn best_fitted(&self) -> Option<(&LinkResult, &ModelSummary)> {
        let fitted = self
            .results
            .iter()
            .filter_map(|r| Some((r, r.model.as_ref()?)));
        fitted.max_by(|a, b| a.0.rate.total_cmp(&b.0.rate))
    }

    /// Of which case a result is, in words that follow the method; nothing if it has one case only.
    fn case_of(&self, result: &LinkResult) -> String {
        let same = |other: &&LinkResult| other.method == result.method;
        match self.results.iter().filter(same).count() {
            1 => String::new(),
            _ => format!(", knowing {}", self.case_label(result)),
        }
    }

    fn rates_table(&self) -> String {
        let candidate_sets = self
            .results
            .iter()
            .any(|r| r.candidates_quantiles.is_some());
        let mut header = vec![
            "method",
            "known",
            "correct links",
            "of",
            "rate",
            "95 % interval",
            "by chance",
        ];
        let sampled = self.results.iter().any(|r| r.sample.is_some());
        if sampled {
            header.insert(2, "records");
        }
        let learned = self.results.iter().any(|r| r.learned.is_some());
        if learned {
            // Proofs are about links without ties, whatever a tie counts in the rate.
            header.extend(["without ties", "best of its kind"]);
        }
        if candidate_sets {
            header.extend(["certain", "true", "empty", "true inside", "candidates"]);
        }
        let rows: Vec<Vec<String>> = self
            .results
            .iter()
            .map(|r| {
                let mut row = vec![
                    format!("{}{}", r.method, if r.worst_case { " *" } else { "" }),
                    self.case_label(r),
                    text::count(r.correct_of(self.scenario.ties)),
                    r.records.to_string(),
                    text::percent(r.rate),
                    format!(
                        "{} to {}",
                        text::percent(r.interval[0]),
                        text::percent(r.interval[1])
                    ),
                    text::percent(r.baseline),
                ];
                if sampled {
                    let sample = r.sample.map_or("all", Sample::word);
                    let split = r
                        .split
                        .map_or(String::new(), |split| format!(", draw {split}"));
                    row.insert(2, format!("{sample}{split}"));
                }
                if learned {
                    let bound = r.learned.as_ref().map(LearnedSummary::bound_in_words);
                    row.push(r.correct.strict.to_string());
                    row.push(bound.unwrap_or_else(|| "–".into()));
                }
                if candidate_sets {
                    row.extend(match r.candidates_quantiles {
                        Some(_) => [
                            r.certain.to_string(),
                            r.certain_correct.to_string(),
                            r.empty.to_string(),
                            r.contains_true.to_string(),
                            format!("{:.1}", r.candidates_mean),
                        ],
                        None => ["–", "–", "–", "–", "all"].map(String::from),
                    });
                }
                row
            })
            .chain(self.means.iter().map(|mean| {
                let of = match mean.interval {
                    Some(_) => "draws",
                    None => "cases",
                };
                let mut row = vec![
                    mean.method.to_string(),
                    format!("mean of {} {of}", mean.cases),
                    String::new(),
                    String::new(),
                    text::percent(mean.rate),
                ];
                if sampled {
                    row.insert(2, mean.sample.map_or("all", Sample::word).into());
                }
                if let Some([low, high]) = mean.interval {
                    row.push(format!("{} to {}", text::percent(low), text::percent(high)));
                }
                row.resize(header.len(), String::new());
                row
            }))
            .collect();
        text::columns(&header, &rows, 2)
    }

    /// What the intruder knew in a case: all names, or the ends of the list where each case goes on from the last.
    fn case_label(&self, result: &LinkResult) -> String {
        const NAMES_IN_FULL: usize = 3;
        let known = &result.known;
        let longest = self
            .results
            .iter()
            .map(|r| &r.known)
            .max_by_key(|known| known.len());
        let nested = longest
            .is_some_and(|longest| self.results.iter().all(|r| longest.starts_with(&r.known)));
        match known.as_slice() {
            [first, .., last] if nested && known.len() > NAMES_IN_FULL => {
                format!("{first} … {last} ({})", known.len())
            }
            _ => known.join(", "),
        }
    }

    /// What the figures mean, for somebody who never read a paper.
    fn reading(&self) -> Vec<String> {
        let seekers = match self.scenario.direction {
            "masked-to-original" => {
                "masked records that are linked to their own record of the intruder's file"
            }
            _ => "the intruder's records that are linked to their own masked record",
        };
        let mut lines = vec![format!(
            "How to read this (higher = more risk): the rate is the share of {seekers}. The interval is the uncertainty \
             of a share counted on so many records; by chance is what blind guessing gets."
        )];
        // What was learned from somebody says little of others.
        let of_others = |r: &&LinkResult| r.sample != Some(Sample::Training);
        let worst = self
            .results
            .iter()
            .filter(of_others)
            .max_by(|a, b| a.rate.total_cmp(&b.rate));
        if let Some(worst) = worst.filter(|worst| worst.records > 0) {
            lines.push(self.reading_of_worst(worst));
        }
        if let Some(aggregates) = &self.scenario.aggregates {
            lines.extend(aggregates.reading());
        }
        lines.extend(self.reading_of_learned());
        if self.results.iter().any(|r| r.worst_case) {
            lines.push(
                "* A worst case: the distance was made from who is whom, which an intruder does not know.".into(),
            );
        }
        for not_run in &self.not_run {
            lines.push(format!("Not run: {} ({}).", not_run.method, not_run.why));
        }
        if let Some((_, model)) = self.best_fitted() {
            lines.extend(model.reading());
        }
        let narrowed = self
            .results
            .iter()
            .filter(|r| r.candidates_quantiles.is_some());
        if let Some(result) = narrowed.max_by_key(|r| r.certain) {
            lines.push(self.reading_of_certain(result));
        }
        if let Some((result, expected)) = self
            .best_calibrated()
            .and_then(|result| Some((result, result.expected?)))
        {
            lines.push(calibration::reading(
                result.method,
                expected,
                result.rate,
                &result.calibration,
            ));
        }
        lines.extend(self.reading_of_assignments());
        lines.push(
            "These are measured risks under this scenario only; an intruder with other knowledge or another attack may \
             find more."
                .into(),
        );
        lines
    }

    fn reading_of_worst(&self, worst: &LinkResult) -> String {
        let known = match worst.known.len() {
            1 => format!("{} alone", worst.known[0]),
            n => format!("{n} attributes ({})", text::names(&worst.known, 8)),
        };
        let times = worst.rate / worst.baseline;
        let against = if worst.rate <= worst.baseline {
            "no better than guessing".to_string()
        } else if times.is_finite() && times >= 2.0 {
            format!("{times:.0} times what guessing gets")
        } else {
            "better than guessing".to_string()
        };
        // What a tie counts decides what the count is.
        let count = match (self.scenario.assign, self.scenario.ties) {
            ("one-to-one", _) | (_, "strict") => "",
            (_, "optimistic") => "at most ",
            _ if worst.correct.strict == worst.correct.optimistic => "",
            _ => "on average ",
        };
        let mut line = format!(
            "The highest rate: an intruder who knows {known} and {} links {count}{} of {} records correctly, {} ({against}).",
            self.describe(worst),
            text::count(worst.correct_of(self.scenario.ties)),
            worst.records,
            text::percent(worst.rate),
        );
        if worst.with_partner < worst.records {
            line += &format!(
                " Only {} of these records have a partner to be found; of those it is {}.",
                worst.with_partner,
                text::percent(worst.rate_of_findable)
            );
        }
        line
    }

    fn reading_of_certain(&self, result: &LinkResult) -> String {
        let case = self.case_of(result);
        let records = match result.certain {
            0 => "none; no record is left with a single candidate".to_string(),
            1 => "1 record is left with a single candidate".to_string(),
            several => format!("{several} records are left with a single candidate"),
        };
        let right = match (result.certain, result.certain_correct) {
            (0, _) => String::new(),
            (all, right) if all == right => "; all of these links are right".to_string(),
            (_, right) => format!("; {right} of these links are right"),
        };
        let mut line = format!("Certain links ({}{case}): {records}{right}.", result.method);
        let lost = result.with_partner - result.contains_true;
        if lost > 0 {
            line += &format!(
                " For {lost} records the true one was not among the candidates: what is assumed of the masking does not hold for \
                 this file, or (averages of several attributes) cannot hold for all. A single candidate proves nothing then."
            );
        } else if result.with_partner < result.records {
            line += " Some records have no partner here, so an intruder cannot be sure of a single candidate.";
        } else {
            line += " Every true record was among its candidates, as it must be when what is assumed of the masking is right or \
                     too wide.";
            if result.certain > 0 {
                line += " The intruder then knows that such links are right.";
            }
        }
        line
    }

    /// What the proofs say, and what rates on the records learned from do not.
    fn reading_of_learned(&self) -> Vec<String> {
        let learned = self
            .results
            .iter()
            .filter_map(|result| Some((result, result.learned.as_ref()?)));
        let Some((best, summary)) = learned.max_by(|(a, _), (b, _)| a.rate.total_cmp(&b.rate))
        else {
            return Vec::new();
        };
        let mut lines = vec![summary.reading(best.method, best.correct.strict, best.records)];
        let is_tested = self
            .results
            .iter()
            .any(|r| r.sample == Some(Sample::Others));
        lines.push(match is_tested {
            true => "A learned distance fits the records it was learned from; the rows \"others\" show what it does to people of whom \
                     the intruder knew nothing beforehand."
                .into(),
            false => format!(
                "It was learned from the very records that it links, which overstates what an intruder can do who knows only \
                 some of these people{}",
                match best.records / 2 {
                    0..2 => ".".to_string(),
                    half => format!(
                        ": --train-records {} learns from some and attacks the others.",
                        half.min(400)
                    ),
                }
            ),
        });
        lines
    }

    /// Whether the assignments are the cheapest.
    fn reading_of_assignments(&self) -> Option<String> {
        let assigned = self.results.iter().filter_map(|result| {
            let assignment = result.assignment.as_ref()?;
            Some((result, assignment))
        });
        let (result, loosest) = assigned.max_by(|(_, a), (_, b)| a.gap().total_cmp(&b.gap()))?;
        let case = match self.results.len() {
            1 => String::new(),
            _ => format!(" of {} ({})", result.method, self.case_label(result)),
        };
        let number = |cost: f64| match cost.abs() {
            0.0 | 1e-3..1e12 => format!("{cost:.6}"),
            _ => format!("{cost:.9e}"),
        };
        Some(match loosest.proof {
            "optimal" if self.results.len() == 1 => format!(
                "One to one: {} pairs at a total cost of {}; no assignment of as many costs less (proven by a dual solution). \
                 Others may cost the same, and then it is chance which was found.",
                loosest.pairs,
                number(loosest.cost)
            ),
            "optimal" => "One to one: no assignment of as many pairs costs less than those found (each proven by a dual \
                          solution). Others may cost the same, and then it is chance which was found."
                .into(),
            _ => format!(
                "One to one: the assignment{case} costs {}, and none of as many pairs costs less than {}: rounding leaves \
                 open whether it is the cheapest.",
                number(loosest.cost),
                number(loosest.bound)
            ),
        })
    }

    fn describe(&self, result: &LinkResult) -> String {
        let how = &result.in_words;
        match self.scenario.assign {
            "one-to-one" => format!("{how}, assigning all records at once,"),
            "balanced" => format!("{how}, and that everybody is there once,"),
            _ => how.clone(),
        }
    }
}

/// The claims as CSV, one line a record that looked; `label` and `sought_label` name records of the two sides.
///
/// # Errors
/// What the writer answers.
pub fn write_claims(
    out: &mut dyn std::io::Write,
    claims: &[Claim],
    label: &dyn Fn(u32) -> String,
    sought_label: &dyn Fn(u32) -> String,
) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer
        .write_record([
            "record",
            "linked",
            "distance",
            "candidates",
            "tied",
            "rank_of_true",
        ])
        .map_err(io_error)?;
    for claim in claims {
        let mut linked = String::new();
        for (index, &record) in claim.linked.iter().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            let _ = write!(linked, "{separator}{}", sought_label(record));
        }
        writer
            .write_record([
                label(claim.record),
                linked,
                claim
                    .distance
                    .map_or(String::new(), |distance| distance.to_string()),
                claim.candidates.to_string(),
                claim.tied.to_string(),
                claim
                    .rank_of_true
                    .map_or(String::new(), |rank| rank.to_string()),
            ])
            .map_err(io_error)?;
    }
    writer.flush()
}
