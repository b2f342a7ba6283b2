//! Interval disclosure: how often an original value lies close around its masked value.

use rayon::prelude::*;

use crate::{
    figure::{About, Definition, Figure, Group, NO_NUMBERS, Part, TOO_LARGE},
    stats::{
        moments::{Moments, moments_of_columns},
        rank::Ranking,
    },
    table::pair::PairedNumbers,
};

/// Widths of the interval, in per cent: the measures are means over these.
const WIDTHS: std::ops::RangeInclusive<usize> = 1..=10;

/// Half the width of the interval of a record, in standard deviations of the masked attribute.
const RECORD_REACH: f64 = 0.05;

/// Interval disclosure in standard deviations, by cell.
pub static BY_SD: Definition = Definition::share(
    Group::Risk(About::Inference),
    "interval_disclosure_sd",
    "interval disclosure (sd)",
    "share of cells with |x - x'| <= p % of the original attribute's standard deviation (divisor n - 1), mean over p = 1..10, then over attributes",
    "Domingo-Ferrer and Torra 2001; Mateo-Sanz, Sebe and Domingo-Ferrer 2004",
);

/// Interval disclosure in ranks, by cell: the ID of the score.
pub static BY_RANK: Definition = Definition::share(
    Group::Risk(About::Inference),
    "interval_disclosure_rank",
    "interval disclosure (ranks)",
    "share of cells whose original value lies in the interval around the masked value that holds p % of the masked file, mean over p = 1..10, then over attributes",
    "Domingo-Ferrer and Torra 2001",
);

/// Interval disclosure of whole records.
pub static OF_RECORDS: Definition = Definition::share(
    Group::Risk(About::Inference),
    "interval_disclosure_records_sd",
    "interval disclosure of records",
    "share of records all of whose original values lie within 0.05 standard deviations of the masked attribute around the masked value",
    "Templ 2008; dRisk of sdcMicro",
);

/// [`BY_SD`] of confidential attributes.
pub static CONFIDENTIAL_BY_SD: Definition = Definition::share(
    Group::Risk(About::Inference),
    "confidential_disclosure_sd",
    "confidential values (sd)",
    "interval_disclosure_sd of the confidential attributes that were masked, which are in no other interval disclosure",
    BY_SD.source,
);

/// [`BY_RANK`] of confidential attributes.
pub static CONFIDENTIAL_BY_RANK: Definition = Definition::share(
    Group::Risk(About::Inference),
    "confidential_disclosure_rank",
    "confidential values (ranks)",
    "interval_disclosure_rank of the confidential attributes that were masked",
    BY_RANK.source,
);

/// [`OF_RECORDS`] of confidential attributes.
pub static CONFIDENTIAL_OF_RECORDS: Definition = Definition::share(
    Group::Risk(About::Inference),
    "confidential_disclosure_records_sd",
    "confidential values of records",
    "interval_disclosure_records_sd of the confidential attributes that were masked: all of a record's are close",
    OF_RECORDS.source,
);

/// The three forms of confidential attributes, in the order of [`DEFINITIONS`].
pub static OF_CONFIDENTIAL: [&Definition; 3] = [
    &CONFIDENTIAL_BY_SD,
    &CONFIDENTIAL_BY_RANK,
    &CONFIDENTIAL_OF_RECORDS,
];

/// The three forms, in the order of [`figures`].
pub static DEFINITIONS: [&Definition; 3] = [&BY_SD, &BY_RANK, &OF_RECORDS];

