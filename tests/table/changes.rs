//! What methods do to a table, and what then is written.

use proptest::prelude::*;
use sdcrisk::table::{Matrix, ReadOptions, Table};

use crate::{id, read, read_with, values, written, written_text};

#[test]
fn a_swapped_cell_keeps_its_bytes() {
    let table = read("a;b\r\n 1,50;x\r\n\"2\";y\r\n3,0;z\r\n").with_donors(id(0), vec![1, 0, 2]);
    assert_eq!(
        written_text(&table),
        "a;b\r\n\"2\";x\r\n 1,50;y\r\n3,0;z\r\n"
    );
    assert_eq!(values(&table, 0), [Some(2.0), Some(1.5), Some(3.0)]);
    assert_eq!(
        (table.text(0, id(0)).as_ref(), table.raw(0, id(0)).as_ref()),
        ("2", &b"\"2\""[..])
    );
}

#[test]
fn missing_cells_move_with_their_donors() {
    let table = read("a,b\nNA,x\n2,y\n3,z\n").with_donors(id(0), vec![2, 0, 1]);
    assert_eq!(values(&table, 0), [Some(3.0), None, Some(2.0)]);
    assert_eq!(written_text(&table), "a,b\n3,x\nNA,y\n2,z\n");
}

#[test]
fn new_numbers_are_printed_and_old_ones_keep_their_bytes() {
    let table = read("a;b\n1,50;x\nNA;y\n 3 ;z\n4;w\n");
    let table = table.with_numbers(id(0), vec![1.5, 77.0, 3.25, -0.0]);
    assert_eq!(written_text(&table), "a;b\n1,50;x\nNA;y\n3,25;z\n0;w\n");
    assert_eq!(values(&table, 0), [Some(1.5), None, Some(3.25), Some(0.0)]);
    assert_eq!(table.text(2, id(0)), "3,25");
}

#[test]
fn new_numbers_are_quoted_where_the_decimal_mark_delimits() {
    let table = read("a,b\n\"1,5\",x\n2,y\n").with_numbers(id(0), vec![2.5, 3.0]);
    assert_eq!(written_text(&table), "a,b\n\"2,5\",x\n3,y\n");
    assert_eq!(table.text(0, id(0)), "2,5");
    assert_eq!(values(&read(written(&table)), 0), [Some(2.5), Some(3.0)]);
}

#[test]
fn dropped_attributes_leave_the_rest_as_it_was() {
    let table = read("\u{feff}a;\"b\";c\r\n1;\"x\"; 2\r\n\r\n3;;NA").without(&[id(0)]);
    assert_eq!(
        written_text(&table),
        "\u{feff}\"b\";c\r\n\"x\"; 2\r\n\r\n;NA"
    );
    assert_eq!(values(&table, 1), [Some(2.0), None]);
}

#[test]
fn a_record_of_one_empty_cell_is_no_blank_line() {
    let table = read("a,b\n1,\n2,y\n").without(&[id(0)]);
    assert_eq!(written_text(&table), "b\n\"\"\ny\n");
    assert_eq!(read(written(&table)).n_records(), 2);
}

#[test]
fn reordered_records_leave_line_ends_where_they_are() {
    let table = read("a,b\n1,x\r\n2,y\n\n3,NA");
    let table = table.reordered(vec![2, 0, 1]);
    assert_eq!(written_text(&table), "a,b\n3,NA\r\n1,x\n\n2,y");
    assert_eq!(values(&table, 0), [Some(3.0), Some(1.0), Some(2.0)]);
    assert_eq!([0, 1, 2].map(|record| table.line_of(record)), [5, 2, 3]);
    assert!(table.is_missing(0, id(1)));
}

#[test]
fn matrices_hold_numbers_and_mark_missing_ones() {
    let table = read("a,b,c\n1,x,4\nNA,y,5.5\n");
    let numbers = |place| table.numbers(id(place)).expect("numbers");
    let matrix = Matrix::gather(&[numbers(2), numbers(0)], &[1, 0]);
    assert_eq!(matrix.values(), [5.5, 0.0, 4.0, 1.0]);
    assert!(matrix.is_missing(0, 1) && !matrix.is_missing(1, 1) && !matrix.is_missing(0, 0));
    assert!(table.numbers(id(1)).is_none(), "text");
}

