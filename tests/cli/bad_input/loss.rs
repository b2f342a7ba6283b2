//! `loss`: options without effect, and files that cannot be compared.

use super::{Case, fails};

const STATEMENT: &str = r#"{"schema": "sdcrisk.statement/1", "version": "0", "method": "noise", "parameters":
{"law": "normal", "level": 0.1, "correlated": false, "restored": false, "rounded": false}, "records": 10,
"attributes": ["age", "income"], "missing": "left in place"}"#;

pub fn cases() -> Vec<Case> {
    let with = |old: &str, new: &str| {
        assert!(STATEMENT.contains(old));
        STATEMENT.replace(old, new)
    };
    let stated = |name, call, statement: &str, status, says| {
        fails(name, call, status, says).file("s.json", statement)
    };
    let call = "loss --statement s.json good.csv masked.csv";
    vec![
        fails(
            "loss without attributes in common",
            "loss good.csv other.csv",
            3,
            "shares no attribute",
        )
        .file(
            "other.csv",
            "a,b\n1,2\n2,3\n3,4\n4,5\n5,6\n6,7\n7,8\n8,9\n9,1\n1,1\n",
        ),
        fails(
            "loss of files of different length",
            "loss good.csv short.csv",
            3,
            "short.csv",
        )
        .file("short.csv", "age,income\n34,5\n51,7\n"),
        fails(
            "loss of no records",
            "loss good.csv empty.csv",
            3,
            "has no records",
        )
        .file("empty.csv", "age,income\n"),
        fails(
            "a measure that is none",
            "loss --measures ils good.csv masked.csv",
            2,
            "there is no measure",
        ),
        fails(
            "a measure that is named twice",
            "loss --measures il,pil,il good.csv masked.csv",
            2,
            "names \"il\" twice",
        ),
        fails(
            "attributes of a measure that has none",
            "loss --measures il --by-attribute good.csv masked.csv",
            2,
            "--by-attribute has no effect",
        ).idle(),
        fails(
            "an attribute that the masked file lacks",
            "loss --attributes age,income good.csv narrow.csv",
            2,
            "is not in the masked file",
        )
        .file("narrow.csv", "age\n1\n2\n3\n4\n5\n6\n7\n8\n9\n1\n"),
        fails(
            "loss written over its input",
            "loss -o good.csv good.csv masked.csv",
            2,
            "inputs are never overwritten",
        ),
        stated(
            "a statement that no correction is known for",
            call,
            &with(
                r#""method": "noise", "parameters":
{"law": "normal", "level": 0.1, "correlated": false, "restored": false, "rounded": false}"#,
                r#""method": "rankswap", "parameters": {"p": 20.0, "window": 2, "partner": "unswapped"}"#,
            ),
            2,
            "--statement has no effect: the file was masked by rankswap",
        ).idle(),
        stated(
            "a statement about what is not compared",
            "loss --attributes bonus --statement s.json good.csv masked.csv",
            STATEMENT,
            2,
            "--statement has no effect: none of the attributes",
        ).idle(),
        stated(
            "a statement beside measures that it does not change",
            "loss --measures il1s --statement s.json good.csv masked.csv",
            STATEMENT,
            2,
            "--statement has no effect: no correction changes",
        ).idle(),
        stated(
            "a statement of noise without level",
            call,
            &with("0.1", "0.0"),
            3,
            "not above 0",
        ),
        stated(
            "a statement of another file",
            call,
            &with("\"income\"", "\"height\""),
            3,
            "that masked.csv does not have",
        ),
        stated(
            "a statement of a longer file",
            call,
            &with("\"records\": 10", "\"records\": 11"),
            3,
            "is about a file of 11 records",
        ),
        stated(
            "a statement of a shuffled file without a key",
            call,
            &with("\"records\"", "\"shuffled\": true, \"records\""),
            2,
            "is in random order",
        ),
        stated(
            "a statement that is none",
            call,
            "{}",
            3,
            "is not a statement",
        ),
    ]
}
