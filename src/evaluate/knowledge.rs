//! What the intruder knows: which attributes, of which records.

use std::collections::BTreeSet;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::{
    error::{Counted, Error, ErrorKind, Reason, Result},
    rng::Generator,
};

/// More cases than this are refused: nobody reads them, and a random sample of them says the same.
const MAX_CASES: u128 = 100_000;

/// Which of the attributes that both files share the intruder knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Knowledge {
    /// All of them.
    All,
    /// The first k, in file order.
    First(usize),
    /// The first 1, the first 2, … the first k: k cases.
    Sweep(usize),
    /// Every set of k attributes.
    Subsets(usize),
    /// The few sets of k attributes that betray most by a bound: worked out from the files ([`worst`](super::worst)).
    Worst(usize),
    /// Some different random sets of `size` attributes.
    Random {
        /// Attributes in a set.
        size: usize,
        /// Number of sets.
        sets: usize,
    },
}

/// More attributes than can be compared.
pub(super) fn too_many_attributes(size: usize, shared: usize) -> Error {
    let asked = [size as u128, shared as u128];
    Error::too_many(ErrorKind::Usage, Counted::Attributes, asked, |size, shared| {
        format!(
            "--known asks for {size} attributes, but the two files share {shared} that can be compared"
        )
    })
    .remedy("Ask for fewer, or see 'sdcrisk describe' for how the attributes were read")
}

fn too_many_cases(cases: [u128; 2], words: impl FnOnce(u128, u128) -> String) -> Error {
    Error::too_many(ErrorKind::Usage, Counted::Cases, cases, words)
}

impl Knowledge {
    /// Reads `first:7`, `sweep:7`, `subsets:3`, `worst:7` or `random:5x20`; `None` for anything else, which is a list of names.
    ///
    /// # Errors
    /// Usage, when a form that starts like one of these is not of it.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        let Some((form, size)) = text.split_once(':') else {
            return Ok(None);
        };
        let count = |digits: &str| digits.parse::<usize>().ok().filter(|&count| count > 0);
        let parsed = match form {
            "first" => count(size).map(Self::First),
            "sweep" => count(size).map(Self::Sweep),
            "subsets" => count(size).map(Self::Subsets),
            "worst" => count(size).map(Self::Worst),
            "random" => size.split_once('x').and_then(|(size, sets)| {
                Some(Self::Random {
                    size: count(size)?,
                    sets: count(sets)?,
                })
            }),
            _ => return Ok(None),
        };
        parsed.map(Some).ok_or_else(|| {
            Error::usage(format!(
                "--known {form}: wants a number of attributes, 1 or more"
            ))
            .remedy("For example first:7, sweep:7, subsets:3, worst:7, or random:5x20 (20 random sets of 5)")
        })
    }

    /// Whether it stands for several cases whose mean is of interest, even if there is one of them.
    pub fn is_family(&self) -> bool {
        matches!(
            self,
            Self::Sweep(_) | Self::Subsets(_) | Self::Random { .. }
        )
    }

    /// Whether a random draw decides the cases.
    pub fn is_random(&self) -> bool {
        matches!(self, Self::Random { .. })
    }

    /// The cases, as ascending positions among `shared` attributes.
    ///
    /// # Randomness
    /// `Random` draws from `rng`: set after set, a set by choosing `size` of the positions, until `sets` different ones
    /// came.
    ///
    /// # Errors
    /// Usage, when there are not as many attributes or sets as asked for, or more cases than anybody would read. Input, when
    /// there is no attribute at all.
    pub fn cases(&self, shared: usize, rng: impl FnOnce() -> Generator) -> Result<Vec<Vec<usize>>> {
        let enough = |size: usize| {
            if size <= shared {
                return Ok(());
            }
            Err(too_many_attributes(size, shared))
        };
        match *self {
            Self::All => {
                if shared == 0 {
                    return Err(Error::input(
                        "the two files share no attribute that can be compared",
                    )
                    .because(Reason::NothingToCompare)
                    .remedy("See 'sdcrisk describe' for how the attributes were read"));
                }
                Ok(vec![(0..shared).collect()])
            }
            Self::First(size) => enough(size).map(|()| vec![(0..size).collect()]),
            Self::Sweep(size) => {
                enough(size).map(|()| (1..=size).map(|last| (0..last).collect()).collect())
            }
            Self::Subsets(size) => {
                enough(size)?;
                let number = binomial(shared, size);
                if number > MAX_CASES {
                    return Err(too_many_cases([number, MAX_CASES], |number, limit| {
                        format!("--known subsets:{size} of {shared} attributes are {number} cases, more than {limit}")
                    })
                    .remedy(format!("Draw some of them: --known random:{size}x100")));
                }
                Ok(subsets(shared, size))
            }
            // Without the files, all of which it is chosen.
            Self::Worst(size) => {
                enough(size)?;
                Ok(vec![(0..shared).collect()])
            }
            Self::Random { size, sets } => {
                enough(size)?;
                let number = binomial(shared, size);
                if sets as u128 > number.min(MAX_CASES) {
                    return Err(too_many_cases([sets as u128, number.min(MAX_CASES)], |sets, _| {
                        format!("--known random:{size}x{sets} asks for {sets} different sets; there are {number}, and {MAX_CASES} at most are run")
                    })
                    .remedy(format!("Ask for fewer, or for all of them: --known subsets:{size}")));
                }
                Ok(random_subsets(shared, size, sets, &mut rng()))
            }
        }
    }
}

