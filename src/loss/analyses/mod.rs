//! Information loss as users feel it: the same analysis is made on the original and on the masked file, and what comes out is
//! compared.
//!
//! | module | what |
//! |---|---|
//! | [`clusters`] | k-means, compared by partitions |
//! | [`classification`] | classifiers learned from either file, tested on original records |
//! | [`regression`] | least squares, compared by coefficients and confidence intervals |
//!
//! Each analysis takes the records that have all that it needs in both files, and says how many these are. Records are put
//! in an order of their values first, so that the order of the files changes nothing.

pub mod classification;
mod classifiers;
pub mod clusters;
mod design;
mod k_means;
pub mod partitions;
pub mod regression;

pub use classification::Accuracies;
pub use classifiers::Classifier;
pub use design::Formula;

use crate::figure::{Definition, Figure};

/// What any analysis can find.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    let of_records = clusters::definitions().chain(classification::definitions());
    of_records.chain(regression::definitions())
}

/// What an analysis found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Analysis {
    /// What the analyses lost, in the order asked for.
    pub figures: Vec<Figure>,
    /// What was done, in sentences that name the analysis first: settings, records left out, samples.
    pub notes: Vec<String>,
}
