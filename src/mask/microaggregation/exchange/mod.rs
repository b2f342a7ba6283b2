//! Local exchange: a partition is improved by moving records among near groups.

mod anneal;
mod district;
mod groups;

use rayon::prelude::*;

use super::{Partition, path, scale, tour};
use crate::table::Matrix;
use anneal::Schedule;
use district::District;
use groups::Groups;

/// How large districts are.
struct Sizes {
    /// Up to this many records a file is one district.
    one: usize,
    /// Records a district of a larger file.
    many: usize,
}

impl Sizes {
    /// Comparing all pairs of a district costs little at these sizes.
    fn of(k: usize) -> Self {
        Self {
            one: 8192,
            many: 2048.max(k.saturating_mul(16)),
        }
    }
}

/// Tours at most.
const MAX_TOURS: usize = 8;

/// Another tour must bring SSE below this share of what it was.
const MIN_FALL: f64 = 1.0 - 1e-9;

/// Lowers the SSE of a partition into groups of at least k records by exchanges among near groups; the result has groups of
/// k to 2k−1.
///
/// Five changes are tried again and again: two records of near groups change places; a record goes over to a near
/// group; a group is dissolved and its records go to near groups; records that near groups can spare make a new group; and, at
/// the beginning, groups of 2k records or more are cut. Each is judged by the exact change of SSE,
///
/// ```text
/// x from A to B:      n_B/(n_B+1) |x − m_B|² − n_A/(n_A−1) |x − m_A|²
/// x of A for y of B:  2 (y − x)·(m_B − m_A) − |y − x|² (1/n_A + 1/n_B)
/// ```
///
/// and accepted if it lowers SSE or, with a probability that falls as the search cools, if it raises it a little (simulated
/// annealing); at last only what lowers it is accepted, until no exchange with a near group does. "Near" are the
/// groups of a record's nearest neighbours. The temperature at a record goes with the scale of distances around it, so that sparse
/// and dense regions cool alike.
///
/// A file of up to 8192 records is then regrouped along tours ([`along_tour`](super::tour::along_tour)) and exchanged on, in turns.
/// A larger one is cut into districts of neighbouring groups, each improved by itself; then once more with
/// other borders. If halving the records again and again makes a better start than the one given, the search begins there. A
/// district that did not gain keeps its groups. SSE is computed from scratch at the end, and
/// the start (with its large groups cut) is returned if it was not worse.
///
/// # Ties
/// A change must lower SSE by more than rounding could feign.
///
/// # Randomness
/// None from outside: proposals follow one fixed sequence of numbers, the same in every call. Results are the same for every
/// number of threads and depend on the order of the records.
///
/// # Complexity
/// A fixed number of proposals a record: 8000 up to 2500 records, falling to 500 from 40,000 on, each O(d); and O(n s d) for
/// neighbours, s = max(2048, 16 k) the records of a district (all, up to 8192). About one second for 1000 records, a few for 4000,
/// minutes for a million. Memory O(n d).
///
/// # Source
/// Own refinement; the exact changes are those of Hartigan's exchange method for k-means (J. A. Hartigan, "Clustering Algorithms",
/// 1975), the search is that of S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983.
///
/// # Panics
/// If k is 0.
pub fn exchange(points: &Matrix, start: Partition, k: usize) -> Partition {
    assert!(k > 0, "a group has a record at least");
    exchange_in(points, start, k, &Sizes::of(k))
}

fn exchange_in(points: &Matrix, start: Partition, k: usize, sizes: &Sizes) -> Partition {
    if start.sizes().into_iter().any(|size| size < k) {
        // Fewer records than a group needs: there is nothing to choose.
        return start;
    }
    let points = scale::tamed(points);
    let mut groups = cut_large(&points, start.groups(), k);
    let cut = partition(&points, &groups);
    let n: usize = groups.iter().map(Vec::len).sum();
    if groups.len() > 1 && k > 1 {
        groups = halves_if_better(&points, groups, k);
        for schedule in Schedule::rounds(n, n > sizes.one) {
            groups = round(&points, groups, k, sizes, &schedule);
        }
        if n <= sizes.one {
            groups = along_tours(&points, groups, k, sizes);
        }
    }
    let improved = partition(&points, &groups);
    if improved.sse(&points) < cut.sse(&points) {
        improved
    } else {
        cut
    }
}

fn partition(points: &Matrix, groups: &[Vec<u32>]) -> Partition {
    Partition::from_groups(points.n_records(), groups.iter().map(Vec::as_slice))
}

/// The groups that halving the records makes, if their SSE is less than that of these: where a start is far from good, the
/// groups near a record are not those that it should go to.
fn halves_if_better(points: &Matrix, groups: Vec<Vec<u32>>, k: usize) -> Vec<Vec<u32>> {
    let mut records: Vec<u32> = groups.iter().flatten().copied().collect();
    records.sort_unstable();
    let halves = district::halve(points, records, k);
    let sse = |groups: &[Vec<u32>]| partition(points, groups).sse(points);
    if sse(&halves) < sse(&groups) {
        halves
    } else {
        groups
    }
}

