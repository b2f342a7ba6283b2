//! What is measured of a file, and of a pair of files.

use super::{
    RiskRequest,
    recoded::Recoded,
    roles::{Chosen, Files},
};
use crate::{
    error::{Error, Result},
    figure::Figure,
    jobs::pair,
    report::risk::{ClassSize, FractionFrom, RecordRow},
    risk::{
        attribute,
        classes::KeyClasses,
        closeness,
        confidential::Confidential,
        diversity,
        individual::{self, IndividualRisks},
        interval,
        records::RecordRisks,
        suda::Suda,
    },
    stats::moments::sum,
    table::{AttrId, Table, pair::Pair},
};

/// What was measured.
pub(super) struct Measured {
    pub figures: Vec<Figure>,
    /// Of the original, where there is a masked file.
    pub before: Option<Vec<Figure>>,
    pub classes: Vec<ClassSize>,
    pub most_at_risk: Vec<RecordRow>,
    pub of_file: FileRisk,
}

/// The measures of one file by its key.
pub struct FileRisk {
    classes: KeyClasses,
    individual: IndividualRisks,
    suda: Option<Suda>,
    sampling: Sampling,
    figures: Vec<Figure>,
}

/// The share of the population in the sample, and where it is from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sampling {
    pub fraction: f64,
    pub from: FractionFrom,
}

impl Sampling {
    /// As stated; else the records over the people whom they stand for, at most all of them; else the default of the literature.
    fn new(stated: Option<f64>, weights: Option<&[f64]>) -> Self {
        let (fraction, from) = match (stated, weights) {
            (Some(fraction), _) => (fraction, FractionFrom::Option),
            (None, Some(weights)) => {
                let people = sum(weights.iter().copied());
                (
                    (weights.len() as f64 / people).min(1.0),
                    FractionFrom::Weights,
                )
            }
            (None, None) => (0.01, FractionFrom::Default),
        };
        Self { fraction, from }
    }
}

/// Attributes of one file by the parts that they play.
struct Parts<'a> {
    table: &'a Table,
    key: Vec<AttrId>,
    confidential: Vec<AttrId>,
    weights: Option<AttrId>,
}

/// Measures the file that people will see, and the one before it.
pub(super) fn released(
    request: &RiskRequest,
    files: &Files,
    recoded: Option<&Recoded<'_>>,
    chosen: &Chosen,
) -> Result<Measured> {
    let released = |id: &AttrId| files.in_released(*id);
    let weights = match (chosen.weights, &request.weights) {
        (Some(_), Some(name)) => Some(files.released().find(name).map_err(|_| {
            Error::input("does not have the weights")
                .lacking(name, files.released().name())
                .remedy("Release the weights, or leave --weights out")
        })?),
        _ => None,
    };
    let of_file = FileRisk::new(
        request,
        &Parts {
            table: files.released(),
            key: chosen.key.iter().filter_map(released).collect(),
            confidential: chosen.confidential.iter().filter_map(released).collect(),
            weights,
        },
        false,
    )?;
    let with_gaps = of_file.classes.rest_on_gaps();
    let before = files.pair().map(|_| {
        let parts = Parts {
            table: files.original(),
            key: chosen.key.clone(),
            confidential: chosen.confidential.clone(),
            weights: chosen.weights,
        };
        FileRisk::new(request, &parts, with_gaps).map(|risk| risk.figures)
    });
    // Without a key nothing of a single file is measured.
    let has_key = !chosen.key.is_empty();
    let mut figures = if has_key {
        of_file.figures.clone()
    } else {
        Vec::new()
    };
    if let (Some(pair), Some(recoded)) = (files.pair(), recoded) {
        figures.extend(of_pair(request, pair, recoded, files, chosen));
    }
    let histogram = of_file.classes.histogram();
    let sizes = histogram.into_iter();
    let records = of_file.records();
    Ok(Measured {
        figures,
        before: before.transpose()?.filter(|_| has_key),
        classes: sizes
            .map(|(size, records)| ClassSize { size, records })
            .collect(),
        most_at_risk: (records.most_at_risk(request.most_at_risk).into_iter())
            .map(RecordRow::from)
            .collect(),
        of_file,
    })
}

impl FileRisk {
    /// `with_gaps`: the figures of missing values are wanted even if this file has none.
    fn new(request: &RiskRequest, parts: &Parts<'_>, with_gaps: bool) -> Result<Self> {
        let table = parts.table;
        let weights = match parts.weights {
            Some(id) => Some(individual::weights(table, id)?),
            None => None,
        };
        let classes = KeyClasses::new(table, &parts.key, request.missing.unwrap_or_default());
        let individual = IndividualRisks::new(&classes, weights.as_deref());
        let sampling = Sampling::new(request.sampling_fraction, weights.as_deref());
        let suda = request
            .suda(parts.key.len(), sampling)
            .map(|wanted| Suda::new(&classes, wanted));
        let confidential: Vec<Confidential> = (parts.confidential.iter())
            .map(|&id| Confidential::of_table(table, id))
            .collect();
        let mut figures = classes.figures(request.k);
        if with_gaps || classes.rest_on_gaps() {
            figures.extend(classes.gap_figures(request.k));
        }
        if let Some(suda) = &suda {
            figures.extend(suda.figures(&classes, &table.names(&parts.key)));
        }
        figures.extend(individual.figures(&classes));
        // Where nothing is confidential there is nothing to say of it.
        if !confidential.is_empty() {
            let wanted = diversity::Wanted {
                c: request.c(),
                l: request.l,
            };
            figures.extend(diversity::figures(&classes, &confidential, wanted));
            figures.extend(closeness::figures(&classes, &confidential, request.t));
            figures.push(attribute::homogeneity(&classes, &confidential));
        }
        Ok(Self {
            classes,
            individual,
            suda,
            sampling,
            figures,
        })
    }

    /// Record by record.
    pub fn records(&self) -> RecordRisks<'_> {
        RecordRisks {
            classes: &self.classes,
            individual: &self.individual,
            suda: self.suda.as_ref(),
        }
    }

    pub(super) fn width(&self) -> usize {
        self.classes.keys().width()
    }

    pub(super) fn sampling(&self) -> Sampling {
        self.sampling
    }

    pub(super) fn suda_was_searched(&self) -> bool {
        self.suda.is_some() && self.width() > 0
    }
}

/// What masked values reveal about the original ones.
fn of_pair(
    request: &RiskRequest,
    pair: &pair::Files,
    recoded: &Recoded<'_>,
    files: &Files,
    chosen: &Chosen,
) -> Vec<Figure> {
    let mut figures = interval::figures(&pair.pair_beside(&recoded.values).numbers);
    if chosen.confidential.is_empty() {
        return figures;
    }
    let records = pair.truth.records();
    let side_by_side =
        |original: &Table, ids: &[[AttrId; 2]]| Pair::new([original, &pair.masked], ids, &records);
    let known = chosen.known(files, pair);
    let secret: Vec<[AttrId; 2]> = (chosen.confidential.iter())
        .filter_map(|&id| Some([id, files.in_released(id)?]))
        .collect();
    let known = side_by_side(&recoded.known, &known);
    let secret = side_by_side(&recoded.values, &secret);
    figures.extend(attribute::inference(&known, &secret, request.tolerance()));
    let masked = recoded.masked_confidential(pair, &chosen.confidential);
    let masked = pair.pair_of(&recoded.values, &masked).numbers;
    if !masked.names.is_empty() {
        figures.extend(interval::of_confidential(&masked));
    }
    figures
}
