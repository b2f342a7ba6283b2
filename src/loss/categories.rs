//! What happened to names and classes, and to cells at all: entropy, share changed, share suppressed.

use rayon::prelude::*;

use super::Files;
use crate::{
    figure::{Definition, Figure, Group, Part},
    table::pair::PairedCategories,
};

/// How much remains unknown of categories.
pub static ENTROPY_LOSS: Definition = Definition::share(
    Group::Cells,
    "entropy_loss",
    "entropy of categories",
    "how much remains unknown of a category when its masked one is seen: H(original | masked) / H(original), mean over the attributes of categories; 0 where each can be told, 1 where nothing can",
    "P. Kooiman, L. Willenborg, J. Gouweleeuw, 1997; Handbook on Statistical Disclosure Control, 3.5",
).public();

/// Cells that are not the same.
pub static CHANGED: Definition = Definition::share(
    Group::Cells,
    "changed",
    "cells changed",
    "share of the values that are there in the original and are not the same in the masked file: another value, another name, or none",
    "counted",
).public();

/// Cells that are missing now.
pub static SUPPRESSED: Definition = Definition::share(
    Group::Cells,
    "suppressed",
    "cells suppressed",
    "share of the values that are there in the original and missing in the masked file",
    "counted",
)
.public();

/// Of what is compared, in the order of [`figures`].
pub fn definitions() -> [&'static Definition; 3] {
    [&ENTROPY_LOSS, &CHANGED, &SUPPRESSED]
}

/// Entropy-based loss of categories; share changed and share suppressed of all attributes.
///
/// ```text
/// H(original | masked) / H(original)        H(X | Y) = −Σ_y P(y) Σ_x P(x | y) log P(x | y)
/// ```
///
/// taken from the joint frequencies of the records whose original category is there. A suppressed cell is a category of its own
/// in the masked file. A number that was recoded to classes is an attribute of categories: its values are the original ones.
/// An attribute with one category has no entropy that could be lost, and is counted in `skipped`. Merging categories, swapping
/// and suppression lose entropy; renaming them one to one does not.
///
/// # Parts
/// One an attribute, numbers first.
///
/// # Complexity
/// O(n log n) for each attribute.
///
/// # Source
/// P. Kooiman, L. Willenborg, J. Gouweleeuw, "PRAM: a method for disclosure limitation of microdata", Statistics Netherlands, 1997;
/// L. Willenborg, T. de Waal, "Elements of Statistical Disclosure Control", Springer, 2001.
pub fn figures(files: &Files<'_>) -> Vec<Figure> {
    let entropy_loss = entropy_loss(&files.pair.categories);
    std::iter::once(entropy_loss)
        .chain(shares(files, None))
        .collect()
}

/// The shares of cells that were changed or suppressed; with a weight for each record if there are weights.
pub fn shares(files: &Files<'_>, weights: Option<&[f64]>) -> [Figure; 2] {
    let pair = files.pair;
    let numbers = (0..files.names.len()).into_par_iter().map(|attribute| {
        let cells = (files.before.cells(attribute)).zip(files.after.cells(attribute));
        Fates::of(cells, weights)
    });
    let categories = pair.categories.par_iter().map(|attribute| {
        let cells = (attribute.original.iter().copied()).zip(attribute.masked.iter().copied());
        Fates::of(cells, weights)
    });
    let fates: Vec<Fates> = numbers.chain(categories).collect();
    let names: Vec<&String> = (pair.numbers.names.iter())
        .chain(pair.categories.iter().map(|attribute| &attribute.name))
        .collect();
    [
        share_of(&CHANGED, &names, &fates, |fates| {
            fates.changed + fates.suppressed
        }),
        share_of(&SUPPRESSED, &names, &fates, |fates| fates.suppressed),
    ]
}

/// What became of the cells of an attribute that were there: sums of weights, which are 1 where there are none.
struct Fates {
    counted: u64,
    there: f64,
    changed: f64,
    suppressed: f64,
}

impl Fates {
    fn of<T: PartialEq>(
        cells: impl Iterator<Item = (Option<T>, Option<T>)>,
        weights: Option<&[f64]>,
    ) -> Self {
        let mut fates = Self {
            counted: 0,
            there: 0.0,
            changed: 0.0,
            suppressed: 0.0,
        };
        for (record, (before, after)) in cells.enumerate() {
            if before.is_some() {
                let weight = weights.map_or(1.0, |weights| weights[record]);
                fates.counted += 1;
                fates.there += weight;
                match &after {
                    None => fates.suppressed += weight,
                    Some(_) if before != after => fates.changed += weight,
                    Some(_) => {}
                }
            }
        }
        fates
    }
}

