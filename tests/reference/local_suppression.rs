//! Local suppression on the test file of sdcMicro (4580 records).

use std::collections::BTreeMap;

use sdcrisk::{
    mask::{
        Details, Mask,
        suppress::{Rules, Suppress},
    },
    rng::{Purpose, Seed},
    statement::MissingMatches,
    table::Table,
};

const KEY: [&str; 7] = [
    "urbrur", "roof", "walls", "water", "electcon", "relat", "sex",
];

fn keys(table: &Table) -> Vec<Vec<Option<String>>> {
    let ids: Vec<_> = KEY.iter().map(|name| table.find(name).unwrap()).collect();
    let cell =
        |record, id| (!table.is_missing(record, id)).then(|| table.text(record, id).into_owned());
    (0..table.n_records())
        .map(|record| ids.iter().map(|&id| cell(record, id)).collect())
        .collect()
}

/// How many records match fewer than k, pair by pair over different keys.
fn violators(keys: &[Vec<Option<String>>], k: usize, missing: MissingMatches) -> usize {
    let mut sizes: BTreeMap<&Vec<Option<String>>, usize> = BTreeMap::new();
    for key in keys.iter().filter(|key| key.iter().any(Option::is_some)) {
        *sizes.entry(key).or_default() += 1;
    }
    let matches = |a: &[Option<String>], b: &[Option<String>]| {
        a.iter().zip(b).all(|(a, b)| match missing {
            MissingMatches::Any => a.is_none() || b.is_none() || a == b,
            MissingMatches::Missing => a == b,
        })
    };
    (sizes.iter())
        .filter(|(key, _)| {
            let matching: usize = sizes
                .iter()
                .filter(|(other, _)| matches(key, other))
                .map(|(_, n)| n)
                .sum();
            matching < k
        })
        .map(|(_, n)| n)
        .sum()
}

/// sdcMicro prints for this file 157 records that violate 2-anonymity and 281 that violate 3-anonymity (Statistical
/// Disclosure Control: A Practice Guide, section on sdcMicro, where the attributes bear other names).
#[test]
fn the_violators_are_those_of_sdcmicro() {
    let Some(original) = crate::table("testdata.csv") else {
        return;
    };
    assert_eq!(violators(&keys(&original), 2, MissingMatches::Any), 157);
    assert_eq!(violators(&keys(&original), 3, MissingMatches::Any), 281);
}

#[test]
fn the_test_file_becomes_3_anonymous_by_few_cells() {
    let Some(original) = crate::table("testdata.csv") else {
        return;
    };
    for missing in [MissingMatches::Any, MissingMatches::Missing] {
        let key = KEY.map(str::to_owned).to_vec();
        let method = Suppress::new(Rules::new(3, key, missing).unwrap());
        let on = method.attributes(&original).unwrap();
        let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
        let masked = method.mask(original.clone(), &on, &streams).unwrap();
        let Details::Suppression(outcome) = &masked.details else {
            panic!()
        };
        assert_eq!(outcome.violators, violators(&keys(&original), 3, missing));
        assert_eq!(violators(&keys(&masked.table), 3, missing), 0);
        let cells: usize = outcome.suppressed.iter().sum();
        println!(
            "{missing:?}: {} violators, {cells} cells of {} records",
            outcome.violators, outcome.touched
        );
        // With gaps that match everything one cell may serve several records; one cell a violator is what a plain
        // method takes at least, if the cell is well chosen.
        if missing == MissingMatches::Any {
            assert!(cells <= outcome.violators, "{cells}");
        }
    }
}
