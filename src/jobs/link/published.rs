//! What was published about the masking, together with the files that it is about.

use std::collections::BTreeMap;

use super::request::{Groups, OfAttribute, Published, RankSwapping};
use crate::{
    attack::{
        distance_based::Standardize,
        intersection::{
            microaggregation::{self, MicroaggregationIntersection},
            rank_swap::Bound,
        },
        likelihood::Likelihood,
    },
    error::{Error, Reason, Result},
    jobs::{Observer, groups},
    mask::rank_swap::Reach,
    statement::{DistanceScale, Grouping, Statement},
    table::{Attribute, Scale, Table},
};

/// What was published, and the files that it is about.
pub(super) struct Facts<'a> {
    /// What was published without a statement.
    pub(super) published: &'a Published,
    /// The statement of the masking, if there is one.
    pub(super) statement: Option<&'a Statement>,
    /// Records of the file that was masked.
    pub(super) records: usize,
    /// The original's attributes.
    pub(super) attributes: &'a [Attribute],
    /// The masked file.
    pub(super) masked: &'a Table,
    /// By what files are standardised.
    pub(super) standardize: Standardize,
    /// Who hears of parameters without use.
    pub(super) observer: &'a dyn Observer,
}

impl Facts<'_> {
    /// The windows of rank swapping.
    ///
    /// # Errors
    /// Usage, when nothing is known of them, or something that cannot be.
    pub(super) fn windows(&self) -> Result<Bound> {
        if let Some(statement) = self.statement {
            return Bound::of_statement(statement);
        }
        match &self.published.rank_swapping {
            Some(RankSwapping::Percent(entries)) => self.bound("--p", entries, |&p, alone| {
                if !alone && p == 0.0 {
                    return Ok(0);
                }
                self.window_of_percent(p)
            }),
            Some(RankSwapping::Window(entries)) => {
                self.bound("--window", entries, |&window, _| Ok(window))
            }
            None => Err(
                Error::usage("rsld needs to know what was published about rank swapping")
                    .because(Reason::NothingPublished)
                    .remedy("Give --p, --window, or --statement FILE"),
            ),
        }
    }

    /// The law of the masking, by the statement or by the windows of rank swapping, for this method.
    ///
    /// # Errors
    /// Usage, when nothing is known of it, or something that cannot be.
    pub(super) fn law(&self, method: &str) -> Result<Likelihood> {
        if let Some(statement) = self.statement {
            return Likelihood::new(statement.clone());
        }
        if self.published.rank_swapping.is_none() {
            return Err(Error::usage(format!(
                "{method} needs to know what was published about the masking",
            ))
            .because(Reason::NothingPublished)
            .remedy("Give --statement FILE, or --p or --window of rank swapping"));
        }
        let bound = self.windows()?;
        let swapped = self
            .attributes
            .iter()
            .filter(|attribute| attribute.scale != Scale::Nominal)
            .map(|attribute| (attribute.name.clone(), bound.window_of(&attribute.name)));
        Ok(Likelihood::of_windows(swapped.collect(), self.records))
    }

    /// The attack by groups.
    ///
    /// # Errors
    /// Usage, when nothing is known of the groups of attributes, or something that cannot be.
    pub(super) fn microaggregation(
        &self,
        nearest_clusters: Option<usize>,
    ) -> Result<MicroaggregationIntersection> {
        let groups = match (self.statement, &self.published.groups) {
            (Some(statement), _) => microaggregation::Groups::of_statement(statement)?,
            (None, Some(groups)) => self.groups(groups)?,
            (None, None) => {
                return Err(Error::usage(
                    "microagg needs to know which attributes were aggregated together",
                )
                .because(Reason::NothingPublished)
                .remedy(
                    "Give --statement FILE, or --group 'a,b' for each block, with --algorithm",
                ));
            }
        };
        let by_nearest = !groups.one_by_one()
            && !matches!(
                groups.algorithm,
                Grouping::Pca { .. } | Grouping::Zscores { .. }
            );
        if nearest_clusters.is_some() && !by_nearest {
            self.observer.unused(
                "--nearest-clusters has no effect: the groups of this algorithm follow each other, and two are possible",
            )?;
        }
        Ok(MicroaggregationIntersection {
            groups,
            nearest_clusters: nearest_clusters.filter(|_| by_nearest).unwrap_or(2),
            standardize: self.standardize,
        })
    }

    fn groups(&self, published: &Groups) -> Result<microaggregation::Groups> {
        let named = groups::parse_all(self.masked, &published.groups)?;
        let mut blocks: Vec<Vec<String>> = named
            .iter()
            .map(|group| {
                let names = group.attributes.iter();
                names
                    .map(|&id| self.masked.attribute(id).name.clone())
                    .collect()
            })
            .collect();
        if matches!(
            published.algorithm,
            Grouping::Univariate | Grouping::IndividualRanking
        ) {
            blocks = blocks
                .into_iter()
                .flatten()
                .map(|name| vec![name])
                .collect();
        }
        Ok(microaggregation::Groups {
            stated: false,
            algorithm: published.algorithm,
            blocks,
            scale: DistanceScale::Z,
            // Taking rounded averages for unrounded ones would lose people; the other way round nothing is lost, for unrounded
            // averages are hardly ever all whole.
            rounded: true,
        })
    }

    /// The windows that the entries of an option come to. `window_of` is given whether one number is for all attributes.
    fn bound<T>(
        &self,
        option: &str,
        entries: &[OfAttribute<T>],
        window_of: impl Fn(&T, bool) -> Result<usize>,
    ) -> Result<Bound> {
        let mut windows = BTreeMap::new();
        let mut others = None;
        let alone = entries.iter().all(|entry| entry.name.is_none());
        for OfAttribute { name, number } in entries {
            let twice = match name {
                None => others.replace(window_of(number, alone)?).is_some(),
                Some(name) => {
                    self.check_has_ranks(option, name)?;
                    windows
                        .insert(name.clone(), window_of(number, false)?)
                        .is_some()
                }
            };
            if twice {
                return Err(Error::usage(format!(
                    "{option} says two things of the same attributes"
                ))
                .remedy("Give each attribute once, and one bare number for all others"));
            }
        }
        match (windows.is_empty(), others) {
            (true, Some(window)) => Ok(self.everywhere(window)),
            (_, Some(others)) => Ok(Bound::Each { windows, others }),
            (_, None) => Err(Error::usage(format!(
                "{option} says nothing of the attributes that it does not name"
            ))
            .remedy(format!(
                "Add a bare number for them, which is 0 if they were not masked: {option} NAME=5,0"
            ))),
        }
    }

    /// Refuses an attribute that cannot have been swapped by rank.
    fn check_has_ranks(&self, option: &str, name: &str) -> Result<()> {
        let Some(attribute) = self.attributes.iter().find(|known| known.name == name) else {
            return Err(Error::option_names_unknown(option, name));
        };
        match attribute.scale {
            Scale::Nominal => Err(Error::usage(format!(
                "is nominal: it has no ranks that {option} could be about"
            ))
            .wrong_scale(name)
            .remedy("Leave it out: names are taken as not masked")),
            Scale::Continuous | Scale::Ordinal => Ok(()),
        }
    }

    /// The same window for all that can have been swapped. Names have no ranks and were not.
    fn everywhere(&self, window: usize) -> Bound {
        let numbers = self
            .attributes
            .iter()
            .filter(|attribute| attribute.scale != Scale::Nominal);
        Bound::Each {
            windows: numbers
                .map(|attribute| (attribute.name.clone(), window))
                .collect(),
            others: 0,
        }
    }

    fn window_of_percent(&self, p: f64) -> Result<usize> {
        let records = self.records;
        match Reach::percent(p)?.window(records) {
            0 => Err(Error::out_of_range(
                "p",
                100.0 / records as f64..=100.0,
                format!("p = {p} percent of {records} records is a window of 0 ranks: nothing was swapped"),
            )
            .remedy("Give the p that was published, or --window 1")),
            window => Ok(window.min(records - 1).max(1)),
        }
    }
}
