//! Both files by the values of one attribute, so that a look at the other side of an exchange finds who could be there side by side.

use std::ops::Range;

use super::values::Column;
use crate::attack::likelihood::Swaps;

/// An exchange that so many pairs could have made, or more, is not looked at.
const MANY: usize = 1 << 12;

/// Both files in ascending order of an attribute whose exchanges are evidence.
#[derive(Debug)]
pub(super) struct ByValue<'a> {
    /// `None` where there is no such attribute; then records are in their own order.
    column: Option<&'a Column>,
    /// The records in this order.
    pub seekers: Vec<u32>,
    pub sought: Vec<u32>,
    /// Their values.
    values: [Vec<u32>; 2],
    /// Their pairs.
    pub swaps: Swaps,
}

impl<'a> ByValue<'a> {
    /// Both files by this attribute.
    ///
    /// # Complexity
    /// O(n · attributes).
    pub fn new(swaps: &Swaps, column: Option<&'a Column>) -> Self {
        let all = |n: usize| (0_u32..).take(n).collect();
        let [seekers, sought] = match column {
            Some(column) => column.by_value(),
            None => [all(swaps.n_seekers), all(swaps.n_sought)],
        };
        let of = |records: &[u32], values: &[u32]| {
            let values = records.iter().map(|&record| values[record as usize]);
            values.collect()
        };
        let values = column.map_or([Vec::new(), Vec::new()], |column| {
            [of(&seekers, &column.seekers), of(&sought, &column.sought)]
        });
        Self {
            swaps: swaps.reordered(&seekers, &sought),
            column,
            values,
            seekers,
            sought,
        }
    }

    /// Takes those out of a list of sought records, by their places here, of which the law excludes all who could have made the other side of
    /// the exchange of this attribute; not where there are too many of these.
    pub fn sift(&self, seeker: usize, list: &mut Vec<u32>) {
        let Some(column) = self.column else {
            return;
        };
        let [seekers, sought] = &self.values;
        // Who they are is found out for all of the list first: what one waits for from memory, others fetch meanwhile.
        let other_sides = (list.iter())
            .map(|&record| column.other_side(seekers[seeker], sought[record as usize]));
        let other_sides: Vec<Option<[Range<usize>; 2]>> = other_sides.collect();
        // All who show what the seeker has: the same for the whole list.
        let shown = other_sides.iter().flatten().next();
        let Some(shown) = shown.map(|[_, to]| self.swaps.few(to.clone())) else {
            return;
        };
        let mut other_sides = other_sides.into_iter();
        list.retain(|_| match other_sides.next() {
            Some(Some([mut from, to])) if from.len() * to.len() < MANY => {
                from.any(|other| self.swaps.admits_some(other, &shown))
            }
            _ => true,
        });
    }
}
