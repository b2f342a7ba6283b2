//! Certificates made by hand, for each family and kind of proof; and what becomes of them when a number is changed.
//!
//! Nothing is standardised in these examples, so that they can be worked out by hand: a squared difference is the squared difference of
//! two small numbers.

use std::sync::LazyLock;

use proptest::prelude::*;
use sdcrisk::{
    certificate::{
        Certificate, Pairing,
        check::{self, Claim, Outcome, Verdict},
        format::{
            Conflict, Direction, Family, HalfSpace, Node, Pair, Proof, SCHEMA, Standardize,
            Weighted,
        },
    },
    error::Result,
    table::{AttrId, ReadOptions, Table},
};
use serde_json::Value;

/// A certificate and its files, which are aligned by their order.
#[derive(Clone)]
struct Example {
    name: &'static str,
    original: Vec<Vec<f64>>,
    masked: Vec<Vec<f64>>,
    certificate: Certificate,
    /// What no parameters exceed, by hand.
    optimum: usize,
}

const NAMES: [&str; 3] = ["x", "y", "z"];

fn table(name: &str, records: &[Vec<f64>]) -> Table {
    let width = records[0].len();
    let mut text = NAMES[..width].join(",") + "\n";
    for record in records {
        let cells: Vec<String> = record.iter().map(ToString::to_string).collect();
        text += &(cells.join(",") + "\n");
    }
    let options = ReadOptions {
        header: Some(true),
        ..ReadOptions::default()
    };
    Table::read(name, text.into_bytes(), &options).unwrap()
}

