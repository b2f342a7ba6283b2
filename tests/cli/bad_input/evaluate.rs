//! `evaluate`: plans that are none, and plans that ask for what cannot be.

use super::{Case, End, case, fails};

/// A plan of the good file.
fn plan(name: &'static str, content: &str, status: i32, says: &'static str) -> Case {
    fails(name, "evaluate plan.toml", status, says).file("plan.toml", content)
}

/// A plan of the good file with this masking.
fn mask(name: &'static str, content: &str, says: &'static str) -> Case {
    let plan_text = format!("original = \"good.csv\"\nattacks = [\"am\"]\n[[mask]]\n{content}\n");
    plan(name, &plan_text, 3, says)
}

/// A plan of the good file with these attacks.
fn attacks(name: &'static str, content: &str, status: i32, says: &'static str) -> Case {
    let plan_text = format!(
        "original = \"good.csv\"\nattributes = \"age,income,bonus\"\nattacks = [{content}]\n[[mask]]\nmethod = \"rankswap\"\np = 20\n"
    );
    fails(name, "evaluate plan.toml", status, says).file("plan.toml", plan_text)
}

const GOOD_PLAN: &str = "original = \"good.csv\"\nattributes = \"age,income,bonus\"\nattacks = [\"am\"]\nseed = 1\n[[mask]]\nmethod = \"rankswap\"\np = 20\n";

