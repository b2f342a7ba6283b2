//! What is typed: each command with its files, some options that mean something and some that do not.

use std::collections::BTreeMap;

use super::{Call, damage::damaged, draw::Draw, inputs::Inputs};

/// Where calls write statements.
pub const STATEMENT: &str = "out.sdc.json";

/// Values that no option expects, or only some.
const VALUES: [&str; 34] = [
    "",
    "0",
    "-1",
    "1",
    "2",
    "3",
    "7",
    "1000",
    "1e308",
    "1e-300",
    "nan",
    "inf",
    "-0",
    "0.5",
    "99999999999999999999",
    "18446744073709551615",
    "4294967296",
    "a,b",
    "age",
    "income,tax",
    "age,income,tax",
    "region",
    "class",
    "id",
    "1-3",
    "3-1",
    "0-99999999999",
    "5%",
    "500%",
    "age=3,tax=2",
    "first:2",
    "ü",
    ":",
    "out2",
];

/// Options of a command, each with values that mean something to it; `*` stands for [`VALUES`].
type Options = &'static [(&'static str, &'static [&'static str])];

const READING: Options = &[
    ("--delimiter", &[",", ";", "tab", "|", "x"]),
    ("--decimal-mark", &[".", ","]),
    ("--thousands-mark", &["none", "space", ".", ",", "'"]),
    ("--encoding", &["utf-8", "windows-1252"]),
    ("--na", &["NA", "", "-9,NA", "0", "1"]),
    ("--no-header", &[]),
    ("--skip-lines", &["0", "1", "2"]),
    ("--header", &[]),
    ("--roles", &["roles.toml"]),
    ("--threads", &["1", "2", "*"]),
    ("--timings", &[]),
    ("--verbose", &[]),
    ("--strict", &[]),
];

const MASKING: Options = &[
    (
        "--attributes",
        &[
            "age,income,tax",
            "1-3",
            "region",
            "class,tax",
            "income",
            "*",
        ],
    ),
    ("--drop", &["tax", "id", "1-7", "*"]),
    ("--keep-identifiers", &[]),
    ("--statement", &[STATEMENT]),
    ("--shuffle", &["out-key.csv"]),
    ("--seed", &["1", "*"]),
    ("--output", &["out.csv", "out.csv.gz", "out.csv.zst"]),
];

const PAIRS: Options = &[
    (
        "--attributes",
        &["age,income,tax", "2-4", "region,class", "*"],
    ),
    ("--id", &["id", "age", "*"]),
    ("--key", &["key.csv"]),
    ("--recode", &["recode.toml", "cross.toml"]),
    ("--format", &["text", "json", "csv"]),
    ("--output", &["out.txt"]),
];

