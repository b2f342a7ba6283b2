//! What records show of a key, as planes of bits: hundreds of records are compared at once.

use crate::stats::keys::{Keys, Set};

use super::search::members;

/// Words of a block.
const WORDS: usize = 8;

/// Records of a block.
const RECORDS: usize = WORDS * 64;

/// One bit of each record of a block.
type Plane = [u64; WORDS];

/// For each record the codes of the values that it shows; 0 where it shows none.
///
/// # Complexity
/// As many bits a record as its codes have, less than the codes take. Looking for records looks at all, 512 at a time, attribute by
/// attribute while some are left, those first on which fewest agree.
pub(super) struct Planes {
    n_records: usize,
    /// For each attribute where its planes begin, and where the last ones end.
    starts: Vec<usize>,
    /// For each attribute and code, how many records show it.
    shown: Vec<Vec<u32>>,
    /// Block by block the planes of all attributes, the lowest bit first.
    planes: Vec<Plane>,
}

impl Planes {
    /// The codes of the attributes that each record still has.
    pub fn new(keys: &Keys, present: &[Set]) -> Self {
        let mut starts = vec![0];
        for &greatest in keys.greatest() {
            let bits = (u32::BITS - greatest.leading_zeros()) as usize;
            starts.push(starts.last().map_or(0, |&end| end + bits));
        }
        let n_planes = starts.last().copied().unwrap_or(0);
        let codes = keys.greatest().iter();
        let mut planes = Self {
            n_records: present.len(),
            shown: codes
                .map(|&greatest| vec![0; greatest as usize + 1])
                .collect(),
            planes: vec![[0; WORDS]; present.len().div_ceil(RECORDS) * n_planes],
            starts,
        };
        for (record, &set) in present.iter().enumerate() {
            for place in members(set) {
                planes.show(record, place, keys.of(record)[place]);
            }
        }
        planes
    }

    /// Lets a record show a value that it did not show.
    pub fn show(&mut self, record: usize, place: usize, code: u32) {
        let block = record / RECORDS * self.n_planes();
        let (word, bit) = (record % RECORDS / 64, record % 64);
        for (k, plane) in (self.starts[place]..self.starts[place + 1]).enumerate() {
            self.planes[block + plane][word] |= u64::from(code >> k & 1) << bit;
        }
        self.shown[place][code as usize] += 1;
    }

    /// The records that agree with `codes` on a set of attributes, a missing value with every value, but show another value of the
    /// attribute `place`; while `more` wants more.
    pub fn contradicting(
        &self,
        codes: &[u32],
        set: Set,
        place: usize,
        mut more: impl FnMut(usize) -> bool,
    ) {
        let mut others: Vec<usize> = members(set).collect();
        others.sort_by_key(|&other| (self.shown[other][codes[other] as usize], other));
        self.find(&mut more, |planes| {
            let mut those = [u64::MAX; WORDS];
            for &other in &others {
                let contradicts = self.contradict(planes, other, codes[other]);
                those = with(those, contradicts, |those, bits| those & !bits);
                if those == [0; WORDS] {
                    return those;
                }
            }
            let contradicts = self.contradict(planes, place, codes[place]);
            with(those, contradicts, |those, bits| those & bits)
        });
    }

    /// The records that show something, and no other value of the attribute `place`; while `more` wants more.
    pub fn agreeing(&self, code: u32, place: usize, mut more: impl FnMut(usize) -> bool) {
        self.find(&mut more, |planes| {
            let any = |any, &plane: &Plane| with(any, plane, |any, bits| any | bits);
            let something = planes.iter().fold([0; WORDS], any);
            let contradicts = self.contradict(planes, place, code);
            with(something, contradicts, |those, bits| those & !bits)
        });
    }

    fn n_planes(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Those of a block that show another value than this.
    fn contradict(&self, planes: &[Plane], place: usize, code: u32) -> Plane {
        let (mut differ, mut show) = ([0; WORDS], [0; WORDS]);
        let of_attribute = &planes[self.starts[place]..self.starts[place + 1]];
        for (k, &plane) in of_attribute.iter().enumerate() {
            let wanted = u64::from(code >> k & 1).wrapping_neg();
            differ = with(differ, plane, |differ, bits| differ | (bits ^ wanted));
            show = with(show, plane, |show, bits| show | bits);
        }
        with(differ, show, |differ, show| differ & show)
    }

    /// Shows the records that `those` finds in each block, while `more` wants more.
    fn find(&self, more: &mut impl FnMut(usize) -> bool, those: impl Fn(&[Plane]) -> Plane) {
        let blocks = self.planes.chunks_exact(self.n_planes().max(1));
        for (block, planes) in blocks.enumerate() {
            for (word, mut bits) in those(planes).into_iter().enumerate() {
                while bits != 0 {
                    let record = block * RECORDS + word * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    // Past the last record there are bits of records that show nothing.
                    if record < self.n_records && !more(record) {
                        return;
                    }
                }
            }
        }
    }
}

/// Two planes, word by word.
fn with(mut plane: Plane, other: Plane, of_words: impl Fn(u64, u64) -> u64) -> Plane {
    for (word, other) in plane.iter_mut().zip(other) {
        *word = of_words(*word, other);
    }
    plane
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a look at every record: sizes about a block, gaps, attributes that nobody shows, values shown later.
    #[test]
    fn records_are_found_as_by_looking_at_each() {
        let mut state = 1_u64;
        let mut roll = |sides: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(sides)) as u32
        };
        for n in [1, 63, 511, 512, 513, 1300] {
            // Codes up to 0, 1, 3, 4 and 70; 0 is missing.
            let columns: Vec<Vec<u32>> = [1, 2, 4, 5, 71]
                .map(|sides| (0..n).map(|_| roll(sides)).collect())
                .into();
            let keys = Keys::of_codes(n, &columns);
            let mut present: Vec<Set> = (0..n)
                .map(|record| keys.present(record) & roll(32))
                .collect();
            let mut planes = Planes::new(&keys, &present);
            for _ in 0..60 {
                let record = roll(n as u32) as usize;
                let codes = keys.of(record);
                let hidden = keys.present(record) & !present[record];
                let Some(place) = members(hidden).next() else {
                    continue;
                };
                let contradicts = |other: usize, place: usize| {
                    present[other] >> place & 1 == 1 && keys.of(other)[place] != codes[place]
                };
                let set = present[record];
                let right: Vec<usize> = (0..n)
                    .filter(|&other| !members(set).any(|place| contradicts(other, place)))
                    .filter(|&other| contradicts(other, place))
                    .collect();
                let mut found = Vec::new();
                planes.contradicting(codes, set, place, |other| {
                    found.push(other);
                    true
                });
                assert_eq!(found, right);
                let right: Vec<usize> = (0..n)
                    .filter(|&other| present[other] != 0 && !contradicts(other, place))
                    .collect();
                let mut found = Vec::new();
                planes.agreeing(codes[place], place, |other| {
                    found.push(other);
                    found.len() < 3
                });
                assert_eq!(found, right[..right.len().min(3)]);
                planes.show(record, place, codes[place]);
                present[record] |= 1 << place;
            }
        }
    }
}
