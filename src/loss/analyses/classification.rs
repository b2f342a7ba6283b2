//! Classes that users would predict after learning from either file.

use rand::RngExt;
use rayon::prelude::*;

use super::{
    Analysis, Classifier, Formula,
    classifiers::{Training, predict},
    design::{Column, MAX_CATEGORIES, SIDES, Sample, Side, Standard, Variable, counted},
};
use crate::{
    error::{Counted, Difference, Error, ErrorKind, Reason, Result, in_order},
    figure::{Definition, Figure, Group, Part},
    rng::{Generator, Streams},
    stats::density::quantile,
    table::{Matrix, pair::Pair},
};

/// Records that are classified at most; of larger files so many are drawn.
pub const MAX_RECORDS: usize = 5000;

/// The stream that draws records and folds; training records of fold f are drawn by stream f + 1.
const FOLDS: u64 = 0;

/// The accuracies of one classifier.
#[derive(Debug, PartialEq)]
pub struct Accuracies {
    /// What the classifier is called.
    pub name: &'static str,
    /// What the keys of its figures begin with.
    pub stem: &'static str,
    /// After learning from the original.
    pub original: Definition,
    /// After learning from the masked file.
    pub masked: Definition,
    /// The difference of the two.
    pub lost: Definition,
}

impl Accuracies {
    /// In the order of reports.
    fn all(&self) -> [&Definition; 3] {
        [&self.original, &self.masked, &self.lost]
    }
}

macro_rules! accuracies {
    ($key:literal, $name:literal) => {
        Accuracies {
            name: $name,
            stem: concat!("accuracy_", $key),
            original: Definition::share(
                Group::Classes,
                concat!("accuracy_", $key, "_original"),
                concat!($name, " from the original"),
                concat!(
                    "the share of held-out original records whose class a ",
                    $name,
                    " says that learned from the other original records; parts are classes"
                ),
                SOURCE,
            )
            .higher_is_better()
            .public(),
            masked: Definition::share(
                Group::Classes,
                concat!("accuracy_", $key, "_masked"),
                concat!($name, " from the masked file"),
                concat!(
                    "the share of the same held-out original records whose class a ",
                    $name,
                    " says that learned from the masked records of the others; parts are classes"
                ),
                SOURCE,
            )
            .higher_is_better()
            .public(),
            lost: Definition::share(
                Group::Classes,
                concat!("accuracy_", $key, "_loss"),
                concat!($name, ", accuracy lost"),
                concat!(
                    "accuracy of a ",
                    $name,
                    " that learned from the original less that of one that learned from the masked file; below 0 where \
                     masking helped"
                ),
                SOURCE,
            )
            .at_least(-1.0)
            .public(),
        }
    };
}

const SOURCE: &str = "smartcore, cross-validation";

static TREE: Accuracies = accuracies!("tree", "decision tree");
static NEIGHBOURS: Accuracies = accuracies!("knn", "5-nearest-neighbour rule");
static BAYES: Accuracies = accuracies!("bayes", "naive Bayes rule");
static VECTORS: Accuracies = accuracies!("svm", "support vector machine");

static MOST_FREQUENT: Definition = Definition::share(
    Group::Classes,
    "accuracy_most_frequent",
    "always the most frequent class",
    "the share of the original records that are of the most frequent class: what a rule gets that learned nothing else",
    "the yardstick of every accuracy",
)
.higher_is_better()
.public();

/// Of all classifiers, and of the rule that learned nothing.
pub(super) fn definitions() -> impl Iterator<Item = &'static Definition> {
    let of_classifiers = Classifier::ALL.map(|classifier| classifier.accuracies().all());
    of_classifiers.into_iter().flatten().chain([&MOST_FREQUENT])
}

impl Classifier {
    /// What its figures are.
    pub fn accuracies(self) -> &'static Accuracies {
        match self {
            Self::Tree => &TREE,
            Self::Neighbours => &NEIGHBOURS,
            Self::Bayes => &BAYES,
            Self::Vectors => &VECTORS,
        }
    }
}

/// How classes are learned and tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Which classifiers, each once.
    pub classifiers: Vec<Classifier>,
    /// Parts of the records, each of which is held out once; at least 2.
    pub folds: usize,
    /// Classes of a target that is a number: it is cut at the quantiles of the original; at least 2. `None`: 2 where it is
    /// continuous; where only its order is relied on, each value is a class.
    pub classes: Option<usize>,
}

