//! `--shard` and `merge`: several machines find, or mask, what one run does, byte for byte.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};

use crate::sandbox::{PROGRAM, Ran, Sandbox};

/// Two originals: one with semicolons, decimal commas, gaps, ties and categories, and a constant attribute.
fn originals(sandbox: &Sandbox) {
    let mut people = String::from("age;income;tax;town;flag\n");
    let mut firms = String::from("staff,sales,costs\n");
    for record in 0..40_u32 {
        let mixed = record * 37 % 41;
        let tax = match mixed % 9 {
            0 => String::new(),
            tax => format!("{tax},{}", mixed % 4),
        };
        let town = ["Nyon", "Sion", "Thun"][mixed as usize % 3];
        people += &format!(
            "{};{},5;{tax};{town};7\n",
            20 + mixed,
            900 + 10 * (mixed / 2)
        );
        firms += &format!("{},{},{}\n", 1 + mixed / 3, 50 * mixed + record, 40 * mixed);
    }
    sandbox.write("people.csv", people);
    sandbox.write("firms.csv", firms);
}

/// Settings that draw and one that does not, an attack that does not apply to all, published figures, records that are drawn.
const PLAN: &str = r#"
title = "two files"
repeats = 3
seed = 11
known-records = 30
attacks = ["am", { method = "prl", assign = "one-to-one" }, "rsld"]
losses = ["il", "changed"]
risks = ["interval_disclosure_rank"]
[[file]]
original = "people.csv"
attributes = "age,income,tax"
known = ["age,income", "sweep:1"]
[[file]]
original = "firms.csv"
records = 30
[[mask]]
method = "rankswap"
p = [10, 30]
[[mask]]
method = "microagg"
k = 3
[[mask]]
method = "noise"
level = 0.2
[[published]]
source = "a table"
method = "rankswap"
p = 10
measures = { rsld = 0.4, il = 0.1 }
"#;

fn with_plan(plan: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    originals(&sandbox);
    sandbox.write("plan.toml", plan);
    sandbox
}

/// Writes all parts of a plan, `pI-N.json` each, and returns their names in an order that is not theirs.
fn parts(sandbox: &Sandbox, of: usize) -> Vec<String> {
    parts_of(sandbox, "evaluate plan.toml", 'p', of)
}

/// Writes all parts of a call, files that begin with a letter of their own, and returns their names in an order that is not theirs.
fn parts_of(sandbox: &Sandbox, call: &str, letter: char, of: usize) -> Vec<String> {
    let names = (1..=of).map(|number| {
        let name = format!("{letter}{number}-{of}.json");
        let threads = 1 + number % 2;
        let call = format!("{call} --shard {number}/{of} --threads {threads} -q -o {name}");
        sandbox.run(&call).ended(0);
        name
    });
    let mut names: Vec<String> = names.collect();
    names.rotate_left(of / 2);
    names.reverse();
    names
}

fn part(sandbox: &Sandbox, name: &str) -> Value {
    serde_json::from_slice(&sandbox.read(name)).unwrap()
}

/// These parts make the report of one run in each form, and every file of its folder `once`, byte for byte.
fn assert_merged_as_once<'a>(
    sandbox: &Sandbox,
    names: &str,
    of: usize,
    forms: impl Iterator<Item = (&'a str, &'a Ran)>,
) {
    for (form, once) in forms {
        let merged = sandbox.run(&format!("merge {names}{form}")).ended(0);
        assert!(merged.stdout == once.stdout, "{of} parts{form}");
    }
    let into = format!("into{of}");
    sandbox
        .run(&format!("merge {names} --into {into} -q"))
        .ended(0);
    let mut compared = 0;
    for entry in fs::read_dir(sandbox.path("once")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let [once, merged] = ["once", &into].map(|into| sandbox.read(&format!("{into}/{name}")));
        assert!(once == merged, "{name} of {of} parts");
        compared += 1;
    }
    assert_eq!(compared, 6);
}

/// The law: whatever the cut and the order of the parts, the report is that of one run, in every form.
#[test]
fn parts_make_the_report_of_one_run_byte_for_byte() {
    let sandbox = with_plan(PLAN);
    let forms = ["", " --format text", " --format json", " --format csv"];
    let once = forms.map(|form| sandbox.run(&format!("evaluate plan.toml{form}")).ended(0));
    let rows = once[2].json()["rows"].clone();
    // Two originals, of each three settings that draw three times and one that does not.
    assert_eq!(rows.as_array().unwrap().len(), 20);
    sandbox.run("evaluate plan.toml --into once -q").ended(0);
    for of in [1, 2, 3, 7] {
        let names = parts(&sandbox, of).join(" ");
        assert_merged_as_once(&sandbox, &names, of, forms.into_iter().zip(&once));
        // Each part has the masked files of its number, as one run found them.
        for number in 1..=of {
            let part = part(&sandbox, &format!("p{number}-{of}.json"));
            let own = (0..20).filter(|cell| cell % of == number - 1);
            let own: Vec<Value> = own
                .map(|cell| json!({ "cell": cell, "row": rows[cell] }))
                .collect();
            assert_eq!(
                part["work"]["evaluate"]["rows"],
                json!(own),
                "{number} of {of}"
            );
        }
    }
}

/// More machines than masked files: some have nothing to do.
#[test]
fn a_part_can_be_empty() {
    let sandbox = with_plan(
        "original = \"firms.csv\"\nseed = 1\nlosses = [\"il\"]\n[[mask]]\nmethod = \"microagg\"\nk = [2, 3]\n",
    );
    let names = parts(&sandbox, 3);
    assert_eq!(
        part(&sandbox, "p3-3.json")["work"]["evaluate"]["rows"],
        json!([])
    );
    let once = sandbox.run("evaluate plan.toml").ended(0);
    let merged = sandbox.run(&format!("merge {}", names.join(" "))).ended(0);
    assert_eq!(merged.text(), once.text());
}

const SMALL: &str = "original = \"firms.csv\"\nseed = 5\nrepeats = 4\nattacks = [\"am\"]\n[[mask]]\nmethod = \"rankswap\"\np = 20\n";

