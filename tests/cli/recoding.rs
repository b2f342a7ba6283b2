//! `mask recode` and `mask suppress` as users call them.

use crate::sandbox::Sandbox;

const ORIGINAL: &str = include_str!("../../data/recoding-original.csv");
const MASKED: &str = include_str!("../../data/recoding-masked.csv");

/// The first cells of each line.
fn cells(text: &str, n: usize) -> Vec<Vec<String>> {
    let cut = |line: &str| line.split(',').take(n).map(str::to_owned).collect();
    text.lines().map(cut).collect()
}

/// The published example from the command line; its ages were perturbed by a method that is not named, so they are left out.
#[test]
fn the_published_example_from_a_rules_file() {
    let sandbox = Sandbox::with(&[
        ("o.csv", ORIGINAL),
        (
            "rules.toml",
            "[estat_civil.groups]\n\"Vidu-o-Divorciat\" = [\"Vidu\", \"Divorciat\"]\n[ciutat.suppress-where]\nmalaltia = [\"Embaras\"]\n",
        ),
    ]);
    let ran = sandbox
        .run("mask recode --rules rules.toml --statement s.json -o m.csv o.csv")
        .ended(0);
    assert_eq!(cells(&sandbox.text("m.csv"), 4), cells(MASKED, 4));
    assert!(
        ran.stderr.contains("became missing: ciutat 2"),
        "{}",
        ran.stderr
    );
    let statement: serde_json::Value = serde_json::from_slice(&sandbox.read("s.json")).unwrap();
    assert_eq!(statement["steps"][0]["method"], "recode");
    let rules = &statement["steps"][0]["parameters"]["rules"];
    assert_eq!(rules[0]["map"]["Vidu"], "Vidu-o-Divorciat");
    // That towns were suppressed is published; where is not: each gap would tell the illness.
    assert_eq!(rules[1]["suppressed"], true);
    assert!(!sandbox.text("s.json").contains("Embaras"));
}

#[test]
fn semicolons_decimal_commas_and_windows_1252_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "in.csv",
        b"ville;\"montant \xE9t\xE9\";n\r\n\"Orl\xE9ans\";1,50;1\r\nNevers;-;2\r\n\"Orl\xE9ans\";7,25;3\r\nS\xE8te;900;4\r\n",
    );
    sandbox.write(
        "rules.toml",
        "[\"montant été\"]\ntop = 7.5\nround = 0.5\n[ville.map]\n\"Orléans\" = \"Loiret; côté nord\"\n[ville]\nsuppress = [\"Sète\"]\n",
    );
    sandbox
        .run("mask recode --na '-' --rules rules.toml -o out.csv in.csv")
        .ended(0);
    // 7,25 is a half of 0,5: away from zero. Most amounts have two decimals. A gap is marked as the file marks its gaps.
    assert_eq!(
        sandbox.read("out.csv"),
        b"ville;\"montant \xE9t\xE9\";n\r\n\"Loiret; c\xF4t\xE9 nord\";1,50;1\r\nNevers;-;2\r\n\"Loiret; c\xF4t\xE9 nord\";7,50;3\r\n-;7,50;4\r\n"
    );
    sandbox
        .run("mask suppress --na '-' --k 2 --key ville -o out.csv in.csv")
        .ended(0);
    // Nevers and Sète stand alone: nothing is left of either, for nobody shares anything with them. Half of the towns have
    // quotes that they do not need: all are written without.
    assert_eq!(
        sandbox.read("out.csv"),
        b"ville;\"montant \xE9t\xE9\";n\r\nOrl\xE9ans;1,50;1\r\n-;-;2\r\nOrl\xE9ans;7,25;3\r\n-;900;4\r\n"
    );
}

const PEOPLE: &str =
    "sex,age,town\nF,30,Hull\nF,30,Hull\nM,41,York\nF,30,York\nM,41,NA\nM,55,Leeds\nM,41,Hull\n";

