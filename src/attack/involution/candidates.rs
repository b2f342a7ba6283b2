//! The candidates of all seekers, written down: those that the law leaves, less those that one look at the other side rules out.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    by_value::ByValue,
    values::{Column, Values},
};
use crate::{
    attack::{
        Lists,
        likelihood::{Ranked, Reach, Swaps},
    },
    distance::kd_tree::{of_each, order_by},
    error::{Counted, Error, ErrorKind, Result},
    memory,
};

/// Seekers whose lists one task writes.
const AT_ONCE: usize = 512;

/// An exchange that so many pairs could have made, or more, is not looked at before lists are written down.
const MANY: usize = 256;

/// The attributes of which exchanges are looked at before: each takes time for each pair, and the first ones leave few.
const LOOKS: usize = 3;

/// Pairs are numbered in 32 bits; an estimate leaves half of them.
const MAX_PAIRS: u128 = 1 << 31;

const REMEDY: &str = "Let the intruder know more attributes, or fewer records (--known-records)";

/// Pairs of a seeker and a sought record, by ascending seeker and record.
#[derive(Debug, Default, Clone)]
pub(super) struct Candidates {
    /// Where the candidates of each seeker begin, and where the last ones end.
    pub starts: Vec<usize>,
    pub records: Vec<u32>,
    /// −log-likelihood.
    pub costs: Vec<f64>,
}

impl Candidates {
    /// Writes down the candidates that laws with bounds leave, less pairs of which the law says by itself that nobody could have made the
    /// exchange.
    ///
    /// # Errors
    /// Failed, when what follows would take more memory than it should; lists are estimated before any is kept.
    pub fn mutual(swaps: &Swaps, values: &Values, bytes_a_pair: usize) -> Result<Self> {
        let n = swaps.n_seekers;
        let columns = values.most_telling();
        let by_value = ByValue::new(swaps, columns.first().copied());
        let others = columns.get(1..LOOKS.min(columns.len())).unwrap_or(&[]);
        let reach = Reach::of(&by_value.swaps);
        // Puts the candidates of the seeker at a place into a list.
        let write = |place: usize, list: &mut Vec<u32>| {
            reach.look(&by_value.swaps, place, list);
            for sought in list.iter_mut() {
                *sought = reach.records()[*sought as usize];
            }
            by_value.sift(place, list);
            // Whoever is left alone costs little; it is seen later whether they stay.
            if list.len() > 1 {
                let seeker = by_value.seekers[place] as usize;
                list.retain(|&place| {
                    let sought = by_value.sought[place as usize] as usize;
                    let mut others = others.iter();
                    others.all(|column| could_be_mutual(swaps, column, seeker, sought))
                });
            }
            list.retain(|&sought| by_value.swaps.admits(place, sought as usize));
            for sought in list.iter_mut() {
                *sought = by_value.sought[*sought as usize];
            }
            list.sort_unstable();
        };
        refuse_too_many(n, bytes_a_pair, |asked| {
            let length = |list: &mut Vec<u32>, &place: &u32| {
                write(place as usize, list);
                list.len() as u64
            };
            let asked = asked.par_iter();
            asked.map_init(Vec::new, length).sum()
        })?;
        let order = order_by(n, |place| by_value.swaps.whereabouts(place));
        let lists = of_each(&order, Vec::new, |list, place| {
            write(place, list);
            list.clone()
        });
        drop(reach);
        let mut of_seekers = vec![Vec::new(); n];
        for (&seeker, list) in by_value.seekers.iter().zip(lists) {
            of_seekers[seeker as usize] = list;
        }
        let mut starts = Vec::with_capacity(n + 1);
        starts.push(0);
        starts.extend(of_seekers.iter().scan(0, |end, list| {
            *end += list.len();
            Some(*end)
        }));
        let costs = of_seekers
            .par_iter()
            .enumerate()
            .flat_map_iter(|(seeker, list)| {
                let cost = move |&sought: &u32| swaps.cost(seeker, sought as usize);
                list.iter().map(cost)
            });
        Ok(Self {
            costs: costs.collect(),
            records: of_seekers.concat(),
            starts,
        })
    }

