//! Files whose text is let go: nothing can be told from the table that still has it.

use proptest::prelude::*;
use rayon::prelude::*;
use sdcrisk::table::{ReadOptions, Table};

use crate::{id, written};

/// Cells that are texts.
const TEXTS: [&str; 6] = [
    "north",
    "",
    "\"so, uth\"",
    "\"a \"\"b\"\"; c\"",
    " x ",
    "12",
];

/// Cells that are not what a number of the attribute is printed as.
const ODD: [&str; 9] = [
    "007",
    "+5",
    "-0",
    "\"3\"",
    " 4",
    "5e1",
    "2147483648",
    "1.23456",
    "*",
];

/// Everything that can be asked of two tables, the text last.
fn assert_alike(table: &Table, condensed: &Table) -> Result<(), TestCaseError> {
    prop_assert_eq!(table.sha256(), condensed.sha256());
    for id in table.ids() {
        for record in 0..table.n_records() {
            prop_assert_eq!(table.category(record, id), condensed.category(record, id));
        }
        let (Some(all), Some(theirs)) = (table.values(id), condensed.values(id)) else {
            prop_assert_eq!(table.has_numbers(id), condensed.has_numbers(id));
            continue;
        };
        prop_assert_eq!(table.missing(id), condensed.missing(id));
        for record in 0..table.n_records() {
            prop_assert_eq!(all.of(record).to_bits(), theirs.of(record).to_bits());
        }
        prop_assert!(all.present().eq(theirs.present()));
    }
    Ok(())
}

/// What methods make of it.
fn changed(table: &Table, order: &[u32]) -> Vec<Vec<u8>> {
    let first = id(0);
    let numbers = |table: &Table| table.numbers(first).map(|numbers| numbers.values.to_vec());
    let swapped = table.clone().with_donors(first, order.to_vec());
    let turned = table.clone().reordered(order.to_vec());
    let mut all = vec![
        written(&swapped),
        written(&turned),
        written(&turned.with_donors(first, order.to_vec())),
        written(&table.clone().without(&[first])),
    ];
    if let Some(numbers) = numbers(table) {
        let plus = numbers.iter().map(|value| value + 1.5).collect();
        all.push(written(&table.clone().with_numbers(first, plus)));
        let (one, _) = table.clone().in_one_spelling(&[first]);
        all.push(written(&one.with_donors(first, order.to_vec())));
    }
    let last = table.n_records() - 1;
    all.push(table.line_of(last).to_string().into_bytes());
    all.push(table.raw(last, first).into_owned());
    all.push(written(table));
    all
}

/// A file of numbers with so many decimals an attribute, and of one of texts; cells are steps, or gaps.
fn file(
    cells: &[(Vec<Option<i32>>, usize)],
    decimals: &[usize],
    (delimiter, gap, line_end, is_final): (char, &str, &str, bool),
) -> String {
    let decimal = if delimiter == ';' { ',' } else { '.' };
    let names: Vec<String> = (0..=decimals.len()).map(|k| format!("a{k}")).collect();
    let mut lines = vec![names.join(&delimiter.to_string())];
    for (record, text) in cells {
        let cells = record.iter().zip(decimals).map(|(steps, &decimals)| {
            let Some(steps) = steps else {
                return gap.into();
            };
            let size = steps.unsigned_abs().to_string();
            let size = format!("{size:0>width$}", width = decimals + 1);
            let (whole, fraction) = size.split_at(size.len() - decimals);
            let sign = if *steps < 0 { "-" } else { "" };
            match decimals {
                0 => format!("{sign}{whole}"),
                _ => format!("{sign}{whole}{decimal}{fraction}"),
            }
        });
        let mut cells: Vec<String> = cells.collect();
        cells.push(TEXTS[*text].to_owned());
        lines.push(cells.join(&delimiter.to_string()));
    }
    lines.join(line_end) + if is_final { line_end } else { "" }
}

fn record() -> impl Strategy<Value = (Vec<Option<i32>>, usize)> {
    let steps = prop_oneof![4 => (-2000..2000).boxed(), 1 => (-i32::MAX..=i32::MAX).boxed()];
    let numbers = proptest::collection::vec(proptest::option::weighted(0.9, steps), 3);
    (numbers, 0..TEXTS.len())
}

proptest! {
    #[test]
    fn files_of_plain_numbers_and_few_texts_are_what_they_were(
        mut cells in proptest::collection::vec(record(), 2..40),
        decimals in proptest::collection::vec(0_usize..4, 3),
        delimiter in prop_oneof![Just(','), Just(';')],
        gap in prop_oneof![Just(""), Just("NA")],
        line_end in prop_oneof![Just("\n"), Just("\r\n")],
        is_final in any::<bool>(),
        odd in proptest::option::weighted(0.4, (0_usize..40, 0_usize..3, 0..ODD.len())),
        turn in 0_u32..40,
    ) {
        // Marks are known: every attribute has a number to begin with.
        cells[0].0 = vec![Some(1234), Some(-1), Some(99_999)];
        let n = cells.len();
        let mut text = file(&cells, &decimals, (delimiter, gap, line_end, is_final));
        if let Some((at, place, odd)) = odd {
            let mut lines: Vec<String> = text.split(line_end).map(String::from).collect();
            let mut row: Vec<&str> = lines[1 + at % n].split(delimiter).collect();
            row[place] = ODD[odd];
            lines[1 + at % n] = row.join(&delimiter.to_string());
            text = lines.join(line_end);
        }
        let mark = if delimiter == ';' { ',' } else { '.' };
        let options = ReadOptions {
            delimiter: Some(delimiter as u8),
            decimal_mark: Some(mark),
            thousands_mark: Some(None),
            header: Some(true),
            ..ReadOptions::default()
        };
        let read = |condense_from: Option<usize>| {
            let options = ReadOptions { condense_from, ..options.clone() };
            Table::read("t.csv", text.clone().into_bytes(), &options)
        };
        let (Ok(table), Ok(condensed)) = (read(None), read(Some(0))) else {
            return Ok(());
        };
        prop_assert!(condensed.is_condensed(), "{}", text);
        assert_alike(&table, &condensed)?;
        prop_assert!(condensed.is_condensed(), "what is asked needs no text");
        let mut order: Vec<u32> = (0..).take(n).collect();
        order.rotate_left(turn as usize % n);
        prop_assert_eq!(changed(&table, &order), changed(&condensed, &order));
        prop_assert_eq!(written(&condensed), text.clone().into_bytes());
        prop_assert!(condensed.is_condensed(), "a table is written without its text");
        prop_assert_eq!(condensed.into_bytes(), text.into_bytes());
    }
}

