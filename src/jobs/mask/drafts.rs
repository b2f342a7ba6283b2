//! The risk of `copula`: what an intruder finds on drafts, and how much may be kept for it.
//!
//! A draft is the file masked with other noise than what is released. It is attacked, counted, and thrown away.

use super::{Prepared, request::CopulaKeep};
use crate::{
    error::{Error, Reason, Result},
    evaluate::{
        knowledge::Knowledge,
        link::{Assign, shared_attributes},
        search::{self, AttackCase, Next, Range, Rates, Request, Trial},
        truth::Truth,
    },
    jobs::{
        Observer, Quiet,
        link::{
            self, Input, LinkRequest, Stated,
            request::{AttackRequest, Known},
        },
    },
    mask::{
        Mask, Masked,
        copula::{Copula, Keep, Options},
    },
    report::{
        link::{LinkReport, LinkResult, PartSummary},
        text,
    },
    rng::{Purpose, Seed},
    statement::{CopulaRisk, CopulaWorst, Statement},
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

/// The method that keeps as much as is stated, or the most that keeps risk below a limit; with what was measured.
///
/// With a limit, mu is found on a planted file first, then on the file itself, by bisection: the upper end of the 95 % interval of
/// the mean over drafts stays below it. Drafts draw from a seed of their own that is always the same, so that the same file
/// gives the same mu.
///
/// # Errors
/// Usage, when there is no such mu; what the attack objects to.
pub(super) fn settled(
    keep: &CopulaKeep,
    options: &Options,
    prepared: &Prepared,
    table: &Table,
    observer: &dyn Observer,
) -> Result<Copula> {
    let intruder = match keep {
        CopulaKeep::Risk(_, intruder) | CopulaKeep::Stated(_, Some(intruder)) => intruder,
        CopulaKeep::Stated(keep, None) => return Copula::new(*keep, options.clone()),
    };
    let drafts = Drafts {
        prepared,
        table,
        request: LinkRequest {
            known: intruder.known.clone(),
            records: intruder.records.clone(),
            ..LinkRequest::of_attacks([AttackRequest::Likelihood])
        },
        options,
        observer,
    };
    let assign = drafts.assign()?;
    let (kept, limit, reports) = match keep {
        CopulaKeep::Stated(stated, _) => {
            let replicates = 0..drafts.most(0.05);
            (*stated, None, drafts.measured(*stated, assign, replicates)?)
        }
        CopulaKeep::Risk(limit, _) => {
            let found = drafts.solved(*limit, assign)?;
            (Keep::Mu(found.mu), Some(*limit), found.reports)
        }
    };
    let risk = drafts.risk(limit, kept, assign, &reports)?;
    Ok(Copula::new(kept, options.clone())?.stating(risk))
}

/// A file, and how drafts of it are made and attacked.
struct Drafts<'a> {
    /// What else is done beside the method.
    prepared: &'a Prepared,
    table: &'a Table,
    /// How drafts are attacked.
    request: LinkRequest,
    /// The options of the method, but for how much it keeps.
    options: &'a Options,
    observer: &'a dyn Observer,
}

/// What was found with one mu.
struct Tried {
    mu: f64,
    trial: Trial,
    reports: Vec<LinkReport>,
}

impl Drafts<'_> {
    /// How drafts are assigned: all at once, or one by one where that takes too much memory.
    fn assign(&self) -> Result<Assign> {
        let one = |assign| self.measured(Keep::Mu(1.0), assign, 0..1);
        match one(Assign::Balanced) {
            Ok(_) => Ok(Assign::Balanced),
            Err(error) => match one(Assign::Best) {
                Ok(_) => {
                    self.observer.note(&format!(
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
                self.observer.progress(&format!(
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
        let masked = self.masked(original, keep, self.options, replicate)?;
        let masked = self.prepared.released(masked);
        let request = LinkRequest {
            assign,
            known: known.unwrap_or(&self.request.known).clone(),
            seed: Some(replicate.into()),
            ..self.request.clone()
        };
        let truth = Truth::by_order(original, &masked.table)?;
        let statement = Statement::from(masked.step);
        let input = Input {
            statement: Some(Stated::in_memory(&statement)),
            ..Input::new(original, &masked.table, &truth)
        };
        link::run(&request, &input, &Quiet).map(|attacked| attacked.report)
    }

    fn masked(
        &self,
        original: &Table,
        keep: Keep,
        options: &Options,
        replicate: u32,
    ) -> Result<Masked> {
        // Noise from the secret is that of the release.
        let options = Options {
            secret: None,
            ..options.clone()
        };
        let method: &dyn Mask = &Copula::new(keep, options)?;
        let streams = Seed::from_number(0).streams(Purpose::Draft, replicate);
        let (masked, _) = (self.prepared.keeping).mask_within(
            method,
            (original.clone(), &self.prepared.strata),
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

    /// How many attributes the intruder knows, if these are the worst sets of so many.
    fn worst_size(&self) -> Option<usize> {
        match self.request.known.family() {
            Some(Knowledge::Worst(size)) => Some(*size),
            _ => None,
        }
    }

    /// The cases of a report that count: of the worst sets, the worst.
    fn cases<'r>(&self, report: &'r LinkReport) -> Vec<&'r LinkResult> {
        match self.worst_size() {
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
    fn scenario(&self, case: &LinkResult) -> AttackCase {
        let known = match self.worst_size() {
            // Which set is the worst differs from file to file.
            Some(size) => vec![format!("worst:{size}")],
            None => case.known.clone(),
        };
        AttackCase {
            attack: case.method.clone(),
            known,
        }
    }

    /// What is stated of the risk, from the drafts that were attacked.
    fn risk(
        &self,
        limit: Option<f64>,
        keep: Keep,
        assign: Assign,
        reports: &[LinkReport],
    ) -> Result<CopulaRisk> {
        let drafts = u32::try_from(reports.len()).unwrap_or(u32::MAX);
        let Some(strongest) = self.rates(reports).strongest(drafts.max(2)) else {
            return Err(Error::usage(
                "no draft could be attacked: the intruder knows no attribute that can be compared",
            )
            .because(Reason::NothingToCompare));
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
            at_most: limit,
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
        if size >= all || self.worst_size().is_some() {
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
