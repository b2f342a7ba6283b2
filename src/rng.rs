//! Randomness: a seed, a purpose, a replicate and an index decide a draw, never a thread or a clock.
//!
//! This is the only file that builds a generator. Without a seed from the user, 256 bits come from the
//! operating system and are forgotten: whoever can guess the seed can undo a masking.

use rand::{Rng, SeedableRng, TryRng, rngs::SysRng};
use rand_chacha::ChaCha20Rng;

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// The generator of every random draw in this crate.
pub type Generator = ChaCha20Rng;

/// What decides all random draws of a run. Deliberately without `Debug` and `Display`: it is never printed.
#[derive(Clone)]
pub struct Seed([u8; 32]);

impl Seed {
    /// 256 bits from the operating system.
    ///
    /// # Errors
    /// If the operating system has no randomness to give.
    pub fn from_system() -> Result<Self> {
        let mut bytes = [0; 32];
        SysRng.try_fill_bytes(&mut bytes).map_err(|error| {
            Error::failed(format!("the operating system gave no random seed: {error}"))
        })?;
        Ok(Self(bytes))
    }

    /// A number for [`from_number`](Self::from_number) that nobody can foresee, of 48 bits: a double holds it exactly.
    ///
    /// # Errors
    /// If the operating system has no randomness to give.
    pub fn number_from_system() -> Result<u64> {
        let Self(bytes) = Self::from_system()?;
        Ok(bytes[..6]
            .iter()
            .fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// A seed that can be guessed: for experiments and tests only.
    pub fn from_number(number: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        Self(bytes)
    }

    /// What a secret makes of an identifier: HMAC-SHA-256 of it under the secret. Who does not know the secret can foresee nothing, and
    /// who knows it gets the same draws for the same identifier in every file.
    ///
    /// # Source
    /// H. Krawczyk, M. Bellare, R. Canetti, "HMAC: Keyed-Hashing for Message Authentication", RFC 2104, 1997.
    pub fn keyed(secret: &[u8], identifier: &[u8]) -> Self {
        const BLOCK: usize = 64;
        let mut key = [0; BLOCK];
        if secret.len() > BLOCK {
            key[..32].copy_from_slice(&Sha256::digest(secret))
        } else {
            key[..secret.len()].copy_from_slice(secret)
        }
        let hash = |pad: u8, message: &[u8]| -> [u8; 32] {
            let hash = Sha256::new().chain_update(key.map(|byte| byte ^ pad));
            hash.chain_update(message).finalize().into()
        };
        Self(hash(0x5c, &hash(0x36, identifier)))
    }

    /// The family of streams for one purpose and one replicate of it (0 unless an experiment repeats).
    pub fn streams(&self, purpose: Purpose, replicate: u32) -> Streams {
        let mut root = ChaCha20Rng::from_seed(self.0);
        root.set_stream((purpose as u64) << 32 | u64::from(replicate));
        let mut key = [0; 32];
        root.fill_bytes(&mut key);
        Streams(key)
    }
}

/// What the draws are for. The numbers are part of the contract: changing one changes results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Masking an attribute.
    Mask = 1,
    /// Choosing what the intruder knows.
    Knowledge = 2,
    /// The order in which released records are shown to the intruder.
    Blind = 3,
    /// The order of the records in a release.
    Shuffle = 4,
    /// Starts of clusterings and folds of classifications, by which loss is measured; whom the
    /// intruder asks about in large files, where not everybody can be tried.
    Analysis = 5,
    /// Permutations of a posterior.
    Posterior = 6,
    /// Drafts of a masking, which are attacked and thrown away: never what is released.
    Draft = 7,
}

/// One independent generator for each name or index within a purpose.
#[derive(Clone)]
pub struct Streams([u8; 32]);

impl Streams {
    /// The generator of an attribute, by its *name*: dropping or reordering other attributes changes no draw of it.
    pub fn of_attribute(&self, name: &str) -> Generator {
        // FNV-1a, 64 bits: stable across platforms and releases, which the hashers of std do not promise.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        self.at(hash)
    }

    /// The streams of a stratum, by its place in the order of strata: no two strata share a draw, nor one with the file as a whole.
    #[must_use]
    pub fn of_stratum(&self, place: u64) -> Self {
        let Seed(key) = Seed::keyed(&self.0, format!("stratum\0{place}").as_bytes());
        Self(key)
    }

    /// The generator of an index.
    pub fn at(&self, index: u64) -> Generator {
        let mut generator = ChaCha20Rng::from_seed(self.0);
        generator.set_stream(index);
        generator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(seed: u64, purpose: Purpose, replicate: u32, index: u64) -> u64 {
        Seed::from_number(seed)
            .streams(purpose, replicate)
            .at(index)
            .next_u64()
    }

    #[test]
    fn seed_purpose_replicate_and_index_each_change_the_stream() {
        let base = first(1, Purpose::Mask, 0, 0);
        assert_eq!(base, first(1, Purpose::Mask, 0, 0));
        assert_ne!(base, first(2, Purpose::Mask, 0, 0));
        assert_ne!(base, first(1, Purpose::Blind, 0, 0));
        assert_ne!(base, first(1, Purpose::Mask, 1, 0));
        assert_ne!(base, first(1, Purpose::Mask, 0, 1));
    }

    /// Test cases 2 and 6 of RFC 4231.
    #[test]
    fn secrets_are_keys_as_the_standard_says() {
        let hex = |seed: Seed| -> String { seed.0.map(|byte| format!("{byte:02x}")).concat() };
        assert_eq!(
            hex(Seed::keyed(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        let long = b"Test Using Larger Than Block-Size Key - Hash Key First";
        assert_eq!(
            hex(Seed::keyed(&[0xaa; 131], long)),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn two_system_seeds_differ() {
        let draw = || {
            Seed::from_system()
                .unwrap()
                .streams(Purpose::Mask, 0)
                .at(0)
                .next_u64()
        };
        assert_ne!(draw(), draw());
    }
}
