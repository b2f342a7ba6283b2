//! `sdcrisk risk`: what it tells of one file, and of a file before and after masking.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Twelve people. Keys: (f, north) four times, (m, north) three times, (f, south) twice, (m, south) three times but for the age class.
const PEOPLE: &str = "\
sex,region,class,disease,income,w
f,north,1,flu,1000,10
f,north,1,flu,1100,10
f,north,1,cold,1200,10
f,north,1,cold,1300,10
m,north,1,flu,1400,20
m,north,1,flu,1500,20
m,north,1,flu,1600,20
f,south,1,cold,1700,5.5
f,south,1,flu,1800,4.5
m,south,1,cold,1900,8
m,south,1,cold,2000,8
m,south,2,flu,2100,8
";

const ROLES: &str = "nominal = [\"class\"]\nconfidential = [\"disease\"]\n";

fn people() -> Sandbox {
    Sandbox::with(&[("p.csv", PEOPLE), ("roles.toml", ROLES)])
}

fn number(json: &Value, place: &str) -> f64 {
    json.pointer(place)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no number at {place}: {json}"))
}

#[track_caller]
fn equals(json: &Value, place: &str, expected: f64) {
    let found = number(json, place);
    assert!(
        (found - expected).abs() < 1e-12,
        "{place} is {found}: {json}"
    );
}

/// Classes of sex, region, class: 4, 3, 2, 2, 1. Unique 1; fewer than 2: 1; fewer than 3: 1 + 2 + 2 = 5; fewer than 5: all; fewer than 4: 8.
/// Diseases: {flu 2, cold 2}, {flu 3}, {cold, flu}, {cold 2}, {flu}: l = 1 in groups of 3, 2 and 1: 6 of 12 records are given away.
/// Without weights the risks are 1/f: five classes, so 5 of 12.
#[test]
fn one_file_by_hand() {
    let sandbox = people();
    let ran = sandbox
        .run("risk --roles roles.toml --key sex,region,class --k 4 --format json p.csv")
        .ended(0);
    let json = ran.json();
    assert_eq!(json["schema"], "sdcrisk.risk/1");
    let measures = [
        ("unique", 1.0),
        ("k_anonymity", 1.0),
        ("below_k_2", 1.0),
        ("below_k_3", 5.0),
        ("below_k_5", 12.0),
        ("below_k", 8.0),
        ("suda_records", 1.0),
        ("individual_risk_global", 5.0 / 12.0),
        ("expected_reidentifications", 5.0),
        ("prosecutor_risk", 1.0),
        ("l_diversity", 1.0),
        ("entropy_l_diversity", 1.0),
        ("attribute_disclosure_homogeneity", 0.5),
    ];
    for (key, expected) in measures {
        equals(&json, &format!("/measures/{key}"), expected);
    }
    assert!(json["measures"]["journalist_risk"].is_null());
    assert_eq!(json["classes"].as_array().unwrap().len(), 4);
    assert_eq!(json["most_at_risk"][0]["record"], 12);
    assert_eq!(json["scenario"]["confidential"][0], "disease");
    assert_eq!(json["provenance"]["files"][0]["records"], 12);
    assert!(json.get("before").is_none());
    let abouts: Vec<&str> = ["unique", "individual_risk_global", "l_diversity"]
        .iter()
        .map(|key| {
            let figures = json["figures"].as_array().unwrap();
            let figure = figures.iter().find(|figure| figure["key"] == *key).unwrap();
            figure["about"].as_str().unwrap()
        })
        .collect();
    assert_eq!(abouts, ["singling-out", "linkability", "inference"]);
}

