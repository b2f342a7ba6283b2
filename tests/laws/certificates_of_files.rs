//! Certificates of files that chance makes: the recount against the attack `am`, and proofs made by brute force.

use sdcrisk::{
    attack::{
        self,
        distance_based::{self, DistanceBased},
    },
    certificate::{
        Certificate, Pairing,
        check::{self, Claim, Outcome, Verdict},
        format::{Conflict, Direction, Family, Node, Pair, Proof, SCHEMA, Standardize, Weighted},
    },
    evaluate::{
        link::{Assign, Study, shared_attributes},
        truth::{OriginalRecord, Truth},
    },
    table::{AttrId, ReadOptions, Table},
};

use crate::random_files::{self, Dice};

fn read(name: &str, text: &str) -> Table {
    Table::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
}

/// A certificate of all shared attributes, and what becomes of it.
fn checked(
    original: &Table,
    masked: &Table,
    fill: impl FnOnce(&mut Certificate),
) -> (Certificate, Verdict) {
    let truth = Truth::by_order(original, masked).unwrap();
    let known: Vec<(AttrId, AttrId)> = shared_attributes(original, masked, None)
        .0
        .iter()
        .map(|shared| (shared.original, shared.masked))
        .collect();
    let pairing = Pairing {
        original,
        masked,
        known: &known,
        masked_of: truth.places(),
    };
    let mut certificate = Certificate {
        schema: SCHEMA.into(),
        version: "0".into(),
        family: Family::WeightedMean,
        known: known
            .iter()
            .map(|pair| original.attribute(pair.0).name.clone())
            .collect(),
        direction: Direction::OriginalToMasked,
        standardize: Standardize::None,
        files: pairing.files(),
        held: None,
        records: original.n_records(),
        parameters: Vec::new(),
        linked: 0,
        bound: original.n_records(),
        never: Vec::new(),
        proof: Proof::Search {
            rests_on: "nothing".into(),
        },
    };
    fill(&mut certificate);
    let verdict = check::check(&certificate, &pairing).unwrap();
    (certificate, verdict)
}

/// Numbers with ties, duplicates and gaps, and a name of three kinds; masked by adding something to some of them.
fn file(dice: &mut Dice, records: usize) -> [Table; 2] {
    let original = random_files::cells(dice, records, 3, 9);
    let mut texts = [
        String::from("a0,a1,a2,town\n"),
        String::from("a0,a1,a2,town\n"),
    ];
    for record in &original {
        let town = ["Hull", "York", "NA", "Leeds"][dice.roll(4) as usize];
        for (side, text) in texts.iter_mut().enumerate() {
            for cell in record {
                let moved = cell.map(|value| value + side as i64 * (dice.roll(5) as i64 - 2));
                *text += &(moved.map_or("NA".to_string(), |value| value.to_string()) + ",");
            }
            let moves = side == 1 && dice.roll(4) == 0;
            *text += if moves { "Bath" } else { town };
            text.push('\n');
        }
    }
    [read("o.csv", &texts[0]), read("m.csv", &texts[1])]
}

/// With equal weights the weighted mean, the ordered one, the additive measure and the identity form order pairs as `am` does: the strict
/// count of the attack, which has its own standardisation and its own search, is the recount. Records without a margin of rounding could
/// be counted either way; there are none in files of small whole numbers but exact ties.
#[test]
fn equal_weights_recount_am() {
    let mut dice = Dice(11);
    for round in 0..12 {
        let [original, masked] = file(&mut dice, 30 + round);
        let truth = Truth::by_order(&original, &masked).unwrap();
        let (known, left_out) = shared_attributes(&original, &masked, None);
        assert!(left_out.is_empty() && known.len() == 4, "{left_out:?}");
        for (standardize, as_attack) in [
            (Standardize::Own, distance_based::Standardize::Own),
            (Standardize::Masked, distance_based::Standardize::Release),
            (Standardize::Original, distance_based::Standardize::Original),
            (Standardize::None, distance_based::Standardize::None),
        ] {
            for (direction, turned) in [
                (
                    Direction::OriginalToMasked,
                    attack::Direction::OriginalToMasked,
                ),
                (
                    Direction::MaskedToOriginal,
                    attack::Direction::MaskedToOriginal,
                ),
            ] {
                let everybody = (0..original.n_records() as u32)
                    .map(OriginalRecord)
                    .collect();
                let study = Study::new(&original, &masked, &truth, everybody, turned);
                let am = DistanceBased {
                    standardize: as_attack,
                };
                let outcome = study.case(&known).attack(&am, Assign::Best, false).unwrap();
                let strict = outcome.score.strict as usize;
                let additive: Vec<f64> = (1..16_u32)
                    .map(|set| f64::from(set.count_ones()) / 4.0)
                    .collect();
                let mut two = vec![0.25; 4];
                two.extend([0.0; 6]);
                for (family, parameters) in [
                    (Family::WeightedMean, vec![0.25; 4]),
                    (Family::OrderedWeightedMean, vec![0.25; 4]),
                    (Family::ChoquetMetric, additive),
                    (Family::ChoquetTwoAdditive, two),
                ] {
                    let (_, verdict) = checked(&original, &masked, |certificate| {
                        certificate.family = family;
                        certificate.direction = direction;
                        certificate.standardize = standardize;
                        certificate.parameters = parameters;
                        certificate.linked = strict;
                    });
                    let what = format!("{family:?} {standardize:?} {direction:?}: {verdict:?}");
                    assert_eq!(verdict.outcome(), Outcome::Proved, "{what}");
                }
            }
        }
    }
}

