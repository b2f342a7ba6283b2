//! Measures that other programs have too, on the same reference files: pyCANON, ARX and sdcMicro say the same.
//!
//! What they say is in `tests/golden/data/peers`, with tool, version, call and the program that made it; where their definitions are
//! others is said there, and here beside what is compared instead.

use std::{process::Command, sync::LazyLock};

use sdcrisk::{
    figure::{self, Figure},
    loss,
    risk::{
        classes::KeyClasses,
        closeness,
        confidential::Confidential,
        diversity,
        individual::{self, IndividualRisks},
        interval,
        suda::{self, Scoring, Suda},
    },
    statement::MissingMatches,
    table::{AttrId, ReadOptions, Table, pair::Pair},
};
use serde_json::Value;

const PYCANON: &str = include_str!("../golden/data/peers/pycanon.json");
const ARX: &str = include_str!("../golden/data/peers/arx.json");
const SDCMICRO: &str = include_str!("../golden/data/peers/sdcmicro.json");

fn cases<'a>(fixture: &'a Value, kind: &str) -> &'a [Value] {
    fixture[kind].as_array().unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    let values = value.as_array().unwrap().iter();
    values.map(|value| value.as_f64().unwrap()).collect()
}

/// The file of a case, if it is there.
fn table(case: &Value) -> Option<&'static Table> {
    static TESTDATA: LazyLock<Option<Table>> = LazyLock::new(|| super::table("testdata.csv"));
    static FRANCDAT: LazyLock<Option<Table>> = LazyLock::new(|| super::table("francdat.csv"));
    static BUNDLED: LazyLock<Table> = LazyLock::new(|| {
        let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        read(&project.join("data/synthetic-census.csv"))
    });
    match case["file"].as_str().unwrap() {
        "testdata.csv" => TESTDATA.as_ref(),
        "francdat.csv" => FRANCDAT.as_ref(),
        "synthetic-census.csv" => Some(&BUNDLED),
        other => panic!("{other} is not among the files"),
    }
}

fn place(table: &Table, name: &Value) -> AttrId {
    let named = |id: &AttrId| table.attribute(*id).name == name.as_str().unwrap();
    table.ids().find(named).unwrap()
}

fn classes(table: &Table, case: &Value, missing: MissingMatches) -> KeyClasses {
    let names = case["quasi_identifiers"].as_array().unwrap();
    let key: Vec<AttrId> = names.iter().map(|name| place(table, name)).collect();
    KeyClasses::new(table, &key, missing)
}

fn confidential(table: &Table, case: &Value) -> Confidential {
    let attribute = Confidential::of_table(table, place(table, &case["sensitive"]));
    let ordered = case["distance"] != "equal";
    Confidential {
        ordered,
        ..attribute
    }
}

fn relative(ours: f64, theirs: f64) -> f64 {
    if ours == theirs {
        0.0
    } else {
        (ours - theirs).abs() / theirs.abs().max(f64::MIN_POSITIVE)
    }
}

/// Our figures equal theirs, as far as theirs are right (`within`, a part of their size).
fn agree(case: &Value, figures: &[Figure], keys: &[[&str; 2]], within: f64) {
    for [ours, theirs] in keys {
        let found = figure::value(figures, ours);
        let (Some(found), Some(expected)) = (found, case[*theirs].as_f64()) else {
            panic!("{ours} is {found:?}, {theirs} {}: {case}", case[*theirs])
        };
        let context = format!("{ours} is {found}, {theirs} {expected}: {case}");
        assert!(relative(found, expected) <= within, "{context}");
    }
}

/// Those counts of records that all have under the same name.
const COUNTS: [[&str; 2]; 5] = [
    ["unique", "unique"],
    ["k_anonymity", "k_anonymity"],
    ["below_k_2", "below_k_2"],
    ["below_k_3", "below_k_3"],
    ["below_k_5", "below_k_5"],
];

