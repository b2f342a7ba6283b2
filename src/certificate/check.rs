//! The checker: what of a certificate is proven again, what rests on something else, and what is wrong.

use super::{
    Pairing,
    cells::cells,
    conflicts::{Ground, Holds},
    cover::{Cover, cover},
    format::{Certificate, Proof},
    parameters::violated,
    points::Points,
    recount::{Recount, recount},
};
use crate::{
    error::{Difference, Error, Reason, Result},
    table::{AttrId, Table},
};

/// What became of a part of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It was proven again.
    Proved,
    /// It was neither proven again nor found false, and is named.
    Named,
    /// It is not true, or does not follow.
    Wrong,
}

/// What a part of a certificate claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The parameters are some of the family.
    Parameters,
    /// How many records they link.
    Linked,
    /// Who has a partner.
    Records,
    /// Who is never linked.
    Never,
    /// Each conflict is one; or each cell holds what it says.
    Inequalities,
    /// How many records hit all conflicts.
    Cover,
    /// That no parameters link more records.
    Bound,
}

impl Claim {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::Linked => "linked",
            Self::Records => "records",
            Self::Never => "never",
            Self::Inequalities => "inequalities",
            Self::Cover => "cover",
            Self::Bound => "bound",
        }
    }
}

/// A part of a certificate, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What is claimed.
    pub claim: Claim,
    /// What became of it.
    pub outcome: Outcome,
    /// Why, in a sentence without full stop. Records are numbered as in their files; none of their values is shown.
    pub detail: String,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Seekers with a partner.
    pub records: usize,
    /// Records that the parameters link, recounted.
    pub linked: usize,
    /// Part by part.
    pub parts: Vec<Part>,
}

impl Verdict {
    /// The worst that became of a part.
    pub fn outcome(&self) -> Outcome {
        let parts = self.parts.iter();
        parts
            .map(|part| part.outcome)
            .max()
            .unwrap_or(Outcome::Proved)
    }

    fn add(&mut self, claim: Claim, outcome: Outcome, detail: impl Into<String>) {
        self.parts.push(Part {
            claim,
            outcome,
            detail: detail.into(),
        });
    }
}

/// The attributes that a certificate names, in both files.
///
/// # Errors
/// Input, when a file does not have one.
pub fn attributes(
    certificate: &Certificate,
    original: &Table,
    masked: &Table,
) -> Result<Vec<(AttrId, AttrId)>> {
    let known = certificate.known.iter();
    known
        .map(|name| Ok((found(original, name)?, found(masked, name)?)))
        .collect()
}

fn found(table: &Table, name: &str) -> Result<AttrId> {
    let id = table.ids().find(|&id| table.attribute(id).name == name);
    id.ok_or_else(|| {
        Error::input(format!(
            "does not have the attribute {name:?} that the certificate names"
        ))
        .in_file(table.name())
        .because(Reason::UnknownAttribute {
            name: name.to_owned(),
            file: Some(table.name().to_owned()),
        })
        .remedy("Give the files with which the certificate was made")
    })
}

/// Checks a certificate against the two files.
///
/// # Errors
/// Input, when it does not speak of these files, or does not make sense.
///
/// # Complexity
/// O(pairs · parameters) for the recount; one exact inequality a conflict; a walk through the cells; a search with a limit of work for the
/// number of records that hit all conflicts.
pub fn check(certificate: &Certificate, files: &Pairing<'_>) -> Result<Verdict> {
    check_sense(certificate)?;
    check_files(certificate, files)?;
    let held = held(certificate, files)?;
    let points = Points::new(certificate, files, &held)?;
    let ground = Ground {
        certificate,
        points: &points,
    };
    let n_seekers = 0..points.n_seekers();
    let mut verdict = Verdict {
        records: n_seekers
            .filter(|&seeker| points.partner(seeker).is_some())
            .count(),
        linked: 0,
        parts: Vec::new(),
    };
    let counted = recount(certificate.family, &points, &certificate.parameters);
    verdict.linked = counted.linked;
    check_parameters(&mut verdict, certificate, counted);
    check_linked(&mut verdict, certificate, counted);
    check_records(&mut verdict, certificate);
    let never = check_never(&mut verdict, &ground);
    if let Some(never) = never {
        check_proof(&mut verdict, &ground, &never);
    }
    Ok(verdict)
}

