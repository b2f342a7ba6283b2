//! Of rank swapping, p-buckets and p-distribution.

use crate::{
    report::text,
    statement::{PBucketsParameters, PDistributionParameters, Partner, RankSwapParameters},
};

pub(super) fn window(parameters: &RankSwapParameters, records: usize) -> String {
    format!(
        "window {} rank{} ({}), {}",
        parameters.window,
        if parameters.window == 1 { "" } else { "s" },
        match parameters.p {
            Some(p) => format!("p = {p} % of the records"),
            None => format!(
                "{} of the records",
                text::percent(parameters.window as f64 / records as f64)
            ),
        },
        match parameters.partner {
            Partner::Unswapped => "partners drawn among values not swapped yet",
            Partner::Skip => "partners drawn among all values, none if taken",
            Partner::Cycle => "ranks moved by up to that and ranked again, no partners",
        },
    )
}

pub(super) fn buckets(parameters: &PBucketsParameters, records: usize) -> String {
    match parameters.buckets {
        1 => "one bucket: every value could meet every other".into(),
        buckets => format!(
            "{buckets} buckets of about {} values each; fewer buckets protect more",
            records.div_ceil(buckets)
        ),
    }
}

pub(super) fn distribution(parameters: &PDistributionParameters) -> String {
    format!(
        "rank differences drawn from a normal law with mean and sd {} ranks (p = {} % of the records, halved), \
         until they hit a partner: so they are larger on average",
        parameters.mean, parameters.p
    )
}
