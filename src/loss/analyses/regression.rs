//! Least squares in either file, compared by coefficients and their confidence intervals.

use super::{
    Analysis, Formula,
    design::{Column, Sample, Side, Standard, Variable, counted},
};
use crate::{
    error::{Error, Reason, Result},
    figure::{Definition, Figure, Group, Part, Unit},
    stats::{
        interval::t_quantile,
        regression::{RELATIVE_TOLERANCE, dot, orthonormalise, subtract},
    },
    table::pair::Pair,
};

static OVERLAP: Definition = Definition::share(Group::Regression, "regression_overlap", "regression, confidence overlap", "for each coefficient, the intersection of its 95 % intervals in both files as a share of the one and of the other, \
           mean of the two (0 where they are disjoint); mean over the coefficients, which are the parts", "Karr, Kohnen, Oganian, Reiter and Sanil 2006",).higher_is_better().public();

static DIFFERENCE: Definition = Definition::number(
    Group::Regression,
    "regression_coefficient_difference",
    "regression, coefficient difference",
    "|masked coefficient - original coefficient| in standard errors of the original one; mean over the coefficients, \
           which are the parts",
    "Snoke, Raab, Nowok, Dibben and Slavkovic 2018",
);

static FIT_ORIGINAL: Definition = Definition::share(Group::Regression, "regression_fit_original", "regression in the original, R squared", "the share of the target's variance that least squares in the original explains; parts are the coefficients with \
           their 95 % intervals (Student's t)", "least squares",).higher_is_better().with_parts_in(Unit::Number).public();

static FIT_MASKED: Definition = Definition::share(Group::Regression, "regression_fit_masked", "regression in the masked file, R squared", "the share of the target's variance that least squares in the masked file explains; parts are the coefficients with \
           their 95 % intervals (Student's t)", "least squares",).higher_is_better().with_parts_in(Unit::Number).public();

/// What is found of regressions.
pub(super) fn definitions() -> impl Iterator<Item = &'static Definition> {
    [&OVERLAP, &DIFFERENCE, &FIT_ORIGINAL, &FIT_MASKED].into_iter()
}

/// A coefficient with its standard error and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficient {
    /// What the coefficient was estimated to be.
    pub estimate: f64,
    /// Its standard error.
    pub error: f64,
    /// Its interval: estimate ± t · error, t the 97.5 % quantile of Student's t.
    pub interval: [f64; 2],
}

/// A linear regression with intercept.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The intercept, then one coefficient a predictor.
    pub coefficients: Vec<Coefficient>,
    /// R²; `None` where the target does not vary.
    pub r_squared: Option<f64>,
}

