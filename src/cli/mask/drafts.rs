//! `--risk` of `mask copula`: what an intruder finds on drafts, and how much may be kept for it.
//!
//! A draft is the file masked with other noise than what is released. It is attacked, counted, and thrown away.

use std::path::Path;

use clap::Args;

use super::Prepared;
use crate::{
    cli::{console::Console, link},
    error::{Error, Result},
    evaluate::{
        knowledge::Knowledge,
        link::{Assign, shared_attributes},
        search::{self, Next, Range, Rates, Request, Scenario, Trial},
        truth::Truth,
    },
    jobs::{
        self,
        link::{
            Input, LinkRequest, Stated,
            request::{AttackRequest, Known, KnownRecords},
        },
    },
    mask::{
        Mask,
        copula::{Copula, Keep, Options},
    },
    report::{
        link::{LinkReport, LinkResult, PartSummary},
        text,
    },
    rng::{Purpose, Seed},
    statement::{CopulaRisk, CopulaWorst},
    table::Table,
};

/// mu is looked for between these: of the first hardly anything is kept, of the last nearly everything.
const MU: Range = Range {
    from: 0.001,
    to: 10_000.0,
    is_whole: false,
    precision: 0.2,
};

/// On the file itself mu is looked for within this factor of what planted files say, before it is looked for everywhere.
const NEAR: f64 = 2.0;

/// How exactly it is found there: risk is measured no more exactly.
const PRECISION_OF_MU: f64 = 0.04;

/// The interval of the risk shall reach as far as this share of it to either side.
const PRECISION: f64 = 0.06;

/// Drafts at least, and at most: Student's intervals of fewer are wide, and more are not worth their time.
const DRAFTS: [u32; 2] = [5, 30];

/// Planted files by which the risk is predicted, and drafts on which the worst attributes are looked for.
const FEW: u32 = 3;

/// Replicates from here on make planted files; those from [`OF_PLANTED`] on mask them. The same noise for both would stay visible.
const PLANTED: u32 = 1 << 16;

/// Replicates from here on mask planted files.
const OF_PLANTED: u32 = 2 << 16;

/// The intruder whose success is measured.
#[derive(Debug, Args)]
#[command(next_help_heading = "The risk")]
pub(super) struct IntruderArgs {
    /// The most that may be linked, 5% or 0.05: how much is kept is found by attacking drafts of the file
    #[arg(long, value_name = "RATE", value_parser = limit, conflicts_with_all = ["mu", "bits"])]
    pub(super) risk: Option<f64>,
    /// What the intruder of --risk knows: a,b,c | first:7 | sweep:7 | worst:7, as in 'sdcrisk link'; with --mu or --bits, the risk is measured
    /// [default: all that can be compared]
    #[arg(long, value_name = "KNOWN")]
    known: Option<String>,
    /// How many records the intruder knows (drawn at random), or a file with one record number a line [default: of all]
    #[arg(long, value_name = "N|FILE")]
    known_records: Option<String>,
}

fn limit(text: &str) -> std::result::Result<f64, String> {
    match crate::cli::args::rate_limit(text)? {
        limit if limit > 0.0 => Ok(limit),
        _ => Err("no masked file has no risk at all: it must be above 0".into()),
    }
}

impl IntruderArgs {
    /// Whether anybody is asked.
    pub(super) fn is_asked(&self) -> bool {
        self.risk.is_some() || self.known.is_some() || self.known_records.is_some()
    }

    /// The file of known records, if one was named.
    pub(super) fn input(&self) -> Option<&Path> {
        let named = self.known_records.as_deref()?;
        named.parse::<u64>().is_err().then_some(Path::new(named))
    }

    /// What was said of the intruder's knowledge, if that is the worst sets of some size.
    fn worst(&self) -> Option<&str> {
        let known = self.known.as_deref()?;
        matches!(Knowledge::parse(known), Ok(Some(Knowledge::Worst(_)))).then_some(known)
    }

    /// Refuses what cannot be, before any file is read.
    pub(super) fn check(&self) -> Result<()> {
        link::known(self.known.as_deref(), None).map(drop)
    }

    /// The attack on a draft, by this intruder.
    ///
    /// # Errors
    /// What reading the file of known records objects to.
    pub(super) fn request(&self) -> Result<LinkRequest> {
        let records = self.known_records.as_ref();
        let records = records.map(|wish| link::known_records(wish.as_ref()));
        Ok(LinkRequest {
            known: link::known(self.known.as_deref(), None)?,
            records: records.unwrap_or(Ok(KnownRecords::All))?,
            ..LinkRequest::of_attacks([AttackRequest::Likelihood])
        })
    }
}

