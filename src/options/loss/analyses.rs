//! What masking does to analyses that users of the file will make.

use clap::{Args, ValueEnum};

use crate::{
    error::{Error, Result},
    jobs::{Observer, loss::AnalysesRequest},
    loss::analyses::Classifier,
    options::note_idle,
};

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
    /// Notes the options that have no use, and refuses what makes no sense, before a file is read.
    pub fn check(&self, observer: &dyn Observer) -> Result<()> {
        let idle = |given: bool, option: &str, without: &str| {
            note_idle(given, option, &format!(" without {without}"), observer)
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

    /// The analyses that are meant.
    pub fn request(&self) -> AnalysesRequest {
        let classifier = |kind: &ClassifierArg| match kind {
            ClassifierArg::Tree => Classifier::Tree,
            ClassifierArg::Knn => Classifier::Neighbours,
            ClassifierArg::Bayes => Classifier::Bayes,
            ClassifierArg::Svm => Classifier::Vectors,
        };
        let classifiers = self.classifiers.as_ref();
        AnalysesRequest {
            clusters: self.clusters,
            starts: self.starts,
            classify: self.classify.clone(),
            classifiers: classifiers.map(|kinds| kinds.iter().map(classifier).collect()),
            folds: self.folds,
            classes: self.classes,
            regress: self.regress.clone(),
            seed: self.analysis_seed,
        }
    }
}
