//! The attacks that `sdcrisk link` can name, and the options of single ones.

use std::num::NonZeroU32;

use clap::{Args, ValueEnum, builder::PossibleValue};

use super::{
    aggregates::AggregatesArgs, learned::LearnedArgs, probabilistic::ProbabilisticArgs,
    published::PublishedArgs,
};
use crate::{
    attack::{
        distance_based::Standardize, involution, kernel::Kernel, learned::family::Family,
        mahalanobis::Singular,
    },
    error::{Error, Result},
    jobs::{
        Observer,
        link::request::{AggregatesRequest, AttackRequest, Attacks, Wanted},
    },
    stats::checked::{Finite, Positive},
};

/// What `--method` can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MethodName {
    /// All attacks that apply.
    All,
    /// A single attack.
    Attack(AttackName),
    /// A family of learned distances.
    Learned(Family),
}

impl ValueEnum for MethodName {
    fn value_variants<'a>() -> &'a [Self] {
        const NAMES: [MethodName; 22] = [
            MethodName::Attack(AttackName::Am),
            MethodName::Attack(AttackName::Dbrl2),
            MethodName::Attack(AttackName::Md),
            MethodName::Attack(AttackName::Md0),
            MethodName::Attack(AttackName::Kernel),
            MethodName::Attack(AttackName::Gower),
            MethodName::Attack(AttackName::Prl),
            MethodName::Attack(AttackName::Rsld),
            MethodName::Attack(AttackName::Aggregates),
            MethodName::Attack(AttackName::Microagg),
            MethodName::Attack(AttackName::Likelihood),
            MethodName::Attack(AttackName::Involution),
            MethodName::Learned(Family::WeightedMean),
            MethodName::Learned(Family::WeightedMeanMetric),
            MethodName::Learned(Family::OrderedWeightedMean),
            MethodName::Learned(Family::Choquet),
            MethodName::Learned(Family::ChoquetMetric),
            MethodName::Learned(Family::ChoquetTwoAdditive),
            MethodName::Learned(Family::Bilinear),
            MethodName::Learned(Family::BilinearNonNegative),
            MethodName::Learned(Family::BilinearDefinite),
            MethodName::All,
        ];
        &NAMES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::All => PossibleValue::new("all"),
            Self::Attack(attack) => return attack.to_possible_value(),
            Self::Learned(family) => PossibleValue::new(family.name()),
        })
    }
}

/// A single attack by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum AttackName {
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
}

