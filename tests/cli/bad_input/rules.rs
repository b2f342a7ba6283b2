//! Rules files of recoding and suppression that make no sense, and calls with them.

use super::{Case, End::Notes, case, fails};

/// `mask recode --rules r.toml good.csv`.
fn recode(name: &'static str, rules: &str, says: &'static str) -> Case {
    fails(name, "mask recode --rules r.toml good.csv", 3, says).file("r.toml", rules)
}

/// `mask suppress --rules r.toml good.csv`.
fn suppress(name: &'static str, rules: &str, says: &'static str) -> Case {
    fails(name, "mask suppress --rules r.toml good.csv", 3, says).file("r.toml", rules)
}

pub fn cases() -> Vec<Case> {
    let mut cases = recoding();
    cases.extend(suppression());
    cases.extend(calls());
    cases
}

fn recoding() -> Vec<Case> {
    vec![
        recode("rules empty", "# nothing\n", "r.toml: holds no rules"),
        recode("rules no TOML", "[age]\ntop = \n", "r.toml, line 2"),
        recode("rule outside sections", "top = 5\n", "r.toml, line 1: \"top\" is no section"),
        recode("section empty", "[income]\n\n[age]\ntop = 5\n", "line 1, attribute \"income\": the section holds no rule"),
        recode("rule unknown", "[age]\ntop = 50\nupper = 3\n", "r.toml, line 3, attribute \"age\": there is no rule \"upper\". There are: suppress"),
        recode("rule of the wrong kind", "[age]\ntop = \"old\"\n", "line 2, attribute \"age\": top must be a number"),
        recode("rule not finite", "[age]\ntop = inf\n", "line 2, attribute \"age\": top must be a number"),
        recode("attribute of rules absent", "[age]\ntop = 50\n[wage]\ntop = 5\n", "r.toml, line 3, attribute \"wage\": there is no attribute \"wage\" in good.csv"),
        recode("condition on an absent attribute", "[town.suppress-where]\nill = ['x']\n", "line 1, attribute \"town\": there is no attribute \"ill\""),
        recode("condition on itself", "[town.suppress-where]\ntown = ['x']\n", "the condition is on the attribute itself"),
        recode("numbers wanted of names", "[town]\nround = 5\n", "r.toml, line 2, attribute \"town\": round needs numbers, and the attribute holds names"),
        recode("breaks not ascending", "[age]\nbreaks = [10, 10]\n", "r.toml, line 2, attribute \"age\": breaks must ascend"),
        recode("no breaks", "[age]\nbreaks = []\n", "line 2, attribute \"age\": breaks is empty"),
        recode("labels too few", "[age]\nbreaks = [10, 20, 30]\nlabels = ['a']\n", "line 3, attribute \"age\": 1 labels for 3 breaks. Give 2 labels for the classes between breaks, or 4"),
        recode("labels twice", "[age]\nbreaks = [10, 20, 30]\nlabels = ['a', 'a']\n", "two classes have the same label"),
        recode("labels without breaks", "[age]\nlabels = ['a', 'b']\n", "labels has no effect without breaks"),
        recode("no digits", "[town]\ndigits = 0\n", "line 2, attribute \"town\": digits must be a whole number from 1"),
        recode("digits and bounds", "[age]\ndigits = 1\nround = 5\n", "round has no effect: digits makes codes of all values"),
        recode("a level of nothing", "[town]\nlevel = 1\ndigits = 2\n", "line 2, attribute \"town\": level has no effect without hierarchy"),
        recode("a hierarchy without level", "[town]\nhierarchy = 'good.csv'\n", "line 2, attribute \"town\": hierarchy needs level"),
        recode("a list of codes with many columns", "[town]\ncodes = 'good.csv'\n", "good.csv, attribute \"town\": has 6 columns: a list of codes has two"),
        recode("label without bound", "[age]\ntop = 50\nbottom-label = 'x'\n", "line 3, attribute \"age\": bottom-label has no effect without bottom"),
        recode("breaks and bound", "[age]\nbreaks = [10]\ntop = 50\n", "line 3, attribute \"age\": top has no effect: breaks make classes of all numbers"),
        recode("bounds crossed", "[age]\nbottom = 50\ntop = 50\n", "top must be more than bottom"),
        recode("round to nothing", "[age]\nround = 0\n", "round must be more than 0"),
        recode("others alone", "[town]\nothers = 'x'\n", "others would make all values equal"),
        recode("others and bound", "[age]\ntop = 9\nothers = 'x'\n[age.map]\n34 = '35'\n", "line 2, attribute \"age\": top has no effect: others takes every value"),
        recode("category in two groups", "[town.groups]\na = ['Hull']\nb = ['Hull']\n", "r.toml, line 3, attribute \"town\": groups names the category \"Hull\" twice"),
        recode("category mapped and suppressed", "[town]\nsuppress = ['Hull']\n[town.map]\nHull = 'x'\n", "name the category \"Hull\""),
        recode("category twice as a number", "[age.map]\n'34' = '35'\n'34.0' = '36'\n", "are the same number"),
        recode("label empty", "[town.map]\nHull = ' '\n", "empty text, which stands for a missing value. To make values missing, use suppress"),
        recode("label a marker", "[town.map]\nHull = 'NA'\n", "attribute \"town\": the new text \"NA\" stands for a missing value"),
        recode("key twice", "[age]\ntop = 5\ntop = 6\n", "r.toml, line 3"),
        fails("label not in the encoding", "mask recode --rules r.toml in.csv", 3, "r.toml, line 1, attribute \"a\": a new text holds the character U+03A9, which a file in windows-1252 cannot hold")
            .file("in.csv", b"a,b\n\xE9,1\nx,2\n")
            .file("r.toml", "[a.map]\nx = 'Ω'\n"),
        fails("rules not text", "mask recode --rules r.toml good.csv", 3, "r.toml: is not UTF-8 text").file("r.toml", b"[a]\n\xFF"),
    ]
}

