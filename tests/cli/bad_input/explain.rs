//! `explain`: files that are no weights, and options that make no sense.

use super::{Case, End::Shows, GOOD, case, fails};
use crate::explain::WEIGHTS;

fn weights(name: &'static str, from: &str, to: &str, says: &'static str) -> Case {
    assert!(WEIGHTS.contains(from), "{from}");
    fails(name, "explain w.json", 3, says).file("w.json", WEIGHTS.replacen(from, to, 1))
}

pub fn cases() -> Vec<Case> {
    let no_weights = "w.json: is not a file of learned weights";
    vec![
        case(
            "explain: a good file",
            "explain w.json",
            Shows("tax & <fees> and AGI carry 87.5 % of the weight together"),
        )
        .file("w.json", WEIGHTS),
        fails(
            "explain: no such file",
            "explain none.json",
            1,
            "there is no such file",
        ),
        fails(
            "explain: no file",
            "explain",
            2,
            "required arguments were not provided",
        ),
        fails("explain: an empty file", "explain w.json", 3, no_weights).file("w.json", ""),
        fails("explain: a table", "explain w.json", 3, no_weights).file("w.json", GOOD),
        fails(
            "explain: half a file",
            "explain w.json",
            3,
            "ends too early",
        )
        .file("w.json", &WEIGHTS[..300]),
        fails("explain: another JSON", "explain w.json", 3, no_weights)
            .file("w.json", r#"{"schema": "sdcrisk.link/1", "results": []}"#),
        fails("explain: no text", "explain w.json", 3, "is not UTF-8 text")
            .file("w.json", [0xff, 0xfe, 0x00]),
        weights(
            "explain: a later schema",
            "weights/1",
            "weights/2",
            "is not of the schema",
        ),
        weights(
            "explain: unknown family",
            "\"wm\"",
            "\"wn\"",
            "another \"family\" than wm",
        ),
        weights(
            "explain: another basis",
            "\"attributes\",",
            "\"measure\",",
            "another basis",
        ),
        weights(
            "explain: no attributes",
            r#"["AGI", "tax & <fees>", "FICA"]"#,
            "[]",
            "names no attributes",
        ),
        weights(
            "explain: an attribute twice",
            r#", "FICA"]"#,
            r#", "AGI"]"#,
            "attribute \"AGI\": is named twice",
        ),
        weights(
            "explain: a weight too few",
            r#", "FICA": 0.125}"#,
            "}",
            "lacks \"FICA\" in \"weights\"",
        ),
        weights(
            "explain: a weight too many",
            r#""FICA": 0.125}"#,
            r#""FICA": 0.125, "TAX": 0}"#,
            "has \"TAX\" in \"weights\"",
        ),
        weights(
            "explain: a weight twice",
            r#""FICA": 0.125}"#,
            r#""FICA": 0.1, "FICA": 0.025}"#,
            "has \"FICA\" twice",
        ),
        weights("explain: a sum of 2", "0.75", "1.0", "do not sum to 1"),
        weights(
            "explain: a weight below 0",
            "0.75",
            "-0.75",
            "not between 0 and 1",
        ),
        weights(
            "explain: a weight beyond numbers",
            "0.75",
            "1e999",
            no_weights,
        ),
        weights(
            "explain: a weight that is a word",
            "0.75",
            "\"much\"",
            no_weights,
        ),
        weights(
            "explain: a range upside down",
            "[0.1, 0.2]",
            "[0.2, 0.1]",
            "least value is above the greatest",
        ),
        weights(
            "explain: more links than records",
            "\"linked\": 300",
            "\"linked\": 500",
            "more links than records",
        ),
        fails(
            "explain: svg over the weights",
            "explain --svg w.json w.json",
            2,
            "it is an input of this call",
        )
        .file("w.json", WEIGHTS),
        fails(
            "explain: svg and text to one place",
            "explain --svg - w.json",
            2,
            "another output of this call",
        )
        .file("w.json", WEIGHTS),
        fails(
            "explain: unknown format",
            "explain --format yaml w.json",
            2,
            "invalid value 'yaml'",
        )
        .file("w.json", WEIGHTS),
        fails(
            "explain: 17 attributes of a measure",
            "explain w.json",
            3,
            "has 17 attributes, more than ci can have",
        )
        .file("w.json", many()),
    ]
}

/// A measure of so many attributes that nobody wants to list its sets.
fn many() -> String {
    let names: Vec<String> = (0..17).map(|k| format!("\"V{k}\"")).collect();
    WEIGHTS
        .replace("\"wm\"", "\"ci\"")
        .replace("\"attributes\",", "\"measure\",")
        .replace(r#""AGI", "tax & <fees>", "FICA""#, &names.join(", "))
}
