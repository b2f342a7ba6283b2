//! What of a request has no use for what the intruder knows.

use super::{LinkRequest, methods, request::AttackRequest};
use crate::{error::Result, evaluate::link::Shared, jobs::Observer, table::Table};

/// Notes what of the request has no use where the intruder knows these attributes.
///
/// # Errors
/// What the observer makes of it.
pub(super) fn note_unused(
    request: &LinkRequest,
    original: &Table,
    cases: &[Vec<Shared>],
    observer: &dyn Observer,
) -> Result<()> {
    note_unknown_names(request, original, cases, observer)?;
    match methods::unused_prior(request, cases.iter().map(Vec::len)) {
        Some(unused) => observer.unused(&unused),
        None => Ok(()),
    }
}

/// Notes what speaks of an attribute that the intruder never knows.
///
/// # Errors
/// What the observer makes of it.
pub(super) fn note_unknown_names(
    request: &LinkRequest,
    original: &Table,
    cases: &[Vec<Shared>],
    observer: &dyn Observer,
) -> Result<()> {
    let swapping = request.published.rank_swapping.as_ref();
    let swapped = swapping.map(|published| (published.option(), published.names()));
    let mut attacks = request.attacks.single_attacks();
    let agree = attacks.find_map(|attack| match attack {
        AttackRequest::Probabilistic(attack) => {
            let names = attack.agree.named.keys();
            Some(("--agree", names.map(String::as_str).collect()))
        }
        _ => None,
    });
    let known = |name: &str| {
        let mut all = cases.iter().flatten();
        all.any(|shared| original.attribute(shared.original).name == name)
    };
    for (option, names) in swapped.into_iter().chain(agree) {
        // What no file has is an error elsewhere.
        let exists = |name: &str| original.find(name).is_ok();
        for name in names {
            if exists(name) && !known(name) {
                observer.unused(&format!(
                    "{option} has no effect on {name}: the intruder does not know it"
                ))?;
            }
        }
    }
    Ok(())
}
