//! An attack by the seekers of a shard, for which neither file need be there as a whole.
//!
//! Of n shards each holds an n-th of the seekers, and looks among an n-th of the sought records at a time, a quarter at least. These pieces
//! lie apart: most seekers find nobody who matters in all but one of them.

use rayon::prelude::*;

use super::{
    Case, Shared,
    apart::Apart,
    study::{MASKED, ORIGINAL, Study},
};
use crate::{
    attack::{
        Attack, Direction, Nearest,
        whole::{ByColumns, Columns, Whole},
    },
    distance::{
        Doubt,
        nearest::{Contest, Least, Neighbours, Rival, Rivals},
    },
    error::Result,
    evaluate::{
        judge::{Judged, MAX_MEASURED},
        shard::Shard,
    },
    table::{Matrix, RecordSet, Scale},
};

/// Pieces of the sought records at most. An index of a quarter takes less memory than the two files do: smaller ones would save little,
/// and each is entered for every seeker.
const PIECES: usize = 4;

/// Partners that one task looks up.
const RIVALS_AT_ONCE: usize = 4096;

impl Case<'_> {
    /// Judges the seekers of a shard, in their order, as [`of_shard`](crate::evaluate::judge::of_shard) does; `None` where the attack
    /// takes more of the files than their columns, an attribute has names, or none is known.
    ///
    /// # Complexity
    /// Searches the index of one piece of the sought records after the other. The distance of each partner is known before the search.
    pub(super) fn in_pieces(&self, attack: &dyn Attack, shard: Shard) -> Result<Option<Judged>> {
        let is_of_numbers = !self.scales.contains(&Scale::Nominal);
        let Some(attack) = attack.by_columns().filter(|_| is_of_numbers) else {
            return Ok(None);
        };
        let is_measured = self.study.partners().len() <= MAX_MEASURED;
        self.judged_in_pieces(attack, shard, is_measured)
    }

    /// `is_measured`: whether least distances are worked out. `None` if no attribute is known.
    fn judged_in_pieces(
        &self,
        attack: &dyn ByColumns,
        shard: Shard,
        is_measured: bool,
    ) -> Result<Option<Judged>> {
        let partners = self.study.partners();
        let own: Vec<usize> = shard.of_all(partners.len()).collect();
        let seekers = self.study.seekers(&self.pairs, &own);
        let nobody = self.study.nobody_sought(&self.pairs);
        let nearest = self.prepared_for(attack, [&seekers, &nobody])?;
        let mut rivals = self.study.rivals(&self.pairs, &nearest, &own);
        let boxes = nearest.candidates.as_ref();
        let (mut contests, mut least) = (Vec::new(), Vec::new());
        let weights = nearest.metric.weights();
        let n_pieces = shard.of().min(PIECES);
        let Some(apart) = self.study.sought_apart(&self.pairs, weights, n_pieces) else {
            return Ok(None);
        };
        for records in apart.pieces() {
            let points = self.study.sought(&self.pairs, &records);
            let index = Neighbours::build(&points, nearest.metric.clone());
            drop(points);
            if is_measured {
                let found = index.least(&nearest.seekers, Rivals::Known(&rivals), boxes, |_| {
                    Doubt::NONE
                });
                join(&mut least, found, Least::and);
            } else {
                let found = index.contests(&nearest.seekers, Rivals::Known(&rivals), boxes);
                join(&mut contests, found, Contest::and);
                // Who is beaten need not be held against anybody else.
                let beaten = rivals.iter_mut().zip(&contests).filter(|(_, of)| of.closer);
                beaten.for_each(|(rival, _)| *rival = None);
            }
        }
        if is_measured {
            contests = least.iter().map(|least| least.contest).collect();
        }
        let of_seeker = |least: &Least| (least.key, least.tied);
        Ok(Some(Judged {
            contests,
            links: Vec::new(),
            stated: None,
            least: is_measured.then(|| least.iter().map(of_seeker).collect()),
        }))
    }

    /// What the attack comes to for some seekers, without the sought records.
    fn prepared_for<'s>(
        &'s self,
        attack: &dyn ByColumns,
        [seekers, nobody]: [&'s Matrix; 2],
    ) -> Result<Nearest<'s>> {
        let (intruder, released) = match self.study.direction {
            Direction::OriginalToMasked => (seekers, nobody),
            Direction::MaskedToOriginal => (nobody, seekers),
        };
        let scenario = self.scenario_of([intruder, released]);
        let columns = |side| {
            let values = self.study.columns(side, &self.pairs);
            Columns::new(values, self.study.places(side))
        };
        let whole = Whole {
            intruder: columns(ORIGINAL),
            released: columns(MASKED),
        };
        attack.prepare_some(&scenario, &whole)
    }
}