fn with_pairing<T>(original: &Table, masked: &Table, work: impl FnOnce(&Pairing<'_>) -> T) -> T {
    let known: Vec<(AttrId, AttrId)> = original.ids().map(|id| (id, id)).collect();
    let masked_of: Vec<Option<u32>> = (0..original.n_records() as u32).map(Some).collect();
    work(&Pairing {
        original,
        masked,
        known: &known,
        masked_of: &masked_of,
    })
}

/// Pairs of (original, masked) records, and what is claimed of them.
fn example<const N: usize>(
    name: &'static str,
    records: &[([f64; N], [f64; N])],
    family: Family,
    parameters: &[f64],
    linked: usize,
    never: &[(u32, u32)],
    proof: Proof,
) -> Example {
    let original: Vec<Vec<f64>> = records.iter().map(|pair| pair.0.to_vec()).collect();
    let masked: Vec<Vec<f64>> = records.iter().map(|pair| pair.1.to_vec()).collect();
    let (left, right) = (table("o.csv", &original), table("m.csv", &masked));
    let certificate = Certificate {
        schema: SCHEMA.into(),
        version: "0".into(),
        family,
        known: NAMES[..N].iter().map(ToString::to_string).collect(),
        direction: Direction::OriginalToMasked,
        standardize: Standardize::None,
        files: with_pairing(&left, &right, |pairing| pairing.files()),
        held: None,
        records: records.len(),
        parameters: parameters.to_vec(),
        linked,
        bound: linked,
        never: never.iter().map(|&(a, b)| Pair(a, b)).collect(),
        proof,
    };
    Example {
        name,
        original,
        masked,
        certificate,
        optimum: linked,
    }
}

fn check(example: &Example, certificate: &Certificate) -> Result<Verdict> {
    let (original, masked) = (
        table("o.csv", &example.original),
        table("m.csv", &example.masked),
    );
    with_pairing(&original, &masked, |pairing| {
        check::check(certificate, pairing)
    })
}

/// The rows of a conflict, its half-spaces, and the multiplier of the plane.
type Multipliers<'a> = (&'a [(u32, u32, f64)], &'a [(HalfSpace, f64)], f64);

fn covering(conflicts: &[Multipliers<'_>], dropped: usize) -> Proof {
    let conflict = |&(rows, half_spaces, plane): &Multipliers<'_>| Conflict {
        rows: rows.iter().map(|&(a, b, m)| Weighted(a, b, m)).collect(),
        half_spaces: half_spaces.to_vec(),
        plane,
    };
    Proof::Covering {
        conflicts: conflicts.iter().map(conflict).collect(),
        dropped,
    }
}

fn leaf(wrong: &[(u32, u32)]) -> Node {
    Node::Leaf {
        wrong: wrong.iter().map(|&(a, b)| Pair(a, b)).collect(),
        conflicts: vec![],
    }
}

fn grow(set: &[&str], by: &str) -> HalfSpace {
    HalfSpace::Monotone {
        grow: set.iter().map(ToString::to_string).collect(),
        by: by.into(),
    }
}

/// Six records. The masked record of 1 differs from it by (0, 2), the competitor 3 by (1, 0): the row of the squares is (1, −4), positive
/// iff p_1 > 4 p_2. That of 2 and competitor 4 is (−4, 1), the other way round. Record 5 differs from its own by (3, 3), from 6 by (1, 1): it
/// is never linked. Records 3, 4 and 6 are equal to their masked ones. So at most four are linked, and p = (1, 0) links 1, 3, 4 and 6.
fn mean_records() -> [([f64; 2], [f64; 2]); 6] {
    [
        ([0.0, 0.0], [0.0, 2.0]),
        ([100.0, 100.0], [102.0, 100.0]),
        ([1.0, 0.0], [1.0, 0.0]),
        ([100.0, 101.0], [100.0, 101.0]),
        ([-100.0, -100.0], [-103.0, -103.0]),
        ([-101.0, -101.0], [-101.0, -101.0]),
    ]
}

/// Scaled by 4 both rows of the conflict sum to (−3/4, −3/4).
const MEAN_CONFLICT: &[(u32, u32, f64)] = &[(1, 3, 1.0), (2, 4, 1.0)];

fn means() -> Vec<Example> {
    let records = mean_records();
    let of = |name, family, parameters: &[f64], never: &[(u32, u32)], proof| {
        example(name, &records, family, parameters, 4, never, proof)
    };
    let wm = Family::WeightedMean;
    vec![
        of(
            "disjoint conflicts",
            wm,
            &[1.0, 0.0],
            &[(5, 6)],
            covering(&[(MEAN_CONFLICT, &[], 0.0)], 1),
        ),
        // r = (−3/4, −3/4) + 3/4 = 0, and 0 − 3/4 is below 0.
        of(
            "with the plane",
            wm,
            &[1.0, 0.0],
            &[(5, 6)],
            covering(&[(MEAN_CONFLICT, &[], 0.75)], 1),
        ),
        // The scaled row of 5 is (−1, −1): a conflict by itself.
        of(
            "a record against itself",
            Family::WeightedMeanMetric,
            &[0.875, 0.125],
            &[],
            covering(&[(MEAN_CONFLICT, &[], 0.0), (&[(5, 6, 0.5)], &[], 0.0)], 2),
        ),
        // In the Choquet integral (0, 4) is 4 μ({y}) and (1, 0) is μ({x}): the same rows, with a third coefficient 0.
        of(
            "a measure",
            Family::Choquet,
            &[1.0, 0.0, 1.0],
            &[(5, 6)],
            covering(&[(MEAN_CONFLICT, &[], 0.0)], 1),
        ),
        // At e_1 + e_2 the rows are −3 both: left of it 2 is wrong, right of it 1.
        of(
            "cells",
            wm,
            &[1.0, 0.0],
            &[(5, 6)],
            Proof::Cells {
                nodes: vec![
                    Node::split(0, 1, 1.0),
                    leaf(&[(2, 4)]),
                    leaf(&[(1, 3), (5, 6)]),
                ],
            },
        ),
        of(
            "a cell with a conflict",
            wm,
            &[1.0, 0.0],
            &[(5, 6)],
            Proof::Cells {
                nodes: vec![Node::Leaf {
                    wrong: vec![],
                    conflicts: vec![vec![Weighted(1, 3, 1.0), Weighted(2, 4, 1.0)]],
                }],
            },
        ),
    ]
}

/// Record 1 differs from its own by (2, 0), from 3 by (1, 1): sorted squares (4, 0) and (1, 1), row (−3, 1). Record 2 differs from its own by
/// (1, 1), from 4 by (2, 0): row (3, −1). At (1, 3) both are 0, and there is nothing between the half-lines where either is positive.
fn ordered() -> Vec<Example> {
    let records = [
        ([0.0, 0.0], [2.0, 0.0]),
        ([100.0, 100.0], [101.0, 101.0]),
        ([1.0, 1.0], [1.0, 1.0]),
        ([102.0, 100.0], [102.0, 100.0]),
    ];
    let of = |name, proof| {
        example(
            name,
            &records,
            Family::OrderedWeightedMean,
            &[1.0, 0.0],
            3,
            &[],
            proof,
        )
    };
    vec![
        of(
            "owa by a conflict",
            covering(&[(&[(1, 3, 1.0), (2, 4, 1.0)], &[], 0.0)], 1),
        ),
        of(
            "owa by cells that touch",
            Proof::Cells {
                nodes: vec![Node::split(0, 1, 3.0), leaf(&[(1, 3)]), leaf(&[(2, 4)])],
            },
        ),
    ]
}

fn measures() -> Vec<Example> {
    // Record 1 differs from its own by squares (1, 1, 0), that is μ({x, y}), from 2 by (1/4, 0, 0), that is μ({x}) / 4: the row is
    // μ({x}) / 4 − μ({x, y}), which μ({x, y}) ≥ μ({x}) forbids to be positive; the box alone does not.
    let grows = [
        ([0.0, 0.0, 0.0], [1.0, 1.0, 0.0]),
        ([0.5, 0.0, 0.0], [0.5, 0.0, 0.0]),
    ];
    // Record 1: (4, 0) against (1, 1), 1 − 4 μ({x}) > 0. Record 2: 1 − 4 μ({y}) > 0. A submodular measure has μ({x}) + μ({y}) ≥ 1. Scaled by 4:
    // (−1, 0, 1/4) + (0, −1, 1/4) + (1, 1, −1) = (0, 0, −1/2).
    let joint = [
        ([0.0, 0.0], [2.0, 0.0]),
        ([100.0, 100.0], [100.0, 102.0]),
        ([1.0, 1.0], [1.0, 1.0]),
        ([101.0, 101.0], [101.0, 101.0]),
    ];
    let submodular = HalfSpace::Submodular {
        beside: vec![],
        of: ("x".into(), "y".into()),
    };
    // Squares (1, 1, 0) against (0, 1, 0): by Möbius transforms, −m_x − m_xy.
    let two = [
        ([0.0, 0.0, 0.0], [1.0, 1.0, 0.0]),
        ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0]),
    ];
    vec![
        example(
            "monotonicity",
            &grows,
            Family::Choquet,
            &[1.0; 7],
            1,
            &[],
            covering(&[(&[(1, 2, 1.0)], &[(grow(&["x"], "y"), 0.25)], 0.0)], 1),
        ),
        example(
            "never, by the squares",
            &grows,
            Family::Choquet,
            &[1.0; 7],
            1,
            &[(1, 2)],
            covering(&[], 0),
        ),
        example(
            "submodularity",
            &joint,
            Family::ChoquetMetric,
            &[0.125, 1.0, 1.0],
            3,
            &[],
            covering(
                &[(&[(1, 3, 1.0), (2, 4, 1.0)], &[(submodular, 1.0)], 0.0)],
                1,
            ),
        ),
        example(
            "monotonicity of interactions",
            &two,
            Family::ChoquetTwoAdditive,
            &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            1,
            &[],
            covering(&[(&[(1, 2, 1.0)], &[(grow(&["y"], "x"), 1.0)], 0.0)], 1),
        ),
    ]
}

