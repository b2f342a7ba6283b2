//! What reaches a masked file, and what must never: identifiers, seeds, dropped attributes.

use crate::{bad_input::GOOD, sandbox::Sandbox};

fn sandbox() -> Sandbox {
    Sandbox::with(&[("good.csv", GOOD)])
}

fn header(csv: &str) -> &str {
    csv.lines().next().unwrap_or_default()
}

#[test]
fn identifiers_never_slip_into_a_release() {
    let sandbox = sandbox();
    for options in ["", "--attributes age", "--shuffle key.csv", "--drop town"] {
        let ran = sandbox
            .run(&format!("mask rankswap --window 2 {options} good.csv"))
            .ended(0);
        assert!(!ran.text().contains("person_id"), "{options}");
        assert!(!ran.text().contains("geheim"), "{options}");
        assert!(
            ran.stderr
                .contains("note: person_id is left out of the masked file: identifier"),
            "{}",
            ran.stderr
        );
    }
    sandbox.write(
        "roles.toml",
        "identifier = ['town']\nnominal = ['person_id']\nconfidential = ['person_id']\n",
    );
    let ran = sandbox
        .run("mask rankswap --window 2 --roles roles.toml good.csv")
        .ended(0);
    assert_eq!(header(&ran.text()), "person_id,age,income,bonus,flat");
    assert!(
        ran.stderr
            .contains("town is left out of the masked file: identifier")
    );
}

#[test]
fn identifiers_stay_only_when_asked_for_and_with_a_warning() {
    let ran = sandbox()
        .run("mask rankswap --window 2 --keep-identifiers good.csv")
        .ended(0);
    assert_eq!(header(&ran.text()), "person_id,age,income,bonus,town,flat");
    for (line, number) in ran.text().lines().skip(1).zip(1..) {
        assert!(line.starts_with(&format!("geheim{number:02},")), "{line}");
    }
    assert!(
        ran.stderr
            .contains("identifiers stay in the masked file (person_id)")
            && ran.stderr.contains("must not be released"),
        "{}",
        ran.stderr
    );
}

#[test]
fn dropped_attributes_are_gone_and_the_others_are_as_without() {
    let sandbox = sandbox();
    let mask = "mask rankswap --window 2 --seed 5";
    let whole = sandbox.run(&format!("{mask} good.csv")).ended(0).text();
    let less = sandbox
        .run(&format!("{mask} --drop income,town good.csv"))
        .ended(0)
        .text();
    assert_eq!(header(&less), "age,bonus,flat");
    let expected: Vec<String> = whole
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            [cells[0], cells[2], cells[4]].join(",")
        })
        .collect();
    assert_eq!(
        less.lines().collect::<Vec<_>>(),
        expected,
        "no other attribute changes"
    );
}

#[test]
fn roles_decide_what_is_masked_without_attributes() {
    let sandbox = sandbox();
    sandbox.write(
        "roles.toml",
        "quasi-identifier = ['age']\nconfidential = ['income', 'bonus']\n",
    );
    let ran = sandbox
        .run("mask rankswap --window 9 --roles roles.toml --statement s.json good.csv")
        .ended(0);
    let statement: serde_json::Value = serde_json::from_slice(&sandbox.read("s.json")).unwrap();
    assert_eq!(
        statement["steps"][0]["attributes"],
        serde_json::json!(["age", "flat"])
    );
    for (line, original) in ran.text().lines().zip(GOOD.lines()) {
        let masked: Vec<&str> = line.split(',').collect();
        let original: Vec<&str> = original.split(',').collect();
        assert_eq!(masked[1..4], original[2..5], "confidential amounts stay");
    }
}

#[test]
fn a_seed_repeats_a_masking_and_appears_nowhere() {
    let sandbox = sandbox();
    let call = "mask rankswap --window 3 --seed 867530977 --shuffle key.csv --statement s.json -o m.csv good.csv";
    let first = sandbox.run(call).ended(0);
    let files = ["m.csv", "s.json", "key.csv"].map(|name| sandbox.text(name));
    sandbox.run(call).ended(0);
    assert_eq!(
        files,
        ["m.csv", "s.json", "key.csv"].map(|name| sandbox.text(name))
    );
    sandbox
        .run(&call.replace("867530977", "867530978"))
        .ended(0);
    assert_ne!(files[0], sandbox.text("m.csv"));
    let to_stdout = sandbox
        .run("-v mask rankswap --window 3 --seed 867530977 good.csv")
        .ended(0);
    let link = sandbox
        .run("link --method rsld --statement s.json --key key.csv --known random:2x2 --seed 867530977 --format json good.csv m.csv")
        .ended(0);
    for text in files.iter().chain([
        &first.stderr,
        &first.text(),
        &to_stdout.stderr,
        &to_stdout.text(),
        &link.stderr,
        &link.text(),
    ]) {
        assert!(!text.contains("867530977"), "{text}");
        assert!(!text.contains("\"seed\""), "{text}");
    }
    assert!(
        first.stderr.contains("note: --seed is for experiments"),
        "{}",
        first.stderr
    );
}

#[test]
fn without_a_seed_no_two_maskings_are_alike() {
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", include_bytes!("../../data/synthetic-census.csv"));
    let mask = || sandbox.run("mask rankswap --p 5 in.csv").ended(0).stdout;
    assert!(mask() != mask());
}

