//! The plan of the rank swapping table, shortened: what must hold of it whatever the draws.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

/// The plan at three strengths and one masked file each, without the assignments, which take long unless they are optimised, and with both
/// attacks in one direction: only then does the window do nothing but help.
fn shortened() -> String {
    let plan = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/plans/rank-swapping.toml");
    let plan = fs::read_to_string(plan).unwrap();
    let (settings, _) = plan.split_once("# Lists of a [[published]]").unwrap();
    let short = settings
        .replace("repeats = 10", "repeats = 1")
        .replace(", direction = \"masked-to-original\"", "")
        .replace("p = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]", "p = [2, 8, 20]");
    let lines = short
        .lines()
        .filter(|line| !line.contains("name = \"pld\""));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn rank_swapping_keeps_its_order_on_both_files() {
    let (Some(census), Some(_)) = (super::path("census.csv"), super::path("eia10.csv")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.toml");
    fs::write(&plan, shortened()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
        .args(["evaluate", "--format", "json", "--data"])
        .arg(census.parent().unwrap())
        .arg(&plan)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2 * 3);
    let rate = |row: &Value, attack: usize| row["attacks"][attack]["rate"].as_f64().unwrap();
    for row in rows {
        let (rsld, dld) = (rate(row, 0), rate(row, 1));
        println!(
            "{} {}: RSLD {rsld:.4}, DLD {dld:.4}",
            row["file"], row["parameters"]["p"]
        );
        assert!(rsld >= dld, "who knows the window links no fewer: {row}");
        for case in row["attacks"][0]["by_case"].as_array().unwrap() {
            assert_eq!(
                case["certain"], case["certain_correct"],
                "a set of one holds the true record"
            );
        }
    }
    for of_file in rows.chunks(3) {
        for pair in of_file.windows(2) {
            for attack in [0, 1] {
                assert!(
                    rate(&pair[0], attack) > rate(&pair[1], attack),
                    "links fall with p"
                );
            }
            assert!(
                pair[0]["il"].as_f64() < pair[1]["il"].as_f64(),
                "and loss rises"
            );
        }
    }
}
