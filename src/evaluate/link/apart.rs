//! Records of a file in pieces that lie apart: what is near a record, or within an interval around it, is mostly in one of them.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::study::to_u32;
use crate::table::{RecordSet, Values};

/// Records that are looked at to choose an attribute and to cut by it: pieces differ by about a hundredth in size then.
const SAMPLE: usize = 1 << 16;

/// Records in pieces of about the same size.
pub(super) struct Apart<'a> {
    records: RecordSet,
    /// What the records are parted by.
    values: Values<'a>,
    /// Where each piece but the first begins.
    cuts: Vec<Cut>,
}

/// A value, 0 where it is missing, and a record: those of equal values are parted by their order in the file.
#[derive(Debug, Clone, Copy)]
struct Cut(f64, usize);

impl Cut {
    fn of(record: usize, values: Values<'_>) -> Self {
        Self(values.of(record), record)
    }

    fn compare(&self, other: &Self) -> Ordering {
        (self.0.total_cmp(&other.0)).then(self.1.cmp(&other.1))
    }
}

impl<'a> Apart<'a> {
    /// These records in so many pieces, or in as many as there are records. Of these attributes, they are parted by the one whose middle half
    /// is widest by a distance with these weights; `None` if there is no attribute.
    pub(super) fn new(
        records: RecordSet,
        attributes: &[Values<'a>],
        weights: &[f64],
        n_pieces: usize,
    ) -> Option<Self> {
        let step = records.count().div_ceil(SAMPLE).max(1);
        let sample: Vec<usize> = records.records().step_by(step).collect();
        let candidates = attributes.iter().zip(weights).map(|(&values, weight)| {
            let cuts = sample.iter().map(|&record| Cut::of(record, values));
            let mut cuts: Vec<Cut> = cuts.collect();
            cuts.sort_unstable_by(Cut::compare);
            let middle = cuts.get(cuts.len() / 4).zip(cuts.get(3 * cuts.len() / 4));
            let width = middle.map_or(0.0, |(low, high)| high.0 - low.0);
            (weight * (width * width), values, cuts)
        });
        let widest =
            candidates.reduce(|widest, next| if next.0 > widest.0 { next } else { widest });
        let (_, values, sorted) = widest?;
        let mut cuts: Vec<Cut> = (1..n_pieces)
            .filter_map(|piece| sorted.get(sorted.len() * piece / n_pieces).copied())
            .collect();
        cuts.dedup_by_key(|cut| cut.1);
        Some(Self {
            records,
            values,
            cuts,
        })
    }

    /// The records of each piece, ascending.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Vec<u32>> {
        (0..=self.cuts.len()).map(|piece| {
            let from = piece.checked_sub(1).map(|before| self.cuts[before]);
            let to = self.cuts.get(piece);
            let is_in = |&record: &usize| {
                let at = Cut::of(record, self.values);
                from.is_none_or(|from| from.compare(&at).is_le())
                    && to.is_none_or(|to| at.compare(to).is_lt())
            };
            let words = (0..self.records.n_words()).into_par_iter();
            let records = words.flat_map_iter(|word| self.records.records_of_word(word));
            records.filter(is_in).map(to_u32).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By an attribute all of whose values differ, and by a constant one.
    #[test]
    fn pieces_lie_apart_and_ties_are_parted_by_record() {
        let none = RecordSet::default();
        let records = RecordSet::of((0..1000).filter(|record| record % 5 < 3));
        let scattered: Vec<f64> = (0..1000)
            .map(|record| f64::from(record * 7 % 1000))
            .collect();
        let constant = vec![3.0; 1000];
        let attributes = [&constant, &scattered].map(|values| Values::new(values, &none));
        let by_value = Apart::new(records.clone(), &attributes, &[9.0, 1.0], 4).unwrap();
        let pieces: Vec<Vec<u32>> = by_value.pieces().collect();
        assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [150; 4]);
        let span = |piece: &Vec<u32>| {
            let values = piece.iter().map(|&record| scattered[record as usize]);
            (
                values.clone().fold(f64::INFINITY, f64::min),
                values.fold(0.0, f64::max),
            )
        };
        let spans: Vec<(f64, f64)> = pieces.iter().map(span).collect();
        assert!(
            spans.is_sorted_by(|piece, next| piece.1 < next.0),
            "{spans:?}"
        );
        let by_record = Apart::new(records, &attributes, &[1.0, 0.0], 3).unwrap();
        let pieces: Vec<Vec<u32>> = by_record.pieces().collect();
        assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [200; 3]);
        assert!(pieces.concat().is_sorted());
    }

    #[test]
    fn more_pieces_than_records_are_as_many_as_records() {
        let none = RecordSet::default();
        let values = [1.0, 1.0];
        let attributes = [Values::new(&values, &none)];
        let pieces = |records: RecordSet| -> Vec<Vec<u32>> {
            let apart = Apart::new(records, &attributes, &[1.0], 4).unwrap();
            apart.pieces().collect()
        };
        assert_eq!(pieces(RecordSet::of(0..2)).concat(), [0, 1]);
        assert_eq!(pieces(RecordSet::default()), [Vec::<u32>::new()]);
        assert!(Apart::new(RecordSet::default(), &[], &[], 4).is_none());
    }
}
