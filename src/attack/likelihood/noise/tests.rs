use super::*;
use crate::statement::{Method, NoiseLaw};
use crate::table::Scale;

fn numbers(n: u32, salt: u32) -> Matrix {
    let value = |i: u32| f64::from((i + salt).wrapping_mul(2_654_435_761) >> 20) / 400.0;
    Matrix::complete(n as usize, 3, (0..3 * n).map(value).collect())
}

/// The index of large files and the pairs of small ones prefer the same records, in both directions: costs are half the
/// squared distances, up to a constant of the seeker. The last attribute was not masked.
#[test]
fn the_nearest_record_is_the_most_likely_one() {
    let known = ["a", "b", "c"].map(str::to_owned);
    let with_last = |matrix: &Matrix, classes: u8| {
        let rows = (0..90_u8).flat_map(|i| {
            let row = matrix.row(usize::from(i));
            [row[0], row[1], f64::from(i % classes)]
        });
        Matrix::complete(90, 3, rows.collect())
    };
    for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
        // Records by which commonness is judged do not have to agree on what was not masked: one class, where it counts.
        let classes = match direction {
            Direction::OriginalToMasked => 1,
            Direction::MaskedToOriginal => 3,
        };
        let intruder = with_last(&numbers(90, 0), classes);
        let released = with_last(&numbers(90, 7), classes);
        for (correlated, restored) in [(false, false), (true, false), (false, true)] {
            let scenario = Scenario {
                known: &known,
                scales: &[Scale::Continuous; 3],
                categories: &[],
                intruder: &intruder,
                released: &released,
                direction,
                aligned: None,
                beside: None,
                unrecoded: None,
            };
            let stated = NoiseParameters {
                law: NoiseLaw::Normal,
                level: 0.3,
                correlated,
                restored,
                rounded: false,
                rounded_before: 0,
            };
            let masked = vec!["a".to_owned(), "b".to_owned()];
            let statement = Step::new(Method::Noise(stated.clone()), 90, masked);
            let Preference::Lists(lists) = preference(&scenario, &statement, &stated).unwrap()
            else {
                panic!("so few pairs are listed")
            };
            let noise = Noise::new(&scenario, vec![true, true, false], &stated).unwrap();
            let Preference::Nearest(nearest) = noise.nearest(&scenario) else {
                panic!("a nearest record")
            };
            let mut list = Vec::new();
            for seeker in 0..90 {
                lists.list(seeker, &mut list);
                let difference = |&(sought, cost): &(u32, f64)| {
                    nearest.cost(seeker, sought as usize).unwrap() / 2.0 - cost
                };
                let first = difference(&list[0]);
                for entry in &list {
                    assert!((difference(entry) - first).abs() < 1e-9, "{direction:?}");
                }
                let possible = (0..90)
                    .filter(|&j| nearest.cost(seeker, j).is_some())
                    .count();
                assert!(list.len() <= possible && possible * usize::from(classes) == 90);
            }
        }
    }
}
