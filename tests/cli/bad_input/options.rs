//! Options that make no sense, for `mask` and `describe`.

use super::{Case, End::Shows, case, fails};

/// `mask rankswap --window 2 ... good.csv`.
fn mask(name: &'static str, options: &str, status: i32, says: &'static str) -> Case {
    fails(
        name,
        &format!("mask rankswap --window 2 {options} good.csv"),
        status,
        says,
    )
}

/// `describe --roles roles.toml good.csv`.
fn roles(name: &'static str, content: &str, says: &'static str) -> Case {
    fails(name, "describe --roles roles.toml good.csv", 3, says).file("roles.toml", content)
}

/// `mask rankswap ... good.csv`, which has ten records.
fn strength(name: &'static str, options: &str, says: &'static str) -> Case {
    fails(name, &format!("mask rankswap {options} good.csv"), 2, says)
}

/// Options of `mask pbuckets`, `mask pdistribution` and `mask noise` for `good.csv`, which has ten records.
fn other_methods() -> Vec<Case> {
    let of = |name, options: &str, status, says| {
        fails(name, &format!("mask {options} good.csv"), status, says)
    };
    vec![
        of("pbuckets without p", "pbuckets", 2, "--p <BUCKETS>"),
        of(
            "no buckets",
            "pbuckets --p 0",
            2,
            "--p is the number of buckets: there must be one at least",
        ),
        of(
            "more buckets than records",
            "pbuckets --p 11",
            2,
            "good.csv: 11 buckets are more than there are records (10): some would be empty. Give a smaller --p",
        ),
        of(
            "half a bucket",
            "pbuckets --p 2.5",
            2,
            "invalid value '2.5' for '--p",
        ),
        of(
            "pbuckets with a window",
            "pbuckets --p 2 --window 3",
            2,
            "unexpected argument '--window'",
        ),
        of(
            "pbuckets of text",
            "pbuckets --p 2 --attributes town",
            2,
            "attribute \"town\": has no order",
        ),
        of(
            "pdistribution without p",
            "pdistribution",
            2,
            "--p <PERCENT>",
        ),
        of(
            "pdistribution above 100",
            "pdistribution --p 101",
            2,
            "more than 0, at most 100",
        ),
        of(
            "pdistribution nan",
            "pdistribution --p nan",
            2,
            "more than 0, at most 100",
        ),
        of(
            "pdistribution by a fraction",
            "pdistribution --p 0.4",
            2,
            "--p 0.4 looks like a fraction; p is a percentage. Write --p 40",
        ),
        of(
            "pdistribution of less than a rank",
            "pdistribution --p 9",
            2,
            "good.csv: p = 9 percent of 10 records is less than 1 rank: everybody would be swapped with a neighbour. Give --p 10 or more",
        ),
        of(
            "pdistribution below a percent of few records",
            "pdistribution --p 0.5 --p-unit percent",
            2,
            "p = 0.5 percent of 10 records is less than 1 rank",
        ),
        of(
            "pdistribution with an idle unit",
            "pdistribution --p 20 --p-unit percent",
            2,
            "--p-unit has no effect without a --p below 1",
        )
        .idle(),
        of("pram without probabilities", "pram", 2, "--keep <SHARE>"),
        of(
            "pram that keeps all",
            "pram --keep 1 --attributes town",
            2,
            "--keep is the probability with which a category stays: above 0 and below 1",
        ),
        of(
            "pram by two ways",
            "pram --keep 0.5 --matrix good.csv --attributes town",
            2,
            "cannot be used with",
        ),
        of(
            "pram of a stratum",
            "pram --keep 0.5 --strata town --attributes town",
            2,
            "attribute \"town\": makes the strata",
        ),
        of(
            "pram by a matrix that is none",
            "pram --matrix good.csv --attributes town",
            3,
            "categories in its header and 10 rows of probabilities",
        ),
        of("noise without a level", "noise", 2, "--level <SHARE>"),
        of(
            "noise of level 0",
            "noise --level 0",
            2,
            "a number above 0. For example --level 0.1",
        ),
        of(
            "noise of negative level",
            "noise --level -0.5",
            2,
            "a number above 0",
        ),
        of(
            "noise of infinite level",
            "noise --level inf",
            2,
            "a number above 0",
        ),
        of(
            "noise for codes",
            "noise --level 0.1 --attributes flat",
            2,
            "attribute \"flat\": is ordinal: noise needs amounts, not codes or classes. Leave it out of --attributes",
        ),
        of(
            "noise for text",
            "noise --level 0.1 --attributes town",
            2,
            "has names, not numbers: noise needs amounts",
        ),
        of(
            "correlations of one attribute",
            "noise --level 0.1 --correlated --attributes age",
            2,
            "--correlated has no effect: one attribute has no correlations",
        )
        .idle(),
        of(
            "rounded and full decimals",
            "noise --level 0.1 --round --decimals full",
            2,
            "'--round' cannot be used with '--decimals",
        ),
        fails(
            "noise for one record",
            "mask noise --level 0.1 one.csv",
            3,
            "noise needs at least two records",
        )
        .file("one.csv", "a,b\n1.5,827364.5\n"),
        fails(
            "pbuckets for one record",
            "mask pbuckets --p 1 one.csv",
            3,
            "at least two records",
        )
        .file("one.csv", "a,b\n1.5,827364.5\n"),
        fails(
            "correlated noise without complete records",
            "mask noise --level 0.1 --correlated gaps.csv",
            3,
            "records have a value of every masked attribute",
        )
        .file("gaps.csv", "a,b\n1.5,827364.5\n2.5,\n,3.5\n"),
        fails(
            "noise beyond the range of numbers",
            "mask noise --level 0.1 huge.csv",
            3,
            "attribute \"a\": holds values too large to compute with",
        )
        .file("huge.csv", "a,b\n1e308,827364.5\n-1e308,2\n3,3\n"),
    ]
}

