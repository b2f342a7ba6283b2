//! How far values and statistics of the masked file lie from those of the original: mean square, mean absolute difference,
//! mean variation.

use rayon::prelude::*;

use super::{
    Files,
    statistics::{QUANTILES, lower_triangle},
};
use crate::figure::{Definition, Discrepancy, Figure, Group, Part, Statistic, TOO_LARGE};

const SOURCE: &str =
    "J. Domingo-Ferrer, V. Torra, 2001; Handbook on Statistical Disclosure Control, 3.5";

/// What is compared.
struct Family {
    /// Mean of (m − m')².
    square: Definition,
    /// Mean of |m − m'|.
    absolute: Definition,
    /// Mean of |m − m'| / |m|.
    variation: Definition,
}

static DATA: Family = Family {
    square: Definition::number(
        Group::Difference(Statistic::Values, Discrepancy::MeanSquare),
        "mean_square_data",
        "values, mean square",
        "mean of (x − x')² over the cells that both files have, in squares of the attributes' own units",
        SOURCE,
    ),
    absolute: Definition::number(
        Group::Difference(Statistic::Values, Discrepancy::MeanAbsolute),
        "mean_absolute_data",
        "values, mean absolute",
        "mean of |x − x'| over the cells that both files have, in the attributes' own units",
        SOURCE,
    ),
    variation: Definition::share(
        Group::Difference(Statistic::Values, Discrepancy::MeanVariation),
        "mean_variation_data",
        "values, mean variation",
        "mean of |x − x'| / |x| over the cells that both files have and where x is not 0 (IL1)",
        SOURCE,
    )
    .unbounded(),
};

static MEANS: Family = Family {
    square: Definition::number(
        Group::Difference(Statistic::Means, Discrepancy::MeanSquare),
        "mean_square_means",
        "means, mean square",
        "mean over the attributes of the squared difference of means",
        SOURCE,
    ),
    absolute: Definition::number(
        Group::Difference(Statistic::Means, Discrepancy::MeanAbsolute),
        "mean_absolute_means",
        "means, mean absolute",
        "mean over the attributes of the absolute difference of means",
        SOURCE,
    ),
    variation: Definition::share(
        Group::Difference(Statistic::Means, Discrepancy::MeanVariation),
        "mean_variation_means",
        "means, mean variation",
        "mean over the attributes of |m − m'| / |m|, m the mean in the original (IL2)",
        SOURCE,
    )
    .unbounded(),
};

static VARIANCES: Family = Family {
    square: Definition::number(
        Group::Difference(Statistic::Variances, Discrepancy::MeanSquare),
        "mean_square_variances",
        "variances, mean square",
        "mean over the attributes of the squared difference of variances (divisor n−1)",
        SOURCE,
    ),
    absolute: Definition::number(
        Group::Difference(Statistic::Variances, Discrepancy::MeanAbsolute),
        "mean_absolute_variances",
        "variances, mean absolute",
        "mean over the attributes of the absolute difference of variances (divisor n−1)",
        SOURCE,
    ),
    variation: Definition::share(
        Group::Difference(Statistic::Variances, Discrepancy::MeanVariation),
        "mean_variation_variances",
        "variances, mean variation",
        "mean over the attributes of |v − v'| / v, v the variance in the original (IL4)",
        SOURCE,
    )
    .unbounded(),
};

static COVARIANCES: Family = Family {
    square: Definition::number(
        Group::Difference(Statistic::Covariances, Discrepancy::MeanSquare),
        "mean_square_covariances",
        "covariances, mean square",
        "mean of the squared difference over the p(p+1)/2 covariances, variances included (divisor n−1)",
        SOURCE,
    ),
    absolute: Definition::number(
        Group::Difference(Statistic::Covariances, Discrepancy::MeanAbsolute),
        "mean_absolute_covariances",
        "covariances, mean absolute",
        "mean of the absolute difference over the p(p+1)/2 covariances, variances included (divisor n−1)",
        SOURCE,
    ),
    variation: Definition::share(
        Group::Difference(Statistic::Covariances, Discrepancy::MeanVariation),
        "mean_variation_covariances",
        "covariances, mean variation",
        "mean of |c − c'| / |c| over the p(p+1)/2 covariances, variances included (IL3)",
        SOURCE,
    )
    .unbounded(),
};