/// What does not belong together is refused, and the message names the file, the part, or what differs.
#[test]
fn parts_that_make_no_whole_are_refused_by_name() {
    let sandbox = with_plan(SMALL);
    parts(&sandbox, 3);
    let two = "evaluate plan.toml --shard 2/2 -q -o two.json";
    sandbox.run(two).ended(0);
    let words = "evaluate plan.toml --data . --shard 2/3 -q -o words.json";
    sandbox.run(words).ended(0);
    sandbox.write("plan.toml", SMALL.replace("p = 20", "p = 25"));
    let plan = "evaluate plan.toml --shard 2/3 -q -o plan.json";
    sandbox.run(plan).ended(0);
    sandbox.write("plan.toml", SMALL);
    let firms = sandbox.text("firms.csv");
    sandbox.write("firms.csv", firms.replacen("\n1,", "\n2,", 1));
    let files = "evaluate plan.toml --shard 2/3 -q -o files.json";
    sandbox.run(files).ended(0);
    sandbox
        .run("evaluate plan.toml --format json -q -o whole.json")
        .ended(0);
    let second = sandbox.text("p2-3.json");
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let changed = |name: &str, from: &str, to: &str| {
        assert!(second.contains(from), "{from}");
        sandbox.write(name, second.replacen(from, to, 1));
    };
    changed("older.json", &version, "\"version\":\"0.0.1\"");
    changed("newer.json", "sdcrisk.part/3", "sdcrisk.part/4");
    changed("build.json", "sdcrisk.part/3", "sdcrisk.part/2");
    changed("cell.json", "\"cell\":1,", "\"cell\":2,");
    changed("shard.json", "\"2/3\"", "\"1/3\"");
    changed(
        "setting.json",
        "\"row\":{\"setting\":0",
        "\"row\":{\"setting\":9",
    );
    sandbox.write("torn.json", &second[..second.len() / 2]);
    let refused = |parts: &str, says: &str| {
        let ran = sandbox.run(&format!("merge {parts} -o out.txt")).ended(3);
        assert!(ran.stderr.contains(says), "{parts}: {}", ran.stderr);
        assert!(!sandbox.path("out.txt").exists());
    };
    let others = "p1-3.json p3-3.json";
    refused(others, "part 2/3 is missing");
    refused("p2-3.json", "parts 1/3, 3/3 are missing");
    refused(
        &format!("{others} p2-3.json p2-3.json"),
        "p2-3.json: is part 2/3, as p2-3.json is",
    );
    for (name, says) in [
        (
            "two.json",
            "two.json: is one of 2 parts, and of another cut than p1-3.json",
        ),
        (
            "words.json",
            "words.json: is a part of another call than p1-3.json",
        ),
        (
            "plan.json",
            "plan.json: was made of another plan.toml than p1-3.json",
        ),
        (
            "files.json",
            "files.json: was made of another firms.csv than p1-3.json",
        ),
        (
            "whole.json",
            "whole.json: is sdcrisk.evaluate/1, and no part",
        ),
        (
            "older.json",
            "older.json: was made by version 0.0.1 of the program",
        ),
        (
            "newer.json",
            "newer.json: is sdcrisk.part/4, and this build of the program reads sdcrisk.part/3",
        ),
        // A part of an earlier build of the same version.
        (
            "build.json",
            "build.json: is sdcrisk.part/2, and this build of the program reads sdcrisk.part/3",
        ),
        ("cell.json", "cell.json: is damaged"),
        ("shard.json", "shard.json: is damaged"),
        ("setting.json", "setting.json: is damaged"),
        ("torn.json", "torn.json: is no part of sdcrisk"),
        ("firms.csv", "firms.csv: is no part of sdcrisk"),
    ] {
        refused(&format!("{others} {name}"), says);
    }
    sandbox
        .run(&format!("merge {others} p2-3.json -q -o out.txt"))
        .ended(0);
    // No part is written over.
    let over = sandbox
        .run(&format!("merge {others} p2-3.json -o p1-3.json"))
        .ended(2);
    assert!(over.stderr.contains("p1-3.json"), "{}", over.stderr);
}

#[test]
fn a_plan_without_a_seed_and_a_form_of_a_part_make_no_sense() {
    let sandbox = with_plan(&SMALL.replace("seed = 5\n", ""));
    let ran = sandbox.run("evaluate plan.toml --shard 1/2").ended(2);
    assert!(
        ran.stderr.contains("plan.toml: states no seed") && ran.stderr.contains("seed = 1"),
        "{}",
        ran.stderr
    );
    sandbox.write("plan.toml", SMALL);
    for wrong in [
        "--shard 1/2 --format json",
        "--shard 1/2 --fail-above 5%",
        "--shard 3/2",
        "--shard 2",
    ] {
        let ran = sandbox.run(&format!("evaluate plan.toml {wrong}")).ended(2);
        assert!(ran.stderr.contains("--shard"), "{wrong}: {}", ran.stderr);
    }
}

/// A machine that was lost continues its part; the journal of a whole run loses nothing to a part.
#[test]
fn a_part_continues_its_journal() {
    let sandbox = with_plan(PLAN);
    let call = "evaluate plan.toml --shard 2/3 --into own --threads 1 -q";
    let undisturbed = sandbox.run("evaluate plan.toml --shard 2/3 -q").ended(0);
    sandbox.run(call).ended(0);
    let journal = sandbox.text("own/journal.jsonl");
    // Its head and seven masked files. Killed while it wrote the fourth:
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 8);
    let torn = lines[..4].concat() + &lines[4][..20];
    sandbox.write("own/journal.jsonl", torn);
    let ran = sandbox.run(&call.replace(" -q", "")).ended(0);
    assert!(
        ran.stderr
            .contains("3 of 7 masked files are in the journal"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.text(), undisturbed.text());
    // The whole is not there yet.
    assert!(!sandbox.path("own/results.json").exists());
    // Of a folder with everything, a part is taken without any work, and nothing in it changes.
    sandbox.run("evaluate plan.toml --into all -q").ended(0);
    let before = sandbox.read("all/journal.jsonl");
    let taken = sandbox
        .run("evaluate plan.toml --shard 2/3 --into all")
        .ended(0);
    assert!(
        taken.stderr.contains("7 of 7 masked files"),
        "{}",
        taken.stderr
    );
    assert_eq!(taken.text(), undisturbed.text());
    assert!(sandbox.read("all/journal.jsonl") == before);
}

