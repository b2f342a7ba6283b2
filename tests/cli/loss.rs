//! `loss` as users call it.

use serde_json::json;

use crate::sandbox::Sandbox;

const ORIGINAL: &str = "\
age,income,town
34,5100,Hull
51,9200,Leeds
29,3100,Hull
42,2850,York
63,4710,Hull
";

const MASKED: &str = "\
age,income,town
33,5100,Hull
52,9000,Leeds
29,3300,Hull
40,2900,Hull
64,4700,
";

fn sandbox() -> Sandbox {
    Sandbox::with(&[("o.csv", ORIGINAL), ("m.csv", MASKED)])
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let report = sandbox()
        .run("loss --format json o.csv m.csv")
        .ended(0)
        .json();
    assert_eq!(report["schema"], json!("sdcrisk.loss/1"));
    assert_eq!(
        report["scenario"],
        json!({
            "original": "o.csv",
            "masked": "m.csv",
            "records": 5,
            "attributes": ["age", "income", "town"],
            "numbers": ["age", "income"],
            "not_in_il": ["town"],
            "aligned_by": "the order of the records",
            "left_out": [],
            "differ_unseen": [],
        })
    );
    let mut keys: Vec<String> = [
        "il",
        "il1",
        "il_all",
        "il1s",
        "sse_sst",
        "pil",
        "mlodak",
        "entropy_loss",
        "changed",
        "suppressed",
        "frequency_loss",
    ]
    .map(String::from)
    .to_vec();
    for family in [
        "means",
        "variances",
        "covariances",
        "correlations",
        "quantiles",
    ] {
        keys.push(format!("pil_{family}"));
    }
    for kind in ["mean_square", "mean_absolute", "mean_variation"] {
        for family in [
            "data",
            "means",
            "variances",
            "covariances",
            "correlations",
            "quantiles",
        ] {
            keys.push(format!("{kind}_{family}"));
        }
    }
    for key in &keys {
        assert!(report["measures"][key].is_number(), "{key}");
    }
    let figures = report["figures"].as_array().unwrap();
    assert_eq!(figures.len(), keys.len());
    for figure in figures {
        let key = figure["key"].as_str().unwrap();
        assert_eq!(figure["value"], report["measures"][key]);
        assert_eq!(figure["direction"], json!("lower is better"));
        assert!(
            figure.get("parts").is_none(),
            "{key}: nobody asked for them"
        );
    }
    let provenance = &report["provenance"];
    assert_eq!(provenance["files"].as_array().unwrap().len(), 2);
    // By hand: one of five names is gone and one another; four of five ages and four of five incomes are others.
    assert_eq!(report["measures"]["suppressed"], json!(1.0 / 15.0));
    assert_eq!(report["measures"]["changed"], json!(10.0 / 15.0));
}

#[test]
fn measures_are_chosen_and_told_by_attribute() {
    let sandbox = sandbox();
    let report = sandbox
        .run("loss --format json --by-attribute --measures il1s,changed o.csv m.csv")
        .ended(0)
        .json();
    let keys: Vec<&String> = report["measures"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["il1s", "changed"]);
    let parts = |figure: usize| report["figures"][figure]["parts"].as_array().unwrap().len();
    assert_eq!((parts(0), parts(1)), (2, 3));
    let csv = sandbox
        .run("loss --format csv --by-attribute --measures changed o.csv m.csv")
        .ended(0)
        .text();
    assert_eq!(
        csv,
        "original,masked,measure,attribute,value,counted,skipped\n\
         o.csv,m.csv,changed,,0.6666666666666666,15,0\n\
         o.csv,m.csv,changed,age,0.8,,\n\
         o.csv,m.csv,changed,income,0.8,,\n\
         o.csv,m.csv,changed,town,0.4,,\n"
    );
    let text = sandbox
        .run("loss --by-attribute --explain --measures il1s,changed o.csv m.csv")
        .ended(0)
        .text();
    for word in ["lower is better", "income", "town", "il1s:", "changed:"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains("sse_sst"), "{text}");
}

