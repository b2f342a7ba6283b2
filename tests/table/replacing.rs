//! New text and new gaps in cells.

use proptest::prelude::*;
use sdcrisk::error::ErrorKind;
use sdcrisk::table::{ReadOptions, Roles, Scale, Table};

use crate::{id, read, read_with, values, written, written_text};

const KEEP: u32 = Table::AS_IT_IS;

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn new_text_is_quoted_only_where_it_must_be() {
    let table = read("a;b\r\nx;1\r\n\"y\";2\r\nz;3\r\nz;4\r\n")
        .with_texts(
            id(0),
            vec![0, KEEP, 1, 2],
            &texts(&["p;q", "say \"no\"", "r,s"]),
        )
        .unwrap();
    assert_eq!(
        written_text(&table),
        "a;b\r\n\"p;q\";1\r\n\"y\";2\r\n\"say \"\"no\"\"\";3\r\nr,s;4\r\n"
    );
    let read: Vec<_> = (0..4).map(|record| table.text(record, id(0))).collect();
    assert_eq!(read, ["p;q", "y", "say \"no\"", "r,s"]);
}

#[test]
fn new_text_is_written_in_the_encoding_of_the_file() {
    let table = read(b"town;n\nM\xE1laga;1\nHull;2\n")
        .with_texts(id(0), vec![KEEP, 0], &texts(&["Cádiz €"]))
        .unwrap();
    assert_eq!(written(&table), b"town;n\nM\xE1laga;1\nC\xE1diz \x80;2\n");
    let error = table
        .with_texts(id(0), vec![0, 0], &texts(&["\u{3a9}mega"]))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input);
    assert_eq!(error.location().attribute.as_deref(), Some("town"));
    assert!(
        error.to_string().contains("U+03A9") && !error.to_string().contains("laga"),
        "{error}"
    );
}

#[test]
fn text_that_would_be_read_as_missing_is_refused() {
    for text in ["", " ", "NA", ".", "*", "-9", "-9.0"] {
        let table = read_with("a,b\n1,x\n2,y\n", "[missing]\na = [-9]").unwrap();
        let error = table
            .with_texts(id(0), vec![0, KEEP], &texts(&[text]))
            .unwrap_err();
        assert!(
            error.to_string().contains("missing value"),
            "{text:?}: {error}"
        );
    }
    let error = read("a\n1\n2\n")
        .with_texts(id(0), vec![0, KEEP], &texts(&["a\0b"]))
        .unwrap_err();
    assert!(error.to_string().contains("U+0000"), "{error}");
}

/// `None` is text among text, and a missing number among numbers.
#[test]
fn words_for_missing_numbers_are_judged_by_their_neighbours() {
    let among_text = read("a,b\n0,x\n1,x\n2,x\n")
        .with_texts(id(0), vec![0, 1, 1], &texts(&["None", "some"]))
        .unwrap();
    assert!(among_text.missing(id(0)).is_empty());
    assert!(read(written(&among_text)).missing(id(0)).is_empty());
    let among_numbers =
        read("a,b\n0,x\n1,x\n2,x\n").with_texts(id(0), vec![0, KEEP, KEEP], &texts(&["None"]));
    assert_eq!(among_numbers.unwrap_err().kind(), ErrorKind::Input);
}

/// `NaN` is missing in an attribute of numbers; once text comes in, it would be a name.
#[test]
fn missing_numbers_stay_missing_when_an_attribute_becomes_text() {
    let table = read("a,b\nNaN,1\n3,NA\n4,\n5,NA\n")
        .with_texts(id(0), vec![KEEP, KEEP, KEEP, 0], &texts(&["5+"]))
        .unwrap();
    assert_eq!(written_text(&table), "a,b\nNA,1\n3,NA\n4,\n5+,NA\n");
    assert_eq!(table.attribute(id(0)).scale, Scale::Nominal);
    assert!(table.numbers(id(0)).is_none() && table.is_missing(0, id(0)));
}

