//! Laws that hold within strata: an intruder who reads "swapped within region" looks for a person among the records of their region, by the
//! law that was applied there.
//!
//! A [`Scenario`] is cut into the strata that the release shows, the attack by the law is prepared in each, and what it prefers there is put
//! together: a seeker's candidates are the records of the same stratum.

use std::collections::BTreeMap;

use super::{
    Attack, Direction, Lists, Nearest, Preference, Release, Scenario, by_law::Limited,
    likelihood::Likelihood, posterior,
};
use crate::{
    error::Result,
    statement::{Law, called},
    table::Matrix,
};

/// A stratum as the release shows it.
#[derive(Debug, Clone, Copy)]
pub struct Stratum<'a> {
    /// The values of the attributes that make it, as a statement writes them.
    pub values: &'a [Option<String>],
    /// Its records in the file that was masked.
    pub records: usize,
}

/// A scenario cut into strata.
///
/// # Missing
/// Who misses an attribute of the strata may be of any stratum. Such a record of the intruder has all released records as candidates, and such a released one is a
/// candidate of everybody: of what was masked nothing is known between the two, of what was not masked that it is equal, where the attack is
/// one of likelihoods. It may have been masked as one of the stratum of missing values, or may have lost its value afterwards: which of the two cannot be known.
///
/// # Sizes
/// The records of a stratum are those that the release shows in it, if all that were masked were released and none of them misses an
/// attribute of the strata. Otherwise they are estimated by the share of the file that was released, and are more than either side has in the stratum, so that nothing is
/// concluded from somebody's absence. Windows are stated, and no estimate changes them.
#[derive(Debug)]
pub struct Strata {
    parts: Vec<Part>,
    /// Pairs of which one side may be of any stratum.
    loose: Option<Loose>,
    n_seekers: usize,
    n_sought: usize,
}

/// What is seen of one stratum.
#[derive(Debug)]
struct Part {
    values: Vec<Option<String>>,
    records: usize,
    seen: Limited,
    /// The seekers, ascending.
    seekers: Vec<u32>,
    /// The records among which they look, ascending.
    sought: Vec<u32>,
    /// For each of these, whether it is shown to be of this stratum.
    shown: Vec<bool>,
    /// ln of the released records for each that is shown to be of this stratum.
    log_share: f64,
}

/// Seekers who may be of any stratum, and what can be compared of them: what was not masked.
#[derive(Debug)]
struct Loose {
    seekers: Vec<u32>,
    seen: Option<Limited>,
}

