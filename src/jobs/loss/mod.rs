//! `loss` as a job: a request and two files go in, a report comes out.

mod analyses;

use serde::{Deserialize, Serialize};

pub use analyses::AnalysesRequest;

use super::{
    Observer,
    link::{Stated, check_statement, request::Alignment},
    pair::Files,
};
use crate::{
    error::{Error, Reason, Result},
    evaluate::link::Shared,
    figure::Figure,
    loss::{
        self,
        analyses::Analysis,
        weighted::{Weighted, weighted},
    },
    mask::{relations::Relations, sums::Sum},
    report::loss::{
        ConfidentialLoss, LossReport, LossScope, Measured, WeightedLoss,
        integrity::{Integrity, SumIntegrity},
    },
    table::{AttrId, pair::Pair},
};

/// What is to be measured of two files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LossRequest {
    /// The measures, by key; all if there are none.
    pub measures: Vec<String>,
    /// Whether measures are reported attribute by attribute, too.
    pub by_attribute: bool,
    /// Which analyses are made on both files and compared.
    pub analyses: AnalysesRequest,
    /// How it is known who is who.
    pub alignment: Alignment,
}

/// Measures what masking took from a file; with a statement also what remains for users who correct their statistics by it. The report
/// has no provenance, which is for the caller to add.
///
/// # Errors
/// Usage and Input, when the request or the statement makes no sense for the files.
pub fn run(
    request: &LossRequest,
    files: &Files,
    stated: Option<Stated<'_>>,
    observer: &dyn Observer,
) -> Result<LossReport> {
    if let Some(Stated { statement, file }) = stated {
        check_statement(
            statement,
            file,
            &request.alignment,
            &files.masked,
            Some(&files.truth),
        )?;
    }
    let doubts = files.doubts(stated.map(|stated| stated.statement), observer)?;
    let pair = files.pair();
    let keys = request.keys()?;
    loss::check_memory(&pair)?;
    observer.progress("comparing values and statistics");
    let (data, correction) = observer.stage("loss", || match stated {
        None => (loss::figures(&pair, &keys), None),
        Some(stated) => {
            let (figures, correction) =
                loss::figures_and_correction(&pair, &keys, stated.statement);
            (figures, Some(correction))
        }
    });
    if stated.is_none() {
        request.note_no_parts(&data, observer)?;
    }
    let correction = match correction {
        None => None,
        Some(Ok(correction)) if correction.figures.is_empty() => {
            observer.unused(
                "--statement has no effect: no correction changes the measures that were asked for",
            )?;
            None
        }
        Some(Ok(correction)) => Some(correction),
        Some(Err(why)) => {
            observer.unused(&format!("--statement has no effect: {why}"))?;
            None
        }
    };
    let analyses = if request.analyses.is_wanted() {
        request.analyses.measure(&pair, files, observer)?
    } else {
        Analysis::default()
    };
    let weighted = match &files.weights {
        None => None,
        Some(weights) => {
            let mut figures = request.wanted_weighted(weighted(&pair, &weights.of));
            figures.extend(
                request
                    .analyses
                    .weighted(&pair, files, &weights.of, &analyses)?,
            );
            Some(WeightedLoss {
                attribute: weights.attribute.clone(),
                figures,
            })
        }
    };
    if weighted
        .as_ref()
        .is_some_and(|weighted| weighted.figures.is_empty())
    {
        observer.unused(
            "--weights has no effect: it changes none of the measures that were asked for",
        )?;
    }
    let confidential = request.confidential(files, stated)?;
    Ok(LossReport {
        warnings: doubts,
        scenario: request.scenario(files, &pair, confidential.as_ref()),
        measured: Measured {
            data,
            correction,
            analyses,
            weighted,
            confidential,
        },
        integrity: (request.measures.is_empty()).then(|| integrity(files, &pair)),
        by_attribute: request.by_attribute,
        provenance: None,
    })
}