/// A part holds seeds; the gate is where the means are.
#[test]
fn a_part_is_private_and_the_merged_report_has_the_gate() {
    let sandbox = with_plan(SMALL);
    let names = parts(&sandbox, 2).join(" ");
    let mode = fs::metadata(sandbox.path("p1-2.json"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(format!("{:o}", mode & 0o777), "600");
    for (limit, status) in [("0%", 10), ("100%", 0)] {
        sandbox
            .run(&format!("merge {names} --fail-above {limit} -q"))
            .ended(status);
        sandbox
            .run(&format!("evaluate plan.toml --fail-above {limit} -q"))
            .ended(status);
    }
    // Standard input is a part, too.
    let first = sandbox.read("p1-2.json");
    let piped = sandbox.run_with("merge - p2-2.json", &first).ended(0);
    assert_eq!(
        piped.text(),
        sandbox.run("evaluate plan.toml").ended(0).text()
    );
}

/// Masks people by ranks within a window, and drops and moves some records, so that some seekers have no partner.
fn masked(sandbox: &Sandbox) {
    originals(sandbox);
    let people = sandbox.text("people.csv");
    let mut lines = people.lines();
    let names = lines.next().unwrap();
    let mut with_ids = format!("id;{names}\n");
    for (number, line) in lines.enumerate() {
        with_ids += &format!("{};{line}\n", 100 + number);
    }
    sandbox.write("ids.csv", &with_ids);
    sandbox.write("roles.toml", "identifier = [\"id\"]\n");
    let mask = "mask rankswap --p 20 --seed 3 --attributes age,income,tax --keep-identifiers --roles roles.toml --statement s.json -q -o all.csv ids.csv";
    sandbox.run(mask).ended(0);
    let all = sandbox.text("all.csv");
    let mut lines: Vec<&str> = all.lines().collect();
    lines.remove(5);
    lines.swap(2, 30);
    let stranger = lines[9].replacen("108;", "999;", 1);
    lines[9] = &stranger;
    sandbox.write("masked.csv", lines.join("\n") + "\n");
}

/// Weights that some of the people were linked by.
fn learned(sandbox: &Sandbox) {
    let learn = "link --method wm --known age,income --train-records 10 --seed 1 --weights w.json -q -o learned.txt";
    sandbox.run(&format!("{learn} {FILES}")).ended(0);
}

const FILES: &str = "--id id --roles roles.toml ids.csv masked.csv";

/// The law, for attacks: seekers judged on several machines make the report of one run, in every form.
#[test]
fn seekers_in_parts_make_the_report_of_one_run_byte_for_byte() {
    let sandbox = Sandbox::new();
    masked(&sandbox);
    learned(&sandbox);
    let ways = [
        "--method am,md0,gower,dbrl2,md --known age,income,tax",
        "--method gower,kernel --known age,income,town --direction masked-to-original",
        "--method rsld,am --p 20 --known sweep:2 --attributes age,income,tax --ties strict",
        "--method rsld,am,kernel --p 20 --known age,income,tax --direction masked-to-original",
        "--method likelihood,rsld --statement s.json --known age,income,tax",
        "--method likelihood --statement s.json --known age,tax --direction masked-to-original",
        "--method microagg --algorithm mdav --group age,income:3 --known age,income",
        "--method am --known random:2x3 --known-records 25 --seed 4 --ties optimistic",
        "--method prl --known age,income,tax,town --agree sd:0.3 --admissible 0.01,0.2",
        "--method prl --fit known --known sweep:2 --attributes income,tax --direction masked-to-original",
        // Without gaps, ties of mapped points are decided without rounding.
        "--method md0,md --known age,income",
        "--method md0 --known age,income,town --direction masked-to-original",
        "--method wm --use-weights w.json --known age,income",
        "--method all --statement s.json --known age,income,tax",
        "--method all --p 20 --known age,town",
        "--method all --p 20 --known age,income,town --assign one-to-one",
        "--method involution,am,likelihood --statement s.json --known sweep:2 --attributes age,income,tax",
        "--method likelihood,prl --statement s.json --known age,tax --assign balanced --posterior sampled --seed 2",
        "--method am,wm --known age,tax --train-records 15 --train-splits 2 --seed 1",
        "--method likelihood,involution --statement s.json --also all.csv --release-id id --known age,income,tax",
        "--method likelihood --statement s.json --also all.csv --release-id id --known age,tax --direction masked-to-original",
    ];
    // Of each way, attacks times sets of known attributes.
    let mut attacks = 0;
    for way in ways {
        let forms = ["", " --format json", " --format csv"];
        let once = forms.map(|form| sandbox.run(&format!("link {way} {FILES}{form}")).ended(0));
        attacks += once[1].json()["results"].as_array().unwrap().len();
        for of in [1, 2, 3, 7] {
            let names = parts_of(&sandbox, &format!("link {way} {FILES}"), 'l', of);
            for (form, once) in forms.iter().zip(&once) {
                let merged = sandbox
                    .run(&format!("merge {}{form}", names.join(" ")))
                    .ended(0);
                assert_eq!(merged.text(), once.text(), "{way}, {of} parts{form}");
            }
        }
    }
    let of_ways = [
        5, 2, 4, 3, 2, 1, 1, 3, 1, 2, 2, 1, 1, 10, 8, 8, 6, 2, 6, 4, 2,
    ];
    assert_eq!(attacks, of_ways.iter().sum::<usize>());
    // Limits, too.
    let names = parts_of(&sandbox, &format!("link {} {FILES}", ways[9]), 'l', 3).join(" ");
    for (limit, status) in [
        ("--fail-above 0% --format csv", 10),
        ("--fail-above 100% --format csv", 0),
        ("--fail-above-extremes 0% --brief", 10),
        ("--fail-above-extremes 100% --format json", 0),
        ("--explain", 0),
    ] {
        let once = sandbox
            .run(&format!("link {} {limit} -q {FILES}", ways[9]))
            .ended(status);
        let merged = sandbox
            .run(&format!("merge {names} {limit} -q"))
            .ended(status);
        assert_eq!(merged.text(), once.text(), "{limit}");
    }
}

/// An attack by a law that holds within strata judges each seeker among those of its own stratum, in parts as in one run.
#[test]
fn seekers_within_strata_make_the_report_of_one_run() {
    let sandbox = Sandbox::new();
    originals(&sandbox);
    let mask = "mask rankswap --p 30 --seed 3 --attributes age,income,tax --strata town --statement s.json -q -o masked.csv people.csv";
    sandbox.run(mask).ended(0);
    let way = "link --method rsld,likelihood --statement s.json --known age,tax,town";
    let files = "people.csv masked.csv";
    let form = "--format json";
    let once = sandbox.run(&format!("{way} {files} {form}")).ended(0);
    for of in [2, 3, 7] {
        let names: Vec<String> = (1..=of)
            .rev()
            .map(|number| format!("{number}.json"))
            .collect();
        for (name, number) in names.iter().rev().zip(1..) {
            let part = format!("{way} --shard {number}/{of} -q -o {name} {files}");
            sandbox.run(&part).ended(0);
        }
        let merged = sandbox.run(&format!("merge {} {form}", names.join(" ")));
        assert_eq!(merged.ended(0).text(), once.text(), "{of}");
    }
    // Of 40 records in three towns nobody is looked for in another town.
    let candidates = |result: &Value| result["candidates_mean"].as_f64();
    let results = once.json()["results"].as_array().unwrap().clone();
    assert_eq!(results.len(), 2);
    assert!(
        results
            .iter()
            .filter_map(candidates)
            .all(|mean| mean > 1.0 && mean < 15.0)
    );
}

/// The law, for measures of risk: each piece is made whole by one part, and parts make the report of one run, in every form.
#[test]
fn measures_of_risk_in_parts_make_the_report_of_one_run_byte_for_byte() {
    let sandbox = Sandbox::new();
    masked(&sandbox);
    let ways = [
        format!("--key age,town --confidential income --l 2 --t 0.2 --k 4 {FILES}"),
        format!("--key age,town,tax --msu-size 2 --suda-scoring subsets --most-at-risk 0 {FILES}"),
        format!("--confidential tax --attributes age,income {FILES}"),
        "--key age,town --weights income --missing-matches missing people.csv".into(),
        "--key town --msu-size 0 --confidential age people.csv".into(),
    ];
    for way in &ways {
        let forms = [
            "",
            " --format json",
            " --format csv",
            " --brief",
            " --explain",
        ];
        let once = forms.map(|form| sandbox.run(&format!("risk {way}{form}")).ended(0));
        let pieces = if way.contains(FILES) { 3 } else { 1 };
        for of in [1, 2, 3, 7] {
            let names = parts_of(&sandbox, &format!("risk {way}"), 'r', of);
            let made = ["released", "compared", "before"].map(|piece| {
                let holds = |name: &&String| !part(&sandbox, name)["work"]["risk"][piece].is_null();
                names.iter().filter(holds).count()
            });
            assert_eq!(made.iter().sum::<usize>(), pieces, "{way}, {of} parts");
            for (form, once) in forms.iter().zip(&once) {
                let merged = sandbox
                    .run(&format!("merge {}{form}", names.join(" ")))
                    .ended(0);
                assert_eq!(merged.text(), once.text(), "{way}, {of} parts{form}");
            }
        }
    }
    let names = parts_of(&sandbox, &format!("risk {}", ways[0]), 'r', 2).join(" ");
    for (limits, status) in [
        ("--fail-above unique=0% --format json", 10),
        (
            "--fail-above unique=100% --fail-above individual_risk_global=100%",
            0,
        ),
    ] {
        let once = sandbox
            .run(&format!("risk {} {limits} -q", ways[0]))
            .ended(status);
        let merged = sandbox
            .run(&format!("merge {names} {limits} -q"))
            .ended(status);
        assert_eq!(merged.text(), once.text(), "{limits}");
    }
}

/// Parts of risk that make no whole are refused, and so is what a part cannot hold.
#[test]
fn parts_of_risk_that_make_no_whole_are_refused() {
    let sandbox = with_plan(SMALL);
    parts_of(&sandbox, "risk --key age,town people.csv", 'r', 2);
    parts_of(&sandbox, "risk --key age people.csv", 'q', 2);
    parts(&sandbox, 1);
    let text = sandbox.text("r1-2.json");
    assert!(text.contains("\"unique\""), "{text}");
    sandbox.write("figure.json", text.replace("\"unique\"", "\"uniqueness\""));
    sandbox.write(
        "number.json",
        sandbox.text("r2-2.json").replace("2/2", "1/2"),
    );
    for (call, status, words) in [
        ("merge r1-2.json", 3, "part 2/2 is missing"),
        ("merge r1-2.json q2-2.json", 3, "part of another call"),
        ("merge figure.json r2-2.json", 3, "figure.json: is damaged"),
        ("merge number.json r2-2.json", 3, "number.json: is damaged"),
        (
            "merge r1-2.json r2-2.json --links l.csv",
            2,
            "--links has no place here",
        ),
        (
            "risk --shard 1/2 --records r.csv people.csv",
            2,
            "--records",
        ),
        (
            "merge p1-1.json --fail-above unique=5%",
            2,
            "takes one rate here",
        ),
        ("merge p1-1.json --brief", 2, "--brief"),
        ("merge p1-1.json --explain", 2, "--explain"),
        (
            "merge p1-1.json --fail-above-extremes 5%",
            2,
            "--fail-above-extremes",
        ),
    ] {
        let ran = sandbox.run(call).ended(status);
        assert!(ran.stderr.contains(words), "{call}: {}", ran.stderr);
    }
}

/// Two originals with five maskings each: whole numbers and others, a list beside a range, several steps, nothing to find, a value that
/// is above the limit; so searches of some rounds and of many stand side by side.
const RANGES: &str = r#"
title = "ranges"
repeats = 3
seed = 11
attacks = ["am", "rsld"]
losses = ["changed"]
[[file]]
original = "people.csv"
attributes = "age,income"
known = ["age,income", "first:1"]
[[file]]
original = "firms.csv"
[[mask]]
method = "rankswap"
p = { from = 10, to = 90 }
[[mask]]
method = "microagg"
k = { from = 2, to = 15 }
algorithm = ["mdav", "pca"]
[[mask]]
method = "noise"
level = 0.001
[[mask]]
name = "both"
[[mask.step]]
method = "microagg"
k = 3
[[mask.step]]
method = "noise"
level = { from = 0.1, to = 3 }
[[published]]
source = "a table"
method = "noise"
level = 0.001
measures = { il = 0.1 }
"#;

const SEARCH: &str = "search plan.toml --risk-at-most 30%";

/// Writes all parts of a search, `sI-N.json` each, and returns their names in an order that is not theirs.
fn parts_of_search(sandbox: &Sandbox, of: usize) -> Vec<String> {
    parts_of(sandbox, SEARCH, 's', of)
}

/// The law, for searches: maskings searched on several machines make the reports of one run, in every form, and its folder.
#[test]
fn searches_in_parts_make_the_report_of_one_run_byte_for_byte() {
    let sandbox = with_plan(RANGES);
    let forms = ["", " --format text", " --format json", " --format csv"];
    let once = forms.map(|form| sandbox.run(&format!("{SEARCH}{form}")).ended(0));
    let maskings = once[2].json()["maskings"].clone();
    let maskings = maskings.as_array().unwrap();
    assert_eq!(maskings.len(), 10);
    // Searches of different lengths are interleaved in one run.
    let lengths: Vec<usize> = (maskings.iter())
        .map(|masking| masking["tried"].as_array().unwrap().len())
        .collect();
    assert!(
        lengths.contains(&1) && lengths.iter().any(|&tried| tried > 4),
        "{lengths:?}"
    );
    sandbox.run(&format!("{SEARCH} --into once -q")).ended(0);
    for of in [1, 2, 3, 7, 12] {
        let names = parts_of_search(&sandbox, of).join(" ");
        assert_merged_as_once(&sandbox, &names, of, forms.into_iter().zip(&once));
        // Each part has the maskings of its number.
        for number in 1..=of {
            let part = part(&sandbox, &format!("s{number}-{of}.json"));
            let own = part["work"]["search"]["maskings"]
                .as_array()
                .unwrap()
                .iter();
            let own: Vec<&Value> = own.map(|masking| &masking["masking"]).collect();
            let expected: Vec<usize> = (0..10).filter(|place| place % of == number - 1).collect();
            assert_eq!(json!(own), json!(expected), "{number} of {of}");
        }
    }
    // What one run left in a folder, and what parts did, continue each other.
    let ran = sandbox.run(&format!("{SEARCH} --into into3")).ended(0);
    assert!(ran.stdout == once[0].stdout);
}

#[test]
fn parts_of_a_search_that_make_no_whole_are_refused_by_name() {
    let sandbox = with_plan(RANGES);
    parts_of_search(&sandbox, 2);
    let made = |call: &str| {
        sandbox.run(&format!("{call} -q")).ended(0);
    };
    made(&format!("{SEARCH} --shard 2/3 -o cut.json"));
    made("search plan.toml --risk-at-most 31% --shard 2/2 -o limit.json");
    made(&format!("{SEARCH} --loss changed --shard 2/2 -o loss.json"));
    sandbox.write("plan.toml", RANGES.replace("to = 90", "to = 80"));
    made(&format!("{SEARCH} --shard 2/2 -o plan.json"));
    sandbox.write("plan.toml", RANGES);
    let firms = sandbox.text("firms.csv");
    sandbox.write("firms.csv", firms.replacen("\n1,", "\n2,", 1));
    made(&format!("{SEARCH} --shard 2/2 -o files.json"));
    sandbox.write("firms.csv", firms);
    let whole = format!("{SEARCH} --format json -q -o whole.json");
    sandbox.run(&whole).ended(0);
    let second = sandbox.text("s2-2.json");
    let changed = |name: &str, from: &str, to: &str| {
        assert!(second.contains(from), "{from}");
        sandbox.write(name, second.replacen(from, to, 1));
    };
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    changed("older.json", &version, "\"version\":\"0.0.1\"");
    changed("shard.json", "\"2/2\"", "\"1/2\"");
    changed("number.json", "\"masking\":1,", "\"masking\":2,");
    changed("original.json", "\"original\":0,", "\"original\":7,");
    changed(
        "setting.json",
        "[{\"setting\":0,\"file\"",
        "[{\"setting\":99,\"file\"",
    );
    changed("found.json", "\"found\":", "\"found\":9");
    changed(
        "command.json",
        "\"command\":\"",
        "\"command\":null,\"other\":\"",
    );
    sandbox.write("torn.json", &second[..second.len() / 2]);
    for (parts, says) in [
        ("s1-2.json", "part 2/2 is missing"),
        (
            "s1-2.json s2-2.json s2-2.json",
            "s2-2.json: is part 2/2, as s2-2.json is",
        ),
        (
            "s1-2.json cut.json",
            "cut.json: is one of 3 parts, and of another cut",
        ),
        (
            "s1-2.json limit.json",
            "limit.json: is a part of another call",
        ),
        (
            "s1-2.json loss.json",
            "loss.json: is a part of another call",
        ),
        (
            "s1-2.json plan.json",
            "plan.json: was made of another plan.toml",
        ),
        (
            "s1-2.json files.json",
            "files.json: was made of another firms.csv",
        ),
        (
            "s1-2.json whole.json",
            "whole.json: is sdcrisk.search/1, and no part",
        ),
        (
            "s1-2.json older.json",
            "older.json: was made by version 0.0.1",
        ),
        ("s1-2.json shard.json", "shard.json: is damaged"),
        ("s1-2.json number.json", "number.json: is damaged"),
        ("s1-2.json original.json", "original.json: is damaged"),
        ("s1-2.json setting.json", "setting.json: is damaged"),
        ("s1-2.json found.json", "found.json: is damaged"),
        ("s1-2.json command.json", "command.json: is damaged"),
        ("s1-2.json torn.json", "torn.json: is no part of sdcrisk"),
    ] {
        let ran = sandbox.run(&format!("merge {parts} -o out.txt")).ended(3);
        assert!(ran.stderr.contains(says), "{parts}: {}", ran.stderr);
        assert!(!sandbox.path("out.txt").exists());
    }
    // A part of a grid is none of a search of the same plan and files.
    let listed = RANGES.replace("{ from = 10, to = 90 }", "10");
    let listed = listed.replace("{ from = 2, to = 15 }", "2");
    sandbox.write("plan.toml", listed.replace("{ from = 0.1, to = 3 }", "1"));
    made("evaluate plan.toml --shard 1/2 -o e1.json");
    made(&format!("{SEARCH} --shard 2/2 -o s2.json"));
    let ran = sandbox.run("merge e1.json s2.json").ended(3);
    let says = "s2.json: is a part of another call than e1.json";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    for option in ["--fail-above 5%", "--brief", "--statement s.json"] {
        let ran = sandbox.run(&format!("merge s1-2.json s2-2.json {option}"));
        let says = "has no place here: these are the parts of a search";
        assert!(ran.ended(2).stderr.contains(says), "{option}");
    }
    sandbox.write("plan.toml", RANGES.replace("seed = 11\n", ""));
    let ran = sandbox.run(&format!("{SEARCH} --shard 1/2")).ended(2);
    assert!(
        ran.stderr.contains("plan.toml: states no seed"),
        "{}",
        ran.stderr
    );
    let ran = sandbox.run(&format!("{SEARCH} --shard 1/2 --format csv"));
    assert!(ran.ended(2).stderr.contains("--shard"));
}

/// The exit status is where the answer is; a part that is private says nothing of it.
#[test]
fn a_search_in_parts_ends_as_one_run_does() {
    let sandbox = with_plan(RANGES);
    let call = SEARCH.replace("30%", "0%");
    let once = sandbox.run(&call).ended(10);
    for number in 1..=2 {
        let part = format!("{call} --shard {number}/2 -q -o p{number}.json");
        sandbox.run(&part).ended(0);
    }
    let mode = fs::metadata(sandbox.path("p1.json")).unwrap();
    assert_eq!(format!("{:o}", mode.permissions().mode() & 0o777), "600");
    let merged = sandbox.run("merge p2.json p1.json").ended(10);
    assert_eq!(merged.text(), once.text());
    // All parts refuse a wrong plan alike, whosever masking is wrong.
    sandbox.write(
        "plan.toml",
        RANGES.replacen("level = 0.001", "level = -1", 1),
    );
    let said = [1, 3].map(|number| {
        let part = format!("{call} --shard {number}/7 -q");
        sandbox.run(&part).ended(3).stderr
    });
    assert!(
        said[0] == said[1] && said[0].contains("plan.toml"),
        "{said:?}"
    );
}

#[test]
fn a_part_of_a_search_continues_its_journal() {
    let sandbox = with_plan(RANGES);
    let call = format!("{SEARCH} --shard 2/3 --into own --threads 1 -q");
    let undisturbed = sandbox.run(&format!("{SEARCH} --shard 2/3 -q")).ended(0);
    sandbox.run(&call).ended(0);
    let journal = sandbox.text("own/journal.jsonl");
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    assert!(lines.len() > 12, "{}", lines.len());
    for kept in [1, 7, lines.len() - 2] {
        let torn = lines[..kept].concat() + &lines[kept][..20];
        sandbox.write("own/journal.jsonl", torn);
        assert_eq!(sandbox.run(&call).ended(0).text(), undisturbed.text());
    }
    assert!(!sandbox.path("own/results.json").exists());
    // Parts number their own masked files: no folder is of two of them, or of a part and the whole.
    for other in ["--shard 1/3", ""] {
        let ran = sandbox
            .run(&format!("{SEARCH} {other} --into own"))
            .ended(2);
        assert!(ran.stderr.contains("of another search"), "{}", ran.stderr);
    }
}

/// A part of attacks says of each seeker what one run says of it: the third of three has seekers 2, 5, 8, ..., and who is linked is in
/// the list of links.
#[test]
fn a_part_of_attacks_has_its_seekers() {
    let sandbox = Sandbox::new();
    masked(&sandbox);
    let call = "link --method am --known age,income,tax -q";
    let part3 = format!("{call} --shard 3/3 -o p.json {FILES}");
    sandbox.run(&part3).ended(0);
    let links = format!("{call} --links links.csv -o r.txt {FILES}");
    sandbox.run(&links).ended(0);
    let links = sandbox.text("links.csv");
    let mut lines = links.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = |name: &str| columns.iter().position(|column| *column == name).unwrap();
    let (distance, tied, rank) = (place("distance"), place("tied"), place("rank_of_true"));
    let part = part(&sandbox, "p.json");
    let found = &part["work"]["link"]["attempts"][0]["made"]["results"][0];
    let seekers = found["findings"]["seekers"].as_array().unwrap();
    // Whether nobody is closer than the partner, who ties at the least distance, and the distance: nothing says who it is.
    let mut counted = Vec::new();
    for alike in seekers {
        let marks = alike[1].as_u64().unwrap();
        // 8: the partner is a candidate; 16: somebody is closer.
        let is_best = marks & 8 > 0 && marks & 16 == 0;
        let fares = (
            is_best,
            alike[5].as_u64().unwrap(),
            alike[4].as_f64().unwrap(),
        );
        let records = alike[0].as_u64().unwrap();
        counted.extend((0..records).map(|_| fares));
    }
    let own = lines.skip(2).step_by(3).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let distance: f64 = cells[distance].parse().unwrap();
        let tied: u64 = cells[tied].parse().unwrap();
        (cells[rank] == "1", tied, distance * distance)
    });
    let mut own: Vec<(bool, u64, f64)> = own.collect();
    let order = |a: &(bool, u64, f64), b: &(bool, u64, f64)| {
        (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2))
    };
    own.sort_by(order);
    counted.sort_by(order);
    assert_eq!((counted.len(), own.len()), (13, 13));
    for (part, line) in counted.iter().zip(&own) {
        assert_eq!((part.0, part.1), (line.0, line.1));
        assert!((part.2 - line.2).abs() < 1e-9 * (1.0 + line.2));
    }
    // Counts that are not those of its records are no part.
    let text = sandbox.text("p.json");
    let first = format!("\"seekers\":[[{},", seekers[0][0]);
    assert!(text.contains(&first));
    for count in [0, 14, u64::MAX] {
        sandbox.write(
            "q.json",
            text.replacen(&first, &format!("\"seekers\":[[{count},"), 1),
        );
        let ran = sandbox.run("merge q.json").ended(3);
        assert!(ran.stderr.contains("q.json: is damaged"), "{}", ran.stderr);
    }
    assert_eq!(
        format!(
            "{:o}",
            fs::metadata(sandbox.path("p.json"))
                .unwrap()
                .permissions()
                .mode()
                & 0o777
        ),
        "600"
    );
}