/// One attribute. Record 1 differs from its own by 1, from 2 by 0: the row is −S. Record 2 is equal to its own: the row is S. A form that
/// may be negative links either, one that may not links 2 only, and 1 is a conflict by itself.
fn forms() -> Vec<Example> {
    let records = [([0.0], [1.0]), ([0.0], [0.0])];
    let pair = HalfSpace::Pair { pair: Pair(1, 1) };
    let direction = HalfSpace::Direction {
        direction: vec![1.0],
    };
    let of = |name, family, proof| example(name, &records, family, &[1.0], 1, &[], proof);
    vec![
        of(
            "a form of either sign",
            Family::Bilinear,
            covering(&[(&[(1, 2, 1.0), (2, 1, 1.0)], &[], 0.0)], 1),
        ),
        of(
            "a pair with d² ≥ 0",
            Family::BilinearNonNegative,
            covering(&[(&[(1, 2, 1.0)], &[(pair, 1.0)], 0.0)], 1),
        ),
        of(
            "a definite form",
            Family::BilinearDefinite,
            covering(&[(&[(1, 2, 1.0)], &[(direction, 1.0)], 0.0)], 1),
        ),
    ]
}

fn examples() -> Vec<Example> {
    [means(), ordered(), measures(), forms()].concat()
}