#[test]
fn numbers_that_are_given_as_text_stay_numbers() {
    let table = read("a;b\n1,5;x\n2;x\nNA;x\n")
        .with_texts(id(0), vec![0, KEEP, 0], &texts(&["7,25"]))
        .unwrap();
    assert_eq!(values(&table, 0), [Some(7.25), Some(2.0), None]);
    // Numbers that are not new keep the new text; others replace it.
    let table = table.with_numbers(id(0), vec![7.25, 3.0, 0.0]);
    assert_eq!(written_text(&table), "a;b\n7,25;x\n3;x\nNA;x\n");
    let table = table.with_numbers(id(0), vec![1.5, 3.0, 0.0]);
    assert_eq!(
        written_text(&table),
        "a;b\n1,5;x\n3;x\nNA;x\n",
        "the file's own bytes again"
    );
    let code = read("a,b\n1,x\n2,x\n").with_texts(id(0), vec![0, KEEP], &texts(&["007"]));
    assert_eq!(
        code.unwrap().attribute(id(0)).scale,
        Scale::Nominal,
        "as it would be read"
    );
}

#[test]
fn a_gap_is_marked_as_the_attribute_then_the_file_marks_its_gaps() {
    let own = read("a,b\n1,x\nNA,.\nNA,.\n.,.\n")
        .with_missing(id(0), &[0])
        .unwrap();
    assert_eq!(written_text(&own), "a,b\nNA,x\nNA,.\nNA,.\n.,.\n");
    let files = read("a,b,c\n1,x,.\n2,y,.\n3,z,NA\n")
        .with_missing(id(0), &[2])
        .unwrap();
    assert_eq!(written_text(&files), "a,b,c\n1,x,.\n2,y,.\n.,z,NA\n");
    let empty = read("a,b\n1,x\n2,y\n")
        .with_missing(id(0), &[1])
        .unwrap()
        .with_missing(id(1), &[0])
        .unwrap();
    assert_eq!(written_text(&empty), "a,b\n1,\n,y\n");
    let single = read("a\n1\n2\n").with_missing(id(0), &[0]).unwrap();
    assert_eq!(written_text(&single), "a\nNA\n2\n");
    assert_eq!(values(&read(written(&single)), 0), [None, Some(2.0)]);
    // A code of another attribute, or a word that is missing among numbers only, does not do.
    let codes = read_with("a,b\n-9,x\n-9,y\n3,z\n", "[missing]\na = [-9]").unwrap();
    assert_eq!(
        written_text(&codes.with_missing(id(1), &[2]).unwrap()),
        "a,b\n-9,x\n-9,y\n3,\n"
    );
    let words = read("a,b\nNaN,x\n2,y\n").with_missing(id(1), &[0]).unwrap();
    assert_eq!(written_text(&words), "a,b\nNaN,\n2,y\n");
    let words = read("a,b\nNaN,x\n2,y\n").with_missing(id(0), &[1]).unwrap();
    assert_eq!(written_text(&words), "a,b\nNaN,x\nNaN,y\n");
}

#[test]
fn an_untouched_gap_leaves_the_file_alone() {
    let text = "a,b\r\n NA ,x\r\n2,\"y\"\n\n";
    let table = read(text);
    assert_eq!(
        written_text(&table.clone().with_missing(id(0), &[0]).unwrap()),
        text
    );
    assert_eq!(written_text(&table.with_missing(id(0), &[]).unwrap()), text);
}

/// One change of a table.
#[derive(Debug, Clone)]
enum Change {
    Texts(usize, Vec<u32>),
    Missing(usize, Vec<bool>),
    Donors(usize, usize),
    Order(usize),
    Numbers(usize),
}

const NAMES: [&str; 5] = ["north", "say \"x\"", "a;b", "85+", "41"];

