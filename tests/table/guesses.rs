//! Scales and roles that are worked out, on the files of the literature too where they are at hand.

use sdcrisk::table::{Reason, Role, Scale, Table};

use crate::{id, read, read_with, written_text};

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
        (&a.role_reason, &b.scale_reason),
        (&Reason::Stated, &Reason::Stated)
    );
    assert!(table.numbers(id(1)).is_none());
}

/// An attribute whose list of codes is empty misses nothing; markers that leave out the empty cell make it a value among text, and among
/// numbers it stays missing (R's rule for `na.strings`).
#[test]
fn empty_cells_can_be_a_category() {
    use sdcrisk::table::ReadOptions;
    let text = "job,age,zip\ncook,30,1\n,,\nNA,NA,2\n";
    let missing =
        |table: &Table| -> Vec<usize> { table.ids().map(|id| table.missing(id).count()).collect() };
    assert_eq!(missing(&read(text)), [2, 2, 1]);
    let stated = |na: &[&str]| {
        let na = Some(na.iter().map(|&code| code.to_owned()).collect());
        let options = ReadOptions {
            na,
            ..ReadOptions::default()
        };
        Table::read("t.csv", text.as_bytes().to_vec(), &options).unwrap()
    };
    assert_eq!(missing(&stated(&["NA"])), [1, 2, 1]);
    assert_eq!(missing(&stated(&["", "NA"])), [2, 2, 1]);
    // Without NA among the markers, age is text, and so is its empty cell.
    assert_eq!(missing(&stated(&["-9"])), [0, 0, 1]);

    let roles = read_with(text, "[missing]\njob = []\nzip = []").unwrap();
    assert_eq!(missing(&roles), [0, 2, 0]);
    let words: Vec<_> = (0..3)
        .map(|record| roles.category(record, id(0)).into_owned())
        .collect();
    assert_eq!(words, ["cook", "", "NA"]);
    assert!(read_with(text, "continuous = ['zip']\n[missing]\nzip = []").is_err());

    // A gap is written so that it is read again, and where nothing can mark one that is said.
    let suppressed = stated(&["-9"]).with_missing(id(0), &[0]).unwrap();
    assert_eq!(
        written_text(&suppressed),
        "job,age,zip\n-9,30,1\n,,\nNA,NA,2\n"
    );
    let error = roles.with_missing(id(0), &[0]).unwrap_err().to_string();
    assert!(
        error.contains("nothing stands for a missing value"),
        "{error}"
    );
}
