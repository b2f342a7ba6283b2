//! The risk-utility map.

use crate::{
    evaluate::measures::RiskAxis,
    report::{
        chart::{
            map::{self, Point},
            picture::Drawing,
            plot::Words,
        },
        evaluate::EvaluateReport,
        html::{
            document::{Content, Document},
            parts::base_name,
        },
    },
};

/// The risk-utility map of each file of a result of `evaluate`, with the name of the file; nothing for other results.
pub fn map(document: &Document) -> Vec<(String, Drawing)> {
    match &document.content {
        Content::Evaluation(evaluation) => evaluation
            .file_names()
            .into_iter()
            .filter_map(|file| Some((file.to_string(), map_of(evaluation, file)?)))
            .collect(),
        _ => Vec::new(),
    }
}

pub(super) fn map_of(evaluation: &EvaluateReport, file: &str) -> Option<Drawing> {
    let axes = &evaluation.axes;
    let on_x = axes.loss.as_ref()?;
    let points: Vec<Point> = evaluation
        .of_file(file)
        .filter_map(|setting| {
            let loss = setting.measure(on_x)?;
            let (risk, published) = evaluation.risk_of(setting)?;
            Some(Point {
                method: setting.masking().into(),
                label: setting.place(),
                loss: loss.mean,
                loss_interval: loss.interval,
                risk: risk.mean,
                risk_interval: risk.interval,
                pareto: setting.pareto,
                published,
            })
        })
        .collect();
    let risk = match axes.risk.as_ref()? {
        RiskAxis::HighestRate => "correct links of the strongest attack".into(),
        RiskAxis::Measure(name) => name.in_words(),
    };
    let runs = evaluation
        .of_file(file)
        .map(|setting| setting.runs)
        .max()
        .unwrap_or(0);
    let below = format!(
        "Each mark is a setting, the mean of {}; thin lines are 95 % intervals. Lower left is better.",
        if runs == 1 {
            "1 masked file".into()
        } else {
            format!("up to {runs} masked files")
        }
    );
    let words = Words {
        title: &format!("Risk and loss, {}", base_name(file)),
        below: &below,
        x: &on_x.in_words(),
        y: &risk,
    };
    (!points.is_empty()).then(|| map::drawing(&points, &words))
}