static CORRELATIONS: Family = Family {
    square: Definition::number(
        Group::Difference(Statistic::Correlations, Discrepancy::MeanSquare),
        "mean_square_correlations",
        "correlations, mean square",
        "mean of the squared difference over the p(p−1)/2 correlations",
        SOURCE,
    )
    .at_most(4.0),
    absolute: Definition::number(
        Group::Difference(Statistic::Correlations, Discrepancy::MeanAbsolute),
        "mean_absolute_correlations",
        "correlations, mean absolute",
        "mean of the absolute difference over the p(p−1)/2 correlations (IL5)",
        SOURCE,
    )
    .at_most(2.0)
    // Correlations have no unit.
    .public(),
    variation: Definition::share(
        Group::Difference(Statistic::Correlations, Discrepancy::MeanVariation),
        "mean_variation_correlations",
        "correlations, mean variation",
        "mean of |r − r'| / |r| over the p(p−1)/2 correlations",
        SOURCE,
    )
    .unbounded(),
};

static QUANTILE: Family = Family {
    square: Definition::number(
        Group::Difference(Statistic::Quantiles, Discrepancy::MeanSquare),
        "mean_square_quantiles",
        "quantiles, mean square",
        "mean of the squared difference over the quantiles 5, 10, …, 95 % of each attribute",
        SOURCE,
    ),
    absolute: Definition::number(
        Group::Difference(Statistic::Quantiles, Discrepancy::MeanAbsolute),
        "mean_absolute_quantiles",
        "quantiles, mean absolute",
        "mean of the absolute difference over the quantiles 5, 10, …, 95 % of each attribute",
        SOURCE,
    ),
    variation: Definition::share(
        Group::Difference(Statistic::Quantiles, Discrepancy::MeanVariation),
        "mean_variation_quantiles",
        "quantiles, mean variation",
        "mean of |q − q'| / |q| over the quantiles 5, 10, …, 95 % of each attribute",
        SOURCE,
    )
    .unbounded(),
};

/// Sums over some cells.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// Cells of which both values are defined.
    cells: u64,
    /// Those of which one is not.
    undefined: u64,
    /// Those whose original value is 0.
    zeros: u64,
    square: f64,
    absolute: f64,
    variation: f64,
}

impl Sums {
    fn add(&mut self, before: Option<f64>, after: Option<f64>) {
        match (before, after) {
            (Some(before), Some(after)) => self.add_values(before, after),
            _ => self.undefined += 1,
        }
    }

    fn add_values(&mut self, before: f64, after: f64) {
        let difference = (before - after).abs();
        self.cells += 1;
        self.square += difference * difference;
        self.absolute += difference;
        if before == 0.0 {
            self.zeros += 1
        } else {
            self.variation += difference / before.abs()
        }
    }
}

/// Sums over all cells, and over those of each attribute.
struct Tally {
    all: Sums,
    of: Vec<Sums>,
}

