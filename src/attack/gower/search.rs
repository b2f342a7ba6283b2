//! The records of the least cost: walks of the tree of a [`Filter`] in front of exact costs.

use pulp::{Arch, Simd, WithSimd};

use super::filter::{Filter, Same, Seeker};
use crate::{
    attack::Shown,
    distance::{
        single::rounded,
        wide_tree::{Below, Bounds, FAN, Waiting},
    },
};

/// The number of leaves that a seeker visits by itself, nearest first. If that is not enough, the boxes prune poorly, and the remaining seekers
/// search the tree together, so that each leaf is fetched once for all of them.
const LEAVES_ALONE: usize = 48;

/// Who ties with more records than this is left to look alone, so that no more than one long list is in memory.
const LONG: usize = 1 << 9;

/// A seeker for whom something ahead may matter, and about the least sum there.
#[derive(Clone, Copy)]
struct Ahead {
    seeker: usize,
    sum: f32,
}

const NOBODY: Ahead = Ahead {
    seeker: 0,
    sum: f32::INFINITY,
};

/// The number of records that cost less than `limit`, to a seeker with these coordinates.
pub(super) fn count_below(
    filter: &Filter,
    limit: f64,
    coordinates: &[f64],
    cost: impl Fn(usize) -> f64,
) -> u32 {
    let mut seeker = filter.seeker(coordinates, 0);
    seeker.least = limit;
    filter.follow(&mut seeker);
    Arch::new().dispatch(Count {
        filter,
        seeker: &seeker,
        cost,
    })
}

/// In which leaf a seeker begins.
pub(super) fn home(filter: &Filter, coordinates: &[f64]) -> u32 {
    let mut seeker = filter.seeker(coordinates, 0);
    seeker.mean = 0.0;
    Arch::new().dispatch(Home {
        filter,
        seeker: &seeker,
    })
}

/// Shows `found` the records of the least cost to each of some seekers, with the place of the seeker among these, in no order. `cost` is that of
/// a seeker and of the record at a place of the tree.
pub(super) fn run(
    filter: &Filter,
    seekers: &[usize],
    coordinates: impl Fn(usize) -> Vec<f64>,
    cost: impl Fn(usize, usize) -> f64,
    found: &mut Shown<'_>,
) {
    let with_numbers = seekers.iter().enumerate();
    let seekers =
        with_numbers.map(|(place, &seeker)| (seeker, filter.seeker(&coordinates(seeker), place)));
    Arch::new().dispatch(Run {
        filter,
        seekers: seekers.collect(),
        cost,
        found,
    });
}

struct Home<'a> {
    filter: &'a Filter,
    seeker: &'a Seeker,
}

impl WithSimd for Home<'_> {
    type Output = u32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> u32 {
        let Self { filter, seeker } = self;
        filter.tree().home(OfFan {
            simd,
            filter,
            seeker,
        })
    }
}

/// Bounds for a seeker, by the least cost it found.
#[derive(Clone, Copy)]
struct OfFan<'a, S> {
    simd: S,
    filter: &'a Filter,
    seeker: &'a Seeker,
}

impl<S: Simd> Bounds for OfFan<'_, S> {
    #[inline(always)]
    fn least(&mut self, fan: usize) -> [f32; FAN] {
        let Self {
            simd,
            filter,
            seeker,
        } = *self;
        filter.least(simd, fan, seeker, Same(seeker.mean))
    }
}

struct Count<'a, C> {
    filter: &'a Filter,
    /// Whose least cost is the limit.
    seeker: &'a Seeker,
    cost: C,
}

impl<C: Fn(usize) -> f64> WithSimd for Count<'_, C> {
    type Output = u32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> u32 {
        let Self {
            filter,
            seeker,
            cost,
        } = self;
        // Below this a record surely costs less: the limit was rounded up, by less than the slack in all attributes.
        let surely = f64::from(seeker.most) - 4.0 * filter.slack();
        let surely = rounded(surely).next_down();
        let of_fan = OfFan {
            simd,
            filter,
            seeker,
        };
        let mut below = 0;
        let mut waiting = Waiting::default();
        waiting.begin(filter.tree());
        while let Some(leaf) = waiting.next(filter.tree(), seeker.most, of_fan) {
            let limits = ([Same(seeker.mean)], [seeker.most]);
            let [(sums, is_near)] = filter.sums(simd, leaf, [seeker], limits);
            if !is_near {
                continue;
            }
            for (place, sum) in filter.tree().run(leaf).zip(sums) {
                let is_below = sum < surely || sum <= seeker.most && cost(place) < seeker.least;
                below += u32::from(is_below);
            }
        }
        below
    }
}

struct Run<'a, C> {
    filter: &'a Filter,
    /// Each with its number.
    seekers: Vec<(usize, Seeker)>,
    cost: C,
    found: &'a mut Shown<'a>,
}

