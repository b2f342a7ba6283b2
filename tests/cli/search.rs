//! `search`: the setting it names keeps the limit, one a little weaker does not, and nothing else in the plan loses less.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A file of amounts: each attribute grows with the first, with noise of its own and some ties.
fn amounts(records: u64) -> String {
    let mut state = 12_345_u64;
    let mut draw = |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let mut text = String::from("a,b,c,d\n");
    for record in 0..records {
        let cells: Vec<String> = (0..4)
            .map(|k| (record * (k + 1) + draw(60 + 20 * k)).to_string())
            .collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

const PLAN: &str = r#"
original = "amounts.csv"
attributes = "1-4"
known = ["first:1", "first:3"]
repeats = 3
seed = 1
attacks = ["am", { method = "likelihood", name = "balanced", assign = "balanced" }]
[[mask]]
method = "rankswap"
p = { from = 5, to = 90 }
[[mask]]
method = "microagg"
k = { from = 2, to = 30 }
[[mask]]
method = "noise"
level = 0.001
"#;

fn with_plan(plan: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("amounts.csv", amounts(120));
    sandbox.write("plan.toml", plan);
    sandbox
}

/// The highest upper end of the scenarios of a setting, from the rows of `evaluate`: Student's t of three files, or the only one.
fn strongest(rows: &[Value]) -> f64 {
    let mut highest = 0.0_f64;
    for attack in 0..rows[0]["attacks"].as_array().unwrap().len() {
        let rates: Vec<f64> = rows
            .iter()
            .map(|row| {
                row["attacks"][attack]["by_case"][0]["rate"]
                    .as_f64()
                    .unwrap()
            })
            .collect();
        let n = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / n;
        let variance = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let half = match rates.len() {
            1 => 0.0,
            3 => 4.302_653 * (variance / n).sqrt(),
            other => panic!("{other} files"),
        };
        highest = highest.max((mean + half).min(1.0));
    }
    highest
}

/// What `evaluate` says of a setting with the same seed.
fn evaluated(method: &str, option: &str, value: &Value) -> (f64, f64) {
    let head = PLAN.split("[[mask]]").next().unwrap();
    let plan = format!("{head}\n[[mask]]\nmethod = \"{method}\"\n{option} = {value}\n");
    let report = with_plan(&plan)
        .run("evaluate plan.toml --format json")
        .ended(0)
        .json();
    let rows = report["rows"].as_array().unwrap();
    let losses = rows.iter().map(|row| row["losses"]["il"].as_f64().unwrap());
    (strongest(rows), losses.sum::<f64>() / rows.len() as f64)
}

#[test]
fn what_is_found_keeps_the_limit_and_loses_least() {
    let sandbox = with_plan(PLAN);
    let report = sandbox
        .run("search plan.toml --risk-at-most 20% --format json")
        .ended(0)
        .json();
    assert_eq!(report["schema"], json!("sdcrisk.search/1"));
    let maskings = report["maskings"].as_array().unwrap();
    let mut least = (f64::INFINITY, 0);
    for (place, (method, option)) in [("rankswap", "p"), ("microagg", "k")]
        .into_iter()
        .enumerate()
    {
        let masking = &maskings[place];
        assert_eq!(masking["found"], json!(true), "{masking}");
        let chosen = &masking["chosen"];
        let (risk, loss) = evaluated(method, option, &chosen["parameters"][option]);
        assert!(risk <= 0.2, "{method}: {risk}");
        let said = chosen["strongest"]["interval"][1].as_f64().unwrap();
        assert!((said - risk).abs() < 1e-6, "{method}: {said} {risk}");
        assert!((chosen["loss"].as_f64().unwrap() - loss).abs() < 1e-12);
        if loss < least.0 {
            least = (loss, place);
        }
        // The next weaker value that was tried is near by, and above the limit.
        let value = |visit: &Value| visit["value"].as_f64().unwrap();
        let found = value(chosen);
        let tried = masking["tried"].as_array().unwrap();
        let weaker = tried.iter().filter(|visit| value(visit) < found);
        let next = weaker.max_by(|a, b| value(a).total_cmp(&value(b))).unwrap();
        let gap = found - value(next);
        assert!(gap <= f64::max(1.0, 0.015 * found), "{method}: {gap}");
        let below = next["strongest"]["interval"][1].as_f64().unwrap() <= 0.2;
        assert!(!below, "{method}: {next}");
    }
    // Noise that hardly changes anything is no answer.
    assert_eq!(maskings[2]["found"], json!(false));
    assert_eq!(maskings[2]["tried"].as_array().unwrap().len(), 1);
    assert_eq!(report["best"][0]["masking"], json!(least.1));
    // The command that is printed masks the file.
    let command = report["best"][0]["command"].as_str().unwrap();
    sandbox
        .run(command.strip_prefix("sdcrisk ").unwrap())
        .ended(0);
    assert!(sandbox.path("masked.csv").is_file());
}

#[test]
fn a_search_that_was_stopped_gives_the_same_answer() {
    let whole = with_plan(PLAN);
    let call = "search plan.toml --risk-at-most 20% --into out --format json";
    let expected = whole.run(call).ended(0).stdout;
    let journal = whole.text("out/journal.jsonl");
    let lines: Vec<&str> = journal.lines().collect();
    assert!(lines.len() > 12, "{}", lines.len());
    for kept in [1, 4, lines.len() - 3] {
        let sandbox = with_plan(PLAN);
        std::fs::create_dir(sandbox.path("out")).unwrap();
        let torn = lines[..kept].join("\n") + "\n" + &lines[kept][..20];
        sandbox.write("out/journal.jsonl", torn);
        assert_eq!(sandbox.run(call).ended(0).stdout, expected, "{kept}");
        assert_eq!(sandbox.text("out/journal.jsonl"), journal);
    }
    // Another limit is another search.
    let other = call.replace("20%", "30%");
    whole.run(&other).ended(2);
    for threads in [1, 4] {
        let sandbox = with_plan(PLAN);
        let ran = sandbox.run(&format!("{call} --threads {threads}")).ended(0);
        assert_eq!(ran.stdout, expected);
    }
}

/// One masked file a setting is what a plan may ask for; five are made where it asks for none.
#[test]
fn the_repeats_of_the_plan_hold() {
    let run = |plan: &str| {
        let call = "search plan.toml --risk-at-most 99% --format json";
        with_plan(plan).run(call).ended(0).json()
    };
    let mask = "[[mask]]\nmethod = \"rankswap\"\np = { from = 40, to = 50 }\n";
    let head = "original = \"amounts.csv\"\nknown = \"first:1\"\nseed = 1\nattacks = [\"am\"]\n";
    for (repeats, runs) in [("repeats = 1\n", 1), ("repeats = 2\n", 2), ("", 5)] {
        let report = run(&format!("{head}{repeats}{mask}"));
        assert_eq!(report["plan"]["repeats"], json!(runs), "{repeats}");
        assert_eq!(report["maskings"][0]["chosen"]["runs"], json!(runs));
    }
}

#[test]
fn where_nothing_is_below_the_limit_the_exit_status_says_so() {
    let sandbox = with_plan(PLAN);
    let ran = sandbox.run("search plan.toml --risk-at-most 0%").ended(10);
    assert!(
        ran.text()
            .contains("No masking of the plan stays below the limit")
    );
    assert!(ran.text().contains("above"));
}

#[test]
fn ranges_that_make_no_sense_are_refused() {
    let sandbox = with_plan(PLAN);
    let ran = sandbox.run("evaluate plan.toml").ended(3);
    assert!(ran.stderr.contains("p is a range"), "{}", ran.stderr);
    for (range, what) in [
        ("{ from = 9, to = 3 }", "from must be less than to"),
        ("{ from = 9 }", "two numbers"),
        ("{ from = 1, to = 9, by = 2 }", "no key \"by\""),
        ("{ from = 1, to = 900 }", "p"),
    ] {
        let sandbox = with_plan(&PLAN.replace("{ from = 5, to = 90 }", range));
        let ran = sandbox.run("search plan.toml --risk-at-most 5%").ended(3);
        assert!(ran.stderr.contains(what), "{}", ran.stderr);
        assert!(ran.stderr.contains("plan.toml"), "{}", ran.stderr);
    }
}
