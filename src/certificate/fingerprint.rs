//! Whether two files are the ones that a certificate speaks of.
//!
//! ```text
//! values of a file   SHA-256 of, for each known attribute: its name; n or c (number, category); for each record 0 if the value is
//!                    missing, else 1 and the value: a number as its 8 bytes (IEEE 754, the least first; −0 as 0), a category as text
//! pairing            SHA-256 of, for each original record: 0 without a masked one, else 1 and its number from 1 (8 bytes, the least first)
//! ```
//!
//! A text is its length in bytes (8 bytes, the least first) and its UTF-8. Digests are written in hexadecimal.

use sha2::{Digest, Sha256};

use super::format::{File, Files};
use crate::table::{AttrId, Table};

/// Two files whose known attributes are related, and the true matches in them.
#[derive(Debug, Clone, Copy)]
pub struct Pairing<'a> {
    /// The original file.
    pub original: &'a Table,
    /// The masked file.
    pub masked: &'a Table,
    /// The known attributes, in the original and in the masked file.
    pub known: &'a [(AttrId, AttrId)],
    /// The masked record of each original record, both from 0, as far as there is one.
    pub masked_of: &'a [Option<u32>],
}

impl Pairing<'_> {
    /// What a certificate says of them.
    ///
    /// # Complexity
    /// O(records · attributes).
    pub fn files(&self) -> Files {
        let [of_original, of_masked]: [Vec<AttrId>; 2] = [
            self.known.iter().map(|pair| pair.0).collect(),
            self.known.iter().map(|pair| pair.1).collect(),
        ];
        Files {
            original: file(self.original, &of_original),
            masked: file(self.masked, &of_masked),
            pairing: self.pairing(),
        }
    }

    fn pairing(&self) -> String {
        let mut hash = Sha256::new();
        for masked in self.masked_of {
            match masked {
                None => hash.update([0]),
                Some(masked) => {
                    hash.update([1]);
                    hash.update((u64::from(*masked) + 1).to_le_bytes());
                }
            }
        }
        hexadecimal(hash)
    }
}

fn file(table: &Table, attributes: &[AttrId]) -> File {
    let mut hash = Sha256::new();
    for &id in attributes {
        text(&mut hash, &table.attribute(id).name);
        let numbers = table.numbers(id);
        hash.update(if numbers.is_some() { b"n" } else { b"c" });
        for record in 0..table.n_records() {
            if table.is_missing(record, id) {
                hash.update([0]);
                continue;
            }
            hash.update([1]);
            match &numbers {
                Some(numbers) => hash.update((numbers.values[record] + 0.0).to_le_bytes()),
                None => text(&mut hash, &table.category(record, id)),
            }
        }
    }
    File {
        records: table.n_records(),
        values: hexadecimal(hash),
    }
}

fn text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

fn hexadecimal(hash: Sha256) -> String {
    let digits = b"0123456789abcdef";
    let bytes = hash.finalize();
    let both = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    both.map(|digit| char::from(digits[usize::from(digit)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    fn table(text: &str) -> Table {
        Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    fn of(original: &str, masked: &str, masked_of: &[Option<u32>]) -> Files {
        let (original, masked) = (table(original), table(masked));
        let known: Vec<(AttrId, AttrId)> = original.ids().map(|id| (id, id)).collect();
        Pairing {
            original: &original,
            masked: &masked,
            known: &known,
            masked_of,
        }
        .files()
    }

    /// How a number is written changes nothing; a value, a gap, a name, an order, and the true matches do.
    #[test]
    fn values_count_and_not_how_they_are_written() {
        let straight = [Some(0), Some(1)];
        let files = of("x,y\n1,a\n2,b\n", "x,y\n1.5,a\n2,a\n", &straight);
        assert_eq!(
            files,
            of("x,y\n1.0,a\n2,b\n", "x,y\n1.50,a\n2,a\n", &straight)
        );
        for other in [
            of("x,y\n1,a\n3,b\n", "x,y\n1.5,a\n2,a\n", &straight),
            of("x,y\n1,a\n2,b\n", "x,y\n1.5,a\n2,b\n", &straight),
            of("x,y\n1,a\n2,b\n", "x,y\n1.5,a\n,a\n", &straight),
            of("x,z\n1,a\n2,b\n", "x,y\n1.5,a\n2,a\n", &straight),
            of("x,y\n2,b\n1,a\n", "x,y\n1.5,a\n2,a\n", &straight),
            of("x,y\n1,a\n2,b\n", "x,y\n1.5,a\n2,a\n", &[Some(1), Some(0)]),
            of("x,y\n1,a\n2,b\n", "x,y\n1.5,a\n2,a\n", &[Some(0), None]),
        ] {
            assert_ne!(files, other);
        }
    }

    /// The digest of nothing, as published with the algorithm (FIPS 180-4 examples).
    #[test]
    fn the_digest_is_sha_256() {
        assert_eq!(
            of("x\n1\n", "x\n1\n", &[]).pairing,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}
