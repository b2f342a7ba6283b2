//! The arguments of `sdcrisk link`, and what they mean.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::{
    attack::{
        Attack, Direction,
        distance_based::{DistanceBased, Standardize},
        intersection::rank_swap::{Bound, RankSwapIntersection},
    },
    cli::args::ReadArgs,
    error::{Error, Result},
    evaluate::{knowledge::Knowledge, link::Assign, score::Ties},
    mask::rank_swap::Reach,
    rng::Seed,
    statement::Statement,
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk link --method am,rsld --p 5 orig.csv masked.csv
  sdcrisk mask rankswap --p 5 f.csv | sdcrisk link --method am,rsld --p 5 f.csv -
  sdcrisk link --method rsld --statement masked.sdc.json --known sweep:7 orig.csv masked.csv
  sdcrisk link --method am --id person --known age,income --known-records 400 orig.csv masked.csv
  sdcrisk link --method am --known first:3 --format json --fail-above 5% orig.csv masked.csv

Methods: am (= dbrl, dbrl1) links each record with the nearest one, attributes standardised.
rsld uses what was published about rank swapping: only masked records within the window of ranks are possible.")]
pub struct LinkArgs {
    /// The original file: what the intruder could know
    #[arg(value_name = "ORIGINAL.csv")]
    pub(super) original: PathBuf,
    /// The masked file; - is standard input
    #[arg(value_name = "MASKED.csv")]
    pub(super) masked: PathBuf,
    /// Attacks, comma-separated: am (dbrl, dbrl1), rsld; or all that apply
    #[arg(long, value_name = "LIST", required = true, value_delimiter = ',')]
    pub(super) method: Vec<MethodName>,
    /// What the intruder knows: a,b,c | first:7 | sweep:7 | subsets:3 | random:5x20 [default: all that can be compared]
    #[arg(long, value_name = "KNOWN", help_heading = "The intruder")]
    pub(super) known: Option<String>,
    /// The attributes that --known counts among: names or positions [default: all quasi-identifiers]
    #[arg(long, value_name = "LIST", help_heading = "The intruder")]
    pub(super) attributes: Option<String>,
    /// How many records the intruder holds (drawn at random), or a file with one record number (or identifier) a line
    #[arg(long, value_name = "N|FILE", help_heading = "The intruder")]
    pub(super) known_records: Option<String>,
    /// Who looks for whom
    #[arg(
        long,
        value_enum,
        default_value = "original-to-masked",
        help_heading = "The intruder"
    )]
    pub(super) direction: DirectionArg,
    /// Published percentage of rank swapping (or an upper bound of it)
    #[arg(long, value_name = "PERCENT", conflicts_with_all = ["window", "statement"], help_heading = "What was published")]
    pub(super) p: Option<f64>,
    /// Published window of rank swapping in ranks (or an upper bound of it)
    #[arg(
        long,
        value_name = "RANKS",
        conflicts_with = "statement",
        help_heading = "What was published"
    )]
    pub(super) window: Option<usize>,
    /// The statement that 'mask --statement' wrote
    #[arg(long, value_name = "FILE", help_heading = "What was published")]
    pub(super) statement: Option<PathBuf>,
    /// Confirms that a p below 1 is meant in percent
    #[arg(long, value_name = "UNIT", value_parser = ["percent"], help_heading = "What was published")]
    pub(super) p_unit: Option<String>,
    /// How a tie of t records counts that holds the true one: 1/t, 0, or 1
    #[arg(long, value_enum, default_value = "fair", help_heading = "Counting")]
    pub(super) ties: TiesArg,
    /// Each record its best, or all at once one to one
    #[arg(long, value_enum, default_value = "best", help_heading = "Counting")]
    pub(super) assign: AssignArg,
    /// By what each file is standardised: its own means and sds, the original's, or not at all
    #[arg(long, value_enum, default_value = "own", help_heading = "Counting")]
    pub(super) standardize: StandardizeArg,
    /// Column that says who is who in both files [default: the order of the records]
    #[arg(
        long,
        value_name = "COLUMN",
        conflicts_with = "key",
        help_heading = "Counting"
    )]
    pub(super) id: Option<String>,
    /// The key that 'mask --shuffle' wrote
    #[arg(long, value_name = "KEYFILE", help_heading = "Counting")]
    pub(super) key: Option<PathBuf>,
    /// Write one line a record: whom it is linked with (CSV)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) links: Option<PathBuf>,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub(super) format: FormatArg,
    /// Where the report goes
    #[arg(
        long,
        short,
        value_name = "FILE",
        default_value = "-",
        help_heading = "Output"
    )]
    pub(super) output: PathBuf,
    /// End with exit status 10 when a rate is above this: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    pub(super) fail_above: Option<f64>,
    /// Repeatable random choices of --known random: and --known-records N
    #[arg(long, value_name = "NUMBER")]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    pub(super) read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum MethodName {
    #[value(aliases = ["dbrl", "dbrl1"])]
    Am,
    Rsld,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DirectionArg {
    /// Each record of the intruder looks for its masked record
    OriginalToMasked,
    /// Each masked record looks for its record in the intruder's file
    MaskedToOriginal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TiesArg {
    Fair,
    Strict,
    Optimistic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum AssignArg {
    Best,
    OneToOne,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum StandardizeArg {
    Own,
    Original,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatArg {
    Text,
    Json,
    Csv,
}

fn rate_limit(text: &str) -> std::result::Result<f64, String> {
    let number = |digits: &str| digits.trim().parse::<f64>().ok();
    match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text).filter(|&share| share <= 1.0),
    }
    .filter(|share| (0.0..=1.0).contains(share))
    .ok_or_else(|| "it must be a percentage such as 5%, or a share from 0 to 1 such as 0.05".into())
}

/// The attacks, and what reports say of them beside their claims.
pub(super) trait Described: Attack {
    /// The window assumed for each known attribute.
    fn windows(&self, _known: &[String]) -> Option<Vec<usize>> {
        None
    }
}

impl Described for DistanceBased {}

impl Described for RankSwapIntersection {
    fn windows(&self, known: &[String]) -> Option<Vec<usize>> {
        Some(
            known
                .iter()
                .map(|name| self.bound.window_of(name))
                .collect(),
        )
    }
}

impl LinkArgs {
    /// An option that can have no effect is refused, not ignored.
    pub(super) fn refuse_without_effect(&self) -> Result<()> {
        let published = [
            (self.p.is_some(), "--p"),
            (self.window.is_some(), "--window"),
            (self.statement.is_some(), "--statement"),
        ];
        let published = published.iter().find(|(given, _)| *given);
        let rsld = self.method.contains(&MethodName::Rsld);
        let all = self.method.contains(&MethodName::All);
        let refuse = |what: String, remedy: &str| Err(Error::usage(what).remedy(remedy));
        if let (Some((_, option)), false) = (published, rsld || all) {
            return refuse(
                format!("{option} has no effect: only rsld uses what was published"),
                "Add rsld to --method, or leave the option out",
            );
        }
        if rsld && published.is_none() {
            return refuse(
                "rsld needs to know what was published about rank swapping".into(),
                "Give --p, --window, or --statement FILE",
            );
        }
        if self.p_unit.is_some() && self.p.is_none_or(|p| p >= 1.0) {
            return refuse(
                "--p-unit has no effect without a --p below 1".into(),
                "Leave it out",
            );
        }
        let mut methods = self.method.clone();
        methods.sort_unstable();
        methods.dedup();
        if methods.len() < self.method.len() || (all && methods.len() > 1) {
            return refuse(
                "--method names a method twice".into(),
                "am, dbrl and dbrl1 are one method, and all means all of them",
            );
        }
        if self.assign == AssignArg::OneToOne && self.ties != TiesArg::Fair {
            return refuse(
                "--ties has no effect with --assign one-to-one: an assignment leaves no ties"
                    .into(),
                "Leave --ties out",
            );
        }
        Ok(())
    }

    /// The methods to run, and why any that `all` would include is not run.
    pub(super) fn methods(&self) -> (Vec<MethodName>, Option<&'static str>) {
        let published = self.p.is_some() || self.window.is_some() || self.statement.is_some();
        match (self.method.contains(&MethodName::All), published) {
            (false, _) => (self.method.clone(), None),
            (true, true) => (vec![MethodName::Am, MethodName::Rsld], None),
            (true, false) => (
                vec![MethodName::Am],
                Some(
                    "rsld is not run: it needs what was published (--p, --window, or --statement)",
                ),
            ),
        }
    }

    /// What `--known` says beyond a list of names; `None` for a list.
    pub(super) fn knowledge(&self) -> Result<Option<Knowledge>> {
        match &self.known {
            None => Ok(Some(Knowledge::All)),
            Some(text) => Knowledge::parse(text),
        }
    }

    /// The seed of the random choices of this call.
    pub(super) fn seed(&self) -> Result<Seed> {
        let random = self.record_count().is_some()
            || self
                .knowledge()?
                .is_some_and(|knowledge| knowledge.is_random());
        match self.seed {
            Some(number) if random => Ok(Seed::from_number(number)),
            Some(_) => Err(
                Error::usage("--seed has no effect: nothing in this call is random")
                    .remedy("It decides --known random:... and --known-records N"),
            ),
            None if random => Seed::from_system(),
            None => Ok(Seed::from_number(0)),
        }
    }

    /// `--known-records` as a number, if it is one.
    pub(super) fn record_count(&self) -> Option<usize> {
        self.known_records.as_ref()?.parse().ok()
    }

    pub(super) fn attacks(
        &self,
        statement: Option<&Statement>,
        records: usize,
    ) -> Result<Vec<Box<dyn Described>>> {
        let standardize = match self.standardize {
            StandardizeArg::Own => Standardize::Own,
            StandardizeArg::Original => Standardize::Original,
            StandardizeArg::None => Standardize::None,
        };
        let (methods, _) = self.methods();
        methods
            .into_iter()
            .map(|method| -> Result<Box<dyn Described>> {
                Ok(match method {
                    MethodName::Am | MethodName::All => Box::new(DistanceBased { standardize }),
                    MethodName::Rsld => Box::new(RankSwapIntersection {
                        bound: self.bound(statement, records)?,
                        standardize,
                    }),
                })
            })
            .collect()
    }

    fn bound(&self, statement: Option<&Statement>, records: usize) -> Result<Bound> {
        if let Some(statement) = statement {
            return Bound::of_statement(statement);
        }
        let Some(p) = self.p else {
            return match self.window.unwrap_or(0) {
                0 => Err(Error::usage("--window 0 says that no value was moved")
                    .remedy("Give a window of at least 1 rank")),
                window => Ok(Bound::Window(window)),
            };
        };
        let reach = Reach::percent(p)?;
        if p < 1.0 && self.p_unit.is_none() {
            return Err(
                Error::usage(format!("--p {p} looks like a fraction; p is a percentage"))
                    .remedy("If it is meant in percent, add --p-unit percent"),
            );
        }
        match reach.window(records) {
            0 => Err(Error::usage(format!(
                "p = {p} percent of {records} records is a window of 0 ranks: nothing was swapped"
            ))
            .remedy("Give the p that was published, or --window 1")),
            window => Ok(Bound::Window(window.min(records - 1).max(1))),
        }
    }

    pub(super) fn direction(&self) -> Direction {
        match self.direction {
            DirectionArg::OriginalToMasked => Direction::OriginalToMasked,
            DirectionArg::MaskedToOriginal => Direction::MaskedToOriginal,
        }
    }

    pub(super) fn ties(&self) -> Ties {
        match self.ties {
            TiesArg::Fair => Ties::Fair,
            TiesArg::Strict => Ties::Strict,
            TiesArg::Optimistic => Ties::Optimistic,
        }
    }

    pub(super) fn assign(&self) -> Assign {
        match self.assign {
            AssignArg::Best => Assign::Best,
            AssignArg::OneToOne => Assign::OneToOne,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_percentages_or_shares() {
        assert_eq!(rate_limit("5%"), Ok(0.05));
        assert_eq!(rate_limit("0.05"), Ok(0.05));
        assert_eq!(rate_limit("1"), Ok(1.0));
        for text in ["5", "-1%", "101%", "x", "", "nan"] {
            assert!(rate_limit(text).is_err(), "{text}");
        }
    }
}