/// A file, and how drafts of it are made and attacked.
pub(super) struct Drafts<'a> {
    /// What else is done beside the method.
    pub(super) prepared: &'a Prepared,
    pub(super) table: &'a Table,
    pub(super) intruder: &'a IntruderArgs,
    /// How drafts are attacked.
    pub(super) request: LinkRequest,
    /// The options of the method, but for how much it keeps.
    pub(super) options: Options,
    pub(super) console: &'a Console,
}

/// What was found with one mu.
struct Tried {
    mu: f64,
    trial: Trial,
    reports: Vec<LinkReport>,
}

impl Drafts<'_> {
    /// The method that keeps as much as `keep` says, or the most that keeps risk below `--risk`; with what was measured.
    ///
    /// With `--risk`, mu is found on a planted file first, then on the file itself, by bisection: the upper end of the 95 % interval of
    /// the mean over drafts stays below the limit. Drafts draw from a seed of their own that is always the same, so that the same file
    /// gives the same mu.
    pub(super) fn settled(&self, keep: Option<Keep>) -> Result<Copula> {
        let assign = self.assign()?;
        let (keep, reports) = match (self.intruder.risk, keep) {
            (Some(limit), _) => {
                let found = self.solved(limit, assign)?;
                (Keep::Mu(found.mu), found.reports)
            }
            (None, Some(keep)) => (keep, self.measured(keep, assign, 0..self.most(0.05))?),
            (None, None) => unreachable!("without --risk, --mu or --bits is required"),
        };
        let risk = self.risk(keep, assign, &reports)?;
        Ok(Copula::new(keep, self.options.clone())?.stating(risk))
    }

    /// How drafts are assigned: all at once, or one by one where that takes too much memory.
    fn assign(&self) -> Result<Assign> {
        let one = |assign| self.measured(Keep::Mu(1.0), assign, 0..1);
        match one(Assign::Balanced) {
            Ok(_) => Ok(Assign::Balanced),
            Err(error) => match one(Assign::Best) {
                Ok(_) => {
                    self.console.note(&format!(
                        "note: drafts are linked record by record: {}",
                        error.what()
                    ));
                    Ok(Assign::Best)
                }
                Err(_) => Err(error),
            },
        }
    }

    /// So many drafts that the interval of a risk like this is as narrow as it shall be.
    fn most(&self, risk: f64) -> u32 {
        let seekers = self.table.n_records() as f64;
        let wanted = 4.0 * (1.0 - risk) / (risk * PRECISION * PRECISION * seekers);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "bounded by the most drafts"
        )]
        let wanted = wanted.min(f64::from(DRAFTS[1])).ceil() as u32;
        wanted.clamp(DRAFTS[0], DRAFTS[1])
    }

    fn solved(&self, limit: f64, assign: Assign) -> Result<Tried> {
        let planted = self.planted(0)?;
        // Where to look: record by record is quicker, and nearly as strong.
        let looked = self.search(MU, limit, 1, |mu, runs| {
            runs.map(|_| self.attacked(&planted, (Keep::Mu(mu), OF_PLANTED), Assign::Best, None))
                .collect()
        })?;
        let all = self.most(limit);
        let within = |from: f64, to: f64| {
            let range = Range {
                from: from.max(MU.from),
                to: to.min(MU.to),
                precision: PRECISION_OF_MU,
                ..MU
            };
            let attacks = |mu, runs| self.measured(Keep::Mu(mu), assign, runs);
            self.search(range, limit, all, attacks)
        };
        let (low, high) = match looked {
            Some(found) => (found.mu / NEAR, found.mu * NEAR),
            None => (MU.from, MU.to),
        };
        let mut found = within(low, high)?;
        // The crossing is below a range that has no mu below the limit, and above one whose upper end is below it.
        match &found {
            None if low > MU.from => found = within(MU.from, low)?,
            Some(at) if at.mu >= high && high < MU.to => found = within(high, MU.to)?.or(found),
            _ => {}
        }
        found.ok_or_else(|| {
            Error::usage(format!(
                "--risk {}: even with all values drawn anew, an intruder who knows this much links more",
                text::percent(limit)
            ))
            .remedy(
                "Mask all attributes that the intruder knows, fit fewer components (--components 1), or state what is known with --known and --known-records",
            )
        })
    }

    /// The greatest mu of a range with the risk below the limit.
    fn search(
        &self,
        range: Range,
        limit: f64,
        all: u32,
        attacks: impl Fn(f64, std::ops::Range<u32>) -> Result<Vec<LinkReport>>,
    ) -> Result<Option<Tried>> {
        let mut tried: Vec<Tried> = Vec::new();
        let at =
            |tried: &[Tried], mu: f64| tried.iter().position(|one| one.mu.total_cmp(&mu).is_eq());
        loop {
            let next = search::next(range, all, limit, |mu| {
                at(&tried, mu).map(|place| &tried[place].trial)
            });
            let requests = match next {
                Next::Found(mu) => {
                    return Ok(at(&tried, mu).map(|place| tried.swap_remove(place)));
                }
                Next::Nowhere => return Ok(None),
                Next::Look(requests) => requests,
            };
            for Request { value: mu, runs } in requests {
                let mut reports = match at(&tried, mu) {
                    Some(place) => tried.swap_remove(place).reports,
                    None => Vec::new(),
                };
                let done = u32::try_from(reports.len()).unwrap_or(runs);
                reports.extend(attacks(mu, done..runs)?);
                let strongest = self.rates(&reports).strongest(all);
                self.console.progress(&format!(
                    "mu = {mu}: {} linked on {runs} of up to {all} files",
                    text::percent(strongest.as_ref().map_or(0.0, |risk| risk.mean))
                ));
                let trial = Trial {
                    runs,
                    all,
                    strongest,
                    loss: Some(-mu),
                };
                tried.push(Tried { mu, trial, reports });
            }
        }
    }

    /// What an intruder finds on drafts of the file.
    fn measured(
        &self,
        keep: Keep,
        assign: Assign,
        replicates: std::ops::Range<u32>,
    ) -> Result<Vec<LinkReport>> {
        replicates
            .map(|replicate| self.attacked(self.table, (keep, replicate), assign, None))
            .collect()
    }

    /// Masks a file and attacks what came out; `known` stands for what the intruder was said to know.
    fn attacked(
        &self,
        original: &Table,
        (keep, replicate): (Keep, u32),
        assign: Assign,
        known: Option<&Known>,
    ) -> Result<LinkReport> {
        let masked = self.masked(original, keep, &self.options, replicate)?;
        let masked = self.prepared.released(masked);
        let request = LinkRequest {
            assign,
            known: known.unwrap_or(&self.request.known).clone(),
            seed: Some(replicate.into()),
            ..self.request.clone()
        };
        let truth = Truth::by_order(original, &masked.table)?;
        let input = Input {
            statement: Some(Stated::in_memory(&masked.statement)),
            ..Input::new(original, &masked.table, &truth)
        };
        jobs::link::run(&request, &input, &Console::quiet()).map(|attacked| attacked.report)
    }

    fn masked(
        &self,
        original: &Table,
        keep: Keep,
        options: &Options,
        replicate: u32,
    ) -> Result<crate::mask::Masked> {
        // Noise from the secret is that of the release.
        let options = Options {
            secret: None,
            ..options.clone()
        };
        let method: &dyn Mask = &Copula::new(keep, options)?;
        let streams = Seed::from_number(0).streams(Purpose::Draft, replicate);
        let (masked, _) = (self.prepared.keeping).mask(
            method,
            original.clone(),
            &self.prepared.chosen,
            &streams,
        )?;
        Ok(masked)
    }

    /// A file of people drawn from the law of the scores, with the values of each attribute: masking that keeps nothing makes one.
    fn planted(&self, number: u32) -> Result<Table> {
        let options = Options {
            protect_extremes: false,
            ..self.options.clone()
        };
        let masked = self.masked(self.table, Keep::Mu(1e-9), &options, PLANTED + number)?;
        Ok(masked.table)
    }

    /// The cases of a report that count: of the worst sets, the worst.
    fn cases<'r>(&self, report: &'r LinkReport) -> Vec<&'r LinkResult> {
        match self.intruder.worst() {
            Some(_) => worst_of(report).into_iter().collect(),
            None => report.results.iter().collect(),
        }
    }

    fn rates(&self, reports: &[LinkReport]) -> Rates {
        let mut rates = Rates::default();
        for case in reports.iter().flat_map(|report| self.cases(report)) {
            rates.add(self.scenario(case), (case.rate, case.records));
        }
        rates
    }

    /// By which the same case of several files is known.
    fn scenario(&self, case: &LinkResult) -> Scenario {
        let known = match self.intruder.worst() {
            // Which set is the worst differs from file to file.
            Some(worst) => vec![worst.to_owned()],
            None => case.known.clone(),
        };
        Scenario {
            attack: case.method.into(),
            known,
        }
    }

    /// What is stated of the risk, from the drafts that were attacked.
    fn risk(&self, keep: Keep, assign: Assign, reports: &[LinkReport]) -> Result<CopulaRisk> {
        let drafts = u32::try_from(reports.len()).unwrap_or(u32::MAX);
        let Some(strongest) = self.rates(reports).strongest(drafts.max(2)) else {
            return Err(Error::usage(
                "no draft could be attacked: the intruder knows no attribute that can be compared",
            ));
        };
        let cases: Vec<&LinkResult> = (reports.iter())
            .flat_map(|report| self.cases(report))
            .filter(|case| self.scenario(case) == strongest.scenario)
            .collect();
        let predicted = (0..FEW)
            .map(|number| {
                let planted = self.planted(number)?;
                let of = (keep, OF_PLANTED + number);
                let report = self.attacked(&planted, of, assign, None)?;
                Ok(worst_of(&report).map_or(0.0, |case| case.rate))
            })
            .collect::<Result<Vec<f64>>>()?;
        let sum = |figure: &dyn Fn(&LinkResult) -> f64| -> f64 {
            cases.iter().map(|case| figure(case)).sum()
        };
        let looked = sum(&|case| case.records as f64);
        let sure = sum(&|case| case.sure.unwrap_or(0) as f64);
        let part = |of: &dyn Fn(&LinkResult) -> Option<PartSummary>| -> Option<f64> {
            let parts = cases.iter().filter_map(|case| of(case));
            let (correct, records) = parts.fold((0.0, 0), |(correct, records), part| {
                (correct + part.correct, records + part.records)
            });
            (records > 0).then(|| correct / records as f64)
        };
        let known = cases.last().map_or(&[][..], |case| &case.known[..]);
        Ok(CopulaRisk {
            at_most: self.intruder.risk,
            attack: match assign {
                Assign::Balanced => "likelihood, balanced".into(),
                _ => "likelihood".into(),
            },
            known: known.to_vec(),
            known_records: cases.last().map_or(0, |case| case.records),
            drafts,
            measured: strongest.mean,
            interval: strongest.interval,
            predicted: predicted.iter().sum::<f64>() / f64::from(FEW),
            extremes: part(&|case| case.beyond.extremes),
            far: part(&|case| case.beyond.far),
            sure: sure / looked.max(1.0),
            sure_correct: (sure > 0.0)
                .then(|| sum(&|case| case.sure_correct.unwrap_or(0.0)) / sure),
            worst: self.worst(keep, assign, known.len())?,
        })
    }

    /// The set of so many attributes that betrays most; `None` where it is all of them, or was asked for.
    fn worst(&self, keep: Keep, assign: Assign, size: usize) -> Result<Option<CopulaWorst>> {
        let all = shared_attributes(self.table, self.table, None).0.len();
        if size >= all || self.intruder.worst().is_some() {
            return Ok(None);
        }
        let worst = Known::Among {
            sets: Knowledge::Worst(size),
            attributes: None,
        };
        let mut found = Vec::new();
        for replicate in 0..FEW {
            let report = self.attacked(self.table, (keep, replicate), assign, Some(&worst))?;
            found.extend(worst_of(&report).map(|case| (case.rate, case.known.clone())));
        }
        let measured = found.iter().map(|(rate, _)| rate).sum::<f64>() / f64::from(FEW);
        let most = (found.into_iter()).max_by(|a, b| a.0.total_cmp(&b.0));
        Ok(most.map(|(_, known)| CopulaWorst { known, measured }))
    }
}