/// The law, for the list of links: each part has those of its seekers, or all of an attack that cannot be cut.
#[test]
fn links_in_parts_make_the_list_of_one_run_byte_for_byte() {
    let sandbox = Sandbox::new();
    masked(&sandbox);
    learned(&sandbox);
    let swapped = "mask rankswap --p 30 --seed 3 --attributes age,income,tax --strata town --statement t.json -q -o strata.csv people.csv";
    sandbox.run(swapped).ended(0);
    let strata = "--method rsld --statement t.json --known age,tax,town people.csv strata.csv";
    let ways = [
        "--method am --known age,income,tax",
        "--method md --known age,income,tax --direction masked-to-original",
        "--method rsld --p 20 --known age,income,tax --ties strict",
        "--method md --known age,income",
        "--method md0 --known age,income --direction masked-to-original",
        "--method wm --use-weights w.json --known age,income",
        "--method gower --known age,town",
        "--method kernel --known age,tax",
        "--method prl --known age,income,tax --agree sd:0.3",
        "--method likelihood --statement s.json --known age,tax --direction masked-to-original",
        "--method likelihood --statement s.json --also all.csv --release-id id --known age,income,tax",
        "--method involution --statement s.json --known age,income,tax",
        "--method am --known age,tax --assign one-to-one",
    ];
    let ways = ways.map(|way| format!("link {way} {FILES}"));
    for way in ways.into_iter().chain([format!("link {strata}")]) {
        let way = format!("{way} --links links.csv");
        let once = sandbox.run(&format!("{way} --format json")).ended(0);
        let links = sandbox.text("links.csv");
        fs::remove_file(sandbox.path("links.csv")).unwrap();
        // Forty people, of whom 39 were released, below the names of the columns.
        assert!(links.lines().count() >= 40, "{links}");
        for of in [1, 2, 3, 7] {
            let names = parts_of(&sandbox, &way, 'k', of).join(" ");
            // A part has its links in itself.
            assert!(!sandbox.path("links.csv").exists());
            let merge = format!("merge {names} --format json --links merged.csv");
            let merged = sandbox.run(&merge).ended(0);
            assert_eq!(merged.text(), once.text(), "{way}, {of}");
            assert_eq!(sandbox.text("merged.csv"), links, "{way}, {of}");
        }
    }
    let mode = fs::metadata(sandbox.path("merged.csv")).unwrap();
    assert_eq!(format!("{:o}", mode.permissions().mode() & 0o777), "600");
    // Without links there is nothing to write, and parts with and without are of different calls.
    let way = "link --method am --known age,tax";
    let names = parts_of(&sandbox, &format!("{way} {FILES}"), 'n', 2).join(" ");
    let ran = sandbox
        .run(&format!("merge {names} --links l.csv"))
        .ended(2);
    assert!(ran.stderr.contains("hold no links"), "{}", ran.stderr);
    let with_links = format!("{way} --links l.csv {FILES}");
    parts_of(&sandbox, &with_links, 'w', 2);
    let ran = sandbox.run("merge n1-2.json w2-2.json").ended(3);
    assert!(ran.stderr.contains("another call"), "{}", ran.stderr);
    let first = sandbox.text("w1-2.json");
    let (before, after) = first.split_once("\"links\":[").unwrap();
    let (_, after) = after.split_once("},").unwrap();
    sandbox.write("fewer.json", format!("{before}\"links\":[{after}"));
    let ran = sandbox.run("merge fewer.json w2-2.json").ended(3);
    assert!(
        ran.stderr.contains("fewer.json: is damaged"),
        "{}",
        ran.stderr
    );
}

