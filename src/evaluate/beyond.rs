//! Beyond the mean: how an attack fares among people who stand out, and with the links that it is surest of.
//!
//! A rate of 2 % can be 40 % among the largest enterprises. Who stands out is worked out from the original file, by the judge: no
//! attack is shown it.

use std::ops::Range;

use ndarray::Array2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    evaluate::{
        score::{Score, Ties},
        seekers::{Seeker, SeekerCount},
    },
    stats::{
        eigen,
        interval::wilson,
        moments::{Moments, moments},
        regression::chunk_dot,
    },
    table::{AttrId, Table, Values},
};

/// Of more attributes than these nobody is called far from the mean.
const MAX_AXES: usize = 200;

/// One in so many stands out, and is among the surest.
const ONE_IN: usize = 100;

/// Directions with a variance below this share of the greatest are those of attributes that depend on others.
const MIN_VARIANCE: f64 = 1e-10;

/// How an attack fared with some of those who looked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Records of this part that looked for a partner.
    pub records: u64,
    /// Those of them that have one.
    pub with_partner: u64,
    /// Correct links, ties counted 1/t.
    pub fair: f64,
    /// Correct links without a tie.
    pub strict: u64,
    /// Correct links, ties counted as found.
    pub optimistic: u64,
    /// The rate of somebody who links at random.
    pub baseline: f64,
}

impl Part {
    /// Of these seekers, among so many sought records; `None` of nobody.
    fn new<'a>(seekers: impl Iterator<Item = &'a SeekerCount>, sought: u64) -> Option<Self> {
        let score = Score::new(seekers, sought, false);
        (score.records > 0).then(|| Self {
            records: score.records,
            with_partner: score.with_partner,
            fair: score.fair,
            strict: score.strict,
            optimistic: score.optimistic,
            baseline: score.baseline(),
        })
    }

    /// Correct links under a rule for ties.
    pub fn correct(&self, ties: Ties) -> f64 {
        match ties {
            Ties::Fair => self.fair,
            Ties::Strict => self.strict as f64,
            Ties::Optimistic => self.optimistic as f64,
        }
    }

    /// Share of correct links; 0 when nobody looked.
    pub fn rate(&self, ties: Ties) -> f64 {
        match self.records {
            0 => 0.0,
            records => self.correct(ties) / records as f64,
        }
    }

    /// Wilson interval of the rate at 95 %.
    pub fn interval(&self, ties: Ties) -> (f64, f64) {
        wilson(self.correct(ties), self.records)
    }
}

/// How an attack fared beyond the mean. `None` where there is nobody of the kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Beyond {
    /// Among those in the top or bottom 1 % of a known attribute.
    pub extremes: Option<Part>,
    /// Among the 1 % farthest from the mean in Mahalanobis distance of the known attributes.
    pub far: Option<Part>,
    /// Of the 1 % of links that the attack is surest of.
    pub surest: Option<Part>,
    /// By what it is sure of a link.
    pub sure_by: Option<SureBy>,
}

/// What an attack's confidence in its links is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SureBy {
    /// The probability that it states.
    Probability,
    /// How few candidates there are, then how small the distance or cost is, then how few tie at it.
    Distance,
}

impl SureBy {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Probability => "probability",
            Self::Distance => "distance",
        }
    }
}

/// Which records of the original stand out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingOut {
    /// In the top or bottom 1 % of an attribute.
    pub extreme: Vec<bool>,
    /// In the 1 % with the greatest Mahalanobis distance from the mean.
    pub far: Vec<bool>,
}

