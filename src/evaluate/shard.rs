//! Which part of a piece of work is done here, and what an attack found out of the seekers of a part.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    beyond::{self, Beyond, StandingOut, Surety},
    calibration::Calibration,
    score::Score,
    truth::OriginalRecord,
};
use crate::distance::nearest::Contest;

/// Work is cut into so many parts at most: more are a slip of the pen.
pub const MAX_PARTS: usize = 10_000;

/// Which part of how many: the pieces of work number `c`, from 0, of which `c mod of = number − 1`. Neighbours, which are often
/// equally expensive, are in different parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    number: usize,
    of: usize,
}

impl Shard {
    /// Which one it is, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// How many there are.
    pub fn of(self) -> usize {
        self.of
    }

    /// The pieces of work in it, of so many.
    pub fn of_all(self, pieces: usize) -> impl ExactSizeIterator<Item = usize> {
        (self.number - 1..pieces).step_by(self.of)
    }

    /// Whether this piece of work is in it.
    pub fn has(self, piece: usize) -> bool {
        piece % self.of == self.number - 1
    }
}

impl Default for Shard {
    /// All of the work.
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(number, of)| {
            let shard = Self {
                number: number.parse().ok()?,
                of: of.parse().ok()?,
            };
            let exists = (1..=shard.of).contains(&shard.number) && shard.of <= MAX_PARTS;
            exists.then_some(shard)
        });
        parsed.ok_or_else(|| {
            format!(
                "it must be a part and the number of parts, such as 2/4 for the second of four; there are {MAX_PARTS} at most"
            )
        })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.of)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

/// What an attack found out of some seekers, in the order of these: all that its figures are made of. It says nothing of who they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Findings {
    /// All seekers, those of other parts included.
    pub of: usize,
    /// Sought records.
    pub sought: u64,
    /// Whether the attack has candidate sets.
    pub candidate_sets: bool,
    /// Whether it worked out least distances or costs.
    pub has_least: bool,
    /// Whether it states probabilities.
    pub has_stated: bool,
    /// The seekers of this part: marks, candidates, tied, least, at least, stated.
    #[cfg_attr(test, schemars(with = "Vec<Packed>"))]
    pub seekers: Vec<Seeker>,
}

/// How the true partner of a seeker fares. In JSON an array: marks (the sum of 1 with a partner among the sought records, 2 in the top or
/// bottom 1 % of a known attribute, 4 in the 1 % farthest from the mean, 8 the partner is a candidate, 16 some candidate is closer), size
/// of the candidate set, candidates at the partner's distance if none is closer, least distance or cost, candidates at it, stated
/// probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "Packed", from = "Packed")]
pub struct Seeker {
    /// Whether the seeker has a partner among the sought records.
    pub partner: bool,
    /// Whether the original is in the top or bottom 1 % of a known attribute.
    pub extreme: bool,
    /// Whether it is in the 1 % farthest from the mean.
    pub far: bool,
    /// How the partner fares.
    pub contest: Contest,
    /// The least distance or cost; `None` without candidates, and where it was not worked out.
    pub least: Option<f64>,
    /// Candidates at it.
    pub at_least: u32,
    /// The probability that the attack states, if it states any.
    pub stated: Option<f64>,
}

/// A [`Seeker`] in JSON.
type Packed = (u32, u32, u32, Option<f64>, u32, Option<f64>);

impl From<Seeker> for Packed {
    fn from(seeker: Seeker) -> Self {
        let Contest {
            candidates,
            inside,
            closer,
            tied,
        } = seeker.contest;
        let marks = [seeker.partner, seeker.extreme, seeker.far, inside, closer];
        let marks = (0..).zip(marks).map(|(bit, is)| u32::from(is) << bit).sum();
        (
            marks,
            candidates,
            tied,
            seeker.least,
            seeker.at_least,
            seeker.stated,
        )
    }
}

