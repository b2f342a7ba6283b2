//! `mask copula` as a user calls it.

use crate::sandbox::Sandbox;

/// Forty people with two amounts that go together, a class and a region; one amount is missing.
fn people() -> String {
    let mut text = String::from("person;income;tax;class;region\n");
    for i in 0..40_u32 {
        let income = 1000 + (i * 379) % 1009;
        let tax = match i {
            7 => String::new(),
            _ => format!("{},5", income / 4 + (i * 31) % 53),
        };
        let region = ["north", "south"][i as usize % 2];
        text += &format!("P{i:02};{income};{tax};{};{region}\n", income / 500);
    }
    text
}

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("in.csv", people().as_str()),
        ("office.key", "a secret of 23 bytes..."),
        ("short.key", "too short"),
    ])
}

fn said(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for (options, says) in [
        ("in.csv", "--mu"),
        ("--mu 3 --bits 4 in.csv", "cannot be used with"),
        ("--mu 0 in.csv", "--mu is a number above 0"),
        ("--bits -1 in.csv", "--bits is a number above 0"),
        ("--mu 3 --components 0 in.csv", "neither auto nor a number"),
        (
            "--mu 3 --weight income in.csv",
            "not of the form NAMES=NUMBER",
        ),
        (
            "--mu 3 --weight income=-2 in.csv",
            "--weight that is not a number above 0",
        ),
        ("--mu 3 --weight nobody=2 in.csv", "no attribute \"nobody\""),
        (
            "--mu 3 --given tax --attributes income,tax in.csv",
            "stays as it is",
        ),
        (
            "--mu 3 --given region --drop region in.csv",
            "is given here, so it is kept",
        ),
        (
            "--mu 3 --attributes region in.csv",
            "has names without an order",
        ),
        ("--mu 3 --secret short.key in.csv", "16 at least"),
        (
            "--mu 3 --secret office.key --id class --attributes income in.csv",
            "one of its own",
        ),
        ("--mu 3 --secret nowhere.key in.csv", "nowhere.key"),
        ("--risk 5% --mu 3 in.csv", "cannot be used with"),
        ("--risk 5% --bits 3 in.csv", "cannot be used with"),
        ("--risk 0 in.csv", "it must be above 0"),
        ("--risk 500% in.csv", "it must be a percentage"),
        ("--risk 5% --known first:0 in.csv", "wants a number"),
        ("--risk 5% --known nobody in.csv", "no attribute \"nobody\""),
        (
            "--risk 5% --known-records nowhere.txt in.csv",
            "nowhere.txt",
        ),
        // One of 40 is 2.5 % already.
        (
            "--risk 1% --attributes income,tax,class in.csv",
            "even with all values drawn anew",
        ),
    ] {
        let ran = sandbox().run(&format!("mask copula {options}"));
        assert!(
            matches!(ran.status, Some(1..=3)),
            "{options}: {:?}",
            ran.status
        );
        let stderr = said(&ran.stderr);
        assert!(stderr.contains(says), "{options}: {stderr}");
        assert!(ran.stdout.is_empty(), "{options}");
    }
}

#[test]
fn what_was_done_is_said() {
    let sandbox = sandbox();
    let ran = sandbox
        .run("mask copula --mu 3 --attributes income,tax,class --given region --seed 5 --statement s.json -o m.csv in.csv")
        .ended(0);
    let stderr = said(&ran.stderr);
    for part in [
        "copula: 40 records, mu = 3.0000, 1 component: a masked record says",
        "of 5.32 that single one out",
        "correlation with the original scores, by direction:",
        "the values of each attribute are the original ones, but for the least and the greatest",
        "missing values are as many as before, of other records: tax",
        "masked values changed SSE/SST missing, redrawn income 40",
        "kept as they are, with their relations to the masked attributes: region",
        "warning: another release of the same people would have other noise",
    ] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    let statement: serde_json::Value = serde_json::from_str(&sandbox.text("s.json")).unwrap();
    assert_eq!(statement["steps"][0]["method"], "copula");
    let parameters = &statement["steps"][0]["parameters"];
    assert_eq!(
        parameters["values"],
        serde_json::json!(["income", "tax", "class"])
    );
    assert_eq!(parameters["gaps"], serde_json::json!(["tax"]));
    assert_eq!(parameters["given"]["terms"][0]["attribute"], "region");
    assert_eq!(parameters["secret"], false);
    let masked = sandbox.text("m.csv");
    assert!(masked.starts_with("income;tax;class;region\n"));
    assert_eq!(masked.lines().filter(|line| line.contains(";;")).count(), 1);
}

/// With a secret a second call gives the same file without any seed; nothing of the secret is in what is published.
#[test]
fn a_secret_needs_no_seed_and_is_not_published() {
    let sandbox = sandbox();
    let call = "mask copula --mu 2 --secret office.key --attributes income,tax";
    let first = sandbox
        .run(&format!("{call} --statement s.json in.csv"))
        .ended(0);
    let second = sandbox.run(&format!("{call} --id person in.csv")).ended(0);
    assert_eq!(first.text(), second.text());
    assert!(!said(&first.stderr).contains("another release"));
    let statement = sandbox.text("s.json");
    assert!(statement.contains("\"secret\": true"));
    assert!(!statement.contains("23 bytes") && !first.stderr.contains("23 bytes"));
    sandbox
        .run(&format!("--strict {call} --seed 3 in.csv"))
        .ended(2);
    sandbox
        .run(&format!("{call} -o office.key in.csv"))
        .ended(2);
}

