//! The measures that "Choquet integral for record linkage" (D. Abril, G. Navarro-Arribas, V. Torra, Annals of Operations
//! Research 195, 2012) prints, and what its section 4.2 says of them.

use sdcrisk::{
    attack::{
        Direction,
        distance_based::Standardize,
        learned::{
            family::Family,
            weights::{ProofStatus, Weights},
        },
    },
    report::explain::Explanation,
    stats::measure::{SetFunction, members, size},
};

/// Table 3: M4-28, by the dyadic number of the set; its leftmost digit is the first variable. The lines of the file are in that order.
const TABLE_3: &str = include_str!("../../data/choquet-measure.csv");

fn table_3() -> Vec<f64> {
    let weight = |line: &str| line.split_once(',').unwrap().1.parse().unwrap();
    TABLE_3.lines().skip(1).map(weight).collect()
}

/// Table 4: M6-853.
#[rustfmt::skip]
const TABLE_4: [f64; 64] = [
    0.0000000000, 0.0007378150, 0.0000000000, 0.0220367576, 0.0000000000, 0.0640252746, 0.0640252746, 0.0641252746,
    0.0019057155, 0.0160771077, 0.0220367576, 0.0221367576, 0.0020057155, 0.0641252746, 0.0641252746, 0.0642252746,
    0.0004214525, 0.0008378150, 0.0220367576, 0.0221367576, 0.0640252746, 0.0641252746, 0.0641252746, 0.8247279668,
    0.0127378590, 0.0213887564, 0.0221367576, 0.0222367576, 0.0641252746, 0.0642252746, 0.8247279668, 0.8248279668,
    0.0081683003, 0.0221158311, 0.0221158311, 0.0222158311, 0.0082683003, 0.0641252746, 0.0641252746, 0.9998000000,
    0.0082683003, 0.0222158311, 0.0423704875, 0.0424704875, 0.0083683003, 0.0642252746, 0.9998000000, 0.9999000000,
    0.0221158311, 0.0222158311, 0.0222158311, 0.0424704875, 0.0641252746, 0.0642252746, 0.9998000000, 0.9999000000,
    0.0222158311, 0.0223158311, 0.0424704875, 0.0425704875, 0.0642252746, 0.0643252746, 0.9999000000, 1.0000000000,
];

/// Table 1: the shares of 400 records that these measures link.
fn linked() -> [(Vec<f64>, f64); 2] {
    [(table_3(), 0.9375), (TABLE_4.to_vec(), 0.9925)]
}

/// The digits of a set read from the other end: here the first variable is the lowest bit.
fn set(digits: usize, n: usize) -> usize {
    members(digits).map(|place| 1 << (n - 1 - place)).sum()
}

fn measure(table: &[f64]) -> SetFunction {
    let n = table.len().ilog2() as usize;
    let mut values = vec![0.0; table.len()];
    for (digits, value) in table.iter().enumerate() {
        values[set(digits, n)] = *value;
    }
    SetFunction::new(values).unwrap()
}

/// As a file of weights. The whole is printed as 0.999999 in table 3.
fn weights(table: &[f64], linked: f64) -> Weights {
    let measure = measure(table);
    let mut parameters = measure.values()[1..].to_vec();
    *parameters.last_mut().unwrap() = 1.0;
    Weights {
        version: "paper".into(),
        family: Family::Choquet,
        attributes: (1..=measure.n_attributes())
            .map(|k| format!("V{k}"))
            .collect(),
        standardize: Standardize::Own,
        direction: Direction::OriginalToMasked,
        parameters,
        linked: (400.0 * linked) as usize,
        records: 400,
        bound: (400.0 * linked) as usize,
        proof: ProofStatus::Optimal,
        ranges: None,
        shapley_ranges: None,
        alone: None,
    }
}

/// They are fuzzy measures, and from non-empty sets upwards every step is at least 0.0001: the margin that the authors asked of each
/// inequality. A file of them is read back.
#[test]
fn the_printed_measures_are_monotone() {
    for (table, linked) in linked() {
        let measure = measure(&table);
        assert!(measure.is_monotone(0.0));
        for set in 1..=measure.all() {
            for k in members(measure.all() & !set) {
                assert!(measure.of(set | 1 << k) - measure.of(set) > 0.0001 - 1.1e-6);
            }
        }
        let weights = weights(&table, linked);
        let read = Weights::from_json("w.json", &weights.to_json()).unwrap();
        assert_eq!(read, weights);
    }
}

