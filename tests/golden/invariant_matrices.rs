//! Invariant matrices of post-randomisation, beside those of sdcMicro (`data/peers/from_sdcmicro_pram.R`).

use sdcrisk::mask::pram::invariant;
use serde_json::Value;

const FOUND: &str = include_str!("data/peers/sdcmicro_pram.json");

fn numbers(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|number| number.as_f64().unwrap()).collect()
}

/// sdcMicro mixes the two stages with the identity by `alpha`; with 1 it is theirs alone. Both keep the frequencies.
#[test]
fn two_stages_are_those_of_sdcmicro() {
    let found: Value = serde_json::from_str(FOUND).unwrap();
    let cases = found["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 6);
    for case in cases {
        let counts: Vec<usize> = (case["counts"].as_array().unwrap().iter())
            .map(|count| usize::try_from(count.as_u64().unwrap()).unwrap())
            .collect();
        let rows = |key: &str| -> Vec<Vec<f64>> {
            case[key].as_array().unwrap().iter().map(numbers).collect()
        };
        let (theirs, alpha) = (rows("matrix"), case["alpha"].as_f64().unwrap());
        let ours = invariant(&rows("first"), &counts);
        for (k, (row, their_row)) in ours.iter().zip(&theirs).enumerate() {
            for (m, (share, theirs)) in row.iter().zip(their_row).enumerate() {
                let mixed = alpha * share + (1.0 - alpha) * f64::from(u8::from(k == m));
                assert!(
                    (mixed - theirs).abs() < 1e-14,
                    "{counts:?}: {mixed} {theirs}"
                );
            }
        }
        for m in 0..counts.len() {
            let after = |rows: &[Vec<f64>]| -> f64 {
                (counts.iter().zip(rows))
                    .map(|(&count, row)| count as f64 * row[m])
                    .sum()
            };
            for rows in [&ours, &theirs] {
                assert!((after(rows) - counts[m] as f64).abs() < 1e-10, "{counts:?}");
            }
        }
    }
}
