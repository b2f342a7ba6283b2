//! Distance-based linkage and the intersection attack in their slowest and most obvious form, from the definitions and
//! nothing of the crate.

use crate::random_files::Cells;

/// Correct links under the three rules, and what the candidate sets were.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    pub fair: f64,
    pub strict: u64,
    pub optimistic: u64,
    pub certain: u64,
    pub certain_correct: u64,
    pub empty: u64,
    pub inside: u64,
    pub candidates: u64,
}

pub type Values = Vec<Vec<Option<f64>>>;

pub fn floats(cells: &Cells) -> Values {
    cells
        .iter()
        .map(|record| {
            record
                .iter()
                .map(|cell| cell.map(|value| value as f64))
                .collect()
        })
        .collect()
}

fn mean_and_variance(file: &Values, attribute: usize) -> (f64, f64) {
    let present: Vec<f64> = file.iter().filter_map(|record| record[attribute]).collect();
    let mean = present.iter().sum::<f64>() / present.len() as f64;
    let squares: f64 = present
        .iter()
        .map(|value| (value - mean) * (value - mean))
        .sum();
    (mean, squares / (present.len() - 1) as f64)
}

/// Sum over attributes of squared differences of z-scores; 2 where a side is missing.
pub fn distance(left: &[Option<f64>], right: &[Option<f64>], scales: &[[(f64, f64); 2]]) -> f64 {
    let mut sum = 0.0;
    for (attribute, [from, to]) in scales.iter().enumerate() {
        sum += match (left[attribute], right[attribute]) {
            (Some(a), Some(b)) => {
                let difference = (a - from.0) / from.1.sqrt() - (b - to.0) / to.1.sqrt();
                difference * difference
            }
            _ => 2.0,
        };
    }
    sum
}

/// Whether an original and a released value can be each other's rank swap: some position of the one in the sorted released
/// attribute lies within `window` of some position of the other. An original value that was not released stands in the
/// gap before position g: the positions on its two sides, g - 1 and g, are one rank away.
fn within_ranks(original: f64, released: f64, sorted: &[f64], window: usize) -> bool {
    let at = |value: f64| (0..sorted.len()).filter(move |&p| sorted[p] == value);
    let gap = sorted.iter().filter(|&&value| value < original).count();
    at(released).any(|b| {
        if at(original).next().is_some() {
            return at(original).any(|a| a.abs_diff(b) <= window);
        }
        let away = if b < gap { gap - b } else { b - gap + 1 };
        away <= window
    })
}

/// The same for a seeker and a sought record. What either side misses confines nothing, unless who misses it is known to look among those
/// who do, or who has it among those who have it (`in_place`, in this order).
fn possible(
    seeker: Option<f64>,
    sought: Option<f64>,
    sorted: &[f64],
    window: usize,
    released_is_sought: bool,
    in_place: [bool; 2],
) -> bool {
    let (Some(seeker), Some(sought)) = (seeker, sought) else {
        let excluded = match (seeker, sought) {
            (None, Some(_)) => in_place[0],
            (Some(_), None) => in_place[1],
            _ => false,
        };
        return !excluded;
    };
    if released_is_sought {
        within_ranks(seeker, sought, sorted, window)
    } else {
        within_ranks(sought, seeker, sorted, window)
    }
}

/// Links every record of `seekers`; `partner[i]` is the place of its true partner in `sought`, if it has one. `window` makes
/// it the intersection attack, by ranks in the file that `released_is_sought` names, and `in_place` says that gaps stay where they were.
pub fn count(
    seekers: &Values,
    sought: &Values,
    partner: &[Option<usize>],
    window: Option<usize>,
    released_is_sought: bool,
    in_place: bool,
) -> Counts {
    let in_place = [in_place; 2];
    count_by_gaps(
        seekers,
        sought,
        partner,
        window,
        released_is_sought,
        in_place,
    )
}

/// The same where gaps may be known to stay in place in one way only, for instance because some were added.
pub fn count_by_gaps(
    seekers: &Values,
    sought: &Values,
    partner: &[Option<usize>],
    window: Option<usize>,
    released_is_sought: bool,
    in_place: [bool; 2],
) -> Counts {
    let width = seekers.first().map_or(0, Vec::len);
    let released = if released_is_sought { sought } else { seekers };
    let sorted: Vec<Vec<f64>> = (0..width)
        .map(|attribute| {
            let mut values: Vec<f64> = released
                .iter()
                .filter_map(|record| record[attribute])
                .collect();
            values.sort_by(f64::total_cmp);
            values
        })
        .collect();
    judge(seekers, sought, partner, window.is_some(), &|i, j| {
        window.is_none_or(|window| {
            (0..width).all(|k| {
                possible(
                    seekers[i][k],
                    sought[j][k],
                    &sorted[k],
                    window,
                    released_is_sought,
                    in_place,
                )
            })
        })
    })
}

/// The same where it is said of every pair whether it is possible, and the partner of each record stands at its place.
pub fn count_among(
    seekers: &Values,
    sought: &Values,
    possible: &dyn Fn(usize, usize) -> bool,
) -> Counts {
    let each: Vec<Option<usize>> = (0..seekers.len()).map(Some).collect();
    judge(seekers, sought, &each, true, possible)
}

/// Mean and variance of each attribute in both files.
pub fn scales(seekers: &Values, sought: &Values) -> Vec<[(f64, f64); 2]> {
    let of = |attribute| [seekers, sought].map(|file| mean_and_variance(file, attribute));
    (0..seekers.first().map_or(0, Vec::len)).map(of).collect()
}

fn judge(
    seekers: &Values,
    sought: &Values,
    partner: &[Option<usize>],
    has_sets: bool,
    possible: &dyn Fn(usize, usize) -> bool,
) -> Counts {
    let scales = scales(seekers, sought);
    let mut counts = Counts {
        fair: 0.0,
        strict: 0,
        optimistic: 0,
        certain: 0,
        certain_correct: 0,
        empty: 0,
        inside: 0,
        candidates: 0,
    };
    for (i, seeker) in seekers.iter().enumerate() {
        let candidates: Vec<usize> = (0..sought.len()).filter(|&j| possible(i, j)).collect();
        counts.candidates += candidates.len() as u64;
        counts.empty += u64::from(candidates.is_empty());
        let mate = partner[i].filter(|mate| candidates.contains(mate));
        counts.inside += u64::from(mate.is_some());
        if has_sets && candidates.len() == 1 {
            counts.certain += 1;
            counts.certain_correct += u64::from(mate.is_some());
        }
        let Some(mate) = mate else {
            continue;
        };
        let mine = distance(seeker, &sought[mate], &scales);
        // Equal in real arithmetic; the oracle's roundings are forgiven.
        let slack = 1e-9 * mine + 1e-20;
        let others: Vec<f64> = candidates
            .iter()
            .map(|&j| distance(seeker, &sought[j], &scales))
            .collect();
        if others.iter().any(|&other| other < mine - slack) {
            continue;
        }
        let tied = others
            .iter()
            .filter(|&&other| other <= mine + slack)
            .count();
        counts.fair += 1.0 / tied as f64;
        counts.strict += u64::from(tied == 1);
        counts.optimistic += 1;
    }
    counts
}