/// The options that only one command has, and the words that it begins with; the files are `a`, original, `m`, masked, or names.
const COMMANDS: &[(&str, &[&str], Options)] = &[
    (
        "mask rankswap",
        &["a"],
        &[
            ("--p", &["10", "20", "0.5", "*"]),
            ("--window", &["1", "5", "*"]),
            ("--partner", &["skip"]),
            ("--p-unit", &["percent"]),
            ("--keep-sums", &["tax=age+income", "income=tax+age", "*"]),
            ("--keep-zeros", &[]),
            ("--zeros-within", &["10", "*"]),
            ("--strata", &["region,class", "class", "*"]),
        ],
    ),
    (
        "mask pbuckets",
        &["a"],
        &[
            ("--p", &["2", "4", "*"]),
            ("--strata", &["region,class", "class", "*"]),
        ],
    ),
    (
        "mask pdistribution",
        &["a"],
        &[
            ("--p", &["10", "100", "*"]),
            ("--p-unit", &["percent"]),
            ("--strata", &["region,class", "class", "*"]),
        ],
    ),
    (
        "mask noise",
        &["a"],
        &[
            ("--level", &["0.1", "1", "*"]),
            ("--correlated", &[]),
            ("--restore", &[]),
            ("--round", &[]),
            ("--keep-sums", &["tax=age+income", "income=tax+age", "*"]),
            ("--keep-zeros", &[]),
            ("--zeros-within", &["10", "*"]),
            ("--strata", &["region,class", "class", "*"]),
        ],
    ),
    (
        "mask microagg",
        &["a"],
        &[
            ("--k", &["2", "3", "10", "*"]),
            (
                "--algorithm",
                &[
                    "mdav",
                    "v-mdav",
                    "mdav-mhm",
                    "exchange",
                    "univariate",
                    "individual-ranking",
                    "pca",
                    "zscores",
                ],
            ),
            ("--group", &["age,income:3", "tax", "region,class:4", "*"]),
            ("--gamma", &["0.2", "*"]),
            ("--arc-cost", &["projected", "multivariate"]),
            ("--scale", &["z", "none"]),
            ("--average", &["mean", "median"]),
            ("--round", &[]),
            ("--partition", &["out-partition.csv"]),
            ("--strata", &["region,class", "class", "*"]),
        ],
    ),
    (
        "mask fuzzy",
        &["a"],
        &[
            ("--k", &["3", "*"]),
            ("--clusters", &["3", "*"]),
            ("--m1", &["1.2", "2", "*"]),
            ("--m2", &["1.2", "2", "*"]),
            ("--group", &["income,tax:3", "age", "*"]),
            ("--scale", &["none"]),
            ("--round", &[]),
            ("--starts", &["2", "*"]),
            ("--tolerance", &["0.1", "*"]),
            ("--max-iterations", &["5", "*"]),
            ("--init-centres", &["centres.csv"]),
            ("--partition", &["out-partition.csv"]),
            ("--centres", &["out-centres.csv"]),
            ("--memberships", &["out-memberships.csv"]),
            ("--strata", &["region,class", "class", "*"]),
        ],
    ),
    (
        "mask copula",
        &["a"],
        &[
            ("--mu", &["3", "0.5", "*"]),
            ("--bits", &["4", "*"]),
            ("--components", &["auto", "1", "3", "*"]),
            ("--allocation", &["minimal", "uniform"]),
            ("--weight", &["income=10", "tax,age=2", "*"]),
            ("--given", &["region,class", "tax", "*"]),
            ("--protect-extremes", &["on", "off"]),
            ("--exact-moments", &["auto", "on", "off"]),
            ("--secret", &["a.csv", "*"]),
            ("--id", &["id", "age", "*"]),
            ("--keep-sums", &["tax=age+income", "income=tax+age", "*"]),
            ("--keep-zeros", &[]),
            ("--zeros-within", &["10", "*"]),
            ("--strata", &["region,class", "class", "*"]),
        ],
    ),
    (
        "mask ipso",
        &["a"],
        &[
            ("--variant", &["a", "b", "c"]),
            ("--confidential", &["tax,class", "*"]),
            ("--no-intercept", &[]),
            ("--round", &[]),
            ("--strata", &["region,class", "class", "*"]),
        ],
    ),
    ("mask recode", &["a"], &[("--rules", &["recode.toml"])]),
    (
        "mask pram",
        &["a"],
        &[
            ("--keep", &["0.8", "50%", "*"]),
            ("--matrix", &["matrix.csv"]),
            ("--invariant", &[]),
            ("--strata", &["region,class", "class", "*"]),
        ],
    ),
    (
        "mask suppress",
        &["a"],
        &[
            ("--k", &["2", "3", "*"]),
            ("--key", &["region,class", "2-4", "*"]),
            ("--missing-matches", &["any", "missing"]),
            ("--rules", &["suppress.toml"]),
        ],
    ),
    (
        "link",
        &["a", "m"],
        &[
            (
                "--method",
                &[
                    "am",
                    "dbrl2",
                    "md",
                    "md0",
                    "kernel",
                    "gower",
                    "prl",
                    "rsld",
                    "microagg",
                    "likelihood",
                    "involution",
                    "swaps",
                    "aggregates",
                    "wm",
                    "wm-m",
                    "owa",
                    "ci",
                    "ci-m",
                    "ci-2",
                    "sb",
                    "sb-nc",
                    "sb-pd",
                    "all",
                    "am,prl,rsld",
                    "*",
                ],
            ),
            ("--standardize", &["own", "original", "none"]),
            ("--ridge", &["0.1", "*"]),
            ("--eps", &["0.02", "0.3", "*"]),
            ("--pseudo-inverse", &[]),
            ("--kernel", &["rbf", "mahalanobis", "poly", "tanh"]),
            ("--degree", &["2", "*"]),
            ("--offset", &["1", "*"]),
            (
                "--agree",
                &[
                    "exact",
                    "sd:0.1",
                    "abs:5",
                    "rel:0.05",
                    "rank:3%",
                    "bins:20",
                    "age=rank:3%",
                    "bins:*",
                    "sd:inf",
                ],
            ),
            ("--fit", &["em", "em-fixed-u", "known"]),
            (
                "--em-start",
                &["0.9,0.1", "0.9,0.1,0.01", "0,1", "nan,1", "*"],
            ),
            ("--em-iterations", &["5", "*"]),
            ("--admissible", &["0.1,0.1", "0,1", "nan,2"]),
            ("--attributes-masked", &["tax,income", "*"]),
            (
                "--quantifiers",
                &["exists,most", "power:2", "power:nan", "*"],
            ),
            ("--nearest-clusters", &["3", "*"]),
            ("--engine", &["auto", "cone", "branch", "milp"]),
            ("--weights", &["out-weights.json"]),
            ("--use-weights", &["wm.json", "ci.json", "sb.json"]),
            ("--certificate", &["out-proof.json"]),
            ("--train-records", &["5", "records.txt", "*"]),
            ("--train-splits", &["2"]),
            ("--seed", &["1"]),
            (
                "--known",
                &[
                    "first:2",
                    "sweep:2",
                    "subsets:2",
                    "random:2x3",
                    "income,tax",
                    "age",
                    "region",
                    "*",
                ],
            ),
            ("--recode", &["recode.toml", "cross.toml"]),
            ("--known-records", &["5", "records.txt", "*"]),
            ("--direction", &["original-to-masked", "masked-to-original"]),
            ("--p", &["20", "age=10,tax=20", "*"]),
            ("--window", &["4", "*"]),
            (
                "--statement",
                &[
                    "rankswap.sdc.json",
                    "noise.sdc.json",
                    "microagg.sdc.json",
                    "fuzzy.sdc.json",
                    "pbuckets.sdc.json",
                    "pdistribution.sdc.json",
                    "recode.sdc.json",
                    "suppress.sdc.json",
                    "ipso.sdc.json",
                    "pram.sdc.json",
                ],
            ),
            ("--group", &["age,income,tax:3", "income", "*"]),
            (
                "--algorithm",
                &["mdav", "individual-ranking", "pca", "exchange"],
            ),
            ("--ties", &["fair", "strict", "optimistic"]),
            ("--assign", &["best", "one-to-one", "balanced"]),
            ("--posterior", &["scaled", "sampled"]),
            ("--links", &["out-links.csv"]),
            ("--fail-above", &["5%", "0.9", "*"]),
            ("--fail-above-extremes", &["5%", "0.9", "*"]),
            ("--shard", &["1/1", "2/2", "1/3", "*"]),
            ("--brief", &[]),
            ("--explain", &[]),
        ],
    ),
    (
        "loss",
        &["a", "m"],
        &[
            ("--measures", &["il,pil,sse_sst", "*"]),
            ("--by-attribute", &[]),
            ("--brief", &[]),
            ("--explain", &[]),
            ("--statement", &["noise.sdc.json", "rankswap.sdc.json"]),
            ("--weights", &["weight", "tax", "*"]),
            ("--clusters", &["3", "2", "*"]),
            ("--starts", &["2"]),
            ("--classify", &["class", "region", "age", "income", "*"]),
            (
                "--classifiers",
                &["tree", "knn", "bayes", "svm", "tree,svm"],
            ),
            ("--folds", &["2", "3", "*"]),
            ("--classes", &["2", "4", "*"]),
            ("--regress", &["income~age,tax", "tax~region", "age", "*"]),
            ("--analysis-seed", &["5", "*"]),
        ],
    ),
    (
        "risk",
        &["a", "m?"],
        &[
            ("--key", &["region,class", "age", "2-6", "*"]),
            ("--missing-matches", &["any", "missing"]),
            ("--weights", &["weight", "tax", "*"]),
            ("--k", &["3", "*"]),
            ("--msu-size", &["2", "*"]),
            ("--suda-scoring", &["elliot", "subsets"]),
            ("--sampling-fraction", &["0.1", "*"]),
            ("--confidential", &["tax", "income,region", "*"]),
            ("--l", &["2", "*"]),
            ("--c", &["2", "*"]),
            ("--t", &["0.2", "*"]),
            ("--tolerance", &["0.1", "*"]),
            ("--shuffle-key", &["key.csv"]),
            ("--statement", &["recode.sdc.json", "noise.sdc.json"]),
            ("--most-at-risk", &["3", "*"]),
            ("--records", &["out-records.csv"]),
            ("--fail-above", &["5%", "unique=1%", "*"]),
            ("--shard", &["1/1", "2/2", "1/3", "*"]),
            ("--brief", &[]),
            ("--explain", &[]),
        ],
    ),
    (
        "score",
        &["a", "m"],
        &[
            ("--p", &["20", "*"]),
            ("--window", &["4", "*"]),
            ("--statement", &["rankswap.sdc.json", "noise.sdc.json"]),
            ("--known", &["first:2", "sweep:2", "income,tax", "*"]),
            ("--known-records", &["5", "records.txt", "*"]),
            ("--direction", &["masked-to-original"]),
            ("--agree", &["exact", "rank:3%", "*"]),
            ("--assign", &["best"]),
            ("--fit", &["em", "em-fixed-u", "known"]),
            ("--em-iterations", &["5", "*"]),
            ("--seed", &["1"]),
            ("--fail-above", &["5%", "*"]),
            ("--brief", &[]),
            ("--explain", &[]),
        ],
    ),
    (
        "evaluate",
        &["plan.toml"],
        &[
            ("--into", &["results"]),
            ("--data", &["."]),
            ("--skip-missing", &[]),
            ("--shard", &["1/1", "2/2", "1/3", "*"]),
            ("--fail-above", &["5%"]),
            ("--format", &["text", "json", "csv"]),
        ],
    ),
    (
        "merge",
        &["part.json"],
        &[
            ("--into", &["results"]),
            ("--fail-above", &["5%", "unique=1%"]),
            ("--fail-above-extremes", &["5%"]),
            ("--links", &["out-links.csv"]),
            ("--brief", &[]),
            ("--explain", &[]),
            ("--format", &["text", "json", "csv"]),
        ],
    ),
    (
        "search",
        &["plan.toml"],
        &[
            ("--risk-at-most", &["20%"]),
            ("--loss", &["pil", "*"]),
            ("--into", &["results"]),
            ("--data", &["."]),
            ("--format", &["text", "json", "csv"]),
        ],
    ),
    (
        "report",
        &["results"],
        &[
            ("--external", &[]),
            ("--title", &["T", "*"]),
            ("--release-type", &["open"]),
            ("--output", &["out.html"]),
        ],
    ),
    (
        "explain",
        &["weights"],
        &[
            ("--format", &["text", "json"]),
            ("--svg", &["out.svg"]),
            ("--output", &["out.txt"]),
        ],
    ),
    (
        "verify",
        &["proof", "a", "noise.csv"],
        &[
            ("--id", &["id", "*"]),
            ("--key", &["key.csv"]),
            ("--format", &["text", "json"]),
        ],
    ),
    (
        "match-attributes",
        &["a", "m"],
        &[
            ("--attributes", &["age,income", "*"]),
            ("--attributes-b", &["tax,income", "*"]),
            ("--scale", &["z", "robust", "minmax", "none"]),
            ("--distance", &["hellinger", "l1"]),
            ("--relation", &["one-to-one", "one-to-many"]),
            ("--within", &["0.5", "*"]),
            ("--rename", &["out-renamed.csv"]),
            ("--format", &["text", "json", "csv"]),
        ],
    ),
    (
        "guess",
        &["a", "m"],
        &[
            ("--attributes", &["age,income", "*"]),
            ("--aligned", &[]),
            ("--id", &["id", "*"]),
            ("--format", &["text", "json"]),
            ("--output", &["out.txt"]),
        ],
    ),
    ("describe", &["a"], &[("--format", &["text", "json"])]),
    ("roles", &["a"], &[("--init", &[])]),
    ("demo", &[], &[("--data", &[]), ("--plan", &[])]),
    ("selftest", &[], &[("--format", &["text", "json"])]),
    ("completions", &[], &[]),
    ("man", &[], &[]),
];