static EXAMPLES: LazyLock<Vec<Example>> = LazyLock::new(examples);

#[test]
fn proofs_by_hand_are_proved() {
    for example in examples() {
        let verdict = check(&example, &example.certificate).unwrap();
        assert_eq!(
            verdict.outcome(),
            Outcome::Proved,
            "{}: {verdict:?}",
            example.name
        );
        assert_eq!(verdict.linked, example.optimum, "{}", example.name);
    }
}

/// The example of the chapter (methods 1.3): the first attribute was not masked, so it alone links everybody.
#[test]
fn a_key_attribute_links_everybody() {
    let records = [
        ([1.0, 30.0, 27.0], [1.0, 20.0, 47.0]),
        ([2.0, 50.0, 47.0], [2.0, 20.0, 47.0]),
        ([3.0, 25.0, 31.0], [3.0, 23.0, 31.0]),
    ];
    let mut example = example(
        "key",
        &records,
        Family::WeightedMean,
        &[1.0, 0.0, 0.0],
        3,
        &[],
        covering(&[], 0),
    );
    for standardize in [Standardize::Own, Standardize::Original, Standardize::None] {
        for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
            example.certificate.standardize = standardize;
            example.certificate.direction = direction;
            let verdict = check(&example, &example.certificate).unwrap();
            assert_eq!(verdict.outcome(), Outcome::Proved, "{verdict:?}");
            assert_eq!(verdict.linked, 3);
        }
    }
}