impl AttackName {
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

impl MethodArgs {
    /// Whether this attack was named, or is among all.
    pub(super) fn names(&self, attack: AttackName) -> bool {
        let is_named = |attack| self.method.contains(&MethodName::Attack(attack));
        (self.takes_all() && AttackName::EACH.contains(&attack)) || is_named(attack)
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
    pub(super) fn settle(&mut self, observer: &dyn Observer) -> Result<()> {
        let any = |of: &[AttackName]| of.iter().any(|&attack| self.names(attack));
        let kernel = self.kernel();
        let inverts = any(&[AttackName::Dbrl2, AttackName::Md, AttackName::Md0])
            || kernel == Some(KernelArg::Mahalanobis);
        let families = self.families();
        let standardizes = !families.is_empty()
            || any(&[
                AttackName::Am,
                AttackName::Md,
                AttackName::Md0,
                AttackName::Kernel,
                AttackName::Rsld,
                AttackName::Microagg,
            ])
            || (self.standardize == Some(StandardizeArg::Masked) && any(&[AttackName::Prl]));
        let prl = any(&[AttackName::Prl]);
        let involution = any(&[AttackName::Involution]);
        if self.kernel.is_some() && kernel.is_none() {
            observer.unused("--kernel has no effect without the method kernel")?;
            self.kernel = None;
        }
        if self.degree.is_some() && kernel != Some(KernelArg::Poly) {
            observer.unused("--degree has no effect without the kernel poly")?;
            self.degree = None;
        }
        if self.offset.is_some() && kernel != Some(KernelArg::Tanh) {
            observer.unused("--offset has no effect without the kernel tanh")?;
            self.offset = None;
        }
        if (self.ridge.is_some() || self.pseudo_inverse) && !inverts {
            observer.unused(
                "--ridge and --pseudo-inverse have no effect: they are for dbrl2, md, md0 and the kernel mahalanobis",
            )?;
            (self.ridge, self.pseudo_inverse) = (None, false);
        }
        if self.eps.is_some() && !involution {
            observer.unused("--eps has no effect without the method involution")?;
            self.eps = None;
        }
        if self.standardize.is_some_and(|by| by != StandardizeArg::Own) && !standardizes {
            observer.unused("--standardize has no effect: no method named standardises")?;
            self.standardize = None;
        }
        self.probabilistic.settle(prl, observer)?;
        self.learned.settle(&families, observer)
    }

    /// The families of learned distances that were named.
    pub(super) fn families(&self) -> Vec<Family> {
        self.method
            .iter()
            .filter_map(|method| match method {
                MethodName::Learned(family) => Some(*family),
                MethodName::All | MethodName::Attack(_) => None,
            })
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

    /// The kernel in effect, if there is one.
    pub(super) fn kernel(&self) -> Option<KernelArg> {
        self.names(AttackName::Kernel)
            .then(|| self.kernel.unwrap_or(KernelArg::Poly))
    }

    /// The attacks with their parameters, for a request. `published` and `attributes` are what other options say of single attacks.
    ///
    /// # Errors
    /// Usage, when a parameter makes no sense.
    pub(super) fn attacks(
        &self,
        published: &PublishedArgs,
        attributes: Option<&String>,
    ) -> Result<Attacks> {
        let attack = |name| self.attack(name, published, attributes);
        if self.takes_all() {
            let attacks = AttackName::EACH.into_iter().map(attack);
            return attacks.collect::<Result<_>>().map(Attacks::ThatApply);
        }
        let mut wanted = Vec::new();
        for &method in &self.method {
            match method {
                MethodName::Attack(name) => wanted.push(Wanted::Attack(attack(name)?)),
                MethodName::Learned(family) => wanted.push(Wanted::Learned(family)),
                MethodName::All => {}
            }
        }
        Ok(Attacks::Named(wanted))
    }

    fn attack(
        &self,
        name: AttackName,
        published: &PublishedArgs,
        attributes: Option<&String>,
    ) -> Result<AttackRequest> {
        Ok(match name {
            AttackName::Am => AttackRequest::Nearest,
            AttackName::Dbrl2 => AttackRequest::AlignedVariances(self.singular()?),
            AttackName::Md => AttackRequest::AlignedCovariances(self.singular()?),
            AttackName::Md0 => AttackRequest::UnrelatedCovariances(self.singular()?),
            AttackName::Kernel => AttackRequest::Kernel {
                kernel: self.kernel_law()?,
                singular: self.singular()?,
            },
            AttackName::Gower => AttackRequest::Gower,
            AttackName::Prl => AttackRequest::Probabilistic(self.probabilistic.attack()?),
            AttackName::Rsld => AttackRequest::RankSwapIntersection,
            AttackName::Aggregates => AttackRequest::Aggregates(AggregatesRequest {
                attack: self.aggregates.attack(),
                attributes: attributes.cloned(),
                masked_attributes: self.aggregates.attributes_masked.clone(),
            }),
            AttackName::Microagg => published.microaggregation.attack()?,
            AttackName::Likelihood => AttackRequest::Likelihood,
            AttackName::Involution => {
                let eps = self.eps.unwrap_or(involution::EPS);
                involution::check_eps(eps)?;
                AttackRequest::Involution { eps }
            }
        })
    }

    fn singular(&self) -> Result<Singular> {
        match (self.ridge, self.pseudo_inverse) {
            (Some(ridge), _) => Positive::new(ridge).map(Singular::Ridge).ok_or_else(|| {
                Error::usage("--ridge is a share of the mean variance: a number above 0")
                    .remedy("0.001 is usual")
            }),
            (None, true) => Ok(Singular::PseudoInverse),
            (None, false) => Ok(Singular::Refused),
        }
    }

    fn kernel_law(&self) -> Result<Kernel> {
        match self.kernel.unwrap_or(KernelArg::Poly) {
            KernelArg::Rbf => Ok(Kernel::Rbf),
            KernelArg::Mahalanobis => Ok(Kernel::Mahalanobis),
            KernelArg::Poly => match NonZeroU32::new(self.degree.unwrap_or(2)) {
                Some(degree) => Ok(Kernel::Polynomial { degree }),
                None => Err(Error::usage("--degree 0 makes all records equal")
                    .remedy("Give 1 or more; 2 is usual")),
            },
            KernelArg::Tanh => match Finite::new(self.offset.unwrap_or(0.0)) {
                Some(offset) => Ok(Kernel::Tanh { offset }),
                None => Err(Error::usage("--offset must be a number").remedy("0 is usual")),
            },
        }
    }
}
