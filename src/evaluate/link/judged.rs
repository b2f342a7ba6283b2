//! What becomes of what an attack comes to: links are assigned, held against the truth, and made into claims.

use std::{borrow::Cow, cell::OnceCell, rc::Rc};

use super::{Assign, Case, Claim, FittedModel, Judging, Outcome, alike::Alike};
use crate::{
    attack::{
        Attack, Direction, Lists, Nearest, Preference,
        balanced::{self, Balanced, Sampled, Unlisted},
        one_to_one,
    },
    distance::nearest::{Contest, Link, Neighbours},
    error::{Error, Result},
    evaluate::{
        beyond::{Beyond, StandingOut},
        judge::{self, Judged},
        seekers::{self, Findings, Seeker},
        shard::Shard,
        truth::OriginalRecord,
    },
    rng::{Purpose, Seed},
    table::Matrix,
};

impl Case<'_> {
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

    /// How an attack links records where this is asked for.
    pub(super) fn assign_of(&self, attack: &dyn Attack, asked: Assign) -> Assign {
        match asked {
            Assign::Best if attack.is_balanced() && !self.may_lack_partners(attack) => {
                Assign::Balanced
            }
            other => other,
        }
    }

    /// What becomes of a preference; `alike` says whom the attack cannot tell apart.
    pub(super) fn judged(
        &self,
        attack: &dyn Attack,
        mut preference: Preference<'_>,
        alike: &dyn Fn() -> Alike,
        Judging {
            assign,
            with_links,
            shard,
        }: Judging,
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
        let assign = self.assign_of(attack, assign);
        if shard.is_some() && assign != Assign::Best {
            return Err(Error::usage(
                "links that depend on each other are not judged in parts",
            ));
        }
        let mut posterior = None;
        if matches!(assign, Assign::Balanced | Assign::Sampled(_)) {
            let lists = preference.as_lists().ok_or_else(balanced::no_likelihood)?;
            let unlisted = if candidate_sets {
                Unlisted::Impossible
            } else {
                Unlisted::Unlikely
            };
            let (figures, lists) = given_one_to_one(lists, unlisted, assign)?;
            posterior = Some(figures);
            preference = Preference::Lists(lists);
        }
        if let Some(shard) = shard {
            let neighbours = |nearest: &Nearest<'_>| self.neighbours(nearest);
            let judged = judge::of_shard(&preference, shard, partners, with_links, &neighbours)?;
            return Ok(Outcome {
                fitted,
                caveats,
                ..self.of_shard(shard, judged, candidate_sets)
            });
        }
        let mut judged = self.asked(&preference, partners, with_links)?;
        let links = std::mem::take(&mut judged.links);
        let findings = self.findings(Shard::default(), &judged, candidate_sets);
        match assign {
            Assign::Best | Assign::Balanced | Assign::Sampled(_) => {
                let (score, beyond, calibration) = findings.figures();
                Ok(Outcome {
                    beyond,
                    posterior,
                    links: self.claims(links, Shard::default()),
                    score,
                    assignment: None,
                    fitted,
                    caveats,
                    findings: None,
                    calibration,
                })
            }
            Assign::OneToOne => {
                let assignment = one_to_one::assign(&preference)?;
                let shared = alike().shared_by(&assignment.partners, partners);
                let fates = (judged.contests.iter().zip(&assignment.partners))
                    .zip(shared)
                    .map(|((contest, got), shared)| fate(contest, *got, shared));
                let costs = assignment.costs.iter();
                let costs = costs.map(|cost| (cost.unwrap_or(f64::INFINITY), 1));
                let fates = Judged {
                    contests: fates.collect(),
                    links: Vec::new(),
                    stated: None,
                    least: Some(costs.collect()),
                };
                let fates = self.findings(Shard::default(), &fates, candidate_sets);
                let (assigned, beyond, _) = fates.figures();
                let links = links
                    .into_iter()
                    .enumerate()
                    .map(|(seeker, link)| {
                        let distance = assignment.costs[seeker].map(|cost| match &preference {
                            Preference::Nearest(_) => cost.sqrt(),
                            Preference::Lists(lists) if lists.has_distances() => cost.sqrt(),
                            Preference::Lists(_) | Preference::Agreed(_) => cost,
                            // Of points; where nothing is known, nothing is a cost of 0.
                            Preference::Strata(_) => cost.sqrt(),
                        });
                        judge::assigned(link, assignment.partners[seeker], distance)
                    })
                    .collect();
                Ok(Outcome {
                    links: self.claims(links, Shard::default()),
                    score: findings.score().with_assignment(&assigned),
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

    /// What is found out of the seekers of a shard, who were judged.
    pub(super) fn of_shard(
        &self,
        shard: Shard,
        mut judged: Judged,
        candidate_sets: bool,
    ) -> Outcome {
        let links = std::mem::take(&mut judged.links);
        let findings = self.findings(shard, &judged, candidate_sets);
        let nobody = Findings {
            seekers: Vec::new(),
            ..findings
        };
        Outcome {
            beyond: Beyond::default(),
            score: nobody.score(),
            assignment: None,
            calibration: None,
            posterior: None,
            links: self.claims(links, shard),
            findings: Some(findings),
            fitted: None,
            caveats: Vec::new(),
        }
    }

    /// What is found out of the seekers of a shard.
    fn findings(&self, shard: Shard, judged: &Judged, candidate_sets: bool) -> Findings {
        let partners = self.study.partners();
        let standing_out = self.standing_out();
        let originals = self.originals();
        let seeker = |place: usize| {
            let seeker = shard.piece(place);
            let stands_out =
                |marked: &[bool]| originals[seeker].is_some_and(|record| marked[record.index()]);
            let least = judged.least.as_ref().map(|least| least[place]);
            Seeker {
                partner: partners[seeker].is_some(),
                extreme: stands_out(&standing_out.extreme),
                far: stands_out(&standing_out.far),
                contest: judged.contests[place],
                least: least
                    .map(|(least, _)| least)
                    .filter(|least| least.is_finite()),
                at_least: least.map_or(0, |(_, tied)| tied),
                stated: judged.stated.as_ref().map(|stated| stated[place]),
            }
        };
        Findings {
            of: partners.len(),
            sought: self.study.n_sought() as u64,
            candidate_sets,
            has_least: judged.least.is_some(),
            has_stated: judged.stated.is_some(),
            seekers: seekers::counted(judged.contests.len(), seeker),
        }
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

    /// The index of the sought points. Attacks that search the release itself by the same distance share it.
    pub(super) fn neighbours(&self, nearest: &Nearest<'_>) -> Rc<Neighbours> {
        let build = || Rc::new(Neighbours::build(&nearest.sought, nearest.metric.clone()));
        let is_whole = |matrix: &Matrix| {
            let mut whole = self.matrices.iter().filter_map(OnceCell::get);
            whole.any(|whole| std::ptr::eq(whole, matrix))
        };
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

    /// The links of the seekers of a shard, by file record.
    fn claims(&self, links: Vec<Link>, shard: Shard) -> Vec<Claim> {
        let seekers = shard.of_all(self.study.partners().len());
        let mut claims: Vec<Claim> = (seekers.zip(links))
            .map(|(seeker, link)| {
                let mut linked: Vec<u32> = link
                    .nearest
                    .iter()
                    .map(|&sought| self.study.sought_record(sought as usize))
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

/// The posterior of likelihoods given that links are one to one.
///
/// # Randomness
/// Of permutations, `Purpose::Posterior`, a stream a chain.
fn given_one_to_one(
    lists: &dyn Lists,
    unlisted: Unlisted,
    assign: Assign,
) -> Result<(balanced::Figures, Box<dyn Lists>)> {
    Ok(match assign {
        Assign::Sampled(seed) => {
            let streams = Seed::from_number(seed).streams(Purpose::Posterior, 0);
            let sampled = Sampled::new(lists, unlisted, |chain| streams.at(chain))?;
            (sampled.figures(), Box::new(sampled))
        }
        _ => {
            let balanced = Balanced::new(lists, unlisted)?;
            (balanced.figures(), Box::new(balanced))
        }
    })
}

/// What became of a seeker in an assignment: one link, or none. It is right with a probability of one in `shared`, or wrong where that is 0.
fn fate(contest: &Contest, got: Option<u32>, shared: u32) -> Contest {
    Contest {
        candidates: u32::from(got.is_some()),
        inside: shared > 0 || contest.inside,
        closer: shared == 0,
        tied: shared,
    }
}
