//! `evaluate`: a grid says what single calls say, whoever runs it, however often it is killed.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A file of amounts: each attribute grows with the first, with noise of its own and some ties.
fn amounts(records: u64, attributes: u64) -> String {
    let mut state = 12_345_u64;
    let mut draw = |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let names: Vec<String> = (1..=attributes).map(|k| format!("a{k}")).collect();
    let mut text = names.join(",") + "\n";
    for record in 0..records {
        let cells: Vec<String> = (0..attributes)
            .map(|k| (record * (k + 1) + draw(40 + 10 * k)).to_string())
            .collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

fn with_plan(records: u64, plan: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("census.csv", amounts(records, 13));
    sandbox.write("plan.toml", plan);
    sandbox
}

/// The plan of the contract, word by word.
const CONTRACT: &str = r#"
original = "census.csv"
attributes = "1-13"
known = "sweep:7"
repeats = 5                              # masked files per setting, each with its own seed
attacks = ["rsld", "am", "prl"]
losses = ["il", "pil", "sse_sst"]
[[mask]]
method = "rankswap"
p = [2, 4, 6, 8, 10]
[[mask]]
method = "microagg"
k = [3, 5, 10]
"#;

#[test]
fn the_plan_of_the_contract_works_as_printed() {
    let sandbox = with_plan(50, CONTRACT);
    let ran = sandbox.run("evaluate plan.toml --format json").ended(0);
    let report = ran.json();
    assert_eq!(report["schema"], json!("sdcrisk.evaluate/1"));
    // Rank swapping draws: five files a setting; microaggregation does not.
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5 * 5 + 3);
    assert_eq!(report["settings"].as_array().unwrap().len(), 8);
    let first = &rows[0];
    assert_eq!(first["method"], json!("rankswap"));
    assert_eq!(first["parameters"], json!({"p": 2}));
    for key in ["il", "dr", "score"] {
        assert!(first[key].is_number(), "{key}: {first}");
    }
    // DR = 0.166 (RSLD + DLD + PLD) + 0.5 ID.
    let rate = |name: usize| first["attacks"][name]["rate"].as_f64().unwrap();
    let interval = first["risks"]["interval_disclosure_rank"].as_f64().unwrap();
    let dr = 0.166 * (rate(0) + rate(1) + rate(2)) + 0.5 * interval;
    assert!((first["dr"].as_f64().unwrap() - dr).abs() < 1e-12);
    assert_eq!(first["attacks"][0]["cases"], json!(7));
    // The attack on rank swapping does not apply to the others, which have no DR for that reason.
    let last = &rows[27];
    assert_eq!(last["parameters"], json!({"k": 10}));
    assert_eq!(
        (&last["dr"], &last["attacks"][0]["rate"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(last["attacks"][0]["status"], json!("not run"));
    assert!(
        ran.stderr
            .contains("rsld is not run on 3 of 28 masked files"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_row_is_what_single_calls_give() {
    let plan = r#"
original = "census.csv"
attributes = "1-6"
known = "sweep:3"
repeats = 2
seed = 7
attacks = [
  "rsld",
  "am",
  { method = "prl", name = "pld", agree = "sd:0.2", fit = "known", assign = "one-to-one" },
]
losses = ["il", "pil", "sse_sst", "mlodak"]
[[mask]]
method = "rankswap"
p = [4, 10]
partner = "skip"
"#;
    let sandbox = with_plan(80, plan);
    let report = sandbox
        .run("evaluate plan.toml --format json")
        .ended(0)
        .json();
    for (row, p, seed) in [(0, 4, 7), (1, 4, 8), (2, 10, 7), (3, 10, 8)] {
        let row = &report["rows"][row];
        assert_eq!(
            (&row["parameters"]["p"], &row["seed"]),
            (&json!(p), &json!(seed))
        );
        sandbox
            .run(&format!(
                "mask rankswap --p {p} --partner skip --attributes 1-6 --seed {seed} --statement m.json -o m.csv census.csv"
            ))
            .ended(0);
        let known = "--attributes 1-6 --known sweep:3 --format json census.csv m.csv";
        for (attack, options) in [
            "--method rsld --statement m.json",
            "--method am",
            "--method prl --agree sd:0.2 --fit known --assign one-to-one",
        ]
        .into_iter()
        .enumerate()
        {
            let link = sandbox
                .run(&format!("link {options} {known}"))
                .ended(0)
                .json();
            let found = &row["attacks"][attack];
            assert_eq!(found["rate"], link["means"][0]["rate"], "{options}");
            for (case, result) in link["results"].as_array().unwrap().iter().enumerate() {
                for key in ["known", "records", "rate", "certain", "certain_correct"] {
                    assert_eq!(found["by_case"][case][key], result[key], "{options}: {key}");
                }
                for (key, part) in [("extremes_rate", "extremes"), ("far_rate", "far")] {
                    let found = found["by_case"][case][key].as_f64();
                    assert_eq!(found, result["beyond"][part]["rate"].as_f64(), "{options}");
                    assert!(found.is_some(), "{key}");
                }
            }
        }
        let loss = sandbox
            .run("loss --attributes 1-6 --format json census.csv m.csv")
            .ended(0)
            .json();
        for key in ["il", "pil", "sse_sst", "mlodak"] {
            assert_eq!(row["losses"][key], loss["measures"][key], "{key}");
        }
    }
}

/// Told a window that is not the masking's, the involution finds that its assumption fails: in the row, in CSV, and in a note that counts
/// the masked files. Told the right one it says nothing. Means among extremes are means over the cases and the masked files.
#[test]
fn rows_say_what_attacks_assume_and_what_the_mean_hides() {
    let plan = r#"
original = "census.csv"
attributes = "1-6"
known = ["first:4"]
repeats = 2
seed = 7
attacks = [{ method = "involution", name = "wrong", window = 2 }, "involution"]
[[mask]]
method = "rankswap"
p = 10
"#;
    let sandbox = with_plan(80, plan);
    let report = sandbox
        .run("evaluate plan.toml --format json --into out")
        .ended(0)
        .json();
    let mut extremes = 0.0;
    for row in report["rows"].as_array().unwrap() {
        let [wrong, right] = [0, 1].map(|attack| &row["attacks"][attack]);
        let caveat = wrong["caveats"][0].as_str().unwrap();
        assert!(
            caveat.starts_with("the assumption does not hold: "),
            "{caveat}"
        );
        assert!(right["caveats"].is_null(), "{right}");
        assert_eq!(right["extremes_rate"], right["by_case"][0]["extremes_rate"]);
        extremes += right["extremes_rate"].as_f64().unwrap() / 2.0;
    }
    let measures = &report["settings"][0]["measures"];
    let mean = measures["extremes:involution"]["mean"].as_f64().unwrap();
    assert!((mean - extremes).abs() < 1e-15, "{mean} {extremes}");
    assert!(measures["far:involution"]["mean"].is_number());
    let csv = sandbox.text("out/rows.csv");
    let header = csv.lines().next().unwrap();
    assert!(
        header.ends_with(
            "attack:involution,certain:involution,extremes:involution,far:involution,status:involution,caveats:involution"
        ),
        "{header}"
    );
    assert_eq!(csv.matches("the assumption does not hold").count(), 2);
    let text = sandbox.run("evaluate plan.toml --into out").ended(0).text();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("note: wrong: in 2 of 2 masked files"),
        "{text}"
    );
    assert!(text.contains("extremes:involution"), "{text}");
}

/// Long enough to be killed in, short enough to wait for.
const GRID: &str = r#"
original = "census.csv"
attributes = "1-6"
known = "sweep:4"
repeats = 6
seed = 3
attacks = ["rsld", "am", "prl"]
losses = ["il"]
[[mask]]
method = "rankswap"
p = [2, 4, 6, 8, 10, 12]
[[mask]]
method = "noise"
level = [0.1, 0.3]
"#;

#[test]
fn the_number_of_threads_changes_no_result() {
    let sandbox = with_plan(60, GRID);
    for threads in [1, 2] {
        sandbox
            .run(&format!(
                "evaluate plan.toml --into by{threads} --threads {threads} -o out{threads}.txt"
            ))
            .ended(0);
    }
    // The words of the call that change no result are in none.
    for file in OUTPUTS {
        assert!(
            sandbox.read(&format!("by1/{file}")) == sandbox.read(&format!("by2/{file}")),
            "{file}"
        );
    }
    assert_eq!(sandbox.text("out1.txt"), sandbox.text("out2.txt"));
}

/// All that is in the folder of `--into`.
const OUTPUTS: [&str; 5] = [
    "journal.jsonl",
    "map.svg",
    "report.html",
    "results.json",
    "rows.csv",
];

/// Waits until so many lines are journaled, or the run has ended.
fn wait_for_lines(sandbox: &Sandbox, child: &mut Child, wanted: usize) {
    let begun = Instant::now();
    while journaled(sandbox) < wanted && child.try_wait().unwrap().is_none() {
        assert!(
            begun.elapsed() < Duration::from_secs(300),
            "nothing is journaled"
        );
        thread::sleep(Duration::from_millis(1));
    }
}

/// The number of lines of the journal that are on the disk.
fn journaled(sandbox: &Sandbox) -> usize {
    fs::read(sandbox.path("out/journal.jsonl")).map_or(0, |bytes| {
        bytes.iter().filter(|&&byte| byte == b'\n').count()
    })
}

#[test]
fn a_run_killed_ten_times_gives_the_very_same_files() {
    let call = "evaluate plan.toml --into out --threads 2 -q -o report.txt";
    let undisturbed = with_plan(60, GRID);
    undisturbed.run(call).ended(0);
    let killed = with_plan(60, GRID);
    let mut torn_while_running = 0;
    // Killed as soon as so many more lines are in the journal; 0 kills while files are read and options checked.
    for more in [0, 1, 2, 0, 3, 1, 5, 4, 2, 6] {
        let wanted = journaled(&killed) + more;
        let mut child = killed
            .command(call)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for_lines(&killed, &mut child, wanted);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        torn_while_running += usize::from(status.code().is_none());
    }
    assert!(
        torn_while_running >= 5,
        "only {torn_while_running} runs were killed before their end"
    );
    let ran = killed.run(call).ended(0);
    assert_eq!(ran.stderr, "");
    let names = |sandbox: &Sandbox| -> Vec<String> {
        let entries = fs::read_dir(sandbox.path("out")).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            // What a kill can leave beside whole files.
            .filter(|name| !name.ends_with(".partial"))
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&undisturbed), OUTPUTS);
    assert_eq!(names(&undisturbed), names(&killed));
    for name in names(&undisturbed) {
        let file = format!("out/{name}");
        assert!(
            undisturbed.read(&file) == killed.read(&file),
            "{name} differs"
        );
    }
    assert_eq!(undisturbed.text("report.txt"), killed.text("report.txt"));
}

#[test]
fn a_run_that_is_stopped_says_how_to_continue() {
    let call = "evaluate plan.toml --into out --threads 1";
    let sandbox = with_plan(60, GRID);
    let mut child = sandbox
        .command(call)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_lines(&sandbox, &mut child, 3);
    sandbox.shell(&format!("kill -INT {}", child.id())).ended(0);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    // Either it was stopped and says so, or it was quicker than the signal.
    match output.status.code() {
        Some(130) => assert!(said.contains("the same call continues"), "{said}"),
        status => assert_eq!(status, Some(0), "{said}"),
    }
    assert!(journaled(&sandbox) >= 3);
    sandbox.run(call).ended(0);
    assert_eq!(journaled(&sandbox), 1 + 48);
}

const SMALL: &str = r#"
original = "census.csv"
attributes = "1-4"
repeats = 3
attacks = ["am"]
[[mask]]
method = "rankswap"
p = [5, 20]
"#;

#[test]
fn a_torn_line_is_done_again_and_a_broken_one_is_refused() {
    let sandbox = with_plan(50, SMALL);
    let call = "evaluate plan.toml --into out -q";
    sandbox.run(call).ended(0);
    let whole = sandbox.listing();
    let journal = sandbox.text("out/journal.jsonl");
    assert_eq!(journal.lines().count(), 1 + 6);
    // The seed was drawn, and must be the same one again, or the rows would differ.
    for torn in [
        journal.len() - 1,
        journal.len() - 40,
        journal.len() * 2 / 3,
        journal.find('\n').unwrap() + 1,
    ] {
        sandbox.write("out/journal.jsonl", &journal[..torn]);
        sandbox.run(call).ended(0);
        assert!(sandbox.listing() == whole, "torn at {torn}");
    }
    let broken = journal.replacen("\"cell\":2", "\"cell\":!", 1);
    sandbox.write("out/journal.jsonl", &broken);
    let ran = sandbox.run(call).ended(3);
    assert!(
        ran.stderr
            .contains("out/journal.jsonl, line 4: is not a journal"),
        "{}",
        ran.stderr
    );
    assert_eq!(sandbox.text("out/journal.jsonl"), broken);
}

/// What a kill leaves after the last cell: lines in the order of the threads, and none, some or all of the outputs of this run.
#[test]
fn a_run_killed_while_it_writes_its_outputs_gives_the_very_same_files() {
    let sandbox = with_plan(50, SMALL);
    let call = "evaluate plan.toml --into out -q";
    sandbox.run(call).ended(0);
    let whole = sandbox.listing();
    let journal = sandbox.text("out/journal.jsonl");
    let (header, rows) = journal.split_once('\n').unwrap();
    let backwards: Vec<&str> = rows.lines().rev().collect();
    // The order in which they appear.
    let outputs = ["rows.csv", "results.json", "report.html", "map.svg"];
    for kept in 0..=outputs.len() {
        if kept == 0 {
            sandbox.write(
                "out/journal.jsonl",
                format!("{header}\n{}\n", backwards.join("\n")),
            );
        }
        for lost in &outputs[kept..] {
            fs::remove_file(sandbox.path(&format!("out/{lost}"))).unwrap();
        }
        sandbox.run(call).ended(0);
        assert!(sandbox.listing() == whole, "{kept} of the outputs");
    }
}

#[test]
fn two_runs_do_not_share_a_journal() {
    let sandbox = with_plan(60, GRID);
    let call = "evaluate plan.toml --into out -q -o report.txt --threads 1";
    let refused = |ran: crate::sandbox::Ran| {
        let ran = ran.ended(2);
        assert!(
            ran.stderr.contains("another run is writing this journal"),
            "{}",
            ran.stderr
        );
    };
    let mut first = sandbox.command(call).stdout(Stdio::null()).spawn().unwrap();
    wait_for_lines(&sandbox, &mut first, 2);
    let second = sandbox.run(call);
    // Either the first still ran, or it was quicker than the start of another.
    if second.status != Some(0) {
        refused(second);
    }
    assert!(first.wait().unwrap().success());
    let undisturbed = with_plan(60, GRID);
    undisturbed.run(call).ended(0);
    for file in OUTPUTS {
        let file = format!("out/{file}");
        assert!(sandbox.read(&file) == undisturbed.read(&file), "{file}");
    }

    // Somebody who holds it for sure.
    let whole = sandbox.listing();
    let journal = fs::File::open(sandbox.path("out/journal.jsonl")).unwrap();
    fs4::FileExt::lock(&journal).unwrap();
    refused(sandbox.run(call));
    assert!(sandbox.listing() == whole);
    drop(journal);
    sandbox.run(call).ended(0);
    assert!(sandbox.listing() == whole);
}

#[test]
fn nothing_else_is_taken_for_the_journal() {
    let sandbox = with_plan(50, SMALL);
    let call = "evaluate plan.toml --into out -q";
    sandbox.run(call).ended(0);
    let before = sandbox.listing();
    let ran = sandbox
        .run(&format!("{call} --format csv -o out/journal.jsonl"))
        .ended(2);
    assert!(ran.stderr.contains("another output"), "{}", ran.stderr);
    assert!(sandbox.listing() == before);

    // One line of somebody else, whose end is no line end.
    sandbox.write("out/journal.jsonl", "{\"day\":1,\"note\":\"mine\"}");
    let ran = sandbox.run(call).ended(3);
    assert!(ran.stderr.contains("is not a journal"), "{}", ran.stderr);
    assert_eq!(
        sandbox.text("out/journal.jsonl"),
        "{\"day\":1,\"note\":\"mine\"}"
    );

    fs::remove_file(sandbox.path("out/journal.jsonl")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", sandbox.path("out/journal.jsonl")).unwrap();
    let ran = sandbox.run(call).ended(2);
    assert!(ran.stderr.contains("leads nowhere"), "{}", ran.stderr);
    assert!(!sandbox.path("elsewhere").exists());
}

#[test]
fn what_tells_seeds_is_private() {
    let sandbox = with_plan(50, SMALL);
    let mode = |name: &str| {
        let metadata = fs::metadata(sandbox.path(name)).unwrap();
        metadata.permissions().mode() & 0o777
    };
    let call = "evaluate plan.toml --into out -q";
    sandbox
        .run(&format!("{call} --format json -o report.json"))
        .ended(0);
    for file in OUTPUTS {
        let expected = match file {
            // As any new file.
            "map.svg" => mode("plan.toml"),
            _ => 0o600,
        };
        assert_eq!(mode(&format!("out/{file}")), expected, "{file}");
    }
    assert_eq!(mode("report.json"), 0o600);
    sandbox.run(&format!("{call} -o report.txt")).ended(0);
    assert_eq!(mode("report.txt"), mode("plan.toml"));
}

#[test]
fn a_drawn_seed_stays_private() {
    let sandbox = with_plan(50, SMALL);
    sandbox.run("evaluate plan.toml --into out -q").ended(0);
    let journal = sandbox.text("out/journal.jsonl");
    let header: Value = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
    let seed = header["seed"].as_u64().unwrap().to_string();
    let mode = fs::metadata(sandbox.path("out/journal.jsonl"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    for file in ["rows.csv", "results.json", "report.html", "map.svg"] {
        assert!(
            !sandbox.text(&format!("out/{file}")).contains(&seed),
            "{file}"
        );
    }
    let results: Value = serde_json::from_slice(&sandbox.read("out/results.json")).unwrap();
    assert_eq!(results["rows"][0]["seed"], Value::Null);
}

#[test]
fn the_journal_of_another_plan_or_file_is_refused() {
    let sandbox = with_plan(50, SMALL);
    let call = "evaluate plan.toml --into out";
    sandbox.run(call).ended(0);
    let refused = |says: &str| {
        let before = sandbox.listing();
        let ran = sandbox.run(call).ended(2);
        assert!(
            ran.stderr.contains(says) && ran.stderr.contains("--into"),
            "{}",
            ran.stderr
        );
        assert!(sandbox.listing() == before);
    };
    sandbox.write("plan.toml", SMALL.replace("[5, 20]", "[5, 10]"));
    refused("is the journal of another plan");
    sandbox.write("plan.toml", SMALL);
    sandbox.write("census.csv", amounts(51, 13));
    refused("is the journal of files that have changed since");
}

#[test]
fn published_figures_stand_beside_measured_ones() {
    let plan = SMALL.replace("repeats = 3", "repeats = 3\nseed = 1")
        + r#"
[[published]]
source = "Somebody 2001"
unit = "percent"
p = [5, 20]
measures = { am = [80, 10], il = [1, 2] }
"#;
    let sandbox = with_plan(50, &plan);
    let report = sandbox
        .run("evaluate plan.toml --format json")
        .ended(0)
        .json();
    for (setting, value) in [(0, 0.8), (1, 0.1)] {
        let setting = &report["settings"][setting];
        let measured = setting["measures"]["attack:am"]["mean"].as_f64().unwrap();
        let published = &setting["published"][0];
        assert_eq!(published["measure"], json!("attack:am"));
        assert_eq!(published["value"], json!(value));
        assert_eq!(published["difference"], json!(measured - value));
        assert_eq!(setting["published"][1]["measure"], json!("il"));
        // Three rates have a mean, and an interval around it.
        let interval = setting["measures"]["attack:am"]["interval"]
            .as_array()
            .unwrap();
        assert!(
            (interval[0].as_f64().unwrap()..=interval[1].as_f64().unwrap()).contains(&measured)
        );
    }
    let text = sandbox.run("evaluate plan.toml").ended(0).text();
    assert!(
        text.contains("published beside measured") && text.contains("Somebody 2001"),
        "{text}"
    );
}

#[test]
fn files_are_found_beside_the_plan_or_where_it_is_said() {
    let sandbox = Sandbox::new();
    for folder in ["plans", "data"] {
        fs::create_dir(sandbox.path(folder)).unwrap();
    }
    sandbox.write(
        "plans/plan.toml",
        SMALL.replace("repeats", "seed = 1\nrepeats"),
    );
    let lost = sandbox.run("evaluate plans/plan.toml").ended(1);
    assert!(lost.stderr.contains("--data"), "{}", lost.stderr);
    sandbox.write("data/census.csv", amounts(50, 13));
    let there = sandbox
        .run("evaluate plans/plan.toml --data data -q")
        .ended(0)
        .text();
    sandbox.write("plans/census.csv", amounts(50, 13));
    assert_eq!(
        sandbox.run("evaluate plans/plan.toml -q").ended(0).text(),
        there
    );

    let two = "attacks = [\"am\"]\nseed = 1\n[[file]]\noriginal = \"census.csv\"\nattributes = \"1-4\"\n\
               [[file]]\noriginal = \"gone.csv\"\n[[mask]]\nmethod = \"rankswap\"\np = 5\n";
    sandbox.write("plans/two.toml", two);
    sandbox.run("evaluate plans/two.toml").ended(1);
    let ran = sandbox
        .run("evaluate plans/two.toml --skip-missing --format json")
        .ended(0);
    assert!(
        ran.stderr.contains("gone.csv is not there"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.json()["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn a_gate_looks_at_the_mean_rates_of_attacks() {
    let sandbox = with_plan(50, &SMALL.replace("repeats = 3", "repeats = 3\nseed = 1"));
    let report = sandbox
        .run("evaluate plan.toml --format json -q")
        .ended(0)
        .json();
    let rate = |setting: usize| {
        let measures = &report["settings"][setting]["measures"];
        measures["attack:am"]["mean"].as_f64().unwrap()
    };
    // Less swapping, more links.
    let (low, high) = (rate(1), rate(0));
    assert!(
        low > 0.0 && low + 0.01 < high && high < 0.99,
        "{low} {high}"
    );
    for (limit, status) in [
        (0.0, 10),
        (low, 10),
        (f64::midpoint(low, high), 10),
        (high - 0.001, 10),
        (high, 0),
        (1.0, 0),
    ] {
        sandbox
            .run(&format!("evaluate plan.toml --fail-above {limit} -q"))
            .ended(status);
    }
}

#[test]
fn a_gate_that_nothing_can_close_is_told() {
    let noise = SMALL
        .replace("\"am\"", "\"rsld\"")
        .replace("\"rankswap\"\np = [5, 20]", "\"noise\"\nlevel = 0.1");
    let sandbox = with_plan(50, &noise);
    sandbox.run("evaluate plan.toml -q").ended(0);
    let ran = sandbox
        .run("evaluate plan.toml --fail-above 5% --into out -q")
        .ended(3);
    assert!(
        ran.stderr.contains("no attack of the plan was run"),
        "{}",
        ran.stderr
    );
    // What was measured is there all the same.
    for file in OUTPUTS {
        assert!(sandbox.path(&format!("out/{file}")).exists(), "{file}");
    }

    // A setting that was attacked, and one that was not.
    let both = format!("{noise}[[mask]]\nmethod = \"rankswap\"\np = 5\n");
    sandbox.write("plan.toml", both);
    let ran = sandbox.run("evaluate plan.toml --fail-above 100%").ended(0);
    assert!(
        ran.stderr.contains("could not look at 1 of 2 settings"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_bundled_plans_are_plans() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/plans");
    let mut plans = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let text = fs::read_to_string(&path).unwrap();
            let name = path.display().to_string();
            let plan = sdcrisk::evaluate::plan::Plan::parse(&name, &text).unwrap();
            assert!(!plan.masks.is_empty() && text.starts_with("# "), "{name}");
            plans += 1;
        }
    }
    assert_eq!(plans, 6);
}

/// Recoding loses nothing of the numbers that it leaves; it is not the best of all maskings for it. Its losses stay what `loss` says,
/// but it has no IL and no score, and no place on the map. With the loss `changed` all settings have one.
#[test]
fn recoding_is_not_free() {
    let plan = r#"
original = "people.csv"
known = "first:2"
attacks = ["am"]
losses = ["il", "changed"]
risks = ["interval_disclosure_rank"]
[[mask]]
method = "recode"
rules = "rules.toml"
[[mask]]
method = "microagg"
k = 3
attributes = "income,tax"
"#;
    let rules = "[age]\nbreaks = [30, 60]\n";
    let sandbox = Sandbox::new();
    let people = sandbox.run("demo --data").ended(0).text();
    let first: Vec<&str> = people.lines().take(41).collect();
    sandbox.write("people.csv", first.join("\n") + "\n");
    sandbox.write("rules.toml", rules);
    sandbox.write("plan.toml", plan);
    let ran = sandbox.run("evaluate --format json plan.toml");
    let report: Value = ran.ended(0).json();
    let (rows, settings) = (&report["rows"], &report["settings"]);
    assert_eq!(rows[0]["not_in_il"], json!(["age"]));
    assert_eq!(rows[0]["losses"]["il"], json!(0.0));
    assert!(rows[0]["il"].is_null() && rows[0]["score_2001"].is_null());
    assert!(rows[1]["il"].as_f64() > Some(0.0) && rows[1].get("not_in_il").is_none());
    assert_eq!(report["axes"]["loss"], json!("il"));
    assert_eq!(settings[0]["pareto"], json!(false));
    assert_eq!(settings[1]["pareto"], json!(true));
    // Of recoding alone the loss is one that sees it.
    let alone = &plan[..plan.rfind("[[mask]]").unwrap()];
    sandbox.write("alone.toml", alone);
    let report: Value = sandbox
        .run("evaluate --format json alone.toml")
        .ended(0)
        .json();
    assert_eq!(report["axes"]["loss"], json!("loss:changed"));
    assert_eq!(report["settings"][0]["pareto"], json!(true));
}
