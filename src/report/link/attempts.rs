//! What attacks found, before it is a report: all of it, or what one of several machines did.

use serde::{Deserialize, Serialize};

use super::{LinkReport, LinkResult, MethodNotRun, means};
use crate::evaluate::{seekers::Findings, shard::Shard, status::Status};

/// The attacks of a call, or a part of them: the seekers of those that judge each seeker by itself are dealt out among all parts, and
/// each of the others is made whole by one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attempts {
    /// The report without results. Its `not_run` has the attacks that could not even be prepared.
    pub asked: LinkReport,
    /// Whether the sets of known attributes are a family, of which a mean is of interest.
    pub of_family: bool,
    /// Each attack with each set of known attributes, in the order of the report.
    pub attempts: Vec<Attempt>,
    /// The lines of the list of links that are known here, by ascending record, if links were asked for.
    pub links: Option<Vec<LinkLine>>,
}

/// An attack with one set of known attributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attempt {
    /// Whether its seekers are dealt out. The others are numbered from 0, and number k is made by part k mod N + 1 of N.
    pub in_parts: bool,
    /// What became of it; null where another part makes it.
    pub made: Option<Made>,
}

/// What became of an attack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Made {
    /// Its results: several, where it is made on further releases, too, or a distance is learned and then used on others.
    Results(Vec<Found>),
    /// It does not apply.
    NotRun(MethodNotRun),
}

/// A result, or what it is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Found {
    /// The result; without figures, where seekers are dealt out.
    pub result: LinkResult,
    /// What the attack does, in words that follow "an intruder who".
    pub in_words: String,
    /// What was found of the seekers of this part, where they are dealt out.
    pub findings: Option<Findings>,
}

/// A line of the list of links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkLine {
    /// The record that looked, by its place in its file from 0.
    pub record: u32,
    /// The cells of the line.
    pub cells: [String; 6],
}

impl Attempts {
    /// The report, and the list of links if links were asked for, of all parts in their order: of one, where one run made all.
    /// `None` of nothing.
    ///
    /// No figure depends on the cut: those of an attack whose seekers were dealt out are worked out here, of all seekers.
    pub fn joined(parts: Vec<Self>) -> Option<(LinkReport, Option<Vec<LinkLine>>)> {
        let mut asked = None;
        let mut of_parts = Vec::with_capacity(parts.len());
        let mut links: Option<Vec<LinkLine>> = None;
        for part in parts {
            asked.get_or_insert((part.asked, part.of_family));
            of_parts.push(part.attempts.into_iter());
            if let Some(own) = part.links {
                links.get_or_insert_default().extend(own);
            }
        }
        let (mut report, of_family) = asked?;
        loop {
            let attempts = of_parts.iter_mut().filter_map(Iterator::next);
            let attempts: Vec<Attempt> = attempts.collect();
            if attempts.is_empty() {
                break;
            }
            let made = attempts.into_iter().filter_map(|attempt| attempt.made);
            report.add(made.collect());
        }
        // The same reason may have been met in several cases.
        report.not_run.dedup();
        report.means = means(&report.results, of_family);
        let is_limited = report.results.iter().any(LinkResult::is_unproven);
        report.status = Status::limited(is_limited);
        if let Some(links) = &mut links {
            links.sort_unstable_by_key(|line| line.record);
        }
        Some((report, links))
    }

    /// Whether it holds just what a part of this number holds.
    pub fn are_of(&self, shard: Shard) -> bool {
        let mut whole = 0..;
        let mut attempts = self.attempts.iter();
        let are_own = attempts.all(|attempt| {
            let is_own = attempt.in_parts || whole.next().is_some_and(|number| shard.has(number));
            let has_own = |found: &Found| match &found.findings {
                Some(findings) => {
                    let own = shard.of_all(findings.of).len() as u64;
                    attempt.in_parts && findings.n_seekers() == Some(own)
                }
                None => !attempt.in_parts,
            };
            is_own == attempt.made.is_some() && attempt.results().iter().all(has_own)
        });
        // Links are those of the last attack.
        let last = self.attempts.last().map_or(&[][..], Attempt::results);
        let seekers = last.last().map_or(0, |found| match &found.findings {
            Some(findings) => findings.n_seekers().unwrap_or(0),
            None => found.result.records,
        });
        let links = self.links.as_ref();
        are_own && links.is_none_or(|links| links.len() as u64 == seekers)
    }

    /// Whether both are parts of one call: they differ in nothing but what each has of its own.
    pub fn fit(&self, other: &Self) -> bool {
        let all = |of: &Self| (of.of_family, of.links.is_some(), of.attempts.len());
        let mut pairs = self.attempts.iter().zip(&other.attempts);
        self.asked == other.asked && all(self) == all(other) && pairs.all(|(a, b)| a.fits(b))
    }
}

impl Attempt {
    fn results(&self) -> &[Found] {
        match &self.made {
            Some(Made::Results(found)) => found,
            Some(Made::NotRun(_)) | None => &[],
        }
    }

    fn fits(&self, other: &Self) -> bool {
        self.in_parts == other.in_parts
            && match (&self.made, &other.made) {
                (Some(Made::Results(a)), Some(Made::Results(b))) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.fits(b))
                }
                (Some(a), Some(b)) => a == b,
                (None, _) | (_, None) => true,
            }
    }
}

impl Found {
    /// This result; with what was found of the seekers of a part, if it is of these.
    pub fn new(result: LinkResult, findings: Option<Findings>) -> Self {
        Self {
            in_words: result.in_words.clone(),
            result,
            findings,
        }
    }

    fn fits(&self, other: &Self) -> bool {
        let about = |of: &Self| of.findings.as_ref().map(Findings::about);
        about(self) == about(other)
            && (&self.result, &self.in_words) == (&other.result, &other.in_words)
    }
}

impl LinkReport {
    /// Adds what became of an attack: what each part that has anything of it made, in the order of the parts.
    fn add(&mut self, made: Vec<Made>) {
        let mut results: Vec<std::vec::IntoIter<Found>> = Vec::with_capacity(made.len());
        for made in made {
            match made {
                Made::Results(found) => results.push(found.into_iter()),
                // All parts say the same.
                Made::NotRun(not_run) => return self.not_run.push(not_run),
            }
        }
        loop {
            let mut found = results.iter_mut().filter_map(Iterator::next);
            let Some(Found {
                result,
                in_words,
                findings,
            }) = found.next()
            else {
                return;
            };
            let findings = findings.into_iter();
            let findings = findings.chain(found.filter_map(|found| found.findings));
            let result = match Findings::joined(findings.collect()) {
                Some(findings) => {
                    let (score, beyond, calibration) = findings.figures();
                    let ties = self.scenario.ties;
                    result.judged_to_be(&score, &beyond, calibration.as_ref(), ties)
                }
                None => result,
            };
            self.results.push(LinkResult { in_words, ..result });
        }
    }
}
