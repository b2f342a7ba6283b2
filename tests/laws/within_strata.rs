//! Maskings within strata: each stratum is masked as if it were a file of its own, and an intruder who reads so finds what they would find
//! in the strata one by one.

use std::collections::BTreeMap;

use sdcrisk::{
    attack::{Direction, involution::EPS},
    evaluate::{
        link::Assign,
        truth::{MaskedRecord, OriginalRecord, Truth},
    },
    jobs::{
        Quiet,
        link::{
            self, Input, LinkOutcome, LinkRequest, Stated,
            request::{AttackRequest, Attacks, Known},
        },
        mask::{
            self,
            recipe::{self, RecipeRequest},
            request::{
                ClusterNumber, CopulaKeep, CopulaRequest, FuzzyRequest, IpsoRequest, KeepRequest,
                MaskRequest, MethodRequest, MicroaggregationRequest, RulesFile, SuppressRequest,
            },
        },
    },
    mask::{
        Mask, Masked, Rounding,
        copula::Keep,
        fuzzy::Settings,
        microaggregation::{BlockOf, Blocks, Microaggregation},
        noise::{self, Noise},
        p_buckets::PBuckets,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::{
        Average, CopulaAllocation, DistanceScale, Grouping, IpsoVariant, Method, MissingMatches,
        Partner, SampleSize, Statement,
    },
    table::Table,
};

use crate::{random_files::Dice, tables::table};

const NAMES: [&str; 3] = ["north", "south", "up, hill"];

/// A file of three regions of very different sizes and levels, in no order: `region`, numbers `a`, `b`, `c` (distinct, unless `ties`), and
/// `d` = a + b. One cell of b or c in `gap` is missing.
fn people(seed: u64, records: usize, ties: bool, gap: u64) -> Table {
    let mut dice = Dice(seed * 977 + 13);
    let mut text = String::from("region;a;b;c;d\n");
    for record in 0..records {
        let region = [0, 0, 0, 0, 1, 1, 1, 2][dice.roll(8) as usize];
        let level = 1000 * region as u64;
        let a = level + dice.roll(if ties { 30 } else { 900 });
        let (b, c) = (
            dice.roll(if ties { 60 } else { 700 }),
            level / 2 + dice.roll(600),
        );
        // Distinct by their decimals.
        let cell = |value: u64, times: usize| {
            if ties {
                value.to_string()
            } else {
                format!("{value},{:04}", times * record)
            }
        };
        let sum = cell(a + b, 2);
        let missing = gap > 0 && dice.roll(gap) == 0;
        let (b, d) = if missing {
            ("NA".into(), "NA".into())
        } else {
            (cell(b, 1), sum)
        };
        text += &format!(
            "\"{}\";{};{b};{};{d}\n",
            NAMES[region],
            cell(a, 1),
            cell(c, 1)
        );
    }
    table(text)
}

fn within(strata: &str, method: MethodRequest, attributes: &str) -> MaskRequest {
    MaskRequest {
        attributes: Some(attributes.into()),
        strata: Some(strata.into()),
        ..MaskRequest::new(method)
    }
}

fn swap(p: f64) -> MethodRequest {
    MethodRequest::RankSwap {
        reach: Reach::Percent(p),
        partner: Partner::Unswapped,
    }
}

fn noise(correlated: bool) -> MethodRequest {
    MethodRequest::Noise {
        level: 0.2,
        options: noise::Options {
            correlated,
            ..noise::Options::default()
        },
    }
}

fn microaggregation(k: usize, algorithm: Grouping) -> MethodRequest {
    MethodRequest::Microaggregation(MicroaggregationRequest {
        k: Some(k),
        groups: Vec::new(),
        algorithm,
        scale: DistanceScale::Z,
        average: Average::Mean,
        rounding: Rounding::None,
    })
}

fn copula() -> MethodRequest {
    MethodRequest::Copula(CopulaRequest {
        keep: CopulaKeep::Stated(Keep::Mu(2.0), None),
        components: Some(1),
        allocation: CopulaAllocation::Minimal,
        weights: Vec::new(),
        given: None,
        protect_extremes: false,
        exact_moments: None,
        secret: None,
    })
}

fn masked(original: &Table, request: &MaskRequest, seed: u64) -> Masked {
    let prepared = mask::prepare(request, original, None, &Quiet).unwrap();
    let seed = Seed::from_number(seed);
    prepared.mask(original.clone(), &seed).unwrap()
}

fn refusal(original: &Table, request: &MaskRequest) -> String {
    let prepared = mask::prepare(request, original, None, &Quiet);
    let masked = prepared.and_then(|it| it.mask(original.clone(), &Seed::from_number(1)));
    masked.unwrap_err().to_string()
}

/// The records of each region, in the order of its name.
fn regions(table: &Table) -> BTreeMap<String, Vec<u32>> {
    let id = table.find("region").unwrap();
    let mut regions: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for record in 0..table.n_records() {
        let name = table.category(record, id).into_owned();
        regions.entry(name).or_default().push(record as u32);
    }
    regions
}

fn bytes(table: &Table) -> Vec<u8> {
    let mut bytes = Vec::new();
    table.write(&mut bytes).unwrap();
    bytes
}

fn values(table: &Table, name: &str) -> Vec<Option<f64>> {
    let numbers = table.numbers(table.find(name).unwrap()).unwrap();
    let cells = numbers.values.iter().enumerate();
    cells
        .map(|(record, &value)| (!numbers.missing.contains(record)).then_some(value))
        .collect()
}

/// Cutting the file by hand, masking each region with the streams of its place, and putting the records back gives the same bytes.
#[test]
fn each_stratum_is_masked_as_a_file_of_its_own() {
    for (seed, ties, gap) in [(1, false, 0), (2, true, 9), (3, true, 0)] {
        let original = people(seed, 180, ties, gap);
        let method = |name: &str| -> (Box<dyn Mask>, MethodRequest) {
            let whole = |k| {
                Blocks::Named(vec![BlockOf {
                    attributes: vec!["a".into(), "b".into()],
                    k,
                }])
            };
            match name {
                "rankswap" => (
                    Box::new(RankSwap::new(Reach::Percent(15.0), Partner::Unswapped).unwrap()),
                    swap(15.0),
                ),
                "pbuckets" => (
                    Box::new(PBuckets::new(3).unwrap()),
                    MethodRequest::PBuckets { buckets: 3 },
                ),
                "noise" => (
                    Box::new(Noise::new(0.2, noise::Options::default()).unwrap()),
                    noise(false),
                ),
                _ => (
                    Box::new(
                        Microaggregation::new(Grouping::Mdav, whole(3))
                            .unwrap()
                            .rounding(Rounding::None),
                    ),
                    microaggregation(3, Grouping::Mdav),
                ),
            }
        };
        for name in ["rankswap", "pbuckets", "noise", "microagg"] {
            let (by_hand, request) = method(name);
            let at_once = masked(&original, &within("region", request, "a,b"), 5);
            let streams = Seed::from_number(5).streams(Purpose::Mask, 0);
            let on = original.select("a,b").unwrap();
            for ((region, records), place) in regions(&original).into_iter().zip(0..) {
                let part = original.clone().reordered(records.clone());
                let alone = by_hand.mask(part, &on, &streams.of_stratum(place)).unwrap();
                let cut = at_once.table.clone().reordered(records);
                assert_eq!(bytes(&cut), bytes(&alone.table), "{name}, {region}");
            }
            let sizes: Vec<usize> = regions(&original).values().map(Vec::len).collect();
            assert_eq!(at_once.strata, sizes);
            assert_eq!(at_once.step.strata, ["region"]);
        }
    }
}

/// Swapped and drawn values stay in their stratum; ranks differ by no more than the window of the stratum; groups are of one stratum; and
/// IPSO keeps the covariances of each.
#[test]
fn nothing_passes_from_one_stratum_to_another() {
    let original = people(4, 240, false, 0);
    let of = |table: &Table, name: &str, records: &[u32]| -> Vec<f64> {
        let all = values(table, name);
        records
            .iter()
            .filter_map(|&record| all[record as usize])
            .collect()
    };
    let sorted = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values
    };
    let swapped = masked(&original, &within("region", swap(12.0), "a,b,c"), 3);
    let drawn = masked(&original, &within("region", copula(), "a,b,c"), 3);
    let grouped = masked(
        &original,
        &within("region", microaggregation(3, Grouping::Mdav), "a,b"),
        3,
    );
    let regressed = IpsoRequest {
        variant: IpsoVariant::C,
        confidential: Some("c".into()),
        intercept: true,
        rounding: Rounding::None,
    };
    let regressed = masked(
        &original,
        &within("region", MethodRequest::Ipso(regressed), "a,b"),
        3,
    );
    let mut averages: BTreeMap<(u64, u64), String> = BTreeMap::new();
    for (region, records) in regions(&original) {
        for name in ["a", "b", "c"] {
            let (before, after) = (
                of(&original, name, &records),
                of(&swapped.table, name, &records),
            );
            let ranks = sorted(before.clone());
            assert_eq!(ranks, sorted(after.clone()), "{region}");
            assert_eq!(ranks, sorted(of(&drawn.table, name, &records)), "{region}");
            let rank = |value: f64| ranks.iter().position(|&other| other == value).unwrap();
            let window = 12 * records.len() / 100;
            let far = before
                .iter()
                .zip(&after)
                .map(|(&x, &y)| rank(x).abs_diff(rank(y)))
                .max();
            // Of dozens of values one goes as far as it may, but for chance; none goes farther.
            assert!(
                far <= Some(window) && far > Some(0),
                "{region} {far:?} {window}"
            );
        }
        let [a, b] = ["a", "b"].map(|name| of(&grouped.table, name, &records));
        for (a, b) in a.iter().zip(&b) {
            let owner = averages
                .entry((a.to_bits(), b.to_bits()))
                .or_insert_with(|| region.clone());
            assert_eq!(*owner, region);
        }
        let covariance = |table: &Table, x: &str, y: &str| {
            let (x, y) = (of(table, x, &records), of(table, y, &records));
            let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
            let (mx, my) = (mean(&x), mean(&y));
            let products = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my));
            products.sum::<f64>() / (x.len() - 1) as f64
        };
        for (x, y) in [("a", "a"), ("a", "b"), ("b", "b"), ("a", "c"), ("b", "c")] {
            let (before, after) = (
                covariance(&original, x, y),
                covariance(&regressed.table, x, y),
            );
            let scale = (covariance(&original, x, x) * covariance(&original, y, y)).sqrt();
            assert!(
                (before - after).abs() < 1e-6 * scale,
                "{region}: {before}, {after}"
            );
        }
    }
    // Of the file as a whole they are not kept to that: the test could not tell otherwise.
    assert_ne!(values(&original, "a"), values(&regressed.table, "a"));
    let windows: Vec<usize> = (swapped.step.within.iter())
        .map(|own| match &own.method {
            Method::RankSwap(stated) => stated.window,
            other => panic!("{}", other.name()),
        })
        .collect();
    let expected: Vec<usize> = regions(&original)
        .values()
        .map(|of| 12 * of.len() / 100)
        .collect();
    assert_eq!(windows, expected);
}

