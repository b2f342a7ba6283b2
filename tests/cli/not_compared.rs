//! What cannot be compared in earnest is said first: classes against numbers, codes of other lengths, other units; and records that
//! nobody can find.

use std::fmt::Write as _;

use crate::sandbox::Sandbox;

/// 200 people: an age, a code of five characters, a town and a size.
fn people() -> Vec<(u32, u32, u32, u32)> {
    (0..200_u32)
        .map(|k| (18 + k * 37 % 71, k * 29 % 24, k * 13 % 4, 1 + k * 7 % 3))
        .collect()
}

fn class(age: u32) -> String {
    format!("[{};{})", age / 5 * 5, age / 5 * 5 + 5)
}

/// The file as collected, as released, and the first recoded by hand as the second was.
fn sandbox() -> Sandbox {
    let mut files = [(); 2].map(|()| "age,nace,town,size\n".to_string());
    for (age, code, town, size) in people() {
        let town = ["Hull", "Leeds", "York", "Oslo"][town as usize];
        let _ = writeln!(
            files[0],
            "{age},C{}.{},{town},{size}",
            10 + code / 4,
            code % 4
        );
        let _ = writeln!(files[1], "{},C{},{town},{size}", class(age), 10 + code / 4);
    }
    let rules = "[age]\nbreaks = [30, 45, 60]\n";
    Sandbox::with(&[
        ("o.csv", &files[0]),
        ("m.csv", &files[1]),
        ("r.toml", rules),
    ])
}

#[test]
fn link_begins_with_what_it_did_not_compare() {
    let sandbox = sandbox();
    let link = "link --method am o.csv m.csv";
    let ran = sandbox.run(link).ended(0);
    assert!(
        ran.text()
            .starts_with("  Warning: age has numbers in the original file and text"),
        "{}",
        ran.text()
    );
    assert!(
        ran.text()
            .contains("Warning: nace shares no value with the masked file.")
    );
    assert!(
        ran.stderr.contains("warning: nace shares no value"),
        "{}",
        ran.stderr
    );
    let json = sandbox
        .run(&format!("{link} --format json"))
        .ended(0)
        .json();
    let named: Vec<&str> = json["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["attribute"].as_str().unwrap())
        .collect();
    assert_eq!(named, ["age", "nace"]);
    assert!(
        json["warnings"][0]["remedy"]
            .as_str()
            .unwrap()
            .contains("sdcrisk mask recode")
    );
    // What the warning is about: the same attack on the original recoded as the release was. 4 towns by 3 sizes are 12 kinds of
    // people; with 15 classes of ages and 6 codes there are more kinds than people.
    let recoded = sandbox
        .run("link --method am --format json m.csv m.csv")
        .ended(0)
        .json();
    assert!(recoded.get("warnings").is_none());
    let rate = |json: &serde_json::Value| json["results"][0]["rate"].as_f64().unwrap();
    assert!(
        rate(&recoded) > 5.0 * rate(&json),
        "{} {}",
        rate(&json),
        rate(&recoded)
    );
}

#[test]
fn strict_makes_it_an_error_and_an_open_gate_says_so() {
    let sandbox = sandbox();
    for call in [
        "link --method am o.csv m.csv",
        "score o.csv m.csv",
        "loss o.csv m.csv",
        "risk --key town o.csv m.csv",
    ] {
        let ran = sandbox.run(&format!("{call} --format json")).ended(0);
        assert_eq!(ran.json()["warnings"][0]["attribute"], "age", "{call}");
        assert!(
            sandbox.run(call).text().starts_with("  Warning: age"),
            "{call}"
        );
        let ran = sandbox.run(&format!("--strict {call}")).ended(2);
        assert!(
            ran.stderr.contains("age has numbers") && !ran.stderr.contains(".."),
            "{call}: {}",
            ran.stderr
        );
        assert_eq!(ran.text(), "");
    }
    for call in [
        "link --method am o.csv m.csv",
        "risk --key town --attributes nace o.csv m.csv",
    ] {
        let ran = sandbox.run(&format!("{call} --fail-above 100%")).ended(0);
        assert!(
            ran.stderr
                .contains("--fail-above did not fail, but that says little"),
            "{call}: {}",
            ran.stderr
        );
    }
    // What nobody was to know does not matter.
    let ran = sandbox
        .run("link --method am --known town,size --strict o.csv m.csv")
        .ended(0);
    assert!(!ran.text().contains("Warning"));
}

/// The intruder knows the rules, and recodes their own file as 'link --statement' does: nothing is left to warn of.
#[test]
fn a_plan_that_recodes_is_attacked_by_who_knows_the_rules() {
    let sandbox = sandbox();
    sandbox.write(
        "plan.toml",
        "original = \"o.csv\"\nattacks = [\"am\"]\nlosses = [\"changed\"]\n[[mask]]\nmethod = \"recode\"\nrules = \"r.toml\"\n",
    );
    let plan = sandbox
        .run("--strict evaluate plan.toml --format json")
        .ended(0)
        .json();
    assert!(plan["warnings"].is_null(), "{plan}");
    sandbox
        .run("mask recode --rules r.toml --statement s.json -o r.csv o.csv")
        .ended(0);
    let link = |statement: &str| {
        let call = format!("link --method am --format json {statement} o.csv r.csv");
        sandbox.run(&call).ended(0).json()["results"][0]["rate"]
            .as_f64()
            .unwrap()
    };
    let rate = plan["rows"][0]["attacks"][0]["rate"].as_f64().unwrap();
    assert_eq!(rate.to_bits(), link("--statement s.json").to_bits());
    assert!(rate > link(""), "{rate}");
}

/// Twenty people, ten of them released as they are: all ten are found. 10 of 20 is 50 %, 10 of 10 is 100 %.
#[test]
fn a_subset_has_two_rates_and_the_gate_names_the_one_that_broke_it() {
    let rows = |n: u32| {
        (0..n).fold("id,x,y\n".to_string(), |rows, k| {
            rows + &format!("p{k},{},{}\n", k * k, 7 * k)
        })
    };
    let sandbox = Sandbox::with(&[("o.csv", &rows(20)), ("m.csv", &rows(10))]);
    let link = "link --method am --standardize none --id id";
    let json = sandbox
        .run(&format!("{link} --format json o.csv m.csv"))
        .ended(0)
        .json();
    let result = &json["results"][0];
    assert_eq!(
        (&result["rate"], &result["rate_of_findable"]),
        (&0.5.into(), &1.0.into())
    );
    // Wilson's interval of 10 of 10: from 10/(10 + 1.96²) = 72.2 % on.
    let low = result["interval_of_findable"][0].as_f64().unwrap();
    assert!(
        (low - 10.0 / (10.0 + 1.959_964_f64.powi(2))).abs() < 1e-6,
        "{low}"
    );
    let text = sandbox.run(&format!("{link} o.csv m.csv")).ended(0).text();
    assert!(
        text.contains("have a partner") && text.contains("rate of these"),
        "{text}"
    );
    let csv = sandbox
        .run(&format!("{link} --format csv o.csv m.csv"))
        .ended(0)
        .text();
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .contains("interval_of_findable_low,interval_of_findable_high")
    );
    let gate = |limit: &str, status| {
        sandbox
            .run(&format!("{link} --fail-above {limit} o.csv m.csv"))
            .ended(status)
            .stderr
    };
    let (all, findable) = (
        "the rate among all records is",
        "the rate among the records that have a partner is",
    );
    let broken = gate("60%", 10);
    assert!(
        broken.contains(findable) && !broken.contains(all),
        "{broken}"
    );
    let broken = gate("40%", 10);
    assert!(
        broken.contains(findable) && broken.contains(all),
        "{broken}"
    );
}

