//! Intruders who hold few records, and releases of few: by whose means and sds differences are measured.

use std::fmt::Write as _;

use crate::sandbox::Sandbox;

/// 40 people, v = 1, 4, 9, ..., w in another order; the file of the three richest; and as many people under other names.
fn files() -> Sandbox {
    let (mut all, mut rich) = (String::from("who,v,w\n"), String::from("who,v,w\n"));
    for i in 1..=40_u32 {
        let line = format!("p{i},{},{}\n", i * i, i * 17 % 41);
        all += &line;
        if i > 37 {
            rich += &line;
        }
    }
    let mut numbers = String::new();
    for i in 38..=40 {
        writeln!(numbers, "{i}").unwrap();
    }
    Sandbox::with(&[
        ("all.csv", &all),
        ("rich.csv", &rich),
        ("rich.txt", &numbers),
    ])
}

#[track_caller]
fn rates(sandbox: &Sandbox, call: &str) -> Vec<(String, String, f64)> {
    let json = sandbox
        .run(&format!("link --format json --known v,w {call}"))
        .ended(0)
        .json();
    let results = json["results"].as_array().unwrap().iter();
    results
        .map(|result| {
            (
                result["method"].as_str().unwrap().into(),
                result["standardize"].as_str().unwrap().into(),
                result["rate_of_findable"].as_f64().unwrap(),
            )
        })
        .collect()
}

/// Nothing was masked, so everybody stands at distance 0 of their own record in units that both files share, however few are held:
/// rate 1. Standardised by themselves three records have the z-scores of nobody in the middle of forty.
#[test]
fn of_a_file_that_was_not_masked_everybody_is_found() {
    let sandbox = files();
    for held in [
        "--known-records rich.txt all.csv all.csv",
        "--direction masked-to-original --known-records rich.txt all.csv all.csv",
        "--id who rich.csv all.csv",
    ] {
        for (method, standardize, rate) in
            rates(&sandbox, &format!("--method am,md0,kernel,prl {held}"))
        {
            assert_eq!(standardize, "masked", "{method} {held}");
            assert!((rate - 1.0).abs() < 1e-12, "{method} {held}: {rate}");
        }
        for (method, standardize, rate) in
            rates(&sandbox, &format!("--method am --standardize own {held}"))
        {
            assert_eq!(standardize, "own");
            assert!(rate < 0.5, "{method} {held}: {rate}");
        }
    }
    // The other way round: a part was released, and the intruder holds everybody.
    for (method, standardize, rate) in rates(&sandbox, "--method am,md0 --id who all.csv rich.csv")
    {
        assert_eq!(standardize, "original", "{method}");
        assert!((rate - 1.0).abs() < 1e-12, "{method}: {rate}");
    }
    for (_, standardize, _) in rates(&sandbox, "--method am,prl all.csv all.csv") {
        assert_eq!(standardize, "own");
    }
}

#[test]
fn the_report_says_by_what_files_were_measured() {
    let sandbox = files();
    let text = |call: &str| {
        let text = sandbox
            .run(&format!("link --known v,w {call}"))
            .ended(0)
            .text();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let few = text("--method am --known-records rich.txt all.csv all.csv");
    assert!(
        few.contains("since fewer records are held than were released (--standardize masked)"),
        "{few}"
    );
    let own = text("--method am --standardize own --known-records rich.txt all.csv all.csv");
    assert!(own.contains("links are missed"), "{own}");
    assert!(!text("--method am all.csv all.csv").contains("--standardize"));
}

/// Weights that were learned in the usual units are used in the usual units of other files; what was asked for must agree.
#[test]
fn learned_weights_follow_the_files() {
    let sandbox = files();
    sandbox
        .run("link --method wm --known v,w --weights w.json -o r.txt all.csv all.csv")
        .ended(0);
    for (_, standardize, rate) in rates(
        &sandbox,
        "--method wm --use-weights w.json --known-records rich.txt all.csv all.csv",
    ) {
        assert_eq!(standardize, "masked");
        assert!((rate - 1.0).abs() < 1e-12);
    }
    let refused = sandbox
        .run("link --method wm --known v,w --use-weights w.json --standardize none all.csv all.csv")
        .ended(2);
    assert!(
        refused
            .stderr
            .contains("was learned on files that were standardised in another way")
    );
}

/// Two attributes that agree or not cannot fit a prior; nor is one fitted where u is held, which is the default.
#[test]
fn a_prior_without_use_is_noted() {
    let sandbox = files();
    for (fit, why) in [
        ("--fit em", "fewer than 3 attributes are known"),
        ("", "--fit em-fixed-u"),
    ] {
        let call =
            format!("link --method prl --known v,w {fit} --em-start 0.9,0.1,0.01 all.csv all.csv");
        let noted = sandbox.run(&call).ended(0);
        let said = &noted.stderr;
        assert!(
            said.contains("the prior of --em-start has no effect"),
            "{said}"
        );
        assert!(said.contains(why), "{said}");
        sandbox.run(&format!("--strict {call}")).ended(2);
    }
    // The default is what em-fixed-u says.
    let model = |options: &str| {
        let call = format!("link --method prl --known v,w --format json {options} all.csv all.csv");
        sandbox.run(&call).ended(0).json()["results"][0]["model"].clone()
    };
    assert_eq!(model(""), model("--fit em-fixed-u"));
    assert_ne!(model(""), model("--fit em"));
}

/// w was swapped, v was not: attacks by v alone use no window.
#[test]
fn a_page_names_no_window_of_what_was_not_compared() {
    let sandbox = files();
    sandbox
        .run("mask rankswap --window 3 --seed 1 --attributes w --keep-identifiers --statement s.json -o m.csv all.csv")
        .ended(0);
    let page = |known: &str| {
        sandbox
            .run(&format!(
                "link --method rsld --known {known} --statement s.json --format json -o link.json all.csv m.csv"
            ))
            .ended(0);
        sandbox.run("report -o r.html link.json").ended(0);
        sandbox.text("r.html")
    };
    let without = page("v");
    assert!(!without.contains("within 0 ranks"));
    assert!(without.contains("but of none of the attributes that were compared"));
    assert!(page("v,w").contains("rank swapping within 3 ranks"));
}
