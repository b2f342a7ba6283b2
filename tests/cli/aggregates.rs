//! `link --method aggregates` as users call it.

use serde_json::json;

use crate::sandbox::Sandbox;

const A: &str = "person,pay,tax,town\np1,0,0,x\np2,1,2,y\np3,2,4,y\n";
const B: &str = "rent,debt,cars,flat\n10,30,1,7\n20,20,2,7\n30,10,3,7\n";

/// The worked example of the library: everybody is found, `debt` is turned round; text and constants are left out and named.
#[test]
fn the_report_says_what_was_aggregated_and_how() {
    let sandbox = Sandbox::with(&[("a.csv", A), ("b.csv", B)]);
    let ran = sandbox
        .run("link --method aggregates --format json a.csv b.csv")
        .ended(0);
    for note in [
        "town is not compared: it is not a number",
        "flat is not compared: it has no two different values",
    ] {
        assert!(ran.stderr.contains(note), "{}", ran.stderr);
    }
    let report = ran.json();
    let result = &report["results"][0];
    assert_eq!(result["method"], json!("aggregates"));
    assert_eq!(result["known"], json!(["pay", "tax"]));
    assert_eq!(result["correct"]["strict"], json!(3));
    let aggregates = &report["scenario"]["aggregates"];
    assert_eq!(
        aggregates["masked_attributes"],
        json!(["rent", "debt", "cars"])
    );
    assert_eq!(
        (&aggregates["turned"], &aggregates["masked_turned"]),
        (&json!([]), &json!(["debt"]))
    );
    let text = sandbox
        .run("link --method aggregates a.csv b.csv")
        .ended(0)
        .text();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("the masked file's 3 attributes (rent, debt, cars) were aggregated"),
        "{text}"
    );
    assert!(
        text.contains("fall where the others of their file rise: debt"),
        "{text}"
    );
    assert!(text.contains("Situation: "), "{text}");
}

#[test]
fn attributes_and_quantifiers_can_be_named() {
    let sandbox = Sandbox::with(&[("a.csv", A), ("b.csv", B)]);
    let report = sandbox
        .run("link --method aggregates --attributes tax --attributes-masked rent,cars --quantifiers for-all,power:2 --format json a.csv b.csv")
        .ended(0)
        .json();
    let result = &report["results"][0];
    assert_eq!(result["known"], json!(["tax"]));
    assert_eq!(result["correct"]["strict"], json!(3));
    assert!(
        result["formula"]
            .as_str()
            .unwrap()
            .contains("for-all, power:2")
    );
}
