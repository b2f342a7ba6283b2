//! The options of the learned distances.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::{
    attack::learned::{family::Family, weights::Weights},
    error::{Error, Result},
    jobs::{
        Observer,
        link::request::{GivenWeights, Learning, Training, USUAL_SECONDS},
    },
    optimize::subsystem::portfolio::Engine,
    options::{
        files::{Files, name_of},
        note_idle,
        records::{NumberOrFile, read_records},
    },
};

/// Half a nanosecond is no time to a clock.
const SHORTEST: f64 = 5e-10;

/// More seconds than this, 2^64, no clock counts.
const LONGEST: f64 = 18_446_744_073_709_551_616.0;

#[derive(Debug, Clone, Args)]
#[command(
    next_help_heading = "Learned distances (wm, wm-m, owa, ci, ci-m, ci-2, sb, sb-nc, sb-pd)"
)]
pub(super) struct LearnedArgs {
    /// Seconds that the search for one distance may take; then the best found is printed with its bound [default: 60]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(super) time_limit: Option<f64>,
    /// How to search [default: auto]
    #[arg(long, value_enum)]
    pub(super) engine: Option<EngineArg>,
    /// Write what was learned, for 'explain' and --use-weights (JSON)
    #[arg(long, value_name = "FILE")]
    pub(super) weights: Option<PathBuf>,
    /// Do not learn: link by what another call wrote with --weights
    #[arg(long, value_name = "FILE", conflicts_with_all = ["weights", "certificate", "train_records"])]
    pub(super) use_weights: Option<PathBuf>,
    /// Write why no distance of the family links more, for 'verify' (JSON; identifies people: private)
    #[arg(long, value_name = "FILE")]
    pub(super) certificate: Option<PathBuf>,
    /// Learn on so many individuals drawn at random, or those of a file (one record number or identifier a line), and attack all others
    #[arg(long, value_name = "N|FILE", conflicts_with = "certificate")]
    pub(super) train_records: Option<NumberOrFile>,
    /// Draw the individuals to learn from so many times; the report gives the mean and its interval [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) train_splits: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineArg {
    /// Whichever suits the problem
    Auto,
    /// Branch and bound over cones of weights (wm, wm-m, owa)
    Cone,
    /// Branch and cut over records
    #[value(alias = "hitting-set")]
    Branch,
    /// The paper's mixed integer program: slow, a reference for small files
    Milp,
}

impl From<EngineArg> for Engine {
    fn from(engine: EngineArg) -> Self {
        match engine {
            EngineArg::Auto => Self::Auto,
            EngineArg::Cone => Self::Cone,
            EngineArg::Branch => Self::Branch,
            EngineArg::Milp => Self::Milp,
        }
    }
}

