//! `score` as a job: information loss and disclosure risk in one number, every term shown.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{
    Observer,
    link::{
        self, Input, LinkRequest, Stated, check_statement,
        request::{AttackRequest, Attacks, Known, KnownRecords, Published, RankSwapping, Wanted},
    },
    pair::{Files, PairRequest},
};
use crate::{
    attack::{Direction, involution::EPS, probabilistic::Probabilistic},
    error::Result,
    evaluate::{
        link::{Assign, shared_attributes},
        overall::{Overall, Term},
        truth::id_columns,
    },
    figure, loss,
    report::score::{LinkTerm, Role, ScenarioSummary, ScoreReport},
    risk::interval,
    rng::{Purpose, Seed},
    statement::{Laws, Method, Partner, Statement},
};

/// The most attributes that the intruder knows where nothing else is asked for: as in the papers' table for the Census file.
const USUALLY_KNOWN: usize = 7;

/// All that a call of `score` means, and nothing of how it was typed. The files, and the statement about them, are given beside it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ScoreRequest {
    /// How records and attributes of the two files belong together.
    pub pair: PairRequest,
    /// What the intruder knows, as [`Known::parse`] reads it; if `None`, the first attribute, the first two, and so on to half of them,
    /// but to 7 at most.
    pub known: Option<String>,
    /// Of which records.
    pub records: KnownRecords,
    /// Who looks for whom.
    pub direction: Direction,
    /// What was published about rank swapping, where there is no statement.
    pub rank_swapping: Option<RankSwapping>,
    /// How PLD compares values and fits its model.
    pub probabilistic: Probabilistic,
    /// How PLD assigns records.
    pub assign: PldAssign,
    /// What decides the random draws; the operating system if `None`.
    pub seed: Option<u64>,
}

/// How PLD assigns records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PldAssign {
    /// Jointly, as in the papers that define the score.
    #[default]
    OneToOne,
    /// Each record takes its most likely partner: quicker on many records, and another figure.
    Best,
}

impl PldAssign {
    fn of_prl(self) -> Assign {
        match self {
            Self::OneToOne => Assign::OneToOne,
            Self::Best => Assign::Best,
        }
    }

    /// How the likelihood attack assigns: where records shall be linked quickly, quickly, too.
    fn of_likelihood(self) -> Assign {
        match self {
            Self::OneToOne => Assign::Balanced,
            Self::Best => Assign::Best,
        }
    }
}

/// Scores a masked file. The report has no provenance, which is for the caller to add.
///
/// # Errors
/// Usage and Input, when the request or the statement makes no sense for the files, and what the attacks object to.
pub fn run(
    request: &ScoreRequest,
    files: &Files,
    stated: Option<Stated<'_>>,
    observer: &dyn Observer,
) -> Result<ScoreReport> {
    let doubts = files.doubts(stated.map(|stated| stated.statement), observer)?;
    let scoring = Scoring {
        request,
        files,
        stated,
        observer,
    };
    let known = match &request.known {
        Some(known) => known.clone(),
        None => format!("sweep:{}", request.usually_known(files)?),
    };
    let no_rsld = scoring.no_rsld();
    let links = scoring.links(&known, no_rsld.is_none())?;
    let mut report = scoring.measured(known, links, no_rsld)?;
    report.warnings = doubts;
    Ok(report)
}

impl ScoreRequest {
    /// Whether what the intruder knows is drawn.
    ///
    /// # Errors
    /// Usage, when `known` makes no sense.
    pub fn draws_knowledge(&self) -> Result<bool> {
        let known = Known::parse(self.known.as_deref(), None)?;
        Ok(LinkRequest {
            known,
            records: self.records.clone(),
            ..LinkRequest::of_attacks([])
        }
        .draws_knowledge())
    }

