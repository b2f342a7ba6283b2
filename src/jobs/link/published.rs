//! What was published about the masking, together with the files that it is about.

use std::collections::BTreeMap;

use super::request::{Groups, OfAttribute, Published, RankSwapping};
use crate::{
    attack::{
        Attack,
        by_law::ByLaw,
        distance_based::Standardize,
        intersection::{
            microaggregation::{self, MicroaggregationIntersection},
            rank_swap::Bound,
        },
        involution::Involution,
        likelihood::Likelihood,
        steps::OfSteps,
    },
    error::{Error, Reason, Result},
    jobs::{Observer, groups},
    mask::rank_swap::Reach,
    statement::{DistanceScale, Grouping, Law, Laws, Method, RecodingRule, Statement},
    table::{Attribute, Scale, Table},
};

/// What was published, and the files that it is about.
pub(super) struct Facts<'a> {
    /// What was published without a statement.
    pub(super) published: &'a Published,
    /// The statement, if there is one.
    pub(super) statement: Option<&'a Statement>,
    /// What it comes to.
    pub(super) laws: Option<&'a Laws>,
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
    /// The attributes that another statement recodes in another way than the statement of the masked file, as which the original was recoded.
    pub(super) fn recoded_otherwise<'s>(&'s self, other: &'s Statement) -> Vec<&'s str> {
        let rules = |statement: &'s Statement, name: &str| -> Vec<&'s RecodingRule> {
            let steps = statement
                .steps
                .iter()
                .filter_map(|step| match &step.method {
                    Method::Recode(stated) => Some(&stated.rules),
                    _ => None,
                });
            steps
                .flatten()
                .filter(|rule| rule.attribute == name)
                .collect()
        };
        let own = |name: &str| self.statement.map_or_else(Vec::new, |own| rules(own, name));
        let differs = |name: &&str| own(name) != rules(other, name);
        let names = self
            .attributes
            .iter()
            .map(|attribute| attribute.name.as_str());
        names.filter(differs).collect()
    }

    /// The windows of rank swapping, and what is seen of the files by who goes by them.
    ///
    /// # Errors
    /// Usage, when nothing is known of them, or something that cannot be.
    pub(super) fn windows(&self) -> Result<(Bound, Option<Law>)> {
        let Some(laws) = self.laws else {
            return Ok((self.stated_windows()?, None));
        };
        match laws.windows() {
            Some(windows) => {
                let bound = if windows.law.step.strata.is_empty() {
                    Bound::Stated(windows.of_attribute.clone())
                } else {
                    Bound::InStrata(Box::new(windows.clone()))
                };
                Ok((bound, Some(windows.law.clone())))
            }
            None => Err(Error::usage(format!(
                "the statement is of {}; rsld is the attack on rankswap",
                self.methods(laws)
            ))
            .remedy("Leave rsld out of --method, or give --p or --window instead of --statement to try it all the same")),
        }
    }

    /// What was done, in the names of methods.
    fn methods(&self, laws: &Laws) -> String {
        laws.methods().unwrap_or_else(|| laws.done().to_owned())
    }

    /// The windows of rank swapping that were given without a statement.
    fn stated_windows(&self) -> Result<Bound> {
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

    /// The attack by the laws of all steps. A step of which no likelihood is known (IPSO) leaves its attributes out.
    ///
    /// # Errors
    /// Usage, when nothing is known of the masking, or something that cannot be, or no law of it.
    pub(super) fn likelihood(&self) -> Result<Box<dyn Attack>> {
        let Some(laws) = self.laws else {
            return Ok(Box::new(self.of_windows("likelihood")?));
        };
        if laws.laws().is_empty() {
            let equal = Likelihood::of_equality(laws.records()).leaving_out(laws.left_out());
            let law = Law {
                scope: laws.unmoved().clone(),
                ..Law::from(equal.step().clone())
            };
            return Ok(ByLaw::around(Box::new(equal), law));
        }
        let mut factors: Vec<Box<dyn Attack>> = Vec::new();
        let mut without = None;
        for law in laws.laws() {
            match Likelihood::new(law.step.clone()) {
                Ok(likelihood) => {
                    let likelihood = likelihood.leaving_out(laws.left_out());
                    // The first one says that attributes which no step moved are equal.
                    let of_step = |method: &Method| *method == law.step.method;
                    let law = match laws.find(of_step) {
                        Some(law) if factors.is_empty() => law,
                        _ => law.clone(),
                    };
                    factors.push(ByLaw::around(Box::new(likelihood), law));
                }
                Err(error) => without = Some(error),
            }
        }
        match (factors.len(), without) {
            (0, Some(error)) => Err(error),
            (1, _) => Ok(factors.remove(0)),
            _ => Ok(Box::new(OfSteps::likelihoods(factors))),
        }
    }

    /// The laws of post-randomisation.
    pub(super) fn post_randomised(&self) -> Vec<Law> {
        let laws = self.laws.map_or(&[][..], Laws::laws).iter();
        let is_pram = |law: &&Law| matches!(law.step.method, Method::Pram(_));
        laws.filter(is_pram).cloned().collect()
    }

    /// The attack on swaps, with what the laws of other steps say.
    ///
    /// # Errors
    /// Usage, when nothing is known of swaps, or something that cannot be.
    pub(super) fn involution(&self, eps: f64) -> Result<Box<dyn Attack>> {
        let Some(laws) = self.laws else {
            let swaps = self.of_windows("involution")?;
            return Ok(Box::new(Involution::new(swaps, eps)?));
        };
        let swaps = |method: &Method| {
            matches!(
                method,
                Method::RankSwap(_) | Method::PBuckets(_) | Method::PDistribution(_)
            )
        };
        let Some((swapping, others)) = laws.led_by(swaps) else {
            return Err(self.no_swaps(laws));
        };
        let likelihood = |law: &Law| -> Result<Likelihood> {
            Ok(Likelihood::new(law.step.clone())?.leaving_out(laws.left_out()))
        };
        let involution = Involution::new(likelihood(&swapping)?, eps)?;
        let involution = ByLaw::around(Box::new(involution), swapping);
        // Of a step without a law of likelihoods, the report says that no law speaks of its attributes.
        let others = others.into_iter().filter_map(|law| {
            let likelihood = likelihood(&law).ok()?;
            Some(ByLaw::around(Box::new(likelihood), law))
        });
        let others: Vec<Box<dyn Attack>> = others.collect();
        Ok(if others.is_empty() {
            involution
        } else {
            Box::new(OfSteps::swaps(involution, others))
        })
    }

    /// The error of undoing swaps that there are none of, or that were not made once.
    fn no_swaps(&self, laws: &Laws) -> Error {
        if laws
            .find(|method| matches!(method, Method::Swaps(_)))
            .is_some()
        {
            return Error::usage(
                "values were swapped by several steps; involution is the attack on values that were exchanged once",
            )
            .remedy("Leave involution out of --method: likelihood has the law of all steps");
        }
        Error::usage(format!(
            "the statement is of {}, which swaps nothing; involution is the attack on swaps",
            self.methods(laws)
        ))
        .remedy("Leave involution out of --method")
    }

    /// The law of rank swapping by the windows that were given.
    fn of_windows(&self, method: &str) -> Result<Likelihood> {
        if self.published.rank_swapping.is_none() {
            return Err(Error::usage(format!(
                "{method} needs to know what was published about the masking",
            ))
            .because(Reason::NothingPublished)
            .remedy("Give --statement FILE, or --p or --window of rank swapping"));
        }
        let bound = self.stated_windows()?;
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
    ) -> Result<(MicroaggregationIntersection, Option<Law>)> {
        let aggregates = |method: &Method| matches!(method, Method::Microaggregation(_));
        let law = self.laws.and_then(|laws| laws.find(aggregates));
        let groups = match (self.laws, &self.published.groups) {
            (Some(laws), _) => match &law {
                Some(law) => microaggregation::Groups::of_step(&law.step)?,
                None => {
                    return Err(Error::usage(format!(
                        "the statement is of {}; microagg is the attack on microaggregation",
                        self.methods(laws)
                    ))
                    .remedy("Leave microagg out of --method"));
                }
            },
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
        let attack = MicroaggregationIntersection {
            groups,
            nearest_clusters: nearest_clusters.filter(|_| by_nearest).unwrap_or(2),
            standardize: self.standardize,
        };
        Ok((attack, law))
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
