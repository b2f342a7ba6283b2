//! Scales and roles that are worked out, on the files of the literature too where they are at hand.

use sdcrisk::table::{Role, Scale, Table};

use crate::{id, read, read_with};

fn column(name: &str, cells: impl IntoIterator<Item = String>) -> Table {
    let records: String = cells
        .into_iter()
        .map(|cell| format!("{cell},x\n"))
        .collect();
    read(format!("{name},other\n{records}"))
}

fn numbers(from: usize, count: usize, step: usize) -> impl Iterator<Item = String> {
    (0..count).map(move |record| (from + record * step).to_string())
}

#[test]
fn scales_follow_the_cells() {
    let scale = |table: Table| table.attribute(id(0)).scale;
    let cycle = |different: usize, count: usize| {
        (0..count).map(move |record| (record % different).to_string())
    };
    assert_eq!(scale(column("a", cycle(20, 100))), Scale::Ordinal);
    assert_eq!(
        scale(column("a", cycle(20, 99))),
        Scale::Continuous,
        "more than a fifth"
    );
    assert_eq!(
        scale(column("a", cycle(21, 1_000))),
        Scale::Continuous,
        "more than 20"
    );
    let halves = (0..100).map(|record| format!("{}.5", record % 3));
    assert_eq!(scale(column("a", halves)), Scale::Continuous, "not whole");
    assert_eq!(
        scale(column("a", ["1", "x", "2"].map(str::to_owned))),
        Scale::Nominal
    );
    assert_eq!(
        scale(column("a", ["NA", "", "NA"].map(str::to_owned))),
        Scale::Nominal
    );
    assert_eq!(scale(read("a,b\n")), Scale::Nominal);
}

#[test]
fn identifiers_are_recognised_and_amounts_are_not() {
    let words = |count: usize| (0..count).map(|record| format!("w{record}"));
    let halves = |count: usize| numbers(7, count, 3);
    for (table, role) in [
        (column("customer_no", halves(2)), Role::Identifier),
        (column("AGI", halves(50)), Role::QuasiIdentifier),
        (
            column("customer_no", ["5", "5"].map(str::to_owned)),
            Role::QuasiIdentifier,
        ),
        (
            column("income_id", (0..100).map(|r| format!("{r}.5"))),
            Role::QuasiIdentifier,
        ),
        (
            column("UTILITYID", (0..100).map(|r| (r / 2).to_string())),
            Role::Identifier,
        ),
        (
            column("REGIONID", (0..100).map(|r| (r % 5).to_string())),
            Role::QuasiIdentifier,
        ),
        (
            column("PAID", (0..100).map(|r| (r / 2).to_string())),
            Role::QuasiIdentifier,
        ),
        (
            column("FIRMNAME", (0..100).map(|r| format!("f{}", r / 2))),
            Role::Identifier,
        ),
        (column("x", numbers(1, 20, 1)), Role::Identifier),
        (column("x", numbers(0, 20, 1)), Role::Identifier),
        (column("x", numbers(1, 19, 1)), Role::QuasiIdentifier),
        (column("x", numbers(2, 20, 1)), Role::QuasiIdentifier),
        (column("x", words(20)), Role::Identifier),
        (column("x", words(19)), Role::QuasiIdentifier),
        (
            column("x", (0..30).map(|r| format!("{:05}", r * 3))),
            Role::Identifier,
        ),
        // An amount with one remark among its cells is no text.
        (
            column("x", halves(30).chain(["n.d.".to_owned()])),
            Role::QuasiIdentifier,
        ),
    ] {
        let attribute = table.attribute(id(0));
        assert_eq!(
            attribute.role, role,
            "{}: {}",
            attribute.name, attribute.role_reason
        );
    }
}

#[test]
fn what_the_user_states_wins() {
    let roles = "confidential = ['a']\nnominal = ['b']\n[attributes.b]\nrole = 'non-confidential'";
    let table = read_with("a,b\n1,2\n", roles).expect("a table");
    let [a, b] = table.attributes() else {
        panic!("two attributes")
    };
    assert_eq!(
        (a.role, b.role, b.scale),
        (Role::Confidential, Role::NonConfidential, Scale::Nominal)
    );
    assert_eq!(
        (a.role_reason.as_str(), b.scale_reason.as_str()),
        ("stated", "stated")
    );
    assert!(table.numbers(id(1)).is_none());
}