/// Which claim is found wrong, for single changes of the worked examples.
#[test]
fn false_claims_are_found_by_name() {
    let named = |name: &str| examples().into_iter().find(|e| e.name == name).unwrap();
    let wrong = |name: &str, change: &dyn Fn(&mut Certificate), claim: Claim| {
        let example = named(name);
        let mut certificate = example.certificate.clone();
        change(&mut certificate);
        let verdict = check(&example, &certificate).unwrap();
        assert_eq!(verdict.outcome(), Outcome::Wrong, "{name}: {verdict:?}");
        let is_it = |part: &&check::Part| part.claim == claim && part.outcome == Outcome::Wrong;
        assert!(
            verdict.parts.iter().any(|part| is_it(&part)),
            "{name}: {verdict:?}"
        );
    };
    let conflict = |certificate: &mut Certificate, change: &dyn Fn(&mut Conflict)| {
        if let Proof::Covering { conflicts, .. } = &mut certificate.proof {
            change(&mut conflicts[0]);
        }
    };
    let first = "disjoint conflicts";
    wrong(first, &|c| c.linked = 5, Claim::Linked);
    wrong(first, &|c| c.linked = 3, Claim::Linked);
    wrong(first, &|c| c.bound = 3, Claim::Bound);
    wrong(first, &|c| c.records = 5, Claim::Records);
    wrong(first, &|c| c.parameters = vec![0.5, 0.5], Claim::Linked);
    wrong(
        first,
        &|c| c.parameters = vec![1.5, -0.5],
        Claim::Parameters,
    );
    wrong(
        first,
        &|c| c.never = vec![Pair(5, 6), Pair(5, 6)],
        Claim::Never,
    );
    wrong(first, &|c| c.never = vec![Pair(5, 1)], Claim::Never);
    wrong(first, &|c| c.never = vec![Pair(5, 5)], Claim::Never);
    wrong(first, &|c| c.never = vec![Pair(7, 1)], Claim::Never);
    wrong(first, &|c| c.never = vec![Pair(0, 1)], Claim::Never);
    // 5 (1/4, −1) + (−1, 1/4) is positive at (1, 0).
    wrong(
        first,
        &|c| conflict(c, &|conflict| conflict.rows[0].2 = 5.0),
        Claim::Inequalities,
    );
    for multiplier in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324, 1e308] {
        wrong(
            first,
            &|c| conflict(c, &|conflict| conflict.rows[1].2 = multiplier),
            Claim::Inequalities,
        );
    }
    wrong(
        first,
        &|c| conflict(c, &|conflict| conflict.rows.clear()),
        Claim::Inequalities,
    );
    // A second row of the same record instead of one of the other: no conflict any more.
    wrong(
        first,
        &|c| conflict(c, &|conflict| conflict.rows[1] = conflict.rows[0]),
        Claim::Inequalities,
    );
    wrong(
        first,
        &|c| {
            if let Proof::Covering { dropped, .. } = &mut c.proof {
                *dropped = 2;
            }
            c.bound = 3;
        },
        Claim::Cover,
    );
    // The same conflict twice costs no more than once.
    wrong(
        first,
        &|c| {
            if let Proof::Covering { dropped, conflicts } = &mut c.proof {
                conflicts.push(conflicts[0].clone());
                *dropped = 2;
            }
        },
        Claim::Cover,
    );
    for (example, half_space) in [
        ("monotonicity", grow(&["y"], "x")),
        ("monotonicity", grow(&["x"], "x")),
        ("monotonicity", grow(&["w"], "y")),
        ("submodularity", grow(&["x"], "y")),
        ("a form of either sign", grow(&["x"], "x")),
        ("a pair with d² ≥ 0", HalfSpace::Pair { pair: Pair(2, 2) }),
        (
            "a definite form",
            HalfSpace::Direction {
                direction: vec![1.0, 1.0],
            },
        ),
        (
            "a definite form",
            HalfSpace::Direction {
                direction: vec![0.5],
            },
        ),
    ] {
        wrong(
            example,
            &|c| {
                conflict(c, &|conflict| {
                    conflict.half_spaces = vec![(half_space.clone(), 0.25)]
                })
            },
            Claim::Inequalities,
        );
    }
    for example in [
        "monotonicity",
        "submodularity",
        "monotonicity of interactions",
        "a pair with d² ≥ 0",
        "a definite form",
    ] {
        wrong(
            example,
            &|c| conflict(c, &|conflict| conflict.half_spaces.clear()),
            Claim::Inequalities,
        );
    }
    let node = |certificate: &mut Certificate, number: usize, node: Node| {
        if let Proof::Cells { nodes } = &mut certificate.proof {
            nodes[number] = node;
        }
    };
    let cells = "owa by cells that touch";
    for at in [3.1, 2.9, 0.0, -3.0, f64::NAN, f64::INFINITY] {
        wrong(
            cells,
            &|c| node(c, 0, Node::split(0, 1, at)),
            Claim::Inequalities,
        );
    }
    for (a, b) in [(0, 0), (0, 2), (2, 0), (usize::MAX, 0)] {
        wrong(
            cells,
            &|c| node(c, 0, Node::split(a, b, 3.0)),
            Claim::Inequalities,
        );
    }
    wrong(
        cells,
        &|c| node(c, 0, Node::split(1, 0, 3.0)),
        Claim::Inequalities,
    );
    wrong(cells, &|c| node(c, 1, leaf(&[])), Claim::Inequalities);
    wrong(cells, &|c| node(c, 1, leaf(&[(2, 4)])), Claim::Inequalities);
    wrong(
        cells,
        &|c| node(c, 2, Node::split(0, 1, 1.0)),
        Claim::Inequalities,
    );
    wrong(cells, &|c| node(c, 0, leaf(&[])), Claim::Inequalities);
    wrong(
        "a measure",
        &|c| {
            c.proof = Proof::Cells {
                nodes: vec![leaf(&[(1, 3)])],
            }
        },
        Claim::Inequalities,
    );
}