/// Accuracy of classifiers that learn from the original or from the masked file, on held-out original records.
///
/// The records are dealt to folds class by class (stratified by the original class). The records of a fold are classified by
/// what was learned from the other records: once as they are in the original, once as they are in the masked file, with the
/// masked class too. Predictors are standardised by the means and standard deviations (n − 1) of the training records, nominal ones
/// being indicators of their categories. A target of names (or of few codes of which only the order is relied on) is taken as it is; a number is cut at the quantiles 1/q, 2/q, … of the
/// original (R type 7), in both files at the same values, which belong to the lower class.
///
/// # Missing values
/// Records that miss the target or a predictor in either file are left out; `counted` is the number of records tested.
///
/// # Randomness
/// Folds, and samples where there are more than [`MAX_RECORDS`] records or than a classifier can learn from. The order of the
/// records does not matter.
///
/// # Undefined
/// The figures of a classifier that cannot learn from these records.
///
/// # Errors
/// Usage: the target is not compared, or has one class only, or more than 50; fewer records than folds; no predictor.
///
/// # Complexity
/// At most 5,000 records are looked at, so it does not grow with the file, but for a sort.
pub fn measure(
    pair: &Pair,
    formula: &Formula,
    options: &Options,
    streams: &Streams,
) -> Result<Analysis> {
    check_options(options)?;
    let mut sample = Sample::new(pair, formula, "classification")?;
    if options.classes.is_none()
        && let Variable::Number(number) = &sample.target
        && let Some(levels) = number.as_levels()
    {
        sample.target = Variable::Levels(levels);
    }
    let mut rng = streams.at(FOLDS);
    // Quantiles are those of all records, whatever is drawn.
    let cuts = cuts(&sample, options.classes.unwrap_or(2));
    if sample.records.len() > MAX_RECORDS {
        let all = sample.records.len();
        sample.records = drawn(sample.records, MAX_RECORDS, &mut rng);
        sample.notes.push(format!(
            "classification: {MAX_RECORDS} of {all} records, drawn at random"
        ));
    }
    sample.notes.push(format!(
        "classification: {} folds, each predicted by what was learned from the others",
        options.folds
    ));
    let classes = Classes::new(&sample, &cuts);
    check(&classes, &sample, formula, options)?;
    sample.notes.extend(classes.note.clone());
    let columns = sample.columns();
    let folds = folds(&classes, options.folds, &mut rng);
    let study = Study {
        columns: &columns,
        classes: &classes,
        folds: &folds,
        streams,
    };
    let mut figures = vec![most_frequent(&classes)];
    for &classifier in &options.classifiers {
        match study.figures(classifier, options.folds) {
            Ok(measured) => figures.extend(measured),
            // The others may learn all the same.
            Err(error) => {
                let undefined = |what| Figure::undefined(what, error.what());
                figures.extend(classifier.accuracies().all().map(undefined));
                continue;
            }
        }
        let most = classifier.most_records();
        let n = sample.records.len();
        if n - n.div_ceil(options.folds) > most {
            sample.notes.push(format!(
                "classification: the support vector machine learns from {most} of the training records, drawn at random"
            ));
        }
    }
    Ok(Analysis {
        figures,
        notes: sample.notes,
    })
}

/// Some of the records, in their order.
fn drawn(mut records: Vec<usize>, most: usize, rng: &mut Generator) -> Vec<usize> {
    let n = records.len();
    let mut places: Vec<usize> = (0..n).collect();
    shuffle(&mut places, most, rng);
    places.truncate(most);
    places.sort_unstable();
    records = places.into_iter().map(|place| records[place]).collect();
    records
}

/// The first `most` places at random (Fisher and Yates).
fn shuffle<T>(items: &mut [T], most: usize, rng: &mut Generator) {
    for place in 0..most.min(items.len()) {
        let other = rng.random_range(place..items.len());
        items.swap(place, other);
    }
}

/// Where a target that is a number is cut; none for names.
fn cuts(sample: &Sample<'_>, classes: usize) -> Vec<f64> {
    let Variable::Number(number) = &sample.target else {
        return Vec::new();
    };
    let mut sorted = Column::of_number(number, &sample.records).original;
    sorted.sort_by(f64::total_cmp);
    (1..classes)
        .map(|cut| quantile(&sorted, cut as f64 / classes as f64))
        .collect()
}

