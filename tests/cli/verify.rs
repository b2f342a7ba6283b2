//! `verify`: what it says of a right and of a wrong certificate, and how it ends.

use sdcrisk::{
    certificate::{
        Certificate, Pairing,
        format::{Conflict, Direction, Family, Pair, Proof, SCHEMA, Standardize, Weighted},
    },
    table::{AttrId, ReadOptions, Table},
};

use crate::sandbox::Sandbox;

/// Five records. That of 1 differs from its masked one by (0, 2), from that of 3 by (1, 0); 2 by (2, 0), and from that of 4 by (0, 1): no weights
/// link both. 5 differs by (3, 3), and from that of 3 by (2, 2): none link it.
pub const ORIGINAL: &str = "\
name,x,y
geheim01,918273645,0
geheim02,918273745,100
geheim03,918273646,0
geheim04,918273745,101
geheim05,918273648,2
";

/// The masked file of [`ORIGINAL`].
pub const MASKED: &str = "\
name,x,y
geheim01,918273645,2
geheim02,918273747,100
geheim03,918273646,0
geheim04,918273745,101
geheim05,918273651,5
";

/// The optimum of these files, with its proof, after a change.
pub fn certificate(change: impl FnOnce(&mut Certificate)) -> String {
    let table = |name: &str, text: &str| {
        Table::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    };
    let (original, masked) = (table("o.csv", ORIGINAL), table("m.csv", MASKED));
    let known: Vec<(AttrId, AttrId)> = original.ids().skip(1).map(|id| (id, id)).collect();
    let masked_of: Vec<Option<u32>> = (0..5).map(Some).collect();
    let mut certificate = Certificate {
        schema: SCHEMA.into(),
        version: "0".into(),
        family: Family::WeightedMean,
        known: vec!["x".into(), "y".into()],
        direction: Direction::OriginalToMasked,
        standardize: Standardize::None,
        files: Pairing {
            original: &original,
            masked: &masked,
            known: &known,
            masked_of: &masked_of,
        }
        .files(),
        held: None,
        records: 5,
        parameters: vec![1.0, 0.0],
        linked: 3,
        bound: 3,
        never: vec![Pair(5, 3)],
        proof: Proof::Covering {
            conflicts: vec![Conflict {
                rows: vec![Weighted(1, 3, 1.0), Weighted(2, 4, 1.0)],
                ..Conflict::default()
            }],
            dropped: 1,
        },
    };
    change(&mut certificate);
    certificate.to_json()
}

fn sandbox(certificate: &str) -> Sandbox {
    Sandbox::with(&[
        ("o.csv", ORIGINAL),
        ("m.csv", MASKED),
        ("c.json", certificate),
    ])
}

/// By hand: of five records one is never linked and one more cannot be, so 3 is the optimum.
#[test]
fn a_right_certificate_is_proved() {
    let sandbox = sandbox(&certificate(|_| ()));
    let text = sandbox.run("verify c.json o.csv m.csv").ended(0).text();
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "proved linked: 3 records are linked",
        "proved never: 1 record has",
        "proved inequalities: in 1 conflict",
        "proved cover: the conflicts cost at least 1 record",
        "proved bound: that no more than 3 records are linked, however closely, follows",
        "Verdict: proved. These parameters link 3 of 5 records (60.0 %), and no parameters of the family link more.",
    ] {
        assert!(flat.contains(part), "{part:?} is not in {text}");
    }
    let json = sandbox
        .run("verify --format json --id name c.json o.csv m.csv")
        .ended(0)
        .json();
    assert_eq!(json["schema"], "sdcrisk.verify/1");
    assert_eq!(json["verdict"], "proved");
    assert_eq!((&json["linked"], &json["bound"]), (&3.into(), &3.into()));
}

#[test]
fn a_wrong_certificate_ends_with_status_1_and_names_what_is_wrong() {
    for (changed, says) in [
        (
            certificate(|c| c.bound = 2),
            "wrong bound: 2 is claimed; what the proof gives is 3",
        ),
        (
            certificate(|c| c.linked = 4),
            "wrong linked: 4 are claimed; 3 records are linked",
        ),
        (
            certificate(|c| c.never[0] = Pair(1, 3)),
            "wrong never: entry 1",
        ),
        (
            certificate(|c| c.parameters = vec![2.0, -1.0]),
            "wrong parameters",
        ),
    ] {
        let ran = sandbox(&changed).run("verify c.json o.csv m.csv").ended(1);
        let flat = ran.text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(says), "{says:?} is not in {}", ran.text());
        assert!(flat.contains("Verdict: wrong."), "{flat}");
        for secret in ["geheim", "9182736"] {
            assert!(!flat.contains(secret) && !ran.stderr.contains(secret));
        }
    }
}

/// What rests on a search is neither proved nor refuted, whatever the certificate says of itself.
#[test]
fn what_is_not_proved_ends_with_status_5() {
    let searched = certificate(|c| {
        c.proof = Proof::Search {
            rests_on: "nothing: it is proved".into(),
        }
    });
    let ran = sandbox(&searched).run("verify c.json o.csv m.csv").ended(5);
    let flat = ran.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("not proved inequalities"), "{flat}");
    assert!(
        flat.contains("Verdict: not proved, and not refuted."),
        "{flat}"
    );
    assert!(!flat.contains("it is proved"), "{flat}");
    let json = sandbox(&searched)
        .run("verify --format json c.json o.csv m.csv")
        .ended(5)
        .json();
    assert_eq!(json["verdict"], "not proved");
    // Of five records one is never linked: that four are the most needs no search.
    let trivial = searched.replace("\"bound\":3", "\"bound\":4");
    sandbox(&trivial).run("verify c.json o.csv m.csv").ended(0);
    // Three records do not hit what the search says they must.
    let wrong = searched.replace("\"bound\":3", "\"bound\":2");
    sandbox(&wrong).run("verify c.json o.csv m.csv").ended(1);
}

/// A certificate cut anywhere, and one with any letter gone, is refused or judged; nothing else happens.
#[test]
fn broken_certificates_end_in_order() {
    let whole = certificate(|_| ());
    for cut in (0..whole.len() - 1).step_by(29) {
        let ran = sandbox(&whole[..cut])
            .run("verify c.json o.csv m.csv")
            .ended(3);
        assert!(
            ran.stderr.contains("is not a certificate"),
            "{}",
            ran.stderr
        );
        let without = format!("{}{}", &whole[..cut], &whole[cut + 1..]);
        let ran = sandbox(&without).run("verify c.json o.csv m.csv");
        assert!(matches!(ran.status, Some(0 | 1 | 3 | 5)), "{cut}: {ran:?}");
        assert!(!ran.stderr.contains("panicked"), "{cut}: {ran:?}");
    }
}
