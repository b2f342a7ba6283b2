//! `--recode`: a release in other terms than the original, from the command line.

use std::fmt::Write as _;

use serde_json::Value;

use crate::sandbox::Sandbox;

const RULES: &str = "\
[AREA]
join = [\"land\", \"kreis\"]
separator = \"-\"
[age]
breaks = [29.5, 50]
labels = [\"young\", \"middle\", \"old\"]
[income]
of = \"pay\"
[Sex]
of = \"sex\"
[Sex.map]
f = 1
m = 2
[part]
of = \"kreis\"
characters = [2, 3]
";

/// 60 people as an intruder holds them, as another tool released them, and as somebody recoded the first file by hand: districts of codes
/// with leading zeros, some missing; classes of ages; amounts with decimal commas under another name, moved a little.
fn sandbox() -> Sandbox {
    let mut held = String::from("person;land;kreis;age;pay;sex\n");
    let mut hand = String::from("person;AREA;age;income;Sex;part\n");
    let mut released = String::from("pid;AREA;age;income;Sex;part\n");
    for k in 0..60_u32 {
        let land = if k % 13 == 5 {
            String::new()
        } else {
            format!("{:02}", k % 4 + 1)
        };
        let kreis = if k % 17 == 3 {
            String::new()
        } else {
            format!("{:03}", k * 7 % 11)
        };
        let age = 18 + k * 37 % 60;
        let pay = 1000 + k * 137 % 900;
        let sex = ["f", "m"][usize::from(k % 3 == 0)];
        let area = if land.is_empty() || kreis.is_empty() {
            String::new()
        } else {
            format!("{land}-{kreis}")
        };
        let class = match age {
            ..=29 => "young",
            30..=49 => "middle",
            _ => "old",
        };
        let code = if sex == "f" { 1 } else { 2 };
        let part = kreis.get(1..).unwrap_or_default();
        let moved = pay + k * 31 % 70;
        let _ = writeln!(held, "p{k};{land};{kreis};{age};{pay},5;{sex}");
        let _ = writeln!(hand, "p{k};{area};{class};{pay},5;{code};{part}");
        let _ = writeln!(released, "p{k};{area};{class};{moved},0;{code};{part}");
    }
    Sandbox::with(&[
        ("held.csv", &held),
        ("hand.csv", &hand),
        ("m.csv", &released),
        ("rules.toml", RULES),
    ])
}

/// What two calls found, without the names of their files.
fn results(sandbox: &Sandbox, call: &str) -> Value {
    sandbox.run(call).ended(0).json()["results"].take()
}

#[test]
fn attacks_are_those_on_a_file_that_was_recoded_by_hand() {
    let sandbox = sandbox();
    for method in [
        "am",
        "md0 --ridge 0.001",
        "gower",
        "prl",
        "am --assign one-to-one",
        "am --known-records 20 --seed 1",
    ] {
        let call = |original: &str, links: &str| {
            format!(
                "link --method {method} --id person=pid --known AREA,age,income,Sex,part --format json --links {links} {original} m.csv"
            )
        };
        let crossed = results(
            &sandbox,
            &call("--recode rules.toml held.csv", "crossed.csv"),
        );
        let by_hand = results(&sandbox, &call("hand.csv", "hand-links.csv"));
        assert_eq!(crossed, by_hand, "{method}");
        assert_eq!(
            sandbox.text("crossed.csv"),
            sandbox.text("hand-links.csv"),
            "{method}"
        );
        assert!(crossed[0]["rate"].as_f64().unwrap() > 0.2, "{crossed}");
    }
}

#[test]
fn loss_risk_and_score_are_those_of_a_file_that_was_recoded_by_hand() {
    let sandbox = sandbox();
    let itself = "loss --format json held.csv held.csv";
    let as_read = sandbox.run(itself).ended(0).json()["provenance"]["files"][0].take();
    for command in [
        "loss",
        "risk --key AREA,age,Sex --confidential income",
        "score --known AREA,age,income --assign best",
    ] {
        let figures = |original: &str| {
            let call = format!("{command} --id person=pid --format json {original} m.csv");
            let mut report = sandbox.run(&call).ended(0).json();
            let crosswalk = [
                &report["scenario"]["crosswalk"],
                &report["scenario"]["pair"]["crosswalk"],
            ]
            .map(Value::is_object);
            let figures = ["measures", "before", "measured"].map(|key| report[key].take());
            (
                figures,
                crosswalk.contains(&true),
                report["provenance"]["files"][0].take(),
            )
        };
        let (crossed, says, file) = figures("--recode rules.toml held.csv");
        let (by_hand, says_not, _) = figures("hand.csv");
        assert_eq!(crossed, by_hand, "{command}");
        assert!(says && !says_not, "{command}");
        // Where results come from is the file that was read.
        assert_eq!(file["name"], "held.csv");
        assert_eq!(file["attributes"], 6);
        assert_eq!(file["sha256"], as_read["sha256"]);
    }
}

/// A roles file speaks of new attributes as of all others: here the code of the sex is a name in both files.
#[test]
fn roles_can_be_stated_of_what_the_crosswalk_makes() {
    let sandbox = sandbox();
    sandbox.write("roles.toml", "nominal = ['Sex']\n");
    let link = "--strict link --method am --roles roles.toml --known Sex,age --format json --id person=pid";
    let crossed = results(
        &sandbox,
        &format!("{link} --recode rules.toml held.csv m.csv"),
    );
    assert_eq!(
        crossed,
        results(&sandbox, &format!("{link} hand.csv m.csv"))
    );
    let ran = sandbox.run(&format!("{link} held.csv m.csv")).ended(2);
    assert!(
        ran.stderr.contains("did you mean \"sex\"?"),
        "{}",
        ran.stderr
    );
}

/// The crosswalk comes first; then the history is walked through. By hand only the second is left.
#[test]
fn a_statement_is_of_the_file_that_the_crosswalk_makes() {
    let sandbox = sandbox();
    sandbox.write("office.toml", "[AREA]\ndigits = 2\n");
    for call in [
        "mask recode --rules office.toml --keep-identifiers --statement one.json -o one.csv hand.csv",
        "mask rankswap --p 10 --attributes income --seed 1 --keep-identifiers --after one.json --statement two.json -o two.csv one.csv",
    ] {
        sandbox.run(call).ended(0);
    }
    let call = |original: &str| {
        format!(
            "link --method am,rsld,likelihood --id person --known AREA,age,income --statement two.json --format json {original} two.csv"
        )
    };
    let crossed = results(&sandbox, &call("--recode rules.toml held.csv"));
    assert_eq!(crossed, results(&sandbox, &call("hand.csv")));
    assert_eq!(crossed[1]["contains_true"], 60);
    let said = sandbox.run(&call("--recode rules.toml held.csv")).ended(0);
    assert!(said.json().get("warnings").is_none(), "{}", said.stderr);
}

#[test]
fn every_report_says_what_the_crosswalk_did() {
    let sandbox = sandbox();
    let link = "link --method am --recode rules.toml --known AREA,income held.csv m.csv";
    let said = "AREA is made of land and kreis; age is recoded; income is pay by another name; Sex is sex by another name, recoded;";
    let one_line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for call in [
        link.to_string(),
        format!("{link} --brief"),
        "loss --recode rules.toml held.csv m.csv".into(),
        "risk --key age --recode rules.toml held.csv m.csv".into(),
        "score --assign best --known AREA,income --recode rules.toml held.csv m.csv".into(),
    ] {
        let text = one_line(sandbox.run(&call).ended(0).text());
        assert!(
            text.contains(&format!(
                "(rules.toml): {said} part is characters 2 to 3 of kreis."
            )),
            "{call}: {text}"
        );
    }
    sandbox
        .run(&format!("{link} --format json -o link.json"))
        .ended(0);
    for page in [
        "report -o page.html link.json",
        "report --external -o page.html link.json",
    ] {
        sandbox.run(page).ended(0);
        assert!(
            sandbox
                .text("page.html")
                .contains("AREA is made of land and kreis"),
            "{page}"
        );
    }
}

#[test]
fn rules_that_cannot_be_are_refused_with_their_line() {
    let sandbox = sandbox();
    for (rules, line, what) in [
        (
            "[nope]\ntop = 5\n",
            1,
            "there is no attribute \"nope\" in held.csv",
        ),
        (
            "[A]\nof = \"nope\"\n",
            2,
            "there is no attribute \"nope\" in held.csv",
        ),
        (
            "[A]\nof = \"A\"\n",
            2,
            "All rules look at the file as it is",
        ),
        (
            "[A]\nof = \"B\"\n[B]\nof = \"A\"\n",
            2,
            "All rules look at the file as it is",
        ),
        (
            "[land]\nof = \"kreis\"\n",
            1,
            "an attribute of this name already",
        ),
        (
            "[land]\njoin = [\"land\", \"kreis\"]\n",
            1,
            "an attribute of this name already",
        ),
        (
            "[A]\njoin = [\"land\"]\n",
            2,
            "join names two attributes or more",
        ),
        ("[A]\njoin = []\n", 2, "join is empty"),
        (
            "[A]\njoin = [\"land\", \"land\"]\n",
            2,
            "names \"land\" twice",
        ),
        (
            "[A]\njoin = [\"land\", \"kreis\"]\nof = \"age\"\n",
            2,
            "different things",
        ),
        (
            "[A]\nseparator = \"-\"\n",
            2,
            "separator has no effect without join",
        ),
        (
            "[A]\njoin = [\"land\", \"kreis\"]\nseparator = 1\n",
            3,
            "separator must be a text",
        ),
        (
            "[land]\ncharacters = [1, 2]\n",
            2,
            "characters has no effect without of",
        ),
        (
            "[A]\nof = \"land\"\ncharacters = [2, 1]\n",
            3,
            "characters has two places",
        ),
        (
            "[A]\nof = \"land\"\ncharacters = [0, 1]\n",
            3,
            "whole number from 1",
        ),
        (
            "[A]\nof = \"land\"\ncharacters = [1]\n",
            3,
            "characters has two places",
        ),
        (
            "[A]\nof = \"land\"\nbreaks = [5, 1]\n",
            3,
            "breaks must ascend",
        ),
        ("[A]\nof = \"sex\"\ntop = 5\n", 3, "top needs numbers"),
        (
            "[A]\nof = \"land\"\nfrom = 2\n",
            3,
            "in a crosswalk (--recode) also of, characters",
        ),
        ("[A]\nof = \n", 2, "string values must be quoted"),
    ] {
        sandbox.write("bad.toml", rules);
        for call in [
            "link --method am --recode bad.toml held.csv m.csv",
            "loss --recode bad.toml held.csv m.csv",
        ] {
            let ran = sandbox.run(call).ended(3);
            assert!(
                ran.stderr.contains(&format!("bad.toml, line {line}")) && ran.stderr.contains(what),
                "{rules}: {}",
                ran.stderr
            );
            assert_eq!(ran.text(), "");
        }
    }
    sandbox
        .run("link --method am --recode absent.toml held.csv m.csv")
        .ended(1);
    // A masking makes no attributes, and a certificate is of files as they are.
    let ran = sandbox
        .run("mask recode --rules rules.toml held.csv")
        .ended(3);
    assert!(
        ran.stderr.contains("rules.toml, line 2") && ran.stderr.contains("Only a crosswalk has it"),
        "{}",
        ran.stderr
    );
    let ran = sandbox
        .run("link --method wm --recode rules.toml --known age,income --certificate c.json held.csv m.csv")
        .ended(2);
    assert!(
        ran.stderr
            .contains("a crosswalk changes the original first"),
        "{}",
        ran.stderr
    );
}

/// In Windows-1252 there is no arrow; and 9 with 9 would be the code of the file's gaps.
#[test]
fn what_would_be_read_otherwise_is_refused() {
    let sandbox = Sandbox::with(&[
        ("o.csv", "a,b,c\n1,2,x\n9,9,y\n4,,z\n"),
        ("m.csv", "ab,c\n12,x\n44,y\n45,z\n"),
        ("join.toml", "[ab]\njoin = [\"a\", \"b\"]\n"),
        (
            "arrow.toml",
            "[ab]\njoin = [\"a\", \"b\"]\nseparator = \"→\"\n",
        ),
    ]);
    sandbox.write("latin.csv", b"a,b,c\n1,2,\xE9\n3,4,y\n5,6,z\n");
    let link = "link --method am --known ab,c";
    sandbox
        .run(&format!("{link} --recode join.toml o.csv m.csv"))
        .ended(0);
    let ran = sandbox
        .run(&format!("{link} --na 99 --recode join.toml o.csv m.csv"))
        .ended(3);
    assert!(
        ran.stderr.contains("would not be read as meant"),
        "{}",
        ran.stderr
    );
    let ran = sandbox
        .run(&format!("{link} --recode arrow.toml latin.csv m.csv"))
        .ended(3);
    assert!(ran.stderr.contains("lacks a character"), "{}", ran.stderr);
}
