//! Several releases of the same people: what each says of a pair is added up.

use super::{Direction, Lists};
use crate::error::Result;

/// Likelihoods of several releases whose records are aligned among each other.
///
/// ```text
/// cost of (person, record) = Σ over the releases of the cost of (person, the record's counterpart in the release)
/// ```
///
/// Releases are masked independently of each other, so given the person their log-likelihoods add up. The records are those of the first
/// release; a record without a counterpart in a further one keeps the costs that it has: a likelihood of 1, that of two
/// unrelated records.
///
/// # Candidates
/// Those of a person in every release in which the record has a counterpart: candidate sets intersect. Where a pair that falls in one
/// release makes others fall (swaps are mutual), these go in every release, until nothing changes.
///
/// # Ties
/// Costs that are multiples of one step ([`super::likelihood`]) stay so, and equal sums are ties.
#[derive(Debug)]
pub struct Releases<'a> {
    first: Box<dyn Lists + 'a>,
    further: Vec<Further<'a>>,
    direction: Direction,
    /// Whether what each leaves possible leaves somebody with nobody.
    contradict: bool,
}

/// A further release.
#[derive(Debug)]
pub struct Further<'a> {
    /// Its likelihoods. The persons are those of the first release's, in the same order.
    lists: Box<dyn Lists + 'a>,
    /// For each record of the first release, its counterpart.
    counterpart: Vec<Option<u32>>,
    /// For each record of this release, the one of the first whose counterpart it is.
    of_first: Vec<Option<u32>>,
}

impl<'a> Further<'a> {
    /// A release of `records` records; `counterpart` says which of them is the same person's as each record of the first release, each
    /// at most once.
    pub fn new(lists: Box<dyn Lists + 'a>, records: usize, counterpart: Vec<Option<u32>>) -> Self {
        let mut of_first = vec![None; records];
        for (first, own) in (0..).zip(&counterpart) {
            if let Some(own) = own {
                of_first[*own as usize] = Some(first);
            }
        }
        Self {
            lists,
            counterpart,
            of_first,
        }
    }

    /// Adds what this release says of a person's candidates, records of the first release in ascending order.
    fn add_for_person(&self, person: usize, list: &mut Vec<(u32, f64)>) {
        let mut own = Vec::new();
        self.lists.unordered(person, &mut own);
        let mut said: Vec<(u32, f64)> = own
            .into_iter()
            .filter_map(|(record, cost)| Some((self.of_first[record as usize]?, cost)))
            .collect();
        said.sort_unstable_by_key(|&(record, _)| record);
        self.keep(list, |record| {
            self.counterpart[record as usize]?;
            Some(find(&said, record))
        });
    }

    /// Adds what this release says of the persons that are candidates of a record, in ascending order.
    fn add_for_record(&self, record: usize, list: &mut Vec<(u32, f64)>) {
        let Some(counterpart) = self.counterpart[record] else {
            return;
        };
        let mut said = Vec::new();
        self.lists.list(counterpart as usize, &mut said);
        self.keep(list, |person| Some(find(&said, person)));
    }

    /// Adds costs and drops who is no candidate; `said` is `None` of whom this release says nothing.
    fn keep(&self, list: &mut Vec<(u32, f64)>, said: impl Fn(u32) -> Option<Option<f64>>) {
        list.retain_mut(|(other, cost)| match said(*other) {
            None => true,
            Some(None) => false,
            Some(Some(more)) => {
                *cost += more;
                true
            }
        });
    }
}

/// The cost of a candidate in a list in ascending order.
fn find(list: &[(u32, f64)], candidate: u32) -> Option<f64> {
    let place = list.binary_search_by_key(&candidate, |&(record, _)| record);
    place.ok().map(|place| list[place].1)
}

