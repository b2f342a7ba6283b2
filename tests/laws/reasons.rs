//! What a program can act on without reading a message: the reason of an error, through the API of the crate.

use std::ops::Bound;

use rand::SeedableRng;
use sdcrisk::{
    attack::{
        distance_based::Standardize,
        intersection::rank_swap,
        likelihood::Likelihood,
        mahalanobis::{Mahalanobis, Scatter, Singular},
    },
    error::{Counted, Difference, Error, ErrorKind, Reason},
    evaluate::{
        knowledge::Knowledge,
        link::{Assign, Study, shared_attributes},
        plan::{Passage, PlannedOption},
        truth::{OriginalRecord, Truth},
    },
    jobs::{
        Quiet,
        link::{
            self, Input, LinkRequest,
            request::{AttackRequest, Attacks, Wanted},
        },
    },
    mask::{
        Mask,
        noise::{Noise, Options},
        rank_swap::{RankSwap, Reach},
    },
    risk::individual,
    rng::{Purpose, Seed},
    statement::Partner,
    table::{ReadOptions, Table},
};

use super::tables::table;

/// `total` is `a + b`, in both files.
const COLLINEAR: &str = "id,a,b,c,total\nv,1,2,9,3\nw,4,1,7,5\nx,2,8,1,10\ny,6,3,3,9\nz,3,9,4,12\n";

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn attacked(attack: &Mahalanobis, original: &Table, masked: &Table) -> Error {
    let truth = Truth::by_order(original, masked).unwrap();
    let everybody = OriginalRecord::all(original);
    let direction = sdcrisk::attack::Direction::OriginalToMasked;
    let study = Study::new(original, masked, &truth, everybody, direction);
    let (known, _) = shared_attributes(original, masked, Some(["id"; 2]));
    let outcome = study.case(&known).attack(attack, Assign::Best, false);
    outcome.unwrap_err()
}

#[test]
fn a_singular_covariance_names_the_attributes_that_depend_on_each_other() {
    let original = table(COLLINEAR);
    let masked = table(COLLINEAR);
    let attack = |scatter, singular| Mahalanobis {
        scatter,
        standardize: Standardize::Own,
        singular,
    };
    // c depends on nothing, and is not named.
    let error = attacked(
        &attack(Scatter::Unrelated, Singular::Refused),
        &original,
        &masked,
    );
    let attributes = names(&["a", "b", "total"]);
    assert_eq!(
        error.reason(),
        Some(&Reason::SingularCovariance { attributes })
    );
    // The message names them, too.
    assert!(
        error.what().contains("a combination of a, b, total"),
        "{error}"
    );
    // Unmasked, every pair differs by 0: the first attribute without variance is named.
    let error = attacked(
        &attack(Scatter::AlignedVariances, Singular::Refused),
        &original,
        &masked,
    );
    let attributes = names(&["a"]);
    assert_eq!(
        error.reason(),
        Some(&Reason::SingularCovariance { attributes })
    );
    // With a pseudo-inverse nothing is left: no combination varies, so none is named.
    let error = attacked(
        &attack(Scatter::AlignedCovariances, Singular::PseudoInverse),
        &original,
        &masked,
    );
    assert_eq!(error.reason(), Some(&Reason::Constant { attribute: None }));
}

#[test]
fn covariances_need_two_records_without_gaps() {
    let text = "a,b\n1,2\n3,\n,5\n4,\n";
    let attack = Mahalanobis {
        scatter: Scatter::Unrelated,
        standardize: Standardize::Release,
        singular: Singular::Refused,
    };
    let error = attacked(&attack, &table(text), &table(text));
    assert_eq!(
        error.reason(),
        Some(&Reason::TooFewRecords { have: 1, need: 2 })
    );
}

#[test]
fn tables_say_which_attribute_or_cells_they_lack() {
    let people = table("age,town,weight\n31,A,1\n45,B,\n");
    let lacks = |name: &str| {
        Some(Reason::UnknownAttribute {
            name: name.into(),
            file: Some("f.csv".into()),
        })
    };
    for list in ["wage", "9"] {
        let error = people.select(list).unwrap_err();
        assert_eq!(error.reason().cloned(), lacks(list), "{error}");
    }
    let town = people.find("town").unwrap();
    let of = |attribute: &str| attribute.to_owned();
    let error = individual::weights(&people, town).unwrap_err();
    let attribute = of("town");
    assert_eq!(error.reason(), Some(&Reason::WrongScale { attribute }));
    let error = individual::weights(&people, people.find("weight").unwrap()).unwrap_err();
    let attribute = of("weight");
    assert_eq!(error.reason(), Some(&Reason::MissingValues { attribute }));
    assert_eq!(
        error.location().line,
        Some(3),
        "where it is, is the location's"
    );
    let error = people.select("age,town,age").unwrap_err();
    let name = of("age");
    assert_eq!(error.reason(), Some(&Reason::NamedTwice { name }));
    // What says no more than its message has no reason.
    let unclosed = Table::read("f.csv", b"a\n\"1\n".to_vec(), &ReadOptions::default());
    let error = unclosed.unwrap_err();
    assert_eq!((error.kind(), error.reason()), (ErrorKind::Input, None));
}

