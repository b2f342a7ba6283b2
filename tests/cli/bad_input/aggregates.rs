//! `link --method aggregates`: options that have no effect, attributes that rank nobody.

use super::{Case, fails};

fn link(name: &'static str, options: &str, status: i32, says: &'static str) -> Case {
    fails(
        name,
        &format!("link {options} good.csv masked.csv"),
        status,
        says,
    )
}

pub fn cases() -> Vec<Case> {
    vec![
        link(
            "aggregates: with another method",
            "--method am,aggregates",
            2,
            "aggregates cannot be named with other methods",
        ),
        link(
            "aggregates: known",
            "--method aggregates --known first:2",
            2,
            "--known has no effect with the method aggregates",
        )
        .idle(),
        link(
            "aggregates: attributes of another method",
            "--method am --attributes-masked age",
            2,
            "--attributes-masked has no effect without the method aggregates",
        )
        .idle(),
        link(
            "aggregates: quantifiers of another method",
            "--method all --quantifiers most",
            2,
            "--quantifiers has no effect without the method aggregates",
        )
        .idle(),
        link(
            "aggregates: quantifier twice",
            "--method aggregates --quantifiers most,most",
            2,
            "--quantifiers names one twice",
        ),
        link(
            "aggregates: unknown quantifier",
            "--method aggregates --quantifiers few",
            2,
            "it must be exists, at-least-half",
        ),
        link(
            "aggregates: power of 0",
            "--method aggregates --quantifiers power:0",
            2,
            "with a number A above 0",
        ),
        link(
            "aggregates: published p",
            "--method aggregates --p 5",
            2,
            "--p has no effect: only rsld, likelihood and involution use",
        )
        .idle(),
        link(
            "aggregates: standardize",
            "--method aggregates --standardize none",
            2,
            "--standardize has no effect",
        )
        .idle(),
        link(
            "aggregates: text",
            "--method aggregates --attributes age,town",
            3,
            "attribute \"town\": cannot rank people: it is not a number in the original file",
        ),
        link(
            "aggregates: no spread",
            "--method aggregates --attributes-masked flat",
            3,
            "attribute \"flat\": cannot rank people: it has no two different values in the masked file",
        ),
        link(
            "aggregates: unknown attribute",
            "--method aggregates --attributes-masked salary",
            2,
            "masked.csv: there is no attribute \"salary\"",
        ),
        link(
            "aggregates: one record known",
            "--method aggregates --known-records 1 --seed 1",
            3,
            "does not differ between the records",
        ),
        fails(
            "aggregates: no numbers",
            "link --method aggregates good.csv words.csv",
            3,
            "words.csv: has no attribute of numbers by which people could be ranked",
        )
        .file(
            "words.csv",
            "word,other\na,b\nb,c\na,c\nb,b\na,a\nb,c\na,b\nb,b\na,c\nc,c\n",
        ),
    ]
}
