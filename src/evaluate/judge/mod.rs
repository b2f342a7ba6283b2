//! Asking a preference about the true partners, and about the links it comes to.

mod exactly;
mod links;
mod questions;

use std::{borrow::Cow, cmp::Ordering, rc::Rc};

use rayon::prelude::*;

use crate::{
    agreement::Weighted,
    attack::{Decides, Kinds, Lists, Nearest, Preference, Summary, Summed, within_strata::Joined},
    distance::{
        Doubt,
        kd_tree::{of_batches, of_each, order_by},
        nearest::{Contest, Least, Link, Neighbours},
    },
    error::{Error, Result},
    evaluate::shard::Shard,
    table::Matrix,
};
use exactly::{Exactly, Order};
pub(super) use links::assigned;
use links::{
    contest_of, least_of, link_of_cheapest, link_of_kinds, link_of_list, link_of_nobody, longest,
    with_all_ties,
};
use questions::Questions;

/// What became of a preference.
pub(super) struct Judged {
    /// How the true partner of each seeker fares.
    pub contests: Vec<Contest>,
    /// The links, if they are wanted.
    pub links: Vec<Link>,
    /// The probability that the attack states for each seeker's link, if its costs are likelihoods.
    pub stated: Option<Vec<f64>>,
    /// The least distance or cost of each seeker and how many tie at it, where that was worked out.
    pub least: Option<Vec<(f64, u32)>>,
}

impl Judged {
    /// The same at these places among so many seekers, and nothing at the others.
    fn at_places(self, places: &[usize], n: usize) -> Self {
        fn spread<T: Clone>(nothing: T, of: Vec<T>, (places, n): (&[usize], usize)) -> Vec<T> {
            let mut all = vec![nothing; n];
            places
                .iter()
                .zip(of)
                .for_each(|(&place, of)| all[place] = of);
            all
        }
        let at = (places, n);
        Self {
            contests: spread(Contest::default(), self.contests, at),
            // Without links nobody has one, not even an empty one.
            links: if self.links.is_empty() {
                Vec::new()
            } else {
                spread(link_of_nobody(), self.links, at)
            },
            stated: self.stated.map(|stated| spread(0.0, stated, at)),
            least: self
                .least
                .map(|least| spread((f64::INFINITY, 0), least, at)),
        }
    }

    /// That of some seekers.
    fn only(self, seekers: &[usize]) -> Self {
        fn picked<T: Clone>(of: &[T], seekers: &[usize]) -> Vec<T> {
            let seekers = seekers.iter().filter_map(|&seeker| of.get(seeker));
            seekers.cloned().collect()
        }
        Self {
            contests: picked(&self.contests, seekers),
            links: picked(&self.links, seekers),
            stated: self.stated.map(|stated| picked(&stated, seekers)),
            least: self.least.map(|least| picked(&least, seekers)),
        }
    }
}

/// Of more seekers, least distances are not worked out for their own sake.
pub(super) const MAX_MEASURED: usize = 200_000;

