//! Candidates whose order rounding could decide.

use std::{cmp::Ordering, sync::OnceLock};

use rayon::prelude::*;

use super::links::{count, first_of};
use crate::{
    attack::{Decides, Nearest, by_cost},
    distance::{
        Doubt,
        nearest::{Contest, Least, Link},
        within::Within,
    },
};

/// Points whose order is decided without rounding where that matters.
pub(super) struct Exactly<'a> {
    nearest: &'a Nearest<'a>,
    decides: &'a dyn Decides,
    /// Built where somebody has to be looked at once more.
    within: OnceLock<Within>,
}

impl<'a> Exactly<'a> {
    pub(super) fn new(nearest: &'a Nearest<'a>, decides: &'a dyn Decides) -> Self {
        Self {
            nearest,
            decides,
            within: OnceLock::new(),
        }
    }

    fn within(&self) -> &Within {
        let nearest = self.nearest;
        let build = || Within::build(&nearest.sought, nearest.metric.clone());
        self.within.get_or_init(build)
    }

    /// How the partners fare; `least` are the least distances, if they are known.
    pub(super) fn contests(
        &self,
        partners: &[Option<u32>],
        least: Option<&[Least]>,
    ) -> Vec<Contest> {
        let of_least = |(seeker, partner): (usize, &Option<u32>)| {
            let Some(partner) = *partner else {
                return Some(self.contest(false, 0));
            };
            let (own, least) = (self.own(seeker, partner), least?[seeker]);
            let order = Order::new(self.decides, seeker);
            if own > order.above(least.key) {
                return Some(self.contest(true, 0));
            }
            (least.next > order.above(own)).then(|| self.contest(false, 1))
        };
        let contests = partners.par_iter().enumerate().map(of_least);
        let mut contests: Vec<Option<Contest>> = contests.collect();
        let mut open = Vec::new();
        if contests.iter().any(Option::is_none) {
            open = self.within().order(partners);
            open.retain(|&seeker| contests[seeker as usize].is_none());
        }
        let compared = open.par_iter().map(|&seeker| {
            let partner = partners[seeker as usize];
            partner.map(|partner| self.compared(seeker as usize, partner))
        });
        let compared: Vec<Option<Contest>> = compared.collect();
        for (seeker, contest) in open.into_iter().zip(compared) {
            contests[seeker as usize] = contest;
        }
        let decided = |contest: Option<Contest>| contest.unwrap_or_default();
        contests.into_iter().map(decided).collect()
    }

    /// The contest of a partner; without one, nobody is closer and nobody ties.
    fn contest(&self, closer: bool, tied: u32) -> Contest {
        Contest {
            candidates: u32::try_from(self.nearest.sought.n_records()).unwrap_or(u32::MAX),
            inside: closer || tied > 0,
            closer,
            tied,
        }
    }

    /// The rounded distance of a partner.
    fn own(&self, seeker: usize, partner: u32) -> f64 {
        let nearest = self.nearest;
        let partner = nearest.sought.record(partner as usize);
        nearest.metric.key(nearest.seekers.record(seeker), partner)
    }

    /// The contest of a partner whose distance is so close to another candidate's that rounding could decide.
    fn compared(&self, seeker: usize, partner: u32) -> Contest {
        let own = (partner, self.own(seeker, partner));
        let order = Order::new(self.decides, seeker);
        let bound = order.above(own.1);
        let (mut closer, mut tied) = (false, 0);
        let record = self.nearest.seekers.record(seeker);
        self.within().visit(record, bound, |point, key| {
            match order.of((point, key), own) {
                Ordering::Less => closer = true,
                Ordering::Equal => tied += 1,
                Ordering::Greater => {}
            }
            if closer { f64::NEG_INFINITY } else { bound }
        });
        self.contest(closer, if closer { 0 } else { tied })
    }

    /// The links, with what rounding made of the nearest, and of partners among them, put right. With each link comes the distance
    /// of the next candidate: nothing is to be put right where that is beyond doubt.
    pub(super) fn corrected(
        &self,
        found: Vec<(Link, f64)>,
        partners: &[Option<u32>],
        limit: usize,
    ) -> Vec<Link> {
        let is_open = |(seeker, (link, next)): (usize, &(Link, f64))| {
            *next <= Order::new(self.decides, seeker).above(link.key)
        };
        if found.iter().enumerate().any(is_open) {
            // Built before the tasks start: one that waited for it must not take up another that does.
            self.within();
        }
        let corrected = found.into_par_iter().enumerate();
        let corrected = corrected.map(|(seeker, mut found)| {
            if is_open((seeker, &found)) {
                self.correct(&mut found.0, (seeker, partners[seeker]), limit);
            }
            found.0
        });
        corrected.collect()
    }

    /// Puts right what rounding made of the nearest of a seeker, and of its partner if that is among them.
    fn correct(&self, link: &mut Link, (seeker, partner): (usize, Option<u32>), limit: usize) {
        let order = Order::new(self.decides, seeker);
        let record = self.nearest.seekers.record(seeker);
        let mut near: Vec<(u32, f64)> = Vec::new();
        let bound = order.above(link.key);
        self.within().visit(record, bound, |point, key| {
            near.push((point, key));
            bound
        });
        let Some(&first) = near.first() else { return };
        let best = near
            .iter()
            .fold(first, |best, &other| match order.of(other, best) {
                Ordering::Less => other,
                _ => best,
            });
        let own = partner.and_then(|partner| near.iter().find(|of| of.0 == partner));
        if let Some(&own) = own {
            let closer = near.iter().filter(|&&other| order.of(other, own).is_lt());
            link.place = Some(1 + count(closer));
        }
        near.retain(|&other| order.of(other, best).is_eq());
        link.tied = count(near.iter());
        link.key = best.1;
        link.nearest = first_of(near.iter().map(|&(point, _)| point), limit);
    }
}

/// The order of a seeker's candidates by cost.
pub(super) struct Order<'a> {
    decides: Option<(&'a dyn Decides, Doubt)>,
    seeker: usize,
}

impl<'a> Order<'a> {
    pub(super) fn new(decides: impl Into<Option<&'a dyn Decides>>, seeker: usize) -> Self {
        let with_doubt = |decides: &'a dyn Decides| (decides, decides.doubt(seeker));
        Self {
            decides: decides.into().map(with_doubt),
            seeker,
        }
    }

    /// The greatest cost that could be no more than this one.
    pub(super) fn above(&self, cost: f64) -> f64 {
        self.decides
            .as_ref()
            .map_or(cost, |(_, doubt)| doubt.above(cost))
    }

    /// How a candidate compares with another one, each with its rounded cost.
    pub(super) fn of(&self, a: (u32, f64), b: (u32, f64)) -> Ordering {
        match self.decides {
            Some((decides, doubt)) => decides.order(self.seeker, doubt, a, b),
            None => by_cost(a.1, b.1),
        }
    }
}
