//! What two files betray of a masking: sixty files of all methods, and what must not decide.

use sdcrisk::{
    evaluate::{
        guess::{Certainty, Finding},
        truth::Truth,
    },
    jobs::{
        Quiet,
        guess::{self, GuessRequest},
        mask::{
            self,
            request::{
                ClusterNumber, CopulaKeep, CopulaRequest, FuzzyRequest, IpsoRequest, MaskRequest,
                MethodRequest, MicroaggregationRequest, PramRequest, RulesFile, SuppressRequest,
                TransitionsRequest,
            },
        },
    },
    mask::{Rounding, copula::Keep, fuzzy::Settings, noise, rank_swap::Reach},
    rng::Seed,
    statement::{
        Average, CopulaAllocation, DistanceScale, Grouping, IpsoVariant, MissingMatches, Partner,
        SampleSize,
    },
    table::Table,
};

use crate::tables::table;

/// The Census file of the literature: 1080 records of 13 amounts.
fn census() -> Table {
    read("census.csv", 1)
}

/// A survey of 1000 persons: amounts with many zeros, codes, regions, ages.
fn people() -> Table {
    read("synthetic-census.csv", 1)
}

/// Every fourth month and enterprise of the EIA file: 1023 records of 10 amounts, many of them zero.
fn eia() -> Table {
    read("eia10.csv", 4)
}

fn read(name: &str, every: usize) -> Table {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).unwrap();
    let (header, records) = text.split_once('\n').unwrap();
    let records: Vec<&str> = records.lines().step_by(every).collect();
    table(format!("{header}\n{}\n", records.join("\n")))
}

