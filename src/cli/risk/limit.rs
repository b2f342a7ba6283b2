//! What becomes of the limits of `--fail-above`.

use crate::{
    cli::console::Console,
    error::{Error, Result},
    figure::{Better, Figure, Unit, find},
    options::risk::Limit,
    report::limit::{Judged, LimitReport},
};

/// A figure as a rate: a share, or records of all records of the file. Sets of attributes are no records.
fn rate(figure: &Figure, records: usize) -> Option<f64> {
    let what = figure.what;
    match (what.unit, what.better) {
        (Unit::Share, Better::Lower) => figure.value,
        (Unit::Count, Better::Lower) if what.is_of_records => {
            Some(figure.value? / records.max(1) as f64)
        }
        _ => None,
    }
}

fn is_rate(figure: &Figure) -> bool {
    figure.what.better == Better::Lower
        && figure.what.unit != Unit::Number
        && figure.what.is_of_records
}

/// What became of the limits of a report on a file of so many records; figures above theirs are noted.
///
/// # Errors
/// Usage, when a limit names no rate; Input, when what it looks at is not defined.
pub(super) fn judge(
    limits: &[Limit],
    figures: &[Figure],
    records: usize,
    console: &Console,
) -> Result<Vec<LimitReport>> {
    let mut judged_by = Vec::new();
    for limit in limits {
        let looked_at = match &limit.measure {
            Some(measure) => vec![named(measure, figures)?],
            None => shares(figures)?,
        };
        let judged = |figure: &Figure| {
            Some(Judged {
                what: format!("{} is", figure.what.key),
                rate: rate(figure, records)?,
                limit: limit.rate,
            })
        };
        let judged: Vec<Judged> = looked_at.into_iter().filter_map(judged).collect();
        for above in judged.iter().filter(|judged| judged.is_above()) {
            console.note(&format!("note: {}", above.sentence()));
        }
        let of = limit.measure.as_deref().unwrap_or("shares");
        judged_by.extend(LimitReport::new(of, &judged));
    }
    Ok(judged_by)
}

/// Every share for which less is better, one of which must be defined: a gate that nothing can close is open.
fn shares(figures: &[Figure]) -> Result<Vec<&Figure>> {
    let shares: Vec<&Figure> = (figures.iter())
        .filter(|figure| is_rate(figure) && figure.what.unit == Unit::Share)
        .collect();
    if shares.iter().any(|figure| figure.value.is_some()) {
        Ok(shares)
    } else {
        Err(Error::input(
            "no share of risk is defined for this file, so --fail-above has nothing to look at",
        )
        .remedy("Leave it out to see what is absent, and why"))
    }
}

/// The measure of this name, which must be a rate that is defined: a gate that nothing can close is open.
fn named<'a>(measure: &str, figures: &'a [Figure]) -> Result<&'a Figure> {
    let rates = figures.iter().filter(|figure| is_rate(figure));
    let figure = find(figures, measure).filter(|figure| is_rate(figure));
    let Some(figure) = figure else {
        let keys: Vec<&str> = rates.map(|figure| figure.what.key).collect();
        return Err(
            Error::usage(format!("--fail-above: no rate is called {measure:?} here"))
                .remedy(format!("There are: {}", keys.join(", "))),
        );
    };
    match &figure.why_not {
        None => Ok(figure),
        Some(why) => Err(Error::input(format!(
            "--fail-above {measure}: it is not defined for this file: {why}"
        ))
        .remedy("Leave this limit out, or give what the measure needs")),
    }
}