    /// Half of the attributes that can be compared, rounded up, but not more than usual.
    fn usually_known(&self, files: &Files) -> Result<usize> {
        let attributes = match &self.pair.attributes {
            Some(list) => files.original.select(list)?.len(),
            None => {
                let id = self.pair.alignment.identifier();
                let aside = id.map(|id| id_columns(id, &files.original));
                let (shared, _) = shared_attributes(&files.original, &files.masked, aside);
                shared.len()
            }
        };
        // Where there is none, the attack says why.
        Ok(attributes.div_ceil(2).clamp(1, USUALLY_KNOWN))
    }

    /// The intruder, without an attack. One seed for all attacks, so that they meet the same intruder.
    fn intruder(&self, known: &str) -> Result<LinkRequest> {
        let mut request = LinkRequest {
            known: Known::parse(Some(known), self.pair.attributes.as_deref())?,
            records: self.records.clone(),
            direction: self.direction,
            alignment: self.pair.alignment.clone(),
            ..LinkRequest::of_attacks([])
        };
        if request.draws_knowledge() {
            request.seed = Some(match self.seed {
                Some(seed) => seed,
                None => {
                    let streams = Seed::from_system()?.streams(Purpose::Knowledge, 0);
                    streams.at(0).next_u64()
                }
            });
        }
        Ok(request)
    }

    /// The attacks that use all that was published; of these, the ones that have a use for it.
    fn stronger(&self, statement: Option<&Statement>) -> Vec<(AttackRequest, Assign)> {
        if statement.is_none() && self.rank_swapping.is_none() {
            return Vec::new();
        }
        let likelihood = (AttackRequest::Likelihood, self.assign.of_likelihood());
        let swaps = (AttackRequest::Involution { eps: EPS }, Assign::Best);
        let Some(laws) = statement.map(Laws::of) else {
            return vec![likelihood, swaps];
        };
        let any = |is: fn(&Method) -> bool| laws.laws().iter().any(|law| is(&law.step.method));
        let mut attacks = Vec::new();
        if laws.laws().is_empty() || any(|method| !matches!(method, Method::Ipso(_))) {
            attacks.push(likelihood);
        }
        if any(|method| matches!(method, Method::Microaggregation(_))) {
            let nearest_clusters = None;
            let groups = AttackRequest::Microaggregation { nearest_clusters };
            attacks.push((groups, Assign::Best));
        }
        // Ranks that were moved and ranked again have no partners.
        let has_partners = |method: &Method| match method {
            Method::RankSwap(stated) => stated.partner != Partner::Cycle,
            Method::PBuckets(_) | Method::PDistribution(_) => true,
            _ => false,
        };
        if any(has_partners) {
            attacks.push(swaps);
        }
        attacks
    }
}

/// A score that is being worked out.
struct Scoring<'a> {
    request: &'a ScoreRequest,
    files: &'a Files,
    stated: Option<Stated<'a>>,
    observer: &'a dyn Observer,
}

