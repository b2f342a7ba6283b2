//! The attacks of a request, ready to be run.

use super::{
    published::Facts,
    request::{AttackRequest, Attacks, LinkRequest, Wanted},
};
use crate::{
    attack::{
        Attack,
        by_law::ByLaw,
        distance_based::{DistanceBased, Standardize},
        gower::Gower,
        intersection::rank_swap::RankSwapIntersection,
        kernel::KernelDistance,
        learned::family::Family,
        mahalanobis::{Mahalanobis, Scatter},
        probabilistic::{Fit, IDENTIFIED_FROM, Probabilistic},
    },
    error::{Error, Result},
    report::link::MethodNotRun,
    statement::Law,
    table::Attribute,
};

/// What is run.
#[derive(Debug)]
pub(super) enum Method {
    /// An attack that is ready.
    Attack(Box<dyn Attack>),
    /// A family of distances, of which the best must be learned first.
    Learned(Family),
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

/// An attack that is not run because of this error.
pub(super) fn not_run(method: &str, error: &Error) -> MethodNotRun {
    let attribute = error.location().attribute.as_ref();
    MethodNotRun {
        method: method.into(),
        why: match attribute {
            Some(name) => format!("{name} {}", error.what()),
            None => error.what().to_string(),
        },
    }
}

/// What is to be run; of whatever applies, those that cannot be made are listed beside it.
///
/// # Errors
/// Usage, when an attack that was named lacks something.
pub(super) fn methods(
    request: &LinkRequest,
    facts: &Facts<'_>,
) -> Result<(Vec<Method>, Vec<MethodNotRun>)> {
    let ready = |request: &AttackRequest| attack(request, facts).map(Method::Attack);
    match &request.attacks {
        Attacks::Named(wanted) => {
            let method = |wanted: &Wanted| match wanted {
                Wanted::Attack(attack) => ready(attack),
                Wanted::Learned(family) => Ok(Method::Learned(*family)),
            };
            let methods = wanted.iter().map(method).collect::<Result<_>>()?;
            Ok((methods, Vec::new()))
        }
        Attacks::ThatApply(attacks) => {
            let (mut methods, mut others) = (Vec::new(), Vec::new());
            for attack in attacks {
                match ready(attack) {
                    Ok(method) => methods.push(method),
                    Err(error) => others.push(not_run(attack.name(), &error)),
                }
            }
            Ok((methods, others))
        }
    }
}

/// Whether the parameters that speak of attributes make sense for an original with these attributes.
///
/// # Errors
/// Usage.
pub(super) fn check(request: &LinkRequest, attributes: &[Attribute]) -> Result<()> {
    let Attacks::Named(_) = &request.attacks else {
        return Ok(());
    };
    let mut attacks = request.attacks.single_attacks();
    attacks.try_for_each(|attack| match attack {
        AttackRequest::Probabilistic(attack) => check_names(attack, attributes),
        _ => Ok(()),
    })
}

/// The attack. One that goes by the published law sees only what the law speaks of.
fn attack(request: &AttackRequest, facts: &Facts<'_>) -> Result<Box<dyn Attack>> {
    let standardize = facts.standardize;
    let mahalanobis = |scatter, singular| -> Result<Box<dyn Attack>> {
        Ok(Box::new(Mahalanobis {
            scatter,
            standardize,
            singular,
        }))
    };
    match request {
        AttackRequest::Nearest => Ok(Box::new(DistanceBased { standardize })),
        &AttackRequest::AlignedVariances(singular) => {
            mahalanobis(Scatter::AlignedVariances, singular)
        }
        &AttackRequest::AlignedCovariances(singular) => {
            mahalanobis(Scatter::AlignedCovariances, singular)
        }
        &AttackRequest::UnrelatedCovariances(singular) => mahalanobis(Scatter::Unrelated, singular),
        &AttackRequest::Kernel { kernel, singular } => Ok(Box::new(KernelDistance {
            kernel,
            standardize,
            singular,
        })),
        AttackRequest::Gower => Ok(Box::new(Gower)),
        AttackRequest::Probabilistic(attack) => {
            check_names(attack, facts.attributes)?;
            Ok(Box::new(Probabilistic {
                standardize: match standardize {
                    Standardize::Release => Standardize::Release,
                    Standardize::Own | Standardize::Original | Standardize::None => {
                        Standardize::Own
                    }
                },
                published: facts.post_randomised(),
                ..attack.clone()
            }))
        }
        AttackRequest::Aggregates(aggregates) => Ok(Box::new(aggregates.attack.clone())),
        AttackRequest::RankSwapIntersection => {
            let (bound, law) = facts.windows()?;
            let attack = Box::new(RankSwapIntersection { bound, standardize });
            Ok(seeing(law, attack))
        }
        &AttackRequest::Microaggregation { nearest_clusters } => {
            let (attack, law) = facts.microaggregation(nearest_clusters)?;
            Ok(seeing(law, Box::new(attack)))
        }
        AttackRequest::Likelihood => facts.likelihood(),
        &AttackRequest::Involution { eps } => facts.involution(eps),
    }
}

/// The attack, which sees what a law speaks of, if there is one.
pub(super) fn seeing(law: Option<Law>, attack: Box<dyn Attack>) -> Box<dyn Attack> {
    match law {
        Some(law) => ByLaw::around(attack, law),
        None => attack,
    }
}

fn check_names(attack: &Probabilistic, attributes: &[Attribute]) -> Result<()> {
    let exists = |name: &String| attributes.iter().any(|attribute| attribute.name == *name);
    match attack.agree.named.keys().find(|name| !exists(name)) {
        None => Ok(()),
        Some(name) => Err(Error::option_names_unknown("--agree", name)),
    }
}

/// What of probabilistic linkage has no use where so many attributes are known in the cases of a call.
pub(super) fn unused_prior(
    request: &LinkRequest,
    known: impl Iterator<Item = usize>,
) -> Option<String> {
    let mut attacks = request.attacks.single_attacks();
    let fit = attacks.find_map(|attack| match attack {
        AttackRequest::Probabilistic(Probabilistic {
            fit, iterations, ..
        }) if iterations.start.2.is_some() => Some(*fit),
        _ => None,
    })?;
    let few = known.filter(|&known| known < IDENTIFIED_FROM).count();
    match fit {
        Fit::EmFixedU => Some(
            "the prior of --em-start has no effect with --fit em-fixed-u: it is held at one match a record".into(),
        ),
        Fit::Em if few > 0 => Some(format!(
            "the prior of --em-start has no effect where fewer than {IDENTIFIED_FROM} attributes are known: it is held at one match a record"
        )),
        Fit::Em | Fit::Known => None,
    }
}