#[test]
fn people_are_told_what_it_means() {
    let sandbox = sandbox();
    let text = sandbox.run("loss o.csv m.csv").ended(0).text();
    for words in [
        "5 records by the order of the records, 3 attributes (2 of numbers, 1 of categories)",
        "0 % to any",
        "lower is better",
        "standard deviations from its original",
        "Who computes statistics from the masked file is off by",
        "of the cells were suppressed",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("NaN"), "{text}");
    let text = sandbox.run("loss o.csv o.csv").ended(0).text();
    assert!(text.contains("Nothing that was measured differs"), "{text}");
}

/// Records in another order, found again by an identifier.
#[test]
fn an_identifier_says_who_is_who() {
    let sandbox = Sandbox::with(&[
        ("o.csv", "id,x,y\na,1,5\nb,2,7\nc,4,1\nd,9,3\n"),
        ("m.csv", "id,x,y\nd,9,3\nc,4,1\na,1,5\n"),
    ]);
    let ran = sandbox
        .run("loss --format json --id id o.csv m.csv")
        .ended(0);
    assert!(
        ran.stderr.contains("1 of 4 original records"),
        "{}",
        ran.stderr
    );
    let report = ran.json();
    assert_eq!(report["scenario"]["records"], json!(3));
    assert_eq!(report["measures"]["il"], json!(0.0));
    assert_eq!(report["scenario"]["aligned_by"], json!("the identifier id"));
}

