//! Which records of an attribute are missing: a bit a record.

/// A set of records; an empty one costs nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordSet {
    /// One bit a record; empty when no bit is set.
    words: Vec<u64>,
    count: usize,
}

impl RecordSet {
    /// The set whose bits are these words; words past the end are zero, and not kept: equal sets are equal sets.
    pub(crate) fn from_words(mut words: Vec<u64>) -> Self {
        let used = words.iter().rposition(|&word| word != 0);
        words.truncate(used.map_or(0, |last| last + 1));
        let count = words.iter().map(|word| word.count_ones() as usize).sum();
        Self { words, count }
    }

    /// The set of these records.
    pub(crate) fn of(records: impl IntoIterator<Item = usize>) -> Self {
        let mut words = Vec::new();
        for record in records {
            let needed = words.len().max(record / 64 + 1);
            words.resize(needed, 0);
            words[record / 64] |= 1 << (record % 64);
        }
        Self::from_words(words)
    }

    /// Whether this record is in the set.
    pub fn contains(&self, record: usize) -> bool {
        self.words
            .get(record / 64)
            .is_some_and(|word| word >> (record % 64) & 1 == 1)
    }

    /// The bits of the 64 records from `64 * word` on, the first record's the lowest.
    pub(crate) fn word(&self, word: usize) -> u64 {
        self.words.get(word).copied().unwrap_or(0)
    }

    /// How many words there are, past which no bit is set.
    pub(crate) fn n_words(&self) -> usize {
        self.words.len()
    }

    /// How many records are in the set.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether no record is in the set.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The records of the set, ascending.
    pub fn records(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len()).flat_map(|word| self.records_of_word(word))
    }

    /// Those of the 64 records of a word that are in the set, ascending.
    pub(crate) fn records_of_word(&self, word: usize) -> impl Iterator<Item = usize> {
        let bits = self.word(word);
        (0..64)
            .filter(move |bit| bits >> bit & 1 == 1)
            .map(move |bit| word * 64 + bit)
    }

    /// The records of either set.
    pub(crate) fn joined(&self, other: &Self) -> Self {
        let (longer, shorter) = if self.words.len() >= other.words.len() {
            (self, other)
        } else {
            (other, self)
        };
        let mut words = longer.words.clone();
        for (word, more) in words.iter_mut().zip(&shorter.words) {
            *word |= more;
        }
        Self::from_words(words)
    }

    /// The records of this set that are not in the other one.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let mut words = self.words.clone();
        for (word, less) in words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
        Self::from_words(words)
    }

    /// The set whose record `r` is this one's record `from[r]`.
    pub(crate) fn gathered(&self, from: &[u32]) -> Self {
        if self.is_empty() {
            return Self::default();
        }
        let mut words = vec![0; from.len().div_ceil(64)];
        for (record, &source) in from.iter().enumerate() {
            words[record / 64] |= u64::from(self.contains(source as usize)) << (record % 64);
        }
        Self::from_words(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_tells_its_records_in_order() {
        let set = RecordSet::from_words(vec![0b101, 1 << 63]);
        assert_eq!(set.records().collect::<Vec<_>>(), [0, 2, 127]);
        assert_eq!(set.count(), 3);
        assert!(set.contains(127) && !set.contains(126) && !set.contains(9999));
    }

    #[test]
    fn gathering_takes_each_bit_from_its_source() {
        let set = RecordSet::from_words(vec![0b0001]);
        let gathered = set.gathered(&[3, 0, 0, 2]);
        assert_eq!(gathered.records().collect::<Vec<_>>(), [1, 2]);
        assert!(RecordSet::from_words(vec![0, 0]) == RecordSet::default());
        assert!(RecordSet::from_words(vec![4, 0]) == RecordSet::from_words(vec![4]));
    }
}