/// The unique record stands for 8 people: p = 1/8, risk ln 8 / 7; 1/8 expected to be unique among all.
#[test]
fn weights_bring_the_population_in() {
    let sandbox = people();
    let ran = sandbox
        .run("risk --key sex,region,class --weights w --roles roles.toml --records r.csv --format json p.csv")
        .ended(0);
    let json = ran.json();
    equals(&json, "/measures/population_unique", 0.125);
    let risk = 8_f64.ln() / 7.0;
    equals(&json, "/measures/expected_unique_reidentifications", risk);
    // The two women in the south stand for ten people together.
    let rows = sandbox.text("r.csv");
    let row = rows.lines().nth(8).unwrap();
    assert!(row.starts_with("8,2,10.0,"), "{row}");
    assert_eq!(rows.lines().count(), 13);
    let mode = std::fs::metadata(sandbox.path("r.csv"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(
        mode & 0o777,
        0o600,
        "the risks of single records are private"
    );
}

#[test]
fn before_and_after_masking() {
    let sandbox = people();
    sandbox
        .run("mask suppress --k 3 --key sex,region,class --roles roles.toml -o m.csv p.csv")
        .ended(0);
    let ran = sandbox
        .run("risk --roles roles.toml --key sex,region,class --format json p.csv m.csv")
        .ended(0);
    let json = ran.json();
    equals(&json, "/before/unique", 1.0);
    equals(&json, "/before/k_anonymity", 1.0);
    equals(&json, "/measures/unique", 0.0);
    assert!(number(&json, "/measures/k_anonymity") >= 3.0);
    // Incomes were not touched: every interval holds them.
    equals(&json, "/measures/interval_disclosure_rank", 1.0);
    assert!(json["before"].get("interval_disclosure_rank").is_none());
    let text = sandbox
        .run("risk --roles roles.toml --key sex,region,class p.csv m.csv")
        .ended(0)
        .text();
    for part in [
        "Singling out: who stands alone",
        "Linkability: who would be linked",
        "Inference: what is disclosed",
        "before  after",
        "lower is better",
        "do not publish",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    for word in ["safe", "anonymous"] {
        assert!(!text.contains(word), "a verdict: {word}\n{text}");
    }
}

/// Everything that the text shows is in the JSON, and CSV has a line for each measure.
#[test]
fn the_three_forms_say_the_same() {
    let sandbox = people();
    let call = "risk --roles roles.toml --weights w --l 2 --t 0.3 p.csv";
    let text = sandbox.run(call).ended(0).text();
    let json = sandbox
        .run(&format!("{call} --format json"))
        .ended(0)
        .json();
    let csv = sandbox.run(&format!("{call} --format csv")).ended(0).text();
    for figure in json["figures"].as_array().unwrap() {
        let key = figure["key"].as_str().unwrap();
        assert!(
            text.contains(&format!(" {key} ")),
            "{key} is not in the text"
        );
        let line = csv.lines().find(|line| line.contains(&format!(",{key},,")));
        let value = line
            .unwrap_or_else(|| panic!("{key} is not in the CSV"))
            .split(',')
            .nth(3)
            .unwrap();
        assert_eq!(value.parse().ok(), figure["value"].as_f64(), "{key}");
    }
    for reading in json["readings"].as_array().unwrap() {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&text).contains(&words(reading["text"].as_str().unwrap())));
    }
}

#[test]
fn a_gate_closes_on_the_measure_that_it_names() {
    let sandbox = people();
    let call = "risk --key sex,region,class --roles roles.toml";
    // 1 of 12 is unique: 8.3 %.
    sandbox
        .run(&format!("{call} --fail-above unique=9% p.csv"))
        .ended(0);
    let ran = sandbox
        .run(&format!("{call} --fail-above unique=8% p.csv"))
        .ended(10);
    assert!(
        ran.stderr.contains("unique is 8.3 %, above 8.0 %"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.text().contains("k_anonymity"),
        "the report is still there"
    );
    sandbox
        .run(&format!("{call} --fail-above 50% p.csv"))
        .ended(10);
    sandbox
        .run(&format!(
            "{call} --fail-above unique=9% --fail-above below_k_3=10% p.csv"
        ))
        .ended(10);
}

/// Ten records, four of which have nothing of the key; two are unique, the other four are alike. Every record stands for one person, so
/// both uniques are unique in the population, and linked for sure: each of these counts is 2 of 10. The four alike add 4 · 1/4 to the
/// expected links: 3 of 10.
#[test]
fn a_gate_divides_counts_by_all_records() {
    let file = "town,w\nA,1\nB,1\nC,1\nC,1\nC,1\nC,1\nNA,1\nNA,1\nNA,1\nNA,1\n";
    let sandbox = Sandbox::with(&[("f.csv", file)]);
    let ends = |measure: &str, percent: u32, status: i32| {
        sandbox
            .run(&format!(
                "risk --key town --weights w --fail-above {measure}={percent}% f.csv"
            ))
            .ended(status)
    };
    for measure in [
        "unique",
        "below_k_2",
        "below_k_3",
        "suda_records",
        "population_unique",
        "expected_unique_reidentifications",
    ] {
        ends(measure, 20, 0);
        let said = ends(measure, 19, 10).stderr;
        assert!(said.contains("is 20.0 %, above 19.0 %"), "{said}");
    }
    ends("expected_reidentifications", 30, 0);
    ends("expected_reidentifications", 29, 10);
}

#[cfg(unix)]
#[test]
fn a_report_that_lists_records_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = people();
    let mode = |name: &str| {
        let metadata = std::fs::metadata(sandbox.path(name)).unwrap();
        metadata.permissions().mode() & 0o777
    };
    let call = "risk --key sex,region,class --roles roles.toml";
    sandbox.run(&format!("{call} -o listed.txt p.csv")).ended(0);
    assert_eq!(mode("listed.txt"), 0o600);
    sandbox
        .run(&format!("{call} --most-at-risk 0 -o counted.txt p.csv"))
        .ended(0);
    assert_eq!(mode("counted.txt"), mode("p.csv"), "as any new file");
}

#[test]
fn results_do_not_depend_on_threads() {
    let sandbox = Sandbox::new();
    let mut file = String::from("a,b,c,d,secret\n");
    let mut state = 1_u64;
    for _ in 0..800 {
        let cells: Vec<String> = [4, 6, 9, 30, 50]
            .iter()
            .map(|sides| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                match (state >> 40) % 19 {
                    0 => "NA".into(),
                    _ => ((state >> 33) % sides).to_string(),
                }
            })
            .collect();
        file += &(cells.join(",") + "\n");
    }
    sandbox.write("f.csv", &file);
    sandbox
        .run("mask rankswap --p 10 --seed 1 --attributes 4 -o m.csv f.csv")
        .ended(0);
    let call = |threads: u32| {
        let call = format!(
            "risk --quiet --key a,b,c --confidential secret --records r{threads}.csv f.csv m.csv --threads {threads}"
        );
        let ran = sandbox.run(&call).ended(0);
        (ran.stdout, sandbox.read(&format!("r{threads}.csv")))
    };
    assert_eq!(call(1), call(3));
}