/// An attack that cannot be cut is made whole by one part, and missing from the others: these are not taken for attacks that do not apply.
#[test]
fn attacks_that_cannot_be_cut_are_dealt_out() {
    let sandbox = Sandbox::new();
    masked(&sandbox);
    let way = "link --method all --known age,income,town --p 20 --assign one-to-one";
    let once = sandbox
        .run(&format!("{way} --format json {FILES}"))
        .ended(0)
        .json();
    let methods = |of: &Value, name: &str| -> Vec<String> {
        let of = of[name].as_array().unwrap().iter();
        of.map(|one| one["method"].as_str().unwrap().into())
            .collect()
    };
    let (run, not_run) = (methods(&once, "results"), methods(&once, "not_run"));
    assert!(run.contains(&"involution".into()) && not_run.contains(&"microagg".into()));
    parts_of(&sandbox, &format!("{way} {FILES}"), 'a', 3);
    let mut made = Vec::new();
    for number in 1..=3 {
        let part = part(&sandbox, &format!("a{number}-3.json"));
        let attempts = part["work"]["link"]["attempts"].as_array().unwrap().clone();
        for (place, attempt) in attempts.iter().enumerate() {
            assert_eq!(attempt["in_parts"], json!(false));
            assert_eq!(
                attempt["made"].is_null(),
                place % 3 != number - 1,
                "{place}"
            );
            made.extend((!attempt["made"].is_null()).then_some(place));
        }
        // What could not be prepared is in every part.
        assert!(methods(&part["work"]["link"]["asked"], "not_run").contains(&"microagg".into()));
    }
    made.sort_unstable();
    assert!(
        made.into_iter().eq(0..run.len() + not_run.len() - 1),
        "{run:?} {not_run:?}"
    );
    // A part says which attack it makes whole.
    let ran = sandbox.run(&format!(
        "link --method involution --p 20 --known age,tax --shard 1/2 -o p.json {FILES}"
    ));
    assert!(ran.ended(0).stderr.contains("involution cannot be cut"));
    let second = sandbox.text("a2-3.json");
    sandbox.write("moved.json", second.replacen("\"2/3\"", "\"1/3\"", 1));
    let ran = sandbox.run("merge moved.json a2-3.json a3-3.json").ended(3);
    assert!(
        ran.stderr.contains("moved.json: is damaged"),
        "{}",
        ran.stderr
    );
}

