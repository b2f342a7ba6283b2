//! Risk without linkage: against slow programs that follow the definitions, and what must not change a figure.

use std::collections::{BTreeMap, BTreeSet};

use sdcrisk::{
    figure::{Figure, value},
    risk::{
        attribute,
        classes::KeyClasses,
        closeness,
        confidential::Confidential,
        diversity,
        individual::IndividualRisks,
        interval,
        suda::{Scoring, Suda, Wanted, minimal_uniques},
    },
    statement::MissingMatches,
    stats::keys::Keys,
    table::{AttrId, Table, pair::Pair},
};

use crate::random_files::{Cells, Dice, cells, table};

const RULES: [MissingMatches; 2] = [MissingMatches::Any, MissingMatches::Missing];

/// Files that chance makes, with and without gaps.
fn files(count: u64) -> impl Iterator<Item = (Dice, Cells)> {
    (0..count).map(|seed| {
        let mut dice = Dice(seed * 7919 + 11);
        let (records, attributes) = (3 + dice.roll(60) as usize, 2 + dice.roll(4) as usize);
        let gap = [0, 0, 4, 12][dice.roll(4) as usize];
        let cells = cells(&mut dice, records, attributes, gap);
        (dice, cells)
    })
}

/// Few values, so that keys repeat.
fn coarse(cells: &Cells) -> Cells {
    let few = |cell: &Option<i64>| cell.map(|value| value.rem_euclid(3));
    cells
        .iter()
        .map(|record| record.iter().map(few).collect())
        .collect()
}

/// The same with a value of its own for each gap.
fn without_gaps(cells: &Cells) -> Cells {
    let filled = |cell: &Option<i64>| Some(cell.unwrap_or(9));
    cells
        .iter()
        .map(|record| record.iter().map(filled).collect())
        .collect()
}

/// A file of the same people with other values: each shifted by up to five, some gaps more.
fn moved(dice: &mut Dice, cells: &Cells) -> Cells {
    let mut cell = |cell: &Option<i64>| {
        let value = (*cell)? + dice.roll(11) as i64 - 5;
        (dice.roll(30) > 0).then_some(value)
    };
    cells
        .iter()
        .map(|record| record.iter().map(&mut cell).collect())
        .collect()
}

fn pair(before: &Cells, after: &Cells) -> Pair {
    let (before, after) = (table(before), table(after));
    let ids: Vec<[AttrId; 2]> = before.ids().map(|id| [id, id]).collect();
    let n = before.n_records() as u32;
    let records: Vec<[u32; 2]> = (0..n).map(|record| [record, record]).collect();
    Pair::new([&before, &after], &ids, &records)
}

fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12,
        _ => a == b,
    }
}

/// Every value of a figure is a number inside its range, or there is a reason.
fn assert_sound(figures: &[Figure], context: &str) {
    for figure in figures {
        let key = figure.what.key;
        let inside = |value: f64| {
            let most = figure.what.most.unwrap_or(f64::INFINITY);
            value >= figure.what.least - 1e-12 && value <= most + 1e-12
        };
        match figure.value {
            Some(value) => assert!(inside(value), "{key} is {value} {context}"),
            None => assert!(figure.why_not.is_some(), "{key} {context}"),
        }
        for part in figure.parts.iter().filter_map(|part| part.value) {
            assert!(part.is_finite(), "{key} {context}");
        }
    }
}

