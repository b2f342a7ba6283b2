//! Zeros that a method shall not see: for as long as it works they count as missing.

use super::{AttrId, RecordSet, Table, Values};

impl Table {
    /// The table in which the zeros of these attributes count as missing: a method that leaves gaps in place leaves them in place,
    /// with their very bytes. One that gives gaps to other records can distinguish hidden zeros from gaps
    /// ([`hidden_zeros`](Self::hidden_zeros)).
    ///
    /// Attributes without numbers are left alone.
    #[must_use]
    pub fn hiding_zeros(mut self, ids: &[AttrId]) -> Self {
        for &id in ids {
            let Some(numbers) = self.numbers(id) else {
                continue;
            };
            let zeros = Values::from(numbers).words(|value| value == 0.0).collect();
            let column = &mut self.columns[id.index()];
            column.hidden = RecordSet::from_words(zeros);
            column.missing = column.missing.joined(&column.hidden);
        }
        self
    }

    /// The records whose value of this attribute is a hidden zero. They count as missing, too.
    pub fn hidden_zeros(&self, id: AttrId) -> &RecordSet {
        &self.columns[id.index()].hidden
    }

    /// The table in which all hidden zeros are zeros again.
    #[must_use]
    pub fn showing_zeros(mut self) -> Self {
        for column in &mut self.columns {
            let hidden = std::mem::take(&mut column.hidden);
            column.missing = column.missing.without(&hidden);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::table::{ReadOptions, Table};

    #[test]
    fn hidden_zeros_keep_their_bytes() {
        let text = "a,b\n0.00,1\n5.10,2\n,3\n7.00,4\n";
        let table =
            Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        let id = table.find("a").unwrap();
        let hiding = table.hiding_zeros(&[id]);
        assert_eq!(hiding.missing(id).records().collect::<Vec<_>>(), [0, 2]);
        assert_eq!(hiding.hidden_zeros(id).records().collect::<Vec<_>>(), [0]);
        // The gap and a value change places.
        let shown = hiding.with_donors(id, vec![0, 2, 3, 1]).showing_zeros();
        assert_eq!(shown.missing(id).records().collect::<Vec<_>>(), [1]);
        assert!(shown.hidden_zeros(id).is_empty());
        assert_eq!(shown.numbers(id).unwrap().values, [0.0, 0.0, 7.0, 5.1]);
        let mut bytes = Vec::new();
        shown.write(&mut bytes).unwrap();
        assert_eq!(bytes, b"a,b\n0.00,1\n,2\n7.00,3\n5.10,4\n");
    }
}
