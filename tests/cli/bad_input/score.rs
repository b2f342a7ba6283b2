//! `score`: files of which it is not defined, and options that cannot be meant.

use super::{Case, End::Shows, GOOD, MASKED, case, fails};

/// `score ... good.csv masked.csv`.
fn score(name: &'static str, options: &str, status: i32, says: &'static str) -> Case {
    fails(
        name,
        &format!("score {options} good.csv masked.csv"),
        status,
        says,
    )
}

fn shows(name: &'static str, original: &str, masked: &str, says: &'static str) -> Case {
    case(name, "score o.csv m.csv", Shows(says))
        .file("o.csv", original)
        .file("m.csv", masked)
}

pub fn cases() -> Vec<Case> {
    let names = "sex,town\nf,Hull\nm,Hull\nf,York\nm,Leeds\n";
    let gaps = "a,b\n1,\n,2\n3,\n,4\n";
    let of_microaggregation = r#"{"schema": "sdcrisk.statement/1", "version": "0.1.0", "method": "microagg",
        "parameters": {"algorithm": "mdav", "blocks": [{"attributes": ["age"], "k": 3}], "scale": "z", "average": "mean", "rounded": false},
        "records": 9, "attributes": ["age"], "missing": "left in place"}"#;
    vec![
        score(
            "score: p and a statement",
            "--p 5 --statement s.json",
            2,
            "cannot be used with",
        ),
        score("score: p of nothing", "--p x", 2, "--p wants a percentage"),
        score("score: p below 1", "--p 0.5", 2, "looks like a fraction"),
        score(
            "score: a unit without p",
            "--p-unit percent",
            2,
            "--p-unit has no effect without a --p below 1",
        )
        .idle(),
        score(
            "score: window 0",
            "--window 0",
            2,
            "--window 0 says that no value was moved",
        ),
        score(
            "score: a seed that draws nothing",
            "--seed 1",
            2,
            "--seed has no effect",
        )
        .idle(),
        fails(
            "score: attributes that tell nobody apart",
            "score --attributes a,b o.csv o.csv",
            3,
            "Leave it out of --attributes; ",
        )
        .file("o.csv", "a,b\n1,2\n1,3\n"),
        score(
            "score: balanced",
            "--assign balanced",
            2,
            "one-to-one, best",
        ),
        score(
            "score: more known than there are",
            "--known sweep:9",
            2,
            "asks for 9 attributes",
        ),
        score(
            "score: known that does not exist",
            "--known nobody",
            2,
            "nobody",
        ),
        score(
            "score: attributes that do not exist",
            "--attributes nobody",
            2,
            "nobody",
        ),
        score(
            "score: comparator of nothing",
            "--agree soft:1",
            2,
            "--agree",
        ),
        score("score: fit of nothing", "--fit guess", 2, "guess"),
        score(
            "score: iterations of a count",
            "--fit known --em-iterations 5",
            2,
            "no effect with --fit known",
        )
        .idle(),
        score(
            "score: key and id",
            "--key k.csv --id person_id",
            2,
            "cannot be used with",
        ),
        score(
            "score: more records than there are",
            "--known-records 99",
            2,
            "the original file has 10 records",
        ),
        score(
            "score: statement that is none",
            "--statement good.csv",
            3,
            "good.csv",
        ),
        score(
            "score: limit above all",
            "--fail-above 200%",
            2,
            "percentage",
        ),
        score("score: output over an input", "-o good.csv", 2, "good.csv"),
        fails("score: one file", "score good.csv", 2, "MASKED.csv"),
        fails(
            "score: no such file",
            "score good.csv none.csv",
            1,
            "none.csv",
        ),
        fails(
            "score: both standard input",
            "score - -",
            2,
            "standard input",
        ),
        fails(
            "score: a statement of another file",
            "score --statement s.json good.csv masked.csv",
            3,
            "is about a file of 9 records",
        )
        .file("s.json", of_microaggregation),
        fails(
            "score: gate without DR",
            "score --fail-above 5% o.csv m.csv",
            3,
            "DR is not defined for these files",
        )
        .file("o.csv", names)
        .file("m.csv", names),
        fails(
            "score: files without a record",
            "score o.csv m.csv",
            3,
            "has no records",
        )
        .file("o.csv", "a,b\n")
        .file("m.csv", "a,b\n"),
        fails(
            "score: nothing that can be compared",
            "score o.csv m.csv",
            3,
            "that can be compared",
        )
        .file("o.csv", "a,b\n1,2\n")
        .file("m.csv", "a,b\n1,2\n"),
        shows("score: names alone", names, names, "IL, ID are absent"),
        shows("score: never both present", gaps, gaps, "0.0 %"),
        case(
            "score: standard input",
            "score good.csv -",
            Shows("The score of standard input"),
        )
        .stdin(MASKED),
        case(
            "score: by identifier",
            "score --id person_id good.csv masked.csv",
            Shows("10 records"),
        ),
        shows("score: equal files", GOOD, GOOD, "RSLD is absent"),
    ]
}
