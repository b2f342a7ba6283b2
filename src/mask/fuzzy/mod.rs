//! Fuzzy microaggregation: every record is replaced by the centre of a cluster that is drawn by its memberships.

mod c_means;
mod space;
mod start;

pub use start::StartingCentres;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use self::{
    c_means::{Centres, Fit, Stop, c_means, map_shares},
    space::Space,
};
use super::{
    Details, Mask, Masked, Rounding,
    new_numbers::{for_amounts, write_numbers},
};
use crate::{
    error::{Error, Reason, Result},
    rng::{Generator, Streams},
    statement::{DistanceScale, FuzzyBlock, FuzzyParameters, Method, Step},
    stats::membership::{FUZZINESS, Fuzziness},
    table::{AttrId, Table},
};

/// Records whose memberships are computed at once, beside the room for all.
const ROWS_AT_ONCE: usize = 8192;

/// How many clusters a block gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Clusters {
    /// So many, at least 2.
    Count(usize),
    /// So many that on average between k and 2k records share a centre: `c = round(2n / 3k)`, at least 2, which is in the
    /// interval [n/2k, n/k] of the source and makes 1.5 k records a centre. With fewer different points than
    /// that, as many as there are points.
    Occupancy(usize),
    /// One for each of these starting centres.
    Starting(StartingCentres),
}

/// Which attributes are aggregated together.
#[derive(Debug, Clone, PartialEq)]
pub enum Blocks {
    /// All attributes that are masked.
    One(Clusters),
    /// These; together they must be the attributes that are masked.
    Several(Vec<(Vec<AttrId>, Clusters)>),
}

/// The most starts of c-means: each costs as much as one masking, and few hundred find what there is to be found.
pub const MAX_STARTS: usize = 1000;

/// What has a usual value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// In which units distances are taken.
    pub scaling: DistanceScale,
    /// Whether masked values are rounded to the decimals of their attribute.
    pub rounding: Rounding,
    /// How often c-means starts from other records, at most [`MAX_STARTS`]; the least objective wins, of equal ones the first.
    pub starts: usize,
    /// C-means has converged when no centre moves farther along any attribute in one iteration: in standard deviations of
    /// the attribute, and with [`DistanceScale::None`] in those of the attribute that has the largest.
    pub tolerance: f64,
    /// When c-means ends without having converged.
    pub max_iterations: usize,
    /// Whether all memberships are kept in [`Block::memberships`]: 8 bytes for each record and cluster.
    pub keep_memberships: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            scaling: DistanceScale::Z,
            rounding: Rounding::None,
            starts: 1,
            tolerance: 1e-6,
            max_iterations: 1000,
            keep_memberships: false,
        }
    }
}

/// Fuzzy microaggregation with fuzziness m1 of the centres and m2 of the draw.
///
/// ```text
/// 1. fuzzy c-means with m1:  u_ik = 1 / Σ_j (|x_k − v_i|² / |x_k − v_j|²)^(1/(m1−1)),  v_i = Σ_k u_ik^m1 x_k / Σ_k u_ik^m1
/// 2. memberships u_ik in these centres once more, with m2
/// 3. for each record k: draw χ uniform in [0, 1); x_k becomes the first v_i with u_1k + … + u_ik > χ
/// ```
///
/// A larger m1 draws the centres to the mean of the data, a larger m2 spreads records over more of them: both lose
/// information, and so do fewer clusters. No group has a guaranteed size: records share a centre with k to 2k others on
/// average only. (Where one direction holds half of the spread around the mean, as with one or two attributes it always
/// does, a very large m1 leaves the mean again for single records: J. Yu, Q. Cheng, H. Huang, "Analysis of the weighting
/// exponent in the FCM", IEEE Transactions on Systems, Man and Cybernetics B 34, 2004.) In return no record can be said to belong to a cluster, even by one who knows method and parameters.
///
/// # Units
/// Distances are taken between standardised values (mean 0, sd 1 with divisor n−1) or, with [`DistanceScale::None`], between values
/// as they are. Centres are returned to the file's units; they never lie outside the values of an attribute.
///
/// # Ties
/// A record at the very place of one or several centres belongs to these alone, in equal parts.
///
/// # Missing
/// A missing value stands at the mean of its attribute and stays missing in the masked file. A record that misses the whole
/// block takes no part. An attribute without spread has no effect on distances.
///
/// # Randomness
/// `Purpose::Mask`, one stream a block, by the names of its attributes in alphabetical order, joined by U+001F. Drawn in this
/// order: for each start, records uniformly among those not drawn yet until there are as many different points as
/// clusters (none with given starting centres); then χ for each record of the file in their order, used or not.
///
/// # Source
/// V. Torra, "Transparency and microaggregation", Joint UNECE/Eurostat work session on statistical data confidentiality, 2015;
/// "Fuzzy microaggregation for the transparency principle", Journal of Applied Logic 23, 2017. The sources leave open: the
/// standardisation, the start, the end of the iteration, records at a centre, missing values.
///
/// # Complexity
/// O(n·c·d) an iteration of c-means; memory O(n·d + c·d).
#[derive(Debug, Clone)]
pub struct FuzzyMicroaggregation {
    m1: Fuzziness,
    m2: Fuzziness,
    blocks: Blocks,
    settings: Settings,
}

