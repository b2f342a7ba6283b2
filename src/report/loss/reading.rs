//! What figures of loss mean for those who use the file, in plain words.

use super::{LossScope, Measured};
use crate::{
    figure::{self, Discrepancy, Figure, Group},
    loss::IL_PARTS,
    report::text,
};

/// Records from which standard errors are so small that PIL says little.
const MANY_RECORDS: usize = 10_000;

/// Sentences about the figures that were measured.
pub fn of(measured: &Measured, scenario: &LossScope) -> Vec<String> {
    let figures = &measured.data;
    if is_unchanged(figures) {
        let missed = [
            unseen(scenario),
            confidential(measured),
            not_in_il(figures, scenario),
        ];
        let missed: Vec<String> = missed.into_iter().flatten().collect();
        let verdict = "Nothing that was measured differs between the two files";
        let verdict = if missed.is_empty() {
            format!("{verdict}: no loss.")
        } else {
            format!("{verdict}.")
        };
        return std::iter::once(verdict).chain(missed).collect();
    }
    [
        unseen(scenario),
        confidential(measured),
        values(figures),
        overall(figures),
        not_in_il(figures, scenario),
        statistics(figures),
        corrected(measured),
        probabilistic(figures, scenario),
        categories(figures),
        suppressed(figures),
        zeros(figures),
        units(figures),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What differs and was not compared.
pub(super) fn unseen(scenario: &LossScope) -> Option<String> {
    let names = &scenario.differ_unseen;
    (!names.is_empty()).then(|| {
        format!(
            "Not compared, although the files differ in {}: {}. No figure says what was lost there; --attributes names what is compared.",
            if names.len() == 1 { "it" } else { "them" },
            text::names(names, 12)
        )
    })
}

/// What was masked though it is confidential.
fn confidential(measured: &Measured) -> Option<String> {
    let masked = measured.confidential.as_ref()?;
    let names = text::names(&masked.attributes, 12);
    Some(if is_unchanged(&masked.figures) {
        format!(
            "Confidential, and named by the statement: {names}. Nothing that was measured differs there."
        )
    } else {
        format!(
            "Confidential and masked: {names}. What was lost there stands by itself and is in no other figure."
        )
    })
}

fn is_unchanged(figures: &[Figure]) -> bool {
    let mut values = figures.iter().filter_map(|figure| figure.value).peekable();
    values.peek().is_some() && values.all(|value| value == 0.0)
}

/// How far values lie from where they were.
fn values(figures: &[Figure]) -> Option<String> {
    let share = figure::value(figures, "sse_sst")?;
    let verdict = match share {
        s if s < 0.01 => "small beside the differences between people",
        s if s < 0.25 => "well below the differences between people",
        s if s < 1.0 => "comparable to the differences between people",
        _ => {
            "as large as the differences between people, or larger: a masked value says little of the person's"
        }
    };
    let mut sentence = format!(
        "A masked value lies {:.2} standard deviations from its original (the root of SSE/SST): {verdict}.",
        share.sqrt()
    );
    // Two records drawn at random have an SSE/SST of 2.
    if share > 1.5 {
        sentence += " Values of other people would be about as near: if the two files are not in the same order, say who is who with --id or --shuffle-key.";
    }
    Some(sentence)
}

/// What IL is made of, and whether one of its parts makes it.
fn overall(figures: &[Figure]) -> Option<String> {
    // Of none there is no largest part.
    let il = figure::value(figures, "il").filter(|&il| il > 0.0)?;
    let parts: Option<Vec<&Figure>> = (IL_PARTS.iter())
        .map(|key| figure::find(figures, key))
        .collect();
    let largest = parts?.into_iter().max_by(|a, b| {
        let of = |figure: &Figure| figure.value.unwrap_or(0.0);
        of(a).total_cmp(&of(b))
    })?;
    let share = largest.value? / IL_PARTS.len() as f64 / il;
    let mut sentence = format!(
        "IL is {}, and the largest of its five parts is {} ({} of it).",
        text::percent(il),
        largest.what.key,
        text::percent(share)
    );
    if let Some(attribute) = dominating(largest) {
        sentence += &format!(
            " There {attribute} stands out: a value or statistic of it near 0 makes a relative difference large whatever was done to it. Compare il1s and pil, which have no such denominators."
        );
    }
    Some(sentence)
}

/// What changed and is in no measure of numbers.
fn not_in_il(figures: &[Figure], scenario: &LossScope) -> Option<String> {
    let shown: Vec<&str> = [("il", "IL"), ("pil", "PIL")]
        .into_iter()
        .filter(|(key, _)| figure::value(figures, key).is_some())
        .map(|(_, name)| name)
        .collect();
    let missed: Vec<&str> = scenario.not_in_il.iter().map(String::as_str).collect();
    (!shown.is_empty() && !missed.is_empty()).then(|| {
        format!(
            "{} of numbers only: what was lost of {} ({} of {} compared attributes, changed, and not numbers in both files) is not in {}. See il_all, changed and entropy_loss, and do not compare IL, PIL or a score with those of maskings that left these attributes numbers.",
            match shown[..] {
                [one] => format!("{one} is"),
                _ => "IL and PIL are".into(),
            },
            text::names(&missed, 6),
            missed.len(),
            scenario.attributes.len(),
            if shown.len() == 1 { "it" } else { "them" },
        )
    })
}

/// The attribute whose part of a relative figure is more than that of all others together, where it is large at all.
fn dominating(figure: &Figure) -> Option<&str> {
    const LARGE: f64 = 1.0;
    let value = |part: &figure::Part| part.value.unwrap_or(0.0);
    let largest = figure
        .parts
        .iter()
        .max_by(|a, b| value(a).total_cmp(&value(b)))?;
    let sum: f64 = figure.parts.iter().map(value).sum();
    (figure.parts.len() > 1
        && matches!(
            figure.what.group,
            Group::Difference(_, Discrepancy::MeanVariation)
        )
        && value(largest) > LARGE
        && value(largest) > sum / 2.0)
        .then_some(largest.name.as_str())
}

/// What users will find in the usual statistics.
fn statistics(figures: &[Figure]) -> Option<String> {
    let means = figure::value(figures, "mean_variation_means")?;
    let variances = figure::value(figures, "mean_variation_variances")?;
    let correlations = figure::value(figures, "mean_absolute_correlations")?;
    Some(format!(
        "Who computes statistics from the masked file is off by {} in a mean, by {} in a variance and by {correlations:.3} in a correlation, on average over the attributes.",
        text::percent(means),
        text::percent(variances),
    ))
}

/// What the statement is worth to users.
fn corrected(measured: &Measured) -> Option<String> {
    let figures = &measured.correction.as_ref()?.figures;
    let change = |key: &str, words: &str, shown: fn(f64) -> String| {
        let both = figures.iter().find(|both| both.naive.what.key == key)?;
        let (naive, corrected) = (shown(both.naive.value?), shown(both.corrected.value?));
        (naive != corrected).then(|| format!("{words} by {corrected} instead of {naive}"))
    };
    let changes = [
        change("mean_variation_variances", "in a variance", text::percent),
        change(
            "mean_variation_covariances",
            "in a covariance",
            text::percent,
        ),
        change("mean_absolute_correlations", "in a correlation", |value| {
            format!("{value:.3}")
        }),
        change(
            "frequency_loss",
            "in the frequencies of categories",
            text::percent,
        ),
    ];
    let changes: Vec<String> = changes.into_iter().flatten().collect();
    (!changes.is_empty()).then(|| {
        format!(
            "Who corrects by what was published is off {}.",
            changes.join(", ")
        )
    })
}

fn probabilistic(figures: &[Figure], scenario: &LossScope) -> Option<String> {
    const SATURATED: f64 = 0.9;
    let pil = figure::value(figures, "pil")?;
    let mut sentence = format!(
        "PIL is {}: 0 where statistics are as they were, 50 % where they differ by two thirds of a standard error, near 100 % where chance would hardly make such a difference in a sample of this size.",
        text::percent(pil)
    );
    if pil > SATURATED || scenario.records >= MANY_RECORDS {
        sentence += &format!(
            " With {} records standard errors are small, so that PIL can be near 100 % although statistics have hardly moved: compare the mean variations.",
            scenario.records
        );
    }
    Some(sentence)
}

fn categories(figures: &[Figure]) -> Option<String> {
    let lost = figure::value(figures, "entropy_loss")?;
    Some(format!(
        "Of what the categories said, {} is lost: so much of their entropy remains for one who knows the masked categories and how the two files go together.",
        text::percent(lost)
    ))
}

fn suppressed(figures: &[Figure]) -> Option<String> {
    let share = figure::value(figures, "suppressed").filter(|&share| share > 0.0)?;
    Some(format!(
        "{} of the cells were suppressed. Differences of values do not count them, so the loss is larger than these say.",
        text::percent(share)
    ))
}

/// What was left out because it could not be divided by.
fn zeros(figures: &[Figure]) -> Option<String> {
    const TOLD_FROM: f64 = 0.1;
    let left_out = figures.iter().filter(|figure| {
        let all = (figure.counted + figure.skipped) as f64;
        figure.value.is_some() && figure.skipped as f64 >= TOLD_FROM * all && figure.skipped > 0
    });
    let keys: Vec<&str> = left_out.map(|figure| figure.what.key).collect();
    (!keys.is_empty()).then(|| {
        format!(
            "A tenth or more was left out, for it would be divided by 0, of {}: what happened there is not in these figures.",
            text::names(&keys, 6)
        )
    })
}

fn units(figures: &[Figure]) -> Option<String> {
    let own_units = ["mean_square_data", "mean_absolute_data"];
    let shown = own_units
        .iter()
        .any(|key| figure::value(figures, key).is_some());
    shown.then(|| {
        "Mean squares and mean absolute differences (but of correlations) are in the attributes' own units, so the attribute with the largest numbers decides: compare them between maskings of one file only.".into()
    })
}