#[test]
fn a_statement_tells_what_remains_after_correction() {
    let sandbox = Sandbox::new();
    let mut text = "a,b,c\n".to_string();
    for i in 0..200 {
        text += &format!("{},{},{}\n", i * i % 97, i * i % 97 + i % 31, i * 7 % 53);
    }
    sandbox.write("o.csv", &text);
    sandbox
        .run("mask noise --level 1 --seed 5 --statement s.json --attributes a,b -o m.csv o.csv")
        .ended(0);
    let report = sandbox
        .run("loss --format json --by-attribute --statement s.json o.csv m.csv")
        .ended(0)
        .json();
    assert_eq!(report["correction"]["attributes"], json!(["a", "b"]));
    let rows = report["corrected"].as_array().unwrap();
    let variances = rows
        .iter()
        .find(|row| row["key"] == "mean_variation_variances")
        .unwrap();
    assert!(variances["corrected"].as_f64() < variances["naive"].as_f64());
    // Two variances; the correlations of a and b with each other and with c.
    let estimates = report["correction"]["estimates"].as_array().unwrap();
    let of = |what: &str| estimates.iter().filter(|e| e["what"] == what).count();
    assert_eq!(
        (of("variance"), of("covariance"), of("correlation")),
        (2, 0, 3)
    );
    for estimate in estimates.iter().filter(|e| e["what"] == "variance") {
        let [masked, corrected] = ["masked", "corrected"].map(|k| estimate[k].as_f64().unwrap());
        assert!(
            (corrected * 2.0 - masked).abs() < 1e-9 * masked,
            "k = 1 halves it"
        );
    }
    let text = sandbox
        .run("loss --statement s.json o.csv m.csv")
        .ended(0)
        .text();
    for words in [
        "users divide variances by 2",
        "as it is",
        "corrected",
        "instead of",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// Gaps, constants, one record, values beyond squares, recoded numbers: an answer, and no number that is none.
#[test]
fn ugly_files_have_losses_too() {
    for (original, masked, undefined) in [
        ("x,y\n1,2\n", "x,y\n2,2\n", "il"),
        ("x,y\n5,1\n5,2\n5,4\n", "x,y\n5,1\n5,2\n5,9\n", "mlodak"),
        ("x,y\n1,1\n1,1\n", "x,y\n1,2\n1,1\n", "sse_sst"),
        (
            "x,y\n1,a\nNA,b\n3,c\n",
            "x,y\nNA,a\n2,b\nNA,c\n",
            "mean_variation_data",
        ),
        ("x,y\nNA,\nNA,\n2,\n", "x,y\n1,\nNA,\nNA,\n", "sse_sst"),
        ("x,y\n1,a\n1,b\n", "x,y\n1,b\n1,b\n", "pil"),
        ("x,y\n1,4\n2,5\n3,6\n", "x,y\n1-2,4\n1-2,5\n3-4,6\n", "il"),
        (
            "x,y\n1e200,1\n-1e200,2\n3,3\n",
            "x,y\n2e200,1\n1,2\n3,4\n",
            "mean_square_data",
        ),
        (
            "x;y\n1,5;2\n2,5;4\n0;0\n",
            "x;y\n1,5;3\n2,5;3\n0;3\n",
            "mlodak",
        ),
    ] {
        let sandbox = Sandbox::with(&[("o.csv", original), ("m.csv", masked)]);
        let report = sandbox
            .run("loss --format json --attributes x,y o.csv m.csv")
            .ended(0)
            .json();
        assert!(
            report["measures"][undefined].is_null(),
            "{original}: {report}"
        );
        let figures = report["figures"].as_array().unwrap();
        for figure in figures.iter().filter(|figure| figure["value"].is_null()) {
            assert!(figure["why_not"].is_string(), "{figure}");
        }
        for form in ["text", "csv"] {
            let told = sandbox
                .run(&format!(
                    "loss --format {form} --attributes x,y o.csv m.csv"
                ))
                .ended(0)
                .text();
            let is_none = |word: &str| ["NaN", "inf", "-inf"].contains(&word);
            let mut words = told.split([' ', ',', '\n']);
            assert!(!words.any(is_none), "{told}");
        }
    }
}

/// Ages became classes: IL and PIL see incomes only, which did not move. That is no loss of 0, and of none there is no largest part.
#[test]
fn what_became_classes_is_said_to_be_in_no_measure_of_numbers() {
    let sandbox = sandbox();
    let original = "age,income,rent,town\n31,5100,410,Hull\n52,9200,900,Leeds\n25,3100,380,Hull\n44,2850,300,York\n60,4710,520,Hull\n";
    let classes = "age,income,rent,town\n30-39,5100,410,Hull\n50-59,9200,900,Leeds\n20-29,3100,380,Hull\n40-49,2850,300,York\n60-69,4710,520,Hull\n";
    sandbox.write("o.csv", original);
    sandbox.write("classes.csv", classes);
    let text = sandbox.run("loss o.csv classes.csv").ended(0).text();
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!text.contains("NaN"), "{text}");
    assert!(!flat.contains("largest of its five parts"), "{text}");
    assert!(
        flat.contains(
            "IL and PIL are of numbers only: what was lost of age (1 of 4 compared attributes"
        ),
        "{text}"
    );
    let text = sandbox
        .run("loss --measures il o.csv classes.csv")
        .ended(0)
        .text();
    assert!(
        text.contains("IL is of numbers only") && !text.contains("no loss"),
        "{text}"
    );
    sandbox
        .run("loss --format json -o loss.json o.csv classes.csv")
        .ended(0);
    let json: serde_json::Value = serde_json::from_str(&sandbox.text("loss.json")).unwrap();
    assert_eq!(json["scenario"]["not_in_il"], json!(["age"]));
    // The page does not open with a loss of 0.
    let page = sandbox.run("report loss.json").ended(0).text();
    assert!(page.contains("It is not the loss of the file: 1 more of the 4"));
    assert!(!page.contains("0 % would be no difference"));
    // Where nothing but numbers changed, nothing is missed.
    let report = sandbox
        .run("loss --format json o.csv o.csv")
        .ended(0)
        .json();
    assert_eq!(report["scenario"]["not_in_il"], json!([]));
}

/// 1, 2, -, 4 against 1, -, 3, 4, the third value being new: the two cells that both have are equal, and one of three values of the
/// original is gone. Without the blank lines 2 would be compared with 3.
#[test]
fn blank_lines_of_one_attribute_are_missing_values() {
    let sandbox = Sandbox::with(&[("o.csv", "x\n1\n2\n\n4\n"), ("m.csv", "x\n1\n\n3\n4\n")]);
    let ran = sandbox
        .run("loss --format json --measures il1s,changed,suppressed o.csv m.csv")
        .ended(0);
    assert_eq!(
        ran.json()["measures"],
        json!({"il1s": 0.0, "changed": 1.0 / 3.0, "suppressed": 1.0 / 3.0})
    );
    let note = "note: m.csv: 1 blank line is read as a record with a missing value";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
}

/// Only a confidential attribute was swapped: nothing that is compared by default differs, and that is not "no loss". By hand: 1, 2, 3 became
/// 3, 2, 1, so SSE is 4 + 0 + 4 and SST 2, and two cells of three are changed.
#[test]
fn confidential_attributes_that_were_masked_are_measured_by_themselves() {
    let sandbox = Sandbox::with(&[
        ("o.csv", "age,town,income\n30,a,1\n40,b,2\n50,c,3\n"),
        ("m.csv", "age,town,income\n30,a,3\n40,b,2\n50,c,1\n"),
        ("roles.toml", "confidential = ['income', 'town']\n"),
    ]);
    let loss = "loss --roles roles.toml";
    let json = |call: &str| {
        sandbox
            .run(&format!("{loss} --format json {call}"))
            .ended(0)
            .json()
    };
    let report = json("o.csv m.csv");
    // The town is not compared either, but it is as it was.
    let confidential = &report["confidential"];
    assert_eq!(confidential["attributes"], json!(["income"]));
    assert_eq!(confidential["measures"]["sse_sst"], json!(4.0));
    assert_eq!(confidential["measures"]["changed"], json!(2.0 / 3.0));
    assert_eq!(report["scenario"]["differ_unseen"], json!([]));
    // The other figures are those of files without it.
    assert_eq!(report["measures"]["sse_sst"], json!(0.0));
    assert_eq!(
        report["measures"],
        json("--attributes age o.csv m.csv")["measures"]
    );
    assert!(json("--attributes age o.csv m.csv")["confidential"].is_null());
    assert!(json("o.csv o.csv")["confidential"].is_null());
    let text = sandbox.run(&format!("{loss} o.csv m.csv")).ended(0).text();
    assert!(
        text.contains("Confidential attributes that were masked"),
        "{text}"
    );
    assert!(
        text.contains("they are in no figure above): income"),
        "{text}"
    );
    assert!(!text.contains("no loss."), "{text}");
    let csv = sandbox
        .run(&format!(
            "{loss} --measures sse_sst --format csv o.csv m.csv"
        ))
        .ended(0)
        .text();
    assert!(
        csv.contains("\no.csv,m.csv,confidential:sse_sst,,4.0,"),
        "{csv}"
    );
    // Where attributes are named it is these, and the others are said to differ.
    let named = format!("{loss} --attributes age o.csv m.csv");
    let text = sandbox.run(&named).ended(0).text();
    assert!(
        text.contains("Not compared, although the files differ in it: income."),
        "{text}"
    );
    let compared = format!("{loss} --attributes age,income o.csv m.csv");
    let text = sandbox.run(&compared).ended(0).text();
    assert!(
        !text.contains("Not compared, although") && !text.contains("by themselves"),
        "{text}"
    );
    let same = sandbox.run(&format!("{loss} o.csv o.csv")).ended(0).text();
    assert!(same.contains("no loss."), "{same}");
    // Only the page of the office has it.
    sandbox
        .run(&format!("{loss} --format json -o loss.json o.csv m.csv"))
        .ended(0);
    for (external, is_there) in [("", true), ("--external", false)] {
        sandbox
            .run(&format!("report {external} -o page.html loss.json"))
            .ended(0);
        let page = sandbox.text("page.html");
        assert_eq!(
            page.contains("Confidential attributes that were masked"),
            is_there,
            "{external}"
        );
    }
}

/// What a step masked is measured, also where no value differs any more.
#[test]
fn a_statement_says_what_was_masked() {
    let sandbox = Sandbox::with(&[
        ("o.csv", "age,pay\n30,5\n40,10\n50,15\n"),
        ("roles.toml", "confidential = ['pay']\n"),
        ("rules.toml", "[pay]\nround = 5\n"),
    ]);
    sandbox
        .run("mask recode --rules rules.toml --roles roles.toml --statement s.json -o m.csv o.csv")
        .ended(0);
    let loss = "loss --roles roles.toml --format json";
    let report = sandbox
        .run(&format!("{loss} --statement s.json o.csv m.csv"))
        .ended(0)
        .json();
    assert_eq!(report["confidential"]["attributes"], json!(["pay"]));
    assert_eq!(report["confidential"]["measures"]["changed"], json!(0.0));
    let report = sandbox.run(&format!("{loss} o.csv m.csv")).ended(0).json();
    assert!(report["confidential"].is_null());
}

/// By hand: five times 100, 200 and 300 are 3000 before, and with −50 for one of the 100 they are 2850 after. total = pay + rent holds in all
/// 15 records before, and in 14 after.
#[test]
fn integrity_and_weights_by_hand() {
    let mut original = "w,pay,rent,total,town\n".to_string();
    let mut masked = original.clone();
    for copy in 0..5 {
        original += "1,100,7,107,York\n2,200,3,203,Hull\n1,300,5,305,York\n";
        masked += if copy == 0 {
            "1,-50,7,107,Leeds\n2,200,3,203,Hull\n1,300,5,305,York\n"
        } else {
            "1,100,7,107,York\n2,200,3,203,Hull\n1,300,5,305,York\n"
        };
    }
    let sandbox = Sandbox::with(&[("a.csv", &original), ("m.csv", &masked)]);
    let report = sandbox
        .run("loss --weights w --format json a.csv m.csv")
        .ended(0)
        .json();
    let attributes = report["integrity"]["attributes"].as_array().unwrap();
    let of = |name: &str| {
        attributes
            .iter()
            .find(|one| one["attribute"] == json!(name))
    };
    let pay = of("pay").unwrap();
    assert_eq!(pay["total"], json!([3000.0, 2850.0]));
    assert_eq!(pay["negative"], json!([0, 1]));
    assert_eq!(pay["outside"], json!([1, 0]));
    assert_eq!(of("town").unwrap()["unknown"], json!(1));
    assert!(of("w").is_none(), "the weights are not compared");
    let sum = &report["integrity"]["sums"][0];
    assert_eq!(sum["sum"], json!("total = pay + rent"));
    assert_eq!(
        (&sum["before"], &sum["after"]),
        (&json!([15, 15]), &json!([14, 15]))
    );
    let measures = report["weighted"]["measures"].as_array().unwrap();
    let means = measures
        .iter()
        .find(|one| one["key"] == json!("mean_absolute_means"))
        .unwrap();
    // 150 less of one record: 10 in the mean of fifteen, 7.5 in that of weights 20; the other two attributes of numbers are as they were.
    assert!(
        (means["unweighted"].as_f64().unwrap() - 10.0 / 3.0).abs() < 1e-9,
        "{means}"
    );
    assert!(
        (means["weighted"].as_f64().unwrap() - 7.5 / 3.0).abs() < 1e-9,
        "{means}"
    );
    // pay on rent: covariance -200/3, variances 8/3 and 20,000/3, so 1/4; with weights 1, 2, 1 -50, 11/4 and 5,000, so 2/11.
    let regressed = sandbox
        .run("loss --weights w --regress pay~rent --format json a.csv m.csv")
        .ended(0)
        .json();
    let measures = regressed["weighted"]["measures"].as_array().unwrap();
    let fit = measures
        .iter()
        .find(|one| one["key"] == json!("regression_fit_original"))
        .unwrap();
    for (figure, wanted) in [("unweighted", 0.25), ("weighted", 2.0 / 11.0)] {
        assert!(
            (fit[figure].as_f64().unwrap() - wanted).abs() < 1e-12,
            "{fit}"
        );
    }
    let text = sandbox.run("loss --weights w a.csv m.csv").ended(0).text();
    assert!(
        text.contains("total = pay + rent held in 15 of 15 records and holds in 14 of 15."),
        "{text}"
    );
    assert!(text.contains("For users who weight records by w"), "{text}");
    // The page of the office shows it, the one for others does not.
    sandbox
        .run("loss --format json -o loss.json a.csv m.csv")
        .ended(0);
    sandbox.run("report -o in.html loss.json").ended(0);
    sandbox
        .run("report --external -o out.html loss.json")
        .ended(0);
    assert!(
        sandbox
            .text("in.html")
            .contains("total = pay + rent held in 15")
    );
    assert!(!sandbox.text("out.html").contains("held in 15"));
    // One weight is missing and one negative.
    let wrong = original
        .replacen("\n1,", "\n,", 1)
        .replacen("\n2,", "\n-2,", 1);
    sandbox.write("wrong.csv", &wrong);
    let failed = sandbox.run("loss --weights w wrong.csv m.csv").ended(3);
    assert!(
        failed
            .stderr
            .contains("1 records miss it, and in 1 it is negative"),
        "{}",
        failed.stderr
    );
}