/// What was done to a block of attributes that were aggregated together.
#[derive(Debug, Clone)]
pub struct Block {
    /// The attributes of the block, by name.
    pub attributes: Vec<String>,
    /// The k that the number of clusters was taken from.
    pub k: Option<usize>,
    /// Number of clusters.
    pub n_clusters: usize,
    /// Number of clusters that the parameters asked for; more than `n_clusters` where there are fewer different points.
    pub wanted_clusters: usize,
    /// Records that have a value in the block.
    pub n_records: usize,
    /// The centres in the file's units, centre by centre, attributes in the order of `attributes`; not rounded.
    pub centres: Vec<f64>,
    /// The cluster of each record of the file, from 0, or [`Self::NO_CLUSTER`]; private, like a seed.
    pub cluster_of: Vec<u32>,
    /// How many records each centre replaced.
    pub occupancies: Vec<usize>,
    /// How often c-means computed memberships and centres.
    pub iterations: usize,
    /// Σ u^m1 |x − v|² at the last memberships, in squared standard deviations.
    pub objective: f64,
    /// How far a centre moved at most along an attribute in the last iteration (see [`Settings::tolerance`]).
    pub movement: f64,
    /// Whether that is within the tolerance.
    pub converged: bool,
    /// The memberships of step 2 if they were asked for: for each record of the file as many as there are clusters, all 0 where
    /// it has no value in the block.
    pub memberships: Option<Vec<f64>>,
}

impl Block {
    /// Stands for the cluster of a record that has no value in the block.
    pub const NO_CLUSTER: u32 = u32::MAX;

    /// The least number of records that share a centre, among the centres that replaced any.
    pub fn least_occupancy(&self) -> usize {
        let used = self
            .occupancies
            .iter()
            .copied()
            .filter(|&records| records > 0);
        used.min().unwrap_or(0)
    }

    /// How many centres replaced some records, but fewer than `k`.
    pub fn below(&self, k: usize) -> usize {
        let below = |&&records: &&usize| records > 0 && records < k;
        self.occupancies.iter().filter(below).count()
    }
}

impl FuzzyMicroaggregation {
    /// Fuzzy microaggregation with checked parameters.
    ///
    /// # Errors
    /// Usage, when m1 or m2 is not more than 1 (or above 1,000,000), k or a number of clusters is below 2, no start, more than
    /// [`MAX_STARTS`] or no iteration is allowed, the tolerance is negative or not finite, there are several starts from given centres, or an
    /// attribute is in two blocks.
    pub fn new(m1: f64, m2: f64, blocks: Blocks, settings: Settings) -> Result<Self> {
        let fuzziness = |name: &str, m| {
            Fuzziness::new(m).map_err(|_| {
                Error::option_out_of_range(name, FUZZINESS, "must be more than 1, at most 1000000")
                    .remedy("2 is usual; near 1 clusters are crisp, larger values blur more")
            })
        };
        let (m1, m2) = (fuzziness("m1", m1)?, fuzziness("m2", m2)?);
        for (setting, number) in [
            ("starts", settings.starts),
            ("max-iterations", settings.max_iterations),
        ] {
            if number == 0 {
                let what = "--starts and --max-iterations must be at least 1";
                return Err(Error::out_of_range(setting, 1.0.., what));
            }
        }
        if settings.starts > MAX_STARTS {
            return Err(Error::option_out_of_range(
                "starts",
                1.0..=MAX_STARTS as f64,
                &format!("is above {MAX_STARTS}"),
            )
            .remedy("10 starts are many; a smaller objective is hardly a smaller loss"));
        }
        if !(settings.tolerance >= 0.0 && settings.tolerance.is_finite()) {
            return Err(Error::option_out_of_range(
                "tolerance",
                0.0..,
                "must be a number of at least 0",
            )
            .remedy("For example --tolerance 1e-6, in standard deviations"));
        }
        match &blocks {
            Blocks::One(clusters) => check_clusters(clusters, &settings)?,
            Blocks::Several(blocks) => {
                let mut seen: Vec<AttrId> = Vec::new();
                for (attributes, clusters) in blocks {
                    check_clusters(clusters, &settings)?;
                    if attributes.iter().any(|attribute| seen.contains(attribute)) {
                        return Err(Error::usage("an attribute is in two blocks"));
                    }
                    seen.extend(attributes);
                }
            }
        }
        Ok(Self {
            m1,
            m2,
            blocks,
            settings,
        })
    }
}

