//! Optima of learned distances by brute force, on grids of small whole numbers: files full of ties.
//!
//! Without standardisation every row is of whole numbers. That records cannot all be linked is a system of inequalities without a
//! solution, decided in whole numbers ([`conflict`]); so is the recount of the parameters.

use std::sync::Arc;

use sdcrisk::{
    attack::{
        Direction,
        distance_based::Standardize,
        learned::{Learner, family::Family},
    },
    evaluate::{
        link::{Assign, Study, shared_attributes},
        truth::{OriginalRecord, Truth},
    },
    optimize::subsystem::{Patient, portfolio::Engine},
};

use super::random_files::{Cells, Dice, table};

/// Whether no p has `v·p > 0` for all `rows` and `g·p ≥ 0` for all of `cone`: by Farkas, whether some multipliers λ, η ≥ 0 with Σ λ = 1 make
/// Σ λ v + Σ η g = 0. Found by the first phase of the simplex method with Bland's rule, in whole numbers: after each pivot all of the
/// tableau has the last pivot as its denominator, and the division is exact (Edmonds).
fn conflict(rows: &[&Vec<i128>], cone: &[Vec<i128>]) -> bool {
    let columns: Vec<(&Vec<i128>, i128)> = rows
        .iter()
        .map(|row| (*row, 1))
        .chain(cone.iter().map(|row| (row, 0)))
        .collect();
    let (n, dimension) = (columns.len(), rows[0].len());
    let mut tableau: Vec<Vec<i128>> = (0..=dimension)
        .map(|i| {
            let cell = |&(row, one): &(&Vec<i128>, i128)| if i < dimension { row[i] } else { one };
            let right = i128::from(i == dimension);
            columns.iter().map(cell).chain([right]).collect()
        })
        .collect();
    // The sum of what is still missing, to be made 0.
    let missing: Vec<i128> = (0..=n)
        .map(|j| tableau.iter().map(|row| row[j]).sum())
        .collect();
    tableau.push(missing);
    let mut basis: Vec<usize> = (0..=dimension).map(|i| n + i).collect();
    let mut denominator = 1;
    while tableau[dimension + 1][n] != 0 {
        let Some(enters) = (0..n).find(|&j| tableau[dimension + 1][j] > 0) else {
            return false;
        };
        let positive = (0..=dimension).filter(|&i| tableau[i][enters] > 0);
        let leaves = positive.min_by(|&a, &b| {
            let (a_ratio, b_ratio) = (
                tableau[a][n] * tableau[b][enters],
                tableau[b][n] * tableau[a][enters],
            );
            a_ratio.cmp(&b_ratio).then(basis[a].cmp(&basis[b]))
        });
        let leaves = leaves.unwrap();
        let pivot_row = tableau[leaves].clone();
        let pivot = pivot_row[enters];
        for (i, row) in tableau.iter_mut().enumerate() {
            let factor = row[enters];
            if i != leaves {
                for (cell, &other) in row.iter_mut().zip(&pivot_row) {
                    *cell = (*cell * pivot - factor * other) / denominator;
                }
            }
        }
        denominator = pivot;
        basis[leaves] = enters;
    }
    true
}

/// x + 1 = 1 has no positive solution and x = 1 has: −x > 0 with x ≥ 0 is a conflict, x > 0 is none; x > y > z > x is one in three rows
/// and none in two.
#[test]
fn conflicts_by_hand() {
    assert!(conflict(&[&vec![-1]], &[vec![1]]));
    assert!(conflict(&[&vec![0]], &[vec![1]]));
    assert!(!conflict(&[&vec![1]], &[vec![1]]));
    let circle = [vec![1, -1, 0], vec![0, 1, -1], vec![-1, 0, 1]];
    assert!(conflict(&circle.iter().collect::<Vec<_>>(), &[]));
    assert!(!conflict(&circle[..2].iter().collect::<Vec<_>>(), &[]));
}

