//! One-to-one assignments on the Census file cost what scipy finds.

use std::process::Command;

use super::path;

/// Numbers of known attributes.
const KNOWN: [usize; 5] = [1, 2, 3, 6, 13];

/// A masking, and the least cost for each number of known attributes: by one_to_one.py, with scipy 1.17.
const LEAST_COSTS: [(&str, [f64; 5]); 4] = [
    (
        "rankswap --p 2 --seed 1",
        [
            0.0,
            8.117206360074263,
            22.21414896813583,
            62.95422745917918,
            410.5234417286222,
        ],
    ),
    (
        "rankswap --p 20 --seed 1",
        [
            0.0,
            18.269722269807602,
            106.31727613258985,
            782.4085477995147,
            3006.2152600112877,
        ],
    ),
    (
        "microagg --decimals full --k 10",
        [
            17.75706021024143,
            69.64598614115334,
            235.00249449409472,
            756.0121855342402,
            1954.9847701184829,
        ],
    ),
    (
        "noise --decimals full --level 1 --seed 1",
        [
            38.56495763236464,
            80.48604002978615,
            207.4629397213406,
            1592.712869103249,
            6078.7663701291685,
        ],
    ),
];

#[test]
fn costs_are_those_of_scipy() {
    let Some(census) = path("census.csv") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let masked = folder.path().join("masked.csv");
    for (masking, costs) in LEAST_COSTS {
        let output = Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
            .args(["--quiet", "mask"])
            .args(masking.split(' '))
            .arg(&census)
            .output()
            .unwrap();
        assert!(output.status.success(), "{masking}");
        std::fs::write(&masked, output.stdout).unwrap();
        for (known, least) in KNOWN.into_iter().zip(costs) {
            let output = Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
                .args(["link", "--method", "am", "--assign", "one-to-one"])
                .args(["--format", "json", "--known", &format!("first:{known}")])
                .args([&census, &masked])
                .output()
                .unwrap();
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let assignment = &report["results"][0]["assignment"];
            let (cost, bound) = (&assignment["cost"], &assignment["bound"]);
            let cost = cost.as_f64().unwrap();
            let context = format!("{masking}, {known} known: {assignment}");
            assert!((cost - least).abs() <= 1e-9 * least.max(1e-6), "{context}");
            assert!((cost - bound.as_f64().unwrap()).abs() <= 1e-9 * least.max(1e-6));
            assert_eq!(assignment["proof"], "optimal", "{context}");
            assert_eq!(assignment["pairs"], 1080, "{context}");
        }
    }
}