/// The three forms of interval disclosure.
///
/// ```text
/// interval_disclosure_sd           mean over p, j of   #{ i : |x_ij − x'_ij| <= p/100 · sd_j } / n_j
/// interval_disclosure_rank         mean over p, j of   #{ i : s_{lo(i) − w} <= x_ij <= s_{hi(i) + w} } / n_j,   w = floor(p n' / 200)
/// interval_disclosure_records_sd   #{ i : |x_ij − x'_ij| <= 0.05 sd'_j for all j } / n
/// ```
///
/// x is the original, x' the masked value, sd_j and sd'_j the standard deviations (n−1) of the original and of the masked attribute;
/// p = 1..10. s are the n' masked values of the attribute in ascending order, lo(i) and hi(i) the lowest and the highest place of
/// x'_ij among them, so that an interval holds p % of the file in total; it is clipped at the ends. Ends are included.
///
/// # Missing
/// A cell counts if it is present in both files; statistics and ranks are over what is present in either. An attribute without such a
/// cell has no part in the mean, and a record without one is not counted. Neither has one whose standard deviation is beyond the range of
/// numbers: within an infinite reach everything would be close. Its cells are counted in `skipped` of the first form; records are then
/// judged by their other attributes.
///
/// # Ties
/// All values equal to the one at the end of an interval are inside. An attribute without spread is hit where the value is the same.
///
/// # Complexity
/// O(n log n) an attribute.
///
/// # Source
/// J. Domingo-Ferrer, V. Torra, "A quantitative comparison of disclosure control methods for microdata", 2001, in which the interval is one
/// of ranks; J. M. Mateo-Sanz, F. Sebé, J. Domingo-Ferrer, "Outlier protection in continuous microdata masking", PSD 2004, for
/// standard deviations; M. Templ's sdcMicro (`dRisk`) for records.
pub fn figures(numbers: &PairedNumbers) -> Vec<Figure> {
    let columns: Vec<Vec<Cell>> = (0..numbers.names.len())
        .map(|attribute| cells(numbers, attribute))
        .collect();
    if columns.iter().all(Vec::is_empty) {
        let why = match columns.len() {
            0 => NO_NUMBERS,
            _ => "no cell has a value in both files",
        };
        return DEFINITIONS.map(|what| Figure::undefined(what, why)).into();
    }
    let original = moments_of_columns(&numbers.original);
    let by_sd = columns
        .par_iter()
        .zip(&original)
        .map(|(cells, moments)| (moments.sd.is_finite()).then(|| hits_by_sd(cells, moments.sd)))
        .collect::<Vec<_>>();
    let by_rank = columns
        .par_iter()
        .enumerate()
        .map(|(attribute, cells)| {
            let ranking = Ranking::new(numbers.masked.present(attribute).iter().copied());
            Some(hits_by_rank(cells, &ranking))
        })
        .collect::<Vec<_>>();
    vec![
        mean(&BY_SD, numbers, &columns, &by_sd),
        mean(&BY_RANK, numbers, &columns, &by_rank),
        of_records(numbers),
    ]
}

/// [`figures`] of confidential attributes, under names of their own: how close a masked value is to the one that a person would not want known.
pub fn of_confidential(numbers: &PairedNumbers) -> Vec<Figure> {
    let renamed = figures(numbers).into_iter().zip(OF_CONFIDENTIAL);
    renamed
        .map(|(figure, what)| Figure { what, ..figure })
        .collect()
}

/// The original and the masked value of a cell that both files have.
type Cell = [f64; 2];

fn cells(numbers: &PairedNumbers, attribute: usize) -> Vec<Cell> {
    let [original, masked] = [&numbers.original, &numbers.masked].map(|side| side.cells(attribute));
    original
        .zip(masked)
        .filter_map(|(before, after)| Some([before?, after?]))
        .collect()
}

/// Hits over all cells and widths.
fn hits_by_sd(cells: &[Cell], sd: f64) -> u64 {
    let reaches: Vec<f64> = WIDTHS.map(|p| p as f64 / 100.0 * sd).collect();
    let hits = |&[before, after]: &Cell| {
        let distance = (before - after).abs();
        reaches.iter().filter(|&&reach| distance <= reach).count() as u64
    };
    cells.par_iter().map(hits).sum()
}

/// Hits over all cells and widths.
fn hits_by_rank(cells: &[Cell], masked: &Ranking) -> u64 {
    let windows: Vec<usize> = WIDTHS.map(|p| p * masked.len() / 200).collect();
    let hits = |&[before, after]: &Cell| {
        let inside = |window: &&usize| {
            let (low, high) = masked.within(after, **window);
            low <= before && before <= high
        };
        windows.iter().filter(inside).count() as u64
    };
    cells.par_iter().map(hits).sum()
}

