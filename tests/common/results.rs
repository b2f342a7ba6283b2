//! Results of every command, as reports read them: small, and with names that pages could stumble over.

use sdcrisk::{
    evaluate::{
        grid::{AttackRow, Row, Setting},
        measures::Name,
        summary::{Comparison, Measure, Measures, SettingSummary},
    },
    report::{
        evaluate::{EvaluateReport, FileSummary, PlanSummary},
        provenance::Provenance,
    },
};
use serde_json::{Map, Value, json};

/// A name that is markup, if it is not written as text.
pub const ODD: &str = "<b>&\"'pay";

pub fn link() -> Value {
    let mut link = json!({
        "schema": "sdcrisk.link/1", "version": "0.1.0", "status": "done",
        "scenario": {
            "original": "/srv/secret/people.csv", "masked": "out/masked.csv", "original_records": 1080, "masked_records": 1080,
            "known_records": 977, "direction": "original-to-masked", "aligned_by": "the order of the records", "ties": "fair",
            "assign": "best", "left_out": [{"attribute": "town", "why": "has one value in all 1080 records"}]
        },
        "results": [
            {"method": "am", "formula": "squared differences", "worst_case": false, "known": [ODD], "records": 977, "with_partner": 977,
             "correct": {"fair": 131.5, "strict": 128, "optimistic": 143}, "rate": 0.134595, "rate_of_findable": 0.134595,
             "interval": [0.114611, 0.157424], "interval_of_findable": [0.114611, 0.157424], "baseline": 0.000926, "certain": 0, "certain_correct": 0, "empty": 0,
             "candidates_mean": 1080.0, "candidates_quantiles": null, "contains_true": 977, "windows": null},
            {"method": "rsld", "formula": "within the window", "worst_case": false, "known": [ODD, "tax"], "records": 977, "with_partner": 977,
             "correct": {"fair": 733.0, "strict": 733, "optimistic": 733}, "rate": 0.750256, "rate_of_findable": 0.750256,
             "interval": [0.722187, 0.776367], "interval_of_findable": [0.722187, 0.776367], "baseline": 0.000926, "certain": 619, "certain_correct": 617, "empty": 3,
             "candidates_mean": 2.8125, "candidates_quantiles": [0, 1, 2, 5, 37],
             "candidates_histogram": [[0, 3], [1, 619], [2, 171], [4, 148], [8, 22], [16, 9], [32, 5]], "contains_true": 971, "windows": [54, 54],
             "expected": 0.6123,
             "calibration": [{"from": 0.0, "to": 0.5, "records": 401, "stated": 0.3127, "realised": 0.2919},
                             {"from": 0.5, "to": 1.0, "records": 576, "stated": 0.8221, "realised": 0.8563}]}
        ],
        "means": [{"method": "rsld", "cases": 2, "rate": 0.443322, "rate_of_findable": 0.443322}],
        "not_run": [{"method": "md", "why": "the covariance of 2 attributes is singular"}],
        "reading": ["The highest rate is 75.0 %."],
        "provenance": made(&["link", "--seed", "860417", "--known-records=977", "/srv/secret/people.csv", "out/masked.csv"])
    });
    let learned = map(json!({
        "bound": 751, "gap": 0.0184, "proof": "limit", "weights": {"tax": 1.0}, "margin": 0.01, "counted_by_search": 733,
        "basis": "attributes", "tied_with_others": 0
    }));
    link["results"][1].as_object_mut().unwrap().extend(learned);
    link
}

fn made(words: &[&str]) -> Value {
    let command: Vec<&str> = std::iter::once("sdcrisk")
        .chain(words.iter().copied())
        .collect();
    json!({
        "version": "0.1.0", "command": command,
        "files": [
            {"name": "/srv/secret/people.csv", "sha256": "0a11ce0a11ce", "records": 1080, "attributes": 13},
            {"name": "out/masked.csv", "sha256": "b0bb1eb0bb1e", "records": 1080, "attributes": 12}
        ]
    })
}

