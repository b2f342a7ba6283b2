//! The options of `sdcrisk risk`, and what they mean.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{
    note_idle,
    output::{DetailArgs, ReportArgs},
    pair::AlignArgs,
    read::ReadArgs,
    rules::RecodingRules,
    values::{MissingArg, rate_limit},
};
use crate::{
    error::{Error, Result},
    evaluate::shard::Shard,
    jobs::{Observer, link::request::Alignment, risk::RiskRequest},
    risk::suda,
    statement::MissingMatches,
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk risk --key sex,age,town survey.csv
  sdcrisk risk --key 1-7 --weights w --k 4 survey.csv
  sdcrisk risk --key sex,age,town --confidential disease --l 3 --t 0.2 survey.csv
  sdcrisk risk --key sex,age,town --confidential income survey.csv masked.csv
  sdcrisk risk --key sex,age --statement masked.sdc.json survey.csv masked.csv
  sdcrisk risk --format json --records risks.csv survey.csv masked.csv
  sdcrisk risk --key 1-7 --fail-above individual_risk_global=1% masked.csv
  sdcrisk risk --key 1-7 --shard 1/2 -o part1.json survey.csv masked.csv      # on the first of two machines; then merge

One file: who is unique on the key (uniqueness, k-anonymity, minimal sample uniques), who would be linked to a person
(individual risk, with the weights of the sample if there are any), and what records with the same key share (l-diversity,
t-closeness). Two files: the same before and after masking, and how much of the original values the masked ones reveal
(interval disclosure; confidential values guessed from the record nearest on the key, or, without a key, on all that is compared).

t-closeness takes whole numbers for amounts: codes without an order may be far nearer or farther as such than as names. A roles file
that calls them nominal changes that.

With --statement the original is recoded first as the history of the masked file says (classes, codes), so that both files are compared
in the same terms. Numbers that are still numbers after recoding are compared with those that were collected.

The key is what an intruder may know together. By default it is all quasi-identifiers that are names or few whole numbers: an
amount that differs nearly everywhere would make everybody unique. The risk of amounts is measured by 'sdcrisk link'.

A missing value of the key matches every value, as in sdcMicro and mu-ARGUS (--missing-matches any), or only a missing one: in
uniqueness, k-anonymity, individual risk and minimal sample uniques. Where it matches every value, the report also counts the
records that reach k only by that (on_gaps; k is 3 unless given). A cell that is empty because the question does not apply is
better a category: 'spouse = \"category\"' under [empty] in the roles file. A record that has nothing of the key is counted
nowhere. l-diversity, t-closeness and values given away need groups, and always take a missing value of the key for one of its own.

--fail-above 5% looks at every share below 'range' that is a percentage, some of which are the risk of the one record most at
risk; name the measure, as in --fail-above unique=1%, to look at one (a number of records is divided by all records).

The records most at risk are listed by their numbers: keep the report as private as the file.")]
pub struct RiskArgs {
    /// The file; or the original, if a masked file follows
    #[arg(value_name = "ORIGINAL.csv")]
    pub original: PathBuf,
    /// The masked file; one of both can be - for standard input
    #[arg(value_name = "MASKED.csv")]
    pub masked: Option<PathBuf>,
    /// The key: what an intruder may know together; names or positions [default: quasi-identifiers that are names or few whole numbers]
    #[arg(long, value_name = "LIST", help_heading = "Who can be recognised")]
    key: Option<String>,
    /// What a missing value of the key matches [default: any]
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        help_heading = "Who can be recognised"
    )]
    missing_matches: Option<MissingArg>,
    /// Column with the sampling weights: how many people each record stands for; decimals are fine
    #[arg(long, value_name = "COLUMN", help_heading = "Who can be recognised")]
    weights: Option<String>,
    /// Count the records that match fewer than this number, too; 2, 3 and 5 are always counted
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(2..), help_heading = "Who can be recognised")]
    k: Option<u32>,
    /// Most attributes of a minimal sample unique; 0 does not search them [default: all, or 4 of a key of more than 10]
    #[arg(long, value_name = "NUMBER", help_heading = "Who can be recognised")]
    msu_size: Option<u32>,
    /// How minimal sample uniques count [default: elliot]
    #[arg(
        long,
        value_enum,
        value_name = "RULE",
        help_heading = "Who can be recognised"
    )]
    suda_scoring: Option<ScoringArg>,
    /// Share of the population in the sample, for DIS-SUDA: 1% or 0.01 [default: records / sum of the --weights, else 1%]
    #[arg(long, value_name = "SHARE", value_parser = rate_limit, help_heading = "Who can be recognised")]
    sampling_fraction: Option<f64>,
    /// Confidential attributes: names or positions [default: those of this role in the roles file]
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "What is revealed about them"
    )]
    confidential: Option<String>,
    /// Count the records among fewer than so many confidential values
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(2..), help_heading = "What is revealed about them")]
    l: Option<u32>,
    /// The c of recursive (c, l)-diversity [default: 2]
    #[arg(long, value_name = "NUMBER", value_parser = positive, help_heading = "What is revealed about them")]
    c: Option<f64>,
    /// Count the records in groups farther than this from the file: 0 to 1
    #[arg(long, value_name = "DISTANCE", value_parser = distance, help_heading = "What is revealed about them")]
    t: Option<f64>,
    /// How close a guessed number must be to count as right, as a share of the true one [default: 5%]
    #[arg(long, value_name = "SHARE", value_parser = rate_limit, help_heading = "What is revealed about them")]
    tolerance: Option<f64>,
    /// Attributes whose masked values are compared with the original ones [default: all quasi-identifiers that both files have]
    #[arg(long, value_name = "LIST", help_heading = "Two files")]
    attributes: Option<String>,
    /// Column that identifies people in both files, A=B where the masked file has another name for it; never in the key
    /// [default: the order of the records]
    #[arg(
        long,
        value_name = "COLUMN",
        conflicts_with = "shuffle_key",
        help_heading = "Two files"
    )]
    id: Option<String>,
    /// The key file that mask wrote when it shuffled the records
    #[arg(long, value_name = "KEYFILE", help_heading = "Two files")]
    shuffle_key: Option<PathBuf>,
    /// Rules that bring the original into the terms of the masked file first: as of 'mask recode', and new attributes (see 'link')
    #[arg(long, value_name = "RULES.toml", value_hint = ValueHint::AnyPath, help_heading = "Two files")]
    recode: Option<RecodingRules>,
    /// The statement that 'mask --statement' wrote: what it recoded is recoded in the original, too; repeatable: of steps that
    /// followed each other, in their order
    #[arg(long, value_name = "FILE", help_heading = "Two files")]
    statement: Vec<PathBuf>,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub detail: DetailArgs,
    /// Tell so many of the records most at risk, by their numbers
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 10,
        help_heading = "Output"
    )]
    pub most_at_risk: usize,
    /// Write the risk of every record (CSV, private)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub records: Option<PathBuf>,
    /// End with exit status 10 when a rate is above this: 5%, or unique=1% for one measure; can be repeated
    #[arg(long, value_name = "[MEASURE=]RATE", value_parser = limit, help_heading = "Output")]
    pub fail_above: Vec<Limit>,
    /// Make part I of N of the measures (the file by its key, both files side by side, the original by its key: each is made whole by one part), and write it (JSON) for 'sdcrisk merge'
    #[arg(
        long,
        value_name = "I/N",
        conflicts_with_all = ["format", "brief", "explain", "fail_above"],
        help_heading = "Output"
    )]
    pub shard: Option<Shard>,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScoringArg {
    /// (V - s)! for a set of s of V attributes
    Elliot,
    /// (2^(V - s) - 1) s! (V - s)! / V!
    Subsets,
}

