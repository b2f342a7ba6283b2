//! The candidates of all seekers, written down: those that the law leaves, less those that one look at the other side rules out.

use std::ops::Range;

use rayon::prelude::*;

use super::values::{Column, Values};
use crate::{
    attack::{
        Lists,
        likelihood::{BothSides, Ranked, Swaps},
    },
    distance::kd_tree::{of_each, order_by},
    error::{Counted, Error, ErrorKind, Result},
    memory,
};

/// Seekers whose lists one task writes.
const AT_ONCE: usize = 512;

/// An exchange that so many pairs could have made, or more, is not looked at before lists are written down.
const MANY: usize = 1024;

/// The attributes of which exchanges are looked at before: each takes time for each pair, and the first ones leave few.
const LOOKS: usize = 3;

/// If lists would be longer than this on average, both sides of an exchange are searched for at once: that finds fewer, but takes longer for each.
const LONG: f64 = 64.0;

/// That is not done where values tie with so many, since each of these is searched for by itself.
const FEW_TIES: usize = 4;

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
    /// What other laws say of each pair, which its cost includes; empty where there are none.
    pub others: Vec<f64>,
}

impl Candidates {
    /// Writes down the candidates that laws with bounds leave, less pairs of which the law says by itself that nobody could have made the
    /// exchange.
    ///
    /// # Errors
    /// Failed, when what follows would take more memory than it should; lists are estimated before any is kept.
    pub fn mutual(swaps: &Swaps, values: &Values, bytes_a_pair: usize) -> Result<Self> {
        Self::searched(swaps, values, bytes_a_pair, LONG)
    }