/// The bytes of a release, its records in another order: every seventh, then every seventh of the rest, and so on.
fn released(table: &Table) -> Table {
    let mut bytes = Vec::new();
    table.write(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap().to_string();
    let lines: Vec<&str> = lines.collect();
    let order = (0..7).flat_map(|start| (start..lines.len()).step_by(7));
    let mixed: Vec<&str> = order.map(|line| lines[line]).collect();
    self::table(header + "\n" + &mixed.join("\n") + "\n")
}

fn masked(original: &Table, request: &MaskRequest, seed: u64) -> Table {
    let prepared = mask::prepare(request, original, None, &Quiet).unwrap();
    let masked = prepared.mask(original.clone(), &Seed::from_number(seed));
    let mut bytes = Vec::new();
    masked.unwrap().table.write(&mut bytes).unwrap();
    table(bytes)
}

fn on(attributes: &str, method: MethodRequest) -> MaskRequest {
    MaskRequest {
        attributes: (!attributes.is_empty()).then(|| attributes.into()),
        keeps_identifiers: true,
        ..MaskRequest::new(method)
    }
}

fn swap(p: f64) -> MethodRequest {
    MethodRequest::RankSwap {
        reach: Reach::Percent(p),
        partner: Partner::Unswapped,
    }
}

fn noise(level: f64, correlated: bool) -> MethodRequest {
    let options = noise::Options {
        correlated,
        rounding: Rounding::Column,
        ..noise::Options::default()
    };
    MethodRequest::Noise { level, options }
}

fn aggregate(k: usize, algorithm: Grouping, groups: &[&str]) -> MethodRequest {
    MethodRequest::Microaggregation(MicroaggregationRequest {
        k: Some(k),
        groups: groups.iter().map(ToString::to_string).collect(),
        algorithm,
        scale: DistanceScale::Z,
        average: Average::Mean,
        rounding: Rounding::Column,
    })
}

fn fuzzy(k: usize) -> MethodRequest {
    MethodRequest::Fuzzy(FuzzyRequest {
        m1: 1.2,
        m2: 1.2,
        clusters: Some(ClusterNumber::Occupancy(k)),
        groups: Vec::new(),
        starting: None,
        settings: Settings {
            max_iterations: 15,
            ..Settings::default()
        },
    })
}

fn ipso(variant: IpsoVariant, confidential: &str) -> MethodRequest {
    MethodRequest::Ipso(IpsoRequest {
        variant,
        confidential: Some(confidential.into()),
        intercept: true,
        rounding: Rounding::Column,
    })
}

fn copula(mu: f64) -> MethodRequest {
    MethodRequest::Copula(CopulaRequest {
        keep: CopulaKeep::Stated(Keep::Mu(mu), None),
        components: None,
        allocation: CopulaAllocation::default(),
        weights: Vec::new(),
        given: None,
        protect_extremes: true,
        exact_moments: None,
        secret: None,
    })
}

fn recode(rules: &str) -> MethodRequest {
    MethodRequest::Recode(RulesFile {
        file: "rules.toml".into(),
        text: rules.into(),
        files: Default::default(),
    })
}

fn suppress(k: usize, key: &str) -> MethodRequest {
    MethodRequest::Suppress(SuppressRequest::Key {
        k,
        key: key.into(),
        missing: MissingMatches::Any,
    })
}

fn sample(fraction: f64) -> MethodRequest {
    MethodRequest::Sample {
        size: SampleSize::Fraction(fraction),
        strata: None,
    }
}

/// What was done, and what is to be named: the method, and a parameter within 10 %.
struct Case {
    name: String,
    original: Table,
    steps: Vec<MaskRequest>,
    expected: Vec<(&'static str, &'static str, f64)>,
}

fn case(
    original: Table,
    steps: Vec<MaskRequest>,
    expected: &[(&'static str, &'static str, f64)],
) -> Case {
    let about = steps.iter().map(|step| {
        let on = step.attributes.as_deref().unwrap_or("all");
        let mut method = format!("{:?}", step.method);
        method.truncate(70);
        format!("{method} on {on}")
    });
    Case {
        name: format!(
            "{} records, {}",
            original.n_records(),
            about.collect::<Vec<_>>().join(" + ")
        ),
        original,
        steps,
        expected: expected.to_vec(),
    }
}

fn sixty() -> Vec<Case> {
    let all = |method: MethodRequest| vec![on("", method)];
    let amounts = "earnings,income,tax,contribution,rent,age";
    let mut cases = Vec::new();
    for (original, p) in [
        (census(), 2.0),
        (census(), 5.0),
        (census(), 15.0),
        (eia(), 5.0),
        (people(), 3.0),
    ] {
        let n = original.n_records() as f64;
        let window = (p * n / 100.0).floor();
        let on = vec![on("", swap(p))];
        cases.push(case(original, on, &[("rankswap", "window", window)]));
    }
    for (original, p) in [(census(), 20), (census(), 50), (census(), 200), (eia(), 40)] {
        let method = MethodRequest::PBuckets { buckets: p };
        cases.push(case(original, all(method), &[("pbuckets", "p", p as f64)]));
    }
    for (original, p) in [
        (census(), 2.0),
        (census(), 5.0),
        (census(), 10.0),
        (eia(), 5.0),
    ] {
        let method = MethodRequest::PDistribution { p };
        cases.push(case(original, all(method), &[("pdistribution", "p", p)]));
    }
    for (original, k) in [(census(), 3), (census(), 5), (census(), 10), (eia(), 4)] {
        let method = aggregate(k, Grouping::Mdav, &[]);
        cases.push(case(original, all(method), &[("microagg", "k", k as f64)]));
    }
    for (original, k) in [(census(), 3), (census(), 10), (eia(), 5)] {
        let method = aggregate(k, Grouping::IndividualRanking, &[]);
        cases.push(case(original, all(method), &[("microagg", "k", k as f64)]));
    }
    let blocks = aggregate(4, Grouping::Mdav, &["1-4", "5-8", "9-13"]);
    let expected = [("microagg", "k", 4.0); 3];
    cases.push(case(census(), all(blocks), &expected));
    let v_mdav = aggregate(3, Grouping::VMdav { gamma: 0.2 }, &[]);
    cases.push(case(census(), all(v_mdav), &[("microagg", "k", 3.0)]));
    for (original, k) in [(census(), 5), (census(), 10), (eia(), 20)] {
        let clusters = (2.0 * original.n_records() as f64 / (3.0 * k as f64)).round();
        cases.push(case(
            original,
            all(fuzzy(k)),
            &[("fuzzy", "clusters", clusters)],
        ));
    }
    for (original, level) in [
        (census(), 0.01),
        (census(), 0.1),
        (census(), 0.5),
        (eia(), 0.05),
    ] {
        cases.push(case(
            original,
            all(noise(level, false)),
            &[("noise", "level", level)],
        ));
    }
    for (original, level) in [(census(), 0.02), (census(), 0.2), (eia(), 0.1)] {
        cases.push(case(
            original,
            all(noise(level, true)),
            &[("noise", "level", level)],
        ));
    }
    for (original, level) in [(people(), 0.05), (people(), 0.2)] {
        let steps = vec![on(amounts, noise(level, false))];
        cases.push(case(original, steps, &[("noise", "level", level)]));
    }
    for variant in [IpsoVariant::A, IpsoVariant::B, IpsoVariant::C] {
        let steps = vec![on("1-6", ipso(variant, "8-11"))];
        cases.push(case(census(), steps, &[("ipso", "", 0.0)]));
    }
    let steps = vec![on(
        "age,rent",
        ipso(IpsoVariant::C, "earnings,interest,transfers,sex"),
    )];
    cases.push(case(people(), steps, &[("ipso", "", 0.0)]));
    for (original, mu) in [
        (census(), 0.5),
        (census(), 2.0),
        (census(), 20.0),
        (eia(), 5.0),
    ] {
        cases.push(case(original, all(copula(mu)), &[("copula", "mu", mu)]));
    }
    for (rules, parameter, value) in [
        ("[AGI]\nround = 1000\n", "round", 1000.0),
        ("[PTOTVAL]\ntop = 70000\nround = 500\n", "round", 500.0),
        ("[AGI]\nbreaks = [20000, 40000, 60000]\n", "classes", 4.0),
    ] {
        let steps = vec![MaskRequest {
            keeps_identifiers: true,
            ..MaskRequest::new(recode(rules))
        }];
        cases.push(case(census(), steps, &[("recode", parameter, value)]));
    }
    let rules = "[age]\nbreaks = [20, 40, 65]\n[region.groups]\nwest = [\"01\", \"02\"]\n";
    let steps = vec![MaskRequest {
        keeps_identifiers: true,
        ..MaskRequest::new(recode(rules))
    }];
    cases.push(case(people(), steps, &[("recode", "classes", 4.0)]));
    for (k, key) in [
        (2, "region,sex,age"),
        (3, "region,sex,age,education"),
        (5, "region,sex,age"),
    ] {
        let steps = vec![on("", suppress(k, key))];
        cases.push(case(people(), steps, &[("suppress", "k", k as f64)]));
    }
    for (original, fraction) in [(census(), 0.1), (census(), 0.5), (people(), 0.2)] {
        cases.push(case(
            original,
            all(sample(fraction)),
            &[("sample", "fraction", fraction)],
        ));
    }
    cases.push(case(census(), Vec::new(), &[("none", "", 0.0)]));
    for (key, keep) in [("region", 0.8), ("sex,education", 0.9)] {
        let method = MethodRequest::Pram(PramRequest {
            transitions: TransitionsRequest::Keep(keep),
            invariant: false,
            strata: None,
        });
        let steps = vec![on(key, method)];
        cases.push(case(people(), steps, &[("pram", "keep", keep)]));
    }
    let several = vec![on("1-4", swap(5.0)), on("5-8", noise(0.1, false))];
    cases.push(case(
        census(),
        several,
        &[("rankswap", "window", 54.0), ("noise", "level", 0.1)],
    ));
    let several = vec![
        on("AGI,FEDTAX", swap(3.0)),
        on("", aggregate(3, Grouping::Mdav, &["8-11"])),
    ];
    cases.push(case(
        census(),
        several,
        &[("rankswap", "window", 32.0), ("microagg", "k", 3.0)],
    ));
    let several = vec![
        on("", suppress(3, "region,sex,age")),
        on("earnings,rent,tax", noise(0.1, false)),
    ];
    cases.push(case(
        people(),
        several,
        &[("suppress", "k", 3.0), ("noise", "level", 0.1)],
    ));
    let several = vec![on("", sample(0.5)), on("1-7", swap(4.0))];
    cases.push(case(
        census(),
        several,
        &[("sample", "fraction", 0.5), ("rankswap", "p", 4.0)],
    ));
    let several = vec![on("age,earnings,rent", swap(5.0))];
    cases.push(case(people(), several, &[("rankswap", "window", 50.0)]));
    cases
}

/// Whether findings have the method with the parameter, and those that are claimed as certain but are of another one.
fn judged<'a>(expected: &[(&str, &str, f64)], findings: &'a [Finding]) -> (bool, Vec<&'a Finding>) {
    let names = |finding: &Finding, (method, parameter, value): &(&str, &str, f64)| {
        let number = finding.parameters.get(*parameter).and_then(|v| v.as_f64());
        let is_near = |number: f64| (number / value - 1.0).abs() <= 0.1;
        finding.method.as_deref() == Some(method)
            && (parameter.is_empty() || number.is_some_and(is_near))
    };
    let right = (expected.iter()).all(|one| findings.iter().any(|finding| names(finding, one)));
    let methods: Vec<&str> = expected.iter().map(|(method, ..)| *method).collect();
    let is_wrong = |finding: &&Finding| {
        let method = finding.method.as_deref();
        let other = method.is_some_and(|method| method != "none" && !methods.contains(&method));
        finding.certainty == Certainty::Certain && other
    };
    (right, findings.iter().filter(is_wrong).collect())
}

