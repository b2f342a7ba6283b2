//! The intersection attack on microaggregation.

mod clusters;
mod line;

use self::{
    clusters::{Clusters, InClusters},
    line::Line,
};
use super::boxes_of;
use crate::{
    attack::{
        Attack, Direction, GapRule, Preference, Scenario,
        distance_based::{Standardize, nearest},
        nominal::{Column, Holds},
    },
    distance::nearest::Boxes,
    error::{Error, Result},
    statement::{DistanceScale, Grouping, Method, Step},
    stats::rank::Ranking,
    table::Scale,
};

/// What the intruder knows of the masking.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// How records were grouped.
    pub algorithm: Grouping,
    /// The attributes that were aggregated together; those of no block were not masked.
    pub blocks: Vec<Vec<String>>,
    /// In which units distances were taken.
    pub scale: DistanceScale,
    /// Whether averages were rounded to the decimals of their attribute.
    pub rounded: bool,
    /// Whether a statement says so, and with it that gaps stay in place.
    pub stated: bool,
}

impl Groups {
    /// What a statement says of microaggregation.
    ///
    /// # Errors
    /// Usage, when it is of another method.
    pub fn of_step(statement: &Step) -> Result<Self> {
        match &statement.method {
            Method::Microaggregation(stated) => Ok(Self {
                algorithm: stated.algorithm,
                blocks: stated
                    .blocks
                    .iter()
                    .map(|block| block.attributes.clone())
                    .collect(),
                scale: stated.scale,
                rounded: stated.rounded,
                stated: true,
            }),
            other => Err(Error::other_masking(
                other.name(),
                "; microagg is the attack on microaggregation",
            )
            .remedy("Leave microagg out of --method")),
        }
    }

    /// Whether each attribute was aggregated on its own.
    pub fn one_by_one(&self) -> bool {
        matches!(
            self.algorithm,
            Grouping::Univariate | Grouping::IndividualRanking
        )
    }
}

/// Record linkage inside the set of records that microaggregation can have made of the intruder's record.
///
/// ```text
/// B_j(a) = released records of the groups that can hold a value a       (j: an attribute, or a block of attributes)
/// B(x)   = intersection of B_j(x_j) over what is known
/// link   = the record of B(x) nearest by the attribute-standardised Euclidean distance
/// ```
///
/// What B_j is, depends on how records were grouped:
///
/// - *Attributes one by one* (`univariate`, `individual-ranking`, and `mdav` where a block is one attribute without gaps): groups
///   follow each other along the values. With the different averages `p_1 < p_2 < …` of the release, `p_i < a < p_{i+1}` leaves
///   the groups with average `p_i` or `p_{i+1}`; `a = p_i` leaves these and those of both neighbours, since equal values
///   may have been divided. This is exact: the true record is never excluded.
/// - *Along a line* (`pca`, `zscores`), a block known completely: the same with the positions of values and averages on the
///   line. The intruder takes means, sds and the component from their own records when they hold as many as were released,
///   else from the release. With means as averages and nothing missing the first is exact, the second nearly so; otherwise it is
///   an approximation.
/// - *Other algorithms*, a block known completely: the groups with the `nearest_clusters` nearest averages. Nothing says that the
///   record is in one of them; the report counts how often it is.
/// - An attribute that was not masked: equal values.
/// - A block of which a part is known confines nothing: whatever the known values are, the others decide the group. Its
///   attributes still count in the distance.
///
/// # Why rounding and medians change nothing
/// Of groups that follow each other, g before h, every value of g is at most every value of h, and any average of a group lies
/// between its values: `average(g) ≤ max(g) ≤ min(h) ≤ average(h)`. So a value of a group lies between the averages of its
/// neighbours. Rounding to the decimals of the attribute, and stepping off codes for missing values, keep order and leave values of the
/// attribute as they are, so the published averages obey the same inequalities. On a line a rounded average moves by a known
/// amount at most, and intervals are wider by it. (Values nearer to each other than their distance from the mean can resolve
/// are equal to the masking.)
///
/// # Ties
/// Groups with equal averages are one set. Of averages equally near all count, up to 64.
///
/// # Missing
/// A value that the seeker misses confines nothing, and a record that misses a value of an attribute or block that confines the
/// seeker is a candidate: the value may have been suppressed after masking. Where a statement says that the method leaves gaps in place,
/// and they were ([`Scenario::gaps_in_place`]), candidates have the seeker's missing-value pattern there.
///
/// # Complexity
/// One by one and on lines: boxes, searched by the index of the distance. Others: O(log n) for the nearest averages and O(k) records a seeker.
///
/// # Source
/// J. Nin, J. Herranz, V. Torra, "On the disclosure risk of multivariate microaggregation", Data & Knowledge Engineering 67,
/// 2008; the sets of single attributes as in V. Torra's lectures on transparency. There values are without ties or gaps.
#[derive(Debug, Clone)]
pub struct MicroaggregationIntersection {
    /// What was published.
    pub groups: Groups,
    /// How many nearest averages of a block the intruder takes into account where groups do not follow each other.
    pub nearest_clusters: usize,
    /// The distance inside the set.
    pub standardize: Standardize,
}