/// Least squares of a target on predictors, with an intercept.
///
/// ```text
/// y = b_0 + Σ_j b_j x_j + e,   Var(b) = s² (XᵀX)⁻¹,   s² = Σ e² / (n − p − 1)
/// ```
///
/// With weights w_i it is the regression of the population that a survey stands for, and errors are those of a sample that was drawn with
/// unequal probabilities (linearised, records drawn independently of each other):
///
/// ```text
/// b minimises Σ w_i e_i²,   Var(b) = A (n/(n − 1) Σ w_i² e_i² x_i x_iᵀ) A,   A = (Xᵀ W X)⁻¹
/// ```
///
/// # Shapes
/// Each predictor, and the weights, have as many values as the target. No weight is 0 or less.
///
/// # Errors
/// The place of the first predictor that is a combination of the ones before it (or constant) to rounding.
///
/// # Complexity
/// O(n p²), by an orthonormal basis of standardised predictors, which squares no condition number.
///
/// # Source
/// D. A. Binder, "On the variances of asymptotically normal estimators from complex surveys", International Statistical Review 51, 1983;
/// what `svyglm` of R's survey package computes.
///
/// # Panics
/// If there are no more records than predictors and one.
pub fn fit(
    target: &[f64],
    predictors: &[&[f64]],
    weights: Option<&[f64]>,
) -> std::result::Result<Fit, usize> {
    let n = target.len();
    assert!(n > predictors.len() + 1, "a degree of freedom is left");
    // Weighted least squares are those of records multiplied by the roots of their weights.
    let roots: Option<Vec<f64>> =
        weights.map(|weights| weights.iter().map(|weight| weight.sqrt()).collect());
    let times_root = |column: &mut Vec<f64>| {
        for (value, root) in column.iter_mut().zip(roots.iter().flatten()) {
            *value *= root;
        }
    };
    let standards: Vec<Standard> = predictors
        .iter()
        .map(|column| Standard::of(column.iter().copied()))
        .collect();
    // The intercept and the standardised predictors, whose norms are alike.
    let mut basis = vec![vec![1.0; n]];
    for (column, standard) in predictors.iter().zip(&standards) {
        basis.push(column.iter().map(|&value| standard.apply(value)).collect());
    }
    basis.iter_mut().for_each(times_root);
    let nothing = RELATIVE_TOLERANCE * (n as f64).sqrt();
    let triangle = orthonormalise(&mut basis, &vec![nothing; predictors.len() + 1]);
    if let Some(place) = (1..basis.len()).find(|&j| triangle[j][j] <= 0.0) {
        return Err(place - 1);
    }
    // The target about its mean, so that large levels cost no digits.
    let about = Standard::of(target.iter().copied());
    let mut rest: Vec<f64> = target.iter().map(|value| value - about.mean()).collect();
    times_root(&mut rest);
    let total = match weights {
        None => dot(&rest, &rest),
        // About the weighted mean: without what goes along the intercept.
        Some(_) => dot(&rest, &rest) - dot(&basis[0], &rest).powi(2),
    };
    let mut along = vec![0.0; basis.len()];
    for _ in 0..2 {
        for (along, column) in along.iter_mut().zip(&basis) {
            let more = dot(column, &rest);
            subtract(&mut rest, more, column);
            *along += more;
        }
    }
    let degrees = n - basis.len();
    let unexplained = dot(&rest, &rest);
    let variance = unexplained / degrees as f64;
    let t = t_quantile(degrees);
    // What each record adds to a coefficient, squared and summed, where records have weights.
    let linearised = |row: &[f64]| {
        let of_record = |record: usize| {
            let direction: f64 = (row.iter().zip(&basis))
                .map(|(share, column)| share * column[record])
                .sum();
            (direction * rest[record]).powi(2)
        };
        (0..n).map(of_record).sum::<f64>() * n as f64 / (n - 1) as f64
    };
    let coefficient = |row: &[f64], shift: f64| {
        let estimate = shift + dot(row, &along);
        let error = match weights {
            None => dot(row, row) * variance,
            Some(_) => linearised(row),
        }
        .sqrt();
        Coefficient {
            estimate,
            error,
            interval: [estimate - t * error, estimate + t * error],
        }
    };
    let rows = inverse_rows(&triangle);
    // b_j = standardised b_j / sd_j; b_0 = its own − Σ standardised b_j mean_j / sd_j.
    let mut intercept = rows[0].clone();
    let mut slopes = Vec::with_capacity(predictors.len());
    for (row, standard) in rows[1..].iter().zip(&standards) {
        let slope: Vec<f64> = row.iter().map(|value| value / standard.sd()).collect();
        for (sum, value) in intercept.iter_mut().zip(&slope) {
            *sum -= value * standard.mean();
        }
        slopes.push(slope);
    }
    let mut coefficients = vec![coefficient(&intercept, about.mean())];
    coefficients.extend(slopes.iter().map(|slope| coefficient(slope, 0.0)));
    Ok(Fit {
        coefficients,
        r_squared: (total > 0.0).then(|| (1.0 - unexplained / total).clamp(0.0, 1.0)),
    })
}

