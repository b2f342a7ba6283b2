//! Every distance on Census, from the command line's JSON, against plain loops over all pairs: first 1 to 13 attributes, three
//! maskings, both directions, three rules for ties.

use std::{fs, process::Command};

use rayon::prelude::*;

use super::path;

type Records = Vec<Vec<f64>>;
type Form = Vec<Vec<f64>>;

fn read(file: &std::path::Path) -> Records {
    let text = fs::read_to_string(file).unwrap();
    let records = text.lines().skip(1);
    records
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect()
}

fn sdcrisk(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
        .args(arguments)
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {complaint}");
    output.stdout
}

fn first(records: &Records, width: usize) -> Records {
    records
        .iter()
        .map(|record| record[..width].to_vec())
        .collect()
}

fn covariance(records: &Records) -> Form {
    let (n, width) = (records.len() as f64, records[0].len());
    let mean = |k: usize| records.iter().map(|record| record[k]).sum::<f64>() / n;
    let means: Vec<f64> = (0..width).map(mean).collect();
    let entry = |j: usize, k: usize| {
        let products = records
            .iter()
            .map(|r| (r[j] - means[j]) * (r[k] - means[k]));
        products.sum::<f64>() / (n - 1.0)
    };
    (0..width)
        .map(|j| (0..width).map(|k| entry(j, k)).collect())
        .collect()
}

fn standardised(records: &Records) -> Records {
    let covariance = covariance(records);
    let mean = |k: usize| records.iter().map(|r| r[k]).sum::<f64>() / records.len() as f64;
    let means: Vec<f64> = (0..covariance.len()).map(mean).collect();
    let z = |record: &Vec<f64>| {
        let cells = record.iter().enumerate();
        cells
            .map(|(k, x)| (x - means[k]) / covariance[k][k].sqrt())
            .collect()
    };
    records.iter().map(z).collect()
}

fn differences(a: &Records, b: &Records) -> Records {
    let difference = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a - b).collect();
    a.iter().zip(b).map(difference).collect()
}

/// By Gauss–Jordan elimination with the greatest pivot.
fn inverse(mut a: Form) -> Form {
    let p = a.len();
    let mut b: Form = (0..p)
        .map(|i| (0..p).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    for column in 0..p {
        let pivot = (column..p)
            .max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs()))
            .unwrap();
        a.swap(column, pivot);
        b.swap(column, pivot);
        let scale = a[column][column];
        for k in 0..p {
            a[column][k] /= scale;
            b[column][k] /= scale;
        }
        for row in (0..p).filter(|&row| row != column) {
            let factor = a[row][column];
            for k in 0..p {
                a[row][k] -= factor * a[column][k];
                b[row][k] -= factor * b[column][k];
            }
        }
    }
    b
}

fn with_ridge(mut form: Form, ridge: f64) -> Form {
    let p = form.len();
    let more = ridge * (0..p).map(|k| form[k][k]).sum::<f64>() / p as f64;
    (0..p).for_each(|k| form[k][k] += more);
    form
}