/// The two forms by cell, cell by cell, from the definitions: sd by sums of squares, ranks by counting.
fn slow_interval(before: &Cells, after: &Cells) -> [Option<f64>; 2] {
    let width = before[0].len();
    let (mut by_sd, mut by_rank) = (Vec::new(), Vec::new());
    for j in 0..width {
        let present: Vec<f64> = before
            .iter()
            .filter_map(|r| r[j])
            .map(|x| x as f64)
            .collect();
        let mut masked: Vec<i64> = after.iter().filter_map(|r| r[j]).collect();
        masked.sort_unstable();
        let pairs: Vec<(i64, i64)> = before
            .iter()
            .zip(after)
            .filter_map(|(a, b)| Some((a[j]?, b[j]?)))
            .collect();
        if pairs.is_empty() {
            continue;
        }
        let n = present.len() as f64;
        let mean = present.iter().sum::<f64>() / n;
        let squares: f64 = present.iter().map(|x| (x - mean) * (x - mean)).sum();
        let sd = if n > 1.0 {
            (squares / (n - 1.0)).sqrt()
        } else {
            0.0
        };
        let (mut sd_shares, mut rank_shares) = (0.0, 0.0);
        for p in 1..=10_usize {
            let hits = pairs
                .iter()
                .filter(|(x, y)| ((x - y).abs() as f64) <= p as f64 / 100.0 * sd);
            sd_shares += hits.count() as f64 / pairs.len() as f64;
            let w = p * masked.len() / 200;
            let hit = |(x, y): &&(i64, i64)| {
                let lowest = masked.iter().filter(|&value| value < y).count();
                let highest = masked.iter().filter(|&value| value <= y).count() - 1;
                let low = masked[lowest.saturating_sub(w)];
                let high = masked[(highest + w).min(masked.len() - 1)];
                low <= *x && *x <= high
            };
            rank_shares += pairs.iter().filter(hit).count() as f64 / pairs.len() as f64;
        }
        by_sd.push(sd_shares / 10.0);
        by_rank.push(rank_shares / 10.0);
    }
    [by_sd, by_rank].map(|shares| {
        (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    })
}

#[test]
fn interval_disclosure_is_that_of_the_definition() {
    for (mut dice, cells) in files(40) {
        let cells = match dice.roll(5) {
            // Long enough for windows of several ranks.
            0 => crate::random_files::cells(&mut dice, 250, 3, 15),
            _ => cells,
        };
        let masked = moved(&mut dice, &cells);
        // A first attribute of which nothing is left would be no attribute of numbers.
        if (0..cells[0].len()).any(|j| {
            [&cells, &masked]
                .iter()
                .any(|f| f.iter().all(|r| r[j].is_none()))
        }) {
            continue;
        }
        let figures = interval::figures(&pair(&cells, &masked).numbers);
        assert_sound(&figures, "of a random pair");
        let [by_sd, by_rank] = slow_interval(&cells, &masked);
        assert!(
            close(value(&figures, "interval_disclosure_sd"), by_sd),
            "{cells:?}\n{masked:?}"
        );
        assert!(
            close(value(&figures, "interval_disclosure_rank"), by_rank),
            "{cells:?}\n{masked:?}"
        );
    }
}

#[test]
fn interval_disclosure_of_equal_files_is_whole_and_does_not_depend_on_units_or_order() {
    let mut dice = Dice(5);
    let before = cells(&mut dice, 80, 3, 0);
    let after = moved(&mut dice, &before);
    let after: Cells = after
        .iter()
        .zip(&before)
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.or(*b)).collect())
        .collect();
    for figure in interval::figures(&pair(&before, &before).numbers) {
        assert_eq!(figure.value, Some(1.0), "{}", figure.what.key);
    }
    let plain = interval::figures(&pair(&before, &after).numbers);
    // Eight times as large: exact in binary, so no comparison can turn.
    let scaled = |cells: &Cells| -> Cells {
        let times = |cell: &Option<i64>| cell.map(|value| value * 8);
        cells
            .iter()
            .map(|record| record.iter().map(times).collect())
            .collect()
    };
    assert_eq!(
        plain,
        interval::figures(&pair(&scaled(&before), &scaled(&after)).numbers)
    );
    let backwards = |cells: &Cells| -> Cells { cells.iter().rev().cloned().collect() };
    assert_eq!(
        plain,
        interval::figures(&pair(&backwards(&before), &backwards(&after)).numbers)
    );
}

fn key_of(table: &Table, width: usize) -> Vec<AttrId> {
    table.ids().take(width).collect()
}

/// Whether two keys match, by definition.
fn matches(a: &[Option<i64>], b: &[Option<i64>], rule: MissingMatches) -> bool {
    a.iter().zip(b).all(|(a, b)| match (rule, a, b) {
        (_, Some(a), Some(b)) => a == b,
        (MissingMatches::Any, ..) => true,
        (MissingMatches::Missing, a, b) => a == b,
    })
}

