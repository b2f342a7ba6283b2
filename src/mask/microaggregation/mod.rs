//! Microaggregation: records are grouped by likeness, and each gets the average of its group.

mod aggregate;
mod centre;
pub mod exchange;
mod groups;
mod mdav;
mod partition;
mod path;
pub mod projection;
mod remaining;
mod scale;
mod space;
pub mod tour;
pub mod univariate;
mod v_mdav;

use std::collections::BTreeSet;

use rayon::prelude::*;

pub use aggregate::Gaps;
pub use mdav::{mdav, mdav_exhaustive};
pub use partition::{Members, Partition, squared_distance};
use projection::Projection;
pub use space::{Axis, Space};
pub use v_mdav::v_mdav;

use super::{Details, Mask, Masked, Rounding};
use crate::{
    error::{Counted, Error, ErrorKind, Result, in_order},
    rng::Streams,
    statement::{
        AggregatedBlock, Average, DistanceScale, Grouping, Method, MicroaggregationParameters, Step,
    },
    table::{AttrId, Scale, Table},
};

/// What was done to a block of attributes that were aggregated together.
#[derive(Debug, Clone)]
pub struct Block {
    /// The attributes of the block, by name.
    pub attributes: Vec<String>,
    /// The least number of records a group.
    pub k: usize,
    /// The groups; private, like a seed.
    pub partition: Partition,
    /// What missing values do to its protection.
    pub gaps: Gaps,
}

/// A block of attributes, by name, that are aggregated together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockOf {
    /// The attributes of the block, by name.
    pub attributes: Vec<String>,
    /// The least number of records a group.
    pub k: usize,
}

/// Microaggregation with checked parameters.
///
/// ```text
/// for each block of attributes:
///     group the records: k at least each, similar within        (the algorithm, see Grouping)
///     replace each value by the average of its group            (mean or median; median; mode)
/// ```
///
/// # Units
/// Distances are taken between standardised attributes (each minus its mean, divided by its sd with divisor n−1) unless the
/// scale is `None`; the masked file is in its own units. An ordinal attribute enters distances by the place of its value
/// among its different values, standardised. A nominal attribute contributes 0 where two records agree and
/// 2 / (1 − Σ p²) where they do not (p: shares of its categories), so that the expected squared difference of two records drawn
/// at random is 2, as for every standardised number. (This is MDAV-generic with these distances.)
///
/// # Averages
/// Continuous attributes: the mean of the group, or the median. Ordinal ones: the median, the lower one of two, so that only
/// values occur that were there. Nominal ones: the mode; of several the one whose first record comes first.
///
/// # Ties
/// Equal distances are settled by the order of the records: the first counts as the farthest, or the nearest.
///
/// # Missing
/// A missing value stands at the mean of its attribute (a median or no category, by scale) when distances are taken, does not
/// count in averages, and stays missing. Whether it is missing counts in distances as an attribute of its own, so that those
/// who share gaps come together. A group can still hold fewer than k values of an attribute; [`Block::gaps`] counts what that
/// costs. Univariate methods group the records that have a value.
///
/// # Randomness
/// None.
///
/// # Source
/// MDAV: J. Domingo-Ferrer, V. Torra, "Ordinal, continuous and heterogeneous k-anonymity through microaggregation", Data Mining
/// and Knowledge Discovery 11, 2005, as in the SDC Handbook (Hundepool et al. 2012). The other algorithms name their
/// sources where they are.
#[derive(Debug, Clone)]
pub struct Microaggregation {
    grouping: Grouping,
    blocks: Blocks,
    scale: DistanceScale,
    average: Average,
    rounding: Rounding,
}

/// How attributes are put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocks {
    /// All of them in one block (each on its own for the algorithms of one attribute).
    Together {
        /// The least number of records a group.
        k: usize,
    },
    /// These blocks.
    Named(Vec<BlockOf>),
}