pub fn cases() -> Vec<Case> {
    vec![
        plan(
            "a plan that is no TOML",
            "original = \n",
            3,
            "plan.toml, line 1: ",
        ),
        plan("an empty plan", "", 3, "names no original"),
        plan(
            "a plan that masks nothing",
            "original = \"good.csv\"\n",
            3,
            "has no [[mask]]",
        ),
        plan(
            "a plan that measures nothing",
            "original = \"good.csv\"\nattacks = []\nlosses = []\nrisks = []\n[[mask]]\nmethod = \"rankswap\"\np = 20\n",
            3,
            "measures nothing",
        ),
        plan(
            "an unknown key of a plan",
            "original = \"good.csv\"\nrepeat = 3\n",
            3,
            "plan.toml, line 2: a plan has no key \"repeat\"",
        ),
        plan(
            "no repeats",
            "original = \"good.csv\"\nrepeats = 0\n",
            3,
            "repeats must be a whole number, 1 or more",
        ),
        plan(
            "an original that is not there",
            "original = \"gone.csv\"\n[[mask]]\nmethod = \"rankswap\"\np = 20\n",
            1,
            "plan.toml, line 1: names \"gone.csv\": there is no such file. Put it beside the plan",
        ),
        plan(
            "an original in two places",
            "original = \"good.csv\"\n[[file]]\noriginal = \"masked.csv\"\n[[mask]]\nmethod = \"rankswap\"\np = 20\n",
            3,
            "original and [[file]] both name files",
        ),
        mask(
            "a masking without a method",
            "p = 20",
            "plan.toml, line 3: [[mask]] names no method",
        ),
        mask(
            "an unknown masking",
            "method = \"magic\"",
            "there is no masking method \"magic\". There are: rankswap",
        ),
        mask(
            "an unknown option of a masking",
            "method = \"rankswap\"\np = 20\nq = 3",
            "plan.toml, line 6: mask rankswap has no option \"q\"",
        ),
        mask(
            "an option of files in a plan",
            "method = \"rankswap\"\np = 20\nstatement = \"s.json\"",
            "statement has no place in a plan",
        ),
        mask(
            "an option of reading in a masking",
            "method = \"rankswap\"\np = 20\ndelimiter = \";\"",
            "How a file is read stands beside its name",
        ),
        mask(
            "a masking without its strength",
            "method = \"rankswap\"",
            "--p <PERCENT>",
        ),
        mask(
            "a word for a number",
            "method = \"rankswap\"\np = [5, \"many\"]",
            "plan.toml, line 5: invalid value 'many' for '--p <PERCENT>'",
        ),
        mask(
            "an option that is none of two",
            "method = \"rankswap\"\np = 20\npartner = \"any\"",
            "plan.toml, line 6: invalid value 'any' for '--partner <PARTNER>'",
        ),
        mask(
            "an empty grid",
            "method = \"rankswap\"\np = []",
            "p is an empty list",
        ),
        mask(
            "a value twice in a grid",
            "method = \"rankswap\"\np = [20, 20]",
            "p names a value twice",
        ),
        mask(
            "a switch that is a number",
            "method = \"noise\"\nlevel = 0.1\ncorrelated = 1",
            "correlated is true or false",
        ),
        plan(
            "a window of nothing",
            &GOOD_PLAN.replace("p = 20", "p = 5"),
            3,
            "plan.toml, line 7: rankswap p=5: good.csv: p = 5 percent of 10 records is a window of 0 ranks",
        ),
        mask(
            "a fraction for a percentage in a plan",
            "method = \"rankswap\"\np = 0.5",
            "plan.toml, line 5: rankswap p=0.5: good.csv: --p 0.5 looks like a fraction",
        ),
        mask(
            "groups larger than half of the file in a plan",
            "method = \"microagg\"\nk = 900",
            "plan.toml, line 5: microagg k=900: good.csv: k = 900 is more than half",
        ),
        mask(
            "a percentage beyond all",
            "method = \"rankswap\"\np = 101",
            "plan.toml, line 5: rankswap p=101 of good.csv: --p is a percentage of the records",
        ),
        mask(
            "an attribute of a masking that is not there",
            "method = \"rankswap\"\np = 20\nattributes = \"99\"",
            "plan.toml, line 3: rankswap p=20 attributes=99: good.csv: there is no attribute number 99",
        ),
        plan(
            "an attribute of a plan that is not there",
            &GOOD_PLAN.replace("age,", "99,"),
            3,
            "plan.toml, line 1: attributes: good.csv: there is no attribute number 99",
        ),
        fails(
            "a folder of data that is not there",
            "evaluate plan.toml --data nodir",
            1,
            "nodir: there is no such folder",
        )
        .file("plan.toml", GOOD_PLAN),
        case(
            "seeds that nobody knows are told",
            "evaluate plan.toml --format csv",
            End::Notes(
                "note: the plan states no seed: seeds are drawn, and kept nowhere; seed = 1",
            ),
        )
        .file("plan.toml", GOOD_PLAN.replace("seed = 1\n", "")),
        mask(
            "a date",
            "method = \"rankswap\"\np = 2001-01-01",
            "p is a date",
        ),
        mask(
            "a masking of another file",
            "method = \"rankswap\"\np = 20\nfile = \"other.csv\"",
            "[[mask]] is for a file \"other.csv\" that the plan does not name",
        ),
        attacks(
            "an unknown attack",
            "\"magic\"",
            3,
            "invalid value 'magic' for '--method",
        ),
        attacks(
            "all attacks at once",
            "\"all\"",
            3,
            "an attack of a plan is one method",
        ),
        attacks(
            "two attacks of one name",
            "\"am\", \"am\"",
            3,
            "there are two attacks \"am\"",
        ),
        attacks(
            "an attack that is a number",
            "3",
            3,
            "attacks must be a list of methods of link",
        ),
        attacks(
            "an option that an attack does not use",
            "{ method = \"am\", agree = \"sd:1\" }",
            3,
            "--agree has no effect without the method prl",
        )
        .idle(),
        attacks(
            "an unknown option of an attack",
            "{ method = \"am\", magic = true }",
            3,
            "link --method am has no option \"magic\"",
        ),
        attacks(
            "an attack that writes links",
            "{ method = \"am\", links = \"l.csv\" }",
            3,
            "links has no place in a plan",
        ),
        attacks(
            "an attack on an attribute that is not there",
            "{ method = \"prl\", agree = \"height=exact\" }",
            3,
            "\"height\"",
        ),
        attacks(
            "more known than there is",
            "{ method = \"am\", known = \"sweep:9\" }",
            3,
            "share 3",
        ),
        plan(
            "a loss that is none",
            &format!("losses = [\"magic\"]\n{GOOD_PLAN}"),
            3,
            "losses names \"magic\", which is none. There are: ",
        ),
        plan(
            "published figures without a source",
            &format!("{GOOD_PLAN}[[published]]\nmeasures = {{ am = 0.5 }}\n"),
            3,
            "[[published]] names no source",
        ),
        plan(
            "published columns of different length",
            &format!(
                "{GOOD_PLAN}[[published]]\nsource = \"s\"\np = [1, 2]\nmeasures = {{ am = [0.5] }}\n"
            ),
            3,
            "are not as long as each other",
        ),
        plan(
            "a seed beyond all that can follow",
            &GOOD_PLAN.replace("seed = 1", "seed = 99999999999999999999"),
            3,
            "seed is a number far out of range",
        ),
        plan(
            "more masked files than can be kept",
            &format!("repeats = 4294967295\n{GOOD_PLAN}"),
            3,
            "asks for 4294967295 masked files, settings times repeats, and at most 1000000 are made",
        ),
        fails(
            "a gate that looks at attacks, and none",
            "evaluate plan.toml --fail-above 5%",
            2,
            "--fail-above has no effect: the plan has no attack",
        )
        .file("plan.toml", GOOD_PLAN.replace("[\"am\"]", "[]")),
        fails(
            "results into a file",
            "evaluate plan.toml --into masked.csv",
            2,
            "it is no folder",
        )
        .file("plan.toml", GOOD_PLAN),
        fails(
            "results into nowhere",
            "evaluate plan.toml --into no/where",
            2,
            "does not exist",
        )
        .file("plan.toml", GOOD_PLAN),
        fails(
            "a report over the plan",
            "evaluate plan.toml -o plan.toml",
            2,
            "never overwritten",
        )
        .file("plan.toml", GOOD_PLAN),
        fails(
            "a report over the original",
            "evaluate plan.toml -o good.csv",
            2,
            "never overwritten",
        )
        .file("plan.toml", GOOD_PLAN),
        fails(
            "results over an original",
            "evaluate plan.toml --into .",
            2,
            "never overwritten",
        )
        .file("rows.csv", super::GOOD)
        .file("plan.toml", GOOD_PLAN.replace("good.csv", "rows.csv")),
        case(
            "an attack that does not apply is told",
            "evaluate plan.toml --format csv",
            End::Notes("rsld is not run on 1 of 1 masked files: the statement is of noise"),
        )
        .file(
            "plan.toml",
            GOOD_PLAN
                .replace("[\"am\"]", "[\"rsld\"]")
                .replace("\"rankswap\"\np = 20", "\"noise\"\nlevel = 0.1"),
        ),
        case(
            "published figures about nothing are told",
            "evaluate plan.toml --format csv",
            End::Notes("[[published]] of line 8 is about no setting"),
        )
        .file(
            "plan.toml",
            format!("{GOOD_PLAN}[[published]]\nsource = \"s\"\np = 7\nmeasures = {{ am = 0.5 }}\n"),
        ),
    ]
}