/// Sixty files with what the commands do by default, in an order of their own: the method and its parameter within 10 % are named for fifty
/// at least, and no other method is ever claimed as certain.
#[test]
fn of_sixty_files_fifty_are_named_right() {
    let only = std::env::var("SDCRISK_GUESS").ok();
    // Other draws than those by which the thresholds were chosen.
    let more = std::env::var("SDCRISK_GUESS_SEED").map_or(0, |seed| seed.parse().unwrap());
    let mut right = 0;
    let mut certain_but_wrong = Vec::new();
    let cases = sixty();
    let all = cases.len();
    assert_eq!(all, 60);
    for (number, case) in cases.iter().enumerate() {
        if only.as_ref().is_some_and(|only| !case.name.contains(only)) {
            continue;
        }
        let mut release = case.original.clone();
        for (step, request) in (0..).zip(&case.steps) {
            release = masked(&release, request, number as u64 * 10 + step + more);
        }
        let release = released(&release);
        let started = std::time::Instant::now();
        let request = GuessRequest::default();
        let report = guess::run(&request, &case.original, &release, None, &Quiet).unwrap();
        let (is_right, wrong) = judged(&case.expected, &report.findings);
        right += usize::from(is_right);
        let word = if is_right { "right" } else { "WRONG" };
        println!(
            "{number} {word} {:.1} s {}",
            started.elapsed().as_secs_f64(),
            case.name
        );
        for finding in &report.findings {
            if !is_right || finding.certainty != Certainty::Certain {
                println!(
                    "    {:?} {:?} {:?} {:?} {:?}",
                    finding.attributes.len(),
                    finding.method,
                    finding.parameters,
                    finding.certainty,
                    finding.evidence
                );
            }
        }
        certain_but_wrong.extend(wrong.iter().map(|finding| (number, (*finding).clone())));
    }
    println!("{right} of {all}");
    assert!(certain_but_wrong.is_empty(), "{certain_but_wrong:?}");
    assert!(only.is_some() || right * 6 >= all * 5, "{right} of {all}");
}

