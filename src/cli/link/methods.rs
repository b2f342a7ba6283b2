//! The attacks that `sdcrisk link` can name, and the options of single ones.

use clap::{Args, ValueEnum};

use super::{
    aggregates::AggregatesArgs, learned::LearnedArgs, probabilistic::ProbabilisticArgs,
    published::Published,
};
use crate::{
    attack::{
        Attack,
        distance_based::{DistanceBased, Standardize},
        gower::Gower,
        intersection::rank_swap::RankSwapIntersection,
        involution::{self, Involution},
        kept::ByLaw,
        kernel::{Kernel, KernelDistance},
        learned::family::Family,
        mahalanobis::{Mahalanobis, Scatter, Singular},
    },
    cli::console::Console,
    error::{Error, Result},
    table::Attribute,
};

/// An attack by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum MethodName {
    #[value(aliases = ["dbrl", "dbrl1"])]
    Am,
    Dbrl2,
    Md,
    Md0,
    Kernel,
    Gower,
    Prl,
    Rsld,
    Aggregates,
    Microagg,
    Likelihood,
    #[value(alias = "swaps")]
    Involution,
    Wm,
    WmM,
    Owa,
    Ci,
    CiM,
    #[value(name = "ci-2")]
    Ci2,
    Sb,
    SbNc,
    SbPd,
    All,
}

impl MethodName {
    /// All that `all` stands for, in the order of reports. Not among them: aggregates, which relates no attributes, and the learned
    /// distances, whose search can take minutes each.
    const EACH: [Self; 11] = [
        Self::Am,
        Self::Dbrl2,
        Self::Md,
        Self::Md0,
        Self::Kernel,
        Self::Gower,
        Self::Prl,
        Self::Rsld,
        Self::Microagg,
        Self::Likelihood,
        Self::Involution,
    ];

    /// The family, of a learned distance.
    fn family(self) -> Option<Family> {
        Family::ALL
            .into_iter()
            .find(|family| family.name() == self.word())
    }

    /// Its name on the command line.
    fn word(self) -> &'static str {
        match self {
            Self::Am => "am",
            Self::Dbrl2 => "dbrl2",
            Self::Md => "md",
            Self::Md0 => "md0",
            Self::Kernel => "kernel",
            Self::Gower => "gower",
            Self::Prl => "prl",
            Self::Rsld => "rsld",
            Self::Aggregates => "aggregates",
            Self::Microagg => "microagg",
            Self::Likelihood => "likelihood",
            Self::Involution => "involution",
            Self::Wm => Family::WeightedMean.name(),
            Self::WmM => Family::WeightedMeanMetric.name(),
            Self::Owa => Family::OrderedWeightedMean.name(),
            Self::Ci => Family::Choquet.name(),
            Self::CiM => Family::ChoquetMetric.name(),
            Self::Ci2 => Family::ChoquetTwoAdditive.name(),
            Self::Sb => Family::Bilinear.name(),
            Self::SbNc => Family::BilinearNonNegative.name(),
            Self::SbPd => Family::BilinearDefinite.name(),
            Self::All => "all",
        }
    }
}