fn wanted(c: f64) -> diversity::Wanted {
    diversity::Wanted { c, l: None }
}

/// Recursive (c, l)-diversity ends to hold at the c of the case: it does above it and does not at it (`slack`: how far theirs is right).
fn recursive_ends(case: &Value, classes: &KeyClasses, of: &[Confidential], c: f64, slack: f64) {
    let l_for = |c: f64| {
        let figures = diversity::figures(classes, of, wanted(c));
        figure::value(&figures, "recursive_l_diversity").unwrap()
    };
    let l = case["recursive_l"].as_f64().unwrap();
    assert!(l_for(c * (1.0 + slack)) >= l, "{case}");
    assert!(l_for(c * (1.0 - slack)) < l, "{case}");
}

/// To pyCANON a gap of the key is a value of its own. It cuts entropy to a whole number, and divides the least count where recursive diversity divides the greatest: these two are compared
/// with the definition over pyCANON's own classes.
#[test]
fn pycanon_agrees() {
    let fixture = json(PYCANON);
    for case in cases(&fixture, "cases") {
        let Some(table) = table(case) else { continue };
        let (classes, of) = (
            classes(table, case, MissingMatches::Missing),
            [confidential(table, case)],
        );
        agree(case, &classes.figures(None), &COUNTS, 0.0);
        assert_eq!(classes.groups().count(), case["classes"], "{case}");
        let figures = diversity::figures(&classes, &of, wanted(3.0));
        agree(case, &figures, &[["l_diversity", "l_diversity"]], 0.0);
        let entropy = [["entropy_l_diversity", "entropy_l_exact"]];
        agree(case, &figures, &entropy, 1e-12);
        let whole = case["entropy_l_diversity"].as_f64().unwrap();
        let ours = figure::value(&figures, "entropy_l_diversity").unwrap();
        // int() of a figure that rounding may have left just below a whole number.
        assert!((whole..whole + 1.0 + 1e-9).contains(&ours), "{case}");
        if let Some(c) = case["recursive_c_exact"].as_f64() {
            recursive_ends(case, &classes, &of, c, 1e-12);
        }
        let figures = closeness::figures(&classes, &of, None);
        agree(case, &figures, &[["t_closeness", "t_closeness"]], 1e-9);
        let risks = IndividualRisks::new(&classes, None).figures(&classes);
        agree(case, &risks, &[["prosecutor_risk", "max_risk"]], 1e-12);
    }
}

/// ARX decides whether a file fulfils a model; its figures are where that ends, found by halving to 1e-10 (of l to 3e-9: of a sum that
/// ARX compares with rounding).
#[test]
fn arx_agrees() {
    let fixture = json(ARX);
    for case in cases(&fixture, "cases") {
        let Some(table) = table(case) else { continue };
        let (classes, of) = (
            classes(table, case, MissingMatches::Any),
            [confidential(table, case)],
        );
        agree(case, &classes.figures(None), &COUNTS, 0.0);
        assert_eq!(classes.groups().count(), case["classes"], "{case}");
        let risks = IndividualRisks::new(&classes, None).figures(&classes);
        let intruders = [
            ["prosecutor_risk", "prosecutor_risk"],
            ["marketer_risk", "marketer_risk"],
            ["individual_risk_global", "average_risk"],
        ];
        agree(case, &risks, &intruders, 1e-12);
        let figures = diversity::figures(&classes, &of, wanted(3.0));
        agree(case, &figures, &[["l_diversity", "l_diversity"]], 0.0);
        let entropy = [["entropy_l_diversity", "entropy_l_diversity"]];
        agree(case, &figures, &entropy, 1e-9);
        if let Some(c) = case["recursive_c"].as_f64() {
            recursive_ends(case, &classes, &of, c, 1e-9);
        }
        let figures = closeness::figures(&classes, &of, None);
        let closeness = [["t_closeness", "t_closeness"]];
        agree(case, &figures, &closeness, 5e-9);
    }
}