impl From<Packed> for Seeker {
    fn from((marks, candidates, tied, least, at_least, stated): Packed) -> Self {
        let is = |bit: u32| marks & 1 << bit != 0;
        Self {
            partner: is(0),
            extreme: is(1),
            far: is(2),
            contest: Contest {
                candidates,
                inside: is(3),
                closer: is(4),
                tied,
            },
            least,
            at_least,
            stated,
        }
    }
}

impl Findings {
    /// What is the same in all parts.
    pub fn about(&self) -> (usize, u64, [bool; 3]) {
        let has = [self.candidate_sets, self.has_least, self.has_stated];
        (self.of, self.sought, has)
    }

    /// All seekers, of what all parts found, in the order of these; `None` of nothing. Seekers take turns: part i has every n-th.
    pub fn joined(parts: Vec<Self>) -> Option<Self> {
        let mut whole = Self {
            seekers: Vec::new(),
            ..parts.first()?.clone()
        };
        let mut turns: Vec<_> = parts
            .into_iter()
            .map(|part| part.seekers.into_iter())
            .collect();
        let of = turns.len();
        let next = (0..whole.of).filter_map(|seeker| turns[seeker % of].next());
        whole.seekers.extend(next);
        Some(whole)
    }

    /// The figures, once all seekers are there: made by what makes those of one run.
    pub fn figures(&self) -> (Score, Beyond, Option<Calibration>) {
        let seekers = &self.seekers;
        let contests: Vec<Contest> = seekers.iter().map(|seeker| seeker.contest).collect();
        let partners: Vec<Option<u32>> = (seekers.iter())
            .map(|seeker| seeker.partner.then_some(0))
            .collect();
        let with_partner = partners.iter().flatten().count() as u64;
        let score = Score::of_contests(&contests, with_partner, self.sought, self.candidate_sets);
        let stated: Option<Vec<f64>> = (self.has_stated).then(|| {
            seekers
                .iter()
                .map(|seeker| seeker.stated.unwrap_or(0.0))
                .collect()
        });
        let least = |seeker: &Seeker| (seeker.least.unwrap_or(f64::INFINITY), seeker.at_least);
        let surety = match &stated {
            Some(stated) => Some(Surety::Stated(stated.clone())),
            None => {
                (self.has_least).then(|| Surety::Distances(seekers.iter().map(least).collect()))
            }
        };
        // Each seeker stands for its own original.
        let standing_out = StandingOut {
            extreme: seekers.iter().map(|seeker| seeker.extreme).collect(),
            far: seekers.iter().map(|seeker| seeker.far).collect(),
        };
        let originals: Vec<Option<OriginalRecord>> = (0..)
            .map(OriginalRecord)
            .map(Some)
            .take(seekers.len())
            .collect();
        let beyond = beyond::judged(
            &contests,
            &partners,
            self.sought,
            &standing_out,
            &originals,
            surety.as_ref(),
        );
        let calibration = stated.map(|stated| Calibration::new(&stated, &contests));
        (score, beyond, calibration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every piece is in one part, whatever their numbers are: also where there are more parts than pieces.
    #[test]
    fn parts_share_all_pieces_and_have_none_in_common() {
        for (pieces, of) in [(0, 3), (1, 1), (7, 2), (8, 3), (3, 7), (20, 7)] {
            let parts = (1..=of).map(|number| Shard { number, of });
            let mut all: Vec<usize> = parts.flat_map(|part| part.of_all(pieces)).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..pieces), "{pieces} in {of}");
        }
        // By hand: of pieces 0 to 7 the second of three parts has 1, 4 and 7.
        let second: Shard = "2/3".parse().unwrap();
        assert_eq!(second.of_all(8).collect::<Vec<_>>(), [1, 4, 7]);
        assert!((0..8).filter(|&piece| second.has(piece)).eq([1, 4, 7]));
    }

    #[test]
    fn a_shard_is_a_number_of_parts_that_exists() {
        for text in ["1/1", "3/7", "10000/10000"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
        for text in [
            "", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "1/10001", "a/b", "1 /2",
        ] {
            assert!(text.parse::<Shard>().is_err(), "{text:?}");
        }
    }
}