/// A semicolon file with decimal commas, a file of one record, one where all look alike, and one with nothing of the key in any record.
#[test]
fn real_and_degenerate_files() {
    let sandbox = Sandbox::with(&[
        ("semicolons.csv", "a;b;w\nx;1;1,5\nx;1;2,5\ny;2;0,5\n"),
        ("one.csv", "a,b\nx,y\n"),
        ("alike.csv", "a,b\nx,y\nx,y\nx,y\n"),
        ("gaps.csv", "a,b\nNA,y\n,z\n.,y\n"),
        ("gaps2.csv", "a,b\nNA,y\nx,\n.,y\n"),
    ]);
    let json = sandbox
        .run("risk --key a,b --weights w --format json semicolons.csv")
        .ended(0)
        .json();
    equals(&json, "/measures/unique", 1.0);
    // 1.5 + 2.5 people look like the first two: each of the two is a quarter; the third stands for itself.
    equals(&json, "/measures/marketer_risk", 1.5 / 3.0);
    for (file, unique, k) in [("one.csv", 1.0, 1.0), ("alike.csv", 0.0, 3.0)] {
        let ran = sandbox
            .run(&format!("risk --key a,b --format json {file}"))
            .ended(0);
        let json = ran.json();
        equals(&json, "/measures/unique", unique);
        equals(&json, "/measures/k_anonymity", k);
    }
    let json = sandbox
        .run("risk --key a --format json gaps.csv")
        .ended(0)
        .json();
    assert!(json["measures"]["unique"].is_null());
    for file in ["one.csv", "alike.csv", "gaps.csv", "gaps2.csv"] {
        for rule in ["any", "missing"] {
            for masked in ["", file] {
                let call = format!(
                    "risk --key a --confidential b --missing-matches {rule} {file} {masked}"
                );
                let text = sandbox.run(call.trim_end()).ended(0).text();
                assert!(!text.contains("NaN") && !text.contains("inf "), "{text}");
            }
        }
    }
}