/// The case in which most were linked.
fn worst_of(report: &LinkReport) -> Option<&LinkResult> {
    (report.results.iter()).max_by(|a, b| a.rate.total_cmp(&b.rate))
}

/// What was found on drafts, a sentence each.
pub(super) fn remarks(risk: &CopulaRisk) -> Vec<String> {
    let percent = text::percent;
    let mut remarks = vec![format!(
        "risk: {} of the people are linked by the strongest attack known ({}), the mean of {} drafts with other noise (95 % interval {} to {}); \
         planted files predict {}",
        percent(risk.measured),
        risk.attack,
        risk.drafts,
        percent(risk.interval[0].max(0.0)),
        percent(risk.interval[1].min(1.0)),
        percent(risk.predicted),
    )];
    remarks.push(format!(
        "risk: the intruder knows {} of {} people: {}",
        match risk.known.len() {
            1 => "1 attribute".to_owned(),
            count => format!("{count} attributes"),
        },
        risk.known_records,
        text::names(&risk.known, 12)
    ));
    if let Some(worst) = &risk.worst {
        remarks.push(format!(
            "risk: of sets of as many attributes, the worst that was tried links {}: {}",
            percent(worst.measured),
            text::names(&worst.known, 12)
        ));
    }
    let mut parts = Vec::new();
    if let Some(extremes) = risk.extremes {
        parts.push(format!(
            "{} of those in the top or bottom 1 % of a known attribute",
            percent(extremes)
        ));
    }
    if let Some(far) = risk.far {
        parts.push(format!(
            "{} of the 1 % farthest from the mean",
            percent(far)
        ));
    }
    if !parts.is_empty() {
        remarks.push(format!(
            "risk: people who stand out are found more often: {}",
            parts.join(", ")
        ));
    }
    remarks.push(match risk.sure_correct {
        None => "risk: the attack is more than 90 % sure of nobody".to_owned(),
        Some(correct) => format!(
            "risk: the attack is more than 90 % sure of {} of the people, and right about {} of these",
            percent(risk.sure),
            percent(correct)
        ),
    });
    remarks
}
