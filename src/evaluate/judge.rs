//! Asking a preference about the true partners, and about the links it comes to.

use rayon::prelude::*;

use crate::{
    agreement::Weighted,
    attack::{Lists, Nearest, posterior},
    distance::{
        form::Form,
        nearest::{Contest, Link, Neighbours},
        within::Within,
    },
    error::Result,
    memory,
};

/// What became of a preference.
pub(super) struct Judged {
    /// How the true partner of each seeker fares.
    pub contests: Vec<Contest>,
    /// The links, if they are wanted.
    pub links: Vec<Link>,
    /// The probability that the attack states for each seeker's link, if its costs are likelihoods.
    pub stated: Option<Vec<f64>>,
}

/// Judges a preference for the nearest point. The key of a link is the distance itself, not its square.
///
/// # Errors
/// Failed, when the links do not fit into memory.
pub(super) fn nearest(
    nearest: &Nearest<'_>,
    neighbours: &Neighbours,
    partners: &[Option<u32>],
    with_links: bool,
) -> Result<Judged> {
    let candidates = nearest.candidates.as_ref();
    if let Some(form) = &nearest.form {
        return by_form(nearest, form, neighbours, partners, with_links);
    }
    if !with_links {
        let contests = neighbours.contests(&nearest.seekers, partners, candidates);
        return Ok(Judged {
            contests,
            links: Vec::new(),
            stated: None,
        });
    }
    let mut links =
        with_all_ties(|limit| neighbours.links(&nearest.seekers, partners, candidates, limit))?;
    for link in &mut links {
        link.key = link.key.sqrt();
    }
    Ok(Judged {
        contests: links.iter().map(contest_of).collect(),
        links,
        stated: None,
    })
}

/// Judges a preference for the nearest mapped point, where a form of the differences decides between those that are nearly as near
/// as the nearest.
///
/// The place of a partner that is not among these is by the mapped points: mirror images of it may count as nearer.
///
/// # Errors
/// Failed, when the links do not fit into memory.
fn by_form(
    nearest: &Nearest<'_>,
    form: &Form,
    neighbours: &Neighbours,
    partners: &[Option<u32>],
    with_links: bool,
) -> Result<Judged> {
    let tree = Within::build(&nearest.sought, nearest.metric.clone());
    let n_sought = count(0..nearest.sought.n_records());
    // Of who is near the place is worked out below, of others it is asked for only where links are wanted.
    let places: Vec<Option<u32>> = match with_links {
        true => neighbours
            .links(&nearest.seekers, partners, None, 1)
            .into_iter()
            .map(|link| link.place)
            .collect(),
        false => partners.iter().map(|partner| partner.map(|_| 2)).collect(),
    };
    let link = |seeker: usize, limit: usize| {
        let mut near: Vec<(f64, u32)> = Vec::new();
        let mut least = f64::INFINITY;
        tree.visit(
            nearest.seekers.record(seeker),
            f64::INFINITY,
            |point, key| {
                near.push((key, point));
                least = least.min(key);
                form.reach(least)
            },
        );
        near.retain(|&(key, _)| key <= form.reach(least));
        let decided: Vec<(u32, f64)> = near
            .into_iter()
            .map(|(_, point)| (point, form.key(seeker, point as usize).max(0.0)))
            .collect();
        let mut link = link_of_list(&decided, partners[seeker], limit);
        link.key = link.key.sqrt();
        link.candidates = n_sought;
        // Nobody beyond these is nearer than they are.
        link.place = link.place.or(places[seeker].map(|place| place.max(2)));
        link
    };
    let search = |limit: usize| -> Vec<Link> {
        (0..partners.len())
            .into_par_iter()
            .map(|seeker| link(seeker, limit))
            .collect()
    };
    let links = match with_links {
        true => with_all_ties(search)?,
        false => search(0),
    };
    Ok(Judged {
        contests: links.iter().map(contest_of).collect(),
        links: if with_links { links } else { Vec::new() },
        stated: None,
    })
}

