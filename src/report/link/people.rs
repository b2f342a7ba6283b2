//! The report of `sdcrisk link` for people: in full, in brief, and what its columns hold.

use std::cmp::Ordering;

use super::{LinkReport, LinkResult, Sample};
use crate::{
    attack::{Direction, distance_based::Standardize},
    evaluate::{comparable::Doubt, link::AssignRule, score::Ties},
    report::{
        calibration, crosswalk::crossed, learned::LearnedSummary, probabilistic::ModelSummary, text,
    },
};

impl LinkReport {
    /// For people.
    pub fn to_text(&self) -> String {
        let scenario = &self.scenario;
        let mut out = text::warnings(self.warnings.iter().map(Doubt::text));
        out += &format!(
            "Who links whom: {} against {}\n",
            scenario.original, scenario.masked
        );
        let (seekers, sought) = match scenario.direction {
            Direction::MaskedToOriginal => (
                format!("each of {} masked records", scenario.masked_records),
                format!("{} records of the intruder", scenario.known_records),
            ),
            Direction::OriginalToMasked => (
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
                     among the others' masked records{}",
                    training.records,
                    match training.standardize {
                        Some(Standardize::Own) => ", each part standardised by itself",
                        Some(Standardize::Release | Standardize::Original | Standardize::None)
                        | None => "",
                    }
                ),
                None => String::new(),
            },
            scenario.aligned_by,
            match scenario.ties {
                Ties::Fair => "1/t",
                Ties::Strict => "0",
                Ties::Optimistic => "as found",
            },
            match scenario.assign {
                AssignRule::Best => "each takes its nearest",
                AssignRule::OneToOne => "all assigned at once, one to one",
                AssignRule::Balanced => {
                    "each takes the most likely, given that all are linked one to one"
                }
            }
        ));
        out += &crossed(scenario.crosswalk.as_ref());
        if let Some(units) = self.units() {
            out += &text::paragraph(&units);
        }
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
        out += &self.beyond_table();
        out.push('\n');
        if let Some(result) = self.best_calibrated() {
            out += &format!(
                "What {} said of its links{}\n",
                &result.method,
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

    /// What the columns hold, and what each attack goes by: for people who ask.
    pub fn definitions(&self) -> String {
        const COLUMNS: [&str; 9] = [
            "correct links, of: the intruder's records that are linked to their own masked record, and all that looked for one",
            "rate: correct links per record, ties counted as said above",
            "95 % interval: Wilson's interval of the rate",
            "by chance: the rate of random guessing",
            "certain: records with a single candidate",
            "true: those of them whose candidate is the true record",
            "empty: records without any candidate",
            "true inside: records whose true partner is among the candidates",
            "candidates: mean size of the candidate set",
        ];
        let mut attacks: Vec<(&str, &str)> = Vec::new();
        for result in &self.results {
            let attack = (result.method.as_str(), result.formula.as_str());
            if !attack.1.is_empty() && !attacks.contains(&attack) {
                attacks.push(attack);
            }
        }
        let columns = COLUMNS.iter().map(|column| text::paragraph(column));
        let formulas = (attacks.iter())
            .map(|(method, formula)| text::paragraph(&format!("{method}: {formula}")));
        let lines: String = columns.chain(formulas).collect();
        format!("\nWhat the columns hold, and what each attack goes by\n{lines}")
    }

    /// A line a method, of the known attributes by which it links most: for pipelines and logs.
    pub fn to_brief(&self) -> String {
        let scenario = &self.scenario;
        let mut best: Vec<&LinkResult> = Vec::new();
        for result in &self.results {
            let same = |other: &&mut &LinkResult| {
                other.method == result.method && other.sample == result.sample
            };
            match best.iter_mut().find(same) {
                Some(best) if best.rate < result.rate => *best = result,
                Some(_) => {}
                None => best.push(result),
            }
        }
        let mut out = text::warnings(self.warnings.iter().map(Doubt::text));
        out += &format!("{} against {}\n", scenario.original, scenario.masked);
        out += &crossed(scenario.crosswalk.as_ref());
        for result in best {
            let marks = match (result.sample, result.worst_case) {
                (Some(sample), _) => format!(" ({})", sample.word()),
                (None, true) => " (worst case)".into(),
                (None, false) => String::new(),
            };
            out += &format!(
                "{}{marks}: {} of {} records linked correctly, {} (95 % interval {} to {}, by chance {}), known: {}\n",
                result.method,
                text::count(result.correct_of(scenario.ties)),
                result.records,
                text::percent(result.rate),
                text::percent(result.interval[0]),
                text::percent(result.interval[1]),
                text::percent(result.baseline),
                text::names(&result.known, 4)
            );
        }
        out
    }

    /// By what values were standardised, unless each file was by itself.
    fn units(&self) -> Option<String> {
        let units = self.results.iter().find_map(|r| r.standardize)?;
        let held = self.scenario.known_records;
        let released = self.scenario.masked_records;
        let why = match (units, held.cmp(&released)) {
            (Standardize::Release, Ordering::Less) => {
                ", since fewer records are held than were released"
            }
            (Standardize::Original, Ordering::Greater) => {
                ", since fewer records were released than are held"
            }
            _ => "",
        };
        match units {
            Standardize::Release => Some(format!(
                "Both files are measured by the masked one's means, standard deviations and ranks{why} (--standardize masked)."
            )),
            Standardize::Original => Some(format!(
                "Both files are measured by the means and standard deviations of the intruder's records{why} (--standardize \
                 original)."
            )),
            Standardize::None => Some(
                "Values are not standardised: attributes weigh by their units (--standardize none).".into(),
            ),
            Standardize::Own if held != released => Some(
                "Each file is standardised by itself (--standardize own), though they differ in length: a part of a file has other \
                 means than the whole, and links are missed."
                    .into(),
            ),
            Standardize::Own => None,
        }
    }

    /// Of the results of attacks that state probabilities, the one with the highest rate.
    pub(super) fn best_calibrated(&self) -> Option<&LinkResult> {
        self.results
            .iter()
            .filter(|r| r.expected.is_some() && r.records > 0)
            .max_by(|a, b| a.rate.total_cmp(&b.rate))
    }

    /// Of the results of attacks that fit a model, the one with the highest rate.
    pub(super) fn best_fitted(&self) -> Option<(&LinkResult, &ModelSummary)> {
        let fitted = self
            .results
            .iter()
            .filter_map(|r| Some((r, r.model.as_ref()?)));
        fitted.max_by(|a, b| a.0.rate.total_cmp(&b.0.rate))
    }

    /// Of which case a result is, in words that follow the method; nothing if it has one case only.
    pub(super) fn case_of(&self, result: &LinkResult) -> String {
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
        let subset = self.has_unfindable();
        if subset {
            header.extend(["have a partner", "rate of these", "95 % interval"]);
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
                if subset {
                    let [low, high] = r.interval_of_findable.map(text::percent);
                    row.extend([
                        r.with_partner.to_string(),
                        text::percent(r.rate_of_findable),
                        format!("{low} to {high}"),
                    ]);
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
                let of_these = header.iter().position(|name| *name == "rate of these");
                row.resize(header.len(), String::new());
                if let Some(place) = of_these {
                    row[place] = text::percent(mean.rate_of_findable);
                }
                row
            }))
            .collect();
        text::columns(&header, &rows, 2)
    }

    /// Whether some records have no partner, so that the rate has two denominators.
    fn has_unfindable(&self) -> bool {
        self.results.iter().any(|r| r.with_partner < r.records)
    }

    /// What the intruder knew in a case: all names, or the ends of the list where each case goes on from the last.
    pub(super) fn case_label(&self, result: &LinkResult) -> String {
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
}
