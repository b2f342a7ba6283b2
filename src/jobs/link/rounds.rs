//! Who is attacked, and from whom is learned.

use std::collections::BTreeSet;

use super::request::{Learning, LinkRequest, Training};
use crate::{
    error::{Counted, Error, ErrorKind, Result},
    evaluate::{
        knowledge,
        truth::{MaskedRecord, OriginalRecord, Truth},
    },
    rng::{Purpose, Seed},
    table::Table,
};

/// One round of attacks: who is held, and what is seen of the release.
pub(super) struct Round {
    /// The original records that the intruder holds, ascending.
    pub(super) held: Vec<OriginalRecord>,
    /// The masked records that the intruder has, ascending; all of them if `None`.
    pub(super) released: Option<Vec<MaskedRecord>>,
    /// The individuals from which distances are learned, if these are others.
    pub(super) training: Option<Trained>,
}

/// Individuals of whom it is known who is who.
pub(super) struct Trained {
    /// Their original records, ascending.
    pub(super) held: Vec<OriginalRecord>,
    /// Their masked records.
    pub(super) released: Vec<MaskedRecord>,
}

impl LinkRequest {
    /// The rounds: one, or one for each draw of the individuals that are learned from.
    ///
    /// # Errors
    /// Usage or Input, when nobody is left to be learned from, or to be attacked.
    pub(super) fn rounds(
        &self,
        original: &Table,
        masked: &Table,
        truth: &Truth,
        held: Vec<OriginalRecord>,
        seed: &Seed,
    ) -> Result<Vec<Round>> {
        let Some(wanted) = &self.learning.training else {
            return Ok(vec![Round {
                held,
                released: None,
                training: None,
            }]);
        };
        let aligned: Vec<OriginalRecord> = held
            .iter()
            .copied()
            .filter(|&record| truth.masked_of(record).is_some())
            .collect();
        let round = |train: &BTreeSet<OriginalRecord>| {
            let released: Vec<MaskedRecord> = train
                .iter()
                .filter_map(|&record| truth.masked_of(record))
                .collect();
            let taken: BTreeSet<MaskedRecord> = released.iter().copied().collect();
            let others = held.iter().filter(|record| !train.contains(record));
            let mut left = MaskedRecord::all(masked);
            left.retain(|record| !taken.contains(record));
            Round {
                held: others.copied().collect(),
                released: Some(left),
                training: Some(Trained {
                    held: train.iter().copied().collect(),
                    released,
                }),
            }
        };
        let (count, splits) = match wanted {
            &Training::Drawn { records, splits } => (records, splits),
            Training::Listed(list) => {
                let named = list.records(&self.alignment, original)?;
                let named: BTreeSet<OriginalRecord> = named.into_iter().collect();
                let train: BTreeSet<OriginalRecord> = aligned
                    .iter()
                    .copied()
                    .filter(|record| named.contains(record))
                    .collect();
                if train.len() < 2 || train.len() + 2 > held.len() {
                    return Err(Error::too_few_records(train.len().min(held.len() - train.len()), 2, |_, _| {
                format!(
                    "names {} individuals that have a masked record; {} records are attacked",
                    train.len(),
                    held.len() - train.len()
                )
            })
                    .in_file(&list.file)
                    .remedy("Leave at least two to learn from, and two to attack"));
                }
                return Ok(vec![round(&train)]);
            }
        };
        if count < 2 || count > aligned.len() || count + 2 > held.len() {
            return Err(Error::option_out_of_range(
                "train-records",
                2.0..=aligned.len().min(held.len().saturating_sub(2)) as f64,
                &format!(
                    "{count}: there are {} records whose masked record is known",
                    aligned.len()
                ),
            )
            .remedy("Leave at least two to learn from, and two to attack"));
        }
        let draw = |split: usize| {
            let mut rng = seed.streams(Purpose::Knowledge, 0).at(split as u64 + 2);
            let drawn = knowledge::sample(aligned.len(), count, &mut rng);
            let train = drawn.into_iter().map(|place| aligned[place]).collect();
            round(&train)
        };
        Ok((0..splits).map(draw).collect())
    }

    /// Files that are about one attack cannot be written by a call that makes several.
    ///
    /// # Errors
    /// Usage, when one was asked for.
    pub(super) fn refuse_several(&self, attacks: usize, cases: usize) -> Result<()> {
        if self.wants_links && attacks > 1 {
            return Err(Error::too_many(
                ErrorKind::Usage,
                Counted::Attacks,
                [attacks as u128, 1],
                |attacks, _| {
                    format!("--links writes the links of one attack; this call makes {attacks}")
                },
            )
            .remedy("Name one method and one set of known attributes"));
        }
        match self.learning.about_one_distance() {
            Some(option) if cases > 1 => Err(Error::too_many(
                ErrorKind::Usage,
                Counted::Cases,
                [cases as u128, 1],
                |cases, _| {
                    format!("{option} is about one learned distance; this call has {cases} cases")
                },
            )
            .remedy("Give one set of known attributes, and one draw of individuals")),
            _ => Ok(()),
        }
    }
}

impl Learning {
    /// The option of the command line that is about one distance, if one of these was given.
    fn about_one_distance(&self) -> Option<&'static str> {
        [
            ("--weights", self.wants_weights),
            ("--certificate", self.wants_certificate),
            ("--use-weights", self.given.is_some()),
        ]
        .into_iter()
        .find_map(|(option, given)| given.then_some(option))
    }
}
