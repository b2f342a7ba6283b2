//! Of masking by minimal information.

use super::{Line, SHOWN};
use crate::{
    mask::copula::{Direction, Outcome},
    report::text,
    statement::{CopulaParameters, CopulaRisk},
};

pub(super) fn headline(parameters: &CopulaParameters, records: usize) -> String {
    format!(
        "mu = {:.4}, {} component{}: a masked record says {:.2} bits of its original at most, of {:.2} that single one out",
        parameters.mu,
        parameters.components.len(),
        if parameters.components.len() == 1 {
            ""
        } else {
            "s"
        },
        parameters.bits,
        (records as f64).log2()
    )
}

pub(super) fn remarks(outcome: &Outcome, parameters: &CopulaParameters) -> Vec<Line> {
    let mut remarks = match &parameters.risk {
        Some(risk) => self::risk(risk),
        None => vec![Line::Note(
            "note: bits are no risk: what an intruder finds is measured with --known (a list, first:7, worst:7 ...), or set with --risk".into(),
        )],
    };
    remarks.push(Line::Note(kept(&outcome.directions)));
    remarks.push(Line::Note(exact(parameters)));
    if outcome.bits_of_components > 0.005 {
        remarks.push(Line::Note(format!(
            "of the bits, {:.2} say which component of the law somebody is of",
            outcome.bits_of_components
        )));
    }
    if let Some(fitted) = outcome.fitted {
        remarks.push(Line::Note(format!(
            "note: the law of the scores was fitted to {fitted} records drawn at random"
        )));
    }
    if !outcome.constant.is_empty() {
        remarks.push(Line::Note(format!(
            "note: one value only, which stays: {}",
            text::names(&outcome.constant, SHOWN)
        )));
    }
    if !parameters.gaps.is_empty() {
        remarks.push(Line::Note(format!(
            "note: missing values are as many as before, of other records: {}",
            text::names(&parameters.gaps, SHOWN)
        )));
    }
    if let Some(given) = &parameters.given {
        remarks.push(Line::Note(format!(
            "kept as they are, with their relations to the masked attributes: {}",
            text::names(&given.attributes, SHOWN)
        )));
    }
    remarks.push(if parameters.secret {
        Line::Note(format!(
            "note: the noise comes from the secret: the same in every release with it. Keep it as you keep the originals, and mask every \
             further release with --mu {}: noise that is the same with another mu would give the originals away",
            parameters.mu
        ))
    } else {
        Line::Warning(
            "another release of the same people would have other noise, and whoever can link both by an identifier sees \
             through much of it; --secret FILE draws the same noise each time"
                .into(),
        )
    });
    remarks
}

/// What each direction keeps, in words.
fn kept(directions: &[Direction]) -> String {
    const SHOWN: usize = 3;
    let shown = |direction: &Direction| {
        format!(
            "{} of the variance ({}) keeps {}",
            text::percent(direction.variance),
            text::names(&direction.attributes, 4),
            text::percent(direction.kept)
        )
    };
    let lines = |some: &[Direction]| some.iter().map(shown).collect::<Vec<_>>().join("; ");
    if directions.len() <= 2 * SHOWN {
        format!(
            "correlation with the original scores, by direction: {}",
            lines(directions)
        )
    } else {
        let (first, rest) = directions.split_at(SHOWN);
        let (middle, last) = rest.split_at(rest.len() - SHOWN);
        format!(
            "correlation with the original scores, by direction: {}; {} others; the last: {}",
            lines(first),
            middle.len(),
            lines(last)
        )
    }
}

/// What of the original statistics is kept.
fn exact(parameters: &CopulaParameters) -> String {
    let marginals = match parameters.extremes {
        None => "the values of each attribute are the original ones".to_string(),
        Some(_) => format!(
            "the values of each attribute are the original ones, but for the least and the greatest {}, which became one value each (their mean; the median of classes)",
            text::percent(
                parameters
                    .extremes
                    .as_ref()
                    .map_or(0.0, |extremes| extremes.coded)
            )
        ),
    };
    let correlations = if parameters.exact_moments {
        "correlations of normal scores are kept nearly exactly"
    } else {
        "correlations of normal scores are kept on average"
    };
    format!(
        "{marginals}; {correlations}; what is not linear in scores, and groups finer than the components, is blurred"
    )
}

/// What was found on drafts, a sentence each.
fn risk(risk: &CopulaRisk) -> Vec<Line> {
    let percent = text::percent;
    let mut remarks = vec![Line::Note(format!(
        "risk: {} of the people are linked by the strongest attack known ({}), the mean of {} drafts with other noise (95 % interval {} to {}); \
         planted files predict {}",
        percent(risk.measured),
        risk.attack,
        risk.drafts,
        percent(risk.interval[0].max(0.0)),
        percent(risk.interval[1].min(1.0)),
        percent(risk.predicted),
    ))];
    remarks.push(Line::Note(format!(
        "risk: the intruder knows {} of {} people: {}",
        match risk.known.len() {
            1 => "1 attribute".to_owned(),
            count => format!("{count} attributes"),
        },
        risk.known_records,
        text::names(&risk.known, SHOWN)
    )));
    if let Some(worst) = &risk.worst {
        remarks.push(Line::Note(format!(
            "risk: of sets of as many attributes, the worst that was tried links {}: {}",
            percent(worst.measured),
            text::names(&worst.known, SHOWN)
        )));
    }
    let mut parts = Vec::new();
    if let Some(extremes) = risk.extremes {
        parts.push(format!(
            "{} of those in the top or bottom 1 % of a known attribute",
            percent(extremes)
        ));
    }
    if let Some(far) = risk.far {
        parts.push(format!(
            "{} of the 1 % farthest from the mean",
            percent(far)
        ));
    }
    if !parts.is_empty() {
        remarks.push(Line::Note(format!(
            "risk: people who stand out are found more often: {}",
            parts.join(", ")
        )));
    }
    let sure = match risk.sure_correct {
        None => "risk: the attack is more than 90 % sure of nobody".to_owned(),
        Some(correct) => format!(
            "risk: the attack is more than 90 % sure of {} of the people, and right about {} of these",
            percent(risk.sure),
            percent(correct)
        ),
    };
    remarks.push(Line::Note(sure));
    remarks
}