/// Two releases whose statements speak of a secret may have the same noise: who adds up their likelihoods is warned.
#[test]
fn likelihoods_of_releases_with_a_secret_are_added_with_a_note() {
    let sandbox = sandbox();
    sandbox
        .run("mask copula --mu 2 --secret office.key --attributes income,tax --statement s.json -o m.csv in.csv")
        .ended(0);
    let numbered = |text: String| -> String {
        let lines = text.lines().enumerate();
        lines.map(|(n, line)| format!("{line};p{n}\n")).collect()
    };
    let with_pseudonyms = numbered(sandbox.text("m.csv")).replacen(";p0", ";pseudonym", 1);
    sandbox.write("p.csv", with_pseudonyms);
    let call = "link --method likelihood --statement s.json --known income in.csv";
    let both = sandbox
        .run(&format!("{call} p.csv --also p.csv --release-id pseudonym"))
        .ended(0);
    assert!(said(&both.stderr).contains("come from a secret. If it is the same one"));
    let one = sandbox.run(&format!("{call} p.csv")).ended(0);
    assert!(!one.stderr.contains("come from a secret"));
}

/// Two hundred people with three amounts that go together.
fn many() -> String {
    let mut text = String::from("age,income,tax\n");
    for i in 0..200_u64 {
        let age = 20 + (i * 7919) % 61;
        let income = 900 + 11 * age + (i * 104_729) % 1013;
        let tax = income / 3 + (i * 1_299_709) % 149;
        text += &format!("{age},{income},{tax}\n");
    }
    text
}

fn statement(sandbox: &Sandbox, name: &str) -> serde_json::Value {
    serde_json::from_str(&sandbox.text(name)).unwrap()
}

/// What was promised on drafts holds for files masked with other noise, counted by the plain call of 'link'; the same file gives the same
/// mu, whatever the seed of the release.
#[test]
fn a_risk_that_was_asked_for_is_kept_by_fresh_noise() {
    let sandbox = Sandbox::with(&[("in.csv", many().as_str())]);
    let call = "mask copula --risk 20% --known-records 150 -o m.csv --statement";
    let ran = sandbox
        .run(&format!("{call} s.json --seed 1 in.csv"))
        .ended(0);
    let parameters = statement(&sandbox, "s.json")["steps"][0]["parameters"].clone();
    let risk = &parameters["risk"];
    let number = |key: &str| risk[key].as_f64().unwrap();
    assert_eq!(risk["at_most"], 0.2);
    assert!(risk["interval"][1].as_f64().unwrap() <= 0.2);
    assert_eq!(risk["known"], serde_json::json!(["age", "income", "tax"]));
    assert_eq!(risk["known_records"], 150);
    assert!(risk["worst"].is_null(), "there is no set but that of all");
    assert!(
        (number("predicted") - number("measured")).abs() < 0.05,
        "{risk}"
    );
    let stderr = said(&ran.stderr);
    for part in [
        "of the people are linked by the strongest attack known (likelihood, balanced)",
        "the intruder knows 3 attributes of 150 people: age, income, tax",
        "people who stand out are found more often",
    ] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    let again = sandbox.run(&format!("{call} t.json --seed 2 in.csv"));
    again.ended(0);
    let other = &statement(&sandbox, "t.json")["steps"][0]["parameters"];
    assert_eq!(other["mu"], parameters["mu"]);

    let seeds = 20;
    let total: f64 = (0..seeds)
        .map(|seed| {
            sandbox
                .run(&format!("mask copula --mu {} --seed {seed} --statement f.json -o f.csv in.csv", parameters["mu"]))
                .ended(0);
            let linked = sandbox
                .run(&format!("link --method likelihood --assign balanced --statement f.json --known-records 150 --seed {seed} --format json in.csv f.csv"))
                .ended(0);
            linked.json()["results"][0]["rate"].as_f64().unwrap()
        })
        .sum();
    let rate = total / f64::from(seeds);
    // Half the share of the interval below the limit, and three standard errors of 3,000 seekers.
    assert!((0.15..0.222).contains(&rate), "{rate}, stated {risk}");
}

/// With --mu the risk is measured where somebody says who looks; which attributes are known makes a difference, and the worst are named.
#[test]
fn risk_is_measured_for_who_was_said_to_look() {
    let sandbox = Sandbox::with(&[("in.csv", many().as_str())]);
    sandbox
        .run("mask copula --mu 5 --known age --statement s.json -o m.csv in.csv")
        .ended(0);
    let risk = statement(&sandbox, "s.json")["steps"][0]["parameters"]["risk"].clone();
    assert!(risk["at_most"].is_null());
    assert_eq!(risk["known"], serde_json::json!(["age"]));
    assert_eq!(risk["worst"]["known"].as_array().unwrap().len(), 1);
    assert!(
        risk["worst"]["measured"].as_f64().unwrap() >= 0.5 * risk["measured"].as_f64().unwrap()
    );
    let ran = sandbox.run("mask copula --mu 5 --statement t.json -o t.csv in.csv");
    assert!(said(&ran.ended(0).stderr).contains("note: bits are no risk"));
    assert!(statement(&sandbox, "t.json")["steps"][0]["parameters"]["risk"].is_null());
}
