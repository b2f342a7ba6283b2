//! From what a search leaves as proof to a certificate that names records of the two files.

use super::learned::Learned;
use crate::{
    attack::{
        Direction,
        distance_based::Standardize,
        learned::{Evidence, family::Family},
    },
    certificate::{Certificate, Pairing, format},
    evaluate::{link::Shared, truth::Truth},
    optimize::subsystem::{Cell, Conflict, Hard, Proof, SparseRow},
    table::Table,
};

/// More cells make a file that nobody checks.
const MAX_CELLS: usize = 50_000;

impl Learned {
    /// The certificate of what was learned; `None` if no proof was kept.
    pub(super) fn certificate(
        &self,
        direction: Direction,
        tables: [&Table; 2],
        truth: &Truth,
        shared: &[Shared],
    ) -> Option<Certificate> {
        let evidence = self.lesson.evidence.as_ref()?;
        let [original, masked] = tables;
        let distance = &self.lesson.distance;
        let ids: Vec<_> = shared.iter().map(|of| (of.original, of.masked)).collect();
        let held = match direction {
            Direction::OriginalToMasked => &self.seekers,
            Direction::MaskedToOriginal => &self.sought,
        };
        let names = Names {
            learned: self,
            evidence,
            family: format::Family::named(distance.family.name())?,
        };
        Some(Certificate {
            schema: format::SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            family: names.family,
            known: self.known.clone(),
            direction: match direction {
                Direction::OriginalToMasked => format::Direction::OriginalToMasked,
                Direction::MaskedToOriginal => format::Direction::MaskedToOriginal,
            },
            standardize: match distance.standardize {
                Standardize::Own => format::Standardize::Own,
                Standardize::Release => format::Standardize::Masked,
                Standardize::Original => format::Standardize::Original,
                Standardize::None => format::Standardize::None,
            },
            files: Pairing {
                original,
                masked,
                known: &ids,
                masked_of: truth.places(),
            }
            .files(),
            held: (held.len() < original.n_records())
                .then(|| held.iter().map(|record| record + 1).collect()),
            records: self.seekers.len() - evidence.without_partner,
            parameters: distance.parameters.clone(),
            linked: self.lesson.linked,
            bound: self.lesson.bound,
            never: evidence
                .never
                .iter()
                .map(|&(seeker, competitor)| {
                    format::Pair::of_rows(
                        self.seekers[seeker as usize],
                        self.sought[competitor as usize],
                    )
                })
                .collect(),
            proof: names.proof(&evidence.proof),
        })
    }
}

/// What rows and half-spaces of a problem are called in a certificate.
struct Names<'a> {
    learned: &'a Learned,
    evidence: &'a Evidence,
    family: format::Family,
}

impl Names<'_> {
    /// The records of a row, numbered from 0 in their files.
    fn records(&self, row: usize) -> (u32, u32) {
        let rows = &self.evidence.problem.rows;
        let seeker = self.evidence.seekers[rows.block_of(row)];
        let competitor = rows.label(row);
        (
            self.learned.seekers[seeker as usize],
            self.learned.sought[competitor as usize],
        )
    }

    fn weighted(&self, rows: &[(usize, f64)]) -> Vec<format::Weighted> {
        let weighted = |&(row, multiplier): &(usize, f64)| {
            let (record, competitor) = self.records(row);
            format::Weighted::of_rows(record, competitor, multiplier)
        };
        rows.iter().map(weighted).collect()
    }

    fn proof(&self, proof: &Proof) -> format::Proof {
        match proof {
            Proof::Covering { conflicts, dropped } => {
                let named: Option<Vec<_>> = conflicts
                    .iter()
                    .map(|conflict| self.conflict(conflict))
                    .collect();
                match named {
                    Some(conflicts) => format::Proof::Covering {
                        conflicts,
                        dropped: *dropped,
                    },
                    None => unnamed(),
                }
            }
            Proof::Cells(cells) if cells.len() > MAX_CELLS => format::Proof::Search {
                rests_on: format!("{} cells, too many to be written", cells.len()),
            },
            Proof::Cells(cells) => format::Proof::Cells {
                nodes: cells.iter().map(|cell| self.node(cell)).collect(),
            },
            Proof::Search(words) => format::Proof::Search {
                rests_on: words.clone(),
            },
        }
    }

    fn conflict(&self, conflict: &Conflict) -> Option<format::Conflict> {
        let half_spaces: Option<Vec<_>> = conflict
            .hard
            .iter()
            .map(|(hard, multiplier)| Some((self.half_space(hard)?, *multiplier)))
            .collect();
        Some(format::Conflict {
            rows: self.weighted(&conflict.rows),
            half_spaces: half_spaces?,
            plane: conflict.plane,
        })
    }

    fn half_space(&self, hard: &Hard) -> Option<format::HalfSpace> {
        let family = self.learned.lesson.distance.family;
        match hard {
            Hard::Direction(direction) => Some(format::HalfSpace::Direction {
                direction: direction.clone(),
            }),
            Hard::Listed(place) if family == Family::BilinearNonNegative => {
                let &(seeker, sought) = self.evidence.pairs.get(*place)?;
                Some(format::HalfSpace::Pair {
                    pair: format::Pair::of_rows(
                        self.learned.seekers[seeker as usize],
                        self.learned.sought[sought as usize],
                    ),
                })
            }
            Hard::Listed(place) => {
                let row: &SparseRow = self.evidence.problem.space.half_spaces.get(*place)?;
                format::HalfSpace::of_coefficients(self.family, &self.learned.known, row)
            }
        }
    }

    fn node(&self, cell: &Cell) -> format::Node {
        match cell {
            Cell::Split { a, b, at } => format::Node::split(*a, *b, *at),
            Cell::Leaf { wrong, conflicts } => format::Node::Leaf {
                wrong: wrong
                    .iter()
                    .map(|&row| {
                        let (record, competitor) = self.records(row);
                        format::Pair::of_rows(record, competitor)
                    })
                    .collect(),
                conflicts: conflicts.iter().map(|rows| self.weighted(rows)).collect(),
            },
        }
    }
}

fn unnamed() -> format::Proof {
    format::Proof::Search {
        rests_on: "half-spaces that the file of a certificate has no name for".into(),
    }
}
