//! Of samples.

use super::Line;
use crate::{report::text, statement::SampleParameters};

pub(super) fn headline(parameters: &SampleParameters, of: usize) -> String {
    match parameters.strata.as_slice() {
        [] => format!("drawn of {of}"),
        strata => format!(
            "drawn of {of} in strata of {}",
            text::names(strata, super::SHOWN)
        ),
    }
}

pub(super) fn remarks(strata: usize, without: usize) -> Vec<Line> {
    if without == 0 {
        return Vec::new();
    }
    vec![Line::Note(format!(
        "note: {without} of {strata} strata are too small to give a record"
    ))]
}