/// That the certificate makes sense by itself.
fn check_sense(certificate: &Certificate) -> Result<()> {
    let wrong = |what: &str| {
        Err(Error::input(format!("the certificate {what}"))
            .remedy("Give the file that 'sdcrisk link --certificate FILE' wrote"))
    };
    let mut names: Vec<&String> = certificate.known.iter().collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() || names.len() != certificate.known.len() {
        return wrong("names no attribute, or one twice");
    }
    let Some(dimension) = certificate.family.dimension(names.len()) else {
        return wrong("has more parameters than can be checked");
    };
    if dimension != certificate.parameters.len() {
        return wrong("has another number of parameters than its family");
    }
    if !certificate.parameters.iter().all(|p| p.is_finite()) {
        return wrong("has parameters that are no numbers");
    }
    Ok(())
}

/// That the files are those that the certificate speaks of.
fn check_files(certificate: &Certificate, files: &Pairing<'_>) -> Result<()> {
    let (claimed, given) = (&certificate.files, files.files());
    let sides = [
        (files.original, &claimed.original, &given.original),
        (files.masked, &claimed.masked, &given.masked),
    ];
    for (table, claimed, given) in sides {
        if claimed.records != given.records {
            return Err(Error::files_of_other_lengths(
                given.records,
                claimed.records,
                |have, expected| {
                    format!(
                        "has {have} records; the certificate was made from a file of {expected}"
                    )
                },
            )
            .in_file(table.name())
            .remedy("Give the files with which the certificate was made"));
        }
        if claimed.values != given.values {
            return Err(Error::input(
                "has other values in the known attributes than the file that the certificate was made from",
            )
            .because(Reason::FilesDiffer { by: Difference::Values })
            .in_file(table.name())
            .remedy("Give the files with which the certificate was made, and read them by the same options"));
        }
    }
    if claimed.pairing != given.pairing {
        return Err(Error::input(
            "the records of the two files are not paired as the certificate was made with",
        )
        .because(Reason::FilesDiffer {
            by: Difference::People,
        })
        .remedy("Give the --id or --shuffle-key that was given to 'link', or none if none was"));
    }
    Ok(())
}

/// The original records that the intruder holds, from 0.
fn held(certificate: &Certificate, files: &Pairing<'_>) -> Result<Vec<u32>> {
    let n = files.original.n_records();
    let Some(held) = &certificate.held else {
        return Ok((0_u32..).take(n).collect());
    };
    let ascends = held.windows(2).all(|two| two[0] < two[1]);
    let within = held
        .iter()
        .all(|&record| record >= 1 && record as usize <= n);
    if ascends && within {
        Ok(held.iter().map(|record| record - 1).collect())
    } else {
        Err(Error::input(
        "the certificate says that the intruder holds records that the original file does not have, or one twice",
    )
    .remedy("Give the file that 'sdcrisk link --certificate FILE' wrote"))
    }
}

fn check_parameters(verdict: &mut Verdict, certificate: &Certificate, counted: Recount) {
    let n = certificate.known.len();
    let negative = counted
        .is_negative
        .then_some("a pair of records has d² below 0");
    let (outcome, words) =
        match violated(certificate.family, n, &certificate.parameters).or(negative) {
            None => (
                Outcome::Proved,
                "they are parameters of the family".to_string(),
            ),
            Some(what) => (
                Outcome::Wrong,
                format!("they are no parameters of the family: {what}"),
            ),
        };
    verdict.add(Claim::Parameters, outcome, words);
}

