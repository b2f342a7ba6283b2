//! What masking does to analyses that users of the file will make.

use clap::{Args, ValueEnum};

use crate::{
    cli::{console::Console, pair},
    error::{Error, Result},
    loss::analyses::{Analysis, Classifier, Formula, classification, clusters, regression},
    rng::{Purpose, Seed, Streams},
    table::{Scale, pair::Pair},
};

/// Starts of k-means without `--starts`.
const STARTS: usize = 10;

/// Folds without `--folds`.
const FOLDS: usize = 5;

/// What starts and folds are drawn from without `--analysis-seed`. It hides nothing, so it is the same for everybody.
const SEED: u64 = 1;

/// Which analyses are made on both files.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Analyses")]
pub struct AnalysesArgs {
    /// Cluster the standardised numbers of both files into so many groups by k-means, and compare the groups
    #[arg(long, value_name = "K")]
    clusters: Option<usize>,
    /// Starts of k-means in each file [default: 10]
    #[arg(long, value_name = "N")]
    starts: Option<usize>,
    /// Learn to predict the classes of an attribute from either file, and test on original records that were held out; from all other attributes that are compared, or from some: 'TARGET~a,b'
    #[arg(long, value_name = "TARGET")]
    classify: Option<String>,
    /// What learns: a list of tree, knn, bayes, svm [default: all]
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    classifiers: Option<Vec<ClassifierArg>>,
    /// Parts of the records, each of which is held out once [default: 5]
    #[arg(long, value_name = "N")]
    folds: Option<usize>,
    /// Classes into which a target that is a number is cut, at its quantiles in the original [default: 2; each value of ordered codes]
    #[arg(long, value_name = "N")]
    classes: Option<usize>,
    /// Explain a number by others in both files (least squares), and compare coefficients and their 95 % intervals
    #[arg(long, value_name = "TARGET~a,b,c")]
    regress: Option<String>,
    /// What the starts of k-means and the folds are drawn from [default: 1]
    #[arg(long, value_name = "NUMBER")]
    analysis_seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClassifierArg {
    /// Decision tree
    Tree,
    /// 5 nearest neighbours
    Knn,
    /// Naive Bayes
    Bayes,
    /// Support vector machine
    Svm,
}

impl AnalysesArgs {
    /// Whether any was asked for.
    pub fn is_wanted(&self) -> bool {
        self.clusters.is_some() || self.classify.is_some() || self.regress.is_some()
    }

    /// Notes the options that have no use, and refuses what makes no sense, before a file is read.
    pub fn check(&self, console: &Console) -> Result<()> {
        let idle = |given: bool, option: &str, without: &str| {
            if given {
                console.unused(&format!("{option} has no effect without {without}"))
            } else {
                Ok(())
            }
        };
        if self.clusters.is_none() {
            idle(self.starts.is_some(), "--starts", "--clusters")?;
        }
        if self.classify.is_none() {
            let without = "--classify";
            idle(self.classifiers.is_some(), "--classifiers", without)?;
            idle(self.folds.is_some(), "--folds", without)?;
            idle(self.classes.is_some(), "--classes", without)?;
        }
        if self.clusters.is_none() && self.classify.is_none() {
            let given = self.analysis_seed.is_some();
            idle(
                given,
                "--analysis-seed",
                "--clusters or --classify: nothing is drawn",
            )?;
        }
        let named = self.classifiers.as_deref().unwrap_or(&[]);
        let is_twice = |(place, kind): (usize, &ClassifierArg)| named[..place].contains(kind);
        if named.iter().enumerate().any(is_twice) {
            return Err(Error::usage("--classifiers names one of them twice")
                .remedy("Name each once, such as tree,knn"));
        }
        Ok(())
    }

    /// What the analyses lose: clusters, classes, regression.
    pub fn measure(&self, pair: &Pair, files: &pair::Files, console: &Console) -> Result<Analysis> {
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
            Some(formula) => self.classes_in_use(formula, pair, console)?,
            None => None,
        };
        if let Some(clusters) = self.clusters {
            console.progress("clustering both files");
            let options = clusters::Options {
                clusters,
                starts: self.starts.unwrap_or(STARTS),
            };
            take(console.stage("clusters", || {
                clusters::measure(pair, options, &self.streams(0))
            })?);
        }
        if let Some(formula) = &classify {
            console.progress("learning classes from both files");
            take(console.stage("classify", || {
                classification::measure(
                    pair,
                    formula,
                    &self.classification(classes),
                    &self.streams(1),
                )
            })?);
        }
        if let Some(formula) = &regress {
            console.progress("fitting a regression to both files");
            take(console.stage("regress", || regression::measure(pair, formula))?);
        }
        Ok(all)
    }

    /// Draws of the analyses: one family each, so that one does not move the other.
    fn streams(&self, analysis: u32) -> Streams {
        Seed::from_number(self.analysis_seed.unwrap_or(SEED)).streams(Purpose::Analysis, analysis)
    }

    fn classification(&self, classes: Option<usize>) -> classification::Options {
        let classifier = |kind: &ClassifierArg| match kind {
            ClassifierArg::Tree => Classifier::Tree,
            ClassifierArg::Knn => Classifier::Neighbours,
            ClassifierArg::Bayes => Classifier::Bayes,
            ClassifierArg::Svm => Classifier::Vectors,
        };
        classification::Options {
            classifiers: match &self.classifiers {
                Some(kinds) => kinds.iter().map(classifier).collect(),
                None => Classifier::ALL.to_vec(),
            },
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
        console: &Console,
    ) -> Result<Option<usize>> {
        let numbers = &pair.numbers;
        let mut places = numbers.names.iter().zip(&numbers.scales);
        let is_cut =
            places.any(|(name, scale)| *name == formula.target && *scale != Scale::Nominal);
        if self.classes.is_some() && !is_cut {
            console.unused(&format!(
                "--classes has no effect: {} has classes of its own",
                formula.target
            ))?;
        }
        Ok(self.classes.filter(|_| is_cut))
    }
}

/// `TARGET` or `TARGET~LIST`, where the target is one attribute as in a list, and a tilde may be part of a name.
fn formula(text: &str, files: &pair::Files) -> Result<Formula> {
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
