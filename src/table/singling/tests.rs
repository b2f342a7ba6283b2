use super::*;
use crate::table::ReadOptions;

#[test]
fn days_of_the_calendar_are_dates() {
    for text in [
        "1980-03-12",
        "12.03.1980",
        "3/12/1980",
        "12/3/80",
        "12-MAR-1980",
        "March 12, 1980",
        "19800312",
        "1980-03-12T08:30:00Z",
        "12.03.1980 08:30",
    ] {
        assert!(is_date(text.as_bytes()), "{text}");
    }
    for text in [
        "",
        "1980",
        "1980-13-12",
        "12.40.1980",
        "10.0.0.1",
        "19801399",
        "08:30:00",
        "A1-B2-C3",
        "Marseille",
        "1980-03",
        "120-03-12",
        "12345678",
    ] {
        assert!(!is_date(text.as_bytes()), "{text}");
    }
}

/// Sixty records of three to a household and thirty different birthdays, none shared by more than two on average; an income that nobody
/// shares, an amount with decimals, an age that many share, remarks of which two thirds are the same.
#[test]
fn attributes_are_named_by_how_they_single_out() {
    let mut text = String::from("hh,born,income,amount,age,remark,code,sex\n");
    for record in 0..60_u32 {
        let remark = match record % 3 {
            0 => format!("I moved here {record} years ago for my work at the mill"),
            _ => "none".into(),
        };
        text += &format!(
            "{},{:02}.{:02}.19{:02},{},{}.5,{},{remark},k{},{}\n",
            1000 + record / 3 * 7,
            1 + record % 28,
            1 + record % 12,
            50 + record % 30,
            20_000 + record * 7_919 % 10_007,
            record,
            20 + record % 25,
            record * 7 % 53,
            record % 2,
        );
    }
    let table = Table::read("t.csv", text.into_bytes(), &ReadOptions::default()).unwrap();
    let found: Vec<(&str, Singling)> = table
        .singling()
        .into_iter()
        .map(|(id, singling)| (table.attribute(id).name.as_str(), singling))
        .collect();
    assert_eq!(
        found,
        [
            // 20 households are no more than the few values that codes have.
            ("born", Singling::Births),
            ("income", Singling::WholeNumbers),
            ("remark", Singling::LongTexts),
            ("code", Singling::Texts),
        ]
    );
}

/// 200 records, three or so to a household, whose numbers skip; the same numbers in another order are not seen.
#[test]
fn household_numbers_stand_together() {
    let table = |name: &str, order: fn(u32) -> u32| {
        let mut text = format!("{name},size\n");
        for place in 0..200 {
            let record = order(place);
            text += &format!("{},{}\n", 5_000 + record / 3 * 11, record % 4);
        }
        Table::read("t.csv", text.into_bytes(), &ReadOptions::default()).unwrap()
    };
    let found = table("dwell", |place| place).singling();
    assert_eq!(found, [(AttrId::new(0), Singling::Groups)]);
    assert_eq!(table("dwell", |place| place * 67 % 200).singling(), []);
    // By its name it is known in any order; 67 numbers for 200 people.
    for order in [|place| place, |place| place * 67 % 200] {
        let found = table("hh", order).singling();
        assert_eq!(found, [(AttrId::new(0), Singling::Households)]);
    }
    // An amount of the household looks the same, but for its name.
    assert_eq!(table("hh_income", |place| place * 67 % 200).singling(), []);
}

fn found(name: &str, cells: impl IntoIterator<Item = String>) -> Option<Singling> {
    let rows: String = cells
        .into_iter()
        .map(|cell| format!("\"{cell}\";x\n"))
        .collect();
    let text = format!("{name};y\n{rows}");
    let options = ReadOptions {
        header: Some(true),
        ..ReadOptions::default()
    };
    let table = Table::read("t.csv", text.into_bytes(), &options).unwrap();
    table.singles_out(AttrId::new(0))
}