fn check_linked(verdict: &mut Verdict, certificate: &Certificate, counted: Recount) {
    let claimed = certificate.linked;
    let Recount { linked, barely, .. } = counted;
    let detail = match barely {
        0 => format!("{linked} records are linked, recounted over all pairs; ties are wrong"),
        _ => format!(
            "{linked} records are linked, recounted over all pairs ({barely} of them by less than rounding); ties are wrong"
        ),
    };
    if (linked - barely..=linked).contains(&claimed) {
        verdict.add(Claim::Linked, Outcome::Proved, detail)
    } else {
        verdict.add(
            Claim::Linked,
            Outcome::Wrong,
            format!("{claimed} are claimed; {detail}"),
        )
    }
}

fn check_records(verdict: &mut Verdict, certificate: &Certificate) {
    let (records, claimed) = (verdict.records, certificate.records);
    if records == claimed {
        verdict.add(
            Claim::Records,
            Outcome::Proved,
            format!("{records} records look for a partner that is there"),
        )
    } else {
        verdict.add(
            Claim::Records,
            Outcome::Wrong,
            format!("{claimed} records are claimed to have a partner; {records} have one"),
        )
    }
}

/// The seekers that are never linked, if the claims hold.
fn check_never(verdict: &mut Verdict, ground: &Ground<'_>) -> Option<Vec<usize>> {
    match ground.never() {
        Ok((never, 0)) => {
            verdict.add(
                Claim::Never,
                Outcome::Proved,
                match never.len() {
                    0 => "no record is left out".into(),
                    1 => "1 record has a competitor that no parameters beat".into(),
                    n => format!("{n} records have a competitor that no parameters beat"),
                },
            );
            Some(never)
        }
        Ok((never, rounded)) => {
            verdict.add(
                Claim::Never,
                Outcome::Named,
                format!(
                    "that no parameters link {} of the records holds for {rounded} of them {WITHIN_ROUNDING}",
                    never.len()
                ),
            );
            Some(never)
        }
        Err(why) => {
            verdict.add(Claim::Never, Outcome::Wrong, why);
            None
        }
    }
}

fn check_proof(verdict: &mut Verdict, ground: &Ground<'_>, never: &[usize]) {
    let certificate = ground.certificate;
    let possible = verdict.records.saturating_sub(never.len());
    match &certificate.proof {
        Proof::Covering { conflicts, dropped } => {
            let checked = match ground.conflicts(conflicts) {
                Ok(checked) => checked,
                Err(why) => return verdict.add(Claim::Inequalities, Outcome::Wrong, why),
            };
            let rounded = checked.iter().filter(|of| of.1 == Holds::ButForRounding);
            let rounded = rounded.count();
            let (outcome, words) = match (conflicts.len(), rounded) {
                (0, _) => (
                    Outcome::Proved,
                    "there are none: no record stands against another".into(),
                ),
                (1, 0) => (
                    Outcome::Proved,
                    "in 1 conflict, the records cannot all be linked; decided exactly".into(),
                ),
                (n, 0) => (
                    Outcome::Proved,
                    format!(
                        "in each of {n} conflicts, the records cannot all be linked; decided exactly"
                    ),
                ),
                (n, rounded) => (
                    Outcome::Named,
                    format!("of {n} conflicts, {rounded} hold {WITHIN_ROUNDING}"),
                ),
            };
            verdict.add(Claim::Inequalities, outcome, words);
            let seekers = checked.into_iter().map(|of| of.0).collect();
            check_cover(verdict, seekers, never, *dropped);
            let bound = possible.saturating_sub(*dropped);
            check_bound(verdict, certificate, bound);
        }
        Proof::Cells { nodes } => match cells(ground, nodes, never) {
            Err(why) => verdict.add(Claim::Inequalities, Outcome::Wrong, why),
            Ok(tree) => {
                let leaves = tree.leaves;
                let covers = format!("{leaves} cells cover all parameters");
                match tree.rounded {
                    0 => verdict.add(
                        Claim::Inequalities,
                        Outcome::Proved,
                        format!("{covers}; what each rules out holds, decided exactly"),
                    ),
                    rounded => verdict.add(
                        Claim::Inequalities,
                        Outcome::Named,
                        format!(
                            "{covers}; what {rounded} of them rule out holds {WITHIN_ROUNDING}"
                        ),
                    ),
                }
                match tree.open {
                    0 => verdict.add(
                        Claim::Cover,
                        Outcome::Proved,
                        "in each cell enough records are ruled out",
                    ),
                    open => verdict.add(
                        Claim::Cover,
                        Outcome::Named,
                        format!("in {open} cells it was not found out how many records the conflicts cost: the search was too long"),
                    ),
                }
                check_bound(verdict, certificate, certificate.bound);
            }
        },
        Proof::Search { .. } if certificate.bound >= possible => {
            check_bound(verdict, certificate, possible);
        }
        Proof::Search { .. } => {
            verdict.add(
                Claim::Inequalities,
                Outcome::Named,
                "there are neither conflicts nor cells to be checked: the bound rests on the search that found it",
            );
            check_bound(verdict, certificate, certificate.bound);
        }
    }
}

