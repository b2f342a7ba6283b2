//! What is measured of a file, and of a pair of files.

use super::{
    RiskRequest,
    recoded::Recoded,
    roles::{Chosen, Files},
};
use crate::{
    error::{Error, Result},
    evaluate::comparable::Doubt,
    figure::Figure,
    jobs::pair,
    report::{
        figures::Measured,
        measurements::{Measurements, OfReleased, Piece},
        risk::{ClassSize, FractionFrom, RecordRow, RiskScope},
    },
    risk::{
        attribute,
        classes::{KeyClasses, rest_on_gaps},
        closeness,
        confidential::Confidential,
        diversity,
        individual::{self, IndividualRisks},
        interval,
        records::RecordRisks,
        suda::Suda,
    },
    statement::MissingMatches,
    stats::{keys::Keys, moments::sum},
    table::{AttrId, Table, pair::Pair},
};

/// The measures of one file by its key.
pub struct FileRisk {
    classes: KeyClasses,
    individual: IndividualRisks,
    suda: Option<Suda>,
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

/// A file of which risk is measured, with the attributes that matter.
pub(super) struct Subject<'a> {
    table: &'a Table,
    key: Vec<AttrId>,
    confidential: Vec<AttrId>,
    weights: Option<Vec<f64>>,
    sampling: Sampling,
}

impl<'a> Subject<'a> {
    /// The file that people will see.
    ///
    /// # Errors
    /// Input, when it lacks the weights, or they are none.
    pub fn of_released(request: &RiskRequest, files: &'a Files, chosen: &Chosen) -> Result<Self> {
        let table = files.released();
        let released = |id: &AttrId| files.in_released(*id);
        let weights = match (chosen.weights, &request.weights) {
            (Some(_), Some(name)) => Some(table.find(name).map_err(|_| {
                Error::input("does not have the weights")
                    .lacking(name, table.name())
                    .remedy("Release the weights, or leave --weights out")
            })?),
            _ => None,
        };
        Self::new(
            request,
            table,
            chosen.key.iter().filter_map(released).collect(),
            chosen.confidential.iter().filter_map(released).collect(),
            weights,
        )
    }

    /// The original.
    fn of_original(request: &RiskRequest, files: &'a Files, chosen: &Chosen) -> Result<Self> {
        let (key, confidential) = (chosen.key.clone(), chosen.confidential.clone());
        Self::new(request, files.original(), key, confidential, chosen.weights)
    }

    fn new(
        request: &RiskRequest,
        table: &'a Table,
        key: Vec<AttrId>,
        confidential: Vec<AttrId>,
        weights: Option<AttrId>,
    ) -> Result<Self> {
        let weights = weights.map(|id| individual::weights(table, id));
        let weights = weights.transpose()?;
        Ok(Self {
            table,
            key,
            confidential,
            sampling: Sampling::new(request.sampling_fraction, weights.as_deref()),
            weights,
        })
    }

    /// Attributes of the key.
    pub fn width(&self) -> usize {
        self.key.len()
    }

    /// The share of the population in the sample.
    pub fn sampling(&self) -> Sampling {
        self.sampling
    }

    fn rest_on_gaps(&self, missing: MissingMatches) -> bool {
        rest_on_gaps(&Keys::of_table(self.table, &self.key), missing)
    }
}

/// The pieces of a call that this part of it makes, for `scenario`; and the measures of the released file, if that is one of them.
pub(super) fn pieces(
    request: &RiskRequest,
    (files, subject): (&Files, &Subject<'_>),
    recoded: Option<&Recoded<'_>>,
    chosen: &Chosen,
    (warnings, scenario): (Vec<Doubt>, RiskScope),
) -> Result<(Measurements, Option<FileRisk>)> {
    let own = |piece: Piece| piece.is_of(request.shard.unwrap_or_default(), &scenario);
    let of_file = own(Piece::Released).then(|| FileRisk::new(request, subject, false));
    let compared = match (files.pair(), recoded) {
        (Some(pair), Some(recoded)) if own(Piece::Compared) => {
            Some(of_pair(request, pair, recoded, files, chosen))
        }
        _ => None,
    };
    let before = if own(Piece::Before) {
        let with_gaps = match &of_file {
            Some(of_file) => of_file.classes.rest_on_gaps(),
            None => subject.rest_on_gaps(request.missing.unwrap_or_default()),
        };
        let original = Subject::of_original(request, files, chosen)?;
        Some(FileRisk::new(request, &original, with_gaps).figures)
    } else {
        None
    };
    let carried = |figures: Vec<Figure>| figures.into_iter().map(Measured::from).collect();
    let made = Measurements {
        warnings,
        released: of_file.as_ref().map(|of_file| OfReleased {
            figures: if scenario.key.is_empty() {
                Vec::new()
            } else {
                carried(of_file.figures.clone())
            },
            classes: (of_file.classes.histogram().into_iter())
                .map(|(size, records)| ClassSize { size, records })
                .collect(),
            most_at_risk: (of_file
                .records()
                .most_at_risk(request.most_at_risk)
                .into_iter())
            .map(RecordRow::from)
            .collect(),
        }),
        scenario,
        compared: compared.map(carried),
        before: before.map(carried),
    };
    Ok((made, of_file))
}

impl FileRisk {
    /// `with_gaps`: the figures of missing values are wanted even if this file has none.
    fn new(request: &RiskRequest, subject: &Subject<'_>, with_gaps: bool) -> Self {
        let table = subject.table;
        let classes = KeyClasses::new(table, &subject.key, request.missing.unwrap_or_default());
        let individual = IndividualRisks::new(&classes, subject.weights.as_deref());
        let suda = request
            .suda(subject.width(), subject.sampling())
            .map(|wanted| Suda::new(&classes, wanted));
        let confidential: Vec<Confidential> = (subject.confidential.iter())
            .map(|&id| Confidential::of_table(table, id))
            .collect();
        let mut figures = classes.figures(request.k);
        if with_gaps || classes.rest_on_gaps() {
            figures.extend(classes.gap_figures(request.k));
        }
        if let Some(suda) = &suda {
            figures.extend(suda.figures(&classes, &table.names(&subject.key)));
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
        Self {
            classes,
            individual,
            suda,
            figures,
        }
    }

    /// Record by record.
    pub fn records(&self) -> RecordRisks<'_> {
        RecordRisks {
            classes: &self.classes,
            individual: &self.individual,
            suda: self.suda.as_ref(),
        }
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
