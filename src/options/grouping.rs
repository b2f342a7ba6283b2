//! How microaggregation groups records: what `mask microagg` does, and what `link` is given as published.

use clap::ValueEnum;

use crate::statement::{ArcCost, Grouping};

/// How records are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlgorithmArg {
    /// Groups of k around the records farthest from the average: the standard
    Mdav,
    /// The same with groups of varying size, which follow clusters
    VMdav,
    /// A tour through the groups of MDAV, cut where least is lost
    MdavMhm,
    /// MDAV, then exchanges between near groups until nothing more is gained: least information lost, slowest
    Exchange,
    /// One attribute: the optimum
    Univariate,
    /// Each attribute on its own, the optimum of each: little is lost, and little is hidden
    IndividualRanking,
    /// Along the first principal component
    Pca,
    /// Along the sum of the standardised attributes
    Zscores,
}

impl AlgorithmArg {
    /// With the parameters that some of them have; `gamma` is 0.2 where it is not stated.
    pub fn grouping(self, gamma: Option<f64>, cost: ArcCost) -> Grouping {
        match self {
            Self::Mdav => Grouping::Mdav,
            Self::VMdav => Grouping::VMdav {
                gamma: gamma.unwrap_or(0.2),
            },
            Self::MdavMhm => Grouping::MdavMhm,
            Self::Exchange => Grouping::Exchange,
            Self::Univariate => Grouping::Univariate,
            Self::IndividualRanking => Grouping::IndividualRanking,
            Self::Pca => Grouping::Pca { cost },
            Self::Zscores => Grouping::Zscores { cost },
        }
    }
}
