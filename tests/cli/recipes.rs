//! `mask RECIPE.toml`: several steps in one call.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const ROLES: &str = "identifier = [\"person\"]\nquasi-identifier = [\"age\", \"sex\"]\n\
                     confidential = [\"income\", \"tax\"]\ncontinuous = [\"age\", \"income\", \"tax\"]\n";

const RECIPE: &str = "[[step]]
method = \"recode\"
rules = \"rules.toml\"

[[step]]
method = \"rankswap\"
p = 5
attributes = \"income,tax\"

[[step]]
method = \"sample\"
n = 40
strata = \"sex\"
";

/// 60 people; ages repeat, amounts hardly.
fn people() -> Sandbox {
    let mut text = String::from("person,age,income,tax,sex\n");
    for number in 0..60 {
        let (age, income) = (20 + number * 7 % 50, 1000 + number * 37 % 800);
        let sex = if number % 3 == 0 { "m" } else { "f" };
        text += &format!("p{number},{age},{income},{},{sex}\n", income / 5 + number);
    }
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", text);
    sandbox.write("rules.toml", "[age]\nround = 5\n");
    sandbox.write("roles.toml", ROLES);
    sandbox.write("recipe.toml", RECIPE);
    sandbox
}

/// The numbers of the original records in a key.
fn key(sandbox: &Sandbox, name: &str) -> Vec<usize> {
    let text = sandbox.text(name);
    let second = |line: &str| line.split(',').nth(1).unwrap().parse().unwrap();
    text.lines().skip(1).map(second).collect()
}

fn statement(sandbox: &Sandbox, name: &str) -> Value {
    serde_json::from_slice(&sandbox.read(name)).unwrap()
}

#[test]
fn a_recipe_gives_what_its_steps_give_call_by_call() {
    let sandbox = people();
    for call in [
        "mask recode --rules rules.toml --seed 1 --statement a.json -o a.csv in.csv",
        "mask rankswap --p 5 --attributes income,tax --seed 1 --after a.json --statement b.json -o b.csv a.csv",
        "mask sample --n 40 --strata sex --seed 1 --shuffle key.csv --after b.json --statement c.json -o c.csv b.csv",
        "mask recipe.toml --seed 1 --shuffle key1.csv --statement c1.json -o c1.csv in.csv",
        // The same, each part of it in another place.
        "mask --seed 1 recipe.toml --statement c2.json in.csv --shuffle key2.csv -o c2.csv",
        "--threads 2 -q mask recipe --seed 1 --shuffle key3.csv --statement c3.json -o c3.csv recipe.toml in.csv",
    ] {
        sandbox.run(call).ended(0);
    }
    for other in ["1", "2", "3"] {
        for (name, end) in [("c", "csv"), ("c", "json"), ("key", "csv")] {
            let [own, others] =
                ["", other].map(|place| sandbox.text(&format!("{name}{place}.{end}")));
            assert_eq!(own, others, "{name}{other}.{end}");
        }
    }
    let steps = &statement(&sandbox, "c1.json")["steps"];
    let methods: Vec<&Value> = steps
        .as_array()
        .unwrap()
        .iter()
        .map(|step| &step["method"])
        .collect();
    assert_eq!(methods, ["recode", "rankswap", "sample"]);
    // A recipe can go on where calls ended, too.
    sandbox.write(
        "rest.toml",
        &RECIPE[RECIPE.find("[[step]]\nmethod = \"rankswap\"").unwrap()..],
    );
    sandbox
        .run("mask rest.toml --seed 1 --after a.json --shuffle key4.csv --statement c4.json -o c4.csv a.csv")
        .ended(0);
    assert_eq!(sandbox.text("c4.csv"), sandbox.text("c.csv"));
    assert_eq!(sandbox.text("c4.json"), sandbox.text("c.json"));
}

/// Records are left out before the last step, in which they change places: the key leads to the original all the same, and the attack takes it.
#[test]
fn the_key_of_a_recipe_leads_to_its_input() {
    let sandbox = people();
    sandbox.write(
        "first.toml",
        "[[step]]\nmethod = \"sample\"\nn = 25\n[[step]]\nmethod = \"rankswap\"\np = 10\nattributes = \"income\"\n",
    );
    sandbox
        .run("mask first.toml --seed 3 --keep-identifiers --shuffle key.csv --statement s.json -o m.csv in.csv")
        .ended(0);
    let people: Vec<usize> = (sandbox.text("m.csv").lines().skip(1))
        .map(|line| {
            line.split(',').next().unwrap()[1..]
                .parse::<usize>()
                .unwrap()
                + 1
        })
        .collect();
    assert_eq!(key(&sandbox, "key.csv"), people);
    assert!(people.iter().any(|&person| person > 25), "{people:?}");
    let by = |who: &str| {
        let call = format!(
            "link --method am,rsld,likelihood --known age,income --format json --statement s.json {who} in.csv m.csv"
        );
        let mut report = sandbox.run(&call).ended(0).json();
        report["provenance"].take();
        report["results"].take()
    };
    assert_eq!(by("--shuffle-key key.csv"), by("--id person"));
    // The key of a single call leads to the sample, and is refused as before.
    for call in [
        "mask sample --n 25 --seed 3 --keep-identifiers --statement one.json -o one.csv in.csv",
        "mask rankswap --p 10 --attributes income --seed 3 --keep-identifiers --shuffle key2.csv --after one.json --statement two.json -o two.csv one.csv",
    ] {
        sandbox.run(call).ended(0);
    }
    assert_eq!(sandbox.text("two.csv"), sandbox.text("m.csv"));
    assert_eq!(sandbox.text("two.json"), sandbox.text("s.json"));
    let refused = sandbox
        .run("link --method am --statement two.json --shuffle-key key2.csv in.csv two.csv")
        .ended(2);
    assert!(
        refused.stderr.contains("does not lead to the original"),
        "{}",
        refused.stderr
    );
}

#[test]
fn the_summary_is_by_steps_and_says_once_what_is_the_same() {
    let sandbox = people();
    let ran = sandbox
        .run("mask recipe.toml --seed 1 -o m.csv in.csv")
        .ended(0);
    let times = |words: &str| ran.stderr.matches(words).count();
    assert_eq!(times("person is left out"), 1, "{}", ran.stderr);
    for step in [
        "step 1 of 3, recode: 60 records",
        "step 2 of 3, rankswap: 60 records",
        "step 3 of 3, sample: 40 records",
    ] {
        assert_eq!(times(step), 1, "{}", ran.stderr);
    }
    // Two steps that say the same of their work are told apart.
    sandbox.write(
        "twice.toml",
        "[[step]]\nmethod = \"noise\"\nlevel = 0.1\nattributes = \"income\"\n[[step]]\nmethod = \"noise\"\nlevel = 0.1\nattributes = \"income\"\n",
    );
    let ran = sandbox
        .run("mask twice.toml --seed 1 --statement t.json -o t.csv in.csv")
        .ended(0);
    assert!(ran.stderr.contains("step 2 of 2, noise"), "{}", ran.stderr);
    let steps = &statement(&sandbox, "t.json")["steps"];
    assert_eq!(steps[0]["attributes"], steps[1]["attributes"]);
    assert_eq!(steps[0]["dropped"], json!(["person"]));
    assert!(steps[1]["dropped"].is_null());
}

#[test]
fn what_a_recipe_gets_wrong_is_named_with_its_line() {
    let sandbox = people();
    let swap = "[[step]]\nmethod = \"rankswap\"\n";
    for (what, recipe, status, says) in [
        ("nothing", String::new(), 3, "bad.toml: has no [[step]]: nothing would be masked"),
        ("no TOML", "[[step]\n".into(), 3, "bad.toml, line 1: "),
        ("an unknown section", format!("[[stop]]\n{swap}p = 5\n"), 3, "bad.toml, line 1: a recipe has no key \"stop\". Did you mean \"step\"?"),
        ("one table", "[step]\nmethod = \"rankswap\"\n".into(), 3, "line 1: step must be tables: [[step]]"),
        ("no method", format!("{swap}p = 5\n[[step]]\np = 5\n"), 3, "bad.toml, line 4: [[step]] names no method"),
        ("an unknown method", "[[step]]\nmethod = \"rankswop\"\np = 5\n".into(), 3, "bad.toml, line 1: there is no masking method \"rankswop\". Did you mean \"rankswap\"?"),
        ("an unknown option", format!("{swap}p = 5\npartnar = \"cycle\"\n"), 3, "bad.toml, line 4: mask rankswap has no option \"partnar\". Did you mean \"partner\"?"),
        ("an option twice", format!("{swap}p = 5\np = 6\n"), 3, "bad.toml, line 4: "),
        ("a list for one value", format!("{swap}p = [5, 6]\n"), 3, "bad.toml, line 3: p can be given once only"),
        ("a range", format!("{swap}p = {{ from = 1, to = 6 }}\n"), 3, "bad.toml, line 3: p is a table"),
        ("a wrong value", format!("{swap}\np = \"much\"\n"), 3, "bad.toml, line 4: invalid value 'much' for '--p <PERCENT>'"),
        ("a p that is none", format!("{swap}p = 5\n{swap}p = 0\n"), 3, "bad.toml, line 6: step 2 of 2"),
        ("a fraction", format!("{swap}p = 0.05\n"), 3, "bad.toml, line 3: step 1 of 1: in.csv: --p 0.05 looks like a fraction"),
        ("a seed", format!("{swap}p = 5\nseed = 1\n"), 3, "bad.toml, line 4: seed has no place in a step. It is about the whole call"),
        ("a statement", format!("{swap}p = 5\nstatement = \"s.json\"\n"), 3, "bad.toml, line 4: statement has no place in a step"),
        ("a private file", "[[step]]\nmethod = \"microagg\"\nk = 3\npartition = \"p.csv\"\n".into(), 3, "bad.toml, line 4: partition has no place in a step"),
        ("reading", format!("{swap}p = 5\ndelimiter = \";\"\n"), 3, "stands in [roles] and [file], or on the command line"),
        ("no rules file", "[[step]]\nmethod = \"recode\"\nrules = \"gone.toml\"\n".into(), 1, "bad.toml, line 3: names \"gone.toml\": there is no such file. Put it beside the recipe"),
        ("an attribute that a step left out", format!("{swap}p = 5\ndrop = \"tax\"\n{swap}p = 5\nattributes = \"tax\"\n"), 3, "bad.toml, line 5: step 2 of 2"),
        ("classes that are to be swapped", "[[step]]\nmethod = \"recode\"\nrules = \"classes.toml\"\n[[step]]\nmethod = \"rankswap\"\np = 5\nattributes = \"age\"\n".into(), 3, "bad.toml, line 4: step 2 of 2"),
        ("a word in the roles", format!("[roles]\nidentifer = [\"person\"]\n{swap}p = 5\n"), 3, "bad.toml, line 2: "),
        ("two sections of the file", format!("[file]\nheader = true\n[roles.file]\nheader = true\n{swap}p = 5\n"), 3, "[file] and [roles.file] are the same"),
    ] {
        sandbox.write("classes.toml", "[age]\nbreaks = [30, 40]\n");
        sandbox.write("bad.toml", recipe);
        let ran = sandbox.run("mask bad.toml -o out.csv --statement s.json in.csv");
        assert_eq!(ran.status, Some(status), "{what}: {}", ran.stderr);
        assert!(ran.stderr.contains(says), "{what}: {}", ran.stderr);
        assert!(!sandbox.names().contains(&"out.csv".into()), "{what}");
        assert!(!sandbox.names().contains(&"s.json".into()), "{what}");
    }
    // Not a recipe, and no method either.
    sandbox.run("mask recipe.tml in.csv").ended(2);
    sandbox.run("mask recipe.toml").ended(2);
    sandbox
        .run("mask recipe.toml -o recipe.toml in.csv")
        .ended(2);
    sandbox
        .run("mask recipe.toml -o rules.toml in.csv")
        .ended(2);
    sandbox.run("mask gone.toml in.csv").ended(1);
}

#[test]
fn a_recipe_can_be_the_roles_file() {
    let sandbox = people();
    let with_roles = format!("[roles]\n{ROLES}\n{RECIPE}");
    sandbox.write("whole.toml", with_roles);
    sandbox
        .run("mask recipe.toml --roles roles.toml --seed 1 -o a.csv in.csv")
        .ended(0);
    sandbox
        .run("mask whole.toml --seed 1 -o b.csv in.csv")
        .ended(0);
    sandbox.write("classes.toml", "[age]\nbreaks = [30, 40]\n");
    assert_eq!(sandbox.text("a.csv"), sandbox.text("b.csv"));
    let refused = sandbox
        .run("mask whole.toml --roles roles.toml -o c.csv in.csv")
        .ended(2);
    assert!(
        refused
            .stderr
            .contains("--roles names a roles file beside it"),
        "{}",
        refused.stderr
    );
    // age is stated as a number, and holds names after the first step.
    sandbox.write(
        "classed.toml",
        format!("[roles]\n{ROLES}[[step]]\nmethod = \"recode\"\nrules = \"classes.toml\"\n[[step]]\nmethod = \"rankswap\"\np = 5\nattributes = \"income\"\n"),
    );
    sandbox
        .run("mask classed.toml --seed 1 -o d.csv in.csv")
        .ended(0);
    assert!(
        sandbox.text("d.csv").contains(">=40"),
        "{}",
        sandbox.text("d.csv")
    );
}

/// Semicolons and decimal commas; of two attributes one is left in the end, and its commas still mark decimals.
#[test]
fn marks_stay_what_they_were_in_all_steps() {
    let sandbox = Sandbox::new();
    let mut text = String::from("name;rent;food\r\n");
    for number in 0..40 {
        text += &format!(
            "n{number};{},{};{},5\r\n",
            100 + number * 13 % 57,
            number % 10,
            20 + number
        );
    }
    sandbox.write("in.csv", text);
    sandbox.write(
        "recipe.toml",
        "[file]\ndelimiter = \";\"\ndecimal-mark = \",\"\n[[step]]\nmethod = \"noise\"\nlevel = 0.1\ndrop = \"food\"\n\
         [[step]]\nmethod = \"rankswap\"\np = 20\n[[step]]\nmethod = \"noise\"\nlevel = 0.1\n",
    );
    sandbox
        .run("mask recipe.toml --seed 1 --statement s.json -o m.csv in.csv")
        .ended(0);
    let masked = sandbox.text("m.csv");
    let is_amount = |line: &str| {
        let (whole, tenth) = line.split_once(',').unwrap();
        whole.parse::<i32>().is_ok() && tenth.len() == 1
    };
    assert!(masked.starts_with("rent\r\n"), "{masked}");
    assert!(masked.lines().skip(1).all(is_amount), "{masked}");
    let options = "--delimiter ';' --decimal-mark ,";
    for call in [
        "mask noise --level 0.1 --drop food --seed 1 --statement a.json -o a.csv OPTIONS in.csv",
        "mask rankswap --p 20 --seed 1 --after a.json --statement b.json -o b.csv OPTIONS a.csv",
        "mask noise --level 0.1 --seed 1 --after b.json --statement c.json -o c.csv OPTIONS b.csv",
    ] {
        sandbox.run(&call.replace("OPTIONS", options)).ended(0);
    }
    assert_eq!(sandbox.text("c.csv"), masked);
    assert_eq!(sandbox.text("c.json"), sandbox.text("s.json"));
}

/// Without names, what is left out moves the others to other places.
#[test]
fn attributes_without_names_are_left_out_last() {
    let sandbox = Sandbox::new();
    let lines: String = (0..30)
        .map(|n| format!("{},{},{}\n", n % 7, n * 31 % 17, n * 5 % 11))
        .collect();
    sandbox.write("in.csv", lines);
    let swap = "[[step]]\nmethod = \"rankswap\"\np = 20\n";
    sandbox.write("first.toml", format!("{swap}drop = \"V1\"\n{swap}"));
    sandbox.write("last.toml", format!("{swap}{swap}drop = \"V1\"\n"));
    let refused = sandbox
        .run("mask first.toml --no-header -o a.csv in.csv")
        .ended(3);
    assert!(
        refused.stderr.contains("called by their places"),
        "{}",
        refused.stderr
    );
    sandbox
        .run("mask last.toml --no-header --statement s.json -o a.csv in.csv")
        .ended(0);
    assert_eq!(
        statement(&sandbox, "s.json")["steps"][1]["dropped"],
        json!(["V1"])
    );
}

#[test]
fn options_of_the_call_are_of_all_steps() {
    let sandbox = people();
    let ran = sandbox
        .run("mask recipe.toml --seed 1 --drop tax,sex --statement s.json -o m.csv in.csv")
        .ended(3);
    // A later step needs what the call leaves out.
    assert!(
        ran.stderr.contains("recipe.toml, line 5: step 2 of 3"),
        "{}",
        ran.stderr
    );
    sandbox.write("two.toml", &RECIPE[..RECIPE.find("strata").unwrap()]);
    sandbox
        .run("mask two.toml --seed 1 --drop sex --statement s.json --incomplete -o m.csv in.csv")
        .ended(0);
    assert!(sandbox.text("m.csv").starts_with("age,income,tax\n"));
    let whole = statement(&sandbox, "s.json");
    assert_eq!(whole["steps"][0]["dropped"], json!(["sex", "person"]));
    assert_eq!(whole["complete"], json!(false));
    // Amounts that no step masked single people out, which is said once, of the masked file; under --strict nothing appears.
    sandbox.write(
        "open.toml",
        "[[step]]\nmethod = \"recode\"\nrules = \"rules.toml\"\n[[step]]\nmethod = \"rankswap\"\np = 10\nattributes = \"age\"\n",
    );
    let ran = sandbox
        .run("mask open.toml --seed 1 -o open.csv in.csv")
        .ended(0);
    assert_eq!(
        ran.stderr.matches("can single out records").count(),
        1,
        "{}",
        ran.stderr
    );
    sandbox
        .run("mask open.toml --seed 1 --strict -o strict.csv in.csv")
        .ended(2);
    assert!(!sandbox.names().contains(&"strict.csv".into()));
    sandbox.write("calm.toml", "[roles]\nidentifier = [\"person\"]\nnon-confidential = [\"income\", \"tax\"]\n[[step]]\nmethod = \"recode\"\nrules = \"rules.toml\"\n[[step]]\nmethod = \"rankswap\"\np = 10\nattributes = \"age\"\n");
    sandbox
        .run("mask calm.toml --strict -o calm.csv in.csv")
        .ended(0);
    // A recipe from standard input finds its rules in the current folder.
    let piped = sandbox.run_with("mask recipe - --seed 1 -o p.csv in.csv", RECIPE.as_bytes());
    piped.ended(0);
    sandbox
        .run("mask recipe.toml --seed 1 -o q.csv in.csv")
        .ended(0);
    assert_eq!(sandbox.text("p.csv"), sandbox.text("q.csv"));
}

/// A plan of steps, with a sample: each row is what the recipe with its options and `link` with the whole statement give.
#[test]
fn steps_of_a_plan_are_those_of_a_recipe() {
    let sandbox = people();
    let steps = |share: &str, p: &str| {
        format!(
            "[[STEP]]\nmethod = \"recode\"\nrules = \"rules.toml\"\n[[STEP]]\nmethod = \"rankswap\"\np = {p}\nattributes = \"income,tax\"\n\
             [[STEP]]\nmethod = \"sample\"\nfraction = {share}\n"
        )
    };
    let head = "original = \"in.csv\"\nroles = \"roles.toml\"\nknown = \"age,income\"\nrepeats = 2\nseed = 7\n\
                attacks = [\"am\", \"rsld\", \"likelihood\"]\nlosses = [\"il\", \"changed\"]\n[[mask]]\n";
    let planned = steps("[0.5, 0.8]", "[5, 20]").replace("STEP", "mask.step");
    sandbox.write("plan.toml", format!("{head}{planned}"));
    let report = sandbox
        .run("evaluate plan.toml --into out --format json")
        .ended(0)
        .json();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    let label = "recode rules=rules.toml, rankswap p=5 attributes=income,tax, sample fraction=0.5";
    assert_eq!(report["settings"][0]["label"], json!(label));
    for (number, row) in rows.iter().enumerate() {
        let (p, share) = ([5, 20][number / 4], [0.5, 0.8][number / 2 % 2]);
        let said = &row["parameters"];
        assert_eq!(
            (&said["rankswap.p"], &said["sample.fraction"]),
            (&json!(p), &json!(share))
        );
        assert_eq!(row["method"], json!("recode, rankswap, sample"));
        assert_eq!(row["seed"], json!(7 + number % 2));
        let recipe = steps(&share.to_string(), &p.to_string()).replace("STEP", "step");
        sandbox.write("one.toml", recipe);
        let seed = 7 + number % 2;
        sandbox
            .run(&format!("mask one.toml --roles roles.toml --seed {seed} --keep-identifiers --statement s.json -o m.csv in.csv"))
            .ended(0);
        let pair = "--roles roles.toml --id person --format json in.csv m.csv";
        for (attack, method) in ["am", "rsld", "likelihood"].into_iter().enumerate() {
            let call =
                format!("link --method {method} --known age,income --statement s.json {pair}");
            let link = sandbox.run(&call).ended(0).json();
            assert_eq!(
                row["attacks"][attack]["rate"], link["results"][0]["rate"],
                "{method} {number}"
            );
            let (found, result) = (&row["attacks"][attack]["by_case"][0], &link["results"][0]);
            assert_eq!(found["rate"], result["rate"], "{method} {number}");
        }
        let loss = sandbox.run(&format!("loss {pair}")).ended(0).json();
        for key in ["il", "changed"] {
            assert_eq!(row["losses"][key], loss["measures"][key], "{key} {number}");
        }
    }
    // A run that is done is continued without work, and the page shows the steps.
    let again = sandbox
        .run("evaluate plan.toml --into out --format json")
        .ended(0)
        .json();
    assert_eq!(again["rows"], report["rows"]);
    assert!(
        sandbox
            .text("out/report.html")
            .contains("sample fraction=0.5")
    );
    // What is wrong with a later step is found where the plan has it, and what has no place is refused.
    for (steps, says) in [
        (
            planned.replace("income,tax", "income,tex"),
            "plan.toml, line 12: ",
        ),
        (
            format!("p = 5\n{planned}"),
            "plan.toml, line 9: [[mask]] has steps, and p beside them",
        ),
        (
            planned.replace("p = [5, 20]", "p = [5, 20]\nseed = 1"),
            "seed has no place in a plan",
        ),
        (
            planned.replace("method = \"sample\"\n", ""),
            "[[mask.step]] names no method",
        ),
    ] {
        sandbox.write("bad.toml", format!("{head}{steps}"));
        let ran = sandbox.run("evaluate bad.toml").ended(3);
        let says = says.replace("plan.toml", "bad.toml");
        assert!(ran.stderr.contains(&says), "{}", ran.stderr);
    }
}

/// One option of one step has a range; the answer comes with the recipe that masks the file so.
#[test]
fn a_search_finds_an_option_of_a_step() {
    let sandbox = people();
    sandbox.write(
        "plan.toml",
        "original = \"in.csv\"\nroles = \"roles.toml\"\nattributes = \"income,tax\"\nknown = \"income,tax\"\nrepeats = 2\nseed = 7\nattacks = [\"am\"]\n\
         [[mask]]\n[[mask.step]]\nmethod = \"noise\"\nlevel = { from = 0.05, to = 5.0 }\nattributes = \"income,tax\"\n\
         [[mask.step]]\nmethod = \"rankswap\"\np = 10\nattributes = \"income,tax\"\n",
    );
    let call = "search plan.toml --risk-at-most 30% --loss pil --format json";
    let report = sandbox.run(call).ended(0).json();
    let masking = &report["maskings"][0];
    assert_eq!(masking["range"]["option"], json!("noise.level"));
    assert_eq!(masking["chosen"]["parameters"]["rankswap.p"], json!(10));
    let command = report["best"][0]["command"].as_str().unwrap();
    // As somebody types it, with the program of the tests.
    let ran = sandbox.shell(&command.replace(
        "sdcrisk mask",
        &format!("'{}' mask", crate::sandbox::PROGRAM),
    ));
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let steps = &statement(&sandbox, "masked.sdc.json")["steps"];
    let found = &masking["chosen"]["parameters"]["noise.level"];
    assert_eq!(&steps[0]["parameters"]["level"].as_f64(), &found.as_f64());
    assert_eq!(steps[1]["method"], json!("rankswap"));
}