const ORIGINALS: [&str; 4] = ["a.csv", "a.csv", "c.csv", "d.csv"];

const MASKED: [&str; 12] = [
    "rankswap.csv",
    "noise.csv",
    "microagg.csv",
    "fuzzy.csv",
    "pbuckets.csv",
    "pdistribution.csv",
    "ipso.csv",
    "recode.csv",
    "suppress.csv",
    "pram.csv",
    "b.csv",
    "a.csv",
];

const RESULTS: [&str; 13] = [
    "link.json",
    "wm-link.json",
    "ci-link.json",
    "loss.json",
    "risk.json",
    "score.json",
    "evaluate.json",
    "match.json",
    "explain.json",
    "verify.json",
    "rankswap.sdc.json",
    "noise.sdc.json",
    "wm.json",
];

/// A call, drawn.
pub fn call(draw: &mut Draw, inputs: &Inputs) -> Call {
    // Commands without inputs have little that could go wrong.
    let (command, places, own) = loop {
        let (command, places, own) = COMMANDS[draw.below(COMMANDS.len())];
        let copies = match command {
            "link" => 12,
            "loss" | "risk" | "verify" => 4,
            "demo" | "selftest" | "completions" | "man" => 0,
            _ => 2,
        };
        // Each command is taken with a chance of its own: at least one in twenty, at most all.
        if draw.below(12) < copies || draw.once_in(40) {
            break (command, places, own);
        }
    };
    let mut words: Vec<String> = command.split(' ').map(String::from).collect();
    match command {
        "completions" => words.push(
            draw.of(&["bash", "zsh", "fish", "elvish", "powershell", "*"])
                .into(),
        ),
        "man" => words.push(
            draw.of(&["mask", "mask-rankswap", "link", "mask-", "-", "nothing", ""])
                .into(),
        ),
        _ => {}
    }
    let mut files = BTreeMap::new();
    let mut names = Vec::new();
    for &place in places {
        match place {
            "a" => names.push(draw.of(&ORIGINALS)),
            "m" => names.push(draw.of(&MASKED)),
            "m?" if draw.once_in(2) => names.push(draw.of(&MASKED)),
            "m?" => {}
            "results" => (0..=draw.below(3)).for_each(|_| names.push(draw.of(&RESULTS))),
            "weights" => names.push(draw.of(&["wm.json", "ci.json", "sb.json"])),
            "proof" => names.push(draw.of(&["wm-proof.json", "ci-proof.json", "sb-proof.json"])),
            name => names.push(name),
        }
    }
    let typed = typed(draw, command, own, places);
    // Options that name inputs.
    for word in &typed {
        let is_input = !word.starts_with("out") && !word.starts_with('-');
        if is_input
            && [".csv", ".json", ".toml", ".txt"]
                .iter()
                .any(|end| word.ends_with(end))
        {
            files.insert(word.clone(), inputs.file(word));
        }
    }
    if ["evaluate", "search"].contains(&command) {
        files.insert("a.csv".into(), inputs.file("a.csv"));
    }
    files.extend(
        names
            .iter()
            .map(|&name| (name.to_string(), inputs.file(name))),
    );
    let all: Vec<String> = files.keys().cloned().collect();
    let mut names_moved = typed
        .iter()
        .any(|word| word == "--no-header" || word == "--header" || word == "--delimiter");
    for name in &all {
        if draw.below(all.len() + 1) > all.len() / 2 {
            let bytes = files.get_mut(name).expect("a file of the call");
            names_moved |= damaged(draw, name, bytes) && name.ends_with(".csv");
        }
    }
    words.extend(typed);
    words.extend(names.into_iter().map(String::from));
    // What the learned distances find is not the question here.
    const LEARNED: [&str; 9] = [
        "wm", "wm-m", "owa", "ci", "ci-m", "ci-2", "sb", "sb-nc", "sb-pd",
    ];
    if words.iter().any(|word| LEARNED.contains(&word.as_str())) {
        words.extend(["--time-limit".into(), draw.of(&["0.05", "0.3", "1"]).into()]);
    }
    Call {
        name: command.into(),
        words,
        files,
        names_moved,
    }
}

