//! Figures of every command: what is printed is defined, and what is published may be.

use sdcrisk::evaluate::measures;
use serde_json::Value;

use crate::sandbox::Sandbox;

/// People with a key, a confidential attribute, weights and amounts, swapped: every measure is asked for.
fn sandbox() -> Sandbox {
    let mut people = "town,sex,job,age,pay,w\n".to_string();
    for i in 0..60_i64 {
        let town = ["Hull", "York", "Bath"][usize::try_from(i % 3).unwrap()];
        let (sex, job) = (
            ["f", "m"][usize::from(i % 4 > 1)],
            ["a", "b", "c", "d"][usize::from(i % 7 > 3)],
        );
        people += &format!(
            "{town},{sex},{job},{},{},3\n",
            20 + i * 7 % 43,
            900 + i * i % 517
        );
    }
    people += ",f,a,31,950,3\n";
    let roles = "confidential = [\"job\"]\n";
    let sandbox = Sandbox::with(&[("o.csv", &people), ("roles.toml", roles)]);
    sandbox
        .run("mask rankswap --roles roles.toml --attributes age,pay --p 10 --seed 1 --statement s.json -o m.csv o.csv")
        .ended(0);
    sandbox.write(
        "rules.toml",
        "[town.groups]\nnorth = [\"Hull\", \"York\"]\n",
    );
    sandbox
        .run("mask recode --rules rules.toml -o r.csv o.csv")
        .ended(0);
    sandbox
}

const CALLS: [&str; 6] = [
    "loss --roles roles.toml --attributes town,sex,age,pay --clusters 2 --starts 2 --classify sex --regress pay~age --format json o.csv m.csv",
    "risk --roles roles.toml --key town,sex --k 3 --l 2 --t 0.5 --weights w --format json o.csv",
    "risk --roles roles.toml --key town,sex --k 3 --l 2 --t 0.5 --weights w --format json o.csv m.csv",
    "risk --key town,sex --attributes age --confidential pay --format json o.csv m.csv",
    "score --statement s.json --known first:2 --format json o.csv m.csv",
    "score --known age,pay --format json o.csv r.csv",
];

/// The keys of all figures of a report.
fn keys(report: &Value) -> Vec<String> {
    let lists = ["figures", "figures_before", "analyses", "corrected"];
    let figures = lists
        .iter()
        .filter_map(|list| report[list].as_array())
        .flatten()
        .map(|figure| figure["key"].as_str().unwrap().to_owned());
    let measures = (report["measures"].as_object().into_iter()).flat_map(|map| map.keys().cloned());
    figures.chain(measures).collect()
}

#[test]
fn every_figure_that_is_printed_is_in_the_table_of_definitions() {
    let sandbox = sandbox();
    let mut seen = Vec::new();
    for call in CALLS {
        let report = sandbox.run(call).ended(0).json();
        let keys = keys(&report);
        assert!(keys.len() > 10, "{call}");
        for key in keys {
            assert!(measures::find(&key).is_some(), "{key} of {call}");
            seen.push(key);
        }
    }
    // Nothing is defined for no command; rates of attacks are those of `evaluate`.
    for what in measures::all() {
        let is_of_evaluate = matches!(what.group, sdcrisk::figure::Group::Attack);
        assert!(
            is_of_evaluate || seen.iter().any(|key| key == what.key),
            "{}",
            what.key
        );
    }
}

/// Of whatever a result holds, the external page names and values public figures only.
#[test]
fn the_external_page_shows_public_figures_only() {
    let sandbox = sandbox();
    for call in CALLS {
        let mut report = sandbox.run(call).ended(0).json();
        // A figure of a later version, which no definition knows.
        if let Some(figures) = report["figures"].as_array_mut() {
            let mut unknown = figures[0].clone();
            unknown["key"] = "of_another_version".into();
            unknown["name"] = "figure of another version".into();
            figures.push(unknown);
        }
        sandbox.write("r.json", report.to_string());
        let page = sandbox.run("report --external r.json").ended(0).text();
        let is_loss = call.starts_with("loss");
        assert_eq!(is_loss && page.contains("<code>il</code>"), is_loss);
        assert!(!page.contains("<code>of_another_version</code>"), "{call}");
        for what in measures::all().filter(|what| !what.is_public) {
            let shown = format!("<code>{}</code>", what.key);
            assert!(!page.contains(&shown), "{} of {call}", what.key);
        }
    }
}
