//! The options of `link --method prl`.

use super::{Case, End::Shows, case, fails};

/// `link --method prl ... good.csv masked.csv`.
fn prl(name: &'static str, options: &str, says: &'static str) -> Case {
    let arguments = format!("link --method prl {options} good.csv masked.csv");
    fails(name, &arguments, 2, says)
}

pub fn cases() -> Vec<Case> {
    vec![
        fails(
            "agreement without prl",
            "link --method am --agree exact good.csv masked.csv",
            2,
            "--agree has no effect without the method prl",
        )
        .idle(),
        fails(
            "error rates without prl",
            "link --method am --admissible 0.1,0.1 good.csv masked.csv",
            2,
            "--admissible has no effect without the method prl",
        )
        .idle(),
        prl(
            "unknown agreement",
            "--agree near",
            "Comparators are exact, sd:0.1",
        ),
        prl(
            "agreement below zero",
            "--agree sd:-1",
            "wants a number above 0",
        ),
        prl(
            "everything of one sign agrees",
            "--agree rel:1",
            "wants a share above 0 and below 1",
        ),
        prl(
            "a single bin",
            "--agree bins:1",
            "a whole number of bins, 2 or more",
        ),
        prl(
            "agreement said twice",
            "--agree sd:1,sd:2",
            "says two things of the same attributes",
        ),
        prl(
            "agreement of an unknown attribute",
            "--agree nobody=exact",
            "--agree names an attribute \"nobody\" that the original file does not have",
        ),
        prl(
            "a tolerance of names",
            "--agree town=sd:1",
            "attribute \"town\": is nominal",
        ),
        prl(
            "a start without a fit",
            "--fit known --em-start 0.9,0.1",
            "--em-start has no effect with --fit known",
        )
        .idle(),
        prl("no steps", "--em-iterations 0", "fits nothing"),
        prl(
            "a start of one number",
            "--em-start 0.9",
            "wants two or three probabilities",
        ),
        prl("a start of equal shares", "--em-start 0.5,0.5", "m above u"),
        prl(
            "a start with a prior that is held",
            "--fit em-fixed-u --em-start 0.9,0.1,0.01",
            "the prior of --em-start has no effect with --fit em-fixed-u: it is held at one match a record",
        )
        .idle(),
        prl(
            "one error rate",
            "--admissible 0.1",
            "wants two rates between 0 and 1",
        ),
        prl(
            "an error rate above one",
            "--admissible 0.1,2",
            "wants two rates between 0 and 1",
        ),
        case(
            "a clerical region",
            "link --method prl --agree exact --fit em-fixed-u --admissible 0.01,0.1 good.csv masked.csv",
            Shows("At the admitted error rates"),
        ),
        case(
            "no worst case of an intruder is one",
            "link --method prl --fit known --known age good.csv masked.csv",
            Shows("prl *"),
        ),
    ]
}