/// "The first variable provides a high degree of information …: all subsets which include it have a weight greater than 0.999"; "the
/// highest weight of a two element subset is the one which includes the first and third variables".
#[test]
fn table_3_says_what_the_paper_says_of_it() {
    let measure = measure(&table_3());
    for set in (0..16).filter(|set| set & 1 == 1) {
        assert!(measure.of(set) > 0.999);
    }
    let pairs = (0..16).filter(|&set| size(set) == 2);
    let best = pairs.max_by(|&a, &b| measure.of(a).total_cmp(&measure.of(b)));
    assert_eq!(best, Some(0b0101));
    let explained = Explanation::new(&weights(&table_3(), 0.9375));
    assert_eq!(explained.linked, 375);
    let said = explained.in_words.join(" ");
    assert!(said.starts_with("V1 counts most"), "{said}");
    assert!(
        said.contains("A difference in V1 alone counts nearly in full already"),
        "{said}"
    );
}

/// Shapley values of table 3 over all 24 orders in which four variables can come, worked out here one by one.
#[test]
fn shapley_values_are_averages_over_orders() {
    let measure = measure(&table_3());
    let mut sums = [0.0; 4];
    let mut orders = 0;
    for code in 0..256_usize {
        let order: Vec<usize> = (0..4).map(|place| code >> (2 * place) & 3).collect();
        if order.iter().map(|k| 1 << k).sum::<usize>() != 15
            || order.iter().fold(0, |set, k| set | 1 << k) != 15
        {
            continue;
        }
        orders += 1;
        let mut before = 0;
        for k in order {
            sums[k] += measure.of(before | 1 << k) - measure.of(before);
            before |= 1 << k;
        }
    }
    assert_eq!(orders, 24);
    for (value, sum) in measure.shapley().iter().zip(sums) {
        assert!((value - sum / 24.0).abs() < 1e-12);
    }
}

/// Figure 2 shows the subsets of 0.1 and more. "The sets of four elements all include at least one element of each block of variables", which
/// are (1, 2), (3, 4) and (5, 6); "the 5th … variable is present in all the measures"; "measures for sets which differ in the presence of
/// the second and last variables are approximately the same".
#[test]
fn table_4_says_what_the_paper_says_of_it() {
    let measure = measure(&TABLE_4);
    let shown: Vec<usize> = (0..64).filter(|&set| measure.of(set) >= 0.1).collect();
    assert!(shown.iter().all(|set| set & 0b010000 != 0));
    assert!(shown.iter().all(|&set| size(set) >= 4));
    for block in [0b000011, 0b001100, 0b110000] {
        assert!(
            shown
                .iter()
                .filter(|&&set| size(set) == 4)
                .all(|set| set & block != 0)
        );
    }
    let explained = Explanation::new(&weights(&TABLE_4, 0.9925));
    assert_eq!(explained.linked, 397);
    // The smallest sets worth 0.9 are those of four elements with 0.9998 in the table: digits 110110, 101110, 100111.
    let said = explained.in_words.join(" ");
    let sets = "{V1+V2+V4+V5}, {V1+V3+V4+V5} and {V1+V4+V5+V6}";
    assert!(said.contains(sets), "{said}");
    assert!(said.contains("Needed together: V4 and V5"), "{said}");
    // All 63 sets and the empty one stand in the picture, the whole first.
    let svg = explained.to_svg();
    assert_eq!(svg.matches("<g><title>").count(), 64);
    assert!(
        svg.contains("<g><title>V1+V3+V4+V5: 0.9998</title>"),
        "{svg}"
    );
}

/// Table 5: the weighted mean for M6-853. "The most important variable seems to be the 5th one."
#[test]
fn table_5_names_the_fifth_variable() {
    let printed = [
        0.016809573957189,
        0.00198841786482128,
        0.00452923777074791,
        0.138812880222131,
        0.835523953314578,
        0.00233593687053289,
    ];
    let weights = Weights {
        family: Family::WeightedMean,
        parameters: printed.to_vec(),
        ..weights(&TABLE_4, 0.9875)
    };
    let read = Weights::from_json("w.json", &weights.to_json()).unwrap();
    let said = Explanation::new(&read).in_words.join(" ");
    assert!(
        said.starts_with("V5 alone carries 83.6 % of the weight"),
        "{said}"
    );
    // √(0.8355 / 0.1388) = 2.45.
    assert!(
        said.contains("as much as one of 2.5 standard deviations in V4"),
        "{said}"
    );
}
