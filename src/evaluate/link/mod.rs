//! An attack on a pair of files: what the intruder is given, and what becomes of their claims.

mod shared;
mod study;

use std::{
    borrow::Cow,
    cell::{OnceCell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use serde::{Deserialize, Serialize};

pub use shared::{LeftOut, Shared, comparable, is_constant, shared_attributes};
pub use study::Study;

use super::{
    beyond::{self, Beyond, StandingOut, Surety},
    calibration::Calibration,
    judge::{self, Judged},
    score::Score,
    shard::{Findings, Seeker, Shard},
    truth::{MaskedRecord, OriginalRecord},
};
use crate::{
    agreement::Pattern,
    attack::{
        Attack, Direction, Lists, Nearest, Preference, Release, Scenario,
        balanced::{self, Balanced, Sampled},
        by_law::Limited,
        learned::{Learner, Lesson},
        of_sample::OfSample,
        one_to_one::{self, Total},
        probabilistic::{Agreed, Model, PatternRow},
        releases::{Further, Releases},
        steps::Added,
    },
    distance::nearest::{Contest, Link, Neighbours},
    error::{Error, Result},
    rng::{Purpose, Seed},
    table::{AttrId, Matrix, Scale},
};

/// How records are linked once every pair has its distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assign {
    /// Each record with its best, whoever else wants it.
    Best,
    /// All at once, each at most once, at the least total cost.
    OneToOne,
    /// Each record with its most likely one, given that all are linked one to one: for attacks with likelihoods.
    Balanced,
    /// The same with permutations drawn instead of likelihoods scaled, from a seed.
    Sampled(u64),
}

impl Assign {
    /// Which rule it follows, without what only one call needs.
    pub fn rule(self) -> AssignRule {
        match self {
            Self::Best => AssignRule::Best,
            Self::OneToOne => AssignRule::OneToOne,
            Self::Balanced | Self::Sampled(_) => AssignRule::Balanced,
        }
    }
}

/// [`Assign`] as reports and files say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AssignRule {
    /// Each record with its best.
    Best,
    /// All at once at the least total cost.
    OneToOne,
    /// Each record with its most likely one, given that all are linked one to one.
    Balanced,
}

impl AssignRule {
    /// Its word in reports, in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::OneToOne => "one-to-one",
            Self::Balanced => "balanced",
        }
    }
}

/// A study in which the intruder knows certain attributes.
#[derive(Debug)]
pub struct Case<'a> {
    study: &'a Study<'a>,
    known: Vec<String>,
    scales: Vec<Scale>,
    /// Of those without numbers, what their codes stand for.
    categories: Vec<Option<Vec<String>>>,
    intruder: Matrix,
    released: Matrix,
    /// What the intruder knows of attributes before they were recoded, where laws are about that.
    unrecoded: Option<Release>,
    /// The index of the last attack: attacks with the same distance share it.
    index: RefCell<Option<Rc<Neighbours>>>,
    /// The known attributes in the original.
    attributes: Vec<AttrId>,
    /// Who stands out by them; no attack is shown it.
    standing_out: OnceCell<StandingOut>,
}

/// What an attack achieved.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it fared among people who stand out, and with its surest links.
    pub beyond: Beyond,
    /// How its claims were judged.
    pub score: Score,
    /// Of a one-to-one assignment.
    pub assignment: Option<Total>,
    /// What an attack with likelihoods says of its own success; not of a one-to-one assignment, which states nothing.
    pub calibration: Option<Calibration>,
    /// How the posterior given one-to-one links was come by, if it was asked for.
    pub posterior: Option<balanced::Figures>,
    /// What was fitted, if the attack fits a model.
    pub fitted: Option<FittedModel>,
    /// Its claims, if they were asked for: one a seeker, by ascending file record.
    pub links: Vec<Claim>,
    /// What must be said of it, found while these files were attacked; each a sentence without full stop.
    pub caveats: Vec<String>,
    /// What was found out of the seekers of a shard, where these alone are judged; all figures are then those of nobody.
    pub findings: Option<Findings>,
}