/// Judges lists. The key of a link is its cost.
///
/// # Errors
/// Failed, when the links do not fit into memory.
pub(super) fn lists(
    lists: &dyn Lists,
    partners: &[Option<u32>],
    with_links: bool,
) -> Result<Judged> {
    let judged = |limit: usize| -> Vec<(Link, f64)> {
        partners
            .par_iter()
            .enumerate()
            .map_init(Vec::new, |list, (seeker, &partner)| {
                lists.unordered(seeker, list);
                let stated = match lists.is_likelihood() {
                    true => posterior::of_best(list, lists.no_partner(seeker)),
                    false => 0.0,
                };
                (link_of_list(list, partner, limit), stated)
            })
            .collect()
    };
    let mut stated = Vec::new();
    let mut search = |limit| {
        let (links, probabilities) = judged(limit).into_iter().unzip();
        stated = probabilities;
        links
    };
    let links: Vec<Link> = match with_links {
        true => with_all_ties(search)?,
        false => search(0),
    };
    Ok(Judged {
        contests: links.iter().map(contest_of).collect(),
        links: if with_links { links } else { Vec::new() },
        stated: lists.is_likelihood().then_some(stated),
    })
}

/// Judges weights of agreement patterns. The key of a link is the weight with its sign turned.
///
/// # Errors
/// Failed, when the links do not fit into memory.
pub(super) fn agreed(
    weighted: &Weighted,
    partners: &[Option<u32>],
    with_links: bool,
) -> Result<Judged> {
    let links = match with_links {
        true => with_all_ties(|limit| weighted.links(partners, limit))?,
        false => Vec::new(),
    };
    Ok(Judged {
        contests: weighted.contests(partners),
        links,
        stated: None,
    })
}

/// What a list, in any order, comes to.
fn link_of_list(list: &[(u32, f64)], partner: Option<u32>, limit: usize) -> Link {
    let own = partner.and_then(|partner| {
        // Complete lists have everybody in his place.
        let in_place = list
            .get(partner as usize)
            .filter(|(record, _)| *record == partner);
        let found = in_place.or_else(|| list.iter().find(|(record, _)| *record == partner));
        found.map(|&(_, cost)| cost)
    });
    let (mut least, mut tied, mut closer) = (f64::INFINITY, 0, 0);
    for &(_, cost) in list {
        match cost < least {
            true => (least, tied) = (cost, 1),
            false => tied += u32::from(cost <= least),
        }
        closer += u32::from(own.is_some_and(|own| cost < own));
    }
    let mut nearest = match limit {
        0 => Vec::new(),
        _ => {
            let tied = list.iter().filter(|&&(_, cost)| cost <= least);
            tied.map(|&(record, _)| record).collect()
        }
    };
    nearest.sort_unstable();
    nearest.truncate(limit);
    Link {
        nearest,
        tied,
        key: least,
        candidates: count(list.iter()),
        place: own.map(|_| 1 + closer),
    }
}

fn count<T>(of: impl Iterator<Item = T>) -> u32 {
    u32::try_from(of.count()).unwrap_or(u32::MAX)
}

/// The links of all seekers with every record that ties.
///
/// # Complexity
/// Ties are rarely long, so few of each are asked for at first; where one is longer, all are asked for again.
///
/// # Errors
/// Failed, when the ties of all records together are more than memory should hold.
fn with_all_ties(mut search: impl FnMut(usize) -> Vec<Link>) -> Result<Vec<Link>> {
    const USUAL: usize = 64;
    let links = search(USUAL);
    let longest = links
        .iter()
        .map(|link| link.tied as usize)
        .max()
        .unwrap_or(0);
    if longest <= USUAL {
        return Ok(links);
    }
    let in_all: u64 = links.iter().map(|link| u64::from(link.tied)).sum();
    memory::check(
        &format!("records tie with so many others that the list of links, with {in_all} entries,"),
        u128::from(in_all),
        size_of::<u32>(),
        "Let the intruder know more attributes, leave --links out",
    )?;
    Ok(search(longest))
}

fn contest_of(link: &Link) -> Contest {
    Contest {
        candidates: link.candidates,
        inside: link.place.is_some(),
        closer: link.place.is_some_and(|place| place > 1),
        tied: if link.place == Some(1) { link.tied } else { 0 },
    }
}

/// The link that an assignment leaves of what the record would have chosen for itself.
pub(super) fn assigned(link: Link, partner: Option<u32>, distance: Option<f64>) -> Link {
    Link {
        tied: u32::from(distance.is_some()),
        nearest: partner.into_iter().collect(),
        key: distance.unwrap_or(f64::INFINITY),
        ..link
    }
}