impl StandingOut {
    /// Of all records of a file, by these attributes; names stand nowhere.
    ///
    /// 1 % of n values are `floor(n / 100)`, at least 1.
    ///
    /// # Ties
    /// Records with equal values stand out together or not at all: half a file of zeros is no bottom 1 %.
    ///
    /// # Missing
    /// A missing value does not stand out; in Mahalanobis distances it stands at the mean.
    ///
    /// # Complexity
    /// O(n) an attribute, and n times the square of the attributes. Of more than 200 known attributes no Mahalanobis distance is
    /// worked out, and nobody is far: the axes of 1000 alone take a minute.
    pub fn of(original: &Table, attributes: &[AttrId]) -> Self {
        let n = original.n_records();
        let columns: Vec<Values<'_>> = attributes
            .iter()
            .filter_map(|&id| original.values(id))
            .collect();
        let inner: Vec<Option<Inner>> = (columns.par_iter())
            .map(|column| Inner::of(&mut present(*column).map(|of| of.0).collect::<Vec<f64>>()))
            .collect();
        let stands_out = |record: usize| {
            let is_outside = |(column, inner): (&Values<'_>, &Option<Inner>)| {
                !column.missing.contains(record)
                    && (inner.as_ref()).is_some_and(|inner| {
                        let value = column.of(record) + 0.0;
                        inner.is_below(value) || inner.is_above(value)
                    })
            };
            columns.iter().zip(&inner).any(is_outside)
        };
        let extreme = (0..n).into_par_iter().map(stands_out).collect();
        let mut far = vec![false; n];
        if (1..=MAX_AXES).contains(&columns.len()) {
            let distances = mahalanobis(&columns, n);
            if let Some(inner) = Inner::of(&mut distances.clone()) {
                let is_far = |distance: &f64| inner.is_above(*distance);
                far = distances.par_iter().map(is_far).collect();
            }
        }
        Self { extreme, far }
    }
}

fn present<'a>(values: Values<'a>) -> impl Iterator<Item = (f64, usize)> + Clone + 'a {
    values
        .present()
        .map(|(record, value)| (value + 0.0, record))
}

/// The values that are not among the least or the greatest 1 %: who ties with the first of them is one of them.
struct Inner {
    least: f64,
    greatest: f64,
}

impl Inner {
    /// Those of these values, which it reorders; `None` of fewer than two.
    fn of(values: &mut [f64]) -> Option<Self> {
        let n = values.len();
        let outside = (n / ONE_IN).max(1);
        let mut at = |place: usize| *values.select_nth_unstable_by(place, f64::total_cmp).1;
        (n > 1).then(|| Self {
            least: at(outside),
            greatest: at(n - 1 - outside),
        })
    }

    fn is_below(&self, value: f64) -> bool {
        value.total_cmp(&self.least).is_lt()
    }

    fn is_above(&self, value: f64) -> bool {
        value.total_cmp(&self.greatest).is_gt()
    }
}

/// Squared Mahalanobis distances from the mean, in the directions in which the attributes vary.
fn mahalanobis(columns: &[Values<'_>], n: usize) -> Vec<f64> {
    let standardised = Standardised::of(columns);
    let width = columns.len();
    let mut correlations = Array2::zeros((width, width));
    for ((j, k), product) in pairs(width).zip(standardised.products(n)) {
        let product = product / n.max(1) as f64;
        (correlations[[j, k]], correlations[[k, j]]) = (product, product);
    }
    let axes = eigen::symmetric(correlations);
    let greatest = axes.values.first().copied().unwrap_or(0.0);
    let along = (0..width).filter(|&axis| axes.values[axis] > MIN_VARIANCE * greatest);
    let along: Vec<(f64, Vec<f64>)> = along
        .map(|axis| (axes.values[axis], axes.vectors.column(axis).to_vec()))
        .collect();
    let mut distances = vec![0.0; n];
    let of_block = |(block, distances): (usize, &mut [f64])| {
        let n = distances.len();
        let scores = standardised.scores(block * BLOCK..block * BLOCK + n);
        let mut position = vec![0.0; n];
        for (variance, direction) in &along {
            position.fill(0.0);
            for (of_attribute, &share) in scores.chunks_exact(n).zip(direction) {
                for (position, score) in position.iter_mut().zip(of_attribute) {
                    *position += score * share;
                }
            }
            for (distance, x) in distances.iter_mut().zip(&position) {
                *distance += x * x / variance;
            }
        }
    };
    (distances.par_chunks_mut(BLOCK).enumerate()).for_each(of_block);
    distances
}

/// Every two attributes, an attribute with itself included.
fn pairs(width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..width).flat_map(move |j| (j..width).map(move |k| (j, k)))
}