fn figure(key: &str, value: Option<f64>, unit: &str, most: Option<f64>) -> Value {
    json!({
        "key": key, "name": format!("name of {key}"), "value": value, "unit": unit, "direction": "lower is better", "least": 0.0, "most": most,
        "counted": 13000, "skipped": 0, "says": format!("law of {key}"), "source": "a paper"
    })
}

pub fn loss() -> Value {
    let mut il = figure("il", Some(0.213_37), "share", None);
    il["skipped"] = json!(412);
    let mut il1s = figure("il1s", Some(0.089_93), "share", None);
    il1s["parts"] = json!([{"name": ODD, "value": 0.0731}, {"name": "tax", "value": null}]);
    let mut mlodak = figure("mlodak", None, "share", Some(1.0));
    mlodak["why_not"] = json!("the correlations are singular");
    // The analyses of the original: its coefficients, its groups, its classes.
    let analysis = |key: &str, value: f64, parts: Value| {
        let mut figure = figure(key, Some(value), "share", Some(1.0));
        figure["parts"] = parts;
        figure
    };
    let analyses = [
        analysis(
            "accuracy_knn",
            0.0377,
            json!([{"name": "rare illness", "value": 0.3141}]),
        ),
        analysis(
            "regression_fit_original",
            0.8123,
            json!([{"name": "intercept", "value": 5151.25}, {"name": "tax, low", "value": -0.0713}]),
        ),
        analysis(
            "kmeans_f",
            0.9017,
            json!([{"name": "group 1 of 419 records", "value": 0.8811}]),
        ),
    ];
    json!({
        "schema": "sdcrisk.loss/1", "version": "0.1.0",
        "scenario": {"original": "/srv/secret/people.csv", "masked": "out/masked.csv", "records": 1080, "attributes": [ODD, "tax"],
                     "numbers": ["tax"], "aligned_by": "the order of the records", "left_out": []},
        "measures": {"il": 0.213_37, "il1s": 0.089_93, "mlodak": null, "mean_square_data": 46390533.776, "mean_variation_means": 0.0125,
                     "changed": 0.9719, "accuracy_knn": 0.0377, "of_next_year": 3.25},
        "figures": [il, il1s, mlodak, figure("mean_square_data", Some(46_390_533.776), "number", None),
                    figure("mean_variation_means", Some(0.0125), "share", None), figure("changed", Some(0.9719), "share", Some(1.0))],
        "analyses": analyses,
        "provenance": made(&["loss", "--seed=860417", "--analysis-seed", "987654", "--analysis-seed=987654", "--records", "rr.csv",
                              "--known-records=kr.txt", "--roles=private.toml", "/srv/secret/people.csv", "out/masked.csv"])
    })
}

pub fn risk() -> Value {
    let about = |mut figure: Value, about: &str| {
        figure["about"] = json!(about);
        figure
    };
    json!({
        "schema": "sdcrisk.risk/1", "version": "0.1.0",
        "scenario": {"original": "/srv/secret/people.csv", "masked": "out/masked.csv", "records": 1080, "key": ["town", ODD],
                     "missing_matches": "any", "confidential": ["tax"], "weights": "weight", "c": 2.0, "suda": null, "pair": null},
        "measures": {"unique": 217, "individual_risk_global": 0.1077, "interval_disclosure_rank": 0.5562},
        "before": {"unique": 331, "individual_risk_global": 0.1441},
        "figures": [about(figure("unique", Some(217.0), "count", None), "singling-out"),
                    about(figure("individual_risk_global", Some(0.1077), "share", Some(1.0)), "linkability"),
                    about(figure("interval_disclosure_rank", Some(0.5562), "share", Some(1.0)), "inference")],
        "figures_before": [about(figure("unique", Some(331.0), "count", None), "singling-out"),
                           about(figure("individual_risk_global", Some(0.1441), "share", Some(1.0)), "linkability")],
        "readings": [{"about": "singling-out", "text": "217 of 1080 records are the only ones with their key."}],
        "classes": [{"size": 1, "records": 217}, {"size": 2, "records": 238}, {"size": 3, "records": 189}, {"size": 19, "records": 436}],
        "most_at_risk": [{"record": 88213, "matching": 1, "population": 1.5, "individual_risk": 0.6921, "minimal_uniques": 4,
                          "smallest_unique": 1, "suda_score": 12.5, "dis_suda": 0.8461}],
        "provenance": made(&["risk", "/srv/secret/people.csv", "out/masked.csv"])
    })
}

