//! `report` as users call it: on results that the commands wrote just before.

use std::{fmt::Write as _, os::unix::fs::PermissionsExt};

use crate::{results, sandbox::Sandbox};

/// 60 records of four amounts and a town.
fn people() -> String {
    let mut text = String::from("town,age,\"pay <b>&\",rent,tax\n");
    for i in 0..60_u32 {
        let (age, pay) = (20 + i * 7 % 53, 1000 + i * i * 37 % 5003);
        let town = ["Hull", "York", "Leeds"][i as usize % 3];
        writeln!(
            text,
            "{town},{age},{pay},{},{}",
            300 + pay / 4 + i * 11 % 97,
            pay / 5 + age
        )
        .unwrap();
    }
    text
}

/// A share as reports write it, for shares between 1 and 99 %.
fn percent(value: &serde_json::Value) -> String {
    format!("{:.1} %", 100.0 * value.as_f64().unwrap())
}

#[test]
fn results_of_the_commands_become_one_page() {
    let sandbox = Sandbox::with(&[("in.csv", &people())]);
    for command in [
        "mask rankswap --p 10 --seed 860417 --statement s.json -o m.csv in.csv",
        "link --method am,rsld --p 10 --known sweep:4 --format json -o link.json in.csv m.csv",
        "link --method am --links links.csv --format json -o one.json in.csv m.csv",
        "loss --format json -o loss.json in.csv m.csv",
        "match-attributes --format json -o match.json in.csv m.csv",
    ] {
        sandbox.run(command).ended(0);
    }
    sandbox.write(
        "d.json",
        sandbox.run("describe --format json in.csv").ended(0).stdout,
    );
    sandbox.run("report -o r.html --title 'The board, 3 May' --release-type open link.json one.json links.csv loss.json s.json d.json match.json").ended(0);
    let page = sandbox.text("r.html").replace('\u{a0}', " ");
    let link: serde_json::Value = serde_json::from_slice(&sandbox.read("link.json")).unwrap();
    for result in link["results"].as_array().unwrap() {
        if (0.01..0.99).contains(&result["rate"].as_f64().unwrap()) {
            assert!(page.contains(&percent(&result["rate"])), "{result}");
        }
        for [size, records] in result["candidates_histogram"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|bin| [bin[0].as_u64().unwrap(), bin[1].as_u64().unwrap()])
        {
            assert!(size == 0 || size.is_power_of_two());
            assert!(records > 0);
        }
    }
    let loss: serde_json::Value = serde_json::from_slice(&sandbox.read("loss.json")).unwrap();
    assert!(page.contains(&percent(&loss["measures"]["il"])));
    for told in [
        "<h1>The board, 3 May</h1>",
        "Type of release: open",
        "pay &lt;b&gt;&amp;",
        "rank swapping",
        "Records most at risk",
        "Correct links by what the intruder knows",
        "How many masked records stay possible",
    ] {
        assert!(page.contains(told), "{told}");
    }
    // The page holds what private results hold.
    let mode = |name: &str| {
        std::fs::metadata(sandbox.path(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("r.html"), 0o600);
    sandbox
        .run("report --external -o e.html link.json loss.json s.json d.json")
        .ended(0);
    let external = sandbox.text("e.html");
    assert!(!external.contains("860417") && !external.contains("<svg"));
    assert_ne!(mode("e.html"), 0o600);
}

/// The histogram of candidate sets adds up to the records, and its bin of one to the certain ones.
#[test]
fn the_histogram_of_link_counts_every_record_once() {
    let sandbox = Sandbox::with(&[("in.csv", &people())]);
    sandbox
        .run("mask rankswap --p 10 --seed 3 -o m.csv in.csv")
        .ended(0);
    let json = sandbox
        .run("link --method am,rsld --p 10 --known sweep:4 --format json in.csv m.csv")
        .ended(0)
        .json();
    let mut seen = 0;
    for result in json["results"].as_array().unwrap() {
        let Some(bins) = result["candidates_histogram"].as_array() else {
            assert_eq!(result["method"], "am");
            continue;
        };
        seen += 1;
        let records: u64 = bins.iter().map(|bin| bin[1].as_u64().unwrap()).sum();
        assert_eq!(records, 60);
        let of = |size: u64| {
            bins.iter()
                .find(|bin| bin[0] == size)
                .map_or(0, |bin| bin[1].as_u64().unwrap())
        };
        assert_eq!(of(1), result["certain"].as_u64().unwrap());
        assert_eq!(of(0), result["empty"].as_u64().unwrap());
    }
    assert_eq!(seen, 4);
    assert_eq!(json["provenance"]["files"][1]["name"], "m.csv");
    assert_eq!(json["provenance"]["files"][1]["records"], 60);
    assert!(
        json["reading"][0]
            .as_str()
            .unwrap()
            .starts_with("How to read this")
    );
}

#[test]
fn a_result_comes_through_a_pipe_and_the_page_goes_through_one() {
    let sandbox = Sandbox::new();
    let page = sandbox
        .run_with(
            "report --external -",
            results::loss().to_string().as_bytes(),
        )
        .ended(0)
        .text();
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("Information loss"),
        "{page}"
    );
}

/// The same results give the same page, byte by byte.
#[test]
fn pages_carry_no_clock() {
    let sandbox = Sandbox::with(&[("link.json", &results::link().to_string())]);
    let page = |options: &str| {
        sandbox
            .run(&format!("report {options} link.json"))
            .ended(0)
            .stdout
    };
    assert_eq!(page("--threads 1"), page("--threads 4"));
}

/// Notes of a description are a line, an attribute and a text.
#[test]
fn a_description_with_a_note_has_its_page() {
    let sandbox = Sandbox::with(&[("in.csv", "a,b\n1,x\n\n2,y\n3,z\n")]);
    sandbox.write(
        "d.json",
        sandbox.run("describe --format json in.csv").ended(0).text(),
    );
    let page = sandbox.run("report d.json").ended(0).text();
    assert!(page.contains("1 blank line is skipped"), "{page}");
}