impl Strata {
    /// Cuts a scenario, of which the law sees `seen`: its strata are those of attributes that are known.
    pub(super) fn new(scenario: &Scenario<'_>, seen: &Limited, law: &Law) -> Self {
        let (intruder, released) = (scenario.intruder, scenario.released);
        let place = |name: &String| scenario.known.iter().position(|known| known == name);
        let columns: Vec<usize> = law.step.strata.iter().filter_map(place).collect();
        let is_original = scenario.direction == Direction::OriginalToMasked;
        let mut cut: BTreeMap<Vec<String>, [Vec<u32>; 2]> = BTreeMap::new();
        let mut unknown = [Vec::new(), Vec::new()];
        for (side, matrix) in [intruder, released].into_iter().enumerate() {
            for record in 0..matrix.n_records() {
                let number = u32::try_from(record).unwrap_or(u32::MAX);
                match stratum_of(matrix, record, &columns, scenario.categories) {
                    Some(values) => cut.entry(values).or_default()[side].push(number),
                    None => unknown[side].push(number),
                }
            }
        }
        let everything = released.n_records();
        let is_part = law.step.records > everything;
        let in_place = scenario.gaps_in_place(true);
        let (seeking, seeked) = if is_original { (0, 1) } else { (1, 0) };
        let mut parts = Vec::new();
        let mut loose: Vec<u32> = unknown[seeking].clone();
        for (values, sides) in cut {
            if sides[seeking].is_empty() {
                continue;
            }
            if sides[seeked].is_empty() {
                if !unknown[seeked].is_empty() {
                    loose.extend_from_slice(&sides[seeking]);
                }
                continue;
            }
            let mut sought: Vec<(u32, bool)> = (sides[seeked].iter().map(|&record| (record, true)))
                .chain(unknown[seeked].iter().map(|&record| (record, false)))
                .collect();
            sought.sort_unstable();
            let (sought, shown): (Vec<u32>, Vec<bool>) = sought.into_iter().unzip();
            let seekers = sides[seeking].clone();
            let is_blurred = unknown.iter().any(|records| !records.is_empty());
            let n = sides[1].len();
            let records = if is_part || is_blurred {
                let more = law.step.records as f64 / everything.max(1) as f64;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "records of a file"
                )]
                let about = (n as f64 * more.max(1.0)).round() as usize;
                about.max(seekers.len() + 1).max(sought.len() + 1)
            } else {
                n
            };
            let [of_intruder, of_released] = if is_original {
                [&seekers, &sought]
            } else {
                [&sought, &seekers]
            };
            let hidden = |records: &[u32]| -> Vec<u32> {
                let pairs = records.iter().zip(&shown).zip(0..);
                let unseen = pairs.filter(|((_, shown), _)| !**shown);
                unseen.map(|(_, place)| place).collect()
            };
            let own = Cut {
                law,
                columns: &columns,
                whole: scenario,
                in_place: &in_place,
                is_blurred,
            };
            let none = Vec::new();
            let blank = hidden(&sought);
            let blanks = if is_original {
                [&none, &blank]
            } else {
                [&blank, &none]
            };
            parts.push(Part {
                values: values.into_iter().map(Some).collect(),
                records,
                seen: own.of(seen, [of_intruder, of_released], blanks),
                log_share: (everything as f64 / n.max(1) as f64).ln(),
                seekers,
                sought,
                shown,
            });
        }
        loose.sort_unstable();
        let n_sought = scenario.sought().n_records();
        let loose = (!loose.is_empty()).then(|| Loose {
            seen: seen.without(&law.step.attributes).map(|unmasked| {
                let all: Vec<u32> = (0..).take(n_sought).collect();
                let [of_intruder, of_released] = if is_original {
                    [&loose, &all]
                } else {
                    [&all, &loose]
                };
                let mut unmasked = unmasked.of_records(of_intruder, of_released);
                unmasked.blur();
                unmasked
            }),
            seekers: loose,
        });
        Self {
            parts,
            loose,
            n_seekers: scenario.seekers().n_records(),
            n_sought,
        }
    }

    /// What an attack by the law comes to.
    ///
    /// # Errors
    /// What it objects to in a stratum.
    pub(super) fn preference<'a>(
        &'a self,
        attack: &dyn Attack,
        law: &Law,
        whole: &Scenario<'a>,
    ) -> Result<Preference<'a>> {
        let mut within = Vec::with_capacity(self.parts.len() + 1);
        for part in &self.parts {
            let stratum = Stratum {
                values: &part.values,
                records: part.records,
            };
            let scenario = part.seen.scenario(whole);
            let preference = match attack.in_stratum(stratum) {
                Some(own) => own.prepare(&scenario)?,
                None => attack.prepare(&scenario)?,
            };
            within.push(Within {
                preference,
                seekers: &part.seekers,
                sought: Some((&part.sought, &part.shown)),
                log_share: part.log_share,
            });
        }
        let is_likely = |within: &Within<'_>| {
            let lists = within.preference.as_lists();
            lists.is_some_and(|lists| lists.is_likelihood())
        };
        let likely = within.iter().all(is_likely);
        if let Some(loose) = &self.loose {
            let preference = match loose.seen.as_ref().filter(|_| likely) {
                Some(seen) => {
                    Likelihood::of_equality(law.step.records).prepare(&seen.scenario(whole))?
                }
                None => Preference::Lists(Box::new(Everybody {
                    n_seekers: loose.seekers.len(),
                    n_sought: self.n_sought,
                })),
            };
            within.push(Within {
                preference,
                seekers: &loose.seekers,
                sought: None,
                log_share: 0.0,
            });
        }
        // Attributes that make the strata and that the law speaks of are equal, which is evidence.
        let is_evidence = likely && law.step.strata.iter().all(|name| law.speaks_of(name));
        let joined = Joined::new(within, is_evidence, [self.n_seekers, self.n_sought]);
        Ok(if joined.are_lists() {
            Preference::Lists(Box::new(joined))
        } else {
            Preference::Strata(Box::new(joined))
        })
    }
}