/// What the parameters of a family multiply, from its definition; `d` are the differences with their sign.
fn features(family: Family, d: &[i128]) -> Vec<i128> {
    let n = d.len();
    let squares: Vec<i128> = d.iter().map(|d| d * d).collect();
    let pairs = || (0..n).flat_map(move |k| (k + 1..n).map(move |l| (k, l)));
    match family {
        Family::WeightedMean | Family::WeightedMeanMetric => squares,
        Family::OrderedWeightedMean => {
            let mut sorted = squares;
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            sorted
        }
        // Σ_A μ(A) (min over A − max over the rest), where that is positive.
        Family::Choquet | Family::ChoquetMetric => (1..1_usize << n)
            .map(|set| {
                let (inside, outside): (Vec<usize>, Vec<usize>) =
                    (0..n).partition(|k| set >> k & 1 == 1);
                let least = inside.iter().map(|&k| squares[k]).min().unwrap();
                let most = outside.iter().map(|&k| squares[k]).max().unwrap_or(0);
                (least - most).max(0)
            })
            .collect(),
        Family::ChoquetTwoAdditive => {
            let least = pairs().map(|(k, l)| squares[k].min(squares[l]));
            squares.iter().copied().chain(least).collect()
        }
        _ => {
            let products = pairs().map(|(k, l)| 2 * d[k] * d[l]);
            squares.iter().copied().chain(products).collect()
        }
    }
}