impl<C: Fn(usize, usize) -> f64> WithSimd for Run<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut waiting = Waiting::default();
        let mut left = Vec::new();
        for at in 0..self.seekers.len() {
            if self.alone(simd, at, LEAVES_ALONE, &mut waiting) {
                self.finish(at);
            } else {
                self.seekers[at].1.list = Vec::new();
                left.push(at);
            }
        }
        if !left.is_empty() {
            self.together(simd, &left);
        }
        for &at in &left {
            if self.seekers[at].1.list.len() > LONG {
                self.seekers[at].1.list = Vec::new();
                self.filter.follow(&mut self.seekers[at].1);
                self.alone(simd, at, usize::MAX, &mut waiting);
            }
            self.finish(at);
        }
    }
}

impl<C: Fn(usize, usize) -> f64> Run<'_, C> {
    /// Shows what a seeker found, and forgets it.
    fn finish(&mut self, at: usize) {
        let seeker = &mut self.seekers[at].1;
        (self.found)(seeker.place, &seeker.list);
        seeker.list = Vec::new();
    }

    /// Searches for one seeker, nearest boxes first; returns false if it gave up after `leaves` leaves.
    #[inline(always)]
    fn alone<S: Simd>(
        &mut self,
        simd: S,
        at: usize,
        mut leaves: usize,
        waiting: &mut Waiting,
    ) -> bool {
        let filter = self.filter;
        waiting.begin(filter.tree());
        loop {
            let seeker = &self.seekers[at].1;
            let of_fan = OfFan {
                simd,
                filter,
                seeker,
            };
            let Some(leaf) = waiting.next(filter.tree(), seeker.most, of_fan) else {
                return true;
            };
            if leaves == 0 {
                return false;
            }
            leaves -= 1;
            self.leaf(simd, leaf, [at]);
        }
    }

    /// Shows the records of a leaf to some seekers, if they may matter.
    #[inline(always)]
    fn leaf<S: Simd, const SEEKERS: usize>(&mut self, simd: S, leaf: usize, at: [usize; SEEKERS]) {
        let seekers = at.map(|at| &self.seekers[at].1);
        let (means, most) = (seekers.map(|of| Same(of.mean)), seekers.map(|of| of.most));
        let sums = self.filter.sums(simd, leaf, seekers, (means, most));
        for ((sums, is_near), at) in sums.iter().zip(at) {
            if !is_near {
                continue;
            }
            let (number, seeker) = &mut self.seekers[at];
            for (place, &sum) in self.filter.tree().run(leaf).zip(sums) {
                if sum > seeker.most {
                    continue;
                }
                let cost = (self.cost)(*number, place);
                if cost < seeker.least {
                    seeker.least = cost;
                    seeker.list.clear();
                    self.filter.follow(seeker);
                }
                if cost <= seeker.least {
                    seeker.list.push((self.filter.records()[place], cost));
                }
            }
        }
    }

    /// Looks for seekers who were given up, in the order of the tree.
    #[inline(always)]
    fn together<S: Simd>(&mut self, simd: S, left: &[usize]) {
        let everybody = left.iter().map(|&seeker| Ahead {
            seeker,
            sum: f32::NEG_INFINITY,
        });
        // What is still to be visited, with how many it may matter to: those are on a stack of their own.
        let mut waiting: Vec<Ahead> = everybody.collect();
        let mut open = vec![(Below::Fan(0), left.len())];
        let mut near: Vec<Ahead> = Vec::new();
        let mut ahead_of = vec![NOBODY; FAN * left.len()];
        while let Some((below, n_ahead)) = open.pop() {
            near.clear();
            let ahead = waiting.drain(waiting.len() - n_ahead..);
            near.extend(ahead.filter(|ahead| {
                let seeker = &self.seekers[ahead.seeker].1;
                ahead.sum <= seeker.most && seeker.list.len() <= LONG
            }));
            let fan = match below {
                Below::Fan(fan) => fan as usize,
                Below::Leaf(leaf) => {
                    let (pairs, rest) = near.as_chunks::<2>();
                    for [one, other] in pairs {
                        self.leaf(simd, leaf as usize, [one.seeker, other.seeker]);
                    }
                    for ahead in rest {
                        self.leaf(simd, leaf as usize, [ahead.seeker]);
                    }
                    continue;
                }
            };
            let below = self.filter.tree().below(fan);
            let mut counts = [0; FAN];
            for ahead in &near {
                let seeker = &self.seekers[ahead.seeker].1;
                let sums = self.filter.least(simd, fan, seeker, Same(seeker.mean));
                for (at, &sum) in sums[..below.len()].iter().enumerate() {
                    // No branch: it would be guessed wrong.
                    ahead_of[at * left.len() + counts[at]] = Ahead { sum, ..*ahead };
                    counts[at] += usize::from(sum <= seeker.most);
                }
            }
            // The first on top.
            for (at, &below) in below.iter().enumerate().rev() {
                if counts[at] > 0 {
                    open.push((below, counts[at]));
                    waiting.extend_from_slice(&ahead_of[at * left.len()..][..counts[at]]);
                }
            }
        }
    }
}