/// The class of each record of a sample, in both files.
struct Classes {
    names: Vec<String>,
    original: Vec<u32>,
    masked: Vec<u32>,
    note: Option<String>,
}

impl Classes {
    fn new(sample: &Sample<'_>, cuts: &[f64]) -> Self {
        match &sample.target {
            Variable::Number(number) => {
                let column = Column::of_number(number, &sample.records);
                let class = |&value: &f64| {
                    let place = cuts.partition_point(|&cut| cut < value);
                    u32::try_from(place).unwrap_or(u32::MAX)
                };
                Self {
                    names: names_of_classes(cuts.len() + 1),
                    original: column.original.iter().map(class).collect(),
                    masked: column.masked.iter().map(class).collect(),
                    note: Some(match cuts.len() {
                        1 => format!(
                            "classification: {} is cut at its median in the original",
                            column.name
                        ),
                        more => format!(
                            "classification: {} is cut at its quantiles in the original, into {} classes",
                            column.name,
                            more + 1
                        ),
                    }),
                }
            }
            Variable::Levels(levels) => {
                let codes = |side| {
                    let code = |&record: &usize| levels.code(side, record).unwrap_or(0);
                    sample.records.iter().map(code).collect()
                };
                Self {
                    names: levels.labels.clone(),
                    original: codes(Side::Original),
                    masked: codes(Side::Masked),
                    note: None,
                }
            }
        }
    }

    fn of(&self, side: Side) -> &[u32] {
        match side {
            Side::Original => &self.original,
            Side::Masked => &self.masked,
        }
    }

    /// Original records of each class.
    fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.names.len()];
        for &class in &self.original {
            counts[class as usize] += 1;
        }
        counts
    }
}

fn names_of_classes(classes: usize) -> Vec<String> {
    match classes {
        2 => vec!["up to the median".into(), "above the median".into()],
        _ => (1..=classes)
            .map(|class| format!("class {class} of {classes}, upwards"))
            .collect(),
    }
}

/// Refuses numbers that make no sense, before anything is made of them.
fn check_options(options: &Options) -> Result<()> {
    if options.folds < 2 {
        return Err(Error::out_of_range(
            "folds",
            2.0..,
            "nothing is held out with fewer than 2 folds",
        )
        .remedy("Give --folds 2 or more, such as 5"));
    }
    match options.classes {
        Some(0 | 1) => Err(Error::out_of_range(
            "classes",
            2.0..=MAX_CATEGORIES as f64,
            "there is nothing to tell apart in one class",
        )
        .remedy("Give --classes 2 or more")),
        Some(many) if many > MAX_CATEGORIES => Err(Error::out_of_range(
            "classes",
            2.0..=MAX_CATEGORIES as f64,
            format!("{many} classes are more than the {MAX_CATEGORIES} that can be learned"),
        )
        .remedy("Give fewer --classes, such as 4")),
        _ => Ok(()),
    }
}

fn check(
    classes: &Classes,
    sample: &Sample<'_>,
    formula: &Formula,
    options: &Options,
) -> Result<()> {
    let n = sample.records.len();
    let wrong =
        |error: Error, remedy: &str| Err(error.on_attribute(&formula.target).remedy(remedy));
    if classes.counts().iter().filter(|&&count| count > 0).count() < 2 {
        return wrong(
            Error::input("is of one class in the original, so there is nothing to learn")
                .because(Reason::Constant { attribute: None }),
            "Name another target",
        );
    }
    if classes.names.len() > MAX_CATEGORIES {
        let many = classes.names.len();
        return wrong(
            Error::too_many(
                ErrorKind::Input,
                Counted::Categories,
                [many as u128, MAX_CATEGORIES as u128],
                |many, limit| {
                    format!("has {many} classes, more than the {limit} that can be learned")
                },
            ),
            "Name another target, or recode this one in both files",
        );
    }
    if n < options.folds {
        return wrong(
            Error::too_few_records(n, options.folds, |have, folds| {
                format!(
                    "{} that miss nothing are too few for {folds} folds",
                    counted(have)
                )
            }),
            "Give fewer --folds, or fewer predictors: target~a,b",
        );
    }
    let in_original = classes.counts();
    if classes
        .masked
        .iter()
        .all(|&class| in_original[class as usize] == 0)
    {
        return wrong(
            Error::input("has no class in common with the masked file").because(
                Reason::FilesDiffer {
                    by: Difference::Values,
                },
            ),
            "It was recoded: name a target that has the same categories in both files",
        );
    }
    Ok(())
}

