//! The report of `sdcrisk link` for people: the tables, and what their figures mean.

use std::cmp::Ordering;

use super::{AssignmentProof, LinkReport, LinkResult, MeanRate, Sample};
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

    /// What the figures mean, for somebody who never read a paper.
    pub(super) fn reading(&self) -> Vec<String> {
        let seekers = match self.scenario.direction {
            Direction::MaskedToOriginal => {
                "masked records that are linked to their own record of the intruder's file"
            }
            Direction::OriginalToMasked => {
                "the intruder's records that are linked to their own masked record"
            }
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
        if let Some(mean) = self.highest_of_draws() {
            lines.extend(self.reading_of_draws(mean));
        } else if let Some(worst) = worst.filter(|worst| worst.records > 0) {
            lines.push(self.reading_of_worst(worst));
        }
        for (result, caveat) in
            (self.results.iter()).flat_map(|r| r.caveats.iter().map(move |c| (r, c)))
        {
            lines.push(format!(
                "{}{}: {caveat}.",
                result.method,
                self.case_of(result)
            ));
        }
        if let Some(aggregates) = &self.scenario.aggregates {
            lines.extend(aggregates.reading());
        }
        lines.extend(self.reading_of_learned());
        if self.results.iter().any(|r| r.worst_case) {
            lines.push(
                "* A worst case: the distance was computed from the true pairs, which an intruder does not know.".into(),
            );
        }
        lines.extend(self.beyond_in_words());
        for not_run in &self.not_run {
            lines.push(format!("Not run: {} ({}).", not_run.method, not_run.why));
        }
        lines.extend(self.reading_of_releases());
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
                &result.method,
                expected,
                (result.rate, result.interval),
                &result.calibration,
            ));
            if let Some(posterior) = &result.posterior {
                lines.push(posterior.reading(&result.method));
            }
        }
        lines.extend(self.reading_of_assignments());
        lines.push(
            "These are measured risks under this scenario only; an intruder with other knowledge or another attack may \
             find more."
                .into(),
        );
        lines
    }

    /// Where individuals to learn from were drawn several times, the method with the highest mean rate over the draws: the highest
    /// rate of a single draw is luck.
    fn highest_of_draws(&self) -> Option<&MeanRate> {
        let means = self.means.iter().filter(|mean| mean.interval.is_some());
        means
            .filter(|mean| mean.sample != Some(Sample::Training))
            .max_by(|a, b| a.rate.total_cmp(&b.rate))
    }

    fn reading_of_draws(&self, mean: &MeanRate) -> Option<String> {
        let [low, high] = mean.interval?.map(text::percent);
        let drawn = |r: &&LinkResult| r.method == mean.method && r.sample == mean.sample;
        let draws: Vec<&LinkResult> = self.results.iter().filter(drawn).collect();
        let rates = || draws.iter().map(|draw| draw.rate);
        let first = draws.first()?;
        Some(format!(
            "The highest mean rate: an intruder who knows {} attributes ({}) and {} links {} of the records correctly on average over {} \
             draws of the individuals that are learned from (95 % interval {low} to {high}, corrected because draws overlap; single draws \
             {} to {}).",
            first.known.len(),
            text::names(&first.known, 8),
            self.describe(first),
            text::percent(mean.rate),
            mean.cases,
            text::percent(rates().fold(f64::INFINITY, f64::min)),
            text::percent(rates().fold(0.0, f64::max)),
        ))
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
            (AssignRule::OneToOne, _) | (_, Ties::Strict) => "",
            (_, Ties::Optimistic) => "at most ",
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
        if worst.learned.is_some()
            && text::count(worst.correct_of(self.scenario.ties)) != worst.correct.strict.to_string()
        {
            // A bound is about links without ties: the count beside it must be of the same kind.
            line += &format!(
                " Without ties, which is what the bound is about, these are {} links.",
                worst.correct.strict
            );
        }
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
        let mut lines = vec![summary.reading(&best.method, best.correct.strict, best.records)];
        let is_tested = self
            .results
            .iter()
            .any(|r| r.sample == Some(Sample::Others));
        lines.push(if is_tested { "A learned distance fits the records it was learned from; the rows \"others\" show what it does to people of whom \
             the intruder knew nothing beforehand."
        .into() } else { format!(
            "It was learned from the very records that it links, which overstates what an intruder can do who knows only \
             some of these people{}",
            match best.records / 2 {
                0..2 => ".".to_string(),
                half => format!(
                    ": --train-records {} learns from some and attacks the others.",
                    half.min(400)
                ),
            }
        ) });
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
            AssignmentProof::Optimal if self.results.len() == 1 => format!(
                "One to one: {} pairs at a total cost of {}; no assignment of as many costs less (proven by a dual solution). \
                 Others may cost the same, and then it is chance which was found.",
                loosest.pairs,
                number(loosest.cost)
            ),
            AssignmentProof::Optimal => "One to one: no assignment of as many pairs costs less than those found (each proven by a dual \
                          solution). Others may cost the same, and then it is chance which was found."
                .into(),
            AssignmentProof::Bounded => format!(
                "One to one: the assignment{case} costs {}, and none of as many pairs costs less than {}: rounding leaves \
                 open whether it is the cheapest.",
                number(loosest.cost),
                number(loosest.bound)
            ),
        })
    }

    /// What further releases give away: the case in which all releases together find the most.
    fn reading_of_releases(&self) -> Option<String> {
        let all = self.results.iter().filter(|r| r.releases.is_some());
        let all = all.max_by(|a, b| a.rate.total_cmp(&b.rate))?;
        let is_first = |r: &&LinkResult| {
            r.releases.is_none() && r.known == all.known && all.method.starts_with(&r.method)
        };
        let first = self.results.iter().find(is_first)?;
        let releases = all.releases?;
        Some(format!(
            "What {} gives away{}: {} links {} of the records by the masked file alone, {} by {releases} releases together.",
            match releases {
                2 => "a further release",
                _ => "releasing these people again",
            },
            self.case_of(all),
            first.method,
            text::percent(first.rate),
            text::percent(all.rate)
        ))
    }

    fn describe(&self, result: &LinkResult) -> String {
        let how = &result.in_words;
        match self.scenario.assign {
            AssignRule::Best => how.clone(),
            AssignRule::OneToOne => format!("{how}, assigning all records at once,"),
            AssignRule::Balanced => format!("{how}, and that everybody is there once,"),
        }
    }
}