impl Microaggregation {
    /// Microaggregation with checked parameters; distances on standardised attributes, means, no rounding.
    ///
    /// # Errors
    /// Usage, when a k is below 2, a parameter of the algorithm is out of its range, or an attribute is in two blocks.
    pub fn new(grouping: Grouping, blocks: Blocks) -> Result<Self> {
        if let Grouping::VMdav { gamma } = grouping
            && !(gamma.is_finite() && gamma >= 0.0)
        {
            return Err(Error::option_out_of_range(
                "gamma",
                0.0..,
                "must be a number that is not negative",
            )
            .remedy("0 never extends a group, 0.2 suits scattered data, 1.1 clustered data"));
        }
        let (ks, named): (Vec<usize>, &[BlockOf]) = match &blocks {
            Blocks::Together { k } => (vec![*k], &[]),
            Blocks::Named(named) => (named.iter().map(|block| block.k).collect(), named),
        };
        if ks.iter().any(|&k| k < 2) {
            return Err(Error::out_of_range(
                "k",
                2.0..,
                "a group of fewer than 2 records hides nobody",
            )
            .remedy(
                "Give --k 3 or more: every masked record will then equal at least two others",
            ));
        }
        let mut seen = BTreeSet::new();
        for name in named.iter().flat_map(|block| &block.attributes) {
            if !seen.insert(name) {
                return Err(Error::usage("is in two groups of attributes")
                    .named_twice(name)
                    .remedy("Name it in one --group only"));
            }
        }
        Ok(Self {
            grouping,
            blocks,
            scale: DistanceScale::Z,
            average: Average::Mean,
            rounding: Rounding::None,
        })
    }

    /// The same with distances on another scale.
    #[must_use]
    pub fn scale(self, scale: DistanceScale) -> Self {
        Self { scale, ..self }
    }

    /// The same with another average of continuous attributes.
    #[must_use]
    pub fn average(self, average: Average) -> Self {
        Self { average, ..self }
    }

    /// The same with averages rounded to the decimals of their attribute, or not.
    #[must_use]
    pub fn rounding(self, rounding: Rounding) -> Self {
        Self { rounding, ..self }
    }

    /// Whether each attribute is aggregated on its own.
    fn one_by_one(&self) -> bool {
        matches!(
            self.grouping,
            Grouping::Univariate | Grouping::IndividualRanking
        )
    }

    /// The blocks of the attributes `on`, each with its k.
    fn blocks_of(&self, table: &Table, on: &[AttrId]) -> Result<Vec<(Vec<AttrId>, usize)>> {
        let mut blocks = match &self.blocks {
            Blocks::Together { k } => vec![(on.to_vec(), *k)],
            Blocks::Named(named) => named
                .iter()
                .map(|block| {
                    let ids: Result<Vec<AttrId>> = block
                        .attributes
                        .iter()
                        .map(|name| table.find(name))
                        .collect();
                    Ok((ids?, block.k))
                })
                .collect::<Result<_>>()?,
        };
        if self.grouping == Grouping::Univariate
            && let Some((attributes, _)) = blocks.iter().find(|(block, _)| block.len() > 1)
        {
            return Err(Error::too_many(
            ErrorKind::Usage,
            Counted::Attributes,
            [attributes.len() as u128, 1],
            |asked, _| format!("the algorithm 'univariate' aggregates one attribute; {asked} are to be masked together"),
        )
            .remedy("Name one with --attributes, or give --algorithm individual-ranking, which takes each on its own"));
        }
        if self.one_by_one() {
            blocks = blocks
                .into_iter()
                .flat_map(|(ids, k)| ids.into_iter().map(move |id| (vec![id], k)))
                .collect();
        }
        Ok(blocks)
    }

    /// The groups of one block.
    fn partition(&self, table: &Table, block: &[AttrId], k: usize) -> Result<Partition> {
        if self.one_by_one() {
            return space::of_present(table, block[0], |values| univariate::optimal(values, k));
        }
        let space = Space::of(table, block, self.scale)?;
        Ok(match self.grouping {
            Grouping::Mdav => mdav(&space, k),
            Grouping::VMdav { gamma } => v_mdav(&space, k, gamma),
            Grouping::MdavMhm => tour::along_tour(&space.points, &mdav(&space, k), k),
            Grouping::Exchange => exchange::exchange(&space.points, mdav(&space, k), k),
            Grouping::Pca { cost } => {
                projection::projected(&space.points, Projection::PrincipalComponent, cost, k)
            }
            Grouping::Zscores { cost } => {
                projection::projected(&space.points, Projection::ZScores, cost, k)
            }
            Grouping::Univariate | Grouping::IndividualRanking => {
                unreachable!("they take each attribute on its own")
            }
        })
    }

    /// A k of which two groups cannot be made averages everything away.
    fn check_size(&self, k: usize, values: usize, what: &str) -> Result<()> {
        if k <= values / 2 {
            return Ok(());
        }
        let what = format!(
            "k = {k} is more than half of the {values} {what}: all would get one average, and nothing of them would be left"
        );
        Err(Error::out_of_range("k", 2.0..=(values / 2) as f64, what)
        .remedy(match values / 2 {
            0 | 1 => "There is too little to group: leave it out, or check that this is the file you meant".into(),
            most => format!("Give a k of at most {most}"),
        }))
    }
}