/// The first attribute was not masked: its weight 1 links everybody. The second is 3e6 off in all masked records but the first, which makes
/// the difference of every record and competitor 1 a row of ((i − 1)², −9e12). Next to 9e12 the first coefficient is 4e-10 at most: a margin of 1e-8
/// of the greatest coefficient called these records never linked, and "no parameters link more than 1 of 60" proved, with p = (0, 1) beside it, which
/// links record 1.
#[test]
fn an_outlier_hides_nothing() {
    let records: Vec<([f64; 2], [f64; 2])> = (0..60)
        .map(|i| {
            let first = f64::from(i);
            let off = if i == 0 { 0.0 } else { 3e6 };
            ([first, 0.0], [first, off])
        })
        .collect();
    let never: Vec<(u32, u32)> = (2..=60).map(|record| (record, 1)).collect();
    let wm = Family::WeightedMean;
    let of = |parameters: &[f64], linked, never: &[(u32, u32)], proof| {
        let example = example("outlier", &records, wm, parameters, linked, never, proof);
        check(&example, &example.certificate).unwrap()
    };
    let verdict = of(&[0.0, 1.0], 1, &never, covering(&[], 0));
    assert_eq!(verdict.outcome(), Outcome::Wrong, "{verdict:?}");
    // As conflicts of one row each, and of two.
    let alone: Vec<[(u32, u32, f64); 1]> = (2..=60).map(|record| [(record, 1, 1.0)]).collect();
    let alone: Vec<Multipliers<'_>> = alone.iter().map(|row| (&row[..], &[][..], 0.0)).collect();
    let verdict = of(&[0.0, 1.0], 1, &[], covering(&alone, 59));
    assert_eq!(verdict.outcome(), Outcome::Wrong, "{verdict:?}");
    let plane: Vec<Multipliers<'_>> = alone.iter().map(|row| (row.0, row.1, 1.0)).collect();
    let verdict = of(&[0.0, 1.0], 1, &[], covering(&plane, 59));
    assert_eq!(verdict.outcome(), Outcome::Wrong, "{verdict:?}");
    let leaf = Proof::Cells {
        nodes: vec![leaf(&never)],
    };
    let verdict = of(&[0.0, 1.0], 1, &[], leaf);
    assert_eq!(verdict.outcome(), Outcome::Wrong, "{verdict:?}");
    // The truth.
    let verdict = of(&[1.0, 0.0], 60, &[], covering(&[], 0));
    assert_eq!(verdict.outcome(), Outcome::Proved, "{verdict:?}");
    assert_eq!(verdict.linked, 60);
}

/// Records 1 and 2 are 3 off in one attribute, and 2 from a competitor in the other: the rows of the squares and the product are (−9, 4, 0) and
/// (4, −9, 0). Record 7 is at its own place and 1 from 8: (0, 1, 0). Since 4 (−9, 4, 0) + 9 (4, −9, 0) + 65 (0, 1, 0) = 0, no form links all
/// three. Divided by 9 the multipliers are 4/9, 1 and 65/9, which are no binary numbers: with the rounded ones the sum is not 0.
#[test]
fn multipliers_are_rounded_and_what_they_mean_is_exact() {
    let records = [
        ([0.0, 0.0], [3.0, 0.0]),
        ([100.0, 100.0], [100.0, 103.0]),
        ([0.0, 2.0], [0.0, 2.0]),
        ([102.0, 100.0], [102.0, 100.0]),
        ([500.0, 0.0], [500.0, 0.0]),
        ([501.0, 0.0], [501.0, 0.0]),
        ([0.0, 500.0], [0.0, 500.0]),
        ([0.0, 501.0], [0.0, 501.0]),
    ];
    let scaled = |of_1: f64, of_2: f64, of_7: f64| {
        let rows = [(1, 3, of_1 * 9.0), (2, 4, of_2 * 9.0), (7, 8, of_7)];
        let proof = covering(&[(&rows[..], &[], 0.0)], 1);
        let example = example(
            "forms",
            &records,
            Family::Bilinear,
            &[1.0, 0.25, 0.0],
            7,
            &[],
            proof,
        );
        check(&example, &example.certificate).unwrap()
    };
    let verdict = scaled(4.0 / 9.0, 1.0, 65.0 / 9.0);
    assert_eq!(verdict.outcome(), Outcome::Proved, "{verdict:?}");
    // What is off by more than rounding is no conflict.
    let verdict = scaled(4.0 / 9.0 + 1e-9, 1.0, 65.0 / 9.0);
    assert_eq!(verdict.outcome(), Outcome::Wrong, "{verdict:?}");
}

