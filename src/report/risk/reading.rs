//! Figures of risk in sentences.

use super::RiskReport;
use crate::{
    figure::{self, About},
    report::text,
    risk::classes,
};

/// What the figures say about one of the three questions; empty where none of them is defined.
pub(super) fn of(report: &RiskReport, about: About) -> String {
    let reader = Reader { report };
    let sentences = match about {
        About::SinglingOut => reader.singling_out(),
        About::Linkability => reader.linkability(),
        About::Inference => reader.inference(),
    };
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    if sentences.is_empty() {
        String::new()
    } else {
        let word = match about {
            About::SinglingOut => "Singling out",
            About::Linkability => "Linkability",
            About::Inference => "Inference",
        };
        format!("{word}: {}", sentences.join(" "))
    }
}

struct Reader<'a> {
    report: &'a RiskReport,
}

impl Reader<'_> {
    fn value(&self, key: &str) -> Option<f64> {
        figure::value(&self.report.figures, key)
    }

    fn counted(&self, key: &str) -> u64 {
        figure::find(&self.report.figures, key).map_or(0, |figure| figure.counted)
    }

    /// The value before masking, as an aside.
    fn before(&self, key: &str, shown: impl Fn(f64) -> String) -> String {
        let before = self
            .report
            .figure_before(key)
            .and_then(|figure| figure.value);
        before.map_or(String::new(), |value| {
            format!(" (before: {})", shown(value))
        })
    }

    /// So many of all records.
    fn records(&self, key: &str) -> Option<String> {
        let value = self.value(key)?;
        let all = self.counted(key);
        Some(format!(
            "{} of {all} records ({})",
            text::count(value),
            text::percent(value / all.max(1) as f64)
        ))
    }

    fn singling_out(&self) -> Vec<Option<String>> {
        let unique = self.records("unique").map(|records| {
            format!(
                "{records} are the only ones with their key{}.",
                self.before("unique", text::count)
            )
        });
        let rarest = self.value("k_anonymity").filter(|&least| least > 1.0);
        let rarest = rarest.map(|least| {
            format!(
                "At least {} records share each key{}.",
                text::count(least),
                self.before("k_anonymity", text::count)
            )
        });
        let special = self.value("suda_msu").filter(|&sets| sets > 0.0);
        let special = special.and_then(|_| {
            let most = figure::find(&self.report.figures, "suda_msu")?
                .parts
                .iter()
                .max_by(|a, b| a.value.unwrap_or(0.0).total_cmp(&b.value.unwrap_or(0.0)))?;
            Some(format!(
                "The attribute {} is in the sets that make them stand out with {} of the scores: where recoding would begin.",
                most.name,
                text::percent(most.value?)
            ))
        });
        vec![unique, rarest, self.on_gaps(), special]
    }

    /// Who is safe by missing values alone.
    fn on_gaps(&self) -> Option<String> {
        self.value("on_gaps").filter(|&records| records > 0.0)?;
        let k = self.report.scenario.k.unwrap_or(classes::USUAL_K);
        Some(format!(
            "{} match {k} or more only because a missing value matches every value{}; with missing values as a category of their own {} \
             match fewer than {k}, and {} are unique.",
            self.records("on_gaps")?,
            self.before("on_gaps", text::count),
            text::count(self.value("below_k_gaps_apart")?),
            text::count(self.value("unique_gaps_apart")?)
        ))
    }

    fn linkability(&self) -> Vec<Option<String>> {
        let expected = self.value("expected_reidentifications").map(|expected| {
            format!(
                "An intruder who knows the key of everybody, and links every record, is right about {} of {} records ({}){}.",
                text::count(expected),
                self.counted("expected_reidentifications"),
                text::percent(self.value("individual_risk_global").unwrap_or(0.0)),
                self.before("expected_reidentifications", text::count)
            )
        });
        let highest = self.value("prosecutor_risk").map(|prosecutor| {
            let journalist = self.value("journalist_risk").map_or(String::new(), |risk| {
                format!(", and with {} by one who only knows that this person is in the population", text::percent(risk))
            });
            format!(
                "The person most at risk is found with {} probability by an intruder who knows that this person is in the file{journalist}.",
                text::percent(prosecutor)
            )
        });
        vec![expected, highest]
    }

    fn inference(&self) -> Vec<Option<String>> {
        let given_away = self.value("attribute_disclosure_homogeneity").map(|share| {
            format!(
                "For {} of the records whoever knows the key knows a confidential value, too{}.",
                text::percent(share),
                self.before("attribute_disclosure_homogeneity", text::percent)
            )
        });
        let far = self.value("t_closeness").map(|distance| {
            format!(
                "The group that differs most from the file has a distance of {distance:.3} of at most 1{}.",
                self.before("t_closeness", |value| format!("{value:.3}"))
            )
        });
        let guess = self
            .value("attribute_disclosure_inference")
            .zip(self.value("attribute_disclosure_baseline"))
            .map(|(attack, baseline)| {
                let than = if attack > baseline { "a masked record at random is right for" } else { "which is no better than a masked record at random:" };
                let asked = self.counted("attribute_disclosure_inference");
                let all = self.report.scenario.pair.as_ref().map_or(0, |pair| pair.records as u64);
                let people = if asked < all { format!("{asked} people, drawn at random") } else { "the people".into() };
                format!(
                    "The nearest masked record has the confidential value of {} of {people}; {than} {}.",
                    text::percent(attack),
                    text::percent(baseline)
                )
            });
        let close = self.value("interval_disclosure_rank").map(|share| {
            format!(
                "The interval that holds 1 to 10 % of the masked file around a masked number holds the original one for {} of the cells.",
                text::percent(share)
            )
        });
        vec![given_away, far, guess, close]
    }
}
