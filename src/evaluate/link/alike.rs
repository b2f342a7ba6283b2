//! Records that an attack cannot tell apart: which of them somebody gets in an assignment is chance.

use crate::table::{Matrix, matrix::equal_records::EqualRecords};

/// The records of one file in groups with equal values, in all that an attack sees of them.
#[derive(Debug)]
pub(super) struct Alike {
    /// Whether they are seekers; otherwise they are sought.
    are_seekers: bool,
    /// The group of each record.
    group: Vec<u32>,
    /// The size of each group.
    sizes: Vec<u32>,
}

impl Alike {
    /// Those of the file with the larger groups: exchanging equal records of either file changes no cost, so the mean over the one is
    /// as right as that over the other, and that over more records leaves less to chance. (Where both files have groups, which of equal
    /// records of the other one are assigned to a group is what the assignment happens to be.)
    pub fn of(seekers: &Matrix, sought: &Matrix) -> Self {
        let [of_seekers, of_sought] = [seekers, sought].map(EqualRecords::of);
        let are_seekers =
            of_seekers.n_groups() * sought.n_records() < of_sought.n_groups() * seekers.n_records();
        let equal = if are_seekers { of_seekers } else { of_sought };
        Self {
            are_seekers,
            group: equal.numbers(),
            sizes: equal.sizes(),
        }
    }

    /// Nobody is like anybody else of so many sought records.
    pub fn none(n_sought: usize) -> Self {
        Self {
            are_seekers: false,
            group: (0..).take(n_sought).collect(),
            sizes: vec![1; n_sought],
        }
    }

    /// For each seeker how many records share the chance that its link is right: 1 where it is right for sure, 0 where it is wrong
    /// whoever of equal records is taken.
    ///
    /// If a seeker got one of t equal records, and its partner is one of these, it is the right one with a probability of 1/t. So it is if one
    /// of t equal seekers, to which this one belongs, got the partner.
    pub fn shared_by(&self, got: &[Option<u32>], partners: &[Option<u32>]) -> Vec<u32> {
        let group = |record: u32| self.group[record as usize];
        let in_group = |a: u32, b: u32| {
            let (a, b) = (group(a), group(b));
            if a == b { self.sizes[a as usize] } else { 0 }
        };
        if !self.are_seekers {
            let shared = |(got, partner): (&Option<u32>, &Option<u32>)| match (got, partner) {
                (Some(got), Some(partner)) => in_group(*got, *partner),
                _ => 0,
            };
            return got.iter().zip(partners).map(shared).collect();
        }
        let largest = got.iter().chain(partners).flatten().max();
        let mut who_got = vec![None; largest.map_or(0, |largest| *largest as usize + 1)];
        for (seeker, record) in (0..).zip(got) {
            if let Some(record) = record {
                who_got[*record as usize] = Some(seeker);
            }
        }
        let shared = |(seeker, partner): (u32, &Option<u32>)| {
            let winner = partner.and_then(|partner| who_got[partner as usize]);
            winner.map_or(0, |winner| in_group(seeker, winner))
        };
        (0..).zip(partners).map(shared).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(values: &[f64]) -> Matrix {
        Matrix::complete(values.len(), 1, values.to_vec())
    }

    /// Every way in which equal records of the file with groups can be exchanged, one after the other: the mean number of right links
    /// is what is said of one of them.
    #[test]
    fn shares_are_means_over_all_exchanges() {
        let few = matrix(&[7.0, 7.0, 7.0, 1.0, 2.0, 2.0]);
        let many = matrix(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
        // Equal are the first three records and the last two; the last seeker gets nobody.
        let got = [2, 4, 3, 0, 1].map(Some).into_iter().chain([None]);
        let got: Vec<Option<u32>> = got.collect();
        let partners = [0, 5, 3, 1, 2, 4].map(Some).to_vec();
        let swaps = exchanges();
        let right = |got: &[Option<u32>]| {
            let pairs = got.iter().zip(&partners);
            pairs
                .filter(|(got, partner)| got.is_some() && got == partner)
                .count()
        };
        for are_seekers in [false, true] {
            let alike = if are_seekers {
                Alike::of(&few, &many)
            } else {
                Alike::of(&many, &few)
            };
            assert_eq!(alike.are_seekers, are_seekers);
            let shared = alike.shared_by(&got, &partners);
            let shares = shared.iter().filter(|&&of| of > 0);
            let expected: f64 = shares.map(|&of| 1.0 / f64::from(of)).sum();
            let exchanged = |swap: &[u32; 6]| -> Vec<Option<u32>> {
                if are_seekers {
                    swap.iter().map(|&seeker| got[seeker as usize]).collect()
                } else {
                    let other = |record: Option<u32>| Some(swap[record? as usize]);
                    got.iter().map(|&record| other(record)).collect()
                }
            };
            let all: usize = swaps.iter().map(|swap| right(&exchanged(swap))).sum();
            let mean = all as f64 / swaps.len() as f64;
            assert!((expected - mean).abs() < 1e-12, "{expected} {mean}");
        }
    }

    /// All orders of the records 0, 1, 2 among themselves, and of 4 and 5.
    fn exchanges() -> Vec<[u32; 6]> {
        let threes = [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ];
        let of = |[a, b, c]: [u32; 3]| [[a, b, c, 3, 4, 5], [a, b, c, 3, 5, 4]];
        threes.into_iter().flat_map(of).collect()
    }

    #[test]
    fn nobody_is_like_another_where_attacks_see_more() {
        let shared = Alike::none(3).shared_by(&[Some(2), None, Some(1)], &[Some(2), Some(0), None]);
        assert_eq!(shared, [1, 0, 0]);
    }
}
