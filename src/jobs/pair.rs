//! Two files and who is who in them: what loss, risk and score are measured on.

use serde::{Deserialize, Serialize};

use super::{Observer, crosswalk, link::request::Alignment, mask::request::RulesFile, warn_of};
use crate::{
    error::{Difference, Error, Reason, Result},
    evaluate::{
        comparable::{self, Doubt},
        link::{LeftOut, Shared},
        truth::Truth,
    },
    report::{crosswalk::CrosswalkSummary, link::LeftOutAttribute},
    statement::{Laws, Statement},
    table::{AttrId, Role, Table, pair::Pair},
};

/// How records and attributes of two files belong together.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PairRequest {
    /// The attributes that are compared, a list of names or positions; all quasi-identifiers that both files have if `None`.
    pub attributes: Option<String>,
    /// How it is known who is who.
    pub alignment: Alignment,
    /// The attribute of the original with the records' weights, which is not compared; none if `None`.
    #[serde(default)]
    pub weights: Option<String>,
    /// The rules that bring the original into the terms of the masked file before anything else, where it is not in these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crosswalk: Option<RulesFile>,
}

/// How often each record counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The attribute that says it.
    pub attribute: String,
    /// For each record that both files have, in the order of the original.
    pub of: Vec<f64>,
}

/// Two files side by side.
#[derive(Debug)]
pub struct Files {
    /// The file before masking, in the terms of the masked one where there is a crosswalk.
    pub original: Table,
    /// The file as it was read, where a crosswalk made another table of it.
    pub read: Option<Table>,
    /// What the crosswalk did.
    pub crosswalk: Option<CrosswalkSummary>,
    /// The masked one.
    pub masked: Table,
    /// Who is who.
    pub truth: Truth,
    /// The attributes that are compared, in the order of the original.
    pub attributes: Vec<Shared>,
    /// Whether these were named, and not all that there are.
    pub are_named: bool,
    /// Those that are not, and why.
    pub left_out: Vec<LeftOut>,
    /// How often each record counts, if that was stated.
    pub weights: Option<Weights>,
}

impl PairRequest {
    /// Puts two files side by side, and says what is left out.
    ///
    /// # Errors
    /// Input, when they share no record or no attribute; usage, when an attribute that was named cannot be compared.
    pub fn files(
        &self,
        original: Table,
        masked: Table,
        truth: Truth,
        observer: &dyn Observer,
    ) -> Result<Files> {
        if truth.pairs() == 0 {
            return Err(Error::input("no record of one file is in the other")
                .because(Reason::FilesDiffer {
                    by: Difference::People,
                })
                .in_file(masked.name())
                .remedy("Check --id or --shuffle-key: they say who is who"));
        }
        let (original, read, crosswalk) = match &self.crosswalk {
            None => (original, None, None),
            Some(rules) => {
                let crossed = crosswalk::crossed(rules, &original, observer)?;
                (crossed.table, Some(original), Some(crossed.summary))
            }
        };
        let named = self.attributes.as_deref();
        let (mut attributes, mut left_out) =
            comparable::compared([&original, &masked], named, self.alignment.identifier())?;
        let weights = match &self.weights {
            None => None,
            Some(attribute) => {
                let id = original.find(attribute.trim())?;
                let weights = weights(&original, id, &truth)?;
                attributes.retain(|shared| shared.original != id);
                left_out.retain(|left| left.attribute != weights.attribute);
                left_out.push(LeftOut {
                    attribute: weights.attribute.clone(),
                    why: "holds the weights".into(),
                });
                if attributes.is_empty() {
                    return Err(
                        Error::usage("holds the weights, and nothing else is compared")
                            .on_attribute(&weights.attribute)
                            .remedy("Name other attributes with --attributes"),
                    );
                }
                Some(weights)
            }
        };
        for left in &left_out {
            observer.note(&format!(
                "note: {} is not compared: it {}",
                left.attribute, left.why
            ));
        }
        let without = original.n_records() - truth.pairs();
        if without > 0 {
            observer.note(&format!(
                "note: {without} of {} original records have no masked record; they are not compared",
                original.n_records()
            ));
        }
        Ok(Files {
            original,
            read,
            crosswalk,
            masked,
            truth,
            attributes,
            are_named: named.is_some(),
            left_out,
            weights,
        })
    }
}

/// The weights of the records that both files have.
fn weights(original: &Table, id: AttrId, truth: &Truth) -> Result<Weights> {
    let attribute = original.attribute(id).name.clone();
    let numbers = original.numbers(id).ok_or_else(|| {
        Error::names_not_numbers(&attribute, "weights are numbers")
            .remedy("Name the attribute of the survey weights")
    })?;
    let records = truth.records();
    let missing = (records.iter())
        .filter(|[original, _]| numbers.missing.contains(*original as usize))
        .count();
    let of: Vec<f64> = (records.iter())
        .map(|[original, _]| numbers.values[*original as usize])
        .collect();
    let negative = of.iter().filter(|&&weight| weight < 0.0).count();
    let wrong = match (missing, negative) {
        (0, 0) if of.iter().all(|&weight| weight <= 0.0) => Some("is 0 in all records".to_string()),
        (0, 0) => None,
        _ => Some(format!(
            "cannot be weights: {missing} records miss it, and in {negative} it is negative"
        )),
    };
    match wrong {
        None => Ok(Weights { attribute, of }),
        Some(wrong) => Err(Error::input(wrong)
            .in_file(original.name())
            .on_attribute(&attribute)
            .remedy("Weights are numbers from 0 on, one for each record")),
    }
}