impl<'a> Releases<'a> {
    /// Adds further releases to the first. Where pairs of each need each other ([`Lists::pairs_need_each_other`]), those go first that
    /// fall because another release excludes them, until none falls in any.
    ///
    /// # Errors
    /// Failed, when that would take too much memory.
    pub fn new(
        first: Box<dyn Lists + 'a>,
        further: Vec<Further<'a>>,
        direction: Direction,
    ) -> Result<Self> {
        let mut all = Self {
            first,
            further,
            direction,
            contradict: false,
        };
        let lists = || all.further.iter().map(|further| &further.lists);
        if lists()
            .chain([&all.first])
            .all(|lists| lists.pairs_need_each_other())
        {
            all.narrow()?;
        }
        Ok(all)
    }

    /// Lets pairs fall in all releases by turns. Where somebody would be left with nobody, the lists stay what each release says alone.
    fn narrow(&mut self) -> Result<()> {
        let alone = std::iter::once(&self.first).chain(self.further.iter().map(|f| &f.lists));
        let mut sets: Vec<Sets> = alone.map(|lists| Sets::of(lists.as_ref())).collect();
        let mut lists: Vec<Option<Box<dyn Lists>>> = sets.iter().map(|_| None).collect();
        let mut last = false;
        loop {
            let before: Vec<usize> = sets.iter().map(Sets::len).collect();
            for place in 0..sets.len() {
                let keeps = |seeker: usize, sought: u32| self.in_all(place, seeker, sought, &sets);
                let own = match (&lists[place], place.checked_sub(1)) {
                    (Some(lists), _) => lists.only(&keeps, last)?,
                    (None, None) => self.first.only(&keeps, last)?,
                    (None, Some(further)) => self.further[further].lists.only(&keeps, last)?,
                };
                let Some(own) = own else {
                    self.contradict = true;
                    return Ok(());
                };
                sets[place] = Sets::of(own.as_ref());
                lists[place] = Some(own);
            }
            if last {
                break;
            }
            last = sets.iter().map(Sets::len).eq(before);
        }
        let mut lists = lists.into_iter().flatten();
        if let Some(first) = lists.next() {
            self.first = first;
        }
        for (further, lists) in self.further.iter_mut().zip(lists) {
            further.lists = lists;
        }
        Ok(())
    }

    /// Whether all releases but that of this place, of the first and the further ones, leave a pair of it possible.
    fn in_all(&self, place: usize, seeker: usize, sought: u32, sets: &[Sets]) -> bool {
        let (record, person) = match self.direction {
            Direction::OriginalToMasked => (sought, seeker),
            Direction::MaskedToOriginal => (to_u32(seeker), sought as usize),
        };
        let of_first = match place.checked_sub(1) {
            None => Some(record),
            Some(further) => self.further[further].of_first[record as usize],
        };
        // Nobody's counterpart: no other release says anything.
        let Some(of_first) = of_first else {
            return true;
        };
        let of_place = |other: usize| match other.checked_sub(1) {
            None => Some(of_first),
            Some(further) => self.further[further].counterpart[of_first as usize],
        };
        (0..sets.len())
            .filter(|&other| other != place)
            .all(|other| {
                of_place(other).is_none_or(|record| match self.direction {
                    Direction::OriginalToMasked => sets[other].has(person, record),
                    Direction::MaskedToOriginal => sets[other].has(record as usize, to_u32(person)),
                })
            })
    }
}

/// The candidates of each seeker, ascending.
struct Sets {
    starts: Vec<usize>,
    sought: Vec<u32>,
}

impl Sets {
    fn of(lists: &dyn Lists) -> Self {
        let mut sets = Self {
            starts: vec![0],
            sought: Vec::new(),
        };
        let mut list = Vec::new();
        for seeker in 0..lists.n_seekers() {
            lists.list(seeker, &mut list);
            sets.sought.extend(list.iter().map(|&(sought, _)| sought));
            sets.starts.push(sets.sought.len());
        }
        sets
    }

