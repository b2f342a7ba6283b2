//! Options that make no sense for `mask fuzzy`, and files of starting centres.

use super::{Case, End::Notes, case, fails};

/// `mask fuzzy --m1 2 --m2 2 ... good.csv`, which has ten records.
fn call(options: &str) -> String {
    format!("mask fuzzy --m1 2 --m2 2 {options} good.csv")
}

fn wrong(name: &'static str, options: &str, says: &'static str) -> Case {
    fails(name, &call(options), 2, says)
}

/// With a file of starting centres for age and income.
fn centres(name: &'static str, content: &str, status: i32, says: &'static str) -> Case {
    let options = "--attributes age,income --init-centres v.csv";
    fails(name, &call(options), status, says).file("v.csv", content)
}

pub fn cases() -> Vec<Case> {
    let mut cases = parameters();
    cases.extend(groups());
    cases.extend(starting_centres());
    cases
}

fn parameters() -> Vec<Case> {
    vec![
        fails(
            "pbuckets: a share",
            "mask pbuckets --p 0.5 good.csv",
            2,
            "a whole number of buckets, not a percentage or a share",
        ),
        wrong(
            "fuzzy: idle scale",
            "--k 2 --attributes age --scale none",
            "--scale none has no effect",
        )
        .idle(),
        centres(
            "fuzzy: one centre",
            "age,income\n1,2\n",
            2,
            "fewer than 2 starting centres",
        ),
        fails(
            "fuzzy: no m1",
            "mask fuzzy --k 2 --m2 2 good.csv",
            2,
            "--m1",
        ),
        fails(
            "fuzzy: no m2",
            "mask fuzzy --k 2 --m1 2 good.csv",
            2,
            "--m2",
        ),
        fails(
            "fuzzy: m1 of 1",
            "mask fuzzy --k 2 --m1 1 --m2 2 good.csv",
            2,
            "--m1 must be more than 1",
        ),
        fails(
            "fuzzy: m2 below 1",
            "mask fuzzy --k 2 --m1 2 --m2 0.5 good.csv",
            2,
            "--m2 must be more than 1",
        ),
        fails(
            "fuzzy: m1 nan",
            "mask fuzzy --k 2 --m1 nan --m2 2 good.csv",
            2,
            "--m1 must be more than 1",
        ),
        fails(
            "fuzzy: m2 infinite",
            "mask fuzzy --k 2 --m1 2 --m2 inf good.csv",
            2,
            "--m2 must be more than 1",
        ),
        wrong(
            "fuzzy: neither k nor clusters",
            "",
            "fuzzy needs a number of clusters",
        ),
        wrong(
            "fuzzy: k and clusters",
            "--k 2 --clusters 3",
            "cannot be used with",
        ),
        wrong("fuzzy: k of 1", "--k 1", "k must be at least 2"),
        wrong("fuzzy: k of 0", "--k 0", "k must be at least 2"),
        wrong(
            "fuzzy: k above half",
            "--k 6",
            "k = 6 is more than half of the 10 records",
        ),
        wrong(
            "fuzzy: one cluster",
            "--clusters 1",
            "fewer than 2 clusters",
        ),
        wrong(
            "fuzzy: more clusters than records",
            "--clusters 11",
            "11 clusters are more than the 10 records",
        ),
        wrong(
            "fuzzy: no start",
            "--k 2 --starts 0",
            "--starts and --max-iterations must be at least 1",
        ),
        wrong(
            "fuzzy: no iteration",
            "--k 2 --max-iterations 0",
            "--starts and --max-iterations must be at least 1",
        ),
        wrong(
            "fuzzy: tolerance negative",
            "--k 2 --tolerance=-1",
            "--tolerance must be a number of at least 0",
        ),
        wrong(
            "fuzzy: tolerance nan",
            "--k 2 --tolerance nan",
            "--tolerance must be a number of at least 0",
        ),
        wrong(
            "fuzzy: unknown scale",
            "--k 2 --scale sd",
            "invalid value 'sd' for '--scale",
        ),
        wrong(
            "fuzzy: names",
            "--k 2 --attributes age,town",
            "attribute \"town\": has no mean",
        ),
        wrong(
            "fuzzy: same output twice",
            "--k 2 --centres x.csv --partition x.csv",
            "another output of this call",
        ),
        wrong(
            "fuzzy: partition over input",
            "--k 2 --partition good.csv",
            "inputs are never overwritten",
        ),
        case(
            "fuzzy: not converged",
            call("--k 2 --max-iterations 1"),
            Notes("warning: c-means has not converged after 1 iteration"),
        ),
        case(
            "fuzzy: on average only",
            call("--k 2"),
            Notes("k-anonymity on average only"),
        ),
        case(
            "fuzzy: private files",
            call("--k 2 --partition p.csv"),
            Notes("is private, like a seed"),
        ),
    ]
}