/// What an attack claims about one record. Records are numbered from 0 as in their files.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The record that looked.
    pub record: u32,
    /// The records it is linked with, ascending; several if they tie, none if there was no candidate.
    pub linked: Vec<u32>,
    /// Their distance.
    pub distance: Option<f64>,
    /// Size of the candidate set.
    pub candidates: u32,
    /// Number of records that tie.
    pub tied: u32,
    /// The place of the true record in the order of distance, ties at the best place; `None` outside the candidates.
    pub rank_of_true: Option<u32>,
}

/// A fitted model, and what the truth says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedModel {
    /// What EM fitted to the pairs: shares and weights of the patterns.
    pub model: Model,
    /// True pairs of each of its patterns.
    pub matches: Vec<u64>,
}

impl FittedModel {
    /// Counts the true pairs of each pattern.
    fn new(agreed: &Agreed, partners: &[Option<u32>]) -> Self {
        let mut matches: BTreeMap<Pattern, u64> = BTreeMap::new();
        for (seeker, sought) in partners.iter().enumerate() {
            if let Some(sought) = sought {
                let pattern = agreed.weighted.agreement.pattern(seeker, *sought as usize);
                *matches.entry(pattern).or_insert(0) += 1;
            }
        }
        let of_row = |row: &PatternRow| matches.get(&row.pattern).copied().unwrap_or(0);
        Self {
            matches: agreed.model.patterns.iter().map(of_row).collect(),
            model: agreed.model.clone(),
        }
    }
}

/// A further release of the same people, and what the intruder makes of it.
#[derive(Debug, Clone, Copy)]
pub struct FurtherRelease<'a> {
    /// What the intruder sees of it. The same records are held, in the same direction.
    pub case: &'a Case<'a>,
    /// By what law it was made.
    pub attack: &'a dyn Attack,
    /// For each record of the first masked file, the record of this one that is the same person's: the releases say so themselves.
    pub counterpart: &'a [Option<MaskedRecord>],
}