fn quadratic(form: &Form, a: &[f64], b: &[f64]) -> f64 {
    let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    (0..d.len())
        .map(|j| d[j] * (0..d.len()).map(|k| form[j][k] * d[k]).sum::<f64>())
        .sum()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Correct links, ties 1/t, 0, 1; two distances tie if they differ by rounding.
fn linked(
    seekers: &Records,
    sought: &Records,
    distance: impl Fn(&[f64], &[f64]) -> f64 + Sync,
) -> [f64; 3] {
    let of_seeker = |i: usize| {
        let own = distance(&seekers[i], &sought[i]);
        let slack = 1e-9 * own.abs() + 1e-20;
        let all = || sought.iter().map(|record| distance(&seekers[i], record));
        if all().any(|other| other < own - slack) {
            return [0.0; 3];
        }
        let tied = all().filter(|&other| other <= own + slack).count();
        [1.0 / tied as f64, f64::from(u8::from(tied == 1)), 1.0]
    };
    let each: Vec<[f64; 3]> = (0..seekers.len()).into_par_iter().map(of_seeker).collect();
    [0, 1, 2].map(|rule| each.iter().map(|links| links[rule]).sum())
}

/// The distance that a method stands for, as a function of this seeker's and that sought record's places.
fn oracle(method: &str, a: &Records, b: &Records, ridge: f64) -> [f64; 3] {
    let (za, zb) = (standardised(a), standardised(b));
    let unit = |(a, b): (&f64, &f64)| (a - b) * (a - b);
    match method {
        "am" => linked(&za, &zb, |x, y| x.iter().zip(y).map(unit).sum()),
        "dbrl2" => {
            let moved = covariance(&differences(a, b));
            let spread = covariance(b);
            let of = |k: usize| 1.0 / (moved[k][k] + ridge * spread[k][k]);
            linked(a, b, |x, y| {
                x.iter()
                    .zip(y)
                    .map(unit)
                    .enumerate()
                    .map(|(k, d)| d * of(k))
                    .sum()
            })
        }
        "md" => {
            let form = inverse(with_ridge(covariance(&differences(&za, &zb)), ridge));
            linked(&za, &zb, |x, y| quadratic(&form, x, y))
        }
        "md0" => {
            let (of_a, of_b) = (covariance(&za), covariance(&zb));
            let sum = (0..of_a.len())
                .map(|j| (0..of_a.len()).map(|k| of_a[j][k] + of_b[j][k]).collect())
                .collect();
            let form = inverse(with_ridge(sum, ridge));
            linked(&za, &zb, |x, y| quadratic(&form, x, y))
        }
        "kernel poly" => {
            let k = |x: &[f64], y: &[f64]| (1.0 + dot(x, y)).powi(2);
            linked(&za, &zb, |x, y| k(x, x) - 2.0 * k(x, y) + k(y, y))
        }
        "kernel tanh" => {
            // 1 − tanh t without the loss of digits near 1.
            let s = |x: &[f64], y: &[f64]| 2.0 / (1.0 + (2.0 * dot(x, y)).exp());
            linked(&za, &zb, |x, y| 2.0 * s(x, y) - s(x, x) - s(y, y))
        }
        "gower" => {
            let both = || a.iter().chain(b);
            let range = |k: usize| {
                let greatest = both().map(|r| r[k]).fold(f64::MIN, f64::max);
                greatest - both().map(|r| r[k]).fold(f64::MAX, f64::min)
            };
            let ranges: Vec<f64> = (0..a[0].len()).map(range).collect();
            linked(a, b, |x, y| {
                let parts = x.iter().zip(y).zip(&ranges);
                parts.map(|((a, b), range)| (a - b).abs() / range).sum()
            })
        }
        other => panic!("{other}"),
    }
}

#[test]
fn every_distance_agrees_with_plain_loops_on_census() {
    let Some(original) = path("census.csv") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let masked = folder.path().join("masked.csv");
    let (original_path, masked_path) = (original.to_str().unwrap(), masked.to_str().unwrap());
    let a = read(&original);
    for masking in [
        ["rankswap", "--p", "6", "--seed", "4"],
        ["microagg", "--k", "5", "--algorithm", "mdav"],
        ["noise", "--level", "0.05", "--seed", "4"],
    ] {
        let mut mask = vec!["mask"];
        mask.extend(masking);
        if masking[0] != "rankswap" {
            mask.extend(["--decimals", "full"]);
        }
        mask.extend(["-o", masked_path, original_path]);
        sdcrisk(&mask);
        let b = read(&masked);
        // Averages keep PTOTVAL = PEARNVAL + POTHVAL, up to the two files' units: a case for a ridge.
        let ridge = if masking[0] == "microagg" { 0.001 } else { 0.0 };
        for direction in ["original-to-masked", "masked-to-original"] {
            for method in [
                "am",
                "dbrl2",
                "md",
                "md0",
                "kernel poly",
                "kernel tanh",
                "gower",
            ] {
                let mut link = vec!["link", "--format", "json", "--known", "sweep:13"];
                link.extend(["--direction", direction, "--method"]);
                let (name, kernel) = method.split_once(' ').unwrap_or((method, ""));
                link.push(name);
                if !kernel.is_empty() {
                    link.extend(["--kernel", kernel]);
                }
                if ridge > 0.0 && ["dbrl2", "md", "md0"].contains(&method) {
                    link.extend(["--ridge", "0.001"]);
                }
                link.extend([original_path, masked_path]);
                let report: serde_json::Value = serde_json::from_slice(&sdcrisk(&link)).unwrap();
                let results = report["results"].as_array().unwrap();
                assert_eq!(results.len(), 13);
                for result in results {
                    let width = result["known"].as_array().unwrap().len();
                    let (x, y) = (first(&a, width), first(&b, width));
                    let [fair, strict, optimistic] = match direction {
                        "original-to-masked" => oracle(method, &x, &y, ridge),
                        _ => oracle(method, &y, &x, ridge),
                    };
                    let found = |rule: &str| result["correct"][rule].as_f64().unwrap();
                    let what = format!("{method}, {}, {direction}, {width} known", masking[0]);
                    assert!(
                        (found("fair") - fair).abs() < 1e-6,
                        "{what}: {fair} {result}"
                    );
                    assert_eq!(
                        (found("strict"), found("optimistic")),
                        (strict, optimistic),
                        "{what}"
                    );
                }
            }
        }
    }
}