/// Thirty cells each, of which two are equal unless it says otherwise: what counts as singling out, and what does not.
#[test]
fn likely_identifiers_are_told_from_what_resembles_them() {
    use Singling::{Births, Dates, Emails, LongTexts, PersonCodes, PersonNumbers, Phones};
    use Singling::{Texts, WholeNumbers};
    let of = |name: &str, cell: fn(u32) -> String| found(name, (0..30).map(|r| cell(r % 29)));
    let mixed = |r: u32| (r * 7_919 + 13) % 100_003;
    for (name, cell, expected) in [
        (
            "x",
            (|r| format!("p{r}@a.org")) as fn(u32) -> String,
            Some(Emails),
        ),
        ("x", |r| format!("p{r}@home"), Some(Texts)),
        ("x", |r| format!("0664 {:07}", r * 104_729), Some(Phones)),
        ("x", |r| format!("+43664{:07}", r * 104_729), Some(Phones)),
        ("x", |r| format!("{}.5 %", r * 104_729), Some(Texts)),
        ("x", |r| format!("{:02}.03.1950", r + 1), Some(Births)),
        ("x", |r| format!("1950-03-{:02}", r + 1), Some(Births)),
        ("x", |r| format!("{}", 19_500_301 + r), Some(Births)),
        ("x", |r| format!("{:02}.03.2024", r % 7 + 1), Some(Dates)),
        // 756.1234.5678.97 and 850101-1234, as in Switzerland and Sweden.
        (
            "x",
            |r| format!("756.12{:02}.5678.{:02}", r, 97 - r),
            Some(PersonCodes),
        ),
        (
            "x",
            |r| format!("8501{:02}-{:04}", r, r * 97),
            Some(PersonCodes),
        ),
        ("x", |r| format!("{:010}", r * 104_729), Some(PersonCodes)),
        (
            "x",
            |r| format!("{:02}:{:02}:{:02}", r % 24, r, 59 - r),
            Some(Texts),
        ),
        (
            "x",
            |r| format!("{}-{}", r * 1000, r * 1000 + 999),
            Some(Texts),
        ),
        ("x", |r| format!("town{r}"), Some(Texts)),
        (
            "x",
            |r| format!("I have lived here for {r} years, and I like it"),
            Some(LongTexts),
        ),
    ] {
        assert_eq!(of(name, cell), expected, "{}", cell(7));
    }
    let numbers = |cell: &dyn Fn(u32) -> u64| found("x", (0..30).map(|r| cell(r).to_string()));
    assert_eq!(
        numbers(&|r| 70_000_001 + u64::from(mixed(r))),
        Some(PersonNumbers)
    );
    // Seven digits, rounded to tens, of two widths: amounts.
    assert_eq!(
        numbers(&|r| 7_000_001 + u64::from(mixed(r))),
        Some(WholeNumbers)
    );
    assert_eq!(
        numbers(&|r| 70_000_000 + 10 * u64::from(mixed(r))),
        Some(WholeNumbers)
    );
    assert_eq!(
        numbers(&|r| 99_999_900 + u64::from(mixed(r))),
        Some(WholeNumbers)
    );
}

/// Fewer cells than the stated least numbers are never taken for identifiers.
#[test]
fn few_cells_say_nothing() {
    let cells = |count: u32, cell: fn(u32) -> String| found("x", (0..count).map(cell));
    let email = |r| format!("p{r}@a.org");
    assert_eq!(cells(4, email), None);
    assert_eq!(cells(5, email), Some(Singling::Emails));
    let code = |r| format!("{}", 70_000_001 + r * 7_919);
    assert_eq!(cells(19, code), None);
    assert_eq!(cells(20, code), Some(Singling::PersonNumbers));
    let day = |r| format!("{:02}.03.1950", r + 1);
    assert_eq!(cells(19, day), Some(Singling::Dates));
    assert_eq!(cells(20, day), Some(Singling::Births));
}