#[test]
fn matching_records_and_their_weights_are_those_counted_pair_by_pair() {
    for (mut dice, cells) in files(80) {
        let cells = coarse(&cells);
        let table = table(&cells);
        let width = 1 + dice.roll(cells[0].len() as u64) as usize;
        let weights: Vec<f64> = cells
            .iter()
            .map(|_| (1 + dice.roll(64)) as f64 / 8.0)
            .collect();
        for rule in RULES {
            let classes = KeyClasses::new(&table, &key_of(&table, width), rule);
            let keyed = |record: &[Option<i64>]| record[..width].iter().any(Option::is_some);
            let found = classes.weights(&weights);
            let mut least = u32::MAX;
            for (i, record) in cells.iter().enumerate() {
                let matching = |j: &usize| {
                    keyed(record)
                        && keyed(&cells[*j])
                        && matches(&record[..width], &cells[*j][..width], rule)
                };
                let matching: Vec<usize> = (0..cells.len()).filter(matching).collect();
                assert_eq!(classes.sizes()[i] as usize, matching.len(), "{cells:?}");
                // Eighths add up exactly.
                assert_eq!(
                    found[i],
                    matching.iter().map(|&j| weights[j]).sum::<f64>() + 0.0
                );
                least = if keyed(record) {
                    least.min(matching.len() as u32)
                } else {
                    least
                };
            }
            let figures = classes.figures(Some(4));
            assert_sound(&figures, "of a random file");
            let expected = (least != u32::MAX).then_some(f64::from(least));
            assert_eq!(value(&figures, "k_anonymity"), expected);
            if rule == MissingMatches::Any && expected.is_some() {
                let keys: Vec<&[Option<i64>]> =
                    cells.iter().map(|record| &record[..width]).collect();
                for k in [2, 3, 5] {
                    assert_gaps_by_definition(&classes.gap_figures(Some(k)), &keys, k);
                }
            }
        }
    }
}

/// Who reaches k by gaps only, counted pair by pair under both rules.
fn assert_gaps_by_definition(figures: &[Figure], keys: &[&[Option<i64>]], k: u32) {
    assert_sound(figures, "of gaps");
    let keyed: Vec<_> = (keys.iter())
        .filter(|key| key.iter().any(Option::is_some))
        .collect();
    let matching = |key: &[Option<i64>], rule| {
        let all = keyed.iter().filter(|other| matches(key, other, rule));
        all.count() as u32
    };
    let apart: Vec<u32> = (keyed.iter())
        .map(|key| matching(key, MissingMatches::Missing))
        .collect();
    let count = |records: usize| Some(records as f64);
    let below = |k: u32| count(apart.iter().filter(|&&size| size < k).count());
    let on_gaps = (keyed.iter().zip(&apart))
        .filter(|(key, apart)| **apart < k && matching(key, MissingMatches::Any) >= k)
        .count();
    assert_eq!(value(figures, "on_gaps"), count(on_gaps), "{keys:?}");
    assert_eq!(value(figures, "unique_gaps_apart"), below(2));
    assert_eq!(value(figures, "below_k_gaps_apart"), below(k));
    let least = apart.iter().min().map(|&least| f64::from(least));
    assert_eq!(value(figures, "k_anonymity_gaps_apart"), least);
}

fn of_table(table: &Table, place: usize) -> Confidential {
    Confidential::of_table(table, AttrId::new(place))
}

/// Every measure of a file, with its last attribute as the confidential one.
fn all_figures(cells: &Cells, rule: MissingMatches, weights: Option<&[f64]>) -> Vec<Figure> {
    let table = table(cells);
    let key = key_of(&table, table.n_attributes() - 1);
    let classes = KeyClasses::new(&table, &key, rule);
    let secret = [of_table(&table, table.n_attributes() - 1)];
    let mut figures = classes.figures(Some(4));
    figures.extend(IndividualRisks::new(&classes, weights).figures(&classes));
    let wanted = Wanted {
        most: 32,
        scoring: Scoring::Elliot,
        fraction: 0.05,
    };
    figures.extend(Suda::new(&classes, wanted).figures(&classes, &table.names(&key)));
    figures.extend(diversity::figures(
        &classes,
        &secret,
        diversity::Wanted { c: 2.0, l: Some(2) },
    ));
    figures.extend(closeness::figures(&classes, &secret, Some(0.3)));
    figures.push(attribute::homogeneity(&classes, &secret));
    figures
}

/// Sums in another order may end in another last digit.
fn assert_alike(a: &[Figure], b: &[Figure], context: &str) {
    for (a, b) in a.iter().zip(b) {
        assert!(
            close(a.value, b.value),
            "{} {:?} {:?} {context}",
            a.what.key,
            a.value,
            b.value
        );
    }
}