/// What follows where inequalities hold for rounded numbers only.
const WITHIN_ROUNDING: &str = "within rounding, not exactly: links by less than 1.5e-11 of the terms that are compared (of sb-pd, 1.5e-8), attribute by attribute, are not ruled out";

fn check_cover(verdict: &mut Verdict, seekers: Vec<Vec<usize>>, never: &[usize], dropped: usize) {
    let is_never = |seeker: &usize| never.binary_search(seeker).is_ok();
    let mut conflicts = seekers;
    conflicts.retain(|conflict| !conflict.iter().any(is_never));
    if dropped == 0 {
        return verdict.add(
            Claim::Cover,
            Outcome::Proved,
            "conflicts need not cost anything",
        );
    }
    let cost = match dropped {
        1 => "the conflicts cost at least 1 record".to_string(),
        n => format!("the conflicts cost at least {n} records"),
    };
    let (outcome, detail) = match cover(&conflicts, dropped) {
        Cover::Disjoint => (Outcome::Proved, format!("{cost}: so many share none")),
        Cover::Packing => (
            Outcome::Proved,
            format!("{cost}: by a fractional packing, in whole numbers"),
        ),
        Cover::Search => (
            Outcome::Proved,
            format!("{cost}: all ways to hit them with fewer were tried"),
        ),
        Cover::Fewer(fewer) => (
            Outcome::Wrong,
            format!("it is claimed that {cost}; {fewer} hit all of them"),
        ),
        Cover::Open => (
            Outcome::Named,
            format!(
                "that {cost} rests on the search that found it: trying all ways took too long here"
            ),
        ),
    };
    verdict.add(Claim::Cover, outcome, detail);
}

/// That the bound follows, and is not below what the parameters link.
fn check_bound(verdict: &mut Verdict, certificate: &Certificate, follows: usize) {
    let bound = certificate.bound;
    let linked = verdict.linked.max(certificate.linked);
    // What it follows from may be open itself.
    let is_open = (verdict.parts.iter()).any(|part| part.outcome == Outcome::Named);
    let (outcome, detail) = if bound < follows {
        (
            Outcome::Wrong,
            format!("{bound} is claimed; what the proof gives is {follows}"),
        )
    } else if bound < linked {
        (
            Outcome::Wrong,
            format!("{bound} is claimed; its own parameters link {linked}"),
        )
    } else if is_open {
        (
            Outcome::Named,
            format!(
                "that no more than {bound} records are linked follows from what was not proven again"
            ),
        )
    } else {
        (
            Outcome::Proved,
            format!(
                "that no more than {bound} records are linked, however closely, follows from the above"
            ),
        )
    };
    verdict.add(Claim::Bound, outcome, detail);
}