impl<'a> Study<'a> {
    /// What is known of some seekers.
    fn seekers(&self, known: &[Shared], of: &[usize]) -> Matrix {
        let records = of.iter().map(|&seeker| self.seeker_record(seeker));
        let [side, _] = self.sides();
        let (columns, records) = (self.columns(side, known), records.collect::<Vec<u32>>());
        self.gathered(side, &columns, &records, known)
    }

    /// What is known of some of the sought records.
    fn sought(&self, known: &[Shared], records: &[u32]) -> Matrix {
        let [_, side] = self.sides();
        Matrix::gather(&self.columns(side, known), records)
    }

    /// The sought records in so many pieces that lie apart by a distance with these weights.
    fn sought_apart(
        &self,
        known: &[Shared],
        weights: &[f64],
        n_pieces: usize,
    ) -> Option<Apart<'a>> {
        let [_, side] = self.sides();
        let records = (0..self.n_sought()).map(|place| self.sought_record(place) as usize);
        let columns = self.columns(side, known);
        Apart::new(RecordSet::of(records), &columns, weights, n_pieces)
    }

    /// None of the sought records, and what is known of the gaps of their file.
    fn nobody_sought(&self, known: &[Shared]) -> Matrix {
        let [_, side] = self.sides();
        self.gathered(side, &self.columns(side, known), &[], known)
    }

    /// The file of the seekers, and that of the sought records.
    fn sides(&self) -> [usize; 2] {
        match self.direction {
            Direction::OriginalToMasked => [ORIGINAL, MASKED],
            Direction::MaskedToOriginal => [MASKED, ORIGINAL],
        }
    }

    /// The partner of each of these seekers, who are all that the preference has.
    fn rivals(&self, known: &[Shared], nearest: &Nearest<'_>, own: &[usize]) -> Vec<Option<Rival>> {
        let partners = self.partners();
        let of_chunk = |(number, chunk): (usize, &[usize])| -> Vec<Option<Rival>> {
            let partners = chunk.iter().map(|&seeker| partners[seeker]);
            let places = partners.clone().flatten();
            let records = places.map(|sought| self.sought_record(sought as usize));
            let found = self.sought(known, &records.collect::<Vec<u32>>());
            let mut rows = 0..found.n_records();
            let rival = |(place, partner): (usize, Option<u32>)| {
                partner?;
                let (seeker, row) = (number * RIVALS_AT_ONCE + place, found.record(rows.next()?));
                let boxes = nearest.candidates.as_ref();
                Some(Rival {
                    key: nearest.metric.key(nearest.seekers.record(seeker), row),
                    inside: boxes.is_none_or(|boxes| boxes.admits(seeker, row)),
                })
            };
            partners.enumerate().map(rival).collect()
        };
        let chunks = own.par_chunks(RIVALS_AT_ONCE).enumerate();
        chunks.flat_map_iter(of_chunk).collect()
    }
}