/// A gap of the key matches every value. sdcMicro prints 15 digits.
const PRINTED: f64 = 1e-13;

#[test]
fn frequencies_and_individual_risk_are_those_of_sdcmicro() {
    let fixture = json(SDCMICRO);
    for case in cases(&fixture, "risk") {
        let Some(table) = table(case) else { continue };
        let classes = classes(table, case, MissingMatches::Any);
        let keys = [COUNTS[0], COUNTS[2], COUNTS[3], COUNTS[4]];
        agree(case, &classes.figures(None), &keys, 0.0);
        let weights = (!case["weight"].is_null())
            .then(|| individual::weights(table, place(table, &case["weight"])).unwrap());
        let risks = IndividualRisks::new(&classes, weights.as_deref());
        let figures = risks.figures(&classes);
        let global = [
            ["individual_risk_global", "individual_risk_global"],
            ["expected_reidentifications", "expected_reidentifications"],
        ];
        agree(case, &figures, &global, 1e-9);
        let highest = risks.of_record.iter().copied().fold(0.0, f64::max);
        let theirs = case["individual_risk_greatest"].as_f64().unwrap();
        assert!(relative(highest, theirs) <= 1e-9, "{case}");
        if weights.is_some() {
            let unique = [[
                "population_unique",
                "inverse_population_frequencies_of_uniques",
            ]];
            agree(case, &figures, &unique, PRINTED * 10.0);
        }
        let sizes: u64 = classes.sizes().iter().copied().map(u64::from).sum();
        assert_eq!(case["sum_of_frequencies"], sizes, "{case}");
        let [record, frequency, population, risk] = [
            "record",
            "frequency",
            "population_frequency",
            "individual_risk",
        ]
        .map(|key| numbers(&case[key]));
        for (i, record) in record.into_iter().enumerate() {
            let context = format!("record {record}: {case}");
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "records are counted from 1"
            )]
            let record = record as usize - 1;
            let size = f64::from(classes.sizes()[record]);
            assert_eq!(size, frequency[i], "{context}");
            let people = risks.population.as_ref().map_or(size, |all| all[record]);
            assert!(relative(people, population[i]) <= PRINTED, "{context}");
            // f of 2 is a difference of nearly equal numbers where p is near 1; these are not.
            assert!(
                relative(risks.of_record[record], risk[i]) <= 1e-9,
                "{context}"
            );
        }
    }
}

/// Scores are exactly those of sdcMicro; its DIS is worked out in single precision (0.01f), so 7 digits of that are compared.
#[test]
fn special_uniques_are_those_of_sdcmicro() {
    let fixture = json(SDCMICRO);
    for case in cases(&fixture, "suda") {
        let Some(table) = table(case) else { continue };
        let classes = classes(table, case, MissingMatches::Any);
        #[expect(clippy::cast_possible_truncation, reason = "a few attributes")]
        let most = case["quasi_identifiers"].as_array().unwrap().len() as u32;
        let found = Suda::new(
            &classes,
            suda::Wanted {
                most,
                scoring: if case["original_scores"] == true {
                    Scoring::Elliot
                } else {
                    Scoring::Subsets
                },
                fraction: case["fraction"].as_f64().unwrap(),
            },
        );
        let sum: f64 = found.scores.iter().sum();
        let theirs = case["sum_of_scores"].as_f64().unwrap();
        assert!(relative(sum, theirs) <= 1e-12, "{sum}: {case}");
        let scored = found.scores.iter().filter(|&&score| score > 0.0).count();
        assert_eq!(case["records_with_score"], scored, "{case}");
        let dis = found.dis.as_ref().unwrap();
        let sum: f64 = dis.iter().sum();
        let theirs = case["sum_of_dis"].as_f64().unwrap();
        assert!(relative(sum, theirs) <= 5e-7, "{sum}: {case}");
        let [record, score, dis_of] = ["record", "score", "dis"].map(|key| numbers(&case[key]));
        for (i, record) in record.into_iter().enumerate() {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "records are counted from 1"
            )]
            let place = record as usize - 1;
            let context = format!("record {record}: {case}");
            assert!(
                relative(found.scores[place], score[i]) <= 1e-12,
                "{context}"
            );
            assert!(relative(dis[place], dis_of[i]) <= 5e-7, "{context}");
        }
    }
}

