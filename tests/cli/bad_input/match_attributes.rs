//! `match-attributes`: files and options that make no sense.

use super::{Case, End::Shows, GOOD, case, fails};

fn matching(name: &'static str, options: &str, status: i32, says: &'static str) -> Case {
    fails(
        name,
        &format!("match-attributes {options} good.csv masked.csv"),
        status,
        says,
    )
}

pub fn cases() -> Vec<Case> {
    let names = "town,street\nHull,High\nYork,Low\n";
    let numbers = "a,b\n1,2\n3,5\n4,4\n";
    vec![
        matching(
            "match: within below 0",
            "--within=-1",
            2,
            "--within -1 is no distance: the greatest is 1",
        ),
        matching(
            "match: within above the greatest",
            "--within 3 --distance l1",
            2,
            "the greatest is 2",
        ),
        matching(
            "match: within no number",
            "--within nan",
            2,
            "is no distance",
        ),
        matching(
            "match: rename of many",
            "--rename r.csv --relation one-to-many",
            2,
            "--rename needs one attribute of A for each of B",
        ),
        matching(
            "match: rename over an input",
            "--rename good.csv",
            2,
            "it is an input of this call",
        ),
        matching(
            "match: rename over the report",
            "--rename - ",
            2,
            "another output of this call goes to the same place",
        ),
        matching(
            "match: unknown attribute",
            "--attributes salary",
            2,
            "good.csv: there is no attribute \"salary\"",
        ),
        matching(
            "match: unknown attribute of B",
            "--attributes-b salary",
            2,
            "masked.csv: there is no attribute \"salary\"",
        ),
        matching(
            "match: unknown scale",
            "--scale log",
            2,
            "invalid value 'log'",
        ),
        matching(
            "match: only a constant",
            "--attributes flat",
            3,
            "good.csv: has no attribute that could be compared",
        ),
        matching(
            "match: numbers and names",
            "--attributes age --attributes-b town",
            3,
            "there is nothing to compare",
        ),
        fails(
            "match: both from standard input",
            "match-attributes - -",
            2,
            "standard input ('-') can be read only once",
        ),
        fails(
            "match: no such file",
            "match-attributes good.csv none.csv",
            1,
            "there is no such file",
        ),
        fails(
            "match: no records",
            "match-attributes good.csv empty.csv",
            3,
            "empty.csv: has no records, only names",
        )
        .file("empty.csv", "a,b\n"),
        fails(
            "match: files of numbers and of names",
            "match-attributes numbers.csv names.csv",
            3,
            "there is nothing to compare",
        )
        .file("names.csv", names)
        .file("numbers.csv", numbers),
        fails(
            "match: sizes beyond numbers",
            "match-attributes --scale none huge.csv huge2.csv",
            3,
            "huge.csv: has no attribute that could be compared",
        )
        .file(
            "huge.csv",
            "a,b\n1e300,1e-300\n2e300,2e-300\n5e300,4e-300\n",
        )
        .file(
            "huge2.csv",
            "a,b\n1e300,1e-300\n2e300,2e-300\n5e300,4e-300\n",
        ),
        case(
            "match: a file with itself",
            "match-attributes good.csv good.csv",
            Shows("consensus"),
        ),
        case(
            "match: other lengths",
            "match-attributes good.csv short.csv",
            Shows("10 records) is which of short.csv (9 records)"),
        )
        .file(
            "short.csv",
            GOOD.replace("geheim10,33,33500,5.5,Hull,7\n", ""),
        ),
        case(
            "match: gaps",
            "match-attributes good.csv gaps.csv",
            Shows("is which of"),
        )
        .file("gaps.csv", "a,b,c\n1,,x\n,3,y\n4,5,\n9,1,x\n"),
    ]
}