/// What is typed behind a command, in order.
#[derive(Default)]
struct Typed {
    words: Vec<String>,
    used: Vec<&'static str>,
}

impl Typed {
    fn take(&mut self, draw: &mut Draw, (name, values): (&'static str, &[&str])) {
        if self.used.contains(&name) && name != "--group" {
            return;
        }
        self.used.push(name);
        if values.is_empty() {
            self.words.push(name.into());
            return;
        }
        // A strange value is rarer than one that means something.
        let value = match draw.of(values) {
            "*" if !draw.once_in(3) => draw.of(values),
            value => value,
        };
        let strange = draw.of(&VALUES[..]);
        let value = if draw.once_in(100) {
            strange.into()
        } else {
            value.replace('*', strange)
        };
        // A value may begin as an option does.
        if value.starts_with('-') {
            self.words.push(format!("{name}={value}"))
        } else {
            self.words.extend([name.into(), value])
        }
    }

    fn take_named(&mut self, draw: &mut Draw, own: Options, names: &[&str]) {
        for name in names {
            if let Some(&option) = own.iter().find(|(own, _)| own == name) {
                self.take(draw, option);
            }
        }
    }
}

fn typed(draw: &mut Draw, command: &str, own: Options, places: &[&str]) -> Vec<String> {
    let mut typed = Typed::default();
    let is_mask = command.starts_with("mask ");
    let reads = places.contains(&"a");
    let is_pair = matches!(command, "link" | "loss" | "risk" | "score");
    // What the command cannot do without comes first.
    let needed: &[&str] = match command {
        _ if draw.once_in(40) => &[],
        "mask rankswap" if draw.once_in(3) => &["--window"],
        "mask rankswap" | "mask pbuckets" | "mask pdistribution" => &["--p"],
        "mask noise" => &["--level"],
        "mask microagg" => &["--k"],
        "mask fuzzy" => &["--k", "--m1", "--m2"],
        "mask copula" => &["--mu"],
        "mask ipso" => &["--variant", "--confidential"],
        "mask recode" => &["--rules"],
        "mask pram" if draw.once_in(2) => &["--matrix"],
        "mask pram" => &["--keep"],
        "mask suppress" if draw.once_in(2) => &["--rules"],
        "mask suppress" => &["--k", "--key"],
        "link" => &["--method"],
        "risk" => &["--key"],
        _ => &[],
    };
    typed.take_named(draw, own, needed);
    if command == "link" {
        let method = typed.words.get(1).cloned().unwrap_or_default();
        let useful: &[&str] = match method.as_str() {
            "dbrl2" | "md" | "md0" => &["--ridge", "--pseudo-inverse", "--standardize"],
            "kernel" => &["--kernel", "--degree", "--offset"],
            "prl" => &[
                "--agree",
                "--fit",
                "--em-start",
                "--em-iterations",
                "--admissible",
                "--assign",
            ],
            "rsld" => &["--p", "--window", "--statement", "--standardize"],
            "microagg" => &[
                "--group",
                "--algorithm",
                "--statement",
                "--nearest-clusters",
            ],
            "likelihood" => &["--statement", "--p", "--group", "--assign"],
            "involution" | "swaps" => &["--statement", "--p", "--eps", "--assign"],
            "aggregates" => &["--attributes-masked", "--quantifiers"],
            "am" | "gower" | "all" | "am,prl,rsld" => &["--assign", "--standardize", "--p"],
            _ => &[
                "--engine",
                "--weights",
                "--certificate",
                "--train-records",
                "--train-splits",
                "--use-weights",
                "--known",
            ],
        };
        let few = useful.len().min(1 + draw.below(3));
        let from = draw.below(useful.len() - few + 1);
        typed.take_named(draw, own, &useful[from..from + few]);
    }
    for _ in 0..draw.below(3) {
        let some = match draw.below(4) {
            0 if reads => READING,
            1 if is_mask => MASKING,
            1 if is_pair => PAIRS,
            _ => own,
        };
        if !some.is_empty() {
            let option = some[draw.below(some.len())];
            typed.take(draw, option);
        }
    }
    typed.words
}