/// Town and age of four people, masked by another age: by town alone the record of the same town has the right disease (all of 4); by age
/// alone the nearest record is that of another town (none).
#[test]
fn confidential_values_are_guessed_by_who_knows_the_key() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "o.csv",
        "town,age,disease\nn,20,flu\ns,30,gout\ne,40,acne\nw,50,cold\n",
    );
    sandbox.write(
        "m.csv",
        "town,age,disease\nn,30,flu\ns,20,gout\ne,50,acne\nw,40,cold\n",
    );
    sandbox.write(
        "amounts.toml",
        "non-confidential = [\"town\"]\ncontinuous = [\"age\"]\n",
    );
    for (options, known, share) in [
        ("--key town", &["town"][..], 1.0),
        ("--key age", &["age"], 0.0),
        ("--key town,age", &["town", "age"], 1.0),
        // Without a key: all that is compared.
        ("--attributes age --roles amounts.toml", &["age"], 0.0),
    ] {
        let ran = sandbox
            .run(&format!(
                "risk {options} --confidential disease --format json o.csv m.csv"
            ))
            .ended(0);
        let json = ran.json();
        assert_eq!(json["scenario"]["pair"]["known"], serde_json::json!(known));
        equals(&json, "/measures/attribute_disclosure_inference", share);
        let text = sandbox
            .run(&format!(
                "risk {options} --confidential disease o.csv m.csv"
            ))
            .ended(0)
            .text();
        let said = format!("by who knows: {}.", known.join(", "));
        assert!(text.contains(&said), "{text}");
    }
}

/// Half of the people have no job, and nothing was masked. By hand, k = 3: each of the two with a job of their own matches the two
/// empty ones beside itself, so all seven reach 3; with an empty cell as a category the classes have 3, 1, 1 and 2 records.
const STRUCTURAL: &str = "sex,job\nf,\nf,\nf,\nm,smith\nm,cook\nm,\nm,\n";

#[test]
fn who_reaches_k_by_missing_values_only_is_counted() {
    let sandbox = Sandbox::with(&[
        ("in.csv", STRUCTURAL),
        ("roles.toml", "[missing]\njob = []\n"),
    ]);
    let report = sandbox
        .run("risk --format json --key sex,job in.csv")
        .ended(0)
        .json();
    let measures = &report["measures"];
    for (key, value) in [
        ("below_k_3", 0.0),
        ("on_gaps", 4.0),
        ("k_anonymity_gaps_apart", 1.0),
        ("unique_gaps_apart", 2.0),
        ("below_k_gaps_apart", 4.0),
    ] {
        assert_eq!(measures[key], json!(value), "{key}");
    }
    let said = report["readings"][0]["text"].as_str().unwrap();
    let sentence = "4 of 7 records (57.1 %) match 3 or more only because a missing value matches every value; with missing values \
                    as a category of their own 4 match fewer than 3, and 2 are unique.";
    assert!(said.contains(sentence), "{said}");

    // Empty cells as a category, in two ways: then there are no gaps.
    for options in ["--roles roles.toml", "--na NA"] {
        let command = format!("risk --format json --key sex,job {options} in.csv");
        let report = sandbox.run(&command).ended(0).json();
        let measures = &report["measures"];
        assert_eq!(measures["k_anonymity"], json!(1.0), "{options}");
        assert_eq!(measures["below_k_3"], json!(4.0), "{options}");
        assert_eq!(measures.get("on_gaps"), None, "{options}");
    }
}

