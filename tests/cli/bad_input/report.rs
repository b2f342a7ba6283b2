//! `report`: files that are no results, and options that make no sense.

use super::{Case, End::Shows, GOOD, case, fails};
use crate::{explain::WEIGHTS, results};

/// A result of `link` with one text in place of another.
fn link(name: &'static str, from: &str, to: &str, says: &'static str) -> Case {
    let text = results::link().to_string();
    assert!(text.contains(from), "{from}");
    fails(name, "report link.json", 3, says).file("link.json", text.replacen(from, to, 1))
}

fn other(name: &'static str, content: &str, says: &'static str) -> Case {
    fails(name, "report r.json", 3, says).file("r.json", content)
}

pub fn cases() -> Vec<Case> {
    vec![
        case(
            "report: a good result",
            "report link.json",
            Shows("733 of 977 records correctly"),
        )
        .file("link.json", results::link().to_string()),
        fails(
            "report: no result",
            "report",
            2,
            "required arguments were not provided",
        ),
        fails(
            "report: no such file",
            "report none.json",
            1,
            "there is no such file",
        ),
        other("report: an empty file", "", "r.json, line 1: is not JSON"),
        other("report: a table", GOOD, "r.json, line 1: is not JSON"),
        other(
            "report: half a file",
            "{\"schema\":\n\"sdcrisk.link/1\",",
            "r.json, line 2: is not JSON",
        ),
        other("report: other JSON", "[1, 2]", "it is no result of sdcrisk"),
        other(
            "report: a schema of others",
            "{\"schema\": \"geheim/1\"}",
            "of a schema that reports do not know",
        ),
        other(
            "report: an explanation",
            "{\"schema\": \"sdcrisk.explain/1\"}",
            "There are reports of: link, loss, risk, score",
        ),
        other(
            "report: a later version",
            "{\"schema\": \"sdcrisk.link/2\"}",
            "Use the version of sdcrisk that wrote it, or a later one",
        ),
        other(
            "report: no version",
            "{\"schema\": \"sdcrisk.link\"}",
            "states no version of its schema",
        ),
        other(
            "report: a certificate",
            "{\"schema\": \"sdcrisk.certificate/2\"}",
            "is a certificate: it identifies people",
        ),
        other(
            "report: nothing but a head",
            "{\"schema\": \"sdcrisk.link/1\", \"version\": \"0.1.0\", \"status\": \"done\"}",
            "lacks \"scenario\" at its top",
        ),
        link(
            "report: a rate that is text",
            "\"rate\":0.134595",
            "\"rate\":\"geheim\"",
            "is not as its schema says at results[0].rate",
        ),
        link(
            "report: a rate that is absent",
            "\"rate\":0.134595,",
            "",
            "lacks \"rate\" at results[0]",
        ),
        link(
            "report: an interval without an end",
            "[0.114611,0.157424]",
            "[0.114611]",
            "at results[0].interval",
        ),
        link(
            "report: a negative number of records",
            "\"records\":977",
            "\"records\":-977",
            "at results[0].records",
        ),
        other(
            "report: weights that are none",
            &WEIGHTS.replace("0.125", "\"geheim\""),
            "r.json: ",
        ),
        other(
            "report: links with a line that is none",
            "record,linked,distance,candidates,tied,rank_of_true\n1,2,0.5,geheim,1,1\n",
            "r.json, line 2: is not a line of links",
        ),
        fails(
            "report: weights for others",
            "report --external w.json",
            2,
            "w.json: holds learned weights",
        )
        .file("w.json", WEIGHTS),
        fails(
            "report: links for others",
            "report --external l.csv",
            2,
            "l.csv: holds links, which say who is who",
        )
        .file(
            "l.csv",
            "record,linked,distance,candidates,tied,rank_of_true\n1,1,0.5,1,1,1\n",
        ),
        fails(
            "report: standard input twice",
            "report - -",
            2,
            "standard input ('-') can be read only once",
        ),
        fails(
            "report: a result twice",
            "report link.json ./link.json",
            2,
            "link.json: is named twice",
        )
        .file("link.json", results::link().to_string()),
        fails(
            "report: over a result",
            "report -o link.json link.json",
            2,
            "inputs are never overwritten",
        )
        .file("link.json", results::link().to_string()),
    ]
}
