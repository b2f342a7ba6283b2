//! Several releases of the same people: what each says of a pair is added up.

use super::{Direction, Lists};

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
/// Those of a person in every release in which the record has a counterpart: candidate sets intersect.
///
/// # Ties
/// Costs that are multiples of one step ([`super::likelihood`]) stay so, and equal sums are ties.
#[derive(Debug)]
pub struct Releases<'a> {
    first: Box<dyn Lists + 'a>,
    further: Vec<Further<'a>>,
    direction: Direction,
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
    /// Adds further releases to the first.
    pub fn new(
        first: Box<dyn Lists + 'a>,
        further: Vec<Further<'a>>,
        direction: Direction,
    ) -> Self {
        Self {
            first,
            further,
            direction,
        }
    }
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
        );
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
        );
        let expected = [vec![(1, 8.5)], vec![(0, 2.0)], vec![(0, 13.0), (1, 4.25)]];
        assert_eq!(all(&both), expected);
    }
}