/// Records whose z-scores are worked out together.
const BLOCK: usize = 512;

/// Parts of a file whose products are summed up side by side: as many on every machine, so that sums are the same.
const PARTS: usize = 64;

/// z-scores, 0 where a value is missing; all 0 for a constant. They are worked out when they are asked for: there are as many as cells.
struct Standardised<'a, 'b> {
    columns: &'b [Values<'a>],
    moments: Vec<Moments>,
}

impl<'a, 'b> Standardised<'a, 'b> {
    fn of(columns: &'b [Values<'a>]) -> Self {
        let moments = |column: &Values<'_>| moments(present(*column).map(|(value, _)| value));
        Self {
            columns,
            moments: columns.par_iter().map(moments).collect(),
        }
    }

    /// Of some records, one attribute after the other.
    fn scores(&self, records: Range<usize>) -> Vec<f64> {
        let mut scores = vec![0.0; records.len() * self.columns.len()];
        let columns = self.columns.iter().zip(&self.moments);
        for ((column, moments), scores) in columns.zip(scores.chunks_exact_mut(records.len())) {
            if !(moments.sd > 0.0 && moments.sd.is_finite()) {
                continue;
            }
            for (record, score) in records.clone().zip(scores) {
                if !column.missing.contains(record) {
                    *score = (column.of(record) + 0.0 - moments.mean) / moments.sd;
                }
            }
        }
        scores
    }

    /// For every two attributes the sum of products of their scores.
    fn products(&self, n: usize) -> Vec<f64> {
        let width = self.columns.len();
        let nothing = || vec![0.0; pairs(width).count()];
        let size = n.div_ceil(PARTS).next_multiple_of(BLOCK).max(BLOCK);
        let of_part = |part: usize| {
            let mut sums = nothing();
            for start in (part * size..n.min((part + 1) * size)).step_by(BLOCK) {
                let records = start..n.min(start + BLOCK);
                let size = records.len();
                let scores = self.scores(records);
                let of = |attribute: usize| &scores[attribute * size..(attribute + 1) * size];
                for (sum, (j, k)) in sums.iter_mut().zip(pairs(width)) {
                    *sum += chunk_dot(of(j), of(k));
                }
            }
            sums
        };
        let parts: Vec<Vec<f64>> = (0..n.div_ceil(size)).into_par_iter().map(of_part).collect();
        parts.iter().fold(nothing(), |mut sums, part| {
            sums.iter_mut().zip(part).for_each(|(sum, of)| *sum += of);
            sums
        })
    }
}

impl Beyond {
    /// Judges beyond the mean; by the probabilities that an attack states if it states any, or else by its least distances or costs.
    pub(super) fn new(
        seekers: &[SeekerCount],
        sought: u64,
        has_least: bool,
        has_stated: bool,
    ) -> Self {
        let among = |stands_out: fn(&Seeker) -> bool| {
            let marked = seekers.iter().filter(|group| stands_out(&group.seeker));
            Part::new(marked, sought)
        };
        let sure_by = match (has_stated, has_least) {
            (true, _) => Some(SureBy::Probability),
            (false, true) => Some(SureBy::Distance),
            (false, false) => None,
        };
        let surest = sure_by.map(|sure_by| surest(seekers, sure_by));
        Self {
            extremes: among(|seeker| seeker.extreme),
            far: among(|seeker| seeker.far),
            surest: surest.and_then(|surest| Part::new(surest.into_iter(), sought)),
            sure_by,
        }
    }
}