/// Which attacks, and the options of single ones.
#[derive(Debug, Clone, Args)]
pub(super) struct MethodArgs {
    /// Attacks, comma-separated: am (dbrl, dbrl1), dbrl2, md, md0, kernel, gower, prl, rsld, microagg, likelihood, involution (swaps); the learned wm, wm-m, owa, ci, ci-m, ci-2, sb, sb-nc, sb-pd; or all that apply (none of the learned); or aggregates alone
    #[arg(long, value_name = "LIST", required = true, value_delimiter = ',')]
    pub(super) method: Vec<MethodName>,
    /// By whose means and sds files are standardised: each by its own, both by those of the masked file or of the intruder's records, or not at all (am, md, md0, kernel, rsld, microagg, learned distances; masked is also for prl: sds, bins and ranks) [default: own; masked where fewer records are held than were released, original where more are]
    #[arg(long, value_enum, help_heading = "Options of methods")]
    pub(super) standardize: Option<StandardizeArg>,
    /// Added to each variance, as a share of the mean variance, where attributes depend on each other (dbrl2, md, md0, kernel mahalanobis)
    #[arg(long, value_name = "SHARE", help_heading = "Options of methods")]
    pub(super) ridge: Option<f64>,
    /// Leaves out directions that masking did not move (dbrl2, md, md0, kernel mahalanobis)
    #[arg(long, conflicts_with = "ridge", help_heading = "Options of methods")]
    pub(super) pseudo_inverse: bool,
    /// The kernel of the method kernel [default: poly]
    #[arg(long, value_enum, help_heading = "Options of methods")]
    pub(super) kernel: Option<KernelArg>,
    /// d of the kernel poly, (1 + x.y)^d [default: 2]
    #[arg(long, value_name = "D", help_heading = "Options of methods")]
    pub(super) degree: Option<u32>,
    /// b of the kernel tanh, tanh(x.y + b) [default: 0]
    #[arg(
        long,
        value_name = "B",
        allow_negative_numbers = true,
        help_heading = "Options of methods"
    )]
    pub(super) offset: Option<f64>,
    /// Of involution, where swaps cannot be taken to be mutual with certainty: the share of values that may have been moved otherwise [default: 0.02]
    #[arg(long, value_name = "SHARE", help_heading = "Options of methods")]
    pub(super) eps: Option<f64>,
    #[command(flatten)]
    pub(super) probabilistic: ProbabilisticArgs,
    #[command(flatten)]
    pub(super) aggregates: AggregatesArgs,
    #[command(flatten)]
    pub(super) learned: LearnedArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum StandardizeArg {
    /// Each file by its own
    Own,
    /// Both by the masked file's
    Masked,
    /// Both by those of the intruder's records
    Original,
    /// Not at all
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum KernelArg {
    /// exp(-λ|x - y|²): orders pairs as am does
    Rbf,
    /// exp(-(x - y)' Σ⁻¹ (x - y) / 2): orders pairs as md does; a worst case
    Mahalanobis,
    /// (1 + x.y)^d
    Poly,
    /// tanh(x.y + b)
    Tanh,
}

/// What was named by `--method`.
#[derive(Debug)]
pub(super) enum Method {
    /// An attack that is ready.
    Attack(Box<dyn Attack>),
    /// A family of distances, of which the best must be learned first.
    Learned(Family),
}

/// An attack that goes by the published law sees only what the law speaks of.
fn by_law(
    attack: Box<dyn Attack>,
    method: MethodName,
    published: &Published<'_>,
) -> Box<dyn Attack> {
    let without_law = [
        MethodName::Am,
        MethodName::Dbrl2,
        MethodName::Md,
        MethodName::Md0,
        MethodName::Kernel,
        MethodName::Gower,
        MethodName::Prl,
        MethodName::Aggregates,
    ];
    match without_law.contains(&method) {
        true => attack,
        false => ByLaw::around(attack, published.statement),
    }
}

impl Method {
    /// Its name on the command line.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Attack(attack) => attack.name(),
            Self::Learned(family) => family.name(),
        }
    }
}

/// An attack that is not run, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotRun {
    pub(super) method: &'static str,
    pub(super) why: String,
}

impl NotRun {
    /// Not run for what this error says.
    pub(super) fn because(method: &'static str, error: &Error) -> Self {
        let attribute = error.location().attribute.as_ref();
        Self {
            method,
            why: match attribute {
                Some(name) => format!("{name} {}", error.what()),
                None => error.what().to_string(),
            },
        }
    }
}

impl MethodArgs {
    /// Whether this method was named, or would be among all.
    pub(super) fn names(&self, method: MethodName) -> bool {
        self.takes_all() || self.method.contains(&method)
    }

    /// Whether all that apply were asked for.
    pub(super) fn takes_all(&self) -> bool {
        self.method.contains(&MethodName::All)
    }

    /// Refuses methods that are named twice, and what the learned distances cannot do.
    pub(super) fn refuse_contradictions(&self) -> Result<()> {
        let mut methods = self.method.clone();
        methods.sort_unstable();
        methods.dedup();
        if methods.len() < self.method.len() || (self.takes_all() && methods.len() > 1) {
            return Err(Error::usage("--method names a method twice")
                .remedy("am, dbrl and dbrl1 are one method, and all means all of them"));
        }
        self.learned.refuse_contradictions(&self.families())
    }