impl Case<'_> {
    /// The study that this is a case of.
    pub fn study(&self) -> &Study<'_> {
        self.study
    }

    /// Names of the known attributes.
    pub fn known(&self) -> &[String] {
        &self.known
    }

    /// Learns a distance from the true matches.
    ///
    /// # Errors
    /// Whatever the learner objects to.
    pub fn learn(&self, learner: &Learner) -> Result<Lesson> {
        learner.learn(&self.scenario(true, None))
    }

    /// What the intruder has; the true matches only in a worst case.
    fn scenario<'s>(&'s self, worst_case: bool, beside: Option<&'s Release>) -> Scenario<'s> {
        Scenario {
            known: &self.known,
            scales: &self.scales,
            categories: &self.categories,
            intruder: &self.intruder,
            released: &self.released,
            direction: self.study.direction,
            aligned: worst_case.then_some(self.study.partners()),
            beside,
            unrecoded: self.unrecoded.as_ref(),
        }
    }

    /// Runs an attack and judges it.
    ///
    /// # Errors
    /// Whatever the attack objects to; Usage when it has no likelihoods to balance; Failed when an assignment does not
    /// fit into memory.
    pub fn attack(&self, attack: &dyn Attack, assign: Assign, with_links: bool) -> Result<Outcome> {
        let seen = self.seen(attack)?;
        let mut preference = preference(&seen)?;
        if attack.left_out() > 0
            && self.study.direction == Direction::OriginalToMasked
            && assign == Assign::Best
            && !attack.is_balanced()
        {
            preference = match preference {
                Preference::Lists(lists) if lists.is_likelihood() => {
                    Preference::Lists(Box::new(OfSample::new(lists, attack.left_out())))
                }
                other => other,
            };
        }
        self.judged(attack, preference, assign, with_links)
    }

    /// What an attack sees of this case; of one that adds up the laws of several steps, what each of those sees that speak of something.
    fn seen<'s>(&'s self, attack: &'s dyn Attack) -> Result<Vec<Seen<'s>>> {
        let speaks = |factor: &&dyn Attack| {
            let law = factor.law();
            law.is_none_or(|law| {
                self.known
                    .iter()
                    .any(|name| law.applies_to(name, &self.known))
            })
        };
        let factors = attack.factors().iter().map(AsRef::as_ref).filter(speaks);
        let factors: Vec<&dyn Attack> = factors.collect();
        match (factors.as_slice(), attack.factors().first()) {
            ([], None) => Ok(vec![Seen::new(self, attack)?]),
            // Which says that nothing is left.
            ([], Some(first)) => Ok(vec![Seen::new(self, first.as_ref())?]),
            (factors, _) => (factors.iter())
                .map(|&factor| Seen::new(self, factor))
                .collect(),
        }
    }

    /// Runs an attack with likelihoods on several releases at once ([`Releases`]), and judges it by the records of the first.
    ///
    /// # Errors
    /// Those of [`Case::attack`]; Usage, when an attack has no lists of likelihoods.
    pub fn attack_all(
        &self,
        attack: &dyn Attack,
        further: &[FurtherRelease<'_>],
        assign: Assign,
        with_links: bool,
    ) -> Result<Outcome> {
        let cases = further.iter().map(|release| (release.attack, release.case));
        let cases: Vec<(&dyn Attack, &Case<'_>)> =
            std::iter::once((attack, self)).chain(cases).collect();
        let seen = (cases.iter())
            .map(|(attack, case)| case.seen(*attack))
            .collect::<Result<Vec<_>>>()?;
        let mut lists = Vec::with_capacity(seen.len());
        for ((attack, _), seen) in cases.iter().zip(&seen) {
            lists.push(likelihoods(*attack, preference(seen)?)?);
        }
        let mut added = Vec::with_capacity(further.len());
        for (release, lists) in further.iter().zip(lists.drain(1..)) {
            let study = release.case.study;
            let place_of = study::places(&study.shown, study.masked);
            let counterpart = (self.study.shown.iter())
                .map(|&record| place_of[release.counterpart[record.index()]?.index()]);
            added.push(Further::new(
                lists,
                study.shown.len(),
                counterpart.collect(),
            ));
        }
        let first = lists.pop().ok_or_else(|| unlikely(attack))?;
        let all = Releases::new(first, added, self.study.direction)?;
        self.judged(attack, Preference::Lists(Box::new(all)), assign, with_links)
    }

    /// What is found out of a preference.
    fn asked(
        &self,
        preference: &Preference<'_>,
        partners: &[Option<u32>],
        with_links: bool,
    ) -> Result<Judged> {
        match preference {
            Preference::Nearest(nearest) => {
                let neighbours = self.neighbours(nearest);
                judge::nearest(nearest, &neighbours, partners, with_links)
            }
            Preference::Lists(lists) => judge::lists((lists.as_ref(), None), partners, with_links),
            Preference::Agreed(agreed) => judge::agreed(&agreed.weighted, partners, with_links),
            Preference::Strata(joined) => {
                judge::strata(joined, partners, with_links, |preference, partners, _| {
                    self.asked(preference, partners, with_links)
                })
            }
        }
    }

    /// Whether records of the shorter file may have no partner in the other: the intruder holds part of the people, and part of the
    /// records were released. Balancing would exclude right pairs then.
    fn may_lack_partners(&self, attack: &dyn Attack) -> bool {
        let study = self.study;
        let everybody = study.masked.n_records() + attack.left_out();
        study.held.len() < everybody && study.shown.len() < everybody
    }

    /// What becomes of a preference.
    fn judged(
        &self,
        attack: &dyn Attack,
        mut preference: Preference<'_>,
        assign: Assign,
        with_links: bool,
    ) -> Result<Outcome> {
        let partners = self.study.partners();
        let fitted = match &preference {
            Preference::Agreed(agreed) => Some(FittedModel::new(agreed, partners)),
            _ => None,
        };
        let lists = preference.as_lists();
        let caveats = lists.map_or_else(Vec::new, |lists| lists.caveats());
        let candidate_sets =
            attack.has_candidate_sets() && lists.is_none_or(|lists| lists.excludes_others());
        let assign = match assign {
            Assign::Best if attack.is_balanced() && !self.may_lack_partners(attack) => {
                Assign::Balanced
            }
            other => other,
        };
        let mut posterior = None;
        if matches!(assign, Assign::Balanced | Assign::Sampled(_)) {
            let lists = preference.as_lists().ok_or_else(balanced::no_likelihood)?;
            let (figures, lists) = given_one_to_one(lists, assign)?;
            posterior = Some(figures);
            preference = Preference::Lists(lists);
        }
        if let Some(shard) = self.study.shard {
            if assign != Assign::Best {
                return Err(Error::usage("links that depend on each other (--assign one-to-one and balanced, involution) are not made in parts")
                    .remedy("Leave --shard out, or take --assign best"));
            }
            return Ok(Outcome {
                beyond: Beyond::default(),
                score: Score::of_contests(&[], 0, preference.n_sought() as u64, candidate_sets),
                assignment: None,
                calibration: None,
                posterior: None,
                findings: Some(self.findings(&preference, shard, candidate_sets)?),
                fitted,
                links: Vec::new(),
                caveats,
            });
        }
        let Judged {
            contests,
            links,
            stated,
            least,
        } = self.asked(&preference, partners, with_links)?;
        let score = Score::of_contests(
            &contests,
            partners.iter().flatten().count() as u64,
            preference.n_sought() as u64,
            candidate_sets,
        );
        let sought = preference.n_sought() as u64;
        match assign {
            Assign::Best | Assign::Balanced | Assign::Sampled(_) => Ok(Outcome {
                beyond: self.beyond(&contests, sought, surety(stated.as_deref(), least)),
                posterior,
                links: self.claims(links),
                score,
                assignment: None,
                fitted,
                caveats,
                findings: None,
                calibration: stated.map(|stated| Calibration::new(&stated, &contests)),
            }),
            Assign::OneToOne => {
                let assignment = one_to_one::assign(&preference)?;
                let right =
                    |(got, truth): &(&Option<u32>, &Option<u32>)| got.is_some() && got == truth;
                let correct = assignment
                    .partners
                    .iter()
                    .zip(partners)
                    .filter(right)
                    .count();
                let fates: Vec<Contest> = (contests.iter().zip(&assignment.partners))
                    .zip(partners)
                    .map(|((contest, got), truth)| fate(contest, *got, *truth))
                    .collect();
                let costs = assignment.costs.iter();
                let costs = costs
                    .map(|cost| (cost.unwrap_or(f64::INFINITY), 1))
                    .collect();
                let beyond = self.beyond(&fates, sought, Some(Surety::Distances(costs)));
                let links = links
                    .into_iter()
                    .enumerate()
                    .map(|(seeker, link)| {
                        let distance = assignment.costs[seeker].map(|cost| match preference {
                            Preference::Nearest(_) => cost.sqrt(),
                            Preference::Lists(_) | Preference::Agreed(_) => cost,
                            // Of points; where nothing is known, nothing is a cost of 0.
                            Preference::Strata(_) => cost.sqrt(),
                        });
                        judge::assigned(link, assignment.partners[seeker], distance)
                    })
                    .collect();
                Ok(Outcome {
                    links: self.claims(links),
                    score: score.with_assignment(correct as u64),
                    assignment: Some(assignment.total),
                    beyond,
                    calibration: None,
                    posterior: None,
                    fitted,
                    caveats,
                    findings: None,
                })
            }
        }
    }

    /// What is found out of the seekers of a shard.
    fn findings(
        &self,
        preference: &Preference<'_>,
        shard: Shard,
        candidate_sets: bool,
    ) -> Result<Findings> {
        let partners = self.study.partners();
        let neighbours = |nearest: &Nearest<'_>| self.neighbours(nearest);
        let judged = judge::of_shard(preference, shard, partners, &neighbours)?;
        let standing_out = self.standing_out();
        let originals = self.originals();
        let own = shard
            .of_all(partners.len())
            .zip(judged.contests)
            .enumerate();
        let seekers = own.map(|(place, (seeker, contest))| {
            let stands_out =
                |marked: &[bool]| originals[seeker].is_some_and(|record| marked[record.index()]);
            let least = judged.least.as_ref().map(|least| least[place]);
            Seeker {
                partner: partners[seeker].is_some(),
                extreme: stands_out(&standing_out.extreme),
                far: stands_out(&standing_out.far),
                contest,
                least: least
                    .map(|(least, _)| least)
                    .filter(|least| least.is_finite()),
                at_least: least.map_or(0, |(_, tied)| tied),
                stated: judged.stated.as_ref().map(|stated| stated[place]),
            }
        });
        Ok(Findings {
            of: partners.len(),
            sought: preference.n_sought() as u64,
            candidate_sets,
            has_least: judged.least.is_some(),
            has_stated: judged.stated.is_some(),
            seekers: seekers.collect(),
        })
    }

    fn standing_out(&self) -> &StandingOut {
        self.standing_out
            .get_or_init(|| StandingOut::of(self.study.original, &self.attributes))
    }

    /// For each seeker the original record behind it, if there is one.
    fn originals(&self) -> Vec<Option<OriginalRecord>> {
        let study = self.study;
        let held = |position: u32| study.held[position as usize];
        match study.direction {
            Direction::OriginalToMasked => study.held.iter().copied().map(Some).collect(),
            Direction::MaskedToOriginal => {
                let partners = study.partner_of_shown.iter();
                partners.map(|partner| partner.map(held)).collect()
            }
        }
    }

    /// How an attack fared among those who stand out, and with the links it is surest of.
    fn beyond(&self, contests: &[Contest], sought: u64, surety: Option<Surety>) -> Beyond {
        beyond::judged(
            contests,
            self.study.partners(),
            sought,
            self.standing_out(),
            &self.originals(),
            surety.as_ref(),
        )
    }

    /// The index of the sought points. Attacks that search the release itself by the same distance share it.
    fn neighbours(&self, nearest: &Nearest<'_>) -> Rc<Neighbours> {
        let build = || Rc::new(Neighbours::build(&nearest.sought, nearest.metric.clone()));
        let whole = [&self.intruder, &self.released];
        let is_whole = |matrix: &Matrix| whole.iter().any(|&whole| std::ptr::eq(whole, matrix));
        if !matches!(&nearest.sought, Cow::Borrowed(sought) if is_whole(sought)) {
            return build();
        }
        let mut index = self.index.borrow_mut();
        if let Some(neighbours) = index
            .as_ref()
            .filter(|index| *index.metric() == nearest.metric)
        {
            return Rc::clone(neighbours);
        }
        let built = build();
        *index = Some(Rc::clone(&built));
        built
    }

    fn claims(&self, links: Vec<Link>) -> Vec<Claim> {
        let mut claims: Vec<Claim> = links
            .into_iter()
            .enumerate()
            .map(|(seeker, link)| {
                let mut linked: Vec<u32> = link
                    .nearest
                    .iter()
                    .map(|&sought| self.study.sought_record(sought))
                    .collect();
                linked.sort_unstable();
                Claim {
                    record: self.study.seeker_record(seeker),
                    // Not -0, which a cost of nothing turned around would be.
                    distance: (link.tied > 0).then_some(link.key + 0.0),
                    candidates: link.candidates,
                    tied: link.tied,
                    rank_of_true: link.place,
                    linked,
                }
            })
            .collect();
        claims.sort_unstable_by_key(|claim| claim.record);
        claims
    }
}

/// What an attack sees of a case.
struct Seen<'s> {
    attack: &'s dyn Attack,
    case: &'s Case<'s>,
    /// Released attributes that it reads.
    beside: Option<Release>,
    /// What its law speaks of, where that is not all.
    limited: Option<Limited>,
}

