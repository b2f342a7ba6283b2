//! Help, manual pages and completions agree with one another.

use std::collections::BTreeSet;

use crate::sandbox::Sandbox;

const COMMANDS: [&str; 33] = [
    "",
    "mask",
    "mask rankswap",
    "mask pbuckets",
    "mask pdistribution",
    "mask noise",
    "mask copula",
    "mask fuzzy",
    "mask microagg",
    "mask ipso",
    "mask recode",
    "mask suppress",
    "mask sample",
    "mask pram",
    "mask recipe",
    "link",
    "loss",
    "risk",
    "score",
    "search",
    "evaluate",
    "merge",
    "report",
    "explain",
    "verify",
    "match-attributes",
    "guess",
    "describe",
    "roles",
    "demo",
    "selftest",
    "completions",
    "man",
];

/// Every `--option` of a help text that begins a description.
fn options(help: &str) -> BTreeSet<String> {
    help.lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'))
        .flat_map(|line| line.split([' ', ',']))
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .map(|word| word.trim_end_matches("...").to_owned())
        .collect()
}

#[test]
fn manual_pages_hold_every_option_of_the_help() {
    let sandbox = Sandbox::new();
    for command in COMMANDS {
        let help = sandbox.run(&format!("{command} --help")).ended(0).text();
        let page = sandbox
            .run(&format!("man {}", command.replace(' ', "-")))
            .ended(0)
            .text()
            .replace("\\-", "-");
        assert!(page.contains(".TH"), "no manual page: {page}");
        let by_words = sandbox.run(&format!("man {command}")).ended(0).text();
        assert_eq!(by_words.replace("\\-", "-"), page);
        assert_eq!(
            sandbox.run(&format!("help {command}")).ended(0).text(),
            help
        );
        let options = options(&help);
        assert!(options.contains("--help"), "{command}: {help}");
        for option in options {
            assert!(
                page.contains(&option),
                "{option} of {command} is not in its manual page"
            );
        }
    }
}

#[test]
fn help_names_the_options_of_the_contract() {
    let sandbox = Sandbox::new();
    let of = |command: &str| options(&sandbox.run(&format!("{command} --help")).ended(0).text());
    let reading = "--delimiter --decimal-mark --encoding --na --roles";
    let everywhere = "--threads --quiet --verbose --timings";
    for (command, named) in [
        (
            "mask rankswap",
            "--p --window --partner --keep-sums --keep-zeros --zeros-within --strata --attributes --drop --keep-identifiers --output --statement --shuffle --seed",
        ),
        (
            "mask pbuckets",
            "--p --strata --attributes --drop --keep-identifiers --output --statement --shuffle --seed",
        ),
        (
            "mask pdistribution",
            "--p --p-unit --strata --attributes --drop --keep-identifiers --output --statement --shuffle --seed",
        ),
        (
            "mask noise",
            "--level --correlated --restore --decimals --keep-sums --keep-zeros --zeros-within --strata --attributes --output --statement --shuffle --seed",
        ),
        (
            "mask fuzzy",
            "--k --clusters --m1 --m2 --group --scale --decimals --starts --tolerance --max-iterations --init-centres --partition --centres --memberships --strata --attributes --statement --seed",
        ),
        (
            "link",
            "--method --known --known-records --recode --direction --ties --p --window --statement --standardize --attributes-masked --quantifiers --assign --posterior --id --links --format --fail-above --fail-above-extremes --seed --output",
        ),
        (
            "mask recode",
            "--rules --drop --output --statement --shuffle",
        ),
        (
            "mask pram",
            "--keep --matrix --invariant --strata --attributes --statement --shuffle --seed",
        ),
        (
            "mask recipe",
            "--drop --keep-identifiers --output --statement --after --incomplete --shuffle --seed",
        ),
        (
            "mask suppress",
            "--k --key --missing-matches --rules --statement",
        ),
        (
            "risk",
            "--key --missing-matches --weights --k --msu-size --suda-scoring --sampling-fraction --confidential --l --c --t --tolerance --attributes --id --shuffle-key --recode --statement --format --most-at-risk --records --fail-above --output",
        ),
        (
            "match-attributes",
            "--attributes --attributes-b --scale --distance --relation --within --rename --format --output",
        ),
        (
            "loss",
            "--attributes --id --shuffle-key --recode --statement --weights --measures --by-attribute --brief --explain --format --output",
        ),
        ("verify", "--id --shuffle-key --format --output"),
        ("guess", "--attributes --aligned --id --format --output"),
        ("describe", "--format"),
    ] {
        let has = of(command);
        for option in [named, reading, everywhere].join(" ").split(' ') {
            assert!(has.contains(option), "{command} lacks {option}: {has:?}");
        }
    }
    // They read no table.
    let has = of("report");
    for option in ["--external --title --release-type --output", everywhere]
        .join(" ")
        .split(' ')
    {
        assert!(has.contains(option), "report lacks {option}: {has:?}");
    }
    let has = of("explain");
    for option in ["--format --svg --output", everywhere].join(" ").split(' ') {
        assert!(has.contains(option), "explain lacks {option}: {has:?}");
    }
}

#[test]
fn every_example_of_the_help_names_a_command_that_exists() {
    let sandbox = Sandbox::new();
    let mut examples = 0;
    for command in COMMANDS {
        let help = sandbox.run(&format!("{command} --help")).ended(0).text();
        for line in help.lines().filter(|line| line.starts_with("  sdcrisk ")) {
            for call in line.split('|').map(str::trim) {
                let words: Vec<&str> = call.split(' ').skip(1).take(2).collect();
                let path = match words[..] {
                    ["mask", recipe] if recipe.ends_with(".toml") => "mask recipe".to_owned(),
                    ["mask", method] => format!("mask {method}"),
                    [command, ..] => command.to_owned(),
                    [] => String::new(),
                };
                assert!(COMMANDS.contains(&path.as_str()), "{line}");
                examples += 1;
            }
        }
    }
    assert!(examples >= 10, "{examples} examples");
}

#[test]
fn completions_know_the_options_of_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = sandbox.run(&format!("completions {shell}")).ended(0).text();
        for word in [
            "rankswap",
            "known-records",
            "fail-above",
            "keep-identifiers",
            "describe",
        ] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let script = sandbox.run("completions bash").ended(0).stdout;
    sandbox.write("sdcrisk.bash", script);
    let checked = sandbox.shell("command -v bash >/dev/null || exit 0; bash -n sdcrisk.bash");
    assert_eq!(checked.status, Some(0), "{}", checked.stderr);
}

#[test]
fn help_and_version_go_to_standard_output() {
    let sandbox = Sandbox::new();
    let version = sandbox.run("--version").ended(0);
    assert_eq!(
        version.text(),
        format!("sdcrisk {}\n", env!("CARGO_PKG_VERSION"))
    );
    for command in COMMANDS {
        let ran = sandbox.run(&format!("{command} --help")).ended(0);
        assert!(ran.text().contains("Usage: sdcrisk"), "{command}");
        assert_eq!(ran.stderr, "");
    }
}