/// A search proves nothing, unless the bound is trivial.
#[test]
fn what_rests_on_words_is_named() {
    let mut example = means().swap_remove(0);
    example.certificate.proof = Proof::Search {
        rests_on: "a solver\u{1b}[31m".into(),
    };
    let verdict = check(&example, &example.certificate).unwrap();
    assert_eq!(verdict.outcome(), Outcome::Named);
    assert!(
        verdict
            .parts
            .iter()
            .all(|part| !part.detail.contains("a solver"))
    );
    // Six records, one of which is never linked.
    example.certificate.bound = 5;
    let verdict = check(&example, &example.certificate).unwrap();
    assert_eq!(verdict.outcome(), Outcome::Proved);
    example.certificate.bound = 3;
    let verdict = check(&example, &example.certificate).unwrap();
    assert_eq!(verdict.outcome(), Outcome::Wrong);
}

#[test]
fn what_does_not_speak_of_these_files_is_refused() {
    let example = means().swap_remove(0);
    let refused = |change: &dyn Fn(&mut Certificate)| {
        let mut certificate = example.certificate.clone();
        change(&mut certificate);
        check(&example, &certificate).unwrap_err().to_string()
    };
    for (error, says) in [
        (
            refused(&|c| c.files.original.records = 7),
            "o.csv: has 6 records",
        ),
        (
            refused(&|c| c.files.masked.values = "0".into()),
            "m.csv: has other values",
        ),
        (refused(&|c| c.files.pairing = "0".into()), "are not paired"),
        (
            refused(&|c| c.known = vec!["x".into()]),
            "number of parameters",
        ),
        (
            refused(&|c| c.known = vec!["x".into(), "x".into()]),
            "one twice",
        ),
        (refused(&|c| c.known.clear()), "names no attribute"),
        (refused(&|c| c.parameters.clear()), "number of parameters"),
        (
            refused(&|c| c.parameters = vec![1.0, f64::NAN]),
            "are no numbers",
        ),
        (refused(&|c| c.held = Some(vec![1, 1])), "one twice"),
        (refused(&|c| c.held = Some(vec![0])), "does not have"),
        (refused(&|c| c.held = Some(vec![7])), "does not have"),
    ] {
        assert!(error.contains(says), "{error}");
    }
}

/// The bound holds of those records only that the intruder holds: of 1, 2 and 3 at most two.
#[test]
fn an_intruder_who_holds_some_records() {
    let mut example = means().swap_remove(0);
    let certificate = &mut example.certificate;
    certificate.held = Some(vec![1, 2, 3]);
    certificate.never.clear();
    (certificate.records, certificate.linked, certificate.bound) = (3, 2, 2);
    let verdict = check(&example, &example.certificate).unwrap();
    assert_eq!(verdict.outcome(), Outcome::Proved, "{verdict:?}");
    // Who is not held does not look for anybody.
    example.certificate.never = vec![Pair(5, 6)];
    let verdict = check(&example, &example.certificate).unwrap();
    assert_eq!(verdict.outcome(), Outcome::Wrong);
}

