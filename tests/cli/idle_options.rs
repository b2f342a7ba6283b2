//! Options that have no use in a call: a note, an error under `--strict`, and nothing else.

use crate::{
    bad_input::{GOOD, MASKED},
    sandbox::Sandbox,
};

fn sandbox() -> Sandbox {
    Sandbox::with(&[("good.csv", GOOD), ("masked.csv", MASKED)])
}

/// What an option without use asks for must not be done in part: the output is that of the call without it.
#[test]
fn a_call_with_an_idle_option_prints_what_it_prints_without_it() {
    let sandbox = sandbox();
    sandbox.write("held.txt", "1\n2\n3\n");
    for (call, idle) in [
        (
            "link --method am good.csv masked.csv",
            "--train-records 4 --train-splits 3 --seed 9",
        ),
        (
            "link --method am good.csv masked.csv",
            "--p 20 --p-unit percent --group age,income:3 --algorithm pca",
        ),
        (
            "link --method am good.csv masked.csv",
            "--agree sd:2 --fit known --em-iterations 1 --kernel tanh --offset 1 --eps 0.1",
        ),
        (
            "link --method am --known age,income good.csv masked.csv",
            "--attributes age,bonus",
        ),
        (
            "link --method prl --assign one-to-one good.csv masked.csv",
            "--standardize none --posterior sampled",
        ),
        (
            "link --method likelihood --window 2 --assign best good.csv masked.csv",
            "--posterior sampled --seed 4",
        ),
        (
            "link --method wm --time-limit 20 --train-records held.txt good.csv masked.csv",
            "--train-splits 5",
        ),
        (
            "loss good.csv masked.csv",
            "--starts 2 --folds 3 --classes 4 --analysis-seed 5",
        ),
        (
            "risk --key town good.csv",
            "--attributes age --tolerance 5% --l 2 --shuffle-key nowhere.csv",
        ),
        ("score good.csv masked.csv", "--seed 5 --p-unit percent"),
        (
            "mask microagg --k 3 --attributes age --seed 1 --shuffle k.csv good.csv",
            "--scale none --gamma 0.3",
        ),
        (
            "mask noise --level 0.5 --attributes age --seed 1 good.csv",
            "--correlated",
        ),
        (
            "mask copula --mu 3 --attributes age --allocation uniform --seed 1 good.csv",
            "--weight age=10 --id town",
        ),
        (
            "mask copula --mu 3 --attributes age --seed 1 good.csv",
            "--weight income=10",
        ),
        (
            "mask suppress --k 2 --key town good.csv",
            "--attributes age --seed 7",
        ),
    ] {
        let plain = sandbox.run(call).ended(0);
        let files = sandbox.listing();
        let with = sandbox.run(&format!("{call} {idle}")).ended(0);
        assert_eq!(plain.text(), with.text(), "{call} {idle}");
        assert!(files == sandbox.listing(), "{call} {idle}");
        assert!(with.stderr.contains("note: --"), "{}", with.stderr);
        let quiet = sandbox.run(&format!("-q {call} {idle}")).ended(0);
        assert_eq!(quiet.stderr, "", "{call} {idle}");
        let strict = sandbox.run(&format!("-q --strict {call} {idle}")).ended(2);
        assert_eq!(strict.text(), "");
        assert!(
            strict.stderr.contains("no effect")
                && strict.stderr.contains("Without --strict this is a note"),
            "{}",
            strict.stderr
        );
    }
}

/// A file that was asked for and cannot be made is an error: a loop would go on with that of an earlier call.
#[test]
fn a_file_that_cannot_be_made_is_refused() {
    let sandbox = sandbox();
    for call in [
        "link --method am --weights w.json good.csv masked.csv",
        "link --method am --certificate c.json good.csv masked.csv",
        "risk --records r.csv --attributes age,income good.csv masked.csv",
    ] {
        sandbox.write("roles.toml", "non-confidential = ['town', 'flat', 'age']\n");
        let before = sandbox.listing();
        sandbox.run(&format!("{call} --roles roles.toml")).ended(2);
        assert!(before == sandbox.listing(), "{call}");
    }
}

#[test]
fn a_roles_file_may_name_attributes_of_other_files() {
    let sandbox = sandbox();
    sandbox.write(
        "roles.toml",
        "identifier = ['person_id', 'tax_number']\nconfidential = ['bonus']\n",
    );
    let ran = sandbox
        .run("mask rankswap --window 2 --seed 1 --roles roles.toml good.csv")
        .ended(0);
    assert!(ran.text().starts_with("age,income,bonus,town,flat\n"));
    assert!(
        ran.stderr
            .contains("note: good.csv does not have all that the roles file names: tax_number"),
        "{}",
        ran.stderr
    );
    sandbox
        .run("--strict mask rankswap --window 2 --roles roles.toml good.csv")
        .ended(2);
}

/// The identifier has another name in the masked file: the report is that of the same name, and neither column is compared.
#[test]
fn an_identifier_may_have_two_names() {
    let sandbox = sandbox();
    let mut lines: Vec<String> = MASKED.lines().map(String::from).collect();
    lines[1..].reverse();
    let reversed = lines.join("\n") + "\n";
    sandbox.write("m.csv", &reversed);
    sandbox.write("renamed.csv", reversed.replacen("person_id", "no", 1));
    let result = |call: &str, id: &str, masked: &str| {
        let ran = sandbox
            .run(&format!("{call} --format json --id {id} good.csv {masked}"))
            .ended(0);
        let mut json = ran.json();
        let report = json.as_object_mut().unwrap();
        report.remove("provenance");
        report.remove("scenario");
        report.remove("reading");
        json
    };
    for call in ["link --method am", "loss", "risk --key town", "score"] {
        assert_eq!(
            result(call, "person_id", "m.csv"),
            result(call, "person_id=no", "renamed.csv"),
            "{call}"
        );
    }
    sandbox
        .run("link --method am --id person_id=no --links l.csv good.csv renamed.csv")
        .ended(0);
    assert!(
        sandbox
            .text("l.csv")
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("geheim01,geheim")
    );
}

#[test]
fn the_key_of_the_order_has_one_name_and_its_old_one() {
    let sandbox = sandbox();
    sandbox
        .run("mask rankswap --window 2 --shuffle key.csv -o m.csv good.csv")
        .ended(0);
    for call in ["link --method am", "loss", "score"] {
        let [new, old] = ["--shuffle-key", "--key"].map(|option| {
            sandbox
                .run(&format!("{call} {option} key.csv good.csv m.csv"))
                .ended(0)
                .text()
        });
        assert_eq!(new, old, "{call}");
    }
    sandbox
        .run("risk --key town --shuffle-key key.csv good.csv m.csv")
        .ended(0);
}