/// Where a record is linked by the weights (t, 1 − t): above the root of one row and below that of another, if at all.
#[derive(Clone, Copy)]
struct Interval {
    /// The competitor and the coefficients of the row.
    above: Option<(usize, [f64; 2])>,
    below: Option<(usize, [f64; 2])>,
    /// A row that no weights make positive.
    never: Option<(usize, [f64; 2])>,
}

fn root(row: [f64; 2]) -> f64 {
    row[1] / (row[1] - row[0])
}

impl Interval {
    fn new(original: &[[f64; 2]], masked: &[[f64; 2]], record: usize) -> Self {
        let square = |k: usize, other: usize| (original[record][k] - masked[other][k]).powi(2);
        let mut interval = Self {
            above: None,
            below: None,
            never: None,
        };
        for other in (0..masked.len()).filter(|&other| other != record) {
            let row = [0, 1].map(|k| square(k, other) - square(k, record));
            if row[0] <= 0.0 && row[1] <= 0.0 {
                interval.never.get_or_insert((other, row));
            } else if row[0] > 0.0 && row[1] <= 0.0 {
                let higher = |old: &(usize, [f64; 2])| root(row) > root(old.1);
                if interval.above.as_ref().is_none_or(higher) {
                    interval.above = Some((other, row));
                }
            } else if row[0] <= 0.0 {
                let lower = |old: &(usize, [f64; 2])| root(row) < root(old.1);
                if interval.below.as_ref().is_none_or(lower) {
                    interval.below = Some((other, row));
                }
            }
        }
        interval
    }

    fn holds(&self, t: f64) -> bool {
        let value = |row: [f64; 2]| t * row[0] + (1.0 - t) * row[1];
        let positive = |row: &Option<(usize, [f64; 2])>| row.is_none_or(|row| value(row.1) > 0.0);
        self.never.is_none() && positive(&self.above) && positive(&self.below)
    }
}

/// A row with a multiplier of the row as it is, made one of the row scaled.
fn weighted(record: usize, (other, row): (usize, [f64; 2]), multiplier: f64) -> Weighted {
    let greatest = row[0].abs().max(row[1].abs());
    let scale = if greatest > 0.0 { greatest } else { 1.0 };
    Weighted::of_rows(record as u32, other as u32, multiplier * scale)
}

/// Records i and k cannot both be linked if one is linked only above a root that is not below one that bounds the other. The multipliers
/// make the sum of both rows constant: it is not positive at either root.
fn conflict(intervals: &[Interval], i: usize, k: usize) -> Option<Conflict> {
    let (above, below) = (intervals[i].above?, intervals[k].below?);
    (root(above.1) >= root(below.1)).then(|| Conflict {
        rows: vec![
            weighted(i, above, below.1[1] - below.1[0]),
            weighted(k, below, above.1[0] - above.1[1]),
        ],
        ..Conflict::default()
    })
}