/// Where values are distinct, the order of the records decides nothing.
#[test]
fn the_order_of_the_file_decides_nothing() {
    let original = people(6, 150, false, 0);
    let n = original.n_records() as u32;
    let reversed = original.clone().reordered((0..n).rev().collect());
    for method in [swap(10.0), microaggregation(3, Grouping::IndividualRanking)] {
        let request = within("region", method, "a,b");
        let (one, other) = (
            masked(&original, &request, 8),
            masked(&reversed, &request, 8),
        );
        assert_eq!(one.step, other.step);
        for name in ["a", "b"] {
            let mut back = values(&other.table, name);
            back.reverse();
            assert_eq!(values(&one.table, name), back);
        }
    }
}

/// Totals and zeros are kept in each stratum, and zeros do not leave it.
#[test]
fn sums_and_zeros_are_kept_within_strata() {
    let mut text = String::from("region,x,y,sum\n");
    let mut dice = Dice(77);
    for record in 0..200 {
        let (x, y) = (dice.roll(3) * (10 + dice.roll(500)), 50 + dice.roll(200));
        // Nobody of the east has zeros.
        let region = ["east", "west"][record % 2];
        let x = if region == "east" { x + 7 } else { x };
        text += &format!("{region},{x},{y},{}\n", x + y);
    }
    let original = table(text);
    let request = MaskRequest {
        kept: KeepRequest {
            sums: vec!["sum=x+y".into()],
            zeros_within: Some(10.0),
        },
        ..within("region", swap(10.0), "x,y")
    };
    let masked = masked(&original, &request, 2);
    let [x, y, sum] = ["x", "y", "sum"].map(|name| values(&masked.table, name));
    for record in 0..200 {
        assert_eq!(
            x[record].unwrap() + y[record].unwrap(),
            sum[record].unwrap()
        );
    }
    let zeros = |table: &Table| -> Vec<usize> {
        let x = values(table, "x");
        let is_zero = |records: &Vec<u32>| {
            records
                .iter()
                .filter(|&&r| x[r as usize] == Some(0.0))
                .count()
        };
        regions(table).values().map(is_zero).collect()
    };
    assert_eq!(zeros(&masked.table), zeros(&original));
    assert_eq!(zeros(&original)[0], 0);
    let kept = &masked.step.kept;
    assert_eq!(kept.sums.len(), 1);
    // 10 % of the hundred records of the west.
    assert_eq!(kept.zeros.as_ref().unwrap().window, 10);
    assert_eq!(kept.zeros.as_ref().unwrap().attributes, ["x"]);
}