fn share_of(
    what: &'static Definition,
    names: &[&String],
    fates: &[Fates],
    count: fn(&Fates) -> f64,
) -> Figure {
    let share = |count: f64, there: f64| (there > 0.0).then(|| count / there);
    let there = fates.iter().map(|fates| fates.there).sum();
    let parts = names.iter().zip(fates).map(|(name, fates)| Part {
        name: (*name).clone(),
        value: share(count(fates), fates.there),
    });
    match share(fates.iter().map(count).sum(), there) {
        Some(value) => Figure::new(what, value, fates.iter().map(|fates| fates.counted).sum()),
        None => Figure::undefined(what, "no compared cell of the original has a value"),
    }
    .with_parts(parts.collect())
}

fn entropy_loss(attributes: &[PairedCategories]) -> Figure {
    let losses: Vec<Option<f64>> = attributes.par_iter().map(entropy_lost).collect();
    let parts = attributes
        .iter()
        .zip(&losses)
        .map(|(attribute, &value)| Part {
            name: attribute.name.clone(),
            value,
        });
    let parts = parts.collect();
    let there: Vec<f64> = losses.iter().copied().flatten().collect();
    let skipped = (losses.len() - there.len()) as u64;
    match there.len() {
        0 if attributes.is_empty() => Figure::undefined(&ENTROPY_LOSS, super::NO_CATEGORIES),
        0 => Figure::undefined(
            &ENTROPY_LOSS,
            "no attribute has two different categories in the original",
        ),
        count => Figure::new(
            &ENTROPY_LOSS,
            there.iter().sum::<f64>() / count as f64,
            count as u64,
        ),
    }
    .with_skipped(skipped)
    .with_parts(parts)
}

/// The share of an attribute's entropy that its masked categories do not determine; `None` where there is no entropy.
fn entropy_lost(attribute: &PairedCategories) -> Option<f64> {
    let mut cells: Vec<(Option<u32>, u32)> = (attribute.masked.iter().zip(&attribute.original))
        .filter_map(|(&masked, &original)| Some((masked, original?)))
        .collect();
    cells.sort_unstable();
    let by_masked = cells.chunk_by(|a, b| a.0 == b.0);
    // n H(original | masked): each group's own entropy times its size.
    let remaining: f64 = by_masked
        .map(|group| {
            let counts = group.chunk_by(|a, b| a.1 == b.1).map(<[_]>::len);
            sized_entropy(group.len(), counts)
        })
        .sum();
    cells.sort_unstable_by_key(|cell| cell.1);
    let counts = cells.chunk_by(|a, b| a.1 == b.1).map(<[_]>::len);
    let whole = sized_entropy(cells.len(), counts);
    (whole > 0.0).then(|| (remaining / whole).clamp(0.0, 1.0))
}

/// n times the entropy of shares c/n: n log n − Σ c log c; 0 exactly where there is one share.
fn sized_entropy(n: usize, counts: impl Iterator<Item = usize>) -> f64 {
    let times_log = |count: usize| count as f64 * (count as f64).ln();
    counts.fold(times_log(n), |left, count| left - times_log(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Scale;

    fn attribute(original: &[u32], masked: &[Option<u32>]) -> PairedCategories {
        PairedCategories {
            name: "a".into(),
            scale: Scale::Nominal,
            labels: Vec::new(),
            original: original.iter().copied().map(Some).collect(),
            masked: masked.to_vec(),
        }
    }

    /// By hand: four equally frequent categories, 2 bits. Merged in pairs, 1 bit remains; one suppressed of four equal, nothing
    /// remains unknown (what is missing can only be it); all suppressed, all is lost; renamed, nothing is.
    #[test]
    fn entropy_by_hand() {
        let original = [0, 1, 2, 3];
        let lost = |masked: [Option<u32>; 4]| entropy_lost(&attribute(&original, &masked)).unwrap();
        assert!((lost([Some(4), Some(4), Some(5), Some(5)]) - 0.5).abs() < 1e-15);
        assert_eq!(lost([None, Some(1), Some(2), Some(3)]), 0.0);
        assert_eq!(lost([None; 4]), 1.0);
        assert_eq!(lost([Some(3), Some(2), Some(1), Some(0)]), 0.0);
        assert_eq!(entropy_lost(&attribute(&[7, 7], &[Some(7), None])), None);
    }
}