/// The headline of several draws is their mean, with the corrected interval, and not the luckiest of them.
#[test]
fn of_several_draws_the_mean_is_the_headline() {
    let rows = |shift: u32| {
        (0..40_u32).fold("a,b,c\n".to_string(), |rows, k| {
            rows + &format!(
                "{},{},{}\n",
                k * 37 % 41,
                (k * 17 + shift * (k % 3)) % 43,
                (k * 11 + shift) % 47
            )
        })
    };
    let sandbox = Sandbox::with(&[("o.csv", &rows(0)), ("m.csv", &rows(3))]);
    let call = "link --method wm --train-records 15 --train-splits 4 --seed 5 --time-limit 20";
    let json = sandbox
        .run(&format!("{call} --format json o.csv m.csv"))
        .ended(0)
        .json();
    let means = json["means"].as_array().unwrap();
    let others = means
        .iter()
        .find(|mean| mean["sample"] == "others")
        .unwrap();
    let reading = json["reading"].to_string();
    assert!(
        reading.contains("The highest mean rate") && !reading.contains("The highest rate:"),
        "{reading}"
    );
    assert!(
        reading.contains("over 4 draws of the individuals"),
        "{reading}"
    );
    let rate = format!("{:.1} %", 100.0 * others["rate"].as_f64().unwrap());
    assert!(
        reading.contains(&format!("links {rate} of the records correctly on average")),
        "{rate}: {reading}"
    );
}

/// Two steps, the second in random order: a page for the public says of the file what is true of both.
#[test]
fn a_page_of_two_statements_says_what_is_true_of_both() {
    let sandbox = sandbox();
    sandbox
        .run("mask rankswap --window 5 --attributes size --statement 1.json -o 1.csv o.csv")
        .ended(0);
    sandbox
        .run("mask noise --level 0.1 --attributes age --statement 2.json --shuffle k.csv -o 2.csv 1.csv")
        .ended(0);
    sandbox
        .run("report --external -o r.html 1.json 2.json")
        .ended(0);
    let page = sandbox.text("r.html");
    for untrue in ["as they were collected", "as in the original"] {
        assert!(!page.contains(untrue), "{untrue}");
    }
    assert_eq!(page.matches("put the records in random order").count(), 1);
    assert!(!page.contains("kept the order of the records"));
    assert!(page.contains("every attribute of the file that none of them names"));
}
