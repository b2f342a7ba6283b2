//! Files that were masked in several steps, from the command line.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// 60 people; ages repeat, amounts hardly.
fn people() -> Sandbox {
    let mut text = String::from("person,age,income,tax,sex\n");
    for number in 0..60 {
        let (age, income) = (20 + number * 7 % 50, 1000 + number * 37 % 800);
        let sex = if number % 3 == 0 { "m" } else { "f" };
        text += &format!("p{number},{age},{income},{},{sex}\n", income / 5 + number);
    }
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", text);
    sandbox.write("rules.toml", "[age]\nround = 5\n");
    sandbox
}

/// Recoded, swapped and sampled: a.csv, b.csv, c.csv with statements of all steps so far and of each alone.
fn released() -> Sandbox {
    let sandbox = people();
    for call in [
        "mask recode --rules rules.toml --statement a.json -o a.csv in.csv",
        "mask rankswap --p 5 --attributes income,tax --seed 1 --after a.json --statement b.json -o b.csv a.csv",
        "mask rankswap --p 5 --attributes income,tax --seed 1 --statement b1.json -o b1.csv a.csv",
        "mask sample --n 40 --strata sex --seed 2 --shuffle key.csv --after b.json --statement c.json -o c.csv b.csv",
        "mask sample --n 40 --strata sex --seed 2 --shuffle key1.csv --statement c1.json -o c1.csv b.csv",
    ] {
        sandbox.run(call).ended(0);
    }
    sandbox
}

fn statement(sandbox: &Sandbox, name: &str) -> Value {
    serde_json::from_slice(&sandbox.read(name)).unwrap()
}

const ATTACK: &str =
    "link --method am,rsld,likelihood,involution --shuffle-key key.csv --format json";

#[test]
fn a_statement_lists_what_was_done_in_its_order() {
    let sandbox = released();
    let whole = statement(&sandbox, "c.json");
    assert_eq!(whole["schema"], json!("sdcrisk.statement/2"));
    assert_eq!(whole["complete"], json!(true));
    let steps = whole["steps"].as_array().unwrap();
    let methods: Vec<&Value> = steps.iter().map(|step| &step["method"]).collect();
    assert_eq!(methods, ["recode", "rankswap", "sample"]);
    assert_eq!(steps[0]["dropped"], json!(["person"]));
    assert_eq!(steps[2]["records-before"], json!(60));
    assert_eq!(steps[2]["records"], json!(40));
    assert_eq!(steps[2]["shuffled"], json!(true));
    assert_eq!(
        steps[2]["parameters"],
        json!({"size": {"records": 40}, "strata": ["sex"]})
    );
    // Neither who was drawn nor how many of a stratum is published.
    assert!(!whole.to_string().contains("seed"), "{whole}");
}

/// 20 men and 40 women: of 40, 13.33 and 26.67, so 13 and 27.
#[test]
fn a_stratified_sample_has_the_shares_of_the_file() {
    let sandbox = released();
    let text = sandbox.text("c.csv");
    let men = text.lines().filter(|line| line.ends_with(",m")).count();
    assert_eq!((text.lines().count(), men), (41, 13));
}

#[test]
fn statements_of_single_steps_say_the_same_as_one_of_all() {
    let sandbox = released();
    let found = |statements: &str| {
        let call = format!("{ATTACK} {statements} in.csv c.csv");
        let mut report = sandbox.run(&call).ended(0).json();
        report["provenance"].take();
        report
    };
    let whole = found("--statement c.json");
    assert_eq!(
        found("--statement a.json --statement b1.json --statement c1.json"),
        whole
    );
    assert_eq!(found("--statement b.json --statement c1.json"), whole);
    assert!(whole["warnings"].is_null(), "{whole}");
    // The right record is never excluded, of those who are in the sample.
    for result in &whole["results"].as_array().unwrap()[1..] {
        assert_eq!(
            (&result["contains_true"], &result["with_partner"]),
            (&json!(40), &json!(40))
        );
    }
}