fn attacked(
    (original, masked): (&Table, &Table),
    statement: &Statement,
    request: &LinkRequest,
) -> LinkOutcome {
    let pairs = (0..masked.n_records() as u32).map(|r| (MaskedRecord(r), OriginalRecord(r)));
    let pairs: Vec<_> = pairs.collect();
    let truth = Truth::by_key(original.n_records(), masked.n_records(), &pairs).unwrap();
    let input = Input {
        statement: Some(Stated::in_memory(statement)),
        ..Input::new(original, masked, &truth)
    };
    link::run(request, &input, &Quiet).unwrap()
}

fn by(attack: AttackRequest, known: &str) -> LinkRequest {
    LinkRequest {
        known: Known::Listed(known.into()),
        wants_links: true,
        ..LinkRequest::of_attacks([attack])
    }
}

/// By the statement of the whole file, the attacks claim what they claim in the files of each region, one by one, in either direction.
#[test]
fn attacks_find_what_they_find_in_each_stratum() {
    type Of = fn() -> AttackRequest;
    let likelihood: Of = || AttackRequest::Likelihood;
    let rsld: Of = || AttackRequest::RankSwapIntersection;
    let microagg: Of = || AttackRequest::Microaggregation {
        nearest_clusters: None,
    };
    let involution: Of = || AttackRequest::Involution { eps: EPS };
    let cases: [(MethodRequest, &[Of]); 8] = [
        (swap(8.0), &[likelihood, rsld, involution]),
        (
            MethodRequest::RankSwap {
                reach: Reach::Percent(8.0),
                partner: Partner::Cycle,
            },
            &[likelihood, rsld],
        ),
        (MethodRequest::PBuckets { buckets: 4 }, &[likelihood]),
        (MethodRequest::PDistribution { p: 10.0 }, &[likelihood]),
        (noise(true), &[likelihood]),
        (microaggregation(3, Grouping::Mdav), &[microagg, likelihood]),
        (
            microaggregation(3, Grouping::IndividualRanking),
            &[microagg],
        ),
        (copula(), &[likelihood]),
    ];
    for (number, (method, attacks)) in (0..).zip(cases) {
        for (ties, gap) in [(false, 0), (true, 8)] {
            let original = people(20 + number, 200, ties, gap);
            let masked = masked(
                &original,
                &within("region", method.clone(), "a,b,c"),
                number,
            );
            let statement = Statement::from(masked.step.clone());
            assert_eq!(statement.nonsense(), None);
            let read = Statement::from_json("s.json", &statement.to_json()).unwrap();
            assert_eq!(read, statement);
            let masked = masked.table;
            for attack in attacks {
                for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
                    let asked = |known: &str| LinkRequest {
                        direction,
                        ..by(attack(), known)
                    };
                    let whole = attacked((&original, &masked), &statement, &asked("region,a,b,c"));
                    let mut found = 0;
                    for (region, records) in regions(&original) {
                        let step =
                            statement.steps[0].in_stratum(&[Some(region.clone())], records.len());
                        let cut = |table: &Table| table.clone().reordered(records.clone());
                        let pair = (&cut(&original), &cut(&masked));
                        let alone = attacked(pair, &step.into(), &asked("a,b,c"));
                        for claim in &alone.claims {
                            let own = records[claim.record as usize];
                            let same = &whole.claims[own as usize];
                            let linked: Vec<u32> =
                                claim.linked.iter().map(|&r| records[r as usize]).collect();
                            let what =
                                format!("{} {region} {direction:?} {method:?}", attack().name());
                            assert_eq!(same.record, own);
                            assert_eq!(same.linked, linked, "{what}");
                            assert_eq!(
                                (same.candidates, same.tied, same.rank_of_true),
                                (claim.candidates, claim.tied, claim.rank_of_true),
                                "{what}"
                            );
                            found += u32::from(claim.rank_of_true == Some(1));
                        }
                    }
                    assert!(found > 0);
                }
            }
        }
    }
}

