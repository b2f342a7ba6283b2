//! A table that is written and read again: what no step changed is not read anew, and that makes no difference.

use sdcrisk::table::{ReadOptions, Roles, Table};

use super::{id, written};

const FILES: [(&str, &str); 5] = [
    (
        "code,age,name,amount,flag\n01,31,ann,64.0,1\n02,,bob,7.25,0\n10,45,,NA,1\n07,31,dan,9.50,1\n",
        "",
    ),
    (
        "a;b;c\n1,5;x;2.000\n;y;31.500\n-0,50;\"x\";7\n2;;1.000.000\n",
        "",
    ),
    (
        "day,level,n\n2020-03-31,low,1\n2021-01-01,high,2\n,low,3\n2020-03-31,,4\n",
        "[order]\nlevel = [\"low\", \"mid\", \"high\"]\n[dates]\nday = \"%Y-%m-%d\"\n",
    ),
    (
        "serial,x,y\n1,nan,5\n2,3,nan\n3,4,None\n4,9,8\n",
        "quasi-identifier = [\"serial\"]\n",
    ),
    ("x\n1\n\n3\n2\n", ""),
];

/// What a table says of itself, but for the lines of notes and of reasons.
fn said(table: &Table) -> Vec<String> {
    let attribute = |at| {
        let attribute = table.attribute(at);
        let cells: Vec<String> = (0..table.n_records())
            .map(|record| {
                format!(
                    "{}|{}",
                    table.category(record, at),
                    table.is_missing(record, at)
                )
            })
            .collect();
        let numbers = table.numbers(at).map(|numbers| numbers.values.to_vec());
        let once = table.numbers_once(at).map(|numbers| numbers.to_vec());
        assert_eq!(numbers, once);
        format!(
            "{} {} {:?} {:?} {cells:?} {numbers:?} {:?} {:?}",
            attribute.name,
            attribute.position,
            attribute.scale,
            attribute.role,
            table.missing_codes(at),
            table.decimals(at),
        )
    };
    let singling = table.singling();
    let (singling, again) = (format!("{singling:?}"), format!("{:?}", table.singling()));
    assert_eq!(singling, again);
    table.ids().map(attribute).chain([singling]).collect()
}

#[test]
fn a_table_read_again_is_that_of_its_bytes() {
    for (text, roles) in FILES {
        let options = ReadOptions {
            roles: Roles::parse(roles).unwrap(),
            ..ReadOptions::default()
        };
        let table = Table::read("t.csv", text.as_bytes().to_vec(), &options).unwrap();
        // Asked for before anything changes: what is known must not be taken for what is there afterwards.
        let _ = said(&table);
        let n = u32::try_from(table.n_records()).unwrap();
        let turned: Vec<u32> = (0..n).map(|record| (record + 1) % n).collect();
        let (spelled, _) = table.clone().in_one_spelling(&[id(0)]);
        let last = id(table.n_attributes() - 1);
        let mut made = vec![
            table.clone(),
            table.clone().with_donors(id(0), turned.clone()),
            spelled.with_donors(id(0), turned.clone()),
            table.clone().with_missing(last, &[0, 3]).unwrap(),
            table.clone().reordered(turned),
            table.clone().reordered(vec![2, 0]),
        ];
        if table.n_attributes() > 1 {
            made.push(table.clone().without(&[id(0)]));
            let doubled = table.numbers(last).map(|numbers| {
                numbers
                    .values
                    .iter()
                    .map(|value| value * 2.0)
                    .collect::<Vec<f64>>()
            });
            if let Some(doubled) = doubled {
                made.push(
                    table
                        .clone()
                        .without(&[id(0)])
                        .with_numbers(id(table.n_attributes() - 2), doubled),
                );
            }
        }
        for (number, mut made) in made.into_iter().enumerate() {
            let bytes = written(&made);
            made.reread().unwrap();
            let dialect = table.dialect();
            let stated = ReadOptions {
                delimiter: dialect.delimiter,
                decimal_mark: Some(dialect.decimal_mark),
                thousands_mark: Some(dialect.thousands_mark),
                header: Some(dialect.header),
                roles: options.roles.clone(),
                ..ReadOptions::default()
            };
            let fresh = Table::read("t.csv", bytes.clone(), &stated).unwrap();
            assert_eq!(said(&made), said(&fresh), "{text:?}, change {number}");
            assert_eq!(written(&made), bytes);
        }
    }
}

#[test]
fn moved_numbers_are_those_of_the_moved_cells() {
    let (text, _) = FILES[1];
    let read = || Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let moves = |table: Table| {
        let once = table.with_donors(id(0), vec![3, 0, 1, 2]);
        let twice = once.clone().with_donors(id(0), vec![1, 0, 3, 2]);
        [once, twice]
    };
    let original = read();
    // By the numbers of the original, which is still there; and by the cells, when nothing else is.
    let by_numbers = moves(original.clone()).map(|table| said(&table));
    let by_cells = moves(read()).map(|table| said(&table));
    assert_eq!(by_numbers, by_cells);
    // Values 1.5, missing, -0.5, 2: moved once they are 2, 1.5, missing, -0.5.
    let [once, _] = moves(original);
    assert_eq!(
        once.numbers_once(id(0)).unwrap().to_vec(),
        [2.0, 1.5, 0.0, -0.5]
    );
}
