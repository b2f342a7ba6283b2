//! From distances to pairs of attributes.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    pair::{Pair, Rival},
    profile::{self, Content, Profile, ScaleBy},
    shape::{self, ComparedBy, Difference, Distance},
    situation::{self, Situation},
};
use crate::{
    error::{Error, Reason, Result},
    optimize::assignment::lists::{self, Candidates},
    stats::density::{Grid, kernel_density},
    table::{AttrId, Role, Table},
};

/// Which relations between attributes are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Each attribute at most once; as many pairs as can be, at the least sum of distances.
    OneToOne,
    /// Each attribute of the first file with its nearest of the second, whoever else has that.
    OneToMany,
}

impl Relation {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::OneToOne => "one-to-one",
            Self::OneToMany => "one-to-many",
        }
    }
}

/// How attributes are matched.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// How numbers are brought to one scale.
    pub scale: ScaleBy,
    /// How distributions are compared.
    pub distance: Distance,
    /// Which relations are allowed.
    pub relation: Relation,
    /// How much farther than its partner an attribute may be and still count as a rival; `None`: what chance makes of two
    /// samples of one distribution.
    pub within: Option<f64>,
}

/// An attribute that was not compared, and why, in words that follow its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The attribute as its file names it.
    pub attribute: String,
    /// Why.
    pub why: String,
}

/// Which attribute of one file is which of another.
#[derive(Debug, Clone, PartialEq)]
pub struct Matching {
    /// The pairs, in the order of the first file.
    pub pairs: Vec<Pair>,
    /// Attributes of either file that were compared and got no partner.
    pub unmatched: [Vec<String>; 2],
    /// Attributes of either file that were not compared.
    pub left_out: [Vec<LeftOut>; 2],
    /// The bandwidth of all densities, in standardised units; `None` without attributes of numbers in both files.
    pub bandwidth: Option<f64>,
    /// Which of the four situations of linkage the files are in.
    pub situation: Situation,
}

/// Distances below this are those of equal distributions: what is left is rounding.
const ROUNDING: f64 = 1e-6;

/// Matches the attributes of two files by how their values are distributed.
///
/// `chosen` names the attributes of each file; `None` takes all but identifiers. Constant attributes are left out.
///
/// Numbers (continuous or ordinal) are standardised ([`ScaleBy`]) and compared by Gaussian kernel densities on one grid with one
/// bandwidth; names by the shares of categories; numbers never with names. A pair of names that has no terms in common comes
/// after every pair that has. The share of missing values is one point more of each distribution.
///
/// # What cannot be told apart
/// Attributes that are shifts or positive multiples of each other, once they are standardised. An attribute that was turned
/// round (multiplied by a negative number) is not recognised.
///
/// # Ties
/// Of equally near attributes the first in the file is taken (one-to-many), or what the solver finds (one-to-one). Rivals say
/// so.
///
/// # Complexity
/// Sorting every attribute; a density for each; for each pair one pass over the grid (some thousand points).
///
/// # Errors
/// Input, when a file has no records or nothing that could be compared.
pub fn match_attributes(
    tables: [&Table; 2],
    chosen: [Option<&[AttrId]>; 2],
    options: &Options,
) -> Result<Matching> {
    let mut left_out = [Vec::new(), Vec::new()];
    let mut sides: [Vec<Profile>; 2] = [Vec::new(), Vec::new()];
    for side in 0..2 {
        let table = tables[side];
        if table.n_records() == 0 {
            return Err(Error::no_records(table.name(), None));
        }
        let ids = match chosen[side] {
            Some(ids) => ids.to_vec(),
            None => without_identifiers(table, &mut left_out[side]),
        };
        for (&id, profile) in ids.iter().zip(profile::profiles(table, &ids)) {
            match profile {
                Ok(profile) => sides[side].push(profile),
                Err(why) => left_out[side].push(LeftOut {
                    attribute: table.attribute(id).name.clone(),
                    why,
                }),
            }
        }
        if sides[side].is_empty() {
            return Err(Error::input("has no attribute that could be compared").because(Reason::NothingToCompare)
                .in_file(table.name())
                .remedy("'sdcrisk describe' shows how it is read; constant attributes and identifiers do not count"));
        }
    }
    let sizes = (tables[0].n_records(), tables[1].n_records());
    let (differences, bandwidth) = differences(&mut sides, sizes, options)?;
    let mut pairs = match options.relation {
        Relation::OneToOne => one_to_one(&differences, options)?,
        Relation::OneToMany => one_to_many(&differences, options),
    };
    pairs.sort_unstable();
    if pairs.is_empty() {
        return Err(Error::input(
            "one file has only attributes of numbers, the other none: there is nothing to compare",
        )
        .because(Reason::NothingToCompare)
        .in_file(tables[1].name())
        .remedy("'sdcrisk describe' shows how both are read; --roles can state scales"));
    }
    let unmatched = [0, 1].map(|side| {
        let got = |place: usize| pairs.iter().any(|&(a, b)| [a, b][side] == place);
        let rest = (0..sides[side].len()).filter(|&place| !got(place));
        rest.map(|place| sides[side][place].name.clone()).collect()
    });
    let own_names = tables.iter().all(|table| table.has_own_names());
    let pairs: Vec<Pair> = pairs
        .into_iter()
        .filter_map(|(a, b)| pair(&sides, &differences, (a, b), own_names, options))
        .collect();
    Ok(Matching {
        situation: Situation::of(&pairs),
        pairs,
        unmatched,
        left_out,
        bandwidth,
    })
}

