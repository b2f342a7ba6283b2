//! Links: whom the lists of seekers come to.

use std::cmp::Ordering;

use super::exactly::Order;
use crate::{
    attack::Kinds,
    distance::nearest::{Contest, Link},
    error::Result,
    memory,
};

/// The link of somebody who has no candidate.
pub(super) fn link_of_nobody() -> Link {
    Link {
        nearest: Vec::new(),
        tied: 0,
        key: f64::INFINITY,
        candidates: 0,
        place: None,
    }
}

/// What the cheapest of a number of candidates come to.
pub(super) fn link_of_cheapest(
    list: &[(u32, f64)],
    partner: Option<u32>,
    limit: usize,
    candidates: usize,
) -> Link {
    let records = list.iter().map(|&(record, _)| record);
    let own = partner.filter(|&partner| records.clone().any(|record| record == partner));
    Link {
        nearest: first_of(records, limit),
        tied: count(list.iter()),
        key: list.first().map_or(f64::INFINITY, |best| best.1),
        candidates: u32::try_from(candidates).unwrap_or(u32::MAX),
        place: own.map(|_| 1),
    }
}

/// The first of some records, ascending, in no more memory than these need: there is one list for each seeker.
pub(super) fn first_of(records: impl Iterator<Item = u32>, limit: usize) -> Vec<u32> {
    if limit == 0 {
        return Vec::new();
    }
    let mut records: Vec<u32> = records.collect();
    if records.len() > limit {
        records.select_nth_unstable(limit);
        records.truncate(limit);
    }
    records.sort_unstable();
    records.shrink_to_fit();
    records
}

/// What a list, in any order, comes to.
pub(super) fn link_of_list(
    list: &[(u32, f64)],
    partner: Option<u32>,
    limit: usize,
    order: &Order<'_>,
) -> Link {
    let own = partner.and_then(|partner| {
        // In complete lists everybody stands in their own place.
        let in_place = list
            .get(partner as usize)
            .filter(|(record, _)| *record == partner);
        let found = in_place.or_else(|| list.iter().find(|(record, _)| *record == partner));
        found.copied()
    });
    let (mut best, mut tied, mut closer) = (list.first().copied(), 0, 0);
    for &other in list {
        match best.map_or(Ordering::Less, |best| order.of(other, best)) {
            Ordering::Less => (best, tied) = (Some(other), 1),
            Ordering::Equal => tied += 1,
            Ordering::Greater => {}
        }
        closer += u32::from(own.is_some_and(|own| order.of(other, own).is_lt()));
    }
    let is_best = |&other: &(u32, f64)| best.is_some_and(|best| order.of(other, best).is_eq());
    let records = list.iter().filter(|&other| is_best(other));
    Link {
        nearest: first_of(records.map(|&(record, _)| record), limit),
        tied,
        key: best.map_or(f64::INFINITY, |best| best.1),
        candidates: count(list.iter()),
        place: own.map(|_| 1 + closer),
    }
}

/// What a list of kinds of records comes to.
pub(super) fn link_of_kinds(
    list: &[(u32, f64)],
    kinds: &Kinds,
    partner: Option<u32>,
    limit: usize,
) -> Link {
    let own = partner.and_then(|partner| {
        let kind = kinds.of[partner as usize];
        list.iter().find(|of| of.0 == kind)
    });
    let least = list.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
    let (mut candidates, mut tied, mut closer) = (0, 0, 0);
    for &(kind, cost) in list {
        let size = kinds.sizes[kind as usize];
        candidates += size;
        tied += u32::from(cost <= least) * size;
        closer += u32::from(own.is_some_and(|own| cost < own.1)) * size;
    }
    let best = list.iter().filter(|of| of.1 <= least);
    let records = best.flat_map(|of| kinds.records.group(of.0 as usize));
    Link {
        nearest: first_of(records.copied(), limit),
        tied,
        key: least,
        candidates,
        place: own.map(|_| 1 + closer),
    }
}

pub(super) fn count<T>(of: impl Iterator<Item = T>) -> u32 {
    u32::try_from(of.count()).unwrap_or(u32::MAX)
}

/// The links of all seekers with every record that ties.
///
/// # Complexity
/// Ties are rarely long, so few of each are asked for at first; where one is longer, all are asked for again.
///
/// # Errors
/// Failed, when the ties of all records together are more than memory should hold.
pub(super) fn with_all_ties(mut search: impl FnMut(usize) -> Vec<Link>) -> Result<Vec<Link>> {
    let links = search(USUAL);
    let longest = longest(links.iter().map(|link| link.tied))?;
    if longest <= USUAL {
        return Ok(links);
    }
    Ok(search(longest))
}

/// Records that tie, of most seekers at most.
const USUAL: usize = 64;

/// The longest list of links, of seekers who tie with so many records each.
///
/// # Errors
/// Failed, where lists are longer than usual and more than memory should hold.
pub(super) fn longest(tied: impl Iterator<Item = u32>) -> Result<usize> {
    let (longest, in_all) = tied.fold((0, 0), |(longest, in_all), tied| {
        (tied.max(longest), in_all + u64::from(tied))
    });
    let longest = longest as usize;
    if longest > USUAL {
        memory::check(
            &format!(
                "records tie with so many others that the list of links, with {in_all} entries,"
            ),
            u128::from(in_all),
            size_of::<u32>(),
            "Let the intruder know more attributes, leave --links out",
        )?;
    }
    Ok(longest)
}

pub(super) fn contest_of(link: &Link) -> Contest {
    Contest {
        candidates: link.candidates,
        inside: link.place.is_some(),
        closer: link.place.is_some_and(|place| place > 1),
        tied: if link.place == Some(1) { link.tied } else { 0 },
    }
}

/// What it costs, and how many tie at that.
pub(super) fn least_of(link: &Link) -> (f64, u32) {
    (link.key, link.tied)
}

/// The link that an assignment leaves of what the record would have chosen for itself.
pub fn assigned(link: Link, partner: Option<u32>, distance: Option<f64>) -> Link {
    Link {
        tied: u32::from(distance.is_some()),
        nearest: partner.into_iter().collect(),
        key: distance.unwrap_or(f64::INFINITY),
        ..link
    }
}

#[cfg(test)]
mod tests {
    use super::first_of;

    /// By hand, and no more memory than is needed: of a hundred thousand seekers who tie with sixteen thousand records each, lists that kept the room of
    /// all ties were gigabytes, though none was asked for.
    #[test]
    fn the_first_of_many_need_room_for_few() {
        let records = || (0..16_000).rev();
        assert_eq!(first_of(records(), 0).capacity(), 0);
        let three = first_of(records(), 3);
        assert_eq!(three, [0, 1, 2]);
        assert!(three.capacity() < 100, "{}", three.capacity());
        assert_eq!(first_of([7, 2, 5].into_iter(), 3), [2, 5, 7]);
        assert_eq!(first_of([7, 2].into_iter(), 3), [2, 7]);
    }
}
