//! `link`: options of single distances where they can have no effect or make no sense, and files that they do not fit.

use super::{Case, End::Shows, case, fails};

/// `link ... good.csv masked.csv`, refused as wrong usage.
fn usage(name: &'static str, options: &str, says: &'static str) -> Case {
    fails(
        name,
        &format!("link {options} good.csv masked.csv"),
        2,
        says,
    )
}

pub fn cases() -> Vec<Case> {
    let many: String = (0..300).map(|k| format!("{k},town{k}\n")).collect();
    let many = format!("age,town\n{many}");
    // The sum of the first two; masked as a sum as well.
    let sums = "a,b,c\n1,2,3\n4,1,5\n2,7,9\n5,5,10\n3,8,11\n";
    let masked_sums = "a,b,c\n2,2,4\n3,1,4\n2,6,8\n6,5,11\n3,9,12\n";
    vec![
        usage(
            "kernel without its method",
            "--method am --kernel poly",
            "--kernel has no effect without the method kernel",
        )
        .idle(),
        usage(
            "degree without poly",
            "--method kernel --kernel rbf --degree 2",
            "--degree has no effect without the kernel poly",
        )
        .idle(),
        usage(
            "degree 0",
            "--method kernel --degree 0",
            "--degree 0 makes all records equal",
        ),
        usage(
            "degree too high",
            "--method kernel --degree 4000000000",
            "neither number may be above 4096",
        ),
        usage(
            "offset without tanh",
            "--method kernel --offset 1",
            "--offset has no effect without the kernel tanh",
        )
        .idle(),
        usage(
            "offset no number",
            "--method kernel --kernel tanh --offset nan",
            "--offset must be a number",
        ),
        usage(
            "ridge without covariance",
            "--method am --ridge 0.1",
            "--ridge and --pseudo-inverse have no effect",
        )
        .idle(),
        usage(
            "ridge 0",
            "--method md --ridge 0",
            "--ridge is a share of the mean variance: a number above 0",
        ),
        usage(
            "ridge infinite",
            "--method md0 --ridge inf",
            "--ridge is a share of the mean variance",
        ),
        usage(
            "ridge and pseudo-inverse",
            "--method md --ridge 1 --pseudo-inverse",
            "cannot be used with",
        ),
        usage(
            "nothing to standardise",
            "--method gower --standardize none",
            "--standardize has no effect",
        )
        .idle(),
        usage(
            "rbf in an assignment",
            "--method kernel --kernel rbf --assign one-to-one",
            "order pairs as am and md do",
        ),
        usage(
            "all and one more",
            "--method all,md",
            "--method names a method twice",
        ),
        usage(
            "window of a stranger",
            "--method rsld --window salary=3,2",
            "--window names an attribute \"salary\" that the original file does not have",
        ),
        usage(
            "window of names",
            "--method rsld --window town=3,2",
            "attribute \"town\": is nominal: it has no ranks that --window could be about",
        ),
        usage(
            "window twice",
            "--method rsld --window 2,3",
            "--window says two things of the same attributes",
        ),
        usage(
            "window of some",
            "--method rsld --window age=2",
            "--window says nothing of the attributes that it does not name",
        ),
        usage(
            "window no number",
            "--method rsld --window age=x,2",
            "--window wants a number of ranks, or NAME=RANKS",
        ),
        usage(
            "p of one and a fraction",
            "--method rsld --p age=0.2,20",
            "--p 0.2 looks like a fraction",
        ),
        case(
            "window by attribute",
            "link --method rsld --window age=3,bonus=2,0 --known age,bonus good.csv masked.csv",
            Shows("certain"),
        ),
        fails(
            "a sum among the attributes, md",
            "link --method md --standardize none a.csv b.csv",
            3,
            "a combination of a, b, c of it does not vary (a sum of others, or not masked)",
        )
        .file("a.csv", sums)
        .file("b.csv", masked_sums),
        fails(
            "a sum among the attributes, md0",
            "link --method md0 --standardize original a.csv b.csv",
            3,
            "the covariance of the two files has no inverse",
        )
        .file("a.csv", sums)
        .file("b.csv", masked_sums),
        case(
            "a sum among the attributes, ridge",
            "link --method md,md0 --ridge 0.01 a.csv b.csv",
            Shows("A worst case"),
        )
        .file("a.csv", sums)
        .file("b.csv", masked_sums),
        case(
            "a sum among the attributes, pseudo-inverse",
            "link --method md,md0 --pseudo-inverse a.csv b.csv",
            Shows("md0"),
        )
        .file("a.csv", sums)
        .file("b.csv", masked_sums),
        case(
            "a sum among the attributes, all",
            "link --method all --standardize none a.csv b.csv",
            Shows("Not run: md (the covariance"),
        )
        .file("a.csv", sums)
        .file("b.csv", masked_sums),
        fails(
            "an attribute that was not masked, dbrl2",
            "link --method dbrl2 a.csv b.csv",
            3,
            "attribute \"c\": differs by the same amount in all true pairs",
        )
        .file("a.csv", sums)
        .file("b.csv", "a,b,c\n2,2,3\n3,1,5\n2,6,9\n6,5,10\n3,9,11\n"),
        fails(
            "too many names for points",
            "link --method am --known town a.csv b.csv",
            3,
            "attribute \"town\": has 300 categories; distances between points take at most 256",
        )
        .file("a.csv", &many)
        .file("b.csv", &many),
        case(
            "too many names for points, gower",
            "link --method gower --known town a.csv b.csv",
            Shows("300  100.0 %"),
        )
        .file("a.csv", &many)
        .file("b.csv", &many),
        fails(
            "nobody without gaps",
            "link --method md a.csv b.csv",
            3,
            "fewer than two records (or true pairs) miss none",
        )
        .file("a.csv", "a,b\n1,\n,2\n3,\n,1\n")
        .file("b.csv", "a,b\n3,\n,1\n1,\n,2\n"),
    ]
}