#[test]
fn no_figure_depends_on_the_order_of_records_or_of_the_key_or_on_the_names_of_values() {
    for (mut dice, cells) in files(40) {
        let cells = coarse(&cells);
        for rule in RULES {
            let plain = all_figures(&cells, rule, None);
            assert_sound(&plain, "of a random file");
            let mut shuffled = cells.clone();
            for i in (1..shuffled.len()).rev() {
                shuffled.swap(i, dice.roll(i as u64 + 1) as usize);
            }
            assert_alike(&plain, &all_figures(&shuffled, rule, None), "shuffled");
            let last = cells[0].len() - 1;
            let turned: Cells = cells
                .iter()
                .map(|record| {
                    record[..last]
                        .iter()
                        .rev()
                        .chain(&record[last..])
                        .copied()
                        .collect()
                })
                .collect();
            assert_alike(&plain, &all_figures(&turned, rule, None), "turned");
            // Other names for the values of the key, the confidential attribute kept.
            let renamed: Cells = cells
                .iter()
                .map(|record| {
                    let rename = |(place, cell): (usize, &Option<i64>)| {
                        if place == last {
                            *cell
                        } else {
                            cell.map(|value| 1000 - 7 * value)
                        }
                    };
                    record.iter().enumerate().map(rename).collect()
                })
                .collect();
            assert_alike(&plain, &all_figures(&renamed, rule, None), "renamed");
        }
    }
}

/// A wider key makes nobody safer. (With gaps it can: who misses all of the narrow key hides nobody on that.)
#[test]
fn risk_does_not_fall_when_the_intruder_knows_more() {
    for (_, cells) in files(60) {
        let cells = without_gaps(&coarse(&cells));
        let table = table(&cells);
        for width in 1..table.n_attributes() {
            let [narrow, wide] = [width, width + 1]
                .map(|width| KeyClasses::new(&table, &key_of(&table, width), MissingMatches::Any));
            let mut sizes = wide.sizes().iter().zip(narrow.sizes());
            assert!(sizes.all(|(wide, narrow)| wide <= narrow));
        }
    }
}

/// A record has a minimal unique if and only if it is unique, whatever gaps match; each minimal unique singles it out, and no part of it
/// does.
#[test]
fn minimal_uniques_belong_to_the_unique_records() {
    for rule in RULES {
        for (_, cells) in files(60) {
            minimal_uniques_of(&coarse(&cells), rule);
        }
    }
}

fn minimal_uniques_of(cells: &Cells, rule: MissingMatches) {
    {
        let table = table(cells);
        let key: Vec<AttrId> = table.ids().collect();
        let keys = Keys::of_table(&table, &key);
        let found = minimal_uniques(&keys, 32, rule);
        let with: BTreeSet<u32> = found.iter().map(|&(record, _)| record).collect();
        let classes = KeyClasses::of_keys(keys, rule);
        let unique: BTreeSet<u32> = (0..cells.len() as u32)
            .filter(|&record| classes.sizes()[record as usize] == 1)
            .collect();
        assert_eq!(with, unique);
        let alone = |record: u32, set: u32| {
            let same = |other: &&Vec<Option<i64>>| {
                let record = &cells[record as usize];
                other.iter().any(Option::is_some)
                    && (0..key.len()).all(|place| {
                        let here = place..place + 1;
                        set >> place & 1 == 0 || matches(&other[here.clone()], &record[here], rule)
                    })
            };
            cells.iter().filter(same).count() == 1
        };
        let pairs = found
            .iter()
            .flat_map(|(record, sets)| sets.iter().map(|&set| (*record, set)));
        for (record, set) in pairs {
            assert!(alone(record, set));
            let parts = (0..key.len())
                .filter(|place| set >> place & 1 == 1)
                .map(|place| set & !(1 << place));
            assert!(
                parts
                    .filter(|&part| part != 0)
                    .all(|part| !alone(record, part))
            );
        }
        // No set of a record is part of another one.
        for (_, sets) in &found {
            for a in sets {
                assert!(sets.iter().all(|b| a == b || a & b != *a));
            }
        }
    }
}