fn check_clusters(clusters: &Clusters, settings: &Settings) -> Result<()> {
    match clusters {
        Clusters::Count(0 | 1) => Err(Error::out_of_range(
            "clusters",
            2.0..,
            "fewer than 2 clusters: every record would get the mean of the file",
        )
        .remedy("Give --clusters 2 or more")),
        Clusters::Occupancy(0 | 1) => Err(Error::out_of_range("k", 2.0.., "k must be at least 2")
            .remedy("k is the least number of records that should share a centre on average")),
        Clusters::Starting(centres)
            if centres.values.len() < 2 * centres.attributes.len().max(1) =>
        {
            Err(Error::usage(
                "fewer than 2 starting centres: every record would get the mean of the file",
            )
            .remedy("Give two centres or more in --init-centres"))
        }
        Clusters::Starting(_) if settings.starts > 1 => Err(Error::usage(
            "several starts from the same centres would all give the same result",
        )
        .remedy("Leave out --starts or --init-centres")),
        _ => Ok(()),
    }
}

impl Mask for FuzzyMicroaggregation {
    fn name(&self) -> &'static str {
        "fuzzy"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error> {
        match table.numbers(attribute) {
            None => Some(
                Error::usage("has no mean: fuzzy microaggregation needs numbers")
                    .wrong_scale(&table.attribute(attribute).name),
            ),
            Some(_) => None,
        }
    }

    fn reluctance(&self, table: &Table, attribute: AttrId) -> Option<String> {
        for_amounts(table, attribute)
    }

    fn idle(&self, _: &Table, on: &[AttrId]) -> Vec<String> {
        let used = self.in_use(on).settings;
        let scale = (self.settings.scaling != used.scaling).then(|| {
            "--scale none has no effect: units do not matter where attributes are aggregated one by one".to_string()
        });
        scale.into_iter().collect()
    }

    fn apply(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        self.in_use(on).masked(original, on, streams)
    }
}

impl FuzzyMicroaggregation {
    /// The same without the options that have no use on these attributes.
    fn in_use(&self, on: &[AttrId]) -> Self {
        let alone = match &self.blocks {
            Blocks::One(_) => on.len() == 1,
            Blocks::Several(blocks) => blocks.iter().all(|(attributes, _)| attributes.len() == 1),
        };
        Self {
            settings: Settings {
                scaling: if alone {
                    DistanceScale::Z
                } else {
                    self.settings.scaling
                },
                ..self.settings
            },
            ..self.clone()
        }
    }