/// What confines a known attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// It was not masked.
    Equal,
    /// Its groups follow each other.
    Sorted,
    /// Nothing, or its block.
    Free,
}

/// What a block confines.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Way {
    /// Single attributes.
    Sorted,
    /// Positions on a line.
    Line,
    /// The nearest groups.
    Clusters,
    /// Nothing: only so many of its attributes are known.
    Partial(usize),
}

impl MicroaggregationIntersection {
    fn way(&self, block: &[String], known: &[String]) -> Way {
        if self.groups.one_by_one() {
            return Way::Sorted;
        }
        match block.iter().filter(|name| known.contains(name)).count() {
            count if count < block.len() => Way::Partial(count),
            _ => match self.groups.algorithm {
                Grouping::Pca { .. } | Grouping::Zscores { .. } => Way::Line,
                _ => Way::Clusters,
            },
        }
    }

    fn rules(&self, scenario: &Scenario<'_>) -> Vec<Rule> {
        let rule = |(attribute, name): (usize, &String)| {
            let Some(block) = self.groups.blocks.iter().find(|block| block.contains(name)) else {
                return Rule::Equal;
            };
            // MDAV of numbers takes its groups from both ends.
            let from_both_ends = self.groups.algorithm == Grouping::Mdav
                && block.len() == 1
                && scenario.scales[attribute] != Scale::Nominal
                && scenario.released.present(attribute).count() == scenario.released.n_records();
            if self.groups.one_by_one() || from_both_ends {
                Rule::Sorted
            } else {
                Rule::Free
            }
        };
        scenario.known.iter().enumerate().map(rule).collect()
    }
}

impl Attack for MicroaggregationIntersection {
    fn name(&self) -> &'static str {
        "microagg"
    }

    fn has_candidate_sets(&self) -> bool {
        true
    }

    fn formula(&self) -> String {
        let set = match self.groups.algorithm {
            Grouping::Univariate | Grouping::IndividualRanking => {
                "of the groups whose averages are next to its values".into()
            }
            Grouping::Pca { .. } | Grouping::Zscores { .. } => {
                "of the groups next to it on the line of each block".into()
            }
            _ => format!(
                "of the groups with the {} nearest averages in each block",
                self.nearest_clusters
            ),
        };
        format!("the nearest record, as in am, {set}")
    }

    fn in_words(&self) -> String {
        "uses the groups of microaggregation (microagg)".into()
    }

    fn caveats(&self, known: &[String]) -> Vec<String> {
        let mut caveats = Vec::new();
        let mut confined = self.groups.one_by_one();
        for block in &self.groups.blocks {
            match self.way(block, known) {
                Way::Partial(count) if count > 0 => caveats.push(format!(
                    "the attributes {} were aggregated together: an intruder who knows only some of them does not see the groups, so they exclude nobody",
                    block.join(", ")
                )),
                Way::Partial(_) => {}
                _ => confined = true,
            }
        }
        let masked = |name: &String| self.groups.blocks.iter().any(|block| block.contains(name));
        confined |= !known.iter().all(masked);
        if !confined {
            caveats
                .push("nothing that is known confines anybody: the links are those of am".into());
        }
        caveats
    }

    fn standardize(&self) -> Option<Standardize> {
        Some(self.standardize)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        if self.nearest_clusters == 0 {
            return Err(Error::out_of_range(
                "nearest-clusters",
                1.0..,
                "no nearest group at all would leave nobody as a candidate",
            )
            .remedy("Give --nearest-clusters 2, or more"));
        }
        let rules = self.rules(scenario);
        let in_place = scenario.gaps_in_place(self.groups.stated);
        let mut columns = Vec::new();
        let mut nearest = nearest(scenario, self.standardize, |of_points| {
            columns = of_points.to_vec();
            None
        })?;
        let places = |block: &[String]| -> Vec<usize> {
            let of = |name| scenario.known.iter().position(|known| known == name);
            block.iter().filter_map(of).collect()
        };
        let of_way = |way: Way| {
            let blocks = self
                .groups
                .blocks
                .iter()
                .map(move |block| (block, way.clone()));
            blocks
                .filter(|(block, way)| self.way(block, scenario.known) == *way)
                .map(|(block, _)| places(block))
                .filter(|attributes| attributes.iter().all(|&a| rules[a] == Rule::Free))
        };
        let lines: Vec<Line> = of_way(Way::Line)
            .filter_map(|attributes| Line::new(scenario, &attributes, &self.groups))
            .collect();
        for line in &lines {
            line.append_to(&mut nearest, scenario.direction);
        }
        nearest.candidates = boxes(scenario, &rules, &columns, &lines, &in_place);
        let of_points = &columns;
        let blocks: Vec<Clusters> = of_way(Way::Clusters)
            .map(|attributes| {
                let columns: Vec<usize> = (0..of_points.len())
                    .filter(|&place| attributes.contains(&of_points[place].attribute))
                    .collect();
                let in_place: Vec<bool> = columns
                    .iter()
                    .map(|&place| in_place[of_points[place].attribute])
                    .collect();
                Clusters::new(
                    &nearest,
                    &columns,
                    &in_place,
                    scenario.direction,
                    self.nearest_clusters,
                )
            })
            .collect();
        Ok(if blocks.is_empty() {
            nearest.into()
        } else {
            Preference::Lists(Box::new(InClusters::new(nearest, blocks)))
        })
    }
}