/// What users take for granted, before and after.
fn integrity(files: &Files, pair: &Pair) -> Integrity {
    let compared: Vec<AttrId> = (files.attributes.iter())
        .map(|shared| shared.original)
        .collect();
    let masked = |id: &AttrId| {
        let shared = (files.attributes.iter()).find(|shared| shared.original == *id)?;
        (files.masked.has_numbers(shared.masked)).then_some(shared.masked)
    };
    let relations = Relations::of(&files.original, &compared, &[]);
    let sums = relations.sums.iter().filter_map(|(sum, before)| {
        let parts = sum.parts.iter().map(masked).collect::<Option<_>>()?;
        let total = masked(&sum.total)?;
        let after = Sum { total, parts }.held(&files.masked);
        Some(SumIntegrity {
            sum: sum.in_words(&files.original),
            before: [before.holds, before.of],
            after: [after.holds, after.of],
        })
    });
    Integrity {
        sums: sums.collect(),
        attributes: loss::integrity::integrity(pair),
    }
}

impl LossRequest {
    /// What confidential attributes lost that were masked.
    fn confidential(
        &self,
        files: &Files,
        stated: Option<Stated<'_>>,
    ) -> Result<Option<ConfidentialLoss>> {
        let masked = files.masked_confidential(stated.map(|stated| stated.statement));
        if masked.is_empty() {
            return Ok(None);
        }
        let pair = files.pair_of(&files.original, &masked);
        loss::check_memory(&pair)?;
        Ok(Some(ConfidentialLoss {
            attributes: (masked.iter())
                .map(|shared| files.original.attribute(shared.original).name.clone())
                .collect(),
            figures: loss::figures(&pair, &self.keys()?),
        }))
    }

    fn scenario(
        &self,
        files: &Files,
        pair: &Pair,
        confidential: Option<&ConfidentialLoss>,
    ) -> LossScope {
        let mut differ_unseen = files.differ_unseen();
        differ_unseen.retain(|name| {
            confidential.is_none_or(|confidential| !confidential.attributes.contains(name))
        });
        let name = |shared: &Shared| files.original.attribute(shared.original);
        LossScope {
            original: files.original.name().into(),
            masked: files.masked.name().into(),
            records: pair.n_records,
            attributes: (files.attributes.iter())
                .map(|shared| name(shared).name.clone())
                .collect(),
            numbers: pair.numbers.names.clone(),
            not_in_il: loss::not_in_il(pair),
            aligned_by: self.alignment.in_words(),
            left_out: files.left_out(),
            crosswalk: files.crosswalk.clone(),
            differ_unseen,
        }
    }

    /// Of weighted measures those that were asked for.
    fn wanted_weighted(&self, mut all: Vec<Weighted>) -> Vec<Weighted> {
        let is_asked_for = |figures: &Weighted| {
            let key = figures.unweighted.what.key;
            self.measures.iter().any(|asked| asked.trim() == key)
        };
        all.retain(|figures| self.measures.is_empty() || is_asked_for(figures));
        all
    }

    /// Notes `--by-attribute` where no measure has parts.
    fn note_no_parts(&self, figures: &[Figure], observer: &dyn Observer) -> Result<()> {
        let have_parts = figures.iter().any(|figure| !figure.parts.is_empty());
        if self.by_attribute && !have_parts {
            observer.unused(
            "--by-attribute has no effect: none of the measures that were asked for is reported by attribute",
        )
        } else {
            Ok(())
        }
    }

    /// The keys of the measures that were asked for.
    fn keys(&self) -> Result<Vec<&str>> {
        let asked: Vec<&str> = self.measures.iter().map(|key| key.trim()).collect();
        if let Some(twice) = (1..asked.len()).find(|&place| asked[..place].contains(&asked[place]))
        {
            return Err(
                Error::usage(format!("--measures names {:?} twice", asked[twice]))
                    .because(Reason::NamedTwice {
                        name: asked[twice].to_owned(),
                    })
                    .remedy("Name each measure once"),
            );
        }
        let there: Vec<&str> = (loss::definitions().iter()).map(|what| what.key).collect();
        match asked.iter().find(|key| !there.contains(key)) {
            None => Ok(asked),
            Some(unknown) => Err(Error::usage(format!(
                "--measures: there is no measure {unknown:?}"
            ))
            .remedy(format!("There are: {}", there.join(", ")))),
        }
    }
}