    fn masked(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        let blocks = match &self.blocks {
            Blocks::One(clusters) => vec![(on.to_vec(), clusters)],
            Blocks::Several(blocks) => {
                let mut named: Vec<AttrId> =
                    blocks.iter().flat_map(|(on, _)| on).copied().collect();
                let mut asked = on.to_vec();
                named.sort_unstable();
                asked.sort_unstable();
                if named != asked {
                    return Err(Error::usage(
                        "the blocks are not the attributes that are masked",
                    ));
                }
                blocks
                    .iter()
                    .map(|(on, clusters)| (on.clone(), clusters))
                    .collect()
            }
        };
        let mut details = Vec::with_capacity(blocks.len());
        let mut numbers = Vec::with_capacity(on.len());
        for (attributes, clusters) in blocks {
            let block = self.block(&original, &attributes, clusters, streams)?;
            for (place, &attribute) in attributes.iter().enumerate() {
                let value = |&cluster: &u32| match cluster {
                    Block::NO_CLUSTER => 0.0,
                    cluster => block.centres[cluster as usize * attributes.len() + place],
                };
                numbers.push((attribute, block.cluster_of.iter().map(value).collect()));
            }
            details.push(block);
        }
        numbers.sort_by_key(|&(attribute, _)| on.iter().position(|&other| other == attribute));
        let names = original.names(on);
        let step = Step::new(self.published(&details), original.n_records(), names);
        let (table, effects) = write_numbers(original, numbers, self.settings.rounding)?;
        Ok(Masked {
            table,
            step,
            effects,
            respelled: Vec::new(),
            strata: Vec::new(),
            details: Details::Fuzzy(details),
        })
    }
}

impl FuzzyMicroaggregation {
    fn published(&self, blocks: &[Block]) -> Method {
        Method::Fuzzy(FuzzyParameters {
            m1: self.m1.m(),
            m2: self.m2.m(),
            scale: self.settings.scaling,
            rounded: self.settings.rounding.is_on(),
            blocks: blocks
                .iter()
                .map(|block| FuzzyBlock {
                    attributes: block.attributes.clone(),
                    k: block.k,
                    clusters: block.n_clusters,
                })
                .collect(),
        })
    }

    fn block(
        &self,
        table: &Table,
        attributes: &[AttrId],
        clusters: &Clusters,
        streams: &Streams,
    ) -> Result<Block> {
        for &attribute in attributes {
            if let Some(objection) = self.objection(table, attribute) {
                return Err(objection);
            }
        }
        let names = table.names(attributes);
        let space = Space::of(table, attributes, self.settings.scaling);
        let mut rng = stream(streams, &names);
        let (fit, wanted) = self.fit(&space, &names, clusters, &mut rng)?;
        let centres = fit.centres.rows();
        let n_clusters = fit.centres.n_centres();
        let cluster_of = self.assigned(&space, &fit.centres, table.n_records(), &mut rng);
        let mut occupancies = vec![0; n_clusters];
        for &cluster in &cluster_of {
            if cluster != Block::NO_CLUSTER {
                occupancies[cluster as usize] += 1;
            }
        }
        Ok(Block {
            k: match clusters {
                Clusters::Occupancy(k) => Some(*k),
                _ => None,
            },
            n_clusters,
            wanted_clusters: wanted,
            n_records: space.records.len(),
            centres: centres
                .chunks_exact(names.len())
                .flat_map(|centre| space.axes.iter().zip(centre))
                .map(|(axis, &coordinate)| axis.value(coordinate))
                .collect(),
            cluster_of,
            occupancies,
            iterations: fit.iterations,
            objective: fit.objective,
            movement: fit.movement,
            converged: fit.converged,
            memberships: if self.settings.keep_memberships {
                Some(self.memberships(&space, &fit.centres, table.n_records())?)
            } else {
                None
            },
            attributes: names,
        })
    }

    /// Step 1, and the number of clusters that was asked for.
    fn fit(
        &self,
        space: &Space,
        names: &[String],
        clusters: &Clusters,
        rng: &mut Generator,
    ) -> Result<(Fit, usize)> {
        let stop = Stop {
            tolerance: self.settings.tolerance,
            max_iterations: self.settings.max_iterations,
        };
        let n = space.records.len();
        let wanted = wanted(clusters, n)?;
        if let Clusters::Starting(starting) = clusters {
            let start = starting.in_space(names, space)?;
            return Ok((c_means(&space.points, start, self.m1, stop), wanted));
        }
        let (point_of, n_points) = space.distinct();
        let n_clusters = match clusters {
            Clusters::Occupancy(_) => wanted.min(n_points),
            _ if wanted > n_points => {
                let what = format!(
                    "{wanted} clusters of {n_points} different points: a centre would have no record of its own"
                );
                return Err(
                    Error::out_of_range("clusters", 2.0..=n_points as f64, what).remedy(
                        match n_points {
                            0 | 1 => "All records are equal: leave these attributes out".into(),
                            _ => format!("Give --clusters {n_points} or fewer"),
                        },
                    ),
                );
            }
            _ => wanted,
        };
        let mut best: Option<Fit> = None;
        for _ in 0..self.settings.starts {
            let start = start::draw(space, &point_of, n_clusters, rng);
            let fit = c_means(&space.points, start, self.m1, stop);
            if best
                .as_ref()
                .is_none_or(|best| fit.scaled_objective < best.scaled_objective)
            {
                best = Some(fit);
            }
        }
        let best = best.unwrap_or_else(|| unreachable!("there is at least one start"));
        Ok((best, wanted))
    }