impl Mask for Microaggregation {
    fn name(&self) -> &'static str {
        "microagg"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error> {
        let numbers_only = self.one_by_one()
            || matches!(
                self.grouping,
                Grouping::Pca { .. } | Grouping::Zscores { .. }
            );
        let name = &table.attribute(attribute).name;
        match table.attribute(attribute).scale {
            _ if table.missing(attribute).count() == table.n_records() => {
                Some(Error::usage("has no value at all").constant(name))
            }
            Scale::Nominal if numbers_only => Some(
                Error::usage(
                    "is nominal: this algorithm needs numbers (mdav, v-mdav, mdav-mhm and exchange take names)",
                )
                .wrong_scale(name),
            ),
            _ => None,
        }
    }

    fn idle(&self, table: &Table, on: &[AttrId]) -> Vec<String> {
        let used = self.in_use(table, on);
        let mut idle = Vec::new();
        if self.average != used.average {
            idle.push("--average median has no effect: no masked attribute is continuous (ordinal ones get the median anyway)".into());
        }
        if self.scale != used.scale {
            idle.push("--scale none has no effect: of a single attribute the nearest are the same on every scale".into());
        }
        idle
    }

    fn apply(&self, original: Table, on: &[AttrId], _: &Streams) -> Result<Masked> {
        self.in_use(&original, on).masked(original, on)
    }
}

impl Microaggregation {
    /// The same without the options that have no use on these attributes.
    fn in_use(&self, table: &Table, on: &[AttrId]) -> Self {
        let mut scales = on.iter().map(|&id| table.attribute(id).scale);
        let continuous = scales.any(|scale| scale == Scale::Continuous);
        let alone = match &self.blocks {
            _ if self.one_by_one() => true,
            Blocks::Together { .. } => on.len() == 1,
            Blocks::Named(named) => named.iter().all(|block| block.attributes.len() == 1),
        };
        Self {
            average: if continuous {
                self.average
            } else {
                Average::Mean
            },
            scale: if alone { DistanceScale::Z } else { self.scale },
            ..self.clone()
        }
    }

    fn masked(&self, original: Table, on: &[AttrId]) -> Result<Masked> {
        let records = original.n_records();
        let name = |&id: &AttrId| original.attribute(id).name.clone();
        let blocks = self.blocks_of(&original, on)?;
        for (attributes, k) in &blocks {
            self.check_size(*k, records, "records")?;
            if self.one_by_one() {
                let values = records - original.missing(attributes[0]).count();
                self.check_size(*k, values, "values that are there")
                    .map_err(|error| error.on_attribute(name(&attributes[0])))?;
            }
        }
        let done = blocks.par_iter().map(|(attributes, k)| {
            let partition = self.partition(&original, attributes, *k)?;
            Ok(Block {
                attributes: attributes.iter().map(name).collect(),
                k: *k,
                gaps: Gaps::of(&original, attributes, &partition, *k),
                partition,
            })
        });
        let done: Vec<Block> = in_order(done)?;
        let of_scale = |scale| -> Vec<String> {
            let of = |id: &&AttrId| original.attribute(**id).scale == scale;
            on.iter().filter(of).map(name).collect()
        };
        let step = Step::new(
            Method::Microaggregation(MicroaggregationParameters {
                algorithm: self.grouping,
                blocks: done
                    .iter()
                    .map(|block| AggregatedBlock {
                        attributes: block.attributes.clone(),
                        k: block.k,
                    })
                    .collect(),
                scale: self.scale,
                average: self.average,
                medians: of_scale(Scale::Ordinal),
                modes: of_scale(Scale::Nominal),
                rounded: self.rounding.is_on(),
            }),
            records,
            on.iter().map(name).collect(),
        );
        let jobs: Vec<(AttrId, &Partition)> = on
            .iter()
            .filter_map(|id| {
                let block = blocks.iter().position(|(ids, _)| ids.contains(id))?;
                Some((*id, &done[block].partition))
            })
            .collect();
        let (table, effects) =
            aggregate::aggregate(original.clone(), &jobs, self.average, self.rounding)?;
        Ok(Masked {
            table,
            step,
            effects,
            respelled: Vec::new(),
            strata: Vec::new(),
            details: Details::Microaggregation(done),
        })
    }
}