/// Diversity and closeness group by group: sets of values, and cumulative shares value by value.
#[test]
fn diversity_and_closeness_are_those_of_the_definition() {
    for (_, cells) in files(80) {
        let cells = coarse(&cells);
        let table = table(&cells);
        let last = cells[0].len() - 1;
        let secret = of_table(&table, last);
        let classes = KeyClasses::new(&table, &key_of(&table, last), MissingMatches::Missing);
        let mut groups: BTreeMap<Vec<Option<i64>>, Vec<i64>> = BTreeMap::new();
        for record in cells
            .iter()
            .filter(|record| record[..last].iter().any(Option::is_some))
        {
            let values = groups.entry(record[..last].to_vec()).or_default();
            values.extend(record[last]);
        }
        let everybody: Vec<i64> = cells.iter().filter_map(|record| record[last]).collect();
        let all: BTreeSet<i64> = everybody.iter().copied().collect();
        let share = |of: &[i64], upto: i64| {
            of.iter().filter(|&&value| value <= upto).count() as f64 / of.len() as f64
        };
        let (mut least, mut entropy, mut greatest) = (None, None, None);
        for values in groups.values().filter(|values| !values.is_empty()) {
            let different: BTreeSet<i64> = values.iter().copied().collect();
            least = Some(least.map_or(different.len(), |least: usize| least.min(different.len())));
            let of_group: f64 = different
                .iter()
                .map(|value| {
                    let p = values.iter().filter(|other| *other == value).count() as f64
                        / values.len() as f64;
                    -p * p.ln()
                })
                .sum();
            let number = of_group.max(0.0).exp();
            entropy = Some(entropy.map_or(number, |least: f64| least.min(number)));
            let distance: f64 = all
                .iter()
                .map(|&value| (share(values, value) - share(&everybody, value)).abs())
                .sum();
            let distance = if all.len() > 1 {
                distance / (all.len() - 1) as f64
            } else {
                0.0
            };
            greatest = Some(greatest.map_or(distance, |most: f64| most.max(distance)));
        }
        let secret = [Confidential {
            ordered: true,
            ..secret
        }];
        let wanted = diversity::Wanted { c: 2.0, l: None };
        let figures = diversity::figures(&classes, &secret, wanted);
        assert_eq!(
            value(&figures, "l_diversity"),
            least.map(|least| least as f64)
        );
        assert!(
            close(value(&figures, "entropy_l_diversity"), entropy),
            "{cells:?}"
        );
        let figures = closeness::figures(&classes, &secret, None);
        assert!(close(value(&figures, "t_closeness"), greatest), "{cells:?}");
    }
}

/// The nearest records by comparing with every masked one, the baseline by asking every masked one.
#[test]
fn inference_is_that_of_the_definition() {
    for (mut dice, cells) in files(40) {
        let masked = moved(&mut dice, &cells);
        let width = cells[0].len();
        if (0..width).any(|j| {
            [&cells, &masked]
                .iter()
                .any(|f| f.iter().all(|r| r[j].is_none()))
        }) {
            continue;
        }
        let column = |cells: &Cells, from: usize, to: usize| -> Cells {
            cells.iter().map(|r| r[from..to].to_vec()).collect()
        };
        let known = pair(
            &column(&cells, 0, width - 1),
            &column(&masked, 0, width - 1),
        );
        let secret = pair(
            &column(&cells, width - 1, width),
            &column(&masked, width - 1, width),
        );
        let figures = attribute::inference(&known, &secret, 0.1);
        assert_sound(&figures, "of a random pair");

        let range = |j: usize| {
            let values = cells.iter().chain(&masked).filter_map(|r| r[j]);
            (values.clone().max().unwrap() - values.min().unwrap()) as f64
        };
        let ranges: Vec<f64> = (0..width - 1).map(range).collect();
        let distance = |a: &[Option<i64>], b: &[Option<i64>]| {
            let apart = (0..width - 1).filter_map(|j| {
                let difference = (a[j]? - b[j]?).abs() as f64;
                Some(if ranges[j] > 0.0 {
                    difference / ranges[j]
                } else {
                    0.0
                })
            });
            let apart: Vec<f64> = apart.collect();
            (!apart.is_empty()).then(|| apart.iter().sum::<f64>() / apart.len() as f64)
        };
        let (mut attack, mut baseline, mut people) = (0.0, 0.0, 0);
        for person in &cells {
            let Some(truth) = person[width - 1] else {
                continue;
            };
            let right = |other: &&Vec<Option<i64>>| {
                other[width - 1]
                    .is_some_and(|guess| ((guess - truth).abs() as f64) <= 0.1 * truth.abs() as f64)
            };
            let distances: Vec<Option<f64>> =
                masked.iter().map(|other| distance(person, other)).collect();
            let least = distances
                .iter()
                .copied()
                .flatten()
                .fold(f64::INFINITY, f64::min);
            let nearest: Vec<&Vec<Option<i64>>> = masked
                .iter()
                .zip(&distances)
                .filter(|(_, d)| d.is_some_and(|d| d <= least + 1e-12))
                .map(|(other, _)| other)
                .collect();
            attack +=
                nearest.iter().copied().filter(right).count() as f64 / nearest.len().max(1) as f64;
            baseline += masked.iter().filter(right).count() as f64 / masked.len() as f64;
            people += 1;
        }
        let mean = |sum: f64| Some(sum / f64::from(people));
        assert!(
            close(
                value(&figures, "attribute_disclosure_inference"),
                mean(attack)
            ),
            "{cells:?}\n{masked:?}"
        );
        assert!(close(
            value(&figures, "attribute_disclosure_baseline"),
            mean(baseline)
        ));
    }
}
