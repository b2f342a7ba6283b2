//! The possible pairs of a preference, written down.

use rayon::prelude::*;

use crate::{
    attack::{Lists, Nearest, within_strata::Joined},
    distance::nearest::Boxes,
    error::Result,
    memory,
    optimize::assignment::lists::{BYTES_OF_CANDIDATE, Candidates},
    table::matrix::Matrix,
};

/// Seekers whose lists are made before they are joined to the others.
const AT_ONCE: usize = 4096;

/// Seekers that one task makes the lists of.
const OF_A_TASK: usize = 64;

/// Whether each list holds every sought record.
pub(super) fn are_complete(lists: &dyn Lists) -> bool {
    (0..lists.n_seekers())
        .into_par_iter()
        .with_min_len(OF_A_TASK)
        .map_init(Vec::new, |list, seeker| {
            lists.list(seeker, list);
            list.len() == lists.n_sought()
        })
        .all(|complete| complete)
}

/// All lists.
pub(super) fn in_lists(lists: &dyn Lists) -> Result<Candidates> {
    written_down(lists.n_seekers(), lists.n_sought(), |seeker, list| {
        lists.list(seeker, list);
    })
}

/// All candidates within strata.
pub(super) fn in_strata(joined: &Joined<'_>) -> Result<Candidates> {
    written_down(joined.n_seekers(), joined.n_sought(), |seeker, list| {
        joined.costs(seeker, list);
    })
}

/// The sought records in each seeker's box.
pub(super) fn in_boxes(nearest: &Nearest<'_>, boxes: &Boxes) -> Result<Candidates> {
    let sought = nearest.sought.as_ref();
    let sorted = Sorted::new(sought);
    written_down(boxes.n_queries(), sought.n_records(), |seeker, list| {
        list.clear();
        let key = |&point: &u32| Some((point, nearest.cost(seeker, point as usize)?));
        let shortest = sorted.shortest(boxes, seeker);
        list.extend(shortest.into_iter().flatten().filter_map(key));
        list.sort_unstable_by_key(|&(point, _)| point);
    })
}

fn written_down(
    n_seekers: usize,
    n_sought: usize,
    list_of: impl Fn(usize, &mut Vec<(u32, f64)>) + Sync,
) -> Result<Candidates> {
    let mut candidates = Candidates::new(n_sought);
    for start in (0..n_seekers).step_by(AT_ONCE) {
        let end = (start + AT_ONCE).min(n_seekers);
        let lists: Vec<Vec<(u32, f64)>> = (start..end)
            .into_par_iter()
            .with_min_len(OF_A_TASK)
            .map_init(Vec::new, |list, seeker| {
                list_of(seeker, list);
                list.clone()
            })
            .collect();
        let pairs = candidates.n_pairs() + lists.iter().map(Vec::len).sum::<usize>();
        refuse_too_many(pairs, (n_seekers, n_sought))?;
        for list in lists {
            candidates.push(list);
        }
    }
    Ok(candidates)
}

/// As many bytes as the pairs take are needed again while they are worked on.
fn refuse_too_many(pairs: usize, (n_seekers, n_sought): (usize, usize)) -> Result<()> {
    memory::check(
        &format!(
            "a one-to-one assignment of {n_seekers} to {n_sought} records, with {pairs} possible pairs or more,"
        ),
        pairs as u128,
        2 * BYTES_OF_CANDIDATE,
        "Use --assign best, let the intruder know more attributes (--known) or fewer records (--known-records)",
    )
}

/// The points by each attribute, to look at few of them for a box.
struct Sorted {
    /// For each attribute, the values that are present in ascending order, and whose they are; and who misses it.
    by_attribute: Vec<(Vec<f64>, Vec<u32>, Vec<u32>)>,
    all: Vec<u32>,
}

impl Sorted {
    fn new(points: &Matrix) -> Self {
        let all: Vec<u32> = (0..).take(points.n_records()).collect();
        let sorted = |k: usize| {
            let missing = |point: &u32| points.is_missing(*point as usize, k);
            let (blank, mut present): (Vec<u32>, Vec<u32>) = all.iter().copied().partition(missing);
            let value = |point: u32| points.row(point as usize)[k];
            present.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
            let values = present.iter().map(|&point| value(point)).collect();
            (values, present, blank)
        };
        Self {
            by_attribute: (0..points.n_attributes())
                .into_par_iter()
                .map(sorted)
                .collect(),
            all,
        }
    }

    /// The points within the interval of one attribute, the one with the fewest, and those that miss it if gaps are admitted:
    /// among them are all that are in the box.
    fn shortest(&self, boxes: &Boxes, query: usize) -> [&[u32]; 2] {
        let mut shortest: [&[u32]; 2] = [&self.all, &[]];
        for constraint in boxes.constraints(query) {
            let (values, points, blank) = &self.by_attribute[constraint.attribute];
            let start = values.partition_point(|&value| value < constraint.lo);
            let end = values
                .partition_point(|&value| value <= constraint.hi)
                .max(start);
            let blank: &[u32] = if constraint.admits_gap { blank } else { &[] };
            if end - start + blank.len() < shortest[0].len() + shortest[1].len() {
                shortest = [&points[start..end], blank];
            }
        }
        shortest
    }
}