/// Judges the seekers of a shard, in their order. Each is judged as if all were, so parts fit together.
///
/// # Errors
/// Failed, when the links do not fit into memory; Usage, of a model of all pairs.
pub(super) fn of_shard(
    preference: &Preference<'_>,
    shard: Shard,
    partners: &[Option<u32>],
    with_links: bool,
    neighbours: &dyn Fn(&Nearest<'_>) -> Rc<Neighbours>,
) -> Result<Judged> {
    let own: Vec<usize> = shard.of_all(partners.len()).collect();
    of_some(preference, &own, partners, with_links, neighbours)
}

/// The same of an attack that [compares values](crate::attack::Attack::compares_values), which are these of seekers and sought: what many would ask is
/// asked once ([`Questions`]). `None` where hardly two seekers ask the same.
///
/// # Errors
/// As for [`of_shard`].
pub(super) fn once(
    preference: &Preference<'_>,
    (shard, values): (Shard, [&Matrix; 2]),
    partners: &[Option<u32>],
    with_links: bool,
    neighbours: &dyn Fn(&Nearest<'_>) -> Rc<Neighbours>,
) -> Result<Option<Judged>> {
    let Some(questions) = Questions::of(shard, partners, values) else {
        return Ok(None);
    };
    let judged = of_some(
        preference,
        &questions.askers,
        partners,
        with_links,
        neighbours,
    )?;
    let links = questions.of.iter();
    let links = links.filter_map(|&question| judged.links.get(question));
    longest(links.map(|link| link.tied))?;
    Ok(Some(judged.only(&questions.of)))
}

/// Judges some seekers, in their order.
fn of_some(
    preference: &Preference<'_>,
    own: &[usize],
    partners: &[Option<u32>],
    with_links: bool,
    neighbours: &dyn Fn(&Nearest<'_>) -> Rc<Neighbours>,
) -> Result<Judged> {
    let own_partners: Vec<Option<u32>> = own.iter().map(|&seeker| partners[seeker]).collect();
    match preference {
        Preference::Nearest(all) => {
            let of_some = |decides| -> Box<dyn Decides + '_> { Box::new(OfSome { decides, own }) };
            let nearest = Nearest {
                seekers: Cow::Owned(all.seekers.only(own)),
                sought: Cow::Borrowed(&*all.sought),
                metric: all.metric.clone(),
                candidates: all.candidates.as_ref().map(|boxes| boxes.only(own)),
                decides: all.decides.as_deref().map(of_some),
            };
            let judged = self::nearest(&nearest, &neighbours(all), &own_partners, with_links)?;
            // Links are always measured; without them the number of all seekers says whether they are, as in one run.
            let is_measured = with_links || partners.len() <= MAX_MEASURED;
            Ok(Judged {
                least: judged.least.filter(|_| is_measured),
                ..judged
            })
        }
        Preference::Lists(lists) => {
            self::lists((lists.as_ref(), Some(own)), &own_partners, with_links)
        }
        Preference::Agreed(_) => Err(Error::usage("a model of all pairs is not judged in parts")),
        Preference::Strata(joined) => {
            let mut is_own = vec![false; partners.len()];
            own.iter().for_each(|&seeker| is_own[seeker] = true);
            let within = |preference: &Preference<'_>, partners: &[Option<u32>], of: &[u32]| {
                let places = 0..of.len();
                let own: Vec<usize> = places.filter(|&place| is_own[of[place] as usize]).collect();
                let judged = of_some(preference, &own, partners, with_links, neighbours)?;
                Ok(judged.at_places(&own, of.len()))
            };
            Ok(strata(joined, partners, with_links, within)?.only(own))
        }
    }
}

/// Who decides for some of the seekers: by their places among these.
#[derive(Debug)]
struct OfSome<'a> {
    decides: &'a dyn Decides,
    own: &'a [usize],
}

impl Decides for OfSome<'_> {
    fn doubt(&self, seeker: usize) -> Doubt {
        self.decides.doubt(self.own[seeker])
    }

    fn compare(&self, seeker: usize, a: u32, b: u32) -> Ordering {
        self.decides.compare(self.own[seeker], a, b)
    }

    fn order(&self, seeker: usize, doubt: Doubt, a: (u32, f64), b: (u32, f64)) -> Ordering {
        self.decides.order(self.own[seeker], doubt, a, b)
    }
}