pub fn score() -> Value {
    json!({
        "schema": "sdcrisk.score/1", "version": "0.1.0",
        "scenario": {"original": "/srv/secret/people.csv", "masked": "out/masked.csv", "original_records": 1080, "compared_records": 1080,
                     "attributes": ["tax"], "known": "sweep:5", "direction": "original-to-masked", "aligned_by": "the order of the records",
                     "left_out": []},
        "form": "rsld", "il": 0.213_37, "dr": 0.4309, "score": 0.322_14, "dr_2001": 0.3929, "score_2001": null,
        "terms": {"rsld": 0.4613, "dld": 0.3719, "pld": 0.0874, "id": 0.5562},
        "links": [{"term": "rsld", "method": "rsld", "formula": "within the window", "assign": "best", "rate": 0.4613,
                   "cases": [{"known": [ODD], "records": 977, "correct": 450.7, "rate": 0.4613, "interval": [0.4302, 0.4927], "baseline": 0.000926}]}],
        "figures": [figure("rsld", Some(0.4613), "share", Some(1.0))],
        "provenance": made(&["score", "/srv/secret/people.csv", "out/masked.csv"])
    })
}

/// Settings of a masking with a name and of one without, of which the first varies in one number.
pub fn evaluate() -> Value {
    evaluation(&[
        ("rankswap", Some("swap"), "p", 2.0, [0.0519, 0.5517, 0.6307]),
        (
            "rankswap",
            Some("swap"),
            "p",
            10.0,
            [0.2171, 0.3113, 0.2239],
        ),
        ("noise", None, "level", 0.1, [0.4447, 0.3517, 0.1771]),
    ])
}

/// A setting: method, name of the masking, parameter, its value, and IL, DR and the rate of an attack.
pub type Entry<'a> = (&'a str, Option<&'a str>, &'a str, f64, [f64; 3]);

