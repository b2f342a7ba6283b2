//! The household survey of `demo --survey`: a recipe of four steps, attacked by what is published.

use serde_json::Value;

use crate::sandbox::Sandbox;

const ROLES: &str = "identifier = [\"person\", \"household\", \"remarks\"]
quasi-identifier = [\"region\", \"birth\", \"sex\", \"education\", \"status\"]
confidential = [\"occupation\", \"industry\", \"hours\", \"wage\", \"rent\", \"household_income\"]
non-confidential = [\"weight\"]
nominal = [\"region\", \"sex\", \"status\"]
[dates]
birth = \"%d.%m.%Y\"
[empty]
occupation = \"category\"
industry = \"category\"
";

const RECIPE: &str = "[[step]]
method = \"recode\"
rules = \"rules.toml\"
[[step]]
method = \"rankswap\"
attributes = \"birth\"
strata = \"region\"
p = 5
[[step]]
method = \"pram\"
attributes = \"education,status\"
keep = 0.9
invariant = true
[[step]]
method = \"suppress\"
key = \"region,sex,education,status\"
k = 3
";

const LINK: &str =
    "link --method likelihood --roles roles.toml --known region,birth,sex,education,status";

/// The first 1,500 persons of the survey, masked by the recipe.
fn survey() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("roles.toml", ROLES);
    sandbox.write(
        "rules.toml",
        "[region]\ndigits = 2\n[birth]\ntruncate = \"year\"\n",
    );
    sandbox.write("release.toml", RECIPE);
    let ran =
        sandbox.shell("set -e; sdcrisk demo --survey > all.csv; head -1501 all.csv > survey.csv");
    assert_eq!(ran.status, Some(0));
    sandbox
        .run("mask release.toml --roles roles.toml --seed 1 --statement all.json -o masked.csv survey.csv")
        .ended(0);
    sandbox
}

fn statement(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.text("all.json")).unwrap()
}

/// The statement without one of its steps.
fn without(sandbox: &Sandbox, step: usize, name: &str) {
    let mut stated = statement(sandbox);
    stated["steps"].as_array_mut().unwrap().remove(step);
    sandbox.write(name, stated.to_string());
}

/// Whoever applies the published rules by hand, and the other steps by the rest of the statement, links the same records with the same
/// costs.
#[test]
fn an_intruder_who_reads_the_history_is_one_who_recodes_by_hand() {
    let sandbox = survey();
    without(&sandbox, 0, "rest.json");
    sandbox
        .run(&format!(
            "{LINK} --statement all.json --links read.csv survey.csv masked.csv"
        ))
        .ended(0);
    sandbox
        .run("mask recode --rules rules.toml --roles roles.toml --keep-identifiers -o by_hand.csv survey.csv")
        .ended(0);
    sandbox
        .run(&format!(
            "{LINK} --statement rest.json --links by_hand_links.csv by_hand.csv masked.csv"
        ))
        .ended(0);
    assert_eq!(sandbox.text("read.csv"), sandbox.text("by_hand_links.csv"));
}

/// A step that nobody stated: its attributes leave the laws, so fewer are found, and the report begins with a warning that names them.
/// Suppression is no such step: a gap says of itself that it is one.
#[test]
fn a_step_that_is_left_out_lowers_the_figure_and_warns() {
    let sandbox = survey();
    let attack = |statement: &str| {
        let ran = sandbox.run(&format!(
            "{LINK} --statement {statement} --format json survey.csv masked.csv"
        ));
        let json: Value = serde_json::from_str(&ran.ended(0).text()).unwrap();
        let warned = json["warnings"].as_array().map_or(0, Vec::len);
        (
            json["results"][0]["correct"]["fair"].as_f64().unwrap(),
            warned,
        )
    };
    let (all, warned) = attack("all.json");
    assert_eq!(warned, 0);
    let methods = ["recode", "rankswap", "pram"];
    for (step, method) in methods.iter().enumerate() {
        assert_eq!(statement(&sandbox)["steps"][step]["method"], *method);
        without(&sandbox, step, "rest.json");
        let (rest, warned) = attack("rest.json");
        assert!(
            rest < all && warned > 0,
            "{method}: {rest} of {all}, {warned} warnings"
        );
        sandbox
            .run(&format!(
                "--strict {LINK} --statement rest.json survey.csv masked.csv"
            ))
            .ended(2);
    }
}