/// What is stated is what happens, of whole files and of samples, of files in which some miss their region, and beside another law.
#[test]
fn likelihoods_within_strata_are_calibrated() {
    const FILES: u64 = 10;
    let sample = MaskRequest::new(MethodRequest::Sample {
        size: SampleSize::Fraction(0.5),
        strata: None,
    });
    let suppress = MaskRequest::new(MethodRequest::Suppress(SuppressRequest::Key {
        k: 60,
        key: "region".into(),
        missing: MissingMatches::Missing,
    }));
    let others = MaskRequest {
        attributes: Some("c".into()),
        ..MaskRequest::new(noise(false))
    };
    let cases = [
        (vec![], "region,a,b"),
        (vec![sample.clone()], "region,a,b"),
        (vec![others.clone()], "region,a,b,c"),
        (vec![others, sample], "region,a,b,c"),
        (vec![suppress], "region,a,b"),
    ];
    for (number, (later, known)) in cases.into_iter().enumerate() {
        let (mut stated, mut found, mut whole) = (0.0_f64, 0.0_f64, 0.0_f64);
        for seed in 0..FILES {
            let original = people(300 + seed, 260, true, 0);
            let mut steps = vec![within("region", swap(14.0), "a,b")];
            steps.extend(later.iter().cloned());
            let asked = RecipeRequest { steps };
            let seed = Seed::from_number(seed);
            let release = recipe::run(&asked, original.clone(), &[], &seed, &Quiet).unwrap();
            let pairs = (0..).zip(release.origin());
            let pairs: Vec<_> = pairs
                .map(|(own, of)| (MaskedRecord(own), OriginalRecord(of)))
                .collect();
            let mut masked = release.table().clone();
            masked.reread().unwrap();
            let truth = Truth::by_key(original.n_records(), masked.n_records(), &pairs).unwrap();
            let input = Input {
                statement: release.statement().map(Stated::in_memory),
                ..Input::new(&original, &masked, &truth)
            };
            let rate = |known: &str| {
                let request = LinkRequest {
                    assign: Assign::Best,
                    ..by(AttackRequest::Likelihood, known)
                };
                let report = link::run(&request, &input, &Quiet).unwrap().report;
                let result = &report.results[0];
                assert_eq!(result.contains_true, result.with_partner);
                (result.rate, result.expected.unwrap())
            };
            let (correct, expected) = rate(known);
            found += correct / FILES as f64;
            stated += expected / FILES as f64;
            whole += 1.0 / masked.n_records() as f64 / FILES as f64;
        }
        println!("case {number}: says {stated:.3}, does {found:.3}");
        assert!(
            (stated - found).abs() < 0.05,
            "case {number}: says {stated}, does {found}"
        );
        assert!(found > 4.0 * whole, "{found}");
    }
}

