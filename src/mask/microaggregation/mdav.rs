//! MDAV: maximum distance to average vector.

use super::{
    centre::Centre,
    groups::Groups,
    partition::Partition,
    remaining::{self, Remaining, Task},
    space::Space,
};

/// Groups of `k` to `2k − 1` records by MDAV.
///
/// # Law
/// While 3k records or more remain: `r` is the farthest from the centre of what remains; `r` and the `k − 1` nearest to it are a
/// group. `s` is the farthest from `r` among the rest; `s` and the `k − 1` nearest to it are a group. Then, if 2k or
/// more remain, the farthest from their centre and the `k − 1` nearest to it are a group, and what is left is the last
/// one. (Whether `s` is sought before the group of `r` is removed, and again if it fell into it, or afterwards, comes to
/// the same.)
///
/// The centre is, by axis, the mean, the lower median, or the most frequent category.
///
/// # Units
/// Squared Euclidean distances of the space, each computed as [`super::squared_distance`].
///
/// # Ties
/// The record with the lowest number, for the farthest as for the nearest.
///
/// # Complexity
/// The groups are those of the plain algorithm, which takes O(n² d / k) time, and so may this one at worst. The searches leave
/// out what bounds exclude: time grew as n^1.35 with six attributes up to 1,000,000 records, and as n^1.55 with thirteen
/// independent ones up to 100,000 (`benches/README.md`). With many more nothing is excluded. O(n d) memory.
///
/// Fewer than 2k records make one group, no records none.
///
/// # Panics
/// If `k` is 0, or the axes do not fit the points.
///
/// # Source
/// J. Domingo-Ferrer, V. Torra, "Ordinal, continuous and heterogeneous k-anonymity through microaggregation", Data Mining and
/// Knowledge Discovery 11, 2005 (MDAV-generic); A. Hundepool et al., Handbook on Statistical Disclosure Control,
/// section on MDAV.
pub fn mdav(space: &Space, k: usize) -> Partition {
    remaining::of(space, Mdav { space, k })
}

/// The same groups as [`mdav`] by looking at every remaining record each time: slow, short, and the measure of the other.
///
/// # Complexity
/// O(n² d / k).
pub fn mdav_exhaustive(space: &Space, k: usize) -> Partition {
    Mdav { space, k }.run(remaining::Exhaustive::new(&space.points))
}

struct Mdav<'a> {
    space: &'a Space,
    k: usize,
}

impl Task for Mdav<'_> {
    type Output = Partition;

    fn run(self, mut remaining: impl Remaining) -> Partition {
        let Self { space, k } = self;
        assert!(k > 0, "a group has a record at least");
        let all = remaining.records();
        let mut centre = Centre::of(space, all.iter().copied());
        let mut place = Vec::new();
        let mut groups = Groups::default();
        let close = |remaining: &mut _, first, centre: &mut Centre, groups: &mut Groups| {
            take(remaining, first, k, groups);
            for &record in groups.last() {
                centre.remove(space.points.row(record as usize));
            }
        };
        while remaining.len() / 3 >= k {
            centre.write(&mut place);
            let Some(outermost) = remaining.farthest_from_centre(&place) else {
                break;
            };
            close(&mut remaining, outermost, &mut centre, &mut groups);
            let Some(opposite) = remaining.farthest(outermost) else {
                break;
            };
            close(&mut remaining, opposite, &mut centre, &mut groups);
        }
        if remaining.len() / 2 >= k {
            centre.write(&mut place);
            if let Some(outermost) = remaining.farthest_from_centre(&place) {
                close(&mut remaining, outermost, &mut centre, &mut groups);
            }
        }
        groups.push(remaining.records());
        groups.into_partition(all.len())
    }
}

/// Makes a group of a record and the `k - 1` nearest to it, and removes them.
pub(super) fn take(remaining: &mut impl Remaining, first: u32, k: usize, groups: &mut Groups) {
    remaining.remove(first);
    let nearest = remaining.nearest(first, k - 1);
    for &record in &nearest {
        remaining.remove(record);
    }
    groups.push(std::iter::once(first).chain(nearest));
}