/// Regroups along a tour through the groups and descends again, in turns, as long as that lowers SSE.
fn along_tours(
    points: &Matrix,
    mut groups: Vec<Vec<u32>>,
    k: usize,
    sizes: &Sizes,
) -> Vec<Vec<u32>> {
    for _ in 0..MAX_TOURS {
        let here = partition(points, &groups);
        let along = tour::along_tour(points, &here, k);
        if along.sse(points) >= here.sse(points) * MIN_FALL {
            break;
        }
        groups = round(points, along.groups(), k, sizes, &Schedule::COLD);
    }
    groups
}

/// Improves every district by itself.
fn round(
    points: &Matrix,
    groups: Vec<Vec<u32>>,
    k: usize,
    sizes: &Sizes,
    schedule: &Schedule,
) -> Vec<Vec<u32>> {
    let n: usize = groups.iter().map(Vec::len).sum();
    let records = if n <= sizes.one { n } else { sizes.many };
    let districts = district::divide(points, groups, records, schedule.cut);
    let groups: Vec<Vec<Vec<u32>>> = districts
        .into_par_iter()
        .map(|groups| improved(&District::new(points, groups, k), schedule))
        .collect();
    groups.into_iter().flatten().collect()
}

/// The groups of a district (of records of the file) after the exchanges; as they were if SSE did not fall.
fn improved(district: &District, schedule: &Schedule) -> Vec<Vec<u32>> {
    let start = district.start().to_vec();
    let mut groups = Groups::new(district, start.clone());
    let before = groups.sse();
    if groups.n_groups() > 1 {
        anneal::anneal(&mut groups, schedule);
        groups.descend();
    }
    groups.refresh_all();
    let better = groups.sse() < before;
    district.in_file(if better { groups.into_members() } else { start })
}

/// Cuts groups of 2k records or more into groups of k to 2k−1, along the coordinate in which they spread most.
fn cut_large(points: &Matrix, groups: Vec<Vec<u32>>, k: usize) -> Vec<Vec<u32>> {
    let mut small = Vec::with_capacity(groups.len());
    for mut group in groups {
        if group.len() < 2 * k {
            small.push(group);
            continue;
        }
        let axis = district::widest(points, &group);
        group.sort_by(|&a, &b| {
            let value = |record: u32| points.row(record as usize).get(axis).copied();
            let (a, b) = (value(a).unwrap_or(0.0), value(b).unwrap_or(0.0));
            a.total_cmp(&b)
        });
        let mut rest = group.as_slice();
        for size in path::best_runs(points, &group, k) {
            let (run, after) = rest.split_at(size as usize);
            small.push(run.to_vec());
            rest = after;
        }
    }
    small
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points in three dimensions.
    fn points(n: u32) -> Matrix {
        let value = |i: u32| {
            let wave = (f64::from(i) * 12.9898).sin() * 43_758.545;
            let unit = wave - wave.floor();
            unit * unit * 10.0
        };
        Matrix::complete(n as usize, 3, (0..3 * n).map(value).collect())
    }

    fn runs(n: u32, k: usize) -> Partition {
        let records: Vec<u32> = (0..n).collect();
        Partition::from_groups(n as usize, records.chunks_exact(k))
    }

    /// Many districts: nobody is lost, sizes are kept, little is lost against one district, and threads do not matter.
    #[test]
    fn districts_do_not_show() {
        let (n, k) = (900, 3);
        let points = points(n);
        let many = Sizes {
            one: 100,
            many: 150,
        };
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let call = || exchange_in(&points, runs(n, k), k, &many);
            pool.build().unwrap().install(call)
        };
        let apart = with_threads(1);
        assert_eq!(apart, with_threads(3));
        assert_eq!(apart.sizes().iter().sum::<usize>(), n as usize);
        assert!(apart.sizes().iter().all(|size| (k..2 * k).contains(size)));
        let together = exchange(&points, runs(n, k), k).sse(&points);
        // Most groups of such small districts lie at a border; without the second round it would be far more.
        let ratio = apart.sse(&points) / together;
        assert!(ratio < 1.25, "{ratio}");
    }

    #[test]
    fn districts_are_whole_groups_of_bounded_size() {
        let points = points(1000);
        for share in [(1, 2), (1, 3)] {
            let mut districts = district::divide(&points, runs(1000, 4).groups(), 90, share);
            let sizes: Vec<usize> = districts
                .iter()
                .map(|d| d.iter().map(Vec::len).sum())
                .collect();
            assert!(sizes.iter().all(|&size| (4..=90).contains(&size)));
            let mut groups: Vec<Vec<u32>> = districts.drain(..).flatten().collect();
            groups.sort_unstable();
            assert_eq!(groups, runs(1000, 4).groups());
        }
    }
}