/// The mean over attributes of their shares of hits.
fn mean(
    what: &'static Definition,
    numbers: &PairedNumbers,
    columns: &[Vec<Cell>],
    hits: &[Option<u64>],
) -> Figure {
    let share = |(cells, &hits): (&Vec<Cell>, &Option<u64>)| {
        let trials = cells.len() * WIDTHS.count();
        hits.filter(|_| trials > 0)
            .map(|hits| hits as f64 / trials as f64)
    };
    let shares: Vec<Option<f64>> = columns.iter().zip(hits).map(share).collect();
    let present: Vec<f64> = shares.iter().copied().flatten().collect();
    let value = present.iter().sum::<f64>() / present.len() as f64;
    let parts = numbers.names.iter().zip(shares).map(|(name, value)| Part {
        name: name.clone(),
        value,
    });
    let cells = |is_counted: bool| -> u64 {
        let of = columns.iter().zip(hits);
        let of = of.filter(|(_, hits)| hits.is_some() == is_counted);
        of.map(|(cells, _)| cells.len() as u64).sum()
    };
    if present.is_empty() {
        Figure::undefined(what, TOO_LARGE)
    } else {
        Figure::new(what, value, cells(true))
    }
    .with_skipped(cells(false))
    .with_parts(parts.collect())
}

fn of_records(numbers: &PairedNumbers) -> Figure {
    let masked = moments_of_columns(&numbers.masked);
    let inside = |record: usize| record_is_inside(numbers, &masked, record);
    let verdicts: Vec<Option<bool>> = (0..numbers.original.n_records())
        .into_par_iter()
        .map(inside)
        .collect();
    let counted = verdicts.iter().flatten().count();
    let hit = verdicts.iter().filter(|&&hit| hit == Some(true)).count();
    if counted == 0 {
        return Figure::undefined(&OF_RECORDS, TOO_LARGE);
    }
    Figure::new(&OF_RECORDS, hit as f64 / counted as f64, counted as u64)
}