/// The cone of the family's parameters, its scale left open; of sb-pd one that holds it.
fn cone(family: Family, n: usize, of_pairs: &[Vec<i128>]) -> Vec<Vec<i128>> {
    let dimension = features(family, &vec![0; n]).len();
    let unit = |entries: &[(usize, i128)]| {
        let mut row = vec![0; dimension];
        for &(place, value) in entries {
            row[place] += value;
        }
        row
    };
    // μ(A), A a set of bits; the empty set is worth 0.
    let measure = |terms: &[(usize, i128)]| {
        let places: Vec<(usize, i128)> = terms
            .iter()
            .filter(|term| term.0 > 0)
            .map(|&(set, value)| (set - 1, value))
            .collect();
        unit(&places)
    };
    let mut rows = Vec::new();
    match family {
        Family::WeightedMean | Family::WeightedMeanMetric | Family::OrderedWeightedMean => {
            rows.extend((0..n).map(|k| unit(&[(k, 1)])));
        }
        Family::Choquet | Family::ChoquetMetric => {
            for set in 0..1_usize << n {
                for k in (0..n).filter(|k| set >> k & 1 == 0) {
                    rows.push(measure(&[(set | 1 << k, 1), (set, -1)]));
                    for l in (k + 1..n).filter(|l| set >> l & 1 == 0) {
                        if family == Family::ChoquetMetric {
                            let (a, b) = (set | 1 << k, set | 1 << l);
                            rows.push(measure(&[(a, 1), (b, 1), (a | b, -1), (set, -1)]));
                        }
                    }
                }
            }
        }
        Family::ChoquetTwoAdditive => {
            let pairs: Vec<(usize, usize)> = (0..n)
                .flat_map(|k| (k + 1..n).map(move |l| (k, l)))
                .collect();
            for k in 0..n {
                for set in (0..1_usize << n).filter(|set| set >> k & 1 == 0) {
                    let mut terms = vec![(k, 1)];
                    for (place, &(a, b)) in pairs.iter().enumerate() {
                        let other = if a == k { b } else { a };
                        if (a == k || b == k) && set >> other & 1 == 1 {
                            terms.push((n + place, 1));
                        }
                    }
                    rows.push(unit(&terms));
                }
            }
        }
        Family::Bilinear => {}
        Family::BilinearNonNegative => rows.extend_from_slice(of_pairs),
        // uᵀ S u ≥ 0 in these directions.
        Family::BilinearDefinite => {
            let reach: i128 = if n < 3 { 9 } else { 4 };
            let width = 2 * reach + 1;
            for number in 0..width.pow(n as u32) {
                let u: Vec<i128> = (0..n)
                    .map(|k| number / width.pow(k as u32) % width - reach)
                    .collect();
                if u.iter().find(|u| **u != 0).is_some_and(|first| *first > 0) {
                    rows.push(features(family, &u));
                }
            }
        }
    }
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Whether `size` records can all be linked; each has its rows.
fn some_can(size: usize, records: &[Vec<Vec<i128>>], cone: &[Vec<i128>]) -> bool {
    fn grow(
        chosen: &mut Vec<usize>,
        from: usize,
        size: usize,
        records: &[Vec<Vec<i128>>],
        cone: &[Vec<i128>],
    ) -> bool {
        if chosen.len() == size {
            return true;
        }
        for next in from..=records.len() - (size - chosen.len()) {
            chosen.push(next);
            let rows: Vec<&Vec<i128>> =
                chosen.iter().flat_map(|&record| &records[record]).collect();
            if (rows.is_empty() || !conflict(&rows, cone))
                && grow(chosen, next + 1, size, records, cone)
            {
                return true;
            }
            chosen.pop();
        }
        false
    }
    size <= records.len() && grow(&mut Vec::new(), 0, size, records, cone)
}

/// Two files of whole numbers from a small grid: masked by a little noise, by none at all in an attribute, by another order, or unrelated;
/// with duplicates and constants.
fn grid(dice: &mut Dice) -> (Cells, Cells) {
    let records = 4 + dice.roll(5) as usize;
    let attributes = 1 + dice.roll(3) as usize;
    let values = 2 + dice.roll(4);
    let mut original: Cells = (0..records)
        .map(|_| {
            (0..attributes)
                .map(|_| Some(dice.roll(values) as i64))
                .collect()
        })
        .collect();
    if dice.roll(3) == 0 {
        original[1] = original[0].clone();
    }
    let mut masked = original.clone();
    for k in 0..attributes {
        match dice.roll(5) {
            0 => {
                for record in &mut masked {
                    record[k] = Some(dice.roll(values) as i64);
                }
            }
            1 => {
                for last in (1..records).rev() {
                    let other = dice.roll(last as u64 + 1) as usize;
                    let swapped = masked[last][k];
                    masked[last][k] = masked[other][k];
                    masked[other][k] = swapped;
                }
            }
            2 if dice.roll(8) == 0 => {
                for record in &mut masked {
                    record[k] = Some(1);
                }
            }
            _ => {
                for record in &mut masked {
                    record[k] = record[k].map(|value| value + dice.roll(3) as i64 - 1);
                }
            }
        }
    }
    if dice.roll(4) == 0 {
        masked[records - 1] = masked[0].clone();
    }
    (original, masked)
}

/// What the program finds: strict links, recounted by the attack; the bound; the parameters; and which attributes it knew.
struct Found {
    strict: usize,
    bound: usize,
    parameters: Vec<f64>,
    known: Vec<usize>,
}

fn learn(
    (original, masked): (&Cells, &Cells),
    family: Family,
    engine: Engine,
    standardize: Standardize,
) -> Option<Found> {
    let (original, masked) = (table(original), table(masked));
    let truth = Truth::by_order(&original, &masked).unwrap();
    let everybody = (0..)
        .take(original.n_records())
        .map(OriginalRecord)
        .collect();
    let study = Study::new(
        &original,
        &masked,
        &truth,
        everybody,
        Direction::OriginalToMasked,
    );
    let (known, _) = shared_attributes(&original, &masked, None);
    if known.is_empty() {
        return None;
    }
    let case = study.case(&known);
    let learner = Learner {
        family,
        standardize,
        engine,
        keeps_proof: false,
        wants_ranges: false,
        watch: Arc::new(Patient),
    };
    let lesson = case.learn(&learner).unwrap();
    let score = case
        .attack(&lesson.distance, Assign::Best, false)
        .unwrap()
        .score;
    let with_links = case
        .attack(&lesson.distance, Assign::Best, true)
        .unwrap()
        .score;
    assert_eq!(score.strict, with_links.strict, "with links or without");
    assert_eq!(score.strict as usize, lesson.linked, "recounted");
    Some(Found {
        strict: lesson.linked,
        bound: lesson.bound,
        parameters: lesson.distance.parameters,
        known: known
            .iter()
            .map(|shared| {
                (0..)
                    .zip(original.ids())
                    .find(|id| id.1 == shared.original)
                    .unwrap()
                    .0
            })
            .collect(),
    })
}

/// The rows of each record: what each competitor's features are more than the partner's, without standardisation.
fn rows(family: Family, original: &Cells, masked: &Cells, known: &[usize]) -> Vec<Vec<Vec<i128>>> {
    let of = |a: usize, b: usize| -> Vec<i128> {
        let differences: Vec<i128> = known
            .iter()
            .map(|&k| i128::from(original[a][k].unwrap() - masked[b][k].unwrap()))
            .collect();
        features(family, &differences)
    };
    let n = original.len();
    (0..n)
        .map(|i| {
            let own = of(i, i);
            let row = |j| of(i, j).iter().zip(&own).map(|(a, b)| a - b).collect();
            (0..n).filter(|&j| j != i).map(row).collect()
        })
        .collect()
}

/// Files of the oracle: as many as issue 14 asks for.
const FILES: u64 = 400;

fn engine(family: Family, file: u64) -> Engine {
    match (file % 4, family.is_mean()) {
        (0 | 1, _) => Engine::Branch,
        (2, true) => Engine::Cone,
        _ => Engine::Auto,
    }
}

#[track_caller]
fn check(family: Family) {
    let mut dice = Dice(14);
    let (mut undecided, mut open) = (0, 0);
    for file in 0..FILES {
        let (original, masked) = grid(&mut dice);
        let what = format!("{} file {file}: {original:?} {masked:?}", family.name());
        let files = (&original, &masked);
        let Some(found) = learn(files, family, engine(family, file), Standardize::None) else {
            continue;
        };
        if family == Family::BilinearDefinite && found.strict < found.bound {
            open += 1;
        } else {
            assert_eq!(found.strict, found.bound, "proven: {what}");
        }
        let rows = rows(family, &original, &masked, &found.known);
        // Multiples of 2^-90, exactly.
        let parameters: Vec<i128> = found
            .parameters
            .iter()
            .map(|p| (p * 2.0_f64.powi(90)) as i128)
            .collect();
        let value =
            |row: &Vec<i128>| -> i128 { row.iter().zip(&parameters).map(|(v, p)| v * p).sum() };
        let linked = rows
            .iter()
            .filter(|rows| rows.iter().all(|row| value(row) > 0));
        assert_eq!(
            linked.count(),
            found.strict,
            "recounted in whole numbers: {what}"
        );
        let pairs: Vec<Vec<i128>> = original
            .iter()
            .flat_map(|a| {
                masked.iter().map(|b| {
                    let differences: Vec<i128> = found
                        .known
                        .iter()
                        .map(|&k| i128::from(a[k].unwrap() - b[k].unwrap()))
                        .collect();
                    features(family, &differences)
                })
            })
            .collect();
        let cone = cone(family, found.known.len(), &pairs);
        if some_can(found.bound + 1, &rows, &cone) {
            assert_eq!(
                family,
                Family::BilinearDefinite,
                "an optimum missed: {what}"
            );
            undecided += 1;
        }
    }
    assert!(undecided <= FILES / 50, "{undecided} undecided");
    // What only just no definite form does, no finite number of directions shows to be impossible: 56 of these files.
    assert!(open <= FILES / 6, "{open} without a proof");
}

#[test]
fn weighted_means_are_optimal_on_grids() {
    check(Family::WeightedMean);
    check(Family::WeightedMeanMetric);
}

#[test]
fn ordered_means_are_optimal_on_grids() {
    check(Family::OrderedWeightedMean);
}

#[test]
fn choquet_integrals_are_optimal_on_grids() {
    check(Family::Choquet);
}

#[test]
fn metric_choquet_integrals_are_optimal_on_grids() {
    check(Family::ChoquetMetric);
}

#[test]
fn two_additive_integrals_are_optimal_on_grids() {
    check(Family::ChoquetTwoAdditive);
}

#[test]
fn forms_are_optimal_on_grids() {
    check(Family::Bilinear);
}

#[test]
fn non_negative_forms_are_optimal_on_grids() {
    check(Family::BilinearNonNegative);
}

#[test]
fn definite_forms_are_optimal_on_grids() {
    check(Family::BilinearDefinite);
}

/// Standardised, the same grids: distances of each file by its own means and sds, so that values are rounded before they are compared. Every
/// engine proves the optimum of every other, and the recount is what was learned.
#[test]
fn standardised_grids_have_one_optimum() {
    let mut dice = Dice(15);
    for file in 0..FILES {
        let (original, masked) = grid(&mut dice);
        let family = Family::ALL[file as usize % 9];
        let optima: Vec<(usize, usize)> = [Engine::Auto, engine(family, file), Engine::Branch]
            .into_iter()
            .filter_map(|engine| learn((&original, &masked), family, engine, Standardize::Own))
            .map(|found| (found.strict, found.bound))
            .collect();
        let first = optima.first().copied().unwrap_or_default();
        let is_right = |&(strict, bound): &(usize, usize)| match family {
            // Not always proven, as above.
            Family::BilinearDefinite => optima.iter().all(|other| strict <= other.1),
            _ => (strict, bound) == (first.0, first.0),
        };
        assert!(
            optima.iter().all(is_right),
            "{} file {file}: {optima:?} {original:?} {masked:?}",
            family.name()
        );
    }
}
