//! How alike two partitions of the same records are.

/// The pairs of records that two partitions keep together or apart, and the sizes of what their groups share.
///
/// Counted from the contingency table `n_ij` (records in group i of the first and group j of the second partition), in whole
/// numbers: `together = Σ C(n_ij, 2)`, `in_first = Σ_i C(n_i, 2)`, `in_second = Σ_j C(n_j, 2)`, `pairs = C(n, 2)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionAgreement {
    records: u64,
    together: i128,
    in_first: i128,
    in_second: i128,
    pairs: i128,
    /// Group of the first, of the second, and the records in both; by first, then by second.
    cells: Vec<(u32, u32, u64)>,
}

impl PartitionAgreement {
    /// Of the groups of each record in two partitions. Numbers of groups are names: their order and size say nothing.
    ///
    /// # Complexity
    /// O(n log n), memory O(n).
    ///
    /// # Panics
    /// If one partition has more records than the other.
    pub fn new(first: &[u32], second: &[u32]) -> Self {
        assert_eq!(first.len(), second.len(), "partitions of the same records");
        let mut both: Vec<(u32, u32)> = first.iter().copied().zip(second.iter().copied()).collect();
        both.sort_unstable();
        let cells: Vec<(u32, u32, u64)> = both
            .chunk_by(|a, b| a == b)
            .map(|cell| (cell[0].0, cell[0].1, cell.len() as u64))
            .collect();
        let of_sizes = |sizes: &[(u32, u64)]| sizes.iter().map(|&(_, size)| pairs(size)).sum();
        Self {
            records: first.len() as u64,
            together: cells.iter().map(|&(_, _, size)| pairs(size)).sum(),
            in_first: of_sizes(&sizes(first)),
            in_second: of_sizes(&sizes(second)),
            pairs: pairs(first.len() as u64),
            cells,
        }
    }

    /// Number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The Rand index: the share of pairs of records that both partitions keep together or both keep apart; 0 to 1. 1 where
    /// there is no pair.
    ///
    /// # Source
    /// W. M. Rand, "Objective criteria for the evaluation of clustering methods", JASA 66, 1971.
    pub fn rand(&self) -> f64 {
        let apart = self.pairs - self.in_first - self.in_second + self.together;
        ratio(self.together + apart, self.pairs)
    }

    /// The adjusted Rand index: 1 for equal partitions, 0 in expectation for partitions drawn at random with groups of these
    /// sizes, −1/2 at least.
    ///
    /// ```text
    /// (together − e) / ((in_first + in_second)/2 − e),   e = in_first · in_second / pairs
    /// ```
    ///
    /// Where the denominator is 0, both are one group or both single records: 1.
    ///
    /// # Source
    /// L. Hubert, P. Arabie, "Comparing partitions", Journal of Classification 2, 1985.
    pub fn adjusted_rand(&self) -> f64 {
        let by_chance = self.in_first * self.in_second;
        ratio(
            2 * (self.together * self.pairs - by_chance),
            (self.in_first + self.in_second) * self.pairs - 2 * by_chance,
        )
    }

    /// The Jaccard index of pairs: of those that one partition keeps together, the share that both do; 0 to 1. 1 where both
    /// are single records.
    pub fn jaccard(&self) -> f64 {
        ratio(
            self.together,
            self.in_first + self.in_second - self.together,
        )
    }

    /// The F-measure: each group of the first partition is compared with the group of the second that is most alike.
    ///
    /// ```text
    /// F = Σ_i n_i/n · max_j 2 n_ij / (n_i + n_j)
    /// ```
    ///
    /// Above 0, 1 for equal partitions; not symmetric: the first partition is what should be found again.
    ///
    /// # Source
    /// B. Larsen, C. Aone, "Fast and effective text mining using linear-time document clustering", KDD 1999.
    pub fn f_measure(&self) -> f64 {
        let groups = self.f_by_group();
        let sum: f64 = groups.iter().map(|&(_, size, f)| size as f64 * f).sum();
        match self.records {
            0 => 1.0,
            records => sum / records as f64,
        }
    }