/// A statement that forgets the strata is false: neighbours within a stratum can be far from each other in the file, so the window of the
/// file excludes the right record. With the strata it does not.
#[test]
fn a_statement_must_not_forget_the_strata() {
    let mut text = String::from("region,a\n");
    for record in 0..20 {
        // The poor and the rich of the coast; everybody inland is between.
        text += &format!("coast,{}\n", record % 10 + 1000 * (record / 10));
    }
    for record in 0..100 {
        text += &format!("inland,{}\n", 100 + record);
    }
    let original = table(text);
    let masked = masked(&original, &within("region", swap(40.0), "a"), 1);
    let mut statement = Statement::from(masked.step);
    let contained = |statement: &Statement| {
        let request = by(AttackRequest::RankSwapIntersection, "region,a");
        let pair = (&original, &masked.table);
        attacked(pair, statement, &request).report.results[0].contains_true
    };
    assert_eq!(contained(&statement), 120);
    statement.steps[0].strata.clear();
    statement.steps[0].within.clear();
    assert!(contained(&statement) < 120);
}

/// Who does not know the strata has no law of what was masked within them, and is told so; what needs no law goes on.
#[test]
fn who_does_not_know_the_strata_has_no_law() {
    let original = people(9, 150, false, 0);
    let masked = masked(&original, &within("region", swap(10.0), "a,b"), 4);
    let statement = Statement::from(masked.step);
    let truth = Truth::by_order(&original, &masked.table).unwrap();
    let input = Input {
        statement: Some(Stated::in_memory(&statement)),
        ..Input::new(&original, &masked.table, &truth)
    };
    let attacks = vec![AttackRequest::Nearest, AttackRequest::Likelihood];
    let request = LinkRequest {
        known: Known::Listed("a,b".into()),
        ..LinkRequest::new(Attacks::ThatApply(attacks))
    };
    let report = link::run(&request, &input, &Quiet).unwrap().report;
    assert_eq!(report.results.len(), 1);
    assert_eq!(report.not_run[0].method, "likelihood");
    assert!(
        report.not_run[0]
            .why
            .contains("within strata of region, which the intruder does not know")
    );
    // c is as it was: that much they know without the strata.
    let request = LinkRequest {
        known: Known::Listed("a,c".into()),
        ..request
    };
    let report = link::run(&request, &input, &Quiet).unwrap().report;
    assert_eq!((report.results.len(), report.results[1].rate), (2, 1.0));
}

