//! IL: the mean of five measures, one number for a file.

use super::categories::ENTROPY_LOSS;
use crate::{
    figure::{self, Definition, Figure, Group},
    table::pair::Pair,
};

/// Information loss in one number.
pub static IL: Definition = Definition::share(Group::Overall, "il", "information loss (IL)", "mean of five: mean variation of values, means, covariances and variances, mean absolute difference of correlations", "J. Domingo-Ferrer, V. Torra, 2001",).unbounded().public();

/// Information loss of all attributes in one number.
pub static IL_ALL: Definition = Definition::share(
    Group::Overall,
    "il_all",
    "information loss, all attributes",
    "mean over the attributes: IL for each that is a number in both files, the entropy loss of the others for each of these; of numbers only it is IL",
    "the project's own, after J. Domingo-Ferrer, V. Torra, 2001, and P. Kooiman, L. Willenborg, J. Gouweleeuw, 1997",
)
.unbounded()
.public();

/// [`IL`]'s first part by its short name.
pub static IL1: Definition = Definition::share(Group::Overall, "il1", "values, mean variation (IL1)", "mean of |x − x'| / |x| over the cells that both files have and where x is not 0; the same as mean_variation_data", "J. Domingo-Ferrer, V. Torra, 2001",).unbounded().public();

/// The five measures, each with a weight of a fifth.
pub const FIVE: [&str; 5] = [
    "mean_variation_data",
    "mean_variation_means",
    "mean_variation_covariances",
    "mean_variation_variances",
    "mean_absolute_correlations",
];

/// Of the overall measures, in the order of [`figures`].
pub fn definitions() -> [&'static Definition; 3] {
    [&IL, &IL1, &IL_ALL]
}

/// The measures that one of them is made from.
pub fn parts(key: &str) -> impl Iterator<Item = &'static str> + use<> {
    let (five, entropy): (&[&str], _) = match key {
        _ if key == IL.key => (&FIVE, None),
        _ if key == IL1.key => (&FIVE[..1], None),
        _ if key == IL_ALL.key => (&FIVE, Some(ENTROPY_LOSS.key)),
        _ => (&[], None),
    };
    five.iter().copied().chain(entropy)
}

/// Of these, what can be made from what was measured; of a number of attributes that are numbers in both files.
pub fn figures(measured: &[Figure], numbers: usize) -> Vec<Figure> {
    let is_there =
        |what: &Definition| parts(what.key).all(|part| figure::find(measured, part).is_some());
    let il = is_there(&IL).then(|| il(measured));
    let mixed = (il.as_ref())
        .filter(|_| is_there(&IL_ALL))
        .map(|il| il_all(il, measured, numbers));
    il.into_iter().chain(il1(measured)).chain(mixed).collect()
}

/// IL from the measures of discrepancy.
///
/// ```text
/// IL = (IL1 + IL2 + IL3 + IL4 + IL5) / 5
/// ```
///
/// Mean variations have no upper bound: one mean or covariance near 0 can make IL as large as one likes.
///
/// # Source
/// J. Domingo-Ferrer, V. Torra, "A quantitative comparison of disclosure control methods for microdata", in Confidentiality,
/// Disclosure, and Data Access, Elsevier, 2001.
fn il(measured: &[Figure]) -> Figure {
    mean_of(&IL, measured, &FIVE)
}

/// IL1 under its short name.
fn il1(measured: &[Figure]) -> Option<Figure> {
    figure::find(measured, FIVE[0]).map(|figure| Figure {
        what: &IL1,
        ..figure.clone()
    })
}

/// IL_all, from IL, the entropy loss and the number of attributes that are numbers in both files.
///
/// ```text
/// IL_all = (p IL + q entropy_loss) / (p + q)      of p attributes of numbers and q with an entropy that could be lost
/// ```
///
/// IL is of numbers only, so what is done to names, and numbers that become classes, costs nothing in it. Here they count, as much as each
/// other attribute. An entropy loss is never above 1, which IL can be.
fn il_all(il: &Figure, measured: &[Figure], numbers: usize) -> Figure {
    let entropy = figure::find(measured, ENTROPY_LOSS.key);
    let entropy = entropy.and_then(|figure| Some((figure.value?, figure.counted)));
    let (lost, categories) = entropy.unwrap_or((0.0, 0));
    let all = numbers as u64 + categories;
    match il.value {
        Some(il) => {
            let sum = numbers as f64 * il + categories as f64 * lost;
            Figure::new(&IL_ALL, sum / all as f64, all)
        }
        None if numbers == 0 && categories > 0 => Figure::new(&IL_ALL, lost, all),
        None => {
            let why = il.why_not.as_deref().unwrap_or_default();
            let instead = if categories > 0 {
                "; entropy_loss is of the categories alone"
            } else {
                ""
            };
            Figure::undefined(&IL_ALL, format!("IL is not ({why}){instead}"))
        }
    }
}

/// The attributes that changed although IL says nothing of them: names, and numbers that became classes.
///
/// IL and PIL are of attributes that are numbers in both files. Where a masking recodes the others, both are small whatever was lost.
pub fn not_in_il(pair: &Pair) -> Vec<String> {
    (pair.categories.iter())
        .filter(|attribute| attribute.original != attribute.masked)
        .map(|attribute| attribute.name.clone())
        .collect()
}

/// The mean of figures of these keys; not defined where one of them is not.
pub fn mean_of(what: &'static Definition, figures: &[Figure], keys: &[&str]) -> Figure {
    let of = |key: &&str| figure::find(figures, key);
    let values: Option<Vec<f64>> = keys.iter().map(|key| of(key)?.value).collect();
    match values {
        Some(values) => {
            let count = keys.len();
            Figure::new(
                what,
                values.iter().sum::<f64>() / count as f64,
                count as u64,
            )
        }
        None => {
            let missing = keys
                .iter()
                .filter_map(of)
                .find(|figure| figure.value.is_none());
            Figure::undefined(
                what,
                missing.map_or("a part of it is not".into(), |figure| {
                    let why = figure.why_not.as_deref().unwrap_or_default();
                    format!("{} is not ({why})", figure.what.key)
                }),
            )
        }
    }
}