#[test]
fn suppression_that_rests_on_gaps_says_so_even_quietly() {
    let sandbox = Sandbox::with(&[("in.csv", STRUCTURAL)]);
    let suppress = "mask suppress --k 3 --key sex,job";
    let ran = sandbox
        .run(&format!("{suppress} -q in.csv -o out.csv"))
        .ended(0);
    let warning =
        "warning: 4 of 7 records match 3 or more only because a missing value matches every value";
    assert!(ran.stderr.starts_with(warning), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert_eq!(
        sandbox.read("out.csv"),
        STRUCTURAL.as_bytes(),
        "nothing was done"
    );
    sandbox
        .run(&format!("{suppress} --strict in.csv -o strict.csv"))
        .ended(2);
    let own = format!("{suppress} -q --missing-matches missing in.csv -o own.csv");
    assert_eq!(sandbox.run(&own).ended(0).stderr, "");
    // An empty cell that is no gap: the four go, and a code is needed to mark that.
    let ran = sandbox
        .run(&format!("{suppress} -q --na NA in.csv -o na.csv"))
        .ended(0);
    assert_eq!(ran.stderr, "");
    let masked = String::from_utf8(sandbox.read("na.csv")).unwrap();
    assert!(
        masked.starts_with("sex,job\nf,\nf,\nf,\n") && masked.contains("NA"),
        "{masked}"
    );
}

/// 4 records that stand for 20 people: f = .2. Two are unique and two are a pair: DIS = 2 · .2 / (2 · .2 + 2 · .8) = .2; with f = .01 it is
/// .01.
#[test]
fn the_sampling_fraction_is_that_of_the_weights() {
    let sandbox = Sandbox::with(&[("in.csv", "town,age,w\na,x,2\nb,y,8\nc,z,4\nc,z,6\n")]);
    for (options, dis, from) in [
        ("--weights w", 0.2, "weights"),
        ("", 0.01, "default"),
        ("--weights w --sampling-fraction 50%", 0.5, "option"),
    ] {
        let command = format!("risk --format json --key town,age {options} in.csv");
        let report = sandbox.run(&command).ended(0).json();
        let found = report["measures"]["suda_dis"].as_f64().unwrap();
        assert!((found - dis).abs() < 1e-12, "{options}: {found}");
        assert_eq!(
            report["scenario"]["suda"]["sampling_fraction_from"],
            json!(from)
        );
    }
}

/// Keys (a, x), (a, -), (b, -): a missing value matches every value, so (b, -) alone is unique and stands out by its town. As a value of
/// its own all three are alone: the first by x, the second by town and the missing value, the third by b.
#[test]
fn minimal_uniques_read_missing_values_as_uniqueness_does() {
    let sandbox = Sandbox::with(&[("in.csv", "town,job\na,x\na,\nb,\n")]);
    for (rule, records) in [("any", 1.0), ("missing", 3.0)] {
        let command = format!("risk --format json --key town,job --missing-matches {rule} in.csv");
        let measures = sandbox.run(&command).ended(0).json()["measures"].clone();
        for key in ["unique", "suda_records", "suda_msu"] {
            assert_eq!(measures[key], json!(records), "{rule} {key}");
        }
    }
}

/// Six people, recoded: ages to classes, illnesses to groups, pay to thousands and hours to tens.
fn recoded() -> Sandbox {
    let sandbox = Sandbox::with(&[
        (
            "o.csv",
            "age,town,hours,pay,ill\n21,York,11,1040,flu.A\n24,York,19,2040,flu.B\n33,Hull,31,3040,cold.A\n38,Hull,39,4040,cold.B\n\
             45,Leeds,51,5040,flu.A\n49,Leeds,59,6040,cold.A\n",
        ),
        (
            "rules.toml",
            "[age]\nbreaks = [30, 40]\n[hours]\nround = 10\n[pay]\nround = 1000\n[ill.groups]\nflu = ['flu.A', 'flu.B']\n\
             cold = ['cold.A', 'cold.B']\n",
        ),
        ("roles.toml", "confidential = ['pay', 'ill']\n"),
    ]);
    sandbox
        .run("mask recode --rules rules.toml --statement m.sdc.json -o m.csv o.csv")
        .ended(0);
    sandbox
}

/// Known is the class of the age, of which there are three with two people each; the masked records of one's class are as near as each other.
/// Illness: in two classes both have the same group (1 each), in the third one of each (1/2 each): 5 of 6. Pay: of two guesses one is one's own,
/// off by 40, which is within 1 % of the pay that was collected for 4040, 5040 and 6040: 3 · 1/2 of 6. Hours are off by 1, with a standard
/// deviation of sqrt(1696 / 5) = 18.4: within p % of it for p = 6..10. Recoded hours would be off by nothing, and so would recoded pay.
#[test]
fn a_statement_recodes_what_is_compared() {
    let sandbox = recoded();
    let risk = "risk --roles roles.toml --key age --tolerance 1% --format json";
    let plain = sandbox.run(&format!("{risk} o.csv m.csv")).ended(0).json();
    assert_eq!(plain["warnings"][0]["attribute"], "age");
    let inference = "/measures/attribute_disclosure_inference";
    assert_eq!(plain.pointer(inference), Some(&Value::Null));
    let ran = sandbox
        .run(&format!("{risk} --statement m.sdc.json o.csv m.csv"))
        .ended(0);
    let json = ran.json();
    assert_eq!(json.get("warnings"), None, "{}", ran.stderr);
    assert_eq!(
        json["scenario"]["pair"]["recoded"],
        json!(["age", "hours", "pay", "ill"])
    );
    equals(&json, inference, (5.0 / 6.0 + 0.25) / 2.0);
    equals(
        &json,
        "/measures/attribute_disclosure_baseline",
        (0.5 + 1.0 / 12.0) / 2.0,
    );
    equals(&json, "/measures/interval_disclosure_sd", 0.5);
    // Pay is off by 40, with a standard deviation of 1000 sqrt(17.5 / 5) = 1871: within p % of it for p = 3..10.
    equals(&json, "/measures/confidential_disclosure_sd", 0.8);
    assert_eq!(
        json["scenario"]["pair"]["confidential_masked"],
        json!(["pay", "ill"])
    );
    // Before is the file as it was collected: everybody has another age.
    equals(&json, "/before/unique", 6.0);
    equals(&json, "/measures/unique", 0.0);
    let text = sandbox
        .run("risk --roles roles.toml --key age --statement m.sdc.json o.csv m.csv")
        .ended(0)
        .text();
    assert!(
        text.contains("recoded as the statement says: age, hours, pay, ill."),
        "{text}"
    );
}

#[test]
fn a_statement_of_another_file_is_refused_and_one_file_has_no_use_for_it() {
    let sandbox = recoded();
    let one = "risk --key town --statement m.sdc.json";
    let ran = sandbox.run(&format!("{one} o.csv")).ended(0);
    assert!(
        ran.stderr
            .contains("--statement has no effect: there is no masked file"),
        "{}",
        ran.stderr
    );
    sandbox.run(&format!("--strict {one} o.csv")).ended(2);
    let without_pay = format!(
        "age,town,hours\n{}",
        "<30,York,10\n>=40,Hull,20\n".repeat(3)
    );
    sandbox.write("other.csv", without_pay);
    let wrong = sandbox.run(&format!("{one} o.csv other.csv")).ended(3);
    assert!(wrong.stderr.contains("\"pay\""), "{}", wrong.stderr);
}

/// 0, 0, 0, 10, 10, 10 with a standard deviation of sqrt(6 · 25 / 5) = 5.477: within p % of it lie distances of 0 (10 times), 0.1 (9), 0.2 (7),
/// 0.3 (5), 0.5 (1) and 1 (never), 32 of 60; within 0.05 of the masked one's (about 5.2) the first three. Windows of ranks are empty in a file
/// of 6, so only 0 lies in its own interval: 0 is masked as 0 once, and no other masked value is an original one.
#[test]
fn masked_confidential_values_have_an_interval_disclosure_of_their_own() {
    let sandbox = Sandbox::with(&[
        (
            "o.csv",
            "town,pay,ill\na,0,x\na,0,y\na,0,x\nb,10,y\nb,10,x\nb,10,y\n",
        ),
        (
            "m.csv",
            "town,pay,ill\na,0,y\na,0.1,x\na,0.2,x\nb,9.7,y\nb,9.5,x\nb,9,y\n",
        ),
        ("roles.toml", "confidential = ['pay', 'ill']\n"),
    ]);
    let risk = "risk --roles roles.toml --key town --format json";
    let json = sandbox.run(&format!("{risk} o.csv m.csv")).ended(0).json();
    equals(&json, "/measures/confidential_disclosure_sd", 32.0 / 60.0);
    equals(&json, "/measures/confidential_disclosure_rank", 1.0 / 6.0);
    equals(&json, "/measures/confidential_disclosure_records_sd", 0.5);
    assert_eq!(json["measures"]["interval_disclosure_sd"], Value::Null);
    assert_eq!(
        json["scenario"]["pair"]["confidential_masked"],
        json!(["pay", "ill"])
    );
    // What was not masked, or is compared with the others, has none.
    for call in ["o.csv o.csv", "--attributes town,pay o.csv m.csv"] {
        let json = sandbox.run(&format!("{risk} {call}")).ended(0).json();
        assert_eq!(
            json["measures"].get("confidential_disclosure_sd"),
            None,
            "{call}"
        );
    }
    let text = sandbox
        .run("risk --roles roles.toml --key town o.csv m.csv")
        .ended(0)
        .text();
    assert!(text.contains("compared by themselves: pay, ill."), "{text}");
}
