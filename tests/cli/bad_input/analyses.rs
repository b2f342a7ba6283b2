//! `loss`: analyses that cannot be made.

use super::{Case, fails};

fn loss(name: &'static str, options: &str, status: i32, says: &'static str) -> Case {
    fails(
        name,
        &format!("loss {options} good.csv masked.csv"),
        status,
        says,
    )
}

/// The same number twice, one that never varies, and names.
const FLAT: &str = "a,twice,same,kind\n1,2,5,x\n2,4,5,x\n3,6,5,x\n4,8,5,x\n7,14,5,x\n9,18,5,x\n";

fn flat(name: &'static str, options: &str, status: i32, says: &'static str) -> Case {
    fails(
        name,
        &format!("loss {options} flat.csv flat.csv"),
        status,
        says,
    )
    .file("flat.csv", FLAT)
}

pub fn cases() -> Vec<Case> {
    vec![
        flat(
            "analyses: a target by one category",
            "--classify a~kind",
            2,
            "has one category only",
        ),
        flat(
            "analyses: a regression on one category",
            "--regress a~kind",
            2,
            "has one category only",
        ),
        flat(
            "analyses: nothing but one category",
            "--classify a --attributes a,kind",
            3,
            "there is no attribute from which it could be predicted",
        ),
        loss(
            "analyses: one cluster",
            "--clusters 1",
            2,
            "one cluster holds everything",
        ),
        loss(
            "analyses: clusters above the records",
            "--clusters 11",
            2,
            "11 clusters are too many for 10 records",
        ),
        loss(
            "analyses: no start",
            "--clusters 2 --starts 0",
            2,
            "k-means needs a start",
        ),
        loss(
            "analyses: starts without clusters",
            "--starts 3",
            2,
            "--starts has no effect without --clusters",
        )
        .idle(),
        loss(
            "analyses: a seed for nothing",
            "--analysis-seed 3 --regress 'income~age'",
            2,
            "--analysis-seed has no effect",
        )
        .idle(),
        loss(
            "analyses: clusters of names",
            "--clusters 2 --attributes town",
            3,
            "no numbers in both files",
        ),
        loss(
            "analyses: unknown target",
            "--classify salary",
            2,
            "there is no attribute \"salary\"",
        ),
        loss(
            "analyses: unknown predictor",
            "--regress 'income~age,salary'",
            2,
            "there is no attribute \"salary\"",
        ),
        loss(
            "analyses: a target that is not compared",
            "--classify town --attributes age,income",
            2,
            "is not among the attributes that are compared",
        ),
        loss(
            "analyses: two targets",
            "--regress 'age,income~bonus'",
            2,
            "there is more than one target",
        ),
        loss(
            "analyses: no predictors",
            "--regress income",
            2,
            "--regress names no predictors",
        ),
        loss(
            "analyses: empty predictors",
            "--regress 'income~'",
            2,
            "the list of attributes has an empty item",
        ),
        loss(
            "analyses: a target among its predictors",
            "--regress 'income~age,income'",
            2,
            "is target and predictor at once",
        ),
        loss(
            "analyses: a predictor twice",
            "--classify 'town~age,age'",
            2,
            "the attribute is in the list twice",
        ),
        loss(
            "analyses: a regression of names",
            "--regress 'town~age'",
            2,
            "is no number in both files",
        ),
        loss(
            "analyses: one fold",
            "--classify town --folds 1",
            2,
            "nothing is held out",
        ),
        loss(
            "analyses: folds above the records",
            "--classify town --folds 11",
            3,
            "too few for 11 folds",
        ),
        loss(
            "analyses: classes of names",
            "--classify town --classes 3",
            2,
            "--classes has no effect: town has classes of its own",
        )
        .idle(),
        loss(
            "analyses: one class asked for",
            "--classify income --classes 1",
            2,
            "nothing to tell apart",
        ),
        loss(
            "analyses: more starts than memory",
            "--clusters 2 --starts 18446744073709551615",
            2,
            "more than 1000 find nothing new",
        ),
        loss(
            "analyses: more classes than memory",
            "--classify income --classes 18446744073709551615",
            2,
            "are more than the 50 that can be learned",
        ),
        loss(
            "analyses: a classifier twice",
            "--classify town --classifiers tree,tree",
            2,
            "names one of them twice",
        ),
        loss(
            "analyses: folds without classes",
            "--folds 3",
            2,
            "--folds has no effect without --classify",
        )
        .idle(),
        flat(
            "analyses: clusters of what never varies",
            "--clusters 2 --attributes same",
            3,
            "no number varies in the original",
        ),
        flat(
            "analyses: a target of one class",
            "--classify kind",
            3,
            "is of one class in the original",
        ),
        flat(
            "analyses: a constant target",
            "--classify 'same~a'",
            3,
            "is of one class in the original",
        ),
        flat(
            "analyses: a constant to explain",
            "--regress 'same~a'",
            3,
            "does not vary in the original, so",
        ),
        flat(
            "analyses: predictors that determine each other",
            "--regress 'a~twice,same'",
            3,
            "its coefficient is not determined",
        ),
        flat(
            "analyses: a constant to explain, by predictors that determine each other",
            "--regress 'same~a,twice'",
            3,
            "does not vary in the original, so",
        ),
        fails(
            "analyses: too few records",
            "loss --regress 'a~b' two.csv two.csv",
            3,
            "2 records that miss nothing are too few for 2 coefficients",
        )
        .file(
            "two.csv",
            "a,b
1,2
3,5
",
        ),
    ]
}
