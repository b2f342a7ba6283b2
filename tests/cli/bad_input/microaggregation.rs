//! Options of `mask microagg` that make no sense, and files that it cannot group.

use super::{Case, End::Notes, case, fails};

/// `mask microagg ... good.csv`, which has ten records.
fn microagg(name: &'static str, options: &str, says: &'static str) -> Case {
    fails(name, &format!("mask microagg {options} good.csv"), 2, says)
}

pub fn cases() -> Vec<Case> {
    vec![
        microagg("microagg: no k", "", "--k <K>"),
        microagg(
            "microagg: k is no number",
            "--k three",
            "invalid value 'three' for '--k",
        ),
        microagg(
            "microagg: k 0",
            "--k 0",
            "a group of fewer than 2 records hides nobody",
        ),
        microagg(
            "microagg: k 1",
            "--k 1",
            "a group of fewer than 2 records hides nobody",
        ),
        microagg(
            "microagg: k beyond half of the file",
            "--k 6",
            "k = 6 is more than half of the 10 records: all would get one average, and nothing of them would be left. Give a k of at most 5",
        ),
        microagg(
            "microagg: unknown algorithm",
            "--k 3 --algorithm best",
            "invalid value 'best' for '--algorithm",
        ),
        microagg(
            "microagg: gamma of another algorithm",
            "--k 3 --gamma 0.2",
            "--gamma has no effect: it is for --algorithm v-mdav",
        ).idle(),
        microagg(
            "microagg: negative gamma",
            "--k 3 --algorithm v-mdav --gamma=-1",
            "--gamma must be a number that is not negative",
        ),
        microagg(
            "microagg: gamma no number",
            "--k 3 --algorithm v-mdav --gamma nan",
            "--gamma must be a number that is not negative",
        ),
        microagg(
            "microagg: arc cost of another algorithm",
            "--k 3 --arc-cost projected",
            "--arc-cost has no effect: it is for --algorithm pca and zscores",
        ).idle(),
        microagg(
            "microagg: scale without distances",
            "--k 3 --algorithm individual-ranking --scale none",
            "--scale none has no effect",
        ).idle(),
        microagg(
            "microagg: several attributes for univariate",
            "--k 3 --algorithm univariate --attributes age,income",
            "the algorithm 'univariate' aggregates one attribute; 2 are to be masked together",
        ),
        microagg(
            "microagg: names for an algorithm of numbers",
            "--k 3 --algorithm pca --attributes age,town",
            "attribute \"town\": is nominal: this algorithm needs numbers",
        ),
        microagg(
            "microagg: group and attributes",
            "--k 3 --group age,income --attributes bonus",
            "cannot be used with",
        ),
        microagg(
            "microagg: attribute in two groups",
            "--group 'age,income:3' --group 'income,bonus:3'",
            "attribute \"income\"",
        ),
        microagg(
            "microagg: unknown attribute in a group",
            "--group 'age,salary:3'",
            "\"salary\"",
        ),
        microagg(
            "microagg: k without use",
            "--k 4 --group 'age,income:3'",
            "--k has no effect: every --group has a k of its own",
        ).idle(),
        microagg(
            "microagg: group without k",
            "--group 'age,income'",
            "a --group has no k",
        ),
        microagg(
            "microagg: group of 1",
            "--group 'age,income:1'",
            "a group of fewer than 2 records hides nobody",
        ),
        microagg(
            "microagg: an idle --round",
            "--k 3 --round",
            "--round has no effect",
        ).idle(),
        microagg(
            "microagg: median of nothing continuous",
            "--k 3 --average median --attributes flat,town",
            "--average median has no effect: no masked attribute is continuous",
        ).idle(),
        microagg(
            "microagg: scale of one attribute",
            "--k 3 --scale none --attributes age",
            "--scale none has no effect",
        ).idle(),
        microagg(
            "microagg: seed without use",
            "--k 3 --seed 1",
            "--seed has no effect: this method draws nothing, and nothing is shuffled",
        ).idle(),
        microagg(
            "microagg: partition on the input",
            "--k 3 --partition good.csv",
            "it is an input of this call, and inputs are never overwritten",
        ),
        microagg(
            "microagg: partition on the output",
            "--k 3 -o out.csv --partition out.csv",
            "another output of this call goes to the same place",
        ),
        fails(
            "microagg: too few values of an attribute",
            "mask microagg --k 3 --algorithm individual-ranking --attributes a,b in.csv",
            2,
            "attribute \"b\": k = 3 is more than half of the 4 values that are there",
        )
        .file("in.csv", "a,b\n1,\n2,\n3,5.5\n4,918273645\n5,3\n6,1\n"),
        fails(
            "microagg: nothing to mask",
            "mask microagg --k 3 --algorithm pca in.csv",
            3,
            "has no attribute that microagg can mask",
        )
        .file("in.csv", "town\nHull\nHull\nYork\nYork\nYork\nYork\n"),
        fails(
            "microagg: values beyond computing",
            "mask microagg --k 2 in.csv",
            3,
            "attribute \"a\": holds values too large or too close together to compute distances",
        )
        .file("in.csv", "a,b\n1e308,1\n-1e308,2\n1e308,3\n5,4\n"),
        fails(
            "microagg: an attribute without values",
            "mask microagg --k 2 --attributes x in.csv",
            2,
            "attribute \"x\": has no value at all",
        )
        .file("in.csv", "x,y\n,1.5\n,2.5\n,3.5\n,918273645\n"),
        case(
            "microagg: an attribute without values is passed over",
            "mask microagg --k 2 in.csv",
            Notes("note: x is not masked: it has no value at all"),
        )
        .file("in.csv", "x,y\n,1.5\n,2.5\n,3.5\n,4.5\n"),
        case(
            "microagg: a partition is private",
            "mask microagg --k 3 --partition p.csv good.csv",
            Notes("note: p.csv is private"),
        ),
        case(
            "a missing code that begins like an option",
            "mask microagg --k 2 --na -9 in.csv",
            Notes("y"),
        )
        .file("in.csv", "x,y\n1,1.5\n2,2.5\n-9,3.5\n4,4.5\n"),
        case(
            "microagg: names and amounts together",
            "mask microagg --k 3 good.csv",
            Notes("averages: the median for flat (ordinal), the mode for town (nominal)"),
        ),
        case(
            "microagg: thin groups are said",
            "mask microagg --k 2 in.csv",
            Notes("with them 2 records agree with fewer than k-1 others in a group of attributes; 1 values are averages of fewer than k values, 1 of them of their own alone"),
        )
        .file("in.csv", "a,b\n1,\n2,7\n30,5.5\n40,6\n52,3\n61,1\n"),
    ]
}