/// The candidates of each seeker as boxes, as far as single attributes and lines confine them; `None` if none does.
fn boxes(
    scenario: &Scenario<'_>,
    rules: &[Rule],
    columns: &[Column],
    lines: &[Line],
    in_place: &[bool],
) -> Option<Boxes> {
    if rules.iter().all(|&rule| rule == Rule::Free) && lines.is_empty() {
        return None;
    }
    let seekers = scenario.seekers();
    let averages: Vec<Ranking> = rules
        .iter()
        .enumerate()
        .map(|(attribute, rule)| match rule {
            Rule::Free => Ranking::new([].into_iter()),
            Rule::Sorted | Rule::Equal => {
                Ranking::new(different(scenario.released.present(attribute)).into_iter())
            }
        })
        .collect();
    let interval = |column: Column, value: f64| {
        let averages = &averages[column.attribute];
        let neighbours = match rules[column.attribute] {
            Rule::Free => return None,
            Rule::Equal => 0,
            Rule::Sorted => 1,
        };
        match (column.holds, scenario.direction) {
            (Holds::Code, _) => Some((value, value)),
            (Holds::Indicator { code }, _) => {
                let is_it = value.total_cmp(&f64::from(code)).is_eq();
                is_it.then_some((1.0, 1.0))
            }
            (Holds::Numbers, Direction::OriginalToMasked) => {
                Some(averages.within(value, neighbours))
            }
            (Holds::Numbers, Direction::MaskedToOriginal) => {
                Some(averages.reaching(value, neighbours))
            }
        }
    };
    let of_columns = columns.iter().map(|column| in_place[column.attribute]);
    let of_lines = (lines.iter()).map(|line| line.has_gaps_in_place(in_place));
    let rules = of_columns.chain(of_lines).map(GapRule::in_place_if);
    Some(boxes_of(
        seekers.n_records(),
        &rules.collect::<Vec<_>>(),
        |seeker, place| match columns.get(place) {
            Some(column) => seekers.value(seeker, column.attribute),
            None => lines[place - columns.len()].position(seeker, scenario.direction),
        },
        |place| {
            let interval = &interval;
            move |value| match columns.get(place) {
                Some(&column) => interval(column, value),
                None => Some(lines[place - columns.len()].interval(value, scenario.direction)),
            }
        },
    ))
}

/// The different numbers, ascending.
fn different(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = numbers.map(|number| number + 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup_by(|a, b| a.total_cmp(b).is_eq());
    sorted
}
