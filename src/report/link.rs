//! The report of `sdcrisk link`.

mod beyond;
mod people;
mod reading;

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{
    calibration::{self, CalibrationBand},
    crosswalk::CrosswalkSummary,
    figures, io_error,
    learned::LearnedSummary,
    limit::{Judged, LimitReport},
    match_attributes::SituationSummary,
    posterior::PosteriorSummary,
    probabilistic::ModelSummary,
    provenance::Provenance,
    spreadsheet, text,
};
use crate::{
    attack::{
        Attack, Direction,
        distance_based::Standardize,
        learned::{Lesson, weights::ProofStatus},
    },
    evaluate::{
        beyond::Beyond,
        calibration::Calibration,
        comparable::Doubt,
        link::{AssignRule, Claim, Outcome},
        score::{Score, Ties},
        status::Status,
    },
    stats::interval::resampled_mean,
};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.link/1";

pub use beyond::{BeyondSummary, PartSummary};

/// What `sdcrisk link` found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkReport {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// `done`, or `limit` if a limit stopped the work.
    pub status: Status,
    /// Attributes that could not be compared in earnest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Doubt>,
    /// Who attacked what.
    pub scenario: ScenarioSummary,
    /// One entry a method and set of known attributes.
    pub results: Vec<LinkResult>,
    /// One entry a method with more than one case.
    #[serde(default)]
    pub means: Vec<MeanRate>,
    /// The attacks that do not apply, where all were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<MethodNotRun>,
    /// The limits that were set, and whether they were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitReport>,
}

/// An attack that does not apply, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodNotRun {
    /// The attack, as the command line calls it.
    pub method: String,
    /// Why.
    pub why: String,
}

/// Who attacked what, and how links were counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScenarioSummary {
    /// Name of the original file.
    pub original: String,
    /// Name of the masked file.
    pub masked: String,
    /// All records of the original file.
    pub original_records: usize,
    /// Records of the masked file.
    pub masked_records: usize,
    /// Records that the intruder holds.
    pub known_records: usize,
    /// Who looks for whom.
    pub direction: Direction,
    /// How the records of both files were aligned to judge the links.
    pub aligned_by: String,
    /// How a tie counts in `rate`.
    pub ties: Ties,
    /// How records were assigned.
    pub assign: AssignRule,
    /// Attributes that were not compared, and why.
    pub left_out: Vec<LeftOutAttribute>,
    /// What brought the original into the terms of the masked file before anything was compared, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crosswalk: Option<CrosswalkSummary>,
    /// Of an attack without common attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregates: Option<AggregatesSummary>,
}

/// What was aggregated where the files share no attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AggregatesSummary {
    /// The attributes of the masked file; those of the original are the known ones.
    pub masked_attributes: Vec<String>,
    /// Attributes of the original that were turned round, because they fall where the others rise.
    pub turned: Vec<String>,
    /// Those of the masked file.
    pub masked_turned: Vec<String>,
    /// Which of the four situations of linkage the files are in; null if it is not known.
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
             as both files rank the same people in the same way{}.",
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOutAttribute {
    /// The attribute as the original names it.
    pub attribute: String,
    /// Why.
    pub why: String,
}

/// What one method found in one case. Rates are fractions, counts are numbers of records.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkResult {
    /// The attack, as the command line calls it.
    pub method: String,
    /// The distance, weight or law that it goes by.
    pub formula: String,
    /// Whether it was made from the true matches, which no intruder knows.
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
    /// Wilson interval of that rate at 95 %.
    pub interval_of_findable: [f64; 2],
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
    /// Records by the size of their candidate set: of each bin the least size (0, or a power of two; it reaches to below the
    /// next) and the number of records. Bins without records are left out, and all for methods without such sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates_histogram: Vec<(u32, u64)>,
    /// Records whose true partner is among the candidates.
    pub contains_true: u64,
    /// By what files were standardised; null for methods without such units.
    pub standardize: Option<Standardize>,
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
    /// Records for whose link it stated more than 90 %; only of attacks that state any probability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure: Option<u64>,
    /// Those of these links that are correct, a tie of t counted 1/t.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure_correct: Option<f64>,
    /// How many releases of the same people were used; only where it is more than the masked file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub releases: Option<usize>,
    /// How the posterior given one-to-one links was come by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posterior: Option<PosteriorSummary>,
    /// What was fitted; only of attacks that fit a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSummary>,
    /// How it fared among people who stand out, and with the links that it is surest of.
    #[serde(default)]
    pub beyond: BeyondSummary,
    /// What became of links by their stated probability, a tie of t counted 1/t.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<CalibrationBand>,
    /// What the attack found while it studied these files, and must be said of its result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<String>,
}

