//! Requests are data: kept as JSON and read back they ask for the same.

use std::num::NonZeroU32;

use sdcrisk::{
    attack::{kernel::Kernel, mahalanobis::Singular, probabilistic::Probabilistic},
    error::ErrorKind,
    evaluate::{link::Assign, truth::Truth},
    jobs::{
        Quiet,
        link::{
            self, Input, LinkRequest, Stated,
            request::{AttackRequest, Attacks},
        },
        mask::{
            self, SecretKey,
            request::{
                ClusterNumber, CopulaKeep, CopulaRequest, FuzzyRequest, IpsoRequest, MaskRequest,
                MethodRequest, MicroaggregationRequest, PramRequest, RulesFile, SecretUse,
                SuppressRequest, TransitionsRequest,
            },
        },
    },
    mask::{Rounding, copula::Keep, fuzzy::Settings, noise, rank_swap::Reach},
    rng::Seed,
    statement::{
        Average, CopulaAllocation, DistanceScale, Grouping, IpsoVariant, MissingMatches, Partner,
        SampleSize, Statement,
    },
    table::{ReadOptions, Table},
};

/// Forty people; ages repeat, incomes hardly.
fn people() -> Table {
    let mut text = String::from("person,age,income,tax,sex\n");
    for number in 0..40 {
        let (age, income) = (20 + number * 7 % 30, 1000 + number * 37 % 400);
        let sex = if number % 3 == 0 { "m" } else { "f" };
        text += &format!("p{number},{age},{income},{},{sex}\n", income / 5 + number);
    }
    Table::read("people.csv", text.into(), &ReadOptions::default()).unwrap()
}

fn copula(secret: Option<SecretUse>) -> MethodRequest {
    MethodRequest::Copula(CopulaRequest {
        keep: CopulaKeep::Stated(Keep::Mu(3.0), None),
        components: None,
        allocation: CopulaAllocation::Minimal,
        weights: vec![("income".into(), 2.0)],
        given: Some("sex".into()),
        protect_extremes: true,
        exact_moments: None,
        secret,
    })
}

/// One of each method.
fn methods() -> Vec<MethodRequest> {
    vec![
        MethodRequest::RankSwap {
            reach: Reach::Percent(10.0),
            partner: Partner::Cycle,
        },
        MethodRequest::PBuckets { buckets: 4 },
        MethodRequest::PDistribution { p: 10.0 },
        MethodRequest::Noise {
            level: 0.1,
            options: noise::Options {
                correlated: true,
                ..noise::Options::default()
            },
        },
        MethodRequest::Ipso(IpsoRequest {
            variant: IpsoVariant::C,
            confidential: Some("tax".into()),
            intercept: true,
            rounding: Rounding::Column,
        }),
        MethodRequest::Microaggregation(MicroaggregationRequest {
            k: Some(3),
            groups: vec!["age,income:4".into(), "tax".into()],
            algorithm: Grouping::VMdav { gamma: 0.2 },
            scale: DistanceScale::Z,
            average: Average::Median,
            rounding: Rounding::None,
        }),
        MethodRequest::Fuzzy(FuzzyRequest {
            m1: 1.5,
            m2: 1.3,
            clusters: Some(ClusterNumber::Occupancy(4)),
            groups: Vec::new(),
            starting: None,
            settings: Settings::default(),
        }),
        copula(None),
        MethodRequest::Recode(RulesFile {
            file: "rules.toml".into(),
            text: "[age]\ntop = 40\n".into(),
            files: Default::default(),
        }),
        MethodRequest::Suppress(SuppressRequest::Key {
            k: 3,
            key: "age,sex".into(),
            missing: MissingMatches::Missing,
        }),
        MethodRequest::Pram(PramRequest {
            transitions: TransitionsRequest::Matrix(RulesFile {
                file: "sex.csv".into(),
                text: "m;f\n0,75;0,25\n0,5;0,5\n".into(),
                files: Default::default(),
            }),
            invariant: true,
            strata: None,
        }),
        MethodRequest::Sample {
            size: SampleSize::Fraction(0.5),
            strata: Some("sex".into()),
        },
    ]
}

/// What reaches the masked file, and what is published of it.
fn released(request: &MaskRequest, key: Option<&SecretKey>) -> (Vec<u8>, String) {
    let prepared = mask::prepare(request, &people(), key, &Quiet).unwrap();
    let masked = prepared.mask(people(), &Seed::from_number(7)).unwrap();
    let mut bytes = Vec::new();
    masked.table.write(&mut bytes).unwrap();
    (bytes, Statement::from(masked.step).to_json())
}

#[test]
fn a_masking_kept_as_json_masks_the_same() {
    for method in methods() {
        let request = MaskRequest::new(method);
        let json = serde_json::to_string(&request).unwrap();
        let again: MaskRequest = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), json);
        assert_eq!(released(&again, None), released(&request, None), "{json}");
    }
    // Within strata, too.
    let strata = MaskRequest {
        strata: Some("sex".into()),
        attributes: Some("income".into()),
        ..MaskRequest::new(MethodRequest::PBuckets { buckets: 2 })
    };
    let again: MaskRequest =
        serde_json::from_str(&serde_json::to_string(&strata).unwrap()).unwrap();
    assert_eq!(again.strata, strata.strata);
    assert_eq!(released(&again, None), released(&strata, None));
}

#[test]
fn requests_say_what_decides_their_result() {
    let random = |request: &MaskRequest| {
        let prepared = mask::prepare(request, &people(), None, &Quiet).unwrap();
        let of = |seed| {
            let mut bytes = Vec::new();
            let masked = prepared.mask(people(), &Seed::from_number(seed)).unwrap();
            masked.table.write(&mut bytes).unwrap();
            bytes
        };
        of(1) != of(2)
    };
    for method in methods() {
        let request = MaskRequest::new(method);
        assert_eq!(request.is_random(), random(&request), "{request:?}");
    }
}