fn without_identifiers(table: &Table, left_out: &mut Vec<LeftOut>) -> Vec<AttrId> {
    let (identifiers, others) = table
        .ids()
        .partition::<Vec<_>, _>(|&id| table.attribute(id).role == Role::Identifier);
    left_out.extend(identifiers.into_iter().map(|id| LeftOut {
        attribute: table.attribute(id).name.clone(),
        why: "is an identifier".into(),
    }));
    others
}

/// For each attribute of the first file, its difference to each of the second; `None` between numbers and names.
type Differences = Vec<Vec<Option<Difference>>>;

fn differences(
    sides: &mut [Vec<Profile>; 2],
    sizes: (usize, usize),
    options: &Options,
) -> Result<(Differences, Option<f64>)> {
    let has_numbers = |side: &[Profile]| {
        let is_number = |profile: &Profile| matches!(profile.content, Content::Numbers(_));
        side.iter().any(is_number)
    };
    let drawn = if sides.iter().all(|side| has_numbers(side)) {
        Some(Drawn::new(sides, options.scale)?)
    } else {
        None
    };
    let [a, b] = &*sides;
    let between = |i: usize, j: usize| {
        let (one, other) = (&a[i], &b[j]);
        let missing = (one.missing, other.missing);
        match (&one.content, &other.content) {
            (Content::Numbers(_), Content::Numbers(_)) => drawn.as_ref().map(|drawn| {
                let pair = (&drawn.densities[0][i][..], &drawn.densities[1][j][..]);
                shape::densities(
                    pair,
                    missing,
                    drawn.grid.step,
                    drawn.bandwidth,
                    sizes,
                    options.distance,
                )
            }),
            (Content::Categories(one), Content::Categories(other)) => Some(shape::categories(
                (one, other),
                missing,
                sizes,
                options.distance,
            )),
            _ => None,
        }
    };
    let differences = (0..a.len())
        .into_par_iter()
        .map(|i| (0..b.len()).map(|j| between(i, j)).collect())
        .collect();
    Ok((differences, drawn.map(|drawn| drawn.bandwidth)))
}

/// The densities of all attributes of numbers of both files; empty for those of names.
struct Drawn {
    grid: Grid,
    bandwidth: f64,
    densities: [Vec<Vec<f64>>; 2],
}

impl Drawn {
    fn new(sides: &mut [Vec<Profile>; 2], by: ScaleBy) -> Result<Self> {
        let mut numbers: Vec<_> = sides
            .iter_mut()
            .flatten()
            .filter_map(|profile| match &mut profile.content {
                Content::Numbers(numbers) => Some(numbers),
                Content::Categories(_) => None,
            })
            .collect();
        let bandwidth = profile::standardise(&mut numbers, by);
        let ends = |end: fn(&[f64]) -> Option<&f64>| {
            let all = numbers
                .iter()
                .filter_map(move |numbers| end(&numbers.values));
            all.copied()
        };
        let lowest = ends(|values| values.first()).fold(f64::INFINITY, f64::min);
        let highest = ends(|values| values.last()).fold(f64::NEG_INFINITY, f64::max);
        let bandwidth = bandwidth
            .filter(|_| (highest - lowest).is_finite())
            .ok_or_else(|| {
                Error::input("attributes of numbers differ too much in size, or are too close together, to be brought to one scale")
                .because(Reason::Overflow { attribute: None })
                    .remedy("Try --scale z, or leave out those with extreme values")
            })?;
        let grid = Grid::covering(lowest, highest, bandwidth);
        // A kernel narrower than the grid would fall between its points.
        let bandwidth = bandwidth.max(grid.step);
        let densities = [0, 1].map(|side: usize| {
            let profiles = sides[side].par_iter();
            let density = |profile: &Profile| match &profile.content {
                Content::Numbers(numbers) => {
                    kernel_density(&numbers.values, 1.0 - profile.missing, bandwidth, &grid)
                }
                Content::Categories(_) => Vec::new(),
            };
            profiles.map(density).collect()
        });
        Ok(Self {
            grid,
            bandwidth,
            densities,
        })
    }
}