impl LearnedArgs {
    /// The first option given of those that name a file about one distance.
    pub(super) fn about_one_distance(&self) -> Option<&'static str> {
        [
            ("--weights", self.weights.is_some()),
            ("--certificate", self.certificate.is_some()),
            ("--use-weights", self.use_weights.is_some()),
        ]
        .into_iter()
        .find_map(|(option, given)| given.then_some(option))
    }

    /// Refuses files about one distance where there is none or are several, and numbers that make no sense.
    pub(super) fn refuse_contradictions(&self, families: &[Family]) -> Result<()> {
        let written = [
            ("--weights", self.weights.is_some()),
            ("--certificate", self.certificate.is_some()),
        ];
        if let (Some((option, _)), []) = (written.iter().find(|(_, given)| *given), families) {
            // A note would leave a file of an earlier call in its place.
            return Err(
                Error::usage(format!("{option} asks for a file about a learned distance, and none is learned"))
                    .remedy("Add wm, wm-m, owa, ci, ci-m, ci-2, sb, sb-nc or sb-pd to --method, or leave the option out"),
            );
        }
        if let (Some(option), 2..) = (self.about_one_distance(), families.len()) {
            return Err(Error::usage(format!(
                "{option} is about one learned distance; this call names {}",
                families.len()
            ))
            .remedy("Name one of them"));
        }
        if let (Some(EngineArg::Cone), Some(family)) = (
            self.engine,
            families.iter().find(|family| !family.is_mean()),
        ) {
            return Err(Error::usage(format!(
                "--engine cone searches weights that sum to 1, which {} does not have",
                family.name()
            ))
            .remedy("Leave --engine out, or name wm, wm-m or owa only"));
        }
        match self.train_splits {
            Some(0) => Err(Error::usage("--train-splits wants a number, 1 or more")),
            _ => self.limit().map(|_| ()),
        }
    }

    /// Notes the options that have no use, and takes them away.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    pub(super) fn settle(&mut self, families: &[Family], observer: &dyn Observer) -> Result<()> {
        let idle = |option: &str, given: bool, why: &str| {
            note_idle(given, option, &format!(" {why}"), observer)
        };
        if families.is_empty() {
            let why = "without a learned distance";
            idle("--time-limit", self.time_limit.take().is_some(), why)?;
            idle("--engine", self.engine.take().is_some(), why)?;
            idle("--use-weights", self.use_weights.take().is_some(), why)?;
            idle("--train-records", self.train_records.take().is_some(), why)?;
            idle("--train-splits", self.train_splits.take().is_some(), why)?;
        }
        if self.use_weights.is_some() {
            let why = "with --use-weights: nothing is learned";
            idle("--time-limit", self.time_limit.take().is_some(), why)?;
            idle("--engine", self.engine.take().is_some(), why)?;
        }
        if self.train_splits.is_some() && self.train_count().is_none() {
            self.train_splits = None;
            let why = match self.train_records {
                None => "without --train-records",
                Some(_) => "where a file says which individuals are learned from",
            };
            idle("--train-splits", true, why)?;
        }
        Ok(())
    }

    /// How many are learned from, if these are drawn.
    pub(super) fn train_count(&self) -> Option<usize> {
        self.train_records.as_ref()?.number()
    }

    /// How long one search may take, in seconds.
    fn limit(&self) -> Result<f64> {
        let seconds = self.time_limit.unwrap_or(USUAL_SECONDS);
        if seconds > SHORTEST && seconds < LONGEST {
            Ok(seconds)
        } else {
            Err(
                Error::usage("--time-limit wants a number of seconds above 0").remedy(
                    "For example 60; the best that was found by then is printed with its bound",
                ),
            )
        }
    }

    /// How distances of these families are learned.
    ///
    /// # Errors
    /// Usage, when the weights are of another family or the limit is no time; what reading files objects to.
    pub(super) fn request(&self, families: &[Family], files: &dyn Files) -> Result<Learning> {
        Ok(Learning {
            seconds: self.limit()?,
            engine: self.engine.map_or(Engine::Auto, Engine::from),
            wants_certificate: self.certificate.is_some(),
            wants_weights: self.weights.is_some(),
            given: self.given(families, files)?,
            training: self.training(files)?,
        })
    }

    fn given(&self, families: &[Family], files: &dyn Files) -> Result<Option<GivenWeights>> {
        let Some(path) = &self.use_weights else {
            return Ok(None);
        };
        let file = name_of(path);
        let weights = Weights::from_json(&file, &files.text(path)?)?;
        if families == [weights.family] {
            Ok(Some(GivenWeights { file, weights }))
        } else {
            Err(
                Error::usage(format!("is of the method {}", weights.family.name()))
                    .in_file(file)
                    .remedy(format!("Name it: --method {}", weights.family.name())),
            )
        }
    }

    fn training(&self, files: &dyn Files) -> Result<Option<Training>> {
        Ok(match &self.train_records {
            None => None,
            Some(NumberOrFile::Number(records)) => Some(Training::Drawn {
                records: *records,
                splits: self.train_splits.unwrap_or(1),
            }),
            Some(NumberOrFile::File(path)) => Some(Training::Listed(read_records(path, files)?)),
        })
    }
}