    /// Each group of the first partition, its size, and the greatest F with a group of the second.
    pub fn f_by_group(&self) -> Vec<(u32, u64, f64)> {
        let mut second: Vec<(u32, u64)> =
            self.cells.iter().map(|&(_, j, size)| (j, size)).collect();
        second.sort_unstable();
        let second = summed(&second);
        let size_of = |group: u32| {
            let place = second.binary_search_by_key(&group, |&(name, _)| name);
            place.map_or(0, |place| second[place].1)
        };
        self.cells
            .chunk_by(|a, b| a.0 == b.0)
            .map(|cells| {
                let size: u64 = cells.iter().map(|cell| cell.2).sum();
                let f = |&(_, j, shared): &(u32, u32, u64)| {
                    2.0 * shared as f64 / (size + size_of(j)) as f64
                };
                (cells[0].0, size, cells.iter().map(f).fold(0.0, f64::max))
            })
            .collect()
    }
}

fn sizes(groups: &[u32]) -> Vec<(u32, u64)> {
    let mut ones: Vec<(u32, u64)> = groups.iter().map(|&group| (group, 1)).collect();
    ones.sort_unstable();
    summed(&ones)
}

/// Sums the sizes of neighbours with the same name.
fn summed(sorted: &[(u32, u64)]) -> Vec<(u32, u64)> {
    sorted
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, same.iter().map(|&(_, size)| size).sum()))
        .collect()
}

/// Fewer than 2⁶³ for as many records as a table can have, so products of two fit into an `i128`.
fn pairs(records: u64) -> i128 {
    let records = i128::from(records);
    records * (records - 1) / 2
}

/// Where the denominator is 0, the partitions are equal: 1.
fn ratio(numerator: i128, denominator: i128) -> f64 {
    match denominator {
        0 => 1.0,
        _ => numerator as f64 / denominator as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: {1,2,3}{4,5,6} against {1,2}{3,4,5}{6}. Cells: (1,1) 2, (1,2) 1, (2,2) 2, (2,3) 1. Together 1 + 1 = 2; in the
    /// first 3 + 3 = 6, in the second 1 + 3 = 4, of 15 pairs. Apart in both 15 − 6 − 4 + 2 = 7. Rand 9/15. Expected 24/15 =
    /// 1.6: adjusted (2 − 1.6)/(5 − 1.6) = 2/17. Jaccard 2/(6 + 4 − 2). F: the first group shares 2 with a group of 2,
    /// 4/5; the second 2 with a group of 3, 4/6; mean 11/15.
    #[test]
    fn six_records_by_hand() {
        let agreement = PartitionAgreement::new(&[7, 7, 7, 3, 3, 3], &[0, 0, 1, 1, 1, 2]);
        assert_eq!(agreement.rand(), 9.0 / 15.0);
        assert_eq!(agreement.adjusted_rand(), 2.0 / 17.0);
        assert_eq!(agreement.jaccard(), 0.25);
        assert!((agreement.f_measure() - 11.0 / 15.0).abs() < 1e-15);
    }

    /// Two crossed pairs: nothing together, so the adjusted index is at its least, (0 − 4/6)/(2 − 4/6) = −1/2.
    #[test]
    fn the_least_adjusted_index() {
        let agreement = PartitionAgreement::new(&[0, 0, 1, 1], &[0, 1, 0, 1]);
        assert_eq!(agreement.adjusted_rand(), -0.5);
        assert_eq!(agreement.jaccard(), 0.0);
        assert_eq!(agreement.f_measure(), 0.5);
    }

    #[test]
    fn partitions_without_pairs_and_without_records() {
        for same in [vec![], vec![0], vec![0, 1, 2], vec![4, 4, 4]] {
            let agreement = PartitionAgreement::new(&same, &same);
            let all = [
                agreement.rand(),
                agreement.adjusted_rand(),
                agreement.jaccard(),
                agreement.f_measure(),
            ];
            assert_eq!(all, [1.0; 4], "{same:?}");
        }
    }

    /// Four thousand million records in two halves, against one group: sums of products must not overflow.
    #[test]
    fn the_largest_table_overflows_nothing() {
        let half = 1_u64 << 31;
        let agreement = PartitionAgreement {
            records: 2 * half,
            together: 2 * pairs(half),
            in_first: 2 * pairs(half),
            in_second: 2 * pairs(half),
            pairs: pairs(2 * half),
            cells: vec![(0, 0, half), (1, 1, half)],
        };
        assert_eq!((agreement.adjusted_rand(), agreement.rand()), (1.0, 1.0));
    }
}