/// What a pair costs: its distance, after all pairs that have terms in common if it has none.
fn cost(difference: &Difference, options: &Options) -> f64 {
    match difference.by {
        ComparedBy::Shares => difference.distance + options.distance.greatest(),
        ComparedBy::Density | ComparedBy::Categories => difference.distance,
    }
}

fn one_to_one(differences: &Differences, options: &Options) -> Result<Vec<(usize, usize)>> {
    let width = differences.first().map_or(0, Vec::len);
    let mut possible = Candidates::new(width);
    for row in differences {
        let pairs = (0..).zip(row);
        possible.push(pairs.filter_map(|(b, found)| Some((b, cost(found.as_ref()?, options)))));
    }
    let pairs = lists::cheapest(&possible)?.pairs.into_iter().enumerate();
    Ok(pairs
        .filter_map(|(a, pair)| Some((a, pair?.column as usize)))
        .collect())
}

fn one_to_many(differences: &Differences, options: &Options) -> Vec<(usize, usize)> {
    let nearest = |row: &[Option<Difference>]| {
        let costs = row
            .iter()
            .enumerate()
            .filter_map(|(b, found)| Some((b, cost(found.as_ref()?, options))));
        costs
            .min_by(|one, other| one.1.total_cmp(&other.1))
            .map(|(b, _)| b)
    };
    differences
        .iter()
        .enumerate()
        .filter_map(|(a, row)| Some((a, nearest(row)?)))
        .collect()
}

fn pair(
    sides: &[Vec<Profile>; 2],
    differences: &Differences,
    (a, b): (usize, usize),
    own_names: bool,
    options: &Options,
) -> Option<Pair> {
    let found = differences[a][b]?;
    let (one, other) = (&sides[0][a], &sides[1][b]);
    let mut others: Vec<(f64, Rival)> = (0..sides[1].len())
        .filter(|&place| place != b)
        .filter_map(|place| {
            let difference = differences[a][place].as_ref()?;
            let rival = Rival {
                b: sides[1][place].id,
                name: sides[1][place].name.clone(),
                distance: difference.distance,
            };
            Some((cost(difference, options), rival))
        })
        .collect();
    others.sort_by(|x, y| x.0.total_cmp(&y.0));
    let own = cost(&found, options);
    let within = options.within.unwrap_or(if found.distance <= ROUNDING {
        // The very same distribution: chance does not make one of those.
        ROUNDING
    } else {
        found.chance
    });
    let second = others.first().map(|(_, rival)| rival.clone());
    let rivals: Vec<Rival> = others
        .into_iter()
        .take_while(|(cost, _)| *cost <= own + within)
        .map(|(_, rival)| rival)
        .collect();
    let alike = situation::are_alike(found.distance, found.chance, options.distance);
    Some(Pair {
        a: one.id,
        b: other.id,
        a_name: one.name.clone(),
        b_name: other.name.clone(),
        by: found.by,
        distance: found.distance,
        chance: found.chance,
        equal: found.distance <= ROUNDING,
        second,
        alike,
        same_variable: (own_names && one.name == other.name) || (alike && rivals.is_empty()),
        rivals,
        same_terms: situation::are_same_terms(one, other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least sum over all permutations, by recursion.
    fn exhaustive(costs: &[Vec<f64>], row: usize, taken: &mut Vec<bool>) -> f64 {
        if row == costs.len() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for column in 0..taken.len() {
            if !taken[column] {
                taken[column] = true;
                best = best.min(costs[row][column] + exhaustive(costs, row + 1, taken));
                taken[column] = false;
            }
        }
        best
    }

    #[test]
    fn one_to_one_has_the_least_sum_of_all_permutations() {
        let options = Options {
            scale: ScaleBy::Z,
            distance: Distance::L1,
            relation: Relation::OneToOne,
            within: None,
        };
        let mut state = 3_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        for size in [1, 2, 4, 6] {
            for _ in 0..10 {
                let distances: Vec<Vec<f64>> = (0..size)
                    .map(|_| (0..size).map(|_| random()).collect())
                    .collect();
                let difference = |&distance: &f64| {
                    Some(Difference {
                        distance,
                        chance: 0.0,
                        by: ComparedBy::Density,
                    })
                };
                let differences: Differences = distances
                    .iter()
                    .map(|row| row.iter().map(difference).collect())
                    .collect();
                let pairs = one_to_one(&differences, &options).unwrap();
                let sum: f64 = pairs.iter().map(|&(a, b)| distances[a][b]).sum();
                let least = exhaustive(&distances, 0, &mut vec![false; size]);
                assert_eq!(pairs.len(), size);
                assert!((sum - least).abs() < 1e-12, "{sum} {least}");
            }
        }
    }
}
