//! Records with the same values.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::{Matrix, Row};

/// The records of a matrix in groups with the same values and the same missing cells; `-0.0` equals `0.0`.
///
/// Groups are in the order of their values, a missing one last; records ascend within a group.
#[derive(Debug)]
pub struct EqualRecords {
    records: Vec<u32>,
    /// Where each group begins, and where the last one ends.
    starts: Vec<usize>,
}

impl EqualRecords {
    /// Groups all records.
    ///
    /// # Complexity
    /// O(n log n) comparisons of two records, in parallel; O(n) memory.
    pub fn of(matrix: &Matrix) -> Self {
        let compare = |&a: &u32, &b: &u32| {
            let [a, b] = [a, b].map(|record| matrix.record(record as usize));
            by_values(a, b)
        };
        let mut records: Vec<u32> = (0..).take(matrix.n_records()).collect();
        records.par_sort_unstable_by(|a, b| compare(a, b).then(a.cmp(b)));
        let mut starts = vec![0];
        for group in records.chunk_by(|a, b| compare(a, b).is_eq()) {
            starts.push(starts[starts.len() - 1] + group.len());
        }
        Self { records, starts }
    }

    /// Number of groups.
    pub fn n_groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// The records of a group, ascending.
    pub fn group(&self, number: usize) -> &[u32] {
        &self.records[self.starts[number]..self.starts[number + 1]]
    }

    /// Number of records of each group.
    pub fn sizes(&self) -> Vec<u32> {
        let sizes = self.groups().map(<[u32]>::len);
        sizes
            .map(|size| u32::try_from(size).unwrap_or(u32::MAX))
            .collect()
    }

    /// The group of each record.
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers = vec![0; self.records.len()];
        for (number, group) in (0..).zip(self.groups()) {
            group
                .iter()
                .for_each(|&record| numbers[record as usize] = number);
        }
        numbers
    }

    /// The records of each group.
    pub fn groups(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.n_groups()).map(|number| self.group(number))
    }
}

/// The order of two records by their values, attribute by attribute: a missing one last, and `-0.0` equal to `0.0`.
pub fn by_values(a: Row<'_>, b: Row<'_>) -> Ordering {
    let values = a.values().iter().zip(b.values()).enumerate();
    let mut orders = values.map(|(attribute, (&x, &y))| {
        by_cell(
            (!a.is_missing(attribute)).then_some(x),
            (!b.is_missing(attribute)).then_some(y),
        )
    });
    let first = orders.find(|order| order.is_ne());
    first.unwrap_or(Ordering::Equal)
}

/// The order of two values: a missing one last, and `-0.0` equal to `0.0`.
pub fn by_cell(a: Option<f64>, b: Option<f64>) -> Ordering {
    let number = |value: Option<f64>| value.map_or(0.0, |value| value + 0.0);
    let gaps = a.is_none().cmp(&b.is_none());
    gaps.then(number(a).total_cmp(&number(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 1 and −0 before 2; a record that misses the value is not one that has 0 there.
    #[test]
    fn groups_of_a_few_records() {
        let values = vec![2.0, 1.0, 0.0, 5.0, -0.0, 5.0, 2.0, 1.0, 0.0, 5.0];
        let mut matrix = Matrix::complete(5, 2, values);
        matrix.set_missing(4, 0);
        let equal = EqualRecords::of(&matrix);
        let groups: Vec<&[u32]> = equal.groups().collect();
        assert_eq!(groups, [&[1, 2][..], &[0, 3], &[4]]);
        assert_eq!(equal.n_groups(), 3);
        assert_eq!(equal.numbers(), [1, 0, 0, 1, 2]);
        assert_eq!(equal.sizes(), [2, 2, 1]);
    }
}
