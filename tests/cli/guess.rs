//! `guess` as users call it.

use serde_json::json;

use crate::sandbox::Sandbox;

const PEOPLE: &str = include_str!("../../data/synthetic-census.csv");

fn sandbox() -> Sandbox {
    Sandbox::with(&[("people.csv", PEOPLE)])
}

#[test]
fn the_report_has_the_keys_that_other_programs_read() {
    let sandbox = sandbox();
    sandbox
        .run("mask microagg --k 3 --attributes earnings,income,tax --shuffle key.csv --seed 3 -o masked.csv people.csv")
        .ended(0);
    let report = sandbox
        .run("guess --format json people.csv masked.csv")
        .ended(0)
        .json();
    assert_eq!(report["schema"], json!("sdcrisk.guess/1"));
    assert_eq!(report["aligned_by"], json!(null));
    let findings = report["findings"].as_array().unwrap();
    let found = findings
        .iter()
        .find(|finding| finding["method"] == json!("microagg"))
        .unwrap();
    assert_eq!(found["attributes"], json!(["earnings", "income", "tax"]));
    assert_eq!(found["parameters"]["k"], json!(3));
    assert_eq!(found["certainty"], json!("certain"));
    // What identifies people was dropped by mask.
    assert_eq!(report["left_out"][0]["attribute"], json!("person"));
    // The options that are proposed run.
    let options = found["options"][0].as_str().unwrap();
    sandbox
        .run(&format!(
            "link {} --known income,tax --shuffle-key key.csv people.csv masked.csv",
            options.replace('\'', "")
        ))
        .ended(0);
}

#[test]
fn text_says_what_it_supposes_and_holds_no_value() {
    let sandbox = sandbox();
    sandbox
        .run("mask rankswap --p 5 --attributes age,earnings,rent --seed 3 -o masked.csv people.csv")
        .ended(0);
    let text = sandbox.run("guess people.csv masked.csv").ended(0).text();
    let in_one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        in_one_line.contains("the order of the records was not used"),
        "{text}"
    );
    assert!(text.contains("rankswap: window 50, p 5"), "{text}");
    assert!(
        text.contains("sdcrisk link --method rsld,involution --window 50"),
        "{text}"
    );
    let aligned = sandbox
        .run("guess --aligned -o report.txt people.csv masked.csv")
        .ended(0);
    assert_eq!(aligned.text(), "");
    let text = sandbox.text("report.txt");
    assert!(text.contains("by the order of the records"), "{text}");
    assert!(text.contains("rankswap: window 50, p 5"), "{text}");
    // Amounts of five digits are values of people; nothing that is printed has as many.
    let amounts = |text: &str| {
        let mut words = text.split(|sign: char| !sign.is_ascii_digit());
        words.any(|digits| digits.len() >= 5)
    };
    assert!(!amounts(&text), "{text}");
}

#[test]
fn who_is_who_can_be_said_by_an_identifier() {
    let sandbox = Sandbox::with(&[
        (
            "a.csv",
            "id,age,pay\n1,31,100\n2,45,230\n3,52,190\n4,38,270\n",
        ),
        (
            "m.csv",
            "id,age,pay\n4,31,270\n2,45,230\n3,52,190\n1,38,100\n",
        ),
    ]);
    let found = |call: &str| -> Vec<(String, String)> {
        let report = sandbox.run(call).ended(0).json();
        let findings = report["findings"].as_array().unwrap();
        let method = |finding: &serde_json::Value| finding["method"].to_string();
        findings
            .iter()
            .map(|finding| (finding["attributes"].to_string(), method(finding)))
            .collect()
    };
    // Records 1 and 4 have each other's age, and their own pay.
    let by_id = found("guess --format json --id id a.csv m.csv");
    assert!(
        by_id.contains(&("[\"pay\"]".into(), "\"none\"".into())),
        "{by_id:?}"
    );
    assert!(
        !by_id
            .iter()
            .any(|(of, method)| of.contains("age") && method == "\"none\""),
        "{by_id:?}"
    );
    sandbox.run("guess --id id --aligned a.csv m.csv").ended(2);
}