/// k = 2 by hand, where gaps match everything: records 1, 2 match each other; 3 and 7 match 5; 4 and 6 stand alone. 4 gives up
/// its town and so matches 1 and 2. 6 (M, 55, Leeds) gives up its age and matches 5 (M, NA), where giving up its town
/// would leave (M, 55), which nobody has.
#[test]
fn suppression_says_what_it_did_and_what_it_means() {
    let sandbox = Sandbox::with(&[("in.csv", PEOPLE)]);
    let ran = sandbox
        .run("mask suppress --k 2 --key sex,age,town --statement s.json in.csv")
        .ended(0);
    assert_eq!(
        ran.text(),
        PEOPLE.replace("F,30,York", "F,30,NA").replace("55", "NA")
    );
    for part in [
        "k = 2 on sex, age, town; a missing value matches every value",
        "2 of 7 records (28.6 %) matched fewer than 2; now none does: 2 values of 2 records were suppressed",
        "5 records still agree with fewer than 2 on the whole key if a gap counts as a category of its own",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    let statement: serde_json::Value = serde_json::from_slice(&sandbox.read("s.json")).unwrap();
    assert_eq!(statement["steps"][0]["method"], "suppress");
    assert_eq!(statement["steps"][0]["parameters"]["k"], 2);
    assert_eq!(
        statement["steps"][0]["parameters"]["missing-matches"],
        "any"
    );
    let again = sandbox
        .run_with("mask suppress --k 2 --key 1-3 -", &ran.stdout)
        .ended(0);
    assert_eq!(
        again.stdout, ran.stdout,
        "what is k-anonymous stays as it is"
    );
    assert!(
        again.stderr.contains("nothing was suppressed"),
        "{}",
        again.stderr
    );
}

#[test]
fn options_and_rules_file_say_the_same() {
    let sandbox = Sandbox::with(&[
        ("in.csv", PEOPLE),
        (
            "r.toml",
            "k = 2\nkey = ['sex', 'town']\nmissing-matches = 'missing'\n",
        ),
        (
            "important.toml",
            "k = 2\nkey = ['sex', 'town']\n[importance]\ntown = 9\n[suppress]\ntown = ['Leeds']\n",
        ),
    ]);
    let options = sandbox
        .run("mask suppress --k 2 --key sex,town --missing-matches missing in.csv")
        .ended(0);
    let rules = sandbox.run("mask suppress --rules r.toml in.csv").ended(0);
    assert_eq!(options.stdout, rules.stdout);
    let important = sandbox
        .run("mask suppress --rules important.toml in.csv")
        .ended(0);
    assert!(
        important
            .stderr
            .contains("1 values of the stated categories"),
        "{}",
        important.stderr
    );
    let towns = |text: &str| text.lines().filter(|line| line.ends_with(",NA")).count();
    assert_eq!(
        towns(&important.text()),
        2,
        "Leeds, and the gap of before: {}",
        important.text()
    );
}

#[test]
fn a_shuffled_release_keeps_records_whole() {
    let sandbox = Sandbox::with(&[
        ("in.csv", PEOPLE),
        ("r.toml", "[town.groups]\nnorth = ['York', 'Leeds']\n"),
    ]);
    let plain = sandbox
        .run("mask recode --rules r.toml in.csv")
        .ended(0)
        .text();
    sandbox
        .run("mask recode --rules r.toml --shuffle key.csv --seed 3 -o out.csv in.csv")
        .ended(0);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&sandbox.text("out.csv")), sorted(&plain));
    for (line, key) in sandbox
        .text("out.csv")
        .lines()
        .skip(1)
        .zip(sandbox.text("key.csv").lines().skip(1))
    {
        let original: usize = key.split(',').nth(1).unwrap().parse().unwrap();
        assert_eq!(plain.lines().nth(original), Some(line));
    }
}

/// What stood in a gap must not be in the statement: neither the category nor the condition.
#[test]
fn statements_do_not_fill_the_gaps() {
    let sandbox = Sandbox::with(&[(
        "in.csv",
        "town,illness,n\nHull,flu,1\nHull,measles,2\nYork,flu,3\nYork,measles,4\nHull,flu,5\n",
    )]);
    sandbox.write("r.toml", "[illness]\nsuppress = ['measles']\n");
    sandbox
        .run("mask recode --rules r.toml --statement s.json -o m.csv in.csv")
        .ended(0);
    assert!(!sandbox.text("m.csv").contains("measles"));
    let statement = sandbox.text("s.json");
    assert!(
        !statement.contains("measles") && statement.contains("\"suppressed\": true"),
        "{statement}"
    );
    sandbox.write(
        "r.toml",
        "k = 2\nkey = ['town']\n[suppress]\nillness = ['measles']\n",
    );
    sandbox
        .run("mask suppress --rules r.toml --statement s.json -o m.csv in.csv")
        .ended(0);
    assert!(!sandbox.text("m.csv").contains("measles"));
    let statement = sandbox.text("s.json");
    assert!(
        !statement.contains("measles") && statement.contains("illness"),
        "{statement}"
    );
}

/// 83 and 84 must not become 85, which nobody would tell from an age: "85+" begins there. Who was cut to the top is written as
/// those who were there.
#[test]
fn rounding_and_bounds_tell_no_two_values_apart() {
    let sandbox = Sandbox::with(&[("in.csv", "age,pay\n83,85.0\n84,90\n85,91\n82,84.5\n71,85\n")]);
    sandbox.write(
        "r.toml",
        "[age]\ntop = 85\ntop-label = '85+'\nround = 5\n[pay]\ntop = 85\n",
    );
    let masked = sandbox
        .run("mask recode --rules r.toml in.csv")
        .ended(0)
        .text();
    assert_eq!(masked, "age,pay\n80,85\n80,85\n85+,85\n80,84.5\n70,85\n");
}