impl Tally {
    /// Of pairs of values, each with the attributes that it is about.
    fn of<'a, const N: usize>(
        p: usize,
        about: impl Iterator<Item = [usize; N]>,
        before: impl Iterator<Item = &'a Option<f64>>,
        after: impl Iterator<Item = &'a Option<f64>>,
    ) -> Self {
        let mut tally = Self {
            all: Sums::default(),
            of: vec![Sums::default(); p],
        };
        for ((attributes, &before), &after) in about.zip(before).zip(after) {
            tally.all.add(before, after);
            for (place, &attribute) in attributes.iter().enumerate() {
                if !attributes[..place].contains(&attribute) {
                    tally.of[attribute].add(before, after);
                }
            }
        }
        tally
    }

    /// Of the cells that both files have.
    fn of_cells(files: &Files<'_>) -> Self {
        let of: Vec<Sums> = (0..files.names.len())
            .into_par_iter()
            .map(|attribute| {
                let mut sums = Sums::default();
                let cells = (files.before.cells(attribute)).zip(files.after.cells(attribute));
                for (before, after) in cells {
                    if let (Some(before), Some(after)) = (before, after) {
                        sums.add_values(before, after);
                    }
                }
                sums
            })
            .collect();
        let mut all = Sums::default();
        for sums in &of {
            all.cells += sums.cells;
            all.zeros += sums.zeros;
            all.square += sums.square;
            all.absolute += sums.absolute;
            all.variation += sums.variation;
        }
        Self { all, of }
    }

    fn figures(&self, family: &'static Family, files: &Files<'_>) -> [Figure; 3] {
        let names = files.names;
        let figure = |what, sum: fn(&Sums) -> f64, varied: bool| {
            let counted = |sums: &Sums| sums.cells - if varied { sums.zeros } else { 0 };
            let mean = |sums: &Sums| (counted(sums) > 0).then(|| sum(sums) / counted(sums) as f64);
            let part = |(name, sums): (&String, &Sums)| Part {
                name: name.clone(),
                value: mean(sums).filter(|value| value.is_finite()),
            };
            let skipped = self.all.undefined + if varied { self.all.zeros } else { 0 };
            let figure = match mean(&self.all) {
                Some(value) => Figure::new(what, value, counted(&self.all)),
                None => Figure::undefined(what, self.why_not(files)),
            };
            figure
                .with_skipped(skipped)
                .with_parts(names.iter().zip(&self.of).map(part).collect())
        };
        [
            figure(&family.square, |sums| sums.square, false),
            figure(&family.absolute, |sums| sums.absolute, false),
            figure(&family.variation, |sums| sums.variation, true),
        ]
    }

    /// Why nothing was counted.
    fn why_not(&self, files: &Files<'_>) -> &'static str {
        match (files.names.len(), self.all.cells, self.all.undefined) {
            (0, ..) => super::NO_NUMBERS,
            (1, 0, 0) => "there is one attribute of numbers only",
            (_, 0, 0) => "no cell is there in both files",
            (_, 0, _) if files.of_before().too_large || files.of_after().too_large => TOO_LARGE,
            (_, 0, _) => "no attribute has enough different values in both files",
            _ => "all of it is 0 in the original",
        }
    }
}

/// Of all families, in the order of [`figures`].
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    let families = [
        &DATA,
        &MEANS,
        &VARIANCES,
        &COVARIANCES,
        &CORRELATIONS,
        &QUANTILE,
    ];
    families
        .into_iter()
        .flat_map(|family| [&family.square, &family.absolute, &family.variation])
}

/// The eighteen figures: of values, means, variances, covariances, correlations and quantiles.
///
/// ```text
/// mean square = Σ (m − m')² / cells      mean absolute = Σ |m − m'| / cells      mean variation = Σ |m − m'| / |m| / cells
/// ```
///
/// # Zero denominators
/// A cell with m = 0 counts in no mean variation, and a statistic that is not defined in one of the files (the
/// correlation of a constant) in none of the three; both are counted in `skipped`.
///
/// # Parts
/// The mean over the cells that are about an attribute; a covariance or correlation is about two.
///
/// # Source
/// J. Domingo-Ferrer, V. Torra, "Disclosure control methods and information loss for microdata", in Confidentiality,
/// Disclosure, and Data Access, Elsevier, 2001; Handbook on Statistical Disclosure Control, chapter 3.5 (with quantiles as in
/// the probabilistic measures).
pub fn figures(files: &Files<'_>) -> Vec<Figure> {
    let p = files.names.len();
    let (before, after) = (files.of_before(), files.of_after());
    let single = || (0..p).map(|j| [j]);
    let tallies = [
        (&DATA, Tally::of_cells(files)),
        (
            &MEANS,
            Tally::of(p, single(), before.means.iter(), after.means.iter()),
        ),
        (
            &VARIANCES,
            Tally::of(p, single(), before.variances.iter(), after.variances.iter()),
        ),
        (
            &COVARIANCES,
            Tally::of(
                p,
                lower_triangle(p),
                before.covariances.iter(),
                after.covariances.iter(),
            ),
        ),
        (
            &CORRELATIONS,
            Tally::of(
                p,
                lower_triangle(p).filter(|[j, k]| j != k),
                off_diagonal(&before.correlations),
                off_diagonal(&after.correlations),
            ),
        ),
        (
            &QUANTILE,
            Tally::of(
                p,
                (0..p * QUANTILES).map(|place| [place / QUANTILES]),
                before.quantiles.iter(),
                after.quantiles.iter(),
            ),
        ),
    ];
    tallies
        .iter()
        .flat_map(|(family, tally)| tally.figures(family, files))
        .collect()
}

/// Of a lower triangle all but the diagonal.
pub fn off_diagonal(triangle: &[Option<f64>]) -> impl Iterator<Item = &Option<f64>> {
    lower_triangle(triangle.len())
        .zip(triangle)
        .filter(|([j, k], _)| j != k)
        .map(|(_, value)| value)
}