/// Adds what was found in a piece to what was found in others.
fn join<T: Copy>(all: &mut Vec<T>, found: Vec<T>, and: fn(T, T) -> T) {
    if all.is_empty() {
        *all = found;
        return;
    }
    for (all, found) in all.iter_mut().zip(found) {
        *all = and(*all, found);
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{
        attack::{
            distance_based::{DistanceBased, Standardize},
            intersection::rank_swap::{Bound, RankSwapIntersection},
        },
        evaluate::{
            judge,
            link::Study,
            truth::{MaskedRecord, OriginalRecord, Truth},
        },
        table::{ReadOptions, Table},
    };

    /// Whole numbers with many ties, a few gaps, and values that are near the originals in the masked file.
    fn files(rng: &mut ChaCha8Rng, n: usize) -> [Table; 2] {
        let mut texts = ["a,b,c\n".to_string(), "a,b,c\n".to_string()];
        for _ in 0..n {
            let mut rows = [Vec::new(), Vec::new()];
            for _ in 0..3 {
                let value = rng.random_range(0..30);
                let mut cells =
                    [value, value + rng.random_range(-2..=2)].map(|cell| cell.to_string());
                if rng.random_range(0..40) == 0 {
                    cells[rng.random_range(0..2)] = "NA".into();
                }
                rows.iter_mut()
                    .zip(cells)
                    .for_each(|(row, cell)| row.push(cell));
            }
            for (text, row) in texts.iter_mut().zip(rows) {
                *text += &(row.join(",") + "\n");
            }
        }
        let read = |text: String| Table::read("t.csv", text.into_bytes(), &ReadOptions::default());
        texts.map(|text| read(text).unwrap())
    }

    /// The judge of whole files, with as many people as are measured and with more, with people who are not known, and with records that were
    /// not released.
    #[test]
    fn pieces_are_judged_as_the_whole_is() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for turn in 0..12 {
            let [original, masked] = files(&mut rng, 60);
            let known: Vec<Shared> = (original.ids().zip(masked.ids()))
                .map(|(original, masked)| Shared { original, masked })
                .collect();
            let truth = Truth::by_order(&original, &masked).unwrap();
            let held = OriginalRecord::all(&original).into_iter();
            let held: Vec<OriginalRecord> =
                held.filter(|record| record.0 % 4 != turn % 4).collect();
            let released = MaskedRecord::all(&masked).into_iter();
            let released = released.filter(|record| record.0 % 5 != turn % 5).collect();
            let direction = match turn % 2 {
                0 => Direction::OriginalToMasked,
                _ => Direction::MaskedToOriginal,
            };
            let study = Study::among(&original, &masked, &truth, held, released, direction);
            let case = study.case(&known);
            for standardize in [Standardize::Own, Standardize::Release, Standardize::None] {
                let am = DistanceBased { standardize };
                let rsld = RankSwapIntersection {
                    bound: Bound::Window(4),
                    standardize,
                };
                let windows = ["a", "b", "c"].map(|name| (name.to_string(), vec![4]));
                let stated = RankSwapIntersection {
                    bound: Bound::Stated(windows.into()),
                    standardize,
                };
                let attacks: [&dyn Attack; 3] = [&am, &rsld, &stated];
                for (attack, of) in attacks
                    .iter()
                    .flat_map(|&attack| [(attack, 1), (attack, 3), (attack, 7)])
                {
                    let shard: Shard = format!("{of}/{of}").parse().unwrap();
                    let seen = case.seen(attack).unwrap();
                    let whole = seen.preference().unwrap();
                    let neighbours = |nearest: &Nearest<'_>| case.neighbours(nearest);
                    let partners = study.partners();
                    let expected =
                        judge::of_shard(&whole, shard, partners, false, &neighbours).unwrap();
                    for is_measured in [true, false] {
                        let by_columns = attack.by_columns().unwrap();
                        let found = case
                            .judged_in_pieces(by_columns, shard, is_measured)
                            .unwrap()
                            .unwrap();
                        assert_eq!(found.contests, expected.contests, "{} {of}", attack.name());
                        assert_eq!(found.least.is_some(), is_measured);
                        assert!(
                            found
                                .least
                                .is_none_or(|least| Some(least) == expected.least)
                        );
                    }
                }
            }
        }
    }
}