impl Files {
    /// Both files as they were read.
    pub fn tables(&self) -> [&Table; 2] {
        [self.read.as_ref().unwrap_or(&self.original), &self.masked]
    }

    /// The attributes that cannot be compared in earnest, of each of which the observer is warned.
    ///
    /// # Errors
    /// What the observer makes of a warning.
    pub fn doubts(
        &self,
        statement: Option<&Statement>,
        observer: &dyn Observer,
    ) -> Result<Vec<Doubt>> {
        let mut doubts = self.doubts_beside(&self.original, statement);
        // What a step of the statement recoded differs by intent, and is measured as categories.
        let is_recoded = |name: &str| statement.is_some_and(|all| all.recodes_attribute(name));
        doubts.retain(|doubt| !is_recoded(&doubt.attribute));
        warn_of(&doubts, observer)?;
        Ok(doubts)
    }

    /// The attributes that cannot be compared in earnest where the original is this one, the file or the file recoded.
    pub fn doubts_beside(&self, original: &Table, statement: Option<&Statement>) -> Vec<Doubt> {
        let ids: Vec<AttrId> = (self.attributes.iter())
            .map(|shared| shared.original)
            .collect();
        let laws = statement.map(Laws::of);
        comparable::doubts(original, &self.masked, &ids, laws.as_ref())
    }

    /// The records that both files have, side by side.
    pub fn pair(&self) -> Pair {
        self.pair_beside(&self.original)
    }

    /// The same where the original is this one, the file or the file recoded.
    pub fn pair_beside(&self, original: &Table) -> Pair {
        self.pair_of(original, &self.attributes)
    }

    /// These attributes of the records that both files have, side by side, where the original is this one.
    pub fn pair_of(&self, original: &Table, shared: &[Shared]) -> Pair {
        let ids: Vec<_> = (shared.iter())
            .map(|shared| [shared.original, shared.masked])
            .collect();
        Pair::new([original, &self.masked], &ids, &self.truth.records())
    }

    /// The attributes that both files have and that are not compared although they differ.
    pub fn differ_unseen(&self) -> Vec<String> {
        let unseen = self.unseen(|_| true);
        let pair = self.pair_of(&self.original, &unseen);
        pair.differing().into_iter().map(String::from).collect()
    }

    /// The confidential attributes that were masked, where all attributes are looked at and not those that were named: they are not compared
    /// with the quasi-identifiers, but by themselves.
    pub fn masked_confidential(&self, statement: Option<&Statement>) -> Vec<Shared> {
        let is_confidential = |id: AttrId| {
            let attribute = self.original.attribute(id);
            attribute.role == Role::Confidential
                && (self.weights.as_ref()).is_none_or(|weights| weights.attribute != attribute.name)
        };
        if self.are_named {
            Vec::new()
        } else {
            self.masked_among(&self.original, is_confidential, statement)
        }
    }

    /// The attributes of this kind that are not compared and that were masked: that differ between the files, the original being this one,
    /// or that a step of the statement names.
    pub fn masked_among(
        &self,
        original: &Table,
        is_meant: impl Fn(AttrId) -> bool,
        statement: Option<&Statement>,
    ) -> Vec<Shared> {
        let mut found = self.unseen(is_meant);
        let pair = self.pair_of(original, &found);
        let differing = pair.differing();
        let named = statement.map(Statement::attributes).unwrap_or_default();
        found.retain(|shared| {
            let name = original.attribute(shared.original).name.as_str();
            differing.contains(&name) || named.contains(&name)
        });
        found
    }

    /// The attributes of this kind that both files have and that are not compared.
    fn unseen(&self, is_meant: impl Fn(AttrId) -> bool) -> Vec<Shared> {
        let is_compared = |id: &AttrId| self.attributes.iter().any(|shared| shared.original == *id);
        let ids = self
            .original
            .ids()
            .filter(|id| !is_compared(id) && is_meant(*id));
        ids.filter_map(|original| {
            let name = &self.original.attribute(original).name;
            let masked = self.masked.find(name).ok()?;
            Some(Shared { original, masked })
        })
        .collect()
    }

    /// The attributes that are not compared, for a report.
    pub fn left_out(&self) -> Vec<LeftOutAttribute> {
        self.left_out
            .iter()
            .map(|left| LeftOutAttribute {
                attribute: left.attribute.clone(),
                why: left.why.clone(),
            })
            .collect()
    }
}
