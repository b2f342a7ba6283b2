//! The main job on every reference file: mask, then attack through a pipe.

use super::path;
use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Masks with `strength`, links through a pipe, and gives the two results (am, rsld).
fn main_job(
    original: &str,
    strength: [&str; 2],
    more_masking: &[&str],
    more_linking: &[&str],
) -> [serde_json::Value; 2] {
    let mut mask = vec![
        "mask",
        "rankswap",
        "--seed",
        "1",
        strength[0],
        strength[1],
        original,
    ];
    mask.extend(more_masking);
    let masked = run(&mask, b"");
    let complaint = String::from_utf8_lossy(&masked.stderr).into_owned();
    assert!(masked.status.success(), "{original}: {complaint}");
    let mut link = vec![
        "link",
        "--method",
        "am,rsld",
        "--format",
        "json",
        strength[0],
        strength[1],
    ];
    link.extend(more_linking);
    link.extend([original, "-"]);
    let report = run(&link, &masked.stdout);
    let complaint = String::from_utf8_lossy(&report.stderr).into_owned();
    assert!(report.status.success(), "{original}: {complaint}");
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let results = report["results"].as_array().unwrap().clone();
    results.try_into().unwrap()
}

/// What must hold whatever was drawn: the right window loses nobody, certain links are true, both attacks beat chance.
fn assert_sound(file: &str, [am, rsld]: &[serde_json::Value; 2]) {
    let number = |result: &serde_json::Value, key: &str| result[key].as_f64().unwrap();
    assert_eq!(
        number(rsld, "contains_true"),
        number(rsld, "records"),
        "{file}"
    );
    assert_eq!(
        number(rsld, "certain"),
        number(rsld, "certain_correct"),
        "{file}"
    );
    assert_eq!(number(rsld, "empty"), 0.0, "{file}");
    assert!(number(am, "rate") > number(am, "baseline"), "{file}");
    assert!(number(rsld, "rate") > number(rsld, "baseline"), "{file}");
}

#[test]
fn every_reference_file_is_masked_and_attacked() {
    // 5 % of 8 or 13 records is less than a rank: those three take a window of one.
    for (file, strength) in [
        ("census.csv", ["--p", "5"]),
        ("eia.csv", ["--p", "5"]),
        ("eia10.csv", ["--p", "5"]),
        ("tarragona.csv", ["--p", "5"]),
        ("testdata.csv", ["--p", "5"]),
        ("francdat.csv", ["--window", "1"]),
        ("casc1.csv", ["--window", "1"]),
        ("microdata.csv", ["--window", "1"]),
    ] {
        let Some(path) = path(file) else { return };
        assert_sound(file, &main_job(path.to_str().unwrap(), strength, &[], &[]));
    }
}

/// A copy of EIA with an identifier, gaps, `;`, decimal commas and Windows-1252 letters; aligned by the identifier.
#[test]
fn a_copy_in_the_dialect_of_another_office_gives_the_same_figures() {
    let Some(bytes) = super::bytes("eia10.csv") else {
        return;
    };
    let text = String::from_utf8(bytes).unwrap();
    let names = text.lines().next().unwrap().to_string();
    let records: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: Vec<u8>| -> String {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_string()
    };
    let mut plain = format!("id,{names}\n").into_bytes();
    let mut other = b"id;".to_vec();
    other.extend(names.replace(',', ";").into_bytes());
    other.extend(b";Ort\r\n");
    for (number, record) in records.iter().enumerate() {
        // Every seventh record misses its first amount.
        let cells: Vec<String> = record
            .iter()
            .enumerate()
            .map(|(k, cell)| {
                if k == 0 && number % 7 == 0 {
                    String::new()
                } else {
                    format!("{cell}.5")
                }
            })
            .collect();
        plain.extend(format!("P{number},{}\n", cells.join(",")).into_bytes());
        other.extend(format!("P{number};{}", cells.join(";").replace('.', ",")).into_bytes());
        other.extend(b";M\xfcnchen\r\n");
    }
    let (plain, other) = (write("plain.csv", plain), write("other.csv", other));
    let figures = |file: &str| {
        let results = main_job(file, ["--p", "3"], &["--keep-identifiers"], &["--id", "id"]);
        assert_sound(file, &results);
        results
    };
    assert_eq!(figures(&plain), figures(&other));
}