pub(super) fn binomial(n: usize, k: usize) -> u128 {
    (0..k.min(n - k) as u128).fold(1, |product, i| {
        product.saturating_mul(n as u128 - i) / (i + 1)
    })
}

/// All sets of `size` positions in lexicographic order.
pub(super) fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let mut set: Vec<usize> = (0..size).collect();
    loop {
        all.push(set.clone());
        let Some(movable) = (0..size).rev().find(|&i| set[i] < n - size + i) else {
            return all;
        };
        set[movable] += 1;
        for i in movable + 1..size {
            set[i] = set[i - 1] + 1;
        }
    }
}

fn random_subsets(n: usize, size: usize, sets: usize, rng: &mut Generator) -> Vec<Vec<usize>> {
    let mut seen = BTreeSet::new();
    let mut chosen = Vec::new();
    while chosen.len() < sets {
        let set = sample(n, size, rng);
        if seen.insert(set.clone()) {
            chosen.push(set);
        }
    }
    chosen
}

/// `size` of the numbers `0..n`, every set equally likely, ascending.
///
/// # Source
/// R. W. Floyd; J. Bentley, "Programming pearls: a sample of brilliance", Communications of the ACM 30, 1987.
pub fn sample(n: usize, size: usize, rng: &mut Generator) -> Vec<usize> {
    let mut chosen = BTreeSet::new();
    for last in n - size..n {
        let drawn = rng.random_range(0..=last);
        if !chosen.insert(drawn) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    fn rng() -> Generator {
        Seed::from_number(1).streams(Purpose::Knowledge, 0).at(0)
    }

    fn cases(text: &str, shared: usize) -> Result<Vec<Vec<usize>>> {
        Knowledge::parse(text)?.unwrap().cases(shared, rng)
    }

    #[test]
    fn each_form_gives_its_cases() {
        assert_eq!(cases("first:2", 3).unwrap(), [[0, 1]]);
        assert_eq!(
            cases("sweep:3", 3).unwrap(),
            [vec![0], vec![0, 1], vec![0, 1, 2]]
        );
        assert_eq!(cases("subsets:2", 3).unwrap(), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(Knowledge::parse("c,a").unwrap(), None, "a list of names");
        assert_eq!(Knowledge::parse("odd:name").unwrap(), None);
        assert_eq!(Knowledge::All.cases(2, rng).unwrap(), [[0, 1]]);
    }

    #[test]
    fn subsets_are_all_different_and_as_many_as_the_binomial_coefficient() {
        let all = cases("subsets:6", 13).unwrap();
        assert_eq!(all.len(), 1716);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 1716);
        assert!(all.iter().all(|set| set.is_sorted()));
    }

    #[test]
    fn random_sets_are_different_sets_of_the_size_asked_for() {
        let sets = cases("random:5x20", 13).unwrap();
        assert_eq!(sets.iter().collect::<BTreeSet<_>>().len(), 20);
        assert!(sets.iter().all(|set| set.len() == 5 && set[4] < 13));
        assert_eq!(
            sets,
            cases("random:5x20", 13).unwrap(),
            "same seed, same sets"
        );
    }

    /// Every pair out of four is drawn about equally often: chi-square with 5 degrees of freedom, 0.999 quantile 20.5.
    #[test]
    fn samples_are_uniform() {
        let mut rng = rng();
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            *counts.entry(sample(4, 2, &mut rng)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        let chi: f64 = counts
            .values()
            .map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0)
            .sum();
        assert!(chi < 20.5, "{chi}");
    }

    #[test]
    fn impossible_wishes_are_refused_with_a_way_out() {
        for (text, part) in [
            ("first:0", "wants a number"),
            ("sweep:x", "wants a number"),
            ("random:5", "wants a number"),
            ("first:4", "share 3"),
            ("random:2x4", "there are 3"),
        ] {
            let error = cases(text, 3).unwrap_err();
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
        assert!(
            cases("subsets:20", 60)
                .unwrap_err()
                .to_string()
                .contains("random:20x100")
        );
        assert!(Knowledge::All.cases(0, rng).is_err());
    }
}
