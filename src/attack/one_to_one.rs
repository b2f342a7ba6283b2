//! Linking all records at once, each at most once: the intruder who knows that the two files hold the same people.

mod patterns;
mod possible;

#[cfg(test)]
pub(super) mod tests;

use std::{borrow::Cow, cmp::Ordering};

use rayon::prelude::*;

use super::{Lists, Points, Preference};
use crate::{
    distance::{
        kd_tree,
        priced::{Ask, Offer, Priced, Space, Workspace},
    },
    error::Result,
    optimize::assignment::{self, Costs, Pair, Solution, Wish, lists},
    table::matrix::{Matrix, equal_records::EqualRecords},
};

/// The nearest seekers of each sought record that are known from the start.
const NEAREST_SEEKERS: usize = 6;

/// Equal points are assigned as a group where there are on average at least so many in one.
const POINTS_PER_GROUP: usize = 2;

/// Seekers that one task searches for.
const AT_ONCE: usize = 64;

/// The links of the cheapest one-to-one assignment.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The sought record of each seeker, where it got one.
    pub partners: Vec<Option<u32>>,
    /// The cost of each seeker's pair.
    pub costs: Vec<Option<f64>>,
    /// What it comes to.
    pub total: Total,
}

/// The cost of a one-to-one assignment, and what proves it to be the least.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Total {
    /// Number of pairs: as many as are possible.
    pub pairs: u64,
    /// The sum of the costs of the pairs (squared distances for distance-based attacks).
    pub cost: f64,
    /// No assignment of as many pairs costs less: the value of a dual solution that all possible pairs were
    /// compared with. Above the cost, or below it, by rounding only.
    pub bound: f64,
    /// Whether cost and bound agree to nine digits, or up to rounding.
    pub is_proven: bool,
}

/// Assigns seekers to sought records so that as many as possible get one and the sum of costs is least.
///
/// # Ties
/// Several assignments may cost the same; which one comes out depends on the order of the sought records. They must
/// therefore stand in an order unrelated to the seekers' (a [`super::Scenario`] sees to that). The judge counts a link into a group of equal
/// records as the chance that it is the right one of them.
///
/// # Complexity
/// Where all pairs are possible, memory in proportion to the records; where they are in lists (or boxes), to the candidates. Time is
/// nearly linear where each seeker's partner is among its nearest, more where many compete, and cubic at worst: see
/// [`assignment::cheapest`] and [`lists::cheapest`]. Agreement patterns have no index: for the first partners of each of n records
/// all n are looked at, O(n² d / 64) word operations for d attributes, before anything is assigned.
///
/// # Errors
/// Failed, when the lists of candidates are too long to be held at once.
pub fn assign(preference: &Preference<'_>) -> Result<Assignment> {
    let solution = match preference {
        Preference::Nearest(nearest) => match &nearest.candidates {
            Some(boxes) => lists::cheapest(&possible::in_boxes(nearest, boxes)?)?,
            None => of_points(&Points {
                seekers: Cow::Borrowed(&nearest.seekers),
                sought: Cow::Borrowed(&nearest.sought),
                space: &nearest.metric,
            })?,
        },
        Preference::Lists(lists) => in_lists(lists.as_ref())?,
        Preference::Agreed(agreed) => patterns::cheapest(&agreed.weighted)?,
        Preference::Strata(joined) => lists::cheapest(&possible::in_strata(joined)?)?,
    };
    let is_proven = solution.is_proven();
    let Solution {
        pairs, cost, bound, ..
    } = solution;
    Ok(Assignment {
        partners: pairs
            .iter()
            .map(|pair| pair.map(|pair| pair.column))
            .collect(),
        costs: pairs
            .iter()
            .map(|pair| pair.map(|pair| pair.cost))
            .collect(),
        total: Total {
            pairs: pairs.iter().flatten().count() as u64,
            cost,
            bound,
            is_proven,
        },
    })
}

/// Assigns within lists: those of points are not made, other complete ones are worked out again where they are needed, others are written down.
fn in_lists(of: &dyn Lists) -> Result<Solution> {
    if let Some(points) = of.points() {
        return of_points(&points);
    }
    if possible::are_complete(of) && of.n_seekers() <= of.n_sought() {
        assignment::cheapest(&mut CompleteLists::new(of))
    } else {
        lists::cheapest(&possible::in_lists(of)?)
    }
}

/// Assigns where every pair is possible: the records of the smaller file choose; of two files of one size, those of the file with more
/// distinct records.
fn of_points(points: &Points<'_>) -> Result<Solution> {
    let files = [points.seekers.as_ref(), points.sought.as_ref()];
    let [of_seekers, of_sought] = files.map(EqualRecords::of);
    let [seekers, sought] = files;
    let seekers_choose = match seekers.n_records().cmp(&sought.n_records()) {
        Ordering::Equal => of_seekers.n_groups() >= of_sought.n_groups(),
        order => order.is_lt(),
    };
    if seekers_choose {
        return chosen(seekers, sought, &of_sought, points.space);
    }
    let turned = chosen(sought, seekers, &of_seekers, points.space)?;
    Ok(turned_back(turned, seekers.n_records()))
}