/// Judges a preference for the nearest point. The key of a link is the distance itself, not its square.
///
/// Where rounding could decide, [`Decides`] does; only the place of a partner who is not among the nearest rests on rounded distances.
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
    let decides = nearest.decides.as_deref();
    let exactly = decides.map(|decides| Exactly::new(nearest, decides));
    let doubt = |seeker| decides.map_or(Doubt::NONE, |decides| decides.doubt(seeker));
    if !with_links {
        let is_measured = nearest.seekers.n_records() <= MAX_MEASURED;
        // Where rounding could decide, the least distance spares most partners a second look.
        let least = (is_measured || decides.is_some())
            .then(|| neighbours.least(&nearest.seekers, partners, candidates, doubt));
        let contests = match (exactly, &least) {
            (Some(exactly), least) => exactly.contests(partners, least.as_deref()),
            (None, Some(least)) => least.iter().map(|least| least.contest).collect(),
            (None, None) => neighbours.contests(&nearest.seekers, partners, candidates),
        };
        let of_seeker = |least: Least| (least.key, least.tied);
        return Ok(Judged {
            contests,
            links: Vec::new(),
            stated: None,
            least: least
                .filter(|_| is_measured)
                .map(|least| least.into_iter().map(of_seeker).collect()),
        });
    }
    let mut links = with_all_ties(|limit| {
        let found = neighbours.links(&nearest.seekers, partners, candidates, limit, doubt);
        match &exactly {
            Some(exactly) => exactly.corrected(found, partners, limit),
            None => found.into_iter().map(|(link, _)| link).collect(),
        }
    })?;
    for link in &mut links {
        link.key = link.key.sqrt();
    }
    Ok(Judged {
        contests: links.iter().map(contest_of).collect(),
        least: Some(links.iter().map(least_of).collect()),
        links,
        stated: None,
    })
}

/// Judges lists. The key of a link is its cost, or its root where that is the distance. Of lists that are asked for the cheapest candidates only, because there is nothing else or because they
/// are searched, everybody is a candidate and nothing is stated. Then a partner who is not among them has a place if links are wanted and those
/// closer can be counted.
///
/// `partners` are those of the seekers that are judged: of some, or of all.
///
/// # Errors
/// Failed, when the links do not fit into memory.
pub(super) fn lists(
    (lists, some): (&dyn Lists, Option<&[usize]>),
    partners: &[Option<u32>],
    with_links: bool,
) -> Result<Judged> {
    let seeker_at = |place: usize| some.map_or(place, |some| some[place]);
    if let Some(of_kinds) = lists.summed() {
        let seekers: Vec<usize> = (0..partners.len()).map(seeker_at).collect();
        return summed(of_kinds, (&seekers, partners), with_links);
    }
    let closer = lists.closer().filter(|_| with_links);
    let short =
        lists.has_cheapest_only() || lists.is_searched() && (!with_links || closer.is_some());
    let judge = |limit: usize, list: &mut Vec<(u32, f64)>, place: usize| {
        let (seeker, partner) = (seeker_at(place), partners[place]);
        lists.unordered(seeker, list);
        let stated = if lists.is_likelihood() {
            lists.stated(seeker, list)
        } else {
            0.0
        };
        let order = Order::new(lists.decides(), seeker);
        (link_of_list(list, partner, limit, &order), stated)
    };
    let order = order_by(partners.len(), |place| lists.whereabouts(seeker_at(place)));
    let judged = |limit: usize| {
        if !short {
            return of_each(&order, Vec::new, |list, place| judge(limit, list, place));
        }
        of_batches(&order, |places, judged| {
            let seekers: Vec<usize> = places.iter().map(|&p| seeker_at(p as usize)).collect();
            lists.cheapest_of(&seekers, &mut |at, list| {
                let partner = partners[places[at] as usize];
                let mut link = link_of_cheapest(list, partner, limit, lists.n_sought());
                if let (None, Some(partner), Some(closer)) = (link.place, partner, closer) {
                    link.place = Some(1 + closer.count(seekers[at], partner));
                }
                judged.push((places[at], (link, 0.0)));
            });
        })
    };
    let mut stated = Vec::new();
    let mut search = |limit| {
        let (links, probabilities) = judged(limit).into_iter().unzip();
        stated = probabilities;
        links
    };
    let mut links: Vec<Link> = if with_links {
        with_all_ties(search)?
    } else {
        search(0)
    };
    if lists.has_distances() {
        links.iter_mut().for_each(|link| link.key = link.key.sqrt());
    }
    let contests = links.iter().zip(partners);
    let contests = contests.map(|(link, partner)| Contest {
        // A partner who is not among the cheapest is behind somebody else, and is a candidate.
        inside: link.place.is_some() || short && partner.is_some(),
        closer: link.place.is_some_and(|place| place > 1)
            || short && partner.is_some() && link.place.is_none(),
        ..contest_of(link)
    });
    Ok(Judged {
        contests: contests.collect(),
        least: Some(links.iter().map(least_of).collect()),
        links: if with_links { links } else { Vec::new() },
        stated: (lists.is_likelihood() && !short).then_some(stated),
    })
}

