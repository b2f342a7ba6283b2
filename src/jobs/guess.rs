//! `guess` as a job: two files go in, what they betray of the masking comes out.

use serde::{Deserialize, Serialize};

use super::{Observer, link::request::Alignment, refuse_empty};
use crate::{
    error::{Error, Result},
    evaluate::{
        guess::{
            self, Files,
            fitted::{Drafts, Law},
        },
        truth::{self, Truth},
    },
    mask::{
        Mask, Rounding,
        copula::{Copula, Keep, Options},
        noise::{self, Noise},
        p_buckets::PBuckets,
        p_distribution::PDistribution,
        rank_swap::{RankSwap, Reach},
    },
    report::{guess::GuessReport, link::LeftOutAttribute},
    rng::{Purpose, Seed},
    statement::Partner,
    table::{AttrId, Role, Table},
};

/// What is to be found out of two files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GuessRequest {
    /// The attributes that are looked at, a list of names or positions; all but identifiers that both files have if `None`.
    pub attributes: Option<String>,
    /// How it is known who is who; without use unless a truth is given.
    pub alignment: Alignment,
}

/// Finds out which masking two files betray; by collections of values alone, unless it is given who is who.
///
/// # Errors
/// Input, when a file has no records or they share no attribute; usage, when an attribute that was named cannot be looked at.
pub fn run(
    request: &GuessRequest,
    original: &Table,
    masked: &Table,
    truth: Option<&Truth>,
    observer: &dyn Observer,
) -> Result<GuessReport> {
    refuse_empty([original, masked], "nothing to compare")?;
    let (attributes, left_out) = request.attributes(original, masked)?;
    for left in &left_out {
        observer.note(&format!(
            "note: {} is not looked at: it {}",
            left.attribute, left.why
        ));
    }
    observer.progress("comparing values, and masking drafts");
    let files = Files {
        tables: [original, masked],
        attributes: &attributes,
        truth,
    };
    let findings = observer.stage("guess", || guess::guess(&files, &Masker { original }));
    let known = truth.is_some().then(|| request.alignment.in_words());
    Ok(GuessReport::new(
        [original, masked],
        known,
        left_out,
        findings,
    ))
}

impl GuessRequest {
    /// The attributes that are looked at, and those that are not with the reasons.
    fn attributes(
        &self,
        original: &Table,
        masked: &Table,
    ) -> Result<(Vec<[AttrId; 2]>, Vec<LeftOutAttribute>)> {
        let identifier = self.alignment.identifier();
        let identifier = identifier.map(|id| truth::id_columns(id, original));
        let candidates = match &self.attributes {
            Some(list) => original.select(list)?,
            None => original.ids().collect(),
        };
        let (mut shared, mut left_out) = (Vec::new(), Vec::new());
        for id in candidates {
            let attribute = original.attribute(id);
            let name = attribute.name.as_str();
            let mut leave_out = |why: &str| {
                left_out.push(LeftOutAttribute {
                    attribute: name.into(),
                    why: why.into(),
                });
            };
            let is_named = self.attributes.is_some();
            match masked.find(name) {
                _ if identifier.is_some_and(|names| names.contains(&name)) => {}
                Err(error) if is_named => return Err(error.in_file(masked.name())),
                Err(_) => leave_out("is not in the masked file"),
                Ok(_) if attribute.role == Role::Identifier && !is_named => {
                    leave_out("is an identifier");
                }
                Ok(other) => shared.push([id, other]),
            }
        }
        if shared.is_empty() {
            return Err(Error::input("shares no attribute with the original that could be looked at")
                .in_file(masked.name())
                .remedy("Attributes are the same when they have the same name: 'sdcrisk match-attributes --rename' finds out which is which"));
        }
        Ok((shared, left_out))
    }
}

/// Masks the original as somebody may have done it.
struct Masker<'a> {
    original: &'a Table,
}

/// Drafts are drawn from this seed: the same files get the same answer.
const SEED: u64 = 2026;

impl Drafts for Masker<'_> {
    fn draft(&self, law: Law, strength: f64, on: &[AttrId], replicate: u32) -> Option<Table> {
        let records = self.original.n_records();
        let streams = Seed::from_number(SEED).streams(Purpose::Draft, replicate);
        let method = method(law, strength, records).ok()?;
        let masked = method.mask(self.original.clone(), on, &streams).ok()?;
        Some(masked.table)
    }
}

fn method(law: Law, strength: f64, records: usize) -> Result<Box<dyn Mask>> {
    let swap = |partner| -> Result<Box<dyn Mask>> {
        let window = whole(strength).clamp(1, records.saturating_sub(1).max(1));
        Ok(Box::new(RankSwap::new(Reach::Window(window), partner)?))
    };
    match law {
        Law::RankSwap => swap(Partner::Unswapped),
        Law::Cycle => swap(Partner::Cycle),
        Law::PBuckets => {
            let buckets = whole(records as f64 / strength).clamp(1, records);
            Ok(Box::new(PBuckets::new(buckets)?))
        }
        Law::PDistribution => {
            let percent = (100.0 * strength / records as f64).min(100.0);
            Ok(Box::new(PDistribution::new(percent)?))
        }
        Law::Copula(protect_extremes) => {
            let options = Options {
                protect_extremes,
                ..Options::default()
            };
            Ok(Box::new(Copula::new(Keep::Mu(strength.powi(-2)), options)?))
        }
        Law::Noise {
            correlated,
            restored,
        } => {
            let options = noise::Options {
                correlated,
                restore: restored,
                rounding: Rounding::Column,
            };
            Ok(Box::new(Noise::new(strength * strength, options)?))
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of ranks or buckets, not below 0"
)]
fn whole(number: f64) -> usize {
    number.round() as usize
}
