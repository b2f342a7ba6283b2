//! Rank swapping and the intersection attack.

use super::{
    Check, Example, list,
    pairs::{Pair, record},
    printed, same,
};
use crate::{
    attack::{
        Direction,
        distance_based::Standardize,
        intersection::rank_swap::{Bound, RankSwapIntersection},
    },
    error::Result,
};

pub(super) static EXAMPLES: [Example; 2] = [
    Example {
        name: "intersection attack on rank swapping",
        source: "V. Torra, \"La lluita contra el Big Brother\", 2007, and \"Transparency and disclosure risk in data privacy\", PAIS 2015: \
                 x2 = (6, 7, 10, 2), window 2",
        note: "",
        recompute: slides,
    },
    Example {
        name: "rank swapping of the Handbook under the same attack",
        source: "Handbook on Statistical Disclosure Control, chapter 3, table of rank swapping, p = 10 %: a window of one rank",
        note: "The Handbook prints the two files. The candidate sets were worked out by hand from the definition of the attack; who \
               picks at random inside them is right for 8.5 of 10.",
        recompute: handbook,
    },
];

const ORIGINAL: &str = include_str!("../../data/rank-swapping-original.csv");
const MASKED: &str = include_str!("../../data/rank-swapping-masked.csv");

fn attack(window: usize) -> RankSwapIntersection {
    RankSwapIntersection {
        bound: Bound::Window(window),
        standardize: Standardize::Own,
    }
}

fn slides() -> Result<Vec<Check>> {
    let pair = Pair::new(ORIGINAL, MASKED)?;
    let known = pair.shared()?;
    let second = |known: &[_]| -> Result<_> {
        let outcome = pair.attacked(&attack(2), known, Direction::OriginalToMasked)?;
        Ok((outcome.links[1].candidates, outcome.links[1].linked.clone()))
    };
    let sizes: Vec<u32> = known
        .chunks(1)
        .map(|one| Ok(second(one)?.0))
        .collect::<Result<_>>()?;
    let (left, linked) = second(&known)?;
    let linked = linked
        .iter()
        .map(|&place| record(MASKED, place as usize + 1));
    Ok(vec![
        same(
            "masked records possible by each attribute",
            "5, 5, 3, 4",
            list(sizes),
        ),
        same("possible by all four", 1, left),
        same("that record", "5,5,8,1", list(linked)),
    ])
}

fn handbook() -> Result<Vec<Check>> {
    let pair = Pair::new(
        include_str!("../../data/handbook-swapping-original.csv"),
        include_str!("../../data/handbook-swapping-masked.csv"),
    )?;
    let known = pair.shared()?;
    let outcome = pair.attacked(&attack(1), &known, Direction::MaskedToOriginal)?;
    let sizes = || outcome.links.iter().map(|link| link.candidates);
    let at_random: f64 = sizes().map(|size| 1.0 / f64::from(size)).sum();
    Ok(vec![
        same(
            "original records possible for each masked one",
            "1, 1, 2, 1, 2, 2, 1, 1, 1, 1",
            list(sizes()),
        ),
        same(
            "certain links, all right",
            "7, 7",
            list([outcome.score.certain, outcome.score.certain_correct]),
        ),
        printed(
            "expected links at random inside the sets",
            8.5,
            1,
            at_random,
        ),
    ])
}