/// Gaps match everything by default; the summary still says who stands out by what is left.
#[test]
fn a_file_that_leans_on_gaps_is_told_so() {
    let sandbox = Sandbox::with(&[("in.csv", "s,t\na,\na,\na,\n,x\n,x\nc,\nb,\nb,\n")]);
    let ran = sandbox.run("mask suppress --k 2 --key s,t in.csv").ended(0);
    assert!(
        ran.stderr.contains("nothing was suppressed to reach that"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("1 record still agrees with fewer than 2"),
        "{}",
        ran.stderr
    );
}

/// The rules files in the helps can be copied: no line of them is broken, and they are read.
#[test]
fn rules_files_in_the_helps_can_be_copied() {
    let sandbox = Sandbox::with(&[(
        "in.csv",
        "sex,age,birth,town,marital,income,illness\nf,30,01.02.1995,Hull,single,10,flu\nm,40,07.11.1985,York,married,1500,flu\n\
         f,30,01.02.1995,Hull,single,10,flu\nm,40,07.11.1985,York,married,1500,flu\n",
    )]);
    sandbox.write(
        "roles.toml",
        "quasi-identifier = [\"birth\"]\n[dates]\nbirth = \"%d.%m.%Y\"\n",
    );
    for (command, first, last) in [
        ("suppress", "  k = 3", "  town = [\"Gisclareny\"]"),
        ("recode", "  [age]", "  illness = [\"pregnancy\"]"),
    ] {
        let help = sandbox
            .shell(&format!("COLUMNS=100 sdcrisk mask {command} --help"))
            .ended(0)
            .text();
        let from = help.find(first).unwrap();
        let to = from + help[from..].find(last).unwrap() + last.len();
        sandbox.write("rules.toml", help[from..to].replace("k = 3", "k = 2"));
        sandbox
            .run(&format!(
                "mask {command} --rules rules.toml --roles roles.toml in.csv"
            ))
            .ended(0);
    }
}

const BRANCHES: &str = "id,branch,sex\n1,0111,f\n2,0112,m\n3,1011,f\n4,1012,m\n5,0111,m\n6,1011,m\n7,0112,f\n8,1012,f\n";

/// A hierarchy beside the rules, in a folder of their own; the intruder applies the published map to the original.
#[test]
fn a_hierarchy_beside_the_rules() {
    let sandbox = Sandbox::with(&[("o.csv", BRANCHES)]);
    std::fs::create_dir(sandbox.path("rules")).unwrap();
    sandbox.write(
        "rules/r.toml",
        "[branch]\nhierarchy = \"nace.csv\"\nlevel = \"group\"\n",
    );
    sandbox.write(
        "rules/nace.csv",
        "class;group\n0111;011\n0112;011\n1011;101\n1012;101\n9900;990\n",
    );
    let call = "mask recode --rules rules/r.toml --statement s.json";
    sandbox
        .run(&format!("{call} --drop id -o m.csv o.csv"))
        .ended(0);
    let lines: Vec<String> = sandbox.text("m.csv").lines().map(str::to_owned).collect();
    assert_eq!(lines[..4], ["branch,sex", "011,f", "011,m", "101,f"]);
    let link = "link --method am --statement s.json --known branch,sex --format json o.csv m.csv";
    let report = sandbox.run(link).ended(0).json();
    // Four kinds of two people: each link is one of two.
    assert_eq!(report["results"][0]["correct"]["fair"], 4.0);
    // The file of codes is not written over.
    sandbox
        .run(&format!("{call} -o rules/nace.csv o.csv"))
        .ended(2);
    sandbox.write("rules/nace.csv", "class;group\n0111;011\n");
    let short = sandbox
        .run(&format!("{call} -o m2.csv o.csv"))
        .ended(3)
        .stderr;
    assert!(
        short.contains("has 3 categories that nace.csv does not name"),
        "{short}"
    );
    // A long map is folded on the page.
    let codes = (0..40).map(|code| format!("{code:02};{}\n", code / 10));
    let codes: String = codes.collect();
    sandbox.write("codes.csv", format!("old;new\n{codes}"));
    sandbox.write("two.csv", "code,x\n01,a\n11,b\n31,c\n01,d\n");
    sandbox.write("two.toml", "[code]\ncodes = \"codes.csv\"\n");
    sandbox
        .run("mask recode --rules two.toml --statement two.json -o two.out.csv two.csv")
        .ended(0);
    sandbox.run("report -o page.html two.json").ended(0);
    assert!(
        sandbox
            .text("page.html")
            .contains("map = 40 categories to 4")
    );
    assert_eq!(sandbox.text("two.out.csv"), "code,x\n0,a\n1,b\n3,c\n0,d\n");
}