fn groups() -> Vec<Case> {
    vec![
        wrong(
            "group: with attributes",
            "--k 2 --group age --attributes income",
            "cannot be used with",
        ),
        wrong(
            "group: unknown attribute",
            "--k 2 --group agee",
            "there is no attribute \"agee\". Did you mean \"age\"?",
        ),
        wrong(
            "group: overlap",
            "--k 2 --group age,income --group income:3",
            "attribute \"income\": the attribute is in two groups",
        ),
        wrong(
            "group: no number anywhere",
            "--group age",
            "a --group without a number needs --k or --clusters",
        ),
        wrong(
            "group: number 0",
            "--group age:0",
            "the number of a --group must be at least 1",
        ),
        wrong(
            "group: no number behind :",
            "--group age:x",
            "neither a number nor part of a name",
        ),
        wrong(
            "group: idle k",
            "--k 3 --group age:2",
            "--k has no effect: every --group has a number of its own",
        )
        .idle(),
        wrong(
            "group: idle clusters",
            "--clusters 3 --group age:2",
            "these could be k or clusters",
        ),
        wrong("group: k of 1", "--group age:1", "k must be at least 2"),
        wrong(
            "group: names",
            "--k 2 --group town",
            "attribute \"town\": has no mean",
        ),
        wrong(
            "group: dropped",
            "--k 2 --group age --drop age",
            "attribute \"age\": cannot be masked and left out",
        ),
        wrong(
            "group: centres of two",
            "--k 2 --group age --group income --centres c.csv",
            "for one block only",
        ),
    ]
}

fn starting_centres() -> Vec<Case> {
    let good = "age,income\n30,20000\n50,50000\n";
    vec![
        wrong(
            "centres: no such file",
            "--init-centres v.csv --k 2",
            "cannot be used with",
        ),
        fails(
            "centres: missing file",
            &call("--init-centres v.csv"),
            1,
            "v.csv: cannot read it",
        ),
        fails(
            "centres: with starts",
            &call("--init-centres v.csv --starts 2"),
            2,
            "cannot be used with",
        )
        .file("v.csv", good),
        fails(
            "centres: with groups",
            &call("--init-centres v.csv --group age"),
            2,
            "cannot be used with",
        )
        .file("v.csv", good),
        fails(
            "centres: on standard input twice",
            "mask fuzzy --m1 2 --m2 2 --init-centres - -",
            2,
            "can be read only once",
        ),
        centres(
            "centres: attribute lacks",
            "age\n30\n50\n",
            3,
            "v.csv, attribute \"income\": the starting centres have no such column",
        ),
        centres(
            "centres: attribute too many",
            "age,income,bonus\n30,1,2\n50,2,3\n",
            3,
            "attribute \"bonus\": is not among the attributes that are masked",
        ),
        centres(
            "centres: text",
            "age,income\n30,918273645\n50,geheim\n",
            3,
            "v.csv, attribute \"income\": has cells that are not numbers",
        ),
        centres(
            "centres: gap",
            "age,income\n30,918273645\n50,\n",
            3,
            "v.csv, attribute \"income\": misses values",
        ),
        centres(
            "centres: the same twice",
            "age,income\n30,5\n50,918273645\n30,5\n",
            3,
            "two starting centres are the same point",
        ),
        centres(
            "centres: far away",
            "age,income\n30,1e300\n50,918273645\n",
            3,
            "too far from the records",
        ),
        centres("centres: none", "age,income\n", 3, "v.csv"),
        centres(
            "centres: more than records",
            &("age,income\n".to_owned()
                + &(0..11)
                    .map(|i| format!("{},{}7\n", i + 30, i + 1))
                    .collect::<String>()),
            2,
            "11 clusters are more than the 10 records",
        ),
    ]
}
