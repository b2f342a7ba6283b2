//! Which part of a piece of work is done here.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

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

    /// The piece of work at a place among those in it.
    pub fn piece(self, place: usize) -> usize {
        self.number - 1 + place * self.of
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