/// Row j: how much of each basis column's share goes into coefficient j. With `x_j = Σ_{i ≤ j} t_ji q_i` the coefficients of
/// `y = Σ c_i q_i` solve `Σ_j t_ji b_j = c_i`: the rows of the inverse of the upper triangle tᵀ.
fn inverse_rows(triangle: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let width = triangle.len();
    let mut rows = vec![vec![0.0; width]; width];
    for j in (0..width).rev() {
        let mut row = vec![0.0; width];
        row[j] = 1.0;
        for k in j + 1..width {
            for (value, later) in row.iter_mut().zip(&rows[k]) {
                *value -= triangle[k][j] * later;
            }
        }
        row.iter_mut().for_each(|value| *value /= triangle[j][j]);
        rows[j] = row;
    }
    rows
}

/// How much two confidence intervals overlap: their intersection as a share of the one and of the other, mean of both; 0
/// where they are disjoint, 1 where they are equal; `None` where one of them is a single point and they are not equal.
///
/// # Source
/// A. F. Karr, C. N. Kohnen, A. Oganian, J. P. Reiter, A. P. Sanil, "A framework for evaluating the utility of data altered to
/// protect confidentiality", The American Statistician 60, 2006.
pub fn overlap(one: [f64; 2], other: [f64; 2]) -> Option<f64> {
    if one[0].total_cmp(&other[0]).is_eq() && one[1].total_cmp(&other[1]).is_eq() {
        return Some(1.0);
    }
    let widths = [one[1] - one[0], other[1] - other[0]];
    let common = (one[1].min(other[1]) - one[0].max(other[0])).max(0.0);
    widths
        .iter()
        .all(|&width| width > 0.0)
        .then(|| (common / widths[0] + common / widths[1]) / 2.0)
}

/// A linear regression in both files, over the same records; with a weight a record, that of the population.
///
/// Nominal predictors are indicators of their categories but the one that most original records have.
///
/// # Missing values
/// Records that miss the target or a predictor in either file are left out. `counted` of the two comparisons is the number of
/// coefficients, that of both fits the number of records. So are those whose weight is 0.
///
/// # Zero denominators
/// A coefficient with an interval or a standard error of 0 in the original is left out of the mean and counted.
///
/// # Errors
/// Usage or input: the target is no number, constant, or among the predictors; too few records; predictors that determine
/// each other in the original. Where they do so in the masked file only, the figures are not defined.
pub fn measure(pair: &Pair, formula: &Formula, weights: Option<&[f64]>) -> Result<Analysis> {
    let mut sample = Sample::new(pair, formula, "regression")?;
    if let Some(weights) = weights {
        sample.records.retain(|&record| weights[record] > 0.0);
    }
    let Variable::Number(target) = &sample.target else {
        return Err(Error::usage(
            "is no number in both files, and cannot be the target of a regression",
        )
        .wrong_scale(&formula.target)
        .remedy("Name a target that is a number; --classify is for categories"));
    };
    let target = Column::of_number(target, &sample.records);
    let columns = sample.columns();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    if sample.records.len() <= columns.len() + 1 {
        return Err(Error::too_few_records(
            sample.records.len(),
            columns.len() + 2,
            |have, need| {
                format!(
                    "{} that miss nothing are too few for {} coefficients",
                    counted(have),
                    need - 1
                )
            },
        )
        .on_attribute(&formula.target)
        .remedy("Name fewer predictors"));
    }
    let weights: Option<Vec<f64>> = weights.map(|weights| {
        let of_records = sample.records.iter().map(|&record| weights[record]);
        of_records.collect()
    });
    let of = |side: Side| {
        let predictors: Vec<&[f64]> = columns.iter().map(|column| column.of(side)).collect();
        fit(target.of(side), &predictors, weights.as_deref())
    };
    if !Standard::of(target.original.iter().copied()).is_defined() {
        return Err(
            Error::input("does not vary in the original, so there is nothing to explain")
                .constant(&formula.target)
                .remedy("Name another target"),
        );
    }
    let original = of(Side::Original).map_err(|place| singular(names[place]))?;
    let n = sample.records.len() as u64;
    let figures = match of(Side::Masked) {
        Ok(masked) => [
            compared(&original, &masked, &names).to_vec(),
            vec![
                figure_of(&FIT_ORIGINAL, &original, &names, n),
                figure_of(&FIT_MASKED, &masked, &names, n),
            ],
        ]
        .concat(),
        Err(place) => {
            let why = format!(
                "in the masked file {} does not vary, or the predictors before it determine it",
                names[place]
            );
            vec![
                Figure::undefined(&OVERLAP, why.clone()),
                Figure::undefined(&DIFFERENCE, why.clone()),
                figure_of(&FIT_ORIGINAL, &original, &names, n),
                Figure::undefined(&FIT_MASKED, why),
            ]
        }
    };
    Ok(Analysis {
        figures,
        notes: sample.notes,
    })
}

