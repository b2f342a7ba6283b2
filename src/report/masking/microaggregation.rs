//! Of microaggregation.

use super::Line;
use crate::{
    mask::{
        Masked,
        microaggregation::{Block, Gaps},
    },
    report::text,
    statement::{ArcCost, DistanceScale, Grouping, MicroaggregationParameters},
    table::Scale,
};

pub(super) fn headline(parameters: &MicroaggregationParameters) -> String {
    let algorithm = parameters.algorithm.name();
    let parameter = match parameters.algorithm {
        Grouping::VMdav { gamma } => format!(", gamma {gamma}"),
        Grouping::Pca { cost } | Grouping::Zscores { cost } => match cost {
            ArcCost::Projected => ", least squared errors on the line".into(),
            ArcCost::Multivariate => ", least squared errors of all attributes".into(),
        },
        Grouping::Univariate | Grouping::IndividualRanking => return algorithm.into(),
        Grouping::Mdav | Grouping::MdavMhm | Grouping::Exchange => String::new(),
    };
    let scale = match parameters.scale {
        DistanceScale::Z => ", distances on standardised attributes",
        DistanceScale::None => ", distances in the file's own units",
    };
    format!("{algorithm}{parameter}{scale}")
}

pub(super) fn remarks(masked: &Masked, blocks: &[Block]) -> Vec<Line> {
    let described = blocks.iter().map(described);
    (described.chain(averages(masked)).map(Line::Note))
        .chain(gaps(blocks).map(Line::Warning))
        .collect()
}

/// One line about the groups of a block.
fn described(block: &Block) -> String {
    let sizes = block.partition.sizes();
    let (least, most) = (
        sizes.iter().min().copied().unwrap_or(0),
        sizes.iter().max().copied().unwrap_or(0),
    );
    let size = if least == most {
        least.to_string()
    } else {
        format!("{least} to {most}")
    };
    format!(
        "{}: k = {}, {} groups of {size} records",
        text::names(&block.attributes, 6),
        block.k,
        sizes.len()
    )
}

/// What missing values do to the protection.
fn gaps(blocks: &[Block]) -> Option<String> {
    let sum =
        |part: fn(&Gaps) -> usize| -> usize { blocks.iter().map(|block| part(&block.gaps)).sum() };
    let (rare, thin, alone) = (
        sum(|gaps| gaps.rare),
        sum(|gaps| gaps.thin),
        sum(|gaps| gaps.alone),
    );
    (rare > 0).then(|| {
        format!(
            "missing values are visible, and with them {rare} records agree with fewer than k-1 others in a group of \
             attributes; {thin} values are averages of fewer than k values, {alone} of them of their own alone: they stand \
             unchanged. 'mask suppress' or 'recode' first, fewer attributes together, or --drop of those with many gaps helps"
        )
    })
}

/// Which attributes got another average than the mean.
fn averages(masked: &Masked) -> Option<String> {
    let with = |scale: Scale| {
        let effects = masked.effects.iter();
        let names: Vec<&str> = effects
            .filter(|effect| {
                let id = masked.table.find(&effect.attribute);
                id.is_ok_and(|id| masked.table.attribute(id).scale == scale)
            })
            .map(|effect| effect.attribute.as_str())
            .collect();
        names
    };
    let parts: Vec<String> = [(Scale::Ordinal, "the median"), (Scale::Nominal, "the mode")]
        .into_iter()
        .map(|(scale, average)| (with(scale), scale, average))
        .filter(|(names, ..)| !names.is_empty())
        .map(|(names, scale, average)| {
            format!(
                "{average} for {} ({})",
                text::names(&names, 6),
                scale.word()
            )
        })
        .collect();
    (!parts.is_empty()).then(|| format!("averages: {}", parts.join(", ")))
}
