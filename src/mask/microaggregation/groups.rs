//! Groups while they are made.

use super::partition::Partition;

/// Groups of records, one after the other.
#[derive(Debug, Default)]
pub(super) struct Groups {
    records: Vec<u32>,
    ends: Vec<usize>,
}

impl Groups {
    /// Adds a group, unless it is empty.
    pub(super) fn push(&mut self, records: impl IntoIterator<Item = u32>) {
        let start = self.records.len();
        self.records.extend(records);
        if self.records.len() > start {
            self.ends.push(self.records.len());
        }
    }

    /// Adds a record to the last group.
    pub(super) fn extend_last(&mut self, record: u32) {
        if let Some(end) = self.ends.last_mut() {
            self.records.push(record);
            *end += 1;
        }
    }

    /// The last group; empty if there is none.
    pub(super) fn last(&self) -> &[u32] {
        match self.ends.as_slice() {
            [.., start, end] => &self.records[*start..*end],
            [end] => &self.records[..*end],
            [] => &[],
        }
    }

    /// All groups.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let group = &self.records[start..end];
            start = end;
            group
        })
    }

    pub(super) fn into_partition(self, n_records: usize) -> Partition {
        Partition::from_groups(n_records, self.iter())
    }
}