impl Scoring<'_> {
    /// Why there is no attack on rank swapping, if there is none.
    fn no_rsld(&self) -> Option<String> {
        match self.stated.map(|stated| stated.statement) {
            Some(statement) if Laws::of(statement).windows().is_some() => None,
            Some(statement) => Some(format!(
                "the statement is of {}, and RSLD is the attack on rankswap",
                statement.methods()
            )),
            None if self.request.rank_swapping.is_none() => {
                Some("nothing was published about rank swapping".into())
            }
            None => None,
        }
    }

    /// What the attacks find: those behind the terms of DR, then those that may be stronger.
    fn links(&self, known: &str, has_rsld: bool) -> Result<Vec<LinkTerm>> {
        let Self {
            request,
            files,
            stated,
            observer,
        } = *self;
        let intruder = request.intruder(known)?;
        let term = |role, link: &LinkRequest, stated| -> Result<LinkTerm> {
            let input = Input {
                statement: stated,
                ..Input::new(&files.original, &files.masked, &files.truth)
            };
            let attacked = link::run(link, &input, observer)?;
            Ok(LinkTerm::new(role, &attacked.report))
        };
        let of = |attack: AttackRequest| LinkRequest {
            attacks: Attacks::Named(vec![Wanted::Attack(attack)]),
            ..intruder.clone()
        };
        let informed = |attack: AttackRequest| LinkRequest {
            published: Published {
                rank_swapping: request.rank_swapping.clone(),
                groups: None,
            },
            ..of(attack)
        };
        let mut links = Vec::new();
        if has_rsld {
            let rsld = informed(AttackRequest::RankSwapIntersection);
            links.push(term(Role::Term(Term::Rsld), &rsld, stated)?);
        } else if let Some(Stated { statement, file }) = stated {
            // The windows have no use then, but the statement must still be of this file.
            check_statement(
                statement,
                file,
                &request.pair.alignment,
                &files.masked,
                Some(&files.truth),
            )?;
        }
        // Whoever links by distance, too, recodes first what was recoded.
        let recoding = stated.filter(|stated| stated.statement.recodes());
        let dld = of(AttackRequest::Nearest);
        links.push(term(Role::Term(Term::Dld), &dld, recoding)?);
        let pld = LinkRequest {
            assign: request.assign.of_prl(),
            ..of(AttackRequest::Probabilistic(request.probabilistic.clone()))
        };
        links.push(term(Role::Term(Term::Pld), &pld, recoding)?);
        for (attack, assign) in request.stronger(stated.map(|stated| stated.statement)) {
            let name = attack.name();
            let link = LinkRequest {
                assign,
                ..informed(attack)
            };
            match term(Role::Other(name.into()), &link, stated) {
                Ok(term) => links.push(term),
                // What was published has no use for this attack, or the file is too large for it.
                Err(error) => observer.note(&format!(
                    "note: {name} is not among the attacks: {}",
                    error.what()
                )),
            }
        }
        Ok(links)
    }

    /// The report, with loss and interval disclosure.
    fn measured(
        &self,
        known: String,
        links: Vec<LinkTerm>,
        no_rsld: Option<String>,
    ) -> Result<ScoreReport> {
        let Self {
            request,
            files,
            observer,
            ..
        } = *self;
        observer.progress("measuring information loss and interval disclosure");
        let pair = files.pair();
        loss::check_memory(&pair)?;
        let losses = observer.stage("loss", || loss::figures(&pair, &[]));
        let intervals = observer.stage("risk", || interval::figures(&pair.numbers));
        let id = figure::find(&intervals, interval::BY_RANK.key);
        let not_in_il = loss::not_in_il(&pair);
        let rate = |term: Term| {
            let of = links.iter().find(|link| link.term == Role::Term(term));
            of.map(|link| link.rate)
        };
        let overall = Overall {
            il: figure::value(&losses, loss::IL.key),
            il_is_partial: !not_in_il.is_empty(),
            il_all: figure::value(&losses, loss::IL_ALL.key),
            rsld: rate(Term::Rsld),
            dld: rate(Term::Dld),
            pld: rate(Term::Pld),
            id: id.and_then(|id| id.value),
            strongest: (links.iter().flat_map(|term| &term.cases))
                .map(|case| case.rate)
                .max_by(f64::total_cmp),
        };
        let attributes = files.attributes.iter();
        let scenario = ScenarioSummary {
            original: files.original.name().into(),
            masked: files.masked.name().into(),
            original_records: files.original.n_records(),
            compared_records: pair.n_records,
            attributes: attributes
                .map(|shared| files.original.attribute(shared.original).name.clone())
                .collect(),
            not_in_il,
            known,
            direction: request.direction,
            aligned_by: request.pair.alignment.in_words(),
            left_out: files.left_out(),
            crosswalk: files.crosswalk.clone(),
        };
        let il = [loss::IL.key, loss::IL_ALL.key].map(|key| figure::find(&losses, key).cloned());
        Ok(ScoreReport::new(
            scenario,
            overall,
            il,
            id.cloned(),
            links,
            no_rsld,
        ))
    }
}
