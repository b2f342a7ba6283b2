//! Information loss of masked reference files by `sdcrisk loss`, as a user sees it.
//!
//! SSE/SST of MDAV is published times 100 (J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz, F. Sebé, "Efficient
//! multivariate data-oriented microaggregation", VLDB Journal 15, 2006, and later tables: Census 5.6922, Tarragona 16.9326, EIA
//! 0.4829 at k = 3); more digits are from an independent program. `loss` recounts it from the two files, so that masking
//! and measuring are held against each other.

use std::process::Command;

use super::path;

fn run(words: &[&str]) -> std::process::Output {
    let run = Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
        .args(words)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{words:?}: {said}");
    run
}

/// Masks a reference file, and compares the two.
fn loss(file: &str, mask: &str, loss: &str) -> Option<serde_json::Value> {
    let original = path(file)?;
    let original = original.to_str()?;
    let folder = tempfile::tempdir().unwrap();
    let masked = folder.path().join("masked.csv");
    let masked = masked.to_str()?;
    let words = format!("mask {mask}");
    let mut words: Vec<&str> = words.split_whitespace().collect();
    words.extend(["-q", "-o", masked, original]);
    run(&words);
    let words = format!("loss -q --format json {loss}");
    let mut words: Vec<&str> = words.split_whitespace().collect();
    words.extend([original, masked]);
    Some(serde_json::from_slice(&run(&words).stdout).unwrap())
}

fn measure(report: &serde_json::Value, key: &str) -> f64 {
    report["measures"][key].as_f64().unwrap()
}

#[test]
fn mdav_loses_what_was_published() {
    let eia = "--attributes UTILITYID,6-15";
    for (file, k, more, published) in [
        ("census.csv", 3, "", 5.692_186_278_8),
        ("census.csv", 10, "", 14.155_930_425_3),
        ("tarragona.csv", 3, "", 16.932_587_622_8),
    ] {
        let mask = format!("microagg --decimals full --k {k} {more}");
        let Some(report) = loss(file, &mask, more) else {
            return;
        };
        let off = measure(&report, "sse_sst") - published / 100.0;
        assert!(off.abs() < 1e-12, "{file}, k = {k}: {off}");
        // Averages of groups keep means and take from variances.
        assert!(measure(&report, "mean_variation_means") < 1e-12);
        assert!(measure(&report, "mean_variation_variances") > 0.01);
    }
    let mask = format!("microagg --decimals full --k 3 --keep-identifiers {eia}");
    if let Some(report) = loss("eia.csv", &mask, eia) {
        let off = measure(&report, "sse_sst") - 0.004_829_39;
        assert!(off.abs() < 5.1e-9, "EIA: {off}");
    }
}

/// Where users know the level of noise, the losses in variances and correlations fall to what chance leaves: on Census with
/// k = 0.5 the naive ones are near k and near k/(1 + k) of the mean correlation.
#[test]
fn a_published_level_gives_statistics_back() {
    let Some(original) = path("census.csv") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (masked, statement) = (place("masked.csv"), place("masked.sdc.json"));
    let original = original.to_str().unwrap();
    let mask = "mask noise --decimals full --level 0.5 --seed 1 -q --statement";
    let mut words: Vec<&str> = mask.split(' ').collect();
    words.extend([&statement, "-o", &masked, original]);
    run(&words);
    let mut words = vec!["loss", "-q", "--format", "json", "--statement", &statement];
    words.extend([original, &masked]);
    let report: serde_json::Value = serde_json::from_slice(&run(&words).stdout).unwrap();
    let both = |key: &str| {
        let rows = report["corrected"].as_array().unwrap();
        let row = rows.iter().find(|row| row["key"] == key).unwrap();
        let [naive, corrected] = ["naive", "corrected"].map(|side| row[side].as_f64().unwrap());
        assert_eq!(naive, measure(&report, key));
        (naive, corrected)
    };
    let (naive, corrected) = both("mean_variation_variances");
    assert!(
        (naive - 0.5).abs() < 0.05 && corrected < 0.05,
        "{naive} {corrected}"
    );
    let (naive, corrected) = both("mean_absolute_correlations");
    assert!(corrected < naive / 3.0, "{naive} {corrected}");
    let (naive, corrected) = both("pil");
    assert!(corrected < naive, "{naive} {corrected}");
}