/// Whose records a rate is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Correct {
    /// A tie of t that holds the true record counts 1/t.
    pub fair: f64,
    /// It counts 0.
    pub strict: u64,
    /// It counts 1.
    pub optimistic: u64,
}

/// What a one-to-one assignment cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AssignmentSummary {
    /// Sum of the costs of the pairs (squared distances, where the attack is by distance).
    #[serde(deserialize_with = "figures::or_not_finite")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub cost: f64,
    /// Number of pairs.
    pub pairs: u64,
    /// How near it is known to be to the least cost.
    pub proof: AssignmentProof,
    /// No assignment of as many pairs costs less than this, up to rounding.
    #[serde(deserialize_with = "figures::or_not_finite")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub bound: f64,
}

/// How near an assignment is known to be to the least cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AssignmentProof {
    /// Cost and bound agree to nine digits.
    Optimal,
    /// They do not: rounding leaves it open.
    Bounded,
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MeanRate {
    /// The attack, as the command line calls it.
    pub method: String,
    /// Whose records, where distances were learned from some individuals and others attacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
    /// Number of cases, or of draws of the individuals.
    pub cases: usize,
    /// Mean of their rates.
    pub rate: f64,
    /// Mean of their rates among the records that have a partner.
    pub rate_of_findable: f64,
    /// Of draws: an interval for the rate of another draw's mean at 95 %, by the corrected resampled t statistic (draws overlap).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

impl LinkResult {
    /// A rate of this attack, to be held against a limit.
    fn judged(&self, rate: f64, what: &str, limit: f64) -> Judged {
        const NAMES_SHOWN: usize = 8;
        let known = text::names(&self.known, NAMES_SHOWN);
        Judged {
            what: format!("{}, knowing {known}: {what} is", self.method),
            rate,
            limit,
        }
    }

    /// Joins what is known of one attack on one case.
    pub fn new(attack: &dyn Attack, known: &[String], outcome: &Outcome, ties: Ties) -> Self {
        let assignment = outcome.assignment.map(|total| AssignmentSummary {
            cost: total.cost,
            pairs: total.pairs,
            proof: if total.is_proven {
                AssignmentProof::Optimal
            } else {
                AssignmentProof::Bounded
            },
            bound: total.bound,
        });
        let fitted = outcome.fitted.as_ref();
        Self {
            method: attack.name().into(),
            formula: attack.formula(),
            worst_case: attack.needs_alignment(),
            in_words: attack.in_words(),
            known: known.to_vec(),
            standardize: attack.standardize(),
            windows: attack.windows(known),
            assignment,
            model: fitted.map(|fitted| ModelSummary::new(known, fitted)),
            posterior: outcome.posterior.map(PosteriorSummary::new),
            caveats: outcome.caveats.clone(),
            ..Self::default()
        }
        .judged_to_be(
            &outcome.score,
            &outcome.beyond,
            outcome.calibration.as_ref(),
            ties,
        )
    }

    /// The same attack with what became of its claims.
    #[must_use]
    pub fn judged_to_be(
        self,
        score: &Score,
        beyond: &Beyond,
        said: Option<&Calibration>,
        ties: Ties,
    ) -> Self {
        Self {
            records: score.records,
            with_partner: score.with_partner,
            correct: Correct {
                fair: score.fair,
                strict: score.strict,
                optimistic: score.optimistic,
            },
            rate: score.rate(ties),
            rate_of_findable: score.rate_of_findable(ties),
            interval_of_findable: score.interval_of_findable(ties).into(),
            interval: score.interval(ties).into(),
            baseline: score.baseline(),
            certain: score.certain,
            certain_correct: score.certain_correct,
            empty: score.empty,
            candidates_mean: score.candidates_mean,
            candidates_quantiles: score.candidates_quantiles,
            candidates_histogram: score.candidates_histogram.clone(),
            contains_true: score.contains_true,
            beyond: BeyondSummary::new(beyond, ties),
            expected: said.map(|said| said.expected),
            sure: said.map(|said| said.sure),
            sure_correct: said.map(|said| said.sure_correct),
            calibration: said.map(calibration::bands).unwrap_or_default(),
            ..self
        }
    }

    /// The same of an attack on several releases at once, which goes by another name.
    #[must_use]
    pub fn of_releases(self, releases: usize) -> Self {
        Self {
            method: format!("{}, all releases", self.method),
            releases: Some(releases),
            in_words: format!("{}, of {releases} releases together,", self.in_words),
            ..self
        }
    }

    /// Whether a better distance of its kind could not be ruled out.
    pub fn is_unproven(&self) -> bool {
        self.learned
            .as_ref()
            .is_some_and(|learned| learned.proof == ProofStatus::Limit)
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

    fn correct_of(&self, ties: Ties) -> f64 {
        match ties {
            Ties::Fair => self.correct.fair,
            Ties::Strict => self.correct.strict as f64,
            Ties::Optimistic => self.correct.optimistic as f64,
        }
    }
}

impl LinkReport {
    /// What the attacks found out about what they assume, each kind once. Caveats of one kind differ in their figures only.
    pub fn caveats(&self) -> Vec<String> {
        let of_cases: Vec<&[String]> = (self.results.iter())
            .map(|result| &result.caveats[..])
            .collect();
        text::kinds(&of_cases, "cases", text::without_figures)
    }
}

/// The means over the cases of each method; none unless the cases are a family, of which a mean is of interest, or several draws.
pub fn means(results: &[LinkResult], family: bool) -> Vec<MeanRate> {
    let is_drawn = results.iter().any(|result| result.split.is_some());
    if !family && !is_drawn {
        return Vec::new();
    }
    let mut kinds: Vec<(&str, Option<Sample>)> = Vec::new();
    for result in results {
        let kind = (result.method.as_str(), result.sample);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let mean = |(method, sample): (&str, Option<Sample>)| {
        let of_kind: Vec<&LinkResult> = results
            .iter()
            .filter(|result| result.method == method && result.sample == sample)
            .collect();
        let rates: Vec<f64> = of_kind.iter().map(|result| result.rate).collect();
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        let of_findable: Vec<f64> = (of_kind.iter())
            .map(|result| result.rate_of_findable)
            .collect();
        // Who is attacked in a draw is whoever is not learned from.
        let learned_from = |records: u64| match sample {
            Some(Sample::Others) => of_others_to_training(results, records),
            _ => 0.0,
        };
        MeanRate {
            method: method.into(),
            sample,
            cases: rates.len(),
            rate: mean(&rates),
            rate_of_findable: mean(&of_findable),
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

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Json<'a> {
    #[serde(flatten)]
    report: &'a LinkReport,
    /// The same in words.
    reading: Vec<String>,
    /// Where it comes from.
    provenance: &'a Provenance,
}

impl LinkReport {
    /// The rates that a limit is set for: those of every attack, among all records and among those that have a partner.
    pub fn rates_judged_by(&self, limit: f64) -> Vec<Judged> {
        let of_result = |result: &LinkResult| {
            let figures = [
                (result.rate, "the rate among all records"),
                (
                    result.rate_of_findable,
                    "the rate among the records that have a partner",
                ),
            ];
            let all_findable = result.with_partner == result.records;
            let figures = figures.into_iter().take(if all_findable { 1 } else { 2 });
            let judged = figures.map(|(rate, what)| result.judged(rate, what, limit));
            judged.collect::<Vec<_>>()
        };
        self.results.iter().flat_map(of_result).collect()
    }

    /// The rates that a limit for extremes is set for; none where nobody stands out by the known attributes.
    pub fn extremes_judged_by(&self, limit: f64) -> Vec<Judged> {
        let of_result = |result: &LinkResult| {
            let rates = result.beyond.of_extremes();
            let judged = rates.map(|(rate, what)| result.judged(rate, what, limit));
            judged.collect::<Vec<_>>()
        };
        self.results.iter().flat_map(of_result).collect()
    }

    /// For programs: the report, what it says in words, and where it comes from.
    pub fn to_json(&self, provenance: &Provenance) -> String {
        let json = Json {
            report: self,
            reading: self.reading(),
            provenance,
        };
        let mut json = serde_json::to_string_pretty(&json)
            .unwrap_or_else(|_| unreachable!("a report holds strings and finite numbers only"));
        json.push('\n');
        json
    }

    /// One line a method and case, for the next program.
    ///
    /// # Errors
    /// Never in fact: it writes to memory.
    pub fn to_csv(&self) -> Result<String, csv::Error> {
        let mut writer = spreadsheet::writer(Vec::new());
        let columns = [
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
            "standardize",
            "interval_of_findable_low",
            "interval_of_findable_high",
        ];
        writer.write_record(columns.into_iter().chain(beyond::COLUMNS))?;
        for r in &self.results {
            let scenario = &self.scenario;
            let counts = (
                &r.method,
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
                    r.learned.as_ref().map(|learned| learned.proof.word()),
                    r.standardize.map(Standardize::word),
                    r.interval_of_findable[0],
                    r.interval_of_findable[1],
                    r.beyond.cells(),
                ),
            ))?;
        }
        spreadsheet::text(writer)
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
    let mut writer = spreadsheet::writer(out);
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
