//! Two files and who is who in them: what loss, risk and score are measured on.

use serde::{Deserialize, Serialize};

use super::{Observer, link::request::Alignment, warn_of};
use crate::{
    error::{Difference, Error, Reason, Result},
    evaluate::{
        comparable::{self, Doubt},
        link::{LeftOut, Shared},
        truth::Truth,
    },
    report::link::LeftOutAttribute,
    statement::{Laws, Statement},
    table::{AttrId, Table, pair::Pair},
};

/// How records and attributes of two files belong together.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PairRequest {
    /// The attributes that are compared, a list of names or positions; all quasi-identifiers that both files have if `None`.
    pub attributes: Option<String>,
    /// How it is known who is who.
    pub alignment: Alignment,
}

/// Two files side by side.
#[derive(Debug)]
pub struct Files {
    /// The file before masking.
    pub original: Table,
    /// The masked one.
    pub masked: Table,
    /// Who is who.
    pub truth: Truth,
    /// The attributes that are compared, in the order of the original.
    pub attributes: Vec<Shared>,
    /// Those that are not, and why.
    pub left_out: Vec<LeftOut>,
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
        let named = self.attributes.as_deref();
        let (attributes, left_out) =
            comparable::compared([&original, &masked], named, self.alignment.identifier())?;
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
            masked,
            truth,
            attributes,
            left_out,
        })
    }
}

impl Files {
    /// The attributes that cannot be compared in earnest, of each of which the observer is warned.
    ///
    /// # Errors
    /// What the observer makes of a warning.
    pub fn doubts(
        &self,
        statement: Option<&Statement>,
        observer: &dyn Observer,
    ) -> Result<Vec<Doubt>> {
        let ids: Vec<AttrId> = (self.attributes.iter())
            .map(|shared| shared.original)
            .collect();
        let laws = statement.map(Laws::of);
        let doubts = comparable::doubts(&self.original, &self.masked, &ids, laws.as_ref());
        warn_of(&doubts, observer)?;
        Ok(doubts)
    }

    /// The records that both files have, side by side.
    pub fn pair(&self) -> Pair {
        let ids: Vec<_> = self
            .attributes
            .iter()
            .map(|shared| [shared.original, shared.masked])
            .collect();
        Pair::new([&self.original, &self.masked], &ids, &self.truth.records())
    }

    /// The attributes that both files have and that are not compared although they differ.
    pub fn differ_unseen(&self) -> Vec<String> {
        let is_compared = |id: &AttrId| self.attributes.iter().any(|shared| shared.original == *id);
        let unseen: Vec<[AttrId; 2]> = (self.original.ids())
            .filter(|id| !is_compared(id))
            .filter_map(|id| {
                Some([
                    id,
                    self.masked.find(&self.original.attribute(id).name).ok()?,
                ])
            })
            .collect();
        let tables = [&self.original, &self.masked];
        let pair = Pair::new(tables, &unseen, &self.truth.records());
        pair.differing().into_iter().map(String::from).collect()
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
