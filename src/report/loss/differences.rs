//! The differences of values and statistics side by side: what is compared a line, how it is compared a column.

use crate::{
    figure::{Discrepancy, Figure, Group, Statistic},
    report::{figures::shown, text},
};

/// The title of the table. Its keys are put together: a column and a line.
pub const TITLE: &str = "Differences of values and statistics: 0 to any, probabilistic ones 0 to 100 %; lower is better\n(keys: mean_square_data, …, mean_variation_quantiles, pil_means, …, pil_quantiles)";

/// The figure of a line and a column.
fn cell(figures: &[Figure], statistic: Statistic, by: Discrepancy) -> Option<&Figure> {
    let group = Group::Difference(statistic, by);
    figures.iter().find(|figure| figure.what.group == group)
}

/// The table; `None` unless all figures are there, and one at least is defined.
pub fn table(figures: &[Figure]) -> Option<String> {
    let rows: Option<Vec<Vec<String>>> = Statistic::ALL
        .iter()
        .map(|&statistic| {
            let of = |by| cell(figures, statistic, by);
            let square = of(Discrepancy::MeanSquare)?;
            let absolute = of(Discrepancy::MeanAbsolute)?;
            let variation = of(Discrepancy::MeanVariation)?;
            let probabilistic = match statistic {
                // They have no standard error.
                Statistic::Values => None,
                _ => Some(of(Discrepancy::Probabilistic)?),
            };
            let percent = |figure: &Figure| shown(figure.value, figure.what.unit);
            let left_out = [Some(variation), probabilistic]
                .into_iter()
                .flatten()
                .filter(|figure| figure.skipped > 0)
                .map(|figure| format!("{} of {}", figure.skipped, figure.skipped + figure.counted))
                .collect::<Vec<_>>();
            Some(vec![
                statistic.word().to_string(),
                shown(square.value, square.what.unit),
                shown(absolute.value, absolute.what.unit),
                percent(variation),
                probabilistic.map_or(String::new(), percent),
                left_out.join(", "),
            ])
        })
        .collect();
    let rows = rows?;
    if figures.iter().all(|figure| figure.value.is_none()) {
        return None;
    }
    // The last column is there only where something stands in it.
    let columns = if rows.iter().all(|row| row[5].is_empty()) {
        5
    } else {
        6
    };
    let mut header = vec![""];
    header.extend(Discrepancy::ALL.map(Discrepancy::word));
    header.push("left out: divided by 0");
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|row| row.into_iter().take(columns).collect())
        .collect();
    Some(text::columns(&header[..columns], &rows, 1))
}

/// What the columns and lines of the table are.
pub fn definitions() -> String {
    [
        "mean_square, mean_absolute, mean_variation: with m a value or statistic of the original and m' of the masked file, the means of (m − m')², |m − m'| and |m − m'| / |m|. Data: the cells that both files have. Means, variances and covariances of the attributes (divisor n−1; of covariances all p(p+1)/2, variances included), their p(p−1)/2 correlations, their quantiles 5, 10, …, 95 %. Cells with m = 0 count in no mean variation. (J. Domingo-Ferrer, V. Torra, 2001; Handbook on Statistical Disclosure Control, 3.5)",
        "pil: mean of 2 P(0 ≤ Z ≤ |m − m'| / standard error), Z standard normal, the standard error that of the statistic in a sample like the original. (J. M. Mateo-Sanz, J. Domingo-Ferrer, F. Sebé, 2005)",
    ]
    .map(text::paragraph)
    .concat()
}
