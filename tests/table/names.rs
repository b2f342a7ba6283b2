//! Names of attributes, and the lists that users type.

use sdcrisk::error::ErrorKind;

use crate::{read, written_text};

#[test]
fn names_are_made_unique_and_the_header_stays() {
    let text = "a,a,,a_2,\" b \",a,V3\n1,2,3,4,5,6,7\n";
    let table = read(text);
    let names: Vec<&str> = table.attributes().iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["a", "a_3", "V3_", "a_2", "b", "a_4", "V3"]);
    assert_eq!(table.notes().len(), 3, "{:?}", table.notes());
    assert_eq!(written_text(&table), text);
}

/// Places (from 1) that a list selects, or the message.
fn select(header: &str, list: &str) -> Result<Vec<usize>, String> {
    let cells = vec!["x"; header.matches(';').count() + 1].join(";");
    let table = read(format!("{header}\n{cells}\n"));
    table
        .select(list)
        .map(|ids| ids.iter().map(|id| id.index() + 1).collect())
        .map_err(|error| {
            assert_eq!(error.kind(), ErrorKind::Usage);
            error.to_string()
        })
}

#[test]
fn lists_select_by_name_by_number_and_by_range() {
    for (header, list, places) in [
        ("a;b;c", "a,c", vec![1, 3]),
        ("a;b;c", " c , a ", vec![3, 1]),
        ("a;b;c", "1-3", vec![1, 2, 3]),
        ("a;b;c;d;e", "5,2-3,a", vec![5, 2, 3, 1]),
        ("3;b;c", "3", vec![1]),
        ("a;1-2;c", "1-2", vec![2]),
        ("a;\"b,c\";d", "\"b,c\",d", vec![2, 3]),
        ("a;\"b\"\"c\";d", "\"b\"\"c\"", vec![2]),
    ] {
        assert_eq!(select(header, list), Ok(places), "{header} {list}");
    }
}

#[test]
fn lists_that_make_no_sense_are_refused() {
    for (list, message) in [
        ("a,,b", "t.csv: the list of attributes has an empty item"),
        ("", "t.csv: the list of attributes has an empty item"),
        (
            "a,1",
            "t.csv, attribute \"a\": the attribute is in the list twice. Name it once",
        ),
        ("3-1", "t.csv: the range 3-1 runs backwards. Write 1-3"),
        (
            "0",
            "t.csv: there is no attribute number 0. The attributes are numbered from 1 to 3",
        ),
        (
            "2-9",
            "t.csv: there is no attribute number 9. The attributes are numbered from 1 to 3",
        ),
        (
            "agi",
            "t.csv: there is no attribute \"agi\". Did you mean \"AGI\"?",
        ),
        (
            "zzzzzz",
            "t.csv: there is no attribute \"zzzzzz\". The file has \"a\", \"AGI\", \"c\"",
        ),
        (
            "\"1\"",
            "t.csv: there is no attribute \"1\". The file has \"a\", \"AGI\", \"c\"",
        ),
        (
            "\"a",
            "t.csv: in the list of attributes, a quote is not closed",
        ),
        (
            "\"a\"b",
            "t.csv: in the list of attributes, text follows a closing quote",
        ),
    ] {
        assert_eq!(select("a;AGI;c", list), Err(message.to_owned()), "{list:?}");
    }
}

#[test]
fn numbers_stay_with_attributes_when_others_are_dropped() {
    let table = read("a;b;c\n1;2;3\n");
    let b = table.find("b").expect("b");
    let table = table.without(&[b]);
    assert_eq!(table.select("3").expect("c"), [table.find("c").expect("c")]);
    assert!(table.select("2").is_err());
}
