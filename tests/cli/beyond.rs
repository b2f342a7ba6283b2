//! Beyond the mean: extremes, the surest links, worst sets and the gate, as a user meets them.
#![allow(
    clippy::float_cmp,
    reason = "the same figures in several places must be the same to the last bit"
)]

use crate::sandbox::Sandbox;

const CENSUS: &[u8] = include_bytes!("../../data/synthetic-census.csv");

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", CENSUS);
    sandbox
        .run("mask rankswap --p 10 --seed 1 --statement m.sdc.json -o m.csv in.csv")
        .ended(0);
    sandbox
}

#[test]
fn every_format_says_what_the_mean_hides() {
    let sandbox = sandbox();
    let call = "link --method am,rsld,likelihood --known first:4 --statement m.sdc.json";
    let json = sandbox
        .run(&format!("{call} --format json in.csv m.csv"))
        .ended(0)
        .json();
    let text = sandbox.run(&format!("{call} in.csv m.csv")).ended(0).text();
    assert!(
        text.contains("beyond the mean") && text.contains("surest links"),
        "{text}"
    );
    let csv = sandbox
        .run(&format!("{call} --format csv in.csv m.csv"))
        .ended(0)
        .text();
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let place = |name: &str| names.iter().position(|other| *other == name).unwrap();
    for (result, line) in json["results"]
        .as_array()
        .unwrap()
        .iter()
        .zip(csv.lines().skip(1))
    {
        let beyond = &result["beyond"];
        for (part, prefix) in [
            ("extremes", "extremes"),
            ("far", "far"),
            ("surest", "surest"),
        ] {
            let part = &beyond[part];
            let number = |key: &str| part[key].as_f64().unwrap();
            assert!((number("rate") - number("correct") / number("records")).abs() < 1e-12);
            let [low, high] = [0, 1].map(|k| part["interval"][k].as_f64().unwrap());
            assert!(low <= number("rate") && number("rate") <= high);
            // The formula has no commas, the line no quotes: cells are where names are.
            if !line.contains('"') {
                let cell = line
                    .split(',')
                    .nth(place(&format!("{prefix}_records")))
                    .unwrap();
                assert_eq!(cell.parse::<f64>().unwrap(), number("records"));
            }
        }
        let by_probability = result["method"] == "likelihood";
        assert_eq!(
            beyond["sure_by"],
            if by_probability {
                "probability"
            } else {
                "distance"
            }
        );
    }
    sandbox.write("link.json", serde_json::to_string(&json).unwrap());
    let page = sandbox.run("report -o page.html link.json").ended(0);
    drop(page);
    let page = String::from_utf8(sandbox.read("page.html")).unwrap();
    assert!(page.contains("surest links") && page.contains("farthest from the mean"));
}

#[test]
fn a_gate_on_extremes_closes_where_the_mean_would_not() {
    let sandbox = sandbox();
    let link = "link --method am --known first:4";
    let result = sandbox
        .run(&format!("{link} --format json in.csv m.csv"))
        .ended(0)
        .json()["results"][0]
        .clone();
    let rate = |part: &str| result["beyond"][part]["rate"].as_f64().unwrap();
    let most = rate("extremes").max(rate("far"));
    assert!(most > 0.0);
    let closed = sandbox
        .run(&format!(
            "{link} --fail-above-extremes {} in.csv m.csv",
            most / 2.0
        ))
        .ended(10);
    assert!(closed.stderr.contains("above"), "{}", closed.stderr);
    sandbox
        .run(&format!(
            "{link} --fail-above-extremes {} in.csv m.csv",
            most.min(1.0)
        ))
        .ended(0);
    sandbox.write("names.csv", "town,street\nx,a\ny,a\nx,b\ny,c\n");
    let open = sandbox
        .run("link --method gower --fail-above-extremes 5% names.csv names.csv")
        .ended(3);
    assert!(open.stderr.contains("nobody stands out"), "{}", open.stderr);
}

#[test]
fn the_worst_sets_are_attacked() {
    let sandbox = sandbox();
    let ran = sandbox
        .run("link --method am --known worst:3 --format json in.csv m.csv")
        .ended(0);
    assert!(
        ran.stderr
            .contains("the 5 sets of 3 attributes are attacked"),
        "{}",
        ran.stderr
    );
    let report = ran.json();
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 5);
    assert!(
        results
            .iter()
            .all(|result| result["known"].as_array().unwrap().len() == 3)
    );
    assert_eq!(
        report["means"],
        serde_json::json!([]),
        "a mean of the worst says nothing"
    );
    let few = sandbox
        .run("link --method am --known worst:99 in.csv m.csv")
        .ended(2);
    assert!(few.stderr.contains("99 attributes"), "{}", few.stderr);
    let none = sandbox
        .run("link --method am --known worst:x in.csv m.csv")
        .ended(2);
    assert!(
        none.stderr.contains("wants a number of attributes"),
        "{}",
        none.stderr
    );
}