proptest! {
    /// The slow way: a table of texts, changed cell by cell.
    #[test]
    fn changes_in_any_order_are_those_of_a_plain_table_of_texts(
        cells in proptest::collection::vec(proptest::collection::vec(prop::option::of(-50_i32..50), 3), 1..20),
        changes in proptest::collection::vec((0_usize..3, 0_usize..3, any::<prop::sample::Index>()), 0..8),
    ) {
        let text = |cell: &Option<i32>| cell.map_or("NA".to_owned(), |value| format!("{value}.50"));
        let mut plain: Vec<Vec<String>> = cells.iter().map(|record| record.iter().map(text).collect()).collect();
        let join = |plain: &[Vec<String>]| {
            plain.iter().fold("a,b,c\n".to_owned(), |all, record| all + &record.join(",") + "\n")
        };
        let mut table = read_with(join(&plain), "continuous = ['a', 'b', 'c']").expect("a table");
        for (kind, place, seed) in changes {
            let n = plain.len();
            let order: Vec<usize> = (0..n).map(|record| (record + seed.index(n)) % n).collect();
            let order32: Vec<u32> = order.iter().map(|&record| u32::try_from(record).expect("few")).collect();
            match kind {
                0 => {
                    let old: Vec<String> = plain.iter().map(|record| record[place].clone()).collect();
                    for (record, &donor) in order.iter().enumerate() {
                        plain[record][place].clone_from(&old[donor]);
                    }
                    table = table.with_donors(id(place), order32);
                }
                1 => {
                    plain = order.iter().map(|&record| plain[record].clone()).collect();
                    table = table.reordered(order32);
                }
                _ => {
                    // Every other number is new; the rest keeps its bytes.
                    let numbers = table.numbers(id(place)).expect("numbers").values;
                    let new: Vec<f64> = numbers
                        .iter()
                        .enumerate()
                        .map(|(record, value)| if record % 2 == 0 { value + 0.25 } else { *value })
                        .collect();
                    for (record, value) in new.iter().enumerate() {
                        if record % 2 == 0 && plain[record][place] != "NA" {
                            plain[record][place] = format!("{value}");
                        }
                    }
                    table = table.with_numbers(id(place), new);
                }
            }
        }
        prop_assert_eq!(written_text(&table), join(&plain));
    }
}

proptest! {
    /// `mask ... | link ... -` loses nothing.
    #[test]
    fn new_numbers_read_back_to_the_same_bits(
        new in proptest::collection::vec(any::<f64>().prop_filter("finite", |value| value.is_finite()), 1..20),
        delimiter in prop::sample::select(vec![b',', b';', b'\t']),
        decimal_mark in prop::sample::select(vec!['.', ',']),
    ) {
        let options =
            ReadOptions { delimiter: Some(delimiter), decimal_mark: Some(decimal_mark), ..ReadOptions::default() };
        let delimiter = char::from(delimiter);
        let text: String = new.iter().map(|_| format!("1{delimiter}x\n")).collect();
        let table = Table::read("t", format!("a{delimiter}b\n{text}").into_bytes(), &options).expect("a table");
        let masked = table.with_numbers(id(0), new.clone());
        let back = Table::read("t", written(&masked), &options).expect("a table");
        let bits = |value: f64| (value + 0.0).to_bits();
        let found: Vec<u64> = back.numbers(id(0)).expect("numbers").values.iter().map(|&v| bits(v)).collect();
        prop_assert_eq!(found, new.iter().map(|&v| bits(v)).collect::<Vec<_>>());
    }
}

/// What a program prints when it fails must not hold a record.
#[test]
fn debug_output_holds_no_cell() {
    let table = read("a,b\nSECRET,2\n");
    assert_eq!(
        format!("{table:?}"),
        "Table { name: \"t.csv\", n_records: 1, n_attributes: 2, .. }"
    );
}

