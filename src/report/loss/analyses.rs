//! Analyses of both files, for people: the same analysis side by side.

use crate::{
    figure::{self, Definition, Figure, Group, Part},
    loss::analyses::{Accuracies, Analysis, Classifier},
    report::{figures, text},
};

/// What was done, and what came out.
pub fn section(analysis: &Analysis) -> String {
    if analysis.figures.is_empty() {
        return String::new();
    }
    let mut content = "\nThe same analyses of both files\n".to_string();
    for note in &analysis.notes {
        content += &text::paragraph(note);
    }
    content
        + &clusters(&analysis.figures)
        + &classes(&analysis.figures)
        + &regression(&analysis.figures)
}

/// What the figures are: one paragraph each, but for classifiers, which have one together.
pub fn definitions(analysis: &Analysis) -> String {
    let others: Vec<Figure> = (analysis.figures.iter())
        .filter(|figure| figure.what.group != Group::Classes)
        .cloned()
        .collect();
    let mut content = figures::definitions(&others);
    if others.len() < analysis.figures.len() {
        content += &text::paragraph(
            "accuracy_..._original, _masked, _loss: the share of held-out original records whose class is predicted by what was \
             learned from the other records, as they are in the original or in the masked file, and the difference of the \
             two; accuracy_most_frequent is the share of the most frequent class (cross-validation; classifiers of smartcore)",
        );
    }
    content
}

/// What the figures mean for those who make such analyses.
pub fn reading(analysis: &Analysis) -> Vec<String> {
    let all = &analysis.figures;
    [
        reading_of_clusters(all),
        reading_of_classes(all),
        reading_of_regression(all),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn reading_of_clusters(all: &[Figure]) -> Option<String> {
    let adjusted = figure::value(all, "kmeans_adjusted_rand")?;
    let verdict = match adjusted {
        a if a >= 1.0 => "exactly the groups of the original",
        a if a >= 0.9 => "nearly the groups of the original",
        a if a >= 0.5 => "groups that are partly those of the original",
        _ => "other groups than in the original",
    };
    Some(format!(
        "Who looks for groups in the masked file finds {verdict} (adjusted Rand index {adjusted:.2}; 1 is equal, 0 is chance)."
    ))
}

fn reading_of_classes(all: &[Figure]) -> Option<String> {
    let most_frequent = figure::value(all, "accuracy_most_frequent")?;
    let best = |of: fn(&Accuracies) -> &Definition| {
        let each = Classifier::ALL.into_iter();
        each.filter_map(|classifier| figure::value(all, of(classifier.accuracies()).key))
            .reduce(f64::max)
    };
    let original = best(|accuracies| &accuracies.original)?;
    let masked = best(|accuracies| &accuracies.masked)?;
    if original <= most_frequent {
        return Some(format!(
            "No classifier beats the most frequent class even when it learns from the original ({} against {}): this target says nothing about what was lost.",
            text::percent(original),
            text::percent(most_frequent)
        ));
    }
    Some(format!(
        "The best classifier is right for {} of the original records if it learned from the original, and for {} if it learned from the masked file; without learning it would be {}.",
        text::percent(original),
        text::percent(masked),
        text::percent(most_frequent)
    ))
}

fn reading_of_regression(all: &[Figure]) -> Option<String> {
    let overlaps = figure::find(all, "regression_overlap")?;
    if let Some(why) = &overlaps.why_not {
        return Some(format!(
            "The regression cannot be made with the masked file: {why}."
        ));
    }
    let apart: Vec<&str> = (overlaps.parts.iter())
        .filter(|part| part.value.is_some_and(|overlap| overlap <= 0.0))
        .map(|part| part.name.as_str())
        .collect();
    Some(if apart.is_empty() {
        "In the regression the intervals of every coefficient meet: who tests them may still conclude otherwise where they meet little.".into()
    } else {
        format!(
            "In the regression the intervals of {} do not even meet: the masked file rules out what the original says of them.",
            text::names(&apart, 5)
        )
    })
}

fn clusters(all: &[Figure]) -> String {
    let shown: Vec<Figure> = all
        .iter()
        .filter(|figure| figure.what.group == Group::Clusters)
        .cloned()
        .collect();
    if shown.is_empty() {
        String::new()
    } else {
        format!("\n{}", figures::table(&shown))
    }
}

/// A classifier a line.
fn classes(all: &[Figure]) -> String {
    let Some(most_frequent) = figure::find(all, "accuracy_most_frequent") else {
        return String::new();
    };
    let shown = |figure: &Figure| figures::shown(figure.value, figure.what.unit);
    let mut rows = Vec::new();
    for lost in all {
        let accuracies = Classifier::ALL.map(Classifier::accuracies);
        let mut of_loss = accuracies.into_iter();
        let Some(accuracies) = of_loss.find(|accuracies| accuracies.lost == *lost.what) else {
            continue;
        };
        let of = |what: &Definition| figure::find(all, what.key).map_or(String::new(), shown);
        rows.push(vec![
            accuracies.name.to_string(),
            format!("{}_...", accuracies.stem),
            of(&accuracies.original),
            of(&accuracies.masked),
            shown(lost),
        ]);
    }
    rows.push(vec![
        most_frequent.what.name.into(),
        most_frequent.what.key.into(),
        shown(most_frequent),
        String::new(),
        String::new(),
    ]);
    let header = [
        "classes predicted right, learned from",
        "key",
        "original",
        "masked",
        "lost (lower is better)",
    ];
    format!("\n{}", text::columns(&header, &rows, 2))
}

/// A coefficient a line, with its interval in both files.
fn regression(all: &[Figure]) -> String {
    let shown: Vec<Figure> = all
        .iter()
        .filter(|figure| figure.what.group == Group::Regression)
        .cloned()
        .collect();
    let Some(original) = figure::find(&shown, "regression_fit_original") else {
        return String::new();
    };
    let parts = |key: &str| figure::find(&shown, key).map_or(&[][..], |figure| &figure.parts[..]);
    let overlaps = parts("regression_overlap");
    let mut rows = Vec::new();
    let mut of_masked = parts("regression_fit_masked").chunks(3);
    for (place, coefficient) in original.parts.chunks(3).enumerate() {
        let mut row = vec![
            coefficient
                .first()
                .map_or(String::new(), |part| part.name.clone()),
        ];
        row.extend(interval(coefficient));
        row.extend(interval(of_masked.next().unwrap_or(&[])));
        let overlap = overlaps.get(place).and_then(|part| part.value);
        row.push(overlap.map_or("-".into(), text::percent));
        rows.push(row);
    }
    let header = [
        "coefficient",
        "original",
        "95 % interval",
        "masked",
        "95 % interval",
        "overlap",
    ];
    format!(
        "\n{}\n{}",
        figures::table(&shown),
        text::columns(&header, &rows, 1)
    )
}

/// An estimate, and from where to where it may lie.
fn interval(parts: &[Part]) -> [String; 2] {
    let shown = |part: &Part| part.value.map_or("-".to_string(), number);
    match parts {
        [estimate, low, high] => [
            shown(estimate),
            format!("{} to {}", shown(low), shown(high)),
        ],
        _ => ["-".into(), "-".into()],
    }
}

/// Five digits, whatever the unit.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if (1e-3..1e7).contains(&size) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 0 and 7"
            )]
            let digits = (4.0 - size.log10().floor()).max(0.0) as usize;
            format!("{value:.digits$}")
        }
        _ => format!("{value:.4e}"),
    }
}
