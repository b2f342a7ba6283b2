//! Single figures: intervals, and measures of loss and risk worked out in papers or by hand.

use super::{Check, Example, same};
use crate::{error::Result, stats::interval::wilson};

pub(super) static EXAMPLES: [Example; 1] = [Example {
    name: "Wilson's interval of a share",
    source: "R. G. Newcombe, \"Two-sided confidence intervals for the single proportion\", Statistics in Medicine 17, 1998, table I, method 3",
    note: "",
    recompute: newcombe,
}];

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