/// Small files of two attributes, whose optimum is found by trying every interval of weights. Of intervals of a line, as many as meet
/// pairwise have a point in common (Helly), so conflicts of two prove it.
#[test]
fn proofs_by_brute_force_are_proved_and_no_better_bound_is() {
    let mut dice = Dice(5);
    let (mut with_conflicts, mut searched) = (0, 0);
    for _ in 0..60 {
        let n = 4 + dice.roll(9) as usize;
        let mut point = |reach: u64| [0, 1].map(|_| dice.roll(reach) as f64);
        let original: Vec<[f64; 2]> = (0..n).map(|_| point(12)).collect();
        let masked: Vec<[f64; 2]> = original
            .iter()
            .map(|record| {
                let noise = point(5);
                [0, 1].map(|k| record[k] + noise[k] - 2.0)
            })
            .collect();
        let text = |records: &[[f64; 2]]| -> String {
            let lines = records
                .iter()
                .map(|record| format!("{},{}\n", record[0], record[1]));
            "x,y\n".to_string() + &lines.collect::<String>()
        };
        let (left, right) = (
            read("o.csv", &text(&original)),
            read("m.csv", &text(&masked)),
        );
        if shared_attributes(&left, &right, None).0.len() < 2 {
            continue;
        }
        let intervals: Vec<Interval> = (0..n)
            .map(|record| Interval::new(&original, &masked, record))
            .collect();
        let mut ends = vec![0.0, 1.0];
        for interval in &intervals {
            ends.extend(
                interval
                    .above
                    .iter()
                    .chain(&interval.below)
                    .map(|row| root(row.1)),
            );
        }
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        let middles = ends.windows(2).map(|two| two[0].midpoint(two[1]));
        let count = |t: f64| {
            intervals
                .iter()
                .filter(|interval| interval.holds(t))
                .count()
        };
        let best = middles
            .chain(ends.iter().copied())
            // In units of which whole numbers are 1: the two weights must sum to it exactly.
            .map(|t| (t * 2.0_f64.powi(53)).round() / 2.0_f64.powi(53))
            .max_by_key(|&t| count(t))
            .unwrap();
        let linked = count(best);
        let never: Vec<Pair> = (0..n)
            .filter_map(|i| {
                let (other, _) = intervals[i].never?;
                Some(Pair::of_rows(i as u32, other as u32))
            })
            .collect();
        let pairs = (0..n).flat_map(|i| (0..n).map(move |k| (i, k)));
        let conflicts: Vec<Conflict> = pairs
            .filter_map(|(i, k)| conflict(&intervals, i, k))
            .collect();
        // From the right: each step cuts the cell (e_1, rest) at an end.
        let mut nodes = Vec::new();
        let inner: Vec<f64> = ends
            .iter()
            .copied()
            .filter(|t| (0.0..1.0).contains(t) && *t > 0.0)
            .collect();
        let leaf = |from: f64, to: f64| {
            let t = from.midpoint(to);
            let wrong = (0..n).filter(|&i| intervals[i].never.is_none() && !intervals[i].holds(t));
            let row = |i: usize| {
                let value = |row: [f64; 2]| t * row[0] + (1.0 - t) * row[1];
                let rows = intervals[i].above.iter().chain(&intervals[i].below);
                let (other, _) = rows.copied().find(|row| value(row.1) <= 0.0).unwrap();
                Pair::of_rows(i as u32, other as u32)
            };
            Node::Leaf {
                wrong: wrong.map(row).collect(),
                conflicts: vec![],
            }
        };
        // The generator left of the cell has weights in proportion to `left`, not sum 1: the cut at t is left + at · e_1.
        let (mut from, mut sum) = (0.0, 1.0);
        for &t in &inner {
            // left = sum (from, 1 − from); (sum from + at) / (sum + at) = t.
            let at = sum * (t - from) / (1.0 - t);
            nodes.push(Node::split(1, 0, at));
            // The second half keeps e_1; the first, with e_1 replaced, is the leaf.
            nodes.push(leaf(from, t));
            (from, sum) = (t, sum + at);
        }
        nodes.push(leaf(from, 1.0));
        let covering = Proof::Covering {
            dropped: n - never.len() - linked,
            conflicts: conflicts.clone(),
        };
        let claim = |certificate: &mut Certificate, proof: &Proof| {
            certificate.parameters = vec![best, 1.0 - best];
            certificate.linked = linked;
            certificate.bound = linked;
            certificate.never.clone_from(&never);
            certificate.proof = proof.clone();
        };
        for proof in [covering, Proof::Cells { nodes }] {
            let (_, verdict) = checked(&left, &right, |certificate| claim(certificate, &proof));
            // Cells that are cut at thirds and the like touch within rounding only.
            let is_open =
                matches!(proof, Proof::Cells { .. }) && verdict.outcome() == Outcome::Named;
            assert!(
                is_open || verdict.outcome() == Outcome::Proved,
                "{verdict:?}"
            );
            with_conflicts += usize::from(linked + never.len() < n);
            let cover = verdict.parts.iter().find(|part| part.claim == Claim::Cover);
            searched += usize::from(cover.is_some_and(|part| !part.detail.contains("share none")));
            if linked > 0 {
                let (_, verdict) = checked(&left, &right, |certificate| {
                    claim(certificate, &proof);
                    certificate.bound -= 1;
                    if let Proof::Covering { dropped, .. } = &mut certificate.proof {
                        *dropped += 1;
                    }
                });
                assert_eq!(verdict.outcome(), Outcome::Wrong, "{verdict:?}");
            }
        }
    }
    assert!(
        with_conflicts > 10 && searched > 10,
        "{with_conflicts} {searched}"
    );
}
