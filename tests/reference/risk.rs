//! Risk without linkage on the reference files.

use sdcrisk::{
    figure::value,
    risk::{
        classes::KeyClasses,
        individual::{self, IndividualRisks},
        suda::minimal_uniques,
    },
    statement::MissingMatches,
    table::{AttrId, Table},
};

use super::table;

fn key(table: &Table, names: &[&str]) -> Vec<AttrId> {
    names.iter().map(|name| table.find(name).unwrap()).collect()
}

/// sdcMicro's `testdata` with its seven categorical keys: 157 records violate 2-anonymity and 281 3-anonymity, as `print(sdc)` of sdcMicro
/// 5.8.1 says.
#[test]
fn violators_of_the_household_survey() {
    let Some(table) = table("testdata.csv") else {
        return;
    };
    let names = [
        "urbrur", "roof", "walls", "water", "electcon", "relat", "sex",
    ];
    let classes = KeyClasses::new(&table, &key(&table, &names), MissingMatches::Any);
    let figures = classes.figures(None);
    assert_eq!(value(&figures, "below_k_2"), Some(157.0));
    assert_eq!(value(&figures, "below_k_3"), Some(281.0));
    assert_eq!(value(&figures, "unique"), Some(157.0));
}

/// The toy file of Capobianchi, Polettini and Lucarelli, by hand. Keys: records 1 and 8 are (1,2,5,1), 2 and 3 (1,2,1,1), 4 (3,3,1,5),
/// 5 (4,3,1,4), 6 (4,3,1,1), 7 (6,2,1,5). Weights: 18 + 92 = 110; 45.5 + 39 = 84.5; 17; 541; 8; 5.
///
/// Risks: f = 1: p = 1/F, p/(1 − p) ln(1/p) = ln F / (F − 1): ln 17 / 16, ln 541 / 540, ln 8 / 7, ln 5 / 4. f = 2, F = 110: p = 2/110,
/// p/(1 − p) = 2/108 = 1/54: 1/54 − ln 55 / 54²; F = 84.5: p/(1 − p) = 2/82.5: 2/82.5 − (2/82.5)² ln 42.25.
///
/// Minimal uniques: 4 by Key1 = 3 or by Key2, Key4 = 3, 5 (7 has Key4 = 5, too); 5 by Key4 = 4; 6 by Key1, Key4 = 4, 1 or Key2, Key4 = 3, 1; 7 by Key1 = 6
/// or by Key2, Key4 = 2, 5. In 1 and 8, 2 and 3 nothing is unique.
#[test]
fn eight_records_by_hand() {
    let Some(table) = table("francdat.csv") else {
        return;
    };
    let key = key(&table, &["Key1", "Key2", "Key3", "Key4"]);
    let classes = KeyClasses::new(&table, &key, MissingMatches::Any);
    assert_eq!(classes.sizes(), [2, 2, 2, 1, 1, 1, 1, 2]);
    let weights = individual::weights(&table, table.find("w").unwrap()).unwrap();
    let risks = IndividualRisks::new(&classes, Some(&weights));
    let people = [110.0, 84.5, 84.5, 17.0, 541.0, 8.0, 5.0, 110.0];
    assert_eq!(risks.population.as_deref(), Some(&people[..]));
    let alone = |people: f64| people.ln() / (people - 1.0);
    let first = 1.0 / 54.0 - 55_f64.ln() / (54.0 * 54.0);
    let odds = 2.0 / 82.5;
    let second = odds - odds * odds * 42.25_f64.ln();
    let expected = [
        first,
        second,
        second,
        alone(17.0),
        alone(541.0),
        alone(8.0),
        alone(5.0),
        first,
    ];
    for (found, expected) in risks.of_record.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    let [key1, key2, key4] = [0b0001, 0b0010, 0b1000];
    let found = minimal_uniques(classes.keys(), 4, MissingMatches::Any);
    let expected = [
        (3, vec![key1, key2 | key4]),
        (4, vec![key4]),
        (5, vec![key1 | key4, key2 | key4]),
        (6, vec![key1, key2 | key4]),
    ];
    assert_eq!(found, expected);
}