/// A table whose text is let go where that is possible.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn condensed(text: &str) -> Table {
    let options = ReadOptions {
        condense_from: Some(0),
        ..ReadOptions::default()
    };
    Table::read("t.csv", text.as_bytes().to_vec(), &options).unwrap()
}

#[test]
fn what_is_not_plain_keeps_its_text() {
    let is_condensed = |text: &str| condensed(text).is_condensed();
    assert!(is_condensed("a,b\n1,2.50\n30,-4.25\n,0.00\n"));
    for text in [
        "a,b\n1,x\n2,y\n3,x\n",     // names
        "a,b\n1,2.5\n2,3.25\n",     // decimals differ
        "a,b\n1,2\nNA,4\n,6\n",     // gaps differ
        "a,b\n1,2\n3000000000,4\n", // more than 31 bits
        "a,b\n1,\"2,0\"\n3,4\n",    // quotes
    ] {
        assert!(is_condensed(text), "few different cells: {text:?}");
    }
    for text in [
        "a\n1\n2\n",              // blank lines could be gaps
        "a,b\n1,2\n\n3,4\n",      // a blank line
        "a,b\n1,2\r\n3,4\n5,6\n", // line ends differ
        "a,b\n1,\"x\ny\"\n3,4\n", // a record of two lines
    ] {
        assert!(!is_condensed(text), "{text:?}");
    }
    // Texts that do not repeat each other, or are more than 16 bits number.
    let names = |different: u32| -> String {
        let lines = (0..600).map(|k| format!("n{},{k}\n", k % different));
        format!("a,b\n{}", lines.collect::<String>())
    };
    assert!(is_condensed(&names(300)));
    assert!(!is_condensed(&names(301)));
    let many = |different: u32| -> String {
        let lines = (0..100_000_u32).map(|k| {
            // The first records repeat a few.
            let name = if k < 16_384 { k % 100 } else { k % different };
            format!("n{name},{k}\n")
        });
        format!("a,b\n{}", lines.collect::<String>())
    };
    for (different, is_little) in [(65_536, true), (65_537, false)] {
        let text = many(different);
        let table = condensed(&text);
        assert_eq!(table.is_condensed(), is_little, "{different}");
        assert_eq!(written(&table), text.as_bytes());
        let swapped = table.with_donors(id(0), (0..100_000).rev().collect());
        let first = String::from_utf8(written(&swapped)).unwrap();
        // 99,999 modulo the number of names
        let expected = format!("a,b\nn{},0\n", 99_999 % different);
        assert!(first.starts_with(&expected));
    }
    // Numbers of the first records are plain, a later one is not.
    let mut lines: String = (0..20_000).map(|k| format!("{k},{}\n", k % 7)).collect();
    assert!(is_condensed(&format!("a,b\n{lines}")));
    lines += "20001.5,1\n";
    let table = condensed(&format!("a,b\n{lines}"));
    assert!(!table.is_condensed());
    assert_eq!(
        table.numbers(id(0)).unwrap().values[19_999..],
        [19_999.0, 20_001.5]
    );
    // It is large enough, or not.
    let options = ReadOptions {
        condense_from: Some(13),
        ..ReadOptions::default()
    };
    for (text, is_large) in [("a,b\n1,2\n3,4\n", false), ("a,b\n1,2\n3,40\n", true)] {
        let table = Table::read("t.csv", text.as_bytes().to_vec(), &options).unwrap();
        assert_eq!(table.is_condensed(), is_large, "{text:?}");
    }
}

/// Numbers are worked out in parallel, also when several threads that work in parallel ask for them at once: none waits for what only it
/// could do.
#[test]
fn threads_that_ask_for_the_same_numbers_do_not_wait_for_each_other() {
    let lines: String = (0..60_000).map(|k| format!("{k},{}\n", k % 7)).collect();
    let text = format!("a,b\n{lines}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(16).build();
    pool.unwrap().install(|| {
        for _ in 0..10 {
            let table = condensed(&text);
            let sums: Vec<f64> = (0..64)
                .into_par_iter()
                .map(|_| table.numbers(id(0)).unwrap().values.iter().sum())
                .collect();
            // 0 + 1 + … + 59,999
            assert_eq!(sums, vec![1_799_970_000.0; 64]);
        }
    });
}
