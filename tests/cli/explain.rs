//! `explain` as users call it.

use crate::sandbox::Sandbox;

/// A weighted mean of three attributes, one of them named to trouble XML.
pub const WEIGHTS: &str = r#"{
  "schema": "sdcrisk.weights/1",
  "version": "0.0.0",
  "family": "wm",
  "attributes": ["AGI", "tax & <fees>", "FICA"],
  "standardize": "own",
  "direction": "original-to-masked",
  "linked": 300,
  "records": 400,
  "bound": 300,
  "proof": "optimal",
  "basis": "attributes",
  "weights": {"AGI": 0.125, "tax & <fees>": 0.75, "FICA": 0.125},
  "ranges": {"AGI": [0.1, 0.2], "tax & <fees>": [0.7, 0.8], "FICA": [0.0, 0.2]}
}
"#;

#[test]
fn text_json_and_picture_come_from_one_file() {
    let sandbox = Sandbox::with(&[("w.json", WEIGHTS)]);
    let text = sandbox.run("explain w.json").ended(0).text();
    assert!(
        text.starts_with("wm links 300 of 400 records (75.0 %)"),
        "{text}"
    );
    assert!(text.contains("70.0 % to 80.0 %"), "{text}");
    let json = sandbox
        .run("explain --format json --svg w.svg w.json")
        .ended(0)
        .json();
    assert_eq!(json["schema"], "sdcrisk.explain/1");
    assert_eq!(json["weights"][0]["name"], "tax & <fees>");
    assert_eq!(json["weights"][0]["weight"], 0.75);
    assert_eq!(json["unique"], false);
    let svg = sandbox.text("w.svg");
    assert!(svg.starts_with("<svg xmlns="), "{svg}");
    assert!(
        svg.contains("<title>tax &amp; &lt;fees&gt;: 75.0 %"),
        "{svg}"
    );
}

#[test]
fn it_reads_standard_input_and_writes_where_it_is_told() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with("explain -o said.txt -", WEIGHTS.as_bytes());
    assert!(ran.ended(0).stdout.is_empty());
    assert!(sandbox.text("said.txt").contains("tax & <fees>"));
}
