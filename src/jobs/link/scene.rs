//! Who knows what in a call, round by round, and what was found in the end.

use super::{
    Input, LinkOutcome, LinkRequest,
    aggregates::Sides,
    learned::Learned,
    published::Facts,
    releases::{Release, known_in},
    request::{AttackRequest, RankSwapping},
    rounds::Round,
    work::{Along, Turn, Work},
};
use crate::{
    error::Result,
    evaluate::{
        comparable::{self, Doubt},
        knowledge::Knowledge,
        link::{LeftOut, Shared, Study},
        status::Status,
        truth::{MaskedRecord, OriginalRecord, Truth},
    },
    jobs::{Observer, history, warn_of},
    report::{
        crosswalk::CrosswalkSummary,
        link::{
            self as report, Attempts, LeftOutAttribute, LinkReport, MethodNotRun, ScenarioSummary,
        },
    },
    rng::Seed,
    statement::Laws,
    table::{AttrId, Role, Table},
};

/// Who knows what in a call.
pub(super) struct Scene<'a> {
    request: &'a LinkRequest,
    input: &'a Input<'a>,
    observer: &'a dyn Observer,
    /// The records that the intruder holds.
    pub(super) held: Vec<OriginalRecord>,
    /// What is aggregated, where the files share no attribute.
    sides: Option<Sides>,
    /// The sets of attributes that the intruder knows; one empty set where the files share none.
    pub(super) cases: Vec<Vec<Shared>>,
    /// The attributes that are in none of them, and why.
    left_out: Vec<LeftOut>,
    /// Those that cannot be compared in earnest.
    doubts: Vec<Doubt>,
    /// The original before attributes were recoded of which laws are about that, and these attributes.
    pub(super) unrecoded: Option<(&'a Table, &'a [String])>,
}

impl<'a> Scene<'a> {
    /// Works it out, and notes what is not compared.
    pub(super) fn new(
        request: &'a LinkRequest,
        input: &'a Input<'a>,
        seed: &Seed,
        laws: Option<&mut Laws>,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let &Input {
            original,
            masked,
            truth,
            ..
        } = input;
        let held = request.held(original, seed)?;
        let sides = Sides::of(request, original, masked, &held)?;
        let (cases, left_out) = match &sides {
            Some(sides) => (vec![Vec::new()], sides.left_out.clone()),
            None => request.cases(original, masked, truth, seed)?,
        };
        if let Some(Knowledge::Worst(size)) = request.known.family() {
            observer.note(&format!(
                "note: --known worst:{size}: the {} sets of {size} attributes are attacked that disclose most by a bound (bits that masked ranks give \
                 about original ones)",
                cases.len()
            ));
        }
        for left in &left_out {
            observer.note(&format!(
                "note: {} is not compared: it {}",
                left.attribute, left.why
            ));
        }
        let doubts = match &sides {
            Some(_) => Vec::new(),
            None => {
                let files = [original, masked];
                let mut doubts = doubts(files, &cases, &left_out, laws.as_deref());
                if let Some(laws) = laws {
                    let known = all_known(&cases);
                    let goes_by_law = (request.attacks.single_attacks())
                        .any(AttackRequest::uses_what_was_published);
                    if goes_by_law {
                        let names = known.iter().map(|pair| original.attribute(pair.original));
                        let names: Vec<&str> = names.map(|of| of.name.as_str()).collect();
                        history::note_without_law(laws, &names, observer);
                    }
                    doubts.extend(history::contradictions(laws, files, &known, truth, &doubts));
                }
                doubts
            }
        };
        warn_of(&doubts, observer)?;
        Ok(Self {
            request,
            input,
            observer,
            held,
            sides,
            cases,
            left_out,
            doubts,
            unrecoded: None,
        })
    }

    /// Notes what is assumed of files of different length.
    pub(super) fn note_what_was_assumed(&self, facts: &Facts<'_>) {
        let Input {
            original, masked, ..
        } = self.input;
        let in_percent = matches!(
            facts.published.rank_swapping,
            Some(RankSwapping::Percent(_))
        );
        if in_percent && original.n_records() != masked.n_records() {
            self.observer.note(&format!(
                "note: --p is taken as a percentage of {} records, those of the larger file; --window states ranks",
                facts.records
            ));
        }
        if self.sides.is_some() && self.held.len() < masked.n_records() {
            self.observer.note(
                "note: aggregates ranks the intruder's records among themselves: of fewer records than were released it finds little",
            );
        }
    }

    /// The study where laws are about attributes as they were before they were recoded, if some are.
    fn before_recoding<'s>(&'s self, study: Study<'s>) -> Study<'s> {
        match self.unrecoded {
            Some((table, attributes)) => study.with_unrecoded(table, attributes),
            None => study,
        }
    }