impl From<ScoringArg> for suda::Scoring {
    fn from(arg: ScoringArg) -> Self {
        match arg {
            ScoringArg::Elliot => Self::Elliot,
            ScoringArg::Subsets => Self::Subsets,
        }
    }
}

fn positive(text: &str) -> std::result::Result<f64, String> {
    let number = text.trim().parse().ok();
    number
        .filter(|number: &f64| number.is_finite() && *number > 0.0)
        .ok_or_else(|| "it must be a number above 0".into())
}

fn distance(text: &str) -> std::result::Result<f64, String> {
    let number = text.trim().parse().ok();
    number
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| "it must be a number from 0 to 1".into())
}

/// The greatest rate that is still good enough.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The measure; `None` for every share that is reported.
    pub measure: Option<String>,
    pub rate: f64,
}

/// `5%`, `0.05`, or `unique=5%`.
pub fn limit(text: &str) -> std::result::Result<Limit, String> {
    let (measure, rate) = match text.split_once('=') {
        Some((measure, rate)) => (Some(measure.trim().to_string()), rate),
        None => (None, text),
    };
    Ok(Limit {
        measure,
        rate: rate_limit(rate)?,
    })
}

impl RiskArgs {
    /// How the records of two files belong together.
    pub fn align(&self) -> AlignArgs {
        let two = self.masked.is_some();
        AlignArgs {
            attributes: self.attributes.clone().filter(|_| two),
            id: self.id.clone().filter(|_| two),
            shuffle_key: self.shuffle_key.clone().filter(|_| two),
            recode: self.recode.clone().filter(|_| two),
        }
    }

