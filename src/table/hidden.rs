//! Zeros that a method shall not see: for as long as it works they count as missing.

use super::{AttrId, Mask, Table};

/// The zeros that were hidden, and how to show them again.
#[derive(Debug, Clone)]
pub struct HiddenZeros(Vec<(AttrId, Mask)>);

impl Table {
    /// The table in which the zeros of these attributes count as missing: a method that leaves gaps in place leaves them in place,
    /// with their very bytes.
    ///
    /// Attributes without numbers are left alone.
    #[must_use]
    pub fn hiding_zeros(mut self, ids: &[AttrId]) -> (Self, HiddenZeros) {
        let mut hidden = Vec::with_capacity(ids.len());
        for &id in ids {
            let Some(numbers) = self.numbers(id) else {
                continue;
            };
            // A missing cell holds 0.0, too: it is in both sets.
            let mut words = vec![0_u64; numbers.values.len().div_ceil(64)];
            for (record, &value) in numbers.values.iter().enumerate() {
                words[record / 64] |= u64::from(value == 0.0) << (record % 64);
            }
            let column = &mut self.columns[id.index()];
            hidden.push((id, column.missing.clone()));
            column.missing = column.missing.joined(&Mask::from_words(words));
        }
        (self, HiddenZeros(hidden))
    }

    /// The table in which the zeros that were hidden are zeros again. No cell of these attributes may have changed places with
    /// a hidden one.
    #[must_use]
    pub fn showing_zeros(mut self, HiddenZeros(hidden): HiddenZeros) -> Self {
        for (id, missing) in hidden {
            self.columns[id.index()].missing = missing;
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
        let (hiding, hidden) = table.hiding_zeros(&[id]);
        assert_eq!(hiding.missing(id).records().collect::<Vec<_>>(), [0, 2]);
        let shown = hiding
            .with_donors(id, vec![0, 3, 2, 1])
            .showing_zeros(hidden);
        assert_eq!(shown.missing(id).records().collect::<Vec<_>>(), [2]);
        assert_eq!(shown.numbers(id).unwrap().values, [0.0, 7.0, 0.0, 5.1]);
        let mut bytes = Vec::new();
        shown.write(&mut bytes).unwrap();
        assert_eq!(bytes, b"a,b\n0.00,1\n7.00,2\n,3\n5.10,4\n");
    }
}