/// The stratum of a record; `None` where it misses an attribute that makes it.
fn stratum_of(
    matrix: &Matrix,
    record: usize,
    columns: &[usize],
    categories: &[Option<Vec<String>>],
) -> Option<Vec<String>> {
    let value = |&column: &usize| {
        let names = categories.get(column).and_then(Option::as_deref);
        Some(called(matrix.value(record, column)?, names).into_owned())
    };
    columns.iter().map(value).collect()
}

/// How a scenario is cut.
struct Cut<'a> {
    law: &'a Law,
    /// The known attributes that make the strata.
    columns: &'a [usize],
    whole: &'a Scenario<'a>,
    /// For each known attribute, whether gaps are in place in the whole file.
    in_place: &'a [bool],
    /// Whether somebody may be of any stratum.
    is_blurred: bool,
}

impl Cut<'_> {
    /// What is seen of these records of either side, of which some are blank: what was masked is not shown of them.
    fn of(&self, seen: &Limited, records: [&Vec<u32>; 2], blanks: [&Vec<u32>; 2]) -> Limited {
        let strata: Vec<String> = (self.columns.iter())
            .map(|&column| self.whole.known[column].clone())
            .collect();
        // All of a stratum have the same values of these.
        let mut own = match seen.without(&strata) {
            Some(own) => own.of_records(records[0], records[1]),
            None => seen.of_records(records[0], records[1]),
        };
        own.blank(&self.law.step.attributes, blanks);
        if self.is_blurred {
            own.blur();
        } else {
            let known = self.whole.known.iter();
            let place = |name: &String| known.clone().position(|known| known == name);
            own.blur_gaps(|name| place(name).is_some_and(|place| self.in_place[place]));
        }
        own
    }
}

/// The preference of a stratum.
#[derive(Debug)]
pub struct Within<'a> {
    /// Of its seekers among its sought records, in their order.
    pub preference: Preference<'a>,
    /// The seekers, ascending.
    pub seekers: &'a [u32],
    /// The sought records, ascending, and whether each is shown to be of this stratum; all records of the release, in their order, if `None`.
    sought: Option<(&'a [u32], &'a [bool])>,
    log_share: f64,
}

impl Within<'_> {
    /// The place of a sought record in the file, by its place here.
    pub fn sought(&self, place: u32) -> u32 {
        match self.sought {
            Some((sought, _)) => sought[place as usize],
            None => place,
        }
    }

    /// The place here of a sought record, if it is one of this stratum.
    pub fn place_of(&self, sought: u32) -> Option<u32> {
        match self.sought {
            Some((all, _)) => {
                let place = all.binary_search(&sought).ok()?;
                u32::try_from(place).ok()
            }
            None => Some(sought),
        }
    }

    fn are_shown(&self) -> bool {
        self.sought
            .is_none_or(|(_, shown)| shown.iter().all(|&shown| shown))
    }

    fn is_shown(&self, place: u32) -> bool {
        self.sought.is_some_and(|(_, shown)| shown[place as usize])
    }
}

/// What attacks within strata come to together.
#[derive(Debug)]
pub struct Joined<'a> {
    within: Vec<Within<'a>>,
    /// For each seeker its stratum and its place there; none where the release shows nobody of it.
    place_of: Vec<Option<(u32, u32)>>,
    n_sought: usize,
    /// Whether being of one stratum counts as evidence: the scale of costs is then that of the whole file, in which unrelated records of the
    /// file, and not of a stratum, have a likelihood of 1.
    is_evidence: bool,
}

impl<'a> Joined<'a> {
    fn new(within: Vec<Within<'a>>, is_evidence: bool, [n_seekers, n_sought]: [usize; 2]) -> Self {
        let mut place_of = vec![None; n_seekers];
        for (stratum, within) in (0_u32..).zip(&within) {
            for (&seeker, place) in within.seekers.iter().zip(0_u32..) {
                place_of[seeker as usize] = Some((stratum, place));
            }
        }
        Self {
            within,
            place_of,
            n_sought,
            is_evidence,
        }
    }

    /// The strata.
    pub fn within(&self) -> &[Within<'a>] {
        &self.within
    }

    /// Number of records that look.
    pub fn n_seekers(&self) -> usize {
        self.place_of.len()
    }

    /// Number of records among which they look.
    pub fn n_sought(&self) -> usize {
        self.n_sought
    }