impl<'s> Seen<'s> {
    fn new(case: &'s Case<'s>, attack: &'s dyn Attack) -> Result<Self> {
        let beside = case.study.release(&attack.reads());
        let limited = {
            let whole = case.scenario(attack.needs_alignment(), beside.as_ref());
            let law = attack.law();
            law.map(|law| Limited::new(&whole, law)).transpose()?
        };
        Ok(Self {
            attack,
            case,
            beside,
            limited,
        })
    }

    /// What the attack comes to.
    fn preference(&self) -> Result<Preference<'_>> {
        let worst_case = self.attack.needs_alignment();
        let whole = self.case.scenario(worst_case, self.beside.as_ref());
        match (&self.limited, self.attack.law()) {
            (Some(limited), Some(law)) => limited.preference(self.attack, law, &whole),
            _ => self.attack.prepare(&whole),
        }
    }
}

/// What an attack comes to on what it sees, or several whose likelihoods are added up.
fn preference<'a>(seen: &'a [Seen<'_>]) -> Result<Preference<'a>> {
    if let [one] = seen {
        return one.preference();
    }
    let lists = (seen.iter()).map(|one| likelihoods(one.attack, one.preference()?));
    let added = Added::new(lists.collect::<Result<_>>()?);
    Ok(Preference::Lists(Box::new(added)))
}

/// Lists of likelihoods, to be added up.
///
/// # Errors
/// Usage, when the preference is no such thing.
fn likelihoods<'a>(attack: &dyn Attack, preference: Preference<'a>) -> Result<Box<dyn Lists + 'a>> {
    match preference {
        Preference::Lists(lists) if lists.is_likelihood() => Ok(lists),
        _ => Err(unlikely(attack)),
    }
}