#[test]
fn diversity_is_that_of_sdcmicro() {
    let fixture = json(SDCMICRO);
    for case in cases(&fixture, "diversity") {
        let Some(table) = table(case) else { continue };
        let (classes, of) = (
            classes(table, case, MissingMatches::Any),
            [confidential(table, case)],
        );
        let figures = diversity::figures(&classes, &of, wanted(case["c"].as_f64().unwrap()));
        let keys = ["l_diversity", "recursive_l_diversity"].map(|key| [key; 2]);
        agree(case, &figures, &keys, 0.0);
        agree(case, &figures, &[["entropy_l_diversity"; 2]], 1e-12);
    }
}

fn read(path: &std::path::Path) -> Table {
    let bytes = std::fs::read(path).unwrap();
    Table::read("t.csv", bytes, &ReadOptions::default()).unwrap()
}

/// sdcMicro's IL1s and IL1 are sums over the cells (IL1 in percent, cells of 0 left out); ours are means.
#[test]
fn loss_and_record_disclosure_are_those_of_sdcmicro() {
    let fixture = json(SDCMICRO);
    let folder = tempfile::tempdir().unwrap();
    let masked = folder.path().join("masked.csv");
    for case in cases(&fixture, "pairs") {
        let Some(original) = super::path(case["file"].as_str().unwrap()) else {
            continue;
        };
        let words: Vec<&str> = case["call"].as_str().unwrap().split(' ').collect();
        let [_, options @ .., _] = &words[..] else {
            panic!("a call has a program and a file")
        };
        let status = Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
            .arg("--quiet")
            .args(options)
            .arg("-o")
            .args([&masked, &original])
            .status();
        assert!(status.unwrap().success(), "{case}");
        let [before, after] = [read(&original), read(&masked)];
        let attributes: Vec<[AttrId; 2]> = before.ids().zip(after.ids()).map(Into::into).collect();
        let n = u32::try_from(before.n_records()).unwrap();
        let records: Vec<[u32; 2]> = (0..n).map(|record| [record, record]).collect();
        let pair = Pair::new([&before, &after], &attributes, &records);
        let figures = loss::figures(&pair, &[]);
        let of = |key| figure::find(&figures, key).unwrap();
        let cells = case["cells"].as_f64().unwrap();
        let expected = case["sum_il1s"].as_f64().unwrap() / cells;
        assert!(
            relative(of("il1s").value.unwrap(), expected) <= 1e-9,
            "{case}"
        );
        let il1 = of("il1");
        let expected = case["sum_il1_percent"].as_f64().unwrap() / 100.0;
        #[expect(clippy::cast_precision_loss, reason = "a few thousand cells")]
        let sum = il1.value.unwrap() * il1.counted as f64;
        assert!(relative(sum, expected) <= 1e-9, "{sum}: {case}");
        assert_eq!(il1.counted + il1.skipped, case["cells"], "{case}");
        // Census: PTOTVAL is the sum of two others, and neither program inverts its correlations.
        let mlodak = of("mlodak").value;
        match case["il_correl"].as_f64() {
            Some(theirs) => assert!(relative(mlodak.unwrap(), theirs) <= 1e-9, "{case}"),
            None => assert_eq!(mlodak, None, "{case}"),
        }
        let disclosure = interval::figures(&pair.numbers);
        let key = [["interval_disclosure_records_sd", "drisk"]];
        agree(case, &disclosure, &key, PRINTED * 100.0);
    }
}