    /// Whether all strata have lists whose costs are what people are shown.
    fn are_lists(&self) -> bool {
        let mut lists = self
            .within
            .iter()
            .map(|within| within.preference.as_lists());
        lists.all(|lists| lists.is_some_and(|lists| !lists.has_distances()))
    }

    fn lists(&self) -> impl Iterator<Item = &dyn Lists> {
        let preferences = self.within.iter().map(|within| &within.preference);
        preferences.filter_map(Preference::as_lists)
    }

    fn of(&self, seeker: usize) -> Option<(&Within<'a>, usize)> {
        let (stratum, place) = self.place_of[seeker]?;
        Some((&self.within[stratum as usize], place as usize))
    }

    /// Gives the candidates of a list their places in the file, and their costs its scale.
    fn translate(&self, within: &Within<'_>, list: &mut [(u32, f64)]) {
        for (record, cost) in list {
            if self.is_evidence && within.is_shown(*record) {
                *cost -= within.log_share;
            }
            *record = within.sought(*record);
        }
    }

    /// The candidates of a seeker with their costs, to be minimised in sum: of points, squared distances.
    pub fn costs(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let Some((within, place)) = self.of(seeker) else {
            return;
        };
        match &within.preference {
            Preference::Nearest(nearest) => list.extend(all_costs(nearest, place)),
            other => {
                if let Some(lists) = other.as_lists() {
                    lists.list(place, list);
                }
            }
        }
        self.translate(within, list);
    }
}

fn all_costs<'n>(nearest: &'n Nearest<'_>, seeker: usize) -> impl Iterator<Item = (u32, f64)> + 'n {
    let points = (0_u32..).zip(0..nearest.sought.n_records());
    points.filter_map(move |(point, place)| Some((point, nearest.cost(seeker, place)?)))
}

impl Lists for Joined<'_> {
    fn n_seekers(&self) -> usize {
        self.place_of.len()
    }

    fn n_sought(&self) -> usize {
        self.n_sought
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.costs(seeker, list);
    }

    fn unordered(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        if let Some((within, place)) = self.of(seeker)
            && let Some(lists) = within.preference.as_lists()
        {
            lists.unordered(place, list);
            self.translate(within, list);
        }
    }

    fn has_cheapest_only(&self) -> bool {
        // Of records that may be of any stratum costs change their order.
        self.within.iter().all(Within::are_shown)
            && self.lists().any(|lists| lists.has_cheapest_only())
    }

    fn cheapest(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        if let Some((within, place)) = self.of(seeker)
            && let Some(lists) = within.preference.as_lists()
        {
            lists.cheapest(place, list);
            self.translate(within, list);
        }
    }

    fn is_likelihood(&self) -> bool {
        self.lists().all(|lists| lists.is_likelihood())
    }

    fn stated(&self, seeker: usize, list: &[(u32, f64)]) -> f64 {
        // Where strata are shown, a list is that of one stratum, whose law states what it does.
        let own = self
            .of(seeker)
            .filter(|_| self.within.iter().all(Within::are_shown));
        match own.and_then(|(within, place)| Some((within.preference.as_lists()?, place))) {
            Some((lists, place)) => lists.stated(place, list),
            None => posterior::of_best(list, posterior::one, self.no_partner(seeker)),
        }
    }

    fn excludes_others(&self) -> bool {
        self.lists().all(|lists| lists.excludes_others())
    }

    fn caveats(&self) -> Vec<String> {
        let mut caveats: Vec<String> = self.lists().flat_map(|lists| lists.caveats()).collect();
        caveats.sort_unstable();
        caveats.dedup();
        caveats
    }
}

/// Lists in which everybody is a candidate of everybody, and none is preferred.
#[derive(Debug)]
struct Everybody {
    n_seekers: usize,
    n_sought: usize,
}

impl Lists for Everybody {
    fn n_seekers(&self) -> usize {
        self.n_seekers
    }

    fn n_sought(&self) -> usize {
        self.n_sought
    }

    fn list(&self, _seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        list.extend((0..).take(self.n_sought).map(|record| (record, 0.0)));
    }

    fn is_likelihood(&self) -> bool {
        true
    }
}

/// These records of a release.
pub(super) fn released(release: &Release, records: &[u32]) -> Release {
    Release {
        names: release.names.clone(),
        categories: release.categories.clone(),
        values: release.values.reordered(records),
    }
}