/// Whether all cells of a record that both files have are close; `None` if there is no such cell.
fn record_is_inside(numbers: &PairedNumbers, masked: &[Moments], record: usize) -> Option<bool> {
    let close = |(attribute, moments): (usize, &Moments)| {
        if !moments.sd.is_finite() {
            return None;
        }
        let before = numbers.original.value(record, attribute)?;
        let after = numbers.masked.value(record, attribute)?;
        Some((before - after).abs() <= RECORD_REACH * moments.sd)
    };
    let mut verdicts = masked.iter().enumerate().filter_map(close).peekable();
    verdicts.peek()?;
    Some(verdicts.all(|close| close))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        figure::{find, value},
        table::{Matrix, Scale},
    };

    /// Attributes as columns of cells.
    fn numbers(original: &[&[Option<f64>]], masked: &[&[Option<f64>]]) -> PairedNumbers {
        let matrix = |columns: &[&[Option<f64>]]| {
            let empty = Matrix::complete(columns[0].len(), 0, Vec::new());
            let add = |matrix: Matrix, column: &&[Option<f64>]| matrix.with_column(column);
            columns.iter().fold(empty, add)
        };
        PairedNumbers {
            names: (0..original.len()).map(|j| format!("a{j}")).collect(),
            scales: vec![Scale::Continuous; original.len()],
            are_amounts: vec![true; original.len()],
            original: (&matrix(original)).into(),
            masked: (&matrix(masked)).into(),
        }
    }

    fn some(values: &[f64]) -> Vec<Option<f64>> {
        values.iter().copied().map(Some).collect()
    }

    /// 0, 0, 0, 10, 10, 10: mean 5, sd = sqrt(6 · 25 / 5) = 5.4772. Reaches 0.0548 p: p = 1..10 give 0.0548, 0.1095, 0.1643, 0.2191,
    /// 0.2739, 0.3286, 0.3834, 0.4382, 0.4930, 0.5477. Distances 0 (10 hits), 0.1 (9), 0.2 (7), 0.3 (5), 0.5 (1), 1 (0): 32 of 60.
    /// Of records, one attribute: sd' of 0, 0.1, 0.2, 9.7, 9.5, 9 is near 5.2, so 0.05 sd' near 0.26: 0, 0.1, 0.2 lie inside: 3 of 6.
    #[test]
    fn by_hand_in_standard_deviations() {
        let figures = figures(&numbers(
            &[&some(&[0.0, 0.0, 0.0, 10.0, 10.0, 10.0])],
            &[&some(&[0.0, 0.1, 0.2, 9.7, 9.5, 9.0])],
        ));
        assert_eq!(value(&figures, BY_SD.key), Some(32.0 / 60.0));
        assert_eq!(value(&figures, OF_RECORDS.key), Some(0.5));
    }

    /// 40 masked values 1..40; the windows of p = 1..10 are floor(p · 40 / 200) = floor(p / 5): 0 for p < 5, 1 for 5..9, 2 for 10. Record
    /// 1 is masked by itself (10 hits), 2 as 3 (6 hits), 4 as 2, 3 as 4 (1 and 6 hits); all others are far from theirs by more than 2.
    #[test]
    fn by_hand_in_ranks() {
        let far = |i: i32| f64::from((i - 5 + 18) % 36 + 5);
        let original: Vec<f64> = (1..=40).map(f64::from).collect();
        let masked: Vec<f64> = [1.0, 3.0, 4.0, 2.0]
            .into_iter()
            .chain((5..=40).map(far))
            .collect();
        let figures = figures(&numbers(&[&some(&original)], &[&some(&masked)]));
        let hits = 10.0 + 6.0 + 6.0 + 1.0;
        assert_eq!(value(&figures, BY_RANK.key), Some(hits / 400.0));
    }

    /// Windows are 0 with three records, so the interval is the masked value's own ties.
    #[test]
    fn in_small_files_only_equal_values_are_hits() {
        let figures = figures(&numbers(
            &[&some(&[1.0, 2.0, 3.0])],
            &[&some(&[1.0, 1.0, 3.0])],
        ));
        assert_eq!(value(&figures, BY_RANK.key), Some(2.0 / 3.0));
    }

    /// Two attributes: the first hit everywhere, the second nowhere (no value in both files in record 0).
    #[test]
    fn means_are_over_attributes_and_gaps_say_nothing() {
        let figures = figures(&numbers(
            &[&some(&[5.0, 5.0]), &[None, Some(9.0)], &[None, None]],
            &[
                &some(&[5.0, 5.0]),
                &[Some(1.0), Some(1.0)],
                &[None, Some(3.0)],
            ],
        ));
        let by_sd = find(&figures, BY_SD.key).unwrap();
        assert_eq!((by_sd.value, by_sd.counted), (Some(0.5), 3));
        let parts: Vec<_> = by_sd.parts.iter().map(|part| part.value).collect();
        assert_eq!(parts, [Some(1.0), Some(0.0), None]);
        // Record 0 is close where it can be compared; record 1 is not, its second value is 8 away.
        assert_eq!(value(&figures, OF_RECORDS.key), Some(0.5));
    }

    #[test]
    fn nothing_to_compare_says_why() {
        let none = figures(&numbers(&[&[None, None]], &[&some(&[1.0, 2.0])]));
        assert!(
            none.iter()
                .all(|f| f.value.is_none() && f.why_not.is_some())
        );
        let mut nothing = numbers(&[&some(&[1.0])], &[&some(&[1.0])]);
        nothing.names.clear();
        nothing.original = (&Matrix::complete(1, 0, Vec::new())).into();
        nothing.masked = nothing.original.clone();
        assert!(figures(&nothing).iter().all(|f| f.why_not.is_some()));
    }

    /// The squares of 1e200 are beyond the range of numbers: no reach is known, so nothing is close to it. Ranks need no squares. Beside
    /// another attribute (0, 0, 9, masked as 0, 0, 0: an sd of 5.2, so two of three are within each reach) only that one counts.
    #[test]
    fn an_infinite_reach_is_none() {
        for unit in [1e200, 5e307] {
            let before = some(&[unit, 2.0 * unit, 3.0 * unit]);
            let after = some(&[3.0 * unit, unit, 2.0 * unit]);
            let of_one = figures(&numbers(&[&before], &[&after]));
            for key in ["interval_disclosure_sd", "interval_disclosure_records_sd"] {
                let figure = find(&of_one, key).unwrap();
                assert_eq!(figure.value, None, "{key}");
                assert_eq!(figure.why_not.as_deref(), Some(TOO_LARGE));
            }
            assert_eq!(value(&of_one, "interval_disclosure_rank"), Some(0.0));
            let (small, flat) = (some(&[0.0, 0.0, 9.0]), some(&[0.0, 0.0, 0.0]));
            let of_two = figures(&numbers(&[&before, &small], &[&after, &flat]));
            let by_sd = find(&of_two, "interval_disclosure_sd").unwrap();
            assert_eq!(by_sd.value, Some(2.0 / 3.0));
            assert_eq!((by_sd.counted, by_sd.skipped), (3, 3));
            let of_records = value(&of_two, "interval_disclosure_records_sd");
            assert_eq!(of_records, Some(2.0 / 3.0));
        }
    }
}
