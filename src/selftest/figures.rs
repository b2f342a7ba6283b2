//! Single figures: intervals, and measures of loss and risk worked out in papers or by hand.

use super::{Check, Example, pairs::Pair, printed, same};
use crate::{
    error::{Error, Result},
    figure, loss,
    stats::interval::wilson,
};

pub(super) static EXAMPLES: [Example; 2] = [
    Example {
        name: "Wilson's interval of a share",
        source: "R. G. Newcombe, \"Two-sided confidence intervals for the single proportion\", Statistics in Medicine 17, 1998, table I, method 3",
        note: "",
        recompute: newcombe,
    },
    Example {
        name: "information loss of a few numbers",
        source: "IL1s: Yancey, Winkler, Creecy 2002; PIL: Mateo-Sanz, Domingo-Ferrer, Sebé 2005; by hand from their definitions",
        note: "IL1s: 1, 2, 3 became 1, 2, 5, and the sd is 1: 2 / (3 √2). PIL: the mean of -1, 1, -1, 1 rose by its own standard error, \
               sqrt(1/4); a normal variable lies within one standard error with probability 0.6827. The variance did not change.",
        recompute: losses,
    },
];

fn newcombe() -> Result<Vec<Check>> {
    let printed_there = [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ];
    let check = |(found, of, low, high)| {
        let (from, to) = wilson(f64::from(found), of);
        let shown = |low: f64, high: f64| format!("{low:.4} to {high:.4}");
        same(
            format!("{found} of {of}"),
            shown(low, high),
            shown(from, to),
        )
    };
    Ok(printed_there.into_iter().map(check).collect())
}

fn losses() -> Result<Vec<Check>> {
    let measure = |original: &str, masked: &str, key: &str| -> Result<f64> {
        let figures = loss::figures(&Pair::new(original, masked)?.side_by_side()?, &[]);
        figure::value(&figures, key).ok_or_else(|| Error::failed(format!("{key} is not defined")))
    };
    let (before, after) = ("x\n-1\n1\n-1\n1\n", "x\n-0.5\n1.5\n-0.5\n1.5\n");
    Ok(vec![
        printed(
            "IL1s",
            0.4714,
            4,
            measure("x\n1\n2\n3\n", "x\n1\n2\n5\n", "il1s")?,
        ),
        printed(
            "PIL of the mean",
            0.6827,
            4,
            measure(before, after, "pil_means")?,
        ),
        printed(
            "PIL of the variance",
            0.0,
            4,
            measure(before, after, "pil_variances")?,
        ),
    ])
}