/// What is not the same in all parts, or has no place in one, is refused with the reason, and parts of different calls do not fit.
#[test]
fn attacks_that_are_not_made_in_parts_are_refused() {
    let sandbox = Sandbox::new();
    masked(&sandbox);
    for (way, status, says) in [
        (
            "--method am --known-records 9",
            2,
            "without a seed each part",
        ),
        (
            "--method all --known-records 9",
            2,
            "without a seed each part",
        ),
        ("--method wm --weights w.json", 2, "--weights"),
        ("--method wm --certificate c.json", 2, "--certificate"),
        ("--method am --format csv", 2, "--format"),
        ("--method am --fail-above 5%", 2, "--fail-above"),
    ] {
        let known = "--known age,income,tax";
        let ran = sandbox.run(&format!("link {way} {known} --shard 1/2 -o p.json {FILES}"));
        let ran = ran.ended(status);
        assert!(ran.stderr.contains(says), "{way}: {}", ran.stderr);
        assert!(!sandbox.path("p.json").exists());
    }
    sandbox.write("plan.toml", "original = \"people.csv\"\nseed = 1\nattacks = [{ method = \"am\", shard = \"1/2\" }]\n[[mask]]\nmethod = \"rankswap\"\np = 20\n");
    let ran = sandbox.run("evaluate plan.toml").ended(3);
    assert!(ran.stderr.contains("shard"), "{}", ran.stderr);
    let plan = sandbox
        .text("plan.toml")
        .replace("{ method = \"am\", shard = \"1/2\" }", "\"am\"");
    sandbox.write("plan.toml", plan);
    sandbox
        .run("evaluate plan.toml --shard 1/2 -q -o e.json")
        .ended(0);
    for (known, number) in [("age,tax", 1), ("age,tax", 2), ("age,income", 2)] {
        let name = format!("{}{number}.json", known.replace(',', ""));
        sandbox
            .run(&format!(
                "link --method am --known {known} --shard {number}/2 -q -o {name} {FILES}"
            ))
            .ended(0);
    }
    for seed in 1..=2 {
        let drawn = "link --method am --known age,tax --known-records 20";
        sandbox
            .run(&format!(
                "{drawn} --seed {seed} --shard {seed}/2 -q -o drawn{seed}.json {FILES}"
            ))
            .ended(0);
    }
    let first = sandbox.text("agetax1.json");
    sandbox.write(
        "short.json",
        first.replacen("\"seekers\":[[", "\"seekers\":[[1,1,1,null,1,null],[", 1),
    );
    sandbox.write(
        "ids.csv",
        sandbox.text("ids.csv").replacen("\n100;20", "\n100;21", 1),
    );
    let other = "link --method am --known age,tax --shard 2/2 -q -o files.json";
    sandbox.run(&format!("{other} {FILES}")).ended(0);
    for (parts, says) in [
        ("agetax1.json", "part 2/2 is missing"),
        (
            "agetax1.json ageincome2.json",
            "ageincome2.json: is a part of another call",
        ),
        (
            "agetax1.json files.json",
            "files.json: was made of another ids.csv",
        ),
        ("e.json agetax2.json", "agetax2.json: was made of"),
        (
            "drawn1.json drawn2.json",
            "drawn2.json: is a part of another call",
        ),
        ("short.json agetax2.json", "short.json: is damaged"),
    ] {
        let ran = sandbox.run(&format!("merge {parts}")).ended(3);
        assert!(ran.stderr.contains(says), "{parts}: {}", ran.stderr);
    }
    let into = sandbox
        .run("merge agetax1.json agetax2.json --into r")
        .ended(2);
    assert!(
        into.stderr
            .contains("--into has no place here: these are the parts of attacks"),
        "{}",
        into.stderr
    );
}