fn most_frequent(classes: &Classes) -> Figure {
    let n = classes.original.len();
    let most = classes.counts().into_iter().max().unwrap_or(0);
    Figure::new(&MOST_FREQUENT, most as f64 / n as f64, n as u64)
}

/// The fold of each record: the records of each class in random order, dealt to the folds in turns.
fn folds(classes: &Classes, folds: usize, rng: &mut Generator) -> Vec<usize> {
    let n = classes.original.len();
    let mut places: Vec<usize> = (0..n).collect();
    shuffle(&mut places, n, rng);
    places.sort_by_key(|&place| classes.original[place]);
    let mut fold_of = vec![0; n];
    for (turn, place) in places.into_iter().enumerate() {
        fold_of[place] = turn % folds;
    }
    fold_of
}

/// What every classifier is tried on.
struct Study<'a> {
    columns: &'a [Column],
    classes: &'a Classes,
    folds: &'a [usize],
    streams: &'a Streams,
}

impl Study<'_> {
    /// Accuracy from the original, from the masked file, and the difference.
    fn figures(&self, classifier: Classifier, folds: usize) -> Result<[Figure; 3]> {
        let tasks: Vec<(usize, Side)> = (0..folds)
            .flat_map(|fold| SIDES.map(|side| (fold, side)))
            .collect();
        let hits = tasks
            .par_iter()
            .map(|&(fold, side)| self.hits(classifier, fold, side));
        let hits: Vec<Vec<u64>> = in_order(hits)?;
        let counts = self.classes.counts();
        let n = self.classes.original.len() as u64;
        let accuracy = |side: Side| {
            let mut sums = vec![0; counts.len()];
            for (hits, _) in hits.iter().zip(&tasks).filter(|(_, task)| task.1 == side) {
                sums.iter_mut()
                    .zip(hits)
                    .for_each(|(sum, hits)| *sum += hits);
            }
            sums
        };
        let [original, masked] = SIDES.map(accuracy);
        let share = |hits: &[u64]| hits.iter().sum::<u64>() as f64 / n as f64;
        let parts = |hits: &[u64]| {
            let classes = self.classes.names.iter().zip(hits.iter().zip(&counts));
            classes
                .filter(|&(_, (_, &count))| count > 0)
                .map(|(name, (&hits, &count))| Part {
                    name: name.clone(),
                    value: Some(hits as f64 / count as f64),
                })
                .collect()
        };
        let [of_original, of_masked, lost] = classifier.accuracies().all();
        Ok([
            Figure::new(of_original, share(&original), n).with_parts(parts(&original)),
            Figure::new(of_masked, share(&masked), n).with_parts(parts(&masked)),
            Figure::new(lost, share(&original) - share(&masked), n),
        ])
    }

    /// Of each class, the records of a fold that are recognised by what was learned from the others in one of the files.
    fn hits(&self, classifier: Classifier, fold: usize, side: Side) -> Result<Vec<u64>> {
        let n = self.folds.len();
        let mut training: Vec<usize> = (0..n).filter(|&r| self.folds[r] != fold).collect();
        let test: Vec<usize> = (0..n).filter(|&r| self.folds[r] == fold).collect();
        let most = classifier.most_records();
        if training.len() > most {
            // The same ones for both files.
            let mut rng = self.streams.at(fold as u64 + 1);
            training = drawn(training, most, &mut rng);
        }
        let standards: Vec<Standard> = self
            .columns
            .iter()
            .map(|column| Standard::of(training.iter().map(|&record| column.of(side)[record])))
            .collect();
        let points = |records: &[usize], side: Side| {
            let values = records.iter().flat_map(|&record| {
                let columns = self.columns.iter().zip(&standards);
                columns.map(move |(column, standard)| standard.apply(column.of(side)[record]))
            });
            Matrix::complete(records.len(), self.columns.len(), values.collect())
        };
        let of_training: Vec<u32> = training
            .iter()
            .map(|&record| self.classes.of(side)[record])
            .collect();
        let predicted = predict(
            classifier,
            &Training {
                points: &points(&training, side),
                classes: &of_training,
            },
            &points(&test, Side::Original),
        )?;
        let mut hits = vec![0; self.classes.names.len()];
        for (&record, class) in test.iter().zip(predicted) {
            if self.classes.original[record] == class {
                hits[class as usize] += 1;
            }
        }
        Ok(hits)
    }
}
