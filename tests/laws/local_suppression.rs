//! Local suppression: k-anonymity by a slow recount, few cells by an exhaustive search, nothing without need.

use sdcrisk::{
    mask::{
        Details, Mask, Masked,
        suppress::{Outcome, Rules, Suppress},
    },
    rng::{Purpose, Seed},
    statement::MissingMatches,
    table::Table,
};

use crate::random_files::{Cells, Dice, parse, table};

const RULES: [MissingMatches; 2] = [MissingMatches::Any, MissingMatches::Missing];

fn key(width: usize) -> Vec<String> {
    (0..width).map(|place| format!("a{place}")).collect()
}

fn apply(rules: Rules, original: Table) -> Masked {
    let method = Suppress::new(rules);
    let on = method.attributes(&original).unwrap();
    let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
    method.mask(original, &on, &streams).unwrap()
}

fn outcome(masked: &Masked) -> &Outcome {
    match &masked.details {
        Details::Suppression(outcome) => outcome,
        other => panic!("{other:?}"),
    }
}

fn written(masked: &Masked) -> Cells {
    let mut bytes = Vec::new();
    masked.table.write(&mut bytes).unwrap();
    parse(&String::from_utf8(bytes).unwrap())
}

/// Whether two keys match, by definition.
fn matches(a: &[Option<i64>], b: &[Option<i64>], missing: MissingMatches) -> bool {
    a.iter().zip(b).all(|(a, b)| match (missing, a, b) {
        (_, Some(a), Some(b)) => a == b,
        (MissingMatches::Any, ..) => true,
        (MissingMatches::Missing, a, b) => a == b,
    })
}

/// Records with a value of the key that match fewer than k such records, counted pair by pair.
fn violators(cells: &Cells, k: usize, missing: MissingMatches) -> usize {
    let few = |record: &&Vec<Option<i64>>| {
        let matching = cells
            .iter()
            .filter(|other| other.iter().any(Option::is_some) && matches(record, other, missing));
        record.iter().any(Option::is_some) && matching.count() < k
    };
    cells.iter().filter(few).count()
}

/// Categories with few values, skewed, some missing.
fn categories(dice: &mut Dice, records: usize, width: usize, sides: u64, gap: u64) -> Cells {
    let cell = |dice: &mut Dice| {
        let value = dice.roll(sides).min(dice.roll(sides)) as i64;
        (gap == 0 || dice.roll(gap) != 0).then_some(value)
    };
    let record = |_| (0..width).map(|_| cell(dice)).collect();
    (0..records).map(record).collect()
}

#[test]
fn every_record_matches_k_by_a_slow_recount() {
    let mut dice = Dice(11);
    for round in 0..300 {
        let width = 1 + round % 5;
        let n = 12 + dice.roll(150) as usize;
        let (sides, gap) = (2 + dice.roll(9), [0, 3, 10][round % 3]);
        let cells = categories(&mut dice, n, width, sides, gap);
        let k = 2 + dice.roll(5) as usize;
        for missing in RULES {
            let rules = Rules::new(k, key(width), missing).unwrap();
            let masked = apply(rules, table(&cells));
            let after = written(&masked);
            let found = outcome(&masked);
            assert_eq!(violators(&after, k, missing), 0, "{round} {missing:?}");
            assert_eq!(
                found.violators,
                violators(&cells, k, missing),
                "{round} {missing:?}"
            );
            let gone: usize = found.suppressed.iter().sum();
            let mut counted = 0;
            for (new, old) in after.iter().flatten().zip(cells.iter().flatten()) {
                assert!(new.is_none() || new == old, "a value changed");
                counted += usize::from(new != old);
            }
            assert_eq!(gone, counted);
            assert_eq!(gone == 0, found.violators == 0, "nothing without need");
        }
    }
}

/// Wide keys are searched differently.
#[test]
fn wide_keys_reach_k_too() {
    let mut dice = Dice(5);
    for width in [9, 11, 12] {
        let cells = categories(&mut dice, 60, width, 3, 8);
        for missing in RULES {
            let masked = apply(Rules::new(3, key(width), missing).unwrap(), table(&cells));
            assert_eq!(
                violators(&written(&masked), 3, missing),
                0,
                "{width} {missing:?}"
            );
        }
    }
}

/// No cell that was suppressed for k can be given back alone, where a missing value matches every value.
#[test]
fn every_suppressed_cell_is_needed() {
    let mut dice = Dice(23);
    for round in 0..60 {
        let cells = categories(&mut dice, 40, 3, 5, [0, 6][round % 2]);
        let masked = apply(
            Rules::new(3, key(3), MissingMatches::Any).unwrap(),
            table(&cells),
        );
        let mut after = written(&masked);
        for record in 0..cells.len() {
            for place in 0..3 {
                if after[record][place] != cells[record][place] {
                    after[record][place] = cells[record][place];
                    assert!(
                        violators(&after, 3, MissingMatches::Any) > 0,
                        "{round}: {record}, {place}"
                    );
                    after[record][place] = None;
                }
            }
        }
    }
}

/// The least cost of suppressed cells, by trying all sets of cells; importance is 1, 2, 3, ... from the first attribute.
fn least(cells: &Cells, k: usize, missing: MissingMatches, importance: &[f64]) -> f64 {
    let width = importance.len();
    let bits = cells.len() * width;
    let mut best = f64::INFINITY;
    for set in 0_u32..1 << bits {
        let chosen = (0..bits).filter(|bit| set >> bit & 1 == 1);
        let cost: f64 = chosen.clone().map(|bit| importance[bit % width]).sum();
        if cost >= best {
            continue;
        }
        let mut masked = cells.clone();
        for bit in chosen {
            masked[bit / width][bit % width] = None;
        }
        if violators(&masked, k, missing) == 0 {
            best = cost;
        }
    }
    best
}

#[test]
fn few_cells_go_by_an_exhaustive_search() {
    for missing in RULES {
        let mut dice = Dice(77);
        let (mut total, mut minimal) = (0.0, 0.0);
        for round in 0..60 {
            let (n, width) = [(8, 2), (5, 3), (6, 2), (7, 2), (8, 1)][round % 5];
            let cells = categories(&mut dice, n, width, 3, [0, 7][round % 2]);
            let importance: Vec<f64> = match round % 3 {
                0 => (1..=width).map(|place| place as f64).collect(),
                _ => vec![1.0; width],
            };
            let k = 2 + round % 2;
            let sections: String = (importance.iter().enumerate())
                .map(|(place, weight)| format!("a{place} = {weight}\n"))
                .collect();
            let word = if missing == MissingMatches::Any {
                "any"
            } else {
                "missing"
            };
            let rules = Rules::parse(
                "r.toml",
                &format!(
                    "k = {k}\nkey = {:?}\nmissing-matches = {word:?}\n[importance]\n{sections}",
                    key(width)
                ),
            );
            let masked = apply(rules.unwrap(), table(&cells));
            let suppressed = &outcome(&masked).suppressed;
            let cost: f64 = suppressed
                .iter()
                .zip(&importance)
                .map(|(&n, weight)| n as f64 * weight)
                .sum();
            let best = least(&cells, k, missing, &importance);
            assert!(cost >= best, "below the minimum: {cells:?}");
            total += cost;
            minimal += best;
        }
        // On these files 137 for 133 (any) and 350 for 319 (missing) when this was written.
        assert!(
            total <= 1.25 * minimal,
            "{missing:?}: {total} for {minimal}"
        );
    }
}
