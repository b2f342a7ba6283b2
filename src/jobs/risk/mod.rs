//! `risk` as a job: a request and one file or two go in, a report comes out.

mod measure;
mod recoded;
mod roles;

use serde::{Deserialize, Serialize};

pub use measure::FileRisk;
use measure::Subject;
use recoded::Recoded;
use roles::Chosen;
pub use roles::Files;

use super::{
    Observer,
    link::{Stated, request::Alignment},
    warn_of,
};
use crate::{
    error::Result,
    evaluate::shard::Shard,
    report::{
        measurements::{Measurements, Piece},
        risk::{PairSummary, RiskScope, SudaSummary},
    },
    risk::suda,
    statement::MissingMatches,
};

/// Up to so many attributes of a key all sets of them are searched for minimal uniques; in wider ones [`FEW`].
const SEARCHED_WHOLE: usize = 10;

/// Attributes of a minimal unique at most, where the key is wide.
const FEW: u32 = 4;

/// What is to be measured of a file, or of two. Lists are of names or positions.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RiskRequest {
    /// What an intruder may know together; quasi-identifiers that are names or few whole numbers if `None`.
    pub key: Option<String>,
    /// What a missing value of the key matches.
    pub missing: Option<MissingMatches>,
    /// The attribute with the sampling weights.
    pub weights: Option<String>,
    /// Records that match fewer than so many are counted, beside 2, 3 and 5.
    pub k: Option<u32>,
    /// Most attributes of a minimal sample unique; 0 does not search them.
    pub msu_size: Option<u32>,
    /// How minimal sample uniques count.
    pub suda_scoring: Option<suda::Scoring>,
    /// Share of the population in the sample; by the weights if `None`.
    pub sampling_fraction: Option<f64>,
    /// The confidential attributes; those of this role if `None`.
    pub confidential: Option<String>,
    /// Records among fewer than so many confidential values are counted.
    pub l: Option<u32>,
    /// c of recursive (c, l)-diversity; 2 if `None`.
    pub c: Option<f64>,
    /// Greatest distance from the distribution of all.
    pub t: Option<f64>,
    /// How near a guess must be, as a share of the value; 0.05 if `None`.
    pub tolerance: Option<f64>,
    /// Of two files: whether the attributes that are compared were named.
    pub attributes_are_named: bool,
    /// Of two files: how it is known who is who.
    pub alignment: Alignment,
    /// So many of the records most at risk are listed.
    pub most_at_risk: usize,
    /// Whether the risk of every record is wanted.
    pub wants_records: bool,
    /// Of which part of the call the pieces are made; all of them if `None`.
    pub shard: Option<Shard>,
}

/// What a request led to.
pub struct Outcome {
    /// The files, as they were measured.
    pub files: Files,
    /// What was measured: by one run everything.
    pub measurements: Measurements,
    /// The risk of every record of the released file, unless another part of the call measures it.
    pub of_file: Option<FileRisk>,
}

/// Measures what a file, or a pair of files, gives away without any linkage. With a statement the original is recoded as the history says
/// before it is compared with the masked file; of one file a statement says nothing.
///
/// # Errors
/// Usage and Input, when the request or the statement makes no sense for the files.
pub fn run(
    request: &RiskRequest,
    files: Files,
    stated: Option<Stated<'_>>,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let files = files.settled(request)?;
    let recoded = match files.pair() {
        Some(pair) => Some(Recoded::new(request, pair, stated, observer)?),
        None => None,
    };
    let chosen = request.choose(&files, observer)?;
    request.note_without_confidential(&chosen, files.pair().is_some(), observer)?;
    observer.progress("counting records with the same key");
    let doubts = match (files.pair(), &recoded) {
        (Some(pair), Some(recoded)) => recoded.doubts(pair),
        _ => Vec::new(),
    };
    let (measurements, of_file) = observer.stage("risk", || {
        let subject = Subject::of_released(request, &files, &chosen)?;
        let scenario = request.scenario(&files, recoded.as_ref(), &chosen, &subject);
        let (files, recoded) = ((&files, &subject), recoded.as_ref());
        measure::pieces(request, files, recoded, &chosen, (doubts, scenario))
    })?;
    warn_of(&measurements.warnings, observer)?;
    request.note_pieces(&measurements, observer);
    Ok(Outcome {
        files,
        measurements,
        of_file,
    })
}

