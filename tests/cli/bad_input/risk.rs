//! `risk`: files and options that make no sense.

use super::{
    Case,
    End::{Notes, Shows},
    case, fails,
};

/// A masked file that has one attribute left.
const LESS: &str = "town\nHull\nHull\nHull\nHull\nHull\nHull\nHull\nHull\nHull\nHull\n";

fn one(name: &'static str, options: &str, says: &'static str) -> Case {
    fails(name, &format!("risk {options} good.csv"), 2, says)
}

fn two(name: &'static str, options: &str, status: i32, says: &'static str) -> Case {
    fails(
        name,
        &format!("risk {options} good.csv masked.csv"),
        status,
        says,
    )
}

/// A file of a key and weights.
fn weighted(name: &'static str, weights: &str, says: &'static str) -> Case {
    let content: String = weights
        .split(' ')
        .map(|weight| format!("Hull,{weight}\n"))
        .collect();
    fails(name, "risk --key town --weights w w.csv", 3, says)
        .file("w.csv", format!("town,w\n{content}"))
}

pub fn cases() -> Vec<Case> {
    let amounts = "income,bonus\n918273645.5,1.25\n827364.5,2.5\n3.5,4.75\n";
    let weights = "town,country,Sampling_Weight\nHull,UK,3\nYork,UK,3\nHull,UK,5\n";
    let wide = {
        let names: Vec<String> = (0..40).map(|place| format!("a{place}")).collect();
        let cells = vec!["x"; 40].join(",");
        format!("{}\n{cells}\n{cells}\n", names.join(","))
    };
    vec![
        one(
            "risk: unknown key",
            "--key street",
            "there is no attribute \"street\"",
        ),
        one("risk: k of 1", "--key town --k 1", "1 is not in 2.."),
        one("risk: k no number", "--key town --k many", "invalid digit"),
        one(
            "risk: l of 1",
            "--key town --confidential age --l 1",
            "1 is not in 2..",
        ),
        one(
            "risk: t above 1",
            "--key town --confidential age --t 2",
            "it must be a number from 0 to 1",
        ),
        one(
            "risk: t no number",
            "--key town --confidential age --t nan",
            "it must be a number from 0 to 1",
        ),
        one(
            "risk: c of 0",
            "--key town --confidential age --c 0",
            "it must be a number above 0",
        ),
        one(
            "risk: c without bound",
            "--key town --confidential age --c inf",
            "it must be a number above 0",
        ),
        one(
            "risk: l of nothing",
            "--key town --l 2",
            "--l has no effect: no attribute is confidential",
        ).idle(),
        one(
            "risk: t of nothing",
            "--key town --t 0.2",
            "--t has no effect: no attribute is confidential",
        ).idle(),
        one(
            "risk: c of nothing",
            "--key town --c 3",
            "--c has no effect: no attribute is confidential",
        ).idle(),
        one(
            "risk: key and confidential",
            "--key town,age --confidential age",
            "is confidential and cannot be in the key, too",
        ),
        one(
            "risk: key and weight",
            "--key town,age --weights age",
            "is the weight and cannot be in the key",
        ),
        one(
            "risk: weight and confidential",
            "--key town --confidential age --weights age",
            "cannot be both the weight and confidential",
        ),
        one(
            "risk: no search, scored",
            "--key town --msu-size 0 --suda-scoring subsets",
            "--suda-scoring has no effect: --msu-size 0",
        ).idle(),
        one(
            "risk: no search, fraction",
            "--key town --msu-size 0 --sampling-fraction 5%",
            "--sampling-fraction has no effect: --msu-size 0",
        ).idle(),
        one(
            "risk: no sample",
            "--key town --sampling-fraction 0",
            "a sample has some of the population",
        ),
        one(
            "risk: more than a population",
            "--key town --sampling-fraction 2",
            "it must be a percentage",
        ),
        case(
            "risk: id of one file",
            "risk --key town --id person_id good.csv",
            Shows("Key: town;"),
        ),
        one(
            "risk: attributes of one file",
            "--key town --attributes age",
            "--attributes has no effect: there is no masked file",
        )
        .idle(),
        one(
            "risk: tolerance of one file",
            "--key town --tolerance 5%",
            "--tolerance has no effect: there is no masked file",
        )
        .idle(),
        one(
            "risk: gate of nothing",
            "--key town --fail-above 120%",
            "it must be a percentage",
        ),
        one(
            "risk: gate on no measure",
            "--key town --fail-above uniqe=5%",
            "no rate is called \"uniqe\" here",
        ),
        one(
            "risk: gate on no rate",
            "--key town --fail-above k_anonymity=5%",
            "no rate is called \"k_anonymity\" here",
        ),
        fails(
            "risk: gate on what is not defined",
            "risk --key town --fail-above journalist_risk=5% good.csv",
            3,
            "it is not defined for this file: nothing is known of the population without --weights",
        ),
        fails(
            "risk: gate on shares none of which is defined",
            "risk --key town --fail-above 5% empty.csv",
            3,
            "no share of risk is defined for this file, so --fail-above has nothing to look at",
        )
        .file("empty.csv", "town,age\nNA,1\nNA,2\n"),
        two(
            "risk: tolerance of nothing",
            "--key town --tolerance 5%",
            2,
            "--tolerance has no effect: no attribute is confidential",
        ).idle(),
        two(
            "risk: identifier in the key",
            "--key town,person_id --id person_id",
            2,
            "is the identifier of --id and cannot be in the key",
        ),
        two(
            "risk: weight compared",
            "--key town --weights age --attributes age,income",
            2,
            "is the weight and is not compared",
        ),
        two(
            "risk: two ways to align",
            "--key town --id person_id --shuffle-key k.csv",
            2,
            "cannot be used with",
        ),
        two(
            "risk: report over the file",
            "--key town -o masked.csv",
            2,
            "inputs are never overwritten",
        ),
        two(
            "risk: records over the report",
            "--key town -o r.csv --records r.csv",
            2,
            "another output of this call goes to the same place",
        ),
        weighted(
            "risk: weight of 0",
            "2 0 1.5",
            "line 3, attribute \"w\": has a weight that is not above 0",
        ),
        weighted(
            "risk: weight below 0",
            "2 1 -1.5",
            "line 4, attribute \"w\": has a weight that is not above 0",
        ),
        weighted(
            "risk: weight missing",
            "2 NA 1.5",
            "line 3, attribute \"w\": has no weight for this record",
        ),
        weighted(
            "risk: weight no number",
            "2 some 1.5",
            "holds no numbers, so it cannot be the weight",
        ),
        fails(
            "risk: weights not released",
            "risk --key town --weights age good.csv less.csv",
            3,
            "less.csv, attribute \"age\": does not have the weights",
        )
        .file("less.csv", LESS),
        fails(
            "risk: only names",
            "risk --key town h.csv",
            3,
            "has no records, only names",
        )
        .file("h.csv", "town,age\n"),
        fails(
            "risk: no key to be found",
            "risk a.csv",
            3,
            "no attribute is names or few whole numbers, so there is no key to count by",
        )
        .file("a.csv", amounts),
        fails(
            "risk: k of no key",
            "risk --k 3 a.csv a.csv",
            2,
            "--k has no effect: no attribute is names",
        ).idle()
        .file("a.csv", amounts),
        fails(
            "risk: a key too wide",
            "risk --key 1-40 wide.csv",
            2,
            "a key of 40 attributes is too wide: 32 at most",
        )
        .file("wide.csv", &wide),
        fails(
            "risk: too many that could be in a key",
            "risk wide.csv",
            3,
            "wide.csv: 40 attributes are names or few whole numbers, and a key has 32 at most, so there is no key",
        )
        .file("wide.csv", &wide),
        case(
            "risk: too many that could be in a key of two files",
            "risk wide.csv wide.csv",
            Notes("and a key has 32 at most, so there is no key: name one with --key"),
        )
        .file("wide.csv", &wide),
        case(
            "risk: constants are not in the default key",
            "risk w.csv",
            Notes("note: the key is town;"),
        )
        .file("w.csv", weights),
        case(
            "risk: constants are told",
            "risk w.csv",
            Notes("note: what is the same in all records is not in the key: country"),
        )
        .file("w.csv", weights),
        case(
            "risk: weights are told",
            "risk w.csv",
            Notes("is not in the key: Sampling_Weight; if it holds weights, give --weights Sampling_Weight;"),
        )
        .file("w.csv", weights),
        case(
            "risk: a file of constants has a key of them",
            "risk w.csv",
            Notes("note: the key is town, country;"),
        )
        .file("w.csv", "town,country\nHull,UK\n"),
        fails(
            "risk: one standard input for two",
            "risk --key town - -",
            2,
            "standard input ('-') can be read only once",
        ),
        case(
            "risk: amounts have intervals only",
            "risk a.csv a.csv",
            Notes("so there is no key: name one with --key"),
        )
        .file("a.csv", amounts),
        case(
            "risk: default key is told",
            "risk good.csv",
            Notes("note: the key is town"),
        ),
        case(
            "risk: what was not released is told",
            "risk --key town,flat good.csv less.csv",
            Shows("Of the key less.csv does not have: flat."),
        )
        .file("less.csv", LESS),
    ]
}
