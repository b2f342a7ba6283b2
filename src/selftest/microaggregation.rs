//! Microaggregation, crisp and fuzzy.

use super::{Check, Example, pairs::table, printed, same, sets};
use crate::{
    error::{Error, Result},
    mask::{
        Details, Mask, Masked, information_loss,
        microaggregation::{BlockOf, Blocks, Microaggregation},
    },
    rng::{Purpose, Seed},
    statement::Grouping,
    stats::membership::Fuzziness,
};

pub(super) static EXAMPLES: [Example; 3] = [
    Example {
        name: "microaggregation of eleven enterprises",
        source: "Handbook on Statistical Disclosure Control, chapter 3, tables of the SME dataset, k = 3: the optimum by exhaustive search",
        note: "By the algorithm 'exchange'. The Handbook prints SSE/SST = 0.34; 0.340218 is what its groups come to.",
        recompute: enterprises,
    },
    Example {
        name: "microaggregation of fifteen records",
        source: "V. Torra, \"Transparency and disclosure risk in data privacy\", PAIS 2015: (v1, v2), k = 3",
        note: "By MDAV. The slide's second block (v3, v4) is not what MDAV gives: it groups records 3, 9, 10 and 8, 11, 12, where the \
               slide has 3, 8, 9 and 10, 11, 12, and loses less.",
        recompute: fifteen,
    },
    Example {
        name: "memberships of fuzzy microaggregation",
        source: "V. Torra, \"Transparency and microaggregation\", UNECE/Eurostat 2015, step 2",
        note: "By hand, at distances 1, 2 and 3 of three centres: memberships as 36 : 9 : 4 for m = 2, as 6 : 3 : 2 for m = 3.",
        recompute: memberships,
    },
];

/// A bundled file with these attributes in groups of 3.
fn grouped(text: &str, attributes: [&str; 2], grouping: Grouping) -> Result<Masked> {
    let original = table("original", text)?;
    let on = attributes.map(|name| original.find(name));
    let on = on.into_iter().collect::<Result<Vec<_>>>()?;
    let block = BlockOf {
        attributes: attributes.map(str::to_owned).to_vec(),
        k: 3,
    };
    // These algorithms draw nothing.
    let streams = Seed::from_number(0).streams(Purpose::Mask, 0);
    Microaggregation::new(grouping, Blocks::Named(vec![block]))?.mask(original, &on, &streams)
}

/// The groups, records counted from 1.
fn groups(masked: &Masked) -> Vec<Vec<u32>> {
    let blocks = match &masked.details {
        Details::Microaggregation(blocks) => blocks.as_slice(),
        _ => &[],
    };
    let mut groups: Vec<Vec<u32>> = blocks
        .iter()
        .flat_map(|block| block.partition.groups())
        .map(|group| group.into_iter().map(|record| record + 1).collect())
        .collect();
    groups.sort();
    groups
}

fn enterprises() -> Result<Vec<Check>> {
    const FILE: &str = include_str!("../../data/enterprises.csv");
    let attributes = ["surface", "employees"];
    let optimum = grouped(FILE, attributes, Grouping::Exchange)?;
    let loss = |masked: &Masked| information_loss(&masked.effects).map(|loss| loss / 100.0);
    let sse = loss(&optimum).ok_or_else(|| Error::failed("there is no SSE/SST"))?;
    Ok(vec![
        same(
            "groups",
            "{1, 2, 3, 10} {4, 5, 9} {6, 7, 8, 11}",
            sets(&groups(&optimum)),
        ),
        printed("SSE/SST as printed", 0.34, 2, sse),
        printed("SSE/SST of these groups", 0.340_218, 6, sse),
    ])
}

fn fifteen() -> Result<Vec<Check>> {
    let masked = grouped(
        include_str!("../../data/microaggregation-original.csv"),
        ["v1", "v2"],
        Grouping::Mdav,
    )?;
    let slide = table(
        "slide",
        include_str!("../../data/microaggregation-masked.csv"),
    )?;
    let mut checks = vec![same(
        "groups",
        "{1, 2, 3} {4, 5, 8} {6, 7, 9} {10, 12, 15} {11, 13, 14}",
        sets(&groups(&masked)),
    )];
    for name in ["v1", "v2"] {
        let shown = |table: &crate::table::Table| -> Result<String> {
            let numbers = table.numbers(table.find(name)?);
            let values = numbers.map_or(&[][..], |numbers| numbers.values);
            // The slide prints six significant digits.
            Ok(super::list(
                values.iter().map(|value| format!("{value:.5}")),
            ))
        };
        checks.push(same(
            format!("averages of {name}"),
            shown(&slide)?,
            shown(&masked.table)?,
        ));
    }
    Ok(checks)
}

fn memberships() -> Result<Vec<Check>> {
    let squared = [1.0, 4.0, 9.0];
    let by_hand = [(2.0, [36.0, 9.0, 4.0]), (3.0, [6.0, 3.0, 2.0])];
    let mut checks = Vec::new();
    for (m, parts) in by_hand {
        let whole: f64 = parts.iter().sum();
        let shown = |shares: &[f64]| super::list(shares.iter().map(|share| format!("{share:.6}")));
        checks.push(same(
            format!("memberships for m = {m}"),
            shown(&parts.map(|part| part / whole)),
            shown(&Fuzziness::new(m)?.memberships(&squared)),
        ));
    }
    Ok(checks)
}
