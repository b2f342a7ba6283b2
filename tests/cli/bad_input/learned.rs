//! `link` with learned distances: options where they can have no effect or make no sense, and files that they do not fit.

use super::{Case, fails};

/// `link ... good.csv masked.csv`, refused as wrong usage.
fn usage(name: &'static str, options: &str, says: &'static str) -> Case {
    fails(
        name,
        &format!("link {options} good.csv masked.csv"),
        2,
        says,
    )
}

/// Fourteen attributes: a measure on all sets of them has 16,383 parameters.
fn wide(shift: usize) -> String {
    let names: Vec<String> = (0..14).map(|k| format!("a{k}")).collect();
    let record = |r: usize| -> String {
        let cells: Vec<String> = (0..14)
            .map(|k| ((r * (k + 3) + shift) % 17).to_string())
            .collect();
        cells.join(",") + "\n"
    };
    names.join(",") + "\n" + &(0..9).map(record).collect::<String>()
}

/// What `--weights` writes of the attributes a and b, for the method wm.
const WEIGHTS: &str = r#"{"schema": "sdcrisk.weights/1", "version": "0.1.0", "family": "wm", "attributes": ["a", "b"]}"#;

pub fn cases() -> Vec<Case> {
    let colours = "a,c\n1,red\n2,blue\n4,green\n9,red\n";
    vec![
        usage(
            "engine without a learned distance",
            "--method am --engine cone",
            "--engine has no effect without a learned distance",
        )
        .idle(),
        usage(
            "time limit without a learned distance",
            "--method am --time-limit 5",
            "--time-limit has no effect",
        )
        .idle(),
        usage(
            "weights without a learned distance",
            "--method all --weights w.json",
            "--weights asks for a file about a learned distance, and none is learned",
        ),
        usage(
            "training without a learned distance",
            "--method am --train-records 2",
            "--train-records has no effect",
        )
        .idle(),
        usage(
            "two distances, one file of weights",
            "--method wm,ci --weights w.json",
            "--weights is about one learned distance; this call names 2",
        ),
        usage(
            "two distances, one certificate",
            "--method wm,ci --certificate c.json",
            "--certificate is about one learned distance",
        ),
        usage(
            "several cases, one file of weights",
            "--method wm --known sweep:2 --weights w.json",
            "this call has 2 cases",
        ),
        usage(
            "cells for a measure",
            "--method wm,ci --engine cone",
            "--engine cone searches weights that sum to 1, which ci does not have",
        ),
        usage(
            "no time",
            "--method wm --time-limit 0",
            "--time-limit wants a number of seconds above 0",
        ),
        usage(
            "time backwards",
            "--method wm --time-limit=-1",
            "--time-limit wants a number of seconds above 0",
        ),
        usage(
            "time without end",
            "--method wm --time-limit inf",
            "--time-limit wants a number of seconds above 0",
        ),
        usage(
            "unknown engine",
            "--method wm --engine magic",
            "invalid value",
        ),
        usage(
            "a learned distance twice",
            "--method wm,wm",
            "--method names a method twice",
        ),
        usage(
            "weights given and learned",
            "--method wm --use-weights w.json --weights v.json",
            "cannot be used with",
        ),
        usage(
            "certificate of some individuals",
            "--method wm --train-records 2 --certificate c.json",
            "cannot be used with",
        ),
        usage(
            "draws without training",
            "--method wm --train-splits 3",
            "--train-splits has no effect without --train-records",
        )
        .idle(),
        usage(
            "no draws",
            "--method wm --train-records 2 --train-splits 0",
            "--train-splits wants a number, 1 or more",
        ),
        usage(
            "draws of a file",
            "--method wm --train-records r.txt --train-splits 3",
            "--train-splits has no effect where a file says",
        )
        .file("r.txt", "1\n2\n3\n")
        .idle(),
        usage(
            "nobody left to attack",
            "--method wm --train-records 9",
            "Leave at least two to learn from, and two to attack",
        ),
        usage(
            "nobody to learn from",
            "--method wm --train-records 1",
            "Leave at least two to learn from, and two to attack",
        ),
        fails(
            "training file names nobody",
            "link --method wm --train-records r.txt good.csv masked.csv",
            3,
            "r.txt: names no record",
        )
        .file("r.txt", "\n"),
        fails(
            "training file is a table",
            "link --method wm --train-records r.txt good.csv masked.csv",
            3,
            "r.txt, line 1: is not a record number",
        )
        .file("r.txt", "record\n1\n"),
        fails(
            "weights are no weights",
            "link --method wm --use-weights w.json good.csv masked.csv",
            3,
            "w.json",
        )
        .file("w.json", "{\"schema\": 3"),
        fails(
            "weights end too early",
            "link --method wm --use-weights w.json good.csv masked.csv",
            3,
            "w.json",
        )
        .file("w.json", WEIGHTS),
        fails(
            "too many sets of attributes",
            "link --method ci wide.csv wide2.csv",
            2,
            "ci of 14 attributes has too many parameters",
        )
        .file("wide.csv", wide(0))
        .file("wide2.csv", wide(1)),
        fails(
            "categories in a bilinear form",
            "link --method sb colours.csv colours2.csv",
            3,
            "has more than two categories: a bilinear form needs differences with a sign",
        )
        .file("colours.csv", colours)
        .file("colours2.csv", colours.replace('4', "5")),
        fails(
            "weights over an input",
            "link --method wm --weights good.csv good.csv masked.csv",
            2,
            "good.csv",
        ),
        fails(
            "certificate over the weights",
            "link --method wm --weights x.json --certificate x.json good.csv masked.csv",
            2,
            "x.json",
        ),
    ]
}
