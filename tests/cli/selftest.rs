//! `sdcrisk selftest`.

use crate::sandbox::Sandbox;

#[test]
fn every_example_agrees_in_text_and_in_json() {
    let sandbox = Sandbox::new();
    let report = sandbox.run("selftest --format json").ended(0).json();
    assert_eq!(report["schema"], "sdcrisk.selftest/1");
    let examples = report["examples"].as_array().unwrap();
    assert_eq!(report["passed"], examples.len());
    assert_eq!(report["failed"], 0);
    let text = sandbox.run("selftest").ended(0).text();
    for example in examples {
        assert_eq!(example["passed"], true, "{example}");
        assert!(text.contains(&format!("pass  {}\n", example["name"].as_str().unwrap())));
        assert!(
            example["source"]
                .as_str()
                .unwrap()
                .contains(char::is_numeric)
        );
    }
    // Both files of the slides, the Handbook's optimum and the authors' objective stand in it.
    for figure in ["5,5,8,1", "0.340218", "linked by the best weights: 9"] {
        assert!(text.contains(figure), "{figure} is not in\n{text}");
    }
    assert!(sandbox.names().is_empty(), "it writes no file");
}

#[test]
fn it_takes_no_file() {
    Sandbox::new().run("selftest people.csv").ended(2);
}
