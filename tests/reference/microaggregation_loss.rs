//! Information loss of microaggregation on the reference files, 100·SSE/SST, as a user sees it.
//!
//! The figures of MDAV are the published ones of the literature (J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz, F.
//! Sebé, "Efficient multivariate data-oriented microaggregation", VLDB Journal 15, 2006, and later tables: Census 5.6922,
//! Tarragona 16.9326, EIA 0.4829 at k = 3), with more digits from an independent program.

use std::process::Command;

use super::path;

/// Masks a reference file by the program; 100·SSE/SST as it says on standard error.
fn loss(file: &str, options: &str) -> Option<f64> {
    let run = Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
        .args(["mask", "microagg"])
        .args(options.split(' '))
        .arg(path(file)?)
        .output()
        .unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{file} {options}: {said}");
    let (_, after) = said.split_once("standardised attributes: ").unwrap();
    Some(after.split(' ').next().unwrap().parse().unwrap())
}

/// UTILITYID and the ten amounts.
const EIA: &str = "--keep-identifiers --attributes UTILITYID,6-15";

#[test]
fn mdav_loses_what_was_published() {
    for (file, k, more, published) in [
        ("census.csv", 3, "", 5.692_186),
        ("census.csv", 4, "", 7.494_700),
        ("census.csv", 5, "", 9.088_435),
        ("census.csv", 10, "", 14.155_930),
        ("tarragona.csv", 3, "", 16.932_588),
        ("tarragona.csv", 5, "", 22.461_860),
        ("eia.csv", 3, EIA, 0.482_939),
        ("eia.csv", 4, EIA, 0.671_345),
        ("eia.csv", 5, EIA, 1.666_675),
        ("eia.csv", 10, EIA, 3.839_670),
    ] {
        let options = format!("--k {k} {more}");
        if let Some(loss) = loss(file, options.trim()) {
            assert!((loss - published).abs() < 1.01e-6, "{file} k = {k}: {loss}");
        }
    }
}

/// The table in docs/choosing.md: what the refinements lose, so that the text stays true. (That `exchange` is below the published
/// heuristics is asserted beside the library.)
#[test]
fn the_table_of_the_documentation_is_true() {
    let page = include_str!("../../docs/choosing.md");
    for algorithm in ["mdav", "mdav-mhm", "exchange"] {
        let line = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{algorithm}`")) && line.contains(" / "))
            .unwrap();
        let cells = line.split('|').skip(2);
        for ((file, more), cell) in [("census.csv", ""), ("tarragona.csv", ""), ("eia.csv", EIA)]
            .into_iter()
            .zip(cells)
        {
            for (k, stated) in [3, 5, 10].into_iter().zip(cell.split('/')) {
                let options = format!("--k {k} --algorithm {algorithm} {more}");
                let Some(loss) = loss(file, options.trim()) else {
                    return;
                };
                let stated = stated.trim();
                let digits = stated.len() - stated.find('.').unwrap() - 1;
                assert_eq!(format!("{loss:.digits$}"), stated, "{file}, {options}");
            }
        }
    }
}