/// A grid as the program writes it.
pub fn evaluation(settings: &[Entry<'_>]) -> Value {
    const FILE: &str = "/srv/secret/people.csv";
    let mean = |mean: f64, half: Option<f64>| Measure {
        mean: Some(mean),
        interval: half.map(|half| [mean - half, mean + half]),
        half,
        runs: 3,
    };
    let called = |name| Name::parse(name).unwrap();
    let none = Measure {
        mean: None,
        interval: None,
        half: None,
        runs: 0,
    };
    let of = |(number, &(method, name, parameter, value, [il, dr, rate])): (usize, &Entry<'_>)| {
        let mut parameters = Map::new();
        parameters.insert(parameter.into(), json!(value));
        SettingSummary {
            setting: Setting {
                setting: number,
                label: format!("{} {parameter}={value}", name.unwrap_or(method)),
                file: FILE.into(),
                method: method.into(),
                name: name.map(String::from),
                parameters,
            },
            runs: 3,
            not_in_il: Vec::new(),
            is_limited: false,
            measures: Measures(vec![
                (called("il"), mean(il, Some(il / 10.0))),
                (called("dr"), mean(dr, None)),
                (called("attack:am"), mean(rate, Some(0.01))),
                (called("loss:pil"), none),
            ]),
            pareto: number < 2,
            published: vec![Comparison {
                measure: "attack:am".into(),
                value: rate + 0.0123,
                difference: Some(-0.0123),
                source: "table 3 of a paper".into(),
            }],
        }
    };
    let row = |setting: usize, seed: Option<u64>| Row {
        setting,
        file: FILE.into(),
        method: "rankswap".into(),
        parameters: map(json!({"p": 2})),
        run: 1,
        seed,
        il: Some(0.0519),
        not_in_il: Vec::new(),
        dr: Some(0.5517),
        score: Some(0.3018),
        dr_2001: None,
        score_2001: None,
        dr_strongest: None,
        losses: map(json!({"il": 0.0519, "pil": null})),
        risks: map(json!({"interval_disclosure_rank": 0.7011})),
        warnings: Vec::new(),
        attacks: vec![AttackRow {
            rate: Some(0.6307),
            cases: 2,
            ..AttackRow::new("am", "am", false, Vec::new())
        }],
    };
    let mut report = EvaluateReport::new(
        PlanSummary {
            file: "plans/grid.toml".into(),
            title: None,
            repeats: 3,
            seed: Some(860_417),
            known: vec!["sweep:7".into()],
            attacks: vec!["am".into()],
            losses: vec!["il".into(), "pil".into()],
            risks: Vec::new(),
        },
        vec![FileSummary {
            name: FILE.into(),
            records: 1080,
            attributes: vec!["a".into(), "b".into()],
            known: vec!["sweep:7".into()],
        }],
        vec![row(0, Some(860_417)), row(1, None)],
        settings.iter().enumerate().map(of).collect(),
    );
    let command = ["sdcrisk", "evaluate", "plans/grid.toml"].map(String::from);
    report.provenance = Some(Provenance::new(command.to_vec(), &[]));
    serde_json::to_value(report).unwrap()
}

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

pub fn statement() -> Value {
    json!({
        "schema": "sdcrisk.statement/1", "version": "0.1.0", "method": "rankswap",
        "parameters": {"p": 5.0, "window": 54, "partner": "unswapped"}, "records": 1080, "attributes": [ODD, "tax"], "missing": "left in place"
    })
}

pub fn describe() -> Value {
    json!({
        "schema": "sdcrisk.describe/1", "version": "0.1.0", "file": "/srv/secret/people.csv", "records": 1080,
        "attributes": [{"name": ODD, "scale": "nominal", "role": "quasi-identifier", "missing": 57, "distinct": 71}],
        "notes": [{"attribute": null, "line": null, "text": "a note on 57 values"}]
    })
}

pub fn matching() -> Value {
    json!({
        "schema": "sdcrisk.match-attributes/1", "version": "0.1.0", "a": "/srv/secret/people.csv", "b": "out/masked.csv", "a_records": 1080, "b_records": 1080,
        "situation": {"family": "consensus", "meaning": "the same variables in the same terms", "pairs": 1, "same_variable": 1, "same_terms": 1},
        "scale": "z", "distance": "hellinger", "greatest_distance": 1.0, "relation": "one-to-one", "bandwidth": 0.2,
        "pairs": [{"a": ODD, "b": "pay", "compared_by": "density", "distance": 0.1737, "chance": 0.0511, "second": "tax", "second_distance": 0.2,
                   "margin": 0.0263, "rivals": ["tax"], "equal": false, "alike": true, "same_variable": true, "same_terms": true}],
        "a_unmatched": ["town"], "b_unmatched": [], "left_out": []
    })
}

/// A measure of three attributes.
pub fn weights() -> Value {
    json!({
        "schema": "sdcrisk.weights/1", "version": "0.1.0", "family": "wm", "attributes": ["AGI", ODD, "FICA"], "standardize": "own",
        "direction": "original-to-masked", "linked": 300, "records": 400, "bound": 300, "proof": "optimal", "basis": "attributes",
        "weights": {"AGI": 0.125, ODD: 0.75, "FICA": 0.125}, "ranges": {"AGI": [0.1, 0.2], ODD: [0.7, 0.8], "FICA": [0.0, 0.2]}
    })
}

/// One of each, with the name of its file.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("results/link.json", link()),
        ("results/loss.json", loss()),
        ("results/risk.json", risk()),
        ("results/score.json", score()),
        ("results/evaluate.json", evaluate()),
        ("masked.sdc.json", statement()),
        ("results/describe.json", describe()),
        ("results/match.json", matching()),
        ("keys/weights.json", weights()),
    ]
}