fn change() -> impl Strategy<Value = Change> {
    let codes = prop::sample::select(vec![KEEP, KEEP, 0, 1, 2, 3, 4]);
    prop_oneof![
        (0_usize..3, proptest::collection::vec(codes, 20)).prop_map(|(a, c)| Change::Texts(a, c)),
        (0_usize..3, proptest::collection::vec(any::<bool>(), 20))
            .prop_map(|(a, c)| Change::Missing(a, c)),
        (0_usize..3, 0_usize..20).prop_map(|(a, by)| Change::Donors(a, by)),
        (0_usize..20).prop_map(Change::Order),
        (0_usize..3).prop_map(Change::Numbers),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// The slow way, a table of texts; and what is written reads back as what the table says of itself.
    #[test]
    fn replaced_cells_are_those_of_a_plain_table_of_texts(
        cells in proptest::collection::vec(
            proptest::collection::vec(prop::sample::select(vec!["1", "2,50", "NA", "-7", "100"]), 3), 1..20),
        changes in proptest::collection::vec(change(), 0..8),
        dropped in 0_usize..4,
    ) {
        let roles = Roles::parse("continuous = ['a', 'b', 'c']").unwrap();
        let options = ReadOptions {
            delimiter: Some(b';'), decimal_mark: Some(','), header: Some(true), roles, ..ReadOptions::default()
        };
        let mut plain: Vec<Vec<String>> =
            cells.iter().map(|record| record.iter().map(|&cell| cell.to_owned()).collect()).collect();
        let quoted = |text: &String| if text.contains([';', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.clone() };
        let join = |names: &str, plain: &[Vec<String>]| plain.iter().fold(names.to_owned(), |all, record| {
            all + &record.iter().map(quoted).collect::<Vec<_>>().join(";") + "\n"
        });
        let mut table = Table::read("t", join("a;b;c\n", &plain).into_bytes(), &options).unwrap();
        let n = plain.len();
        let turned = |by: usize| (0..n).map(move |record| (record + by) % n);
        let small = |record: usize| u32::try_from(record).unwrap();
        for change in changes {
            match change {
                Change::Texts(place, codes) => {
                    for (record, &code) in plain.iter_mut().zip(&codes) {
                        if code != KEEP && record[place] != "NA" {
                            record[place] = NAMES[code as usize].to_owned();
                        }
                    }
                    table = table.with_texts(id(place), codes[..n].to_vec(), &texts(&NAMES)).unwrap();
                }
                Change::Missing(place, which) => {
                    // The only other marker that could be in use is the empty cell of a file without gaps.
                    let any = plain.iter().flatten().any(|cell| cell == "NA");
                    let empty = plain.iter().flatten().any(String::is_empty);
                    prop_assume!(any && !empty);
                    let records: Vec<u32> = (0..n).filter(|&r| which[r]).map(small).collect();
                    for &record in &records {
                        plain[record as usize][place] = "NA".to_owned();
                    }
                    table = table.with_missing(id(place), &records).unwrap();
                }
                Change::Donors(place, by) => {
                    let old: Vec<String> = plain.iter().map(|record| record[place].clone()).collect();
                    for (record, donor) in turned(by).enumerate() {
                        plain[record][place].clone_from(&old[donor]);
                    }
                    table = table.with_donors(id(place), turned(by).map(small).collect());
                }
                Change::Order(by) => {
                    plain = turned(by).map(|record| plain[record].clone()).collect();
                    table = table.reordered(turned(by).map(small).collect());
                }
                Change::Numbers(place) => {
                    let Some(numbers) = table.numbers(id(place)) else { continue };
                    let new: Vec<f64> = numbers.values.iter().enumerate()
                        .map(|(record, value)| if record % 2 == 0 { value + 0.25 } else { *value }).collect();
                    for (record, value) in new.iter().enumerate() {
                        if record % 2 == 0 && plain[record][place] != "NA" {
                            plain[record][place] = format!("{value}").replace('.', ",");
                        }
                    }
                    table = table.with_numbers(id(place), new);
                }
            }
        }
        let mut names = vec!["a", "b", "c"];
        if dropped < 3 {
            table = table.without(&[id(dropped)]);
            names.remove(dropped);
            for record in &mut plain {
                record.remove(dropped);
            }
        }
        let text = written_text(&table);
        prop_assert_eq!(&text, &join(&(names.join(";") + "\n"), &plain));
        for place in 0..names.len() {
            for (record, cells) in plain.iter().enumerate() {
                prop_assert_eq!(&table.text(record, id(place)), &cells[place]);
                prop_assert_eq!(table.is_missing(record, id(place)), cells[place] == "NA");
            }
        }
        // Read back by the same marks; what became text is no longer stated to be numbers.
        let free = ReadOptions { roles: Roles::default(), ..options };
        let back = Table::read("t", text.into_bytes(), &free).unwrap();
        for place in 0..names.len() {
            prop_assert!(back.missing(id(place)).records().eq(table.missing(id(place)).records()));
            if let Some(numbers) = table.numbers(id(place)) {
                let all_missing = numbers.missing.count() == n;
                prop_assert!(all_missing || back.numbers(id(place)).is_some_and(|b| b.values == numbers.values));
            } else {
                prop_assert!(back.numbers(id(place)).is_none() || plain.iter().all(|r| NAMES[..4].iter().all(|name| r[place] != *name)));
            }
        }
    }
}