fn singular(name: &str) -> Error {
    Error::input("does not vary in the original beyond rounding, or the predictors before it determine it: its coefficient is not determined")
        .because(Reason::SingularCovariance { attributes: vec![name.to_owned()] })
        .on_attribute(name)
        .remedy("Leave it out of the predictors of --regress")
}

fn compared(original: &Fit, masked: &Fit, names: &[&str]) -> [Figure; 2] {
    let pairs = || original.coefficients.iter().zip(&masked.coefficients);
    let overlaps = pairs()
        .map(|(a, b)| overlap(a.interval, b.interval))
        .collect();
    let differences = pairs()
        .map(|(a, b)| {
            let difference = (b.estimate - a.estimate).abs();
            match (difference > 0.0, a.error > 0.0) {
                (false, _) => Some(0.0),
                (true, true) => Some(difference / a.error),
                (true, false) => None,
            }
        })
        .collect();
    [
        mean(&OVERLAP, overlaps, names),
        mean(&DIFFERENCE, differences, names),
    ]
}

/// The mean over the coefficients for which there is a value.
fn mean(what: &'static Definition, values: Vec<Option<f64>>, names: &[&str]) -> Figure {
    let present: Vec<f64> = values.iter().copied().flatten().collect();
    let skipped = (values.len() - present.len()) as u64;
    let parts = std::iter::once("intercept")
        .chain(names.iter().copied())
        .zip(values)
        .map(|(name, value)| Part {
            name: name.into(),
            value,
        })
        .collect();
    let figure = match present.len() {
        0 => Figure::undefined(what, "no coefficient has a standard error"),
        count => Figure::new(
            what,
            present.iter().sum::<f64>() / count as f64,
            count as u64,
        ),
    };
    figure.with_skipped(skipped).with_parts(parts)
}

