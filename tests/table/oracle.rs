//! The `csv` crate finds the same cells in well-formed input.

use proptest::prelude::*;

use sdcrisk::table::{ReadOptions, Table};

use crate::id;

/// A record of `n` cells as a program would write it, and with which quotes.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9.;|\u{e9} -]{0,30}".prop_map(|text| text),
        "[a-z0-9,\"\r\n\t é]{0,40}".prop_map(|text| format!("\"{}\"", text.replace('"', "\"\""))),
        "[a-z]\"[a-z\"]{0,5}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn cells_are_those_of_the_csv_crate(
        records in (1_usize..6).prop_flat_map(|n| proptest::collection::vec(proptest::collection::vec(cell(), n..=n), 0..20)),
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        last in any::<bool>(),
    ) {
        let n = records.first().map_or(1, Vec::len);
        let mut text = (0..n).map(|place| format!("n{place}")).collect::<Vec<_>>().join(",");
        for record in &records {
            text.push_str(line_end);
            let line = record.join(",");
            // A blank line, which that crate skips, is a record here (`one_column`).
            text.push_str(if line.is_empty() { "\"\"" } else { &line });
        }
        if last {
            text.push_str(line_end);
        }
        let mut reader = csv::ReaderBuilder::new().has_headers(true).from_reader(text.as_bytes());
        let expected: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("well-formed");
        let options = ReadOptions { delimiter: Some(b','), header: Some(true), ..ReadOptions::default() };
        let table = Table::read("t", text.clone().into_bytes(), &options).expect("well-formed");
        let found: Vec<csv::StringRecord> = (0..table.n_records())
            .map(|record| (0..n).map(|place| table.text(record, id(place)).into_owned()).collect())
            .collect();
        prop_assert_eq!(found, expected, "{:?}", text);
    }

    #[test]
    fn any_bytes_that_are_read_have_the_cells_of_the_csv_crate(
        parts in proptest::collection::vec(
            prop::sample::select(vec![",", ",", "\n", "\r\n", "\"", "\"\"", "\"a\"", "b", "1", " x"]), 0..30)
    ) {
        let text = format!("p,q\n{}", parts.concat());
        let options = ReadOptions { delimiter: Some(b','), header: Some(true), ..ReadOptions::default() };
        if let Ok(table) = Table::read("t", text.clone().into_bytes(), &options) {
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let expected: Vec<csv::StringRecord> =
                reader.records().filter_map(Result::ok).collect();
            let found: Vec<csv::StringRecord> = (0..table.n_records())
                .map(|record| (0..2).map(|place| table.text(record, id(place)).into_owned()).collect())
                .collect();
            // Blanks after a closing quote are cut here and kept there; none are generated.
            prop_assert_eq!(found, expected, "{:?}", text);
        }
    }
}
