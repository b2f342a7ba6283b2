//! The report as one HTML file: what a board that decides on a release reads. It needs nothing else and sends nothing anywhere.
//!
//! # Internal and external
//! The internal report shows everything. The external one is for publication, and follows the rule of the field that risk is
//! confidential and information loss public (Handbook on Statistical Disclosure Control; see also SDCPractice, steps 4 to 11). It shows what was
//! done to the file (method, parameters), what it cost (loss), which attacks were tried and what intruder they assume; and **no
//! figure of risk**, also no rate of a whole attack: from a rate per attack and known attributes an intruder learns which attack to choose and how
//! far to trust its links. Nor does it show a seed, a row number, weights, where files were kept, or the SHA-256 of an original, against which
//! guesses of the original could be tested. Of loss it shows shares of the whole file, rounded: no figure in the units of an attribute, none
//! by attribute, no difference of means, variances or quantiles, and nothing where few cells were changed, since of these a person's value can
//! be worked out (`public.rs`). Of commands it shows the name alone: their words hold seeds, keys, and names of private files. What is not named in the code of a section as external is internal.

mod claims;
mod document;
mod evaluation;
mod figures;
mod files;
mod frame;
mod learned;
mod link;
mod loss;
mod matching;
mod parts;
mod provenance;
mod public;
mod risk;
mod score;
mod statement;
mod verdict;

pub use document::{Document, Kind};
pub use evaluation::map as map_of;

use maud::Markup;

/// For whom a report is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The office: everything.
    Internal,
    /// The public: what was done and what it cost.
    External,
}

/// What is asked of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// For whom it is.
    pub audience: Audience,
    /// Its title; without one, a plain one.
    pub title: Option<String>,
    /// How the file is to be released (open, licensed, in a safe room, ...), in the office's words.
    pub release_type: Option<String>,
}

impl From<Audience> for Request {
    fn from(audience: Audience) -> Self {
        Self {
            audience,
            title: None,
            release_type: None,
        }
    }
}

/// The page: every document has its part in the sections that it belongs to.
///
/// # Complexity
/// Linear in the documents.
pub fn page(documents: &[Document], request: impl Into<Request>) -> String {
    let request = request.into();
    let mut writer = parts::Writer::new(request.audience);
    let published: Vec<Document>;
    let documents = match request.audience {
        Audience::Internal => documents,
        Audience::External => {
            published = documents.iter().map(public::of).collect();
            &published[..]
        }
    };
    let sections: Vec<Section> = [
        verdict::section(documents, &writer),
        frame::asked(documents),
        frame::summary(documents, &writer),
        statement::section(documents),
        files::section(documents, &mut writer),
        link::scenario(documents, &mut writer),
        link::attacks(documents, &mut writer),
        claims::section(documents, &writer),
        risk::section(documents, &mut writer),
        score::section(documents, &mut writer),
        loss::section(documents, &mut writer),
        loss::integrity(documents, &mut writer),
        evaluation::section(documents, &mut writer),
        learned::section(documents, &mut writer),
        matching::section(documents, &mut writer),
        Some(frame::limits(documents, &writer)),
        provenance::section(documents, &mut writer),
    ]
    .into_iter()
    .flatten()
    .collect();
    frame::page(&request, &sections)
}

/// A section of the page.
struct Section {
    id: &'static str,
    title: &'static str,
    content: Markup,
}