#[test]
fn maskings_say_which_setting_is_out_of_which_range() {
    let error = Reach::percent(100.5).unwrap_err();
    let Some(Reason::OutOfRange {
        setting,
        least,
        most,
    }) = error.reason()
    else {
        panic!("{error}")
    };
    assert_eq!(
        (setting.as_str(), *least, *most),
        ("p", Bound::Excluded(0.0), Bound::Included(100.0))
    );
    assert!(error.what().starts_with("--p "), "{error}");
    // What depends on the file: 1 % of 40 records is no rank, and 2.5 % is one.
    let text: String = (0..40).map(|value| format!("{value}\n")).collect();
    let file = table(format!("x\n{text}"));
    let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
    let on: Vec<_> = file.ids().collect();
    let swap = RankSwap::new(Reach::percent(1.0).unwrap(), Partner::Unswapped).unwrap();
    let error = swap.mask(file, &on, &streams).unwrap_err();
    let least = Bound::Included(2.5);
    assert!(
        matches!(error.reason(), Some(Reason::OutOfRange { least: found, .. }) if *found == least),
        "{error}"
    );
    let alone = table("x\n1\n");
    let error = swap.mask(alone, &on, &streams).unwrap_err();
    assert_eq!(
        error.reason(),
        Some(&Reason::TooFewRecords { have: 1, need: 2 })
    );
    // Names have no ranks, whether it is asked before or found out by masking.
    let towns = table("town\nA\nB\n");
    let attribute = String::from("town");
    let reason = Reason::WrongScale { attribute };
    let objection = swap.objection(&towns, on[0]).unwrap();
    assert_eq!(objection.reason(), Some(&reason));
    let half = RankSwap::new(Reach::percent(50.0).unwrap(), Partner::Unswapped).unwrap();
    let error = half.mask(towns, &on, &streams).unwrap_err();
    assert_eq!(error.reason(), Some(&reason));
}

#[test]
fn too_many_cases_are_counted() {
    let rng = || sdcrisk::rng::Generator::seed_from_u64(1);
    // C(40, 20), by hand from Pascal's triangle: 137,846,528,820.
    let error = Knowledge::Subsets(20).cases(40, rng).unwrap_err();
    assert_eq!(
        error.reason(),
        Some(&Reason::TooMany {
            of: Counted::Cases,
            asked: 137_846_528_820,
            limit: 100_000
        })
    );
    let error = Knowledge::First(5).cases(3, rng).unwrap_err();
    assert_eq!(
        error.reason(),
        Some(&Reason::TooMany {
            of: Counted::Attributes,
            asked: 5,
            limit: 3
        })
    );
}

#[test]
fn files_that_do_not_belong_together_say_in_what_they_differ() {
    let (three, two) = (table("id,x\na,1\nb,2\nc,3\n"), table("id,x\nd,1\ne,2\n"));
    let differ = |error: Error| match error.reason() {
        Some(Reason::FilesDiffer { by }) => *by,
        _ => panic!("{error}"),
    };
    assert_eq!(
        differ(Truth::by_order(&three, &two).unwrap_err()),
        Difference::Records {
            have: 2,
            expected: 3
        }
    );
    assert_eq!(
        differ(Truth::by_identifier(&three, &two, ["id"; 2]).unwrap_err()),
        Difference::People
    );
    let twice = table("id,x\na,1\na,2\n");
    let error = Truth::by_identifier(&three, &twice, ["id"; 2]).unwrap_err();
    let attribute = String::from("id");
    assert_eq!(error.reason(), Some(&Reason::NotUnique { attribute }));
}

#[test]
fn attacks_by_a_law_say_that_another_masking_was_published() {
    let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
    let file = table("x\n1\n2\n4\n9\n");
    let on: Vec<_> = file.ids().collect();
    let noise = Noise::new(0.1, Options::default()).unwrap();
    let statement = noise.mask(file, &on, &streams).unwrap().step;
    let error = rank_swap::Bound::of_step(&statement).unwrap_err();
    let stated = String::from("noise");
    assert_eq!(error.reason(), Some(&Reason::OtherMasking { stated }));
    assert!(Likelihood::new(statement).is_ok(), "noise has a law");

    // Of a request that publishes nothing.
    let (original, masked) = (table(COLLINEAR), table(COLLINEAR));
    let truth = Truth::by_order(&original, &masked).unwrap();
    let rsld = Wanted::Attack(AttackRequest::RankSwapIntersection);
    let request = LinkRequest::new(Attacks::Named(vec![rsld]));
    let input = Input::new(&original, &masked, &truth);
    let error = link::run(&request, &input, &Quiet).unwrap_err();
    assert_eq!(error.reason(), Some(&Reason::NothingPublished), "{error}");
}

/// A plan takes the blame in the message; the reason stays that of the error it wraps.
#[test]
fn a_wrapped_error_keeps_its_reason() {
    let options: &[PlannedOption] = &[];
    let passage = Passage {
        plan: "plan.toml",
        line: 7,
        options,
    };
    let error = Reach::percent(0.0).unwrap_err();
    let reason = error.reason().cloned();
    let blamed = passage.blamed(["mask 'a'", "f.csv"], error);
    assert_eq!(blamed.location().line, Some(7));
    assert!(reason.is_some());
    assert_eq!(blamed.reason().cloned(), reason);
    // An attribute that is known later only is filled in; one that is known stays.
    let error = Error::input("has one value").because(Reason::Constant { attribute: None });
    let error = error.on_attribute("x").on_attribute("y");
    let attribute = Some(String::from("x"));
    assert_eq!(error.reason(), Some(&Reason::Constant { attribute }));
}