/// Cells of one attribute: whole numbers, the same decimals everywhere, as many as it takes, more digits than a number of the machine
/// holds, groups, several spellings, names; gaps among all of them.
fn cells(n: usize) -> impl Strategy<Value = Vec<String>> {
    let cell = prop_oneof![
        Just("-?[1-9][0-9]{0,6}|0"),
        Just("-?[1-9][0-9]{0,3}\\.[0-9]{2}|0\\.[1-9][0-9]|0\\.00"),
        Just("[1-9][0-9]{0,9}(\\.[0-9]{0,4}[1-9])?|0"),
        Just("[1-9][0-9]{11,15}"),
        Just("[1-9][0-9]{9}\\.[0-9]{7}"),
        Just("0\\.00?0?0?0?0?[1-9]"),
        Just("[1-9][0-9]{0,2}(,[0-9]{3}){0,2}"),
        Just("0?[1-9]|[1-9]e[1-9]|\"[1-9]\"| [1-9]"),
        Just("[a-z]{1,3}"),
    ];
    cell.prop_flat_map(move |cell| {
        let gap_or_cell = prop_oneof![1 => Just("NA".to_owned()), 9 => cell];
        prop::collection::vec(gap_or_cell, n)
    })
}

/// A change of a table: cells of one attribute from these records, or all records in an order.
#[derive(Debug, Clone)]
enum Change {
    Donors(usize, Vec<u32>),
    Order(Vec<u32>),
}

fn changes(end: u32, width: usize) -> impl Strategy<Value = Vec<Change>> {
    let n = end as usize;
    let anybody = prop::collection::vec(0..end, n);
    let everybody = Just((0..end).collect::<Vec<_>>()).prop_shuffle();
    let change = prop_oneof![
        (0..width, prop_oneof![anybody, everybody.clone()])
            .prop_map(|(attribute, donors)| Change::Donors(attribute, donors)),
        everybody.prop_map(Change::Order),
    ];
    prop::collection::vec(change, 1..4)
}

proptest! {
    /// Whether cells are moved as bytes or printed from their numbers: what is written is the text of the donor's cell.
    #[test]
    fn a_moved_cell_is_the_text_of_its_donor(
        (columns, changes, stays) in (2_u32..12).prop_flat_map(|n| {
            (prop::collection::vec(cells(n as usize), 2), changes(n, 2), any::<bool>())
        })
    ) {
        let n = columns[0].len();
        let mut text = "a;b\n".to_owned();
        for (a, b) in columns[0].iter().zip(&columns[1]) {
            text += &format!("{a};{b}\n");
        }
        let (mut table, _) = read(text).in_one_spelling(&[id(0), id(1)]);
        // The bytes and the number of each cell.
        let bits = |table: &Table, k: usize, record: usize| {
            (table.numbers(id(k))).map(|numbers| numbers.values[record].to_bits())
        };
        let mut rows: Vec<[(Vec<u8>, Option<u64>); 2]> = (0..n)
            .map(|record| [0, 1].map(|k| (table.raw(record, id(k)).into_owned(), bits(&table, k, record))))
            .collect();
        for change in changes {
            let before = rows.clone();
            match change {
                Change::Donors(attribute, mut donors) => {
                    if stays {
                        // As most methods do: gaps stay where they are, and nobody takes one.
                        let is_gap = |record: u32| table.is_missing(record as usize, id(attribute));
                        for (record, donor) in (0..).zip(&mut donors) {
                            if is_gap(record) || is_gap(*donor) {
                                *donor = record;
                            }
                        }
                    }
                    for (row, &donor) in rows.iter_mut().zip(&donors) {
                        row[attribute].clone_from(&before[donor as usize][attribute]);
                    }
                    table = table.with_donors(id(attribute), donors);
                }
                Change::Order(order) => {
                    rows = order.iter().map(|&record| before[record as usize].clone()).collect();
                    table = table.reordered(order);
                }
            }
        }
        let mut expected = b"a;b\n".to_vec();
        for row in &rows {
            expected.extend([&row[0].0[..], b";", &row[1].0, b"\n"].concat());
        }
        prop_assert_eq!(written_text(&table), String::from_utf8(expected).unwrap());
        for (record, row) in rows.iter().enumerate() {
            for (k, (cell, number)) in row.iter().enumerate() {
                prop_assert_eq!(&table.raw(record, id(k))[..], &cell[..]);
                prop_assert_eq!(bits(&table, k, record), *number);
            }
        }
    }
}
