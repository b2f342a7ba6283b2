//! Classifiers of a well-kept crate behind one function: learn from some records, say the class of others.

use serde::{Deserialize, Serialize};
use smartcore::{
    algorithm::neighbour::KNNAlgorithmName,
    error::Failed,
    linalg::basic::matrix::DenseMatrix,
    naive_bayes::gaussian::{GaussianNB, GaussianNBParameters},
    neighbors::knn_classifier::{KNNClassifier, KNNClassifierParameters},
    svm::{
        Kernels,
        svc::{SVC, SVCParameters},
    },
    tree::decision_tree_classifier::{DecisionTreeClassifier, DecisionTreeClassifierParameters},
};

use crate::{
    error::{Error, Result, fenced},
    table::Matrix,
};

/// How a class is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Classifier {
    /// A decision tree (Gini, leaves of 5 records at least).
    Tree,
    /// The most frequent class of the 5 nearest records; of equals the first.
    Neighbours,
    /// Naive Bayes: within each class, independent normal predictors.
    Bayes,
    /// A support vector machine (radial kernel, gamma 1 / predictors, C = 1; one class against the rest).
    Vectors,
}

impl Classifier {
    /// All, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Tree, Self::Neighbours, Self::Bayes, Self::Vectors];

    /// What it is called in messages.
    fn in_words(self) -> &'static str {
        match self {
            Self::Tree => "the decision tree",
            Self::Neighbours => "the nearest-neighbour rule",
            Self::Bayes => "naive Bayes",
            Self::Vectors => "the support vector machine",
        }
    }

    /// How many training records it is given at most: the crate's support vectors take a time that grows with the square
    /// of the records, and more.
    pub fn most_records(self) -> usize {
        match self {
            Self::Vectors => 1000,
            Self::Tree | Self::Neighbours | Self::Bayes => usize::MAX,
        }
    }
}

const NEIGHBOURS: usize = 5;
const SMALLEST_LEAF: usize = 5;

/// What the variance of each standardised predictor within each class is widened by, so that one that does not vary within
/// a class has a density; that of scikit-learn.
const WIDENED_BY: f64 = 1e-9;

/// Records with classes: what is learned from.
#[derive(Debug)]
pub(super) struct Training<'a> {
    /// Standardised predictors: complete, finite.
    pub points: &'a Matrix,
    /// The class of each record.
    pub classes: &'a [u32],
}

/// The classes that a classifier gives to points after it learned from others. Where all records are of one class, that one.
///
/// # Randomness
/// The order in which support vectors are considered is shuffled with a seed of the crate's own, always the same one.
///
/// # Errors
/// Input: support vectors from fewer records than columns, of which the crate would forget some. Failed: what the crate says,
/// where it cannot learn or predict.
pub(super) fn predict(
    classifier: Classifier,
    training: &Training<'_>,
    points: &Matrix,
) -> Result<Vec<u32>> {
    let first = training.classes.first().copied().unwrap_or(0);
    if points.n_records() == 0 || training.classes.iter().all(|&class| class == first) {
        return Ok(vec![first; points.n_records()]);
    }
    let (n, width) = (training.points.n_records(), training.points.n_attributes());
    if classifier == Classifier::Vectors && width > n {
        return Err(Error::too_few_records(n, width, |n, width| {
            format!(
                "the support vector machine needs as many training records as there are columns of predictors (one a number, \
                 one for each name): {n} records are fewer than {width} columns"
            )
        }));
    }
    fenced(classifier.in_words(), || {
        learned(classifier, training, points)
    })?
    .map_err(|failed| Error::failed(format!("a classifier could not learn: {failed}")))
}

fn learned(
    classifier: Classifier,
    training: &Training<'_>,
    points: &Matrix,
) -> std::result::Result<Vec<u32>, Failed> {
    let at = dense(points)?;
    match classifier {
        Classifier::Tree => {
            let parameters = DecisionTreeClassifierParameters {
                min_samples_leaf: SMALLEST_LEAF,
                seed: Some(0),
                ..Default::default()
            };
            let learned = dense(training.points)?;
            DecisionTreeClassifier::fit(&learned, &training.classes.to_vec(), parameters)?
                .predict(&at)
        }
        Classifier::Neighbours => {
            let parameters = KNNClassifierParameters::default()
                .with_k(NEIGHBOURS.min(training.classes.len()))
                .with_algorithm(KNNAlgorithmName::LinearSearch);
            let learned = dense(training.points)?;
            KNNClassifier::fit(&learned, &training.classes.to_vec(), parameters)?.predict(&at)
        }
        Classifier::Bayes => {
            let (learned, classes) = widened(training)?;
            GaussianNB::fit(&learned, &classes, GaussianNBParameters { priors: None })?.predict(&at)
        }
        Classifier::Vectors => one_against_the_rest(training, &at),
    }
}

/// The crate's matrix.
fn dense(points: &Matrix) -> std::result::Result<DenseMatrix<f64>, Failed> {
    let (n, width) = (points.n_records(), points.n_attributes());
    DenseMatrix::new(n, width, points.values().to_vec(), false)
}

/// Each record twice, a little above and a little below its place: means and shares of classes stay, each variance (divisor
/// n) grows by the square of the step. The crate widens no variance itself.
fn widened(training: &Training<'_>) -> std::result::Result<(DenseMatrix<f64>, Vec<u32>), Failed> {
    let step = WIDENED_BY.sqrt();
    let values = training.points.values();
    let twice = [step, -step]
        .iter()
        .flat_map(|step| values.iter().map(move |value| value + step))
        .collect();
    let (n, width) = (training.points.n_records(), training.points.n_attributes());
    let classes = [training.classes, training.classes].concat();
    Ok((DenseMatrix::new(2 * n, width, twice, false)?, classes))
}

/// One machine a class, against all others; the class with the greatest value of its machine, the first of equals. (The
/// crate's own machine of several classes settles equal votes by chance.)
fn one_against_the_rest(
    training: &Training<'_>,
    at: &DenseMatrix<f64>,
) -> std::result::Result<Vec<u32>, Failed> {
    let learned = dense(training.points)?;
    let gamma = 1.0 / training.points.n_attributes() as f64;
    let mut classes = training.classes.to_vec();
    classes.sort_unstable();
    classes.dedup();
    // Of two classes one machine decides both: what is not the second is the first.
    let is_two = classes.len() == 2;
    let other = classes[0];
    if is_two {
        classes.remove(0);
    }
    let mut best: Vec<(u32, f64)> = Vec::new();
    for &class in &classes {
        let is_class: Vec<u32> = training
            .classes
            .iter()
            .map(|&c| u32::from(c == class))
            .collect();
        let parameters = SVCParameters::default()
            .with_kernel(Kernels::rbf().with_gamma(gamma))
            .with_seed(Some(0));
        let values = SVC::fit(&learned, &is_class, &parameters)?.decision_function(at)?;
        if best.is_empty() {
            best = values.into_iter().map(|value| (class, value)).collect()
        } else {
            for (best, value) in best.iter_mut().zip(values) {
                if value > best.1 {
                    *best = (class, value);
                }
            }
        }
    }
    Ok(best
        .into_iter()
        .map(|(class, value)| if is_two && value <= 0.0 { other } else { class })
        .collect())
}
