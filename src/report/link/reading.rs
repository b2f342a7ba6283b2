//! What the figures of `sdcrisk link` mean, in sentences.

use super::{AssignmentProof, LinkReport, LinkResult, MeanRate, Sample};
use crate::{
    attack::Direction,
    evaluate::{link::AssignRule, score::Ties},
    report::{calibration, text},
};

/// What an assignment leaves to chance.
const CHANCE: &str = "Which of several equal records somebody gets is chance, and counts as such; so is which assignment was found, if others \
                      cost the same.";

impl LinkReport {
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
        let count = match self.scenario.ties {
            Ties::Strict => "",
            Ties::Optimistic => "at most ",
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
                 {CHANCE}",
                loosest.pairs,
                number(loosest.cost)
            ),
            AssignmentProof::Optimal => format!(
                "One to one: no assignment of as many pairs costs less than those found (each proven by a dual solution). {CHANCE}"
            ),
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