/// Mistakes are named with what to do, and without a value of the file.
#[test]
fn mistakes_are_explained() {
    let original = people(3, 60, false, 0);
    let says = |request: &MaskRequest, words: &[&str]| {
        let said = refusal(&original, request);
        for word in words {
            assert!(said.contains(word), "{said}");
        }
        assert!(NAMES.iter().all(|name| !said.contains(name)), "{said}");
    };
    says(
        &within("region", swap(10.0), "a,region"),
        &["region", "makes the strata", "Take it out of --strata"],
    );
    says(
        &within("d", swap(10.0), "a"),
        &["60 of the 60 strata of d have a single record", "Recode"],
    );
    let smallest = regions(&original).values().map(Vec::len).min().unwrap();
    assert!(smallest > 2 && smallest < 20);
    let in_stratum = format!("in a stratum of {smallest} records");
    says(
        &within("region", swap(5.0), "a"),
        &[
            &in_stratum,
            "window of 0 ranks",
            "or recode region into fewer categories",
        ],
    );
    let k = microaggregation(smallest / 2 + 1, Grouping::Mdav);
    says(
        &within("region", k, "a,b"),
        &[&in_stratum, "or recode region"],
    );
    let with_sum = MaskRequest {
        kept: KeepRequest {
            sums: vec!["d=a+b".into()],
            zeros_within: None,
        },
        ..within("d", swap(10.0), "a,b")
    };
    says(&with_sum, &["\"d\"", "makes the strata"]);
    let recode = MethodRequest::Recode(RulesFile {
        file: "r.toml".into(),
        text: "[a]\ntop = 40\n".into(),
        files: BTreeMap::default(),
    });
    let recode = MaskRequest {
        attributes: None,
        ..within("region", recode, "")
    };
    says(&recode, &["--strata has no place in recode"]);
}