/// As in docs/scale.md, on one machine.
#[test]
fn gnu_parallel_makes_the_parts() {
    let sandbox = with_plan(SMALL);
    if sandbox.shell("command -v parallel").status != Some(0) {
        println!("SKIPPED: there is no GNU parallel");
        return;
    }
    let call = format!(
        "parallel --retries 3 '{PROGRAM}' evaluate plan.toml --shard {{}}/4 -q -o part{{}}.json ::: 1 2 3 4"
    );
    sandbox.shell(&call).ended(0);
    let merged = sandbox
        .shell("sdcrisk merge part*.json --format json")
        .ended(0);
    let once = sandbox.run("evaluate plan.toml --format json").ended(0);
    assert_eq!(merged.text(), once.text());
}

/// Two files to mask: one of semicolons, decimal commas, gaps and ties; one with a title, Windows line ends, blank lines, quotes with
/// delimiters in them, a byte that is no UTF-8, and an identifier.
fn to_mask(sandbox: &Sandbox) {
    originals(sandbox);
    let mut ugly = b"A title\r\nid,name,a,b,c,d\r\n".to_vec();
    for record in 0..30_u32 {
        let mixed = record * 7 % 31;
        ugly.extend(format!("{record},\"Caf").bytes());
        ugly.push(0xe9);
        ugly.extend(
            format!(
                ", \"\"{}\"\"\",{}, {mixed},{},\"{}\"\r\n",
                record % 3,
                mixed / 2,
                ["", "1.50", "22"][mixed as usize % 3],
                1000 + mixed * mixed
            )
            .bytes(),
        );
        if record % 11 == 4 {
            ugly.extend(b"\r\n");
        }
    }
    sandbox.write("ugly.csv", ugly);
}