/// The error of adding up what is no likelihood.
fn unlikely(attack: &dyn Attack) -> Error {
    Error::usage(format!(
        "several releases or steps are added up by likelihoods, which {} does not have in lists for these files",
        attack.name()
    ))
}

/// The posterior of likelihoods given that links are one to one.
///
/// # Randomness
/// Of permutations, `Purpose::Posterior`, a stream a chain.
fn given_one_to_one(
    lists: &dyn Lists,
    assign: Assign,
) -> Result<(balanced::Figures, Box<dyn Lists>)> {
    Ok(match assign {
        Assign::Sampled(seed) => {
            let streams = Seed::from_number(seed).streams(Purpose::Posterior, 0);
            let sampled = Sampled::new(lists, |chain| streams.at(chain))?;
            (sampled.figures(), Box::new(sampled))
        }
        _ => {
            let balanced = Balanced::new(lists)?;
            (balanced.figures(), Box::new(balanced))
        }
    })
}

/// What an attack's confidence is read from.
fn surety(stated: Option<&[f64]>, least: Option<Vec<(f64, u32)>>) -> Option<Surety> {
    match stated {
        Some(stated) => Some(Surety::Stated(stated.to_vec())),
        None => least.map(Surety::Distances),
    }
}

/// What became of a seeker in an assignment: one link, right or wrong, or none.
fn fate(contest: &Contest, got: Option<u32>, truth: Option<u32>) -> Contest {
    let right = got.is_some() && got == truth;
    Contest {
        candidates: u32::from(got.is_some()),
        inside: right || contest.inside,
        closer: !right,
        tied: u32::from(right),
    }
}