    /// Notes the options that have no use with the methods that were named, and takes them away.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    pub(super) fn settle(&mut self, console: &Console) -> Result<()> {
        let any = |of: &[MethodName]| of.iter().any(|&method| self.names(method));
        let kernel = self.kernel();
        let inverts = any(&[MethodName::Dbrl2, MethodName::Md, MethodName::Md0])
            || kernel == Some(KernelArg::Mahalanobis);
        let families = self.families();
        let standardizes = !families.is_empty()
            || any(&[
                MethodName::Am,
                MethodName::Md,
                MethodName::Md0,
                MethodName::Kernel,
                MethodName::Rsld,
                MethodName::Microagg,
            ])
            || (self.standardize == Some(StandardizeArg::Masked) && any(&[MethodName::Prl]));
        let prl = any(&[MethodName::Prl]);
        let involution = any(&[MethodName::Involution]);
        if self.kernel.is_some() && kernel.is_none() {
            console.unused("--kernel has no effect without the method kernel")?;
            self.kernel = None;
        }
        if self.degree.is_some() && kernel != Some(KernelArg::Poly) {
            console.unused("--degree has no effect without the kernel poly")?;
            self.degree = None;
        }
        if self.offset.is_some() && kernel != Some(KernelArg::Tanh) {
            console.unused("--offset has no effect without the kernel tanh")?;
            self.offset = None;
        }
        if (self.ridge.is_some() || self.pseudo_inverse) && !inverts {
            console.unused(
                "--ridge and --pseudo-inverse have no effect: they are for dbrl2, md, md0 and the kernel mahalanobis",
            )?;
            (self.ridge, self.pseudo_inverse) = (None, false);
        }
        if self.eps.is_some() && !involution {
            console.unused("--eps has no effect without the method involution")?;
            self.eps = None;
        }
        if self.standardize.is_some_and(|by| by != StandardizeArg::Own) && !standardizes {
            console.unused("--standardize has no effect: no method named standardises")?;
            self.standardize = None;
        }
        self.probabilistic.settle(prl, console)?;
        self.learned.settle(&families, console)
    }

    /// The families of learned distances that were named.
    pub(super) fn families(&self) -> Vec<Family> {
        self.method
            .iter()
            .filter_map(|method| method.family())
            .collect()
    }

    /// By what files are standardised, if that was asked for.
    pub(super) fn asked_standardize(&self) -> Option<Standardize> {
        self.standardize.map(|by| match by {
            StandardizeArg::Own => Standardize::Own,
            StandardizeArg::Masked => Standardize::Release,
            StandardizeArg::Original => Standardize::Original,
            StandardizeArg::None => Standardize::None,
        })
    }

    /// By what files are standardised where so many records are held and so many were released.
    pub(super) fn standardize(&self, held: usize, released: usize) -> Standardize {
        self.asked_standardize()
            .unwrap_or_else(|| Standardize::usual(held, released))
    }

    /// The kernel in effect, if there is one.
    pub(super) fn kernel(&self) -> Option<KernelArg> {
        self.names(MethodName::Kernel)
            .then(|| self.kernel.unwrap_or(KernelArg::Poly))
    }

    /// What is to be run; where all were asked for, those that cannot be made are told instead.
    ///
    /// # Errors
    /// Usage, when an attack that was named lacks something.
    pub(super) fn methods(&self, published: &Published<'_>) -> Result<(Vec<Method>, Vec<NotRun>)> {
        let mut methods_to_run = Vec::new();
        let mut not_run = Vec::new();
        let methods = match self.takes_all() {
            true => &MethodName::EACH[..],
            false => &self.method,
        };
        for &method in methods {
            if let Some(family) = method.family() {
                methods_to_run.push(Method::Learned(family));
                continue;
            }
            match self.attack(method, published) {
                Ok(attack) => {
                    methods_to_run.push(Method::Attack(by_law(attack, method, published)));
                }
                Err(error) if self.takes_all() => {
                    not_run.push(NotRun::because(method.word(), &error));
                }
                Err(error) => return Err(error),
            }
        }
        Ok((methods_to_run, not_run))
    }

    /// Whether the options of methods that need no published parameters make sense for an original with these attributes.
    ///
    /// # Errors
    /// Usage.
    pub(super) fn check(&self, attributes: &[Attribute]) -> Result<()> {
        if self.method.contains(&MethodName::Prl) {
            self.probabilistic.attack(attributes, Standardize::Own)?;
        }
        if self.method.contains(&MethodName::Kernel) {
            self.kernel_law()?;
        }
        involution::check_eps(self.eps())?;
        self.singular().map(|_| ())
    }

    fn attack(&self, method: MethodName, published: &Published<'_>) -> Result<Box<dyn Attack>> {
        let standardize = published.standardize;
        let mahalanobis = |scatter| -> Result<Box<dyn Attack>> {
            Ok(Box::new(Mahalanobis {
                scatter,
                standardize,
                singular: self.singular()?,
            }))
        };
        match method {
            // `all` is never asked for by itself, nor is a family.
            MethodName::Wm
            | MethodName::WmM
            | MethodName::Owa
            | MethodName::Ci
            | MethodName::CiM
            | MethodName::Ci2
            | MethodName::Sb
            | MethodName::SbNc
            | MethodName::SbPd
            | MethodName::Am
            | MethodName::All => Ok(Box::new(DistanceBased { standardize })),
            MethodName::Dbrl2 => mahalanobis(Scatter::AlignedVariances),
            MethodName::Md => mahalanobis(Scatter::AlignedCovariances),
            MethodName::Md0 => mahalanobis(Scatter::Unrelated),
            MethodName::Kernel => Ok(Box::new(KernelDistance {
                kernel: self.kernel_law()?,
                standardize,
                singular: self.singular()?,
            })),
            MethodName::Gower => Ok(Box::new(Gower)),
            MethodName::Prl => Ok(Box::new(
                self.probabilistic
                    .attack(published.attributes, standardize)?,
            )),
            MethodName::Aggregates => Ok(Box::new(self.aggregates.attack())),
            MethodName::Rsld => Ok(Box::new(RankSwapIntersection {
                bound: published.windows()?,
                standardize,
            })),
            MethodName::Microagg => Ok(Box::new(published.args.microaggregation.attack(
                published.statement,
                published.masked,
                standardize,
                published.console,
            )?)),
            MethodName::Likelihood => Ok(Box::new(published.law(method.word())?)),
            MethodName::Involution => Ok(Box::new(Involution::new(
                published.law(method.word())?,
                self.eps(),
            )?)),
        }
    }

    fn eps(&self) -> f64 {
        self.eps.unwrap_or(involution::EPS)
    }

    fn singular(&self) -> Result<Singular> {
        match (self.ridge, self.pseudo_inverse) {
            (Some(ridge), _) if ridge > 0.0 && ridge.is_finite() => Ok(Singular::Ridge(ridge)),
            (Some(_), _) => Err(Error::usage(
                "--ridge is a share of the mean variance: a number above 0",
            )
            .remedy("0.001 is usual")),
            (None, true) => Ok(Singular::PseudoInverse),
            (None, false) => Ok(Singular::Refused),
        }
    }

    fn kernel_law(&self) -> Result<Kernel> {
        match self.kernel.unwrap_or(KernelArg::Poly) {
            KernelArg::Rbf => Ok(Kernel::Rbf),
            KernelArg::Mahalanobis => Ok(Kernel::Mahalanobis),
            KernelArg::Poly => match self.degree.unwrap_or(2) {
                0 => Err(Error::usage("--degree 0 makes all records equal")
                    .remedy("Give 1 or more; 2 is usual")),
                degree => Ok(Kernel::Polynomial { degree }),
            },
            KernelArg::Tanh => match self.offset.unwrap_or(0.0) {
                offset if offset.is_finite() => Ok(Kernel::Tanh { offset }),
                _ => Err(Error::usage("--offset must be a number").remedy("0 is usual")),
            },
        }
    }
}