/// A fit with its coefficients as parts: each, and the ends of its interval.
fn figure_of(what: &'static Definition, fit: &Fit, names: &[&str], records: u64) -> Figure {
    let figure = match fit.r_squared {
        Some(share) => Figure::new(what, share, records),
        None => Figure::undefined(what, "the target has one value only"),
    };
    let parts = std::iter::once("intercept")
        .chain(names.iter().copied())
        .zip(&fit.coefficients)
        .flat_map(|(name, coefficient)| {
            let [low, high] = coefficient.interval;
            [
                (name.to_string(), coefficient.estimate),
                (format!("{name}, low"), low),
                (format!("{name}, high"), high),
            ]
        })
        .map(|(name, value)| Part {
            name,
            value: value.is_finite().then_some(value),
        })
        .collect();
    figure.with_parts(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: through (1,1), (2,2), (3,2), (4,5) goes y = −0.5 + 1.2 x; residuals 0.3, 0.1, −1.1, 0.7, squares 1.8, s² = 0.9
    /// at 2 degrees of freedom. Σ(x − 2.5)² = 5: errors √(0.9/5) and √(0.9 (1/4 + 2.5²/5)). t = 4.302653 (any table).
    /// R² = 1 − 1.8/9.
    #[test]
    fn textbook_line() {
        let fit = fit(&[1.0, 2.0, 2.0, 5.0], &[&[1.0, 2.0, 3.0, 4.0]], None).unwrap();
        let [b0, b1] = fit.coefficients[..] else {
            panic!("two coefficients")
        };
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        close(b0.estimate, -0.5);
        close(b1.estimate, 1.2);
        close(b1.error, 0.18_f64.sqrt());
        close(b0.error, 1.35_f64.sqrt());
        close(b1.interval[1], 1.2 + 4.302_653 * 0.18_f64.sqrt());
        close(fit.r_squared.unwrap(), 0.8);
    }

    /// `svyglm(y ~ x + z, svydesign(ids = ~1, weights = ~w))` of R's survey 4.1.1 (R 4.2.2): coefficients, standard errors, `confint` with
    /// the 7 degrees of freedom of the residuals; R squared by `summary(lm(y ~ x + z, weights = w))`.
    #[test]
    fn weights_make_it_the_regression_of_the_population() {
        let y = [2.0, 4.0, 3.0, 7.0, 6.0, 9.0, 8.0, 12.0, 10.0, 15.0];
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        let z = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0];
        let w = [1.0, 2.5, 0.5, 3.0, 1.0, 4.0, 2.0, 1.5, 6.0, 2.0];
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b.abs().max(1.0), "{a} {b}");
        let wanted = [
            (
                1.750_580_960_181_999_5,
                0.813_502_922_618_985,
                -0.173_047_779_384_461,
            ),
            (
                1.057_040_135_188_95,
                0.215_789_430_187_619,
                0.546_779_215_329_917,
            ),
            (
                0.023_789_923_981_730_3,
                0.152_115_250_863_526,
                -0.335_905_487_247_282,
            ),
        ];
        for scale in [1.0, 0.001, 1e6] {
            let weights = w.map(|weight| weight * scale);
            let fit = fit(&y, &[&x, &z], Some(&weights)).unwrap();
            for (found, (estimate, error, low)) in fit.coefficients.iter().zip(wanted) {
                close(found.estimate, estimate);
                close(found.error, error);
                assert!((found.interval[0] - low).abs() < 1e-8, "{found:?}");
            }
            close(fit.r_squared.unwrap(), 0.827_907_563_268_015);
        }
    }

    #[test]
    fn what_others_determine_is_named() {
        let (a, b) = ([1.0, 2.0, 4.0, 8.0, 9.0], [3.0, 1.0, 0.5, 2.0, 2.0]);
        let sum: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 1e6 * a - b).collect();
        let y = [0.0, 1.0, 0.0, 3.0, 1.0];
        assert_eq!(fit(&y, &[&a, &b, &sum], None), Err(2));
        assert_eq!(fit(&y, &[&a, &[7.0; 5]], None), Err(1));
    }

    /// [0, 4] and [3, 5] share 1: (1/4 + 1/2)/2. Touching and disjoint intervals share nothing.
    #[test]
    fn overlaps_by_hand() {
        assert_eq!(overlap([0.0, 4.0], [3.0, 5.0]), Some(0.375));
        assert_eq!(overlap([0.0, 1.0], [1.0, 2.0]), Some(0.0));
        assert_eq!(overlap([0.0, 1.0], [5.0, 9.0]), Some(0.0));
        assert_eq!(overlap([0.0, 2.0], [0.5, 1.5]), Some(0.75));
        assert_eq!(overlap([1.0, 1.0], [1.0, 1.0]), Some(1.0));
        assert_eq!(overlap([1.0, 1.0], [0.0, 2.0]), None);
    }
}