pub fn cases() -> Vec<Case> {
    let mut cases = strengths();
    cases.extend(attributes());
    cases.extend(other_methods());
    cases.extend(roles_files());
    cases.extend(vec![
        fails("no command", "", 2, "Usage: sdcrisk"),
        fails(
            "unknown command",
            "masc rankswap --p 5 good.csv",
            2,
            "unrecognized subcommand 'masc'",
        ),
        fails("no method", "mask", 2, "rankswap"),
        fails(
            "unknown masking method",
            "mask swap --p 5 good.csv",
            2,
            "unrecognized subcommand 'swap'",
        ),
        fails(
            "unknown option",
            "mask rankswap --q 5 good.csv",
            2,
            "unexpected argument '--q'",
        ),
        fails("no input named", "mask rankswap --p 50", 2, "<IN.csv>"),
        fails(
            "two inputs for mask",
            "mask rankswap --p 50 good.csv masked.csv",
            2,
            "unexpected argument 'masked.csv'",
        ),
        fails(
            "no threads",
            "--threads 0 describe good.csv",
            2,
            "--threads wants a number from 1 to 1024",
        ),
        fails(
            "threads no number",
            "describe --threads many good.csv",
            2,
            "invalid value 'many' for '--threads",
        ),
        fails(
            "quiet and verbose",
            "describe --quiet --verbose good.csv",
            2,
            "cannot be used with",
        ),
        fails(
            "seed for describe",
            "describe --seed 1 good.csv",
            2,
            "unexpected argument '--seed'",
        ),
        fails(
            "seed no number",
            "mask rankswap --p 50 --seed x good.csv",
            2,
            "invalid value 'x' for '--seed",
        ),
        fails(
            "unknown encoding",
            "describe --encoding ebcdic good.csv",
            2,
            "utf-8 or windows-1252",
        ),
        fails(
            "long delimiter",
            "describe --delimiter ab good.csv",
            2,
            "it must be one of , ; | or tab",
        ),
        fails(
            "delimiter a digit",
            "describe --delimiter 1 good.csv",
            2,
            "it must be one of , ; | or tab",
        ),
        fails(
            "decimal mark",
            "describe --decimal-mark ; good.csv",
            2,
            "invalid value ';' for '--decimal-mark",
        ),
        fails(
            "thousands mark",
            "describe --thousands-mark x good.csv",
            2,
            "invalid value 'x' for '--thousands-mark",
        ),
        fails(
            "both marks the same",
            "describe --thousands-mark , --decimal-mark , good.csv",
            2,
            "the decimal mark and the thousands mark are the same",
        ),
        fails(
            "header and no header",
            "describe --header --no-header good.csv",
            2,
            "cannot be used with",
        ),
        fails(
            "unknown format",
            "describe --format xml good.csv",
            2,
            "invalid value 'xml' for '--format",
        ),
        fails(
            "no such manual page",
            "man nothing",
            2,
            "there is no manual page of sdcrisk nothing",
        ),
        fails(
            "no such shell",
            "completions tcsh",
            2,
            "invalid value 'tcsh'",
        ),
        fails(
            "standard input twice for mask",
            "mask rankswap --p 50 --roles - -",
            2,
            "standard input ('-') can be read only once",
        ),
        fails(
            "standard input twice for link",
            "link --method am - -",
            2,
            "standard input ('-') can be read only once",
        ),
        fails(
            "statement on standard input, too",
            "link --method rsld --statement - good.csv -",
            2,
            "standard input ('-') can be read only once",
        ),
    ]);
    cases
}