    /// One round of attacks, the one of this number from 0: all methods in all cases.
    pub(super) fn attack(
        &self,
        work: &mut Work<'_>,
        round: &Round,
        (number, of): (usize, usize),
        releases: &[Release<'_>],
    ) -> Result<()> {
        let &Input {
            original,
            masked,
            truth,
            ..
        } = self.input;
        let direction = self.request.direction;
        let study = |held: &[OriginalRecord], released: Option<&Vec<MaskedRecord>>| {
            self.before_recoding(match released {
                None => Study::new(original, masked, truth, held.to_vec(), direction),
                Some(released) => {
                    let (held, released) = (held.to_vec(), released.clone());
                    Study::among(original, masked, truth, held, released, direction)
                }
            })
        };
        let attacked = study(&round.held, round.released.as_ref());
        let training = round.training.as_ref();
        let learned_from = training.map(|of| study(&of.held, Some(&of.released)));
        work.warn_of_long_assignments(attacked.sizes());
        // Nobody is looked for in a further release, so nobody need be known in it.
        let of_nobody = Truth::of_nobody(original);
        let further: Vec<Study<'_>> = releases
            .iter()
            .map(|release| {
                let held = round.held.clone();
                let study = Study::new(original, release.table, &of_nobody, held, direction);
                if release.shares_history {
                    self.before_recoding(study)
                } else {
                    study
                }
            })
            .collect();
        for (place, known) in self.cases.iter().enumerate() {
            let mut along = Vec::with_capacity(releases.len());
            for (release, study) in releases.iter().zip(&further) {
                let known = known_in(release.table, original, known, self.observer)?;
                along.push(Along {
                    case: study.case(&known),
                    release,
                });
            }
            let case = match &self.sides {
                Some(sides) => {
                    attacked.case_without_common_attributes(&sides.original, &sides.masked)
                }
                None => attacked.case(known),
            };
            let training = learned_from.as_ref().map(|study| study.case(known));
            work.run(&Turn {
                case: &case,
                training: training.as_ref(),
                along: &along,
                split: (of > 1).then_some(number + 1),
                number: number * self.cases.len() + place + 1,
                of: of * self.cases.len(),
            })?;
        }
        Ok(())
    }

    /// What was found, besides the attacks that could not be prepared.
    pub(super) fn outcome(
        self,
        work: Work<'_>,
        not_run: Vec<MethodNotRun>,
        crosswalk: Option<CrosswalkSummary>,
    ) -> LinkOutcome {
        let Self {
            request,
            input:
                Input {
                    original,
                    masked,
                    truth,
                    ..
                },
            ..
        } = self;
        let Work {
            attempts,
            claims,
            lesson,
            ..
        } = work;
        let direction = request.direction;
        let certificate = lesson.as_ref().and_then(|learned: &Learned| {
            learned.certificate(direction, [original, masked], truth, &self.cases[0])
        });
        let asked = LinkReport {
            schema: report::SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            status: Status::Done,
            warnings: self.doubts,
            scenario: ScenarioSummary {
                aggregates: self.sides.map(|sides| sides.summary),
                crosswalk,
                ..summary(request, [original, masked], self.held.len(), self.left_out)
            },
            means: Vec::new(),
            results: Vec::new(),
            not_run,
            limits: Vec::new(),
        };
        let attempts = Attempts {
            asked: asked.clone(),
            of_family: request.known.family().is_some_and(Knowledge::is_family),
            attempts,
            links: None,
        };
        let (report, part) = match request.shard {
            Some(_) => (asked, Some(attempts)),
            None => {
                let joined = Attempts::joined(vec![attempts]);
                (joined.map_or(asked, |(report, _)| report), None)
            }
        };
        LinkOutcome {
            report,
            part,
            claims,
            weights: lesson.map(|learned| learned.weights(direction)),
            certificate,
        }
    }
}

fn summary(
    request: &LinkRequest,
    [original, masked]: [&Table; 2],
    known_records: usize,
    left_out: Vec<LeftOut>,
) -> ScenarioSummary {
    ScenarioSummary {
        original: original.name().into(),
        masked: masked.name().into(),
        original_records: original.n_records(),
        masked_records: masked.n_records(),
        known_records,
        direction: request.direction,
        aligned_by: request.alignment.in_words(),
        ties: request.ties,
        assign: request.assign.rule(),
        left_out: left_out
            .into_iter()
            .map(|left| LeftOutAttribute {
                attribute: left.attribute,
                why: left.why,
            })
            .collect(),
        crosswalk: None,
        aggregates: None,
    }
}

/// The attributes that the intruder was to know, or would have known, and that cannot be compared in earnest.
fn doubts(
    [original, masked]: [&Table; 2],
    cases: &[Vec<Shared>],
    left_out: &[LeftOut],
    laws: Option<&Laws>,
) -> Vec<Doubt> {
    let known = cases.iter().flatten().map(|shared| shared.original);
    let left = left_out.iter();
    let left = left.filter_map(|left| original.find(&left.attribute).ok());
    let left = left.filter(|&id| original.attribute(id).role == Role::QuasiIdentifier);
    let mut ids: Vec<AttrId> = known.chain(left).collect();
    ids.sort_unstable();
    ids.dedup();
    comparable::doubts(original, masked, &ids, laws)
}

/// The attributes that are known in any case, each once.
fn all_known(cases: &[Vec<Shared>]) -> Vec<Shared> {
    let mut all: Vec<Shared> = cases.iter().flatten().copied().collect();
    all.sort_unstable_by_key(|shared| shared.original);
    all.dedup_by_key(|shared| shared.original);
    all
}
