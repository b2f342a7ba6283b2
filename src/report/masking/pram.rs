//! Of post-randomisation.

use super::Line;
use crate::{report::text, statement::PramParameters};

/// The matrices in words: `post-randomised: sex (2 categories, kept with 0.8)`.
pub(super) fn headline(parameters: &PramParameters, attributes: &[String]) -> String {
    format!(
        "{}{} of {}",
        if parameters.invariant {
            "invariant matrices"
        } else {
            "matrices"
        },
        match parameters.strata.as_slice() {
            [] => String::new(),
            strata => format!(" in strata of {}", text::names(strata, super::SHOWN)),
        },
        text::names(&matrices(parameters, attributes), super::SHOWN)
    )
}

/// What the matrices of each attribute come to.
pub fn matrices(parameters: &PramParameters, attributes: &[String]) -> Vec<String> {
    let of = |name: &String| match parameters.kept(name) {
        None => format!("{name} (no values)"),
        Some((least, most, n)) => {
            let (least, most) = (text::percent(least), text::percent(most));
            let kept = if least == most {
                least
            } else {
                format!("{least} to {most}")
            };
            format!(
                "{name} ({n} {}, kept with probability {kept})",
                if n == 1 { "category" } else { "categories" }
            )
        }
    };
    attributes.iter().map(of).collect()
}

pub(super) fn remarks(parameters: &PramParameters) -> Vec<Line> {
    if !parameters.invariant {
        return Vec::new();
    }
    vec![Line::Note(format!(
        "note: an invariant matrix says what the original frequencies{} are: publish the statement where these may be known",
        if parameters.strata.is_empty() {
            ""
        } else {
            " of its stratum"
        }
    ))]
}