    /// The same, where lists longer than `long` are searched for on both sides of an exchange.
    fn searched(swaps: &Swaps, values: &Values, bytes_a_pair: usize, long: f64) -> Result<Self> {
        let n = swaps.n_seekers;
        let columns = values.most_telling();
        let columns = &columns[..LOOKS.min(columns.len())];
        let index = match columns.first() {
            Some(&(exchanged, column))
                if column
                    .mean_ties()
                    .iter()
                    .all(|&ties| ties < FEW_TIES as f64)
                    && BothSides::check_memory(swaps, FEW_TIES * swaps.n_sought).is_ok()
                    && mean_length(swaps) > long =>
            {
                let givers = |sought: usize| column.givers(column.sought[sought]);
                BothSides::new(swaps, exchanged, givers)
            }
            _ => BothSides::own(swaps),
        };
        // Puts the candidates of a seeker into a list.
        let write = |seeker: usize, list: &mut Vec<u32>| {
            let first = columns.first();
            let takers = first.and_then(|(_, column)| column.takers(column.seekers[seeker]));
            index.look(swaps, seeker, takers, list);
            for (look, (_, column)) in columns.iter().enumerate() {
                // Whoever is left alone costs little; it is seen later whether they stay.
                if look == 0 || list.len() > 1 {
                    let is_compared =
                        |givers: usize, takers: usize| look == 0 && index.compared(givers, takers);
                    sift(swaps, column, is_compared, seeker, list);
                }
            }
            list.retain(|&sought| swaps.admits(seeker, sought as usize));
            list.sort_unstable();
        };
        refuse_too_many(n, bytes_a_pair, |asked| {
            let length = |list: &mut Vec<u32>, &seeker: &u32| {
                write(seeker as usize, list);
                list.len() as u64
            };
            let asked = asked.par_iter();
            asked.map_init(Vec::new, length).sum()
        })?;
        let order = order_by(n, |seeker| swaps.whereabouts(seeker));
        let of_seekers = of_each(&order, Vec::new, |list, seeker| {
            write(seeker, list);
            list.clone()
        });
        drop(index);
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
            others: Vec::new(),
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
            others: Vec::new(),
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

    /// Adds what other laws say of the pairs; those that one of them leaves out go.
    pub fn hear(&mut self, others: &[&(dyn Lists + '_)]) {
        if others.is_empty() {
            return;
        }
        let mut said = vec![f64::INFINITY; self.len()];
        let mut rest = said.as_mut_slice();
        let mut rows = Vec::with_capacity(self.n_seekers());
        for length in self.lengths() {
            let (row, after) = rest.split_at_mut(length);
            rows.push(row);
            rest = after;
        }
        let rows = rows.into_par_iter().enumerate();
        rows.for_each_init(Vec::new, |list, (seeker, said)| {
            let records = &self.records[self.row(seeker)];
            list.clear();
            list.extend(records.iter().map(|&record| (record, 0.0)));
            for other in others {
                other.add_to(seeker, list);
            }
            let mut heard = list.iter().peekable();
            for (said, &record) in said.iter_mut().zip(records) {
                if let Some((_, cost)) = heard.next_if(|&&(other, _)| other == record) {
                    *said = *cost;
                }
            }
        });
        let keeps: Vec<bool> = said.iter().map(|said| said.is_finite()).collect();
        self.others.resize(said.len(), 0.0);
        let both = self.costs.iter_mut().zip(&mut self.others);
        for ((cost, other), said) in both.zip(said) {
            *cost += said;
            *other += said;
        }
        self.retain(&keeps);
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
                if let Some(&said) = self.others.get(pair) {
                    self.others[kept] = said;
                }
                kept += 1;
            }
        }
        if let Some(end) = self.starts.last_mut() {
            *end = kept;
        }
        self.records.truncate(kept);
        self.costs.truncate(kept);
        self.others.truncate(kept);
        self.records.shrink_to_fit();
        self.costs.shrink_to_fit();
        self.others.shrink_to_fit();
    }
}

/// Takes those out of a seeker's list of sought records of which the law excludes all who could have made the other side of the exchange of an
/// attribute; not where there are too many of these, or where it `is_compared` of how many could have given and how many taken.
fn sift(
    swaps: &Swaps,
    column: &Column,
    is_compared: impl Fn(usize, usize) -> bool,
    seeker: usize,
    list: &mut Vec<u32>,
) {
    let own = column.seekers[seeker];
    let Some(takers) = column.takers(own) else {
        return;
    };
    // One step after the other for all of the list: what one record waits for from memory, others fetch meanwhile.
    let values: Vec<u32> = (list.iter())
        .map(|&sought| column.sought[sought as usize])
        .collect();
    let givers = values.iter().map(|&value| {
        // Who kept the value exchanged it with nobody.
        let givers = column.givers(value).filter(|_| value != own);
        givers.filter(|givers| {
            let (givers, takers) = (givers.len(), takers.len());
            givers * takers < MANY && !is_compared(givers, takers)
        })
    });
    let givers: Vec<Option<&[u32]>> = givers.collect();
    if givers.iter().all(Option::is_none) {
        return;
    }
    let takers = swaps.few(takers);
    let mut givers = givers.into_iter();
    list.retain(|_| {
        let mut givers = givers.next().flatten().map(|givers| givers.iter());
        givers
            .as_mut()
            .is_none_or(|givers| givers.any(|&giver| swaps.admits_some(giver as usize, &takers)))
    });
}

/// How many sought records the law leaves possible for a seeker on average, by some pairs of both.
fn mean_length(swaps: &Swaps) -> f64 {
    const SEEKERS: usize = 512;
    const SOUGHT: usize = 4096;
    let some = |n: usize, of: usize| (0..n).step_by(n.div_ceil(of).max(1));
    let seekers: Vec<usize> = some(swaps.n_seekers, SEEKERS).collect();
    let possible = |&seeker: &usize| {
        let sought = some(swaps.n_sought, SOUGHT);
        sought
            .filter(|&sought| swaps.admits(seeker, sought))
            .count()
    };
    let found: usize = seekers.par_iter().map(possible).sum();
    let asked = seekers.len() * some(swaps.n_sought, SOUGHT).count();
    found as f64 * swaps.n_sought as f64 / asked.max(1) as f64
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

#[cfg(test)]
mod tests {
    use super::{
        super::{exchanges::Exchanges, values::Whole},
        *,
    };
    use crate::{
        attack::{Direction, Scenario, likelihood::Likelihood},
        table::{Scale, matrix::Matrix},
    };

    /// A search for both sides of an exchange finds who is found without it: values with few ties and one with many, gaps, files of which
    /// one is a part, an attribute that was not swapped, a single attribute, both directions.
    #[test]
    fn both_sides_at_once_or_one_by_one() {
        let file = |n: usize, width: usize, seed: usize, has_gaps: bool| {
            let value = |cell: usize| {
                let (record, k) = (cell / width, cell % width);
                let place = (record * [7, 91, 163][k] + seed * [11, 5, 17][k]) % 300;
                let tie = [2, 1, 3][k];
                (if place > 280 { 280 } else { place / tie * tie }) as f64
            };
            let values = (0..width * n).map(value).collect();
            let mut matrix = Matrix::complete(n, width, values);
            for record in (0..n).filter(|record| has_gaps && record % 9 == 0) {
                matrix.set_missing(record, record / 9 % width);
            }
            matrix
        };
        let (mut found, mut searched) = (0, 0);
        for (people, shown, has_gaps, names) in [
            (300, 300, false, "abc"),
            (300, 300, true, "abc"),
            (200, 300, false, "abc"),
            (300, 220, true, "abc"),
            (300, 300, false, "ab-"),
            (300, 300, true, "a"),
            (220, 300, false, "a-"),
        ] {
            let known: Vec<String> = names.chars().map(Into::into).collect();
            let file = |n, seed| file(n, known.len(), seed, has_gaps);
            let (intruder, released) = (file(people, 0), file(shown, 1));
            for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
                let scenario = Scenario {
                    known: &known,
                    scales: &vec![Scale::Continuous; known.len()],
                    categories: &[],
                    intruder: &intruder,
                    released: &released,
                    direction,
                    aligned: None,
                    beside: None,
                    unrecoded: None,
                };
                let windows = (known.iter())
                    .map(|name| (name.clone(), if name == "-" { 0 } else { 60 }))
                    .collect();
                let swaps = Swaps::new(&Likelihood::of_windows(windows, 300), &scenario);
                let whole = Whole::new(&scenario, 300, 0);
                let values = Values::new(&scenario, &swaps.swapped(), whole);
                let [one, both] = [f64::INFINITY, 0.0].map(|long| {
                    let mut pairs = Candidates::searched(&swaps, &values, 1, long).unwrap();
                    // Whoever is left alone by the first look is not looked at again, and need not be the same.
                    let possible = Exchanges::new(&pairs, &values).possible(pairs.len());
                    pairs.retain(&possible);
                    pairs
                });
                assert_eq!(one.starts, both.starts);
                assert_eq!(one.records, both.records);
                assert_eq!(one.costs, both.costs);
                found += one.len();
                let columns = values.most_telling();
                let few = |column: &Column| {
                    column
                        .mean_ties()
                        .iter()
                        .all(|&ties| ties < FEW_TIES as f64)
                };
                searched += usize::from(columns.first().is_some_and(|(_, column)| few(column)));
            }
        }
        assert!(found > 10_000 && searched > 4, "{found}, {searched}");
    }
}