impl RiskRequest {
    fn note_without_confidential(
        &self,
        chosen: &Chosen,
        has_masked: bool,
        observer: &dyn Observer,
    ) -> Result<()> {
        let given = [
            ("--l", self.l.is_some()),
            ("--c", self.c.is_some()),
            ("--t", self.t.is_some()),
            ("--tolerance", self.tolerance.is_some() && has_masked),
        ];
        let given = given.iter().filter(|(_, given)| *given);
        for (option, _) in given.filter(|_| chosen.confidential.is_empty()) {
            observer.unused(&format!(
                "{option} has no effect: no attribute is confidential (--confidential, or the roles file)"
            ))?;
        }
        Ok(())
    }

    /// How minimal sample uniques are searched in a key of so many attributes, if they are.
    fn suda(&self, width: usize, sampling: measure::Sampling) -> Option<suda::Wanted> {
        let all = u32::try_from(width).unwrap_or(u32::MAX);
        let most = match self.msu_size {
            Some(size) => size.min(all),
            None if width <= SEARCHED_WHOLE => all,
            None => FEW,
        };
        (self.msu_size != Some(0)).then(|| suda::Wanted {
            most,
            scoring: self.suda_scoring.unwrap_or_default(),
            fraction: sampling.fraction,
        })
    }

    /// Says what a part of the call makes: pieces cannot be cut.
    fn note_pieces(&self, made: &Measurements, observer: &dyn Observer) {
        let Some(shard) = self.shard.filter(|shard| shard.of() > 1) else {
            return;
        };
        let own = Piece::ALL.into_iter();
        let own = own.filter(|&piece| made.figures(piece).is_some());
        let own: Vec<&str> = own.map(Piece::in_words).collect();
        let own = match &own[..] {
            [] => "nothing".into(),
            own => own.join(", and "),
        };
        observer.note(&format!(
            "note: part {shard} measures {own}; no piece can be cut, since who shares a key is known from all records only"
        ));
    }

    fn suda_summary(&self, subject: &Subject<'_>) -> Option<SudaSummary> {
        if subject.width() == 0 {
            return None;
        }
        let sampling = subject.sampling();
        let wanted = self.suda(subject.width(), sampling)?;
        Some(SudaSummary {
            most_attributes: wanted.most,
            scoring: wanted.scoring,
            sampling_fraction: wanted.fraction,
            sampling_fraction_from: sampling.from,
        })
    }

    fn scenario(
        &self,
        files: &Files,
        recoded: Option<&Recoded<'_>>,
        chosen: &Chosen,
        subject: &Subject<'_>,
    ) -> RiskScope {
        let table = files.original();
        let not_released = chosen.key.iter().copied();
        let not_released = not_released.filter(|&id| files.in_released(id).is_none());
        RiskScope {
            original: table.name().into(),
            masked: files.pair().map(|pair| pair.masked.name().into()),
            records: files.released().n_records(),
            key: table.names(&chosen.key),
            key_not_released: table.names(&not_released.collect::<Vec<_>>()),
            not_in_key: chosen.not_in_key.clone(),
            missing_matches: self.missing.unwrap_or_default(),
            confidential: table.names(&chosen.confidential),
            weights: self.weights.clone(),
            k: self.k,
            l: self.l,
            t: self.t,
            c: self.c(),
            suda: self.suda_summary(subject),
            pair: files.pair().map(|pair| PairSummary {
                records: pair.truth.pairs(),
                aligned_by: self.alignment.in_words(),
                compared: (pair.attributes.iter())
                    .map(|shared| pair.original.attribute(shared.original).name.clone())
                    .collect(),
                left_out: pair.left_out(),
                crosswalk: pair.crosswalk.clone(),
                known: if chosen.confidential.is_empty() {
                    Vec::new()
                } else {
                    chosen
                        .known(files, pair)
                        .iter()
                        .map(|&[id, _]| table.attribute(id).name.clone())
                        .collect()
                },
                tolerance: self.tolerance(),
                confidential_masked: recoded.map_or_else(Vec::new, |recoded| {
                    let masked = recoded.masked_confidential(pair, &chosen.confidential);
                    table.names(&masked.iter().map(|of| of.original).collect::<Vec<_>>())
                }),
                recoded: recoded.map_or_else(Vec::new, |recoded| recoded.names(table)),
            }),
        }
    }

    fn c(&self) -> f64 {
        self.c.unwrap_or(2.0)
    }

    fn tolerance(&self) -> f64 {
        self.tolerance.unwrap_or(0.05)
    }
}