/// Judges lists of kinds by what they come to.
///
/// # Errors
/// Failed, when the links do not fit into memory.
fn summed(
    (kinds, lists): (&Kinds, &dyn Summed),
    (seekers, partners): (&[usize], &[Option<u32>]),
    with_links: bool,
) -> Result<Judged> {
    let summaries = lists.summaries(seekers);
    let pairs = seekers.par_iter().zip(partners);
    let own = pairs.map(|(&seeker, partner)| {
        partner.map_or(f64::INFINITY, |partner| lists.cost(seeker, partner))
    });
    let own: Vec<f64> = own.collect();
    let asked = summaries.iter().zip(&own);
    let contest = |(summary, &own): (&Summary, &f64)| {
        let inside = own < f64::INFINITY;
        let wins = inside && own <= summary.least;
        Contest {
            candidates: summary.candidates,
            inside,
            closer: inside && !wins,
            tied: if wins { summary.tied } else { 0 },
        }
    };
    let contests = asked.clone().map(contest).collect();
    let links = if with_links {
        // Nobody behind the partner is asked for, but for the cheapest.
        let farthest = |(summary, &own): (&Summary, &f64)| {
            let behind = Some(own).filter(|&own| own < f64::INFINITY);
            behind.map_or(summary.least, |own| own.max(summary.least))
        };
        let most: Vec<f64> = asked.map(farthest).collect();
        let limit = longest(summaries.iter().map(|of| of.tied))?;
        lists.links(seekers, &most, &|place, list| Link {
            candidates: summaries[place].candidates,
            ..link_of_kinds(list, kinds, partners[place], limit)
        })
    } else {
        Vec::new()
    };
    Ok(Judged {
        contests,
        links,
        stated: Some(summaries.iter().map(|of| of.stated).collect()),
        least: Some(summaries.iter().map(|of| (of.least, of.tied)).collect()),
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
    let links = if with_links {
        with_all_ties(|limit| weighted.links(partners, limit))?
    } else {
        Vec::new()
    };
    let (contests, least) = weighted.contests(partners);
    Ok(Judged {
        contests,
        links,
        stated: None,
        least: Some(least),
    })
}

/// Judges what is preferred within strata, each by itself. Whoever is of a stratum that nobody is shown to be of has no candidate.
///
/// # Errors
/// Those of `asked`, which judges the preference of a stratum.
pub(super) fn strata(
    joined: &Joined<'_>,
    partners: &[Option<u32>],
    with_links: bool,
    asked: impl Fn(&Preference<'_>, &[Option<u32>], &[u32]) -> Result<Judged>,
) -> Result<Judged> {
    let n = joined.n_seekers();
    let mut all = Judged {
        contests: vec![Contest::default(); n],
        links: vec![link_of_nobody(); if with_links { n } else { 0 }],
        stated: None,
        least: Some(vec![(f64::INFINITY, 0); n]),
    };
    for within in joined.within() {
        let own = |&seeker: &u32| within.place_of(partners[seeker as usize]?);
        let own: Vec<Option<u32>> = within.seekers.iter().map(own).collect();
        let judged = asked(&within.preference, &own, within.seekers)?;
        for (&seeker, contest) in within.seekers.iter().zip(judged.contests) {
            all.contests[seeker as usize] = contest;
        }
        for (&seeker, mut link) in within.seekers.iter().zip(judged.links) {
            for record in &mut link.nearest {
                *record = within.sought(*record);
            }
            all.links[seeker as usize] = link;
        }
        match (&mut all.least, judged.least) {
            (Some(all), Some(least)) => {
                for (&seeker, least) in within.seekers.iter().zip(least) {
                    all[seeker as usize] = least;
                }
            }
            (all, _) => *all = None,
        }
    }
    Ok(all)
}