fn suppression() -> Vec<Case> {
    vec![
        suppress(
            "suppression without k",
            "key = ['age']\n",
            "r.toml: says no k",
        ),
        suppress(
            "k of one",
            "key = ['age']\nk = 1\n",
            "r.toml, line 2: k = 1 has no effect",
        ),
        suppress(
            "k a fraction",
            "k = 2.5\nkey = ['age']\n",
            "r.toml, line 1: k must be a whole number",
        ),
        suppress(
            "k negative",
            "k = -2\nkey = ['age']\n",
            "k must be a whole number",
        ),
        suppress(
            "k above the records",
            "k = 11\nkey = ['age']\n",
            "r.toml, line 1: k = 11 is more than the 10 records of good.csv",
        ),
        suppress("no key", "k = 2\n", "r.toml: names no key"),
        suppress(
            "key absent",
            "k = 2\nkey = ['wage']\n",
            "r.toml, line 2: there is no attribute \"wage\" in good.csv",
        ),
        suppress(
            "key names twice",
            "k = 2\nkey = ['age', 'age']\n",
            "names \"age\" twice",
        ),
        suppress(
            "key no list",
            "k = 2\nkey = 'age'\n",
            "r.toml, line 2: key must be a list",
        ),
        suppress(
            "suppression rule unknown",
            "k = 2\nkey = ['age']\nweights = 1\n",
            "r.toml, line 3: there is no rule \"weights\"",
        ),
        suppress(
            "missing matches what",
            "k = 2\nkey = ['age']\nmissing-matches = 'none'\n",
            "line 3: missing-matches must be \"any\" or \"missing\"",
        ),
        suppress(
            "importance of nothing",
            "k = 2\nkey = ['age']\n[importance]\nage = 0\n",
            "line 4: importance must be more than 0",
        ),
        suppress(
            "importance outside the key",
            "k = 2\nkey = ['age']\n[importance]\ntown = 3\n",
            "line 3, attribute \"town\": has an importance, but is not in the key",
        ),
    ]
}

fn calls() -> Vec<Case> {
    let call = |name, options: &str, says| {
        fails(name, &format!("mask suppress {options} good.csv"), 2, says)
    };
    let rules = |name, arguments, status, says| {
        fails(name, arguments, status, says).file("r.toml", "[age]\ntop = 50\n")
    };
    vec![
        rules(
            "recode without rules",
            "mask recode good.csv",
            2,
            "--rules <FILE>",
        ),
        rules(
            "recode with attributes",
            "mask recode --rules r.toml --attributes age good.csv",
            2,
            "--attributes has no effect on recode",
        )
        .idle(),
        rules(
            "recode with a seed",
            "mask recode --rules r.toml --seed 1 good.csv",
            2,
            "--seed has no effect: this method draws nothing",
        )
        .idle(),
        rules(
            "recode onto its rules",
            "mask recode --rules r.toml -o r.toml good.csv",
            2,
            "inputs are never overwritten",
        ),
        rules(
            "recode what is dropped",
            "mask recode --rules r.toml --drop age good.csv",
            2,
            "cannot be masked and left out",
        ),
        rules(
            "rules not there",
            "mask recode --rules absent.toml good.csv",
            1,
            "absent.toml: cannot read it: there is no such file",
        ),
        rules(
            "everything from standard input",
            "mask recode --rules - -",
            2,
            "can be read only once",
        ),
        call("suppress without all", "", "--k"),
        call("suppress without key", "--k 3", "--key"),
        call(
            "suppress with k of one",
            "--k 1 --key age",
            "--k 1 asks for nothing",
        ),
        call(
            "suppress with too great a k",
            "--k 11 --key age",
            "k = 11 is more than the 10 records",
        ),
        call(
            "suppress with attributes",
            "--k 3 --key age --attributes age",
            "--attributes has no effect on suppress",
        )
        .idle(),
        call(
            "suppress by two sources",
            "--k 3 --key age --rules r.toml",
            "cannot be used with",
        ),
        call(
            "suppress with two rules for gaps",
            "--rules r.toml --missing-matches any",
            "cannot be used with",
        ),
        call(
            "suppress an absent key",
            "--k 3 --key wage",
            "there is no attribute \"wage\"",
        ),
        call(
            "suppress an identifier",
            "--k 3 --key person_id",
            "It was taken for an identifier",
        ),
        case(
            "a misspelt category",
            "mask recode --rules r.toml good.csv",
            Notes("note: town: no record has the category \"Hul\""),
        )
        .file("r.toml", "[town.map]\nHul = 'x'\nYork = 'y'\n"),
        case(
            "rules without effect",
            "mask recode --rules r.toml good.csv",
            Notes("age: its rules change nothing"),
        )
        .file("r.toml", "[age]\ntop = 500\n"),
        case(
            "a key of nearly unique values",
            "mask suppress --k 3 --key income good.csv",
            Notes("note: most values went of: income. Recode such attributes"),
        ),
    ]
}
