//! Losses of weighted statistics: equal weights say nothing, whole numbers stand for copies.

use sdcrisk::{
    figure::Figure,
    loss::{
        self,
        weighted::{Weighted, weighted},
    },
    table::{AttrId, Table, pair::Pair},
};

use crate::random_files::{self, Dice};

/// Two files of four attributes with gaps, and the attributes of both.
fn files(seed: u64) -> ([Table; 2], Vec<[AttrId; 2]>) {
    let mut dice = Dice(seed * 31 + 7);
    let original = random_files::table(&random_files::cells(&mut dice, 40, 4, 9));
    let masked = random_files::table(&random_files::cells(&mut dice, 40, 4, 12));
    let ids = original.ids().map(|id| [id, id]).collect();
    ([original, masked], ids)
}

fn pair(files: &([Table; 2], Vec<[AttrId; 2]>), copies: &[usize]) -> Pair {
    let ([original, masked], ids) = files;
    let records = (0..).zip(copies).flat_map(|(r, &n)| vec![[r, r]; n]);
    Pair::new([original, masked], ids, &records.collect::<Vec<_>>())
}

fn bits(figure: &Figure) -> Option<u64> {
    figure.value.map(f64::to_bits)
}

#[test]
fn equal_weights_give_the_figures_without_weights_to_the_last_bit() {
    for seed in 0..20 {
        let pair = pair(&files(seed), &[1; 40]);
        let of_all = loss::figures(&pair, &[]);
        for weight in [1.0, 0.1, 37.25] {
            let figures = weighted(&pair, &[weight; 40]);
            assert_eq!(figures.len(), 14);
            for Weighted {
                unweighted,
                weighted,
            } in &figures
            {
                let key = unweighted.what.key;
                let alone = of_all.iter().find(|figure| figure.what.key == key).unwrap();
                assert_eq!(bits(unweighted), bits(alone), "{key}");
                assert_eq!(bits(weighted), bits(alone), "{key} {weight}");
            }
        }
    }
}

/// The oracle: the file with as many copies of each record, without weights. Its divisor counts copies (W − 1), that of weights does not
/// (W (n − 1) / n); with gaps the factor is another one for each attribute, so files without gaps are compared where it matters.
#[test]
fn whole_weights_are_copies_of_records() {
    for seed in 0..20 {
        let mut dice = Dice(seed * 17 + 3);
        let copies: Vec<usize> = (0..40).map(|_| dice.roll(5) as usize).collect();
        let weights: Vec<f64> = copies.iter().map(|&n| n as f64).collect();
        let [n, all] = [
            copies.iter().filter(|&&n| n > 0).count() as f64,
            weights.iter().sum::<f64>(),
        ];
        let with_gaps = files(seed);
        let mut dice = Dice(seed * 31 + 8);
        let whole = |dice: &mut Dice| random_files::table(&random_files::cells(dice, 40, 4, 0));
        let without = ([whole(&mut dice), whole(&mut dice)], with_gaps.1.clone());
        for (files, has_gaps) in [(&with_gaps, true), (&without, false)] {
            let figures = weighted(&pair(files, &[1; 40]), &weights);
            let copied = loss::figures(&pair(files, &copies), &[]);
            for Weighted {
                unweighted,
                weighted,
            } in &figures
            {
                let key = unweighted.what.key;
                let copied = copied.iter().find(|figure| figure.what.key == key).unwrap();
                let factor = (all - 1.0) / all * n / (n - 1.0);
                let is_square = key.contains("variances") || key.contains("covariances");
                let expected = match key {
                    _ if has_gaps && is_square => continue,
                    _ if is_square && key.starts_with("mean_square") => factor * factor,
                    _ if is_square && key.starts_with("mean_absolute") => factor,
                    _ => 1.0,
                };
                match (weighted.value, copied.value) {
                    (Some(weighted), Some(copied)) => assert!(
                        (weighted - copied * expected).abs() <= 1e-9 * copied.abs().max(1e-3),
                        "{key} {seed}: {weighted} {copied}"
                    ),
                    (weighted, copied) => assert_eq!(weighted, copied, "{key} {seed}"),
                }
            }
        }
    }
}
