//! Whom laws of swapping leave possible for whom, where what one of them took another one gave.

use super::{ranks::Ranks, reach::Reach, swaps::Swaps};
use crate::{attack::GapRule, error::Result, memory};

/// If no more records than this share a value, each of them is looked at by itself; else none is.
const TIES: usize = 16;

/// The sought records, each beside those who could have been on the other side of its exchange.
///
/// If a seeker x and a sought record y are one, and x took the value of y for its own, then a seeker z who had the value of y is a sought
/// record w that shows the value of x. So (z, w) must be possible as (x, y) must. Where values hardly tie, one search finds who is both:
/// the ranks of z stand beside those of y, and x asks for ranks near its own and, beside them, near those of w.
#[derive(Debug)]
pub(in crate::attack) struct BothSides {
    /// The attributes that are compared on the other side; none if the other side is not looked at.
    others: Vec<usize>,
    reach: Reach,
    /// For each place of `reach` the sought record.
    sought: Vec<u32>,
}

impl BothSides {
    /// Of laws that have bounds, without a look at the other side.
    ///
    /// # Complexity
    /// As for [`Reach::of`].
    pub fn own(swaps: &Swaps) -> Self {
        let reach = Reach::of(swaps);
        Self {
            others: Vec::new(),
            sought: reach.records().to_vec(),
            reach,
        }
    }

    /// Of laws that have bounds, with the other side of the exchange of an attribute. `givers`: for each sought record the seekers who had
    /// its value; `None` where some of them may be out of sight.
    ///
    /// # Complexity
    /// O(m log m · attributes) time and O(m · attributes) memory, of m pairs of a sought record and a giver.
    pub fn new<'a>(
        swaps: &Swaps,
        exchanged: usize,
        givers: impl Fn(usize) -> Option<&'a [u32]>,
    ) -> Self {
        let others: Vec<usize> = (0..swaps.laws.len()).filter(|&k| k != exchanged).collect();
        if others.is_empty() {
            return Self::own(swaps);
        }
        let (mut ranks, mut sought) = (Vec::new(), Vec::new());
        for (record, place) in (0_u32..).zip(0..swaps.n_sought) {
            for giver in each(givers(place)) {
                ranks.extend_from_slice(swaps.of_sought(place));
                let giver = giver.map(|giver| swaps.of_seeker(giver));
                ranks.extend(beside(giver, &others));
                sought.push(record);
            }
        }
        let laws = others.iter().map(|&k| &swaps.laws[k]);
        // Who misses a value is possible here; a look at single pairs says more.
        let gaps = others.iter().map(|_| &GapRule::NONE);
        let reach = Reach::of(&Swaps {
            laws: swaps.laws.iter().chain(laws).cloned().collect(),
            gaps: swaps.gaps.iter().chain(gaps).copied().collect(),
            seekers: Vec::new(),
            n_seekers: 0,
            n_sought: sought.len(),
            sought: ranks,
        });
        let entries = reach.records().iter();
        Self {
            sought: entries.map(|&entry| sought[entry as usize]).collect(),
            others,
            reach,
        }
    }

    /// Whether there is memory to look at both sides, of so many pairs of a sought record and a giver.
    ///
    /// # Errors
    /// Failed, if not.
    pub fn check_memory(swaps: &Swaps, pairs: usize) -> Result<()> {
        // Ranks, the same as numbers, and the index in both precisions.
        const BYTES: usize = 8 + 8 + 8 + 4;
        memory::check(
            "both sides of exchanges",
            pairs as u128,
            BYTES * 2 * swaps.laws.len(),
            "Let the intruder know fewer records (--known-records)",
        )
    }

    /// Whether both sides were compared, of a seeker whose value so many show and a sought record whose value so many had.
    pub fn compared(&self, givers: usize, takers: usize) -> bool {
        !self.others.is_empty() && givers <= TIES && takers <= TIES
    }

    /// Puts into `list` all sought records that may be possible for a seeker, each once and in no particular order. Some may be among them that
    /// ties exclude. `takers`: the sought records that show the value of the seeker; `None` where some of them may be out of sight.
    pub fn look(&self, swaps: &Swaps, seeker: usize, takers: Option<&[u32]>, list: &mut Vec<u32>) {
        list.clear();
        if self.others.is_empty() {
            self.reach.look(swaps.of_seeker(seeker), list);
        } else {
            let mut ranks = Vec::new();
            for taker in each(takers) {
                ranks.clear();
                ranks.extend_from_slice(swaps.of_seeker(seeker));
                let taker = taker.map(|taker| swaps.of_sought(taker));
                ranks.extend(beside(taker, &self.others));
                self.reach.look(&ranks, list);
            }
        }
        for place in list.iter_mut() {
            *place = self.sought[*place as usize];
        }
        if !self.others.is_empty() {
            // Who kept the value exchanged it with nobody.
            list.extend(
                takers
                    .filter(|takers| takers.len() <= TIES)
                    .into_iter()
                    .flatten(),
            );
            list.sort_unstable();
            list.dedup();
        }
    }
}

