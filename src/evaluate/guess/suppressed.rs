//! Cells that were suppressed, and the key by which.

use super::{Certainty, Finding, Search, marginal::Marginal};
use crate::{
    stats::keys::{self, Keys},
    table::{AttrId, Scale},
};

impl Search<'_> {
    /// Attributes with gaps that were not there.
    pub(super) fn suppressions(&mut self) {
        let places = self.places(|marginal| matches!(marginal, Marginal::Gaps { .. }));
        if places.is_empty() {
            return;
        }
        let count = |place: usize| match self.marginals[place] {
            Marginal::Gaps { new } => new,
            _ => 0,
        };
        let cells: usize = places.iter().map(|&place| count(place)).sum();
        let mut finding = Finding::new(self.names(&places), Some("suppress"), Certainty::Certain)
            .with("cells", cells);
        for &place in &places {
            finding = finding.since(format!(
                "{}: {} values became missing, all others are still there",
                self.columns[place].name,
                count(place)
            ));
        }
        if let Some((key, k)) = self.key_of_suppression(&places) {
            finding = finding.with("k", k).with("key", key.clone()).since(format!(
                "of {} each combination of values that is left matches {k} records at least, gaps match everything",
                key.join(", ")
            ));
        }
        self.found(&places, finding);
    }

    /// The key by which cells may have been suppressed, and the records that agree on it at least: the most categories, those with new gaps
    /// among them, of which no combination of values is alone.
    fn key_of_suppression(&self, places: &[usize]) -> Option<(Vec<String>, u32)> {
        /// Attributes beside those with gaps, of which all sets are tried.
        const MAX_OTHERS: usize = 7;
        /// Records of all sets together, at most.
        const MAX_RECORDS: usize = 20_000_000;
        let masked = self.files.tables[1];
        let is_category = |&place: &usize| {
            let column = &self.columns[place];
            self.marginals[place] == Marginal::Kept && column.scale != Scale::Continuous
        };
        let others = (0..self.columns.len()).filter(is_category);
        let mut others: Vec<usize> = others.take(MAX_OTHERS).collect();
        while masked.n_records() << others.len() > MAX_RECORDS && others.pop().is_some() {}
        let mut sets: Vec<u32> = (0..1 << others.len()).collect();
        sets.sort_by_key(|set: &u32| std::cmp::Reverse(set.count_ones()));
        let of_set = |set: u32| {
            let mut key: Vec<usize> = places.to_vec();
            let chosen = (0..others.len()).filter(|other| set >> other & 1 == 1);
            key.extend(chosen.map(|other| others[other]));
            key.sort_unstable();
            if key.len() > keys::MAX_ATTRIBUTES {
                return None;
            }
            let ids: Vec<AttrId> = key
                .iter()
                .map(|&place| self.columns[place].ids[1])
                .collect();
            let keys = Keys::of_table(masked, &ids);
            let matching = keys.matching();
            let something = (0..keys.n_records()).filter(|&record| keys.present(record) != 0);
            let least = something.map(|record| matching[record]).min()?;
            (least > 1).then(|| (set.count_ones(), least, self.names(&key)))
        };
        let mut found: Option<(u32, u32, Vec<String>)> = None;
        for set in sets {
            // Of as many attributes those on which most agree.
            if found
                .as_ref()
                .is_some_and(|(size, ..)| set.count_ones() < *size)
            {
                break;
            }
            if let Some(one) = of_set(set)
                && found.as_ref().is_none_or(|(_, least, _)| one.1 > *least)
            {
                found = Some(one);
            }
        }
        found.map(|(_, least, names)| (names, least))
    }
}
