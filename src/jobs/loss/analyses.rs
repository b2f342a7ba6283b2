//! What masking does to analyses that users of the file will make.

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result},
    jobs::{Observer, pair::Files},
    loss::{
        analyses::{Analysis, Classifier, Formula, classification, clusters, regression},
        weighted::Weighted,
    },
    rng::{Purpose, Seed, Streams},
    table::{Scale, pair::Pair},
};

/// Starts of k-means without `--starts`.
const STARTS: usize = 10;

/// Folds without `--folds`.
const FOLDS: usize = 5;

/// What starts and folds are drawn from without `--analysis-seed`. It hides nothing, so it is the same for everybody.
const SEED: u64 = 1;

/// Which analyses are made on both files. A formula is a target, or a target and its predictors: `income~age,size`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct AnalysesRequest {
    /// The standardised numbers of both files are clustered into so many groups.
    pub clusters: Option<usize>,
    /// Starts of k-means in each file; 10 if `None`.
    pub starts: Option<usize>,
    /// Classes of the target are learned from either file and tested on original records that were held out.
    pub classify: Option<String>,
    /// What learns; all if `None`.
    pub classifiers: Option<Vec<Classifier>>,
    /// Parts of the records, each of which is held out once; 5 if `None`.
    pub folds: Option<usize>,
    /// Classes into which a target that is a number is cut; 2, or each value of ordered codes, if `None`.
    pub classes: Option<usize>,
    /// The target is explained by its predictors in both files.
    pub regress: Option<String>,
    /// What starts and folds are drawn from; 1 if `None`.
    pub seed: Option<u64>,
}

impl AnalysesRequest {
    /// Whether any was asked for.
    pub fn is_wanted(&self) -> bool {
        self.clusters.is_some() || self.classify.is_some() || self.regress.is_some()
    }

    /// What weights make of the analyses that know them: the regression.
    pub(super) fn weighted(
        &self,
        pair: &Pair,
        files: &Files,
        weights: &[f64],
        unweighted: &Analysis,
    ) -> Result<Vec<Weighted>> {
        let Some(text) = self.regress.as_deref() else {
            return Ok(Vec::new());
        };
        let found = regression::measure(pair, &formula(text, files)?, Some(weights))?;
        let both = found.figures.into_iter().filter_map(|weighted| {
            let mut others = unweighted.figures.iter();
            let unweighted = others.find(|figure| figure.what.key == weighted.what.key)?;
            Some(Weighted {
                unweighted: unweighted.clone(),
                weighted,
            })
        });
        Ok(both.collect())
    }

    /// What the analyses lose: clusters, classes, regression.
    pub(super) fn measure(
        &self,
        pair: &Pair,
        files: &Files,
        observer: &dyn Observer,
    ) -> Result<Analysis> {
        let mut all = Analysis::default();
        let mut take = |analysis: Analysis| {
            all.figures.extend(analysis.figures);
            all.notes.extend(analysis.notes);
        };
        // Formulas first: a word that is wrong should not cost the time of the others.
        let classify = self.classify.as_deref();
        let classify = classify.map(|text| formula(text, files)).transpose()?;
        let regress = self.regress.as_deref();
        let regress = regress.map(|text| formula(text, files)).transpose()?;
        if let Some(formula) = &regress {
            self.refuse_no_predictors(formula)?;
        }
        let classes = match &classify {
            Some(formula) => self.classes_in_use(formula, pair, observer)?,
            None => None,
        };
        if let Some(clusters) = self.clusters {
            observer.progress("clustering both files");
            let options = clusters::Options {
                clusters,
                starts: self.starts.unwrap_or(STARTS),
            };
            take(observer.stage("clusters", || {
                clusters::measure(pair, options, &self.streams(0))
            })?);
        }
        if let Some(formula) = &classify {
            observer.progress("learning classes from both files");
            take(observer.stage("classify", || {
                classification::measure(
                    pair,
                    formula,
                    &self.classification(classes),
                    &self.streams(1),
                )
            })?);
        }
        if let Some(formula) = &regress {
            observer.progress("fitting a regression to both files");
            take(observer.stage("regress", || regression::measure(pair, formula, None))?);
        }
        Ok(all)
    }

    /// Draws of the analyses: one family each, so that one does not move the other.
    fn streams(&self, analysis: u32) -> Streams {
        Seed::from_number(self.seed.unwrap_or(SEED)).streams(Purpose::Analysis, analysis)
    }

    fn classification(&self, classes: Option<usize>) -> classification::Options {
        classification::Options {
            classifiers: self.classifiers.clone().unwrap_or(Classifier::ALL.to_vec()),
            folds: self.folds.unwrap_or(FOLDS),
            classes,
        }
    }

    fn refuse_no_predictors(&self, formula: &Formula) -> Result<()> {
        match formula.predictors {
            Some(_) => Ok(()),
            None => Err(Error::usage("--regress names no predictors")
                .on_attribute(&formula.target)
                .remedy("Write the target, a tilde and the predictors: 'income~age,size'")),
        }
    }

    /// `--classes`, unless the target has classes of its own.
    fn classes_in_use(
        &self,
        formula: &Formula,
        pair: &Pair,
        observer: &dyn Observer,
    ) -> Result<Option<usize>> {
        let numbers = &pair.numbers;
        let mut places = numbers.names.iter().zip(&numbers.scales);
        let is_cut =
            places.any(|(name, scale)| *name == formula.target && *scale != Scale::Nominal);
        if self.classes.is_some() && !is_cut {
            observer.unused(&format!(
                "--classes has no effect: {} has classes of its own",
                formula.target
            ))?;
        }
        Ok(self.classes.filter(|_| is_cut))
    }
}

/// `TARGET` or `TARGET~LIST`, where the target is one attribute as in a list, and a tilde may be part of a name.
fn formula(text: &str, files: &Files) -> Result<Formula> {
    let table = &files.original;
    let name_of = |list: &str| -> Result<String> {
        let ids = table.select(list)?;
        match ids[..] {
            [id] => Ok(table.attribute(id).name.clone()),
            _ => Err(Error::usage("there is more than one target")
                .remedy("Name one attribute before the tilde: 'income~age,size'")),
        }
    };
    let splits = || {
        text.match_indices('~')
            .map(|(place, _)| text.split_at(place))
    };
    let split = splits().find(|(target, _)| name_of(target).is_ok());
    match (name_of(text), split, splits().next()) {
        (Ok(target), ..) => Ok(Formula {
            target,
            predictors: None,
        }),
        (Err(_), Some((target, list)), _) => {
            let ids = table.select(&list[1..])?;
            Ok(Formula {
                target: name_of(target)?,
                predictors: Some(table.names(&ids)),
            })
        }
        (Err(_), None, Some((target, _))) => name_of(target).map(|target| Formula {
            target,
            predictors: None,
        }),
        (Err(error), None, None) => Err(error),
    }
}