/// Each of these records; nobody, once, where they are too many or out of sight.
fn each(records: Option<&[u32]>) -> impl Iterator<Item = Option<usize>> {
    let records = records.filter(|records| records.len() <= TIES);
    let nobody = records.is_none().then_some(None);
    let records = records.into_iter().flatten();
    nobody
        .into_iter()
        .chain(records.map(|&record| Some(record as usize)))
}

/// The ranks of a record in these attributes; those of nobody are missing.
fn beside(record: Option<&[Ranks]>, others: &[usize]) -> impl Iterator<Item = Ranks> {
    let ranks = move |&k: &usize| record.map_or(Ranks::MISSING, |record| record[k]);
    others.iter().map(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        attack::{Direction, Scenario, likelihood::Likelihood},
        table::{Scale, matrix::Matrix},
    };

    /// Against all pairs of pairs: the values that are exchanged tie in threes, and some in twenties, of which nothing is asked; of the other two
    /// attributes all are different, but some are missing.
    #[test]
    fn pairs_are_possible_on_both_sides() {
        const N: usize = 300;
        let file = |shift: usize| {
            let value = |cell: usize| {
                let (record, k) = (cell / 3, cell % 3);
                let place = (record * [7, 91, 163][k] + shift * [11, 5, 17][k]) % N;
                (match (k, place) {
                    (0, 280..) => 280,
                    (0, _) => place / 3,
                    _ => place,
                }) as f64
            };
            let mut matrix = Matrix::complete(N, 3, (0..3 * N).map(value).collect());
            for record in (0..N).step_by(13) {
                matrix.set_missing(record, 1 + record % 2);
            }
            matrix
        };
        let (intruder, released) = (file(0), file(1));
        let known: Vec<String> = ["a", "b", "c"].map(Into::into).to_vec();
        let scenario = Scenario {
            known: &known,
            scales: &[Scale::Continuous; 3],
            categories: &[],
            intruder: &intruder,
            released: &released,
            direction: Direction::OriginalToMasked,
            aligned: None,
            beside: None,
            unrecoded: None,
        };
        let windows = known.iter().map(|name| (name.clone(), 30)).collect();
        let swaps = Swaps::new(&Likelihood::of_windows(windows, N), &scenario);
        let with = |matrix: &Matrix, value: f64| -> Vec<u32> {
            let column = (0_u32..).zip(matrix.column(0));
            column
                .filter(|&(_, other)| other == Some(value))
                .map(|(record, _)| record)
                .collect()
        };
        let all = |of: &Matrix, among: &Matrix| -> Vec<Vec<u32>> {
            let values = of.column(0);
            values.map(|value| with(among, value.unwrap())).collect()
        };
        let (givers, takers) = (all(&released, &intruder), all(&intruder, &released));
        let index = BothSides::new(&swaps, 0, |sought| Some(&givers[sought]));
        let own = BothSides::own(&swaps);
        let mut found = [0; 2];
        for seeker in 0..N {
            let look = |index: &BothSides| {
                let mut list = Vec::new();
                index.look(&swaps, seeker, Some(&takers[seeker]), &mut list);
                list.sort_unstable();
                list
            };
            let all = |asks: bool| -> Vec<u32> {
                let (takers, value) = (&takers[seeker], intruder.value(seeker, 0));
                let is_possible = |sought: usize| {
                    let givers = &givers[sought];
                    let known = asks && index.compared(givers.len(), takers.len());
                    let others = |giver: usize, taker: usize| {
                        (1..3).all(|k| {
                            let pair = [intruder.value(giver, k), released.value(taker, k)];
                            let ranks = [swaps.of_seeker(giver)[k], swaps.of_sought(taker)[k]];
                            pair.contains(&None) || swaps.laws[k].is_possible(ranks[0], ranks[1])
                        })
                    };
                    let some = givers.iter().any(|&giver| {
                        takers
                            .iter()
                            .any(|&taker| others(giver as usize, taker as usize))
                    });
                    swaps.admits(seeker, sought)
                        && (!known || some || released.value(sought, 0) == value)
                };
                let sought = (0..N).filter(|&sought| is_possible(sought));
                sought
                    .map(|sought| u32::try_from(sought).unwrap())
                    .collect()
            };
            for (place, index) in [&own, &index].into_iter().enumerate() {
                let mut list = look(index);
                assert!(list.is_sorted_by(|a, b| a < b), "each of them once");
                list.retain(|&sought| swaps.admits(seeker, sought as usize));
                assert_eq!(list, all(place == 1), "seeker {seeker}");
                found[place] += list.len();
            }
        }
        assert!(4 * found[1] < 3 * found[0] && found[0] > N, "{found:?}");
    }
}