/// d² by the plain formulas, for files of few attributes.
fn distance(family: Family, p: &[f64], a: &[f64], b: &[f64]) -> f64 {
    let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let mut s: Vec<f64> = d.iter().map(|d| d * d).collect();
    let n = s.len();
    let pairs: Vec<(usize, usize)> = (0..n)
        .flat_map(|k| (k + 1..n).map(move |l| (k, l)))
        .collect();
    let dot = |s: &[f64]| s.iter().zip(p).map(|(s, p)| s * p).sum::<f64>();
    match family {
        Family::WeightedMean | Family::WeightedMeanMetric => dot(&s),
        Family::OrderedWeightedMean => {
            s.sort_by(|a, b| b.total_cmp(a));
            dot(&s)
        }
        // Σ over levels: the measure of the attributes that reach the level, times its height above the one before.
        Family::Choquet | Family::ChoquetMetric => {
            let mut levels = s.clone();
            levels.sort_by(f64::total_cmp);
            let mut below = 0.0;
            let mut sum = 0.0;
            for level in levels {
                let reach = (0..n).filter(|&k| s[k] >= level);
                let set: usize = reach.map(|k| 1 << k).sum();
                sum += (level - below) * p[set - 1];
                below = level;
            }
            sum
        }
        Family::ChoquetTwoAdditive => {
            s.extend(
                pairs
                    .iter()
                    .map(|&(k, l)| s[k].min(s[l]))
                    .collect::<Vec<_>>(),
            );
            dot(&s)
        }
        _ => {
            s.extend(pairs.iter().map(|&(k, l)| 2.0 * d[k] * d[l]));
            dot(&s)
        }
    }
}

fn linked(example: &Example, certificate: &Certificate) -> usize {
    let of = |i: usize, j: usize| {
        distance(
            certificate.family,
            &certificate.parameters,
            &example.original[i],
            &example.masked[j],
        )
    };
    let records = 0..example.original.len();
    let is_linked = |&i: &usize| records.clone().all(|j| j == i || of(i, j) > of(i, i));
    records.clone().filter(is_linked).count()
}

/// The places of all numbers.
fn numbers(value: &Value, path: &str, places: &mut Vec<String>) {
    match value {
        Value::Number(_) => places.push(path.to_string()),
        Value::Array(entries) => {
            for (k, entry) in entries.iter().enumerate() {
                numbers(entry, &format!("{path}/{k}"), places);
            }
        }
        Value::Object(entries) => {
            for (key, entry) in entries {
                numbers(entry, &format!("{path}/{key}"), places);
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// One number of a valid certificate is changed. Whatever is still proved is true: so many records are linked, by another program and
    /// other formulas, and the bound is not below the optimum.
    #[test]
    fn no_change_makes_a_false_claim_pass(which in 0..1000_usize, place in 0..1000_usize, change in 0..9_usize, by in -3.0..3.0_f64) {
        let example = &EXAMPLES[which % EXAMPLES.len()];
        let mut json: Value = serde_json::from_str(&example.certificate.to_json()).unwrap();
        let mut places = Vec::new();
        numbers(&json, "", &mut places);
        let path = &places[place % places.len()];
        let number = json.pointer_mut(path).unwrap();
        let old = number.as_f64().unwrap();
        let changed = match change {
            0 => old + 1.0,
            1 => old - 1.0,
            2 => old * 2.0,
            3 => old / 2.0,
            4 => -old,
            5 => 0.0,
            6 => old + by,
            7 => old * (1.0 + by * 1e-7),
            _ => by.round(),
        };
        let is_whole = number.is_u64() || number.is_i64();
        *number = if is_whole && changed.fract() == 0.0 { Value::from(changed as i64) } else { Value::from(changed) };
        // What does not fit the format is refused by it.
        let Ok(certificate) = Certificate::from_json("c.json", &json.to_string()) else {
            return Ok(());
        };
        let Ok(verdict) = check(example, &certificate) else {
            return Ok(());
        };
        if verdict.outcome() == Outcome::Proved {
            prop_assert!(certificate.bound >= example.optimum, "{}: {} {:?}", example.name, path, verdict);
            prop_assert_eq!(certificate.linked, linked(example, &certificate), "{}: {}", example.name, path);
            prop_assert_eq!(certificate.records, example.original.len());
            prop_assert!(certificate.bound >= certificate.linked);
        }
    }
}
