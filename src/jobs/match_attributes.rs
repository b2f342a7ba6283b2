//! `match-attributes` as a job: two files go in, which attribute of one is which of the other comes out.

use serde::{Deserialize, Serialize};

use super::Observer;
use crate::{
    error::{Error, Result},
    report::match_attributes::{MatchReport, SCHEMA},
    schema::{self, Matching, Options, Relation},
    table::{AttrId, Table},
};

/// Which attributes are matched, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatchRequest {
    /// The attributes of each file: names or positions; all but identifiers if `None`.
    pub attributes: [Option<String>; 2],
    /// How they are matched.
    pub options: Options,
}

impl MatchRequest {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// Usage, when rivals are looked for beyond the greatest distance.
    pub fn check(&self) -> Result<()> {
        let greatest = self.options.distance.greatest();
        match self.options.within {
            Some(within) if !(0.0..=greatest).contains(&within) => Err(Error::usage(format!(
                "--within {within} is no distance: the greatest is {greatest}"
            ))
            .remedy(format!("Give a number from 0 to {greatest}, such as 0.05"))),
            _ => Ok(()),
        }
    }
}

/// Refuses new names by a relation in which one attribute may have several partners.
///
/// # Errors
/// Usage.
pub fn check_renaming(relation: Relation) -> Result<()> {
    if relation == Relation::OneToMany {
        return Err(Error::usage(
            "--rename needs one attribute of A for each of B, and --relation one-to-many can give several",
        )
        .remedy("Leave --relation out"));
    }
    Ok(())
}

/// What was found.
#[derive(Debug)]
pub struct Matched {
    /// The report.
    pub report: MatchReport,
    matching: Matching,
}

/// Matches the attributes of two files by the distributions of their values. The files may differ in length, order and people.
///
/// # Errors
/// Usage, when the request makes no sense; Input, when a list names no attribute, or there is nothing to match.
pub fn run(request: &MatchRequest, files: [&Table; 2], observer: &dyn Observer) -> Result<Matched> {
    request.check()?;
    let [a, b] = files;
    let [lists_a, lists_b] = &request.attributes;
    let of_a = chosen(a, lists_a.as_deref())?;
    let of_b = chosen(b, lists_b.as_deref())?;
    let options = request.options;
    observer.progress("comparing distributions");
    let matching = observer.stage("match", || {
        schema::match_attributes(files, [of_a.as_deref(), of_b.as_deref()], &options)
    })?;
    let head = MatchReport {
        schema: SCHEMA.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        a: a.name().into(),
        b: b.name().into(),
        a_records: a.n_records(),
        b_records: b.n_records(),
        scale: options.scale,
        distance: options.distance,
        greatest_distance: options.distance.greatest(),
        relation: options.relation,
        bandwidth: None,
        situation: matching.situation.into(),
        pairs: Vec::new(),
        a_unmatched: Vec::new(),
        b_unmatched: Vec::new(),
        left_out: Vec::new(),
    };
    Ok(Matched {
        report: head.with(&matching),
        matching,
    })
}

fn chosen(table: &Table, list: Option<&str>) -> Result<Option<Vec<AttrId>>> {
    list.map(|list| table.select(list)).transpose()
}

impl Matched {
    /// A name for each attribute of the second file: that of its partner; else its own, with underscores where a partner took it.
    ///
    /// # Errors
    /// Those of [`check_renaming`].
    pub fn names_for(&self, b: &Table) -> Result<Vec<String>> {
        check_renaming(self.report.relation)?;
        let pairs = &self.matching.pairs;
        let partner = |id: AttrId| pairs.iter().find(|pair| pair.b == id);
        let mut names: Vec<Option<String>> = b
            .ids()
            .map(|id| partner(id).map(|pair| pair.a_name.clone()))
            .collect();
        for place in 0..names.len() {
            if names[place].is_none() {
                let mut own = b.attribute(AttrId::new(place)).name.clone();
                while names.iter().flatten().any(|name| *name == own) {
                    own.push('_');
                }
                names[place] = Some(own);
            }
        }
        Ok(names.into_iter().flatten().collect())
    }

    /// The attributes of the first file whose partner is a guess: no similar one was left, or others are as near.
    pub fn guesses(&self) -> Vec<String> {
        let pairs = self.matching.pairs.iter();
        pairs
            .filter(|pair| !pair.alike || !pair.rivals.is_empty())
            .map(|pair| pair.a_name.clone())
            .collect()
    }
}