/// Assigns points to choosers. Where few points are distinct, each of those can be assigned as often as it occurs.
fn chosen(
    choosers: &Matrix,
    points: &Matrix,
    equal: &EqualRecords,
    space: &dyn Space,
) -> Result<Solution> {
    if equal.n_groups() > points.n_records() / POINTS_PER_GROUP {
        let capacities = vec![1; points.n_records()];
        return assignment::cheapest(&mut Choices::new(choosers, points, capacities, space));
    }
    let mut groups: Vec<&[u32]> = equal.groups().collect();
    groups.par_sort_unstable_by_key(|group| group[0]);
    let firsts: Vec<u32> = groups.iter().map(|group| group[0]).collect();
    let sizes = groups.iter().map(|group| group.len());
    let capacities = sizes.map(|size| u32::try_from(size).unwrap_or(u32::MAX));
    let distinct = points.reordered(&firsts);
    let mut choices = Choices::new(choosers, &distinct, capacities.collect(), space);
    let mut solution = assignment::cheapest(&mut choices)?;
    // Whoever was assigned to a group gets the next of its records.
    let mut next: Vec<_> = groups.iter().map(|group| group.iter()).collect();
    for pair in solution.pairs.iter_mut().flatten() {
        if let Some(&record) = next[pair.column as usize].next() {
            pair.column = record;
        }
    }
    Ok(solution)
}

/// The solution as the seekers see it, if the sought records chose.
fn turned_back(turned: Solution, n_seekers: usize) -> Solution {
    let mut pairs = vec![None; n_seekers];
    for (column, pair) in (0..).zip(&turned.pairs) {
        if let Some(Pair {
            column: seeker,
            cost,
        }) = *pair
        {
            pairs[seeker as usize] = Some(Pair { column, cost });
        }
    }
    Solution { pairs, ..turned }
}

/// Records that choose among points. The distance is symmetric to the last bit, so either file can.
struct Choices<'a> {
    choosers: &'a Matrix,
    /// Where each chooser stands in an order in which those who are near each other follow each other.
    places: Vec<u32>,
    points: Box<dyn Priced + 'a>,
    /// How many choosers a point can have.
    capacities: Vec<u32>,
    hints: Vec<(u32, Pair)>,
}

impl<'a> Choices<'a> {
    fn new(
        choosers: &'a Matrix,
        points: &'a Matrix,
        capacities: Vec<u32>,
        space: &'a dyn Space,
    ) -> Self {
        let (turned, priced) = (space.priced(choosers), space.priced(points));
        let everybody = Wish::of_all(points.n_records());
        let choosers_of = search(
            turned.as_ref(),
            (points, &priced.places()),
            &everybody,
            NEAREST_SEEKERS,
        );
        let hints = (0..).zip(choosers_of).flat_map(|(column, pairs)| {
            pairs.into_iter().map(
                move |Pair {
                          column: chooser,
                          cost,
                      }| (chooser, Pair { column, cost }),
            )
        });
        Self {
            choosers,
            places: turned.places(),
            points: priced,
            capacities,
            hints: hints.collect(),
        }
    }
}

/// Searches for each wish, one after the other for queries that are near each other: these look at the same nodes.
fn search(
    points: &dyn Priced,
    (queries, places): (&Matrix, &[u32]),
    wishes: &[Wish],
    k: usize,
) -> Vec<Vec<Pair>> {
    let mut order: Vec<u32> = (0..).take(wishes.len()).collect();
    order.par_sort_unstable_by_key(|&wish| places[wishes[wish as usize].row as usize]);
    kd_tree::of_each(&order, Workspace::default, |search, wish| {
        let Wish { row, below } = wishes[wish];
        let ask = Ask {
            k,
            below,
            turn: row,
        };
        let offers = points.cheapest(queries.record(row as usize), ask, search);
        let pair = |offer: Offer| Pair {
            column: offer.point,
            cost: offer.key,
        };
        offers.into_iter().map(pair).collect()
    })
}

impl Costs for Choices<'_> {
    fn n_rows(&self) -> usize {
        self.choosers.n_records()
    }

    fn n_columns(&self) -> usize {
        self.points.n_points()
    }

    fn capacities(&self) -> Vec<u32> {
        self.capacities.clone()
    }

    fn set_prices(&mut self, prices: &[f64], searches: usize) {
        self.points.set_prices(prices, searches);
    }

    fn cheapest(&self, wishes: &[Wish], k: usize) -> Vec<Vec<Pair>> {
        let choosers = (self.choosers, &*self.places);
        search(self.points.as_ref(), choosers, wishes, k)
    }

    fn first(&mut self, k: usize) -> Vec<Vec<Pair>> {
        let mut first = self.cheapest(&Wish::of_all(self.n_rows()), k);
        for (chooser, pair) in std::mem::take(&mut self.hints) {
            first[chooser as usize].push(pair);
        }
        first
    }
}

/// Lists that leave nobody out, worked out again for every search: they are too long to be kept.
struct CompleteLists<'a> {
    lists: &'a dyn Lists,
    prices: Vec<f64>,
}

impl<'a> CompleteLists<'a> {
    fn new(lists: &'a dyn Lists) -> Self {
        Self {
            prices: vec![0.0; lists.n_sought()],
            lists,
        }
    }
}

impl Costs for CompleteLists<'_> {
    fn n_rows(&self) -> usize {
        self.lists.n_seekers()
    }

    fn n_columns(&self) -> usize {
        self.lists.n_sought()
    }

    fn set_prices(&mut self, prices: &[f64], _searches: usize) {
        self.prices.copy_from_slice(prices);
    }

    fn cheapest(&self, wishes: &[Wish], k: usize) -> Vec<Vec<Pair>> {
        wishes
            .par_iter()
            .with_min_len(AT_ONCE)
            .map_init(Default::default, |(list, worths), wish| {
                self.lists.list(wish.row as usize, list);
                lists::least(list.drain(..), &self.prices, *wish, k, worths)
            })
            .collect()
    }
}