#[test]
fn a_step_that_is_left_out_is_warned_of() {
    let sandbox = released();
    let call = |strict: &str| {
        format!("{ATTACK} {strict} --statement b1.json --statement c1.json in.csv c.csv")
    };
    let ended = sandbox.run(&call("")).ended(0);
    let report = ended.json();
    assert_eq!(report["warnings"][0]["attribute"], json!("age"));
    assert!(
        ended.stderr.contains("age differs from the original"),
        "{}",
        ended.stderr
    );
    sandbox.run(&call("--strict")).ended(2);
}

#[test]
fn what_was_not_stated_is_not_taken_as_known() {
    let sandbox = released();
    sandbox
        .run("mask rankswap --p 5 --attributes income,tax --seed 1 --incomplete --statement i.json -o i.csv a.csv")
        .ended(0);
    assert_eq!(statement(&sandbox, "i.json")["complete"], json!(false));
    let ended = sandbox
        .run("link --method rsld --statement i.json --known age,income in.csv i.csv")
        .ended(0);
    assert!(ended.stderr.contains("do without age"), "{}", ended.stderr);
}

#[test]
fn statements_that_do_not_belong_together_are_refused() {
    let sandbox = released();
    // Of 60 records; c.csv has 40.
    let wrong = sandbox
        .run("mask noise --level .1 --after b.json --statement d.json c.csv")
        .ended(3);
    assert!(wrong.stderr.contains("60 records"), "{}", wrong.stderr);
    let order = format!("{ATTACK} --statement c1.json --statement b1.json in.csv c.csv");
    let wrong = sandbox.run(&order).ended(3);
    assert!(
        wrong.stderr.contains("do not follow each other"),
        "{}",
        wrong.stderr
    );
    sandbox
        .run("mask noise --level .1 --after b.json b.csv")
        .ended(2);
    sandbox.run("mask sample --n 61 in.csv").ended(2);
    sandbox.run("mask sample --fraction 0% in.csv").ended(2);
    sandbox.run("mask sample in.csv").ended(2);
}

/// The key of a step names records of the file that the step was given, which is not the original once records were left out or moved.
#[test]
fn a_key_that_does_not_lead_to_the_original_is_refused() {
    let sandbox = released();
    sandbox
        .run("mask noise --level .1 --attributes income --seed 3 --shuffle key2.csv --after c.json --statement d.json -o d.csv c.csv")
        .ended(0);
    for key in ["key.csv", "key2.csv"] {
        let call = format!("link --method am --statement d.json --shuffle-key {key} in.csv d.csv");
        let refused = sandbox.run(&call).ended(2);
        assert!(
            refused.stderr.contains("does not lead to the original"),
            "{}",
            refused.stderr
        );
    }
}

/// What the intruder does not have need not be recoded, and does not keep the rest from being.
#[test]
fn rules_of_attributes_that_the_intruder_lacks_do_no_harm() {
    let sandbox = people();
    sandbox.write(
        "two.toml",
        "[age]\nround = 5\n[tax]\nbreaks = [300]\n[sex]\nsuppress = [\"m\"]\n",
    );
    sandbox
        .run("mask recode --rules two.toml --statement a.json -o a.csv in.csv")
        .ended(0);
    let text = sandbox.text("in.csv");
    let without_tax = text.lines().map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        format!("{},{},{},{}\n", cells[0], cells[1], cells[2], cells[4])
    });
    sandbox.write("own.csv", without_tax.collect::<String>());
    let ran = sandbox
        .run("link --method likelihood --known age,income --statement a.json own.csv a.csv")
        .ended(0);
    assert!(!ran.stderr.contains("not recoded"), "{}", ran.stderr);
    assert!(
        ran.text().contains("of 60 records correctly"),
        "{}",
        ran.text()
    );
    assert!(!ran.text().contains("Warning"), "{}", ran.text());
}

#[test]
fn the_page_shows_all_steps() {
    let sandbox = released();
    sandbox.run("report -o page.html c.json").ended(0);
    let page = sandbox.text("page.html");
    for words in [
        "Step 3",
        "a random sample",
        "global recoding, then rank swapping, then",
        "40 of 60",
    ] {
        assert!(page.contains(words), "{words}");
    }
}