fn strengths() -> Vec<Case> {
    let percentage = "--p is a percentage of the records: more than 0, at most 100";
    vec![
        strength("p zero", "--p 0", percentage),
        strength("p negative", "--p=-1", percentage),
        strength("p above 100", "--p 101", percentage),
        strength("p nan", "--p nan", percentage),
        strength("p infinite", "--p inf", percentage),
        strength(
            "p no number",
            "--p abc",
            "invalid value 'abc' for '--p <PERCENT>'",
        ),
        strength(
            "p with a sign of percent",
            "--p 5%",
            "invalid value '5%' for '--p <PERCENT>'",
        ),
        strength(
            "p a fraction",
            "--p 0.05",
            "--p 0.05 looks like a fraction; p is a percentage. Write --p 5 for 5.0 %",
        ),
        strength(
            "p a fraction, meant so, too small",
            "--p 0.05 --p-unit percent",
            "is a window of 0 ranks",
        ),
        strength(
            "p too small for ten records",
            "--p 5",
            "p = 5 percent of 10 records is a window of 0 ranks: nothing would be swapped. Give --p 10 or more",
        ),
        strength(
            "unit without p",
            "--window 2 --p-unit percent",
            "--p-unit has no effect without a --p below 1",
        )
        .idle(),
        strength("window zero", "--window 0", "--window 0 swaps nothing"),
        strength(
            "window negative",
            "--window=-1",
            "invalid value '-1' for '--window <RANKS>'",
        ),
        strength(
            "window a fraction",
            "--window 1.5",
            "invalid value '1.5' for '--window <RANKS>'",
        ),
        strength("p and window", "--p 50 --window 5", "cannot be used with"),
        strength("neither p nor window", "", "required"),
        strength(
            "unknown partner",
            "--p 50 --partner none",
            "invalid value 'none' for '--partner",
        ),
        case(
            "window above n",
            "mask rankswap --window 1000 --attributes age good.csv",
            Shows("age,income,bonus,town,flat\n"),
        ),
    ]
}