/// A statement of another stratum's parameters, of strata that were masked, or of a method without strata is none.
#[test]
fn statements_of_strata_must_make_sense() {
    let original = people(5, 90, false, 0);
    let step = masked(&original, &within("region", swap(20.0), "a,b"), 1).step;
    let nonsense = |change: &dyn Fn(&mut sdcrisk::statement::Step)| {
        let mut step = step.clone();
        change(&mut step);
        Statement::from(step).nonsense()
    };
    assert_eq!(nonsense(&|_| ()), None);
    assert!(nonsense(&|step| step.strata = vec!["a".into()]).is_some());
    assert!(nonsense(&|step| step.strata.clear()).is_some());
    assert!(nonsense(&|step| step.within[0].stratum.push(None)).is_some());
    assert!(nonsense(&|step| step.within[1] = step.within[0].clone()).is_some());
    assert!(
        nonsense(&|step| {
            if let Method::RankSwap(stated) = &mut step.within[0].method {
                stated.window = 0;
            }
        })
        .is_some()
    );
    // The release does not show strata that are left out of it, and then nobody has a use for what is true in each.
    let dropping = MaskRequest {
        dropped: Some("region".into()),
        ..within("region", swap(20.0), "a,b")
    };
    let step = masked(&original, &dropping, 1).step;
    assert!(step.within.is_empty() && step.strata == ["region"]);
}

/// Fuzzy microaggregation and p-distribution run within strata, and their parameters are those of each.
#[test]
fn parameters_in_percent_or_records_are_of_the_stratum() {
    let original = people(12, 200, false, 0);
    let sizes: Vec<usize> = regions(&original).values().map(Vec::len).collect();
    let fuzzy = MethodRequest::Fuzzy(FuzzyRequest {
        m1: 1.5,
        m2: 1.3,
        clusters: Some(ClusterNumber::Occupancy(5)),
        groups: Vec::new(),
        starting: None,
        settings: Settings::default(),
    });
    for method in [MethodRequest::PDistribution { p: 20.0 }, fuzzy] {
        let step = masked(&original, &within("region", method, "a,b"), 3).step;
        for (own, &n) in step.within.iter().zip(&sizes) {
            match &own.method {
                Method::PDistribution(stated) => {
                    assert!((stated.mean - n as f64 / 10.0).abs() < 1e-9)
                }
                // As many as let five to ten records share a centre on average.
                Method::Fuzzy(stated) => assert!(
                    stated.blocks[0].clusters * 5 <= n && n <= stated.blocks[0].clusters * 10
                ),
                other => panic!("{}", other.name()),
            }
        }
        assert_eq!(step.within.len(), 3);
    }
}
