//! Categories that were drawn anew: the same ones, in other numbers.

use std::collections::BTreeMap;

use super::{
    Certainty, Finding, Search,
    columns::{Column, combinations},
    marginal::Marginal,
    places,
};

impl Search<'_> {
    /// Attributes of categories whose frequencies changed.
    pub(super) fn frequencies(&mut self, rest: &mut Vec<usize>) {
        let is_of_codes = |place: &usize| self.marginals[*place] == Marginal::Frequencies;
        let places: Vec<usize> = rest.iter().copied().filter(is_of_codes).collect();
        rest.retain(|place| !places.contains(place));
        for place in places {
            let mut finding = Finding::new(self.names(&[place]), Some("pram"), Certainty::Likely)
                .since("the same categories, in other numbers");
            if let Some((share, of)) = self.share_kept(place) {
                finding = finding.with("keep", places::digits(share, 2)).since(format!(
                    "of {of} records that the unmasked attributes identify, this share kept its category"
                ));
            }
            self.found(
                &[place],
                finding.or("codes that were averaged, or got noise"),
            );
        }
    }

    /// The share of records that have the category that they had, and of how many it is known.
    fn share_kept(&self, place: usize) -> Option<(f64, usize)> {
        /// Fewer say too little.
        const MIN: usize = 30;
        let [before, after] = &self.columns[place].codes;
        let pairs: Vec<(u32, u32)> = match &self.own {
            Some(own) => (own.iter().zip(after))
                .map(|(&original, &code)| (before[original as usize], code))
                .collect(),
            None => {
                let of: Vec<&Column> = (self.moved.together.iter())
                    .map(|&place| &self.columns[place])
                    .collect();
                let keys = combinations(&of);
                let alone = |keys: &[u32], codes: &[u32]| {
                    let mut by_key: BTreeMap<u32, Option<u32>> = BTreeMap::new();
                    for (&key, &code) in keys.iter().zip(codes) {
                        by_key
                            .entry(key)
                            .and_modify(|c| *c = None)
                            .or_insert(Some(code));
                    }
                    by_key
                };
                let [before, after] = [alone(&keys[0], before), alone(&keys[1], after)];
                let pair = |(key, code): (&u32, &Option<u32>)| {
                    Some((before.get(key).copied().flatten()?, (*code)?))
                };
                after.iter().filter_map(pair).collect()
            }
        };
        let same = pairs
            .iter()
            .filter(|(before, after)| before == after)
            .count();
        (pairs.len() >= MIN).then(|| (same as f64 / pairs.len() as f64, pairs.len()))
    }
}