/// The seekers of the surest 1 % of links, at least one, and all who are as sure as the last of them.
fn surest(seekers: &[SeekerCount], sure_by: SureBy) -> Vec<&SeekerCount> {
    type Key = (u32, f64, u32);
    let order = |a: &Key, b: &Key| {
        (a.0.cmp(&b.0))
            .then(a.1.total_cmp(&b.1))
            .then(a.2.cmp(&b.2))
    };
    let key = |seeker: &Seeker| match sure_by {
        SureBy::Probability => (0, -seeker.stated.unwrap_or(0.0), 0),
        SureBy::Distance => {
            let least = seeker.least.unwrap_or(f64::INFINITY);
            (seeker.contest.candidates, least, seeker.at_least)
        }
    };
    let linked = seekers
        .iter()
        .filter(|group| group.seeker.contest.candidates > 0 && group.records > 0);
    let mut keyed: Vec<(Key, &SeekerCount)> =
        linked.map(|group| (key(&group.seeker), group)).collect();
    let records = |&(_, group): &(Key, &SeekerCount)| group.records;
    let most = (keyed.iter().map(records).sum::<u64>() / ONE_IN as u64).max(1);
    // Each counts at least one record: so many groups are enough.
    let enough = usize::try_from(most).map_or(keyed.len(), |most| most.min(keyed.len()));
    if enough < keyed.len() {
        keyed.select_nth_unstable_by(enough, |a, b| order(&a.0, &b.0));
    }
    let first = &mut keyed[..enough];
    first.sort_unstable_by(|a, b| order(&a.0, &b.0));
    let mut up_to = 0;
    let last = first.iter().find(|keyed| {
        up_to += records(keyed);
        up_to >= most
    });
    let Some(&(last, _)) = last else {
        return Vec::new();
    };
    let surest = keyed.iter().filter(|(key, _)| order(key, &last).is_le());
    surest.map(|&(_, group)| group).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::seekers::tests::{self as seekers, each},
        *,
    };
    use crate::table::ReadOptions;

    fn table(text: &str) -> Table {
        Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    fn marked(marks: &[bool]) -> Vec<usize> {
        (0..marks.len()).filter(|&record| marks[record]).collect()
    }

    /// By hand: of 10 values 1 % is one. The greatest of a is record 3, the least record 0; b has three zeros, which are no bottom, and a
    /// single greatest; the name stands nowhere.
    #[test]
    fn extremes_by_hand() {
        let text =
            "a,b,c\n1,0,x\n5,0,y\n6,0,z\n99,1,x\n7,2,x\n8,3,x\n9,4,x\n10,5,x\n,6,x\n12,70,x\n";
        let table = table(text);
        let all: Vec<AttrId> = table.ids().collect();
        let out = StandingOut::of(&table, &all);
        assert_eq!(marked(&out.extreme), [0, 3, 9]);
        assert_eq!(out.far.iter().filter(|&&far| far).count(), 1);
        let b_only = StandingOut::of(&table, &all[1..2]);
        assert_eq!(
            marked(&b_only.far),
            [9],
            "70 is farthest from the mean of b"
        );
        let names = StandingOut::of(&table, &all[2..]);
        assert_eq!(
            (marked(&names.extreme), marked(&names.far)),
            (vec![], vec![])
        );
    }

    /// Two attributes of correlation near 1: who breaks the relation is far, though no value is extreme.
    #[test]
    fn who_breaks_a_relation_is_far() {
        let mut text = String::from("a,b,s\n");
        for i in 0..100 {
            let b = if i == 40 { 60 } else { i };
            text += &format!("{i},{},{}\n", b * 3 + i % 2, i + b * 3 + i % 2);
        }
        let table = table(&text);
        let all: Vec<AttrId> = table.ids().collect();
        let out = StandingOut::of(&table, &all);
        assert_eq!(
            marked(&out.far),
            [40],
            "the third depends on the others, and changes nothing"
        );
        assert_eq!(marked(&StandingOut::of(&table, &all[..2]).far), [40]);
        assert!(!out.extreme[40]);
    }

    /// Against plain loops: extreme is who has at most floor(n / 100), or 1, values as great or greater.
    #[test]
    fn extremes_are_those_of_plain_loops() {
        let mut state = 7_u64;
        let mut roll = |sides: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % sides
        };
        for n in [1, 2, 3, 50, 99, 100, 199, 200, 731] {
            let cells: Vec<(u64, u64)> = (0..n).map(|_| (roll(20), roll(100_000))).collect();
            let mut text = String::from("a,b\n");
            for (a, b) in &cells {
                text += &format!("{a},{b}\n");
            }
            let table = table(&text);
            let all: Vec<AttrId> = table.ids().collect();
            let out = StandingOut::of(&table, &all);
            let most = (n / 100).max(1);
            for (record, (a, b)) in cells.iter().enumerate() {
                let few = |test: &dyn Fn(&(u64, u64)) -> bool| {
                    cells.iter().filter(|of| test(of)).count() <= most
                };
                let expected = n > 1
                    && (few(&|of| of.0 >= *a)
                        || few(&|of| of.0 <= *a)
                        || few(&|of| of.1 >= *b)
                        || few(&|of| of.1 <= *b));
                assert_eq!(out.extreme[record], expected, "{n}: {record}");
            }
        }
    }

    fn seeker(candidates: u32, is_won: bool, tied: u32) -> Seeker {
        seekers::seeker(candidates, true, !is_won, if is_won { tied } else { 0 })
    }

    /// Of 200 links two are the surest 1 %; a third states as much as the second. Two are right, one of these in a tie of two.
    #[test]
    fn the_surest_by_hand() {
        let mut seekers = vec![seeker(9, false, 0); 200];
        (seekers[5], seekers[6]) = (seeker(9, true, 1), seeker(9, true, 2));
        for (place, seeker) in seekers.iter_mut().enumerate() {
            seeker.far = place < 7;
            seeker.stated = Some(match place {
                5 => 0.9,
                6 | 7 => 0.8,
                _ => 0.1,
            });
        }
        let beyond = Beyond::new(&each(&seekers), 9, false, true);
        assert_eq!(beyond.sure_by, Some(SureBy::Probability));
        assert_eq!(beyond.extremes, None);
        let far = beyond.far.unwrap();
        assert_eq!(
            (far.records, far.fair, far.strict, far.optimistic),
            (7, 1.5, 1, 2)
        );
        let surest = beyond.surest.unwrap();
        assert_eq!(
            (surest.records, surest.fair, surest.baseline),
            (3, 1.5, 1.0 / 9.0)
        );
        assert_eq!(surest.rate(Ties::Strict), 1.0 / 3.0);
        // By distance: the fewest candidates first, then the nearest; who has none is sure of nothing.
        seekers[10] = seeker(1, true, 1);
        seekers[11] = seeker(0, false, 0);
        for (place, seeker) in seekers.iter_mut().enumerate() {
            (seeker.far, seeker.at_least) = (false, 1);
            seeker.least = Some(match place {
                10 => 7.0,
                11 => 0.0,
                12 => 1.0,
                _ => 5.0,
            });
        }
        let beyond = Beyond::new(&each(&seekers), 9, true, false);
        assert_eq!(beyond.sure_by, Some(SureBy::Distance));
        // 199 links: one is 1 %.
        assert_eq!(beyond.surest.unwrap().records, 1);
        assert_eq!(beyond.surest.unwrap().fair, 1.0);
    }

    /// At equal distances, who ties with fewer is surer.
    #[test]
    fn ties_make_less_sure() {
        let tied = |tied| Seeker {
            least: Some(0.0),
            at_least: tied,
            ..seeker(9, true, tied)
        };
        let seekers = each(&[tied(3), tied(1), tied(2)]);
        assert_eq!(surest(&seekers, SureBy::Distance), [&seekers[1]]);
    }
}