#[test]
fn a_secret_is_in_no_request_and_nothing_works_without_it() {
    let request = MaskRequest::new(copula(Some(SecretUse {
        identifier: Some("person".into()),
    })));
    assert!(!request.is_random());
    let key = SecretKey {
        file: "office.key".into(),
        bytes: b"sixteen bytes and a few more".to_vec(),
    };
    assert_eq!(
        released(&request, Some(&key)),
        released(&request, Some(&key))
    );
    let shown = format!("{request:?}{}", serde_json::to_string(&request).unwrap());
    assert!(!shown.contains("sixteen"));
    let error = mask::prepare(&request, &people(), None, &Quiet).unwrap_err();
    assert!(error.to_string().contains("there is none"), "{error}");
}

/// Every attack on files with common attributes. A new one gets a line here.
fn attacks() -> Vec<AttackRequest> {
    let singular = Singular::PseudoInverse;
    vec![
        AttackRequest::Nearest,
        AttackRequest::AlignedVariances(singular),
        AttackRequest::AlignedCovariances(singular),
        AttackRequest::UnrelatedCovariances(singular),
        AttackRequest::Kernel {
            kernel: Kernel::Polynomial {
                degree: NonZeroU32::new(2).unwrap(),
            },
            singular,
        },
        AttackRequest::Gower,
        AttackRequest::Probabilistic(Probabilistic::default()),
        AttackRequest::RankSwapIntersection,
        AttackRequest::Microaggregation {
            nearest_clusters: None,
        },
        AttackRequest::Likelihood,
        AttackRequest::Involution { eps: 0.02 },
    ]
}

/// Files that a careless program trips over, and one that no method may refuse.
const FILES: [(&str, &str); 8] = [
    ("no record", "person,age,income,tax,sex\n"),
    ("one record", "person,age,income,tax,sex\na,1,2,3,m\n"),
    (
        "two records",
        "person,age,income,tax,sex\na,1,2,3,m\nb,3,1,4,f\n",
    ),
    (
        "all equal",
        "person,age,income,tax,sex\na,5,5,5,m\nb,5,5,5,m\nc,5,5,5,m\nd,5,5,5,m\n",
    ),
    (
        "nothing present",
        "person,age,income,tax,sex\na,NA,,NA,\nb,,NA,NA,\nc,,,,NA\n",
    ),
    (
        "never two present",
        "person,age,income,tax,sex\na,1,NA,NA,NA\nb,NA,2,NA,\nc,NA,NA,3,\nd,4,,,\ne,,,,m\n",
    ),
    (
        "huge and tiny",
        "person,age,income,tax,sex\na,1e308,1e-308,1,m\nb,-1e308,0,2,f\nc,2,5e-324,3,f\nd,3,1,-7,m\ne,4,2,0,m\n",
    ),
    (
        "ordinary",
        "person,age,income,tax,sex\na,31,10,1,m\nb,35,25,3,f\nc,31,NA,7,f\nd,44,11,2,m\ne,50,90,3,m\nf,26,42,5,f\n\
         g,37,5,1,f\nh,47,77,9,m\ni,49,60,4,f\nj,38,61,8,m\nk,29,64,6,f\nl,41,13,2,f\n",
    ),
];

/// All maskings, then all attacks on what came out: each refuses in words or gives rates that can be. Nothing panics or fails.
#[test]
fn all_attacks_on_all_maskings_of_degenerate_files() {
    let mut rates = 0;
    for (name, text) in FILES {
        let original = Table::read(name, text.into(), &ReadOptions::default()).unwrap();
        for method in methods() {
            let request = MaskRequest::new(method);
            let case = format!("{} on {name}", serde_json::to_string(&request).unwrap());
            let seed = Seed::from_number(3);
            let masked = mask::prepare(&request, &original, None, &Quiet)
                .and_then(|prepared| prepared.mask(original.clone(), &seed));
            let masked = match masked {
                Ok(masked) => masked,
                Err(error) => {
                    assert!(name != "ordinary", "{case}: {error}");
                    assert_ne!(error.kind(), ErrorKind::Failed, "{case}: {error}");
                    continue;
                }
            };
            let Ok(truth) = Truth::by_order(&original, &masked.table) else {
                continue;
            };
            for assign in [Assign::Best, Assign::OneToOne] {
                let request = LinkRequest {
                    assign,
                    ..LinkRequest::new(Attacks::ThatApply(attacks()))
                };
                let statement = Statement::from(masked.step.clone());
                let input = Input {
                    statement: Some(Stated::in_memory(&statement)),
                    ..Input::new(&original, &masked.table, &truth)
                };
                match link::run(&request, &input, &Quiet) {
                    Err(error) => {
                        assert!(name != "ordinary", "{case}, {assign:?}: {error}");
                        assert_ne!(error.kind(), ErrorKind::Failed, "{case}: {error}");
                    }
                    Ok(outcome) => {
                        for result in &outcome.report.results {
                            let n = original.n_records() as f64;
                            let correct = result.rate * n;
                            assert!(
                                (0.0..=n).contains(&correct) && result.certain <= result.records,
                                "{case}, {assign:?}, {}: {}",
                                result.method,
                                result.rate
                            );
                            rates += 1;
                        }
                        assert_eq!(
                            outcome.report.results.len() + outcome.report.not_run.len(),
                            attacks().len(),
                            "{case}, {assign:?}: an attack is run, or the report says why it is not"
                        );
                    }
                }
            }
        }
    }
    assert!(rates > 300, "{rates} rates only");
}
