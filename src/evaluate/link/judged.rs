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

    /// What becomes of a preference. `values` are those of seekers and sought records, if the attack sees nothing else of a record: equal records are
    /// then the same to it.
    pub(super) fn judged(
        &self,
        attack: &dyn Attack,
        mut preference: Preference<'_>,
        values: Option<[&Matrix; 2]>,
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
        let neighbours = |nearest: &Nearest<'_>| self.neighbours(nearest);
        let once = match values {
            Some(values) if attack.compares_values() && posterior.is_none() => {
                let seekers = (shard.unwrap_or_default(), values);
                judge::once(&preference, seekers, partners, with_links, &neighbours)?
            }
            _ => None,
        };
        let mut judged = match (once, shard) {
            (Some(judged), _) => judged,
            (None, Some(shard)) => {
                judge::of_shard(&preference, shard, partners, with_links, &neighbours)?
            }
            (None, None) => self.asked(&preference, partners, with_links)?,
        };
        if let Some(shard) = shard {
            return Ok(Outcome {
                fitted,
                caveats,
                ..self.of_shard(shard, judged, candidate_sets)
            });
        }
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
                let alike = values.map_or_else(
                    || Alike::none(self.study.n_sought()),
                    |[seekers, sought]| Alike::of(seekers, sought),
                );
                let shared = alike.shared_by(&assignment.partners, partners);
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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{
        attack::{
            distance_based::{DistanceBased, Standardize},
            gower::Gower,
            kernel::{Kernel, KernelDistance},
            likelihood::Likelihood,
            mahalanobis::{Mahalanobis, Scatter, Singular},
        },
        evaluate::{
            link::{Shared, Study},
            truth::{MaskedRecord, OriginalRecord, Truth},
        },
        statement::{Method, PramParameters, Step, TransitionMatrix},
        stats::checked::Finite,
        table::{ReadOptions, Table},
    };

    /// Two categories and a number of few values with gaps, and a file in which some of them are others.
    fn few_values(rng: &mut ChaCha8Rng, n: usize) -> [Table; 2] {
        let mut texts = ["a,b,c\n".to_string(), "a,b,c\n".to_string()];
        for _ in 0..n {
            let own = [3, 3, 2].map(|values| rng.random_range(0..values));
            let mut masked = own;
            if rng.random_range(0..3) == 0 {
                masked[rng.random_range(0..3)] = rng.random_range(0..2);
            }
            for (text, row) in texts.iter_mut().zip([own, masked]) {
                let c = match rng.random_range(0..30) {
                    0 => "NA".to_string(),
                    _ => row[2].to_string(),
                };
                *text += &format!("x{},y{},{c}\n", row[0], row[1]);
            }
        }
        let read = |text: String| Table::read("t.csv", text.into_bytes(), &ReadOptions::default());
        texts.map(|text| read(text).unwrap())
    }

    /// A matrix that keeps a category with a probability of 0.7.
    fn matrix(attribute: &str, letter: char, n: usize) -> TransitionMatrix {
        let of = |to: usize, from: usize| {
            if to == from {
                0.7
            } else {
                0.3 / (n - 1) as f64
            }
        };
        TransitionMatrix {
            attribute: attribute.into(),
            stratum: Vec::new(),
            categories: (0..n).map(|k| format!("{letter}{k}")).collect(),
            probabilities: (0..n)
                .map(|from| (0..n).map(|to| of(to, from)).collect())
                .collect(),
        }
    }

    /// Asking once for a group of seekers gives what asking for each of them gives: contests, links, least distances, stated
    /// probabilities, of all seekers and of a shard, in both directions, with gaps, people who were not released and records of people who are not known.
    #[test]
    fn equal_seekers_are_told_what_each_would_be() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let kernel = |kernel| KernelDistance {
            kernel,
            standardize: Standardize::Own,
            singular: Singular::Refused,
        };
        let mahalanobis = |scatter| Mahalanobis {
            scatter,
            standardize: Standardize::Own,
            singular: Singular::Refused,
        };
        let degree = 2.try_into().unwrap();
        let (am, md0) = (
            DistanceBased {
                standardize: Standardize::Own,
            },
            mahalanobis(Scatter::Unrelated),
        );
        let md = mahalanobis(Scatter::AlignedCovariances);
        let polynomial = kernel(Kernel::Polynomial { degree });
        let tanh = kernel(Kernel::Tanh {
            offset: Finite::new(0.5).unwrap(),
        });
        for turn in 0..6 {
            let [original, masked] = few_values(&mut rng, 1500);
            let known: Vec<Shared> = (original.ids().zip(masked.ids()))
                .map(|(original, masked)| Shared { original, masked })
                .collect();
            let truth = Truth::by_order(&original, &masked).unwrap();
            let held = OriginalRecord::all(&original).into_iter();
            let held = held.filter(|record| record.0 % 4 != turn % 4).collect();
            let released = MaskedRecord::all(&masked).into_iter();
            let released = released.filter(|record| record.0 % 5 != turn % 5).collect();
            let direction = match turn % 2 {
                0 => Direction::OriginalToMasked,
                _ => Direction::MaskedToOriginal,
            };
            let study = Study::among(&original, &masked, &truth, held, released, direction);
            let case = study.case(&known);
            let partners = study.partners();
            let published = PramParameters {
                invariant: false,
                strata: Vec::new(),
                matrices: vec![matrix("a", 'x', 3), matrix("b", 'y', 3)],
            };
            let attributes = ["a", "b"].map(String::from).to_vec();
            let step = Step::new(Method::Pram(published), 1500, attributes);
            let likelihood = Likelihood::new(step).unwrap();
            let attacks: [&dyn Attack; 7] =
                [&am, &md, &md0, &Gower, &polynomial, &tanh, &likelihood];
            for attack in attacks {
                assert!(attack.compares_values());
                let seen = case.seen(attack).unwrap();
                let whole = seen.preference().unwrap();
                let neighbours = |nearest: &Nearest<'_>| case.neighbours(nearest);
                let scenario = case.scenario(false, None);
                let values = [scenario.seekers(), scenario.sought()];
                for (shard, with_links) in [("1/1", false), ("1/1", true), ("2/2", true)] {
                    let shard: Shard = shard.parse().unwrap();
                    let asked = (shard, values);
                    let once = judge::once(&whole, asked, partners, with_links, &neighbours);
                    let once = once.unwrap().expect("many are equal");
                    let each =
                        judge::of_shard(&whole, shard, partners, with_links, &neighbours).unwrap();
                    let name = attack.name();
                    assert_eq!(once.contests, each.contests, "{name}");
                    assert_eq!(once.links, each.links, "{name}");
                    assert_eq!(once.least, each.least, "{name}");
                    assert_eq!(once.stated, each.stated, "{name}");
                    let Some(lists) = whole.as_lists() else {
                        continue;
                    };
                    assert_eq!(lists.summed().is_some(), name == "likelihood");
                    if lists.summed().is_none() || shard != Shard::default() {
                        continue;
                    }
                    let of_records = OfRecords(lists);
                    let judged = judge::lists((&of_records, None), partners, with_links).unwrap();
                    assert_eq!(judged.contests, each.contests);
                    assert_eq!(judged.links, each.links);
                    assert_eq!(judged.least, each.least);
                    let stated = judged.stated.into_iter().zip(each.stated);
                    let mut stated =
                        stated.flat_map(|(of_records, each)| of_records.into_iter().zip(each));
                    assert!(stated.all(|(a, b)| (a - b).abs() < 2e-9 * a));
                }
            }
        }
    }

    /// Lists whose kinds are not known to anybody.
    #[derive(Debug)]
    struct OfRecords<'a>(&'a dyn Lists);

    impl Lists for OfRecords<'_> {
        fn n_seekers(&self) -> usize {
            self.0.n_seekers()
        }

        fn n_sought(&self) -> usize {
            self.0.n_sought()
        }

        fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
            self.0.list(seeker, list);
        }

        fn is_likelihood(&self) -> bool {
            self.0.is_likelihood()
        }

        fn stated(&self, seeker: usize, list: &[(u32, f64)]) -> f64 {
            self.0.stated(seeker, list)
        }
    }

    /// Records of which hardly two are equal are not sorted.
    #[test]
    fn different_seekers_are_asked_one_by_one() {
        let numbers: String = (0..600).map(|k| format!("{k}\n")).collect();
        let text = ["a\n", &numbers].concat();
        let table = Table::read("t.csv", text.into_bytes(), &ReadOptions::default()).unwrap();
        let known: Vec<Shared> = (table.ids().zip(table.ids()))
            .map(|(original, masked)| Shared { original, masked })
            .collect();
        let truth = Truth::by_order(&table, &table).unwrap();
        let (held, released) = (OriginalRecord::all(&table), MaskedRecord::all(&table));
        let study = Study::among(&table, &table, &truth, held, released, Direction::default());
        let case = study.case(&known);
        let seen = case.seen(&Gower).unwrap();
        let whole = seen.preference().unwrap();
        let scenario = case.scenario(false, None);
        let values = [scenario.seekers(), scenario.sought()];
        let asked = (Shard::default(), values);
        let neighbours = |nearest: &Nearest<'_>| case.neighbours(nearest);
        let once = judge::once(&whole, asked, study.partners(), false, &neighbours);
        assert!(once.unwrap().is_none());
    }
}