#[test]
fn a_masking_says_what_it_did() {
    let sandbox = Sandbox::with(&[("in.csv", "x,y\n1,9\n2,NA\n3,9\n4,9\nNA,9\n")]);
    let ran = sandbox
        .run("mask rankswap --window 1 --attributes x,y in.csv")
        .ended(0);
    let said = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "5 records, window 1 rank",
        "masked values changed without partner missing, kept",
        "x 4 4 (100.0 %) 0 1",
        "y 4 0 (0.0 %) 0 1 no value changed",
    ] {
        assert!(said.contains(part), "{part} is not in\n{}", ran.stderr);
    }
    assert_eq!(ran.text(), "x,y\n2,9\n1,NA\n4,9\n3,9\nNA,9\n");
}

/// A file without a header gives its first record away if that is taken for names: it would stand in the masked file, and in every
/// report, note and statement. Every command asks instead; what it asks holds nothing of the line.
#[test]
fn a_record_is_never_published_as_names() {
    let records = "Oslo,90,26417,married,101\nBergen,34,28000,single,102\nOslo,41,31000,married,103\n\
                   Voss,52,19000,single,104\nBergen,63,24000,married,105\n";
    let sandbox = Sandbox::with(&[("bare.csv", records), ("names.csv", "town,age,a,b,c\n")]);
    sandbox.write("names.csv", format!("town,age,income,status,no\n{records}"));
    for command in [
        "mask rankswap --window 2 bare.csv",
        "mask noise --level 0.1 --attributes 2-3 bare.csv",
        "link --method am bare.csv bare.csv",
        "link --method am names.csv bare.csv",
        "loss bare.csv bare.csv",
        "risk bare.csv",
        "score bare.csv bare.csv",
        "match-attributes names.csv bare.csv",
    ] {
        let ran = sandbox.run(command).ended(3);
        assert!(
            ran.stderr
                .contains("bare.csv: the first line may hold names or a record"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("--no-header"), "{}", ran.stderr);
        for cell in ["Oslo", "90", "26417", "married", "101"] {
            assert!(
                !format!("{}{}", ran.text(), ran.stderr).contains(cell),
                "{command}: {cell}"
            );
        }
    }
    let shown = sandbox.run("describe bare.csv").ended(0).text();
    assert!(
        shown.contains("bare.csv: 4 records") && shown.contains("bare.csv: 5 records"),
        "{shown}"
    );
    assert!(
        !shown.contains("Oslo") && !shown.contains("26417"),
        "{shown}"
    );
    let json = sandbox
        .run("describe --format json bare.csv")
        .ended(0)
        .json();
    assert_eq!(
        (&json["records"], &json["without_header"]["records"]),
        (&4.into(), &5.into())
    );

    let masked = sandbox
        .run("mask rankswap --window 2 --no-header bare.csv")
        .ended(0);
    assert_eq!(masked.text().lines().count(), 5);
    assert!(masked.stderr.contains("V3"), "{}", masked.stderr);
    let masked = sandbox
        .run("mask rankswap --window 2 --header bare.csv")
        .ended(0);
    assert!(
        masked.text().starts_with("Oslo,90,26417"),
        "who states a header has one"
    );
    sandbox.run("mask rankswap --window 2 names.csv").ended(0);
    assert!(
        sandbox
            .run("describe --format json names.csv")
            .ended(0)
            .json()["without_header"]
            .is_null()
    );
}

/// One record was typed by another hand: `23.00` among whole numbers, and quotes and a blank in attributes that stay. Swapped and
/// shuffled it was put together again from the masked file alone. Now nothing of it is left in what was masked, and a warning names
/// what was not.
#[test]
fn odd_spellings_are_not_released_in_silence() {
    let mut text = "age,income,town\n".to_owned();
    for record in 0..30 {
        text += &match record {
            17 => "23.00,357.00,\"Oslo\" \n".to_owned(),
            _ => format!("{},{},Oslo\n", 20 + record * 7 % 31, 300 + record * 13 % 97),
        };
    }
    let sandbox = Sandbox::with(&[("in.csv", &text)]);
    let mask = "mask rankswap --p 20 --attributes age,income --shuffle key.csv -o m.csv in.csv";
    let ran = sandbox.run(mask).ended(0);
    let masked = sandbox.text("m.csv");
    assert!(!masked.contains(".00"), "{masked}");
    let said: Vec<&str> = ran.stderr.split_whitespace().collect();
    let said = said.join(" ");
    assert!(
        said.contains("note: written in one spelling") && said.contains(": age, income"),
        "{said}"
    );
    assert!(
        said.contains("warning: attributes that were not masked spell few records otherwise")
            && said.contains("town (1)"),
        "{said}"
    );
    let strict = sandbox
        .run("mask rankswap --p 20 --attributes age,income --strict -o s.csv in.csv")
        .ended(2);
    assert!(strict.stderr.contains("town (1)"), "{}", strict.stderr);
    assert!(!sandbox.path("s.csv").exists());

    // New numbers: as those that were there, or all of their digits if that is asked for.
    let decimals = |options: &str| -> Vec<usize> {
        let ran = sandbox
            .run(&format!(
                "mask noise --level 0.1 --seed 1 --attributes income {options} in.csv"
            ))
            .ended(0);
        let text = ran.text();
        let cells = text
            .lines()
            .skip(1)
            .map(|line| line.split(',').nth(1).unwrap().to_owned());
        cells
            .map(|cell| {
                cell.split_once('.')
                    .map_or(0, |(_, decimals)| decimals.len())
            })
            .collect()
    };
    assert_eq!(decimals(""), [0; 30]);
    assert_eq!(decimals("--round"), [0; 30]);
    assert!(decimals("--decimals full").iter().all(|&count| count > 5));
}