    /// Writes down the lists of the likelihood.
    ///
    /// # Errors
    /// As for [`Candidates::mutual`].
    pub fn likely(swaps: &Swaps, bytes_a_pair: usize) -> Result<Self> {
        let n = swaps.n_seekers;
        let lists = Ranked::of(swaps.clone());
        refuse_too_many(n, bytes_a_pair, |asked| {
            let length = |list: &mut Vec<(u32, f64)>, &seeker: &u32| {
                lists.list(seeker as usize, list);
                list.len() as u64
            };
            let asked = asked.par_iter();
            asked.map_init(Vec::new, length).sum()
        })?;
        // Seekers with similar candidates one after the other, and then in their own order.
        let order = order_by(n, |seeker| lists.whereabouts(seeker));
        let pieces: Vec<Self> = order
            .par_chunks(AT_ONCE)
            .with_max_len(1)
            .map_init(Vec::new, |list, seekers| {
                let mut piece = Self::default();
                for &seeker in seekers {
                    lists.list(seeker as usize, list);
                    piece.starts.push(piece.len());
                    piece.records.extend(list.iter().map(|&(record, _)| record));
                    piece.costs.extend(list.iter().map(|&(_, cost)| cost));
                }
                piece.starts.push(piece.len());
                piece
            })
            .collect();
        let mut starts = vec![0; n + 1];
        for (seekers, piece) in order.chunks(AT_ONCE).zip(&pieces) {
            for (&seeker, ends) in seekers.iter().zip(piece.starts.windows(2)) {
                starts[seeker as usize + 1] = ends[1] - ends[0];
            }
        }
        for seeker in 0..n {
            starts[seeker + 1] += starts[seeker];
        }
        let mut all = Self {
            records: vec![0; starts[n]],
            costs: vec![0.0; starts[n]],
            starts,
        };
        for (seekers, piece) in order.chunks(AT_ONCE).zip(pieces) {
            for (&seeker, ends) in seekers.iter().zip(piece.starts.windows(2)) {
                let seeker = seeker as usize;
                let (own, found) = (all.row(seeker), ends[0]..ends[1]);
                all.records[own.clone()].copy_from_slice(&piece.records[found.clone()]);
                all.costs[own].copy_from_slice(&piece.costs[found]);
            }
        }
        Ok(all)
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    pub fn n_seekers(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// How many candidates each seeker has.
    pub fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        self.starts.windows(2).map(|ends| ends[1] - ends[0])
    }

    /// The pairs of a seeker.
    pub fn row(&self, seeker: usize) -> Range<usize> {
        self.starts[seeker]..self.starts[seeker + 1]
    }

    /// The seeker of a pair.
    pub fn seeker_of(&self, pair: usize) -> usize {
        self.starts.partition_point(|&start| start <= pair) - 1
    }

    /// The seeker of each pair.
    pub fn seekers(&self) -> impl Iterator<Item = usize> + '_ {
        let lengths = self.lengths().enumerate();
        lengths.flat_map(|(seeker, length)| std::iter::repeat_n(seeker, length))
    }

    /// Keeps some pairs only.
    pub fn retain(&mut self, keeps: &[bool]) {
        let mut kept = 0;
        for seeker in 0..self.n_seekers() {
            let pairs = self.row(seeker);
            self.starts[seeker] = kept;
            for pair in pairs.filter(|&pair| keeps[pair]) {
                self.records[kept] = self.records[pair];
                self.costs[kept] = self.costs[pair];
                kept += 1;
            }
        }
        if let Some(end) = self.starts.last_mut() {
            *end = kept;
        }
        self.records.truncate(kept);
        self.costs.truncate(kept);
        self.records.shrink_to_fit();
        self.costs.shrink_to_fit();
    }
}

/// Whether some pair that the law leaves could have made the exchange of an attribute, unless too many pairs could.
fn could_be_mutual(swaps: &Swaps, column: &Column, seeker: usize, sought: usize) -> bool {
    let (a, b) = (column.seekers[seeker], column.sought[sought]);
    let Some(other_side) = column.other_side(a, b) else {
        return true;
    };
    let [from, to] = column.holders(other_side);
    from.len() * to.len() >= MANY
        || from.iter().any(|&other| {
            let mut to = to.iter();
            to.any(|&record| swaps.admits(other as usize, record as usize))
        })
}

/// Refuses lists that are too long in all, by how long those of some are together.
fn refuse_too_many(n: usize, bytes: usize, length: impl Fn(&[u32]) -> u64) -> Result<()> {
    const ASKED: usize = 512;
    if n == 0 {
        return Ok(());
    }
    let seekers = (0_u32..).take(n);
    let asked: Vec<u32> = seekers.step_by(n.div_ceil(ASKED)).collect();
    let all = u128::from(length(&asked));
    let asked = asked.len() as u128;
    let expected = all * n as u128 / asked;
    if expected >= MAX_PAIRS {
        return Err(Error::too_many(ErrorKind::Failed, Counted::Pairs, [expected, MAX_PAIRS - 1], |expected, _| {
            format!("involution would need about {expected} candidates in all, more than it can number")
        })
        .remedy(REMEDY));
    }
    memory::check(
        &format!(
            "involution, with about {} candidates for each of {n} records,",
            all / asked
        ),
        expected,
        bytes,
        REMEDY,
    )
}