fn attributes() -> Vec<Case> {
    vec![
        mask(
            "unknown attribute",
            "--attributes agee",
            2,
            "good.csv: there is no attribute \"agee\". Did you mean \"age\"?",
        ),
        mask(
            "attribute twice",
            "--attributes age,income,age",
            2,
            "good.csv, attribute \"age\": the attribute is in the list twice",
        ),
        mask(
            "attribute twice, by place",
            "--attributes age,2",
            2,
            "attribute \"age\": the attribute is in the list twice",
        ),
        mask(
            "ranges overlap",
            "--attributes 2-3,3-4",
            2,
            "attribute \"income\": the attribute is in the list twice",
        ),
        mask(
            "range backwards",
            "--attributes 4-2",
            2,
            "the range 4-2 runs backwards. Write 2-4",
        ),
        mask(
            "place beyond the last",
            "--attributes 2-7",
            2,
            "there is no attribute number 7. The attributes are numbered from 1 to 6",
        ),
        mask(
            "place zero",
            "--attributes 0",
            2,
            "there is no attribute number 0",
        ),
        mask(
            "empty item",
            "--attributes age,,income",
            2,
            "the list of attributes has an empty item",
        ),
        mask(
            "quote of a list not closed",
            "--attributes 'age,\"income'",
            2,
            "in the list of attributes, a quote is not closed",
        ),
        mask(
            "text to be masked",
            "--attributes age,town",
            2,
            "attribute \"town\": has no order: rank swapping needs numbers",
        ),
        mask(
            "identifier to be masked",
            "--attributes person_id",
            2,
            "attribute \"person_id\": cannot be masked and left out",
        ),
        mask(
            "masked and dropped",
            "--attributes age --drop age",
            2,
            "attribute \"age\": cannot be masked and left out",
        ),
        mask(
            "unknown attribute dropped",
            "--drop salary",
            2,
            "good.csv: there is no attribute \"salary\"",
        ),
        mask(
            "everything dropped",
            "--drop 2-6",
            2,
            "no attribute would be left in the masked file",
        ),
        fails(
            "no identifiers to keep",
            "mask rankswap --window 2 --keep-identifiers in.csv",
            2,
            "--keep-identifiers has no effect: no attribute is an identifier",
        )
        .idle()
        .file("in.csv", "x,y\n1,2\n918273645,4\n"),
    ]
}

fn roles_files() -> Vec<Case> {
    vec![
        roles(
            "roles: not TOML",
            "identifier = [\n918273645",
            "roles.toml, line ",
        ),
        roles(
            "roles: unknown key",
            "identifiers = ['person_id']",
            "roles.toml, line 1: unknown field `identifiers`",
        ),
        roles(
            "roles: unknown attribute",
            "identifier = ['persn_id']",
            "does not have all that the roles file names: persn_id (did you mean \"person_id\"?)",
        )
        .idle(),
        roles(
            "roles: unknown role",
            "[attributes.age]\nrole = 'secret'",
            "roles.toml, line 2: unknown variant `secret`",
        ),
        roles(
            "roles: unknown scale",
            "[attributes.age]\nscale = 'ratio'",
            "roles.toml, line 2: unknown variant `ratio`",
        ),
        roles(
            "roles: two roles",
            "identifier = ['age']\nconfidential = ['age']",
            "attribute \"age\": the attribute has more than one role",
        ),
        roles(
            "roles: two scales",
            "nominal = ['age']\nordinal = ['age']",
            "attribute \"age\": the attribute has more than one scale",
        ),
        roles(
            "roles: text as a number",
            "continuous = ['town']",
            "good.csv, line 2, attribute \"town\": the roles file makes the attribute continuous, and 10 of its cells are not numbers",
        ),
        roles(
            "roles: delimiter",
            "[file]\ndelimiter = 'ab'",
            "[file] delimiter must be one sign",
        ),
        roles(
            "roles: empty marks",
            "[file]\nthousands-mark = ''",
            "[file] thousands-mark must be",
        ),
        roles(
            "roles: a list is a word",
            "identifier = 'person_id'",
            "roles.toml, line 1: invalid type",
        ),
        fails(
            "roles: not UTF-8",
            "describe --roles roles.toml good.csv",
            3,
            "roles.toml: is not UTF-8 text",
        )
        .file("roles.toml", b"# caf\xE9 geheim"),
        fails(
            "roles: no such file",
            "describe --roles nofile.toml good.csv",
            1,
            "nofile.toml: cannot read it: there is no such file",
        ),
    ]
}