    fn len(&self) -> usize {
        self.sought.len()
    }

    fn has(&self, seeker: usize, sought: u32) -> bool {
        let own = &self.sought[self.starts[seeker]..self.starts[seeker + 1]];
        own.binary_search(&sought).is_ok()
    }
}

fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl Lists for Releases<'_> {
    fn n_seekers(&self) -> usize {
        self.first.n_seekers()
    }

    fn n_sought(&self) -> usize {
        self.first.n_sought()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.first.list(seeker, list);
        for further in &self.further {
            match self.direction {
                Direction::OriginalToMasked => further.add_for_person(seeker, list),
                Direction::MaskedToOriginal => further.add_for_record(seeker, list),
            }
        }
    }

    fn is_likelihood(&self) -> bool {
        let mut further = self.further.iter();
        self.first.is_likelihood() && further.all(|further| further.lists.is_likelihood())
    }

    fn excludes_others(&self) -> bool {
        let mut further = self.further.iter();
        !self.contradict
            && self.first.excludes_others()
            && further.all(|further| further.lists.excludes_others())
    }

    fn caveats(&self) -> Vec<String> {
        let mut caveats = self.first.caveats();
        for further in &self.further {
            caveats.extend(further.lists.caveats());
        }
        caveats.sort_unstable();
        caveats.dedup();
        if self.contradict {
            caveats.push(
                "the releases contradict each other: what each leaves possible leaves somebody with no candidate. Records were \
                 aligned wrongly, or one was not masked as stated; no link is certain"
                    .into(),
            );
        }
        caveats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Written(Vec<Vec<(u32, f64)>>, usize);

    impl Lists for Written {
        fn n_seekers(&self) -> usize {
            self.0.len()
        }

        fn n_sought(&self) -> usize {
            self.1
        }

        fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
            list.clone_from(&self.0[seeker]);
        }

        fn is_likelihood(&self) -> bool {
            true
        }
    }

    fn all(releases: &Releases<'_>) -> Vec<Vec<(u32, f64)>> {
        let list = |seeker| {
            let mut list = Vec::new();
            releases.list(seeker, &mut list);
            list
        };
        (0..releases.n_seekers()).map(list).collect()
    }

    /// Two persons, three records; the second release has the records 2 and 0 (in this order) and one of somebody else.
    #[test]
    fn costs_add_up_and_candidates_intersect_by_hand() {
        let counterpart = vec![Some(1), None, Some(0)];
        let first = vec![
            vec![(0, 1.0), (1, 2.0), (2, 3.0)],
            vec![(0, 0.5), (2, 0.25)],
        ];
        let second = vec![vec![(0, 10.0), (2, 0.0)], vec![(0, 4.0), (1, 8.0)]];
        let further = Further::new(Box::new(Written(second, 3)), 3, counterpart.clone());
        let both = Releases::new(
            Box::new(Written(first, 3)),
            vec![further],
            Direction::OriginalToMasked,
        )
        .unwrap();
        let expected = [vec![(1, 2.0), (2, 13.0)], vec![(0, 8.5), (2, 4.25)]];
        assert_eq!(all(&both), expected);
        // The same from the records' side.
        let first = vec![
            vec![(0, 1.0), (1, 0.5)],
            vec![(0, 2.0)],
            vec![(0, 3.0), (1, 0.25)],
        ];
        let second = vec![vec![(0, 10.0), (1, 4.0)], vec![(1, 8.0)], vec![(0, 0.0)]];
        let further = Further::new(Box::new(Written(second, 2)), 3, counterpart);
        let both = Releases::new(
            Box::new(Written(first, 2)),
            vec![further],
            Direction::MaskedToOriginal,
        )
        .unwrap();
        let expected = [vec![(1, 8.5)], vec![(0, 2.0)], vec![(0, 13.0), (1, 4.25)]];
        assert_eq!(all(&both), expected);
    }
}