    /// What was published about the masking; of one file it says nothing.
    pub fn statements(&self) -> Vec<PathBuf> {
        match self.masked {
            Some(_) => self.statement.clone(),
            None => Vec::new(),
        }
    }

    /// The call as it is meant.
    pub fn request(&self) -> RiskRequest {
        RiskRequest {
            key: self.key.clone(),
            missing: self.missing_matches.map(MissingMatches::from),
            weights: self.weights.clone(),
            k: self.k,
            msu_size: self.msu_size,
            suda_scoring: self.suda_scoring.map(suda::Scoring::from),
            sampling_fraction: self.sampling_fraction,
            confidential: self.confidential.clone(),
            l: self.l,
            c: self.c,
            t: self.t,
            tolerance: self.tolerance,
            attributes_are_named: self.attributes.is_some(),
            alignment: Alignment::stated(self.id.as_deref(), self.shuffle_key.is_some()),
            most_at_risk: self.most_at_risk,
            wants_records: self.records.is_some(),
            shard: self.shard,
        }
    }

    /// Notes the options that have no use, and refuses what makes no sense.
    ///
    /// # Errors
    /// Usage, when it makes no sense, or under `--strict`.
    pub fn check(&self, observer: &dyn Observer) -> Result<()> {
        if self.shard.is_some() && self.records.is_some() {
            return Err(Error::usage(
                "--shard has no way to write --records: a part holds the records most at risk alone",
            )
            .remedy("Leave --shard out: one run writes them"));
        }
        let idle = |given: bool, option: &str, why: &str| {
            note_idle(given, option, &format!(": {why}"), observer)
        };
        if self.msu_size == Some(0) {
            let why = "--msu-size 0 does not search minimal sample uniques";
            idle(self.suda_scoring.is_some(), "--suda-scoring", why)?;
            idle(self.sampling_fraction.is_some(), "--sampling-fraction", why)?;
        }
        if self.masked.is_none() {
            let why = "there is no masked file";
            idle(self.tolerance.is_some(), "--tolerance", why)?;
            idle(self.attributes.is_some(), "--attributes", why)?;
            idle(self.shuffle_key.is_some(), "--shuffle-key", why)?;
            idle(self.recode.is_some(), "--recode", why)?;
            idle(!self.statement.is_empty(), "--statement", why)?;
        }
        if self.sampling_fraction == Some(0.0) {
            return Err(
                Error::usage("--sampling-fraction 0: a sample has some of the population")
                    .remedy("Give the share of the population in the sample, such as 1%"),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let of = |measure: Option<&str>, rate| Limit {
            measure: measure.map(String::from),
            rate,
        };
        assert_eq!(limit("5%"), Ok(of(None, 0.05)));
        assert_eq!(limit("unique=0.1"), Ok(of(Some("unique"), 0.1)));
        assert!(limit("unique").is_err() && limit("unique=").is_err() && limit("=2").is_err());
    }
}
