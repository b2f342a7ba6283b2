//! `link`: methods, counting, and what was published about a masking.

use super::{Case, fails};

/// `link ... good.csv masked.csv`.
fn link(name: &'static str, options: &str, status: i32, says: &'static str) -> Case {
    fails(
        name,
        &format!("link {options} good.csv masked.csv"),
        status,
        says,
    )
}

/// `link --method rsld --statement s.json good.csv masked.csv`.
fn statement(name: &'static str, content: impl AsRef<[u8]>, says: &'static str) -> Case {
    link(name, "--method rsld --statement s.json", 3, says).file("s.json", content)
}

/// A statement of `good.csv`, masked.
fn sound() -> String {
    r#"{"schema": "sdcrisk.statement/1", "version": "0.1.0", "method": "rankswap",
        "parameters": {"window": 2, "partner": "unswapped"}, "records": 10,
        "attributes": ["age", "income", "bonus"], "missing": "left in place"}"#
        .to_owned()
}

/// The same of another method.
fn of(method: &str, parameters: &str) -> String {
    sound()
        .replace("rankswap", method)
        .replace(r#"{"window": 2, "partner": "unswapped"}"#, parameters)
}

pub fn cases() -> Vec<Case> {
    let limit = "it must be a percentage such as 5%, or a share from 0 to 1 such as 0.05";
    vec![
        link(
            "groups without the attack on them",
            "--method am --group age,income",
            2,
            "--group has no effect: only microagg uses what was published about microaggregation",
        ).idle(),
        link(
            "nearest groups without the attack on them",
            "--method am --nearest-clusters 3",
            2,
            "--nearest-clusters has no effect",
        ).idle(),
        link(
            "the attack on groups without groups",
            "--method microagg",
            2,
            "microagg needs to know which attributes were aggregated together",
        ),
        link(
            "an algorithm without groups",
            "--method microagg --algorithm pca",
            2,
            "--group",
        ),
        link(
            "no nearest group",
            "--method microagg --group age,income --nearest-clusters 0",
            2,
            "--nearest-clusters 0 would leave nobody as a candidate",
        ),
        link(
            "nearest groups where groups follow each other",
            "--method microagg --algorithm zscores --group age,income --nearest-clusters 3",
            2,
            "--nearest-clusters has no effect: the groups of this algorithm follow each other",
        ).idle(),
        link(
            "an attribute in two groups",
            "--method microagg --group age,income --group income",
            2,
            "the attribute is in two groups",
        ),
        link(
            "groups of another masking",
            "--method microagg --statement s.json",
            2,
            "the statement is of rankswap; microagg is the attack on microaggregation",
        )
        .file("s.json", sound()),
        link("no attack", "", 2, "--method"),
        link(
            "unknown attack",
            "--method foo",
            2,
            "invalid value 'foo' for '--method",
        ),
        link(
            "empty attack",
            "--method am,",
            2,
            "a value is required for '--method",
        ),
        link(
            "attack twice",
            "--method am,am",
            2,
            "--method names a method twice",
        ),
        link(
            "attack twice by other names",
            "--method am,dbrl1",
            2,
            "--method names a method twice",
        ),
        fails(
            "no masked file",
            "link --method am good.csv",
            2,
            "<MASKED.csv>",
        ),
        link(
            "rsld without what was published",
            "--method rsld",
            2,
            "rsld needs to know what was published about rank swapping. Give --p, --window, or --statement FILE",
        ),
        link(
            "p without rsld",
            "--method am --p 5",
            2,
            "--p has no effect: only rsld, likelihood and involution use what was published",
        ).idle(),
        link(
            "window without rsld",
            "--method am --window 5",
            2,
            "--window has no effect: only rsld, likelihood and involution",
        ).idle(),
        link(
            "statement without rsld",
            "--method am --statement s.json",
            2,
            "--statement has no effect: only rsld, likelihood, involution and microagg",
        ).file("s.json", sound()).idle(),
        link(
            "likelihood without what was published",
            "--method likelihood",
            2,
            "likelihood needs to know what was published about the masking. Give --statement FILE, or --p or --window",
        ),
        link(
            "likelihood of a method without a law",
            "--method likelihood --statement s.json",
            2,
            "the statement is of ipso, of which likelihood knows no law",
        )
        .file(
            "s.json",
            of(
                "ipso",
                r#"{"variant": "a", "confidential": ["bonus"], "intercept": true, "fitted": 10, "rounded": false}"#,
            ),
        ),
        link(
            "involution without what was published",
            "--method involution",
            2,
            "involution needs to know what was published about the masking. Give --statement FILE, or --p or --window",
        ),
        link(
            "involution of a method that swaps nothing",
            "--method swaps --statement s.json",
            2,
            "the statement is of ipso",
        )
        .file(
            "s.json",
            of(
                "ipso",
                r#"{"variant": "a", "confidential": ["bonus"], "intercept": true, "fitted": 10, "rounded": false}"#,
            ),
        ),
        link(
            "an eps that is no share",
            "--method involution --window 2 --eps 1",
            2,
            "--eps is a share of values: a number above 0 and below 1",
        ),
        link(
            "eps without involution",
            "--method am --eps 0.1",
            2,
            "--eps has no effect without the method involution",
        ).idle(),
        link(
            "balanced without likelihoods",
            "--method am --assign balanced",
            2,
            "--assign balanced needs likelihoods, which no method named has. Use --method likelihood",
        ),
        link(
            "balanced with and without likelihoods",
            "--method am,likelihood --window 2 --assign balanced",
            2,
            "--assign balanced needs likelihoods, which this method does not have",
        ),
        link(
            "published p and window",
            "--method rsld --p 5 --window 5",
            2,
            "cannot be used with",
        ),
        link(
            "published window and statement",
            "--method rsld --window 5 --statement s.json",
            2,
            "cannot be used with",
        ),
        link(
            "published p a fraction",
            "--method rsld --p 0.05",
            2,
            "--p 0.05 looks like a fraction; p is a percentage",
        ),
        link(
            "published p zero",
            "--method rsld --p 0",
            2,
            "--p is a percentage of the records: more than 0, at most 100",
        ),
        link(
            "published p nan",
            "--method rsld --p nan",
            2,
            "--p is a percentage of the records",
        ),
        link(
            "published p above 100",
            "--method rsld --p 101",
            2,
            "--p is a percentage of the records",
        ),
        link(
            "published p too small",
            "--method rsld --p 5",
            2,
            "p = 5 percent of 10 records is a window of 0 ranks",
        ),
        link(
            "published window zero",
            "--method rsld --window 0",
            2,
            "--window 0 says that no value was moved",
        ),
        link(
            "seed without randomness",
            "--method am --seed 1",
            2,
            "--seed has no effect: nothing in this call is random",
        ).idle(),
        link(
            "seed for a sweep",
            "--method am --known sweep:2 --seed 1",
            2,
            "--seed has no effect",
        ).idle(),
        link(
            "unknown ties",
            "--method am --ties half",
            2,
            "invalid value 'half' for '--ties",
        ),
        link(
            "unknown assignment",
            "--method am --assign all",
            2,
            "invalid value 'all' for '--assign",
        ),
        link(
            "unknown direction",
            "--method am --direction back",
            2,
            "invalid value 'back' for '--direction",
        ),
        link(
            "unknown standard",
            "--method am --standardize z",
            2,
            "invalid value 'z' for '--standardize",
        ),
        link(
            "unknown form of report",
            "--method am --format xml",
            2,
            "invalid value 'xml' for '--format",
        ),
        link(
            "links of two attacks",
            "--method am,rsld --window 2 --links l.csv",
            2,
            "--links writes the links of one attack; this call makes 2",
        ),
        link(
            "links of a sweep",
            "--method am --known sweep:3 --links l.csv",
            2,
            "--links writes the links of one attack; this call makes 3",
        ),
        link("limit 5", "--method am --fail-above 5", 2, limit),
        link("limit x", "--method am --fail-above x", 2, limit),
        link("limit above all", "--method am --fail-above 101%", 2, limit),
        link("limit below all", "--method am --fail-above=-1%", 2, limit),
        link("limit nan", "--method am --fail-above nan", 2, limit),
        link(
            "statement: no such file",
            "--method rsld --statement nofile.json",
            1,
            "nofile.json: cannot read it: there is no such file",
        ),
        statement(
            "statement: empty",
            "",
            "s.json: is not a statement of a masking (ends too early",
        ),
        statement(
            "statement: no JSON",
            "geheim",
            "s.json: is not a statement of a masking (no JSON, line 1)",
        ),
        statement(
            "statement: other JSON",
            "{\"geheim\": 918273645}",
            "s.json: is not a statement of a masking (a key is missing",
        ),
        statement(
            "statement: not UTF-8",
            b"{\"a\": \"\xE9\"}",
            "s.json: is not UTF-8 text",
        ),
        statement(
            "statement: other schema",
            sound().replace("statement/1", "statement/9"),
            "s.json: is not of the schema sdcrisk.statement/2",
        ),
        statement(
            "statement: other method",
            sound().replace("rankswap", "microagg"),
            "s.json: is not a statement of a masking",
        ),
        statement(
            "statement: window 0",
            sound().replace("\"window\": 2", "\"window\": 0"),
            "s.json: states a window of 0 ranks",
        ),
        statement(
            "statement: more buckets than records",
            of(
                "pbuckets",
                r#"{"buckets": 11, "exhausted": "renormalised"}"#,
            ),
            "s.json: states a number of buckets that this many records cannot fill",
        ),
        statement(
            "statement: no spread",
            of(
                "pdistribution",
                r#"{"p": 10, "mean": 0.5, "sd": 0, "taken": "redrawn", "tries": 1000}"#,
            ),
            "s.json: states a law of rank differences that is none",
        ),
        statement(
            "statement: level of noise 0",
            of(
                "noise",
                r#"{"law": "normal", "level": 0, "correlated": false, "restored": false, "rounded": false}"#,
            ),
            "s.json: states a level of noise that is not above 0. Give the file that",
        ),
        statement(
            "statement: parameters of another method",
            of("noise", r#"{"window": 2, "partner": "unswapped"}"#),
            "s.json: is not a statement of a masking",
        ),
        statement(
            "statement: window negative",
            sound().replace("\"window\": 2", "\"window\": -2"),
            "s.json: is not a statement of a masking",
        ),
        statement(
            "statement: of a larger file",
            sound().replace("10", "11"),
            "s.json: is about a file of 11 records; masked.csv has 10",
        ),
        statement(
            "statement: of another file of this length",
            sound().replace("income", "turnover"),
            "s.json: ",
        ),
        statement(
            "statement: the masked file itself",
            super::MASKED,
            "s.json: is not a statement of a masking (no JSON, line 1)",
        ),
    ]
}

#[test]
fn the_statement_that_the_cases_break_is_sound() {
    let sandbox = crate::sandbox::Sandbox::with(&[
        ("good.csv", super::GOOD),
        ("masked.csv", super::MASKED),
        ("s.json", &sound()),
    ]);
    let ran = sandbox
        .run("link --method rsld --statement s.json --format json good.csv masked.csv")
        .ended(0);
    assert_eq!(
        ran.json()["results"][0]["windows"],
        serde_json::json!([2, 2, 2, 0])
    );
}
