//! What the office published about the masking, as options of the command line or as a statement.

use std::collections::BTreeMap;

use clap::Args;

use super::microaggregation::MicroaggregationArgs;
use crate::{
    attack::{distance_based::Standardize, intersection::rank_swap::Bound, likelihood::Likelihood},
    cli::console::Console,
    error::{Error, Result},
    mask::rank_swap::Reach,
    statement::Statement,
    table::{Attribute, Scale, Table},
};

/// What was published.
#[derive(Debug, Clone, Args)]
pub(super) struct PublishedArgs {
    /// Published percentage of rank swapping (for rsld and involution an upper bound will do, likelihood takes it as exact); by attribute: AGI=2,FICA=5 (a bare number is for the rest)
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', conflicts_with_all = ["window", "statement"], help_heading = "What was published")]
    pub(super) p: Vec<String>,
    /// Published window of rank swapping in ranks (for rsld and involution an upper bound will do); by attribute as in --p
    #[arg(
        long,
        value_name = "RANKS",
        value_delimiter = ',',
        conflicts_with = "statement",
        help_heading = "What was published"
    )]
    pub(super) window: Vec<String>,
    /// The statement that 'mask --statement' wrote
    #[arg(long, value_name = "FILE", help_heading = "What was published")]
    pub(super) statement: Option<std::path::PathBuf>,
    /// Confirms that a p below 1 is meant in percent
    #[arg(long, value_name = "UNIT", value_parser = ["percent"], help_heading = "What was published")]
    pub(super) p_unit: Option<String>,
    #[command(flatten)]
    pub(super) microaggregation: MicroaggregationArgs,
}

/// What was published, checked against the files.
pub(super) struct Published<'a> {
    /// The options.
    pub(super) args: &'a PublishedArgs,
    /// The statement.
    pub(super) statement: Option<&'a Statement>,
    /// Records of the file that was masked.
    pub(super) records: usize,
    /// The original's attributes.
    pub(super) attributes: &'a [Attribute],
    /// The masked file.
    pub(super) masked: &'a Table,
    /// By what files are standardised.
    pub(super) standardize: Standardize,
    /// Who hears of options without use.
    pub(super) console: &'a Console,
}

impl PublishedArgs {
    /// The option by which something was said of rank swapping alone, if any was.
    pub(super) fn of_rank_swapping(&self) -> Option<&'static str> {
        [
            (!self.p.is_empty(), "--p"),
            (!self.window.is_empty(), "--window"),
        ]
        .into_iter()
        .find_map(|(given, option)| given.then_some(option))
    }
}

impl Published<'_> {
    /// The windows of rank swapping.
    ///
    /// # Errors
    /// Usage, when nothing was said of them, or something that cannot be.
    pub(super) fn windows(&self) -> Result<Bound> {
        if let Some(statement) = self.statement {
            return Bound::of_statement(statement);
        }
        if !self.args.p.is_empty() {
            return self.bound("--p", &self.args.p, |text, alone| {
                self.window_of_percent(text, alone)
            });
        }
        if !self.args.window.is_empty() {
            return self.bound("--window", &self.args.window, |text, alone| {
                let window = text.trim().parse::<usize>().map_err(|_| {
                    Error::usage(
                        "--window wants a number of ranks, or NAME=RANKS for single attributes",
                    )
                    .remedy("For example --window 20, or --window AGI=20,FICA=50")
                })?;
                match (window, alone) {
                    (0, true) => Err(Error::usage("--window 0 says that no value was moved")
                        .remedy("Give a window of at least 1 rank")),
                    (window, _) => Ok(window),
                }
            });
        }
        Err(
            Error::usage("rsld needs to know what was published about rank swapping")
                .remedy("Give --p, --window, or --statement FILE"),
        )
    }

    /// The law of the masking, by the statement or by the windows of rank swapping, for this method.
    ///
    /// # Errors
    /// Usage, when nothing was said of it, or something that cannot be.
    pub(super) fn law(&self, method: &str) -> Result<Likelihood> {
        if let Some(statement) = self.statement {
            return Likelihood::new(statement.clone());
        }
        if self.args.of_rank_swapping().is_none() {
            return Err(Error::usage(format!(
                "{method} needs to know what was published about the masking",
            ))
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

    /// The windows of entries `NUMBER` and `NAME=NUMBER`. `window_of` is told whether the number stands alone, for all.
    fn bound(
        &self,
        option: &str,
        entries: &[String],
        window_of: impl Fn(&str, bool) -> Result<usize>,
    ) -> Result<Bound> {
        let mut windows = BTreeMap::new();
        let mut others = None;
        let named = entries.iter().any(|entry| entry.contains('='));
        for entry in entries {
            let twice = match entry.rsplit_once('=') {
                None => others.replace(window_of(entry, !named)?).is_some(),
                Some((name, number)) => {
                    let name = name.trim();
                    self.check_has_ranks(option, name)?;
                    windows
                        .insert(name.to_string(), window_of(number, false)?)
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

    /// An attribute that can have been swapped by rank.
    fn check_has_ranks(&self, option: &str, name: &str) -> Result<()> {
        let Some(attribute) = self.attributes.iter().find(|known| known.name == name) else {
            return Err(Error::usage(format!(
                "{option} names an attribute {name:?} that the original file does not have"
            ))
            .remedy("'sdcrisk describe' lists the attributes"));
        };
        match attribute.scale {
            Scale::Nominal => Err(Error::usage(format!(
                "has no ranks for {option} to speak of: it is nominal"
            ))
            .on_attribute(name)
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

    fn window_of_percent(&self, text: &str, alone: bool) -> Result<usize> {
        let p: f64 = text.trim().parse().map_err(|_| {
            Error::usage("--p wants a percentage, or NAME=PERCENT for single attributes")
                .remedy("For example --p 5, or --p AGI=2,FICA=5,0")
        })?;
        if !alone && p == 0.0 {
            return Ok(0);
        }
        let reach = Reach::percent(p)?;
        if p < 1.0 && self.args.p_unit.is_none() {
            return Err(
                Error::usage(format!("--p {p} looks like a fraction; p is a percentage"))
                    .remedy("If it is meant in percent, add --p-unit percent"),
            );
        }
        let records = self.records;
        match reach.window(records) {
            0 => Err(Error::usage(format!(
                "p = {p} percent of {records} records is a window of 0 ranks: nothing was swapped"
            ))
            .remedy("Give the p that was published, or --window 1")),
            window => Ok(window.min(records - 1).max(1)),
        }
    }
}
