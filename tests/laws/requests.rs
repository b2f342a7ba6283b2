//! Requests are data: kept as JSON and read back they ask for the same.

use sdcrisk::{
    jobs::{
        Quiet,
        mask::{
            self, SecretKey,
            request::{
                ClusterNumber, CopulaKeep, CopulaRequest, FuzzyRequest, IpsoRequest, MaskRequest,
                MethodRequest, MicroaggregationRequest, RulesFile, SecretUse, SuppressRequest,
            },
        },
    },
    mask::{Rounding, copula::Keep, fuzzy::Settings, noise, rank_swap::Reach},
    rng::Seed,
    statement::{
        Average, CopulaAllocation, DistanceScale, Grouping, IpsoVariant, MissingMatches, Partner,
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
        }),
        MethodRequest::Suppress(SuppressRequest::Key {
            k: 3,
            key: "age,sex".into(),
            missing: MissingMatches::Missing,
        }),
    ]
}

/// What reaches the masked file, and what is published of it.
fn released(request: &MaskRequest, key: Option<&SecretKey>) -> (Vec<u8>, String) {
    let prepared = mask::prepare(request, &people(), key, &Quiet).unwrap();
    let masked = prepared.mask(people(), &Seed::from_number(7)).unwrap();
    let mut bytes = Vec::new();
    masked.table.write(&mut bytes).unwrap();
    (bytes, masked.statement.to_json())
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
