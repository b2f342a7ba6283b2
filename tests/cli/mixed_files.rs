//! Files of numbers and names: distances by hand, through the command line.

use crate::sandbox::Sandbox;

/// Of 4 released towns one is Hull, one Leeds, two York: 1 − Σ p² = 1 − (1 + 1 + 4)/16 = 5/8. Ages have mean 37.5 in both
/// files and variance (17.5² + 7.5² + 2.5² + 22.5²)/3 = 875/3.
const ORIGINAL: &str = "age,town\n20,Hull\n30,Leeds\n40,Hull\n60,York\n";
const MASKED: &str = "age,town\n30,Hull\n20,Leeds\n40,York\n60,York\n";

/// The column of a file of links, as numbers where they are numbers.
fn links(original: &str, masked: &str, call: &str) -> Vec<(String, f64, String)> {
    let sandbox = Sandbox::with(&[("a.csv", original), ("b.csv", masked)]);
    sandbox
        .run(&format!("link {call} --links links.csv a.csv b.csv"))
        .ended(0);
    let text = std::fs::read_to_string(sandbox.path("links.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let records = reader.records().map(Result::unwrap);
    records
        .map(|record| {
            let distance = record[2].parse().unwrap();
            (record[1].to_string(), distance, record[5].to_string())
        })
        .collect()
}

#[track_caller]
fn assert_links(found: &[(String, f64, String)], expected: [(&str, f64, &str); 4]) {
    for (record, ((linked, distance, place), expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(
            (linked.as_str(), place.as_str()),
            (expected.0, expected.2),
            "record {record}"
        );
        assert!(
            (distance - expected.1).abs() < 1e-12,
            "record {record}: {distance}"
        );
    }
    assert_eq!(found.len(), 4);
}

/// Two different towns count 2 / (5/8) = 3.2, ten years 100/(875/3) = 12/35. So the third record goes to the first masked
/// one (ten years away, same town), and its own (same age, other town) comes second.
#[test]
fn am_weighs_names_by_how_often_they_differ() {
    let ten_years = (12.0_f64 / 35.0).sqrt();
    assert_links(
        &links(ORIGINAL, MASKED, "--method am"),
        [
            ("1", ten_years, "1"),
            ("2", ten_years, "1"),
            ("1", ten_years, "2"),
            ("4", 0.0, "1"),
        ],
    );
}

/// A missing town counts 2 against everybody, so age alone decides: 20 years old is the second masked record.
#[test]
fn am_lets_a_gap_neither_attract_nor_repel() {
    let original = ORIGINAL.replace("20,Hull", "20,");
    let found = links(&original, MASKED, "--method am");
    assert_eq!(found[0].0, "2");
    assert!((found[0].1 - 2.0_f64.sqrt()).abs() < 1e-12, "{found:?}");
}

/// Ages span 40 years: ten years are 1/4, another town is 1, and the mean of two attributes halves both.
#[test]
fn gower_by_hand() {
    assert_links(
        &links(ORIGINAL, MASKED, "--method gower"),
        [
            ("1", 0.125, "1"),
            ("2", 0.125, "1"),
            ("1", 0.125, "2"),
            ("4", 0.0, "1"),
        ],
    );
    // Without a town the first record is compared by age alone; its own masked record is as far as the fourth's third: 1/4.
    let original = ORIGINAL.replace("20,Hull", "20,");
    let found = links(&original, MASKED, "--method gower");
    assert_eq!(found[0], ("2".into(), 0.0, "2".into()));
}

/// Of 1, 2, 10 as numbers, 2 is 1/9 from 1 and 8/9 from 10; as ordered classes it is in the middle, 1/2 from both.
#[test]
fn gower_takes_ordered_classes_by_their_places() {
    let sandbox = Sandbox::with(&[
        ("a.csv", "class\n2\n10\n1\n"),
        ("b.csv", "class\n10\n1\n1\n"),
        ("roles.toml", "[attributes.class]\nscale = \"ordinal\"\n"),
    ]);
    for (roles, expected) in [
        ("", format!("1,2;3,{},3,2,3", 1.0 / 9.0)),
        ("--roles roles.toml", "1,1;2;3,0.5,3,3,1".to_string()),
    ] {
        sandbox
            .run(&format!(
                "link --method gower --links links.csv {roles} a.csv b.csv"
            ))
            .ended(0);
        let links = std::fs::read_to_string(sandbox.path("links.csv")).unwrap();
        assert_eq!(links.lines().nth(1).unwrap(), expected);
    }
}

/// A nominal attribute with as many categories as records is a key. Who knows how masking moved the values sees that it did not
/// move this one; so does who knows that names are not swapped by rank.
#[test]
fn a_key_among_the_names_links_everybody() {
    let original = "job,pay\na,1\nb,2\nc,3\nd,4\ne,5\nf,7\n";
    let masked = "job,pay\na,5\nb,4\nc,2\nd,1\ne,3\nf,7\n";
    let sandbox = Sandbox::with(&[("a.csv", original), ("b.csv", masked)]);
    for method in ["md --ridge 0.01", "dbrl2 --ridge 0.01", "rsld --window 4"] {
        let report = sandbox
            .run(&format!("link --method {method} --format json a.csv b.csv"))
            .ended(0)
            .json();
        assert_eq!(report["results"][0]["correct"]["strict"], 6, "{method}");
    }
}

/// Two of the three towns are left in the release, and nothing else is known: of two equal records nobody can be sure, and who lives
/// in the third town is nearest to no one in particular.
#[test]
fn a_category_that_the_release_lost_makes_nobody_certain() {
    let sandbox = Sandbox::with(&[
        ("a.csv", "town\na\na\nb\nb\nc\nc\n"),
        ("b.csv", "town\na\na\nb\nb\na\nb\n"),
    ]);
    for kernel in ["poly", "tanh"] {
        let report = sandbox
            .run(&format!(
                "link --method kernel --kernel {kernel} --format json a.csv b.csv"
            ))
            .ended(0)
            .json();
        let correct = &report["results"][0]["correct"];
        assert_eq!(correct["strict"], 0, "{kernel}");
        // Each of the first four ties with two others of its town.
        assert!(
            correct["fair"].as_f64().unwrap() <= 4.0 / 3.0 + 2.0 / 3.0,
            "{kernel}: {correct}"
        );
    }
}

/// Tolerances mean decimal numbers: 0.4 is within 0.1 of 0.3, though not as binary numbers.
#[test]
fn a_tolerance_is_one_of_decimal_numbers() {
    let sandbox = Sandbox::with(&[
        ("a.csv", "x\n0.3\n0.7\n1.0\n2.0\n"),
        ("b.csv", "x\n0.4\n0.8\n1.1\n2.1\n"),
    ]);
    let report = sandbox
        .run("link --method prl --agree abs:0.1 --format json a.csv b.csv")
        .ended(0)
        .json();
    let patterns = report["results"][0]["model"]["patterns"]
        .as_array()
        .unwrap();
    let agreeing = patterns.iter().find(|row| row["pattern"] == "1").unwrap();
    assert_eq!(
        (&agreeing["pairs"], &agreeing["matches"]),
        (&4.into(), &4.into())
    );
}

/// Two attributes of ranges 10 and 5: (2, 1) away is 1/5 + 1/5 however the differences come about.
#[test]
fn equal_differences_tie_in_gower() {
    let sandbox = Sandbox::with(&[
        ("a.csv", "x,y\n3,2\n0,0\n10,5\n"),
        ("b.csv", "x,y\n5,3\n1,1\n10,5\n"),
    ]);
    sandbox
        .run("link --method gower --links links.csv a.csv b.csv")
        .ended(0);
    let links = std::fs::read_to_string(sandbox.path("links.csv")).unwrap();
    assert_eq!(links.lines().nth(1).unwrap(), "1,1;2,0.2,3,2,1");
}
