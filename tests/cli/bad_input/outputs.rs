//! Places that must not be written, and places that cannot be.

use super::{Case, GOOD, Link, MASKED, fails};

const NEVER: &str = "it is an input of this call, and inputs are never overwritten";
const TWICE: &str = "another output of this call goes to the same place";

/// Calls with an output `OUT`, the input that it must not hit, and what they read beside `good.csv`.
const CALLS: [(&str, &str, &str); 11] = [
    (
        "-o of mask",
        "good.csv",
        "mask rankswap --window 2 -o OUT good.csv",
    ),
    (
        "--statement",
        "good.csv",
        "mask rankswap --window 2 --statement OUT good.csv",
    ),
    (
        "--shuffle",
        "good.csv",
        "mask rankswap --window 2 --shuffle OUT good.csv",
    ),
    (
        "-o over roles",
        "roles.toml",
        "mask rankswap --window 2 --roles roles.toml -o OUT good.csv",
    ),
    (
        "-o of link",
        "good.csv",
        "link --method am -o OUT good.csv masked.csv",
    ),
    (
        "-o over the masked file",
        "masked.csv",
        "link --method am -o OUT good.csv masked.csv",
    ),
    (
        "--links",
        "good.csv",
        "link --method am --links OUT good.csv masked.csv",
    ),
    (
        "--links over the masked file",
        "masked.csv",
        "link --method am --links OUT good.csv masked.csv",
    ),
    (
        "--links over the statement",
        "s.json",
        "link --method rsld --statement s.json --links OUT good.csv masked.csv",
    ),
    (
        "--links over the key",
        "key.csv",
        "link --method am --key key.csv --links OUT good.csv masked.csv",
    ),
    (
        "-o over the known records",
        "some.txt",
        "link --method am --known-records some.txt -o OUT good.csv masked.csv",
    ),
];

fn named(what: String) -> &'static str {
    // A table lives as long as the test.
    Box::leak(what.into_boxed_str())
}

fn over_inputs() -> Vec<Case> {
    let mut cases = Vec::new();
    for (call, input, arguments) in CALLS {
        for (spelling, out, link) in [
            ("its name", input.to_owned(), None),
            ("./ and its name", format!("./{input}"), None),
            ("a roundabout name", format!("folder/../{input}"), None),
            ("a symbolic link", "other.csv".into(), Some(Link::Symbolic)),
            ("a hard link", "other.csv".into(), Some(Link::Hard)),
        ] {
            let mut case = fails(
                named(format!("{call}: an input by {spelling}")),
                &arguments.replace("OUT", &out),
                2,
                NEVER,
            )
            .file("roles.toml", "confidential = ['bonus']")
            .file("s.json", "{}")
            .file("key.csv", "masked,original\n1,1\n")
            .file("some.txt", "1\n2\n")
            .folder("folder");
            if let Some(kind) = link {
                case = case.link("other.csv", input, kind);
            }
            cases.push(case);
        }
    }
    cases
}

pub fn cases() -> Vec<Case> {
    let mut cases = over_inputs();
    cases.extend(vec![
        fails("masked file and statement in one place", "mask rankswap --window 2 -o x --statement x good.csv", 2, TWICE),
        fails("the same place by ./", "mask rankswap --window 2 -o x --statement ./x good.csv", 2, TWICE),
        fails("the same place by a link", "mask rankswap --window 2 -o x --shuffle y good.csv", 2, TWICE)
            .file("x", "old").link("y", "x", Link::Symbolic),
        fails("the same place by a link to nowhere", "mask rankswap --window 2 -o x --shuffle y good.csv", 2, TWICE)
            .link("y", "x", Link::Symbolic),
        fails("statement and key in one place", "mask rankswap --window 2 -o x --shuffle y --statement y good.csv", 2, TWICE),
        fails("two things on standard output", "mask rankswap --window 2 --statement - good.csv", 2, TWICE),
        fails("report and links on standard output", "link --method am --links - good.csv masked.csv", 2, TWICE),
        fails("report and links in one place", "link --method am --links x -o x good.csv masked.csv", 2, TWICE),
        fails("masked file is a folder", "mask rankswap --window 2 -o folder good.csv", 2, "folder: will not write there: it is a folder")
            .folder("folder"),
        fails("links is a folder", "link --method am --links . good.csv masked.csv", 2, ".: will not write there: it is a folder"),
        fails("a name that ends as a folder does", "mask rankswap --window 2 -o new/ good.csv", 2, "new/: will not write there"),
        fails("no such folder", "mask rankswap --window 2 -o nowhere/out.csv good.csv", 2, "nowhere/out.csv: will not write there: its folder does not exist"),
        fails("no such folder for the statement", "mask rankswap --window 2 -o out.csv --statement nowhere/s.json good.csv", 2, "nowhere/s.json: will not write there: its folder does not exist"),
        fails("no such folder for the masked file, statement elsewhere", "mask rankswap --window 2 -o nowhere/out.csv --statement s.json --shuffle key.csv good.csv", 2, "nowhere/out.csv: will not write there: its folder does not exist"),
        fails("no such folder for the links", "link --method am -o report.txt --links nowhere/l.csv good.csv masked.csv", 2, "nowhere/l.csv: will not write there: its folder does not exist"),
        fails("no such folder for the report", "link --method am -o nowhere/r.txt --links l.csv good.csv masked.csv", 2, "nowhere/r.txt: will not write there: its folder does not exist"),
        fails("a file as a folder", "mask rankswap --window 2 -o masked.csv/out.csv good.csv", 2, "masked.csv/out.csv: will not write there: its folder does not exist"),
        fails("a folder of the kernel", "mask rankswap --window 2 -o /proc/out.csv good.csv", 1, "/proc/out.csv: cannot write it"),
        fails("a broken input does not touch an old output", "mask rankswap --window 2 -o old.csv in.csv", 3, "in.csv, line 3")
            .file("in.csv", "a,b\n1,2\n918273645\n").file("old.csv", GOOD),
        fails("a useless p does not touch an old output", "mask rankswap --p 1 -o old.csv --statement s.json good.csv", 2, "a window of 0 ranks")
            .file("old.csv", MASKED).file("s.json", "old"),
    ]);
    cases
}