    /// Steps 2 and 3: the cluster of each record of the file.
    fn assigned(
        &self,
        space: &Space,
        centres: &Centres,
        n_records: usize,
        rng: &mut Generator,
    ) -> Vec<u32> {
        let chi: Vec<f64> = (0..n_records).map(|_| rng.random::<f64>()).collect();
        let all = 0..space.records.len();
        let drawn = map_shares(
            &space.points,
            all,
            centres,
            self.m2,
            |place, shares, sum| pick(shares, chi[space.records[place] as usize] * sum),
        );
        let mut cluster_of = vec![Block::NO_CLUSTER; n_records];
        for (&record, cluster) in space.records.iter().zip(drawn) {
            cluster_of[record as usize] = cluster;
        }
        cluster_of
    }

    fn memberships(&self, space: &Space, centres: &Centres, n_records: usize) -> Result<Vec<f64>> {
        let n_clusters = centres.n_centres();
        let mut memberships = Vec::new();
        n_records
            .checked_mul(n_clusters)
            .and_then(|cells| memberships.try_reserve_exact(cells).ok())
            .ok_or_else(|| {
                let needed = n_records as u128 * n_clusters as u128 * size_of::<f64>() as u128;
                Error::failed(format!(
                    "there is no memory for the memberships of {n_records} records in {n_clusters} clusters"
                ))
                .because(Reason::Memory { needed, limit: None })
                .remedy("Leave out --memberships, or ask for fewer clusters")
            })?;
        memberships.resize(n_records * n_clusters, 0.0);
        for first in (0..space.records.len()).step_by(ROWS_AT_ONCE) {
            let some = first..space.records.len().min(first + ROWS_AT_ONCE);
            let rows = map_shares(
                &space.points,
                some.clone(),
                centres,
                self.m2,
                |_, shares, sum| shares.iter().map(|share| share / sum).collect::<Vec<f64>>(),
            );
            for (&record, row) in space.records[some].iter().zip(rows) {
                memberships[record as usize * n_clusters..][..n_clusters].copy_from_slice(&row);
            }
        }
        Ok(memberships)
    }
}

/// How many clusters are asked for, checked against the number of records.
fn wanted(clusters: &Clusters, n: usize) -> Result<usize> {
    let c = match clusters {
        Clusters::Count(c) => *c,
        Clusters::Starting(starting) => starting.n_centres(),
        Clusters::Occupancy(k) => {
            if n / 2 < *k {
                let what = format!(
                    "k = {k} is more than half of the {n} records that have a value: one cluster would be left"
                );
                return Err(Error::out_of_range("k", 2.0..=(n / 2) as f64, what)
                    .remedy("Give a smaller --k"));
            }
            // round(2n / 3k), without the noise of fractions.
            return Ok(((4 * n as u128 + 3 * *k as u128) / (6 * *k as u128)).max(2) as usize);
        }
    };
    match c {
        0 => Err(Error::input("there are no starting centres").remedy("Give at least one")),
        _ if c > n => Err(Error::out_of_range(
            "clusters",
            2.0..=n as f64,
            format!("{c} clusters are more than the {n} records that have a value"),
        )
        .remedy("Give fewer clusters")),
        _ => Ok(c),
    }
}

/// The stream of a block: its attributes may be named in any order.
fn stream(streams: &Streams, names: &[String]) -> Generator {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    streams.of_attribute(&names.join("\u{1f}"))
}

/// The first place at which the sum of the parts exceeds `mark`.
fn pick(parts: &[f64], mark: f64) -> u32 {
    let mut sum = 0.0;
    let mut picked = 0;
    for (place, &part) in (0_u32..).zip(parts) {
        sum += part;
        // What is left after the last part is rounding.
        if part > 0.0 {
            picked = place;
        }
        if sum > mark {
            break;
        }
    }
    picked
}