/// The law, for maskings: attributes masked on several machines make the file of one run, and its statement.
#[test]
fn attributes_in_parts_make_the_masked_file_of_one_run_byte_for_byte() {
    let sandbox = Sandbox::new();
    to_mask(&sandbox);
    let ugly = "--skip-lines 1 --encoding windows-1252 --attributes b,a,d ugly.csv";
    for way in [
        "rankswap --p 20 people.csv",
        "rankswap --window 3 --partner cycle --strata town people.csv",
        "pbuckets --p 4 --attributes tax,age --drop flag people.csv",
        "pdistribution --p 20 people.csv",
        "noise --level 0.3 --attributes age,tax people.csv",
        &format!("rankswap --p 30 {ugly}"),
        &format!("noise --level 0.2 --decimals full {ugly}"),
    ] {
        let call = format!("mask {way} --seed 5 -q");
        sandbox
            .run(&format!("{call} --statement once.json -o once.csv"))
            .ended(0);
        let [once, stated] = ["once.csv", "once.json"].map(|name| sandbox.read(name));
        for of in [1, 2, 3, 7] {
            let mut names: Vec<String> = (1..=of)
                .map(|number| {
                    let name = format!("m{number}-{of}.json");
                    let part = format!("{call} --shard {number}/{of} -o {name}");
                    sandbox.run(&part).ended(0);
                    name
                })
                .collect();
            names.rotate_left(of / 2);
            names.reverse();
            let merge = format!("merge {} --statement s.json -o m.csv", names.join(" "));
            sandbox.run(&merge).ended(0);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(text(&sandbox.read("m.csv")), text(&once), "{way}, {of}");
            assert!(sandbox.read("m.csv") == once, "{way}, {of} parts");
            assert!(sandbox.read("s.json") == stated, "{way}, {of} parts");
        }
        // The second of three parts has the second and the fifth attribute, and nothing of the others.
        let columns = part(&sandbox, "m2-3.json")["work"]["mask"]["columns"].clone();
        let places = columns.as_array().unwrap().iter();
        let places: Vec<u64> = places.filter_map(|of| of["place"].as_u64()).collect();
        let all = part(&sandbox, "m2-3.json")["work"]["mask"]["frame"]["names"].clone();
        let all = all.as_array().unwrap().len() as u64;
        let own: Vec<u64> = [1, 4].into_iter().filter(|&place| place < all).collect();
        assert_eq!(places, own, "{way}");
    }
    // A part was found to be masked: the last way changed numbers, and what it did not name is as it was.
    let (once, ugly) = (sandbox.read("once.csv"), sandbox.read("ugly.csv"));
    assert!(once != ugly && once.starts_with(b"name,a,b,c,d\r\n"));
}

#[test]
fn maskings_that_are_not_made_in_parts_are_refused() {
    let sandbox = Sandbox::new();
    to_mask(&sandbox);
    sandbox.write("one.csv", "a\n1\n2\n3\n4\n5\n");
    sandbox.write("rules.toml", "[age]\nbreaks = [30]\n");
    let seed = "--seed 1 people.csv";
    for (call, says) in [
        ("rankswap --p 20 people.csv", "without a seed"),
        (
            &format!("microagg --k 3 {seed}"),
            "several attributes together",
        ),
        (
            &format!("copula --mu 0.5 {seed}"),
            "several attributes together",
        ),
        (
            &format!("noise --level 1 --correlated {seed}"),
            "correlated noise",
        ),
        (
            "sample --fraction 0.5 --seed 1 people.csv",
            "chooses records",
        ),
        (
            &format!("pram --keep 0.8 --attributes town {seed}"),
            "stated together",
        ),
        (
            "recode --rules rules.toml people.csv",
            "no longer than reading",
        ),
        (
            &format!("rankswap --p 20 --keep-zeros {seed}"),
            "sums and zeros",
        ),
        ("rankswap --p 40 --seed 1 one.csv", "one attribute"),
        (
            &format!("rankswap --p 20 --statement s.json {seed}"),
            "--statement",
        ),
        (
            &format!("rankswap --p 20 --shuffle k.csv {seed}"),
            "--shuffle",
        ),
    ] {
        let ran = sandbox
            .run(&format!("mask {call} --shard 1/2 -o p.json"))
            .ended(2);
        assert!(ran.stderr.contains(says), "{call}: {}", ran.stderr);
        assert!(!sandbox.path("p.json").exists());
    }
    for number in 1..=2 {
        for p in [10, 20] {
            let call =
                format!("mask rankswap --p {p} --shard {number}/2 -q -o {p}-{number}.json {seed}");
            sandbox.run(&call).ended(0);
        }
    }
    let reseeded = seed.replace("--seed 1", "--seed 2");
    let call = format!("mask rankswap --p 20 --shard 2/2 -q -o seed.json {reseeded}");
    sandbox.run(&call).ended(0);
    let mode = fs::metadata(sandbox.path("seed.json")).unwrap();
    assert_eq!(format!("{:o}", mode.permissions().mode() & 0o777), "600");
    let second = sandbox.text("20-2.json");
    sandbox.write("short.json", second.replacen("\\n", "", 1));
    let build = second.find("\"build\":\"").unwrap() + "\"build\":\"".len();
    let mut other = second.clone();
    other.replace_range(build..build + 4, "0000");
    sandbox.write("build.json", other);
    for (parts, status, says) in [
        ("20-1.json", 3, "part 2/2 is missing"),
        (
            "20-1.json 10-2.json",
            3,
            "10-2.json: is a part of another call",
        ),
        // No report shows a seed, but parts of different ones do not fit together.
        (
            "20-1.json seed.json",
            3,
            "seed.json: is a part of another call",
        ),
        ("20-1.json short.json", 3, "short.json: is damaged"),
        ("20-1.json 20-2.json --format json", 2, "--format"),
        ("20-1.json 20-2.json --fail-above 5%", 2, "--fail-above"),
        // Development builds have one version.
        (
            "20-1.json build.json -o m.csv",
            0,
            "build.json was made by another build",
        ),
        ("20-1.json build.json --strict", 2, "another build"),
    ] {
        let ran = sandbox.run(&format!("merge {parts}")).ended(status);
        assert!(ran.stderr.contains(says), "{parts}: {}", ran.stderr);
    }
}
