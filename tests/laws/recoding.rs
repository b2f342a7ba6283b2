//! Recoding: what each rule makes of each value, against a slow program of its own.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sdcrisk::{
    error::ErrorKind,
    mask::{
        Details, Mask, Masked,
        recode::{Recode, Rules},
    },
    rng::{Purpose, Seed},
    statement::Method,
    table::{ReadOptions, Scale, Table},
};

fn read(text: &str) -> Table {
    Table::read("f.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
}

fn try_recode(text: &str, rules: &str) -> sdcrisk::error::Result<Masked> {
    let table = read(text);
    let method = Recode::new(Rules::parse("rules.toml", rules)?);
    let on = method.attributes(&table)?;
    method.mask(table, &on, &Seed::from_number(1).streams(Purpose::Mask, 0))
}

fn recode(text: &str, rules: &str) -> Masked {
    try_recode(text, rules).unwrap()
}

fn written(masked: &Masked) -> String {
    let mut bytes = Vec::new();
    masked.table.write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The cells of the first attribute.
fn first(masked: &Masked) -> Vec<String> {
    let id = masked.table.ids().next().unwrap();
    (0..masked.table.n_records())
        .map(|record| masked.table.text(record, id).into_owned())
        .collect()
}

const AGES: &str = "age,x\n17,a\n18,a\n19.5,a\n22.5,a\nNA,a\n83,a\n85,a\n90,a\n";

#[test]
fn bounds_and_rounding_leave_numbers() {
    let masked = recode(AGES, "[age]\nbottom = 18\ntop = 83\nround = 5");
    // 17 < 18 -> 18; 18 -> 20; 19.5 -> 20; 22.5 is a half -> 25; 83 -> 85, but not beyond the top.
    assert_eq!(
        first(&masked),
        ["18", "20", "20", "25", "NA", "83", "83", "83"]
    );
    let age = masked.table.ids().next().unwrap();
    assert_eq!(masked.table.attribute(age).scale, Scale::Continuous);
    assert_eq!(masked.table.numbers(age).unwrap().values[3], 25.0);
    assert_eq!(
        (
            masked.effects[0].values,
            masked.effects[0].changed,
            masked.effects[0].missing
        ),
        (7, 6, 1)
    );
}

#[test]
fn labels_of_bounds_take_the_top_itself_and_not_the_bottom() {
    let masked = recode(
        AGES,
        "[age]\nbottom = 18\nbottom-label = 'under 18'\ntop = 85\ntop-label = '85+'",
    );
    assert_eq!(
        first(&masked),
        ["under 18", "18", "19.5", "22.5", "NA", "83", "85+", "85+"]
    );
    assert_eq!(masked.table.attributes()[0].scale, Scale::Nominal);
}

#[test]
fn classes_hold_their_lower_break() {
    let masked = recode(AGES, "[age]\nbreaks = [18, 22.5, 85]");
    let classes = [
        "<18",
        "[18,22.5)",
        "[18,22.5)",
        "[22.5,85)",
        "NA",
        "[22.5,85)",
        ">=85",
        ">=85",
    ];
    assert_eq!(first(&masked), classes);
    assert!(
        written(&masked).contains("\n\"[18,22.5)\",a\n"),
        "quoted: it holds the delimiter"
    );
    let Method::Recode(parameters) = &masked.step.method else {
        panic!()
    };
    assert_eq!(
        parameters.rules[0].labels,
        ["<18", "[18,22.5)", "[22.5,85)", ">=85"]
    );
    let numbers = recode(AGES, "[age]\nbreaks = [18, 65]\nlabels = [0, 1, 2]");
    assert!(
        numbers
            .table
            .numbers(numbers.table.ids().next().unwrap())
            .is_some(),
        "numbers stay numbers"
    );
}

/// Every rule looks at the value as it was: nothing is recoded twice, and conditions see the original.
#[test]
fn rules_look_at_the_original() {
    let text = "town,sex\na,F\nb,F\nc,M\n \"c\" ,M\n\"c\",M\n,F\n";
    let rules = "[town]\nsuppress = ['d']\nothers = 'rest'\n[town.map]\na = 'b'\nb = 'a'\n[town.suppress-where]\nsex = ['M']\n[sex.map]\nM = 'F'\nF = 'M'";
    let masked = recode(text, rules);
    assert_eq!(written(&masked), "town,sex\nb,M\na,M\n,F\n,F\n,F\n,M\n");
    let Details::Recoding { suppressed, notes } = &masked.details else {
        panic!()
    };
    assert_eq!(suppressed, &[3, 0]);
    assert!(notes[0].contains("\"d\""), "{notes:?}");
    assert!(
        masked.step.missing.contains("suppressed"),
        "{}",
        masked.step.missing
    );
}

#[test]
fn numbers_are_found_however_they_are_written() {
    let masked = recode(
        "a;b\n1,50;x\n\"1,5\";x\n2;x\n-9;x\n",
        "[a]\nsuppress = [-9]\n[a.map]\n'1.5' = '7,5'",
    );
    assert_eq!(written(&masked), "a;b\n7,5;x\n7,5;x\n2;x\n;x\n");
}

#[test]
fn a_rule_that_meets_nothing_is_told() {
    let masked = recode(AGES, "[age]\ntop = 200\n[x.map]\nb = 'c'");
    let Details::Recoding { notes, .. } = &masked.details else {
        panic!()
    };
    let told = notes.join("; ");
    for part in [
        "no value is above top = 200",
        "x: no record has the category \"b\"",
        "age: its rules change nothing",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(written(&masked), AGES);
}

#[test]
fn numbers_that_would_be_missing_are_refused() {
    let options = ReadOptions {
        na: Some(vec!["NA".into(), "85".into(), "20".into()]),
        ..ReadOptions::default()
    };
    for rules in [
        "[age]\ntop = 85",
        "[age]\nround = 5",
        "[age]\ntop = 80\ntop-label = '85'",
    ] {
        let table = Table::read("f.csv", AGES.into(), &options).unwrap();
        let method = Recode::new(Rules::parse("rules.toml", rules).unwrap());
        let on = method.attributes(&table).unwrap();
        let error = method
            .mask(table, &on, &Seed::from_number(1).streams(Purpose::Mask, 0))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.to_string().contains("missing value"), "{error}");
        assert_eq!(error.location().file.as_deref(), Some("rules.toml"));
    }
}

proptest! {
    /// Bounds, steps and gaps of whole numbers, by a formula of its own: halves away from zero.
    #[test]
    fn whole_numbers_are_bounded_and_rounded(
        values in proptest::collection::vec(prop::option::of(-60_i64..60), 1..40),
        bottom in prop::option::of(-40_i64..0),
        top in prop::option::of(1_i64..40),
        step in prop::option::of(1_i64..13),
    ) {
        prop_assume!(bottom.is_some() || top.is_some() || step.is_some());
        prop_assume!(values.iter().any(Option::is_some));
        let line = |key: &str, value: Option<i64>| value.map_or(String::new(), |value| format!("{key} = {value}\n"));
        let rules = format!("[a]\n{}{}{}", line("bottom", bottom), line("top", top), line("round", step));
        let text: String = values.iter().map(|v| v.map_or("NA".into(), |v| v.to_string()) + ",x\n").collect();
        let masked = recode(&format!("a,b\n{text}"), &rules);
        let expected: Vec<String> = values.iter().map(|value| value.map_or("NA".into(), |value| {
            let low = bottom.unwrap_or(i64::MIN);
            let high = top.unwrap_or(i64::MAX);
            let stepped = step.map_or(value, |step| (2 * value.abs() + step) / (2 * step) * step * value.signum());
            let bounded = if value < low { low } else if value > high { high } else { stepped.clamp(low, high) };
            bounded.to_string()
        })).collect();
        prop_assert_eq!(first(&masked), expected);
    }
}

const CODES: &str = "branch,x\n0111,a\n01,a\n0112,b\nC,b\n10.11,a\nNA,b\n1012,a\n0111,b\n";

/// By hand: two characters of each, leading zeros and all; what has no more than two stays; gaps stay.
#[test]
fn digits_keep_the_beginning_of_codes() {
    let masked = recode(CODES, "[branch]\ndigits = 2");
    assert_eq!(
        first(&masked),
        ["01", "01", "01", "C", "10", "NA", "10", "01"]
    );
    assert_eq!(masked.effects[0].changed, 5);
    // What is named goes another way, and a blank at the end is no part of a code.
    let masked = recode(
        "town,x\nA 12,a\nB34,b\nC,b\n",
        "[town]\ndigits = 2\n[town.map]\nB34 = 'other'",
    );
    assert_eq!(first(&masked), ["A", "other", "C"]);
    // Numbers that are codes stay numbers; others are refused.
    let masked = recode("isco,x\n2112,a\n2113,b\n9,b\n", "[isco]\ndigits = 2");
    assert_eq!(first(&masked), ["21", "21", "9"]);
    assert!(
        masked
            .table
            .numbers(masked.table.find("isco").unwrap())
            .is_some()
    );
    let error = try_recode("isco,x\n21.5,a\n-3,b\n", "[isco]\ndigits = 2").unwrap_err();
    assert!(
        error.what().contains("numbers with signs or decimals"),
        "{error}"
    );
}

const NACE: &str = "class;group;section\n0111;011;A\n0112;011;A\n1011;101;C\n1012;101;C\n";

fn by_file(text: &str, rules: &str) -> sdcrisk::error::Result<Masked> {
    let files = BTreeMap::from([("nace.csv".to_owned(), NACE.to_owned())]);
    assert_eq!(Rules::files("r.toml", rules), ["nace.csv"]);
    let method = Recode::new(Rules::with_files("r.toml", rules, &files)?);
    let table = read(text);
    let on = method.attributes(&table)?;
    method.mask(table, &on, &Seed::from_number(1).streams(Purpose::Mask, 0))
}

/// Every code becomes its ancestor, by the number of the level or its name, and the map that is published makes the same of the original.
#[test]
fn hierarchies_put_ancestors_in_the_place_of_codes() {
    let text = "branch,x\n0111,a\n0112,b\nNA,b\n1012,a\n";
    for (level, expected) in [
        ("1", ["011", "011", "NA", "101"]),
        ("2", ["A", "A", "NA", "C"]),
        ("'section'", ["A", "A", "NA", "C"]),
    ] {
        let rules = format!("[branch]\nhierarchy = 'nace.csv'\nlevel = {level}\n");
        let masked = by_file(text, &rules).unwrap();
        assert_eq!(first(&masked), expected);
        // Nobody has 1011: that is no mistake in a file of all codes.
        let Details::Recoding { notes, .. } = &masked.details else {
            panic!("recoding")
        };
        assert!(notes.is_empty(), "{notes:?}");
        let Method::Recode(stated) = &masked.step.method else {
            panic!("recoding")
        };
        assert_eq!(stated.rules[0].map.len(), 4);
        let again = Recode::new(Rules::of_statement(&stated.rules).unwrap());
        let original = read(text);
        let on = again.attributes(&original).unwrap();
        let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
        assert_eq!(
            first(&again.mask(original, &on, &streams).unwrap()),
            expected
        );
    }
}

#[test]
fn codes_that_a_file_lacks_are_counted_or_become_others() {
    let text = "branch,x\n0111,a\n9900,b\n9700,b\n9700,a\n";
    let rules = "[branch]\nhierarchy = 'nace.csv'\nlevel = 2\n";
    let error = by_file(text, rules).unwrap_err();
    assert_eq!(error.what(), "has 2 categories that nace.csv does not name");
    assert_eq!(error.location().attribute.as_deref(), Some("branch"));
    assert!(!error.to_string().contains("9700"));
    let masked = by_file(text, &format!("{rules}others = 'none'\n")).unwrap();
    assert_eq!(first(&masked), ["A", "none", "none", "none"]);
    for rules in [
        "[branch]\nhierarchy = 'nace.csv'\n",
        "[branch]\nhierarchy = 'nace.csv'\nlevel = 3\n",
        "[branch]\nhierarchy = 'nace.csv'\nlevel = 0\n",
        "[branch]\ncodes = 'nace.csv'\n",
        "[branch]\nhierarchy = 'nace.csv'\nlevel = 1\ndigits = 2\n",
        "[branch]\nhierarchy = 'nace.csv'\nlevel = 1\n[branch.map]\n0111 = 'x'\n",
    ] {
        let error = by_file("branch,x\n0111,a\n0112,b\n", rules).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input, "{rules}");
    }
}
