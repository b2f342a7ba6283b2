//! Where the draws come from: the seed of a call, or a secret and who somebody is.

use std::ops::Range;

use crate::{
    error::{Error, Result},
    rng::{Generator, Purpose, Seed, Streams},
    table::Table,
};

/// Records that one task works on, with a stream of their own: fixed, so that no draw depends on the number of threads.
pub(super) const BLOCK: usize = 4096;

/// A secret of the office, and the attribute that says who somebody is.
///
/// Deliberately without a `Display`; its `Debug` shows the attribute alone.
#[derive(Clone)]
pub struct Secret {
    /// What only the office knows.
    key: Vec<u8>,
    /// The attribute with the identifiers.
    identifier: String,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secret")
            .field("identifier", &self.identifier)
            .finish_non_exhaustive()
    }
}

impl Secret {
    /// Bytes that a secret has at least: fewer can be tried out.
    pub const MIN_BYTES: usize = 16;

    /// A secret, and the attribute by which people are the same in several files.
    ///
    /// # Errors
    /// Usage, when the secret is shorter than [`MIN_BYTES`](Self::MIN_BYTES).
    pub fn new(key: Vec<u8>, identifier: String) -> Result<Self> {
        if key.len() < Self::MIN_BYTES {
            let what = format!(
                "the secret has {} bytes: so few can be tried out; it needs {} at least",
                key.len(),
                Self::MIN_BYTES
            );
            Err(
                Error::out_of_range("secret", Self::MIN_BYTES as f64.., what)
                    .remedy("Make one with, for example, head -c 32 /dev/urandom > secret.key"),
            )
        } else {
            Ok(Self { key, identifier })
        }
    }
}

/// Random draws by purpose, block and record.
pub(super) enum Draws<'a> {
    /// One stream a purpose and block of records.
    Seeded(&'a Streams),
    /// One stream a purpose and person; and the streams of what concerns the whole file.
    People(Streams, Vec<Streams>),
}

impl<'a> Draws<'a> {
    /// # Errors
    /// Input, where identifiers are missing or not different.
    pub fn new(streams: &'a Streams, secret: Option<&Secret>, table: &Table) -> Result<Self> {
        let Some(secret) = secret else {
            return Ok(Self::Seeded(streams));
        };
        let id = table.find(&secret.identifier)?;
        let of = |message: &[u8]| Seed::keyed(&secret.key, message).streams(Purpose::Mask, 0);
        let names: Vec<_> = (0..table.n_records())
            .map(|record| table.category(record, id))
            .collect();
        let mut sorted: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        sorted.sort_unstable();
        let twice = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        if twice || !table.missing(id).is_empty() {
            return Err(Error::input(
                "identifies people for the secret, so each record needs one of its own; some are missing or the same",
            ).not_unique(&secret.identifier)
            .remedy("Name the attribute that identifies every record with --id"));
        }
        let people = names
            .iter()
            .map(|name| of(format!("person\0{name}").as_bytes()));
        Ok(Self::People(of(b"file"), people.collect()))
    }

    /// The generator of a purpose that concerns the whole file.
    pub fn of_file(&self, purpose: &str) -> Generator {
        match self {
            Self::Seeded(streams) => streams.of_attribute(purpose),
            Self::People(streams, _) => streams.of_attribute(purpose),
        }
    }

    /// Lets each of these records of a block draw for a purpose.
    pub fn each(
        &self,
        purpose: &str,
        block: usize,
        records: impl Iterator<Item = usize>,
        mut draw: impl FnMut(usize, &mut Generator),
    ) {
        match self {
            Self::Seeded(streams) => {
                let mut rng = streams.of_attribute(&format!("{purpose}\0{block}"));
                for record in records {
                    draw(record, &mut rng);
                }
            }
            Self::People(_, people) => {
                for record in records {
                    draw(record, &mut people[record].of_attribute(purpose));
                }
            }
        }
    }

    /// A number for each of the first `n` records.
    pub fn all<T: Copy + Default>(
        &self,
        purpose: &str,
        n: usize,
        draw: impl Fn(&mut Generator) -> T,
    ) -> Vec<T> {
        let mut all = vec![T::default(); n];
        for block in 0..n.div_ceil(BLOCK) {
            self.each(purpose, block, records_of(block, n), |record, rng| {
                all[record] = draw(rng);
            });
        }
        all
    }
}

/// The records of a block, of `n`.
pub(super) fn records_of(block: usize, n: usize) -> Range<usize> {
    block * BLOCK..n.min((block + 1) * BLOCK)
}