/// Who stands where in either file says nothing, unless it is said that it does.
#[test]
fn the_order_of_records_decides_nothing() {
    for (seed, method) in [(1, swap(5.0)), (2, noise(0.1, false)), (3, copula(5.0))] {
        let original = census();
        let release = masked(&original, &on("1-5", method), seed);
        let request = GuessRequest::default();
        let find = |original: &Table, release: &Table| {
            guess::run(&request, original, release, None, &Quiet)
                .unwrap()
                .findings
        };
        let findings = find(&original, &release);
        assert_eq!(findings, find(&original, &released(&release)));
    }
}

/// Who is who makes it easier: a single attribute that was swapped is seen, and the window is the greatest displacement.
#[test]
fn who_knows_who_is_who_sees_more() {
    let original = census();
    let release = masked(&original, &on("AGI", swap(10.0)), 4);
    let truth = Truth::by_order(&original, &release).unwrap();
    let request = GuessRequest {
        attributes: Some("AGI".into()),
        ..GuessRequest::default()
    };
    let known = guess::run(&request, &original, &release, Some(&truth), &Quiet).unwrap();
    let [finding] = &known.findings[..] else {
        panic!("one attribute: {:?}", known.findings)
    };
    assert_eq!(finding.method.as_deref(), Some("rankswap"));
    let window = finding.parameters["window"].as_f64().unwrap();
    assert!((window / 108.0 - 1.0).abs() < 0.1, "{window}");
    // Without it one attribute whose values are all there looks as if nothing had happened, and nothing is claimed.
    let unknown = guess::run(&request, &original, &release, None, &Quiet).unwrap();
    assert_eq!(unknown.findings[0].method, None);
    assert_eq!(unknown.findings[0].certainty, Certainty::Open);
}
